//! The pure part of the canvas: gestures, geometry, culling, routing, layout. No element, no clock, no other crate.
//!
//! The caller describes what is on the stage as a [`Scene`], indexes it as a [`Stage`], feeds pointer, wheel and key events to
//! one [`Gesture`] and does what its [`Intent`]s say. Screen points are relative to the stage's top left corner, world units are
//! CSS pixels at 100 % zoom, times are milliseconds.
//!
//! ```
//! use std::collections::BTreeSet;
//! use loopwright_stage::*;
//!
//! let scene = Scene {
//!     nodes: vec![
//!         SceneNode::new(NodeId(1), NodeShape::Card, 16.0, 152.0),
//!         SceneNode::new(NodeId(2), NodeShape::Container, 304.0, 72.0),
//!     ],
//!     links: vec![SceneLink { id: LinkId(1), from: NodeId(1), to: NodeId(2) }],
//! };
//! let stage = Stage::new(scene);
//! let mut viewport = Viewport::default();
//! let mut gesture = Gesture::default();
//! let selection = BTreeSet::new();
//!
//! // What to draw.
//! let visible = stage.visible(&viewport, 900.0, 600.0);
//! assert_eq!(visible.nodes, [NodeId(1), NodeId(2)]);
//! let line = stage.route(LinkId(1)).map(|r| (r.d(), r.arrow(), r.label));
//! assert!(line.is_some());
//!
//! // What a person does.
//! let view = View { stage: &stage, viewport, width: 900.0, height: 600.0, selection: &selection, read_only: false };
//! let wheel = Input::Wheel { at: pt(0.0, 0.0), dx: 0.0, dy: 10.0, unit: WheelUnit::Pixel, mods: Mods::default(), mac_pinch: false };
//! for intent in gesture.handle(&wheel, &view) {
//!     match intent {
//!         Intent::Pan { dx, dy } => viewport = viewport.panned(dx, dy),
//!         Intent::ZoomAt { at, factor } => viewport = viewport.zoomed_by(at, factor),
//!         // Previews go to an overlay, commits become one edit of the document each.
//!         _ => {}
//!     }
//! }
//! ```
//!
//! - [`geometry`]: points, rectangles, [`Viewport`] · [`sizes`]: every measure
//! - [`Stage`]: `visible`, `route`, `routes_moved` (paths while dragging), `connector`, `hit`
//! - [`Gesture::handle`]: the machine; ask [`Gesture::wants_ticks`] and [`Gesture::cursor`] after each input
//! - [`tidy`], [`place_after`], [`free_place`]: where things go
//! - [`nearest`], [`flow_order`]: the keyboard's ways · [`Minimap`]

pub mod geometry;
pub mod sizes;

mod gesture;
mod graph;
mod grid;
mod layout;
mod machine;
mod minimap;
mod place;
mod preview;
mod quick;
mod route;
mod scene;
mod snap;
mod stage;
mod walk;

pub use geometry::{Point, Rect, Viewport, WheelUnit, pt, rect};
pub use gesture::{Button, Cursor, DropTarget, End, Input, Intent, Mods, Pick, PointerKind, Port, Side, Target, View};
pub use grid::GridIndex;
pub use layout::{Placed, tidy};
pub use machine::Gesture;
pub use minimap::Minimap;
pub use place::{free_place, place_after};
pub use route::{Ends, Lane, Route, route};
pub use scene::{LinkId, NodeId, NodeShape, Scene, SceneLink, SceneNode};
pub use snap::{GapHint, Guide, Guides, Snapped, snap, to_grid};
pub use stage::{Stage, Visible};
pub use walk::{Direction, flow_order, nearest};
