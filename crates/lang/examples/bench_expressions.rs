//! Measures expressions and mappings: `cargo run --release -p loopwright-lang --example bench_expressions`.
#![allow(missing_docs, clippy::unwrap_used)]

use loopwright_lang::mapping::{CompiledInput, OutputMapping, OutputPlace};
use loopwright_lang::{LoopFrame, Profile, Scope, Semantics, Text, Value, expr, json};
use std::hint::black_box;
use std::time::Instant;

/// Time this thread spent computing, in ns; a busy machine does not spoil it. Elsewhere than on Linux the time that went by.
fn now(since: Instant) -> u64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let computing = stat.and_then(|stat| stat.split_whitespace().next()?.parse().ok());
    computing.unwrap_or_else(|| since.elapsed().as_nanos() as u64)
}

fn measure(name: &str, times: u32, mut run: impl FnMut()) {
    for _ in 0..times / 10 {
        run();
    }
    let since = Instant::now();
    let start = now(since);
    for _ in 0..times {
        run();
    }
    println!("{name:60} {:>10.1} ns", (now(since) - start) as f64 / f64::from(times));
}

fn main() {
    let semantics = Semantics::of(Profile::Documented);
    let items = Value::list((0..1000).map(|n| Value::object([("id", Value::Number(f64::from(n))), ("ok", Value::Bool(n % 3 == 0))])));
    let payload = Value::object([("apiSuccess", Value::Bool(false)), ("retries", Value::Number(2.0)), ("items", items)]);
    let frame = LoopFrame {
        item_variable: Text::from("customer"),
        item: Value::object([("email", Value::text("a@x.com")), ("name", Value::text("Ann"))]),
        index_variable: Some(Text::from("i")),
        index: 3,
    };
    let scope = Scope { payload: Some(payload), loops: vec![frame], ..Scope::default() };

    for (text, times) in [
        ("payload.apiSuccess === false && payload.retries < 5", 1_000_000),
        ("payload.items.filter(i => i.ok).length > 3", 5_000),
        ("payload.items.map(i => i.id * 2).reduce((a, b) => a + b, 0)", 5_000),
        ("customer.name.toUpperCase() + '!'", 1_000_000),
    ] {
        let root = expr::parse(text).root.unwrap();
        measure(text, times, || {
            black_box(expr::holds(black_box(&root), &scope, &semantics)).unwrap();
        });
    }
    measure("parse payload.apiSuccess === false && payload.retries < 5", 100_000, || {
        black_box(expr::parse(black_box("payload.apiSuccess === false && payload.retries < 5")));
    });
    let written =
        json::parse(r#"{"to":"customer.email","text":"Hello {{customer.name}}, #{{index}}","n":"payload.retries + 1","static":5}"#)
            .value()
            .unwrap();
    let compiled = CompiledInput::compile(&written, &semantics).unwrap();
    let mut problems = Vec::new();
    measure("input mapping of four parameters", 300_000, || {
        black_box(compiled.params(black_box(&scope), &mut problems));
    });
    let written = json::parse(r#"{"ok":"results[*].ok","id":"results[*].id","*":"last"}"#).value().unwrap();
    let outputs = OutputMapping::parse(&written, None).unwrap();
    let result = json::parse(r#"{"ok":true,"id":7}"#).value().unwrap();
    let mut payload = outputs.start_loop(&Value::object([("a", Value::Number(1.0))])).unwrap();
    let mut place = OutputPlace { iteration: Some((0, None)), collected: 0 };
    measure("output mapping, three outputs into a growing list", 100_000, || {
        let applied = outputs.apply(&result, &payload, &place, &semantics).unwrap();
        payload = applied.payload;
        place.collected += 1;
        place.iteration = Some((place.collected, None));
    });
}
