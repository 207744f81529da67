//! What a run did, and what it starts with: scenario, timeline, iterations, payload, events.

pub mod asked;
mod details;
mod events;
mod iterations;
mod payload;
mod scenario;
mod script_form;
mod timeline;
mod virtual_list;

use leptos::{ev, prelude::*};
use loopwright_executor::protocol::FrameId;

pub use scenario::mock_tab;

use crate::{
    platform::dom,
    session::{DockTab, Session, session},
};

/// The content of one of the dock's tabs about the run.
pub fn run_tab(tab: DockTab) -> AnyView {
    let session = session();
    match tab {
        DockTab::Scenario => scenario::scenario_tab(session),
        DockTab::Timeline => timeline::timeline_tab(session),
        DockTab::Iterations => iterations::iterations_tab(session),
        DockTab::Payload => payload::payload_tab(session),
        DockTab::Events => events::events_tab(session),
        DockTab::Problems => ().into_any(),
    }
}

/// The tools of a tab, shown at the right end of the dock's tab row.
pub fn run_tools(tab: DockTab) -> AnyView {
    match tab {
        DockTab::Timeline => timeline::timeline_tools(session()),
        _ => ().into_any(),
    }
}

/// Keeps the playhead at the selected iteration: selecting one, wherever, moves canvas and payload to its end.
pub fn follow(session: Session) {
    let chosen = asked::selected(session);
    Effect::new(move |before: Option<Option<FrameId>>| {
        let before = before.flatten();
        let Some(frame) = chosen.get() else { return before };
        let end = frame.end_us.unwrap_or(frame.start_us);
        // A playhead that is inside it already was dragged there.
        let inside = session.run.playhead_us.get_untracked().is_some_and(|now| frame.start_us <= now && now <= end);
        if before != Some(frame.frame) && !inside {
            session.run.playhead_us.set(Some(end));
        }
        Some(frame.frame)
    });
}

/// The keys of the dock: Space plays and pauses, `,` `.` one event, `[` `]` one iteration, N and Shift+N the next and the previous failure.
pub fn dock_key(session: Session, event: &ev::KeyboardEvent) {
    if dom::is_typing() || event.ctrl_key() || event.meta_key() || event.alt_key() || session.run.run.get_untracked().is_none() {
        return;
    }
    match event.key().as_str() {
        " " if !dom::takes_space() => session.run.play_or_pause(),
        "," => timeline::step_event(session, true),
        "." => timeline::step_event(session, false),
        "[" => timeline::step_iteration(session, true),
        "]" => timeline::step_iteration(session, false),
        "n" => timeline::step_failure(session, false),
        "N" => timeline::step_failure(session, true),
        _ => return,
    }
    event.prevent_default();
    event.stop_propagation();
}
