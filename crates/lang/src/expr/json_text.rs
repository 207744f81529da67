//! `JSON.stringify` and the text a template makes of an object: numbers print as JavaScript prints them, whatever their spelling.

use super::coerce::{ordered, push_number};
use crate::{KeyOrder, Value};

/// Compact JSON text as JavaScript makes it. `None` for `undefined`.
pub fn json_text(value: &Value, order: KeyOrder) -> Option<String> {
    let mut out = String::new();
    let mut printer = JsonPrinter { out: &mut out, order, indent: "", limit: usize::MAX };
    let printed = printer.value(value, 0);
    (printed == Some(true)).then_some(out)
}

pub(crate) struct JsonPrinter<'a> {
    pub(crate) out: &'a mut String,
    pub(crate) order: KeyOrder,
    /// What one level is moved in by; empty for compact text.
    pub(crate) indent: &'a str,
    /// Bytes it may make.
    pub(crate) limit: usize,
}

impl JsonPrinter<'_> {
    /// Prints a value. `Some(false)`: it has no text (`undefined`). `None`: it would be too long.
    pub(crate) fn value(&mut self, value: &Value, level: usize) -> Option<bool> {
        match value {
            Value::Undefined => return Some(false),
            Value::Null => self.out.push_str("null"),
            Value::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Value::Number(number) => self.number(*number),
            Value::Spelled(number) => self.number(number.value()),
            Value::Text(text) => self.text(text),
            Value::List(list) => {
                self.out.push('[');
                for (index, item) in list.iter().enumerate() {
                    self.separate(index == 0, level + 1);
                    if !self.value(item, level + 1)? {
                        self.out.push_str("null");
                    }
                }
                self.close(list.is_empty(), level, ']');
            }
            Value::Object(object) => {
                self.out.push('{');
                let mut first = true;
                for (key, item) in ordered(object, self.order) {
                    if item.is_undefined() {
                        continue;
                    }
                    self.separate(first, level + 1);
                    self.text(key);
                    self.out.push_str(if self.indent.is_empty() { ":" } else { ": " });
                    self.value(item, level + 1)?;
                    first = false;
                }
                self.close(first, level, '}');
            }
        }
        (self.out.len() <= self.limit).then_some(true)
    }

    fn number(&mut self, number: f64) {
        if number.is_finite() { push_number(number, self.out) } else { self.out.push_str("null") }
    }

    fn separate(&mut self, first: bool, level: usize) {
        if !first {
            self.out.push(',');
        }
        self.line(level);
    }

    fn close(&mut self, empty: bool, level: usize, mark: char) {
        if !empty {
            self.line(level);
        }
        self.out.push(mark);
    }

    fn line(&mut self, level: usize) {
        if !self.indent.is_empty() {
            self.out.push('\n');
            for _ in 0..level {
                self.out.push_str(self.indent);
            }
        }
    }

    fn text(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                '\u{8}' => self.out.push_str("\\b"),
                '\u{c}' => self.out.push_str("\\f"),
                c if c < ' ' => {
                    self.out.push_str("\\u00");
                    for shift in [4, 0] {
                        self.out.push(char::from_digit((c as u32 >> shift) & 15, 16).unwrap_or('0'));
                    }
                }
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }
}
