//! The app's own keys. The canvas, menus and fields take theirs first.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;

use super::commands;
use crate::{
    canvas::Canvas,
    dialogs::Dialogs,
    palette,
    platform::{dom, page, pointer},
    session::Leave,
};

/// Whether keys without a modifier do things (they can be turned off).
pub fn single_keys() -> bool {
    page::remembered("single_keys").as_deref() != Some("off")
}

/// Turns single keys on or off.
pub fn set_single_keys(on: bool) {
    page::remember("single_keys", if on { "on" } else { "off" });
}

/// Listens for as long as the page lives.
pub fn listen(canvas: Canvas, dialogs: Dialogs) {
    page::on_window("keydown", move |event| {
        if let Some(event) = event.dyn_ref::<KeyboardEvent>()
            && !event.default_prevented()
            && handle(canvas, dialogs, event)
        {
            event.prevent_default();
        }
    });
}

fn handle(canvas: Canvas, dialogs: Dialogs, event: &KeyboardEvent) -> bool {
    let session = canvas.session;
    let mods = pointer::key_mods(event);
    let typing = dom::is_typing();
    match (event.key().as_str(), mods.command(), mods.shift, mods.alt) {
        ("Escape", false, false, false) if canvas.menus.is_open() => canvas.menus.close(),
        ("k" | "K", true, false, false) => dialogs.show_commands(canvas),
        ("Enter", true, _, false) => session.run.start(),
        ("F5", false, true, false) => session.run.cancel(),
        ("s" | "S", true, false, false) => session.download(Leave::Document),
        ("o" | "O", true, false, false) => commands::choose_file(),
        ("t" | "T", false, true, true) => canvas.tidy(),
        // A field has an undo of its own while one types.
        ("z" | "Z", true, false, false) if !typing => session.undo(),
        ("z" | "Z", true, true, false) | ("y" | "Y", true, false, false) if !typing => session.redo(),
        ("f" | "F", true, false, false) => search(canvas),
        _ if typing || mods.command() || mods.alt || dialogs.is_open() || !single_keys() || dom::focus_within(".dock") => return false,
        ("/", ..) => search(canvas),
        ("?", ..) => dialogs.show_help(),
        (" ", false, false, false) if !dom::takes_space() && session.run.run.get_untracked().is_some() => session.run.play_or_pause(),
        ("1", false, false, false) => canvas.fit(),
        ("2" | "@" | "\"", false, true, false) => canvas.fit_selection(),
        ("0", false, false, false) => canvas.actual_size(),
        ("+" | "=", ..) => canvas.zoom_in(),
        ("-", ..) => canvas.zoom_out(),
        _ => return false,
    }
    true
}

fn search(canvas: Canvas) {
    canvas.session.layout.palette_open.set(true);
    dom::focus_soon(palette::SEARCH_ID.to_owned());
}
