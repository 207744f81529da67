//! What a step left behind, in the shapes of the released runtime (runtime sections 2 and 5).

use loopwright_lang::{Object, Text, Value};

use super::super::Done;

/// A failed step.
pub(super) fn failed(error: Option<&Text>, payload: &Value) -> Value {
    Value::object([
        ("step", Value::text("Failed")),
        ("terminate", Value::Bool(false)),
        ("errorMessage", error.cloned().map_or(Value::Undefined, Value::Text)),
        ("previousPayload", payload.clone()),
        ("newPayload", payload.clone()),
    ])
}

/// A step that was of no use and says why.
pub(super) fn retry(error: &str, payload: &Value) -> Value {
    Value::object([
        ("step", Value::text("Retry")),
        ("terminate", Value::Bool(false)),
        ("errorMessage", Value::text(error)),
        ("previousPayload", payload.clone()),
        ("newPayload", payload.clone()),
    ])
}

/// What one action gave: it failed only if it broke off.
fn summary(name: &Text, done: &Done) -> Value {
    let message = match (&done.note, &done.error) {
        (Some(note), _) if !done.threw => Value::Text(note.clone()),
        (_, Some(error)) if done.threw => Value::text(format!("Error executing actions: {error}")),
        (_, Some(error)) => Value::Text(error.clone()),
        (_, None) => Value::text("ok"),
    };
    let code = match &done.code {
        Some(code) if !done.threw => code.as_str(),
        _ if done.threw => "ERROR",
        _ if done.ok => "SUCCESS",
        _ => "FAILED",
    };
    let outputs = done.result.as_object().cloned().unwrap_or_default();
    let params = outputs.iter().map(|(name, value)| {
        Value::object([("Name", Value::Text(name.clone())), ("Value", value.clone()), ("Type", Value::text("Output"))])
    });
    Value::object([
        ("actionName", Value::Text(name.clone())),
        ("success", Value::Bool(!done.threw)),
        ("resultCode", Value::text(code)),
        ("message", message),
        ("params", Value::list(params)),
    ])
}

/// The result of actions.
pub(crate) fn actions<'d>(done: impl Iterator<Item = (&'d Text, &'d Done)>, before: &Value, after: &Value) -> Value {
    let mut failed: Vec<&str> = Vec::new();
    let mut summaries = Vec::new();
    for (name, done) in done {
        if done.threw {
            failed.push(name);
        }
        summaries.push(summary(name, done));
    }
    let reason = if failed.is_empty() {
        format!("Analyzing results from {} completed action(s) to formulate response", summaries.len())
    } else {
        format!("Processing results with {} failed action(s): {}", failed.len(), failed.join(", "))
    };
    Value::object([
        ("step", Value::text("Retry")),
        ("terminate", Value::Bool(false)),
        ("priorStepResult", Value::list(summaries)),
        ("retryReason", Value::text(reason)),
        ("newPayload", after.clone()),
        ("previousPayload", before.clone()),
    ])
}

/// The result of one action.
pub(crate) fn action(name: &Text, done: &Done, before: &Value, after: &Value) -> Value {
    actions([(name, done)].into_iter(), before, after)
}

/// The result of a prompt.
pub(super) fn prompt(answer: Value, raw: &Value) -> Value {
    Value::object([
        ("Success", Value::Bool(true)),
        ("step", Value::text("Success")),
        ("result", answer),
        ("rawResult", Value::object([("success", Value::Bool(true)), ("result", raw.clone())])),
    ])
}

/// The result of an agent.
pub(super) fn agent(done: &Done, before: &Value, after: &Value) -> Value {
    let word = if done.ok { "Success" } else { "Failed" };
    let error = done.error.clone().map_or(Value::Undefined, Value::Text);
    let run: Object = [
        ("FinalStep", Value::text(word)),
        ("Status", Value::text(if done.ok { "Completed" } else { "Failed" })),
        ("Success", Value::Bool(done.ok)),
        ("ErrorMessage", if done.ok { Value::Undefined } else { error.clone() }),
    ]
    .into_iter()
    .collect();
    let mut fields: Object = [
        ("success", Value::Bool(done.ok)),
        ("payload", done.result.clone()),
        ("agentRun", Value::Object(run)),
        ("step", Value::text(word)),
        ("terminate", Value::Bool(false)),
        ("previousPayload", before.clone()),
        ("newPayload", after.clone()),
    ]
    .into_iter()
    .collect();
    if !done.ok {
        fields.insert("errorMessage", error);
    }
    Value::Object(fields)
}

/// The result of a loop, which says nothing of its iterations.
pub(super) fn round(text: &str, before: &Value, after: &Value) -> Value {
    Value::object([
        ("step", Value::text("Retry")),
        ("retryInstructions", Value::text(text)),
        ("terminate", Value::Bool(false)),
        ("newPayload", after.clone()),
        ("previousPayload", before.clone()),
    ])
}
