//! What the app knows, without markup: the document and its history, selection, problems, the run, what is saved.
//!
//! [`Session`] is a small `Copy` value of signals. Components get it with [`session`] and never hold the document.

pub mod acts;
pub mod doc;
pub mod files;
mod generate;
pub mod layout;
pub mod notify;
mod placing;
pub mod problems;
pub mod run;
pub mod selection;
pub mod versions;

use leptos::prelude::*;
use loopwright_model::{Edit, EntityId};

pub use doc::Doc;
pub use files::{Files, Leave, Saved};
pub use layout::{DockTab, InspectorTab, Layout, Theme};
pub use notify::{Notify, Tone};
pub use problems::Problems;
pub use run::{Playing, RunClient};
pub use selection::Selection;

/// The state of the app.
#[derive(Clone, Copy)]
pub struct Session {
    /// The document, its history and what is watched of it.
    pub doc: Doc,
    /// Problems of the document as it is.
    pub problems: Problems,
    /// What is selected, in which graph.
    pub selection: Selection,
    /// Docks, tabs, theme.
    pub layout: Layout,
    /// Toasts and the live region.
    pub notify: Notify,
    /// Whose rules the flow runs and is checked by.
    pub profile: RwSignal<loopwright_lang::Profile>,
    /// The run and what is selected of it.
    pub run: RunClient,
    /// Where documents come from and go to.
    pub files: Files,
}

/// The session of the app around the calling component.
pub fn session() -> Session {
    // Provided by `App` before anything else is built.
    expect_context::<Session>()
}

impl Session {
    /// A session with an empty document.
    pub fn new() -> Self {
        let (doc, selection, notify) = (Doc::new(), Selection::new(), Notify::new());
        let profile = RwSignal::new(loopwright_lang::Profile::Documented);
        let run = RunClient::new(doc, selection, notify, profile);
        Self { doc, problems: Problems::new(), selection, layout: Layout::new(), notify, profile, run, files: Files::new() }
    }

    /// Does an edit: one undo step. What is refused is said in a toast.
    pub fn apply(self, edit: Edit) -> bool {
        match self.doc.apply(edit) {
            Ok(changed) => {
                if changed {
                    self.after_edit();
                }
                true
            }
            Err(refused) => {
                self.notify.toast(Tone::Failed, refused.0);
                false
            }
        }
    }

    /// Does an edit that may have been refused before it was tried: then that is said, too.
    pub fn try_apply(self, edit: Result<Edit, loopwright_model::Refused>) -> bool {
        match edit {
            Ok(edit) => self.apply(edit),
            Err(refused) => {
                self.notify.toast(Tone::Failed, refused.0);
                false
            }
        }
    }

    /// Takes the last act back, and says which.
    pub fn undo(self) {
        let label = self.doc.undo_label();
        if self.doc.undo() {
            self.notify.say(crate::text::undone(&label.unwrap_or_default()));
            self.after_edit();
        }
    }

    /// Does the last undone act again, and says which.
    pub fn redo(self) {
        let label = self.doc.redo_label();
        if self.doc.redo() {
            self.notify.say(crate::text::redone(&label.unwrap_or_default()));
            self.after_edit();
        }
    }

    /// Selects an entity, shows the graph it is in and brings it into view.
    pub fn reveal(self, id: EntityId) {
        self.selection.reveal(self.doc, id);
    }

    /// Goes into a sub-agent's flow; the browser's Back comes out again.
    pub fn drill_in(self, graph: EntityId) {
        if self.selection.graph_untracked() != Some(graph) {
            self.selection.drill_in(graph);
            crate::platform::page::push_history(self.selection.breadcrumb.with_untracked(Vec::len));
            self.notify.say(crate::text::opened(&self.graph_name(graph)));
        }
    }

    /// Comes out of a sub-agent's flow.
    pub fn drill_out(self) {
        if self.selection.breadcrumb.with_untracked(Vec::len) > 1 {
            crate::platform::page::go_back();
        }
    }

    /// Puts a flow of the document on the canvas.
    pub fn open_graph(self, graph: EntityId) {
        self.selection.open_graph(graph);
        self.choose_scenario();
        self.run.run_now();
    }

    /// A flow's name, not watched.
    pub fn graph_name(self, graph: EntityId) -> String {
        let name = self.doc.with(|document| document.graph(graph).map(|graph| graph.name().to_owned())).unwrap_or_default();
        if name.is_empty() { crate::text::MAIN_FLOW.to_owned() } else { name }
    }

    fn after_edit(self) {
        self.selection.drop_gone(self.doc);
        self.problems.recompute_soon(self.doc);
        self.run.edited();
        // What cannot be stored stays said until it can.
        if !matches!(self.files.saved.get_untracked(), Saved::NoStorage | Saved::Full) {
            self.files.saved.set(Saved::Saving);
        }
        self.store_soon();
    }
}
