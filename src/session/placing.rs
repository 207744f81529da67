//! Places for what a file gave none: the tasks of plans and task graphs, whose own formats know no canvas.

use loopwright_lang::Value;
use loopwright_model::{Document, EntityId, GraphRef, History, edits, view::GraphKind};
use loopwright_stage::{LinkId, NodeId, NodeShape, Scene, SceneLink, SceneNode, tidy};

/// The document with every plan and task graph that has no places laid out. Places are not part of what those formats export, so a
/// file still comes out as it was.
pub fn placed(document: Document) -> Document {
    let moves: Vec<(EntityId, f64, f64)> = document.graphs().flat_map(places).collect();
    if moves.is_empty() {
        return document;
    }
    let mut history = History::new(document);
    let edit = edits::move_to(history.document(), &moves);
    // Moving what is there is never refused; if it were, the tasks would stand where they stood.
    let _ = history.apply(edit);
    history.document().clone()
}

fn places(graph: GraphRef<'_>) -> Vec<(EntityId, f64, f64)> {
    let by_list = matches!(graph.kind(), GraphKind::Plan | GraphKind::Tasks);
    if !by_list || graph.steps().any(|step| step.field("PositionX").and_then(Value::as_number).is_some()) {
        return Vec::new();
    }
    let shape = |step: loopwright_model::StepRef<'_>| if step.kind().is_loop() { NodeShape::Container } else { NodeShape::Card };
    let mut scene = Scene::default();
    scene.nodes.extend(graph.steps().map(|step| SceneNode::new(NodeId(step.id().0), shape(step), 0.0, 0.0)));
    let link =
        |(at, (from, to)): (usize, (EntityId, EntityId))| SceneLink { id: LinkId(at as u32), from: NodeId(from.0), to: NodeId(to.0) };
    scene.links.extend(graph.connectors().into_iter().enumerate().map(link));
    tidy(&scene).into_iter().map(|placed| (EntityId(placed.id.0), placed.at.x, placed.at.y)).collect()
}
