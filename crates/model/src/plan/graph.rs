//! Plans as graphs of a document: a step a task, with the task's own keys as its fields. Connectors are derived.

use loopwright_lang::{Object, Value, json};

use super::{Checked, Known, check};
use crate::{
    Document, EntityId, EntityKind, GraphKind, GraphRef,
    tasklist::{self, task_value},
};

/// The field of the graph that holds the plan's own keys, with null where the tasks stand.
const PLAN: &str = "plan";

/// The fields of a plan's graph.
pub fn graph_fields(name: &str, plan: &Value) -> Object {
    let mut own = plan.as_object().cloned().unwrap_or_default();
    own.insert("tasks", Value::Null);
    Object::from_iter([("kind", Value::text("plan")), ("Name", Value::text(name)), (PLAN, Value::Object(own))])
}

/// The plan of a graph as its file holds it.
pub fn plan_value(graph: GraphRef<'_>) -> Value {
    let mut plan = graph.entity.fields.get(PLAN).and_then(Value::as_object).cloned().unwrap_or_default();
    plan.insert("tasks", Value::list(graph.steps().map(|step| task_value(&step.entity.fields))));
    Value::Object(plan)
}

/// From which task to which a connector leads: one for each id in a `depends_on` that is there.
pub fn connectors(graph: GraphRef<'_>) -> Vec<(EntityId, EntityId)> {
    tasklist::connectors(graph, "id", "depends_on")
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
