//! Every string a person reads in the app. Sections by area; append to yours.

// ── session ──
pub const READ_ONLY: &str = "This file was written by a newer version, so it can be looked at but not changed.";
pub fn undone(label: &str) -> String {
    format!("Undone: {label}")
}
pub fn redone(label: &str) -> String {
    format!("Done again: {label}")
}
