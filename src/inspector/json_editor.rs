//! An editor for JSON text: coloured, with the place of what is wrong. Invalid text is kept.

use leptos::{html, prelude::*};
use loopwright_lang::{Problem, Severity, json};
use loopwright_panels::{offsets, syntax::Mode};

use super::{
    combo::{Typed, mirror},
    parts::{prose, severity_class, small_icon},
};
use crate::text::inspector as text;

/// What a JSON editor needs.
#[derive(Clone)]
pub struct JsonEditor {
    /// Its DOM id.
    pub id: String,
    /// Its name for assistive technology.
    pub label: String,
    /// The text as the document has it.
    pub value: Signal<String>,
    /// Takes what was typed.
    pub edit: Callback<String>,
    /// Leaving it.
    pub done: Callback<()>,
    /// Whether only an object will do.
    pub object: bool,
    /// How high it is, in lines: least and most.
    pub lines: (usize, usize),
    /// What stands there while it is empty.
    pub placeholder: &'static str,
}

/// Texts longer than this are not coloured: laying out a span for each token would hold up typing.
const COLOURED: usize = 60_000;

/// The editor. See [`JsonEditor`].
pub fn json_editor(editor: JsonEditor) -> AnyView {
    let JsonEditor { id, label, value, edit, done, object, lines, placeholder } = editor;
    let area = NodeRef::<html::Textarea>::new();
    let place = RwSignal::new((0_i32, 0_i32));
    let typed = Typed::new(value, edit);
    let shown = typed.shown;
    let problems = Memo::new(move |_| {
        let now = shown.get();
        if now.trim().is_empty() {
            return Vec::new();
        }
        let parsed = json::parse(&now);
        let mut problems = parsed.problems;
        if object && problems.is_empty() && parsed.root.is_some_and(|root| !matches!(root.kind, json::NodeKind::Object(_))) {
            problems.push(Problem::error("json_not_object", loopwright_lang::Span::new(0, now.len()), text::JSON_NOT_OBJECT));
        }
        problems
    });
    let colours = move || {
        let now = shown.get();
        if now.len() > COLOURED {
            return view! { <span>{now}</span> }.into_any();
        }
        let marks: Vec<_> = problems.with(|problems| problems.iter().map(|problem| (problem.span, problem.severity)).collect());
        mirror(&now, Mode::Json, &[], &marks)
    };
    let rows = move || shown.with(|text| text.matches('\n').count() + 1).clamp(lines.0, lines.1).to_string();
    let sync = move || {
        if let Some(area) = area.get_untracked() {
            place.set((area.scroll_left(), area.scroll_top()));
        }
    };
    let below = move || {
        let now = shown.get();
        problems
            .get()
            .into_iter()
            .take(3)
            .map(|problem| {
                let (line, column) = offsets::line_column(&now, problem.span.range().start);
                view! {
                    <div class=format!("fixbar {}", severity_class(problem.severity))>
                        {small_icon("error")}
                        <span class="grow">{prose(&text::at_line(line, column, &problem.message))}</span>
                    </div>
                }
            })
            .collect_view()
    };
    let bad = move || problems.with(|problems| problems.iter().any(|problem| problem.severity == Severity::Error));
    view! {
        <div class="jsed" class:is-error=bad>
            <div class="jsed-mirror" aria-hidden="true">
                <pre class="jsed-text" style:transform=move || format!("translate({}px, {}px)", -place.get().0, -place.get().1)>
                    {colours}
                </pre>
            </div>
            <textarea
                node_ref=area
                id=id.clone()
                class="jsed-input"
                spellcheck="false"
                autocomplete="off"
                wrap="off"
                rows=rows
                aria-label=label
                aria-invalid=move || bad().then_some("true")
                aria-describedby=format!("{id}-problems")
                placeholder=placeholder
                prop:value=move || shown.get()
                on:input=move |event| {
                    typed.write(event_target_value(&event));
                    sync();
                }
                on:scroll=move |_| sync()
                on:blur=move |_| {
                    // Text that is not JSON stays as it was typed; the rest is shown as it is kept.
                    if problems.with_untracked(Vec::is_empty) {
                        typed.settle();
                    }
                    done.run(());
                }
            ></textarea>
        </div>
        <div id=format!("{id}-problems") class="fixbars" aria-live="polite">{below}</div>
    }
    .into_any()
}
