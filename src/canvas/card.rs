//! A step on the canvas: a card, or a container around a loop's body.

use leptos::{html, prelude::*};
use loopwright_executor::protocol::{Cell, State, StepStatus};
use loopwright_model::{EntityId, StepKind, edits};
use loopwright_stage::Side;
use web_sys::KeyboardEvent;

use super::{Canvas, element_id, facts, scene};
use crate::{
    platform::dom,
    text,
    ui::{icon, kind_class, severity_icon, small_icon, tile},
};

/// What every part of a card reads.
#[derive(Clone, Copy)]
struct Step {
    canvas: Canvas,
    id: EntityId,
    words: Memo<Option<facts::CardText>>,
    status: Memo<Option<StepStatus>>,
}

/// A step's view, by its shape.
pub fn step(canvas: Canvas, id: EntityId) -> AnyView {
    let session = canvas.session;
    let words = Memo::new(move |_| {
        session.doc.track(id);
        // What it calls may come or go, or be renamed.
        session.doc.track_structure();
        let (words, called) = session.doc.with(|document| {
            let step = document.step(id);
            let called = step.map(loopwright_model::StepRef::referent);
            let called = if let Some(loopwright_model::Referent::Found(entity)) = called { Some(entity.id) } else { None };
            (step.map(facts::read), called)
        });
        if let Some(called) = called {
            session.doc.track(called);
        }
        words
    });
    let status = Memo::new(move |_| canvas.statuses.with(|statuses| statuses.get(&id).cloned()));
    let step = Step { canvas, id, words, status };
    let is_loop = Memo::new(move |_| words.with(|words| words.as_ref().is_some_and(|words| words.kind.is_loop())));
    (move || if is_loop.get() { container(step) } else { card(step) }).into_any()
}

/// The class and the icon of a state; none where there is nothing to say.
pub fn state_look(state: State) -> Option<(&'static str, &'static str)> {
    match state {
        State::Pending => None,
        State::Running => Some(("s-running", "running")),
        State::Succeeded => Some(("s-success", "success")),
        State::Failed => Some(("s-failed", "failed")),
        State::Cancelled => Some(("s-waiting", "stop")),
        State::Skipped => Some(("s-skipped", "skipped")),
    }
}

impl Step {
    fn state(self) -> State {
        self.status.with(|status| status.as_ref().map_or(State::Pending, |status| status.state))
    }

    fn kind(self) -> StepKind {
        self.words.with(|words| words.as_ref().map_or(StepKind::Unknown, |words| words.kind))
    }

    fn title(self) -> String {
        self.words.with(|words| words.as_ref().map(|words| words.title.clone())).unwrap_or_default()
    }

    /// `TITLE, KIND, STATE`.
    fn name(self) -> String {
        let (kind, active) = self.words.with(|words| {
            words.as_ref().map_or_else(Default::default, |words| {
                let kind = if words.kind == StepKind::Unknown && !words.type_name.is_empty() {
                    words.type_name.clone()
                } else {
                    text::kind_name(words.kind).to_owned()
                };
                (kind, words.active)
            })
        });
        text::card_name(&self.title(), &kind, self.state(), active)
    }

    fn description(self) -> Option<String> {
        let problems = self.canvas.session.problems.of(self.id);
        (!problems.is_empty()).then(|| text::problem_count(problems.len()))
    }

    fn class(self, base: &str) -> String {
        let mut class = format!("{base} node k-{}", kind_class(self.kind()));
        let active = self.words.with(|words| words.as_ref().is_none_or(|words| words.active));
        let look = state_look(self.state()).filter(|_| active).map(|(class, _)| class);
        let chosen = self.canvas.session.selection.contains(self.id);
        let target = self.canvas.preview.with(|preview| match preview {
            super::Preview::Connect(_, _, target) => *target == Some(self.id),
            super::Preview::Drop(_, _, super::DropHint::IntoBody(node)) => *node == self.id,
            _ => false,
        });
        let from = self.canvas.connecting.get() == Some(self.id);
        for (on, name) in [
            (chosen, "is-selected"),
            (!active, "is-disabled"),
            (self.kind() == StepKind::Unknown, "is-unknown"),
            (target || from, "is-target"),
        ] {
            if on {
                class.push(' ');
                class.push_str(name);
            }
        }
        if let Some(look) = look {
            class.push(' ');
            class.push_str(look);
        }
        class
    }

    fn place(self) -> Memo<(f64, f64)> {
        let doc = self.canvas.session.doc;
        let id = self.id;
        Memo::new(move |_| {
            doc.track(id);
            doc.with(|document| document.step(id).map(|step| step.position())).unwrap_or_default()
        })
    }

    fn tab_index(self) -> &'static str {
        if self.canvas.session.selection.primary.get() == Some(self.id) { "0" } else { "-1" }
    }

    /// The state's glyph, or the worst problem's where nothing has run.
    fn glyph(self) -> AnyView {
        (move || {
            let state = state_look(self.state());
            let problem = self.canvas.session.problems.worst_of(self.id).map(severity_icon);
            match (state, problem) {
                (Some((_, name)), _) => Some(view! { <span class="gl">{icon(name)}</span> }.into_any()),
                (None, Some((name, class))) => Some(view! { <span class=format!("gl {class}")>{icon(name)}</span> }.into_any()),
                (None, None) => None,
            }
        })
        .into_any()
    }

    fn title_view(self) -> AnyView {
        let canvas = self.canvas;
        let id = self.id;
        let renaming = Memo::new(move |_| canvas.renaming.get() == Some(id));
        (move || {
            if renaming.get() {
                rename_field(self)
            } else {
                view! { <span class="ti" title=move || self.title()>{move || self.title()}</span> }.into_any()
            }
        })
        .into_any()
    }

    /// A pointer's click comes through the gesture machine; this is the keyboard's and a screen reader's.
    fn port_by_keyboard(self, event: &web_sys::MouseEvent, side: Side) {
        if event.detail() == 0 {
            self.canvas.port_clicked(self.id, side);
        }
    }

    fn ports(self) -> AnyView {
        let start = move || self.words.with(|words| words.as_ref().is_some_and(|words| words.start));
        view! {
            {move || (!start()).then(|| view! {
                <button type="button" class="port in" tabindex="-1" aria-label=move || text::connect_to(&self.title())
                    on:click=move |event| self.port_by_keyboard(&event, Side::In)></button>
            })}
            {move || start().then(|| view! { <span class="start-mark" title=text::STARTS_HERE>{small_icon("play")}</span> })}
            <button type="button" class="port out" tabindex="-1" aria-label=move || text::connect_from(&self.title())
                on:click=move |event| self.port_by_keyboard(&event, Side::Out)></button>
        }
        .into_any()
    }
}

fn card(step: Step) -> AnyView {
    let place = step.place();
    let fact = Memo::new(move |_| {
        step.words
            .with(|words| step.status.with(|status| words.as_ref().map(|words| facts::with_run(words, status.as_ref()))))
            .unwrap_or_default()
    });
    let took = Memo::new(move |_| {
        step.status.with(|status| status.as_ref().filter(|status| status.duration_us > 0).map(|status| text::duration(status.duration_us)))
    });
    view! {
        <div id=element_id(step.id) class=move || step.class("card") role="group" aria-roledescription=text::STEP aria-label=move || step.name()
            aria-description=move || step.description() tabindex=move || step.tab_index()
            style:left=move || format!("{}px", place.get().0) style:top=move || format!("{}px", place.get().1)>
            {move || tile(step.kind(), "")}
            {step.title_view()}
            <span class="fa" title=move || fact.get()>{move || fact.get()}</span>
            {step.glyph()}
            {move || took.get().map(|took| view! { <span class="du">{took}</span> })}
            {step.ports()}
        </div>
    }
    .into_any()
}

fn container(step: Step) -> AnyView {
    let place = step.place();
    let fact = Memo::new(move |_| step.words.with(|words| words.as_ref().map(|words| words.fact.clone())).unwrap_or_default());
    let count = Memo::new(move |_| {
        step.status
            .with(|status| status.as_ref().filter(|status| status.frame.is_some()).map(|status| text::loop_count(status.done, status.of)))
    });
    let exit = Memo::new(move |_| step.words.with(|words| words.as_ref().map(|words| words.exit.clone())).unwrap_or_default());
    let body = Memo::new(move |_| step.words.with(|words| words.as_ref().and_then(|words| words.body.clone())));
    view! {
        <section id=element_id(step.id) class=move || step.class("loop") role="group" aria-roledescription=text::LOOP aria-label=move || step.name()
            aria-description=move || step.description() tabindex=move || step.tab_index()
            style:left=move || format!("{}px", place.get().0) style:top=move || format!("{}px", place.get().1)>
            <header class="lh">
                {move || tile(step.kind(), "t24")}
                {step.title_view()}
                {step.glyph()}
                <span class="fa" title=move || fact.get()>
                    {move || fact.get()}
                    {move || count.get().map(|count| view! { " · " <span class="n">{count}</span> })}
                </span>
            </header>
            {strip(step)}
            <svg class="rails" width="302" height="174" aria-hidden="true">
                <path class="rail" d="M-1 111H31"></path>
                <path class="rail" d="M271 111H303"></path>
                <path class="rail" d="M271 111 L279 111 Q287 111 287 119 L287 151 Q287 159 279 159 L23 159 Q15 159 15 151 L15 119 Q15 111 23 111 L31 111"></path>
                <path class="railhead" d="M25 111 l-6 -3.5 v7 z"></path>
            </svg>
            {move || body.get().map(|body| body_card(step, body))}
            {step.ports()}
            {move || (!exit.with(String::is_empty)).then(|| view! { <span class="exit">{small_icon("exit")}{exit.get()}</span> })}
        </section>
    }
    .into_any()
}

fn body_card(step: Step, body: facts::BodyText) -> AnyView {
    let look = move || state_look(step.state()).map(|(class, _)| class).unwrap_or_default();
    view! {
        <div class=move || format!("card body k-{} {}", kind_class(body.kind), look()) aria-hidden="true">
            {tile(body.kind, "")}
            <span class="ti" title=body.title.clone()>{body.title.clone()}</span>
            <span class="fa" title=body.fact.clone()>{body.fact.clone()}</span>
            {move || state_look(step.state()).map(|(_, name)| view! { <span class="gl">{icon(name)}</span> })}
            <i class="port in"></i>
            <i class="port out"></i>
        </div>
    }
    .into_any()
}

/// The strip of iteration cells; without a run, a few empty ones.
fn strip(step: Step) -> AnyView {
    let cells = Memo::new(move |_| {
        step.status.with(|status| status.as_ref().map(|status| (status.frame, status.cells.clone())).unwrap_or_default())
    });
    let run = step.canvas.session.run;
    let now = Memo::new(move |_| {
        run.iteration_place.with(|place| place.iter().rev().find(|part| part.step == step.id).and_then(|part| part.index))
    });
    let view = move || {
        cells.with(|(frame, cells)| {
            if cells.is_empty() {
                return (0..5).map(|_| view! { <i class="cell"></i> }.into_any()).collect_view().into_any();
            }
            let roomy = cells.len() <= 12;
            let frame = *frame;
            cells
                .iter()
                .map(|cell| {
                    let (cell, first) = (*cell, cell.index);
                    let class = move || {
                        let here = now.get().is_some_and(|now| now >= cell.index && now < cell.index + cell.count.max(1));
                        format!("cell {}{}", cell_class(cell), if here { " now" } else { "" })
                    };
                    let mark = (roomy || cell.state == State::Failed).then(|| state_look(cell.state)).flatten().map(|(_, name)| icon(name));
                    let choose = move |_| {
                        if let Some(frame) = frame {
                            step.canvas.session.selection.only(step.id);
                            run.select_iteration(frame, first);
                        }
                    };
                    let name = text::cell_name(first, cell.count, cell.state);
                    view! { <button type="button" class=class tabindex="-1" data-own="cell" aria-label=name.clone() title=name on:click=choose>{mark}</button> }.into_any()
                })
                .collect_view()
                .into_any()
        })
    };
    view! { <div class="strip" role="group" aria-label=move || text::iterations_of(&step.title())>{view}</div> }.into_any()
}

fn cell_class(cell: Cell) -> &'static str {
    match cell.state {
        State::Pending => "",
        State::Running => "run",
        State::Succeeded => "ok",
        State::Failed => "bad",
        State::Cancelled | State::Skipped => "skip",
    }
}

/// The field a step's name is typed into on the canvas.
fn rename_field(step: Step) -> AnyView {
    let field = NodeRef::<html::Input>::new();
    let before = step.title();
    Effect::new(move |_| {
        if let Some(element) = field.get() {
            dom::focus(&element);
            dom::select_all(&element);
        }
    });
    let finish = move |keep: bool| {
        if step.canvas.renaming.get_untracked() != Some(step.id) {
            return;
        }
        let typed = field.get_untracked().map(|element| element.value().trim().to_owned()).unwrap_or_default();
        step.canvas.renaming.set(None);
        let was = step.words.with_untracked(|words| words.as_ref().map(|words| words.title.clone()));
        if keep && !typed.is_empty() && was.as_ref() != Some(&typed) {
            step.canvas.session.try_apply(step.canvas.session.doc.with(|document| edits::rename_step(document, step.id, &typed)));
            step.canvas.session.doc.close_merge();
        }
    };
    let key = move |event: KeyboardEvent| {
        event.stop_propagation();
        match event.key().as_str() {
            "Enter" => finish(true),
            "Escape" => finish(false),
            _ => return,
        }
        event.prevent_default();
        step.canvas.focus();
    };
    view! { <input class="ti ti-input" data-own="rename" type="text" aria-label=text::NAME node_ref=field value=before on:keydown=key on:blur=move |_| finish(true)/> }.into_any()
}

impl Canvas {
    /// A port was clicked, not dragged: the way to connect without dragging.
    pub fn port_clicked(self, id: EntityId, side: Side) {
        match (self.connecting.get_untracked(), side) {
            (Some(from), _) if from != id => {
                self.connecting.set(None);
                self.connect(from, id);
            }
            (Some(_), _) => self.connecting.set(None),
            (None, Side::Out) => {
                self.session.selection.only(id);
                self.start_connecting();
            }
            (None, Side::In) => self.session.selection.only(id),
        }
    }

    /// Whether a node is a step.
    pub fn is_step(self, id: EntityId) -> bool {
        self.kinds.with_value(|kinds| kinds.contains_key(&scene::node(id)))
    }
}
