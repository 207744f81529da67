//! The columns of steps and paths: their order in a file, their defaults, which hold JSON, which refer to something.

use loopwright_lang::Value;

use crate::{EntityKind, StepKind};

/// A column that refers to something of the catalogue, and the view columns that may hold its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferenceColumn {
    /// Steps (and bodies) of which kind use it.
    pub kind: StepKind,
    /// What it leads to: an action, an agent or a prompt.
    pub entity: EntityKind,
    /// The column that holds the ID.
    pub id: &'static str,
    /// The view columns that hold the name; the first is the one we write.
    pub names: &'static [&'static str],
    /// The entity's name in MemberJunction metadata files.
    pub metadata: &'static str,
}

/// The three reference columns of a step.
pub const REFERENCES: [ReferenceColumn; 3] = [
    ReferenceColumn {
        kind: StepKind::Action,
        entity: EntityKind::Action,
        id: "ActionID",
        names: &["Action", "ActionName"],
        metadata: "MJ: Actions",
    },
    ReferenceColumn {
        kind: StepKind::SubAgent,
        entity: EntityKind::Agent,
        id: "SubAgentID",
        names: &["SubAgent", "SubAgentName"],
        metadata: "MJ: AI Agents",
    },
    ReferenceColumn {
        kind: StepKind::Prompt,
        entity: EntityKind::Prompt,
        id: "PromptID",
        names: &["Prompt", "PromptName"],
        metadata: "MJ: AI Prompts",
    },
];

/// The reference column that a kind of step or body uses.
pub fn reference_of(kind: StepKind) -> Option<&'static ReferenceColumn> {
    REFERENCES.iter().find(|column| column.kind == kind)
}

/// The known columns of a step in the order in which files hold them (step-json.md); unknown ones follow.
pub const STEP_ORDER: &[&str] = &[
    "ID",
    "AgentID",
    "Name",
    "Description",
    "StepType",
    "StartingStep",
    "Status",
    "ActionID",
    "Action",
    "ActionName",
    "SubAgentID",
    "SubAgent",
    "SubAgentName",
    "PromptID",
    "Prompt",
    "PromptName",
    "LoopBodyType",
    "Configuration",
    "ActionInputMapping",
    "ActionOutputMapping",
    "OnErrorBehavior",
    "RetryCount",
    "TimeoutSeconds",
    "PositionX",
    "PositionY",
    "Width",
    "Height",
];

/// The known columns of a path in the order in which files hold them; its two ends come after `ID`.
pub const PATH_ORDER: &[&str] = &["ID", "Condition", "Priority", "Description", "PathPoints"];

/// The columns of a step that hold JSON, as text or as an object.
pub const JSON_COLUMNS: [&str; 3] = ["Configuration", "ActionInputMapping", "ActionOutputMapping"];

/// The columns of a path that say where it starts and leads; the names beside the IDs are view columns.
pub(crate) const END_COLUMNS: [(&str, &str); 2] = [("OriginStepID", "OriginStep"), ("DestinationStepID", "DestinationStep")];

/// Whether a column of a step holds JSON.
pub fn is_json(column: &str) -> bool {
    JSON_COLUMNS.contains(&column)
}

/// Where a new column goes among the fields of a record: after the last one that stands before it in the known order.
pub(crate) fn place_of(fields: &loopwright_lang::Object, order: &[&str], column: &str) -> Option<usize> {
    let rank = order.iter().position(|known| *known == column)?;
    let before = order.iter().take(rank).filter_map(|known| fields.index_of(known)).max();
    Some(before.map_or(0, |at| at + 1))
}

/// Whether a value is what the column holds when nothing is written.
pub fn is_default(kind: EntityKind, column: &str, value: &Value) -> bool {
    let number = |wanted: f64| value.as_number() == Some(wanted);
    let off = value.as_bool() == Some(false) || number(0.0);
    match (kind, column) {
        (EntityKind::Step, "StartingStep") => off,
        (EntityKind::Step, "Status") => value.as_str() == Some("Active"),
        (EntityKind::Step, "OnErrorBehavior") => value.as_str() == Some("fail"),
        (EntityKind::Step, "RetryCount" | "PositionX" | "PositionY") | (EntityKind::Path, "Priority") => number(0.0),
        // An empty cell means no limit here, so null is no default.
        (EntityKind::Step, "TimeoutSeconds") => number(600.0),
        (EntityKind::Step, "Width") => number(200.0),
        (EntityKind::Step, "Height") => number(80.0),
        (EntityKind::Step, "Name" | "StepType") => false,
        (EntityKind::Step | EntityKind::Path, _) => value.is_null() && (STEP_ORDER.contains(&column) || PATH_ORDER.contains(&column)),
        _ => false,
    }
}
