//! What a person does to a flow, as edits: pure functions from the document to a named list of changes. New IDs come from
//! the caller.

use std::collections::{BTreeMap, BTreeSet};

use loopwright_lang::{Object, Value, json};
use loopwright_model::{Change, Document, Edit, End, Entity, EntityId, EntityKind, PathRef, StepKind, document::ROOT};

use crate::text;

/// Where new IDs come from.
pub type NewId = fn() -> String;

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

/// Counts new entities on from the document's.
struct Numbers(u32);

impl Numbers {
    fn of(document: &Document) -> Self {
        Self(document.next_id().0)
    }
    fn next(&mut self) -> EntityId {
        let id = EntityId(self.0);
        self.0 += 1;
        id
    }
}

fn insert(document: &Document, entity: Entity, shift: usize) -> Change {
    let index = document.children(entity.parent).len() + shift;
    Change::Insert { entity, index }
}

fn entity(id: EntityId, kind: EntityKind, parent: EntityId, fields: Object) -> Entity {
    Entity { id, kind, parent, fields, ends: None, origin: None }
}

fn new_path(id: EntityId, graph: EntityId, from: EntityId, to: EntityId, new_id: NewId) -> Entity {
    let fields = Object::from_iter([("ID", Value::text(new_id()))]);
    Entity { ends: Some((End::Step(from), End::Step(to))), ..entity(id, EntityKind::Path, graph, fields) }
}

/// Whether a path already leads from one step to the other.
pub fn are_connected(document: &Document, graph: EntityId, from: EntityId, to: EntityId) -> bool {
    document.graph(graph).is_some_and(|graph| graph.paths().any(|path| path.from() == Some(from) && path.to() == Some(to)))
}

/// A name no step of the graph has: `Send email`, `Send email 2`, …
fn free_name(document: &Document, graph: EntityId, wanted: &str, also: &BTreeSet<String>) -> String {
    let taken: BTreeSet<&str> = document.graph(graph).into_iter().flat_map(|graph| graph.steps().map(|step| step.name())).collect();
    let free = |name: &str| !taken.contains(name) && !also.contains(name);
    if free(wanted) {
        return wanted.to_owned();
    }
    (2..).map(|number| format!("{wanted} {number}")).find(|name| free(name)).unwrap_or_else(|| wanted.to_owned())
}

/// The fields of a new step, in the order of its columns.
fn step_fields(document: &Document, graph: EntityId, recipe: Recipe, at: (f64, f64), new_id: NewId) -> Object {
    let mut fields = Object::new();
    let called = if let Recipe::Calls(id) = recipe { document.get(id) } else { None };
    let kind = match (recipe, called.map(|entity| entity.kind)) {
        (Recipe::Kind(kind), _) => kind,
        (_, Some(EntityKind::Prompt)) => StepKind::Prompt,
        (_, Some(EntityKind::Agent | EntityKind::Graph)) => StepKind::SubAgent,
        _ => StepKind::Action,
    };
    let wanted = called.map(loopwright_model::catalogue::entity_name).filter(|name| !name.is_empty()).unwrap_or(text::kind_name(kind));
    fields.insert("ID", Value::text(new_id()));
    fields.insert("Name", Value::text(free_name(document, graph, wanted, &BTreeSet::new())));
    fields.insert("StepType", Value::text(kind.name()));
    if document.graph(graph).is_some_and(|graph| graph.steps().next().is_none()) {
        fields.insert("StartingStep", Value::Bool(true));
    }
    if let (Some(called), Some(column)) = (called, loopwright_model::columns::reference_of(kind)) {
        if let Some(id) = loopwright_model::catalogue::entity_id_text(called) {
            fields.insert(column.id, Value::text(id));
        }
        if let Some(name) = column.names.first() {
            fields.insert(*name, Value::text(wanted));
        }
    }
    let configuration = match kind {
        StepKind::ForEach => Some(vec![("type", "ForEach"), ("collectionPath", ""), ("itemVariable", "item")]),
        StepKind::While => Some(vec![("type", "While"), ("condition", ""), ("itemVariable", "attempt")]),
        _ => None,
    };
    if let Some(configuration) = configuration {
        fields.insert("LoopBodyType", Value::text("Action"));
        let value = Value::object(configuration.into_iter().map(|(key, value)| (key, Value::text(value))));
        fields.insert("Configuration", Value::text(json::print_compact(&value)));
    }
    fields.insert("PositionX", Value::Number(at.0));
    fields.insert("PositionY", Value::Number(at.1));
    fields
}

/// Adds a step or a note. Gives the edit and the new entity.
pub fn add(document: &Document, graph: EntityId, recipe: Recipe, spot: Spot, new_id: NewId) -> (Edit, EntityId) {
    let mut numbers = Numbers::of(document);
    let id = numbers.next();
    if recipe == Recipe::Note {
        let fields = Object::from_iter([
            ("text", Value::text("")),
            ("x", Value::Number(spot.at.0)),
            ("y", Value::Number(spot.at.1)),
            ("width", Value::Number(loopwright_stage::sizes::NOTE_W)),
            ("height", Value::Number(loopwright_stage::sizes::NOTE_H)),
        ]);
        return (Edit::new(text::ADD_NOTE, vec![insert(document, entity(id, EntityKind::Note, graph, fields), 0)]), id);
    }
    let fields = step_fields(document, graph, recipe, spot.at, new_id);
    let label = text::add_step(fields.get("Name").and_then(Value::as_str).unwrap_or_default());
    let mut changes = vec![insert(document, entity(id, EntityKind::Step, graph, fields), 0)];
    let split = spot.onto.and_then(|path| document.path(path)).and_then(|path| Some((path, path.from()?, path.to()?)));
    if let Some((path, from, to)) = split {
        changes.push(Change::SetEnds { id: path.id(), ends: (End::Step(from), End::Step(id)) });
        changes.push(insert(document, new_path(numbers.next(), graph, id, to, new_id), 1));
    } else {
        let mut shift = 1;
        for (from, to) in [(spot.after, Some(id)), (Some(id), spot.before)] {
            if let (Some(from), Some(to)) = (from, to) {
                changes.push(insert(document, new_path(numbers.next(), graph, from, to, new_id), shift));
                shift += 1;
            }
        }
    }
    (Edit::new(label, changes), id)
}

/// Puts an action, an agent or a prompt into a loop's body.
pub fn set_body(document: &Document, step: EntityId, recipe: Recipe) -> Option<Edit> {
    let called = if let Recipe::Calls(id) = recipe { document.get(id) } else { None };
    let kind = match (recipe, called.map(|entity| entity.kind)) {
        (Recipe::Kind(kind @ (StepKind::Action | StepKind::SubAgent | StepKind::Prompt)), _) => kind,
        (_, Some(EntityKind::Prompt)) => StepKind::Prompt,
        (_, Some(EntityKind::Agent | EntityKind::Graph)) => StepKind::SubAgent,
        (_, Some(EntityKind::Action)) => StepKind::Action,
        _ => return None,
    };
    let mut changes = vec![Change::set(step, "LoopBodyType", kind.name())];
    for column in &loopwright_model::columns::REFERENCES {
        let own = column.kind == kind;
        let id = called.filter(|_| own).and_then(loopwright_model::catalogue::entity_id_text);
        let name = called.filter(|_| own).map(loopwright_model::catalogue::entity_name);
        changes.push(id.map_or_else(|| Change::unset(step, column.id), |id| Change::set(step, column.id, id)));
        for (place, view) in column.names.iter().enumerate() {
            let name = name.filter(|_| place == 0);
            changes.push(name.map_or_else(|| Change::unset(step, *view), |name| Change::set(step, *view, name)));
        }
    }
    let what = called.map(loopwright_model::catalogue::entity_name).unwrap_or(text::kind_name(kind));
    Some(Edit::new(text::set_body(what), changes))
}

/// Connects two steps.
pub fn connect(document: &Document, graph: EntityId, from: EntityId, to: EntityId, new_id: NewId) -> (Edit, EntityId) {
    let id = Numbers::of(document).next();
    (Edit::new(text::CONNECT, vec![insert(document, new_path(id, graph, from, to, new_id), 0)]), id)
}

/// Hangs one end of a path on another step.
pub fn reconnect(document: &Document, path: EntityId, at_start: bool, step: EntityId) -> Option<Edit> {
    let (from, to) = document.get(path)?.ends.clone()?;
    let ends = if at_start { (End::Step(step), to) } else { (from, End::Step(step)) };
    Some(Edit::new(text::RECONNECT, vec![Change::SetEnds { id: path, ends }]))
}

/// Puts a step that is there into a path, and moves it.
pub fn put_on_path(document: &Document, step: EntityId, path: EntityId, by: (f64, f64), new_id: NewId) -> Option<Edit> {
    let path = document.path(path)?;
    let (from, to, graph) = (path.from()?, path.to()?, path.entity.parent);
    let mut changes = moves(document, &[step], by);
    changes.push(Change::SetEnds { id: path.id(), ends: (End::Step(from), End::Step(step)) });
    changes.push(insert(document, new_path(Numbers::of(document).next(), graph, step, to, new_id), 0));
    Some(Edit::new(text::PUT_ON_PATH, changes))
}

fn position_columns(kind: EntityKind) -> Option<[&'static str; 2]> {
    match kind {
        EntityKind::Step => Some(["PositionX", "PositionY"]),
        EntityKind::Note => Some(["x", "y"]),
        _ => None,
    }
}

/// The place of a step or a note.
pub fn position(entity: &Entity) -> Option<(f64, f64)> {
    let [x, y] = position_columns(entity.kind)?;
    let number = |name| entity.fields.get(name).and_then(Value::as_number).filter(|number| number.is_finite()).unwrap_or(0.0);
    Some((number(x), number(y)))
}

fn moves(document: &Document, ids: &[EntityId], by: (f64, f64)) -> Vec<Change> {
    ids.iter().filter_map(|id| document.get(*id)).filter_map(|entity| Some((entity.id, position(entity)?))).flat_map(|(id, (x, y))| place(document, id, (x + by.0, y + by.1))).collect()
}

fn place(document: &Document, id: EntityId, (x, y): (f64, f64)) -> Vec<Change> {
    let columns = document.get(id).and_then(|entity| position_columns(entity.kind));
    columns.map_or_else(Vec::new, |[column_x, column_y]| vec![Change::set(id, column_x, x), Change::set(id, column_y, y)])
}

/// Moves steps and notes.
pub fn shift(document: &Document, ids: &[EntityId], by: (f64, f64)) -> Edit {
    Edit::new(text::move_things(document, ids), moves(document, ids, by))
}

/// Puts steps and notes where tidy-up wants them.
pub fn arrange(document: &Document, places: &[(EntityId, (f64, f64))]) -> Edit {
    Edit::new(text::TIDY_UP, places.iter().flat_map(|(id, at)| place(document, *id, *at)).collect())
}

/// Gives a note another size.
pub fn resize_note(id: EntityId, width: f64, height: f64) -> Edit {
    Edit::new(text::RESIZE_NOTE, vec![Change::set(id, "width", width), Change::set(id, "height", height)])
}

/// Deletes steps with their paths, paths and notes. With `reconnect`, what led to a deleted step leads on to what followed it.
pub fn delete(document: &Document, ids: &BTreeSet<EntityId>, reconnect: bool, new_id: NewId) -> Edit {
    let mut changes = Vec::new();
    let mut new = Vec::new();
    let mut numbers = Numbers::of(document);
    let graphs: BTreeSet<EntityId> = ids.iter().filter_map(|id| document.get(*id)).map(|entity| entity.parent).collect();
    for graph in graphs.iter().filter_map(|graph| document.graph(*graph)) {
        let ends_here = |path: &PathRef<'_>| [path.from(), path.to()].iter().flatten().any(|end| ids.contains(end));
        let paths: Vec<_> = graph.paths().filter(|path| ids.contains(&path.id()) || ends_here(path)).collect();
        if reconnect {
            for (from, to) in bridges(graph, ids) {
                new.push(new_path(numbers.next(), graph.id(), from, to, new_id));
            }
        }
        changes.extend(paths.iter().map(|path| Change::Remove(path.id())));
    }
    let is_path = |id: &EntityId| document.path(*id).is_some();
    changes.extend(ids.iter().filter(|id| document.get(**id).is_some() && !is_path(id)).map(|id| Change::Remove(*id)));
    changes.extend(new.into_iter().map(|path| insert(document, path, 0)));
    Edit::new(text::delete_things(document, ids), changes)
}

/// From each step that led into the deleted ones to each that followed them, without those that are connected anyway.
fn bridges(graph: loopwright_model::GraphRef<'_>, gone: &BTreeSet<EntityId>) -> Vec<(EntityId, EntityId)> {
    let links: Vec<(EntityId, EntityId)> = graph.paths().filter_map(|path| Some((path.from()?, path.to()?))).collect();
    let mut found = Vec::new();
    for (from, first) in links.iter().filter(|(from, to)| !gone.contains(from) && gone.contains(to)) {
        let mut seen = BTreeSet::from([*first]);
        let mut todo = vec![*first];
        while let Some(step) = todo.pop() {
            for (_, to) in links.iter().filter(|(origin, _)| *origin == step) {
                if !gone.contains(to) {
                    if !links.contains(&(*from, *to)) && !found.contains(&(*from, *to)) {
                        found.push((*from, *to));
                    }
                } else if seen.insert(*to) {
                    todo.push(*to);
                }
            }
        }
    }
    found
}

/// Copies of steps, notes and the paths between them, moved by a distance. Gives the edit and the new steps and notes.
pub fn copies(document: &Document, graph: EntityId, originals: &[Entity], by: (f64, f64), label: String, new_id: NewId) -> (Edit, BTreeSet<EntityId>) {
    let mut numbers = Numbers::of(document);
    let mut changes = Vec::new();
    let mut made = BTreeMap::new();
    let mut names = BTreeSet::new();
    for original in originals.iter().filter(|entity| entity.kind != EntityKind::Path) {
        let id = numbers.next();
        let mut fields = original.fields.clone();
        if original.kind == EntityKind::Step {
            fields.insert("ID", Value::text(new_id()));
            fields.remove("StartingStep");
            let name = free_name(document, graph, fields.get("Name").and_then(Value::as_str).unwrap_or_default(), &names);
            names.insert(name.clone());
            fields.insert("Name", Value::text(name));
        }
        if let (Some([x, y]), Some(at)) = (position_columns(original.kind), position(original)) {
            fields.insert(x, Value::Number(at.0 + by.0));
            fields.insert(y, Value::Number(at.1 + by.1));
        }
        changes.push(insert(document, entity(id, original.kind, graph, fields), made.len()));
        made.insert(original.id, id);
    }
    let mut shift = made.len();
    for original in originals {
        let Some((End::Step(from), End::Step(to))) = &original.ends else { continue };
        if let (Some(from), Some(to)) = (made.get(from), made.get(to)) {
            let mut path = new_path(numbers.next(), graph, *from, *to, new_id);
            for (key, value) in original.fields.iter().filter(|(key, _)| key.as_str() != "ID") {
                path.fields.insert(key.clone(), value.clone());
            }
            changes.push(insert(document, path, shift));
            shift += 1;
        }
    }
    (Edit::new(label, changes), made.into_values().collect())
}

/// What a selection stands for when it is copied: its steps, its notes, and the paths between its steps.
pub fn selected(document: &Document, ids: &BTreeSet<EntityId>) -> Vec<Entity> {
    let inside = |entity: &Entity| match &entity.ends {
        Some((End::Step(from), End::Step(to))) => ids.contains(from) && ids.contains(to),
        Some(_) => false,
        None => ids.contains(&entity.id),
    };
    let graphs: BTreeSet<EntityId> = ids.iter().filter_map(|id| document.get(*id)).map(|entity| entity.parent).collect();
    graphs.iter().flat_map(|graph| document.children(*graph)).filter_map(|id| document.get(*id)).filter(|entity| inside(entity)).cloned().collect()
}

/// Gives a step another name.
pub fn rename(id: EntityId, name: &str) -> Edit {
    Edit::new(text::rename_to(name), vec![Change::set(id, "Name", name)])
}

/// Lets steps run, or not.
pub fn set_active(ids: &[EntityId], active: bool) -> Edit {
    let change = |id: &EntityId| if active { Change::unset(*id, "Status") } else { Change::set(*id, "Status", "Disabled") };
    Edit::new(if active { text::ENABLE } else { text::DISABLE }, ids.iter().map(change).collect())
}

/// Makes a step the one the flow starts at.
pub fn make_start(document: &Document, step: EntityId) -> Option<Edit> {
    let graph = document.graph(document.get(step)?.parent)?;
    let mut changes: Vec<Change> = graph.steps().filter(|other| other.is_start() && other.id() != step).map(|other| Change::unset(other.id(), "StartingStep")).collect();
    changes.push(Change::set(step, "StartingStep", true));
    Some(Edit::new(text::MAKE_START, changes))
}

/// Gives the document another title.
pub fn retitle(title: &str) -> Edit {
    Edit::new(text::rename_to(title), vec![Change::set(ROOT, "title", title)])
}

/// A document with one empty flow.
pub fn empty_document(new_id: NewId) -> Document {
    let fields = Object::from_iter([("ID", Value::text(new_id())), ("Name", Value::text(text::MAIN_FLOW))]);
    let mut history = loopwright_model::History::default();
    let graph = entity(EntityId(1), EntityKind::Graph, ROOT, fields);
    // Nothing stands in the way of the first entity of an empty document.
    let _ = history.apply(Edit::new("", vec![Change::set(ROOT, "title", text::UNTITLED), Change::Insert { entity: graph, index: 0 }]));
    history.document().clone()
}
