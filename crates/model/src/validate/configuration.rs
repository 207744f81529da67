//! `C`: a loop's Configuration (flow-agents.md, "Model" and rulings 6, 21, 27, 45).

use loopwright_lang::{Object, Value};

use super::{Place, Problem, columns::short, nearest};
use crate::{
    Edit, StepKind, StepRef,
    config::{JsonColumn, json_column, set_key},
};

/// Every key of a ForEach Configuration.
pub const KEYS_OF_FOREACH: [&str; 9] = [
    "type",
    "collectionPath",
    "itemVariable",
    "indexVariable",
    "maxIterations",
    "continueOnError",
    "delayBetweenIterationsMs",
    "executionMode",
    "maxConcurrency",
];

/// Every key of a While Configuration.
pub const KEYS_OF_WHILE: [&str; 6] = ["type", "condition", "itemVariable", "maxIterations", "continueOnError", "delayBetweenIterationsMs"];

const COLUMN: &str = "Configuration";

/// What is wrong with the name of a loop variable, or nothing (ruling 6).
pub fn variable_name_problem(name: &str, is_index: bool) -> Option<String> {
    const TAKEN: [&str; 9] = ["payload", "data", "context", "conversation", "static", "results", "errors", "stepResult", "flowContext"];
    const WORDS: [&str; 5] = ["true", "false", "null", "undefined", "typeof"];
    let mut letters = name.chars();
    let first = letters.next().is_some_and(|letter| letter.is_alphabetic() || letter == '_' || letter == '$');
    if !first || !letters.all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '$') {
        return Some(format!("{name:?} is not a variable name: letters, digits, _ and $ only, and no digit first."));
    }
    if TAKEN.contains(&name) || WORDS.contains(&name) || (name == "index" && !is_index) {
        return Some(format!("{name} already means something else here; choose another name."));
    }
    None
}

pub(super) fn step(step: StepRef<'_>, around: &[StepRef<'_>], problems: &mut Vec<Problem>) {
    let kind = step.kind();
    let place = Place::field(step.id(), COLUMN);
    let config = match json_column(step.field(COLUMN)) {
        JsonColumn::Absent => {
            if kind.is_loop() {
                problems.push(Problem::error("C01", place, format!("The {} step has no Configuration.", kind.name())));
            }
            return;
        }
        JsonColumn::Invalid(text) => {
            let found = loopwright_lang::json::parse(&text).problems;
            let (message, span) = found.first().map_or((String::new(), None), |first| (first.message.clone(), Some(first.span)));
            let mut problem = Problem::error("C02", place, format!("Configuration is not JSON. {message}").trim_end());
            problem.place.span = span;
            problems.push(problem);
            return;
        }
        JsonColumn::Value(Value::Object(config)) => config,
        JsonColumn::Value(other) => {
            problems.push(Problem::error("C02", place, format!("Configuration is not a JSON object; found {}.", other.what())));
            return;
        }
    };
    match kind {
        StepKind::ForEach => {
            keys(step, &config, &KEYS_OF_FOREACH, problems);
            collection(step, &config, problems);
            parallel(step, &config, problems);
        }
        StepKind::While => {
            keys(step, &config, &KEYS_OF_WHILE, problems);
            condition(step, around, &config, problems);
        }
        StepKind::Refine => return super::refine::step(step, &config, problems),
        _ => return,
    }
    common(step, &config, problems);
}

fn at(step: StepRef<'_>, key: &str) -> Place {
    Place::field(step.id(), COLUMN).at(key)
}

/// A value that is written; null is absent (ruling 45).
fn written<'a>(config: &'a Object, key: &str) -> Option<&'a Value> {
    config.get(key).filter(|value| !value.is_null())
}

fn fix(step: StepRef<'_>, label: impl Into<String>, key: &str, value: Option<Value>) -> Option<Edit> {
    set_key(step.entity, COLUMN, key, value).map(|change| Edit::new(label, vec![change]))
}

fn keys(step: StepRef<'_>, config: &Object, known: &[&'static str], problems: &mut Vec<Problem>) {
    let kind = step.kind();
    for (key, value) in config.iter() {
        if known.contains(&key.as_str()) {
            continue;
        }
        if kind == StepKind::While && KEYS_OF_FOREACH.contains(&key.as_str()) {
            let message = format!("A While step does not use {key}; it is ignored.");
            problems.push(Problem::warning("C13", at(step, key), message).with_fix(fix(step, format!("Remove {key}"), key, None)));
            continue;
        }
        let meant = nearest(key, known.iter().copied().filter(|known| !config.contains_key(known)));
        let mut message = format!("{} does not know {key}; it is kept and has no effect.", kind.name());
        let mut mend = None;
        if let Some(meant) = meant {
            message.push_str(&format!(" Did you mean {meant}?"));
            let renamed =
                Value::object(config.iter().map(|(name, old)| (if name == key { meant } else { name.as_str() }.to_owned(), old.clone())));
            mend = crate::config::set_column_json(step.entity, COLUMN, renamed)
                .map(|change| Edit::new(format!("Rename to {meant}"), vec![change]));
            let _ = value;
        }
        problems.push(Problem::warning("C03", at(step, key), message).with_fix(mend));
    }
}

fn common(step: StepRef<'_>, config: &Object, problems: &mut Vec<Problem>) {
    let kind = step.kind();
    match config.get("type").filter(|value| !value.is_null()) {
        None => {
            let mend = fix(step, format!("Set type to {}", kind.name()), "type", Some(kind.name().into()));
            problems
                .push(Problem::warning("C04", at(step, "type"), format!("type is missing; it should be {}.", kind.name())).with_fix(mend));
        }
        Some(value) if value.as_str() != Some(kind.name()) => {
            let mend = fix(step, format!("Set type to {}", kind.name()), "type", Some(kind.name().into()));
            let message = format!("Configuration is of type {}, but the step is a {}.", short(value), kind.name());
            problems.push(Problem::error("C05", at(step, "type"), message).with_fix(mend));
        }
        Some(_) => {}
    }
    match written(config, "maxIterations") {
        None => {}
        Some(value) => match value.as_number().filter(|number| *number >= 0.0 && number.fract() == 0.0) {
            None => {
                let message = format!("maxIterations must be a whole number, 0 or more; found {}.", short(value));
                problems.push(Problem::error("C07", at(step, "maxIterations"), message));
            }
            Some(0.0) => {
                let message = "maxIterations 0 means no limit: a mistake in the data or the condition could run for ever.";
                problems.push(Problem::warning("C08", at(step, "maxIterations"), message));
            }
            Some(_) => {}
        },
    }
    if let Some(value) = written(config, "delayBetweenIterationsMs")
        && value.as_number().is_none_or(|number| number < 0.0)
    {
        let message = format!("delayBetweenIterationsMs must be a number, 0 or more; found {}.", short(value));
        problems.push(Problem::error("C09", at(step, "delayBetweenIterationsMs"), message));
    }
    if let Some(value) = written(config, "continueOnError")
        && value.as_bool().is_none()
    {
        let message = format!("continueOnError is true or false; {} counts as false.", short(value));
        problems.push(Problem::warning("C14", at(step, "continueOnError"), message).with_fix(fix(
            step,
            "Set to true",
            "continueOnError",
            Some(true.into()),
        )));
    }
    let name = |key: &str| written(config, key).and_then(Value::as_str);
    for (key, is_index) in [("itemVariable", false), ("indexVariable", true)] {
        let Some(value) = written(config, key) else { continue };
        let trouble = match value.as_str() {
            Some(name) => variable_name_problem(name, is_index),
            None => Some(format!("{key} must be text; found {}.", short(value))),
        };
        if let Some(message) = trouble {
            problems.push(Problem::error("C11", at(step, key), message));
        }
    }
    if let (Some(item), Some(index)) = (name("itemVariable").or(Some("item")), name("indexVariable"))
        && item == index
        && kind == StepKind::ForEach
    {
        problems.push(Problem::error(
            "C12",
            at(step, "indexVariable"),
            format!("The item and the index are both named {item}; only the item could be read."),
        ));
    }
}

fn collection(step: StepRef<'_>, config: &Object, problems: &mut Vec<Problem>) {
    let Some(text) = written(config, "collectionPath").and_then(Value::as_str).filter(|text| !text.trim().is_empty()) else {
        problems.push(Problem::error(
            "C06",
            at(step, "collectionPath"),
            "collectionPath is required: where the list stands, e.g. payload.customers.",
        ));
        return;
    };
    let trimmed = text.trim();
    if trimmed.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("static:")) {
        let list = trimmed.get(7..).unwrap_or_default();
        if loopwright_lang::json::parse(list).value().is_none_or(|value| value.as_list().is_none()) {
            let message = "After static: a JSON list is expected, e.g. static:[1, 2, 3].";
            problems.push(Problem::error("C15", at(step, "collectionPath"), message));
        }
        return;
    }
    match loopwright_lang::path::parse(trimmed) {
        Err(problem) => {
            let message = format!(
                "collectionPath is a path, e.g. payload.customers; expressions and templates are not computed here. {}",
                problem.message
            );
            problems.push(Problem::error("C15", at(step, "collectionPath").span(problem.span), message));
        }
        Ok(path) => {
            let root = path.segments.first().map(|segment| &segment.key);
            if let Some(loopwright_lang::path::Key::Name(root)) = root
                && matches!(root.as_str(), "data" | "context")
                && path.segments.len() > 1
            {
                let message = format!("collectionPath looks into the payload only, so {trimmed} is read as payload.{trimmed}.");
                problems.push(Problem::warning("C20", at(step, "collectionPath"), message));
            }
        }
    }
}

fn parallel(step: StepRef<'_>, config: &Object, problems: &mut Vec<Problem>) {
    let mode = written(config, "executionMode");
    if let Some(value) = mode
        && !matches!(value.as_str(), Some("sequential" | "parallel"))
    {
        let meant = value.as_str().and_then(|found| nearest(found, ["sequential", "parallel"])).unwrap_or("sequential");
        let mend = fix(step, format!("Set to {meant}"), "executionMode", Some(meant.into()));
        let message = format!("executionMode must be sequential or parallel; found {}.", short(value));
        problems.push(Problem::error("C10", at(step, "executionMode"), message).with_fix(mend));
    }
    if let Some(value) = written(config, "maxConcurrency") {
        if value.as_number().is_none_or(|number| number < 1.0 || number.fract() != 0.0) {
            let message = format!("maxConcurrency must be a whole number, 1 or more; found {}.", short(value));
            problems.push(Problem::error("C21", at(step, "maxConcurrency"), message));
        } else if mode.and_then(Value::as_str) != Some("parallel") {
            let mend = fix(step, "Run in parallel", "executionMode", Some("parallel".into()));
            let message = "maxConcurrency has no effect while iterations run one at a time.";
            problems.push(Problem::warning("C22", at(step, "maxConcurrency"), message).with_fix(mend));
        }
    }
}

fn condition(step: StepRef<'_>, around: &[StepRef<'_>], config: &Object, problems: &mut Vec<Problem>) {
    let Some(text) = written(config, "condition").and_then(Value::as_str).filter(|text| !text.trim().is_empty()) else {
        let message = "condition is required: what must hold for another iteration, e.g. payload.status === \"running\".";
        problems.push(Problem::error("C06", at(step, "condition"), message));
        return;
    };
    super::mappings::while_condition(step, around, text, &at(step, "condition"), problems);
}
