//! The web worker.

use wasm_bindgen::JsCast;

fn main() {
    if let Ok(scope) = js_sys::global().dyn_into::<web_sys::DedicatedWorkerGlobalScope>() {
        // A page that is gone hears nothing.
        let _ = scope.post_message(&"ready".into());
    }
}
