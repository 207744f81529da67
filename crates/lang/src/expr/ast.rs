//! The tree of an expression, ready to evaluate: names are resolved to slots, methods to numbers, and a chain of operators of one
//! precedence level is flat, so that evaluating it is a loop and not a recursion.

use super::methods::{Function, Method};
use crate::{Span, Text, Value};

/// One node of the tree.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Where it stands.
    pub span: Span,
    pub(crate) kind: Kind,
}

/// What a node is.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// A number, a text, `true`, `false` or `null`.
    Literal(Value),
    /// `undefined`, `NaN` or `Infinity`, which JavaScript takes for names.
    Constant(Text, Value),
    /// A root or a loop variable.
    Name(Root, Text),
    /// A parameter of an enclosing arrow function: its place on the stack of parameters.
    Local(usize, Text),
    /// A value with members, places and method calls after it.
    Chain(Box<Expr>, Vec<Link>),
    /// A call of a known function, `Math.max(…)`.
    Call(Function, Vec<Expr>),
    /// A prefix operator.
    Unary(UnaryOp, Box<Expr>),
    /// `&&`, `||` or `??` between two or more operands.
    Logic(LogicOp, Vec<Expr>),
    /// Operators of one precedence level from left to right.
    Binary(Box<Expr>, Vec<(BinaryOp, Expr)>),
    /// `test ? then : otherwise`.
    Conditional(Box<(Expr, Expr, Expr)>),
    /// `[a, b]`.
    List(Vec<Expr>),
    /// `{ a: b }`.
    Object(Vec<(Text, Expr)>),
    /// An arrow function, as an argument.
    Arrow(Vec<Text>, Box<Expr>),
    /// Round brackets; they matter to `?.` and to `??`.
    Group(Box<Expr>),
    /// What could not be understood; the problems say why. Never evaluated.
    Missing,
}

/// One step of a [`Kind::Chain`].
#[derive(Clone, Debug)]
pub(crate) struct Link {
    /// Where it stands, its dot or brackets included.
    pub(crate) span: Span,
    /// Whether it begins with `?.`.
    pub(crate) optional: bool,
    pub(crate) kind: LinkKind,
}

/// What a step of a chain does.
#[derive(Clone, Debug)]
pub(crate) enum LinkKind {
    /// `.name` or `["name"]`.
    Member(Text),
    /// `.length`.
    Length,
    /// `[n]` with a literal whole number.
    Place(usize),
    /// `[expression]`.
    Index(Box<Expr>),
    /// `.method(arguments)`.
    Call(Method, Vec<Expr>),
}

/// A name's slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    Payload,
    Data,
    Context,
    Conversation,
    StepResult,
    FlowContext,
    Results,
    Errors,
    /// A loop variable, or a name that the place adds.
    Other,
}

impl Root {
    /// The slot of a name.
    pub(crate) fn of(name: &str) -> Self {
        Self::NAMED.iter().find(|(known, _)| *known == name).map_or(Self::Other, |(_, root)| *root)
    }

    /// The roots that have names of their own.
    pub(crate) const NAMED: [(&str, Self); 8] = [
        ("payload", Self::Payload),
        ("data", Self::Data),
        ("context", Self::Context),
        ("conversation", Self::Conversation),
        ("stepResult", Self::StepResult),
        ("flowContext", Self::FlowContext),
        ("results", Self::Results),
        ("errors", Self::Errors),
    ];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaryOp {
    Not,
    Minus,
    Plus,
    TypeOf,
}

impl UnaryOp {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Not => "!",
            Self::Minus => "-",
            Self::Plus => "+",
            Self::TypeOf => "typeof ",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogicOp {
    And,
    Or,
    Coalesce,
}

impl LogicOp {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::And => "&&",
            Self::Or => "||",
            Self::Coalesce => "??",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Equal,
    NotEqual,
    Same,
    NotSame,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl BinaryOp {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Same => "===",
            Self::NotSame => "!==",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
        }
    }
}
