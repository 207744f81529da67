//! Task graphs in and out: `{ "name", "tasks": [ { "key", "type", … } ], "options" }`. The imported text stays; a graph comes out as
//! that text with the smallest changes.

use loopwright_lang::{
    Object, Value,
    json::{Node, NodeKind},
};

use super::{Format, Imported, Notice, error, kept_text};
use crate::{
    Document, Entity, EntityId, EntityKind, GraphKind, GraphRef, Origin,
    document::{PointerPart, ROOT},
    tasks,
};

/// Whether a text is a task graph: a list of tasks, which have a `key`; or none yet, beside options.
pub(super) fn is_task_graph(root: &Node) -> bool {
    let Some(NodeKind::List(tasks)) = root.member("tasks").map(|member| &member.value.kind) else { return false };
    tasks.iter().any(|task| task.member("key").is_some()) || (tasks.is_empty() && root.member("options").is_some())
}

/// Reads a task graph into a document of one graph.
pub(super) fn read(name: &str, text: &str, root: &Node, notices: Vec<Notice>) -> Imported {
    let mut document = Document::new();
    let mut add = |kind: EntityKind, parent: EntityId, fields: Object, origin: Option<Origin>| {
        let id = document.next_id();
        let index = document.children(parent).len();
        document.insert(Entity { id, kind, parent, fields, ends: None, origin }, index);
        id
    };
    let about = [("name", Value::text(name)), ("format", Value::text(Format::Tasks.name())), ("text", Value::text(text))];
    let source = add(EntityKind::Source, ROOT, Object::from_iter(about), None);
    let origin = |pointer: Vec<PointerPart>| Some(Origin { source, pointer });
    let graph = add(EntityKind::Graph, ROOT, tasks::graph_fields(&root.to_value()), origin(Vec::new()));
    if let Some(NodeKind::List(items)) = root.member("tasks").map(|member| &member.value.kind) {
        for (place, task) in items.iter().enumerate() {
            let pointer = vec![PointerPart::Key("tasks".into()), PointerPart::Place(place)];
            add(EntityKind::Step, graph, tasks::task_fields(task.to_value()), origin(pointer));
        }
    }
    Imported { document: Some(document), format: Some(Format::Tasks), notices, read_only: false }
}

/// Writes the document's task graph; there must be exactly one.
pub(super) fn write(document: &Document) -> Result<String, Vec<Notice>> {
    let graphs: Vec<GraphRef<'_>> = document.graphs().filter(|graph| graph.kind() == GraphKind::Tasks).collect();
    let [graph] = graphs.as_slice() else {
        let message = match graphs.len() {
            0 => "There is no task graph in this document, and nothing else can be written as one.".to_owned(),
            count => format!("There are {count} task graphs in this document, and a file of tasks holds one."),
        };
        return Err(vec![error("export_tasks", message, None)]);
    };
    Ok(kept_text(document, *graph, Format::Tasks, &tasks::tasks_value(*graph)))
}
