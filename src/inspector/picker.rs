//! Choosing what a step calls: a search through the catalogue.

use leptos::{ev, html, prelude::*};
use loopwright_lang::Value;
use loopwright_model::{
    Document, Edit, Entity, EntityId, EntityKind, Refused, StepKind,
    catalogue::{Referent, entity_name},
    columns::reference_of,
    document::ROOT,
    edits,
};

use super::{
    bind::Bind,
    combo::Combo,
    field::labelled,
    parts::{small_icon, tile},
};
use crate::{
    platform::page,
    session::{Session, Tone},
    text::inspector as text,
};

/// One choice.
#[derive(Clone, Debug, PartialEq)]
struct Choice {
    /// `None` adds one of that name to the catalogue.
    id: Option<EntityId>,
    name: String,
    description: String,
}

/// What the catalogue offers for a kind; of agents the graphs of the document first, but for the step's own.
fn choices(document: &Document, step: EntityId, kind: StepKind, query: &str) -> Vec<Choice> {
    let own = document.get(step).map(|entity| entity.parent);
    let kinds: &[EntityKind] = match kind {
        StepKind::SubAgent => &[EntityKind::Graph, EntityKind::Agent],
        StepKind::Prompt => &[EntityKind::Prompt],
        _ => &[EntityKind::Action],
    };
    let wish = query.trim();
    let query = wish.to_lowercase();
    let mut found: Vec<(bool, Choice)> = kinds
        .iter()
        .flat_map(|kind| document.children_of_kind(ROOT, *kind))
        .filter(|entity| Some(entity.id) != own)
        .filter_map(|entity| {
            let name = entity_name(entity).to_owned();
            let description = describe(entity);
            let lower = name.to_lowercase();
            let by_name = query.split_whitespace().all(|word| lower.contains(word));
            let fits = by_name || query.split_whitespace().all(|word| lower.contains(word) || description.to_lowercase().contains(word));
            fits.then_some((!by_name, Choice { id: Some(entity.id), name, description }))
        })
        .collect();
    found.sort_by_key(|(weak, _)| *weak);
    let mut found: Vec<Choice> = found.into_iter().map(|(_, choice)| choice).collect();
    if !wish.is_empty() && !found.iter().any(|choice| choice.name.to_lowercase() == query) {
        found.push(Choice { id: None, name: wish.to_owned(), description: text::add_to_catalogue(wish) });
    }
    found
}

fn describe(entity: &Entity) -> String {
    let key = if entity.kind == EntityKind::Graph { "Description" } else { "description" };
    entity.fields.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Does an edit, or says why it cannot be done.
fn apply(session: Session, edit: Result<Edit, Refused>) {
    match edit {
        Ok(edit) => {
            session.apply(edit);
        }
        Err(refused) => session.notify.toast(Tone::Failed, refused.0),
    }
}

/// The picker of what a step, or the body of a loop, calls.
pub fn picker(session: Session, step: EntityId, kind: StepKind) -> AnyView {
    let Some(column) = reference_of(kind) else { return ().into_any() };
    let bind = Bind::column(step, column.id);
    let id = bind.dom_id();
    let input = NodeRef::<html::Input>::new();
    let query = RwSignal::new(None::<String>);
    let current = Memo::new(move |_| {
        session.doc.track(step);
        session.doc.track_structure();
        session.doc.with(|document| {
            document.step(step).map(|step| match step.referent_in(column) {
                Referent::Found(entity) => (entity_name(entity).to_owned(), describe(entity), true),
                Referent::Unknown(name) => (name.to_owned(), String::new(), false),
                Referent::None => (String::new(), String::new(), true),
            })
        })
    });
    let found = Memo::new(move |_| {
        query.get().map(|query| {
            session.doc.track_structure();
            session.doc.with(|document| choices(document, step, kind, &query))
        })
    });
    let choose = move |choice: &Choice| {
        let edit = session.doc.with(|document| match choice.id {
            Some(id) => edits::set_call(document, step, id),
            None => edits::call_new(document, step, column.entity, &choice.name, &mut page::new_uuid),
        });
        apply(session, edit);
        query.set(None);
    };
    let count = Signal::derive(move || found.with(|found| found.as_ref().map(Vec::len)));
    let take = move |at: usize| {
        if let Some(choice) = found.with_untracked(|found| found.as_ref()?.get(at).cloned()) {
            choose(&choice);
        }
    };
    let combo = Combo::new(&id, count, Callback::new(take));
    let on_key = move |event: ev::KeyboardEvent| {
        match event.key().as_str() {
            "ArrowDown" | "ArrowUp" if query.with_untracked(Option::is_none) => query.set(Some(String::new())),
            "Escape" if query.with_untracked(Option::is_some) => {
                query.set(None);
                event.stop_propagation();
            }
            _ if combo.key(&event, false) => {}
            _ => return,
        }
        event.prevent_default();
    };
    let list = move || {
        found.get().map(|found| {
            let count = found.len();
            let rows = found.into_iter().enumerate().map(|(at, choice)| {
                let title = (!choice.description.is_empty()).then(|| choice.description.clone());
                let content = view! {
                    {tile(kind, "t16")}
                    <span class="ell">{choice.name}</span>
                    <span class="end ell">{choice.description}</span>
                };
                combo.option(at, title, content.into_any())
            });
            view! {
                <ul id=combo.list_id() role="listbox" class="menu pick-menu" aria-label=text::pick(kind)>
                    {rows.collect_view()}
                </ul>
                {(count == 0).then(|| view! { <p class="menu pick-menu pick-none">{text::NOTHING_FOUND}</p> })}
            }
        })
    };
    let shown = move || query.get().unwrap_or_else(|| current.get().map(|(name, ..)| name).unwrap_or_default());
    let below = move || {
        current.get().map(|(name, description, known)| {
            if known {
                (!description.is_empty()).then(|| view! { <p class="hint">{description}</p> }.into_any())
            } else {
                let label = text::add_to_catalogue(&name);
                let adopt = move |_| {
                    if let Some(edit) = session.doc.with(|document| document.step(step).and_then(edits::adopt)) {
                        session.apply(edit);
                    }
                };
                Some(
                    view! {
                        <div class="fixbar s-waiting">
                            {small_icon("warn")}
                            <span class="grow">{text::not_in_catalogue(&name)}</span>
                            <button type="button" class="btn fix" on:click=adopt>
                                {label}
                            </button>
                        </div>
                    }
                    .into_any(),
                )
            }
        })
    };
    let control = view! {
        <div class="pick">
            <span class="pick-tile">{tile(kind, "t20")}</span>
            <input
                node_ref=input
                id=id.clone()
                class="tf"
                type="text"
                role="combobox"
                autocomplete="off"
                spellcheck="false"
                aria-autocomplete="list"
                aria-expanded=move || combo.is_open().to_string()
                aria-controls=combo.list_id()
                aria-activedescendant=move || combo.active_id()
                placeholder=text::pick_placeholder(kind)
                prop:value=shown
                on:focus=move |_| {
                    if let Some(input) = input.get_untracked() {
                        input.select();
                    }
                }
                on:click=move |_| {
                    if query.with_untracked(Option::is_none) {
                        combo.restart();
                        query.set(Some(String::new()));
                        // The whole catalogue is offered; what is chosen stays readable as the placeholder would not be.
                    }
                }
                on:input=move |event| {
                    combo.restart();
                    query.set(Some(event_target_value(&event)));
                }
                on:keydown=on_key
                on:blur=move |_| query.set(None)
            />
            {list}
        </div>
    };
    labelled(session, &bind, control.into_any(), Some(view! { {below} }.into_any()))
}
