//! What plans and task graphs share as graphs of a document: a step a task, with the task's own keys as its fields, and connectors that
//! are read off the tasks' lists.

use std::collections::BTreeMap;

use loopwright_lang::{Object, Value};

use crate::{EntityId, GraphRef};

/// Fields of a step that say where its card is. They are no part of the task.
pub const CANVAS_FIELDS: [&str; 4] = ["PositionX", "PositionY", "Width", "Height"];
/// The field that holds a task which is no object.
const NO_OBJECT: &str = "$task";

/// The fields of a task's step.
pub fn task_fields(task: Value) -> Object {
    match task {
        Value::Object(fields) => fields,
        other => Object::from_iter([(NO_OBJECT, other)]),
    }
}

/// A task as its file holds it.
pub(crate) fn task_value(fields: &Object) -> Value {
    if let Some(value) = fields.get(NO_OBJECT) {
        return value.clone();
    }
    let mut task = fields.clone();
    for field in CANVAS_FIELDS {
        task.remove(field);
    }
    Value::Object(task)
}

/// From which task to which a connector leads: one for each entry of a task's `list` that is the `id` of another.
pub(crate) fn connectors(graph: GraphRef<'_>, id: &str, list: &str) -> Vec<(EntityId, EntityId)> {
    let mut places: BTreeMap<&str, EntityId> = BTreeMap::new();
    for step in graph.steps() {
        if let Some(id) = step.field(id).and_then(Value::as_str) {
            places.entry(id).or_insert(step.id());
        }
    }
    let mut found = Vec::new();
    for step in graph.steps() {
        let before = step.field(list).and_then(Value::as_list);
        for id in before.into_iter().flat_map(|list| list.iter()).filter_map(Value::as_str) {
            if let Some(from) = places.get(id).filter(|from| **from != step.id()) {
                found.push((*from, step.id()));
            }
        }
    }
    found
}
