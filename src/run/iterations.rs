//! The Iterations tab: a loop's iterations as a matrix, only what is in view on the page.

use std::sync::Arc;

use leptos::{ev, prelude::*};
use loopwright_executor::protocol::{self, Ask, FrameId, IterationRow, Iterations, LoopCount, Matrix as Rows, Order, Reply, State};
use loopwright_panels::show;

use super::{
    asked::{asked, asked_or, selected},
    details::{details, state_marks, step_name},
    timeline::{step_failure, step_iteration},
    virtual_list::VirtualList,
};
use crate::{
    inspector::parts::prose,
    session::{Session, Tone},
    text::run as text,
    ui::{icon, small_icon, tile},
};

/// Height of a row in px.
const ROW: f64 = 28.0;

/// The table's columns: what they are called, and what they sort by.
const COLUMNS: [(&str, &str); 6] = [
    (text::COLUMN_NUMBER, "number"),
    (text::COLUMN_ITEM, "label"),
    (text::COLUMN_STATE, "status"),
    (text::COLUMN_DURATION, "duration"),
    (text::COLUMN_PARAMS, ""),
    (text::COLUMN_RESULT, ""),
];

/// What the parts of the tab share.
#[derive(Clone, Copy)]
struct Matrix {
    session: Session,
    /// The loops of the run.
    loops: Memo<Vec<LoopCount>>,
    /// The loop shown.
    shown: Memo<Option<FrameId>>,
    /// The loop someone picked.
    picked: RwSignal<Option<FrameId>>,
    /// The words that iterations are to fit.
    filter: RwSignal<String>,
    /// What is wrong with the words.
    problem: RwSignal<Option<String>>,
    /// In which order they are shown; as they began otherwise.
    order: RwSignal<Option<Order>>,
    /// How many stand how, in the whole loop.
    counts: RwSignal<Option<Arc<Iterations>>>,
    /// The rows.
    answer: RwSignal<Option<Arc<Rows>>>,
    list: VirtualList,
}

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
    let (filter, problem, order) = (RwSignal::new(String::new()), RwSignal::new(None::<String>), RwSignal::new(None::<Order>));
    let list = VirtualList::new(ROW);
    let counts = asked(
        session,
        move || Some(Ask::Iterations { run: session.run.run.get()?, frame: shown.get()?, from: 0, count: 0, only_failed: false }),
        |reply| if let Reply::Iterations(iterations) = reply { Some(iterations) } else { None },
    );
    let answer = asked_or(
        session,
        move || {
            let (from, count) = list.window.get();
            let of = protocol::Rows::Loop { frame: shown.get()? };
            Some(Ask::Matrix { run: session.run.run.get()?, of, filter: filter.get(), order: order.get(), from, count })
        },
        |reply| if let Reply::Matrix(rows) = reply { Some(rows) } else { None },
        move |words| {
            problem.try_set(words);
        },
    );
    let matrix = Matrix { session, loops, shown, picked, filter, problem, order, counts, answer, list };
    // The selected iteration comes into view, where its row is known.
    Effect::new(move |_| {
        let here = chosen.with(|frame| frame.as_ref().filter(|frame| frame.of_loop == shown.get_untracked()).and_then(|frame| frame.index));
        if let Some(index) = here
            && order.with_untracked(Option::is_none)
            && filter.with_untracked(|filter| filter.trim().is_empty())
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
                    {matrix.head()}
                    {matrix.problem()}
                    {matrix.table()}
                    {matrix.foot()}
                </div>
                {details(session, chosen.into())}
            </div>
        }
        .into_any()
    };
    view! { <div class="tl-tab" on:keydown=move |event| super::dock_key(session, &event)>{body}</div> }.into_any()
}

impl Matrix {
    fn total(self) -> u64 {
        self.answer.with(|answer| answer.as_ref().map_or(0, |answer| answer.total))
    }

    /// The loop, its counts, the filter, and the way to the next failure.
    fn head(self) -> AnyView {
        let (session, filter) = (self.session, self.filter);
        let found = move || {
            let filtered = filter.with(|filter| !filter.trim().is_empty()) && self.problem.with(Option::is_none);
            filtered.then(|| view! { <span class="t3 meta num">{text::matched(self.total())}</span> })
        };
        view! {
            <div class="its-head">
                {self.picker()}
                {self.counts()}
                <span class="grow"></span>
                <input
                    class="tf its-filter"
                    type="search"
                    autocomplete="off"
                    spellcheck="false"
                    aria-label=text::FILTER
                    placeholder=text::FILTER_EXAMPLE
                    title=text::FILTER_HELP
                    aria-describedby="its-problem"
                    prop:value=move || filter.get()
                    on:input=move |event| filter.set(event_target_value(&event))
                />
                {found}
                <button type="button" class="btn sm icon" aria-label=text::PREVIOUS_FAILURE title=text::PREVIOUS_FAILURE on:click=move |_| step_failure(session, true)>
                    {icon("up")}
                </button>
                <button type="button" class="btn sm" title=text::NEXT_FAILURE on:click=move |_| step_failure(session, false)>
                    {icon("down")}
                    {text::NEXT_SHORT}
                    <span class="sr">{text::NEXT_WHAT}</span>
                    <span class="kbd" aria-hidden="true">"N"</span>
                </button>
                <button type="button" class="btn ghost sm icon" aria-label=text::SAVE_CSV title=text::SAVE_CSV on:click=move |_| self.save()>
                    {icon("share")}
                </button>
            </div>
        }
        .into_any()
    }

    fn picker(self) -> AnyView {
        let (session, loops, shown, picked) = (self.session, self.loops, self.shown, self.picked);
        let options = move || {
            let mut frames: Vec<(FrameId, String)> = loops
                .with(|loops| loops.iter().map(|own| (own.frame, session.doc.with(|document| step_name(document, own.step)))).collect());
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
        view! {
            {kind}
            <select
                class="tf sel its-loop"
                aria-label=text::LOOP
                on:change=move |event| picked.set(event_target_value(&event).parse().ok().map(FrameId))
            >
                {options}
            </select>
        }
        .into_any()
    }

    /// How many stand how. Each is a button: it filters for them, or no longer.
    fn counts(self) -> AnyView {
        let filter = self.filter;
        let chip = move |state: State, n: u64| {
            let (glyph, class) = state_marks(state);
            let words = format!("status:{}", text::state(state));
            let own = words.clone();
            let on = move || filter.with(|filter| *filter == own).to_string();
            let toggle = move |_| filter.update(|filter| *filter = if *filter == words { String::new() } else { words.clone() });
            (n > 0).then(|| {
                view! {
                    <button type="button" class=format!("chip num {class}") aria-pressed=on title=text::show_only(state) on:click=toggle>
                        {small_icon(glyph)}
                        {show::count(n)}
                        <span class="sr">" "{text::short_state(state)}</span>
                    </button>
                }
            })
        };
        let chips = move || {
            self.counts.get().map(|answer| {
                [(State::Succeeded, answer.succeeded), (State::Failed, answer.failed), (State::Running, answer.running)]
                    .map(|(state, n)| chip(state, n))
                    .collect_view()
            })
        };
        view! { {chips} }.into_any()
    }

    /// What is wrong with the filter.
    fn problem(self) -> AnyView {
        let words = move || {
            self.problem
                .get()
                .map(|words| view! { <div class="fixbar s-waiting">{small_icon("warn")}<span class="grow">{prose(&words)}</span></div> })
        };
        view! { <div id="its-problem" class="its-problem" aria-live="polite">{words}</div> }.into_any()
    }

    /// Gives the rows that fit to the person as a file.
    fn save(self) {
        let session = self.session;
        let (Some(run), Some(frame)) = (session.run.run.get_untracked(), self.shown.get_untracked()) else { return };
        let of = protocol::Rows::Loop { frame };
        let ask = Ask::Csv { run, of, filter: self.filter.get_untracked(), order: self.order.get_untracked() };
        leptos::task::spawn_local(async move {
            match session.run.ask(ask).await {
                Ok(Reply::Text(table)) => session.download_text("iterations.csv", &table),
                Ok(_) => {}
                Err(trouble) => session.notify.toast(Tone::Failed, trouble.message),
            }
        });
    }

    /// Selects the row above or below the selected one, in the order they are shown in.
    fn walk(self, back: bool) {
        let here = self.session.run.iteration.get_untracked();
        let next = self.answer.with_untracked(|answer| {
            let answer = answer.as_ref()?;
            let at = answer.rows.iter().position(|row| Some(row.frame) == here)?;
            let next = if back { at.checked_sub(1)? } else { at + 1 };
            answer.rows.get(next).map(|row| (answer.from + next as u64, row.frame))
        });
        match next {
            Some((at, frame)) => {
                self.list.reveal(at);
                self.session.run.iteration.set(Some(frame));
            }
            None => step_iteration(self.session, back),
        }
    }

    fn heading(self, name: &'static str, by: &'static str) -> AnyView {
        if by.is_empty() {
            return view! { <span role="columnheader">{name}</span> }.into_any();
        }
        let kept = self.order;
        // As they began is by number, too.
        let order =
            move || kept.with(|kept| kept.as_ref().map_or((by == "number").then_some(false), |kept| (kept.by == by).then_some(kept.down)));
        let spoken = move || match order() {
            None => "none",
            Some(false) => "ascending",
            Some(true) => "descending",
        };
        let sort = move |_| {
            let down = untrack(order) == Some(false);
            kept.set((by != "number" || down).then(|| Order { by: by.to_owned(), down }));
            self.list.reveal(0);
        };
        view! {
            <span role="columnheader" aria-sort=spoken>
                <button type="button" class="vt-sort" title=text::sort_by(name) on:click=sort>
                    {name}
                    {move || order().map(|down| small_icon(if down { "down" } else { "up" }))}
                </button>
            </span>
        }
        .into_any()
    }

    fn table(self) -> AnyView {
        let (session, list, answer) = (self.session, self.list, self.answer);
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
        let none = move || (self.total() == 0 && answer.with(Option::is_some)).then(|| view! { <p class="empty">{text::NONE_FITS}</p> });
        let on_key = move |event: ev::KeyboardEvent| {
            let back = match event.key().as_str() {
                "ArrowUp" => true,
                "ArrowDown" => false,
                _ => return,
            };
            event.prevent_default();
            self.walk(back);
        };
        view! {
            <div class="vt" role="table" aria-label=text::ITERATIONS aria-rowcount=move || (self.total() + 1).to_string()>
                <div role="rowgroup">
                    <div class="vt-row vt-head its-cols" role="row" aria-rowindex="1">
                        {COLUMNS.map(|(name, by)| self.heading(name, by)).collect_view()}
                    </div>
                </div>
                <div class="vt-scroll" role="rowgroup" tabindex="0" node_ref=list.node on:scroll=move |_| list.on_scroll() on:keydown=on_key>
                    <div class="vt-space" role="presentation" style:height=move || list.top(self.total())>
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

    fn foot(self) -> AnyView {
        let words = move || {
            let total = self.total();
            let (from, to) = self.list.in_view.get();
            text::rows_of(from.min(total), to.min(total), total)
        };
        let exit = move || {
            self.counts
                .with(|answer| answer.as_ref().and_then(|answer| answer.exit.as_deref().map(|exit| text::exit(exit).replace('`', ""))))
        };
        view! { <div class="its-foot meta t3 num"><span>{words}</span><span>{exit}</span><span class="grow"></span><span class="ell">{text::CLICK_ROW}</span></div> }
            .into_any()
    }
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
