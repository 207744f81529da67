//! What a person does, as [`Edit`]s: each function looks at a document and says what would change, or why it cannot be done.
//! Nothing here changes a document; [`crate::History::apply`] does. New UUIDs come from the caller.

mod catalogue;
mod clipboard;
mod columns;
mod graphs;
mod paths;
mod plan;
mod rename;
mod scenarios;
mod steps;
mod variables;

pub use catalogue::{add_entry, add_missing_entries, adopt, remove_entry, set_entry_field};
pub use clipboard::{copy, duplicate, paste};
pub use columns::{
    clear_column, move_mapping_row, remove_mapping_row, rename_mapping_row, set_column, set_column_text, set_configuration_key,
    set_mapping_row,
};
pub use graphs::{add_graph, add_note, remove_graph, set_graph_field, set_note};
pub use paths::{connect, reconnect};
pub use plan::{add_plan, add_task, depend, undepend};
pub use rename::{call_new, rename_entry, rename_step, set_call, set_kind};
pub use scenarios::{add_scenario, duplicate_scenario, remove_scenario, set_scenario_part, set_script};
pub use steps::{
    NewStep, add_step, add_step_on_path, delete, delete_and_reconnect, give_missing_ids, move_to, set_start, unique_step_name,
};
pub use variables::{rename_item_variable, rename_variable_uses};

use std::collections::{BTreeMap, BTreeSet};

use loopwright_lang::Object;

use crate::{Change, Document, Edit, End, Entity, EntityId, EntityKind, Refused};

/// An edit that makes something, and what it makes.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    /// What to apply.
    pub edit: Edit,
    /// The new entities, in order: what to select afterwards.
    pub ids: Vec<EntityId>,
}

/// Makes UUIDs.
pub type NewId<'a> = &'a mut dyn FnMut() -> String;

/// Changes being put together; new entities count on from the document's numbers.
pub(crate) struct Draft<'d> {
    document: &'d Document,
    changes: Vec<Change>,
    next: u32,
    /// New children of each parent so far, to count places.
    added: BTreeMap<EntityId, usize>,
}

impl<'d> Draft<'d> {
    pub(crate) fn new(document: &'d Document) -> Self {
        Self { document, changes: Vec::new(), next: document.next_id().0, added: BTreeMap::new() }
    }

    /// A new entity at the end of its parent's children.
    pub(crate) fn add(&mut self, kind: EntityKind, parent: EntityId, fields: Object, ends: Option<(End, End)>) -> EntityId {
        let id = EntityId(self.next);
        self.next += 1;
        let added = self.added.entry(parent).or_default();
        let index = self.document.children(parent).len() + *added;
        *added += 1;
        self.changes.push(Change::Insert { entity: Entity { id, kind, parent, fields, ends, origin: None }, index });
        id
    }

    pub(crate) fn push(&mut self, change: Change) {
        self.changes.push(change);
    }

    pub(crate) fn extend(&mut self, changes: impl IntoIterator<Item = Change>) {
        self.changes.extend(changes);
    }

    pub(crate) fn finish(self, label: impl Into<String>) -> Edit {
        Edit::new(label, self.changes)
    }
}

pub(crate) fn refuse<T>(message: impl Into<String>) -> Result<T, Refused> {
    Err(Refused(message.into()))
}

/// `1 step`, `3 steps`.
pub(crate) fn count(number: usize, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}

/// A name that is not taken: the wished one, or that with the first free number after it.
pub(crate) fn unique(wish: &str, taken: impl Fn(&str) -> bool) -> String {
    if !taken(wish) {
        return wish.to_owned();
    }
    let stem = stem(wish);
    (2..).map(|number: u32| format!("{stem} {number}")).find(|name| !taken(name)).unwrap_or_else(|| wish.to_owned())
}

/// A name without the number at its end.
fn stem(name: &str) -> &str {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end();
    if stem.is_empty() || stem.len() == name.len() { name } else { stem }
}

/// Gives out many free names without asking for each number again.
pub(crate) struct FreeNames {
    taken: BTreeSet<String>,
    /// For each name without its number the last number given out.
    last: BTreeMap<String, u32>,
}

impl FreeNames {
    pub(crate) fn new<'a>(taken: impl Iterator<Item = &'a str>) -> Self {
        Self { taken: taken.map(str::to_owned).collect(), last: BTreeMap::new() }
    }

    /// As [`unique`]; the name is taken from now on.
    pub(crate) fn take(&mut self, wish: &str) -> String {
        let mut name = wish.to_owned();
        if self.taken.contains(wish) {
            let stem = stem(wish);
            let number = self.last.entry(stem.to_owned()).or_insert(1);
            while self.taken.contains(&name) {
                *number = number.saturating_add(1);
                name = format!("{stem} {number}");
            }
        }
        self.taken.insert(name.clone());
        name
    }
}
