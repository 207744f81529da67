//! The inspector of the selection: everything a step, a path, a note or the flow holds, checked and previewed as it is typed.

mod bind;
mod code_field;
mod combo;
mod configuration;
mod field;
pub mod json_editor;
mod json_tab;
mod mapping;
mod others;
pub mod parts;
mod payload_tree;
mod picker;
pub mod preview;
mod step;

use leptos::prelude::*;
use loopwright_model::EntityKind;

pub use step::tab_of_place;

use crate::session::session;

/// The right-hand panel's content.
pub fn inspector() -> AnyView {
    let session = session();
    crate::run::follow(session);
    // Built again only when something else is selected: typing must not lose the cursor.
    let shown = Memo::new(move |_| {
        let count = session.selection.ids.with(std::collections::BTreeSet::len);
        let graph = session.selection.graph();
        let primary = session.selection.primary.get().filter(|_| count == 1);
        session.doc.opened.track();
        let kind = primary.and_then(|id| session.doc.with(|document| document.get(id).map(|entity| (id, entity.kind))));
        (kind, count, graph, session.doc.opened.get())
    });
    // A place someone jumped to: its field gets the cursor once its tab is there.
    Effect::new(move |_| {
        let Some((column, inside)) = session.layout.focus_field.get() else { return };
        session.layout.focus_field.set(None);
        if let Some(id) = session.selection.primary.get_untracked() {
            mapping::focus_field(bind::dom_id(id, &column, inside.first().map(String::as_str)));
        }
    });
    let content = move || {
        let (selected, count, graph, _) = shown.get();
        match selected {
            Some((id, EntityKind::Step)) => step::step(session, id),
            Some((id, EntityKind::Path)) => {
                let from = session.doc.with(|document| document.path(id).and_then(|path| path.from()));
                others::path(session, id, preview::of(session, from))
            }
            Some((id, EntityKind::Note)) => others::note(session, id),
            _ if count > 1 => others::several(count),
            _ => graph.map_or_else(|| ().into_any(), |graph| others::graph(session, graph)),
        }
    };
    view! { <div class="insp">{content}</div> }.into_any()
}
