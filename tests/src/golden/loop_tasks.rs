//! Cases of task graphs: a graph, a scenario with its legs (a run is interrupted, and goes on), and what is to come of it.

use std::{collections::BTreeMap, sync::Arc};

use loopwright_executor::tasks::{
    Cache, CompiledTasks, Entry, Event, EventKind, Failure, Leg, Phase, Record, Saved, Scripts, Settings, StartRefused, StopAt,
    TaskSimulation, Traced, fingerprint,
};
use loopwright_lang::{List, Text, Value, json::print_compact};
use loopwright_model::tasks::{self, TOKENS, TaskGraph, TaskProblem};

use super::Outcome;
use crate::case::{decode, outcome_of};

/// Runs a case and compares what came of it.
pub fn run_case(case: &Value) -> Outcome {
    let (Some(input), Some(expected)) = (case.get("input"), case.get("expected")) else {
        return Outcome::Failed("a case has an input and what is expected".to_owned());
    };
    let loose: Vec<&str> =
        case.get("loose").and_then(Value::as_list).map(|list| list.iter().filter_map(Value::as_str).collect()).unwrap_or_default();
    let mut session = Session::default();
    let result = session.run(input);
    let mut differences = Vec::new();
    session.compare(expected, result, &loose, &mut differences);
    outcome_of(differences)
}

/// Why there is no result.
enum Refused {
    Definition(Vec<TaskProblem>),
    Start(String),
}

impl From<StartRefused> for Refused {
    fn from(refused: StartRefused) -> Self {
        Self::Start(refused.0)
    }
}

/// What happened over all legs.
#[derive(Default)]
struct Session {
    leg: usize,
    events: Vec<Value>,
    calls: Vec<Value>,
    params: BTreeMap<Text, Vec<Value>>,
    feedback: BTreeMap<Text, Vec<Value>>,
    stored: Vec<Value>,
    last: Option<Last>,
}

struct Last {
    graph: TaskGraph,
    status: &'static str,
    code: Option<Text>,
    records: Vec<Record>,
    attempts: u64,
    tokens: Option<Value>,
    end: f64,
    saved: Value,
}

fn ms(micros: u64) -> f64 {
    micros as f64 / 1_000.0
}

fn number(number: u64) -> Value {
    Value::Number(number as f64)
}

impl Session {
    fn run(&mut self, input: &Value) -> Result<(), Refused> {
        let empty = Value::object::<&str>([]);
        let scenario = input.get("scenario").unwrap_or(&empty);
        let mut graph = input.get("graph").cloned().unwrap_or_default();
        let checkpoint = input.get("checkpoint").and_then(Value::as_bool).unwrap_or(true);
        let now_ms = scenario.get("now").and_then(Value::as_number).unwrap_or(0.0);
        let answers = scenario.get("answers").cloned().unwrap_or_default();
        let resumes: Vec<Value> = match scenario.get("resume") {
            None => Vec::new(),
            Some(Value::List(legs)) => legs.iter().cloned().collect(),
            Some(leg) => vec![leg.clone()],
        };
        let mut cache = Cache::default();
        let broken = |name: &str| scenario.get("cacheStore").and_then(|store| store.get(name)).and_then(Value::as_bool) == Some(true);
        (cache.read_fails, cache.write_fails) = (broken("readFails"), broken("writeFails"));
        let mut scripts = Scripts::new(scenario.get("calls").cloned().unwrap_or_default());
        let mut options = graph.get("options").cloned();
        for (number, leg) in std::iter::once(scenario).chain(&resumes).enumerate() {
            self.leg = number;
            let resumed = number > 0;
            if let (true, Some(changed)) = (resumed, leg.get("graph")) {
                graph = changed.clone();
                options = graph.get("options").cloned();
            }
            if let (true, Some(changed)) = (resumed, leg.get("options")) {
                options = Some(changed.clone());
            }
            if let (true, Some(changed)) = (resumed, leg.get("calls")) {
                scripts = Scripts::new(changed.clone());
            }
            let (read, problems) = tasks::read(&graph);
            let definition: Vec<TaskProblem> = problems.into_iter().filter(|problem| problem.refuses).collect();
            if !definition.is_empty() {
                return Err(Refused::Definition(definition));
            }
            fill(&mut cache, leg, &read);
            let saved = match (resumed, &self.last) {
                (true, Some(last)) => Some(Saved::from_value(&edited(&last.saved, leg.get("edit")))?),
                _ => None,
            };
            let (start, problems) = tasks::read_options(options.as_ref());
            if let Some(problem) = problems.iter().find(|problem| problem.refuses) {
                return Err(Refused::Start(problem.problem.message.clone()));
            }
            let settings = Settings { checkpoint, now_ms, stop_at: stop_at(leg.get("interruptAt"), &read), ..Settings::default() };
            let own = Leg {
                options: start,
                settings,
                abort_after: leg.get("abortAt").and_then(Value::as_number).map(|ms| (ms * 1_000.0) as u64),
                answers: leg.get("answers").unwrap_or(&answers).clone(),
                version: leg.get("version").and_then(Value::as_str).map(Text::from),
                authorised: leg.get("authorise").and_then(Value::as_bool).unwrap_or(true),
            };
            let compiled = Arc::new(CompiledTasks::new(read));
            let mut simulation = TaskSimulation::start(compiled, own, scripts, cache, saved.as_ref())?;
            let refused = simulation.run();
            self.note(&simulation);
            self.last = Some(last(&simulation));
            refused?;
            (scripts, cache) = simulation.into_parts();
            cache.stored.clear();
        }
        Ok(())
    }

    fn note(&mut self, simulation: &TaskSimulation) {
        let graph = &simulation.task_run().tasks().graph;
        let key = |task: usize| graph.tasks.get(task).map(|task| task.key.clone()).unwrap_or_default();
        self.events.extend(simulation.events().iter().map(|event| event_value(event, &key)));
        for Traced { at, call } in simulation.trace() {
            let mut entry = vec![Value::Number(ms(*at)), Value::Text(call.name.clone()), Value::Text(key(call.task))];
            if let Some((round, phase)) = call.round {
                entry.extend([number(round), Value::text(phase.name())]);
                if phase == Phase::Attempt {
                    let seen = if call.feedback.is_undefined() { Value::Null } else { call.feedback.clone() };
                    self.feedback.entry(key(call.task)).or_default().push(seen);
                }
            }
            self.calls.push(Value::list(entry));
            if let Some(params) = &call.params {
                self.params.entry(call.name.clone()).or_default().push(params.clone());
            }
        }
        for stored in &simulation.task_run().cache.stored {
            let mut entry = vec![
                ("task", Value::Text(stored.task.clone())),
                ("version", Value::Text(stored.version.clone())),
                ("createdAt", Value::Number(stored.entry.created_at)),
            ];
            if let Some(value) = stored.entry.value.clone().filter(|value| !value.is_undefined()) {
                entry.push(("value", value));
            }
            self.stored.push(Value::object(entry));
        }
    }

    fn compare(&self, expected: &Value, result: Result<(), Refused>, loose: &[&str], differences: &mut Vec<String>) {
        let mut differ = |what: &str, found: &Value, wanted: &Value| {
            if found != wanted {
                differences.push(format!("{what}: found {}\n  expected {}", print_compact(found), print_compact(wanted)));
            }
        };
        if !loose.contains(&"events")
            && let Some(events) = expected.get("events").and_then(Value::as_list)
        {
            differ("events", &loosened(self.events.iter(), loose), &loosened(events.iter(), loose));
        }
        if let Some(calls) = expected.get("calls") {
            differ("calls", &Value::list(self.calls.iter().cloned()), calls);
        }
        let named = |lists: &BTreeMap<Text, Vec<Value>>| {
            Value::object(lists.iter().map(|(name, list)| (name.clone(), Value::list(list.iter().cloned()))))
        };
        let nothing = Value::object::<&str>([]);
        if expected.get("calls").is_some() {
            differ("params", &named(&self.params), &decode(expected.get("params").unwrap_or(&nothing)));
            differ("feedbackSeen", &named(&self.feedback), expected.get("feedbackSeen").unwrap_or(&nothing));
        }
        match result {
            // A definition that is refused is not started either.
            Err(Refused::Definition(problems)) => {
                match ["definitionError", "startError"].iter().find_map(|key| expected.get(key)?.as_str()) {
                    None => differences.push(format!(
                        "refused: {}",
                        problems.iter().map(|problem| problem.problem.message.as_str()).collect::<Vec<_>>().join("; ")
                    )),
                    Some(wanted) => {
                        if !problems.iter().any(|problem| says(&problem.problem.message, wanted)) {
                            differences.push(format!("definition error: found {problems:?}\n  expected {wanted}"));
                        }
                    }
                }
            }
            Err(Refused::Start(found)) => {
                let wanted = expected.get("startError").and_then(Value::as_str).unwrap_or_default();
                let leg = expected.get("leg").and_then(Value::as_number).unwrap_or(0.0);
                if wanted.is_empty() || !says(&found, wanted) || leg != self.leg as f64 {
                    differences.push(format!("start error: found {found} in leg {}\n  expected {wanted:?} in leg {leg}", self.leg));
                }
            }
            Ok(()) => match (&self.last, expected.get("definitionError").or_else(|| expected.get("startError"))) {
                (_, Some(error)) => differences.push(format!("not refused; expected {}", print_compact(error))),
                (None, None) => differences.push("nothing was run".to_owned()),
                (Some(last), None) => last.compare(expected, &self.stored, differences),
            },
        }
    }
}

impl Last {
    fn compare(&self, expected: &Value, stored: &[Value], differences: &mut Vec<String>) {
        let mut differ = |what: &str, found: Value, wanted: Option<&Value>| {
            if Some(&found) != wanted && !(found.is_undefined() && wanted.is_none()) {
                let wanted = wanted.map_or_else(|| "nothing".to_owned(), print_compact);
                differences.push(format!("{what}: found {}\n  expected {wanted}", print_compact(&found)));
            }
        };
        differ("status", Value::text(self.status), expected.get("status"));
        differ("terminationCode", self.code.clone().map_or(Value::Undefined, Value::Text), expected.get("terminationCode"));
        differ("attemptsUsed", number(self.attempts), expected.get("attemptsUsed"));
        differ("endTime", Value::Number(self.end), expected.get("endTime"));
        if let Some(wanted) = expected.get("tokens").and_then(Value::as_object) {
            let wanted = wanted.with([("complete", Value::Bool(wanted.get("complete").and_then(Value::as_bool).unwrap_or(true)))]);
            differ("tokens", self.tokens.clone().unwrap_or_default(), Some(&Value::Object(wanted)));
        }
        let stored = if stored.is_empty() { Value::Undefined } else { Value::list(stored.iter().cloned()) };
        differ("cacheStored", stored, expected.get("cacheStored"));
        let tasks = expected.get("tasks").and_then(Value::as_object).cloned().unwrap_or_default();
        if tasks.len() != self.records.len() {
            differ("number of tasks", number(self.records.len() as u64), Some(&number(tasks.len() as u64)));
        }
        for (task, record) in self.graph.tasks.iter().zip(&self.records) {
            let Some(wanted) = tasks.get(&task.key) else {
                differ(&task.key, Value::text(record.status.name()), None);
                continue;
            };
            let mut tell = |what: &str, found: Value| differ(&format!("{}.{what}", task.key), found, wanted.get(what));
            tell("status", Value::text(record.status.name()));
            tell("attempts", number(record.attempts));
            tell("cacheHit", if record.cache_hit { Value::Bool(true) } else { Value::Undefined });
            let rounds =
                if record.rounds.is_empty() { Value::Undefined } else { Value::list(record.rounds.iter().map(|round| round.to_value())) };
            tell("rounds", rounds);
            let value = record.value.as_ref().filter(|_| !task.is_gate());
            let special = value.and_then(|value| value.special.clone());
            let undefined = special.is_none() && value.is_some_and(|value| value.value.is_undefined());
            tell("valueNotJson", special.clone().map_or(Value::Undefined, Value::Text));
            tell("valueUndefined", if undefined { Value::Bool(true) } else { Value::Undefined });
            tell("value", value.filter(|_| special.is_none()).map(|value| value.value.clone()).unwrap_or_default());
            compare_error(&mut differ, &task.key, record.error.as_ref(), wanted.get("error"));
        }
    }
}

fn compare_error(differ: &mut dyn FnMut(&str, Value, Option<&Value>), key: &str, found: Option<&Failure>, wanted: Option<&Value>) {
    let kind = found.map_or(Value::Undefined, |failure| Value::text(failure.kind()));
    differ(&format!("{key}.error.kind"), kind, wanted.and_then(|wanted| wanted.get("kind")));
    let (Some(found), Some(wanted)) = (found.map(Failure::to_value), wanted.and_then(Value::as_object)) else { return };
    for name in ["message", "code", "maxRounds", "feedback"] {
        if let Some(wanted) = wanted.get(name) {
            differ(&format!("{key}.error.{name}"), found.get(name).cloned().unwrap_or_default(), Some(wanted));
        }
    }
}

/// What the specification quotes of a message; of others it is enough that there is one.
fn says(found: &str, wanted: &str) -> bool {
    const QUOTED: [&str; 22] = [
        "maxRounds must be a positive safe integer",
        "requires attempt and check callbacks",
        "Invalid task key",
        "timeoutMs must be a positive integer",
        "timer range",
        "missing dependency",
        "Dependency cycle at",
        "duplicate",
        "incompatible",
        "authorise",
        "a gate takes no condition, retry, timeout or cache",
        "unknown task type",
        "retry.attempts must be a positive integer",
        "retry.backoff",
        "retry.jitter",
        "retry.delayMs",
        "cache needs a version",
        "cache needs a key",
        "cache.mode",
        "cache.maxAgeMs",
        "concurrency",
        "saved run refused",
    ];
    match QUOTED.iter().find(|quoted| wanted.contains(**quoted)) {
        // The key or the dependency that is named has to be the same.
        Some(quoted @ (&"Dependency cycle at" | &"missing dependency")) => {
            let named = wanted.split(quoted).nth(1).unwrap_or_default();
            found.split(quoted).nth(1).is_some_and(|rest| rest.trim() == named.trim())
        }
        Some(quoted) => found.contains(*quoted),
        None => !found.is_empty(),
    }
}

fn last(simulation: &TaskSimulation) -> Last {
    let run = simulation.task_run();
    let tokens = run.tokens().map(|tokens| {
        let mut members: Vec<(&str, Value)> = TOKENS.into_iter().zip(tokens.counts.map(Value::Number)).collect();
        members.push(("complete", Value::Bool(!tokens.incomplete)));
        Value::object(members)
    });
    Last {
        graph: run.tasks().graph.clone(),
        status: if run.is_interrupted() { "interrupted" } else { run.finished().map_or("unfinished", |status| status.name()) },
        code: run.code().cloned().filter(|_| !run.is_interrupted()),
        records: run.records().to_vec(),
        attempts: run.attempts_used(),
        tokens,
        end: ms(run.now()),
        saved: simulation.save().to_value(),
    }
}

fn edited(saved: &Value, edit: Option<&Value>) -> Value {
    let (Value::Object(saved), Some(Value::Object(edit))) = (saved, edit) else { return saved.clone() };
    let mut tasks = saved.get("tasks").and_then(Value::as_object).cloned().unwrap_or_default();
    for (key, fields) in edit.iter() {
        let (Some(Value::Object(record)), Some(fields)) = (tasks.get(key), fields.as_object()) else { continue };
        let changed = record.with(fields.iter().map(|(name, value)| (name.clone(), value.clone())));
        tasks.insert(key.clone(), Value::Object(changed));
    }
    Value::Object(saved.with([("tasks", Value::Object(tasks))]))
}

fn fill(cache: &mut Cache, leg: &Value, graph: &TaskGraph) {
    for entry in leg.get("cacheEntries").and_then(Value::as_list).into_iter().flat_map(List::iter) {
        let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default();
        let workflow = entry.get("workflow").and_then(Value::as_str).unwrap_or(&graph.name);
        let key = entry.get("key").cloned().unwrap_or_default();
        let broken = entry.get("broken").is_some_and(|broken| broken.as_bool() != Some(false) && !broken.is_nullish());
        let value = (!broken).then(|| entry.get("value").cloned().unwrap_or_default());
        let created_at = entry.get("createdAt").and_then(Value::as_number).unwrap_or(0.0);
        cache.put(fingerprint(workflow, text("task"), text("version"), &key), Entry { value, created_at });
    }
}

fn stop_at(wanted: Option<&Value>, graph: &TaskGraph) -> Option<StopAt> {
    let wanted = wanted?;
    let task = graph.find(wanted.get("task").and_then(Value::as_str)?)?;
    let count = |name: &str| wanted.get(name).and_then(Value::as_number).map(|number| number as u64);
    let text = |name: &str| wanted.get(name).and_then(Value::as_str);
    if let (Some(round), Some(phase)) = (count("round"), text("phase").and_then(Phase::from_name)) {
        return Some(StopAt::Round(task, round, phase));
    }
    Some(StopAt::Named { task, event: text("event")?.into(), attempt: count("attempt"), status: text("status").map(Text::from) })
}

fn event_value(event: &Event, key: &dyn Fn(usize) -> Text) -> Value {
    let mut entry = vec![Value::Number(ms(event.at)), Value::text(event.kind.name())];
    entry.extend(event.kind.task().map(|task| Value::Text(key(task))));
    match &event.kind {
        EventKind::Start | EventKind::Resume | EventKind::BudgetExceeded => {}
        EventKind::Task(_, status) | EventKind::Decision(_, status) => entry.push(Value::text(status.name())),
        EventKind::Attempt(_, attempt) | EventKind::Usage(_, attempt) => entry.push(number(*attempt)),
        EventKind::Retry(_, attempt, delay) => entry.extend([number(*attempt), number(*delay)]),
        EventKind::Loop(_, round, phase) => entry.extend([number(*round), Value::text(phase.name())]),
        EventKind::Cache(_, lookup) => entry.push(Value::text(lookup.name())),
        EventKind::Gate(_) => entry.push(Value::text("paused")),
        EventKind::Finish(status, code) => {
            entry.push(Value::text(status.name()));
            entry.extend(code.clone().map(Value::Text));
        }
    }
    Value::list(entry)
}

/// Events without what a case leaves open.
fn loosened<'e>(events: impl Iterator<Item = &'e Value>, loose: &[&str]) -> Value {
    let events: Vec<&Value> = events.collect();
    let last = events.len().saturating_sub(1);
    let word =
        |event: &Value, at: usize| event.as_list().and_then(|list| list.get(at)).and_then(Value::as_str).unwrap_or_default().to_owned();
    let kept = events.iter().enumerate().filter(|(place, event)| {
        let kind = word(event, 1);
        let restart = matches!(kind.as_str(), "start" | "resume" | "finish") && *place != 0 && *place != last;
        let cache = kind == "cache" && matches!(word(event, 3).as_str(), "miss" | "stored");
        !(loose.contains(&"restart") && restart || loose.contains(&"cache") && cache)
    });
    let mut kept: Vec<Value> = kept.map(|(_, event)| (*event).clone()).collect();
    if loose.contains(&"order") {
        kept.sort_by_key(print_compact);
    }
    Value::list(kept)
}
