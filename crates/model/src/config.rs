//! `Configuration` of loops, and mapping columns, read in both forms (text and object).

use loopwright_lang::{Object, Value};

use crate::{Change, Entity};

/// A column that holds JSON, as text or as an object.
#[derive(Clone, Debug, PartialEq)]
pub enum JsonColumn {
    /// Not written, null or blank.
    Absent,
    /// What it holds.
    Value(Value),
    /// Text that is not JSON; it is kept as it is.
    Invalid(String),
}

/// Reads a JSON column.
pub fn json_column(value: Option<&Value>) -> JsonColumn {
    match value {
        None | Some(Value::Null | Value::Undefined) => JsonColumn::Absent,
        Some(Value::Text(text)) if text.trim().is_empty() => JsonColumn::Absent,
        Some(Value::Text(text)) => match loopwright_lang::json::parse(text).value() {
            Some(value) => JsonColumn::Value(value),
            None => JsonColumn::Invalid(text.as_str().to_owned()),
        },
        Some(value) => JsonColumn::Value(value.clone()),
    }
}

/// The change that gives a JSON column a new value, in the form it has (text stays text, an object an object).
/// A column that is absent becomes text, the database's form.
pub fn set_column_json(entity: &Entity, column: &str, value: Value) -> Option<Change> {
    let as_object = matches!(entity.fields.get(column), Some(Value::Object(_) | Value::List(_)));
    let value = if as_object { value } else { Value::text(loopwright_lang::json::print_compact(&value)) };
    Some(Change::SetField { id: entity.id, name: column.to_owned(), value: Some(value), index: None })
}

/// The change that sets (or takes away) one key of a JSON column. `None` where the column holds text that is no JSON
/// object: that text is the person's to mend first.
pub fn set_key(entity: &Entity, column: &str, key: &str, value: Option<Value>) -> Option<Change> {
    let mut object = match json_column(entity.fields.get(column)) {
        JsonColumn::Absent => Object::new(),
        JsonColumn::Value(Value::Object(object)) => object,
        JsonColumn::Value(_) | JsonColumn::Invalid(_) => return None,
    };
    match value {
        Some(value) => object.insert(key, value),
        None => object.remove(key),
    };
    set_column_json(entity, column, Value::Object(object))
}
