//! The page: its address, its theme, its size, what it remembers of how a person likes it.

use wasm_bindgen::{JsCast, closure::Closure};

fn window() -> Option<web_sys::Window> {
    web_sys::window()
}

/// The root element.
fn root() -> Option<web_sys::Element> {
    window()?.document()?.document_element()
}

/// Whether the system asks for dark.
pub fn prefers_dark() -> bool {
    media("(prefers-color-scheme: dark)")
}

/// Whether the system asks for little motion.
pub fn reduced_motion() -> bool {
    media("(prefers-reduced-motion: reduce)")
}

/// Whether pinches on the trackpad come as the wheel with Ctrl (macOS).
pub fn is_mac() -> bool {
    window().and_then(|window| window.navigator().platform().ok()).is_some_and(|name| name.starts_with("Mac"))
}

fn media(query: &str) -> bool {
    window().and_then(|window| window.match_media(query).ok().flatten()).is_some_and(|list| list.matches())
}

/// Shows a theme.
pub fn set_theme(name: &str) {
    if let Some(root) = root() {
        let _ = root.set_attribute("data-theme", name);
    }
}

/// The title of the tab.
pub fn set_title(title: &str) {
    if let Some(document) = window().and_then(|window| window.document()) {
        document.set_title(title);
    }
}

/// The window's width in px.
pub fn width() -> f64 {
    window().and_then(|window| window.inner_width().ok()).and_then(|width| width.as_f64()).unwrap_or(1440.0)
}

/// The window's height in px.
pub fn height() -> f64 {
    window().and_then(|window| window.inner_height().ok()).and_then(|height| height.as_f64()).unwrap_or(900.0)
}

/// What follows `#` in the address, percent signs resolved.
pub fn hash() -> String {
    let hash = window().and_then(|window| window.location().hash().ok()).unwrap_or_default();
    let text = hash.strip_prefix('#').unwrap_or(&hash);
    js_sys::decode_uri_component(text).map_or_else(|_| text.to_owned(), String::from)
}

/// Adds a step to the browser's history, so that Back closes a drill-in.
pub fn push_history(depth: usize) {
    if let Some(history) = window().and_then(|window| window.history().ok()) {
        let _ = history.push_state_with_url(&wasm_bindgen::JsValue::from_f64(depth as f64), "", None);
    }
}

/// Goes back in the browser's history.
pub fn go_back() {
    if let Some(history) = window().and_then(|window| window.history().ok()) {
        let _ = history.back();
    }
}

/// What was remembered under a key, if the browser lets us.
pub fn remembered(key: &str) -> Option<String> {
    window()?.local_storage().ok()??.get_item(&format!("loopwright.{key}")).ok()?
}

/// Remembers something small; where the browser does not let us, it is forgotten.
pub fn remember(key: &str, value: &str) {
    if let Some(storage) = window().and_then(|window| window.local_storage().ok().flatten()) {
        let _ = storage.set_item(&format!("loopwright.{key}"), value);
    }
}

/// Calls back with the key when another tab of the browser remembers something.
pub fn on_remembered(mut handle: impl FnMut(&str) + 'static) {
    on_window("storage", move |event| {
        let key = js_sys::Reflect::get(&event, &"key".into()).ok().and_then(|key| key.as_string());
        if let Some(key) = key.as_deref().and_then(|key| key.strip_prefix("loopwright.")) {
            handle(key);
        }
    });
}

/// A new UUID, lower case.
pub fn new_uuid() -> String {
    let made = window().and_then(|window| window.crypto().ok()).map(|crypto| crypto.random_uuid());
    // A page without a secure context has no random_uuid; random numbers do as well there.
    made.unwrap_or_else(|| {
        let part = |digits: usize| {
            let bits = (js_sys::Math::random() * 4_294_967_296.0) as u64;
            format!("{bits:08x}").chars().take(digits).collect::<String>()
        };
        format!("{}-{}-4{}-8{}-{}{}", part(8), part(4), part(3), part(3), part(8), part(4))
    })
}

/// Calls back for as long as the page lives.
pub fn on_window(event: &str, handle: impl FnMut(web_sys::Event) + 'static) {
    let closure = Closure::<dyn FnMut(web_sys::Event)>::new(handle);
    if let Some(window) = window() {
        let _ = window.add_event_listener_with_callback(event, closure.as_ref().unchecked_ref());
        closure.forget();
    }
}

/// Calls back when the system's theme changes.
pub fn on_theme_change(mut handle: impl FnMut(bool) + 'static) {
    let Some(list) = window().and_then(|window| window.match_media("(prefers-color-scheme: dark)").ok().flatten()) else { return };
    let closure =
        Closure::<dyn FnMut(web_sys::MediaQueryListEvent)>::new(move |event: web_sys::MediaQueryListEvent| handle(event.matches()));
    let _ = list.add_event_listener_with_callback("change", closure.as_ref().unchecked_ref());
    closure.forget();
}

/// Takes away what the page shows while the app is being loaded.
pub fn clear_start() {
    if let Some(element) = window().and_then(|window| window.document()).and_then(|document| document.get_element_by_id("starting")) {
        element.remove();
    }
}
