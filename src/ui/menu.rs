//! A menu: a list of things to do, opened at a point, walked by keyboard.

use std::sync::Arc;

use leptos::{html, prelude::*};
use web_sys::KeyboardEvent;

use super::icon;
use crate::platform::dom;

/// One line of a menu.
#[derive(Clone)]
pub enum Item {
    /// Something to do.
    Act(Act),
    /// A line between groups.
    Line,
    /// A heading.
    Caption(String),
}

/// Something to do.
#[derive(Clone)]
pub struct Act {
    /// Its icon, or `""`.
    pub icon: &'static str,
    /// What it says.
    pub label: String,
    /// Its key, as written.
    pub key: &'static str,
    /// Whether it can be done now.
    pub enabled: bool,
    /// Whether it is chosen among its like.
    pub checked: Option<bool>,
    /// Does it.
    pub run: Arc<dyn Fn() + Send + Sync>,
}

impl Item {
    /// Something to do.
    pub fn act(icon: &'static str, label: impl Into<String>, key: &'static str, run: impl Fn() + Send + Sync + 'static) -> Self {
        Self::Act(Act { icon, label: label.into(), key, enabled: true, checked: None, run: Arc::new(run) })
    }

    /// The same, only where `enabled`.
    pub fn when(mut self, enabled: bool) -> Self {
        if let Self::Act(act) = &mut self {
            act.enabled = enabled;
        }
        self
    }

    /// One of several choices.
    pub fn checked(mut self, checked: bool) -> Self {
        if let Self::Act(act) = &mut self {
            act.checked = Some(checked);
        }
        self
    }
}

/// A menu that is open: where (window coordinates) and with what.
#[derive(Clone)]
pub struct Open {
    /// Its accessible name.
    pub label: &'static str,
    /// Its left edge, or its right edge when `from_right`.
    pub x: f64,
    /// Its top edge.
    pub y: f64,
    /// Whether `x` is where it ends.
    pub from_right: bool,
    /// Its lines.
    pub items: Vec<Item>,
}

/// The one menu of the app.
#[derive(Clone, Copy)]
pub struct Menus {
    open: RwSignal<Option<Open>>,
    back: StoredValue<Option<web_sys::HtmlElement>, LocalStorage>,
}

impl Menus {
    /// None is open.
    pub fn new() -> Self {
        Self { open: RwSignal::new(None), back: StoredValue::new_local(None) }
    }

    /// Opens a menu; the cursor goes back to where it is now when the menu closes.
    pub fn show(self, menu: Open) {
        use wasm_bindgen::JsCast;
        self.back.set_value(dom::active().and_then(|element| element.dyn_into().ok()));
        self.open.set(Some(menu));
    }

    /// Opens a menu under a button.
    pub fn show_under(self, event: &web_sys::MouseEvent, label: &'static str, items: Vec<Item>) {
        use wasm_bindgen::JsCast;
        let Some(button) = event.current_target().and_then(|target| target.dyn_into::<web_sys::Element>().ok()) else { return };
        let rect = button.get_bounding_client_rect();
        let from_right = rect.right() > crate::platform::page::width() / 2.0;
        self.show(Open { label, x: if from_right { rect.right() } else { rect.left() }, y: rect.bottom() + 4.0, from_right, items });
    }

    /// Whether one is open.
    pub fn is_open(self) -> bool {
        self.open.with_untracked(Option::is_some)
    }

    /// Closes it.
    pub fn close(self) {
        if self.open.with_untracked(Option::is_some) {
            self.open.set(None);
            if let Some(element) = self.back.try_update_value(Option::take).flatten() {
                dom::focus(&element);
            }
        }
    }

    /// The menu, where one is open.
    pub fn view(self) -> AnyView {
        (move || self.open.get().map(|menu| menu_view(self, menu))).into_any()
    }
}

fn menu_view(menus: Menus, menu: Open) -> AnyView {
    let list = NodeRef::<html::Div>::new();
    Effect::new(move |_| {
        if let Some(element) = list.get() {
            keep_on_screen(&element);
            step(&element, 0);
        }
    });
    let on_key = move |event: KeyboardEvent| {
        let Some(element) = list.get_untracked() else { return };
        match event.key().as_str() {
            "ArrowDown" => step(&element, 1),
            "ArrowUp" => step(&element, -1),
            "Home" => step(&element, i32::MIN),
            "End" => step(&element, i32::MAX),
            "Escape" | "Tab" => menus.close(),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let lines = menu.items.into_iter().map(|item| line(menus, item)).collect_view();
    let place = if menu.from_right {
        (String::from("auto"), format!("calc(100vw - {}px)", menu.x))
    } else {
        (format!("{}px", menu.x), String::from("auto"))
    };
    view! {
        <div class="menu-back" on:pointerdown=move |event| { event.prevent_default(); menus.close(); } on:contextmenu=move |event| event.prevent_default()></div>
        <div class="menu menu-open" role="menu" aria-label=menu.label node_ref=list on:keydown=on_key
            style:left=place.0 style:right=place.1 style:top=format!("{}px", menu.y)>
            {lines}
        </div>
    }
    .into_any()
}

fn line(menus: Menus, item: Item) -> AnyView {
    match item {
        Item::Line => view! { <hr/> }.into_any(),
        Item::Caption(text) => view! { <div class="cap" role="presentation">{text}</div> }.into_any(),
        Item::Act(act) => {
            let role = if act.checked.is_some() { "menuitemradio" } else { "menuitem" };
            let run = act.run.clone();
            let on_click = move |_| {
                menus.close();
                run();
            };
            let mark = match act.checked {
                Some(true) => "success",
                Some(false) => "",
                None => act.icon,
            };
            view! {
                <button type="button" class="mi" class:is-off=!act.enabled role=role tabindex="-1"
                    aria-checked=act.checked.map(|checked| checked.to_string()) disabled=!act.enabled on:click=on_click>
                    <span class="mi-icon">{(!mark.is_empty()).then(|| icon(mark))}</span>
                    <span>{act.label}</span>
                    {(!act.key.is_empty()).then(|| view! { <span class="end">{act.key}</span> })}
                </button>
            }
            .into_any()
        }
    }
}

/// Moves the cursor among the lines that can be done; far steps go to the ends.
fn step(menu: &web_sys::HtmlElement, by: i32) {
    let items = dom::all(menu, "button:not([disabled])");
    let now = dom::active().and_then(|active| items.iter().position(|item| item.is_same_node(Some(&active))));
    let count = i32::try_from(items.len()).unwrap_or(i32::MAX);
    let next = match (by, now.and_then(|now| i32::try_from(now).ok())) {
        (i32::MIN, _) => 0,
        (i32::MAX, _) => count - 1,
        (by, Some(now)) if count > 0 => (now + by).rem_euclid(count),
        (_, _) => 0,
    };
    if let Some(item) = usize::try_from(next).ok().and_then(|next| items.get(next)) {
        dom::focus(item);
    }
}

/// Moves a menu up or left when it would leave the window.
fn keep_on_screen(menu: &web_sys::HtmlElement) {
    let rect = menu.get_bounding_client_rect();
    let (width, height) = (crate::platform::page::width(), crate::platform::page::height());
    let style = web_sys::HtmlElement::style(menu);
    if rect.bottom() > height - 8.0 {
        let _ = style.set_property("top", &format!("{}px", (height - 8.0 - rect.height()).max(8.0)));
    }
    if rect.right() > width - 8.0 {
        let _ = style.set_property("left", &format!("{}px", (width - 8.0 - rect.width()).max(8.0)));
    }
}
