//! The JSON tab: the columns that hold JSON as text, and the rest of the record as it is written.

use leptos::prelude::*;
use loopwright_lang::{Value, json};
use loopwright_model::{EntityId, columns::JSON_COLUMNS, edits};
use loopwright_panels::column;

use super::{
    json_editor::{JsonEditor, json_editor},
    parts::value_text,
};
use crate::{session::Session, text::inspector as text};

/// The tab of one step.
pub fn json_tab(session: Session, id: EntityId) -> AnyView {
    let editors = JSON_COLUMNS.into_iter().map(move |name| {
        view! {
            <section class="fld" aria-label=name>
                <h3 class="fl">{name}</h3>
                {column_editor(session, id, name)}
            </section>
        }
    });
    let others = Memo::new(move |_| {
        session.doc.track(id);
        session.doc.with(|document| {
            let fields = document.get(id).map(|entity| entity.fields.clone()).unwrap_or_default();
            fields
                .iter()
                .filter(|(name, _)| !JSON_COLUMNS.contains(&name.as_str()))
                .map(|(name, value)| (name.as_str().to_owned(), value.clone()))
                .collect::<Vec<_>>()
        })
    });
    let rows = move || {
        others
            .get()
            .into_iter()
            .map(|(name, value)| view! { <tr><th scope="row">{name}</th><td>{value_text(&value, 60)}</td></tr> })
            .collect_view()
    };
    view! {
        <div class="cfg">
            {editors.collect_view()}
            <section class="fld" aria-label=text::OTHER_COLUMNS>
                <h3 class="fl">{text::OTHER_COLUMNS}</h3>
                <table class="kv"><tbody>{rows}</tbody></table>
                <p class="hint">{text::OTHER_COLUMNS_KEPT}</p>
            </section>
        </div>
    }
    .into_any()
}

/// The editor of one column that holds JSON.
fn column_editor(session: Session, id: EntityId, name: &'static str) -> AnyView {
    let value = Memo::new(move |_| {
        session.doc.track(id);
        session.doc.with(|document| column::to_text(document.field(id, name)))
    });
    // The form the column had when it was last JSON: text or object, compact or laid out.
    let before = StoredValue::new(session.doc.with(|document| document.field(id, name).cloned()));
    let edit = Callback::new(move |typed: String| {
        session.doc.with(|document| {
            let now = document.field(id, name);
            let is_json = match now {
                Some(Value::Text(text)) => json::parse(text).value().is_some(),
                other => other.is_some(),
            };
            if is_json {
                before.set_value(now.cloned());
            }
        });
        let kept = before.with_value(|before| column::as_kept(before.as_ref(), &typed));
        match session.doc.with(|document| edits::set_column_text(document, id, name, &kept)) {
            Ok(edit) => {
                session.apply(edit.merging(format!("{}/{name}/json", id.0)));
            }
            Err(refused) => session.notify.say(refused.0),
        }
    });
    json_editor(JsonEditor {
        id: format!("json-{}-{name}", id.0),
        label: text::json_of(name),
        value: value.into(),
        edit,
        done: Callback::new(move |()| session.doc.close_merge()),
        object: true,
        lines: (2, 24),
        placeholder: text::JSON_ABSENT,
    })
}
