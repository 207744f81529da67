//! What texts may refer to, while a run goes on. (After it, [`crate::replay`] builds the same from the log.)

use loopwright_lang::{LoopFrame, Scope, Value};

use super::AgentRun;
use crate::compile::LoopConfig;

/// The payload with a loop's variables in it (flow-agents.md, ForEach 2): it shares everything else.
pub(crate) fn with_variables(payload: &Value, frame: &LoopFrame, index_name: &str) -> Value {
    match payload {
        Value::Object(object) => {
            let mut seen = object.clone();
            seen.insert(frame.item_variable.clone(), frame.item.clone());
            seen.insert(index_name, Value::Number(frame.index as f64));
            Value::Object(seen)
        }
        other => other.clone(),
    }
}

/// A loop's variables in one iteration.
pub(crate) fn loop_frame(config: &LoopConfig, item: Value, index: u64) -> LoopFrame {
    LoopFrame {
        item_variable: config.item_variable.as_str().into(),
        item,
        index_variable: config.index_variable.as_deref().map(Into::into),
        index,
    }
}

/// What a While's iteration has as its item: `{ attemptNumber, totalAttempts }`.
pub(crate) fn attempt_item(index: u64) -> Value {
    Value::object([("attemptNumber", Value::Number((index + 1) as f64)), ("totalAttempts", Value::Number(index as f64))])
}

/// The texts of a loop's collection and condition.
pub(crate) fn loop_texts(config: &LoopConfig) -> (&str, &str) {
    (
        config.collection.as_ref().map_or("", |collection| collection.text.as_str()),
        config.condition.as_ref().map_or("", |condition| condition.text.as_str()),
    )
}

impl AgentRun {
    /// The roots of mappings and templates in a step of this agent.
    pub(crate) fn scope(&self) -> Scope {
        Scope {
            payload: Some(self.payload.clone()),
            data: self.data.clone(),
            context: self.context.clone(),
            conversation: self.conversation.clone(),
            step_result: self.step_result.clone(),
            loops: self.loops.clone(),
            ..Scope::default()
        }
    }

    /// The same without the payload, which must not be shared while it is written.
    pub(crate) fn scope_without_payload(&self) -> Scope {
        Scope { payload: None, ..self.scope() }
    }
}
