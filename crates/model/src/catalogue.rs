//! What a step refers to: actions, agents and prompts, by ID or by name; and what the catalogue says about them.

use loopwright_lang::{List, Value};

use crate::{
    Document, Entity, EntityId, EntityKind, StepKind, StepRef,
    columns::{REFERENCES, ReferenceColumn, reference_of},
    document::ROOT,
    reference::{Lookup, nonblank},
};

/// What the reference of a step, or of a loop's body, leads to.
#[derive(Clone, Copy, Debug)]
pub enum Referent<'a> {
    /// Nothing is selected.
    None,
    /// An entity of the document: an action, an agent, a prompt, or a graph.
    Found(&'a Entity),
    /// A name or an ID that is not in the document.
    Unknown(&'a str),
}

impl<'a> Referent<'a> {
    /// The name to show and to call it by: the entity's own, or what the file said.
    pub fn name(self) -> Option<&'a str> {
        match self {
            Self::None => None,
            Self::Found(entity) => Some(entity_name(entity)),
            Self::Unknown(name) => Some(name),
        }
    }
}

/// The name of a catalogue entry (`name`) or of a graph (`Name`); empty where there is none.
pub fn entity_name(entity: &Entity) -> &str {
    let key = if entity.kind == EntityKind::Graph { "Name" } else { "name" };
    entity.fields.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The ID of a catalogue entry (`id`) or of a graph (`ID`), if it has one.
pub fn entity_id_text(entity: &Entity) -> Option<&str> {
    nonblank(entity.fields.get(if entity.kind == EntityKind::Graph { "ID" } else { "id" }))
}

impl Document {
    /// The catalogue's actions in document order.
    pub fn actions(&self) -> impl Iterator<Item = &Entity> {
        self.children_of_kind(ROOT, EntityKind::Action)
    }

    /// The catalogue's agents in document order; the graphs of the document are not among them.
    pub fn agents(&self) -> impl Iterator<Item = &Entity> {
        self.children_of_kind(ROOT, EntityKind::Agent)
    }

    /// The catalogue's prompts in document order.
    pub fn prompts(&self) -> impl Iterator<Item = &Entity> {
        self.children_of_kind(ROOT, EntityKind::Prompt)
    }

    /// The action, agent or prompt that has an ID (case-insensitively). An agent may be a graph of the document.
    pub fn entry_by_id(&self, kind: EntityKind, id: &str) -> Option<&Entity> {
        self.entries(kind).find(|entity| entity_id_text(entity).is_some_and(|own| own.eq_ignore_ascii_case(id)))
    }

    /// The action, agent or prompt that has a name, comparing exactly. An agent may be a graph of the document.
    pub fn entry_by_name(&self, kind: EntityKind, name: &str) -> Option<&Entity> {
        self.entries(kind).find(|entity| entity_name(entity) == name)
    }

    /// The entries of one kind; of agents the graphs first, because they can be run.
    fn entries(&self, kind: EntityKind) -> impl Iterator<Item = &Entity> {
        let graphs = (kind == EntityKind::Agent).then_some(EntityKind::Graph);
        graphs.into_iter().chain([kind]).flat_map(|kind| self.children_of_kind(ROOT, kind))
    }
}

impl<'a> StepRef<'a> {
    /// The reference column that counts: by `StepType`, in a loop by `LoopBodyType`, or, where that is missing, the one that is filled.
    pub fn reference_column(self) -> Option<&'static ReferenceColumn> {
        match self.kind() {
            StepKind::ForEach | StepKind::While => match self.body_kind() {
                Some(body) => reference_of(body),
                None => REFERENCES.iter().find(|column| self.has_reference(column)),
            },
            kind => reference_of(kind),
        }
    }

    fn has_reference(self, column: &ReferenceColumn) -> bool {
        nonblank(self.field(column.id)).is_some() || column.names.iter().any(|name| nonblank(self.field(name)).is_some())
    }

    /// What the step (or its body, of a loop) calls: the ID column first (case-insensitive), then the name column; both also as names.
    pub fn referent(self) -> Referent<'a> {
        self.reference_column().map_or(Referent::None, |column| self.referent_in(column))
    }

    /// What one of the reference columns leads to, whether it counts for this step or not.
    pub fn referent_in(self, column: &ReferenceColumn) -> Referent<'a> {
        if self.is_plan_task() {
            let key = match column.entity {
                EntityKind::Action => "tool",
                EntityKind::Agent => "agent",
                _ => return Referent::None,
            };
            // The source system compares names exactly.
            return match nonblank(self.field(key)) {
                None => Referent::None,
                Some(name) => self.document.entry_by_name(column.entity, name).map_or(Referent::Unknown(name), Referent::Found),
            };
        }
        if self.is_graph_task() {
            let key = match column.entity {
                EntityKind::Action => "action",
                EntityKind::Agent => "agent",
                EntityKind::Prompt => "prompt",
                _ => return Referent::None,
            };
            return match nonblank(self.task_body().and_then(|body| body.get(key))) {
                None => Referent::None,
                Some(name) => self.document.entry_by_name(column.entity, name).map_or(Referent::Unknown(name), Referent::Found),
            };
        }
        let id = nonblank(self.field(column.id));
        let looked_up = id.and_then(Lookup::parse).map(Lookup::name);
        let name = column.names.iter().find_map(|name| nonblank(self.field(name)));
        let document = self.document;
        let found = id
            .and_then(|id| document.entry_by_id(column.entity, id))
            .or_else(|| looked_up.and_then(|name| document.entry_by_name(column.entity, name)))
            .or_else(|| name.and_then(|name| document.entry_by_name(column.entity, name)))
            .or_else(|| id.and_then(|id| document.entry_by_name(column.entity, id)))
            .or_else(|| name.and_then(|name| document.entry_by_id(column.entity, name)));
        match (found, name.or(looked_up).or(id)) {
            (Some(entity), _) => Referent::Found(entity),
            (None, Some(text)) => Referent::Unknown(text),
            (None, None) => Referent::None,
        }
    }
}

/// Something steps refer to that no catalogue of the document holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// An action, an agent or a prompt.
    pub kind: EntityKind,
    /// What the steps call it.
    pub name: &'a str,
    /// The ID the first of them gives, where that is not itself the name or a reference.
    pub id: Option<&'a str>,
    /// The steps, in document order.
    pub steps: Vec<EntityId>,
}

/// What the document's steps refer to and its catalogue does not hold, in the order in which it is first met.
pub fn wanted(document: &Document) -> Vec<Wanted<'_>> {
    let mut list: Vec<Wanted<'_>> = Vec::new();
    let mut places = std::collections::BTreeMap::new();
    for step in document.graphs().flat_map(|graph| graph.steps()) {
        let Some(column) = step.reference_column() else { continue };
        let Referent::Unknown(name) = step.referent_in(column) else { continue };
        let at = *places.entry((column.entity, name)).or_insert_with(|| {
            let id = nonblank(step.field(column.id)).filter(|id| *id != name && !id.starts_with('@'));
            list.push(Wanted { kind: column.entity, name, id, steps: Vec::new() });
            list.len() - 1
        });
        if let Some(wanted) = list.get_mut(at) {
            wanted.steps.push(step.id());
        }
    }
    list
}

/// The actions that steps refer to and the catalogue does not hold: the palette and the scenario offer them too.
pub fn actions_in_use(document: &Document) -> Vec<&str> {
    wanted(document).into_iter().filter(|wanted| wanted.kind == EntityKind::Action).map(|wanted| wanted.name).collect()
}

/// One input or output of an action.
#[derive(Clone, Copy, Debug)]
pub struct Parameter<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type as written (`string`, `number`, `boolean`, `list`, `object`, …); empty when it is not said.
    pub type_name: &'a str,
    /// Whether a call must give it (inputs only).
    pub required: bool,
    /// What it is for; empty when it is not said.
    pub description: &'a str,
    /// A sample value.
    pub example: Option<&'a Value>,
}

/// The inputs of a catalogue action, in order.
pub fn inputs(action: &Entity) -> impl Iterator<Item = Parameter<'_>> {
    parameters(action, "inputs")
}

/// The outputs of a catalogue action, in order.
pub fn outputs(action: &Entity) -> impl Iterator<Item = Parameter<'_>> {
    parameters(action, "outputs")
}

fn parameters<'a>(action: &'a Entity, key: &str) -> impl Iterator<Item = Parameter<'a>> {
    action.fields.get(key).and_then(Value::as_list).into_iter().flat_map(List::iter).filter_map(|item| {
        let text = |key| item.get(key).and_then(Value::as_str).unwrap_or_default();
        Some(Parameter {
            name: item.get("name").and_then(Value::as_str)?,
            type_name: text("type"),
            required: item.get("required").and_then(Value::as_bool).unwrap_or(false),
            description: text("description"),
            example: item.get("example"),
        })
    })
}
