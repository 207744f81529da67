//! One place for set-up, serve, build, test and bench.
fn main() {}
