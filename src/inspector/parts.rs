//! Small pieces of markup the panels share.

use leptos::prelude::*;
use loopwright_lang::{Severity, Value};
use loopwright_model::StepKind;
use loopwright_panels::{show, syntax::Class};

/// An icon of the sprite, 16 px.
pub fn icon(name: &'static str) -> impl IntoView {
    view! { <svg class="i" aria-hidden="true"><use href=format!("#{name}")></use></svg> }
}

/// The same, 12 px.
pub fn small_icon(name: &'static str) -> impl IntoView {
    view! { <svg class="i i12" aria-hidden="true"><use href=format!("#{name}")></use></svg> }
}

/// The tile of a kind of step. `size` is `""`, `t24`, `t20` or `t16`.
pub fn tile(kind: StepKind, size: &str) -> impl IntoView + use<> {
    let name = kind_name(kind);
    view! { <svg class=format!("tile {size} k-{name}") aria-hidden="true"><use href=format!("#k-{name}")></use></svg> }
}

/// The name of a kind in class names and the sprite.
pub fn kind_name(kind: StepKind) -> &'static str {
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

/// The class of a syntax colour.
pub fn syntax_class(class: Class) -> &'static str {
    match class {
        Class::Plain => "",
        Class::Root => "sy-r",
        Class::Path => "sy-p",
        Class::Text => "sy-s",
        Class::Number => "sy-n",
        Class::Operator => "sy-o",
        Class::Key => "sy-k",
    }
}

/// A value on one line in its colour, with the whole of it (as far as it is readable) in the tooltip.
pub fn value_text(value: &Value, limit: usize) -> impl IntoView + use<> {
    let class = syntax_class(show::class(value));
    let short = show::preview(value, limit);
    let long = show::preview(value, 2_000);
    let title = (long != short).then_some(long);
    view! { <span class=format!("v ell {class}") title=title>{short}</span> }
}

/// The class that sets the colours of a severity.
pub fn severity_class(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "s-failed",
        Severity::Warning => "s-waiting",
        Severity::Hint => "s-running",
    }
}

/// The glyph of a severity.
pub fn severity_icon(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warn",
        Severity::Hint => "info",
    }
}

/// A sentence with its `quoted` parts as code.
pub fn prose(text: &str) -> impl IntoView + use<> {
    text.split('`')
        .enumerate()
        .filter(|(_, part)| !part.is_empty())
        .map(|(at, part)| {
            let part = part.to_owned();
            if at % 2 == 1 { view! { <code>{part}</code> }.into_any() } else { part.into_any() }
        })
        .collect_view()
}
