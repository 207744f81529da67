//! The state of a run, and what goes in and out of it.

use std::{collections::BTreeMap, sync::Arc};

use loopwright_lang::{Text, Value};
use loopwright_model::plan::{Plan, Results};

use super::{
    events::{Event, What, Whose},
    waves::Wave,
};
use crate::engine::{Progress, Ticket, UnknownTicket};

/// What a run asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Make a call.
    StartCall {
        /// What to answer with.
        ticket: Ticket,
        /// The call.
        call: Call,
    },
    /// Answer with [`Outcome::Fired`] later.
    StartTimer {
        /// What to answer with.
        ticket: Ticket,
        /// In so many microseconds.
        after: u64,
    },
    /// Its answer is not wanted any more.
    Cancel {
        /// Which.
        ticket: Ticket,
    },
}

/// A call of a tool or a sub-agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// For which task or instance.
    pub whose: Whose,
    /// `ID` or `ID[n]`.
    pub instance: String,
    /// Whether it is a sub-agent.
    pub is_agent: bool,
    /// The tool's or the agent's name.
    pub name: Text,
    /// The resolved args, or the text of the task.
    pub given: Value,
    /// Which attempt, from 1.
    pub attempt: u32,
}

/// What came of a call or a timer.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A result.
    Returned(Value),
    /// The tool says that it failed.
    Failed {
        /// With which code.
        code: Text,
        /// Why.
        message: Text,
        /// Whether another attempt may help.
        retryable: bool,
    },
    /// It broke off.
    Broke,
    /// What came back is no JSON.
    NoResult,
    /// A sub-agent ran out of its time.
    AgentTimedOut,
    /// A timer is up.
    Fired,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// Every task has a result.
    Completed,
    /// A reference, a condition or an expansion could not be: the run returns what is known.
    Failed {
        /// The code.
        code: &'static str,
        /// Why.
        message: String,
        /// `ID` or `ID[n]`.
        node: String,
        /// The reference, if it was that of `when` or `for_each`.
        path: Option<Text>,
    },
    /// A task failed: the run breaks off without results.
    Raised {
        /// `ID` or `ID[n]`.
        node: String,
        /// The code, if the task has an `execution`.
        code: Option<Text>,
        /// Why.
        message: String,
    },
    /// It was cancelled, for this reason.
    Cancelled(Value),
}

/// Something a run was told.
#[derive(Clone, Debug, PartialEq)]
pub enum Completion {
    /// What came of a ticket, and when.
    Told(Ticket, u64, Outcome),
    /// It was cancelled then, for this reason.
    Cancelled(u64, Value),
}

/// How an instance stands, as the status shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InstanceState {
    Pending,
    Running,
    Skipped,
    Completed,
}

/// An ordinary task that is ready, or one instance of a `for_each`.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    pub(super) state: InstanceState,
    /// Resolved args, or the task's text.
    pub(super) given: Value,
    pub(super) result: Value,
}

/// How a task stands, as the status shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeState {
    Pending,
    Running,
    Skipped,
    Expanded,
    Aggregated,
    Completed,
    Failed,
}

/// A task in a run.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) state: NodeState,
    /// Whether its instances were made.
    pub(super) materialised: bool,
    /// Of a `for_each`: how many elements.
    pub(super) expanded: Option<usize>,
    pub(super) instances: Vec<Instance>,
    /// Its committed result.
    pub(super) result: Option<Value>,
}

/// A run of a plan.
#[derive(Clone, Debug)]
pub struct PlanRun {
    pub(super) plan: Arc<Plan>,
    /// The places of the tasks in the order of their ids.
    pub(super) order: Vec<usize>,
    /// When it began, in microseconds since 1970.
    pub(super) started: i64,
    pub(super) now: u64,
    pub(super) nodes: Vec<Node>,
    /// Nodes that count against the limit.
    pub(super) budget: usize,
    pub(super) wave: Option<Wave>,
    /// How many waves began.
    pub(super) waves: u32,
    pub(super) end: Option<End>,
    pub(super) tickets: BTreeMap<Ticket, super::waves::Waiting>,
    pub(super) next_ticket: u64,
    pub(super) commands: Vec<Command>,
    pub(super) events: Vec<Event>,
    /// Every call that was begun, in order.
    pub(super) activity: Vec<Whose>,
    history: Vec<Completion>,
}

impl PlanRun {
    /// A run that begins at a moment (microseconds since 1970).
    pub fn start(plan: Arc<Plan>, started: i64) -> Self {
        let mut order: Vec<usize> = (0..plan.tasks.len()).collect();
        order.sort_by(|a, b| plan.tasks.get(*a).map(|task| task.id.as_str()).cmp(&plan.tasks.get(*b).map(|task| task.id.as_str())));
        let node = Node { state: NodeState::Pending, materialised: false, expanded: None, instances: Vec::new(), result: None };
        Self {
            nodes: vec![node; plan.tasks.len()],
            budget: plan.tasks.iter().filter(|task| task.for_each.is_none()).count(),
            plan,
            order,
            started,
            now: 0,
            wave: None,
            waves: 0,
            end: None,
            tickets: BTreeMap::new(),
            next_ticket: 0,
            commands: Vec::new(),
            events: Vec::new(),
            activity: Vec::new(),
            history: Vec::new(),
        }
    }

    /// A run that was told all this already. What it asks for is what it was still waiting for.
    pub fn restore(plan: Arc<Plan>, started: i64, history: &[Completion]) -> Result<Self, UnknownTicket> {
        let mut run = Self::start(plan, started);
        run.advance();
        for told in history {
            match told {
                Completion::Told(ticket, at, outcome) => run.complete(*ticket, *at, outcome.clone())?,
                Completion::Cancelled(at, reason) => run.cancel(*at, reason.clone()),
            }
            run.advance();
        }
        let open = &run.tickets;
        run.commands.retain(|command| match command {
            Command::StartCall { ticket, .. } | Command::StartTimer { ticket, .. } => open.contains_key(ticket),
            Command::Cancel { .. } => false,
        });
        Ok(run)
    }

    /// What the run was told so far: with the plan and the start, that is all of its state.
    pub fn history(&self) -> &[Completion] {
        &self.history
    }

    /// Goes on until something must be waited for.
    pub fn advance(&mut self) -> Progress {
        if self.end.is_none() && self.wave.as_ref().is_none_or(Wave::is_over) {
            self.between_waves();
        }
        if self.end.is_some() { Progress::Finished } else { Progress::Waiting }
    }

    /// Takes what must be done now.
    pub fn take_commands(&mut self) -> Vec<Command> {
        std::mem::take(&mut self.commands)
    }

    /// Takes what happened since the last time.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Tells what came of a ticket, and when.
    pub fn complete(&mut self, ticket: Ticket, at: u64, outcome: Outcome) -> Result<(), UnknownTicket> {
        let waiting = self.tickets.remove(&ticket).ok_or(UnknownTicket(ticket))?;
        self.history.push(Completion::Told(ticket, at, outcome.clone()));
        self.now = self.now.max(at);
        self.told(waiting, outcome);
        Ok(())
    }

    /// Cancels the run at a moment. After its end that has no effect.
    pub fn cancel(&mut self, at: u64, reason: Value) {
        if self.end.is_some() {
            return;
        }
        self.history.push(Completion::Cancelled(at, reason.clone()));
        self.now = self.now.max(at);
        self.discard_wave();
        self.end = Some(End::Cancelled(reason));
    }

    /// Whether a ticket is still waited for.
    pub fn wants(&self, ticket: Ticket) -> bool {
        self.tickets.contains_key(&ticket)
    }

    /// Where among things of one instant the end of a ticket comes: its place in the wave, and whether it is a deadline (an answer
    /// at the limit is in time).
    pub fn rank(&self, ticket: Ticket) -> (usize, bool) {
        self.tickets.get(&ticket).map_or((usize::MAX, true), |waiting| (waiting.entry, waiting.is_deadline()))
    }

    /// How it ended, if it has.
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// The virtual clock, in microseconds since the run began.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// The plan.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// The committed results, in the order of the plan.
    pub fn results(&self) -> Value {
        let tasks = self.plan.tasks.iter().zip(&self.nodes);
        Value::object(tasks.filter_map(|(task, node)| Some((task.id.clone(), node.result.clone()?))))
    }

    /// The names of all instances that were dispatched to a tool or an agent, in that order.
    pub fn activity(&self) -> Vec<String> {
        self.activity.iter().map(|whose| self.name(*whose)).collect()
    }

    /// What the run returns; `None` while it runs, and when it broke off.
    pub fn output(&self) -> Option<Value> {
        let results = self.results();
        Some(match self.end.as_ref()? {
            End::Raised { .. } => return None,
            End::Completed => Value::object([("results", results)]),
            End::Failed { code, message, node, path } => Value::object([
                ("failed", Value::Bool(true)),
                ("error", Value::text(message.as_str())),
                ("error_code", Value::text(*code)),
                ("node_id", Value::text(node.as_str())),
                ("path", path.clone().map_or(Value::Null, Value::Text)),
                ("results", results),
            ]),
            End::Cancelled(reason) => Value::object([
                ("completed_count", Value::Number(self.nodes.iter().filter(|node| node.result.is_some()).count() as f64)),
                ("total_count", Value::Number(self.nodes.len() as f64)),
                ("canceled", Value::Bool(true)),
                ("reason", reason.clone()),
                ("results", results),
            ]),
        })
    }

    /// `ID` or `ID[n]`.
    pub fn name(&self, whose: Whose) -> String {
        let id = self.plan.tasks.get(whose.task).map_or("", |task| task.id.as_str());
        whose.index.map_or_else(|| id.to_owned(), |index| format!("{id}[{index}]"))
    }

    pub(super) fn note(&mut self, what: What) {
        self.events.push(Event { at: self.now, what });
    }

    pub(super) fn instance_mut(&mut self, whose: Whose) -> Option<&mut Instance> {
        self.nodes.get_mut(whose.task)?.instances.get_mut(whose.index.unwrap_or(0))
    }

    pub(super) fn ticket(&mut self, waiting: super::waves::Waiting) -> Ticket {
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 1;
        self.tickets.insert(ticket, waiting);
        ticket
    }
}

impl Results for PlanRun {
    fn result(&self, id: &str) -> Option<&Value> {
        self.nodes.get(self.plan.place(id)?)?.result.as_ref()
    }
}
