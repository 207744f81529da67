//! The Problems tab.

use leptos::prelude::*;

/// The tab's content.
pub fn problems_tab() -> AnyView {
    ().into_any()
}
