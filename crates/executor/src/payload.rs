//! What is done to payloads besides mappings: deep merge, and the change requests of loop agents.

use loopwright_lang::{List, Object, Value};

/// Merges: objects merge, lists and scalars replace (flow-agents.md, "Traversal"). What is the same already is left alone.
pub fn deep_merge(target: &Value, patch: &Value) -> Value {
    let (Value::Object(into), Value::Object(from)) = (target, patch) else { return patch.clone() };
    if into.is_same(from) {
        return target.clone();
    }
    let mut merged = into.clone();
    for (key, value) in from.iter() {
        match into.get(key) {
            Some(old) if same(old, value) => {}
            Some(old @ Value::Object(_)) if matches!(value, Value::Object(_)) => {
                merged.insert(key.clone(), deep_merge(old, value));
            }
            _ => {
                merged.insert(key.clone(), value.clone());
            }
        }
    }
    Value::Object(merged)
}

/// Whether two values are the same one in memory; equal scalars count too.
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::List(a), Value::List(b)) => a.is_same(b),
        (Value::Object(a), Value::Object(b)) => a.is_same(b),
        (Value::Number(a), Value::Number(b)) => a.to_bits() == b.to_bits(),
        (Value::Spelled(a), Value::Spelled(b)) => a.spelling() == b.spelling(),
        (Value::Text(a), Value::Text(b)) => a == b,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Null, Value::Null) | (Value::Undefined, Value::Undefined) => true,
        _ => false,
    }
}

const DELETE: &str = "__DELETE__";

/// Applies a `payloadChangeRequest` (loop-agents.md, ruling 32): remove, replace, update, then new elements.
pub fn apply_change(payload: &Value, request: &Value) -> Value {
    let mut payload = if payload.is_nullish() { Value::object::<&str>([]) } else { payload.clone() };
    for (name, change) in [
        ("removeElements", remove as fn(&Value, &Value) -> Value),
        ("replaceElements", replace),
        ("updateElements", update),
        ("newElements", add),
    ] {
        if let Some(patch @ Value::Object(_)) = request.get(name)
            && payload.as_object().is_some()
        {
            payload = change(&payload, patch);
        }
    }
    payload
}

fn is_delete(value: &Value) -> bool {
    value.as_str() == Some(DELETE)
}

/// Takes out what is marked; what is not marked stays.
fn remove(target: &Value, patch: &Value) -> Value {
    match (target, patch) {
        (Value::Object(object), Value::Object(patch)) => {
            let mut left = object.clone();
            for (key, change) in patch.iter() {
                let Some(old) = object.get(key) else { continue };
                if is_delete(change) {
                    left.remove(key);
                } else {
                    left.insert(key.clone(), remove(old, change));
                }
            }
            Value::Object(left)
        }
        (Value::List(list), Value::List(patch)) => Value::List(
            list.iter()
                .enumerate()
                .filter_map(|(place, old)| match patch.get(place) {
                    Some(change) if is_delete(change) => None,
                    Some(change) => Some(remove(old, change)),
                    None => Some(old.clone()),
                })
                .collect(),
        ),
        _ => target.clone(),
    }
}

/// Puts values in the place of others; objects lead down to them.
fn replace(target: &Value, patch: &Value) -> Value {
    let (Value::Object(object), Value::Object(patch)) = (target, patch) else { return patch.clone() };
    let mut changed = object.clone();
    for (key, value) in patch.iter() {
        changed.insert(key.clone(), value.clone());
    }
    Value::Object(changed)
}

/// Merges objects, lists by place (they never shrink), replaces scalars; an object and a list leave each other alone.
fn update(target: &Value, patch: &Value) -> Value {
    match (target, patch) {
        (Value::Object(object), Value::Object(patch)) => {
            let mut changed: Object = object.clone();
            for (key, value) in patch.iter() {
                if is_delete(value) {
                    changed.remove(key);
                } else if !value.is_undefined() {
                    let new = object.get(key).map_or_else(|| value.clone(), |old| update(old, value));
                    changed.insert(key.clone(), new);
                }
            }
            Value::Object(changed)
        }
        (Value::List(list), Value::List(patch)) => {
            let mut changed: List = list.clone();
            let mut gone = Vec::new();
            for (place, value) in patch.iter().enumerate() {
                let skip = value.is_undefined() || value.as_object().is_some_and(Object::is_empty);
                match list.get(place) {
                    Some(_) if is_delete(value) => gone.push(place),
                    Some(_) if skip => {}
                    Some(old) => changed.set(place, update(old, value)),
                    None => changed.push(value.clone()),
                }
            }
            if !gone.is_empty() {
                changed = changed.iter().enumerate().filter(|(place, _)| !gone.contains(place)).map(|(_, value)| value.clone()).collect();
            }
            Value::List(changed)
        }
        (Value::Object(_), Value::List(_)) | (Value::List(_), Value::Object(_)) => target.clone(),
        _ => patch.clone(),
    }
}

/// Adds: lists are appended to, objects merge, scalars are replaced.
fn add(target: &Value, patch: &Value) -> Value {
    match (target, patch) {
        (Value::Object(object), Value::Object(patch)) => {
            let mut changed = object.clone();
            for (key, value) in patch.iter() {
                let new = object.get(key).map_or_else(|| value.clone(), |old| add(old, value));
                changed.insert(key.clone(), new);
            }
            Value::Object(changed)
        }
        (Value::List(list), Value::List(patch)) => Value::List(list.iter().chain(patch.iter()).cloned().collect()),
        (Value::Object(_), Value::List(_)) | (Value::List(_), Value::Object(_)) => target.clone(),
        _ => patch.clone(),
    }
}
