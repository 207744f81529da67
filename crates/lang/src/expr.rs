//! Expressions: a side-effect-free subset of JavaScript, with JavaScript's results (language.md, "Expressions").

use crate::{Problem, Scope, Semantics, Span, Value};

/// A parsed expression: its tree (with recovery, so it may be partial) and its problems.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree; `None` when nothing could be understood, or the text is blank.
    pub root: Option<Expr>,
    /// What was wrong. An expression with an error is not evaluated.
    pub problems: Vec<Problem>,
}

/// One node of the tree.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Where it stands.
    pub span: Span,
}

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq)]
pub struct EvalError {
    /// A stable code.
    pub code: &'static str,
    /// What was missing or wrong, e.g. `payload.job is undefined, so payload.job.state cannot be read`.
    pub message: String,
    /// The part that could not be evaluated.
    pub span: Span,
}

/// An evaluation with every operand's value: true, false, or not evaluable and why.
#[derive(Clone, Debug)]
pub struct Explained {
    /// The part of the text this is about.
    pub span: Span,
    /// Its value; `None` where it was not needed (`false && …`).
    pub value: Option<Result<Value, EvalError>>,
    /// Its operands.
    pub children: Vec<Explained>,
}

/// One thing that could stand at the cursor.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    /// What to insert in place of `replace`.
    pub text: String,
    /// The part of the text it replaces.
    pub replace: Span,
    /// Its type, e.g. `string`, `list`, `method`.
    pub detail: String,
    /// A short sample of its value.
    pub sample: Option<String>,
}

/// Reads an expression. Never fails, never panics.
pub fn parse(_text: &str) -> Parsed {
    todo!()
}

/// Evaluates. A limit or a missing value is an error, never a panic.
pub fn evaluate(_expr: &Expr, _scope: &Scope, _semantics: &Semantics) -> Result<Value, EvalError> {
    todo!()
}

/// Evaluates and keeps every operand's value.
pub fn explain(_expr: &Expr, _scope: &Scope, _semantics: &Semantics) -> Explained {
    todo!()
}

/// JavaScript's truthiness.
pub fn truthy(_value: &Value) -> bool {
    todo!()
}

/// JavaScript's `String(value)`; objects and lists as JavaScript would.
pub fn to_text(_value: &Value) -> String {
    todo!()
}

/// What could stand at byte `offset` of a half-typed text.
pub fn complete(_text: &str, _offset: usize, _scope: &Scope) -> Vec<Completion> {
    todo!()
}
