//! Rows and bars. A bar that can be pointed at is a button with a name; what is smaller, or too many, is drawn as a few
//! shapes a row.

use std::{collections::HashMap, sync::Arc};

use leptos::{ev, html, prelude::*};
use loopwright_executor::protocol::{Bar, BarKind, FrameId, Row, RowKind, State, Timeline};
use loopwright_model::{EntityId, StepKind};
use loopwright_panels::{axis::Axis, show};

use super::Lanes;
use crate::{
    platform::dom,
    run::details::{state_marks, step_name},
    text::run as text,
    ui::{small_icon, tile},
};

/// Most bars that are buttons.
const BUTTONS: usize = 400;
/// A bar narrower than this is no button, in px.
const WIDE: f64 = 6.0;
/// Rows kept above and below what is in view.
const SPARE: usize = 12;

/// What makes a row the same row in the next answer.
type Key = (u32, u8, u32, Option<EntityId>, Option<FrameId>, u32);

fn key(row: &Row, number: u32) -> Key {
    let (kind, lane) = match row.kind {
        RowKind::Step => (0, 0),
        RowKind::Loop => (1, 0),
        RowKind::Iterations => (2, 0),
        RowKind::Attempts => (3, 0),
        RowKind::Lane(lane) => (4, lane),
        RowKind::SubAgent => (5, 0),
        RowKind::Turn => (6, 0),
        RowKind::Waves => (7, 0),
    };
    (row.depth, kind, lane, row.step, row.frame, number)
}

/// A row, and what its place among the others decides.
#[derive(Clone, PartialEq)]
struct Placed {
    key: Key,
    row: Arc<Row>,
    /// Of a lane: whether it is the first or the last of its loop.
    edge: (bool, bool),
    /// How many bars of the whole timeline are wide enough to be buttons.
    crowded: bool,
    /// Its number among all rows.
    at: usize,
    /// Its upper edge and its height in px.
    place: (f64, f64),
}

/// All rows, and where each is.
#[derive(Default)]
struct Rows {
    list: Vec<Placed>,
    numbers: HashMap<Key, usize>,
}

impl Rows {
    fn new(timeline: &Timeline, scale: f64) -> Self {
        let wide = timeline.rows.iter().flat_map(|row| &row.bars).filter(|bar| is_wide(bar, scale)).take(BUTTONS + 1).count();
        let lane = |at: Option<usize>| at.and_then(|at| timeline.rows.get(at)).is_some_and(|row| matches!(row.kind, RowKind::Lane(_)));
        let mut seen = HashMap::new();
        let mut rows = Self::default();
        let mut top = 0.0;
        for (at, row) in timeline.rows.iter().enumerate() {
            let number = *seen.entry(key(row, 0)).and_modify(|n| *n += 1).or_insert(0);
            let edge = (!lane(at.checked_sub(1)), !lane(Some(at + 1)));
            let height = match (row.kind, edge) {
                (RowKind::Lane(_), (true, _)) => 16.0,
                (RowKind::Lane(_), (_, true)) => 18.0,
                (RowKind::Lane(_), _) => 12.0,
                _ => 24.0,
            };
            let placed =
                Placed { key: key(row, number), row: Arc::new(row.clone()), edge, crowded: wide > BUTTONS, at, place: (top, height) };
            rows.numbers.insert(placed.key, at);
            rows.list.push(placed);
            top += height;
        }
        rows
    }

    fn get(&self, key: &Key) -> Option<&Placed> {
        self.list.get(*self.numbers.get(key)?)
    }

    fn height(&self) -> f64 {
        self.list.last().map_or(0.0, |last| last.place.0 + last.place.1)
    }

    /// The rows that show between two heights, and a few around them.
    fn between(&self, top: f64, bottom: f64) -> Vec<Placed> {
        let first = self.list.partition_point(|placed| placed.place.0 + placed.place.1 < top).saturating_sub(SPARE);
        let last = self.list.partition_point(|placed| placed.place.0 < bottom).saturating_add(SPARE).min(self.list.len());
        self.list.get(first..last).unwrap_or_default().to_vec()
    }
}

/// The rows; only those in view are in the page.
pub fn rows(lanes: Lanes) -> AnyView {
    let all = RwSignal::new(Arc::new(Rows::default()));
    Effect::new(move |_| {
        let scale = lanes.axis.with_untracked(|axis| axis.scale);
        let rows = lanes.window.with(|timeline| timeline.as_ref().map(|timeline| Rows::new(timeline, scale)));
        all.set(Arc::new(rows.unwrap_or_default()));
    });
    let node = NodeRef::<html::Div>::new();
    let (scrolled, height) = (RwSignal::new(0.0), RwSignal::new(240.0));
    dom::on_resize(node, move |_, new| height.set(new));
    let shown = Memo::new(move |_| all.with(|rows| rows.between(scrolled.get(), scrolled.get() + height.get())));
    // What was chosen somewhere else comes into view.
    Effect::new(move |before: Option<Option<FrameId>>| {
        let focus = lanes.focus.get();
        let place = focus.filter(|_| before != Some(focus)).and_then(|focus| {
            let has = |placed: &&Placed| placed.row.bars.iter().any(|bar| bar.frame == Some(focus));
            all.with_untracked(|rows| rows.list.iter().rfind(has).map(|placed| placed.place))
        });
        if let (Some((top, own)), Some(node)) = (place, node.get_untracked()) {
            let (seen, room) = (scrolled.get_untracked(), height.get_untracked());
            if top < seen || top + own > seen + room {
                node.set_scroll_top((top - (room - own) / 2.0).max(0.0) as i32);
            }
        }
        focus
    });
    view! {
        <div
            class="tl-rows"
            node_ref=node
            on:scroll=move |_| {
                if let Some(node) = node.get_untracked() {
                    scrolled.set(f64::from(node.scroll_top()));
                }
            }
        >
            <div class="tl-space" role="list" aria-label=text::TIMELINE style:height=move || format!("{}px", all.with(|rows| rows.height()))>
                <For each=move || shown.get() key=|placed| placed.key let:first>
                    {
                        let key = first.key;
                        let current = Memo::new(move |_| all.with(|rows| rows.get(&key).cloned()).unwrap_or_else(|| first.clone()));
                        row_view(lanes, current, all)
                    }
                </For>
            </div>
        </div>
    }
    .into_any()
}

fn is_wide(bar: &Bar, scale: f64) -> bool {
    !matches!(bar.kind, BarKind::Delay | BarKind::Aggregate { .. }) && (bar.end_us - bar.start_us) as f64 / scale >= WIDE
}

fn row_view(lanes: Lanes, current: Memo<Placed>, all: RwSignal<Arc<Rows>>) -> AnyView {
    let class = move || {
        current.with(|placed| {
            let kind = match placed.row.kind {
                RowKind::Lane(_) if placed.edge.0 => "is-lane is-first",
                RowKind::Lane(_) if placed.edge.1 => "is-lane is-last",
                RowKind::Lane(_) => "is-lane",
                RowKind::Attempts => "is-attempts",
                RowKind::Step | RowKind::Loop | RowKind::SubAgent | RowKind::Turn if placed.row.depth == 0 && placed.at > 0 => "is-head",
                _ => "",
            };
            format!("tl-row {kind}")
        })
    };
    view! {
        <div
            class=class
            role="listitem"
            aria-posinset=move || current.with(|placed| placed.at + 1)
            aria-setsize=move || all.with(|rows| rows.list.len())
            style:top=move || format!("{}px", current.with(|placed| placed.place.0))
        >
            {label(lanes, current)}
            {track(lanes, current)}
        </div>
    }
    .into_any()
}

fn step_kind(lanes: Lanes, row: &Row) -> StepKind {
    let of_step = row.step.and_then(|step| lanes.session.doc.with(|document| document.step(step).map(|step| step.kind())));
    of_step.unwrap_or(if row.kind == RowKind::SubAgent { StepKind::SubAgent } else { StepKind::Prompt })
}

/// What a row is called.
pub fn title(lanes: Lanes, row: &Row) -> String {
    let own = || {
        row.title
            .clone()
            .unwrap_or_else(|| row.step.map(|step| lanes.session.doc.with(|document| step_name(document, step))).unwrap_or_default())
    };
    match row.kind {
        RowKind::Iterations => text::ITERATIONS.into(),
        RowKind::Attempts => text::ATTEMPTS.into(),
        RowKind::Waves => text::WAVES.into(),
        RowKind::Lane(lane) => text::lane(lane),
        _ => own(),
    }
}

fn label(lanes: Lanes, current: Memo<Placed>) -> AnyView {
    let view = move || {
        let placed = current.get();
        let row = placed.row.clone();
        let indent = f64::from(row.depth.min(6)) * 16.0;
        let name = title(lanes, &row);
        let end = match row.kind {
            RowKind::Iterations => text::ok_failed(row.succeeded, row.failed),
            RowKind::Attempts => text::retries(row.failed),
            RowKind::Lane(lane) if placed.edge.0 || placed.edge.1 => text::lane(lane),
            RowKind::Lane(_) => String::new(),
            RowKind::Loop if !row.open && row.succeeded + row.failed > 0 => text::of_many(row.succeeded + row.failed, row.of),
            _ if row.bars.is_empty() => text::state(row.state).into(),
            _ => row.bars.last().map(|bar| show::duration(bar.end_us - bar.start_us)).unwrap_or_default(),
        };
        let heads = matches!(row.kind, RowKind::Step | RowKind::Loop | RowKind::SubAgent | RowKind::Turn);
        let twisty = row.unfolds.map(|_| {
            let label = text::unfold(&name, row.open);
            let open = row.open;
            let row = row.clone();
            view! {
                <button type="button" class="tl-tw" aria-expanded=open.to_string() aria-label=label.clone() title=label on:click=move |_| lanes.fold(&row)>
                    {small_icon(if open { "down" } else { "next" })}
                </button>
            }
        });
        let kind = step_kind(lanes, &row);
        let lane = matches!(row.kind, RowKind::Lane(_));
        view! {
            <div class="tl-label" style:padding-left=format!("{}px", 28.0 + indent)>
                {twisty.map(|twisty| view! { <span class="tl-tws" style:left=format!("{}px", 8.0 + indent)>{twisty}</span> })}
                {heads.then(|| tile(kind, "t16"))}
                {match row.frame.filter(|_| heads) {
                    Some(frame) => {
                        let end = row.bars.last().map(|bar| bar.end_us);
                        let go = move |_| lanes.select(frame, BarKind::Step, end.unwrap_or_else(|| untrack(|| lanes.session.run.now_us())));
                        view! { <button type="button" class="tl-name ell" title=name.clone() on:click=go>{name.clone()}</button> }.into_any()
                    }
                    None if lane => ().into_any(),
                    None => view! { <span class="ell" class:t2=!heads title=name.clone()>{name.clone()}</span> }.into_any(),
                }}
                <span class="end ell">{end}</span>
            </div>
        }
    };
    view! { {view} }.into_any()
}

/// What makes a bar the same bar in the next answer.
fn bar_key(bar: &Bar) -> (u64, Option<FrameId>) {
    (bar.start_us, bar.frame)
}

fn track(lanes: Lanes, current: Memo<Placed>) -> AnyView {
    let buttons = Memo::new(move |_| {
        current.with(|placed| {
            let scale = lanes.axis.with_untracked(|axis| axis.scale);
            let single = |bar: &Bar| !placed.crowded || matches!(bar.kind, BarKind::Step);
            placed.row.bars.iter().filter(|bar| is_wide(bar, scale) && single(bar)).cloned().collect::<Vec<_>>()
        })
    });
    // Everything else of a state is one shape.
    let mass = Memo::new(move |_| {
        current.with(|placed| {
            let scale = lanes.axis.with_untracked(|axis| axis.scale);
            let single = |bar: &Bar| is_wide(bar, scale) && (!placed.crowded || matches!(bar.kind, BarKind::Step));
            placed.row.bars.iter().filter(|bar| !single(bar)).cloned().collect::<Vec<_>>()
        })
    });
    let shape = move |class: &'static str, fits: fn(&Bar) -> bool| {
        view! {
            <path
                class=class
                d=move || {
                    let axis = lanes.axis.get();
                    let lane = current.with(|placed| matches!(placed.row.kind, RowKind::Lane(_)));
                    mass.with(|bars| outline(bars.iter().filter(|bar| fits(bar)), &axis, lane))
                }
            />
        }
    };
    let delays = move || {
        mass.get()
            .into_iter()
            .filter(|bar| bar.kind == BarKind::Delay && (bar.end_us - bar.start_us) as f64 / lanes.axis.with_untracked(|axis| axis.scale) >= 30.0)
            .map(|bar| {
                let words = show::duration(bar.end_us - bar.start_us);
                view! { <span class="tl-delay" aria-hidden="true" style:left=move || format!("{}px", (lanes.x(bar.start_us) + lanes.x(bar.end_us)) / 2.0)>{words}</span> }
            })
            .collect_view()
    };
    let on_click = move |event: ev::MouseEvent| {
        let x = f64::from(event.offset_x());
        let axis = lanes.axis.get_untracked();
        let hit = current.with_untracked(|placed| {
            let near =
                |bar: &&Bar| axis.x(bar.start_us as f64) - 2.0 <= x && x <= axis.x(bar.end_us as f64) + 2.0 && bar.kind != BarKind::Delay;
            placed.row.bars.iter().filter(near).min_by_key(|bar| bar.end_us - bar.start_us).cloned()
        });
        match hit {
            Some(Bar { kind: BarKind::Aggregate { .. }, start_us, end_us, .. }) => {
                // Too many to tell apart here: go closer.
                let middle = (start_us + end_us) as f64 / 2.0;
                let half = (axis.width * axis.scale / 16.0).max((end_us - start_us) as f64 / 2.0);
                lanes.axis.set(axis.showing(middle - half, middle + half));
            }
            Some(Bar { frame: Some(frame), kind, end_us, .. }) => lanes.select(frame, kind, end_us),
            _ => {}
        }
    };
    view! {
        <div class="tl-track">
            <svg class="tl-mass" width="100%" height="100%" aria-hidden="true" on:click=on_click>
                {shape("bar-ok", |bar| bar.kind != BarKind::Delay && bar.state == State::Succeeded && failed_in(bar) == 0)}
                {shape("bar-run", |bar| bar.kind != BarKind::Delay && matches!(bar.state, State::Running | State::Pending))}
                {shape("bar-no", |bar| bar.kind != BarKind::Delay && matches!(bar.state, State::Cancelled | State::Skipped))}
                {shape("bar-bad", |bar| bar.kind != BarKind::Delay && (bar.state == State::Failed || failed_in(bar) > 0))}
                {shape("bar-delay", |bar| bar.kind == BarKind::Delay)}
            </svg>
            {delays}
            <For each=move || buttons.get() key=bar_key let:bar>
                {bar_button(lanes, current, buttons, bar)}
            </For>
        </div>
    }
    .into_any()
}

fn failed_in(bar: &Bar) -> u64 {
    if let BarKind::Aggregate { failed, .. } = bar.kind { failed } else { 0 }
}

/// Rectangles of many bars as one outline.
fn outline<'a>(bars: impl Iterator<Item = &'a Bar>, axis: &Axis, lane: bool) -> String {
    use std::fmt::Write as _;
    let (top, height) = if lane { (1.5, 8.0) } else { (5.5, 13.0) };
    let mut d = String::new();
    for bar in bars {
        let left = axis.x(bar.start_us as f64).clamp(-20.0, axis.width + 20.0);
        let right = axis.x(bar.end_us as f64).clamp(-20.0, axis.width + 20.0);
        let width = (right - left).max(1.5);
        let _ = write!(d, "M{left:.1} {top}h{width:.1}v{height}h-{width:.1}z");
    }
    d
}

/// What the bar of a loop says of it.
fn loop_words(row: &Row, bar: &Bar) -> Option<String> {
    let is_loop = row.kind == RowKind::Loop && bar.kind == BarKind::Step;
    is_loop.then(|| text::loop_bar(row.of.unwrap_or(row.succeeded + row.failed), row.parallel, bar.end_us - bar.start_us))
}

fn bar_button(lanes: Lanes, current: Memo<Placed>, buttons: Memo<Vec<Bar>>, first: Bar) -> AnyView {
    let (start, frame) = bar_key(&first);
    let bar = Memo::new(move |_| {
        buttons.with(|bars| bars.iter().find(|bar| bar_key(bar) == (start, frame)).cloned()).unwrap_or_else(|| first.clone())
    });
    let name = move || {
        let bar = bar.get();
        current.with(|placed| {
            let own = title(lanes, &placed.row);
            match loop_words(&placed.row, &bar) {
                Some(words) => text::loop_bar_name(&own, &words, bar.state),
                None => text::bar(bar.kind, &own, bar.index, placed.row.of, bar.state, bar.end_us - bar.start_us),
            }
        })
    };
    let class = move || {
        bar.with(|bar| {
            let (_, state) = state_marks(bar.state);
            match bar.kind {
                BarKind::Step => {
                    let kind = current.with(|placed| step_kind(lanes, &placed.row));
                    format!("tl-bar is-step {state} k-{}", crate::ui::kind_class(kind))
                }
                BarKind::Attempt => format!("tl-bar is-attempt {state}"),
                _ => format!("tl-bar {state}"),
            }
        })
    };
    let width = move || bar.with(|bar| (lanes.x(bar.end_us) - lanes.x(bar.start_us) - 1.0).max(3.0));
    let inside = move || {
        let bar = bar.get();
        let width = width();
        match (bar.kind, bar.index) {
            (BarKind::Iteration, Some(index)) => {
                let number = show::count(index + 1);
                if width >= number.len() as f64 * 7.0 + 4.0 { number } else { String::new() }
            }
            (BarKind::Attempt, Some(number)) if width >= 10.0 => number.to_string(),
            (BarKind::Step, _) => {
                let words = current.with(|placed| loop_words(&placed.row, &bar)).unwrap_or_default();
                if width >= words.len() as f64 * 6.2 { words } else { String::new() }
            }
            _ => String::new(),
        }
    };
    let chosen = move || frame.is_some() && lanes.focus.get() == frame;
    view! {
        <button
            type="button"
            class=class
            class:is-now=chosen
            aria-label=name
            aria-pressed=move || chosen().to_string()
            title=name
            style:left=move || format!("{:.1}px", lanes.x(bar.with(|bar| bar.start_us)))
            style:width=move || format!("{:.1}px", width())
            on:click=move |_| {
                let bar = bar.get_untracked();
                if let Some(frame) = bar.frame {
                    lanes.select(frame, bar.kind, bar.end_us);
                }
            }
            on:keydown=move |event| next_bar(&event)
        >
            <span aria-hidden="true">{inside}</span>
        </button>
    }
    .into_any()
}

/// Left and right walk the bars of a row.
fn next_bar(event: &ev::KeyboardEvent) {
    let right = match event.key().as_str() {
        "ArrowRight" => true,
        "ArrowLeft" => false,
        _ => return,
    };
    if let Some(next) = dom::button_beside(right) {
        event.prevent_default();
        event.stop_propagation();
        dom::focus(&next);
    }
}
