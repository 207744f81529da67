//! How the released runtime (`mj-5.51.3`) writes outputs: one change for the whole mapping, merged into the payload.

use super::output::Applied;
use crate::{Object, Problem, Span, Value, json, merge};

/// Applies a mapping column (an object or its JSON text; text that is no JSON changes nothing).
pub fn apply_released(mapping: &Value, outputs: &Value, payload: &Value) -> Applied {
    apply(&entries(mapping), outputs, payload, None)
}

/// A mapping column's members: of an object or of its JSON text; other JSON is walked by its places.
pub(crate) fn entries(mapping: &Value) -> Object {
    super::released::keys_of(&match mapping {
        Value::Text(text) => json::parse(text).value().unwrap_or_default(),
        other => other.clone(),
    })
}

/// Applies a mapping. What the runtime only logs is a warning; a conflict between targets drops the whole mapping.
pub(crate) fn apply(mapping: &Object, outputs: &Value, payload: &Value, allowed: Option<&[&str]>) -> Applied {
    let mut applied = Applied { payload: payload.clone(), ..Applied::default() };
    let outputs = outputs.as_object().cloned().unwrap_or_default();
    let mut change = Object::new();
    let mut specials = Vec::new();
    for (name, written) in mapping.iter() {
        let Some(value) = find(&outputs, name) else { continue };
        let Some(target) = written.as_str() else {
            applied.warnings.push(dropped(format!("the target of `{name}` is {}", written.what())));
            return applied;
        };
        if let Some(field) = target.strip_prefix('$') {
            match special(field, &value) {
                Some(field) => specials.push((field.to_owned(), value)),
                None => applied.warnings.push(Problem::warning(
                    "output_special_unknown",
                    Span::new(0, target.len()),
                    format!("`{target}` takes no such value."),
                )),
            }
        } else if !put(&mut change, target, value) {
            applied.warnings.push(dropped(format!("`{target}` leads through what another target wrote")));
            return applied;
        }
    }
    applied.specials = specials;
    if !change.is_empty() {
        applied.payload = match allowed {
            None => merge::update(payload, &Value::Object(change)),
            Some(_) => merge::change(payload, &Value::object([("updateElements", Value::Object(change))]), allowed),
        };
    }
    applied
}

fn dropped(why: String) -> Problem {
    Problem::warning("output_mapping_dropped", Span::default(), format!("The whole ActionOutputMapping was dropped: {why}."))
}

/// `*` is all outputs; a name with dots walks through objects ignoring case, never lists; otherwise the first name that fits.
fn find(outputs: &Object, name: &str) -> Option<Value> {
    let first = |object: &Object, name: &str| {
        object.iter().find(|(key, _)| key.to_lowercase() == name.to_lowercase()).map(|(_, value)| value.clone())
    };
    let found = match name {
        "*" => Value::Object(outputs.clone()),
        _ if name.contains('.') => name.split('.').try_fold(Value::Object(outputs.clone()), |at, part| first(at.as_object()?, part))?,
        _ => first(outputs, name)?,
    };
    (!found.is_undefined()).then_some(found)
}

fn special(field: &str, value: &Value) -> Option<&'static str> {
    let field = ["message", "reasoning", "confidence"].into_iter().find(|known| known.eq_ignore_ascii_case(field))?;
    let fits = if field == "confidence" { value.as_number().is_some() } else { value.as_str().is_some() };
    fits.then_some(field)
}

/// Puts a value into the change: split at dots, objects made on the way, `name[]` at the end appends within this change.
/// False where a value stands in the way.
pub(crate) fn put(change: &mut Object, target: &str, value: Value) -> bool {
    let parts: Vec<&str> = target.split('.').collect();
    put_parts(change, &parts, value)
}

fn put_parts(object: &mut Object, parts: &[&str], value: Value) -> bool {
    let Some((part, rest)) = parts.split_first() else { return false };
    let appends = part.strip_suffix("[]");
    let key = appends.unwrap_or(part);
    if rest.is_empty() {
        match appends {
            None => {
                object.insert(key, value);
            }
            Some(_) => match object.get(key) {
                Some(Value::List(list)) => {
                    let mut list = list.clone();
                    list.push(value);
                    object.insert(key, Value::List(list));
                }
                _ => {
                    object.insert(key, Value::list([value]));
                }
            },
        }
        return true;
    }
    let mut inner = match object.get(key) {
        None | Some(Value::Undefined | Value::Null) => Object::new(),
        Some(Value::Object(inner)) => inner.clone(),
        // A key put on a list is lost when the change is printed; on a scalar it is an error.
        Some(Value::List(_)) => return true,
        Some(_) => return false,
    };
    if !put_parts(&mut inner, rest, value) {
        return false;
    }
    object.insert(key, Value::Object(inner));
    true
}

/// What the released runtime would write after an iteration, if it called that: `[INDEXVAR]` becomes `[n]` in the target's text, which
/// is then a key like any other; lists are replaced. `None` when nothing was written.
pub fn after_iteration(mapping: &Value, outputs: &Value, payload: &Value, index: u64, index_variable: Option<&str>) -> Option<Value> {
    let mapping = match mapping {
        Value::Text(text) => json::parse(text).value()?,
        other => other.clone(),
    };
    let outputs = outputs.as_object().cloned().unwrap_or_default();
    let mut change = Object::new();
    for (name, target) in mapping.as_object()?.iter() {
        let (Some(value), Some(target)) = (find(&outputs, name), target.as_str()) else { continue };
        if target.starts_with('$') {
            continue;
        }
        let target = match index_variable {
            Some(variable) => target.replace(&format!("[{variable}]"), &format!("[{index}]")),
            None => target.to_owned(),
        };
        put(&mut change, &target, value);
    }
    (!change.is_empty()).then(|| merge::deep_merge(payload, &Value::Object(change)))
}

/// A related sub-agent's input (`mj-5.51.3`): `{ parentPath: subPath }`, `*` is the whole payload. Nothing mapped is `Null`.
pub fn sub_agent_input(mapping: &Object, payload: &Value) -> Value {
    let change = mapped(mapping, payload);
    if change.is_empty() { Value::Null } else { Value::Object(change) }
}

/// What a related sub-agent gave, merged into its parent's payload (`mj-5.51.3`): `{ subPath: parentPath }`, `*` is all of it.
pub fn sub_agent_output(mapping: &Object, result: &Value, payload: &Value) -> Value {
    let change = mapped(mapping, result);
    if change.is_empty() { payload.clone() } else { merge::update(payload, &Value::Object(change)) }
}

/// What a mapping of paths makes of a value.
fn mapped(mapping: &Object, from: &Value) -> Object {
    let mut change = Object::new();
    for (path, target) in mapping.iter() {
        let value = if path.as_str() == "*" { from.clone() } else { super::released::walk(from, path) };
        if let (false, Some(target)) = (value.is_undefined(), target.as_str()) {
            put(&mut change, target, value);
        }
    }
    change
}
