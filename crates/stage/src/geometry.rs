//! Points, rectangles and the viewport. World units are CSS pixels at 100 % zoom.

use std::ops::{Add, Mul, Sub};

/// The smallest zoom a person can reach. Fitting may go lower, to [`FIT_ZOOM_MIN`].
pub const ZOOM_MIN: f64 = 0.05;
/// The greatest zoom.
pub const ZOOM_MAX: f64 = 4.0;
/// The smallest zoom that fitting chooses.
pub const FIT_ZOOM_MIN: f64 = 0.005;
/// What `+` and `-` walk through.
pub const ZOOM_STEPS: [f64; 8] = [0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0];
/// Positions beyond this are pulled back, so that a file with absurd numbers cannot break arithmetic.
pub const WORLD_LIMIT: f64 = 10_000_000.0;

/// A point, or a distance in both directions. Also used for screen coordinates (relative to the stage's top left corner).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Downwards.
    pub y: f64,
}

/// Short for `Point { x, y }`.
pub const fn pt(x: f64, y: f64) -> Point {
    Point { x, y }
}

impl Point {
    /// The length of the straight line to `other`.
    pub fn distance(self, other: Point) -> f64 {
        let d = self - other;
        (d.x * d.x + d.y * d.y).sqrt()
    }

    /// The point half way to `other`.
    pub fn middle(self, other: Point) -> Point {
        pt((self.x + other.x) / 2.0, (self.y + other.y) / 2.0)
    }

    /// The same point, with what is not a number made 0 and the rest kept within [`WORLD_LIMIT`].
    pub fn sane(self) -> Point {
        pt(sane(self.x), sane(self.y))
    }
}

impl Add for Point {
    type Output = Point;
    fn add(self, o: Point) -> Point {
        pt(self.x + o.x, self.y + o.y)
    }
}

impl Sub for Point {
    type Output = Point;
    fn sub(self, o: Point) -> Point {
        pt(self.x - o.x, self.y - o.y)
    }
}

impl Mul<f64> for Point {
    type Output = Point;
    fn mul(self, k: f64) -> Point {
        pt(self.x * k, self.y * k)
    }
}

/// A coordinate from outside made usable: not a number becomes 0, the rest stays within [`WORLD_LIMIT`].
pub fn sane(v: f64) -> f64 {
    if v.is_nan() { 0.0 } else { v.clamp(-WORLD_LIMIT, WORLD_LIMIT) }
}

/// A rectangle by its top left corner; width and height are never negative when built by [`Rect::from_corners`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
}

/// Short for `Rect { x, y, w, h }`.
pub const fn rect(x: f64, y: f64, w: f64, h: f64) -> Rect {
    Rect { x, y, w, h }
}

impl Rect {
    /// The rectangle with `a` and `b` as opposite corners, whichever way they lie.
    pub fn from_corners(a: Point, b: Point) -> Rect {
        rect(a.x.min(b.x), a.y.min(b.y), (a.x - b.x).abs(), (a.y - b.y).abs())
    }

    /// The right edge.
    pub fn right(&self) -> f64 {
        self.x + self.w
    }

    /// The bottom edge.
    pub fn bottom(&self) -> f64 {
        self.y + self.h
    }

    /// The top left corner.
    pub fn origin(&self) -> Point {
        pt(self.x, self.y)
    }

    /// The middle.
    pub fn centre(&self) -> Point {
        pt(self.x + self.w / 2.0, self.y + self.h / 2.0)
    }

    /// Whether the point lies inside or on the edge.
    pub fn contains(&self, p: Point) -> bool {
        p.x >= self.x && p.x <= self.right() && p.y >= self.y && p.y <= self.bottom()
    }

    /// Whether `inner` lies wholly inside.
    pub fn contains_rect(&self, inner: &Rect) -> bool {
        inner.x >= self.x && inner.right() <= self.right() && inner.y >= self.y && inner.bottom() <= self.bottom()
    }

    /// Whether the two share more than an edge.
    pub fn overlaps(&self, o: &Rect) -> bool {
        self.x < o.right() && o.x < self.right() && self.y < o.bottom() && o.y < self.bottom()
    }

    /// Whether the two share at least a point; what culling asks (a straight path has no height).
    pub fn touches(&self, o: &Rect) -> bool {
        self.x <= o.right() && o.x <= self.right() && self.y <= o.bottom() && o.y <= self.bottom()
    }

    /// Grown by `by` on all four sides (shrunk when negative, down to nothing).
    pub fn inflated(&self, by: f64) -> Rect {
        self.inflated_xy(by, by)
    }

    /// Grown by `dx` left and right and by `dy` above and below.
    pub fn inflated_xy(&self, dx: f64, dy: f64) -> Rect {
        rect(self.x - dx, self.y - dy, (self.w + 2.0 * dx).max(0.0), (self.h + 2.0 * dy).max(0.0))
    }

    /// Moved by `d`.
    pub fn moved(&self, d: Point) -> Rect {
        rect(self.x + d.x, self.y + d.y, self.w, self.h)
    }

    /// The smallest rectangle around both.
    pub fn union(&self, o: &Rect) -> Rect {
        let (x, y) = (self.x.min(o.x), self.y.min(o.y));
        rect(x, y, self.right().max(o.right()) - x, self.bottom().max(o.bottom()) - y)
    }

    /// The smallest rectangle around all of them; `None` without any.
    pub fn around(rects: impl IntoIterator<Item = Rect>) -> Option<Rect> {
        rects.into_iter().reduce(|a, b| a.union(&b))
    }

    /// How far the point is outside; 0 inside.
    pub fn distance(&self, p: Point) -> f64 {
        let dx = (self.x - p.x).max(p.x - self.right()).max(0.0);
        let dy = (self.y - p.y).max(p.y - self.bottom()).max(0.0);
        (dx * dx + dy * dy).sqrt()
    }
}

/// What part of the world the stage shows: `screen = world × zoom + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// Where the world's origin is on the screen, horizontally.
    pub x: f64,
    /// Where the world's origin is on the screen, vertically.
    pub y: f64,
    /// Screen pixels per world unit.
    pub zoom: f64,
}

impl Default for Viewport {
    fn default() -> Self {
        Viewport { x: 0.0, y: 0.0, zoom: 1.0 }
    }
}

impl Viewport {
    /// A world point on the screen.
    pub fn to_screen(&self, world: Point) -> Point {
        pt(world.x * self.zoom + self.x, world.y * self.zoom + self.y)
    }

    /// A screen point in the world.
    pub fn to_world(&self, screen: Point) -> Point {
        pt((screen.x - self.x) / self.zoom, (screen.y - self.y) / self.zoom)
    }

    /// A world rectangle on the screen.
    pub fn rect_to_screen(&self, r: &Rect) -> Rect {
        let p = self.to_screen(r.origin());
        rect(p.x, p.y, r.w * self.zoom, r.h * self.zoom)
    }

    /// The part of the world that a stage of `width` by `height` screen pixels shows.
    pub fn world_rect(&self, width: f64, height: f64) -> Rect {
        let p = self.to_world(Point::default());
        rect(p.x, p.y, width / self.zoom, height / self.zoom)
    }

    /// Moved by screen pixels.
    pub fn panned(&self, dx: f64, dy: f64) -> Viewport {
        let p = pt(self.x + dx, self.y + dy).sane();
        Viewport { x: p.x, y: p.y, zoom: self.zoom }
    }

    /// The same with `zoom` (held to the allowed range), the world under the screen point `at` staying where it is.
    pub fn zoomed_to(&self, at: Point, zoom: f64) -> Viewport {
        // Fitting may have gone below the range; from there a person can only come nearer.
        let low = ZOOM_MIN.min(self.zoom);
        let zoom = if zoom.is_finite() { zoom.clamp(low, ZOOM_MAX) } else { self.zoom };
        let k = zoom / self.zoom;
        let p = pt(at.x - (at.x - self.x) * k, at.y - (at.y - self.y) * k).sane();
        Viewport { x: p.x, y: p.y, zoom }
    }

    /// Zoomed by a factor at a screen point.
    pub fn zoomed_by(&self, at: Point, factor: f64) -> Viewport {
        self.zoomed_to(at, self.zoom * factor)
    }

    /// One of [`ZOOM_STEPS`] nearer (`+`), at a screen point.
    pub fn step_in(&self, at: Point) -> Viewport {
        let next = ZOOM_STEPS.iter().copied().find(|s| *s > self.zoom * 1.001).unwrap_or(ZOOM_MAX);
        self.zoomed_to(at, next)
    }

    /// One of [`ZOOM_STEPS`] farther (`-`), at a screen point; below the smallest step it stays.
    pub fn step_out(&self, at: Point) -> Viewport {
        let next = ZOOM_STEPS.iter().rev().copied().find(|s| *s < self.zoom * 0.999).unwrap_or(self.zoom);
        self.zoomed_to(at, next)
    }

    /// The viewport that shows the whole rectangle in the middle of a stage of `width` by `height`, with `margin` screen pixels
    /// around it and at most `max_zoom` (1 for "fit", so that a small flow is not blown up). It may go below [`ZOOM_MIN`].
    pub fn fit(r: &Rect, width: f64, height: f64, margin: f64, max_zoom: f64) -> Viewport {
        let room = |side: f64, len: f64| (side - 2.0 * margin).max(16.0) / len.max(1.0);
        let zoom = room(width, r.w).min(room(height, r.h)).min(max_zoom).clamp(FIT_ZOOM_MIN, ZOOM_MAX);
        Viewport::centred(r.centre(), width, height, zoom)
    }

    /// The viewport with the world point in the middle of the stage.
    pub fn centred(world: Point, width: f64, height: f64, zoom: f64) -> Viewport {
        Viewport { x: width / 2.0 - world.x * zoom, y: height / 2.0 - world.y * zoom, zoom }
    }

    /// The smallest pan that brings a world rectangle into view with `margin` screen pixels around it (for keyboard focus).
    /// A rectangle larger than the stage is shown from its top left.
    pub fn revealing(&self, r: &Rect, width: f64, height: f64, margin: f64) -> Viewport {
        let s = self.rect_to_screen(r);
        let shift = |low: f64, high: f64, len: f64| {
            if low < margin || high - low > len - 2.0 * margin {
                margin - low
            } else if high > len - margin {
                len - margin - high
            } else {
                0.0
            }
        };
        self.panned(shift(s.x, s.right(), width), shift(s.y, s.bottom(), height))
    }

    /// Part of the way from this to `other` (`t` from 0 to 1), zoom by its logarithm so that it feels even.
    pub fn toward(&self, other: &Viewport, width: f64, height: f64, t: f64) -> Viewport {
        let middle = pt(width / 2.0, height / 2.0);
        let (a, b) = (self.to_world(middle), other.to_world(middle));
        let zoom = (self.zoom.ln() + (other.zoom.ln() - self.zoom.ln()) * t).exp();
        // The centre moves evenly on the screen, not in the world: divide by the zoom of the moment.
        let k =
            if (other.zoom - self.zoom).abs() < 1e-9 { t } else { (1.0 / zoom - 1.0 / self.zoom) / (1.0 / other.zoom - 1.0 / self.zoom) };
        Viewport::centred(a + (b - a) * k, width, height, zoom)
    }
}

/// The unit of a wheel event's distance (`WheelEvent.deltaMode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WheelUnit {
    /// Screen pixels (0).
    Pixel,
    /// Lines of text (1).
    Line,
    /// Pages (2).
    Page,
}

/// The zoom factor of one wheel event: 2^(−Δ·0.002), ten times that for a pinch on a macOS trackpad, at most a quarter of an octave.
pub fn wheel_zoom_factor(dy: f64, unit: WheelUnit, mac_pinch: bool) -> f64 {
    let per_unit = match unit {
        WheelUnit::Pixel => 0.002,
        WheelUnit::Line => 0.05,
        WheelUnit::Page => 1.0,
    };
    let octaves = -dy * per_unit * if mac_pinch { 10.0 } else { 1.0 };
    if octaves.is_nan() { 1.0 } else { octaves.clamp(-0.25, 0.25).exp2() }
}

/// A wheel event's distance in screen pixels (a line is 16, a page `page`).
pub fn wheel_pixels(delta: f64, unit: WheelUnit, page: f64) -> f64 {
    let px = match unit {
        WheelUnit::Pixel => delta,
        WheelUnit::Line => delta * 16.0,
        WheelUnit::Page => delta * page,
    };
    sane(px)
}
