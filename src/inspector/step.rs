//! The inspector of a step: header, tabs, and the tab that is open.

use leptos::{ev, prelude::*};
use loopwright_lang::Severity;
use loopwright_model::EntityId;

use super::{
    configuration::configuration,
    json_tab::json_tab,
    mapping::{Side, focus_field, mapping},
    others::title_input,
    parts::{icon, tile},
    preview,
};
use crate::{
    session::{InspectorTab, Session},
    text::inspector as text,
};

/// The tabs, in the order they are shown.
const TABS: [(InspectorTab, &str); 5] = [
    (InspectorTab::Configuration, text::CONFIGURATION),
    (InspectorTab::Inputs, text::INPUTS),
    (InspectorTab::Outputs, text::OUTPUTS),
    (InspectorTab::Mock, text::MOCK),
    (InspectorTab::Json, text::JSON),
];

/// The tab on which a problem's place is edited.
pub fn tab_of_place(place: &loopwright_model::Place) -> InspectorTab {
    match place.field.as_deref() {
        Some("ActionInputMapping") => InspectorTab::Inputs,
        Some("ActionOutputMapping") => InspectorTab::Outputs,
        _ => InspectorTab::Configuration,
    }
}

/// The inspector of one step.
pub fn step(session: Session, id: EntityId) -> AnyView {
    let preview = preview::of(session, Some(id));
    let tab = session.layout.inspector_tab;
    let kind_line = move || {
        session.doc.track(id);
        session.doc.track_structure();
        session.doc.with(|document| {
            document.step(id).map(|step| {
                let kind = text::kind(step.kind(), step.step_type());
                let called = step.referent().name().map(str::to_owned);
                match (step.kind().is_loop(), step.body_kind(), called) {
                    (true, Some(body), name) => text::kind_line(&kind, Some((text::body_word(body), name.as_deref().unwrap_or_default()))),
                    (false, _, Some(name)) => text::kind_line(&kind, Some(("", &name))),
                    _ => text::kind_line(&kind, None),
                }
            })
        })
    };
    let kind = Memo::new(move |_| {
        session.doc.track(id);
        session.doc.with(|document| document.step(id).map(|step| step.kind()))
    });
    let on_key = move |event: ev::KeyboardEvent| {
        let at = TABS.iter().position(|(own, _)| *own == tab.get_untracked()).unwrap_or(0);
        let next = match event.key().as_str() {
            "ArrowRight" => (at + 1) % TABS.len(),
            "ArrowLeft" => (at + TABS.len() - 1) % TABS.len(),
            "Home" => 0,
            "End" => TABS.len() - 1,
            _ => return,
        };
        event.prevent_default();
        if let Some((next, _)) = TABS.get(next) {
            tab.set(*next);
            focus_field(tab_id(*next));
        }
    };
    let tabs = TABS.into_iter().map(move |(own, label)| {
        let selected = move || tab.get() == own;
        let count = move || {
            let (all, bad) = session.problems.list.with(|list| {
                let here = list.iter().filter(|problem| {
                    problem.place.entity == id && tab_of_place(&problem.place) == own && problem.severity != Severity::Hint
                });
                here.fold((0, 0), |(all, bad), problem| (all + 1, bad + usize::from(problem.severity == Severity::Error)))
            });
            (all > 0).then(|| view! { <span class="cnt" class:bad={bad > 0} title=text::errors(all)>{all}</span> })
        };
        view! {
            <button
                type="button"
                id=tab_id(own)
                class="tab"
                role="tab"
                aria-selected=move || selected().to_string()
                aria-controls="inspector-panel"
                tabindex=move || if selected() { "0" } else { "-1" }
                on:click=move |_| tab.set(own)
            >
                {label}
                {count}
            </button>
        }
    });
    let panel = move || match tab.get() {
        InspectorTab::Configuration => configuration(session, id, preview),
        InspectorTab::Inputs => view! {
            {preview::bar(session, id, preview)}
            {mapping(session, id, Side::Inputs, preview)}
        }
        .into_any(),
        InspectorTab::Outputs => view! {
            {preview::bar(session, id, preview)}
            {mapping(session, id, Side::Outputs, preview)}
        }
        .into_any(),
        InspectorTab::Mock => crate::run::mock_tab(session, id),
        InspectorTab::Json => json_tab(session, id),
    };
    view! {
        <header class="insp-h">
            {move || kind.get().map(|kind| tile(kind, ""))}
            <div class="grow">
                {title_input(session, id)}
                <p class="meta t3 ell">{kind_line}</p>
            </div>
            <button type="button" class="btn ghost icon" aria-label=text::CLOSE title=text::CLOSE on:click=move |_| session.selection.clear()>
                {icon("close")}
            </button>
        </header>
        <div class="tabs" role="tablist" aria-label=text::TABS on:keydown=on_key>{tabs.collect_view()}</div>
        <div class="scroll" id="inspector-panel" role="tabpanel" aria-labelledby=move || tab_id(tab.get()) tabindex="-1">
            {panel}
        </div>
    }
    .into_any()
}

fn tab_id(tab: InspectorTab) -> String {
    format!("inspector-tab-{tab:?}").to_lowercase()
}
