//! How things are said on a terminal.

use std::path::Path;

use loopwright_lang::{Severity, Span};
use loopwright_model::{Document, EntityKind, Place, Problem, format::Notice};

/// A file's name for messages.
pub fn name_of(path: &Path) -> String {
    if path.as_os_str() == "-" { "standard input".to_owned() } else { path.display().to_string() }
}

/// The word for a severity.
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Hint => "hint",
    }
}

/// A notice of an import, with its line where it has one.
pub fn notice(path: &Path, text: &str, notice: &Notice) -> String {
    let place = notice.span.map_or(String::new(), |span| {
        let (line, column) = line_column(text, span.start as usize);
        format!(":{line}:{column}")
    });
    let mut said = format!("{}{place}: {}[{}]: {}", name_of(path), severity(notice.severity), notice.code, notice.message);
    if let Some(span) = notice.span {
        said.push_str(&excerpt(text, span));
    }
    said
}

/// A problem with its place, and the line of its text where it has one.
pub fn problem(document: &Document, problem: &Problem) -> String {
    let mut said =
        format!("{}[{}]: {}\n  at {}", severity(problem.severity), problem.code, problem.message, place(document, &problem.place));
    if let (Some(span), Some(text)) = (problem.place.span, text_at(document, &problem.place)) {
        said.push_str(&excerpt(&text, span));
    }
    if let Some(fix) = &problem.fix {
        said.push_str(&format!("\n  fix: {}", fix.label));
    }
    said
}

/// `Agent › Step › Configuration › collectionPath`.
pub fn place(document: &Document, place: &Place) -> String {
    let mut parts = Vec::new();
    if let Some(entity) = document.get(place.entity) {
        let name = |entity: &loopwright_model::Entity| {
            let field = ["Name", "name", "id"].into_iter().find_map(|key| entity.fields.get(key));
            field.and_then(loopwright_lang::Value::as_str).unwrap_or("(no name)").to_owned()
        };
        if let Some(graph) = document.graph(entity.parent) {
            parts.push(name(graph.entity));
        }
        match (entity.kind, document.path(entity.id)) {
            (EntityKind::Document, _) => parts.push("the document".into()),
            (_, Some(path)) => {
                let end = |step| document.step(step).map_or("(missing)".to_owned(), |step| step.name().to_owned());
                let (from, to) = (path.from().map_or("(missing)".into(), end), path.to().map_or("(missing)".into(), end));
                parts.push(format!("path {from} → {to}"));
            }
            _ => parts.push(name(entity)),
        }
    }
    parts.extend(place.field.clone());
    parts.extend(place.inside.iter().cloned());
    parts.join(" › ")
}

/// The text that a problem's span is in.
fn text_at(document: &Document, place: &Place) -> Option<String> {
    use loopwright_model::config::{JsonColumn, json_column};
    let column = document.field(place.entity, place.field.as_deref()?)?;
    if place.inside.is_empty() {
        return column.as_str().map(str::to_owned);
    }
    let JsonColumn::Value(mut value) = json_column(Some(column)) else { return None };
    for part in &place.inside {
        let next = match &value {
            loopwright_lang::Value::List(list) => list.get(part.parse().ok()?).cloned(),
            other => other.get(part).cloned(),
        };
        value = next?;
    }
    value.as_str().map(str::to_owned)
}

/// The line a span starts in, and marks under its characters.
fn excerpt(text: &str, span: Span) -> String {
    const WIDTH: usize = 100;
    let start = (span.start as usize).min(text.len());
    let Some(before) = text.get(..start) else { return String::new() };
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let rest = text.get(line_start..).unwrap_or_default();
    let line = rest.lines().next().unwrap_or_default();
    let column = text.get(line_start..start).map_or(0, |text| text.chars().count());
    let length = text.get(span.range()).map_or(1, |found| found.lines().next().unwrap_or_default().chars().count()).max(1);
    let skip = column.saturating_sub(WIDTH / 2);
    let shown: String = line.chars().skip(skip).take(WIDTH).map(|c| if c == '\t' { ' ' } else { c }).collect();
    let marks = length.min(shown.chars().count().saturating_sub(column - skip).max(1));
    format!("\n    {shown}\n    {}{}", " ".repeat(column - skip), "^".repeat(marks))
}

/// Line and column, both from 1, in characters.
fn line_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset.min(text.len())).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before.get(line_start..).map_or(0, |line| line.chars().count()) + 1)
}

/// Virtual microseconds as people read them.
pub fn time(us: u64) -> String {
    let ms = us / 1_000;
    match (ms, us % 1_000) {
        (0, 0) => "0 ms".to_owned(),
        (0, rest) => format!("0.{rest:03} ms"),
        (ms, _) if ms < 1_000 => format!("{ms} ms"),
        (ms, _) if ms < 60_000 => format!("{}.{:02} s", ms / 1_000, ms % 1_000 / 10),
        (ms, _) => format!("{} min {}.{:01} s", ms / 60_000, ms % 60_000 / 1_000, ms % 1_000 / 100),
    }
}
