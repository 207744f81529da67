//! Input and output mappings and templates (language.md, "Input mapping", "Output mapping").

use crate::{Problem, Scope, Semantics, Value};

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

/// Resolves one text (rules 1 to 9).
pub fn resolve_text(_text: &str, _scope: &Scope, _semantics: &Semantics) -> Resolution {
    todo!()
}

/// Resolves a mapping (an object, or JSON text of one; blank or null-as-absent is none). `Err` when it is no object: `ActionInputMapping is not …`.
pub fn resolve(_mapping: &Value, _scope: &Scope, _semantics: &Semantics) -> Result<Resolved, Problem> {
    todo!()
}

/// Resolves a message: its `{{ }}` parts; always text (ruling 26).
pub fn message(_text: &str, _scope: &Scope, _semantics: &Semantics) -> (String, Vec<Problem>) {
    todo!()
}

/// Where an output is written.
#[derive(Clone, Debug, Default)]
pub struct OutputPlace {
    /// Inside a loop: the iteration's index and the loop's own index variable; outside `None`.
    pub iteration: Option<(u64, Option<crate::Text>)>,
    /// The number of successful iterations before this one, i.e. the place of a `[*]` element.
    pub collected: u64,
}

/// A parsed output mapping. Parse once, apply for each iteration.
#[derive(Clone, Debug)]
pub struct OutputMapping {
    /// Malformed targets and the like; an error here fails the step before anything is called.
    pub problems: Vec<Problem>,
}

/// What applying an output mapping did.
#[derive(Clone, Debug, Default)]
pub struct Applied {
    /// The payload after it.
    pub payload: Value,
    /// `$message`, `$reasoning`, `$confidence`, in the order they were written.
    pub specials: Vec<(String, Value)>,
    /// Outputs that do not exist, values of a wrong type.
    pub warnings: Vec<Problem>,
}

impl OutputMapping {
    /// Reads a mapping (an object, or JSON text of one; blank is none). `Err` when it is no object: `ActionOutputMapping is not …`.
    pub fn parse(_mapping: &Value, _index_variable: Option<&str>) -> Result<Self, Problem> {
        todo!()
    }

    /// Empties the lists a loop collects into (ruling 16). `Err` is `Cannot write …`.
    pub fn start_loop(&self, _payload: &Value) -> Result<Value, Problem> {
        todo!()
    }

    /// Writes one result. `Err` is `Cannot write …` or `Output target …`; then nothing was written.
    pub fn apply(&self, _outputs: &Value, _payload: &Value, _place: &OutputPlace, _semantics: &Semantics) -> Result<Applied, Problem> {
        todo!()
    }
}
