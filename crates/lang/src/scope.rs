//! What names mean at one place of a run (language.md, "Roots by place").

use crate::Value;
use crate::expr::{Root, Val};

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

/// Which names are roots whether they have a value or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Roots {
    /// Those of flow and loop agents: `payload.x` is a reference even where there is no payload.
    #[default]
    Agent,
    /// Only what has a value here, and [`Scope::names`]: task graphs, in which `payload.x` is plain text.
    Given,
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
    /// Further roots (`value`, `feedback`, `round`, … in task graphs). One may be there without a value.
    pub names: Vec<(crate::Text, Value)>,
    /// Which names are roots at all.
    pub roots: Roots,
    /// A further root that holds all there may be read from it: reading another key is an error of the code [`UNDECLARED`], and its
    /// keys may have any name, in brackets.
    pub closed: Option<crate::Text>,
}

/// What is read was not declared to be needed here (a task's value without its key in `after`).
pub const UNDECLARED: &str = "undeclared_dependency";

/// Says so.
pub(crate) fn undeclared(key: &str) -> String {
    format!("undeclared dependency {key}: only the values of tasks listed in `after` can be read here.")
}

impl Scope {
    /// The value of a further root.
    pub(crate) fn named(&self, name: &str) -> Option<&Value> {
        self.names.iter().find(|(known, _)| known.as_str() == name).map(|(_, value)| value)
    }

    /// A root with a slot of its own.
    pub(crate) fn root(&self, root: Root) -> Option<&Value> {
        match root {
            Root::Payload => self.payload.as_ref(),
            Root::Data => self.data.as_ref(),
            Root::Context => self.context.as_ref(),
            Root::Conversation => self.conversation.as_ref(),
            Root::StepResult => self.step_result.as_ref(),
            Root::FlowContext => self.flow_context.as_ref(),
            Root::Results => self.results.as_ref(),
            Root::Errors => self.errors.as_ref(),
            Root::Other => None,
        }
    }

    /// What a name means: its root, then the loops from the innermost outwards (item, index variable, `index`), then further roots.
    pub(crate) fn lookup(&self, root: Root, name: &str) -> Option<Val<'_>> {
        if let Some(value) = self.root(root) {
            return Some(Val::Ref(value));
        }
        self.loop_variable(name).or_else(|| self.named(name).map(Val::Ref))
    }

    /// A loop variable: from the innermost loop outwards, in each the item, the index variable, then `index`.
    pub(crate) fn loop_variable(&self, name: &str) -> Option<Val<'_>> {
        for frame in &self.loops {
            if frame.item_variable.as_str() == name {
                return Some(Val::Ref(&frame.item));
            }
            if name == "index" || frame.index_variable.as_ref().is_some_and(|variable| variable.as_str() == name) {
                return Some(Val::Own(Value::Number(frame.index as f64)));
            }
        }
        None
    }

    /// Every name that means something here, roots first, without doubles.
    pub fn names_in_scope(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let mut add = |name: &str| {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        };
        for (name, root) in Root::NAMED {
            if self.root(root).is_some() {
                add(name);
            }
        }
        for frame in &self.loops {
            add(&frame.item_variable);
            if let Some(variable) = &frame.index_variable {
                add(variable);
            }
            add("index");
        }
        for (name, _) in &self.names {
            add(name);
        }
        names
    }
}
