//! A scenario, to read: a starting payload and a script for every call. What a script means is the executor's business.

use loopwright_lang::Value;

use crate::{Document, Entity, EntityId, EntityKind, GraphRef};

/// A scenario, to read.
#[derive(Clone, Copy, Debug)]
pub struct ScenarioRef<'a> {
    /// The document.
    pub document: &'a Document,
    /// The scenario's entity.
    pub entity: &'a Entity,
}

impl Document {
    /// One scenario.
    pub fn scenario(&self, id: EntityId) -> Option<ScenarioRef<'_>> {
        self.get(id).filter(|entity| entity.kind == EntityKind::Scenario).map(|entity| ScenarioRef { document: self, entity })
    }

    /// The scenarios that start a graph: those that name it by `Name` or `ID`, and those that name none.
    pub fn scenarios_of<'a>(&'a self, graph: GraphRef<'a>) -> impl Iterator<Item = ScenarioRef<'a>> {
        self.scenarios()
            .map(|entity| ScenarioRef { document: self, entity })
            .filter(move |scenario| scenario.graph().is_some_and(|own| own.id() == graph.id()))
    }
}

impl<'a> ScenarioRef<'a> {
    /// Its number.
    pub fn id(self) -> EntityId {
        self.entity.id
    }

    /// Its `name`, or nothing.
    pub fn name(self) -> &'a str {
        self.entity.fields.get("name").and_then(Value::as_str).unwrap_or_default()
    }

    /// A part of it: `payload`, `data`, `context`, `conversation`, `seed`, `expect`.
    pub fn part(self, name: &str) -> Option<&'a Value> {
        self.entity.fields.get(name)
    }

    /// The graph it starts: by ID (case-insensitively), then by name; without `graph` the first of the document.
    pub fn graph(self) -> Option<GraphRef<'a>> {
        match self.entity.fields.get("graph") {
            None | Some(Value::Null | Value::Undefined) => self.document.graphs().next(),
            Some(value) => {
                let wanted = value.as_str()?;
                let by_id = self
                    .document
                    .graphs()
                    .find(|graph| graph.entity.fields.get("ID").and_then(Value::as_str).is_some_and(|id| id.eq_ignore_ascii_case(wanted)));
                by_id.or_else(|| self.document.graphs().find(|graph| graph.name() == wanted))
            }
        }
    }

    /// The script (or list of scripts) of an action, an agent or a prompt, by its name.
    pub fn script(self, kind: EntityKind, name: &str) -> Option<&'a Value> {
        self.entity.fields.get(scripts_key(kind)?)?.get(name)
    }
}

/// The key of a scenario that holds the scripts of a kind of catalogue entry; a graph is scripted as an agent.
pub fn scripts_key(kind: EntityKind) -> Option<&'static str> {
    match kind {
        EntityKind::Action => Some("actions"),
        EntityKind::Prompt => Some("prompts"),
        EntityKind::Agent | EntityKind::Graph => Some("agents"),
        _ => None,
    }
}

/// What a scenario may say.
pub const KEYS: [&str; 17] = [
    "ID",
    "description",
    "agentTypeParams",
    "expect",
    "name",
    "graph",
    "notes",
    "payload",
    "data",
    "context",
    "conversation",
    "seed",
    "actions",
    "prompts",
    "agents",
    // Of plans: when the run starts, and when it is cancelled.
    "start",
    "cancel",
];
/// Keys that give a prompt's answer: with one of them a script is no longer the answer itself.
pub const PROMPT_ANSWERS: [&str; 5] = ["response", "raw", "error", "expression", "byIteration"];
/// What else a prompt's script may say.
pub const PROMPT_KEYS: [&str; 7] = ["latencyMs", "failWhen", "failIterations", "failEvery", "failRate", "failMessage", "malformed"];
/// What an action's script may say.
pub const ACTION_KEYS: [&str; 21] = [
    "retryable",
    "resultCode",
    "outputs",
    "result",
    "copy",
    "countAs",
    "expression",
    "expressions",
    "byIteration",
    "success",
    "message",
    "throw",
    "throwWhen",
    "throwMessage",
    "failWhen",
    "failIterations",
    "failEvery",
    "failRate",
    "failMessage",
    "latencyMs",
    "notes",
];
/// What the script of an agent's result may say.
pub const AGENT_KEYS: [&str; 20] = [
    "retryable",
    "payload",
    "result",
    "outputs",
    "expression",
    "expressions",
    "byIteration",
    "success",
    "message",
    "errorMessage",
    "throw",
    "error",
    "finalStep",
    "failWhen",
    "failIterations",
    "failEvery",
    "failRate",
    "failMessage",
    "latencyMs",
    "notes",
];
/// What may be expected of a run.
pub const EXPECT_KEYS: [&str; 12] =
    ["success", "state", "error", "message", "payload", "calls", "iterations", "visits", "exits", "failures", "withinMs", "notices"];

/// Whether two keys are the same: the first letter may have either case.
pub fn same_key(found: &str, wanted: &str) -> bool {
    let (mut a, mut b) = (found.chars(), wanted.chars());
    match (a.next(), b.next()) {
        (Some(first), Some(other)) => first.eq_ignore_ascii_case(&other) && a.as_str() == b.as_str(),
        _ => false,
    }
}

/// The value of a key whose first letter may have either case.
pub fn key<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    let object = value.as_object()?;
    object.get(name).or_else(|| object.iter().find(|(found, _)| same_key(found, name)).map(|(_, value)| value))
}
