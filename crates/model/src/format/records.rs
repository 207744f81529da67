//! Reads agents, steps and paths, each in its own shape: flat records (step JSON, agent specs, our own file) and
//! metadata records (`fields`, `relatedEntities`, `primaryKey`).

use std::collections::{BTreeMap, BTreeSet};

use loopwright_lang::{
    Object, Severity, Span, Value,
    json::{Node, NodeKind},
    limits,
};

use super::{Format, Imported, Notice, error, place};
use crate::{
    Document, End, Entity, EntityId, EntityKind, GraphKind, Origin, StepKind,
    columns::END_COLUMNS,
    document::{PointerPart, ROOT},
    reference::{Lookup, nonblank, plain_entity},
};

/// Reads step JSON, metadata and agent specs into a new document that keeps the text.
pub(super) fn read(name: &str, text: &str, root: &Node, format: Format, notices: Vec<Notice>) -> Imported {
    let mut document = Document::new();
    let source = document.next_id();
    let fields = Object::from_iter([("name", Value::text(name)), ("format", Value::text(format.name())), ("text", Value::text(text))]);
    let index = document.children(ROOT).len();
    document.insert(Entity { id: source, kind: EntityKind::Source, parent: ROOT, fields, ends: None, origin: None }, index);
    let mut reader = Reader { document, notices, text, source: Some(source), own: false };
    match (&root.kind, root.member("agents")) {
        (NodeKind::List(items), _) => reader.graphs(items, &[], format),
        (NodeKind::Object(_), Some(member)) if format == Format::Steps => {
            if let NodeKind::List(items) = &member.value.kind {
                reader.graphs(items, &[PointerPart::Key("agents".into())], format);
            }
        }
        _ => reader.graph(root, &[], format),
    }
    let Reader { document, mut notices, .. } = reader;
    let steps = document.graphs().map(|graph| graph.steps().count()).sum::<usize>();
    if steps > limits::STEPS {
        let message = format!("This file has {steps} steps; more than {} may be slow to work with.", limits::STEPS);
        notices.push(Notice { severity: Severity::Warning, code: "file_many_steps", message, span: None });
    }
    if document.graphs().next().is_none() {
        let message = "This file has no agent in it: no record with steps and paths was found.".to_owned();
        notices.push(error("file_no_agent", message, None));
        return Imported { document: None, format: Some(format), notices, read_only: false };
    }
    Imported { document: Some(document), format: Some(format), notices, read_only: false }
}

/// Builds a document from nodes.
pub(super) struct Reader<'t> {
    /// The document so far.
    pub(super) document: Document,
    /// What was not understood.
    pub(super) notices: Vec<Notice>,
    /// The file's text.
    pub(super) text: &'t str,
    /// The source that entities come from; `None` in our own files, which say it themselves.
    pub(super) source: Option<EntityId>,
    /// Whether our own file is read: it has notes, and ends written as objects.
    pub(super) own: bool,
}

/// How the steps of one graph are found by the ends of its paths.
#[derive(Default)]
struct StepsBy {
    order: Vec<EntityId>,
    id: BTreeMap<String, EntityId>,
    name: BTreeMap<String, EntityId>,
}

/// One path as it stands in a file.
struct RawPath<'t> {
    node: &'t Node,
    fields: &'t Node,
    pointer: Vec<PointerPart>,
    /// The step under which it stands.
    under: Option<EntityId>,
}

impl<'t> Reader<'t> {
    /// Puts an entity at the end of its parent's children.
    pub(super) fn add(
        &mut self,
        kind: EntityKind,
        parent: EntityId,
        fields: Object,
        ends: Option<(End, End)>,
        pointer: Option<Vec<PointerPart>>,
    ) -> EntityId {
        let id = self.document.next_id();
        let origin = self.source.zip(pointer).map(|(source, pointer)| Origin { source, pointer });
        let index = self.document.children(parent).len();
        self.document.insert(Entity { id, kind, parent, fields, ends, origin }, index);
        id
    }

    pub(super) fn notice(&mut self, severity: Severity, code: &'static str, span: Span, message: &str) {
        let message = format!("{}: {message}", place(self.text, span));
        self.notices.push(Notice { severity, code, message, span: Some(span) });
    }

    fn graphs(&mut self, items: &'t [Node], pointer: &[PointerPart], format: Format) {
        for (index, item) in items.iter().enumerate() {
            let at = joined(pointer, [PointerPart::Place(index)]);
            self.graph(item, &at, format);
        }
    }

    /// Reads one agent.
    pub(super) fn graph(&mut self, node: &'t Node, pointer: &[PointerPart], format: Format) {
        if !is_graph_record(node, format) {
            let message = match node.kind {
                NodeKind::Object(_) => "This record is no agent with steps; it is kept in the file and not shown.",
                _ => "An agent was expected here; what stands here is kept in the file and not shown.",
            };
            self.notice(Severity::Warning, "file_not_an_agent", node.span, message);
            return;
        }
        let shape = Shape::of(node, format);
        let mut fields = shape.fields.map(|node| self.fields(node, &shape.structural)).unwrap_or_default();
        add_primary_key(&mut fields, node, format);
        let graph = self.add(EntityKind::Graph, ROOT, fields, None, Some(pointer.to_vec()));
        let mut steps = StepsBy::default();
        let mut raw_paths = Vec::new();
        for (key, items) in &shape.steps {
            for (index, item) in items.iter().enumerate() {
                let at = joined(pointer, key.iter().cloned().chain([PointerPart::Place(index)]));
                self.step(item, at, graph, format, &mut steps, &mut raw_paths);
            }
        }
        for (key, items) in &shape.paths {
            for (index, item) in items.iter().enumerate() {
                let at = joined(pointer, key.iter().cloned().chain([PointerPart::Place(index)]));
                self.raw_path(item, at, None, format, &mut raw_paths);
            }
        }
        for raw in raw_paths {
            self.path(raw, graph, &steps);
        }
        if self.own
            && let Some(NodeKind::List(items)) = node.member("notes").map(|member| &member.value.kind)
        {
            for item in items {
                let fields = item.to_value().as_object().cloned();
                match fields {
                    Some(fields) => drop(self.add(EntityKind::Note, graph, fields, None, None)),
                    None => self.not_a_record(item, "note"),
                }
            }
        }
        for (key, items) in &shape.agents {
            for (index, item) in items.iter().enumerate() {
                let at = joined(pointer, key.iter().cloned().chain([PointerPart::Place(index)]));
                self.graph(item, &at, format);
            }
        }
        for (key, record) in shape.wrong {
            let Some(member) = record.member(key) else { continue };
            let value = member.value.to_value();
            if !value.is_null() {
                let message = format!("\"{key}\" should be a list and is {}. It is kept in the file and not shown.", value.what());
                self.notice(Severity::Warning, "file_not_a_list", member.value.span, &message);
            }
        }
        for (name, count, span) in shape.others {
            let (what, are) = if count == 1 { ("record of", "is") } else { ("records of", "are") };
            self.notice(Severity::Hint, "file_kept", span, &format!("{count} {what} \"{name}\" {are} kept in the file and not shown."));
        }
    }

    fn step(
        &mut self,
        node: &'t Node,
        pointer: Vec<PointerPart>,
        graph: EntityId,
        format: Format,
        steps: &mut StepsBy,
        raw_paths: &mut Vec<RawPath<'t>>,
    ) {
        let Some(record) = record_fields(node, format) else {
            return self.not_a_record(node, "step");
        };
        let mut fields = self.fields(record, &[]);
        add_primary_key(&mut fields, node, format);
        let name = fields.get("Name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let id_text = nonblank(fields.get("ID")).map(str::to_ascii_lowercase);
        if fields.get("ID").is_some_and(|id| !matches!(id, Value::Text(_) | Value::Null)) {
            let what = fields.get("ID").map_or("nothing", Value::what);
            self.notice(
                Severity::Warning,
                "file_id_type",
                record.span,
                &format!("The ID of the step \"{name}\" should be a text and is {what}."),
            );
        }
        let step_type = fields.get("StepType").and_then(Value::as_str);
        let is_flow = self.document.graph(graph).is_some_and(|graph| matches!(graph.kind(), GraphKind::Flow | GraphKind::Loop));
        if is_flow && StepKind::from_name(step_type.unwrap_or_default()) == StepKind::Unknown {
            let what = step_type.map_or("has no StepType".to_owned(), |name| format!("is of the type \"{name}\""));
            let message = format!("The step \"{name}\" {what}. It is kept as it is, and a run that reaches it stops there.");
            self.notice(Severity::Warning, "file_step_type", record.span, &message);
        }
        let step = self.add(EntityKind::Step, graph, fields, None, Some(pointer.clone()));
        steps.order.push(step);
        if let Some(id) = id_text {
            if steps.id.contains_key(&id) {
                let message = format!("Another step has the same ID as \"{name}\"; paths to that ID lead to the first of them.");
                self.notice(Severity::Warning, "file_doubled_id", record.span, &message);
            }
            steps.id.entry(id).or_insert(step);
        }
        steps.name.entry(name).or_insert(step);
        if format == Format::MjSync {
            for (key, items) in related(node, "AI Agent Step Paths") {
                for (index, item) in items.iter().enumerate() {
                    let parts = [PointerPart::Key("relatedEntities".into()), PointerPart::Key(key.to_owned()), PointerPart::Place(index)];
                    self.raw_path(item, joined(&pointer, parts), Some(step), format, raw_paths);
                }
            }
        }
    }

    fn raw_path(
        &mut self,
        node: &'t Node,
        pointer: Vec<PointerPart>,
        under: Option<EntityId>,
        format: Format,
        raw_paths: &mut Vec<RawPath<'t>>,
    ) {
        match record_fields(node, format) {
            Some(fields) => raw_paths.push(RawPath { node, fields, pointer, under }),
            None => self.not_a_record(node, "path"),
        }
    }

    fn path(&mut self, raw: RawPath<'t>, graph: EntityId, steps: &StepsBy) {
        let mut fields = self.fields(raw.fields, &[]);
        let is_metadata = !std::ptr::eq(raw.node, raw.fields);
        add_primary_key(&mut fields, raw.node, if is_metadata { Format::MjSync } else { Format::Steps });
        let mut end = |(id_column, name_column): (&str, &str)| {
            let id = fields.remove(id_column);
            // The name beside an ID is a view column that follows the step; alone it is the reference.
            let name =
                if fields.get(name_column).is_some_and(|name| nonblank(Some(name)).is_some()) { fields.remove(name_column) } else { None };
            let by_name = name.map(|name| self.end(name, raw.under, steps));
            match (id, by_name) {
                (None | Some(Value::Null), Some(end)) => end,
                (id, by_name) => match (self.end(id.unwrap_or(Value::Undefined), raw.under, steps), by_name) {
                    (End::Missing(_), Some(End::Step(step))) => End::Step(step),
                    (end, _) => end,
                },
            }
        };
        let [from, to] = END_COLUMNS.map(&mut end);
        for (end, word) in [(&from, "starts at"), (&to, "leads to")] {
            if let End::Missing(value) = end {
                let what = match value {
                    Value::Undefined => "nothing: no step is given".to_owned(),
                    value => format!("{}, and there is no such step", loopwright_lang::json::print_compact(value)),
                };
                self.notice(Severity::Warning, "file_path_to_nowhere", raw.node.span, &format!("This path {word} {what}. It is kept."));
            }
        }
        self.add(EntityKind::Path, graph, fields, Some((from, to)), Some(raw.pointer));
    }

    /// The step that one end of a path means.
    fn end(&self, value: Value, under: Option<EntityId>, steps: &StepsBy) -> End {
        if self.own {
            if let Some(step) = value.get("step").and_then(Value::as_number) {
                let found = steps.order.iter().enumerate().find(|(index, _)| *index as f64 == step);
                if let Some((_, step)) = found {
                    return End::Step(*step);
                }
            }
            if let Some(object) = value.as_object().filter(|object| object.len() == 1)
                && let Some(missing) = object.get("missing")
            {
                return End::Missing(missing.clone());
            }
        }
        let found = nonblank(Some(&value)).and_then(|text| {
            if text.starts_with("@parent:") {
                return under;
            }
            if let Some(lookup) = value.as_str().and_then(Lookup::parse) {
                return steps.name.get(lookup.name()).or_else(|| steps.name.get(lookup.name().trim_end())).copied();
            }
            let by_id = steps.id.get(&text.to_ascii_lowercase());
            by_id.or_else(|| value.as_str().and_then(|name| steps.name.get(name))).or_else(|| steps.name.get(text)).copied()
        });
        found.map_or(End::Missing(value), End::Step)
    }

    /// The members of a record as fields, without those that hold other records.
    fn fields(&self, node: &Node, structural: &[&str]) -> Object {
        let mut fields = Object::new();
        if let NodeKind::Object(members) = &node.kind {
            for member in members.iter().filter(|member| !structural.contains(&member.key.as_str())) {
                fields.insert(member.key.clone(), member.value.to_value());
            }
        }
        fields
    }

    pub(super) fn not_a_record(&mut self, node: &Node, what: &str) {
        let found = node.to_value();
        let message = format!("A {what} should stand here and there is {}. It is kept in the file and not shown.", found.what());
        self.notice(Severity::Warning, "file_not_a_record", node.span, &message);
    }
}

/// The keys of an agent's steps: of step JSON, and of agent specs.
pub(super) const STEP_KEYS: [&str; 2] = ["steps", "Steps"];
/// The keys of an agent's paths.
pub(super) const PATH_KEYS: [&str; 2] = ["paths", "Paths"];

/// The key under which an agent's record holds steps (or paths), and the list; `Err` when what stands there is no list.
pub(super) fn records_key<'t>(node: &'t Node, keys: [&'static str; 2]) -> Option<(&'static str, Result<&'t [Node], ()>)> {
    let list = keys.into_iter().find_map(|key| Some((key, Ok(list_of(node, key)?))));
    list.or_else(|| keys.into_iter().find(|key| node.member(key).is_some()).map(|key| (key, Err(()))))
}

/// Where the parts of an agent's record stand.
pub(super) struct Shape<'t> {
    /// The object that holds its columns.
    pub(super) fields: Option<&'t Node>,
    /// The keys of `fields` that hold other records.
    pub(super) structural: Vec<&'static str>,
    /// Lists of steps: the way to the list, and its items.
    pub(super) steps: Vec<Records<'t>>,
    /// Lists of paths at the agent.
    pub(super) paths: Vec<Records<'t>>,
    /// Lists of agents under this one.
    pub(super) agents: Vec<Records<'t>>,
    /// Related records that are not shown: entity, count, where.
    others: Vec<(String, usize, Span)>,
    /// Members that should be lists of records and are not: the key, and the record.
    wrong: Vec<(&'static str, &'t Node)>,
}

/// The way to a list, and its items.
type Records<'t> = (Vec<PointerPart>, &'t [Node]);

impl<'t> Shape<'t> {
    /// Finds the parts of an agent's record.
    pub(super) fn of(node: &'t Node, format: Format) -> Self {
        let mut shape = Self {
            fields: record_fields(node, format),
            structural: Vec::new(),
            steps: Vec::new(),
            paths: Vec::new(),
            agents: Vec::new(),
            others: Vec::new(),
            wrong: Vec::new(),
        };
        if format == Format::MjSync {
            for (key, items, span) in all_related(node) {
                let way = vec![PointerPart::Key("relatedEntities".into()), PointerPart::Key(key.to_owned())];
                match plain_entity(key) {
                    "AI Agent Steps" => shape.steps.push((way, items)),
                    "AI Agent Step Paths" => shape.paths.push((way, items)),
                    "AI Agents" => shape.agents.push((way, items)),
                    _ if items.is_empty() => {}
                    _ => shape.others.push((key.to_owned(), items.len(), span)),
                }
            }
            return shape;
        }
        for (keys, is_steps) in [(STEP_KEYS, true), (PATH_KEYS, false)] {
            let Some((key, items)) = records_key(node, keys) else { continue };
            shape.structural.push(key);
            let Ok(items) = items else {
                shape.wrong.push((key, node));
                continue;
            };
            let target = if is_steps { &mut shape.steps } else { &mut shape.paths };
            target.push((vec![PointerPart::Key(key.to_owned())], items));
        }
        if list_of(node, "notes").is_some() && format == Format::Document {
            shape.structural.push("notes");
        }
        shape
    }
}

/// The object that holds a record's columns; `None` when this is no record.
pub(super) fn record_fields(node: &Node, format: Format) -> Option<&Node> {
    let fields = if format == Format::MjSync { &node.member("fields")?.value } else { node };
    matches!(fields.kind, NodeKind::Object(_)).then_some(fields)
}

/// Whether a record is an agent, rather than something else that metadata files hold.
pub(super) fn is_graph_record(node: &Node, format: Format) -> bool {
    let Some(fields) = record_fields(node, format) else { return false };
    if format != Format::MjSync {
        return true;
    }
    let related: BTreeSet<&str> = all_related(node).map(|(key, ..)| plain_entity(key)).collect();
    let names_agent = related.iter().any(|name| name.starts_with("AI Agent"));
    let typed = fields.member("TypeID").map(|member| member.value.to_value());
    names_agent
        || typed.as_ref().and_then(Value::as_str).is_some_and(|text| text.contains("AI Agent Types"))
        || node.member("relatedEntities").is_none()
}

/// The related records of one entity, whichever way its name is written.
pub(super) fn related<'t>(node: &'t Node, entity: &'static str) -> impl Iterator<Item = (&'t str, &'t [Node])> {
    all_related(node).filter(move |(key, ..)| plain_entity(key) == entity).map(|(key, items, _)| (key, items))
}

/// All lists of related records. Of a doubled key the last one counts.
fn all_related(node: &Node) -> impl Iterator<Item = (&str, &[Node], Span)> {
    let object = node.member("relatedEntities").map(|member| &member.value);
    let members = match object.map(|object| &object.kind) {
        Some(NodeKind::Object(members)) => members.as_slice(),
        _ => &[],
    };
    members.iter().enumerate().filter_map(|(index, member)| {
        let later = members.iter().skip(index + 1).any(|other| other.key == member.key);
        match &member.value.kind {
            NodeKind::List(items) if !later => Some((member.key.as_str(), items.as_slice(), member.key_span)),
            _ => None,
        }
    })
}

/// The items of a list at a key.
fn list_of<'t>(node: &'t Node, key: &str) -> Option<&'t [Node]> {
    match &node.member(key)?.value.kind {
        NodeKind::List(items) => Some(items),
        _ => None,
    }
}

/// A metadata record keeps its ID beside its columns.
fn add_primary_key(fields: &mut Object, node: &Node, format: Format) {
    if format == Format::MjSync
        && !fields.contains_key("ID")
        && let Some(id) = node.member("primaryKey").and_then(|key| key.value.member("ID"))
    {
        fields.insert_at(0, "ID", id.value.to_value());
    }
}

/// A longer way into a text.
fn joined(pointer: &[PointerPart], parts: impl IntoIterator<Item = PointerPart>) -> Vec<PointerPart> {
    pointer.iter().cloned().chain(parts).collect()
}
