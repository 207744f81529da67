//! The paths: one SVG layer, and their labels.

use leptos::prelude::*;
use loopwright_lang::Value;
use loopwright_model::EntityId;
use loopwright_stage::Route;

use super::{Canvas, scene};
use crate::{platform::dom, text};

fn line_id(id: EntityId) -> String {
    format!("line-{}", id.0)
}

fn arrow_id(id: EntityId) -> String {
    format!("arrow-{}", id.0)
}

/// Draws a path's line and arrow by a course, past the signals: for the time of a drag.
pub fn draw(id: EntityId, route: &Route) {
    dom::set_attribute(&line_id(id), "d", &route.d());
    dom::set_attribute(&arrow_id(id), "d", &route.arrow());
}

/// What a path says of itself.
#[derive(Clone, PartialEq)]
struct PathText {
    conditional: bool,
    description: String,
    condition: String,
    /// Shown where its origin has several paths.
    priority: Option<String>,
    from: String,
    to: String,
}

fn read(canvas: Canvas, id: EntityId) -> Option<PathText> {
    canvas.session.doc.with(|document| {
        let path = document.path(id)?;
        let graph = document.graph(path.entity.parent)?;
        let siblings = path.from().map_or(0, |from| {
            canvas.stage.with_value(|stage| stage.links_of(scene::node(from)).iter().filter(|link| link.from == scene::node(from)).count())
        });
        let name = |end: Option<EntityId>| end.and_then(|end| document.step(end)).map(|step| step.name().to_owned()).unwrap_or_default();
        let _ = graph;
        Some(PathText {
            conditional: path.condition().is_some(),
            description: path.field("Description").and_then(Value::as_str).unwrap_or_default().trim().to_owned(),
            condition: path.condition().unwrap_or_default().to_owned(),
            priority: (siblings > 1).then(|| text::number(path.priority())),
            from: name(path.from()),
            to: name(path.to()),
        })
    })
}

/// The line of a path, for the SVG layer.
pub fn line(canvas: Canvas, id: EntityId) -> AnyView {
    let session = canvas.session;
    let course = Memo::new(move |_| {
        canvas.laid.track();
        canvas.stage.with_value(|stage| stage.route(scene::link(id)).map(|route| (route.d(), route.arrow()))).unwrap_or_default()
    });
    let conditional = Memo::new(move |_| {
        session.doc.track(id);
        session.doc.with(|document| document.path(id).is_some_and(|path| path.condition().is_some()))
    });
    let selected = Memo::new(move |_| session.selection.contains(id));
    let onto = Memo::new(move |_| {
        canvas.preview.with(|preview| match preview {
            super::Preview::Drag(_, onto) => *onto == Some(id),
            super::Preview::Drop(_, _, super::DropHint::OnPath(path)) => *path == id,
            _ => false,
        })
    });
    let taken = Memo::new(move |_| {
        session
            .run
            .playhead_us
            .get()
            .is_some()
            .then(|| session.run.steps.with(|steps| steps.paths.iter().any(|path| path.path == id && path.taken > 0)))
    });
    let class = move |what: &str| {
        let mut class = what.to_owned();
        for (on, name) in [
            (conditional.get() && what == "edge", " cond"),
            (selected.get() || onto.get(), " is-selected"),
            (taken.get() == Some(true), " is-taken"),
            (taken.get() == Some(false), " is-skipped"),
        ] {
            if on {
                class.push_str(name);
            }
        }
        class
    };
    view! {
        <path id=line_id(id) class=move || class("edge") d=move || course.with(|course| course.0.clone())></path>
        <path id=arrow_id(id) class=move || class("arrow") d=move || course.with(|course| course.1.clone())></path>
    }
    .into_any()
}

/// The label of a path, for the layer over the cards: also what the keyboard and a screen reader have of the path.
pub fn label(canvas: Canvas, id: EntityId) -> AnyView {
    let session = canvas.session;
    let words = Memo::new(move |_| {
        session.doc.track(id);
        canvas.laid.track();
        read(canvas, id)
    });
    let place = Memo::new(move |_| {
        canvas.laid.track();
        canvas.stage.with_value(|stage| stage.route(scene::link(id)).map(|route| route.label)).unwrap_or_default()
    });
    let selected = Memo::new(move |_| session.selection.contains(id));
    let view = move || {
        let words = words.get()?;
        let bare = words.description.is_empty() && words.condition.is_empty();
        let name = text::path_name(&words.from, &words.to, &words.condition);
        let title = if words.condition.is_empty() { name.clone() } else { words.condition.clone() };
        let says = if words.description.is_empty() {
            (!words.condition.is_empty()).then(|| view! { <code class="ell">{words.condition.clone()}</code> }.into_any())
        } else {
            Some(view! { <span class="ell">{words.description.clone()}</span> }.into_any())
        };
        let tiny = bare && words.priority.is_none();
        Some(view! {
            <button type="button" id=format!("path-{}", id.0) class="elabel" class:is-bare=bare class:is-tiny=tiny class:is-selected=move || selected.get()
                tabindex="-1" title=title data-own="path"
                style:left=move || format!("{}px", place.get().x) style:top=move || format!("{}px", place.get().y)
                on:click=move |_| session.selection.only(id)>
                <span class="sr">{name}" "</span>
                {words.priority.clone().map(|priority| view! { <span class="prio" title=text::PRIORITY>{priority}</span> })}
                {says}
            </button>
        })
    };
    view.into_any()
}
