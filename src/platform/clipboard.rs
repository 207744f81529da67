//! The clipboard.

use wasm_bindgen_futures::JsFuture;

/// Puts a text on the clipboard. `false`: the browser did not let us.
pub async fn write(text: &str) -> bool {
    let Some(window) = web_sys::window() else { return false };
    if !window.is_secure_context() {
        return false;
    }
    JsFuture::from(window.navigator().clipboard().write_text(text)).await.is_ok()
}

/// The text on the clipboard of a paste event.
pub fn text_of(event: &web_sys::ClipboardEvent) -> Option<String> {
    event.clipboard_data()?.get_data("text/plain").ok()
}

/// Puts a text on the clipboard of a copy or cut event.
pub fn put(event: &web_sys::ClipboardEvent, text: &str) {
    if let Some(data) = event.clipboard_data()
        && data.set_data("text/plain", text).is_ok()
    {
        event.prevent_default();
    }
}
