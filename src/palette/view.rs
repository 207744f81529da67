//! The left panel: palette over outline, or the rail of both.

use std::collections::BTreeSet;

use leptos::prelude::*;
use loopwright_stage::Input;
use web_sys::{KeyboardEvent, MouseEvent, PointerEvent};

use super::{Entry, outline::outline, search, sections};
use crate::{
    canvas::{Canvas, canvas},
    platform::{dom, pointer},
    session::acts::Recipe,
    text,
    ui::{icon, icon_button, kind_class, small_icon, tile},
};

/// How many entries of a section show before the rest folds away.
const FEW: usize = 6;
/// The DOM id of the search field.
pub const SEARCH_ID: &str = "palette-search";

/// The left panel.
pub fn left() -> AnyView {
    let canvas = canvas();
    let session = canvas.session;
    let typed = RwSignal::new(String::new());
    let folded = RwSignal::new(BTreeSet::<&'static str>::new());
    let unfolded = RwSignal::new(BTreeSet::<&'static str>::new());
    let all = Memo::new(move |_| {
        session.doc.track_structure();
        session.doc.opened.track();
        session.selection.breadcrumb.track();
        sections(session)
    });
    let list = move || {
        let words = typed.get();
        if !words.trim().is_empty() {
            let found = search(session, &words);
            let none = found.is_empty().then(|| view! { <p class="empty">{text::NOTHING_FOUND}</p> });
            return view! { {found.into_iter().map(|entry| item(canvas, entry)).collect_view()} {none} }.into_any();
        }
        all.with(|sections| sections.iter().map(|(name, entries)| section(canvas, name, entries, folded, unfolded)).collect_view())
            .into_any()
    };
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            typed.set(String::new());
            canvas.focus();
        } else if event.key() == "Enter"
            && let Some(entry) = search(session, &typed.get_untracked()).into_iter().next()
        {
            typed.set(String::new());
            canvas.place(entry.recipe);
        }
    };
    view! {
        <div class="palette">
            <div class="ph"><h2>{text::PALETTE}</h2>{icon_button("prev", text::COLLAPSE, move || session.layout.palette_open.set(false))}</div>
            <label class="search">
                {icon("search")}
                <input id=SEARCH_ID type="text" class="grow" placeholder=text::SEARCH_STEPS aria-label=text::SEARCH_STEPS prop:value=move || typed.get()
                    on:input=move |event| typed.set(event_target_value(&event)) on:keydown=on_key/>
                <span class="kbd">"/"</span>
            </label>
            <div class="palette-list">{list}</div>
        </div>
        {outline()}
    }
    .into_any()
}

fn section(
    canvas: Canvas,
    name: &'static str,
    entries: &[Entry],
    folded: RwSignal<BTreeSet<&'static str>>,
    unfolded: RwSignal<BTreeSet<&'static str>>,
) -> AnyView {
    let is_folded = folded.with(|folded| folded.contains(name));
    let toggle = move |set: RwSignal<BTreeSet<&'static str>>| {
        set.update(|set| {
            if !set.remove(name) {
                set.insert(name);
            }
        });
    };
    let all = unfolded.with(|unfolded| unfolded.contains(name));
    let shown = if is_folded {
        0
    } else if all || entries.len() <= FEW + 1 {
        entries.len()
    } else {
        FEW
    };
    let more = entries.len() - shown;
    let rows = entries.iter().take(shown).cloned().map(|entry| item(canvas, entry)).collect_view();
    let count = (name != text::STEPS).then(|| view! { <span class="n">{entries.len()}</span> });
    view! {
        <button type="button" class="grouph" aria-expanded=(!is_folded).to_string() on:click=move |_| toggle(folded)>
            {small_icon(if is_folded { "next" } else { "down" })}{name}{count}
        </button>
        {rows}
        {(more > 0 && !is_folded).then(|| view! {
            <button type="button" class="grouph" on:click=move |_| toggle(unfolded)>{small_icon("next")}{text::more(more)}</button>
        })}
    }
    .into_any()
}

/// The pointer's events on something that can be dragged to the canvas, for the gesture machine.
fn palette_input(canvas: Canvas, recipe: Recipe, event: &PointerEvent) -> Option<Input> {
    let stage = canvas.element.get_untracked()?;
    Some(Input::Palette {
        pointer: event.pointer_id(),
        kind: pointer::kind(event),
        shape: canvas.shape_of(recipe),
        into_body: canvas.shape_of(recipe) == loopwright_stage::NodeShape::Card,
        at: pointer::at(event, &stage),
        time: event.time_stamp(),
    })
}

fn item(canvas: Canvas, entry: Entry) -> AnyView {
    let recipe = entry.recipe;
    let down = move |event: PointerEvent| {
        if event.button() != 0 {
            return;
        }
        if let (Some(button), Some(input)) = (pointer::closest(&event, "button"), palette_input(canvas, recipe, &event)) {
            pointer::capture(&event, &button);
            canvas.feed_palette(recipe, &input);
        }
    };
    let moved = move |event: PointerEvent| {
        if let Some(stage) = canvas.element.get_untracked() {
            canvas.feed(&Input::Move {
                pointer: event.pointer_id(),
                mods: pointer::mods(&event),
                at: pointer::at(&event, &stage),
                time: event.time_stamp(),
            });
        }
    };
    let up = move |event: PointerEvent| {
        if let Some(stage) = canvas.element.get_untracked() {
            canvas.feed(&Input::Up {
                pointer: event.pointer_id(),
                mods: pointer::mods(&event),
                at: pointer::at(&event, &stage),
                time: event.time_stamp(),
            });
        }
    };
    // A pointer's click comes through the gesture machine; this is the keyboard's.
    let click = move |event: MouseEvent| {
        if event.detail() == 0 {
            canvas.place(recipe);
        }
    };
    view! {
        <button type="button" class=format!("pi k-{}", kind_class(entry.kind)) title=text::PALETTE_HINT on:pointerdown=down on:pointermove=moved on:pointerup=up
            on:pointercancel=move |event: PointerEvent| canvas.feed(&Input::Cancel { pointer: event.pointer_id() }) on:click=click>
            {tile(entry.kind, "t16")}<span class="ell">{entry.name}</span>
        </button>
    }
    .into_any()
}

/// The panel as a narrow rail: the kinds of step, and a way to open it.
pub fn rail() -> AnyView {
    let canvas = canvas();
    let session = canvas.session;
    let open = move || {
        session.layout.palette_open.set(true);
        dom::focus_soon(SEARCH_ID.to_owned());
    };
    let kinds = super::KINDS.iter().map(|kind| {
        let (kind, name) = (*kind, text::kind_name(*kind));
        view! {
            <button type="button" class=format!("btn ghost icon k-{}", kind_class(kind)) aria-label=text::add_step(name) title=text::add_step(name) on:click=move |_| canvas.place(Recipe::Kind(kind))>
                {tile(kind, "t20")}
            </button>
        }
    });
    view! { {icon_button("next", text::OPEN_PALETTE, open)} {icon_button("search", text::SEARCH_STEPS, open)} {kinds.collect_view()} }
        .into_any()
}
