//! One thing to do — an action, a prompt, an agent — for a step, an iteration or a turn.

use loopwright_lang::{Object, Scope, Text, Value, mapping};

use super::{AgentRun, Call, Class, Command, Execution, Frame, Running, SlotId, Waiter, Wake};
use crate::compile::{Body, CalleeKind, Task};

/// Where a task stands in the run.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Who is told, and as which child.
    pub owner: (SlotId, u64),
    /// The row the call belongs to.
    pub row: u32,
    /// The numbers of the loops around it, outermost first.
    pub path: Vec<u64>,
    /// The step's `ID` or name.
    pub key: Text,
    /// Which attempt, from 1.
    pub attempt: u32,
    /// How many agents deep the run is.
    pub depth: u32,
}

impl Execution {
    /// Starts a task. `payload` is what an agent or a prompt gets to see.
    pub(crate) fn start_task(&mut self, task: &Task, scope: &Scope, payload: Value, place: Place) -> Running {
        match task.body {
            Body::Call(callee) => self.start_call(callee, task, scope, payload, place),
            // Both belong to the released runtime, which goes about them itself.
            Body::Own | Body::Missing => Running::Nothing,
            Body::Agent(agent) => {
                let name = self.compiled.agents.get(agent).map_or_else(|| "".into(), |agent| agent.name.clone());
                let params = self.resolve(task, scope, place.row);
                let message = self.message(task, &name, scope, place.row);
                let context = task.context.clone().or_else(|| scope.context.clone());
                if let Some(trace) = &mut self.trace {
                    let call = Call {
                        callee: None,
                        kind: CalleeKind::Agent,
                        name,
                        params: params.clone().unwrap_or_default(),
                        payload: payload.clone(),
                        message: Some(message.clone()),
                        context: task.context.clone(),
                        path: place.path.clone(),
                        key: place.key.clone(),
                        attempt: place.attempt,
                        turn: None,
                        row: place.row,
                        nested: true,
                        said: None,
                    };
                    trace.push((self.now, call));
                }
                let said = Value::list([Value::object([("role", Value::text("user")), ("content", Value::Text(message))])]);
                let mut run = AgentRun::new(agent, payload, laid_over(scope.data.as_ref(), params.as_ref()), context, Some(said));
                run.loops = scope.loops.clone();
                run.path = place.path;
                run.parent_row = place.row;
                run.depth = place.depth + 1;
                run.parameters = params;
                let slot = self.allocate(Some(place.owner), Frame::Agent(Box::new(run)));
                self.ready.push(Wake::Start(slot));
                Running::Frame(slot)
            }
        }
    }

    /// Starts a call.
    pub(crate) fn start_call(&mut self, callee: usize, task: &Task, scope: &Scope, payload: Value, place: Place) -> Running {
        let Some(mut call) = self.call_of(callee, &place) else { return Running::Nothing };
        match call.kind {
            CalleeKind::Action => {
                call.params = self.resolve(task, scope, place.row).unwrap_or_else(|| Value::Object(Object::new()));
            }
            CalleeKind::Prompt => call.payload = payload,
            CalleeKind::Agent => {
                call.params = self.resolve(task, scope, place.row).unwrap_or_default();
                call.message = Some(self.message(task, &call.name, scope, place.row));
                call.context = task.context.clone().or_else(|| scope.context.clone());
                call.payload = payload;
            }
        }
        Running::Ticket(self.dispatch(call, place.owner, task.context.is_some()))
    }

    /// Starts an action with parameters that are ready.
    pub(crate) fn start_action(&mut self, callee: usize, params: Value, place: Place) -> Running {
        let Some(call) = self.call_of(callee, &place) else { return Running::Nothing };
        Running::Ticket(self.dispatch(Call { params, ..call }, place.owner, false))
    }

    fn call_of(&self, callee: usize, place: &Place) -> Option<Call> {
        let found = self.compiled.callees.get(callee)?;
        Some(Call {
            callee: Some(callee),
            kind: found.kind,
            name: found.name.clone(),
            params: Value::Undefined,
            payload: Value::Undefined,
            message: None,
            context: None,
            path: place.path.clone(),
            key: place.key.clone(),
            attempt: place.attempt,
            turn: None,
            row: place.row,
            nested: false,
            said: None,
        })
    }

    /// The parameters of a task; `None` where it has no mapping.
    pub(crate) fn resolve(&mut self, task: &Task, scope: &Scope, row: u32) -> Option<Value> {
        let input = task.input.as_ref()?;
        self.note_texts(task, scope, row);
        let (params, problems) = input.resolve(scope, &self.compiled.semantics);
        self.problems(row, &problems);
        Some(params)
    }

    /// The message to an agent (ruling 26).
    fn message(&mut self, task: &Task, name: &str, scope: &Scope, row: u32) -> Text {
        let Some(text) = &task.message else { return format!("Execute sub-agent: {name}").into() };
        let (message, problems) = mapping::message(text, scope, &self.compiled.semantics);
        self.problems(row, &problems);
        message.into()
    }

    /// Asks for a call. `own_context`: the call says its context itself, so a trace shows it.
    pub(crate) fn dispatch(&mut self, call: Call, owner: (SlotId, u64), own_context: bool) -> super::Ticket {
        let ticket = self.ticket(Waiter::Child(owner.0, owner.1));
        self.log.calls += 1;
        self.log.open_calls += 1;
        self.log.most_calls = self.log.most_calls.max(self.log.open_calls);
        if let Some(trace) = &mut self.trace {
            let mut seen = call.clone();
            if !own_context {
                seen.context = None;
            }
            trace.push((self.now, seen));
        }
        self.commands.push(Command::StartCall { ticket, call: Box::new(call) });
        ticket
    }

    /// A time limit for a visit.
    pub(crate) fn deadline(&mut self, slot: SlotId, after: u64) -> super::Ticket {
        self.timer(Waiter::Deadline(slot), after, Class::Deadline)
    }
}

/// Template parameters over the run's data (ruling 20).
fn laid_over(data: Option<&Value>, params: Option<&Value>) -> Option<Value> {
    let Some(Value::Object(params)) = params else { return data.cloned() };
    if params.is_empty() {
        return data.cloned();
    }
    let mut laid = data.and_then(Value::as_object).cloned().unwrap_or_default();
    for (key, value) in params.iter() {
        laid.insert(key.clone(), value.clone());
    }
    Some(Value::Object(laid))
}
