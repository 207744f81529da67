//! JSON text with spans and spellings: one reader, one printer. User data never goes through another.
//!
//! The reader is our own: no crate we found reads strict JSON without recursion, keeps how a number was spelled,
//! lets a lone surrogate through with a warning, and goes on after a slip so that one mistake does not hide the next.

mod print;
mod read;
mod strings;
mod text;

pub use print::{print_compact, print_log, print_pretty, quote};
pub use read::parse;
pub use text::{check_size, line_column, parse_bytes};

use crate::{Object, Problem, Span, Text, Value};

/// A parsed text: its value, the tree with the place of everything, and what was wrong.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The root, if the text was JSON.
    pub root: Option<Node>,
    /// What could be understood of a text that was not JSON: for completion and previews in half-typed text.
    pub partial: Option<Node>,
    /// What was wrong (`json_…` codes).
    pub problems: Vec<Problem>,
}

impl Parsed {
    /// The value, if the text was JSON. Of doubled keys the last one counts.
    pub fn value(&self) -> Option<Value> {
        self.root.as_ref().map(Node::to_value)
    }

    /// The first error, if there is one.
    pub fn error(&self) -> Option<&Problem> {
        self.problems.iter().find(|problem| problem.severity == crate::Severity::Error)
    }
}

/// A JSON value and where it stands.
#[derive(Clone, Debug)]
pub struct Node {
    /// From its first to its last character.
    pub span: Span,
    /// What it is.
    pub kind: NodeKind,
}

/// What a [`Node`] is.
#[derive(Clone, Debug)]
pub enum NodeKind {
    /// Null, a boolean, a number (with its spelling) or a text.
    Scalar(Value),
    /// A list.
    List(Vec<Node>),
    /// An object; doubled keys appear as often as they are written.
    Object(Vec<Member>),
}

/// One `"key": value` of an object.
#[derive(Clone, Debug)]
pub struct Member {
    /// The key, escapes resolved.
    pub key: Text,
    /// Where the key stands, quotes included.
    pub key_span: Span,
    /// Its value.
    pub value: Node,
}

impl Node {
    /// The value without its places. Of doubled keys the last one counts.
    pub fn to_value(&self) -> Value {
        match &self.kind {
            NodeKind::Scalar(value) => value.clone(),
            NodeKind::List(items) => Value::list(items.iter().map(Self::to_value)),
            NodeKind::Object(members) => {
                Value::Object(members.iter().map(|member| (member.key.clone(), member.value.to_value())).collect::<Object>())
            }
        }
    }

    /// The member of that key (the last, if doubled).
    pub fn member(&self, key: &str) -> Option<&Member> {
        match &self.kind {
            NodeKind::Object(members) => members.iter().rev().find(|member| member.key.as_str() == key),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
