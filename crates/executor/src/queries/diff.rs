//! What differs between two payloads. What they share in memory is not looked at.

use loopwright_lang::{Value, json::print_compact};

use super::shown;
use crate::{payload::same, protocol::PayloadChange};

/// Most changes that are listed.
const MOST: usize = 1_000;
/// Lists and objects deeper than this are compared whole.
const DEEPEST: usize = 32;

/// The changes from one payload to another, in the order of the newer one's keys.
pub fn changes(before: &Value, after: &Value) -> Vec<PayloadChange> {
    let mut out = Vec::new();
    walk("", before, after, 0, &mut out);
    out
}

fn walk(path: &str, before: &Value, after: &Value, depth: usize, out: &mut Vec<PayloadChange>) {
    if same(before, after) || out.len() >= MOST {
        return;
    }
    match (before, after) {
        (Value::Object(old), Value::Object(new)) if depth < DEEPEST => {
            for (key, value) in new.iter() {
                walk(&member(path, key), old.get(key).unwrap_or(&Value::Undefined), value, depth + 1, out);
            }
            for (key, value) in old.iter() {
                if !new.contains_key(key) {
                    walk(&member(path, key), value, &Value::Undefined, depth + 1, out);
                }
            }
        }
        (Value::List(old), Value::List(new)) if depth < DEEPEST => {
            for (at, (old, new)) in old.iter().zip(new.iter()).enumerate() {
                if !same(old, new) {
                    walk(&format!("{path}[{at}]"), old, new, depth + 1, out);
                }
            }
            let shared = old.len().min(new.len());
            for (at, value) in new.iter().enumerate().skip(shared) {
                walk(&format!("{path}[{at}]"), &Value::Undefined, value, depth + 1, out);
            }
            for (at, value) in old.iter().enumerate().skip(shared) {
                walk(&format!("{path}[{at}]"), value, &Value::Undefined, depth + 1, out);
            }
        }
        _ => {
            if before == after {
                return;
            }
            let text = |value: &Value| (!value.is_undefined()).then(|| shown(value));
            out.push(PayloadChange { path: path.to_owned(), before: text(before), after: text(after), by: None });
        }
    }
}

fn member(path: &str, key: &str) -> String {
    let plain = key.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_' || first == '$')
        && key.chars().all(|ch| ch.is_alphanumeric() || ch == '_' || ch == '$');
    match (plain, path.is_empty()) {
        (true, true) => key.to_owned(),
        (true, false) => format!("{path}.{key}"),
        (false, _) => format!("{path}[{}]", print_compact(&Value::text(key))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str, expected: &[(&str, Option<&str>, Option<&str>)]) {
        let read = |text| loopwright_lang::json::parse(text).value().unwrap_or_default();
        let found = changes(&read(before), &read(after));
        let found: Vec<_> = found.iter().map(|change| (change.path.as_str(), change.before.as_deref(), change.after.as_deref())).collect();
        assert_eq!(found, expected, "{before} → {after}");
    }

    #[test]
    fn only_what_differs_is_listed_with_its_path() {
        check(
            r#"{"a":1,"b":[1,2],"c":{"d":1}}"#,
            r#"{"a":1,"b":[1,3,4],"c":{}}"#,
            &[("b[1]", Some("2"), Some("3")), ("b[2]", None, Some("4")), ("c.d", Some("1"), None)],
        );
        check(r#"{"odd key":1}"#, r#"{"odd key":"x"}"#, &[(r#"["odd key"]"#, Some("1"), Some(r#""x""#))]);
        check(r#"{"a":[1]}"#, r#"{"a":{"b":1}}"#, &[("a", Some("[1]"), Some(r#"{"b":1}"#))]);
        check(r#"{"a":1}"#, r#"{"a":1.0}"#, &[]);
    }
}
