//! Methods of texts. Positions count UTF-16 units; what would split a pair of surrogates gives U+FFFD.

use super::Method;
use crate::expr::budget::{Budget, Failure};
use crate::expr::coerce::{push_text, relative_index, to_integer, to_number};
use crate::expr::unicode::is_js_space;
use crate::{Text, Value};

type Answer = Result<Value, Failure>;

/// Calls a method of a text. `None`: texts do not have it.
pub(crate) fn call_on_text(text: &Text, method: Method, args: &[Value], budget: &mut Budget) -> Option<Answer> {
    if !method.of_texts() {
        return None;
    }
    Some(call(text, method, args, budget))
}

fn call(text: &Text, method: Method, args: &[Value], budget: &mut Budget) -> Answer {
    budget.spend(1 + text.as_str().len() as u64 / 256)?;
    let arg = |index: usize| args.get(index).unwrap_or(&Value::Undefined);
    let whole: &str = text;
    let length = || text.utf16_len();
    // A position argument; missing it is `otherwise`.
    let position = |index: usize, otherwise: usize| match arg(index) {
        Value::Undefined => otherwise,
        value => to_integer(value).clamp(0.0, length() as f64) as usize,
    };
    Ok(match method {
        Method::Includes => {
            let needle = text_of(arg(0), budget)?;
            Value::Bool(find(whole, &needle, position(1, 0)).is_some())
        }
        Method::StartsWith => {
            let needle = text_of(arg(0), budget)?;
            let (byte, inside) = byte_at(whole, position(1, 0));
            Value::Bool(needle.is_empty() || (!inside && whole.get(byte..).is_some_and(|rest| rest.starts_with(needle.as_str()))))
        }
        Method::EndsWith => {
            let needle = text_of(arg(0), budget)?;
            let (byte, inside) = byte_at(whole, position(1, length()));
            Value::Bool(needle.is_empty() || (!inside && whole.get(..byte).is_some_and(|rest| rest.ends_with(needle.as_str()))))
        }
        Method::IndexOf => {
            let needle = text_of(arg(0), budget)?;
            number(find(whole, &needle, position(1, 0)))
        }
        Method::LastIndexOf => {
            let needle = text_of(arg(0), budget)?;
            let last = to_number(arg(1));
            let from = if last.is_nan() { length() } else { last.clamp(0.0, length() as f64) as usize };
            number(find_last(whole, &needle, from))
        }
        Method::Slice => {
            let end = if arg(1).is_undefined() { length() } else { relative_index(to_integer(arg(1)), length()) };
            slice(text, relative_index(to_integer(arg(0)), length()), end)
        }
        Method::Substring => {
            let (a, b) = (position(0, 0), position(1, length()));
            slice(text, a.min(b), a.max(b))
        }
        Method::CharAt | Method::At => {
            let at = to_integer(arg(0));
            let at = if method == Method::At && at < 0.0 { at + length() as f64 } else { at };
            match (unit_at(text, at), method) {
                (Some(unit), _) => Value::Text(unit),
                (None, Method::At) => Value::Undefined,
                _ => Value::text(""),
            }
        }
        Method::Split => return split(text, arg(0), arg(1), budget),
        Method::Trim => trimmed(whole.trim_matches(is_js_space), text),
        Method::TrimStart => trimmed(whole.trim_start_matches(is_js_space), text),
        Method::TrimEnd => trimmed(whole.trim_end_matches(is_js_space), text),
        Method::ToLowerCase => made(whole.to_lowercase(), budget)?,
        Method::ToUpperCase => made(whole.to_uppercase(), budget)?,
        Method::Replace | Method::ReplaceAll => {
            let replacement = text_of(arg(1), budget)?;
            return replace(text, arg(0), method == Method::ReplaceAll, budget, |found, at, _, out| {
                substitute(&replacement, whole, found, at, out);
                Ok(())
            });
        }
        Method::PadStart | Method::PadEnd => return pad(text, arg(0), arg(1), method == Method::PadStart, budget),
        Method::Repeat => {
            let times = to_integer(arg(0));
            if times < 0.0 || times.is_infinite() {
                return Err(Failure::Throws("repeat needs a count of 0 or more that is finite".into()));
            }
            budget.text((whole.len() as f64 * times).min(1e15) as usize)?;
            Value::text(whole.repeat(if whole.is_empty() { 0 } else { times as usize }))
        }
        Method::Concat => {
            let mut out = whole.to_owned();
            for arg in args {
                if !push_text(arg, &mut out, budget.text_limit()) {
                    return Err(budget.too_long());
                }
            }
            made(out, budget)?
        }
        // Only texts have `toString` without effect; the rest was sorted out before.
        _ => Value::Text(text.clone()),
    })
}

/// A position, or -1.
fn number(position: Option<usize>) -> Value {
    Value::Number(position.map_or(-1.0, |at| at as f64))
}

/// An argument as text.
pub(crate) fn text_of(value: &Value, budget: &mut Budget) -> Result<Text, Failure> {
    if let Value::Text(text) = value {
        return Ok(text.clone());
    }
    let mut out = String::new();
    if !push_text(value, &mut out, budget.text_limit()) {
        return Err(budget.too_long());
    }
    budget.text(out.len())?;
    Ok(Text::from(out))
}

fn made(text: String, budget: &mut Budget) -> Answer {
    budget.text(text.len())?;
    Ok(Value::text(text))
}

fn trimmed(part: &str, whole: &Text) -> Value {
    if part.len() == whole.as_str().len() { Value::Text(whole.clone()) } else { Value::text(part) }
}

/// The byte of a unit position, and whether it lies inside a pair of surrogates (then the byte is the one after the pair).
fn byte_at(text: &str, unit: usize) -> (usize, bool) {
    if text.is_ascii() {
        return (unit.min(text.len()), false);
    }
    let mut units = 0;
    for (byte, c) in text.char_indices() {
        if units >= unit {
            return (byte, units > unit);
        }
        units += c.len_utf16();
    }
    (text.len(), units > unit)
}

fn units_before(text: &str, byte: usize) -> usize {
    text.get(..byte).map_or(0, |before| if before.is_ascii() { before.len() } else { before.encode_utf16().count() })
}

fn find(text: &str, needle: &str, from: usize) -> Option<usize> {
    if needle.is_empty() {
        return Some(from);
    }
    let (start, _) = byte_at(text, from);
    let found = text.get(start..)?.find(needle)?;
    Some(units_before(text, start + found))
}

fn find_last(text: &str, needle: &str, from: usize) -> Option<usize> {
    if needle.is_empty() {
        return Some(from);
    }
    let (mut start, inside) = byte_at(text, from);
    if inside {
        // A match may begin before the pair at the latest.
        start = text.get(..start)?.char_indices().next_back().map_or(0, |(byte, _)| byte);
    }
    let end = (start + needle.len()).min(text.len());
    let end = (end..=text.len()).find(|end| text.is_char_boundary(*end))?;
    let found = text.get(..end)?.rfind(needle)?;
    let found = if found > start { text.get(..end)?.rmatch_indices(needle).map(|(at, _)| at).find(|at| *at <= start)? } else { found };
    Some(units_before(text, found))
}

/// From one unit position up to another.
pub(crate) fn slice(text: &Text, start: usize, end: usize) -> Value {
    if start >= end {
        return Value::text("");
    }
    if text.as_str().is_ascii() {
        return text.as_str().get(start..end.min(text.as_str().len())).map_or_else(|| Value::text(""), |part| trimmed(part, text));
    }
    let units: Vec<u16> = text.as_str().encode_utf16().skip(start).take(end - start).collect();
    Value::text(String::from_utf16_lossy(&units))
}

/// The text of one unit; half a pair is U+FFFD.
pub(crate) fn unit_at(text: &Text, at: f64) -> Option<Text> {
    if at < 0.0 || at > u32::MAX.into() {
        return None;
    }
    let at = at as usize;
    if text.as_str().is_ascii() {
        return text.as_str().get(at..at + 1).map(Text::from);
    }
    let unit = text.as_str().encode_utf16().nth(at)?;
    Some(Text::from(String::from_utf16_lossy(&[unit])))
}

fn split(text: &Text, separator: &Value, limit: &Value, budget: &mut Budget) -> Answer {
    let most = match limit {
        Value::Undefined => u32::MAX as usize,
        value => {
            let number = to_number(value);
            if number.is_finite() { number.trunc().rem_euclid(4_294_967_296.0) as usize } else { 0 }
        }
    };
    if most == 0 {
        return Ok(Value::list([]));
    }
    if separator.is_undefined() {
        return Ok(Value::list([Value::Text(text.clone())]));
    }
    let separator = text_of(separator, budget)?;
    let parts: Vec<Value> = if separator.is_empty() {
        let units: Vec<u16> = text.as_str().encode_utf16().take(most).collect();
        budget.list(units.len())?;
        units.iter().map(|unit| Value::text(String::from_utf16_lossy(&[*unit]))).collect()
    } else {
        budget.list(text.as_str().matches(separator.as_str()).count().min(most))?;
        text.as_str().split(separator.as_str()).take(most).map(Value::text).collect()
    };
    budget.text(text.as_str().len())?;
    Ok(Value::list(parts))
}

fn pad(text: &Text, target: &Value, fill: &Value, at_start: bool, budget: &mut Budget) -> Answer {
    let length = text.utf16_len();
    let target = to_integer(target);
    let fill = if fill.is_undefined() { Text::from(" ") } else { text_of(fill, budget)? };
    if target <= length as f64 || fill.is_empty() {
        return Ok(Value::Text(text.clone()));
    }
    budget.text(target.min(1e15) as usize)?;
    let missing = target as usize - length;
    let padding: Vec<u16> = fill.as_str().encode_utf16().cycle().take(missing).collect();
    let padding = String::from_utf16_lossy(&padding);
    Ok(Value::text(if at_start { padding + text } else { text.as_str().to_owned() + &padding }))
}

/// Replaces the first place or all places where a text stands. `write` is given what was found, its byte, its unit position, and appends.
pub(crate) fn replace(
    text: &Text,
    pattern: &Value,
    all: bool,
    budget: &mut Budget,
    mut write: impl FnMut(&str, usize, usize, &mut String) -> Result<(), Failure>,
) -> Answer {
    let pattern = text_of(pattern, budget)?;
    let whole: &str = text;
    if pattern.is_empty() {
        return replace_empty(text, all, budget, write);
    }
    let mut out = String::new();
    let mut done = 0;
    for (at, found) in whole.match_indices(pattern.as_str()) {
        budget.spend(1)?;
        out.push_str(whole.get(done..at).unwrap_or(""));
        write(found, at, units_before(whole, at), &mut out)?;
        if out.len() > budget.text_limit() {
            return Err(budget.too_long());
        }
        done = at + found.len();
        if !all {
            break;
        }
    }
    out.push_str(whole.get(done..).unwrap_or(""));
    made(out, budget)
}

/// An empty pattern stands before every unit and at the end.
fn replace_empty(
    text: &Text,
    all: bool,
    budget: &mut Budget,
    mut write: impl FnMut(&str, usize, usize, &mut String) -> Result<(), Failure>,
) -> Answer {
    let mut out = String::new();
    write("", 0, 0, &mut out)?;
    if !all {
        out.push_str(text);
        return made(out, budget);
    }
    let mut units = 0;
    for (byte, c) in text.as_str().char_indices() {
        budget.spend(1)?;
        let next = byte + c.len_utf8();
        units += 1;
        if c.len_utf16() == 2 {
            out.push('\u{fffd}');
            write("", next, units, &mut out)?;
            out.push('\u{fffd}');
            units += 1;
        } else {
            out.push(c);
        }
        write("", next, units, &mut out)?;
        if out.len() > budget.text_limit() {
            return Err(budget.too_long());
        }
    }
    made(out, budget)
}

/// JavaScript's replacement patterns: `$$`, `$&`, `` $` ``, `$'`.
fn substitute(replacement: &str, whole: &str, found: &str, at: usize, out: &mut String) {
    let mut rest = replacement;
    while let Some(dollar) = rest.find('$') {
        out.push_str(rest.get(..dollar).unwrap_or(""));
        let after = rest.get(dollar + 1..).unwrap_or("");
        let (text, used) = match after.chars().next() {
            Some('$') => ("$", 1),
            Some('&') => (found, 1),
            Some('`') => (whole.get(..at).unwrap_or(""), 1),
            Some('\'') => (whole.get(at + found.len()..).unwrap_or(""), 1),
            _ => ("$", 0),
        };
        out.push_str(text);
        rest = after.get(used..).unwrap_or("");
    }
    out.push_str(rest);
}
