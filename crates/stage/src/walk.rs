//! Walking over the stage by keyboard.

use crate::graph::Graph;
use crate::scene::{NodeId, NodeShape, Scene};

/// An arrow key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Left.
    Left,
    /// Right.
    Right,
    /// Up.
    Up,
    /// Down.
    Down,
}

/// How much farther aside counts than ahead.
const ASIDE: f64 = 2.0;

/// The nearest neighbour in a direction; `None` at the edge. What lies in line is nearer than what lies aside, and what lies more
/// aside than ahead is not in that direction at all, unless nothing else is.
pub fn nearest(scene: &Scene, from: NodeId, direction: Direction) -> Option<NodeId> {
    let start = scene.nodes.iter().find(|n| n.id == from)?;
    let middle = |x: f64, w: f64| x + w / 2.0;
    let mut best: Option<((bool, f64), NodeId)> = None;
    for node in scene.nodes.iter().filter(|n| n.id != from) {
        let dx = middle(node.rect().x, node.rect().w) - middle(start.rect().x, start.rect().w);
        let dy = node.line() - start.line();
        let (ahead, aside) = match direction {
            Direction::Left => (-dx, dy.abs()),
            Direction::Right => (dx, dy.abs()),
            Direction::Up => (-dy, dx.abs()),
            Direction::Down => (dy, dx.abs()),
        };
        if ahead < 1.0 {
            continue;
        }
        let key = (aside > ahead, ahead + ASIDE * aside);
        if best.is_none_or(|(b, _)| (key.0, key.1) < b) {
            best = Some((key, node.id));
        }
    }
    best.map(|(_, id)| id)
}

/// All nodes in flow order (Page Down walks it): a step comes after those that lead to it, except around loops; a branch is walked
/// to its end before the next; ties in the scene's order; notes last.
pub fn flow_order(scene: &Scene) -> Vec<NodeId> {
    let order = Graph::of(scene).order;
    let nodes = || order.iter().filter_map(|i| scene.nodes.get(*i));
    let is_note = |kind: NodeShape| kind == NodeShape::Note;
    let mut ids: Vec<NodeId> = nodes().filter(|n| !is_note(n.kind)).map(|n| n.id).collect();
    ids.extend(nodes().filter(|n| is_note(n.kind)).map(|n| n.id));
    ids
}
