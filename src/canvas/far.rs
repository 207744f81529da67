//! Far away (below 35 %) steps are blocks without text, drawn as one picture.

use leptos::{html, prelude::*};
use loopwright_model::StepKind;
use loopwright_stage::{NodeShape, sizes};

use super::{Canvas, scene};
use crate::{platform::paint::Paint, ui::kind_class};

/// The colour of a kind, as a property of the theme.
pub fn kind_property(kind: StepKind) -> String {
    format!("--k-{}", kind_class(kind))
}

/// The picture; empty while the cards are near enough to be read.
pub fn picture(canvas: Canvas) -> AnyView {
    let element = NodeRef::<html::Canvas>::new();
    Effect::new(move |_| {
        let view = canvas.viewport.get();
        let (width, height) = canvas.size.get();
        canvas.laid.track();
        canvas.statuses.track();
        canvas.session.selection.ids.track();
        canvas.session.layout.theme.track();
        let Some(element) = element.get().filter(|_| view.zoom < sizes::ZOOM_BLOCKS) else { return };
        let Some(paint) = Paint::on(&element, width, height) else { return };
        let kinds = [
            StepKind::Action,
            StepKind::SubAgent,
            StepKind::Prompt,
            StepKind::ForEach,
            StepKind::While,
            StepKind::Refine,
            StepKind::Unknown,
        ];
        let colours: Vec<(StepKind, String)> = kinds.into_iter().map(|kind| (kind, paint.colour(&kind_property(kind)))).collect();
        let [edge, surface, failed, focus, border] =
            ["--edge", "--surface", "--failed", "--focus", "--border-strong"].map(|name| paint.colour(name));
        canvas.stage.with_value(|stage| {
            let visible = stage.within(&view.world_rect(width, height));
            for route in visible.links.iter().filter_map(|id| stage.route(*id)) {
                paint.line(&edge, 1.0, route.points.iter().map(|point| view.to_screen(*point)).map(|point| (point.x, point.y)));
            }
            for node in visible.nodes.iter().filter_map(|id| stage.node(*id)) {
                let rect = view.rect_to_screen(&node.rect());
                let kind = canvas.kinds.with_value(|kinds| kinds.get(&node.id).copied());
                let of = |kind: Option<StepKind>| {
                    kind.and_then(|kind| colours.iter().find(|(other, _)| *other == kind)).map_or(&border, |(_, colour)| colour)
                };
                let colour = of(kind.map(|kinds| kinds.own));
                match node.kind {
                    NodeShape::Card => paint.fill(colour, rect.x, rect.y, rect.w.max(1.0), rect.h.max(1.0)),
                    NodeShape::Container | NodeShape::Note => {
                        paint.fill(&surface, rect.x, rect.y, rect.w, rect.h);
                        paint.outline(colour, 1.0, rect.x, rect.y, rect.w, rect.h);
                        if let Some(body) = node.body_rect().map(|body| view.rect_to_screen(&body)) {
                            paint.fill(of(kind.and_then(|kinds| kinds.body)), body.x, body.y, body.w, body.h);
                        }
                    }
                }
                let id = scene::of_node(node.id);
                let is_failed = canvas
                    .statuses
                    .with(|statuses| statuses.get(&id).is_some_and(|status| status.state == loopwright_executor::protocol::State::Failed));
                if is_failed || canvas.session.selection.ids.with(|ids| ids.contains(&id)) {
                    paint.outline(if is_failed { &failed } else { &focus }, 2.0, rect.x - 2.0, rect.y - 2.0, rect.w + 4.0, rect.h + 4.0);
                }
            }
        });
    });
    let hidden = Memo::new(move |_| canvas.viewport.with(|view| view.zoom >= sizes::ZOOM_BLOCKS));
    view! { <canvas class="far" class:is-hidden=move || hidden.get() node_ref=element aria-hidden="true"></canvas> }.into_any()
}
