//! What the gesture machine says is done here: previews are drawn, commits become one edit each.

use std::collections::BTreeSet;

use leptos::prelude::*;
use loopwright_model::{
    EntityId, Refused,
    edits::{self, Made},
};
use loopwright_stage::{DropTarget, End, Intent, LinkId, NodeId, NodeShape, Pick, Point, Port, Target, place_after, pt, rect};

use super::{Canvas, DropHint, Preview, element_id, paths, quick_add::QuickAdd, scene};
use crate::{
    platform::{dom, page},
    session::acts::{self, Recipe, Spot},
    text,
};

impl Canvas {
    /// Does one intent.
    pub(super) fn act(self, intent: Intent) {
        let selection = self.session.selection;
        match intent {
            Intent::Pan { dx, dy } => {
                self.stop_glide();
                self.viewport.update(|view| *view = view.panned(dx, dy));
            }
            Intent::ZoomAt { at, factor } => {
                self.stop_glide();
                self.viewport.update(|view| *view = view.zoomed_by(at, factor));
            }
            Intent::SelectOnly(pick) => selection.only(of(pick)),
            Intent::Toggle(pick) => selection.toggle(of(pick)),
            Intent::SelectNone => selection.clear(),
            Intent::BoxPreview { rect, ids, add } => {
                self.preview.set(Preview::Box(rect));
                self.mark_boxed(&ids, add);
            }
            Intent::BoxCommit { ids, add } => {
                self.clear_preview();
                let mut all = if add { selection.ids.get_untracked() } else { BTreeSet::new() };
                all.extend(ids.into_iter().map(scene::of_node));
                let primary = all.iter().next().copied();
                self.session.notify.say(text::selected(all.len()));
                selection.set(all, primary);
            }
            Intent::DragPreview { ids, dx, dy, guides, onto } => {
                let onto = onto.filter(|link| !scene::is_derived(*link));
                self.shift_elements(&ids, pt(dx, dy));
                self.preview.set(Preview::Drag(guides, onto.map(scene::of_link)));
            }
            Intent::DragCommit { ids, dx, dy, onto } => {
                self.clear_preview();
                let ids: Vec<EntityId> = ids.into_iter().map(scene::of_node).collect();
                let onto = onto.filter(|link| !scene::is_derived(*link));
                let edit = self.session.doc.with(|document| match (onto, ids.as_slice()) {
                    (Some(path), [only]) => acts::put_on_path(document, *only, scene::of_link(path), (dx, dy)),
                    _ => Some(acts::shift(document, &ids, (dx, dy))),
                });
                if let Some(edit) = edit {
                    self.session.apply(edit);
                }
            }
            Intent::ConnectPreview { from, to, target } => self.draw_connector(from, to, target),
            Intent::ConnectCommit { from, to } => {
                self.clear_preview();
                self.connect(scene::of_node(from), scene::of_node(to));
            }
            Intent::ConnectToEmpty { from, at } => {
                self.clear_preview();
                let (after, before) = Self::beside(from);
                self.open_quick_add(at, after, before);
            }
            Intent::ReconnectPreview { link, end, to, target } => {
                let port = self.stage.with_value(|stage| stage.link(link)).map(|path| match end {
                    End::To => Port { node: path.from, side: loopwright_stage::Side::Out },
                    End::From => Port { node: path.to, side: loopwright_stage::Side::In },
                });
                if let Some(port) = port {
                    self.draw_connector(port, to, target);
                }
            }
            Intent::ReconnectCommit { link, end, node } => {
                self.clear_preview();
                let node = Some(scene::of_node(node));
                let (from, to) = if end == End::From { (node, None) } else { (None, node) };
                self.session.try_apply(self.session.doc.with(|document| edits::reconnect(document, scene::of_link(link), from, to)));
            }
            Intent::ResizePreview { id, w, h } => self.size_element(id, w, h),
            Intent::ResizeCommit { id, w, h } => {
                self.session.apply(acts::resize_note(scene::of_node(id), w, h));
            }
            Intent::DropPreview { rect, target, guides } => {
                let hint = match target {
                    DropTarget::At(_) => DropHint::Free,
                    DropTarget::OnLink(path, _) if scene::is_derived(path) => DropHint::Free,
                    DropTarget::OnLink(path, _) => DropHint::OnPath(scene::of_link(path)),
                    DropTarget::IntoBody(node) => DropHint::IntoBody(scene::of_node(node)),
                    DropTarget::Nowhere => DropHint::Nowhere,
                };
                self.preview.set(Preview::Drop(rect, guides, hint));
            }
            Intent::DropCommit { target } => {
                self.clear_preview();
                if let Some(recipe) = self.dropping.get_value() {
                    self.drop_recipe(recipe, target);
                }
            }
            Intent::PaletteClick => {
                self.clear_preview();
                if let Some(recipe) = self.dropping.get_value() {
                    self.place(recipe);
                }
            }
            Intent::Menu { target, at } => self.open_menu(target, at),
            Intent::Click { target, .. } => self.clicked(target),
            Intent::DoubleClick { target, at } => self.open_target(target, at),
            Intent::Cancel => self.clear_preview(),
        }
    }

    fn clicked(self, target: Target) {
        match target {
            Target::Port(port) => self.port_clicked(scene::of_node(port.node), port.side),
            Target::Node(id) | Target::Body(id) if self.connecting.get_untracked().is_some_and(|from| from != scene::of_node(id)) => {
                self.port_clicked(scene::of_node(id), loopwright_stage::Side::In);
            }
            Target::Empty => self.connecting.set(None),
            _ if target.node().is_some() && self.session.layout.width.get_untracked() < crate::shell::SHEET_BELOW => {
                self.session.layout.inspector_open.set(true);
            }
            _ => {}
        }
    }

    fn open_target(self, target: Target, at: Point) {
        match target {
            Target::Node(id) | Target::Body(id) => self.open(scene::of_node(id)),
            Target::Empty => {
                let world = self.viewport.get_untracked().to_world(at);
                self.open_quick_add(world, None, None);
            }
            _ => {}
        }
    }

    /// Opens a step: a sub-agent's flow, or the step's fields.
    pub fn open(self, id: EntityId) {
        let into = self.session.doc.with(|document| document.step(id).and_then(|step| super::facts::read(step).leads_into));
        match into {
            Some(graph) => self.session.drill_in(graph),
            None => {
                self.session.layout.inspector_open.set(true);
                dom::focus_soon(crate::shell::INSPECTOR_ID.to_owned());
            }
        }
    }

    /// Connects two steps, unless they are connected.
    pub fn connect(self, from: EntityId, to: EntityId) {
        let made = match self.session.doc.with(|document| edits::connect(document, from, to, &mut page::new_uuid)) {
            Ok(made) => made,
            Err(refused) => {
                self.session.notify.toast(crate::session::Tone::Info, refused.0);
                return;
            }
        };
        if self.session.apply(made.edit) {
            let name = |id| self.session.doc.with(|document| document.step(id).map(|step| step.name().to_owned())).unwrap_or_default();
            self.session.notify.say(text::connected(&name(from), &name(to)));
            // A path out of a choice needs a condition: show it. A plain one keeps the step selected.
            let siblings = self.session.doc.with(|document| {
                let graph = document.step(from).and_then(|step| document.graph(step.graph_id()));
                graph.map_or(0, |graph| graph.paths().filter(|path| path.from() == Some(from)).count())
            });
            if let Some(path) = made.ids.first().filter(|_| siblings > 1) {
                self.session.selection.only(*path);
            }
        }
    }

    fn drop_recipe(self, recipe: Recipe, target: DropTarget) {
        match target {
            DropTarget::At(at) => self.add(recipe, Spot { at: (at.x, at.y), ..Spot::default() }),
            DropTarget::OnLink(path, at) if scene::is_derived(path) => self.add(recipe, Spot { at: (at.x, at.y), ..Spot::default() }),
            DropTarget::OnLink(path, at) => {
                self.add(recipe, Spot { at: (at.x, at.y), onto: Some(scene::of_link(path)), ..Spot::default() })
            }
            DropTarget::IntoBody(node) => self.fill_body(scene::of_node(node), recipe),
            DropTarget::Nowhere => {}
        }
    }

    fn fill_body(self, step: EntityId, recipe: Recipe) {
        match self.session.doc.with(|document| acts::set_body(document, step, recipe)) {
            Some(edit) => {
                if self.session.try_apply(edit) {
                    self.session.selection.only(step);
                    self.focus();
                }
            }
            None => self.session.notify.toast(crate::session::Tone::Info, text::NO_LOOP_IN_BODY),
        }
    }

    /// Adds a step or a note at a place, selects it and says so.
    pub fn add(self, recipe: Recipe, spot: Spot) {
        let Some(graph) = self.session.selection.graph_untracked() else { return };
        let made = match self.session.doc.with(|document| acts::add(document, graph, recipe, spot)) {
            Ok(made) => made,
            Err(refused) => {
                self.session.notify.toast(crate::session::Tone::Failed, refused.0);
                return;
            }
        };
        let label = made.edit.label.clone();
        let Some(id) = made.ids.first().copied() else { return };
        if self.session.apply(made.edit) {
            self.session.notify.say(text::done(&label));
            self.session.selection.only(id);
            self.session.selection.scroll_to.set(Some(id));
            if recipe == Recipe::Note {
                self.renaming.set(Some(id));
            } else {
                self.focus();
            }
        }
    }

    /// Adds a step where tidy-up would put it, connected after the selected one.
    pub fn place(self, recipe: Recipe) {
        let primary =
            self.session.selection.primary.get_untracked().filter(|id| self.session.doc.with(|document| document.step(*id).is_some()));
        let onto =
            self.session.selection.primary.get_untracked().filter(|id| self.session.doc.with(|document| document.path(*id).is_some()));
        let shape = self.shape_of(recipe);
        let after = primary.or_else(|| self.session.doc.with(|document| self.last_step(document)));
        let selected: Vec<NodeId> = after.map(scene::node).into_iter().collect();
        let view = self.viewport.get_untracked();
        let size = shape.size();
        let middle = view.to_world(self.middle());
        let fallback = pt(((middle.x - size.x / 2.0) / 16.0).round() * 16.0, ((middle.y - size.y / 2.0) / 16.0).round() * 16.0);
        let at = self.stage.with_value(|stage| place_after(stage, &selected, shape, fallback));
        let after = after.filter(|_| recipe != Recipe::Note && onto.is_none());
        self.add(recipe, Spot { at: (at.x, at.y), after, onto, before: None });
    }

    /// The step a new one follows when none is selected: the last without a way on, if the flow has exactly one such end.
    fn last_step(self, document: &loopwright_model::Document) -> Option<EntityId> {
        let graph = document.graph(self.session.selection.graph_untracked()?)?;
        let origins: BTreeSet<EntityId> = graph.paths().filter_map(|path| path.from()).collect();
        let mut ends = graph.steps().map(|step| step.id()).filter(|id| !origins.contains(id));
        let last = ends.next();
        if ends.next().is_some() { None } else { last }
    }

    /// Opens quick-add at a world point.
    pub fn open_quick_add(self, at: Point, after: Option<EntityId>, before: Option<EntityId>) {
        self.quick_add.set(Some(QuickAdd { at, after, before, replace: None }));
    }

    /// Opens quick-add for the step after one.
    pub fn add_after(self, id: EntityId) {
        let at = self.stage.with_value(|stage| place_after(stage, &[scene::node(id)], NodeShape::Card, Point::default()));
        let line = pt(at.x, at.y + loopwright_stage::sizes::CARD_PORT_Y);
        self.open_quick_add(line, Some(id), None);
    }

    /// Deletes what is selected, and puts the cursor on what came before it.
    pub fn delete_selected(self, reconnect: bool) {
        let selection = self.session.selection;
        let ids = selection.ids.get_untracked();
        if ids.is_empty() {
            return;
        }
        let before = self.session.doc.with(|document| {
            let graph = document.graph(selection.graph_untracked()?)?;
            let path = ids.iter().find_map(|id| document.path(*id)).and_then(|path| path.from());
            let step = graph
                .paths()
                .find(|path| path.to().is_some_and(|to| ids.contains(&to)) && path.from().is_some_and(|from| !ids.contains(&from)));
            step.and_then(|path| path.from())
                .or(path)
                .or_else(|| graph.steps().map(|step| step.id()).find(|id| !ids.contains(id)))
                .filter(|id| !ids.contains(id))
        });
        let edit = self.session.doc.with(|document| acts::delete(document, &ids, reconnect));
        let label = edit.label.clone();
        if self.session.apply(edit) {
            self.session.notify.say(text::done(&label));
            if let Some(id) = before {
                selection.only(id);
            }
            self.focus();
        }
    }

    /// Duplicates the selected steps.
    pub fn duplicate(self) {
        let ids: Vec<EntityId> = self.selected_nodes().into_iter().map(scene::of_node).collect();
        let made = self.session.doc.with(|document| edits::duplicate(document, &ids, (32.0, 32.0), &mut page::new_uuid));
        self.insert(made);
    }

    /// Applies an edit that makes steps, and selects them.
    pub(super) fn insert(self, made: Result<Made, Refused>) {
        match made {
            Ok(made) => {
                let label = made.edit.label.clone();
                if self.session.apply(made.edit) {
                    self.session.notify.say(text::done(&label));
                    let steps: BTreeSet<EntityId> =
                        self.session.doc.with(|document| made.ids.iter().copied().filter(|id| document.step(*id).is_some()).collect());
                    let primary = steps.iter().next().copied();
                    self.session.selection.set(steps, primary);
                    self.session.selection.scroll_to.set(primary);
                    self.focus();
                }
            }
            Err(refused) => self.session.notify.toast(crate::session::Tone::Info, refused.0),
        }
    }

    /// Lets the selected steps run, or not.
    pub fn toggle_active(self) {
        let steps: Vec<EntityId> = self
            .selected_nodes()
            .into_iter()
            .map(scene::of_node)
            .filter(|id| self.session.doc.with(|document| document.step(*id).is_some()))
            .collect();
        let any_active = self.session.doc.with(|document| steps.iter().filter_map(|id| document.step(*id)).any(|step| step.is_active()));
        if !steps.is_empty() && self.session.apply(self.session.doc.with(|document| acts::set_active(document, &steps, !any_active))) {
            self.session.notify.say(text::done(if any_active { text::DISABLE } else { text::ENABLE }));
        }
    }

    /// Moves the selected steps and notes.
    pub fn nudge(self, dx: f64, dy: f64) {
        let ids: Vec<EntityId> = self.selected_nodes().into_iter().map(scene::of_node).collect();
        if ids.is_empty() {
            return;
        }
        let key = format!("nudge {ids:?}");
        let edit = self.session.doc.with(|document| acts::shift(document, &ids, (dx, dy)));
        self.session.apply(edit.merging(key));
    }

    /// Tidies the flow up.
    pub fn tidy(self) {
        let placed = self.stage.with_value(|stage| loopwright_stage::tidy(stage.scene()));
        if placed.is_empty() {
            self.session.notify.say(text::ALREADY_TIDY);
            return;
        }
        let places: Vec<_> = placed.into_iter().map(|placed| (scene::of_node(placed.id), placed.at.x, placed.at.y)).collect();
        if self.session.apply(self.session.doc.with(|document| acts::arrange(document, &places))) {
            self.session.notify.say(text::done(text::TIDY_UP));
            request_animation_frame(move || self.fit());
        }
    }

    fn draw_connector(self, from: Port, to: Point, target: Option<NodeId>) {
        let course = self.stage.with_value(|stage| stage.connector(from, to, target)).map(|route| route.d()).unwrap_or_default();
        self.preview.set(Preview::Connect(course, to, target.map(scene::of_node)));
    }

    /// Shifts the elements of dragged nodes, and draws their paths along. The document does not change.
    fn shift_elements(self, ids: &[NodeId], by: Point) {
        let routes = self.stage.with_value(|stage| stage.routes_moved(ids, by));
        for (path, route) in &routes {
            paths::draw(scene::of_link(*path), route);
        }
        let ids: Vec<EntityId> = ids.iter().copied().map(scene::of_node).collect();
        for id in &ids {
            dom::shift(&element_id(*id), by.x, by.y);
        }
        self.dragged.set_value((ids, routes.into_iter().map(|(path, _)| scene::of_link(path)).collect()));
    }

    fn size_element(self, id: NodeId, width: f64, height: f64) {
        dom::size(&element_id(scene::of_node(id)), width, height);
    }

    /// Marks what a box touches while it is drawn.
    fn mark_boxed(self, ids: &[NodeId], add: bool) {
        let mut all = if add { self.session.selection.ids.get_untracked() } else { BTreeSet::new() };
        all.extend(ids.iter().copied().map(scene::of_node));
        let element = self.element.get_untracked();
        for card in element.iter().flat_map(|element| dom::all(element, ".node")) {
            let inside = card.id().strip_prefix("node-").and_then(|id| id.parse().ok()).is_some_and(|id| all.contains(&EntityId(id)));
            dom::set_class(&card, "is-boxed", inside);
        }
    }

    /// Takes away what was drawn for a gesture.
    fn clear_preview(self) {
        if self.preview.with_untracked(|preview| matches!(preview, Preview::Box(_))) {
            self.mark_boxed(&[], false);
            for card in self.element.get_untracked().iter().flat_map(|element| dom::all(element, ".is-boxed")) {
                dom::set_class(&card, "is-boxed", false);
            }
        }
        let (nodes, links) = self.dragged.try_update_value(std::mem::take).unwrap_or_default();
        for id in nodes {
            dom::unshift(&element_id(id));
        }
        self.stage.with_value(|stage| {
            for id in links {
                if let Some(route) = stage.route(LinkId(id.0)) {
                    paths::draw(id, route);
                }
            }
        });
        self.preview.set(Preview::None);
    }

    /// A small rectangle around a world point, in screen pixels.
    pub fn around(self, at: Point) -> loopwright_stage::Rect {
        let screen = self.viewport.get().to_screen(at);
        rect(screen.x, screen.y, 0.0, 0.0)
    }
}

fn of(pick: Pick) -> EntityId {
    match pick {
        Pick::Node(id) => scene::of_node(id),
        Pick::Link(id) => scene::subject(id),
    }
}
