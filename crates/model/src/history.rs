//! Undo and redo. The only way to change a document.

use loopwright_lang::{Value, json};

use crate::{
    Document, Edit, Refused, Touched,
    edit::{Change, apply_all},
    journal, snapshot,
};

/// How many acts can be undone.
pub const DEPTH: usize = 1_000;

/// One act that was done, with what takes it back.
#[derive(Clone, Debug)]
struct Done {
    label: String,
    merge: Option<String>,
    forward: Vec<Change>,
    inverse: Vec<Change>,
}

/// A document and what was done to it.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The document when the first of the acts that can be undone had not been done.
    base: Document,
    document: Document,
    done: Vec<Done>,
    undone: Vec<Done>,
}

impl History {
    /// Starts with a document as it is.
    pub fn new(document: Document) -> Self {
        Self { base: document.clone(), document, done: Vec::new(), undone: Vec::new() }
    }

    /// The document now.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Does an edit. One that changes nothing leaves no undo step.
    pub fn apply(&mut self, edit: Edit) -> Result<Touched, Refused> {
        let (mut inverse, touched) = apply_all(&mut self.document, &edit.changes)?;
        if touched.ids.is_empty() {
            return Ok(touched);
        }
        self.undone.clear();
        let merges = edit.merge.is_some() && self.done.last().is_some_and(|last| last.merge == edit.merge);
        if merges && let Some(last) = self.done.last_mut() {
            if same_fields(&last.forward, &edit.changes) {
                // Each value was set over the one before: only the first and the last count.
                last.forward = edit.changes;
                if last.inverse.iter().all(|back| holds(&self.document, back)) {
                    self.done.pop();
                }
            } else {
                last.forward.extend(edit.changes);
                inverse.append(&mut last.inverse);
                last.inverse = inverse;
            }
        } else {
            self.done.push(Done { label: edit.label, merge: edit.merge, forward: edit.changes, inverse });
            if self.done.len() > DEPTH {
                let oldest = self.done.remove(0);
                // What was done once can be done again on what it was done to, with the numbers it had.
                self.base.reserve(self.document.next_id());
                let _ = apply_all(&mut self.base, &oldest.forward);
            }
        }
        Ok(touched)
    }

    /// Ends the merging of the last edit: the next one is an undo step of its own.
    pub fn close_merge(&mut self) {
        if let Some(last) = self.done.last_mut() {
            last.merge = None;
        }
    }

    /// Takes the last act back. `None` when there is none.
    pub fn undo(&mut self) -> Option<Touched> {
        let act = self.done.pop()?;
        let touched = apply_all(&mut self.document, &act.inverse).ok().map(|(_, touched)| touched);
        self.undone.push(act);
        self.close_merge();
        touched
    }

    /// Does the last undone act again. `None` when there is none.
    pub fn redo(&mut self) -> Option<Touched> {
        let mut act = self.undone.pop()?;
        act.merge = None;
        let touched = apply_all(&mut self.document, &act.forward).ok().map(|(_, touched)| touched);
        self.done.push(act);
        touched
    }

    /// What undo would take back.
    pub fn undo_label(&self) -> Option<&str> {
        self.done.last().map(|act| act.label.as_str())
    }

    /// What redo would do again.
    pub fn redo_label(&self) -> Option<&str> {
        self.undone.last().map(|act| act.label.as_str())
    }

    /// The document before anything that can be undone, and all acts since, as JSON text ([`crate::journal`]).
    pub fn save(&self) -> String {
        let edits = |acts: &[Done]| {
            journal::edits_value(acts.iter().map(|act| Edit { label: act.label.clone(), changes: act.forward.clone(), merge: None }))
        };
        json::print_compact(&Value::object([
            ("next", Value::Number(f64::from(self.document.next_id().0))),
            ("base", snapshot::value(&self.base)),
            ("done", edits(&self.done)),
            ("undone", edits(&self.undone)),
        ]))
    }

    /// Reads a saved history and does all its acts again. `None`: the text is no history, or it is broken.
    pub fn load(text: &str) -> Option<Self> {
        let value = json::parse(text).value()?;
        let mut history = Self::new(snapshot::from_value(value.get("base")?).ok()?);
        history.document.reserve(snapshot::id(value.get("next")?)?);
        let done = journal::edits_of(value.get("done")?)?;
        let undone = journal::edits_of(value.get("undone")?)?;
        let count = undone.len();
        for edit in done.into_iter().chain(undone.into_iter().rev()) {
            history.apply(edit).ok()?;
        }
        for _ in 0..count {
            history.undo()?;
        }
        history.document.validate_invariants().ok()?;
        Some(history)
    }

    /// How many acts can be undone, and how many done again.
    pub fn depth(&self) -> (usize, usize) {
        (self.done.len(), self.undone.len())
    }
}

/// Whether two lists of changes set the same fields, one after the other, and do nothing else.
fn same_fields(a: &[Change], b: &[Change]) -> bool {
    let field = |change: &Change| match change {
        Change::SetField { id, name, .. } => Some((*id, name.clone())),
        _ => None,
    };
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| field(a).is_some() && field(a) == field(b))
}

/// Whether a field is as a change would set it.
fn holds(document: &Document, change: &Change) -> bool {
    match change {
        Change::SetField { id, name, value, .. } => {
            document.field(*id, name).map(json::print_compact) == value.as_ref().map(json::print_compact)
        }
        _ => false,
    }
}
