//! Plans as graphs of a document: a step a task, with the task's own keys as its fields. Connectors are derived.

use std::collections::BTreeMap;

use loopwright_lang::{Object, Value, json};

use super::{Checked, Known, check};
use crate::{Document, EntityId, EntityKind, GraphKind, GraphRef};

/// Fields of a step that say where its card is. They are no part of the plan.
pub const CANVAS_FIELDS: [&str; 4] = ["PositionX", "PositionY", "Width", "Height"];
/// The field that holds a task which is no object.
const NO_OBJECT: &str = "$task";
/// The field of the graph that holds the plan's own keys, with null where the tasks stand.
const PLAN: &str = "plan";

/// The fields of a plan's graph.
pub fn graph_fields(name: &str, plan: &Value) -> Object {
    let mut own = plan.as_object().cloned().unwrap_or_default();
    own.insert("tasks", Value::Null);
    Object::from_iter([("kind", Value::text("plan")), ("Name", Value::text(name)), (PLAN, Value::Object(own))])
}

/// The fields of a task's step.
pub fn task_fields(task: Value) -> Object {
    match task {
        Value::Object(fields) => fields,
        other => Object::from_iter([(NO_OBJECT, other)]),
    }
}

/// A task as the plan holds it.
fn task_value(fields: &Object) -> Value {
    if let Some(value) = fields.get(NO_OBJECT) {
        return value.clone();
    }
    let mut task = fields.clone();
    for field in CANVAS_FIELDS {
        task.remove(field);
    }
    Value::Object(task)
}

/// The plan of a graph as its file holds it.
pub fn plan_value(graph: GraphRef<'_>) -> Value {
    let mut plan = graph.entity.fields.get(PLAN).and_then(Value::as_object).cloned().unwrap_or_default();
    plan.insert("tasks", Value::list(graph.steps().map(|step| task_value(&step.entity.fields))));
    Value::Object(plan)
}

/// From which task to which a connector leads: one for each id in a `depends_on` that is there.
pub fn connectors(graph: GraphRef<'_>) -> Vec<(EntityId, EntityId)> {
    let mut places: BTreeMap<&str, EntityId> = BTreeMap::new();
    for step in graph.steps() {
        if let Some(id) = step.field("id").and_then(Value::as_str) {
            places.entry(id).or_insert(step.id());
        }
    }
    let mut found = Vec::new();
    for step in graph.steps() {
        let before = step.field("depends_on").and_then(Value::as_list);
        for id in before.into_iter().flat_map(|list| list.iter()).filter_map(Value::as_str) {
            if let Some(from) = places.get(id).filter(|from| **from != step.id()) {
                found.push((*from, step.id()));
            }
        }
    }
    found
}

/// What a plan of the document may use. A document without a catalogue does not limit it.
pub fn known(document: &Document, graph: GraphRef<'_>, now: i64) -> Known {
    let names = |kind: EntityKind, key: &str| {
        document
            .entities()
            .filter(|entity| entity.kind == kind && entity.id != graph.id())
            .filter_map(|entity| match entity.fields.get(key) {
                Some(Value::Text(name)) => Some(name.clone()),
                _ => None,
            })
            .collect::<Vec<_>>()
    };
    let tools = names(EntityKind::Action, "name");
    let mut agents = names(EntityKind::Agent, "name");
    agents.extend(names(EntityKind::Graph, "Name"));
    let listed = !tools.is_empty() || !agents.is_empty();
    Known { tools: listed.then_some(tools), agents: listed.then_some(agents), now }
}

/// When a scenario's plan starts (`start`), in microseconds since 1970.
pub fn start_of(document: &Document, scenario: Option<EntityId>) -> i64 {
    let start = scenario.and_then(|id| document.field(id, "start")).and_then(Value::as_str);
    start.and_then(|start| super::parse_until(start).ok()).unwrap_or(super::EPOCH_2024)
}

/// A graph's plan, checked; and the text that the places are in, parsed. `None` where the graph is no plan.
pub fn check_graph(graph: GraphRef<'_>, now: i64) -> Option<(json::Node, Checked)> {
    if graph.kind() != GraphKind::Plan {
        return None;
    }
    let root = json::parse(&json::print_compact(&plan_value(graph))).root?;
    let checked = check(&root, &known(graph.document, graph, now));
    Some((root, checked))
}
