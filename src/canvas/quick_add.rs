//! Quick-add: a small search for what the next step shall be.

use leptos::{html, prelude::*};
use loopwright_model::EntityId;
use loopwright_stage::{Point, sizes};
use web_sys::KeyboardEvent;

use super::Canvas;
use crate::{
    palette,
    platform::dom,
    session::acts::{self, Recipe, Spot},
    text,
    ui::tile,
};

/// Where quick-add is open, and what the new step is connected with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuickAdd {
    /// Where the new step's port goes (world).
    pub at: Point,
    /// The new step follows this one.
    pub after: Option<EntityId>,
    /// The new step leads to this one.
    pub before: Option<EntityId>,
    /// The new step's kind replaces this one's.
    pub replace: Option<EntityId>,
}

/// Quick-add, where it is open.
pub fn view(canvas: Canvas) -> AnyView {
    (move || canvas.quick_add.get().map(|request| panel(canvas, request))).into_any()
}

fn panel(canvas: Canvas, request: QuickAdd) -> AnyView {
    let field = NodeRef::<html::Input>::new();
    let typed = RwSignal::new(String::new());
    let chosen = RwSignal::new(0_usize);
    Effect::new(move |_| {
        if let Some(element) = field.get() {
            dom::focus(&element);
        }
    });
    let found = Memo::new(move |_| typed.with(|typed| palette::search(canvas.session, typed)));
    let pick = move |recipe: Recipe| {
        canvas.quick_add.set(None);
        match request.replace {
            Some(step) => canvas.replace(step, recipe),
            None => canvas.add(recipe, spot(canvas, request, recipe)),
        }
    };
    let key = move |event: KeyboardEvent| {
        event.stop_propagation();
        let count = found.with_untracked(Vec::len);
        match event.key().as_str() {
            "ArrowDown" => chosen.update(|chosen| *chosen = (*chosen + 1).min(count.saturating_sub(1))),
            "ArrowUp" => chosen.update(|chosen| *chosen = chosen.saturating_sub(1)),
            "Enter" => {
                if let Some(entry) = found.with_untracked(|found| found.get(chosen.get_untracked()).cloned()) {
                    pick(entry.recipe);
                }
            }
            "Escape" => {
                canvas.quick_add.set(None);
                canvas.focus();
            }
            _ => return,
        }
        event.prevent_default();
    };
    let place = move || {
        let at = canvas.around(request.at);
        let (width, height) = canvas.size.get();
        (at.x.clamp(8.0, (width - 264.0).max(8.0)), at.y.clamp(8.0, (height - 320.0).max(8.0)))
    };
    let rows = move || {
        found.with(|found| {
            found
                .iter()
                .enumerate()
                .map(|(place, entry)| {
                    let recipe = entry.recipe;
                    view! {
                        <div class=format!("mi k-{}", crate::ui::kind_class(entry.kind)) class:is-hover=move || chosen.get() == place role="option" id=format!("quick-{place}")
                            aria-selected=move || (chosen.get() == place).to_string()
                            on:pointerenter=move |_| chosen.set(place) on:pointerdown=move |event| { event.prevent_default(); pick(recipe); }>
                            {tile(entry.kind, "t16")}<span class="ell">{entry.name.clone()}</span><span class="end">{entry.section}</span>
                        </div>
                    }
                })
                .collect_view()
        })
    };
    view! {
        <div class="quick menu" data-own="quick" role="dialog" aria-label=text::ADD_STEP style:left=move || format!("{}px", place().0) style:top=move || format!("{}px", place().1)>
            <input type="text" class="quick-input" placeholder=text::SEARCH_STEPS aria-label=text::SEARCH_STEPS role="combobox" aria-expanded="true" aria-controls="quick-list"
                aria-activedescendant=move || format!("quick-{}", chosen.get()) node_ref=field
                on:input=move |event| { typed.set(event_target_value(&event)); chosen.set(0); } on:keydown=key on:blur=move |_| canvas.quick_add.set(None)/>
            <div class="quick-list" id="quick-list" role="listbox" aria-label=text::STEPS>{rows}</div>
        </div>
    }
    .into_any()
}

/// The corner that puts the new step's port at the wanted point, on the grid.
fn spot(canvas: Canvas, request: QuickAdd, recipe: Recipe) -> Spot {
    let shape = canvas.shape_of(recipe);
    let size = shape.size();
    let left = if request.before.is_some() { request.at.x - size.x } else { request.at.x };
    let corner = |value: f64| (value / sizes::GRID).round() * sizes::GRID;
    let wanted = loopwright_stage::rect(corner(left), corner(request.at.y - shape.port_y()), size.x, size.y);
    let free = canvas.stage.with_value(|stage| loopwright_stage::free_place(stage, &wanted, &|_| false));
    // From a selected path the step goes into it.
    let onto = canvas.session.selection.primary.get_untracked().filter(|id| {
        request.after.is_none() && request.before.is_none() && canvas.session.doc.with(|document| document.path(*id).is_some())
    });
    Spot { at: (free.x, free.y), after: request.after, before: request.before, onto }
}

impl Canvas {
    /// Gives a step another kind, or lets it call something else.
    fn replace(self, step: EntityId, recipe: Recipe) {
        if let Some(edit) = self.session.doc.with(|document| acts::replace(document, step, recipe)) {
            self.session.try_apply(edit);
            self.focus();
        }
    }
}
