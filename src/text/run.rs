//! What the tabs about a run say.

use loopwright_executor::protocol::{BarKind, Exit, Read, State};
use loopwright_panels::{
    script::Ending,
    show::{count, duration},
};

// ── scenario ──
pub const SCENARIO: &str = "Scenario";
pub const NO_SCENARIO: &str = "This flow has no scenario yet. A scenario says what a run starts with and what each call answers.";
pub const NEW: &str = "New scenario";
pub const DUPLICATE: &str = "Duplicate";
pub const DELETE: &str = "Delete";
pub const NAME: &str = "Name of the scenario";
pub const DESCRIPTION: &str = "Description of the scenario";
pub const SEED: &str = "Seed";
pub const STARTS_WITH: &str = "Starts with";
pub const PAYLOAD: &str = "Payload";
pub const DATA: &str = "Data";
pub const CONTEXT: &str = "Context";
pub const CALLS: &str = "Calls answer";
pub const PARTS: &str = "Parts of the scenario";
pub const EMPTY_OBJECT: &str = "{ }";
pub fn part_as_json(part: &str) -> String {
    format!("{part} as JSON")
}

// ── scripts ──
pub const ENDING: &str = "How the call ends";
pub fn ending(ending: Ending) -> &'static str {
    match ending {
        Ending::Answers => "answers",
        Ending::Fails => "answers that it failed",
        Ending::Throws => "throws an error",
    }
}
pub const MESSAGE: &str = "Message";
pub const WHEN: &str = "Only when";
pub const WHEN_PARAM: &str = "Parameter";
pub const WHEN_EQUALS: &str = "equals";
pub const WHEN_ANY: &str = "every call";
pub const LATENCY: &str = "Latency in ms";
pub const LATENCY_MIN: &str = "Least latency in ms";
pub const LATENCY_MAX: &str = "Most latency in ms, if it varies";
pub const TO: &str = "to";
pub const ANSWER: &str = "Answer";
pub fn answer_as_json(name: &str, call: usize) -> String {
    format!("Answer of {name}, call {call}, as JSON")
}
pub fn call(n: usize, last: bool) -> String {
    if last { format!("call {n} and later") } else { format!("call {n}") }
}
pub const EVERY_CALL: &str = "every call";
pub const WHICH_CALL: &str = "Which call";
pub const ADD_CALL: &str = "Add another call";
pub const REMOVE_CALL: &str = "Remove this call";
pub const NO_SCRIPT: &str = "Not scripted: answers with sample values at once.";
pub const SCRIPT_IT: &str = "Script it";
pub const NOT_SCRIPTED_GRAPH: &str = "This agent is a flow of this document: it runs itself. Script it to give its answer instead.";
pub const UNSCRIPT: &str = "Remove the script";
pub const NOTHING_CALLED: &str = "This step calls nothing yet. Choose what it calls in the Configuration tab.";
pub const NO_CALLS: &str = "No step of this document calls anything yet.";
pub fn scripted_calls(n: usize) -> String {
    match n {
        0 => "sample values".into(),
        1 => "scripted".into(),
        n => format!("{n} calls"),
    }
}

// ── states ──
pub fn state(state: State) -> &'static str {
    match state {
        State::Pending => "not begun",
        State::Running => "running",
        State::Succeeded => "succeeded",
        State::Failed => "failed",
        State::Cancelled => "cancelled",
        State::Skipped => "skipped",
    }
}
pub fn short_state(state: State) -> &'static str {
    match state {
        State::Succeeded => "ok",
        State::Pending => "waits",
        State::Running => "running",
        State::Failed => "failed",
        State::Cancelled => "cancelled",
        State::Skipped => "skipped",
    }
}

// ── timeline ──
pub const NO_RUN: &str = "Nothing has run yet. Run the flow to see what happens in it, iteration by iteration.";
pub const TIMELINE: &str = "Timeline";
pub const WHOLE_RUN: &str = "Whole run";
pub const ITERATIONS: &str = "Iterations";
pub const ATTEMPTS: &str = "Attempts";
pub const WAVES: &str = "Waves";
pub fn lane(n: u32) -> String {
    format!("lane {}", n + 1)
}
pub const PLAYHEAD: &str = "Playhead";
/// `23.90 s, event 143 of 402`.
pub fn playhead(time: &str, event: u64, of: u64) -> String {
    format!("{time}, event {} of {}", count(event), count(of))
}
pub const NO_FAILURE: &str = "Nothing failed in this run.";
pub fn n_iterations(n: u64) -> String {
    if n == 1 { "1 iteration".into() } else { format!("{} iterations", count(n)) }
}
/// `20 iterations · one at a time · 28.6 s`.
pub fn loop_bar(n: u64, parallel: bool, us: u64) -> String {
    format!("{} · {} · {}", n_iterations(n), one_at_a_time(parallel), duration(us))
}
/// What a loop's bar is called: its step, then what it shows.
pub fn loop_bar_name(name: &str, words: &str, state: State) -> String {
    format!("{name}: {words}, {}", self::state(state))
}
pub fn attempt_number(n: u64) -> String {
    format!("Attempt {n}")
}
pub const ZOOM_IN: &str = "Zoom in";
pub const ZOOM_OUT: &str = "Zoom out";
pub const ZOOM_FIT: &str = "Show the whole run";
pub const PREVIOUS_EVENT: &str = "Previous event ( , )";
pub const NEXT_EVENT: &str = "Next event ( . )";
pub const PLAY: &str = "Play (Space)";
pub const PLAY_BACK: &str = "Play backwards";
pub const PAUSE: &str = "Pause (Space)";
pub const SPEED: &str = "Speed";
pub fn failures(n: u64) -> String {
    if n == 1 { "1 failure".into() } else { format!("{} failures", count(n)) }
}
pub const NEXT_FAILURE: &str = "Next failure (N)";
pub const PREVIOUS_FAILURE: &str = "Previous failure (Shift+N)";
pub const AS_TABLE: &str = "Table";
pub const AS_BARS: &str = "Bars";
pub fn unfold(name: &str, open: bool) -> String {
    if open { format!("Fold {name}") } else { format!("Unfold {name}") }
}
pub fn ok_failed(ok: u64, failed: u64) -> String {
    if failed == 0 { format!("{} ok", count(ok)) } else { format!("{} ok, {} failed", count(ok), count(failed)) }
}
pub fn of_many(done: u64, of: Option<u64>) -> String {
    match of {
        Some(of) => format!("{} of {}", count(done), count(of)),
        None => count(done),
    }
}
pub fn retries(n: u64) -> String {
    if n == 1 { "1 retry".into() } else { format!("{} retries", count(n)) }
}
pub fn one_at_a_time(parallel: bool) -> &'static str {
    if parallel { "in parallel" } else { "one at a time" }
}
pub fn iteration(index: u64) -> String {
    format!("Iteration {}", count(index + 1))
}
pub fn of_total(of: Option<u64>) -> String {
    of.map(|of| format!(" of {}", count(of))).unwrap_or_default()
}
/// What a bar is called: `Iteration 2 of 3, succeeded, 0.9 s`.
pub fn bar(kind: BarKind, name: &str, index: Option<u64>, of: Option<u64>, state: State, us: u64) -> String {
    let what = match (kind, index) {
        (BarKind::Iteration, Some(index)) => format!("{}{}", iteration(index), of_total(of)),
        (BarKind::Attempt, Some(number)) => format!("Attempt {number}"),
        (BarKind::Batch, Some(number)) => format!("Batch {}", number + 1),
        (BarKind::Delay, _) => return format!("Delay, {}", duration(us)),
        (BarKind::Aggregate { count: n, failed }, _) => return format!("{} bars, {} failed", count(n), count(failed)),
        _ => name.to_owned(),
    };
    format!("{what}, {}, {}", self::state(state), duration(us))
}
pub const TABLE_ROW: &str = "Row";
pub const TABLE_WHAT: &str = "What";
pub const TABLE_STATE: &str = "State";
pub const TABLE_START: &str = "Start";
pub const TABLE_DURATION: &str = "Duration";
pub fn aggregated(n: u64) -> String {
    format!("{} more, too close together to be listed: zoom in", count(n))
}

// ── details ──
pub const DETAILS: &str = "What happened here";
pub const SELECT_BAR: &str = "Select a bar to see its parameters, its result and what it changed.";
pub const PARAMETERS: &str = "Parameters";
pub const NO_PARAMETERS: &str = "none";
pub const RESULT: &str = "Result";
pub const NO_RESULT: &str = "none";
pub const ERROR: &str = "Error";
pub const CHANGE: &str = "Payload change";
pub const NO_CHANGE: &str = "Nothing in the payload changed.";
pub fn change_between(index: Option<u64>) -> String {
    match index {
        Some(index) if index > 0 => format!("Payload change, {index} → {}", index + 1),
        _ => CHANGE.into(),
    }
}
pub fn by(name: &str) -> String {
    format!("by {name}")
}
pub const CONDITION: &str = "Condition";
pub const HELD: &str = "true";
pub const NOT_HELD: &str = "false";
pub const NOT_EVALUABLE: &str = "not evaluable";
pub const NOT_NEEDED: &str = "not needed";
pub const PREVIOUS: &str = "Previous iteration ( [ )";
pub const NEXT: &str = "Next iteration ( ] )";
pub const NOTICES: &str = "Notes";

pub fn reason_start() -> String {
    "It is where the flow starts.".into()
}
pub fn reason_path(from: &str, conditional: bool, recovery: bool, description: Option<&str>) -> String {
    let path = description.map(|text| format!(" “{text}”")).unwrap_or_default();
    match (conditional, recovery) {
        (_, true) => format!("`{from}` failed, and the condition of the path{path} to here was true."),
        (true, false) => format!("After `{from}` the condition of the path{path} to here was true."),
        (false, false) => format!("The path{path} from `{from}` leads here, without a condition."),
    }
}
pub const REASON_FIRST: &str = "It is the first item of the list.";
pub const REASON_NEXT: &str = "The iteration before it had ended, and there was another item.";
pub fn reason_after_failure(index: u64) -> String {
    format!("It ran because `continueOnError` is true: iteration {} failed and the loop went on.", index + 1)
}
pub fn reason_batch(number: u64, size: u64) -> String {
    if size == 1 {
        format!("It is alone in batch {}.", number + 1)
    } else {
        format!("It is one of {size} that ran together in batch {}.", number + 1)
    }
}
pub const REASON_HELD: &str = "The loop’s condition was true before it.";
pub fn reason_retry(attempt: u32, of: u32, error: &str) -> String {
    format!("It is attempt {attempt} of {of}: the one before failed with “{error}”.")
}
pub const REASON_CALLED: &str = "A step called this agent.";
pub fn reason_turn(number: u64) -> String {
    format!("The model asked for it in turn {}.", number + 1)
}
pub fn exit(exit: &str) -> String {
    match exit {
        "completed" => "It ended when every item had had its iteration.".into(),
        "limit" => "It ended at its limit `maxIterations`, with work left over.".into(),
        "failed" => "It ended because an iteration failed and `continueOnError` is not set.".into(),
        "cancelled" => "It was ended from outside.".into(),
        "condition false" => "It ended because its condition was false.".into(),
        other => format!("It ended: {other}."),
    }
}

pub const ASKED: &str = "Each time it was asked";
pub const BEFORE: &str = "Before";
pub const VERDICT: &str = "Verdict";
pub const GO_ON: &str = "true, go on";
pub const STOP: &str = "false, stop";
pub const FROM_START: &str = "as at the start";
pub fn written_by_iteration(index: u64) -> String {
    format!("written by iteration {}", count(index + 1))
}
/// Why a loop ended, in a sentence. `reads` are the values it hung on; `writer` says who left one.
pub fn ended(exit: &Exit, reads: &[&Read], writer: &dyn Fn(&Read) -> String) -> String {
    let most = exit.limit.map(|most| format!(" of at most {}", count(most))).unwrap_or_default();
    let because =
        reads.iter().map(|read| format!("`{}` is `{}`, {}", read.path, read.value, writer(read))).collect::<Vec<_>>().join(", and ");
    let because = if because.is_empty() { String::new() } else { format!(" because {because}") };
    let condition = exit.condition.as_ref().map(|condition| condition.text.trim()).unwrap_or_default();
    match exit.reason.as_deref().unwrap_or_default() {
        "condition false" if exit.iterations == 0 => format!("It never began: `{condition}` was false{because}."),
        "condition false" => format!("It ended after {}{most}: `{condition}` was false{because}.", count(exit.iterations)),
        "limit" => format!("It ended at its limit of {}, with work left over.", n_iterations(exit.iterations)),
        "completed" => format!("It ended when each of its {} had had its turn.", n_items_in_all(exit.iterations)),
        _ => format!("It ended early. {}", exit.cause.as_deref().unwrap_or_default()),
    }
}
fn n_items_in_all(n: u64) -> String {
    if n == 1 { "1 item".into() } else { format!("{} items", count(n)) }
}

// ── iterations ──
pub const LOOP: &str = "Loop";
pub const INNER_LOOP: &str = "Inner loop";
pub const NEXT_SHORT: &str = "Next";
pub const NEXT_WHAT: &str = " failure";
pub const NO_LOOPS: &str = "No loop has begun in this run.";
pub const FILTER: &str = "Filter the iterations";
pub const FILTER_EXAMPLE: &str = "status:failed item.id=42";
pub const FILTER_HELP: &str = "For example status:failed, item.id=42, result.success=false, duration>2s, -retry, or any word";
pub const SAVE_CSV: &str = "Save these rows as a table (CSV)";
pub fn matched(n: u64) -> String {
    match n {
        0 => "none fits".into(),
        1 => "1 fits".into(),
        n => format!("{} fit", count(n)),
    }
}
pub fn show_only(state: State) -> String {
    format!("Show only what is {}, or all again", self::state(state))
}
pub fn sort_by(name: &str) -> String {
    format!("Sort by {}", if name == COLUMN_NUMBER { "number" } else { name })
}
pub const COLUMN_NUMBER: &str = "#";
pub const COLUMN_ITEM: &str = "Item";
pub const COLUMN_STATE: &str = "State";
pub const COLUMN_DURATION: &str = "Duration";
pub const COLUMN_PARAMS: &str = "Parameters";
pub const COLUMN_RESULT: &str = "Result";
pub fn rows_of(from: u64, to: u64, total: u64) -> String {
    if total == 0 { "No rows".into() } else { format!("Rows {} – {} of {}", count(from + 1), count(to), count(total)) }
}
pub const CLICK_ROW: &str = "Click a row: the canvas, the payload and every preview move to it";
pub const NONE_FITS: &str = "No iteration of this loop fits the filter.";

// ── payload ──
pub fn payload_at(time: &str) -> String {
    format!("Payload at {time}")
}
pub const COMPARED_WITH: &str = "Compared with";
pub const THE_START: &str = "the start";
pub const STEP_BEFORE: &str = "before the selected step";
pub const ITERATION_BEFORE: &str = "before the selected iteration";
pub const PIN: &str = "Pin this moment to compare with it";
pub fn pinned(time: &str) -> String {
    format!("the pinned moment, {time}")
}
pub const CHANGES: &str = "Changes";
pub const NO_CHANGES: &str = "Nothing changed between the two moments.";
pub fn written_by(name: &str) -> String {
    format!("written by {name}")
}
pub fn more_items(n: usize) -> String {
    format!("… {} more", count(n as u64))
}
pub fn n_items(n: usize) -> String {
    if n == 1 { "1 item".into() } else { format!("{} items", count(n as u64)) }
}
pub fn n_keys(n: usize) -> String {
    if n == 1 { "1 key".into() } else { format!("{} keys", count(n as u64)) }
}

// ── events ──
pub const EVENTS: &str = "Events";
pub fn go_to_event(n: u64) -> String {
    format!("Move the playhead to event {}", count(n))
}
pub const COLUMN_EVENT: &str = "Event";
pub const COLUMN_TIME: &str = "Time";
pub const COLUMN_KIND: &str = "What";
pub const COLUMN_STEP: &str = "Step";
pub const COLUMN_ITERATION: &str = "Iteration";
pub const COLUMN_TEXT: &str = "Detail";
pub const SAVE_LOG: &str = "Save run log";
pub const SAVE_LOG_TITLE: &str = "Save the run log: the same bytes as loopwright simulate --log writes";
pub fn events(n: u64) -> String {
    if n == 1 { "1 event".into() } else { format!("{} events", count(n)) }
}
