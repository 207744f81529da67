//! What calls of a simulated run answer.
//!
//! `calls`: name → script or list of scripts; the nth call of a name takes the nth, the last repeats. A script is
//! `{ latencyMs, result | throw: text or { message, code, retryAfterMs } | special: "NaN" | "Infinity" | "-0" | "Date",
//! usage: { input, cached, output, complete }, mutate: {…}, ignoresAbort, byRound: [ scripts ] }`.

use std::collections::BTreeMap;

use loopwright_lang::{Text, Value};
use loopwright_model::tasks::TOKENS;

use super::{Answer, Candidate, Failure, Reply, TaskCall, Tokens};

/// Scripts by name, and how many calls of each there were.
#[derive(Clone, Debug, Default)]
pub struct Scripts {
    scripts: Value,
    counters: BTreeMap<Text, u64>,
}

/// What a call answers, when, and whether it goes on when it is asked to stop.
#[derive(Clone, Debug, PartialEq)]
pub struct Scripted {
    /// After so many microseconds.
    pub after: u64,
    /// What.
    pub reply: Reply,
    /// Whether it ignores that it is not wanted any more.
    pub ignores_abort: bool,
}

impl Scripts {
    /// Scripts of a scenario: an object of names.
    pub fn new(scripts: Value) -> Self {
        Self { scripts, counters: BTreeMap::new() }
    }

    /// How many calls there were of each name.
    pub fn counters(&self) -> &BTreeMap<Text, u64> {
        &self.counters
    }

    /// Goes on counting from there.
    pub fn count_from(&mut self, counters: BTreeMap<Text, u64>) {
        self.counters = counters;
    }

    /// The number of this call of the name, from 0; it is counted.
    pub fn number(&mut self, name: &Text) -> u64 {
        let counter = self.counters.entry(name.clone()).or_insert(0);
        *counter += 1;
        *counter - 1
    }

    /// What a call answers; `None` where nothing is scripted.
    pub fn answer(&self, call: &TaskCall, number: u64) -> Option<Scripted> {
        let mut script = nth(self.scripts.get(&call.name)?, number)?;
        if let (Some(by_round), Some((round, _))) = (script.get("byRound"), call.round) {
            script = nth(by_round, round.saturating_sub(1))?;
        }
        let ms = script.get("latencyMs").and_then(Value::as_number).unwrap_or(0.0);
        Some(Scripted {
            after: crate::compile::micros(ms * 1_000.0),
            reply: reply(script),
            ignores_abort: script.get("ignoresAbort").and_then(Value::as_bool) == Some(true),
        })
    }
}

fn nth(script: &Value, number: u64) -> Option<&Value> {
    match script {
        Value::List(entries) => {
            let at = usize::try_from(number).unwrap_or(usize::MAX);
            entries.get(at.min(entries.len().checked_sub(1)?))
        }
        one => Some(one),
    }
}

fn reply(script: &Value) -> Reply {
    let answer = match (script.get("throw"), script.get("special").and_then(Value::as_str)) {
        (Some(thrown), _) if !thrown.is_nullish() => Answer::Threw(thrown_of(thrown)),
        (_, Some(special)) => {
            let value = match special {
                "NaN" => Value::Number(f64::NAN),
                "Infinity" => Value::Number(f64::INFINITY),
                "-0" => Value::Number(-0.0),
                _ => Value::Undefined,
            };
            Answer::Returned(Candidate { value, special: Some(special.into()) })
        }
        _ => Answer::Returned(script.get("result").cloned().unwrap_or_default().into()),
    };
    let usage = script.get("usage").filter(|usage| usage.as_object().is_some()).map(|usage| Tokens {
        counts: TOKENS.map(|name| usage.get(name).and_then(Value::as_number).unwrap_or(0.0)),
        incomplete: usage.get("complete").and_then(Value::as_bool) == Some(false),
    });
    Reply { answer, usage, mutate: script.get("mutate").cloned() }
}

fn thrown_of(thrown: &Value) -> Failure {
    let text = |value: &Value| value.as_str().map_or_else(|| loopwright_lang::json::print_compact(value).into(), Text::from);
    match thrown {
        Value::Object(object) => Failure::Thrown {
            message: object.get("message").map(text).unwrap_or_default(),
            code: object.get("code").and_then(Value::as_str).map(Text::from),
            retry_after_ms: object.get("retryAfterMs").and_then(Value::as_number),
        },
        other => Failure::Thrown { message: text(other), code: None, retry_after_ms: None },
    }
}
