//! Agents that are called: what they are given of the payload and the messages, and what of their payload comes back.

use loopwright_lang::{List, Text, Value, differences::Rule, expr::truthy, json, mapping, merge};

use super::{
    super::{AgentRun, Call, Done, Execution, Frame, Running, Wake, task::Place},
    messages,
};
use crate::compile::{Body, Bound, CalleeKind, Task};

/// What came back from an agent.
pub(crate) struct Returned {
    /// The payload of the agent that called it.
    pub(crate) payload: Value,
    /// The step's result.
    pub(crate) shape: Value,
    /// It ended with a message to the user.
    pub(crate) chat: Option<Value>,
}

impl Execution {
    /// Hands a task to an agent; `payload` is the caller's, `item` that of a loop. `Err`: it was not called, and this is the result.
    pub(crate) fn released_delegate(
        &mut self,
        agent: &mut AgentRun,
        task: &Task,
        (payload, item): (&Value, Option<&Value>),
        place: Place,
        side_by_side: bool,
    ) -> Result<Running, Box<Done>> {
        let compiled = self.compiled.clone();
        let Some((records, name, _)) = compiled.callee_records(&task.body) else {
            return Err(Box::new(Done::failed("There is no agent.")));
        };
        let called = task.called.as_ref().unwrap_or(name).clone();
        let made = compiled.agents.get(agent.agent);
        let link = match task.bound {
            Bound::Unlinked => {
                let known = compiled.sub_agent_names(agent.agent);
                let text = format!(
                    "Sub-agent '{called}' not found or not active. Available sub-agents: {known}. Pick one of the available sub-agents, or \
                     complete the task another way — do not request '{called}' again."
                );
                return Err(Box::new(Done { shape: Some(super::shapes::retry(&text, payload)), ..Done::ok(Value::Undefined) }));
            }
            Bound::Related(link) => made.and_then(|made| made.records.links.get(link)),
            Bound::Child => None,
        };
        if task.message.as_ref().is_some_and(|message| message.contains("{{")) {
            self.note(place.row, Rule::AgentTexts);
        }
        self.tell(agent, messages::delegated(&called, task.message.as_ref(), side_by_side));
        let given = match (item.filter(|item| truthy(item)), link) {
            (Some(item), _) => item.clone(),
            (None, Some(link)) => match link.input.as_ref().map(|input| mapping::sub_agent_input(input, payload)) {
                None | Some(Value::Null) => Value::Undefined,
                Some(mapped) => mapped,
            },
            (None, None) => {
                let seen = seen(payload, records.downstream.as_deref());
                match &records.scope {
                    None => seen,
                    Some(scope) => match scoped(&seen, scope) {
                        Some(part) => part,
                        None => {
                            let text = format!(
                                "Sub-agent execution failed: Critical: Failed to extract payload scope '{scope}' for sub-agent '{called}'. The \
                                 specified path does not exist in the payload."
                            );
                            return Err(Box::new(Done::failed(text)));
                        }
                    },
                }
            }
        };
        let (mode, most) = match link.map(|link| &link.messages) {
            Some((Some(mode), most)) => (Some(mode), most.or(records.messages.1)),
            Some((None, most)) => (records.messages.0.as_ref(), most.or(records.messages.1)),
            None => (records.messages.0.as_ref(), records.messages.1),
        };
        let mut said = passed_on(agent.conversation.as_ref(), mode.map_or("None", Text::as_str), most);
        if let Some(context) = link.and_then(|link| context_message(payload, &link.context, agent.conversation.as_ref())) {
            said.push(context);
        }
        let message = task.message.clone();
        if let Some(message) = message.as_ref().filter(|message| !message.is_empty()) {
            said.push(messages::user(message.clone()));
        }
        let said = Value::List(said);
        let own_context = task.context.is_some();
        let call = Call {
            callee: match task.body {
                Body::Call(callee) => Some(callee),
                _ => None,
            },
            kind: CalleeKind::Agent,
            name: called,
            params: task.verbatim.clone().unwrap_or_default(),
            payload: given,
            message,
            context: task.context.clone().or_else(|| agent.context.clone()),
            path: place.path.clone(),
            key: place.key.clone(),
            attempt: place.attempt,
            turn: None,
            row: place.row,
            nested: matches!(task.body, Body::Agent(_)),
            said: Some(said.clone()),
        };
        let Body::Agent(number) = task.body else { return Ok(Running::Ticket(self.dispatch(call, place.owner, own_context))) };
        let data = match (&agent.data, &call.params) {
            (data, Value::Object(params)) => {
                let mut laid = data.as_ref().and_then(Value::as_object).cloned().unwrap_or_default();
                for (key, value) in params.iter() {
                    laid.insert(key.clone(), value.clone());
                }
                Some(Value::Object(laid))
            }
            (data, _) => data.clone(),
        };
        let mut run = AgentRun::new(number, call.payload.clone(), data, call.context.clone(), Some(said));
        run.path = place.path;
        run.parent_row = place.row;
        run.depth = place.depth + 1;
        if let Some(trace) = &mut self.trace {
            trace.push((self.now, call));
        }
        let slot = self.allocate(Some(place.owner), Frame::Agent(Box::new(run)));
        self.ready.push(Wake::Start(slot));
        Ok(Running::Frame(slot))
    }

    /// Takes what an agent gave; `base` is the payload it was called with.
    pub(crate) fn released_returned(&mut self, agent: &mut AgentRun, task: &Task, base: &Value, done: &mut Done, quiet: bool) -> Returned {
        let compiled = self.compiled.clone();
        let kept = |shape: Value| Returned { payload: base.clone(), shape, chat: None };
        if let Some(shape) = done.shape.take() {
            return kept(shape);
        }
        let Some((records, name, id)) = compiled.callee_records(&task.body) else {
            return kept(super::shapes::failed(done.error.as_ref(), base));
        };
        if done.threw || (!done.ok && done.error.as_ref().is_some_and(|error| error.starts_with("Sub-agent execution failed: Critical"))) {
            let label = if matches!(task.bound, Bound::Related(_)) { "Related sub-agent" } else { "Sub-agent" };
            let error = done.error.clone().unwrap_or_else(|| "".into());
            let text: Text =
                if done.threw { format!("{label} execution failed: Error executing sub-agent: {error}").into() } else { error };
            done.error = Some(text.clone());
            return kept(super::shapes::failed(Some(&text), base));
        }
        let merged = match (done.ok, task.bound) {
            (false, _) => base.clone(),
            (true, Bound::Related(link)) => {
                let output = compiled.agents.get(agent.agent).and_then(|made| made.records.links.get(link)?.output.as_ref());
                output.map_or_else(|| base.clone(), |output| mapping::sub_agent_output(output, &done.result, base))
            }
            (true, _) => {
                let result = records.scope.as_ref().map_or_else(|| done.result.clone(), |scope| unscoped(&done.result, scope));
                let patterns = records.upstream.clone().unwrap_or_else(|| vec!["*".to_owned()]);
                let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
                merge::merge_upstream(base, &result, &patterns)
            }
        };
        if let Some(message) = done.message.take() {
            let shape = Value::object([
                ("step", Value::text("Chat")),
                ("terminate", Value::Bool(true)),
                ("message", Value::Text(message.clone())),
                ("previousPayload", base.clone()),
                ("newPayload", merged.clone()),
            ]);
            return Returned { payload: merged, shape, chat: Some(Value::Text(message)) };
        }
        if !done.ok && done.error.as_ref().is_none_or(|error| error.as_str().is_empty()) {
            done.error = Some("Sub-agent failed with no error message".into());
        }
        let shape = super::shapes::agent(done, base, &merged);
        if !quiet {
            let called = task.called.as_ref().unwrap_or(name);
            let message = messages::agent_result(called, id, &shape, agent.tally.prompts);
            self.tell(agent, message);
        }
        Returned { payload: merged, shape, chat: None }
    }

    /// Adds a message to an agent's conversation, and to its log.
    pub(crate) fn tell(&mut self, agent: &mut AgentRun, message: Value) {
        agent.say(message);
        self.keep_messages(agent);
    }
}

/// What an agent is given of its caller's payload.
fn seen(payload: &Value, paths: Option<&[String]>) -> Value {
    if !truthy(payload) {
        return Value::Null;
    }
    match paths {
        None => payload.clone(),
        Some(paths) if paths.iter().any(|path| path == "*") => payload.clone(),
        Some(paths) => merge::extract(payload, &paths.iter().map(String::as_str).collect::<Vec<_>>()),
    }
}

fn scope_parts(scope: &str) -> impl DoubleEndedIterator<Item = &str> {
    scope.strip_prefix('/').unwrap_or(scope).split('/')
}

/// The part of a payload that a scope names.
fn scoped(payload: &Value, scope: &str) -> Option<Value> {
    if !truthy(payload) {
        return Some(payload.clone());
    }
    scope_parts(scope).try_fold(payload.clone(), |at, part| match &at {
        Value::List(list) => list.get(part.parse().ok()?).cloned(),
        other => other.get(part).cloned(),
    })
}

/// A payload put back where its scope took it from.
fn unscoped(payload: &Value, scope: &str) -> Value {
    scope_parts(scope).rev().fold(payload.clone(), |inner, part| Value::object([(part, inner)]))
}

/// The caller's messages by `MessageMode`.
fn passed_on(said: Option<&Value>, mode: &str, most: Option<f64>) -> List {
    let all = said.and_then(Value::as_list).cloned().unwrap_or_default();
    let most = most.filter(|most| *most > 0.0).map(|most| most as usize);
    let last = |count: usize| all.iter().skip(all.len().saturating_sub(count)).cloned();
    match (mode, most) {
        ("All", _) | ("Latest", None) => all,
        ("Latest", Some(most)) => last(most).collect(),
        ("Bookend", Some(most)) if most > 2 && all.len() > most => {
            let omitted = format!("[{} messages omitted for context management]", all.len() - most);
            let gap = Value::object([("role", Value::text("system")), ("content", Value::text(omitted))]);
            all.iter().take(2).cloned().chain([gap]).chain(last(most - 2)).collect()
        }
        ("Bookend", _) => all,
        _ => List::new(),
    }
}

/// What a link shows of the caller's payload in a message of its own.
fn context_message(payload: &Value, paths: &[String], said: Option<&Value>) -> Option<Value> {
    if paths.is_empty() {
        return None;
    }
    let pretty = |value: &Value| json::print_pretty(value).trim_end().to_owned();
    if paths.iter().any(|path| path == "*") {
        return Some(messages::user(format!("Parent Agent Context:\n\n{}", pretty(payload))));
    }
    let scope = loopwright_lang::Scope { conversation: said.cloned(), ..Default::default() };
    let shown: Vec<String> = paths
        .iter()
        .filter_map(|path| {
            let is_message = path.trim().to_ascii_lowercase().starts_with("conversation.") && said.is_some();
            let found =
                if is_message { mapping::with_messages(&Value::text(path.as_str()), &scope) } else { mapping::walk_path(payload, path) };
            match found {
                Value::Undefined => None,
                value @ (Value::List(_) | Value::Object(_)) => Some(format!("{path}:\n{}", pretty(&value))),
                value => Some(format!("{path}:\n{}", loopwright_lang::expr::to_text(&value))),
            }
        })
        .collect();
    (!shown.is_empty()).then(|| messages::user(format!("Parent Agent Context:\n\n{}", shown.join("\n\n"))))
}
