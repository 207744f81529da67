//! Conformance, corpus and architecture tests over the whole workspace.

pub mod golden;
