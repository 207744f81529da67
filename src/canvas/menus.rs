//! The context menu of the canvas, and copy and paste.

use leptos::prelude::*;
use loopwright_lang::{Object, Value, json, limits};
use loopwright_model::{End, Entity, EntityId, EntityKind};
use loopwright_stage::{Point, Target};
use web_sys::ClipboardEvent;

use super::{Canvas, scene};
use crate::{
    platform::clipboard,
    session::{Tone, acts::{self, Recipe}},
    text,
    ui::menu::{Item, Open},
};

/// What marks our own clipping among texts.
const MARK: &str = "loopwrightClip";

impl Canvas {
    /// Opens the menu for what is under a screen point.
    pub(super) fn open_menu(self, target: Target, at: Point) {
        let Some(element) = self.element.get_untracked() else { return };
        let corner = element.get_bounding_client_rect();
        let items = match target {
            Target::Node(id) | Target::Body(id) | Target::Resize(id) => self.node_menu(scene::of_node(id)),
            Target::Port(port) => self.node_menu(scene::of_node(port.node)),
            Target::Link(id) | Target::LinkEnd(id, _) => self.path_menu(scene::of_link(id)),
            Target::Empty => self.stage_menu(at),
        };
        self.menus.show(Open { label: text::CANVAS_MENU, x: corner.left() + at.x, y: corner.top() + at.y, from_right: false, items });
    }

    /// The menu of a step or a note.
    pub fn node_menu(self, id: EntityId) -> Vec<Item> {
        if !self.session.selection.ids.with_untracked(|ids| ids.contains(&id)) {
            self.session.selection.only(id);
        }
        let step = self.is_step(id);
        let (active, start, into) = self.session.doc.with(|document| document.step(id).map_or((true, false, None), |step| (step.is_active(), step.is_start(), super::facts::read(step).leads_into)));
        let mut items = Vec::new();
        if step {
            if let Some(graph) = into {
                items.push(Item::act("k-agent", text::OPEN_AGENT, "Enter", move || self.session.drill_in(graph)));
            }
            items.push(Item::act("plus", text::ADD_AFTER, "N", move || self.add_after(id)));
            items.push(Item::act("plug", text::CONNECT_FROM_HERE, "C", move || { self.start_connecting(); }));
            items.push(Item::act("edit", text::RENAME, "F2", move || { self.rename_primary(); }));
            items.push(Item::act("power", if active { text::DISABLE } else { text::ENABLE }, "D", move || self.toggle_active()));
            items.push(Item::act("play", text::MAKE_START, "", move || self.make_start(id)).when(!start));
        } else {
            items.push(Item::act("edit", text::EDIT_NOTE, "F2", move || { self.rename_primary(); }));
        }
        items.push(Item::Line);
        items.push(Item::act("copy", text::DUPLICATE, "Ctrl+D", move || self.duplicate()));
        items.push(Item::act("trash", text::DELETE, "Del", move || self.delete_selected(false)));
        if step {
            items.push(Item::act("branch", text::DELETE_RECONNECT, "Ctrl+Del", move || self.delete_selected(true)));
        }
        items
    }

    fn path_menu(self, id: EntityId) -> Vec<Item> {
        self.session.selection.only(id);
        let at = self.stage.with_value(|stage| stage.route(scene::link(id)).map(|route| route.label)).unwrap_or_default();
        vec![
            Item::act("plus", text::ADD_ON_PATH, "N", move || self.open_quick_add(at, None, None)),
            Item::act("edit", text::EDIT_PATH, "Enter", move || self.open(id)),
            Item::Line,
            Item::act("trash", text::DELETE, "Del", move || self.delete_selected(false)),
        ]
    }

    fn stage_menu(self, at: Point) -> Vec<Item> {
        let world = self.viewport.get_untracked().to_world(at);
        let spot = acts::Spot { at: ((world.x / 16.0).round() * 16.0, (world.y / 16.0).round() * 16.0), ..acts::Spot::default() };
        vec![
            Item::act("plus", text::ADD_STEP, "N", move || self.open_quick_add(world, None, None)),
            Item::act("edit", text::ADD_NOTE, "", move || self.add(Recipe::Note, spot)),
            Item::Line,
            Item::act("fit", text::FIT, "1", move || self.fit()),
            Item::act("tidy", text::TIDY_UP, "Shift+Alt+T", move || self.tidy()),
        ]
    }

    fn make_start(self, id: EntityId) {
        if let Some(edit) = self.session.doc.with(|document| acts::make_start(document, id)) {
            self.session.apply(edit);
        }
    }

    /// Puts the selection on the clipboard as JSON text. `false`: nothing is selected.
    pub(super) fn copy(self, event: &ClipboardEvent) -> bool {
        let ids = self.session.selection.ids.get_untracked();
        let things = self.session.doc.with(|document| acts::selected(document, &ids));
        if things.is_empty() {
            return false;
        }
        clipboard::put(event, &json::print_pretty(&clip(&things)));
        self.session.notify.say(text::copied(things.iter().filter(|entity| entity.kind != EntityKind::Path).count()));
        true
    }

    /// Puts copied steps here, or opens a text that is a whole document.
    pub(super) fn paste(self, text: &str) {
        if text.len() > limits::PASTE_BYTES {
            self.session.notify.toast(Tone::Failed, text::paste_too_large(text.len()));
            return;
        }
        let Some(value) = json::parse(text).value() else {
            self.session.notify.toast(Tone::Info, text::PASTE_NOT_JSON);
            return;
        };
        match unclip(&value) {
            Some(things) => {
                if let Some(graph) = self.session.selection.graph_untracked() {
                    self.insert_copies(graph, &things, (48.0, 48.0), text::PASTE);
                }
            }
            None => self.session.open_text(text::PASTED, text),
        }
    }
}

/// Copied things as a value: steps by number, paths between the numbers, notes.
fn clip(things: &[Entity]) -> Value {
    let of = |kind| things.iter().filter(move |entity| entity.kind == kind);
    let records = |kind| Value::list(of(kind).map(|entity| Value::Object(entity.fields.clone())));
    let place = |end: &End| match end {
        End::Step(id) => of(EntityKind::Step).position(|step| step.id == *id).map_or(Value::Null, |at| Value::Number(at as f64)),
        End::Missing(_) => Value::Null,
    };
    let paths = of(EntityKind::Path).map(|path| {
        let mut record = Object::new();
        if let Some((from, to)) = &path.ends {
            record.insert("from", place(from));
            record.insert("to", place(to));
        }
        record.insert("fields", Value::Object(path.fields.clone()));
        Value::Object(record)
    });
    Value::object([(MARK, Value::Number(1.0)), ("steps", records(EntityKind::Step)), ("paths", Value::list(paths)), ("notes", records(EntityKind::Note))])
}

/// The things of a clipping, numbered from the top of what numbers there are, so that they are nobody else's.
fn unclip(value: &Value) -> Option<Vec<Entity>> {
    value.get(MARK)?;
    let mut next = u32::MAX;
    let mut made = Vec::new();
    let list = |name: &str| value.get(name).and_then(Value::as_list).into_iter().flat_map(|list| list.iter().cloned().collect::<Vec<_>>());
    let mut entity = |kind, fields| {
        next -= 1;
        Entity { id: EntityId(next), kind, parent: EntityId(0), fields, ends: None, origin: None }
    };
    for (kind, name) in [(EntityKind::Step, "steps"), (EntityKind::Note, "notes")] {
        made.extend(list(name).filter_map(|value| if let Value::Object(fields) = value { Some(entity(kind, fields)) } else { None }));
    }
    let steps: Vec<EntityId> = made.iter().filter(|entity| entity.kind == EntityKind::Step).map(|entity| entity.id).collect();
    for path in list("paths") {
        let end = |name| path.get(name).and_then(Value::as_number).and_then(|at| steps.get(at as usize)).copied();
        if let (Some(from), Some(to)) = (end("from"), end("to")) {
            let fields = path.get("fields").and_then(Value::as_object).cloned().unwrap_or_default();
            made.push(Entity { ends: Some((End::Step(from), End::Step(to))), ..entity(EntityKind::Path, fields) });
        }
    }
    Some(made)
}
