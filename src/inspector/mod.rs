//! The inspector of the selection.

use leptos::prelude::*;

/// The right-hand panel's content.
pub fn inspector() -> AnyView {
    ().into_any()
}
