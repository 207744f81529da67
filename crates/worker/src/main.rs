//! The web worker.
fn main() {}
