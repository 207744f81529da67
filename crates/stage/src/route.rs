//! How a path runs: orthogonal, with round corners, around what is in the way.

use std::fmt::Write as _;

use crate::geometry::{Point, Rect, pt, rect};
use crate::sizes::{ARROW_BEFORE_PORT, ARROW_BREADTH, ARROW_LENGTH, LABEL_H, PATH_LANE, PATH_LEAD, PATH_RADIUS, PATH_TURN};

/// A path's course.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Route {
    /// The corners in the world, from the out port to the in port; neighbours differ in one coordinate only.
    pub points: Vec<Point>,
    /// The middle of the label.
    pub label: Point,
    /// Around the line, its arrow and the middle of its label.
    pub bounds: Rect,
}

impl Route {
    /// The line as an SVG path: `d`.
    pub fn d(&self) -> String {
        let mut d = String::with_capacity(self.points.len() * 40);
        let [first, rest @ ..] = self.points.as_slice() else { return d };
        command(&mut d, 'M', *first);
        let mut before = *first;
        for (i, corner) in rest.iter().enumerate() {
            match rest.get(i + 1) {
                None => command(&mut d, 'L', *corner),
                Some(after) => {
                    let r = PATH_RADIUS.min(before.distance(*corner) / 2.0).min(corner.distance(*after) / 2.0);
                    command(&mut d, 'L', toward(*corner, before, r));
                    command(&mut d, 'Q', *corner);
                    d.push(' ');
                    pair(&mut d, toward(*corner, *after, r));
                }
            }
            before = *corner;
        }
        d
    }

    /// The arrow as a filled SVG path; paths always enter from the left.
    pub fn arrow(&self) -> String {
        let mut d = String::new();
        if let Some(end) = self.points.last() {
            command(&mut d, 'M', pt(end.x - ARROW_BEFORE_PORT, end.y));
            let _ = write!(d, "l-{} -{} v{} z", ARROW_LENGTH, ARROW_BREADTH / 2.0, ARROW_BREADTH);
        }
        d
    }

    /// The same course elsewhere.
    pub fn moved(&self, by: Point) -> Route {
        Route { points: self.points.iter().map(|p| *p + by).collect(), label: self.label + by, bounds: self.bounds.moved(by) }
    }

    /// How far the point is from the line.
    pub fn distance(&self, p: Point) -> f64 {
        self.points.windows(2).map(|w| segment(w).distance(p)).fold(f64::INFINITY, f64::min)
    }
}

/// Where a path starts and ends: its two ports, and the nodes they are on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ends {
    /// The out port.
    pub from: Point,
    /// The in port.
    pub to: Point,
    /// The node it leaves; `None` for a connector that is being drawn backwards from a point.
    pub from_rect: Option<Rect>,
    /// The node it enters; `None` for a connector that is being drawn.
    pub to_rect: Option<Rect>,
}

/// Its place among the paths that leave the same port and turn the same way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    /// 0 turns first.
    pub index: usize,
    /// How many there are; 0 and 1 are the same.
    pub count: usize,
    /// How many earlier paths have the same two ends.
    pub repeat: usize,
}

/// The narrowest free strip a path runs through.
const CHANNEL: f64 = 16.0;
/// The least distance between a path and a node it passes.
const PASS: f64 = 6.0;
/// How far beyond both nodes a path looks for a way around.
const LOOK: f64 = 400.0;
/// A horizontal piece at least this long carries the label on it.
const LABEL_ON_LINE: f64 = 120.0;
/// How far above a short line its label is.
const LABEL_ABOVE: f64 = 18.0;
/// What a crossed node costs, in world units of detour.
const CROSSING_COST: f64 = 100_000.0;

/// The course between two ends. `obstacles` gives the nodes in a region, without the path's own. Also returned: the region looked
/// at; nothing outside it has any influence.
pub fn route(ends: &Ends, lane: Lane, obstacles: &dyn Fn(&Rect) -> Vec<Rect>) -> (Route, Rect) {
    let ends = Ends { from: ends.from.sane(), to: ends.to.sane(), ..*ends };
    let (s, t) = (ends.from, ends.to);
    let mut looked = Rect::from_corners(s, t).inflated(PASS);
    if t.x - s.x >= 2.0 * PATH_LEAD {
        let near = obstacles(&looked);
        if let Some(points) = direct(s, t, lane).into_iter().find(|p| crossed(p, &near) == 0) {
            return (finish(points), looked);
        }
    }
    looked = around(&ends).inflated_xy(2.0 * PATH_TURN + lane.count as f64 * PATH_LANE, LOOK);
    let mut all = obstacles(&looked);
    let mut candidates = if t.x - s.x >= 2.0 * PATH_LEAD { direct(s, t, lane) } else { Vec::new() };
    candidates.extend(through_channels(&ends, lane, &all));
    // Its own nodes are in the way, too, of all but the first and the last piece, which start and end at their edge.
    all.extend(ends.from_rect);
    all.extend(ends.to_rect);
    let cost = |p: &Vec<Point>| length(p) + CROSSING_COST * crossed(p, &all) as f64;
    let best = candidates.into_iter().map(|p| (cost(&p), p)).reduce(|a, b| if b.0 < a.0 { b } else { a });
    (finish(best.map_or_else(|| vec![s, t], |(_, p)| p)), looked)
}

/// Whether a path between the two ports needs no turn.
pub(crate) fn in_line(s: Point, t: Point) -> bool {
    (s.y - t.y).abs() < 1e-6
}

/// The courses with one turn each way, the preferred first.
fn direct(s: Point, t: Point, lane: Lane) -> Vec<Vec<Point>> {
    if lane.repeat > 0 {
        let y = s.y.max(t.y) + PATH_LEAD * lane.repeat as f64;
        return vec![vec![s, pt(s.x + PATH_LEAD, s.y), pt(s.x + PATH_LEAD, y), pt(t.x - PATH_LEAD, y), pt(t.x - PATH_LEAD, t.y), t]];
    }
    if in_line(s, t) {
        return vec![vec![s, t]];
    }
    let room = t.x - s.x;
    let others = lane.count.saturating_sub(1) as f64;
    let spread = (others * PATH_LANE).min((room - 2.0 * PATH_LEAD).max(0.0));
    let start = PATH_TURN.min(room - PATH_LEAD - spread).max(PATH_LEAD);
    let step = if others > 0.0 { spread / others } else { 0.0 };
    let first = s.x + start + step * lane.index as f64;
    let at = |x: f64| vec![s, pt(x, s.y), pt(x, t.y), t];
    if room <= 2.0 * PATH_TURN {
        return vec![at(first)];
    }
    vec![at(first), at(t.x - PATH_TURN), at((s.x + t.x) / 2.0)]
}

/// The courses that leave to the right, run through a free horizontal strip and enter from the left.
fn through_channels(ends: &Ends, lane: Lane, obstacles: &[Rect]) -> Vec<Vec<Point>> {
    let (s, t) = (ends.from, ends.to);
    let index = (lane.index + lane.repeat) as f64;
    let out = if t.x - s.x >= 2.0 * PATH_LEAD { PATH_TURN.min((t.x - s.x) / 2.0) } else { PATH_TURN + index * PATH_LANE };
    let (x1, x2) = (s.x + out, t.x - out);
    let mut taken: Vec<(f64, f64)> = obstacles
        .iter()
        .chain(&ends.from_rect)
        .chain(&ends.to_rect)
        .filter(|r| r.x < x1.max(x2) + PASS && r.right() > x1.min(x2) - PASS)
        .map(|r| (r.y, r.bottom()))
        .collect();
    taken.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut channels = Vec::new();
    let mut low: Option<f64> = None;
    for (top, bottom) in taken {
        match low {
            None => channels.push(top - PATH_TURN - index * PATH_LANE),
            Some(low) if top - low >= CHANNEL => {
                let aside = (index * PATH_LANE).min((top - low) / 2.0 - PASS);
                channels.push((low + top) / 2.0 + aside);
            }
            Some(_) => {}
        }
        low = Some(low.map_or(bottom, |l| l.max(bottom)));
    }
    // Nothing in the way at all happens while a connector is drawn from a point.
    channels.push(low.map_or((s.y + t.y) / 2.0, |l| l + PATH_TURN + index * PATH_LANE));
    channels.into_iter().map(|y| vec![s, pt(x1, s.y), pt(x1, y), pt(x2, y), pt(x2, t.y), t]).collect()
}

/// The rectangle around both ends and their nodes.
fn around(ends: &Ends) -> Rect {
    let line = Rect::from_corners(ends.from, ends.to);
    ends.from_rect.iter().chain(&ends.to_rect).fold(line, |all, r| all.union(r))
}

/// How many times the course comes too near to a node. The outer pieces touch the nodes they start and end at.
fn crossed(points: &[Point], nodes: &[Rect]) -> usize {
    let last = points.len().saturating_sub(2);
    let hits = |i: usize, piece: Rect| {
        let outer = i == 0 || i == last;
        let near = piece.inflated(PASS);
        nodes.iter().filter(|n| n.overlaps(if outer { &piece } else { &near })).count()
    };
    points.windows(2).enumerate().map(|(i, w)| hits(i, thick(w))).sum()
}

/// A piece of a course as a rectangle of some thickness, so that it can overlap something.
fn thick(w: &[Point]) -> Rect {
    let r = segment(w);
    if r.h < r.w { r.inflated_xy(-0.1, 0.1) } else { r.inflated_xy(0.1, -0.1) }
}

fn length(points: &[Point]) -> f64 {
    points.windows(2).map(segment).map(|r| r.w + r.h).sum()
}

/// Drops corners that are none, and works out label and bounds.
fn finish(points: Vec<Point>) -> Route {
    let mut kept: Vec<Point> = Vec::with_capacity(points.len());
    for p in points {
        if kept.last().is_some_and(|l| l.distance(p) < 1e-6) {
            continue;
        }
        if let [.., a, b] = kept.as_slice() {
            let along_x = (a.y - b.y).abs() < 1e-6 && (b.y - p.y).abs() < 1e-6;
            let along_y = (a.x - b.x).abs() < 1e-6 && (b.x - p.x).abs() < 1e-6;
            if along_x || along_y {
                kept.pop();
            }
        }
        kept.push(p);
    }
    let label = label(&kept);
    let middle = rect(label.x, label.y, 0.0, 0.0).inflated(LABEL_H / 2.0);
    let line = Rect::around(kept.iter().map(|p| rect(p.x, p.y, 0.0, 0.0))).unwrap_or(middle);
    Route { bounds: line.inflated(ARROW_BREADTH).union(&middle), points: kept, label }
}

/// On the longest horizontal piece, when it is long; else on the longest vertical one; above a short straight line.
fn label(points: &[Point]) -> Point {
    let pieces: Vec<Rect> = points.windows(2).map(segment).collect();
    let longest = |flat: bool| {
        let length = |r: &Rect| if flat { r.w } else { r.h };
        pieces.iter().filter(|r| (r.w >= r.h) == flat).fold(None::<&Rect>, |best, r| match best {
            Some(b) if length(b) >= length(r) => Some(b),
            _ => Some(r),
        })
    };
    match (longest(true), longest(false)) {
        (Some(flat), _) if flat.w >= LABEL_ON_LINE => flat.centre(),
        (_, Some(steep)) => steep.centre(),
        (Some(flat), None) => flat.centre() - pt(0.0, LABEL_ABOVE),
        (None, None) => points.first().copied().unwrap_or_default(),
    }
}

fn segment(w: &[Point]) -> Rect {
    match w {
        [a, b, ..] => Rect::from_corners(*a, *b),
        _ => rect(0.0, 0.0, 0.0, 0.0),
    }
}

fn toward(from: Point, to: Point, by: f64) -> Point {
    let len = from.distance(to);
    if len < 1e-9 { from } else { from + (to - from) * (by / len) }
}

fn command(d: &mut String, letter: char, p: Point) {
    if !d.is_empty() {
        d.push(' ');
    }
    d.push(letter);
    pair(d, p);
}

fn pair(d: &mut String, p: Point) {
    // Hundredths are enough at 400 %, and keep the markup short.
    let _ = write!(d, "{} {}", (p.x * 100.0).round() / 100.0, (p.y * 100.0).round() / 100.0);
}
