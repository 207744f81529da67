//! What of a sub-agent's payload the released runtime lets into its parent's: leaf by leaf, by patterns of paths with
//! operations (`path[:add,update,delete]`, `a.*`, `*`).

use super::deep_merge_released;
use crate::expr::js_trim;
use crate::{List, Object, Text, Value};

/// A sub-agent's payload merged into its parent's, as far as the patterns allow. `*` merges all of it. Otherwise each leaf is
/// written whose path a pattern covers, and what the sub-agent's payload does not have any more is deleted where one covers that.
pub fn merge_upstream(payload: &Value, sub: &Value, patterns: &[&str]) -> Value {
    if !crate::expr::truthy(sub) || patterns.is_empty() {
        return payload.clone();
    }
    let mut merged = if crate::expr::truthy(payload) { payload.clone() } else { Value::Object(Object::new()) };
    if patterns.contains(&"*") {
        return deep_merge_released(&merged, sub);
    }
    let patterns: Vec<Pattern> = patterns.iter().map(|pattern| Pattern::new(pattern)).collect();
    let allowed = |steps: &[Step], operation: &str| {
        let path = dotted(steps);
        patterns.iter().any(|pattern| pattern.allows(operation) && pattern.covers(&path))
    };
    for steps in leaves(sub) {
        let operation = if get(&merged, &steps).is_none_or(Value::is_undefined) { "add" } else { "update" };
        if let (true, Some(value)) = (allowed(&steps, operation), get(sub, &steps)) {
            merged = set(&merged, &steps, Some(value.clone()));
        }
    }
    for steps in leaves(&merged) {
        if get(sub, &steps).is_none_or(Value::is_undefined) && allowed(&steps, "delete") {
            merged = set(&merged, &steps, None);
        }
    }
    without_empty_elements(&merged)
}

#[derive(Clone, Debug)]
enum Step {
    Key(Text),
    Place(usize),
}

/// The paths of everything that has nothing inside; an empty object is such a thing, an empty list is none.
fn leaves(value: &Value) -> Vec<Vec<Step>> {
    fn within(value: &Value, at: &mut Vec<Step>, found: &mut Vec<Vec<Step>>) {
        let mut inside = |step: Step, value: &Value, found: &mut Vec<Vec<Step>>| {
            at.push(step);
            within(value, at, found);
            at.pop();
        };
        match value {
            Value::List(list) => list.iter().enumerate().for_each(|(place, item)| inside(Step::Place(place), item, found)),
            Value::Object(object) if !object.is_empty() => {
                object.iter().for_each(|(key, value)| inside(Step::Key(key.clone()), value, found))
            }
            _ if at.is_empty() => {}
            _ => found.push(at.clone()),
        }
    }
    let mut found = Vec::new();
    within(value, &mut Vec::new(), &mut found);
    found
}

/// A path as patterns see it: a place stands behind two dots, so that only a pattern that ends in `.*` covers it.
fn dotted(steps: &[Step]) -> String {
    let parts: Vec<String> = steps
        .iter()
        .map(|step| match step {
            Step::Key(key) => key.to_string(),
            Step::Place(place) => format!(".{place}"),
        })
        .collect();
    parts.join(".")
}

fn get<'v>(value: &'v Value, steps: &[Step]) -> Option<&'v Value> {
    steps.iter().try_fold(value, |at, step| match step {
        Step::Key(key) => at.get(key),
        Step::Place(place) => at.as_list()?.get(*place),
    })
}

/// Writes at a path, or takes out what is there; a list keeps its length.
fn set(value: &Value, steps: &[Step], new: Option<Value>) -> Value {
    let Some((step, rest)) = steps.split_first() else { return new.unwrap_or_default() };
    match step {
        Step::Key(key) => {
            let mut object = value.as_object().cloned().unwrap_or_default();
            if rest.is_empty() && new.is_none() {
                object.remove(key);
            } else {
                let inner = set(object.get(key).unwrap_or(&Value::Undefined), rest, new);
                object.insert(key.clone(), inner);
            }
            Value::Object(object)
        }
        Step::Place(place) => {
            let mut list: List = value.as_list().cloned().unwrap_or_default();
            let inner =
                if rest.is_empty() && new.is_none() { Value::Null } else { set(&list.get(*place).cloned().unwrap_or_default(), rest, new) };
            list.set(*place, inner);
            Value::List(list)
        }
    }
}

/// Objects in lists from which all was deleted go.
fn without_empty_elements(value: &Value) -> Value {
    match value {
        Value::List(list) => Value::list(
            list.iter().filter(|item| !item.as_object().is_some_and(Object::is_empty)).map(without_empty_elements).collect::<Vec<_>>(),
        ),
        Value::Object(object) => Value::object(object.iter().map(|(key, value)| (key.clone(), without_empty_elements(value)))),
        other => other.clone(),
    }
}

/// A pattern of paths with the operations it allows.
pub(super) struct Pattern<'p> {
    path: &'p str,
    operations: Option<Vec<String>>,
}

impl<'p> Pattern<'p> {
    pub(super) fn new(written: &'p str) -> Self {
        match written.rsplit_once(':') {
            None => Self { path: written, operations: None },
            Some((path, operations)) => {
                Self { path, operations: Some(operations.split(',').map(|operation| js_trim(operation).to_ascii_lowercase()).collect()) }
            }
        }
    }

    pub(super) fn allows(&self, operation: &str) -> bool {
        self.operations.as_ref().is_none_or(|known| known.iter().any(|known| known == operation))
    }

    pub(super) fn covers(&self, path: &str) -> bool {
        if self.path == "*" {
            return true;
        }
        match self.path.strip_suffix(".*") {
            Some(base) if !self.path.contains("**") => path.strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')),
            _ => fits(self.path.as_bytes(), path.as_bytes()),
        }
    }
}

/// Whether a path fits a pattern in which `*` stands for one part that is not empty, and `**` for one such part after any character.
fn fits(pattern: &[u8], path: &[u8]) -> bool {
    match pattern {
        [] => path.is_empty(),
        [b'*', b'*', rest @ ..] => {
            let part = path.get(1..).unwrap_or_default();
            let most = part.iter().position(|byte| *byte == b'.').unwrap_or(part.len());
            (1..=most).any(|length| part.get(length..).is_some_and(|path| fits(rest, path)))
        }
        [b'*', rest @ ..] => {
            let most = path.iter().position(|byte| *byte == b'.').unwrap_or(path.len());
            (1..=most).any(|length| path.get(length..).is_some_and(|path| fits(rest, path)))
        }
        [byte, rest @ ..] => path.first() == Some(byte) && fits(rest, path.get(1..).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn value(text: &str) -> Value {
        crate::json::parse(text).value().unwrap()
    }

    fn check(payload: &str, sub: &str, patterns: &[&str], expected: &str) {
        assert_eq!(merge_upstream(&value(payload), &value(sub), patterns), value(expected), "{patterns:?}");
    }

    #[test]
    fn only_leaves_that_a_pattern_covers_are_written() {
        check(r#"{"k":1}"#, r#"{"a":1,"b":{"c":2}}"#, &["a"], r#"{"k":1,"a":1}"#);
        check(r#"{}"#, r#"{"b":{"c":2,"d":3}}"#, &["b.c"], r#"{"b":{"c":2}}"#);
        // A plain name covers neither what is inside it nor the places of a list.
        check(r#"{}"#, r#"{"b":{"c":2},"l":[1]}"#, &["b", "l"], r#"{}"#);
        check(r#"{}"#, r#"{"b":{"c":2},"l":[1]}"#, &["b.*", "l.*"], r#"{"b":{"c":2},"l":[1]}"#);
        check(r#"{}"#, r#"{"x":{"v":1,"w":2},"y":{"v":3}}"#, &["*.v"], r#"{"x":{"v":1},"y":{"v":3}}"#);
    }

    #[test]
    fn operations_after_a_colon_are_the_only_ones() {
        check(r#"{"a":1}"#, r#"{"a":2,"b":3}"#, &["a:add", "b:add"], r#"{"a":1,"b":3}"#);
        check(r#"{"a":1}"#, r#"{"a":2}"#, &["a:update"], r#"{"a":2}"#);
    }

    #[test]
    fn what_the_sub_agent_does_not_have_is_deleted_where_a_pattern_covers_it() {
        check(r#"{"o":{"x":1,"y":2},"k":1}"#, r#"{"o":{"x":9}}"#, &["o.*"], r#"{"o":{"x":9},"k":1}"#);
        check(r#"{"o":{"x":1,"y":2}}"#, r#"{"o":{"x":9}}"#, &["o.*:add,update"], r#"{"o":{"x":9,"y":2}}"#);
    }

    #[test]
    fn everything_is_a_deep_merge_and_nothing_is_nothing() {
        check(r#"{"a":{"x":1}}"#, r#"{"a":{"y":2}}"#, &["*"], r#"{"a":{"x":1,"y":2}}"#);
        check(r#"{"a":1}"#, r#"{"a":2}"#, &[], r#"{"a":1}"#);
        check(r#"{"a":1}"#, "null", &["*"], r#"{"a":1}"#);
    }
}
