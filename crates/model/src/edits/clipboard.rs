//! Copy, paste and duplicate. What is copied is step JSON, so that it can be pasted into an editor or a file too.

use std::collections::{BTreeMap, BTreeSet};

use loopwright_lang::{Object, Value, json, limits};

use super::{Draft, FreeNames, Made, NewId, columns::prefers_text, count, refuse};
use crate::{
    Document, End, EntityId, EntityKind, GraphKind, GraphRef, Refused, StepRef,
    columns::{JSON_COLUMNS, REFERENCES},
    format::{import, in_form},
};

/// The selected steps of one graph with the paths between them, as the text of a step JSON file. `None`: no step among them.
pub fn copy(document: &Document, ids: &[EntityId]) -> Option<String> {
    let graph = document.graph(ids.iter().find_map(|id| document.step(*id))?.graph_id())?;
    if graph.kind() == GraphKind::Plan {
        return Some(super::plan::copy_tasks(graph, ids));
    }
    let value = crate::format::selection(graph, &|id| ids.contains(&id));
    let mut text = json::print_pretty(&Value::object([("agents", Value::list([value]))]));
    text.push('\n');
    Some(text)
}

/// Puts the steps of a copied text, or of any file of steps, into a graph with new IDs and free names. `at` is where
/// the upper left of them goes, in world pixels; without it they land a little beside where they were.
pub fn paste(document: &Document, graph: EntityId, text: &str, at: Option<(f64, f64)>, new_id: NewId<'_>) -> Result<Made, Refused> {
    if text.len() > limits::PASTE_BYTES {
        return refuse(format!(
            "This text has {:.1} MiB; up to {} MiB can be pasted. Open it as a file instead.",
            text.len() as f64 / f64::from(1 << 20),
            limits::PASTE_BYTES >> 20
        ));
    }
    let Some(target) = document.graph(graph) else { return refuse("This graph is not in the document any more.") };
    let imported = import("pasted", text);
    let Some(source) = imported.document else {
        return refuse(
            imported.notices.last().map_or_else(|| "There are no steps in this text.".to_owned(), |notice| notice.message.clone()),
        );
    };
    if let Some(plan) = source.graphs().find(|graph| graph.kind() == GraphKind::Plan) {
        if target.kind() != GraphKind::Plan {
            return Ok(super::plan::insert_plan(document, plan, "Pasted plan"));
        }
        let tasks: Vec<Object> = plan.steps().map(|step| step.entity.fields.clone()).collect();
        let corner = |axis: fn(&(f64, f64)) -> f64| plan.steps().map(|step| axis(&step.position())).fold(f64::INFINITY, f64::min);
        let by = at.map_or((32.0, 32.0), |(x, y)| (x - corner(|place| place.0), y - corner(|place| place.1)));
        return Ok(super::plan::insert_tasks(target, &tasks, by, "Paste"));
    }
    if target.kind() == GraphKind::Plan {
        return refuse("This is a plan, and these are steps of an agent; they have no form as its tasks.");
    }
    let steps: Vec<StepRef<'_>> = source.graphs().flat_map(|graph| graph.steps()).collect();
    if steps.is_empty() {
        return refuse("There are no steps in this text.");
    }
    let corner = |axis: fn(&(f64, f64)) -> f64| steps.iter().map(|step| axis(&step.position())).fold(f64::INFINITY, f64::min);
    let by = at.map_or((32.0, 32.0), |(x, y)| (x - corner(|place| place.0), y - corner(|place| place.1)));
    Ok(insert_copies(target, &steps, by, "Paste", new_id))
}

/// Copies steps of one graph, with the paths between them, a little beside themselves.
pub fn duplicate(document: &Document, ids: &[EntityId], by: (f64, f64), new_id: NewId<'_>) -> Result<Made, Refused> {
    let steps: Vec<StepRef<'_>> = ids.iter().filter_map(|id| document.step(*id)).collect();
    let Some(graph) = steps.first().and_then(|step| document.graph(step.graph_id())) else { return refuse("No step is selected.") };
    let steps: Vec<StepRef<'_>> = steps.into_iter().filter(|step| step.graph_id() == graph.id()).collect();
    if graph.kind() == GraphKind::Plan {
        let tasks: Vec<Object> = steps.iter().map(|step| step.entity.fields.clone()).collect();
        return Ok(super::plan::insert_tasks(graph, &tasks, by, "Duplicate"));
    }
    Ok(insert_copies(graph, &steps, by, "Duplicate", new_id))
}

fn insert_copies(target: GraphRef<'_>, steps: &[StepRef<'_>], by: (f64, f64), verb: &str, new_id: NewId<'_>) -> Made {
    let document = target.document;
    let mut draft = Draft::new(document);
    let mut names = FreeNames::new(target.steps().map(StepRef::name));
    let text = prefers_text(document, target.steps().next().map_or(target.id(), StepRef::id), "");
    let has_start = target.steps().any(StepRef::is_start);
    let mut copies: BTreeMap<EntityId, EntityId> = BTreeMap::new();
    let mut ids = Vec::new();
    for step in steps {
        let mut fields = step.entity.fields.clone();
        let name = names.take(step.name());
        fresh_id(&mut fields, new_id);
        fields.insert("Name", Value::text(name.as_str()));
        if has_start && step.is_start() {
            fields.remove("StartingStep");
        }
        if !std::ptr::eq(step.document, document) {
            settle(&mut fields, *step, text);
        }
        let (x, y) = step.position();
        for (column, at) in [("PositionX", x + by.0), ("PositionY", y + by.1)] {
            fields.insert(column, Value::Number(at.round()));
        }
        let id = draft.add(EntityKind::Step, target.id(), fields, None);
        copies.insert(step.id(), id);
        ids.push(id);
    }
    let graphs = steps.iter().filter_map(|step| step.document.graph(step.graph_id()));
    let mut seen = BTreeSet::new();
    for graph in graphs.filter(|graph| seen.insert(graph.id())) {
        for path in graph.paths() {
            let ends = path.from().and_then(|from| copies.get(&from)).zip(path.to().and_then(|to| copies.get(&to)));
            if let Some((from, to)) = ends {
                let mut fields = path.entity.fields.clone();
                fresh_id(&mut fields, new_id);
                draft.add(EntityKind::Path, target.id(), fields, Some((End::Step(*from), End::Step(*to))));
            }
        }
    }
    let label = match steps {
        [only] => only.name().to_owned(),
        many => count(many.len(), "step"),
    };
    Made { edit: draft.finish(format!("{verb} {label}")), ids }
}

fn fresh_id(fields: &mut Object, new_id: NewId<'_>) {
    fields.insert_at(0, "ID", Value::text(new_id()));
}

/// Makes a step of another file one of this document: JSON columns in its form, references by name in their view column.
fn settle(fields: &mut Object, step: StepRef<'_>, text: bool) {
    fields.remove("AgentID");
    for column in JSON_COLUMNS {
        if let Some(value) = fields.get(column) {
            let value = in_form(value, Some(text));
            fields.insert(column, value);
        }
    }
    for column in &REFERENCES {
        let looked_up = step.field(column.id).and_then(Value::as_str).is_some_and(|id| id.trim_start().starts_with('@'));
        if let (true, Some(name), Some(view)) = (looked_up, step.referent_in(column).name(), column.names.first()) {
            let at = fields.index_of(column.id).unwrap_or(fields.len());
            fields.remove(column.id);
            fields.insert_at(at, *view, Value::text(name));
        }
    }
}
