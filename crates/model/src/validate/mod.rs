//! Problems of a document: each with a code, a severity, a place and, where there is one, a fix.
//!
//! The families: `S` structure, `R` references, `C` Configuration and other columns, `M` mappings and conditions,
//! `L` loop endings, `T` scenarios; and, asked for apart, `P` what MemberJunction 5.51.3 does in another way ([`backend`]). A problem never keeps a document from being run; the step that cannot run fails with the same words.

mod backend;
mod columns;
mod configuration;
mod mappings;
mod plan;
mod references;
mod refine;
mod scenarios;
mod structure;
mod tasks;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use loopwright_lang::{Severity, Span, Value};

use crate::{Change, Document, Edit, EntityId, GraphKind, GraphRef, PathRef, StepRef};

pub use backend::backend;
pub use configuration::{KEYS_OF_FOREACH, KEYS_OF_WHILE, variable_name_problem};
pub use loopwright_lang::expr::nearest;

/// Where a problem is, so that the app can jump there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The entity.
    pub entity: EntityId,
    /// The column, e.g. `Configuration`.
    pub field: Option<String>,
    /// Inside the column, e.g. `["collectionPath"]` or `["to"]`.
    pub inside: Vec<String>,
    /// In the text found there, in bytes.
    pub span: Option<Span>,
}

impl Place {
    /// An entity as a whole.
    pub fn entity(entity: EntityId) -> Self {
        Self { entity, field: None, inside: Vec::new(), span: None }
    }

    /// A column of an entity.
    pub fn field(entity: EntityId, field: &str) -> Self {
        Self { field: Some(field.to_owned()), ..Self::entity(entity) }
    }

    /// The same column, at a key inside it.
    pub fn at(mut self, key: &str) -> Self {
        self.inside.push(key.to_owned());
        self
    }

    /// The same place, at a span of its text.
    pub fn span(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }
}

/// A problem of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// A stable code, e.g. `M02`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What was found and what was expected.
    pub message: String,
    /// Where.
    pub place: Place,
    /// An edit that mends it; its label is what the button says.
    pub fix: Option<Edit>,
}

impl Problem {
    fn new(code: &'static str, severity: Severity, place: Place, message: impl Into<String>) -> Self {
        Self { code, severity, message: message.into(), place, fix: None }
    }

    fn error(code: &'static str, place: Place, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, place, message)
    }

    fn warning(code: &'static str, place: Place, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, place, message)
    }

    fn hint(code: &'static str, place: Place, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Hint, place, message)
    }

    fn with_fix(mut self, fix: Option<Edit>) -> Self {
        self.fix = fix;
        self
    }

    /// The family its code belongs to.
    pub fn family(&self) -> &'static str {
        if self.code.starts_with("workflow_") || self.code.starts_with("plan_") {
            return "Plan";
        }
        if self.code.as_bytes().first().is_some_and(u8::is_ascii_lowercase) {
            return "Task graph";
        }
        match self.code.as_bytes().first() {
            Some(b'S') => "Structure",
            Some(b'R') => "Reference",
            Some(b'C') => "Configuration",
            Some(b'M') => "Mapping",
            Some(b'L') => "Loop ending",
            Some(b'P') => "Backend",
            Some(b'T') => "Scenario",
            _ => "Problem",
        }
    }
}

/// All problems of a document: graph by graph, in each the graph's own first, then step by step and path by path.
pub fn validate(document: &Document) -> Vec<Problem> {
    let mut problems = Vec::new();
    structure::document(document, &mut problems);
    for graph in document.graphs() {
        validate_graph(graph, &mut problems);
    }
    for scenario in document.scenarios().filter_map(|scenario| document.scenario(scenario.id)) {
        scenarios::scenario(scenario, &mut problems);
    }
    problems
}

/// The problems of one graph and all that is in it.
fn validate_graph(graph: GraphRef<'_>, problems: &mut Vec<Problem>) {
    if graph.kind() == GraphKind::Plan {
        return plan::graph(graph, problems);
    }
    if graph.kind() == GraphKind::Tasks {
        return tasks::graph(graph, problems);
    }
    structure::graph(graph, problems);
    let around = mappings::enclosing(graph.document, graph.id());
    let mut outgoing: BTreeMap<EntityId, Vec<PathRef<'_>>> = BTreeMap::new();
    for path in graph.paths() {
        if let Some(from) = path.from() {
            outgoing.entry(from).or_default().push(path);
        }
    }
    for step in graph.steps() {
        structure::step(step, outgoing.remove(&step.id()).unwrap_or_default(), problems);
        references::step(step, problems);
        columns::step(step, problems);
        configuration::step(step, &around, problems);
        mappings::step(step, &around, problems);
    }
    for path in graph.paths() {
        structure::path(graph, path, problems);
        mappings::path(path, &around, problems);
    }
}

/// Sets one column of a step, as a fix.
fn set_column(label: String, step: StepRef<'_>, column: &str, value: impl Into<Value>) -> Edit {
    Edit::new(label, vec![Change::set(step.id(), column, value)])
}
