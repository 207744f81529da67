//! Where a dragged thing settles: alignment guides, equal gaps, the grid.

use crate::geometry::{Point, Rect};
use crate::stage::Stage;

/// A line that shows what something is aligned with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guide {
    /// One end in the world.
    pub from: Point,
    /// The other end: straight below it or to its right.
    pub to: Point,
}

/// A gap that equals another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GapHint {
    /// One side of the gap in the world.
    pub from: Point,
    /// The other side.
    pub to: Point,
}

/// What to draw while something settles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Guides {
    /// Lines along aligned edges, middles and ports.
    pub lines: Vec<Guide>,
    /// Equal gaps, both (or all) of them.
    pub gaps: Vec<GapHint>,
}

/// A settled rectangle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapped {
    /// By how much to move it further.
    pub by: Point,
    /// Why.
    pub guides: Guides,
}

/// Settles `moving` (whose ports are at `port_y` below its top, if it has any) among the nodes of the stage that `skip` does not
/// exclude and that lie within `around`. `zoom` turns the six screen pixels of reach into world units.
pub fn snap(
    _stage: &Stage,
    _moving: &Rect,
    _port_y: Option<f64>,
    _around: &Rect,
    _zoom: f64,
    _skip: &dyn Fn(crate::NodeId) -> bool,
) -> Snapped {
    Snapped::default()
}
