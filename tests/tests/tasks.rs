//! Task graphs of documents: the examples run as they say, and their log is kept as that of other graphs.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;

use loopwright_executor::{
    Progress, Simulation,
    protocol::{FrameKind, RunState, State},
};
use loopwright_lang::{Profile, Value, json::print_compact};
use loopwright_model::{Document, EntityId, format};

fn open(name: &str) -> Document {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../assets/examples/{name}.loopwright.json"));
    format::import(name, &std::fs::read_to_string(path).unwrap()).document.unwrap()
}

fn scenario(document: &Document, name: &str) -> EntityId {
    document.scenarios().find(|entity| entity.fields.get("name").and_then(Value::as_str) == Some(name)).unwrap().id
}

fn simulate(document: &Document, scenario_name: &str) -> Simulation {
    let graph = document.graphs().next().unwrap().id();
    let mut simulation = Simulation::new(document, graph, Some(scenario(document, scenario_name)), Profile::Documented).unwrap();
    simulation.run_to_end();
    simulation
}

#[test]
fn each_example_ends_as_its_scenario_says() {
    let cases = [
        ("draft-review-publish", "Accepted in the third round", RunState::Completed, 9, 3),
        ("draft-review-publish", "Waits for a person", RunState::Message, 3, 1),
        ("draft-review-publish", "Rejected by a person", RunState::Failed, 3, 1),
        ("cached-summary", "Nothing is kept yet", RunState::Completed, 4, 2),
        ("cached-summary", "Kept half an hour ago", RunState::Completed, 2, 0),
        ("cached-summary", "Kept too long ago", RunState::Completed, 3, 1),
        ("exhausted-and-recovered", "Never accepted", RunState::Failed, 7, 3),
        ("exhausted-and-recovered", "The tests break off, and the run is started again", RunState::Completed, 7, 3),
        ("interrupted-translation", "Interrupted in the second check", RunState::Completed, 7, 3),
        ("interrupted-translation", "Not interrupted", RunState::Completed, 6, 2),
    ];
    for (file, name, state, calls, rounds) in cases {
        let document = open(file);
        let simulation = simulate(&document, name);
        let log = simulation.log();
        assert_eq!((log.state, log.calls, log.iterations), (state, calls, rounds), "{file}: {name}");
        let open = log.rows.iter().filter(|row| row.state == State::Running).count();
        assert_eq!((open, log.open_calls), (0, 0), "{file}: {name} leaves nothing open");
        let concurrency = if file == "exhausted-and-recovered" { 2 } else { 1 };
        assert!(log.most_calls <= concurrency, "{file}: {name} keeps to its slots");
    }
}

#[test]
fn a_run_that_is_interrupted_comes_to_the_same_payload() {
    let document = open("interrupted-translation");
    let payload = |name: &str| print_compact(&simulate(&document, name).log().final_payload);
    assert_eq!(payload("Interrupted in the second check"), payload("Not interrupted"));
}

#[test]
fn a_run_in_small_slices_keeps_the_same_log() {
    let document = open("draft-review-publish");
    let whole = simulate(&document, "Accepted in the third round").log().to_bytes();
    let graph = document.graphs().next().unwrap().id();
    let chosen = Some(scenario(&document, "Accepted in the third round"));
    let mut sliced = Simulation::new(&document, graph, chosen, Profile::Documented).unwrap();
    while sliced.run_slice(1) != Progress::Finished {}
    assert!(whole == sliced.log().to_bytes());
}

#[test]
fn rounds_are_iterations_with_candidate_verdict_and_feedback() {
    let document = open("draft-review-publish");
    let simulation = simulate(&document, "Accepted in the third round");
    let log = simulation.log();
    let rounds: Vec<(String, String)> = log
        .rows
        .iter()
        .filter(|row| row.kind == FrameKind::Iteration)
        .map(|row| {
            let text = |value: &Value, key: &str| value.get(key).map(print_compact).unwrap_or_default();
            (text(&row.given, "feedback"), format!("{} {}", text(&row.result, "done"), text(&row.result, "feedback")))
        })
        .collect();
    let first = "\"Too short: say where it comes from.\"";
    assert_eq!(rounds.first().unwrap().1, format!("false {first}"));
    assert_eq!(rounds.get(1).unwrap().0, first, "the next round is told");
    assert_eq!(rounds.last().unwrap().1, "true ");
}
