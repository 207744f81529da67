//! Connecting steps.

use loopwright_lang::{Object, Value};

use super::{Draft, Made, NewId, refuse};
use crate::{Change, Document, Edit, End, EntityId, EntityKind, Refused};

/// Connects two steps of one graph. Refused where they are connected in that direction already.
pub fn connect(document: &Document, from: EntityId, to: EntityId, new_id: NewId<'_>) -> Result<Made, Refused> {
    let (Some(origin), Some(destination)) = (document.step(from), document.step(to)) else {
        return refuse("A path connects two steps, and one of these is not in the document any more.");
    };
    if origin.graph_id() != destination.graph_id() {
        return refuse("A path connects two steps of one graph.");
    }
    if destination.is_plan_task() {
        return Ok(Made { edit: super::plan::depend(document, from, to)?, ids: Vec::new() });
    }
    if connected(document, origin.graph_id(), from, to) {
        return refuse(format!("There is a path from \"{}\" to \"{}\" already.", origin.name(), destination.name()));
    }
    let mut draft = Draft::new(document);
    let fields = Object::from_iter([("ID", Value::text(new_id()))]);
    let id = draft.add(EntityKind::Path, origin.graph_id(), fields, Some((End::Step(from), End::Step(to))));
    Ok(Made { edit: draft.finish(format!("Connect {} to {}", origin.name(), destination.name())), ids: vec![id] })
}

/// Leads a path from or to another step. `None` keeps an end as it is.
pub fn reconnect(document: &Document, path: EntityId, from: Option<EntityId>, to: Option<EntityId>) -> Result<Edit, Refused> {
    let Some(path) = document.path(path) else { return refuse("This path is not in the document any more.") };
    let Some((old_from, old_to)) = path.entity.ends.clone() else { return refuse("This path has no ends.") };
    let graph = path.entity.parent;
    for step in [from, to].into_iter().flatten() {
        if document.step(step).is_none_or(|step| step.graph_id() != graph) {
            return refuse("A path connects two steps of one graph.");
        }
    }
    let ends = (from.map_or(old_from, End::Step), to.map_or(old_to, End::Step));
    let taken = path.entity.ends.as_ref() != Some(&ends)
        && document
            .graph(graph)
            .is_some_and(|graph| graph.paths().any(|other| other.id() != path.id() && other.entity.ends.as_ref() == Some(&ends)));
    if taken && matches!(ends, (End::Step(_), End::Step(_))) {
        return refuse("These two steps are connected in that direction already.");
    }
    Ok(Edit::new("Reconnect path", vec![Change::SetEnds { id: path.id(), ends }]))
}

/// Whether a path leads from one step to another.
fn connected(document: &Document, graph: EntityId, from: EntityId, to: EntityId) -> bool {
    document.graph(graph).is_some_and(|graph| graph.paths().any(|path| path.from() == Some(from) && path.to() == Some(to)))
}
