//! The Payload tab: the payload as of the playhead as a tree, and what changed since another moment.

use std::collections::HashMap;

use leptos::prelude::*;
use loopwright_executor::protocol::{Ask, Moment, Reply};
use loopwright_lang::Value;
use loopwright_panels::show;

use super::{
    asked::{asked, last_visit},
    details::{diff, step_name},
};
use crate::{
    inspector::{parts::value_text, preview::value},
    session::Session,
    text::run as text,
    ui::{icon, small_icon},
};

/// Members shown of a list or an object before "more" is asked for, and how many more then.
const MEMBERS: usize = 100;

/// Which other moment the payload is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Since {
    Start,
    Step,
    Iteration,
    Pinned(u64),
}

impl Since {
    /// The moment (watched); the start where nothing is selected.
    fn moment(self, session: Session) -> Moment {
        let step = || session.selection.primary.get().and_then(|step| last_visit(session, step));
        let before = match self {
            Self::Start => None,
            Self::Pinned(at) => return Moment::Time(at),
            Self::Step => step(),
            Self::Iteration => session.run.iteration.get(),
        };
        before.map_or(Moment::Start, Moment::Before)
    }
}

/// The tab's content.
pub fn payload_tab(session: Session) -> AnyView {
    let since = RwSignal::new(Since::Start);
    let pinned = RwSignal::new(None::<u64>);
    let answer = asked(
        session,
        move || {
            let (before, after) = (since.get().moment(session), Moment::Time(session.run.now_us()));
            Some(Ask::Moments { run: session.run.run.get()?, agent: None, before, after })
        },
        |reply| if let Reply::Payload(view) = reply { Some(view) } else { None },
    );
    // A moment of another run is none of this one.
    Effect::new(move |_| {
        session.run.run.track();
        pinned.set(None);
        if matches!(since.get_untracked(), Since::Pinned(_)) {
            since.set(Since::Start);
        }
    });
    // What someone opened stays open while the playhead moves.
    let open = RwSignal::new(HashMap::<String, bool>::new());
    let tree = move || {
        answer.get().map(|answer| {
            let payload = value(&answer.payload);
            let writers: HashMap<String, String> = answer
                .writers
                .iter()
                .map(|(key, step)| (key.clone(), text::written_by(&session.doc.with(|document| step_name(document, *step)))))
                .collect();
            members(&payload, String::new(), 0, open, &writers, MEMBERS)
        })
    };
    let changes = move || {
        answer.get().map(|answer| {
            if answer.changes.is_empty() { view! { <p class="kv-none">{text::NO_CHANGES}</p> }.into_any() } else { diff(&answer.changes) }
        })
    };
    let option = move |own: Since, key: &'static str, label: String| view! { <option value=key prop:selected=move || since.get() == own>{label}</option> };
    let options = move || {
        view! {
            {option(Since::Start, "start", text::THE_START.to_owned())}
            {option(Since::Step, "step", text::STEP_BEFORE.to_owned())}
            {option(Since::Iteration, "iteration", text::ITERATION_BEFORE.to_owned())}
            {pinned.get().map(|at| option(Since::Pinned(at), "pinned", text::pinned(&show::seconds(at))))}
        }
    };
    let choose = move |event| {
        since.set(match event_target_value(&event).as_str() {
            "step" => Since::Step,
            "iteration" => Since::Iteration,
            "pinned" => pinned.get_untracked().map_or(Since::Start, Since::Pinned),
            _ => Since::Start,
        });
    };
    let pin = move |_| {
        let now = untrack(|| session.run.now_us());
        pinned.set(Some(now));
        since.set(Since::Pinned(now));
    };
    let body = move || {
        if session.run.run.get().is_none() {
            return view! { <p class="empty">{text::NO_RUN}</p> }.into_any();
        }
        view! {
            <div class="tl-split">
                <section class="pay" aria-label=text::PAYLOAD tabindex="0">
                    <div class="side-h">
                        <b class="num">{move || text::payload_at(&show::seconds(session.run.now_us()))}</b>
                        <button type="button" class="btn ghost sm icon" aria-label=text::PIN title=text::PIN on:click=pin>{icon("pin")}</button>
                    </div>
                    <ul class="pay-tree" role="tree" aria-label=text::PAYLOAD>{tree}</ul>
                </section>
                <section class="detail pay-diff" aria-label=text::CHANGES tabindex="0">
                    <div class="side-h">
                        <b>{text::CHANGES}</b>
                        <label class="row t3 label">
                            {text::COMPARED_WITH}
                            <select class="tf sel" on:change=choose>{options}</select>
                        </label>
                    </div>
                    <div class="side-body">{changes}</div>
                </section>
            </div>
        }
        .into_any()
    };
    view! { <div class="tl-tab" on:keydown=move |event| super::dock_key(session, &event)>{body}</div> }.into_any()
}

/// The members of an object or a list, each a row; inner ones when they are open.
fn members(
    parent: &Value,
    path: String,
    depth: usize,
    open: RwSignal<HashMap<String, bool>>,
    writers: &HashMap<String, String>,
    most: usize,
) -> AnyView {
    let entries: Vec<(String, Value)> = match parent {
        Value::Object(object) => object.iter().take(most).map(|(key, value)| (key.as_str().to_owned(), value.clone())).collect(),
        Value::List(list) => list.iter().take(most).enumerate().map(|(at, value)| (at.to_string(), value.clone())).collect(),
        other => return view! { <li role="treeitem" aria-selected="false" class="pay-row">{value_text(other, 200)}</li> }.into_any(),
    };
    let all = match parent {
        Value::Object(object) => object.len(),
        Value::List(list) => list.len(),
        _ => 0,
    };
    let rows = entries
        .into_iter()
        .map(|(key, value)| {
            let writer = (depth == 0).then(|| writers.get(&key).cloned()).flatten();
            member(key.clone(), value, format!("{path}/{key}"), depth, open, writer)
        })
        .collect_view();
    let rest = (all > most).then(|| {
        let parent = parent.clone();
        let more = RwSignal::new(false);
        let writers = writers.clone();
        view! {
            <Show
                when=move || more.get()
                fallback=move || view! {
                    <li role="none" class="pay-row" style:padding-left=indent(depth)>
                        <button type="button" class="btn ghost sm" on:click=move |_| more.set(true)>{text::more_items(all - most)}</button>
                    </li>
                }
            >
                {members(&rest_of(&parent, most), path.clone(), depth, open, &writers, MEMBERS * 10)}
            </Show>
        }
    });
    view! { {rows} {rest} }.into_any()
}

/// The members past the first `skip`, as the same kind of thing.
fn rest_of(value: &Value, skip: usize) -> Value {
    match value {
        Value::Object(object) => Value::object(object.iter().skip(skip).map(|(key, value)| (key.clone(), value.clone()))),
        // Numbered on from where the first ones ended.
        Value::List(list) => Value::object(list.iter().enumerate().skip(skip).map(|(at, value)| (at.to_string(), value.clone()))),
        other => other.clone(),
    }
}

fn indent(depth: usize) -> String {
    format!("{}px", 28 + depth.min(12) * 16)
}

fn member(key: String, value: Value, path: String, depth: usize, open: RwSignal<HashMap<String, bool>>, writer: Option<String>) -> AnyView {
    let inner = match &value {
        Value::Object(object) if !object.is_empty() => Some(text::n_keys(object.len())),
        Value::List(list) if !list.is_empty() => Some(text::n_items(list.len())),
        _ => None,
    };
    let Some(size) = inner else {
        return view! {
            <li role="treeitem" aria-selected="false" class="pay-row" style:padding-left=indent(depth)>
                <code class="pay-key">{key}</code>
                {value_text(&value, 160)}
                <span class="end t3 meta ell">{writer}</span>
            </li>
        }
        .into_any();
    };
    let state = path.clone();
    let is_open = Memo::new(move |_| open.with(|open| open.get(&state).copied().unwrap_or(false)));
    let toggled = path.clone();
    let toggle = move || {
        open.update(|open| {
            let now = open.get(&toggled).copied().unwrap_or(false);
            open.insert(toggled.clone(), !now);
        });
    };
    let preview = value.clone();
    view! {
        <li role="treeitem" aria-selected="false" aria-expanded=move || is_open.get().to_string()>
            <div class="pay-row" style:padding-left=indent(depth)>
                <button type="button" class="pay-tw" aria-label=key.clone() aria-expanded=move || is_open.get().to_string() on:click=move |_| toggle()>
                    {move || small_icon(if is_open.get() { "down" } else { "next" })}
                </button>
                <code class="pay-key">{key.clone()}</code>
                <span class="t3 meta">{size}</span>
                {move || (!is_open.get()).then(|| value_text(&preview, 120))}
                <span class="end t3 meta ell">{writer}</span>
            </div>
            <Show when=move || is_open.get()>
                <ul role="group">{members(&value, path.clone(), depth + 1, open, &HashMap::new(), MEMBERS)}</ul>
            </Show>
        </li>
    }
    .into_any()
}
