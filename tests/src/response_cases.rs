//! Cases of `loop-responses`: what the released runtime makes of a model's answer.

use loopwright_executor::response::{Asked, next_step};
use loopwright_lang::{Object, Value, json::print_compact};

use crate::{
    case::{Case, Outcome, decode, outcome_of},
    golden::compare::Comparison,
};

/// `{ response }` (or `raw`, the model's text; `error`, why it failed) → `{ next }`.
pub fn loop_response(case: &Case) -> Outcome {
    let text = |name: &str| case.input(name).and_then(Value::as_str).map(str::to_owned);
    let failed = case.input("success").and_then(Value::as_bool) == Some(false);
    let asked = match (text("error").or_else(|| text("errorMessage")), ["raw", "text", "result"].iter().find_map(|name| text(name))) {
        (error, _) if failed || error.is_some() => Asked::Failed(error),
        (_, Some(raw)) => Asked::Text(raw),
        _ => match case.input("response") {
            // Text in fences is no value of any JSON text, so it is the text itself.
            Some(Value::Text(text)) if text.starts_with("```") => Asked::Text(text.as_str().to_owned()),
            Some(response) => Asked::Value(decode(response)),
            None => Asked::Text(String::new()),
        },
    };
    let found = next_step(&asked, &mut 0);
    let expected = case.expected("next").and_then(Value::as_object).map(known).unwrap_or_default();
    let mut comparison = Comparison { scripted: print_compact(&case.value), ..Comparison::default() };
    // The words of a JavaScript engine's own exception are its own.
    let thrown = |fields: &Object| {
        fields.get("errorMessage").and_then(Value::as_str).is_some_and(|text| text.starts_with("Failed to parse loop agent response: "))
    };
    let (mut wanted, mut own) = (expected, known(&found));
    if thrown(&wanted) && thrown(&own) {
        wanted.remove("errorMessage");
        own.remove("errorMessage");
    }
    comparison.values("next", &Value::Object(wanted), &Value::Object(own));
    outcome_of(comparison.differences)
}

/// Without what is `undefined`, at any depth.
fn known(fields: &Object) -> Object {
    fn cleaned(value: &Value) -> Value {
        match value {
            Value::Object(object) => Value::Object(known(object)),
            Value::List(list) => Value::list(list.iter().map(cleaned)),
            other => other.clone(),
        }
    }
    let decoded = fields.iter().map(|(key, value)| (key.clone(), decode(value)));
    decoded.filter(|(_, value)| !value.is_undefined()).map(|(key, value)| (key, cleaned(&value))).collect()
}
