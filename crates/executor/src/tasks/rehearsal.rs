//! A task graph of a document, run under one of its scenarios.
//!
//! The scenario's fields: `calls` (see [`super::script`]), and for what it does not script `actions`, `prompts`, `agents` as for other
//! graphs; `answers` (gate → `{ action, actor, reason, afterMs }`), `now` (ms), `abortAt` (ms), `cacheEntries`, `cacheStore`, `seed`;
//! `interruptAt` and `resume`: the run is interrupted at an event, and goes on from its saved state, a leg at a time.

use std::sync::Arc;

use loopwright_lang::{Text, Value};
use loopwright_model::{
    Entity, GraphKind, GraphRef,
    tasks::{self, Callee, StartOptions, TaskGraph},
};

use super::{
    Answer, Cache, CompiledTasks, Entry, Failure, Leg, Phase, Reply, Saved, Scripted, Scripts, Settings, StopAt, TaskCall, TaskRun,
    TaskSimulation, fingerprint,
    recorder::{Recorder, refused},
};
use crate::{
    compile::CalleeKind,
    engine::{Outcome, Progress},
    log::RunLog,
    protocol::State,
    scenario::{Asked, Scenario},
};

/// What a run begins with.
#[derive(Debug)]
struct Setup {
    tasks: Option<Arc<CompiledTasks>>,
    options: StartOptions,
    /// Why the graph is refused, and the step that is to blame.
    refusal: Option<(Option<u32>, String)>,
    fields: Value,
    scenario: Arc<Scenario>,
    agent: u32,
    steps: Vec<u32>,
}

/// A run of a document's task graph.
pub struct Rehearsal {
    setup: Arc<Setup>,
    simulation: Option<TaskSimulation>,
    recorder: Option<Recorder>,
    leg: usize,
}

impl std::fmt::Debug for Rehearsal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rehearsal").field("leg", &self.leg).finish_non_exhaustive()
    }
}

impl Rehearsal {
    /// Makes a graph's tasks ready. `None` where the graph is no task graph. `steps` are the numbers of its tasks.
    pub(crate) fn new(
        graph: GraphRef<'_>,
        entity: Option<&Entity>,
        scenario: Arc<Scenario>,
        agent: usize,
        steps: Vec<u32>,
    ) -> Option<Self> {
        if graph.kind() != GraphKind::Tasks {
            return None;
        }
        let value = tasks::tasks_value(graph);
        let (read, mut problems) = tasks::read(&value);
        let (options, more) = tasks::read_options(value.get("options"));
        problems.extend(more);
        let refusal = problems.iter().find(|problem| problem.refuses).map(|problem| {
            let step = problem.task.and_then(|place| steps.get(place).copied());
            (step, format!("The task graph cannot be started: {}", problem.problem.message))
        });
        let tasks = refusal.is_none().then(|| Arc::new(CompiledTasks::new(read)));
        let fields = entity.map_or(Value::Undefined, |entity| Value::Object(entity.fields.clone()));
        let agent = u32::try_from(agent).unwrap_or(u32::MAX);
        let setup = Setup { tasks, options, refusal, fields, scenario, agent, steps };
        Some(Self { setup: Arc::new(setup), simulation: None, recorder: None, leg: 0 })
    }

    /// The same, not begun.
    pub(crate) fn restarted(&self) -> Self {
        Self { setup: self.setup.clone(), simulation: None, recorder: None, leg: 0 }
    }

    /// The run of the leg under way; `None` before it begins, and where it is refused.
    pub fn run(&self) -> Option<&TaskRun> {
        self.simulation.as_ref().map(TaskSimulation::task_run)
    }

    /// The run's saved state.
    pub fn saved(&self) -> Option<Saved> {
        self.simulation.as_ref().map(TaskSimulation::save)
    }

    /// The virtual clock, in microseconds.
    pub(crate) fn now(&self) -> u64 {
        self.run().map_or(0, TaskRun::now)
    }

    /// Lets one thing happen and writes it down.
    pub(crate) fn step(&mut self, log: &mut RunLog) -> Progress {
        let setup = self.setup.clone();
        let Some(tasks) = &setup.tasks else {
            let (step, message) = setup.refusal.clone().unwrap_or((None, "This graph has no tasks to run.".into()));
            refused(log, 0, setup.agent, step, &message);
            return Progress::Finished;
        };
        let Some(simulation) = &mut self.simulation else {
            return match begin(&setup, tasks, 0, Scripts::new(field(&setup.fields, "calls")), cache(&setup.fields, &tasks.graph), None) {
                Ok(simulation) => {
                    self.recorder = Some(Recorder::new(log, setup.agent, setup.steps.clone()));
                    self.simulation = Some(simulation);
                    Progress::Working
                }
                Err(refusal) => {
                    refused(log, 0, setup.agent, None, &refusal.0);
                    Progress::Finished
                }
            };
        };
        let Some(recorder) = &mut self.recorder else { return Progress::Finished };
        let went_on = simulation.step();
        let ended = simulation.take_ended();
        recorder.record(log, simulation, ended);
        match went_on {
            Ok(true) => Progress::Working,
            Err(refusal) => {
                let now = simulation.task_run().now();
                recorder.break_off(log, now, State::Cancelled);
                refused(log, now, setup.agent, None, &refusal.0);
                Progress::Finished
            }
            Ok(false) => self.leg_over(log, &setup),
        }
    }

    /// A leg is over: the next one goes on from what it left.
    fn leg_over(&mut self, log: &mut RunLog, setup: &Setup) -> Progress {
        let (Some(simulation), Some(recorder), Some(tasks)) = (self.simulation.take(), &mut self.recorder, &setup.tasks) else {
            return Progress::Finished;
        };
        if leg_fields(&setup.fields, self.leg + 1).is_none() {
            recorder.close_log(log, simulation.task_run());
            self.simulation = Some(simulation);
            return Progress::Finished;
        }
        self.leg += 1;
        let saved = simulation.save();
        recorder.next_leg(log, saved.at);
        let (scripts, cache) = simulation.into_parts();
        match begin(setup, tasks, self.leg, scripts, cache, Some(&saved)) {
            Ok(simulation) => {
                self.simulation = Some(simulation);
                Progress::Working
            }
            Err(refusal) => {
                refused(log, saved.at, setup.agent, None, &refusal.0);
                Progress::Finished
            }
        }
    }

    /// Ends the run where it is.
    pub(crate) fn cancel(&mut self, log: &mut RunLog) {
        if let (Some(simulation), Some(recorder)) = (&mut self.simulation, &mut self.recorder) {
            simulation.abort();
            let ended = simulation.take_ended();
            recorder.record(log, simulation, ended);
            recorder.close_log(log, simulation.task_run());
        }
    }
}

fn field(fields: &Value, name: &str) -> Value {
    fields.get(name).filter(|value| !value.is_null()).cloned().unwrap_or_default()
}

/// What a leg is: the scenario itself, then its `resume`, one or a list.
fn leg_fields(fields: &Value, leg: usize) -> Option<Value> {
    match (leg.checked_sub(1), fields.get("resume")) {
        (None, _) => Some(fields.clone()),
        (Some(place), Some(Value::List(legs))) => legs.get(place).cloned(),
        (Some(0), Some(Value::Object(leg))) => Some(Value::Object(leg.clone())),
        _ => None,
    }
}

fn begin(
    setup: &Setup,
    tasks: &Arc<CompiledTasks>,
    number: usize,
    scripts: Scripts,
    cache: Cache,
    saved: Option<&Saved>,
) -> Result<TaskSimulation, super::StartRefused> {
    let own = leg_fields(&setup.fields, number).unwrap_or_default();
    let options = match own.get("options").filter(|_| number > 0) {
        Some(options) => {
            let (options, problems) = tasks::read_options(Some(options));
            if let Some(problem) = problems.first() {
                return Err(super::StartRefused(problem.problem.message.clone()));
            }
            options
        }
        None => setup.options.clone(),
    };
    let seed = setup.scenario.seed.clone();
    let settings = Settings {
        execution_id: format!("run-{seed}").into(),
        seed,
        now_ms: setup.fields.get("now").and_then(Value::as_number).unwrap_or(0.0),
        stop_at: own.get("interruptAt").and_then(|wanted| stop_at(wanted, &tasks.graph)),
        ..Settings::default()
    };
    let leg = Leg {
        options,
        settings,
        abort_after: own.get("abortAt").and_then(Value::as_number).map(|ms| crate::compile::micros(ms * 1_000.0)),
        answers: own.get("answers").or_else(|| setup.fields.get("answers")).cloned().unwrap_or_default(),
        version: own.get("version").filter(|_| number > 0).and_then(Value::as_str).map(Text::from),
        authorised: own.get("authorise").and_then(Value::as_bool) != Some(false),
    };
    let scenario = setup.scenario.clone();
    let simulation = TaskSimulation::start(tasks.clone(), leg, scripts, cache, saved)?;
    Ok(simulation.with_fallback(Box::new(move |call, number| scripted(&scenario, call, number))))
}

/// Where a scenario interrupts a leg: `{ task, round, phase }`, or `{ task, event, attempt, status }`.
pub(super) fn stop_at(wanted: &Value, graph: &TaskGraph) -> Option<StopAt> {
    let task = graph.find(wanted.get("task").and_then(Value::as_str)?)?;
    let count = |name: &str| wanted.get(name).and_then(Value::as_number).map(|number| number as u64);
    let text = |name: &str| wanted.get(name).and_then(Value::as_str);
    if let (Some(round), Some(phase)) = (count("round"), text("phase").and_then(Phase::from_name)) {
        return Some(StopAt::Round(task, round, phase));
    }
    Some(StopAt::Named { task, event: text("event")?.into(), attempt: count("attempt"), status: text("status").map(Text::from) })
}

/// What the cache holds at the beginning.
fn cache(fields: &Value, graph: &TaskGraph) -> Cache {
    let mut cache = Cache::default();
    let fails = |name: &str| fields.get("cacheStore").and_then(|store| store.get(name)).and_then(Value::as_bool) == Some(true);
    (cache.read_fails, cache.write_fails) = (fails("readFails"), fails("writeFails"));
    for entry in fields.get("cacheEntries").and_then(Value::as_list).into_iter().flat_map(|list| list.iter()) {
        let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default();
        let key = entry.get("key").cloned().unwrap_or_default();
        let created_at = entry.get("createdAt").and_then(Value::as_number).unwrap_or(0.0);
        let value = Some(entry.get("value").cloned().unwrap_or_default());
        cache.put(fingerprint(&graph.name, text("task"), text("version"), &key), Entry { value, created_at });
    }
    cache
}

/// What a scenario's scripts of actions, prompts and agents answer.
fn scripted(scenario: &Scenario, call: &TaskCall, number: u64) -> Option<Scripted> {
    let kind = match call.callee {
        Callee::Action => CalleeKind::Action,
        Callee::Prompt => CalleeKind::Prompt,
        Callee::Agent => CalleeKind::Agent,
    };
    let params = call.params.clone().unwrap_or_else(|| Value::object::<&str>([]));
    let path: Vec<u64> = call.round.map(|(round, _)| round.saturating_sub(1)).into_iter().collect();
    let attempt = u32::try_from(call.attempt).unwrap_or(u32::MAX);
    let asked = Asked { number, params: &params, payload: &params, step: &call.name, path: &path, attempt };
    let answer = scenario.answer(kind, None, &call.name, &asked)?;
    let threw = |message: Text, code: Option<Text>| Answer::Threw(Failure::Thrown { message, code, retry_after_ms: None });
    let answer_of = match answer.outcome {
        Outcome::Returned(value) | Outcome::Reported { ok: true, outputs: value, .. } => Answer::Returned(value.into()),
        Outcome::Answered(text) => {
            let value = loopwright_lang::json::parse(&text).value().unwrap_or(Value::Text(text));
            Answer::Returned(value.into())
        }
        Outcome::Failed { message, .. } | Outcome::Threw(message) => threw(message, None),
        Outcome::Reported { message, code, .. } => threw(message.unwrap_or_else(|| "failed".into()), code),
        Outcome::Ended { message, .. } => Answer::Returned(Value::Text(message).into()),
        Outcome::Fired => Answer::Returned(Value::Undefined.into()),
    };
    Some(Scripted { after: answer.after, reply: Reply { answer: answer_of, usage: None, mutate: None }, ignores_abort: false })
}
