//! Everything that can be done by name, for the command palette.

use leptos::prelude::*;

use crate::{
    canvas::Canvas,
    dialogs::Dialogs,
    platform::{dom, page},
    session::{DockTab, Leave, Session, Theme, acts::Recipe, files::EXAMPLES},
    text,
    ui::menu::{Act, Item},
};

/// All commands, in the order they are shown.
pub fn all(canvas: Canvas, dialogs: Dialogs) -> Vec<Act> {
    let session = canvas.session;
    let undo = session.doc.undo_label();
    let redo = session.doc.redo_label();
    let running = untrack(|| session.run.is_running());
    let some = session.selection.ids.with_untracked(|ids| !ids.is_empty());
    let mut items = vec![
        Item::act("play", text::RUN, "Ctrl+Enter", move || session.run.start()),
        Item::act("stop", text::STOP, "Shift+F5", move || session.run.cancel()).when(running),
        Item::act("undo", text::undo(undo.as_deref()), "Ctrl+Z", move || session.undo()).when(undo.is_some()),
        Item::act("redo", text::redo(redo.as_deref()), "Ctrl+Y", move || session.redo()).when(redo.is_some()),
    ];
    for kind in crate::palette::KINDS {
        items.push(Item::act("plus", text::add_step(text::kind_name(kind)), "", move || canvas.place(Recipe::Kind(kind))));
    }
    items.extend([
        Item::act("edit", text::ADD_NOTE, "", move || canvas.place(Recipe::Note)),
        Item::act("plug", text::CONNECT_FROM_HERE, "C", move || {
            canvas.start_connecting();
        })
        .when(some),
        Item::act("edit", text::RENAME, "F2", move || {
            canvas.rename_primary();
        })
        .when(some),
        Item::act("copy", text::DUPLICATE, "Ctrl+D", move || canvas.duplicate()).when(some),
        Item::act("power", text::TOGGLE_ACTIVE, "D", move || canvas.toggle_active()).when(some),
        Item::act("trash", text::DELETE, "Del", move || canvas.delete_selected(false)).when(some),
        Item::act("branch", text::DELETE_RECONNECT, "Ctrl+Del", move || canvas.delete_selected(true)).when(some),
        Item::act("tidy", text::TIDY_UP, "Shift+Alt+T", move || canvas.tidy()),
        Item::act("fit", text::FIT, "1", move || canvas.fit()),
        Item::act("fit", text::FIT_SELECTION, "Shift+2", move || canvas.fit_selection()).when(some),
        Item::act("search", text::ACTUAL_SIZE, "0", move || canvas.actual_size()),
        Item::act("plus", text::ZOOM_IN, "+", move || canvas.zoom_in()),
        Item::act("minus", text::ZOOM_OUT, "-", move || canvas.zoom_out()),
    ]);
    items.extend(DockTab::ALL.map(|tab| Item::act("list", text::show_tab(tab), "", move || session.layout.show_dock(tab))));
    items.extend([
        Item::act("share", text::SAVE_DOCUMENT, "Ctrl+S", move || session.download(Leave::Document)),
        Item::act("copy", text::COPY_STEPS, "", move || session.copy_steps()),
        Item::act("share", text::DOWNLOAD_STEPS_TEXT, "", move || session.download(Leave::StepsText)),
        Item::act("share", text::DOWNLOAD_STEPS_OBJECT, "", move || session.download(Leave::StepsObject)),
        Item::act("bookmark", text::KEEP_VERSION, "", move || session.keep_version()),
        Item::act("list", text::OPEN, "Ctrl+O", choose_file),
        Item::act("plus", text::NEW, "", move || session.new_document()),
    ]);
    items.extend(EXAMPLES.map(|(name, title)| {
        Item::act("branch", text::open_example(title), "", move || {
            leptos::task::spawn_local(async move {
                let _ = session.open_example(name).await;
            })
        })
    }));
    items.extend([
        Item::act("moon", text::SWITCH_THEME, "", move || toggle_theme(session)),
        Item::act("help", text::HELP, "?", move || dialogs.show_help()),
    ]);
    let steps: Vec<_> = session.doc.with(|document| {
        let graph = session.selection.graph_untracked().and_then(|graph| document.graph(graph));
        graph.into_iter().flat_map(|graph| graph.steps().map(|step| (step.id(), step.name().to_owned()))).take(2_000).collect()
    });
    items.extend(steps.into_iter().map(|(id, name)| Item::act("arrow", text::go_to(&name), "", move || session.reveal(id))));
    items.into_iter().filter_map(|item| if let Item::Act(act) = item { Some(act) } else { None }).collect()
}

/// Opens the browser's file chooser.
pub fn choose_file() {
    dom::click_id(super::top::FILE_FIELD);
}

/// Light becomes dark, dark light; it stays so.
pub fn toggle_theme(session: Session) {
    let dark = session.layout.theme.get_untracked() == Theme::Light;
    session.layout.theme.set(if dark { Theme::Dark } else { Theme::Light });
    page::remember("theme", if dark { "dark" } else { "light" });
}
