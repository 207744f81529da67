//! One golden case: reading it, and comparing what came out with what was expected.

use loopwright_lang::{Profile, Value, json};

pub use crate::golden::Outcome;
use crate::golden::compare::Comparison;

/// One line of a golden file.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name, e.g. `DL001`.
    pub id: String,
    /// The kind of case: its file's name without the ending.
    pub kind: String,
    /// Whose rules.
    pub profile: Profile,
    /// The line itself, for what has places in it.
    pub line: String,
    /// The rest: `input`, `expected` and what else there is.
    pub value: Value,
}

impl Case {
    /// Reads a line. `Err` says why it is no case.
    pub fn read(line: &str, kind: &str, folder_profile: Profile) -> Result<Self, String> {
        let parsed = json::parse(line);
        let Some(value) = parsed.value() else {
            return Err(parsed.problems.first().map_or_else(|| "not JSON".to_owned(), |problem| problem.message.clone()));
        };
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let profile = text("profile").and_then(|name| Profile::from_name(&name)).unwrap_or(folder_profile);
        Ok(Self {
            id: text("id").or_else(|| text("name")).unwrap_or_default(),
            line: line.to_owned(),
            kind: kind.to_owned(),
            profile,
            value,
        })
    }

    /// A part of the input.
    pub fn input(&self, key: &str) -> Option<&Value> {
        self.value.get("input")?.get(key)
    }

    /// A part of what is expected.
    pub fn expected(&self, key: &str) -> Option<&Value> {
        self.value.get("expected")?.get(key)
    }

    /// Whether the case needs a JavaScript host.
    pub fn is_host_specific(&self) -> bool {
        self.value.get("hostSpecific").is_some_and(|value| value.as_bool() != Some(false) && !value.is_nullish())
    }
}

/// Passed when there is no difference.
pub fn outcome_of(differences: Vec<String>) -> Outcome {
    if differences.is_empty() { Outcome::Passed } else { Outcome::Failed(differences.join("\n")) }
}

/// Turns the encodings of values that JSON does not have into the values: `{"$undefined":true}`, `{"$number":"NaN"}`.
pub fn decode(value: &Value) -> Value {
    match value {
        Value::List(list) => Value::list(list.iter().map(decode)),
        Value::Object(object) => {
            if object.len() == 1 {
                if object.contains_key("$undefined") {
                    return Value::Undefined;
                }
                if let Some(name) = object.get("$number").and_then(Value::as_str) {
                    let number = match name {
                        "Infinity" => f64::INFINITY,
                        "-Infinity" => f64::NEG_INFINITY,
                        "-0" => -0.0,
                        _ => f64::NAN,
                    };
                    return Value::Number(number);
                }
            }
            Value::object(object.iter().map(|(key, value)| (key.clone(), decode(value))))
        }
        other => other.clone(),
    }
}

/// Adds a difference when two values are not the same (key order is free).
pub fn compare(what: &str, found: &Value, expected: &Value, differences: &mut Vec<String>) {
    if found != expected {
        differences.push(format!("{what}: found {}\n  expected {}", json::print_compact(found), json::print_compact(expected)));
    }
}

/// Whether two error texts agree: the engine's own by their beginning; of others it is enough that there is one.
pub fn messages_agree(found: &str, expected: &str) -> bool {
    let mut comparison = Comparison::default();
    comparison.message("", expected, found);
    comparison.differences.is_empty()
}
