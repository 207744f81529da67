//! What the released runtime makes of a Loop agent's answer (runtime-5.51.3.md, section 6): the step that comes next, in the
//! runtime's own names. The engine goes by it in that profile, and golden cases compare it as it is.

use loopwright_lang::{
    List, Object, Value,
    expr::{to_text, truthy},
};

/// So many turns in a row a terminal answer that also asks for read tools gets one more turn.
const READ_TOOL_TURNS: u32 = 3;
/// The fields of an answer that go along with most steps.
const CARRIED: [&str; 5] = ["payloadChangeRequest", "scratchpad", "artifactToolCalls", "conversationToolCalls", "memoryWrites"];
const COMMANDS: [&str; 3] = ["responseForm", "actionableCommands", "automaticCommands"];
const REASONS: [&str; 2] = ["reasoning", "confidence"];
/// The types an answer may ask for, as validation compares them.
const TYPES: [&str; 10] = ["actions", "sub-agent", "chat", "retry", "foreach", "while", "clienttools", "pipeline", "skill", "plan"];
const NOT_JSON: &str = "Your previous message was not valid JSON and could not be parsed. Respond with ONLY a single raw JSON object conforming \
     to the LoopAgentResponse interface — no prose, no markdown code fences, and no natural-language narration such as \"I'm executing \
     the ... action\". Do not describe your action in text; express it inside the JSON (e.g. via nextStep). Output the JSON object and \
     nothing else.";
const NO_NEXT_STEP: &str = "Missing nextStep is a required field when taskComplete is false
                                  Per the LoopAgentResponse structure, nextStep is an object with a key called type that can be: 
                                  - \"Actions\", 
                                  - \"Sub-Agent\"
                                  - \"Chat\"
                                  If taskComplete is true, nextStep is optional.
                                  If taskComplete is false, nextStep is required and fill in type with the appropriate value!";

/// What came of asking the model.
#[derive(Clone, Debug)]
pub enum Asked {
    /// It failed.
    Failed(Option<String>),
    /// It answered with this text.
    Text(String),
    /// It answered with this value, which was its text's.
    Value(Value),
}

/// The step that follows. `preemptions` counts, over a run, the turns in a row that were added for read tools.
pub fn next_step(asked: &Asked, preemptions: &mut u32) -> Object {
    let answer = match asked {
        Asked::Failed(message) => {
            let message = message.as_deref().filter(|message| !message.is_empty()).unwrap_or("Prompt execution failed");
            return failed(message);
        }
        Asked::Text(text) if text.is_empty() => return failed("Prompt execution failed"),
        Asked::Text(text) => loopwright_lang::json::parse(text).value().unwrap_or_default(),
        Asked::Value(value) => value.clone(),
    };
    let answer = without_rules(&answer);
    if !truthy(&answer) {
        return retry(NOT_JSON);
    }
    decide(answer, preemptions).unwrap_or_else(|thrown| retry(&format!("Failed to parse loop agent response: {thrown}")))
}

/// An answer without the marks of a schema that a model may copy into its keys: `name?`, `name*`, `name:string`.
pub fn without_rules(value: &Value) -> Value {
    match value {
        Value::List(list) => Value::list(list.iter().map(without_rules)),
        Value::Object(object) => Value::object(object.iter().map(|(key, value)| {
            let key = key.as_str().trim();
            let key = key.strip_suffix('?').or_else(|| key.strip_suffix('*')).unwrap_or(key);
            (key.split(':').next().unwrap_or(key).to_owned(), without_rules(value))
        })),
        other => other.clone(),
    }
}

fn step<'a>(name: &'static str, fields: impl IntoIterator<Item = (&'a str, Value)>) -> Object {
    let mut made: Object = [("step", Value::text(name)), ("terminate", Value::Bool(false))].into_iter().collect();
    for (key, value) in fields {
        made.insert(key, value);
    }
    made
}

fn failed(message: &str) -> Object {
    step("Failed", [("errorMessage", Value::text(message))])
}

fn retry(message: &str) -> Object {
    step("Retry", [("errorMessage", Value::text(message))])
}

/// A value, where it is there and counts as true.
fn there<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    value.get(name).filter(|value| truthy(value))
}

/// A list that has something in it.
fn filled<'a>(value: &'a Value, name: &str) -> Option<&'a List> {
    value.get(name).and_then(Value::as_list).filter(|list| !list.is_empty())
}

/// What JavaScript's `value?.trim()` gives; what is no text throws.
fn trimmed<'a>(value: Option<&'a Value>, name: &str) -> Result<Option<&'a str>, String> {
    match value {
        None | Some(Value::Undefined | Value::Null) => Ok(None),
        Some(Value::Text(text)) => Ok(Some(text.as_str().trim())),
        Some(_) => Err(format!("{name}.trim is not a function")),
    }
}

fn decide(answer: Value, preemptions: &mut u32) -> Result<Object, String> {
    let answer = match valid(answer)? {
        Ok(answer) => answer,
        Err(message) => return Ok(retry(&message)),
    };
    let nothing = Value::Undefined;
    let next = answer.get("nextStep").unwrap_or(&nothing);
    let kind = next.get("type").and_then(Value::as_str).unwrap_or_default();
    let complete = answer.get("taskComplete").and_then(Value::as_bool) == Some(true);
    let of_answer = |names: &[&'static str]| -> Vec<(&'static str, Value)> {
        names.iter().filter_map(|name| Some((*name, answer.get(name)?.clone()))).collect()
    };
    let pipeline = next.get("pipeline").filter(|pipeline| filled(pipeline, "steps").is_some());
    if let ("Pipeline", Some(pipeline)) = (kind, pipeline) {
        let mut made = step("Retry", [("pipeline", pipeline.clone())]);
        extend(&mut made, of_answer(&CARRIED));
        extend(&mut made, of_answer(&REASONS));
        return Ok(made);
    }
    let has_tools = filled(next, "clientTools").is_some();
    let reads = filled(&answer, "artifactToolCalls").is_some() || filled(&answer, "conversationToolCalls").is_some();
    let ends = kind == "Chat" || (complete && !has_tools);
    if !(reads && ends) {
        *preemptions = 0;
    } else if *preemptions < READ_TOOL_TURNS {
        *preemptions += 1;
        let mut made = step("Retry", []);
        extend(&mut made, of_answer(&CARRIED));
        extend(&mut made, of_answer(&REASONS));
        return Ok(made);
    }
    if kind == "Chat" {
        let Some(message) = there(&answer, "message") else { return Ok(retry("Chat type specified but no user message provided")) };
        let mut made = step("Chat", [("message", message.clone()), ("terminate", Value::Bool(true))]);
        extend(&mut made, of_answer(&CARRIED));
        extend(&mut made, of_answer(&COMMANDS));
        extend(&mut made, of_answer(&REASONS));
        return Ok(made);
    }
    if complete && !has_tools {
        let mut made = step("Success", [("terminate", Value::Bool(true))]);
        extend(&mut made, of_answer(&["message"]));
        extend(&mut made, of_answer(&CARRIED));
        extend(&mut made, of_answer(&COMMANDS));
        extend(&mut made, of_answer(&REASONS));
        return Ok(made);
    }
    if !truthy(next) {
        return Ok(retry("Task not complete but no next step provided"));
    }
    let mut made: Object = [("terminate", Value::Bool(complete))].into_iter().collect();
    extend(&mut made, of_answer(&CARRIED));
    extend(&mut made, of_answer(&COMMANDS));
    extend(&mut made, asked_for(next, kind)?);
    Ok(made)
}

fn extend(made: &mut Object, fields: Vec<(&'static str, Value)>) {
    for (name, value) in fields {
        made.insert(name, value);
    }
}

type Fields = Vec<(&'static str, Value)>;

/// What is said where the part that a type needs is not there.
fn lacking(message: Option<&str>, error: &str) -> Fields {
    let mut fields = vec![("step", Value::text("Retry"))];
    fields.extend(message.map(|message| ("message", Value::text(message))));
    fields.push(("errorMessage", Value::text(error)));
    fields
}

/// The fields of a step by the exact type of `nextStep`.
fn asked_for(next: &Value, kind: &str) -> Result<Fields, String> {
    let kind_of = |name: &'static str| ("step", Value::text(name));
    Ok(match kind {
        "Sub-Agent" => match (filled(next, "subAgents"), there(next, "subAgent")) {
            (Some(agents), _) => vec![kind_of("Sub-Agent"), ("subAgents", mapped(agents, sub_agent)?)],
            (None, Some(agent)) => vec![kind_of("Sub-Agent"), ("subAgent", sub_agent(agent))],
            (None, None) => lacking(
                Some("When nextStep.type == \"Sub-Agent\", subAgent or subAgents details must be specified"),
                "Sub-agent details not specified",
            ),
        },
        "Actions" => match some_of(next, "actions")? {
            Some(actions) => vec![kind_of("Actions"), ("actions", mapped(actions, |action| parts_of(action, &["name", "params"]))?)],
            None => lacking(
                Some("When nextStep.type == \"Actions\", 1 or more actions must be specified in the nextStep.actions array"),
                "Actions not specified for action type",
            ),
        },
        "ClientTools" => match some_of(next, "clientTools")? {
            Some(tools) => vec![kind_of("ClientTools"), ("clientTools", mapped(tools, client_tool)?)],
            None => lacking(
                Some("When nextStep.type == \"ClientTools\", 1 or more client tools must be specified in nextStep.clientTools array"),
                "Client tools not specified for ClientTools type",
            ),
        },
        "Skill" => match some_of(next, "skills")? {
            Some(skills) => vec![kind_of("Skill"), ("skillActivations", mapped(skills, skill)?)],
            None => lacking(
                Some("When nextStep.type == \"Skill\", 1 or more skills must be specified in nextStep.skills array"),
                "Skills not specified for Skill type",
            ),
        },
        "Plan" => match trimmed(there(next, "plan"), "response.nextStep.plan")? {
            Some(text) if !text.is_empty() => {
                let plan = next.get("plan").cloned().unwrap_or_default();
                vec![kind_of("Plan"), ("planDetails", Value::object([("plan", plan)]))]
            }
            _ => lacking(
                Some("When nextStep.type == \"Plan\", nextStep.plan must contain the proposed plan text"),
                "Plan text not specified for Plan type",
            ),
        },
        "ForEach" => match there(next, "forEach") {
            Some(operation) => vec![kind_of("ForEach"), ("forEach", operation.clone())],
            None => lacking(None, "ForEach type specified but forEach details missing"),
        },
        "While" => match there(next, "while") {
            Some(operation) => vec![kind_of("While"), ("while", operation.clone())],
            None => lacking(None, "While type specified but while details missing"),
        },
        "Retry" => vec![
            kind_of("Retry"),
            ("messageIndex", next.get("messageIndex").cloned().unwrap_or_default()),
            ("expandReason", next.get("reason").cloned().unwrap_or_default()),
        ],
        "Pipeline" => lacking(
            Some("When nextStep.type == \"Pipeline\", nextStep.pipeline.steps must contain 1 or more stages"),
            "Pipeline steps not specified for Pipeline type",
        ),
        other => lacking(None, &format!("Unknown next step type: {other}")),
    })
}

/// A list with something in it; `None` for an empty one or none. What is there and no list cannot be gone through.
fn some_of<'a>(next: &'a Value, name: &str) -> Result<Option<&'a List>, String> {
    match there(next, name) {
        Some(Value::List(list)) => Ok((!list.is_empty()).then_some(list)),
        Some(_) => Err(format!("response.nextStep.{name}.map is not a function")),
        None => Ok(None),
    }
}

/// Goes through a list; nothing can be read of an element that is not there.
fn mapped(list: &List, part: impl Fn(&Value) -> Value) -> Result<Value, String> {
    match list.iter().find(|element| element.is_nullish()) {
        Some(element) => Err(format!("Cannot read properties of {} (reading 'name')", to_text(element))),
        None => Ok(Value::list(list.iter().map(part))),
    }
}

fn parts_of(value: &Value, names: &[&'static str]) -> Value {
    Value::object(names.iter().map(|name| (*name, value.get(name).cloned().unwrap_or_default())))
}

fn sub_agent(agent: &Value) -> Value {
    let parameters = there(agent, "templateParameters").cloned().unwrap_or_else(|| Value::object::<&str>([]));
    let Value::Object(mut made) = parts_of(agent, &["name", "message", "terminateAfter"]) else { return Value::Undefined };
    made.insert("templateParameters", parameters);
    Value::Object(made)
}

fn client_tool(tool: &Value) -> Value {
    let either = |names: [&str; 2]| names.iter().find_map(|name| tool.get(name).filter(|value| !value.is_nullish())).cloned();
    Value::object([
        ("Name", either(["name", "Name"]).unwrap_or_default()),
        ("Params", either(["params", "Params"]).unwrap_or_else(|| Value::object::<&str>([]))),
        ("TimeoutMs", either(["timeoutMs", "TimeoutMs"]).unwrap_or_default()),
        ("Description", either(["description", "Description"]).unwrap_or_default()),
    ])
}

fn skill(skill: &Value) -> Value {
    let mut made: Object = [("name", skill.get("name").cloned().unwrap_or_default())].into_iter().collect();
    if let Some(reason) = there(skill, "reason") {
        made.insert("reason", reason.clone());
    }
    Value::Object(made)
}

/// Checks an answer and completes it; the inner `Err` is what the model is told, the outer one what broke the check off.
fn valid(answer: Value) -> Result<Result<Value, String>, String> {
    let mut fields = match answer {
        Value::Object(object) => object,
        // A list is an object without any of the fields.
        Value::List(_) => Object::new(),
        _ => return Ok(Err("Invalid response format".to_owned())),
    };
    let complete = fields.get("taskComplete").cloned().unwrap_or_default();
    if !truthy(&complete) {
        fields.insert("taskComplete", Value::Bool(false));
    } else if complete.as_bool().is_none() {
        return Ok(Err("Missing required field: taskComplete".to_owned()));
    }
    let complete = truthy(&complete);
    if !complete && !fields.get("nextStep").is_some_and(truthy) {
        let message = trimmed(fields.get("message"), "response.message?")?.map(str::to_owned);
        let reasoning = fields.get("reasoning").and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty());
        let changes = fields
            .get("payloadChangeRequest")
            .is_some_and(|request| ["newElements", "updateElements", "removeElements"].iter().any(|part| there(request, part).is_some()));
        if message.as_deref().is_some_and(|message| !message.is_empty()) || reasoning {
            fields.insert("nextStep", Value::object([("type", Value::text("Chat"))]));
            if message.as_deref() == Some("") {
                let reasoning = fields.get("reasoning").cloned().unwrap_or_default();
                fields.insert("message", reasoning);
            }
        } else if changes {
            let message = "taskComplete set to true automatically due to payloadChangeRequest and no nextStep provided by AI";
            fields.insert("message", Value::text(message));
            fields.insert("taskComplete", Value::Bool(true));
        } else {
            return Ok(Err(NO_NEXT_STEP.to_owned()));
        }
    }
    if let Some(next) = fields.get("nextStep").filter(|next| truthy(next)).cloned()
        && let Err(message) = valid_next(next, &mut fields)?
    {
        return Ok(Err(message));
    }
    Ok(Ok(Value::Object(fields)))
}

fn valid_next(next: Value, fields: &mut Object) -> Result<Result<(), String>, String> {
    let written = next.get("type").cloned().unwrap_or_default();
    let mut kind = match &written {
        Value::Undefined | Value::Null => String::new(),
        Value::Text(text) => text.as_str().trim().to_lowercase(),
        _ => return Err("response.nextStep.type?.toLowerCase is not a function".to_owned()),
    };
    let plural = filled(&next, "subAgents").is_some();
    let agent = there(&next, "subAgent").is_some() || plural;
    let implied = [
        ("Sub-Agent", agent),
        ("Actions", filled(&next, "actions").is_some()),
        ("ClientTools", filled(&next, "clientTools").is_some()),
        ("ForEach", there(&next, "forEach").is_some()),
        ("While", there(&next, "while").is_some()),
        ("Pipeline", next.get("pipeline").is_some_and(|pipeline| filled(pipeline, "steps").is_some())),
        ("Skill", filled(&next, "skills").is_some()),
        ("Plan", there(&next, "plan").is_some()),
    ];
    if kind.is_empty()
        && let Some((name, _)) = implied.iter().find(|(_, there)| *there)
    {
        kind = name.to_ascii_lowercase();
        if let Value::Object(mut known) = next.clone() {
            known.insert("type", Value::text(*name));
            fields.insert("nextStep", Value::Object(known));
        }
    }
    let requires = |what: &str| Ok(Err(format!("LoopAgentResponse requires {what}")));
    match kind.as_str() {
        other if !TYPES.contains(&other) => Ok(Err(format!("LoopAgentResponse has invalid nextStep.type: {}", to_text(&written)))),
        "actions" if there(&next, "actions").is_none() => requires("actions array for action type"),
        "sub-agent" if !agent => requires("subAgent or subAgents for sub-agent type"),
        "chat" if !fields.get("message").is_some_and(truthy) => {
            match trimmed(fields.get("reasoning").filter(|reasoning| truthy(reasoning)), "response.reasoning")? {
                Some(text) if !text.is_empty() => {
                    let reasoning = fields.get("reasoning").cloned().unwrap_or_default();
                    fields.insert("message", reasoning);
                    Ok(Ok(()))
                }
                _ => requires("message for chat type"),
            }
        }
        "foreach" if there(&next, "forEach").is_none() => requires("forEach object for ForEach type"),
        "while" if there(&next, "while").is_none() => requires("while object for While type"),
        _ => Ok(Ok(())),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn made(answer: &str) -> Object {
        next_step(&Asked::Text(answer.to_owned()), &mut 0)
    }

    fn check(answer: &str, field: &str, expected: &str) {
        let found = made(answer).get(field).cloned().unwrap_or_default();
        let expected = loopwright_lang::json::parse(expected).value().unwrap_or_default();
        assert_eq!(found, expected, "{answer}: {field}");
    }

    #[test]
    fn a_type_is_compared_in_any_case_but_taken_exactly() {
        check(r#"{"nextStep":{"type":"actions","actions":[]}}"#, "errorMessage", r#""Unknown next step type: actions""#);
        check(r#"{"nextStep":{"type":" Actions ","actions":[1]}}"#, "errorMessage", r#""Unknown next step type:  Actions ""#);
        check(r#"{"nextStep":{"type":"Bogus"}}"#, "errorMessage", r#""LoopAgentResponse has invalid nextStep.type: Bogus""#);
        check(r#"{"nextStep":{}}"#, "errorMessage", r#""LoopAgentResponse has invalid nextStep.type: undefined""#);
    }

    #[test]
    fn a_missing_type_is_what_is_there() {
        for (next, step) in [
            (r#"{"subAgents":[{"name":"A"}]}"#, "Sub-Agent"),
            (r#"{"subAgent":{"name":"A"},"actions":[{"name":"B"}]}"#, "Sub-Agent"),
            (r#"{"actions":[{"name":"B"}]}"#, "Actions"),
            (r#"{"clientTools":[{"name":"B"}]}"#, "ClientTools"),
            (r#"{"forEach":{}}"#, "ForEach"),
            (r#"{"while":{}}"#, "While"),
            (r#"{"pipeline":{"steps":[1]}}"#, "Retry"),
            (r#"{"skills":[{"name":"K"}]}"#, "Skill"),
            (r#"{"plan":"p"}"#, "Plan"),
        ] {
            check(&format!(r#"{{"nextStep":{next}}}"#), "step", &format!("\"{step}\""));
        }
    }

    #[test]
    fn an_answer_without_a_next_step_is_read_for_what_it_means() {
        check(r#"{"message":"hi"}"#, "step", "\"Chat\"");
        check(r#"{"message":" ","reasoning":"why"}"#, "message", "\"why\"");
        check(r#"{"payloadChangeRequest":{"newElements":{"a":1}}}"#, "step", "\"Success\"");
        check(r#"{"payloadChangeRequest":{"replaceElements":{"a":1}}}"#, "step", "\"Retry\"");
        check(r#"{"taskComplete":"yes"}"#, "errorMessage", "\"Missing required field: taskComplete\"");
        check(r#"{"message":5}"#, "step", "\"Retry\"");
    }

    #[test]
    fn sub_agents_keep_four_fields_and_get_parameters() {
        let answer = r#"{"nextStep":{"type":"Sub-Agent","subAgents":[{"name":"A","message":"m","terminateAfter":true,"x":1}]}}"#;
        check(answer, "subAgents", r#"[{"name":"A","message":"m","terminateAfter":true,"templateParameters":{}}]"#);
        check(
            r#"{"nextStep":{"type":"Sub-Agent"}}"#,
            "errorMessage",
            "\"LoopAgentResponse requires subAgent or subAgents for sub-agent type\"",
        );
    }

    #[test]
    fn read_tools_beside_an_end_get_three_more_turns_in_a_row() {
        let asked = Asked::Text(r#"{"taskComplete":true,"message":"m","artifactToolCalls":[{}]}"#.to_owned());
        let mut count = 0;
        let steps: Vec<Value> = (0..4).map(|_| next_step(&asked, &mut count).get("step").cloned().unwrap()).collect();
        assert_eq!(steps, ["Retry", "Retry", "Retry", "Success"].map(Value::text));
    }

    #[test]
    fn what_goes_along_is_carried_over() {
        let answer = r#"{"taskComplete":false,"scratchpad":{"n":1},"memoryWrites":[2],"reasoning":"r","responseForm":{},"nextStep":{"type":"Retry"}}"#;
        check(answer, "scratchpad", r#"{"n":1}"#);
        check(answer, "memoryWrites", "[2]");
        check(answer, "responseForm", "{}");
        // A step by type has no reasoning of its own.
        check(answer, "reasoning", "");
        check(r#"{"taskComplete":true,"nextStep":{"type":"ClientTools","clientTools":[{"Name":"N"}]}}"#, "terminate", "true");
    }

    #[test]
    fn what_is_no_answer_says_so() {
        check("```json\n{}\n```", "step", "\"Retry\"");
        check("\"text\"", "errorMessage", "\"Invalid response format\"");
        check("", "errorMessage", "\"Prompt execution failed\"");
        check("", "step", "\"Failed\"");
        let told = next_step(&Asked::Failed(Some("no model".to_owned())), &mut 0);
        assert_eq!(told.get("errorMessage"), Some(&Value::text("no model")));
    }
}
