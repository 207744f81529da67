//! Setting columns, keys of `Configuration` and rows of mappings.

use loopwright_lang::{
    Object, Value,
    json::{self},
};

use super::refuse;
use crate::{
    Change, Document, Edit, EntityId, EntityKind, Refused,
    columns::{JSON_COLUMNS, PATH_ORDER, STEP_ORDER, is_json, place_of},
    config::{JsonColumn, json_column},
    format::rewrite,
};

/// The keys of a loop's Configuration in the order in which they are written.
const CONFIGURATION_ORDER: &[&str] = &[
    "type",
    "collectionPath",
    "condition",
    "itemVariable",
    "indexVariable",
    "maxIterations",
    "continueOnError",
    "delayBetweenIterationsMs",
    "executionMode",
    "maxConcurrency",
    "maxRounds",
    "attempt",
    "check",
    "keepBest",
    "plateau",
];

/// The change that sets a column, in its place among the others; flags keep the form (1 or true) of their neighbours.
pub(crate) fn column_change(document: &Document, id: EntityId, column: &str, value: Value) -> Change {
    let Some(entity) = document.get(id) else { return Change::set(id, column, value) };
    let order = match entity.kind {
        EntityKind::Step => STEP_ORDER,
        EntityKind::Path => PATH_ORDER,
        EntityKind::Graph => &["ID", "Name", "Description"],
        _ => &[],
    };
    let value = match (column, value) {
        ("StartingStep", Value::Bool(set)) if numeric_flags(document, id) => Value::Number(f64::from(u8::from(set))),
        (_, value) => value,
    };
    Change::SetField { id, name: column.to_owned(), value: Some(value), index: place_of(&entity.fields, order, column) }
}

/// Whether flags are 1 and 0 here: as written in this step, else in its neighbours.
fn numeric_flags(document: &Document, id: EntityId) -> bool {
    let flag = |id| document.field(id, "StartingStep").filter(|value| !value.is_null());
    let graph = document.get(id).map_or(id, |entity| entity.parent);
    let neighbours = document.children(graph).iter().filter(|other| **other != id);
    std::iter::once(&id).chain(neighbours).find_map(|id| flag(*id)).is_some_and(|value| value.as_number().is_some())
}

/// Sets a column of a step, a path, a graph, a note: any field. Typing in it is one undo step.
pub fn set_column(document: &Document, id: EntityId, column: &str, value: Value) -> Result<Edit, Refused> {
    if document.get(id).is_none() {
        return refuse("This is not in the document any more.");
    }
    Ok(Edit::new(format!("Change {column}"), vec![column_change(document, id, column, value)]).merging(format!("{}.{column}", id.0)))
}

/// Empties a column: an imported one that was written becomes null, any other goes.
pub fn clear_column(document: &Document, id: EntityId, column: &str) -> Result<Edit, Refused> {
    let Some(entity) = document.get(id) else { return refuse("This is not in the document any more.") };
    let change = match entity.fields.contains_key(column) && entity.origin.is_some() {
        true => Change::set(id, column, Value::Null),
        false => Change::unset(id, column),
    };
    Ok(Edit::new(format!("Clear {column}"), vec![change]).merging(format!("{}.{column}", id.0)))
}

/// Whether JSON columns are text here: as the other columns of this step say, else its neighbours', else the document's.
pub(crate) fn prefers_text(document: &Document, id: EntityId, column: &str) -> bool {
    let form = |id: EntityId| {
        JSON_COLUMNS.iter().filter(|other| **other != column).find_map(|column| match document.field(id, column) {
            Some(Value::Object(_)) => Some(false),
            Some(Value::Text(text)) if !text.trim().is_empty() => Some(true),
            _ => None,
        })
    };
    let graph = document.get(id).map_or(id, |entity| entity.parent);
    let neighbours = document.children(graph).iter().copied().filter(|other| *other != id);
    let others = document.graphs().flat_map(|graph| graph.steps()).map(|step| step.id());
    std::iter::once(id).chain(neighbours).chain(others).find_map(form).unwrap_or(false)
}

/// A JSON column after a change to the object in it; its form, key order and spelling stay. `None`: it is empty now.
fn changed(
    document: &Document,
    id: EntityId,
    column: &str,
    change: impl FnOnce(&mut Object) -> Result<(), Refused>,
) -> Result<Option<Value>, Refused> {
    let current = document.field(id, column);
    let mut object = match json_column(current) {
        JsonColumn::Absent => Object::new(),
        JsonColumn::Value(Value::Object(object)) => object,
        JsonColumn::Value(other) => {
            return refuse(format!("{column} should be an object and is {}. Change it in the JSON view.", other.what()));
        }
        JsonColumn::Invalid(_) => {
            return refuse(format!("{column} is not JSON. Mend it in the JSON view first; until then it is kept as it is."));
        }
    };
    change(&mut object)?;
    let value = Value::Object(object);
    Ok(match current {
        Some(Value::Text(text)) if !text.trim().is_empty() => rewrite(text, &value).map(Value::text),
        _ if value.as_object().is_some_and(Object::is_empty) => None,
        Some(Value::Object(_)) => Some(value),
        _ if prefers_text(document, id, column) => Some(Value::text(json::print_compact(&value))),
        _ => Some(value),
    })
}

fn json_edit(
    document: &Document,
    id: EntityId,
    column: &str,
    label: String,
    key: &str,
    change: impl FnOnce(&mut Object) -> Result<(), Refused>,
) -> Result<Edit, Refused> {
    if document.get(id).is_none() {
        return refuse("This step is not in the document any more.");
    }
    let change = match changed(document, id, column, change)? {
        Some(value) => column_change(document, id, column, value),
        None => Change::unset(id, column),
    };
    Ok(Edit::new(label, vec![change]).merging(format!("{}.{column}.{key}", id.0)))
}

/// Sets a key of `Configuration` (`["attempt", "params"]` goes inside), or takes it away. Missing objects on the way are made.
pub fn set_configuration_key(document: &Document, step: EntityId, way: &[&str], value: Option<Value>) -> Result<Edit, Refused> {
    let key = way.join(".");
    json_edit(document, step, "Configuration", format!("Change {key}"), &key, |object| set_inside(object, way, value))
}

fn set_inside(object: &mut Object, way: &[&str], value: Option<Value>) -> Result<(), Refused> {
    let Some((key, rest)) = way.split_first() else { return refuse("No key was given.") };
    if rest.is_empty() {
        match value {
            Some(value) => {
                let at = place_of(object, CONFIGURATION_ORDER, key).unwrap_or(object.len());
                object.insert_at(at, *key, value);
            }
            None => drop(object.remove(key)),
        }
        return Ok(());
    }
    let mut inner = match object.get(key) {
        None | Some(Value::Null) => Object::new(),
        Some(Value::Object(inner)) => inner.clone(),
        Some(other) => return refuse(format!("\"{key}\" should be an object and is {}. Change it in the JSON view.", other.what())),
    };
    set_inside(&mut inner, rest, value)?;
    let at = place_of(object, CONFIGURATION_ORDER, key).unwrap_or(object.len());
    object.insert_at(at, *key, Value::Object(inner));
    Ok(())
}

/// Sets a row of a mapping (`ActionInputMapping`, `ActionOutputMapping`); a new row goes to the end.
pub fn set_mapping_row(document: &Document, step: EntityId, column: &str, key: &str, value: Value) -> Result<Edit, Refused> {
    json_edit(document, step, column, format!("Map {key}"), key, |object| {
        object.insert(key, value);
        Ok(())
    })
}

/// Gives a row of a mapping another key; it keeps its place.
pub fn rename_mapping_row(document: &Document, step: EntityId, column: &str, from: &str, to: &str) -> Result<Edit, Refused> {
    let edit = json_edit(document, step, column, format!("Rename {from}"), "rename", |object| {
        if from == to {
            return Ok(());
        }
        if object.contains_key(to) {
            return refuse(format!("There is a row \"{to}\" already."));
        }
        let (Some(at), Some(value)) = (object.index_of(from), object.get(from).cloned()) else {
            return refuse(format!("There is no row \"{from}\" any more."));
        };
        object.remove(from);
        object.insert_at(at, to, value);
        Ok(())
    })?;
    // Two renames of rows are two acts.
    Ok(Edit { merge: None, ..edit })
}

/// Takes a row of a mapping away. Without its last row the mapping goes.
pub fn remove_mapping_row(document: &Document, step: EntityId, column: &str, key: &str) -> Result<Edit, Refused> {
    let edit = json_edit(document, step, column, format!("Remove {key}"), key, |object| {
        object.remove(key);
        Ok(())
    })?;
    Ok(Edit { merge: None, ..edit })
}

/// Gives a row of a mapping another place among the rows.
pub fn move_mapping_row(document: &Document, step: EntityId, column: &str, key: &str, place: usize) -> Result<Edit, Refused> {
    let edit = json_edit(document, step, column, format!("Move {key}"), key, |object| {
        let Some(value) = object.remove(key) else { return refuse(format!("There is no row \"{key}\" any more.")) };
        object.insert_at(place.min(object.len()), key, value);
        Ok(())
    })?;
    Ok(Edit { merge: None, ..edit })
}

/// Sets a whole JSON column from the text of the JSON view. Text that is no JSON is kept as it is until it is mended.
pub fn set_column_text(document: &Document, id: EntityId, column: &str, text: &str) -> Result<Edit, Refused> {
    let current = document.field(id, column);
    if text.trim().is_empty() {
        return clear_column(document, id, column);
    }
    let as_text = match json_column(current) {
        JsonColumn::Value(_) => matches!(current, Some(Value::Text(_))),
        _ => prefers_text(document, id, column),
    };
    let value = match json::parse(text).value() {
        Some(value) if !as_text || !is_json(column) => value,
        _ => Value::text(text),
    };
    set_column(document, id, column, value)
}
