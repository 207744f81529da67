//! How the released runtime goes about a run (runtime-5.51.3.md, sections 2, 4 and 5), where that is another way than the guide's.

mod agents;
mod flow;
mod messages;
mod shapes;
mod turns;

use loopwright_lang::{Text, Value};

pub(crate) use messages::{agent_text, loop_message};
pub(crate) use shapes::action;

/// So many failed steps, or useless retries, in a row end a run.
const TRIES: u32 = 10;

/// What only the released runtime counts in an agent's run.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// The payload the run was given.
    pub(crate) initial: Value,
    /// Failed steps in a row.
    pub(crate) failed: u32,
    /// Retries in a row that said what was wrong.
    pub(crate) retries: u32,
    /// Turns in a row that were added for read tools.
    pub(crate) preemptions: u32,
    /// Prompts that were asked.
    pub(crate) prompts: u64,
    /// The run is to end.
    pub(crate) ended: Option<Ended>,
    /// The step that was added to the list of steps last.
    pub(crate) last: Option<usize>,
}

/// How a run is to end.
#[derive(Clone, Debug)]
pub(crate) enum Ended {
    /// It completed, or waits for an answer to its message.
    Well,
    /// It failed.
    Badly(Text),
}

/// How a run ends that has no way on.
pub(crate) fn ten_tries(last: &str) -> String {
    format!("Agent terminated after {TRIES} consecutive failed steps. Last error: {last}")
}

/// How a run ends whose answers are of no use.
fn ten_retries(last: &str) -> String {
    format!(
        "Agent terminated after {TRIES} consecutive unproductive retries (model repeatedly returned output that could not be parsed or \
         validated). Last error: {last}"
    )
}

/// Whether a failed prompt is not worth asking again.
fn is_fatal(error: &str) -> bool {
    error.to_lowercase().contains("failed to render")
        || ["No suitable model found", "No credentials found", "No valid API credentials"].iter().any(|part| error.contains(part))
}

/// The `step` of a result.
fn step_of(shape: &Value) -> &str {
    shape.get("step").and_then(Value::as_str).unwrap_or_default()
}

/// The `errorMessage` of a result.
fn error_of(shape: &Value) -> Option<Text> {
    shape.get("errorMessage").and_then(Value::as_str).map(Text::from)
}
