//! How the released runtime (`mj-5.51.3`) resolves input mappings: by prefix in plain steps, by name in loop bodies.

use super::conversation;
use crate::expr::{js_trim, list_index, to_text};
use crate::path::{Key, Segment};
use crate::{Object, Scope, Span, Text, Value};

/// Resolves a mapping value, objects and lists inside it too.
pub(crate) fn resolve(value: &Value, scope: &Scope, in_body: bool) -> Value {
    match value {
        Value::Text(text) if in_body => body_text(text, scope),
        Value::Text(text) => plain_text(text, scope),
        // In a loop body only the texts directly in a list are resolved.
        Value::List(list) => Value::list(list.iter().map(|item| match item {
            Value::List(_) | Value::Object(_) if in_body => item.clone(),
            item => resolve(item, scope, in_body),
        })),
        Value::Object(object) => Value::object(object.iter().map(|(key, item)| (key.clone(), resolve(item, scope, in_body)))),
        other => other.clone(),
    }
}

/// Resolves `conversation.…` texts, at any depth; everything else stays as it is.
pub fn with_messages(value: &Value, scope: &Scope) -> Value {
    match value {
        Value::Text(text) if begins(js_trim(text), "conversation.") && scope.conversation.is_some() => messages(js_trim(text), scope),
        Value::List(list) => Value::list(list.iter().map(|item| with_messages(item, scope))),
        Value::Object(object) => Value::object(object.iter().map(|(key, item)| (key.clone(), with_messages(item, scope)))),
        other => other.clone(),
    }
}

/// The keys a value is walked by: indices of lists and texts, none of anything else.
pub(crate) fn keys_of(value: &Value) -> Object {
    let index = |(index, value): (usize, Value)| (Text::from(index.to_string()), value);
    match value {
        Value::Object(object) => object.clone(),
        Value::List(list) => list.iter().cloned().enumerate().map(index).collect(),
        Value::Text(text) => {
            let units = text.as_str().encode_utf16().map(|unit| Value::text(String::from_utf16_lossy(&[unit])));
            units.enumerate().map(index).collect()
        }
        _ => Object::new(),
    }
}

/// Whether `text` begins with `prefix` in any case.
fn begins(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

fn after(text: &str, mark: char) -> &str {
    text.split_once(mark).map_or("", |(_, rest)| rest)
}

fn plain_text(text: &Text, scope: &Scope) -> Value {
    let trimmed = js_trim(text);
    if begins(trimmed, "conversation.") && scope.conversation.is_some() {
        return messages(trimmed, scope);
    }
    if begins(trimmed, "static:") {
        return Value::text(after(text, ':'));
    }
    let roots = [
        ("payload.", Some(scope.payload.as_ref().unwrap_or(&Value::Undefined))),
        ("data.", scope.data.as_ref()),
        ("context.", scope.context.as_ref()),
    ];
    for (prefix, root) in roots {
        if let (true, Some(root)) = (begins(trimmed, prefix), root) {
            return walk(root, after(text, '.'));
        }
    }
    Value::Text(text.clone())
}

/// `conversation.ROLE[.first|.last[n]][.property]`; an unknown role is all.
fn messages(text: &str, scope: &Scope) -> Value {
    let mut segments = Vec::new();
    for (index, part) in after(text, '.').split('.').enumerate() {
        let (name, place) = match part.strip_suffix(']').and_then(|part| part.split_once('[')) {
            Some((name, digits)) => (name, digits.parse().ok()),
            None => (part, None),
        };
        let lower = name.to_ascii_lowercase();
        let name = match index {
            0 if conversation::is_role(&lower) => lower,
            0 => "all".to_owned(),
            _ => name.to_owned(),
        };
        let segment = |key| Segment { span: Span::default(), key };
        segments.push(segment(Key::Name(Text::from(name))));
        segments.extend(place.map(|place| segment(Key::Place(place))));
    }
    conversation::resolve(scope.conversation.as_ref(), &segments)
}

/// The runtime's path walker: empty parts are skipped, one index a part, no length of texts.
pub fn walk(value: &Value, path: &str) -> Value {
    let mut at = value;
    let mut made;
    for part in path.split('.').filter(|part| !part.is_empty()) {
        let next = match (at, part.strip_suffix(']').and_then(|part| part.split_once('['))) {
            (Value::Object(object), Some((name, digits))) if !name.is_empty() && is_digits(digits) => {
                object.get(name).and_then(Value::as_list).and_then(|list| list.get(digits.parse().unwrap_or(usize::MAX)))
            }
            (Value::Object(object), None) => object.get(part),
            (Value::Object(object), Some(_)) if !part.contains(|c: char| c.is_ascii_digit()) => object.get(part),
            (Value::List(list), None) if part == "length" => {
                made = Value::Number(list.len() as f64);
                Some(&made)
            }
            (Value::List(list), None) => list_index(part).and_then(|index| list.get(index)),
            _ => None,
        };
        match next {
            Some(next) => at = next,
            None => return Value::Undefined,
        }
    }
    at.clone()
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn body_text(text: &Text, scope: &Scope) -> Value {
    let trimmed = js_trim(text);
    if let Some(inner) = trimmed.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}")) {
        // The outer brackets go, whatever stands between them, and the rest is one reference.
        let inner = js_trim(inner);
        return by_name(inner, scope).unwrap_or_else(|| Value::text(inner));
    }
    if !text.as_str().contains("{{") {
        return by_name(trimmed, scope).unwrap_or_else(|| Value::Text(text.clone()));
    }
    let mut out = String::new();
    let mut rest = trimmed;
    while let Some((before, behind)) = rest.split_once("{{") {
        out.push_str(before);
        let Some((inner, behind)) = behind.split_once("}}") else {
            out.push_str("{{");
            rest = behind;
            continue;
        };
        match by_name(js_trim(inner), scope) {
            Some(value) if value.is_nullish() => {}
            Some(value) => out.push_str(&to_text(&value)),
            None => {
                out.push_str("{{");
                out.push_str(inner);
                out.push_str("}}");
            }
        }
        rest = behind;
    }
    out.push_str(rest);
    Value::text(out)
}

/// The item variable in any case, then `item`, `index`, `payload`, `data`: exactly so, or in any case with a path behind it.
fn by_name(text: &str, scope: &Scope) -> Option<Value> {
    let frame = scope.loops.first()?;
    let variable = js_trim(&frame.item_variable);
    let with_path = |name: &str| begins(text, name) && text.get(name.len()..).is_some_and(|rest| rest.starts_with('.'));
    if !variable.is_empty() {
        if text.to_lowercase() == variable.to_lowercase() {
            return Some(frame.item.clone());
        }
        if with_path(variable) {
            return Some(walk(&frame.item, after(text, '.')));
        }
    }
    let index = Value::Number(frame.index as f64);
    let nothing = Value::Undefined;
    let fixed = [
        ("item", &frame.item),
        ("index", &index),
        ("payload", scope.payload.as_ref().unwrap_or(&nothing)),
        ("data", scope.data.as_ref().unwrap_or(&nothing)),
    ];
    fixed.into_iter().find_map(|(name, value)| {
        if text == name {
            Some(value.clone())
        } else if with_path(name) {
            Some(walk(value, after(text, '.')))
        } else {
            None
        }
    })
}
