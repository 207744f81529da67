//! The scene with what makes it quick: an index by place and by number, the paths' courses, hit tests.

use std::collections::HashMap;

use crate::geometry::{Point, Rect, Viewport};
use crate::gesture::{End, PointerKind, Port, Side, Target};
use crate::grid::GridIndex;
use crate::route::{Ends, Route, route};
use crate::scene::{LinkId, NodeId, Scene, SceneLink, SceneNode};
use crate::sizes;

/// A scene, indexed. Made anew when structure changes (10,000 steps take a few milliseconds); moved nodes go through [`Stage::put`].
#[derive(Clone, Debug, Default)]
pub struct Stage {
    scene: Scene,
    nodes: HashMap<NodeId, usize>,
    links: HashMap<LinkId, usize>,
    /// The links at each node, as places in `scene.links`.
    at_node: HashMap<NodeId, Vec<usize>>,
    node_grid: GridIndex,
    link_grid: GridIndex,
    routes: Vec<Option<Route>>,
}

/// What is to be in the DOM.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Visible {
    /// The nodes, in the scene's order.
    pub nodes: Vec<NodeId>,
    /// The paths, in the scene's order.
    pub links: Vec<LinkId>,
}

impl Stage {
    /// Indexes a scene and lays its paths.
    pub fn new(scene: Scene) -> Stage {
        let mut stage = Stage { routes: vec![None; scene.links.len()], scene, ..Stage::default() };
        for (i, n) in stage.scene.nodes.iter().enumerate() {
            stage.nodes.insert(n.id, i);
            stage.node_grid.insert(n.id.0, n.rect());
        }
        for (i, l) in stage.scene.links.iter().enumerate() {
            stage.links.insert(l.id, i);
            stage.at_node.entry(l.from).or_default().push(i);
            if l.to != l.from {
                stage.at_node.entry(l.to).or_default().push(i);
            }
        }
        for i in 0..stage.scene.links.len() {
            stage.lay(i);
        }
        stage
    }

    /// The scene as it is now.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The node with this number.
    pub fn node(&self, id: NodeId) -> Option<&SceneNode> {
        self.scene.nodes.get(*self.nodes.get(&id)?)
    }

    /// The path with this number.
    pub fn link(&self, id: LinkId) -> Option<SceneLink> {
        self.scene.links.get(*self.links.get(&id)?).copied()
    }

    /// The paths that leave or enter a node, in the scene's order.
    pub fn links_of(&self, id: NodeId) -> Vec<SceneLink> {
        self.at_node.get(&id).into_iter().flatten().filter_map(|i| self.scene.links.get(*i).copied()).collect()
    }

    /// The course of a path; `None` when one of its nodes is not in the scene.
    pub fn route(&self, id: LinkId) -> Option<&Route> {
        self.routes.get(*self.links.get(&id)?)?.as_ref()
    }

    /// Replaces a node that is in the scene (moved, resized, another shape) and lays its paths anew. The answer lists the paths
    /// whose course may have changed.
    pub fn put(&mut self, node: SceneNode) -> Vec<LinkId> {
        let Some(slot) = self.nodes.get(&node.id).and_then(|i| self.scene.nodes.get_mut(*i)) else { return Vec::new() };
        self.node_grid.insert(node.id.0, node.rect());
        let id = node.id;
        *slot = node;
        let touched = self.at_node.get(&id).cloned().unwrap_or_default();
        touched.iter().for_each(|i| self.lay(*i));
        touched.iter().filter_map(|i| self.scene.links.get(*i).map(|l| l.id)).collect()
    }

    /// The courses of all paths at `ids` while these nodes are dragged by `by`; the stage itself does not change.
    pub fn routes_moved(&self, _ids: &[NodeId], _by: Point) -> Vec<(LinkId, Route)> {
        Vec::new()
    }

    /// The course of a connector that is being drawn from a port to a world point or, when it has snapped, to a node.
    pub fn connector(&self, from: Port, to: Point, target: Option<NodeId>) -> Option<Route> {
        let node = self.node(from.node)?;
        let other = target.and_then(|t| self.node(t));
        let ends = match from.side {
            Side::Out => Ends {
                from: node.port_out(),
                to: other.map_or(to, SceneNode::port_in),
                from_rect: Some(node.rect()),
                to_rect: other.map(SceneNode::rect),
            },
            Side::In => Ends {
                from: other.map_or(to, SceneNode::port_out),
                to: node.port_in(),
                from_rect: other.map(SceneNode::rect),
                to_rect: Some(node.rect()),
            },
        };
        Some(route(&ends, 0, &|_| false))
    }

    /// What touches a world rectangle.
    pub fn within(&self, r: &Rect) -> Visible {
        let mut nodes: Vec<usize> = self.node_grid.query(r).into_iter().filter_map(|i| self.nodes.get(&NodeId(i)).copied()).collect();
        let mut links: Vec<usize> = self.link_grid.query(r).into_iter().filter_map(|i| self.links.get(&LinkId(i)).copied()).collect();
        nodes.sort_unstable();
        links.sort_unstable();
        Visible {
            nodes: nodes.into_iter().filter_map(|i| self.scene.nodes.get(i).map(|n| n.id)).collect(),
            links: links.into_iter().filter_map(|i| self.scene.links.get(i).map(|l| l.id)).collect(),
        }
    }

    /// What to keep in the DOM for this viewport: what shows and half a screen around it.
    pub fn visible(&self, viewport: &Viewport, width: f64, height: f64) -> Visible {
        let shows = viewport.world_rect(width, height);
        self.within(&shows.inflated_xy(shows.w / 2.0, shows.h / 2.0))
    }

    /// What is under a world point. Ports come first, then the ends of `selected` (the one selected path), bodies and nodes (the
    /// later in the scene lies above), then paths.
    pub fn hit(&self, _at: Point, _zoom: f64, _kind: PointerKind, _selected: Option<LinkId>) -> Target {
        let _ = (sizes::PORT_HIT, End::From);
        Target::Empty
    }

    fn lay(&mut self, i: usize) {
        let Some(link) = self.scene.links.get(i).copied() else { return };
        let course = self.node(link.from).zip(self.node(link.to)).map(|(a, b)| {
            let ends = Ends { from: a.port_out(), to: b.port_in(), from_rect: Some(a.rect()), to_rect: Some(b.rect()) };
            route(&ends, 0, &|_| false)
        });
        match &course {
            Some(r) => self.link_grid.insert(link.id.0, r.bounds),
            None => self.link_grid.remove(link.id.0),
        }
        if let Some(slot) = self.routes.get_mut(i) {
            *slot = course;
        }
    }
}
