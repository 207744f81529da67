//! Pointer, wheel and keyboard events in the stage's own terms.

use loopwright_stage::{Button, Mods, Point, PointerKind, WheelUnit, pt};
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent, MouseEvent, PointerEvent, WheelEvent};

/// What a pointer is.
pub fn kind(event: &PointerEvent) -> PointerKind {
    match event.pointer_type().as_str() {
        "touch" => PointerKind::Touch,
        "pen" => PointerKind::Pen,
        _ => PointerKind::Mouse,
    }
}

/// With which button it went down.
pub fn button(event: &PointerEvent) -> Option<Button> {
    match event.button() {
        0 => Some(Button::Primary),
        1 => Some(Button::Middle),
        2 => Some(Button::Secondary),
        _ => None,
    }
}

/// The modifiers of a pointer, mouse or wheel event.
pub fn mods(event: &MouseEvent) -> Mods {
    Mods { shift: event.shift_key(), ctrl: event.ctrl_key(), alt: event.alt_key(), meta: event.meta_key() }
}

/// The modifiers of a key.
pub fn key_mods(event: &KeyboardEvent) -> Mods {
    Mods { shift: event.shift_key(), ctrl: event.ctrl_key(), alt: event.alt_key(), meta: event.meta_key() }
}

/// Where an event happened, from the corner of an element.
pub fn at(event: &MouseEvent, element: &Element) -> Point {
    let rect = element.get_bounding_client_rect();
    pt(f64::from(event.client_x()) - rect.left(), f64::from(event.client_y()) - rect.top())
}

/// The unit of a wheel's distance.
pub fn wheel_unit(event: &WheelEvent) -> WheelUnit {
    match event.delta_mode() {
        1 => WheelUnit::Line,
        2 => WheelUnit::Page,
        _ => WheelUnit::Pixel,
    }
}

/// Keeps a pointer's events coming to an element wherever it goes.
pub fn capture(event: &PointerEvent, element: &Element) {
    let _ = element.set_pointer_capture(event.pointer_id());
}

/// The element an event began at, or one around it, that a selector names.
pub fn closest(event: &web_sys::Event, selector: &str) -> Option<Element> {
    event.target()?.dyn_into::<Element>().ok()?.closest(selector).ok().flatten()
}
