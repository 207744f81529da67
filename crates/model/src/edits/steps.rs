//! Adding, moving and deleting steps.

use std::collections::BTreeSet;

use loopwright_lang::{Object, Value, json};

use super::{
    Draft, Made, NewId,
    columns::{column_change, prefers_text},
    count, refuse, unique,
};
use crate::{
    Change, Document, Edit, End, EntityId, EntityKind, GraphKind, GraphRef, PathRef, Refused, StepKind, StepRef,
    catalogue::{entity_id_text, entity_name},
    columns::REFERENCES,
};

/// A step to be added.
#[derive(Clone, Debug)]
pub struct NewStep<'a> {
    /// What kind of step.
    pub kind: StepKind,
    /// Its place on the canvas, in world pixels.
    pub position: (f64, f64),
    /// What it (or its body) calls: an action, an agent or a prompt of the catalogue, or a graph.
    pub calls: Option<EntityId>,
    /// Its name; without one it gets that of what it calls, or of its kind.
    pub name: Option<&'a str>,
}

/// Adds a step to a graph; the first one becomes the start.
pub fn add_step(document: &Document, graph: EntityId, step: &NewStep<'_>, new_id: NewId<'_>) -> Result<Made, Refused> {
    let Some(graph) = document.graph(graph) else { return refuse("This graph is not in the document any more.") };
    if graph.kind() == GraphKind::Plan {
        return super::plan::add_task(document, graph.id(), step.kind, step.calls, step.position, &[]);
    }
    let mut draft = Draft::new(document);
    let fields = new_fields(graph, step, new_id);
    let label = format!("Add {}", fields.get("Name").and_then(Value::as_str).unwrap_or("step"));
    let id = draft.add(EntityKind::Step, graph.id(), fields, None);
    Ok(Made { edit: draft.finish(label), ids: vec![id] })
}

/// Adds a step in the middle of a path: the path leads to it and keeps its condition, a new one leads on.
pub fn add_step_on_path(document: &Document, path: EntityId, step: &NewStep<'_>, new_id: NewId<'_>) -> Result<Made, Refused> {
    let Some(path) = document.path(path) else { return refuse("This path is not in the document any more.") };
    let Some((from, to)) = path.entity.ends.clone() else { return refuse("This path has no ends.") };
    let Some(graph) = document.graph(path.entity.parent) else { return refuse("This graph is not in the document any more.") };
    let mut draft = Draft::new(document);
    let fields = new_fields(graph, step, new_id);
    let label = format!("Insert {}", fields.get("Name").and_then(Value::as_str).unwrap_or("step"));
    let id = draft.add(EntityKind::Step, graph.id(), fields, None);
    draft.push(Change::SetEnds { id: path.id(), ends: (from, End::Step(id)) });
    let onward = draft.add(EntityKind::Path, graph.id(), Object::from_iter([("ID", Value::text(new_id()))]), Some((End::Step(id), to)));
    Ok(Made { edit: draft.finish(label), ids: vec![id, onward] })
}

/// The columns of a new step.
fn new_fields(graph: GraphRef<'_>, step: &NewStep<'_>, new_id: NewId<'_>) -> Object {
    let document = graph.document;
    let called = step.calls.and_then(|id| document.get(id));
    let own = called.map(entity_name).filter(|name| !name.is_empty());
    let usual = match step.kind {
        StepKind::Action => "Action",
        StepKind::SubAgent => "Sub-agent",
        StepKind::Prompt => "Prompt",
        StepKind::ForEach => "For each",
        StepKind::While => "While",
        StepKind::Refine => "Refine",
        StepKind::Unknown => "Step",
    };
    let wish = match (step.name, own) {
        (Some(name), _) => name.to_owned(),
        (None, Some(own)) if step.kind.is_loop() => format!("{usual}: {own}"),
        (None, own) => own.unwrap_or(usual).to_owned(),
    };
    let mut fields = Object::new();
    fields.insert("ID", Value::text(new_id()));
    fields.insert("Name", Value::text(unique_step_name(graph, &wish)));
    fields.insert("StepType", Value::text(step.kind.name()));
    if graph.steps().next().is_none() {
        fields.insert("StartingStep", Value::Bool(true));
    }
    if let Some(column) = called.and_then(|entity| {
        let kind = if entity.kind == EntityKind::Graph { EntityKind::Agent } else { entity.kind };
        REFERENCES.iter().find(|column| column.entity == kind)
    }) {
        if let Some(id) = called.and_then(entity_id_text) {
            fields.insert(column.id, Value::text(id));
        }
        if let (Some(name), Some(view)) = (own, column.names.first()) {
            fields.insert(*view, Value::text(name));
        }
        if step.kind.is_loop() {
            fields.insert("LoopBodyType", Value::text(column.kind.name()));
        }
    } else if matches!(step.kind, StepKind::ForEach | StepKind::While) {
        fields.insert("LoopBodyType", Value::text(StepKind::Action.name()));
    }
    let configuration = match step.kind {
        StepKind::ForEach => Some(Value::object([("type", Value::text("ForEach")), ("collectionPath", Value::text(""))])),
        StepKind::While => Some(Value::object([("type", Value::text("While")), ("condition", Value::text(""))])),
        StepKind::Refine => Some(Value::object([("type", Value::text("Refine")), ("maxRounds", Value::Number(3.0))])),
        _ => None,
    };
    if let Some(configuration) = configuration {
        let first = graph.steps().next().map_or(graph.id(), StepRef::id);
        let text = prefers_text(document, first, "");
        fields.insert("Configuration", if text { Value::text(json::print_compact(&configuration)) } else { configuration });
    }
    let (x, y) = step.position;
    fields.insert("PositionX", Value::Number(whole(x)));
    fields.insert("PositionY", Value::Number(whole(y)));
    fields
}

/// A place on the canvas as the columns hold it: a whole number.
fn whole(at: f64) -> f64 {
    // Adding zero makes −0 the 0 it is on the canvas.
    if at.is_finite() { (at + 0.5).floor() + 0.0 } else { 0.0 }
}

/// A name for a step that no other step of the graph has: the wished one, or that with the first free number.
pub fn unique_step_name(graph: GraphRef<'_>, wish: &str) -> String {
    let taken: BTreeSet<&str> = graph.steps().map(|step| step.name()).collect();
    unique(wish, |name| taken.contains(name))
}

/// Moves steps and notes to places on the canvas, in world pixels.
pub fn move_to(document: &Document, places: &[(EntityId, f64, f64)]) -> Edit {
    let mut draft = Draft::new(document);
    let (mut steps, mut notes) = (0, 0);
    for (id, x, y) in places {
        let note = document.get(*id).is_some_and(|entity| entity.kind == EntityKind::Note);
        *(if note { &mut notes } else { &mut steps }) += 1;
        for (column, at) in if note { [("x", *x), ("y", *y)] } else { [("PositionX", *x), ("PositionY", *y)] } {
            // A place that is the same number is not written anew, whatever its spelling or absence.
            let now = document.field(*id, column).and_then(Value::as_number).unwrap_or(0.0);
            if now != whole(at) {
                draft.push(column_change(document, *id, column, Value::Number(whole(at))));
            }
        }
    }
    let what = if steps == 0 && notes > 0 { count(notes, "note") } else { count(steps, "step") };
    draft.finish(format!("Move {what}"))
}

/// Deletes steps, paths and notes, and the paths that end at deleted steps.
pub fn delete(document: &Document, ids: &[EntityId]) -> Edit {
    let mut draft = Draft::new(document);
    let doomed: BTreeSet<EntityId> = ids.iter().copied().collect();
    let graphs: BTreeSet<EntityId> = ids.iter().filter_map(|id| document.get(*id)).map(|entity| entity.parent).collect();
    let (mut steps, mut paths, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    let mut asked = 0;
    for graph in graphs {
        for id in document.children(graph) {
            let Some(entity) = document.get(*id) else { continue };
            match entity.kind {
                EntityKind::Step if doomed.contains(id) => steps.push(*id),
                EntityKind::Note if doomed.contains(id) => notes.push(*id),
                EntityKind::Path => {
                    let hangs = entity
                        .ends
                        .iter()
                        .flat_map(|(from, to)| [from, to])
                        .any(|end| matches!(end, End::Step(step) if doomed.contains(step)));
                    asked += usize::from(doomed.contains(id));
                    if hangs || doomed.contains(id) {
                        paths.push(*id);
                    }
                }
                _ => {}
            }
        }
    }
    let label = match (steps.as_slice(), asked, notes.len()) {
        ([], 0, notes) => count(notes, "note"),
        ([], paths, _) => count(paths, "path"),
        ([only], ..) => document.step(*only).map_or("step", StepRef::name).to_owned(),
        (steps, ..) => count(steps.len(), "step"),
    };
    draft.extend(super::plan::forget(document, &steps));
    draft.extend(paths.into_iter().chain(steps).chain(notes).map(Change::Remove));
    draft.finish(format!("Delete {label}"))
}

/// Deletes steps and leads the paths that came to them on to where their paths went.
pub fn delete_and_reconnect(document: &Document, ids: &[EntityId], new_id: NewId<'_>) -> Edit {
    let doomed: BTreeSet<EntityId> = ids.iter().copied().filter(|id| document.step(*id).is_some()).collect();
    let mut draft = Draft::new(document);
    let mut removed: BTreeSet<EntityId> = BTreeSet::new();
    let graphs: BTreeSet<EntityId> = doomed.iter().filter_map(|id| document.step(*id)).map(StepRef::graph_id).collect();
    for graph in graphs.into_iter().filter_map(|id| document.graph(id)) {
        let paths: Vec<PathRef<'_>> = graph.paths().collect();
        let mut taken: BTreeSet<(EntityId, EntityId)> = paths
            .iter()
            .filter_map(|path| path.from().zip(path.to()))
            .filter(|(from, to)| !doomed.contains(from) && !doomed.contains(to))
            .collect();
        for path in &paths {
            let (Some(from), Some(to)) = (path.from(), path.to()) else { continue };
            if doomed.contains(&from) || !doomed.contains(&to) {
                continue;
            }
            let mut reused = false;
            for (goal, condition) in onward(&paths, to, &doomed) {
                if !taken.insert((from, goal)) {
                    continue;
                }
                if reused {
                    let mut fields = Object::from_iter([("ID", Value::text(new_id()))]);
                    if let Some(condition) = path.condition().or(condition) {
                        fields.insert("Condition", Value::text(condition));
                    }
                    draft.add(EntityKind::Path, graph.id(), fields, Some((End::Step(from), End::Step(goal))));
                } else {
                    reused = true;
                    draft.push(Change::SetEnds { id: path.id(), ends: (End::Step(from), End::Step(goal)) });
                    if let (None, Some(condition)) = (path.condition(), condition) {
                        draft.push(column_change(document, path.id(), "Condition", Value::text(condition)));
                    }
                }
            }
            if !reused {
                removed.insert(path.id());
            }
        }
        // What a deleted start led to is where the graph begins now.
        let lost_start = graph.steps().find(|step| step.is_start() && doomed.contains(&step.id()));
        if let Some(start) = lost_start
            && !graph.steps().any(|step| step.is_start() && !doomed.contains(&step.id()))
            && let Some((next, _)) = onward(&paths, start.id(), &doomed).first()
        {
            draft.push(column_change(document, *next, "StartingStep", Value::Bool(true)));
        }
        removed.extend(paths.iter().filter(|path| path.from().is_some_and(|from| doomed.contains(&from))).map(|path| path.id()));
        let dangling = paths.iter().filter(|path| path.from().is_none() && path.to().is_some_and(|to| doomed.contains(&to)));
        removed.extend(dangling.map(|path| path.id()));
    }
    draft.extend(removed.into_iter().chain(doomed.iter().copied()).map(Change::Remove));
    draft.finish(format!("Delete and reconnect {}", count(doomed.len(), "step")))
}

/// The steps outside of `doomed` that are reached from `start` through it, with the condition of the path that leaves it.
fn onward<'a>(paths: &[PathRef<'a>], start: EntityId, doomed: &BTreeSet<EntityId>) -> Vec<(EntityId, Option<&'a str>)> {
    let (mut goals, mut seen, mut open) = (Vec::new(), BTreeSet::from([start]), vec![start]);
    let mut found = BTreeSet::new();
    while let Some(step) = open.pop() {
        for path in paths.iter().filter(|path| path.from() == Some(step)) {
            let Some(to) = path.to() else { continue };
            if doomed.contains(&to) {
                if seen.insert(to) {
                    open.push(to);
                }
            } else if found.insert(to) {
                goals.push((to, path.condition()));
            }
        }
    }
    goals
}

/// Makes a step the only start of its graph.
pub fn set_start(document: &Document, step: EntityId) -> Result<Edit, Refused> {
    let Some(step) = document.step(step) else { return refuse("This step is not in the document any more.") };
    let graph = document.graph(step.graph_id());
    let others = graph.iter().flat_map(|graph| graph.steps()).filter(|other| other.is_start() && other.id() != step.id());
    let mut changes: Vec<Change> = others.map(|other| column_change(document, other.id(), "StartingStep", Value::Bool(false))).collect();
    if !step.is_start() {
        changes.push(column_change(document, step.id(), "StartingStep", Value::Bool(true)));
    }
    Ok(Edit::new(format!("Start at {}", step.name()), changes))
}

/// Gives an `ID` to every graph, step and path that has none. `None`: all have one. Step JSON for a backend needs them.
pub fn give_missing_ids(document: &Document, new_id: NewId<'_>) -> Option<Edit> {
    let missing = document.graphs().flat_map(|graph| {
        let records = graph.steps().map(|step| step.entity).chain(graph.paths().map(|path| path.entity));
        std::iter::once(graph.entity).chain(records)
    });
    let blank =
        |value: Option<&Value>| value.is_none_or(|value| value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty()));
    let changes: Vec<Change> = missing
        .filter(|entity| blank(entity.fields.get("ID")))
        .map(|entity| Change::SetField { id: entity.id, name: "ID".into(), value: Some(Value::text(new_id())), index: Some(0) })
        .collect();
    (!changes.is_empty()).then(|| Edit::new(format!("Give {} an ID", count(changes.len(), "record")), changes))
}
