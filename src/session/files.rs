//! Documents in and out: opened, restored, saved by itself, exported.

use std::sync::Arc;

use leptos::{prelude::*, task::spawn_local};
use loopwright_lang::{Severity, limits};
use loopwright_model::{
    EntityKind, History,
    document::ROOT,
    format::{Format, JsonForm, Notice, export, import},
};

use super::{Session, Tone, acts};
use crate::{
    platform::{
        clipboard, dom, files,
        link::{self, Unreadable},
        page, storage, time,
    },
    text,
};

/// The key of the document that is restored on reload.
const CURRENT: &str = "current";
/// The record of the document that was open before it, and the key under which its title is remembered.
const PREVIOUS: &str = "previous";
/// How long after the last edit the document is stored.
const AUTOSAVE_MS: u32 = 300;
/// A document with more entities than this takes long to write.
const LARGE: u32 = 3_000;

/// The examples that come with the app: file name and title.
pub const EXAMPLES: [(&str, &str); 12] = [
    ("welcome-emails", "Customer onboarding"),
    ("retry-api-call", "Retry an API call"),
    ("document-processing", "Document processing"),
    ("polling-export", "Polling an export job"),
    ("web-pages", "Web pages, one by one and in parallel"),
    ("customers-and-orders", "Customers and orders"),
    ("draft-review-publish", "Draft, review, publish"),
    ("cached-summary", "A summary from the cache"),
    ("exhausted-and-recovered", "Not accepted in three rounds"),
    ("interrupted-translation", "An interrupted translation"),
    ("incident-triage", "Incident triage"),
    ("notify-on-call", "Notify who is on call"),
];

/// Whether the document is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Saved {
    /// An example, as it came.
    Example,
    /// Nothing worth storing yet.
    Fresh,
    /// Being stored.
    Saving,
    /// Stored at this time.
    At(String),
    /// The browser has no storage for us.
    NoStorage,
    /// There is no room left.
    Full,
}

/// What a file that was opened had to say.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The file's name.
    pub name: String,
    /// Whether it was opened.
    pub opened: bool,
    /// What was not understood.
    pub notices: Vec<Notice>,
}

/// How a document leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// `NAME.loopwright.json`.
    Document,
    /// Step JSON with Configuration and mappings as text.
    StepsText,
    /// Step JSON with Configuration and mappings as objects.
    StepsObject,
    /// In the format it was imported from.
    AsImported(Format),
}

/// Where documents come from and go to.
#[derive(Clone, Copy)]
pub struct Files {
    /// Whether the document is stored.
    pub saved: RwSignal<Saved>,
    /// What the last file that was opened had to say; the app shows it until it is closed.
    pub report: RwSignal<Option<Arc<Report>>>,
    /// Whether the first document is still being fetched.
    pub starting: RwSignal<bool>,
    /// Whether this is a first visit, so that the call-outs show.
    pub first_visit: RwSignal<bool>,
    /// The versions that were kept, the newest first.
    pub versions: RwSignal<Vec<super::versions::Version>>,
    changed: StoredValue<u64>,
}

impl Files {
    pub(super) fn new() -> Self {
        Self {
            saved: RwSignal::new(Saved::Fresh),
            report: RwSignal::new(None),
            starting: RwSignal::new(true),
            first_visit: RwSignal::new(false),
            versions: RwSignal::new(Vec::new()),
            changed: StoredValue::new(0),
        }
    }
}

impl Session {
    /// Opens what the address names, or what was open last, or the first example.
    pub fn begin(self) {
        spawn_local(async move {
            let hash = page::hash();
            if let Some(packed) = hash.strip_prefix("doc=") {
                self.open_link(packed).await;
                self.files.starting.set(false);
                return;
            }
            let example = hash.strip_prefix("example=").map(str::to_owned);
            let asked = hash.strip_prefix("generate=steps:").and_then(|count| count.parse::<usize>().ok());
            if asked.is_some() || example.is_some() {
                // What was open last is set aside, not lost, when the address names something else.
                self.restore().await;
            }
            if let Some(count) = asked {
                self.replace(History::new(super::generate::steps(count.min(limits::STEPS))), String::new(), false, Saved::Example);
            } else if example.is_some() || !self.restore().await {
                self.files.first_visit.set(example.is_none() && page::remembered("seen").is_none());
                let name = example.unwrap_or_else(|| EXAMPLES.first().map(|(name, _)| (*name).to_owned()).unwrap_or_default());
                if !self.open_example(&name).await {
                    self.new_document();
                }
            }
            self.files.starting.set(false);
        });
    }

    /// Opens the document an address carries. What was open before stays open where the address cannot be read.
    async fn open_link(self, packed: &str) {
        let unpacked =
            if packed.len() > limits::PASTE_BYTES { Err(Unreadable::TooLarge) } else { link::unpack(packed, limits::FILE_BYTES).await };
        let restored = self.restore().await;
        match unpacked {
            Ok(text) => self.open_text(text::SHARED_DOCUMENT, &text),
            Err(reason) => {
                if !restored {
                    self.new_document();
                }
                self.notify.toast(Tone::Failed, text::link_unreadable(reason == Unreadable::TooLarge));
            }
        }
        link::forget_hash();
    }

    /// Puts an address on the clipboard that opens this document.
    pub fn copy_link(self) {
        let Some(text) = self.exported(Leave::Document) else { return };
        spawn_local(async move {
            let packed = link::pack(&text).await.zip(link::address()).map(|(packed, address)| format!("{address}#doc={packed}"));
            match packed {
                Some(address) if address.len() > limits::PASTE_BYTES => self.notify.toast(Tone::Failed, text::LINK_TOO_LONG),
                Some(address) if clipboard::write(&address).await => self.notify.toast(Tone::Success, text::link_copied(address.len())),
                _ => self.notify.toast(Tone::Failed, text::CLIPBOARD_REFUSED),
            }
        });
    }

    async fn restore(self) -> bool {
        match storage::get(CURRENT).await {
            Ok(Some(text)) => {
                let Some(history) = History::load(&text) else { return false };
                self.replace(history, String::new(), false, Saved::At(page::remembered("saved_at").unwrap_or_else(time::clock)));
                true
            }
            Ok(None) => false,
            Err(_) => {
                self.not_saved(Saved::NoStorage);
                false
            }
        }
    }

    /// Nothing can be stored: said once, and from then on at the top, where the document can be saved as a file.
    fn not_saved(self, why: Saved) {
        if self.files.saved.get_untracked() != why {
            self.notify.toast(Tone::Failed, if why == Saved::Full { text::STORAGE_FULL_LONG } else { text::NO_STORAGE_LONG });
            self.files.saved.set(why);
        }
    }

    /// Opens one of the examples. `false`: there is none of that name.
    pub async fn open_example(self, name: &str) -> bool {
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
            return false;
        }
        let Some(text) = files::fetch(&format!("assets/examples/{name}.loopwright.json")).await else {
            self.notify.toast(Tone::Failed, text::no_example(name));
            return false;
        };
        match import(name, &text).document {
            Some(document) => {
                self.replace(History::new(super::placing::placed(document)), String::new(), false, Saved::Example);
                true
            }
            None => false,
        }
    }

    /// Starts an empty document.
    pub fn new_document(self) {
        self.replace(History::new(acts::empty_document()), String::new(), false, Saved::Fresh);
    }

    /// Opens a file's text, whatever its format is. What it has to say is shown; a file that cannot be opened changes nothing.
    pub fn open_text(self, name: &str, text: &str) {
        let found = import(name, text);
        let opened = found.document.is_some();
        if let Some(document) = found.document {
            self.replace(History::new(super::placing::placed(document)), name.to_owned(), found.read_only, Saved::Saving);
            self.store_soon();
            self.notify.say(text::opened(name));
        }
        if !found.notices.is_empty() || !opened {
            self.files.report.set(Some(Arc::new(Report { name: name.to_owned(), opened, notices: found.notices })));
        }
    }

    /// Opens a file a person chose or dropped.
    pub fn open_file(self, file: web_sys::File) {
        spawn_local(async move {
            match files::read(file, limits::FILE_BYTES).await {
                Some(files::Opened { name, text: Ok(text) }) => self.open_text(&name, &text),
                Some(files::Opened { name, text: Err(bytes) }) => {
                    let notice = Notice { severity: Severity::Error, code: "file_too_large", message: text::too_large(bytes), span: None };
                    self.files.report.set(Some(Arc::new(Report { name, opened: false, notices: vec![notice] })));
                }
                None => self.notify.toast(Tone::Failed, text::FILE_UNREADABLE),
            }
        });
    }

    /// Goes back to the document that was open before this one; this one is then the one before.
    pub fn open_previous(self) {
        spawn_local(async move {
            match storage::get(PREVIOUS).await.ok().flatten().and_then(|text| History::load(&text)) {
                Some(history) => {
                    self.replace(history, String::new(), false, Saved::Saving);
                    self.store_soon();
                }
                None => self.notify.toast(Tone::Failed, text::NO_PREVIOUS),
            }
        });
    }

    /// The title of the document that was open before, if one is kept.
    pub fn previous_title(self) -> Option<String> {
        page::remembered(PREVIOUS)
    }

    /// Keeps the document on screen before another takes its place. One that nobody changed is not worth keeping.
    fn keep_previous(self) {
        let worth = matches!(self.files.saved.get_untracked(), Saved::Saving | Saved::At(_) | Saved::Full | Saved::NoStorage);
        if !worth || self.doc.with(|document| document.graphs().all(|graph| graph.steps().next().is_none())) {
            return;
        }
        let (text, title) = (self.doc.saved_text(), self.title());
        spawn_local(async move {
            if storage::put(PREVIOUS, &text).await.is_ok() {
                page::remember(PREVIOUS, &title);
            }
        });
    }

    pub(super) fn replace(self, history: History, file_name: String, read_only: bool, saved: Saved) {
        self.keep_previous();
        self.run.forget();
        self.selection.clear();
        self.selection.breadcrumb.set(Vec::new());
        self.doc.replace(history, file_name, read_only);
        self.selection.drop_gone(self.doc);
        self.problems.recompute_soon(self.doc);
        self.files.changed.update_value(|changed| *changed += 1);
        if self.files.saved.get_untracked() != Saved::NoStorage {
            self.files.saved.set(saved);
        }
        self.choose_scenario();
        self.run.run_now();
    }

    /// Chooses the first scenario that starts the open flow, unless the chosen one does.
    pub fn choose_scenario(self) {
        let Some(graph) = self.selection.breadcrumb.with_untracked(|path| path.first().copied()) else { return };
        let chosen = self.run.scenario.get_untracked();
        let fitting: Vec<_> = self.doc.with(|document| {
            document.graph(graph).map_or_else(Vec::new, |graph| document.scenarios_of(graph).map(|scenario| scenario.id()).collect())
        });
        if !chosen.is_some_and(|chosen| fitting.contains(&chosen)) {
            self.run.scenario.set(fitting.first().copied());
        }
    }

    /// The document was changed: it is stored as soon as typing rests.
    pub(super) fn store_soon(self) {
        let ticket = self
            .files
            .changed
            .try_update_value(|changed| {
                *changed += 1;
                *changed
            })
            .unwrap_or_default();
        // An act is stored as it happens; only typing, and a document that takes long to write, wait until it rests.
        let waits = dom::is_typing() || self.doc.with(|document| document.next_id().0 > LARGE);
        spawn_local(async move {
            time::sleep(if waits { AUTOSAVE_MS } else { 0 }).await;
            if self.files.changed.get_value() == ticket {
                self.store(ticket).await;
            }
        });
    }

    async fn store(self, ticket: u64) {
        let text = self.doc.saved_text();
        let outcome = storage::put(CURRENT, &text).await;
        if self.files.changed.get_value() != ticket {
            return;
        }
        match outcome {
            Ok(()) => {
                let now = time::clock();
                page::remember("saved_at", &now);
                self.files.saved.set(Saved::At(now));
            }
            Err(storage::Lack::Missing) => self.not_saved(Saved::NoStorage),
            Err(storage::Lack::Full) => self.not_saved(Saved::Full),
        }
    }

    /// The formats the document was imported from, except step JSON and our own.
    pub fn imported_formats(self) -> Vec<Format> {
        self.doc.with(|document| {
            let names = document.children_of_kind(ROOT, EntityKind::Source).filter_map(|source| source.fields.get("format")?.as_str());
            let mut found: Vec<Format> = names
                .filter_map(|name| match name {
                    "mj-sync" => Some(Format::MjSync),
                    "agentspec" => Some(Format::AgentSpec),
                    "plan" => Some(Format::Plan),
                    "tasks" => Some(Format::Tasks),
                    _ => None,
                })
                .collect();
            found.dedup();
            found
        })
    }

    /// The document's text in a form, or `None` with a message on screen.
    pub fn exported(self, leave: Leave) -> Option<String> {
        let (format, form) = match leave {
            Leave::Document => (Format::Document, JsonForm::Text),
            Leave::StepsText => (Format::Steps, JsonForm::Text),
            Leave::StepsObject => (Format::Steps, JsonForm::Object),
            Leave::AsImported(format) => (format, JsonForm::Text),
        };
        match self.doc.with(|document| export(document, format, form)) {
            Ok(text) => Some(text),
            Err(notices) => {
                let name = self.title();
                self.files.report.set(Some(Arc::new(Report { name, opened: true, notices })));
                None
            }
        }
    }

    /// Gives the document to the person as a file.
    pub fn download(self, leave: Leave) {
        let Some(text) = self.exported(leave) else { return };
        let stem = self.file_stem();
        let file = self.doc.file_name.get_untracked();
        let name = match leave {
            Leave::Document => format!("{stem}.loopwright.json"),
            Leave::StepsText | Leave::StepsObject => format!("{stem}.steps.json"),
            Leave::AsImported(_) if !file.is_empty() => file,
            Leave::AsImported(_) => format!("{stem}.json"),
        };
        self.say_download(&name, files::download(&name, &text));
    }

    /// Gives a run's packed log to the person as a file.
    pub fn download_log(self, bytes: &[u8]) {
        let name = format!("{}.loopwright-log", self.file_stem());
        self.say_download(&name, files::download_bytes(&name, bytes));
    }

    fn say_download(self, name: &str, given: bool) {
        if given {
            self.notify.toast(Tone::Success, text::downloaded(name));
        } else {
            self.notify.toast(Tone::Failed, text::DOWNLOAD_REFUSED);
        }
    }

    /// Gives a text to the person as a file.
    pub fn download_text(self, name: &str, text: &str) {
        let name = format!("{}.{name}", self.file_stem());
        self.say_download(&name, files::download(&name, text));
    }

    /// Puts the step JSON on the clipboard.
    pub fn copy_steps(self) {
        let Some(text) = self.exported(Leave::StepsText) else { return };
        spawn_local(async move {
            if clipboard::write(&text).await {
                self.notify.toast(Tone::Success, text::STEPS_COPIED);
            } else {
                self.notify.toast(Tone::Failed, text::CLIPBOARD_REFUSED);
            }
        });
    }

    /// The document's title, not watched: its own, or its first flow's name, or its file's.
    pub fn title(self) -> String {
        let own = self.doc.with(|document| {
            let title = document.field(ROOT, "title").and_then(loopwright_lang::Value::as_str).unwrap_or_default();
            let graph = document.graphs().next().map(|graph| graph.name()).unwrap_or_default();
            [title, graph].into_iter().find(|name| !name.trim().is_empty()).unwrap_or_default().to_owned()
        });
        if own.is_empty() { text::UNTITLED.to_owned() } else { own }
    }

    fn file_stem(self) -> String {
        let plain: String = self.title().to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
        let stem = plain.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
        if stem.is_empty() { "flow".to_owned() } else { stem }
    }
}
