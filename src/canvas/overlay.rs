//! What is drawn over the stage while a gesture goes on.

use leptos::prelude::*;
use loopwright_stage::{Guides, Rect};

use super::{Canvas, DropHint, Preview};
use crate::{
    text,
    ui::{kind_class, tile},
};

/// Guides, box, connector, drop preview: in world coordinates, inside the transformed layer.
pub fn overlay(canvas: Canvas) -> AnyView {
    (move || {
        canvas.preview.with(|preview| match preview {
            Preview::None => ().into_any(),
            Preview::Box(rect) => frame("select-box", rect),
            Preview::Drag(guides, _) => lines(guides),
            Preview::Connect(course, to, target) => connector(course, to.x, to.y, target.is_some()),
            Preview::Drop(rect, guides, hint) => drop(canvas, rect, guides, *hint),
        })
    })
    .into_any()
}

fn frame(class: &'static str, rect: &Rect) -> AnyView {
    view! {
        <div class=class style:left=format!("{}px", rect.x) style:top=format!("{}px", rect.y) style:width=format!("{}px", rect.w) style:height=format!("{}px", rect.h)></div>
    }
    .into_any()
}

fn lines(guides: &Guides) -> AnyView {
    let lines = guides.lines.iter().map(|line| (line.from, line.to, "guide"));
    let gaps = guides.gaps.iter().map(|gap| (gap.from, gap.to, "guide gap"));
    let drawn =
        lines.chain(gaps).map(|(from, to, class)| view! { <line class=class x1=from.x y1=from.y x2=to.x y2=to.y></line> }).collect_view();
    view! { <svg class="edges over" aria-hidden="true">{drawn}</svg> }.into_any()
}

fn connector(course: &str, x: f64, y: f64, snapped: bool) -> AnyView {
    view! {
        <svg class="edges over" aria-hidden="true">
            <path class="edge is-selected" class:is-loose=!snapped d=course.to_owned()></path>
            <circle class="edge-end" class:is-target=snapped cx=x cy=y r=if snapped { 7.0 } else { 4.0 }></circle>
        </svg>
    }
    .into_any()
}

fn drop(canvas: Canvas, rect: &Rect, guides: &Guides, hint: DropHint) -> AnyView {
    let class = match hint {
        DropHint::Nowhere => return ().into_any(),
        DropHint::Free => "drop-box",
        DropHint::OnPath(_) => "drop-box on-path",
        DropHint::IntoBody(_) => "drop-box in-body",
    };
    let words = match hint {
        DropHint::OnPath(_) => text::DROP_ON_PATH,
        DropHint::IntoBody(_) => text::DROP_IN_BODY,
        DropHint::Free | DropHint::Nowhere => "",
    };
    view! {
        {lines(guides)}
        <div class=class style:left=format!("{}px", rect.x) style:top=format!("{}px", rect.y) style:width=format!("{}px", rect.w) style:height=format!("{}px", rect.h)>
            {canvas.dropping_name().map(|(kind, name)| view! { <span class=format!("drop-what k-{}", kind_class(kind))>{tile(kind, "")}<span class="ti ell">{name}</span></span> })}
            {(!words.is_empty()).then(|| view! { <span class="tip">{words}</span> })}
        </div>
    }
    .into_any()
}
