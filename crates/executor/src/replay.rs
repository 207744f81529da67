//! What was the case at a moment of a run, built again from its log by the same code that ran it.

use std::sync::Arc;

use loopwright_lang::{LoopFrame, Scope, Value, mapping::OutputPlace};

use crate::{
    compile::{Compiled, LoopSpec, Task, Work, loops::LoopKind},
    engine::{loop_frame, with_variables},
    log::{NONE, RunLog, Written},
    protocol::{FrameKind, State},
};

/// A log and what it is a log of.
#[derive(Clone, Copy, Debug)]
pub struct Replay<'a> {
    /// The log.
    pub log: &'a RunLog,
    /// What ran.
    pub compiled: &'a Compiled,
}

impl<'a> Replay<'a> {
    /// An agent's payload after so many events (`event` included, `None` is before the first).
    pub fn payload_at(&self, agent: u32, event: Option<u32>) -> Value {
        let Some(detail) = self.log.agent(agent) else { return Value::Undefined };
        let after = detail.writes.partition_point(|write| event.is_some_and(|event| write.event <= event));
        let Some(written) = detail.writes.get(..after) else { return Value::Undefined };
        let root = written.iter().rposition(|write| matches!(write.what, Written::Root(_)));
        let Some(root) = root else { return self.log.row(agent).map(|row| row.given.clone()).unwrap_or_default() };
        let mut payload = Value::Undefined;
        for write in written.get(root..).unwrap_or_default() {
            match &write.what {
                Written::Root(value) => payload = value.clone(),
                Written::Iteration { collected } => payload = self.apply_iteration(write.by, *collected, payload),
            }
        }
        payload
    }

    /// An agent's payload before an event.
    pub fn payload_before(&self, agent: u32, event: u32) -> Value {
        self.payload_at(agent, event.checked_sub(1))
    }

    fn is_released(&self) -> bool {
        self.compiled.rules.step_results == crate::rules::StepResults::ByKind
    }

    /// Applies what an iteration gave.
    pub(crate) fn apply_iteration(&self, iteration: u32, collected: u32, payload: Value) -> Value {
        let Some(row) = self.log.row(iteration) else { return payload };
        let Some(spec) = self.log.loop_(row.parent).map(|detail| &detail.spec) else { return payload };
        let Some(output) = &spec.task.output else { return payload };
        let place =
            OutputPlace { iteration: Some((u64::from(row.index), spec.config.index_variable.clone())), collected: u64::from(collected) };
        // What is in the log was written.
        output.apply_to(&row.result, payload, &place, &self.compiled.semantics).map(|applied| applied.payload).unwrap_or_default()
    }

    /// What a row does, if it does one thing.
    pub fn task(&self, row: u32) -> Option<TaskOf<'a>> {
        let found = self.log.row(row)?;
        match found.kind {
            FrameKind::Iteration => self.log.loop_(found.parent).map(|detail| TaskOf::Round(&detail.spec)),
            FrameKind::Step | FrameKind::Attempt => match self.compiled.step_numbered(found.step)?.work.as_ref().ok()? {
                Work::Plain(task) => Some(TaskOf::Plain(task)),
                Work::Loop(_) => None,
            },
            _ => None,
        }
    }

    /// What the mappings of a visit, an attempt or an iteration could refer to when it began.
    pub fn scope(&self, row: u32) -> Scope {
        let Some(found) = self.log.row(row) else { return Scope::default() };
        match found.kind {
            FrameKind::Iteration => self.iteration_scope(row, true),
            FrameKind::Agent => self.agent_scope(row, found.events.0, NONE),
            _ => self.agent_scope(self.log.agent_of(row), found.events.0, self.log.visit_of(row)),
        }
    }

    /// The same with no more of a loop's results than its mapping speaks of.
    pub fn mapping_scope(&self, row: u32) -> Scope {
        match self.log.row(row) {
            Some(found) if found.kind == FrameKind::Iteration => self.iteration_scope(row, false),
            _ => self.scope(row),
        }
    }

    /// What a While's condition, or a path's, could refer to at an event of a loop or a visit.
    pub fn condition_scope(&self, row: u32, event: u32) -> Scope {
        let Some(found) = self.log.row(row) else { return Scope::default() };
        let agent = self.log.agent_of(row);
        if found.kind == FrameKind::Loop {
            let mut scope = self.agent_scope(agent, event, self.log.visit_of(found.parent));
            let Some(detail) = self.log.loop_(row) else { return scope };
            let started = detail.iterations.iter().filter(|part| self.log.row(**part).is_some_and(|part| part.events.0 < event)).count();
            let (results, errors) = self.so_far(row, started as u64);
            let index = started as u64;
            scope.loops.insert(0, loop_frame(&detail.spec.config, crate::engine::attempt_item(index), index));
            if self.is_released() {
                // There it sees these and nothing else.
                return Scope { payload: scope.payload, results: Some(results), errors: Some(errors), ..Scope::default() };
            }
            scope.conversation = None;
            scope.step_result = None;
            return Scope { results: Some(results), errors: Some(errors), ..scope };
        }
        let mut scope = self.agent_scope(agent, event, NONE);
        scope.conversation = None;
        scope.step_result = Some(found.result.clone());
        if self.is_released() {
            let there =
                |value: Option<Value>| Some(value.filter(loopwright_lang::expr::truthy).unwrap_or_else(|| Value::object::<&str>([])));
            scope.loops.clear();
            scope.data = there(scope.data);
            scope.context = there(scope.context);
        }
        scope.flow_context = Some(self.flow_context(agent, row));
        scope
    }

    /// `flowContext` after a visit.
    pub fn flow_context(&self, agent: u32, visit: u32) -> Value {
        let mut path = Vec::new();
        let mut completed: Vec<Value> = Vec::new();
        let mut key = Value::Undefined;
        for part in self.log.agent(agent).map(|detail| detail.parts.as_slice()).unwrap_or_default() {
            let Some(step) = self.log.row(*part).and_then(|row| self.compiled.step_numbered(row.step)) else { continue };
            let name = Value::Text(if self.is_released() { step.key.clone() } else { step.name.clone() });
            if !completed.contains(&name) {
                completed.push(name.clone());
            }
            path.push(name);
            key = Value::Text(step.key.clone());
            if *part == visit {
                break;
            }
        }
        if self.is_released() {
            // Each step stands there once.
            path.clone_from(&completed);
        }
        Value::object([
            ("currentStepId", key),
            ("completedSteps", Value::list(completed)),
            ("stepCount", Value::Number(path.len() as f64)),
            ("executionPath", Value::list(path)),
        ])
    }

    /// The roots in an agent's run before an event; `visit` is the visit it is for.
    fn agent_scope(&self, agent: u32, event: u32, visit: u32) -> Scope {
        let Some(detail) = self.log.agent(agent) else { return Scope::default() };
        let said =
            detail.messages.iter().rev().find(|(at, _)| *at <= event).map(|(_, said)| said.clone()).filter(|said| !said.is_undefined());
        let mut before = None;
        for part in &detail.parts {
            if *part == visit {
                break;
            }
            match self.log.row(*part) {
                Some(row) if row.kind == FrameKind::Step && row.events.1 < event && row.state != State::Running => {
                    before = Some(row.result.clone());
                }
                _ => {}
            }
        }
        Scope {
            payload: Some(self.payload_before(agent, event)),
            data: detail.data.clone(),
            context: detail.context.clone(),
            conversation: said.or_else(|| detail.conversation.clone()),
            step_result: before,
            flow_context: None,
            results: None,
            errors: None,
            loops: detail.loops.clone(),
            ..Scope::default()
        }
    }

    fn iteration_scope(&self, row: u32, whole: bool) -> Scope {
        let Some(found) = self.log.row(row) else { return Scope::default() };
        let Some(detail) = self.log.loop_(found.parent) else { return Scope::default() };
        let config = &detail.spec.config;
        let above = self.log.row(found.parent).map_or(NONE, |row| row.parent);
        let visit = self.log.visit_of(above);
        let mut scope = self.agent_scope(self.log.agent_of(row), found.events.0, visit);
        let is_turn = self.log.row(above).is_some_and(|row| row.kind == FrameKind::Turn);
        if is_turn {
            scope.step_result = None;
        }
        let frame: LoopFrame = loop_frame(config, found.given.clone(), u64::from(found.index));
        if let Some(payload) = &scope.payload
            && self.compiled.rules.body_sees == crate::rules::BodySees::PayloadWithVariables
        {
            scope.payload = Some(with_variables(payload, &frame, config.index_name()));
        }
        scope.loops.insert(0, frame);
        let began = match config.batch {
            Some(size) => u64::from(found.index) / (size.max(1) as u64) * (size.max(1) as u64),
            None => u64::from(found.index),
        };
        // Thousands of results are gathered only for a mapping that speaks of them.
        let speaks = detail.spec.task.input.as_ref().is_none_or(|input| input.mentions(&["results", "errors"]));
        let (results, errors) = if speaks || whole { self.so_far(found.parent, began) } else { self.so_far(found.parent, 0) };
        Scope { results: Some(results), errors: Some(errors), ..scope }
    }

    /// Results and errors of a loop's first iterations.
    fn so_far(&self, round: u32, count: u64) -> (Value, Value) {
        let Some(detail) = self.log.loop_(round) else { return (Value::list([]), Value::list([])) };
        let mut results = Vec::new();
        let mut errors = Vec::new();
        for part in detail.iterations.iter().take(usize::try_from(count).unwrap_or(usize::MAX)) {
            let Some(row) = self.log.row(*part) else { continue };
            match row.state {
                State::Succeeded => results.push(row.result.clone()),
                State::Failed => errors.push(Value::object([
                    ("index", Value::Number(f64::from(row.index))),
                    ("item", row.given.clone()),
                    ("message", row.error.clone().map_or(Value::Undefined, Value::Text)),
                ])),
                _ => {}
            }
        }
        (Value::list(results), Value::list(errors))
    }

    /// The kind of loop a row is, or an iteration's.
    pub fn loop_kind(&self, row: u32) -> Option<LoopKind> {
        self.log.loop_(row).map(|detail| detail.spec.config.kind)
    }
}

/// One thing that a row does.
#[derive(Clone, Copy, Debug)]
pub enum TaskOf<'a> {
    /// A step's.
    Plain(&'a Arc<Task>),
    /// A loop's body.
    Round(&'a Arc<LoopSpec>),
}

impl<'a> TaskOf<'a> {
    /// The task.
    pub fn task(self) -> &'a Task {
        match self {
            Self::Plain(task) => task,
            Self::Round(spec) => &spec.task,
        }
    }
}
