//! Writes a document as the text it was imported from, with the smallest changes: what the model holds as the text says it
//! keeps its bytes, what differs is spliced in, new records look like their neighbours, removed ones go with their comma.

mod ends;
mod habits;
mod metadata;

use std::collections::{BTreeMap, BTreeSet};

use loopwright_lang::{
    Object, Value,
    json::{self, Member, Node, NodeKind},
};

use self::habits::Habits;
use super::{
    Format, JsonForm,
    build::{RecordStyle, graph_value, in_form, in_style, path_fields, step_fields},
    records::{PATH_KEYS, STEP_KEYS, Shape, is_graph_record, record_fields, records_key},
    splice::{Slot, Want, Writer, reconcile, weave},
};
use crate::{Document, EntityId, EntityKind, GraphRef, columns::is_json, document::PointerPart};

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
    /// The names of all steps in the text.
    names: BTreeSet<&'t str>,
    /// Habits of the whole file.
    habits: Habits,
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
        let graphs = nodes.iter().filter(|(id, _)| document.graph(**id).is_some());
        let names = graphs.flat_map(|(_, node)| step_records(node, format)).filter_map(|(_, fields)| text_member(fields, "Name")).collect();
        let mut faithful = Self { document, format, form, nodes, homes, owners, names, habits: Habits::default() };
        faithful.habits = faithful.habits();
        faithful
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
            }
        }
        // Also the steps that are gone: a path may still name one.
        for (record, fields) in step_records(node, self.format) {
            within.by_old_name.extend(text_member(fields, "Name"));
            let id = text_member(fields, "ID").or_else(|| text_member(&record.member("primaryKey")?.value, "ID"));
            within.by_old_id.extend(id.map(|id| id.trim().to_ascii_lowercase()));
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
}

/// The lists of related records of one entity, as members.
fn related_lists<'t>(node: &'t Node, entity: &str) -> Vec<&'t Member> {
    let Some(NodeKind::Object(members)) = node.member("relatedEntities").map(|member| &member.value.kind) else { return Vec::new() };
    let counts = |member: &&Member| crate::reference::plain_entity(&member.key) == entity && matches!(member.value.kind, NodeKind::List(_));
    members.iter().filter(counts).collect()
}

/// The records of an agent's steps in the text, each with the object that holds its columns.
fn step_records(node: &Node, format: Format) -> impl Iterator<Item = (&Node, &Node)> {
    let lists = Shape::of(node, format).steps;
    lists.into_iter().flat_map(|(_, items)| items).filter_map(move |item| Some((item, record_fields(item, format)?)))
}

/// A text at a key.
fn text_member<'t>(node: &'t Node, key: &str) -> Option<&'t str> {
    match &node.member(key)?.value.kind {
        NodeKind::Scalar(Value::Text(text)) => Some(text.as_str()),
        _ => None,
    }
}
