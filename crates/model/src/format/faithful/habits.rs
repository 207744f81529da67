//! How a file writes its records, so that new ones look like them.

use loopwright_lang::{
    Value,
    json::{Node, NodeKind},
};

use super::{Faithful, related_lists};
use crate::{
    EntityKind, GraphRef,
    columns::JSON_COLUMNS,
    format::{
        Format, JsonForm,
        build::{EndStyle, RecordStyle},
        records::{record_fields, related},
    },
    reference::{Lookup, nonblank},
};

/// How a file writes its records.
#[derive(Clone, Debug, Default)]
pub(super) struct Habits {
    pub(super) text: Option<bool>,
    pub(super) numeric: Option<bool>,
    pub(super) nested: Option<bool>,
    pub(super) ids: Option<bool>,
    pub(super) agent: Option<Value>,
    pub(super) plain_names: bool,
    pub(super) ends: Option<EndStyle>,
}

impl<'d, 't> Faithful<'d, 't> {
    /// Looks at the records that are there.
    pub(super) fn habits(&self) -> Habits {
        let mut habits = Habits { plain_names: true, ..Habits::default() };
        let (mut texts, mut objects, mut seen_name, mut seen_step) = (0, 0, false, false);
        for (id, node) in &self.nodes {
            let Some(fields) = record_fields(node, self.format) else { continue };
            match self.document.get(*id).map(|entity| entity.kind) {
                Some(EntityKind::Graph) => {
                    let keys = [related_lists(node, "AI Agent Steps"), related_lists(node, "AI Agent Step Paths")];
                    for member in keys.into_iter().flatten() {
                        seen_name = true;
                        habits.plain_names &= !member.key.starts_with("MJ: ");
                    }
                }
                Some(EntityKind::Step) => {
                    seen_step = true;
                    let has_id = fields.member("ID").is_some() || node.member("primaryKey").is_some();
                    habits.ids = Some(habits.ids.unwrap_or(false) || has_id);
                    if let Some(NodeKind::Scalar(value)) = fields.member("StartingStep").map(|member| &member.value.kind) {
                        habits.numeric.get_or_insert(value.as_number().is_some());
                    }
                    if let Some(NodeKind::Scalar(value)) = fields.member("AgentID").map(|member| &member.value.kind)
                        && nonblank(Some(value)).is_some()
                    {
                        habits.agent.get_or_insert_with(|| value.clone());
                    }
                    for column in JSON_COLUMNS {
                        match fields.member(column).map(|member| &member.value.kind) {
                            Some(NodeKind::Scalar(Value::Text(_))) => texts += 1,
                            Some(NodeKind::Object(_)) => objects += 1,
                            _ => {}
                        }
                    }
                }
                Some(EntityKind::Path) => {
                    let nested = self.homes.get(id).is_some_and(|home| self.owners.contains_key(&home.list));
                    habits.nested = Some(nested);
                    habits.ends = self.ends_of(fields).or(habits.ends);
                }
                _ => {}
            }
        }
        habits.plain_names &= seen_name;
        habits.text = (texts + objects > 0).then_some(texts > objects);
        if !seen_step {
            habits.ids = None;
        }
        habits
    }

    /// How a path's record says where it leads.
    pub(super) fn ends_of(&self, fields: &Node) -> Option<EndStyle> {
        let column = fields.member("DestinationStepID").or_else(|| fields.member("DestinationStep"))?;
        let NodeKind::Scalar(value) = &column.value.kind else { return None };
        let text = nonblank(Some(value))?;
        if let Some(lookup) = Lookup::parse(text) {
            return Some(EndStyle::Lookup { entity: lookup.entity.to_owned(), tail: lookup.tail().to_owned() });
        }
        Some(if self.names.contains(text) { EndStyle::Name } else { EndStyle::Id })
    }

    /// The style of new records in a graph.
    pub(super) fn style(&self, graph: GraphRef<'d>, node: Option<&'t Node>) -> RecordStyle {
        let new = RecordStyle::new(self.format, self.form);
        let sync = self.format == Format::MjSync;
        let agent_lists = node.into_iter().flat_map(|node| related(node, "AI Agent Step Paths")).flat_map(|(_, items)| items);
        let paths = graph.paths().filter_map(|path| self.nodes.get(&path.id()).copied()).chain(agent_lists);
        let mut ends = None;
        for path in paths {
            ends = record_fields(path, self.format).and_then(|fields| self.ends_of(fields)).or(ends);
        }
        let has_loose = graph.paths().any(|path| self.homes.get(&path.id()).is_some_and(|home| !self.owners.contains_key(&home.list)));
        let has_nested = graph.paths().any(|path| self.homes.get(&path.id()).is_some_and(|home| self.owners.contains_key(&home.list)));
        let nested = sync && (has_nested || (!has_loose && self.habits.nested.unwrap_or(true)));
        let prefix = if self.habits.plain_names { "" } else { new.prefix };
        let tail = if nested { "&AgentID=@parent:AgentID" } else { "&AgentID=@parent:ID" };
        let usual = if sync { EndStyle::Lookup { entity: format!("{prefix}AI Agent Steps"), tail: tail.into() } } else { new.ends.clone() };
        let text = match self.form {
            JsonForm::AsWritten => self.habits.text.or(new.text),
            JsonForm::Text => {
                if self.format == Format::Steps {
                    Some(true)
                } else {
                    self.habits.text.or(new.text)
                }
            }
            JsonForm::Object => {
                if self.format == Format::Steps {
                    Some(false)
                } else {
                    self.habits.text.or(new.text)
                }
            }
        };
        let ids = self.format == Format::Steps || self.habits.ids.unwrap_or(true);
        let without_id = graph.steps().map(|step| step.id()).filter(|id| match self.nodes.get(id) {
            None => !ids,
            Some(node) => {
                sync && node.member("primaryKey").is_none()
                    && record_fields(node, self.format).is_none_or(|fields| fields.member("ID").is_none())
            }
        });
        RecordStyle {
            text,
            numeric: self.habits.numeric.or(new.numeric),
            ends: ends.or_else(|| self.habits.ends.clone().filter(|_| nested == self.habits.nested.unwrap_or(nested))).unwrap_or(usual),
            nested,
            ids,
            without_id: without_id.collect(),
            agent: match &self.habits.agent {
                Some(agent) if agent.as_str().is_some_and(|text| text.starts_with('@')) => Some(agent.clone()),
                Some(_) => graph.id_text().map(Value::text),
                None => new.agent.clone().filter(|_| self.nodes.is_empty()),
            },
            prefix,
            ..new
        }
    }
}
