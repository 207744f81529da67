//! Toasts and the live region.

use leptos::prelude::*;

use crate::{
    session::{Tone, session},
    text,
    ui::icon,
};

/// Messages that go away by themselves.
pub fn toasts() -> AnyView {
    let notify = session().notify;
    let row = move |toast: crate::session::notify::Toast| {
        let (class, name) = match toast.tone {
            Tone::Success => ("toast s-success", "success"),
            Tone::Failed => ("toast s-failed", "error"),
            Tone::Info => ("toast s-running", "info"),
        };
        let id = toast.id;
        view! {
            <div class=class>
                <span class="glyph">{icon(name)}</span><span class="toast-text">{toast.message}</span>
                <button type="button" class="btn ghost sm icon" aria-label=text::CLOSE_MESSAGE on:click=move |_| notify.close(id)>{icon("close")}</button>
            </div>
        }
    };
    view! {
        <div class="toasts">
            <For each=move || notify.toasts.get() key=|toast| toast.id let:toast>{row(toast)}</For>
        </div>
    }
    .into_any()
}

/// Says what happened to those who do not see it. The same words again are said again: two places take turns.
pub fn live_region() -> AnyView {
    let spoken = session().notify.spoken;
    let turn = move |odd: bool| move || spoken.with(|(count, words)| if (count % 2 == 1) == odd { words.clone() } else { String::new() });
    view! { <div class="sr" role="status" aria-live="polite"><span>{turn(true)}</span><span>{turn(false)}</span></div> }.into_any()
}
