//! A list of which only what is in view is on the page: rows of one height, so the place of each is known.

use leptos::{html, prelude::*};

use crate::platform::dom;

/// Rows kept above and below what is in view.
const SPARE: u64 = 12;
/// Windows begin at multiples of this, so that a little scrolling asks nothing new.
const STEP: u64 = 16;

/// The part of a list in view.
#[derive(Clone, Copy)]
pub struct VirtualList {
    /// The scrolling element.
    pub node: NodeRef<html::Div>,
    /// First row of the window, and how many rows.
    pub window: Memo<(u64, u32)>,
    /// First row in view, and one past the last.
    pub in_view: Memo<(u64, u64)>,
    /// Height of a row in px.
    pub row: f64,
    scrolled: RwSignal<f64>,
    height: RwSignal<f64>,
}

impl VirtualList {
    /// A list of rows of one height.
    pub fn new(row: f64) -> Self {
        let node = NodeRef::new();
        let scrolled = RwSignal::new(0.0);
        let height = RwSignal::new(0.0_f64);
        dom::on_resize(node, move |_, new| height.set(new));
        let in_view = Memo::new(move |_| ((scrolled.get() / row) as u64, ((scrolled.get() + height.get()) / row).ceil() as u64));
        let window = Memo::new(move |_| {
            let (from, to) = in_view.get();
            let from = from.saturating_sub(SPARE) / STEP * STEP;
            let to = (to + SPARE).div_ceil(STEP) * STEP;
            (from, u32::try_from(to - from).unwrap_or(u32::MAX))
        });
        Self { node, window, in_view, row, scrolled, height }
    }

    /// To be called when the element has scrolled.
    pub fn on_scroll(self) {
        if let Some(node) = self.node.get_untracked() {
            self.scrolled.set(f64::from(node.scroll_top()));
        }
    }

    /// The place of a row, as a CSS length.
    pub fn top(self, row: u64) -> String {
        format!("{}px", row as f64 * self.row)
    }

    /// Brings a row into view, moving as little as it takes.
    pub fn reveal(self, row: u64) {
        let Some(node) = self.node.get_untracked() else { return };
        let (top, bottom) = (row as f64 * self.row, (row + 1) as f64 * self.row);
        let (seen, height) = (self.scrolled.get_untracked(), self.height.get_untracked());
        let target = if top < seen {
            top
        } else if bottom > seen + height {
            bottom - height
        } else {
            return;
        };
        node.set_scroll_top(target as i32);
    }
}
