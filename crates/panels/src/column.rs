//! Edits inside a column that holds a JSON object, as text or as an object (`Configuration`, the mappings).
//!
//! A column written as text is changed by the smallest splice, so that its white space and spellings stay; one written
//! as an object stays an object.

use loopwright_lang::{
    Object, Problem, Text, Value,
    json::{self, NodeKind},
};

/// What a column holds, to show as rows.
#[derive(Clone, Debug, PartialEq)]
pub enum Rows {
    /// Its keys and values, in order; empty when nothing is written.
    Entries(Vec<(Text, Value)>),
    /// It is text that is not a JSON object; said what is wrong.
    Invalid(Vec<Problem>),
}

/// Reads a column as rows.
pub fn rows(column: Option<&Value>) -> Rows {
    match column {
        None | Some(Value::Null | Value::Undefined) => Rows::Entries(Vec::new()),
        Some(Value::Object(object)) => Rows::Entries(entries(object)),
        Some(Value::Text(text)) if text.trim().is_empty() => Rows::Entries(Vec::new()),
        Some(Value::Text(text)) => {
            let parsed = json::parse(text);
            match parsed.value() {
                Some(Value::Object(object)) => Rows::Entries(entries(&object)),
                Some(_) | None => Rows::Invalid(parsed.problems),
            }
        }
        Some(_) => Rows::Invalid(Vec::new()),
    }
}

fn entries(object: &Object) -> Vec<(Text, Value)> {
    object.iter().map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// One key's value.
pub fn get(column: Option<&Value>, key: &str) -> Option<Value> {
    match rows(column) {
        Rows::Entries(entries) => entries.into_iter().rev().find(|(name, _)| name.as_str() == key).map(|(_, value)| value),
        Rows::Invalid(_) => None,
    }
}

/// The column with a key set. `None` when the column is no JSON object and cannot be changed key by key.
pub fn set(column: Option<&Value>, key: &str, value: &Value) -> Option<Value> {
    change(
        column,
        |object| {
            object.insert(key, value.clone());
        },
        |text, node| {
            let NodeKind::Object(members) = &node.kind else { return None };
            let printed = json::print_compact(value);
            if let Some(member) = node.member(key) {
                return splice(text, member.value.span.range(), &printed);
            }
            let quoted = json::print_compact(&Value::text(key));
            match (members.last(), members.len().checked_sub(2).and_then(|at| members.get(at))) {
                (Some(last), before) => {
                    // The separators of the neighbours: what stands between two members, and between key and value.
                    let end = last.value.span.range().end;
                    let colon = text.get(last.key_span.range().end..last.value.span.range().start).unwrap_or(":");
                    let gap = match before {
                        Some(before) => text.get(before.value.span.range().end..last.key_span.range().start).unwrap_or(","),
                        None => {
                            let lead = text.get(node.span.range().start + 1..last.key_span.range().start).unwrap_or_default();
                            return splice(text, end..end, &format!(",{lead}{quoted}{colon}{printed}"));
                        }
                    };
                    splice(text, end..end, &format!("{gap}{quoted}{colon}{printed}"))
                }
                (None, _) => splice(text, node.span.range(), &format!("{{{quoted}:{printed}}}")),
            }
        },
    )
}

/// The column without a key. `Some(None)` when nothing is left.
pub fn remove(column: Option<&Value>, key: &str) -> Option<Option<Value>> {
    let next = change(
        column,
        |object| {
            object.remove(key);
        },
        |text, node| {
            let NodeKind::Object(members) = &node.kind else { return None };
            let mut text = text.to_owned();
            for (at, member) in members.iter().enumerate().rev().filter(|(_, member)| member.key.as_str() == key) {
                let range = match (at.checked_sub(1).and_then(|at| members.get(at)), members.get(at + 1)) {
                    (Some(before), _) => before.value.span.range().end..member.value.span.range().end,
                    (None, Some(after)) => member.key_span.range().start..after.key_span.range().start,
                    (None, None) => member.key_span.range().start..member.value.span.range().end,
                };
                text = splice(&text, range, "")?;
            }
            Some(text)
        },
    )?;
    Some(match rows(Some(&next)) {
        Rows::Entries(entries) if entries.is_empty() => None,
        _ => Some(next),
    })
}

/// The column with a key called otherwise, in its place. `None` when it is no object, has no such key, or has the new one already.
pub fn rename(column: Option<&Value>, from: &str, to: &str) -> Option<Value> {
    if from == to || get(column, to).is_some() || get(column, from).is_none() {
        return None;
    }
    change(
        column,
        |object| {
            *object = object
                .iter()
                .map(|(key, value)| (if key.as_str() == from { Text::from(to) } else { key.clone() }, value.clone()))
                .collect();
        },
        |text, node| {
            let member = node.member(from)?;
            splice(text, member.key_span.range(), &json::print_compact(&Value::text(to)))
        },
    )
}

/// Changes the object, or the text of one.
fn change(
    column: Option<&Value>,
    on_object: impl FnOnce(&mut Object),
    on_text: impl FnOnce(&str, &json::Node) -> Option<String>,
) -> Option<Value> {
    match column {
        Some(Value::Text(text)) if !text.trim().is_empty() => {
            let parsed = json::parse(text);
            let root = parsed.root.as_ref()?;
            matches!(root.kind, NodeKind::Object(_)).then(|| on_text(text, root)).flatten().map(Value::from)
        }
        None | Some(Value::Null | Value::Undefined | Value::Text(_)) => {
            let mut object = Object::new();
            on_object(&mut object);
            Some(Value::Object(object))
        }
        Some(Value::Object(object)) => {
            let mut object = object.clone();
            on_object(&mut object);
            Some(Value::Object(object))
        }
        Some(_) => None,
    }
}

fn splice(text: &str, range: std::ops::Range<usize>, with: &str) -> Option<String> {
    Some(format!("{}{with}{}", text.get(..range.start)?, text.get(range.end..)?))
}

/// A column as JSON text to edit: text that is compact is laid out over lines, any other is shown as it is.
pub fn to_text(column: Option<&Value>) -> String {
    match column {
        None | Some(Value::Undefined) => String::new(),
        Some(Value::Text(text)) => match json::parse(text).value() {
            Some(value) if json::print_compact(&value) == text.as_str() => json::print_pretty(&value),
            _ => text.as_str().to_owned(),
        },
        Some(value) => json::print_pretty(value),
    }
}

/// What an edited text makes of a column: blank is nothing; in the form (text or object) the column had; text that is not
/// JSON is kept as it is.
pub fn from_text(before: Option<&Value>, edited: &str) -> Option<Value> {
    if edited.trim().is_empty() {
        return None;
    }
    let Some(value) = json::parse(edited).value() else { return Some(Value::text(edited)) };
    match before {
        Some(Value::Text(text)) => match json::parse(text).value() {
            Some(old) if json::print_compact(&old) == text.as_str() => Some(Value::text(json::print_compact(&value))),
            _ => Some(Value::text(edited)),
        },
        _ => Some(value),
    }
}

/// A mapping value as it stands in its field: a text as it is, anything else as JSON.
pub fn field_text(value: &Value) -> String {
    match value {
        Value::Text(text) => text.as_str().to_owned(),
        Value::Undefined => String::new(),
        other => json::print_compact(other),
    }
}

/// What a typed text means for a value that was `before`: a JSON value stays one while what is typed is JSON; where the
/// parameter's type asks for something else than text, JSON is taken as such.
pub fn field_value(before: Option<&Value>, type_name: Option<&str>, typed: &str) -> Value {
    let was_json = !matches!(before, None | Some(Value::Text(_) | Value::Undefined));
    let wants_json = type_name.is_some_and(|name| {
        let name = name.to_ascii_lowercase();
        ["number", "int", "bool", "object", "array", "list", "decimal", "float"].iter().any(|known| name.contains(known))
            || name.ends_with("[]")
    });
    if (was_json || wants_json)
        && let Some(value) = json::parse(typed).value()
        && !matches!(value, Value::Text(_))
    {
        return value;
    }
    Value::text(typed)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn text(text: &str) -> Option<Value> {
        Some(Value::text(text))
    }

    #[test]
    fn a_text_column_keeps_its_layout_around_a_change() {
        for (before, key, value, after) in [
            ("{\"to\":\"a\"}", "to", "b", "{\"to\":\"b\"}"),
            ("{ \"to\" : \"a\" }", "cc", "b", "{ \"to\" : \"a\", \"cc\" : \"b\" }"),
            ("{\n  \"a\": 1.0,\n  \"b\": 2\n}", "c", "x", "{\n  \"a\": 1.0,\n  \"b\": 2,\n  \"c\": \"x\"\n}"),
            ("{\n  \"a\": 1.0\n}", "c", "x", "{\n  \"a\": 1.0,\n  \"c\": \"x\"\n}"),
            ("{}", "a", "x", "{\"a\":\"x\"}"),
        ] {
            assert_eq!(set(text(before).as_ref(), key, &Value::text(value)), text(after), "{before}");
        }
    }

    #[test]
    fn a_key_is_taken_out_with_its_comma() {
        for (before, key, after) in [
            ("{\"a\":1,\"b\":2,\"c\":3}", "b", Some("{\"a\":1,\"c\":3}")),
            ("{\"a\":1, \"b\":2}", "a", Some("{\"b\":2}")),
            ("{\"a\":1, \"b\":2}", "b", Some("{\"a\":1}")),
            ("{\"a\":1}", "a", None),
        ] {
            assert_eq!(remove(text(before).as_ref(), key).unwrap(), after.map(Value::from), "{before} without {key}");
        }
    }

    #[test]
    fn renaming_keeps_the_place_and_refuses_a_name_that_is_taken() {
        assert_eq!(rename(text("{\"a\":1,\"b\":2}").as_ref(), "a", "c"), text("{\"c\":1,\"b\":2}"));
        assert_eq!(rename(text("{\"a\":1,\"b\":2}").as_ref(), "a", "b"), None);
        let object = Value::object([("a", Value::Null), ("b", Value::Null)]);
        assert_eq!(rename(Some(&object), "a", "z"), Some(Value::object([("z", Value::Null), ("b", Value::Null)])));
    }

    #[test]
    fn an_object_column_stays_an_object_and_a_new_one_is_an_object() {
        assert_eq!(set(None, "a", &Value::text("x")), Some(Value::object([("a", Value::text("x"))])));
        assert_eq!(from_text(None, "{\"a\": 1}"), Some(Value::object([("a", Value::Number(1.0))])));
    }

    #[test]
    fn text_that_is_not_json_is_kept_and_not_changed_key_by_key() {
        let broken = text("{\"a\": ");
        assert_eq!(set(broken.as_ref(), "b", &Value::Null), None);
        assert_eq!(to_text(broken.as_ref()), "{\"a\": ");
        assert_eq!(from_text(broken.as_ref(), "{\"a\": 1"), text("{\"a\": 1"));
    }

    #[test]
    fn a_compact_text_is_edited_over_lines_and_stays_compact() {
        let column = text("{\"a\":[1.0]}");
        let shown = to_text(column.as_ref());
        assert!(shown.contains('\n'));
        assert_eq!(from_text(column.as_ref(), &shown), column);
    }

    #[test]
    fn a_typed_number_is_one_only_where_a_number_is_wanted() {
        assert_eq!(field_value(None, Some("number"), "5"), Value::Number(5.0));
        assert_eq!(field_value(None, Some("string"), "5"), Value::text("5"));
        assert_eq!(field_value(Some(&Value::Bool(true)), None, "false"), Value::Bool(false));
        assert_eq!(field_value(Some(&Value::Bool(true)), None, "fals"), Value::text("fals"));
    }
}
