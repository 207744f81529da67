//! Loop agents: from answer to answer, by the rules of the released runtime (section 6).

use std::sync::Arc;

use loopwright_lang::{Object, Severity, Text, Value, differences::Rule, expr::truthy, mapping, merge};

use super::{
    super::{ActionPart, AgentRun, Done, Execution, Frame, Running, SlotId, Turn, Wake, loops::Loop},
    TRIES, is_fatal, messages, shapes, ten_retries, ten_tries,
};
use crate::{
    compile::{Body, Bound, LoopSpec, Task, loops::LoopKind, same_name},
    log::{EventKind, NONE},
    protocol::{FrameKind, State},
    response::{Asked, next_step},
};

impl Execution {
    /// Takes messages out whose time is over, before the model is asked.
    pub(crate) fn released_prune(&mut self, agent: &mut AgentRun) {
        let prompts = agent.tally.prompts;
        let Some(Value::List(said)) = &agent.conversation else { return };
        if said.iter().any(|message| messages::has_expired(message, prompts)) {
            let left: Vec<Value> = said.iter().filter(|message| !messages::has_expired(message, prompts)).cloned().collect();
            agent.conversation = Some(Value::list(left));
        }
    }

    /// The model has answered.
    pub(crate) fn released_answered(&mut self, slot: SlotId, agent: &mut AgentRun, done: Done) -> Option<Done> {
        agent.tally.prompts += 1;
        if !done.ok {
            let error: Text = done.error.clone().filter(|error| !error.is_empty()).unwrap_or_else(|| "Prompt execution failed".into());
            return self.released_failed(slot, agent, error.clone(), is_fatal(&error));
        }
        let asked = match (&done.result, done.unread) {
            (Value::Text(text), true) => Asked::Text(text.as_str().to_owned()),
            (value, _) => Asked::Value(value.clone()),
        };
        let next = next_step(&asked, &mut agent.tally.preemptions);
        if let Some(request) = next.get("payloadChangeRequest").filter(|request| truthy(request)) {
            let allowed = self.compiled.agents.get(agent.agent).and_then(|made| made.records.self_write.clone());
            let allowed: Option<Vec<&str>> = allowed.as_ref().map(|allowed| allowed.iter().map(String::as_str).collect());
            let changed = merge::change(&agent.payload, request, allowed.as_deref());
            if changed != agent.payload {
                agent.payload = changed;
                let row = agent.turn_row;
                self.wrote_root(agent, row);
            }
        }
        let kind = next.get("step").and_then(Value::as_str).unwrap_or_default().to_owned();
        match kind.as_str() {
            "Success" | "Chat" => self.released_finish(slot, agent, &next, &kind),
            "Failed" => self.released_failed(slot, agent, text(&next, "errorMessage").unwrap_or_else(|| "failed".into()), true),
            "Actions" => self.released_actions(slot, agent, &next),
            "Sub-Agent" => self.released_agents(slot, agent, &next),
            "ForEach" | "While" => {
                agent.tally.failed = 0;
                agent.tally.retries = 0;
                let is_while = kind == "While";
                let operation = next.get(if is_while { "while" } else { "forEach" }).cloned().unwrap_or_default();
                match self.compiled.operation(agent.agent, &operation, is_while) {
                    Ok((spec, called)) => self.released_round(slot, agent, spec, called),
                    // The model is not told why; it is only asked again.
                    Err(error) => self.released_failed(slot, agent, error.into(), false),
                }
            }
            "Retry" => self.released_retry(slot, agent, &next),
            other => {
                let text = format!("nextStep.type cannot be simulated: {other}");
                self.notice(agent.turn_row, "N14", Severity::Warning, &text);
                let next: Object = [("errorMessage", Value::text(text))].into_iter().collect();
                self.released_retry(slot, agent, &next)
            }
        }
    }

    /// The run ends, or, where a message to the user is taken for something else, does what that is.
    fn released_finish(&mut self, slot: SlotId, agent: &mut AgentRun, next: &Object, kind: &str) -> Option<Done> {
        let option = self.compiled.agents.get(agent.agent).and_then(|made| made.records.chat.clone());
        let kind = match (kind, option.as_deref()) {
            ("Chat", Some(option @ ("Success" | "Failed" | "Retry"))) => option.to_owned(),
            (kind, _) => kind.to_owned(),
        };
        if kind == "Retry" {
            return self.released_retry(slot, agent, next);
        }
        agent.special_message = text(next, "message");
        agent.special_reasoning = text(next, "reasoning");
        agent.special_confidence = next.get("confidence").and_then(Value::as_number);
        let now = self.now;
        let result = if kind == "Chat" { named("Chat", Value::Object(next.clone())) } else { Value::Undefined };
        self.log.end(now, agent.turn_row, EventKind::TurnEnd, State::Succeeded, result, None);
        agent.turn_row = NONE;
        match kind.as_str() {
            "Chat" => {
                agent.message = Some(agent.special_message.take().unwrap_or_else(|| "".into()));
                agent.path_names.push(Value::text("Chat"));
                self.agent_end(agent, Ok(()))
            }
            "Failed" => {
                let error = agent.special_message.take().unwrap_or_else(|| "failed".into());
                self.agent_end(agent, Err(error))
            }
            _ => self.agent_end(agent, Ok(())),
        }
    }

    /// A turn failed: the model is asked again, ten times at most, unless that is of no use.
    fn released_failed(&mut self, slot: SlotId, agent: &mut AgentRun, error: Text, fatal: bool) -> Option<Done> {
        agent.tally.failed += 1;
        agent.tally.retries = 0;
        let shape = shapes::failed(Some(&error), &agent.payload);
        self.released_turn_over(agent, "Failed", shape, Some(error.clone()));
        if fatal {
            return self.agent_end(agent, Err(error));
        }
        if agent.tally.failed >= TRIES {
            return self.agent_end(agent, Err(ten_tries(&error).into()));
        }
        self.next_turn(slot, agent)
    }

    /// The model is to answer again, and is told why.
    fn released_retry(&mut self, slot: SlotId, agent: &mut AgentRun, next: &Object) -> Option<Done> {
        let error = text(next, "errorMessage");
        if let Some(reason) = text(next, "message").or_else(|| error.clone()) {
            self.tell(agent, messages::user(format!("Retrying due to: {reason}")));
        }
        if let Some(index) = next.get("messageIndex").filter(|index| !index.is_undefined()) {
            let text = format!(
                "Message expansion failed: message {} is not expandable (it carries no compacted original content) — do not request this \
                 expansion again.",
                loopwright_lang::expr::to_text(index)
            );
            self.tell(agent, messages::user(text));
        }
        self.released_useless(slot, agent, "Retry", Value::Object(next.clone()), error)
    }

    /// A turn is over without failing; where it says what was wrong ten of them end the run.
    fn released_useless(&mut self, slot: SlotId, agent: &mut AgentRun, kind: &str, shape: Value, error: Option<Text>) -> Option<Done> {
        agent.tally.failed = 0;
        agent.tally.retries = if error.is_some() { agent.tally.retries + 1 } else { 0 };
        self.released_turn_over(agent, kind, shape, error.clone());
        match error {
            Some(error) if agent.tally.retries >= TRIES => self.agent_end(agent, Err(ten_retries(&error).into())),
            _ => self.next_turn(slot, agent),
        }
    }

    fn released_turn_over(&mut self, agent: &mut AgentRun, kind: &str, shape: Value, error: Option<Text>) {
        agent.path_names.push(Value::text(kind));
        let state = if error.is_some() { State::Failed } else { State::Succeeded };
        let now = self.now;
        self.log.end(now, agent.turn_row, EventKind::TurnEnd, state, named(kind, shape), error);
        self.keep_messages(agent);
        agent.turn_row = NONE;
    }

    /// The actions an answer asks for, side by side.
    fn released_actions(&mut self, slot: SlotId, agent: &mut AgentRun, next: &Object) -> Option<Done> {
        let compiled = self.compiled.clone();
        let asked: Vec<Value> = next.get("actions").and_then(Value::as_list).into_iter().flat_map(|list| list.iter().cloned()).collect();
        let mut found = Vec::new();
        let mut missing: Vec<Text> = Vec::new();
        for action in &asked {
            let name: Text = action.get("name").and_then(Value::as_str).unwrap_or_default().into();
            match compiled.action_named(agent.agent, &name) {
                Ok(callee) => found.push((callee, name, action.get("params").cloned().unwrap_or_default())),
                Err(_) => missing.push(name),
            }
        }
        if !missing.is_empty() {
            let names: Vec<&str> = missing.iter().map(Text::as_str).collect();
            let text = format!("Actions '{}' not found or not active. Available: {}", names.join(", "), compiled.action_names(agent.agent));
            let next: Object = [("errorMessage", Value::text(text))].into_iter().collect();
            return self.released_retry(slot, agent, &next);
        }
        agent.tally.failed = 0;
        agent.tally.retries = 0;
        let own = |callee: usize| compiled.callees.get(callee).map_or_else(|| "".into(), |callee| callee.name.clone());
        // A part of a name was put right; a name in another case was not, and is not found.
        let called: Vec<(Text, Value)> = found
            .iter()
            .map(|(callee, name, params)| (if same_name(&own(*callee), name) { name.clone() } else { own(*callee) }, params.clone()))
            .collect();
        self.tell(agent, messages::invoked(&called));
        let unfound = found.iter().zip(&called).find(|((callee, ..), (name, _))| own(*callee) != *name);
        if let Some((_, (name, _))) = unfound {
            let made = compiled.agents.get(agent.agent).map_or("", |made| made.name.as_str());
            let known = compiled.action_names(agent.agent);
            let text: Text = format!("Action \"{name}\" Not Found for Agent \"{made}\". Available actions: {known}").into();
            let shape = shapes::retry(&text, &agent.payload);
            return self.released_useless(slot, agent, "Actions", shape, Some(text));
        }
        let scope = loopwright_lang::Scope { step_result: None, ..agent.scope() };
        let mut parts = Vec::new();
        for (number, (callee, _, params)) in found.into_iter().enumerate() {
            let name = own(callee);
            let index = u32::try_from(number).unwrap_or(NONE);
            let row = self.begin(FrameKind::Call, EventKind::CallStart, agent.turn_row, NONE, index, Value::Text(name.clone()));
            let place = self.turn_place(slot, number as u64, agent, row);
            // Parameters go as they are; only what refers to messages is looked up.
            let written = params;
            let params = mapping::with_messages(&written, &scope);
            if self.differences.is_some() {
                let guide = loopwright_lang::Semantics::of(loopwright_lang::Profile::Documented);
                if mapping::resolve(&written, &scope, &guide).is_ok_and(|resolved| resolved.params != params) {
                    self.note(row, Rule::TurnParams);
                }
            }
            let running = self.start_action(callee, if truthy(&params) { params } else { Value::object::<&str>([]) }, place);
            parts.push(ActionPart { name, row, running, done: None, asked: Value::Undefined });
        }
        agent.turn = Turn::Actions(parts);
        None
    }

    /// All actions of a turn are done.
    pub(crate) fn released_acted_turn(&mut self, slot: SlotId, agent: &mut AgentRun, parts: &[ActionPart]) -> Option<Done> {
        let done = parts.iter().filter_map(|part| Some((&part.name, part.done.as_ref()?)));
        let shape = shapes::actions(done, &agent.payload, &agent.payload);
        let summaries: Vec<Value> =
            shape.get("priorStepResult").and_then(Value::as_list).into_iter().flat_map(|list| list.iter().cloned()).collect();
        self.tell(agent, messages::results(&summaries));
        self.released_useless(slot, agent, "Actions", shape, None)
    }

    /// The agents an answer asks for.
    fn released_agents(&mut self, slot: SlotId, agent: &mut AgentRun, next: &Object) -> Option<Done> {
        let compiled = self.compiled.clone();
        let side_by_side = next.get("subAgents").and_then(Value::as_list);
        let asked: Vec<Value> = match (side_by_side, next.get("subAgent")) {
            (Some(list), _) => list.iter().cloned().collect(),
            (None, Some(one)) => vec![one.clone()],
            (None, None) => Vec::new(),
        };
        let known = compiled.sub_agents_of(agent.agent);
        let mut tasks = Vec::new();
        for one in &asked {
            let name = one.get("name").and_then(Value::as_str).unwrap_or_default();
            let Some((_, body, bound)) = known.iter().find(|(known, ..)| !name.is_empty() && same_name(known, name)) else {
                let shown = one.get("name").map_or_else(|| "undefined".to_owned(), |name| loopwright_lang::expr::to_text(name).to_string());
                let next: Object =
                    [("errorMessage", Value::text(format!("Sub-agent '{shown}' not found or not active")))].into_iter().collect();
                return self.released_retry(slot, agent, &next);
            };
            tasks.push(compiled.released_agent_task(one, body.clone(), *bound));
        }
        agent.tally.failed = 0;
        agent.tally.retries = 0;
        let parallel = side_by_side.is_some();
        let payload = agent.payload.clone();
        let mut parts = Vec::new();
        for (number, (task, one)) in tasks.iter().zip(asked).enumerate() {
            let name: Text = task.called.clone().unwrap_or_else(|| "".into());
            let (mut row, index) = (agent.turn_row, u32::try_from(number).unwrap_or(NONE));
            if parallel {
                row = self.begin(FrameKind::Call, EventKind::CallStart, agent.turn_row, NONE, index, Value::Text(name.clone()));
            }
            let place = self.turn_place(slot, number as u64, agent, row);
            let (running, done) = match self.released_delegate(agent, task, (&payload, None), place, parallel) {
                Ok(running) => (running, None),
                Err(done) => (Running::Nothing, Some(*done)),
            };
            parts.push(ActionPart { name, row, running, done, asked: one });
        }
        if parts.iter().all(|part| part.done.is_some()) {
            return self.released_agents_done(slot, agent, parts, parallel);
        }
        agent.turn = Turn::Agents(parts, parallel);
        None
    }

    /// All agents of a turn are done: their payloads are merged in the order they were asked for.
    pub(crate) fn released_agents_done(
        &mut self,
        slot: SlotId,
        agent: &mut AgentRun,
        mut parts: Vec<ActionPart>,
        parallel: bool,
    ) -> Option<Done> {
        let compiled = self.compiled.clone();
        let base = agent.payload.clone();
        let mut shapes = Vec::new();
        let mut ends = false;
        for part in &mut parts {
            let Some(mut done) = part.done.take() else { continue };
            ends |= part.asked.get("terminateAfter").is_some_and(|flag| if parallel { flag.as_bool() == Some(true) } else { truthy(flag) });
            let known = compiled.sub_agents_of(agent.agent);
            let found = known.iter().find(|(known, ..)| same_name(known, &part.name));
            let (body, bound) = found.map_or((Body::Missing, Bound::Unlinked), |(_, body, bound)| (body.clone(), *bound));
            let task = compiled.released_agent_task(&part.asked, body, bound);
            let onto = if parallel { agent.payload.clone() } else { base.clone() };
            let returned = self.released_returned(agent, &task, &onto, &mut done, parallel);
            agent.payload = returned.payload;
            if let (Some(message), false) = (returned.chat, parallel) {
                let next: Object = [("message", message)].into_iter().collect();
                let row = agent.turn_row;
                self.wrote_root(agent, row);
                return self.released_finish(slot, agent, &next, "Chat");
            }
            shapes.push((part.name.clone(), part.asked.clone(), returned.shape));
        }
        if !crate::payload::same(&base, &agent.payload) {
            let row = agent.turn_row;
            self.wrote_root(agent, row);
        }
        let failed = shapes.iter().find(|(_, _, shape)| super::step_of(shape) == "Failed").map(|(_, _, shape)| super::error_of(shape));
        let useless = shapes.iter().find(|(_, _, shape)| super::step_of(shape) == "Retry").and_then(|(_, _, shape)| super::error_of(shape));
        if parallel {
            let lines: Vec<String> = shapes.iter().map(|(name, asked, shape)| summary(name, asked, shape)).collect();
            self.tell(agent, messages::user(format!("Parallel Sub-Agents Completed:\n\n{}", lines.join("\n\n---\n\n"))));
        }
        let shape = shapes.into_iter().next_back().map(|(_, _, shape)| shape).unwrap_or_default();
        if let (Some(text), false) = (useless, parallel) {
            return self.released_useless(slot, agent, "Sub-Agent", shape, Some(text));
        }
        match (failed, ends) {
            (Some(error), true) => {
                let error = error.unwrap_or_else(|| "failed".into());
                self.released_failed(slot, agent, error, true)
            }
            (Some(error), false) => {
                let error = error.unwrap_or_else(|| "failed".into());
                self.released_failed(slot, agent, error, false)
            }
            (None, true) => {
                self.released_turn_over(agent, "Sub-Agent", shape, None);
                self.agent_end(agent, Ok(()))
            }
            (None, false) => self.released_useless(slot, agent, "Sub-Agent", shape, None),
        }
    }

    fn released_round(&mut self, slot: SlotId, agent: &mut AgentRun, spec: Arc<LoopSpec>, called: Text) -> Option<Done> {
        let key = self.compiled.agents.get(agent.agent).map_or_else(|| "".into(), |made| made.name.clone());
        let round = Loop::new(spec.clone(), slot, agent.turn_row, NONE, key, 1);
        let under = self.allocate(Some((slot, 0)), Frame::Loop(Box::new(round)));
        self.ready.push(Wake::Start(under));
        agent.turn = Turn::Round(Running::Frame(under), spec, called);
        None
    }

    /// A loop of a turn is done.
    pub(crate) fn released_round_done(&mut self, slot: SlotId, agent: &mut AgentRun, spec: &LoopSpec, done: Done) -> Option<Done> {
        let Some(round) = done.round.as_ref().filter(|round| round.began) else {
            return self.released_failed(slot, agent, done.error.unwrap_or_else(|| "failed".into()), false);
        };
        self.note(agent.turn_row, Rule::LoopResults);
        let kind = spec.config.kind;
        let (path, condition) = super::super::scope::loop_texts(&spec.config);
        let over = if kind == LoopKind::ForEach { ("Collection", path) } else { ("Condition", condition) };
        let message = super::loop_message(kind.name(), over, &round.results, &round.errors, agent.tally.prompts);
        self.tell(agent, message);
        let shape = super::super::flow::step_result(&kind.name().into(), &Done { ok: true, error: None, ..done });
        self.released_useless(slot, agent, kind.name(), shape, None)
    }

    /// What a loop's body in a loop agent sees of messages.
    pub(crate) fn with_messages(&self, task: &Task, params: Value, agent: &AgentRun) -> Value {
        let is_loop = self.compiled.agents.get(agent.agent).is_some_and(|made| made.is_loop);
        if !(is_loop && task.is_action) {
            return params;
        }
        let scope = loopwright_lang::Scope { conversation: agent.conversation.clone(), ..Default::default() };
        mapping::with_messages(&params, &scope)
    }
}

/// A field that is a text with something in it.
fn text(fields: &Object, name: &str) -> Option<Text> {
    match fields.get(name)? {
        Value::Text(text) if !text.is_empty() => Some(text.clone()),
        Value::Text(_) | Value::Undefined | Value::Null => None,
        other => Some(loopwright_lang::expr::to_text(other).to_string().into()),
    }
}

/// A turn's result under the name of its kind.
fn named(kind: &str, shape: Value) -> Value {
    let mut fields: Object = [("name", Value::text(kind))].into_iter().collect();
    for (key, value) in shape.as_object().into_iter().flat_map(|shape| shape.iter()) {
        fields.insert(key.clone(), value.clone());
    }
    Value::Object(fields)
}

/// What is said of one of several agents.
fn summary(name: &str, asked: &Value, shape: &Value) -> String {
    let ok = shape.get("success").and_then(Value::as_bool) == Some(true);
    let run = |key: &str| shape.get("agentRun").and_then(|run| run.get(key)).and_then(Value::as_str).map(str::to_owned);
    let message =
        asked.get("message").map_or_else(|| "undefined".to_owned(), |message| loopwright_lang::expr::to_text(message).to_string());
    let mark = if ok { '✅' } else { '❌' };
    let status = run("FinalStep").unwrap_or_else(|| "Failed".to_owned());
    let mut text = format!("{mark} **Sub-Agent: {name}**\n* Message: \"{message}\"\n* Status: {status}");
    if let Some(error) = run("ErrorMessage").or_else(|| super::error_of(shape).map(|error| error.to_string())).filter(|_| !ok) {
        text.push_str(&format!("\n* Error: {error}"));
    }
    text
}
