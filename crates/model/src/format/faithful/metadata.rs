//! Metadata records: columns in `fields`, what belongs to them in `relatedEntities`, the ID in `primaryKey`.

use std::collections::BTreeSet;

use loopwright_lang::{
    Object, Value,
    json::{Member, Node, NodeKind},
};

use super::{Faithful, Special, Within};
use crate::{
    EntityId,
    format::splice::{Slot, Want, reconcile},
};

impl<'d, 't> Faithful<'d, 't> {
    pub(super) fn metadata_graph(&self, node: &'t Node, within: &Within<'d, 't>, steps: &[EntityId]) -> Want<'t> {
        let mut lists: Vec<(&'static str, &[EntityId], bool)> =
            vec![("AI Agent Steps", steps, true), ("AI Agent Step Paths", &within.loose, false)];
        self.metadata(node, within.graph.id(), within, &mut lists)
    }

    pub(super) fn new_metadata(
        &self,
        mut fields: Object,
        related: Option<(String, Want<'t>)>,
        like: Option<&'t Node>,
        within: &Within<'d, 't>,
    ) -> Want<'t> {
        let part = |key| like.and_then(|like| like.member(key)).map(|member| &member.value);
        let id = fields.remove("ID").filter(|_| within.style.ids);
        let mut slots = vec![Slot::member("fields", Want::Value(Value::Object(fields), part("fields")))];
        if let Some((key, list)) = related {
            let slot = Slot::member(key, list);
            let want = Want::Container { node: None, like: part("relatedEntities"), object: true, slots: vec![slot] };
            slots.push(Slot::member("relatedEntities", want));
        }
        if let Some(id) = id {
            slots.push(Slot::member("primaryKey", Want::Value(Value::object([("ID", id)]), part("primaryKey"))));
        }
        Want::Container { node: None, like, object: true, slots }
    }

    /// A metadata record that was there: its columns, its key, and the lists of what belongs to it.
    pub(super) fn metadata(
        &self,
        node: &'t Node,
        id: EntityId,
        within: &Within<'d, 't>,
        lists: &mut Vec<(&'static str, &[EntityId], bool)>,
    ) -> Want<'t> {
        let NodeKind::Object(members) = &node.kind else { return Want::Keep(node) };
        let last = |key: &str| members.iter().rposition(|member| member.key.as_str() == key);
        let mut slots = Vec::with_capacity(members.len() + 1);
        let related_at =
            last("relatedEntities").filter(|at| members.get(*at).is_some_and(|member| matches!(member.value.kind, NodeKind::Object(_))));
        for (index, member) in members.iter().enumerate() {
            let want = if Some(index) == last("fields") {
                self.metadata_fields(&member.value, id, within)
            } else if Some(index) == related_at {
                self.related(&member.value, within, lists)
            } else if Some(index) == last("primaryKey") {
                self.primary_key(node, member, id)
            } else {
                Want::Keep(&member.value)
            };
            slots.push(Slot::old(index, want));
        }
        let missing: Vec<Slot<'t>> = lists
            .iter()
            .filter(|(_, ids, _)| related_at.is_none() && !ids.is_empty())
            .map(|(entity, ids, is_steps)| Slot::member(format!("{}{entity}", within.style.prefix), self.new_list(ids, *is_steps, within)))
            .collect();
        if !missing.is_empty() {
            let like = within.like_step.and_then(|step| step.member("relatedEntities")).map(|member| &member.value);
            let want = Want::Container { node: None, like, object: true, slots: missing };
            let after = slots.iter().position(|slot| slot.from == last("fields")).map_or(slots.len(), |at| at + 1);
            match last("relatedEntities").and_then(|at| slots.iter_mut().find(|slot| slot.from == Some(at))) {
                Some(slot) => slot.want = want,
                None => slots.insert(after, Slot::member("relatedEntities", want)),
            }
        }
        Want::Container { node: Some(node), like: None, object: true, slots }
    }

    pub(super) fn metadata_fields(&self, fields: &'t Node, id: EntityId, within: &Within<'d, 't>) -> Want<'t> {
        let slots = match self.document.path(id) {
            Some(path) => self.path_columns(fields, path, within),
            None => self.columns(fields, id, &within.style, |_| Special::Column),
        };
        Want::Container { node: Some(fields), like: None, object: true, slots }
    }

    pub(super) fn primary_key(&self, node: &'t Node, member: &'t Member, id: EntityId) -> Want<'t> {
        let in_columns = node.member("fields").is_some_and(|fields| fields.value.member("ID").is_some());
        match (member.value.to_value(), self.document.field(id, "ID")) {
            (Value::Object(mut key), Some(value)) if !in_columns => {
                key.insert("ID", value.clone());
                reconcile(&member.value, &Value::Object(key))
            }
            _ => Want::Keep(&member.value),
        }
    }

    /// The lists of related records.
    pub(super) fn related(
        &self,
        object: &'t Node,
        within: &Within<'d, 't>,
        lists: &mut Vec<(&'static str, &[EntityId], bool)>,
    ) -> Want<'t> {
        let NodeKind::Object(members) = &object.kind else { return Want::Keep(object) };
        let mut slots = Vec::with_capacity(members.len() + 1);
        let mut met = BTreeSet::new();
        for (index, member) in members.iter().enumerate() {
            let plain = crate::reference::plain_entity(&member.key);
            let counts =
                matches!(member.value.kind, NodeKind::List(_)) && !members.iter().skip(index + 1).any(|other| other.key == member.key);
            let list = lists.iter().find(|(entity, ..)| *entity == plain).filter(|_| counts);
            slots.push(Slot::old(
                index,
                match list {
                    Some((entity, ids, is_steps)) => {
                        let first = met.insert(*entity);
                        let here: Vec<EntityId> =
                            ids.iter().copied().filter(|id| self.belongs(*id, &member.value, first, object)).collect();
                        self.records(&member.value, &here, *is_steps, within)
                    }
                    None if plain == "AI Agents" && counts => self.graphs(&member.value, false),
                    None => Want::Keep(&member.value),
                },
            ));
        }
        for (entity, ids, is_steps) in lists.iter().filter(|(entity, ids, _)| !met.contains(entity) && !ids.is_empty()) {
            slots.push(Slot::member(format!("{}{entity}", within.style.prefix), self.new_list(ids, *is_steps, within)));
        }
        Want::Container { node: Some(object), like: None, object: true, slots }
    }

    /// Whether a record stands in this list: it came from it, or this is the first of its kind and it came from none here.
    pub(super) fn belongs(&self, id: EntityId, list: &Node, first: bool, object: &Node) -> bool {
        match self.homes.get(&id).filter(|_| self.nodes.contains_key(&id)) {
            Some(home) if home.list == list.span.start => true,
            Some(home) => first && !(object.span.start..object.span.end).contains(&home.list),
            None => first,
        }
    }
}
