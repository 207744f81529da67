//! The canvas by keyboard.

use leptos::prelude::*;
use loopwright_model::EntityId;
use loopwright_stage::{Direction, Input, NodeId, flow_order, nearest};
use web_sys::KeyboardEvent;

use super::{Canvas, scene};
use crate::{
    platform::{dom, pointer, time},
    text,
};

/// How far Alt and an arrow move a step, in world px; with Shift by one.
const NUDGE: f64 = 16.0;
/// How long the space bar is held at most when it is tapped, in milliseconds.
const TAP: f64 = 400.0;

impl Canvas {
    /// Handles a key while the stage has the cursor. What it does not know goes on to the app's keys.
    pub(super) fn key_down(self, event: &KeyboardEvent) {
        if dom::is_typing() {
            return;
        }
        let mods = pointer::key_mods(event);
        let on_port = pointer::closest(event, ".port, .cell, .elabel").is_some();
        let key = event.key();
        let handled = match (key.as_str(), mods.command(), mods.alt) {
            ("ArrowLeft", false, alt) => self.arrow(Direction::Left, alt, mods.shift),
            ("ArrowRight", false, alt) => self.arrow(Direction::Right, alt, mods.shift),
            ("ArrowUp", false, alt) => self.arrow(Direction::Up, alt, mods.shift),
            ("ArrowDown", false, alt) => self.arrow(Direction::Down, alt, mods.shift),
            ("PageDown", false, false) => self.walk(1),
            ("PageUp", false, false) => self.walk(-1),
            ("Home", false, false) => self.walk(i32::MIN),
            ("End", false, false) => self.walk(i32::MAX),
            ("Enter", false, false) if !on_port => self.enter(),
            ("Escape", ..) => self.escape(),
            (" ", false, false) if !on_port => {
                if !event.repeat() {
                    self.space.set_value(Some((time::now(), self.viewport.get_untracked())));
                }
                self.feed(&Input::SpaceDown);
                true
            }
            ("Delete" | "Backspace", command, false) => {
                self.delete_selected(command);
                true
            }
            ("d" | "D", true, false) => {
                self.duplicate();
                true
            }
            ("a" | "A", true, false) => {
                let ids: std::collections::BTreeSet<EntityId> =
                    self.stage.with_value(|stage| stage.scene().nodes.iter().map(|node| scene::of_node(node.id)).collect());
                self.session.notify.say(text::selected(ids.len()));
                self.session.selection.set(ids, self.session.selection.primary.get_untracked());
                true
            }
            ("F2", false, false) => self.rename_primary(),
            ("F10", false, false) if mods.shift => self.menu_at_primary(),
            ("ContextMenu", ..) => self.menu_at_primary(),
            _ if mods.command() || mods.alt || !crate::shell::keys::single_keys() => false,
            ("n" | "N", ..) => self.new_after(),
            ("c" | "C", ..) => self.start_connecting(),
            ("d" | "D", ..) => {
                self.toggle_active();
                true
            }
            ("r" | "R", ..) => self.replace_primary(),
            _ => false,
        };
        if handled {
            event.prevent_default();
            event.stop_propagation();
        }
    }

    pub(super) fn key_up(self, event: &KeyboardEvent) {
        if event.key() != " " {
            return;
        }
        self.feed(&Input::SpaceUp);
        // A short press with nothing moved meant no pan: it plays and pauses.
        if let Some((since, view)) = self.space.try_update_value(Option::take).flatten()
            && time::now() - since < TAP
            && view == self.viewport.get_untracked()
            && crate::shell::keys::single_keys()
        {
            self.session.run.play_or_pause();
        }
    }

    fn primary_node(self) -> Option<NodeId> {
        let id = scene::node(self.session.selection.primary.get_untracked()?);
        self.stage.with_value(|stage| stage.node(id).map(|node| node.id))
    }

    fn arrow(self, direction: Direction, alt: bool, shift: bool) -> bool {
        let by = if shift { 1.0 } else { NUDGE };
        if alt {
            match direction {
                Direction::Left => self.nudge(-by, 0.0),
                Direction::Right => self.nudge(by, 0.0),
                Direction::Up => self.nudge(0.0, -by),
                Direction::Down => self.nudge(0.0, by),
            }
            return true;
        }
        let next = match self.primary_node() {
            Some(from) => self.stage.with_value(|stage| nearest(stage.scene(), from, direction)),
            None => self.stage.with_value(|stage| flow_order(stage.scene()).first().copied()),
        };
        if let Some(next) = next {
            self.go(next, shift);
        }
        true
    }

    fn walk(self, by: i32) -> bool {
        let order = self.stage.with_value(|stage| flow_order(stage.scene()));
        let last = i32::try_from(order.len()).unwrap_or(i32::MAX) - 1;
        let now =
            self.primary_node().and_then(|id| order.iter().position(|other| *other == id)).and_then(|place| i32::try_from(place).ok());
        let wanted = match (by, now) {
            (i32::MIN, _) | (_, None) => 0,
            (i32::MAX, _) => last,
            (by, Some(now)) => (now + by).clamp(0, last),
        };
        if let Some(id) = usize::try_from(wanted).ok().and_then(|wanted| order.get(wanted)) {
            self.go(*id, false);
        }
        true
    }

    /// Selects a node and puts the cursor on it.
    fn go(self, id: NodeId, add: bool) {
        let id = scene::of_node(id);
        if add {
            let mut ids = self.session.selection.ids.get_untracked();
            ids.insert(id);
            self.session.selection.set(ids, Some(id));
        } else {
            self.session.selection.only(id);
        }
        self.reveal(id);
        self.focus();
    }

    fn enter(self) -> bool {
        let Some(to) = self.session.selection.primary.get_untracked() else { return self.walk(1) };
        match self.connecting.get_untracked() {
            Some(from) => {
                self.connecting.set(None);
                self.connect(from, to);
                self.focus();
            }
            None => self.open(to),
        }
        true
    }

    /// One level up: the gesture, the connection, the selection, the sub-agent.
    fn escape(self) -> bool {
        let busy = !self.gesture.with_value(loopwright_stage::Gesture::is_idle);
        self.feed(&Input::Escape);
        if busy {
            return true;
        }
        if self.connecting.get_untracked().is_some() {
            self.connecting.set(None);
            self.session.notify.say(text::CONNECT_ENDED);
        } else if self.session.selection.primary.get_untracked().is_some() {
            self.session.selection.clear();
            self.focus();
        } else {
            self.session.drill_out();
        }
        true
    }

    /// Renames the selected step, or edits the selected note, on the canvas.
    pub fn rename_primary(self) -> bool {
        let Some(id) = self.primary_node() else { return false };
        self.renaming.set(Some(scene::of_node(id)));
        true
    }

    fn new_after(self) -> bool {
        match self.primary_node() {
            Some(id) => self.add_after(scene::of_node(id)),
            None => {
                let at = self.viewport.get_untracked().to_world(self.middle());
                self.open_quick_add(at, None, None);
            }
        }
        true
    }

    /// The next step that is entered gets a path from the selected one.
    pub fn start_connecting(self) -> bool {
        let Some(id) = self.primary_node() else { return false };
        let id = scene::of_node(id);
        let Some(name) = self.session.doc.with(|document| document.step(id).map(|step| step.name().to_owned())) else { return false };
        self.connecting.set(Some(id));
        self.session.notify.say(text::connecting(&name));
        true
    }

    fn replace_primary(self) -> bool {
        let Some(id) = self.primary_node().map(scene::of_node) else { return false };
        if self.session.doc.with(|document| document.step(id).is_none()) {
            return false;
        }
        let at = self.stage.with_value(|stage| stage.node(scene::node(id)).map(|node| node.rect().centre())).unwrap_or_default();
        self.quick_add.set(Some(super::quick_add::QuickAdd { at, after: None, before: None, replace: Some(id) }));
        true
    }

    fn menu_at_primary(self) -> bool {
        let Some(id) = self.primary_node() else { return false };
        let rect = self.stage.with_value(|stage| stage.node(id).map(|node| node.rect()));
        if let Some(rect) = rect {
            let at = self.viewport.get_untracked().to_screen(rect.centre());
            self.open_menu(loopwright_stage::Target::Node(id), at);
        }
        true
    }
}
