//! One scripted answer of a scenario, as its form shows it. What the form does not know is kept.
//!
//! A script is an object: `outputs` or `result` (prompts: `response`), `latencyMs` (a number, or `{ "min", "max" }`), and
//! how it goes wrong: `throw`, `throwWhen` with `throwMessage`, `Success` false or `failWhen` with `Message` (prompts:
//! `error`). A list of scripts answers call by call; the last one repeats.

use loopwright_lang::{Object, Value};

/// How a call ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// It answers.
    #[default]
    Answers,
    /// It answers that it failed.
    Fails,
    /// It does not answer: an error is thrown.
    Throws,
}

/// A script, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// How the call ends.
    pub ending: Ending,
    /// Only when this parameter equals this value.
    pub when: Option<(String, Value)>,
    /// What the failure says.
    pub message: String,
    /// Least and most time in milliseconds; equal when it is fixed; `None` when it is not said, or not in numbers.
    pub latency: Option<(f64, f64)>,
    /// The key its answer stands under.
    pub answer_key: &'static str,
    /// The answer.
    pub answer: Option<Value>,
}

/// What is called: decides the names of the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// An action, whose named outputs are known or not.
    Action,
    /// A prompt.
    Prompt,
    /// A scripted agent.
    Agent,
}

/// The scripts of a callee, call by call; one that is no list is the only one.
pub fn calls(scripts: Option<&Value>) -> Vec<Value> {
    match scripts {
        None | Some(Value::Undefined | Value::Null) => Vec::new(),
        Some(Value::List(list)) => list.iter().cloned().collect(),
        Some(one) => vec![one.clone()],
    }
}

/// The same scripts as they are kept: one alone without a list, none as nothing.
pub fn kept(mut calls: Vec<Value>) -> Option<Value> {
    match calls.len() {
        0 => None,
        1 => calls.pop(),
        _ => Some(Value::list(calls)),
    }
}

/// Reads one script.
pub fn read(script: &Value, callee: Callee) -> Script {
    let text = |key: &str| script.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let when = |key: &str| {
        let when = script.get(key)?;
        Some((when.get("param").and_then(Value::as_str)?.to_owned(), when.get("equals").cloned().unwrap_or_default()))
    };
    let (ending, when, message) = if script.get("throw").is_some_and(|thrown| !matches!(thrown, Value::Bool(false) | Value::Null)) {
        (Ending::Throws, None, first(text("throw"), text("throwMessage")))
    } else if let Some(when) = when("throwWhen") {
        (Ending::Throws, Some(when), text("throwMessage"))
    } else if script.get("error").is_some() && callee == Callee::Prompt {
        (Ending::Fails, None, text("error"))
    } else if script.get("Success").and_then(Value::as_bool) == Some(false) {
        (Ending::Fails, None, text("Message"))
    } else if let Some(when) = when("failWhen") {
        (Ending::Fails, Some(when), text("Message"))
    } else {
        (Ending::Answers, None, String::new())
    };
    let latency = match script.get("latencyMs") {
        Some(Value::Object(spread)) => spread.get("min").and_then(Value::as_number).zip(spread.get("max").and_then(Value::as_number)),
        Some(fixed) => fixed.as_number().map(|fixed| (fixed, fixed)),
        None => None,
    };
    let keys: &[&'static str] = match callee {
        Callee::Action => &["outputs", "result"],
        Callee::Prompt => &["response", "raw"],
        Callee::Agent => &["result", "payload", "outputs"],
    };
    let answer_key = keys.iter().find(|key| script.get(key).is_some()).or(keys.first()).copied().unwrap_or("outputs");
    Script { ending, when, message, latency, answer_key, answer: script.get(answer_key).cloned() }
}

fn first(a: String, b: String) -> String {
    if a.is_empty() { b } else { a }
}

/// A script with another answer.
pub fn with_answer(script: &Value, key: &str, answer: Option<Value>) -> Value {
    with(script, |object| match answer {
        Some(answer) => {
            object.insert(key, answer);
        }
        None => {
            object.remove(key);
        }
    })
}

/// A script that takes another time.
pub fn with_latency(script: &Value, latency: Option<(f64, f64)>) -> Value {
    with(script, |object| match latency {
        None => {
            object.remove("latencyMs");
        }
        Some((min, max)) if min == max => {
            object.insert("latencyMs", Value::Number(min));
        }
        Some((min, max)) => {
            object.insert("latencyMs", Value::object([("min", Value::Number(min)), ("max", Value::Number(max))]));
        }
    })
}

/// A script that ends another way.
pub fn with_ending(script: &Value, callee: Callee, ending: Ending, when: Option<(String, Value)>, message: &str) -> Value {
    with(script, |object| {
        for key in ["throw", "throwWhen", "throwMessage", "failWhen", "Success", "Message"] {
            object.remove(key);
        }
        if callee == Callee::Prompt {
            object.remove("error");
        }
        let condition = when.map(|(param, equals)| Value::object([("param", Value::text(param)), ("equals", equals)]));
        match (ending, condition) {
            (Ending::Answers, _) => {}
            (Ending::Fails, _) if callee == Callee::Prompt => {
                object.insert("error", Value::text(message));
            }
            (Ending::Fails, None) => {
                object.insert("Success", Value::Bool(false));
                object.insert("Message", Value::text(message));
            }
            (Ending::Fails, Some(when)) => {
                object.insert("failWhen", when);
                object.insert("Message", Value::text(message));
            }
            (Ending::Throws, None) => {
                object.insert("throw", Value::text(message));
            }
            (Ending::Throws, Some(when)) => {
                object.insert("throwWhen", when);
                object.insert("throwMessage", Value::text(message));
            }
        }
    })
}

fn with(script: &Value, change: impl FnOnce(&mut Object)) -> Value {
    let mut object = script.as_object().cloned().unwrap_or_default();
    change(&mut object);
    Value::Object(object)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn value(text: &str) -> Value {
        loopwright_lang::json::parse(text).value().unwrap()
    }

    #[test]
    fn what_the_form_shows_is_what_the_script_says() {
        for (text, ending, message, latency) in [
            (r#"{"outputs":{"a":1},"latencyMs":900}"#, Ending::Answers, "", Some((900.0, 900.0))),
            (
                r#"{"throwWhen":{"param":"to","equals":"x"},"throwMessage":"550","latencyMs":{"min":1,"max":2}}"#,
                Ending::Throws,
                "550",
                Some((1.0, 2.0)),
            ),
            (r#"{"throw":"down"}"#, Ending::Throws, "down", None),
            (r#"{"Success":false,"Message":"no"}"#, Ending::Fails, "no", None),
        ] {
            let script = read(&value(text), Callee::Action);
            assert_eq!((script.ending, script.message.as_str(), script.latency), (ending, message, latency), "{text}");
        }
    }

    #[test]
    fn a_change_in_the_form_keeps_what_the_form_does_not_know() {
        let script = value(r#"{"outputs":{},"countAs":"n","throw":"x"}"#);
        let mended = with_ending(&script, Callee::Action, Ending::Answers, None, "");
        assert_eq!(mended, value(r#"{"outputs":{},"countAs":"n"}"#));
        let slow = with_latency(&mended, Some((5.0, 9.0)));
        assert_eq!(read(&slow, Callee::Action).latency, Some((5.0, 9.0)));
        assert!(slow.get("countAs").is_some());
    }

    #[test]
    fn an_ending_that_is_written_is_read_again() {
        for callee in [Callee::Action, Callee::Prompt, Callee::Agent] {
            for ending in [Ending::Answers, Ending::Fails, Ending::Throws] {
                let script = with_ending(&Value::Undefined, callee, ending, None, "why");
                assert_eq!(read(&script, callee).ending, ending, "{callee:?}");
            }
        }
    }

    #[test]
    fn one_script_is_kept_without_a_list() {
        assert_eq!(kept(calls(Some(&value("[{}]")))), Some(value("{}")));
        assert_eq!(kept(calls(None)), None);
        assert_eq!(kept(calls(Some(&value("[{},{\"a\":1}]")))), Some(value("[{},{\"a\":1}]")));
    }
}
