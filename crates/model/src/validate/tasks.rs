//! Task graphs: what is wrong with them, at the entities of the document.

use std::borrow::Cow;

use loopwright_lang::Span;

use super::{Place, Problem};
use crate::{GraphRef, StepRef, tasks};

/// The problems of a task graph.
pub(super) fn graph(graph: GraphRef<'_>, problems: &mut Vec<Problem>) {
    let steps: Vec<StepRef<'_>> = graph.steps().collect();
    for found in tasks::check_graph(graph).unwrap_or_default() {
        let step = found.task.and_then(|place| steps.get(place));
        let mut place = Place::entity(step.map_or(graph.id(), |step| step.id()));
        let mut parts = found.field.split('.').filter(|part| !part.is_empty()).map(str::to_owned);
        place.field = parts.next();
        place.inside = parts.collect();
        if found.problem.span != Span::default() {
            place.span = Some(found.problem.span);
        }
        let code = match found.problem.code {
            Cow::Borrowed(code) => code,
            Cow::Owned(_) => "task_expression",
        };
        problems.push(Problem { code, severity: found.problem.severity, message: found.problem.message, place, fix: None });
    }
}
