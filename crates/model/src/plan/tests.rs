#![allow(clippy::unwrap_used)]
use loopwright_lang::{Severity, Value, json};

use super::*;

#[derive(Debug, Default)]
struct Found(Vec<(&'static str, Value)>);

impl Results for Found {
    fn result(&self, id: &str) -> Option<&Value> {
        self.0.iter().find(|(own, _)| *own == id).map(|(_, value)| value)
    }
}

fn problems(tasks: &str) -> Vec<PlanProblem> {
    let parsed = json::parse(&format!("{{\"tasks\": [{tasks}]}}"));
    check(&parsed.root.unwrap(), &Known::default()).problems
}

fn lints(tasks: &str, results: &Found, gives: &dyn Fn(&str, &str) -> bool) -> Vec<(&'static str, Severity, String)> {
    let parsed = json::parse(&format!("{{\"tasks\": [{tasks}]}}"));
    let root = parsed.root.unwrap();
    let checked = check(&root, &Known::default());
    let plan = checked.plan.unwrap_or_else(|| panic!("{:?}", checked.problems));
    let found = lint(&plan, &root, &Known::default(), results, gives);
    found.into_iter().map(|problem| (problem.code, problem.severity, problem.node.unwrap().as_str().to_owned())).collect()
}

#[test]
fn every_mistake_is_told_at_once_and_the_one_of_the_source_system_first() {
    let found = problems(
        r#"{"id":"a","tool":"x","depends_on":["q","a"]},
           {"id":"a","tool":"${item}","args":{"v":"${HOME} ${a.result"}},
           {"id":"c","tool":"x","when":{"ref":"${a.result}","operator":"gt","value":[]}},
           {"id":"d","tool":"x","for_each":"${a.result}","when":{"ref":"${item","operator":"equals","value":1}},
           {"id":"e!","tool":"x"}"#,
    );
    let told: Vec<(&str, Option<&str>, Option<&str>)> =
        found.iter().map(|problem| (problem.code, problem.node.as_deref(), problem.path.as_deref())).collect();
    assert_eq!(
        told,
        [
            (CONDITION_INVALID, Some("c"), Some("when.operator")),
            (CONDITION_INVALID, Some("c"), Some("when.value")),
            ("plan_shape", None, None),
            ("plan_duplicate_id", Some("a"), None),
            (REFERENCE_UNRESOLVED, Some("a"), Some("tool")),
            ("plan_depends_on", Some("a"), None),
            ("plan_depends_on", Some("a"), None),
            (REFERENCE_UNRESOLVED, Some("a"), Some("args.v")),
            (REFERENCE_UNRESOLVED, Some("a"), Some("args.v")),
            (REFERENCE_UNRESOLVED, Some("d"), Some("for_each")),
            (CONDITION_INVALID, Some("d"), Some("when.ref")),
        ]
    );
}

#[test]
fn a_problem_points_at_the_reference_and_offers_the_missing_dependency() {
    let text = r#"{"tasks": [{"id":"a","tool":"x"},{"id":"b","tool":"x","args":{"v":"so: ${a.result.n}"}}]}"#;
    let parsed = json::parse(text);
    let found = check(&parsed.root.unwrap(), &Known::default()).problems;
    assert_eq!(found.len(), 1);
    let problem = found.first().unwrap();
    assert_eq!(text.get(problem.span.range()), Some("${a.result.n}"));
    assert_eq!(problem.fix, Some(PlanFix::DependOn("a".into())));
}

#[test]
fn a_malformed_reference_is_answered_with_what_was_likely_meant() {
    for (reference, meant) in [
        ("${ d.result }", "${d.result}"),
        ("${d.items}", "${d.result.items}"),
        ("${d.result[0]}", "${d.result.0}"),
        ("${d}", "${d.result}"),
    ] {
        let found =
            problems(&format!(r#"{{"id":"d","tool":"x"}},{{"id":"n","tool":"x","depends_on":["d"],"args":{{"v":"{reference}"}}}}"#));
        let message = &found.first().unwrap().message;
        assert!(message.contains(meant), "{reference}: {message}");
    }
}

#[test]
fn version_is_read_as_laxly_as_the_source_system_does() {
    for (version, fine) in [
        ("7", true),
        ("-100000000000000000000", true),
        ("true", true),
        ("1.0", true),
        ("1e3", true),
        ("\" 2 \"", true),
        ("\"-3.00\"", true),
        ("1.5", false),
        ("1e400", false),
        ("null", false),
        ("\"two\"", false),
        ("\"\"", false),
        ("[]", false),
        ("{}", false),
    ] {
        let parsed = json::parse(&format!(r#"{{"version": {version}, "tasks": [{{"id":"a","tool":"x"}}]}}"#));
        let found = check(&parsed.root.unwrap(), &Known::default()).problems;
        assert_eq!(found.is_empty(), fine, "{version}: {found:?}");
    }
}

#[test]
fn a_condition_that_cannot_protect_its_own_collection_is_pointed_out() {
    let tasks = r#"{"id":"d","tool":"x"},{"id":"i","tool":"x","depends_on":["d"],"for_each":"${d.result.items}",
        "when":{"ref":"${d.result.any}","operator":"equals","value":true}}"#;
    assert_eq!(lints(tasks, &Found::default(), &|_, _| false), [("plan_when_after_for_each", Severity::Warning, "i".into())]);
    let own = tasks.replace("${d.result.any}", "${item.ok}");
    assert_eq!(lints(&own, &Found::default(), &|_, _| false), []);
}

#[test]
fn failed_is_not_there_after_a_success() {
    let tasks = r#"{"id":"d","tool":"x"},{"id":"b","tool":"call","depends_on":["d"],"for_each":"${d.result}","execution":{"continue_on_error":true}},
        {"id":"r","tool":"x","depends_on":["b"],"for_each":"${b.result}","when":{"ref":"${item.result.failed}","operator":"equals","value":true}},
        {"id":"s","tool":"x","depends_on":["b"],"when":{"ref":"${b.result.0.result.failed}","operator":"equals","value":true}},
        {"id":"t","tool":"x","depends_on":["d"],"when":{"ref":"${d.result.failed}","operator":"equals","value":true}}"#;
    let code = "plan_failed_not_always_there";
    let warned = |ids: &[&str]| ids.iter().map(|id| (code, Severity::Warning, (*id).to_owned())).collect::<Vec<_>>();
    assert_eq!(lints(tasks, &Found::default(), &|_, _| false), warned(&["r", "s", "t"]));
    assert_eq!(lints(tasks, &Found::default(), &|tool, field| tool == "call" && field == "failed"), warned(&["t"]));
}

#[test]
fn a_wait_holds_what_does_not_depend_on_it() {
    let tasks = r#"{"id":"a","tool":"x"},{"id":"w","type":"wait","duration":"PT1H"},{"id":"b","tool":"x","depends_on":["a"]}"#;
    assert_eq!(lints(tasks, &Found::default(), &|_, _| false), [("plan_wait_holds_wave", Severity::Warning, "w".into())]);
    let later = tasks.replace(r#""duration":"PT1H""#, r#""duration":"PT1H","depends_on":["b"]"#);
    assert_eq!(lints(&later, &Found::default(), &|_, _| false), []);
}

#[test]
fn a_collection_near_the_limit_is_pointed_out() {
    let tasks = r#"{"id":"d","tool":"x"},{"id":"i","tool":"x","depends_on":["d"],"for_each":"${d.result}"}"#;
    let of = |length: usize| Found(vec![("d", Value::list(vec![Value::Null; length]))]);
    let warned = vec![("plan_near_node_limit", Severity::Warning, "i".to_owned())];
    assert_eq!(lints(tasks, &of(40), &|_, _| false), []);
    assert_eq!(lints(tasks, &of(47), &|_, _| false), warned);
    assert_eq!(lints(tasks, &of(50), &|_, _| false), warned);
}

#[test]
fn what_depends_on_a_task_that_may_be_skipped_is_told_what_it_gets() {
    let tasks = r#"{"id":"d","tool":"x"},{"id":"s","tool":"x","depends_on":["d"],"when":{"ref":"${d.result.go}","operator":"equals","value":true}},
        {"id":"e","tool":"x","depends_on":["s"],"args":{"v":"ARG"}}"#;
    for (arg, severity) in [("plain", Severity::Hint), ("${s.result}", Severity::Hint), ("so ${s.result.n}", Severity::Warning)] {
        let found = lints(&tasks.replace("ARG", arg), &Found::default(), &|_, _| false);
        assert_eq!(found, [("plan_skip_does_not_propagate", severity, "e".to_owned())], "{arg}");
    }
}
