//! What a person does on the canvas, as edits: put together from the model's.

use std::collections::BTreeSet;

use loopwright_lang::{Object, Value, json};
use loopwright_model::{
    Change, Document, Edit, End, Entity, EntityId, EntityKind, Refused, StepKind,
    document::ROOT,
    edits::{self, Made, NewStep},
};

use crate::{platform::page::new_uuid, text};

/// What a palette item, or quick-add, makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipe {
    /// A step of a kind that calls nothing yet.
    Kind(StepKind),
    /// A step that calls an action, an agent or a prompt of the document.
    Calls(EntityId),
    /// A note.
    Note,
}

/// Where a new node goes, and what it is connected with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spot {
    /// Its top left corner.
    pub at: (f64, f64),
    /// A path leads to it from here.
    pub after: Option<EntityId>,
    /// A path leads from it to here.
    pub before: Option<EntityId>,
    /// It is inserted into this path.
    pub onto: Option<EntityId>,
}

/// The kind of step that calls something.
fn kind_of(document: &Document, recipe: Recipe) -> StepKind {
    let called = if let Recipe::Calls(id) = recipe { document.get(id).map(|entity| entity.kind) } else { None };
    match (recipe, called) {
        (Recipe::Kind(kind), _) => kind,
        (_, Some(EntityKind::Prompt)) => StepKind::Prompt,
        (_, Some(EntityKind::Agent | EntityKind::Graph)) => StepKind::SubAgent,
        _ => StepKind::Action,
    }
}

/// Adds a step or a note. The first new entity is it.
pub fn add(document: &Document, graph: EntityId, recipe: Recipe, spot: Spot) -> Result<Made, Refused> {
    if recipe == Recipe::Note {
        return edits::add_note(document, graph, "", spot.at);
    }
    let kind = kind_of(document, recipe);
    let name = matches!(recipe, Recipe::Kind(_)).then(|| text::kind_name(kind));
    let calls = if let Recipe::Calls(id) = recipe { Some(id) } else { None };
    let step = NewStep { kind, position: spot.at, calls, name };
    if let Some(path) = spot.onto {
        return edits::add_step_on_path(document, path, &step, &mut new_uuid);
    }
    let mut made = edits::add_step(document, graph, &step, &mut new_uuid)?;
    let Some(id) = made.ids.first().copied() else { return Ok(made) };
    for (from, to) in [(spot.after, Some(id)), (Some(id), spot.before)] {
        if let (Some(from), Some(to)) = (from, to) {
            let count = u32::try_from(made.ids.len()).unwrap_or_default();
            let path = new_path(EntityId(id.0 + count), graph, from, to);
            made.ids.push(path.id);
            made.edit.changes.push(Change::Insert { index: document.children(graph).len() + count as usize, entity: path });
        }
    }
    Ok(made)
}

fn new_path(id: EntityId, graph: EntityId, from: EntityId, to: EntityId) -> Entity {
    let fields = Object::from_iter([("ID", Value::text(new_uuid()))]);
    Entity { id, kind: EntityKind::Path, parent: graph, fields, ends: Some((End::Step(from), End::Step(to))), origin: None }
}

/// Puts an action, an agent or a prompt into a loop's body. `None`: that is no body.
pub fn set_body(document: &Document, step: EntityId, recipe: Recipe) -> Option<Result<Edit, Refused>> {
    match recipe {
        Recipe::Calls(id) => Some(edits::set_call(document, step, id)),
        Recipe::Kind(kind @ (StepKind::Action | StepKind::SubAgent | StepKind::Prompt)) => {
            Some(edits::set_column(document, step, "LoopBodyType", Value::text(kind.name())))
        }
        _ => None,
    }
}

/// Lets a step be of another kind, or call something else; name, place and paths stay.
pub fn replace(document: &Document, step: EntityId, recipe: Recipe) -> Option<Result<Edit, Refused>> {
    match recipe {
        Recipe::Calls(id) => Some(edits::set_call(document, step, id)),
        Recipe::Kind(kind) => Some(edits::set_kind(document, step, kind)),
        Recipe::Note => None,
    }
}

/// Puts a step that is there into a path, and moves it.
pub fn put_on_path(document: &Document, step: EntityId, path: EntityId, by: (f64, f64)) -> Option<Edit> {
    let path = document.path(path)?;
    let (from, to, graph) = (path.from()?, path.to()?, path.entity.parent);
    let mut changes = shift(document, &[step], by).changes;
    changes.push(Change::SetEnds { id: path.id(), ends: (End::Step(from), End::Step(step)) });
    let onward = new_path(document.next_id(), graph, step, to);
    changes.push(Change::Insert { index: document.children(graph).len(), entity: onward });
    Some(Edit::new(text::PUT_ON_PATH, changes))
}

/// The place of a step or a note.
fn position(document: &Document, id: EntityId) -> Option<(f64, f64)> {
    if let Some(step) = document.step(id) {
        return Some(step.position());
    }
    let note = document.get(id).filter(|entity| entity.kind == EntityKind::Note)?;
    let number = |name| note.fields.get(name).and_then(Value::as_number).filter(|number| number.is_finite()).unwrap_or(0.0);
    Some((number("x"), number("y")))
}

/// Moves steps and notes by a distance.
pub fn shift(document: &Document, ids: &[EntityId], by: (f64, f64)) -> Edit {
    let places: Vec<_> =
        ids.iter().filter_map(|id| Some((*id, position(document, *id)?))).map(|(id, (x, y))| (id, x + by.0, y + by.1)).collect();
    edits::move_to(document, &places)
}

/// Puts steps and notes where tidy-up wants them.
pub fn arrange(document: &Document, places: &[(EntityId, f64, f64)]) -> Edit {
    Edit { label: text::TIDY_UP.to_owned(), ..edits::move_to(document, places) }
}

/// Gives a note another size.
pub fn resize_note(id: EntityId, width: f64, height: f64) -> Edit {
    Edit::new(text::RESIZE_NOTE, vec![Change::set(id, "width", width.round()), Change::set(id, "height", height.round())])
}

/// Deletes steps with their paths, paths and notes. With `reconnect`, what led to a deleted step leads on to what followed it.
pub fn delete(document: &Document, ids: &BTreeSet<EntityId>, reconnect: bool) -> Edit {
    let ids: Vec<EntityId> = ids.iter().copied().collect();
    if reconnect { edits::delete_and_reconnect(document, &ids, &mut new_uuid) } else { edits::delete(document, &ids) }
}

/// Lets steps run, or not.
pub fn set_active(document: &Document, ids: &[EntityId], active: bool) -> Edit {
    let change = |id: &EntityId| {
        let word = if active { "Active" } else { "Disabled" };
        // Active is the default: a step that says nothing keeps saying nothing.
        let fresh = active && document.field(*id, "Status").is_none();
        if fresh { None } else { edits::set_column(document, *id, "Status", Value::text(word)).ok() }
    };
    let changes = ids.iter().filter_map(change).flat_map(|edit| edit.changes).collect();
    Edit::new(if active { text::ENABLE } else { text::DISABLE }, changes)
}

/// Gives the document another title.
pub fn retitle(title: &str) -> Edit {
    Edit::new(text::rename_to(title), vec![Change::set(ROOT, "title", title)])
}

/// The actions a new document begins with: what most flows call sooner or later.
const STARTER: &str = include_str!("../../assets/starter-actions.json");

/// A document with one empty flow and a catalogue of common actions.
pub fn empty_document() -> Document {
    let mut history = loopwright_model::History::default();
    let mut made = edits::add_graph(history.document(), text::MAIN_FLOW, &mut new_uuid);
    made.edit.changes.push(Change::set(ROOT, "title", text::UNTITLED));
    // Nothing stands in the way of the first graph of an empty document.
    let _ = history.apply(made.edit);
    let starters = json::parse(STARTER).value();
    for action in starters.as_ref().and_then(Value::as_list).into_iter().flat_map(|list| list.iter()).filter_map(Value::as_object) {
        let fields = Object::from_iter([("id", Value::text(new_uuid()))]);
        let fields = action.iter().fold(fields, |mut fields, (key, value)| {
            fields.insert(key.clone(), value.clone());
            fields
        });
        if let Ok(made) = edits::add_entry(history.document(), EntityKind::Action, fields) {
            let _ = history.apply(made.edit);
        }
    }
    history.document().clone()
}
