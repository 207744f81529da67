//! What is selected, and which graph is on the canvas.

use std::collections::BTreeSet;

use leptos::prelude::*;
use loopwright_model::{EntityId, EntityKind};

use super::Doc;

/// What is selected, and which graph is on the canvas.
#[derive(Clone, Copy)]
pub struct Selection {
    /// The selected steps, paths and notes.
    pub ids: RwSignal<BTreeSet<EntityId>>,
    /// The one the inspector shows and the keyboard is at. Always in `ids`, or `None` when that is empty.
    pub primary: RwSignal<Option<EntityId>>,
    /// The graphs from the outermost to the one on the canvas.
    pub breadcrumb: RwSignal<Vec<EntityId>>,
    /// Asks the canvas to bring an entity into view. The canvas takes it (sets `None`).
    pub scroll_to: RwSignal<Option<EntityId>>,
}

impl Selection {
    pub(super) fn new() -> Self {
        Self {
            ids: RwSignal::new(BTreeSet::new()),
            primary: RwSignal::new(None),
            breadcrumb: RwSignal::new(Vec::new()),
            scroll_to: RwSignal::new(None),
        }
    }

    /// The graph on the canvas (watched).
    pub fn graph(self) -> Option<EntityId> {
        self.breadcrumb.with(|path| path.last().copied())
    }

    /// The graph on the canvas, not watched.
    pub fn graph_untracked(self) -> Option<EntityId> {
        self.breadcrumb.with_untracked(|path| path.last().copied())
    }

    /// Whether an entity is selected (watched).
    pub fn contains(self, id: EntityId) -> bool {
        self.ids.with(|ids| ids.contains(&id))
    }

    /// Selects one entity alone.
    pub fn only(self, id: EntityId) {
        self.set([id].into(), Some(id));
    }

    /// Selects nothing.
    pub fn clear(self) {
        self.set(BTreeSet::new(), None);
    }

    /// Adds an entity or takes it away.
    pub fn toggle(self, id: EntityId) {
        let mut ids = self.ids.get_untracked();
        let primary = if ids.remove(&id) {
            self.primary.get_untracked().filter(|primary| ids.contains(primary)).or(ids.iter().next_back().copied())
        } else {
            ids.insert(id);
            Some(id)
        };
        self.set(ids, primary);
    }

    /// Selects these.
    pub fn set(self, ids: BTreeSet<EntityId>, primary: Option<EntityId>) {
        let primary = primary.filter(|id| ids.contains(id)).or(ids.iter().next().copied());
        if self.ids.with_untracked(|old| *old != ids) {
            self.ids.set(ids);
        }
        if self.primary.get_untracked() != primary {
            self.primary.set(primary);
        }
    }

    /// Puts a graph on the canvas, as an outermost one.
    pub fn open_graph(self, graph: EntityId) {
        if self.breadcrumb.with_untracked(|path| path.as_slice() != [graph]) {
            self.clear();
            self.breadcrumb.set(vec![graph]);
        }
    }

    /// Goes into a sub-agent's graph.
    pub fn drill_in(self, graph: EntityId) {
        if self.graph_untracked() != Some(graph) {
            self.clear();
            self.breadcrumb.update(|path| path.push(graph));
        }
    }

    /// Goes back to a graph of the breadcrumb.
    pub fn drill_to(self, depth: usize) {
        if depth + 1 < self.breadcrumb.with_untracked(Vec::len) {
            self.clear();
            self.breadcrumb.update(|path| path.truncate(depth + 1));
        }
    }

    pub(super) fn reveal(self, doc: Doc, id: EntityId) {
        let Some((kind, parent)) = doc.with(|document| document.get(id).map(|entity| (entity.kind, entity.parent))) else { return };
        match kind {
            EntityKind::Step | EntityKind::Path | EntityKind::Note => {
                if self.graph_untracked() != Some(parent) {
                    self.open_graph(parent);
                }
                self.only(id);
                self.scroll_to.set(Some(id));
            }
            EntityKind::Graph => self.open_graph(id),
            _ => {}
        }
    }

    /// Forgets what is no longer in the document, and makes sure a graph is open if there is one.
    pub(super) fn drop_gone(self, doc: Doc) {
        let there = |id: &EntityId| doc.with(|document| document.get(*id).is_some());
        let ids: BTreeSet<EntityId> = self.ids.get_untracked().into_iter().filter(there).collect();
        self.set(ids, self.primary.get_untracked());
        let mut path = self.breadcrumb.get_untracked();
        if let Some(gone) = path.iter().position(|id| !there(id)) {
            path.truncate(gone);
        }
        if path.is_empty() {
            path.extend(doc.with(|document| document.graphs().next().map(|graph| graph.id())));
        }
        if self.breadcrumb.with_untracked(|old| *old != path) {
            self.breadcrumb.set(path);
        }
    }
}
