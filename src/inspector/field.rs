//! A labelled field of the Configuration: the control, what its text resolves to, and what is wrong with it.

use std::sync::Arc;

use leptos::prelude::*;
use loopwright_lang::{Scope, Severity, Value, json};
use loopwright_panels::{column, offsets, syntax::Mode};

use super::{
    bind::{Bind, Mend, Trouble},
    code_field::{CodeField, code_field},
    parts::{prose, severity_class, severity_icon, small_icon},
};
use crate::{session::Session, text::inspector as text};

/// The problems under a field, each with its Fix button. `mend` applies a fix of the field's own text.
pub fn fix_bars(
    session: Session,
    id: String,
    troubles: Signal<Vec<Trouble>>,
    name: String,
    mend: Callback<(usize, usize, String)>,
) -> AnyView {
    let rows = move || {
        let name = name.clone();
        troubles
            .get()
            .into_iter()
            .map(move |trouble| {
                let button = trouble.fix.map(|fix| {
                    let label = format!("{}: {}, {name}", text::FIX, fix.label());
                    let title = fix.label().to_owned();
                    view! {
                        <button
                            type="button"
                            class="btn fix"
                            aria-label=label
                            title=title
                            // The field keeps the cursor.
                            on:mousedown=|event| event.prevent_default()
                            on:click=move |_| match &fix {
                                Mend::Edit(edit) => {
                                    session.apply(edit.as_ref().clone());
                                }
                                Mend::Text { span, with, .. } => mend.run((span.range().start, span.range().end, with.clone())),
                            }
                        >
                            {text::FIX}
                        </button>
                    }
                });
                view! {
                    <div class=format!("fixbar {}", severity_class(trouble.severity))>
                        {small_icon(severity_icon(trouble.severity))}
                        <span class="grow"><span class="sr">{text::severity(trouble.severity)} ": "</span>{prose(&trouble.message)}</span>
                        {button}
                    </div>
                }
            })
            .collect_view()
    };
    // Polite: it changes at every keystroke.
    view! { <div id=id class="fixbars" aria-live="polite">{rows}</div> }.into_any()
}

/// The label line and the problems around a control.
pub fn labelled(session: Session, bind: &Bind, control: AnyView, hint: Option<AnyView>) -> AnyView {
    let watched = bind.clone();
    let troubles = Signal::derive(move || watched.problems(session));
    labelled_with(session, bind, control, hint, troubles, None)
}

/// The same, with problems of the field's own text among them.
pub fn labelled_with(
    session: Session,
    bind: &Bind,
    control: AnyView,
    hint: Option<AnyView>,
    troubles: Signal<Vec<Trouble>>,
    mend: Option<Callback<(usize, usize, String)>>,
) -> AnyView {
    let id = bind.dom_id();
    let name = bind.name().to_owned();
    let writer = bind.clone();
    let mend = mend.unwrap_or_else(|| {
        Callback::new(move |(start, end, with): (usize, usize, String)| {
            let now = session.doc.with(|document| writer.read(document)).map(|value| column::field_text(&value)).unwrap_or_default();
            if let Some(new) = offsets::replaced(&now, start..end, &with) {
                writer.write(session, Some(Value::text(new)));
            }
        })
    });
    let error = move || troubles.with(|troubles| troubles.iter().any(|trouble| trouble.severity == Severity::Error));
    view! {
        <div class="fld" class:is-error=error>
            <label class="fl" for=id.clone()>{name.clone()}</label>
            {control}
            {hint}
            {fix_bars(session, format!("{id}-problems"), troubles, name, mend)}
        </div>
    }
    .into_any()
}

/// A text: one line, or an area of two.
pub fn text_field(session: Session, bind: Bind, placeholder: &'static str, area: bool) -> AnyView {
    let watched = bind.clone();
    let shown = move || watched.watch(session).map(|value| column::field_text(&value)).unwrap_or_default();
    let id = bind.dom_id();
    let described = format!("{id}-problems");
    let writer = bind.clone();
    let input = move |event| {
        let typed = event_target_value(&event);
        writer.write(session, (!typed.is_empty()).then(|| Value::text(typed)));
    };
    let done = move |_| session.doc.close_merge();
    let control = if area {
        view! { <textarea id=id class="tf area" rows="2" placeholder=placeholder aria-describedby=described prop:value=shown on:input=input on:blur=done></textarea> }
            .into_any()
    } else {
        view! { <input id=id class="tf" type="text" autocomplete="off" spellcheck="false" placeholder=placeholder aria-describedby=described prop:value=shown on:input=input on:blur=done/> }
            .into_any()
    };
    labelled(session, &bind, control, None)
}

/// A number. What is typed is kept whatever it is; what is no number is a problem of the document.
pub fn number_field(session: Session, bind: Bind, default: String) -> AnyView {
    let shown = {
        let bind = bind.clone();
        move || bind.watch(session).filter(|value| !value.is_null()).map(|value| column::field_text(&value)).unwrap_or_default()
    };
    let id = bind.dom_id();
    let writer = bind.clone();
    let control = view! {
        <input
            id=id.clone()
            class="tf num"
            type="text"
            inputmode="decimal"
            autocomplete="off"
            placeholder=default
            aria-describedby=format!("{id}-problems")
            prop:value=shown
            on:input=move |event| {
                let typed = event_target_value(&event);
                let trimmed = typed.trim();
                let value = match json::parse(trimmed).value() {
                    Some(value) if value.as_number().is_some() => Some(value),
                    _ if trimmed.is_empty() => None,
                    _ => Some(Value::text(typed)),
                };
                writer.write(session, value);
            }
            on:blur=move |_| session.doc.close_merge()
        />
    };
    labelled(session, &bind, control.into_any(), None)
}

/// One of several values. A value that is none of them is shown as it is written.
pub fn select_field(session: Session, bind: Bind, options: &'static [(&'static str, &'static str)], default: &'static str) -> AnyView {
    let watched = bind.clone();
    let current = Memo::new(move |_| {
        watched.watch(session).filter(|value| !value.is_nullish()).map_or_else(|| default.to_owned(), |value| column::field_text(&value))
    });
    let id = bind.dom_id();
    let writer = bind.clone();
    let rows =
        options.iter().map(|(value, label)| view! { <option value=*value prop:selected=move || current.get() == *value>{*label}</option> });
    let foreign = move || {
        let now = current.get();
        (!options.iter().any(|(value, _)| *value == now)).then(|| {
            let label = if now.is_empty() { text::NOTHING.to_owned() } else { text::other_value(&now) };
            view! { <option value=now prop:selected=true>{label}</option> }
        })
    };
    let control = view! {
        <select
            id=id.clone()
            class="tf sel"
            aria-describedby=format!("{id}-problems")
            prop:value=move || current.get()
            on:change=move |event| {
                writer.write(session, Some(Value::text(event_target_value(&event))));
                session.doc.close_merge();
            }
        >
            {foreign}
            {rows.collect_view()}
        </select>
    };
    labelled(session, &bind, control.into_any(), None)
}

/// Yes or no.
pub fn check_field(session: Session, bind: Bind, words: &'static str) -> AnyView {
    let watched = bind.clone();
    let on = Memo::new(move |_| {
        watched
            .watch(session)
            .is_some_and(|value| value.as_bool().or_else(|| value.as_number().map(|number| number == 1.0)).unwrap_or(false))
    });
    let id = bind.dom_id();
    let writer = bind.clone();
    let control = view! {
        <span class="chk">
            <input
                id=id
                type="checkbox"
                prop:checked=move || on.get()
                on:change=move |event| {
                    let value = event_target_checked(&event);
                    // A flag that is written as 1 or 0 stays a number.
                    let numeric = session.doc.with(|document| writer.read(document)).is_some_and(|old| old.as_number().is_some());
                    let value = if numeric { Value::Number(f64::from(u8::from(value))) } else { Value::Bool(value) };
                    writer.write(session, Some(value));
                    session.doc.close_merge();
                }
            />
            <span class="t2">{words}</span>
        </span>
    };
    labelled(session, &bind, control.into_any(), None)
}

/// What a code field of the Configuration shows beside its text.
pub struct CodeSpec {
    /// How the text is read.
    pub mode: Mode,
    /// What it may refer to.
    pub scope: Signal<Arc<Scope>>,
    /// The line under it.
    pub outcome: Signal<Outcome>,
    /// What stands there while it is empty.
    pub placeholder: &'static str,
}

/// What a text comes to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Its value and what to say of it; nothing for an empty text.
    pub line: Option<(Value, String)>,
    /// Whether that is bad news.
    pub bad: bool,
    /// What is wrong with the text.
    pub troubles: Vec<Trouble>,
}

/// A text that means something.
pub fn code(session: Session, bind: Bind, spec: CodeSpec) -> AnyView {
    let CodeSpec { mode, scope, outcome, placeholder } = spec;
    let watched = bind.clone();
    let value = Signal::derive(move || watched.watch(session).map(|value| column::field_text(&value)).unwrap_or_default());
    let watched = bind.clone();
    let troubles = Signal::derive(move || {
        let mut all = watched.problems(session);
        Trouble::merge(&mut all, outcome.with(|outcome| outcome.troubles.clone()));
        all
    });
    let id = bind.dom_id();
    let writer = bind.clone();
    let edit = Callback::new(move |typed: String| {
        writer.write(session, (!typed.is_empty()).then(|| Value::text(typed)));
    });
    let control = code_field(CodeField {
        id: id.clone(),
        label: bind.name().to_owned(),
        mode: Signal::stored(mode),
        value,
        edit,
        done: Callback::new(move |()| session.doc.close_merge()),
        troubles,
        scope,
        described_by: format!("{id}-value {id}-problems"),
        placeholder,
    });
    labelled_with(session, &bind, control, Some(outcome_line(format!("{id}-value"), outcome)), troubles, None)
}

/// The line under a code field: an arrow and what the text comes to.
pub fn outcome_line(id: String, outcome: Signal<Outcome>) -> AnyView {
    let line = move || {
        outcome.get().line.map(|(value, words)| {
            view! {
                {small_icon("arrow")}
                {super::parts::value_text(&value, 90)}
                <span class="t3 ell">{words}</span>
            }
        })
    };
    view! { <div id=id class="pv" class:bad=move || outcome.with(|outcome| outcome.bad) class:is-empty=move || outcome.with(|outcome| outcome.line.is_none())>{line}</div> }
        .into_any()
}
