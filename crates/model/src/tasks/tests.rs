#![allow(clippy::unwrap_used, clippy::expect_used)]
use super::*;

fn graph(task: &str) -> String {
    format!(r#"{{"name":"w","tasks":[{task}]}}"#)
}

const LOOP: &str = r#""key":"fix","type":"loop","attempt":{"prompt":"W"},"check":{"prompt":"R"}"#;

#[track_caller]
fn refused(text: &str, code: &str, part: &str) {
    let (_, problems) = parse(text);
    let found: Vec<_> = problems.iter().filter(|problem| problem.refuses).collect();
    assert!(
        found.iter().any(|found| found.problem.code == code && found.problem.message.contains(part)),
        "{text}\n expected {code} with {part:?}, found {found:?}"
    );
}

#[test]
fn a_wrong_definition_is_refused_with_its_code_and_words() {
    for rounds in ["0", "-1", "1.5", "9007199254740992", "1e999", "\"3\"", "null"] {
        refused(&graph(&format!("{{{LOOP},\"maxRounds\":{rounds}}}")), "loop_max_rounds", "maxRounds must be a positive safe integer");
    }
    for key in ["", "-x", "a b", "_a", "é"] {
        refused(
            &graph(&format!(r#"{{"key":"{key}","type":"task","perform":{{"action":"A"}}}}"#)),
            "task_key",
            &format!("Invalid task key: {key}"),
        );
    }
    let task = |more: &str| graph(&format!(r#"{{"key":"a","type":"task","perform":{{"action":"A"}},{more}}}"#));
    let cases = [
        (task(r#""timeoutMs":0"#), "task_timeout", "timeoutMs must be a positive integer"),
        (task(r#""timeoutMs":2147483648"#), "task_timeout", "timer range"),
        (task(r#""after":["b"]"#), "task_dependency_missing", "a: missing dependency b"),
        (task(r#""after":["a"]"#), "task_cycle", "Dependency cycle at a"),
        (task(r#""retry":{"attempts":0}"#), "retry_attempts", "retry.attempts must be a positive integer"),
        (task(r#""retry":{}"#), "retry_attempts", "retry.attempts must be a positive integer"),
        (task(r#""retry":{"attempts":2,"backoff":"linear"}"#), "retry_backoff", "retry.backoff is fixed or exponential"),
        (task(r#""retry":{"attempts":2,"jitter":"some"}"#), "retry_jitter", "retry.jitter is none or full"),
        (task(r#""retry":{"attempts":2,"delayMs":-1}"#), "retry_delay", "retry.delayMs"),
        (task(r#""cache":{"version":"1"}"#), "cache_key", "cache needs a key"),
        (task(r#""cache":{"key":1}"#), "cache_version", "not blank"),
        (task(r#""cache":{"key":1,"version":"1","maxAgeMs":0}"#), "cache_max_age", "cache.maxAgeMs must be a positive integer"),
        (task(r#""cache":{"key":1,"version":"1","mode":"always"}"#), "cache_mode", "cache.mode is reuse or refresh"),
        (graph(r#"{"key":"a","type":"wait"}"#), "task_type", "a: unknown task type wait"),
        (graph(r#"{"key":"a","type":"task"}"#), "task_perform", "perform"),
        (
            graph(r#"{"key":"a","type":"loop","maxRounds":1,"attempt":{"prompt":"W"}}"#),
            "loop_callbacks",
            "requires attempt and check callbacks",
        ),
        (graph(&format!(r#"{{{LOOP},"maxRounds":1,"retry":{{"attempts":2}}}}"#)), "retry_on_loop", "no retry"),
        (
            graph(r#"{"key":"a","type":"approval","prompt":"?","actors":["x"],"condition":"true"}"#),
            "gate_field",
            "a gate takes no condition",
        ),
        (graph(r#"{"key":"a","type":"approval","prompt":" ","actors":["x"]}"#), "gate_prompt", "prompt"),
        (graph(r#"{"key":"a","type":"approval","prompt":"?","actors":["x","x"]}"#), "gate_actors", "distinct"),
        (r#"{"name":" ","tasks":[]}"#.to_owned(), "task_name", "name"),
    ];
    for (text, code, part) in &cases {
        refused(text, code, part);
    }
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let (_, problems) =
        parse(r#"{"name":"","tasks":[{"key":"-","type":"loop"},{"key":"b","type":"wait"},{"key":"b","type":"task","perform":{}}]}"#);
    let codes: Vec<&str> = problems.iter().map(|problem| &*problem.problem.code).collect();
    for code in ["task_name", "task_key", "loop_max_rounds", "loop_callbacks", "task_type", "task_perform", "task_duplicate"] {
        assert!(codes.contains(&code), "{code} is missing in {codes:?}");
    }
}

#[test]
fn the_cycle_is_named_by_the_task_met_again() {
    let cases = [("ab ba", "a"), ("ab bc cb", "b"), ("a ba cd dc", "c"), ("ab bcd c da", "a")];
    for (tasks, met) in cases {
        let tasks: Vec<String> = tasks
            .split(' ')
            .map(|task| {
                let (key, after) = task.split_at(1);
                let after: Vec<String> = after.chars().map(|char| format!("\"{char}\"")).collect();
                format!(r#"{{"key":"{key}","type":"task","perform":{{"action":"A"}},"after":[{}]}}"#, after.join(","))
            })
            .collect();
        refused(&graph(&tasks.join(",")), "task_cycle", &format!("Dependency cycle at {met}"));
    }
}

#[test]
fn what_is_null_is_absent_and_what_is_foreign_is_kept_with_a_warning() {
    let (graph, problems) = parse(&graph(
        r#"{"key":"a","type":"task","perform":{"action":"A"},"after":null,"condition":null,"retry":null,"timeoutMs":null,"cache":null,"maxRounds":3}"#,
    ));
    assert_eq!(graph.tasks.first().unwrap().retry, Retry::default());
    let found: Vec<_> = problems.iter().map(|problem| (&*problem.problem.code, problem.field.as_str(), problem.refuses)).collect();
    assert_eq!(found, [("task_field", "maxRounds", false)]);
}

#[test]
fn what_is_not_declared_is_an_error_of_the_editor_only() {
    let (graph, problems) = parse(&graph(
        r#"{"key":"a","type":"task","perform":{"action":"A"}},
           {"key":"b","type":"task","after":["a"],"perform":{"action":"A","params":{"x":"value.c.y","ok":"value.a.y.z","e":"value.a.n + 1"}},"condition":"value.zz === 1"}"#,
    ));
    assert!(problems.is_empty(), "{problems:?}");
    let found: Vec<_> = check(&graph).into_iter().map(|problem| (problem.problem.code.into_owned(), problem.field)).collect();
    let code = loopwright_lang::UNDECLARED.to_owned();
    assert_eq!(found, [(code.clone(), "condition".to_owned()), (code, "perform.params.x".to_owned())]);
}

#[test]
fn the_options_of_a_start_are_checked() {
    let read = |text: &str| read_options(loopwright_lang::json::parse(text).value().as_ref());
    let (options, problems) = read(r#"{"concurrency":2,"stopOnError":false,"timeoutMs":null,"budget":{"attempts":0,"usage":{"input":5}}}"#);
    assert!(problems.is_empty());
    assert_eq!(
        options,
        StartOptions { concurrency: 2, stop_on_error: false, attempts: Some(0), usage: [Some(5), None, None], timeout_ms: None }
    );
    for wrong in [
        r#"{"concurrency":0}"#,
        r#"{"concurrency":1.5}"#,
        r#"{"timeoutMs":2147483648}"#,
        r#"{"budget":{"attempts":-1}}"#,
        r#"{"budget":{"usage":{"output":0.5}}}"#,
        r#"{"stopOnError":"yes"}"#,
        "3",
    ] {
        assert_eq!(read(wrong).1.len(), 1, "{wrong}");
    }
}
