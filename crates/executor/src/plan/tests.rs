#![allow(clippy::unwrap_used)]
use std::sync::Arc;

use loopwright_lang::{Value, json};
use loopwright_model::plan::{EPOCH_2024, Known, Plan, check};
use proptest::prelude::*;

use super::*;

fn plan(tasks: &str) -> Arc<Plan> {
    let root = json::parse(&format!("{{\"tasks\": [{tasks}]}}")).root.unwrap();
    let checked = check(&root, &Known::default());
    Arc::new(checked.plan.unwrap_or_else(|| panic!("{:?}", checked.problems)))
}

/// Tools by name: `src` gives `items`, `echo` its args, `slow…` its args after so many seconds, `boom` fails, `flaky` twice.
fn answer(call: &Call, items: &Value) -> (u64, Outcome) {
    let seconds = |key: &str| call.given.get(key).and_then(Value::as_number).map_or(0, |seconds| (seconds * 1e6) as u64);
    match call.name.as_str() {
        "src" => (0, Outcome::Returned(items.clone())),
        "boom" => (seconds("after"), Outcome::Failed { code: "bad".into(), message: "Bad.".into(), retryable: false }),
        "flaky" if call.attempt <= 2 => (0, Outcome::Failed { code: "busy".into(), message: "Busy.".into(), retryable: true }),
        _ => (seconds("after"), Outcome::Returned(call.given.clone())),
    }
}

fn run(plan: &Arc<Plan>, items: &str, cancel: Option<u64>) -> Driver {
    let items = json::parse(items).value().unwrap();
    let mut driver = Driver::new(PlanRun::start(plan.clone(), EPOCH_2024), cancel.map(|at| (at, Value::text("stop"))));
    driver.run_to_end(&mut |call| answer(call, &items));
    driver
}

fn results(driver: &Driver) -> String {
    json::print_compact(&driver.run.results())
}

fn waves(driver: &mut Driver) -> Vec<Vec<String>> {
    let events = driver.run.take_events();
    let members = events.iter().filter_map(|event| if let What::WaveStart(members) = &event.what { Some(members) } else { None });
    members.map(|members| members.iter().map(|whose| driver.run.name(*whose)).collect()).collect()
}

const FAN: &str = r#"{"id":"d","tool":"src"},
    {"id":"i","tool":"echo","depends_on":["d"],"for_each":"${d.result}","when":{"ref":"${item.ok}","operator":"not_equals","value":false},"args":{"n":"${item.n}"}},
    {"id":"z","tool":"echo","depends_on":["i"],"args":{"all":"${i.result}"}}"#;

#[test]
fn a_wave_is_a_barrier() {
    let plan = plan(
        r#"{"id":"a","tool":"echo"},{"id":"w","type":"wait","duration":"PT1H"},{"id":"b","tool":"echo","depends_on":["a"]},
           {"id":"u","type":"wait","duration":"PT0.000001S","depends_on":["b"]}"#,
    );
    let mut driver = run(&plan, "null", None);
    assert_eq!(driver.run.now(), 3_600_000_001);
    assert_eq!(waves(&mut driver), [vec!["a", "w"], vec!["b"], vec!["u"]]);
    assert!(results(&driver).contains("2024-01-01T01:00:00.000001+00:00"), "a wait counts from its wave's start");
}

#[test]
fn ten_run_at_a_time_and_a_new_task_overtakes_the_rest_of_an_expansion() {
    let plan = plan(
        r#"{"id":"d","tool":"src"},{"id":"a","tool":"echo","depends_on":["d"]},{"id":"b","tool":"echo","depends_on":["a"]},
           {"id":"i","tool":"echo","depends_on":["d"],"for_each":"${d.result}"}"#,
    );
    let mut driver = run(&plan, "[0,1,2,3,4,5,6,7,8,9,10,11]", None);
    let waves = waves(&mut driver);
    assert_eq!(waves.iter().map(Vec::len).collect::<Vec<_>>(), [1, 10, 4]);
    assert_eq!(waves.get(2).unwrap(), &["b", "i[9]", "i[10]", "i[11]"]);
}

#[test]
fn a_skip_gives_null_and_does_not_propagate() {
    let plan = plan(
        r#"{"id":"d","tool":"src"},{"id":"s","tool":"echo","depends_on":["d"],"when":{"ref":"${d.result}","operator":"equals","value":1.0},"args":{"v":"${d.result.nope}"}},
           {"id":"e","tool":"echo","depends_on":["s"],"args":{"v":"${s.result}","t":"<${s.result}>"}}"#,
    );
    assert_eq!(results(&run(&plan, "1", None)), r#"{"d":1,"s":null,"e":{"v":null,"t":"<null>"}}"#);
}

#[test]
fn an_expansion_over_the_limit_is_refused_as_a_whole() {
    let plan = plan(FAN);
    let list = |count: usize| format!("[{}]", vec![r#"{"n":1,"ok":false}"#; count].join(","));
    assert_eq!(run(&plan, &list(48), None).run.end(), Some(&End::Completed));
    let over = run(&plan, &list(49), None);
    assert!(matches!(over.run.end(), Some(End::Failed { code: "workflow_node_limit_exceeded", node, .. }) if node == "i"));
    assert_eq!(over.run.activity(), ["d"]);
}

#[test]
fn what_is_tried_again_waits_between_attempts_and_within_its_wave() {
    let plan = plan(
        r#"{"id":"f","tool":"flaky","args":{"v":1},"execution":{"retry":{"max_attempts":3,"backoff":{"initial":"PT1S","multiplier":2,"max":"PT5S"}}}},
           {"id":"a","tool":"echo"},{"id":"b","tool":"echo","depends_on":["a"]}"#,
    );
    let driver = run(&plan, "null", None);
    assert_eq!(driver.run.now(), 3_000_000, "pauses of one and two seconds");
    assert_eq!(driver.run.activity(), ["a", "f", "b"]);
}

#[test]
fn an_answer_at_the_limit_of_its_attempt_is_in_time() {
    let task = |seconds: u32| format!(r#"{{"id":"s","tool":"slow","args":{{"after":{seconds}}},"execution":{{"timeout":"PT2S"}}}}"#);
    assert_eq!(run(&plan(&task(2)), "null", None).run.end(), Some(&End::Completed));
    let late = run(&plan(&task(3)), "null", None);
    assert!(matches!(late.run.end(), Some(End::Raised { node, code: Some(code), .. }) if node == "s" && code.as_str() == TIMED_OUT));
    assert_eq!(late.run.now(), 2_000_000);
}

#[test]
fn a_cancel_keeps_what_was_committed_and_discards_the_wave() {
    let plan = plan(
        r#"{"id":"d","tool":"src"},{"id":"i","tool":"slow","depends_on":["d"],"for_each":"${d.result}","args":{"after":"${item}"}},{"id":"e","tool":"echo","depends_on":["d"]}"#,
    );
    let driver = run(&plan, "[1,9]", Some(5_000_000));
    let output = json::print_compact(&driver.run.output().unwrap());
    assert_eq!(output, r#"{"completed_count":1,"total_count":3,"canceled":true,"reason":"stop","results":{"d":[1,9]}}"#);
    let status = driver.run.status().unwrap();
    assert_eq!(status.get("nodes").and_then(|nodes| nodes.get("i")?.get("state")).and_then(Value::as_str), Some("expanded"));
    assert_eq!(run(&plan, "[1,9]", Some(9_000_000)).run.end(), Some(&End::Cancelled(Value::text("stop"))), "a cancel wins a tie");
    assert_eq!(run(&plan, "[1,9]", Some(9_000_001)).run.end(), Some(&End::Completed));
}

#[test]
fn a_continued_failure_is_a_result_and_its_siblings_go_on() {
    let plan = plan(
        r#"{"id":"d","tool":"src"},{"id":"b","tool":"boom","depends_on":["d"],"for_each":"${d.result}","execution":{"continue_on_error":true}}"#,
    );
    let text = results(&run(&plan, "[1]", None));
    assert!(text.ends_with(r#""result":{"failed":true,"error_code":"bad","error":"Bad.","kind":"handler_terminal"}}]}"#), "{text}");
}

#[test]
fn a_terminal_failure_with_a_policy_waits_for_its_wave_and_one_without_does_not() {
    let with = plan(r#"{"id":"a","tool":"boom","execution":{"timeout":"PT5S"}},{"id":"w","type":"wait","duration":"PT1H"}"#);
    assert_eq!(run(&with, "null", None).run.now(), 3_600_000_000);
    let without = plan(r#"{"id":"a","tool":"boom"},{"id":"w","type":"wait","duration":"PT1H"}"#);
    let driver = run(&without, "null", None);
    assert_eq!((driver.run.now(), driver.run.output()), (0, None));
}

fn elements() -> impl Strategy<Value = Vec<(i32, bool)>> {
    proptest::collection::vec((any::<i32>(), any::<bool>()), 0..48)
}

fn as_json(elements: &[(i32, bool)]) -> String {
    let items: Vec<String> = elements.iter().map(|(n, ok)| format!(r#"{{"n":{n},"ok":{ok},"after":{}}}"#, n.rem_euclid(5))).collect();
    format!("[{}]", items.join(","))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn envelopes_stand_in_source_order_whatever_ends_first(elements in elements()) {
        let plan = plan(
            r#"{"id":"d","tool":"src"},{"id":"i","tool":"slow","depends_on":["d"],"for_each":"${d.result}",
                "when":{"ref":"${item.ok}","operator":"equals","value":true},"args":{"n":"${item.n}","after":"${item.after}"}}"#,
        );
        let driver = run(&plan, &as_json(&elements), None);
        let results = driver.run.results();
        let envelopes = results.get("i").and_then(Value::as_list).unwrap();
        prop_assert_eq!(envelopes.len(), elements.len());
        for (at, (envelope, (n, ok))) in envelopes.iter().zip(&elements).enumerate() {
            prop_assert_eq!(envelope.get("index").and_then(Value::as_number), Some(at as f64));
            prop_assert_eq!(envelope.get("status").and_then(Value::as_str), Some(if *ok { "completed" } else { "skipped" }));
            let found = envelope.get("result").and_then(|result| result.get("n")).and_then(Value::as_number);
            prop_assert_eq!(found, ok.then(|| f64::from(*n)));
        }
    }

    #[test]
    fn a_run_restored_at_any_point_ends_the_same(elements in elements(), cut in 0_usize..60) {
        let plan = plan(FAN);
        let items = json::parse(&as_json(&elements)).value().unwrap();
        let whole = run(&plan, &as_json(&elements), None);
        let mut first = Driver::new(PlanRun::start(plan.clone(), EPOCH_2024), None);
        for _ in 0..cut {
            first.step(&mut |call| answer(call, &items));
        }
        let restored = PlanRun::restore(plan.clone(), EPOCH_2024, first.run.history()).unwrap();
        let mut second = Driver::new(restored, None);
        second.run_to_end(&mut |call| answer(call, &items));
        prop_assert_eq!(second.run.output(), whole.run.output());
        prop_assert_eq!(second.run.activity(), whole.run.activity());
        prop_assert_eq!(second.run.status(), whole.run.status());
    }

    #[test]
    fn no_wave_has_more_than_ten_and_none_starts_before_what_it_needs(edges in proptest::collection::vec((0_usize..20, 0_usize..20), 0..40)) {
        let tasks: Vec<String> = (0..20).map(|task| {
            let mut before: Vec<String> = edges.iter().filter(|(a, b)| *b == task && a < b).map(|(a, _)| format!("\"t{a}\"")).collect();
            before.sort();
            before.dedup();
            format!(r#"{{"id":"t{task}","tool":"echo","depends_on":[{}]}}"#, before.join(","))
        }).collect();
        let plan = plan(&tasks.join(","));
        let mut driver = run(&plan, "null", None);
        prop_assert_eq!(driver.run.end(), Some(&End::Completed));
        let waves = waves(&mut driver);
        let wave_of = |id: &str| waves.iter().position(|wave| wave.iter().any(|name| name == id));
        for wave in &waves {
            prop_assert!(wave.len() <= 10 && wave.is_sorted());
        }
        for (a, b) in edges.iter().filter(|(a, b)| a < b) {
            let (before, after) = (wave_of(&format!("t{a}")), wave_of(&format!("t{b}")));
            prop_assert!(before < after);
        }
    }
}
