//! What the inspector says.

use loopwright_lang::{Severity, mapping::Rule};
use loopwright_model::StepKind;

pub const TITLE: &str = "Title";
pub const TABS: &str = "Parts of the step";
pub const CONFIGURATION: &str = "Configuration";
pub const INPUTS: &str = "Inputs";
pub const OUTPUTS: &str = "Outputs";
pub const MOCK: &str = "Mock";
pub const JSON: &str = "JSON";

pub const UNNAMED: &str = "Without a name";
pub fn kind(kind: StepKind, written: &str) -> String {
    match kind {
        StepKind::Unknown if written.is_empty() => "Step without a type".into(),
        StepKind::Unknown => format!("{written} · kept as it is"),
        known => known.name().into(),
    }
}
pub fn kind_line(kind: &str, body: Option<(&str, &str)>) -> String {
    match body {
        Some((what, name)) if !what.is_empty() => format!("{kind} · body: {what} {name}"),
        Some((_, name)) => format!("{kind} · {name}"),
        None => kind.into(),
    }
}
pub fn body_word(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Action => "action",
        StepKind::SubAgent => "agent",
        StepKind::Prompt => "prompt",
        _ => "",
    }
}

pub const CLOSE: &str = "Select nothing";

// fields
pub const GROUP_STEP: &str = "Step";
pub const GROUP_LOOP: &str = "Loop";
pub const GROUP_BODY: &str = "Body";
pub const GROUP_ERRORS: &str = "When it fails";
pub const GROUP_CALL: &str = "Call";
pub const OPTIONAL: &str = "optional";
pub const NOT_JSON_FIELDS: &str =
    "The Configuration is not a JSON object, so its fields cannot be shown one by one. It is kept as it is; mend it in the JSON tab.";
pub const NOT_JSON_ROWS: &str =
    "This mapping is not a JSON object, so its rows cannot be shown. It is kept as it is; mend it in the JSON tab.";
pub const OPEN_JSON: &str = "Open JSON";
pub const ON_ERROR: [(&str, &str); 3] = [
    ("fail", "fail: follow a conditional path, or end"),
    ("continue", "continue: go on as after success"),
    ("retry", "retry: try again, then fail"),
];
pub const STATUS: [(&str, &str); 3] = [("Active", "Active"), ("Disabled", "Disabled"), ("Pending", "Pending")];
pub const MODE: [(&str, &str); 2] = [("sequential", "sequential: one at a time"), ("parallel", "parallel: in batches")];
pub const BODY: [(&str, &str); 3] = [("Action", "Action"), ("Sub-Agent", "Sub-Agent"), ("Prompt", "Prompt")];
pub const STARTING: &str = "The flow starts here";
pub const CONTINUE_ON_ERROR: &str = "Go on with the next iteration after one that failed";
pub fn default_is(value: &str) -> String {
    format!("{value} if empty")
}
pub const NOTHING: &str = "";
pub const NO_LIMIT: &str = "no limit";
pub fn other_value(value: &str) -> String {
    format!("{value} (as written)")
}

// picker
pub fn pick(kind: StepKind) -> &'static str {
    match kind {
        StepKind::SubAgent => "Sub-Agent",
        StepKind::Prompt => "Prompt",
        _ => "Action",
    }
}
pub fn pick_placeholder(kind: StepKind) -> &'static str {
    match kind {
        StepKind::SubAgent => "Search agents",
        StepKind::Prompt => "Search prompts",
        _ => "Search actions",
    }
}
pub fn not_in_catalogue(name: &str) -> String {
    format!("“{name}” is not in the catalogue. A run stops here until it is.")
}
pub const NOTHING_FOUND: &str = "Nothing in the catalogue has that name";
pub fn add_to_catalogue(name: &str) -> String {
    format!("Add “{name}” to the catalogue")
}

// mappings
pub const REQUIRED: &str = "required";
pub const NO_VALUE: &str = "no value";
pub fn rule(rule: Rule) -> &'static str {
    match rule {
        Rule::Static => "static",
        Rule::LoopPath | Rule::LoopVariable => "loop variable",
        Rule::RootPath => "payload path",
        Rule::LoopIndex => "loop index",
        Rule::Conversation => "conversation",
        Rule::Expression => "expression",
        Rule::Template => "template",
        Rule::PlainText => "text",
        Rule::Value => "value",
    }
}
pub fn root_path(root: &str) -> String {
    format!("{root} path")
}
pub const ADD_INPUT: &str = "Add input";
pub const ADD_OUTPUT: &str = "Add output";
pub const NO_INPUTS: &str = "Nothing is passed on. Add an input, or choose an action whose inputs are known.";
pub const NO_OUTPUTS: &str = "Nothing of the result is kept. Add an output to write it into the payload.";
pub const INPUT_NAME: &str = "Name of the new input";
pub const OUTPUT_NAME: &str = "Name of the new output; * is the whole result";
pub const PAYLOAD_TREE: &str = "Payload tree";
pub const PAYLOAD_TREE_HELP: &str = "Drag a path into a row, or choose it for the row you were in last.";
pub fn use_path(path: &str) -> String {
    format!("Use {path}")
}
pub const ADD: &str = "Add";
pub const CANCEL: &str = "Cancel";
pub fn value_of(name: &str) -> String {
    format!("Value of {name}")
}
pub fn target_of(name: &str) -> String {
    format!("Where {name} is written")
}
pub fn remove(name: &str) -> String {
    format!("Remove {name}")
}
pub fn rename(name: &str) -> String {
    format!("Rename {name}")
}
pub fn new_name(name: &str) -> String {
    format!("New name of {name}")
}
pub fn name_taken(name: &str) -> String {
    format!("There is already one named {name}.")
}
pub const WHOLE_RESULT: &str = "whole result";
pub const NOT_MAPPED: &str = "not mapped";
pub const FIX: &str = "Fix";

// iteration
pub const VALUES_ITERATION: &str = "Values in iteration";
pub fn of(n: u64) -> String {
    format!("of {n}")
}
/// `2`, in nested loops `2 › 5`.
pub fn iteration_path(path: &[u64]) -> String {
    path.iter().map(|index| loopwright_panels::show::count(index + 1)).collect::<Vec<_>>().join(" › ")
}
pub const VALUES_LAST_RUN: &str = "Values of the last run";
pub const VALUES_SCENARIO: &str = "Values of the scenario’s start";
pub const VALUES_NONE: &str = "No values: there is no scenario";
pub const PREVIOUS_ITERATION: &str = "Previous iteration";
pub const NEXT_ITERATION: &str = "Next iteration";

// completion
pub const COMPLETIONS: &str = "Completions";

// JSON
pub const JSON_ABSENT: &str = "Nothing is written here.";
pub fn json_of(column: &str) -> String {
    format!("{column} as JSON")
}
pub fn at_line(line: usize, column: usize, message: &str) -> String {
    format!("Line {line}, column {column}: {message}")
}
pub const JSON_NOT_OBJECT: &str = "This is JSON, but not an object in braces as it has to be.";
pub const OTHER_COLUMNS: &str = "Other columns";
pub const OTHER_COLUMNS_KEPT: &str = "Columns we do not know are kept and come out again as they came.";

// path
pub const PATH: &str = "Path";
pub fn path_title(from: &str, to: &str) -> String {
    format!("{from} → {to}")
}
pub const PATH_ALWAYS: &str = "Without a condition: always open";
pub const PATH_PRIORITY_HELP: &str = "The highest open path is taken; ties in file order.";
pub fn path_holds(truthy: bool) -> &'static str {
    if truthy { "the path is open" } else { "the path is closed" }
}
pub fn while_holds(truthy: bool) -> &'static str {
    if truthy { "it goes on" } else { "it stops" }
}
pub const NOT_EVALUABLE: &str = "not evaluable here";
pub fn items(n: u64) -> String {
    if n == 1 { "1 item".into() } else { format!("{} items", loopwright_panels::show::count(n)) }
}
pub fn not_a_list(what: &str) -> String {
    format!("is {what}, not a list")
}
pub const ENDS_MISSING: &str = "a step that is not there";

// note
pub const NOTE: &str = "Note";
pub const NOTE_TEXT: &str = "Text of the note";

// graph
pub const GRAPH: &str = "Flow agent";
pub const DOCUMENT: &str = "Document";
pub const STARTS_AT: &str = "Starts at";
pub const NO_START: &str = "No active step is marked as a start.";
pub const COUNTS: &str = "Holds";
pub fn counts(steps: usize, paths: usize) -> String {
    let steps = if steps == 1 { "1 step".into() } else { format!("{steps} steps") };
    let paths = if paths == 1 { "1 path".into() } else { format!("{paths} paths") };
    format!("{steps}, {paths}")
}
pub fn selected(n: usize) -> String {
    format!("{n} things are selected")
}
pub const SELECT_ONE: &str = "Select one to see and change what it holds.";
pub const EMPTY_FLOW: &str = "This flow has no steps yet. Drag one from the palette onto the canvas.";

// severities
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "Error",
        Severity::Warning => "Warning",
        Severity::Hint => "Hint",
    }
}
pub fn errors(n: usize) -> String {
    if n == 1 { "1 problem".into() } else { format!("{n} problems") }
}
pub const RENAME_THERE: &str = "Rename there, too";
/// What still uses a variable's old name.
pub fn still_used(old: &str, places: usize) -> String {
    if places == 1 { format!("`{old}` is still used in 1 place:") } else { format!("`{old}` is still used in {places} places:") }
}
