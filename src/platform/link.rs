//! Texts packed into an address and read back: compressed by the browser itself (no code of ours to load), then base64 for addresses.

use js_sys::{Array, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, ReadableStreamDefaultReader, ReadableWritablePair};

// web_sys counts these two as unstable; browsers have had them since 2023.
#[wasm_bindgen]
extern "C" {
    type CompressionStream;
    #[wasm_bindgen(constructor, catch)]
    fn new(format: &str) -> Result<CompressionStream, JsValue>;

    type DecompressionStream;
    #[wasm_bindgen(constructor, catch)]
    fn new(format: &str) -> Result<DecompressionStream, JsValue>;
}

/// Compression without a frame of its own: the address says what it is.
const FORMAT: &str = "deflate-raw";

/// Why a packed text cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// It was cut off or changed on the way, or never was one of ours.
    Damaged,
    /// What it unpacks to is over the limit.
    TooLarge,
}

/// Packs a text. `None` where the browser cannot compress.
pub async fn pack(text: &str) -> Option<String> {
    let stream = CompressionStream::new(FORMAT).ok()?;
    let packed = through(text.as_bytes(), stream.unchecked_ref(), usize::MAX).await.ok()?;
    let plain: String = packed.iter().map(|byte| char::from(*byte)).collect();
    let base64 = web_sys::window()?.btoa(&plain).ok()?;
    Some(
        base64
            .trim_end_matches('=')
            .chars()
            .map(|c| {
                if c == '+' {
                    '-'
                } else if c == '/' {
                    '_'
                } else {
                    c
                }
            })
            .collect(),
    )
}

/// Unpacks what [`pack`] made, up to `limit` bytes of text.
pub async fn unpack(packed: &str, limit: usize) -> Result<String, Unreadable> {
    let base64: String = packed
        .chars()
        .map(|c| {
            if c == '-' {
                '+'
            } else if c == '_' {
                '/'
            } else {
                c
            }
        })
        .collect();
    let plain = web_sys::window().and_then(|window| window.atob(&base64).ok()).ok_or(Unreadable::Damaged)?;
    let bytes: Vec<u8> = plain.chars().filter_map(|c| u8::try_from(u32::from(c)).ok()).collect();
    let stream = DecompressionStream::new(FORMAT).map_err(|_| Unreadable::Damaged)?;
    String::from_utf8(through(&bytes, stream.unchecked_ref(), limit).await?).map_err(|_| Unreadable::Damaged)
}

/// Sends bytes through one of the browser's streams, piece by piece, so that a small text cannot unfold without end.
async fn through(bytes: &[u8], stream: &ReadableWritablePair, limit: usize) -> Result<Vec<u8>, Unreadable> {
    let read = async {
        let blob = Blob::new_with_u8_array_sequence(&Array::of1(&Uint8Array::from(bytes))).ok()?;
        let reader: ReadableStreamDefaultReader = blob.stream().pipe_through(stream).get_reader().dyn_into().ok()?;
        let mut found = Vec::new();
        while let Some(piece) = next(&reader).await? {
            found.extend(piece);
            if found.len() > limit {
                // The rest is not wanted, and nothing depends on the stream's hearing so.
                let _ = reader.cancel();
                return Some(Err(Unreadable::TooLarge));
            }
        }
        Some(Ok(found))
    };
    read.await.unwrap_or(Err(Unreadable::Damaged))
}

/// The next piece; `Some(None)` at the end, `None` when the stream broke.
async fn next(reader: &ReadableStreamDefaultReader) -> Option<Option<Vec<u8>>> {
    let step = JsFuture::from(reader.read()).await.ok()?;
    let part = |name: &str| Reflect::get(&step, &JsValue::from_str(name)).ok();
    if part("done")?.is_truthy() {
        return Some(None);
    }
    Some(Some(part("value")?.dyn_into::<Uint8Array>().ok()?.to_vec()))
}

/// The address of this page without what follows `#`.
pub fn address() -> Option<String> {
    let href = web_sys::window()?.location().href().ok()?;
    Some(href.split('#').next().unwrap_or_default().to_owned())
}

/// Takes what follows `#` out of the address: a document that was opened from it lives on its own from then on.
pub fn forget_hash() {
    if let (Some(history), Some(address)) = (web_sys::window().and_then(|window| window.history().ok()), address()) {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&address));
    }
}
