//! The stage's element and its layers.

use leptos::prelude::*;
use loopwright_model::EntityId;
use loopwright_stage::{Cursor, Input, NodeId, sizes};
use web_sys::{Element, KeyboardEvent, MouseEvent, PointerEvent, WheelEvent};

use super::{Canvas, canvas, card, far, minimap, notes, overlay, paths, quick_add, scene};
use crate::{
    platform::{clipboard, dom, page, pointer},
    text,
};

/// The class that shows a cursor.
pub fn cursor_class(cursor: Cursor) -> &'static str {
    match cursor {
        Cursor::Default => "",
        Cursor::Grab => "cur-grab",
        Cursor::Grabbing => "cur-grabbing",
        Cursor::Move => "cur-move",
        Cursor::Crosshair => "cur-cross",
        Cursor::Resize => "cur-resize",
        Cursor::Copy => "cur-copy",
        Cursor::NoDrop => "cur-no",
    }
}

/// Whether an event began at something of its own: a cell, a field, a button over the stage.
fn is_own(event: &web_sys::Event) -> bool {
    pointer::closest(event, "[data-own]").is_some()
}

/// The canvas of the open graph.
pub fn stage() -> AnyView {
    let canvas = canvas();
    canvas.follow();
    dom::on_resize(canvas.element, move |width, height| canvas.size.set((width, height)));
    let element = move || canvas.element.get_untracked().map(|element| -> Element { element.into() });
    let down = move |event: PointerEvent| {
        let (Some(element), Some(button), false) = (element(), pointer::button(&event), is_own(&event)) else { return };
        if event.button() == 1 {
            event.prevent_default();
        }
        canvas.quick_add.set(None);
        pointer::capture(&event, &element);
        let (kind, mods, at) = (pointer::kind(&event), pointer::mods(&event), pointer::at(&event, &element));
        canvas.feed(&Input::Down { pointer: event.pointer_id(), kind, button, mods, at, time: event.time_stamp(), target: None });
        canvas.focus();
    };
    let moved = move |event: PointerEvent| {
        let Some(element) = element() else { return };
        canvas.feed(&Input::Move {
            pointer: event.pointer_id(),
            mods: pointer::mods(&event),
            at: pointer::at(&event, &element),
            time: event.time_stamp(),
        });
    };
    let up = move |event: PointerEvent| {
        let Some(element) = element() else { return };
        canvas.feed(&Input::Up {
            pointer: event.pointer_id(),
            mods: pointer::mods(&event),
            at: pointer::at(&event, &element),
            time: event.time_stamp(),
        });
    };
    let lost = move |event: PointerEvent| canvas.feed(&Input::Cancel { pointer: event.pointer_id() });
    let wheel = move |event: WheelEvent| {
        let Some(element) = element() else { return };
        event.prevent_default();
        let mods = pointer::mods(&event);
        canvas.feed(&Input::Wheel {
            at: pointer::at(&event, &element),
            dx: event.delta_x(),
            dy: event.delta_y(),
            unit: pointer::wheel_unit(&event),
            mods,
            mac_pinch: mods.ctrl && page::is_mac() && event.delta_y().fract() != 0.0,
        });
    };
    let menu = move |event: MouseEvent| {
        if !is_own(&event) {
            event.prevent_default();
        }
    };
    let copy = move |event: web_sys::ClipboardEvent| {
        if !dom::is_typing() {
            canvas.copy(&event);
        }
    };
    let cut = move |event: web_sys::ClipboardEvent| {
        if !dom::is_typing() && canvas.copy(&event) {
            canvas.delete_selected(false);
        }
    };
    let paste = move |event: web_sys::ClipboardEvent| {
        if !dom::is_typing()
            && let Some(text) = clipboard::text_of(&event)
        {
            event.prevent_default();
            canvas.paste(&text);
        }
    };
    let class = move || {
        let zoom = canvas.viewport.with(|view| view.zoom);
        let detail = if zoom < sizes::ZOOM_BLOCKS {
            "z-far"
        } else if zoom < sizes::ZOOM_NO_FACT {
            "z-mid"
        } else {
            ""
        };
        let connecting = if canvas.connecting.get().is_some() { "is-connecting" } else { "" };
        format!("stage {detail} {connecting} {}", canvas.cursor.get())
    };
    let class = Memo::new(move |_| class());
    let transform = move || canvas.viewport.with(|view| format!("translate({}px,{}px) scale({})", view.x, view.y, view.zoom));
    let empty = Memo::new(move |_| {
        canvas.laid.track();
        !canvas.session.files.starting.get() && canvas.stage.with_value(|stage| stage.scene().nodes.is_empty())
    });
    view! {
        <main class=move || class.get() node_ref=canvas.element aria-label=text::CANVAS
            tabindex=move || if canvas.session.selection.primary.get().is_some() { "-1" } else { "0" }
            on:pointerdown=down on:pointermove=moved on:pointerup=up on:pointercancel=lost
            on:wheel=wheel on:contextmenu=menu on:copy=copy on:cut=cut on:paste=paste
            on:keydown=move |event: KeyboardEvent| canvas.key_down(&event) on:keyup=move |event: KeyboardEvent| canvas.key_up(&event)>
            {grid(canvas)}
            {far::picture(canvas)}
            <div class="layer" style:transform=transform>
                <svg class="edges" aria-hidden="true">
                    <For each=move || canvas.visible.with(|visible| visible.links.clone()) key=|id| *id let:id>
                        {paths::line(canvas, scene::of_link(id))}
                    </For>
                </svg>
                <For each=move || canvas.visible.with(|visible| visible.nodes.clone()) key=|id| *id let:id>
                    {node(canvas, id)}
                </For>
                <For each=move || canvas.visible.with(|visible| visible.links.clone()) key=|id| *id let:id>
                    {paths::label(canvas, scene::of_link(id))}
                </For>
                {overlay::overlay(canvas)}
            </div>
            {move || empty.get().then(|| view! { <p class="stage-empty">{text::EMPTY_STAGE}</p> })}
            {quick_add::view(canvas)}
            {minimap::run_chip(canvas)}
            {minimap::zoom(canvas)}
            {minimap::minimap(canvas)}
        </main>
    }
    .into_any()
}

fn node(canvas: Canvas, id: NodeId) -> AnyView {
    let id: EntityId = scene::of_node(id);
    if canvas.is_step(id) { card::step(canvas, id) } else { notes::note(canvas, id) }
}

/// The dots. They move with the view and thin out with distance.
fn grid(canvas: Canvas) -> AnyView {
    let step = Memo::new(move |_| {
        let zoom = canvas.viewport.with(|view| view.zoom);
        let mut step = sizes::SNAP;
        while step * zoom < 12.0 {
            step *= 2.0;
        }
        step * zoom
    });
    let place = move |pick: fn(&loopwright_stage::Viewport) -> f64| {
        let step = step.get();
        format!("{}", canvas.viewport.with(pick).rem_euclid(step))
    };
    view! {
        <svg class="grid" aria-hidden="true">
            <defs>
                <pattern id="dots" patternUnits="userSpaceOnUse" width=move || step.get() height=move || step.get() x=move || place(|view| view.x) y=move || place(|view| view.y)>
                    <circle class="dot" cx="1" cy="1" r="1"></circle>
                </pattern>
            </defs>
            <rect width="100%" height="100%" fill="url(#dots)"></rect>
        </svg>
    }
    .into_any()
}
