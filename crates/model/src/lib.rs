//! Documents: graphs of steps and paths, a catalogue, scenarios. They change only through [`History::apply`], every
//! edit has an exact inverse, and validation returns a list of problems, never an error.

pub mod catalogue;
pub mod columns;
pub mod config;
pub mod document;
pub mod edit;
pub mod edits;
pub mod format;
pub mod history;
mod invariants;
pub mod journal;
pub mod plan;
pub mod reference;
pub mod scenario;
pub mod snapshot;
mod tasklist;
pub mod tasks;
pub mod validate;
pub mod view;

pub use catalogue::Referent;
pub use document::{Document, End, Entity, EntityId, EntityKind, Origin};
pub use edit::{Change, Edit, Refused, Touched};
pub use history::History;
pub use scenario::ScenarioRef;
pub use validate::{Place, Problem, validate};
pub use view::{GraphKind, GraphRef, PathRef, StepKind, StepRef};
