//! The canvas: cards in one transformed layer, paths in one SVG layer, and only what is near the view in the page.

mod act;
mod card;
mod facts;
mod far;
mod keys;
mod menus;
mod minimap;
mod notes;
mod overlay;
mod paths;
pub mod quick_add;
pub mod scene;
mod view;

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use leptos::{html, prelude::*};
use loopwright_executor::protocol::StepStatus;
use loopwright_model::{EntityId, EntityKind, StepKind};
use loopwright_stage::{Gesture, Guides, Input, NodeId, NodeShape, Pick, Point, Port, Rect, Stage, Viewport, Visible, pt};

use crate::{
    platform::{dom, page, time},
    session::{Session, acts::Recipe},
    ui::menu::Menus,
};

pub use view::stage;

/// How long a fit or a jump takes, in milliseconds.
const GLIDE: f64 = 320.0;
/// Free screen pixels around what is fitted.
const FIT_MARGIN: f64 = 24.0;
/// The zoom at which a small screen shows the beginning of a flow that does not fit.
const SMALL_ZOOM: f64 = 0.75;
/// Free screen pixels around what is brought into view.
const REVEAL_MARGIN: f64 = 32.0;

/// What is drawn over the stage while a gesture goes on.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Preview {
    /// Nothing.
    #[default]
    None,
    /// A selection box (world).
    Box(Rect),
    /// Lines along which dragged nodes are aligned, and the path they would go into.
    Drag(Guides, Option<EntityId>),
    /// A connector (its course as SVG) and the node it would connect to.
    Connect(String, Point, Option<EntityId>),
    /// A palette item: its rectangle, what a drop would do there.
    Drop(Rect, Guides, DropHint),
}

/// What a drop would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropHint {
    /// Put it on free canvas.
    Free,
    /// Insert it into a path.
    OnPath(EntityId),
    /// Put it into a loop.
    IntoBody(EntityId),
    /// Nothing.
    Nowhere,
}

/// The canvas' own state.
#[derive(Clone, Copy)]
pub struct Canvas {
    /// The app's.
    pub session: Session,
    /// The one menu.
    pub menus: Menus,
    /// The indexed scene of the open graph.
    pub stage: StoredValue<Stage>,
    /// Kinds of the scene's steps.
    pub kinds: StoredValue<HashMap<NodeId, scene::Kinds>>,
    /// Changes when the scene does.
    pub laid: RwSignal<u64>,
    /// What part of the world shows.
    pub viewport: RwSignal<Viewport>,
    /// Width and height of the stage in screen pixels; 0 before it is drawn.
    pub size: RwSignal<(f64, f64)>,
    /// What is in the page.
    pub visible: RwSignal<Visible>,
    /// What is drawn over the stage.
    pub preview: RwSignal<Preview>,
    /// How steps look in the run, by step.
    pub statuses: Memo<Arc<HashMap<EntityId, StepStatus>>>,
    /// The step that a connection by keyboard starts at.
    pub connecting: RwSignal<Option<EntityId>>,
    /// The step whose name is being typed on the canvas.
    pub renaming: RwSignal<Option<EntityId>>,
    /// Quick-add, where it is open.
    pub quick_add: RwSignal<Option<quick_add::QuickAdd>>,
    /// What the pointer looks like.
    pub cursor: RwSignal<&'static str>,
    /// The stage's element.
    pub element: NodeRef<html::Main>,
    gesture: StoredValue<Gesture>,
    /// What the palette drags.
    dropping: StoredValue<Option<Recipe>>,
    /// Nodes whose elements are shifted while they are dragged, and paths drawn along.
    dragged: StoredValue<(Vec<EntityId>, Vec<EntityId>)>,
    /// Since when the space bar is held, and what was in view then.
    space: StoredValue<Option<(f64, Viewport)>>,
    glide: StoredValue<u64>,
    ticking: StoredValue<bool>,
    /// The document and graph the scene is of.
    scene_of: StoredValue<Option<(u64, EntityId)>>,
    /// The document and graph the view was fitted to.
    fitted: StoredValue<Option<(u64, EntityId)>>,
    /// Where each graph was last looked at.
    views: StoredValue<HashMap<EntityId, Viewport>>,
}

/// The canvas of the app around the calling component.
pub fn canvas() -> Canvas {
    // Provided by the app before anything else is built.
    expect_context::<Canvas>()
}

impl Canvas {
    /// An empty canvas.
    pub fn new(session: Session, menus: Menus) -> Self {
        let run = session.run;
        Self {
            session,
            menus,
            stage: StoredValue::new(Stage::default()),
            kinds: StoredValue::new(HashMap::new()),
            laid: RwSignal::new(0),
            viewport: RwSignal::new(Viewport::default()),
            size: RwSignal::new((0.0, 0.0)),
            visible: RwSignal::new(Visible::default()),
            preview: RwSignal::new(Preview::None),
            statuses: Memo::new(move |_| {
                run.steps.with(|steps| Arc::new(steps.steps.iter().map(|status| (status.step, status.clone())).collect()))
            }),
            connecting: RwSignal::new(None),
            renaming: RwSignal::new(None),
            quick_add: RwSignal::new(None),
            cursor: RwSignal::new(""),
            element: NodeRef::new(),
            gesture: StoredValue::new(Gesture::default()),
            dropping: StoredValue::new(None),
            dragged: StoredValue::new((Vec::new(), Vec::new())),
            space: StoredValue::new(None),
            glide: StoredValue::new(0),
            ticking: StoredValue::new(false),
            scene_of: StoredValue::new(None),
            fitted: StoredValue::new(None),
            views: StoredValue::new(HashMap::new()),
        }
    }

    /// Keeps scene, view and page in step with the document. Call once, in the stage's owner.
    fn follow(self) {
        let session = self.session;
        Effect::new(move |_| {
            session.doc.track_all();
            let opened = session.doc.opened.get();
            if let Some(graph) = session.selection.graph() {
                let before = self.scene_of.get_value();
                self.scene_of.set_value(Some((opened, graph)));
                self.lay(graph, before != Some((opened, graph)));
            } else {
                self.stage.set_value(Stage::default());
                self.laid.update(|laid| *laid += 1);
            }
        });
        // A document or graph that is shown for the first time is fitted; one that was left is shown as it was.
        Effect::new(move |_| {
            self.laid.track();
            let (opened, graph) = (session.doc.opened.get(), session.selection.graph());
            let ready = self.size.with(|size| size.0 > 0.0);
            let Some(graph) = graph.filter(|_| ready) else { return };
            let before = self.fitted.get_value();
            if before == Some((opened, graph)) || self.scene_of.get_value() != Some((opened, graph)) {
                return;
            }
            if before.is_none_or(|(document, _)| document != opened) {
                self.views.update_value(HashMap::clear);
            } else if let Some((_, old)) = before {
                let left = self.viewport.get_untracked();
                self.views.update_value(|views| {
                    views.insert(old, left);
                });
            }
            self.fitted.set_value(Some((opened, graph)));
            self.stop_glide();
            let seen = self.views.with_value(|views| views.get(&graph).copied());
            self.viewport.set(seen.unwrap_or_else(|| self.first_look()));
        });
        Effect::new(move |_| {
            self.laid.track();
            let (view, (width, height)) = (self.viewport.get(), self.size.get());
            let primary = session.selection.primary.get();
            // Far away everything is one picture, and no card is in the page.
            let far = view.zoom < loopwright_stage::sizes::ZOOM_BLOCKS;
            let mut visible = if far { Visible::default() } else { self.stage.with_value(|stage| stage.visible(&view, width, height)) };
            // The focused card is never culled.
            if let Some(id) = primary.map(scene::node)
                && self.stage.with_value(|stage| stage.node(id).is_some())
                && !visible.nodes.contains(&id)
            {
                visible.nodes.push(id);
            }
            if self.visible.with_untracked(|old| *old != visible) {
                self.visible.set(visible);
            }
        });
        Effect::new(move |_| {
            if let Some(id) = session.selection.scroll_to.get() {
                session.selection.scroll_to.set(None);
                // The scene may only now get the graph this is in.
                request_animation_frame(move || self.reveal(id));
            }
        });
        session.run.watch_iteration();
    }

    /// Brings the scene up to date with the document.
    fn lay(self, graph: EntityId, another: bool) {
        let (scene, kinds) = self.session.doc.with(|document| scene::build(document, graph));
        let same_things = self.stage.with_value(|stage| {
            let old = stage.scene();
            old.links == scene.links
                && old.nodes.len() == scene.nodes.len()
                && old.nodes.iter().zip(&scene.nodes).all(|(a, b)| a.id == b.id)
        });
        if same_things && !another {
            let changed: Vec<_> =
                self.stage.with_value(|stage| scene.nodes.into_iter().filter(|node| stage.node(node.id) != Some(node)).collect());
            if changed.is_empty() {
                return;
            }
            self.stage.update_value(|stage| changed.into_iter().for_each(|node| drop(stage.put(node))));
        } else {
            self.stage.set_value(Stage::new(scene));
        }
        self.kinds.set_value(kinds);
        self.laid.update(|laid| *laid += 1);
    }

    /// Hands an input to the gesture machine and does what it says.
    pub fn feed(self, input: &Input) {
        let picks = self.picks();
        let (width, height) = self.size.get_untracked();
        let intents = self.stage.with_value(|stage| {
            let view = loopwright_stage::View {
                stage,
                viewport: self.viewport.get_untracked(),
                width,
                height,
                selection: &picks,
                read_only: self.session.doc.read_only.get_untracked(),
            };
            self.gesture.try_update_value(|gesture| gesture.handle(input, &view)).unwrap_or_default()
        });
        for intent in intents {
            self.act(intent);
        }
        self.cursor.set(self.gesture.with_value(|gesture| view::cursor_class(gesture.cursor())));
        self.tick_while_wanted();
    }

    /// A palette item went down under a pointer.
    pub fn feed_palette(self, recipe: Recipe, input: &Input) {
        self.dropping.set_value(Some(recipe));
        self.feed(input);
    }

    fn tick_while_wanted(self) {
        if self.ticking.get_value() || !self.gesture.with_value(Gesture::wants_ticks) {
            return;
        }
        self.ticking.set_value(true);
        request_animation_frame(move || {
            self.ticking.set_value(false);
            self.feed(&Input::Tick { time: time::now() });
        });
    }

    /// What is selected, in the stage's terms.
    fn picks(self) -> BTreeSet<Pick> {
        let ids = self.session.selection.ids.get_untracked();
        self.session.doc.with(|document| {
            ids.iter()
                .filter_map(|id| document.get(*id))
                .map(
                    |entity| {
                        if entity.kind == EntityKind::Path {
                            Pick::Link(scene::link(entity.id))
                        } else {
                            Pick::Node(scene::node(entity.id))
                        }
                    },
                )
                .collect()
        })
    }

    /// The selected steps and notes, in the scene's order.
    pub fn selected_nodes(self) -> Vec<NodeId> {
        let ids = self.session.selection.ids.get_untracked();
        self.stage
            .with_value(|stage| stage.scene().nodes.iter().map(|node| node.id).filter(|id| ids.contains(&scene::of_node(*id))).collect())
    }

    /// The middle of the stage in screen pixels.
    fn middle(self) -> Point {
        let (width, height) = self.size.get_untracked();
        pt(width / 2.0, height / 2.0)
    }

    fn fitting(self) -> Viewport {
        let (width, height) = self.size.get_untracked();
        match self.stage.with_value(|stage| stage.scene().bounds()) {
            Some(bounds) => Viewport::fit(&bounds, width, height, FIT_MARGIN, 1.0),
            None => Viewport { x: 48.0, y: 48.0, zoom: 1.0 },
        }
    }

    /// What shows when a flow is opened: all of it, or on a small screen its beginning at a size that can be read.
    fn first_look(self) -> Viewport {
        let (width, height) = self.size.get_untracked();
        let all = self.fitting();
        let bounds = self.stage.with_value(|stage| stage.scene().bounds());
        match bounds.filter(|_| width < crate::shell::SHEET_BELOW && all.zoom < SMALL_ZOOM) {
            Some(bounds) => {
                Viewport { x: FIT_MARGIN - bounds.x * SMALL_ZOOM, y: height / 2.0 - bounds.centre().y * SMALL_ZOOM, zoom: SMALL_ZOOM }
            }
            None => all,
        }
    }

    /// Shows everything.
    pub fn fit(self) {
        self.glide_to(self.fitting());
    }

    /// Shows the selection.
    pub fn fit_selection(self) {
        let (width, height) = self.size.get_untracked();
        let nodes = self.selected_nodes();
        let bounds = self.stage.with_value(|stage| Rect::around(nodes.iter().filter_map(|id| stage.node(*id)).map(|node| node.rect())));
        match bounds {
            Some(bounds) => self.glide_to(Viewport::fit(&bounds, width, height, FIT_MARGIN * 2.0, 1.5)),
            None => self.fit(),
        }
    }

    /// 100 %.
    pub fn actual_size(self) {
        let view = self.viewport.get_untracked();
        self.glide_to(view.zoomed_to(self.middle(), 1.0));
    }

    /// One step nearer.
    pub fn zoom_in(self) {
        self.glide_to(self.viewport.get_untracked().step_in(self.middle()));
    }

    /// One step farther.
    pub fn zoom_out(self) {
        self.glide_to(self.viewport.get_untracked().step_out(self.middle()));
    }

    /// Brings an entity into view with the least movement, and puts the cursor on it.
    pub fn reveal(self, id: EntityId) {
        let (width, height) = self.size.get_untracked();
        let rect = self.stage.with_value(|stage| {
            stage.node(scene::node(id)).map(|node| node.rect()).or_else(|| stage.route(scene::link(id)).map(|route| route.bounds))
        });
        if let Some(rect) = rect {
            let view = self.viewport.get_untracked();
            let near =
                if view.zoom < loopwright_stage::sizes::ZOOM_NO_FACT { view.zoomed_to(view.to_screen(rect.centre()), 1.0) } else { view };
            self.glide_to(near.revealing(&rect, width, height, REVEAL_MARGIN));
        }
    }

    /// Moves the view there, over a moment where motion is welcome.
    pub fn glide_to(self, target: Viewport) {
        let ticket = self.stop_glide();
        let from = self.viewport.get_untracked();
        if page::reduced_motion() || from == target || self.size.get_untracked().0 == 0.0 {
            self.viewport.set(target);
            return;
        }
        self.glide_step(ticket, from, target, time::now());
    }

    fn glide_step(self, ticket: u64, from: Viewport, target: Viewport, began: f64) {
        request_animation_frame(move || {
            if self.glide.get_value() != ticket {
                return;
            }
            let part = ((time::now() - began) / GLIDE).clamp(0.0, 1.0);
            if part >= 1.0 {
                self.viewport.set(target);
                return;
            }
            let (width, height) = self.size.get_untracked();
            let eased = 1.0 - (1.0 - part).powi(4);
            self.viewport.set(from.toward(&target, width, height, eased));
            self.glide_step(ticket, from, target, began);
        });
    }

    fn stop_glide(self) -> u64 {
        self.glide
            .try_update_value(|glide| {
                *glide += 1;
                *glide
            })
            .unwrap_or_default()
    }

    /// Puts the cursor on the selected card, or on the stage, once it has been drawn.
    pub fn focus(self) {
        request_animation_frame(move || {
            // Something that opened in the meantime has the cursor.
            if dom::focus_within(".menu, dialog") {
                return;
            }
            let primary = self.session.selection.primary.get_untracked();
            if !primary.is_some_and(|id| dom::focus_id(&element_id(id)))
                && let Some(element) = self.element.get_untracked()
            {
                dom::focus(&element);
            }
        });
    }

    /// The shape a recipe makes.
    pub fn shape_of(self, recipe: Recipe) -> NodeShape {
        match recipe {
            Recipe::Note => NodeShape::Note,
            Recipe::Kind(kind) => scene::shape(kind),
            Recipe::Calls(_) => NodeShape::Card,
        }
    }

    /// The kind and the name of what the palette drags.
    fn dropping_name(self) -> Option<(StepKind, String)> {
        match self.dropping.get_value()? {
            Recipe::Note => None,
            Recipe::Kind(kind) => Some((kind, crate::text::kind_name(kind).to_owned())),
            Recipe::Calls(id) => self.session.doc.with(|document| {
                let entity = document.get(id)?;
                let kind = match entity.kind {
                    EntityKind::Prompt => StepKind::Prompt,
                    EntityKind::Agent | EntityKind::Graph => StepKind::SubAgent,
                    _ => StepKind::Action,
                };
                Some((kind, loopwright_model::catalogue::entity_name(entity).to_owned()))
            }),
        }
    }

    /// The port a connector was drawn from, as a place for a new step.
    fn beside(port: Port) -> (Option<EntityId>, Option<EntityId>) {
        match port.side {
            loopwright_stage::Side::Out => (Some(scene::of_node(port.node)), None),
            loopwright_stage::Side::In => (None, Some(scene::of_node(port.node))),
        }
    }
}

/// The DOM id of a card.
pub fn element_id(id: EntityId) -> String {
    format!("node-{}", id.0)
}
