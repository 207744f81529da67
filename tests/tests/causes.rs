//! Why loops ended, in words, and conditions taken apart: true, false, or not evaluable and why.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use loopwright_executor::{
    Simulation,
    log::EventKind,
    protocol::{ConditionPart, FrameKind},
};
use loopwright_lang::Profile;
use loopwright_tests::golden::runs::run;

fn simulate(config: &str, kind: &str, script: &str, rest: &str, profile: Profile) -> Simulation {
    let input = format!(
        r#"{{"payload":{{"l":[1,2,3],"n":2}},"actions":{{"Do":{script}}},"steps":[{{"Name":"Loop","StepType":"{kind}","StartingStep":true,"LoopBodyType":"Action","Action":"Do","Configuration":{config}{rest}}}]}}"#
    );
    run(&loopwright_lang::json::parse(&input).value().unwrap(), profile).unwrap()
}

fn cause(simulation: &Simulation) -> String {
    let log = simulation.log();
    let row = (0..log.rows.len()).find(|row| log.rows[*row].kind == FrameKind::Loop).unwrap();
    simulation.exit_cause(u32::try_from(row).unwrap()).unwrap()
}

fn check(kind: &str, config: &str, script: &str, rest: &str, expected: &str) {
    assert_eq!(cause(&simulate(config, kind, script, rest, Profile::Documented)), expected, "{config}");
}

#[test]
fn each_exit_says_what_made_it() {
    let list = |more: &str| format!(r#"{{"type":"ForEach","collectionPath":"payload.l"{more}}}"#);
    let item = r#","ActionInputMapping":{"v":"item"}"#;
    check("ForEach", &list(""), "{}", "", "All 3 items are done.");
    check("ForEach", &list(r#","maxIterations":2"#), "{}", "", "The loop ended at its limit of 2; the list has 3 items, so 1 were left.");
    check(
        "ForEach",
        &list(""),
        r#"{"failWhen":{"param":"v","equals":2},"Message":"no such thing"}"#,
        item,
        "Iteration 1 failed, and continueOnError is not true: no such thing",
    );
    check("ForEach", &list(""), r#"{"latencyMs":900}"#, r#","TimeoutSeconds":1"#, "Timed out after 1 s");
    let while_ = |condition: &str| format!(r#"{{"type":"While","condition":"{condition}","maxIterations":4}}"#);
    check("While", &while_("payload.n < 2"), "{}", "", "payload.n < 2 is false: payload.n is 2.");
    check("While", &while_("payload.n === 2 && index < 1"), "{}", "", "payload.n === 2 && index < 1 is false: payload.n is 2, index is 1.");
    check("While", &while_("index < 1 && payload.n === 2"), "{}", "", "index < 1 && payload.n === 2 is false: index is 1.");
    check("While", &while_("true"), "{}", "", "The loop ended at its limit of 4 iterations; its condition still held.");
}

#[test]
fn a_condition_that_ends_a_loop_unevaluated_says_why() {
    let config = r#"{"type":"While","condition":"payload.gone.x > 1","itemVariable":"a"}"#;
    let found = cause(&simulate(config, "While", "{}", "", Profile::Mj5513));
    assert!(found.starts_with("payload.gone.x > 1 cannot be evaluated, which counts as false: "), "{found}");
}

#[test]
fn a_condition_at_an_event_has_a_value_for_every_operand_that_was_needed() {
    let config = r#"{"type":"While","condition":"payload.n === 1 && payload.l.length > index","maxIterations":4}"#;
    let simulation = simulate(config, "While", "{}", "", Profile::Documented);
    let log = simulation.log();
    let event = (0..log.len()).find(|at| log.kinds[*at] == EventKind::Condition).unwrap();
    let condition = simulation.condition_at(u32::try_from(event).unwrap()).unwrap();
    assert_eq!(condition.held, Some(false));
    let shown = |part: &ConditionPart| part.value.clone();
    let sides: Vec<Option<String>> = condition.tree.children.iter().map(shown).collect();
    assert_eq!(sides, [Some("false".to_owned()), None], "the second side was not needed");
    let left: Vec<Option<String>> = condition.tree.children[0].children.iter().map(shown).collect();
    assert_eq!(left, [Some("2".to_owned()), Some("1".to_owned())]);
    assert!(simulation.condition_at(0).is_none(), "another event has none");
}
