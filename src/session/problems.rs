//! The problems of the document, found again shortly after each edit.

use std::sync::Arc;

use leptos::prelude::*;
use loopwright_lang::Severity;
use loopwright_model::{EntityId, Problem};

use super::Doc;

/// The problems of the document.
#[derive(Clone, Copy)]
pub struct Problems {
    /// All, in document order. Replaced as a whole.
    pub list: RwSignal<Arc<Vec<Problem>>>,
    pending: StoredValue<bool>,
}

impl Problems {
    pub(super) fn new() -> Self {
        Self { list: RwSignal::new(Arc::default()), pending: StoredValue::new(false) }
    }

    /// Validates once the current event has been handled, however many edits it made.
    pub fn recompute_soon(self, doc: Doc) {
        if self.pending.get_value() {
            return;
        }
        self.pending.set_value(true);
        queue_microtask(move || {
            self.pending.set_value(false);
            let found = doc.with(loopwright_model::validate);
            if self.list.with_untracked(|old| **old != found) {
                self.list.set(Arc::new(found));
            }
        });
    }

    /// The problems of one entity (watched).
    pub fn of(self, id: EntityId) -> Vec<Problem> {
        self.list.with(|list| list.iter().filter(|problem| problem.place.entity == id).cloned().collect())
    }

    /// The worst severity among the problems of one entity (watched).
    pub fn worst_of(self, id: EntityId) -> Option<Severity> {
        self.list.with(|list| list.iter().filter(|problem| problem.place.entity == id).map(|problem| problem.severity).min())
    }

    /// How many problems there are of the severities the Problems tab counts (watched): all, errors.
    pub fn counts(self) -> (usize, usize) {
        self.list.with(|list| (list.len(), list.iter().filter(|problem| problem.severity == Severity::Error).count()))
    }
}
