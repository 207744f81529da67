//! Edits: five primitives, and named lists of them. The inverse is computed when an edit is applied.

use loopwright_lang::Value;

use crate::{Document, End, Entity, EntityId, EntityKind, document::ROOT};

/// One primitive change.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Puts a new entity (or one that was removed) at a place among its parent's children.
    Insert {
        /// The entity, with its number and parent.
        entity: Entity,
        /// Its place among its siblings of all kinds.
        index: usize,
    },
    /// Takes out an entity that has no children and that no path ends at.
    Remove(EntityId),
    /// Gives an entity another place among its siblings.
    Move {
        /// Which one.
        id: EntityId,
        /// Its new place.
        index: usize,
    },
    /// Sets a field, or takes it away.
    SetField {
        /// Whose.
        id: EntityId,
        /// Which.
        name: String,
        /// Its new value; `None` takes it away.
        value: Option<Value>,
        /// Where a new field goes; `None` is the end.
        index: Option<usize>,
    },
    /// Gives a path other ends.
    SetEnds {
        /// The path.
        id: EntityId,
        /// Where it starts and where it leads.
        ends: (End, End),
    },
}

impl Change {
    /// Sets a field.
    pub fn set(id: EntityId, name: impl Into<String>, value: impl Into<Value>) -> Self {
        Self::SetField { id, name: name.into(), value: Some(value.into()), index: None }
    }

    /// Takes a field away.
    pub fn unset(id: EntityId, name: impl Into<String>) -> Self {
        Self::SetField { id, name: name.into(), value: None, index: None }
    }
}

/// What one act of a person changes: one undo step.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// What was done, in the imperative: `Move 3 steps`, `Rename step`.
    pub label: String,
    /// The changes, in order.
    pub changes: Vec<Change>,
    /// Edits in a row with the same key become one undo step (typing in one field).
    pub merge: Option<String>,
}

impl Edit {
    /// An edit of its own.
    pub fn new(label: impl Into<String>, changes: Vec<Change>) -> Self {
        Self { label: label.into(), changes, merge: None }
    }

    /// The same edit, merging with the one before of the same key.
    pub fn merging(mut self, key: impl Into<String>) -> Self {
        self.merge = Some(key.into());
        self
    }
}

/// What an edit touched, for whoever shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// Entities whose fields or ends changed, or that came or went; each once, by number.
    pub ids: Vec<EntityId>,
    /// Whether entities came, went or moved in order.
    pub structure: bool,
}

impl Touched {
    fn add(&mut self, id: EntityId) {
        self.ids.push(id);
    }
}

/// Why an edit was not applied. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(pub String);

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Applies all of `changes` or none. Gives the exact inverse, in the order to apply it.
pub(crate) fn apply_all(document: &mut Document, changes: &[Change]) -> Result<(Vec<Change>, Touched), Refused> {
    let mut inverse = Vec::with_capacity(changes.len());
    let mut touched = Touched::default();
    for change in changes {
        match apply_one(document, change, &mut touched) {
            Ok(Some(back)) => inverse.push(back),
            Ok(None) => {}
            Err(refused) => {
                for back in inverse.iter().rev() {
                    // Taking back what was just done cannot be refused.
                    let _ = apply_one(document, back, &mut Touched::default());
                }
                return Err(refused);
            }
        }
    }
    inverse.reverse();
    touched.ids.sort_unstable();
    touched.ids.dedup();
    Ok((inverse, touched))
}

/// Applies one change. `None`: it changed nothing.
fn apply_one(document: &mut Document, change: &Change, touched: &mut Touched) -> Result<Option<Change>, Refused> {
    let gone = |id: EntityId| Refused(format!("There is no entity {} any more.", id.0));
    match change {
        Change::Insert { entity, index } => {
            if entity.id == ROOT || document.get(entity.id).is_some() {
                return Err(Refused(format!("The number {} is taken.", entity.id.0)));
            }
            if entity.id > document.next_id() {
                return Err(Refused(format!("New numbers count on from {}; {} is too far.", document.next_id().0, entity.id.0)));
            }
            if document.get(entity.parent).is_none() {
                return Err(gone(entity.parent));
            }
            if (entity.kind == EntityKind::Path) != entity.ends.is_some() {
                return Err(Refused("A path has two ends, and nothing else has any.".into()));
            }
            check_ends(document, entity.parent, entity.ends.as_ref())?;
            document.insert(entity.clone(), *index);
            touched.add(entity.id);
            touched.structure = true;
            Ok(Some(Change::Remove(entity.id)))
        }
        Change::Remove(id) => {
            document.get(*id).ok_or_else(|| gone(*id))?;
            if *id == ROOT || !document.children(*id).is_empty() {
                return Err(Refused("What still holds something cannot be removed.".into()));
            }
            if document.has_ends(*id) {
                return Err(Refused("A path still ends at this step.".into()));
            }
            let (entity, index) = document.take(*id).ok_or_else(|| gone(*id))?;
            touched.add(*id);
            touched.structure = true;
            Ok(Some(Change::Insert { entity, index }))
        }
        Change::Move { id, index } => {
            let parent = document.get(*id).ok_or_else(|| gone(*id))?.parent;
            let siblings = document.children_mut(parent).ok_or_else(|| gone(parent))?;
            let from = siblings.iter().position(|child| child == id).ok_or_else(|| gone(*id))?;
            let to = (*index).min(siblings.len().saturating_sub(1));
            if from == to {
                return Ok(None);
            }
            let child = siblings.remove(from);
            siblings.insert(to, child);
            touched.add(*id);
            touched.structure = true;
            Ok(Some(Change::Move { id: *id, index: from }))
        }
        Change::SetField { id, name, value, index } => {
            let fields = &mut document.get_mut(*id).ok_or_else(|| gone(*id))?.fields;
            let place = fields.index_of(name);
            if fields.get(name).map(same_text) == value.as_ref().map(same_text) {
                return Ok(None);
            }
            let old = match value {
                Some(value) => match (place, index) {
                    (None, Some(index)) => fields.insert_at(*index, name.as_str(), value.clone()),
                    _ => fields.insert(name.as_str(), value.clone()),
                },
                None => fields.remove(name),
            };
            touched.add(*id);
            Ok(Some(Change::SetField { id: *id, name: name.clone(), value: old, index: place }))
        }
        Change::SetEnds { id, ends } => {
            let entity = document.get(*id).ok_or_else(|| gone(*id))?;
            let Some(old) = entity.ends.clone() else {
                return Err(Refused("Only a path has ends.".into()));
            };
            check_ends(document, entity.parent, Some(ends))?;
            if old == *ends {
                return Ok(None);
            }
            document.set_ends(*id, ends.clone());
            touched.add(*id);
            Ok(Some(Change::SetEnds { id: *id, ends: old }))
        }
    }
}

/// Two field values are the same only if they are written the same: `1` and `1.0` differ here.
fn same_text(value: &Value) -> String {
    loopwright_lang::json::print_compact(value)
}

/// The ends of a path are steps of the same graph, or say what was missing.
fn check_ends(document: &Document, graph: EntityId, ends: Option<&(End, End)>) -> Result<(), Refused> {
    let Some((from, to)) = ends else { return Ok(()) };
    for end in [from, to] {
        if let End::Step(step) = end {
            let fits = document.get(*step).is_some_and(|entity| entity.kind == EntityKind::Step && entity.parent == graph);
            if !fits {
                return Err(Refused("A path connects two steps of one graph.".into()));
            }
        }
    }
    Ok(())
}
