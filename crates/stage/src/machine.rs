//! The gesture machine: `(state, input) → (state, intents)`. It reads no clock and touches no element.

use crate::geometry::{Point, WheelUnit, pt, wheel_pixels, wheel_zoom_factor};
use crate::gesture::{Button, Cursor, DropTarget, End, Input, Intent, Mods, Pick, PointerKind, Port, Target, View};
use crate::preview;
use crate::scene::{LinkId, NodeId, NodeShape};

/// Screen pixels after which a press is a drag.
const DRAG_START: f64 = 4.0;
/// The same for a finger.
const DRAG_START_TOUCH: f64 = 8.0;
/// Milliseconds after which a finger at rest opens the menu.
const LONG_PRESS: f64 = 500.0;
/// Milliseconds between the two clicks of a double click, at most.
const DOUBLE_CLICK: f64 = 400.0;
/// Screen pixels between the two clicks of a double click, at most.
const DOUBLE_CLICK_REACH: f64 = 6.0;
/// Screen pixels from the stage's edge in which a drag pans.
const AUTO_PAN_ZONE: f64 = 24.0;
/// Milliseconds in the zone before it does.
const AUTO_PAN_AFTER: f64 = 150.0;
/// Screen pixels a second at the very edge.
const AUTO_PAN_SPEED: f64 = 900.0;
/// A frame counts as this many milliseconds at most, so that a stall makes no jump.
const AUTO_PAN_FRAME: f64 = 50.0;

/// The machine. One for each stage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gesture {
    mode: Mode,
    space: bool,
    clicked: Option<Clicked>,
}

#[derive(Clone, Debug, Default, PartialEq)]
enum Mode {
    #[default]
    Idle,
    /// A pointer is down and has not moved far enough to be a drag.
    Press(Press),
    /// The canvas follows the pointer; `total` is how far it has gone.
    Pan { pointer: i32, kind: PointerKind, last: Point, total: Point },
    /// Something is being dragged, with a preview.
    Drag(Drag),
    /// Two fingers.
    Pinch { a: (i32, Point), b: (i32, Point) },
    /// A long press has opened the menu; the finger is still down.
    Spent { pointer: i32 },
}

#[derive(Clone, Debug, PartialEq)]
struct Press {
    pointer: i32,
    kind: PointerKind,
    button: Button,
    mods: Mods,
    at: Point,
    time: f64,
    pressed: Pressed,
    /// Space was held: it will be a pan whatever is under it.
    space: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Pressed {
    Stage(Target),
    Palette { shape: NodeShape, into_body: bool },
}

#[derive(Clone, Debug, PartialEq)]
struct Drag {
    pointer: i32,
    kind: PointerKind,
    what: What,
    /// Where it began, in the world: stays right while the view pans and zooms beneath.
    start: Point,
    /// The pointer, on the screen.
    at: Point,
    mods: Mods,
    /// Since when the pointer is near the edge.
    edge: Option<f64>,
    ticked: Option<f64>,
    /// How far it has panned by itself.
    panned: Point,
    /// The preview that is on the screen.
    shown: Option<Intent>,
}

/// What is being dragged.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum What {
    Box { add: bool },
    Nodes { primary: NodeId, ids: Vec<NodeId> },
    Connector { from: Port },
    LinkEnd { link: LinkId, end: End },
    Corner { id: NodeId },
    Item { shape: NodeShape, into_body: bool },
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Clicked {
    target: Target,
    at: Point,
    time: f64,
}

impl Gesture {
    /// Takes one input and says what to do. The caller applies `Pan` and `ZoomAt` before the next input.
    pub fn handle(&mut self, input: &Input, view: &View<'_>) -> Vec<Intent> {
        let mut out = Vec::new();
        match *input {
            Input::Down { pointer, kind, button, mods, at, time, target } => {
                let target = target.unwrap_or_else(|| view.hit(at, kind));
                let press = Press { pointer, kind, button, mods, at, time, pressed: Pressed::Stage(target), space: self.space };
                self.down(press, view, &mut out);
            }
            Input::Palette { pointer, kind, shape, into_body, at, time } => {
                let pressed = Pressed::Palette { shape, into_body };
                let press = Press { pointer, kind, button: Button::Primary, mods: Mods::default(), at, time, pressed, space: false };
                self.down(press, view, &mut out);
            }
            Input::Move { pointer, mods, at, time } => self.moved(pointer, mods, at, time, view, &mut out),
            Input::Up { pointer, mods, at, time } => {
                self.moved(pointer, mods, at, time, view, &mut out);
                self.up(pointer, at, time, view, &mut out);
            }
            Input::Cancel { pointer } => {
                if self.owns(pointer) {
                    self.abandon(&mut out);
                }
            }
            Input::Escape => self.abandon(&mut out),
            Input::SpaceDown => self.space = true,
            Input::SpaceUp => self.space = false,
            Input::Wheel { at, dx, dy, unit, mods, mac_pinch } => wheel(at, pt(dx, dy), unit, mods, mac_pinch, view, &mut out),
            Input::Tick { time } => self.tick(time, view, &mut out),
        }
        out
    }

    /// Whether no pointer is part of a gesture. (When Esc comes while idle, it is the caller's: leave a drill-in, select nothing.)
    pub fn is_idle(&self) -> bool {
        self.mode == Mode::Idle
    }

    /// Whether [`Input::Tick`] is wanted every frame (auto-pan, long press).
    pub fn wants_ticks(&self) -> bool {
        match &self.mode {
            Mode::Press(press) => press.kind == PointerKind::Touch,
            Mode::Drag(_) => true,
            Mode::Idle | Mode::Pan { .. } | Mode::Pinch { .. } | Mode::Spent { .. } => false,
        }
    }

    /// What the pointer should look like now.
    pub fn cursor(&self) -> Cursor {
        match &self.mode {
            Mode::Pan { .. } => Cursor::Grabbing,
            Mode::Drag(drag) => match &drag.what {
                What::Nodes { .. } => Cursor::Move,
                What::Box { .. } | What::Connector { .. } | What::LinkEnd { .. } => Cursor::Crosshair,
                What::Corner { .. } => Cursor::Resize,
                What::Item { .. } => match &drag.shown {
                    Some(Intent::DropPreview { target, .. }) if *target != DropTarget::Nowhere => Cursor::Copy,
                    _ => Cursor::NoDrop,
                },
            },
            _ if self.space => Cursor::Grab,
            _ => Cursor::Default,
        }
    }

    fn owns(&self, id: i32) -> bool {
        match &self.mode {
            Mode::Idle => false,
            Mode::Press(Press { pointer, .. }) | Mode::Pan { pointer, .. } | Mode::Drag(Drag { pointer, .. }) | Mode::Spent { pointer } => {
                *pointer == id
            }
            Mode::Pinch { a, b } => a.0 == id || b.0 == id,
        }
    }

    /// The finger of the gesture and where it is, when a second one can make it a pinch.
    fn finger(&self) -> Option<(i32, Point)> {
        let (pointer, kind, at) = match &self.mode {
            Mode::Press(p) if matches!(p.pressed, Pressed::Stage(_)) => (p.pointer, p.kind, p.at),
            Mode::Pan { pointer, kind, last, .. } => (*pointer, *kind, *last),
            Mode::Drag(d) if !matches!(d.what, What::Item { .. }) => (d.pointer, d.kind, d.at),
            _ => return None,
        };
        (kind == PointerKind::Touch).then_some((pointer, at))
    }

    fn down(&mut self, press: Press, view: &View<'_>, out: &mut Vec<Intent>) {
        if self.owns(press.pointer) {
            // Its release was lost. The old gesture ends here, a new one begins.
            self.abandon(out);
        } else if !self.is_idle() {
            if let (Some(first), PointerKind::Touch, Pressed::Stage(_)) = (self.finger(), press.kind, press.pressed) {
                if let Mode::Drag(drag) = &self.mode {
                    undo_pan(drag.panned, out);
                    out.push(Intent::Cancel);
                }
                self.mode = Mode::Pinch { a: first, b: (press.pointer, press.at) };
            }
            return;
        }
        let pressed = press.pressed;
        self.mode = Mode::Press(press);
        if view.read_only && matches!(pressed, Pressed::Palette { .. }) {
            self.mode = Mode::Idle;
        }
    }

    fn moved(&mut self, id: i32, mods: Mods, at: Point, time: f64, view: &View<'_>, out: &mut Vec<Intent>) {
        let at = at.sane();
        match &mut self.mode {
            Mode::Press(press) if press.pointer == id => {
                let reach = if press.kind == PointerKind::Touch { DRAG_START_TOUCH } else { DRAG_START };
                if press.at.distance(at) >= reach {
                    let press = press.clone();
                    self.mode = begin(&press, view);
                    self.moved(id, mods, at, time, view, out);
                }
            }
            Mode::Pan { pointer, last, total, .. } if *pointer == id => {
                let by = at - *last;
                *last = at;
                *total = *total + by;
                pan(by, out);
            }
            Mode::Drag(drag) if drag.pointer == id => {
                (drag.at, drag.mods) = (at, mods);
                drag.watch_edge(time, view);
                drag.show(view, out);
            }
            Mode::Pinch { a, b } if a.0 == id || b.0 == id => {
                let before = (a.1.middle(b.1), a.1.distance(b.1));
                if a.0 == id {
                    a.1 = at
                } else {
                    b.1 = at
                }
                let after = (a.1.middle(b.1), a.1.distance(b.1));
                pan(after.0 - before.0, out);
                let factor = after.1.max(1.0) / before.1.max(1.0);
                if factor != 1.0 {
                    out.push(Intent::ZoomAt { at: after.0, factor });
                }
            }
            _ => {}
        }
    }

    fn up(&mut self, id: i32, at: Point, time: f64, view: &View<'_>, out: &mut Vec<Intent>) {
        if !self.owns(id) {
            return;
        }
        match std::mem::take(&mut self.mode) {
            Mode::Press(press) => self.click(&press, time, view, out),
            Mode::Drag(drag) => out.push(preview::commit(&drag.what, drag.shown, view.viewport.to_world(at.sane()), view)),
            Mode::Pinch { a, b } => {
                let (pointer, last) = if a.0 == id { b } else { a };
                self.mode = Mode::Pan { pointer, kind: PointerKind::Touch, last, total: Point::default() };
            }
            Mode::Idle | Mode::Pan { .. } | Mode::Spent { .. } => {}
        }
    }

    fn click(&mut self, press: &Press, time: f64, view: &View<'_>, out: &mut Vec<Intent>) {
        let target = match press.pressed {
            Pressed::Stage(target) => target,
            Pressed::Palette { .. } => return out.push(Intent::PaletteClick),
        };
        let long = press.kind == PointerKind::Touch && time - press.time >= LONG_PRESS;
        match press.button {
            Button::Secondary => return menu(target, press.at, view, out),
            _ if long => return menu(target, press.at, view, out),
            Button::Middle => return,
            Button::Primary if press.space => return,
            Button::Primary => {}
        }
        match target.pick() {
            // A click on a port is about a connection, not about the selection.
            Some(_) if matches!(target, Target::Port(_)) => {}
            Some(pick) if press.mods.adds() => out.push(Intent::Toggle(pick)),
            Some(pick) => out.push(Intent::SelectOnly(pick)),
            None if press.mods.adds() => {}
            None => out.push(Intent::SelectNone),
        }
        let second = self.clicked.take().is_some_and(|before| {
            let near = before.at.distance(press.at) <= DOUBLE_CLICK_REACH;
            before.target == target && near && press.time - before.time <= DOUBLE_CLICK && !press.mods.adds()
        });
        if second {
            out.push(Intent::DoubleClick { target, at: press.at });
        } else {
            self.clicked = Some(Clicked { target, at: press.at, time });
            out.push(Intent::Click { target, mods: press.mods, at: press.at });
        }
    }

    fn tick(&mut self, time: f64, view: &View<'_>, out: &mut Vec<Intent>) {
        match &mut self.mode {
            Mode::Press(press) => {
                if let Pressed::Stage(target) = press.pressed
                    && press.kind == PointerKind::Touch
                    && time - press.time >= LONG_PRESS
                {
                    menu(target, press.at, view, out);
                    self.mode = Mode::Spent { pointer: press.pointer };
                }
            }
            Mode::Drag(drag) => drag.auto_pan(time, view, out),
            Mode::Idle | Mode::Pan { .. } | Mode::Pinch { .. } | Mode::Spent { .. } => {}
        }
    }

    /// Ends the gesture without effect and puts back what it has moved.
    fn abandon(&mut self, out: &mut Vec<Intent>) {
        match std::mem::take(&mut self.mode) {
            Mode::Pan { total, .. } => undo_pan(total, out),
            Mode::Drag(drag) => {
                undo_pan(drag.panned, out);
                out.push(Intent::Cancel);
            }
            Mode::Idle | Mode::Press(_) | Mode::Pinch { .. } | Mode::Spent { .. } => {}
        }
    }
}

impl Drag {
    /// Says what letting go would do, when that has changed.
    fn show(&mut self, view: &View<'_>, out: &mut Vec<Intent>) {
        let now = preview::preview(&self.what, self.start, self.at, self.mods, view);
        if self.shown.as_ref() != Some(&now) {
            out.push(now.clone());
            self.shown = Some(now);
        }
    }

    /// How far into the edge zone the pointer is, in both directions, from −1 to 1.
    fn push(&self, view: &View<'_>) -> Point {
        let inside = view.contains(self.at);
        // The palette lies beyond the edge: an item that is on its way in does not pan.
        if matches!(self.what, What::Item { .. }) && !inside {
            return Point::default();
        }
        let depth = |v: f64, len: f64| {
            let (low, high) = (AUTO_PAN_ZONE - v, v - (len - AUTO_PAN_ZONE));
            if low > 0.0 { -(low / AUTO_PAN_ZONE).min(1.0) } else { (high / AUTO_PAN_ZONE).clamp(0.0, 1.0) }
        };
        pt(depth(self.at.x, view.width), depth(self.at.y, view.height))
    }

    fn watch_edge(&mut self, time: f64, view: &View<'_>) {
        if self.push(view) == Point::default() {
            (self.edge, self.ticked) = (None, None);
        } else if self.edge.is_none() {
            self.edge = Some(time);
        }
    }

    fn auto_pan(&mut self, time: f64, view: &View<'_>, out: &mut Vec<Intent>) {
        self.watch_edge(time, view);
        let Some(since) = self.edge else { return };
        let ticked = self.ticked.replace(time);
        let (Some(ticked), true) = (ticked, time - since >= AUTO_PAN_AFTER) else { return };
        let frame = (time - ticked).clamp(0.0, AUTO_PAN_FRAME) / 1000.0;
        let by = self.push(view) * (-AUTO_PAN_SPEED * frame);
        if by == Point::default() {
            return;
        }
        pan(by, out);
        self.panned = self.panned + by;
        self.show(&View { viewport: view.viewport.panned(by.x, by.y), ..*view }, out);
    }
}

/// What a press becomes when it moves.
fn begin(press: &Press, view: &View<'_>) -> Mode {
    let finger = press.kind == PointerKind::Touch;
    let what = match press.pressed {
        Pressed::Palette { shape, into_body } => Some(What::Item { shape, into_body }),
        _ if press.space || press.button != Button::Primary || view.read_only => None,
        Pressed::Stage(Target::Empty | Target::Link(_)) => (!finger).then_some(What::Box { add: press.mods.adds() }),
        Pressed::Stage(Target::Port(from)) => Some(What::Connector { from }),
        Pressed::Stage(Target::LinkEnd(link, end)) => Some(What::LinkEnd { link, end }),
        Pressed::Stage(Target::Resize(id)) => Some(What::Corner { id }),
        Pressed::Stage(Target::Node(id) | Target::Body(id)) => nodes(id, finger, view),
    };
    match what {
        None => Mode::Pan { pointer: press.pointer, kind: press.kind, last: press.at, total: Point::default() },
        Some(what) => Mode::Drag(Drag {
            pointer: press.pointer,
            kind: press.kind,
            what,
            start: view.viewport.to_world(press.at),
            at: press.at,
            mods: press.mods,
            edge: None,
            ticked: None,
            panned: Point::default(),
            shown: None,
        }),
    }
}

/// The nodes that a drag of this one moves: the selection, when it is part of it, else itself. A finger drags only what is
/// selected, so that it can pan from anywhere.
fn nodes(id: NodeId, finger: bool, view: &View<'_>) -> Option<What> {
    let movable = |id: NodeId| view.stage.node(id).is_some_and(|n| !n.fixed);
    let selected = view.selection.contains(&Pick::Node(id));
    if !movable(id) || (finger && !selected) {
        return None;
    }
    let ids = if selected { view.in_order(|n| view.selection.contains(&Pick::Node(n)) && movable(n)) } else { vec![id] };
    Some(What::Nodes { primary: id, ids })
}

fn menu(target: Target, at: Point, view: &View<'_>, out: &mut Vec<Intent>) {
    if let Some(pick) = target.pick()
        && !view.selection.contains(&pick)
    {
        out.push(Intent::SelectOnly(pick));
    }
    out.push(Intent::Menu { target, at });
}

fn pan(by: Point, out: &mut Vec<Intent>) {
    if by != Point::default() {
        out.push(Intent::Pan { dx: by.x, dy: by.y });
    }
}

fn undo_pan(total: Point, out: &mut Vec<Intent>) {
    pan(total * -1.0, out);
}

fn wheel(at: Point, delta: Point, unit: WheelUnit, mods: Mods, mac_pinch: bool, view: &View<'_>, out: &mut Vec<Intent>) {
    if mods.command() || mac_pinch {
        let factor = wheel_zoom_factor(delta.y, unit, mac_pinch);
        if factor != 1.0 {
            out.push(Intent::ZoomAt { at: at.sane(), factor });
        }
        return;
    }
    let by = pt(wheel_pixels(delta.x, unit, view.width), wheel_pixels(delta.y, unit, view.height));
    // A plain mouse scrolls sideways with Shift; where the system has turned it already, there is nothing to turn.
    let by = if mods.shift && by.x == 0.0 { pt(by.y, 0.0) } else { by };
    pan(by * -1.0, out);
}
