//! What a drag would do if it ended now, and what it does when it ends.

use crate::geometry::{Point, Rect, pt, rect};
use crate::gesture::{DropTarget, End, Intent, Mods, Pick, PointerKind, Port, Side, Target, View};
use crate::machine::What;
use crate::place::free_place;
use crate::quick::QuickSet;
use crate::scene::{LinkId, NodeId, NodeShape};
use crate::sizes;
use crate::snap::{Guides, snap, to_grid};

impl View<'_> {
    /// What is under a screen point.
    pub(crate) fn hit(&self, at: Point, kind: PointerKind) -> Target {
        // Only the one selected path shows its ends, and only where they can be moved.
        let mut links = self.selection.iter().filter_map(|p| if let Pick::Link(l) = p { Some(*l) } else { None });
        let only = links.next().filter(|_| self.selection.len() == 1 && !self.read_only);
        let target = self.stage.hit(self.viewport.to_world(at.sane()), self.viewport.zoom, kind, only);
        match target {
            Target::Port(p) if self.read_only => Target::Node(p.node),
            Target::Resize(n) if self.read_only => Target::Node(n),
            other => other,
        }
    }

    /// Whether a screen point lies on the stage.
    pub(crate) fn contains(&self, at: Point) -> bool {
        rect(0.0, 0.0, self.width, self.height).contains(at)
    }

    /// The nodes that satisfy `accept`, in the scene's order.
    pub(crate) fn in_order(&self, accept: impl Fn(NodeId) -> bool) -> Vec<NodeId> {
        self.stage.scene().nodes.iter().map(|n| n.id).filter(|id| accept(*id)).collect()
    }

    /// A length on the screen in world units.
    fn world(&self, pixels: f64) -> f64 {
        pixels / self.viewport.zoom
    }
}

/// What letting go would do now.
pub(crate) fn preview(what: &What, start: Point, at: Point, mods: Mods, view: &View<'_>) -> Intent {
    let now = view.viewport.to_world(at);
    let free = mods.command();
    match what {
        What::Box { add } => {
            let rect = Rect::from_corners(start, now);
            Intent::BoxPreview { rect, ids: view.stage.within(&rect).nodes, add: *add }
        }
        What::Nodes { primary, ids } => moved_nodes(*primary, ids, now - start, now, free, view),
        What::Connector { from } => {
            let (to, target) = connection(opposite(from.side), Some(from.node), now, view);
            Intent::ConnectPreview { from: *from, to, target }
        }
        What::LinkEnd { link, end } => {
            let (to, target) = connection(side_of(*end), other_end(*link, *end, view), now, view);
            Intent::ReconnectPreview { link: *link, end: *end, to, target }
        }
        What::Corner { id } => {
            let size = view.stage.node(*id).map_or(Point::default(), |n| pt(n.rect().w, n.rect().h)) + (now - start);
            let step = |v: f64| if free { v.round() } else { (v / sizes::GRID).round() * sizes::GRID };
            Intent::ResizePreview { id: *id, w: step(size.x).max(sizes::NOTE_MIN_W), h: step(size.y).max(sizes::NOTE_MIN_H) }
        }
        What::Item { shape, into_body } => item(*shape, *into_body, at, now, free, view),
    }
}

/// What letting go does, given the preview that was shown last; [`Intent::Cancel`] when that is nothing.
pub(crate) fn commit(what: &What, shown: Option<Intent>, now: Point, view: &View<'_>) -> Intent {
    match shown {
        Some(Intent::BoxPreview { ids, add, .. }) => Intent::BoxCommit { ids, add },
        Some(Intent::DragPreview { ids, dx, dy, onto, .. }) if dx != 0.0 || dy != 0.0 || onto.is_some() => {
            Intent::DragCommit { ids, dx, dy, onto }
        }
        Some(Intent::ConnectPreview { from, target: Some(other), .. }) => match from.side {
            Side::Out => Intent::ConnectCommit { from: from.node, to: other },
            Side::In => Intent::ConnectCommit { from: other, to: from.node },
        },
        Some(Intent::ConnectPreview { from, target: None, .. }) => {
            // Back on the node it came from, or off the stage: changed their mind.
            let undecided = view.stage.node_at(now).is_some() || !view.contains(view.viewport.to_screen(now));
            if undecided { Intent::Cancel } else { Intent::ConnectToEmpty { from, at: now } }
        }
        Some(Intent::ReconnectPreview { link, end, target: Some(node), .. }) if this_end(link, end, view) != Some(node) => {
            Intent::ReconnectCommit { link, end, node }
        }
        Some(Intent::ResizePreview { id, w, h }) => {
            let same = view.stage.node(id).is_none_or(|n| n.w == w && n.h == h);
            if same { Intent::Cancel } else { Intent::ResizeCommit { id, w, h } }
        }
        Some(Intent::DropPreview { target, .. }) if target != DropTarget::Nowhere && matches!(what, What::Item { .. }) => {
            Intent::DropCommit { target }
        }
        _ => Intent::Cancel,
    }
}

fn moved_nodes(primary: NodeId, ids: &[NodeId], by: Point, now: Point, free: bool, view: &View<'_>) -> Intent {
    let nodes = || ids.iter().filter_map(|id| view.stage.node(*id));
    let Some(block) = Rect::around(nodes().map(|n| n.rect())) else { return Intent::Cancel };
    let (mut delta, mut guides) = (pt(by.x.round(), by.y.round()), Guides::default());
    if !free {
        let line = view.stage.node(primary).filter(|n| n.has_ports()).map(|n| n.line() - block.y);
        let moving: QuickSet<NodeId> = ids.iter().copied().collect();
        let around = view.viewport.world_rect(view.width, view.height);
        let settled = snap(view.stage, &block.moved(by), line, &around, view.viewport.zoom, &|id| moving.contains(&id));
        delta = pt(
            settled.x.map_or_else(|| to_grid(block.x, by.x), |x| x - block.x),
            settled.y.map_or_else(|| to_grid(block.y, by.y), |y| y - block.y),
        );
        guides = settled.guides;
    }
    let onto = match ids {
        [one] if view.stage.node(*one).is_some_and(|n| n.has_ports()) && view.stage.links_of(*one).is_empty() => {
            view.stage.link_at(now, view.world(sizes::PATH_HIT))
        }
        _ => None,
    };
    Intent::DragPreview { ids: ids.to_vec(), dx: delta.x, dy: delta.y, guides, onto }
}

/// The free end of a connector, and the node it would hang on: the nearest port of the wanted side, or the node under the pointer.
/// The node at the other end counts only by its port, else a path to itself would come about by accident.
fn connection(side: Side, other: Option<NodeId>, now: Point, view: &View<'_>) -> (Point, Option<NodeId>) {
    let port = |id: NodeId| {
        let node = view.stage.node(id)?;
        Some(if side == Side::In { node.port_in() } else { node.port_out() })
    };
    let near = view.stage.port_at(now, view.world(sizes::CONNECT_SNAP), |p: Port| p.side == side).map(|p| p.node);
    let over = || view.stage.node_at(now).filter(|n| n.has_ports() && Some(n.id) != other).map(|n| n.id);
    let target = near.or_else(over);
    (target.and_then(port).unwrap_or(now), target)
}

fn opposite(side: Side) -> Side {
    match side {
        Side::In => Side::Out,
        Side::Out => Side::In,
    }
}

fn side_of(end: End) -> Side {
    match end {
        End::From => Side::Out,
        End::To => Side::In,
    }
}

fn this_end(link: LinkId, end: End, view: &View<'_>) -> Option<NodeId> {
    view.stage.link(link).map(|l| if end == End::From { l.from } else { l.to })
}

fn other_end(link: LinkId, end: End, view: &View<'_>) -> Option<NodeId> {
    view.stage.link(link).map(|l| if end == End::From { l.to } else { l.from })
}

/// An item of the palette at the pointer: the pointer holds it in the middle of its port line.
fn item(shape: NodeShape, into_body: bool, at: Point, now: Point, free: bool, view: &View<'_>) -> Intent {
    let size = shape.size();
    let held = rect(now.x - size.x / 2.0, now.y - shape.port_y(), size.x, size.y);
    let plain = |rect: Rect, target: DropTarget| Intent::DropPreview { rect, target, guides: Guides::default() };
    if !view.contains(at) {
        return plain(held, DropTarget::Nowhere);
    }
    let over = view.stage.node_at(now);
    if let Some((id, body)) = over.and_then(|n| Some((n.id, n.body_rect()?)))
        && into_body
        && body.contains(now)
    {
        return plain(body, DropTarget::IntoBody(id));
    }
    let line = (shape != NodeShape::Note).then_some(shape.port_y());
    if line.is_some()
        && over.is_none()
        && let Some(link) = view.stage.link_at(now, view.world(sizes::PATH_HIT))
    {
        let on = held.moved(pt(to_grid(0.0, held.x) - held.x, to_grid(0.0, held.y) - held.y));
        return plain(on, DropTarget::OnLink(link, on.origin()));
    }
    let (mut place, mut guides) = (rect(held.x.round(), held.y.round(), held.w, held.h), Guides::default());
    if !free {
        let around = view.viewport.world_rect(view.width, view.height);
        let settled = snap(view.stage, &held, line, &around, view.viewport.zoom, &|_| false);
        place.x = settled.x.unwrap_or_else(|| to_grid(0.0, held.x));
        place.y = settled.y.unwrap_or_else(|| to_grid(0.0, held.y));
        guides = settled.guides;
    }
    let landing = free_place(view.stage, &place, &|_| false);
    if landing != place.origin() {
        guides = Guides::default();
    }
    Intent::DropPreview { rect: rect(landing.x, landing.y, place.w, place.h), target: DropTarget::At(landing), guides }
}
