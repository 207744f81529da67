//! The catalogue of differences between the profiles, walked: each rule has a flow that tells them apart, and the rule is named.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use loopwright_executor::profiles::{Comparison, compare};
use loopwright_lang::{
    Value,
    differences::{CATALOGUE, Rule},
};
use loopwright_tests::golden::convert::convert;

fn compared(input: &str) -> Comparison {
    let input = loopwright_lang::json::parse(input).value().unwrap_or_else(|| panic!("not JSON: {input}"));
    let converted = convert(&input).unwrap();
    compare(&converted.document, converted.graph, Some(converted.scenario)).unwrap_or_else(|trouble| panic!("{}", trouble.message))
}

/// A flow of one loop over `l`, then a step that looks at the payload.
fn looped(kind: &str, config: &str, rest: &str, body: &str, actions: &str) -> String {
    format!(
        r#"{{"payload":{{"l":[{{"v":1}},{{"v":2}}],"n":0,"my-key":1}},"data":{{"d":1}},"actions":{{{actions}}},"prompts":{{"P":[{{"a":1}}]}},"subAgents":{{"W":{{"results":[{{"payload":{{"a":1}}}},{{"payload":{{"b":2}}}}]}}}},"steps":[{{"Name":"Loop","StepType":"{kind}","StartingStep":true,{body},"Configuration":{config}{rest}}}]}}"#
    )
}

fn foreach(more: &str, rest: &str, actions: &str) -> String {
    let config = format!(r#"{{"type":"ForEach","collectionPath":"payload.l","itemVariable":"x"{more}}}"#);
    looped("ForEach", &config, rest, r#""LoopBodyType":"Action","Action":"Do""#, actions)
}

fn agents(more: &str, rest: &str) -> String {
    let config = format!(r#"{{"type":"ForEach","collectionPath":"payload.l","itemVariable":"x"{more}}}"#);
    looped("ForEach", &config, rest, r#""LoopBodyType":"Sub-Agent","SubAgent":"W""#, "")
}

fn while_(config: &str, rest: &str, actions: &str) -> String {
    looped("While", config, rest, r#""LoopBodyType":"Action","Action":"Do""#, actions)
}

/// One action, perhaps with another behind it.
fn plain(a: &str, actions: &str, paths: &str) -> String {
    format!(
        r#"{{"payload":{{"v":1,"o":{{"a":1}},"my-key":5}},"actions":{{{actions},"B":{{}}}},"steps":[{{"Name":"A","StepType":"Action","Action":"A","StartingStep":true{a}}},{{"Name":"B","StepType":"Action","Action":"B"}}],"paths":[{paths}]}}"#
    )
}

fn flow_of(rule: Rule) -> String {
    use Rule::*;
    let item = r#","ActionInputMapping":{"v":"x.v"}"#;
    let on = r#"{"from":"A","to":"B"}"#;
    match rule {
        LoopOutputs => foreach("", r#","ActionOutputMapping":{"R":"results[*].r"}"#, r#""Do":{"outputs":{"R":5}}"#),
        WhileOutputs => while_(
            r#"{"type":"While","condition":"payload.n < 1","itemVariable":"a","maxIterations":3}"#,
            r#","ActionOutputMapping":{"R":"n"}"#,
            r#""Do":{"outputs":{"R":5}}"#,
        ),
        PayloadPrefix => plain(r#","ActionOutputMapping":{"R":"payload.r"}"#, r#""A":{"outputs":{"R":5}}"#, ""),
        ItemVariable => looped(
            "ForEach",
            r#"{"type":"ForEach","collectionPath":"payload.l"}"#,
            "",
            r#""LoopBodyType":"Action","Action":"Do""#,
            r#""Do":{}"#,
        ),
        IndexVariable => foreach(r#","indexVariable":"i""#, r#","ActionInputMapping":{"n":"i"}"#, r#""Do":{}"#),
        ZeroIterations => foreach(r#","maxIterations":0"#, item, r#""Do":{}"#),
        NegativeIterations => foreach(r#","maxIterations":-1"#, item, r#""Do":{}"#),
        BeyondTheLimit => foreach(r#","maxIterations":1"#, item, r#""Do":{}"#)
            .replace(r#"}]}"#, r#"},{"Name":"B","StepType":"Action","Action":"Do"}],"paths":[{"from":"Loop","to":"B","Condition":"stepResult.exitReason === 'limit'"}]}"#),
        NotAnArray => looped(
            "ForEach",
            r#"{"type":"ForEach","collectionPath":"payload.none","itemVariable":"x"}"#,
            "",
            r#""LoopBodyType":"Action","Action":"Do""#,
            r#""Do":{}"#,
        ),
        FailedIteration => foreach("", item, r#""Do":{"Success":false}"#),
        LoopResults => r#"{"type":"Loop","payload":{"l":[1]},"actions":{"Do":{}},"prompts":{"(agent prompt)":[{"nextStep":{"type":"ForEach","forEach":{"collectionPath":"l","itemVariable":"x","action":{"name":"Do","params":{}}}}},{"taskComplete":true,"message":"m"}]}}"#.to_owned(),
        LoopVariablesInPayload => foreach("", r#","ActionInputMapping":{"v":"payload.x.v"}"#, r#""Do":{}"#),
        AgentTexts => plain("", r#""A":{}"#, "").replace(
            r#""steps":["#,
            r#""subAgents":{"W":{"results":[{"payload":{}}]}},"steps":[{"Name":"0","StepType":"Sub-Agent","SubAgent":"W","StartingStep":true,"Description":"look at {{payload.v}}"},"#,
        ),
        AgentPayload => agents("", ""),
        PromptBody => looped(
            "ForEach",
            r#"{"type":"ForEach","collectionPath":"payload.l","itemVariable":"x"}"#,
            "",
            r#""LoopBodyType":"Prompt","Prompt":"P""#,
            "",
        ),
        Nesting => r#"{"payload":{"l":[{"k":[7]}]},"actions":{"Do":{}},"subAgents":{"In":{"flow":{"steps":[{"Name":"A","StepType":"Action","Action":"Do","StartingStep":true,"ActionInputMapping":{"v":"x.k"}}]}}},"steps":[{"Name":"Loop","StepType":"ForEach","StartingStep":true,"LoopBodyType":"Sub-Agent","SubAgent":"In","Configuration":{"type":"ForEach","collectionPath":"payload.l","itemVariable":"x"}}]}"#.to_owned(),
        BodyNames => foreach("", r#","ActionInputMapping":{"v":"item.v"}"#, r#""Do":{}"#),
        Expressions => plain(r#","ActionInputMapping":{"v":"payload.v + 1"}"#, r#""A":{}"#, ""),
        StaticInBody => foreach("", r#","ActionInputMapping":{"v":"static:x"}"#, r#""Do":{}"#),
        BrokenCondition => while_(r#"{"type":"While","condition":"payload.gone.x > 1","itemVariable":"a"}"#, "", r#""Do":{}"#),
        ParallelPayload => agents(r#","executionMode":"parallel""#, ""),
        WhilePause => while_(
            r#"{"type":"While","condition":"results.length < 1","itemVariable":"a","delayBetweenIterationsMs":50}"#,
            "",
            r#""Do":{}"#,
        ),
        Assigned => plain("", r#""A":{}"#, on).replace(r#""steps":["#, r#""unassigned":["A"],"steps":["#),
        FailureGoesOn => r#"{"payload":{},"actions":{"Do":{}},"steps":[{"Name":"Loop","StepType":"ForEach","StartingStep":true,"LoopBodyType":"Action","Action":"Do","Configuration":{"type":"ForEach","collectionPath":"payload.none","itemVariable":"x"}},{"Name":"B","StepType":"Action","Action":"Do"}],"paths":[{"from":"Loop","to":"B"}]}"#.to_owned(),
        FailedAction => plain(r#","ActionOutputMapping":{"R":"r"}"#, r#""A":{"Success":false,"outputs":{"R":5}}"#, on),
        Retries => r#"{"payload":{},"subAgents":{"W":{"results":[{"success":false,"errorMessage":"no"}]}},"steps":[{"Name":"S","StepType":"Sub-Agent","SubAgent":"W","Description":"go","StartingStep":true,"OnErrorBehavior":"retry","RetryCount":2}]}"#.to_owned(),
        Timeouts => plain(r#","TimeoutSeconds":1"#, r#""A":{"latencyMs":5000}"#, on),
        AgentMessage => r#"{"payload":{},"actions":{"B":{}},"subAgents":{"W":{"results":[{"payload":{},"finalStep":"Chat","message":"which?"}]}},"steps":[{"Name":"S","StepType":"Sub-Agent","SubAgent":"W","Description":"go","StartingStep":true},{"Name":"B","StepType":"Action","Action":"B"}],"paths":[{"from":"S","to":"B"}]}"#.to_owned(),
        StepResult => plain("", r#""A":{"outputs":{"R":5}}"#, r#"{"from":"A","to":"B","Condition":"stepResult.result?.R === 5"}"#),
        DeadEnds => plain("", r#""A":{}"#, on).replace(r#""Name":"B","#, r#""Name":"B","Status":"Disabled","#),
        MergedOutputs => plain(r#","ActionOutputMapping":{"R":"o"}"#, r#""A":{"outputs":{"R":{"b":2}}}"#, ""),
        ConflictingTargets => plain(r#","ActionOutputMapping":{"R":"v.x"}"#, r#""A":{"outputs":{"R":5}}"#, ""),
        ListAnswer => r#"{"payload":{},"prompts":{"P":[[5,6]]},"steps":[{"Name":"P","StepType":"Prompt","Prompt":"P","StartingStep":true}]}"#.to_owned(),
        PlainTexts => plain(r#","ActionInputMapping":{"v":"{{payload.v}}"}"#, r#""A":{}"#, ""),
        DashedKeys => plain(r#","ActionInputMapping":{"v":"payload.my-key"}"#, r#""A":{}"#, ""),
        OutputNames => plain(r#","ActionOutputMapping":{"r":"out"}"#, r#""A":{"outputs":{"R":1,"r":2}}"#, ""),
        ForbiddenWords => plain("", r#""A":{}"#, r#"{"from":"A","to":"B","Condition":"payload.v !== 'Class A'"}"#),
        BlankCondition => plain("", r#""A":{}"#, r#"{"from":"A","to":"B","Condition":" "}"#),
        KeyOrder => plain("", r#""A":{}"#, r#"{"from":"A","to":"B","Condition":"Object.keys(payload.o)[0] === 'a'"}"#)
            .replace(r#""o":{"a":1}"#, r#""o":{"a":1,"2":1}"#),
        OwnMappings => r#"{"payload":{},"prompts":{"P":[{"answer":5}]},"steps":[{"Name":"P","StepType":"Prompt","Prompt":"P","StartingStep":true,"ActionOutputMapping":{"answer":"kept"}}]}"#.to_owned(),
        BrokenJson => plain(r#","ActionInputMapping":"{oops""#, r#""A":{}"#, on),
        TurnParams => r#"{"type":"Loop","payload":{"v":1},"actions":{"Do":{}},"prompts":{"(agent prompt)":[{"nextStep":{"type":"Actions","actions":[{"name":"Do","params":{"p":"payload.v"}}]}},{"taskComplete":true,"message":"m"}]}}"#.to_owned(),
        StepLists => plain(
            "",
            r#""A":{"countAs":"N"}"#,
            r#"{"from":"A","to":"A","Priority":5,"Condition":"flowContext.executionPath.length < 3 && payload.r !== 2"}"#,
        )
        .replace(r#""StartingStep":true"#, r#""StartingStep":true,"ActionOutputMapping":{"N":"r"}"#)
        .replace("payload.r !== 2", "payload.r < 4"),
        Refine => plain("", r#""A":{"outputs":{"s":1}}"#, "").replace(
            r#""steps":["#,
            r#""steps":[{"Name":"0","StepType":"Refine","StartingStep":true,"Configuration":{"type":"Refine","maxRounds":2,"attempt":{"action":"A"},"check":{"expression":"true"}}},"#,
        ),
        IterationContext | ParallelInFlows | WhileDelay => match rule {
            ParallelInFlows => foreach(r#","executionMode":"parallel","maxConcurrency":2"#, item, r#""Do":{}"#),
            WhileDelay => while_(
                r#"{"type":"While","condition":"results.length < 5","itemVariable":"a","maxIterations":2,"delayBetweenIterationsMs":50}"#,
                "",
                r#""Do":{}"#,
            ),
            _ => plain("", r#""A":{}"#, on),
        },
    }
}

/// Rules that come only after another one has already parted the runs.
const BEHIND: [(Rule, Rule); 2] = [(Rule::Nesting, Rule::AgentPayload), (Rule::ParallelPayload, Rule::AgentPayload)];

#[test]
fn every_rule_of_the_catalogue_has_a_flow_that_tells_the_profiles_apart() {
    let mut wrong = Vec::new();
    for entry in &CATALOGUE {
        let input = flow_of(entry.rule);
        let found = compared(&input);
        let calls = |parting: &Option<loopwright_executor::profiles::Doing>| parting.as_ref().map(|doing| doing.what.clone());
        match (&found.parting, entry.differs) {
            (None, false) => {}
            (Some(parting), true) if parting.rule == Some(entry.rule) => {}
            (Some(parting), true)
                if BEHIND.contains(&(entry.rule, parting.rule.unwrap_or(entry.rule)))
                    && found.rules.iter().any(|(rule, _)| *rule == entry.rule) => {}
            (parting, _) => wrong.push(format!(
                "{} {:?}: {:?}\n    {:?}\n    {:?}\n    noted {:?}",
                entry.rule.code(),
                entry.rule,
                parting.as_ref().map(|parting| parting.rule),
                parting.as_ref().map(|parting| calls(&parting.documented)),
                parting.as_ref().map(|parting| calls(&parting.released)),
                found.rules
            )),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_pause_is_not_the_cause_where_more_than_time_differs() {
    let found = compared(&while_(
        r#"{"type":"While","condition":"payload.n < 2","itemVariable":"a","maxIterations":3,"delayBetweenIterationsMs":50}"#,
        r#","ActionInputMapping":{"n":"payload.n"},"ActionOutputMapping":{"R":"n"}"#,
        r#""Do":{"outputs":{"R":1}}"#,
    ));
    assert_eq!(found.parting.unwrap().rule, Some(Rule::WhileOutputs));
}

#[test]
fn a_flow_without_differences_has_no_parting_and_the_same_payload() {
    let found = compared(&plain(
        r#","ActionInputMapping":{"v":"payload.v"},"ActionOutputMapping":{"R":"r"}"#,
        r#""A":{"outputs":{"R":5}}"#,
        r#"{"from":"A","to":"B","Condition":"payload.r === 5"}"#,
    ));
    assert!(found.parting.is_none() && found.payload.is_empty() && found.rules.is_empty(), "{found:?}");
    assert_eq!(found.documented.payload, found.released.payload);
    assert_eq!(found.documented.payload.get("r"), Some(&Value::Number(5.0)));
}
