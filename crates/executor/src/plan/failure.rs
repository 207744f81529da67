//! Failures of tasks: their kinds, what is tried again, and what they look like as a result.

use loopwright_lang::{Text, Value};

use super::{AGENT_TIMED_OUT, CONTRACT, Outcome, TIMED_OUT, UNKNOWN};

/// What kind of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// May be tried again.
    Transient,
    /// The tool says that trying again is no use.
    Terminal,
    /// It broke off, and whether it had an effect is not known.
    Unknown,
    /// What came back is no result. Never continued.
    Contract,
}

impl Kind {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Transient => "handler_transient",
            Self::Terminal => "handler_terminal",
            Self::Unknown => "execution_unknown",
            Self::Contract => "handler_contract",
        }
    }
}

/// A failure of one attempt.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Its code.
    pub code: Text,
    /// Why.
    pub message: Text,
    /// What kind it is.
    pub kind: Kind,
}

impl Failure {
    /// The failure of an attempt; `Ok` is its result.
    pub(super) fn of(outcome: Outcome) -> Result<Value, Self> {
        let failure = |code: &str, message: &str, kind| Self { code: code.into(), message: message.into(), kind };
        Err(match outcome {
            Outcome::Returned(value) => return Ok(value),
            Outcome::Failed { code, message, retryable } => {
                Self { code, message: clean(&message), kind: if retryable { Kind::Transient } else { Kind::Terminal } }
            }
            Outcome::Broke => failure(UNKNOWN, "Task execution failed.", Kind::Unknown),
            Outcome::NoResult => failure(CONTRACT, "Task handler returned an invalid result.", Kind::Contract),
            Outcome::AgentTimedOut => failure(AGENT_TIMED_OUT, "Workflow Sub Agent timed out.", Kind::Transient),
            Outcome::Fired => failure(TIMED_OUT, "Task attempt timed out.", Kind::Transient),
        })
    }

    /// As the result of a task that goes on after a failure.
    pub fn result(&self) -> Value {
        Value::object([
            ("failed", Value::Bool(true)),
            ("error_code", Value::Text(self.code.clone())),
            ("error", Value::Text(self.message.clone())),
            ("kind", Value::text(self.kind.name())),
        ])
    }
}

/// A message without control characters and runs of white space, at most 256 characters long.
fn clean(message: &str) -> Text {
    let spaced: String = message.chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
    let words = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = words.chars().take(256).collect();
    let cut = cut.trim();
    if cut.is_empty() { "Task execution failed.".into() } else { cut.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_of_at_most_256_characters() {
        let long = "é".repeat(300);
        let cases = [
            ("  a\n\tb\u{7}c\u{a0}\u{2003}d ", "a b c d"),
            ("", "Task execution failed."),
            ("\u{1}\u{9f}", "Task execution failed."),
            (&long, &long[..512]),
        ];
        for (message, cleaned) in cases {
            assert_eq!(clean(message).as_str(), cleaned);
        }
        let at_the_cut = format!("{} tail", "x".repeat(255));
        assert_eq!(clean(&at_the_cut).as_str(), "x".repeat(255), "a space at the cut is trimmed");
    }
}
