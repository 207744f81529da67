#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests may stop at the first surprise")]
//! A table of small flows and the problems each must have.

use loopwright_lang::Severity;

use super::{Problem, validate};
use crate::{History, format};

/// Reads step JSON: steps and paths of one agent, with a small catalogue beside it.
fn document(steps: &str, paths: &str) -> crate::Document {
    let text = format!(
        r#"{{ "loopwright": 1, "graphs": [ {{ "ID": "g", "Name": "Flow", "steps": [{steps}], "paths": [{paths}] }} ],
        "catalogue": {{ "actions": [
            {{ "id": "a1", "name": "Send Email", "inputs": [ {{ "name": "to", "type": "string", "required": true }}, {{ "name": "subject", "type": "string" }} ],
               "outputs": [ {{ "name": "success", "type": "boolean" }}, {{ "name": "id", "type": "string" }} ] }},
            {{ "id": "a2", "name": "Ping" }} ] }} }}"#
    );
    let imported = format::import("test.loopwright.json", &text);
    imported.document.unwrap_or_else(|| panic!("the test's document must open: {:?}", imported.notices))
}

/// The codes of a flow's problems, in order.
fn codes(steps: &str, paths: &str) -> Vec<&'static str> {
    validate(&document(steps, paths)).into_iter().map(|problem| problem.code).collect()
}

fn check(what: &str, steps: &str, paths: &str, expected: &[&str]) {
    assert_eq!(codes(steps, paths), expected, "{what}");
}

const START: &str = r#"{ "ID": "1", "Name": "Ping", "StepType": "Action", "StartingStep": true, "Action": "Ping" }"#;

/// The start and one more step that it leads to.
fn after_start(columns: &str) -> (String, &'static str) {
    let second = format!(r#"{START}, {{ "ID": "2", "Name": "Second", {columns} }}"#);
    (second, r#"{ "ID": "p", "OriginStepID": "1", "DestinationStepID": "2" }"#)
}

fn check_second(what: &str, columns: &str, expected: &[&str]) {
    let (steps, paths) = after_start(columns);
    check(what, &steps, paths, expected);
}

fn check_foreach(what: &str, configuration: &str, expected: &[&str]) {
    let columns = format!(r#""StepType": "ForEach", "LoopBodyType": "Action", "Action": "Ping", "Configuration": {configuration}"#);
    check_second(what, &columns, expected);
}

fn check_while(what: &str, configuration: &str, expected: &[&str]) {
    let columns = format!(
        r#""StepType": "While", "LoopBodyType": "Action", "Action": "Send Email", "Configuration": {configuration},
           "ActionInputMapping": {{ "to": "payload.to" }}, "ActionOutputMapping": {{ "success": "payload.done" }}"#
    );
    check_second(what, &columns, expected);
}

#[test]
fn structure_problems_name_what_a_run_would_trip_over() {
    check("a sound flow has none", START, "", &[]);
    check("no start", r#"{ "ID": "1", "Name": "Ping", "StepType": "Action", "Action": "Ping" }"#, "", &["S01"]);
    check(
        "two starts",
        &format!(r#"{START}, {{ "ID": "2", "Name": "B", "StepType": "Action", "StartingStep": 1, "Action": "Ping" }}"#),
        "",
        &["S02"],
    );
    check("unreachable", &format!(r#"{START}, {{ "ID": "2", "Name": "B", "StepType": "Action", "Action": "Ping" }}"#), "", &["S03"]);
    check(
        "doubled name",
        &format!(r#"{START}, {{ "ID": "2", "Name": "Ping", "StepType": "Action", "Action": "Ping" }}"#),
        r#"{ "ID": "p", "OriginStepID": "1", "DestinationStepID": "2" }"#,
        &["S08"],
    );
    check("path to nowhere", START, r#"{ "ID": "p", "OriginStepID": "1", "DestinationStepID": "9" }"#, &["S06"]);
    check_second("unknown type", r#""StepType": "Human""#, &["S13"]);
    check_second("disabled target", r#""StepType": "Action", "Action": "Ping", "Status": "Disabled""#, &["S07"]);
}

#[test]
fn a_hidden_path_and_a_choice_without_an_else_are_told() {
    let three = format!(
        r#"{START}, {{ "ID": "2", "Name": "B", "StepType": "Action", "Action": "Ping" }}, {{ "ID": "3", "Name": "C", "StepType": "Action", "Action": "Ping" }}"#
    );
    let path = |id: &str, to: &str, rest: &str| format!(r#"{{ "ID": "{id}", "OriginStepID": "1", "DestinationStepID": "{to}" {rest} }}"#);
    let hidden = format!("{}, {}", path("p", "2", r#", "Priority": 5"#), path("q", "3", r#", "Condition": "payload.x > 1""#));
    check("an unconditional path of higher priority hides a conditional one", &three, &hidden, &["S04"]);
    let two = format!("{}, {}", path("p", "2", ""), path("q", "3", ""));
    check("two unconditional paths", &three, &two, &["S05"]);
    let choice = format!("{}, {}", path("p", "2", r#", "Condition": "payload.a""#), path("q", "3", r#", "Condition": "payload.b""#));
    check("a choice without an else", &three, &choice, &["S09"]);
}

#[test]
fn references_must_lead_somewhere() {
    check_second("no action", r#""StepType": "Action""#, &["R01"]);
    check_second("unknown action", r#""StepType": "Action", "Action": "Pong 7""#, &["R02"]);
    check_second(
        "loop without body",
        r#""StepType": "ForEach", "Configuration": { "type": "ForEach", "collectionPath": "payload.x" }"#,
        &["R03"],
    );
    let problems = {
        let (steps, paths) =
            after_start(r#""StepType": "Action", "Action": "Send Emial", "ActionInputMapping": { "to": "a@example.com" }"#);
        validate(&document(&steps, paths))
    };
    assert_eq!(problems[0].code, "R02");
    assert_eq!(problems[0].fix.as_ref().map(|fix| fix.label.as_str()), Some("Use Send Email"));
}

#[test]
fn a_loop_configuration_is_checked_key_by_key() {
    let fine = r#""type": "ForEach", "collectionPath": "payload.list""#;
    check_foreach("sound", &format!("{{ {fine} }}"), &[]);
    check_foreach("no object", "\"[1]\"", &["C02"]);
    check_foreach("no JSON", "\"{ oops\"", &["C02"]);
    check_foreach("type missing", r#"{ "collectionPath": "payload.list" }"#, &["C04"]);
    check_foreach("other type", r#"{ "type": "While", "collectionPath": "payload.list" }"#, &["C05"]);
    check_foreach("no collection", r#"{ "type": "ForEach" }"#, &["C06"]);
    check_foreach("an expression is no path", r#"{ "type": "ForEach", "collectionPath": "payload.list.filter(x => x)" }"#, &["C15"]);
    check_foreach("looks at the payload only", r#"{ "type": "ForEach", "collectionPath": "data.list" }"#, &["C20"]);
    check_foreach("misspelt key", &format!(r#"{{ {fine}, "maxIteration": 3 }}"#), &["C03"]);
    check_foreach("negative limit", &format!(r#"{{ {fine}, "maxIterations": -1 }}"#), &["C07"]);
    check_foreach("half a limit", &format!(r#"{{ {fine}, "maxIterations": 2.5 }}"#), &["C07"]);
    check_foreach("unlimited", &format!(r#"{{ {fine}, "maxIterations": 0 }}"#), &["C08"]);
    check_foreach("null is absent", &format!(r#"{{ {fine}, "maxIterations": null }}"#), &[]);
    check_foreach("negative delay", &format!(r#"{{ {fine}, "delayBetweenIterationsMs": -5 }}"#), &["C09"]);
    check_foreach("unknown mode", &format!(r#"{{ {fine}, "executionMode": "paralel" }}"#), &["C10"]);
    check_foreach("not a name", &format!(r#"{{ {fine}, "itemVariable": "my item" }}"#), &["C11"]);
    check_foreach("a taken name", &format!(r#"{{ {fine}, "itemVariable": "payload" }}"#), &["C11"]);
    check_foreach("index may be index", &format!(r#"{{ {fine}, "indexVariable": "index" }}"#), &[]);
    check_foreach("one name for two", &format!(r#"{{ {fine}, "itemVariable": "x", "indexVariable": "x" }}"#), &["C12"]);
    check_foreach("continueOnError as text", &format!(r#"{{ {fine}, "continueOnError": "true" }}"#), &["C14"]);
    check_foreach("no lane at all", &format!(r#"{{ {fine}, "executionMode": "parallel", "maxConcurrency": 0 }}"#), &["C21"]);
    check_foreach("concurrency without parallel", &format!(r#"{{ {fine}, "maxConcurrency": 4 }}"#), &["C22"]);
    check_while("sound", r#"{ "type": "While", "condition": "payload.done !== true" }"#, &[]);
    check_while("ignored key", r#"{ "type": "While", "condition": "payload.done !== true", "maxConcurrency": 2 }"#, &["C13"]);
    check_while("no condition", r#"{ "type": "While", "condition": " " }"#, &["C06"]);
    check_second("no Configuration", r#""StepType": "While", "LoopBodyType": "Action", "Action": "Ping""#, &["C01"]);
}

#[test]
fn columns_take_what_the_backend_takes() {
    let action = r#""StepType": "Action", "Action": "Ping""#;
    check_second("unknown behaviour", &format!(r#"{action}, "OnErrorBehavior": "stop""#), &["C19"]);
    check_second("retries without retry", &format!(r#"{action}, "RetryCount": 2"#), &["C18"]);
    check_second("retries", &format!(r#"{action}, "RetryCount": 2, "OnErrorBehavior": "retry""#), &[]);
    check_second("negative retries", &format!(r#"{action}, "RetryCount": -2, "OnErrorBehavior": "retry""#), &["C17"]);
    check_second("no time", &format!(r#"{action}, "TimeoutSeconds": 0"#), &["C16"]);
    check_second("no limit", &format!(r#"{action}, "TimeoutSeconds": null"#), &[]);
}

#[test]
fn mappings_are_held_against_the_catalogue() {
    let email = r#""StepType": "Action", "Action": "Send Email""#;
    check_second("required input", email, &["M02"]);
    check_second("sound", &format!(r#"{email}, "ActionInputMapping": {{ "to": "payload.to" }}"#), &[]);
    check_second("no JSON", &format!(r#"{email}, "ActionInputMapping": "{{ \"to\": ""#), &["M01"]);
    check_second("not an object", &format!(r#"{email}, "ActionInputMapping": "[]""#), &["M01"]);
    check_second("unknown input", &format!(r#"{email}, "ActionInputMapping": {{ "to": "a@b", "subjekt": "Hi" }}"#), &["M03"]);
    check_second(
        "unknown output",
        &format!(r#"{email}, "ActionInputMapping": {{ "to": "a@b" }}, "ActionOutputMapping": {{ "succes": "payload.ok" }}"#),
        &["M07"],
    );
    check_second(
        "collecting outside a loop",
        &format!(r#"{email}, "ActionInputMapping": {{ "to": "a@b" }}, "ActionOutputMapping": {{ "success": "results[*].ok" }}"#),
        &["M09"],
    );
}

#[test]
fn a_while_that_cannot_change_its_mind_is_told() {
    check_while("reads what the body writes", r#"{ "type": "While", "condition": "payload.done === false" }"#, &[]);
    check_while("reads something else", r#"{ "type": "While", "condition": "payload.ready === false" }"#, &["L07"]);
    check_while("reads only data", r#"{ "type": "While", "condition": "data.x === false" }"#, &["L06"]);
    check_while("counts results", r#"{ "type": "While", "condition": "results.length < 3" }"#, &[]);
}

#[test]
fn conditions_that_do_not_parse_say_where() {
    let (steps, _) = after_start(r#""StepType": "Action", "Action": "Ping""#);
    let path = r#"{ "ID": "p", "OriginStepID": "1", "DestinationStepID": "2", "Condition": "payload.x === " }"#;
    let problems = validate(&document(&steps, path));
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!((problems[0].code, problems[0].severity), ("M05", Severity::Error));
    assert!(problems[0].place.span.is_some());
}

#[test]
fn what_only_a_run_can_tell_is_no_problem_of_the_document() {
    let columns = r#""StepType": "Action", "Action": "Send Email", "ActionInputMapping": { "to": "payload.list.filter(x => x.ok)[0].to" }"#;
    check_second("a value that a run brings", columns, &[]);
}

#[test]
fn names_in_conditions_must_mean_something() {
    let (steps, _) = after_start(r#""StepType": "Action", "Action": "Ping""#);
    let path = |condition: &str| format!(r#"{{ "ID": "p", "OriginStepID": "1", "DestinationStepID": "2", "Condition": "{condition}" }}"#);
    check("known roots", &steps, &path("payload.x && stepResult.success && flowContext.stepCount > 1"), &[]);
    check("a bare payload field", &steps, &path("status === 'x'"), &["M11"]);
    check_while("its own item", r#"{ "type": "While", "condition": "payload.done !== true && attempt.attemptNumber < 4" }"#, &[]);
    check_while("another name", r#"{ "type": "While", "condition": "payload.done !== true && attemt.attemptNumber < 4" }"#, &["M11"]);
}

/// Every fix must do what it says: after it the problem is gone, and undoing it brings back the document as it was.
#[test]
fn a_fix_mends_its_problem_in_one_step() {
    let flows = [
        after_start(r#""StepType": "Action", "Action": "Send Emial""#).0,
        after_start(r#""StepType": "ForEach", "LoopBodyType": "Action", "Action": "Ping", "Configuration": "{\"collectionPath\":\"payload.x\",\"maxIteration\":3}""#).0,
        after_start(r#""StepType": "Action", "Action": "Ping", "RetryCount": 2"#).0,
        after_start(r#""StepType": "Action", "Action": "Send Email", "ActionInputMapping": { "to": "a@b", "subjekt": "Hi" }"#).0,
        r#"{ "ID": "1", "Name": "Ping", "StepType": "Action", "Action": "Ping" }"#.to_owned(),
    ];
    for steps in flows {
        let paths = r#"{ "ID": "p", "OriginStepID": "1", "DestinationStepID": "2" }"#;
        let document = document(&steps, if steps.contains("Second") { paths } else { "" });
        let problems: Vec<Problem> = validate(&document);
        let fixable: Vec<_> = problems.iter().filter_map(|problem| Some((problem, problem.fix.clone()?))).collect();
        assert!(!fixable.is_empty(), "{steps}: {problems:?}");
        for (problem, fix) in fixable {
            let mut history = History::new(document.clone());
            history.apply(fix).unwrap();
            let left = validate(history.document());
            assert!(!left.iter().any(|other| other.code == problem.code && other.place == problem.place), "{}: {left:?}", problem.code);
            history.undo().unwrap();
            assert_eq!(history.document(), &document);
        }
    }
}

/// The rules of the released runtime that a flow touches: those for certain, and those that depend on the run.
fn check_backend(name: &str, steps: &str, paths: &str, certain: &[&str], perhaps: &[&str]) {
    let document = document(steps, paths);
    let problems = super::backend(&document);
    let of = |severity| {
        let mut codes: Vec<&str> = problems.iter().filter(|problem| problem.severity == severity).map(|problem| problem.code).collect();
        codes.sort_unstable();
        codes.dedup();
        codes
    };
    assert_eq!(of(loopwright_lang::Severity::Warning), certain, "{name}");
    for code in perhaps {
        assert!(of(loopwright_lang::Severity::Hint).contains(code), "{name}: {code} is among {:?}", of(loopwright_lang::Severity::Hint));
    }
}

#[test]
fn what_a_backend_does_otherwise_is_found_without_running() {
    let action =
        |rest: &str| format!(r#"{{ "ID": "1", "Name": "A", "StepType": "Action", "Action": "Ping", "StartingStep": true{rest} }}"#);
    let looped = |kind: &str, config: &str, rest: &str| {
        format!(
            r#"{{ "ID": "1", "Name": "A", "StepType": "{kind}", "StartingStep": true, "LoopBodyType": "Action", "Action": "Ping", "Configuration": {config}{rest} }}"#
        )
    };
    check_backend("nothing for certain", &action(""), "", &[], &["P28"]);
    check_backend("a target with payload.", &action(r#", "ActionOutputMapping": { "R": "payload.r" }"#), "", &["P03"], &["P35"]);
    check_backend(
        "an expression",
        &action(r#", "ActionInputMapping": { "a": "payload.n + 1", "b": ["{{payload.x}}"] }"#),
        "",
        &["P18", "P37"],
        &[],
    );
    check_backend("a dash in a path", &action(r#", "ActionInputMapping": { "a": "payload.my-key" }"#), "", &["P38"], &[]);
    check_backend(
        "text that both take alike",
        &action(r#", "ActionInputMapping": { "a": "payload.n", "b": "static:x", "c": 5 }"#),
        "",
        &[],
        &[],
    );
    check_backend("broken text", &action(r#", "ActionInputMapping": "{ oops""#), "", &["P44"], &[]);
    let fine = r#"{ "type": "ForEach", "collectionPath": "payload.l", "itemVariable": "x", "maxIterations": 5, "continueOnError": true }"#;
    check_backend(
        "a loop that both run alike",
        &looped("ForEach", fine, r#", "ActionInputMapping": { "a": "x.v", "n": "index" }"#),
        "",
        &[],
        &["P08"],
    );
    check_backend("outputs of a loop", &looped("ForEach", fine, r#", "ActionOutputMapping": { "R": "r" }"#), "", &["P01"], &[]);
    check_backend(
        "names in a body",
        &looped("ForEach", fine, r#", "ActionInputMapping": { "a": "static:x", "b": "payload.x.v", "c": "x.v * 2", "d": "context.k" }"#),
        "",
        &["P12", "P17", "P18", "P19"],
        &[],
    );
    check_backend(
        "no limit, no variable",
        &looped("ForEach", r#"{ "type": "ForEach", "collectionPath": "payload.l", "maxIterations": 0 }"#, ""),
        "",
        &["P04", "P06"],
        &["P10"],
    );
    check_backend(
        "a While that is to change the payload",
        &looped(
            "While",
            r#"{ "type": "While", "condition": "payload.s !== 'Class A'", "itemVariable": "x", "maxIterations": -1 }"#,
            r#", "ActionOutputMapping": { "R": "s" }"#,
        ),
        "",
        &["P02", "P07", "P40"],
        &["P20"],
    );
}

#[test]
fn a_refine_steps_configuration_is_checked() {
    let check_refine = |what: &str, config: &str, expected: &[&str]| {
        check_second(what, &format!(r#""StepType": "Refine", "Configuration": {config}"#), expected);
    };
    let attempt = r#""type": "Refine", "attempt": { "action": "Ping" }"#;
    let check = r#""check": { "expression": "result.ok", "feedback": "no" }"#;
    check_refine("fine", &format!(r#"{{ {attempt}, "maxRounds": 3, {check} }}"#), &[]);
    check_refine("nothing", r#"{ "type": "Refine" }"#, &["C06", "C06", "C06"]);
    check_refine("no limit", &format!(r#"{{ {attempt}, {check} }}"#), &["C06"]);
    check_refine("half a round", &format!(r#"{{ {attempt}, "maxRounds": 1.5, {check} }}"#), &["C07"]);
    check_refine("two bodies", &format!(r#"{{ "attempt": {{ "action": "Ping", "prompt": "P" }}, "maxRounds": 3, {check} }}"#), &["R01"]);
    check_refine("an unknown action", &format!(r#"{{ "attempt": {{ "action": "Pong 7" }}, "maxRounds": 3, {check} }}"#), &["R02"]);
    check_refine("no feedback", &format!(r#"{{ {attempt}, "maxRounds": 3, "check": {{ "expression": "result.ok" }} }}"#), &["C06"]);
    check_refine(
        "a plateau without a score",
        &format!(r#"{{ {attempt}, "maxRounds": 3, {check}, "plateau": {{ "rounds": 2 }} }}"#),
        &["C06"],
    );
    check_refine("a misspelt key", &format!(r#"{{ {attempt}, "maxRound": 3, "maxRounds": 3, {check} }}"#), &["C03"]);
}
