//! What comes out of a document that is written anew, and what is said about files that cannot be read.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::path::Path;

use loopwright_lang::{Object, Severity, Value};
use loopwright_model::{
    Document, EntityKind, History, Referent, StepKind, catalogue, edits,
    edits::NewStep,
    format::{Format, JsonForm, decode, export, import, line_column, update},
};

fn read(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)).unwrap()
}

fn open(text: &str) -> Document {
    let imported = import("file.json", text);
    let document = imported.document.unwrap_or_else(|| panic!("{:?}", imported.notices));
    document.validate_invariants().unwrap();
    document
}

/// A document made from nothing, as a person does it: two steps, connected, mapped.
fn onboarding() -> Document {
    let mut ids = (1..).map(|count| format!("5d0c1a52-6c1e-4f7e-9a35-{count:012x}"));
    let mut new_id = move || ids.next().unwrap();
    let mut history = History::new(Document::new());
    let mut go = |make: &mut dyn FnMut(&Document, &mut dyn FnMut() -> String) -> loopwright_model::Edit| {
        let edit = make(history.document(), &mut new_id);
        history.apply(edit).unwrap();
        history.document().validate_invariants().unwrap();
    };
    go(&mut |document, id| edits::add_graph(document, "Customer onboarding", id).edit);
    for (name, with_id) in [("Get New Customers", true), ("Send Email", false)] {
        go(&mut |document, id| {
            let mut fields = Object::new();
            if with_id {
                fields.insert("id", Value::text(id()));
            }
            fields.insert("name", Value::text(name));
            edits::add_entry(document, EntityKind::Action, fields).unwrap().edit
        });
    }
    for (kind, name, y, action) in [(StepKind::Action, "Get new customers", 80.0, 0), (StepKind::ForEach, "Send welcome e-mails", 240.2, 1)]
    {
        go(&mut |document, id| {
            let graph = document.graphs().next().unwrap().id();
            let calls = document.actions().nth(action).map(|entry| entry.id);
            edits::add_step(document, graph, &NewStep { kind, position: (80.0, y), calls, name: Some(name) }, id).unwrap().edit
        });
    }
    let step = |document: &Document, at| document.graphs().next().unwrap().steps().nth(at).unwrap().id();
    go(&mut |document, id| edits::connect(document, step(document, 0), step(document, 1), id).unwrap().edit);
    go(&mut |document, _| {
        edits::set_mapping_row(document, step(document, 0), "ActionOutputMapping", "*", "payload.newCustomers".into()).unwrap()
    });
    for (key, value) in
        [("maxIterations", Value::Number(500.0)), ("itemVariable", "customer".into()), ("collectionPath", "payload.newCustomers".into())]
    {
        go(&mut |document, _| edits::set_configuration_key(document, step(document, 1), &[key], Some(value.clone())).unwrap());
    }
    for (key, value) in [("to", "customer.email"), ("subject", "Welcome!")] {
        go(&mut |document, _| edits::set_mapping_row(document, step(document, 1), "ActionInputMapping", key, value.into()).unwrap());
    }
    go(&mut |document, _| edits::set_column(document, step(document, 1), "Status", "Active".into()).unwrap());
    history.document().clone()
}

#[test]
fn step_json_from_nothing_has_its_columns_in_order_and_no_defaults() {
    let wanted = r#"{
  "agents": [
    {
      "ID": "5d0c1a52-6c1e-4f7e-9a35-000000000001",
      "Name": "Customer onboarding",
      "steps": [
        {
          "ID": "5d0c1a52-6c1e-4f7e-9a35-000000000003",
          "Name": "Get new customers",
          "StepType": "Action",
          "StartingStep": true,
          "ActionID": "5d0c1a52-6c1e-4f7e-9a35-000000000002",
          "Action": "Get New Customers",
          "ActionOutputMapping": "{\"*\":\"payload.newCustomers\"}",
          "PositionX": 80,
          "PositionY": 80
        },
        {
          "ID": "5d0c1a52-6c1e-4f7e-9a35-000000000004",
          "Name": "Send welcome e-mails",
          "StepType": "ForEach",
          "Action": "Send Email",
          "LoopBodyType": "Action",
          "Configuration": "{\"type\":\"ForEach\",\"collectionPath\":\"payload.newCustomers\",\"itemVariable\":\"customer\",\"maxIterations\":500}",
          "ActionInputMapping": "{\"to\":\"customer.email\",\"subject\":\"Welcome!\"}",
          "PositionX": 80,
          "PositionY": 240
        }
      ],
      "paths": [
        {
          "ID": "5d0c1a52-6c1e-4f7e-9a35-000000000005",
          "OriginStepID": "5d0c1a52-6c1e-4f7e-9a35-000000000003",
          "DestinationStepID": "5d0c1a52-6c1e-4f7e-9a35-000000000004"
        }
      ]
    }
  ]
}
"#;
    let document = onboarding();
    assert_eq!(export(&document, Format::Steps, JsonForm::AsWritten).unwrap(), wanted);
    let objects = export(&document, Format::Steps, JsonForm::Object).unwrap();
    assert!(objects.contains("\"ActionOutputMapping\": {\n            \"*\": \"payload.newCustomers\"\n          },"), "{objects}");
}

#[test]
fn metadata_from_nothing_nests_its_paths_and_refers_by_name() {
    let text = export(&onboarding(), Format::MjSync, JsonForm::AsWritten).unwrap();
    for part in [
        "\"TypeID\": \"@lookup:MJ: AI Agent Types.Name=Flow\"",
        "\"AgentID\": \"@parent:ID\",\n            \"Name\": \"Get new customers\"",
        "\"ActionID\": \"@lookup:MJ: Actions.Name=Send Email\"",
        "\"OriginStepID\": \"@parent:ID\",\n                  \"DestinationStepID\": \"@lookup:MJ: AI Agent Steps.Name=Send welcome e-mails&AgentID=@parent:AgentID\"",
        "\"primaryKey\": {\n            \"ID\": \"5d0c1a52-6c1e-4f7e-9a35-000000000003\"",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("\"Action\":"), "{text}");
}

#[test]
fn a_file_says_the_same_in_every_format() {
    let shape = |document: &Document| {
        let graphs = document.graphs().map(|graph| {
            let steps: Vec<String> = graph
                .steps()
                .map(|step| format!("{} {} {:?} {:?}", step.name(), step.step_type(), step.is_start(), step.referent().name()))
                .collect();
            let name = |id| document.step(id).unwrap().name().to_owned();
            let mut paths: Vec<_> =
                graph.paths().map(|path| (path.from().map(name), path.to().map(name), path.condition().map(str::to_owned))).collect();
            paths.sort();
            (graph.name().to_owned(), steps, paths)
        });
        graphs.collect::<Vec<_>>()
    };
    for name in
        ["tabs-text-form.json", "crlf-bom-object-form.json", "one-line.json", "mj-sync-nested.json", "view-columns.json", "escapes.json"]
    {
        let document = open(&read(&format!("tests/corpus/{name}")));
        for format in [Format::Steps, Format::MjSync, Format::AgentSpec, Format::Document] {
            let text = export(&document, format, JsonForm::AsWritten).unwrap();
            assert_eq!(shape(&open(&text)), shape(&document), "{name} as {format:?}:\n{text}");
        }
    }
    let agent_spec = open(&read("tests/corpus/agent-spec.json"));
    let steps = export(&agent_spec, Format::Steps, JsonForm::AsWritten).unwrap();
    assert!(steps.contains("\"Prompt\": \"Order Classification\""), "{steps}");
    assert_eq!(shape(&open(&steps)), shape(&agent_spec));
}

#[test]
fn our_own_file_keeps_what_it_does_not_know() {
    let text = r#"{ "loopwright": 1, "title": "T", "graphs": [ { "Name": "G", "colour": "red", "steps": [ { "Name": "A", "StepType": "Action", "StartingStep": true, "Action": "X", "weight": 1.50 } ], "paths": [], "notes": [ { "text": "hi", "x": 1, "y": 2, "pinned": true } ] } ], "catalogue": { "actions": [ { "name": "X", "inputs": [], "icon": "bolt" } ], "agents": [], "prompts": [], "models": ["m"] }, "scenarios": [ { "name": "S", "payload": { "n": 1e3 }, "mood": null } ], "sources": [], "later": { "than": "now" } }"#;
    let document = open(text);
    assert_eq!(update(&document, text), text);
    let canonical = export(&document, Format::Document, JsonForm::AsWritten).unwrap();
    assert_eq!(export(&open(&canonical), Format::Document, JsonForm::AsWritten).unwrap(), canonical);
    for part in [
        "\"colour\": \"red\"",
        "1.50",
        "\"pinned\": true",
        "\"icon\": \"bolt\"",
        "\"models\"",
        "1e3",
        "\"mood\": null",
        "\"than\": \"now\"",
    ] {
        assert!(canonical.contains(part), "{part}\n{canonical}");
    }
    let mut history = History::new(document);
    let scenario = history.document().scenarios().next().unwrap().id;
    let edit = edits::set_scenario_part(history.document(), scenario, "seed", Some(Value::Number(7.0))).unwrap();
    history.apply(edit).unwrap();
    assert_eq!(update(history.document(), text), text.replace("{ \"n\": 1e3 }", "{ \"n\": 1e3 }, \"seed\": 7"));
}

#[test]
fn a_newer_version_opens_to_look_at() {
    let imported = import("new.loopwright.json", r#"{"loopwright": 2, "graphs": [], "beyond": 1}"#);
    assert!(imported.read_only && imported.document.is_some());
    assert!(imported.notices.iter().any(|notice| notice.code == "file_version"), "{:?}", imported.notices);
    assert!(!import("own", r#"{"loopwright": 1, "graphs": []}"#).read_only);
}

#[test]
fn the_examples_are_written_as_we_write_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/examples");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let imported = import("example", &text);
        assert_eq!(imported.notices, [], "{}", path.display());
        let document = imported.document.unwrap();
        assert_eq!(export(&document, Format::Document, JsonForm::AsWritten).unwrap(), text, "{}", path.display());
        assert_eq!(catalogue::wanted(&document), [], "{}", path.display());
        count += 1;
    }
    assert!(count >= 6);
}

/// A text that cannot be opened, and parts of what is said about it.
#[test]
fn what_cannot_be_opened_is_said_with_its_place() {
    let check = |text: &str, code: &str, parts: &[&str]| {
        let imported = import("file.json", text);
        assert!(imported.document.is_none(), "{text}");
        let notice = imported.notices.last().unwrap();
        assert_eq!((notice.severity, notice.code), (Severity::Error, code), "{text}: {}", notice.message);
        for part in parts {
            assert!(notice.message.contains(part), "{text}: {} lacks {part}", notice.message);
        }
    };
    check("", "file_not_json", &["empty"]);
    check("  \n ", "file_not_json", &["empty"]);
    check("{\n  \"agents\": [,]\n}", "file_not_json", &["Line 2, column 14"]);
    check("hello", "file_not_json", &["Line 1, column 1"]);
    check("42", "file_unknown_kind", &["a number", "agents"]);
    check("[]", "file_unknown_kind", &["empty list"]);
    check("{}", "file_unknown_kind", &["empty object"]);
    check("[1, 2]", "file_unknown_kind", &["list of 2"]);
    check(r#"{"agents": 5}"#, "file_unknown_kind", &["\"agents\" should be a list and is a number"]);
    check(r#"{"name": "x", "tasks": {}}"#, "file_unknown_kind", &["\"name\", \"tasks\"", "relatedEntities"]);
    check(r#"{"agents": []}"#, "file_no_agent", &["no agent"]);
    check(r#"[{"fields": {"Name": "N"}, "relatedEntities": {"MJ: Action Params": []}}]"#, "file_no_agent", &["no agent"]);
    check(
        "{\"loopwright\": 1,\n \"graphs\": {}}",
        "file_wrong_shape",
        &["Line 2, column 12", "\"graphs\" should be a list and is an object"],
    );
    check(r#"{"loopwright": 1, "scenarios": [3]}"#, "file_wrong_shape", &["a scenario should be an object and is a number"]);
    check(&" ".repeat(64 * 1024 * 1024 + 1), "file_too_large", &["64 MiB"]);
}

#[test]
fn what_is_not_understood_is_listed_with_its_place() {
    let imported = import("file.json", &read("tests/corpus/foreign-keys.json"));
    let codes: Vec<&str> = imported.notices.iter().map(|notice| notice.code).collect();
    for code in ["file_not_a_record", "file_id_type", "file_step_type", "file_doubled_id", "file_path_to_nowhere"] {
        assert!(codes.contains(&code), "{code}: {codes:?}");
    }
    for notice in &imported.notices {
        assert!(notice.message.starts_with("Line "), "{}", notice.message);
        assert!(notice.severity != Severity::Error, "{}", notice.message);
    }
    let related = import("file.json", &read("tests/corpus/mj-sync-at-agent.json"));
    assert!(
        related.notices.iter().any(|notice| notice.message.contains("1 record of \"AI Agent Actions\" is kept")),
        "{:?}",
        related.notices
    );
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    assert_eq!(decode("é".as_bytes()).unwrap(), "é");
    for (bytes, part) in [(&b"\xff\xfe{\0"[..], "UTF-16"), (&b"{\n\"a\": \"\xe9\"}"[..], "line 2")] {
        let notice = decode(bytes).unwrap_err();
        assert!(notice.message.contains(part), "{}", notice.message);
    }
}

#[test]
fn typing_is_one_act_and_typing_back_is_none() {
    let mut history = History::new(onboarding());
    let step = history.document().graphs().next().unwrap().steps().next().unwrap().id();
    for text in ["G", "Ge", "Get"] {
        let edit = edits::rename_step(history.document(), step, text).unwrap();
        history.apply(edit).unwrap();
    }
    assert_eq!(history.depth(), (1, 0));
    history.undo();
    assert_eq!(history.document(), &onboarding());
    history.redo();
    assert_eq!(history.document().step(step).unwrap().name(), "Get");
    history.undo();
    for text in ["X", "Get new customers"] {
        let edit = edits::rename_step(history.document(), step, text).unwrap();
        history.apply(edit).unwrap();
    }
    assert_eq!(history.depth(), (0, 0), "what ends as it began leaves nothing to undo");
    // A new key that is taken away again in the same typing.
    for value in [Some("A"), Some("AB"), None] {
        let edit = edits::set_configuration_key(history.document(), step, &["note"], value.map(Value::from)).unwrap();
        history.apply(edit).unwrap();
    }
    assert_eq!(history.depth(), (0, 0));
    assert_eq!(history.document(), &onboarding());
}

#[test]
fn lines_and_columns_count_as_an_editor_does() {
    let text = "\u{feff}{\r\n  \"é\": x}";
    assert_eq!(line_column(text, 0), (1, 1));
    assert_eq!(line_column(text, 3), (1, 1));
    assert_eq!(line_column(text, text.find('x').unwrap()), (2, 8));
    assert_eq!(line_column(text, 999).0, 2);
}

#[test]
fn references_lead_by_id_then_by_name() {
    let text = r#"{ "loopwright": 1,
      "graphs": [ { "ID": "G-1", "Name": "Flow", "steps": [
        { "Name": "by id", "StepType": "Action", "ActionID": "AB-1", "Action": "Other" },
        { "Name": "by name", "StepType": "Action", "ActionID": "zz", "Action": "Send" },
        { "Name": "id as name", "StepType": "Action", "ActionID": "Send" },
        { "Name": "lookup", "StepType": "Action", "ActionID": "@lookup:MJ: Actions.Name=Send" },
        { "Name": "body", "StepType": "ForEach", "LoopBodyType": "Prompt", "Prompt": "Ask", "Action": "Send" },
        { "Name": "body without type", "StepType": "While", "Action": "Send" },
        { "Name": "graph by id", "StepType": "Sub-Agent", "SubAgentID": "g-1" },
        { "Name": "graph by name", "StepType": "Sub-Agent", "SubAgent": "Flow" },
        { "Name": "agent", "StepType": "Sub-Agent", "SubAgent": "Analyst" },
        { "Name": "unknown", "StepType": "Action", "ActionID": "q-9", "Action": "Nowhere" },
        { "Name": "unknown lookup", "StepType": "Prompt", "PromptID": "@lookup:MJ: AI Prompts.Name=Gone" },
        { "Name": "none", "StepType": "Prompt", "PromptID": "", "Prompt": null } ], "paths": [] } ],
      "catalogue": { "actions": [ { "id": "ab-1", "name": "Send" }, { "name": "Other" } ], "agents": [ { "name": "Analyst" } ], "prompts": [ { "name": "Ask" } ] } }"#;
    let document = open(text);
    let found = |name: &str| {
        let step = document.graphs().next().unwrap().step_named(name).unwrap();
        match step.referent() {
            Referent::None => "none".to_owned(),
            Referent::Unknown(name) => format!("? {name}"),
            Referent::Found(entity) => format!("{:?} {}", entity.kind, catalogue::entity_name(entity)),
        }
    };
    for (step, wanted) in [
        ("by id", "Action Send"),
        ("by name", "Action Send"),
        ("id as name", "Action Send"),
        ("lookup", "Action Send"),
        ("body", "Prompt Ask"),
        ("body without type", "Action Send"),
        ("graph by id", "Graph Flow"),
        ("graph by name", "Graph Flow"),
        ("agent", "Agent Analyst"),
        ("unknown", "? Nowhere"),
        ("unknown lookup", "? Gone"),
        ("none", "none"),
    ] {
        assert_eq!(found(step), wanted, "{step}");
    }
    assert_eq!(catalogue::actions_in_use(&document), ["Nowhere"]);
    let mut history = History::new(document.clone());
    history.apply(edits::add_missing_entries(history.document()).unwrap()).unwrap();
    assert_eq!(catalogue::wanted(history.document()), []);
    assert_eq!(history.document().entry_by_name(EntityKind::Action, "Nowhere").unwrap().fields.get("id"), Some(&Value::text("q-9")));
}

#[test]
fn an_item_variable_is_renamed_with_what_refers_to_it() {
    let text = r#"{"agents":[{"Name":"G","steps":[{"Name":"Loop","StepType":"ForEach","LoopBodyType":"Action","Action":"A","Description":"Mail {{ item.name }}","Configuration":"{\"type\": \"ForEach\", \"collectionPath\": \"payload.items\"}","ActionInputMapping":"{\"to\": \"item.email\", \"n\": 1.0, \"text\": \"an item\"}"}],"paths":[]}]}"#;
    let mut history = History::new(open(text));
    let step = history.document().graphs().next().unwrap().steps().next().unwrap().id();
    history.apply(edits::rename_item_variable(history.document(), step, "customer").unwrap()).unwrap();
    let out = export(history.document(), Format::Steps, JsonForm::AsWritten).unwrap();
    let wanted = text
        .replace("{{ item.name }}", "{{ customer.name }}")
        .replace(r#"\"item.email\""#, r#"\"customer.email\""#)
        .replace(r#"\"payload.items\"}"#, r#"\"payload.items\", \"itemVariable\": \"customer\"}"#);
    assert_eq!(out, wanted);
}

#[test]
fn a_large_paste_is_refused_with_its_size() {
    let document = onboarding();
    let graph = document.graphs().next().unwrap().id();
    let refused = edits::paste(&document, graph, &" ".repeat(6 << 20), None, &mut || "x".into()).unwrap_err();
    assert!(refused.0.contains("6.0 MiB") && refused.0.contains("5 MiB"), "{refused}");
    let refused = edits::paste(&document, graph, "hello", None, &mut || "x".into()).unwrap_err();
    assert!(refused.0.contains("not JSON"), "{refused}");
}
