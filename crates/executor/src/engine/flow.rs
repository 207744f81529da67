//! Flow agents: from step to step along the paths, with attempts, time limits and recovery (flow-agents.md, "Traversal").

use loopwright_lang::{
    Severity, Text, Value,
    differences::Rule,
    mapping::{OutputMapping, OutputPlace},
};

use super::{AgentRun, Done, Execution, Frame, Running, SlotId, Ticket, Wake, loops::Loop, released::ten_tries, task::Place, turns::Plan};
use crate::{
    compile::{OnError, Step, Work},
    log::{AgentDetail, EventKind, NONE, Written},
    payload::deep_merge,
    protocol::{FrameKind, State},
    rules::{DeadEnd, StepResults},
};

/// Most nested agents in a run.
const AGENTS_DEEP: u32 = loopwright_lang::limits::SUB_AGENTS as u32;

/// A visit of a step: all its attempts.
#[derive(Debug)]
pub struct Visit {
    pub(crate) agent: SlotId,
    /// The agent's place in the compiled document, and the step's in the agent.
    pub(crate) step: (usize, usize),
    pub(crate) row: u32,
    /// The row of the attempt under way; the visit's own where there is only one.
    pub(crate) attempt_row: u32,
    /// From 1.
    pub(crate) attempt: u32,
    pub(crate) deadline: Option<Ticket>,
    pub(crate) running: Running,
    /// The action that is called in the place of the step's.
    pub(crate) instead: Option<usize>,
    /// Why nothing is called.
    pub(crate) refused: Option<Text>,
}

impl Execution {
    /// Begins an agent's run.
    pub(crate) fn agent_start(&mut self, slot: SlotId, agent: &mut AgentRun) -> Option<Done> {
        agent.row = self.begin(FrameKind::Agent, EventKind::AgentStart, agent.parent_row, NONE, 0, agent.payload.clone());
        let detail = AgentDetail {
            agent: u32::try_from(agent.agent).unwrap_or(NONE),
            loops: agent.loops.clone(),
            data: agent.data.clone(),
            context: agent.context.clone(),
            conversation: agent.conversation.clone(),
            writes: Vec::new(),
            parts: Vec::new(),
            messages: Vec::new(),
        };
        self.log.detail_agent(agent.row, detail);
        self.wrote_root(agent, agent.row);
        let compiled = self.compiled.clone();
        let Some(made) = compiled.agents.get(agent.agent) else { return self.agent_end(agent, Err("Sub-agent not found".into())) };
        if agent.depth > AGENTS_DEEP {
            return self.agent_end(agent, Err(format!("Sub-agents are nested more than {AGENTS_DEEP} levels deep").into()));
        }
        if made.is_loop {
            agent.plan = Plan::Turns;
            return self.next_turn(slot, agent);
        }
        agent.tally.initial = agent.payload.clone();
        let Some(start) = compiled.start_of(agent.agent, agent.parent_row == NONE) else {
            self.note(agent.row, Rule::DeadEnds);
            let text = match compiled.rules.dead_end {
                DeadEnd::Completes => "No active starting step".to_owned(),
                DeadEnd::TenTries => ten_tries("No current step in flow state after action execution"),
            };
            return self.agent_end(agent, Err(text.into()));
        };
        if !made.other_starts.is_empty() {
            let name = made.steps.get(start).map_or("", |step| step.name.as_str());
            let more = made.other_starts.len();
            self.notice(
                agent.row,
                "N12",
                Severity::Warning,
                &format!("{} steps are marked as the start; the run begins with {name}.", more + 1),
            );
        }
        if compiled.rules.step_results == StepResults::ByKind {
            return self.released_go(slot, agent, start, 0, false);
        }
        self.visit(slot, agent, start, 0)
    }

    /// A child of an agent's run is done.
    pub(crate) fn agent_child(&mut self, slot: SlotId, agent: &mut AgentRun, child: u64, done: Done) -> Option<Done> {
        match agent.plan {
            Plan::Steps { .. } => self.visit_over(slot, agent, done),
            Plan::Turns => self.turn_child(slot, agent, child, done),
        }
    }

    /// Ends an agent's run; `Err` is why it failed.
    pub(crate) fn agent_end(&mut self, agent: &mut AgentRun, how: Result<(), Text>) -> Option<Done> {
        let payload = std::mem::take(&mut agent.payload);
        let (state, error) = match &how {
            Ok(()) => (State::Succeeded, None),
            Err(error) => (State::Failed, Some(error.clone())),
        };
        let now = self.now;
        self.log.end(now, agent.row, EventKind::AgentEnd, state, payload.clone(), error.clone());
        if agent.parent_row == NONE {
            self.log.final_message = agent.special_message.take();
            self.log.final_reasoning = agent.special_reasoning.take();
            self.log.final_confidence = agent.special_confidence;
        }
        Some(Done { ok: how.is_ok(), error, message: agent.message.take(), limit: agent.limit, ..Done::ok(payload) })
    }

    /// Goes to a step. `path` is 1 + the place of the path that leads there.
    fn visit(&mut self, slot: SlotId, agent: &mut AgentRun, step: usize, path: u32) -> Option<Done> {
        self.visit_with(slot, agent, step, path, (None, None))
    }

    /// The same with another action in the place of the step's, or with why it is not run at all.
    pub(crate) fn visit_with(
        &mut self,
        slot: SlotId,
        agent: &mut AgentRun,
        step: usize,
        path: u32,
        (instead, refused): (Option<usize>, Option<Text>),
    ) -> Option<Done> {
        if agent.visits >= loopwright_lang::limits::STEP_VISITS {
            agent.limit = true;
            return self.agent_end(agent, Err(format!("Stopped after {} step visits", loopwright_lang::limits::STEP_VISITS).into()));
        }
        let compiled = self.compiled.clone();
        let Some(made) = compiled.agents.get(agent.agent).and_then(|made| made.steps.get(step)) else {
            return self.agent_end(agent, Err("The step is not there any more".into()));
        };
        agent.visits += 1;
        agent.path_names.push(Value::Text(made.name.clone()));
        let number = agent.visit_counts.entry(step).or_insert(0);
        let visit_number = *number;
        *number += 1;
        let row = self.begin(FrameKind::Step, EventKind::StepStart, agent.row, made.number, path, Value::Undefined);
        if let Some(row) = self.log.rows.get_mut(row as usize) {
            row.index = visit_number;
        }
        if let Some(detail) = self.log.agent_mut(agent.row) {
            detail.parts.push(row);
        }
        let visit = Visit {
            agent: slot,
            step: (agent.agent, step),
            row,
            attempt_row: row,
            attempt: 0,
            deadline: None,
            running: Running::Nothing,
            instead,
            refused,
        };
        let under = self.allocate(Some((slot, 0)), Frame::Visit(Box::new(visit)));
        agent.plan = Plan::Steps { current: step, under: Running::Frame(under) };
        self.ready.push(Wake::Start(under));
        None
    }

    /// Starts an attempt.
    pub(crate) fn visit_start(&mut self, slot: SlotId, visit: &mut Visit) -> Option<Done> {
        let compiled = self.compiled.clone();
        let step = compiled.agents.get(visit.step.0)?.steps.get(visit.step.1)?;
        visit.attempt += 1;
        if step.on_error == OnError::Retry && step.retries > 0 {
            let (parent, index) = (visit.row, visit.attempt - 1);
            visit.attempt_row = self.begin(FrameKind::Attempt, EventKind::AttemptStart, parent, step.number, index, Value::Undefined);
        }
        let is_loop = step.kind.is_loop();
        let cannot = |message: &str| Done { round: is_loop.then(Default::default), ..Done::failed(message) };
        let work = match (&step.timeout, &step.work) {
            (Err(message), _) | (_, Err(message)) => {
                self.note_refusal(visit.attempt_row, step, message);
                return self.attempt_over(slot, visit, step, cannot(message));
            }
            (Ok(_), Ok(work)) => work.clone(),
        };
        if let Ok(Some(after)) = step.timeout {
            visit.deadline = Some(self.deadline(slot, after));
        }
        if let (StepResults::ByKind, Work::Plain(task)) = (compiled.rules.step_results, &work) {
            return match self.released_start(slot, visit, step, task) {
                Ok(running) => {
                    visit.running = running;
                    None
                }
                Err(done) => self.attempt_over(slot, visit, step, *done),
            };
        }
        let Some(Frame::Agent(agent)) = self.slots.get(visit.agent).map(|place| &place.frame) else { return None };
        match work {
            Work::Plain(task) => {
                let scope = agent.scope();
                let place = Place {
                    owner: (slot, 0),
                    row: visit.attempt_row,
                    path: agent.path.clone(),
                    key: step.key.clone(),
                    attempt: visit.attempt,
                    depth: agent.depth,
                };
                let payload = agent.payload.clone();
                visit.running = self.start_task(&task, &scope, payload, place);
            }
            Work::Loop(spec) => {
                let round = Loop::new(spec, visit.agent, visit.attempt_row, step.number, step.key.clone(), visit.attempt);
                let under = self.allocate(Some((slot, 0)), Frame::Loop(Box::new(round)));
                visit.running = Running::Frame(under);
                self.ready.push(Wake::Start(under));
            }
        }
        None
    }

    /// What the step does is done.
    pub(crate) fn visit_child(&mut self, slot: SlotId, visit: &mut Visit, done: Done) -> Option<Done> {
        visit.running = Running::Nothing;
        let compiled = self.compiled.clone();
        let step = compiled.agents.get(visit.step.0)?.steps.get(visit.step.1)?;
        self.attempt_over(slot, visit, step, done)
    }

    /// The time of an attempt is up.
    pub(crate) fn visit_deadline(&mut self, slot: SlotId, visit: &mut Visit) -> Option<Done> {
        visit.deadline = None;
        self.note(visit.attempt_row, Rule::Timeouts);
        let compiled = self.compiled.clone();
        let step = compiled.agents.get(visit.step.0)?.steps.get(visit.step.1)?;
        let seconds = match step.timeout {
            Ok(Some(after)) => after as f64 / 1_000_000.0,
            _ => 0.0,
        };
        let message = format!("Timed out after {} s", loopwright_lang::json::print_compact(&Value::Number(seconds)));
        let running = std::mem::replace(&mut visit.running, Running::Nothing);
        // A loop that is cut by its own limit keeps what it has done and says so.
        let round = match running {
            Running::Frame(under) => self.cut_loop(under),
            _ => None,
        };
        self.stop(running);
        self.attempt_over(slot, visit, step, Done { round, ..Done::failed(message) })
    }

    /// An attempt has ended: write what it gave, or try again.
    fn attempt_over(&mut self, slot: SlotId, visit: &mut Visit, step: &Step, mut done: Done) -> Option<Done> {
        if let Some(ticket) = visit.deadline.take() {
            self.give_back(ticket);
        }
        if self.compiled.rules.step_results == StepResults::ByKind {
            self.released_over(visit, step, &mut done);
        } else if done.ok
            && let Some(Work::Plain(task)) = step.work.as_ref().ok()
        {
            // An agent's message is its own affair (ruling 30).
            if let Some(message) = done.message.take() {
                self.notice(visit.attempt_row, "N05", Severity::Hint, &format!("The agent ended with a message: {message}"));
            }
            self.write_result(visit, step, task.output.as_ref(), &mut done);
        } else if done.ok
            && let Some(Work::Loop(spec)) = step.work.as_ref().ok()
            && let Some(refine) = &spec.refine
        {
            self.write_result(visit, step, refine.output.as_ref(), &mut done);
        }
        if visit.attempt_row != visit.row {
            let now = self.now;
            self.log.end(now, visit.attempt_row, EventKind::AttemptEnd, done.state(), done.result.clone(), done.error.clone());
            if !done.ok && visit.attempt <= step.retries {
                self.note(visit.row, Rule::Retries);
                visit.attempt_row = visit.row;
                self.ready.push(Wake::Start(slot));
                return None;
            }
        }
        Some(done)
    }

    /// Writes the result of a step to its agent's payload.
    fn write_result(&mut self, visit: &Visit, step: &Step, output: Option<&OutputMapping>, done: &mut Done) {
        let Frame::Agent(mut agent) = self.take(visit.agent) else { return };
        let payload = std::mem::take(&mut agent.payload);
        let is_prompt = step.kind == loopwright_model::StepKind::Prompt;
        if is_prompt && let Some(message) = ending_message(&done.result) {
            agent.payload = payload;
            agent.message = Some(message);
        } else if let Some(output) = output {
            match output.apply(&done.result, &payload, &OutputPlace::default(), self.semantics()) {
                Ok(applied) => {
                    agent.payload = applied.payload;
                    self.problems(visit.attempt_row, &applied.warnings);
                    agent.special(applied.specials);
                    self.wrote_root(&agent, visit.attempt_row);
                }
                Err(problem) => {
                    agent.payload = payload;
                    done.ok = false;
                    done.error = Some(problem.message.into());
                }
            }
        } else if step.kind != loopwright_model::StepKind::Action && done.result.as_object().is_some() {
            agent.payload = deep_merge(&payload, &done.result);
            self.wrote_root(&agent, visit.attempt_row);
        } else {
            agent.payload = payload;
        }
        if let Some(place) = self.slots.get_mut(visit.agent) {
            place.frame = Frame::Agent(agent);
        }
    }

    /// Keeps an agent's payload as it is now.
    pub(crate) fn wrote_root(&mut self, agent: &AgentRun, by: u32) {
        if agent.row != NONE {
            let event = self.event(EventKind::Payload, by, 0);
            self.log.wrote(agent.row, event, by, Written::Root(agent.payload.clone()));
        }
    }

    /// A step is done: its result, then the way on.
    fn visit_over(&mut self, slot: SlotId, agent: &mut AgentRun, done: Done) -> Option<Done> {
        let Plan::Steps { current, under } = std::mem::replace(&mut agent.plan, Plan::Steps { current: 0, under: Running::Nothing }) else {
            return None;
        };
        let _ = under;
        let compiled = self.compiled.clone();
        let step = compiled.agents.get(agent.agent)?.steps.get(current)?;
        let row = self.log.agent(agent.row).and_then(|detail| detail.parts.last().copied()).unwrap_or(NONE);
        if compiled.rules.step_results == StepResults::ByKind {
            return self.released_left(slot, agent, current, row, done);
        }
        let result = step_result(&step.name, &done);
        let now = self.now;
        self.log.end(now, row, EventKind::StepEnd, done.state(), result.clone(), done.error.clone());
        agent.step_result = Some(result);
        if !agent.completed.iter().any(|name| name.as_str() == Some(step.name.as_str())) {
            agent.completed.push(Value::Text(step.name.clone()));
        }
        if agent.message.is_some() {
            return self.agent_end(agent, Ok(()));
        }
        let failed = !done.ok;
        if failed && step.on_error == OnError::Continue {
            self.note(row, Rule::Retries);
            let message = done.error.as_deref().unwrap_or_default();
            self.notice(row, "N06", Severity::Error, &format!("{} failed and the run goes on: {message}", step.name));
        }
        let recovery = failed && step.on_error != OnError::Continue;
        let mut inactive: Vec<&str> = Vec::new();
        let mut scope = None;
        for (place, path) in step.paths.iter().enumerate() {
            let at = u32::try_from(place).unwrap_or(0);
            let open = match &path.condition {
                None => !recovery,
                Some(condition) => {
                    let scope = scope.get_or_insert_with(|| agent.path_scope(&step.key));
                    self.note_condition(condition, scope, row, agent.visits as usize > agent.completed.len());
                    match condition.holds(scope, self.semantics()) {
                        Ok(holds) => {
                            self.event(EventKind::Condition, row, at * 4 + u32::from(holds));
                            holds
                        }
                        Err(message) => {
                            self.event(EventKind::Condition, row, at * 4 + 2);
                            let text = format!("The condition of a path cannot be evaluated, so it is not open: {message}");
                            self.notice(row, "N07", Severity::Error, &text);
                            false
                        }
                    }
                }
            };
            if !open {
                continue;
            }
            let target = path.to.and_then(|to| compiled.agents.get(agent.agent)?.steps.get(to).map(|step| (to, step)));
            match target {
                Some((to, target)) if target.active => {
                    drop(scope);
                    self.event(EventKind::PathTaken, row, at);
                    return self.visit(slot, agent, to, at + 1);
                }
                Some((_, target)) => inactive.push(&target.name),
                None => inactive.push("a step that is not there"),
            }
        }
        if recovery {
            let error = done.error.unwrap_or_else(|| "failed".into());
            if agent.parent_row == NONE {
                self.log.error_step = Some(step.number);
            }
            return self.agent_end(agent, Err(error));
        }
        if !inactive.is_empty() {
            let names = inactive.join(", ");
            self.note(row, Rule::DeadEnds);
            self.notice(
                row,
                "N13",
                Severity::Warning,
                &format!("The open paths lead only to steps that are not active: {names}. The run ends here."),
            );
        }
        self.agent_end(agent, Ok(()))
    }
}

/// The message with which a prompt's answer ends the run, if it does (flow-agents.md, "Traversal").
fn ending_message(answer: &Value) -> Option<Text> {
    let text = |name: &str| match answer.get(name) {
        Some(Value::Text(text)) if !text.is_empty() => Some(text.clone()),
        _ => None,
    };
    let chat = answer.get("nextStep").and_then(|next| next.get("type")).and_then(Value::as_str) == Some("Chat");
    if chat {
        return Some(text("message").or_else(|| text("reasoning")).unwrap_or_else(|| "".into()));
    }
    let complete = answer.get("taskComplete").is_some_and(loopwright_lang::expr::truthy);
    if complete { text("message") } else { None }
}

/// The result of a step as conditions and mappings see it (ruling 38).
pub(crate) fn step_result(name: &Text, done: &Done) -> Value {
    let mut fields = vec![
        ("name", Value::Text(name.clone())),
        ("step", Value::text(if done.ok { "Success" } else { "Failed" })),
        ("success", Value::Bool(done.ok)),
    ];
    if let Some(error) = &done.error {
        fields.push(("errorMessage", Value::Text(error.clone())));
    }
    if let Some(round) = &done.round {
        fields.push(("iterations", Value::Number(round.iterations as f64)));
        fields.push(("results", Value::List(round.results.clone())));
        fields.push(("errors", Value::List(round.errors.clone())));
        fields.push(("exitReason", Value::text(round.exit)));
    }
    if !done.result.is_undefined() {
        fields.push(("result", done.result.clone()));
    }
    Value::object(fields)
}
