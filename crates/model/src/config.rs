//! `Configuration` of loops, and mapping columns, read in both forms (text and object).

use loopwright_lang::Value;

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
