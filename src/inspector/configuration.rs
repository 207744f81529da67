//! The Configuration tab: a control for every column that a step of its kind has.

use std::sync::Arc;

use leptos::prelude::*;
use loopwright_lang::{Scope, Value, expr};
use loopwright_model::{EntityId, StepKind, edits};
use loopwright_panels::{
    column::{self, Rows},
    syntax::Mode,
};

use super::parts::{icon, prose};
use super::{
    bind::{Bind, Trouble},
    field::{CodeSpec, Outcome, check_field, code, number_field, select_field, text_field},
    picker::picker,
    preview::{PreviewOf, collection, semantics},
};
use crate::{
    session::{InspectorTab, Session},
    text::inspector as text,
};

/// The tab of one step.
pub fn configuration(session: Session, id: EntityId, preview: PreviewOf) -> AnyView {
    // Only what decides which controls there are: their values are watched one by one.
    let shape = Memo::new(move |_| {
        session.doc.track(id);
        session.doc.with(|document| {
            document.step(id).map(|step| {
                let configuration = step.field("Configuration");
                let parallel = column::get(configuration, "executionMode").as_ref().and_then(Value::as_str) == Some("parallel");
                let retries = step.field("OnErrorBehavior").and_then(Value::as_str) == Some("retry");
                let broken = matches!(column::rows(configuration), Rows::Invalid(_));
                (step.kind(), step.body_kind(), parallel, retries, broken)
            })
        })
    });
    let body = move || {
        let (kind, body, parallel, retries, broken) = shape.get()?;
        let field = move |name| Bind::column(id, name);
        let inside = move |name: &str| Bind::inside(id, "Configuration", name);
        let call = (!kind.is_loop() && kind != StepKind::Unknown).then(|| group(text::GROUP_CALL, picker(session, id, kind)));
        let looped = matches!(kind, StepKind::ForEach | StepKind::While | StepKind::Refine).then(|| {
            if broken {
                return not_json(session, text::NOT_JSON_FIELDS);
            }
            let own = match kind {
                StepKind::ForEach => view! {
                    {collection_field(session, inside("collectionPath"), preview)}
                    <div class="two">
                        {variable_field(session, id, "item")}
                        {text_field(session, inside("indexVariable"), "index", false)}
                    </div>
                    <div class="two">
                        {number_field(session, inside("maxIterations"), text::default_is("1000"))}
                        {number_field(session, inside("delayBetweenIterationsMs"), text::default_is("0"))}
                    </div>
                    <div class="two">
                        {select_field(session, inside("executionMode"), &text::MODE, "sequential")}
                        {parallel.then(|| number_field(session, inside("maxConcurrency"), text::default_is("10")))}
                    </div>
                    {check_field(session, inside("continueOnError"), text::CONTINUE_ON_ERROR)}
                }
                .into_any(),
                StepKind::While => view! {
                    {condition_field(session, inside("condition"), preview.scope(), Judge::While)}
                    {variable_field(session, id, "attempt")}
                    <div class="two">
                        {number_field(session, inside("maxIterations"), text::default_is("100"))}
                        {number_field(session, inside("delayBetweenIterationsMs"), text::default_is("0"))}
                    </div>
                    {check_field(session, inside("continueOnError"), text::CONTINUE_ON_ERROR)}
                }
                .into_any(),
                _ => view! {
                    <div class="two">
                        {number_field(session, inside("maxRounds"), String::new())}
                        {number_field(session, inside("delayBetweenIterationsMs"), text::default_is("0"))}
                    </div>
                }
                .into_any(),
            };
            group(text::GROUP_LOOP, own)
        });
        let bodies = matches!(kind, StepKind::ForEach | StepKind::While).then(|| {
            let called = body.filter(|kind| *kind != StepKind::Unknown);
            group(
                text::GROUP_BODY,
                view! {
                    {select_field(session, field("LoopBodyType"), &text::BODY, "")}
                    {called.map(|kind| picker(session, id, kind))}
                }
                .into_any(),
            )
        });
        Some(view! {
            {group(
                text::GROUP_STEP,
                view! {
                    {text_field(session, field("Name"), "", false)}
                    {text_field(session, field("Description"), text::OPTIONAL, true)}
                    <div class="two">
                        {select_field(session, field("Status"), &text::STATUS, "Active")}
                        {check_field(session, field("StartingStep"), text::STARTING)}
                    </div>
                }
                .into_any(),
            )}
            {call}
            {looped}
            {bodies}
            {group(
                text::GROUP_ERRORS,
                view! {
                    {select_field(session, field("OnErrorBehavior"), &text::ON_ERROR, "fail")}
                    <div class="two">
                        {retries.then(|| number_field(session, field("RetryCount"), text::default_is("0")))}
                        {timeout_field(session, id, kind)}
                    </div>
                }
                .into_any(),
            )}
        })
    };
    view! { <div class="cfg">{body}</div> }.into_any()
}

/// The name of a loop's item. What still uses the name it had when the cursor came is shown, and renamed in one step if wished.
fn variable_field(session: Session, id: EntityId, usual: &'static str) -> AnyView {
    let bind = Bind::inside(id, "Configuration", "itemVariable");
    let watched = bind.clone();
    let name = Memo::new(move |_| {
        watched.watch(session).map(|value| column::field_text(&value)).filter(|name| !name.is_empty()).unwrap_or_else(|| usual.to_owned())
    });
    let before = RwSignal::new(None::<String>);
    let edit = move || {
        let old = before.get()?;
        session.doc.track(id);
        session.doc.with(|document| edits::rename_variable_uses(document, id, &old, &name.get()).map(|edit| (old, edit)))
    };
    let bar = move || {
        edit().map(|(old, edit)| {
            let lines = session.doc.with(|document| changed_lines(document, &edit));
            let rename = move |_| {
                session.apply(edit.clone());
            };
            view! {
                <div class="fixbar rename s-running">
                    {icon("info")}
                    <div class="grow">
                        {prose(&text::still_used(&old, lines.len()))}
                        {lines.into_iter().map(|(from, to)| view! { <div class="rename-line"><del>{from}</del>" "<ins>{to}</ins></div> }).collect_view()}
                    </div>
                    <button type="button" class="btn fix" on:mousedown=|event| event.prevent_default() on:click=rename>{text::RENAME_THERE}</button>
                </div>
            }
        })
    };
    // The name that counts as the old one is that of the moment the cursor came; once renamed there is no other.
    let came = move |_| {
        if before.with_untracked(Option::is_none) {
            before.set(Some(name.get_untracked()));
        }
    };
    view! { <div on:focusin=came>{text_field(session, bind, usual, false)}<div aria-live="polite">{bar}</div></div> }.into_any()
}

/// The texts an edit changes, as they are and as they will be.
fn changed_lines(document: &loopwright_model::Document, edit: &loopwright_model::Edit) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for change in &edit.changes {
        if let loopwright_model::Change::SetField { id, name, value, .. } = change {
            let (old, new) = (document.field(*id, name), value.as_ref());
            let entries = |value: Option<&Value>| match column::rows(value) {
                Rows::Entries(entries) => entries,
                Rows::Invalid(_) => Vec::new(),
            };
            let after = entries(new);
            for (key, old) in entries(old) {
                let new = after.iter().find(|(own, _)| *own == key).map(|(_, value)| value);
                if let Some(new) = new.filter(|new| **new != old) {
                    lines.push((column::field_text(&old), column::field_text(new)));
                }
            }
            if name == "Description" {
                lines.push((old.map(column::field_text).unwrap_or_default(), new.map(column::field_text).unwrap_or_default()));
            }
        }
    }
    lines
}

fn timeout_field(session: Session, id: EntityId, kind: StepKind) -> AnyView {
    // Of loops only a written value counts (ruling 28).
    let default = if kind.is_loop() { text::NO_LIMIT.to_owned() } else { text::default_is("600") };
    number_field(session, Bind::column(id, "TimeoutSeconds"), default)
}

/// A titled group of fields.
pub fn group(title: &'static str, fields: AnyView) -> AnyView {
    view! {
        <section class="fg" aria-label=title>
            <h3 class="fgh">{title}</h3>
            {fields}
        </section>
    }
    .into_any()
}

/// What is said in place of fields that cannot be shown.
pub fn not_json(session: Session, words: &'static str) -> AnyView {
    view! {
        <div class="fixbar s-failed broken">
            {super::parts::small_icon("error")}
            <span class="grow">{words}</span>
            <button type="button" class="btn fix" on:click=move |_| session.layout.inspector_tab.set(InspectorTab::Json)>{text::OPEN_JSON}</button>
        </div>
    }
    .into_any()
}

/// `collectionPath`, with the list it leads to beside it.
fn collection_field(session: Session, bind: Bind, preview: PreviewOf) -> AnyView {
    let watched = bind.clone();
    let outcome = Signal::derive(move || {
        let typed = watched.watch(session).and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default();
        if typed.trim().is_empty() || preview.values.with(|preview| preview.source == super::preview::Source::None) {
            return Outcome::default();
        }
        let found = collection(&typed, &preview.scope().get());
        let words = match &found {
            Value::List(list) => text::items(list.len() as u64),
            other => text::not_a_list(other.what()),
        };
        Outcome { bad: found.as_list().is_none(), line: Some((found, words)), troubles: Vec::new() }
    });
    code(session, bind, CodeSpec { mode: Mode::Expression, scope: preview.scope(), outcome, placeholder: "payload.items" })
}

/// Whose condition it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Judge {
    /// A While loop's.
    While,
    /// A path's.
    Path,
}

/// A condition, with what it comes to beside it.
pub fn condition_field(session: Session, bind: Bind, scope: Signal<Arc<Scope>>, judge: Judge) -> AnyView {
    let watched = bind.clone();
    let outcome = Signal::derive(move || {
        let typed = watched.watch(session).and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default();
        judge_condition(&typed, &scope.get(), session, judge)
    });
    let placeholder = if judge == Judge::Path { "always open" } else { "payload.retries < 5" };
    code(session, bind, CodeSpec { mode: Mode::Expression, scope, outcome, placeholder })
}

fn judge_condition(typed: &str, scope: &Scope, session: Session, judge: Judge) -> Outcome {
    let parsed = expr::parse(typed);
    let mut troubles: Vec<Trouble> = parsed.problems.iter().map(|problem| Trouble::of_text(problem, typed)).collect();
    let broken = parsed.problems.iter().any(|problem| problem.severity == loopwright_lang::Severity::Error);
    let Some(root) = parsed.root.filter(|_| !broken && scope.payload.is_some()) else {
        return Outcome { troubles, ..Outcome::default() };
    };
    match expr::evaluate(&root, scope, &semantics(session)) {
        Ok(value) => {
            let holds = expr::truthy(&value);
            let words = match judge {
                Judge::While => text::while_holds(holds).to_owned(),
                Judge::Path => text::path_holds(holds).to_owned(),
            };
            Outcome { line: Some((value, words)), bad: false, troubles }
        }
        Err(error) => {
            troubles.push(Trouble {
                severity: loopwright_lang::Severity::Warning,
                message: error.message,
                span: Some(error.span),
                fix: None,
            });
            Outcome { line: Some((Value::Undefined, text::NOT_EVALUABLE.to_owned())), bad: true, troubles }
        }
    }
}
