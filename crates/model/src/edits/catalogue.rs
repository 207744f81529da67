//! Changing the catalogue.

use std::collections::BTreeMap;

use loopwright_lang::{Object, Value};

use super::{Draft, Made, count, refuse, unique};
use crate::{
    Change, Document, Edit, EntityId, EntityKind, Refused, StepRef,
    catalogue::{Referent, entity_name, wanted},
    config::{JsonColumn, json_column},
    document::ROOT,
};

/// Adds an action, an agent or a prompt. Its `name` gets a number where it is taken.
pub fn add_entry(document: &Document, kind: EntityKind, mut fields: Object) -> Result<Made, Refused> {
    if !matches!(kind, EntityKind::Action | EntityKind::Agent | EntityKind::Prompt) {
        return refuse("The catalogue holds actions, agents and prompts.");
    }
    let wish = fields.get("name").and_then(Value::as_str).unwrap_or("New entry").to_owned();
    let name = unique(&wish, |name| document.entry_by_name(kind, name).is_some());
    let at = usize::from(fields.get_index(0).is_some_and(|(key, _)| key.as_str() == "id"));
    fields.insert_at(at, "name", Value::text(name.as_str()));
    let mut draft = Draft::new(document);
    let id = draft.add(kind, ROOT, fields, None);
    Ok(Made { edit: draft.finish(format!("Add {name}")), ids: vec![id] })
}

/// Puts what a step names, and the catalogue does not hold, into the catalogue. `None`: there is nothing like that.
pub fn adopt(step: StepRef<'_>) -> Option<Edit> {
    let Referent::Unknown(name) = step.referent() else { return None };
    let column = step.reference_column()?;
    let mut fields = Object::new();
    // An ID that is a lookup, or the name again, is no ID of an entry.
    if let Some(id) = step.document.field(step.id(), column.id).and_then(Value::as_str).filter(|id| *id != name && !id.starts_with('@')) {
        fields.insert("id", Value::text(id));
    }
    fields.insert("name", Value::text(name));
    let made = add_entry(step.document, column.entity, fields).ok()?;
    Some(Edit { label: format!("Add {name} to the catalogue"), ..made.edit })
}

/// Sets a field of an entry (`description`, `inputs`, …), or takes it away. To rename one there is [`super::rename_entry`].
pub fn set_entry_field(document: &Document, entry: EntityId, field: &str, value: Option<Value>) -> Result<Edit, Refused> {
    let Some(entity) = document.get(entry) else { return refuse("This entry is not in the catalogue any more.") };
    let label = format!("Change {field} of {}", entity_name(entity));
    let change = Change::SetField { id: entry, name: field.to_owned(), value, index: None };
    Ok(Edit::new(label, vec![change]).merging(format!("{}.{field}", entry.0)))
}

/// Removes an entry. Steps that call it keep its name.
pub fn remove_entry(document: &Document, entry: EntityId) -> Result<Edit, Refused> {
    match document.get(entry) {
        Some(entity) if matches!(entity.kind, EntityKind::Action | EntityKind::Agent | EntityKind::Prompt) => {
            Ok(Edit::new(format!("Remove {}", entity_name(entity)), vec![Change::Remove(entry)]))
        }
        _ => refuse("This entry is not in the catalogue any more."),
    }
}

/// Adds what the steps refer to and the catalogue does not hold; an action gets the inputs and outputs its mappings name.
/// `None`: nothing is missing.
pub fn add_missing_entries(document: &Document) -> Option<Edit> {
    let mut draft = Draft::new(document);
    let missing = wanted(document);
    for entry in &missing {
        let mut fields = Object::new();
        if let Some(id) = entry.id {
            fields.insert("id", Value::text(id));
        }
        fields.insert("name", Value::text(entry.name));
        if entry.kind == EntityKind::Action {
            for (key, column) in [("inputs", "ActionInputMapping"), ("outputs", "ActionOutputMapping")] {
                fields.insert(key, Value::list(mapped_names(document, &entry.steps, column)));
            }
        }
        draft.add(entry.kind, ROOT, fields, None);
    }
    (!missing.is_empty())
        .then(|| draft.finish(format!("Add {} to the catalogue", count(missing.len(), "missing entry").replace("entrys", "entries"))))
}

/// The keys of the mappings of some steps, as parameters of any type.
fn mapped_names(document: &Document, steps: &[EntityId], column: &str) -> Vec<Value> {
    let mut names: BTreeMap<String, ()> = BTreeMap::new();
    let mut list = Vec::new();
    for step in steps {
        let JsonColumn::Value(Value::Object(mapping)) = json_column(document.field(*step, column)) else { continue };
        for key in mapping.keys().filter(|key| !key.starts_with('$') && key.as_str() != "*") {
            if names.insert(key.as_str().to_owned(), ()).is_none() {
                list.push(Value::object([("name", Value::text(key.as_str())), ("type", Value::text("any"))]));
            }
        }
    }
    list
}
