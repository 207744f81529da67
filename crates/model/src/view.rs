//! What the fields of steps and paths mean.

use loopwright_lang::Value;

use crate::{Document, End, Entity, EntityId, EntityKind, document::ROOT, reference::nonblank};

/// The kinds of step, and of the body of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepKind {
    /// Calls an action.
    Action,
    /// Runs another agent.
    SubAgent,
    /// Asks a model.
    Prompt,
    /// Does something for each item of a list.
    ForEach,
    /// Does something while a condition holds.
    While,
    /// Attempts, checks and tries again with feedback.
    Refine,
    /// A type we keep but cannot run (Human, Decision, External, or none at all).
    Unknown,
}

impl StepKind {
    /// The kind of a `StepType` or `LoopBodyType`.
    pub fn from_name(name: &str) -> Self {
        match name {
            "Action" => Self::Action,
            "Sub-Agent" => Self::SubAgent,
            "Prompt" => Self::Prompt,
            "ForEach" => Self::ForEach,
            "While" => Self::While,
            "Refine" => Self::Refine,
            _ => Self::Unknown,
        }
    }

    /// As it stands in a file; empty for [`StepKind::Unknown`].
    pub fn name(self) -> &'static str {
        match self {
            Self::Action => "Action",
            Self::SubAgent => "Sub-Agent",
            Self::Prompt => "Prompt",
            Self::ForEach => "ForEach",
            Self::While => "While",
            Self::Refine => "Refine",
            Self::Unknown => "",
        }
    }

    /// Whether a step of this kind is a container with a body.
    pub fn is_loop(self) -> bool {
        matches!(self, Self::ForEach | Self::While | Self::Refine)
    }
}

/// The kinds of graph (field `kind`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GraphKind {
    /// A flow agent: `flow`, or nothing.
    Flow,
    /// A loop agent: `loop`.
    Loop,
    /// A plan: `plan`. Its steps are tasks with the keys of a plan's task; its connectors are their `depends_on`.
    Plan,
    /// A task graph: `tasks`.
    Tasks,
    /// A kind we keep and know nothing of.
    Unknown,
}

/// A graph, to read.
#[derive(Clone, Copy, Debug)]
pub struct GraphRef<'a> {
    /// The document.
    pub document: &'a Document,
    /// The graph's entity.
    pub entity: &'a Entity,
}

/// A step, to read.
#[derive(Clone, Copy, Debug)]
pub struct StepRef<'a> {
    /// The document.
    pub document: &'a Document,
    /// The step's entity.
    pub entity: &'a Entity,
}

/// A path, to read.
#[derive(Clone, Copy, Debug)]
pub struct PathRef<'a> {
    /// The document.
    pub document: &'a Document,
    /// The path's entity.
    pub entity: &'a Entity,
}

impl Document {
    /// The document's `title`, or the name of its first graph. It is set with [`crate::edits::set_column`] on [`ROOT`].
    pub fn title(&self) -> &str {
        let own = self.field(ROOT, "title").and_then(Value::as_str).filter(|title| !title.trim().is_empty());
        own.or_else(|| self.graphs().next().map(GraphRef::name)).unwrap_or_default()
    }

    /// The graphs in document order.
    pub fn graphs(&self) -> impl Iterator<Item = GraphRef<'_>> {
        self.children_of_kind(ROOT, EntityKind::Graph).map(|entity| GraphRef { document: self, entity })
    }

    /// One graph.
    pub fn graph(&self, id: EntityId) -> Option<GraphRef<'_>> {
        self.get(id).filter(|entity| entity.kind == EntityKind::Graph).map(|entity| GraphRef { document: self, entity })
    }

    /// One step.
    pub fn step(&self, id: EntityId) -> Option<StepRef<'_>> {
        self.get(id).filter(|entity| entity.kind == EntityKind::Step).map(|entity| StepRef { document: self, entity })
    }

    /// One path.
    pub fn path(&self, id: EntityId) -> Option<PathRef<'_>> {
        self.get(id).filter(|entity| entity.kind == EntityKind::Path).map(|entity| PathRef { document: self, entity })
    }

    /// The scenarios in document order.
    pub fn scenarios(&self) -> impl Iterator<Item = &Entity> {
        self.children_of_kind(ROOT, EntityKind::Scenario)
    }
}

impl<'a> GraphRef<'a> {
    /// Its number.
    pub fn id(self) -> EntityId {
        self.entity.id
    }
    /// What kind of graph it is.
    pub fn kind(self) -> GraphKind {
        match self.entity.fields.get("kind").and_then(Value::as_str) {
            None | Some("flow") => GraphKind::Flow,
            Some("loop") => GraphKind::Loop,
            Some("plan") => GraphKind::Plan,
            Some("tasks") => GraphKind::Tasks,
            Some(_) => GraphKind::Unknown,
        }
    }
    /// Whether it is a flow agent (field `kind` absent or `flow`).
    pub fn is_flow(self) -> bool {
        self.entity.fields.get("kind").and_then(Value::as_str).is_none_or(|kind| kind == "flow")
    }
    /// Its `Name`, or nothing.
    pub fn name(self) -> &'a str {
        self.entity.fields.get("Name").and_then(Value::as_str).unwrap_or_default()
    }
    /// Its `ID`, if it is a text that is not blank.
    pub fn id_text(self) -> Option<&'a str> {
        nonblank(self.entity.fields.get("ID"))
    }
    /// The connectors that its tasks' own lists say, from and to: a plan's `depends_on`, a task graph's `after`. Others have paths instead.
    pub fn connectors(self) -> Vec<(EntityId, EntityId)> {
        match self.kind() {
            GraphKind::Plan => crate::plan::connectors(self),
            GraphKind::Tasks => crate::tasks::connectors(self),
            GraphKind::Flow | GraphKind::Loop | GraphKind::Unknown => Vec::new(),
        }
    }
    /// Its steps in file order.
    pub fn steps(self) -> impl Iterator<Item = StepRef<'a>> {
        self.document.children_of_kind(self.entity.id, EntityKind::Step).map(move |entity| StepRef { document: self.document, entity })
    }
    /// Its paths in file order.
    pub fn paths(self) -> impl Iterator<Item = PathRef<'a>> {
        self.document.children_of_kind(self.entity.id, EntityKind::Path).map(move |entity| PathRef { document: self.document, entity })
    }
    /// The step that has this name, comparing exactly.
    pub fn step_named(self, name: &str) -> Option<StepRef<'a>> {
        self.steps().find(|step| step.name() == name)
    }
}

impl<'a> StepRef<'a> {
    /// Its number.
    pub fn id(self) -> EntityId {
        self.entity.id
    }
    /// A column, if it is written.
    pub fn field(self, name: &str) -> Option<&'a Value> {
        self.entity.fields.get(name)
    }
    /// Its `Name`, or nothing; of a task of a plan its `id`.
    pub fn name(self) -> &'a str {
        let own = self.field("Name").or_else(|| match self.graph_kind() {
            GraphKind::Plan => self.field("id"),
            GraphKind::Tasks => self.field("key"),
            _ => None,
        });
        own.and_then(Value::as_str).unwrap_or_default()
    }
    /// Its `ID`, if it is a text that is not blank.
    pub fn id_text(self) -> Option<&'a str> {
        nonblank(self.field("ID"))
    }
    /// Whether it is a task of a plan.
    pub fn is_plan_task(self) -> bool {
        self.graph_kind() == GraphKind::Plan
    }
    /// Whether it is a task of a task graph.
    pub fn is_graph_task(self) -> bool {
        self.graph_kind() == GraphKind::Tasks
    }
    /// The kind of its graph.
    pub fn graph_kind(self) -> GraphKind {
        self.document.graph(self.entity.parent).map_or(GraphKind::Unknown, GraphRef::kind)
    }
    /// Its graph.
    pub fn graph_id(self) -> EntityId {
        self.entity.parent
    }
    /// Its `StepType` as written, or nothing; of a task of a plan its `type`.
    pub fn step_type(self) -> &'a str {
        if self.is_plan_task() {
            return self.field("type").map_or("tool", |kind| kind.as_str().unwrap_or_default());
        }
        if self.is_graph_task() {
            return self.field("type").and_then(Value::as_str).unwrap_or_default();
        }
        self.field("StepType").and_then(Value::as_str).unwrap_or_default()
    }
    /// What kind of step it is. A tool task is an action, one with `for_each` a loop over it; a wait is none of the kinds.
    pub fn kind(self) -> StepKind {
        if self.is_plan_task() {
            let iterates = self.field("for_each").is_some_and(|for_each| !for_each.is_null());
            return if iterates { StepKind::ForEach } else { plan_kind(self.step_type()) };
        }
        if self.is_graph_task() {
            return match self.step_type() {
                "loop" => StepKind::Refine,
                _ => self.task_body().map_or(StepKind::Unknown, body_kind),
            };
        }
        StepKind::from_name(self.step_type())
    }
    /// The kind of a loop's body by `LoopBodyType`; `None` when it is not written.
    pub fn body_kind(self) -> Option<StepKind> {
        if self.is_plan_task() {
            return Some(plan_kind(self.step_type()));
        }
        if self.is_graph_task() {
            return self.task_body().map(body_kind);
        }
        self.field("LoopBodyType").and_then(Value::as_str).map(StepKind::from_name)
    }
    /// The body of a task graph's task: `perform`, of a loop `attempt`.
    pub fn task_body(self) -> Option<&'a Value> {
        self.field(if self.step_type() == "loop" { "attempt" } else { "perform" }).filter(|body| body.as_object().is_some())
    }
    /// Whether it is a start (`StartingStep`: true or 1).
    pub fn is_start(self) -> bool {
        self.field("StartingStep").is_some_and(flag)
    }
    /// Whether it can run (`Status` absent or `Active`).
    pub fn is_active(self) -> bool {
        self.field("Status").is_none_or(|status| status.is_null() || status.as_str() == Some("Active"))
    }
    /// Its place on the canvas in world pixels (`PositionX`, `PositionY`), 0 where absent.
    pub fn position(self) -> (f64, f64) {
        let number = |name| self.field(name).and_then(Value::as_number).filter(|value| value.is_finite()).unwrap_or(0.0);
        (number("PositionX"), number("PositionY"))
    }
}

impl<'a> PathRef<'a> {
    /// Its number.
    pub fn id(self) -> EntityId {
        self.entity.id
    }
    /// A column, if it is written.
    pub fn field(self, name: &str) -> Option<&'a Value> {
        self.entity.fields.get(name)
    }
    /// The step it starts at, if that exists.
    pub fn from(self) -> Option<EntityId> {
        step_of(&self.entity.ends.as_ref()?.0)
    }
    /// The step it leads to, if that exists.
    pub fn to(self) -> Option<EntityId> {
        step_of(&self.entity.ends.as_ref()?.1)
    }
    /// Its `Condition`; blank is none (ruling 39).
    pub fn condition(self) -> Option<&'a str> {
        self.field("Condition").and_then(Value::as_str).filter(|text| !text.trim().is_empty())
    }
    /// Its `Priority`, 0 where absent.
    pub fn priority(self) -> f64 {
        self.field("Priority").and_then(Value::as_number).unwrap_or(0.0)
    }
}

/// The kind of step that a `type` of a plan's task is.
fn plan_kind(name: &str) -> StepKind {
    match name {
        "tool" => StepKind::Action,
        "sub_agent" => StepKind::SubAgent,
        _ => StepKind::Unknown,
    }
}

/// The kind of a body `{ "action" | "prompt" | "agent": name }`.
fn body_kind(body: &Value) -> StepKind {
    let has = |key: &str| body.get(key).is_some_and(|name| !name.is_nullish());
    if has("action") {
        StepKind::Action
    } else if has("prompt") {
        StepKind::Prompt
    } else if has("agent") {
        StepKind::SubAgent
    } else {
        StepKind::Unknown
    }
}

fn step_of(end: &End) -> Option<EntityId> {
    if let End::Step(id) = end { Some(*id) } else { None }
}

/// `true` and `1` are set; everything else is not.
fn flag(value: &Value) -> bool {
    value.as_bool().or_else(|| value.as_number().map(|number| number == 1.0)).unwrap_or(false)
}
