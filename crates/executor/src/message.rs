//! What a loop agent's model is told, in Markdown (the text of a loop's result is that of the released runtime, ruling 57).

use loopwright_lang::{Text, Value, json::print_compact};

use crate::{
    compile::{Body, LoopSpec, loops::LoopKind},
    engine::{Done, LoopDone},
};

/// The message after a loop.
pub(crate) fn loop_result(spec: &LoopSpec, called: &Text, round: &LoopDone) -> Value {
    let kind = spec.config.kind;
    let (label, field, over) = match kind {
        LoopKind::ForEach => {
            ("Collection", "collection", spec.config.collection.as_ref().map_or("", |collection| collection.text.as_str()))
        }
        LoopKind::While => ("Condition", "condition", spec.config.condition.as_ref().map_or("", |condition| condition.text.as_str())),
    };
    let (ok, failed) = (round.results.len(), round.errors.len());
    let mut text =
        format!("## Loop Completed\n**Type:** {}\n**{label}:** {over}\n**Processed:** {ok}, **Errors:** {failed}\n", kind.name());
    for (number, result) in round.results.iter().enumerate() {
        text.push_str(&format!("\n### Iteration {}\n", number + 1));
        text.push_str(&match spec.task.body {
            Body::Agent(_) => agent_part(called, result),
            Body::Call(_) if !spec.task.is_action => agent_part(called, result),
            Body::Call(_) => result_part(called, result),
        });
    }
    if failed > 0 {
        text.push_str("\n### Errors");
        for error in round.errors.iter() {
            let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
            text.push_str(&format!("\n• ✗ {message}"));
        }
    }
    Value::object([
        ("role", Value::text("user")),
        ("content", Value::text(text)),
        ("messageType", Value::text("loop-result")),
        ("expirationTurns", Value::Number(3.0)),
        ("type", Value::text(kind.name())),
        (field, Value::text(over)),
        ("processed", Value::Number(ok as f64)),
        ("errors", Value::Number(failed as f64)),
    ])
}

fn result_part(name: &Text, result: &Value) -> String {
    // By the released runtime a result says itself how the action ended.
    if let Some(own) = result.get("priorStepResult").and_then(Value::as_list).and_then(|list| list.first()) {
        let text = |key: &str| own.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let mark = if own.get("success").and_then(Value::as_bool) == Some(true) { '✓' } else { '✗' };
        let params = own.get("params").and_then(Value::as_list).cloned().unwrap_or_default();
        let named = params.iter().filter_map(|param| Some((param.get("Name")?.as_str()?.to_owned(), param.get("Value")?.clone())));
        let shown = outputs(&Value::object(named));
        return format!("## {name} {mark}\n**Result:** {} — {}{shown}", text("resultCode"), text("message"));
    }
    let mut text = format!("## {name} ✓\n**Result:** SUCCESS — ok");
    text.push_str(&outputs(result));
    text
}

fn outputs(result: &Value) -> String {
    let lines: Vec<String> = match result {
        Value::Object(object) => object.iter().map(|(key, value)| format!("• `{key}`: {}", shown(value))).collect(),
        Value::Undefined => Vec::new(),
        other => vec![format!("• {}", shown(other))],
    };
    if lines.is_empty() { String::new() } else { format!("\n**Output:**\n{}", lines.join("\n")) }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Text(text) => text.as_str().to_owned(),
        other => format!("`{}`", print_compact(other)),
    }
}

fn agent_part(name: &Text, payload: &Value) -> String {
    format!("## Sub-agent: {name} ✓\n**Status:** Completed\n**Payload:**\n{}", print_compact(payload))
}

/// What an action of a turn gave.
pub(crate) fn action_part(name: &Text, done: &Done) -> String {
    match &done.error {
        None => result_part(name, &done.result),
        Some(error) => format!("## {name} ✗\n**Result:** ERROR — {error}{}", outputs(&done.result)),
    }
}
