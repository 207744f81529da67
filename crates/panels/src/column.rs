//! Columns that hold a JSON object, as text or as an object (`Configuration`, the mappings), as rows, as text and as fields.

use loopwright_lang::{Object, Problem, Text, Value, json};

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

/// What an edited text becomes before it is kept: compact where the column was compact text, otherwise as it was typed.
pub fn as_kept(before: Option<&Value>, edited: &str) -> String {
    let was_compact =
        before.and_then(Value::as_str).is_some_and(|text| json::parse(text).value().is_some_and(|old| json::print_compact(&old) == text));
    match json::parse(edited).value() {
        Some(value) if was_compact => json::print_compact(&value),
        _ => edited.to_owned(),
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
    use super::*;

    fn text(text: &str) -> Option<Value> {
        Some(Value::text(text))
    }

    #[test]
    fn text_that_is_not_json_is_shown_and_kept_as_it_is() {
        let broken = text("{\"a\": ");
        assert!(matches!(rows(broken.as_ref()), Rows::Invalid(_)));
        assert_eq!(to_text(broken.as_ref()), "{\"a\": ");
        assert_eq!(as_kept(broken.as_ref(), "{\"a\": 1"), "{\"a\": 1");
    }

    #[test]
    fn a_compact_text_is_edited_over_lines_and_stays_compact() {
        let column = text("{\"a\":[1.0]}");
        let shown = to_text(column.as_ref());
        assert!(shown.contains('\n'));
        assert_eq!(text(&as_kept(column.as_ref(), &shown)), column);
    }

    #[test]
    fn a_text_with_a_layout_of_its_own_keeps_it() {
        let column = text("{ \"a\": 1 }");
        assert_eq!(to_text(column.as_ref()), "{ \"a\": 1 }");
        assert_eq!(as_kept(column.as_ref(), "{ \"a\": 2 }"), "{ \"a\": 2 }");
    }

    #[test]
    fn a_typed_number_is_one_only_where_a_number_is_wanted() {
        assert_eq!(field_value(None, Some("number"), "5"), Value::Number(5.0));
        assert_eq!(field_value(None, Some("string"), "5"), Value::text("5"));
        assert_eq!(field_value(Some(&Value::Bool(true)), None, "false"), Value::Bool(false));
        assert_eq!(field_value(Some(&Value::Bool(true)), None, "fals"), Value::text("fals"));
    }
}
