//! Comparing as values, with the freedom the cases allow for the engine's own words.

use loopwright_lang::{Value, json::print_compact};

/// How the engine's own messages begin; of these only the beginning is compared.
const BEGINNINGS: [&str; 38] = [
    "Action name is ambiguous",
    "Action not found",
    "ActionInputMapping is not",
    "ActionOutputMapping is not",
    "Cannot write",
    "Collection path did not resolve to an array",
    "collectionPath is required",
    "Condition cannot be evaluated",
    "condition is required",
    "Configuration is not JSON",
    "Configuration is not a JSON object",
    "Configuration is of type",
    "Exactly one of action and subAgent is needed",
    "executionMode must be sequential or parallel",
    "Loops are nested more than 5 levels deep",
    "maxIterations must be a whole number",
    "maxConcurrency must be a whole number",
    "delayBetweenIterationsMs must be",
    "nextStep.",
    "No action selected",
    "No active starting step",
    "No prompt selected",
    "No sub-agent selected",
    "Not a variable name",
    "Output target",
    "Prompt not found",
    "Step type cannot be run",
    "Stopped after",
    "Sub-agent not found",
    "Sub-agent name is ambiguous",
    "taskComplete must be true or false",
    "The answer is not a JSON object",
    "The loop has no body",
    "The step has no Configuration",
    "Timed out after",
    "TimeoutSeconds must be",
    "Agent name is ambiguous",
    "Agent not found",
];

/// Compares; collects where two values differ.
#[derive(Debug, Default)]
pub struct Comparison {
    /// The differences.
    pub differences: Vec<String>,
    /// Texts of the case itself, which are compared exactly.
    pub scripted: String,
}

impl Comparison {
    /// Compares two values.
    pub fn values(&mut self, place: &str, expected: &Value, actual: &Value) {
        if self.differences.len() > 20 {
            return;
        }
        if is_undefined(expected) && actual.is_undefined() {
            return;
        }
        match (expected, actual) {
            (Value::Object(wanted), Value::Object(found)) => {
                for (key, value) in wanted.iter() {
                    let own = found.get(key).cloned().unwrap_or_default();
                    let is_message = matches!(key.as_str(), "errorMessage" | "message");
                    match (is_message, value.as_str(), own.as_str()) {
                        (true, Some(wanted), Some(found)) => self.message(&format!("{place}.{key}"), wanted, found),
                        _ => self.values(&format!("{place}.{key}"), value, &own),
                    }
                }
                for (key, value) in found.iter() {
                    if !wanted.contains_key(key) && !value.is_undefined() {
                        self.differ(&format!("{place}.{key}"), "nothing", &print_compact(value));
                    }
                }
            }
            (Value::List(wanted), Value::List(found)) => {
                if wanted.len() != found.len() {
                    self.differ(place, &print_compact(expected), &print_compact(actual));
                    return;
                }
                for (at, (wanted, found)) in wanted.iter().zip(found.iter()).enumerate() {
                    self.values(&format!("{place}[{at}]"), wanted, found);
                }
            }
            _ if expected == actual => {}
            _ => self.differ(place, &print_compact(expected), &shown(actual)),
        }
    }

    /// Compares two error messages.
    pub fn message(&mut self, place: &str, expected: &str, actual: &str) {
        if expected == actual {
            return;
        }
        let own = BEGINNINGS.iter().find(|beginning| expected.starts_with(**beginning));
        let agrees = match own {
            Some(beginning) => actual.starts_with(beginning),
            None => !self.scripted.contains(expected),
        };
        if !agrees {
            self.differ(place, expected, actual);
        }
    }

    /// Notes a difference.
    pub fn differ(&mut self, place: &str, expected: &str, actual: &str) {
        let cut = |text: &str| text.chars().take(300).collect::<String>();
        self.differences.push(format!("{place}: expected {} and found {}", cut(expected), cut(actual)));
    }
}

fn is_undefined(value: &Value) -> bool {
    value.is_undefined() || value.get("$undefined").and_then(Value::as_bool) == Some(true)
}

fn shown(value: &Value) -> String {
    if value.is_undefined() { "undefined".to_owned() } else { print_compact(value) }
}
