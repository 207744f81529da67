//! The timeline: lanes by step over virtual time, a bar for each iteration, a playhead that canvas and payload follow.

mod playback;
mod rows;
mod ruler;
mod table;

use std::{collections::HashMap, sync::Arc};

use leptos::{ev, html, prelude::*};
use loopwright_executor::protocol::{Ask, BarKind, FrameId, Reply, Row, RowKind, Timeline};
use loopwright_model::EntityId;
use loopwright_panels::axis::Axis;

pub use playback::{step_event, step_failure, step_iteration, timeline_tools};

use super::{
    asked::{asked, frame},
    details::details,
};
use crate::{platform::dom, session::Session, text::run as text};

/// Width of the labels in px.
const LABELS: f64 = 216.0;

/// What the parts of the timeline share.
#[derive(Clone, Copy)]
pub struct Lanes {
    session: Session,
    /// What is in view.
    axis: RwSignal<Axis>,
    /// The rows the worker gave.
    window: RwSignal<Option<Arc<Timeline>>>,
    /// The whole run, for the strip above.
    whole: RwSignal<Option<Arc<Timeline>>>,
    /// What someone folded or unfolded, by step and depth.
    folds: RwSignal<HashMap<(Option<EntityId>, u32), bool>>,
    /// The part whose details are shown.
    focus: RwSignal<Option<FrameId>>,
    /// Whether it is shown as a table.
    as_table: RwSignal<bool>,
}

/// Where the run ends, or how far it has come (watched).
fn total(session: Session) -> f64 {
    session.run.summary.with(|summary| summary.as_ref().map_or(0, |summary| summary.end_us.unwrap_or(summary.now_us))) as f64
}

/// The tab's content.
pub fn timeline_tab(session: Session) -> AnyView {
    let axis = RwSignal::new(Axis::fit(total(session), 800.0));
    let unfolded = RwSignal::new(Vec::<FrameId>::new());
    // A bit more than is in view is asked for, so that moving a little asks nothing.
    let asked_for = Memo::new(move |before: Option<&(u64, u64, u32)>| {
        let axis = axis.get();
        let (start, end) = (axis.start.max(0.0), axis.end().clamp(0.0, axis.total));
        if let Some((from, to, width)) = before
            && *from as f64 <= start
            && end <= *to as f64 + 1.0
            && ((to - from) as f64 / f64::from(*width).max(1.0) - axis.scale).abs() <= axis.scale * 0.01
        {
            return (*from, *to, *width);
        }
        let margin = axis.width * axis.scale / 2.0;
        let (from, to) = ((start - margin).max(0.0), (end + margin).min(axis.total.max(1.0)));
        (from as u64, to.ceil() as u64, ((to - from) / axis.scale).ceil().max(1.0) as u32)
    });
    let window = asked(
        session,
        move || {
            let (from_us, to_us, width_px) = asked_for.get();
            Some(Ask::Timeline { run: session.run.run.get()?, from_us, to_us, width_px, unfolded: unfolded.get() })
        },
        |reply| if let Reply::Timeline(timeline) = reply { Some(timeline) } else { None },
    );
    let whole = asked(
        session,
        move || {
            let to_us = total(session) as u64;
            Some(Ask::Timeline { run: session.run.run.get()?, from_us: 0, to_us, width_px: 800, unfolded: Vec::new() })
        },
        |reply| if let Reply::Timeline(timeline) = reply { Some(timeline) } else { None },
    );
    let lanes = Lanes {
        session,
        axis,
        window,
        whole,
        folds: RwSignal::new(HashMap::new()),
        focus: RwSignal::new(session.run.iteration.get_untracked()),
        as_table: RwSignal::new(false),
    };
    Effect::new(move |_| {
        let total = total(session);
        axis.update(|axis| *axis = axis.resized(total, axis.width));
    });
    // Which frames are unfolded follows the rows: loops of the outermost flow are, unless someone folds them.
    Effect::new(move |_| {
        let Some(rows) = window.get() else { return };
        let chosen = session.run.iteration.get();
        let mut open: Vec<FrameId> = rows.rows.iter().filter(|row| lanes.wants_open(row)).filter_map(|row| row.unfolds).collect();
        open.extend(chosen);
        open.sort_unstable();
        open.dedup();
        if unfolded.with_untracked(|old| *old != open) {
            unfolded.set(open);
        }
    });
    Effect::new(move |_| {
        if let Some(chosen) = session.run.iteration.get() {
            lanes.focus.set(Some(chosen));
        }
    });
    Effect::new(move |before: Option<Option<loopwright_executor::protocol::RunId>>| {
        let run = session.run.run.get();
        if before.is_some_and(|before| before != run) {
            // Numbers of parts mean nothing in another run.
            lanes.focus.set(session.run.iteration.get_untracked());
        }
        run
    });
    let shown = frame(session, move || lanes.focus.get());
    let body = move || {
        if session.run.run.get().is_none() {
            return view! { <p class="empty">{text::NO_RUN}</p> }.into_any();
        }
        view! {
            <div class="tl-split">
                {move || if lanes.as_table.get() { table::table(lanes) } else { lanes.view() }}
                {details(session, shown.into())}
            </div>
        }
        .into_any()
    };
    view! { <div class="tl-tab" role="region" aria-label=text::TIMELINE on:keydown=move |event| lanes.on_key(&event)>{body}</div> }
        .into_any()
}

impl Lanes {
    /// Whether a row that can be unfolded is to be.
    fn wants_open(self, row: &Row) -> bool {
        let by_itself = row.depth == 0 && matches!(row.kind, RowKind::Loop | RowKind::Turn);
        row.unfolds.is_some() && self.folds.with(|folds| folds.get(&(row.step, row.depth)).copied().unwrap_or(by_itself))
    }

    fn fold(self, row: &Row) {
        let open = row.open;
        self.folds.update(|folds| {
            folds.insert((row.step, row.depth), !open);
        });
    }

    /// Selects a part of the run: its details are shown; an iteration becomes the one the whole app is at.
    fn select(self, frame: FrameId, kind: BarKind, end_us: u64) {
        self.focus.set(Some(frame));
        if kind == BarKind::Iteration {
            self.session.run.iteration.set(Some(frame));
        }
        self.session.run.playhead_us.set(Some(end_us));
    }

    /// Moves the playhead, and with it the selected iteration where one is under way then.
    fn scrub(self, time: f64) {
        let time = time as u64;
        self.session.run.playhead_us.set(Some(time));
        let found = self.window.with_untracked(|window| {
            let rows = window.iter().flat_map(|window| &window.rows);
            let bars = rows.filter(|row| matches!(row.kind, RowKind::Iterations | RowKind::Lane(_))).flat_map(|row| &row.bars);
            bars.filter(|bar| bar.kind == BarKind::Iteration && bar.start_us <= time && time <= bar.end_us)
                .min_by_key(|bar| bar.end_us - bar.start_us)
                .and_then(|bar| bar.frame)
        });
        if found.is_some() && found != self.session.run.iteration.get_untracked() {
            self.session.run.iteration.set(found);
        }
    }

    /// The place of a time, kept within what CSS can place.
    fn x(self, time: u64) -> f64 {
        let axis = self.axis.get();
        axis.x(time as f64).clamp(-20.0, axis.width + 20.0)
    }

    fn on_key(self, event: &ev::KeyboardEvent) {
        if dom::is_typing() || event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let zoom = |factor: f64| {
            self.axis.update(|axis| {
                let middle = self.session.run.now_us() as f64;
                let x = axis.x(middle);
                let x = if (0.0..=axis.width).contains(&x) { x } else { axis.width / 2.0 };
                *axis = axis.zoomed(factor, x);
            });
        };
        match event.key().as_str() {
            "+" | "=" => zoom(1.5),
            "-" => zoom(1.0 / 1.5),
            "0" => self.fit(),
            _ => return super::dock_key(self.session, event),
        }
        event.prevent_default();
        event.stop_propagation();
    }

    fn fit(self) {
        self.axis.update(|axis| *axis = Axis::fit(axis.total, axis.width));
    }

    fn view(self) -> AnyView {
        let tracks = NodeRef::<html::Div>::new();
        dom::on_resize(tracks, move |width, _| {
            let width = (width - LABELS).max(50.0);
            self.axis.update(|axis| *axis = axis.resized(axis.total, width));
        });
        let on_wheel = move |event: ev::WheelEvent| {
            let (dx, dy) = (event.delta_x(), event.delta_y());
            if event.ctrl_key() || event.meta_key() {
                event.prevent_default();
                let x = tracks
                    .get_untracked()
                    .map_or(0.0, |node| f64::from(event.client_x()) - node.get_bounding_client_rect().left() - LABELS);
                let factor = 2.0_f64.powf(-dy * 0.004).clamp(0.25, 4.0);
                self.axis.update(|axis| *axis = axis.zoomed(factor, x.max(0.0)));
            } else if event.shift_key() || dx.abs() > dy.abs() {
                event.prevent_default();
                let by = if event.shift_key() && dx == 0.0 { dy } else { dx };
                self.axis.update(|axis| *axis = axis.panned(by));
            }
        };
        view! {
            <div class="tl-main" node_ref=tracks on:wheel=on_wheel>
                {ruler::overview(self)}
                {ruler::ruler(self)}
                {rows::rows(self)}
                {ruler::playhead(self)}
            </div>
        }
        .into_any()
    }
}
