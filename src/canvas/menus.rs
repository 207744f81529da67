//! The context menu of the canvas, and copy and paste.

use leptos::prelude::*;
use loopwright_model::{EntityId, edits};
use loopwright_stage::{Point, Target};
use web_sys::ClipboardEvent;

use super::{Canvas, scene};
use crate::{
    platform::{clipboard, dom, page},
    session::acts::{self, Recipe},
    text,
    ui::menu::{Item, Open},
};

impl Canvas {
    /// Opens the menu for what is under a screen point.
    pub(super) fn open_menu(self, target: Target, at: Point) {
        let Some(element) = self.element.get_untracked() else { return };
        let corner = element.get_bounding_client_rect();
        let items = match target {
            Target::Node(id) | Target::Body(id) | Target::Resize(id) => self.node_menu(scene::of_node(id)),
            Target::Port(port) => self.node_menu(scene::of_node(port.node)),
            Target::Link(id) | Target::LinkEnd(id, _) if scene::is_derived(id) => self.node_menu(scene::subject(id)),
            Target::Link(id) | Target::LinkEnd(id, _) => self.path_menu(scene::of_link(id)),
            Target::Empty => self.stage_menu(at),
        };
        self.menus.show(Open { label: text::CANVAS_MENU, x: corner.left() + at.x, y: corner.top() + at.y, from_right: false, items });
    }

    /// Opens a step's menu beside its line of the outline.
    pub fn menu_in_outline(self, id: EntityId, line: &str) {
        let items = self.node_menu(id);
        if let Some(rect) = dom::rect_of(&format!("#{line}")) {
            self.menus.show(Open { label: text::CANVAS_MENU, x: rect.x + 24.0, y: rect.y + rect.h, from_right: false, items });
        }
    }

    /// The menu of a step or a note.
    pub fn node_menu(self, id: EntityId) -> Vec<Item> {
        if !self.session.selection.ids.with_untracked(|ids| ids.contains(&id)) {
            self.session.selection.only(id);
        }
        let step = self.is_step(id);
        let (active, start, into) = self.session.doc.with(|document| {
            document.step(id).map_or((true, false, None), |step| (step.is_active(), step.is_start(), super::facts::read(step).leads_into))
        });
        let mut items = Vec::new();
        if step {
            if let Some(graph) = into {
                items.push(Item::act("k-agent", text::OPEN_AGENT, "Enter", move || self.session.drill_in(graph)));
            }
            items.push(Item::act("plus", text::ADD_AFTER, "N", move || self.add_after(id)));
            items.push(Item::act("plug", text::CONNECT_FROM_HERE, "C", move || {
                self.start_connecting();
            }));
            items.push(Item::act("edit", text::RENAME, "F2", move || {
                self.rename_primary();
            }));
            items.push(Item::act("power", if active { text::DISABLE } else { text::ENABLE }, "D", move || self.toggle_active()));
            items.push(Item::act("play", text::MAKE_START, "", move || self.make_start(id)).when(!start));
        } else {
            items.push(Item::act("edit", text::EDIT_NOTE, "F2", move || {
                self.rename_primary();
            }));
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
        self.session.try_apply(self.session.doc.with(|document| edits::set_start(document, id)));
    }

    /// Puts the selected steps on the clipboard as step JSON. `false`: no step is selected.
    pub(super) fn copy(self, event: &ClipboardEvent) -> bool {
        let ids: Vec<EntityId> = self.selected_nodes().into_iter().map(scene::of_node).collect();
        let Some(text) = self.session.doc.with(|document| edits::copy(document, &ids)) else { return false };
        clipboard::put(event, &text);
        self.session.notify.say(text::copied(ids.len()));
        true
    }

    /// Puts copied steps, or those of a pasted file, into the open flow.
    pub(super) fn paste(self, text: &str) {
        let Some(graph) = self.session.selection.graph_untracked() else { return };
        self.insert(self.session.doc.with(|document| edits::paste(document, graph, text, None, &mut page::new_uuid)));
    }
}
