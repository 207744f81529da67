//! The Iterations tab: a loop's iterations as a matrix, only what is in view on the page.

use std::sync::Arc;

use leptos::{ev, prelude::*};
use loopwright_executor::protocol::{Ask, FrameId, IterationRow, Iterations, Reply, State};
use loopwright_panels::show;

use super::{
    asked::{asked, selected},
    details::{details, state_marks, step_name},
    timeline::{step_failure, step_iteration},
    virtual_list::VirtualList,
};
use crate::{
    session::Session,
    text::run as text,
    ui::{icon, small_icon, tile},
};

/// Height of a row in px.
const ROW: f64 = 28.0;

/// The tab's content.
pub fn iterations_tab(session: Session) -> AnyView {
    let chosen = selected(session);
    // The loop someone picked; otherwise that of the selected iteration, otherwise the first of the run.
    let picked = RwSignal::new(None::<FrameId>);
    let loops =
        Memo::new(move |_| session.run.summary.with(|summary| summary.as_ref().map(|summary| summary.loops.clone()).unwrap_or_default()));
    let shown = Memo::new(move |_| {
        let of_chosen = chosen.with(|frame| frame.as_ref().and_then(|frame| frame.of_loop));
        picked.get().or(of_chosen).or_else(|| loops.with(|loops| loops.first().map(|first| first.frame)))
    });
    Effect::new(move |before: Option<Option<FrameId>>| {
        let now = session.run.iteration.get();
        if before.is_some_and(|before| before != now) {
            picked.set(None);
        }
        now
    });
    let only_failed = RwSignal::new(false);
    let list = VirtualList::new(ROW);
    let answer = asked(
        session,
        move || {
            let (from, count) = list.window.get();
            Some(Ask::Iterations { run: session.run.run.get()?, frame: shown.get()?, from, count, only_failed: only_failed.get() })
        },
        |reply| if let Reply::Iterations(iterations) = reply { Some(iterations) } else { None },
    );
    // The selected iteration comes into view.
    Effect::new(move |_| {
        let here = chosen.with(|frame| frame.as_ref().filter(|frame| frame.of_loop == shown.get_untracked()).and_then(|frame| frame.index));
        if let Some(index) = here
            && !only_failed.get_untracked()
        {
            list.reveal(index);
        }
    });
    let body = move || {
        if session.run.run.get().is_none() {
            return view! { <p class="empty">{text::NO_RUN}</p> }.into_any();
        }
        if shown.get().is_none() {
            return view! { <p class="empty">{text::NO_LOOPS}</p> }.into_any();
        }
        view! {
            <div class="tl-split">
                <div class="its">
                    {head(session, loops, shown, picked, answer, only_failed)}
                    {matrix(session, list, answer)}
                    {foot(list, answer)}
                </div>
                {details(session, chosen.into())}
            </div>
        }
        .into_any()
    };
    view! { <div class="tl-tab" on:keydown=move |event| super::dock_key(session, &event)>{body}</div> }.into_any()
}

fn head(
    session: Session,
    loops: Memo<Vec<loopwright_executor::protocol::LoopCount>>,
    shown: Memo<Option<FrameId>>,
    picked: RwSignal<Option<FrameId>>,
    answer: RwSignal<Option<Arc<Iterations>>>,
    only_failed: RwSignal<bool>,
) -> AnyView {
    let options = move || {
        let mut frames: Vec<(FrameId, String)> =
            loops.with(|loops| loops.iter().map(|own| (own.frame, session.doc.with(|document| step_name(document, own.step)))).collect());
        // An inner loop is not among the loops of the outermost flow.
        if let Some(own) = shown.get().filter(|own| frames.iter().all(|(frame, _)| frame != own)) {
            frames.push((own, text::INNER_LOOP.into()));
        }
        frames
            .into_iter()
            .map(|(frame, name)| view! { <option value=frame.0.to_string() prop:selected=move || shown.get() == Some(frame)>{name}</option> })
            .collect_view()
    };
    let kind = move || {
        let step = loops.with(|loops| loops.iter().find(|own| Some(own.frame) == shown.get()).map(|own| own.step));
        step.and_then(|step| session.doc.with(|document| document.step(step).map(|step| step.kind()))).map(|kind| tile(kind, "t20"))
    };
    let chips = move || {
        answer.get().map(|answer| {
            let chip = |state: State, n: u64| {
                let (glyph, class) = state_marks(state);
                (n > 0).then(|| view! { <span class=format!("chip num {class}")>{small_icon(glyph)}{show::count(n)}<span class="sr">" "{text::short_state(state)}</span></span> })
            };
            view! { {chip(State::Succeeded, answer.succeeded)} {chip(State::Failed, answer.failed)} {chip(State::Running, answer.running)} }
        })
    };
    view! {
        <div class="its-head">
            {kind}
            <select
                class="tf sel its-loop"
                aria-label=text::LOOP
                on:change=move |event| picked.set(event_target_value(&event).parse().ok().map(FrameId))
            >
                {options}
            </select>
            {chips}
            <span class="grow"></span>
            <div class="seg sm" role="group" aria-label=text::SHOW>
                <button type="button" aria-pressed=move || (!only_failed.get()).to_string() on:click=move |_| only_failed.set(false)>{text::ALL}</button>
                <button type="button" aria-pressed=move || only_failed.get().to_string() on:click=move |_| only_failed.set(true)>{text::ONLY_FAILED}</button>
            </div>
            <button type="button" class="btn sm icon" aria-label=text::PREVIOUS_FAILURE title=text::PREVIOUS_FAILURE on:click=move |_| step_failure(session, true)>
                {icon("up")}
            </button>
            <button type="button" class="btn sm" title=text::NEXT_FAILURE on:click=move |_| step_failure(session, false)>
                {icon("down")}
                {text::NEXT_SHORT}
                <span class="sr">{text::NEXT_WHAT}</span>
                <span class="kbd" aria-hidden="true">"N"</span>
            </button>
        </div>
    }
    .into_any()
}

fn matrix(session: Session, list: VirtualList, answer: RwSignal<Option<Arc<Iterations>>>) -> AnyView {
    let longest = Memo::new(move |_| {
        answer.with(|answer| {
            answer
                .as_ref()
                .map_or(1, |answer| answer.rows.iter().filter_map(|row| Some(row.end_us? - row.start_us)).max().unwrap_or(1).max(1))
        })
    });
    let rows = move || {
        let from = answer.with(|answer| answer.as_ref().map_or(0, |answer| answer.from));
        answer
            .with(|answer| answer.as_ref().map(|answer| answer.rows.clone()).unwrap_or_default())
            .into_iter()
            .enumerate()
            .map(move |(at, row)| (from + at as u64, row))
            .collect::<Vec<_>>()
    };
    let total = move || answer.with(|answer| answer.as_ref().map_or(0, |answer| answer.total));
    let none = move || (total() == 0 && answer.with(Option::is_some)).then(|| view! { <p class="empty">{text::NO_FAILED}</p> });
    let on_key = move |event: ev::KeyboardEvent| {
        let back = match event.key().as_str() {
            "ArrowUp" => true,
            "ArrowDown" => false,
            _ => return,
        };
        event.prevent_default();
        step_iteration(session, back);
    };
    view! {
        <div class="vt" role="table" aria-label=text::ITERATIONS aria-rowcount=move || (total() + 1).to_string()>
            <div role="rowgroup">
                <div class="vt-row vt-head its-cols" role="row" aria-rowindex="1">
                    <span role="columnheader">{text::COLUMN_NUMBER}</span>
                    <span role="columnheader">{text::COLUMN_ITEM}</span>
                    <span role="columnheader">{text::COLUMN_STATE}</span>
                    <span role="columnheader">{text::COLUMN_DURATION}</span>
                    <span role="columnheader">{text::COLUMN_PARAMS}</span>
                    <span role="columnheader">{text::COLUMN_RESULT}</span>
                </div>
            </div>
            <div class="vt-scroll" role="rowgroup" tabindex="0" node_ref=list.node on:scroll=move |_| list.on_scroll() on:keydown=on_key>
                <div class="vt-space" role="presentation" style:height=move || list.top(total())>
                    <For each=rows key=|(at, row)| (*at, row.frame, row.state, row.end_us) let:entry>
                        {row_view(session, list, longest, entry.0, entry.1)}
                    </For>
                </div>
            </div>
        </div>
        {none}
    }
    .into_any()
}

fn row_view(session: Session, list: VirtualList, longest: Memo<u64>, at: u64, row: IterationRow) -> AnyView {
    let frame = row.frame;
    let chosen = move || session.run.iteration.get() == Some(frame);
    let (glyph, class) = state_marks(row.state);
    let took = row.end_us.map(|end| end - row.start_us);
    let width = move || format!("{:.1}px", took.unwrap_or_default() as f64 / longest.get() as f64 * 92.0);
    let (outer, own) = match row.path.split_last() {
        Some((_, outer)) if !outer.is_empty() => {
            (format!("{} › ", outer.iter().map(|n| show::count(n + 1)).collect::<Vec<_>>().join(" › ")), show::count(row.index + 1))
        }
        _ => (String::new(), show::count(row.index + 1)),
    };
    let result = row.error.clone().unwrap_or_else(|| flat(&row.result));
    let params = flat(&row.params);
    let name = format!("{}, {}", text::iteration(row.index), text::state(row.state));
    view! {
        <div
            class=format!("vt-row its-cols {class}")
            class:is-selected=chosen
            class:is-match=row.state == State::Failed
            role="row"
            aria-rowindex=(at + 2).to_string()
            style:top=list.top(at)
            on:click=move |_| session.run.iteration.set(Some(frame))
        >
            <span role="cell" class="num">
                <button type="button" class="vt-jump num" aria-label=name aria-pressed=move || chosen().to_string() on:click=move |_| session.run.iteration.set(Some(frame))>
                    <span class="t3">{outer}</span>
                    {own}
                </button>
            </span>
            <span role="cell" class="ell" title=row.label.clone()>{row.label.clone()}</span>
            <span role="cell"><span class="st">{icon(glyph)}<span class="w">{text::short_state(row.state)}</span></span></span>
            <span role="cell" class="its-took"><i class="its-bar"><i style:width=width></i></i><span class="num">{took.map_or_else(|| "–".to_owned(), show::seconds)}</span></span>
            <span role="cell" class="m t2 ell" title=row.params.clone()>{params}</span>
            <span role="cell" class="m ell" class:t2=row.error.is_none() class:is-error=row.error.is_some() title=result.clone()>{result.clone()}</span>
        </div>
    }
    .into_any()
}

/// `{"a":1,"b":"x"}` as `a 1, b "x"`; whatever else as it is.
fn flat(json: &str) -> String {
    let value = loopwright_lang::json::parse(json).value();
    match value.as_ref().and_then(loopwright_lang::Value::as_object) {
        Some(object) => {
            object.iter().map(|(key, value)| format!("{} {}", key.as_str(), show::preview(value, 60))).collect::<Vec<_>>().join(", ")
        }
        None => json.to_owned(),
    }
}

fn foot(list: VirtualList, answer: RwSignal<Option<Arc<Iterations>>>) -> AnyView {
    let words = move || {
        answer.with(|answer| {
            let total = answer.as_ref().map_or(0, |answer| answer.total);
            let (from, to) = list.in_view.get();
            text::rows_of(from.min(total), to.min(total), total)
        })
    };
    let exit = move || {
        answer.with(|answer| answer.as_ref().and_then(|answer| answer.exit.as_deref().map(|exit| text::exit(exit).replace('`', ""))))
    };
    view! { <div class="its-foot meta t3 num"><span>{words}</span><span>{exit}</span><span class="grow"></span><span class="ell">{text::CLICK_ROW}</span></div> }
        .into_any()
}
