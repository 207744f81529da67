//! What always holds in a document. Checked after every edit of a test.

use std::collections::BTreeSet;

use crate::{Document, End, EntityId, EntityKind, document::ROOT};

impl Document {
    /// Checks that the document is whole: every entity stands once among its parent's children, kinds stand where they
    /// belong, paths (and nothing else) have ends, and these are steps of the same graph. `Err` says what is broken.
    pub fn validate_invariants(&self) -> Result<(), String> {
        let mut seen = BTreeSet::from([ROOT]);
        let root = self.get(ROOT).ok_or("the root is gone")?;
        if root.kind != EntityKind::Document || root.parent != ROOT {
            return Err("the root is not the document".into());
        }
        self.check_children(ROOT, &mut seen)?;
        let mut at_ends = BTreeSet::new();
        for end in self.entities().filter_map(|entity| entity.ends.as_ref()).flat_map(|(from, to)| [from, to]) {
            if let End::Step(step) = end {
                at_ends.insert(*step);
            }
        }
        if let Some(wrong) = self.entities().find(|entity| self.has_ends(entity.id) != at_ends.contains(&entity.id)) {
            return Err(format!("the paths at {} are miscounted", wrong.id.0));
        }
        match self.entities().find(|entity| !seen.contains(&entity.id)) {
            Some(stray) => Err(format!("{} is nobody's child", stray.id.0)),
            None => Ok(()),
        }
    }

    fn check_children(&self, parent: EntityId, seen: &mut BTreeSet<EntityId>) -> Result<(), String> {
        let parent_kind = self.get(parent).map(|entity| entity.kind);
        for id in self.children(parent) {
            let entity = self.get(*id).ok_or_else(|| format!("{} has the child {}, which is gone", parent.0, id.0))?;
            let number = id.0;
            if entity.id != *id || entity.parent != parent {
                return Err(format!("{number} does not know its number or its parent"));
            }
            if !seen.insert(*id) {
                return Err(format!("{number} stands twice"));
            }
            let wanted = match entity.kind {
                EntityKind::Document => return Err(format!("{number} is a second document")),
                EntityKind::Step | EntityKind::Path | EntityKind::Note => EntityKind::Graph,
                _ => EntityKind::Document,
            };
            if parent_kind != Some(wanted) {
                return Err(format!("{number} stands in the wrong place"));
            }
            if (entity.kind == EntityKind::Path) != entity.ends.is_some() {
                return Err(format!("{number} has ends and is no path, or the other way round"));
            }
            for end in entity.ends.iter().flat_map(|(from, to)| [from, to]) {
                if let End::Step(step) = end
                    && self.get(*step).is_none_or(|step| step.kind != EntityKind::Step || step.parent != parent)
                {
                    return Err(format!("the path {number} ends at {}, which is no step of its graph", step.0));
                }
            }
            self.check_children(*id, seen)?;
        }
        Ok(())
    }
}
