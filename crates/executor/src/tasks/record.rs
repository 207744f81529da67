//! What is kept of each task: status, attempts, value, error, rounds.

use loopwright_lang::{Text, Value};

/// A task's status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Status {
    /// Not started.
    #[default]
    Waiting,
    /// Running.
    Active,
    /// Ended with a value.
    Done,
    /// Ended with an error.
    Failed,
    /// Its condition does not hold, or one before it has no value.
    Skipped,
    /// The run stopped.
    Cancelled,
    /// A gate that waits for a person.
    Paused,
    /// A gate that a person closed.
    Rejected,
}

impl Status {
    const ALL: [Self; 8] =
        [Self::Waiting, Self::Active, Self::Done, Self::Failed, Self::Skipped, Self::Cancelled, Self::Paused, Self::Rejected];

    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Active => "active",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Cancelled => "cancelled",
            Self::Paused => "paused",
            Self::Rejected => "rejected",
        }
    }

    /// The status of that word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Whether it ended and has no value, so that nothing after it runs.
    pub fn is_without_value(self) -> bool {
        matches!(self, Self::Failed | Self::Skipped | Self::Cancelled | Self::Rejected)
    }
}

/// The status of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStatus {
    /// All went well; skipped tasks are no failure.
    Done,
    /// A task failed, a budget was spent, or the deadline passed.
    Failed,
    /// Someone stopped it.
    Cancelled,
    /// It rests at a gate.
    Paused,
    /// A person closed a gate.
    Rejected,
}

impl RunStatus {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Paused => "paused",
            Self::Rejected => "rejected",
        }
    }
}

/// The phases of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// A candidate is made.
    Attempt,
    /// It is judged.
    Check,
    /// It was judged.
    Complete,
}

impl Phase {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Attempt => "attempt",
            Self::Check => "check",
            Self::Complete => "complete",
        }
    }

    /// The phase of that word.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Attempt, Self::Check, Self::Complete].into_iter().find(|phase| phase.name() == name)
    }
}

/// What a check decided.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The candidate is the task's value.
    Done,
    /// It is not; this is what the next attempt is told.
    Rejected(Text),
}

impl Verdict {
    /// Reads a check's answer: `{ "done": true }` or `{ "done": false, "feedback": "…" }`, whatever else is in it.
    pub fn read(answer: &Value) -> Option<Self> {
        match answer.get("done")?.as_bool()? {
            true => Some(Self::Done),
            false => match answer.get("feedback")? {
                Value::Text(feedback) => Some(Self::Rejected(feedback.clone())),
                _ => None,
            },
        }
    }

    /// As it is kept.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Done => Value::object([("done", Value::Bool(true))]),
            Self::Rejected(feedback) => Value::object([("done", Value::Bool(false)), ("feedback", Value::Text(feedback.clone()))]),
        }
    }
}

/// A value that a call gave. What JSON cannot say has a name besides.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Candidate {
    /// The value, as far as we have one like it.
    pub value: Value,
    /// What it really is: `NaN`, `Date`, ….
    pub special: Option<Text>,
}

impl From<Value> for Candidate {
    fn from(value: Value) -> Self {
        Self { value, special: None }
    }
}

impl Candidate {
    /// Whether it can be saved: plain JSON, or nothing at all.
    pub fn can_be_saved(&self) -> bool {
        self.special.is_none() && (self.value.is_undefined() || is_plain(&self.value))
    }
}

/// Whether a value is JSON through and through: no nothing inside, no NaN, infinity or minus zero.
pub(crate) fn is_plain(value: &Value) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Undefined => return false,
            Value::List(items) => open.extend(items.iter()),
            Value::Object(members) => open.extend(members.values()),
            other => {
                if other.as_number().is_some_and(|number| !number.is_finite() || (number == 0.0 && number.is_sign_negative())) {
                    return false;
                }
            }
        }
    }
    true
}

/// One round of a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// Its number, from 1.
    pub number: u64,
    /// How far it got.
    pub phase: Phase,
    /// Its candidate, `Undefined` too; absent before there is one, and in a run that is not saved.
    pub output: Option<Value>,
    /// The verdict.
    pub check: Option<Verdict>,
}

impl Round {
    /// As the source system keeps it.
    pub fn to_value(&self) -> Value {
        let mut members = vec![("round", Value::Number(self.number as f64)), ("phase", Value::text(self.phase.name()))];
        members.extend(self.output.as_ref().map(|output| ("output", output_value(output))));
        members.extend(self.check.as_ref().map(|check| ("check", check.to_value())));
        Value::object(members)
    }
}

/// A value or nothing, as it is kept.
pub(crate) fn output_value(output: &Value) -> Value {
    match output {
        Value::Undefined => Value::object([("kind", Value::text("undefined"))]),
        value => Value::object([("kind", Value::text("json")), ("value", value.clone())]),
    }
}

/// Why a task failed, or was rejected.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// A call broke off.
    Thrown {
        /// Why.
        message: Text,
        /// A code of its own.
        code: Option<Text>,
        /// When the server wants to be asked again, in milliseconds.
        retry_after_ms: Option<f64>,
    },
    /// The attempt or the round took too long.
    Timeout(u64),
    /// All rounds were rejected; the last feedback.
    Exhausted(u64, Text),
    /// A check gave no verdict; what it gave.
    Verdict(Text),
    /// A value was read that is not in `after`.
    Undeclared(Text),
    /// A condition or an expression check cannot be evaluated.
    Expression(Text),
    /// The key of the cache has no value, or is not plain JSON.
    CacheKey(Text),
    /// A value cannot be saved.
    NotJson(Text),
    /// A person said no; the actor and the reason.
    Rejected(Text, Text),
    /// More rounds than are simulated.
    TooManyRounds,
}

impl Failure {
    /// The word of its kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Thrown { .. } => "thrown",
            Self::Timeout(_) => "timeout",
            Self::Exhausted(..) => "exhausted",
            Self::Verdict(_) => "verdict",
            Self::Undeclared(_) => "undeclared",
            Self::Expression(_) => "expression",
            Self::CacheKey(_) => "cacheKey",
            Self::NotJson(_) => "notJson",
            Self::Rejected(..) => "rejected",
            Self::TooManyRounds => "limit",
        }
    }

    /// The run's code if it is the first.
    pub fn code(&self) -> Text {
        match self {
            Self::Timeout(_) => "timeout".into(),
            Self::Rejected(..) => "rejected".into(),
            Self::TooManyRounds => "limit".into(),
            Self::Thrown { code: Some(code), .. } => code.clone(),
            _ => "failed".into(),
        }
    }

    /// What to tell a person.
    pub fn message(&self) -> String {
        match self {
            Self::Thrown { message, .. } => message.to_string(),
            Self::Timeout(ms) => format!("Timed out after {ms} ms"),
            Self::Exhausted(rounds, feedback) => {
                let rounds = if *rounds == 1 { "1 round".to_owned() } else { format!("{rounds} rounds") };
                format!("Not accepted in {rounds}; the last feedback was: {feedback}")
            }
            Self::Verdict(found) => {
                format!("A check must give {{\"done\":true}} or {{\"done\":false,\"feedback\":\"…\"}}; it gave {found}")
            }
            Self::Undeclared(message) | Self::Expression(message) => message.to_string(),
            Self::CacheKey(why) => format!("The key of the cache {why}"),
            Self::NotJson(found) => format!("The value must be plain JSON to be saved; found {found}"),
            Self::Rejected(actor, reason) => format!("{actor} rejected it: {reason}"),
            Self::TooManyRounds => format!("Stopped after {} rounds, the most that are simulated", loopwright_model::tasks::ROUNDS),
        }
    }

    /// As it is saved and shown.
    pub fn to_value(&self) -> Value {
        let mut members = vec![("kind", Value::text(self.kind())), ("message", Value::text(self.message()))];
        match self {
            Self::Thrown { code: Some(code), .. } => members.push(("code", Value::Text(code.clone()))),
            Self::Exhausted(rounds, feedback) => {
                members.push(("maxRounds", Value::Number(*rounds as f64)));
                members.push(("feedback", Value::Text(feedback.clone())));
            }
            Self::Timeout(ms) => members.push(("timeoutMs", Value::Number(*ms as f64))),
            Self::Verdict(found) | Self::CacheKey(found) | Self::NotJson(found) => members.push(("found", Value::Text(found.clone()))),
            Self::Rejected(actor, reason) => {
                members.push(("actor", Value::Text(actor.clone())));
                members.push(("reason", Value::Text(reason.clone())));
            }
            _ => {}
        }
        Value::object(members)
    }

    /// As it was saved.
    pub(super) fn from_value(value: &Value) -> Self {
        let text = |name: &str| -> Text { value.get(name).and_then(Value::as_str).unwrap_or_default().into() };
        let number = |name: &str| value.get(name).and_then(Value::as_number).unwrap_or(0.0) as u64;
        match value.get("kind").and_then(Value::as_str).unwrap_or_default() {
            "timeout" => Self::Timeout(number("timeoutMs")),
            "exhausted" => Self::Exhausted(number("maxRounds"), text("feedback")),
            "verdict" => Self::Verdict(text("found")),
            "undeclared" => Self::Undeclared(text("message")),
            "expression" => Self::Expression(text("message")),
            "cacheKey" => Self::CacheKey(text("found")),
            "notJson" => Self::NotJson(text("found")),
            "rejected" => Self::Rejected(text("actor"), text("reason")),
            "limit" => Self::TooManyRounds,
            _ => Self::Thrown {
                message: text("message"),
                code: value.get("code").and_then(Value::as_str).map(Text::from),
                retry_after_ms: None,
            },
        }
    }
}

/// What is kept of a task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Its status.
    pub status: Status,
    /// Attempts, or executions of rounds, over all starts.
    pub attempts: u64,
    /// The value of a task that is done.
    pub value: Option<Candidate>,
    /// Why it failed or was rejected, as it is shown.
    pub error: Option<Failure>,
    /// The rounds of a loop.
    pub rounds: Vec<Round>,
    /// Whether its value came from the cache.
    pub cache_hit: bool,
    /// When a gate was opened, in microseconds.
    pub paused_at: Option<u64>,
}
