//! Edits as values, exact to the last spelling, so that they can be stored and done again: autosave stores
//! [`crate::History::save`], the document as it was when the history began (a [`crate::snapshot`]) and the edits since.

use loopwright_lang::{Object, Value};

use crate::{
    Change, Edit,
    snapshot::{end_of, end_value, entity, id as id_of, record},
};

/// An edit as a value.
pub fn edit_value(edit: &Edit) -> Value {
    let mut object = Object::new();
    object.insert("label", Value::text(edit.label.as_str()));
    if let Some(merge) = &edit.merge {
        object.insert("merge", Value::text(merge.as_str()));
    }
    object.insert("changes", Value::list(edit.changes.iter().map(change_value)));
    Value::Object(object)
}

/// Reads an edit. `None`: it is none.
pub fn edit_of(value: &Value) -> Option<Edit> {
    let changes = value.get("changes")?.as_list()?.iter().map(change_of).collect::<Option<_>>()?;
    let text = |key| value.get(key).and_then(Value::as_str).map(str::to_owned);
    Some(Edit { label: text("label")?, changes, merge: text("merge") })
}

/// One change as a value: `{ "do": "insert" | "remove" | "move" | "set" | "ends", … }`.
pub fn change_value(change: &Change) -> Value {
    let make = |verb: &str, rest: Vec<(&str, Value)>| {
        let mut object = Object::from_iter([("do", Value::text(verb))]);
        for (key, value) in rest {
            object.insert(key, value);
        }
        Value::Object(object)
    };
    match change {
        Change::Insert { entity, index } => make("insert", vec![("entity", record(entity)), ("index", place(*index))]),
        Change::Remove(id) => make("remove", vec![("id", number(id.0))]),
        Change::Move { id, index } => make("move", vec![("id", number(id.0)), ("index", place(*index))]),
        Change::SetField { id, name, value, index } => {
            let mut rest = vec![("id", number(id.0)), ("name", Value::text(name.as_str()))];
            rest.extend(value.iter().map(|value| ("value", value.clone())));
            rest.extend(index.iter().map(|index| ("index", place(*index))));
            make("set", rest)
        }
        Change::SetEnds { id, ends } => make("ends", vec![("id", number(id.0)), ("from", end_value(&ends.0)), ("to", end_value(&ends.1))]),
    }
}

/// Reads a change. `None`: it is none.
pub fn change_of(value: &Value) -> Option<Change> {
    let id = || id_of(value.get("id")?);
    let index = || value.get("index").and_then(count_of);
    Some(match value.get("do")?.as_str()? {
        "insert" => Change::Insert { entity: entity(value.get("entity")?)?, index: index()? },
        "remove" => Change::Remove(id()?),
        "move" => Change::Move { id: id()?, index: index()? },
        "set" => Change::SetField {
            id: id()?,
            name: value.get("name")?.as_str()?.to_owned(),
            value: value.get("value").cloned(),
            index: index(),
        },
        "ends" => Change::SetEnds { id: id()?, ends: (end_of(value.get("from")?)?, end_of(value.get("to")?)?) },
        _ => return None,
    })
}

fn number(number: u32) -> Value {
    Value::Number(f64::from(number))
}

fn place(place: usize) -> Value {
    Value::Number(place as f64)
}

fn count_of(value: &Value) -> Option<usize> {
    let number = value.as_number()?;
    (number >= 0.0 && number.fract() == 0.0 && number <= f64::from(u32::MAX)).then_some(number as usize)
}

/// Reads a list of edits.
pub(crate) fn edits_of(value: &Value) -> Option<Vec<Edit>> {
    value.as_list()?.iter().map(edit_of).collect()
}

/// A list of edits as a value.
pub(crate) fn edits_value(edits: impl Iterator<Item = Edit>) -> Value {
    Value::list(edits.map(|edit| edit_value(&edit)))
}
