//! Runs whose outcome is known.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use loopwright_lang::Profile;
use loopwright_tests::golden::{Outcome, cases, run_case, text};

fn check(kind: &str, profile: Profile, cases_text: &str) {
    let only = std::env::var("CASE").ok();
    let mut failed = Vec::new();
    let mut passed = 0;
    for case in cases(cases_text) {
        let id = text(&case, "id").to_owned();
        if only.as_ref().is_some_and(|only| *only != id) {
            continue;
        }
        match run_case(kind, profile, &case) {
            Outcome::Passed => passed += 1,
            Outcome::Refused => {}
            Outcome::Failed(why) => failed.push(format!("{id} {}\n  {why}", text(&case, "tag"))),
        }
    }
    assert!(failed.is_empty(), "{} of {kind} failed, {passed} passed:\n{}", failed.len(), failed.join("\n"));
    assert!(passed > 0 || only.is_some());
}

#[test]
fn documented_flows_go_as_the_guide_says() {
    check("flows", Profile::Documented, include_str!("../golden/documented/flows.jsonl"));
}

#[test]
fn documented_loops_go_as_the_guide_says() {
    check("loops", Profile::Documented, include_str!("../golden/documented/loops.jsonl"));
}

#[test]
fn documented_loop_agents_go_as_the_guide_says() {
    check("loop-agents", Profile::Documented, include_str!("../golden/documented/loop-agents.jsonl"));
}
