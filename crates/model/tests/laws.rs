//! Laws: every edit has an exact inverse, undoing everything gives the original bytes, a saved history is the history,
//! and reading never panics.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::path::Path;

use loopwright_lang::{Object, Value};
use loopwright_model::{
    Document, Edit, End, EntityId, EntityKind, History, Refused, StepKind, catalogue,
    columns::is_default,
    config::{JsonColumn, json_column},
    edits,
    edits::NewStep,
    format::{Format, JsonForm, export, import},
    snapshot,
};
use proptest::prelude::*;

fn corpus() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
        .into_iter()
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(path).unwrap()))
        .collect()
}

/// One act, as numbers that pick among what is there.
type Act = (u8, u8, u8, u8);

fn pick<T: Clone>(list: &[T], at: u8) -> Option<T> {
    (!list.is_empty()).then(|| list[at as usize % list.len()].clone())
}

const NAMES: [&str; 7] = ["Plain", "Ünïcode ☕", "with \"quotes\" & tab\t", "", "A", "Load people", "@lookup:X.Name=Y"];

fn value(at: u8) -> Value {
    match at % 9 {
        0 => Value::Null,
        1 => Value::Bool(true),
        2 => Value::Number(f64::from(at)),
        3 => Value::text("payload.x + 1"),
        4 => Value::text("{\"a\": 1}"),
        5 => Value::text("not { json"),
        6 => Value::list([Value::Number(1.0), Value::text("é\n")]),
        7 => Value::object([("type", Value::text("ForEach")), ("k", Value::object([("deep", Value::Null)]))]),
        _ => Value::object([("to", Value::text("item.email"))]),
    }
}

/// The edit an act means, where it means one.
fn edit(document: &Document, (what, a, b, c): Act, count: &mut u32) -> Option<Result<Edit, Refused>> {
    let mut new_id = || {
        *count += 1;
        format!("00000000-0000-4000-8000-{count:012x}")
    };
    let graphs: Vec<EntityId> = document.graphs().map(|graph| graph.id()).collect();
    let steps: Vec<EntityId> = document.graphs().flat_map(|graph| graph.steps()).map(|step| step.id()).collect();
    let paths: Vec<EntityId> = document.graphs().flat_map(|graph| graph.paths()).map(|path| path.id()).collect();
    let all: Vec<EntityId> =
        document.entities().skip(1).filter(|entity| entity.kind != EntityKind::Source).map(|entity| entity.id).collect();
    let scenarios: Vec<EntityId> = document.scenarios().map(|scenario| scenario.id).collect();
    let entries: Vec<EntityId> = document.actions().chain(document.prompts()).chain(document.agents()).map(|entry| entry.id).collect();
    let column = ["Configuration", "ActionInputMapping", "ActionOutputMapping"][c as usize % 3];
    let key = ["to", "subject", "itemVariable", "collectionPath", "k"][c as usize % 5];
    let kinds = [StepKind::Action, StepKind::ForEach, StepKind::While, StepKind::Prompt, StepKind::SubAgent];
    let new = NewStep { kind: kinds[b as usize % 5], position: (f64::from(a), -12.4), calls: pick(&entries, c), name: None };
    let made = |made: Result<edits::Made, Refused>| made.map(|made| made.edit);
    Some(match what % 24 {
        0 | 1 => made(edits::add_step(document, pick(&graphs, a)?, &new, &mut new_id)),
        2 => made(edits::add_step_on_path(document, pick(&paths, a)?, &new, &mut new_id)),
        3 | 4 => made(edits::connect(document, pick(&steps, a)?, pick(&steps, b)?, &mut new_id)),
        5 => Ok(edits::delete(document, &[pick(&steps, a)?, pick(&all, b)?])),
        6 => Ok(edits::delete(document, &[pick(&paths, a)?])),
        7 => Ok(edits::delete_and_reconnect(document, &[pick(&steps, a)?, pick(&steps, b)?], &mut new_id)),
        8 => Ok(edits::move_to(document, &[(pick(&steps, a)?, f64::from(b), f64::from(c))])),
        9 => edits::rename_step(document, pick(&steps, a)?, NAMES[b as usize % 7]),
        10 => edits::set_column(
            document,
            pick(&all, a)?,
            ["Name", "Status", "Condition", "Extra", "ID", "PositionX"][b as usize % 6],
            value(c),
        ),
        11 => edits::clear_column(document, pick(&all, a)?, ["Name", "Description", "Condition", "StepType"][b as usize % 4]),
        12 => edits::set_configuration_key(document, pick(&steps, a)?, &[key], (c % 4 > 0).then(|| value(b))),
        13 => edits::set_mapping_row(document, pick(&steps, a)?, column, key, value(b)),
        14 => edits::rename_mapping_row(document, pick(&steps, a)?, column, key, NAMES[b as usize % 7]),
        15 => edits::remove_mapping_row(document, pick(&steps, a)?, column, key),
        16 => edits::set_column_text(
            document,
            pick(&steps, a)?,
            column,
            ["{\"x\":1}", "oops", " ", "[1]", "{\n \"to\": 1.0 }"][b as usize % 5],
        ),
        17 => edits::reconnect(document, pick(&paths, a)?, pick(&steps, b), (c % 2 == 0).then(|| pick(&steps, c)).flatten()),
        18 => match c % 4 {
            0 => Ok(edits::add_graph(document, NAMES[b as usize % 7], &mut new_id).edit),
            1 if b % 3 == 0 => edits::remove_graph(document, pick(&graphs, a)?),
            2 => made(edits::add_note(document, pick(&graphs, a)?, "note", (1.0, 2.0))),
            _ => edits::set_start(document, pick(&steps, a)?),
        },
        19 => match c % 5 {
            0 => edits::add_missing_entries(document).map(Ok)?,
            1 => made(edits::add_entry(document, EntityKind::Action, Object::from_iter([("name", Value::text("Send"))]))),
            2 => edits::remove_entry(document, pick(&entries, a)?),
            3 => edits::call_new(document, pick(&steps, a)?, EntityKind::Action, NAMES[b as usize % 7], &mut new_id),
            _ => edits::set_call(document, pick(&steps, a)?, pick(&entries, b).or_else(|| pick(&graphs, b))?),
        },
        20 => match c % 5 {
            0 => Ok(edits::add_scenario(document, "S", pick(&graphs, a)).edit),
            1 => edits::set_scenario_part(document, pick(&scenarios, a)?, "payload", Some(value(b))),
            2 => edits::set_script(document, pick(&scenarios, a)?, EntityKind::Action, "Send", Some(value(b))),
            3 => made(edits::duplicate_scenario(document, pick(&scenarios, a)?)),
            _ => edits::remove_scenario(document, pick(&scenarios, a)?),
        },
        21 => made(edits::duplicate(document, &[pick(&steps, a)?, pick(&steps, b)?], (16.0, 16.0), &mut new_id)),
        22 => {
            let text = edits::copy(document, &[pick(&steps, a)?, pick(&steps, b)?])?;
            made(edits::paste(document, pick(&graphs, c)?, &text, (b % 2 == 0).then_some((0.0, 0.0)), &mut new_id))
        }
        _ => match c % 4 {
            0 => edits::give_missing_ids(document, &mut new_id).map(Ok)?,
            1 => edits::rename_entry(document, pick(&entries, a).or_else(|| pick(&graphs, a))?, NAMES[b as usize % 7]),
            2 => edits::rename_item_variable(document, pick(&steps, a)?, "renamed"),
            _ => edits::move_mapping_row(document, pick(&steps, a)?, column, key, b as usize % 3),
        },
    })
}

/// What a document says, or `None` where a file cannot tell its steps apart.
fn meaning(document: &Document) -> Option<Vec<String>> {
    let mut said = Vec::new();
    let plain = |text: &str| !text.is_empty() && text == text.trim() && !text.starts_with('@') && !text.contains('&');
    let mut names = std::collections::BTreeSet::new();
    let called = document.graphs().map(|graph| graph.entity).chain(document.actions()).chain(document.agents()).chain(document.prompts());
    for entity in called {
        let name = catalogue::entity_name(entity);
        if !plain(name) || !names.insert(name) {
            return None;
        }
    }
    for graph in document.graphs() {
        let mut known = std::collections::BTreeSet::new();
        for step in graph.steps() {
            let id_is_text = step.field("ID").is_none_or(|id| id.as_str().is_some_and(plain));
            let own: std::collections::BTreeSet<String> =
                [step.name().to_ascii_lowercase()].into_iter().chain(step.id_text().map(str::to_ascii_lowercase)).collect();
            if !plain(step.name()) || !id_is_text || own.into_iter().any(|text| !known.insert(text)) {
                return None;
            }
            let json = |column| match json_column(step.field(column)) {
                JsonColumn::Absent => "absent".to_owned(),
                JsonColumn::Invalid(text) => text,
                JsonColumn::Value(value) => loopwright_lang::json::print_compact(&value),
            };
            let columns = [json("Configuration"), json("ActionInputMapping"), json("ActionOutputMapping")];
            let rest = ["Status", "PositionX", "Extra"].map(|column| {
                let value = step.field(column).filter(|value| !value.is_null() && !is_default(EntityKind::Step, column, value));
                value.map(loopwright_lang::json::print_compact)
            });
            said.push(format!(
                "{} step {} {} {} {:?} {columns:?} {rest:?}",
                graph.name(),
                step.name(),
                step.step_type(),
                step.is_start(),
                step.referent().name()
            ));
        }
        for path in graph.paths() {
            let (from, to) = path.entity.ends.clone()?;
            let name = |end: End| match end {
                End::Step(id) => document.step(id).map(|step| step.name().to_owned()),
                // What leads nowhere may lead somewhere once a step has that name.
                End::Missing(_) => None,
            };
            let (from, to) = (name(from)?, name(to)?);
            let extra = path.field("Extra").filter(|value| !value.is_null()).map(loopwright_lang::json::print_compact);
            said.push(format!("{} path {from} {to} {:?} {} {extra:?}", graph.name(), path.condition(), path.priority()));
        }
    }
    said.sort();
    Some(said)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 160, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn undo_gives_the_original_and_redo_the_result(file in 0usize..64, acts in prop::collection::vec(any::<Act>(), 1..32)) {
        let files = corpus();
        let (name, text) = &files[file % files.len()];
        let imported = import(name, text);
        let (original, format) = (imported.document.unwrap(), imported.format.unwrap());
        let mut history = History::new(original.clone());
        let mut count = 0;
        for act in acts {
            if let Some(Ok(edit)) = edit(history.document(), act, &mut count) {
                let label = edit.label.clone();
                history.apply(edit).unwrap_or_else(|refused| panic!("{label} {act:?}: {refused}"));
                history.document().validate_invariants().unwrap();
                if act.1 % 5 == 0 && history.undo().is_some() && act.2 % 2 == 0 {
                    history.redo();
                }
            }
            history.close_merge();
        }
        let changed = history.document().clone();
        for format in [Format::Steps, Format::MjSync, Format::AgentSpec, Format::Document] {
            for form in [JsonForm::AsWritten, JsonForm::Text, JsonForm::Object] {
                let out = export(&changed, format, form).unwrap();
                let back = import("again", &out);
                prop_assert!(back.document.is_some() || changed.graphs().next().is_none(), "{format:?}: {:?}\n{out}", back.notices);
            }
        }
        if let Some(said) = meaning(&changed) {
            for (format, form) in [(format, JsonForm::AsWritten), (Format::Steps, JsonForm::Object), (Format::MjSync, JsonForm::AsWritten), (Format::Document, JsonForm::AsWritten)] {
                let out = export(&changed, format, form).unwrap();
                if let Some(back) = import("again", &out).document {
                    prop_assert_eq!(meaning(&back), Some(said.clone()), "{:?}\n{}", format, out);
                }
            }
        }
        // What was written says the same again: the second time nothing is left to splice.
        let out = export(&changed, format, JsonForm::AsWritten).unwrap();
        if let Some(back) = import("again", &out).document {
            prop_assert_eq!(&export(&back, format, JsonForm::AsWritten).unwrap(), &out);
        }
        let own = export(&changed, Format::Document, JsonForm::AsWritten).unwrap();
        let back = import("own", &own).document.unwrap();
        prop_assert_eq!(&export(&back, Format::Document, JsonForm::AsWritten).unwrap(), &own);
        prop_assert_eq!(&export(&back, format, JsonForm::AsWritten).unwrap(), &out, "through our own file");
        let mut loaded = History::load(&history.save()).unwrap();
        prop_assert_eq!(loaded.document(), &changed);
        prop_assert_eq!(loaded.depth(), history.depth());
        while history.undo().is_some() {
            history.document().validate_invariants().unwrap();
            loaded.undo().unwrap();
        }
        prop_assert_eq!(history.document(), &original);
        prop_assert_eq!(loaded.document(), &original);
        prop_assert_eq!(&export(history.document(), format, JsonForm::AsWritten).unwrap(), text);
        prop_assert_eq!(snapshot::read(&snapshot::write(history.document())).unwrap(), original);
        while history.redo().is_some() {
            loaded.redo().unwrap();
        }
        prop_assert_eq!(loaded.document(), history.document());
    }

    #[test]
    fn reading_never_panics(file in 0usize..64, cuts in prop::collection::vec((any::<u16>(), any::<u8>(), 0usize..8), 1..6)) {
        let files = corpus();
        let mut bytes = files[file % files.len()].1.clone().into_bytes();
        const PIECES: [&[u8]; 8] = [b"", b"[", b"}", b"\"", b"null", b",", b"1e999", b"{\"fields\":[]}"];
        for (at, length, piece) in cuts {
            let start = at as usize % bytes.len().max(1);
            let end = (start + length as usize % 40).min(bytes.len());
            bytes.splice(start.min(end)..end, PIECES[piece].iter().copied());
        }
        let text = String::from_utf8_lossy(&bytes);
        let imported = import("broken.json", &text);
        prop_assert!(imported.document.is_some() || !imported.notices.is_empty());
        if let (Some(document), Some(format)) = (imported.document, imported.format) {
            document.validate_invariants().unwrap();
            if format != Format::Document {
                prop_assert_eq!(export(&document, format, JsonForm::AsWritten).unwrap(), text.as_ref());
            }
        }
    }
}
