//! What a step left behind, in the shapes of the released runtime (runtime sections 2 and 5).

use loopwright_lang::{Object, Text, Value};
use loopwright_model::StepKind;

use super::Done;

/// A failed step.
fn failed(error: Option<&Text>) -> Value {
    Value::object([("step", Value::text("Failed")), ("errorMessage", error.cloned().map_or(Value::Undefined, Value::Text))])
}

/// The result of one action: it failed only if it broke off, which `done` tells by having no outputs.
pub(crate) fn action(name: &Text, done: &Done, before: &Value, after: &Value) -> Value {
    let threw = !done.ok && done.result.is_undefined();
    let message = match (&done.error, threw) {
        (None, _) => Value::text("ok"),
        (Some(error), true) => Value::text(format!("Error executing actions: {error}")),
        (Some(error), false) => Value::Text(error.clone()),
    };
    let code = if threw {
        "ERROR"
    } else if done.ok {
        "SUCCESS"
    } else {
        "FAILED"
    };
    let outputs = done.result.as_object().cloned().unwrap_or_default();
    let params = outputs.iter().map(|(name, value)| {
        Value::object([("Name", Value::Text(name.clone())), ("Value", value.clone()), ("Type", Value::text("Output"))])
    });
    let result = Value::object([
        ("actionName", Value::Text(name.clone())),
        ("success", Value::Bool(!threw)),
        ("resultCode", Value::text(code)),
        ("message", message),
        ("params", Value::list(params)),
    ]);
    Value::object([
        ("step", Value::text("Retry")),
        ("terminate", Value::Bool(false)),
        ("priorStepResult", Value::list([result])),
        ("retryReason", Value::text("Analyzing results from 1 completed action(s) to formulate response")),
        ("newPayload", after.clone()),
        ("previousPayload", before.clone()),
    ])
}

/// The result of a step.
pub(crate) fn step(kind: StepKind, called: &Text, done: &Done, before: &Value, after: &Value) -> Value {
    match kind {
        StepKind::Action if done.ok || done.acted => action(called, done, before, after),
        StepKind::Prompt if done.ok => Value::object([
            ("Success", Value::Bool(true)),
            ("step", Value::text("Success")),
            ("result", if done.result.as_str().is_some() { Value::Null } else { done.result.clone() }),
            ("rawResult", done.result.clone()),
        ]),
        StepKind::SubAgent => {
            let mut fields: Object = [
                ("success", Value::Bool(done.ok)),
                ("step", Value::text(if done.ok { "Success" } else { "Failed" })),
                ("payload", done.result.clone()),
                ("newPayload", after.clone()),
            ]
            .into_iter()
            .collect();
            if let Some(error) = &done.error {
                fields.insert("errorMessage", Value::Text(error.clone()));
            }
            Value::Object(fields)
        }
        StepKind::ForEach | StepKind::While if done.ok => {
            let count = done.round.as_ref().map_or(0, |round| round.iterations);
            let text = format!("Completed {} loop request after {count} iteration(s)", kind.name());
            Value::object([("step", Value::text("Retry")), ("retryInstructions", Value::text(text)), ("newPayload", after.clone())])
        }
        _ => failed(done.error.as_ref()),
    }
}

/// A list as the object of its places, which is how the runtime merges one.
pub(crate) fn by_place(value: &Value) -> Value {
    match value {
        Value::List(list) => Value::object(list.iter().enumerate().map(|(at, value)| (at.to_string(), value.clone()))),
        other => other.clone(),
    }
}
