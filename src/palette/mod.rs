//! What can be put on the canvas: the kinds of step, and the document's actions, agents and prompts.

mod outline;
mod view;

use loopwright_model::{EntityKind, StepKind, catalogue::entity_name, document::ROOT};

use crate::{
    session::{Session, acts::Recipe},
    text,
};

pub use view::{SEARCH_ID, left, rail};

/// One thing that can be put on the canvas.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// What it is called.
    pub name: String,
    /// The kind of step it makes, for its tile.
    pub kind: StepKind,
    /// What it makes.
    pub recipe: Recipe,
    /// The section it stands in.
    pub section: &'static str,
}

/// The kinds of step that can be made.
pub const KINDS: [StepKind; 5] = [StepKind::Action, StepKind::SubAgent, StepKind::Prompt, StepKind::ForEach, StepKind::While];

/// The sections with their entries, in order.
pub fn sections(session: Session) -> Vec<(&'static str, Vec<Entry>)> {
    let kinds = KINDS.iter().map(|kind| Entry {
        name: text::kind_name(*kind).to_owned(),
        kind: *kind,
        recipe: Recipe::Kind(*kind),
        section: text::STEPS,
    });
    let mut sections = vec![(text::STEPS, kinds.collect::<Vec<_>>())];
    let open = session.selection.graph_untracked();
    session.doc.with(|document| {
        let graphs = document.graphs().filter(|graph| Some(graph.id()) != open).map(|graph| graph.entity);
        let of = |kind| document.children_of_kind(ROOT, kind);
        let mut add = |section, kind, entities: &mut dyn Iterator<Item = &loopwright_model::Entity>| {
            let entries: Vec<Entry> = entities
                .map(|entity| Entry { name: entity_name(entity).to_owned(), kind, recipe: Recipe::Calls(entity.id), section })
                .filter(|entry| !entry.name.is_empty())
                .collect();
            if !entries.is_empty() {
                sections.push((section, entries));
            }
        };
        add(text::ACTIONS, StepKind::Action, &mut of(EntityKind::Action));
        add(text::AGENTS, StepKind::SubAgent, &mut graphs.chain(of(EntityKind::Agent)));
        add(text::PROMPTS, StepKind::Prompt, &mut of(EntityKind::Prompt));
    });
    sections
}

/// All entries whose name fits what was typed, the best first.
pub fn search(session: Session, typed: &str) -> Vec<Entry> {
    let mut found: Vec<(u32, Entry)> = sections(session)
        .into_iter()
        .flat_map(|(_, entries)| entries)
        .filter_map(|entry| Some((fit(&entry.name, typed)?, entry)))
        .collect();
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, entry)| entry).take(60).collect()
}

/// How well a name fits what was typed, 0 best; `None`: it does not.
pub fn fit(name: &str, typed: &str) -> Option<u32> {
    let (name, typed) = (name.to_lowercase(), typed.trim().to_lowercase());
    if typed.is_empty() || name.starts_with(&typed) {
        return Some(0);
    }
    if let Some(at) = name.find(&typed) {
        let at_word = name.get(..at).is_none_or(|before| before.ends_with(|c: char| !c.is_alphanumeric()));
        return Some(if at_word { 1 } else { 2 });
    }
    // The letters in their order, with others between.
    let mut rest = name.chars();
    typed.chars().all(|wanted| rest.any(|c| c == wanted)).then_some(3)
}
