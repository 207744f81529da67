//! What a flow asks for that MemberJunction 5.51.3 does in another way than the guide: the rules of the catalogue that it touches,
//! found without running it. Problems of their own family (`P01` and on), asked for apart from [`super::validate`].

use loopwright_lang::{Object, Profile, Semantics, Value, differences::Rule, expr, mapping::OutputMapping};

use super::{Place, Problem};
use crate::{
    Document, GraphRef, StepKind, StepRef,
    config::{JsonColumn, json_column},
};

/// The rules that the flows of a document touch, graph by graph and step by step. Where the profiles differ for certain it is a
/// warning, where it depends on the run a hint.
pub fn backend(document: &Document) -> Vec<Problem> {
    let mut problems = Vec::new();
    for graph in document.graphs() {
        self::graph(graph, &mut problems);
    }
    problems
}

fn touches(problems: &mut Vec<Problem>, certain: bool, rule: Rule, place: Place) {
    let entry = rule.entry();
    let message = format!("{} {}", entry.what, entry.mend);
    let make = if certain { Problem::warning } else { Problem::hint };
    problems.push(make(rule.code(), place, message));
}

fn graph(graph: GraphRef<'_>, problems: &mut Vec<Problem>) {
    // What every call may do is said once.
    if graph.steps().any(|step| step.kind() == StepKind::Action) {
        touches(problems, false, Rule::FailedAction, Place::entity(graph.id()));
    }
    for step in graph.steps() {
        self::step(step, problems);
    }
    for path in graph.paths() {
        let place = || Place::field(path.id(), "Condition");
        let Some(text) = path.field("Condition").and_then(Value::as_str).filter(|text| !text.is_empty()) else { continue };
        if text.trim().is_empty() {
            touches(problems, true, Rule::BlankCondition, place());
            continue;
        }
        condition(text, &place, problems);
        let says = |word: &str| text.contains(word);
        if says("exitReason") {
            touches(problems, true, Rule::BeyondTheLimit, place());
        } else if says("stepResult") && !only_failures(text) {
            touches(problems, true, Rule::StepResult, place());
        }
        if says("flowContext") {
            touches(problems, false, Rule::StepLists, place());
        }
        let inactive = path.to().and_then(|to| graph.document.step(to)).is_none_or(|step| !step.is_active());
        if inactive {
            touches(problems, false, Rule::DeadEnds, Place::entity(path.id()));
        }
    }
}

/// Whether a condition asks of `stepResult` only what both shapes answer alike.
fn only_failures(text: &str) -> bool {
    text.match_indices("stepResult").all(|(at, word)| {
        let rest = text.get(at + word.len()..).unwrap_or_default();
        let failed = rest.strip_prefix(".step").map(str::trim_start).and_then(|rest| rest.get(..3));
        failed.is_some_and(|sign| matches!(sign, "===" | "!==")) && rest.contains("Failed") || rest.starts_with(".errorMessage")
    })
}

/// Words that the runtime refuses, and orders of keys.
fn condition(text: &str, place: &dyn Fn() -> Place, problems: &mut Vec<Problem>) {
    let error = |profile| expr::Condition::new(text, &Semantics::of(profile)).error().is_some();
    if error(Profile::Mj5513) && !error(Profile::Documented) {
        touches(problems, true, Rule::ForbiddenWords, place());
    }
    if ["Object.keys", "Object.values", "Object.entries", "JSON.stringify"].iter().any(|name| text.contains(name)) {
        touches(problems, false, Rule::KeyOrder, place());
    }
}

fn step(step: StepRef<'_>, problems: &mut Vec<Problem>) {
    let kind = step.kind();
    let body = if kind.is_loop() { step.body_kind() } else { None };
    let at = |field: &str| Place::field(step.id(), field);
    if kind == StepKind::Refine {
        touches(problems, true, Rule::Refine, at("StepType"));
        return;
    }
    let inputs = members(step, "ActionInputMapping", problems);
    let outputs = members(step, "ActionOutputMapping", problems);
    if kind.is_loop() {
        looped(step, body, problems);
        if outputs.is_some() {
            let rule = if kind == StepKind::While { Rule::WhileOutputs } else { Rule::LoopOutputs };
            touches(problems, true, rule, at("ActionOutputMapping"));
        }
        if body == Some(StepKind::Prompt) {
            touches(problems, true, Rule::PromptBody, at("LoopBodyType"));
        }
        if body == Some(StepKind::SubAgent) {
            touches(problems, true, Rule::AgentPayload, at("LoopBodyType"));
            if inputs.is_some() {
                touches(problems, true, Rule::AgentTexts, at("ActionInputMapping"));
            }
        }
    } else if matches!(kind, StepKind::SubAgent | StepKind::Prompt) {
        for (column, written) in [("ActionInputMapping", &inputs), ("ActionOutputMapping", &outputs)] {
            if written.is_some() {
                touches(problems, true, Rule::OwnMappings, at(column));
            }
        }
    } else if let Some(outputs) = &outputs {
        targets(step, outputs, problems);
    }
    let is_agent = kind == StepKind::SubAgent || body == Some(StepKind::SubAgent);
    if is_agent && step.field("Description").and_then(Value::as_str).is_some_and(|text| text.contains("{{")) {
        touches(problems, true, Rule::AgentTexts, at("Description"));
    }
    if kind == StepKind::SubAgent {
        touches(problems, false, Rule::AgentMessage, at("SubAgentID"));
    }
    let is_action = kind == StepKind::Action || body == Some(StepKind::Action);
    if let (true, Some(inputs)) = (is_action, &inputs) {
        let config = configuration(step);
        texts(inputs, &mut Vec::new(), &mut |inside, text| {
            if let Some(rule) = text_rule(text, config.as_ref(), kind) {
                let place = Place { inside: inside.to_vec(), ..at("ActionInputMapping") };
                touches(problems, true, rule, place);
            }
        });
    }
    let column = |name: &str| step.field(name).filter(|value| !value.is_nullish());
    if column("OnErrorBehavior").and_then(Value::as_str).is_some_and(|word| word != "fail") {
        touches(problems, false, Rule::Retries, at("OnErrorBehavior"));
    }
    if column("TimeoutSeconds").and_then(Value::as_number).is_some_and(|seconds| seconds != 600.0) {
        touches(problems, false, Rule::Timeouts, at("TimeoutSeconds"));
    }
}

/// A mapping column's object, if it has anything in it; a broken one is a rule of its own.
fn members(step: StepRef<'_>, column: &str, problems: &mut Vec<Problem>) -> Option<Object> {
    match json_column(step.field(column)) {
        JsonColumn::Absent => None,
        JsonColumn::Value(Value::Object(object)) => (!object.is_empty()).then_some(object),
        JsonColumn::Value(_) | JsonColumn::Invalid(_) => {
            touches(problems, true, Rule::BrokenJson, Place::field(step.id(), column));
            None
        }
    }
}

fn configuration(step: StepRef<'_>) -> Option<Object> {
    match json_column(step.field("Configuration")) {
        JsonColumn::Value(Value::Object(object)) => Some(object),
        _ => None,
    }
}

fn looped(step: StepRef<'_>, body: Option<StepKind>, problems: &mut Vec<Problem>) {
    let place = |key: &str| Place::field(step.id(), "Configuration").at(key);
    let Some(config) = configuration(step) else {
        if !matches!(json_column(step.field("Configuration")), JsonColumn::Absent) {
            touches(problems, true, Rule::BrokenJson, Place::field(step.id(), "Configuration"));
        }
        return;
    };
    let there = |key: &str| config.get(key).filter(|value| !value.is_nullish());
    if there("itemVariable").and_then(Value::as_str).is_none_or(|name| name.trim().is_empty()) {
        touches(problems, true, Rule::ItemVariable, place("itemVariable"));
    }
    if there("indexVariable").and_then(Value::as_str).is_some_and(|name| name != "index") {
        touches(problems, false, Rule::IndexVariable, place("indexVariable"));
    }
    match there("maxIterations") {
        None => {}
        Some(most) => match most.as_number() {
            Some(0.0) => touches(problems, true, Rule::ZeroIterations, place("maxIterations")),
            Some(number) if number > 0.0 && number.fract() == 0.0 => {
                touches(problems, false, Rule::BeyondTheLimit, place("maxIterations"));
            }
            _ => touches(problems, true, Rule::NegativeIterations, place("maxIterations")),
        },
    }
    if step.kind() == StepKind::While {
        if let Some(text) = there("condition").and_then(Value::as_str) {
            condition(text, &|| place("condition"), problems);
        }
        touches(problems, false, Rule::BrokenCondition, place("condition"));
        if there("delayBetweenIterationsMs").and_then(Value::as_number).is_some_and(|delay| delay > 0.0) {
            touches(problems, false, Rule::WhilePause, place("delayBetweenIterationsMs"));
        }
    } else {
        let path = there("collectionPath").and_then(Value::as_str).unwrap_or_default().trim();
        let plain = ["payload.", "static:"].iter().any(|start| path.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start)));
        if !plain {
            touches(problems, false, Rule::NotAnArray, place("collectionPath"));
        }
        let parallel = there("executionMode").and_then(Value::as_str) == Some("parallel");
        if parallel && body == Some(StepKind::SubAgent) {
            touches(problems, true, Rule::ParallelPayload, place("executionMode"));
        }
    }
    if there("continueOnError").and_then(Value::as_bool) != Some(true) {
        touches(problems, false, Rule::FailedIteration, place("continueOnError"));
    }
}

/// What an action's output mapping does at its targets.
fn targets(step: StepRef<'_>, outputs: &Object, problems: &mut Vec<Problem>) {
    let place = |name: &str| Place::field(step.id(), "ActionOutputMapping").at(name);
    let mapping = OutputMapping::parse(&Value::Object(outputs.clone()), None);
    if mapping.is_ok_and(|mapping| mapping.problems.iter().any(|problem| problem.severity == loopwright_lang::Severity::Error)) {
        touches(problems, true, Rule::BrokenJson, Place::field(step.id(), "ActionOutputMapping"));
    }
    for (name, target) in outputs.iter() {
        let Some(target) = target.as_str() else { continue };
        if target.starts_with("payload.") {
            touches(problems, true, Rule::PayloadPrefix, place(name));
        } else if target.contains('[') {
            touches(problems, true, Rule::MergedOutputs, place(name));
        } else if !target.starts_with('$') {
            touches(problems, false, Rule::MergedOutputs, place(name));
        }
        if target.contains('.') && !target.starts_with('$') {
            touches(problems, false, Rule::ConflictingTargets, place(name));
        }
    }
}

fn texts(object: &Object, inside: &mut Vec<String>, each: &mut dyn FnMut(&[String], &str)) {
    fn within(value: &Value, inside: &mut Vec<String>, each: &mut dyn FnMut(&[String], &str)) {
        match value {
            Value::Text(text) => each(inside, text),
            Value::List(list) => {
                for (at, item) in list.iter().enumerate() {
                    inside.push(at.to_string());
                    within(item, inside, each);
                    inside.pop();
                }
            }
            Value::Object(object) => texts(object, inside, each),
            _ => {}
        }
    }
    for (key, value) in object.iter() {
        inside.push(key.to_string());
        within(value, inside, each);
        inside.pop();
    }
}

/// The rule by which a text of an action's parameters resolves differently, whatever the values are.
fn text_rule(text: &str, config: Option<&Object>, kind: StepKind) -> Option<Rule> {
    let trimmed = text.trim();
    let starts = |prefix: &str| trimmed.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    let root: String = trimmed.chars().take_while(|c| c.is_alphanumeric() || *c == '_' || *c == '$').collect();
    let rest = trimmed.get(root.len()..).unwrap_or_default();
    let is_path = rest.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '[' | ']' | '-'));
    let is_root = matches!(root.as_str(), "payload" | "data" | "context" | "conversation" | "stepResult");
    if kind.is_loop() {
        let named =
            |key: &str, default: &str| config.and_then(|config| config.get(key)?.as_str().map(str::to_owned)).unwrap_or(default.to_owned());
        let item = named("itemVariable", if kind == StepKind::While { "attempt" } else { "item" });
        let index = named("indexVariable", "index");
        let inside = rest.trim_start_matches('.').split(['.', '[']).next().unwrap_or_default();
        return if starts("static:") {
            Some(Rule::StaticInBody)
        } else if root == index && index != "index" && rest.is_empty() {
            Some(Rule::IndexVariable)
        } else if root == "payload" && (inside == item || inside == index) {
            Some(Rule::LoopVariablesInPayload)
        } else if (is_root || root == item) && !is_path && !rest.is_empty() {
            Some(Rule::Expressions)
        } else if matches!(root.as_str(), "context" | "conversation" | "stepResult") && !rest.is_empty()
            || (trimmed.contains("{{") && !whole_reference(trimmed, &item))
            || (root == "item" && item != "item")
        {
            Some(Rule::BodyNames)
        } else {
            None
        };
    }
    if starts("static:") {
        None
    } else if trimmed.contains("{{") || (is_root && (rest.is_empty() || root == "stepResult")) {
        Some(Rule::PlainTexts)
    } else if is_root && is_path && rest.contains('-') {
        Some(Rule::DashedKeys)
    } else if is_root && !is_path && matches!(rest.chars().next(), Some('.' | '[' | '?')) {
        Some(Rule::Expressions)
    } else {
        None
    }
}

/// Whether `{{ }}` stand around one reference that both look up alike.
fn whole_reference(text: &str, item: &str) -> bool {
    let Some(inner) = text.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}")).map(str::trim) else { return false };
    if inner.contains("{{") {
        return false;
    }
    let root = inner.split(['.', '[']).next().unwrap_or_default();
    (root == item || root == "index" || root == "payload")
        && inner.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '[' | ']'))
}
