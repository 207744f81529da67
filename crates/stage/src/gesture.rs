//! The words of the gesture machine: what comes in, what goes out, what it looks at. The machine is in `machine.rs`.

use std::collections::BTreeSet;

use crate::geometry::{Point, Rect, Viewport, WheelUnit};
use crate::scene::{LinkId, NodeId, NodeShape};
use crate::snap::Guides;
use crate::stage::Stage;

/// What a pointer is (`PointerEvent.pointerType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointerKind {
    /// A mouse or a trackpad.
    Mouse,
    /// A finger.
    Touch,
    /// A pen; it acts like a mouse.
    Pen,
}

/// Which button went down (`PointerEvent.button`); a finger and a pen's tip are primary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Button {
    /// 0
    Primary,
    /// 1
    Middle,
    /// 2
    Secondary,
}

/// The modifier keys of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mods {
    /// Shift.
    pub shift: bool,
    /// Control.
    pub ctrl: bool,
    /// Alt or Option.
    pub alt: bool,
    /// Command or the Windows key.
    pub meta: bool,
}

impl Mods {
    /// Control or Command.
    pub fn command(self) -> bool {
        self.ctrl || self.meta
    }

    /// Whether a click adds to the selection instead of replacing it.
    pub fn adds(self) -> bool {
        self.shift || self.command()
    }
}

/// One of the two ports of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Where paths come in.
    In,
    /// Where paths go out.
    Out,
}

/// A port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// Whose.
    pub node: NodeId,
    /// Which of the two.
    pub side: Side,
}

/// One end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// At the node it leaves.
    From,
    /// At the node it enters.
    To,
}

/// What is under the pointer. [`Stage::hit`] says so; a caller who knows better (from an element) may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The canvas.
    Empty,
    /// A card, a container's frame, a note.
    Node(NodeId),
    /// The body in a container; selecting and dragging act on the container.
    Body(NodeId),
    /// A port.
    Port(Port),
    /// A path.
    Link(LinkId),
    /// The end of a selected path, to be hung elsewhere.
    LinkEnd(LinkId, End),
    /// The lower right corner of a note.
    Resize(NodeId),
}

impl Target {
    /// The node it is part of.
    pub fn node(self) -> Option<NodeId> {
        match self {
            Target::Node(n) | Target::Body(n) | Target::Resize(n) => Some(n),
            Target::Port(p) => Some(p.node),
            Target::Empty | Target::Link(_) | Target::LinkEnd(..) => None,
        }
    }

    /// What of it can be selected.
    pub fn pick(self) -> Option<Pick> {
        match self {
            Target::Link(l) | Target::LinkEnd(l, _) => Some(Pick::Link(l)),
            other => other.node().map(Pick::Node),
        }
    }
}

/// Something that can be selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pick {
    /// A node.
    Node(NodeId),
    /// A path.
    Link(LinkId),
}

/// What happens. Points are screen pixels relative to the stage's top left corner; times are milliseconds of one clock that never goes back
/// (`Event.timeStamp`).
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A pointer went down on the stage.
    Down {
        /// `pointerId`
        pointer: i32,
        /// What it is.
        kind: PointerKind,
        /// With which button.
        button: Button,
        /// Modifiers.
        mods: Mods,
        /// Where.
        at: Point,
        /// When.
        time: f64,
        /// What is under it, where the caller knows; `None` asks [`Stage::hit`].
        target: Option<Target>,
    },
    /// A pointer moved (captured, so also outside the stage).
    Move {
        /// `pointerId`
        pointer: i32,
        /// Modifiers.
        mods: Mods,
        /// Where.
        at: Point,
        /// When.
        time: f64,
    },
    /// A pointer's last button went up.
    Up {
        /// `pointerId`
        pointer: i32,
        /// Modifiers.
        mods: Mods,
        /// Where.
        at: Point,
        /// When.
        time: f64,
    },
    /// The system took the pointer away (`pointercancel`, lost capture, window blurred).
    Cancel {
        /// `pointerId`
        pointer: i32,
    },
    /// A pointer went down on an item of the palette; its moves and its release follow in stage coordinates, wherever they happen.
    Palette {
        /// `pointerId`
        pointer: i32,
        /// What it is.
        kind: PointerKind,
        /// What a drop would make.
        shape: NodeShape,
        /// Whether a drop into an empty or filled loop body makes sense (a note's does not).
        into_body: bool,
        /// Where (outside the stage, so often negative).
        at: Point,
        /// When.
        time: f64,
    },
    /// The wheel, or a trackpad's two fingers.
    Wheel {
        /// Where.
        at: Point,
        /// `deltaX`
        dx: f64,
        /// `deltaY`
        dy: f64,
        /// `deltaMode`
        unit: WheelUnit,
        /// Modifiers; a pinch on a trackpad comes with `ctrl`.
        mods: Mods,
        /// Whether it is a trackpad's pinch on macOS (`ctrlKey` there without the key being down).
        mac_pinch: bool,
    },
    /// Esc.
    Escape,
    /// The space bar went down while the stage has the focus.
    SpaceDown,
    /// The space bar went up.
    SpaceUp,
    /// Time passed; wanted once a frame while [`crate::Gesture::wants_ticks`].
    Tick {
        /// When.
        time: f64,
    },
}

/// Where a dragged thing would land.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DropTarget {
    /// On free canvas, its top left corner here (world; snapped, and moved to the next free place on a commit).
    At(Point),
    /// On a path: it would be inserted there, its corner at the point.
    OnLink(LinkId, Point),
    /// Into a container's body.
    IntoBody(NodeId),
    /// Outside the stage: nothing would happen.
    Nowhere,
}

/// What the caller is to do. Previews replace one another and end with a commit or with [`Intent::Cancel`].
#[derive(Clone, Debug, PartialEq)]
pub enum Intent {
    /// Move the viewport by screen pixels ([`Viewport::panned`]).
    Pan {
        /// To the right.
        dx: f64,
        /// Downwards.
        dy: f64,
    },
    /// Zoom by a factor at a screen point ([`Viewport::zoomed_by`]).
    ZoomAt {
        /// The screen point that stays.
        at: Point,
        /// The factor.
        factor: f64,
    },
    /// Select this and nothing else.
    SelectOnly(Pick),
    /// Add this to the selection, or take it out.
    Toggle(Pick),
    /// Select nothing.
    SelectNone,
    /// A box is being drawn.
    BoxPreview {
        /// The box in the world.
        rect: Rect,
        /// The nodes it touches.
        ids: Vec<NodeId>,
        /// Whether they add to the selection.
        add: bool,
    },
    /// The box was let go: select these.
    BoxCommit {
        /// The nodes it touches, in the scene's order.
        ids: Vec<NodeId>,
        /// Whether they add to the selection.
        add: bool,
    },
    /// Nodes are being dragged: draw them moved, and the guides.
    DragPreview {
        /// The nodes, in the scene's order.
        ids: Vec<NodeId>,
        /// To the right (world).
        dx: f64,
        /// Downwards (world).
        dy: f64,
        /// What it is aligned with.
        guides: Guides,
        /// The path into which a single unconnected node would be inserted.
        onto: Option<LinkId>,
    },
    /// The nodes were let go: one edit. Never with a distance of nothing (unless it goes onto a path).
    DragCommit {
        /// The nodes, in the scene's order.
        ids: Vec<NodeId>,
        /// To the right (world).
        dx: f64,
        /// Downwards (world).
        dy: f64,
        /// The path into which the single node goes.
        onto: Option<LinkId>,
    },
    /// A connector is being drawn from a port.
    ConnectPreview {
        /// The port it hangs on; from an input port it is drawn backwards.
        from: Port,
        /// Its free end in the world: the pointer, or the port it has snapped to.
        to: Point,
        /// The node it would connect to.
        target: Option<NodeId>,
    },
    /// Connect these (already in the flow's direction).
    ConnectCommit {
        /// The node the path leaves.
        from: NodeId,
        /// The node it enters; may be the same.
        to: NodeId,
    },
    /// The connector was let go on free canvas: open quick-add there.
    ConnectToEmpty {
        /// The port it hangs on.
        from: Port,
        /// Where, in the world.
        at: Point,
    },
    /// An end of a path is being moved.
    ReconnectPreview {
        /// The path.
        link: LinkId,
        /// Which end.
        end: End,
        /// The free end in the world.
        to: Point,
        /// The node it would hang on.
        target: Option<NodeId>,
    },
    /// Hang this end of the path on another node.
    ReconnectCommit {
        /// The path.
        link: LinkId,
        /// Which end.
        end: End,
        /// The node.
        node: NodeId,
    },
    /// A note is being resized.
    ResizePreview {
        /// The note.
        id: NodeId,
        /// Its new width.
        w: f64,
        /// Its new height.
        h: f64,
    },
    /// Give the note this size.
    ResizeCommit {
        /// The note.
        id: NodeId,
        /// Its new width.
        w: f64,
        /// Its new height.
        h: f64,
    },
    /// An item of the palette is over the stage.
    DropPreview {
        /// Its rectangle in the world, snapped.
        rect: Rect,
        /// What letting go would do.
        target: DropTarget,
        /// What it is aligned with.
        guides: Guides,
    },
    /// The item was let go. Never [`DropTarget::Nowhere`].
    DropCommit {
        /// What to do.
        target: DropTarget,
    },
    /// The palette's item was clicked, not dragged: place it by [`crate::place_after`] and connect it.
    PaletteClick,
    /// Open the menu for this.
    Menu {
        /// What it is for.
        target: Target,
        /// Where, on the screen.
        at: Point,
    },
    /// Clicked without a drag; comes after the intent that selects.
    Click {
        /// What.
        target: Target,
        /// Modifiers.
        mods: Mods,
        /// Where, on the screen.
        at: Point,
    },
    /// Clicked twice: open it (or, on free canvas, quick-add there).
    DoubleClick {
        /// What.
        target: Target,
        /// Where, on the screen.
        at: Point,
    },
    /// The gesture ended without effect: take the previews away.
    Cancel,
}

/// What the machine looks at: the scene, what part of it shows, what is selected.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The indexed scene.
    pub stage: &'a Stage,
    /// What part of it shows.
    pub viewport: Viewport,
    /// Width of the stage in screen pixels.
    pub width: f64,
    /// Height of the stage in screen pixels.
    pub height: f64,
    /// What is selected.
    pub selection: &'a BTreeSet<Pick>,
    /// Whether nothing may change: only pan, zoom, select and click.
    pub read_only: bool,
}

/// What the pointer should look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cursor {
    /// An arrow.
    Default,
    /// An open hand: space is held.
    Grab,
    /// A closed hand: panning.
    Grabbing,
    /// Nodes are moving.
    Move,
    /// A connector or a box is being drawn.
    Crosshair,
    /// A note is being resized.
    Resize,
    /// It would be dropped.
    Copy,
    /// It cannot be dropped here.
    NoDrop,
}
