//! The Problems tab: everything that is wrong, each with its place and, where there is one, its fix.

use std::sync::Arc;

use leptos::prelude::*;
use loopwright_executor::protocol::{FrameId, Notice};
use loopwright_lang::{Severity, Value};
use loopwright_model::{Document, Edit, EntityId, EntityKind, Place, Problem};

use crate::{
    inspector::{
        parts::{icon, prose, severity_class, severity_icon},
        tab_of_place,
    },
    session::{DockTab, Session, session},
    text::{inspector as inspector_text, problems as text},
};

/// A row of the list: a problem of the document, or something that came up in the last run.
#[derive(Clone, PartialEq)]
struct Row {
    key: (EntityId, String, Option<String>, Vec<String>, u32),
    severity: Severity,
    family: &'static str,
    message: String,
    place: Place,
    fix: Option<Arc<Edit>>,
    /// The part of the run it came up in.
    frame: Option<FrameId>,
}

impl Row {
    fn of_document(problem: &Problem) -> Self {
        let place = problem.place.clone();
        Self {
            key: (place.entity, problem.code.to_owned(), place.field.clone(), place.inside.clone(), 0),
            severity: problem.severity,
            family: problem.family(),
            message: problem.message.clone(),
            place,
            fix: problem.fix.clone().map(Arc::new),
            frame: None,
        }
    }

    fn of_run(notice: &Notice) -> Option<Self> {
        let entity = notice.step?;
        let message = if notice.count > 1 { text::times(&notice.message, notice.count) } else { notice.message.clone() };
        // What has no value is mended where it is mapped.
        let field = notice.code.starts_with("mapping").then(|| "ActionInputMapping".to_owned());
        Some(Self {
            key: (entity, notice.code.clone(), Some(notice.message.clone()), Vec::new(), 0),
            severity: notice.severity,
            family: text::RUN,
            message,
            place: Place { entity, field, inside: Vec::new(), span: None },
            fix: None,
            frame: notice.frame,
        })
    }
}

/// The tab's content.
pub fn problems_tab() -> AnyView {
    let session = session();
    let only = RwSignal::new(None::<Severity>);
    let all = Memo::new(move |_| {
        let mut rows: Vec<Row> = session.problems.list.with(|list| list.iter().map(Row::of_document).collect());
        let from_run = session.run.summary.with(|summary| {
            let rows: Vec<Row> = summary.iter().flat_map(|summary| &summary.notices).filter_map(Row::of_run).collect();
            rows
        });
        // What is known to be wrong before a run is not said again because a run met it.
        let said =
            |row: &Row| rows.iter().any(|known| known.place.entity == row.place.entity && row.key.2.as_ref() == Some(&known.message));
        let new: Vec<Row> = from_run.into_iter().filter(|row| !said(row)).collect();
        rows.extend(new);
        // A row stays the same row while its problem does; equal ones are told apart by their number.
        let mut seen = std::collections::HashMap::new();
        for row in &mut rows {
            row.key.4 = *seen.entry(row.key.clone()).and_modify(|n| *n += 1).or_insert(0_u32);
        }
        rows
    });
    let count =
        move |severity: Option<Severity>| all.with(|rows| rows.iter().filter(|row| severity.is_none_or(|own| own == row.severity)).count());
    let shown = move || {
        let only = only.get();
        all.with(|rows| rows.iter().filter(|row| only.is_none_or(|own| own == row.severity)).cloned().collect::<Vec<_>>())
    };
    let filters = [None, Some(Severity::Error), Some(Severity::Warning), Some(Severity::Hint)].into_iter().map(move |severity| {
        let label = severity.map_or(text::ALL, text::filter);
        view! {
            <button type="button" aria-pressed=move || (only.get() == severity).to_string() on:click=move |_| only.set(severity)>
                {label}
                " "
                <span class="num">{move || count(severity)}</span>
            </button>
        }
    });
    let empty = move || {
        (count(only.get()) == 0).then(|| {
            let words = if count(None) == 0 { text::NONE } else { text::NONE_OF_KIND };
            view! { <p class="empty">{words}</p> }
        })
    };
    view! {
        <div class="probs">
            <div class="probs-filter"><div class="seg sm" role="group" aria-label=text::FILTER>{filters.collect_view()}</div></div>
            <ul class="probs-list" aria-label=text::LIST>
                <For each=shown key=|row| (row.key.clone(), row.message.clone(), row.fix.is_some()) let:row>
                    {row_view(session, row)}
                </For>
            </ul>
            {empty}
        </div>
    }
    .into_any()
}

fn row_view(session: Session, row: Row) -> AnyView {
    let entity = row.place.entity;
    let place = {
        let place = row.place.clone();
        move || {
            session.doc.track(entity);
            session.doc.with(|document| place_words(document, &place))
        }
    };
    let fix = row.fix.map(|edit| {
        let label = text::fix(&edit.label);
        view! {
            <button
                type="button"
                class="btn fix"
                on:click=move |_| {
                    session.apply(edit.as_ref().clone());
                }
            >
                {label}
            </button>
        }
    });
    let target = row.place.clone();
    let jump = move |_| {
        if let Some(frame) = row.frame {
            session.run.iteration.set(Some(frame));
        }
        go_to(session, &target);
    };
    view! {
        <li class=format!("prob {}", severity_class(row.severity)) class:is-selected=move || session.selection.primary.get() == Some(entity)>
            {icon(severity_icon(row.severity))}
            <div class="fam"><span>{row.family}</span><code>{row.key.1}</code></div>
            <button type="button" class="tx prob-jump" on:click=jump>
                <span class="sr">{inspector_text::severity(row.severity)} ": "</span>
                <span class="ell">{prose(&row.message)}</span>
                <span class="wh ell">{place}</span>
            </button>
            <div class="row">{fix}</div>
        </li>
    }
    .into_any()
}

/// Selects what a problem is about, opens the tab it is edited on and puts the cursor in the field.
pub fn go_to(session: Session, place: &Place) {
    let kind = session.doc.with(|document| document.get(place.entity).map(|entity| entity.kind));
    match kind {
        Some(EntityKind::Scenario) => session.layout.show_dock(DockTab::Scenario),
        Some(EntityKind::Step | EntityKind::Path | EntityKind::Note | EntityKind::Graph) => {
            session.reveal(place.entity);
            let field = place.field.clone().map(|field| (field, place.inside.clone()));
            session.layout.show_field(tab_of_place(place), field);
        }
        _ => {}
    }
}

/// Where a problem is, from the outside in: `Send welcome e-mails › Inputs › to`.
fn place_words(document: &Document, place: &Place) -> String {
    let step_name =
        |id: Option<EntityId>| id.and_then(|id| document.step(id)).map_or(inspector_text::UNNAMED, |step| step.name()).to_owned();
    let mut parts = Vec::new();
    if let Some(entity) = document.get(place.entity) {
        let name = |key: &str| {
            let name = entity.fields.get(key).and_then(Value::as_str).filter(|name| !name.is_empty());
            name.unwrap_or(inspector_text::UNNAMED).to_owned()
        };
        match entity.kind {
            EntityKind::Step | EntityKind::Graph => parts.push(name("Name")),
            EntityKind::Path => {
                if let Some(path) = document.path(entity.id) {
                    parts.push(text::path(&step_name(path.from()), &step_name(path.to())));
                }
            }
            EntityKind::Note => parts.push(inspector_text::NOTE.into()),
            EntityKind::Document => parts.push(text::DOCUMENT.into()),
            EntityKind::Scenario => parts.extend([text::SCENARIO.into(), name("name")]),
            EntityKind::Action | EntityKind::Agent | EntityKind::Prompt | EntityKind::Source => {
                parts.extend([text::CATALOGUE.into(), name("name")]);
            }
        }
    }
    if let Some(field) = &place.field {
        parts.push(match field.as_str() {
            "ActionInputMapping" => text::INPUTS.into(),
            "ActionOutputMapping" => text::OUTPUTS.into(),
            other => other.to_owned(),
        });
    }
    parts.extend(place.inside.iter().cloned());
    parts.join(" › ")
}
