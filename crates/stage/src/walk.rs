//! Walking over the stage by keyboard.

use crate::scene::{NodeId, Scene};

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

/// The nearest neighbour in a direction; `None` at the edge. What lies in line is nearer than what lies aside.
pub fn nearest(_scene: &Scene, _from: NodeId, _direction: Direction) -> Option<NodeId> {
    None
}

/// All nodes in flow order (Page Down walks it): a step comes after those that lead to it, except around loops; ties in the
/// scene's order; notes last.
pub fn flow_order(scene: &Scene) -> Vec<NodeId> {
    scene.nodes.iter().map(|n| n.id).collect()
}
