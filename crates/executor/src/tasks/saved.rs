//! The saved state of a run, as JSON, and when it is refused.

use std::collections::BTreeMap;

use loopwright_lang::{Object, Text, Value};
use loopwright_model::tasks::{Identity, TOKENS, Task, TaskGraph, TaskKind, changes};

use super::{Candidate, Failure, Phase, Record, Round, StartRefused, Status, TaskRun, Tokens, Verdict, record::is_plain};

const FORMAT: &str = "loopwright-task-run/1";

/// A saved run.
#[derive(Clone, Debug, PartialEq)]
pub struct Saved {
    identity: Identity,
    /// The virtual time at which it stopped, in microseconds.
    pub at: u64,
    pub(super) tokens: Tokens,
    pub(super) told_usage: bool,
    attempts: u64,
    records: BTreeMap<Text, Record>,
    /// How many calls of each name there were.
    pub calls: BTreeMap<Text, u64>,
}

fn refuse(why: impl std::fmt::Display) -> StartRefused {
    StartRefused(format!("saved run refused: {why}"))
}

/// A whole number from 0 up.
fn count(value: Option<&Value>) -> Option<u64> {
    let number = value?.as_number()?;
    (number >= 0.0 && number.fract() == 0.0 && number <= 9_007_199_254_740_991.0).then_some(number as u64)
}

impl Saved {
    pub(super) fn of(run: &TaskRun, tokens: Tokens, told_usage: bool) -> Self {
        let graph = &run.tasks().graph;
        Self {
            identity: Identity::of(graph, None),
            at: run.now(),
            tokens,
            told_usage,
            attempts: run.attempts_used(),
            records: graph.tasks.iter().zip(run.records()).map(|(task, record)| (task.key.clone(), record.clone())).collect(),
            calls: BTreeMap::new(),
        }
    }

    /// The same with the numbers of calls.
    pub(super) fn with_calls(mut self, calls: BTreeMap<Text, u64>) -> Self {
        self.calls = calls;
        self
    }

    pub(super) fn record(&self, key: &Text) -> Option<&Record> {
        self.records.get(key)
    }

    /// As JSON.
    pub fn to_value(&self) -> Value {
        let number = |number: u64| Value::Number(number as f64);
        let mut usage = vec![("attempts", number(self.attempts))];
        if self.told_usage {
            usage.extend(TOKENS.into_iter().zip(self.tokens.counts.map(Value::Number)));
            usage.push(("complete", Value::Bool(!self.tokens.incomplete)));
        }
        let mut members = vec![
            ("format", Value::text(FORMAT)),
            ("identity", self.identity.to_value()),
            ("at", number(self.at)),
            ("usage", Value::object(usage)),
            ("tasks", Value::object(self.records.iter().map(|(key, record)| (key.clone(), record_value(record))))),
        ];
        if !self.calls.is_empty() {
            members.push(("calls", Value::object(self.calls.iter().map(|(name, calls)| (name.clone(), number(*calls))))));
        }
        Value::object(members)
    }

    /// Reads JSON. What is malformed is refused.
    pub fn from_value(value: &Value) -> Result<Self, StartRefused> {
        if value.get("format").and_then(Value::as_str) != Some(FORMAT) {
            return Err(refuse(format!("it is no saved run of a task graph (format {FORMAT})")));
        }
        let identity =
            value.get("identity").and_then(Identity::from_value).ok_or_else(|| refuse("it does not say of which graph it is"))?;
        let at = count(value.get("at")).ok_or_else(|| refuse("its time is no whole number"))?;
        let usage = value.get("usage").ok_or_else(|| refuse("it has no usage"))?;
        let attempts = count(usage.get("attempts")).ok_or_else(|| refuse("usage.attempts is no whole number"))?;
        let mut tokens = Tokens::default();
        let told_usage = usage.get("complete").is_some();
        for (place, name) in tokens.counts.iter_mut().zip(TOKENS) {
            match usage.get(name).map(Value::as_number) {
                None => {}
                Some(Some(number)) if number >= 0.0 && number.is_finite() => *place = number,
                Some(_) => return Err(refuse(format!("usage.{name} is no number from 0 up"))),
            }
        }
        tokens.incomplete = usage.get("complete").and_then(Value::as_bool) == Some(false);
        let tasks = value.get("tasks").and_then(Value::as_object).ok_or_else(|| refuse("it has no tasks"))?;
        let mut records = BTreeMap::new();
        for (key, record) in tasks.iter() {
            records.insert(key.clone(), read_record(record).map_err(|why| refuse(format!("{key}: {why}")))?);
        }
        let mut calls = BTreeMap::new();
        for (name, number) in value.get("calls").and_then(Value::as_object).unwrap_or(&Object::new()).iter() {
            calls.insert(name.clone(), count(Some(number)).ok_or_else(|| refuse("calls are no whole numbers"))?);
        }
        Ok(Self { identity, at, tokens, told_usage, attempts, records, calls })
    }

    /// Whether something in it would run again, which needs to be authorised.
    pub fn needs_authority(&self) -> bool {
        let any = |wanted: Status| self.records.values().any(|record| record.status == wanted);
        any(Status::Active) || any(Status::Failed) || any(Status::Cancelled) || (any(Status::Waiting) && !any(Status::Paused))
    }

    /// Whether a graph can go on from it.
    pub(super) fn check(&self, graph: &TaskGraph, version: Option<&str>) -> Result<(), StartRefused> {
        let differ = changes(&self.identity, &Identity::of(graph, version));
        if !differ.is_empty() {
            let shown = differ.iter().take(5).cloned().collect::<Vec<_>>().join("; ");
            let more = if differ.len() > 5 { format!("; and {} more", differ.len() - 5) } else { String::new() };
            return Err(refuse(format!("incompatible graph: {shown}{more}")));
        }
        if self.records.len() != graph.tasks.len() || graph.tasks.iter().any(|task| !self.records.contains_key(&task.key)) {
            return Err(refuse("its tasks are not those of the graph"));
        }
        for task in &graph.tasks {
            let Some(record) = self.records.get(&task.key) else { continue };
            self.check_record(graph, task, record).map_err(|why| refuse(format!("{}: {why}", task.key)))?;
        }
        let sum: u64 = self.records.values().map(|record| record.attempts).sum();
        if sum != self.attempts {
            return Err(refuse(format!("usage.attempts is {}, but the tasks had {sum}", self.attempts)));
        }
        Ok(())
    }

    fn check_record(&self, graph: &TaskGraph, task: &Task, record: &Record) -> Result<(), String> {
        let done = record.status == Status::Done;
        if done != record.value.is_some() {
            return Err(if done { "a task that is done without a value" } else { "a value of a task that is not done" }.to_owned());
        }
        if matches!(record.status, Status::Done | Status::Paused | Status::Rejected)
            && graph.after(task).any(|key| self.records.get(key).is_none_or(|other| other.status != Status::Done))
        {
            return Err(format!("it is {}, but one of the tasks it is after is not done", record.status.name()));
        }
        match &task.kind {
            TaskKind::Approval { .. } => {
                if record.attempts > 0 {
                    return Err("attempts on a gate".to_owned());
                }
                if record.cache_hit || matches!(record.status, Status::Active | Status::Failed) {
                    return Err(format!("a gate is never {}", if record.cache_hit { "a hit" } else { record.status.name() }));
                }
            }
            _ if matches!(record.status, Status::Paused | Status::Rejected) => {
                return Err(format!("only a gate is {}", record.status.name()));
            }
            _ => {}
        }
        let TaskKind::Loop { max_rounds, .. } = &task.kind else {
            return if record.rounds.is_empty() { Ok(()) } else { Err("rounds of a task that is no loop".to_owned()) };
        };
        check_rounds(record, *max_rounds)
    }
}

fn check_rounds(record: &Record, max_rounds: u64) -> Result<(), String> {
    let rounds = &record.rounds;
    for (place, round) in rounds.iter().enumerate() {
        let last = place + 1 == rounds.len();
        if round.number != place as u64 + 1 {
            return Err("rounds are not 1..n".to_owned());
        }
        if !last && round.phase != Phase::Complete {
            return Err("a round before the last is not complete".to_owned());
        }
        match round.phase {
            Phase::Attempt if round.output.is_some() || round.check.is_some() => {
                return Err("a round in its attempt has an output or a verdict".to_owned());
            }
            Phase::Check | Phase::Complete if round.output.is_none() => return Err("a round without output".to_owned()),
            Phase::Check if round.check.is_some() => return Err("a round in its check has a verdict".to_owned()),
            Phase::Complete if round.check.is_none() => return Err("a complete round without a verdict".to_owned()),
            _ => {}
        }
        if !last && round.check == Some(Verdict::Done) {
            return Err("accepted before the last round".to_owned());
        }
    }
    let number = rounds.len() as u64;
    if number > max_rounds {
        return Err("more rounds than maxRounds".to_owned());
    }
    if number > record.attempts {
        return Err("more rounds than attempts".to_owned());
    }
    let accepted = rounds.last().is_some_and(|round| round.check == Some(Verdict::Done));
    if rounds.is_empty() && record.attempts > 0 && !record.cache_hit {
        return Err("attempts without rounds".to_owned());
    }
    if record.status == Status::Done && !accepted && !(record.cache_hit && rounds.is_empty()) {
        return Err("done without an accepted last round".to_owned());
    }
    Ok(())
}

fn record_value(record: &Record) -> Value {
    let mut members = vec![("status", Value::text(record.status.name())), ("attempts", Value::Number(record.attempts as f64))];
    match &record.value {
        Some(candidate) if candidate.value.is_undefined() => members.push(("valueUndefined", Value::Bool(true))),
        Some(candidate) => members.push(("value", candidate.value.clone())),
        None => {}
    }
    if let Some(error) = &record.error {
        members.push(("error", error.to_value()));
    }
    if !record.rounds.is_empty() {
        members.push(("rounds", Value::list(record.rounds.iter().map(Round::to_value))));
    }
    if record.cache_hit {
        members.push(("cacheHit", Value::Bool(true)));
    }
    if let Some(at) = record.paused_at {
        members.push(("pausedAt", Value::Number(at as f64)));
    }
    Value::object(members)
}

fn read_record(value: &Value) -> Result<Record, String> {
    const FIELDS: [&str; 8] = ["status", "attempts", "value", "valueUndefined", "error", "rounds", "cacheHit", "pausedAt"];
    let object = value.as_object().ok_or("a record is an object")?;
    if let Some(unknown) = object.keys().find(|key| !FIELDS.contains(&key.as_str())) {
        return Err(format!("a record has no {unknown}"));
    }
    let status = object.get("status").and_then(Value::as_str).and_then(Status::from_name).ok_or("its status is none we know")?;
    let attempts = count(object.get("attempts")).ok_or("attempts is no whole number")?;
    let value = match (object.get("value"), object.get("valueUndefined")) {
        (Some(value), _) if is_plain(value) => Some(Candidate::from(value.clone())),
        (Some(_), _) => return Err("its value is not plain JSON".to_owned()),
        (None, Some(Value::Bool(true))) => Some(Candidate::default()),
        (None, _) => None,
    };
    let error = object.get("error").map(Failure::from_value);
    let rounds = match object.get("rounds") {
        None => Vec::new(),
        Some(Value::List(list)) if list.is_empty() => return Err("an empty list of rounds".to_owned()),
        Some(Value::List(list)) => list.iter().map(read_round).collect::<Result<_, _>>()?,
        Some(_) => return Err("rounds are no list".to_owned()),
    };
    let cache_hit = match object.get("cacheHit") {
        None | Some(Value::Bool(false)) => false,
        Some(Value::Bool(true)) => true,
        Some(_) => return Err("cacheHit is neither true nor false".to_owned()),
    };
    Ok(Record { status, attempts, value, error, rounds, cache_hit, paused_at: count(object.get("pausedAt")) })
}

fn read_round(value: &Value) -> Result<Round, String> {
    let number = count(value.get("round")).ok_or("rounds are not 1..n")?;
    let phase = value.get("phase").and_then(Value::as_str).and_then(Phase::from_name).ok_or("a round's phase is none we know")?;
    let output = match value.get("output") {
        None => None,
        Some(output) => {
            let read = match output.get("kind").and_then(Value::as_str) {
                Some("undefined") => Value::Undefined,
                Some("json") => output.get("value").filter(|value| is_plain(value)).cloned().ok_or("a round's output is not plain JSON")?,
                _ => return Err("a round's output is neither json nor undefined".to_owned()),
            };
            Some(read)
        }
    };
    let check = match value.get("check") {
        None => None,
        Some(check) => Some(Verdict::read(check).ok_or("a round's verdict is neither done nor a rejection with feedback")?),
    };
    Ok(Round { number, phase, output, check })
}
