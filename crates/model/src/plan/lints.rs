//! What is allowed in a plan and likely to go wrong. These warnings are Loopwright's own.

use loopwright_lang::{
    Severity, Span, Value,
    json::{Node, NodeKind},
};

use super::{
    Known, MAX_NODES, MAX_PARALLEL, Plan, PlanProblem, Wait, Work,
    reference::{Reference, full, read_reference, tokens},
    resolve::{Results, collection},
    shape::shape,
};

/// A collection is near the limit when so few nodes are left.
const NEAR: usize = 5;
/// A wait shorter than this holds nothing back that anyone would notice, in microseconds.
const NOTICEABLE: u64 = 1_000_000;

/// What is likely to go wrong in a plan that has no errors. `root` is the text it was read from, for the places; `results` are
/// results known from a scenario or a run; `gives` says whether a tool is known to give a field in its result.
pub fn lint(plan: &Plan, root: &Node, known: &Known, results: &dyn Results, gives: &dyn Fn(&str, &str) -> bool) -> Vec<PlanProblem> {
    let mut linter = Linter { plan, root, problems: Vec::new() };
    for place in 0..plan.tasks.len() {
        linter.own_collection(place);
        linter.failed_flag(place, gives);
        linter.skippable_upstream(place);
    }
    linter.held_waves(known);
    linter.near_limit(results);
    linter.problems.sort_by_key(|problem| problem.task);
    linter.problems
}

struct Linter<'p> {
    plan: &'p Plan,
    root: &'p Node,
    problems: Vec<PlanProblem>,
}

/// A reference to a task's result in a text of another.
struct Use<'p> {
    id: &'p str,
    path: Vec<&'p str>,
}

impl<'p> Linter<'p> {
    fn say(&mut self, code: &'static str, severity: Severity, place: usize, path: &[&str], message: String) {
        let span = self.span(place, path);
        let node = self.plan.tasks.get(place).map(|task| task.id.clone());
        let path = (!path.is_empty()).then(|| path.join("."));
        self.problems.push(PlanProblem { code, severity, node, path, ..shape(place, span, message) });
    }

    fn span(&self, place: usize, path: &[&str]) -> Span {
        let task = self.root.member("tasks").and_then(|member| match &member.value.kind {
            NodeKind::List(tasks) => tasks.get(place),
            _ => None,
        });
        let Some(mut node) = task else { return self.root.span };
        for key in path {
            match node.member(key) {
                Some(member) => node = &member.value,
                None => break,
            }
        }
        node.span
    }

    /// A `when` is looked at for each element, after the collection was resolved: it cannot keep that from failing.
    fn own_collection(&mut self, place: usize) {
        let Some(task) = self.plan.tasks.get(place) else { return };
        let (Some(when), Some(for_each)) = (&task.when, &task.for_each) else { return };
        let Some(Reference::Upstream { .. }) = full(&when.reference).and_then(|inner| read_reference(inner, true)) else { return };
        let message = format!(
            "This `when` does not protect its own `for_each`: {for_each} is resolved first, and if it is missing or no array the run \
             fails. The condition is then looked at once for each element. To skip the whole, let the task before give an empty list."
        );
        self.say("plan_when_after_for_each", Severity::Warning, place, &["when"], message);
    }

    /// `.failed` is there only in a failure's result.
    fn failed_flag(&mut self, place: usize, gives: &dyn Fn(&str, &str) -> bool) {
        let Some(task) = self.plan.tasks.get(place) else { return };
        let Some(when) = &task.when else { return };
        let Some(inner) = full(&when.reference) else { return };
        let target = match read_reference(inner, task.for_each.is_some()) {
            Some(Reference::Upstream { id, path }) if path == ["failed"] => self.plan.place(id),
            Some(Reference::Upstream { id, path }) => match path.as_slice() {
                [_, "result", "failed"] => self.plan.place(id).filter(|place| self.iterates(*place)),
                _ => None,
            },
            Some(Reference::Item { path }) if path == ["result", "failed"] => {
                let collection = task.for_each.as_deref().and_then(full).and_then(|inner| read_reference(inner, false));
                match collection {
                    Some(Reference::Upstream { id, path }) if path.is_empty() => self.plan.place(id).filter(|place| self.iterates(*place)),
                    _ => None,
                }
            }
            _ => None,
        };
        let Some(target) = target.and_then(|place| self.plan.tasks.get(place)) else { return };
        if let Work::Tool { name, .. } = &target.work
            && gives(name, "failed")
        {
            return;
        }
        let message = format!(
            "A result of {} has `failed` only after a failure that was continued. When it succeeds there is no such key, and the run \
             fails here with workflow_reference_unresolved. It works only if the tool itself always returns `failed`.",
            target.id
        );
        self.say("plan_failed_not_always_there", Severity::Warning, place, &["when", "ref"], message);
    }

    fn iterates(&self, place: usize) -> bool {
        self.plan.tasks.get(place).is_some_and(|task| task.for_each.is_some())
    }

    /// A skip does not propagate: what depends on a skipped task runs, with null.
    fn skippable_upstream(&mut self, place: usize) {
        let plan = self.plan;
        let Some(task) = plan.tasks.get(place).filter(|task| task.when.is_none() || task.for_each.is_some()) else { return };
        for upstream in &task.depends_on {
            let Some(before) = plan.tasks.get(*upstream).filter(|before| before.when.is_some() && before.for_each.is_none()) else {
                continue;
            };
            let uses: Vec<Use<'_>> = uses(task).into_iter().filter(|found| found.id == before.id.as_str()).collect();
            let iterated = task.for_each.as_deref().is_some_and(|text| text.starts_with(&format!("${{{}.result", before.id)));
            if task.for_each.is_some() && task.when.is_some() && !iterated {
                continue;
            }
            let (severity, consequence) = if iterated {
                (Severity::Warning, "then its result is null, no array, and the run fails")
            } else if uses.iter().any(|found| !found.path.is_empty()) {
                (Severity::Warning, "then its result is null, nothing can be read inside it, and the run fails")
            } else if uses.is_empty() {
                (Severity::Hint, "and this task runs all the same")
            } else {
                (Severity::Hint, "and this task runs all the same, with null for its result")
            };
            let message = format!(
                "{} may be skipped by its `when`: {consequence}. Give this task the same `when` if it should be skipped too.",
                before.id
            );
            self.say("plan_skip_does_not_propagate", severity, place, &["depends_on"], message);
        }
    }

    /// A wave ends when all of it has ended: a wait holds back what depends on others of its wave.
    fn held_waves(&mut self, known: &Known) {
        let levels = levels(self.plan);
        for (place, task) in self.plan.tasks.iter().enumerate() {
            let length = match task.work {
                Work::Wait(Wait::For(micros)) => micros,
                Work::Wait(Wait::Until(moment)) => u64::try_from(moment.saturating_sub(known.now)).unwrap_or(0),
                _ => continue,
            };
            if length < NOTICEABLE {
                continue;
            }
            let level = levels.get(place);
            let mates: Vec<usize> = (0..self.plan.tasks.len()).filter(|other| *other != place && levels.get(*other) == level).collect();
            let held = self.plan.tasks.iter().enumerate().find(|(other, task)| {
                let waits_for_mate = task.depends_on.iter().any(|before| mates.contains(before));
                waits_for_mate && levels.get(*other).copied() == level.map(|level| level + 1) && !task.depends_on.contains(&place)
            });
            let Some((_, held)) = held.filter(|_| mates.len() < MAX_PARALLEL) else { continue };
            let message = format!(
                "This wait holds its whole wave: {} does not depend on it, and still starts only when it is over. Waves are barriers; \
                 let the wait depend on something later, or put it where nothing else runs.",
                held.id
            );
            self.say("plan_wait_holds_wave", Severity::Warning, place, &[], message);
        }
    }

    /// Each element is a node, skipped ones too; too many are refused as a whole.
    fn near_limit(&mut self, results: &dyn Results) {
        let ordinary = self.plan.tasks.iter().filter(|task| task.for_each.is_none()).count();
        let mut nodes = ordinary;
        for place in in_order(self.plan) {
            let Some(for_each) = self.plan.tasks.get(place).and_then(|task| task.for_each.as_deref()) else { continue };
            let length = match collection(for_each, results) {
                Ok(Value::List(list)) => list.len(),
                _ => 0,
            };
            nodes += length;
            let left = MAX_NODES.saturating_sub(nodes);
            let message = if nodes > MAX_NODES {
                format!(
                    "With {length} elements here the run has {nodes} nodes; the limit is {MAX_NODES}, and the whole expansion would be refused."
                )
            } else if length > 0 && left < NEAR {
                format!(
                    "With {length} elements here the run has {nodes} of {MAX_NODES} nodes; {} more would be refused as a whole.",
                    left + 1
                )
            } else if length == 0 && left < NEAR {
                format!("The tasks of this plan leave room for {left} elements here; more are refused as a whole.")
            } else {
                continue;
            };
            self.say("plan_near_node_limit", Severity::Warning, place, &["for_each"], message);
        }
    }
}

/// The references to results in what a task sends.
fn uses(task: &super::Task) -> Vec<Use<'_>> {
    let mut found = Vec::new();
    let mut open: Vec<&Value> = Vec::new();
    match &task.work {
        Work::Tool { args, .. } => open.push(args),
        Work::Agent { task, .. } => collect(task, &mut found),
        Work::Wait(_) => {}
    }
    while let Some(value) = open.pop() {
        match value {
            Value::Text(text) => collect(text, &mut found),
            Value::List(list) => open.extend(list.iter()),
            Value::Object(object) => open.extend(object.values()),
            _ => {}
        }
    }
    found
}

fn collect<'t>(text: &'t str, found: &mut Vec<Use<'t>>) {
    for token in tokens(text) {
        if let Some(Reference::Upstream { id, path }) = read_reference(token.inner, false) {
            found.push(Use { id, path });
        }
    }
}

/// How many tasks lie one after the other before each.
pub(super) fn levels(plan: &Plan) -> Vec<usize> {
    let mut levels = vec![0; plan.tasks.len()];
    for place in in_order(plan) {
        let before = plan.tasks.get(place).map(|task| &task.depends_on);
        let level = before.into_iter().flatten().filter_map(|before| levels.get(*before)).map(|level: &usize| level + 1).max();
        if let Some(slot) = levels.get_mut(place) {
            *slot = level.unwrap_or(0);
        }
    }
    levels
}

/// The tasks so that each comes after those it depends on.
fn in_order(plan: &Plan) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    while order.len() < plan.tasks.len() {
        let before = order.len();
        for (place, task) in plan.tasks.iter().enumerate() {
            if !order.contains(&place) && task.depends_on.iter().all(|before| order.contains(before)) {
                order.push(place);
            }
        }
        if order.len() == before {
            break;
        }
    }
    order
}
