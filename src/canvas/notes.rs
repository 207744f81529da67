//! A note on the canvas.

use leptos::{html, prelude::*};
use loopwright_lang::Value;
use loopwright_model::{Change, Edit, EntityId};
use loopwright_stage::sizes;
use web_sys::KeyboardEvent;

use super::{Canvas, element_id};
use crate::{platform::dom, text};

/// A note's view.
pub fn note(canvas: Canvas, id: EntityId) -> AnyView {
    let doc = canvas.session.doc;
    let selection = canvas.session.selection;
    let frame = Memo::new(move |_| {
        doc.track(id);
        doc.with(|document| {
            let number = |name, other: f64| document.field(id, name).and_then(Value::as_number).unwrap_or(other);
            [number("x", 0.0), number("y", 0.0), number("width", sizes::NOTE_W), number("height", sizes::NOTE_H)]
        })
    });
    let words = Memo::new(move |_| {
        doc.track(id);
        doc.with(|document| document.field(id, "text").and_then(Value::as_str).unwrap_or_default().to_owned())
    });
    let typing = Memo::new(move |_| canvas.renaming.get() == Some(id));
    let px = move |at: usize| format!("{}px", frame.get().get(at).copied().unwrap_or_default());
    view! {
        <div id=element_id(id) class="note node" class:is-selected=move || selection.contains(id) role="group" aria-roledescription=text::NOTE
            aria-label=move || text::note_name(&words.get())
            tabindex=move || if selection.primary.get() == Some(id) { "0" } else { "-1" }
            style:left=move || px(0) style:top=move || px(1) style:width=move || px(2) style:height=move || px(3)>
            {move || if typing.get() { field(canvas, id, words.get_untracked()) } else if words.with(String::is_empty) {
                view! { <span class="t3">{text::EMPTY_NOTE}</span> }.into_any()
            } else {
                view! { <span class="note-text">{words.get()}</span> }.into_any()
            }}
        </div>
    }
    .into_any()
}

fn field(canvas: Canvas, id: EntityId, before: String) -> AnyView {
    let area = NodeRef::<html::Textarea>::new();
    Effect::new(move |_| {
        if let Some(element) = area.get() {
            dom::focus(&element);
        }
    });
    let store = move || {
        let typed = area.get_untracked().map(|element| element.value()).unwrap_or_default();
        if typed != canvas.session.doc.with(|document| document.field(id, "text").and_then(Value::as_str).unwrap_or_default().to_owned()) {
            canvas.session.apply(Edit::new(text::EDIT_NOTE, vec![Change::set(id, "text", typed)]));
        }
    };
    let finish = move || {
        if canvas.renaming.get_untracked() == Some(id) {
            store();
            canvas.renaming.set(None);
        }
    };
    let key = move |event: KeyboardEvent| {
        event.stop_propagation();
        if event.key() == "Escape" {
            finish();
            canvas.focus();
        }
    };
    view! { <textarea class="note-input" data-own="note" aria-label=text::NOTE node_ref=area prop:value=before on:keydown=key on:blur=move |_| finish()></textarea> }.into_any()
}
