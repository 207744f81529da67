#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may stop at the first surprise")]
//! Questions about small runs whose answers are known.

use loopwright_lang::Profile;
use loopwright_model::format;

use crate::{
    Simulation,
    protocol::{FrameId, FrameKind, IterationRow, Moment, Order, Rows},
};

/// A run of one flow with these steps (each leads to the next) under a scenario.
fn run(steps: &[&str], scenario: &str) -> Simulation {
    let numbered: Vec<String> = steps.iter().enumerate().map(|(at, step)| format!(r#"{{ "ID": "{at}", {step} }}"#)).collect();
    let paths: Vec<String> =
        (1..steps.len()).map(|at| format!(r#"{{ "ID": "p{at}", "OriginStepID": "{}", "DestinationStepID": "{at}" }}"#, at - 1)).collect();
    let text = format!(
        r#"{{ "loopwright": 1, "graphs": [ {{ "ID": "g", "Name": "Flow", "steps": [{}], "paths": [{}] }} ],
          "catalogue": {{ "actions": [ {{ "id": "a", "name": "Do" }} ] }}, "scenarios": [ {scenario} ] }}"#,
        numbered.join(","),
        paths.join(",")
    );
    let document = format::import("t.loopwright.json", &text).document.unwrap();
    let (graph, scenario) = (document.graphs().next().unwrap().id(), document.scenarios().next().unwrap().id);
    let mut simulation = Simulation::new(&document, graph, Some(scenario), Profile::Documented).unwrap();
    simulation.run_to_end();
    simulation
}

const EACH: &str = r#""Name": "Each", "StepType": "ForEach", "StartingStep": true, "LoopBodyType": "Action", "Action": "Do",
    "Configuration": { "type": "ForEach", "collectionPath": "payload.items", "continueOnError": true, "maxIterations": 0 },
    "ActionInputMapping": { "n": "item.n" }, "ActionOutputMapping": { "twice": "got[]", "half": "last" }"#;

/// 200 items `{ n, name }`; every 50th call fails; each takes n ms.
fn each() -> Simulation {
    let after = r#""Name": "After", "StepType": "Action", "Action": "Do", "ActionOutputMapping": { "twice": "payload.after" }"#;
    run(
        &[EACH, after],
        r#"{ "payload": { "items": { "$repeat": 200, "item": { "n": "{{index}}", "name": "Item {{index}}" } }, "still": 1 },
          "actions": { "Do": { "expressions": { "twice": "params.n * 2", "half": "params.n % 2" }, "failEvery": 50, "failMessage": "busy",
            "latencyMs": "params.n", "outputs": {}, "byIteration": {} } } }"#,
    )
}

fn the_loop(run: &Simulation) -> FrameId {
    FrameId(run.log().rows.iter().position(|row| row.kind == FrameKind::Loop).unwrap() as u32)
}

fn found(run: &mut Simulation, filter: &str, order: Option<(&str, bool)>) -> Vec<u64> {
    let of = Rows::Loop { frame: the_loop(run) };
    let order = order.map(|(by, down)| Order { by: by.to_owned(), down });
    let mut matrix = run.matrix(&of, filter, order.as_ref(), 0, 1_000).unwrap();
    while matrix.left > 0 {
        matrix = run.matrix(&of, filter, order.as_ref(), 0, 1_000).unwrap();
    }
    assert_eq!(matrix.total, matrix.rows.len() as u64);
    matrix.rows.iter().map(|row: &IterationRow| row.index).collect()
}

#[test]
fn iterations_are_found_by_what_is_known_of_them() {
    let mut run = each();
    let mut check = |filter: &str, expected: &[u64]| assert_eq!(found(&mut run, filter, None), expected, "{filter}");
    check("status:failed", &[49, 99, 149, 199]);
    check("status:failed index>100", &[149, 199]);
    check("item.n=42", &[42]);
    check(r#""item 7" index<75 -number=71"#, &[7, 71, 72, 73, 74]);
    check("duration>=197ms", &[197, 198, 199]);
    check("result.twice=20", &[10]);
    check("params.n=3", &[3]);
    check("error~BUSY -index<150", &[199]);
    check("busy label=\"item 49\"", &[49]);
    check("item.nothing=1", &[]);
}

#[test]
fn iterations_are_sorted_and_ties_stay_as_they_began() {
    let mut run = each();
    assert_eq!(found(&mut run, "index<5", Some(("duration", true))), [4, 3, 2, 1, 0]);
    assert_eq!(found(&mut run, "index<5", Some(("result.half", false))), [0, 2, 4, 1, 3]);
    assert_eq!(found(&mut run, "index<102 index>97", Some(("status", false))), [99, 98, 100, 101]);
    let of = Rows::Loop { frame: the_loop(&run) };
    assert!(run.matrix(&of, "colour:red", None, 0, 1).is_err());
}

#[test]
fn a_million_are_looked_through_in_slices() {
    let mut run = run(&[EACH], r#"{ "payload": { "items": { "$repeat": 90000, "item": { "n": 1 } } }, "actions": { "Do": {} } }"#);
    let step = run.execution().compiled().step_numbered(0).unwrap().id;
    let first = run.matrix(&Rows::Step { step }, "", None, 5, 10).unwrap();
    assert!(first.left > 0 && first.rows.len() == 10 && first.rows[0].index == 5);
    let other = run.matrix(&Rows::Step { step }, "index>1", None, 0, 10).unwrap();
    assert!(other.looked < 90_000, "another question drops what the first had built");
    while run.matrix(&Rows::Step { step }, "", None, 0, 1).unwrap().left > 0 {}
    assert_eq!(run.matrix(&Rows::Step { step }, "", None, 0, 1).unwrap().total, 90_000);
}

#[test]
fn payloads_differ_between_any_two_moments() {
    let run = each();
    let round = the_loop(&run);
    let seventh = run.log().loop_(round.0).unwrap().iterations[7];
    let view = run.between(None, Moment::Before(FrameId(seventh)), Moment::After(FrameId(seventh)));
    let listed: Vec<_> = view.changes.iter().map(|change| (change.path.as_str(), change.after.as_deref())).collect();
    assert_eq!(listed, [("got[7]", Some("14")), ("last", Some("1"))]);
    assert!(view.changes.iter().all(|change| change.by.is_some()));
    let view = run.between(None, Moment::Start, Moment::End);
    assert!(view.changes.iter().any(|change| change.path == "got"));
    assert!(run.between(None, Moment::Time(0), Moment::Event(0)).changes.iter().all(|change| change.path != "after"));
}

#[test]
fn every_write_of_a_place_is_found_the_last_first() {
    let run = each();
    let writers = run.writers_of(None, "last", Moment::End).unwrap();
    assert_eq!(writers.len(), 100);
    assert_eq!((writers[0].path.as_slice(), writers[0].after.as_deref()), ([198].as_slice(), Some("0")));
    assert_eq!(writers[1].path, [197]);
    let before = run.writers_of(None, "payload.got[3]", Moment::End).unwrap();
    assert_eq!((before.len(), before[0].path.as_slice(), before[0].after.as_deref()), (1, [3].as_slice(), Some("6")));
    assert!(run.writers_of(None, "still", Moment::End).unwrap().is_empty(), "what the run began with was written by nobody");
    assert_eq!(
        run.writers_of(None, "last", Moment::Before(FrameId(run.log().loop_(the_loop(&run).0).unwrap().iterations[1]))).unwrap().len(),
        1
    );
}

#[test]
fn an_exit_says_what_its_condition_read_and_who_wrote_that() {
    let poll = r#""Name": "Poll", "StepType": "While", "StartingStep": true, "LoopBodyType": "Action", "Action": "Do",
        "Configuration": { "type": "While", "condition": "payload.ok === false && payload.tries < 9", "maxIterations": 10 },
        "ActionOutputMapping": { "ok": "payload.ok" }"#;
    let run = run(
        &[poll],
        r#"{ "payload": { "ok": false, "tries": 1 }, "actions": { "Do": [ { "outputs": { "ok": false } }, { "outputs": { "ok": false } }, { "outputs": { "ok": true } } ] } }"#,
    );
    let exit = run.exit(the_loop(&run).0).unwrap();
    assert_eq!((exit.reason.as_deref(), exit.iterations, exit.limit), (Some("condition false"), 3, Some(10)));
    assert_eq!(exit.condition.as_ref().unwrap().held, Some(false));
    let reads: Vec<_> = exit.reads.iter().map(|read| (read.path.as_str(), read.value.as_str())).collect();
    assert_eq!(reads, [("payload.ok", "true"), ("payload.tries", "1")]);
    assert_eq!(exit.reads[0].by.as_ref().unwrap().path, [2]);
    assert!(exit.reads[1].by.is_none());
}

#[test]
fn an_exit_by_failure_names_the_iteration() {
    let stops = EACH.replace(r#""continueOnError": true"#, r#""continueOnError": false"#);
    let run =
        run(&[&stops], r#"{ "payload": { "items": [1, 2, 3] }, "actions": { "Do": { "failIterations": [1], "failMessage": "no" } } }"#);
    let exit = run.exit(the_loop(&run).0).unwrap();
    assert_eq!((exit.reason.as_deref(), exit.error.as_deref(), exit.items), (Some("failed"), Some("no"), Some(3)));
    assert_eq!(run.log().row(exit.failed.unwrap().0).unwrap().index, 1);
}
