//! What a file that was opened had to say.

use leptos::prelude::*;

use super::modal;
use crate::{
    session::files::Report,
    text,
    ui::{icon, severity_icon, text_button},
};

/// How many notices are listed.
const LISTED: usize = 100;

/// The notices of a file.
pub fn report(found: &Report, close: impl Fn() + Copy + Send + Sync + 'static) -> AnyView {
    let rows = found.notices.iter().take(LISTED).map(|notice| {
        let (name, class) = severity_icon(notice.severity);
        view! { <li class=format!("notice {class}")><span class="glyph">{icon(name)}</span><span>{notice.message.clone()}</span><code>{notice.code}</code></li> }
    });
    let rest = found.notices.len().saturating_sub(LISTED);
    let content = view! {
        <p class="dialog-lead">{text::report_lead(found)}</p>
        <ul class="notices">{rows.collect_view()}</ul>
        {(rest > 0).then(|| view! { <p class="t3">{text::more(rest)}</p> })}
        <div class="dialog-foot">{text_button(text::CLOSE, close)}</div>
    };
    modal("report", text::report_title(found), close, content.into_any())
}
