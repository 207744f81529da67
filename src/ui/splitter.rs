//! A line between two areas that can be dragged, or moved with the arrow keys.

use leptos::prelude::*;
use web_sys::{KeyboardEvent, PointerEvent};

use crate::platform::pointer;

/// How far one press of an arrow key moves it, in px.
const STEP: f64 = 16.0;

/// A horizontal splitter above an area whose height it sets, in px. `highest` is asked when it matters.
pub fn above(label: &'static str, height: RwSignal<f64>, lowest: f64, highest: impl Fn() -> f64 + Copy + Send + 'static) -> impl IntoView {
    let from = StoredValue::new(None::<(f64, f64)>);
    let set = move |wanted: f64| height.set(wanted.clamp(lowest, highest().max(lowest)));
    let down = move |event: PointerEvent| {
        if let Some(element) = pointer::closest(&event, ".splitter") {
            pointer::capture(&event, &element);
        }
        from.set_value(Some((f64::from(event.client_y()), height.get_untracked())));
        event.prevent_default();
    };
    let drag = move |event: PointerEvent| {
        if let Some((y, before)) = from.get_value() {
            set(before + y - f64::from(event.client_y()));
        }
    };
    let key = move |event: KeyboardEvent| {
        let now = height.get_untracked();
        match event.key().as_str() {
            "ArrowUp" => set(now + STEP),
            "ArrowDown" => set(now - STEP),
            "Home" => set(f64::MAX),
            "End" => set(0.0),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    view! {
        <div class="splitter" role="separator" aria-orientation="horizontal" aria-label=label tabindex="0"
            aria-valuenow=move || format!("{:.0}", height.get()) aria-valuemin=format!("{lowest:.0}") aria-valuemax=move || { height.track(); format!("{:.0}", highest()) }
            on:pointerdown=down on:pointermove=drag
            on:pointerup=move |_| from.set_value(None) on:pointercancel=move |_| from.set_value(None)
            on:keydown=key></div>
    }
}
