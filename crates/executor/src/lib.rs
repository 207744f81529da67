//! The executor: a state machine that asks for calls and timers and is told what came of them, its run log, the questions a
//! run answers, and a driver that simulates everything with a virtual clock.

pub mod protocol;
