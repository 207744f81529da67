//! Where a dragged thing settles: alignment guides, equal gaps, the grid.

use crate::geometry::{Point, Rect, pt};
use crate::scene::NodeId;
use crate::sizes::{GRID, SNAP};
use crate::stage::Stage;

/// Screen pixels within which a guide takes hold.
const REACH: f64 = 6.0;
/// Neighbours are looked at up to this many; a denser screen shows no useful guides.
const CROWD: usize = 400;

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

/// Where something settles, and why.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapped {
    /// Its left edge, where a guide holds it.
    pub x: Option<f64>,
    /// Its top edge, where a guide holds it.
    pub y: Option<f64>,
    /// Why.
    pub guides: Guides,
}

/// How far to go from `start` so that a drag by `by` ends on the grid: by whole snaps from a place on the grid, else onto it.
pub fn to_grid(start: f64, by: f64) -> f64 {
    if start.rem_euclid(GRID) == 0.0 {
        return (by / SNAP).round() * SNAP;
    }
    ((start + by) / SNAP).round() * SNAP - start
}

/// Settles `moving` (whose ports are at `port_y` below its top, if it has any) among the nodes of the stage that `skip` does not
/// exclude and that lie within `around`. `zoom` turns the six screen pixels of reach into world units. Edges, middles and port lines
/// come before equal gaps, because a row is worth more than a rhythm.
pub fn snap(stage: &Stage, moving: &Rect, port_y: Option<f64>, around: &Rect, zoom: f64, skip: &dyn Fn(NodeId) -> bool) -> Snapped {
    let mut others = Vec::new();
    for id in stage.within(around).nodes {
        if !skip(id)
            && let Some(node) = stage.node(id)
        {
            others.push((node.rect(), node.has_ports().then(|| node.line())));
        }
    }
    if others.len() > CROWD {
        return Snapped::default();
    }
    let reach = REACH / zoom;
    let across: Vec<Axis> = others.iter().map(|(r, _)| Axis::horizontal(r)).collect();
    let down: Vec<Axis> = others.iter().map(|(r, line)| Axis::vertical(r, *line)).collect();
    let here = Axis::horizontal(moving);
    let x = here.settle(&across, reach);
    let mine = Axis::vertical(moving, port_y.map(|p| moving.y + p));
    let y = mine.settle(&down, reach);

    // Lines and gaps are drawn for where it ends up, so the other axis must be known first.
    let settled = moving.moved(pt(x.unwrap_or(0.0), y.unwrap_or(0.0)));
    let mut guides = Guides::default();
    let here = Axis::horizontal(&settled);
    let mine = Axis::vertical(&settled, port_y.map(|p| settled.y + p));
    if x.is_some() {
        here.explain(&across, &mut guides, &|along, across| pt(along, across));
    }
    if y.is_some() {
        mine.explain(&down, &mut guides, &|along, across| pt(across, along));
    }
    Snapped { x: x.map(|_| settled.x), y: y.map(|_| settled.y), guides }
}

/// A rectangle seen along one axis.
#[derive(Clone, Copy)]
struct Axis {
    low: f64,
    high: f64,
    /// What lines up: edges, and the middle (across) or the port line (down).
    middle: f64,
    /// The extent on the other axis.
    side: (f64, f64),
}

impl Axis {
    fn horizontal(r: &Rect) -> Axis {
        Axis { low: r.x, high: r.right(), middle: r.centre().x, side: (r.y, r.bottom()) }
    }

    fn vertical(r: &Rect, line: Option<f64>) -> Axis {
        Axis { low: r.y, high: r.bottom(), middle: line.unwrap_or(r.centre().y), side: (r.x, r.right()) }
    }

    fn stops(&self) -> [f64; 3] {
        [self.middle, self.low, self.high]
    }

    fn beside(&self, other: &Axis) -> bool {
        self.side.0 < other.side.1 && other.side.0 < self.side.1
    }

    /// By how much to move to the nearest alignment or, without one, to the nearest equal gap.
    fn settle(&self, others: &[Axis], reach: f64) -> Option<f64> {
        let pairs = others.iter().flat_map(|o| self.stops().into_iter().zip(o.stops()).map(|(mine, theirs)| theirs - mine));
        nearest(pairs, reach).or_else(|| nearest(self.gaps(others).into_iter().map(|g| g.by), reach))
    }

    /// The moves that would make equal gaps with the neighbours beside it.
    fn gaps(&self, others: &[Axis]) -> Vec<Gap> {
        let mut row: Vec<&Axis> = others.iter().filter(|o| self.beside(o)).collect();
        row.sort_by(|a, b| a.low.total_cmp(&b.low));
        let mut found = Vec::new();
        let before: Vec<&&Axis> = row.iter().filter(|o| o.high <= self.low + (self.high - self.low) / 2.0).collect();
        let after: Vec<&&Axis> = row.iter().filter(|o| o.low >= self.low + (self.high - self.low) / 2.0).collect();
        let len = self.high - self.low;
        if let (Some(a), Some(b)) = (before.last(), after.first()) {
            let gap = (b.low - a.high - len) / 2.0;
            if gap > 0.0 {
                found.push(Gap { by: a.high + gap - self.low, spans: [(a.high, a.high + gap), (b.low - gap, b.low)] });
            }
        }
        if let [.., a, b] = before.as_slice() {
            let gap = b.low - a.high;
            if gap > 0.0 {
                found.push(Gap { by: b.high + gap - self.low, spans: [(a.high, b.low), (b.high, b.high + gap)] });
            }
        }
        if let [a, b, ..] = after.as_slice() {
            let gap = b.low - a.high;
            if gap > 0.0 {
                found.push(Gap { by: a.low - gap - self.high, spans: [(a.low - gap, a.low), (a.high, b.low)] });
            }
        }
        found
    }

    /// What holds it where it is now.
    fn explain(&self, others: &[Axis], guides: &mut Guides, point: &dyn Fn(f64, f64) -> Point) {
        let before = guides.lines.len();
        for i in 0..3 {
            let Some(at) = self.stops().get(i).copied() else { continue };
            let level = |o: &&Axis| o.stops().get(i).is_some_and(|s| (s - at).abs() < 0.01);
            let held = others.iter().filter(level).map(|o| o.side);
            let (from, to) = held.fold(self.side, |all, s| (all.0.min(s.0), all.1.max(s.1)));
            if (from, to) != self.side {
                guides.lines.push(Guide { from: point(at, from), to: point(at, to) });
            }
        }
        if guides.lines.len() > before {
            return;
        }
        if let Some(gap) = self.gaps(others).into_iter().find(|g| g.by.abs() < 0.01) {
            let level = (self.side.0 + self.side.1) / 2.0;
            guides.gaps.extend(gap.spans.iter().map(|(a, b)| GapHint { from: point(*a, level), to: point(*b, level) }));
        }
    }
}

/// Two equal gaps, and the move that makes them equal.
struct Gap {
    by: f64,
    spans: [(f64, f64); 2],
}

fn nearest(moves: impl Iterator<Item = f64>, reach: f64) -> Option<f64> {
    moves.filter(|m| m.abs() <= reach).reduce(|a, b| if b.abs() < a.abs() { b } else { a })
}
