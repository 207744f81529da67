//! How values are merged into a payload.

mod change;
mod paths;
mod released;

pub use change::change;
pub use paths::merge_upstream;
pub use released::{collection, deep_merge_released, extract};

use crate::{List, Object, Value};

/// Objects merge key by key; lists and scalars replace, and so does null. Nothing is ever removed. What is `undefined` is not there.
pub fn deep_merge(target: &Value, source: &Value) -> Value {
    match (target, source) {
        (_, Value::Undefined) => target.clone(),
        (Value::Object(known), Value::Object(more)) => {
            let mut merged = known.clone();
            for (key, value) in more.iter() {
                let value = match merged.get(key) {
                    Some(before) => deep_merge(before, value),
                    None if value.is_undefined() => continue,
                    None => value.clone(),
                };
                merged.insert(key.clone(), value);
            }
            Value::Object(merged)
        }
        _ => source.clone(),
    }
}

/// What the released runtime's `updateElements` does: new keys are added, scalars and null replace, objects merge, lists merge by index
/// and never shrink; an object over a list or a list over an object is ignored; `"__DELETE__"` deletes. A payload that is no object
/// stays, except that null becomes one.
pub fn update(payload: &Value, change: &Value) -> Value {
    let empty = Value::Object(Object::new());
    let payload = if payload.is_nullish() { &empty } else { payload };
    match (payload, change) {
        (Value::Object(known), Value::Object(change)) => Value::Object(update_object(known, change)),
        _ => payload.clone(),
    }
}

fn update_object(known: &Object, change: &Object) -> Object {
    let mut updated = known.clone();
    for (key, value) in change.iter() {
        match (updated.get(key), value) {
            (_, Value::Undefined) => {}
            (Some(_), Value::Text(text)) if text.as_str() == DELETE => {
                updated.remove(key);
            }
            (Some(before), value) => {
                let value = update_value(before, value);
                updated.insert(key.clone(), value);
            }
            (None, value) => {
                updated.insert(key.clone(), value.clone());
            }
        }
    }
    updated
}

fn update_value(before: &Value, value: &Value) -> Value {
    match (before, value) {
        (Value::Object(known), Value::Object(change)) => Value::Object(update_object(known, change)),
        (Value::List(known), Value::List(change)) => Value::List(update_list(known, change)),
        // A list that is given keys takes those that are its places.
        (Value::List(known), Value::Object(change)) => {
            let mut updated = known.clone();
            for (key, value) in change.iter() {
                let place = key.as_str().parse::<usize>().ok().filter(|place| *place < known.len());
                if let Some((place, before)) = place.and_then(|place| Some((place, known.get(place)?))) {
                    updated.set(place, update_value(before, value));
                }
            }
            Value::List(updated)
        }
        (Value::Object(_), Value::List(_)) => before.clone(),
        _ => value.clone(),
    }
}

fn update_list(known: &List, change: &List) -> List {
    let mut updated = Vec::new();
    for index in 0..known.len().max(change.len()) {
        match (known.get(index), change.get(index)) {
            (Some(before), None | Some(Value::Undefined)) => updated.push(before.clone()),
            (Some(_), Some(Value::Text(text))) if text.as_str() == DELETE => {}
            (Some(before), Some(value)) => updated.push(update_value(before, value)),
            (None, Some(value)) => updated.push(value.clone()),
            (None, None) => {}
        }
    }
    updated.into_iter().collect()
}

/// What marks an element for deletion.
pub const DELETE: &str = "__DELETE__";
