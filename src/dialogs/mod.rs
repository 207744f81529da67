//! The few things that are modal: the command palette, help, what an opened file had to say.

mod commands;
mod help;
mod report;

use std::sync::Arc;

use leptos::{html, prelude::*};

use crate::{
    canvas::Canvas,
    platform::dom,
    session::session,
    text,
    ui::{icon_button, menu::Act},
};

/// Which one is open.
#[derive(Clone)]
enum Open {
    Commands(Arc<Vec<Act>>),
    Help,
}

/// The dialogs of the app.
#[derive(Clone, Copy)]
pub struct Dialogs {
    open: RwSignal<Option<Open>>,
}

impl Dialogs {
    /// None is open.
    pub fn new() -> Self {
        Self { open: RwSignal::new(None) }
    }

    /// Opens the command palette.
    pub fn show_commands(self, canvas: Canvas) {
        let all = untrack(|| crate::shell::commands::all(canvas, self));
        self.open.set(Some(Open::Commands(Arc::new(all))));
    }

    /// Opens help.
    pub fn show_help(self) {
        self.open.set(Some(Open::Help));
    }

    /// Whether one is open.
    pub fn is_open(self) -> bool {
        self.open.with_untracked(Option::is_some)
    }

    /// Closes it.
    pub fn close(self) {
        self.open.set(None);
    }

    /// The one that is open.
    pub fn view(self) -> AnyView {
        let files = session().files;
        view! {
            {move || self.open.get().map(|open| match open {
                Open::Commands(all) => commands::palette(self, all),
                Open::Help => help::help(move || self.close()),
            })}
            {move || files.report.get().map(|found| report::report(&found, move || files.report.set(None)))}
        }
        .into_any()
    }
}

/// A modal dialog with a title. Esc and a click beside it close it.
fn modal(class: &'static str, title: String, close: impl Fn() + Copy + Send + Sync + 'static, content: AnyView) -> AnyView {
    let name = title.clone();
    let element = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        if let Some(element) = element.get() {
            dom::show_modal(&element);
        }
    });
    let beside = move |event: web_sys::MouseEvent| {
        if element.get_untracked().is_some_and(|element| dom::is_target(&event, &element)) {
            close();
        }
    };
    view! {
        <dialog class=format!("dialog {class}") node_ref=element aria-label=name on:cancel=move |event: web_sys::Event| { event.prevent_default(); close(); } on:click=beside>
            <div class="dialog-body">
                <header class="dialog-h"><h2>{title}</h2>{icon_button("close", text::CLOSE, close)}</header>
                {content}
            </div>
        </dialog>
    }
    .into_any()
}
