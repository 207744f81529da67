//! A field for a text that means something: coloured as it is read, wrong characters underlined, completed as one types.
//!
//! The input itself is transparent and lies over a mirror with the colours, so that selection, caret, input methods and
//! assistive technology work as in any input.

use std::sync::Arc;

use leptos::{ev, html, prelude::*};
use loopwright_lang::{Scope, Severity, expr::Completion};
use loopwright_panels::{
    complete, offsets,
    syntax::{self, Mode},
};

use super::{
    bind::Trouble,
    parts::{severity_class, syntax_class},
};
use crate::{platform::dom, text::inspector as text};

/// What a code field needs.
#[derive(Clone)]
pub struct CodeField {
    /// Its DOM id.
    pub id: String,
    /// Its name for assistive technology.
    pub label: String,
    /// How its text is read.
    pub mode: Signal<Mode>,
    /// Its text.
    pub value: Signal<String>,
    /// Takes what was typed.
    pub edit: Callback<String>,
    /// Leaving the field.
    pub done: Callback<()>,
    /// What is wrong with its text.
    pub troubles: Signal<Vec<Trouble>>,
    /// What its text may refer to.
    pub scope: Signal<Arc<Scope>>,
    /// DOM ids of what describes it.
    pub described_by: String,
    /// What stands there while it is empty.
    pub placeholder: &'static str,
}

/// Most completions shown.
const SHOWN: usize = 50;

/// The field. See [`CodeField`].
pub fn code_field(field: CodeField) -> AnyView {
    let CodeField { id, label, mode, value, edit, done, troubles, scope, described_by, placeholder } = field;
    let input = NodeRef::<html::Input>::new();
    let shift = RwSignal::new(0_i32);
    // While typing the field shows what was typed, even where the document writes it otherwise (`[1, 2]` as `[1,2]`).
    let typed = RwSignal::new(None::<String>);
    let echo = StoredValue::new(None::<String>);
    let shown = Memo::new(move |_| typed.get().unwrap_or_else(|| value.get()));
    Effect::new(move |_| {
        let now = value.get();
        if echo.with_value(|echo| echo.as_ref() != Some(&now)) {
            typed.set(None);
        }
    });
    let options = RwSignal::new(Vec::<Completion>::new());
    let active = RwSignal::new(0_usize);
    let open = Memo::new(move |_| options.with(|options| !options.is_empty()));

    // Says whether the field is still there: what is typed may take it away.
    let write = move |new: String| {
        typed.set(Some(new.clone()));
        edit.run(new);
        let now = value.try_get_untracked();
        let stays = now.is_some();
        echo.try_set_value(now);
        stays
    };
    let caret = move || {
        let input = input.get_untracked()?;
        let units = input.selection_start().ok().flatten()?;
        Some(offsets::byte_of_utf16(&input.value(), units as usize))
    };
    let sync = move || {
        if let Some(input) = input.get_untracked() {
            shift.set(input.scroll_left());
        }
    };
    let suggest = move |asked: bool| {
        let Some(at) = caret() else { return };
        let now = shown.get_untracked();
        let before = now.get(..at).unwrap_or_default();
        let wanted =
            asked || before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '[')) || before.ends_with("{{");
        let mut found = if wanted { complete::complete(&now, at, mode.get_untracked(), &scope.get_untracked()) } else { Vec::new() };
        // What is already typed in full is no suggestion.
        if !asked {
            found.retain(|option| now.get(option.replace.range()) != Some(option.text.as_str()));
        }
        found.truncate(SHOWN);
        active.set(0);
        options.set(found);
    };
    let take = move |at: usize| {
        let Some(option) = options.with_untracked(|options| options.get(at).cloned()) else { return };
        let now = shown.get_untracked();
        let Some(new) = offsets::replaced(&now, option.replace.range(), &option.text) else { return };
        let units = offsets::utf16_of_byte(&new, option.replace.range().start + option.text.len());
        if !write(new) {
            return;
        }
        options.set(Vec::new());
        let place = u32::try_from(units).unwrap_or(u32::MAX);
        request_animation_frame(move || {
            if let Some(input) = input.get_untracked() {
                let _ = input.focus();
                let _ = input.set_selection_range(place, place);
                sync();
            }
        });
    };
    let on_key = move |event: ev::KeyboardEvent| {
        let count = options.with_untracked(Vec::len);
        let key = event.key();
        if count == 0 {
            if (key == " " && event.ctrl_key()) || (key == "ArrowDown" && event.alt_key()) {
                event.prevent_default();
                suggest(true);
            }
            return;
        }
        match key.as_str() {
            "ArrowDown" => active.update(|at| *at = (*at + 1) % count),
            "ArrowUp" => active.update(|at| *at = (*at + count - 1) % count),
            "Enter" | "Tab" => take(active.get_untracked()),
            "Escape" => options.set(Vec::new()),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };

    let list_id = format!("{id}-list");
    let option_id = {
        let id = id.clone();
        move |at: usize| format!("{id}-option-{at}")
    };
    let active_id = {
        let option_id = option_id.clone();
        move || open.get().then(|| option_id(active.get()))
    };
    let worst = Memo::new(move |_| troubles.with(|troubles| troubles.iter().map(|trouble| trouble.severity).min()));
    let mirror = move || {
        let now = shown.get();
        let scope = scope.get();
        let variables: Vec<&str> =
            scope.loops.iter().flat_map(|frame| [Some(frame.item_variable.as_str()), frame.index_variable.as_deref()]).flatten().collect();
        let marks: Vec<_> =
            troubles.with(|troubles| troubles.iter().filter_map(|trouble| Some((trouble.span?, trouble.severity))).collect());
        syntax::pieces(&now, &syntax::tokens(&now, mode.get(), &variables), &marks)
            .into_iter()
            .map(|piece| {
                let squiggle = match piece.squiggle {
                    Some(Severity::Error) => " squig",
                    Some(_) => " squig warn",
                    None => "",
                };
                let class = format!("{}{squiggle}", syntax_class(piece.class));
                view! { <span class=class>{now.get(piece.span.range()).unwrap_or_default().to_owned()}</span> }
            })
            .collect_view()
    };
    let popup_place = Memo::new(move |_| {
        open.get();
        let rect = input.get().map(|input| input.get_bounding_client_rect());
        let height = window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or(900.0);
        rect.map_or((0.0, 0.0, 0.0, false), |rect| {
            let above = height - rect.bottom() < 200.0 && rect.top() > 220.0;
            (rect.left() - 9.0, if above { height - rect.top() + 4.0 } else { rect.bottom() + 4.0 }, rect.width() + 18.0, above)
        })
    });
    let popup = {
        let list_id = list_id.clone();
        move || {
            open.get().then(|| {
                let option_id = option_id.clone();
                let (left, edge, width, above) = popup_place.get();
                let rows = options.get().into_iter().enumerate().map(move |(at, option)| {
                    let id = option_id(at);
                    view! {
                        <li
                            id=id
                            role="option"
                            class="mi"
                            class:is-hover=move || active.get() == at
                            aria-selected=move || (active.get() == at).to_string()
                            // Before the click the field would lose the focus.
                            on:mousedown=move |event| {
                                event.prevent_default();
                                take(at);
                            }
                        >
                            <code class="ell">{option.text}</code>
                            <span class="ty">{option.detail}</span>
                            <span class="end ell mono">{option.sample}</span>
                        </li>
                    }
                });
                view! {
                    <ul
                        id=list_id.clone()
                        role="listbox"
                        class="menu code-menu"
                        aria-label=text::COMPLETIONS
                        style:left=format!("{left}px")
                        style:width=format!("{width}px")
                        style:top=(!above).then(|| format!("{edge}px"))
                        style:bottom=above.then(|| format!("{edge}px"))
                    >
                        {rows.collect_view()}
                    </ul>
                }
            })
        }
    };
    // The active option stays in view.
    Effect::new({
        let active_id = active_id.clone();
        move |_| {
            if let Some(id) = active_id() {
                dom::reveal_id(&id);
            }
        }
    });

    view! {
        <div
            class=move || format!("vf code {}", worst.get().map(severity_class).unwrap_or_default())
            class:is-error=move || worst.get() == Some(Severity::Error)
            class:is-warn=move || worst.get() == Some(Severity::Warning)
        >
            <div class="code-mirror" aria-hidden="true">
                <span class="code-line" style:transform=move || format!("translateX({}px)", -shift.get())>
                    {mirror}
                </span>
            </div>
            <input
                node_ref=input
                id=id
                class="code-input"
                type="text"
                role="combobox"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                aria-label=label
                aria-autocomplete="list"
                aria-expanded=move || open.get().to_string()
                aria-controls=list_id
                aria-activedescendant=active_id
                aria-invalid=move || (worst.get() == Some(Severity::Error)).then_some("true")
                aria-describedby=described_by
                placeholder=placeholder
                prop:value=move || shown.get()
                on:input=move |event| {
                    if write(event_target_value(&event)) {
                        sync();
                        suggest(false);
                    }
                }
                on:keydown=on_key
                on:keyup=move |_| sync()
                on:scroll=move |_| sync()
                on:click=move |_| sync()
                on:blur=move |_| {
                    options.set(Vec::new());
                    typed.set(None);
                    if let Some(input) = input.get_untracked() {
                        input.set_scroll_left(0);
                    }
                    shift.set(0);
                    done.run(());
                }
            />
            {popup}
        </div>
    }
    .into_any()
}
