//! The problems of the document, found again shortly after each edit.

use std::{collections::HashMap, sync::Arc, time::Duration};

use leptos::prelude::*;
use loopwright_lang::Severity;
use loopwright_model::{EntityId, Problem};

use super::Doc;

/// The problems of the document.
#[derive(Clone, Copy)]
pub struct Problems {
    /// All, in document order. Replaced as a whole.
    pub list: RwSignal<Arc<Vec<Problem>>>,
    /// The places in the list, by entity; always in step with it.
    by_entity: StoredValue<HashMap<EntityId, Vec<usize>>>,
    pending: StoredValue<bool>,
}

/// A document with more entities than this is validated when typing rests, not at once.
const LARGE: u32 = 3_000;
/// How long typing rests then.
const REST: Duration = Duration::from_millis(150);

impl Problems {
    pub(super) fn new() -> Self {
        Self { list: RwSignal::new(Arc::default()), by_entity: StoredValue::new(HashMap::new()), pending: StoredValue::new(false) }
    }

    /// Validates once the current event has been handled, however many edits it made.
    pub fn recompute_soon(self, doc: Doc) {
        if self.pending.get_value() {
            return;
        }
        self.pending.set_value(true);
        let validate = move || {
            self.pending.set_value(false);
            let found = doc.with(loopwright_model::validate);
            if self.list.with_untracked(|old| **old != found) {
                let mut places: HashMap<EntityId, Vec<usize>> = HashMap::new();
                for (at, problem) in found.iter().enumerate() {
                    places.entry(problem.place.entity).or_default().push(at);
                }
                self.by_entity.set_value(places);
                self.list.set(Arc::new(found));
            }
        };
        if doc.with(|document| document.next_id().0 > LARGE) {
            set_timeout(validate, REST);
        } else {
            queue_microtask(validate);
        }
    }

    fn at<T>(self, id: EntityId, read: impl Fn(&Problem) -> T) -> Vec<T> {
        self.list.with(|list| {
            self.by_entity.with_value(|places| places.get(&id).into_iter().flatten().filter_map(|at| list.get(*at)).map(&read).collect())
        })
    }

    /// The problems of one entity (watched).
    pub fn of(self, id: EntityId) -> Vec<Problem> {
        self.at(id, Problem::clone)
    }

    /// The worst severity among the problems of one entity (watched).
    pub fn worst_of(self, id: EntityId) -> Option<Severity> {
        self.at(id, |problem| problem.severity).into_iter().min()
    }

    /// How many problems there are of the severities the Problems tab counts (watched): all, errors.
    pub fn counts(self) -> (usize, usize) {
        self.list.with(|list| (list.len(), list.iter().filter(|problem| problem.severity == Severity::Error).count()))
    }
}
