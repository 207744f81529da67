//! What a step refers to: actions, agents and prompts, by ID or by name.

use crate::{Entity, StepRef};

/// What the reference of a step, or of a loop's body, leads to.
#[derive(Clone, Copy, Debug)]
pub enum Referent<'a> {
    /// Nothing is selected.
    None,
    /// An entity of the document: an action, an agent, a prompt, or a graph.
    Found(&'a Entity),
    /// A name or an ID that is not in the document.
    Unknown(&'a str),
}

impl<'a> StepRef<'a> {
    /// What the step (or its body, of a loop) calls: the ID column first (case-insensitive), then the name column; both also as names.
    pub fn referent(self) -> Referent<'a> {
        todo!()
    }
}
