//! Help: the keys.

use leptos::prelude::*;

use super::modal;
use crate::{shell::keys, text};

/// The keys, by what they are for.
pub fn help(close: impl Fn() + Copy + Send + Sync + 'static) -> AnyView {
    let groups = text::KEYS.iter().map(|(title, keys)| {
        let rows =
            keys.iter().map(|(key, what)| view! { <div class="key-row"><dt><kbd class="kbd">{*key}</kbd></dt><dd>{*what}</dd></div> });
        view! { <section><h3>{*title}</h3><dl>{rows.collect_view()}</dl></section> }
    });
    let single = RwSignal::new(keys::single_keys());
    let content = view! {
        <p class="dialog-lead">{text::HELP_LEAD}</p>
        <div class="keys">{groups.collect_view()}</div>
        <label class="check"><input type="checkbox" prop:checked=move || single.get() on:change=move |event| {
            let on = event_target_checked(&event);
            single.set(on);
            keys::set_single_keys(on);
        }/>{text::SINGLE_KEYS}</label>
    };
    modal("help", text::HELP.to_owned(), close, content.into_any())
}
