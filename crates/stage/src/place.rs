//! Where a new or a dropped node goes: free places.

use crate::geometry::{Point, Rect, pt, rect};
use crate::grid::GridIndex;
use crate::scene::{NodeId, NodeShape, SceneNode};
use crate::sizes::{CLEARANCE, GAP, GRID, SNAP};
use crate::stage::Stage;

/// How many snaps around a taken place are tried.
const RINGS: i32 = 48;
/// How many steps below one another are looked past.
const COLUMN: usize = 1000;

/// The top left corner for a new node of this shape after the selected ones, where tidy-up would put it: in the next column, in the
/// row of the first selected one, below what is there already. Never over another. Without a selection it goes after the last step;
/// `fallback` (say, the middle of what shows) is for an empty scene.
pub fn place_after(stage: &Stage, selected: &[NodeId], shape: NodeShape, fallback: Point) -> Point {
    let ported = |n: &&SceneNode| n.has_ports();
    let mut before: Vec<&SceneNode> = selected.iter().filter_map(|id| stage.node(*id)).filter(ported).collect();
    if before.is_empty() {
        let ends = stage.scene().nodes.iter().filter(ported);
        before.extend(ends.reduce(|a, b| if b.rect().right() > a.rect().right() { b } else { a }));
    }
    let size = shape.size();
    let Some(first) = before.first() else {
        let grid = pt((fallback.x / SNAP).round() * SNAP, (fallback.y / SNAP).round() * SNAP);
        return free_place(stage, &rect(grid.x, grid.y, size.x, size.y), &|_| false);
    };
    let right = before.iter().map(|n| n.rect().right()).fold(first.rect().right(), f64::max);
    let mut place = rect(up_to_grid(right + GAP), first.line() - shape.port_y(), size.x, size.y);
    for _ in 0..COLUMN {
        let near = stage.within(&place.inflated(GAP / 2.0 - 1.0)).nodes;
        let low = near.iter().filter_map(|id| stage.node(*id)).map(|n| n.rect().bottom()).reduce(f64::max);
        let Some(low) = low else { return place.origin() };
        place.y = up_to_grid(low + GAP);
    }
    free_place(stage, &place, &|_| false)
}

/// The corner nearest to the rectangle's own where it keeps clear of all nodes but those that `skip` excludes.
pub fn free_place(stage: &Stage, wanted: &Rect, skip: &dyn Fn(NodeId) -> bool) -> Point {
    let below = || stage.scene().bounds().map_or(wanted.y, |b| b.bottom() + GAP);
    search(wanted, &|r| stage.is_taken(&r.inflated(CLEARANCE), skip)).unwrap_or_else(|| pt(wanted.x, up_to_grid(below())))
}

/// The same over an index in which everything counts.
pub(crate) fn free_in(index: &GridIndex, wanted: &Rect) -> Option<Point> {
    search(wanted, &|r| index.any_overlap(&r.inflated(CLEARANCE), |_| true))
}

/// Rings of places on the grid around the wanted one, the nearest of the first ring that has any.
fn search(wanted: &Rect, taken: &dyn Fn(&Rect) -> bool) -> Option<Point> {
    if !taken(wanted) {
        return Some(wanted.origin());
    }
    let start = pt((wanted.x / GRID).round() * GRID, (wanted.y / GRID).round() * GRID);
    let at = |x: i32, y: i32| start + pt(f64::from(x), f64::from(y)) * SNAP;
    let free = |p: &Point| !taken(&rect(p.x, p.y, wanted.w, wanted.h));
    (0..=RINGS).find_map(|ring| {
        // Down before up and right before left, when equally far.
        let sides = (-ring..=ring).flat_map(|i| [at(i, ring), at(ring, i), at(i, -ring), at(-ring, i)]);
        sides.filter(free).reduce(|a, b| if b.distance(wanted.origin()) < a.distance(wanted.origin()) { b } else { a })
    })
}

/// The next multiple of the grid that is not less.
pub(crate) fn up_to_grid(v: f64) -> f64 {
    (v / GRID).ceil() * GRID
}
