//! Values kept over runs, by a fingerprint of workflow, task, version and key.

use std::collections::BTreeMap;

use loopwright_lang::{KeyOrder, Text, Value, expr::json_text};
use sha2::{Digest, Sha256};

/// Values kept over runs.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    /// Whether nothing can be read.
    pub read_fails: bool,
    /// Whether nothing can be written.
    pub write_fails: bool,
    entries: BTreeMap<String, Entry>,
    /// What was stored in this run, in order.
    pub stored: Vec<Stored>,
}

/// Something that was stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// The task.
    pub task: Text,
    /// The version.
    pub version: Text,
    /// What.
    pub entry: Entry,
}

/// A kept value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The value, `Undefined` too; `None` in an entry that cannot be read.
    pub value: Option<Value>,
    /// The time of day it was made at, in milliseconds.
    pub created_at: f64,
}

/// What a lookup finds.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// A value.
    Value(Value),
    /// None that counts.
    Nothing,
    /// The store or the entry cannot be read.
    Broken,
}

impl Cache {
    /// Keeps an entry.
    pub fn put(&mut self, fingerprint: String, entry: Entry) {
        self.entries.insert(fingerprint, entry);
    }

    /// Looks a value up that is no older than `max_age` at `now` (milliseconds).
    pub fn find(&self, fingerprint: &str, now: f64, max_age: Option<u64>) -> Found {
        if self.read_fails {
            return Found::Broken;
        }
        match self.entries.get(fingerprint) {
            None => Found::Nothing,
            Some(Entry { value: None, .. }) => Found::Broken,
            Some(Entry { value: Some(value), created_at }) => match max_age {
                Some(most) if now - created_at > most as f64 => Found::Nothing,
                _ => Found::Value(value.clone()),
            },
        }
    }
}

/// The fingerprint of a value's place. Keys are ordered by their UTF-16 units and numbers compared by value.
pub fn fingerprint(workflow: &str, task: &str, version: &str, key: &Value) -> String {
    let parts = ["loopwright-task-cache/1", workflow, task, version].map(Value::text);
    let whole = Value::list(parts.into_iter().chain([canonical(key)]));
    hex(json_text(&whole, KeyOrder::File).unwrap_or_default().as_bytes())
}

/// The SHA-256 of some bytes.
pub(crate) fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn canonical(value: &Value) -> Value {
    match value {
        Value::List(items) => Value::list(items.iter().map(canonical)),
        Value::Object(members) => {
            let mut sorted: Vec<(&Text, &Value)> = members.iter().collect();
            sorted.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            Value::object(sorted.into_iter().map(|(key, value)| (key.clone(), canonical(value))))
        }
        Value::Spelled(number) => Value::Number(number.value()),
        other => other.clone(),
    }
}
