//! What names mean at one place of a run (language.md, "Roots by place").

use crate::Value;

/// One enclosing loop, as mappings and conditions see it.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopFrame {
    /// The name of the current item (`item`, `attempt` or what the Configuration says).
    pub item_variable: crate::Text,
    /// The current item.
    pub item: Value,
    /// The name of the index, where the Configuration gives one.
    pub index_variable: Option<crate::Text>,
    /// The 0-based index.
    pub index: u64,
}

/// The roots a text may refer to. A root that the place does not have is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scope {
    /// The payload, seen with the loop variables where the place says so.
    pub payload: Option<Value>,
    /// The run's `data`.
    pub data: Option<Value>,
    /// The run's `context`.
    pub context: Option<Value>,
    /// The run's messages, a list of `{ role, content }`.
    pub conversation: Option<Value>,
    /// The result of the step that ran before in this agent's run.
    pub step_result: Option<Value>,
    /// `{ currentStepId, completedSteps, executionPath, stepCount }`, in path conditions.
    pub flow_context: Option<Value>,
    /// Results of the innermost loop so far, in a loop body and a While condition.
    pub results: Option<Value>,
    /// Errors of the innermost loop so far.
    pub errors: Option<Value>,
    /// Enclosing loops, innermost first.
    pub loops: Vec<LoopFrame>,
}
