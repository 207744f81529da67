//! The Inputs and Outputs tabs: a row for every parameter, with what it resolves to in the selected iteration.

use leptos::{html, prelude::*};
use loopwright_lang::{Scope, Semantics, Severity, Value, mapping};
use loopwright_model::{EntityId, EntityKind, StepKind, catalogue, edits};
use loopwright_panels::{
    column::{self, Rows},
    offsets,
    syntax::Mode,
};

use super::{
    bind::{Bind, Trouble},
    code_field::{CodeField, code_field},
    configuration::not_json,
    field::{Outcome, fix_bars, outcome_line},
    parts::icon,
    payload_tree::{Target, payload_tree},
    preview::{Preview, PreviewOf, Source, output, semantics},
};
use crate::{
    platform::dom,
    session::{Session, Tone},
    text::inspector as text,
};

/// Which of the two mappings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// What a call is given.
    Inputs,
    /// What is kept of its result.
    Outputs,
}

impl Side {
    fn column(self) -> &'static str {
        match self {
            Self::Inputs => "ActionInputMapping",
            Self::Outputs => "ActionOutputMapping",
        }
    }
}

/// What the catalogue says of a parameter.
#[derive(Clone, Debug, Default, PartialEq)]
struct Known {
    type_name: String,
    required: bool,
    description: String,
}

/// The parameters the called action has, if it is known.
fn known(session: Session, id: EntityId, side: Side) -> Vec<(String, Known)> {
    session.doc.track(id);
    session.doc.track_structure();
    session.doc.with(|document| {
        let Some(catalogue::Referent::Found(entity)) = document.step(id).map(|step| step.referent()) else { return Vec::new() };
        if entity.kind != EntityKind::Action {
            return Vec::new();
        }
        session.doc.track(entity.id);
        let entry = |parameter: catalogue::Parameter<'_>| {
            let known = Known {
                type_name: parameter.type_name.to_owned(),
                required: parameter.required,
                description: parameter.description.to_owned(),
            };
            (parameter.name.to_owned(), known)
        };
        match side {
            Side::Inputs => catalogue::inputs(entity).map(entry).collect(),
            Side::Outputs => catalogue::outputs(entity).map(entry).collect(),
        }
    })
}

/// The tab.
pub fn mapping(session: Session, id: EntityId, side: Side, preview: PreviewOf) -> AnyView {
    let catalogue = Memo::new(move |_| known(session, id, side));
    let mapped = Memo::new(move |_| {
        session.doc.track(id);
        session.doc.with(|document| match column::rows(document.field(id, side.column())) {
            Rows::Entries(entries) => Ok(entries.into_iter().map(|(name, _)| name.as_str().to_owned()).collect::<Vec<_>>()),
            Rows::Invalid(_) => Err(()),
        })
    });
    // Catalogue order first: a row must not move while someone types in it.
    let names = Memo::new(move |_| {
        let mut names: Vec<String> = catalogue.with(|known| known.iter().map(|(name, _)| name.clone()).collect());
        if let Ok(mapped) = mapped.get() {
            for name in mapped {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    });
    let target: Target = StoredValue::new(None);
    // Only whether: the rows must stay when the first character of one adds it to the column.
    let is_broken = Memo::new(move |_| mapped.with(Result::is_err));
    let rows = move || {
        if is_broken.get() {
            return not_json(session, text::NOT_JSON_ROWS);
        }
        view! {
            <For each=move || names.get() key=Clone::clone let:name>
                {row(session, id, side, name, catalogue, preview, target)}
            </For>
            <Show when=move || names.with(Vec::is_empty)>
                <p class="empty">{if side == Side::Inputs { text::NO_INPUTS } else { text::NO_OUTPUTS }}</p>
            </Show>
            {adder(session, id, side, preview, target)}
        }
        .into_any()
    };
    view! { <div class="maps">{rows}</div> }.into_any()
}

fn row(
    session: Session,
    id: EntityId,
    side: Side,
    name: String,
    catalogue: Memo<Vec<(String, Known)>>,
    preview: PreviewOf,
    target: Target,
) -> AnyView {
    let name = StoredValue::new(name);
    let bind = StoredValue::new(Bind::inside(id, side.column(), name.get_value()));
    let dom_id = bind.with_value(Bind::dom_id);
    let known = Memo::new(move |_| {
        name.with_value(|name| catalogue.with(|known| known.iter().find(|(own, _)| own == name).map(|(_, known)| known.clone())))
    });
    let stored = Memo::new(move |_| bind.with_value(|bind| bind.watch(session)));
    let value = Signal::derive(move || stored.with(|stored| stored.as_ref().map(column::field_text).unwrap_or_default()));
    let mode = Signal::derive(move || match (side, stored.with(|stored| matches!(stored, None | Some(Value::Text(_))))) {
        (Side::Outputs, _) => Mode::Expression,
        (Side::Inputs, true) => Mode::Mapping,
        (Side::Inputs, false) => Mode::Json,
    });
    let result = Memo::new(move |_| {
        let stored = stored.get();
        let preview = preview.values.get();
        name.with_value(|name| match (side, stored) {
            (Side::Inputs, None) => Row::default(),
            (Side::Inputs, Some(stored)) => input(name, &stored, &preview, &semantics(session)),
            (Side::Outputs, None) => Row { rule: text::NOT_MAPPED.into(), ..Row::default() },
            (Side::Outputs, Some(stored)) => output_row(session, id, name, &stored, &preview),
        })
    });
    let outcome = Signal::derive(move || result.with(|row| row.outcome.clone()));
    let troubles = Signal::derive(move || {
        let mut all = bind.with_value(|bind| bind.problems(session));
        Trouble::merge(&mut all, result.with(|row| row.outcome.troubles.clone()));
        // What a call cannot do without is wrong when it has no value, not only suspicious.
        if known.with(|known| known.as_ref().is_some_and(|known| known.required)) && result.with(|row| row.outcome.bad) {
            all.iter_mut().for_each(|trouble| trouble.severity = Severity::Error);
        }
        all
    });
    let write = move |typed: String| {
        let before = stored.get_untracked();
        let type_name = known.with_untracked(|known| known.as_ref().map(|known| known.type_name.clone()));
        let offered = known.with_untracked(Option::is_some);
        let value = match side {
            // An emptied row that the catalogue offers anyway is no longer mapped.
            _ if typed.is_empty() && offered => None,
            Side::Inputs => Some(column::field_value(before.as_ref(), type_name.as_deref(), &typed)),
            Side::Outputs => Some(Value::text(typed)),
        };
        bind.with_value(|bind| bind.write(session, value));
    };
    let take_path = move |path: String| {
        let now = value.get_untracked();
        write(if now.contains("{{") { format!("{now}{{{{{path}}}}}") } else { path });
        session.doc.close_merge();
    };
    let mend = Callback::new(move |(start, end, with): (usize, usize, String)| {
        if let Some(new) = offsets::replaced(&value.get_untracked(), start..end, &with) {
            write(new);
        }
    });
    let error = move || troubles.with(|troubles| troubles.iter().any(|trouble| trouble.severity == Severity::Error));
    let label = name.with_value(|name| if side == Side::Inputs { text::value_of(name) } else { text::target_of(name) });
    let field = code_field(CodeField {
        id: dom_id.clone(),
        label,
        mode,
        value,
        edit: Callback::new(write),
        done: Callback::new(move |()| session.doc.close_merge()),
        troubles,
        scope: preview.scope(),
        described_by: format!("{dom_id}-value {dom_id}-problems"),
        placeholder: if side == Side::Outputs { "payload." } else { "" },
    });
    let renaming = RwSignal::new(false);
    let head = move || {
        let known = known.get();
        let title = known.as_ref().map(|known| known.description.clone()).filter(|text| !text.is_empty());
        let is_mapped = stored.with(Option::is_some);
        view! {
            <b title=title>{name.get_value()}</b>
            <span class="ty">{known.as_ref().map(|known| known.type_name.clone())}</span>
            {known.as_ref().is_some_and(|known| known.required).then(|| view! { <span class="req">{text::REQUIRED}</span> })}
            <span class="rule">{move || result.with(|row| row.rule.clone())}</span>
            {is_mapped.then(|| actions(session, bind, name, renaming))}
        }
    };
    view! {
        <div
            class="map"
            class:is-error=error
            role="group"
            aria-label=name.get_value()
            on:focusin=move |_| target.set_value(Some(Callback::new(take_path)))
        >
            <Show when=move || renaming.get() fallback=move || view! { <div class="nm">{head}</div> }>
                {renamer(session, bind, name, renaming)}
            </Show>
            {field}
            {outcome_line(format!("{dom_id}-value"), outcome)}
            {fix_bars(session, format!("{dom_id}-problems"), troubles, name.get_value(), mend)}
        </div>
    }
    .into_any()
}

/// What a row shows beside its text.
#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    rule: String,
    outcome: Outcome,
}

fn input(name: &str, stored: &Value, preview: &Preview, semantics: &Semantics) -> Row {
    let scope: &Scope = &preview.scope;
    let without_values = preview.source == Source::None;
    let (value, rule, problems) = match stored {
        Value::Text(text) => {
            let resolution = mapping::resolve_text(text, scope, semantics);
            let rule = if resolution.rule == mapping::Rule::RootPath {
                text::root_path(root_of(text))
            } else {
                text::rule(resolution.rule).to_owned()
            };
            (resolution.value, rule, resolution.problems)
        }
        other => {
            let object = Value::object([(name, other.clone())]);
            let resolved = mapping::resolve(&object, scope, semantics).ok();
            let value = resolved.as_ref().and_then(|resolved| resolved.params.get(name).cloned()).unwrap_or_default();
            // Problems of texts inside a list or object have no place in the field's own text.
            let problems =
                resolved.map(|resolved| resolved.notes.into_iter().flat_map(|(_, note)| note.problems).collect()).unwrap_or_default();
            (value, text::rule(mapping::Rule::Value).to_owned(), problems)
        }
    };
    let written = column::field_text(stored);
    let mut troubles: Vec<Trouble> = problems.iter().map(|problem| Trouble::of_text(problem, &written)).collect();
    if stored.as_str().is_none() {
        troubles.iter_mut().for_each(|trouble| (trouble.span, trouble.fix) = (None, None));
    }
    if without_values {
        // Nothing is known of the values, so nothing can be said to be missing.
        troubles.retain(|trouble| trouble.severity == Severity::Error);
        return Row { rule, outcome: Outcome { line: None, bad: false, troubles } };
    }
    let missing = value.is_undefined();
    let rule = if missing { text::NO_VALUE.to_owned() } else { rule };
    Row { rule, outcome: Outcome { line: Some((value, String::new())), bad: missing, troubles } }
}

fn root_of(text: &str) -> &str {
    let text = text.trim_start();
    text.get(..text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len())).unwrap_or(text)
}

fn output_row(session: Session, id: EntityId, name: &str, stored: &Value, preview: &Preview) -> Row {
    let index_variable = session.doc.with(|document| {
        document
            .step(id)
            .filter(|step| step.kind() == StepKind::ForEach)
            .and_then(|step| column::get(step.field("Configuration"), "indexVariable"))
    });
    let mapping = Value::object([(name, stored.clone())]);
    let written = column::field_text(stored);
    let parsed = mapping::OutputMapping::parse(&mapping, index_variable.as_ref().and_then(Value::as_str));
    let troubles = match &parsed {
        Ok(parsed) => parsed.problems.iter().map(|problem| Trouble::of_text(problem, &written)).collect(),
        Err(problem) => vec![Trouble::of_text(problem, &written)],
    };
    let rule = if name == "*" { text::WHOLE_RESULT.to_owned() } else { String::new() };
    let Some(result) = preview.result.as_ref().filter(|_| preview.source == Source::Run) else {
        return Row { rule, outcome: Outcome { line: None, bad: false, troubles } };
    };
    let value = output(result, name);
    let bad = value.is_undefined();
    Row { rule: if bad { text::NO_VALUE.into() } else { rule }, outcome: Outcome { line: Some((value, String::new())), bad, troubles } }
}

/// Rename and remove, shown when the row is pointed at or focused.
fn actions(session: Session, bind: StoredValue<Bind>, name: StoredValue<String>, renaming: RwSignal<bool>) -> AnyView {
    let (rename, remove) = name.with_value(|name| (text::rename(name), text::remove(name)));
    view! {
        <span class="acts">
            <button type="button" class="btn ghost sm icon" aria-label=rename.clone() title=rename on:click=move |_| renaming.set(true)>
                {icon("edit")}
            </button>
            <button
                type="button"
                class="btn ghost sm icon"
                aria-label=remove.clone()
                title=remove
                on:click=move |_| {
                    bind.with_value(|bind| bind.write(session, None));
                    session.doc.close_merge();
                }
            >
                {icon("trash")}
            </button>
        </span>
    }
    .into_any()
}

fn renamer(session: Session, bind: StoredValue<Bind>, name: StoredValue<String>, renaming: RwSignal<bool>) -> impl IntoView {
    let input = NodeRef::<html::Input>::new();
    focus_when_there(input);
    let finish = move || {
        if !renaming.get_untracked() {
            return;
        }
        renaming.set(false);
        let wanted = input.get_untracked().map(|input| input.value()).unwrap_or_default();
        if wanted.trim().is_empty() || name.with_value(|name| *name == wanted) {
            return;
        }
        let (id, column) = bind.with_value(|bind| (bind.id, bind.column));
        match session.doc.with(|document| edits::rename_mapping_row(document, id, column, &name.get_value(), &wanted)) {
            Ok(edit) => {
                session.apply(edit);
            }
            Err(refused) => session.notify.toast(Tone::Failed, refused.0),
        }
    };
    view! {
        <div class="nm">
            <input
                node_ref=input
                class="tf nm-edit"
                type="text"
                aria-label=name.with_value(|name| text::new_name(name))
                prop:value=name.get_value()
                on:keydown=move |event| match event.key().as_str() {
                    "Enter" => finish(),
                    "Escape" => {
                        event.stop_propagation();
                        renaming.set(false);
                    }
                    _ => {}
                }
                on:blur=move |_| finish()
            />
        </div>
    }
}

/// Puts the cursor in an input as soon as it is on screen.
pub fn focus_when_there(input: NodeRef<html::Input>) {
    Effect::new(move |_| {
        if let Some(input) = input.get() {
            request_animation_frame(move || {
                let _ = input.focus();
                input.select();
            });
        }
    });
}

/// The button that adds a row, and the line in which its name is typed.
fn adder(session: Session, id: EntityId, side: Side, preview: PreviewOf, target: Target) -> AnyView {
    let tree = RwSignal::new(false);
    let adding = RwSignal::new(false);
    let label = if side == Side::Inputs { text::ADD_INPUT } else { text::ADD_OUTPUT };
    let form = move || {
        let input = NodeRef::<html::Input>::new();
        focus_when_there(input);
        let add = move || {
            let name = input.get_untracked().map(|input| input.value()).unwrap_or_default().trim().to_owned();
            if name.is_empty() {
                adding.set(false);
                return;
            }
            let bind = Bind::inside(id, side.column(), name.clone());
            if session.doc.with(|document| bind.read(document)).is_some() {
                session.notify.say(text::name_taken(&name));
                return;
            }
            bind.write(session, Some(Value::text("")));
            session.doc.close_merge();
            adding.set(false);
            focus_field(bind.dom_id());
        };
        view! {
            <form
                class="adder"
                on:submit=move |event| {
                    event.prevent_default();
                    add();
                }
            >
                <input
                    node_ref=input
                    class="tf grow"
                    type="text"
                    autocomplete="off"
                    spellcheck="false"
                    aria-label=if side == Side::Inputs { text::INPUT_NAME } else { text::OUTPUT_NAME }
                    placeholder=if side == Side::Inputs { text::INPUT_NAME } else { text::OUTPUT_NAME }
                    on:keydown=move |event| {
                        if event.key() == "Escape" {
                            event.stop_propagation();
                            adding.set(false);
                        }
                    }
                />
                <button type="submit" class="btn">{text::ADD}</button>
                <button type="button" class="btn ghost" on:click=move |_| adding.set(false)>{text::CANCEL}</button>
            </form>
        }
    };
    view! {
        <div class="addrow">
            <Show
                when=move || adding.get()
                fallback=move || {
                    view! {
                        <button type="button" class="btn" on:click=move |_| adding.set(true)>{icon("plus")}{label}</button>
                        {(side == Side::Inputs).then(|| view! {
                            <button type="button" class="btn ghost" aria-expanded=move || tree.get().to_string() on:click=move |_| tree.update(|tree| *tree = !*tree)>
                                {icon("list")}
                                {text::PAYLOAD_TREE}
                            </button>
                        })}
                    }
                }
            >
                {form()}
            </Show>
        </div>
        <Show when=move || tree.get()>{payload_tree(preview, target)}</Show>
    }
    .into_any()
}

/// Puts the cursor in a field as soon as it is on screen.
pub fn focus_field(dom_id: String) {
    request_animation_frame(move || {
        request_animation_frame(move || {
            dom::reveal_id(&dom_id);
            dom::focus_id(&dom_id);
        });
    });
}
