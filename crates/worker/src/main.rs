//! The web worker: messages and a clock around `executor::host`.
//!
//! Messages are bytes (`executor::protocol`). Work is done in slices of 8 ms; between two slices the worker lets
//! waiting messages in (by a message to itself, not a timer, which browsers slow down) and answers them first, so that
//! a question or a cancel is never more than a slice away.

use std::{cell::RefCell, collections::VecDeque, rc::Rc};

use js_sys::{Array, ArrayBuffer, Uint8Array};
use loopwright_executor::{
    host::{Host, supersedes},
    protocol::{FromWorker, Outcome, Request, VERSION, decode, encode},
};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{DedicatedWorkerGlobalScope, MessageChannel, MessageEvent, MessagePort};

/// How long a slice of work lasts, in ms.
const SLICE_MS: f64 = 8.0;
/// How often progress is told, in ms.
const PROGRESS_MS: f64 = 50.0;
/// Steps of the engine between two looks at the clock.
const STEPS: usize = 200;

struct Worker {
    scope: DedicatedWorkerGlobalScope,
    /// Wakes the worker after messages that are already waiting.
    again: MessagePort,
    host: Host,
    waiting: VecDeque<Request>,
    scheduled: bool,
    told_at: f64,
}

impl Worker {
    fn now(&self) -> f64 {
        self.scope.performance().map_or(0.0, |clock| clock.now())
    }

    fn tell(&self, message: &FromWorker) {
        let bytes = Uint8Array::from(encode(message).as_slice()).buffer();
        // A page that is gone hears nothing.
        let _ = self.scope.post_message_with_transfer(&bytes, &Array::of1(&bytes));
    }

    fn schedule(&mut self) {
        if !self.scheduled {
            self.scheduled = self.again.post_message(&JsValue::NULL).is_ok();
        }
    }

    fn hear(&mut self, data: &JsValue) {
        // What is no request of this version cannot be answered; the page's own time-out tells of it.
        if let Some(request) = data.dyn_ref::<ArrayBuffer>().and_then(|buffer| decode::<Request>(&Uint8Array::new(buffer).to_vec())) {
            self.waiting.push_back(request);
            self.schedule();
        }
    }

    fn tick(&mut self) {
        self.scheduled = false;
        while let Some(request) = self.waiting.pop_front() {
            let pointless = self.waiting.iter().any(|later| supersedes(later, &request));
            let outcome = if pointless { Outcome::Superseded } else { self.host.answer(request.ask) };
            self.tell(&FromWorker::Answer { id: request.id, outcome });
        }
        let until = self.now() + SLICE_MS;
        while self.host.is_working() && self.now() < until {
            if let Some(ended) = self.host.work(STEPS) {
                self.tell(&FromWorker::Progress(ended));
            }
        }
        if self.host.is_working() {
            if self.now() - self.told_at >= PROGRESS_MS {
                self.told_at = self.now();
                if let Some(summary) = self.host.progress() {
                    self.tell(&FromWorker::Progress(summary));
                }
            }
            self.schedule();
        }
    }
}

fn main() {
    let Ok(scope) = js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() else { return };
    let Ok(channel) = MessageChannel::new() else { return };
    let worker = Rc::new(RefCell::new(Worker {
        scope: scope.clone(),
        again: channel.port2(),
        host: Host::default(),
        waiting: VecDeque::new(),
        scheduled: false,
        told_at: 0.0,
    }));
    let hearing = Rc::clone(&worker);
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| hearing.borrow_mut().hear(&event.data()));
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    let ticking = Rc::clone(&worker);
    let on_tick = Closure::<dyn FnMut(MessageEvent)>::new(move |_| ticking.borrow_mut().tick());
    channel.port1().set_onmessage(Some(on_tick.as_ref().unchecked_ref()));
    on_tick.forget();
    worker.borrow().tell(&FromWorker::Ready { version: VERSION });
}
