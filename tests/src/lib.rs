//! Conformance, corpus and architecture tests over the whole workspace.

pub mod case;
pub mod conformance;
pub mod golden;
pub mod language_cases;
pub mod response_cases;
pub mod robust;
