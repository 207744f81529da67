//! `S`: the shape of the graph (flow-agents.md, "Traversal"; rulings 40 to 44).

use std::collections::{BTreeMap, BTreeSet};

use loopwright_lang::limits;

use super::{Place, Problem, set_column};
use crate::{Change, Document, Edit, End, EntityId, GraphRef, PathRef, StepKind, StepRef, catalogue::Referent};

/// What concerns the document as a whole.
pub(super) fn document(document: &Document, problems: &mut Vec<Problem>) {
    let steps: usize = document.graphs().map(|graph| graph.steps().count()).sum();
    if steps > limits::STEPS {
        let place = Place::entity(crate::document::ROOT);
        problems.push(Problem::error("S14", place, format!("{steps} steps are more than the {} a document may have.", limits::STEPS)));
    }
    calls(document, problems);
}

/// What concerns a graph as a whole: where it starts, and what is never reached.
pub(super) fn graph(graph: GraphRef<'_>, problems: &mut Vec<Problem>) {
    if graph.is_flow() {
        starts(graph, problems);
    }
    let mut names: BTreeMap<&str, StepRef<'_>> = BTreeMap::new();
    for step in graph.steps() {
        let name = step.name();
        if let Some(first) = names.get(name).filter(|_| !name.trim().is_empty()) {
            let free = (2..).map(|number| format!("{name} {number}")).find(|name| graph.step_named(name).is_none());
            let fix = free.map(|free| set_column(format!("Rename to {free}"), step, "Name", free));
            let message = format!("Two steps are named {name}. Conditions and run logs tell steps apart by their name.");
            problems
                .push(Problem::warning("S08", Place::field(step.id(), "Name"), message).with_fix(fix.filter(|_| first.id() != step.id())));
        } else {
            names.insert(name, step);
        }
    }
}

fn starts(graph: GraphRef<'_>, problems: &mut Vec<Problem>) {
    let steps: Vec<_> = graph.steps().collect();
    let Some(first) = steps.first() else { return };
    let starts: Vec<_> = steps.iter().filter(|step| step.is_start() && step.is_active()).collect();
    if starts.is_empty() {
        let entered: BTreeSet<_> = graph.paths().filter_map(PathRef::to).collect();
        let likely = steps.iter().find(|step| step.is_active() && !entered.contains(&step.id())).unwrap_or(first);
        let fix = set_column(format!("Start with {}", likely.name()), *likely, "StartingStep", true);
        let message = format!("{} has no active starting step, so a run fails at once.", called(graph.name(), "This agent"));
        problems.push(Problem::error("S01", Place::entity(graph.id()), message).with_fix(Some(fix)));
        return;
    }
    for extra in starts.iter().skip(1) {
        let fix = set_column(format!("Do not start with {}", extra.name()), **extra, "StartingStep", false);
        let message = "There is more than one starting step. Only the first by name runs.";
        problems.push(Problem::warning("S02", Place::field(extra.id(), "StartingStep"), message).with_fix(Some(fix)));
    }
    let mut next: BTreeMap<EntityId, Vec<EntityId>> = BTreeMap::new();
    for path in graph.paths() {
        if let (Some(from), Some(to)) = (path.from(), path.to()) {
            next.entry(from).or_default().push(to);
        }
    }
    let mut reached: BTreeSet<EntityId> = starts.iter().map(|step| step.id()).collect();
    let mut open: Vec<EntityId> = reached.iter().copied().collect();
    while let Some(step) = open.pop() {
        for to in next.get(&step).into_iter().flatten() {
            if reached.insert(*to) {
                open.push(*to);
            }
        }
    }
    for step in steps.iter().filter(|step| step.is_active() && !reached.contains(&step.id())) {
        let message = format!("No path leads to {} from where the run starts.", called(step.name(), "this step"));
        problems.push(Problem::warning("S03", Place::entity(step.id()), message));
    }
}

/// What concerns a step and the paths that leave it.
pub(super) fn step(step: StepRef<'_>, mut paths: Vec<PathRef<'_>>, problems: &mut Vec<Problem>) {
    if step.name().trim().is_empty() {
        problems.push(Problem::error("S12", Place::field(step.id(), "Name"), "A step needs a name."));
    }
    if step.kind() == StepKind::Unknown {
        let message = match step.step_type() {
            "" => "This step has no StepType, so a run stops here.".to_owned(),
            other => format!("Steps of type {other} are kept and exported, but a run stops here: they cannot be simulated."),
        };
        problems.push(Problem::warning("S13", Place::field(step.id(), "StepType"), message));
    }
    paths.sort_by(|a, b| b.priority().total_cmp(&a.priority()));
    let mut always: Option<PathRef<'_>> = None;
    for path in &paths {
        match always {
            Some(first) if path.condition().is_some() => {
                let label = "Give it the higher priority".to_owned();
                let fix = Edit::new(label, vec![Change::set(path.id(), "Priority", first.priority() + 10.0)]);
                let message = format!(
                    "This path is never taken: an unconditional one from {} comes first (priority {}).",
                    called(step.name(), "the same step"),
                    first.priority()
                );
                problems.push(Problem::warning("S04", Place::field(path.id(), "Priority"), message).with_fix(Some(fix)));
            }
            Some(_) => {
                let message = format!("Only the first unconditional path from {} is ever taken.", called(step.name(), "a step"));
                problems.push(Problem::warning("S05", Place::entity(path.id()), message));
            }
            None if path.condition().is_none() => always = Some(*path),
            None => {}
        }
    }
    if always.is_none() && paths.len() > 1 {
        let message = format!("If none of the {} conditions holds, the run is complete here.", paths.len());
        problems.push(Problem::hint("S09", Place::entity(step.id()), message));
    }
}

/// What concerns a path itself.
pub(super) fn path(graph: GraphRef<'_>, path: PathRef<'_>, problems: &mut Vec<Problem>) {
    let Some((from, to)) = &path.entity.ends else { return };
    for (end, word) in [(from, "starts at"), (to, "leads to")] {
        if let End::Missing(said) = end {
            let said = loopwright_lang::json::print_compact(said);
            let fix = Edit::new("Remove the path", vec![Change::Remove(path.id())]);
            let message = format!("This path {word} {said}, but {} has no such step.", called(graph.name(), "the agent"));
            problems.push(Problem::error("S06", Place::entity(path.id()), message).with_fix(Some(fix)));
        }
    }
    if let Some(target) = path.to().and_then(|id| path.document.step(id)).filter(|target| !target.is_active()) {
        let message = format!("This path leads to {}, which is not active, so it is passed over.", called(target.name(), "a step"));
        problems.push(Problem::warning("S07", Place::entity(path.id()), message));
    }
}

/// Which agents call which, and what that makes of loops: recursion, and loops nested too deep (ruling 44).
fn calls(document: &Document, problems: &mut Vec<Problem>) {
    let graphs: Vec<_> = document.graphs().collect();
    for graph in &graphs {
        for step in graph.steps() {
            let Some(called_graph) = called_graph(document, step) else { continue };
            if called_graph == graph.id() || reaches(document, called_graph, graph.id()) {
                let message = format!(
                    "{} calls an agent that leads back to this one. Only a condition can end that.",
                    called(step.name(), "This step")
                );
                problems.push(Problem::warning("S10", Place::entity(step.id()), message));
            }
        }
        let depth = loop_depth(document, *graph, &mut Vec::new());
        if depth > limits::LOOP_LEVELS {
            let message = format!("Loops are nested {depth} levels deep from here; the {} level fails.", ordinal(limits::LOOP_LEVELS + 1));
            problems.push(Problem::error("S11", Place::entity(graph.id()), message));
        }
    }
}

/// The graph of this document that a step or its body calls.
fn called_graph(document: &Document, step: StepRef<'_>) -> Option<EntityId> {
    let calls = step.kind() == StepKind::SubAgent || (step.kind().is_loop() && step.body_kind() == Some(StepKind::SubAgent));
    match step.referent() {
        Referent::Found(entity) if calls => document.graph(entity.id).map(GraphRef::id),
        _ => None,
    }
}

fn reaches(document: &Document, from: EntityId, to: EntityId) -> bool {
    let mut seen = BTreeSet::from([from]);
    let mut open = vec![from];
    while let Some(id) = open.pop() {
        let Some(graph) = document.graph(id) else { continue };
        for next in graph.steps().filter_map(|step| called_graph(document, step)) {
            if next == to {
                return true;
            }
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    false
}

/// The deepest nesting of loops from a graph on, as far as it can be seen; a recursion counts once.
fn loop_depth(document: &Document, graph: GraphRef<'_>, above: &mut Vec<EntityId>) -> usize {
    if above.contains(&graph.id()) || above.len() > limits::SUB_AGENTS {
        return 0;
    }
    above.push(graph.id());
    let deepest = graph
        .steps()
        .map(|step| {
            let inside =
                called_graph(document, step).and_then(|id| document.graph(id)).map_or(0, |inner| loop_depth(document, inner, above));
            inside + usize::from(step.kind().is_loop())
        })
        .max()
        .unwrap_or(0);
    above.pop();
    deepest
}

/// A name, or a word for what has none.
fn called(name: &str, otherwise: &str) -> String {
    if name.trim().is_empty() { otherwise.to_owned() } else { name.to_owned() }
}

fn ordinal(number: usize) -> String {
    match number {
        1 => "first".into(),
        2 => "second".into(),
        3 => "third".into(),
        6 => "sixth".into(),
        other => format!("{other}th"),
    }
}
