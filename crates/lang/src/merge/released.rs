//! Payload operations of the released runtime (`mj-5.51.3`, sections 2, 4 and 5 of its observations).

use super::deep_merge;
use crate::expr::js_trim;
use crate::mapping::walk_released;
use crate::{List, Object, Value, json};

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

/// What of a payload a sub-agent sees: `a`, `o.*`, `list[*].v`, `*`. Of a payload that counts as nothing it is null.
pub fn extract(payload: &Value, paths: &[&str]) -> Value {
    if !crate::expr::truthy(payload) {
        return Value::Null;
    }
    if paths.contains(&"*") {
        return payload.clone();
    }
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

/// What the steps lead to, in what is around it; `None` where there is nothing.
fn pick(value: &Value, steps: &[&str]) -> Option<Value> {
    let Some((step, rest)) = steps.split_first() else { return Some(value.clone()) };
    match (value, *step) {
        (Value::Object(object), "*") => {
            let members: Vec<_> = object.iter().filter_map(|(key, value)| Some((key.clone(), pick(value, rest)?))).collect();
            (!members.is_empty()).then(|| Value::object(members))
        }
        (Value::List(list), "[*]") => {
            let items: Vec<Value> = list.iter().filter_map(|item| pick(item, rest)).collect();
            (!items.is_empty()).then(|| Value::list(items))
        }
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
