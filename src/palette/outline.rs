//! The outline: the open flow as a tree, a full way around the canvas by keyboard.

use std::collections::BTreeSet;

use leptos::prelude::*;
use loopwright_model::{EntityId, StepKind};
use loopwright_stage::flow_order;
use web_sys::KeyboardEvent;

use crate::{
    canvas::{canvas, scene},
    platform::dom,
    text,
    ui::{kind_class, severity_icon, small_icon, tile},
};

/// How many steps the tree lists; the rest is found by search.
const MOST: usize = 1_000;

/// One line of the tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Line {
    id: EntityId,
    title: String,
    kind: StepKind,
    /// A loop's body.
    body: Option<(String, StepKind)>,
}

fn line_id(id: EntityId) -> String {
    format!("outline-{}", id.0)
}

/// The outline of the open flow.
pub fn outline() -> AnyView {
    let canvas = canvas();
    let session = canvas.session;
    let folded = RwSignal::new(BTreeSet::<EntityId>::new());
    let lines = Memo::new(move |_| {
        session.doc.track_all();
        canvas.laid.track();
        let order = canvas.stage.with_value(|stage| flow_order(stage.scene()));
        session.doc.with(|document| {
            let line = |id: EntityId| {
                let step = document.step(id)?;
                let kind = step.kind();
                let name = if step.name().is_empty() { text::kind_name(kind) } else { step.name() };
                let body = kind.is_loop().then(|| {
                    let body_kind = step.reference_column().map(|column| column.kind).or(step.body_kind()).unwrap_or(StepKind::Action);
                    (step.referent().name().unwrap_or(text::NO_BODY).to_owned(), body_kind)
                });
                Some(Line { id, title: name.to_owned(), kind, body })
            };
            order.into_iter().map(scene::of_node).filter_map(line).take(MOST).collect::<Vec<_>>()
        })
    });
    let stop = Memo::new(move |_| {
        let primary = session.selection.primary.get();
        lines.with(|lines| primary.filter(|id| lines.iter().any(|line| line.id == *id)).or(lines.first().map(|line| line.id)))
    });
    let go = move |id: EntityId| {
        session.selection.only(id);
        canvas.reveal(id);
        dom::focus_soon(line_id(id));
    };
    let key = move |event: KeyboardEvent| {
        let Some(now) = stop.get_untracked() else { return };
        let ids: Vec<EntityId> = lines.with_untracked(|lines| lines.iter().map(|line| line.id).collect());
        let place = ids.iter().position(|id| *id == now).unwrap_or(0);
        let wanted = match event.key().as_str() {
            "ArrowDown" => ids.get(place + 1),
            "ArrowUp" => place.checked_sub(1).and_then(|place| ids.get(place)),
            "Home" => ids.first(),
            "End" => ids.last(),
            "ArrowLeft" => {
                folded.update(|folded| {
                    folded.insert(now);
                });
                None
            }
            "ArrowRight" => {
                folded.update(|folded| {
                    folded.remove(&now);
                });
                None
            }
            "F2" => {
                canvas.rename_primary();
                None
            }
            "Delete" => {
                canvas.delete_selected(false);
                None
            }
            "ContextMenu" => {
                session.selection.only(now);
                canvas.menu_in_outline(now, &line_id(now));
                None
            }
            "F10" if event.shift_key() => {
                session.selection.only(now);
                canvas.menu_in_outline(now, &line_id(now));
                None
            }
            "d" | "D" if event.ctrl_key() || event.meta_key() => {
                session.selection.only(now);
                canvas.duplicate();
                None
            }
            "d" | "D" => {
                session.selection.only(now);
                canvas.toggle_active();
                None
            }
            "Escape" if canvas.connecting.get_untracked().is_some() => {
                canvas.connecting.set(None);
                session.notify.say(text::CONNECT_ENDED);
                None
            }
            "Enter" if canvas.connecting.get_untracked().is_some() => {
                if let Some(from) = canvas.connecting.get_untracked() {
                    canvas.connecting.set(None);
                    canvas.connect(from, now);
                    dom::focus_soon(line_id(now));
                }
                None
            }
            "Enter" => {
                session.selection.only(now);
                canvas.open(now);
                None
            }
            "c" | "C" if !event.ctrl_key() && !event.meta_key() => {
                session.selection.only(now);
                canvas.start_connecting();
                None
            }
            "n" | "N" if !event.ctrl_key() && !event.meta_key() => {
                canvas.add_after(now);
                None
            }
            _ => return,
        };
        if let Some(id) = wanted {
            go(*id);
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let row = move |line: Line| {
        let id = line.id;
        let open = Memo::new(move |_| !folded.with(|folded| folded.contains(&id)));
        let mark = move || {
            session.problems.worst_of(id).map(|severity| {
                let (name, class) = severity_icon(severity);
                view! { <span class=format!("end glyph {class}")>{small_icon(name)}</span> }
            })
        };
        let has_body = line.body.is_some();
        let body = line.body.clone();
        let fold = move |event: web_sys::MouseEvent| {
            if has_body {
                event.stop_propagation();
                folded.update(|folded| {
                    if !folded.remove(&id) {
                        folded.insert(id);
                    }
                });
            }
        };
        view! {
            <div id=line_id(id) class=format!("pi k-{}", kind_class(line.kind)) class:is-selected=move || session.selection.contains(id) role="treeitem" attr:aria-level="1"
                aria-selected=move || session.selection.contains(id).to_string() aria-expanded=has_body.then_some(move || open.get().to_string())
                tabindex=move || if stop.get() == Some(id) { "0" } else { "-1" }
                on:click=move |_| go(id) on:dblclick=move |_| canvas.open(id)
                on:contextmenu=move |event| {
                    event.prevent_default();
                    canvas.menu_in_outline(id, &line_id(id));
                }>
                <span class="tw" on:click=fold>{move || has_body.then(|| small_icon(if open.get() { "down" } else { "next" }))}</span>
                {tile(line.kind, "t16")}<span class="ell grow">{line.title.clone()}</span>{mark}
            </div>
            {move || body.clone().filter(|_| open.get()).map(|(title, kind)| view! {
                <div class=format!("pi l1 k-{}", kind_class(kind)) role="treeitem" attr:aria-level="2" aria-selected="false" on:click=move |_| go(id)>
                    <span class="tw"></span>{tile(kind, "t16")}<span class="ell grow">{title}</span>
                </div>
            })}
        }
    };
    view! {
        <div class="outline">
            <div class="ph"><h2>{text::OUTLINE}</h2></div>
            <div class="tree" role="tree" aria-label=text::OUTLINE on:keydown=key>
                <For each=move || lines.get() key=Line::clone let:line>{row(line)}</For>
            </div>
        </div>
    }
    .into_any()
}
