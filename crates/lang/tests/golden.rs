//! Runs the golden cases of the language: what the documentation says, and what the released runtime was seen to do.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use loopwright_lang::{Profile, Scope, Semantics, Text, Value, expr, json};

/// The cases of one file, each with its id.
fn cases(file: &str) -> Vec<(String, Value)> {
    let path = format!("{}/../../tests/golden/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let read = |line: &str| {
        let case = json::parse(line).value().expect("a case is JSON");
        (case.get("id").and_then(Value::as_str).unwrap_or_default().to_owned(), case)
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(read).collect()
}

/// Values that JSON does not have are written as `{"$undefined": true}` and `{"$number": "NaN"}`.
fn decode(value: &Value) -> Value {
    match value {
        Value::Object(object) if object.len() == 1 && object.contains_key("$undefined") => Value::Undefined,
        Value::Object(object) if object.len() == 1 && object.contains_key("$number") => Value::Number(
            object.get("$number").and_then(Value::as_str).and_then(|text| text.replace("Infinity", "inf").parse().ok()).unwrap(),
        ),
        Value::Object(object) => Value::object(object.iter().map(|(key, value)| (key.clone(), decode(value)))),
        Value::List(list) => Value::list(list.iter().map(decode)),
        other => other.clone(),
    }
}

fn shown(value: &Value) -> String {
    format!("{value:?}")
}

/// Fails with every case that differs, not only with the first.
fn report(file: &str, failures: &[String], count: usize) {
    assert!(count > 0, "{file} has no cases");
    assert!(failures.is_empty(), "{file}: {} of {count} cases differ:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn conditions_agree_with_the_released_runtime() {
    let semantics = Semantics::of(Profile::Mj5513);
    let file = "mj-5.51.3/expressions.jsonl";
    let (mut failures, mut refused, mut count) = (Vec::new(), Vec::new(), 0);
    for (id, case) in cases(file) {
        count += 1;
        let input = case.get("input").unwrap();
        let text = input.get("expr").and_then(Value::as_str).unwrap();
        let mut scope = Scope::default();
        for (key, value) in input.get("context").and_then(Value::as_object).unwrap().iter() {
            let value = decode(value);
            match key.as_str() {
                "payload" => scope.payload = Some(value),
                "data" => scope.data = Some(value),
                "context" => scope.context = Some(value),
                "stepResult" => scope.step_result = Some(value),
                "flowContext" => scope.flow_context = Some(value),
                "results" => scope.results = Some(value),
                "errors" => scope.errors = Some(value),
                other => scope.names.push((Text::from(other), value)),
            }
        }
        let expected = case.get("expected").unwrap();
        let expected_value =
            expected.get("ok").and_then(Value::as_bool).unwrap().then(|| expected.get("value").and_then(Value::as_bool).unwrap());
        match (expected_value, expr::Condition::new(text, &semantics).holds(&scope, &semantics)) {
            (Some(expected), Ok(actual)) if expected == actual => {}
            (None, Err(_)) => {}
            (Some(_), Err(error)) if error.code.starts_with("expr_unsupported_") => refused.push(id),
            (expected, actual) => failures.push(format!("{id} {text}: expected {expected:?}, got {actual:?}")),
        }
    }
    println!("refused: {refused:?}");
    report(file, &failures, count);
}
