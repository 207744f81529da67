//! Running task graphs (loop-tasks.md): a state machine that asks for calls and timers and is told what came of them, its saved
//! state, and a driver that simulates everything.
//!
//! It is a scheduler of its own beside that of flows: slots instead of paths, rounds instead of iterations, and a state that is
//! saved at certain events, from which an interrupted run goes on.

mod budget;
mod cache;
mod compiled;
mod event;
mod loops;
mod plain;
mod record;
mod recorder;
mod rehearsal;
mod run;
mod saved;
mod script;
mod simulate;

pub use cache::{Cache, Entry, Found, fingerprint};
pub use compiled::{CompiledBody, CompiledTasks};
pub use event::{Event, EventKind, Lookup, StopAt};
pub use record::{Candidate, Failure, Phase, Record, Round, RunStatus, Status, Verdict};
pub use rehearsal::Rehearsal;
pub use run::{Answer, Command, Decision, Reply, Settings, StartRefused, TaskCall, TaskRun, Tokens, idempotency_key};
pub use saved::Saved;
pub use script::{Scripted, Scripts};
pub use simulate::{Fallback, Leg, TaskSimulation, Traced};

#[cfg(test)]
mod tests;
