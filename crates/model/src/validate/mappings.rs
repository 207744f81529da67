//! `M` and `L`: mappings, path conditions, and whether a While loop can end (language.md; flow-agents.md, the traps).

use loopwright_lang::{LoopFrame, Object, Profile, Scope, Semantics, Severity, Value, expr, mapping};

use super::{Place, Problem, columns::short, nearest};
use crate::{
    Document, Edit, EntityId, PathRef, StepKind, StepRef,
    catalogue::Referent,
    config::{JsonColumn, json_column, set_column_json},
};

const INPUTS: &str = "ActionInputMapping";
const OUTPUTS: &str = "ActionOutputMapping";

/// A path's condition.
pub(super) fn path(path: PathRef<'_>, around: &[StepRef<'_>], problems: &mut Vec<Problem>) {
    if let Some(text) = path.condition() {
        let mut roots: Vec<String> = ["payload", "stepResult", "flowContext", "data", "context", "index"].map(str::to_owned).to_vec();
        for outer in around {
            let (item, index) = names_of(*outer);
            roots.extend(item.into_iter().chain(index));
        }
        condition(text, &roots, &Place::field(path.id(), "Condition"), problems);
    }
}

/// A While loop's condition.
pub(super) fn while_condition(step: StepRef<'_>, around: &[StepRef<'_>], text: &str, place: &Place, problems: &mut Vec<Problem>) {
    let mut roots: Vec<String> = ["payload", "results", "errors", "index", "data", "context"].map(str::to_owned).to_vec();
    for outer in std::iter::once(&step).chain(around) {
        let (item, index) = names_of(*outer);
        roots.extend(item.into_iter().chain(index));
    }
    condition(text, &roots, place, problems);
}

/// Whether a condition can be read at all, and whether the names in it mean anything there.
fn condition(text: &str, roots: &[String], place: &Place, problems: &mut Vec<Problem>) {
    let parsed = expr::parse(text);
    let sound = parsed.problems.iter().all(|problem| problem.severity != Severity::Error);
    for reference in parsed.root.iter().filter(|_| sound).flat_map(expr::references) {
        let Some(root) = reference.first().filter(|root| !roots.contains(root)) else { continue };
        let meant = nearest(root, roots.iter().map(String::as_str));
        let message = match meant {
            Some(meant) => format!("{root} means nothing here. Did you mean {meant}?"),
            None => format!("{root} means nothing here. A condition can read {}.", roots.join(", ")),
        };
        problems.push(Problem::error("M11", place.clone(), message));
    }
    for found in parsed.problems {
        let code = if found.severity == Severity::Hint { "M12" } else { "M05" };
        problems.push(Problem::new(code, found.severity, place.clone().span(found.span), found.message));
    }
}

pub(super) fn step(step: StepRef<'_>, around: &[StepRef<'_>], problems: &mut Vec<Problem>) {
    let (catalogue_in, catalogue_out) = parameters(step);
    inputs(step, around, catalogue_in.as_deref(), problems);
    outputs(step, catalogue_out.as_deref(), problems);
    if step.kind() == StepKind::While {
        ending(step, problems);
    }
}

/// One parameter of an action in the catalogue.
struct Parameter {
    name: String,
    required: bool,
}

/// What the catalogue says of the inputs and outputs of the action that a step or its body calls.
fn parameters(step: StepRef<'_>) -> (Option<Vec<Parameter>>, Option<Vec<Parameter>>) {
    let calls_action = step.kind() == StepKind::Action || (step.kind().is_loop() && step.body_kind() == Some(StepKind::Action));
    let Referent::Found(action) = step.referent() else { return (None, None) };
    if !calls_action {
        return (None, None);
    }
    let list = |key| {
        let items = action.fields.get(key).and_then(Value::as_list)?;
        let parameter = |item: &Value| {
            let name = item.get("name").and_then(Value::as_str)?.to_owned();
            Some(Parameter { name, required: item.get("required").and_then(Value::as_bool).unwrap_or(false) })
        };
        Some(items.iter().filter_map(parameter).collect())
    };
    (list("inputs"), list("outputs"))
}

/// A JSON column that must hold an object; its problem, when it does not.
fn object_of(step: StepRef<'_>, column: &str, problems: &mut Vec<Problem>) -> Option<Object> {
    let place = Place::field(step.id(), column);
    match json_column(step.field(column)) {
        JsonColumn::Absent => Some(Object::new()),
        JsonColumn::Value(Value::Object(object)) => Some(object),
        JsonColumn::Value(other) => {
            problems.push(Problem::error("M01", place, format!("{column} is not a JSON object; found {}.", other.what())));
            None
        }
        JsonColumn::Invalid(text) => {
            let first = loopwright_lang::json::parse(&text).problems.into_iter().next();
            let message = first.as_ref().map_or(String::new(), |problem| format!(" {}", problem.message));
            let mut problem = Problem::error("M01", place, format!("{column} is not JSON.{message}"));
            problem.place.span = first.map(|problem| problem.span);
            problems.push(problem);
            None
        }
    }
}

fn inputs(step: StepRef<'_>, around: &[StepRef<'_>], known: Option<&[Parameter]>, problems: &mut Vec<Problem>) {
    let Some(object) = object_of(step, INPUTS, problems) else { return };
    if let Some(known) = known {
        for missing in known.iter().filter(|parameter| parameter.required && object.get(&parameter.name).is_none()) {
            // An input that is there under a slightly other name is told of there.
            let misspelt = object.keys().any(|key| nearest(key, [missing.name.as_str()]).is_some());
            if !misspelt {
                let message = format!("{} is required and has no value.", missing.name);
                problems.push(Problem::error("M02", Place::field(step.id(), INPUTS).at(&missing.name), message));
            }
        }
        for (name, _) in object.iter().filter(|(name, _)| !known.iter().any(|parameter| parameter.name == name.as_str())) {
            let free = known.iter().map(|parameter| parameter.name.as_str()).filter(|known| !object.contains_key(known));
            unknown_name(step, INPUTS, &object, name, "input", free, problems);
        }
    }
    let scope = names_in_scope(step, around);
    let semantics = Semantics::of(Profile::Documented);
    for (name, value) in object.iter() {
        texts(value, &mut vec![name.as_str().to_owned()], &mut |inside, text| {
            for found in mapping::resolve_text(text, &scope, &semantics).problems {
                if let Some(code) = code_of(&found) {
                    let mut place = Place::field(step.id(), INPUTS).span(found.span);
                    place.inside = inside.to_vec();
                    let mend = found.fix.as_ref().and_then(|fix| {
                        let mut text = text.to_owned();
                        text.get(fix.span.range())?;
                        text.replace_range(fix.span.range(), &fix.text);
                        let changed = replaced(&Value::Object(object.clone()), inside, &text)?;
                        Some(Edit::new(fix.label.clone(), vec![set_column_json(step.entity, INPUTS, changed)?]))
                    });
                    problems.push(Problem::new(code, found.severity, place, found.message).with_fix(mend));
                }
            }
        });
    }
}

/// Which problems of a mapping text hold whatever the run brings. The others (a value is missing) need a run.
fn code_of(found: &loopwright_lang::Problem) -> Option<&'static str> {
    match found.code.as_ref() {
        // These depend on the values, which only a run brings.
        "expr_missing_value" | "expr_not_evaluable" | "expr_throws" | "expr_wrong_receiver" => None,
        "expr_text_too_long" | "expr_too_many_bytes" | "expr_too_many_operations" => None,
        code if code.starts_with("expr_") => Some("M05"),
        "mapping_looks_like_reference" => Some("M04"),
        "mapping_not_a_path" | "mapping_looks_like_expression" | "mapping_template_unclosed" => Some("M06"),
        _ => None,
    }
}

/// A name that the catalogue does not have, with the one that may be meant.
fn unknown_name<'a>(
    step: StepRef<'_>,
    column: &str,
    object: &Object,
    name: &str,
    what: &str,
    known: impl Iterator<Item = &'a str>,
    problems: &mut Vec<Problem>,
) {
    let meant = nearest(name, known);
    let message = match meant {
        Some(meant) => format!("The action has no {what} {name}. Did you mean {meant}?"),
        None => format!("The action has no {what} {name}."),
    };
    let mend = meant.and_then(|meant| {
        let renamed = object.iter().map(|(key, value)| (if key.as_str() == name { meant } else { key.as_str() }.to_owned(), value.clone()));
        Some(Edit::new(format!("Rename to {meant}"), vec![set_column_json(step.entity, column, Value::object(renamed))?]))
    });
    let code = if column == INPUTS { "M03" } else { "M07" };
    problems.push(Problem::warning(code, Place::field(step.id(), column).at(name), message).with_fix(mend));
}

fn outputs(step: StepRef<'_>, known: Option<&[Parameter]>, problems: &mut Vec<Problem>) {
    let Some(object) = object_of(step, OUTPUTS, problems) else { return };
    let loop_names = step.kind().is_loop().then(|| names_of(step));
    let (item, index) = loop_names.unwrap_or_default();
    for (name, target) in object.iter() {
        let place = || Place::field(step.id(), OUTPUTS).at(name);
        if let Some(known) = known
            && name.as_str() != "*"
            && !known.iter().any(|parameter| {
                let head = name.split('.').next().unwrap_or_default();
                parameter.name.eq_ignore_ascii_case(name) || parameter.name.eq_ignore_ascii_case(head)
            })
        {
            unknown_name(step, OUTPUTS, &object, name, "output", known.iter().map(|parameter| parameter.name.as_str()), problems);
        }
        let Some(text) = target.as_str() else {
            problems.push(Problem::error("M08", place(), format!("A target is text, e.g. payload.{name}; found {}.", short(target))));
            continue;
        };
        let single = Value::object([(name.clone(), target.clone())]);
        match mapping::OutputMapping::parse(&single, index.as_deref()) {
            Ok(parsed) => {
                for found in parsed.problems {
                    problems.push(Problem::new("M08", found.severity, place().span(found.span), found.message));
                }
            }
            Err(found) => problems.push(Problem::error("M08", place(), found.message)),
        }
        if !step.kind().is_loop() && (text.contains("[*]") || text.contains("[index]")) {
            let message = "[*] and [index] collect over the iterations of a loop; this step is not a loop.";
            problems.push(Problem::error("M09", place(), message));
        }
        if let Some(item) = &item {
            let head = text.split(['.', '[']).next().unwrap_or_default();
            if head == item {
                let message = format!("This writes payload.{text}, not into the current {item}: loop variables cannot be written.");
                problems.push(Problem::warning("M10", place(), message));
            }
        }
    }
}

/// A While whose body writes nothing that its condition reads never changes its mind (only the limit ends it).
fn ending(step: StepRef<'_>, problems: &mut Vec<Problem>) {
    let JsonColumn::Value(Value::Object(config)) = json_column(step.field("Configuration")) else { return };
    let Some(text) = config.get("condition").and_then(Value::as_str) else { return };
    let Some(root) = expr::parse(text).root else { return };
    let read = expr::references(&root);
    let place = || Place::field(step.id(), "Configuration").at("condition");
    let counts = |root: &str| matches!(root, "results" | "errors" | "index") || names_of(step).0.as_deref() == Some(root);
    if read.iter().any(|reference| reference.first().is_some_and(|root| counts(root))) {
        return;
    }
    let payload: Vec<&Vec<String>> = read.iter().filter(|reference| reference.first().map(String::as_str) == Some("payload")).collect();
    if payload.is_empty() {
        let message = "The condition reads nothing that an iteration could change, so only the limit can end this loop.";
        problems.push(Problem::warning("L06", place(), message));
        return;
    }
    let JsonColumn::Value(Value::Object(outputs)) = json_column(step.field(OUTPUTS)) else {
        let message = "The body writes nothing to the payload, so the condition can never change: only the limit can end this loop.";
        problems.push(Problem::warning("L07", place(), message));
        return;
    };
    let written: Vec<Vec<String>> = outputs.iter().filter_map(|(_, target)| target.as_str()).map(target_names).collect();
    let changes = |reference: &[String]| {
        let names = reference.get(1..).unwrap_or_default();
        names.is_empty() || written.iter().any(|target| target.iter().zip(names).all(|(a, b)| a == b))
    };
    let (can, cannot): (Vec<&Vec<String>>, Vec<&Vec<String>>) = payload.iter().copied().partition(|reference| changes(reference));
    if can.is_empty() {
        let names: Vec<String> = cannot.iter().map(|reference| reference.join(".")).collect();
        let message = format!("Nothing in the body writes {}, so only the limit can end this loop.", names.join(" or "));
        problems.push(Problem::warning("L07", place(), message));
    } else if let Some(stuck) = cannot.first() {
        let message = format!("Nothing in the body writes {}: only {} can end this loop.", stuck.join("."), can[0].join("."));
        problems.push(Problem::hint("L07", place(), message));
    }
}

/// The names of a target's path, without a leading `payload`.
fn target_names(target: &str) -> Vec<String> {
    let names = target.split(['.', '[']).map(|part| part.trim_end_matches(']').trim_matches('"').to_owned());
    let mut names: Vec<String> = names.collect();
    if names.first().map(String::as_str) == Some("payload") && names.len() > 1 {
        names.remove(0);
    }
    names
}

/// The item and index variable of a loop, where they can be read.
fn names_of(step: StepRef<'_>) -> (Option<String>, Option<String>) {
    let config = match json_column(step.field("Configuration")) {
        JsonColumn::Value(Value::Object(config)) => config,
        _ => Object::new(),
    };
    let text = |key: &str| config.get(key).and_then(Value::as_str).map(str::to_owned);
    let usual = if step.kind() == StepKind::While { "attempt" } else { "item" };
    (Some(text("itemVariable").unwrap_or_else(|| usual.to_owned())), text("indexVariable"))
}

/// The names a step's mappings may use, without any values: its own loop's, and those of every loop that may enclose it.
fn names_in_scope(step: StepRef<'_>, around: &[StepRef<'_>]) -> Scope {
    let mut loops = Vec::new();
    let mut add = |step: StepRef<'_>| {
        if let (Some(item), index) = names_of(step) {
            loops.push(LoopFrame { item_variable: item.into(), item: Value::Undefined, index_variable: index.map(Into::into), index: 0 });
        }
    };
    let in_loop = step.kind().is_loop();
    if in_loop {
        add(step);
    }
    for outer in around {
        add(*outer);
    }
    let unknown = || Some(Value::Undefined);
    Scope {
        payload: unknown(),
        data: unknown(),
        context: unknown(),
        conversation: unknown(),
        step_result: unknown(),
        flow_context: None,
        results: in_loop.then_some(Value::Undefined),
        errors: in_loop.then_some(Value::Undefined),
        loops,
        ..Scope::default()
    }
}

/// The loops whose body is this graph: what `around` is everywhere here, found once for each graph.
pub(super) fn enclosing(document: &Document, graph: EntityId) -> Vec<StepRef<'_>> {
    let all = document.graphs().flat_map(|other| other.steps());
    all.filter(|step| step.kind().is_loop() && matches!(step.referent(), Referent::Found(entity) if entity.id == graph)).collect()
}

/// Calls `each` for every text in a mapping value, with the way to it.
fn texts(value: &Value, inside: &mut Vec<String>, each: &mut impl FnMut(&[String], &str)) {
    match value {
        Value::Text(text) => each(inside, text),
        Value::List(list) => {
            for (place, item) in list.iter().enumerate() {
                inside.push(place.to_string());
                texts(item, inside, each);
                inside.pop();
            }
        }
        Value::Object(object) => {
            for (key, item) in object.iter() {
                inside.push(key.as_str().to_owned());
                texts(item, inside, each);
                inside.pop();
            }
        }
        _ => {}
    }
}

/// A mapping with another text at one place.
fn replaced(value: &Value, inside: &[String], text: &str) -> Option<Value> {
    let Some((first, rest)) = inside.split_first() else { return Some(Value::text(text)) };
    match value {
        Value::Object(object) => {
            let mut object = object.clone();
            let inner = replaced(object.get(first)?, rest, text)?;
            object.insert(first.as_str(), inner);
            Some(Value::Object(object))
        }
        Value::List(list) => {
            let place = first.parse().ok()?;
            let mut list = list.clone();
            let inner = replaced(list.get(place)?, rest, text)?;
            list.set(place, inner);
            Some(Value::List(list))
        }
        _ => None,
    }
}
