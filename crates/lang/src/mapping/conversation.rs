//! Rule 6: the run's messages (ruling 10).

use crate::path::{Key, Segment, walk};
use crate::{List, Value};

/// What follows `conversation`: `[N]` or a property of all messages, or a role with `first`, `last`, a count and a path.
/// Without messages there is nothing, except where the list itself is asked for.
pub(crate) fn resolve(messages: Option<&Value>, segments: &[Segment]) -> Value {
    let Some(Value::List(all)) = messages else { return Value::Undefined };
    let Some((first, rest)) = segments.split_first() else { return Value::List(all.clone()) };
    match &first.key {
        Key::Name(role) if is_role(role) => of_list(of_role(all, role), rest),
        _ => of_list(all.clone(), segments),
    }
}

/// Whether a word picks messages by their role.
pub(crate) fn is_role(word: &str) -> bool {
    matches!(word, "all" | "user" | "ai" | "assistant" | "system")
}

/// The messages of a role; `ai` and `assistant` are the same.
pub(crate) fn of_role(all: &List, role: &str) -> List {
    let speaks = |message: &&Value| {
        let spoken = message.get("role").and_then(Value::as_str).unwrap_or("");
        match role {
            "all" => true,
            "ai" | "assistant" => matches!(spoken, "ai" | "assistant"),
            _ => spoken == role,
        }
    };
    all.iter().filter(speaks).cloned().collect()
}

/// `.first`, `.last`, `.first[n]`, `.last[n]`, or a path into the list.
fn of_list(messages: List, segments: &[Segment]) -> Value {
    let Some((first, rest)) = segments.split_first() else { return Value::List(messages) };
    let from_start = match &first.key {
        Key::Name(name) if name.as_str() == "first" => true,
        Key::Name(name) if name.as_str() == "last" => false,
        _ => return follow(&Value::List(messages), segments),
    };
    if let Some((Segment { key: Key::Place(count), .. }, rest)) = rest.split_first() {
        let count = usize::try_from(*count).unwrap_or(usize::MAX).min(messages.len());
        let skipped = if from_start { 0 } else { messages.len() - count };
        return follow(&Value::List(messages.iter().skip(skipped).take(count).cloned().collect()), rest);
    }
    let message = if messages.is_empty() { None } else { messages.get(if from_start { 0 } else { messages.len() - 1 }) };
    message.map_or(Value::Undefined, |message| follow(message, rest))
}

/// A path, but a list followed by a property gives the list of that property.
fn follow(value: &Value, segments: &[Segment]) -> Value {
    let Some((first, rest)) = segments.split_first() else { return value.clone() };
    match (value, &first.key) {
        (Value::List(list), Key::Name(name)) if name.as_str() != "length" => {
            let each: List = list.iter().map(|item| walk(item, std::slice::from_ref(first))).collect();
            follow(&Value::List(each), rest)
        }
        _ => follow(&walk(value, std::slice::from_ref(first)), rest),
    }
}
