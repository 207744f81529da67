//! Short forms for people: values on one line, durations, counts.

use loopwright_lang::Value;

use crate::syntax::Class;

/// A value on one line, at most about `limit` characters, as it would stand in JSON; what is left out is an ellipsis. The
/// work done does not grow with the value.
pub fn preview(value: &Value, limit: usize) -> String {
    let mut out = Writer { text: String::new(), left: limit };
    out.value(value);
    out.text
}

struct Writer {
    text: String,
    left: usize,
}

impl Writer {
    fn raw(&mut self, text: &str) {
        self.left = self.left.saturating_sub(text.chars().count());
        self.text.push_str(text);
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Undefined => self.raw("undefined"),
            Value::Text(text) => self.quoted(text),
            Value::List(list) => {
                self.raw("[");
                for (at, item) in list.iter().enumerate() {
                    if self.left < 4 {
                        self.raw("…");
                        break;
                    }
                    if at > 0 {
                        self.raw(", ");
                    }
                    self.value(item);
                }
                self.raw("]");
            }
            Value::Object(object) => {
                self.raw("{");
                for (at, (key, item)) in object.iter().enumerate() {
                    if self.left < 6 {
                        self.raw("…");
                        break;
                    }
                    self.raw(if at > 0 { ", " } else { " " });
                    if is_plain_key(key) {
                        self.raw(key)
                    } else {
                        self.quoted(key)
                    }
                    self.raw(": ");
                    self.value(item);
                }
                self.raw(if object.is_empty() { "}" } else { " }" });
            }
            scalar => self.raw(&loopwright_lang::json::print_compact(scalar)),
        }
    }

    fn quoted(&mut self, text: &str) {
        self.raw("\"");
        for c in text.chars() {
            if self.left < 2 {
                self.raw("…");
                break;
            }
            match c {
                '"' => self.raw("\\\""),
                '\\' => self.raw("\\\\"),
                '\n' => self.raw("\\n"),
                '\t' => self.raw("\\t"),
                c if c.is_control() => self.raw("·"),
                c => self.raw(c.encode_utf8(&mut [0; 4])),
            }
        }
        self.raw("\"");
    }
}

fn is_plain_key(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$') && !key.starts_with(|c: char| c.is_ascii_digit())
}

/// The colour of a value.
pub fn class(value: &Value) -> Class {
    match value {
        Value::Text(_) => Class::Text,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Spelled(_) => Class::Number,
        Value::Undefined | Value::List(_) | Value::Object(_) => Class::Plain,
    }
}

/// A short label for an item of a list: its name or title, then its id. `None` when it has neither.
pub fn item_label(value: &Value) -> Option<(String, Option<String>)> {
    match value {
        Value::Object(object) => {
            let find = |keys: &[&str]| {
                keys.iter().find_map(|wanted| {
                    object
                        .iter()
                        .find(|(key, value)| key.eq_ignore_ascii_case(wanted) && !matches!(value, Value::List(_) | Value::Object(_)))
                        .map(|(_, value)| plain(value))
                })
            };
            let first = find(&["firstName"]).map(|first| match find(&["lastName"]) {
                Some(last) => format!("{first} {last}"),
                None => first,
            });
            let name = find(&["name", "title", "label", "subject", "email", "url", "path"]).or(first);
            let id = find(&["id", "key", "code", "number"]);
            match (name, id) {
                (Some(name), id) => Some((name, id)),
                (None, Some(id)) => Some((id, None)),
                (None, None) => None,
            }
        }
        Value::Undefined | Value::Null | Value::List(_) => None,
        scalar => Some((plain(scalar), None)),
    }
}

/// A scalar without quotes.
fn plain(value: &Value) -> String {
    match value {
        Value::Text(text) => text.chars().take(80).collect(),
        other => preview(other, 80),
    }
}

/// A span of virtual time for reading: `0 s`, `12 ms`, `0.9 s`, `4.21 s`, `1 min 5 s`, `2 h 3 min`.
pub fn duration(us: u64) -> String {
    if us == 0 {
        return "0 s".into();
    }
    if us < 1_000 {
        return format!("{us} µs");
    }
    if us < 100_000 {
        return trim_zeros(format!("{:.1}", us as f64 / 1e3)) + " ms";
    }
    if us < 60_000_000 {
        let hundredths = (us + 5_000) / 10_000;
        return if hundredths.is_multiple_of(100) {
            format!("{} s", hundredths / 100)
        } else if hundredths.is_multiple_of(10) {
            format!("{}.{} s", hundredths / 100, hundredths / 10 % 10)
        } else {
            format!("{}.{:02} s", hundredths / 100, hundredths % 100)
        };
    }
    let seconds = (us + 500_000) / 1_000_000;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, 0, _) => format!("{hours} h"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// A span of virtual time for a column: two decimals of a second.
pub fn seconds(us: u64) -> String {
    if us >= 600_000_000 {
        return duration(us);
    }
    let hundredths = (us + 5_000) / 10_000;
    format!("{}.{:02} s", hundredths / 100, hundredths % 100)
}

fn trim_zeros(text: String) -> String {
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// A count with thousands set off: `5,000`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_at_a_glance() {
        for (us, expected) in [
            (0, "0 s"),
            (12_000, "12 ms"),
            (1_500, "1.5 ms"),
            (250, "250 µs"),
            (250_000, "0.25 s"),
            (900_000, "0.9 s"),
            (1_800_000, "1.8 s"),
            (23_900_000, "23.9 s"),
            (4_000_000, "4 s"),
            (65_000_000, "1 min 5 s"),
            (120_000_000, "2 min"),
            (7_380_000_000, "2 h 3 min"),
        ] {
            assert_eq!(duration(us), expected);
        }
        assert_eq!(seconds(10_000_000), "10.00 s");
        assert_eq!(seconds(836_000), "0.84 s");
    }

    #[test]
    fn counts_have_their_thousands_set_off() {
        for (n, expected) in [(0, "0"), (999, "999"), (5_000, "5,000"), (1_234_567, "1,234,567")] {
            assert_eq!(count(n), expected);
        }
    }

    #[test]
    fn a_preview_says_what_it_leaves_out_and_never_walks_a_large_value() {
        let long = Value::text("x".repeat(100));
        assert_eq!(preview(&long, 8), "\"xxxxxx…\"");
        let list = Value::list((0..1_000_000).map(|n| Value::Number(f64::from(n))));
        assert!(preview(&list, 20).chars().count() < 32);
        assert_eq!(preview(&Value::object([("a b", Value::Null), ("c", Value::list([]))]), 60), "{ \"a b\": null, c: [] }");
        assert_eq!(preview(&Value::Undefined, 60), "undefined");
    }

    #[test]
    fn an_item_is_called_by_its_name_and_id() {
        let item = Value::object([("id", Value::text("c-1")), ("Name", Value::text("Bao"))]);
        assert_eq!(item_label(&item), Some(("Bao".into(), Some("c-1".into()))));
        let parts = Value::object([("firstName", Value::text("Bao")), ("lastName", Value::text("Nguyen"))]);
        assert_eq!(item_label(&parts), Some(("Bao Nguyen".into(), None)));
        assert_eq!(item_label(&Value::Number(5.0)), Some(("5".into(), None)));
        assert_eq!(item_label(&Value::Null), None);
    }
}
