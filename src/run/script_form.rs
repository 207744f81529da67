//! The form of what an action, a prompt or an agent answers in a scenario: call by call, its answer, its latency, how it ends.

use leptos::prelude::*;
use loopwright_lang::{Value, json};
use loopwright_model::{EntityId, EntityKind, edits};
use loopwright_panels::{
    column,
    script::{self, Callee, Ending, Script},
};

use crate::{
    inspector::json_editor::{JsonEditor, json_editor},
    session::{Session, Tone},
    text::run as text,
    ui::icon,
};

/// Whose answers they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scripted {
    /// The scenario.
    pub scenario: EntityId,
    /// An action, a prompt or an agent (a graph counts as one).
    pub kind: EntityKind,
    /// Its name, which is the key of its scripts.
    pub name: String,
}

impl Scripted {
    fn callee(&self) -> Callee {
        match self.kind {
            EntityKind::Action => Callee::Action,
            EntityKind::Prompt => Callee::Prompt,
            _ => Callee::Agent,
        }
    }

    /// Its scripts as they are kept (watched).
    fn watch(&self, session: Session) -> Option<Value> {
        session.doc.track(self.scenario);
        self.read(session)
    }

    fn read(&self, session: Session) -> Option<Value> {
        session.doc.with(|document| document.scenario(self.scenario).and_then(|scenario| scenario.script(self.kind, &self.name).cloned()))
    }

    /// How many calls are scripted (watched).
    pub fn count(&self, session: Session) -> usize {
        script::calls(self.watch(session).as_ref(), self.callee()).len()
    }

    /// Changes the scripts. Writing in one field is one undo step.
    fn change(&self, session: Session, field: &str, change: impl FnOnce(&mut Vec<Value>)) {
        let before = self.read(session);
        let mut calls = script::calls(before.as_ref(), self.callee());
        change(&mut calls);
        let kept = script::kept(before.as_ref(), calls, self.callee());
        match session.doc.with(|document| edits::set_script(document, self.scenario, self.kind, &self.name, kept)) {
            Ok(edit) => {
                session.apply(edit.merging(format!("{}/{:?}/{}/{field}", self.scenario.0, self.kind, self.name)));
            }
            Err(refused) => session.notify.toast(Tone::Failed, refused.0),
        }
    }

    fn change_call(&self, session: Session, at: usize, field: &str, change: impl FnOnce(&Value) -> Value) {
        self.change(session, &format!("{at}/{field}"), |calls| {
            if let Some(call) = calls.get_mut(at) {
                *call = change(call);
            }
        });
    }
}

/// The form.
pub fn script_form(session: Session, scripted: Scripted) -> AnyView {
    let is_graph = scripted.kind == EntityKind::Graph;
    let scripted = StoredValue::new(scripted);
    let calls = Memo::new(move |_| scripted.with_value(|own| script::calls(own.watch(session).as_ref(), own.callee())));
    let count = Memo::new(move |_| calls.with(Vec::len));
    let chosen = RwSignal::new(0_usize);
    let at = Memo::new(move |_| chosen.get().min(count.get().saturating_sub(1)));
    let body = move || {
        if count.get() == 0 {
            return view! {
                <p class="hint">{if is_graph { text::NOT_SCRIPTED_GRAPH } else { text::NO_SCRIPT }}</p>
                <div>
                    <button
                        type="button"
                        class="btn"
                        on:click=move |_| {
                            scripted.with_value(|own| own.change(session, "calls", |calls| calls.push(Value::object::<&str>([]))));
                            session.doc.close_merge();
                        }
                    >
                        {icon("plus")}
                        {text::SCRIPT_IT}
                    </button>
                </div>
            }
            .into_any();
        }
        view! {
            {call_bar(session, scripted, count, chosen, at)}
            {call_form(session, scripted, calls, at)}
        }
        .into_any()
    };
    view! { <div class="script">{body}</div> }.into_any()
}

/// Which call the form is about, and buttons to add and remove one.
fn call_bar(session: Session, scripted: StoredValue<Scripted>, count: Memo<usize>, chosen: RwSignal<usize>, at: Memo<usize>) -> AnyView {
    let options = move || {
        let count = count.get();
        (0..count)
            .map(|n| {
                let label = if count == 1 { text::EVERY_CALL.to_owned() } else { text::call(n + 1, n + 1 == count) };
                view! { <option value=n.to_string() prop:selected=move || at.get() == n>{label}</option> }
            })
            .collect_view()
    };
    view! {
        <div class="script-bar">
            <select
                class="tf sel"
                aria-label=text::WHICH_CALL
                on:change=move |event| chosen.set(event_target_value(&event).parse().unwrap_or(0))
            >
                {options}
            </select>
            <button
                type="button"
                class="btn ghost icon"
                aria-label=text::ADD_CALL
                title=text::ADD_CALL
                on:click=move |_| {
                    scripted.with_value(|own| own.change(session, "calls", |calls| {
                        let copy = calls.last().cloned().unwrap_or_default();
                        calls.push(copy);
                    }));
                    session.doc.close_merge();
                    chosen.set(count.get_untracked().saturating_sub(1));
                }
            >
                {icon("plus")}
            </button>
            <button
                type="button"
                class="btn ghost icon"
                aria-label=move || if count.get() == 1 { text::UNSCRIPT } else { text::REMOVE_CALL }
                title=move || if count.get() == 1 { text::UNSCRIPT } else { text::REMOVE_CALL }
                on:click=move |_| {
                    let at = at.get_untracked();
                    scripted.with_value(|own| own.change(session, "calls", |calls| {
                        if at < calls.len() {
                            calls.remove(at);
                        }
                    }));
                    session.doc.close_merge();
                }
            >
                {icon("trash")}
            </button>
        </div>
    }
    .into_any()
}

fn call_form(session: Session, scripted: StoredValue<Scripted>, calls: Memo<Vec<Value>>, at: Memo<usize>) -> AnyView {
    let callee = scripted.with_value(Scripted::callee);
    let name = scripted.with_value(|own| own.name.clone());
    let read = Memo::new(move |_| calls.with(|calls| calls.get(at.get()).map(|call| script::read(call, callee)).unwrap_or_default()));
    let change = move |field: &'static str, change: &dyn Fn(&Value, Script) -> Value| {
        let at = at.get_untracked();
        scripted.with_value(|own| own.change_call(session, at, field, |call| change(call, script::read(call, callee))));
    };
    let done = move || session.doc.close_merge();

    let endings: &[Ending] =
        if callee == Callee::Prompt { &[Ending::Answers, Ending::Throws] } else { &[Ending::Answers, Ending::Fails, Ending::Throws] };
    let key_of = |ending: Ending| match ending {
        Ending::Answers => "answers",
        Ending::Fails => "fails",
        Ending::Throws => "throws",
    };
    let options = endings.iter().map(move |ending| {
        let ending = *ending;
        view! { <option value=key_of(ending) prop:selected=move || read.with(|read| read.ending == ending)>{text::ending(ending)}</option> }
    });
    let set_ending = move |event| {
        let wanted = match event_target_value(&event).as_str() {
            "fails" => Ending::Fails,
            "throws" => Ending::Throws,
            _ => Ending::Answers,
        };
        change("ending", &|call, old| script::with_ending(call, callee, wanted, old.when, &old.message));
        done();
    };
    let goes_wrong = move || read.with(|read| read.ending != Ending::Answers);
    let message = move || {
        goes_wrong().then(|| {
            view! {
                <label class="script-f">
                    <span>{text::MESSAGE}</span>
                    <input
                        class="tf"
                        type="text"
                        prop:value=move || read.with(|read| read.message.clone())
                        on:input=move |event| {
                            let typed = event_target_value(&event);
                            change("message", &|call, old| script::with_ending(call, callee, old.ending, old.when, &typed));
                        }
                        on:blur=move |_| done()
                    />
                </label>
                {(callee == Callee::Action).then(|| when_fields(read, move |when| {
                    change("when", &|call, old| script::with_ending(call, callee, old.ending, when.clone(), &old.message));
                }, done))}
            }
        })
    };

    let bound = move |most: bool| {
        read.with(|read| match read.latency {
            Some((min, max)) if most && min == max => String::new(),
            Some((min, max)) => column::field_text(&Value::Number(if most { max } else { min })),
            None => String::new(),
        })
    };
    let set_bound = move |most: bool, typed: &str| {
        let number = typed.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
        if number.is_none() && !typed.trim().is_empty() {
            return;
        }
        change("latency", &|call, old| {
            let (min, max) = old.latency.unwrap_or_default();
            let fixed = min == max;
            let next = match (most, number) {
                (false, None) if fixed => None,
                (false, number) => {
                    let min = number.unwrap_or_default();
                    Some((min, if fixed { min } else { max }))
                }
                (true, None) => Some((min, min)),
                (true, Some(max)) => Some((min, max)),
            };
            script::with_latency(call, callee, next)
        });
    };

    let answer = Memo::new(move |_| read.with(|read| read.answer.as_ref().map(json::print_pretty).unwrap_or_default()));
    let edit = Callback::new(move |typed: String| {
        let value = json::parse(&typed).value();
        // Half-typed JSON stays in the editor; the scenario keeps the last answer that was one.
        if value.is_some() || typed.trim().is_empty() {
            change("answer", &|call, _| script::with_answer(call, callee, value.clone()));
        }
    });
    let editor = move || {
        let number = at.get();
        json_editor(JsonEditor {
            id: format!("script-{}-{number}", scripted.with_value(|own| own.scenario.0)),
            label: text::answer_as_json(&name, number + 1),
            value: answer.into(),
            edit,
            done: Callback::new(move |()| done()),
            object: false,
            lines: (4, 16),
            placeholder: text::EMPTY_OBJECT,
        })
    };
    view! {
        <label class="script-f">
            <span>{text::ENDING}</span>
            <select class="tf sel" on:change=set_ending>{options.collect_view()}</select>
        </label>
        {message}
        <div class="script-f">
            <span>{text::LATENCY}</span>
            <span class="script-two">
                <input
                    class="tf num"
                    type="text"
                    inputmode="decimal"
                    aria-label=text::LATENCY_MIN
                    placeholder="0"
                    prop:value=move || bound(false)
                    on:input=move |event| set_bound(false, &event_target_value(&event))
                    on:blur=move |_| done()
                />
                <span class="t3">{text::TO}</span>
                <input
                    class="tf num"
                    type="text"
                    inputmode="decimal"
                    aria-label=text::LATENCY_MAX
                    placeholder=move || bound(false)
                    prop:value=move || bound(true)
                    on:input=move |event| set_bound(true, &event_target_value(&event))
                    on:blur=move |_| done()
                />
            </span>
        </div>
        <div class="script-answer">
            <span class="t3 meta">{text::ANSWER}" "<code>{move || read.with(|read| read.answer_key)}</code></span>
            {editor}
        </div>
    }
    .into_any()
}

/// "Only when PARAMETER equals VALUE".
fn when_fields(read: Memo<Script>, set: impl Fn(Option<(String, Value)>) + Copy + 'static, done: impl Fn() + Copy + 'static) -> AnyView {
    let param = move || read.with(|read| read.when.as_ref().map(|(param, _)| param.clone()).unwrap_or_default());
    let equals = move || read.with(|read| read.when.as_ref().map(|(_, equals)| column::field_text(equals)).unwrap_or_default());
    view! {
        <div class="script-f">
            <span>{text::WHEN}</span>
            <span class="script-two">
                <input
                    class="tf"
                    type="text"
                    aria-label=text::WHEN_PARAM
                    placeholder=text::WHEN_ANY
                    prop:value=param
                    on:input=move |event| {
                        let typed = event_target_value(&event);
                        let equals = read.with_untracked(|read| read.when.as_ref().map(|(_, equals)| equals.clone())).unwrap_or_else(|| Value::text(""));
                        set((!typed.is_empty()).then_some((typed, equals)));
                    }
                    on:blur=move |_| done()
                />
                <span class="t3">{text::WHEN_EQUALS}</span>
                <input
                    class="tf"
                    type="text"
                    aria-label=text::WHEN_EQUALS
                    prop:value=equals
                    on:input=move |event| {
                        let typed = event_target_value(&event);
                        let before = read.with_untracked(|read| read.when.clone());
                        if let Some((param, equals)) = before {
                            set(Some((param, column::field_value(Some(&equals), None, &typed))));
                        }
                    }
                    on:blur=move |_| done()
                />
            </span>
        </div>
    }
    .into_any()
}
