//! What the Problems tab says.

use loopwright_lang::Severity;

pub const FILTER: &str = "Which problems are shown";
pub const ALL: &str = "All";
pub fn filter(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "Errors",
        Severity::Warning => "Warnings",
        Severity::Hint => "Hints",
    }
}
pub const NONE: &str = "No problems. Everything that can be checked before a run has been checked.";
pub const NONE_OF_KIND: &str = "None of this kind.";
pub const LIST: &str = "Problems";
pub const FIX: &str = "Fix";
pub fn fix(label: &str) -> String {
    if label.is_empty() { FIX.into() } else { label.into() }
}
pub const INPUTS: &str = "Inputs";
pub const OUTPUTS: &str = "Outputs";
pub const CATALOGUE: &str = "Catalogue";
pub const SCENARIO: &str = "Scenario";
pub fn path(from: &str, to: &str) -> String {
    format!("{from} → {to}")
}
pub const DOCUMENT: &str = "Document";
pub const RUN: &str = "Run";
pub fn times(message: &str, n: u64) -> String {
    format!("{message} ({} times)", loopwright_panels::show::count(n))
}
pub fn run_failed(error: &str) -> String {
    format!("The run failed here: {error}")
}
