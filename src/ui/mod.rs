//! Our own small primitives: icons, menus, dialogs, splitter.

pub mod menu;
pub mod splitter;

use leptos::prelude::*;
use loopwright_lang::Severity;
use loopwright_model::StepKind;

/// The sprite all icons come from; put once at the top of the page.
pub fn sprite() -> impl IntoView {
    // Our own file, built in; nothing a person wrote goes through here.
    view! { <div class="sprite-host" inner_html=include_str!("../../assets/icons.svg")></div> }
}

/// An icon of the sprite, 16 px.
pub fn icon(name: &'static str) -> impl IntoView {
    view! { <svg class="i" aria-hidden="true"><use href=format!("#{name}")></use></svg> }
}

/// The same, 12 px.
pub fn small_icon(name: &'static str) -> impl IntoView {
    view! { <svg class="i i12" aria-hidden="true"><use href=format!("#{name}")></use></svg> }
}

/// The tile of a kind of step. `size` is `""`, `t24`, `t20` or `t16`.
pub fn tile(kind: StepKind, size: &'static str) -> impl IntoView {
    let name = kind_class(kind);
    view! { <svg class=format!("tile {size} k-{name}") aria-hidden="true"><use href=format!("#k-{name}")></use></svg> }
}

/// The name of a kind in class names and the sprite.
pub fn kind_class(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Action => "action",
        StepKind::SubAgent => "agent",
        StepKind::Prompt => "prompt",
        StepKind::ForEach => "foreach",
        StepKind::While => "while",
        StepKind::Refine => "refine",
        StepKind::Unknown => "unknown",
    }
}

/// The icon and the state class of a severity.
pub fn severity_icon(severity: Severity) -> (&'static str, &'static str) {
    match severity {
        Severity::Error => ("error", "s-failed"),
        Severity::Warning => ("warn", "s-waiting"),
        Severity::Hint => ("info", "s-skipped"),
    }
}

/// A button that shows only an icon.
pub fn icon_button(name: &'static str, label: &'static str, on_click: impl Fn() + 'static) -> impl IntoView {
    view! {
        <button type="button" class="btn ghost icon" aria-label=label title=label on:click=move |_| on_click()>
            {icon(name)}
        </button>
    }
}

/// A button with a text.
pub fn text_button(label: impl Into<String>, on_click: impl Fn() + 'static) -> impl IntoView {
    let label = label.into();
    view! { <button type="button" class="btn" on:click=move |_| on_click()>{label}</button> }
}
