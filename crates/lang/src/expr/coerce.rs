//! JavaScript's conversions and comparisons.

use super::unicode::js_trim;
use crate::{KeyOrder, Object, Text, Value};
use std::cmp::Ordering;

/// JavaScript's truthiness.
pub fn truthy(value: &Value) -> bool {
    match value {
        Value::Undefined | Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => truthy_number(*number),
        Value::Spelled(number) => truthy_number(number.value()),
        Value::Text(text) => !text.as_str().is_empty(),
        Value::List(_) | Value::Object(_) => true,
    }
}

fn truthy_number(number: f64) -> bool {
    !(number == 0.0 || number.is_nan())
}

/// A number as JavaScript prints it.
pub fn number_text(number: f64) -> String {
    let mut out = String::new();
    push_number(number, &mut out);
    out
}

pub(crate) fn push_number(number: f64, out: &mut String) {
    if number.is_nan() {
        out.push_str("NaN");
    } else if number.is_infinite() {
        out.push_str(if number > 0.0 { "Infinity" } else { "-Infinity" });
    } else {
        out.push_str(ryu_js::Buffer::new().format_finite(number));
    }
}

/// JavaScript's `String(value)`: a list as its elements with commas, an object as `[object Object]`.
pub fn to_text(value: &Value) -> String {
    let mut out = String::new();
    push_text(value, &mut out, usize::MAX);
    out
}

/// Appends JavaScript's `String(value)`. False when `out` would grow beyond `limit` bytes; what is in it then does not matter.
pub(crate) fn push_text(value: &Value, out: &mut String, limit: usize) -> bool {
    match value {
        Value::Undefined => out.push_str("undefined"),
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => push_number(*number, out),
        Value::Spelled(number) => push_number(number.value(), out),
        Value::Text(text) => {
            if out.len().saturating_add(text.as_str().len()) > limit {
                return false;
            }
            out.push_str(text);
        }
        Value::List(list) => return push_joined(list.iter(), ",", out, limit),
        Value::Object(_) => out.push_str("[object Object]"),
    }
    out.len() <= limit
}

/// JavaScript's `join`: null and undefined elements are nothing.
pub(crate) fn push_joined<'a>(items: impl Iterator<Item = &'a Value>, separator: &str, out: &mut String, limit: usize) -> bool {
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push_str(separator);
        }
        if out.len() > limit || (!item.is_nullish() && !push_text(item, out, limit)) {
            return false;
        }
    }
    true
}

/// JavaScript's `Number(value)`. NaN is the one canonical NaN.
pub(crate) fn to_number(value: &Value) -> f64 {
    match value {
        Value::Undefined | Value::Object(_) => f64::NAN,
        Value::Null => 0.0,
        Value::Bool(value) => f64::from(u8::from(*value)),
        Value::Number(number) => *number,
        Value::Spelled(number) => number.value(),
        Value::Text(text) => text_to_number(text),
        Value::List(list) => match (list.len(), list.get(0)) {
            (0, _) => 0.0,
            // The text of a list of one is the text of its element; nothing, where that is null or undefined.
            (1, Some(Value::Undefined | Value::Null)) => 0.0,
            (1, Some(Value::Bool(_) | Value::Object(_))) => f64::NAN,
            (1, Some(only)) => to_number(only),
            _ => f64::NAN,
        },
    }
}

/// JavaScript's number of a text: blank is 0, prefixes `0x 0o 0b`, `Infinity`; anything else that is no decimal number is NaN.
pub(crate) fn text_to_number(text: &str) -> f64 {
    let text = js_trim(text);
    if text.is_empty() {
        return 0.0;
    }
    for (prefixes, radix) in [(["0x", "0X"], 16), (["0o", "0O"], 8), (["0b", "0B"], 2)] {
        if let Some(digits) = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix)) {
            let valid = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
            return if valid { digits_to_number(digits, radix) } else { f64::NAN };
        }
    }
    let length = decimal_prefix(text);
    if length == text.len() { parse_decimal(text) } else { f64::NAN }
}

/// How many bytes of `text` are a decimal number (sign, `Infinity`, digits, point, exponent); 0 if it does not begin with one.
pub(crate) fn decimal_prefix(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    if text.get(sign..).is_some_and(|rest| rest.starts_with("Infinity")) {
        return sign + 8;
    }
    let whole = digits(sign);
    let mut at = sign + whole;
    if bytes.get(at) == Some(&b'.') {
        let fraction = digits(at + 1);
        if whole + fraction == 0 {
            return 0;
        }
        at += 1 + fraction;
    } else if whole == 0 {
        return 0;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let exponent_sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at + 1 + exponent_sign);
        if exponent > 0 {
            at += 1 + exponent_sign + exponent;
        }
    }
    at
}

/// A text that is a decimal number all through.
pub(crate) fn parse_decimal(text: &str) -> f64 {
    match text {
        "Infinity" | "+Infinity" => f64::INFINITY,
        "-Infinity" => f64::NEG_INFINITY,
        _ => text.parse().unwrap_or(f64::NAN),
    }
}

/// Digits of a radix as a number, correctly rounded for radix 10 and powers of two, otherwise as V8 does it.
pub(crate) fn digits_to_number(digits: &str, radix: u32) -> f64 {
    if radix == 10 {
        return digits.parse().unwrap_or(f64::NAN);
    }
    let mut values = digits.chars().filter_map(|c| c.to_digit(radix)).skip_while(|digit| *digit == 0).peekable();
    if radix.is_power_of_two() {
        // 128 bits hold the 53 that count; what comes after them only matters as "not zero" and as places.
        let bits = radix.trailing_zeros();
        let (mut value, mut dropped, mut sticky) = (0u128, 0u32, false);
        for digit in values {
            if value >> 120 == 0 {
                value = (value << bits) | u128::from(digit);
            } else {
                dropped += bits;
                sticky |= digit != 0;
            }
        }
        let rounded = (value | u128::from(sticky)) as f64;
        return rounded * libm::exp2(f64::from(dropped.min(2000)));
    }
    let mut total = 0.0;
    while values.peek().is_some() {
        let (mut part, mut multiplier) = (0u32, 1u32);
        while let Some(digit) = values.peek() {
            let next = multiplier * radix;
            if next > u32::MAX / 36 {
                break;
            }
            part = part * radix + digit;
            multiplier = next;
            values.next();
        }
        total = total * f64::from(multiplier) + f64::from(part);
    }
    total
}

/// JavaScript's `typeof`.
pub(crate) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Undefined => "undefined",
        Value::Null | Value::List(_) | Value::Object(_) => "object",
        Value::Bool(_) => "boolean",
        Value::Number(_) | Value::Spelled(_) => "number",
        Value::Text(_) => "string",
    }
}

/// JavaScript's `===`.
pub(crate) fn strictly_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Undefined, Value::Undefined) | (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Number(a), Value::Number(b)) => a == b,
        (Value::Text(a), Value::Text(b)) => a.as_str() == b.as_str(),
        (Value::List(a), Value::List(b)) => a.is_same(b),
        (Value::Object(a), Value::Object(b)) => a.is_same(b),
        _ => matches!((a.as_number(), b.as_number()), (Some(a), Some(b)) if a == b),
    }
}

/// `===`, but NaN is itself (as `includes` asks).
pub(crate) fn same_value_zero(a: &Value, b: &Value) -> bool {
    strictly_equal(a, b) || matches!((a.as_number(), b.as_number()), (Some(a), Some(b)) if a.is_nan() && b.is_nan())
}

/// JavaScript's `==`.
pub(crate) fn loosely_equal(a: &Value, b: &Value) -> bool {
    let composite = |value: &Value| matches!(value, Value::List(_) | Value::Object(_));
    match (a, b) {
        _ if a.is_nullish() || b.is_nullish() => a.is_nullish() && b.is_nullish(),
        (Value::Text(_), Value::Text(_)) | (Value::Bool(_), Value::Bool(_)) => strictly_equal(a, b),
        _ if composite(a) && composite(b) => strictly_equal(a, b),
        // A list or object becomes its text first; against a text they are compared as such, otherwise as numbers.
        (Value::Text(text), other) | (other, Value::Text(text)) if composite(other) => text.as_str() == to_text(other),
        _ => to_number(a) == to_number(b),
    }
}

/// Order of two texts by UTF-16 units.
pub(crate) fn compare_texts(a: &str, b: &str) -> Ordering {
    // Bytes of UTF-8 order as code points do; units differ from that only where a surrogate meets U+E000 to U+FFFF.
    match a.bytes().zip(b.bytes()).position(|(a, b)| a != b) {
        None => a.len().cmp(&b.len()),
        Some(at) => {
            let lead = |text: &str| text.as_bytes().get(at).copied().unwrap_or(0);
            if lead(a) < 0xee && lead(b) < 0xee { lead(a).cmp(&lead(b)) } else { a.encode_utf16().cmp(b.encode_utf16()) }
        }
    }
}

/// Which way `<` and its kin see two values; `None` where a side is NaN.
pub(crate) fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    if let (Some(a), Some(b)) = (a.as_number(), b.as_number()) {
        return a.partial_cmp(&b);
    }
    let texty = |value: &Value| matches!(value, Value::Text(_) | Value::List(_) | Value::Object(_));
    if texty(a) && texty(b) {
        return Some(match (a, b) {
            (Value::Text(a), Value::Text(b)) => compare_texts(a, b),
            _ => compare_texts(&to_text(a), &to_text(b)),
        });
    }
    to_number(a).partial_cmp(&to_number(b))
}

/// JavaScript's conversion to a whole number: NaN is 0, fractions are cut off, infinities stay.
pub(crate) fn to_integer(value: &Value) -> f64 {
    let number = to_number(value);
    if number.is_nan() { 0.0 } else { number.trunc() }
}

/// A position from the start, or from the end where it is negative, within `0..=length`.
pub(crate) fn relative_index(value: f64, length: usize) -> usize {
    let length_number = length as f64;
    let at = if value < 0.0 { (length_number + value).max(0.0) } else { value.min(length_number) };
    at as usize
}

/// The index a key names in a list, if it is one: digits without a leading zero.
pub(crate) fn list_index(key: &str) -> Option<usize> {
    let canonical = key == "0" || (!key.starts_with('0') && !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit()));
    if canonical { key.parse().ok().filter(|index| *index < u32::MAX as usize) } else { None }
}

/// The keys and values of an object in the order of a profile.
pub(crate) fn ordered(object: &Object, order: KeyOrder) -> Vec<(&Text, &Value)> {
    let mut entries: Vec<(&Text, &Value)> = object.iter().collect();
    if order == KeyOrder::JavaScript && entries.iter().any(|(key, _)| list_index(key).is_some()) {
        entries.sort_by_key(|(key, _)| list_index(key).unwrap_or(usize::MAX));
    }
    entries
}

/// A computed value: numbers lose their spelling, whatever they came through.
pub(crate) fn computed(value: Value) -> Value {
    if !has_spelling(&value) {
        return value;
    }
    match value {
        Value::Spelled(number) => Value::Number(number.value()),
        Value::List(list) => Value::list(list.iter().map(|item| computed(item.clone()))),
        Value::Object(object) => Value::object(object.iter().map(|(key, item)| (key.clone(), computed(item.clone())))),
        other => other,
    }
}

fn has_spelling(value: &Value) -> bool {
    match value {
        Value::Spelled(_) => true,
        Value::List(list) => list.iter().any(has_spelling),
        Value::Object(object) => object.iter().any(|(_, item)| has_spelling(item)),
        _ => false,
    }
}
