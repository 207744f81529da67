//! One file a command.

pub mod check;
pub mod diff;
pub mod eval;
pub mod export;
pub mod fmt;
pub mod schema;
pub mod simulate;
pub mod test;
