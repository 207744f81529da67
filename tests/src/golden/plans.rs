//! Plans: what the validator says of them, and how they run.

use std::sync::Arc;

use loopwright_executor::plan::{Call, Driver, End, Outcome as Came, PlanRun};
use loopwright_lang::{Text, Value, json};
use loopwright_model::plan::{EPOCH_2024, Known, PlanProblem, check, parse_duration, parse_until};

use super::{Outcome, compare::Comparison, text};
use crate::case::outcome_of;

/// What the cases of the validator know.
const TOOLS: [&str; 4] = ["fetch", "inspect", "notify", "sum"];
/// What the runs may call.
const RUN_TOOLS: [&str; 8] = ["src", "echo", "boom", "slow", "flaky", "crash", "odd", "loud"];

fn known(tools: &[&str], now: i64) -> Known {
    Known { tools: Some(tools.iter().copied().map(Text::from).collect()), agents: Some(vec!["analyst".into()]), now }
}

/// A case of the validator: accepted, or the first problem's code, node and path.
pub fn validation(line: &str, case: &Value) -> Outcome {
    let root = json::parse(line).root;
    let Some(plan) = root.as_ref().and_then(|root| root.member("plan")) else {
        return Outcome::Failed("the case has no plan".into());
    };
    let now = case.get("now").and_then(Value::as_str).and_then(|now| parse_until(now).ok()).unwrap_or(EPOCH_2024);
    let checked = check(&plan.value, &known(&TOOLS, now));
    let Some(expected) = case.get("outcome") else { return Outcome::Failed("the case has no outcome".into()) };
    let mut differences = Vec::new();
    let accepted = expected.get("accepted").and_then(Value::as_bool) == Some(true);
    if checked.plan.is_some() != accepted || checked.problems.is_empty() != accepted {
        let told: Vec<&str> = checked.problems.iter().map(|problem| problem.message.as_str()).collect();
        differences.push(format!("accepted should be {accepted}; found {told:?}"));
    }
    if let Some(first) = checked.problems.first().filter(|_| !accepted) {
        let wanted = |key: &str| expected.get(key).and_then(Value::as_str);
        if first.source_code() != wanted("error_code") {
            differences.push(format!("error_code: {:?} instead of {:?} ({})", first.source_code(), wanted("error_code"), first.message));
        }
        for (key, found) in [("node_id", first.node.as_deref()), ("path", first.path.as_deref())] {
            if let Some(wanted) = wanted(key).filter(|wanted| found != Some(wanted)) {
                differences.push(format!("{key}: {found:?} instead of {wanted:?}"));
            }
        }
        let (null_node, code) = (expected.get("node_id").is_some_and(Value::is_null), wanted("error_code"));
        if null_node && code.is_some() && first.node.is_some() {
            differences.push(format!("node_id: {:?} instead of null", first.node));
        }
    }
    outcome_of(differences)
}

/// A run: what it returned or raised, what it called, and its last status.
pub fn run(line: &str, case: &Value) -> Outcome {
    let Some(root) = json::parse(line).root else { return Outcome::Failed("the case is not JSON".into()) };
    let checked = check(&root, &known(&RUN_TOOLS, EPOCH_2024));
    let Some(plan) = checked.plan else {
        return Outcome::Failed(format!(
            "the plan is refused: {:?}",
            checked.problems.first().map(|problem: &PlanProblem| &problem.message)
        ));
    };
    let cancel = case.get("cancel").filter(|cancel| !cancel.is_null()).map(|cancel| {
        let after = parse_duration(text(cancel, "after")).unwrap_or(0);
        (after, cancel.get("reason").cloned().unwrap_or(Value::Null))
    });
    let mut driver = Driver::new(PlanRun::start(Arc::new(plan), EPOCH_2024), cancel);
    let source = case.get("src_result").cloned().unwrap_or(Value::Null);
    driver.run_to_end(&mut |call| answer(call, &source));
    let run = &driver.run;
    let mut comparison = Comparison { scripted: line.to_owned(), ..Comparison::default() };
    let Some(expected) = case.get("outcome") else { return Outcome::Failed("the case has no outcome".into()) };
    match (expected.get("returned"), run.output(), run.end()) {
        (Some(wanted), Some(found), _) => {
            let without_error = |value: &Value| {
                let mut fields = value.as_object().cloned().unwrap_or_default();
                fields.remove("error");
                Value::Object(fields)
            };
            comparison.values("returned", &without_error(wanted), &without_error(&found));
        }
        (None, None, Some(End::Raised { node, code, .. })) => {
            if let Some(wanted) = expected.get("node_id").and_then(Value::as_str).filter(|wanted| *wanted != node) {
                comparison.differ("node_id", wanted, node);
            }
            let wanted = expected.get("error_code").and_then(Value::as_str);
            if expected.get("node_id").is_some() && code.as_deref() != wanted {
                comparison.differ("error_code", wanted.unwrap_or("none"), code.as_deref().unwrap_or("none"));
            }
        }
        (_, _, end) => comparison.differ("outcome", &json::print_compact(expected), &format!("{end:?}")),
    }
    let activity = Value::list(run.activity().into_iter().map(Value::from));
    comparison.values("activity_order", &case.get("activity_order").cloned().unwrap_or_default(), &activity);
    if let Some(wanted @ Value::Object(_)) = case.get("final_custom_status") {
        comparison.values("final_custom_status", wanted, &run.status().unwrap_or_default());
    }
    outcome_of(comparison.differences)
}

/// What the registered tools do.
fn answer(call: &Call, source: &Value) -> (u64, Came) {
    let seconds = |key: &str| call.given.get(key).and_then(Value::as_number).map_or(0, |seconds| (seconds * 1_000_000.0) as u64);
    let failed = |code: &str, message: &str, retryable| Came::Failed { code: code.into(), message: message.into(), retryable };
    if call.is_agent {
        let task = call.given.as_str().unwrap_or_default();
        let text = Value::object([("agent", Value::Text(call.name.clone())), ("text", call.given.clone())]);
        return (
            0,
            match task {
                _ if task.starts_with("timeout!") => Came::AgentTimedOut,
                _ if task.starts_with("crash!") => Came::Broke,
                _ => Came::Returned(text),
            },
        );
    }
    match call.name.as_str() {
        "src" => (0, Came::Returned(source.clone())),
        "boom" => (seconds("after"), failed("bad_row", "Bad row.", false)),
        "slow" => (seconds("seconds"), Came::Returned(call.given.clone())),
        "flaky" => {
            let fails = call.given.get("fails").and_then(Value::as_number).unwrap_or(0.0);
            let came = if f64::from(call.attempt) <= fails {
                failed("busy", "Busy.", true)
            } else {
                Came::Returned(Value::object([("attempts", Value::Number(f64::from(call.attempt)))]))
            };
            (0, came)
        }
        "crash" => (0, Came::Broke),
        "odd" => (0, Came::NoResult),
        "loud" => (0, failed("loud", call.given.get("text").and_then(Value::as_str).unwrap_or_default(), false)),
        _ => (0, Came::Returned(call.given.clone())),
    }
}
