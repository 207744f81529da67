//! Tidy-up: steps in columns from left to right, the main line straight, branches below it.

use crate::geometry::{Point, Rect, pt, sane};
use crate::graph::Graph;
use crate::grid::GridIndex;
use crate::place::{free_in, up_to_grid};
use crate::quick::{QuickMap, QuickSet};
use crate::scene::{NodeId, NodeShape, Scene, SceneNode};
use crate::sizes::{CLEARANCE, GAP, GRID, PATH_LEAD};

/// Two steps whose rows differ by less than this look like a mistake.
const ALMOST: f64 = 24.0;
/// Height of the free strip that a path over several columns gets in each.
const STRIP: f64 = 16.0;
/// Beyond this many such strips long paths get none.
const STRIPS: usize = 20_000;

/// A node that tidy-up moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// The node.
    pub id: NodeId,
    /// Its new top left corner.
    pub at: Point,
}

/// The moves that make the scene tidy. Only nodes that move are listed, in the scene's order; a tidy scene gives none. The same
/// scene always gives the same moves.
///
/// Each connected part stands for itself. One that is tidy (on the grid, clear of others, leading right or to a lower row) stays
/// as it is; another is laid out in columns around its first step, which stays where it is, and goes below what it would cover.
/// Unconnected steps and notes move only when something covers them. A part with a fixed node is left alone.
pub fn tidy(scene: &Scene) -> Vec<Placed> {
    let graph = Graph::of(scene);
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for (i, part) in graph.part.iter().enumerate() {
        match parts.get_mut(*part) {
            Some(list) => list.push(i),
            None => parts.push(vec![i]),
        }
    }
    let rects: Vec<Rect> = scene.nodes.iter().map(SceneNode::rect).collect();
    let mut state = Tidy { scene, graph: &graph, rects, placed: GridIndex::default() };
    let note = |part: &Vec<usize>| part.iter().any(|i| scene.nodes.get(*i).is_some_and(|n| n.kind == NodeShape::Note));
    let (flows, rest): (Vec<_>, Vec<_>) = parts.into_iter().partition(|p| p.len() > 1);
    let (notes, singles): (Vec<_>, Vec<_>) = rest.into_iter().partition(note);
    let lay: Vec<Vec<usize>> = flows.into_iter().filter(|part| !state.keep(part)).collect();
    lay.iter().for_each(|part| state.lay(part));
    singles.iter().chain(&notes).flatten().for_each(|i| state.single(*i));
    state.moves()
}

struct Tidy<'a> {
    scene: &'a Scene,
    graph: &'a Graph,
    /// Where each node is, by now.
    rects: Vec<Rect>,
    /// The nodes that have their place.
    placed: GridIndex,
}

impl Tidy<'_> {
    fn rect(&self, i: usize) -> Rect {
        self.rects.get(i).copied().unwrap_or_default()
    }

    fn node(&self, i: usize) -> Option<&SceneNode> {
        self.scene.nodes.get(i)
    }

    fn port_y(&self, i: usize) -> f64 {
        self.node(i).map_or(0.0, |n| sane(n.port_y))
    }

    fn put(&mut self, i: usize, at: Point) {
        if let Some(r) = self.rects.get_mut(i) {
            (r.x, r.y) = (at.x, at.y);
            self.placed.insert(i as u32, *r);
        }
    }

    /// Leaves a part where it is, if it is tidy there (or must not be moved).
    fn keep(&mut self, part: &[usize]) -> bool {
        let fixed = part.iter().any(|i| self.node(*i).is_some_and(|n| n.fixed));
        let keep = fixed || self.is_tidy(part);
        if keep {
            part.iter().for_each(|i| self.put(*i, self.rect(*i).origin()));
        }
        keep
    }

    fn is_tidy(&self, part: &[usize]) -> bool {
        let on_grid = |v: f64| v.rem_euclid(GRID) == 0.0;
        let mut own = GridIndex::default();
        for i in part {
            let r = self.rect(*i);
            let near = r.inflated(CLEARANCE);
            let placed = on_grid(r.x) && (on_grid(r.y) || on_grid(r.y + self.port_y(*i)));
            if !placed || own.any_overlap(&near, |_| true) || self.placed.any_overlap(&near, |_| true) {
                return false;
            }
            own.insert(*i as u32, r);
        }
        part.iter().all(|i| self.graph.next(*i).iter().all(|j| self.leads_on(*i, *j)))
    }

    /// Whether the path from one step to the next reads well: to the right, or on to a lower row like a line of text.
    fn leads_on(&self, i: usize, j: usize) -> bool {
        let (a, b) = (self.rect(i), self.rect(j));
        let alone = self.graph.next(i).len() == 1 && self.graph.before(j).len() == 1;
        let off = (a.y + self.port_y(i) - b.y - self.port_y(j)).abs();
        let right = b.x >= a.right() + 2.0 * PATH_LEAD && !(alone && off > 0.0 && off < ALMOST);
        right || b.y >= a.bottom() + CLEARANCE
    }

    /// An unconnected node: stays unless something covers it.
    fn single(&mut self, i: usize) {
        let r = self.rect(i);
        let fixed = self.node(i).is_some_and(|n| n.fixed);
        let at = if fixed { Some(r.origin()) } else { free_in(&self.placed, &r) };
        let at = at.unwrap_or_else(|| self.below(&r));
        self.put(i, at);
    }

    fn below(&self, r: &Rect) -> Point {
        let low = self.rects.iter().map(Rect::bottom).fold(r.y, f64::max);
        pt(r.x, up_to_grid(low + GAP))
    }

    /// Lays a part out around its first step and moves it below what it would cover.
    fn lay(&mut self, part: &[usize]) {
        let columns = Columns::new(self, part);
        let places = columns.places();
        let Some((first, origin)) = places.first().copied() else { return };
        let anchor = pt((self.rect(first).x / GRID).round() * GRID, (self.rect(first).y / GRID).round() * GRID);
        let mut shift = anchor - origin;
        shift.y = ((anchor.y + self.port_y(first)) / GRID).round() * GRID - (origin.y + self.port_y(first));
        let at = |i: usize, p: Point| Rect { x: p.x, y: p.y, ..self.rect(i) };
        let block = Rect::around(places.iter().map(|(i, p)| at(*i, *p))).unwrap_or_default();
        loop {
            let here = block.moved(shift).inflated(GAP / 2.0);
            let low = self.placed.query(&here).into_iter().filter_map(|i| self.placed.get(i)).filter(|r| r.overlaps(&here));
            match low.map(|r| r.bottom()).reduce(f64::max) {
                // Strictly farther down each time, so it comes to an end.
                Some(low) => shift.y += up_to_grid(low + GAP - (block.y + shift.y)).max(GRID),
                None => break,
            }
        }
        places.into_iter().for_each(|(i, p)| self.put(i, p + shift));
    }

    fn moves(&self) -> Vec<Placed> {
        let pairs = self.scene.nodes.iter().zip(&self.rects);
        pairs.filter(|(n, r)| n.rect().origin() != r.origin()).map(|(n, r)| Placed { id: n.id, at: r.origin() }).collect()
    }
}

/// What stands in a column: a step, or the strip that a long path passes through.
struct Item {
    node: Option<usize>,
    height: f64,
    port_y: f64,
    width: f64,
    /// Where it is now; neighbours with equal claims keep their order.
    y: f64,
    before: Vec<usize>,
    next: Vec<usize>,
    line: f64,
}

impl Item {
    fn top(&self) -> f64 {
        self.line - self.port_y
    }

    fn bottom(&self) -> f64 {
        self.top() + self.height
    }
}

/// A part in columns.
struct Columns {
    items: Vec<Item>,
    columns: Vec<Vec<usize>>,
}

impl Columns {
    fn new(tidy: &Tidy<'_>, part: &[usize]) -> Columns {
        let graph = tidy.graph;
        let inside: QuickSet<usize> = part.iter().copied().collect();
        let order: Vec<usize> = graph.order.iter().copied().filter(|i| inside.contains(i)).collect();
        let column = columns_of(graph, &order);

        let mut me = Columns { items: Vec::new(), columns: Vec::new() };
        let mut item_of = QuickMap::default();
        for i in &order {
            let (r, column) = (tidy.rect(*i), column.get(i).copied().unwrap_or(0));
            let (port_y, y) = (tidy.port_y(*i), r.y + tidy.port_y(*i));
            item_of.insert(*i, me.add(column, Item::new(Some(*i), r, port_y, y)));
        }
        let span = |i: &usize, j: &usize| column.get(j).copied().unwrap_or(0).saturating_sub(column.get(i).copied().unwrap_or(0));
        let strips: usize = order.iter().flat_map(|i| graph.next(*i).iter().map(|j| span(i, j).saturating_sub(1))).sum();
        for i in &order {
            for j in graph.next(*i) {
                let (Some(mut from), Some(to)) = (item_of.get(i).copied(), item_of.get(j).copied()) else { continue };
                if strips <= STRIPS {
                    for c in 1..span(i, j) {
                        let y = tidy.rect(*j).y + tidy.port_y(*j);
                        let strip = Rect { x: 0.0, y: 0.0, w: 0.0, h: STRIP };
                        let at = column.get(i).copied().unwrap_or(0) + c;
                        let passing = me.add(at, Item::new(None, strip, STRIP / 2.0, y));
                        me.join(from, passing);
                        from = passing;
                    }
                }
                me.join(from, to);
            }
        }
        me.rows();
        me.straighten();
        me
    }

    fn add(&mut self, column: usize, item: Item) -> usize {
        while self.columns.len() <= column {
            self.columns.push(Vec::new());
        }
        self.items.push(item);
        let i = self.items.len() - 1;
        if let Some(list) = self.columns.get_mut(column) {
            list.push(i);
        }
        i
    }

    fn join(&mut self, a: usize, b: usize) {
        if let Some(item) = self.items.get_mut(a) {
            item.next.push(b);
        }
        if let Some(item) = self.items.get_mut(b) {
            item.before.push(a);
        }
    }

    fn line(&self, i: usize) -> f64 {
        self.items.get(i).map_or(0.0, |item| item.line)
    }

    /// The row that what leads here asks for: the topmost, so that the main line stays straight.
    fn wanted(&self, i: usize) -> Option<f64> {
        self.items.get(i)?.before.iter().map(|b| self.line(*b)).reduce(f64::min)
    }

    /// Gives every item its row, column by column: in the order of the middles of what leads to it, each as high as it may be.
    fn rows(&mut self) {
        for c in 0..self.columns.len() {
            let Some(mut column) = self.columns.get(c).cloned() else { continue };
            let key = |i: usize| {
                let Some(item) = self.items.get(i) else { return (0.0, false, 0.0) };
                let middle = match item.before.len() {
                    // What nothing leads to goes below the rest, except in the first column, where nothing leads anywhere.
                    0 if c > 0 => f64::MAX,
                    0 => 0.0,
                    n => item.before.iter().map(|b| self.line(*b)).sum::<f64>() / n as f64,
                };
                (middle, item.node.is_none(), item.y)
            };
            let mut keyed: Vec<((f64, bool, f64), usize)> = column.iter().map(|i| (key(*i), *i)).collect();
            keyed.sort_by(|(a, i), (b, j)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.total_cmp(&b.2)).then(i.cmp(j)));
            column = keyed.into_iter().map(|(_, i)| i).collect();
            let mut low: Option<f64> = None;
            for i in &column {
                let wanted = self.wanted(*i);
                let Some(item) = self.items.get_mut(*i) else { continue };
                let least = low.map(|l| up_to_grid(l + item.port_y));
                item.line = match (wanted, least) {
                    (Some(w), Some(l)) if w >= l => w,
                    // Pushed down: enough that it does not look like a mistake.
                    (Some(w), Some(l)) => l.max(w + ALMOST),
                    (Some(w), None) => w,
                    (None, Some(l)) => l,
                    (None, None) => 0.0,
                };
                low = Some(item.bottom() + if item.node.is_some() { GAP } else { STRIP });
            }
            if let Some(slot) = self.columns.get_mut(c) {
                *slot = column;
            }
        }
    }

    /// Moves steps down to the row of what follows them, where there is room: a bend belongs where paths part, not in mid-line.
    fn straighten(&mut self) {
        for column in self.columns.clone().into_iter().rev() {
            let mut limit = f64::INFINITY;
            for i in column.iter().rev() {
                let followers = self.items.get(*i).map_or(&[][..], |item| item.next.as_slice());
                let mine = self.line(*i);
                let led = followers.iter().filter(|n| self.items.get(**n).is_some_and(|f| f.before.first() == Some(i)));
                let row = led.map(|n| self.line(*n)).reduce(f64::min).filter(|row| *row > mine);
                let Some(item) = self.items.get_mut(*i) else { continue };
                let gap = if item.node.is_some() { GAP } else { STRIP };
                if let Some(row) = row
                    && row - item.port_y + item.height + gap <= limit
                {
                    item.line = row;
                }
                limit = item.top();
            }
        }
    }

    /// The corner of every step, the first step of the flow first.
    fn places(&self) -> Vec<(usize, Point)> {
        let mut places = Vec::new();
        let mut x = 0.0;
        for column in &self.columns {
            let steps = column.iter().filter_map(|i| self.items.get(*i));
            let mut width = 0.0f64;
            for item in steps {
                width = width.max(item.width);
                places.extend(item.node.map(|n| (n, pt(x, item.top()))));
            }
            x = up_to_grid(x + width + GAP);
        }
        places
    }
}

impl Item {
    fn new(node: Option<usize>, r: Rect, port_y: f64, y: f64) -> Item {
        Item { node, height: r.h, port_y, width: r.w, y, before: Vec::new(), next: Vec::new(), line: 0.0 }
    }
}

/// The column of each node: one after the last of those that lead to it. A step that nothing leads to stands right before what it
/// leads to.
fn columns_of(graph: &Graph, order: &[usize]) -> QuickMap<usize, usize> {
    let mut column = QuickMap::default();
    for i in order {
        let after = graph.before(*i).iter().filter_map(|b| column.get(b)).max().map_or(0, |c: &usize| c + 1);
        column.insert(*i, after);
    }
    for i in order {
        if graph.before(*i).is_empty()
            && let Some(next) = graph.next(*i).iter().filter_map(|n| column.get(n)).min().copied()
        {
            column.insert(*i, next.saturating_sub(1));
        }
    }
    column
}
