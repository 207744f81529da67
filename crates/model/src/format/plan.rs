//! Plans in and out: `{ "tasks": [ … ] }`. The imported text stays; a plan comes out as that text with the smallest changes.

use loopwright_lang::{
    Object, Value,
    json::{Node, NodeKind},
};

use super::{Format, Imported, Notice, error, kept_text};
use crate::{
    Document, Entity, EntityId, EntityKind, GraphKind, GraphRef, Origin,
    document::{PointerPart, ROOT},
    plan,
};

/// Whether a text is a plan: a list of tasks, which have an `id` and no `key`.
pub(super) fn is_plan(root: &Node) -> bool {
    let Some(NodeKind::List(tasks)) = root.member("tasks").map(|member| &member.value.kind) else { return false };
    let has = |key: &str| tasks.iter().any(|task| task.member(key).is_some());
    !has("key") && (tasks.is_empty() || ["id", "tool", "agent", "depends_on"].into_iter().any(has))
}

/// Reads a plan into a document of one graph.
pub(super) fn read(name: &str, text: &str, root: &Node, notices: Vec<Notice>) -> Imported {
    let mut document = Document::new();
    let mut add = |kind: EntityKind, parent: EntityId, fields: Object, origin: Option<Origin>| {
        let id = document.next_id();
        let index = document.children(parent).len();
        document.insert(Entity { id, kind, parent, fields, ends: None, origin }, index);
        id
    };
    let about = [("name", Value::text(name)), ("format", Value::text(Format::Plan.name())), ("text", Value::text(text))];
    let source = add(EntityKind::Source, ROOT, Object::from_iter(about), None);
    let origin = |pointer: Vec<PointerPart>| Some(Origin { source, pointer });
    let graph = add(EntityKind::Graph, ROOT, plan::graph_fields(&title(name), &root.to_value()), origin(Vec::new()));
    if let Some(NodeKind::List(tasks)) = root.member("tasks").map(|member| &member.value.kind) {
        for (place, task) in tasks.iter().enumerate() {
            let pointer = vec![PointerPart::Key("tasks".into()), PointerPart::Place(place)];
            add(EntityKind::Step, graph, plan::task_fields(task.to_value()), origin(pointer));
        }
    }
    Imported { document: Some(document), format: Some(Format::Plan), notices, read_only: false }
}

/// A file's name without folders and endings.
fn title(name: &str) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = file.strip_suffix(".json").unwrap_or(file);
    let stem = stem.strip_suffix(".plan").unwrap_or(stem);
    if stem.trim().is_empty() { "Plan".to_owned() } else { stem.to_owned() }
}

/// Writes the document's plan; there must be exactly one.
pub(super) fn write(document: &Document) -> Result<String, Vec<Notice>> {
    let plans: Vec<GraphRef<'_>> = document.graphs().filter(|graph| graph.kind() == GraphKind::Plan).collect();
    let [graph] = plans.as_slice() else {
        let message = match plans.len() {
            0 => "There is no plan in this document, and nothing else can be written as one.".to_owned(),
            count => format!("There are {count} plans in this document, and a plan file holds one."),
        };
        return Err(vec![error("export_plan", message, None)]);
    };
    Ok(kept_text(document, *graph, Format::Plan, &plan::plan_value(*graph)))
}
