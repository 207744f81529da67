//! Runs of flows, loops and loop agents.

use loopwright_executor::{
    Simulation,
    compile::CalleeKind,
    engine::Call,
    log::RunLog,
    payload::same,
    protocol::{FrameKind, RunState},
};
use loopwright_lang::{Object, Profile, Value, json::print_compact};

use super::{Outcome, compare::Comparison, convert::convert};

/// Runs a case of `flows`, `loops` or `loop-agents`.
pub fn run_case(kind: &str, profile: Profile, case: &Value) -> Outcome {
    if !matches!(kind, "flows" | "loops" | "loop-agents") {
        return Outcome::Failed(format!("there is no such kind of run: {kind}"));
    }
    let (Some(input), Some(expected)) = (case.get("input"), case.get("expected")) else {
        return Outcome::Failed("the case has no input or no expected outcome".to_owned());
    };
    let simulation = match run(input, profile) {
        Ok(simulation) => simulation,
        Err(error) => return Outcome::Failed(error),
    };
    if profile == Profile::Mj5513 {
        let differences = super::released::compare(&simulation, expected, input);
        return if differences.is_empty() { Outcome::Passed } else { Outcome::Failed(differences.join("\n  ")) };
    }
    let compact = input.get("compact").and_then(Value::as_bool) == Some(true);
    let actual = outcome(&simulation, compact);
    let mut comparison = Comparison { scripted: print_compact(input), ..Comparison::default() };
    let mut wanted = expected.as_object().cloned().unwrap_or_default();
    let mut found = actual.as_object().cloned().unwrap_or_default();
    // What a case does not say is not compared, but for how the run went.
    for name in ["messages", "finalMessage", "finalReasoning", "finalConfidence"] {
        if !wanted.contains_key(name) {
            found.remove(name);
        }
    }
    if let (Some(a), Some(b)) = (wanted.remove("errorMessage"), found.remove("errorMessage")) {
        match (a.as_str(), b.as_str()) {
            (Some(a), Some(b)) => comparison.message("errorMessage", a, b),
            _ => comparison.values("errorMessage", &a, &b),
        }
    }
    comparison.values("", &Value::Object(wanted), &Value::Object(found));
    if comparison.differences.is_empty() { Outcome::Passed } else { Outcome::Failed(comparison.differences.join("\n  ")) }
}

/// Runs a case's flow to its end, noting every call.
pub fn run(input: &Value, profile: Profile) -> Result<Simulation, String> {
    let converted = convert(input)?;
    let made = Simulation::new(&converted.document, converted.graph, Some(converted.scenario), profile);
    let mut simulation = made.map_err(|trouble| trouble.message)?;
    simulation.trace();
    simulation.run_to_end();
    Ok(simulation)
}

/// What came of a run, in the form of a case.
fn outcome(simulation: &Simulation, compact: bool) -> Value {
    let log = simulation.log();
    let mut out = Object::new();
    let success = matches!(log.state, RunState::Completed | RunState::Message);
    out.insert("success", Value::Bool(success));
    out.insert(
        "exit",
        Value::text(match log.state {
            RunState::Completed => "completed",
            RunState::Message => "message",
            RunState::Failed => "failed",
            RunState::Limit => "limit",
            RunState::Cancelled => "cancelled",
            RunState::Running => "running",
        }),
    );
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            out.insert(name, value);
        }
    };
    put("errorMessage", log.error.clone().map(Value::Text));
    put("finalMessage", log.final_message.clone().map(Value::Text));
    put("finalReasoning", log.final_reasoning.clone().map(Value::Text));
    put("finalConfidence", log.final_confidence.map(Value::Number));
    put("finalPayload", Some(log.final_payload.clone()));
    let parts = parts(simulation);
    let names: Vec<Value> = parts.iter().map(|(name, _)| Value::text(name.as_str())).collect();
    let results: Vec<Value> = parts.iter().map(|(name, result)| step_result(name, result, compact)).collect();
    let calls = simulation.traced();
    if compact {
        let one = |call: Option<&(u64, Call)>| call.map_or(Value::Null, call_value);
        put("executionPath", Some(Value::object([("count", count(names.len()))])));
        let first = Value::list(results.iter().take(3).cloned());
        put("stepResults", Some(Value::object([("count", count(results.len())), ("first", first)])));
        let summary = [("count", count(calls.len())), ("first", one(calls.first())), ("last", one(calls.last()))];
        put("calls", Some(Value::object(summary)));
    } else {
        put("executionPath", Some(Value::list(names)));
        put("stepResults", Some(Value::list(results)));
        put("calls", Some(Value::list(calls.iter().map(call_value))));
    }
    put("messages", Some(messages(log)));
    put("maxConcurrentCalls", Some(Value::Number(f64::from(log.most_calls))));
    let end = log.rows.first().map_or(0, |row| row.end);
    put("endTime", Some(Value::Number(end as f64 / 1_000.0)));
    Value::Object(out)
}

fn count(number: usize) -> Value {
    Value::Number(number as f64)
}

/// The steps or turns of the outermost run, with their results.
fn parts(simulation: &Simulation) -> Vec<(String, Value)> {
    let log = simulation.log();
    let Some(agent) = log.agents.first() else { return Vec::new() };
    let mut parts = Vec::new();
    for number in &agent.parts {
        let Some(row) = log.row(*number) else { continue };
        // A turn that completes the task has no result, and is no entry.
        if row.kind == FrameKind::Turn && row.result.is_undefined() {
            continue;
        }
        let name = row.result.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        parts.push((name, row.result.clone()));
    }
    parts
}

fn step_result(name: &str, result: &Value, compact: bool) -> Value {
    let mut fields = Object::new();
    fields.insert("step", Value::text(name));
    for key in ["success", "errorMessage", "iterations", "exitReason", "results", "errors"] {
        let Some(value) = result.get(key) else { continue };
        let value = match (compact, key, value) {
            (true, "results", Value::List(list)) => {
                let last = list.len().checked_sub(1).and_then(|at| list.get(at)).cloned();
                let last = last.map_or(Value::Null, |last| last);
                Value::object([("count", count(list.len())), ("last", last)])
            }
            _ => value.clone(),
        };
        fields.insert(key, value);
    }
    Value::Object(fields)
}

fn call_value((at, call): &(u64, Call)) -> Value {
    let kind = match call.kind {
        CalleeKind::Action => "action",
        CalleeKind::Prompt => "prompt",
        CalleeKind::Agent => "subagent",
    };
    let mut fields = Object::new();
    fields.insert("t", Value::Number(*at as f64 / 1_000.0));
    fields.insert("kind", Value::text(kind));
    fields.insert("name", Value::Text(call.name.clone()));
    match call.kind {
        CalleeKind::Action => {
            fields.insert("params", call.params.clone());
        }
        CalleeKind::Prompt => {
            fields.insert("payload", call.payload.clone());
        }
        CalleeKind::Agent => {
            fields.insert("message", call.message.clone().map_or(Value::Undefined, Value::Text));
            fields.insert("payload", call.payload.clone());
            if call.params.as_object().is_some_and(|params| !params.is_empty()) {
                fields.insert("templateParameters", call.params.clone());
            }
            if let Some(context) = &call.context {
                fields.insert("context", context.clone());
            }
        }
    }
    fields.insert("iterationPath", Value::list(call.path.iter().map(|index| Value::Number(*index as f64))));
    Value::Object(fields)
}

/// The loop-result messages that the outermost agent's model was given, without their texts.
fn messages(log: &RunLog) -> Value {
    let mut found: Vec<Value> = Vec::new();
    for (_, said) in log.agents.first().map(|agent| agent.messages.as_slice()).unwrap_or_default() {
        for message in said.as_list().map(|list| list.iter().cloned().collect::<Vec<_>>()).unwrap_or_default() {
            let is_result = message.get("messageType").and_then(Value::as_str) == Some("loop-result");
            if is_result && !found.iter().any(|known| same(known, &message)) {
                found.push(message);
            }
        }
    }
    Value::list(found.into_iter().map(|message| {
        let mut fields = message.as_object().cloned().unwrap_or_default();
        fields.remove("content");
        Value::Object(fields)
    }))
}
