//! Integers and floats, kept apart by how they are spelled; typed equality; values inside a text.

use loopwright_lang::{Value, json::print_compact, number::to_js_text};

/// A number of a plan or of its data.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// Written without `.`, `e` and `E`: its digits, without a needless sign.
    Integer(String),
    /// Everything else.
    Float(f64),
}

/// Which kind of number a value is.
pub(super) fn kind(value: &Value) -> Option<Kind> {
    let text = match value {
        Value::Number(number) => to_js_text(*number),
        Value::Spelled(number) => number.spelling().to_owned(),
        _ => return None,
    };
    let float = text.bytes().any(|byte| !byte.is_ascii_digit() && byte != b'-');
    Some(if float {
        Kind::Float(value.as_number().unwrap_or(f64::NAN))
    } else if text == "-0" {
        Kind::Integer("0".into())
    } else {
        Kind::Integer(text)
    })
}

/// Whether two scalars have the same type and are equal: 1, 1.0, true and "1" all differ. `None` where one of them is a list or
/// an object.
pub fn same_scalar(a: &Value, b: &Value) -> Option<bool> {
    Some(match (a, b) {
        (Value::List(_) | Value::Object(_), _) | (_, Value::List(_) | Value::Object(_)) => return None,
        (Value::Text(a), Value::Text(b)) => a.as_str() == b.as_str(),
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Null | Value::Undefined, Value::Null | Value::Undefined) => true,
        _ => match (kind(a), kind(b)) {
            (Some(Kind::Integer(a)), Some(Kind::Integer(b))) => a == b,
            (Some(Kind::Float(a)), Some(Kind::Float(b))) => a == b,
            _ => false,
        },
    })
}

/// A value as it stands inside a text: a text raw, everything else as JSON with sorted keys, ASCII escapes, and spaces after
/// `:` and `,`.
pub fn embedded(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Text(text) => out.push_str(text),
        other => push(other, &mut out),
    }
    out
}

/// What is still to be written.
enum Job<'v> {
    Value(&'v Value),
    Key(&'v str),
    Mark(&'static str),
}

fn push(value: &Value, out: &mut String) {
    let mut jobs = vec![Job::Value(value)];
    while let Some(job) = jobs.pop() {
        match job {
            Job::Mark(mark) => out.push_str(mark),
            Job::Key(key) => {
                quote(key, out);
                out.push_str(": ");
            }
            Job::Value(Value::Text(text)) => quote(text, out),
            Job::Value(Value::List(list)) => {
                out.push('[');
                jobs.push(Job::Mark("]"));
                let items: Vec<&Value> = list.iter().collect();
                for (at, item) in items.iter().enumerate().rev() {
                    jobs.push(Job::Value(item));
                    if at > 0 {
                        jobs.push(Job::Mark(", "));
                    }
                }
            }
            Job::Value(Value::Object(object)) => {
                out.push('{');
                jobs.push(Job::Mark("}"));
                let mut pairs: Vec<(&str, &Value)> = object.iter().map(|(key, value)| (key.as_str(), value)).collect();
                // The order of UTF-8 bytes is that of code points.
                pairs.sort_by_key(|(key, _)| *key);
                for (at, (key, item)) in pairs.into_iter().enumerate().rev() {
                    jobs.push(Job::Value(item));
                    jobs.push(Job::Key(key));
                    if at > 0 {
                        jobs.push(Job::Mark(", "));
                    }
                }
            }
            Job::Value(Value::Undefined) => out.push_str("null"),
            Job::Value(scalar) => match kind(scalar) {
                Some(Kind::Integer(digits)) => out.push_str(&digits),
                Some(Kind::Float(float)) => out.push_str(&float_text(float)),
                None => out.push_str(&print_compact(scalar)),
            },
        }
    }
}

/// The shortest text that reads back to the same float, always with a fraction or an exponent.
fn float_text(value: f64) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return if value < 0.0 { "-Infinity".into() } else { "Infinity".into() };
    }
    let shortest = format!("{value:e}");
    let (digits, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let fixed = value.to_string();
        return if fixed.contains('.') { fixed } else { format!("{fixed}.0") };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

/// A text as JSON, everything but U+0020 to U+007E escaped.
fn quote(text: &str, out: &mut String) {
    out.push('"');
    let mut units = [0_u16; 2];
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            ' '..='~' => out.push(char),
            other => {
                for unit in other.encode_utf16(&mut units) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use loopwright_lang::json;

    fn value(text: &str) -> Value {
        json::parse(text).value().unwrap()
    }

    #[test]
    fn numbers_and_truth_values_are_equal_only_to_their_own_kind() {
        let same =
            [("1", "1"), ("-0", "0"), ("1.0", "1e0"), ("-0.0", "0.0"), ("1e400", "1e999"), ("null", "null"), ("\"é\"", "\"\\u00e9\"")];
        let different = [
            ("1", "1.0"),
            ("1", "true"),
            ("0", "false"),
            ("1", "\"1\""),
            ("0", "-0.0"),
            ("9007199254740993", "9007199254740992"),
            ("1e21", "1000000000000000000000"),
            ("null", "false"),
            ("null", "\"\""),
            ("\"é\"", "\"e\\u0301\""),
        ];
        for (a, b) in same {
            assert_eq!(same_scalar(&value(a), &value(b)), Some(true), "{a} and {b}");
        }
        for (a, b) in different {
            assert_eq!(same_scalar(&value(a), &value(b)), Some(false), "{a} and {b}");
        }
        assert_eq!(same_scalar(&value("[]"), &value("null")), None, "a list is no scalar");
    }

    #[test]
    fn a_value_inside_a_text_is_written_as_the_source_system_writes_it() {
        let cases = [
            ("1.0", "1.0"),
            ("1e2", "100.0"),
            ("1e15", "1000000000000000.0"),
            ("1e16", "1e+16"),
            ("1e+21", "1e+21"),
            ("0.0001", "0.0001"),
            ("0.00001", "1e-05"),
            ("1.5e-7", "1.5e-07"),
            ("123456789012345678.0", "1.2345678901234568e+17"),
            ("5e-324", "5e-324"),
            ("-0.0", "-0.0"),
            ("-0", "0"),
            ("1e400", "Infinity"),
            ("12345678901234567890", "12345678901234567890"),
            ("true", "true"),
            ("null", "null"),
            ("\"a\\\"é\"", "a\"é"),
            ("[]", "[]"),
            ("{}", "{}"),
            ("[1,\"a\\\"é\",{\"z\":1,\"a\":[null,2.50]}]", "[1, \"a\\\"\\u00e9\", {\"a\": [null, 2.5], \"z\": 1}]"),
            ("[\"\\u007f/\\u0001\\ud83d\\ude00\"]", "[\"\\u007f/\\u0001\\ud83d\\ude00\"]"),
            ("{\"\\uff5e\":1,\"\\ud83d\\ude00\":2}", "{\"\\uff5e\": 1, \"\\ud83d\\ude00\": 2}"),
        ];
        for (json, text) in cases {
            assert_eq!(embedded(&value(json)), text, "{json}");
        }
    }
}
