//! A `payloadChangeRequest`, applied as the released runtime does: key by key down the payload, each write under its own
//! permission. What may be written is said by patterns of paths with operations (see [`super::paths`]).

use super::{DELETE, paths::Pattern};
use crate::{List, Object, Text, Value};

/// The four parts of a request, as far as they lead to one place of the payload.
#[derive(Clone, Copy, Default)]
struct Parts<'v> {
    remove: Option<&'v Value>,
    replace: Option<&'v Value>,
    update: Option<&'v Value>,
    new: Option<&'v Value>,
}

impl<'v> Parts<'v> {
    fn each(self, step: impl Fn(&'v Value) -> Option<&'v Value>) -> Self {
        let go = |part: Option<&'v Value>| part.and_then(&step).filter(|value| !value.is_undefined());
        Self { remove: go(self.remove), replace: go(self.replace), update: go(self.update), new: go(self.new) }
    }

    /// The keys that any part has here, in their order.
    fn keys(self) -> Vec<&'v Text> {
        let mut keys: Vec<&Text> = Vec::new();
        for part in [self.remove, self.update, self.new, self.replace].into_iter().flatten() {
            for key in part.as_object().into_iter().flat_map(Object::keys) {
                if !keys.contains(&key) {
                    keys.push(key);
                }
            }
        }
        keys
    }
}

/// Who may write what.
struct Allowed<'p>(Option<Vec<Pattern<'p>>>);

impl Allowed<'_> {
    fn allows(&self, path: &str, operation: &str) -> bool {
        self.0.as_ref().is_none_or(|patterns| patterns.iter().any(|pattern| pattern.allows(operation) && pattern.covers(path)))
    }
}

/// Applies a request. `allowed` are the paths that may be written (`path[:add,update,delete]`, `a.*`, `*`); `None` allows all.
pub fn change(payload: &Value, request: &Value, allowed: Option<&[&str]>) -> Value {
    let payload = if payload.is_nullish() { Value::Object(Object::new()) } else { payload.clone() };
    let request = with_strays(&payload, request);
    let part = |name: &str| request.get(name).filter(|value| !value.is_undefined());
    let parts = Parts {
        remove: part("removeElements"),
        replace: part("replaceElements"),
        update: part("updateElements"),
        new: part("newElements"),
    };
    let allowed = Allowed(allowed.map(|patterns| patterns.iter().map(|pattern| Pattern::new(pattern)).collect()));
    process(&payload, parts, "", &allowed)
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
        if !patch.contains_key(&key) {
            patch.insert(key.clone(), value);
        }
        parts.insert(part, Value::Object(patch));
        parts.remove(&key);
    }
    parts
}

fn process(target: &Value, parts: Parts<'_>, path: &str, allowed: &Allowed<'_>) -> Value {
    match target {
        Value::List(list) => Value::List(process_list(list, parts, path, allowed)),
        Value::Object(object) => Value::Object(process_object(object, parts, path, allowed)),
        other => other.clone(),
    }
}

fn joined(path: &str, step: &str) -> String {
    if path.is_empty() { step.to_owned() } else { format!("{path}.{step}") }
}

fn process_object(target: &Object, parts: Parts<'_>, path: &str, allowed: &Allowed<'_>) -> Object {
    let mut changed = target.clone();
    for key in parts.keys() {
        process_key(&mut changed, key, parts.each(|part| part.get(key)), &joined(path, key), allowed);
    }
    // A deletion among the updates asks nobody.
    for (key, value) in parts.update.and_then(Value::as_object).into_iter().flat_map(Object::iter) {
        if is_delete(value) {
            changed.remove(key);
        }
    }
    changed
}

fn process_key(target: &mut Object, key: &Text, parts: Parts<'_>, path: &str, allowed: &Allowed<'_>) {
    if let Some(value) = parts.replace {
        let operation = if target.contains_key(key) { "update" } else { "add" };
        if allowed.allows(path, operation) {
            target.insert(key.clone(), value.clone());
        }
        return;
    }
    if parts.remove.is_some_and(is_delete) {
        if !allowed.allows(path, "delete") {
            return;
        }
        target.remove(key);
    }
    let Some(before) = target.get(key).cloned() else {
        if let Some(value) = parts.new.or(parts.update)
            && allowed.allows(path, "add")
        {
            target.insert(key.clone(), value.clone());
        }
        return;
    };
    let lists = matches!((parts.new, &before), (Some(Value::List(_)), Value::List(_)));
    let objects = matches!((parts.new, &before), (Some(Value::Object(_)), Value::Object(_)));
    // What is new and there already is an update, unless both hold something that can be added to.
    let update = parts.update.or(parts.new.filter(|_| !lists && !objects));
    let holds = |value: &Value| matches!(value, Value::List(_) | Value::Object(_));
    let value = match update {
        Some(_) if !allowed.allows(path, "update") => return,
        Some(update) if holds(update) && holds(&before) => process(&before, parts, path, allowed),
        Some(update) => update.clone(),
        None if holds(&before) && (parts.remove.is_some() || lists || objects) => process(&before, parts, path, allowed),
        None => return,
    };
    target.insert(key.clone(), value);
}

/// Lists go place by place and never shrink but by deletion; new elements are appended.
fn process_list(target: &List, parts: Parts<'_>, path: &str, allowed: &Allowed<'_>) -> List {
    let mut changed = List::new();
    for (place, before) in target.iter().enumerate() {
        let here = Parts { new: None, ..parts.each(|part| at(part, place)) };
        if here.remove.is_some_and(is_delete) || here.update.is_some_and(is_delete) {
            continue;
        }
        changed.push(match (here.update.filter(|value| is_significant(value)), before) {
            (Some(update @ Value::Object(_)), Value::Object(_)) => {
                process(before, Parts { update: Some(update), ..Parts::default() }, "", allowed)
            }
            (Some(update), _) => update.clone(),
            (None, _) => process(before, here, &joined(path, &place.to_string()), allowed),
        });
    }
    let more = parts.update.and_then(Value::as_list).into_iter().flat_map(|list| list.iter().skip(target.len()));
    let new = parts.new.and_then(Value::as_list).into_iter().flat_map(List::iter);
    for value in more.chain(new).filter(|value| is_significant(value)) {
        changed.push(value.clone());
    }
    changed
}

/// The element of a list, or what an object has under that number.
fn at(value: &Value, place: usize) -> Option<&Value> {
    match value {
        Value::List(list) => list.get(place),
        Value::Object(object) => object.get(place.to_string().as_str()),
        _ => None,
    }
}

fn is_delete(value: &Value) -> bool {
    value.as_str() == Some(DELETE)
}

/// An object without anything in it, and nothing at all, change nothing.
fn is_significant(value: &Value) -> bool {
    !value.is_undefined() && !value.as_object().is_some_and(Object::is_empty)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn value(text: &str) -> Value {
        crate::json::parse(text).value().unwrap()
    }

    fn check(payload: &str, request: &str, allowed: Option<&[&str]>, expected: &str) {
        assert_eq!(change(&value(payload), &value(request), allowed), value(expected), "{request} with {allowed:?}");
    }

    #[test]
    fn the_operation_is_what_it_does_to_the_payload() {
        check(r#"{"a":1}"#, r#"{"updateElements":{"a":2,"b":3}}"#, Some(&["*:add"]), r#"{"a":1,"b":3}"#);
        check(r#"{"a":1}"#, r#"{"newElements":{"a":2,"b":3}}"#, Some(&["*:update"]), r#"{"a":2}"#);
        check(r#"{"a":1,"b":2}"#, r#"{"removeElements":{"a":"__DELETE__","b":"__DELETE__"}}"#, Some(&["a:delete"]), r#"{"b":2}"#);
        check(r#"{"a":1}"#, r#"{"replaceElements":{"a":2,"b":3}}"#, Some(&["b"]), r#"{"a":1,"b":3}"#);
    }

    #[test]
    fn what_a_pattern_does_not_cover_is_not_gone_into() {
        check(r#"{"o":{"x":1}}"#, r#"{"updateElements":{"o":{"x":2}}}"#, Some(&["o.x"]), r#"{"o":{"x":1}}"#);
        check(r#"{"o":{"x":1}}"#, r#"{"updateElements":{"o":{"x":2}}}"#, Some(&["o.*"]), r#"{"o":{"x":2}}"#);
        check(r#"{"o":1}"#, r#"{"updateElements":{"o":2}}"#, Some(&["o.*"]), r#"{"o":2}"#);
    }

    #[test]
    fn lists_go_place_by_place_and_take_new_elements_at_the_end() {
        check(r#"{"l":[1,2,3]}"#, r#"{"updateElements":{"l":[9]}}"#, None, r#"{"l":[9,2,3]}"#);
        check(r#"{"l":[1,[2]]}"#, r#"{"updateElements":{"l":[{},[7,8]]}}"#, None, r#"{"l":[1,[7,8]]}"#);
        check(r#"{"l":[{"a":1,"b":2}]}"#, r#"{"updateElements":{"l":[{"a":5}]}}"#, None, r#"{"l":[{"a":5,"b":2}]}"#);
        check(r#"{"l":[1]}"#, r#"{"newElements":{"l":[2]}}"#, None, r#"{"l":[1,2]}"#);
        check(r#"{"l":[1,2]}"#, r#"{"removeElements":{"l":["__DELETE__"]}}"#, None, r#"{"l":[2]}"#);
        check(r#"{"l":[{"a":1,"b":2}]}"#, r#"{"removeElements":{"l":[{"a":"__DELETE__"}]}}"#, None, r#"{"l":[{"b":2}]}"#);
        check(r#"{"l":[1],"o":{"a":1}}"#, r#"{"updateElements":{"l":{"b":1},"o":[1]}}"#, None, r#"{"l":[1],"o":{"a":1}}"#);
    }

    #[test]
    fn a_deletion_among_updates_asks_nobody() {
        check(r#"{"a":1,"b":2}"#, r#"{"updateElements":{"a":"__DELETE__"}}"#, None, r#"{"b":2}"#);
        check(r#"{"a":1,"b":2}"#, r#"{"updateElements":{"a":"__DELETE__"}}"#, Some(&["b"]), r#"{"b":2}"#);
    }
}
