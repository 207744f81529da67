//! Small pieces of markup the panels share.

use leptos::prelude::*;
use loopwright_lang::{Severity, Value};
use loopwright_panels::{show, syntax::Class};

pub use crate::ui::{icon, small_icon, tile};

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
