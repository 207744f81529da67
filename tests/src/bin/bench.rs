//! The engine's bench: what a loop, an expression and a question cost, beside their budgets. `cargo xtask bench engine` runs it.
//!
//! It tells and never fails. Each figure is the best of a few runs: what the machine does besides only makes them worse.
//! `bench expressions` and `bench loops` measure only these; `bench run N` only runs one loop of N iterations, for a profiler.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use loopwright_executor::{
    Simulation,
    protocol::{FrameId, FrameKind},
};
use loopwright_lang::{Profile, Scope, Semantics, Value, expr, json};
use loopwright_model::{Document, format};

/// Prints one figure as `xtask bench` reads it.
fn figure(name: &str, value: f64, unit: &str, budget: Option<f64>) {
    let budget = budget.map_or("-".to_owned(), |budget| budget.to_string());
    println!("bench\t{name}\t{value}\t{unit}\t{budget}");
}

/// Time this thread has worked; where the system does not say, the time on the wall. Others who work meanwhile do not count.
fn now() -> Duration {
    static BEGAN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let began = BEGAN.get_or_init(Instant::now);
    let read = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let worked = read.as_deref().and_then(|text| text.split_whitespace().next()).and_then(|ns| ns.parse().ok());
    worked.map_or_else(|| began.elapsed(), Duration::from_nanos)
}

/// The best time of a few runs.
fn best<T>(runs: u32, mut work: impl FnMut() -> T) -> (Duration, Option<T>) {
    let mut best = Duration::MAX;
    let mut made = None;
    for _ in 0..runs {
        drop(made.take());
        let start = now();
        let out = work();
        best = best.min(now() - start);
        made = Some(out);
    }
    (best, made)
}

/// A loop over `n` items: six input mappings, two outputs.
fn document(n: u64, configuration: &str, fill: usize) -> Option<Document> {
    let text = format!(
        r#"{{ "loopwright": 1,
  "graphs": [ {{ "ID": "g", "Name": "Bench", "steps": [
    {{ "ID": "s", "Name": "Each", "StepType": "ForEach", "StartingStep": true, "LoopBodyType": "Action", "Action": "Send",
      "Configuration": {{ "type": "ForEach", "collectionPath": "payload.items", "itemVariable": "customer", "indexVariable": "i", "maxIterations": 0{configuration} }},
      "ActionInputMapping": {{ "to": "customer.email", "name": "customer.name", "position": "i", "subject": "Welcome", "body": "payload.template", "from": "data.sender" }},
      "ActionOutputMapping": {{ "ok": "results[*].ok", "id": "lastId" }} }} ], "paths": [] }} ],
  "catalogue": {{ "actions": [ {{ "id": "a", "name": "Send" }} ] }},
  "scenarios": [ {{ "name": "s", "payload": {{
      "items": {{ "$repeat": {n}, "item": {{ "email": "a{{{{index}}}}@example.com", "name": "Name {{{{index}}}}" }} }}, "template": "Hello!",
      "fill": {{ "$repeat": {fill}, "item": {{ "id": "{{{{index}}}}", "text": "some text to carry about" }} }} }},
    "data": {{ "sender": "us@example.com" }}, "actions": {{ "Send": {{ "outputs": {{ "ok": true, "id": "m1" }}, "latencyMs": 2 }} }} }} ] }}"#
    );
    format::import("bench.loopwright.json", &text).document
}

fn prepared(document: &Document) -> Option<Simulation> {
    let graph = document.graphs().next()?.id();
    let scenario = document.scenarios().next()?.id;
    Simulation::new(document, graph, Some(scenario), Profile::Documented).ok()
}

/// Nanoseconds an iteration, and the run.
fn time_of(document: &Document, n: u64, runs: u32) -> (f64, Option<Simulation>) {
    let mut best = f64::MAX;
    let mut made = None;
    for _ in 0..runs {
        drop(made.take());
        let Some(mut simulation) = prepared(document) else { return (best, None) };
        let start = now();
        simulation.run_to_end();
        best = best.min((now() - start).as_secs_f64());
        made = Some(simulation);
    }
    (best * 1e9 / n as f64, made)
}

fn loops() {
    let mut times = Vec::new();
    for (n, runs) in [(10_000, 9), (100_000, 5), (1_000_000, 2)] {
        let Some(document) = document(n, "", 0) else { return };
        let (ns, run) = time_of(&document, n, runs);
        times.push(ns * n as f64);
        let Some(run) = run else { return };
        figure(&format!("foreach {n}: an iteration"), ns / 1_000.0, "µs", Some(1.7));
        figure(&format!("foreach {n}: log an iteration"), run.log().bytes() as f64 / n as f64, "bytes", Some(300.0));
        if n == 100_000 {
            questions(&run);
        }
    }
    if let [small, middle, large] = times.as_slice() {
        figure("foreach 100k to 10k", middle / small, "times", Some(14.0));
        figure("foreach 1M to 100k", large / middle, "times", Some(12.0));
    }
    if let Some(document) = document(100_000, r#", "executionMode": "parallel", "maxConcurrency": 10"#, 0) {
        figure("foreach parallel 100000: an iteration", time_of(&document, 100_000, 3).0 / 1_000.0, "µs", None);
    }
    if let (Some(small), Some(large)) = (document(10_000, "", 1_000), document(10_000, "", 10_000)) {
        let (small, large) = (time_of(&small, 10_000, 5).0, time_of(&large, 10_000, 5).0);
        figure("ten times the payload", large / small, "times", Some(2.0));
    }
}

/// What a page asks of a run of 100,000 iterations.
fn questions(run: &Simulation) {
    let end = run.execution().now();
    let ms = |time: Duration| time.as_secs_f64() * 1_000.0;
    let Some(round) = run.log().rows.iter().position(|row| row.kind == FrameKind::Loop).and_then(|row| u32::try_from(row).ok()) else {
        return;
    };
    let round = FrameId(round);
    figure("timeline of all", ms(best(5, || run.timeline(0, end, 1_200, &[round])).0), "ms", Some(16.0));
    figure("timeline of a part", ms(best(5, || run.timeline(end / 2, end / 2 + end / 1_000, 1_200, &[round])).0), "ms", Some(16.0));
    figure("steps at a time", ms(best(5, || run.steps(end / 3)).0), "ms", Some(16.0));
    figure("payload at a time", ms(best(5, || run.replay().payload_at(0, run.log().event_at(end / 3))).0), "ms", Some(16.0));
    figure("window of iterations", ms(best(5, || run.iterations(round, 50_000, 60, false)).0), "ms", Some(16.0));
    figure("next failure", ms(best(5, || run.failure(None, false)).0), "ms", Some(16.0));
    let last = u32::try_from(run.log().rows.len() / 2).unwrap_or(0);
    figure("all about an iteration", ms(best(5, || run.frame(FrameId(last))).0), "ms", Some(16.0));
    let log_bytes = best(1, || run.log().to_bytes().len()).1.unwrap_or(0);
    figure("packed log as a file, an iteration", log_bytes as f64 / 100_000.0, "bytes", None);
}

/// Nanoseconds for one of many.
fn each(count: u32, mut work: impl FnMut()) -> f64 {
    let (time, _) = best(7, || (0..count).for_each(|_| work()));
    time.as_secs_f64() * 1e9 / f64::from(count)
}

fn expressions() {
    let semantics = Semantics::of(Profile::Documented);
    let payload = r#"{ "apiSuccess": false, "retries": 3 }"#;
    let scope = |payload: Value| Scope { payload: Some(payload), ..Scope::default() };
    let small = scope(json::parse(payload).value().unwrap_or_default());
    let text = "payload.apiSuccess === false && payload.retries < 5";
    let cold = each(20_000, || {
        let parsed = expr::parse(black_box(text));
        if let Some(root) = &parsed.root {
            let _ = black_box(expr::evaluate(root, &small, &semantics));
        }
    });
    figure("expression cold", cold, "ns", Some(1_000.0));
    let parsed = expr::parse(text);
    if let Some(root) = &parsed.root {
        let hot = each(100_000, || {
            let _ = black_box(expr::evaluate(black_box(root), &small, &semantics));
        });
        figure("expression hot", hot, "ns", Some(100.0));
    }
    let items = Value::list((0..1_000).map(|n| Value::object([("ok", Value::Bool(n % 3 == 0)), ("n", Value::Number(f64::from(n)))])));
    let large = scope(Value::object([("items", items)]));
    let parsed = expr::parse("payload.items.filter(i => i.ok).length > 3");
    if let Some(root) = &parsed.root {
        let hot = each(500, || {
            let _ = black_box(expr::evaluate(black_box(root), &large, &semantics));
        });
        figure("filter over 1,000 hot", hot / 1_000.0, "µs", Some(30.0));
    }
}

fn main() {
    let only = std::env::args().nth(1).unwrap_or_default();
    if only == "run" {
        let count = std::env::args().nth(2).and_then(|count| count.parse().ok()).unwrap_or(100_000);
        let run = document(count, "", 0).map(|document| time_of(&document, count, 1).0);
        println!("{count} iterations, {:.0} ns each", run.unwrap_or_default());
        return;
    }
    if "expressions".starts_with(&only) {
        expressions();
    }
    if "loops".starts_with(&only) {
        loops();
    }
}
