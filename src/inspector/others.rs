//! What the inspector shows when no step is selected: a path, a note, the flow, or how many things are selected.

use leptos::prelude::*;
use loopwright_lang::Value;
use loopwright_model::{EntityId, GraphKind, StepKind, document::ROOT};

use super::{
    bind::Bind,
    configuration::{Judge, condition_field, group},
    field::{number_field, text_field},
    parts::icon,
    preview::PreviewOf,
};
use crate::{platform::dom, session::Session, text::inspector as text};

/// A path: condition, priority, description.
pub fn path(session: Session, id: EntityId, preview: PreviewOf) -> AnyView {
    let title = move || {
        session.doc.track(id);
        session.doc.track_structure();
        session.doc.with(|document| {
            let Some(path) = document.path(id) else { return String::new() };
            let name = |end: Option<EntityId>| {
                end.and_then(|end| document.step(end)).map_or_else(
                    || text::ENDS_MISSING.to_owned(),
                    |step| {
                        session.doc.track(step.id());
                        step.name().to_owned()
                    },
                )
            };
            text::path_title(&name(path.from()), &name(path.to()))
        })
    };
    view! {
        <header class="insp-h">
            <span class="insp-glyph">{icon("branch")}</span>
            <div class="grow">
                <h2 class="ti ell">{title}</h2>
                <p class="meta t3">{text::PATH}</p>
            </div>
        </header>
        <div class="scroll">
            <div class="cfg">
                {group(
                    text::PATH,
                    view! {
                        {condition_field(session, Bind::column(id, "Condition"), preview.after(), Judge::Path)}
                        <p class="hint">{text::PATH_ALWAYS}</p>
                        {number_field(session, Bind::column(id, "Priority"), text::default_is("0"))}
                        <p class="hint">{text::PATH_PRIORITY_HELP}</p>
                        {text_field(session, Bind::column(id, "Description"), text::OPTIONAL, true)}
                    }
                    .into_any(),
                )}
            </div>
        </div>
    }
    .into_any()
}

/// A note: its text.
pub fn note(session: Session, id: EntityId) -> AnyView {
    view! {
        <header class="insp-h">
            <span class="insp-glyph">{icon("edit")}</span>
            <div class="grow"><h2 class="ti ell">{text::NOTE}</h2></div>
        </header>
        <div class="scroll"><div class="cfg">{group(text::NOTE, text_field(session, Bind::column(id, "text"), text::NOTE_TEXT, true))}</div></div>
    }
    .into_any()
}

/// Several things.
pub fn several(n: usize) -> AnyView {
    view! {
        <header class="insp-h">
            <span class="insp-glyph">{icon("list")}</span>
            <div class="grow"><h2 class="ti ell">{text::selected(n)}</h2></div>
        </header>
        <p class="empty">{text::SELECT_ONE}</p>
    }
    .into_any()
}

/// The flow on the canvas, and the document it is in.
pub fn graph(session: Session, id: EntityId) -> AnyView {
    let facts = Memo::new(move |_| {
        session.doc.track_all();
        session.doc.with(|document| {
            let graph = document.graph(id)?;
            let starts: Vec<(EntityId, StepKind, String)> = graph
                .steps()
                .filter(|step| step.is_start() && step.is_active())
                .map(|step| (step.id(), step.kind(), step.name().to_owned()))
                .collect();
            Some((graph.name().to_owned(), graph.steps().count(), graph.paths().count(), starts))
        })
    });
    let title = move || {
        facts.with(|facts| {
            facts.as_ref().map(|facts| facts.0.clone()).filter(|name| !name.is_empty()).unwrap_or_else(|| text::UNNAMED.into())
        })
    };
    let start = move || {
        facts.get().map(|(.., starts)| {
            if starts.is_empty() {
                return view! { <span class="t3">{text::NO_START}</span> }.into_any();
            }
            starts
                .into_iter()
                .map(|(step, kind, name)| {
                    view! {
                        <button type="button" class="btn ghost sm" on:click=move |_| session.reveal(step)>
                            {super::parts::tile(kind, "t16")}
                            {name}
                        </button>
                    }
                })
                .collect_view()
                .into_any()
        })
    };
    let counts = move || facts.get().map(|(_, steps, paths, _)| text::counts(steps, paths));
    let empty = move || {
        facts.with(|facts| facts.as_ref().is_some_and(|facts| facts.1 == 0)).then(|| view! { <p class="hint">{text::EMPTY_FLOW}</p> })
    };
    view! {
        <header class="insp-h">
            <span class="insp-glyph">{icon("branch")}</span>
            <div class="grow">
                <h2 class="ti ell">{title}</h2>
                <p class="meta t3">{text::GRAPH}</p>
            </div>
        </header>
        <div class="scroll">
            <div class="cfg">
                {group(
                    text::GRAPH,
                    view! {
                        {text_field(session, Bind::column(id, "Name"), "", false)}
                        {text_field(session, Bind::column(id, "Description"), text::OPTIONAL, true)}
                        <div class="fld"><span class="fl">{text::STARTS_AT}</span><div class="chips">{start}</div></div>
                        <div class="fld"><span class="fl">{text::COUNTS}</span><span class="label">{counts}</span></div>
                        {empty}
                    }
                    .into_any(),
                )}
                {group(
                    text::DOCUMENT,
                    view! {
                        {text_field(session, Bind::column(ROOT, "title"), text::UNNAMED, false)}
                        {text_field(session, Bind::column(ROOT, "description"), text::OPTIONAL, true)}
                    }
                    .into_any(),
                )}
            </div>
        </div>
    }
    .into_any()
}

/// The name of a step as a title that can be typed over.
pub fn title_input(session: Session, id: EntityId) -> AnyView {
    let bind = Bind::column(id, "Name");
    let watched = bind.clone();
    // A task of a plan or a task graph is called by what others refer to it by, and has no name besides.
    let by_reference =
        session.doc.with(|document| document.step(id).is_some_and(|step| matches!(step.graph_kind(), GraphKind::Plan | GraphKind::Tasks)));
    let shown = move || {
        if by_reference {
            session.doc.track(id);
            return session.doc.with(|document| document.step(id).map(|step| step.name().to_owned())).unwrap_or_default();
        }
        watched.watch(session).and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
    };
    view! {
        <input
            readonly=by_reference
            class="ti insp-title"
            type="text"
            autocomplete="off"
            spellcheck="false"
            aria-label=text::TITLE
            placeholder=text::UNNAMED
            prop:value=shown
            on:input=move |event| {
                bind.write(session, Some(Value::text(event_target_value(&event))));
            }
            on:keydown=|event| {
                if event.key() == "Enter" {
                    dom::blur();
                }
            }
            on:blur=move |_| session.doc.close_merge()
        />
    }
    .into_any()
}
