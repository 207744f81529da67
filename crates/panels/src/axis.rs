//! The time axis of the timeline: what part of the run is in view, and where its ruler has marks.

/// The part of a run in view. Times are microseconds of virtual time, places are pixels from the axis' left end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// Time at the left end.
    pub start: f64,
    /// Microseconds a pixel.
    pub scale: f64,
    /// How long the run is.
    pub total: f64,
    /// How wide the axis is.
    pub width: f64,
}

/// A mark on the ruler.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Where it is, in pixels.
    pub x: f64,
    /// What it says; small marks say nothing.
    pub label: Option<String>,
}

/// Room left free at both ends when the whole run is in view, in pixels.
const MARGIN: f64 = 8.0;

/// The closest look: a microsecond is at most this many pixels.
const CLOSEST: f64 = 2.0;

impl Axis {
    /// The whole run in view.
    pub fn fit(total: f64, width: f64) -> Self {
        let width = width.max(1.0);
        let total = total.max(1.0);
        let scale = total / (width - 4.0 * MARGIN).max(1.0);
        Self { start: -MARGIN * scale, scale, total, width }
    }

    /// Where a time is.
    pub fn x(&self, time: f64) -> f64 {
        (time - self.start) / self.scale
    }

    /// The time at a place, inside the run.
    pub fn time(&self, x: f64) -> f64 {
        (self.start + x * self.scale).clamp(0.0, self.total)
    }

    /// The time at the right end.
    pub fn end(&self) -> f64 {
        self.start + self.width * self.scale
    }

    /// Whether the whole run is in view.
    pub fn is_fit(&self) -> bool {
        self.scale >= Self::fit(self.total, self.width).scale * 0.999
    }

    /// Makes everything `factor` times as wide, keeping what is at `x` in its place.
    #[must_use]
    pub fn zoomed(self, factor: f64, x: f64) -> Self {
        let widest = Self::fit(self.total, self.width).scale;
        let scale = (self.scale / factor).clamp((1.0 / CLOSEST).min(widest), widest);
        let at = self.start + x * self.scale;
        Self { start: at - x * scale, scale, ..self }.clamped()
    }

    /// Moves the view by so many pixels.
    #[must_use]
    pub fn panned(self, pixels: f64) -> Self {
        Self { start: self.start + pixels * self.scale, ..self }.clamped()
    }

    /// Shows the part between two times.
    #[must_use]
    pub fn showing(self, from: f64, to: f64) -> Self {
        let widest = Self::fit(self.total, self.width).scale;
        let scale = ((to - from).max(1.0) / self.width).clamp((1.0 / CLOSEST).min(widest), widest);
        Self { start: from, scale, ..self }.clamped()
    }

    /// Brings a time into view, moving as little as it takes; a time in view moves nothing.
    #[must_use]
    pub fn revealing(self, time: f64) -> Self {
        let x = self.x(time);
        if x < MARGIN {
            self.panned(x - self.width * 0.2)
        } else if x > self.width - MARGIN {
            self.panned(x - self.width * 0.8)
        } else {
            self
        }
    }

    /// The same look at a run of another length, or on an axis of another width: the whole run stays the whole run.
    #[must_use]
    pub fn resized(self, total: f64, width: f64) -> Self {
        if self.is_fit() { Self::fit(total, width) } else { Self { total: total.max(1.0), width: width.max(1.0), ..self }.clamped() }
    }

    /// Keeps the run in view: no more than a margin of nothing at either end.
    fn clamped(self) -> Self {
        let low = -MARGIN * self.scale;
        let high = (self.total + 3.0 * MARGIN * self.scale - self.width * self.scale).max(low);
        Self { start: self.start.clamp(low, high), ..self }
    }

    /// The ruler's marks: labels at least `room` pixels apart, with small marks between them.
    pub fn ticks(&self, room: f64) -> Vec<Tick> {
        let step = step_at_least(self.scale * room);
        let small = step / 5.0;
        let last = self.end().min(self.total + 2.0 * MARGIN * self.scale);
        let mut n = (self.start / small).ceil().max(0.0);
        let mut out = Vec::new();
        while n * small <= last && out.len() < 2_000 {
            let time = n * small;
            let label = (n % 5.0 == 0.0).then(|| mark(time, step, self.total));
            out.push(Tick { x: self.x(time), label });
            n += 1.0;
        }
        out
    }
}

/// The smallest round step of at least so many microseconds: 1, 2, 5, 10, … and from a minute on 1, 2, 5, 10, 15, 30 minutes and so on.
fn step_at_least(us: f64) -> f64 {
    const SECOND: f64 = 1e6;
    let mut decade = 1.0;
    while decade <= 10.0 * SECOND {
        for step in [decade, 2.0 * decade, 5.0 * decade] {
            if step >= us && step < 60.0 * SECOND {
                return step;
            }
        }
        decade *= 10.0;
    }
    const MINUTES: [f64; 10] = [1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 360.0, 720.0];
    if let Some(minutes) = MINUTES.iter().find(|minutes| **minutes * 60.0 * SECOND >= us) {
        return minutes * 60.0 * SECOND;
    }
    let mut days = 1.0;
    while days * 86_400.0 * SECOND < us {
        days *= 2.0;
    }
    days * 86_400.0 * SECOND
}

/// What a mark says: as few digits as tell neighbours apart.
fn mark(time: f64, step: f64, total: f64) -> String {
    let decimals = |unit: f64| [1.0, 0.1, 0.01, 0.001].iter().take_while(|part| step < unit * **part * 0.999).count();
    if time == 0.0 {
        return "0 s".into();
    }
    if step < 1e3 || (step < 1e5 && total < 1e6) {
        return format!("{:.*} ms", decimals(1e3), time / 1e3);
    }
    if step < 6e7 {
        return format!("{:.*} s", decimals(1e6), time / 1e6);
    }
    let minutes = (time / 6e7).round() as u64;
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<String> {
        axis.ticks(70.0).into_iter().filter_map(|tick| tick.label).collect()
    }

    #[test]
    fn the_ruler_speaks_in_round_steps() {
        for (total, expected) in [
            (42_200_000.0, ["0 s", "5 s", "10 s"]),
            (900_000.0, ["0 s", "0.1 s", "0.2 s"]),
            (9_000.0, ["0 s", "1 ms", "2 ms"]),
            (3_600_000_000.0, ["0 s", "10 min", "20 min"]),
        ] {
            assert_eq!(labels(&Axis::fit(total, 776.0)).get(..3), Some(expected.map(String::from).as_slice()), "{total}");
        }
    }

    #[test]
    fn labels_of_neighbours_differ_at_every_zoom() {
        let mut axis = Axis::fit(42_200_000.0, 776.0);
        for _ in 0..60 {
            let found = labels(&axis);
            let mut sorted = found.clone();
            sorted.dedup();
            assert_eq!(found, sorted, "at {} µs a pixel", axis.scale);
            assert!(axis.ticks(70.0).len() < 200);
            axis = axis.zoomed(1.3, 300.0);
        }
    }

    #[test]
    fn zooming_keeps_what_is_under_the_pointer() {
        let axis = Axis::fit(1e7, 800.0).zoomed(4.0, 400.0);
        let before = axis.time(500.0);
        assert!((axis.zoomed(2.0, 500.0).time(500.0) - before).abs() < 1.0);
    }

    #[test]
    fn zooming_out_all_the_way_is_the_whole_run() {
        let axis = Axis::fit(1e7, 800.0).zoomed(9.0, 700.0).zoomed(0.001, 3.0);
        assert!(axis.is_fit());
        assert!((axis.start - Axis::fit(1e7, 800.0).start).abs() < 1e-6 * 1e7);
    }

    proptest::proptest! {
        #[test]
        fn no_gesture_loses_the_run(total in 1.0f64..1e12, acts in proptest::collection::vec((0.1f64..10.0, -900.0f64..900.0), 0..12)) {
            let mut axis = Axis::fit(total, 800.0);
            for (factor, move_by) in acts {
                axis = axis.zoomed(factor, 400.0).panned(move_by);
                proptest::prop_assert!(axis.x(0.0) <= 9.0 && axis.x(total) >= 0.0);
            }
        }
    }
}
