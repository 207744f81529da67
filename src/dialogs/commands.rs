//! The command palette: everything that can be done, by name.

use std::sync::Arc;

use leptos::{html, prelude::*};
use web_sys::KeyboardEvent;

use super::Dialogs;
use crate::{
    palette::fit,
    platform::dom,
    text,
    ui::{icon, menu::Act},
};

/// How many commands show at once.
const SHOWN: usize = 60;

/// The command palette.
pub fn palette(dialogs: Dialogs, all: Arc<Vec<Act>>) -> AnyView {
    let element = NodeRef::<html::Dialog>::new();
    let field = NodeRef::<html::Input>::new();
    let typed = RwSignal::new(String::new());
    let chosen = RwSignal::new(0_usize);
    Effect::new(move |_| {
        if let (Some(element), Some(field)) = (element.get(), field.get()) {
            dom::show_modal(&element);
            dom::focus(&field);
        }
    });
    // Places in `all`, the best first.
    let known = all.clone();
    let found = Memo::new(move |_| {
        let words = typed.get();
        let mut found: Vec<(u32, usize)> =
            known.iter().enumerate().filter(|(_, act)| act.enabled).filter_map(|(at, act)| Some((fit(&act.label, &words)?, at))).collect();
        found.sort_by_key(|(rank, _)| *rank);
        found.into_iter().map(|(_, at)| at).take(SHOWN).collect::<Vec<usize>>()
    });
    let acts = StoredValue::new(all);
    let run = move |at: usize| {
        let act = acts.with_value(|acts| acts.get(at).cloned());
        dialogs.close();
        if let Some(act) = act {
            // The palette is gone by then, and the cursor back where it was.
            request_animation_frame(move || (act.run)());
        }
    };
    let key = move |event: KeyboardEvent| {
        let count = found.with_untracked(Vec::len);
        match event.key().as_str() {
            "ArrowDown" => chosen.update(|chosen| *chosen = if *chosen + 1 < count { *chosen + 1 } else { 0 }),
            "ArrowUp" => chosen.update(|chosen| *chosen = chosen.checked_sub(1).unwrap_or(count.saturating_sub(1))),
            "Enter" => {
                if let Some(at) = found.with_untracked(|found| found.get(chosen.get_untracked()).copied()) {
                    run(at);
                }
            }
            _ => return,
        }
        dom::show_id(&format!("command-{}", chosen.get_untracked()));
        event.prevent_default();
    };
    let rows = move || {
        found.get().into_iter().enumerate().filter_map(|(place, at)| {
            let act = acts.with_value(|acts| acts.get(at).cloned())?;
            Some(view! {
                <div class="mi" class:is-hover=move || chosen.get() == place id=format!("command-{place}") role="option" aria-selected=move || (chosen.get() == place).to_string()
                    on:pointerenter=move |_| chosen.set(place) on:click=move |_| run(at)>
                    <span class="mi-icon">{(!act.icon.is_empty()).then(|| icon(act.icon))}</span><span class="ell">{act.label}</span>
                    {(!act.key.is_empty()).then(|| view! { <span class="end">{act.key}</span> })}
                </div>
            })
        }).collect_view()
    };
    let beside = move |event: web_sys::MouseEvent| {
        if element.get_untracked().is_some_and(|element| dom::is_target(&event, &element)) {
            dialogs.close();
        }
    };
    view! {
        <dialog class="dialog commands" node_ref=element aria-label=text::COMMANDS on:cancel=move |event: web_sys::Event| { event.prevent_default(); dialogs.close(); } on:click=beside>
            <div class="dialog-body">
                <label class="commands-field">{icon("search")}
                    <input type="text" node_ref=field placeholder=text::COMMANDS_HINT aria-label=text::COMMANDS role="combobox" aria-expanded="true" aria-controls="command-list"
                        aria-activedescendant=move || format!("command-{}", chosen.get())
                        on:input=move |event| { typed.set(event_target_value(&event)); chosen.set(0); } on:keydown=key/>
                </label>
                <div class="commands-list" id="command-list" role="listbox" aria-label=text::COMMANDS>{rows}</div>
                {move || found.with(Vec::is_empty).then(|| view! { <p class="empty">{text::NOTHING_FOUND}</p> })}
            </div>
        </dialog>
    }
    .into_any()
}
