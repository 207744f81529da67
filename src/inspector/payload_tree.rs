//! What a mapping may refer to, as a tree: a path is dragged into a row, or picked for the row that had the cursor last.

use std::{collections::HashSet, sync::Arc};

use leptos::{ev, prelude::*};
use loopwright_lang::{Scope, Value};
use loopwright_panels::show;

use super::{
    parts::{small_icon, value_text},
    preview::PreviewOf,
};
use crate::text::inspector as text;

/// Members shown of a list or an object.
const MEMBERS: usize = 30;

/// Takes a path into the row that had the cursor last.
pub type Target = StoredValue<Option<Callback<String>>>;

/// The tree.
pub fn payload_tree(preview: PreviewOf, target: Target) -> AnyView {
    let open = RwSignal::new(HashSet::<String>::new());
    let rows = move || {
        let scope: Arc<Scope> = preview.scope().get();
        let mut roots: Vec<(String, Value)> = Vec::new();
        for frame in &scope.loops {
            roots.push((frame.item_variable.as_str().to_owned(), frame.item.clone()));
            let index = frame.index_variable.as_ref().map_or("index", |name| name.as_str());
            roots.push((index.to_owned(), Value::Number(frame.index as f64)));
        }
        let known = [("payload", &scope.payload), ("data", &scope.data), ("context", &scope.context), ("stepResult", &scope.step_result)];
        roots.extend(known.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?))));
        roots.into_iter().map(|(name, value)| row(name.clone(), name, value, 0, open, target)).collect_view()
    };
    view! {
        <section class="ptree" aria-label=text::PAYLOAD_TREE>
            <p class="hint">{text::PAYLOAD_TREE_HELP}</p>
            <ul>{rows}</ul>
        </section>
    }
    .into_any()
}

fn row(label: String, path: String, value: Value, depth: usize, open: RwSignal<HashSet<String>>, target: Target) -> AnyView {
    let children: Vec<(String, String, Value)> = match &value {
        Value::Object(object) => {
            object.iter().take(MEMBERS).map(|(key, value)| (key.as_str().to_owned(), inside(&path, key), value.clone())).collect()
        }
        Value::List(list) => {
            list.iter().take(MEMBERS).enumerate().map(|(at, value)| (format!("[{at}]"), format!("{path}[{at}]"), value.clone())).collect()
        }
        _ => Vec::new(),
    };
    let has_children = !children.is_empty();
    let own = path.clone();
    let is_open = Memo::new(move |_| open.with(|open| open.contains(&own)));
    let toggle = {
        let path = path.clone();
        move |_| {
            open.update(|open| {
                if !open.remove(&path) {
                    open.insert(path.clone());
                }
            });
        }
    };
    let dragged = path.clone();
    let picked = path.clone();
    let name = text::use_path(&path);
    view! {
        <li>
            <div class="pay-row" style:padding-left=format!("{}px", 24 + depth.min(8) * 14)>
                {has_children.then(|| view! {
                    <button type="button" class="pay-tw" aria-label=path.clone() aria-expanded=move || is_open.get().to_string() on:click=toggle>
                        {move || small_icon(if is_open.get() { "down" } else { "next" })}
                    </button>
                })}
                <button
                    type="button"
                    class="ptree-pick"
                    draggable="true"
                    aria-label=name.clone()
                    title=name
                    on:mousedown=|event: ev::MouseEvent| event.stop_propagation()
                    on:dragstart=move |event: ev::DragEvent| {
                        if let Some(data) = event.data_transfer() {
                            let _ = data.set_data("text/plain", &dragged);
                        }
                    }
                    on:click=move |_| {
                        if let Some(target) = target.get_value() {
                            target.run(picked.clone());
                        }
                    }
                >
                    <code>{label}</code>
                </button>
                {size(&value).map(|size| view! { <span class="t3 meta">{size}</span> })}
                {(!has_children).then(|| value_text(&value, 60))}
            </div>
            <Show when=move || is_open.get()>
                <ul>
                    {children.clone().into_iter().map(|(label, path, value)| row(label, path, value, depth + 1, open, target)).collect_view()}
                </ul>
            </Show>
        </li>
    }
    .into_any()
}

fn size(value: &Value) -> Option<String> {
    match value {
        Value::List(list) => Some(text::items(list.len() as u64)),
        Value::Object(object) if object.len() > MEMBERS => Some(show::count(object.len() as u64)),
        _ => None,
    }
}

/// The path of a key inside another: `.key`, or `["odd key"]`.
fn inside(path: &str, key: &str) -> String {
    let plain = key.chars().enumerate().all(|(at, c)| c == '_' || c == '$' || c.is_alphabetic() || (at > 0 && c.is_alphanumeric()));
    if plain && !key.is_empty() {
        format!("{path}.{key}")
    } else {
        format!("{path}[{}]", loopwright_lang::json::print_compact(&Value::text(key)))
    }
}
