//! The examples of plans: their scenarios come out as they say, and a plan answers every question a run is asked.
#![allow(clippy::unwrap_used, missing_docs)]

use loopwright_executor::{
    Simulation,
    protocol::{Ask, BarKind, FrameId, Outcome, RowKind, RunId, RunState, State},
};
use loopwright_lang::{Profile, Severity};
use loopwright_model::{Document, GraphKind, format, validate};

const EXAMPLES: [&str; 3] = ["incident-triage", "notify-on-call", "plan-traps"];

fn open(name: &str) -> Document {
    let path = format!("{}/../assets/examples/{name}.loopwright.json", env!("CARGO_MANIFEST_DIR"));
    let imported = format::import(name, &std::fs::read_to_string(path).unwrap());
    assert_eq!(imported.notices, [], "{name}");
    imported.document.unwrap()
}

fn run(document: &Document, scenario: &str) -> Simulation {
    let scenario = document.scenarios().find(|entity| entity.fields.get("name").unwrap().as_str() == Some(scenario)).unwrap().id;
    let graph = document.scenario(scenario).unwrap().graph().unwrap().id();
    let mut simulation = Simulation::new(document, graph, Some(scenario), Profile::Documented).unwrap();
    simulation.run_to_end();
    simulation
}

#[test]
fn a_plan_answers_every_question_a_run_is_asked() {
    for name in EXAMPLES {
        let document = open(name);
        let scenarios: Vec<String> =
            document.scenarios().map(|entity| entity.fields.get("name").unwrap().as_str().unwrap().to_owned()).collect();
        for scenario in scenarios {
            let simulation = run(&document, &scenario);
            assert_ne!(simulation.summary().state, RunState::Running, "{scenario}");
            let rows = u32::try_from(simulation.log().rows.len()).unwrap();
            for row in &simulation.log().rows {
                assert!(row.state != State::Running, "{scenario}: a row is left open: {row:?}");
            }
            let run = RunId(0);
            let end = simulation.execution().now();
            let mut asks = vec![
                Ask::Summary { run },
                Ask::Steps { run, at_us: end },
                Ask::Timeline { run, from_us: 0, to_us: end, width_px: 800, unfolded: (0..rows).map(FrameId).collect() },
                Ask::Payload { run, at_us: end, since_us: Some(0) },
                Ask::Events { run, from: 0, count: 10_000 },
                Ask::Failure { run, after: None, back: false },
                Ask::Log { run },
            ];
            asks.extend((0..rows).map(|row| Ask::Frame { run, frame: FrameId(row) }));
            for ask in asks {
                let outcome = simulation.answer_to(&ask);
                assert!(matches!(outcome, Outcome::Ok(_)), "{scenario}: {ask:?} gives {outcome:?}");
            }
        }
    }
}

#[test]
fn the_timeline_has_a_row_of_waves_and_says_what_held_one() {
    let document = open("plan-traps");
    let simulation = run(&document, "An hour later");
    let timeline = simulation.timeline(0, simulation.execution().now(), 800, &[]);
    let waves = timeline.rows.first().unwrap();
    assert_eq!(waves.kind, RowKind::Waves);
    assert!(waves.bars.iter().all(|bar| bar.kind == BarKind::Batch), "{:?}", waves.bars);
    assert_eq!((waves.bars.len(), simulation.plan().unwrap().waves().len()), (2, 2));
    let held = simulation.summary().notices.into_iter().find(|notice| notice.code == "plan_held").unwrap();
    assert!(held.message.starts_with("report was held by wait `cooldown` in wave 1"), "{}", held.message);
}

#[test]
fn the_same_run_keeps_the_same_log() {
    let document = open("notify-on-call");
    let bytes = || run(&document, "One number is wrong, one never answers").log().to_bytes();
    assert_eq!(bytes(), bytes());
}

#[test]
fn a_plan_with_a_mistake_is_refused_before_anything_is_called() {
    let text = r#"{"tasks":[{"id":"a","tool":"fetch"},{"id":"b","tool":"fetch","depends_on":["c"]}]}"#;
    let document = format::import("p.json", text).document.unwrap();
    let graph = document.graphs().next().unwrap();
    let mut simulation = Simulation::new(&document, graph.id(), None, Profile::Documented).unwrap();
    simulation.run_to_end();
    let summary = simulation.summary();
    assert_eq!((summary.state, summary.calls), (RunState::Failed, 0));
    assert_eq!(summary.error_step, graph.step_named("b").map(|step| step.id()));
    assert!(summary.error.unwrap().contains("There is no task c"));
}

#[test]
fn each_trap_has_a_warning_and_the_other_examples_have_none() {
    let codes = |name: &str| {
        let problems = validate(&open(name)).into_iter().filter(|problem| problem.severity != Severity::Hint);
        problems.map(|problem| problem.code).collect::<Vec<_>>()
    };
    assert_eq!(codes("incident-triage"), [] as [&str; 0]);
    assert_eq!(codes("notify-on-call"), [] as [&str; 0]);
    assert_eq!(
        codes("plan-traps"),
        [
            "plan_when_after_for_each",
            "plan_failed_not_always_there",
            "plan_wait_holds_wave",
            "plan_near_node_limit",
            "plan_skip_does_not_propagate"
        ]
    );
    assert!(open("plan-traps").graphs().all(|graph| graph.kind() == GraphKind::Plan));
}
