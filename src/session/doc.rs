//! The document of the session: read it, change it by edits, watch an entity of it.

use std::collections::HashMap;

use leptos::prelude::*;
use loopwright_model::{Document, Edit, EntityId, History, Refused, Touched};

/// The document and its history.
#[derive(Clone, Copy)]
pub struct Doc {
    history: StoredValue<History>,
    watched: StoredValue<HashMap<EntityId, ArcTrigger>>,
    structure: StoredValue<ArcTrigger>,
    /// Counts edits (also undo and redo) since the app started; changes with every change of the document.
    pub revision: RwSignal<u64>,
    labels: RwSignal<(Option<String>, Option<String>)>,
    /// Changes when another document is opened.
    pub opened: RwSignal<u64>,
    /// Name of the file it came from; the document's name on screen is [`Doc::name`].
    pub file_name: RwSignal<String>,
    /// Written by a higher version: shown, never changed.
    pub read_only: RwSignal<bool>,
}

impl Doc {
    pub(super) fn new() -> Self {
        Self {
            history: StoredValue::new(History::default()),
            watched: StoredValue::new(HashMap::new()),
            structure: StoredValue::new(ArcTrigger::new()),
            revision: RwSignal::new(0),
            labels: RwSignal::new((None, None)),
            opened: RwSignal::new(0),
            file_name: RwSignal::new(String::new()),
            read_only: RwSignal::new(false),
        }
    }

    /// Reads the document without watching it. Event handlers use this alone; views call [`Doc::track`],
    /// [`Doc::track_structure`] or [`Doc::track_all`] first.
    pub fn with<T>(self, read: impl FnOnce(&Document) -> T) -> T {
        self.history.with_value(|history| read(history.document()))
    }

    /// The document and what can be undone, as a text that [`History::load`] reads.
    pub(super) fn saved_text(self) -> String {
        self.history.with_value(History::save)
    }

    /// The view or effect that calls this runs again when a field or an end of the entity changes, or it goes.
    pub fn track(self, id: EntityId) {
        let known = self.watched.with_value(|watched| watched.get(&id).cloned());
        let trigger = known.unwrap_or_else(|| {
            let trigger = ArcTrigger::new();
            self.watched.update_value(|watched| {
                watched.insert(id, trigger.clone());
            });
            trigger
        });
        trigger.track();
    }

    /// … runs again when entities come, go or change their order.
    pub fn track_structure(self) {
        self.structure.with_value(|trigger| trigger.track());
    }

    /// … runs again with every change of the document.
    pub fn track_all(self) {
        self.revision.track();
    }

    /// Does an edit. `Ok(false)`: it changed nothing.
    pub(super) fn apply(self, edit: Edit) -> Result<bool, Refused> {
        if self.read_only.get_untracked() {
            return Err(Refused(crate::text::READ_ONLY.into()));
        }
        let touched = self.history.try_update_value(|history| history.apply(edit)).unwrap_or_else(|| Ok(Touched::default()))?;
        let changed = !touched.ids.is_empty();
        if changed {
            self.announce(&touched);
        }
        Ok(changed)
    }

    /// Ends the merging of typing: the next edit is an undo step of its own (call it on blur).
    pub fn close_merge(self) {
        self.history.update_value(History::close_merge);
    }

    pub(super) fn undo(self) -> bool {
        self.travel(History::undo)
    }

    pub(super) fn redo(self) -> bool {
        self.travel(History::redo)
    }

    fn travel(self, step: impl FnOnce(&mut History) -> Option<Touched>) -> bool {
        let Some(touched) = self.history.try_update_value(step).flatten() else { return false };
        self.announce(&touched);
        true
    }

    /// Opens another document: everything that watches anything runs again.
    pub(super) fn replace(self, history: History, file_name: String, read_only: bool) {
        self.history.set_value(history);
        self.file_name.set(file_name);
        self.read_only.set(read_only);
        let all = self.watched.with_value(|watched| watched.keys().copied().collect());
        self.announce(&Touched { ids: all, structure: true });
        self.opened.update(|count| *count += 1);
    }

    /// What undo would take back (watched).
    pub fn undo_label(self) -> Option<String> {
        self.labels.with(|labels| labels.0.clone())
    }

    /// What redo would do again (watched).
    pub fn redo_label(self) -> Option<String> {
        self.labels.with(|labels| labels.1.clone())
    }

    fn announce(self, touched: &Touched) {
        let labels = self.history.with_value(|history| (history.undo_label().map(str::to_owned), history.redo_label().map(str::to_owned)));
        let triggers: Vec<ArcTrigger> =
            self.watched.with_value(|watched| touched.ids.iter().filter_map(|id| watched.get(id).cloned()).collect());
        let structure = touched.structure.then(|| self.structure.get_value());
        self.revision.update(|revision| *revision += 1);
        if self.labels.with_untracked(|old| *old != labels) {
            self.labels.set(labels);
        }
        for trigger in triggers.into_iter().chain(structure) {
            trigger.notify();
        }
    }
}
