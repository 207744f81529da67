//! What happens in a run of a task graph, as it is told.

use loopwright_lang::Text;

use super::{Phase, RunStatus, Status};

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When, in microseconds of virtual time.
    pub at: u64,
    /// What.
    pub kind: EventKind,
}

/// What a lookup in the cache, or storing there, came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// The value was there.
    Hit,
    /// It was not, was too old, or is to be made anew.
    Miss,
    /// It was stored.
    Stored,
    /// The store or the entry cannot be read or written.
    Failed,
}

impl Lookup {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hit => "hit",
            Self::Miss => "miss",
            Self::Stored => "stored",
            Self::Failed => "failed",
        }
    }
}

/// The kinds of events. Tasks are named by their place in the list.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// A start, also of a resumed run.
    Start,
    /// The start is that of a resumed run.
    Resume,
    /// A task has another status.
    Task(usize, Status),
    /// An attempt of a task begins.
    Attempt(usize, u64),
    /// An attempt failed and another follows after so many milliseconds.
    Retry(usize, u64, u64),
    /// A call told what it used.
    Usage(usize, u64),
    /// A round of a loop is in a phase.
    Loop(usize, u64, Phase),
    /// What the cache did.
    Cache(usize, Lookup),
    /// A gate is open.
    Gate(usize),
    /// A person decided.
    Decision(usize, Status),
    /// A budget is spent.
    BudgetExceeded,
    /// The run ended, or rests at a gate.
    Finish(RunStatus, Option<Text>),
}

impl EventKind {
    /// Its word in the source system.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Resume => "resume",
            Self::Task(..) => "task",
            Self::Attempt(..) => "attempt",
            Self::Retry(..) => "retry",
            Self::Usage(..) => "usage",
            Self::Loop(..) => "loop",
            Self::Cache(..) => "cache",
            Self::Gate(..) => "gate",
            Self::Decision(..) => "decision",
            Self::BudgetExceeded => "budget-exceeded",
            Self::Finish(..) => "finish",
        }
    }

    /// The task it is about.
    pub fn task(&self) -> Option<usize> {
        match self {
            Self::Task(task, _)
            | Self::Attempt(task, _)
            | Self::Retry(task, ..)
            | Self::Usage(task, _)
            | Self::Loop(task, ..)
            | Self::Cache(task, _)
            | Self::Gate(task)
            | Self::Decision(task, _) => Some(*task),
            Self::Start | Self::Resume | Self::BudgetExceeded | Self::Finish(..) => None,
        }
    }

    /// Whether the run is saved with it. (Attempts of loops are saved with the `loop` event after them.)
    pub fn saves(&self, is_loop: impl Fn(usize) -> bool) -> bool {
        match self {
            Self::Start | Self::Task(..) | Self::Loop(..) | Self::Gate(_) | Self::Decision(..) => true,
            Self::Attempt(task, _) => !is_loop(*task),
            _ => false,
        }
    }
}

/// Where a run is to be interrupted, as if its process crashed right after an event.
#[derive(Clone, Debug, PartialEq)]
pub enum StopAt {
    /// The event of this number, from 0.
    Number(usize),
    /// A round of a task is in a phase.
    Round(usize, u64, Phase),
    /// An event of this name of a task; of `attempt` of this number, of `task` of this status.
    Named {
        /// The task's place.
        task: usize,
        /// The event's word.
        event: Text,
        /// Which attempt.
        attempt: Option<u64>,
        /// Which status.
        status: Option<Text>,
    },
}

impl StopAt {
    /// Whether it is this event, which is the run's event of that number.
    pub fn is(&self, number: usize, kind: &EventKind) -> bool {
        match self {
            Self::Number(wanted) => *wanted == number,
            Self::Round(task, round, phase) => *kind == EventKind::Loop(*task, *round, *phase),
            Self::Named { task, event, attempt, status } => {
                let of_attempt = match kind {
                    EventKind::Attempt(_, number) | EventKind::Retry(_, number, _) | EventKind::Usage(_, number) => Some(*number),
                    _ => None,
                };
                let of_status = match kind {
                    EventKind::Task(_, status) | EventKind::Decision(_, status) => Some(status.name()),
                    EventKind::Gate(_) => Some("paused"),
                    EventKind::Cache(_, lookup) => Some(lookup.name()),
                    _ => None,
                };
                kind.name() == event.as_str()
                    && kind.task() == Some(*task)
                    && (attempt.is_none() || *attempt == of_attempt)
                    && status.as_ref().is_none_or(|status| of_status == Some(status.as_str()))
            }
        }
    }
}
