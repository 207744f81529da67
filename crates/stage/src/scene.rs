//! What is on the stage, as plain data.

use crate::geometry::{Point, Rect, pt, rect, sane};
use crate::sizes;

/// A node's number, given by the caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A path's number, given by the caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub u32);

/// What a node is drawn as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NodeShape {
    /// A step.
    #[default]
    Card,
    /// A loop around a body.
    Container,
    /// A text on the canvas; it has no ports.
    Note,
}

impl NodeShape {
    /// Width and height of a new node of this shape.
    pub fn size(self) -> Point {
        match self {
            NodeShape::Card => pt(sizes::CARD_W, sizes::CARD_H),
            NodeShape::Container => pt(sizes::CONTAINER_W, sizes::CONTAINER_H),
            NodeShape::Note => pt(sizes::NOTE_W, sizes::NOTE_H),
        }
    }

    /// Distance of the ports below the top.
    pub fn port_y(self) -> f64 {
        match self {
            NodeShape::Card => sizes::CARD_PORT_Y,
            NodeShape::Container => sizes::CONTAINER_PORT_Y,
            NodeShape::Note => sizes::NOTE_H / 2.0,
        }
    }
}

/// One node of the scene: world coordinates of its top left corner, its size, its shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneNode {
    /// Its number.
    pub id: NodeId,
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
    /// What it is drawn as.
    pub kind: NodeShape,
    /// Distance of its ports below its top: [`NodeShape::port_y`] unless the caller knows better.
    pub port_y: f64,
    /// The body of a container, relative to the node's corner; pressing it is [`crate::Target::Body`], and a palette item can be dropped into it.
    pub body: Option<Rect>,
    /// Whether it can be dragged (read-only players and pinned nodes cannot).
    pub fixed: bool,
}

impl SceneNode {
    /// A node of the usual size for its shape; a container gets its usual body.
    pub fn new(id: NodeId, kind: NodeShape, x: f64, y: f64) -> SceneNode {
        let size = kind.size();
        let body = (kind == NodeShape::Container).then(|| rect(sizes::CONTAINER_PAD, sizes::BODY_Y, sizes::CARD_W, sizes::CARD_H));
        SceneNode { id, x: sane(x), y: sane(y), w: size.x, h: size.y, kind, port_y: kind.port_y(), body, fixed: false }
    }

    /// The rectangle it covers.
    pub fn rect(&self) -> Rect {
        rect(sane(self.x), sane(self.y), sane(self.w).max(1.0), sane(self.h).max(1.0))
    }

    /// The body's rectangle in the world.
    pub fn body_rect(&self) -> Option<Rect> {
        self.body.map(|b| b.moved(self.rect().origin()))
    }

    /// Whether paths can start and end here.
    pub fn has_ports(&self) -> bool {
        self.kind != NodeShape::Note
    }

    /// The height of its ports in the world; what rows are aligned by.
    pub fn line(&self) -> f64 {
        sane(self.y) + sane(self.port_y)
    }

    /// Where paths come in.
    pub fn port_in(&self) -> Point {
        pt(self.rect().x, self.line())
    }

    /// Where paths go out.
    pub fn port_out(&self) -> Point {
        pt(self.rect().right(), self.line())
    }
}

/// One path of the scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SceneLink {
    /// Its number.
    pub id: LinkId,
    /// The node it leaves.
    pub from: NodeId,
    /// The node it enters; may be the same.
    pub to: NodeId,
}

/// Everything on the stage. The order of nodes and links is the document's: ties are broken by it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// The nodes.
    pub nodes: Vec<SceneNode>,
    /// The paths; one whose end is not among the nodes is not drawn.
    pub links: Vec<SceneLink>,
}

impl Scene {
    /// The smallest rectangle around all nodes; `None` for an empty scene.
    pub fn bounds(&self) -> Option<Rect> {
        Rect::around(self.nodes.iter().map(SceneNode::rect))
    }
}
