//! Names and references: renaming with all that refers to it, and choosing what a step calls.

use loopwright_lang::{Object, Value};

use super::{NewId, columns::column_change, refuse};
use crate::{
    Change, Document, Edit, EntityId, EntityKind, Referent, Refused, StepKind, StepRef,
    catalogue::{entity_id_text, entity_name},
    columns::{REFERENCES, ReferenceColumn},
    reference::{Lookup, nonblank},
    scenario::scripts_key,
};

/// Renames a step. Paths lead to the step itself, so files that name their steps follow when they are written.
pub fn rename_step(document: &Document, step: EntityId, name: &str) -> Result<Edit, Refused> {
    let Some(old) = document.step(step) else { return refuse("This step is not in the document any more.") };
    if old.is_plan_task() {
        return Ok(super::plan::rename_task(document, old, name));
    }
    let change = column_change(document, step, "Name", Value::text(name));
    Ok(Edit::new(format!("Rename {} to {name}", old.name()), vec![change]).merging(format!("{}.Name", step.0)))
}

/// Renames an action, an agent, a prompt or a graph, and with it the steps and scenarios that refer to it by name.
pub fn rename_entry(document: &Document, entry: EntityId, name: &str) -> Result<Edit, Refused> {
    let Some(entity) = document.get(entry) else { return refuse("This is not in the document any more.") };
    let kind = if entity.kind == EntityKind::Graph { EntityKind::Agent } else { entity.kind };
    let Some(column) = REFERENCES.iter().find(|column| column.entity == kind) else {
        return refuse("Only graphs and catalogue entries have a name that others refer to.");
    };
    let old = entity_name(entity);
    let key = if entity.kind == EntityKind::Graph { "Name" } else { "name" };
    let mut changes = vec![column_change(document, entry, key, Value::text(name))];
    for step in document.graphs().flat_map(|graph| graph.steps()) {
        if matches!(step.referent_in(column), Referent::Found(found) if found.id == entry) {
            changes.extend(renamed_reference(document, step, column, old, name));
        }
    }
    for scenario in document.scenarios() {
        if entity.kind == EntityKind::Graph && scenario.fields.get("graph").and_then(Value::as_str) == Some(old) {
            changes.push(Change::set(scenario.id, "graph", name));
        }
        if let Some(key) = scripts_key(kind)
            && let Some(Value::Object(scripts)) = scenario.fields.get(key)
            && let (Some(at), Some(script)) = (scripts.index_of(old), scripts.get(old).cloned())
            && !scripts.contains_key(name)
        {
            let mut scripts = scripts.clone();
            scripts.remove(old);
            scripts.insert_at(at, name, script);
            changes.push(Change::set(scenario.id, key, Value::Object(scripts)));
        }
    }
    Ok(Edit::new(format!("Rename {old} to {name}"), changes))
}

/// The changes to a step's reference by name.
fn renamed_reference(document: &Document, step: StepRef<'_>, column: &ReferenceColumn, old: &str, name: &str) -> Vec<Change> {
    let mut changes = Vec::new();
    if let Some(text) = nonblank(step.field(column.id)) {
        if let Some(lookup) = Lookup::parse(text).filter(|lookup| lookup.name() == old) {
            let text = format!("@lookup:{}.Name={name}{}", lookup.entity, lookup.tail());
            changes.push(column_change(document, step.id(), column.id, Value::text(text)));
        } else if text == old {
            changes.push(column_change(document, step.id(), column.id, Value::text(name)));
        }
    }
    for view in column.names {
        if step.field(view).and_then(Value::as_str) == Some(old) {
            changes.push(column_change(document, step.id(), view, Value::text(name)));
        }
    }
    changes
}

/// Chooses what a step, or the body of a loop, calls: an action, an agent or a prompt of the catalogue, or a graph.
/// The reference is written as the step's, or its neighbours', are: by ID and name, or as a `@lookup:`.
pub fn set_call(document: &Document, step: EntityId, calls: EntityId) -> Result<Edit, Refused> {
    let (Some(step), Some(entity)) = (document.step(step), document.get(calls)) else {
        return refuse("This step, or what it should call, is not in the document any more.");
    };
    let kind = if entity.kind == EntityKind::Graph { EntityKind::Agent } else { entity.kind };
    let Some(column) = REFERENCES.iter().find(|column| column.entity == kind) else {
        return refuse("A step calls an action, an agent or a prompt.");
    };
    let name = entity_name(entity);
    Ok(Edit::new(format!("Call {name}"), call_changes(document, step, column, name, entity_id_text(entity))))
}

/// Adds an action, an agent or a prompt of that name to the catalogue, and lets a step, or the body of a loop, call it.
pub fn call_new(document: &Document, step: EntityId, kind: EntityKind, name: &str, new_id: NewId) -> Result<Edit, Refused> {
    let (Some(step), Some(column)) = (document.step(step), REFERENCES.iter().find(|column| column.entity == kind)) else {
        return refuse("This step is not in the document any more.");
    };
    if let Some(known) = document.entry_by_name(kind, name) {
        return set_call(document, step.id(), known.id);
    }
    let id = new_id();
    let fields = Object::from_iter([("id", Value::text(id.as_str())), ("name", Value::text(name))]);
    let mut changes = super::add_entry(document, kind, fields)?.edit.changes;
    changes.extend(call_changes(document, step, column, name, Some(&id)));
    Ok(Edit::new(format!("Call {name}"), changes))
}

/// What is written at a step that is to call something.
fn call_changes(document: &Document, step: StepRef, column: &ReferenceColumn, name: &str, own_id: Option<&str>) -> Vec<Change> {
    let mut changes = Vec::new();
    if step.kind().is_loop() {
        if step.body_kind() != Some(column.kind) {
            changes.push(column_change(document, step.id(), "LoopBodyType", Value::text(column.kind.name())));
        }
    } else if step.kind() != column.kind {
        changes.push(column_change(document, step.id(), "StepType", Value::text(column.kind.name())));
    }
    // What the other kinds of reference said no longer counts.
    for other in REFERENCES.iter().filter(|other| other.kind != column.kind) {
        let columns = std::iter::once(other.id).chain(other.names.iter().copied());
        changes.extend(
            columns
                .filter(|column| step.field(column).is_some_and(|value| !value.is_null()))
                .map(|column| Change::unset(step.id(), column)),
        );
    }
    let others = document.graphs().flat_map(|graph| graph.steps());
    let texts = std::iter::once(step).chain(others).filter_map(|step| nonblank(step.field(column.id)));
    let looked_up = texts.filter_map(Lookup::parse).next();
    let id = match looked_up {
        Some(lookup) => Some(format!("@lookup:{}.Name={name}", lookup.entity)),
        None => own_id.map(str::to_owned),
    };
    match id {
        Some(id) => changes.push(column_change(document, step.id(), column.id, Value::text(id))),
        None if step.field(column.id).is_some() => changes.push(Change::unset(step.id(), column.id)),
        None => {}
    }
    for (place, view) in column.names.iter().enumerate() {
        let there = step.field(view).is_some();
        if there || (place == 0 && looked_up.is_none() && !column.names.iter().any(|view| step.field(view).is_some())) {
            changes.push(column_change(document, step.id(), view, Value::text(name)));
        }
    }
    changes
}

/// Changes what kind of step this is, or, of a loop, what kind of body it has.
pub fn set_kind(document: &Document, step: EntityId, kind: StepKind) -> Result<Edit, Refused> {
    if document.step(step).is_none() {
        return refuse("This step is not in the document any more.");
    }
    if kind == StepKind::Unknown {
        return refuse("A step is an Action, a Sub-Agent, a Prompt, a ForEach, a While or a Refine step.");
    }
    let change = column_change(document, step, "StepType", Value::text(kind.name()));
    Ok(Edit::new(format!("Change to {}", kind.name()), vec![change]))
}
