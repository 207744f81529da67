//! Task graphs as graphs of a document: a step a task, with the task's own keys as its fields. Connectors are derived from `after`.

use loopwright_lang::{Object, Value};

use super::TaskProblem;
use crate::{
    EntityId, GraphKind, GraphRef,
    tasklist::{self, task_value},
};

/// The field of the graph that holds the file's own keys, with null where the tasks stand.
const WORKFLOW: &str = "workflow";
/// What a graph without a name is called.
const UNNAMED: &str = "Task graph";

/// The fields of a task graph's graph.
pub fn graph_fields(value: &Value) -> Object {
    let mut own = value.as_object().cloned().unwrap_or_default();
    own.insert("tasks", Value::Null);
    let name = match own.get("name") {
        Some(Value::Text(name)) => name.clone(),
        _ => UNNAMED.into(),
    };
    Object::from_iter([("kind", Value::text("tasks")), ("Name", Value::Text(name)), (WORKFLOW, Value::Object(own))])
}

/// The task graph of a graph as its file holds it.
pub fn tasks_value(graph: GraphRef<'_>) -> Value {
    let mut own = graph.entity.fields.get(WORKFLOW).and_then(Value::as_object).cloned().unwrap_or_default();
    let named = matches!(own.get("name"), Some(Value::Text(_)));
    if named || graph.name() != UNNAMED {
        match own.contains_key("name") {
            true => drop(own.insert("name", Value::text(graph.name()))),
            false => drop(own.insert_at(0, "name", Value::text(graph.name()))),
        }
    }
    own.insert("tasks", Value::list(graph.steps().map(|step| task_value(&step.entity.fields))));
    Value::Object(own)
}

/// The options a graph is started with, as they are written.
pub fn options_value(graph: GraphRef<'_>) -> Option<&Value> {
    graph.entity.fields.get(WORKFLOW)?.get("options")
}

/// From which task to which a connector leads: one for each key in an `after` that is there.
pub fn connectors(graph: GraphRef<'_>) -> Vec<(EntityId, EntityId)> {
    let mut found = Vec::new();
    for connector in tasklist::connectors(graph, "key", "after") {
        if !found.contains(&connector) {
            found.push(connector);
        }
    }
    found
}

/// Everything that is wrong with a graph: its definition, its options, and what its expressions refer to. `None` where it is no task
/// graph.
pub fn check_graph(graph: GraphRef<'_>) -> Option<Vec<TaskProblem>> {
    if graph.kind() != GraphKind::Tasks {
        return None;
    }
    let value = tasks_value(graph);
    let (read, mut problems) = super::read(&value);
    problems.extend(super::read_options(value.get("options")).1);
    problems.extend(super::check(&read));
    Some(problems)
}
