//! Renaming the variable of a loop, with every text of the step that refers to it.

use loopwright_lang::{Object, Value};

use super::{columns::column_change, refuse, set_configuration_key};
use crate::{
    Change, Document, Edit, EntityId, Refused,
    config::{JsonColumn, json_column},
    format::rewrite,
};

/// The roots a mapping text may begin with to be an expression, besides loop variables.
const ROOTS: [&str; 8] = ["payload", "data", "context", "conversation", "stepResult", "flowContext", "results", "errors"];

/// Renames the item variable of a loop (`itemVariable`) and changes the texts of its mappings, its condition and its
/// message that refer to it. Texts inside a sub-agent are another agent's and stay.
pub fn rename_item_variable(document: &Document, step: EntityId, name: &str) -> Result<Edit, Refused> {
    let Some(found) = document.step(step) else { return refuse("This step is not in the document any more.") };
    let configuration = match json_column(found.field("Configuration")) {
        JsonColumn::Value(value) => value,
        _ => Value::Object(Object::new()),
    };
    let usual = if found.kind() == crate::StepKind::While { "attempt" } else { "item" };
    let old = configuration.get("itemVariable").and_then(Value::as_str).unwrap_or(usual).to_owned();
    let mut edit = set_configuration_key(document, step, &["itemVariable"], Some(Value::text(name)))?;
    edit.label = format!("Rename {old} to {name}");
    edit.merge = None;
    if old.is_empty() || name.is_empty() || old == name {
        return Ok(edit);
    }
    if let Some(condition) = configuration.get("condition").and_then(Value::as_str).and_then(|text| renamed_everywhere(text, &old, name)) {
        // Both keys stand in one column: one change that holds both.
        let mut both = configuration.as_object().cloned().unwrap_or_default();
        both.insert("condition", Value::text(condition));
        let at = both.index_of("itemVariable").or_else(|| both.index_of("condition").map(|at| at + 1)).unwrap_or(both.len());
        both.insert_at(at, "itemVariable", Value::text(name));
        let value = Value::Object(both);
        let value = match found.field("Configuration") {
            Some(Value::Text(text)) => rewrite(text, &value).map_or(value, Value::text),
            _ => value,
        };
        edit.changes = vec![column_change(document, step, "Configuration", value)];
    }
    edit.changes.extend(texts_renamed(document, step, &old, name));
    Ok(edit)
}

/// Changes the texts of a loop's mappings, its condition and its message that still refer to its variable by its `old` name. `None`:
/// none does.
pub fn rename_variable_uses(document: &Document, step: EntityId, old: &str, name: &str) -> Option<Edit> {
    let found = document.step(step).filter(|_| !old.is_empty() && !name.is_empty() && old != name)?;
    let mut changes = texts_renamed(document, step, old, name);
    if let JsonColumn::Value(value) = json_column(found.field("Configuration"))
        && let Some(condition) = value.get("condition").and_then(Value::as_str).and_then(|text| renamed_everywhere(text, old, name))
    {
        changes.extend(set_configuration_key(document, step, &["condition"], Some(Value::text(condition))).ok()?.changes);
    }
    (!changes.is_empty()).then(|| Edit::new(format!("Rename {old} to {name} where it is used"), changes))
}

/// The mappings and the message of a step with a variable of another name.
fn texts_renamed(document: &Document, step: EntityId, old: &str, name: &str) -> Vec<Change> {
    let Some(found) = document.step(step) else { return Vec::new() };
    let rename = |text: &str| renamed_text(text, old, name);
    let mut changes = Vec::new();
    for column in ["ActionInputMapping", "Description"] {
        let current = found.field(column);
        let new = match (column, current, json_column(current)) {
            ("Description", Some(Value::Text(text)), _) => renamed_templates(text, old, name).map(Value::text),
            ("Description", ..) => None,
            (_, Some(Value::Text(text)), JsonColumn::Value(value)) => {
                renamed_value(&value, &rename).and_then(|value| rewrite(text, &value)).map(Value::text)
            }
            (_, _, JsonColumn::Value(value)) => renamed_value(&value, &rename),
            _ => None,
        };
        changes.extend(new.map(|value| column_change(document, step, column, value)));
    }
    changes
}

/// A mapping value with its texts renamed; `None`: nothing in it refers to the variable.
fn renamed_value(value: &Value, rename: &dyn Fn(&str) -> Option<String>) -> Option<Value> {
    match value {
        Value::Text(text) => rename(text).map(Value::text),
        Value::List(list) => {
            let new: Vec<Option<Value>> = list.iter().map(|item| renamed_value(item, rename)).collect();
            let changed = new.iter().any(Option::is_some);
            changed.then(|| Value::list(new.into_iter().zip(list.iter()).map(|(new, old)| new.unwrap_or_else(|| old.clone()))))
        }
        Value::Object(object) => {
            let new: Vec<Option<Value>> = object.iter().map(|(_, item)| renamed_value(item, rename)).collect();
            let changed = new.iter().any(Option::is_some);
            let items = new.into_iter().zip(object.iter()).map(|(new, (key, old))| (key.clone(), new.unwrap_or_else(|| old.clone())));
            changed.then(|| Value::object(items))
        }
        _ => None,
    }
}

/// A mapping text: an expression that begins with a root, or a template; any other text is just text.
fn renamed_text(text: &str, old: &str, new: &str) -> Option<String> {
    let head: String = text.trim_start().chars().take_while(|c| is_name(*c)).collect();
    if head == old || ROOTS.contains(&head.as_str()) { renamed_everywhere(text, old, new) } else { renamed_templates(text, old, new) }
}

/// The `{{ … }}` parts of a text.
fn renamed_templates(text: &str, old: &str, new: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut changed = false;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((inside, behind)) = after.split_once("}}") else { break };
        out.push_str(before);
        out.push_str("{{");
        match renamed_everywhere(inside, old, new) {
            Some(inside) => {
                changed = true;
                out.push_str(&inside);
            }
            None => out.push_str(inside),
        }
        out.push_str("}}");
        rest = behind;
    }
    out.push_str(rest);
    changed.then_some(out)
}

/// An expression: every place where the name stands by itself, not after a dot and not in quotes.
fn renamed_everywhere(text: &str, old: &str, new: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut quote: Option<char> = None;
    let mut changed = false;
    let mut chars = text.char_indices().peekable();
    let mut last = ' ';
    while let Some((at, c)) = chars.next() {
        if let Some(open) = quote {
            out.push(c);
            if c == '\\' {
                out.extend(chars.next().map(|(_, c)| c));
            } else if c == open {
                quote = None;
            }
            continue;
        }
        if !is_name(c) {
            if matches!(c, '\'' | '"' | '`') {
                quote = Some(c);
            }
            if !c.is_whitespace() {
                last = c;
            }
            out.push(c);
            continue;
        }
        let mut end = at + c.len_utf8();
        while let Some((next, c)) = chars.next_if(|(_, c)| is_name(*c)) {
            end = next + c.len_utf8();
        }
        let word = text.get(at..end).unwrap_or_default();
        if word == old && last != '.' {
            out.push_str(new);
            changed = true;
        } else {
            out.push_str(word);
        }
        last = 'x';
    }
    changed.then_some(out)
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::renamed_text;

    #[test]
    fn only_texts_that_mean_the_variable_change() {
        let check = |text: &str, wanted: Option<&str>| assert_eq!(renamed_text(text, "item", "order").as_deref(), wanted, "{text}");
        check("item.email", Some("order.email"));
        check("item", Some("order"));
        check("payload.item.total + item.total", Some("payload.item.total + order.total"));
        check("item.name + ' item '", Some("order.name + ' item '"));
        check("an item of text", None);
        check("Dear {{ item.name }}, your item", Some("Dear {{ order.name }}, your item"));
        check("items.length", None);
        check("payload.x", None);
    }
}
