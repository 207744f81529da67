//! Refine steps: rounds of an attempt and a check in a flow agent.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use loopwright_executor::{Progress, Simulation};
use loopwright_lang::{Profile, Value, json::print_compact};
use loopwright_tests::golden::{convert::convert, runs::run};

fn input(config: &str, actions: &str, rest: &str) -> Value {
    let text = format!(
        r#"{{"payload":{{"topic":"tea"}},"actions":{{{actions},"After":{{}}}},"prompts":{{"Write":[{{"draft":"a"}},{{"draft":"b"}},{{"draft":"c"}}]}},"steps":[{{"Name":"R","StepType":"Refine","StartingStep":true,"Configuration":{config}{rest}}},{{"Name":"After","StepType":"Action","Action":"After","ActionInputMapping":{{"n":"{{{{stepResult.iterations}}}}","exit":"stepResult.exitReason"}}}}],"paths":[{{"from":"R","to":"After"}}]}}"#
    );
    loopwright_lang::json::parse(&text).value().unwrap_or_else(|| panic!("not JSON: {text}"))
}

/// What a run calls with what, its final payload, and why it failed.
fn check(why: &str, config: &str, actions: &str, rest: &str, calls: &[(&str, &str)], payload: &str, error: Option<&str>) {
    let simulation = run(&input(config, actions, rest), Profile::Documented).unwrap();
    let found: Vec<(String, String)> =
        simulation.traced().iter().map(|(_, call)| (call.name.to_string(), print_compact(&call.params))).collect();
    let found: Vec<(&str, &str)> = found.iter().map(|(name, params)| (name.as_str(), params.as_str())).collect();
    assert_eq!(found, calls, "{why}");
    assert_eq!(print_compact(&simulation.log().final_payload), payload, "{why}");
    assert_eq!(simulation.log().error.as_deref(), error, "{why}");
}

const REVIEW: &str = r#""Draft":{"countAs":"n"},"Review":[{"outputs":{"done":false,"feedback":"longer"}},{"outputs":{"done":true}}]"#;

#[test]
fn feedback_goes_to_the_next_round_until_a_check_accepts() {
    check(
        "a check by a call",
        r#"{"type":"Refine","maxRounds":3,"attempt":{"action":"Draft","params":{"about":"payload.topic","feedback":"feedback","round":"round"}},"check":{"action":"Review","params":{"text":"result.n"}}}"#,
        REVIEW,
        "",
        &[
            ("Draft", r#"{"about":"tea","round":1}"#),
            ("Review", r#"{"text":1}"#),
            ("Draft", r#"{"about":"tea","feedback":"longer","round":2}"#),
            ("Review", r#"{"text":2}"#),
            ("After", r#"{"n":2,"exit":"completed"}"#),
        ],
        r#"{"topic":"tea","n":2}"#,
        None,
    );
    check(
        "a check by an expression, with a mapping",
        r#"{"type":"Refine","maxRounds":3,"attempt":{"action":"Draft","params":{"f":"feedback"}},"check":{"expression":"result.n >= 2","feedback":"only {{result.n}}"}}"#,
        REVIEW,
        r#","ActionOutputMapping":{"n":"kept"}"#,
        &[("Draft", "{}"), ("Draft", r#"{"f":"only 1"}"#), ("After", r#"{"n":2,"exit":"completed"}"#)],
        r#"{"topic":"tea","kept":2}"#,
        None,
    );
}

#[test]
fn what_is_never_accepted_fails_unless_the_best_is_kept() {
    let never = |more: &str| {
        format!(
            r#"{{"type":"Refine","maxRounds":3,"attempt":{{"action":"Draft"}},"check":{{"expression":"false","feedback":"no"}}{more}}}"#
        )
    };
    let drafts = r#""Draft":[{"outputs":{"s":1}},{"outputs":{"s":5}},{"outputs":{"s":4}}]"#;
    let three = [("Draft", "{}"), ("Draft", "{}"), ("Draft", "{}")];
    check("exhausted", &never(""), drafts, "", &three, r#"{"topic":"tea"}"#, Some("Not accepted after 3 rounds: no"));
    let kept: Vec<(&str, &str)> = three.iter().copied().chain([("After", r#"{"n":3,"exit":"limit"}"#)]).collect();
    check("the best one", &never(r#","keepBest":{"score":"result.s"}"#), drafts, "", &kept, r#"{"topic":"tea","s":5}"#, None);
    let early = r#""Draft":[{"outputs":{"s":5}},{"outputs":{"s":5.1}},{"outputs":{"s":9}}]"#;
    check(
        "a plateau ends it early",
        &never(r#","keepBest":{"score":"result.s"},"plateau":{"rounds":1,"minGain":0.5}"#),
        early,
        "",
        &[("Draft", "{}"), ("Draft", "{}"), ("After", r#"{"n":2,"exit":"limit"}"#)],
        r#"{"topic":"tea","s":5.1}"#,
        None,
    );
}

#[test]
fn a_round_that_breaks_fails_the_step() {
    let by_call = r#"{"type":"Refine","maxRounds":3,"attempt":{"action":"Draft"},"check":{"action":"Review"}}"#;
    check(
        "no verdict",
        by_call,
        r#""Draft":{},"Review":{"outputs":{"done":false}}"#,
        "",
        &[("Draft", "{}"), ("Review", "{}")],
        r#"{"topic":"tea"}"#,
        Some(r#"The check must answer { "done": true } or { "done": false, "feedback": "…" }: {"done":false}"#),
    );
    check("a failed attempt", by_call, r#""Draft":{"throw":"net"},"Review":{}"#, "", &[("Draft", "{}")], r#"{"topic":"tea"}"#, Some("net"));
    for (config, error) in [
        (r#"{"type":"Refine","attempt":{"action":"Draft"},"check":{"expression":"true"}}"#, "maxRounds is required"),
        (
            r#"{"type":"Refine","maxRounds":0,"attempt":{"action":"Draft"},"check":{"expression":"true"}}"#,
            "maxRounds must be a whole number, at least 1: 0",
        ),
        (
            r#"{"type":"Refine","maxRounds":1,"attempt":{"action":"Draft","prompt":"Write"},"check":{"expression":"true"}}"#,
            "attempt needs exactly one of action, subAgent and prompt",
        ),
        (r#"{"type":"While","maxRounds":1}"#, r#"Configuration is of type "While""#),
    ] {
        check("a Configuration that cannot be run", config, r#""Draft":{}"#, "", &[], r#"{"topic":"tea"}"#, Some(error));
    }
}

#[test]
fn prompts_read_feedback_in_their_payload_and_rounds_pause() {
    let config = r#"{"type":"Refine","maxRounds":3,"delayBetweenIterationsMs":50,"attempt":{"prompt":"Write","params":{"hint":"feedback"}},"check":{"expression":"result.draft === 'b'","feedback":"not {{result.draft}}"}}"#;
    let simulation = run(&input(config, r#""Draft":{}"#, ""), Profile::Documented).unwrap();
    let seen: Vec<(u64, String)> = simulation.traced().iter().map(|(at, call)| (*at / 1_000, print_compact(&call.payload))).collect();
    assert_eq!(seen[0], (0, r#"{"topic":"tea","round":1}"#.to_owned()));
    assert_eq!(seen[1], (50, r#"{"topic":"tea","feedback":"not a","round":2,"hint":"not a"}"#.to_owned()));
    assert_eq!(print_compact(&simulation.log().final_payload), r#"{"topic":"tea","draft":"b"}"#);
}

#[test]
fn a_refine_step_saved_in_any_round_goes_on_as_if_nothing_had_been() {
    let config = r#"{"type":"Refine","maxRounds":3,"attempt":{"action":"Draft","params":{"f":"feedback"}},"check":{"action":"Review"},"keepBest":{"score":"result.n"}}"#;
    let input = input(config, REVIEW, "");
    let whole = run(&input, Profile::Documented).unwrap();
    let converted = convert(&input).unwrap();
    let new = || Simulation::new(&converted.document, converted.graph, Some(converted.scenario), Profile::Documented).unwrap();
    for steps in 1..20 {
        let mut first = new();
        first.run_slice(steps);
        let mut second = new().load(&first.save()).unwrap();
        while second.run_slice(1 << 20) != Progress::Finished {}
        assert!(whole.log().to_bytes() == second.log().to_bytes(), "after {steps}");
    }
}
