//! The run log: what happened, in order. Everything that a screen shows is read off it; it only grows.
//!
//! Two tables. *Rows*: one for each part of a run (an agent's run, a step's visit, an attempt, a loop, an iteration, a call, a
//! turn), numbered in the order they began, filled in when they end. *Events*: columns of time, kind, row and an argument.
//! Payloads are kept where steps and agents write them; what an iteration wrote is applied again when it is asked for, from a
//! payload kept every [`ROOT_EVERY`] iterations.

pub mod pack;

use std::{collections::BTreeMap, sync::Arc};

use loopwright_lang::{LoopFrame, Severity, Text, Value};

use crate::{
    compile::LoopSpec,
    protocol::{FrameKind, RunState, State},
};

/// No row: what it would be about is past the log's budget, or there is none.
pub const NONE: u32 = u32::MAX;
/// A payload is kept each time so many iterations have written to it.
pub const ROOT_EVERY: u32 = 64;
/// Bytes the log may take before it counts iterations instead of keeping them.
pub const BUDGET: usize = 384 << 20;
/// Most notices that are kept apart; later ones are only counted.
pub const NOTICES: usize = 1_000;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum EventKind {
    /// An agent's run began.
    AgentStart,
    /// An agent's run ended.
    AgentEnd,
    /// A step was come to; the argument is 1 + the place of the path that led here, or 0.
    StepStart,
    /// A step is done.
    StepEnd,
    /// An attempt of a step began.
    AttemptStart,
    /// An attempt of a step ended.
    AttemptEnd,
    /// A loop began.
    LoopStart,
    /// A loop ended.
    LoopEnd,
    /// A batch of a parallel loop began; the argument is its number.
    BatchStart,
    /// A batch of a parallel loop ended; the argument is its number.
    BatchEnd,
    /// An iteration began.
    IterationStart,
    /// An iteration ended.
    IterationEnd,
    /// The result of an iteration of a parallel loop was written.
    Applied,
    /// A call began.
    CallStart,
    /// A call ended.
    CallEnd,
    /// A pause began.
    DelayStart,
    /// A pause ended.
    DelayEnd,
    /// A condition was evaluated. The argument: four times the place of the path (or of nothing, for a loop) plus 0 false, 1
    /// true, 2 not evaluable.
    Condition,
    /// A path was followed; the argument is its place among the step's paths.
    PathTaken,
    /// An agent's payload was written.
    Payload,
    /// A turn of a loop agent began.
    TurnStart,
    /// A turn of a loop agent ended.
    TurnEnd,
    /// Something came up; the argument is the notice's number.
    Notice,
}

impl EventKind {
    /// All kinds in the order of their numbers.
    pub const ALL: [Self; 23] = [
        Self::AgentStart,
        Self::AgentEnd,
        Self::StepStart,
        Self::StepEnd,
        Self::AttemptStart,
        Self::AttemptEnd,
        Self::LoopStart,
        Self::LoopEnd,
        Self::BatchStart,
        Self::BatchEnd,
        Self::IterationStart,
        Self::IterationEnd,
        Self::Applied,
        Self::CallStart,
        Self::CallEnd,
        Self::DelayStart,
        Self::DelayEnd,
        Self::Condition,
        Self::PathTaken,
        Self::Payload,
        Self::TurnStart,
        Self::TurnEnd,
        Self::Notice,
    ];

    /// Its name in the JSON view.
    pub fn name(self) -> &'static str {
        match self {
            Self::AgentStart => "agent.start",
            Self::AgentEnd => "agent.end",
            Self::StepStart => "step.start",
            Self::StepEnd => "step.end",
            Self::AttemptStart => "attempt.start",
            Self::AttemptEnd => "attempt.end",
            Self::LoopStart => "loop.start",
            Self::LoopEnd => "loop.end",
            Self::BatchStart => "batch.start",
            Self::BatchEnd => "batch.end",
            Self::IterationStart => "iteration.start",
            Self::IterationEnd => "iteration.end",
            Self::Applied => "iteration.applied",
            Self::CallStart => "call.start",
            Self::CallEnd => "call.end",
            Self::DelayStart => "delay.start",
            Self::DelayEnd => "delay.end",
            Self::Condition => "condition",
            Self::PathTaken => "path",
            Self::Payload => "payload",
            Self::TurnStart => "turn.start",
            Self::TurnEnd => "turn.end",
            Self::Notice => "notice",
        }
    }
}

/// One part of a run.
#[derive(Clone, Debug)]
pub struct Row {
    /// What it is.
    pub kind: FrameKind,
    /// How it stands.
    pub state: State,
    /// What it belongs to, or [`NONE`].
    pub parent: u32,
    /// The number of its step, or [`NONE`].
    pub step: u32,
    /// Of an iteration, a turn or a call: its number (from 0); of an attempt too; of a visit: which one of this step.
    pub index: u32,
    /// Its number in the table of its kind, or [`NONE`].
    pub detail: u32,
    /// When it began.
    pub start: u64,
    /// When it ended.
    pub end: u64,
    /// Its first and its last event.
    pub events: (u32, u32),
    /// What it was given: an iteration's item, a call's parameters, an agent's payload.
    pub given: Value,
    /// What it gave.
    pub result: Value,
    /// Why it failed.
    pub error: Option<Text>,
    /// Its child that began last, or [`NONE`].
    pub last_child: u32,
    /// The child of the same parent that began before it, or [`NONE`].
    pub before: u32,
}

/// What an agent's run is more.
#[derive(Clone, Debug)]
pub struct AgentDetail {
    /// The agent.
    pub agent: u32,
    /// The loops around it, innermost first.
    pub loops: Vec<LoopFrame>,
    /// Its data.
    pub data: Option<Value>,
    /// Its context.
    pub context: Option<Value>,
    /// Its messages at the beginning.
    pub conversation: Option<Value>,
    /// What was written to its payload, in order.
    pub writes: Vec<Write>,
    /// Its visits or turns.
    pub parts: Vec<u32>,
    /// Messages that were added: after which event, and the list from then on.
    pub messages: Vec<(u32, Value)>,
}

/// What a loop is more.
#[derive(Clone, Debug)]
pub struct LoopDetail {
    /// How it goes round.
    pub spec: Arc<LoopSpec>,
    /// How many items there are, of a ForEach; those past the limit do not count.
    pub of: Option<u64>,
    /// Its iterations, in index order.
    pub iterations: Vec<u32>,
    /// How many began.
    pub started: u64,
    /// How many ended well.
    pub succeeded: u64,
    /// How many failed.
    pub failed: u64,
    /// Why it ended.
    pub exit: Option<&'static str>,
}

/// A write to an agent's payload.
#[derive(Clone, Debug)]
pub struct Write {
    /// The event it belongs to.
    pub event: u32,
    /// The row that wrote.
    pub by: u32,
    /// What it left.
    pub what: Written,
}

/// What a write left.
#[derive(Clone, Debug)]
pub enum Written {
    /// This payload.
    Root(Value),
    /// The payload before it with an iteration's result applied; so many had succeeded before.
    Iteration {
        /// Successful iterations before it.
        collected: u32,
    },
}

/// Something that came up.
#[derive(Clone, Debug, PartialEq)]
pub struct NoticeRow {
    /// A stable code.
    pub code: Text,
    /// How bad it is.
    pub severity: Severity,
    /// A sentence.
    pub message: Text,
    /// The row, or [`NONE`].
    pub row: u32,
    /// When.
    pub at: u64,
    /// How often it was said of the same step.
    pub count: u64,
}

/// The log of one run.
#[derive(Clone, Debug, Default)]
pub struct RunLog {
    /// Times of the events.
    pub times: Vec<u64>,
    /// Kinds of the events.
    pub kinds: Vec<EventKind>,
    /// Rows of the events.
    pub event_rows: Vec<u32>,
    /// Arguments of the events.
    pub args: Vec<u32>,
    /// The rows.
    pub rows: Vec<Row>,
    /// More about agents' runs.
    pub agents: Vec<AgentDetail>,
    /// More about loops.
    pub loops: Vec<LoopDetail>,
    /// What came up.
    pub notices: Vec<NoticeRow>,
    /// The visits of each step, by its number.
    pub visits: BTreeMap<u32, Vec<u32>>,
    /// The events at which each path was followed, by the step's number and the path's place.
    pub taken: BTreeMap<(u32, u32), Vec<u32>>,
    /// Iterations that began, also those past the budget.
    pub iterations: u64,
    /// Calls that began.
    pub calls: u64,
    /// Calls under way.
    pub open_calls: u32,
    /// Most calls under way at the same time.
    pub most_calls: u32,
    /// Iterations and visits that failed.
    pub failures: u64,
    /// Whether iterations are only counted by now.
    pub summarised: bool,
    /// How the run stands.
    pub state: RunState,
    /// Why it failed.
    pub error: Option<Text>,
    /// The number of the step that made it fail, or `None`.
    pub error_step: Option<u32>,
    /// `$message`, or the message that ended it.
    pub final_message: Option<Text>,
    /// `$reasoning`.
    pub final_reasoning: Option<Text>,
    /// `$confidence`.
    pub final_confidence: Option<f64>,
    /// The payload at the end.
    pub final_payload: Value,
    /// Bytes it takes, roughly.
    pub(crate) bytes: usize,
    /// Bytes it may take.
    pub budget: Option<usize>,
}

impl RunLog {
    /// How many events there are.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether nothing has happened.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Notes an event; gives its number. Of a row past the budget nothing is noted.
    pub fn event(&mut self, at: u64, kind: EventKind, row: u32, arg: u32) -> u32 {
        let number = u32::try_from(self.times.len()).unwrap_or(u32::MAX - 1);
        if row == NONE {
            return number.saturating_sub(1);
        }
        self.times.push(at);
        self.kinds.push(kind);
        self.event_rows.push(row);
        self.args.push(arg);
        if kind == EventKind::PathTaken {
            let step = self.row(row).map_or(NONE, |row| row.step);
            self.taken.entry((step, arg)).or_default().push(number);
        }
        self.bytes += 17;
        number
    }

    /// Begins the log with the row of the run itself, its payload empty: what plans and task graphs start from.
    pub(crate) fn begin_run(&mut self, agent: u32) -> u32 {
        let row = self.begin(0, FrameKind::Agent, EventKind::AgentStart, NONE, NONE, 0, Value::object::<&str>([]));
        let detail = AgentDetail {
            agent,
            loops: Vec::new(),
            data: None,
            context: None,
            conversation: None,
            writes: Vec::new(),
            parts: Vec::new(),
            messages: Vec::new(),
        };
        self.detail_agent(row, detail);
        let event = self.event(0, EventKind::Payload, row, 0);
        self.wrote(row, event, row, Written::Root(Value::object::<&str>([])));
        row
    }

    /// Begins a row and notes the event that goes with it. [`NONE`] when it is past the budget.
    #[allow(clippy::too_many_arguments)]
    pub fn begin(&mut self, at: u64, kind: FrameKind, event: EventKind, parent: u32, step: u32, index: u32, given: Value) -> u32 {
        let lost = parent == NONE && !self.rows.is_empty();
        if kind == FrameKind::Iteration {
            self.iterations += 1;
            if !self.summarised && self.bytes > self.budget.unwrap_or(BUDGET) {
                self.summarised = true;
                self.notice(at, parent, "N04", Severity::Warning, "The log is full: later iterations are counted, not kept.");
            }
        }
        if lost || (kind == FrameKind::Iteration && self.summarised) {
            return NONE;
        }
        let number = u32::try_from(self.rows.len()).unwrap_or(NONE);
        let first = u32::try_from(self.times.len()).unwrap_or(u32::MAX);
        self.rows.push(Row {
            kind,
            state: State::Running,
            parent,
            step,
            index,
            detail: NONE,
            start: at,
            end: at,
            events: (first, first),
            given,
            result: Value::Undefined,
            error: None,
            last_child: NONE,
            before: NONE,
        });
        if let Some(above) = self.rows.get_mut(parent as usize) {
            let before = std::mem::replace(&mut above.last_child, number);
            if let Some(row) = self.rows.get_mut(number as usize) {
                row.before = before;
            }
        }
        if kind == FrameKind::Step {
            self.visits.entry(step).or_default().push(number);
        }
        self.bytes += size_of::<Row>();
        self.event(at, event, number, index);
        number
    }

    /// Ends a row and notes the event that goes with it; gives the event's number.
    pub fn end(&mut self, at: u64, row: u32, event: EventKind, state: State, result: Value, error: Option<Text>) -> u32 {
        let number = self.event(at, event, row, 0);
        if let Some(row) = self.rows.get_mut(row as usize) {
            row.state = state;
            row.end = at;
            row.events.1 = number;
            row.result = result;
            row.error = error;
            if state == State::Failed && matches!(row.kind, FrameKind::Iteration | FrameKind::Step | FrameKind::Turn) {
                self.failures += 1;
            }
        }
        number
    }

    /// A row, if it was kept.
    pub fn row(&self, row: u32) -> Option<&Row> {
        self.rows.get(row as usize)
    }

    /// More about an agent's run.
    pub fn agent(&self, row: u32) -> Option<&AgentDetail> {
        let row = self.row(row).filter(|row| row.kind == FrameKind::Agent)?;
        self.agents.get(row.detail as usize)
    }

    /// More about an agent's run, to add to it.
    pub fn agent_mut(&mut self, row: u32) -> Option<&mut AgentDetail> {
        let detail = self.row(row).filter(|row| row.kind == FrameKind::Agent)?.detail;
        self.agents.get_mut(detail as usize)
    }

    /// More about a loop.
    pub fn loop_(&self, row: u32) -> Option<&LoopDetail> {
        let row = self.row(row).filter(|row| row.kind == FrameKind::Loop)?;
        self.loops.get(row.detail as usize)
    }

    /// More about a loop, to add to it.
    pub fn loop_mut(&mut self, row: u32) -> Option<&mut LoopDetail> {
        let detail = self.row(row).filter(|row| row.kind == FrameKind::Loop)?.detail;
        self.loops.get_mut(detail as usize)
    }

    /// Gives an agent's row its details.
    pub fn detail_agent(&mut self, row: u32, detail: AgentDetail) {
        let number = u32::try_from(self.agents.len()).unwrap_or(NONE);
        if let Some(row) = self.rows.get_mut(row as usize) {
            row.detail = number;
            self.agents.push(detail);
            self.bytes += size_of::<AgentDetail>();
        }
    }

    /// Gives a loop's row its details.
    pub fn detail_loop(&mut self, row: u32, detail: LoopDetail) {
        let number = u32::try_from(self.loops.len()).unwrap_or(NONE);
        if let Some(row) = self.rows.get_mut(row as usize) {
            row.detail = number;
            self.loops.push(detail);
            self.bytes += size_of::<LoopDetail>();
        }
    }

    /// Notes what an agent's payload is from now on.
    pub fn wrote(&mut self, agent: u32, event: u32, by: u32, what: Written) {
        if let Some(detail) = self.agent_mut(agent) {
            detail.writes.push(Write { event, by, what });
            self.bytes += size_of::<Write>();
        }
    }

    /// Notes something that came up. The same of the same step is counted.
    pub fn notice(&mut self, at: u64, row: u32, code: &str, severity: Severity, message: &str) {
        let step_of = |this: &Self, row: u32| this.row(row).map_or(NONE, |row| row.step);
        let step = step_of(self, row);
        let same = |this: &Self, known: &NoticeRow| {
            known.code.as_str() == code && known.message.as_str() == message && step_of(this, known.row) == step
        };
        if let Some(place) = self.notices.iter().rev().take(64).position(|known| same(self, known)) {
            let place = self.notices.len() - 1 - place;
            if let Some(known) = self.notices.get_mut(place) {
                known.count += 1;
                return;
            }
        }
        if self.notices.len() >= NOTICES {
            return;
        }
        let number = u32::try_from(self.notices.len()).unwrap_or(NONE);
        self.notices.push(NoticeRow { code: code.into(), severity, message: message.into(), row, at, count: 1 });
        self.event(at, EventKind::Notice, row, number);
    }

    /// The last event that had happened at a time; `None` before the first.
    pub fn event_at(&self, at: u64) -> Option<u32> {
        let after = self.times.partition_point(|time| *time <= at);
        u32::try_from(after).ok()?.checked_sub(1)
    }

    /// The agent's run that a row belongs to (itself, if it is one).
    pub fn agent_of(&self, row: u32) -> u32 {
        let mut at = row;
        while let Some(found) = self.row(at) {
            if found.kind == FrameKind::Agent {
                return at;
            }
            at = found.parent;
        }
        NONE
    }

    /// The numbers of all loops around a row and its own, outermost first.
    pub fn iteration_path(&self, row: u32) -> Vec<u64> {
        let mut path = Vec::new();
        let mut at = row;
        while let Some(found) = self.row(at) {
            if found.kind == FrameKind::Iteration {
                path.push(u64::from(found.index));
            }
            at = found.parent;
        }
        path.reverse();
        path
    }

    /// The rows right under a row, in the order they began.
    pub fn children(&self, row: u32) -> Vec<u32> {
        let mut children = Vec::new();
        let mut at = self.row(row).map_or(NONE, |row| row.last_child);
        while let Some(child) = self.row(at) {
            children.push(at);
            at = child.before;
        }
        children.reverse();
        children
    }

    /// The loop or the agent's run right under a visit (its last attempt), an iteration or a turn.
    pub fn inner(&self, row: u32) -> Option<u32> {
        let last = self.row(row)?.last_child;
        let child = self.row(last)?;
        match child.kind {
            FrameKind::Attempt => self.inner(last),
            FrameKind::Loop | FrameKind::Agent => Some(last),
            _ => None,
        }
    }

    /// The visit that a row belongs to: itself, or that of its attempt.
    pub fn visit_of(&self, row: u32) -> u32 {
        match self.row(row) {
            Some(found) if found.kind == FrameKind::Attempt => found.parent,
            _ => row,
        }
    }

    /// How a row stood at a time.
    pub fn state_at(&self, row: &Row, at: u64) -> State {
        if row.start > at {
            State::Pending
        } else if row.state != State::Running && row.end <= at {
            row.state
        } else {
            State::Running
        }
    }

    /// Bytes the log takes, roughly.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}
