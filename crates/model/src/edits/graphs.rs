//! Adding and removing graphs and notes.

use loopwright_lang::{Object, Value};

use super::{Draft, Made, NewId, refuse, unique};
use crate::{Change, Document, Edit, EntityId, EntityKind, Refused, catalogue::entity_name, document::ROOT};

/// Adds an empty flow agent.
pub fn add_graph(document: &Document, name: &str, new_id: NewId<'_>) -> Made {
    let mut draft = Draft::new(document);
    let name = unique(name, |name| document.graphs().any(|graph| graph.name() == name));
    let fields = Object::from_iter([("ID", Value::text(new_id())), ("Name", Value::text(name.as_str()))]);
    let id = draft.add(EntityKind::Graph, ROOT, fields, None);
    Made { edit: draft.finish(format!("Add {name}")), ids: vec![id] }
}

/// Removes a graph with all its steps, paths and notes. Steps of other graphs that call it keep its name.
pub fn remove_graph(document: &Document, graph: EntityId) -> Result<Edit, Refused> {
    let Some(graph) = document.graph(graph) else { return refuse("This graph is not in the document any more.") };
    let children = document.children(graph.id());
    let is_path = |id: &&EntityId| document.path(**id).is_some();
    let mut draft = Draft::new(document);
    draft.extend(children.iter().filter(is_path).copied().map(Change::Remove));
    draft.extend(children.iter().filter(|id| !is_path(id)).copied().map(Change::Remove));
    draft.push(Change::Remove(graph.id()));
    Ok(draft.finish(format!("Remove {}", entity_name(graph.entity))))
}

/// Sets a column of a graph, or takes it away. To rename a graph with all that refers to it there is [`super::rename_entry`].
pub fn set_graph_field(document: &Document, graph: EntityId, column: &str, value: Option<Value>) -> Result<Edit, Refused> {
    if document.graph(graph).is_none() {
        return refuse("This graph is not in the document any more.");
    }
    match value {
        Some(value) => super::set_column(document, graph, column, value),
        None => super::clear_column(document, graph, column),
    }
}

/// Adds a note to a graph, in world pixels.
pub fn add_note(document: &Document, graph: EntityId, text: &str, (x, y): (f64, f64)) -> Result<Made, Refused> {
    if document.graph(graph).is_none() {
        return refuse("This graph is not in the document any more.");
    }
    let mut draft = Draft::new(document);
    let number = |at: f64| Value::Number(at.round());
    let fields = Object::from_iter([
        ("text", Value::text(text)),
        ("x", number(x)),
        ("y", number(y)),
        ("width", Value::Number(240.0)),
        ("height", Value::Number(120.0)),
    ]);
    let id = draft.add(EntityKind::Note, graph, fields, None);
    Ok(Made { edit: draft.finish("Add note"), ids: vec![id] })
}

/// Sets a field of a note (`text`, `width`, `height`).
pub fn set_note(document: &Document, note: EntityId, field: &str, value: Value) -> Result<Edit, Refused> {
    super::set_column(document, note, field, value)
}
