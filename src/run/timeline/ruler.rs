//! The strip of the whole run, the ruler, the playhead, and the buttons that zoom.

use leptos::{ev, html, prelude::*};
use loopwright_executor::protocol::{BarKind, RowKind, State, Timeline};
use loopwright_panels::{axis::Axis, show};

use super::{LABELS, Lanes};
use crate::{platform::pointer, text::run as text, ui::icon};

/// Room between labels of the ruler, in px.
const ROOM: f64 = 76.0;

/// What a drag on an element does: `moved` is called where the pointer goes down (if `at_once`) and wherever it goes until it is up.
fn drag<M: Fn(&ev::PointerEvent) + Copy + 'static>(
    node: NodeRef<html::Div>,
    at_once: bool,
    moved: M,
) -> [Box<dyn Fn(ev::PointerEvent)>; 3] {
    let held = StoredValue::new(false);
    let down = move |event: ev::PointerEvent| {
        if let Some(node) = node.get_untracked() {
            pointer::capture(&event, &node);
        }
        held.set_value(true);
        if at_once {
            moved(&event);
        }
    };
    let on = move |event: ev::PointerEvent| {
        if held.get_value() {
            moved(&event);
        }
    };
    [Box::new(down), Box::new(on), Box::new(move |_| held.set_value(false))]
}

/// A track on which the pointer is dragged. `act` gets the distance from its left edge in px. A double click shows the whole run.
fn drag_track(lanes: Lanes, act: impl Fn(f64) + Copy + 'static, content: AnyView) -> AnyView {
    let node = NodeRef::<html::Div>::new();
    let [down, moved, up] = drag(node, true, move |event| {
        if let Some(node) = node.get_untracked() {
            act(pointer::at(event, &node).x);
        }
    });
    view! {
        <div
            class="tl-track"
            node_ref=node
            aria-hidden="true"
            on:pointerdown=down
            on:pointermove=moved
            on:lostpointercapture=up
            on:dblclick=move |_| lanes.fit()
        >
            {content}
        </div>
    }
    .into_any()
}

/// The strip above: the whole run, what part of it is in view, and where it failed.
pub fn overview(lanes: Lanes) -> AnyView {
    let whole_axis = Memo::new(move |_| lanes.axis.with(|axis| Axis::fit(axis.total, axis.width)));
    let shapes = move || {
        let axis = whole_axis.get();
        let found = lanes.whole.with(|timeline| timeline.as_ref().map(|timeline| strip(lanes, timeline, &axis)).unwrap_or_default());
        found.into_iter().map(|(class, d)| view! { <path class=class d=d></path> }).collect_view()
    };
    let frame = move || {
        let (axis, whole) = (lanes.axis.get(), whole_axis.get());
        let left = whole.x(axis.start.max(whole.start)).max(0.0);
        let right = whole.x(axis.end().min(whole.end())).min(whole.width);
        (left, (right - left).max(6.0))
    };
    let center = move |x: f64| {
        let time = whole_axis.get_untracked().time(x);
        lanes.axis.update(|axis| *axis = axis.panned((time - f64::midpoint(axis.start, axis.end())) / axis.scale));
    };
    let content = view! {
        <svg class="tl-strip" width="100%" height="100%">{shapes}</svg>
        <i class="tl-view" style:left=move || format!("{:.1}px", frame().0) style:width=move || format!("{:.1}px", frame().1)></i>
    };
    view! {
        <div class="tl-over">
            <div class="tl-label"><span class="t2">{text::WHOLE_RUN}</span><span class="end num">{move || show::duration(super::total(lanes.session) as u64)}</span></div>
            {drag_track(lanes, center, content.into_any())}
        </div>
    }
    .into_any()
}

/// The outermost rows as one shape a kind of step, and a mark where something failed. What falls on the same pixel is drawn once.
fn strip(lanes: Lanes, timeline: &Timeline, axis: &Axis) -> Vec<(String, String)> {
    use std::fmt::Write as _;
    let mut shapes: Vec<(String, String, f64)> = Vec::new();
    let mut marks: (String, f64) = (String::new(), f64::MIN);
    let rows = timeline.rows.iter().filter(|row| row.depth == 0);
    for row in rows.filter(|row| matches!(row.kind, RowKind::Step | RowKind::Loop | RowKind::SubAgent | RowKind::Turn)) {
        let kind = row.step.and_then(|step| lanes.session.doc.with(|document| document.step(step).map(|step| step.kind())));
        let class = format!("tl-seg k-{}", crate::ui::kind_class(kind.unwrap_or(loopwright_model::StepKind::Unknown)));
        let at = shapes.iter().position(|(own, ..)| *own == class).unwrap_or_else(|| {
            shapes.push((class, String::new(), f64::MIN));
            shapes.len() - 1
        });
        let Some((_, shape, drawn)) = shapes.get_mut(at) else { continue };
        for bar in &row.bars {
            let (left, right) = (axis.x(bar.start_us as f64), axis.x(bar.end_us as f64));
            let width = (right - left).max(1.0);
            if left + width > *drawn + 0.5 {
                let _ = write!(shape, "M{left:.1} 12h{width:.1}v8h-{width:.1}z");
                *drawn = left + width;
            }
            let failed =
                bar.state == State::Failed || matches!(bar.kind, BarKind::Aggregate { failed, .. } if failed > 0) || row.failed > 0;
            let middle = f64::midpoint(left, right);
            if failed && (middle - marks.1).abs() >= 2.0 {
                let _ = write!(marks.0, "M{:.1} 26l4 -4l4 4z", middle - 4.0);
                marks.1 = middle;
            }
        }
    }
    let mut paths: Vec<_> = shapes.into_iter().map(|(class, shape, _)| (class, shape)).collect();
    paths.push(("tl-fail".to_owned(), marks.0));
    paths
}

/// The ruler. Dragging on it moves the playhead.
pub fn ruler(lanes: Lanes) -> AnyView {
    let ticks = move || {
        let axis = lanes.axis.get();
        axis.ticks(ROOM)
            .into_iter()
            .map(|tick| {
                let major = tick.label.is_some();
                view! { <i class="tl-tick" class:is-major=major style:left=format!("{:.1}px", tick.x)><span>{tick.label}</span></i> }
            })
            .collect_view()
    };
    view! {
        <div class="tl-ruler">
            <div class="tl-label">{zoom_buttons(lanes)}</div>
            {drag_track(lanes, move |x| lanes.scrub(lanes.axis.get_untracked().time(x)), view! { {ticks} }.into_any())}
        </div>
    }
    .into_any()
}

/// The playhead: a slider, spoken as a time. What lies after it is drawn paler.
pub fn playhead(lanes: Lanes) -> AnyView {
    let session = lanes.session;
    let now = move || session.run.now_us();
    let x = move || lanes.axis.with(|axis| axis.x(now() as f64));
    let in_view = move || lanes.axis.with(|axis| (-1.0..=axis.width + 1.0).contains(&x()));
    let left = move || format!("{:.1}px", LABELS + x());
    let node = NodeRef::<html::Div>::new();
    let [down, moved, up] = drag(node, false, move |event| {
        if let Some(tracks) = node.get_untracked().and_then(|node| node.closest(".tl-main").ok().flatten()) {
            let x = pointer::at(event, &tracks).x - LABELS;
            lanes.scrub(lanes.axis.get_untracked().time(x));
        }
    });
    let spoken = move || {
        let (event, all) = (
            session.run.steps.with(|steps| steps.event),
            session.run.summary.with(|summary| summary.as_ref().map_or(0, |summary| summary.events)),
        );
        text::playhead(&show::seconds(now()), event, all)
    };
    // In the middle over its line, but for the ends of the track.
    let badge = move || {
        let room = lanes.axis.with(|axis| axis.width) - x();
        format!("translateX(max(min(-50%, {room:.1}px - 100%), {:.1}px))", -x().max(0.0))
    };
    let on_key = move |event: ev::KeyboardEvent| {
        let axis = lanes.axis.get_untracked();
        let now = session.run.playhead_us.get_untracked().map_or(axis.total, |at| at as f64);
        let by = axis.scale * if event.shift_key() { 1.0 } else { 10.0 };
        let to = match event.key().as_str() {
            "ArrowLeft" | "ArrowDown" => now - by,
            "ArrowRight" | "ArrowUp" => now + by,
            "PageDown" => now - axis.width * axis.scale / 4.0,
            "PageUp" => now + axis.width * axis.scale / 4.0,
            "Home" => 0.0,
            "End" => axis.total,
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        let to = to.clamp(0.0, axis.total);
        lanes.scrub(to);
        lanes.axis.set(axis.revealing(to));
    };
    view! {
        <div class="tl-future" aria-hidden="true" style:left=move || format!("{:.1}px", LABELS + x().clamp(0.0, lanes.axis.with(|axis| axis.width)))></div>
        <div class="tl-head" class:is-out=move || !in_view() style:left=left>
            <div
                node_ref=node
                class="tl-badge num"
                style:transform=badge
                role="slider"
                tabindex="0"
                aria-label=text::PLAYHEAD
                aria-valuemin="0"
                aria-valuemax=move || super::total(session).to_string()
                aria-valuenow=move || now().to_string()
                aria-valuetext=spoken
                on:keydown=on_key
                on:pointerdown=down
                on:pointermove=moved
                on:lostpointercapture=up
            >
                {move || show::seconds(now())}
            </div>
        </div>
    }
    .into_any()
}

/// Zoom in, out, to the whole run; the table form.
fn zoom_buttons(lanes: Lanes) -> AnyView {
    let zoom = move |factor: f64| lanes.axis.update(|axis| *axis = axis.zoomed(factor, axis.width / 2.0));
    let button = move |label: &'static str, glyph: &'static str, act: Box<dyn Fn()>| {
        view! { <button type="button" class="btn ghost sm icon" aria-label=label title=label on:click=move |_| act()>{icon(glyph)}</button> }
    };
    view! {
        <div class="tl-zoom">
            {button(text::ZOOM_OUT, "minus", Box::new(move || zoom(1.0 / 1.5)))}
            {button(text::ZOOM_IN, "plus", Box::new(move || zoom(1.5)))}
            {button(text::ZOOM_FIT, "fit", Box::new(move || lanes.fit()))}
            {button(text::AS_TABLE, "list", Box::new(move || lanes.as_table.set(true)))}
        </div>
    }
    .into_any()
}
