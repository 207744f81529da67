//! What makes a graph the one a saved run was made by: name, version, keys, edges, limits; not what the bodies do.

use std::collections::BTreeMap;

use loopwright_lang::{Text, Value};

use super::{TaskGraph, TaskKind};

/// The parts that must be the same, by a name that a person understands: `version`, or `draft: maxRounds`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Identity {
    parts: BTreeMap<String, Value>,
}

impl Identity {
    /// That of a graph. `version` takes the place of the graph's own where there is one.
    pub fn of(graph: &TaskGraph, version: Option<&str>) -> Self {
        let mut parts = BTreeMap::new();
        parts.insert("name".to_owned(), Value::Text(graph.name.clone()));
        parts.insert("version".to_owned(), version.map_or_else(|| Value::Text(graph.version.clone()), Value::text));
        let number = |number: u64| Value::Number(number as f64);
        for task in &graph.tasks {
            let mut part = |name: &str, value: Value| parts.insert(format!("{}: {name}", task.key), value);
            part("type", Value::text(task.type_name()));
            let mut after: Vec<&Text> = graph.after(task).collect();
            after.sort();
            part("after", Value::list(after.into_iter().cloned().map(Value::Text)));
            part("timeoutMs", task.timeout_ms.map_or(Value::Null, number));
            part("has a condition", Value::Bool(task.condition.is_some()));
            let retry = &task.retry;
            part("retry.attempts", number(retry.attempts));
            part("retry.delayMs", number(retry.delay_ms));
            part("retry.backoff", Value::text(if retry.exponential { "exponential" } else { "fixed" }));
            part("retry.maxDelayMs", retry.max_delay_ms.map_or(Value::Null, number));
            part("retry.jitter", Value::text(if retry.jitter { "full" } else { "none" }));
            match &task.kind {
                TaskKind::Plain { .. } => {}
                TaskKind::Loop { max_rounds, .. } => {
                    part("maxRounds", number(*max_rounds));
                }
                TaskKind::Approval { prompt, actors } => {
                    part("prompt", Value::Text(prompt.clone()));
                    part("actors", Value::list(actors.iter().cloned().map(Value::Text)));
                }
            }
        }
        Self { parts }
    }

    /// As it is saved.
    pub fn to_value(&self) -> Value {
        Value::object(self.parts.iter().map(|(name, value)| (name.as_str(), value.clone())))
    }

    /// As it was saved. `None` when it is no object.
    pub fn from_value(value: &Value) -> Option<Self> {
        Some(Self { parts: value.as_object()?.iter().map(|(name, value)| (name.to_string(), value.clone())).collect() })
    }
}

/// What differs, each as a person would say it; nothing when both are the same.
pub fn changes(saved: &Identity, now: &Identity) -> Vec<String> {
    let print = loopwright_lang::json::print_compact;
    let mut found = Vec::new();
    let task = |name: &str| name.split_once(": ").map(|(task, _)| task.to_owned());
    let has = |identity: &Identity, key: &str| identity.parts.contains_key(&format!("{key}: type"));
    for (name, before) in &saved.parts {
        match now.parts.get(name) {
            Some(after) if after == before => {}
            Some(after) => found.push(format!("{name} was {} and is {}", print(before), print(after))),
            None => match task(name) {
                Some(key) if !has(now, &key) => found.push(format!("the task {key} is gone")),
                _ => found.push(format!("{name} was {} and is gone", print(before))),
            },
        }
    }
    for (name, after) in now.parts.iter().filter(|(name, _)| !saved.parts.contains_key(*name)) {
        match task(name) {
            Some(key) if !has(saved, &key) => found.push(format!("the task {key} is new")),
            _ => found.push(format!("{name} is {} and was not there", print(after))),
        }
    }
    found.dedup();
    found
}
