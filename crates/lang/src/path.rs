//! Paths: `a.b[0].c`, `a.0.c`, `a["odd key"]` (language.md, "Paths", rulings 1 and 2).

use crate::{Problem, Span, Text, Value};

/// One segment of a path with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// Where it stands, its dot or brackets included.
    pub span: Span,
    /// What it names.
    pub key: Key,
}

/// What a segment names.
#[derive(Clone, Debug, PartialEq)]
pub enum Key {
    /// `.name` or `["any text"]`.
    Name(Text),
    /// `.digits` or `[digits]`.
    Place(u64),
}

/// A parsed path. The first segment is the root name.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Its segments; never empty.
    pub segments: Vec<Segment>,
}

/// Reads a path that is all of `text`. `Err` says why it is none.
pub fn parse(_text: &str) -> Result<Path, Problem> {
    todo!()
}

/// Follows `segments` from `value`; missing is `Undefined`. Lists and texts also have `length`; digits index either.
pub fn walk(_value: &Value, _segments: &[Segment]) -> Value {
    todo!()
}
