//! Rules of the released runtime that the known cases do not show, each by a run that would go otherwise without it.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use loopwright_executor::{Progress, Simulation};
use loopwright_lang::{Profile, Value, json::print_compact};
use loopwright_tests::golden::{cases, convert::convert, run_case, runs::run};

fn value(text: &str) -> Value {
    loopwright_lang::json::parse(text).value().unwrap_or_else(|| panic!("not JSON: {text}"))
}

/// A run must agree with what is expected of it; a part that is not named is not compared.
fn check(why: &str, input: &str, expected: &str) {
    let simulation = run(&value(input), Profile::Mj5513).unwrap();
    let log = simulation.log();
    let text = |text: &Option<loopwright_lang::Text>| text.clone().map_or(Value::Null, Value::Text);
    let found = |name: &str| match name {
        "payload" => log.final_payload.clone(),
        "error" => text(&log.error),
        "message" => text(&log.final_message),
        "state" => Value::text(format!("{:?}", log.state)),
        "calls" => Value::list(simulation.traced().iter().map(|(_, call)| Value::Text(call.name.clone()))),
        "params" => Value::list(simulation.traced().iter().map(|(_, call)| call.params.clone())),
        "given" => Value::list(simulation.traced().iter().map(|(_, call)| call.payload.clone())),
        "said" => Value::list(simulation.traced().iter().map(|(_, call)| call.said.clone().unwrap_or_default())),
        "times" => Value::list(simulation.traced().iter().map(|(at, _)| Value::Number(*at as f64 / 1_000.0))),
        other => panic!("there is no {other}"),
    };
    for (name, wanted) in value(expected).as_object().unwrap().iter() {
        assert_eq!(print_compact(&found(name)), print_compact(wanted), "{why}: {name}");
    }
}

fn step(name: &str, rest: &str) -> String {
    format!(r#"{{"Name":"{name}",{rest}}}"#)
}

fn action(name: &str, rest: &str) -> String {
    step(name, &format!(r#""StepType":"Action","Action":"{name}"{rest}"#))
}

#[test]
fn what_follows_a_prompt_is_made_and_checked_at_once() {
    let prompt = r#"{"Name":"P","StepType":"Prompt","Prompt":"P","StartingStep":true}"#;
    let flow = |more: &str, paths: &str, rest: &str| {
        format!(r#"{{"payload":{{"a":1}},"prompts":{{"P":[{{"b":2}}]}},"steps":[{prompt},{more}],"paths":[{paths}],{rest}}}"#)
    };
    check(
        "a step that cannot be made ends the run, whatever paths lead from it",
        &flow(
            &format!(r#"{},{}"#, step("X", r#""StepType":"Human""#), action("A", "")),
            r#"{"from":"P","to":"X"},{"from":"X","to":"A"}"#,
            r#""actions":{"A":{}}"#,
        ),
        r#"{"state":"Failed","error":"Unknown step type: Human","calls":["P"],"payload":{"a":1,"b":2}}"#,
    );
    check(
        "a name that is a part of one assigned action is put right",
        &flow(&action("Send", ""), r#"{"from":"P","to":"Send"}"#, r#""actions":{"Send":{},"Send Email":{}},"unassigned":["Send"]"#),
        r#"{"state":"Completed","calls":["P","Send Email"]}"#,
    );
    check(
        "an action that is not assigned is no step at all, and the flow goes on from it",
        &flow(
            &format!("{},{}", action("A", ""), action("B", "")),
            r#"{"from":"P","to":"A"},{"from":"A","to":"B","Condition":"stepResult.errorMessage.startsWith('Actions \\'A\\' not found')"}"#,
            r#""actions":{"A":{},"B":{}},"unassigned":["A"]"#,
        ),
        r#"{"state":"Completed","calls":["P","B"]}"#,
    );
    check(
        "a path to nowhere fails the run at once and keeps the payload",
        &flow(&action("A", ""), r#"{"from":"P","to":"gone"}"#, r#""actions":{"A":{}}"#),
        r#"{"state":"Failed","error":"Destination step not found: gone","payload":{"a":1,"b":2}}"#,
    );
    check(
        "a run that ends after a prompt has always the same message",
        &format!(
            r#"{{"payload":{{}},"actions":{{"A":{{"outputs":{{"m":"hi"}}}}}},"prompts":{{"P":[{{"b":2}}]}},"steps":[{},{}],"paths":[{{"from":"A","to":"P"}}]}}"#,
            action("A", r#","StartingStep":true,"ActionOutputMapping":{"m":"$message"}"#),
            r#"{"Name":"P","StepType":"Prompt","Prompt":"P"}"#,
        ),
        r#"{"state":"Completed","message":null}"#,
    );
    check(
        "keys of an answer lose the marks of a schema",
        r#"{"payload":{},"prompts":{"P":[{"b?":2,"c:string":"x","d*":[{"e?":1}]}]},"steps":[{"Name":"P","StepType":"Prompt","Prompt":"P","StartingStep":true}]}"#,
        r#"{"payload":{"b":2,"c":"x","d":[{"e":1}]}}"#,
    );
}

#[test]
fn a_failed_way_on_is_the_result_that_paths_are_tried_with_again() {
    check(
        "a recovery path opens for the failure to go on",
        &format!(
            r#"{{"payload":{{}},"actions":{{"A":{{}},"B":{{}},"R":{{}}}},"steps":[{},{},{}],"paths":[{{"from":"A","to":"B","Priority":5,"Condition":"stepResult.step !== 'Failed'"}},{{"from":"A","to":"R","Condition":"stepResult.step === 'Failed'"}}]}}"#,
            action("A", r#","StartingStep":true"#),
            action("B", r#","Status":"Disabled""#),
            action("R", ""),
        ),
        r#"{"state":"Completed","calls":["A","R"]}"#,
    );
    check(
        "steps that cannot be made in a row are counted",
        &format!(
            r#"{{"payload":{{"v":1}},"steps":[{},{}],"paths":[{{"from":"X","to":"Y"}},{{"from":"Y","to":"X"}}]}}"#,
            step("X", r#""StepType":"Action","StartingStep":true"#),
            step("Y", r#""StepType":"Action""#),
        ),
        r#"{"error":"Agent terminated after 10 consecutive failed steps. Last error: Action step 'Y' has no ActionID","payload":{"v":1}}"#,
    );
}

#[test]
fn results_have_the_words_of_the_action() {
    let flow = |script: &str, condition: &str| {
        format!(
            r#"{{"payload":{{}},"actions":{{"A":{script},"B":{{}}}},"steps":[{},{}],"paths":[{{"from":"A","to":"B","Condition":"{condition}"}}]}}"#,
            action("A", r#","StartingStep":true"#),
            action("B", ""),
        )
    };
    for (why, script, condition) in [
        (
            "a result code",
            r#"{"Success":false,"ResultCode":"BAD","Message":"no"}"#,
            "stepResult.priorStepResult[0].resultCode === 'BAD' && stepResult.priorStepResult[0].success && stepResult.priorStepResult[0].message === 'no'",
        ),
        ("a good one", r#"{"ResultCode":"DONE","Message":"well"}"#, "stepResult.priorStepResult[0].resultCode === 'DONE'"),
        (
            "an action that broke off",
            r#"{"throw":"net"}"#,
            "!stepResult.priorStepResult[0].success && stepResult.retryReason === 'Processing results with 1 failed action(s): A'",
        ),
        ("no result of success", r#"{}"#, "stepResult.Success === undefined && stepResult.step === 'Retry'"),
        ("lists hold each step once", r#"{}"#, "flowContext.stepCount === 1 && flowContext.executionPath.length === 1"),
        ("data and context are there", r#"{}"#, "data.x === undefined && context.x === undefined"),
    ] {
        check(why, &flow(script, condition), r#"{"calls":["A","B"]}"#);
    }
}

#[test]
fn loops_go_by_the_runtime() {
    let action_loop = |kind: &str, config: &str, rest: &str| {
        format!(
            r#"{{"payload":{{"items":[1,2,3]}},"actions":{{"Do":{{}}}},"steps":[{{"Name":"Loop","StepType":"{kind}","StartingStep":true,"LoopBodyType":"Action","Action":"Do","Configuration":{config},"ActionInputMapping":{{"n":"x","i":"index"}}}}]{rest}}}"#
        )
    };
    check(
        "bare names of a While's variable end it at once",
        &action_loop("While", r#"{"condition":"x.attemptNumber < 3","itemVariable":"x"}"#, ""),
        r#"{"state":"Completed","calls":[]}"#,
    );
    check(
        "data is no root of a While's condition",
        &action_loop("While", r#"{"condition":"data.go","itemVariable":"x"}"#, r#","data":{"go":true}"#),
        r#"{"state":"Completed","calls":[]}"#,
    );
    check(
        "a While pauses before it finds its condition false, and at its limit not at all",
        &action_loop(
            "While",
            r#"{"condition":"results.length < 2","itemVariable":"x","delayBetweenIterationsMs":100,"maxIterations":5}"#,
            "",
        ),
        r#"{"calls":["Do","Do"],"times":[0,100]}"#,
    );
    check(
        "half an iteration counts one after the other, not side by side",
        &action_loop("ForEach", r#"{"collectionPath":"items","itemVariable":"x","maxIterations":1.5}"#, ""),
        r#"{"calls":["Do","Do"]}"#,
    );
    check(
        "and side by side it does not",
        &action_loop("ForEach", r#"{"collectionPath":"items","itemVariable":"x","maxIterations":1.5,"executionMode":"parallel"}"#, ""),
        r#"{"calls":["Do"]}"#,
    );
    check(
        "a variable that is no text breaks the run off",
        &action_loop("ForEach", r#"{"collectionPath":"items","itemVariable":5}"#, ""),
        r#"{"state":"Failed","calls":[]}"#,
    );
    check(
        "a missing action's name is the column's",
        r#"{"payload":{},"steps":[{"Name":"Loop","StepType":"ForEach","StartingStep":true,"LoopBodyType":"Action","Configuration":{"collectionPath":"items","itemVariable":"x"}}]}"#,
        r#"{"error":"Action not found for loop body: null"}"#,
    );
    let agents = |config: &str, results: &str, rest: &str| {
        format!(
            r#"{{"payload":{{"l":[{{"i":1}},{{"i":2}}],"k":0}},"subAgents":{{"W":{{"results":{results}{rest}}}}},"steps":[{{"Name":"Loop","StepType":"ForEach","StartingStep":true,"LoopBodyType":"Sub-Agent","SubAgent":"W","Configuration":{config}}}]}}"#
        )
    };
    check(
        "one after the other each adds to the payload",
        &agents(r#"{"collectionPath":"l","itemVariable":"x"}"#, r#"[{"payload":{"a":1}},{"payload":{"b":2}}]"#, ""),
        r#"{"payload":{"l":[{"i":1},{"i":2}],"k":0,"a":1,"b":2},"given":[{"i":1},{"i":2}]}"#,
    );
    check(
        "side by side the last one's payload is what stays",
        &agents(
            r#"{"collectionPath":"l","itemVariable":"x","executionMode":"parallel"}"#,
            r#"[{"payload":{"a":1}},{"payload":{"b":2}}]"#,
            "",
        ),
        r#"{"payload":{"l":[{"i":1},{"i":2}],"k":0,"b":2}}"#,
    );
    check(
        "also where the last one failed",
        &agents(
            r#"{"collectionPath":"l","itemVariable":"x","executionMode":"parallel"}"#,
            r#"[{"payload":{"a":1}},{"success":false,"errorMessage":"no"}]"#,
            "",
        ),
        r#"{"state":"Completed","payload":{"l":[{"i":1},{"i":2}],"k":0}}"#,
    );
}

#[test]
fn agents_get_what_their_records_say() {
    let flow = |sub: &str, parent: &str| {
        format!(
            r#"{{"payload":{{"a":1,"o":{{"p":{{"q":2}}}},"l":[3]}},"conversationMessages":[{{"role":"user","content":"one"}},{{"role":"assistant","content":"two"}},{{"role":"user","content":"three"}}]{parent},"subAgents":{{"W":{sub}}},"steps":[{{"Name":"S","StepType":"Sub-Agent","SubAgent":"W","Description":"do","StartingStep":true}}]}}"#
        )
    };
    let gave = r#""results":[{"payload":{"a":9,"x":8}}]"#;
    check(
        "only the paths down, and only those up",
        &flow(&format!(r#"{{"agent":{{"PayloadDownstreamPaths":["a"],"PayloadUpstreamPaths":"[\"x\"]"}},{gave}}}"#), ""),
        r#"{"given":[{"a":1}],"payload":{"a":1,"o":{"p":{"q":2}},"l":[3],"x":8}}"#,
    );
    check(
        "a scope is all there is, and goes back where it came from",
        &flow(&format!(r#"{{"agent":{{"PayloadScope":"/o/p"}},{gave}}}"#), ""),
        r#"{"given":[{"q":2}],"payload":{"a":1,"o":{"p":{"q":2,"a":9,"x":8}},"l":[3]}}"#,
    );
    check(
        "a scope that is not there fails the step",
        &flow(&format!(r#"{{"agent":{{"PayloadScope":"none"}},{gave}}}"#), ""),
        r#"{"state":"Failed","calls":[],"error":"Sub-agent execution failed: Critical: Failed to extract payload scope 'none' for sub-agent 'W'. The specified path does not exist in the payload."}"#,
    );
    for (mode, said) in [
        (r#""MessageMode":"None""#, r#"["do"]"#),
        (r#""MessageMode":"Latest","MaxMessages":1"#, r#"["[You delegated this task to the \"W\" agent. Reason: do]","do"]"#),
        (
            r#""MessageMode":"Bookend","MaxMessages":3"#,
            r#"["one","two","[1 messages omitted for context management]","[You delegated this task to the \"W\" agent. Reason: do]","do"]"#,
        ),
    ] {
        let simulation = run(&value(&flow(&format!(r#"{{"agent":{{{mode}}},{gave}}}"#), "")), Profile::Mj5513).unwrap();
        let call = &simulation.traced()[0].1;
        let found: Vec<Value> =
            call.said.as_ref().unwrap().as_list().unwrap().iter().map(|message| message.get("content").unwrap().clone()).collect();
        assert_eq!(Value::list(found), value(said), "{mode}");
    }
    let chat = r#"{"results":[{"payload":{"x":1},"finalStep":"Chat","message":"which?"}]}"#;
    check("a message ends the one that called", &flow(chat, ""), r#"{"state":"Message","message":"which?"}"#);
    check("or fails it", &flow(chat, r#","agent":{"ChatHandlingOption":"Failed"}"#), r#"{"state":"Failed","error":"which?"}"#);
    check(
        "a related agent writes only by its mapping",
        &flow(&format!(r#"{{"related":{{"SubAgentOutputMapping":"{{\"x\":\"o.x\"}}"}},{gave}}}"#), ""),
        r#"{"given":[null],"payload":{"a":1,"o":{"p":{"q":2},"x":8},"l":[3]}}"#,
    );
}

#[test]
fn an_agents_own_changes_keep_to_its_paths() {
    check(
        "an output mapping writes only what is allowed",
        &format!(
            r#"{{"payload":{{"a":1}},"agent":{{"PayloadSelfWritePaths":"[\"ok.*\"]"}},"actions":{{"A":{{"outputs":{{"v":5}}}}}},"steps":[{}]}}"#,
            action("A", r#","StartingStep":true,"ActionOutputMapping":{"v":"ok.v","V":"a"}"#),
        ),
        r#"{"payload":{"a":1,"ok":{"v":5}}}"#,
    );
    check(
        "a mapping that is no JSON changes nothing",
        &format!(
            r#"{{"payload":{{"a":1}},"actions":{{"A":{{"outputs":{{"v":5}}}}}},"steps":[{}]}}"#,
            action("A", r#","StartingStep":true,"ActionOutputMapping":"{oops""#),
        ),
        r#"{"state":"Completed","payload":{"a":1}}"#,
    );
}

#[test]
fn runs_start_and_skip_as_they_are_told() {
    let flow = |told: &str| {
        format!(
            r#"{{"payload":{{}},"actions":{{"A":{{}},"B":{{}},"C":{{}}}},"agentTypeParams":{told},"steps":[{},{},{}],"paths":[{{"from":"A","to":"B"}},{{"from":"B","to":"C","Condition":"stepResult.skipped === undefined || stepResult.stepName === 'B'"}}]}}"#,
            action("A", r#","StartingStep":true"#),
            action("B", ""),
            action("C", ""),
        )
    };
    check("skipping goes on along the paths", &flow(r#"{"skipSteps":["B"]}"#), r#"{"calls":["A","C"]}"#);
    check("a step is named by an object, too", &flow(r#"{"startAtStep":{"Name":"B"}}"#), r#"{"calls":["B","C"]}"#);
    check("a start that is none", &flow(r#"{"startAtStep":"Z"}"#), r#"{"state":"Failed","calls":[]}"#);
}

#[test]
fn a_loop_agents_answers_lead_on_as_in_the_runtime() {
    let agent =
        |answers: &str, rest: &str| format!(r#"{{"type":"Loop","payload":{{"l":[1]}},"prompts":{{"(agent prompt)":{answers}}}{rest}}}"#);
    let done = r#"{"taskComplete":true,"message":"m"}"#;
    check(
        "ten useless answers end the run",
        &agent(r#"[{"nextStep":{"type":"actions","actions":[]}}]"#, ""),
        r#"{"state":"Failed","error":"Agent terminated after 10 consecutive unproductive retries (model repeatedly returned output that could not be parsed or validated). Last error: Unknown next step type: actions"}"#,
    );
    check(
        "ten failed prompts do, too",
        &agent(r#"[{"error":"down"}]"#, ""),
        r#"{"error":"Agent terminated after 10 consecutive failed steps. Last error: down"}"#,
    );
    check(
        "parameters go as they are, but for messages",
        &agent(
            &format!(
                r#"[{{"nextStep":{{"type":"Actions","actions":[{{"name":"A","params":{{"p":"payload.l","c":"conversation.user.first.content"}}}}]}}}},{done}]"#
            ),
            r#","actions":{"A":{}},"conversationMessages":[{"role":"user","content":"hi"}]"#,
        ),
        r#"{"calls":["(agent prompt)","A","(agent prompt)"],"params":[null,{"p":"payload.l","c":"hi"},null],"message":"m"}"#,
    );
    check(
        "an action by another case of its name passes the check and is not found",
        &agent(&format!(r#"[{{"nextStep":{{"type":"Actions","actions":[{{"name":"a"}}]}}}},{done}]"#), r#","actions":{"A":{}}"#),
        r#"{"calls":["(agent prompt)","(agent prompt)"]}"#,
    );
    check(
        "agents side by side begin with the same payload and are merged in order",
        &agent(
            &format!(
                r#"[{{"nextStep":{{"type":"Sub-Agent","subAgents":[{{"name":"V","message":"v"}},{{"name":"W","message":"w","templateParameters":{{"t":1}}}}]}}}},{done}]"#
            ),
            r#","subAgents":{"V":{"results":[{"payload":{"x":1,"y":1}}]},"W":{"results":[{"payload":{"y":2}}]}}"#,
        ),
        r#"{"calls":["(agent prompt)","V","W","(agent prompt)"],"payload":{"l":[1],"x":1,"y":2},"params":[null,{},{"t":1},null]}"#,
    );
    check(
        "an agent after which the run is to end",
        &agent(
            r#"[{"nextStep":{"type":"Sub-Agent","subAgent":{"name":"V","message":"v","terminateAfter":true}}}]"#,
            r#","subAgents":{"V":{"results":[{"payload":{"x":1}}]}}"#,
        ),
        r#"{"state":"Completed","calls":["(agent prompt)","V"],"payload":{"l":[1],"x":1}}"#,
    );
    check(
        "a part of an agent's name passes the check of a loop, and then nothing is called",
        &agent(
            &format!(
                r#"[{{"nextStep":{{"type":"ForEach","forEach":{{"collectionPath":"l","itemVariable":"x","subAgent":{{"name":"Work"}}}}}}}},{done}]"#
            ),
            r#","subAgents":{"Worker":{"results":[{"payload":{}}]}}"#,
        ),
        r#"{"state":"Completed","calls":["(agent prompt)","(agent prompt)"]}"#,
    );
}

#[test]
fn a_saved_run_of_the_runtime_goes_on_as_if_nothing_had_been() {
    const FLOWS: &str = include_str!("../golden/mj-5.51.3/flows.jsonl");
    const LOOPS: &str = include_str!("../golden/mj-5.51.3/loops.jsonl");
    for case in [FLOWS, LOOPS].iter().flat_map(|text| cases(text)) {
        let id = case.get("id").and_then(Value::as_str).unwrap().to_owned();
        let input = case.get("input").unwrap().clone();
        let whole = run(&input, Profile::Mj5513).unwrap();
        if whole.log().len() > 5_000 {
            continue;
        }
        let converted = convert(&input).unwrap();
        let new = || Simulation::new(&converted.document, converted.graph, Some(converted.scenario), Profile::Mj5513).unwrap();
        let mut first = new();
        first.run_slice(whole.log().len() / 3 + 1);
        let saved = first.save();
        let mut second = new().load(&saved).unwrap_or_else(|trouble| panic!("{id}: {}", trouble.message));
        while second.run_slice(1 << 20) != Progress::Finished {}
        assert!(whole.log().to_bytes() == second.log().to_bytes(), "{id}");
    }
    // The harness of cases is the same one.
    let case = cases(FLOWS).remove(0);
    assert_eq!(run_case("flows", Profile::Mj5513, &case), loopwright_tests::golden::Outcome::Passed);
}
