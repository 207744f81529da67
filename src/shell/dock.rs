//! The dock: one row of tabs, one panel.

use leptos::prelude::*;
use web_sys::KeyboardEvent;

use crate::{
    platform::{dom, page},
    problems, run,
    session::{DockTab, session},
    text,
    ui::{icon, splitter},
};

/// The least height of an open dock, in px.
pub const LOWEST: f64 = 120.0;
/// How much of the canvas stays free above it, in px.
const ABOVE: f64 = 200.0;

fn highest() -> f64 {
    page::height() - ABOVE
}

fn tab_id(tab: DockTab) -> &'static str {
    match tab {
        DockTab::Problems => "tab-problems",
        DockTab::Scenario => "tab-scenario",
        DockTab::Timeline => "tab-timeline",
        DockTab::Iterations => "tab-iterations",
        DockTab::Payload => "tab-payload",
        DockTab::Events => "tab-events",
    }
}

/// The dock.
pub fn dock() -> AnyView {
    let session = session();
    let layout = session.layout;
    let count = move |tab: DockTab| {
        let (number, bad) = match tab {
            DockTab::Problems => session.problems.counts(),
            DockTab::Iterations => {
                let count = session.run.summary.with(|summary| summary.as_ref().map_or(0, |summary| summary.iterations));
                (usize::try_from(count).unwrap_or(usize::MAX), 0)
            }
            _ => (0, 0),
        };
        (number > 0).then(|| view! { <span class="cnt" class:bad={bad > 0}>{text::short_count(number)}</span> })
    };
    let tabs = DockTab::ALL.map(|tab| {
        let chosen = move || layout.dock_open.get() && layout.dock_tab.get() == tab;
        view! {
            <button type="button" class="tab" role="tab" id=tab_id(tab) aria-controls="dock-panel" aria-selected=move || chosen().to_string()
                tabindex=move || if layout.dock_tab.get() == tab { "0" } else { "-1" } on:click=move |_| layout.show_dock(tab)>
                {text::tab(tab)}{move || count(tab)}
            </button>
        }
    });
    let key = move |event: KeyboardEvent| {
        let now = layout.dock_tab.get_untracked();
        let place = DockTab::ALL.iter().position(|tab| *tab == now).unwrap_or(0);
        let last = DockTab::ALL.len() - 1;
        let wanted = match event.key().as_str() {
            "ArrowRight" => {
                if place == last {
                    0
                } else {
                    place + 1
                }
            }
            "ArrowLeft" => place.checked_sub(1).unwrap_or(last),
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        if let Some(tab) = DockTab::ALL.get(wanted) {
            layout.show_dock(*tab);
            dom::focus_id(tab_id(*tab));
            event.prevent_default();
        }
    };
    let tall = move || {
        let high = highest();
        layout.dock_open.set(true);
        layout.dock_height.set(if layout.dock_height.get_untracked() < high * 0.7 { high } else { 216.0 });
    };
    let toggle = move |_| layout.dock_open.update(|open| *open = !*open);
    let panel = move || {
        layout.dock_open.get().then(|| {
            let tab = layout.dock_tab.get();
            let content = match tab {
                DockTab::Problems => problems::problems_tab(),
                other => run::run_tab(other),
            };
            view! { <div class="dock-panel scroll" id="dock-panel" role="tabpanel" aria-labelledby=tab_id(tab)>{content}</div> }
        })
    };
    let tools = move || layout.dock_open.get().then(|| run::run_tools(layout.dock_tab.get()));
    let height = move || {
        if layout.dock_open.get() { format!("{}px", layout.dock_height.get().min(highest().max(LOWEST))) } else { "36px".to_owned() }
    };
    view! {
        <section
            class="dock"
            class:is-closed=move || !layout.dock_open.get()
            style:height=height
            aria-label=text::DOCK
            on:keydown=move |event| run::dock_key(session, &event)
        >
            {move || layout.dock_open.get().then(|| splitter::above(text::DOCK_HEIGHT, layout.dock_height, LOWEST, highest))}
            <div class="dock-head tabs">
                <div class="tablist" role="tablist" aria-label=text::DOCK on:keydown=key>{tabs}</div>
                <span class="tools">
                    {tools}
                    <button type="button" class="btn ghost sm icon" aria-label=text::TALLER title=text::TALLER on:click=move |_| tall()>{icon("up")}</button>
                    <button type="button" class="btn ghost sm icon" aria-label=move || if layout.dock_open.get() { text::CLOSE_DOCK } else { text::OPEN_DOCK } on:click=toggle>
                        {move || icon(if layout.dock_open.get() { "close" } else { "expand" })}
                    </button>
                </span>
            </div>
            {panel}
        </section>
    }
    .into_any()
}
