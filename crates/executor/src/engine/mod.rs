//! The execution: a state machine that starts no call and reads no clock. It asks for calls and timers, and is told what came
//! of them. Nothing lives on the stack between two calls of [`Execution::advance`].
//!
//! Its state is an arena of frames — agents' runs, visits of steps, loops — and a stack of wake-ups: what is started last
//! runs first, to its first wait, so that the children of a batch begin in index order, each with all it does at once.

mod differences;
mod flow;
mod loops;
mod refine;
mod released;
mod scope;
mod task;
mod turns;

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use loopwright_lang::{Semantics, Severity, Text, Value};

pub use self::{differences::Noted, flow::Visit, loops::Loop, turns::AgentRun};
pub(crate) use self::{
    loops::LoopDone,
    scope::{attempt_item, loop_frame, with_variables},
};
pub(crate) use self::{
    loops::Part,
    refine::Rounds,
    released::{Ended, Tally},
    turns::{ActionPart, Plan, Turn},
};
use crate::{
    compile::{CalleeKind, Compiled},
    log::{EventKind, NONE, RunLog},
    protocol::{FrameKind, RunState, State},
};

/// Something that was asked for and has not come yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub u64);

/// Which of two things at one instant comes first. The executor says so, drivers never decide it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Abort, cancel, the run's deadline.
    Abort = 0,
    /// Deadlines of task graphs: an answer must come before them.
    TaskDeadline = 1,
    /// Answers and pauses.
    Answer = 2,
    /// Deadlines of steps of flow and loop agents: an answer at the limit is in time.
    Deadline = 3,
}

/// What the execution asks its driver for.
#[derive(Clone, Debug)]
pub enum Command {
    /// Make a call; its end is told with [`Execution::complete`], in class [`Class::Answer`].
    StartCall {
        /// What to answer with.
        ticket: Ticket,
        /// The call.
        call: Box<Call>,
    },
    /// Wake me later.
    StartTimer {
        /// What to answer with.
        ticket: Ticket,
        /// In so many microseconds.
        after: u64,
        /// Its class.
        class: Class,
    },
    /// Its answer is not wanted any more.
    Cancel {
        /// Which.
        ticket: Ticket,
    },
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its callee's place in [`Compiled::callees`]; of a loop agent's own model `None`.
    pub callee: Option<usize>,
    /// What it is.
    pub kind: CalleeKind,
    /// Its name; `(agent prompt)` is a loop agent's own model.
    pub name: Text,
    /// An action's parameters, an agent's template parameters.
    pub params: Value,
    /// What a prompt or an agent gets to see.
    pub payload: Value,
    /// The message to an agent.
    pub message: Option<Text>,
    /// A context of its own for an agent.
    pub context: Option<Value>,
    /// The numbers of the loops around it, outermost first.
    pub path: Vec<u64>,
    /// The step's `ID` or name.
    pub key: Text,
    /// Which attempt, from 1.
    pub attempt: u32,
    /// Of a loop agent's model: the agent and the turn, from 0.
    pub turn: Option<(usize, u64)>,
    /// The row it belongs to.
    pub row: u32,
    /// Whether it is an agent of the document, that is run and not called; only in a [trace](Execution::trace).
    pub nested: bool,
    /// The messages to an agent, where they are more than the one.
    pub said: Option<Value>,
}

/// What came of a call or a timer.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A call succeeded with this.
    Returned(Value),
    /// A model answered with this text.
    Answered(Text),
    /// A call reported failure; it may have outputs all the same.
    Failed {
        /// Why.
        message: Text,
        /// Its outputs.
        outputs: Value,
    },
    /// An agent ended with a message to the user.
    Ended {
        /// The message.
        message: Text,
        /// Its final payload.
        payload: Value,
    },
    /// An action came to an end and said how in its own words.
    Reported {
        /// Whether it succeeded.
        ok: bool,
        /// Its message.
        message: Option<Text>,
        /// Its result code.
        code: Option<Text>,
        /// Its outputs.
        outputs: Value,
    },
    /// A call broke off.
    Threw(Text),
    /// A timer is up.
    Fired,
}

/// A ticket that was never given out, or is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownTicket(pub Ticket);

/// How far [`Execution::advance`] got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// There is more to do at once.
    Working,
    /// It waits for answers.
    Waiting,
    /// Its driver holds it.
    Paused,
    /// The run has ended.
    Finished,
}

/// What a run starts with.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// The payload; `Undefined` becomes `{}`.
    pub payload: Value,
    /// The run's data.
    pub data: Option<Value>,
    /// The run's context.
    pub context: Option<Value>,
    /// The run's messages.
    pub conversation: Option<Value>,
}

/// A frame's place in the arena.
pub(crate) type SlotId = usize;

/// What a frame gave to the one above it.
#[derive(Clone, Debug)]
pub(crate) struct Done {
    pub ok: bool,
    pub result: Value,
    pub error: Option<Text>,
    /// After a loop.
    pub round: Option<Box<loops::LoopDone>>,
    /// An agent ended with this message.
    pub message: Option<Text>,
    /// A limit of the engine stopped it.
    pub limit: bool,
    /// An action came to an end, well or not.
    pub acted: bool,
    /// The step's result, where its shape is not the common one.
    pub shape: Option<Value>,
    /// The call broke off.
    pub threw: bool,
    /// A model's text that is no JSON.
    pub unread: bool,
    /// An action's own message and result code.
    pub note: Option<Text>,
    pub code: Option<Text>,
}

impl Done {
    pub(crate) fn ok(result: Value) -> Self {
        Self {
            ok: true,
            result,
            error: None,
            round: None,
            message: None,
            limit: false,
            acted: false,
            shape: None,
            threw: false,
            unread: false,
            note: None,
            code: None,
        }
    }

    pub(crate) fn failed(error: impl Into<Text>) -> Self {
        Self { ok: false, error: Some(error.into()), ..Self::ok(Value::Undefined) }
    }

    pub(crate) fn state(&self) -> State {
        if self.ok { State::Succeeded } else { State::Failed }
    }
}

/// A live frame.
#[derive(Debug)]
pub(crate) enum Frame {
    Agent(Box<AgentRun>),
    Visit(Box<Visit>),
    Loop(Box<Loop>),
    /// It is being worked on, or free.
    Nothing,
}

#[derive(Debug)]
pub(crate) struct Slot {
    /// Who is told when it is done, and as which child.
    pub parent: Option<(SlotId, u64)>,
    pub frame: Frame,
}

/// Who waits for a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waiter {
    /// A frame, for its child of that number.
    Child(SlotId, u64),
    /// A visit, for its time limit.
    Deadline(SlotId),
    /// A loop, for the end of its pause.
    Pause(SlotId),
}

/// What a frame is woken with.
#[derive(Debug)]
pub(crate) enum Wake {
    Start(SlotId),
    Child(SlotId, u64, Done),
    Deadline(SlotId),
    Pause(SlotId),
    /// A loop is to start an iteration of its batch.
    Iteration(SlotId, u64),
}

/// What a frame waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Running {
    Nothing,
    Ticket(Ticket),
    Frame(SlotId),
}

/// One run.
#[derive(Debug)]
pub struct Execution {
    pub(crate) compiled: Arc<Compiled>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) free: Vec<SlotId>,
    pub(crate) ready: Vec<Wake>,
    /// What was told and has not been worked on, in that order.
    pub(crate) arrived: VecDeque<(Ticket, u64, Outcome)>,
    pub(crate) commands: Vec<Command>,
    pub(crate) tickets: BTreeMap<Ticket, Waiter>,
    pub(crate) next_ticket: u64,
    pub(crate) now: u64,
    pub(crate) log: RunLog,
    pub(crate) root: SlotId,
    /// Every call in order, when it is asked for: `(time, call)`.
    pub trace: Option<Vec<(u64, Call)>>,
    /// Places at which the other profile would have acted differently, when they are asked for.
    pub differences: Option<Vec<Noted>>,
    pub(crate) steps: u64,
}

impl Execution {
    /// Begins a run of an agent. Nothing happens before [`Self::advance`].
    pub fn start(compiled: Arc<Compiled>, agent: usize, input: Input) -> Self {
        let mut this = Self {
            compiled,
            slots: Vec::new(),
            free: Vec::new(),
            ready: Vec::new(),
            arrived: VecDeque::new(),
            commands: Vec::new(),
            tickets: BTreeMap::new(),
            next_ticket: 0,
            now: 0,
            log: RunLog::default(),
            root: 0,
            trace: None,
            differences: None,
            steps: 0,
        };
        let payload = if input.payload.is_undefined() { Value::object::<&str>([]) } else { input.payload };
        let run = AgentRun::new(agent, payload, input.data, input.context, input.conversation);
        this.root = this.allocate(None, Frame::Agent(Box::new(run)));
        let root = this.root;
        this.ready.push(Wake::Start(root));
        this
    }

    /// Works until it waits, has ended, or has done `budget` things.
    pub fn advance(&mut self, budget: usize) -> Progress {
        for _ in 0..budget {
            if self.log.state != RunState::Running {
                return Progress::Finished;
            }
            let Some(wake) = self.ready.pop().or_else(|| self.arrival()) else { return Progress::Waiting };
            self.steps += 1;
            self.wake(wake);
        }
        match (self.log.state, self.ready.is_empty() && self.arrived.is_empty()) {
            (RunState::Running, true) => Progress::Waiting,
            (RunState::Running, false) => Progress::Working,
            _ => Progress::Finished,
        }
    }

    /// What it asks for since the last time.
    pub fn take_commands(&mut self) -> Vec<Command> {
        std::mem::take(&mut self.commands)
    }

    /// The same into a list that is kept by the driver, so that a busy run allocates nothing.
    pub fn swap_commands(&mut self, into: &mut Vec<Command>) {
        into.clear();
        std::mem::swap(&mut self.commands, into);
    }

    /// Tells what came of a ticket at a time (in microseconds, never before the last one).
    pub fn complete(&mut self, ticket: Ticket, at: u64, outcome: Outcome) -> Result<(), UnknownTicket> {
        if !self.tickets.contains_key(&ticket) || self.arrived.iter().any(|(known, ..)| *known == ticket) {
            return Err(UnknownTicket(ticket));
        }
        self.arrived.push_back((ticket, at, outcome));
        Ok(())
    }

    /// The next thing that was told and is still wanted. It comes when everything before it is done, and moves the clock.
    fn arrival(&mut self) -> Option<Wake> {
        while let Some((ticket, at, outcome)) = self.arrived.pop_front() {
            // What came before may have cancelled it.
            let Some(waiter) = self.tickets.remove(&ticket) else { continue };
            self.now = self.now.max(at);
            return Some(match waiter {
                Waiter::Child(slot, child) => {
                    self.log.open_calls = self.log.open_calls.saturating_sub(1);
                    Wake::Child(slot, child, done_of(outcome))
                }
                Waiter::Deadline(slot) => Wake::Deadline(slot),
                Waiter::Pause(slot) => Wake::Pause(slot),
            });
        }
        None
    }

    /// Whether a ticket is still waited for.
    pub fn wants(&self, ticket: Ticket) -> bool {
        self.tickets.contains_key(&ticket)
    }

    /// Ends the run where it is.
    pub fn cancel(&mut self) {
        if self.log.state == RunState::Running {
            let root = self.root;
            self.cancel_frame(root);
            self.ready.clear();
            self.arrived.clear();
            self.log.state = RunState::Cancelled;
        }
    }

    /// The virtual clock, in microseconds.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// What happened so far.
    pub fn log(&self) -> &RunLog {
        &self.log
    }

    /// What it runs.
    pub fn compiled(&self) -> &Arc<Compiled> {
        &self.compiled
    }

    /// Limits the log to so many bytes.
    pub fn limit_log(&mut self, bytes: usize) {
        self.log.budget = Some(bytes);
    }

    pub(crate) fn semantics(&self) -> &Semantics {
        &self.compiled.semantics
    }

    fn wake(&mut self, wake: Wake) {
        let slot = match &wake {
            Wake::Start(slot) | Wake::Child(slot, ..) | Wake::Deadline(slot) | Wake::Pause(slot) | Wake::Iteration(slot, _) => *slot,
        };
        // A frame is taken out while it is worked on; what it starts refers to its slot, which stays taken.
        match self.take(slot) {
            Frame::Agent(mut agent) => {
                let over = match wake {
                    Wake::Start(_) => self.agent_start(slot, &mut agent),
                    Wake::Child(_, child, done) => self.agent_child(slot, &mut agent, child, done),
                    Wake::Deadline(_) | Wake::Pause(_) | Wake::Iteration(..) => None,
                };
                self.settle(slot, Frame::Agent(agent), over);
            }
            Frame::Visit(mut visit) => {
                let over = match wake {
                    Wake::Start(_) => self.visit_start(slot, &mut visit),
                    Wake::Child(_, _, done) => self.visit_child(slot, &mut visit, done),
                    Wake::Deadline(_) => self.visit_deadline(slot, &mut visit),
                    Wake::Pause(_) | Wake::Iteration(..) => None,
                };
                self.settle(slot, Frame::Visit(visit), over);
            }
            Frame::Loop(mut round) => {
                let over = match wake {
                    Wake::Start(_) => self.loop_start(slot, &mut round),
                    Wake::Child(_, child, done) => self.loop_child(slot, &mut round, child, done),
                    Wake::Pause(_) => self.loop_pause(slot, &mut round),
                    Wake::Iteration(_, child) => {
                        self.iteration(slot, &mut round, child);
                        None
                    }
                    Wake::Deadline(_) => None,
                };
                self.settle(slot, Frame::Loop(round), over);
            }
            Frame::Nothing => {}
        }
    }

    /// Puts a frame back, or, when it is over, tells the one above it.
    fn settle(&mut self, slot: SlotId, frame: Frame, over: Option<Done>) {
        let Some(place) = self.slots.get_mut(slot) else { return };
        let Some(done) = over else {
            place.frame = frame;
            return;
        };
        let parent = place.parent.take();
        drop(frame);
        self.free.push(slot);
        match parent {
            Some((above, child)) => self.ready.push(Wake::Child(above, child, done)),
            None => self.finish(done),
        }
    }

    /// The outermost agent is done.
    fn finish(&mut self, done: Done) {
        self.log.final_payload = done.result;
        self.log.state = match (done.ok, done.limit, &done.message) {
            (true, _, None) => RunState::Completed,
            (true, _, Some(_)) => RunState::Message,
            (false, true, _) => RunState::Limit,
            (false, false, _) => RunState::Failed,
        };
        if let Some(message) = done.message {
            self.log.final_message = Some(message);
        }
        self.log.error = done.error;
        self.ready.clear();
    }

    pub(crate) fn allocate(&mut self, parent: Option<(SlotId, u64)>, frame: Frame) -> SlotId {
        if let Some(slot) = self.free.pop()
            && let Some(place) = self.slots.get_mut(slot)
        {
            *place = Slot { parent, frame };
            return slot;
        }
        self.slots.push(Slot { parent, frame });
        self.slots.len() - 1
    }

    pub(crate) fn take(&mut self, slot: SlotId) -> Frame {
        self.slots.get_mut(slot).map_or(Frame::Nothing, |place| std::mem::replace(&mut place.frame, Frame::Nothing))
    }

    pub(crate) fn ticket(&mut self, waiter: Waiter) -> Ticket {
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 1;
        self.tickets.insert(ticket, waiter);
        ticket
    }

    pub(crate) fn timer(&mut self, waiter: Waiter, after: u64, class: Class) -> Ticket {
        let ticket = self.ticket(waiter);
        self.commands.push(Command::StartTimer { ticket, after, class });
        ticket
    }

    /// Gives a ticket back.
    pub(crate) fn give_back(&mut self, ticket: Ticket) {
        if let Some(waiter) = self.tickets.remove(&ticket) {
            if matches!(waiter, Waiter::Child(..)) {
                self.log.open_calls = self.log.open_calls.saturating_sub(1);
            }
            self.commands.push(Command::Cancel { ticket });
        }
    }

    pub(crate) fn stop(&mut self, running: Running) {
        match running {
            Running::Nothing => {}
            Running::Ticket(ticket) => self.give_back(ticket),
            Running::Frame(slot) => self.cancel_frame(slot),
        }
    }

    /// Ends a frame and everything under it from outside.
    pub(crate) fn cancel_frame(&mut self, slot: SlotId) {
        // By a list of our own: a chain of agents may be deep.
        let mut waiting = vec![slot];
        let mut row_ends: Vec<(u32, EventKind, State)> = Vec::new();
        while let Some(slot) = waiting.pop() {
            let under = |running: &Running, this: &mut Self, waiting: &mut Vec<SlotId>| match running {
                Running::Ticket(ticket) => this.give_back(*ticket),
                Running::Frame(slot) => waiting.push(*slot),
                Running::Nothing => {}
            };
            match self.take(slot) {
                Frame::Agent(agent) => {
                    for (running, row) in agent.running() {
                        under(&running, self, &mut waiting);
                        if row != NONE {
                            row_ends.push((row, EventKind::CallEnd, State::Cancelled));
                        }
                    }
                    if agent.turn_row != NONE {
                        row_ends.push((agent.turn_row, EventKind::TurnEnd, State::Cancelled));
                    }
                    row_ends.push((agent.row, EventKind::AgentEnd, State::Cancelled));
                    if slot == self.root {
                        self.log.final_payload = agent.payload.clone();
                    }
                }
                Frame::Visit(visit) => {
                    under(&visit.running, self, &mut waiting);
                    if let Some(ticket) = visit.deadline {
                        self.give_back(ticket);
                    }
                    if visit.attempt_row != visit.row {
                        row_ends.push((visit.attempt_row, EventKind::AttemptEnd, State::Cancelled));
                    }
                    row_ends.push((visit.row, EventKind::StepEnd, State::Cancelled));
                }
                Frame::Loop(round) => {
                    if let Some(ticket) = round.pause {
                        self.give_back(ticket);
                    }
                    for part in &round.parts {
                        under(&part.running, self, &mut waiting);
                        if part.done.is_none() {
                            row_ends.push((part.row, EventKind::IterationEnd, State::Cancelled));
                        }
                    }
                    // A loop that was cut by its own limit has failed already.
                    let state = match self.log.loop_mut(round.row) {
                        Some(detail) if detail.exit.is_some() => State::Failed,
                        Some(detail) => {
                            detail.exit = Some("cancelled");
                            State::Cancelled
                        }
                        None => State::Cancelled,
                    };
                    row_ends.push((round.row, EventKind::LoopEnd, state));
                }
                Frame::Nothing => continue,
            }
            self.free.push(slot);
        }
        let now = self.now;
        // The innermost ends first.
        for (row, kind, state) in row_ends.into_iter().rev() {
            self.log.end(now, row, kind, state, Value::Undefined, None);
        }
    }

    pub(crate) fn notice(&mut self, row: u32, code: &str, severity: Severity, message: &str) {
        let now = self.now;
        self.log.notice(now, row, code, severity, message);
    }

    pub(crate) fn problems(&mut self, row: u32, problems: &[loopwright_lang::Problem]) {
        for problem in problems {
            self.notice(row, &problem.code, problem.severity, &problem.message);
        }
    }

    pub(crate) fn begin(&mut self, kind: FrameKind, event: EventKind, parent: u32, step: u32, index: u32, given: Value) -> u32 {
        let now = self.now;
        self.log.begin(now, kind, event, parent, step, index, given)
    }

    pub(crate) fn event(&mut self, kind: EventKind, row: u32, arg: u32) -> u32 {
        let now = self.now;
        self.log.event(now, kind, row, arg)
    }
}

fn done_of(outcome: Outcome) -> Done {
    match outcome {
        Outcome::Returned(value) => Done::ok(value),
        // Text that is not JSON is the answer itself.
        Outcome::Answered(text) => match loopwright_lang::json::parse(&text).value() {
            Some(value) => Done::ok(value),
            None => Done { unread: true, ..Done::ok(Value::Text(text)) },
        },
        Outcome::Reported { ok, message, code, outputs } => {
            let error = (!ok).then(|| message.clone().unwrap_or_else(|| "failed".into()));
            Done { ok, error, note: message, code, ..Done::ok(outputs) }
        }
        Outcome::Failed { message, outputs } => Done { result: outputs, ..Done::failed(message) },
        Outcome::Ended { message, payload } => Done { message: Some(message), ..Done::ok(payload) },
        Outcome::Threw(message) => Done { threw: true, ..Done::failed(message) },
        Outcome::Fired => Done::ok(Value::Undefined),
    }
}
