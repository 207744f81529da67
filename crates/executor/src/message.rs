//! What a loop agent's model is told, in Markdown (the text of a loop's result is that of the released runtime, ruling 57).

use loopwright_lang::{Text, Value, json::print_compact};

use crate::{
    compile::{LoopSpec, loops::LoopKind},
    engine::{Done, LoopDone},
};

/// The message after a loop.
pub(crate) fn loop_result(spec: &LoopSpec, called: &Text, round: &LoopDone) -> Value {
    let kind = spec.config.kind;
    let (label, field, over) = match kind {
        LoopKind::ForEach => {
            ("Collection", "collection", spec.config.collection.as_ref().map_or("", |collection| collection.text.as_str()))
        }
        LoopKind::While | LoopKind::Refine => {
            ("Condition", "condition", spec.config.condition.as_ref().map_or("", |condition| condition.text.as_str()))
        }
    };
    let (ok, failed) = (round.results.len(), round.errors.len());
    let mut text =
        format!("## Loop Completed\n**Type:** {}\n**{label}:** {over}\n**Processed:** {ok}, **Errors:** {failed}\n", kind.name());
    for (number, result) in round.results.iter().enumerate() {
        text.push_str(&format!("\n### Iteration {}\n", number + 1));
        text.push_str(&if spec.task.is_action { result_part(called, result) } else { agent_part(called, result) });
    }
    if ok == 0 {
        text.push('\n');
    }
    if failed > 0 {
        text.push_str(if ok == 0 { "### Errors" } else { "\n### Errors" });
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

/// A value of an output.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Text(text) => text.as_str().to_owned(),
        Value::List(_) | Value::Object(_) => print_compact(value),
        Value::Undefined | Value::Null => "`null`".to_owned(),
        other => format!("`{}`", loopwright_lang::expr::to_text(other)),
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
