//! Scenarios: the starting payload and what every call answers.
//!
//! A scenario entity's fields: `payload`, `data`, `context`, `conversation` (a list of `{ role, content }`), `seed`, and by name
//! (or by ID) `actions`, `prompts`, `agents`. A script is one entry or a list of them: the nth call takes the nth entry, the last
//! repeats. The first letter of a key may have either case.
//! `agentTypeParams` (`startAtStep`, `skipSteps`) counts in runs of the released runtime only.
//! - action: `{ outputs, copy: { Out: "param" }, countAs: "Out", success, message, resultCode, throw, throwMessage, failWhen | throwWhen:
//!   { param, equals }, failRate: 0.1, latencyMs }`; `outputs` may be any JSON value
//! - prompt: the answer itself, or `{ response | raw | error, latencyMs }`; `raw` is text as the model wrote it
//! - agent: a list of `{ payload, throw, error, finalStep: "Chat" with message, latencyMs }` (also as `{ results: […] }`), or, of a loop agent's model,
//!   `{ turns: [ prompt answers ] }`
//!
//! `latencyMs` is a number or `{ min, max }`. In `payload`, `{ "$repeat": n, "item": … }` is a list of n items, in whose texts
//! `{{index}}` is the number of the item.

use loopwright_lang::{List, LoopFrame, Profile, Scope, Semantics, Text, Value, limits, mapping};
use loopwright_model::Entity;

use crate::{
    compile::CalleeKind,
    engine::{Input, Outcome},
    random::{Key, Purpose},
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
    actions: Value,
    prompts: Value,
    agents: Value,
}

/// Which call an answer is for.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The number of this call of that callee in the run, from 0; of a loop agent's model the turn.
    pub number: u64,
    /// An action's parameters.
    pub params: &'a Value,
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
        Self {
            input: Input {
                payload: field("payload").map(|payload| expand(&payload, 0)).unwrap_or_default(),
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
            actions: field("actions").unwrap_or_default(),
            prompts: field("prompts").unwrap_or_default(),
            agents: field("agents").unwrap_or_default(),
        }
    }

    /// Whether something is scripted under this name or ID. Of agents only results count, not turns.
    pub fn has(&self, kind: CalleeKind, name: &str) -> bool {
        self.script(kind, None, name).is_some()
    }

    /// The script of a callee: by its ID, then by its name.
    fn script(&self, kind: CalleeKind, id: Option<&str>, name: &str) -> Option<&Value> {
        let table = match kind {
            CalleeKind::Action => &self.actions,
            CalleeKind::Prompt => &self.prompts,
            CalleeKind::Agent => &self.agents,
        };
        let found = id.and_then(|id| table.get(id)).or_else(|| table.get(name)).filter(|found| !found.is_nullish())?;
        if kind != CalleeKind::Agent {
            return Some(found);
        }
        // Turns script a loop agent's model, not the agent.
        key(found, "results")
            .or_else(|| key(found, "turns").is_none().then_some(found))
            .filter(|found| found.as_object().is_none_or(|found| !found.is_empty()))
    }

    /// What a call answers; `None` where nothing is scripted.
    pub fn answer(&self, kind: CalleeKind, id: Option<&str>, name: &str, asked: &Asked<'_>) -> Option<Answer> {
        let entry = nth(self.script(kind, id, name)?, asked.number)?.0;
        let outcome = match kind {
            CalleeKind::Action => self.action(&entry, asked),
            CalleeKind::Prompt => return Some(self.prompt(&entry, asked)),
            CalleeKind::Agent => agent(&entry),
        };
        Some(Answer { after: self.latency(&entry, asked), outcome })
    }

    /// What a loop agent's model answers in a turn, and whether that answer had been given before.
    pub fn turn(&self, id: Option<&str>, name: &str, asked: &Asked<'_>) -> Option<(Answer, bool)> {
        let table = id.and_then(|id| self.agents.get(id)).or_else(|| self.agents.get(name))?;
        let (entry, repeated) = nth(key(table, "turns")?, asked.number)?;
        Some((self.prompt(&entry, asked), repeated))
    }

    fn action(&self, entry: &Value, asked: &Asked<'_>) -> Outcome {
        let text = |name: &str| key(entry, name).and_then(Value::as_str).map(Text::from);
        let fits = |name: &str| {
            let Some(when) = key(entry, name) else { return false };
            let Some(param) = key(when, "param").and_then(Value::as_str) else { return false };
            let given = asked.params.get(param).cloned().unwrap_or_default();
            given == key(when, "equals").cloned().unwrap_or_default()
        };
        if let Some(thrown) = key(entry, "throw").filter(|thrown| !matches!(thrown, Value::Null | Value::Bool(false) | Value::Undefined)) {
            let message = thrown.as_str().map(Text::from).or_else(|| text("throwMessage"));
            return Outcome::Threw(message.unwrap_or_else(|| "thrown".into()));
        }
        if fits("throwWhen") {
            return Outcome::Threw(text("throwMessage").or_else(|| text("message")).unwrap_or_else(|| "thrown".into()));
        }
        let mut outputs = key(entry, "outputs").or_else(|| key(entry, "result")).cloned().unwrap_or_else(|| Value::object::<&str>([]));
        if let Value::Object(object) = &mut outputs {
            if let Some(Value::Object(copies)) = key(entry, "copy") {
                for (output, param) in copies.iter() {
                    let given = param.as_str().and_then(|param| asked.params.get(param)).cloned().unwrap_or_default();
                    if !given.is_undefined() {
                        object.insert(output.clone(), given);
                    }
                }
            }
            if let Some(Value::Text(output)) = key(entry, "countAs") {
                object.insert(output.clone(), Value::Number((asked.number + 1) as f64));
            }
        }
        let rate = key(entry, "failRate").and_then(Value::as_number).unwrap_or(0.0);
        let drawn = rate > 0.0 && self.key_of(asked, Purpose::Failure).uniform() < rate;
        let own = (text("message"), text("resultCode"));
        let failed = key(entry, "success").and_then(Value::as_bool) == Some(false);
        if failed || drawn || fits("failWhen") {
            return match own {
                (message, Some(code)) => Outcome::Reported { ok: false, message, code: Some(code), outputs },
                (message, None) => Outcome::Failed { message: message.unwrap_or_else(|| "failed".into()), outputs },
            };
        }
        match own {
            (None, None) => Outcome::Returned(outputs),
            (message, code) => Outcome::Reported { ok: true, message, code, outputs },
        }
    }

    fn prompt(&self, entry: &Value, asked: &Asked<'_>) -> Answer {
        const WRAPPED: [&str; 4] = ["response", "raw", "error", "latencyMs"];
        let wrapped = entry.as_object().filter(|object| {
            object.keys().all(|name| WRAPPED.iter().any(|known| same_key(name, known)))
                && object.keys().any(|name| !same_key(name, "latencyMs"))
        });
        if wrapped.is_none() {
            return Answer { after: 0, outcome: Outcome::Returned(entry.clone()) };
        }
        let text = |value: &Value| value.as_str().map_or_else(|| loopwright_lang::json::print_compact(value).into(), Text::from);
        let outcome = match (key(entry, "error"), key(entry, "raw"), key(entry, "response")) {
            (Some(error), ..) => Outcome::Threw(text(error)),
            (None, Some(raw), _) => Outcome::Answered(text(raw)),
            (None, None, response) => Outcome::Returned(response.cloned().unwrap_or_default()),
        };
        Answer { after: self.latency(entry, asked), outcome }
    }

    fn key_of<'a>(&'a self, asked: &Asked<'a>, purpose: Purpose) -> Key<'a> {
        Key { seed: &self.seed, step: asked.step, path: asked.path, attempt: asked.attempt, purpose }
    }

    /// How long a call takes, in microseconds.
    fn latency(&self, entry: &Value, asked: &Asked<'_>) -> u64 {
        let ms = match key(entry, "latencyMs") {
            Some(spread @ Value::Object(_)) => {
                let bound = |name: &str| key(spread, name).and_then(Value::as_number).unwrap_or(0.0);
                let (min, max) = (bound("min"), bound("max"));
                min + (max - min).max(0.0) * self.key_of(asked, Purpose::Latency).uniform()
            }
            Some(value) => value.as_number().unwrap_or(0.0),
            None => 0.0,
        };
        crate::compile::micros(ms * 1_000.0)
    }
}

fn agent(entry: &Value) -> Outcome {
    let text = |value: &Value| value.as_str().map_or_else(|| loopwright_lang::json::print_compact(value).into(), Text::from);
    if let Some(thrown) = key(entry, "throw").or_else(|| key(entry, "error")).filter(|thrown| !thrown.is_nullish()) {
        return Outcome::Threw(text(thrown));
    }
    let payload =
        ["payload", "result", "outputs"].iter().find_map(|name| key(entry, name)).cloned().unwrap_or_else(|| Value::object::<&str>([]));
    if key(entry, "success").and_then(Value::as_bool) == Some(false) {
        let message = key(entry, "errorMessage").or_else(|| key(entry, "message")).map_or_else(|| "failed".into(), text);
        return Outcome::Failed { message, outputs: payload };
    }
    if key(entry, "finalStep").and_then(Value::as_str) == Some("Chat") {
        return Outcome::Ended { message: key(entry, "message").map_or_else(|| "".into(), text), payload };
    }
    Outcome::Returned(payload)
}

/// The nth entry of a script, and whether it had its turn before; the last repeats.
fn nth(script: &Value, number: u64) -> Option<(Value, bool)> {
    match script {
        Value::List(entries) => {
            let last = entries.len().checked_sub(1)?;
            let at = usize::try_from(number).unwrap_or(usize::MAX);
            Some((entries.get(at.min(last))?.clone(), at > last))
        }
        one => Some((one.clone(), number > 0)),
    }
}

fn same_key(found: &str, wanted: &str) -> bool {
    let (mut a, mut b) = (found.chars(), wanted.chars());
    match (a.next(), b.next()) {
        (Some(first), Some(other)) => first.eq_ignore_ascii_case(&other) && a.as_str() == b.as_str(),
        _ => false,
    }
}

/// A key whose first letter may have either case.
fn key<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    let object = value.as_object()?;
    object.get(name).or_else(|| object.iter().find(|(found, _)| same_key(found, name)).map(|(_, value)| value))
}

/// Writes out `{ "$repeat": n, "item": … }`.
fn expand(value: &Value, depth: usize) -> Value {
    if depth > limits::JSON_DEPTH {
        return value.clone();
    }
    match value {
        Value::Object(object) => {
            if let (Some(count), Some(item)) = (object.get("$repeat").and_then(Value::as_number), object.get("item")) {
                let count = count.clamp(0.0, limits::ITERATIONS as f64) as u64;
                let scope = Scope { loops: vec![counter(0)], ..Scope::default() };
                let semantics = Semantics::of(Profile::Documented);
                let item = expand(item, depth + 1);
                let mut list = List::new();
                let mut generator = Generator { scope, semantics };
                for index in 0..count {
                    list.push(generator.item(&item, index));
                }
                return Value::List(list);
            }
            if !object.iter().any(|(_, value)| matches!(value, Value::Object(_) | Value::List(_))) {
                return value.clone();
            }
            Value::object(object.iter().map(|(key, value)| (key.clone(), expand(value, depth + 1))))
        }
        Value::List(list) => {
            // Long plain lists are kept as they are.
            if list.iter().any(|item| matches!(item, Value::Object(_) | Value::List(_))) {
                Value::list(list.iter().map(|item| expand(item, depth + 1)))
            } else {
                value.clone()
            }
        }
        other => other.clone(),
    }
}

fn counter(index: u64) -> LoopFrame {
    LoopFrame { item_variable: "$repeat".into(), item: Value::Undefined, index_variable: Some("index".into()), index }
}

struct Generator {
    scope: Scope,
    semantics: Semantics,
}

impl Generator {
    fn item(&mut self, item: &Value, index: u64) -> Value {
        match item {
            Value::Text(text) if text.contains("{{") => {
                if let Some(frame) = self.scope.loops.first_mut() {
                    frame.index = index;
                }
                mapping::resolve_text(text, &self.scope, &self.semantics).value
            }
            Value::Object(object) => {
                Value::object(object.iter().map(|(key, value)| (key.clone(), self.item(value, index))).collect::<Vec<_>>())
            }
            Value::List(list) => Value::list(list.iter().map(|value| self.item(value, index)).collect::<Vec<_>>()),
            other => other.clone(),
        }
    }
}
