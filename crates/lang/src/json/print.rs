//! The one printer. Shapes are those of `JSON.stringify`; a stack of its own lets it print a value however deep.

use crate::value::{ListIter, ObjectIter};
use crate::{Text, Value, limits, number};

/// Prints without white space, as `JSON.stringify(value)`: numbers as they were spelled, what is `undefined` left out of objects
/// and `null` elsewhere.
pub fn print_compact(value: &Value) -> String {
    print(value, Style { pretty: false, mark_undefined: false })
}

/// Prints with two-space indent, no final newline, as `JSON.stringify(value, null, 2)`. Numbers as they were spelled.
pub fn print_pretty(value: &Value) -> String {
    print(value, Style { pretty: true, mark_undefined: false })
}

/// Prints without white space for the run log, where nothing must be lost: `undefined` is `{"$undefined":true}`, also in objects.
pub fn print_log(value: &Value) -> String {
    print(value, Style { pretty: false, mark_undefined: true })
}

/// A text as a JSON string, quotes included.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_quoted(text, &mut out);
    out
}

#[derive(Clone, Copy)]
struct Style {
    pretty: bool,
    mark_undefined: bool,
}

enum Open<'v> {
    List(ListIter<'v>),
    Object(ObjectIter<'v>),
}

fn print(value: &Value, style: Style) -> String {
    let mut out = String::with_capacity(value.printed_size().min(limits::VALUE_BYTES));
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut next = Some(value);
    let mut first = true;
    loop {
        if let Some(value) = next.take() {
            match value {
                Value::List(list) => {
                    out.push('[');
                    open.push(Open::List(list.iter()));
                    first = true;
                }
                Value::Object(object) => {
                    out.push('{');
                    open.push(Open::Object(object.iter()));
                    first = true;
                }
                scalar => push_scalar(scalar, style, &mut out),
            }
        }
        let depth = open.len();
        let Some(top) = open.last_mut() else { return out };
        let (close, found) = match top {
            Open::List(items) => (']', items.next().map(|item| (None, item))),
            Open::Object(members) => {
                ('}', members.find(|(_, value)| style.mark_undefined || !value.is_undefined()).map(|(key, value)| (Some(key), value)))
            }
        };
        let Some((key, value)) = found else {
            if !first {
                new_line(style, depth - 1, &mut out);
            }
            out.push(close);
            open.pop();
            first = false;
            continue;
        };
        if !first {
            out.push(',');
        }
        first = false;
        new_line(style, depth, &mut out);
        if let Some(key) = key {
            push_text(key, &mut out);
            out.push_str(if style.pretty { ": " } else { ":" });
        }
        next = Some(value);
    }
}

fn new_line(style: Style, depth: usize, out: &mut String) {
    if style.pretty {
        out.push('\n');
        for _ in 0..depth {
            out.push_str("  ");
        }
    }
}

fn push_scalar(value: &Value, style: Style, out: &mut String) {
    match value {
        Value::Undefined if style.mark_undefined => out.push_str("{\"$undefined\":true}"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => number::push_json(*number, out),
        Value::Spelled(number) => out.push_str(number.spelling()),
        Value::Text(text) => push_text(text, out),
        Value::Undefined | Value::Null | Value::List(_) | Value::Object(_) => out.push_str("null"),
    }
}

fn push_text(text: &Text, out: &mut String) {
    if text.printed_len() == text.len() + 2 {
        out.push('"');
        out.push_str(text);
        out.push('"');
    } else {
        push_quoted(text, out);
    }
}

fn push_quoted(text: &str, out: &mut String) {
    out.push('"');
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let short = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0c => "\\f",
            0..0x20 => "",
            _ => continue,
        };
        out.push_str(text.get(from..at).unwrap_or_default());
        from = at + 1;
        if short.is_empty() {
            out.push_str("\\u00");
            out.push(if byte < 0x10 { '0' } else { '1' });
            out.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
        } else {
            out.push_str(short);
        }
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out.push('"');
}
