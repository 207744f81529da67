//! Scenarios: the starting payload and what every call answers.
//!
//! A scenario entity's fields: `payload`, `data`, `context`, `conversation` (a list of `{ role, content }`), `seed`, `expect` (see
//! [`crate::suite`]), and by name (or by ID) `actions`, `prompts`, `agents`. A script is one entry or a list of them: the nth call
//! takes the nth entry, the last repeats. The first letter of a key may have either case.
//! `agentTypeParams` (`startAtStep`, `skipSteps`) counts in runs of the released runtime only. What an entry may say:
//! - what is answered. Action: `outputs` (any JSON value), `copy: { Out: "param" }`, `countAs: "Out"`. Prompt: the answer itself, or
//!   `response`, or `raw` (text as the model wrote it). Agent: a list of `{ payload, finalStep: "Chat" with message }` (also as
//!   `{ results: […] }`), or, of a loop agent's model, `{ turns: [ prompt answers ] }`. For all of them `expression`, which gives the
//!   answer, and for actions and agents `expressions: { Out: "…" }`, which give parts of it.
//! - how it goes wrong: `throw`, `throwMessage`, `success: false`, `error`, `message`, `resultCode`; `failWhen` or `throwWhen` (`{ param, equals }` or an
//!   expression), `failIterations: [numbers]`, `failEvery: n`, `failRate: 0.1`, with `failMessage`; `malformed` makes a model's answer
//!   other than JSON: `true`, or `{ as: "cut" | "prose" | "fence", rate | every | iterations | when }`.
//!   In a plan `retryable: true` says that another attempt may help; of a sub-agent, that it ran out of time.
//! - how long it takes: `latencyMs`, a number, an expression, `{ min, max }` or `{ mean, sd }` (also with `min` and `max`).
//! - what else holds in some iterations: `byIteration`, an object from the innermost loop's number to what is laid over the entry
//!   there, or a list of that, whose last repeats.
//!
//! Expressions see `params`, `payload` (of prompts and agents), `call` (from 1), `index` (of the innermost loop, from 0) and `attempt`
//! (from 1). An expression that cannot be evaluated breaks the call off and says why.

mod chance;
mod generate;
mod script;

use std::collections::BTreeMap;

use loopwright_lang::{Text, Value};
use loopwright_model::Entity;

use self::script::Script;
use crate::{
    compile::CalleeKind,
    engine::{Input, Outcome},
};

/// A scenario, read.
#[derive(Clone, Debug, Default)]
pub struct Scenario {
    /// What the run starts with, generators written out.
    pub input: Input,
    /// Where a run of the released runtime starts and what it skips (`agentTypeParams`).
    pub told: Option<Value>,
    /// Where chance starts.
    pub seed: String,
    /// What is expected of the run.
    pub expect: Value,
    actions: BTreeMap<Text, Script>,
    prompts: BTreeMap<Text, Script>,
    agents: BTreeMap<Text, Script>,
    turns: BTreeMap<Text, Script>,
}

/// Which call an answer is for.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The number of this call of that callee in the run, from 0; of a loop agent's model the turn.
    pub number: u64,
    /// An action's parameters.
    pub params: &'a Value,
    /// What a prompt or an agent sees.
    pub payload: &'a Value,
    /// The step's `ID` or name.
    pub step: &'a str,
    /// The numbers of the loops around it.
    pub path: &'a [u64],
    /// Which attempt, from 1.
    pub attempt: u32,
}

/// What a call answers, and when.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// After so many microseconds.
    pub after: u64,
    /// What.
    pub outcome: Outcome,
}

impl Scenario {
    /// Reads a scenario entity. `None` is an empty one.
    pub fn read(entity: Option<&Entity>) -> Self {
        let Some(entity) = entity else { return Self::default() };
        let field = |name: &str| entity.fields.get(name).filter(|value| !value.is_undefined()).cloned();
        let there = |name: &str| field(name).filter(|value| !value.is_null());
        let scripts = |name: &str, kind: CalleeKind, of: fn(&Value) -> Option<&Value>| -> BTreeMap<Text, Script> {
            let table = field(name).unwrap_or_default();
            let named = table.as_object().map(|table| table.iter()).into_iter().flatten();
            named.filter_map(|(name, written)| Some((name.clone(), Script::read(of(written)?, kind)))).collect()
        };
        Self {
            input: Input {
                payload: field("payload").map(|payload| generate::expand(&payload, 0)).unwrap_or_default(),
                data: there("data"),
                context: there("context"),
                conversation: there("conversation"),
            },
            told: there("agentTypeParams"),
            seed: match field("seed") {
                Some(Value::Text(text)) => text.as_str().to_owned(),
                Some(other) => loopwright_lang::json::print_compact(&other),
                None => String::new(),
            },
            expect: field("expect").unwrap_or_default(),
            actions: scripts("actions", CalleeKind::Action, |script| (!script.is_nullish()).then_some(script)),
            prompts: scripts("prompts", CalleeKind::Prompt, |script| (!script.is_nullish()).then_some(script)),
            agents: scripts("agents", CalleeKind::Agent, script::results),
            turns: scripts("agents", CalleeKind::Prompt, |script| script::key(script, "turns")),
        }
    }

    /// Whether something is scripted under this name or ID. Of agents only results count, not turns.
    pub fn has(&self, kind: CalleeKind, name: &str) -> bool {
        self.script(kind, None, name).is_some()
    }

    /// The script of a callee: by its ID, then by its name.
    fn script(&self, kind: CalleeKind, id: Option<&str>, name: &str) -> Option<&Script> {
        let table = match kind {
            CalleeKind::Action => &self.actions,
            CalleeKind::Prompt => &self.prompts,
            CalleeKind::Agent => &self.agents,
        };
        id.and_then(|id| table.get(id)).or_else(|| table.get(name))
    }

    /// What a call answers; `None` where nothing is scripted.
    pub fn answer(&self, kind: CalleeKind, id: Option<&str>, name: &str, asked: &Asked<'_>) -> Option<Answer> {
        let (entry, _) = self.script(kind, id, name)?.entry(asked)?;
        Some(entry.answer(kind, asked, &self.seed))
    }

    /// Whether a failure of this call says that another attempt may help (`retryable`).
    pub fn is_retryable(&self, kind: CalleeKind, id: Option<&str>, name: &str, asked: &Asked<'_>) -> bool {
        self.script(kind, id, name).and_then(|script| script.entry(asked)).is_some_and(|(entry, _)| entry.retryable)
    }

    /// What a loop agent's model answers in a turn, and whether that answer had been given before.
    pub fn turn(&self, id: Option<&str>, name: &str, asked: &Asked<'_>) -> Option<(Answer, bool)> {
        let script = id.and_then(|id| self.turns.get(id)).or_else(|| self.turns.get(name))?;
        let (entry, repeated) = script.entry(asked)?;
        Some((entry.answer(CalleeKind::Prompt, asked, &self.seed), repeated))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use loopwright_lang::json::{parse, print_compact};
    use loopwright_model::{EntityId, EntityKind};

    use super::*;

    fn scenario(text: &str) -> Scenario {
        let fields = parse(text).value().unwrap().as_object().unwrap().clone();
        Scenario::read(Some(&Entity { id: EntityId(1), kind: EntityKind::Scenario, parent: EntityId(0), fields, ends: None, origin: None }))
    }

    fn said(answer: &Answer) -> String {
        let outcome = match &answer.outcome {
            Outcome::Returned(value) => print_compact(value),
            Outcome::Answered(text) => format!("text {text}"),
            Outcome::Failed { message, outputs } => format!("failed {message} {}", print_compact(outputs)),
            Outcome::Ended { message, payload } => format!("ended {message} {}", print_compact(payload)),
            Outcome::Threw(message) => format!("threw {message}"),
            Outcome::Reported { ok, message, code, outputs } => {
                format!(
                    "{} {} {} {}",
                    if *ok { "well" } else { "failed" },
                    message.as_deref().unwrap_or("-"),
                    code.as_deref().unwrap_or("-"),
                    print_compact(outputs)
                )
            }
            Outcome::Fired => "fired".to_owned(),
        };
        if answer.after == 0 { outcome } else { format!("{outcome} after {}", answer.after) }
    }

    /// Calls in iterations 0, 1, 2, …, each with `{ "n": index }`.
    fn check(kind: CalleeKind, script: &str, expected: &[&str]) {
        let table = match kind {
            CalleeKind::Action => "actions",
            CalleeKind::Prompt => "prompts",
            CalleeKind::Agent => "agents",
        };
        let scenario = scenario(&format!(r#"{{"seed":"x","{table}":{{"Do":{script}}}}}"#));
        let found: Vec<String> = (0..expected.len() as u64)
            .map(|number| {
                let params = Value::object([("n", Value::Number(number as f64))]);
                let asked = Asked { number, params: &params, payload: &params, step: "S", path: &[7, number], attempt: 1 };
                said(&scenario.answer(kind, None, "Do", &asked).unwrap())
            })
            .collect();
        assert_eq!(found, expected, "{script}");
    }

    #[test]
    fn an_answer_is_constant_or_made_from_what_was_given() {
        use CalleeKind::{Action, Agent, Prompt};
        check(Action, r#"{"outputs":{"a":1}}"#, &[r#"{"a":1}"#, r#"{"a":1}"#]);
        check(Action, r#"[{"outputs":1},{"outputs":2}]"#, &["1", "2", "2"]);
        check(Action, r#"{"outputs":{"a":1},"copy":{"b":"n"},"countAs":"c"}"#, &[r#"{"a":1,"b":0,"c":1}"#, r#"{"a":1,"b":1,"c":2}"#]);
        check(Action, r#"{"expression":"params.n * 10 + call"}"#, &["1", "12"]);
        check(Action, r#"{"outputs":{"a":1},"expressions":{"b":"params.n + index"}}"#, &[r#"{"a":1,"b":0}"#, r#"{"a":1,"b":2}"#]);
        check(Prompt, r#"{"ok":true}"#, &[r#"{"ok":true}"#]);
        check(Prompt, r#"{"expression":"payload.n > 0"}"#, &["false", "true"]);
        check(Prompt, r#"{"raw":"no JSON"}"#, &["text no JSON"]);
        check(Prompt, r#"{"message":"hello","failRate":1}"#, &[r#"{"message":"hello","failRate":1}"#]);
        check(Agent, r#"{"payload":{"a":1},"expressions":{"b":"payload.n"}}"#, &[r#"{"a":1,"b":0}"#]);
        check(Agent, r#"[{"finalStep":"Chat","message":"hi"}]"#, &["ended hi {}"]);
        check(
            Action,
            r#"{"expression":"params.m.x"}"#,
            &["threw An expression of the scenario cannot be evaluated: params.m is undefined, so `x` cannot be read."],
        );
    }

    #[test]
    fn an_iteration_may_have_an_answer_of_its_own() {
        use CalleeKind::{Action, Prompt};
        check(
            Action,
            r#"{"outputs":1,"byIteration":{"1":{"success":false,"message":"no"},"2":{"outputs":3}}}"#,
            &["1", "failed no 1", "3", "1"],
        );
        check(Action, r#"{"latencyMs":1,"byIteration":[{"outputs":1},{"outputs":2}]}"#, &["1 after 1000", "2 after 1000", "2 after 1000"]);
        check(Prompt, r#"{"response":"a","byIteration":{"1":{"response":"b"}}}"#, &[r#""a""#, r#""b""#]);
    }

    #[test]
    fn calls_fail_by_condition_by_iteration_every_so_often_or_by_rate() {
        use CalleeKind::{Action, Agent, Prompt};
        check(Action, r#"{"outputs":1,"failIterations":[1],"failMessage":"no"}"#, &["1", "failed no 1", "1"]);
        check(Action, r#"{"outputs":1,"failEvery":2,"failMessage":"no"}"#, &["1", "failed no 1", "1", "failed no 1"]);
        check(Action, r#"{"outputs":1,"failWhen":"params.n > 1"}"#, &["1", "1", "failed failed 1"]);
        check(Action, r#"{"outputs":1,"throwWhen":{"param":"n","equals":1}}"#, &["1", "threw thrown"]);
        check(Action, r#"{"outputs":1,"failRate":1}"#, &["failed failed 1"]);
        check(Action, r#"{"outputs":1,"failRate":0}"#, &["1"]);
        check(Action, r#"{"resultCode":"OK","message":"fine"}"#, &["well fine OK {}"]);
        check(Action, r#"{"success":false,"resultCode":"GONE"}"#, &["failed - GONE {}"]);
        check(Action, r#"{"throw":"down"}"#, &["threw down"]);
        check(Prompt, r#"{"response":1,"failEvery":2,"failMessage":"busy"}"#, &["1", "threw busy"]);
        check(Agent, r#"{"payload":{},"failIterations":0}"#, &["failed failed {}", "{}"]);
    }

    #[test]
    fn a_models_answer_can_be_other_than_json() {
        use CalleeKind::Prompt;
        check(Prompt, r#"{"response":{"a":1},"malformed":true}"#, &[r#"text {"a"#]);
        check(Prompt, r#"{"response":1,"malformed":{"as":"fence","iterations":[1]}}"#, &["1", "text Here is the answer:\n```json\n1\n```"]);
        check(Prompt, r#"{"response":1,"malformed":{"as":"prose","rate":0}}"#, &["1"]);
    }

    #[test]
    fn time_is_fixed_spread_or_calculated() {
        let indices: Vec<[u64; 1]> = (0..500).map(|index| [index]).collect();
        let times = |latency: &str| -> Vec<u64> {
            let scenario = scenario(&format!(r#"{{"seed":"x","actions":{{"Do":{{"latencyMs":{latency}}}}}}}"#));
            let params = Value::object([("size", Value::Number(3.0))]);
            let first = Asked { number: 0, params: &params, payload: &Value::Undefined, step: "S", path: &[], attempt: 1 };
            let time = |path| scenario.answer(CalleeKind::Action, None, "Do", &Asked { path, ..first }).unwrap().after;
            indices.iter().map(|path| time(path)).collect()
        };
        assert!(times("1.5").iter().all(|time| *time == 1_500));
        assert!(times(r#""params.size * 2""#).iter().all(|time| *time == 6_000));
        let spread = times(r#"{"min":1,"max":3}"#);
        assert!(spread.iter().all(|time| (1_000..=3_000).contains(time)) && spread.iter().any(|time| *time != spread[0]));
        let normal = times(r#"{"mean":10,"sd":2,"min":8}"#);
        let mean = normal.iter().sum::<u64>() / 500;
        assert!(normal.iter().all(|time| *time >= 8_000) && (10_000..10_800).contains(&mean), "{mean}");
        assert_eq!(spread, times(r#"{"min":1,"max":3}"#), "the same seed draws the same");
    }

    #[test]
    fn a_payload_may_be_written_in_short() {
        let made =
            scenario(r#"{"payload":{"items":{"$repeat":3,"item":{"id":"{{index}}","name":"n {{index + 1}}"}},"k":[1]}}"#).input.payload;
        assert_eq!(print_compact(&made), r#"{"items":[{"id":0,"name":"n 1"},{"id":1,"name":"n 2"},{"id":2,"name":"n 3"}],"k":[1]}"#);
    }
}
