//! The custom status: what the source system tells whoever polls a run.

use loopwright_lang::{Object, Value};

use super::{
    events::Whose,
    run::{InstanceState, NodeState, PlanRun},
};

impl PlanRun {
    /// The status of a dynamic plan (`schema_version` 2); of a static one `None`.
    pub fn status(&self) -> Option<Value> {
        if !self.plan.is_dynamic() {
            return None;
        }
        let count = |state: Option<InstanceState>| {
            let instances = self.nodes.iter().flat_map(|node| &node.instances);
            Value::Number(instances.filter(|instance| state.is_none_or(|state| instance.state == state)).count() as f64)
        };
        let counts = Value::object([
            ("logical_total", Value::Number(self.nodes.len() as f64)),
            ("materialized_total", count(None)),
            ("completed", count(Some(InstanceState::Completed))),
            ("skipped", count(Some(InstanceState::Skipped))),
            ("running", count(Some(InstanceState::Running))),
        ]);
        let nodes = self.plan.tasks.iter().zip(&self.nodes).enumerate().map(|(place, (task, node))| {
            let mut fields = Object::new();
            fields.insert("state", Value::text(node_state(node.state)));
            if let Some(expanded) = node.expanded {
                fields.insert("expanded_count", Value::Number(expanded as f64));
                let instances = node.instances.iter().enumerate().map(|(index, instance)| {
                    let name = self.name(Whose { task: place, index: Some(index) });
                    (name, Value::object([("state", Value::text(instance_state(instance.state)))]))
                });
                fields.insert("instances", Value::object(instances));
            }
            (task.id.clone(), Value::Object(fields))
        });
        Some(Value::object([("schema_version", Value::Number(2.0)), ("counts", counts), ("nodes", Value::object(nodes))]))
    }
}

fn node_state(state: NodeState) -> &'static str {
    match state {
        NodeState::Pending => "pending",
        NodeState::Running => "running",
        NodeState::Skipped => "skipped",
        NodeState::Expanded => "expanded",
        NodeState::Aggregated => "aggregated",
        NodeState::Completed => "completed",
        NodeState::Failed => "failed",
    }
}

fn instance_state(state: InstanceState) -> &'static str {
    match state {
        InstanceState::Pending => "pending",
        InstanceState::Running => "running",
        InstanceState::Skipped => "skipped",
        InstanceState::Completed => "completed",
    }
}
