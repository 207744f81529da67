//! The Scenario tab: what a run starts with, and what every call answers.

use leptos::prelude::*;
use loopwright_lang::Value;
use loopwright_model::{
    Document, EntityId, EntityKind, Referent, Refused, StepKind,
    catalogue::{entity_name, wanted},
    edits,
};
use loopwright_panels::column;

use super::script_form::{Scripted, script_form};
use crate::{
    inspector::json_editor::{JsonEditor, json_editor},
    session::{Session, Tone},
    text::run as text,
    ui::{icon, tile},
};

/// What is shown of the scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Start,
    Call(EntityKind, String),
}

/// The tab's content.
pub fn scenario_tab(session: Session) -> AnyView {
    let scenario = session.run.scenario;
    let part = RwSignal::new(Part::Start);
    // A scenario that is gone (undo, another document) makes room for the first one there is.
    let known = Memo::new(move |_| {
        session.doc.track_structure();
        session.doc.opened.track();
        session.doc.with(|document| document.scenarios().map(|entity| entity.id).collect::<Vec<_>>())
    });
    let shown = Memo::new(move |_| scenario.get().filter(|id| known.with(|known| known.contains(id))));
    let body = move || match shown.get() {
        None => view! {
            <div class="scen-none">
                <p>{text::NO_SCENARIO}</p>
                <button type="button" class="btn" on:click=move |_| create(session)>{icon("plus")}{text::NEW}</button>
            </div>
        }
        .into_any(),
        Some(id) => view! {
            <div class="scen">
                {head(session, known, id)}
                <div class="scen-body">
                    {parts(session, id, part)}
                    <div class="scen-part">{move || part_view(session, id, part.get())}</div>
                </div>
            </div>
        }
        .into_any(),
    };
    view! { {body} }.into_any()
}

/// The picker of the scenario, its name, and what can be done with it.
fn head(session: Session, known: Memo<Vec<EntityId>>, id: EntityId) -> AnyView {
    let name_of = move |id: EntityId| {
        session.doc.track(id);
        session.doc.with(|document| document.scenario(id).map(|scenario| scenario.name().to_owned())).unwrap_or_default()
    };
    let options = move || {
        known
            .get()
            .into_iter()
            .map(|own| view! { <option value=own.0.to_string() prop:selected=move || session.run.scenario.get() == Some(own)>{move || name_of(own)}</option> })
            .collect_view()
    };
    let field = move |name: &'static str, label: &'static str, class: &'static str| {
        let shown = move || {
            session.doc.track(id);
            session.doc.with(|document| document.field(id, name).map(column::field_text)).unwrap_or_default()
        };
        view! {
            <input
                class=format!("tf {class}")
                type="text"
                autocomplete="off"
                aria-label=label
                placeholder=label
                prop:value=shown
                on:input=move |event| {
                    let typed = event_target_value(&event);
                    set_part(session, id, name, (!typed.is_empty() || name == "name").then(|| Value::text(typed)));
                }
                on:blur=move |_| session.doc.close_merge()
            />
        }
    };
    view! {
        <div class="scen-head">
            <select
                class="tf sel"
                aria-label=text::SCENARIO
                on:change=move |event| {
                    if let Ok(number) = event_target_value(&event).parse() {
                        session.run.scenario.set(Some(EntityId(number)));
                        session.run.run_now();
                    }
                }
            >
                {options}
            </select>
            {field("name", text::NAME, "scen-name")}
            {field("description", text::DESCRIPTION, "grow")}
            {field("seed", text::SEED, "scen-seed")}
            <button type="button" class="btn ghost icon" aria-label=text::NEW title=text::NEW on:click=move |_| create(session)>{icon("plus")}</button>
            <button type="button" class="btn ghost icon" aria-label=text::DUPLICATE title=text::DUPLICATE on:click=move |_| duplicate(session, id)>
                {icon("copy")}
            </button>
            <button type="button" class="btn ghost icon" aria-label=text::DELETE title=text::DELETE on:click=move |_| delete(session, id)>
                {icon("trash")}
            </button>
        </div>
    }
    .into_any()
}

/// Everything the document's steps call, in the order of the catalogue, then what no catalogue holds.
fn callees(document: &Document) -> Vec<(EntityKind, String)> {
    let mut list: Vec<(EntityKind, String)> = Vec::new();
    let mut add = |kind: EntityKind, name: &str| {
        if !name.is_empty() && !list.iter().any(|(own, known)| *own == kind && known == name) {
            list.push((kind, name.to_owned()));
        }
    };
    for step in document.graphs().flat_map(|graph| graph.steps()) {
        if let Referent::Found(entity) = step.referent() {
            add(entity.kind, entity_name(entity));
        }
    }
    for missing in wanted(document) {
        add(missing.kind, missing.name);
    }
    list
}

/// The list of parts: the start, then each callee.
fn parts(session: Session, id: EntityId, part: RwSignal<Part>) -> AnyView {
    let list = Memo::new(move |_| {
        session.doc.track_all();
        session.doc.with(callees)
    });
    let row = move |own: Part, label: AnyView, end: AnyView| {
        let mine = own.clone();
        view! {
            <li>
                <button
                    type="button"
                    class="pi scen-pi"
                    class:is-selected=move || part.with(|part| *part == mine)
                    aria-current={
                        let own = own.clone();
                        move || part.with(|part| *part == own).then_some("true")
                    }
                    on:click=move |_| part.set(own.clone())
                >
                    {label}
                    {end}
                </button>
            </li>
        }
    };
    let calls = move || {
        list.get()
            .into_iter()
            .map(|(kind, name)| {
                let scripted = Scripted { scenario: id, kind, name: name.clone() };
                let end = move || text::scripted_calls(scripted.count(session));
                row(
                    Part::Call(kind, name.clone()),
                    view! {
                        {tile(kind_of(kind), "t16")}
                        <span class="ell">{name}</span>
                    }
                    .into_any(),
                    view! { <span class="end t3 meta">{end}</span> }.into_any(),
                )
            })
            .collect_view()
    };
    view! {
        <nav class="scen-parts" aria-label=text::PARTS>
            <ul>
                {row(Part::Start, view! { {icon("play")} <span>{text::STARTS_WITH}</span> }.into_any(), ().into_any())}
            </ul>
            <div class="grouph">{text::CALLS}</div>
            <ul>{calls}</ul>
            {move || list.with(Vec::is_empty).then(|| view! { <p class="hint">{text::NO_CALLS}</p> })}
        </nav>
    }
    .into_any()
}

fn kind_of(kind: EntityKind) -> StepKind {
    match kind {
        EntityKind::Prompt => StepKind::Prompt,
        EntityKind::Agent | EntityKind::Graph => StepKind::SubAgent,
        _ => StepKind::Action,
    }
}

fn part_view(session: Session, id: EntityId, part: Part) -> AnyView {
    match part {
        Part::Start => view! {
            <div class="scen-start">
                {start_editor(session, id, "payload", text::PAYLOAD)}
                <div class="scen-side">
                    {start_editor(session, id, "data", text::DATA)}
                    {start_editor(session, id, "context", text::CONTEXT)}
                </div>
            </div>
        }
        .into_any(),
        Part::Call(kind, name) => script_form(session, Scripted { scenario: id, kind, name }),
    }
}

/// The editor of the starting payload, data or context.
fn start_editor(session: Session, id: EntityId, field: &'static str, label: &'static str) -> AnyView {
    let value = Memo::new(move |_| {
        session.doc.track(id);
        session.doc.with(|document| document.field(id, field).map(loopwright_lang::json::print_pretty)).unwrap_or_default()
    });
    let edit = Callback::new(move |typed: String| {
        let value = loopwright_lang::json::parse(&typed).value();
        // Half-typed JSON stays in the editor; the scenario keeps the last text that was JSON.
        if value.is_some() || typed.trim().is_empty() {
            set_part(session, id, field, value);
        }
    });
    view! {
        <section class="scen-ed" aria-label=label>
            <h3 class="fl">{label}</h3>
            {json_editor(JsonEditor {
                id: format!("scenario-{}-{field}", id.0),
                label: text::part_as_json(label),
                value: value.into(),
                edit,
                done: Callback::new(move |()| session.doc.close_merge()),
                object: false,
                lines: (if field == "payload" { 8 } else { 2 }, 40),
                placeholder: text::EMPTY_OBJECT,
            })}
        </section>
    }
    .into_any()
}

/// Does what makes a scenario, and shows it.
fn make(session: Session, made: Result<edits::Made, Refused>) {
    match made {
        Ok(made) => {
            if session.apply(made.edit) {
                session.run.scenario.set(made.ids.first().copied());
                session.run.run_now();
            }
        }
        Err(refused) => session.notify.toast(Tone::Failed, refused.0),
    }
}

/// A new scenario for the flow on the canvas.
fn create(session: Session) {
    let graph = session.selection.breadcrumb.with_untracked(|path| path.first().copied());
    make(session, Ok(session.doc.with(|document| edits::add_scenario(document, text::SCENARIO, graph))));
}

fn duplicate(session: Session, id: EntityId) {
    make(session, session.doc.with(|document| edits::duplicate_scenario(document, id)));
}

fn delete(session: Session, id: EntityId) {
    let next = session.doc.with(|document| {
        let ids: Vec<EntityId> = document.scenarios().map(|entity| entity.id).collect();
        let at = ids.iter().position(|own| *own == id)?;
        ids.get(at + 1).or_else(|| ids.get(at.checked_sub(1)?)).copied()
    });
    match session.doc.with(|document| edits::remove_scenario(document, id)) {
        Ok(edit) => {
            if session.apply(edit) {
                session.run.scenario.set(next);
                session.run.run_now();
            }
        }
        Err(refused) => session.notify.toast(Tone::Failed, refused.0),
    }
}

/// Sets a part of the scenario. Writing in one field is one undo step.
fn set_part(session: Session, id: EntityId, part: &str, value: Option<Value>) {
    match session.doc.with(|document| edits::set_scenario_part(document, id, part, value)) {
        Ok(edit) => {
            session.apply(edit);
        }
        Err(refused) => session.notify.toast(Tone::Failed, refused.0),
    }
}

/// The Mock tab of the inspector: what the scenario answers for what the step calls.
pub fn mock_tab(session: Session, step: EntityId) -> AnyView {
    let called = Memo::new(move |_| {
        session.doc.track(step);
        session.doc.track_structure();
        session.doc.with(|document| {
            let step = document.step(step)?;
            match step.referent() {
                Referent::Found(entity) => Some((entity.kind, entity_name(entity).to_owned())),
                Referent::Unknown(name) => Some((step.reference_column()?.entity, name.to_owned())),
                Referent::None => None,
            }
        })
    });
    let body = move || match (session.run.scenario.get(), called.get()) {
        (None, _) => view! {
            <div class="scen-none">
                <p>{text::NO_SCENARIO}</p>
                <button type="button" class="btn" on:click=move |_| create(session)>{icon("plus")}{text::NEW}</button>
            </div>
        }
        .into_any(),
        (_, None) => view! { <p class="empty">{text::NOTHING_CALLED}</p> }.into_any(),
        (Some(scenario), Some((kind, name))) => {
            let scenario_name = move || {
                session.doc.track(scenario);
                session.doc.with(|document| document.scenario(scenario).map(|scenario| scenario.name().to_owned())).unwrap_or_default()
            };
            view! {
                <div class="mock">
                    <div class="iterbar">
                        {tile(kind_of(kind), "t16")}
                        <b class="ell">{name.clone()}</b>
                        <span class="grow"></span>
                        <span class="t3 ell">{scenario_name}</span>
                    </div>
                    {script_form(session, Scripted { scenario, kind, name })}
                </div>
            }
            .into_any()
        }
    };
    view! { {body} }.into_any()
}
