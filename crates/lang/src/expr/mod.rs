//! Expressions: a side-effect-free subset of JavaScript, with JavaScript's results (language.md, "Expressions").

mod ast;
mod budget;
mod coerce;
mod complete;
mod condition;
mod eval;
mod explain;
mod json_text;
mod methods;
mod parse;
mod print;
mod references;
mod suggest;
mod token;
mod unicode;

pub use ast::Expr;
pub use coerce::{number_text, to_text, truthy};
pub use complete::complete;
pub use condition::{Condition, check};
pub use explain::explain;
pub use json_text::json_text;
pub use parse::parse;
pub use print::print;
pub use references::references;

pub(crate) use ast::Root;
pub(crate) use coerce::{computed, list_index};
pub(crate) use complete::{rank, roots, sample};
pub(crate) use eval::{AMBIENT, REFUSED_PROPERTIES, Val};
pub(crate) use print::member_text;
pub(crate) use references::refers;
pub use suggest::nearest;
pub(crate) use token::{Token, TokenKind, tokenize};
pub(crate) use unicode::{continues_name, is_js_space, is_name, js_trim, starts_name};

use crate::{Fix, Problem, Scope, Semantics, Span, Value};

/// A parsed expression: its tree (with recovery, so it may be partial) and its problems.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree; `None` when nothing could be understood, or the text is blank.
    pub root: Option<Expr>,
    /// What was wrong, in the order of the text. An expression with an error is not evaluated.
    pub problems: Vec<Problem>,
    /// Whether the text fits the grammar. Unknown methods and functions do; refused constructs and slips do not.
    pub grammatical: bool,
}

impl Parsed {
    /// The first error, if there is one.
    pub fn error(&self) -> Option<&Problem> {
        self.problems.iter().find(|problem| problem.severity == crate::Severity::Error)
    }

    /// Evaluates; the first error of the text, if it has one, is the error. A blank text is `undefined`.
    pub fn evaluate(&self, scope: &Scope, semantics: &Semantics) -> Result<Value, EvalError> {
        if let Some(problem) = self.error() {
            return Err(EvalError::from_problem(problem));
        }
        match &self.root {
            Some(root) => evaluate(root, scope, semantics),
            None => Ok(Value::Undefined),
        }
    }
}

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq)]
pub struct EvalError {
    /// A stable code.
    pub code: std::borrow::Cow<'static, str>,
    /// What was missing or wrong, e.g. ``payload.job is undefined, so `state` cannot be read.``
    pub message: String,
    /// The part that could not be evaluated.
    pub span: Span,
    /// What was most likely meant.
    pub fix: Option<Fix>,
}

impl EvalError {
    /// A problem of the text, as the reason why it has no value.
    pub fn from_problem(problem: &Problem) -> Self {
        Self { code: problem.code.clone(), message: problem.message.clone(), span: problem.span, fix: problem.fix.clone() }
    }

    /// The same as a problem of the text.
    pub fn into_problem(self) -> Problem {
        Problem { code: self.code, severity: crate::Severity::Error, message: self.message, span: self.span, fix: self.fix }
    }
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

/// Evaluates. A limit or a missing value is an error, never a panic. What comes out is computed: its numbers have no spelling.
pub fn evaluate(expr: &Expr, scope: &Scope, semantics: &Semantics) -> Result<Value, EvalError> {
    match eval::Evaluation::new(scope, semantics).eval(expr) {
        Ok(value) => Ok(computed(value.into_value())),
        Err(error) => Err(*error),
    }
}

/// Whether an expression is truthy, without copying what it gives.
pub fn holds(expr: &Expr, scope: &Scope, semantics: &Semantics) -> Result<bool, EvalError> {
    match eval::Evaluation::new(scope, semantics).eval(expr) {
        Ok(value) => Ok(truthy(&value)),
        Err(error) => Err(*error),
    }
}

/// What a path condition does: reads, evaluates and takes the truth of a text, by the profile's rules.
pub fn condition(text: &str, scope: &Scope, semantics: &Semantics) -> Result<bool, Problem> {
    Condition::new(text, semantics).holds(scope, semantics).map_err(EvalError::into_problem)
}
