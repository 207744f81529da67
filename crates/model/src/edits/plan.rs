//! What a person does to a plan: tasks, dependencies, ids.

use loopwright_lang::{Object, Text, Value, json};

use super::{Draft, Made, refuse, unique};
use crate::{
    Change, Document, Edit, EntityId, EntityKind, GraphKind, GraphRef, Refused, StepKind, StepRef,
    catalogue::entity_name,
    document::ROOT,
    plan::{Reference, graph_fields, tokens, upstream},
};

/// Adds an empty plan.
pub fn add_plan(document: &Document, name: &str) -> Made {
    let mut draft = Draft::new(document);
    let name = unique(name, |name| document.graphs().any(|graph| graph.name() == name));
    let id = draft.add(EntityKind::Graph, ROOT, graph_fields(&name, &Value::Null), None);
    Made { edit: draft.finish(format!("Add {name}")), ids: vec![id] }
}

/// Adds a task: of [`StepKind::Action`] a tool, of [`StepKind::SubAgent`] a sub-agent, of any other kind a wait. It depends on `after`.
pub fn add_task(
    document: &Document,
    graph: EntityId,
    kind: StepKind,
    calls: Option<EntityId>,
    (x, y): (f64, f64),
    after: &[EntityId],
) -> Result<Made, Refused> {
    let Some(graph) = plan(document, graph) else { return refuse("This plan is not in the document any more.") };
    let called = calls.and_then(|id| document.get(id)).map(entity_name).unwrap_or_default();
    let (word, own) = match kind {
        StepKind::Action => ("task", vec![("type", Value::text("tool")), ("tool", Value::text(called))]),
        StepKind::SubAgent => ("ask", vec![("type", Value::text("sub_agent")), ("agent", Value::text(called)), ("task", Value::text(""))]),
        _ => ("wait", vec![("type", Value::text("wait")), ("duration", Value::text("PT1M"))]),
    };
    let id = free_id(graph, if called.is_empty() { word } else { called });
    let mut fields = Object::from_iter([("id", Value::text(id.as_str()))]);
    for (key, value) in own {
        fields.insert(key, value);
    }
    let before: Vec<Value> = after.iter().filter_map(|step| task_id(document.step(*step)?)).map(Value::text).collect();
    if !before.is_empty() {
        fields.insert("depends_on", Value::list(before));
    }
    fields.insert("PositionX", Value::Number(x.round()));
    fields.insert("PositionY", Value::Number(y.round()));
    let mut draft = Draft::new(document);
    let made = draft.add(EntityKind::Step, graph.id(), fields, None);
    Ok(Made { edit: draft.finish(format!("Add {id}")), ids: vec![made] })
}

/// Makes one task depend on another. Refused where it does already, and where that would go round in a circle.
pub fn depend(document: &Document, from: EntityId, to: EntityId) -> Result<Edit, Refused> {
    let (Some(before), Some(task)) = (document.step(from), document.step(to)) else {
        return refuse("One of these tasks is not in the document any more.");
    };
    let (Some(id), Some(graph)) = (task_id(before), plan(document, task.graph_id()).filter(|_| before.graph_id() == task.graph_id()))
    else {
        return refuse("Tasks depend on tasks of the same plan that have an id.");
    };
    if from == to {
        return refuse("A task cannot depend on itself.");
    }
    if dependencies(task).any(|known| known == id) {
        return refuse(format!("{} depends on {id} already.", task.name()));
    }
    if leads_to(graph, to, from) {
        return refuse(format!("{id} comes after {} already; depending on it would go round in a circle.", task.name()));
    }
    let list = dependencies(task).map(Value::text).chain([Value::text(id)]);
    Ok(Edit::new(format!("Connect {id} to {}", task.name()), vec![Change::set(to, "depends_on", Value::list(list))]))
}

/// Takes a dependency away.
pub fn undepend(document: &Document, from: EntityId, to: EntityId) -> Result<Edit, Refused> {
    let (Some(before), Some(task)) = (document.step(from), document.step(to)) else {
        return refuse("One of these tasks is not in the document any more.");
    };
    let id = task_id(before).unwrap_or_default();
    let Some(change) = without(task, &[id]) else { return refuse(format!("{} does not depend on {id}.", task.name())) };
    Ok(Edit::new(format!("Disconnect {id} from {}", task.name()), vec![change]))
}

/// The changes that take deleted tasks out of the dependencies of the others.
pub(super) fn forget(document: &Document, doomed: &[EntityId]) -> Vec<Change> {
    let gone: Vec<StepRef<'_>> = doomed.iter().filter_map(|id| document.step(*id)).filter(|step| step.is_plan_task()).collect();
    let mut changes = Vec::new();
    for graph in document.graphs().filter(|graph| graph.kind() == GraphKind::Plan) {
        let ids: Vec<&str> = gone.iter().filter(|step| step.graph_id() == graph.id()).filter_map(|step| task_id(*step)).collect();
        if !ids.is_empty() {
            changes.extend(graph.steps().filter(|step| !doomed.contains(&step.id())).filter_map(|step| without(step, &ids)));
        }
    }
    changes
}

/// Gives a task another id, in every `depends_on` and every reference too.
pub(super) fn rename_task(document: &Document, task: StepRef<'_>, id: &str) -> Edit {
    let old = task_id(task).unwrap_or_default().to_owned();
    let mut changes = vec![Change::set(task.id(), "id", id)];
    let unique = document
        .graph(task.graph_id())
        .filter(|graph| !old.is_empty() && graph.steps().filter(|step| task_id(*step) == Some(old.as_str())).count() == 1);
    for step in unique.into_iter().flat_map(GraphRef::steps) {
        changes
            .extend(renamed_fields(&step.entity.fields, &old, id).into_iter().map(|(key, new)| Change::set(step.id(), key.as_str(), new)));
    }
    Edit::new(format!("Rename {old} to {id}"), changes).merging(format!("{}.Name", task.id().0))
}

/// The fields of a task that speak of another task, with its new id; only those that change.
fn renamed_fields(fields: &Object, old: &str, id: &str) -> Vec<(Text, Value)> {
    let mut changed = Vec::new();
    for (key, value) in fields.iter() {
        let new = match key.as_str() {
            "depends_on" => {
                let list = value.as_list().map(|list| list.iter().cloned().collect::<Vec<_>>()).unwrap_or_default();
                let renamed = |item: Value| if item.as_str() == Some(old) { Value::text(id) } else { item };
                value.as_list().map(|_| Value::list(list.into_iter().map(renamed)))
            }
            "args" | "task" | "for_each" => Some(renamed(value, old, id)),
            "when" => value.as_object().map(|when| {
                let mut when = when.clone();
                if let Some(reference) = when.get("ref").cloned() {
                    when.insert("ref", renamed(&reference, old, id));
                }
                Value::Object(when)
            }),
            _ => None,
        };
        changed.extend(new.filter(|new| new != value).map(|new| (key.clone(), new)));
    }
    changed
}

/// The text of some tasks as a plan of their own.
pub(super) fn copy_tasks(graph: GraphRef<'_>, ids: &[EntityId]) -> String {
    let tasks = graph.steps().filter(|step| ids.contains(&step.id())).map(|step| Value::Object(step.entity.fields.clone()));
    let mut text = json::print_pretty(&Value::object([("tasks", Value::list(tasks))]));
    text.push('\n');
    text
}

/// Puts a plan that was read into the document as a graph of its own.
pub(super) fn insert_plan(document: &Document, plan: GraphRef<'_>, name: &str) -> Made {
    let mut draft = Draft::new(document);
    let name = unique(name, |name| document.graphs().any(|graph| graph.name() == name));
    let mut fields = plan.entity.fields.clone();
    fields.insert("Name", Value::text(name.as_str()));
    let graph = draft.add(EntityKind::Graph, ROOT, fields, None);
    let mut ids = vec![graph];
    for step in plan.steps() {
        ids.push(draft.add(EntityKind::Step, graph, step.entity.fields.clone(), None));
    }
    Made { edit: draft.finish(format!("Add {name}")), ids }
}

/// Puts copies of tasks into a plan, with ids that are free. They depend on each other as the originals do, and on tasks that are
/// in the plan.
pub(super) fn insert_tasks(target: GraphRef<'_>, tasks: &[Object], (x, y): (f64, f64), verb: &str) -> Made {
    let mut draft = Draft::new(target.document);
    let mut taken: Vec<String> = target.steps().filter_map(task_id).map(str::to_owned).collect();
    let there = taken.clone();
    let mut names: Vec<(String, String)> = Vec::new();
    for task in tasks {
        let old = task.get("id").and_then(Value::as_str).unwrap_or("task").to_owned();
        let new = free_among(&taken, &old);
        taken.push(new.clone());
        names.push((old, new));
    }
    let mut ids = Vec::new();
    for (task, (_, new)) in tasks.iter().zip(&names) {
        let mut fields = task.clone();
        fields.insert("id", Value::text(new.as_str()));
        let before = fields.get("depends_on").and_then(Value::as_list).cloned();
        for (old, new) in names.iter().filter(|(old, new)| old != new) {
            for (key, value) in renamed_fields(&fields, old, new) {
                fields.insert(key, value);
            }
        }
        if let Some(before) = before {
            let known = |id: &str| names.iter().find(|(old, _)| old == id).map(|(_, new)| new.clone());
            let kept = before
                .iter()
                .filter_map(Value::as_str)
                .filter_map(|id| known(id).or_else(|| there.iter().any(|own| own == id).then(|| id.to_owned())));
            fields.insert("depends_on", Value::list(kept.map(Value::from)));
        }
        for (field, by) in [("PositionX", x), ("PositionY", y)] {
            let at = fields.get(field).and_then(Value::as_number).unwrap_or(0.0);
            fields.insert(field, Value::Number((at + by).round()));
        }
        ids.push(draft.add(EntityKind::Step, target.id(), fields, None));
    }
    let label = format!("{verb} {}", super::count(ids.len(), "task"));
    Made { edit: draft.finish(label), ids }
}

/// A value with the references to a task made to lead to its new id.
fn renamed(value: &Value, old: &str, new: &str) -> Value {
    match value {
        Value::Text(text) => Value::Text(renamed_text(text, old, new)),
        Value::List(list) => Value::list(list.iter().map(|item| renamed(item, old, new))),
        Value::Object(object) => Value::object(object.iter().map(|(key, item)| (key.clone(), renamed(item, old, new)))),
        other => other.clone(),
    }
}

fn renamed_text(text: &Text, old: &str, new: &str) -> Text {
    let mut out = String::new();
    let mut at = 0;
    for token in tokens(text).filter(|token| token.closed) {
        if matches!(upstream(token.inner), Some(Reference::Upstream { id, .. }) if id == old) {
            out.push_str(text.get(at..token.range.start).unwrap_or_default());
            out.push_str(&format!("${{{new}{}}}", token.inner.get(old.len()..).unwrap_or_default()));
            at = token.range.end;
        }
    }
    if at == 0 {
        return text.clone();
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out.into()
}

fn plan(document: &Document, graph: EntityId) -> Option<GraphRef<'_>> {
    document.graph(graph).filter(|graph| graph.kind() == GraphKind::Plan)
}

fn task_id(step: StepRef<'_>) -> Option<&str> {
    step.field("id").and_then(Value::as_str)
}

fn dependencies(step: StepRef<'_>) -> impl Iterator<Item = &str> {
    step.field("depends_on").and_then(Value::as_list).into_iter().flat_map(|list| list.iter()).filter_map(Value::as_str)
}

/// The change that takes ids out of a `depends_on`; the key stays.
fn without(step: StepRef<'_>, ids: &[&str]) -> Option<Change> {
    let kept: Vec<Value> = dependencies(step).filter(|id| !ids.contains(id)).map(Value::text).collect();
    (kept.len() < dependencies(step).count()).then(|| Change::set(step.id(), "depends_on", Value::list(kept)))
}

/// Whether one task comes before another, over any number of dependencies.
fn leads_to(graph: GraphRef<'_>, from: EntityId, to: EntityId) -> bool {
    let edges = crate::plan::connectors(graph);
    let mut seen = vec![from];
    let mut at = 0;
    while let Some(here) = seen.get(at).copied() {
        at += 1;
        for (_, next) in edges.iter().filter(|(before, _)| *before == here) {
            if *next == to {
                return true;
            }
            if !seen.contains(next) {
                seen.push(*next);
            }
        }
    }
    false
}

/// An id that no task has: made of what an id may be made of.
fn free_id(graph: GraphRef<'_>, wish: &str) -> String {
    let allowed = |char: char| if char.is_ascii_alphanumeric() || char == '-' { char.to_ascii_lowercase() } else { '_' };
    let stem: String = wish.chars().map(allowed).take(48).collect();
    let stem = stem.trim_matches('_');
    let stem = if stem.is_empty() || matches!(stem, "item" | "index") { "task" } else { stem };
    let taken: Vec<String> = graph.steps().filter_map(task_id).map(str::to_owned).collect();
    free_among(&taken, stem)
}

/// The id that was wished, or that with the first free number behind it.
fn free_among(taken: &[String], wish: &str) -> String {
    let is_taken = |id: &str| taken.iter().any(|own| own == id);
    if !is_taken(wish) {
        return wish.to_owned();
    }
    (2..).map(|number: u32| format!("{wish}_{number}")).find(|id| !is_taken(id)).unwrap_or_else(|| wish.to_owned())
}
