//! The measures everything on the stage is drawn to, in world units unless a name says screen.

/// Width of a step card.
pub const CARD_W: f64 = 240.0;
/// Height of a step card.
pub const CARD_H: f64 = 64.0;
/// A card's ports: half way down.
pub const CARD_PORT_Y: f64 = CARD_H / 2.0;

/// Room between a loop container's border and its body, left and right.
pub const CONTAINER_PAD: f64 = 32.0;
/// Width of a loop container: the body and the room at both sides.
pub const CONTAINER_W: f64 = CARD_W + 2.0 * CONTAINER_PAD;
/// Height of a loop container.
pub const CONTAINER_H: f64 = 176.0;
/// Height of a container's header.
pub const HEADER_H: f64 = 40.0;
/// Top of the strip of iteration cells.
pub const STRIP_Y: f64 = 48.0;
/// Height of the strip.
pub const STRIP_H: f64 = 16.0;
/// Top of the body.
pub const BODY_Y: f64 = 80.0;
/// The container's ports: the body's middle, so that a row of steps is one straight line.
pub const CONTAINER_PORT_Y: f64 = BODY_Y + CARD_PORT_Y;

/// Width of a Refine container (attempt and check side by side).
pub const REFINE_W: f64 = 608.0;
/// Height of a Refine container.
pub const REFINE_H: f64 = 208.0;

/// Width of a new note.
pub const NOTE_W: f64 = 208.0;
/// Height of a new note.
pub const NOTE_H: f64 = 64.0;
/// The smallest width of a note.
pub const NOTE_MIN_W: f64 = 96.0;
/// The smallest height of a note.
pub const NOTE_MIN_H: f64 = 40.0;

/// A port as drawn.
pub const PORT: f64 = 10.0;
/// Screen pixels in which a mouse or a pen hits a port.
pub const PORT_HIT: f64 = 24.0;
/// Screen pixels in which a finger hits a port.
pub const PORT_HIT_TOUCH: f64 = 44.0;
/// Screen pixels within which a connector snaps to a port.
pub const CONNECT_SNAP: f64 = 48.0;
/// Screen pixels of a note's corner that resize it.
pub const RESIZE_HIT: f64 = 16.0;

/// Radius of a path's corners.
pub const PATH_RADIUS: f64 = 12.0;
/// The least straight piece at both ends of a path.
pub const PATH_LEAD: f64 = 20.0;
/// The usual straight piece: half the layout's gap.
pub const PATH_TURN: f64 = GAP / 2.0;
/// Screen pixels across in which a path is hit.
pub const PATH_HIT: f64 = 20.0;
/// Screen pixels in which a finger hits a path.
pub const PATH_HIT_TOUCH: f64 = 32.0;
/// Distance between paths that share a port, where there is room.
pub const PATH_LANE: f64 = 8.0;
/// Length of the arrow.
pub const ARROW_LENGTH: f64 = 8.0;
/// Breadth of the arrow.
pub const ARROW_BREADTH: f64 = 9.0;
/// How far the arrow's tip is before the port.
pub const ARROW_BEFORE_PORT: f64 = 6.0;
/// Height of a label on a path.
pub const LABEL_H: f64 = 22.0;

/// What positions are multiples of.
pub const GRID: f64 = 8.0;
/// What a drag and Alt+arrow move by.
pub const SNAP: f64 = 16.0;
/// Gap between neighbouring steps, along the flow and across it.
pub const GAP: f64 = 48.0;
/// The least room between two cards that still counts as tidy.
pub const CLEARANCE: f64 = 16.0;

/// Below this zoom the second line of a card goes.
pub const ZOOM_NO_FACT: f64 = 0.5;
/// Below this zoom cards are blocks without text, drawn as one picture.
pub const ZOOM_BLOCKS: f64 = 0.35;
