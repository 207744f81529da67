//! The executor: a state machine that asks for calls and timers and is told what came of them, its run log, the questions a
//! run answers, and a driver that simulates everything with a virtual clock.

pub mod compile;
mod debug;
pub mod engine;
pub mod host;
pub mod log;
mod message;
pub mod names;
pub mod payload;
pub mod plan;
pub mod profiles;
pub mod protocol;
mod queries;
pub mod random;
pub mod replay;
pub mod response;
pub mod rules;
mod save;
pub mod scenario;
pub mod simulation;
pub mod suite;
pub mod tasks;
pub mod texts;

pub use compile::Compiled;
pub use engine::{Class, Command, Execution, Outcome, Progress, Ticket};
pub use queries::changes;
pub use simulation::Simulation;
