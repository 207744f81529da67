//! Numbers as text, in both directions, as JavaScript does it.

/// `String(value)` in JavaScript: `1`, `0.1`, `1e+21`, `NaN`, `Infinity`; minus zero is `0`.
pub fn to_js_text(value: f64) -> String {
    with_js_text(value, str::to_owned)
}

/// Hands [`to_js_text`] to `use_it` without allocating.
pub fn with_js_text<R>(value: f64, use_it: impl FnOnce(&str) -> R) -> R {
    use_it(ryu_js::Buffer::new().format(value))
}

/// Appends the number as JSON: as [`to_js_text`], but `null` for what JSON cannot say (NaN, the infinities).
pub fn push_json(value: f64, out: &mut String) {
    if value.is_finite() { with_js_text(value, |text| out.push_str(text)) } else { out.push_str("null") }
}

/// How many bytes [`push_json`] appends.
pub fn json_len(value: f64) -> usize {
    let whole = value as i64;
    if !value.is_finite() {
        4
    } else if whole as f64 == value && whole.unsigned_abs() < 1 << 53 {
        let digits = whole.unsigned_abs().checked_ilog10().unwrap_or(0) as usize + 1;
        digits + usize::from(whole < 0)
    } else {
        with_js_text(value, str::len)
    }
}

/// Whether `text` is a number as JSON writes it: `-`, whole digits without a leading zero, a fraction, an exponent.
pub fn is_json_number(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits_from = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let whole = usize::from(bytes.first() == Some(&b'-'));
    let mut at = digits_from(whole);
    if at == whole || (bytes.get(whole) == Some(&b'0') && at > whole + 1) {
        return false;
    }
    if bytes.get(at) == Some(&b'.') {
        let fraction = at + 1;
        at = digits_from(fraction);
        if at == fraction {
            return false;
        }
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let exponent = at + 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        at = digits_from(exponent);
        if at == exponent {
            return false;
        }
    }
    at == bytes.len()
}

/// The value of a number as JSON writes it, correctly rounded; the spelling is kept where JavaScript would print another.
/// `None` if `text` is not a JSON number.
pub fn parse_json(text: &str) -> Option<crate::Value> {
    let bytes = text.as_bytes();
    // The common case: up to fifteen digits, printed back as they stand.
    if bytes.len() <= 15 && bytes.iter().all(u8::is_ascii_digit) && !bytes.is_empty() && (bytes.len() == 1 || bytes.first() != Some(&b'0'))
    {
        let whole = bytes.iter().fold(0_u64, |sum, digit| sum * 10 + u64::from(digit - b'0'));
        return Some(crate::Value::Number(whole as f64));
    }
    if !is_json_number(text) {
        return None;
    }
    let value: f64 = text.parse().ok()?;
    let same = value.is_finite() && with_js_text(value, |printed| printed == text);
    Some(if same { crate::Value::Number(value) } else { crate::Value::Spelled(crate::Number::new(value, text)) })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::Value;

    #[test]
    fn numbers_print_as_javascript_prints_them() {
        let cases: &[(f64, &str)] = &[
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (-1.5, "-1.5"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e21, "1e+21"),
            (1e20, "100000000000000000000"),
            (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (9007199254740993.0, "9007199254740992"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ];
        for (value, text) in cases {
            assert_eq!(&to_js_text(*value), text);
            let mut json = String::new();
            push_json(*value, &mut json);
            assert_eq!(json_len(*value), json.len(), "length of {json}");
        }
    }

    #[test]
    fn a_spelling_is_kept_only_where_javascript_prints_another() {
        let kept = ["1.0", "1e3", "-0", "1E2", "12345678901234567890", "9007199254740993", "0.10", "1e400", "100000000000000000000000"];
        for text in kept {
            assert!(matches!(parse_json(text), Some(Value::Spelled(number)) if number.spelling() == text), "{text}");
        }
        for text in ["0", "7", "-1", "0.1", "123456789012345", "9007199254740992", "1e+21", "-2.5e-7"] {
            assert!(matches!(parse_json(text), Some(Value::Number(value)) if to_js_text(value) == text), "{text}");
        }
    }

    #[test]
    fn text_to_number_is_correctly_rounded() {
        for (text, value) in
            [("9007199254740993", 9007199254740992.0), ("2.2250738585072011e-308", 2.225073858507201e-308), ("1e400", f64::INFINITY)]
        {
            assert_eq!(parse_json(text).unwrap().as_number(), Some(value), "{text}");
        }
    }

    #[test]
    fn what_json_does_not_allow_is_no_number() {
        for text in ["", "-", "01", "-01", "1.", ".5", "+1", "1e", "1e+", "0x10", "1_000", "NaN", "Infinity", " 1", "1 ", "--1", "1.2.3"] {
            assert!(parse_json(text).is_none(), "{text:?}");
        }
    }
}
