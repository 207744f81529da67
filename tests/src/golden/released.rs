//! Runs as the released runtime made them: its own words for how a run ended, and a trace of calls and pauses.

use loopwright_executor::{
    Simulation,
    compile::CalleeKind,
    engine::Call,
    log::EventKind,
    protocol::{RunState, State},
};
use loopwright_lang::{Object, Value, json::print_compact};

use super::compare::Comparison;

const COMPLETED: &str = "Flow completed - no more paths to follow";

/// Compares a run with what the runtime did; the differences.
pub(super) fn compare(simulation: &Simulation, expected: &Value, input: &Value) -> Vec<String> {
    let log = simulation.log();
    let mut comparison = Comparison { scripted: print_compact(input), ..Comparison::default() };
    let success = matches!(log.state, RunState::Completed | RunState::Message);
    let field = |name: &str| expected.get(name).cloned().unwrap_or_default();
    comparison.values("success", &field("success"), &Value::Bool(success));
    let last = field("finalStep");
    let step = last.get("step").and_then(Value::as_str).unwrap_or_default();
    if step == "Threw" {
        // The reference's own limit stopped it, or a JavaScript engine did: ours has words of its own.
        if log.error.is_none() {
            comparison.differ("finalStep.errorMessage", "some text", "nothing");
        }
        if last.get("errorMessage").and_then(Value::as_str) == Some("ORACLE_STEP_LIMIT") {
            if log.state != RunState::Limit {
                comparison.differ("finalStep", "a limit", "something else");
            }
            return comparison.differences;
        }
    } else {
        let own = match log.state {
            // What a message to the user was taken for: the run did not succeed.
            RunState::Failed if step == "Retry" => "Retry",
            RunState::Completed => "Success",
            RunState::Message => "Chat",
            _ => "Failed",
        };
        comparison.values("finalStep.step", &Value::text(step), &Value::text(own));
        let text = |name: &str| last.get(name).and_then(Value::as_str);
        let is_flow = input.get("type").and_then(Value::as_str) != Some("Loop");
        let message = log.final_message.as_deref().or((is_flow && log.state == RunState::Completed).then_some(COMPLETED));
        let by_message = !success && text("errorMessage").is_none() && text("message") == log.error.as_deref();
        if text("message") != message && !by_message {
            comparison.differ("finalStep.message", text("message").unwrap_or("nothing"), message.unwrap_or("nothing"));
        }
        match (text("errorMessage"), log.error.as_deref()) {
            (None, None) => {}
            (None, Some(_)) if by_message => {}
            (Some(wanted), Some(_)) if wanted.contains("no scripted prompt") => {}
            (wanted, found) if wanted == found => {}
            (wanted, found) => comparison.differ("finalStep.errorMessage", wanted.unwrap_or("nothing"), found.unwrap_or("nothing")),
        }
    }
    for (name, own) in
        [("reasoning", log.final_reasoning.clone().map(Value::Text)), ("confidence", log.final_confidence.map(Value::Number))]
    {
        let wanted = last.get(name).cloned().unwrap_or_default();
        comparison.values(&format!("finalStep.{name}"), &wanted, &own.unwrap_or_default());
    }
    let payload = field("finalPayload");
    if !payload.is_nullish() {
        comparison.values("finalPayload", &payload, &log.final_payload);
    }
    if expected.get("executionPath").and_then(Value::as_list).is_some() && step != "Threw" {
        comparison.values("executionPath", &field("executionPath"), &path(simulation));
    }
    let calls = calls(simulation);
    let actions: Vec<&Value> = calls.iter().filter(|call| kind(call) == "action").collect();
    let most = if actions.is_empty() { 0 } else { log.most_calls };
    comparison.values("maxConcurrentActions", &field("maxConcurrentActions"), &Value::Number(f64::from(most)));
    match field("trace") {
        Value::List(trace) => {
            let wanted = trace.iter().filter(|event| matches!(kind(event), "action" | "prompt" | "subagent" | "delay")).map(known);
            comparison.values("trace", &Value::list(wanted), &Value::list(calls));
        }
        trace @ Value::Object(_) => {
            let bodies: Vec<&Value> = calls.iter().filter(|call| kind(call) != "delay").collect();
            let one = |call: Option<&&Value>| call.map_or(Value::Null, |call| (*call).clone());
            let delays = calls.len() - bodies.len();
            let part = |name: &str| trace.get(name).map(known).unwrap_or_default();
            comparison.values("trace.bodyRuns", &part("bodyRuns"), &Value::Number(bodies.len() as f64));
            comparison.values("trace.first", &part("first"), &one(bodies.first()));
            comparison.values("trace.last", &part("last"), &one(bodies.last()));
            comparison.values("trace.delays", &part("delays"), &Value::Number(delays as f64));
        }
        _ => {}
    }
    if input.get("type").and_then(Value::as_str) == Some("Loop") {
        let wanted = loop_results(&field("conversationMessages"));
        let said = log.agents.first().and_then(|agent| agent.messages.last()).map(|(_, said)| said.clone()).unwrap_or_default();
        comparison.values("conversationMessages", &wanted, &loop_results(&said));
    }
    comparison.differences
}

/// Of a conversation the messages about loops.
fn loop_results(said: &Value) -> Value {
    let is_result = |message: &&Value| {
        let metadata = message.get("metadata");
        metadata.and_then(|metadata| metadata.get("messageType")).and_then(Value::as_str) == Some("loop-result")
    };
    Value::list(said.as_list().into_iter().flat_map(|list| list.iter()).filter(is_result).cloned())
}

fn kind(event: &Value) -> &str {
    event.get("t").and_then(Value::as_str).unwrap_or_default()
}

/// Of an event of a trace what a run has to agree with.
fn known(event: &Value) -> Value {
    match event {
        Value::Object(fields) => Value::Object(
            fields.iter().filter(|(key, _)| key.as_str() != "agent").map(|(key, value)| (key.clone(), value.clone())).collect::<Object>(),
        ),
        other => other.clone(),
    }
}

/// The steps that were done, each once.
fn path(simulation: &Simulation) -> Value {
    let log = simulation.log();
    let mut names: Vec<Value> = Vec::new();
    let parts = log.agents.first().map(|agent| agent.parts.as_slice()).unwrap_or_default();
    for (at, part) in parts.iter().enumerate() {
        let Some(row) = log.row(*part).filter(|row| row.state != State::Running) else { continue };
        // A step that ended the run itself is not marked as done.
        let ended =
            row.result.get("step").and_then(Value::as_str) == Some("Chat") || row.result.get("terminate") == Some(&Value::Bool(true));
        if ended && at + 1 == parts.len() {
            continue;
        }
        let Some(step) = simulation.execution().compiled().step_numbered(row.step) else { continue };
        let name = Value::Text(step.name.clone());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Value::list(names)
}

/// Calls and pauses in order.
fn calls(simulation: &Simulation) -> Vec<Value> {
    let log = simulation.log();
    let mut all: Vec<(u32, Value)> = Vec::new();
    for (_, call) in simulation.traced() {
        all.push((log.row(call.row).map_or(u32::MAX, |row| row.events.0), event(call)));
    }
    for (at, _) in log.kinds.iter().enumerate().filter(|(_, kind)| **kind == EventKind::DelayStart) {
        let round = log.event_rows.get(at).and_then(|row| log.loop_(*row));
        let ms = round.map_or(0.0, |round| round.spec.config.delay as f64 / 1_000.0);
        let delay = Value::object([("t", Value::text("delay")), ("ms", Value::Number(ms))]);
        all.push((u32::try_from(at).unwrap_or(u32::MAX), delay));
    }
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, event)| event).collect()
}

fn event(call: &Call) -> Value {
    let mut fields = Object::new();
    let mut put = |name: &str, value: Value| {
        fields.insert(name, value);
    };
    put("name", Value::Text(call.name.clone()));
    match call.kind {
        CalleeKind::Action => {
            put("t", Value::text("action"));
            put("params", call.params.clone());
        }
        CalleeKind::Prompt => {
            put("t", Value::text("prompt"));
            put("payload", call.payload.clone());
        }
        CalleeKind::Agent => {
            put("t", Value::text("subagent"));
            put("message", call.message.clone().map_or(Value::Undefined, Value::Text));
            put("payload", call.payload.clone());
            put("templateParameters", call.params.clone());
            put("messages", call.said.clone().unwrap_or_default());
        }
    }
    Value::Object(fields)
}
