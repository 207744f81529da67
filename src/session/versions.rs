//! Versions of the document that a person kept, and what another tab of the browser does to the same one.

use leptos::{prelude::*, task::spawn_local};
use loopwright_lang::{Value, json};
use loopwright_model::History;

use super::{Saved, Session, Tone};
use crate::{
    platform::{page, storage, time},
    text,
};

/// The key under which versions are stored.
const VERSIONS: &str = "versions";
/// Most versions kept; the oldest goes.
const MOST: usize = 20;

/// A version of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// What it is called.
    pub name: String,
    /// When it was kept, `2026-12-01 14:02`.
    pub at: String,
    /// The document with its steps back.
    text: String,
}

impl Version {
    fn read(value: &Value) -> Option<Self> {
        let field = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(Self { name: field("name")?, at: field("at")?, text: field("text")? })
    }

    fn write(&self) -> Value {
        Value::object([("name", Value::text(&*self.name)), ("at", Value::text(&*self.at)), ("text", Value::text(&*self.text))])
    }
}

impl Session {
    /// Finds the versions that were kept, and listens for other tabs. Call once.
    pub fn watch_versions(self) {
        spawn_local(async move {
            if let Ok(Some(text)) = storage::get(VERSIONS).await
                && let Some(list) = json::parse(&text).value()
            {
                let found = list.as_list().into_iter().flat_map(|list| list.iter()).filter_map(Version::read).collect();
                self.files.versions.set(found);
            }
        });
        let told = StoredValue::new(false);
        page::on_remembered(move |key| {
            let ours = matches!(self.files.saved.get_untracked(), Saved::At(_) | Saved::Saving);
            if key == "saved_at" && ours && !told.get_value() {
                told.set_value(true);
                self.notify.toast(Tone::Info, text::OTHER_TAB);
            }
        });
    }

    /// Keeps the document as it is, under its title.
    pub fn keep_version(self) {
        self.keep(self.title());
        self.notify.toast(Tone::Success, text::version_kept(&time::day_and_clock()));
    }

    fn keep(self, name: String) {
        let version = Version { name, at: time::day_and_clock(), text: self.doc.saved_text() };
        self.files.versions.update(|versions| {
            versions.insert(0, version);
            versions.truncate(MOST);
        });
        let all = self.files.versions.with_untracked(|versions| json::print_compact(&Value::list(versions.iter().map(Version::write))));
        spawn_local(async move {
            if storage::put(VERSIONS, &all).await.is_err() {
                self.notify.toast(Tone::Failed, text::VERSION_NOT_KEPT);
            }
        });
    }

    /// Puts a version in the place of the document, which is kept as a version itself.
    pub fn restore_version(self, version: &Version) {
        match History::load(&version.text) {
            Some(history) => {
                self.keep(text::before_restoring(&self.title()));
                self.replace(history, String::new(), false, Saved::Saving);
                self.store_soon();
                self.notify.toast(Tone::Success, text::version_restored(&version.at));
            }
            None => self.notify.toast(Tone::Failed, text::VERSION_UNREADABLE),
        }
    }
}
