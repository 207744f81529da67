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

/// Puts what a step names into the catalogue.
fn adopt(document: &Document, step: EntityId, kind: StepKind, name: &str) -> Result<Edit, Refused> {
    let Some(column) = reference_of(kind) else { return Ok(Edit::new("", Vec::new())) };
    let mut fields = loopwright_lang::Object::new();
    if let Some(id) = document.field(step, column.id).and_then(Value::as_str).filter(|id| *id != name && !id.starts_with('@')) {
        fields.insert("id", Value::text(id));
    }
    fields.insert("name", Value::text(name));
    edits::add_entry(document, column.entity, fields).map(|made| made.edit)
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
    let active = RwSignal::new(0_usize);
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
    let on_key = move |event: ev::KeyboardEvent| {
        let count = found.with_untracked(|found| found.as_ref().map_or(0, Vec::len));
        match event.key().as_str() {
            "ArrowDown" | "ArrowUp" if query.with_untracked(Option::is_none) => query.set(Some(String::new())),
            "ArrowDown" if count > 0 => active.update(|at| *at = (*at + 1) % count),
            "ArrowUp" if count > 0 => active.update(|at| *at = (*at + count - 1) % count),
            "Enter" => {
                if let Some(choice) = found.with_untracked(|found| found.as_ref()?.get(active.get_untracked()).cloned()) {
                    choose(&choice);
                }
            }
            "Escape" if query.with_untracked(Option::is_some) => {
                query.set(None);
                event.stop_propagation();
            }
            _ => return,
        }
        event.prevent_default();
    };
    let list_id = format!("{id}-list");
    let option_id = {
        let id = id.clone();
        move |at: usize| format!("{id}-option-{at}")
    };
    let active_id = {
        let option_id = option_id.clone();
        move || found.with(|found| found.as_ref().is_some_and(|found| !found.is_empty())).then(|| option_id(active.get()))
    };
    let list = {
        let list_id = list_id.clone();
        move || {
            found.get().map(|found| {
                let option_id = option_id.clone();
                let count = found.len();
                let rows = found.into_iter().enumerate().map(move |(at, choice)| {
                    let title = (!choice.description.is_empty()).then(|| choice.description.clone());
                    let chosen = choice.clone();
                    view! {
                        <li
                            id=option_id(at)
                            role="option"
                            class="mi"
                            class:is-hover=move || active.get() == at
                            aria-selected=move || (active.get() == at).to_string()
                            title=title
                            on:mousedown=move |event| {
                                event.prevent_default();
                                choose(&chosen);
                            }
                        >
                            {tile(kind, "t16")}
                            <span class="ell">{choice.name}</span>
                            <span class="end ell">{choice.description}</span>
                        </li>
                    }
                });
                view! {
                    <ul id=list_id.clone() role="listbox" class="menu pick-menu" aria-label=text::pick(kind)>
                        {rows.collect_view()}
                    </ul>
                    {(count == 0).then(|| view! { <p class="menu pick-menu pick-none">{text::NOTHING_FOUND}</p> })}
                }
            })
        }
    };
    let shown = move || query.get().unwrap_or_else(|| current.get().map(|(name, ..)| name).unwrap_or_default());
    let below = move || {
        current.get().map(|(name, description, known)| {
            if known {
                (!description.is_empty()).then(|| view! { <p class="hint">{description}</p> }.into_any())
            } else {
                let label = text::add_to_catalogue(&name);
                let adopted = name.clone();
                Some(
                    view! {
                        <div class="fixbar s-waiting">
                            {small_icon("warn")}
                            <span class="grow">{text::not_in_catalogue(&name)}</span>
                            <button
                                type="button"
                                class="btn fix"
                                on:click=move |_| apply(session, session.doc.with(|document| adopt(document, step, kind, &adopted)))
                            >
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
                aria-expanded=move || found.with(Option::is_some).to_string()
                aria-controls=list_id
                aria-activedescendant=active_id
                placeholder=text::pick_placeholder(kind)
                prop:value=shown
                on:focus=move |_| {
                    if let Some(input) = input.get_untracked() {
                        input.select();
                    }
                }
                on:click=move |_| {
                    if query.with_untracked(Option::is_none) {
                        active.set(0);
                        query.set(Some(String::new()));
                        // The whole catalogue is offered; what is chosen stays readable as the placeholder would not be.
                    }
                }
                on:input=move |event| {
                    active.set(0);
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
