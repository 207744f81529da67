//! The pure part of the canvas: gestures, geometry, culling, routing, layout.
