//! The screen around the canvas: top bar, panels, dock, keys.

mod callouts;
pub mod commands;
mod dock;
pub mod keys;
mod messages;
mod top;

use leptos::prelude::*;
use web_sys::DragEvent;

use crate::{
    canvas::{self, Canvas},
    dialogs, inspector, palette,
    platform::{clipboard, files, page},
    session::{Session, Theme},
    text,
    ui::{self, icon_button, menu::Menus},
};

/// The DOM id of the inspector, where the cursor goes when a step is opened.
pub const INSPECTOR_ID: &str = "inspector";
/// Below this width the docks collapse.
const DOCKS_BELOW: f64 = 1024.0;
/// Below this width the inspector is a sheet.
pub const SHEET_BELOW: f64 = 720.0;

/// The app.
pub fn app() -> AnyView {
    let session = Session::new();
    let menus = Menus::new();
    let canvas = Canvas::new(session, menus);
    let dialogs = dialogs::Dialogs::new();
    provide_context(session);
    provide_context(canvas);
    provide_context(menus);
    provide_context(dialogs);
    appearance(session);
    keys::listen(canvas, dialogs);
    page::on_window("popstate", move |event| {
        use wasm_bindgen::JsCast;
        let depth = event.dyn_ref::<web_sys::PopStateEvent>().and_then(|event| event.state().as_f64()).unwrap_or(1.0);
        session.selection.drill_to((depth as usize).saturating_sub(1));
    });
    // The canvas says it of its own pastes; a field would take seconds to show such a text.
    page::on_window("paste", move |event| {
        use wasm_bindgen::JsCast;
        let size = event.dyn_ref::<web_sys::ClipboardEvent>().and_then(clipboard::text_of).map_or(0, |text| text.len());
        if size > loopwright_lang::limits::PASTE_BYTES && !event.default_prevented() {
            event.prevent_default();
            session.notify.toast(crate::session::Tone::Failed, text::paste_too_large(size));
        }
    });
    session.run.connect();
    session.watch_versions();
    session.begin();
    first_run(canvas);

    let layout = session.layout;
    let over = RwSignal::new(false);
    let drag = move |event: DragEvent| {
        if files::is_file_drag(&event) {
            event.prevent_default();
            over.set(true);
        }
    };
    let leave = move |event: DragEvent| {
        // Only when the pointer leaves the page, not when it passes from element to element.
        if event.related_target().is_none() {
            over.set(false);
        }
    };
    let dropped = move |event: DragEvent| {
        over.set(false);
        if let Some(file) = files::dropped(&event) {
            event.prevent_default();
            session.open_file(file);
        }
    };
    let class = move || {
        let mut class = String::from("app");
        for (on, name) in [(!layout.palette_open.get(), " is-rail"), (!layout.inspector_open.get(), " no-inspector")] {
            if on {
                class.push_str(name);
            }
        }
        class
    };
    view! {
        {ui::sprite()}
        <div class=class on:dragover=drag on:dragleave=leave on:drop=dropped>
            {top::bar()}
            <aside class="left" class:railcol=move || !layout.palette_open.get() aria-label=text::LEFT_PANEL>
                {move || if layout.palette_open.get() { palette::left() } else { palette::rail() }}
            </aside>
            <div class="mid">
                <div class="stage-wrap">
                    {canvas::stage()}
                    {callouts::callouts()}
                </div>
                {dock::dock()}
            </div>
            {move || layout.inspector_open.get().then(|| view! {
                <aside class="right" id=INSPECTOR_ID tabindex="-1" aria-label=text::INSPECTOR>
                    <span class="sheet-close">{icon_button("close", text::CLOSE_INSPECTOR, move || layout.inspector_open.set(false))}</span>
                    {inspector::inspector()}
                </aside>
            })}
            {move || over.get().then(|| view! { <div class="drop-over"><p>{text::DROP_FILE}</p></div> })}
        </div>
        {menus.view()}
        {dialogs.view()}
        {messages::toasts()}
        {messages::live_region()}
    }
    .into_any()
}

/// Theme and size of the window.
fn appearance(session: Session) {
    let layout = session.layout;
    let chosen = page::remembered("theme");
    let of = |dark: bool| if dark { Theme::Dark } else { Theme::Light };
    layout.theme.set(chosen.as_deref().map_or_else(|| of(page::prefers_dark()), |name| of(name == "dark")));
    page::on_theme_change(move |dark| {
        if page::remembered("theme").is_none() {
            layout.theme.set(of(dark));
        }
    });
    Effect::new(move |_| page::set_theme(if layout.theme.get() == Theme::Dark { "dark" } else { "light" }));
    let fit = move |before: Option<f64>| {
        let width = page::width();
        layout.width.set(width);
        // Only crossing a border folds or opens something: what a person chose in between stays.
        let was = before.unwrap_or(f64::MAX);
        if width < DOCKS_BELOW && was >= DOCKS_BELOW {
            layout.palette_open.set(false);
        }
        if width < SHEET_BELOW && was >= SHEET_BELOW {
            layout.inspector_open.set(false);
        }
        if before.is_some() && width >= DOCKS_BELOW && was < DOCKS_BELOW {
            layout.palette_open.set(true);
        }
        if before.is_some() && width >= SHEET_BELOW && was < SHEET_BELOW {
            layout.inspector_open.set(true);
        }
    };
    fit(None);
    page::on_window("resize", move |_| fit(Some(layout.width.get_untracked())));
    if let Some(height) = page::remembered("dock_height").and_then(|height| height.parse::<f64>().ok()).filter(|height| height.is_finite())
    {
        layout.dock_height.set(height.clamp(dock::LOWEST, 900.0));
    }
    layout.dock_open.set(page::remembered("dock_open").as_deref() == Some("1"));
    Effect::new(move |_| page::remember("dock_open", if layout.dock_open.get() { "1" } else { "0" }));
    Effect::new(move |_| page::remember("dock_height", &format!("{:.0}", layout.dock_height.get())));
    Effect::new(move |_| {
        session.doc.track_all();
        page::set_title(&text::page_title(&session.title()));
    });
}

/// The dock opens by itself on the first run; on a first visit a loop and its second iteration are selected, so that there is
/// something to see.
fn first_run(canvas: Canvas) {
    let session = canvas.session;
    Effect::new(move |done: Option<bool>| {
        let ended = session.run.ended.get();
        if done == Some(true) || ended == 0 {
            return done.unwrap_or(false);
        }
        let first_visit = session.files.first_visit.get_untracked();
        if page::remembered("dock_seen").is_none() && session.layout.width.get_untracked() >= SHEET_BELOW {
            session.layout.show_dock(crate::session::DockTab::Timeline);
            page::remember("dock_seen", "1");
            // The dock takes room from a view that nobody has moved yet.
            request_animation_frame(move || request_animation_frame(move || canvas.fit()));
        }
        let loops = session.run.summary.with_untracked(|summary| summary.as_ref().and_then(|summary| summary.loops.first().cloned()));
        if let Some(found) = loops.filter(|_| {
            session.selection.primary.get_untracked().is_none()
                && (first_visit || session.files.saved.get_untracked() == crate::session::Saved::Example)
        }) {
            session.selection.only(found.step);
            session.layout.inspector_tab.set(crate::session::InspectorTab::Inputs);
            session.run.select_iteration(found.frame, u64::from(found.started > 1));
        }
        true
    });
}
