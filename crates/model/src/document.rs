//! The document: a tree of entities, each a record of fields in the order they were written.
//!
//! Every entity is a record, because a record keeps what we do not understand: unknown columns, a `Configuration` that
//! is no JSON, an ID of the wrong type. What a field *means* is read off it when asked (`view`, `config`).

use loopwright_lang::{Object, Value};

/// The number of an entity, counted in its document and never used again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct EntityId(pub u32);

/// The document itself.
pub const ROOT: EntityId = EntityId(0);

/// What an entity is. The parent of a graph, an action, an agent, a prompt, a scenario and a source is [`ROOT`]; the
/// parent of a step, a path and a note is its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum EntityKind {
    /// The document.
    Document,
    /// An agent: a graph of one of the kinds (field `kind`: absent or `flow`, `loop`, `plan`, `tasks`).
    Graph,
    /// A step of a graph, with the columns of an agent step.
    Step,
    /// A path between two steps, with the columns of a step path but for its two ends.
    Path,
    /// A note on the canvas (`text`, `x`, `y`, `width`, `height`).
    Note,
    /// An action of the catalogue (`id`, `name`, `description`, `inputs`, `outputs`).
    Action,
    /// An agent of the catalogue that is not a graph of this document.
    Agent,
    /// A prompt of the catalogue.
    Prompt,
    /// A scenario: starting payload and scripted calls.
    Scenario,
    /// An imported text (`name`, `format`, `text`).
    Source,
}

/// One end of a path.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// A step of the same graph.
    Step(EntityId),
    /// What the file said; there is no such step.
    Missing(Value),
}

/// Where in an imported text an entity came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The source entity.
    pub source: EntityId,
    /// Keys and places from the root of its JSON to the record.
    pub pointer: Vec<PointerPart>,
}

/// One step down into a JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PointerPart {
    /// A key of an object.
    Key(String),
    /// A place in a list.
    Place(usize),
}

/// One entity.
#[derive(Clone, Debug, PartialEq)]
pub struct Entity {
    /// Its number.
    pub id: EntityId,
    /// What it is.
    pub kind: EntityKind,
    /// What it belongs to; [`ROOT`] belongs to itself.
    pub parent: EntityId,
    /// Its fields, in order, known and unknown.
    pub fields: Object,
    /// The two ends of a path (origin, destination); nothing else has any.
    pub ends: Option<(End, End)>,
    /// Where it was imported from.
    pub origin: Option<Origin>,
}

/// A document. Changed only by [`crate::History`].
#[derive(Clone, Debug)]
pub struct Document {
    /// Entities by number; a removed one leaves `None`.
    entities: Vec<Option<Entity>>,
    /// The children of each entity, in document order.
    children: Vec<Vec<EntityId>>,
    /// How many ends of paths are at each entity: a step where a path ends cannot be removed.
    ends_at: Vec<u32>,
}

impl PartialEq for Document {
    /// The same entities in the same order; numbers that were used and are free again do not count.
    fn eq(&self, other: &Self) -> bool {
        self.entities().eq(other.entities()) && self.entities().all(|entity| self.children(entity.id) == other.children(entity.id))
    }
}

impl Default for Document {
    fn default() -> Self {
        Self::new()
    }
}

impl Document {
    /// An empty document.
    pub fn new() -> Self {
        let root = Entity { id: ROOT, kind: EntityKind::Document, parent: ROOT, fields: Object::new(), ends: None, origin: None };
        Self { entities: vec![Some(root)], children: vec![Vec::new()], ends_at: vec![0] }
    }

    /// The number the next new entity gets. Callers that build an edit with several new entities count on from here.
    pub fn next_id(&self) -> EntityId {
        EntityId(u32::try_from(self.entities.len()).unwrap_or(u32::MAX))
    }

    /// An entity, if it is there.
    pub fn get(&self, id: EntityId) -> Option<&Entity> {
        self.entities.get(id.0 as usize)?.as_ref()
    }

    /// The children of an entity, in document order.
    pub fn children(&self, id: EntityId) -> &[EntityId] {
        self.children.get(id.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// The children of one kind, in document order.
    pub fn children_of_kind(&self, id: EntityId, kind: EntityKind) -> impl Iterator<Item = &Entity> {
        self.children(id).iter().filter_map(|child| self.get(*child)).filter(move |entity| entity.kind == kind)
    }

    /// All entities in the order of their numbers.
    pub fn entities(&self) -> impl Iterator<Item = &Entity> {
        self.entities.iter().flatten()
    }

    /// One field of an entity.
    pub fn field(&self, id: EntityId, name: &str) -> Option<&Value> {
        self.get(id)?.fields.get(name)
    }

    pub(crate) fn get_mut(&mut self, id: EntityId) -> Option<&mut Entity> {
        self.entities.get_mut(id.0 as usize)?.as_mut()
    }

    /// Puts an entity in its place among its parent's children.
    pub(crate) fn insert(&mut self, entity: Entity, index: usize) {
        let at = entity.id.0 as usize;
        if self.entities.len() <= at {
            self.entities.resize(at + 1, None);
            self.children.resize(at + 1, Vec::new());
        }
        self.count_ends(entity.ends.as_ref(), 1);
        if let Some(siblings) = self.children.get_mut(entity.parent.0 as usize) {
            siblings.insert(index.min(siblings.len()), entity.id);
        }
        if let Some(place) = self.entities.get_mut(at) {
            *place = Some(entity);
        }
    }

    /// Takes an entity out; gives it and its place among its siblings.
    pub(crate) fn take(&mut self, id: EntityId) -> Option<(Entity, usize)> {
        let entity = self.entities.get_mut(id.0 as usize)?.take()?;
        let siblings = self.children.get_mut(entity.parent.0 as usize)?;
        let index = siblings.iter().position(|child| *child == id)?;
        siblings.remove(index);
        self.count_ends(entity.ends.as_ref(), -1);
        Some((entity, index))
    }

    /// Gives a path other ends; gives those it had.
    pub(crate) fn set_ends(&mut self, id: EntityId, ends: (End, End)) -> Option<(End, End)> {
        self.count_ends(Some(&ends), 1);
        let old = self.get_mut(id)?.ends.replace(ends);
        self.count_ends(old.as_ref(), -1);
        old
    }

    /// Whether a path starts or ends at an entity.
    pub(crate) fn has_ends(&self, id: EntityId) -> bool {
        self.ends_at.get(id.0 as usize).is_some_and(|count| *count > 0)
    }

    fn count_ends(&mut self, ends: Option<&(End, End)>, by: i32) {
        for end in ends.into_iter().flat_map(|(from, to)| [from, to]) {
            let End::Step(step) = end else { continue };
            let at = step.0 as usize;
            if self.ends_at.len() <= at {
                self.ends_at.resize(at + 1, 0);
            }
            if let Some(count) = self.ends_at.get_mut(at) {
                *count = count.saturating_add_signed(by);
            }
        }
    }

    /// Keeps numbers below `next` from being given to new entities.
    pub(crate) fn reserve(&mut self, next: EntityId) {
        let length = self.entities.len().max(next.0 as usize);
        self.entities.resize(length, None);
        self.children.resize(length, Vec::new());
    }

    pub(crate) fn children_mut(&mut self, id: EntityId) -> Option<&mut Vec<EntityId>> {
        self.children.get_mut(id.0 as usize)
    }
}
