//! What the inspector and the run panels compute before anything is drawn: the colours of a typed text, the short form
//! of a value, edits inside a JSON column, the time axis of the timeline. No markup here, so all of it is tested natively.

pub mod axis;
pub mod column;
pub mod complete;
pub mod offsets;
pub mod script;
pub mod show;
pub mod syntax;
