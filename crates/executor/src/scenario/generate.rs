//! Payloads written in short: `{ "$repeat": n, "item": … }` is a list of n items.

use loopwright_lang::{List, LoopFrame, Profile, Scope, Semantics, Text, Value, limits, mapping::CompiledText};

/// Writes out `{ "$repeat": n, "item": … }`.
pub(super) fn expand(value: &Value, depth: usize) -> Value {
    if depth > limits::JSON_DEPTH {
        return value.clone();
    }
    match value {
        Value::Object(object) => {
            if let (Some(count), Some(item)) = (object.get("$repeat").and_then(Value::as_number), object.get("item")) {
                let count = count.clamp(0.0, limits::ITERATIONS as f64) as u64;
                let mut scope = Scope { loops: vec![counter(0)], ..Scope::default() };
                let semantics = Semantics::of(Profile::Documented);
                let item = Item::new(&expand(item, depth + 1));
                let mut list = List::new();
                for index in 0..count {
                    if let Some(frame) = scope.loops.first_mut() {
                        frame.index = index;
                    }
                    list.push(item.made(&scope, &semantics));
                }
                return Value::List(list);
            }
            if !object.iter().any(|(_, value)| matches!(value, Value::Object(_) | Value::List(_))) {
                return value.clone();
            }
            Value::object(object.iter().map(|(key, value)| (key.clone(), expand(value, depth + 1))))
        }
        Value::List(list) => {
            // Long plain lists are kept as they are.
            if list.iter().any(|item| matches!(item, Value::Object(_) | Value::List(_))) {
                Value::list(list.iter().map(|item| expand(item, depth + 1)))
            } else {
                value.clone()
            }
        }
        other => other.clone(),
    }
}

fn counter(index: u64) -> LoopFrame {
    LoopFrame { item_variable: "$repeat".into(), item: Value::Undefined, index_variable: Some("index".into()), index }
}

/// A generator's item, read once.
enum Item {
    Same(Value),
    Text(CompiledText),
    Object(Vec<(Text, Item)>),
    List(Vec<Item>),
}

impl Item {
    fn new(item: &Value) -> Self {
        match item {
            Value::Text(text) if text.contains("{{") => Self::Text(CompiledText::new(text.clone())),
            Value::Object(object) => Self::Object(object.iter().map(|(key, value)| (key.clone(), Self::new(value))).collect()),
            Value::List(list) => Self::List(list.iter().map(Self::new).collect()),
            other => Self::Same(other.clone()),
        }
    }

    fn made(&self, scope: &Scope, semantics: &Semantics) -> Value {
        match self {
            Self::Same(value) => value.clone(),
            Self::Text(text) => text.value(scope, semantics, &mut Vec::new()).0,
            Self::Object(members) => Value::object(members.iter().map(|(key, item)| (key.clone(), item.made(scope, semantics)))),
            Self::List(items) => Value::list(items.iter().map(|item| item.made(scope, semantics))),
        }
    }
}
