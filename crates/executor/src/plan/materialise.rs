//! Between waves: what is ready is made ready to be dispatched, what is skipped or empty makes others ready.

use loopwright_lang::{Text, Value};
use loopwright_model::plan::{
    Bound, CONDITION_INVALID, MAX_NODES, NODE_LIMIT, NOT_AN_ARRAY, REFERENCE_UNRESOLVED, Task, Unresolved, Work, collection, full, resolve,
    resolve_reference, same_scalar,
};

use super::{
    events::{What, Whose},
    run::{End, Instance, InstanceState, NodeState, PlanRun},
};

/// Why a task could not be made ready.
struct Trouble {
    code: &'static str,
    message: String,
    index: Option<usize>,
    path: Option<Text>,
}

impl Trouble {
    fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), index: None, path: None }
    }

    fn at(mut self, path: &Text) -> Self {
        self.path = Some(path.clone());
        self
    }
}

impl From<Unresolved> for Trouble {
    fn from(unresolved: Unresolved) -> Self {
        Self::new(REFERENCE_UNRESOLVED, unresolved.0)
    }
}

impl PlanRun {
    /// Commits the wave that is over, makes ready what can be, and begins the next wave or ends the run.
    pub(super) fn between_waves(&mut self) {
        if !self.commit_wave() {
            return;
        }
        if self.plan.is_dynamic() {
            loop {
                let before = self.resolved();
                if !self.pass() {
                    return;
                }
                self.aggregate_finished();
                if self.resolved() == before {
                    break;
                }
            }
        }
        let ready = self.ready_instances();
        if !ready.is_empty() {
            self.dispatch(ready);
        } else if self.resolved() == self.nodes.len() {
            self.end = Some(End::Completed);
        } else {
            // A valid plan cannot come here; the source system calls it a stall.
            self.end = Some(End::Raised { node: String::new(), code: None, message: "Nothing of the plan can go on.".into() });
        }
    }

    fn resolved(&self) -> usize {
        self.nodes.iter().filter(|node| node.result.is_some()).count()
    }

    fn is_ready(&self, place: usize) -> bool {
        let Some(task) = self.plan.tasks.get(place) else { return false };
        task.depends_on.iter().all(|before| self.nodes.get(*before).is_some_and(|node| node.result.is_some()))
    }

    /// Makes ready, in order of id, every task whose dependencies are resolved. `false`: one failed, and the run has ended.
    fn pass(&mut self) -> bool {
        let waiting = |node: Option<&super::run::Node>| node.is_some_and(|node| !node.materialised && node.result.is_none());
        let ready: Vec<usize> =
            self.order.iter().copied().filter(|place| waiting(self.nodes.get(*place)) && self.is_ready(*place)).collect();
        let plan = self.plan.clone();
        for place in ready {
            let Some(task) = plan.tasks.get(place) else { continue };
            let made = if task.for_each.is_some() { self.expand(place, task) } else { self.ordinary(place, task) };
            if let Err(trouble) = made {
                if let Some(node) = self.nodes.get_mut(place) {
                    node.state = NodeState::Failed;
                }
                let node = self.name(Whose { task: place, index: trouble.index });
                self.note(What::Failed(place, trouble.index, trouble.message.as_str().into()));
                self.end = Some(End::Failed { code: trouble.code, message: trouble.message, node, path: trouble.path });
                return false;
            }
        }
        true
    }

    fn ordinary(&mut self, place: usize, task: &Task) -> Result<(), Trouble> {
        let whose = Whose { task: place, index: None };
        let instance = self.instance(task, whose, None)?;
        let skipped = instance.state == InstanceState::Skipped;
        if let Some(node) = self.nodes.get_mut(place) {
            node.materialised = true;
            node.instances = vec![instance];
            if skipped {
                node.state = NodeState::Skipped;
                node.result = Some(Value::Null);
            }
        }
        Ok(())
    }

    /// Expands a `for_each`: all of it or, over the limit, nothing.
    fn expand(&mut self, place: usize, task: &Task) -> Result<(), Trouble> {
        let Some(reference) = &task.for_each else { return Ok(()) };
        let items = match collection(reference, self).map_err(|trouble| Trouble::from(trouble).at(reference))? {
            Value::List(items) => items,
            other => {
                let message = format!("`for_each` of {} needs an array, and {reference} is {}.", task.id, other.what());
                return Err(Trouble::new(NOT_AN_ARRAY, message).at(reference));
            }
        };
        let total = self.budget.saturating_add(items.len());
        if total > MAX_NODES {
            let message = format!(
                "{} elements for {} would make {total} nodes; the limit is {MAX_NODES}, and nothing of it is started.",
                items.len(),
                task.id
            );
            return Err(Trouble::new(NODE_LIMIT, message).at(reference));
        }
        self.budget = total;
        if let Some(node) = self.nodes.get_mut(place) {
            node.materialised = true;
            node.expanded = Some(items.len());
            node.state = NodeState::Expanded;
        }
        self.note(What::Expanded(place, items.iter().cloned().collect()));
        for (index, item) in items.iter().enumerate() {
            let whose = Whose { task: place, index: Some(index) };
            let made = self.instance(task, whose, Some((item, index)));
            let instance = made.map_err(|trouble| Trouble { index: Some(index), ..trouble })?;
            if let Some(node) = self.nodes.get_mut(place) {
                node.instances.push(instance);
            }
        }
        let nothing_to_do = |node: &super::run::Node| node.instances.iter().all(|instance| instance.state == InstanceState::Skipped);
        if self.nodes.get(place).is_some_and(nothing_to_do) {
            self.aggregate(place);
        }
        Ok(())
    }

    /// First `when`; only if it holds are args resolved.
    fn instance(&mut self, task: &Task, whose: Whose, item: Option<(&Value, usize)>) -> Result<Instance, Trouble> {
        if let Some(when) = &task.when {
            let bound = Bound { result: self, item };
            let inner = full(&when.reference).unwrap_or_default();
            let found = resolve_reference(inner, bound).map_err(|trouble| Trouble::from(trouble).at(&when.reference))?;
            let Some(same) = same_scalar(&found, &when.value) else {
                let message =
                    format!("The condition compares {}, which is {} and can be compared with nothing.", when.reference, found.what());
                return Err(Trouble::new(CONDITION_INVALID, message).at(&when.reference));
            };
            let holds = same != when.negated;
            self.note(What::Condition(whose, found, holds));
            if !holds {
                self.note(What::Skipped(whose));
                return Ok(Instance { state: InstanceState::Skipped, given: Value::Null, result: Value::Null });
            }
        }
        let given = self.given(task, item)?;
        Ok(Instance { state: InstanceState::Pending, given, result: Value::Null })
    }

    /// What a task sends, with its references resolved.
    fn given(&self, task: &Task, item: Option<(&Value, usize)>) -> Result<Value, Trouble> {
        let bound = Bound { result: self, item };
        Ok(match &task.work {
            Work::Tool { args, .. } => resolve(args, bound)?,
            Work::Agent { task, .. } => match resolve(&Value::Text(task.clone()), bound)? {
                text @ Value::Text(_) => text,
                other => {
                    let message = format!("The task of a sub-agent must be a text, and {task} is {}.", other.what());
                    return Err(Trouble::new(REFERENCE_UNRESOLVED, message));
                }
            },
            Work::Wait(_) => Value::Null,
        })
    }

    /// In a static plan: resolves what a task sends, as it is dispatched. `false`: that failed, and the run broke off.
    pub(super) fn resolve_static(&mut self, whose: Whose) -> bool {
        let plan = self.plan.clone();
        let Some(task) = plan.tasks.get(whose.task) else { return false };
        match self.given(task, None) {
            Ok(given) => {
                if let Some(instance) = self.instance_mut(whose) {
                    instance.given = given;
                }
                true
            }
            Err(trouble) => {
                self.raise(whose, None, trouble.message);
                false
            }
        }
    }

    /// Puts together the envelopes of expansions all of whose instances are done.
    fn aggregate_finished(&mut self) {
        for place in 0..self.nodes.len() {
            let done = self.nodes.get(place).is_some_and(|node| {
                node.expanded.is_some()
                    && node.result.is_none()
                    && node.instances.iter().all(|instance| matches!(instance.state, InstanceState::Skipped | InstanceState::Completed))
            });
            if done {
                self.aggregate(place);
            }
        }
    }

    fn aggregate(&mut self, place: usize) {
        let Some(node) = self.nodes.get_mut(place) else { return };
        let envelopes = Value::list(node.instances.iter().enumerate().map(|(index, instance)| {
            let status = if instance.state == InstanceState::Skipped { "skipped" } else { "completed" };
            Value::object([("index", Value::Number(index as f64)), ("status", Value::text(status)), ("result", instance.result.clone())])
        }));
        node.state = NodeState::Aggregated;
        node.result = Some(envelopes.clone());
        self.note(What::Aggregated(place, envelopes));
    }

    /// What can be dispatched, in the order of (id, index).
    fn ready_instances(&mut self) -> Vec<Whose> {
        let dynamic = self.plan.is_dynamic();
        let mut ready = Vec::new();
        for place in self.order.clone() {
            if !dynamic && self.nodes.get(place).is_some_and(|node| node.result.is_none()) && self.is_ready(place) {
                let instance = Instance { state: InstanceState::Pending, given: Value::Null, result: Value::Null };
                if let Some(node) = self.nodes.get_mut(place) {
                    node.instances = vec![instance];
                }
            }
            let Some(node) = self.nodes.get(place) else { continue };
            for (index, instance) in node.instances.iter().enumerate() {
                if instance.state == InstanceState::Pending {
                    ready.push(Whose { task: place, index: node.expanded.map(|_| index) });
                }
            }
        }
        ready
    }
}
