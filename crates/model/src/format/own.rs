//! Our own file: `{ "loopwright": 1, "graphs", "catalogue", "scenarios", "sources" }`. Unknown fields anywhere are kept;
//! a file of a higher version opens read-only.
//!
//! Graphs stand in it as in step JSON, with every column that is set. A source says in `records` which of our records came
//! from where in its text (both as JSON pointers), so that a later export can still splice that text.

use std::collections::BTreeMap;

use loopwright_lang::{
    Object, Severity, Value,
    json::{self, Node, NodeKind},
};

use super::{Format, Imported, Notice, error, place, records::Reader};
use crate::{
    Document, End, EntityId, EntityKind, GraphRef, Origin, PathRef, StepRef,
    document::{PointerPart, ROOT},
};

/// The version this program writes.
const VERSION: f64 = 1.0;

/// The keys of the document's sections, in the order of a new file.
const SECTION_KEYS: [&str; 4] = ["graphs", "catalogue", "scenarios", "sources"];

/// The sections of the catalogue.
const SECTIONS: [(&str, EntityKind, &str); 3] =
    [("actions", EntityKind::Action, "action"), ("agents", EntityKind::Agent, "agent"), ("prompts", EntityKind::Prompt, "prompt")];

/// Reads our own file.
pub(super) fn read(text: &str, root: &Node, notices: Vec<Notice>) -> Imported {
    let version = root.member("loopwright").map(|member| (member.value.to_value(), member.value.span));
    let mut reader = Reader { document: Document::new(), notices, text, source: None, own: true };
    let number = version.as_ref().and_then(|(value, _)| value.as_number());
    let read_only = number.is_none_or(|number| number > VERSION);
    if let (true, Some((value, span))) = (read_only, &version) {
        let message = match number {
            Some(_) => format!(
                "This document was written by a newer version ({}). It opens to look at, not to change.",
                json::print_compact(value)
            ),
            None => format!("\"loopwright\" should be the number 1 and is {}. The document opens to look at, not to change.", value.what()),
        };
        reader.notice(Severity::Warning, "file_version", *span, &message);
    }
    if let Err(notice) = sections(&mut reader, root) {
        let mut notices = reader.notices;
        notices.push(notice);
        return Imported { document: None, format: Some(Format::Document), notices, read_only };
    }
    let Reader { document, notices, .. } = reader;
    Imported { document: Some(document), format: Some(Format::Document), notices, read_only }
}

fn sections<'t>(reader: &mut Reader<'t>, root: &'t Node) -> Result<(), Notice> {
    let mut rest = Object::new();
    let NodeKind::Object(members) = &root.kind else { return Ok(()) };
    for member in members {
        let section = SECTION_KEYS.contains(&member.key.as_str());
        // A section keeps its place among the fields, so that it is written there again.
        rest.insert(member.key.clone(), if section { Value::Null } else { member.value.to_value() });
    }
    for item in list(reader, root, "graphs")? {
        for (key, word) in [("steps", "a step"), ("paths", "a path"), ("notes", "a note")] {
            for record in list(reader, item, key)? {
                object(reader, record, word)?;
            }
        }
        object(reader, item, "a graph")?;
        reader.graph(item, &[], Format::Document);
    }
    if let Some(catalogue) = root.member("catalogue").map(|member| &member.value) {
        let mut kept = object(reader, catalogue, "the catalogue")?;
        for (key, kind, word) in SECTIONS {
            kept.remove(key);
            for item in list(reader, catalogue, key)? {
                let fields = object(reader, item, word)?;
                reader.add(kind, ROOT, fields, None, None);
            }
        }
        if !kept.is_empty() {
            rest.insert("catalogue", Value::Object(kept));
        }
    }
    for item in list(reader, root, "scenarios")? {
        let fields = object(reader, item, "a scenario")?;
        reader.add(EntityKind::Scenario, ROOT, fields, None, None);
    }
    let ours = our_pointers(&reader.document).into_iter().map(|(id, pointer)| (pointer, id)).collect::<BTreeMap<_, _>>();
    for item in list(reader, root, "sources")? {
        let mut fields = object(reader, item, "a source")?;
        let records = fields.remove("records");
        let source = reader.add(EntityKind::Source, ROOT, fields, None, None);
        for (ours_at, theirs) in records.as_ref().and_then(Value::as_object).into_iter().flat_map(Object::iter) {
            let (Some(id), Some(pointer)) = (ours.get(ours_at.as_str()), theirs.as_str().and_then(pointer_of)) else { continue };
            if let Some(entity) = reader.document.get_mut(*id) {
                entity.origin = Some(Origin { source, pointer });
            }
        }
    }
    if let Some(document) = reader.document.get_mut(ROOT) {
        document.fields = rest;
    }
    Ok(())
}

/// The items of a list that may be missing.
fn list<'t>(reader: &Reader<'t>, node: &'t Node, key: &str) -> Result<&'t [Node], Notice> {
    match node.member(key).map(|member| &member.value) {
        None => Ok(&[]),
        Some(Node { kind: NodeKind::List(items), .. }) => Ok(items),
        Some(other) => Err(wrong(reader, other, &format!("\"{key}\" should be a list and is {}", other.to_value().what()))),
    }
}

fn object(reader: &Reader<'_>, node: &Node, word: &str) -> Result<Object, Notice> {
    match node.to_value() {
        Value::Object(object) => Ok(object),
        other => Err(wrong(reader, node, &format!("{word} should be an object and is {}", other.what()))),
    }
}

fn wrong(reader: &Reader<'_>, node: &Node, what: &str) -> Notice {
    let message = format!("{}: {what}. The document was not opened, so that nothing of it is lost.", place(reader.text, node.span));
    error("file_wrong_shape", message, Some(node.span))
}

/// Writes our own file: two-space indent, final newline.
pub(super) fn write(document: &Document) -> String {
    let mut text = json::print_pretty(&to_value(document));
    text.push('\n');
    text
}

/// Writes our own file as changes to the text it was opened from: what is the same keeps its layout and its spelling.
pub(super) fn update(document: &Document, text: &str) -> String {
    super::splice::rewrite(text, &to_value(document)).unwrap_or_else(|| write(document))
}

/// The document as the value its own file holds.
fn to_value(document: &Document) -> Value {
    let pointers = our_pointers(document);
    let own = document.get(ROOT).map(|root| root.fields.clone()).unwrap_or_default();
    let mut catalogue: Vec<(&str, Value)> = SECTIONS.iter().map(|(key, kind, _)| (*key, records(document, *kind))).collect();
    let kept = own.get("catalogue").and_then(Value::as_object);
    catalogue.extend(kept.into_iter().flat_map(Object::iter).map(|(key, value)| (key.as_str(), value.clone())));
    let sources = document.children_of_kind(ROOT, EntityKind::Source).map(|source| {
        let mut fields = source.fields.clone();
        let records = document.entities().filter_map(|entity| {
            let origin = entity.origin.as_ref().filter(|origin| origin.source == source.id)?;
            Some((pointers.get(&entity.id)?.clone(), Value::text(pointer_text(&origin.pointer))))
        });
        fields.insert("records", Value::object(records));
        Value::Object(fields)
    });
    let sections = [
        ("graphs", Value::list(document.graphs().map(graph))),
        ("catalogue", Value::object(catalogue)),
        ("scenarios", records(document, EntityKind::Scenario)),
        ("sources", Value::list(sources)),
    ];
    let mut root = Object::new();
    root.insert("loopwright", Value::Number(VERSION));
    for (key, value) in own.iter() {
        root.insert(key.clone(), value.clone());
    }
    for (key, value) in sections {
        root.insert(key, value);
    }
    Value::Object(root)
}

fn records(document: &Document, kind: EntityKind) -> Value {
    Value::list(document.children_of_kind(ROOT, kind).map(|entity| Value::Object(entity.fields.clone())))
}

/// Some steps of a graph, with the paths between them, as in step JSON.
pub(crate) fn selection(graph: GraphRef<'_>, wanted: &dyn Fn(EntityId) -> bool) -> Value {
    let steps = graph.steps().filter(|step| wanted(step.id())).map(|step| Value::Object(step.entity.fields.clone()));
    let ends = EndNames::of(graph);
    let inner = |path: &PathRef<'_>| [path.from(), path.to()].into_iter().all(|end| end.is_some_and(wanted));
    let paths = graph.paths().filter(inner).map(|path| path_value(path, &ends));
    Value::object([("Name", Value::text(graph.name())), ("steps", Value::list(steps)), ("paths", Value::list(paths))])
}

/// A path with its ends after its ID.
fn path_value(path: PathRef<'_>, ends: &EndNames<'_>) -> Value {
    let mut fields = path.entity.fields.clone();
    if let Some((from, to)) = &path.entity.ends {
        let mut at = usize::from(fields.get_index(0).is_some_and(|(key, _)| key.as_str() == "ID"));
        for (column, end) in [("OriginStepID", from), ("DestinationStepID", to)] {
            if let Some(value) = ends.value(end) {
                fields.insert_at(at, column, value);
                at += 1;
            }
        }
    }
    Value::Object(fields)
}

/// One graph as in step JSON, with its notes.
pub(super) fn graph(graph: GraphRef<'_>) -> Value {
    let mut fields = graph.entity.fields.clone();
    for key in ["steps", "paths", "notes"] {
        fields.remove(key);
    }
    fields.insert("steps", Value::list(graph.steps().map(|step| Value::Object(step.entity.fields.clone()))));
    let ends = EndNames::of(graph);
    let paths = graph.paths().map(|path| path_value(path, &ends));
    fields.insert("paths", Value::list(paths));
    let mut notes = graph.document.children_of_kind(graph.id(), EntityKind::Note).peekable();
    if notes.peek().is_some() {
        fields.insert("notes", Value::list(notes.map(|note| Value::Object(note.fields.clone()))));
    }
    Value::Object(fields)
}

/// How the ends of a graph's paths are written: by an ID or a name that leads back to that very step, else by its place.
pub(super) struct EndNames<'a> {
    by_id: BTreeMap<String, EntityId>,
    by_name: BTreeMap<&'a str, EntityId>,
    steps: BTreeMap<EntityId, (usize, StepRef<'a>)>,
}

impl<'a> EndNames<'a> {
    /// Reads a graph's steps.
    pub(super) fn of(graph: GraphRef<'a>) -> Self {
        let mut names = Self {
            by_id: BTreeMap::new(),
            by_name: BTreeMap::new(),
            steps: graph.steps().enumerate().map(|(place, step)| (step.id(), (place, step))).collect(),
        };
        for step in graph.steps() {
            if let Some(id) = step.id_text() {
                names.by_id.entry(id.to_ascii_lowercase()).or_insert(step.id());
            }
            names.by_name.entry(step.name()).or_insert(step.id());
        }
        names
    }

    fn leads_to(&self, text: &str) -> Option<EntityId> {
        self.by_id.get(&text.trim().to_ascii_lowercase()).or_else(|| self.by_name.get(text)).copied()
    }

    fn value(&self, end: &End) -> Option<Value> {
        match end {
            End::Step(id) => {
                let (place, step) = self.steps.get(id)?;
                let known = [step.id_text(), Some(step.name())].into_iter().flatten();
                let text =
                    known.into_iter().find(|text| !text.trim().is_empty() && !text.starts_with('@') && self.leads_to(text) == Some(*id));
                Some(text.map_or_else(|| Value::object([("step", Value::Number(*place as f64))]), Value::text))
            }
            End::Missing(Value::Undefined) => None,
            End::Missing(value) => {
                let found = value.as_str().is_some_and(|text| self.leads_to(text).is_some() || text.starts_with('@'));
                let looks_ours = value.as_object().is_some();
                Some(if found || looks_ours { Value::object([("missing", value.clone())]) } else { value.clone() })
            }
        }
    }
}

/// Where each graph, step and path stands in our own file.
fn our_pointers(document: &Document) -> BTreeMap<EntityId, String> {
    let mut pointers = BTreeMap::new();
    for (index, graph) in document.graphs().enumerate() {
        pointers.insert(graph.id(), format!("/graphs/{index}"));
        for (place, step) in graph.steps().enumerate() {
            pointers.insert(step.id(), format!("/graphs/{index}/steps/{place}"));
        }
        for (place, path) in graph.paths().enumerate() {
            pointers.insert(path.id(), format!("/graphs/{index}/paths/{place}"));
        }
    }
    pointers
}

/// A way into a text as a JSON pointer.
fn pointer_text(pointer: &[PointerPart]) -> String {
    let mut text = String::new();
    for part in pointer {
        text.push('/');
        match part {
            PointerPart::Key(key) => {
                // A key that looks like a place is told apart by a tilde that JSON pointers do not use.
                if key.is_empty() || key.bytes().all(|byte| byte.is_ascii_digit()) {
                    text.push_str("~2");
                }
                text.push_str(&key.replace('~', "~0").replace('/', "~1"));
            }
            PointerPart::Place(place) => text.push_str(&place.to_string()),
        }
    }
    text
}

/// Reads a JSON pointer.
fn pointer_of(text: &str) -> Option<Vec<PointerPart>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    let parts = text.strip_prefix('/')?.split('/');
    Some(
        parts
            .map(|part| match part.parse::<usize>() {
                Ok(place) => PointerPart::Place(place),
                Err(_) => {
                    let part = part.strip_prefix("~2").unwrap_or(part);
                    PointerPart::Key(part.replace("~1", "/").replace("~0", "~"))
                }
            })
            .collect(),
    )
}
