//! Every limit in one place (DESIGN.md, "Limits"). Each has a problem code and a test.

/// Largest file that opens, in bytes.
pub const FILE_BYTES: usize = 64 << 20;
/// A file larger than this opens with a warning, in bytes.
pub const FILE_WARNING_BYTES: usize = 16 << 20;
/// Largest pasted text or link, in bytes.
pub const PASTE_BYTES: usize = 5 << 20;
/// Deepest nesting of a JSON text or a value.
pub const JSON_DEPTH: usize = 128;
/// Most steps in a document.
pub const STEPS: usize = 10_000;
/// Longest expression, in bytes.
pub const EXPRESSION_BYTES: usize = 4 << 10;
/// Deepest nesting of brackets, calls, `?:` and unary signs in an expression.
pub const EXPRESSION_DEPTH: usize = 64;
/// Most operations in one evaluation.
pub const OPERATIONS: u64 = 100_000;
/// Most bytes of values that one evaluation makes.
pub const EVALUATION_BYTES: usize = 16 << 20;
/// Longest text an evaluation makes, in bytes of UTF-8 (so never more UTF-16 units than that).
pub const TEXT_UNITS: usize = 1 << 20;
/// Largest printed size of a value that is written to a payload, in bytes.
pub const VALUE_BYTES: usize = 64 << 20;
/// How far past the end of a list an output may write.
pub const PAST_THE_END: usize = 10_000;
/// Most iterations of a loop, "unlimited" or not.
pub const ITERATIONS: u64 = 1_000_000;
/// Deepest nesting of loops in a run.
pub const LOOP_LEVELS: usize = 5;
/// Most step visits in one agent's run.
pub const STEP_VISITS: u64 = 10_000;
/// Deepest nesting of sub-agents.
pub const SUB_AGENTS: usize = 32;
