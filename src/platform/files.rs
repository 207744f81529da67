//! Files: opened by a person, dropped, and given back as downloads.

use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, DragEvent, File, HtmlAnchorElement, HtmlInputElement, Url};

/// A file that was read.
pub struct Opened {
    /// Its name.
    pub name: String,
    /// Its text, or how many bytes it has if that is more than we open.
    pub text: Result<String, u64>,
}

/// Reads a file, unless it is larger than `limit` bytes.
pub async fn read(file: File, limit: usize) -> Option<Opened> {
    let name = file.name();
    if file.size() > limit as f64 {
        return Some(Opened { name, text: Err(file.size() as u64) });
    }
    // The bytes as they are: text() would take a byte-order mark away.
    let buffer = JsFuture::from(file.array_buffer()).await.ok()?;
    let bytes = js_sys::Uint8Array::new(&buffer).to_vec();
    Some(Opened { name, text: Ok(String::from_utf8_lossy(&bytes).into_owned()) })
}

/// The first file of a file field; the field is emptied, so that the same file can be chosen again.
pub fn chosen(input: &HtmlInputElement) -> Option<File> {
    let file = input.files()?.get(0);
    input.set_value("");
    file
}

/// The first file of a drop.
pub fn dropped(event: &DragEvent) -> Option<File> {
    event.data_transfer()?.files()?.get(0)
}

/// Whether what is dragged over the page is a file.
pub fn is_file_drag(event: &DragEvent) -> bool {
    event.data_transfer().is_some_and(|data| data.types().includes(&JsValue::from_str("Files"), 0))
}

/// Gives a JSON text to the person as a file.
pub fn download(name: &str, text: &str) -> bool {
    give(name, &JsValue::from_str(text), if name.ends_with(".csv") { "text/csv" } else { "application/json" })
}

/// Gives bytes to the person as a file.
pub fn download_bytes(name: &str, bytes: &[u8]) -> bool {
    give(name, &js_sys::Uint8Array::from(bytes), "application/octet-stream")
}

fn give(name: &str, content: &JsValue, kind: &str) -> bool {
    let make = || -> Option<()> {
        let parts = js_sys::Array::of1(content);
        let options = BlobPropertyBag::new();
        options.set_type(kind);
        let blob = Blob::new_with_str_sequence_and_options(&parts, &options).ok()?;
        let url = Url::create_object_url_with_blob(&blob).ok()?;
        let document = web_sys::window()?.document()?;
        let anchor = document.create_element("a").ok()?.dyn_into::<HtmlAnchorElement>().ok()?;
        anchor.set_href(&url);
        anchor.set_download(name);
        anchor.click();
        // The browser has taken what it needs by then.
        leptos::prelude::set_timeout(
            move || {
                let _ = Url::revoke_object_url(&url);
            },
            std::time::Duration::from_secs(60),
        );
        Some(())
    };
    make().is_some()
}

/// A text that the app was built with.
pub async fn fetch(path: &str) -> Option<String> {
    let window = web_sys::window()?;
    let response = JsFuture::from(window.fetch_with_str(path)).await.ok()?.dyn_into::<web_sys::Response>().ok()?;
    if !response.ok() {
        return None;
    }
    JsFuture::from(response.text().ok()?).await.ok()?.as_string()
}
