//! Functions that are no methods: conversions, `Object`, `Array`, `JSON`, `Math`.

use super::{Function, math::call_math, texts::text_of};
use crate::Value;
use crate::expr::budget::Failure;
use crate::expr::coerce::{computed, decimal_prefix, digits_to_number, ordered, parse_decimal, to_integer, to_number, truthy};
use crate::expr::eval::Evaluation;
use crate::expr::json_text::JsonPrinter;
use crate::expr::unicode::is_js_space;

/// Calls a known function.
pub(crate) fn call_function(run: &mut Evaluation<'_>, function: Function, args: &[Value]) -> Result<Value, Failure> {
    run.budget.spend(1)?;
    let first = args.first().unwrap_or(&Value::Undefined);
    Ok(match function {
        Function::Number => Value::Number(if args.is_empty() { 0.0 } else { to_number(first) }),
        Function::String if args.is_empty() => Value::text(""),
        Function::String => Value::Text(text_of(first, &mut run.budget)?),
        Function::Boolean => Value::Bool(truthy(first)),
        Function::ParseInt => {
            let text = text_of(first, &mut run.budget)?;
            Value::Number(parse_int(&text, args.get(1).map_or(0.0, to_integer)))
        }
        Function::ParseFloat => {
            let text = text_of(first, &mut run.budget)?;
            let text = text.as_str().trim_start_matches(is_js_space);
            Value::Number(match decimal_prefix(text) {
                0 => f64::NAN,
                length => parse_decimal(text.get(..length).unwrap_or("")),
            })
        }
        Function::IsNaN => Value::Bool(to_number(first).is_nan()),
        Function::IsFinite => Value::Bool(to_number(first).is_finite()),
        Function::ArrayIsArray => Value::Bool(first.as_list().is_some()),
        Function::ObjectKeys | Function::ObjectValues | Function::ObjectEntries => return entries(run, function, first),
        Function::JsonStringify => return stringify(run, args),
        Function::JsonParse => return parse_json(run, first),
        _ => Value::Number(call_math(function, args).unwrap_or(f64::NAN)),
    })
}

fn parse_int(text: &str, radix: f64) -> f64 {
    let text = text.trim_start_matches(is_js_space);
    let (negative, mut rest) = match text.strip_prefix(['+', '-']) {
        Some(rest) => (text.starts_with('-'), rest),
        None => (false, text),
    };
    // The radix counts by its lowest 32 bits.
    let mut radix = (radix % 4_294_967_296.0) as i64 as i32;
    if radix != 0 && !(2..=36).contains(&radix) {
        return f64::NAN;
    }
    if let (0 | 16, Some(hexadecimal)) = (radix, rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X"))) {
        rest = hexadecimal;
        radix = 16;
    }
    let radix = if radix == 0 { 10 } else { radix as u32 };
    let length = rest.find(|c: char| !c.is_digit(radix)).unwrap_or(rest.len());
    let digits = rest.get(..length).unwrap_or("");
    if digits.is_empty() {
        return f64::NAN;
    }
    let size = digits_to_number(digits, radix);
    if negative { -size } else { size }
}

fn entries(run: &mut Evaluation<'_>, function: Function, value: &Value) -> Result<Value, Failure> {
    let pairs: Vec<(Value, Value)> = match value {
        Value::Undefined | Value::Null => {
            return Err(Failure::Throws(format!("{} needs an object, and this is {}", function.name(), value.what())));
        }
        Value::Object(object) => {
            let hidden = |key: &str| run.semantics.hidden_keys.hides(key);
            let all = ordered(object, run.semantics.key_order);
            all.into_iter().filter(|(key, _)| !hidden(key)).map(|(key, value)| (Value::Text(key.clone()), value.clone())).collect()
        }
        Value::List(list) => list.iter().enumerate().map(|(index, item)| (Value::text(super::integer_text(index)), item.clone())).collect(),
        Value::Text(text) => {
            let units = text.as_str().encode_utf16().enumerate();
            units.map(|(index, unit)| (Value::text(super::integer_text(index)), Value::text(String::from_utf16_lossy(&[unit])))).collect()
        }
        _ => Vec::new(),
    };
    run.budget.list(pairs.len().saturating_mul(if function == Function::ObjectEntries { 3 } else { 1 }))?;
    Ok(Value::list(pairs.into_iter().map(|(key, value)| match function {
        Function::ObjectKeys => key,
        Function::ObjectValues => value,
        _ => Value::list([key, value]),
    })))
}

fn stringify(run: &mut Evaluation<'_>, args: &[Value]) -> Result<Value, Failure> {
    let value = args.first().unwrap_or(&Value::Undefined);
    if args.get(1).is_some_and(|replacer| replacer.as_list().is_some()) {
        return Err(Failure::Throws("JSON.stringify takes no list of keys here".into()));
    }
    let indent = match args.get(2) {
        Some(Value::Text(text)) => text.as_str().chars().take(10).collect(),
        Some(number @ (Value::Number(_) | Value::Spelled(_))) => " ".repeat(to_integer(number).clamp(0.0, 10.0) as usize),
        _ => String::new(),
    };
    let mut out = String::new();
    let limit = run.budget.text_limit();
    let printed = JsonPrinter { out: &mut out, order: run.semantics.key_order, indent: &indent, limit }.value(value, 0);
    match printed {
        None => Err(run.budget.too_long()),
        Some(false) => Ok(Value::Undefined),
        Some(true) => {
            run.budget.spend(out.len() as u64 / 64)?;
            run.budget.text(out.len())?;
            Ok(Value::text(out))
        }
    }
}

fn parse_json(run: &mut Evaluation<'_>, value: &Value) -> Result<Value, Failure> {
    let text = text_of(value, &mut run.budget)?;
    run.budget.spend(text.as_str().len() as u64 / 16)?;
    run.budget.list(text.as_str().len() / 16)?;
    match crate::json::parse(&text).value() {
        Some(value) => Ok(computed(value)),
        None => Err(Failure::Throws("JSON.parse was given a text that is not JSON".into())),
    }
}
