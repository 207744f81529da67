//! The small picture of the whole, the zoom buttons, and what the last run was.

use leptos::{html, prelude::*};
use loopwright_executor::protocol::RunState;
use loopwright_stage::{Minimap, NodeShape, pt};
use web_sys::PointerEvent;

use super::{Canvas, far::kind_property};
use crate::{
    platform::{paint::Paint, pointer},
    session::DockTab,
    text,
    ui::{icon, small_icon},
};

const WIDTH: f64 = 176.0;
const HEIGHT: f64 = 104.0;
const PAD: f64 = 8.0;

fn map_of(canvas: Canvas) -> Minimap {
    let view = canvas.viewport.get();
    let (width, height) = canvas.size.get();
    let bounds = canvas.stage.with_value(|stage| stage.scene().bounds());
    Minimap::new(bounds, &view.world_rect(width.max(1.0), height.max(1.0)), WIDTH, HEIGHT, PAD)
}

/// The minimap: click or drag to look elsewhere.
pub fn minimap(canvas: Canvas) -> AnyView {
    let element = NodeRef::<html::Canvas>::new();
    Effect::new(move |_| {
        canvas.laid.track();
        canvas.session.layout.theme.track();
        let view = canvas.viewport.get();
        let (width, height) = canvas.size.get();
        let Some(paint) = element.get().and_then(|element| Paint::on(&element, WIDTH, HEIGHT)) else { return };
        let map = map_of(canvas);
        let focus = paint.colour("--focus");
        let mut known = std::collections::HashMap::new();
        canvas.stage.with_value(|stage| {
            for node in &stage.scene().nodes {
                let kind = canvas.kinds.with_value(|kinds| kinds.get(&node.id).copied());
                let colour =
                    known.entry(kind).or_insert_with(|| paint.colour(&kind.map_or_else(|| "--border-strong".to_owned(), kind_property)));
                let rect = map.rect(&node.rect());
                match node.kind {
                    NodeShape::Card => paint.fill(colour, rect.x, rect.y, rect.w, rect.h),
                    NodeShape::Container | NodeShape::Note => {
                        paint.outline(colour, 1.0, rect.x + 0.5, rect.y + 0.5, rect.w - 1.0, rect.h - 1.0)
                    }
                }
                if let Some(body) = node.body_rect() {
                    let body = map.rect(&body);
                    paint.fill(&canvas.body_colour(&paint, node.id), body.x, body.y, body.w, body.h);
                }
            }
        });
        let shown = map.rect(&view.world_rect(width, height));
        paint.outline(&focus, 1.5, shown.x, shown.y, shown.w, shown.h);
    });
    let held = StoredValue::new(false);
    let look = move |event: &PointerEvent| {
        if let Some(element) = element.get_untracked() {
            let (width, height) = canvas.size.get_untracked();
            let at = pointer::at(event, &element);
            let map = untrack(|| map_of(canvas));
            canvas.viewport.update(|view| *view = map.look_at(pt(at.x, at.y), view, width, height));
        }
    };
    let down = move |event: PointerEvent| {
        if let Some(element) = element.get_untracked() {
            pointer::capture(&event, &element);
        }
        held.set_value(true);
        look(&event);
    };
    let drag = move |event: PointerEvent| {
        if held.get_value() {
            look(&event);
        }
    };
    view! {
        <div class="float minimap" data-own="minimap">
            <canvas node_ref=element role="img" aria-label=text::MINIMAP on:pointerdown=down on:pointermove=drag
                on:pointerup=move |_| held.set_value(false) on:pointercancel=move |_| held.set_value(false)></canvas>
        </div>
    }
    .into_any()
}

/// Nearer, farther, fit, tidy.
pub fn zoom(canvas: Canvas) -> AnyView {
    let percent = Memo::new(move |_| canvas.viewport.with(|view| format!("{:.0} %", view.zoom * 100.0)));
    let button = |name: &'static str, label: &'static str, run: fn(Canvas)| {
        view! { <button type="button" class="btn ghost icon" aria-label=label title=label on:click=move |_| run(canvas)>{icon(name)}</button> }
    };
    view! {
        <div class="float zoom" role="group" aria-label=text::ZOOM data-own="zoom">
            {button("minus", text::ZOOM_OUT, Canvas::zoom_out)}
            <button type="button" class="pct" title=text::ACTUAL_SIZE on:click=move |_| canvas.actual_size()>{move || percent.get()}</button>
            {button("plus", text::ZOOM_IN, Canvas::zoom_in)}
            <span class="sep"></span>
            {button("fit", text::FIT, Canvas::fit)}
            {button("tidy", text::TIDY_UP, Canvas::tidy)}
        </div>
    }
    .into_any()
}

/// When the run on screen was, how long it took, whether the flow has changed since.
pub fn run_chip(canvas: Canvas) -> AnyView {
    let run = canvas.session.run;
    let view = move || {
        let summary = run.summary.get()?;
        let (class, name) = match summary.state {
            RunState::Running => ("s-running", "running"),
            RunState::Failed => ("s-failed", "failed"),
            RunState::Limit => ("s-waiting", "warn"),
            RunState::Cancelled => ("s-waiting", "stop"),
            RunState::Completed | RunState::Message => ("s-success", "success"),
        };
        let words = text::run_chip(&run.started_at.get(), &summary, run.edits_since.get());
        let title = summary.error.clone().or_else(|| summary.final_message.clone());
        Some(view! {
            <button type="button" class=format!("float runchip {class}") data-own="chip" title=title on:click=move |_| canvas.session.layout.show_dock(DockTab::Timeline)>
                <span class="glyph">{small_icon(name)}</span>{words}
            </button>
        })
    };
    view.into_any()
}
