//! Cases of the language: expressions, input and output mappings.

use loopwright_lang::{
    LoopFrame, Scope, Semantics, Severity, Text, Value, expr,
    mapping::{self, OutputMapping, OutputPlace},
};

use crate::case::{Case, Outcome, compare, decode, messages_agree, outcome_of};

/// `expressions`: `{ expr, context }` → `{ ok, value | error }`; only `ok` and `value` must agree.
pub fn expression(case: &Case) -> Outcome {
    let text = case.input("expr").and_then(Value::as_str).unwrap_or_default();
    let context = case.input("context").map(decode).unwrap_or_default();
    let semantics = Semantics::of(case.profile);
    let root = |name: &str| context.get(name).cloned();
    let scope = Scope {
        payload: root("payload"),
        data: root("data"),
        context: root("context"),
        step_result: root("stepResult"),
        flow_context: root("flowContext"),
        results: root("results"),
        errors: root("errors"),
        ..Scope::default()
    };
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

fn scope_of(case: &Case) -> Scope {
    let root = |name: &str| case.input(name).map(decode);
    let frames = case.input("loops").and_then(Value::as_list);
    let text = |frame: &Value, key: &str| frame.get(key).and_then(Value::as_str).map(Text::from);
    let index = |frame: &Value| frame.get("index").and_then(Value::as_number).map_or(0, |index| index as u64);
    let mut loops: Vec<LoopFrame> = frames
        .into_iter()
        .flat_map(|frames| frames.iter())
        .map(|frame| LoopFrame {
            item_variable: text(frame, "itemVariable").unwrap_or_else(|| "item".into()),
            item: frame.get("item").map(decode).unwrap_or_default(),
            index_variable: text(frame, "indexVariable"),
            index: index(frame),
        })
        .collect();
    if case.input("kind").and_then(Value::as_str) == Some("loop-input") {
        let own = case.value.get("input").cloned().unwrap_or_default();
        loops.push(LoopFrame {
            item_variable: text(&own, "itemVariable").unwrap_or_else(|| "item".into()),
            item: own.get("item").map(decode).unwrap_or_default(),
            index_variable: text(&own, "indexVariable"),
            index: index(&own),
        });
    }
    Scope {
        payload: root("payload"),
        data: root("data"),
        context: root("context"),
        conversation: root("conversationMessages"),
        loops,
        ..Scope::default()
    }
}

/// `input-mapping`: a mapping in a scope → `{ params }` or `{ error }`.
pub fn input_mapping(case: &Case) -> Outcome {
    let semantics = Semantics::of(case.profile);
    let scope = scope_of(case);
    let mapping = case.input("mapping").or_else(|| case.input("params")).cloned().unwrap_or_default();
    let resolved = if case.input("kind").and_then(Value::as_str) == Some("loop-input") {
        mapping::resolve_body(&mapping, &scope, &semantics)
    } else {
        mapping::resolve(&mapping, &scope, &semantics)
    };
    let mut differences = Vec::new();
    match (resolved, case.expected("params"), case.expected("error").or_else(|| case.expected("threw"))) {
        (Ok(resolved), Some(expected), _) => compare("params", &resolved.params, &decode(expected), &mut differences),
        (Err(_), _, Some(_)) => {}
        (Ok(resolved), None, Some(_)) => compare("params", &resolved.params, &"an error".into(), &mut differences),
        (Err(problem), _, None) => differences.push(format!("found the error {}", problem.message)),
        (Ok(_), None, None) => {}
    }
    outcome_of(differences)
}

/// `output-mapping`: outputs written to a payload, once or over iterations → `{ payload, special?, errors? }` or `{ error, payload }`.
pub fn output_mapping(case: &Case) -> Outcome {
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
