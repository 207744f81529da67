//! The Problems tab: everything that is wrong, each with its place and, where there is one, its fix.

use std::sync::Arc;

use leptos::prelude::*;
use loopwright_executor::protocol::{Ask, FrameId, Notice, Param, Reply, Summary};
use loopwright_lang::{Severity, Value};
use loopwright_model::{Document, Edit, EntityId, EntityKind, Place, Problem, StepKind};

use crate::{
    inspector::{
        parts::{icon, prose, severity_class, severity_icon},
        tab_of_place,
    },
    session::{DockTab, InspectorTab, Session, session},
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

    /// Why the run failed, where a step made it fail.
    fn of_failure(document: &Document, summary: &Summary) -> Option<Self> {
        let (entity, message) = (summary.error_step?, summary.error.clone()?);
        // A loop that failed before it began did so over its list or its condition.
        let began = summary.loops.iter().any(|own| own.step == entity && own.started > 0);
        let key = match document.step(entity).map(|step| step.kind()) {
            Some(StepKind::ForEach) if !began => Some("collectionPath"),
            Some(StepKind::While) if !began => Some("condition"),
            _ => None,
        };
        let (field, inside) = (key.map(|_| "Configuration".to_owned()), key.map(str::to_owned).into_iter().collect());
        Some(Self {
            key: (entity, String::new(), Some(message.clone()), Vec::new(), 0),
            severity: Severity::Error,
            family: text::RUN,
            message: text::run_failed(&message),
            place: Place { entity, field, inside, span: None },
            fix: None,
            frame: None,
        })
    }

    fn of_run(notice: &Notice) -> Option<Self> {
        let entity = notice.step?;
        let message = if notice.count > 1 { text::times(&notice.message, notice.count) } else { notice.message.clone() };
        let (field, inside) = match notice.code.as_str() {
            "N08" | "N09" => (Some("Configuration"), vec!["maxIterations".to_owned()]),
            "N10" => (Some("Configuration"), vec!["type".to_owned()]),
            _ => (None, Vec::new()),
        };
        Some(Self {
            key: (entity, notice.code.clone(), Some(notice.message.clone()), Vec::new(), 0),
            severity: notice.severity,
            family: text::RUN,
            message,
            place: Place { entity, field: field.map(str::to_owned), inside, span: None },
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
            let notices = summary.iter().flat_map(|summary| &summary.notices).filter_map(Row::of_run);
            let failure = summary.iter().filter_map(|summary| session.doc.with(|document| Row::of_failure(document, summary)));
            failure.chain(notices).collect::<Vec<Row>>()
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
    let (code, said) = (row.key.1.clone(), row.message.clone());
    let fix = row.fix.map(|edit| {
        let label = text::fix(&edit.label);
        // The row stays while the problem does, but its fix is of the document as it was: the present one is applied.
        let now = move || {
            let found = untrack(|| session.problems.of(entity));
            found.into_iter().find(|problem| problem.code == code && problem.message == said).and_then(|problem| problem.fix)
        };
        view! {
            <button
                type="button"
                class="btn fix"
                on:click=move |_| {
                    if let Some(edit) = now() {
                        session.apply(edit);
                    }
                }
            >
                {label}
            </button>
        }
    });
    let (target, code, message) = (row.place.clone(), row.key.1.clone(), row.key.2.clone());
    let jump = move |_| match row.frame {
        Some(frame) => go_to_notice(session, frame, &code, message.as_deref().unwrap_or_default(), target.clone()),
        None => go_to(session, &target),
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

/// Codes of what is said about a call that the scenario has no answer for.
const UNSCRIPTED: [&str; 3] = ["N01", "N02", "N03"];

/// Goes to where a run's notice can be mended: the script that is lacking, the row of the mapping that had no value, or the field it
/// is about. The run goes to the part it came up in.
fn go_to_notice(session: Session, frame: FrameId, code: &str, message: &str, place: Place) {
    session.run.iteration.set(Some(frame));
    if UNSCRIPTED.contains(&code) {
        session.reveal(place.entity);
        session.layout.show_field(InspectorTab::Mock, None);
        return;
    }
    if place.field.is_some() {
        go_to(session, &place);
        return;
    }
    let Some(run) = session.run.run.get_untracked() else { return };
    let message = message.to_owned();
    leptos::task::spawn_local(async move {
        let mut place = place;
        if let Ok(Reply::Frame(found)) = session.run.ask(Ask::Frame { run, frame }).await {
            let about = |param: &&Param| param.problems.iter().any(|problem| problem.message == message);
            if let Some(param) = found.params.iter().find(about) {
                // `to[0]` is written in the row `to`.
                let row = param.name.split(['[', '.']).next().unwrap_or_default();
                place.field = Some("ActionInputMapping".to_owned());
                place.inside = vec![row.to_owned()];
            } else if found.condition.is_some_and(|condition| condition.held.is_none()) {
                place.field = Some("Configuration".to_owned());
                place.inside = vec!["condition".to_owned()];
            }
        }
        go_to(session, &place);
    });
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
