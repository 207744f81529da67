//! What the texts of a step refer to, so that the page can evaluate them at every keystroke: the scope of the selected
//! iteration, asked of the worker once; without a run, the scenario's start.

use std::sync::Arc;

use leptos::prelude::*;
use loopwright_executor::protocol::{Ask, Frame, FrameKind, LoopView, Reply, ScopeView};
use loopwright_lang::{LoopFrame, Scope, Semantics, Text, Value, json, path};
use loopwright_model::EntityId;

use super::parts::icon;
use crate::{
    run::asked::{self as run, asked},
    session::Session,
    text::inspector as text,
};

/// Where the values of a preview come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// There is neither a run nor a scenario.
    #[default]
    None,
    /// The scenario's starting payload.
    Scenario,
    /// The last run.
    Run,
}

/// The values a step's texts see.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Preview {
    /// Where they come from.
    pub source: Source,
    /// For mappings, `collectionPath` and the While condition.
    pub scope: Arc<Scope>,
    /// For the conditions of the step's paths.
    pub after: Arc<Scope>,
    /// What the step (or its body, in the selected iteration) gave back.
    pub result: Option<Value>,
}

/// The preview of a step, following run, selected iteration, scenario and document.
#[derive(Clone, Copy)]
pub struct PreviewOf {
    /// The values.
    pub values: RwSignal<Arc<Preview>>,
    /// The selected iteration, where it is one of the step's own loop or of one around it.
    pub iteration: Memo<Option<Arc<Frame>>>,
}

impl PreviewOf {
    /// Only the scope for mappings.
    pub fn scope(self) -> Signal<Arc<Scope>> {
        Signal::derive(move || self.values.with(|preview| preview.scope.clone()))
    }

    /// Only the scope for the conditions of paths.
    pub fn after(self) -> Signal<Arc<Scope>> {
        Signal::derive(move || self.values.with(|preview| preview.after.clone()))
    }
}

/// The rules the flow runs by, watched.
pub fn semantics(session: Session) -> Semantics {
    Semantics::of(session.profile.get())
}

/// A JSON text that crossed the worker's boundary.
pub fn value(text: &str) -> Value {
    if text == "undefined" { Value::Undefined } else { json::parse(text).value().unwrap_or_default() }
}

fn root(text: Option<&String>) -> Option<Value> {
    text.map(|text| value(text))
}

fn frame(view: &LoopView) -> LoopFrame {
    LoopFrame {
        item_variable: Text::from(view.item_variable.as_str()),
        item: value(&view.item),
        index_variable: view.index_variable.as_deref().map(Text::from),
        index: view.index,
    }
}

/// The scopes in a worker's answer.
pub fn scopes(view: &ScopeView) -> (Scope, Scope) {
    let scope = Scope {
        payload: root(view.payload.as_ref()),
        data: root(view.data.as_ref()),
        context: root(view.context.as_ref()),
        conversation: root(view.conversation.as_ref()),
        step_result: root(view.step_result.as_ref()),
        flow_context: None,
        results: root(view.results.as_ref()),
        errors: root(view.errors.as_ref()),
        loops: view.loops.iter().map(frame).collect(),
        ..Scope::default()
    };
    let after = Scope {
        payload: root(view.payload_after.as_ref()).or_else(|| scope.payload.clone()),
        step_result: root(view.own_result.as_ref()),
        flow_context: root(view.flow_context.as_ref()),
        results: None,
        errors: None,
        ..scope.clone()
    };
    (scope, after)
}

/// The scope of the scenario's start: its payload, data and context; of a loop, its first item.
pub fn start_scope(session: Session, step: EntityId) -> Option<Scope> {
    let scenario = session.run.scenario.get_untracked()?;
    session.doc.with(|document| {
        let scenario = document.scenario(scenario)?;
        let part = |name: &str| scenario.part(name).map(expand);
        let mut scope = Scope {
            payload: Some(part("payload").unwrap_or_else(|| Value::object::<Text>([]))),
            data: part("data"),
            context: part("context"),
            conversation: part("conversation"),
            ..Scope::default()
        };
        if let Some(step) = document.step(step)
            && step.kind().is_loop()
        {
            let configuration = step.field("Configuration");
            let text = |key: &str| loopwright_panels::column::get(configuration, key).and_then(|value| value.as_str().map(Text::from));
            let item = match text("collectionPath") {
                Some(path) => collection(&path, &scope).as_list().and_then(|list| list.get(0).cloned()).unwrap_or_default(),
                None => Value::object([("attemptNumber", Value::Number(1.0)), ("totalAttempts", Value::Number(0.0))]),
            };
            let default = if step.kind() == loopwright_model::StepKind::While { "attempt" } else { "item" };
            scope.loops.push(LoopFrame {
                item_variable: text("itemVariable").unwrap_or_else(|| default.into()),
                item,
                index_variable: text("indexVariable"),
                index: 0,
            });
            scope.results = Some(Value::list([]));
            scope.errors = Some(Value::list([]));
        }
        Some(scope)
    })
}

/// A scenario's value with its generator (`{ "$repeat": n, "item": … }`) shown by its first few items.
fn expand(value: &Value) -> Value {
    match value {
        Value::Object(object) => match (object.get("$repeat").and_then(Value::as_number), object.get("item")) {
            (Some(count), Some(item)) if count >= 0.0 => Value::list((0..(count as usize).min(20)).map(|_| expand(item))),
            _ => Value::object(object.iter().map(|(key, value)| (key.clone(), expand(value)))),
        },
        Value::List(list) => Value::list(list.iter().map(expand)),
        other => other.clone(),
    }
}

/// What a `collectionPath` leads to (ruling 21): a loop's variable, then the payload; `static:` JSON.
pub fn collection(text: &str, scope: &Scope) -> Value {
    let text = text.trim();
    if let Some(literal) = text.strip_prefix("static:") {
        return json::parse(literal).value().unwrap_or_default();
    }
    let Ok(parsed) = path::parse(text) else { return Value::Undefined };
    let Some((first, rest)) = parsed.segments.split_first() else { return Value::Undefined };
    let path::Key::Name(name) = &first.key else { return Value::Undefined };
    if let Some(frame) = scope.loops.iter().find(|frame| frame.item_variable == *name) {
        return path::walk(&frame.item, rest);
    }
    let Some(payload) = &scope.payload else { return Value::Undefined };
    if name.eq_ignore_ascii_case("payload") { path::walk(payload, rest) } else { path::walk(payload, &parsed.segments) }
}

/// An output of a result (ruling 13): as it is called, then whatever its case, then inside.
pub fn output(result: &Value, name: &str) -> Value {
    if name == "*" {
        return result.clone();
    }
    let find = |value: &Value, key: &str| {
        value.as_object().and_then(|object| {
            object
                .get(key)
                .cloned()
                .or_else(|| object.iter().find(|(own, _)| own.eq_ignore_ascii_case(key)).map(|(_, value)| value.clone()))
        })
    };
    find(result, name).unwrap_or_else(|| name.split('.').try_fold(result.clone(), |value, key| find(&value, key)).unwrap_or_default())
}

/// The preview of a step; of nothing, nothing.
pub fn of(session: Session, step: Option<EntityId>) -> PreviewOf {
    let values = RwSignal::new(Arc::new(Preview::default()));
    let view = asked(
        session,
        move || Some(Ask::Scope { run: session.run.run.get()?, step: step?, iteration: session.run.iteration.get() }),
        |reply| if let Reply::Scope(view) = reply { Some(view) } else { None },
    );
    let selected = run::selected(session);
    let iteration = Memo::new(move |_| selected.get().filter(|frame| step.is_some_and(|step| concerns(frame, step))));
    let visit = run::frame(session, move || {
        let own = iteration.with(|frame| frame.as_ref().filter(|frame| frame.step == step).map(|frame| frame.frame));
        own.or_else(|| step.and_then(|step| run::last_visit(session, step)))
    });
    let from_run = Memo::new(move |_| {
        let view = view.get().filter(|view| view.payload.is_some())?;
        let (scope, after) = scopes(&view);
        Some((Arc::new(scope), Arc::new(after)))
    });
    Effect::new(move |_| {
        let Some(step) = step else { return };
        let result = visit.with(|visit| visit.as_ref().and_then(|visit| visit.result.as_deref()).map(value));
        let next = match from_run.get() {
            Some((scope, after)) => Preview { source: Source::Run, scope, after, result },
            // Nothing has run, or the run did not come here.
            None => {
                if let Some(scenario) = session.run.scenario.get() {
                    session.doc.track(scenario);
                }
                session.doc.track(step);
                at_start(session, step)
            }
        };
        if values.with_untracked(|old| **old != next) {
            values.set(Arc::new(next));
        }
    });
    PreviewOf { values, iteration }
}

/// Whether a part of the run is an iteration of the step's own loop, or of one around it.
fn concerns(frame: &Frame, step: EntityId) -> bool {
    frame.kind == FrameKind::Iteration && (frame.step == Some(step) || frame.place.iter().any(|part| part.step == step))
}

fn at_start(session: Session, step: EntityId) -> Preview {
    match start_scope(session, step) {
        Some(scope) => {
            let scope = Arc::new(scope);
            Preview { source: Source::Scenario, after: scope.clone(), scope, result: None }
        }
        None => Preview::default(),
    }
}

/// The bar over mapping rows: which iteration the values are of, and the way to its neighbours.
pub fn bar(session: Session, step: EntityId, preview: PreviewOf) -> AnyView {
    let words = move || {
        let source = preview.values.with(|preview| preview.source);
        match (source, preview.iteration.get()) {
            (Source::None, _) => view! { <span>{text::VALUES_NONE}</span> }.into_any(),
            (Source::Scenario, _) => view! { <span>{text::VALUES_SCENARIO}</span> }.into_any(),
            (Source::Run, Some(frame)) => view! {
                <span>{text::VALUES_ITERATION}</span>
                <b>{text::iteration_path(&frame.path)}</b>
                <span class="t3">{frame.of.map(text::of)}</span>
            }
            .into_any(),
            (Source::Run, None) => view! { <span>{text::VALUES_LAST_RUN}</span> }.into_any(),
        }
    };
    // Where no iteration is selected yet the arrows lead to the first and the last one of the step's own loop.
    let own_loop = Memo::new(move |_| {
        session.run.steps.with(|steps| {
            steps.steps.iter().find(|status| status.step == step && status.done > 0).and_then(|status| Some((status.frame?, status.done)))
        })
    });
    let neighbour = move |back: bool| {
        preview.iteration.with(|frame| frame.as_ref().map(|frame| if back { frame.neighbours.0 } else { frame.neighbours.1 }))
    };
    let button = move |back: bool, label: &'static str, glyph: &'static str| {
        view! {
            <button
                type="button"
                class="btn ghost sm icon"
                aria-label=label
                title=label
                disabled=move || neighbour(back).map_or_else(|| own_loop.get().is_none(), |frame| frame.is_none())
                on:click=move |_| match (neighbour(back), own_loop.get_untracked()) {
                    (Some(Some(frame)), _) => session.run.iteration.set(Some(frame)),
                    (None, Some((of_loop, done))) => session.run.select_iteration(of_loop, if back { done - 1 } else { 0 }),
                    _ => {}
                }
            >
                {icon(glyph)}
            </button>
        }
    };
    view! {
        <div class="iterbar">
            <span class="iterbar-words" aria-live="polite">{words}</span>
            <span class="grow"></span>
            {button(true, text::PREVIOUS_ITERATION, "prev")}
            {button(false, text::NEXT_ITERATION, "next")}
        </div>
    }
    .into_any()
}
