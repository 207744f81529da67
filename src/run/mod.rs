//! What a run did: scenario, timeline, iterations, payload, events, compare.

use leptos::prelude::*;

use crate::session::DockTab;

/// The content of one of the dock's tabs about the run.
pub fn run_tab(_tab: DockTab) -> AnyView {
    ().into_any()
}

/// The tools of a tab, shown at the right end of the dock's tab row (the timeline's play button and the like).
pub fn run_tools(_tab: DockTab) -> AnyView {
    ().into_any()
}
