#![allow(clippy::unwrap_used, clippy::expect_used)]
use std::sync::Arc;

use loopwright_lang::{Value, json};
use loopwright_model::tasks;
use proptest::prelude::*;

use super::*;

fn value(text: &str) -> Value {
    json::parse(text).value().unwrap_or_else(|| panic!("{text} is JSON"))
}

fn compiled(text: &str) -> (Arc<CompiledTasks>, tasks::StartOptions) {
    let graph = value(text);
    let (read, problems) = tasks::read(&graph);
    assert!(problems.iter().all(|problem| !problem.refuses), "{problems:?}");
    let (options, problems) = tasks::read_options(graph.get("options"));
    assert!(problems.is_empty(), "{problems:?}");
    (Arc::new(CompiledTasks::new(read)), options)
}

fn leg(options: &tasks::StartOptions, stop_at: Option<StopAt>, answers: &str) -> Leg {
    let settings = Settings { stop_at, ..Settings::default() };
    Leg { options: options.clone(), settings, answers: value(answers), authorised: true, ..Leg::default() }
}

fn words(simulation: &TaskSimulation) -> String {
    let graph = &simulation.task_run().tasks().graph;
    let key = |task: usize| graph.tasks.get(task).map_or("?", |task| task.key.as_str());
    let word = |event: &Event| match &event.kind {
        EventKind::Task(task, status) => format!("{} {}", key(*task), status.name()),
        EventKind::Attempt(task, number) => format!("{} attempt {number}", key(*task)),
        EventKind::Retry(task, number, delay) => format!("{} retry {number} {delay}", key(*task)),
        EventKind::Loop(task, round, phase) => format!("{} {round} {}", key(*task), phase.name()),
        EventKind::Finish(status, code) => {
            format!("finish {} {}", status.name(), code.as_deref().unwrap_or_default()).trim_end().to_owned()
        }
        other => other.kind_word(key),
    };
    simulation.events().iter().map(|event| format!("{}:{}", event.at / 1_000, word(event))).collect::<Vec<_>>().join(" | ")
}

impl EventKind {
    fn kind_word<'k>(&self, key: impl Fn(usize) -> &'k str) -> String {
        self.task().map_or_else(|| self.name().to_owned(), |task| format!("{} {}", key(task), self.name()))
    }
}

fn run(graph: &str, calls: &str, answers: &str) -> TaskSimulation {
    let (tasks, options) = compiled(graph);
    let mut simulation =
        TaskSimulation::start(tasks, leg(&options, None, answers), Scripts::new(value(calls)), Cache::default(), None).unwrap();
    simulation.run().unwrap();
    simulation
}

const PAIR: &str = r#"{"name":"w","tasks":[
  {"key":"a","type":"task","perform":{"action":"A"},"timeoutMs":10},
  {"key":"b","type":"task","perform":{"action":"B"}},
  {"key":"c","type":"task","perform":{"action":"C"},"after":["b"]}],"options":{"concurrency":2}}"#;

#[test]
fn what_happens_follows_the_rules_event_by_event() {
    let cases: &[(&str, &str, &str, &str)] = &[
        (
            "a failure ends what runs in list order, then what waits",
            PAIR,
            r#"{"A":{"latencyMs":5},"B":{"throw":"no","latencyMs":1}}"#,
            "0:start | 0:a active | 0:a attempt 1 | 0:b active | 0:b attempt 1 | 1:b failed | 1:a cancelled | 1:c cancelled | 1:finish failed failed",
        ),
        (
            "a call that ignores its signal is waited for, and its task is cancelled",
            PAIR,
            r#"{"A":{"latencyMs":5,"ignoresAbort":true},"B":{"throw":{"message":"no","code":"E1"},"latencyMs":1}}"#,
            "0:start | 0:a active | 0:a attempt 1 | 0:b active | 0:b attempt 1 | 1:b failed | 1:c cancelled | 5:a cancelled | 5:finish failed E1",
        ),
        (
            "an answer at the deadline is too late, because the timer was set before its call",
            PAIR,
            r#"{"A":{"latencyMs":10},"B":{"latencyMs":1},"C":{"latencyMs":1}}"#,
            "0:start | 0:a active | 0:a attempt 1 | 0:b active | 0:b attempt 1 | 1:b done | 1:c active | 1:c attempt 1 | 2:c done | 10:a failed | 10:finish failed timeout",
        ),
        (
            "a late answer is refused when it comes",
            PAIR,
            r#"{"A":{"latencyMs":30,"ignoresAbort":true},"B":{"latencyMs":1},"C":{"latencyMs":1}}"#,
            "0:start | 0:a active | 0:a attempt 1 | 0:b active | 0:b attempt 1 | 1:b done | 1:c active | 1:c attempt 1 | 2:c done | 30:a failed | 30:finish failed timeout",
        ),
        (
            "spent attempts let what runs end, and cancel what waits",
            r#"{"name":"w","tasks":[{"key":"a","type":"task","perform":{"action":"A"}},{"key":"b","type":"task","perform":{"action":"B"}},
               {"key":"c","type":"task","perform":{"action":"C"},"after":["b"]}],"options":{"concurrency":2,"budget":{"attempts":1}}}"#,
            r#"{"A":{"latencyMs":5}}"#,
            "0:start | 0:a active | 0:a attempt 1 | 0:b active | 0:budget-exceeded | 0:b cancelled | 0:c cancelled | 5:a done | 5:finish failed limit",
        ),
        (
            "a failed attempt of an undeclared reference is tried again",
            r#"{"name":"w","tasks":[{"key":"a","type":"task","perform":{"action":"A","params":{"x":"value.z"}},"retry":{"attempts":2,"delayMs":3}}]}"#,
            "{}",
            "0:start | 0:a active | 0:a attempt 1 | 0:a retry 1 3 | 3:a attempt 2 | 3:a failed | 3:finish failed failed",
        ),
        (
            "the default cap of an exponential delay is 30 seconds",
            r#"{"name":"w","tasks":[{"key":"a","type":"task","perform":{"action":"A"},"retry":{"attempts":3,"delayMs":20000,"backoff":"exponential"}}]}"#,
            r#"{"A":{"throw":"x"}}"#,
            "0:start | 0:a active | 0:a attempt 1 | 0:a retry 1 20000 | 20000:a attempt 2 | 20000:a retry 2 30000 | 50000:a attempt 3 | 50000:a failed | 50000:finish failed failed",
        ),
        (
            "an expression check takes no time and its phase is told all the same",
            r#"{"name":"w","tasks":[{"key":"l","type":"loop","maxRounds":2,"attempt":{"prompt":"W"},"check":{"done":"result > 1","feedback":"{{ result }} in {{ round }}"}}]}"#,
            r#"{"W":[{"result":1},{"result":2}]}"#,
            "0:start | 0:l active | 0:l attempt 1 | 0:l 1 attempt | 0:l 1 check | 0:l 1 complete | 0:l attempt 2 | 0:l 2 attempt | 0:l 2 check | 0:l 2 complete | 0:l done | 0:finish done",
        ),
    ];
    for (why, graph, calls, expected) in cases {
        assert_eq!(words(&run(graph, calls, "{}")), *expected, "{why}");
    }
}

#[test]
fn a_gate_that_is_rejected_stops_no_other_branch() {
    let graph = r#"{"name":"w","tasks":[{"key":"g","type":"approval","prompt":"?","actors":["ann"]},{"key":"d","type":"task","perform":{"action":"D"},"after":["g"]},
        {"key":"h","type":"approval","prompt":"?","actors":["bo"]},{"key":"e","type":"task","perform":{"action":"E"},"after":["h"]}]}"#;
    let simulation = run(graph, "{}", r#"{"g":{"action":"reject"},"h":{"action":"approve"}}"#);
    assert_eq!(
        words(&simulation),
        "0:start | 0:g gate | 0:g paused | 0:h gate | 0:h paused | 0:finish paused | 0:start | 0:resume | 0:g decision | 0:g rejected | \
         0:h decision | 0:h done | 0:d skipped | 0:e active | 0:e attempt 1 | 0:e done | 0:finish rejected rejected"
    );
    let (tasks, options) = compiled(graph);
    let answers = r#"{"g":{"action":"approve","actor":"zoe"}}"#;
    let mut simulation = TaskSimulation::start(tasks, leg(&options, None, answers), Scripts::default(), Cache::default(), None).unwrap();
    assert!(simulation.run().unwrap_err().0.contains("zoe is not among the actors of g"));
}

#[test]
fn idempotency_keys_are_those_of_the_source_system() {
    assert_eq!(
        idempotency_key("run-1", "draft", Some((2, Phase::Check))),
        "a2849b00aaac295b9006b1a9dd6a4d794693bb2cceb5b443a1b50add253dc6ac:round:2:check"
    );
}

#[test]
fn a_replayed_phase_has_the_same_idempotency_key_and_the_same_feedback() {
    let graph = r#"{"name":"w","tasks":[{"key":"l","type":"loop","maxRounds":3,"attempt":{"prompt":"W"},"check":{"prompt":"R"}}]}"#;
    let calls = r#"{"W":{"byRound":[{"result":1},{"result":2}]},"R":{"byRound":[{"result":{"done":false,"feedback":"f"}},{"result":{"done":true}}]}}"#;
    let (tasks, options) = compiled(graph);
    let stop = Some(StopAt::Round(0, 2, Phase::Attempt));
    let mut first =
        TaskSimulation::start(tasks.clone(), leg(&options, stop, "{}"), Scripts::new(value(calls)), Cache::default(), None).unwrap();
    first.run().unwrap();
    let saved = Saved::from_value(&first.save().to_value()).unwrap();
    let before = first.trace().last().unwrap().call.clone();
    let (scripts, cache) = first.into_parts();
    let mut second = TaskSimulation::start(tasks, leg(&options, None, "{}"), scripts, cache, Some(&saved)).unwrap();
    second.run().unwrap();
    let after = second.trace().first().unwrap().call.clone();
    assert_eq!((before.idempotency_key, before.feedback, before.round), (after.idempotency_key, after.feedback, after.round));
    assert_eq!((before.attempt, after.attempt), (2, 3));
}

#[test]
fn a_malformed_saved_run_is_refused_before_any_call() {
    let graph = r#"{"name":"w","tasks":[{"key":"a","type":"task","perform":{"action":"A"}},
        {"key":"l","type":"loop","maxRounds":2,"after":["a"],"attempt":{"prompt":"W"},"check":{"prompt":"R"}},
        {"key":"g","type":"approval","prompt":"?","actors":["x"],"after":["l"]}]}"#;
    let (tasks, options) = compiled(graph);
    let calls = r#"{"A":{"result":1},"W":{"result":2},"R":{"result":{"done":false,"feedback":"f"}}}"#;
    let mut run =
        TaskSimulation::start(tasks.clone(), leg(&options, None, "{}"), Scripts::new(value(calls)), Cache::default(), None).unwrap();
    run.run().unwrap();
    let saved = json::print_compact(&run.save().to_value());
    let cases = [
        (r#""attempts":1,"value":1"#, r#""attempts":2,"value":1"#, "usage.attempts is 3, but the tasks had 4"),
        (r#""attempts":1,"value":1"#, r#""attempts":1"#, "done without a value"),
        (r#""round":2"#, r#""round":3"#, "rounds are not 1..n"),
        (r#""check":{"done":false,"feedback":"f"}}]"#, r#""check":{"done":false}}]"#, "verdict"),
        (
            r#""phase":"complete","output":{"kind":"json","value":2},"check":{"done":false,"feedback":"f"}},"#,
            r#""phase":"attempt"},"#,
            "before the last",
        ),
        (r#""status":"failed""#, r#""status":"done","value":2"#, "done without an accepted last round"),
        (r#""rounds":["#, r#""rounds":[],"x":["#, "no x"),
        (r#""status":"cancelled","attempts":0"#, r#""status":"cancelled","attempts":1"#, "attempts on a gate"),
        (r#""status":"cancelled""#, r#""status":"paused""#, "one of the tasks it is after is not done"),
        (r#""name":"w""#, r#""name":"v""#, "incompatible graph: name was \"v\" and is \"w\""),
        ("loopwright-task-run/1", "other", "no saved run"),
    ];
    for (from, to, part) in cases {
        assert!(saved.contains(from), "{from} in {saved}");
        let changed = value(&saved.replacen(from, to, 1));
        let refused = Saved::from_value(&changed).and_then(|saved| {
            TaskSimulation::start(tasks.clone(), leg(&options, None, "{}"), Scripts::default(), Cache::default(), Some(&saved)).map(|_| ())
        });
        let message = refused.expect_err(part).0;
        assert!(message.contains(part), "{to}: {message}");
    }
}

/// Graphs, scripts that answer by round, and answers of people.
const RUNS: [(&str, &str, &str); 4] = [
    (
        r#"{"name":"w","tasks":[{"key":"a","type":"task","perform":{"action":"A"},"retry":{"attempts":3,"delayMs":2}},
            {"key":"l","type":"loop","maxRounds":3,"after":["a"],"attempt":{"prompt":"W","params":{"f":"feedback"}},"check":{"prompt":"R"}},
            {"key":"s","type":"task","perform":{"action":"S"},"after":["l"],"condition":"value.l > 5"},
            {"key":"t","type":"task","perform":{"action":"T"},"after":["s"]},{"key":"u","type":"task","perform":{"action":"U"}}],"options":{"concurrency":2}}"#,
        r#"{"A":{"result":1,"latencyMs":3},"W":{"byRound":[{"result":1,"latencyMs":1},{"result":2},{"result":3,"latencyMs":4}]},
            "R":{"byRound":[{"result":{"done":false,"feedback":"x"}},{"result":{"done":false,"feedback":"y"},"latencyMs":2},{"result":{"done":true}}]},"U":{"latencyMs":9}}"#,
        "{}",
    ),
    (
        r#"{"name":"w","tasks":[{"key":"l","type":"loop","maxRounds":2,"attempt":{"prompt":"W"},"check":{"done":"false","feedback":"no {{ round }}"}},
            {"key":"b","type":"task","perform":{"action":"B"},"after":["l"]},{"key":"c","type":"task","perform":{"action":"C"}}],"options":{"stopOnError":false,"concurrency":3}}"#,
        r#"{"W":{"result":{"a":[1]},"latencyMs":2},"C":{"result":"c","latencyMs":3}}"#,
        "{}",
    ),
    (
        r#"{"name":"w","tasks":[{"key":"g","type":"approval","prompt":"?","actors":["ann","bo"]},{"key":"a","type":"task","perform":{"action":"A"},"after":["g"]},
            {"key":"h","type":"approval","prompt":"?","actors":["ann"],"after":["a"]},{"key":"b","type":"task","perform":{"action":"B"},"after":["h"]}]}"#,
        r#"{"A":{"result":1}}"#,
        r#"{"g":{"action":"approve"},"h":{"action":"reject","reason":"late"}}"#,
    ),
    (
        r#"{"name":"w","tasks":[{"key":"a","type":"task","perform":{"action":"A"},"cache":{"key":{"k":1},"version":"1"}},
            {"key":"l","type":"loop","maxRounds":2,"after":["a"],"attempt":{"prompt":"W"},"check":{"prompt":"R"},"timeoutMs":50,"cache":{"key":"value.a","version":"2"}}]}"#,
        r#"{"A":{"result":1},"W":{"result":"w","latencyMs":5},"R":{"byRound":[{"result":{"done":false,"feedback":"x"}},{"result":{"done":true}}]}}"#,
        "{}",
    ),
];

type Ends = Vec<(Status, Option<Candidate>, Option<Failure>)>;

fn ends(simulation: &TaskSimulation) -> Ends {
    simulation.task_run().records().iter().map(|record| (record.status, record.value.clone(), record.error.clone())).collect()
}

#[test]
fn a_run_that_is_interrupted_at_any_event_and_resumed_ends_as_if_it_had_not_been() {
    for (graph, calls, answers) in RUNS {
        let (tasks, options) = compiled(graph);
        let whole = run(graph, calls, answers);
        let events = whole.events().len();
        for number in 0..events {
            let start = leg(&options, Some(StopAt::Number(number)), answers);
            let mut first = TaskSimulation::start(tasks.clone(), start, Scripts::new(value(calls)), Cache::default(), None).unwrap();
            first.run().unwrap();
            assert!(first.task_run().is_interrupted(), "event {number} of {events}");
            let text = json::print_compact(&first.save().to_value());
            let saved = Saved::from_value(&value(&text)).unwrap_or_else(|why| panic!("event {number}: {why:?}\n{text}"));
            assert_eq!(saved, first.save(), "what is saved is read back as it was");
            let (scripts, cache) = first.into_parts();
            let mut second = TaskSimulation::start(tasks.clone(), leg(&options, None, answers), scripts, cache, Some(&saved)).unwrap();
            second.run().unwrap();
            let hits = second.task_run().records().iter().any(|record| record.cache_hit);
            assert!(ends(&second) == ends(&whole), "event {number}: {:?}\n{:?}", ends(&second), ends(&whole));
            let finished = (second.task_run().finished(), second.task_run().code().cloned());
            assert_eq!(finished, (whole.task_run().finished(), whole.task_run().code().cloned()));
            for (after, before) in second.task_run().records().iter().zip(whole.task_run().records()) {
                assert!(hits || after.rounds.len() == before.rounds.len(), "a replay costs no round");
                assert!(hits || after.attempts >= before.attempts, "a replay costs an attempt");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn random_graphs_end_the_same_twice_and_respect_their_slots(
        edges in proptest::collection::vec((0usize..8, 0usize..8), 0..12),
        latencies in proptest::collection::vec(0u64..6, 8),
        throws in proptest::collection::vec(proptest::bool::weighted(0.15), 8),
        concurrency in 1u64..5,
        stop in any::<bool>(),
        at in 0usize..60,
    ) {
        let after = |place: usize| edges.iter().filter(|(from, to)| *to == place && from < to).map(|(from, _)| format!("\"t{from}\"")).collect::<Vec<_>>().join(",");
        let one = |place: usize| if place % 3 == 1 {
            format!(r#"{{"key":"t{place}","type":"loop","maxRounds":2,"after":[{}],"attempt":{{"prompt":"P{place}"}},"check":{{"done":"round > 1","feedback":"more"}}}}"#, after(place))
        } else {
            format!(r#"{{"key":"t{place}","type":"task","after":[{}],"perform":{{"action":"P{place}"}}}}"#, after(place))
        };
        let list = (0..8).map(one).collect::<Vec<_>>().join(",");
        let graph = format!(r#"{{"name":"w","tasks":[{list}],"options":{{"concurrency":{concurrency},"stopOnError":{stop}}}}}"#);
        let script = |place: usize| {
            let latency = latencies.get(place).copied().unwrap_or(0);
            let end = if throws.get(place) == Some(&true) { r#""throw":"no""# } else { r#""result":1"# };
            format!(r#""P{place}":{{"latencyMs":{latency},{end}}}"#)
        };
        let calls = format!("{{{}}}", (0..8).map(script).collect::<Vec<_>>().join(","));
        let whole = run(&graph, &calls, "{}");
        prop_assert_eq!(words(&whole), words(&run(&graph, &calls, "{}")));
        let mut active = 0u64;
        for event in whole.events() {
            match event.kind {
                EventKind::Task(_, Status::Active) => active += 1,
                EventKind::Task(_, Status::Done | Status::Failed) => active -= 1,
                EventKind::Task(..) if active == 0 => {}
                _ => {}
            }
            prop_assert!(active <= concurrency || stop);
        }
        // With branches kept, what each task comes to does not hang on when the run was interrupted.
        if !stop {
            let (tasks, options) = compiled(&graph);
            let start = leg(&options, Some(StopAt::Number(at % whole.events().len())), "{}");
            let mut first = TaskSimulation::start(tasks.clone(), start, Scripts::new(value(&calls)), Cache::default(), None).unwrap();
            first.run().unwrap();
            let saved = Saved::from_value(&first.save().to_value()).unwrap();
            let mut second = TaskSimulation::start(tasks, leg(&options, None, "{}"), Scripts::new(value(&calls)), Cache::default(), Some(&saved)).unwrap();
            second.run().unwrap();
            prop_assert_eq!(ends(&second), ends(&whole));
        }
    }
}

#[test]
fn ten_thousand_rounds_over_a_thousand_loops_end() {
    let one = |place: usize| {
        format!(
            r#"{{"key":"t{place}","type":"loop","maxRounds":10,"attempt":{{"prompt":"P"}},"check":{{"done":"round === 10","feedback":"again"}}}}"#
        )
    };
    let graph = format!(r#"{{"name":"w","tasks":[{}],"options":{{"concurrency":50}}}}"#, (0..1_000).map(one).collect::<Vec<_>>().join(","));
    let simulation = run(&graph, r#"{"P":{"result":"x","latencyMs":3}}"#, "{}");
    assert_eq!(simulation.trace().len(), 10_000);
    assert_eq!(simulation.task_run().finished(), Some(RunStatus::Done));
}
