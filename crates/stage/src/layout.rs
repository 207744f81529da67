//! Tidy-up, and the place for a new step.

use crate::geometry::{Point, Rect};
use crate::scene::{NodeId, NodeShape, Scene};
use crate::stage::Stage;

/// A node that tidy-up moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// The node.
    pub id: NodeId,
    /// Its new top left corner.
    pub at: Point,
}

/// The moves that make the scene tidy: steps in layers from left to right, rows by their ports, nothing overlapping. Only nodes that
/// move are listed, in the scene's order; a tidy scene gives none. The same scene always gives the same moves.
pub fn tidy(_scene: &Scene) -> Vec<Placed> {
    Vec::new()
}

/// The top left corner for a new node of this shape after the selected ones, where tidy-up would put it; never over another.
/// Without a selection it goes after the last step; `fallback` is for an empty scene.
pub fn place_after(_stage: &Stage, _selected: &[NodeId], _shape: NodeShape, fallback: Point) -> Point {
    fallback
}

/// The corner nearest to the rectangle's own where it keeps clear of all nodes but those that `skip` excludes.
pub fn free_place(_stage: &Stage, wanted: &Rect, _skip: &dyn Fn(NodeId) -> bool) -> Point {
    wanted.origin()
}
