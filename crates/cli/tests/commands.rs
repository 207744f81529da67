//! The command as it is typed: what it prints and how it exits.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::{
    io::Write,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn example(name: &str) -> String {
    root().join(format!("assets/examples/{name}.loopwright.json")).display().to_string()
}

fn typed(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_loopwright"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that refuses its arguments does not read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// Types a command; checks its exit code, and that its output (or what it says on standard error) holds some words.
fn check(args: &[&str], input: &str, code: i32, holds: &[&str]) {
    let output = typed(args, input);
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
    for words in holds {
        assert!(said.contains(words), "{args:?} should say {words:?}: {said}");
    }
}

/// One step over three items; the scenario expects this.
fn document(expect: &str) -> String {
    format!(
        r#"{{ "loopwright": 1, "graphs": [ {{ "Name": "Flow", "steps": [
            {{ "Name": "Each", "StepType": "ForEach", "StartingStep": true, "LoopBodyType": "Action", "Action": "Do",
              "Configuration": {{ "type": "ForEach", "collectionPath": "payload.items" }}, "ActionInputMapping": {{ "n": "item" }},
              "ActionOutputMapping": {{ "n": "sent[]" }} }},
            {{ "Name": "Never", "StepType": "Action", "Action": "Do" }} ],
            "paths": [ {{ "OriginStepID": "Each", "DestinationStepID": "Never", "Condition": "payload.never" }} ] }} ],
          "catalogue": {{ "actions": [ {{ "name": "Do" }} ] }},
          "scenarios": [ {{ "name": "Three", "payload": {{ "items": [1, 2, 3], "never": false }},
            "actions": {{ "Do": {{ "copy": {{ "n": "n" }}, "latencyMs": 100 }} }}, "expect": {expect} }} ] }}"#
    )
}

#[test]
fn scenarios_are_a_suite_with_its_coverage() {
    check(
        &["test", "-"],
        &document(r#"{ "payload": { "sent": [1, 2, 3] }, "calls": 3 }"#),
        0,
        &["ok    Flow · Three", "1 passed, 0 failed"],
    );
    check(&["test", "-"], &document(r#"{ "calls": { "Do": 4 } }"#), 1, &["FAIL", "calls.Do: expected 4, found 3", "0 passed, 1 failed"]);
    check(&["test", "--json", "-"], &document("null"), 0, &[r#""passed":1"#, r#""exits":["completed"]"#, r#""followed":0"#]);
    check(&["test", "--scenario", "Four", "-"], &document("null"), 2, &["There is no scenario Four."]);
    check(&["test", "-"], r#"{ "loopwright": 1, "graphs": [] }"#, 0, &["no scenarios"]);
}

#[test]
fn a_run_can_be_stopped_at_a_time_or_a_place() {
    let file = document("null");
    check(&["simulate", "-"], &file, 0, &["completed after 300 ms", "3 of 3 iterations"]);
    check(
        &["simulate", "--until", "150ms", "-"],
        &file,
        0,
        &["still running after 100 ms", "held at Each, iteration 1", r#"waits for Do {"n":2}"#],
    );
    check(&["simulate", "--until", "Each#2", "-"], &file, 0, &["held at Each, iteration 2", r#""sent":[1,2]"#]);
    check(&["simulate", "--until", "Eahc", "-"], &file, 2, &["Did you mean Each?"]);
    check(&["simulate", "--json", "-"], &file, 0, &[r#""state":"Completed""#, r#""payload":{"items":[1,2,3]"#]);
    check(&["simulate", "--events", "-"], &file, 0, &[r#""kind":"iteration.start""#]);
    check(&["simulate", "--scenario", "Four", "-"], &file, 2, &["There is no scenario Four."]);
}

#[test]
fn problems_come_with_their_line() {
    let bad = document("null").replace("payload.never\"", "payload.never &&\"");
    check(&["check", "-"], &bad, 1, &["payload.never &&", "^", "1 errors"]);
    check(&["check", "-"], "{ \"loopwright\": 1,\n  \"graphs\": [ }", 1, &["file_not_json", "^"]);
    check(&["check", "--json", "-"], &bad, 1, &[r#""family":"Mapping""#]);
    check(&["check", "/no/such/file.json"], "", 3, &["cannot be read"]);
    check(&["check"], "", 2, &["required"]);
}

#[test]
fn an_export_keeps_what_it_can_and_numbers_what_has_no_id() {
    let welcome = example("welcome-emails");
    let before = std::fs::read_to_string(&welcome).unwrap();
    let same = typed(&["export", "--to", "document", &welcome], "");
    assert_eq!(String::from_utf8_lossy(&same.stdout), before, "our own file keeps its layout");
    let steps = typed(&["export", "--to", "steps", "-"], &document("null"));
    let text = String::from_utf8_lossy(&steps.stdout).into_owned();
    assert_eq!(text.matches("\"ID\"").count(), 4, "an agent, two steps and a path: {text}");
    let again = typed(&["export", "--to", "steps", "-"], &document("null"));
    assert_eq!(steps.stdout, again.stdout, "the same file gives the same IDs");
    let through = typed(&["export", "--to", "steps", "-"], &text);
    assert_eq!(String::from_utf8_lossy(&through.stdout), text, "a file of that format comes out as it went in");
}

#[test]
fn expressions_are_evaluated_and_files_tidied() {
    check(&["eval", "payload.a + 1", "--payload", r#"{"a":2}"#], "", 0, &["3"]);
    check(&["eval", "payload.a.b.c"], "", 1, &["^"]);
    check(&["fmt", "-"], "{\"a\":1}", 0, &["{\n  \"a\": 1\n}"]);
    check(&["fmt", "--check", "-"], "{\"a\":1}", 1, &["not in the house style"]);
    check(&["schema"], "", 0, &["$schema"]);
}
