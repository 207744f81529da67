//! A document as JSON text with every number in it: what autosave stores, and what a run in the worker starts from, so
//! that an entity has the same number on both sides. Files for people are `format`'s business.

use loopwright_lang::{Object, Value, json};

use crate::{
    Document, End, Entity, EntityId, EntityKind, Origin,
    document::{PointerPart, ROOT},
};

/// The version of this form.
const VERSION: f64 = 1.0;

/// Writes the whole document.
pub fn write(document: &Document) -> String {
    write_where(document, |_| true)
}

/// Writes what a run needs: all but the imported texts.
pub fn write_for_run(document: &Document) -> String {
    write_where(document, |entity| entity.kind != EntityKind::Source)
}

fn write_where(document: &Document, keep: impl Fn(&Entity) -> bool) -> String {
    json::print_compact(&value_where(document, keep))
}

/// The whole document as a value.
pub(crate) fn value(document: &Document) -> Value {
    value_where(document, |_| true)
}

fn value_where(document: &Document, keep: impl Fn(&Entity) -> bool) -> Value {
    let mut records = Vec::new();
    let mut open = vec![ROOT];
    // Parents before children, siblings in order: reading inserts them one after the other.
    while let Some(id) = open.pop() {
        let Some(entity) = document.get(id).filter(|entity| keep(entity)) else { continue };
        records.push(record(entity));
        open.extend(document.children(id).iter().rev());
    }
    let next = Value::Number(f64::from(document.next_id().0));
    Value::object([("snapshot", Value::Number(VERSION)), ("next", next), ("entities", Value::list(records))])
}

/// One entity as a value.
pub(crate) fn record(entity: &Entity) -> Value {
    let number = |id: EntityId| Value::Number(f64::from(id.0));
    let mut record = Object::new();
    record.insert("id", number(entity.id));
    record.insert("kind", kind_name(entity.kind).into());
    record.insert("parent", number(entity.parent));
    record.insert("fields", Value::Object(entity.fields.clone()));
    if let Some((from, to)) = &entity.ends {
        record.insert("ends", Value::list([end_value(from), end_value(to)]));
    }
    if let Some(origin) = &entity.origin {
        let part = |part: &PointerPart| match part {
            PointerPart::Key(key) => Value::text(key.as_str()),
            PointerPart::Place(place) => Value::Number(*place as f64),
        };
        let pointer = Value::list(origin.pointer.iter().map(part));
        record.insert("origin", Value::object([("source", number(origin.source)), ("pointer", pointer)]));
    }
    Value::Object(record)
}

/// Reads a snapshot. `Err` says what is wrong with it; a snapshot is never half read.
pub fn read(text: &str) -> Result<Document, String> {
    from_value(&json::parse(text).value().ok_or("The saved document is not JSON.")?)
}

/// Reads a snapshot that stands in another record.
pub(crate) fn from_value(value: &Value) -> Result<Document, String> {
    let version = value.get("snapshot").and_then(Value::as_number).ok_or("This is not a saved document.")?;
    if version > VERSION {
        return Err(format!("This document was saved by a newer version of Loopwright ({version})."));
    }
    let mut document = Document::new();
    let entities = value.get("entities").and_then(Value::as_list).ok_or("The saved document has no entities.")?;
    for record in entities.iter() {
        let entity = entity(record).ok_or("The saved document has a damaged entity.")?;
        if entity.id == ROOT {
            if let Some(root) = document.get_mut(ROOT) {
                root.fields = entity.fields;
                root.origin = entity.origin;
            }
            continue;
        }
        if document.get(entity.parent).is_none() || document.get(entity.id).is_some() {
            return Err(format!("The saved document has a damaged entity ({}).", entity.id.0));
        }
        document.insert(entity, usize::MAX);
    }
    let next = value.get("next").and_then(id).unwrap_or(document.next_id());
    document.reserve(next);
    document.validate_invariants().map_err(|what| format!("The saved document is damaged: {what}."))?;
    Ok(document)
}

/// A number of an entity. No document has a million of them.
pub(crate) fn id(value: &Value) -> Option<EntityId> {
    let number = value.as_number().filter(|number| number.fract() == 0.0 && (0.0..4_000_000.0).contains(number))?;
    Some(EntityId(number as u32))
}

/// One end of a path as a value; an end that the file did not give has nothing in it.
pub(crate) fn end_value(end: &End) -> Value {
    match end {
        End::Step(id) => Value::object([("step", Value::Number(f64::from(id.0)))]),
        End::Missing(Value::Undefined) => Value::Object(Object::new()),
        End::Missing(said) => Value::object([("missing", said.clone())]),
    }
}

/// Reads one end of a path.
pub(crate) fn end_of(value: &Value) -> Option<End> {
    let object = value.as_object()?;
    match object.get("step") {
        Some(step) => Some(End::Step(id(step)?)),
        None => Some(End::Missing(object.get("missing").cloned().unwrap_or(Value::Undefined))),
    }
}

/// Reads one entity.
pub(crate) fn entity(record: &Value) -> Option<Entity> {
    let kind = kind_of(record.get("kind")?.as_str()?)?;
    let ends = match record.get("ends").and_then(Value::as_list) {
        Some(ends) => Some((end_of(ends.get(0)?)?, end_of(ends.get(1)?)?)),
        None => None,
    };
    if (kind == EntityKind::Path) != ends.is_some() {
        return None;
    }
    let origin = match record.get("origin") {
        Some(origin) => {
            let part = |part: &Value| match part {
                Value::Text(key) => Some(PointerPart::Key(key.as_str().to_owned())),
                other => other.as_number().map(|place| PointerPart::Place(place as usize)),
            };
            let pointer = origin.get("pointer")?.as_list()?.iter().map(part).collect::<Option<_>>()?;
            Some(Origin { source: id(origin.get("source")?)?, pointer })
        }
        None => None,
    };
    let fields = record.get("fields")?.as_object()?.clone();
    Some(Entity { id: id(record.get("id")?)?, kind, parent: id(record.get("parent")?)?, fields, ends, origin })
}

const KINDS: [(EntityKind, &str); 10] = [
    (EntityKind::Document, "document"),
    (EntityKind::Graph, "graph"),
    (EntityKind::Step, "step"),
    (EntityKind::Path, "path"),
    (EntityKind::Note, "note"),
    (EntityKind::Action, "action"),
    (EntityKind::Agent, "agent"),
    (EntityKind::Prompt, "prompt"),
    (EntityKind::Scenario, "scenario"),
    (EntityKind::Source, "source"),
];

fn kind_name(kind: EntityKind) -> &'static str {
    KINDS.iter().find(|(known, _)| *known == kind).map_or("document", |(_, name)| name)
}

fn kind_of(name: &str) -> Option<EntityKind> {
    KINDS.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests may stop at the first surprise")]
    use super::{read, write, write_for_run};
    use crate::{Change, Edit, EntityKind, History, format};

    const FILE: &str = r#"{ "agents": [ { "ID": "a", "Name": "A", "n": 1.0, "steps": [
        { "ID": "1", "Name": "One", "StepType": "Action", "StartingStep": true, "Action": "Ping" },
        { "ID": "2", "Name": "Two", "StepType": "Action", "Action": "Ping" } ],
        "paths": [ { "ID": "p", "OriginStepID": "1", "DestinationStepID": "2" }, { "ID": "q", "OriginStepID": "2", "DestinationStepID": "9" } ] } ] }"#;

    #[test]
    fn what_is_read_back_is_the_same_document_with_the_same_numbers() {
        let mut history = History::new(format::import("a.json", FILE).document.unwrap());
        assert_eq!(&read(&write(history.document())).unwrap(), history.document());
        // A removed entity's number is not given away again.
        let graph = history.document().graphs().next().unwrap();
        let (path, step) = (graph.paths().next().unwrap().id(), graph.steps().nth(1).unwrap().id());
        let other = graph.paths().nth(1).unwrap().id();
        history.apply(Edit::new("Delete", vec![Change::Remove(path), Change::Remove(other), Change::Remove(step)])).unwrap();
        let back = read(&write(history.document())).unwrap();
        assert_eq!(&back, history.document());
        assert_eq!(back.next_id(), history.document().next_id());
    }

    #[test]
    fn a_run_needs_no_imported_text() {
        let document = format::import("a.json", FILE).document.unwrap();
        let back = read(&write_for_run(&document)).unwrap();
        assert_eq!(back.entities().filter(|entity| entity.kind == EntityKind::Source).count(), 0);
        assert_eq!(back.graphs().count(), 1);
    }

    #[test]
    fn damaged_snapshots_are_refused_with_a_sentence() {
        for text in [
            "",
            "{}",
            "[]",
            r#"{"snapshot":2,"entities":[]}"#,
            r#"{"snapshot":1}"#,
            r#"{"snapshot":1,"entities":[{"id":5}]}"#,
            r#"{"snapshot":1,"entities":[{"id":5,"kind":"step","parent":4,"fields":{}}]}"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
