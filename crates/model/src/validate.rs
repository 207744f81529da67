//! Problems of a document: each with a code, a severity, a place and, where there is one, a fix.

use loopwright_lang::{Severity, Span};

use crate::{Document, Edit, EntityId};

/// Where a problem is, so that the app can jump there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The entity.
    pub entity: EntityId,
    /// The column, e.g. `Configuration`.
    pub field: Option<String>,
    /// Inside the column, e.g. `["collectionPath"]` or `["to"]`.
    pub inside: Vec<String>,
    /// In the text found there.
    pub span: Option<Span>,
}

/// A problem of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// A stable code, e.g. `M02`.
    pub code: &'static str,
    /// The family, e.g. `Mapping`.
    pub family: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What was found and what was expected.
    pub message: String,
    /// Where.
    pub place: Place,
    /// An edit that mends it; its label is what the button says.
    pub fix: Option<Edit>,
}

/// All problems of a document, in document order, the worst of one place first.
pub fn validate(_document: &Document) -> Vec<Problem> {
    Vec::new()
}
