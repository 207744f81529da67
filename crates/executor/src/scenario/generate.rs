//! Payloads written in short: `{ "$repeat": n, "item": … }` is a list of n items.

use loopwright_lang::{List, LoopFrame, Profile, Scope, Semantics, Value, limits, mapping};

/// Writes out `{ "$repeat": n, "item": … }`.
pub(super) fn expand(value: &Value, depth: usize) -> Value {
    if depth > limits::JSON_DEPTH {
        return value.clone();
    }
    match value {
        Value::Object(object) => {
            if let (Some(count), Some(item)) = (object.get("$repeat").and_then(Value::as_number), object.get("item")) {
                let count = count.clamp(0.0, limits::ITERATIONS as f64) as u64;
                let scope = Scope { loops: vec![counter(0)], ..Scope::default() };
                let semantics = Semantics::of(Profile::Documented);
                let item = expand(item, depth + 1);
                let mut list = List::new();
                let mut generator = Generator { scope, semantics };
                for index in 0..count {
                    list.push(generator.item(&item, index));
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

struct Generator {
    scope: Scope,
    semantics: Semantics,
}

impl Generator {
    fn item(&mut self, item: &Value, index: u64) -> Value {
        match item {
            Value::Text(text) if text.contains("{{") => {
                if let Some(frame) = self.scope.loops.first_mut() {
                    frame.index = index;
                }
                mapping::resolve_text(text, &self.scope, &self.semantics).value
            }
            Value::Object(object) => {
                Value::object(object.iter().map(|(key, value)| (key.clone(), self.item(value, index))).collect::<Vec<_>>())
            }
            Value::List(list) => Value::list(list.iter().map(|value| self.item(value, index)).collect::<Vec<_>>()),
            other => other.clone(),
        }
    }
}
