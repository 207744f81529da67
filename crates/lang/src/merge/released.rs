//! Payload operations of the released runtime (`mj-5.51.3`, sections 2, 4 and 5 of its observations).

use super::{DELETE, deep_merge, update};
use crate::expr::js_trim;
use crate::mapping::walk_released;
use crate::{List, Object, Text, Value, json};

/// A loop's collection: `static:` and a JSON list, or a path, with or without a leading `payload.`. `None` when it is no list.
pub fn collection(payload: &Value, path: &str) -> Option<List> {
    let prefixed = |text: &str, prefix: &str| text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    let trimmed = js_trim(path);
    let found = if prefixed(trimmed, "static:") {
        json::parse(trimmed.get(7..).unwrap_or("")).value()?
    } else {
        walk_released(payload, if prefixed(path, "payload.") { path.get(8..).unwrap_or("") } else { path })
    };
    found.as_list().cloned()
}

/// The runtime's deep merge: like [`deep_merge`], but nothing merged in changes nothing, and a text or a list is merged by its places.
pub fn deep_merge_released(target: &Value, source: &Value) -> Value {
    match source {
        Value::Undefined | Value::Null => target.clone(),
        Value::Object(_) => deep_merge(target, source),
        Value::Text(_) | Value::List(_) => deep_merge(target, &Value::Object(crate::mapping::keys_released(source))),
        _ => target.clone(),
    }
}

/// What of a payload a sub-agent sees: `a`, `o.*`, `list[*].v`, `*`.
pub fn extract(payload: &Value, paths: &[&str]) -> Value {
    let mut seen = Value::Object(Object::new());
    for path in paths {
        let steps: Vec<&str> =
            path.split('.').flat_map(|part| part.strip_suffix("[*]").map_or(vec![part], |name| vec![name, "[*]"])).collect();
        if let Some(part) = pick(payload, &steps) {
            seen = join(&seen, &part);
        }
    }
    seen
}

fn pick(value: &Value, steps: &[&str]) -> Option<Value> {
    let Some((step, rest)) = steps.split_first() else { return Some(value.clone()) };
    match (value, *step) {
        (_, "*") => Some(value.clone()),
        (Value::List(list), "[*]") => Some(Value::list(list.iter().map(|item| pick(item, rest).unwrap_or_default()))),
        (Value::Object(object), name) => Some(Value::object([(name, pick(object.get(name)?, rest)?)])),
        _ => None,
    }
}

/// Joins two parts of the same payload; lists element by element.
fn join(a: &Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Object(known), Value::Object(more)) => {
            let mut joined = known.clone();
            for (key, value) in more.iter() {
                let value = joined.get(key).map_or_else(|| value.clone(), |before| join(before, value));
                joined.insert(key.clone(), value);
            }
            Value::Object(joined)
        }
        (Value::List(known), Value::List(more)) if known.len() == more.len() => {
            Value::list(known.iter().zip(more.iter()).map(|(a, b)| join(a, b)))
        }
        _ => b.clone(),
    }
}

/// Applies a `payloadChangeRequest`: removals, replacements, updates, new elements. `allowed` are the paths that may be written
/// (`path[:add,update,delete]`, `a.*`, `*`); `None` allows all.
pub fn change(payload: &Value, request: &Value, allowed: Option<&[&str]>) -> Value {
    let mut payload = if payload.is_nullish() { Value::Object(Object::new()) } else { payload.clone() };
    let parts = with_strays(&payload, request);
    for (part, operation) in
        [("removeElements", "delete"), ("replaceElements", "update"), ("updateElements", "update"), ("newElements", "add")]
    {
        let Some(Value::Object(patch)) = parts.get(part) else { continue };
        let patch = match allowed {
            Some(allowed) => permitted(patch, operation, allowed, &mut String::new()),
            None => patch.clone(),
        };
        let Value::Object(known) = &payload else { continue };
        payload = match part {
            "removeElements" => Value::Object(remove(known, &patch)),
            "replaceElements" => Value::Object(known.with(patch.iter().map(|(key, value)| (key.clone(), value.clone())))),
            "updateElements" => update(&payload, &Value::Object(patch)),
            _ => Value::Object(add(known, &patch)),
        };
    }
    payload
}

/// Keys of a request that are no part of it belong to its updates where the payload has them, otherwise to its new elements.
fn with_strays(payload: &Value, request: &Value) -> Object {
    let mut parts = request.as_object().cloned().unwrap_or_default();
    let known = ["newElements", "updateElements", "replaceElements", "removeElements", "reasoning"];
    let stray = |key: &Text| key.as_str().starts_with(|c: char| c.is_ascii_alphabetic()) && !known.contains(&key.as_str());
    let strays: Vec<(Text, Value)> = parts.iter().filter(|(key, _)| stray(key)).map(|(key, value)| (key.clone(), value.clone())).collect();
    for (key, value) in strays {
        let part = if payload.get(&key).is_some() { "updateElements" } else { "newElements" };
        let mut patch = parts.get(part).and_then(Value::as_object).cloned().unwrap_or_default();
        patch.insert(key, value);
        parts.insert(part, Value::Object(patch));
    }
    parts
}

/// What of a change may be written.
fn permitted(patch: &Object, operation: &str, allowed: &[&str], path: &mut String) -> Object {
    let mut kept = Object::new();
    for (key, value) in patch.iter() {
        let length = path.len();
        if length > 0 {
            path.push('.');
        }
        path.push_str(key);
        if allowed.iter().any(|rule| allows(rule, path, operation)) {
            kept.insert(key.clone(), value.clone());
        } else if let Value::Object(inner) = value {
            let inner = permitted(inner, operation, allowed, path);
            if !inner.is_empty() {
                kept.insert(key.clone(), Value::Object(inner));
            }
        }
        path.truncate(length);
    }
    kept
}

fn allows(rule: &str, path: &str, operation: &str) -> bool {
    let (pattern, operations) = rule.split_once(':').unwrap_or((rule, ""));
    let operation_fits = operations.is_empty() || operations.split(',').any(|known| js_trim(known) == operation);
    let path_fits = match pattern.strip_suffix('*') {
        Some("") => true,
        Some(prefix) => path.starts_with(prefix),
        None => path == pattern,
    };
    operation_fits && path_fits
}

fn remove(known: &Object, patch: &Object) -> Object {
    let mut left = known.clone();
    for (key, value) in patch.iter() {
        match (left.get(key), value) {
            (Some(_), Value::Text(text)) if text.as_str() == DELETE => {
                left.remove(key);
            }
            (Some(before), value) => {
                let value = remove_inside(before, value);
                left.insert(key.clone(), value);
            }
            (None, _) => {}
        }
    }
    left
}

fn remove_inside(before: &Value, patch: &Value) -> Value {
    match (before, patch) {
        (Value::Object(known), Value::Object(patch)) => Value::Object(remove(known, patch)),
        (Value::List(known), Value::List(patch)) => {
            let kept = known.iter().enumerate().filter_map(|(index, item)| match patch.get(index) {
                None => Some(item.clone()),
                Some(Value::Text(text)) if text.as_str() == DELETE => None,
                Some(patch) => Some(remove_inside(item, patch)),
            });
            Value::list(kept.collect::<Vec<_>>())
        }
        _ => before.clone(),
    }
}

/// New elements: a list that is there is appended to, objects merge, scalars are replaced.
fn add(known: &Object, patch: &Object) -> Object {
    let mut more = known.clone();
    for (key, value) in patch.iter() {
        let value = match (more.get(key), value) {
            (Some(Value::List(list)), Value::List(new)) => Value::list(list.iter().chain(new.iter()).cloned()),
            (Some(Value::Object(object)), Value::Object(new)) => Value::Object(add(object, new)),
            _ => value.clone(),
        };
        more.insert(key.clone(), value);
    }
    more
}
