//! Running plans: waves that are barriers, expansions of `for_each`, retries, cancel, all in virtual time.
//!
//! A sans-IO state machine like [`crate::Execution`]: [`PlanRun`] says what to start, is told what came of it, and never looks at
//! a clock. Its state is a function of the plan and of what it was told, in order; so a run is saved as that
//! [history](PlanRun::history), and [`PlanRun::restore`] is told it again.

mod driver;
mod events;
mod failure;
mod materialise;
mod record;
mod rehearsal;
mod run;
mod status;
mod waves;

#[cfg(test)]
mod tests;

pub use driver::Driver;
pub use events::{Event, What, Whose};
pub use failure::{Failure, Kind};
pub use record::WaveSpan;
pub use rehearsal::Rehearsal;
pub use run::{Call, Command, Completion, End, Outcome, PlanRun};

/// The code of a tool that was not done in time.
pub const TIMED_OUT: &str = "workflow_task_timeout";
/// The code of a sub-agent that was not done in time.
pub const AGENT_TIMED_OUT: &str = "subagent_timeout";
/// The code of a task that ended in no known way.
pub const UNKNOWN: &str = "workflow_task_execution_unknown";
/// The code of a result that is no JSON.
pub const CONTRACT: &str = "workflow_task_handler_contract";
