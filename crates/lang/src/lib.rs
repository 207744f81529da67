//! The language flows talk about data in: JSON text with spans, values, expressions, paths, mappings and templates
//! (`shared/spec/language.md`). Nothing here reads a clock, draws a random number or does input or output, and
//! parsing never fails: it returns what it understood *and* a list of problems.

pub mod differences;
pub mod expr;
mod hash;
pub mod json;
pub mod limits;
pub mod mapping;
pub mod merge;
pub mod number;
pub mod path;
pub mod pool;
pub mod problem;
pub mod scope;
pub mod semantics;
pub mod span;
pub mod value;

pub use problem::{Fix, Problem, Severity};
pub use scope::{LoopFrame, Roots, Scope, UNDECLARED};
pub use semantics::{KeyOrder, Profile, Semantics};
pub use span::Span;
pub use value::{List, Number, Object, Text, Value};
