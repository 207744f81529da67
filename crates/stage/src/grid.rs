//! A uniform grid over the world: which rectangles touch this one? For culling, hit tests, guides and free places.

use crate::geometry::{Rect, sane};
use crate::quick::QuickMap;

/// Side of a cell. A screen shows about a dozen of them, a card touches one to four.
const CELL: f64 = 512.0;
/// An entry over more cells than this is kept in one list that every query looks through.
const LARGE: i64 = 64;

/// A set of numbered rectangles that answers "which touch this rectangle" in time that depends on the answer, not on the set.
#[derive(Clone, Debug, Default)]
pub struct GridIndex {
    rects: QuickMap<u32, Rect>,
    cells: QuickMap<(i32, i32), Vec<u32>>,
    large: Vec<u32>,
}

/// The cells from `x0, y0` to `x1, y1`, both included.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Span {
    x0: i32,
    y0: i32,
    x1: i32,
    y1: i32,
}

impl Span {
    fn of(r: &Rect) -> Span {
        let cell = |v: f64| (sane(v) / CELL).floor() as i32;
        Span { x0: cell(r.x), y0: cell(r.y), x1: cell(r.right()), y1: cell(r.bottom()) }
    }

    fn count(&self) -> i64 {
        (i64::from(self.x1) - i64::from(self.x0) + 1) * (i64::from(self.y1) - i64::from(self.y0) + 1)
    }

    fn cells(self) -> impl Iterator<Item = (i32, i32)> {
        (self.x0..=self.x1).flat_map(move |x| (self.y0..=self.y1).map(move |y| (x, y)))
    }
}

impl GridIndex {
    /// How many rectangles it holds.
    pub fn len(&self) -> usize {
        self.rects.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.rects.is_empty()
    }

    /// The rectangle under this number.
    pub fn get(&self, id: u32) -> Option<Rect> {
        self.rects.get(&id).copied()
    }

    /// Adds a rectangle, or moves the one that has this number.
    pub fn insert(&mut self, id: u32, r: Rect) {
        let span = Span::of(&r);
        if let Some(old) = self.rects.insert(id, r) {
            let old = Span::of(&old);
            if old == span {
                return;
            }
            self.unlist(id, old);
        }
        if span.count() > LARGE {
            self.large.push(id);
        } else {
            span.cells().for_each(|c| self.cells.entry(c).or_default().push(id));
        }
    }

    /// Removes the rectangle with this number, if there is one.
    pub fn remove(&mut self, id: u32) {
        if let Some(old) = self.rects.remove(&id) {
            self.unlist(id, Span::of(&old));
        }
    }

    fn unlist(&mut self, id: u32, span: Span) {
        if span.count() > LARGE {
            self.large.retain(|i| *i != id);
            return;
        }
        for c in span.cells() {
            if let Some(list) = self.cells.get_mut(&c) {
                list.retain(|i| *i != id);
                if list.is_empty() {
                    self.cells.remove(&c);
                }
            }
        }
    }

    /// The numbers of all rectangles that touch `r` (edges count), ascending: the same set always gives the same list.
    pub fn query(&self, r: &Rect) -> Vec<u32> {
        let mut found = Vec::new();
        self.collect(r, &mut found);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether a rectangle that overlaps `r` by more than an edge satisfies `accept`; stops at the first.
    pub fn any_overlap(&self, r: &Rect, mut accept: impl FnMut(u32) -> bool) -> bool {
        let span = Span::of(r);
        let mut hit = |id: &u32| self.rects.get(id).is_some_and(|o| o.overlaps(r)) && accept(*id);
        if span.count() > self.cells.len() as i64 {
            return self.rects.keys().any(hit);
        }
        self.large.iter().any(&mut hit) || span.cells().any(|c| self.cells.get(&c).is_some_and(|l| l.iter().any(&mut hit)))
    }

    fn collect(&self, r: &Rect, found: &mut Vec<u32>) {
        let span = Span::of(r);
        let touches = |id: &&u32| self.rects.get(id).is_some_and(|o| o.touches(r));
        // A query over more cells than are in use is quicker over the rectangles themselves.
        if span.count() > self.cells.len() as i64 {
            found.extend(self.rects.iter().filter(|(_, o)| o.touches(r)).map(|(id, _)| *id));
            return;
        }
        found.extend(self.large.iter().filter(touches));
        for c in span.cells() {
            if let Some(list) = self.cells.get(&c) {
                found.extend(list.iter().filter(touches));
            }
        }
    }
}
