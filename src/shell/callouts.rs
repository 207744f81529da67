//! Three call-outs on the first visit. Not modal: the canvas works beneath them, and Esc hides all three.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;

use crate::{
    platform::{dom, page},
    session::{DockTab, InspectorTab, session},
    text,
    ui::icon_button,
};

/// The call-outs, on a first visit.
pub fn callouts() -> AnyView {
    let session = session();
    let shown = session.files.first_visit;
    let hide = move || {
        if shown.get_untracked() {
            shown.set(false);
            page::remember("seen", "1");
        }
    };
    page::on_window("keydown", move |event| {
        if event.dyn_ref::<KeyboardEvent>().is_some_and(|event| event.key() == "Escape") {
            hide();
        }
    });
    // A first edit says that the point was taken.
    Effect::new(move |before: Option<u64>| {
        let edits = session.run.edits_since.get();
        if before.is_some() && edits > 0 {
            hide();
        }
        u64::from(edits)
    });
    let iterations = move |_| {
        let found = session.run.summary.with_untracked(|summary| summary.as_ref().and_then(|summary| summary.loops.first().cloned()));
        if let Some(found) = found {
            session.selection.only(found.step);
            session.run.select_iteration(found.frame, 0);
        }
    };
    let inputs = move |_| {
        session.layout.show_field(InspectorTab::Inputs, None);
        dom::focus_soon(super::INSPECTOR_ID.to_owned());
    };
    let timeline = move |_| session.layout.show_dock(DockTab::Timeline);
    let lines = RwSignal::new(String::new());
    // What the call-outs point at moves with the view, the dock and the inspector: looked up again while they show.
    let look = move || {
        if shown.get_untracked() {
            let found = leaders();
            if lines.with_untracked(|old| *old != found) {
                lines.set(found);
            }
        }
    };
    if let Ok(handle) = set_interval_with_handle(look, std::time::Duration::from_millis(150)) {
        Effect::new(move |was_shown: Option<bool>| {
            let now = shown.get();
            if was_shown == Some(true) && !now {
                handle.clear();
            }
            now
        });
    }
    (move || {
        shown.get().then(|| {
            view! {
                <svg class="leaders" aria-hidden="true"><path d=move || lines.get()></path></svg>
                <div class="callout c-one">
                    <h2><span class="no">"1"</span>{text::CALLOUT_1}{icon_button("close", text::HIDE_ALL, hide)}</h2>
                    <p>{text::CALLOUT_1_TEXT}</p>
                    <div class="row"><button type="button" class="btn" on:click=iterations>{text::SHOW_ME}</button></div>
                </div>
                <div class="callout c-two">
                    <h2><span class="no">"2"</span>{text::CALLOUT_2}</h2>
                    <p>{text::CALLOUT_2_TEXT}</p>
                    <div class="row"><button type="button" class="btn" on:click=inputs>{text::SHOW_ME}</button></div>
                </div>
                <div class="callout c-three">
                    <h2><span class="no">"3"</span>{text::CALLOUT_3}</h2>
                    <p>{text::CALLOUT_3_TEXT}</p>
                    <div class="row">
                        <button type="button" class="btn primary" on:click=timeline>{text::START}</button>
                        <button type="button" class="btn ghost" on:click=move |_| hide()>{text::HIDE_ALL}</button>
                    </div>
                </div>
            }
        })
    })
    .into_any()
}

/// Lines from the call-outs to what they speak of, each with a dot at its end.
fn leaders() -> String {
    let mut d = String::new();
    for (from, to) in [(".callout.c-one", ".loop .strip"), (".callout.c-two", ".right .map .vf, .right .map input, .right .map textarea")] {
        if let (Some(from), Some(to)) = (dom::rect_of(from), dom::rect_of(to)) {
            let (right, x, y) = (from.right(), to.x - 3.0, to.y + to.h / 2.0);
            if x > right {
                let start = y.clamp(from.y + 16.0, from.bottom() - 16.0);
                let turn = right + (x - right) / 2.0;
                d.push_str(&format!("M{right} {start}H{turn}V{y}H{x}m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0"));
            }
        }
    }
    if let (Some(from), Some(to)) = (dom::rect_of(".callout.c-three"), dom::rect_of(".dock .tbadge, .dock .playhead")) {
        let x = (to.x + to.w / 2.0).clamp(from.x + 16.0, from.right() - 16.0);
        d.push_str(&format!("M{x} {}V{}m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0", from.bottom(), to.y - 4.0));
    }
    d
}
