//! What the released runtime adds to a run's conversation.

use loopwright_lang::{List, Text, Value, expr::to_text, json::print_compact};

/// A message of the user.
pub(super) fn user(content: impl Into<Text>) -> Value {
    Value::object([("role", Value::text("user")), ("content", Value::Text(content.into()))])
}

/// The same with what says when it goes.
fn expiring(content: String, kind: &str, turn: u64, more: &[(&'static str, Value)]) -> Value {
    let mut metadata = vec![("turnAdded", Value::Number(turn as f64)), ("messageType", Value::text(kind))];
    metadata.extend(more.iter().cloned());
    metadata.extend([("expirationTurns", Value::Number(3.0)), ("expirationMode", Value::text("Remove"))]);
    Value::object([("role", Value::text("user")), ("content", Value::text(content)), ("metadata", Value::object(metadata))])
}

/// An action was called, or several at once.
pub(super) fn invoked(calls: &[(Text, Value)]) -> Value {
    let listed = |params: &Value, indent: &str| -> Option<String> {
        let params = params.as_object().filter(|params| !params.is_empty())?;
        let lines: Vec<String> = params.iter().map(|(key, value)| format!("{indent}• **{key}**: {}", short(value))).collect();
        Some(lines.join("\n"))
    };
    user(match calls {
        [(name, params)] => match listed(params, "") {
            Some(lines) => format!("[You invoked the **{name}** action with parameters:\n{lines}\n]"),
            None => format!("[You invoked the **{name}** action.]"),
        },
        _ => {
            let parts = calls.iter().enumerate().map(|(at, (name, params))| {
                let lines = listed(params, "   ").map_or_else(String::new, |lines| format!("\n{lines}"));
                format!("{}. **{name}**{lines}", at + 1)
            });
            format!("[You invoked **{} actions** in parallel:\n\n{}\n]", calls.len(), parts.collect::<Vec<_>>().join("\n\n"))
        }
    })
}

/// What actions gave; their summaries as results hold them.
pub(super) fn results(summaries: &[Value]) -> Value {
    let failed = summaries.iter().filter(|one| one.get("success").and_then(Value::as_bool) != Some(true)).count();
    let head = if failed > 0 { format!("{failed} of {} action(s) failed:", summaries.len()) } else { "Action results:".to_owned() };
    user(format!("{head}\n{}", actions_text(summaries.iter())))
}

fn actions_text<'v>(summaries: impl Iterator<Item = &'v Value>) -> String {
    let one = |summary: &Value| {
        let text = |key: &str| summary.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
        let mark = if summary.get("success").and_then(Value::as_bool) == Some(true) { '✓' } else { '✗' };
        let (name, code) = (text("actionName").unwrap_or_default(), text("resultCode").unwrap_or_default());
        let mut lines = vec![
            format!("## {name} {mark}"),
            format!("**Result:** {code} — {}", text("message").unwrap_or_else(|| "(no message)".to_owned())),
        ];
        if let Some(params) = summary.get("params").and_then(Value::as_list).filter(|params| !params.is_empty()) {
            lines.push("**Output:**".to_owned());
            let name = |param: &Value| param.get("Name").and_then(Value::as_str).unwrap_or_default().to_owned();
            lines.extend(params.iter().map(|param| {
                let value = param.get("Value").unwrap_or(&Value::Undefined);
                format!("• `{}`: {}", name(param), crate::message::shown(value))
            }));
        }
        lines.join("\n")
    };
    summaries.map(one).collect::<Vec<_>>().join("\n\n")
}

/// A value of a parameter, cut short.
fn short(value: &Value) -> String {
    let text = match value {
        Value::Undefined | Value::Null => return "null".to_owned(),
        Value::Text(text) => text.as_str().to_owned(),
        Value::List(_) | Value::Object(_) => print_compact(value),
        other => to_text(other).to_string(),
    };
    let units: Vec<u16> = text.encode_utf16().collect();
    match units.get(..100) {
        Some(start) if units.len() > 100 => format!("`{}...`", String::from_utf16_lossy(start)),
        _ => format!("`{text}`"),
    }
}

/// A task was handed to an agent.
pub(super) fn delegated(name: &str, reason: Option<&Text>, side_by_side: bool) -> Value {
    let reason = reason.map_or("undefined", Text::as_str);
    user(if side_by_side {
        format!("[You delegated this task to the parallel sub-agent \"{name}\". Reason: {reason}]")
    } else {
        format!("[You delegated this task to the \"{name}\" agent. Reason: {reason}]")
    })
}

/// What an agent gave, read off its result.
pub(crate) fn agent_text(name: &str, shape: &Value) -> String {
    let ok = shape.get("success").and_then(Value::as_bool) == Some(true);
    let run = |key: &str| shape.get("agentRun").and_then(|run| run.get(key)).and_then(Value::as_str).filter(|text| !text.is_empty());
    let mut lines = vec![format!("## Sub-agent: {name} {}", if ok { '✓' } else { '✗' })];
    lines.push(format!("**Status:** {}", run("Status").unwrap_or(if ok { "Completed" } else { "Failed" })));
    if let (false, Some(error)) = (ok, run("ErrorMessage")) {
        lines.push(format!("**Error:** {error}"));
    }
    match shape.get("payload") {
        None | Some(Value::Undefined | Value::Null) => {}
        Some(Value::Text(text)) => lines.push(format!("**Payload:**\n{text}")),
        Some(payload) => lines.push(format!("**Payload:**\n{}", print_compact(payload))),
    }
    lines.join("\n")
}

/// The message after an agent.
pub(super) fn agent_result(name: &Text, id: Option<&Text>, shape: &Value, turn: u64) -> Value {
    let more = [("subAgentName", Value::Text(name.clone())), ("subAgentId", id.cloned().map_or(Value::Undefined, Value::Text))];
    expiring(agent_text(name, shape), "sub-agent-result", turn, &more)
}

/// The message after a loop.
pub(crate) fn loop_message(kind: &str, over: (&str, &str), results: &List, errors: &List, turn: u64) -> Value {
    let mut lines = Vec::new();
    for (at, result) in results.iter().enumerate() {
        match result.get("priorStepResult") {
            Some(Value::List(summaries)) => lines.extend([format!("### Iteration {}", at + 1), actions_text(summaries.iter())]),
            Some(Value::Text(text)) => lines.extend([format!("### Iteration {}", at + 1), text.as_str().to_owned()]),
            _ => {}
        }
    }
    if !errors.is_empty() {
        lines.push("### Errors".to_owned());
        let message = |error: &Value| error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
        lines.extend(errors.iter().map(|error| format!("• ✗ {}", message(error))));
    }
    let (label, text) = over;
    let head = format!(
        "## Loop Completed\n**Type:** {kind}\n**{label}:** {text}\n**Processed:** {}, **Errors:** {}\n\n",
        results.len(),
        errors.len()
    );
    expiring(head + &lines.join("\n"), "loop-result", turn, &[])
}

/// Whether a message goes before the next prompt, after so many that were asked.
pub(super) fn has_expired(message: &Value, prompts: u64) -> bool {
    let metadata = message.get("metadata");
    let number = |key: &str| metadata.and_then(|metadata| metadata.get(key)).and_then(Value::as_number);
    let mode = metadata.and_then(|metadata| metadata.get("expirationMode")).and_then(Value::as_str);
    number("expirationTurns").is_some_and(|turns| mode == Some("Remove") && prompts as f64 - number("turnAdded").unwrap_or(0.0) > turns)
}
