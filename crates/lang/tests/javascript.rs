//! What a JavaScript engine made of some thousand expressions of the subset (`tests/js-agreement`), against what we make of them.
#![allow(clippy::unwrap_used)]

use loopwright_lang::{Profile, Scope, Semantics, Text, Value, expr, json};

/// Values that JSON does not have: `{"$undefined": true}`, `{"$number": "-0"}`.
fn decode(value: &Value) -> Value {
    match value {
        Value::Object(object) if object.contains_key("$undefined") => Value::Undefined,
        Value::Object(object) if object.contains_key("$number") => {
            Value::Number(object.get("$number").and_then(Value::as_str).unwrap().replace("Infinity", "inf").parse().unwrap())
        }
        Value::Object(object) => Value::object(object.iter().map(|(key, value)| (key.clone(), decode(value)))),
        Value::List(list) => Value::list(list.iter().map(decode)),
        other => other.clone(),
    }
}

/// The same value, the sign of zero included.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::List(a), Value::List(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|((key, a), (other, b))| key == other && same(a, b))
        }
        _ => match (a.as_number(), b.as_number()) {
            (Some(a), Some(b)) => (a == b && a.is_sign_negative() == b.is_sign_negative()) || (a.is_nan() && b.is_nan()),
            _ => a == b,
        },
    }
}

#[test]
fn expressions_give_what_javascript_gives() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/js-agreement/cases.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(|line| json::parse(line).value().unwrap());
    let first = lines.next().unwrap();
    let context = first.get("context").unwrap();
    let scope = Scope {
        payload: context.get("payload").cloned(),
        data: context.get("data").cloned(),
        names: vec![(Text::from("index"), context.get("index").cloned().unwrap())],
        ..Scope::default()
    };
    // JavaScript's order of keys, since a JavaScript engine made the cases; all else of the language is the same in both profiles.
    let semantics = Semantics { key_order: loopwright_lang::KeyOrder::JavaScript, ..Semantics::of(Profile::Documented) };
    let (mut count, mut failures) = (0, Vec::new());
    for case in lines {
        count += 1;
        let text = case.get("e").and_then(Value::as_str).unwrap();
        let actual = expr::parse(text).evaluate(&scope, &semantics);
        let agrees = match (case.get("r").map(decode), &actual) {
            (None, Err(error)) => !error.code.starts_with("expr_unsupported"),
            (Some(expected), Ok(actual)) => same(&expected, actual),
            _ => false,
        };
        if !agrees {
            failures.push(format!("{text}\n    JavaScript: {}\n    here: {actual:?}", json::print_compact(&case)));
        }
    }
    assert!(count > 4000, "only {count} cases");
    assert!(failures.is_empty(), "{} of {count} differ:\n{}", failures.len(), failures.join("\n"));
}
