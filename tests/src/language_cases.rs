//! Cases of the language: expressions, input and output mappings.

use loopwright_lang::{
    LoopFrame, Object, Profile, Scope, Semantics, Severity, Text, Value, expr,
    mapping::{self, OutputMapping, OutputPlace},
    merge,
};

use crate::case::{Case, Outcome, compare, decode, messages_agree, outcome_of};

/// `expressions`: `{ expr, context }` → `{ ok, value | error }`; only `ok` and `value` must agree.
pub fn expression(case: &Case) -> Outcome {
    let text = case.input("expr").and_then(Value::as_str).unwrap_or_default();
    let context = case.input("context").map(decode).unwrap_or_default();
    let semantics = Semantics::of(case.profile);
    let mut scope = Scope::default();
    for (key, value) in context.as_object().into_iter().flat_map(|context| context.iter()) {
        match key.as_str() {
            "payload" => scope.payload = Some(value.clone()),
            "data" => scope.data = Some(value.clone()),
            "context" => scope.context = Some(value.clone()),
            "stepResult" => scope.step_result = Some(value.clone()),
            "flowContext" => scope.flow_context = Some(value.clone()),
            "results" => scope.results = Some(value.clone()),
            "errors" => scope.errors = Some(value.clone()),
            _ => scope.names.push((key.clone(), value.clone())),
        }
    }
    let found = expr::condition(text, &scope, &semantics);
    let ok = case.expected("ok").and_then(Value::as_bool).unwrap_or(false);
    match (found, ok) {
        (Err(problem), true) if problem.code.starts_with("expr_unsupported_") => Outcome::Refused,
        (Err(_), true | false) if case.is_host_specific() => Outcome::Refused,
        (Err(_), false) => Outcome::Passed,
        (Err(problem), true) => Outcome::Failed(format!("{text}\n  found the error {}: {}", problem.code, problem.message)),
        (Ok(_), false) if case.is_host_specific() => Outcome::Refused,
        (Ok(value), false) => Outcome::Failed(format!("{text}\n  found {value}, expected an error")),
        (Ok(value), true) => {
            let mut differences = Vec::new();
            let expected = case.expected("value").map(decode).unwrap_or_default();
            compare(text, &Value::Bool(value), &expected, &mut differences);
            if differences.is_empty() {
                Outcome::Passed
            } else if case.is_host_specific() {
                Outcome::Refused
            } else {
                outcome_of(differences)
            }
        }
    }
}

fn frame(value: &Value) -> LoopFrame {
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(Text::from);
    LoopFrame {
        item_variable: text("itemVariable").unwrap_or_else(|| "".into()),
        item: value.get("item").map(decode).unwrap_or_default(),
        index_variable: text("indexVariable"),
        index: value.get("index").and_then(Value::as_number).map_or(0, |index| index as u64),
    }
}

fn scope_of(case: &Case) -> Scope {
    let root = |name: &str| case.input(name).map(decode);
    let loops: Vec<LoopFrame> =
        case.input("loops").and_then(Value::as_list).into_iter().flat_map(|frames| frames.iter()).map(frame).collect();
    // A loop body sees the payload with the loop variables in it (ruling 22).
    let mut payload = root("payload");
    if let Some(Value::Object(object)) = &mut payload {
        for frame in loops.iter().rev() {
            object.insert(frame.item_variable.clone(), frame.item.clone());
            if let Some(variable) = &frame.index_variable {
                object.insert(variable.clone(), Value::Number(frame.index as f64));
            }
        }
    }
    Scope { payload, data: root("data"), context: root("context"), conversation: root("conversationMessages"), loops, ..Scope::default() }
}

/// `input-mapping`: a mapping in a scope → `{ params }` or `{ error }`.
pub fn input_mapping(case: &Case) -> Outcome {
    let semantics = Semantics::of(case.profile);
    let mut scope = scope_of(case);
    let resolved = match case.input("params") {
        Some(params) => {
            scope.loops = case.value.get("input").map(frame).into_iter().collect();
            mapping::resolve_body(params, &scope, &semantics)
        }
        None => mapping::resolve(case.input("mapping").unwrap_or(&Value::Undefined), &scope, &semantics),
    };
    // What was there before a mapping stays there.
    let preset = case.input("presetParams").and_then(Value::as_object).cloned().unwrap_or_default();
    let resolved = resolved.map(|resolved| {
        let mut params = preset;
        for (key, value) in resolved.params.as_object().into_iter().flat_map(|params| params.iter()) {
            params.insert(key.clone(), value.clone());
        }
        Value::Object(params)
    });
    let mut differences = Vec::new();
    match (resolved, case.expected("params"), case.expected("error").or_else(|| case.expected("threw"))) {
        (Ok(params), Some(expected), _) => compare("params", &params, &decode(expected), &mut differences),
        (Err(_), _, Some(_)) => {}
        (Ok(params), None, Some(_)) => compare("params", &params, &"an error".into(), &mut differences),
        (Err(problem), _, None) => differences.push(format!("found the error {}", problem.message)),
        (Ok(_), None, None) => {}
    }
    refusable(case, differences)
}

/// A case that needs a JavaScript host may be refused.
fn refusable(case: &Case, differences: Vec<String>) -> Outcome {
    if !differences.is_empty() && case.is_host_specific() { Outcome::Refused } else { outcome_of(differences) }
}

/// Outputs are given as such, or as parameters of which those of type Output and Both count.
fn outputs_of(case: &Case) -> Value {
    let Some(params) = case.input("params").and_then(Value::as_list) else {
        return case.input("outputs").map(decode).unwrap_or_default();
    };
    let text = |param: &Value, key: &str| param.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let outputs = params.iter().filter(|param| matches!(text(param, "Type").as_str(), "Output" | "Both"));
    Value::object(outputs.map(|param| (text(param, "Name"), param.get("Value").map(decode).unwrap_or_default())))
}

/// `output-mapping` of the released runtime: steps, iterations and related agents.
pub fn released_output_mapping(case: &Case) -> Outcome {
    let nothing = Value::Undefined;
    let part = |key: &str| case.input(key).unwrap_or(&nothing);
    let object = |key: &str| part(key).as_object().cloned().unwrap_or_default();
    let mut special = Vec::new();
    let found = match part("kind").as_str().unwrap_or_default() {
        "flow-output" => {
            let applied = mapping::apply_released(part("mapping"), &outputs_of(case), part("payload"));
            special = applied.specials;
            applied.payload
        }
        "after-iteration" => {
            let index = part("index").as_number().map_or(0, |index| index as u64);
            let variable = part("indexVariable").as_str();
            mapping::after_iteration(part("mapping"), part("outputs"), part("payload"), index, variable).unwrap_or(Value::Null)
        }
        "sub-input" => mapping::sub_agent_input(&object("mapping"), part("payload")),
        "sub-output" => mapping::sub_agent_output(&object("mapping"), part("result"), part("payload")),
        other => return Outcome::Failed(format!("there is no such kind of output mapping: {other}")),
    };
    let mut differences = Vec::new();
    compare("payload", &found, case.expected("payload").unwrap_or(&Value::Undefined), &mut differences);
    let expected = case.expected("specialFields").filter(|special| !special.is_nullish()).cloned();
    compare("special", &Value::object(special), &expected.unwrap_or_else(|| Value::Object(Object::new())), &mut differences);
    refusable(case, differences)
}

/// `payload-ops`: payload changes, merges, scopes and collections of the released runtime → `{ payload }` or `{ value }`.
pub fn payload_operation(case: &Case) -> Outcome {
    let nothing = Value::Undefined;
    let part = |key: &str| case.input(key).unwrap_or(&nothing);
    let paths = |key: &str| -> Option<Vec<String>> {
        Some(case.input(key)?.as_list()?.iter().filter_map(Value::as_str).map(str::to_owned).collect())
    };
    let texts = |paths: &Option<Vec<String>>| -> Vec<String> { paths.clone().unwrap_or_default() };
    let found = match part("kind").as_str().unwrap_or_default() {
        "payload-change" => {
            let allowed = paths("allowedPaths");
            let allowed: Option<Vec<&str>> = allowed.as_ref().map(|allowed| allowed.iter().map(String::as_str).collect());
            merge::change(part("payload"), part("change"), allowed.as_deref())
        }
        "merge-upstream" => {
            let paths = texts(&paths("upstreamPaths"));
            merge::merge_upstream(part("payload"), part("sub"), &paths.iter().map(String::as_str).collect::<Vec<_>>())
        }
        "extract-downstream" => {
            let paths = texts(&paths("downstreamPaths"));
            merge::extract(part("payload"), &paths.iter().map(String::as_str).collect::<Vec<_>>())
        }
        "deep-merge" => merge::deep_merge_released(part("payload"), part("source")),
        "collection" => merge::collection(part("payload"), part("path").as_str().unwrap_or_default()).map_or(Value::Null, Value::List),
        other => return Outcome::Failed(format!("there is no such payload operation: {other}")),
    };
    let mut differences = Vec::new();
    let expected = case.expected("payload").or_else(|| case.expected("value")).unwrap_or(&Value::Undefined);
    compare("payload", &found, expected, &mut differences);
    refusable(case, differences)
}

/// `output-mapping`: outputs written to a payload, once or over iterations → `{ payload, special?, errors? }` or `{ error, payload }`.
pub fn output_mapping(case: &Case) -> Outcome {
    if case.profile == Profile::Mj5513 {
        return released_output_mapping(case);
    }
    let semantics = Semantics::of(case.profile);
    let payload = case.input("payload").map(decode).unwrap_or_default();
    let index_variable = case.input("indexVariable").and_then(Value::as_str).map(Text::from);
    let mapping = case.input("mapping").cloned().unwrap_or_default();
    let mut found = Written { payload: payload.clone(), ..Written::default() };
    let in_loop = case.input("iterations").is_some();
    match OutputMapping::parse(&mapping, index_variable.as_deref()) {
        Err(problem) => found.error = Some(problem.message),
        Ok(parsed) => match parsed.problems.iter().find(|problem| problem.severity == Severity::Error) {
            Some(problem) if in_loop || !problem.code.contains("loop") => found.error = Some(problem.message.clone()),
            _ => write(case, &parsed, &semantics, &index_variable, &mut found),
        },
    }
    let mut differences = Vec::new();
    match (case.expected("error").and_then(Value::as_str), &found.error) {
        (Some(expected), Some(error)) if !messages_agree(error, expected) => {
            differences.push(format!("error: {error}\n  expected {expected}"))
        }
        (Some(expected), None) => differences.push(format!("no error; expected {expected}")),
        (None, Some(error)) => differences.push(format!("error: {error}")),
        _ => {}
    }
    if let Some(expected) = case.expected("payload") {
        compare("payload", &found.payload, &decode(expected), &mut differences);
    }
    let special = Value::object(found.special.iter().map(|(name, value)| (name.trim_start_matches('$').to_owned(), value.clone())));
    let expected_special = case.expected("special").or_else(|| case.expected("specialFields")).filter(|value| !value.is_nullish());
    compare("special", &special, &expected_special.cloned().unwrap_or_else(|| Value::Object(Default::default())), &mut differences);
    if let Some(expected) = case.expected("errors").and_then(Value::as_list) {
        let agree = expected.len() == found.errors.len()
            && expected.iter().zip(&found.errors).all(|(expected, (index, message))| {
                expected.get("index").and_then(Value::as_number) == Some(*index as f64)
                    && expected.get("message").and_then(Value::as_str).is_some_and(|expected| messages_agree(message, expected))
            });
        if !agree {
            differences.push(format!("errors: found {:?}", found.errors));
        }
    }
    outcome_of(differences)
}

/// What writing did.
#[derive(Default)]
struct Written {
    payload: Value,
    special: Vec<(String, Value)>,
    errors: Vec<(u64, String)>,
    error: Option<String>,
}

fn write(case: &Case, mapping: &OutputMapping, semantics: &Semantics, index_variable: &Option<Text>, found: &mut Written) {
    let Some(iterations) = case.input("iterations").and_then(Value::as_list) else {
        let outputs = case.input("outputs").map(decode).unwrap_or_default();
        match mapping.apply(&outputs, &found.payload, &OutputPlace::default(), semantics) {
            Ok(applied) => {
                found.payload = applied.payload;
                found.special = applied.specials;
            }
            Err(problem) => found.error = Some(problem.message),
        }
        return;
    };
    match mapping.start_loop(&found.payload) {
        Ok(payload) => found.payload = payload,
        Err(problem) => {
            found.error = Some(problem.message);
            return;
        }
    }
    let mut collected = 0;
    for iteration in iterations.iter() {
        let index = iteration.get("index").and_then(Value::as_number).map_or(0, |index| index as u64);
        if iteration.get("failed").is_some() {
            continue;
        }
        let outputs = iteration.get("outputs").map(decode).unwrap_or_default();
        let place = OutputPlace { iteration: Some((index, index_variable.clone())), collected };
        match mapping.apply(&outputs, &found.payload, &place, semantics) {
            Ok(applied) => {
                found.payload = applied.payload;
                found.special.extend(applied.specials);
                collected += 1;
            }
            Err(problem) => found.errors.push((index, problem.message)),
        }
    }
}
