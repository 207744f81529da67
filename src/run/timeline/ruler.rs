//! The strip of the whole run, the ruler, the playhead, and the buttons that zoom.

use leptos::{ev, html, prelude::*};
use loopwright_executor::protocol::{BarKind, RowKind, State};
use loopwright_panels::{axis::Axis, show};

use super::{LABELS, Lanes};
use crate::{platform::pointer, text::run as text, ui::icon};

/// Room between labels of the ruler, in px.
const ROOM: f64 = 76.0;

/// The strip above: the whole run, what part of it is in view, and where it failed.
pub fn overview(lanes: Lanes) -> AnyView {
    let whole_axis = Memo::new(move |_| lanes.axis.with(|axis| Axis::fit(axis.total, axis.width)));
    let segments = move || {
        let axis = whole_axis.get();
        let Some(timeline) = lanes.whole.get() else { return ().into_any() };
        timeline
            .rows
            .iter()
            .filter(|row| row.depth == 0 && matches!(row.kind, RowKind::Step | RowKind::Loop | RowKind::SubAgent | RowKind::Turn))
            .flat_map(|row| {
                let kind = row.step.and_then(|step| lanes.session.doc.with(|document| document.step(step).map(|step| step.kind())));
                let class = format!("tl-seg k-{}", crate::ui::kind_class(kind.unwrap_or(loopwright_model::StepKind::Unknown)));
                row.bars
                    .iter()
                    .map(|bar| {
                        let (left, right) = (axis.x(bar.start_us as f64), axis.x(bar.end_us as f64));
                        let failed = bar.state == State::Failed || matches!(bar.kind, BarKind::Aggregate { failed, .. } if failed > 0) || row.failed > 0;
                        view! {
                            <i class=class.clone() style:left=format!("{left:.1}px") style:width=format!("{:.1}px", (right - left).max(1.0))></i>
                            {failed.then(|| view! { <i class="tl-fail" style:left=format!("{:.1}px", f64::midpoint(left, right))></i> })}
                        }
                    })
                    .collect::<Vec<_>>()
            })
            .collect_view()
            .into_any()
    };
    let frame = move || {
        let (axis, whole) = (lanes.axis.get(), whole_axis.get());
        let left = whole.x(axis.start.max(whole.start)).max(0.0);
        let right = whole.x(axis.end().min(whole.end())).min(whole.width);
        (left, (right - left).max(6.0))
    };
    let node = NodeRef::<html::Div>::new();
    let dragging = RwSignal::new(false);
    let center = move |event: &ev::PointerEvent| {
        let Some(node) = node.get_untracked() else { return };
        let x = pointer::at(event, &node).x;
        let time = whole_axis.get_untracked().time(x);
        lanes.axis.update(|axis| *axis = axis.panned((time - f64::midpoint(axis.start, axis.end())) / axis.scale));
    };
    view! {
        <div class="tl-over">
            <div class="tl-label"><span class="t2">{text::WHOLE_RUN}</span><span class="end num">{move || show::duration(super::total(lanes.session) as u64)}</span></div>
            <div
                class="tl-track"
                node_ref=node
                aria-hidden="true"
                on:pointerdown=move |event| {
                    if let Some(node) = node.get_untracked() {
                        pointer::capture(&event, &node);
                    }
                    dragging.set(true);
                    center(&event);
                }
                on:pointermove=move |event| {
                    if dragging.get_untracked() {
                        center(&event);
                    }
                }
                on:pointerup=move |_| dragging.set(false)
                on:pointercancel=move |_| dragging.set(false)
                on:dblclick=move |_| lanes.fit()
            >
                {segments}
                <i class="tl-view" style:left=move || format!("{:.1}px", frame().0) style:width=move || format!("{:.1}px", frame().1)></i>
            </div>
        </div>
    }
    .into_any()
}

/// The ruler. Dragging on it moves the playhead.
pub fn ruler(lanes: Lanes) -> AnyView {
    let node = NodeRef::<html::Div>::new();
    let dragging = RwSignal::new(false);
    let scrub = move |event: &ev::PointerEvent| {
        let Some(node) = node.get_untracked() else { return };
        let x = pointer::at(event, &node).x;
        lanes.scrub(lanes.axis.get_untracked().time(x));
    };
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
            <div
                class="tl-track"
                node_ref=node
                aria-hidden="true"
                on:pointerdown=move |event| {
                    if let Some(node) = node.get_untracked() {
                        pointer::capture(&event, &node);
                    }
                    dragging.set(true);
                    scrub(&event);
                }
                on:pointermove=move |event| {
                    if dragging.get_untracked() {
                        scrub(&event);
                    }
                }
                on:pointerup=move |_| dragging.set(false)
                on:pointercancel=move |_| dragging.set(false)
            >
                {ticks}
            </div>
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
    let dragging = RwSignal::new(false);
    let spoken = move || {
        let (event, all) = (
            session.run.steps.with(|steps| steps.event),
            session.run.summary.with(|summary| summary.as_ref().map_or(0, |summary| summary.events)),
        );
        text::playhead(&show::seconds(now()), event, all)
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
                role="slider"
                tabindex="0"
                aria-label=text::PLAYHEAD
                aria-valuemin="0"
                aria-valuemax=move || super::total(session).to_string()
                aria-valuenow=move || now().to_string()
                aria-valuetext=spoken
                on:keydown=on_key
                on:pointerdown=move |event| {
                    if let Some(node) = node.get_untracked() {
                        pointer::capture(&event, &node);
                    }
                    dragging.set(true);
                }
                on:pointermove=move |event| {
                    let tracks = node.get_untracked().and_then(|node| node.closest(".tl-main").ok().flatten());
                    if let (true, Some(tracks)) = (dragging.get_untracked(), tracks) {
                        let x = pointer::at(&event, &tracks).x - LABELS;
                        lanes.scrub(lanes.axis.get_untracked().time(x));
                    }
                }
                on:pointerup=move |_| dragging.set(false)
                on:pointercancel=move |_| dragging.set(false)
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
