//! Where a path starts and leads, in whichever way its record says it.

use loopwright_lang::{
    Object, Value,
    json::{Member, Node, NodeKind},
};

use super::{Faithful, Special, Within, text_member};
use crate::{
    End, PathRef,
    columns::END_COLUMNS,
    format::{
        build::end_value,
        splice::{Slot, Want, reconcile},
    },
    reference::Lookup,
};

impl<'d, 't> Faithful<'d, 't> {
    /// The members of a path's record.
    pub(super) fn path_columns(&self, node: &'t Node, path: PathRef<'d>, within: &Within<'d, 't>) -> Vec<Slot<'t>> {
        let Some((from, to)) = &path.entity.ends else { return Vec::new() };
        let id = path.id();
        let nested = within.under.get(&path.from().unwrap_or(id)).is_some_and(|ids| ids.contains(&id));
        let mut written = [false, false];
        let mut slots = self.columns(node, id, &within.style, |member| {
            for (place, ((id_column, name_column), end)) in END_COLUMNS.into_iter().zip([from, to]).enumerate() {
                if member.key.as_str() == id_column {
                    if let Some(written) = written.get_mut(place) {
                        *written = true;
                    }
                    return self.end(member, end, nested && place == 0, within, text_member(node, name_column));
                }
                if member.key.as_str() == name_column {
                    let alone = node.member(id_column).is_none();
                    if let Some(written) = written.get_mut(place) {
                        *written |= alone;
                    }
                    return self.end_name(member, end, alone, within);
                }
            }
            Special::Column
        });
        for (place, (end, written)) in [from, to].into_iter().zip(written).enumerate() {
            let style = &within.style;
            if let (false, Some((column, _)), Some(value)) = (written, END_COLUMNS.get(place), end_value(self.document, end, style)) {
                slots.insert(place.min(slots.len()), Slot::member(*column, Want::Value(value, None)));
            }
        }
        slots
    }

    /// One end of a path, in the column for its ID.
    pub(super) fn end(&self, member: &'t Member, end: &End, nested: bool, within: &Within<'d, 't>, beside: Option<&str>) -> Special<'t> {
        let node = &member.value;
        let step = match end {
            End::Missing(Value::Undefined) => return Special::Drop,
            End::Missing(value) => return Special::Want(reconcile(node, value)),
            End::Step(id) => *id,
        };
        let Some(step) = self.document.step(step) else { return Special::Want(Want::Keep(node)) };
        // Spaces around an ID do not count; a name may begin or end with them.
        let old = match &node.kind {
            NodeKind::Scalar(Value::Text(text)) if !text.trim().is_empty() => Some(text.as_str()),
            _ => None,
        };
        let Some(old) = old else {
            // The name beside it was the reference.
            if beside.is_some_and(|name| !name.trim().is_empty()) {
                return Special::Want(Want::Keep(node));
            }
            return Special::Want(end_value(self.document, end, &within.style).map_or(Want::Keep(node), |value| reconcile(node, &value)));
        };
        let is_name = within.by_old_name.contains(old) || within.by_old_name.contains(old.trim());
        let is_id = within.by_old_id.contains(&old.trim().to_ascii_lowercase());
        let new = if let Some(lookup) = Lookup::parse(old) {
            if lookup.name() == step.name() || lookup.name().trim_end() == step.name() {
                old.to_owned()
            } else {
                format!("@lookup:{}.Name={}{}", lookup.entity, step.name(), lookup.tail())
            }
        } else if old.trim_start().starts_with("@parent:") {
            match (nested, &within.style) {
                (true, _) => old.to_owned(),
                (false, style) => end_value(self.document, end, style).as_ref().and_then(Value::as_str).unwrap_or(old).to_owned(),
            }
        } else if step.id_text().is_some_and(|id| id.eq_ignore_ascii_case(old.trim())) || [old, old.trim()].contains(&step.name()) {
            old.to_owned()
        } else if is_name && !is_id {
            step.name().to_owned()
        } else {
            // A reference that was understood by the name beside it, or one by ID.
            match within.style.written_id(step) {
                Some(id) => id.to_owned(),
                None => step.name().to_owned(),
            }
        };
        let known = is_name || is_id || old.trim_start().starts_with('@');
        // Text that says nothing to us stays while the name beside it leads to this step.
        if !known && beside.is_some_and(|name| within.old_names.get(&step.id()) == Some(&name)) {
            return Special::Want(Want::Keep(node));
        }
        let same = new == old;
        Special::Want(if same { Want::Keep(node) } else { reconcile(node, &Value::text(new)) })
    }

    /// One end of a path, in the view column for its name.
    pub(super) fn end_name(&self, member: &'t Member, end: &End, alone: bool, within: &Within<'d, 't>) -> Special<'t> {
        let node = &member.value;
        let NodeKind::Scalar(Value::Text(old)) = &node.kind else { return Special::Column };
        let step = match end {
            End::Step(id) => self.document.step(*id),
            End::Missing(Value::Undefined) if alone => return Special::Drop,
            End::Missing(value) if alone => return Special::Want(reconcile(node, value)),
            End::Missing(_) => None,
        };
        let Some(step) = step else { return Special::Want(Want::Keep(node)) };
        // The column follows the step if it did in the text.
        let followed = alone || within.by_old_name.contains(old.as_str());
        let renamed = within.old_names.get(&step.id()).is_none_or(|name| *name != step.name()) || !alone;
        if followed && old.as_str() != step.name() && (renamed || alone) {
            return Special::Want(reconcile(node, &Value::text(step.name())));
        }
        Special::Want(Want::Keep(node))
    }

    /// A new path beside others that write the names of its ends writes them too.
    pub(super) fn name_ends(&self, fields: &mut Object, path: PathRef<'d>, like: &Node) {
        let ends = [path.from(), path.to()];
        for ((id_column, name_column), end) in END_COLUMNS.into_iter().zip(ends) {
            let Some(step) = end.and_then(|id| self.document.step(id)).filter(|_| like.member(name_column).is_some()) else { continue };
            let after = fields.index_of(id_column).map_or(fields.len(), |at| at + 1);
            fields.insert_at(after, name_column, Value::text(step.name()));
            if like.member(id_column).is_none() {
                fields.remove(id_column);
            }
        }
    }
}
