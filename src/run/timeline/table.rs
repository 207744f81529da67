//! The timeline as a table, for those whom bars tell nothing.

use leptos::prelude::*;
use loopwright_executor::protocol::{Bar, BarKind};
use loopwright_panels::show;

use super::{Lanes, rows::title};
use crate::{
    run::details::state_marks,
    text::run as text,
    ui::{icon, small_icon},
};

/// Most bars listed; the rest is one line.
const LISTED: usize = 1_000;

/// The table.
pub fn table(lanes: Lanes) -> AnyView {
    let lines = move || {
        let Some(timeline) = lanes.window.get() else { return ().into_any() };
        let all: Vec<(String, Option<u64>, Bar)> = timeline
            .rows
            .iter()
            .flat_map(|row| {
                let name = title(lanes, row);
                row.bars.iter().filter(|bar| bar.kind != BarKind::Delay).map(move |bar| (name.clone(), row.of, bar.clone()))
            })
            .collect();
        let left_out = all.len().saturating_sub(LISTED);
        let lines = all.into_iter().take(LISTED).map(|(name, of, bar)| {
            let took = bar.end_us - bar.start_us;
            let (glyph, class) = state_marks(bar.state);
            let what = match (bar.kind, bar.index) {
                (BarKind::Aggregate { count, .. }, _) => text::aggregated(count),
                (BarKind::Iteration, Some(index)) => format!("{}{}", text::iteration(index), text::of_total(of)),
                (BarKind::Attempt, Some(number)) => text::attempt_number(number),
                _ => String::new(),
            };
            let chosen = move || bar.frame.is_some() && lanes.focus.get() == bar.frame;
            let (frame, kind, end) = (bar.frame, bar.kind, bar.end_us);
            view! {
                <tr class:is-selected=chosen>
                    <th scope="row">
                        <button
                            type="button"
                            class="kv-jump"
                            disabled=frame.is_none()
                            on:click=move |_| {
                                if let Some(frame) = frame {
                                    lanes.select(frame, kind, end);
                                }
                            }
                        >
                            {name}
                        </button>
                    </th>
                    <td>{what}</td>
                    <td><span class=format!("st {class}")>{small_icon(glyph)}<span class="w">{text::short_state(bar.state)}</span></span></td>
                    <td class="r num">{show::seconds(bar.start_us)}</td>
                    <td class="r num">{show::seconds(took)}</td>
                </tr>
            }
        });
        view! {
            {lines.collect_view()}
            {(left_out > 0).then(|| view! { <tr><td colspan="5" class="t3">{text::aggregated(left_out as u64)}</td></tr> })}
        }
        .into_any()
    };
    view! {
        <div class="tl-table" tabindex="0" role="region" aria-label=text::TIMELINE>
            <table class="mx">
                <thead>
                    <tr>
                        <th scope="col">{text::TABLE_ROW}</th>
                        <th scope="col">{text::TABLE_WHAT}</th>
                        <th scope="col">{text::TABLE_STATE}</th>
                        <th scope="col" class="r">{text::TABLE_START}</th>
                        <th scope="col" class="r">{text::TABLE_DURATION}</th>
                    </tr>
                </thead>
                <tbody>{lines}</tbody>
            </table>
            <button type="button" class="btn sm tl-as-bars" on:click=move |_| lanes.as_table.set(false)>{icon("diff")}{text::AS_BARS}</button>
        </div>
    }
    .into_any()
}
