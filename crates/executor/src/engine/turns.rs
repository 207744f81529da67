//! An agent's run, and how a loop agent goes on from turn to turn (loop-agents.md).

use std::{collections::BTreeMap, sync::Arc};

use loopwright_lang::{List, LoopFrame, Object, Scope, Text, Value, json::print_compact};

use super::{Call, Done, Execution, Frame, Running, SlotId, loops::Loop, released::Tally, task::Place};
use crate::{
    compile::{CalleeKind, LoopSpec, Task, loops::LoopKind},
    log::{EventKind, NONE},
    payload::{apply_change, deep_merge},
    protocol::FrameKind,
    rules::StepResults,
};

/// Most turns in one agent's run.
const TURNS: u64 = 10_000;
/// So many turns in a row that could not be carried out end the run.
const FAILED_TURNS: u32 = 10;
/// For so many turns of the model a loop's message stays.
const MESSAGE_TURNS: u64 = 3;

/// An agent's run.
#[derive(Debug)]
pub struct AgentRun {
    pub(crate) agent: usize,
    pub(crate) row: u32,
    pub(crate) parent_row: u32,
    pub(crate) payload: Value,
    /// The loops around it, innermost first.
    pub(crate) loops: Vec<LoopFrame>,
    /// Their numbers, outermost first.
    pub(crate) path: Vec<u64>,
    pub(crate) data: Option<Value>,
    pub(crate) context: Option<Value>,
    pub(crate) conversation: Option<Value>,
    pub(crate) parameters: Option<Value>,
    pub(crate) step_result: Option<Value>,
    pub(crate) path_names: List,
    pub(crate) completed: List,
    pub(crate) visits: u64,
    pub(crate) visit_counts: BTreeMap<usize, u32>,
    pub(crate) depth: u32,
    /// The message that ended it.
    pub(crate) message: Option<Text>,
    pub(crate) special_message: Option<Text>,
    pub(crate) special_reasoning: Option<Text>,
    pub(crate) special_confidence: Option<f64>,
    pub(crate) limit: bool,
    pub(crate) plan: Plan,
    /// Of a loop agent: turns begun.
    pub(crate) turns: u64,
    pub(crate) failed_turns: u32,
    pub(crate) turn_row: u32,
    pub(crate) turn: Turn,
    /// Messages that expire: before which turn.
    pub(crate) expiring: Vec<(u64, Value)>,
    /// What only the released runtime counts.
    pub(crate) tally: Box<Tally>,
}

/// What an agent's run is at.
#[derive(Debug)]
pub(crate) enum Plan {
    /// A flow agent's visit of a step.
    Steps {
        /// The step's place.
        current: usize,
        /// The visit.
        under: Running,
    },
    /// A loop agent's turn.
    Turns,
}

/// What a loop agent's turn is at.
#[derive(Debug)]
pub(crate) enum Turn {
    /// Nothing yet.
    None,
    /// The model is asked.
    Asking(Running),
    /// The actions it asked for.
    Actions(Vec<ActionPart>),
    /// The agent it asked for.
    Agent(Running),
    /// The loop it asked for.
    Round(Running, Arc<LoopSpec>, Text),
    /// The agents it asked for, side by side.
    Agents(Vec<ActionPart>, bool),
}

/// One action of a turn.
#[derive(Debug)]
pub(crate) struct ActionPart {
    pub(crate) name: Text,
    pub(crate) row: u32,
    pub(crate) running: Running,
    pub(crate) done: Option<Done>,
    /// The agent that was asked for, as the answer has it.
    pub(crate) asked: Value,
}

/// What a model's answer asks for.
enum Decision {
    Complete(Option<Text>),
    Chat(Text),
    Retry,
    Actions(Vec<(usize, Task)>),
    Agent(Box<Task>),
    Round(Arc<LoopSpec>, Text),
    Failed(String),
}

impl AgentRun {
    pub(crate) fn new(agent: usize, payload: Value, data: Option<Value>, context: Option<Value>, conversation: Option<Value>) -> Self {
        Self {
            agent,
            row: NONE,
            parent_row: NONE,
            payload,
            loops: Vec::new(),
            path: Vec::new(),
            data,
            context,
            conversation,
            parameters: None,
            step_result: None,
            path_names: List::new(),
            completed: List::new(),
            visits: 0,
            visit_counts: BTreeMap::new(),
            depth: 0,
            message: None,
            special_message: None,
            special_reasoning: None,
            special_confidence: None,
            limit: false,
            plan: Plan::Steps { current: 0, under: Running::Nothing },
            turns: 0,
            failed_turns: 0,
            turn_row: NONE,
            turn: Turn::None,
            expiring: Vec::new(),
            tally: Box::default(),
        }
    }

    /// What it waits for, and the rows of calls among that.
    pub(crate) fn running(&self) -> Vec<(Running, u32)> {
        match (&self.plan, &self.turn) {
            (Plan::Steps { under, .. }, _) => vec![(*under, NONE)],
            (Plan::Turns, Turn::Asking(running) | Turn::Agent(running) | Turn::Round(running, ..)) => vec![(*running, NONE)],
            (Plan::Turns, Turn::Actions(parts) | Turn::Agents(parts, _)) => {
                parts.iter().filter(|part| part.done.is_none()).map(|part| (part.running, part.row)).collect()
            }
            (Plan::Turns, Turn::None) => Vec::new(),
        }
    }

    /// Takes `$message`, `$reasoning`, `$confidence`; the last write wins.
    pub(crate) fn special(&mut self, specials: Vec<(String, Value)>) {
        for (name, value) in specials {
            match (name.trim_start_matches('$').to_ascii_lowercase().as_str(), value) {
                ("message", Value::Text(text)) => self.special_message = Some(text),
                ("reasoning", Value::Text(text)) => self.special_reasoning = Some(text),
                ("confidence", value) => self.special_confidence = value.as_number().or(self.special_confidence),
                _ => {}
            }
        }
    }

    /// The roots of path conditions after a step.
    pub(crate) fn path_scope(&self, current: &Text) -> Scope {
        let flow = Value::object([
            ("currentStepId", Value::Text(current.clone())),
            ("completedSteps", Value::List(self.completed.clone())),
            ("executionPath", Value::List(self.path_names.clone())),
            ("stepCount", Value::Number(self.visits as f64)),
        ]);
        Scope { conversation: None, flow_context: Some(flow), ..self.scope() }
    }

    pub(crate) fn say(&mut self, message: Value) {
        let mut said = self.conversation.as_ref().and_then(Value::as_list).cloned().unwrap_or_default();
        said.push(message);
        self.conversation = Some(Value::List(said));
    }
}

impl Execution {
    /// Asks the model, or ends the run at a limit.
    pub(crate) fn next_turn(&mut self, slot: SlotId, agent: &mut AgentRun) -> Option<Done> {
        if agent.turns >= TURNS {
            agent.limit = true;
            return self.agent_end(agent, Err(format!("Stopped after {TURNS} turns").into()));
        }
        let turn = agent.turns;
        agent.turns += 1;
        if self.compiled.rules.step_results == StepResults::ByKind {
            self.released_prune(agent);
        }
        if agent.expiring.iter().any(|(before, _)| *before <= turn) {
            let gone: Vec<Value> =
                agent.expiring.iter().filter(|(before, _)| *before <= turn).map(|(_, message)| message.clone()).collect();
            agent.expiring.retain(|(before, _)| *before > turn);
            if let Some(Value::List(said)) = &agent.conversation {
                // Each takes away the first that is equal: messages go in the order in which they came.
                let mut left: Vec<Value> = said.iter().cloned().collect();
                for message in &gone {
                    if let Some(at) = left.iter().position(|said| said == message) {
                        left.remove(at);
                    }
                }
                agent.conversation = Some(Value::list(left));
            }
        }
        let number = u32::try_from(turn).unwrap_or(NONE);
        agent.turn_row = self.begin(FrameKind::Turn, EventKind::TurnStart, agent.row, NONE, number, Value::Undefined);
        self.keep_messages(agent);
        if let Some(detail) = self.log.agent_mut(agent.row) {
            detail.parts.push(agent.turn_row);
        }
        let made = self.compiled.agents.get(agent.agent);
        let key = made.map_or_else(|| "".into(), |made| made.name.clone());
        let call = Call {
            callee: None,
            kind: CalleeKind::Prompt,
            name: "(agent prompt)".into(),
            params: Value::Undefined,
            payload: agent.payload.clone(),
            message: None,
            context: None,
            path: agent.path.clone(),
            key,
            attempt: 1,
            turn: Some((agent.agent, turn)),
            row: agent.turn_row,
            nested: false,
            said: None,
        };
        let ticket = self.dispatch(call, (slot, 0), false);
        agent.turn = Turn::Asking(Running::Ticket(ticket));
        None
    }

    pub(crate) fn keep_messages(&mut self, agent: &AgentRun) {
        let event = u32::try_from(self.log.len()).unwrap_or(NONE).saturating_sub(1);
        let said = agent.conversation.clone().unwrap_or_default();
        if let Some(detail) = self.log.agent_mut(agent.row) {
            detail.messages.push((event, said));
        }
    }

    /// Something a turn waited for is done.
    pub(crate) fn turn_child(&mut self, slot: SlotId, agent: &mut AgentRun, child: u64, done: Done) -> Option<Done> {
        match std::mem::replace(&mut agent.turn, Turn::None) {
            Turn::None => None,
            Turn::Asking(_) if self.compiled.rules.step_results == StepResults::ByKind => self.released_answered(slot, agent, done),
            Turn::Asking(_) => self.answered(slot, agent, done),
            Turn::Agents(mut parts, parallel) => {
                if let Some(part) = usize::try_from(child).ok().and_then(|at| parts.get_mut(at)) {
                    part.running = Running::Nothing;
                    if part.row != agent.turn_row {
                        let now = self.now;
                        self.log.end(now, part.row, EventKind::CallEnd, done.state(), done.result.clone(), done.error.clone());
                    }
                    part.done = Some(done);
                }
                if parts.iter().any(|part| part.done.is_none()) {
                    agent.turn = Turn::Agents(parts, parallel);
                    return None;
                }
                self.released_agents_done(slot, agent, parts, parallel)
            }
            Turn::Actions(mut parts) => {
                if let Some(part) = usize::try_from(child).ok().and_then(|at| parts.get_mut(at)) {
                    part.running = Running::Nothing;
                    let now = self.now;
                    self.log.end(now, part.row, EventKind::CallEnd, done.state(), done.result.clone(), done.error.clone());
                    part.done = Some(done);
                }
                if parts.iter().any(|part| part.done.is_none()) {
                    agent.turn = Turn::Actions(parts);
                    return None;
                }
                if self.compiled.rules.step_results == StepResults::ByKind {
                    return self.released_acted_turn(slot, agent, &parts);
                }
                let mut text = String::from("## Actions\n");
                let mut error = None;
                for part in &parts {
                    let Some(done) = &part.done else { continue };
                    text.push_str(&crate::message::action_part(&part.name, done));
                    text.push('\n');
                    if !done.ok && error.is_none() {
                        error.clone_from(&done.error);
                    }
                }
                agent.say(Value::object([
                    ("role", Value::text("user")),
                    ("messageType", Value::text("action-result")),
                    ("content", Value::text(text.trim_end())),
                ]));
                let over = match error {
                    None => Done::ok(Value::Undefined),
                    Some(error) => Done::failed(error),
                };
                // The turn was carried out, whatever its actions said.
                self.turn_over(slot, agent, "Actions", over, true)
            }
            Turn::Agent(_) => {
                if done.ok && done.result.as_object().is_some() {
                    agent.payload = deep_merge(&agent.payload, &done.result);
                    let row = agent.turn_row;
                    self.wrote_root(agent, row);
                }
                let said = if let Some(error) = &done.error { format!("The agent failed: {error}") } else { print_compact(&done.result) };
                agent.say(Value::object([
                    ("role", Value::text("user")),
                    ("messageType", Value::text("sub-agent-result")),
                    ("content", Value::text(said)),
                ]));
                self.turn_over(slot, agent, "Sub-Agent", done, true)
            }
            Turn::Round(_, spec, called) => {
                let kind = spec.config.kind;
                if self.compiled.rules.step_results == StepResults::ByKind {
                    return self.released_round_done(slot, agent, &spec, done);
                }
                if let Some(round) = done.round.as_ref().filter(|round| round.began) {
                    let (results, errors) = match kind {
                        LoopKind::ForEach => ("forEachResults", "forEachErrors"),
                        LoopKind::While | LoopKind::Refine => ("whileResults", "whileErrors"),
                    };
                    let mut fields: Object = agent.payload.as_object().cloned().unwrap_or_default();
                    fields.insert(results, Value::List(round.results.clone()));
                    fields.insert(errors, Value::List(round.errors.clone()));
                    agent.payload = Value::Object(fields);
                    let row = agent.turn_row;
                    self.wrote_root(agent, row);
                    let message = crate::message::loop_result(&spec, &called, round);
                    agent.expiring.push((agent.turns + MESSAGE_TURNS, message.clone()));
                    agent.say(message);
                } else if let Some(error) = &done.error {
                    say_error(agent, error);
                }
                let began = done.round.as_ref().is_some_and(|round| round.began);
                let done = if began { done } else { Done { round: None, ..done } };
                self.turn_over(slot, agent, kind.name(), done, began)
            }
        }
    }

    /// A turn is done; the next one, or the end. `carried_out`: what it asked for was done, well or not.
    fn turn_over(&mut self, slot: SlotId, agent: &mut AgentRun, kind: &str, done: Done, carried_out: bool) -> Option<Done> {
        let name: Text = kind.into();
        agent.path_names.push(Value::Text(name.clone()));
        let result = super::flow::step_result(&name, &done);
        let now = self.now;
        self.log.end(now, agent.turn_row, EventKind::TurnEnd, done.state(), result, done.error.clone());
        self.keep_messages(agent);
        agent.turn_row = NONE;
        agent.failed_turns = if carried_out { 0 } else { agent.failed_turns + 1 };
        if agent.failed_turns >= FAILED_TURNS {
            let last = done.error.unwrap_or_else(|| "failed".into());
            return self.agent_end(agent, Err(format!("Stopped after {FAILED_TURNS} failed turns: {last}").into()));
        }
        self.next_turn(slot, agent)
    }

    /// The model has answered.
    fn answered(&mut self, slot: SlotId, agent: &mut AgentRun, done: Done) -> Option<Done> {
        if !done.ok {
            let error = done.error.clone().unwrap_or_else(|| "failed".into());
            say_error(agent, &error);
            return self.turn_over(slot, agent, "Retry", Done::failed(error), false);
        }
        let answer = done.result;
        if answer.as_object().is_none() {
            let error = "The answer is not a JSON object";
            say_error(agent, error);
            return self.turn_over(slot, agent, "Retry", Done::failed(error), false);
        }
        if let Some(request @ Value::Object(_)) = answer.get("payloadChangeRequest") {
            let changed = apply_change(&agent.payload, request);
            if changed != agent.payload {
                agent.payload = changed;
                let row = agent.turn_row;
                self.wrote_root(agent, row);
            }
        }
        let asked = asked_type(&answer);
        match self.decide(agent.agent, &answer) {
            Decision::Complete(message) => {
                if message.is_some() {
                    agent.special_message = message;
                }
                let now = self.now;
                self.log.end(now, agent.turn_row, EventKind::TurnEnd, crate::protocol::State::Succeeded, Value::Undefined, None);
                agent.turn_row = NONE;
                self.agent_end(agent, Ok(()))
            }
            Decision::Chat(message) => {
                agent.message = Some(message);
                let name: Text = "Chat".into();
                agent.path_names.push(Value::Text(name.clone()));
                let result = super::flow::step_result(&name, &Done::ok(Value::Undefined));
                let now = self.now;
                self.log.end(now, agent.turn_row, EventKind::TurnEnd, crate::protocol::State::Succeeded, result, None);
                agent.turn_row = NONE;
                self.agent_end(agent, Ok(()))
            }
            Decision::Retry => self.turn_over(slot, agent, "Retry", Done::ok(Value::Undefined), true),
            Decision::Failed(error) => {
                say_error(agent, &error);
                self.turn_over(slot, agent, &asked, Done::failed(error), false)
            }
            Decision::Actions(tasks) => {
                let scope = Scope { step_result: None, ..agent.scope() };
                let mut parts = Vec::new();
                for (number, (callee, task)) in tasks.into_iter().enumerate() {
                    let name = self.compiled.callees.get(callee).map_or_else(|| "".into(), |callee| callee.name.clone());
                    let index = u32::try_from(number).unwrap_or(NONE);
                    let row = self.begin(FrameKind::Call, EventKind::CallStart, agent.turn_row, NONE, index, Value::Text(name.clone()));
                    let place = self.turn_place(slot, number as u64, agent, row);
                    let running = self.start_task(&task, &scope, Value::Undefined, place);
                    parts.push(ActionPart { name, row, running, done: None, asked: Value::Undefined });
                }
                agent.turn = Turn::Actions(parts);
                None
            }
            Decision::Agent(task) => {
                let scope = Scope { step_result: None, ..agent.scope() };
                let place = self.turn_place(slot, 0, agent, agent.turn_row);
                let running = self.start_task(&task, &scope, agent.payload.clone(), place);
                agent.turn = Turn::Agent(running);
                None
            }
            Decision::Round(spec, called) => {
                let key = self.compiled.agents.get(agent.agent).map_or_else(|| "".into(), |made| made.name.clone());
                let round = Loop::new(spec.clone(), slot, agent.turn_row, NONE, key, 1);
                let under = self.allocate(Some((slot, 0)), Frame::Loop(Box::new(round)));
                self.ready.push(super::Wake::Start(under));
                agent.turn = Turn::Round(Running::Frame(under), spec, called);
                None
            }
        }
    }

    pub(crate) fn turn_place(&self, slot: SlotId, child: u64, agent: &AgentRun, row: u32) -> Place {
        let key = self.compiled.agents.get(agent.agent).map_or_else(|| "".into(), |made| made.name.clone());
        Place { owner: (slot, child), row, path: agent.path.clone(), key, attempt: 1, depth: agent.depth }
    }

    /// What an answer asks for (runtime rules of loop responses; loop-agents.md, rulings 31, 34, 50).
    fn decide(&self, agent: usize, answer: &Value) -> Decision {
        let complete = match answer.get("taskComplete") {
            None | Some(Value::Undefined | Value::Null) => false,
            Some(Value::Bool(flag)) => *flag,
            Some(other) if !loopwright_lang::expr::truthy(other) => false,
            Some(other) => return Decision::Failed(format!("taskComplete must be true or false: {}", print_compact(other))),
        };
        let text = |name: &str| match answer.get(name) {
            Some(Value::Text(text)) if !text.is_empty() => Some(text.clone()),
            _ => None,
        };
        let next = answer.get("nextStep").filter(|next| !next.is_nullish());
        let kind = asked_type(answer);
        if kind == "Chat" {
            return match text("message").or_else(|| text("reasoning")) {
                Some(message) => Decision::Chat(message),
                None => Decision::Failed("nextStep.type is Chat, and there is no message".to_owned()),
            };
        }
        if complete {
            return Decision::Complete(text("message"));
        }
        let Some(next) = next else {
            return if let Some(message) = text("message").or_else(|| text("reasoning")) {
                Decision::Chat(message)
            } else if answer.get("payloadChangeRequest").is_some_and(|request| !request.is_nullish()) {
                Decision::Complete(None)
            } else {
                Decision::Failed("nextStep. is missing: the answer neither completes the task nor says what comes next".to_owned())
            };
        };
        match kind.as_str() {
            "Retry" => Decision::Retry,
            "Actions" => match next.get("actions") {
                Some(Value::List(actions)) if !actions.is_empty() => {
                    let mut tasks = Vec::new();
                    for action in actions.iter() {
                        match self.compiled.action_task(action, None) {
                            Ok(task) => tasks.push(task),
                            Err(error) => return Decision::Failed(error),
                        }
                    }
                    Decision::Actions(tasks)
                }
                _ => Decision::Failed("nextStep.actions is missing".to_owned()),
            },
            "Sub-Agent" => match next.get("subAgent") {
                Some(asked @ Value::Object(_)) => {
                    self.compiled.agent_task(asked, None).map_or_else(Decision::Failed, |(task, _)| Decision::Agent(Box::new(task)))
                }
                _ => Decision::Failed("nextStep.subAgent is missing".to_owned()),
            },
            "ForEach" => self.round(agent, next.get("forEach"), "forEach", false),
            "While" => self.round(agent, next.get("while"), "while", true),
            other => {
                let known = ["Actions", "Sub-Agent", "Chat", "Retry", "ForEach", "While"];
                let near = known.iter().find(|name| name.eq_ignore_ascii_case(other.trim()));
                let hint = near.map_or(String::new(), |name| format!(" (the type is written {name})"));
                Decision::Failed(format!("nextStep.type cannot be simulated: {}{hint}", print_compact(&Value::text(other))))
            }
        }
    }
}

impl Execution {
    fn round(&self, agent: usize, operation: Option<&Value>, name: &str, is_while: bool) -> Decision {
        let Some(operation @ Value::Object(_)) = operation else { return Decision::Failed(format!("nextStep.{name} is missing")) };
        self.compiled.operation(agent, operation, is_while).map_or_else(Decision::Failed, |(spec, called)| Decision::Round(spec, called))
    }
}

/// Tells the model what went wrong.
fn say_error(agent: &mut AgentRun, error: &str) {
    agent.say(Value::object([
        ("role", Value::text("user")),
        ("messageType", Value::text("error")),
        ("content", Value::text(format!("This could not be carried out: {error}"))),
    ]));
}

/// The `nextStep.type`, where it is missing the one that what is there implies.
fn asked_type(answer: &Value) -> String {
    let Some(next) = answer.get("nextStep") else { return "Retry".to_owned() };
    if let Some(Value::Text(kind)) = next.get("type")
        && !kind.is_empty()
    {
        return kind.as_str().to_owned();
    }
    let implied =
        [("subAgent", "Sub-Agent"), ("subAgents", "Sub-Agent"), ("actions", "Actions"), ("forEach", "ForEach"), ("while", "While")];
    implied.iter().find(|(name, _)| next.get(name).is_some_and(|value| !value.is_nullish())).map_or("Retry", |(_, kind)| kind).to_owned()
}
