//! The small picture of the whole, the zoom buttons, and what the last run was.

use leptos::{html, prelude::*};
use loopwright_executor::protocol::RunState;
use loopwright_model::StepKind;
use loopwright_stage::{Minimap, NodeShape, Rect, pt};
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
    // The picture is drawn anew only when the scene or its scale changes; while panning only the frame moves.
    let map = Memo::new(move |_| {
        canvas.laid.track();
        map_of(canvas)
    });
    Effect::new(move |_| {
        canvas.laid.track();
        canvas.session.layout.theme.track();
        let map = map.get();
        let Some(paint) = element.get().and_then(|element| Paint::on(&element, WIDTH, HEIGHT)) else { return };
        let colour = |kind: Option<StepKind>| paint.colour(&kind.map_or_else(|| "--border-strong".to_owned(), kind_property));
        canvas.stage.with_value(|stage| {
            for node in &stage.scene().nodes {
                let kinds = canvas.kinds.with_value(|kinds| kinds.get(&node.id).copied());
                let own = colour(kinds.map(|kinds| kinds.own));
                let rect = map.rect(&node.rect());
                match node.kind {
                    NodeShape::Card => paint.fill(&own, rect.x, rect.y, rect.w, rect.h),
                    NodeShape::Container | NodeShape::Note => {
                        paint.outline(&own, 1.0, rect.x + 0.5, rect.y + 0.5, rect.w - 1.0, rect.h - 1.0)
                    }
                }
                if let Some(body) = node.body_rect() {
                    let body = map.rect(&body);
                    paint.fill(&colour(kinds.and_then(|kinds| kinds.body)), body.x, body.y, body.w, body.h);
                }
            }
        });
    });
    let shown = Memo::new(move |_| {
        let (width, height) = canvas.size.get();
        map.get().rect(&canvas.viewport.get().world_rect(width, height))
    });
    let px = move |pick: fn(&Rect) -> f64| move || format!("{:.1}px", shown.with(pick));
    let held = StoredValue::new(false);
    let look = move |event: &PointerEvent| {
        if let Some(element) = element.get_untracked() {
            let (width, height) = canvas.size.get_untracked();
            let at = pointer::at(event, &element);
            let map = map.get_untracked();
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
            <i class="map-view" style:left=px(|rect| rect.x) style:top=px(|rect| rect.y) style:width=px(|rect| rect.w) style:height=px(|rect| rect.h)></i>
        </div>
    }
    .into_any()
}

/// Nearer, farther, fit, tidy.
pub fn zoom(canvas: Canvas) -> AnyView {
    let percent = Memo::new(move |_| canvas.viewport.with(|view| text::percent(view.zoom)));
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
    let look = Memo::new(move |_| {
        run.summary.with(|summary| {
            summary.as_ref().map(|summary| match summary.state {
                RunState::Running => ("s-running", "running"),
                RunState::Failed => ("s-failed", "failed"),
                RunState::Limit => ("s-waiting", "warn"),
                RunState::Cancelled => ("s-waiting", "stop"),
                RunState::Completed | RunState::Message => ("s-success", "success"),
            })
        })
    });
    let words = move || {
        run.summary.with(|summary| summary.as_ref().map(|summary| text::run_chip(&run.started_at.get(), summary, run.edits_since.get())))
    };
    let title = move || {
        run.summary.with(|summary| summary.as_ref().and_then(|summary| summary.error.clone().or_else(|| summary.final_message.clone())))
    };
    let view = move || {
        let (class, name) = look.get()?;
        Some(view! {
            <button type="button" class=format!("float runchip {class}") data-own="chip" title=title on:click=move |_| canvas.session.layout.show_dock(DockTab::Timeline)>
                <span class="glyph">{small_icon(name)}</span>{words}
            </button>
        })
    };
    view.into_any()
}
