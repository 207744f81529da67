//! Input and output mappings and templates (language.md, "Input mapping", "Output mapping").

mod complete;
mod conversation;
mod hints;
mod input;
mod output;
mod reference;
mod released;
mod target;
mod template;
mod text;
mod updates;

pub use complete::complete_text;
pub use input::{CompiledInput, message, resolve, resolve_body, resolve_text};
pub use output::{Applied, OutputMapping, OutputPlace};
pub use released::{walk as walk_path, with_messages};
pub use text::CompiledText;
pub use updates::{after_iteration, apply_released, sub_agent_input, sub_agent_output};

pub(crate) use released::{keys_of as keys_released, walk as walk_released};

use crate::{Problem, Value};

/// Which rule of language.md resolved a mapping text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Rule {
    /// 1: `static:TEXT`.
    Static,
    /// 2: `ITEM.path`.
    LoopPath,
    /// 3: `payload.path` and the like.
    RootPath,
    /// 4: `ITEM`.
    LoopVariable,
    /// 5: `INDEX`.
    LoopIndex,
    /// 6: `conversation…`.
    Conversation,
    /// 7: an expression that starts with a root.
    Expression,
    /// 8: `{{ … }}`.
    Template,
    /// 9: anything else.
    PlainText,
    /// Not a text: passed on as it is.
    Value,
}

/// What one mapping text means in a scope.
#[derive(Clone, Debug)]
pub struct Resolution {
    /// Its value; `Undefined` where something was missing.
    pub value: Value,
    /// The rule that fired.
    pub rule: Rule,
    /// Warnings (missing, near names, looks like a reference) and errors (an expression that cannot be evaluated). Spans are in the text.
    pub problems: Vec<Problem>,
}

/// A mapping's resolved parameters.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The object of parameters; a parameter without a value is there as `Undefined`.
    pub params: Value,
    /// One for each text that was resolved: where in the mapping (keys and indices), and what it gave.
    pub notes: Vec<(Vec<String>, Resolution)>,
}
