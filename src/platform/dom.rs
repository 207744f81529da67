//! Small helpers over elements.

use leptos::html::ElementType;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{Element, HtmlElement};

/// Puts the cursor on the element with this id. `false`: there is none.
pub fn focus_id(id: &str) -> bool {
    let found = by_id(id).and_then(|element| element.dyn_into::<HtmlElement>().ok());
    if let Some(element) = &found {
        focus(element);
    }
    found.is_some()
}

/// Puts the cursor on an element, without scrolling anything.
pub fn focus(element: &HtmlElement) {
    let options = web_sys::FocusOptions::new();
    options.set_prevent_scroll(true);
    let _ = element.focus_with_options(&options);
}

/// Puts the cursor on the element with this id once it has been drawn.
pub fn focus_soon(id: String) {
    request_animation_frame(move || {
        focus_id(&id);
    });
}

/// The element that has the cursor.
pub fn active() -> Option<Element> {
    web_sys::window()?.document()?.active_element()
}

/// Whether a key pressed now is typing: the cursor is in a field.
pub fn is_typing() -> bool {
    let Some(element) = active() else { return false };
    let editable = element.dyn_ref::<HtmlElement>().is_some_and(HtmlElement::is_content_editable);
    editable || matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT")
}

/// Whether the space bar means something to the element that has the cursor. A button that is pressed already has nothing to do.
pub fn takes_space() -> bool {
    active().is_some_and(|element| {
        let acts =
            element.matches("button, a, input, select, textarea, summary, [role=tab], [role=treeitem], [role=option]").unwrap_or(false);
        acts && element.get_attribute("aria-pressed").as_deref() != Some("true")
    })
}

/// Whether the cursor is inside an element that the selector names.
pub fn focus_within(selector: &str) -> bool {
    active().is_some_and(|element| element.closest(selector).ok().flatten().is_some())
}

/// Selects all text of an input.
pub fn select_all(element: &web_sys::HtmlInputElement) {
    element.select();
}

/// The elements inside `root` that a selector names.
pub fn all(root: &Element, selector: &str) -> Vec<HtmlElement> {
    let Ok(list) = root.query_selector_all(selector) else { return Vec::new() };
    (0..list.length()).filter_map(|i| list.item(i)?.dyn_into::<HtmlElement>().ok()).collect()
}

/// Width and height of an element, now and whenever they change, for as long as its owner lives.
pub fn on_resize<E>(node: NodeRef<E>, handle: impl Fn(f64, f64) + Clone + 'static)
where
    E: ElementType + 'static,
    E::Output: JsCast + Clone + 'static,
{
    Effect::new(move |watched: Option<bool>| {
        if watched == Some(true) {
            return true;
        }
        let Some(element) = node.get().and_then(|element| element.dyn_into::<Element>().ok()) else { return false };
        let handle = handle.clone();
        let closure = Closure::<dyn FnMut(Vec<web_sys::ResizeObserverEntry>)>::new(move |entries: Vec<web_sys::ResizeObserverEntry>| {
            if let Some(entry) = entries.last() {
                let rect = entry.content_rect();
                handle(rect.width(), rect.height());
            }
        });
        if let Ok(observer) = web_sys::ResizeObserver::new(closure.as_ref().unchecked_ref()) {
            observer.observe(&element);
            let kept = StoredValue::new_local((observer, closure));
            on_cleanup(move || kept.with_value(|kept| kept.0.disconnect()));
        }
        true
    });
}

/// Opens a dialog as a modal one.
pub fn show_modal(element: &HtmlElement) {
    if let Ok(show) = js_sys::Reflect::get(element, &"showModal".into())
        && let Some(show) = show.dyn_ref::<js_sys::Function>()
    {
        let _ = show.call0(element);
    }
}

fn by_id(id: &str) -> Option<Element> {
    web_sys::window()?.document()?.get_element_by_id(id)
}

/// Draws an element away from its place.
pub fn shift(id: &str, dx: f64, dy: f64) {
    if let Some(element) = by_id(id).and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let _ = HtmlElement::style(&element).set_property("transform", &format!("translate({dx}px,{dy}px)"));
        set_class(&element, "is-lifted", true);
    }
}

/// Draws an element in its place again.
pub fn unshift(id: &str) {
    if let Some(element) = by_id(id).and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let _ = HtmlElement::style(&element).remove_property("transform");
        set_class(&element, "is-lifted", false);
    }
}

/// Gives an element a size, in px.
pub fn size(id: &str, width: f64, height: f64) {
    if let Some(element) = by_id(id).and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let style = HtmlElement::style(&element);
        let _ = style.set_property("width", &format!("{width}px"));
        let _ = style.set_property("height", &format!("{height}px"));
    }
}

/// Sets an attribute of the element with this id.
pub fn set_attribute(id: &str, name: &str, value: &str) {
    if let Some(element) = by_id(id) {
        let _ = element.set_attribute(name, value);
    }
}

/// Gives an element a class, or takes it away.
pub fn set_class(element: &Element, class: &str, on: bool) {
    let list = element.class_list();
    let _ = if on { list.add_1(class) } else { list.remove_1(class) };
}

/// Clicks the element with this id.
pub fn click_id(id: &str) {
    if let Some(element) = by_id(id).and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        element.click();
    }
}

/// Brings the element with this id into view inside what scrolls around it.
pub fn show_id(id: &str) {
    if let Some(element) = by_id(id) {
        let options = web_sys::ScrollIntoViewOptions::new();
        options.set_block(web_sys::ScrollLogicalPosition::Nearest);
        element.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

/// Whether an event happened on an element itself, not on something in it.
pub fn is_target(event: &web_sys::Event, element: &HtmlElement) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Node>().ok());
    target.is_some_and(|target| element.is_same_node(Some(&target)))
}

/// Where the first element that a selector names is in the window.
pub fn rect_of(selector: &str) -> Option<loopwright_stage::Rect> {
    let element = web_sys::window()?.document()?.query_selector(selector).ok()??;
    let rect = element.get_bounding_client_rect();
    (rect.width() > 0.0).then(|| loopwright_stage::rect(rect.left(), rect.top(), rect.width(), rect.height()))
}

/// Takes the cursor out of whatever has it.
pub fn blur() {
    if let Some(element) = active().and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let _ = element.blur();
    }
}

/// Brings the element with this id into view, moving as little as it takes.
pub fn reveal_id(id: &str) {
    let found = web_sys::window().and_then(|window| window.document()).and_then(|document| document.get_element_by_id(id));
    if let Some(element) = found {
        let options = web_sys::ScrollIntoViewOptions::new();
        options.set_block(web_sys::ScrollLogicalPosition::Nearest);
        element.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

/// The button beside the one that has the cursor, among those of the same parent: the next to the right, or to the left.
pub fn button_beside(right: bool) -> Option<HtmlElement> {
    let own = active()?.dyn_into::<HtmlElement>().ok()?;
    let buttons = all(&own.parent_element()?, "button");
    let here = own.offset_left();
    if right {
        buttons.into_iter().filter(|button| button.offset_left() > here).min_by_key(HtmlElement::offset_left)
    } else {
        buttons.into_iter().filter(|button| button.offset_left() < here).max_by_key(HtmlElement::offset_left)
    }
}
