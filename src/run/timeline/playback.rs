//! The tools beside the tabs: step by event, play, speed, failures.

use leptos::{prelude::*, task::spawn_local};
use loopwright_executor::protocol::{Ask, Reply};
use loopwright_panels::show;

use crate::{
    session::{Playing, Session},
    text::run as text,
    ui::icon,
};

/// Speeds of playback.
const SPEEDS: [(f64, &str); 4] = [(0.25, "0.25×"), (1.0, "1×"), (4.0, "4×"), (16.0, "16×")];

/// Moves the playhead to the event after (or before) the one it is at.
pub fn step_event(session: Session, back: bool) {
    let Some(run) = session.run.run.get_untracked() else { return };
    let at = session.run.steps.with_untracked(|steps| steps.event);
    let now = session.run.steps.with_untracked(|steps| steps.at_us);
    spawn_local(async move {
        // The nearest event at another time: several happen at one instant.
        let (from, count) = if back { (at.saturating_sub(200), at.min(200) as u32) } else { (at, 200) };
        if let Ok(Reply::Events(events)) = session.run.ask(Ask::Events { run, from, count }).await {
            let other = if back {
                events.rows.iter().rev().find(|row| row.at_us < now).map(|row| row.at_us)
            } else {
                events.rows.iter().find(|row| row.at_us > now).map(|row| row.at_us)
            };
            if let Some(at) = other {
                session.run.playhead_us.set(Some(at));
            }
        }
    });
}

/// Selects the next (or previous) part that failed.
pub fn step_failure(session: Session, back: bool) {
    let Some(run) = session.run.run.get_untracked() else { return };
    let after = session.run.iteration.get_untracked();
    spawn_local(async move {
        let ask = |after| Ask::Failure { run, after, back };
        let mut found = session.run.ask(ask(after)).await;
        if after.is_some() && matches!(found, Ok(Reply::Found { frame: None, .. })) {
            // Past the last one the first one comes again.
            found = session.run.ask(ask(None)).await;
        }
        match found {
            Ok(Reply::Found { frame: Some(frame), .. }) => session.run.iteration.set(Some(frame)),
            _ => session.notify.say(text::NO_FAILURE),
        }
    });
}

/// Selects the neighbour of the selected iteration.
pub fn step_iteration(session: Session, back: bool) {
    let (Some(run), Some(frame)) = (session.run.run.get_untracked(), session.run.iteration.get_untracked()) else { return };
    spawn_local(async move {
        if let Ok(Reply::Frame(found)) = session.run.ask(Ask::Frame { run, frame }).await {
            let next = if back { found.neighbours.0 } else { found.neighbours.1 };
            if let Some(next) = next {
                session.run.iteration.set(Some(next));
            }
        }
    });
}

/// The tools.
pub fn timeline_tools(session: Session) -> AnyView {
    let run = session.run;
    let failures = move || run.summary.with(|summary| summary.as_ref().map_or(0, |summary| summary.failures));
    let button = move |label: &'static str, glyph: &'static str, act: Box<dyn Fn()>| {
        view! { <button type="button" class="btn ghost sm icon" aria-label=label title=label on:click=move |_| act()>{icon(glyph)}</button> }
    };
    // A button for each way; the one that plays pauses.
    let way = move |own: Playing, label: &'static str, glyph: &'static str| {
        let label = move || if run.playing.get() == own { text::PAUSE } else { label };
        let act = move |_| run.play_towards(if run.playing.get_untracked() == own { Playing::No } else { own });
        view! {
            <button type="button" class="btn ghost sm icon" aria-label=label title=label on:click=act>
                {move || icon(if run.playing.get() == own { "pause" } else { glyph })}
            </button>
        }
    };
    let speeds = SPEEDS.into_iter().map(move |(own, label)| {
        view! { <button type="button" aria-pressed=move || (run.speed.get() == own).to_string() on:click=move |_| run.speed.set(own)>{label}</button> }
    });
    view! {
        <Show when=move || run.run.get().is_some()>
            {button(text::PREVIOUS_EVENT, "prev", Box::new(move || step_event(session, true)))}
            {way(Playing::Back, text::PLAY_BACK, "play-back")}
            {way(Playing::On, text::PLAY, "play")}
            {button(text::NEXT_EVENT, "next", Box::new(move || step_event(session, false)))}
            <div class="seg sm" role="group" aria-label=text::SPEED>{speeds.clone().collect_view()}</div>
            {move || (failures() > 0).then(|| view! {
                <span class="sep"></span>
                <button type="button" class="btn ghost sm tl-failures" title=text::NEXT_FAILURE on:click=move |_| step_failure(session, false)>
                    {icon("failed")}
                    <span class="word">{text::failures(failures())}</span>
                    <span class="count" aria-hidden="true">{show::count(failures())}</span>
                    <span class="kbd">"N"</span>
                </button>
            })}
        </Show>
    }
    .into_any()
}
