//! The run: started in the worker, watched, asked about.

mod link;
mod once;
mod playback;

use std::{sync::Arc, time::Duration};

use leptos::{prelude::*, task::spawn_local};
use loopwright_executor::protocol::{Ask, FrameId, PlacePart, Reply, RunId, RunState, Steps, Summary};
use loopwright_lang::Profile;
use loopwright_model::EntityId;

pub use link::{Answer, Link};
pub use playback::Playing;

use super::{Doc, Notify, Selection, Tone};
use crate::{platform::time, text};

/// A run with more events than this is not run again by itself after an edit.
pub const AUTO_EVENTS: u64 = 10_000;
/// How long after an edit the flow runs again.
const AUTO_DELAY: Duration = Duration::from_millis(300);
/// How long a worker may take to stop.
const STOP_MS: u32 = 300;

/// A time no run reaches: questions "as of the end" are asked for it.
const FOR_EVER: u64 = 1 << 52;

/// Whether the cards' states are being asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asking {
    No,
    Once,
    Again,
}

/// The run and what is selected of it.
#[derive(Clone, Copy)]
pub struct RunClient {
    link: Link,
    /// The run on screen; `None` before the first.
    pub run: RwSignal<Option<RunId>>,
    /// How it stands.
    pub summary: RwSignal<Option<Arc<Summary>>>,
    /// Its steps as of the playhead.
    pub steps: RwSignal<Arc<Steps>>,
    /// The playhead in µs; `None` follows the end.
    pub playhead_us: RwSignal<Option<u64>>,
    /// Whether the playhead moves by itself.
    pub playing: RwSignal<Playing>,
    /// How fast, in seconds of the run a second.
    pub speed: RwSignal<f64>,
    /// The selected iteration.
    pub iteration: RwSignal<Option<FrameId>>,
    /// Where the selected iteration is: the steps around it and its own, with their iterations, outermost first.
    pub iteration_place: RwSignal<Vec<PlacePart>>,
    /// Edits since the run began.
    pub edits_since: RwSignal<u32>,
    /// The scenario that runs next.
    pub scenario: RwSignal<Option<EntityId>>,
    /// When the run was started, `14:01`.
    pub started_at: RwSignal<String>,
    /// Counts runs that have ended, for those who show windows of them.
    pub ended: RwSignal<u64>,
    profile: RwSignal<Profile>,
    doc: Doc,
    selection: Selection,
    notify: Notify,
    next_run: StoredValue<u32>,
    /// A run that began but has shown nothing yet.
    coming: StoredValue<Option<RunId>>,
    asking: StoredValue<Asking>,
    /// Whether a person asked for the run that goes on.
    asked_for: StoredValue<bool>,
    /// How the last run ended, and whether anything in it failed.
    last_end: StoredValue<Option<(RunState, bool)>>,
    auto: StoredValue<u64>,
    play_ticket: StoredValue<u64>,
}

impl RunClient {
    pub(super) fn new(doc: Doc, selection: Selection, notify: Notify, profile: RwSignal<Profile>) -> Self {
        Self {
            link: Link::new(),
            run: RwSignal::new(None),
            summary: RwSignal::new(None),
            steps: RwSignal::new(Arc::default()),
            playhead_us: RwSignal::new(None),
            playing: RwSignal::new(Playing::No),
            speed: RwSignal::new(1.0),
            iteration: RwSignal::new(None),
            iteration_place: RwSignal::new(Vec::new()),
            edits_since: RwSignal::new(0),
            scenario: RwSignal::new(None),
            started_at: RwSignal::new(String::new()),
            ended: RwSignal::new(0),
            profile,
            doc,
            selection,
            notify,
            next_run: StoredValue::new(0),
            coming: StoredValue::new(None),
            asking: StoredValue::new(Asking::No),
            asked_for: StoredValue::new(false),
            last_end: StoredValue::new(None),
            auto: StoredValue::new(0),
            play_ticket: StoredValue::new(0),
        }
    }

    /// Starts the worker and keeps an eye on it. Call once, inside the app's root owner.
    pub fn connect(self) {
        self.link.start(move |summary| self.heard(summary));
        set_interval(
            move || {
                if self.link.is_silent(untrack(|| self.is_running())) {
                    self.lost();
                }
            },
            Duration::from_secs(1),
        );
        // The playhead moved: what the cards show follows.
        Effect::new(move |_| {
            self.playhead_us.track();
            self.refresh_steps();
        });
    }

    /// Keeps [`Self::iteration_place`] in step with the selected iteration. Call once, with the canvas.
    pub fn watch_iteration(self) {
        Effect::new(move |_| {
            let (run, frame) = (self.run.get(), self.iteration.get());
            let (Some(run), Some(frame)) = (run, frame) else {
                self.iteration_place.set(Vec::new());
                return;
            };
            spawn_local(async move {
                if let Ok(Reply::Frame(found)) = self.link.ask(Ask::Frame { run, frame }).await
                    && self.iteration.get_untracked() == Some(frame)
                    && self.run.get_untracked() == Some(run)
                {
                    self.iteration_place.set(found.place);
                }
            });
        });
    }

    /// Whether a run can be started at all (watched).
    pub fn available(self) -> bool {
        self.link.available.get()
    }

    /// Whether the run on screen goes on (watched).
    pub fn is_running(self) -> bool {
        self.summary.with(|summary| summary.as_ref().is_some_and(|summary| summary.state == RunState::Running))
    }

    /// Asks the worker something about a run.
    pub async fn ask(self, ask: Ask) -> Answer {
        self.link.ask(ask).await
    }

    /// The playhead, or the end of the run (watched), in µs.
    pub fn now_us(self) -> u64 {
        self.playhead_us
            .get()
            .unwrap_or_else(|| self.summary.with(|summary| summary.as_ref().map_or(0, |summary| summary.end_us.unwrap_or(summary.now_us))))
    }

    /// Runs the flow because a person asked for it: how it ends is said.
    pub fn start(self) {
        self.asked_for.set_value(true);
        self.begin();
    }

    /// Runs the outermost open flow under the chosen scenario. The run on screen stays until the new one has begun; the selected
    /// iteration stays selected where there is one at the same place.
    fn begin(self) {
        let Some(graph) = self.selection.breadcrumb.with_untracked(|path| path.first().copied()) else { return };
        if self.doc.with(|document| document.graph(graph).is_none_or(|graph| graph.steps().next().is_none())) {
            // There is nothing to run yet, and nothing to say about it.
            self.forget();
            return;
        }
        // Numbers stay as they are: what the worker says of a step is about that step here.
        let document = self.doc.with(loopwright_model::snapshot::write_for_run);
        self.cancel_auto();
        let run = RunId(
            self.next_run
                .try_update_value(|next| {
                    *next += 1;
                    *next
                })
                .unwrap_or_default(),
        );
        let ask = Ask::Run { run, document, graph, scenario: self.scenario.get_untracked(), profile: self.profile.get_untracked() };
        self.coming.set_value(Some(run));
        self.edits_since.set(0);
        time::mark("run asked");
        spawn_local(async move {
            let old = self.run.get_untracked();
            let place = self.selected_place().await;
            match self.link.ask(ask).await {
                Ok(Reply::Summary(summary)) => {
                    self.adopt(run, summary);
                    if let Some(old) = old.filter(|old| *old != run) {
                        let _ = self.link.ask(Ask::Drop { run: old }).await;
                    }
                    if let Some(place) = place
                        && let Ok(Reply::Found { frame: Some(frame), .. }) = self.link.ask(Ask::Find { run, place }).await
                        && self.run.get_untracked() == Some(run)
                    {
                        self.iteration.set(Some(frame));
                    }
                }
                Ok(_) => {}
                Err(trouble) if trouble.code == "superseded" => {}
                // It died before the run began: another worker is there, so once more.
                Err(trouble) if trouble.code == "worker_restarted" && self.coming.get_value() == Some(run) => self.run_soon(),
                Err(trouble) => self.notify.toast(Tone::Failed, trouble.message),
            }
        });
    }

    /// Stops the run. A worker that does not stop within 300 ms is ended.
    pub fn cancel(self) {
        let Some(run) = self.coming.get_value().or(self.run.get_untracked()) else { return };
        let asked = time::now();
        spawn_local(async move {
            if let Ok(Reply::Summary(summary)) = self.link.ask(Ask::Cancel { run }).await {
                self.heard(summary);
            }
        });
        spawn_local(async move {
            time::sleep(STOP_MS).await;
            if !self.link.heard_since(asked) {
                self.lost();
            }
        });
    }

    /// The flow was changed: counts the edit, and runs again soon unless the run is too large for that.
    pub fn edited(self) {
        if self.run.get_untracked().is_some() {
            self.edits_since.update(|edits| *edits += 1);
        }
        let small = self.summary.with_untracked(|summary| summary.as_ref().is_none_or(|summary| summary.events < AUTO_EVENTS));
        if small {
            self.run_soon();
        }
    }

    /// Runs as soon as what is going on now is done.
    pub fn run_now(self) {
        let ticket = self.cancel_auto();
        queue_microtask(move || {
            if self.auto.get_value() == ticket {
                self.begin();
            }
        });
    }

    /// Runs in 300 ms, unless asked again before.
    pub fn run_soon(self) {
        let ticket = self.cancel_auto();
        set_timeout(
            move || {
                if self.auto.get_value() == ticket {
                    self.begin();
                }
            },
            AUTO_DELAY,
        );
    }

    /// Forgets the run: another document was opened.
    pub fn forget(self) {
        self.cancel_auto();
        if let Some(run) = self.run.get_untracked() {
            spawn_local(async move {
                let _ = self.link.ask(Ask::Drop { run }).await;
            });
        }
        self.coming.set_value(None);
        self.run.set(None);
        self.summary.set(None);
        self.steps.set(Arc::default());
        self.playing.set(Playing::No);
        self.playhead_us.set(None);
        self.iteration.set(None);
        self.edits_since.set(0);
    }

    /// Selects the iteration with a number (0-based) of a loop.
    pub fn select_iteration(self, of_loop: FrameId, index: u64) {
        let Some(run) = self.run.get_untracked() else { return };
        spawn_local(async move {
            let ask = Ask::Iterations { run, frame: of_loop, from: index, count: 1, only_failed: false };
            if let Ok(Reply::Iterations(found)) = self.link.ask(ask).await
                && let Some(row) = found.rows.first()
            {
                self.iteration.set(Some(row.frame));
            }
        });
    }

    fn cancel_auto(self) -> u64 {
        self.auto
            .try_update_value(|auto| {
                *auto += 1;
                *auto
            })
            .unwrap_or_default()
    }

    async fn selected_place(self) -> Option<Vec<PlacePart>> {
        let (run, frame) = (self.run.get_untracked()?, self.iteration.get_untracked()?);
        match self.link.ask(Ask::Frame { run, frame }).await {
            Ok(Reply::Frame(frame)) => Some(frame.place),
            _ => None,
        }
    }

    /// Puts a new run on screen.
    fn adopt(self, run: RunId, summary: Summary) {
        if self.coming.get_value() != Some(run) {
            return;
        }
        self.coming.set_value(None);
        self.iteration.set(None);
        self.playing.set(Playing::No);
        self.playhead_us.set(None);
        self.started_at.set(time::clock());
        self.run.set(Some(run));
        self.show(summary);
    }

    fn heard(self, summary: Summary) {
        if self.coming.get_value() == Some(summary.run) {
            self.adopt(summary.run, summary);
        } else if self.run.get_untracked() == Some(summary.run) {
            self.show(summary);
        }
    }

    fn show(self, summary: Summary) {
        let was_running =
            self.summary.with_untracked(|old| old.as_ref().is_none_or(|old| old.run != summary.run || old.state == RunState::Running));
        let ended = summary.state != RunState::Running && was_running;
        // A run after an edit is not worth a word, unless it ends otherwise than the one before.
        let news = self.last_end.get_value() != Some((summary.state, summary.failures > 0));
        if ended && (news || self.asked_for.get_value()) {
            self.notify.say(text::run_ended(&summary));
        }
        if ended {
            time::mark("run ended");
            self.asked_for.set_value(false);
            self.last_end.set_value(Some((summary.state, summary.failures > 0)));
        }
        self.summary.set(Some(Arc::new(summary)));
        if ended {
            self.ended.update(|count| *count += 1);
        }
        self.refresh_steps();
    }

    /// Asks for the cards' states as of the playhead; one question at a time, and once more if something came in between.
    fn refresh_steps(self) {
        match self.asking.get_value() {
            Asking::No => self.ask_steps(),
            _ => self.asking.set_value(Asking::Again),
        }
    }

    fn ask_steps(self) {
        let Some(run) = self.run.get_untracked() else { return };
        self.asking.set_value(Asking::Once);
        let at_us = self.playhead_us.get_untracked().unwrap_or(FOR_EVER);
        spawn_local(async move {
            let answer = self.link.ask(Ask::Steps { run, at_us }).await;
            if let Ok(Reply::Steps(steps)) = answer
                && self.run.get_untracked() == Some(run)
            {
                self.steps.set(Arc::new(steps));
            }
            let again = self.asking.get_value() == Asking::Again;
            self.asking.set_value(Asking::No);
            if again {
                self.ask_steps();
            }
        });
    }

    /// The worker is gone: another one is started, and what was on screen is marked as stopped.
    fn lost(self) {
        self.link.restart(move |summary| self.heard(summary));
        self.coming.set_value(None);
        let was_running = self.summary.with_untracked(|summary| summary.as_ref().is_some_and(|summary| summary.state == RunState::Running));
        self.summary.update(|summary| {
            if let Some(old) = summary.take() {
                let state = if old.state == RunState::Running { RunState::Cancelled } else { old.state };
                *summary = Some(Arc::new(Summary { state, ..(*old).clone() }));
            }
        });
        self.notify.toast(Tone::Info, if was_running { text::RUN_STOPPED_HARD } else { text::WORKER_RESTARTED });
    }
}
