//! The scene of a graph: what the document has of it, in the stage's terms.

use std::collections::HashMap;

use loopwright_lang::Value;
use loopwright_model::{Document, Entity, EntityId, EntityKind, GraphRef, StepKind};
use loopwright_stage::{LinkId, NodeId, NodeShape, Scene, SceneLink, SceneNode, sizes};

/// The stage's number of a step or a note.
pub fn node(id: EntityId) -> NodeId {
    NodeId(id.0)
}

/// The stage's number of a path.
pub fn link(id: EntityId) -> LinkId {
    LinkId(id.0)
}

/// The document's number of a node.
pub fn of_node(id: NodeId) -> EntityId {
    EntityId(id.0)
}

/// The document's number of a path.
pub fn of_link(id: LinkId) -> EntityId {
    EntityId(id.0)
}

/// The bit of a connector that stands for an entry of a task's list (`depends_on`, `after`) and is no entity itself.
const DERIVED: u32 = 1 << 31;

/// The stage's number of the connector to a task from the one that stands `at` in its list.
fn derived(task: EntityId, at: usize) -> LinkId {
    LinkId(DERIVED | (task.0 << 8) | (at as u32 & 0xff))
}

/// Whether a connector is read off a task's list, so that nothing can be put on it.
pub fn is_derived(id: LinkId) -> bool {
    id.0 & DERIVED != 0
}

/// What a person means who picks a connector: the path, or the task whose list it stands for.
pub fn subject(id: LinkId) -> EntityId {
    if is_derived(id) { EntityId((id.0 & !DERIVED) >> 8) } else { of_link(id) }
}

/// The shape a kind of step is drawn as.
pub fn shape(kind: StepKind) -> NodeShape {
    if kind.is_loop() { NodeShape::Container } else { NodeShape::Card }
}

/// The kind of a step, and that of a loop's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds {
    /// The step's.
    pub own: StepKind,
    /// The body's.
    pub body: Option<StepKind>,
}

/// A graph as a scene, and the kinds of its steps.
pub fn build(document: &Document, graph: EntityId) -> (Scene, HashMap<NodeId, Kinds>) {
    let mut scene = Scene::default();
    let mut kinds = HashMap::new();
    // Notes first: they lie under the steps.
    scene.nodes.extend(document.children_of_kind(graph, EntityKind::Note).map(note));
    let Some(graph) = document.graph(graph) else { return (scene, kinds) };
    for step in graph.steps() {
        let (x, y) = step.position();
        scene.nodes.push(SceneNode::new(node(step.id()), shape(step.kind()), x, y));
        let own = step.kind();
        let body =
            own.is_loop().then(|| step.reference_column().map(|column| column.kind).or(step.body_kind()).unwrap_or(StepKind::Action));
        kinds.insert(node(step.id()), Kinds { own, body });
    }
    scene
        .links
        .extend(graph.paths().filter_map(|path| Some(SceneLink { id: link(path.id()), from: node(path.from()?), to: node(path.to()?) })));
    scene.links.extend(connectors(graph));
    (scene, kinds)
}

/// The connectors of a plan or a task graph: its tasks' own lists say them.
fn connectors(graph: GraphRef<'_>) -> Vec<SceneLink> {
    let mut counts: HashMap<EntityId, usize> = HashMap::new();
    let link = |(from, to): (EntityId, EntityId)| {
        let at = counts.entry(to).or_default();
        *at += 1;
        SceneLink { id: derived(to, *at), from: node(from), to: node(to) }
    };
    graph.connectors().into_iter().map(link).collect()
}

fn note(entity: &Entity) -> SceneNode {
    let number = |name, other| entity.fields.get(name).and_then(Value::as_number).filter(|number| number.is_finite()).unwrap_or(other);
    let mut made = SceneNode::new(node(entity.id), NodeShape::Note, number("x", 0.0), number("y", 0.0));
    made.w = number("width", sizes::NOTE_W).max(sizes::NOTE_MIN_W);
    made.h = number("height", sizes::NOTE_H).max(sizes::NOTE_MIN_H);
    made
}
