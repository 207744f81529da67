//! ForEach and While (flow-agents.md), for steps of flow agents and operations of loop agents alike.

use std::sync::Arc;

use loopwright_lang::{List, Object, Scope, Severity, Text, Value, differences::Rule, json::print_compact, mapping::OutputPlace, path};

use super::{Class, Done, Execution, Frame, Running, SlotId, Ticket, Waiter, Wake, released, scope, task::Place};
use crate::{
    compile::{
        Body, LoopSpec,
        loops::{LoopKind, Source},
    },
    log::{EventKind, LoopDetail, NONE, ROOT_EVERY, Written},
    protocol::{FrameKind, State},
    rules::{BodySees, LoopWrites, UnclearCondition},
};

/// A loop under way.
#[derive(Debug)]
pub struct Loop {
    pub(crate) spec: Arc<LoopSpec>,
    pub(crate) agent: SlotId,
    pub(crate) parent_row: u32,
    pub(crate) row: u32,
    pub(crate) step: u32,
    pub(crate) key: Text,
    pub(crate) attempt: u32,
    /// What a ForEach goes through, up to its limit.
    pub(crate) items: List,
    /// How many items there are, past the limit too.
    pub(crate) available: u64,
    /// Iterations to run of a ForEach.
    pub(crate) count: u64,
    /// The next iteration's number.
    pub(crate) next: u64,
    pub(crate) results: List,
    pub(crate) errors: List,
    /// Iterations whose results were written.
    pub(crate) collected: u64,
    /// Writes since a payload was kept whole.
    pub(crate) unrooted: u32,
    /// The loops around an iteration's number, outermost first.
    pub(crate) path: Vec<u64>,
    pub(crate) depth: u32,
    /// The roots that stay the same from one iteration to the next.
    pub(crate) scope: Scope,
    /// The iterations under way: one, or a batch.
    pub(crate) parts: Vec<Part>,
    /// The payload as it was when the batch began.
    pub(crate) batch_payload: Value,
    pub(crate) batch_number: u32,
    pub(crate) pause: Option<Ticket>,
    /// The payload as it was when the loop began; only the released runtime goes back to it.
    pub(crate) initial: Value,
    /// It ends after the pause.
    pub(crate) stops: bool,
    /// Of a Refine step: what its round is at.
    pub(crate) rounds: Option<Box<super::refine::Rounds>>,
}

/// An iteration under way.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) index: u64,
    pub(crate) row: u32,
    pub(crate) item: Value,
    pub(crate) running: Running,
    pub(crate) done: Option<Done>,
}

/// What a loop leaves behind.
#[derive(Clone, Debug)]
pub(crate) struct LoopDone {
    pub iterations: u64,
    pub results: List,
    pub errors: List,
    pub exit: &'static str,
    /// Whether it came to its first iteration, or could have.
    pub began: bool,
}

impl Default for LoopDone {
    /// A loop that could not begin.
    fn default() -> Self {
        Self { iterations: 0, results: List::new(), errors: List::new(), exit: "failed", began: false }
    }
}

/// What a While's condition said.
enum Held {
    Yes,
    No,
    Cannot(String),
}

impl Loop {
    pub(crate) fn new(spec: Arc<LoopSpec>, agent: SlotId, parent_row: u32, step: u32, key: Text, attempt: u32) -> Self {
        Self {
            spec,
            agent,
            parent_row,
            row: NONE,
            step,
            key,
            attempt,
            items: List::new(),
            available: 0,
            count: 0,
            next: 0,
            results: List::new(),
            errors: List::new(),
            collected: 0,
            unrooted: 0,
            path: Vec::new(),
            depth: 0,
            scope: Scope::default(),
            parts: Vec::new(),
            batch_payload: Value::Undefined,
            batch_number: 0,
            pause: None,
            initial: Value::Undefined,
            stops: false,
            rounds: None,
        }
    }

    fn left(&mut self, exit: &'static str) -> Box<LoopDone> {
        Box::new(LoopDone {
            iterations: self.next,
            results: std::mem::take(&mut self.results),
            errors: std::mem::take(&mut self.errors),
            exit,
            began: true,
        })
    }
}

impl Execution {
    /// Begins a loop.
    pub(crate) fn loop_start(&mut self, slot: SlotId, round: &mut Loop) -> Option<Done> {
        round.row = self.begin(FrameKind::Loop, EventKind::LoopStart, round.parent_row, round.step, 0, Value::Undefined);
        let spec = round.spec.clone();
        let detail = LoopDetail { spec: spec.clone(), of: None, iterations: Vec::new(), started: 0, succeeded: 0, failed: 0, exit: None };
        self.log.detail_loop(round.row, detail);
        for rule in &spec.differs {
            self.note(round.row, *rule);
        }
        for (code, message) in &spec.config.warnings {
            self.notice(round.row, code, Severity::Warning, message);
        }
        let Frame::Agent(mut agent) = self.take(round.agent) else { return Some(Done::failed("cancelled")) };
        let before = agent.payload.clone();
        let began = self.loop_prepare(round, &mut agent);
        let payload = agent.payload.clone();
        let rooted = began.is_ok() && !crate::payload::same(&before, &payload);
        if rooted {
            self.wrote_root(&agent, round.row);
        }
        drop((before, payload));
        if let Some(place) = self.slots.get_mut(round.agent) {
            place.frame = Frame::Agent(agent);
        }
        match began {
            Ok(()) => self.loop_next(slot, round, true),
            Err(message) => {
                let mut done = self.loop_over(round, "failed", Some(message.into()));
                if let Some(left) = &mut done.round {
                    left.began = false;
                }
                Some(done)
            }
        }
    }

    /// Reads the collection and empties what is collected into; or says why it cannot begin.
    fn loop_prepare(&mut self, round: &mut Loop, agent: &mut super::AgentRun) -> Result<(), String> {
        if agent.loops.len() >= loopwright_lang::limits::LOOP_LEVELS {
            self.note(round.row, Rule::Nesting);
            return Err(format!("Loops are nested more than {} levels deep", loopwright_lang::limits::LOOP_LEVELS));
        }
        let spec = round.spec.clone();
        let config = &spec.config;
        round.path.clone_from(&agent.path);
        round.depth = agent.depth;
        round.scope = agent.scope_without_payload();
        let item = Value::Undefined;
        round.scope.loops.insert(0, scope::loop_frame(config, item, 0));
        if let Some(collection) = &config.collection {
            let found = match &collection.source {
                Source::Static(value) => value.clone(),
                Source::Path(path) => agent.collection(path),
                Source::Released => {
                    loopwright_lang::merge::collection(&agent.payload, &collection.text).map(Value::List).unwrap_or_default()
                }
                Source::Nothing => Value::Undefined,
            };
            let Value::List(items) = found else {
                self.note(round.row, Rule::NotAnArray);
                let path = print_compact(&Value::text(collection.text.as_str()));
                return Err(match self.compiled.rules.loop_writes {
                    LoopWrites::ByMapping => format!("Collection path did not resolve to an array: {path} is {}", found.what()),
                    LoopWrites::AgentPayloads => format!("Collection path {path} not an array"),
                });
            };
            round.available = items.len() as u64;
            let most = config.limit.unwrap_or(u64::MAX).min(loopwright_lang::limits::ITERATIONS);
            round.count = round.available.min(most);
            round.items = items;
            let of = round.count;
            if let Some(detail) = self.log.loop_mut(round.row) {
                detail.of = Some(of);
            }
        }
        if self.is_released() {
            round.initial = agent.payload.clone();
        }
        let before = agent.payload.clone();
        if let Some(output) = &spec.task.output {
            agent.payload = output.start_loop(&agent.payload).map_err(|problem| problem.message)?;
        }
        // A While whose first condition cannot be evaluated has not started, so nothing is emptied.
        if config.kind == LoopKind::While && config.limit != Some(0) {
            match self.loop_condition(round, &agent.payload) {
                Held::Cannot(message) => {
                    agent.payload = before;
                    return Err(message);
                }
                Held::Yes => round.count = 1,
                Held::No => round.count = 0,
            }
        }
        Ok(())
    }

    /// Evaluates a While's condition for the next iteration.
    fn loop_condition(&mut self, round: &mut Loop, payload: &Value) -> Held {
        let spec = round.spec.clone();
        let Some(condition) = &spec.config.condition else { return Held::No };
        round.scope.payload = Some(payload.clone());
        round.scope.results = Some(Value::List(round.results.clone()));
        round.scope.errors = Some(Value::List(round.errors.clone()));
        // Roots of a While condition do not include the step's messages and results.
        let hidden = (round.scope.conversation.take(), round.scope.step_result.take());
        if let Some(frame) = round.scope.loops.first_mut() {
            frame.item = scope::attempt_item(round.next);
            frame.index = round.next;
        }
        let held = if self.is_released() {
            // There it sees these and nothing else.
            let scope = Scope {
                payload: round.scope.payload.take(),
                results: round.scope.results.take(),
                errors: round.scope.errors.take(),
                ..Scope::default()
            };
            condition.holds(&scope, &self.compiled.semantics)
        } else {
            condition.holds(&round.scope, &self.compiled.semantics)
        };
        (round.scope.conversation, round.scope.step_result) = hidden;
        unshare(&mut round.scope);
        let (arg, held) = match held {
            Ok(true) => (1, Held::Yes),
            Ok(false) => (0, Held::No),
            Err(_) if self.compiled.rules.unclear_condition == UnclearCondition::Ends => {
                self.note(round.row, Rule::BrokenCondition);
                (2, Held::No)
            }
            Err(message) => (2, Held::Cannot(format!("Condition cannot be evaluated: {message}"))),
        };
        self.event(EventKind::Condition, round.row, arg);
        held
    }

    /// Starts the next iteration or batch, pauses before it, or ends. `first`: there is no pause.
    fn loop_next(&mut self, slot: SlotId, round: &mut Loop, first: bool) -> Option<Done> {
        let spec = round.spec.clone();
        let config = &spec.config;
        if config.kind == LoopKind::Refine {
            return self.refine_round(slot, round);
        }
        if round.stops {
            return Some(self.loop_over(round, "failed", None));
        }
        if config.kind == LoopKind::While && !first && self.is_released() {
            return self.released_while_next(slot, round);
        }
        if config.kind == LoopKind::While {
            if !first {
                let payload = match self.slots.get(round.agent).map(|place| &place.frame) {
                    Some(Frame::Agent(agent)) => agent.payload.clone(),
                    _ => Value::Undefined,
                };
                match self.loop_condition(round, &payload) {
                    Held::Yes => {}
                    Held::No => return Some(self.loop_over(round, "condition false", None)),
                    Held::Cannot(message) => return Some(self.loop_over(round, "failed", Some(message.into()))),
                }
                let most = config.limit.unwrap_or(u64::MAX).min(loopwright_lang::limits::ITERATIONS);
                if round.next >= most {
                    self.note(round.row, Rule::BeyondTheLimit);
                    let text = format!("The loop ended at its limit of {most} iterations; its condition still held.");
                    self.notice(round.row, "N08", Severity::Warning, &text);
                    return Some(self.loop_over(round, "limit", None));
                }
            } else if round.count == 0 {
                return Some(self.loop_over(round, "condition false", None));
            }
        } else if round.next >= round.count {
            if round.available > round.count {
                if round.count > 0 {
                    self.note(round.row, Rule::BeyondTheLimit);
                }
                let (all, done) = (round.available, round.count);
                let text = format!("The loop ended at its limit of {done}; the list has {all} items, so {} were left.", all - done);
                self.notice(round.row, "N08", Severity::Warning, &text);
                return Some(self.loop_over(round, "limit", None));
            }
            return Some(self.loop_over(round, "completed", None));
        }
        if !first && config.delay > 0 {
            self.event(EventKind::DelayStart, round.row, 0);
            round.pause = Some(self.timer(Waiter::Pause(slot), config.delay, Class::Answer));
            return None;
        }
        self.loop_batch(slot, round);
        None
    }

    /// The released runtime pauses before it evaluates the condition, and at its limit it does neither.
    fn released_while_next(&mut self, slot: SlotId, round: &mut Loop) -> Option<Done> {
        let config = &round.spec.clone().config;
        let most = config.limit.unwrap_or(u64::MAX).min(loopwright_lang::limits::ITERATIONS);
        if round.next >= most {
            self.notice(round.row, "N08", Severity::Warning, &format!("The loop ended at its limit of {most} iterations."));
            return Some(self.loop_over(round, "limit", None));
        }
        if config.delay > 0 {
            self.note(round.row, Rule::WhilePause);
            self.event(EventKind::DelayStart, round.row, 0);
            round.pause = Some(self.timer(Waiter::Pause(slot), config.delay, Class::Answer));
            return None;
        }
        self.released_while_again(slot, round)
    }

    fn released_while_again(&mut self, slot: SlotId, round: &mut Loop) -> Option<Done> {
        let payload = match self.slots.get(round.agent).map(|place| &place.frame) {
            Some(Frame::Agent(agent)) => agent.payload.clone(),
            _ => Value::Undefined,
        };
        match self.loop_condition(round, &payload) {
            Held::Yes => {
                self.loop_batch(slot, round);
                None
            }
            Held::No | Held::Cannot(_) => Some(self.loop_over(round, "condition false", None)),
        }
    }

    /// Whether the run goes by the released runtime.
    pub(crate) fn is_released(&self) -> bool {
        self.compiled.rules.loop_writes == LoopWrites::AgentPayloads
    }

    /// The pause is over.
    pub(crate) fn loop_pause(&mut self, slot: SlotId, round: &mut Loop) -> Option<Done> {
        round.pause = None;
        self.event(EventKind::DelayEnd, round.row, 0);
        if round.spec.config.kind == LoopKind::Refine {
            return self.refine_round(slot, round);
        }
        if round.stops {
            return Some(self.loop_over(round, "failed", None));
        }
        if round.spec.config.kind == LoopKind::While && self.is_released() {
            return self.released_while_again(slot, round);
        }
        self.loop_batch(slot, round);
        None
    }

    /// Starts an iteration, or as many as run at a time.
    fn loop_batch(&mut self, slot: SlotId, round: &mut Loop) {
        let spec = round.spec.clone();
        let config = &spec.config;
        let payload = match self.slots.get(round.agent).map(|place| &place.frame) {
            Some(Frame::Agent(agent)) => agent.payload.clone(),
            _ => Value::Undefined,
        };
        let size = match config.batch {
            Some(most) => (round.count - round.next).min(most as u64),
            None => 1,
        };
        if config.batch.is_some() {
            self.event(EventKind::BatchStart, round.row, round.batch_number);
        }
        round.scope.results = Some(Value::List(round.results.clone()));
        round.scope.errors = Some(Value::List(round.errors.clone()));
        round.batch_payload = payload;
        round.parts.clear();
        for _ in 0..size {
            let index = round.next;
            round.next += 1;
            let item = match config.kind {
                LoopKind::ForEach => usize::try_from(index).ok().and_then(|at| round.items.get(at)).cloned().unwrap_or_default(),
                LoopKind::While | LoopKind::Refine => scope::attempt_item(index),
            };
            round.parts.push(Part { index, row: NONE, item, running: Running::Nothing, done: None });
        }
        if size == 1 {
            self.iteration(slot, round, 0);
        } else {
            // Each runs to its first wait before the next begins.
            self.ready.extend((0..size).rev().map(|child| Wake::Iteration(slot, child)));
        }
    }

    /// Starts one iteration of those that are to run now.
    pub(crate) fn iteration(&mut self, slot: SlotId, round: &mut Loop, child: u64) {
        let spec = round.spec.clone();
        let Some(part) = usize::try_from(child).ok().and_then(|at| round.parts.get_mut(at)) else { return };
        let (index, item) = (part.index, part.item.clone());
        let number = u32::try_from(index).unwrap_or(NONE);
        let now = self.now;
        let row = self.log.begin(now, FrameKind::Iteration, EventKind::IterationStart, round.row, round.step, number, item.clone());
        part.row = row;
        if let Some(detail) = self.log.loop_mut(round.row) {
            detail.started += 1;
            if row != NONE {
                detail.iterations.push(row);
            }
        }
        let last = child + 1 == round.parts.len() as u64;
        let payload = if last { std::mem::take(&mut round.batch_payload) } else { round.batch_payload.clone() };
        let mut seen = Value::Undefined;
        if let Some(frame) = round.scope.loops.first_mut() {
            frame.item = item;
            frame.index = index;
            if self.compiled.rules.body_sees == BodySees::PayloadWithVariables && spec.task.needs_payload() {
                seen = if spec.task.sees_variables(&frame.item_variable, spec.config.index_name()) {
                    scope::with_variables(&payload, frame, spec.config.index_name())
                } else {
                    payload.clone()
                };
            }
        }
        if self.compiled.rules.body_sees == BodySees::Item {
            self.released_iteration_starts(slot, round, child, &payload);
            round.scope.payload = None;
            if last {
                unshare(&mut round.scope);
            }
            return;
        }
        drop(payload);
        round.scope.payload = Some(seen.clone());
        let place = self.iteration_place(slot, round, child, index, row);
        let running = self.start_task(&spec.task, &round.scope, seen, place);
        if let Some(part) = usize::try_from(child).ok().and_then(|at| round.parts.get_mut(at)) {
            part.running = running;
        }
        round.scope.payload = None;
        if last {
            unshare(&mut round.scope);
        }
    }

    fn iteration_place(&self, slot: SlotId, round: &Loop, child: u64, index: u64, row: u32) -> Place {
        let mut path = Vec::with_capacity(round.path.len() + 1);
        path.extend_from_slice(&round.path);
        path.push(index);
        Place { owner: (slot, child), row, path, key: round.key.clone(), attempt: round.attempt, depth: round.depth }
    }

    /// Starts an iteration of the released runtime: an agent gets the item as its payload.
    fn released_iteration_starts(&mut self, slot: SlotId, round: &mut Loop, child: u64, payload: &Value) {
        let spec = round.spec.clone();
        let Some(part) = usize::try_from(child).ok().and_then(|at| round.parts.get(at)) else { return };
        let (index, row, item) = (part.index, part.row, part.item.clone());
        let place = self.iteration_place(slot, round, child, index, row);
        let base = if round.spec.config.batch.is_some() { round.initial.clone() } else { payload.clone() };
        let Frame::Agent(mut agent) = self.take(round.agent) else { return };
        let started = match &spec.task.body {
            Body::Missing => Err(Box::new(Done::failed(format!("{} missing action/subAgent", spec.config.kind.name())))),
            Body::Call(callee) if spec.task.is_action => {
                round.scope.payload = Some(base);
                let params = self.resolve(&spec.task, &round.scope, row).unwrap_or_else(|| Value::Object(Object::new()));
                let params = self.with_messages(&spec.task, params, &agent);
                Ok(self.start_action(*callee, params, place))
            }
            _ => {
                self.note(row, Rule::AgentPayload);
                self.released_delegate(&mut agent, &spec.task, (&base, Some(&item)), place, false)
            }
        };
        if let Some(place) = self.slots.get_mut(round.agent) {
            place.frame = Frame::Agent(agent);
        }
        match started {
            Ok(running) => {
                if let Some(part) = usize::try_from(child).ok().and_then(|at| round.parts.get_mut(at)) {
                    part.running = running;
                }
            }
            Err(done) => self.ready.push(Wake::Child(slot, child, *done)),
        }
    }

    /// An iteration is done.
    pub(crate) fn loop_child(&mut self, slot: SlotId, round: &mut Loop, child: u64, mut done: Done) -> Option<Done> {
        if !self.is_released()
            && let Some(message) = done.message.take()
        {
            let row = usize::try_from(child).ok().and_then(|at| round.parts.get(at)).map_or(round.row, |part| part.row);
            self.notice(row, "N05", Severity::Hint, &format!("The agent ended with a message: {message}"));
        }
        if round.spec.config.kind == LoopKind::Refine {
            return self.refine_child(slot, round, done);
        }
        if round.spec.config.batch.is_none() {
            let mut part = round.parts.pop()?;
            part.running = Running::Nothing;
            return match self.iteration_over(round, &part, done, true) {
                Ok(()) => self.loop_next(slot, round, false),
                // There a loop that breaks off is done all the same.
                Err(_) if self.is_released() => Some(self.loop_over(round, "failed", None)),
                Err(message) => Some(self.loop_over(round, "failed", Some(message))),
            };
        }
        let part = usize::try_from(child).ok().and_then(|at| round.parts.get_mut(at))?;
        part.running = Running::Nothing;
        let (row, state, error) = (part.row, done.state(), done.error.clone());
        let result = done.result.clone();
        part.done = Some(done);
        let now = self.now;
        self.log.end(now, row, EventKind::IterationEnd, state, result, error);
        if round.parts.iter().any(|part| part.done.is_none()) {
            return None;
        }
        // All of the batch are done: their results go in by index.
        self.event(EventKind::BatchEnd, round.row, round.batch_number);
        round.batch_number += 1;
        let mut parts = std::mem::take(&mut round.parts);
        for part in &mut parts {
            let Some(done) = part.done.take() else { continue };
            if let Err(message) = self.iteration_over(round, part, done, false) {
                // There the pause comes before it is seen that something failed, and a loop that breaks off is done all the same.
                if self.is_released() {
                    round.stops = true;
                    break;
                }
                return Some(self.loop_over(round, "failed", Some(message)));
            }
        }
        if round.stops && round.next < round.count && round.spec.config.delay > 0 {
            self.event(EventKind::DelayStart, round.row, 0);
            round.pause = Some(self.timer(Waiter::Pause(slot), round.spec.config.delay, Class::Answer));
            return None;
        }
        self.loop_next(slot, round, false)
    }

    /// Writes what an iteration gave and counts it. `Err`: the loop ends with this error. `ends`: its row ends now.
    fn iteration_over(&mut self, round: &mut Loop, part: &Part, mut done: Done, ends: bool) -> Result<(), Text> {
        let mut event = None;
        if self.compiled.rules.loop_writes == LoopWrites::AgentPayloads {
            self.released_iteration(round, part, &mut done);
        } else if done.ok
            && let Some(output) = &round.spec.clone().task.output
            && let Frame::Agent(mut agent) = self.take(round.agent)
        {
            let place = OutputPlace { iteration: Some((part.index, round.spec.config.index_variable.clone())), collected: round.collected };
            let payload = std::mem::take(&mut agent.payload);
            // Changed in place. What was there before a failed write can be told from the log, if that has kept everything.
            let before = (self.log.summarised || part.row == NONE).then(|| payload.clone());
            match output.apply_to(&done.result, payload, &place, self.semantics()) {
                Ok(applied) => {
                    agent.payload = applied.payload;
                    agent.special(applied.specials);
                    self.problems(part.row, &applied.warnings);
                    event = Some(round.collected);
                }
                Err(problem) => {
                    let replay = crate::replay::Replay { log: &self.log, compiled: &self.compiled };
                    agent.payload = before.unwrap_or_else(|| replay.payload_at(agent.row, Some(u32::MAX - 1)));
                    done.ok = false;
                    done.error = Some(problem.message.into());
                }
            }
            if let Some(place) = self.slots.get_mut(round.agent) {
                place.frame = Frame::Agent(agent);
            }
        }
        let now = self.now;
        let number = if ends {
            self.log.end(now, part.row, EventKind::IterationEnd, done.state(), done.result.clone(), done.error.clone())
        } else {
            if !done.ok
                && let Some(row) = self.log.rows.get_mut(part.row as usize)
                && row.state == State::Succeeded
            {
                row.state = State::Failed;
                row.error.clone_from(&done.error);
                self.log.failures += 1;
            }
            self.event(EventKind::Applied, part.row, 0)
        };
        if let Some(collected) = event {
            self.iteration_wrote(round, part.row, number, collected);
        }
        if let Some(detail) = self.log.loop_mut(round.row) {
            if done.ok {
                detail.succeeded += 1;
            } else {
                detail.failed += 1;
            }
        }
        if done.ok {
            round.collected += 1;
            round.results.push(done.result);
            return Ok(());
        }
        let message = done.error.unwrap_or_else(|| "failed".into());
        let index = Value::Number(part.index as f64);
        let error: Object =
            [("index", index), ("item", part.item.clone()), ("message", Value::Text(message.clone()))].into_iter().collect();
        if round.spec.config.continue_on_error {
            round.errors.push(Value::Object(error));
            return Ok(());
        }
        round.errors = [Value::Object(error)].into_iter().collect();
        Err(message)
    }

    /// An iteration by the released runtime: whatever its call did it counts as done, and an agent's payload is merged. Side by
    /// side each begins with the payload of the loop's start, so the last one's is what stays.
    fn released_iteration(&mut self, round: &Loop, part: &Part, done: &mut Done) {
        let Frame::Agent(mut agent) = self.take(round.agent) else { return };
        let spec = round.spec.clone();
        let before = agent.payload.clone();
        let base = if round.spec.config.batch.is_some() { round.initial.clone() } else { before.clone() };
        if !done.ok && !spec.config.continue_on_error {
            self.note(part.row, Rule::FailedIteration);
        }
        if spec.config.batch.is_some() && !crate::payload::same(&round.initial, &before) {
            self.note(part.row, Rule::ParallelPayload);
        }
        match &spec.task.body {
            Body::Missing => {}
            Body::Call(callee) if spec.task.is_action => {
                let name = self.compiled.callees.get(*callee).map_or_else(|| "".into(), |callee| callee.name.clone());
                done.result = released::action(&name, done, &base, &base);
                agent.payload = base;
                done.ok = true;
            }
            body => {
                let name = self.compiled.callee_records(body).map(|(_, name, _)| name.clone());
                let name = spec.task.called.clone().or(name).unwrap_or_else(|| "".into());
                let returned = self.released_returned(&mut agent, &spec.task, &base, done, false);
                agent.payload = returned.payload;
                let mut shape = returned.shape.as_object().cloned().unwrap_or_default();
                shape.insert("priorStepResult", Value::text(released::agent_text(&name, &returned.shape)));
                done.result = Value::Object(shape);
                done.ok = true;
            }
        }
        if !crate::payload::same(&before, &agent.payload) {
            self.wrote_root(&agent, part.row);
        }
        if let Some(place) = self.slots.get_mut(round.agent) {
            place.frame = Frame::Agent(agent);
        }
    }

    /// Notes that an iteration wrote to the payload; now and then the payload is kept whole.
    fn iteration_wrote(&mut self, round: &mut Loop, row: u32, event: u32, collected: u64) {
        round.unrooted += 1;
        let Some(Frame::Agent(agent)) = self.slots.get(round.agent).map(|place| &place.frame) else { return };
        let agent_row = agent.row;
        if row == NONE {
            return;
        }
        let what = if round.unrooted >= ROOT_EVERY {
            round.unrooted = 0;
            Written::Root(agent.payload.clone())
        } else {
            Written::Iteration { collected: u32::try_from(collected).unwrap_or(u32::MAX) }
        };
        self.log.wrote(agent_row, event, row, what);
    }

    /// Ends a loop.
    pub(crate) fn loop_over(&mut self, round: &mut Loop, exit: &'static str, error: Option<Text>) -> Done {
        let now = self.now;
        if let Some(detail) = self.log.loop_mut(round.row) {
            detail.exit = Some(exit);
        }
        let state = if error.is_some() { State::Failed } else { State::Succeeded };
        self.log.end(now, round.row, EventKind::LoopEnd, state, Value::Undefined, error.clone());
        if (self.log.summarised || round.unrooted > 0)
            && let Some(Frame::Agent(agent)) = self.slots.get(round.agent).map(|place| &place.frame)
        {
            let (row, payload) = (agent.row, agent.payload.clone());
            let event = self.event(EventKind::Payload, round.row, 0);
            self.log.wrote(row, event, round.row, Written::Root(payload));
        }
        Done { ok: error.is_none(), error, round: Some(round.left(exit)), ..Done::ok(Value::Undefined) }
    }

    /// What a loop has done when its own time limit cuts it; it is then cancelled like anything else.
    pub(crate) fn cut_loop(&mut self, slot: SlotId) -> Option<Box<LoopDone>> {
        let Some(Frame::Loop(round)) = self.slots.get_mut(slot).map(|place| &mut place.frame) else { return None };
        let (row, left) = (round.row, round.left("failed"));
        if let Some(detail) = self.log.loop_mut(row) {
            detail.exit = Some("failed");
        }
        Some(left)
    }
}

/// Lets go of what the next write changes, so that it need not be copied.
fn unshare(scope: &mut Scope) {
    scope.payload = None;
    scope.results = None;
    scope.errors = None;
}

impl super::AgentRun {
    /// What a collection path leads to (ruling 21): a loop's variable, otherwise the payload.
    fn collection(&self, found: &path::Path) -> Value {
        let Some((root, rest)) = found.segments.split_first() else { return Value::Undefined };
        if let path::Key::Name(name) = &root.key {
            for frame in &self.loops {
                if *name == frame.item_variable {
                    return path::walk(&frame.item, rest);
                }
                if frame.index_variable.as_ref() == Some(name) || name.as_str() == "index" {
                    return path::walk(&Value::Number(frame.index as f64), rest);
                }
            }
            let is_payload = if rest.is_empty() { name.as_str() == "payload" } else { name.eq_ignore_ascii_case("payload") };
            if is_payload {
                return path::walk(&self.payload, rest);
            }
        }
        path::walk(&self.payload, &found.segments)
    }
}

impl Execution {
    /// Gives loops their roots again after a load: they are those of their agents.
    pub(crate) fn restore_scopes(&mut self) {
        for slot in 0..self.slots.len() {
            let mut round = match self.take(slot) {
                Frame::Loop(round) => round,
                other => {
                    if let Some(place) = self.slots.get_mut(slot) {
                        place.frame = other;
                    }
                    continue;
                }
            };
            if let Some(Frame::Agent(agent)) = self.slots.get(round.agent).map(|place| &place.frame) {
                round.scope = agent.scope_without_payload();
                round.scope.loops.insert(0, scope::loop_frame(&round.spec.config, Value::Undefined, 0));
                // Iterations of its batch that have not begun see what there was when the batch began.
                if round.parts.iter().any(|part| part.running == Running::Nothing && part.done.is_none()) {
                    round.scope.results = Some(Value::List(round.results.clone()));
                    round.scope.errors = Some(Value::List(round.errors.clone()));
                }
            }
            if let Some(place) = self.slots.get_mut(slot) {
                place.frame = Frame::Loop(round);
            }
        }
    }
}
