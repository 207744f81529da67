//! Plans: what is wrong with them, at the entities of the document.

use loopwright_lang::{
    Span, Value,
    json::{Node, NodeKind},
};

use super::{Place, Problem};
use crate::{
    Change, Edit, EntityKind, GraphRef, StepRef,
    plan::{self, PlanFix, PlanProblem, Results},
};

/// What scripts of a scenario say that tools give.
#[derive(Debug)]
struct Scripted<'d>(GraphRef<'d>);

impl Results for Scripted<'_> {
    fn result(&self, id: &str) -> Option<&Value> {
        let step = self.0.steps().find(|step| step.field("id").and_then(Value::as_str) == Some(id))?;
        let tool = step.field("tool").and_then(Value::as_str)?;
        let script = self.0.document.scenarios_of(self.0).find_map(|scenario| scenario.script(EntityKind::Action, tool))?;
        let first = script.as_list().map_or(Some(script), |list| list.first())?;
        first.get("result").or_else(|| first.get("outputs"))
    }
}

/// The problems of a plan: what its own system would refuse, in that order; then what is likely to go wrong.
pub(super) fn graph(graph: GraphRef<'_>, problems: &mut Vec<Problem>) {
    let scenario = graph.document.scenarios_of(graph).next().map(|scenario| scenario.id());
    let now = plan::start_of(graph.document, scenario);
    let Some((root, checked)) = plan::check_graph(graph, now) else { return };
    let mut found = checked.problems;
    if let Some(plan) = &checked.plan {
        let gives = |tool: &str, field: &str| gives(graph, tool, field);
        found.extend(plan::lint(plan, &root, &plan::known(graph.document, graph, now), &Scripted(graph), &gives));
    }
    let steps: Vec<StepRef<'_>> = graph.steps().collect();
    problems.extend(found.into_iter().map(|problem| placed(graph, &steps, &root, problem)));
}

/// Whether the catalogue says that a tool gives a field.
fn gives(graph: GraphRef<'_>, tool: &str, field: &str) -> bool {
    let outputs = graph.document.entry_by_name(EntityKind::Action, tool).and_then(|action| action.fields.get("outputs"));
    match outputs {
        Some(Value::Object(outputs)) => outputs.contains_key(field),
        Some(Value::List(outputs)) => outputs.iter().any(|output| {
            let name = output.as_str().or_else(|| output.get("name").and_then(Value::as_str));
            name == Some(field)
        }),
        _ => false,
    }
}

fn placed(graph: GraphRef<'_>, steps: &[StepRef<'_>], root: &Node, problem: PlanProblem) -> Problem {
    let step = problem.task.and_then(|place| steps.get(place).copied());
    let mut place = Place::entity(step.map_or(graph.id(), StepRef::id));
    if let Some(task) = problem.task.and_then(|place| task_node(root, place)) {
        within(task, problem.span, &mut place);
    }
    let fix = problem.fix.zip(step).map(|(PlanFix::DependOn(id), step)| depend_on(step, &id));
    Problem { code: problem.code, severity: problem.severity, message: problem.message, place, fix }
}

fn task_node(root: &Node, place: usize) -> Option<&Node> {
    match &root.member("tasks")?.value.kind {
        NodeKind::List(tasks) => tasks.get(place),
        _ => None,
    }
}

/// Follows a span down into a task: its field, the keys inside, and the part of the text there.
fn within(task: &Node, span: Span, place: &mut Place) {
    let holds = |node: &Node| node.span.start <= span.start && span.end <= node.span.end;
    let mut node = task;
    loop {
        let (key, next) = match &node.kind {
            NodeKind::Object(members) => {
                let Some(member) = members.iter().rev().find(|member| holds(&member.value) || member.key_span == span) else { return };
                (member.key.as_str().to_owned(), &member.value)
            }
            NodeKind::List(items) => {
                let Some((at, item)) = items.iter().enumerate().find(|(_, item)| holds(item)) else { return };
                (at.to_string(), item)
            }
            NodeKind::Scalar(Value::Text(text)) => {
                // The texts here have no escapes where a part of them is meant.
                if span != node.span && node.span.range().len() == text.len() + 2 {
                    let start = node.span.start + 1;
                    place.span = Some(Span { start: span.start.saturating_sub(start), end: span.end.saturating_sub(start) });
                }
                return;
            }
            NodeKind::Scalar(_) => return,
        };
        if place.field.is_none() {
            place.field = Some(key);
        } else {
            place.inside.push(key);
        }
        node = next;
    }
}

/// The edit that adds an id to a task's `depends_on`.
fn depend_on(step: StepRef<'_>, id: &str) -> Edit {
    let mut list: Vec<Value> =
        step.field("depends_on").and_then(Value::as_list).map(|list| list.iter().cloned().collect()).unwrap_or_default();
    list.push(Value::text(id));
    Edit::new(format!("Depend on {id}"), vec![Change::set(step.id(), "depends_on", Value::list(list))])
}
