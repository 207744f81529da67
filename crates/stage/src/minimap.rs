//! The small picture of the whole: where things are on it.

use crate::geometry::{Point, Rect, Viewport, pt, rect};

/// Turns world coordinates into a small map's, and back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Minimap {
    map: Viewport,
}

impl Minimap {
    /// A map of `width` by `height` pixels, `pad` of them free at the border, that shows `content` and what the stage shows now.
    pub fn new(content: Option<Rect>, view: &Rect, width: f64, height: f64, pad: f64) -> Minimap {
        let all = content.map_or(*view, |c| c.union(view));
        Minimap { map: Viewport::fit(&all, width, height, pad, 0.25) }
    }

    /// Pixels of the map per world unit.
    pub fn scale(&self) -> f64 {
        self.map.zoom
    }

    /// A world point on the map.
    pub fn to_map(&self, world: Point) -> Point {
        self.map.to_screen(world)
    }

    /// A point of the map in the world.
    pub fn to_world(&self, map: Point) -> Point {
        self.map.to_world(map)
    }

    /// A world rectangle on the map, at least 2 by 2 pixels so that it can be seen.
    pub fn rect(&self, world: &Rect) -> Rect {
        let r = self.map.rect_to_screen(world);
        rect(r.x, r.y, r.w.max(2.0), r.h.max(2.0))
    }

    /// The viewport that has the map's point in the middle: what a click or a drag on the map asks for.
    pub fn look_at(&self, map: Point, view: &Viewport, width: f64, height: f64) -> Viewport {
        let p = self.to_world(map);
        Viewport::centred(pt(p.x, p.y), width, height, view.zoom)
    }
}
