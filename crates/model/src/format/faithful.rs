//! Writes a document as the text it was imported from, with the smallest changes: what the model holds as the text says it
//! keeps its bytes, what differs is spliced in, new records look like their neighbours, removed ones go with their comma.

use std::collections::{BTreeMap, BTreeSet};

use loopwright_lang::{
    Object, Value,
    json::{self, Member, Node, NodeKind},
};

use super::{
    Format, JsonForm,
    build::{EndStyle, RecordStyle, end_value, graph_value, in_form, in_style, path_fields, step_fields},
    records::{PATH_KEYS, STEP_KEYS, is_graph_record, record_fields, records_key, related},
    splice::{Slot, Want, Writer, reconcile, weave},
};
use crate::{
    Document, End, EntityId, EntityKind, GraphRef, PathRef,
    columns::{END_COLUMNS, JSON_COLUMNS, is_json},
    document::PointerPart,
    reference::{Lookup, nonblank},
};

/// Writes a source's text with what has changed. `None` if the source holds no text of ours.
pub(super) fn write(document: &Document, source: EntityId, format: Format, form: JsonForm) -> Option<String> {
    let text = document.field(source, "text").and_then(Value::as_str)?;
    let root = json::parse(text).root?;
    let faithful = Faithful::new(document, source, &root, format, form);
    let want = faithful.root(&root);
    Some(Writer::new(text, &root).write(&root, &want))
}

/// The record of each entity that came from a source, in the parsed text of that source. No record belongs to two.
pub(super) fn record_nodes<'t>(document: &Document, source: EntityId, root: &'t Node) -> BTreeMap<EntityId, &'t Node> {
    let mut taken = BTreeSet::new();
    let mut nodes = BTreeMap::new();
    for entity in document.entities() {
        let Some(origin) = entity.origin.as_ref().filter(|origin| origin.source == source) else { continue };
        if let Some(node) = follow(root, &origin.pointer).filter(|node| taken.insert(node.span.start)) {
            nodes.insert(entity.id, node);
        }
    }
    nodes
}

/// The node at the end of a way into a text.
fn follow<'t>(root: &'t Node, pointer: &[PointerPart]) -> Option<&'t Node> {
    pointer.iter().try_fold(root, |node, part| match (part, &node.kind) {
        (PointerPart::Key(key), _) => node.member(key).map(|member| &member.value),
        (PointerPart::Place(place), NodeKind::List(items)) => items.get(*place),
        _ => None,
    })
}

/// Where a record stands: the list, known by its place in the text, and the place in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Home {
    list: u32,
    index: usize,
}

struct Faithful<'d, 't> {
    document: &'d Document,
    format: Format,
    form: JsonForm,
    nodes: BTreeMap<EntityId, &'t Node>,
    homes: BTreeMap<EntityId, Home>,
    /// For each nested list of paths the step it belongs to.
    owners: BTreeMap<u32, EntityId>,
    /// Habits of the whole file.
    habits: Habits,
}

/// How a file writes its records.
#[derive(Clone, Debug, Default)]
struct Habits {
    text: Option<bool>,
    numeric: Option<bool>,
    nested: Option<bool>,
    ids: Option<bool>,
    agent: Option<Value>,
    plain_names: bool,
    ends: Option<EndStyle>,
}

/// What one graph's records need to know.
struct Within<'d, 't> {
    graph: GraphRef<'d>,
    style: RecordStyle,
    /// The paths that stand under each step.
    under: BTreeMap<EntityId, Vec<EntityId>>,
    /// The paths that stand at the agent.
    loose: Vec<EntityId>,
    /// The names steps have in the text.
    old_names: BTreeMap<EntityId, &'t str>,
    by_old_name: BTreeSet<&'t str>,
    by_old_id: BTreeSet<String>,
    /// A step and a path to copy the look of.
    like_step: Option<&'t Node>,
    like_path: Option<&'t Node>,
}

/// What becomes of a member that is no plain column.
enum Special<'t> {
    Column,
    Want(Want<'t>),
    Drop,
}

impl<'d, 't> Faithful<'d, 't> {
    fn new(document: &'d Document, source: EntityId, root: &'t Node, format: Format, form: JsonForm) -> Self {
        let nodes = record_nodes(document, source, root);
        let mut homes = BTreeMap::new();
        let mut owners = BTreeMap::new();
        for (id, node) in &nodes {
            let Some(pointer) = document.get(*id).and_then(|entity| entity.origin.as_ref()).map(|origin| &origin.pointer) else { continue };
            if let Some((PointerPart::Place(index), way)) = pointer.split_last()
                && let Some(list) = follow(root, way)
            {
                homes.insert(*id, Home { list: list.span.start, index: *index });
            }
            if document.step(*id).is_some() && format == Format::MjSync {
                for member in related_lists(node, "AI Agent Step Paths") {
                    owners.insert(member.value.span.start, *id);
                }
            }
        }
        let mut faithful = Self { document, format, form, nodes, homes, owners, habits: Habits::default() };
        faithful.habits = faithful.habits();
        faithful
    }

    /// Looks at the records that are there.
    fn habits(&self) -> Habits {
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
    fn ends_of(&self, fields: &Node) -> Option<EndStyle> {
        let column = fields.member("DestinationStepID").or_else(|| fields.member("DestinationStep"))?;
        let NodeKind::Scalar(value) = &column.value.kind else { return None };
        let text = nonblank(Some(value))?;
        if let Some(lookup) = Lookup::parse(text) {
            return Some(EndStyle::Lookup { entity: lookup.entity.to_owned(), tail: lookup.tail().to_owned() });
        }
        let is_name = self.nodes.iter().any(|(id, node)| {
            self.document.step(*id).is_some()
                && record_fields(node, self.format).and_then(|fields| text_member(fields, "Name")) == Some(text)
        });
        Some(if is_name { EndStyle::Name } else { EndStyle::Id })
    }

    fn root(&self, root: &'t Node) -> Want<'t> {
        match (&root.kind, root.member("agents")) {
            (NodeKind::List(_), _) => self.graphs(root, true),
            (NodeKind::Object(members), Some(agents)) if self.format == Format::Steps && matches!(agents.value.kind, NodeKind::List(_)) => {
                let slots = members.iter().enumerate().map(|(index, member)| {
                    let this = std::ptr::eq(member, agents);
                    Slot::old(index, if this { self.graphs(&member.value, true) } else { Want::Keep(&member.value) })
                });
                Want::Container { node: Some(root), like: None, object: true, slots: slots.collect() }
            }
            _ => {
                let mut graphs: Vec<Want<'t>> =
                    self.document.graphs().filter(|graph| self.is_top(graph.id())).map(|graph| self.any_graph(graph, Some(root))).collect();
                match (graphs.pop(), graphs.is_empty()) {
                    (Some(only), true) => only,
                    (last, _) => {
                        let slots = graphs.into_iter().chain(last).map(Slot::item).collect();
                        Want::Container { node: None, like: None, object: false, slots }
                    }
                }
            }
        }
    }

    /// Whether a graph stands in the outermost list: it is new, or came from there, or what it stood in is gone.
    fn is_top(&self, graph: EntityId) -> bool {
        self.parent_agent(graph).is_none()
    }

    /// The agent that a graph's record stands in, if that is still there (and so on, up to the outermost list).
    fn parent_agent(&self, graph: EntityId) -> Option<EntityId> {
        self.nodes.get(&graph)?;
        let pointer = &self.document.get(graph)?.origin.as_ref()?.pointer;
        let way = pointer.get(..pointer.len().checked_sub(3)?)?;
        let parent = self.document.graphs().find(|other| {
            self.nodes.contains_key(&other.id()) && other.entity.origin.as_ref().is_some_and(|origin| origin.pointer.as_slice() == way)
        })?;
        Some(parent.id())
    }

    fn any_graph(&self, graph: GraphRef<'d>, like: Option<&'t Node>) -> Want<'t> {
        match self.nodes.get(&graph.id()) {
            Some(node) => self.graph(node, graph),
            None => Want::Value(graph_value(graph, &self.style(graph, None)), like),
        }
    }

    /// A list of agents.
    fn graphs(&self, list: &'t Node, top: bool) -> Want<'t> {
        let NodeKind::List(items) = &list.kind else { return Want::Keep(list) };
        let home = |id: EntityId| self.homes.get(&id).filter(|home| home.list == list.span.start).map(|home| home.index);
        let mut slots = Vec::new();
        for graph in self.document.graphs() {
            let index = home(graph.id());
            if index.is_some() || (top && self.is_top(graph.id())) {
                let want = self.any_graph(graph, items.iter().find(|item| is_graph_record(item, self.format)));
                slots.push(Slot { from: index, key: None, want });
            }
        }
        let extras = items.iter().enumerate().filter(|(_, item)| !is_graph_record(item, self.format));
        let slots = weave(slots, extras.map(|(index, item)| Slot::old(index, Want::Keep(item))).collect());
        Want::Container { node: Some(list), like: None, object: false, slots }
    }

    /// The style of new records in a graph.
    fn style(&self, graph: GraphRef<'d>, node: Option<&'t Node>) -> RecordStyle {
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
        RecordStyle {
            text,
            numeric: self.habits.numeric.or(new.numeric),
            ends: ends.or_else(|| self.habits.ends.clone().filter(|_| nested == self.habits.nested.unwrap_or(nested))).unwrap_or(usual),
            nested,
            ids: self.habits.ids.unwrap_or(true),
            agent: match &self.habits.agent {
                Some(agent) if agent.as_str().is_some_and(|text| text.starts_with('@')) => Some(agent.clone()),
                Some(_) => graph.id_text().map(Value::text),
                None => new.agent.clone().filter(|_| self.nodes.is_empty()),
            },
            prefix,
            ..new
        }
    }

    fn within(&self, node: &'t Node, graph: GraphRef<'d>) -> Within<'d, 't> {
        let style = self.style(graph, Some(node));
        let mut within = Within {
            graph,
            under: BTreeMap::new(),
            loose: Vec::new(),
            old_names: BTreeMap::new(),
            by_old_name: BTreeSet::new(),
            by_old_id: BTreeSet::new(),
            like_step: None,
            like_path: None,
            style,
        };
        for step in graph.steps() {
            let Some(record) = self.nodes.get(&step.id()) else { continue };
            let Some(fields) = record_fields(record, self.format) else { continue };
            within.like_step.get_or_insert(record);
            if let Some(name) = text_member(fields, "Name") {
                within.old_names.insert(step.id(), name);
                within.by_old_name.insert(name);
            }
            let id = text_member(fields, "ID").or_else(|| text_member(&record.member("primaryKey")?.value, "ID"));
            within.by_old_id.extend(id.map(str::to_ascii_lowercase));
        }
        for path in graph.paths() {
            if let Some(record) = self.nodes.get(&path.id()) {
                within.like_path.get_or_insert(record);
            }
            let home = self.homes.get(&path.id());
            let owner = home.and_then(|home| self.owners.get(&home.list)).filter(|step| self.document.step(**step).is_some());
            let stands_under = match (path.from(), home.is_some() && owner.is_none()) {
                // It stood at the agent (or what it stood under is gone): there it stays.
                (Some(from), true) if home.is_some_and(|home| self.owners.contains_key(&home.list)) => Some(from),
                (_, true) => None,
                (Some(from), false) => within.style.nested.then_some(from),
                (None, false) => owner.copied(),
            };
            match stands_under {
                Some(step) => within.under.entry(step).or_default().push(path.id()),
                None => within.loose.push(path.id()),
            }
        }
        let any = |kind: EntityKind| {
            self.nodes.iter().find(|(id, _)| self.document.get(**id).is_some_and(|entity| entity.kind == kind)).map(|(_, node)| *node)
        };
        within.like_step = within.like_step.or_else(|| any(EntityKind::Step));
        within.like_path = within.like_path.or_else(|| any(EntityKind::Path));
        within
    }

    /// An agent that was there.
    fn graph(&self, node: &'t Node, graph: GraphRef<'d>) -> Want<'t> {
        let within = self.within(node, graph);
        let steps: Vec<EntityId> = graph.steps().map(|step| step.id()).collect();
        if self.format == Format::MjSync {
            return self.metadata_graph(node, &within, &steps);
        }
        let [steps_key, paths_key] = [STEP_KEYS, PATH_KEYS].map(|keys| {
            let usual = if self.format == Format::AgentSpec { keys[1] } else { keys[0] };
            records_key(node, keys).map_or(usual, |(key, _)| key)
        });
        let mut slots = self.columns(node, graph.entity.id, &within.style, |member| {
            let ids = match member.key.as_str() {
                key if key == steps_key => &steps,
                key if key == paths_key => &within.loose,
                _ => return Special::Column,
            };
            let is_steps = member.key.as_str() == steps_key;
            match member.value.kind {
                NodeKind::List(_) => Special::Want(self.records(&member.value, ids, is_steps, &within)),
                _ if ids.is_empty() => Special::Want(Want::Keep(&member.value)),
                _ => Special::Want(self.new_list(ids, is_steps, &within)),
            }
        });
        for (key, ids, is_steps) in [(steps_key, &steps, true), (paths_key, &within.loose, false)] {
            if node.member(key).is_none() && !ids.is_empty() {
                slots.push(Slot::member(key, self.new_list(ids, is_steps, &within)));
            }
        }
        Want::Container { node: Some(node), like: None, object: true, slots }
    }

    fn metadata_graph(&self, node: &'t Node, within: &Within<'d, 't>, steps: &[EntityId]) -> Want<'t> {
        let mut lists: Vec<(&'static str, &[EntityId], bool)> =
            vec![("AI Agent Steps", steps, true), ("AI Agent Step Paths", &within.loose, false)];
        self.metadata(node, within.graph.id(), within, &mut lists)
    }

    /// A list of steps or of paths that was there.
    fn records(&self, list: &'t Node, ids: &[EntityId], is_steps: bool, within: &Within<'d, 't>) -> Want<'t> {
        let NodeKind::List(items) = &list.kind else { return Want::Keep(list) };
        let slots = ids.iter().map(|id| {
            let index =
                self.homes.get(id).filter(|home| home.list == list.span.start && self.nodes.contains_key(id)).map(|home| home.index);
            Slot { from: index, key: None, want: self.record(*id, is_steps, items.first(), within) }
        });
        let extras = items.iter().enumerate().filter(|(_, item)| record_fields(item, self.format).is_none());
        let slots = weave(slots.collect(), extras.map(|(index, item)| Slot::old(index, Want::Keep(item))).collect());
        Want::Container { node: Some(list), like: None, object: false, slots }
    }

    fn new_list(&self, ids: &[EntityId], is_steps: bool, within: &Within<'d, 't>) -> Want<'t> {
        let slots = ids.iter().map(|id| Slot::item(self.record(*id, is_steps, None, within))).collect();
        Want::Container { node: None, like: None, object: false, slots }
    }

    /// A step or a path, old or new.
    fn record(&self, id: EntityId, is_step: bool, like: Option<&'t Node>, within: &Within<'d, 't>) -> Want<'t> {
        if is_step { self.step(id, like, within) } else { self.path(id, like, within) }
    }

    fn step(&self, id: EntityId, like: Option<&'t Node>, within: &Within<'d, 't>) -> Want<'t> {
        let under: &[EntityId] = within.under.get(&id).map_or(&[], Vec::as_slice);
        if let Some(node) = self.nodes.get(&id) {
            if self.format == Format::MjSync {
                return self.metadata(node, id, within, &mut vec![("AI Agent Step Paths", under, false)]);
            }
            let slots = self.columns(node, id, &within.style, |_| Special::Column);
            return Want::Container { node: Some(node), like: None, object: true, slots };
        }
        let Some(step) = self.document.step(id) else { return Want::Value(Value::Null, None) };
        let fields = step_fields(step, &within.style);
        let like = like.or(within.like_step);
        if self.format != Format::MjSync {
            return Want::Value(Value::Object(fields), like);
        }
        let key = format!("{}AI Agent Step Paths", within.style.prefix);
        let related = (!under.is_empty()).then(|| (key, self.new_list(under, false, within)));
        self.new_metadata(fields, related, like, within)
    }

    fn path(&self, id: EntityId, like: Option<&'t Node>, within: &Within<'d, 't>) -> Want<'t> {
        let Some(path) = self.document.path(id) else { return Want::Value(Value::Null, None) };
        if let Some(node) = self.nodes.get(&id) {
            if self.format == Format::MjSync {
                return self.metadata(node, id, within, &mut Vec::new());
            }
            let slots = self.path_columns(node, path, within);
            return Want::Container { node: Some(node), like: None, object: true, slots };
        }
        let nested = within.under.values().any(|ids| ids.contains(&id));
        let mut fields = path_fields(path, &within.style, nested);
        if let Some(like) = like.or(within.like_path).and_then(|like| record_fields(like, self.format)) {
            self.name_ends(&mut fields, path, like);
        }
        let like = like.or(within.like_path);
        match self.format {
            Format::MjSync => self.new_metadata(fields, None, like, within),
            _ => Want::Value(Value::Object(fields), like),
        }
    }

    /// A new path beside others that write the names of its ends writes them too.
    fn name_ends(&self, fields: &mut Object, path: PathRef<'d>, like: &Node) {
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

    fn new_metadata(
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
    fn metadata(
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

    fn metadata_fields(&self, fields: &'t Node, id: EntityId, within: &Within<'d, 't>) -> Want<'t> {
        let slots = match self.document.path(id) {
            Some(path) => self.path_columns(fields, path, within),
            None => self.columns(fields, id, &within.style, |_| Special::Column),
        };
        Want::Container { node: Some(fields), like: None, object: true, slots }
    }

    fn primary_key(&self, node: &'t Node, member: &'t Member, id: EntityId) -> Want<'t> {
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
    fn related(&self, object: &'t Node, within: &Within<'d, 't>, lists: &mut Vec<(&'static str, &[EntityId], bool)>) -> Want<'t> {
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
    fn belongs(&self, id: EntityId, list: &Node, first: bool, object: &Node) -> bool {
        match self.homes.get(&id).filter(|_| self.nodes.contains_key(&id)) {
            Some(home) if home.list == list.span.start => true,
            Some(home) => first && !(object.span.start..object.span.end).contains(&home.list),
            None => first,
        }
    }

    /// The members of a record: the columns the entity still has, then the new ones, each after the one before it.
    fn columns(&self, node: &'t Node, id: EntityId, style: &RecordStyle, special: impl FnMut(&'t Member) -> Special<'t>) -> Vec<Slot<'t>> {
        let mut special = special;
        let NodeKind::Object(members) = &node.kind else { return Vec::new() };
        let empty = Object::new();
        let fields = self.document.get(id).map_or(&empty, |entity| &entity.fields);
        let convert = self.form != JsonForm::AsWritten && self.format == Format::Steps && self.document.step(id).is_some();
        let mut slots: Vec<Slot<'t>> = Vec::with_capacity(members.len());
        for (index, member) in members.iter().enumerate() {
            if members.iter().skip(index + 1).any(|other| other.key == member.key) {
                // Of a doubled key the last one counts; the others stay as long as the column does.
                if fields.contains_key(&member.key) || !matches!(special(member), Special::Column) {
                    slots.push(Slot::old(index, Want::Keep(&member.value)));
                }
                continue;
            }
            match special(member) {
                Special::Want(want) => slots.push(Slot::old(index, want)),
                Special::Drop => {}
                Special::Column => {
                    if let Some(value) = fields.get(&member.key) {
                        let value = if convert && is_json(&member.key) { &in_form(value, style.text) } else { value };
                        slots.push(Slot::old(index, reconcile(&member.value, value)));
                    }
                }
            }
        }
        let mut after = 0;
        for (key, value) in fields.iter() {
            let there = members.iter().rposition(|member| member.key == *key);
            match there.and_then(|at| slots.iter().position(|slot| slot.from == Some(at))) {
                Some(at) => after = at + 1,
                // The key of a metadata record stands beside its columns.
                None if key.as_str() == "ID" && self.format == Format::MjSync => {}
                None if there.is_some() => {}
                None => {
                    slots.insert(after, Slot::member(key.as_str(), Want::Value(in_style(key, value, style), None)));
                    after += 1;
                }
            }
        }
        slots
    }

    /// The members of a path's record.
    fn path_columns(&self, node: &'t Node, path: PathRef<'d>, within: &Within<'d, 't>) -> Vec<Slot<'t>> {
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
                    return self.end(member, end, nested && place == 0, within, node.member(name_column).is_some());
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
            let style = &within.style.ends;
            if let (false, Some((column, _)), Some(value)) = (written, END_COLUMNS.get(place), end_value(self.document, end, style)) {
                slots.insert(place.min(slots.len()), Slot::member(*column, Want::Value(value, None)));
            }
        }
        slots
    }

    /// One end of a path, in the column for its ID.
    fn end(&self, member: &'t Member, end: &End, nested: bool, within: &Within<'d, 't>, named: bool) -> Special<'t> {
        let node = &member.value;
        let step = match end {
            End::Missing(Value::Undefined) => return Special::Drop,
            End::Missing(value) => return Special::Want(reconcile(node, value)),
            End::Step(id) => *id,
        };
        let Some(step) = self.document.step(step) else { return Special::Want(Want::Keep(node)) };
        let old = match &node.kind {
            NodeKind::Scalar(value) => nonblank(Some(value)),
            _ => None,
        };
        let Some(old) = old else {
            // The name beside it was the reference.
            if named {
                return Special::Want(Want::Keep(node));
            }
            return Special::Want(
                end_value(self.document, end, &within.style.ends).map_or(Want::Keep(node), |value| reconcile(node, &value)),
            );
        };
        let new = if let Some(lookup) = Lookup::parse(old) {
            if lookup.name() == step.name() {
                old.to_owned()
            } else {
                format!("@lookup:{}.Name={}{}", lookup.entity, step.name(), lookup.tail())
            }
        } else if old.starts_with("@parent:") {
            match (nested, &within.style.ends) {
                (true, _) => old.to_owned(),
                (false, style) => end_value(self.document, end, style).as_ref().and_then(Value::as_str).unwrap_or(old).to_owned(),
            }
        } else if step.id_text().is_some_and(|id| id.eq_ignore_ascii_case(old)) {
            old.to_owned()
        } else if within.by_old_name.contains(old) && !within.by_old_id.contains(&old.to_ascii_lowercase()) {
            step.name().to_owned()
        } else {
            // A reference that was understood by the name beside it, or one by ID.
            match step.id_text() {
                Some(id) => id.to_owned(),
                None => step.name().to_owned(),
            }
        };
        let known = within.by_old_name.contains(old) || within.by_old_id.contains(&old.to_ascii_lowercase()) || old.starts_with('@');
        if named && !known {
            return Special::Want(Want::Keep(node));
        }
        let same = new == old;
        Special::Want(if same { Want::Keep(node) } else { reconcile(node, &Value::text(new)) })
    }

    /// One end of a path, in the view column for its name.
    fn end_name(&self, member: &'t Member, end: &End, alone: bool, within: &Within<'d, 't>) -> Special<'t> {
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
}

/// The lists of related records of one entity, as members.
fn related_lists<'t>(node: &'t Node, entity: &str) -> Vec<&'t Member> {
    let Some(NodeKind::Object(members)) = node.member("relatedEntities").map(|member| &member.value.kind) else { return Vec::new() };
    let counts = |member: &&Member| crate::reference::plain_entity(&member.key) == entity && matches!(member.value.kind, NodeKind::List(_));
    members.iter().filter(counts).collect()
}

/// A text at a key.
fn text_member<'t>(node: &'t Node, key: &str) -> Option<&'t str> {
    match &node.member(key)?.value.kind {
        NodeKind::Scalar(Value::Text(text)) => Some(text.as_str()),
        _ => None,
    }
}
