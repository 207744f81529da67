//! Task graphs: tasks that run when what they are `after` is done, and loop tasks that attempt, check and try again with feedback
//! (loop-tasks.md). Read from their file form; what is wrong with one is told all at once.

mod check;
mod cycle;
mod graph;
mod identity;
mod read;
mod typescript;

pub use crate::tasklist::{CANVAS_FIELDS, task_fields};
pub use check::{check, roots};
pub use graph::{check_graph, connectors, graph_fields, options_value, tasks_value};
pub use identity::{Identity, changes};
pub use read::{parse, read, read_options};
pub use typescript::typescript;

use loopwright_lang::{Severity, Text, Value};

/// The longest time a timer of the source system takes, in milliseconds.
pub const TIMER_MS: u64 = 2_147_483_647;
/// More rounds than this get a warning, and are not simulated.
pub const ROUNDS: u64 = 1_000_000;

/// A task graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskGraph {
    /// Its name; part of what a saved run is compared with.
    pub name: Text,
    /// Its version, `1` where the file has none.
    pub version: Text,
    /// The tasks in the order of the list, which is the order in which they are started.
    pub tasks: Vec<Task>,
}

/// One task.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// What others call it.
    pub key: Text,
    /// The places of the tasks it waits for, in the order of `after`, none twice.
    pub after: Vec<usize>,
    /// An expression over `value`; where it does not hold the task is skipped.
    pub condition: Option<Text>,
    /// Milliseconds an attempt may take, or a round of a loop.
    pub timeout_ms: Option<u64>,
    /// How often an ordinary task is attempted.
    pub retry: Retry,
    /// Whether and where its value is kept.
    pub cache: Option<Cache>,
    /// What it does.
    pub kind: TaskKind,
}

/// What a task does.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskKind {
    /// One call.
    Plain {
        /// The call.
        perform: Body,
    },
    /// Rounds of attempt and check, until one is accepted.
    Loop {
        /// Most rounds.
        max_rounds: u64,
        /// Makes a candidate.
        attempt: Body,
        /// Accepts it, or rejects it with feedback.
        check: Check,
    },
    /// Asks a person.
    Approval {
        /// What is asked.
        prompt: Text,
        /// Who may answer.
        actors: Vec<Text>,
    },
}

/// A call with an input mapping.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// What is called.
    pub callee: Callee,
    /// Its name in the catalogue.
    pub name: Text,
    /// The input mapping.
    pub params: Option<Value>,
}

/// The kinds of things a body calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// An action.
    Action,
    /// A prompt.
    Prompt,
    /// A sub-agent.
    Agent,
}

impl Callee {
    /// In the order in which a body is read.
    pub const ALL: [Self; 3] = [Self::Action, Self::Prompt, Self::Agent];

    /// Its key in a body.
    pub fn key(self) -> &'static str {
        match self {
            Self::Action => "action",
            Self::Prompt => "prompt",
            Self::Agent => "agent",
        }
    }
}

/// How a loop's candidate is judged.
#[derive(Clone, Debug, PartialEq)]
pub enum Check {
    /// By a call, whose answer is a verdict.
    Body(Body),
    /// By an expression.
    Expression {
        /// Gives `true` or `false`.
        done: Text,
        /// The feedback of a rejection, a template.
        feedback: Option<Text>,
    },
}

/// How often an ordinary task is attempted, and after which delays.
#[derive(Clone, Debug, PartialEq)]
pub struct Retry {
    /// Attempts in all.
    pub attempts: u64,
    /// Milliseconds before the second.
    pub delay_ms: u64,
    /// Whether the delay doubles.
    pub exponential: bool,
    /// Longest delay in milliseconds.
    pub max_delay_ms: Option<u64>,
    /// Whether the delay is drawn between nothing and all of it.
    pub jitter: bool,
}

impl Default for Retry {
    fn default() -> Self {
        Self { attempts: 1, delay_ms: 0, exponential: false, max_delay_ms: None, jitter: false }
    }
}

/// Where a value is kept over runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Cache {
    /// A mapping value; equal keys share a value.
    pub key: Value,
    /// Another version is another value.
    pub version: Text,
    /// An older value is not taken.
    pub max_age_ms: Option<u64>,
    /// Whether the value is made anew all the same.
    pub refresh: bool,
}

/// How a graph is started.
#[derive(Clone, Debug, PartialEq)]
pub struct StartOptions {
    /// Tasks that may run at one time.
    pub concurrency: u64,
    /// Whether the first failure stops everything.
    pub stop_on_error: bool,
    /// Milliseconds the run may take.
    pub timeout_ms: Option<u64>,
    /// Attempts of all tasks together.
    pub attempts: Option<u64>,
    /// Tokens of all calls together: input, cached, output.
    pub usage: [Option<u64>; 3],
}

impl Default for StartOptions {
    fn default() -> Self {
        Self { concurrency: 1, stop_on_error: true, timeout_ms: None, attempts: None, usage: [None; 3] }
    }
}

/// The names of the three kinds of tokens that are counted.
pub const TOKENS: [&str; 3] = ["input", "cached", "output"];

/// Something that is wrong with a task graph.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskProblem {
    /// The place of the task in the list; `None` for the graph itself.
    pub task: Option<usize>,
    /// The task's key, as far as it has one.
    pub key: Text,
    /// The field, with what is inside it: `retry.attempts`.
    pub field: String,
    /// What is wrong, with a place in the field's text where the field is a text.
    pub problem: loopwright_lang::Problem,
    /// Whether a graph with it cannot be started.
    pub refuses: bool,
}

impl TaskProblem {
    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.problem.severity == Severity::Error
    }
}

impl TaskGraph {
    /// The place of a task.
    pub fn find(&self, key: &str) -> Option<usize> {
        self.tasks.iter().position(|task| task.key.as_str() == key)
    }

    /// The keys a task is after.
    pub fn after(&self, task: &Task) -> impl Iterator<Item = &Text> {
        task.after.iter().filter_map(|place| self.tasks.get(*place)).map(|task| &task.key)
    }
}

impl Task {
    /// The word of its `type`.
    pub fn type_name(&self) -> &'static str {
        match self.kind {
            TaskKind::Plain { .. } => "task",
            TaskKind::Loop { .. } => "loop",
            TaskKind::Approval { .. } => "approval",
        }
    }

    /// Whether it asks a person.
    pub fn is_gate(&self) -> bool {
        matches!(self.kind, TaskKind::Approval { .. })
    }

    /// Whether it is a loop.
    pub fn is_loop(&self) -> bool {
        matches!(self.kind, TaskKind::Loop { .. })
    }
}

#[cfg(test)]
mod tests;
