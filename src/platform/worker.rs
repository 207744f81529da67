//! The worker: started, spoken to in bytes, ended.

use js_sys::{Array, ArrayBuffer, Uint8Array};
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

/// A running worker. Dropping it ends it.
pub struct WorkerHandle {
    worker: Worker,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

impl WorkerHandle {
    /// Starts the worker the page names in `<meta name="loopwright-worker">`. `None` where the browser has no module workers.
    pub fn start(on_message: impl Fn(Vec<u8>) + 'static, on_error: impl Fn() + 'static) -> Option<Self> {
        let document = web_sys::window()?.document()?;
        let meta = document.query_selector("meta[name=loopwright-worker]").ok().flatten()?;
        let url = meta.get_attribute("content")?;
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(&url, &options).ok()?;
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            if let Some(buffer) = event.data().dyn_ref::<ArrayBuffer>() {
                on_message(Uint8Array::new(buffer).to_vec());
            }
        });
        let on_error = Closure::<dyn FnMut(ErrorEvent)>::new(move |_: ErrorEvent| on_error());
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Some(Self { worker, _on_message: on_message, _on_error: on_error })
    }

    /// Sends a message.
    pub fn post(&self, message: &[u8]) {
        let bytes = Uint8Array::from(message).buffer();
        // Only a value that cannot be cloned is refused, and bytes can.
        let _ = self.worker.post_message_with_transfer(&bytes, &Array::of1(&bytes));
    }
}

impl Drop for WorkerHandle {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}
