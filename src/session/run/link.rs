//! The line to the worker: asks with numbers, answers by number, a worker that falls silent is ended and started again.

use std::collections::BTreeMap;

use leptos::prelude::*;
use loopwright_executor::protocol::{Ask, FromWorker, Outcome, Reply, Request, Summary, Trouble, VERSION, decode, encode};

use super::once::{Giver, once};
use crate::{
    platform::{time, worker::WorkerHandle},
    text,
};

/// How long a question may stay unanswered before the worker counts as dead, in milliseconds.
const SILENCE: f64 = 5_000.0;
/// How often in a row a worker that dies before it is ready is started again.
const ATTEMPTS: u32 = 3;

/// What comes of a question.
pub type Answer = Result<Reply, Trouble>;

struct Pending {
    giver: Giver<Answer>,
    since: f64,
}

#[derive(Default)]
struct Inner {
    worker: Option<WorkerHandle>,
    ready: bool,
    /// Messages to send once the worker is ready.
    waiting: Vec<Vec<u8>>,
    pending: BTreeMap<u32, Pending>,
    next: u32,
    failed_starts: u32,
    /// When the worker last said something.
    heard: f64,
    /// Whether it was silent when last looked at.
    was_silent: bool,
}

/// The line to the worker.
#[derive(Clone, Copy)]
pub struct Link {
    inner: StoredValue<Inner, LocalStorage>,
    /// Whether a worker can be had at all.
    pub available: RwSignal<bool>,
    /// Counts restarts: whoever holds a run of the old worker has lost it.
    pub restarts: RwSignal<u32>,
}

impl Link {
    pub(super) fn new() -> Self {
        Self { inner: StoredValue::new_local(Inner::default()), available: RwSignal::new(true), restarts: RwSignal::new(0) }
    }

    /// Starts the worker. `on_progress` hears what it says by itself.
    pub(super) fn start(self, on_progress: impl Fn(Summary) + Copy + 'static) {
        let worker = WorkerHandle::start(move |bytes| self.hear(&bytes, on_progress), move || self.restart(on_progress));
        self.available.set(worker.is_some());
        self.inner.update_value(|inner| {
            inner.worker = worker;
            inner.ready = false;
            inner.heard = time::now();
        });
    }

    /// Ends the worker and starts another. What was asked is answered with a trouble.
    pub(super) fn restart(self, on_progress: impl Fn(Summary) + Copy + 'static) {
        let (lost, again) = self
            .inner
            .try_update_value(|inner| {
                inner.failed_starts = if inner.ready { 0 } else { inner.failed_starts + 1 };
                inner.worker = None;
                inner.ready = false;
                inner.waiting.clear();
                (std::mem::take(&mut inner.pending), inner.failed_starts < ATTEMPTS)
            })
            .unwrap_or_default();
        let (code, message) = if again { ("worker_restarted", text::WORKER_RESTARTED) } else { ("worker_missing", text::WORKER_MISSING) };
        for pending in lost.into_values() {
            pending.giver.give(Err(Trouble::new(code, message)));
        }
        if again {
            self.start(on_progress);
            self.restarts.update(|count| *count += 1);
        } else {
            self.available.set(false);
        }
    }

    /// Asks the worker something.
    pub async fn ask(self, ask: Ask) -> Answer {
        if !self.available.get_untracked() {
            return Err(Trouble::new("worker_missing", text::WORKER_MISSING));
        }
        let (giver, answer) = once();
        self.inner.update_value(|inner| {
            inner.next += 1;
            let bytes = encode(&Request { id: inner.next, ask });
            inner.pending.insert(inner.next, Pending { giver, since: time::now() });
            match &inner.worker {
                Some(worker) if inner.ready => worker.post(&bytes),
                _ => inner.waiting.push(bytes),
            }
        });
        answer.await
    }

    /// Whether the worker has said anything since a moment.
    pub(super) fn heard_since(self, moment: f64) -> bool {
        self.inner.with_value(|inner| inner.heard >= moment)
    }

    /// Whether a question has waited too long, or a run that is `running` told nothing for too long. Looked at once a second; the
    /// second look in a row decides, because after a computer has slept the first one sees an old clock.
    pub(super) fn is_silent(self, running: bool) -> bool {
        let now = time::now();
        let silent = self.inner.with_value(|inner| {
            let waited = || inner.pending.values().any(|pending| now - pending.since > SILENCE);
            inner.ready && now - inner.heard > SILENCE && (running || waited())
        });
        self.inner
            .try_update_value(|inner| {
                let before = inner.was_silent;
                inner.was_silent = silent;
                silent && before
            })
            .unwrap_or_default()
    }

    fn hear(self, bytes: &[u8], on_progress: impl Fn(Summary)) {
        self.inner.update_value(|inner| inner.heard = time::now());
        match decode::<FromWorker>(bytes) {
            Some(FromWorker::Ready { version }) if version == VERSION => self.inner.update_value(|inner| {
                inner.ready = true;
                inner.failed_starts = 0;
                if let Some(worker) = &inner.worker {
                    inner.waiting.drain(..).for_each(|bytes| worker.post(&bytes));
                }
            }),
            // The page and its worker are of different builds: only a reload helps.
            Some(FromWorker::Ready { .. }) => self.available.set(false),
            Some(FromWorker::Progress(summary)) => on_progress(summary),
            Some(FromWorker::Answer { id, outcome }) => {
                let Some(pending) = self.inner.try_update_value(|inner| inner.pending.remove(&id)).flatten() else { return };
                pending.giver.give(match outcome {
                    Outcome::Ok(reply) => Ok(*reply),
                    Outcome::Trouble(trouble) => Err(trouble),
                    Outcome::Superseded => Err(Trouble::new("superseded", "")),
                });
            }
            None => leptos::logging::error!("The worker said something that cannot be read."),
        }
    }
}
