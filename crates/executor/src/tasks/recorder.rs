//! Keeps the run log of a task graph: a visit for each task, a loop with an iteration a round, calls.

use std::{collections::BTreeMap, sync::Arc};

use loopwright_lang::{Severity, Text, Value};
use loopwright_model::tasks::TaskKind;

use super::{Answer, EventKind as What, Lookup, Phase, Reply, RunStatus, Status, TaskRun, TaskSimulation, Verdict};
use crate::{
    compile::{Body, LoopConfig, LoopKind, LoopSpec, SpecOrigin, Task, refine::round_record},
    engine::Ticket,
    log::{EventKind, LoopDetail, NONE, RunLog, Written},
    protocol::{FrameKind, RunState, State},
};

/// What is open of a task.
#[derive(Clone, Copy, Debug)]
struct Open {
    visit: u32,
    attempt: u32,
    round: u32,
    iteration: u32,
}

impl Default for Open {
    fn default() -> Self {
        Self { visit: NONE, attempt: NONE, round: NONE, iteration: NONE }
    }
}

/// Writes what happens into a run log.
#[derive(Clone, Debug)]
pub(super) struct Recorder {
    agent: u32,
    /// The number of each task's step.
    steps: Vec<u32>,
    open: BTreeMap<usize, Open>,
    calls: BTreeMap<Ticket, u32>,
    /// Visits of each task so far.
    visits: BTreeMap<usize, u32>,
    events: usize,
    trace: usize,
}

impl Recorder {
    /// Begins the log.
    pub(super) fn new(log: &mut RunLog, agent: u32, steps: Vec<u32>) -> Self {
        let row = log.begin_run(agent);
        Self { agent: row, steps, open: BTreeMap::new(), calls: BTreeMap::new(), visits: BTreeMap::new(), events: 0, trace: 0 }
    }

    /// Another leg begins: what was open was interrupted.
    pub(super) fn next_leg(&mut self, log: &mut RunLog, at: u64) {
        self.break_off(log, at, State::Cancelled);
        log.notice(at, self.agent, "N40", Severity::Hint, "The run is started again here and goes on from its saved state.");
        (self.events, self.trace) = (0, 0);
    }

    /// Writes what happened since the last time.
    pub(super) fn record(&mut self, log: &mut RunLog, simulation: &TaskSimulation, ended: Vec<(Ticket, Reply)>) {
        let run = simulation.task_run();
        for (ticket, reply) in ended {
            if let Some(row) = self.calls.remove(&ticket) {
                log.open_calls = log.open_calls.saturating_sub(1);
                let (state, value, error) = match reply.answer {
                    Answer::Returned(candidate) => (State::Succeeded, candidate.value, None),
                    Answer::Threw(failure) => (State::Failed, Value::Undefined, Some(Text::from(failure.message()))),
                };
                log.end(run.now(), row, EventKind::CallEnd, state, value, error);
            }
        }
        let given_up: Vec<Ticket> = self.calls.keys().copied().filter(|ticket| !run.wants(*ticket)).collect();
        for ticket in given_up {
            if let Some(row) = self.calls.remove(&ticket) {
                log.open_calls = log.open_calls.saturating_sub(1);
                log.end(run.now(), row, EventKind::CallEnd, State::Cancelled, Value::Undefined, None);
            }
        }
        for event in run.events().get(self.events..).unwrap_or_default() {
            self.event(log, event.at, &event.kind, run);
        }
        self.events = run.events().len();
        for traced in simulation.trace().get(self.trace..).unwrap_or_default() {
            let call = &traced.call;
            let open = self.open.get(&call.task).copied().unwrap_or_default();
            let parent = [open.iteration, open.attempt, open.visit].into_iter().find(|row| *row != NONE).unwrap_or(self.agent);
            log.calls += 1;
            log.open_calls += 1;
            log.most_calls = log.most_calls.max(log.open_calls);
            let number = if matches!(call.round, Some((_, Phase::Check))) { 1 } else { 0 };
            let given = call.params.clone().unwrap_or_else(|| Value::Text(call.name.clone()));
            let row = log.begin(traced.at, FrameKind::Call, EventKind::CallStart, parent, self.step(call.task), number, given);
            self.calls.insert(call.ticket, row);
        }
        self.trace = simulation.trace().len();
    }

    fn step(&self, task: usize) -> u32 {
        self.steps.get(task).copied().unwrap_or(NONE)
    }

    fn visit(&mut self, log: &mut RunLog, at: u64, task: usize) -> u32 {
        if let Some(open) = self.open.get(&task) {
            return open.visit;
        }
        let visits = self.visits.entry(task).or_insert(0);
        let number = *visits;
        *visits += 1;
        let row = log.begin(at, FrameKind::Step, EventKind::StepStart, self.agent, self.step(task), number, Value::Undefined);
        if let Some(detail) = log.agent_mut(self.agent) {
            detail.parts.push(row);
        }
        self.open.insert(task, Open { visit: row, ..Open::default() });
        row
    }

    fn event(&mut self, log: &mut RunLog, at: u64, what: &What, run: &TaskRun) {
        match what {
            What::Start | What::Resume | What::Usage(..) => {}
            What::BudgetExceeded => log.notice(at, self.agent, "N41", Severity::Warning, "The budget is spent; nothing more is started."),
            What::Task(task, Status::Active) | What::Gate(task) => drop(self.visit(log, at, *task)),
            What::Task(_, Status::Paused | Status::Waiting) | What::Decision(..) => {}
            What::Task(task, status) => self.ended(log, at, *task, *status, run),
            What::Attempt(task, number) => self.attempt(log, at, *task, *number, run),
            What::Retry(task, _, delay) => {
                let row = self.open.get_mut(task).map_or(NONE, |open| std::mem::replace(&mut open.attempt, NONE));
                let message = Text::from(format!("It failed, and is tried again after {delay} ms."));
                if row != NONE {
                    log.end(at, row, EventKind::AttemptEnd, State::Failed, Value::Undefined, Some(message));
                }
            }
            What::Loop(task, round, phase) => self.round(log, at, *task, *round, *phase, run),
            What::Cache(task, lookup) => {
                let row = self.visit(log, at, *task);
                let message = match lookup {
                    Lookup::Hit => "The value was in the cache; nothing was called.",
                    Lookup::Miss => "The cache holds no value for this key.",
                    Lookup::Stored => "The value is kept in the cache.",
                    Lookup::Failed => "The cache could not be used.",
                };
                log.notice(at, row, "N42", Severity::Hint, message);
            }
            What::Finish(status, code) => self.finish(log, at, *status, code.as_ref()),
        }
    }

    fn attempt(&mut self, log: &mut RunLog, at: u64, task: usize, number: u64, run: &TaskRun) {
        let visit = self.visit(log, at, task);
        let tried = run.tasks().task(task).is_some_and(|task| task.retry.attempts > 1);
        if tried {
            let number = u32::try_from(number.saturating_sub(1)).unwrap_or(NONE);
            let row = log.begin(at, FrameKind::Attempt, EventKind::AttemptStart, visit, self.step(task), number, Value::Undefined);
            if let Some(open) = self.open.get_mut(&task) {
                open.attempt = row;
            }
        }
    }

    fn round(&mut self, log: &mut RunLog, at: u64, task: usize, number: u64, phase: Phase, run: &TaskRun) {
        let visit = self.visit(log, at, task);
        let step = self.step(task);
        let mut open = self.open.get(&task).copied().unwrap_or_default();
        if open.round == NONE {
            open.round = log.begin(at, FrameKind::Loop, EventKind::LoopStart, visit, step, 0, Value::Undefined);
            log.detail_loop(open.round, detail(step, run.tasks().task(task).map(|task| &task.kind)));
        }
        let rounds = run.records().get(task).map(|record| record.rounds.as_slice()).unwrap_or_default();
        let record = rounds.iter().find(|round| round.number == number);
        if phase == Phase::Complete {
            let verdict = record.and_then(|round| round.check.as_ref());
            let feedback = match verdict {
                Some(Verdict::Rejected(feedback)) => Some(feedback),
                _ => None,
            };
            let candidate = record.and_then(|round| round.output.clone()).unwrap_or_default();
            log.end(at, open.iteration, EventKind::IterationEnd, State::Succeeded, round_record(&candidate, feedback), None);
            open.iteration = NONE;
            if let Some(detail) = log.loop_mut(open.round) {
                detail.succeeded += 1;
            }
        } else if open.iteration == NONE {
            let before = rounds.iter().find(|round| round.number + 1 == number).and_then(|round| round.check.as_ref());
            let feedback = match before {
                Some(Verdict::Rejected(feedback)) => Value::Text(feedback.clone()),
                _ => Value::Undefined,
            };
            let given = Value::object([("round", Value::Number(number as f64)), ("feedback", feedback)]);
            let index = u32::try_from(number.saturating_sub(1)).unwrap_or(NONE);
            open.iteration = log.begin(at, FrameKind::Iteration, EventKind::IterationStart, open.round, step, index, given);
            if let Some(detail) = log.loop_mut(open.round) {
                detail.started += 1;
                if open.iteration != NONE {
                    detail.iterations.push(open.iteration);
                }
            }
        }
        self.open.insert(task, open);
    }

    /// A task ended.
    fn ended(&mut self, log: &mut RunLog, at: u64, task: usize, status: Status, run: &TaskRun) {
        if status == Status::Cancelled && !self.open.contains_key(&task) {
            return;
        }
        self.visit(log, at, task);
        let Some(record) = run.records().get(task) else { return };
        let state = match status {
            Status::Done => State::Succeeded,
            Status::Skipped => State::Skipped,
            Status::Cancelled => State::Cancelled,
            _ => State::Failed,
        };
        let error = record.error.as_ref().map(|error| Text::from(error.message()));
        let value = record.value.as_ref().map(|value| value.value.clone()).unwrap_or_default();
        if let (Status::Failed | Status::Rejected, Some(error)) = (status, &error) {
            log.error.get_or_insert_with(|| error.clone());
            let step = self.step(task);
            log.error_step.get_or_insert(step);
        }
        let visit = self.close(log, at, task, state, &value, error.as_ref());
        if status == Status::Done {
            let event = log.event(at, EventKind::Payload, visit, 0);
            log.wrote(self.agent, event, visit, Written::Root(values(run)));
        }
    }

    /// Ends all rows of a task; gives its visit.
    fn close(&mut self, log: &mut RunLog, at: u64, task: usize, state: State, value: &Value, error: Option<&Text>) -> u32 {
        let Some(open) = self.open.remove(&task) else { return NONE };
        if open.iteration != NONE {
            log.end(at, open.iteration, EventKind::IterationEnd, state, Value::Undefined, error.cloned());
            if let Some(detail) = log.loop_mut(open.round) {
                detail.failed += u64::from(state == State::Failed);
            }
        }
        if open.round != NONE {
            if let Some(detail) = log.loop_mut(open.round) {
                detail.exit = Some(match state {
                    State::Succeeded => "completed",
                    State::Failed => "failed",
                    _ => "cancelled",
                });
            }
            log.end(at, open.round, EventKind::LoopEnd, state, value.clone(), error.cloned());
        }
        if open.attempt != NONE {
            log.end(at, open.attempt, EventKind::AttemptEnd, state, value.clone(), error.cloned());
        }
        log.end(at, open.visit, EventKind::StepEnd, state, value.clone(), error.cloned());
        open.visit
    }

    /// Ends what is open, because the leg was interrupted or the run ends.
    pub(super) fn break_off(&mut self, log: &mut RunLog, at: u64, state: State) {
        for row in std::mem::take(&mut self.calls).into_values() {
            log.end(at, row, EventKind::CallEnd, state, Value::Undefined, None);
        }
        log.open_calls = 0;
        let open: Vec<usize> = self.open.keys().copied().collect();
        for task in open {
            self.close(log, at, task, state, &Value::Undefined, None);
        }
    }

    /// The run ended, or rests at a gate; a later start may open it again.
    fn finish(&self, log: &mut RunLog, at: u64, status: RunStatus, code: Option<&Text>) {
        let shown = format!("finish: {}{}", status.name(), code.map_or(String::new(), |code| format!(" ({code})")));
        log.notice(at, self.agent, "N43", Severity::Hint, &shown);
    }

    /// Ends the log as the run ended.
    pub(super) fn close_log(&mut self, log: &mut RunLog, run: &TaskRun) {
        let at = run.now();
        self.break_off(log, at, State::Cancelled);
        let (state, row_state) = match run.finished() {
            Some(RunStatus::Done) => (RunState::Completed, State::Succeeded),
            Some(RunStatus::Paused) => {
                let gates = run.tasks().graph.tasks.iter().zip(run.records());
                let open: Vec<&str> =
                    gates.filter(|(_, record)| record.status == Status::Paused).map(|(task, _)| task.key.as_str()).collect();
                log.final_message = Some(format!("The run rests until someone decides at {}.", open.join(", ")).into());
                (RunState::Message, State::Succeeded)
            }
            Some(RunStatus::Cancelled) | None => (RunState::Cancelled, State::Cancelled),
            Some(RunStatus::Failed | RunStatus::Rejected) => (RunState::Failed, State::Failed),
        };
        if state == RunState::Failed {
            let code = run.code().map_or("failed", Text::as_str);
            log.error.get_or_insert_with(|| format!("The run failed: {code}.").into());
        } else {
            (log.error, log.error_step) = (None, None);
        }
        log.final_payload = values(run);
        let error = log.error.clone();
        log.end(at, self.agent, EventKind::AgentEnd, row_state, log.final_payload.clone(), error);
        log.state = state;
    }
}

/// The values so far, by key.
fn values(run: &TaskRun) -> Value {
    let tasks = run.tasks().graph.tasks.iter().zip(run.records());
    Value::object(tasks.filter_map(|(task, record)| Some((task.key.clone(), record.value.as_ref()?.value.clone()))))
}

fn detail(step: u32, kind: Option<&TaskKind>) -> LoopDetail {
    let of = match kind {
        Some(TaskKind::Loop { max_rounds, .. }) => Some(*max_rounds),
        _ => None,
    };
    let config = LoopConfig {
        kind: LoopKind::Refine,
        collection: None,
        condition: None,
        item_variable: "feedback".into(),
        index_variable: Some("round".into()),
        limit: of,
        continue_on_error: false,
        delay: 0,
        batch: None,
        warnings: Vec::new(),
    };
    let spec = LoopSpec { config, task: Task::of(Body::Missing, true), origin: SpecOrigin::Step(step), differs: Vec::new(), refine: None };
    LoopDetail { spec: Arc::new(spec), of: None, iterations: Vec::new(), started: 0, succeeded: 0, failed: 0, exit: None }
}

/// Ends the log of a graph that is refused, before it starts or when it is to go on.
pub(super) fn refused(log: &mut RunLog, at: u64, agent: u32, step: Option<u32>, message: &str) {
    let row = if log.rows.is_empty() { log.begin_run(agent) } else { 0 };
    log.error = Some(message.into());
    log.error_step = step;
    log.end(at, row, EventKind::AgentEnd, State::Failed, Value::Undefined, log.error.clone());
    log.state = RunState::Failed;
}
