//! Cases whose outcome is known. The runs of flows and loops live here: a case becomes a document by edits, is run, and what
//! came of it is compared.

pub mod compare;
pub mod convert;
pub mod loop_tasks;
pub mod plans;
mod released;
pub mod runs;

pub use runs::run_case;

use loopwright_lang::Value;

/// What came of a case.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It agrees.
    Passed,
    /// It differs: the places, and what is there.
    Failed(String),
    /// It asks for something that we refuse on purpose.
    Refused,
}

/// The cases of a file, one a line, by our own reader, which keeps how numbers are spelled.
pub fn cases(text: &str) -> Vec<Value> {
    text.lines().filter(|line| !line.trim().is_empty()).filter_map(|line| loopwright_lang::json::parse(line).value()).collect()
}

/// A text field of a case, or nothing.
pub fn text<'a>(case: &'a Value, name: &str) -> &'a str {
    case.get(name).and_then(Value::as_str).unwrap_or_default()
}
