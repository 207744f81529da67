//! A field for a text that means something: coloured as it is read, wrong characters underlined, completed as one types.
//!
//! The input itself is transparent and lies over a mirror with the colours, so that selection, caret, input methods and
//! assistive technology work as in any input.

use std::sync::Arc;

use leptos::{ev, html, prelude::*};
use loopwright_lang::{Scope, Severity, expr::Completion};
use loopwright_panels::{complete, offsets, syntax::Mode};

use super::{
    bind::Trouble,
    combo::{Combo, Typed, mirror},
    parts::severity_class,
};
use crate::text::inspector as text;

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
    let typed = Typed::new(value, edit);
    let shown = typed.shown;
    let options = RwSignal::new(Vec::<Completion>::new());
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
    let take = move |at: usize| {
        let Some(option) = options.with_untracked(|options| options.get(at).cloned()) else { return };
        let now = shown.get_untracked();
        let Some(new) = offsets::replaced(&now, option.replace.range(), &option.text) else { return };
        let units = offsets::utf16_of_byte(&new, option.replace.range().start + option.text.len());
        if !typed.write(new) {
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
    let open = Memo::new(move |_| options.with(|options| !options.is_empty()));
    let count = Signal::derive(move || options.with(|options| (!options.is_empty()).then_some(options.len())));
    let combo = Combo::new(&id, count, Callback::new(take));
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
        combo.restart();
        options.set(found);
    };
    let on_key = move |event: ev::KeyboardEvent| {
        let key = event.key();
        if options.with_untracked(Vec::is_empty) {
            if (key == " " && event.ctrl_key()) || (key == "ArrowDown" && event.alt_key()) {
                event.prevent_default();
                suggest(true);
            }
            return;
        }
        if key == "Escape" {
            options.set(Vec::new());
        } else if !combo.key(&event, true) {
            return;
        }
        event.prevent_default();
        event.stop_propagation();
    };

    let list_id = combo.list_id();
    let worst = Memo::new(move |_| troubles.with(|troubles| troubles.iter().map(|trouble| trouble.severity).min()));
    let colours = move || {
        let now = shown.get();
        let scope = scope.get();
        let variables: Vec<&str> =
            scope.loops.iter().flat_map(|frame| [Some(frame.item_variable.as_str()), frame.index_variable.as_deref()]).flatten().collect();
        let marks: Vec<_> =
            troubles.with(|troubles| troubles.iter().filter_map(|trouble| Some((trouble.span?, trouble.severity))).collect());
        mirror(&now, mode.get(), &variables, &marks)
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
    let list = list_id.clone();
    let popup = move || {
        open.get().then(|| {
            let (left, edge, width, above) = popup_place.get();
            let rows = options.get().into_iter().enumerate().map(|(at, option)| {
                let content = view! {
                    <code class="ell">{option.text}</code>
                    <span class="ty">{option.detail}</span>
                    <span class="end ell mono">{option.sample}</span>
                };
                combo.option(at, None, content.into_any())
            });
            view! {
                <ul
                    id=list.clone()
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
    };

    view! {
        <div
            class=move || format!("vf code {}", worst.get().map(severity_class).unwrap_or_default())
            class:is-error=move || worst.get() == Some(Severity::Error)
            class:is-warn=move || worst.get() == Some(Severity::Warning)
        >
            <div class="code-mirror" aria-hidden="true">
                <span class="code-line" style:transform=move || format!("translateX({}px)", -shift.get())>
                    {colours}
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
                aria-activedescendant=move || combo.active_id()
                aria-invalid=move || (worst.get() == Some(Severity::Error)).then_some("true")
                aria-describedby=described_by
                placeholder=placeholder
                prop:value=move || shown.get()
                on:input=move |event| {
                    if typed.write(event_target_value(&event)) {
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
                    typed.settle();
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
