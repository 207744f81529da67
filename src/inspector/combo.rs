//! What the fields of the inspector that are more than a text share: the options under a combobox, what was typed beside what the
//! document makes of it, and the mirror that shows a text in colours.

use leptos::{ev, prelude::*};
use loopwright_lang::{Severity, Span};
use loopwright_panels::syntax::{self, Mode};

use super::parts::syntax_class;
use crate::platform::dom;

/// The options under a combobox. Which one is active is known here; what they are is its owner's.
#[derive(Clone, Copy)]
pub struct Combo {
    /// The DOM id of the field.
    id: StoredValue<String>,
    /// How many options there are; `None` while the list is closed.
    count: Signal<Option<usize>>,
    /// The active one.
    active: RwSignal<usize>,
    /// Takes the option with a number.
    take: Callback<usize>,
}

impl Combo {
    /// The options of the field with this DOM id. The active one is kept in view.
    pub fn new(id: &str, count: Signal<Option<usize>>, take: Callback<usize>) -> Self {
        let combo = Self { id: StoredValue::new(id.to_owned()), count, active: RwSignal::new(0), take };
        Effect::new(move |_| {
            if let Some(id) = combo.active_id() {
                dom::reveal_id(&id);
            }
        });
        combo
    }

    /// Starts at the first option again.
    pub fn restart(self) {
        self.active.set(0);
    }

    /// The DOM id of the list.
    pub fn list_id(self) -> String {
        self.id.with_value(|id| format!("{id}-list"))
    }

    fn option_id(self, at: usize) -> String {
        self.id.with_value(|id| format!("{id}-option-{at}"))
    }

    /// The DOM id of the active option (watched).
    pub fn active_id(self) -> Option<String> {
        self.count.get().filter(|count| *count > 0).map(|_| self.option_id(self.active.get()))
    }

    /// Whether the list is open (watched).
    pub fn is_open(self) -> bool {
        self.count.get().is_some()
    }

    /// Handles the keys that walk an open list and take from it. Says whether the key was one.
    pub fn key(self, event: &ev::KeyboardEvent, tab_takes: bool) -> bool {
        let count = self.count.get_untracked().unwrap_or(0);
        match event.key().as_str() {
            "ArrowDown" if count > 0 => self.active.update(|at| *at = (*at + 1) % count),
            "ArrowUp" if count > 0 => self.active.update(|at| *at = (*at + count - 1) % count),
            "Tab" if !tab_takes => return false,
            "Enter" | "Tab" if count > 0 => self.take.run(self.active.get_untracked()),
            _ => return false,
        }
        true
    }

    /// An option's row.
    pub fn option(self, at: usize, title: Option<String>, content: AnyView) -> AnyView {
        let here = move || self.active.get() == at;
        // Before the click the field would lose the focus.
        let press = move |event: ev::MouseEvent| {
            event.prevent_default();
            self.take.run(at);
        };
        view! {
            <li
                id=self.option_id(at)
                role="option"
                class="mi"
                class:is-hover=here
                aria-selected=move || here().to_string()
                title=title
                on:mousedown=press
            >
                {content}
            </li>
        }
        .into_any()
    }
}

/// What a field shows: what was typed, even where the document writes it otherwise (`[1, 2]` as `[1,2]`), until the document
/// says something else by itself.
#[derive(Clone, Copy)]
pub struct Typed {
    /// The text shown.
    pub shown: Memo<String>,
    typed: RwSignal<Option<String>>,
    echo: StoredValue<Option<String>>,
    value: Signal<String>,
    edit: Callback<String>,
}

impl Typed {
    /// Of a field with this text in the document; `edit` takes what is typed.
    pub fn new(value: Signal<String>, edit: Callback<String>) -> Self {
        let typed = RwSignal::new(None::<String>);
        let echo = StoredValue::new(None::<String>);
        Effect::new(move |_| {
            let now = value.get();
            if echo.with_value(|echo| echo.as_ref() != Some(&now)) {
                typed.set(None);
            }
        });
        Self { shown: Memo::new(move |_| typed.get().unwrap_or_else(|| value.get())), typed, echo, value, edit }
    }

    /// Takes a new text. Says whether the field is still there: what is typed may take it away.
    pub fn write(self, new: String) -> bool {
        self.typed.set(Some(new.clone()));
        self.edit.run(new);
        let now = self.value.try_get_untracked();
        let stays = now.is_some();
        self.echo.try_set_value(now);
        stays
    }

    /// Shows the text as the document has it.
    pub fn settle(self) {
        self.typed.set(None);
    }
}

/// A text in the colours of what it means, with what is wrong underlined.
pub fn mirror(text: &str, mode: Mode, variables: &[&str], marks: &[(Span, Severity)]) -> AnyView {
    syntax::pieces(text, &syntax::tokens(text, mode, variables), marks)
        .into_iter()
        .map(|piece| {
            let squiggle = match piece.squiggle {
                Some(Severity::Error) => " squig",
                Some(_) => " squig warn",
                None => "",
            };
            let class = format!("{}{squiggle}", syntax_class(piece.class));
            view! { <span class=class>{text.get(piece.span.range()).unwrap_or_default().to_owned()}</span> }
        })
        .collect_view()
        .into_any()
}
