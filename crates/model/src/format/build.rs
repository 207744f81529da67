//! Writes a document anew in a format, by the rules of step-json.md; and the values of single records, for texts that get new ones.

use std::collections::{BTreeMap, BTreeSet};

use loopwright_lang::{
    Object, Value,
    json::{self, NodeKind},
};

use super::{Format, JsonForm, faithful::record_nodes, records::record_fields, source_format};
use crate::{
    Document, End, EntityId, EntityKind, GraphKind, GraphRef, PathRef, Referent, StepRef,
    catalogue::{entity_id_text, entity_name},
    columns::{PATH_ORDER, REFERENCES, STEP_ORDER, is_default, is_json},
    config::{JsonColumn, json_column},
    document::ROOT,
    reference::{Lookup, nonblank},
};

/// How a path says which steps it connects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EndStyle {
    /// By ID; by name where a step has none.
    Id,
    /// By name.
    Name,
    /// `@lookup:ENTITY.Name=…TAIL`.
    Lookup {
        /// The entity's name.
        entity: String,
        /// What follows the name.
        tail: String,
    },
}

/// How new records are written.
#[derive(Clone, Debug)]
pub(super) struct RecordStyle {
    /// The format.
    pub(super) format: Format,
    /// Whether Configuration and mappings are text; `None` leaves them as the document holds them.
    pub(super) text: Option<bool>,
    /// Whether flags are 1 and 0; `None` leaves them as the document holds them.
    pub(super) numeric: Option<bool>,
    /// How paths refer to steps.
    pub(super) ends: EndStyle,
    /// Whether paths stand under the step they start at.
    pub(super) nested: bool,
    /// Whether records carry their `ID`.
    pub(super) ids: bool,
    /// Steps whose ID does not stand in the file: paths name them.
    pub(super) without_id: BTreeSet<EntityId>,
    /// What new steps write as `AgentID`.
    pub(super) agent: Option<Value>,
    /// What entities are called in references: with `MJ: ` before them or without.
    pub(super) prefix: &'static str,
    /// The columns each entity had in the text it came from: these are written even where they hold their default.
    pub(super) written: BTreeMap<EntityId, BTreeSet<String>>,
}

impl RecordStyle {
    /// How a new file of a format is written.
    pub(super) fn new(format: Format, form: JsonForm) -> Self {
        let sync = format == Format::MjSync;
        Self {
            format,
            text: Some(format == Format::Steps && form != JsonForm::Object),
            numeric: Some(false),
            ends: match format {
                Format::MjSync => EndStyle::Lookup { entity: "MJ: AI Agent Steps".into(), tail: "&AgentID=@parent:AgentID".into() },
                Format::AgentSpec => EndStyle::Name,
                _ => EndStyle::Id,
            },
            nested: sync,
            ids: true,
            without_id: BTreeSet::new(),
            agent: sync.then(|| Value::text("@parent:ID")),
            prefix: "MJ: ",
            written: BTreeMap::new(),
        }
    }
}

impl RecordStyle {
    /// A step's ID, if it stands in the file.
    pub(super) fn written_id<'a>(&self, step: StepRef<'a>) -> Option<&'a str> {
        step.id_text().filter(|_| !self.without_id.contains(&step.id()))
    }

    fn wrote(&self, id: EntityId, column: &str) -> bool {
        self.written.get(&id).is_some_and(|columns| columns.contains(column))
    }
}

/// Writes all graphs of a document.
pub(super) fn write(document: &Document, format: Format, form: JsonForm) -> String {
    let style = RecordStyle { written: written_columns(document), ..RecordStyle::new(format, form) };
    let graphs: Vec<Value> = document
        .graphs()
        .filter(|graph| !matches!(graph.kind(), GraphKind::Plan | GraphKind::Tasks))
        .map(|graph| graph_value(graph, &style))
        .collect();
    let root = match (format, <[Value; 1]>::try_from(graphs)) {
        (Format::AgentSpec, Ok([only])) => only,
        (Format::Steps, graphs) => Value::object([("agents", Value::list(graphs.map_or_else(|many| many, Vec::from)))]),
        (_, graphs) => Value::list(graphs.map_or_else(|many| many, Vec::from)),
    };
    let mut text = json::print_pretty(&root);
    text.push('\n');
    text
}

/// One agent with its steps and paths.
pub(super) fn graph_value(graph: GraphRef<'_>, style: &RecordStyle) -> Value {
    let mut fields = graph_fields(graph, style);
    if style.format != Format::MjSync {
        let (steps, paths) = if style.format == Format::AgentSpec { ("Steps", "Paths") } else { ("steps", "paths") };
        fields.insert(steps, Value::list(graph.steps().map(|step| Value::Object(step_fields(step, style)))));
        fields.insert(paths, Value::list(graph.paths().map(|path| Value::Object(path_fields(path, style, false)))));
        return Value::Object(fields);
    }
    let mut under: BTreeMap<EntityId, Vec<PathRef<'_>>> = BTreeMap::new();
    for path in graph.paths().filter(|_| style.nested) {
        if let Some(from) = path.from() {
            under.entry(from).or_default().push(path);
        }
    }
    let steps = graph.steps().map(|step| {
        let paths = under.get(&step.id()).into_iter().flatten();
        let paths = paths.map(|path| metadata(path_fields(*path, style, true), Vec::new(), style));
        let paths: Vec<Value> = paths.collect();
        let related =
            if paths.is_empty() { Vec::new() } else { vec![(format!("{}AI Agent Step Paths", style.prefix), Value::list(paths))] };
        metadata(step_fields(step, style), related, style)
    });
    let mut related = vec![(format!("{}AI Agent Steps", style.prefix), Value::list(steps))];
    let loose = graph.paths().filter(|path| !style.nested || path.from().is_none());
    let loose: Vec<Value> = loose.map(|path| metadata(path_fields(path, style, false), Vec::new(), style)).collect();
    if !loose.is_empty() {
        related.push((format!("{}AI Agent Step Paths", style.prefix), Value::list(loose)));
    }
    metadata(fields, related, style)
}

/// A metadata record: its columns, what belongs to it, its key.
pub(super) fn metadata(mut fields: Object, related: Vec<(String, Value)>, style: &RecordStyle) -> Value {
    let id = fields.remove("ID");
    let mut record = Object::new();
    record.insert("fields", Value::Object(fields));
    if !related.is_empty() {
        record.insert("relatedEntities", Value::object(related));
    }
    if let Some(id) = id.filter(|_| style.ids) {
        record.insert("primaryKey", Value::object([("ID", id)]));
    }
    Value::Object(record)
}

/// The columns of an agent: ID, Name, then the others as they came.
pub(super) fn graph_fields(graph: GraphRef<'_>, style: &RecordStyle) -> Object {
    let mut fields = Object::new();
    for column in ["ID", "Name"] {
        if let Some(value) = graph.entity.fields.get(column) {
            fields.insert(column, value.clone());
        }
    }
    for (column, value) in graph.entity.fields.iter() {
        if !matches!(column.as_str(), "ID" | "Name" | "steps" | "paths" | "notes" | "Steps" | "Paths") {
            let (column, value) = foreign(column, value, style);
            fields.insert(column, value);
        }
    }
    if style.format == Format::MjSync {
        add_missing_type(&mut fields);
    }
    fields
}

/// A column that is none of a step's own: a reference by name becomes its view column outside of metadata files.
fn foreign(column: &str, value: &Value, style: &RecordStyle) -> (String, Value) {
    let looked_up = value.as_str().and_then(Lookup::parse).map(Lookup::name);
    match (style.format, column.strip_suffix("ID"), looked_up) {
        (Format::Steps | Format::AgentSpec, Some(view), Some(name)) if !view.is_empty() => (view.to_owned(), Value::text(name)),
        _ => (column.to_owned(), value.clone()),
    }
}

/// The columns each entity had in the text it came from.
fn written_columns(document: &Document) -> BTreeMap<EntityId, BTreeSet<String>> {
    let mut written = BTreeMap::new();
    for source in document.children_of_kind(ROOT, EntityKind::Source) {
        let (Some(format), Some(text)) = (source_format(document, source.id), source.fields.get("text").and_then(Value::as_str)) else {
            continue;
        };
        let Some(root) = json::parse(text).root else { continue };
        for (id, node) in record_nodes(document, source.id, &root) {
            if let Some(NodeKind::Object(members)) = record_fields(node, format).map(|node| &node.kind) {
                written.insert(id, members.iter().map(|member| member.key.as_str().to_owned()).collect());
            }
        }
    }
    written
}

/// An agent that MemberJunction is to run as a flow says so.
fn add_missing_type(fields: &mut Object) {
    if fields.contains_key("TypeID") {
        return;
    }
    let name = fields.remove("Type").as_ref().and_then(Value::as_str).map_or_else(|| "Flow".to_owned(), str::to_owned);
    let after = fields.index_of("Name").map_or(0, |at| at + 1);
    fields.insert_at(after, "TypeID", Value::text(format!("@lookup:MJ: AI Agent Types.Name={name}")));
}

/// The columns of a step in the order of files, without those that say nothing.
pub(super) fn step_fields(step: StepRef<'_>, style: &RecordStyle) -> Object {
    let mut fields = Object::new();
    let mut write = |column: &str, value: Value| {
        fields.insert(column, value);
    };
    let own = &step.entity.fields;
    for column in STEP_ORDER.iter().copied() {
        if let Some(reference) = REFERENCES.iter().find(|reference| reference.id == column) {
            let (id, name) = reference_text(step, reference, style);
            if let Some(id) = id {
                write(reference.id, id);
            }
            if let (Some(name), Some(view)) = (name, reference.names.first()) {
                let view = if style.format == Format::AgentSpec && *view == "Prompt" { "PromptName" } else { view };
                write(view, name);
            }
            continue;
        }
        if REFERENCES.iter().any(|reference| reference.names.contains(&column)) {
            continue;
        }
        if column == "AgentID" {
            let parent = nonblank(own.get(column)).is_some_and(|text| text.starts_with('@'));
            match (&style.agent, own.get(column)) {
                (Some(agent), _) => write(column, agent.clone()),
                (None, Some(value)) if !parent => write(column, value.clone()),
                _ => {}
            }
            continue;
        }
        if column == "ID" && !style.ids {
            continue;
        }
        let Some(value) = own.get(column) else { continue };
        if is_default(EntityKind::Step, column, value) && !style.wrote(step.id(), column) {
            continue;
        }
        write(column, in_style(column, value, style));
    }
    for (column, value) in own.iter().filter(|(column, _)| !STEP_ORDER.contains(&column.as_str())) {
        let (column, value) = foreign(column, value, style);
        write(&column, value);
    }
    fields
}

/// A value of a column as new records write it.
pub(super) fn in_style(column: &str, value: &Value, style: &RecordStyle) -> Value {
    if column == "StartingStep" {
        let set = value.as_bool().or_else(|| value.as_number().map(|number| number == 1.0));
        return match (style.numeric, set) {
            (Some(true), Some(set)) => Value::Number(f64::from(u8::from(set))),
            (Some(false), Some(set)) => Value::Bool(set),
            _ => value.clone(),
        };
    }
    if is_json(column) { in_form(value, style.text) } else { value.clone() }
}

/// A JSON column as text or as what it holds; text that is no JSON stays.
pub(crate) fn in_form(value: &Value, text: Option<bool>) -> Value {
    match (text, value) {
        (Some(true), Value::Object(_) | Value::List(_)) => Value::text(json::print_compact(value)),
        (Some(false), Value::Text(_)) => match json_column(Some(value)) {
            JsonColumn::Value(value @ (Value::Object(_) | Value::List(_))) => value,
            _ => value.clone(),
        },
        _ => value.clone(),
    }
}

/// What a reference column and its view column hold in a format.
fn reference_text(
    step: StepRef<'_>,
    reference: &'static crate::columns::ReferenceColumn,
    style: &RecordStyle,
) -> (Option<Value>, Option<Value>) {
    let own = step.field(reference.id);
    let (id, name) = match step.referent_in(reference) {
        Referent::None => {
            let view = reference.names.iter().find_map(|name| step.field(name));
            let keep = |value: Option<&Value>| value.filter(|value| !value.is_null()).cloned();
            return (keep(own), if style.format == Format::MjSync { None } else { keep(view) });
        }
        Referent::Found(entity) => (entity_id_text(entity), Some(entity_name(entity)).filter(|name| !name.is_empty())),
        Referent::Unknown(name) => {
            let id = nonblank(own).filter(|id| !id.starts_with('@'));
            (id, if id == Some(name) { None } else { Some(name) })
        }
    };
    if style.format != Format::MjSync {
        return (id.map(Value::text), name.map(Value::text));
    }
    // The text that stands there goes on if it already is a reference to that name.
    let keeps = nonblank(own).filter(|text| Lookup::parse(text).is_some_and(|lookup| Some(lookup.name()) == name));
    let entity = reference.metadata.strip_prefix("MJ: ").unwrap_or(reference.metadata);
    let made = name.map(|name| format!("@lookup:{}{entity}.Name={name}", style.prefix));
    (keeps.map(Value::text).or(made.map(Value::text)).or(id.map(Value::text)), None)
}

/// The columns of a path in the order of files, its ends after its ID. `nested`: it stands under the step it starts at.
pub(super) fn path_fields(path: PathRef<'_>, style: &RecordStyle, nested: bool) -> Object {
    let own = &path.entity.fields;
    let mut fields = Object::new();
    if let Some(id) = own.get("ID").filter(|_| style.ids) {
        fields.insert("ID", id.clone());
    }
    if let Some((from, to)) = &path.entity.ends {
        let from =
            if nested && matches!(from, End::Step(_)) { Some(Value::text("@parent:ID")) } else { end_value(path.document, from, style) };
        for (column, value) in [("OriginStepID", from), ("DestinationStepID", end_value(path.document, to, style))] {
            if let Some(value) = value {
                fields.insert(column, value);
            }
        }
    }
    for column in PATH_ORDER.iter().copied().filter(|column| *column != "ID") {
        let Some(value) = own.get(column) else { continue };
        if !is_default(EntityKind::Path, column, value) || style.wrote(path.id(), column) {
            fields.insert(column, value.clone());
        }
    }
    for (column, value) in own.iter().filter(|(column, _)| !PATH_ORDER.contains(&column.as_str())) {
        fields.insert(column.clone(), value.clone());
    }
    fields
}

/// How one end of a path is written.
pub(super) fn end_value(document: &Document, end: &End, style: &RecordStyle) -> Option<Value> {
    match end {
        End::Missing(Value::Undefined) => None,
        End::Missing(value) => Some(value.clone()),
        End::Step(id) => {
            let step = document.step(*id)?;
            Some(match &style.ends {
                EndStyle::Id => Value::text(style.written_id(step).unwrap_or_else(|| step.name())),
                EndStyle::Name => Value::text(step.name()),
                EndStyle::Lookup { entity, tail } => Value::text(format!("@lookup:{entity}.Name={}{tail}", step.name())),
            })
        }
    }
}
