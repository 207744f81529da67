//! The scene with what makes it quick: an index by place and by number, the paths' courses, hit tests.

use crate::geometry::{Point, Rect, Viewport, pt, rect};
use crate::gesture::{End, PointerKind, Port, Side, Target};
use crate::grid::GridIndex;
use crate::quick::{QuickMap, QuickSet};
use crate::route::{Ends, Lane, Route, in_line, route};
use crate::scene::{LinkId, NodeId, NodeShape, Scene, SceneLink, SceneNode};
use crate::sizes;

/// How far from a path's end, in world units, it can be taken at most.
const END_REACH: f64 = 16.0;
/// A port with more paths than this gives them no lanes.
const LANES: usize = 64;

/// A scene, indexed. Made anew when structure changes (some 35 ms for 10,000 steps, natively); moved nodes go through [`Stage::put`].
#[derive(Clone, Debug, Default)]
pub struct Stage {
    scene: Scene,
    nodes: QuickMap<NodeId, usize>,
    links: QuickMap<LinkId, usize>,
    /// The links at each node, as places in `scene.links`.
    at_node: QuickMap<NodeId, Vec<usize>>,
    node_grid: GridIndex,
    link_grid: GridIndex,
    /// By link, the region in which a node has influence on its course.
    watched: GridIndex,
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

    /// Replaces a node that is in the scene (moved, resized, another shape) and lays the paths anew that it has influence on. The
    /// answer lists the paths whose course changed, in the scene's order.
    pub fn put(&mut self, node: SceneNode) -> Vec<LinkId> {
        let Some(slot) = self.nodes.get(&node.id).and_then(|i| self.scene.nodes.get_mut(*i)) else { return Vec::new() };
        let (id, before, after) = (node.id, slot.rect(), node.rect());
        *slot = node;
        self.node_grid.insert(id.0, after);
        let near = self.watched.query(&before).into_iter().chain(self.watched.query(&after));
        let mut links: Vec<usize> = near.filter_map(|l| self.links.get(&LinkId(l)).copied()).collect();
        // Its own paths, and (for their lanes) those that leave the same ports.
        let own = self.at_node.get(&id).into_iter().flatten();
        let sources = own.filter_map(|i| self.scene.links.get(*i)).map(|l| l.from);
        links.extend(sources.filter_map(|s| self.at_node.get(&s)).flatten());
        links.sort_unstable();
        links.dedup();
        links.retain(|i| self.lay(*i));
        links.into_iter().filter_map(|i| self.scene.links.get(i).map(|l| l.id)).collect()
    }

    /// The courses of all paths at `ids` while these nodes are dragged by `by`; the stage itself does not change. In the scene's
    /// order.
    pub fn routes_moved(&self, ids: &[NodeId], by: Point) -> Vec<(LinkId, Route)> {
        let moving: QuickSet<NodeId> = ids.iter().copied().collect();
        let mut links: Vec<usize> = ids.iter().filter_map(|id| self.at_node.get(id)).flatten().copied().collect();
        links.sort_unstable();
        links.dedup();
        // In a great crowd the dragged nodes do not stand in each other's paths: it would take too long.
        let moved: Vec<(NodeId, Rect)> = match ids.len() {
            0..=32 => ids.iter().filter_map(|id| self.node(*id)).map(|n| (n.id, n.rect().moved(by))).collect(),
            _ => Vec::new(),
        };
        let place = |id: NodeId| {
            let n = self.node(id)?;
            Some(if moving.contains(&id) { SceneNode { x: n.x + by.x, y: n.y + by.y, ..n.clone() } } else { n.clone() })
        };
        let course = |i: usize| {
            let link = self.scene.links.get(i)?;
            if moving.contains(&link.from) && moving.contains(&link.to) {
                return Some((link.id, self.routes.get(i)?.as_ref()?.moved(by)));
            }
            let near = |region: &Rect, own: [NodeId; 2]| {
                let mut found = self.obstacles(region, own, &|id| moving.contains(&id));
                found.extend(moved.iter().filter(|(id, r)| !own.contains(id) && r.touches(region)).map(|(_, r)| *r));
                found
            };
            Some((link.id, self.course(i, &place, &near)?.0))
        };
        links.into_iter().filter_map(course).collect()
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
        let own = [from.node, target.unwrap_or(from.node)];
        Some(route(&ends, Lane::default(), &|region| self.clear_of(&ends, self.obstacles(region, own, &|_| false))).0)
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

    /// What is under a world point. The ends of `selected` (the one selected path) come first, then ports, nodes (the later in the
    /// scene lies above), paths.
    pub fn hit(&self, at: Point, zoom: f64, kind: PointerKind, selected: Option<LinkId>) -> Target {
        let finger = kind == PointerKind::Touch;
        let (port, path) = if finger { (sizes::PORT_HIT_TOUCH, sizes::PATH_HIT_TOUCH) } else { (sizes::PORT_HIT, sizes::PATH_HIT) };
        if let Some((id, end)) = selected.and_then(|id| Some((id, self.end_at(id, at, (port / 2.0 / zoom).min(END_REACH))?))) {
            return Target::LinkEnd(id, end);
        }
        // Blocks without text show no ports.
        if zoom >= sizes::ZOOM_BLOCKS
            && let Some(port) = self.port_at(at, (port / 2.0 / zoom).min(sizes::GAP), |_| true)
        {
            return Target::Port(port);
        }
        if let Some(node) = self.node_at(at) {
            let corner = pt(node.rect().right(), node.rect().bottom());
            if node.kind == NodeShape::Note && (corner - at).x.max((corner - at).y) <= sizes::RESIZE_HIT / zoom {
                return Target::Resize(node.id);
            }
            return if node.body_rect().is_some_and(|b| b.contains(at)) { Target::Body(node.id) } else { Target::Node(node.id) };
        }
        self.link_at(at, path / 2.0 / zoom).map_or(Target::Empty, Target::Link)
    }

    /// The topmost node at a world point.
    pub fn node_at(&self, at: Point) -> Option<&SceneNode> {
        let here = self.node_grid.query(&rect(at.x, at.y, 0.0, 0.0));
        let top = here.into_iter().filter_map(|id| self.nodes.get(&NodeId(id)).copied()).max()?;
        self.scene.nodes.get(top)
    }

    /// The port nearest to a world point, at most `reach` away, among those that `accept` allows.
    pub fn port_at(&self, at: Point, reach: f64, accept: impl Fn(Port) -> bool) -> Option<Port> {
        let near = self.node_grid.query(&rect(at.x, at.y, 0.0, 0.0).inflated(reach));
        let nodes = near.into_iter().filter_map(|id| self.node(NodeId(id))).filter(|n| n.has_ports());
        let ports = nodes.flat_map(|n| [(n.id, Side::In, n.port_in()), (n.id, Side::Out, n.port_out())]);
        let reached = ports.map(|(node, side, p)| (p.distance(at), Port { node, side })).filter(|(d, p)| *d <= reach && accept(*p));
        reached.reduce(|a, b| if b.0 < a.0 { b } else { a }).map(|(_, port)| port)
    }

    /// The path nearest to a world point, at most `reach` away.
    pub fn link_at(&self, at: Point, reach: f64) -> Option<LinkId> {
        let near = self.link_grid.query(&rect(at.x, at.y, 0.0, 0.0).inflated(reach));
        let far = near.into_iter().filter_map(|id| self.route(LinkId(id)).map(|r| (r.distance(at), LinkId(id))));
        far.filter(|(d, _)| *d <= reach).reduce(|a, b| if b.0 < a.0 { b } else { a }).map(|(_, id)| id)
    }

    /// Whether a node that `skip` does not exclude overlaps the rectangle.
    pub fn is_taken(&self, r: &Rect, skip: &dyn Fn(NodeId) -> bool) -> bool {
        self.node_grid.any_overlap(r, |id| !skip(NodeId(id)))
    }

    fn end_at(&self, id: LinkId, at: Point, reach: f64) -> Option<End> {
        let points = &self.route(id)?.points;
        let (first, last) = (points.first()?, points.last()?);
        let (from, to) = (first.distance(at), last.distance(at));
        match from.min(to) <= reach {
            true => Some(if from < to { End::From } else { End::To }),
            false => None,
        }
    }

    /// Lays a path anew; whether its course changed.
    fn lay(&mut self, i: usize) -> bool {
        let Some(link) = self.scene.links.get(i).copied() else { return false };
        let near = |region: &Rect, own: [NodeId; 2]| self.obstacles(region, own, &|_| false);
        let course = self.course(i, &|id| self.node(id).cloned(), &near);
        match &course {
            Some((r, looked)) => {
                self.link_grid.insert(link.id.0, r.bounds);
                self.watched.insert(link.id.0, *looked);
            }
            None => {
                self.link_grid.remove(link.id.0);
                self.watched.remove(link.id.0);
            }
        }
        let course = course.map(|(r, _)| r);
        match self.routes.get_mut(i) {
            Some(slot) if *slot != course => {
                *slot = course;
                true
            }
            _ => false,
        }
    }

    fn course(
        &self,
        i: usize,
        place: &dyn Fn(NodeId) -> Option<SceneNode>,
        near: &dyn Fn(&Rect, [NodeId; 2]) -> Vec<Rect>,
    ) -> Option<(Route, Rect)> {
        let link = self.scene.links.get(i)?;
        let (a, b) = (place(link.from)?, place(link.to)?);
        let ends = Ends { from: a.port_out(), to: b.port_in(), from_rect: Some(a.rect()), to_rect: Some(b.rect()) };
        let lane = self.lane(i, &ends, place);
        Some(route(&ends, lane, &|region| self.clear_of(&ends, near(region, [link.from, link.to]))))
    }

    /// The nodes in a region, as obstacles for a path between `own`.
    fn obstacles(&self, region: &Rect, own: [NodeId; 2], skip: &dyn Fn(NodeId) -> bool) -> Vec<Rect> {
        let near = self.node_grid.query(region);
        let others = near.into_iter().filter(|id| !own.contains(&NodeId(*id)) && !skip(NodeId(*id)));
        others.filter_map(|id| self.node_grid.get(id)).collect()
    }

    /// Without those that one of the ports lies in (overlapping cards, a note behind several steps): there is no way around them.
    fn clear_of(&self, ends: &Ends, mut obstacles: Vec<Rect>) -> Vec<Rect> {
        obstacles.retain(|r| !r.contains(ends.from) && !r.contains(ends.to));
        obstacles
    }

    /// Paths that leave one port and turn the same way take lanes: those that lead back turn first, then the farthest, so that none
    /// crosses another.
    fn lane(&self, i: usize, ends: &Ends, place: &dyn Fn(NodeId) -> Option<SceneNode>) -> Lane {
        let alone = Lane::default();
        let Some(link) = self.scene.links.get(i) else { return alone };
        let Some(at) = self.at_node.get(&link.from) else { return alone };
        if at.len() < 2 || at.len() > LANES {
            return alone;
        }
        let mut lane = Lane::default();
        let key = |to: Point, place: usize| (to.x - ends.from.x >= 2.0 * sizes::PATH_LEAD, -(to.y - ends.from.y).abs(), place);
        let mine = key(ends.to, i);
        for (j, other) in at.iter().filter_map(|j| self.scene.links.get(*j).map(|l| (*j, l))).filter(|(_, l)| l.from == link.from) {
            if j < i && other.to == link.to {
                lane.repeat += 1;
            }
            let Some(to) = place(other.to).map(|n| n.port_in()) else { continue };
            let straight = to.x - ends.from.x >= 2.0 * sizes::PATH_LEAD && in_line(ends.from, to);
            if straight || (to.y < ends.from.y) != (ends.to.y < ends.from.y) {
                continue;
            }
            lane.count += 1;
            let theirs = key(to, j);
            if theirs.0.cmp(&mine.0).then(theirs.1.total_cmp(&mine.1)).then(theirs.2.cmp(&mine.2)).is_lt() {
                lane.index += 1;
            }
        }
        lane
    }
}
