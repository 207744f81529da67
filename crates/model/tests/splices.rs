//! After an edit only what was edited differs, and what is new looks like its neighbours.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::path::Path;

use loopwright_lang::Value;
use loopwright_model::{
    Document, Edit, EntityId, History, StepKind, edits,
    edits::NewStep,
    format::{Format, JsonForm, export, import},
};

fn file(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus").join(name)).unwrap()
}

fn step(document: &Document, name: &str) -> EntityId {
    document.graphs().find_map(|graph| graph.step_named(name)).unwrap_or_else(|| panic!("no step {name}")).id()
}

fn path(document: &Document, from: &str, to: &str) -> EntityId {
    let (from, to) = (step(document, from), step(document, to));
    let mut paths = document.graphs().flat_map(|graph| graph.paths());
    paths.find(|path| path.from() == Some(from) && path.to() == Some(to)).unwrap().id()
}

fn ids() -> impl FnMut() -> String {
    let mut count = 0;
    move || {
        count += 1;
        format!("11111111-2222-4333-8444-{count:012x}")
    }
}

/// Does edits to a text; what comes out must be that text with `changes` (old, new) made to it, each where it stands first.
fn check(text: &str, acts: &[&dyn Fn(&Document) -> Edit], changes: &[(&str, &str)]) {
    let imported = import("file.json", text);
    let format = imported.format.unwrap();
    let mut history = History::new(imported.document.unwrap_or_else(|| panic!("{:?}", imported.notices)));
    for act in acts {
        let edit = act(history.document());
        history.apply(edit).unwrap();
        history.document().validate_invariants().unwrap();
    }
    let mut wanted = text.to_owned();
    for (old, new) in changes {
        assert!(wanted.contains(old), "the text does not hold {old}");
        wanted = wanted.replacen(old, new, 1);
    }
    let out = export(history.document(), format, JsonForm::AsWritten).unwrap();
    assert_eq!(out, wanted, "\n--- got\n{out}\n--- wanted\n{wanted}");
    while history.undo().is_some() {}
    assert_eq!(export(history.document(), format, JsonForm::AsWritten).unwrap(), text, "after undoing");
}

fn new_step(document: &Document, graph: usize, kind: StepKind, name: &str) -> Edit {
    let graph = document.graphs().nth(graph).unwrap().id();
    edits::add_step(document, graph, &NewStep { kind, position: (96.0, 400.0), calls: None, name: Some(name) }, &mut ids()).unwrap().edit
}

fn connect(document: &Document, from: &str, to: &str) -> Edit {
    let mut ids = ids();
    ids();
    edits::connect(document, step(document, from), step(document, to), &mut ids).unwrap().edit
}

#[test]
fn one_value_changes_in_its_own_spelling() {
    check(
        &file("tabs-text-form.json"),
        &[&|document| {
            edits::set_configuration_key(document, step(document, "Greet each"), &["collectionPath"], Some("payload.guests".into()))
                .unwrap()
        }],
        &[(r#"\"payload.people\", \"max"#, r#"\"payload.guests\", \"max"#)],
    );
    check(
        &file("number-spellings.json"),
        &[&|document| {
            edits::set_configuration_key(document, step(document, "Count"), &["maxIterations"], Some(Value::Number(7.0))).unwrap()
        }],
        &[(r#""maxIterations": 1.0"#, r#""maxIterations": 7"#)],
    );
    check(
        &file("escapes.json"),
        &[&|document| edits::rename_step(document, step(document, "Grüße"), "Grüße überall").unwrap()],
        &[(r#""Gr\u00fc\u00dfe""#, r#""Gr\u00fc\u00dfe \u00fcberall""#), (r#""Gr\u00FC\u00DFe""#, r#""Gr\u00FC\u00DFe \u00fcberall""#)],
    );
    check(
        &file("doubled-keys.json"),
        &[&|document| edits::set_mapping_row(document, step(document, "A"), "ActionInputMapping", "k", Value::Number(9.0)).unwrap()],
        &[(r#""k": 3"#, r#""k": 9"#)],
    );
}

#[test]
fn a_key_is_added_in_its_place_and_goes_with_its_comma() {
    check(
        &file("crlf-bom-object-form.json"),
        &[&|document| {
            edits::set_configuration_key(document, step(document, "Wait for it"), &["maxIterations"], Some(Value::Number(20.0))).unwrap()
        }],
        &[("'done'\",\r\n", "'done'\",\r\n                        \"maxIterations\": 20,\r\n")],
    );
    check(
        &file("crlf-bom-object-form.json"),
        &[&|document| edits::set_mapping_row(document, step(document, "Start export"), "ActionInputMapping", "zip", true.into()).unwrap()],
        &[("{ \"format\": \"csv\" }", "{ \"format\": \"csv\", \"zip\": true }")],
    );
    check(
        &file("crlf-bom-object-form.json"),
        &[&|document| edits::remove_mapping_row(document, step(document, "Start export"), "ActionOutputMapping", "jobId").unwrap()],
        &[(",\r\n                    \"ActionOutputMapping\": { \"jobId\": \"payload.jobId\" }", "")],
    );
    check(
        &file("one-line.json"),
        &[&|document| edits::set_mapping_row(document, step(document, "A"), "ActionInputMapping", "to", "payload.to".into()).unwrap()],
        &[(r#""Action":"Do A""#, r#""Action":"Do A","ActionInputMapping":"{\"to\":\"payload.to\"}""#)],
    );
    check(
        &file("bare-agent-spaced.json"),
        &[&|document| edits::set_column(document, step(document, "Only"), "Description", "what it does".into()).unwrap()],
        &[(r#""Only" , "#, r#""Only" , "Description" : "what it does" , "#)],
    );
}

#[test]
fn new_steps_and_paths_look_like_their_neighbours() {
    check(
        &file("mj-sync-nested.json"),
        &[&|document| new_step(document, 0, StepKind::Action, "Log it"), &|document| connect(document, "Write & send reminders", "Log it")],
        &[(
            "            \"PositionX\": 380,\n            \"PositionY\": 80\n          },\n          \"primaryKey\": {\n            \"ID\": \"7C0E5D10-2B1F-4A53-9D1C-000000000041\"\n          }\n        }",
            "            \"PositionX\": 380,\n            \"PositionY\": 80\n          },\n          \"relatedEntities\": {\n            \"MJ: AI Agent Step Paths\": [\n              {\n                \"fields\": {\n                  \"OriginStepID\": \"@parent:ID\",\n                  \"DestinationStepID\": \"@lookup:MJ: AI Agent Steps.Name=Log it&AgentID=@parent:AgentID\"\n                },\n                \"primaryKey\": {\n                  \"ID\": \"11111111-2222-4333-8444-000000000002\"\n                }\n              }\n            ]\n          },\n          \"primaryKey\": {\n            \"ID\": \"7C0E5D10-2B1F-4A53-9D1C-000000000041\"\n          }\n        },\n        {\n          \"fields\": {\n            \"AgentID\": \"@parent:ID\",\n            \"Name\": \"Log it\",\n            \"StepType\": \"Action\",\n            \"PositionX\": 96,\n            \"PositionY\": 400\n          },\n          \"primaryKey\": {\n            \"ID\": \"11111111-2222-4333-8444-000000000001\"\n          }\n        }",
        )],
    );
    check(
        &file("mj-sync-at-agent.json"),
        &[&|document| connect(document, "Send", "Draft")],
        &[(
            "Name=Archive&AgentID=@parent:ID\"\n        }\n      }",
            "Name=Archive&AgentID=@parent:ID\"\n        }\n      },\n      {\n        \"fields\": {\n          \"OriginStepID\": \"@lookup:AI Agent Steps.Name=Send&AgentID=@parent:ID\",\n          \"DestinationStepID\": \"@lookup:AI Agent Steps.Name=Draft&AgentID=@parent:ID\"\n        }\n      }",
        )],
    );
    check(
        &file("agent-spec.json"),
        &[&|document| new_step(document, 0, StepKind::ForEach, "Each line"), &|document| connect(document, "Order Analyst", "Each line")],
        &[
            (
                "\"SubAgentID\": \"\"}",
                "\"SubAgentID\": \"\"},\n    {\"Name\": \"Each line\", \"StepType\": \"ForEach\", \"LoopBodyType\": \"Action\", \"Configuration\": {\"type\": \"ForEach\", \"collectionPath\": \"\"}, \"PositionX\": 96, \"PositionY\": 400}",
            ),
            (
                "\"Condition\": null, \"Priority\": 10}",
                "\"Condition\": null, \"Priority\": 10},\n    {\"OriginStepID\": \"Order Analyst\", \"DestinationStepID\": \"Each line\"}",
            ),
        ],
    );
    check(
        &file("one-line.json"),
        &[&|document| new_step(document, 0, StepKind::While, "C"), &|document| edits::set_start(document, step(document, "C")).unwrap()],
        &[
            ("\"StartingStep\":1", "\"StartingStep\":0"),
            (
                "\"Prompt\":\"Summarise\"}",
                "\"Prompt\":\"Summarise\"},{\"ID\":\"11111111-2222-4333-8444-000000000001\",\"Name\":\"C\",\"StepType\":\"While\",\"StartingStep\":1,\"LoopBodyType\":\"Action\",\"Configuration\":\"{\\\"type\\\":\\\"While\\\",\\\"condition\\\":\\\"\\\"}\",\"PositionX\":96,\"PositionY\":400}",
            ),
        ],
    );
    check(
        &file("view-columns.json"),
        &[&|document| connect(document, "Done", "Call inner")],
        &[(
            "\"PathPoints\": \"[{\\\"x\\\":1,\\\"y\\\":2}]\"}]",
            "\"PathPoints\": \"[{\\\"x\\\":1,\\\"y\\\":2}]\"},\n        {\"ID\": \"11111111-2222-4333-8444-000000000002\", \"OriginStepID\": \"7c0e5d10-2b1f-4a53-9d1c-000000000062\", \"OriginStep\": \"Done\", \"DestinationStepID\": \"7c0e5d10-2b1f-4a53-9d1c-000000000061\", \"DestinationStep\": \"Call inner\"}]",
        )],
    );
}

#[test]
fn removed_records_go_with_their_comma() {
    check(
        &file("foreign-keys.json"),
        &[&|document| edits::delete(document, &[step(document, "Twin")])],
        &[(
            ",\n        {\n          \"ID\": \"7c0e5d10-2b1f-4a53-9d1c-000000000031\",\n          \"Name\": \"Twin\",\n          \"StepType\": \"Action\",\n          \"Action\": \"Z\"\n        }",
            "",
        )],
    );
    check(
        &file("one-line.json"),
        &[&|document| edits::delete(document, &[step(document, "A")])],
        &[
            (r#"{"ID":"7c0e5d10-2b1f-4a53-9d1c-000000000021","Name":"A","StepType":"Action","StartingStep":1,"Action":"Do A"},"#, ""),
            (
                r#"[{"OriginStepID":"7c0e5d10-2b1f-4a53-9d1c-000000000021","DestinationStepID":"7c0e5d10-2b1f-4a53-9d1c-000000000022","Condition":"payload.ok == true"}]"#,
                "[]",
            ),
        ],
    );
}

#[test]
fn references_by_name_follow_a_renamed_step() {
    check(
        &file("mj-sync-nested.json"),
        &[&|document| edits::rename_step(document, step(document, "Write & send reminders"), "Remind").unwrap()],
        &[("Name=Write & send reminders&", "Name=Remind&"), ("\"Name\": \"Write & send reminders\"", "\"Name\": \"Remind\"")],
    );
    check(
        &file("agent-spec.json"),
        &[&|document| edits::rename_step(document, step(document, "Classify order"), "Sort order").unwrap()],
        &[
            ("\"Name\": \"Classify order\"", "\"Name\": \"Sort order\""),
            ("\"DestinationStepID\": \"Classify order\"", "\"DestinationStepID\": \"Sort order\""),
            ("\"OriginStepID\": \"Classify order\"", "\"OriginStepID\": \"Sort order\""),
        ],
    );
    check(
        &file("view-columns.json"),
        &[&|document| edits::rename_step(document, step(document, "Done"), "Finished").unwrap()],
        &[("\"Name\": \"Done\"", "\"Name\": \"Finished\""), ("\"DestinationStep\": \"Done\"", "\"DestinationStep\": \"Finished\"")],
    );
    check(
        &file("view-columns.json"),
        &[&|document| edits::rename_entry(document, document.graphs().nth(1).unwrap().id(), "Core").unwrap()],
        &[("\"SubAgent\": \"Inner\"", "\"SubAgent\": \"Core\""), ("\"Name\": \"Inner\"", "\"Name\": \"Core\"")],
    );
}

#[test]
fn a_nested_path_that_starts_elsewhere_moves_under_its_new_step_with_what_belongs_to_it() {
    let text = file("mj-sync-nested.json");
    let imported = import("file.json", &text);
    let mut history = History::new(imported.document.unwrap());
    let document = history.document();
    let moved = path(document, "Find overdue invoices", "Write & send reminders");
    let edit = edits::reconnect(document, moved, Some(step(document, "Write & send reminders")), None).unwrap();
    history.apply(edit).unwrap();
    let out = export(history.document(), Format::MjSync, JsonForm::AsWritten).unwrap();
    let again = import("file.json", &out).document.unwrap();
    let loop_back = path(&again, "Write & send reminders", "Write & send reminders");
    assert_eq!(again.path(loop_back).unwrap().priority(), 100.0);
    assert!(out.contains("\"sync\": {\"lastModified\": \"2025-02-03T04:05:06.000Z\", \"checksum\": \"0a0b\"}"), "{out}");
    assert!(out.contains("\"MJ: AI Agent Step Paths\": []"), "{out}");
}

#[test]
fn a_condition_that_was_null_is_null_again_when_it_is_cleared() {
    check(
        &file("mj-sync-nested.json"),
        &[
            &|document| {
                let id = path(document, "Find overdue invoices", "Write & send reminders");
                edits::set_column(document, id, "Condition", "payload.invoices.length > 0".into()).unwrap()
            },
            &|document| {
                edits::clear_column(document, path(document, "Find overdue invoices", "Write & send reminders"), "Condition").unwrap()
            },
        ],
        &[],
    );
}

#[test]
fn step_json_is_written_in_the_form_that_is_asked_for() {
    let document = import("file.json", &file("tabs-text-form.json")).document.unwrap();
    let objects = export(&document, Format::Steps, JsonForm::Object).unwrap();
    assert!(objects.contains("\"maxIterations\": 1e3"), "{objects}");
    assert!(objects.contains("\t\t\t\t\t\"ActionInputMapping\": {"), "{objects}");
    let back = import("file.json", &objects).document.unwrap();
    let texts = export(&back, Format::Steps, JsonForm::Text).unwrap();
    assert!(
        texts.contains(r#""Configuration": "{\"type\":\"ForEach\",\"collectionPath\":\"payload.people\",\"maxIterations\":1e3}""#),
        "{texts}"
    );
}
