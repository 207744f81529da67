//! What happens in a run, for whoever keeps a log of it.

use loopwright_lang::{Text, Value};

/// A task, or one instance of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Whose {
    /// The task's place in the plan.
    pub task: usize,
    /// Of a task with `for_each`: the place of the element.
    pub index: Option<usize>,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When, in microseconds since the run began.
    pub at: u64,
    /// What.
    pub what: What,
}

/// What can happen.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A condition was compared: what the reference was, and whether it holds.
    Condition(Whose, Value, bool),
    /// A task or an instance is skipped.
    Skipped(Whose),
    /// A task was expanded to so many elements.
    Expanded(usize, Vec<Value>),
    /// An expansion's envelopes were put together.
    Aggregated(usize, Value),
    /// A wave begins, with these, in the order in which they are dispatched.
    WaveStart(Vec<Whose>),
    /// An instance is dispatched, with its resolved args or task text.
    Started(Whose, Value),
    /// An attempt begins; the first is 1.
    AttemptStart(Whose, u32),
    /// An attempt ended.
    AttemptEnd(Whose, u32, Result<Value, super::Failure>),
    /// An instance ended: with a result (of a failure that was continued too), or with a message.
    Ended(Whose, Result<Value, Text>),
    /// A wave has ended; the one that ended last.
    WaveEnd(Option<Whose>),
    /// A wave was broken off.
    WaveBroken,
    /// The run fails because of a task: its place, the name of the instance, and why.
    Failed(usize, Option<usize>, Text),
}
