//! The Events tab: the log, only what is in view on the page.

use leptos::prelude::*;
use loopwright_executor::protocol::{Ask, EventRow, Reply};
use loopwright_panels::show;

use super::{asked::asked, details::step_name, virtual_list::VirtualList};
use crate::{
    inspector::parts::{severity_class, severity_icon},
    session::Session,
    text::{inspector, run as text},
    ui::{icon, small_icon},
};

/// Height of a row in px.
const ROW: f64 = 24.0;

/// The tab's content.
pub fn events_tab(session: Session) -> AnyView {
    let list = VirtualList::new(ROW);
    let answer = asked(
        session,
        move || {
            let (from, count) = list.window.get();
            Some(Ask::Events { run: session.run.run.get()?, from, count })
        },
        |reply| if let Reply::Events(events) = reply { Some(events) } else { None },
    );
    let total = move || answer.with(|answer| answer.as_ref().map_or(0, |answer| answer.total));
    let rows = move || answer.with(|answer| answer.as_ref().map(|answer| answer.rows.clone()).unwrap_or_default());
    let body = move || {
        if session.run.run.get().is_none() {
            return view! { <p class="empty">{text::NO_RUN}</p> }.into_any();
        }
        view! {
            <div class="its">
                <div class="vt" role="table" aria-label=text::EVENTS aria-rowcount=move || (total() + 1).to_string()>
                    <div role="rowgroup">
                        <div class="vt-row vt-head evs-cols" role="row" aria-rowindex="1">
                            <span role="columnheader">{text::COLUMN_EVENT}</span>
                            <span role="columnheader">{text::COLUMN_TIME}</span>
                            <span role="columnheader">{text::COLUMN_KIND}</span>
                            <span role="columnheader">{text::COLUMN_STEP}</span>
                            <span role="columnheader">{text::COLUMN_ITERATION}</span>
                            <span role="columnheader">{text::COLUMN_TEXT}</span>
                        </div>
                    </div>
                    <div class="vt-scroll" role="rowgroup" tabindex="0" node_ref=list.node on:scroll=move |_| list.on_scroll()>
                        <div class="vt-space" role="presentation" style:height=move || list.top(total())>
                            <For each=rows key=|row| row.event let:row>
                                {row_view(session, list, row)}
                            </For>
                        </div>
                    </div>
                </div>
                <div class="its-foot meta t3 num">
                    <span>{move || text::events(total())}</span>
                    <span class="grow"></span>
                    <button type="button" class="btn ghost sm" title=text::SAVE_LOG_TITLE on:click=move |_| save_log(session)>
                        {icon("down")}{text::SAVE_LOG}
                    </button>
                </div>
            </div>
        }
        .into_any()
    };
    view! { <div class="tl-tab" on:keydown=move |event| super::dock_key(session, &event)>{body}</div> }.into_any()
}

fn save_log(session: Session) {
    let Some(run) = session.run.run.get_untracked() else { return };
    leptos::task::spawn_local(async move {
        if let Ok(Reply::Log(bytes)) = session.run.ask(Ask::Log { run }).await {
            session.download_log(&bytes);
        }
    });
}

fn row_view(session: Session, list: VirtualList, row: EventRow) -> AnyView {
    let at = row.at_us;
    let name = row.step.map(|step| session.doc.with(|document| step_name(document, step))).unwrap_or_default();
    let past = move || session.run.now_us() >= at;
    let current = move || session.run.steps.with(|steps| steps.event) == row.event;
    let notice = row
        .severity
        .map(|severity| view! { <span class=format!("st {}", severity_class(severity))>{small_icon(severity_icon(severity))}</span> });
    view! {
        <div
            class="vt-row evs-cols"
            class:is-future=move || !past()
            class:is-selected=current
            role="row"
            aria-rowindex=(row.event + 2).to_string()
            style:top=list.top(row.event)
            on:click=move |_| session.run.playhead_us.set(Some(at))
        >
            <span role="cell" class="num t3">
                <button type="button" class="vt-jump num" aria-label=text::go_to_event(row.event) on:click=move |_| session.run.playhead_us.set(Some(at))>
                    {show::count(row.event)}
                </button>
            </span>
            <span role="cell" class="num">{show::seconds(at)}</span>
            <span role="cell" class="m">{row.kind}</span>
            <span role="cell" class="ell" title=name.clone()>{name.clone()}</span>
            <span role="cell" class="num t2">{inspector::iteration_path(&row.path)}</span>
            <span role="cell" class="m t2 ell evs-text" title=row.text.clone()>{notice}{row.text.clone()}</span>
        </div>
    }
    .into_any()
}
