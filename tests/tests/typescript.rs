//! The TypeScript source of task graphs: one function a body, and all of it compiles where the compiler is there.
#![allow(clippy::unwrap_used, missing_docs)]

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use loopwright_lang::Value;
use loopwright_model::tasks::{read, read_options, typescript};
use loopwright_tests::golden::cases;

const CASES: &str = include_str!("../golden/loop-tasks/loop-tasks.jsonl");

/// One graph that has everything, then those of the known cases that can be started.
fn sources() -> Vec<String> {
    let everything = r#"{"name":"All \"of\" it","tasks":[
        {"key":"b.late","type":"task","after":["a-1"],"perform":{"agent":"Helper","params":{"x":"value[\"a-1\"] */"}},"condition":"value[\"a-1\"] > 1"},
        {"key":"a-1","type":"task","perform":{"action":"A"},"timeoutMs":5,"retry":{"attempts":2,"delayMs":1,"backoff":"exponential","maxDelayMs":9,"jitter":"full"}},
        {"key":"a_1","type":"loop","maxRounds":3,"after":["a-1","b.late"],"attempt":{"prompt":"W","params":{"f":"feedback"}},"check":{"done":"result > 1","feedback":"no"},
         "cache":{"key":{"k":"value[\"a-1\"]"},"version":"1","maxAgeMs":5,"mode":"refresh"}},
        {"key":"9","type":"loop","maxRounds":1,"attempt":{"prompt":"W"},"check":{"prompt":"R"},"cache":{"key":1,"version":"2"}},
        {"key":"class","type":"approval","prompt":"Go?","actors":["ann"],"after":["9"]}],
        "options":{"concurrency":2,"stopOnError":false,"timeoutMs":100,"budget":{"attempts":5,"usage":{"input":10}}}}"#;
    let everything = loopwright_lang::json::parse(everything).value().unwrap();
    let known = cases(CASES).into_iter().filter_map(|case| case.get("input")?.get("graph").cloned());
    let write = |graph: Value| {
        let (tasks, problems) = read(&graph);
        let (options, more) = read_options(graph.get("options"));
        let fine = !problems.iter().chain(&more).any(|problem| problem.refuses);
        fine.then(|| typescript(&tasks, &options))
    };
    let mut sources: Vec<String> = std::iter::once(everything).chain(known).filter_map(write).collect();
    sources.sort();
    sources.dedup();
    sources
}

#[test]
fn each_body_is_a_function_to_fill_in() {
    let sources = sources();
    let all = sources.iter().find(|source| source.contains("All \\\"of\\\" it")).unwrap();
    let marked = all.matches("FILL IN:").count();
    assert_eq!(marked, 10, "five calls, a check by expression, a condition, two cache keys, the store\n{all}");
    assert!(all.find("const a1Task:").unwrap() < all.find("const bLateTask:").unwrap(), "what a task is after is defined before it");
    assert!(all.contains("[bLateTask, a1Task, a1Task2, t9Task, classTask]"), "the workflow keeps the order of the list");
}

#[test]
fn the_source_compiles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let compiler = root.join("node_modules/typescript/bin/tsc");
    if !compiler.exists() {
        eprintln!("the TypeScript compiler is not installed; npm ci brings it");
        return;
    }
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("typescript");
    std::fs::create_dir_all(&folder).unwrap();
    let mut command = Command::new("node");
    command.arg(compiler).args(["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "es2022"]);
    command.args(["--moduleResolution", "bundler", "--lib", "es2022,dom"]);
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("typescript/outpost.d.ts"));
    for (number, source) in sources().iter().enumerate() {
        let file = folder.join(format!("graph{number}.ts"));
        std::fs::write(&file, source).unwrap();
        command.arg(file);
    }
    let Ok(output) = command.output() else { return };
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", said.lines().take(20).collect::<Vec<_>>().join("\n"));
}
