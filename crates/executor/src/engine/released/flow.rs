//! Flow agents: how a step is made, run and left, by the rules of the released runtime.

use loopwright_lang::{Severity, Text, Value, differences::Rule, expr::truthy, merge};
use loopwright_model::StepKind;

use super::{
    super::{AgentRun, Call, Done, Execution, Frame, Running, SlotId, Visit, scope, task::Place},
    Ended, TRIES, error_of, is_fatal, messages, shapes, step_of, ten_tries,
};
use crate::{
    compile::{Body, Bound, CalleeKind, LoopSpec, Refusal, Step, Task, Work, loops::LoopKind},
    log::{EventKind, NONE},
    protocol::{FrameKind, State},
    response::without_rules,
};

/// Where the paths from a step lead.
enum Way {
    /// To this step, by the path of this place.
    To(usize, u32),
    /// Nowhere.
    None,
    /// To something that cannot be gone to; whether the payload is lost.
    Dead(String, bool),
}

impl Execution {
    /// Goes to a step. `path` is 1 + the place of the path that leads there; `asked`: a prompt's answer led there, which makes its
    /// step at once and is checked for names.
    pub(crate) fn released_go(&mut self, slot: SlotId, agent: &mut AgentRun, to: usize, path: u32, asked: bool) -> Option<Done> {
        let compiled = self.compiled.clone();
        let Some(step) = compiled.agents.get(agent.agent).and_then(|made| made.steps.get(to)) else {
            return self.agent_end(agent, Err("The step is not there any more".into()));
        };
        if agent.parent_row == NONE && compiled.is_skipped(step) {
            return self.released_skip(slot, agent, (to, step), path, asked);
        }
        match (&step.work, step.refusal) {
            (Err(text), Refusal::AtCreation) if asked => return self.agent_end(agent, Err(text.as_str().into())),
            (Err(text), Refusal::BreaksOff) if asked => {
                return self.agent_end(agent, Err(format!("Flow execution error: {text}").into()));
            }
            (Err(text), Refusal::AtCreation) => {
                agent.tally.failed += 1;
                if agent.tally.failed >= TRIES {
                    return self.agent_end(agent, Err(ten_tries(text).into()));
                }
            }
            _ => agent.tally.failed = 0,
        }
        let (mut instead, mut refused) = (None, None);
        if asked && let Ok(Work::Plain(task)) = &step.work {
            match (&task.body, step.kind) {
                (Body::Call(callee), StepKind::Action) => {
                    let name = compiled.callees.get(*callee).map_or("", |callee| callee.name.as_str());
                    match compiled.action_named(agent.agent, name) {
                        Ok(found) => instead = Some(found),
                        Err(_) => {
                            let known = compiled.action_names(agent.agent);
                            refused = Some(format!("Actions '{name}' not found or not active. Available: {known}"));
                        }
                    }
                }
                (body, StepKind::SubAgent) if task.bound == Bound::Unlinked => {
                    let name = compiled.callee_records(body).map_or("", |(_, name, _)| name.as_str());
                    refused = Some(format!("Sub-agent '{name}' not found or not active"));
                }
                _ => {}
            }
        }
        if let Some(text) = &refused {
            self.tell(agent, messages::user(format!("Retrying due to: {text}")));
        }
        self.visit_with(slot, agent, to, path, (instead, refused.map(Into::into)))
    }

    /// Passes a step without doing it; what comes behind is gone to whether it is active or not.
    fn released_skip(&mut self, slot: SlotId, agent: &mut AgentRun, (at, step): (usize, &Step), path: u32, asked: bool) -> Option<Done> {
        if agent.visits >= loopwright_lang::limits::STEP_VISITS {
            agent.limit = true;
            return self.agent_end(agent, Err(format!("Stopped after {} step visits", loopwright_lang::limits::STEP_VISITS).into()));
        }
        agent.visits += 1;
        let row = self.begin(FrameKind::Step, EventKind::StepStart, agent.row, step.number, path, Value::Undefined);
        if let Some(detail) = self.log.agent_mut(agent.row) {
            detail.parts.push(row);
        }
        let shape = Value::object([("skipped", Value::Bool(true)), ("stepName", Value::Text(step.name.clone()))]);
        let now = self.now;
        self.log.end(now, row, EventKind::StepEnd, State::Skipped, shape.clone(), None);
        let key = Value::Text(step.key.clone());
        if !agent.completed.iter().any(|known| *known == key) {
            agent.completed.push(key);
        }
        agent.tally.last = Some(at);
        agent.step_result = Some(shape);
        match self.released_way(agent, step, row, true) {
            Way::None => {
                agent.special_message =
                    Some(format!("Flow completed after skipping step '{}' - no more paths to follow", step.name).into());
                agent.special_reasoning = None;
                agent.special_confidence = None;
                self.agent_end(agent, Ok(()))
            }
            Way::To(to, by) => self.released_go(slot, agent, to, by, asked),
            Way::Dead(text, _) => {
                agent.tally.failed += 1;
                let shape = shapes::failed(Some(&text.into()), &agent.payload);
                self.released_on(slot, agent, at, row, shape)
            }
        }
    }

    /// Starts a visit. `Err`: it is over at once.
    pub(crate) fn released_start(&mut self, slot: SlotId, visit: &mut Visit, step: &Step, task: &Task) -> Result<Running, Box<Done>> {
        let Frame::Agent(mut agent) = self.take(visit.agent) else { return Err(Box::new(Done::failed("cancelled"))) };
        for rule in &step.differs {
            self.note(visit.attempt_row, *rule);
        }
        let started = self.released_started(slot, visit, step, task, &mut agent);
        if let Some(place) = self.slots.get_mut(visit.agent) {
            place.frame = Frame::Agent(agent);
        }
        started
    }

    fn released_started(
        &mut self,
        slot: SlotId,
        visit: &mut Visit,
        step: &Step,
        task: &Task,
        agent: &mut AgentRun,
    ) -> Result<Running, Box<Done>> {
        let payload = agent.payload.clone();
        let useless = |text: &str| Box::new(Done { shape: Some(shapes::retry(text, &payload)), ..Done::ok(Value::Undefined) });
        if let Some(text) = &visit.refused {
            return Err(useless(text));
        }
        let place = Place {
            owner: (slot, 0),
            row: visit.attempt_row,
            path: agent.path.clone(),
            key: step.key.clone(),
            attempt: visit.attempt,
            depth: agent.depth,
        };
        match step.kind {
            StepKind::Action => {
                let Body::Call(callee) = task.body else { return Err(Box::new(Done::failed("There is no action."))) };
                let callee = visit.instead.unwrap_or(callee);
                let name = self.compiled.callees.get(callee).map_or_else(|| "".into(), |callee| callee.name.clone());
                let message = messages::invoked(&[(name.clone(), Value::Undefined)]);
                self.tell(agent, message);
                if !self.compiled.actions_of(agent.agent).contains(&callee) {
                    self.note(visit.attempt_row, Rule::Assigned);
                    let own = self.compiled.agents.get(agent.agent).map_or("", |made| made.name.as_str());
                    let known = self.compiled.action_names(agent.agent);
                    return Err(useless(&format!("Action \"{name}\" Not Found for Agent \"{own}\". Available actions: {known}")));
                }
                let scope = agent.scope();
                Ok(self.start_call(callee, task, &scope, Value::Undefined, place))
            }
            StepKind::SubAgent => self.released_delegate(agent, task, (&payload, None), place, false),
            _ => {
                let read = self.compiled.agents.get(agent.agent).and_then(|made| made.records.self_read.clone());
                let seen = match read {
                    Some(paths) => merge::extract(&payload, &paths.iter().map(String::as_str).collect::<Vec<_>>()),
                    None => payload,
                };
                let Body::Call(callee) = task.body else { return Ok(Running::Ticket(self.ask_own_prompt(agent, seen, place))) };
                let scope = agent.scope();
                Ok(self.start_call(callee, task, &scope, seen, place))
            }
        }
    }

    /// Asks an agent's own prompt.
    fn ask_own_prompt(&mut self, agent: &AgentRun, payload: Value, place: Place) -> super::super::Ticket {
        let call = Call {
            callee: None,
            kind: CalleeKind::Prompt,
            name: "(agent prompt)".into(),
            params: Value::Undefined,
            payload,
            message: None,
            context: None,
            path: place.path,
            key: place.key,
            attempt: place.attempt,
            turn: Some((agent.agent, agent.tally.prompts)),
            row: place.row,
            nested: false,
            said: None,
        };
        self.dispatch(call, place.owner, false)
    }

    /// A visit is over: its result, and what it does to the payload.
    pub(crate) fn released_over(&mut self, visit: &Visit, step: &Step, done: &mut Done) {
        let Frame::Agent(mut agent) = self.take(visit.agent) else { return };
        let before = agent.payload.clone();
        let task = match &step.work {
            Ok(Work::Plain(task)) => Some(task.clone()),
            _ => None,
        };
        let shape = match (done.shape.take(), task, step.kind) {
            (Some(shape), ..) => shape,
            (None, Some(task), StepKind::Action) => self.released_acted(&mut agent, visit, &task, done),
            (None, Some(_), StepKind::Prompt) => {
                if done.ok && matches!(done.result, Value::List(_)) {
                    self.note(visit.attempt_row, Rule::ListAnswer);
                }
                self.released_answered_prompt(&mut agent, done)
            }
            (None, Some(task), StepKind::SubAgent) => {
                let returned = self.released_returned(&mut agent, &task, &before, done, false);
                agent.payload = returned.payload;
                if let Some(message) = returned.chat {
                    self.note(visit.attempt_row, Rule::AgentMessage);
                    self.released_chat(&mut agent, message, None);
                }
                returned.shape
            }
            _ => match (&step.work, &done.round) {
                (Ok(Work::Loop(spec)), Some(round)) if done.ok => {
                    let broke = u64::from(round.exit == "failed");
                    let text = round_text(spec, round.iterations.saturating_sub(broke));
                    shapes::round(&text, &before, &agent.payload)
                }
                _ => shapes::failed(done.error.as_ref(), &agent.payload),
            },
        };
        done.ok = step_of(&shape) != "Failed";
        done.error = if done.ok { None } else { error_of(&shape).or(done.error.take()) };
        done.shape = Some(shape);
        if !crate::payload::same(&before, &agent.payload) {
            self.wrote_root(&agent, visit.attempt_row);
        }
        if let Some(place) = self.slots.get_mut(visit.agent) {
            place.frame = Frame::Agent(agent);
        }
    }

    /// After an action: its outputs are written even where it reported failure, but not where it broke off.
    fn released_acted(&mut self, agent: &mut AgentRun, visit: &Visit, task: &Task, done: &Done) -> Value {
        let compiled = self.compiled.clone();
        let before = agent.payload.clone();
        if let Some(output) = task.output.as_ref().filter(|_| !done.threw) {
            let allowed = compiled.agents.get(agent.agent).and_then(|made| made.records.self_write.as_ref());
            let allowed: Option<Vec<&str>> = allowed.map(|allowed| allowed.iter().map(String::as_str).collect());
            let applied = output.apply_allowed(&done.result, &before, allowed.as_deref());
            self.problems(visit.attempt_row, &applied.warnings);
            if done.ok {
                self.note_outputs(output, &done.result, &before, &applied.payload, visit.attempt_row);
            }
            agent.payload = applied.payload;
            agent.special(applied.specials);
        }
        if !done.ok {
            self.note(visit.attempt_row, Rule::FailedAction);
        }
        let callee = match (visit.instead, &task.body) {
            (Some(callee), _) => Some(callee),
            (None, Body::Call(callee)) => Some(*callee),
            _ => None,
        };
        let name = callee.and_then(|callee| Some(compiled.callees.get(callee)?.name.clone()));
        let shape = shapes::action(&name.unwrap_or_else(|| "".into()), done, &before, &agent.payload);
        let summaries: Vec<Value> =
            shape.get("priorStepResult").and_then(Value::as_list).into_iter().flat_map(|list| list.iter().cloned()).collect();
        self.tell(agent, messages::results(&summaries));
        shape
    }

    /// After a prompt: its answer is merged into the payload, or ends the run with a message.
    fn released_answered_prompt(&mut self, agent: &mut AgentRun, done: &mut Done) -> Value {
        agent.tally.prompts += 1;
        let before = agent.payload.clone();
        if !done.ok {
            let error: Text = done.error.clone().filter(|error| !error.is_empty()).unwrap_or_else(|| "Prompt execution failed".into());
            if is_fatal(&error) {
                agent.tally.ended = Some(Ended::Badly(error.clone()));
            }
            return shapes::failed(Some(&error), &before);
        }
        let answer = if done.unread { Value::Null } else { without_rules(&done.result) };
        let field = |name: &str| answer.get(name).cloned().unwrap_or_default();
        let chat = answer.get("nextStep").and_then(|next| next.get("type")).and_then(Value::as_str) == Some("Chat");
        if chat || (truthy(&field("taskComplete")) && truthy(&field("message"))) {
            let message = Some(field("message")).filter(truthy).unwrap_or_else(|| Value::text("Response from flow prompt step"));
            self.released_chat(agent, message, Some((field("reasoning"), field("confidence"))));
            let word = match &agent.tally.ended {
                Some(_) => "Chat",
                None => "Retry",
            };
            return Value::object([("step", Value::text(word)), ("terminate", Value::Bool(agent.tally.ended.is_some()))]);
        }
        if truthy(&answer) {
            agent.payload = merge::deep_merge_released(&before, &answer);
            // The caller's own payload is what was changed, as long as nothing else was put in its place.
            if crate::payload::same(&agent.tally.initial, &before) {
                agent.tally.initial = agent.payload.clone();
            }
        }
        shapes::prompt(answer, &done.result)
    }

    /// A message to the user ends the run, as what `ChatHandlingOption` says; a prompt's may be taken for a step without effect.
    fn released_chat(&mut self, agent: &mut AgentRun, message: Value, of_prompt: Option<(Value, Value)>) {
        let records = self.compiled.agents.get(agent.agent).map(|made| made.records.chat.clone());
        let text: Text = message.as_str().map_or_else(|| loopwright_lang::expr::to_text(&message).to_string().into(), Text::from);
        let (reasoning, confidence) = of_prompt.clone().unwrap_or_default();
        agent.special_reasoning = reasoning.as_str().map(Text::from);
        agent.special_confidence = confidence.as_number();
        agent.special_message = None;
        agent.tally.ended = match records.flatten().as_deref() {
            Some("Success") => {
                agent.special_message = Some(text);
                Some(Ended::Well)
            }
            Some("Failed") => Some(Ended::Badly(text)),
            Some("Retry") if of_prompt.is_some() => None,
            Some("Retry") => Some(Ended::Badly(text)),
            _ => {
                agent.message = Some(text);
                Some(Ended::Well)
            }
        };
    }

    /// Ends a run as it was to end.
    fn released_end(&mut self, agent: &mut AgentRun, how: Ended) -> Option<Done> {
        self.agent_end(
            agent,
            match how {
                Ended::Well => Ok(()),
                Ended::Badly(error) => Err(error),
            },
        )
    }

    /// A visit has ended: its row, then the way on.
    pub(crate) fn released_left(&mut self, slot: SlotId, agent: &mut AgentRun, current: usize, row: u32, done: Done) -> Option<Done> {
        let compiled = self.compiled.clone();
        let step = compiled.agents.get(agent.agent)?.steps.get(current)?;
        let shape = done.shape.unwrap_or_default();
        let state = if step_of(&shape) == "Failed" { State::Failed } else { State::Succeeded };
        let now = self.now;
        self.log.end(now, row, EventKind::StepEnd, state, shape.clone(), done.error.clone());
        if step.work.is_err() && step.refusal == Refusal::BreaksOff {
            agent.payload = Value::Undefined;
            return self.agent_end(agent, Err(done.error.unwrap_or_else(|| "failed".into())));
        }
        if let Some(how) = agent.tally.ended.take() {
            if matches!(how, Ended::Badly(_)) && agent.parent_row == NONE {
                self.log.error_step = Some(step.number);
            }
            return self.released_end(agent, how);
        }
        let asked = step.kind == StepKind::Prompt && step.work.is_ok() && state == State::Succeeded;
        if state == State::Failed {
            agent.tally.failed += u32::from(step.refusal != Refusal::AtCreation || step.work.is_ok());
        } else {
            agent.tally.failed = 0;
        }
        if asked {
            return self.released_after_answer(slot, agent, current, row, shape);
        }
        self.released_on(slot, agent, current, row, shape)
    }

    /// Notes a step as done, with its result.
    fn released_mark(&mut self, agent: &mut AgentRun, current: usize, step: &Step, shape: &Value) {
        let key = Value::Text(step.key.clone());
        // A step that is come to again is not added, and the last of the list gives the result.
        if !agent.completed.iter().any(|known| *known == key) {
            agent.completed.push(key);
            agent.tally.last = Some(current);
        }
        if agent.tally.last == Some(current) {
            agent.step_result = Some(shape.clone());
        }
    }

    /// After a prompt's answer what follows is made at once: where that cannot be, the run ends.
    fn released_after_answer(&mut self, slot: SlotId, agent: &mut AgentRun, current: usize, row: u32, shape: Value) -> Option<Done> {
        let compiled = self.compiled.clone();
        let step = compiled.agents.get(agent.agent)?.steps.get(current)?;
        self.released_mark(agent, current, step, &shape);
        match self.released_way(agent, step, row, false) {
            Way::To(to, by) => self.released_go(slot, agent, to, by, true),
            Way::None => {
                // The message is always the same one.
                agent.special_message = None;
                agent.special_reasoning = None;
                agent.special_confidence = None;
                self.agent_end(agent, Ok(()))
            }
            Way::Dead(text, _) => {
                self.note(row, Rule::DeadEnds);
                self.agent_end(agent, Err(text.into()))
            }
        }
    }

    /// Goes on from a step with its result. Where the way leads nowhere that failure is the step's new result, ten times.
    fn released_on(&mut self, slot: SlotId, agent: &mut AgentRun, current: usize, row: u32, shape: Value) -> Option<Done> {
        let compiled = self.compiled.clone();
        let step = compiled.agents.get(agent.agent)?.steps.get(current)?;
        let mut shape = shape;
        loop {
            self.released_mark(agent, current, step, &shape);
            match self.released_way(agent, step, row, false) {
                Way::To(to, by) => {
                    let taken = usize::try_from(by).ok().and_then(|by| step.paths.get(by.checked_sub(1)?));
                    if step_of(&shape) == "Failed" && taken.is_some_and(|path| path.condition.is_none()) {
                        self.note(row, Rule::FailureGoesOn);
                    }
                    return self.released_go(slot, agent, to, by, false);
                }
                Way::None if step_of(&shape) == "Failed" => {
                    if agent.parent_row == NONE {
                        self.log.error_step = Some(step.number);
                    }
                    let error = error_of(&shape).filter(|error| !error.is_empty());
                    return self.agent_end(agent, Err(error.unwrap_or_else(|| "Flow step failed with no recovery path".into())));
                }
                Way::None => return self.agent_end(agent, Ok(())),
                Way::Dead(text, lost) => {
                    self.note(row, Rule::DeadEnds);
                    agent.tally.failed += 1;
                    if agent.tally.failed >= TRIES {
                        if lost {
                            agent.payload = Value::Undefined;
                        }
                        return self.agent_end(agent, Err(ten_tries(&text).into()));
                    }
                    if lost {
                        agent.payload = agent.tally.initial.clone();
                    }
                    shape = shapes::failed(Some(&text.into()), &agent.payload);
                }
            }
        }
    }

    /// The first open path, and the step it leads to: of several open ones the first whose step is active. `any`: whatever it is.
    fn released_way(&mut self, agent: &AgentRun, step: &Step, row: u32, any: bool) -> Way {
        let compiled = self.compiled.clone();
        let mut scope = None;
        let mut inactive = None;
        for (place, path) in step.paths.iter().enumerate() {
            let at = u32::try_from(place).unwrap_or(0);
            if let Some(condition) = &path.condition {
                let scope = scope.get_or_insert_with(|| agent.released_path_scope(&step.key));
                self.note_condition(condition, scope, row, agent.visits as usize > agent.completed.len());
                match condition.holds(scope, self.semantics()) {
                    Ok(holds) => {
                        self.event(EventKind::Condition, row, at * 4 + u32::from(holds));
                        if !holds {
                            continue;
                        }
                    }
                    Err(message) => {
                        self.event(EventKind::Condition, row, at * 4 + 2);
                        let text = format!("The condition of a path cannot be evaluated, so it is not open: {message}");
                        self.notice(row, "N07", Severity::Error, &text);
                        continue;
                    }
                }
            }
            let target = path.to.and_then(|to| Some((to, compiled.agents.get(agent.agent)?.steps.get(to)?)));
            match target {
                Some((to, target)) if any || target.active => {
                    self.event(EventKind::PathTaken, row, at);
                    return Way::To(to, at + 1);
                }
                Some((_, target)) => {
                    inactive = inactive.or(Some(format!("No active steps found. Step '{}' has status: {}", target.name, target.status)));
                }
                None if inactive.is_none() => {
                    let end = path.missing.as_deref().unwrap_or_default();
                    return Way::Dead(
                        if any {
                            format!("Destination step not found after skipping '{}': {end}", step.name)
                        } else {
                            format!("Destination step not found: {end}")
                        },
                        !any,
                    );
                }
                None => {}
            }
        }
        inactive.map_or(Way::None, |text| Way::Dead(text, false))
    }
}

/// What a loop says of itself when it is done.
fn round_text(spec: &LoopSpec, iterations: u64) -> String {
    let (path, condition) = scope::loop_texts(&spec.config);
    match spec.config.kind {
        LoopKind::ForEach => format!("Completed ForEach loop request using collection at '{path}'"),
        LoopKind::While | LoopKind::Refine => {
            format!("Completed While loop request using condition '{condition}' after {iterations} iteration(s)")
        }
    }
}

impl AgentRun {
    /// The roots of a path's condition.
    fn released_path_scope(&self, current: &Text) -> loopwright_lang::Scope {
        let empty = || Value::object::<&str>([]);
        let flow = Value::object([
            ("currentStepId", Value::Text(current.clone())),
            ("completedSteps", Value::List(self.completed.clone())),
            ("executionPath", Value::List(self.completed.clone())),
            ("stepCount", Value::Number(self.completed.len() as f64)),
        ]);
        loopwright_lang::Scope {
            payload: Some(self.payload.clone()),
            step_result: Some(self.step_result.clone().unwrap_or(Value::Null)),
            flow_context: Some(flow),
            data: Some(self.data.clone().filter(truthy).unwrap_or_else(empty)),
            context: Some(self.context.clone().filter(truthy).unwrap_or_else(empty)),
            ..Default::default()
        }
    }
}
