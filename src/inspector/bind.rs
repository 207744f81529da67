//! What a control shows and changes: a column of an entity, or a key inside a column that holds JSON.

use std::sync::Arc;

use leptos::prelude::*;
use loopwright_lang::{Severity, Span, Value};
use loopwright_model::{Document, Edit, EntityId, EntityKind, Problem, Refused, columns::is_default, edits};
use loopwright_panels::{column, syntax};

use crate::session::{Session, Tone};

/// Where a value is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bind {
    /// Whose.
    pub id: EntityId,
    /// The column.
    pub column: &'static str,
    /// The key inside it.
    pub key: Option<String>,
}

impl Bind {
    /// A column of its own.
    pub fn column(id: EntityId, column: &'static str) -> Self {
        Self { id, column, key: None }
    }

    /// A key inside a column.
    pub fn inside(id: EntityId, column: &'static str, key: impl Into<String>) -> Self {
        Self { id, column, key: Some(key.into()) }
    }

    /// What the source systems call it.
    pub fn name(&self) -> &str {
        self.key.as_deref().unwrap_or(self.column)
    }

    /// The DOM id of its control.
    pub fn dom_id(&self) -> String {
        dom_id(self.id, self.column, self.key.as_deref())
    }

    /// Its value in the document.
    pub fn read(&self, document: &Document) -> Option<Value> {
        let field = document.field(self.id, self.column);
        match &self.key {
            None => field.cloned(),
            Some(key) => column::get(field, key),
        }
    }

    /// Its value, watched.
    pub fn watch(&self, session: Session) -> Option<Value> {
        session.doc.track(self.id);
        session.doc.with(|document| self.read(document))
    }

    /// Sets it, or takes it away. Writing in one control is one undo step. What is refused is said in a toast.
    pub fn write(&self, session: Session, value: Option<Value>) -> bool {
        match session.doc.with(|document| self.edit(document, value)) {
            Ok(edit) => session.apply(edit.merging(format!("{}/{}/{}", self.id.0, self.column, self.key.as_deref().unwrap_or_default()))),
            Err(refused) => {
                session.notify.toast(Tone::Failed, refused.0);
                false
            }
        }
    }

    fn edit(&self, document: &Document, value: Option<Value>) -> Result<Edit, Refused> {
        let kind = document.get(self.id).map(|entity| entity.kind);
        match (&self.key, value) {
            (Some(key), value) if self.column == "Configuration" => edits::set_configuration_key(document, self.id, &[key], value),
            (Some(key), Some(value)) => edits::set_mapping_row(document, self.id, self.column, key, value),
            (Some(key), None) => edits::remove_mapping_row(document, self.id, self.column, key),
            (None, Some(Value::Text(name))) if self.column == "Name" && kind == Some(EntityKind::Step) => {
                edits::rename_step(document, self.id, &name)
            }
            (None, Some(Value::Text(name))) if self.column == "Name" && kind == Some(EntityKind::Graph) => {
                edits::rename_entry(document, self.id, &name)
            }
            // A default that was never written stays unwritten.
            (None, Some(value))
                if document.field(self.id, self.column).is_none() && kind.is_some_and(|kind| is_default(kind, self.column, &value)) =>
            {
                Ok(Edit::new("", Vec::new()))
            }
            (None, Some(value)) => edits::set_column(document, self.id, self.column, value),
            (None, None) => edits::clear_column(document, self.id, self.column),
        }
    }

    /// The problems that stand at this place, watched.
    pub fn problems(&self, session: Session) -> Vec<Trouble> {
        session.problems.list.with(|list| {
            list.iter()
                .filter(|problem| {
                    let place = &problem.place;
                    place.entity == self.id
                        && place.field.as_deref() == Some(self.column)
                        && match &self.key {
                            Some(key) => place.inside.first().is_some_and(|first| first == key),
                            None => place.inside.is_empty(),
                        }
                })
                .map(Trouble::of_document)
                .collect()
        })
    }
}

/// The DOM id of the control of a column, or of a key inside it.
pub fn dom_id(id: EntityId, column: &str, key: Option<&str>) -> String {
    // Whatever a key is made of, two keys have two ids.
    let tail: String = key
        .unwrap_or_default()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_string() } else { format!("-{:x}-", c as u32) })
        .collect();
    format!("f-{}-{column}-{tail}", id.0)
}

/// A problem as a field shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Trouble {
    /// How bad it is.
    pub severity: Severity,
    /// The sentence.
    pub message: String,
    /// Under which characters.
    pub span: Option<Span>,
    /// What mends it.
    pub fix: Option<Mend>,
}

/// What a Fix button does.
#[derive(Clone, Debug, PartialEq)]
pub enum Mend {
    /// An edit of the document.
    Edit(Arc<Edit>),
    /// A replacement in the field's text.
    Text {
        /// What it says it does.
        label: String,
        /// What to replace.
        span: Span,
        /// With what.
        with: String,
    },
}

impl Mend {
    /// What it says it does.
    pub fn label(&self) -> &str {
        match self {
            Self::Edit(edit) => &edit.label,
            Self::Text { label, .. } => label,
        }
    }
}

impl Trouble {
    /// A problem of the document.
    pub fn of_document(problem: &Problem) -> Self {
        Self {
            severity: problem.severity,
            message: problem.message.clone(),
            span: problem.place.span,
            fix: problem.fix.clone().map(|edit| Mend::Edit(Arc::new(edit))),
        }
    }

    /// A problem of a text, as the language found it. Where its fix says which characters are wrong, only they are underlined.
    pub fn of_text(problem: &loopwright_lang::Problem, text: &str) -> Self {
        let span = match &problem.fix {
            Some(fix) => syntax::wrong_part(text, problem.span, fix.span, &fix.text),
            None => problem.span,
        };
        Self {
            severity: problem.severity,
            message: problem.message.clone(),
            span: Some(span),
            fix: problem.fix.clone().map(|fix| Mend::Text { label: fix.label, span: fix.span, with: fix.text }),
        }
    }

    /// Adds what is not said yet: of two about the same characters the worse stays, with whichever has a fix.
    pub fn merge(into: &mut Vec<Self>, more: Vec<Self>) {
        for trouble in more {
            match into.iter_mut().find(|known| known.message == trouble.message || (known.span.is_some() && known.span == trouble.span)) {
                Some(known) => {
                    if known.fix.is_none() {
                        known.fix = trouble.fix;
                    }
                }
                None => into.push(trouble),
            }
        }
        into.sort_by_key(|trouble| trouble.severity);
    }
}
