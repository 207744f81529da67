//! `C`: the columns every step has (runtime-5.51.3.md, section 1; rulings 28 and 51).

use loopwright_lang::Value;

use super::{Place, Problem, nearest, set_column};
use crate::StepRef;

pub(super) fn step(step: StepRef<'_>, problems: &mut Vec<Problem>) {
    choice(step, "OnErrorBehavior", &["fail", "continue", "retry"], "fail", problems);
    choice(step, "Status", &["Active", "Disabled", "Pending"], "Active", problems);
    let retries = step.field("RetryCount").filter(|value| !value.is_null());
    if let Some(value) = retries {
        let count = value.as_number().filter(|count| *count >= 0.0 && count.fract() == 0.0);
        let place = Place::field(step.id(), "RetryCount");
        match count {
            None => problems.push(Problem::error(
                "C17",
                place,
                format!("RetryCount must be a whole number, 0 or more; found {}.", short(value)),
            )),
            Some(count) if count > 0.0 && step.field("OnErrorBehavior").and_then(Value::as_str) != Some("retry") => {
                let fix = set_column("Set OnErrorBehavior to retry".into(), step, "OnErrorBehavior", "retry");
                let message = "RetryCount counts only when OnErrorBehavior is retry.";
                problems.push(Problem::warning("C18", place, message).with_fix(Some(fix)));
            }
            Some(_) => {}
        }
    }
    if let Some(value) = step.field("TimeoutSeconds").filter(|value| !value.is_null())
        && value.as_number().is_none_or(|seconds| seconds <= 0.0)
    {
        let message = format!("TimeoutSeconds must be more than 0, or null for no limit; found {}.", short(value));
        problems.push(Problem::error("C16", Place::field(step.id(), "TimeoutSeconds"), message));
    }
}

/// A column that takes one of a few words.
fn choice(step: StepRef<'_>, column: &str, words: &[&'static str], usual: &str, problems: &mut Vec<Problem>) {
    let Some(value) = step.field(column).filter(|value| !value.is_null()) else { return };
    let found = value.as_str();
    if found.is_some_and(|found| words.contains(&found)) {
        return;
    }
    let meant = found.and_then(|found| nearest(found, words.iter().copied())).unwrap_or(usual);
    let message = format!("{column} is one of {}; found {}.", words.join(", "), short(value));
    let fix = set_column(format!("Set to {meant}"), step, column, meant);
    problems.push(Problem::error("C19", Place::field(step.id(), column), message).with_fix(Some(fix)));
}

/// A value as it stands in a message: JSON, cut at 40 characters.
pub(super) fn short(value: &Value) -> String {
    let text = loopwright_lang::json::print_compact(value);
    if text.chars().count() > 40 { text.chars().take(39).chain(['…']).collect() } else { text }
}
