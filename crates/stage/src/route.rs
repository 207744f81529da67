//! How a path runs: orthogonal, with round corners, around what is in the way.

use std::fmt::Write as _;

use crate::geometry::{Point, Rect, pt, rect};
use crate::sizes::{ARROW_BEFORE_PORT, ARROW_BREADTH, ARROW_LENGTH, PATH_RADIUS};

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

/// The course between two ends. `lane` counts the paths that leave the same port (0 is the outermost), `blocked` says whether
/// a rectangle crosses some other node.
pub fn route(ends: &Ends, _lane: usize, _blocked: &dyn Fn(&Rect) -> bool) -> Route {
    let mid = (ends.from.x + ends.to.x) / 2.0;
    let points = vec![ends.from, pt(mid, ends.from.y), pt(mid, ends.to.y), ends.to];
    let bounds = Rect::from_corners(ends.from, ends.to).inflated(8.0);
    Route { points, label: ends.from.middle(ends.to), bounds }
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
