//! Plans: a graph of tool, sub_agent and wait tasks with `depends_on`, `for_each` and a typed `when`.
//!
//! A plan's JSON is read and checked in one go: [`check`] applies the rules in the order of the source system's own
//! validator, but goes on after the first problem. The problem that the source system would report comes first.

mod duration;
mod graph;
mod lints;
mod number;
mod read;
mod reference;
mod resolve;
mod rules;
mod schedule;
mod shape;

#[cfg(test)]
mod tests;

use loopwright_lang::{Severity, Span, Text, Value};

pub use crate::tasklist::{CANVAS_FIELDS, task_fields};
pub use duration::{EPOCH_2024, format_moment, parse_duration, parse_until};
pub use graph::{check_graph, connectors, graph_fields, known, plan_value, start_of};
pub use lints::lint;
pub use number::{embedded, same_scalar};
pub use read::{Checked, Known, check};
pub use reference::{Reference, Token, full, read_reference, tokens, upstream};
pub use resolve::{Bound, Results, Unresolved, collection, follow, resolve, resolve_reference};
pub use schedule::delay_after;

/// Most tasks a plan may have, and most nodes a run may materialise.
pub const MAX_NODES: usize = 50;
/// Most tasks that run in one wave.
pub const MAX_PARALLEL: usize = 10;
/// Longest wait, in microseconds: 24 hours.
pub const MAX_WAIT: u64 = 24 * 3_600 * 1_000_000;
/// The most that the attempts and the delays of one task may come to, in milliseconds: one hour.
pub const MAX_SCHEDULE_MS: u64 = 3_600_000;

/// Code: a task has an id that only for_each may use.
pub const ID_RESERVED: &str = "workflow_task_id_reserved";
/// Code: too many nodes.
pub const NODE_LIMIT: &str = "workflow_node_limit_exceeded";
/// Code: a condition that is none.
pub const CONDITION_INVALID: &str = "workflow_condition_invalid";
/// Code: a reference that leads nowhere, is malformed, or stands where none may.
pub const REFERENCE_UNRESOLVED: &str = "workflow_reference_unresolved";
/// Code: a retry policy that is none.
pub const RETRY_INVALID: &str = "workflow_retry_policy_invalid";
/// Code: an execution policy that is none.
pub const EXECUTION_INVALID: &str = "workflow_execution_policy_invalid";
/// Code: attempts and delays that may take longer than an hour.
pub const SCHEDULE_EXCEEDED: &str = "workflow_retry_schedule_exceeded";
/// Code of a run: what for_each leads to is no array.
pub const NOT_AN_ARRAY: &str = "workflow_iteration_not_array";

/// A plan that can run.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Its tasks in file order; at least one, at most [`MAX_NODES`].
    pub tasks: Vec<Task>,
}

impl Plan {
    /// Whether a task has a `when` or a `for_each`: such a plan is scheduled by other rules.
    pub fn is_dynamic(&self) -> bool {
        self.tasks.iter().any(|task| task.when.is_some() || task.for_each.is_some())
    }

    /// The place of the task of that id.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.tasks.iter().position(|task| task.id.as_str() == id)
    }
}

/// A task of a [`Plan`].
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Its id.
    pub id: Text,
    /// What it does.
    pub work: Work,
    /// The places of the tasks it waits for.
    pub depends_on: Vec<usize>,
    /// When it is not skipped.
    pub when: Option<When>,
    /// The reference to the array whose elements it is done for.
    pub for_each: Option<Text>,
    /// How it is attempted. `None`: once, and a failure ends the run.
    pub execution: Option<Execution>,
}

/// What a task does.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// Calls a tool.
    Tool {
        /// Its name.
        name: Text,
        /// Its arguments, an object with references in its texts.
        args: Value,
    },
    /// Asks a sub-agent.
    Agent {
        /// Its name.
        name: Text,
        /// What is asked, with references.
        task: Text,
    },
    /// Waits.
    Wait(Wait),
}

/// How long a wait task waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// So many microseconds.
    For(u64),
    /// Until a moment, in microseconds since 1970 in UTC.
    Until(i64),
}

/// The condition of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct When {
    /// One full reference.
    pub reference: Text,
    /// `not_equals`.
    pub negated: bool,
    /// What it is compared with: null, a boolean, a finite number or a text.
    pub value: Value,
}

/// How a task is attempted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Execution {
    /// How long one attempt may take, in microseconds.
    pub timeout: Option<u64>,
    /// Most attempts, from 1.
    pub attempts: u32,
    /// Pauses between attempts; there if there may be more than one.
    pub backoff: Option<Backoff>,
    /// Whether a failure becomes the task's result.
    pub continues: bool,
}

/// Pauses between attempts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backoff {
    /// The first, in milliseconds.
    pub initial_ms: u64,
    /// What each is longer than the one before.
    pub multiplier: f64,
    /// The longest, in milliseconds.
    pub max_ms: u64,
}

/// What is wrong with a plan, or likely to go wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanProblem {
    /// The source system's code (`workflow_…`); where it has none, one of ours (`plan_…`).
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The id of the task as the source system would name it.
    pub node: Option<Text>,
    /// The place inside the task as the source system would name it, e.g. `args.a[0].b`, `when.ref`.
    pub path: Option<String>,
    /// The place of the task in the list.
    pub task: Option<usize>,
    /// Where in the plan's text.
    pub span: Span,
    /// What was found and what was expected.
    pub message: String,
    /// What would mend it.
    pub fix: Option<PlanFix>,
}

impl PlanProblem {
    /// The source system's code, if it has one for this.
    pub fn source_code(&self) -> Option<&'static str> {
        self.code.starts_with("workflow_").then_some(self.code)
    }
}

/// What would mend a [`PlanProblem`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanFix {
    /// Add this id to the task's `depends_on`.
    DependOn(Text),
}
