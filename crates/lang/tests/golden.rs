//! Runs the golden cases of the language: what the documentation says, and what the released runtime was seen to do.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use loopwright_lang::mapping::{self, OutputMapping, OutputPlace};
use loopwright_lang::{LoopFrame, Profile, Scope, Semantics, Text, Value, expr, json, merge};

/// The cases of one file, each with its id.
fn cases(file: &str) -> Vec<(String, Value)> {
    let path = format!("{}/../../tests/golden/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let read = |line: &str| {
        let case = json::parse(line).value().expect("a case is JSON");
        (case.get("id").and_then(Value::as_str).unwrap_or_default().to_owned(), case)
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(read).collect()
}

/// Values that JSON does not have are written as `{"$undefined": true}` and `{"$number": "NaN"}`.
fn decode(value: &Value) -> Value {
    match value {
        Value::Object(object) if object.len() == 1 && object.contains_key("$undefined") => Value::Undefined,
        Value::Object(object) if object.len() == 1 && object.contains_key("$number") => Value::Number(
            object.get("$number").and_then(Value::as_str).and_then(|text| text.replace("Infinity", "inf").parse().ok()).unwrap(),
        ),
        Value::Object(object) => Value::object(object.iter().map(|(key, value)| (key.clone(), decode(value)))),
        Value::List(list) => Value::list(list.iter().map(decode)),
        other => other.clone(),
    }
}

/// Fails with every case that differs, not only with the first.
fn report(file: &str, failures: &[String], count: usize) {
    assert!(count > 0, "{file} has no cases");
    assert!(failures.is_empty(), "{file}: {} of {count} cases differ:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn conditions_agree_with_the_released_runtime() {
    let semantics = Semantics::of(Profile::Mj5513);
    let file = "mj-5.51.3/expressions.jsonl";
    let (mut failures, mut refused, mut count) = (Vec::new(), Vec::new(), 0);
    for (id, case) in cases(file) {
        count += 1;
        let input = case.get("input").unwrap();
        let text = input.get("expr").and_then(Value::as_str).unwrap();
        let mut scope = Scope::default();
        for (key, value) in input.get("context").and_then(Value::as_object).unwrap().iter() {
            let value = decode(value);
            match key.as_str() {
                "payload" => scope.payload = Some(value),
                "data" => scope.data = Some(value),
                "context" => scope.context = Some(value),
                "stepResult" => scope.step_result = Some(value),
                "flowContext" => scope.flow_context = Some(value),
                "results" => scope.results = Some(value),
                "errors" => scope.errors = Some(value),
                other => scope.names.push((Text::from(other), value)),
            }
        }
        let expected = case.get("expected").unwrap();
        let expected_value =
            expected.get("ok").and_then(Value::as_bool).unwrap().then(|| expected.get("value").and_then(Value::as_bool).unwrap());
        match (expected_value, expr::Condition::new(text, &semantics).holds(&scope, &semantics)) {
            (Some(expected), Ok(actual)) if expected == actual => {}
            (None, Err(_)) => {}
            (Some(_), Err(error)) if error.code.starts_with("expr_unsupported_") => refused.push(id),
            (expected, actual) => failures.push(format!("{id} {text}: expected {expected:?}, got {actual:?}")),
        }
    }
    println!("refused: {refused:?}");
    report(file, &failures, count);
}

fn scope_of(input: &Value) -> Scope {
    let given = |key: &str| input.get(key).map(decode);
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(Text::from);
    let frame = |value: &Value| LoopFrame {
        item_variable: text(value, "itemVariable").unwrap_or_else(|| Text::from("")),
        item: value.get("item").map(decode).unwrap_or_default(),
        index_variable: text(value, "indexVariable"),
        index: value.get("index").and_then(Value::as_number).unwrap_or(0.0) as u64,
    };
    let loops: Vec<LoopFrame> =
        input.get("loops").and_then(Value::as_list).map(|loops| loops.iter().map(frame).collect()).unwrap_or_default();
    // A loop body's mappings see the payload with the loop variables in it.
    let mut payload = given("payload");
    if let Some(Value::Object(object)) = &mut payload {
        for frame in loops.iter().rev() {
            object.insert(frame.item_variable.clone(), frame.item.clone());
            if let Some(variable) = &frame.index_variable {
                object.insert(variable.clone(), Value::Number(frame.index as f64));
            }
        }
    }
    Scope {
        payload,
        data: given("data"),
        context: given("context"),
        conversation: given("conversationMessages"),
        loops,
        ..Scope::default()
    }
}

#[test]
fn input_mappings_do_what_the_documentation_says() {
    let semantics = Semantics::of(Profile::Documented);
    let file = "documented/input-mapping.jsonl";
    let (mut failures, mut count) = (Vec::new(), 0);
    for (id, case) in cases(file) {
        count += 1;
        let input = case.get("input").unwrap();
        let expected = case.get("expected").unwrap();
        match (expected.get("params"), mapping::resolve(input.get("mapping").unwrap(), &scope_of(input), &semantics)) {
            (Some(params), Ok(resolved)) if decode(params) == resolved.params => {}
            (None, Err(problem)) if problem.message.starts_with("ActionInputMapping is not") => {}
            (_, actual) => failures.push(format!("{id}: expected {}, got {actual:#?}", json::print_compact(expected))),
        }
    }
    report(file, &failures, count);
}

#[test]
fn output_mappings_do_what_the_documentation_says() {
    let semantics = Semantics::of(Profile::Documented);
    let file = "documented/output-mapping.jsonl";
    let (mut failures, mut count) = (Vec::new(), 0);
    for (id, case) in cases(file) {
        count += 1;
        let expected = case.get("expected").unwrap();
        let actual = run_output(case.get("input").unwrap(), &semantics);
        let differs = |key: &str| match (expected.get(key), actual.get(key)) {
            (None, None) => false,
            (Some(_), Some(_)) if key == "error" => {
                let begin = |value: &Value| value.get(key).and_then(Value::as_str).unwrap().split(['"', ':']).next().unwrap().to_owned();
                begin(expected) != begin(&actual)
            }
            (a, b) => a != b,
        };
        if ["payload", "special", "error", "errors"].into_iter().any(differs) {
            failures.push(format!("{id}: expected {}, got {}", json::print_compact(expected), json::print_compact(&actual)));
        }
    }
    report(file, &failures, count);
}

/// Applies a mapping once or for each iteration, as a step or a loop does.
fn run_output(input: &Value, semantics: &Semantics) -> Value {
    let mut payload = input.get("payload").cloned().unwrap();
    let index_variable = input.get("indexVariable").and_then(Value::as_str);
    let mut out: Vec<(&str, Value)> = Vec::new();
    let mut specials: Vec<(String, Value)> = Vec::new();
    let result = (|| {
        let mapping = OutputMapping::parse(input.get("mapping").unwrap(), index_variable)?;
        if let Some(problem) = mapping.problems.first() {
            return Err(problem.clone());
        }
        let mut errors = Vec::new();
        match input.get("iterations").and_then(Value::as_list) {
            None => {
                let applied = mapping.apply(input.get("outputs").unwrap(), &payload, &OutputPlace::default(), semantics)?;
                (payload, specials) = (applied.payload, applied.specials);
            }
            Some(iterations) => {
                payload = mapping.start_loop(&payload)?;
                let mut collected = 0;
                for iteration in iterations.iter().filter(|iteration| iteration.get("failed").is_none()) {
                    let index = iteration.get("index").and_then(Value::as_number).unwrap();
                    let place = OutputPlace { iteration: Some((index as u64, index_variable.map(Text::from))), collected };
                    match mapping.apply(iteration.get("outputs").unwrap(), &payload, &place, semantics) {
                        Ok(applied) => {
                            payload = applied.payload;
                            specials.extend(applied.specials);
                            collected += 1;
                        }
                        Err(problem) => {
                            errors.push(Value::object([("index", Value::Number(index)), ("message", Value::text(problem.message))]));
                        }
                    }
                }
            }
        }
        Ok(errors)
    })();
    match result {
        Ok(errors) if !errors.is_empty() => out.push(("errors", Value::list(errors))),
        Ok(_) => {}
        Err(problem) => out.push(("error", Value::text(problem.message))),
    }
    out.push(("payload", payload));
    if !specials.is_empty() {
        out.push(("special", Value::object(specials.into_iter().map(|(name, value)| (Text::from(name), value)))));
    }
    Value::object(out)
}

#[test]
fn input_mappings_agree_with_the_released_runtime() {
    let semantics = Semantics::of(Profile::Mj5513);
    let file = "mj-5.51.3/input-mapping.jsonl";
    let (mut failures, mut count) = (Vec::new(), 0);
    for (id, case) in cases(file) {
        count += 1;
        let input = case.get("input").unwrap();
        let expected = case.get("expected").unwrap();
        let Some(wanted) = expected.get("params").map(decode) else {
            assert!(case.get("hostSpecific").is_some(), "{id} has no params");
            continue;
        };
        let actual = if input.get("params").is_some() {
            let mut scope = scope_of(input);
            scope.loops = scope_of(&Value::object([("loops", Value::list([input.clone()]))])).loops;
            mapping::resolve_body(input.get("params").unwrap(), &scope, &semantics)
        } else {
            mapping::resolve(input.get("mapping").unwrap(), &scope_of(input), &semantics)
        };
        let preset = input.get("presetParams").cloned().unwrap_or(Value::object::<&str>([]));
        let actual = actual.map(|resolved| {
            resolved.params.as_object().unwrap().iter().fold(preset, |params, (key, value)| {
                let Value::Object(mut object) = params else { unreachable!() };
                object.insert(key.clone(), value.clone());
                Value::Object(object)
            })
        });
        if actual.as_ref().ok() != Some(&wanted) {
            failures.push(format!("{id}: expected {wanted:?}\n   got {actual:?}"));
        }
    }
    report(file, &failures, count);
}

/// Outputs are given as such, or as parameters of which those of type Output and Both count.
fn outputs_of(input: &Value) -> Value {
    let Some(params) = input.get("params").and_then(Value::as_list) else { return input.get("outputs").cloned().unwrap() };
    let text = |param: &Value, key: &str| param.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let outputs = params.iter().filter(|param| matches!(text(param, "Type").as_str(), "Output" | "Both"));
    Value::object(outputs.map(|param| (Text::from(text(param, "Name")), param.get("Value").cloned().unwrap_or_default())))
}

#[test]
fn output_mappings_agree_with_the_released_runtime() {
    let file = "mj-5.51.3/output-mapping.jsonl";
    let (mut failures, mut count) = (Vec::new(), 0);
    for (id, case) in cases(file) {
        count += 1;
        let input = case.get("input").unwrap();
        let expected = case.get("expected").unwrap();
        if case.get("hostSpecific").is_some() {
            continue;
        }
        let part = |key: &str| input.get(key).unwrap();
        let mut specials = Vec::new();
        let actual = match part("kind").as_str().unwrap() {
            "flow-output" => {
                let applied = mapping::apply_released(part("mapping"), &outputs_of(input), part("payload"));
                specials = applied.specials;
                applied.payload
            }
            "after-iteration" => {
                let index = part("index").as_number().unwrap() as u64;
                let variable = input.get("indexVariable").and_then(Value::as_str);
                mapping::after_iteration(part("mapping"), part("outputs"), part("payload"), index, variable).unwrap_or(Value::Null)
            }
            "sub-input" => mapping::sub_agent_input(part("mapping").as_object().unwrap(), part("payload")),
            "sub-output" => mapping::sub_agent_output(part("mapping").as_object().unwrap(), part("result"), part("payload")),
            other => panic!("{id}: unknown kind {other}"),
        };
        let specials: Value = Value::object(specials.into_iter().map(|(name, value)| (Text::from(name), value)));
        let expected_specials = expected.get("specialFields").filter(|specials| !specials.is_null()).cloned();
        let agrees = expected.get("payload") == Some(&actual) && expected_specials.unwrap_or(Value::object::<&str>([])) == specials;
        if !agrees {
            failures.push(format!("{id}: expected {}\n   got {}", json::print_compact(expected), json::print_compact(&actual)));
        }
    }
    report(file, &failures, count);
}

#[test]
fn merging_agrees_with_the_released_runtime() {
    let file = "mj-5.51.3/payload-ops.jsonl";
    let (mut failures, mut count) = (Vec::new(), 0);
    for (id, case) in cases(file) {
        count += 1;
        let input = case.get("input").unwrap();
        let expected = case.get("expected").unwrap();
        let part = |key: &str| input.get(key).unwrap();
        let texts = |key: &str| -> Option<Vec<&str>> { Some(input.get(key)?.as_list()?.iter().filter_map(Value::as_str).collect()) };
        let actual = match part("kind").as_str().unwrap() {
            "payload-change" => merge::change(part("payload"), part("change"), texts("allowedPaths").as_deref()),
            "merge-upstream" => merge::merge_upstream(part("payload"), part("sub"), &texts("upstreamPaths").unwrap()),
            "extract-downstream" => merge::extract(part("payload"), &texts("downstreamPaths").unwrap()),
            "deep-merge" => merge::deep_merge_released(part("payload"), part("source")),
            "collection" => merge::collection(part("payload"), part("path").as_str().unwrap()).map_or(Value::Null, Value::List),
            other => panic!("{id}: unknown kind {other}"),
        };
        let wanted = expected.get("payload").or(expected.get("value")).unwrap();
        if *wanted != actual {
            failures.push(format!("{id}: expected {}\n   got {}", json::print_compact(wanted), json::print_compact(&actual)));
        }
    }
    report(file, &failures, count);
}
