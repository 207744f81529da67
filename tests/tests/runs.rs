//! Laws of runs.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use loopwright_executor::{Progress, Simulation, compile::CalleeKind, protocol::FrameId};
use loopwright_lang::{Profile, Value, json::print_compact};
use loopwright_tests::golden::{cases, convert::convert, runs::run};
use proptest::prelude::*;

const FLOWS: &str = include_str!("../golden/documented/flows.jsonl");
const LOOPS: &str = include_str!("../golden/documented/loops.jsonl");
const AGENTS: &str = include_str!("../golden/documented/loop-agents.jsonl");

fn value(text: &str) -> Value {
    loopwright_lang::json::parse(text).value().unwrap()
}

fn simulate(input: &Value) -> Simulation {
    run(input, Profile::Documented).unwrap()
}

/// Inputs of the known runs, without the two that go on for a million iterations.
fn inputs() -> Vec<(String, Value)> {
    [FLOWS, LOOPS, AGENTS]
        .iter()
        .flat_map(|text| cases(text))
        .filter(|case| case.get("tag").and_then(Value::as_str).is_none_or(|tag| !tag.contains("million")))
        .map(|case| (case.get("id").and_then(Value::as_str).unwrap().to_owned(), case.get("input").unwrap().clone()))
        .collect()
}

#[test]
fn a_run_in_small_slices_is_the_same_run() {
    for (id, input) in inputs() {
        let whole = simulate(&input).log().to_bytes();
        let converted = convert(&input).unwrap();
        let mut sliced = Simulation::new(&converted.document, converted.graph, Some(converted.scenario), Profile::Documented).unwrap();
        while sliced.run_slice(1) != Progress::Finished {}
        assert!(whole == sliced.log().to_bytes(), "{id}");
    }
}

#[test]
fn parameters_read_off_the_log_are_those_of_the_call() {
    for (id, input) in inputs() {
        let simulation = simulate(&input);
        if simulation.log().len() > 5_000 {
            continue;
        }
        for (_, call) in simulation.traced().iter().filter(|(_, call)| call.kind == CalleeKind::Action) {
            let frame = simulation.frame(FrameId(call.row)).unwrap();
            for param in &frame.params {
                let wanted =
                    call.params.get(&param.name).filter(|value| !value.is_undefined()).map_or("undefined".to_owned(), print_compact);
                assert_eq!(param.value, wanted, "{id}: {} of {}", param.name, call.name);
            }
        }
    }
}

#[test]
fn the_last_payload_read_off_the_log_is_the_final_one() {
    for (id, input) in inputs() {
        let simulation = simulate(&input);
        let last = simulation.replay().payload_at(0, Some(u32::MAX - 1));
        assert_eq!(last, simulation.log().final_payload, "{id}");
    }
}

#[test]
fn every_question_about_every_known_run_has_an_answer() {
    for (id, input) in inputs() {
        let simulation = simulate(&input);
        let log = simulation.log();
        let end = simulation.execution().now();
        for at in [0, end / 2, end] {
            let steps = simulation.steps(at);
            assert!(steps.steps.iter().all(|step| step.cells.len() <= 40), "{id}");
            simulation.payload(at, Some(0));
        }
        let unfolded: Vec<FrameId> = (0..log.rows.len().min(50)).map(|row| FrameId(row as u32)).collect();
        for row in &simulation.timeline(0, end.max(1), 800, &unfolded).rows {
            assert!(row.bars.windows(2).all(|pair| pair[0].start_us <= pair[1].start_us), "{id}: bars are in order");
        }
        for row in 0..log.rows.len().min(300) {
            let frame = FrameId(row as u32);
            let shown = simulation.frame(frame).unwrap();
            if let Some(step) = shown.step {
                simulation.scope_view(step, Some(frame)).unwrap();
                assert_eq!(simulation.find(&shown.place).is_some(), !shown.place.is_empty(), "{id}: {:?}", shown.place);
            }
            simulation.iterations(frame, 0, 10, false);
        }
        assert_eq!(simulation.events(0, 10_000).rows.len(), log.len().min(10_000), "{id}");
        let times = &log.times;
        assert!(times.windows(2).all(|pair| pair[0] <= pair[1]), "{id}: events are in order of time");
    }
}

#[test]
fn a_run_saved_half_way_goes_on_as_if_nothing_had_been() {
    for (id, input) in inputs() {
        let whole = simulate(&input);
        let converted = convert(&input).unwrap();
        let new = || Simulation::new(&converted.document, converted.graph, Some(converted.scenario), Profile::Documented).unwrap();
        let steps = whole.log().len();
        for part in [1, 2, 3] {
            let mut first = new();
            first.run_slice(steps * part / 4 + part);
            let saved = first.save();
            let mut second = new().load(&saved).unwrap();
            assert!(second.save() == saved, "{id}: what was loaded is what was saved");
            second.run_to_end();
            assert!(whole.log().to_bytes() == second.log().to_bytes(), "{id}, saved at {part} quarters");
        }
    }
}

#[test]
fn a_damaged_save_is_refused_and_never_panics() {
    let (_, input) = inputs().into_iter().find(|(id, _)| id == "DL095").unwrap();
    let converted = convert(&input).unwrap();
    let new = || Simulation::new(&converted.document, converted.graph, Some(converted.scenario), Profile::Documented).unwrap();
    let mut first = new();
    first.run_slice(12);
    let saved = first.save();
    for length in 0..saved.len() {
        assert!(new().load(&saved[..length]).is_err());
    }
    for at in 0..saved.len() {
        let mut damaged = saved.clone();
        damaged[at] ^= 0x15;
        if let Ok(mut run) = new().load(&damaged) {
            run.run_slice(1_000);
        }
    }
}

#[test]
fn a_save_is_at_most_twice_the_log_it_holds() {
    let input = loop_input(r#""executionMode":"sequential""#, &[5; 2_000]);
    let converted = convert(&input).unwrap();
    let mut run = Simulation::new(&converted.document, converted.graph, Some(converted.scenario), Profile::Documented).unwrap();
    run.run_to_end();
    assert!(run.save().len() < run.log().bytes() * 2, "{} of {}", run.save().len(), run.log().bytes());
}

#[test]
fn an_endless_loop_can_be_worked_on_in_slices_and_cancelled() {
    let input = value(
        r#"{"payload":{},"actions":{"Do":{"latencyMs":1}},"steps":[{"StartingStep":true,"Name":"L","StepType":"While","LoopBodyType":"Action","Action":"Do","Configuration":{"condition":"true","maxIterations":0}}]}"#,
    );
    let converted = convert(&input).unwrap();
    let mut simulation = Simulation::new(&converted.document, converted.graph, Some(converted.scenario), Profile::Documented).unwrap();
    for _ in 0..10 {
        assert_eq!(simulation.run_slice(100), Progress::Working);
    }
    simulation.cancel();
    assert_eq!(simulation.run_slice(100), Progress::Finished);
    let summary = simulation.summary();
    assert_eq!(summary.state, loopwright_executor::protocol::RunState::Cancelled);
    assert!(summary.iterations > 100);
    assert_eq!(summary.loops[0].state, loopwright_executor::protocol::State::Cancelled);
}

#[test]
fn the_log_counts_iterations_past_its_budget_and_the_run_goes_on() {
    let input = value(
        r#"{"payload":{"n":0},"actions":{"Do":{"countAs":"N"}},"steps":[{"StartingStep":true,"Name":"L","StepType":"While","LoopBodyType":"Action","Action":"Do","Configuration":{"condition":"payload.n < 5000","maxIterations":0},"ActionOutputMapping":{"N":"n"}}]}"#,
    );
    let converted = convert(&input).unwrap();
    let mut simulation = Simulation::new(&converted.document, converted.graph, Some(converted.scenario), Profile::Documented).unwrap();
    simulation.limit_log(100_000);
    simulation.run_to_end();
    let summary = simulation.summary();
    assert!(summary.summarised);
    assert_eq!(summary.iterations, 5_000);
    assert!(simulation.log().rows.len() < 2_000);
    assert_eq!(print_compact(&simulation.log().final_payload), r#"{"n":5000}"#);
    assert_eq!(simulation.payload(0, None).payload, r#"{"n":5000}"#);
}

fn loop_input(mode: &str, latencies: &[u32]) -> Value {
    let scripts: Vec<String> = latencies.iter().map(|latency| format!(r#"{{"copy":{{"Got":"v"}},"latencyMs":{latency}}}"#)).collect();
    let items: Vec<String> = (0..latencies.len()).map(|item| format!("{{\"id\":{item}}}")).collect();
    value(&format!(
        r#"{{"payload":{{"items":[{}]}},"actions":{{"Do":[{}]}},"steps":[{{"StartingStep":true,"Name":"L","StepType":"ForEach","LoopBodyType":"Action","Action":"Do",
        "Configuration":{{"collectionPath":"items",{mode}}},"ActionInputMapping":{{"v":"item.id"}},"ActionOutputMapping":{{"Got":"out[*].got","*":"last"}}}}]}}"#,
        items.join(","),
        scripts.join(",")
    ))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn one_at_a_time_in_parallel_is_the_same_as_in_sequence(latencies in prop::collection::vec(0u32..50, 1..12)) {
        let parallel = simulate(&loop_input(r#""executionMode":"parallel","maxConcurrency":1"#, &latencies));
        let sequential = simulate(&loop_input(r#""executionMode":"sequential""#, &latencies));
        prop_assert_eq!(&parallel.log().final_payload, &sequential.log().final_payload);
        prop_assert_eq!(parallel.execution().now(), sequential.execution().now());
        prop_assert_eq!(parallel.traced().len(), sequential.traced().len());
    }

    #[test]
    fn results_are_in_index_order_whatever_the_latencies(latencies in prop::collection::vec(0u32..50, 1..12), size in 1usize..6) {
        let mode = format!(r#""executionMode":"parallel","maxConcurrency":{size}"#);
        let simulation = simulate(&loop_input(&mode, &latencies));
        let out: Vec<String> = (0..latencies.len()).map(|index| format!("{{\"got\":{index}}}")).collect();
        let found = simulation.log().final_payload.get("out").map(print_compact);
        prop_assert_eq!(found, Some(format!("[{}]", out.join(","))));
        prop_assert!(simulation.summary().max_concurrent_calls as usize <= size);
        let batches: u64 = latencies.chunks(size).map(|batch| u64::from(*batch.iter().max().unwrap_or(&0)) * 1_000).sum();
        prop_assert_eq!(simulation.execution().now(), batches);
    }
}

#[test]
fn ten_thousand_iterations_take_less_than_a_second() {
    let input = value(
        r#"{"payload":{"items":{"$repeat":10000,"item":{"email":"user{{index}}@example.com","name":"User {{index}}","id":"{{index}}"}}},
        "actions":{"Send":{"outputs":{"sent":true,"id":"m-1"},"latencyMs":20}},
        "steps":[{"StartingStep":true,"Name":"L","StepType":"ForEach","LoopBodyType":"Action","Action":"Send","Configuration":{"collectionPath":"payload.items","itemVariable":"c","maxIterations":0},
        "ActionInputMapping":{"to":"c.email","subject":"static:Hello","greeting":"Dear {{c.name}}","position":"{{index + 1}}"},"ActionOutputMapping":{"sent":"results[*].sent","id":"results[*].id"}}]}"#,
    );
    let converted = convert(&input).unwrap();
    let mut simulation = Simulation::new(&converted.document, converted.graph, Some(converted.scenario), Profile::Documented).unwrap();
    let began = std::time::Instant::now();
    simulation.run_to_end();
    let took = began.elapsed();
    assert_eq!(simulation.summary().iterations, 10_000);
    assert_eq!(simulation.log().final_payload.get("results").and_then(Value::as_list).map(|list| list.len()), Some(10_000));
    println!("10,000 iterations: {took:?}, log {} bytes", simulation.log().bytes());
    assert!(took.as_millis() < 1_000, "{took:?}");
    let began = std::time::Instant::now();
    let end = simulation.execution().now();
    let unfolded: Vec<FrameId> = vec![FrameId(2)];
    let timeline = simulation.timeline(0, end, 1_000, &unfolded);
    let middle = simulation.steps(end / 2);
    println!("timeline and steps: {:?}, {} bars", began.elapsed(), timeline.rows.iter().map(|row| row.bars.len()).sum::<usize>());
    assert_eq!(middle.steps[0].done, 5_000);
    let began = std::time::Instant::now();
    let rows = simulation.iterations(FrameId(2), 9_000, 50, false).unwrap();
    println!("50 iteration rows: {:?} {}", began.elapsed(), rows.rows[0].params);
    assert!(rows.rows[0].params.contains("user9000@example.com"));
}
