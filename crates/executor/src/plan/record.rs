//! Keeps the run log of a plan: a visit for each task, iterations for the instances of a `for_each`, and its waves.

use std::{collections::BTreeMap, sync::Arc};

use loopwright_lang::{Severity, Text, Value};
use loopwright_model::plan::{Plan, Work};

use super::{
    events::{Event, What, Whose},
    run::{End, PlanRun},
};
use crate::{
    compile::{Body, Collection, LoopConfig, LoopKind, LoopSpec, SpecOrigin, Task},
    log::{EventKind, LoopDetail, NONE, RunLog, Written},
    protocol::{FrameKind, RunState, State},
};

/// A wave, as it went.
#[derive(Clone, Debug, PartialEq)]
pub struct WaveSpan {
    /// When it began, in microseconds.
    pub start: u64,
    /// When it ended.
    pub end: u64,
    /// What ran in it.
    pub members: Vec<Whose>,
    /// What ended last, and how long it alone held the wave, in microseconds.
    pub held_by: Option<(Whose, u64)>,
}

/// Writes what happens into a run log.
#[derive(Clone, Debug)]
pub(super) struct Recorder {
    plan: Arc<Plan>,
    agent: u32,
    /// The number of each task's step.
    steps: Vec<u32>,
    /// The visit of each task that began.
    visits: BTreeMap<usize, u32>,
    /// The row of each instance.
    rows: BTreeMap<Whose, u32>,
    /// The call under way of each.
    calls: BTreeMap<Whose, u32>,
    /// The attempt under way of each ordinary task that may be tried again.
    attempts: BTreeMap<Whose, u32>,
    /// The elements of each expansion; those that are skipped; how many have a row.
    expansions: BTreeMap<usize, Expansion>,
    pub(super) waves: Vec<WaveSpan>,
    /// When the members of the wave under way ended.
    ended: BTreeMap<Whose, u64>,
}

#[derive(Clone, Debug)]
struct Expansion {
    items: Vec<Value>,
    skipped: Vec<bool>,
    round: u32,
    rows: usize,
}

impl Recorder {
    /// Begins the log.
    pub(super) fn new(log: &mut RunLog, plan: Arc<Plan>, agent: u32, steps: Vec<u32>) -> Self {
        let row = log.begin_run(agent);
        Self {
            plan,
            agent: row,
            steps,
            visits: BTreeMap::new(),
            rows: BTreeMap::new(),
            calls: BTreeMap::new(),
            attempts: BTreeMap::new(),
            expansions: BTreeMap::new(),
            waves: Vec::new(),
            ended: BTreeMap::new(),
        }
    }

    fn step(&self, task: usize) -> u32 {
        self.steps.get(task).copied().unwrap_or(NONE)
    }

    fn visit(&mut self, log: &mut RunLog, at: u64, task: usize, given: Value) -> u32 {
        if let Some(row) = self.visits.get(&task) {
            return *row;
        }
        let row = log.begin(at, FrameKind::Step, EventKind::StepStart, self.agent, self.step(task), 0, given);
        if let Some(detail) = log.agent_mut(self.agent) {
            detail.parts.push(row);
        }
        self.visits.insert(task, row);
        row
    }

    fn task(&self, whose: Whose) -> Option<&loopwright_model::plan::Task> {
        self.plan.tasks.get(whose.task)
    }

    /// Writes one event.
    pub(super) fn record(&mut self, log: &mut RunLog, event: Event, run: &PlanRun) {
        let at = event.at;
        match event.what {
            What::Condition(whose, found, holds) => {
                if whose.index.is_none() {
                    let row = self.visit(log, at, whose.task, Value::Undefined);
                    log.event(at, EventKind::Condition, row, u32::from(holds));
                    let reference = self.task(whose).and_then(|task| task.when.as_ref()).map_or("", |when| when.reference.as_str());
                    if let Some(row) = log.rows.get_mut(row as usize) {
                        row.given = Value::object([(reference, found)]);
                    }
                }
            }
            What::Skipped(whose) => match whose.index {
                None => {
                    let row = self.visit(log, at, whose.task, Value::Undefined);
                    log.end(at, row, EventKind::StepEnd, State::Skipped, Value::Null, None);
                    self.wrote(log, at, row, run);
                }
                Some(index) => {
                    if let Some(skipped) = self.expansions.get_mut(&whose.task).and_then(|expansion| expansion.skipped.get_mut(index)) {
                        *skipped = true;
                    }
                }
            },
            What::Expanded(task, items) => self.expanded(log, at, task, items),
            What::Aggregated(task, envelopes) => {
                self.fill(log, at, task, usize::MAX);
                self.end_loop(log, at, task, State::Succeeded, envelopes.clone(), None);
                let row = self.visits.get(&task).copied().unwrap_or(NONE);
                log.end(at, row, EventKind::StepEnd, State::Succeeded, envelopes, None);
                self.wrote(log, at, row, run);
            }
            What::WaveStart(members) => {
                let number = u32::try_from(self.waves.len()).unwrap_or(NONE);
                log.event(at, EventKind::BatchStart, self.agent, number);
                self.held(log, at, &members, run);
                self.ended.clear();
                self.waves.push(WaveSpan { start: at, end: at, members, held_by: None });
            }
            What::Started(whose, given) => self.started(log, at, whose, given),
            What::AttemptStart(whose, attempt) => self.attempt_start(log, at, whose, attempt),
            What::AttemptEnd(whose, _, result) => {
                let (state, result, error) = match result {
                    Ok(value) => (State::Succeeded, value, None),
                    Err(failure) => {
                        let said = format!("{} ({}, {})", failure.message, failure.code, failure.kind.name());
                        (State::Failed, Value::Undefined, Some(Text::from(said)))
                    }
                };
                for (row, kind) in [(self.calls.remove(&whose), EventKind::CallEnd), (self.attempts.remove(&whose), EventKind::AttemptEnd)]
                {
                    if let Some(row) = row {
                        if kind == EventKind::CallEnd {
                            log.open_calls = log.open_calls.saturating_sub(1);
                        }
                        log.end(at, row, kind, state, result.clone(), error.clone());
                    }
                }
            }
            What::Ended(whose, result) => {
                self.ended.insert(whose, at);
                let (state, result, error) = match result {
                    Ok(value) => {
                        let failed = value.get("failed").and_then(Value::as_bool) == Some(true) && value.get("kind").is_some();
                        let error = value.get("error").and_then(Value::as_str).filter(|_| failed).map(Text::from);
                        (if failed { State::Failed } else { State::Succeeded }, value, error)
                    }
                    Err(message) => (State::Failed, Value::Undefined, Some(message)),
                };
                self.end_instance(log, at, whose, state, result, error);
            }
            What::WaveEnd(last) => {
                self.end_wave(log, at, last);
                let row = self.visits.values().next_back().copied().unwrap_or(self.agent);
                self.wrote(log, at, row, run);
            }
            What::WaveBroken => {
                self.end_wave(log, at, None);
                self.break_off(log, at);
            }
            What::Failed(task, index, message) => self.failed(log, at, Whose { task, index }, message),
        }
    }

    fn expanded(&mut self, log: &mut RunLog, at: u64, task: usize, items: Vec<Value>) {
        let visit = self.visit(log, at, task, Value::Undefined);
        let step = self.step(task);
        let collection = self.plan.tasks.get(task).and_then(|task| task.for_each.clone());
        let collection =
            collection.map(|text| Collection { text: text.as_str().to_owned(), source: crate::compile::loops::Source::Nothing });
        let config = LoopConfig {
            kind: LoopKind::ForEach,
            collection,
            condition: None,
            item_variable: "item".into(),
            index_variable: Some("index".into()),
            limit: None,
            continue_on_error: false,
            delay: 0,
            batch: Some(loopwright_model::plan::MAX_PARALLEL),
            warnings: Vec::new(),
        };
        let spec =
            LoopSpec { config, task: Task::of(Body::Missing, true), origin: SpecOrigin::Step(step), differs: Vec::new(), refine: None };
        let of = Some(items.len() as u64);
        let round = log.begin(at, FrameKind::Loop, EventKind::LoopStart, visit, step, 0, Value::Undefined);
        let detail = LoopDetail { spec: Arc::new(spec), of, iterations: Vec::new(), started: 0, succeeded: 0, failed: 0, exit: None };
        log.detail_loop(round, detail);
        self.expansions.insert(task, Expansion { skipped: vec![false; items.len()], items, round, rows: 0 });
    }

    /// Gives the instances before `until` that have none a row: they are skipped. Rows stand in the order of the elements.
    fn fill(&mut self, log: &mut RunLog, at: u64, task: usize, until: usize) {
        let step = self.step(task);
        let Some(expansion) = self.expansions.get_mut(&task) else { return };
        while expansion.rows < until && expansion.skipped.get(expansion.rows) == Some(&true) {
            let index = expansion.rows;
            let item = expansion.items.get(index).cloned().unwrap_or_default();
            let number = u32::try_from(index).unwrap_or(NONE);
            let row = log.begin(at, FrameKind::Iteration, EventKind::IterationStart, expansion.round, step, number, item);
            log.end(at, row, EventKind::IterationEnd, State::Skipped, Value::Null, None);
            if let Some(detail) = log.loop_mut(expansion.round) {
                detail.iterations.push(row);
                detail.started += 1;
            }
            expansion.rows += 1;
        }
    }

    fn started(&mut self, log: &mut RunLog, at: u64, whose: Whose, given: Value) {
        let Some(index) = whose.index else {
            let row = self.visit(log, at, whose.task, given);
            self.rows.insert(whose, row);
            return;
        };
        self.fill(log, at, whose.task, index);
        let step = self.step(whose.task);
        let Some(expansion) = self.expansions.get_mut(&whose.task) else { return };
        let item = expansion.items.get(index).cloned().unwrap_or_default();
        let number = u32::try_from(index).unwrap_or(NONE);
        let row = log.begin(at, FrameKind::Iteration, EventKind::IterationStart, expansion.round, step, number, item);
        if let Some(detail) = log.loop_mut(expansion.round) {
            detail.iterations.push(row);
            detail.started += 1;
        }
        expansion.rows = index + 1;
        self.rows.insert(whose, row);
    }

    fn attempt_start(&mut self, log: &mut RunLog, at: u64, whose: Whose, attempt: u32) {
        let (step, number) = (self.step(whose.task), attempt.saturating_sub(1));
        let mut parent = self.rows.get(&whose).copied().unwrap_or(NONE);
        let name = match self.task(whose).map(|task| &task.work) {
            Some(Work::Tool { name, .. } | Work::Agent { name, .. }) => name.clone(),
            _ => return,
        };
        if whose.index.is_none() && self.task(whose).and_then(|task| task.execution).is_some_and(|execution| execution.attempts > 1) {
            parent = log.begin(at, FrameKind::Attempt, EventKind::AttemptStart, parent, step, number, Value::Undefined);
            self.attempts.insert(whose, parent);
        }
        log.calls += 1;
        log.open_calls += 1;
        log.most_calls = log.most_calls.max(log.open_calls);
        let row = log.begin(at, FrameKind::Call, EventKind::CallStart, parent, step, number, Value::Text(name));
        self.calls.insert(whose, row);
    }

    fn end_instance(&mut self, log: &mut RunLog, at: u64, whose: Whose, state: State, result: Value, error: Option<Text>) {
        let Some(row) = self.rows.get(&whose).copied() else { return };
        if whose.index.is_none() {
            log.end(at, row, EventKind::StepEnd, state, result, error);
            return;
        }
        log.end(at, row, EventKind::IterationEnd, state, result, error);
        let round = self.expansions.get(&whose.task).map_or(NONE, |expansion| expansion.round);
        if let Some(detail) = log.loop_mut(round) {
            match state {
                State::Succeeded => detail.succeeded += 1,
                State::Failed => detail.failed += 1,
                _ => {}
            }
        }
    }

    fn end_loop(&mut self, log: &mut RunLog, at: u64, task: usize, state: State, result: Value, error: Option<Text>) {
        let Some(round) = self.expansions.get(&task).map(|expansion| expansion.round) else { return };
        if let Some(detail) = log.loop_mut(round) {
            detail.exit = Some(match state {
                State::Succeeded => "completed",
                State::Failed => "failed",
                _ => "cancelled",
            });
        }
        log.end(at, round, EventKind::LoopEnd, state, result, error);
    }

    fn end_wave(&mut self, log: &mut RunLog, at: u64, last: Option<Whose>) {
        let Some(number) = self.waves.len().checked_sub(1) else { return };
        let open = self.waves.last().is_some_and(|wave| wave.end == wave.start && !wave.members.is_empty());
        if !open {
            return;
        }
        log.event(at, EventKind::BatchEnd, self.agent, u32::try_from(number).unwrap_or(NONE));
        let others = self.ended.iter().filter(|(whose, _)| Some(**whose) != last).map(|(_, end)| *end).max();
        if let Some(wave) = self.waves.last_mut() {
            wave.end = at;
            wave.held_by = last.zip(others).map(|(last, others)| (last, at.saturating_sub(others))).filter(|(_, alone)| *alone > 0);
        }
    }

    /// Says which tasks waited for a wave and not for what they depend on.
    fn held(&mut self, log: &mut RunLog, at: u64, members: &[Whose], run: &PlanRun) {
        let Some((wave, (last, alone))) = self.waves.last().and_then(|wave| Some((wave, wave.held_by?))) else { return };
        let waited = |whose: &&Whose| {
            let before = self.task(**whose).map(|task| task.depends_on.as_slice()).unwrap_or_default();
            let in_wave = before.iter().any(|place| wave.members.iter().any(|member| member.task == *place));
            in_wave && !self.comes_before(last.task, whose.task)
        };
        let Some(first) = members.iter().find(waited) else { return };
        let what = if matches!(self.task(last).map(|task| &task.work), Some(Work::Wait(_))) { "wait" } else { "task" };
        let seconds = alone as f64 / 1e6;
        let number = self.waves.len();
        let message = format!(
            "{} was held by {what} `{}` in wave {number} for {seconds} s: a wave ends as a whole, and what comes after it starts then.",
            run.name(*first),
            run.name(last)
        );
        let row = self.visits.get(&last.task).copied().unwrap_or(self.agent);
        log.notice(at, row, "plan_held", Severity::Hint, &message);
    }

    fn comes_before(&self, before: usize, task: usize) -> bool {
        let mut open = vec![task];
        let mut seen = Vec::new();
        while let Some(place) = open.pop() {
            if place == before {
                return true;
            }
            if !seen.contains(&place) {
                seen.push(place);
                open.extend(self.plan.tasks.get(place).into_iter().flat_map(|task| task.depends_on.iter().copied()));
            }
        }
        false
    }

    fn failed(&mut self, log: &mut RunLog, at: u64, whose: Whose, message: Text) {
        log.error_step = Some(self.step(whose.task));
        log.error = Some(message.clone());
        self.visit(log, at, whose.task, Value::Undefined);
        self.end_open(log, at, whose, State::Failed, Some(message));
    }

    /// Ends the rows of a task that are open.
    fn end_open(&mut self, log: &mut RunLog, at: u64, whose: Whose, state: State, error: Option<Text>) {
        let running = |log: &RunLog, row: u32| log.row(row).is_some_and(|row| row.state == State::Running);
        if let Some(row) = self.rows.get(&whose).copied().filter(|row| whose.index.is_some() && running(log, *row)) {
            log.end(at, row, EventKind::IterationEnd, state, Value::Undefined, error.clone());
        }
        let round = self.expansions.get(&whose.task).map(|expansion| expansion.round);
        if round.is_some_and(|round| running(log, round)) {
            self.end_loop(log, at, whose.task, state, Value::Undefined, error.clone());
        }
        if let Some(row) = self.visits.get(&whose.task).copied().filter(|row| running(log, *row)) {
            log.end(at, row, EventKind::StepEnd, state, Value::Undefined, error);
        }
    }

    /// Ends everything that is under way.
    fn break_off(&mut self, log: &mut RunLog, at: u64) {
        for (calls, kind) in [(&mut self.calls, EventKind::CallEnd), (&mut self.attempts, EventKind::AttemptEnd)] {
            for row in std::mem::take(calls).into_values() {
                log.end(at, row, kind, State::Cancelled, Value::Undefined, None);
            }
        }
        log.open_calls = 0;
        let begun: Vec<Whose> =
            self.rows.keys().copied().chain(self.visits.keys().map(|task| Whose { task: *task, index: None })).collect();
        for whose in begun {
            self.end_open(log, at, whose, State::Cancelled, None);
        }
    }

    /// The results so far are the run's payload.
    fn wrote(&mut self, log: &mut RunLog, at: u64, by: u32, run: &PlanRun) {
        let event = log.event(at, EventKind::Payload, by, 0);
        log.wrote(self.agent, event, by, Written::Root(run.results()));
    }

    /// Ends the log as the run ended.
    pub(super) fn finish(&mut self, log: &mut RunLog, run: &PlanRun) {
        let at = run.now();
        self.break_off(log, at);
        let (state, row_state) = match run.end() {
            Some(End::Completed) => (RunState::Completed, State::Succeeded),
            Some(End::Cancelled(_)) => (RunState::Cancelled, State::Cancelled),
            _ => (RunState::Failed, State::Failed),
        };
        if let Some(End::Failed { message, .. } | End::Raised { message, .. }) = run.end() {
            log.error.get_or_insert_with(|| message.as_str().into());
        }
        log.final_payload = match run.end() {
            Some(End::Completed) => run.results(),
            _ => run.output().unwrap_or_else(|| Value::object::<&str>([])),
        };
        let error = log.error.clone();
        log.end(at, self.agent, EventKind::AgentEnd, row_state, log.final_payload.clone(), error);
        log.state = state;
    }
}

/// The log of a plan that is refused before it starts.
pub(super) fn refused(log: &mut RunLog, agent: u32, step: Option<u32>, message: &str) {
    let row = log.begin_run(agent);
    log.error = Some(message.into());
    log.error_step = step;
    log.final_payload = Value::object([("error", Value::text(message))]);
    log.end(0, row, EventKind::AgentEnd, State::Failed, log.final_payload.clone(), log.error.clone());
    log.state = RunState::Failed;
}
