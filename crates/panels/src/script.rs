//! One scripted answer of a scenario, as its form shows it. What the form does not know is kept.
//!
//! An action's script is an object: `outputs`, `latencyMs` (a number, or `{ "min", "max" }`), and how it goes wrong: `throw`,
//! `throwWhen` with `throwMessage`, `success` false or `failWhen` with `message`. A prompt's is the answer itself, or
//! `{ response | raw | error, latencyMs }`. An agent's is `{ "results": [ { payload, throw, success, message, latencyMs } ] }`.
//! A list of scripts answers call by call; the last one repeats. The first letter of a key may have either case.

use loopwright_lang::{Object, Value};

/// How a call ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// It answers.
    #[default]
    Answers,
    /// It answers that it failed (an action or an agent).
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
    /// An action.
    Action,
    /// A prompt.
    Prompt,
    /// A scripted agent.
    Agent,
}

/// Where an agent's scripts stand.
const RESULTS: &str = "results";

/// The keys that make a prompt's script more than the answer itself, and those that may stand beside them.
const ANSWERS: [&str; 5] = ["response", "raw", "error", "expression", "byIteration"];
const BESIDE: [&str; 7] = ["latencyMs", "failWhen", "failIterations", "failEvery", "failRate", "failMessage", "malformed"];

/// The scripts of a callee, call by call; one that is no list is the only one.
pub fn calls(scripts: Option<&Value>, callee: Callee) -> Vec<Value> {
    let scripts = match (scripts, callee) {
        (Some(agent), Callee::Agent) => key(agent, RESULTS),
        (other, _) => other,
    };
    match scripts {
        None | Some(Value::Undefined | Value::Null) => Vec::new(),
        Some(Value::List(list)) => list.iter().cloned().collect(),
        Some(one) => vec![one.clone()],
    }
}

/// The same scripts as they are kept: one alone without a list, none as nothing. `before` is what was kept before.
pub fn kept(before: Option<&Value>, mut calls: Vec<Value>, callee: Callee) -> Option<Value> {
    if callee == Callee::Agent {
        let mut agent = before.and_then(Value::as_object).cloned().unwrap_or_default();
        if calls.is_empty() {
            agent.remove(RESULTS);
        } else {
            agent.insert(RESULTS, Value::list(calls));
        }
        return (!agent.is_empty()).then_some(Value::Object(agent));
    }
    match calls.len() {
        0 => None,
        1 => calls.pop(),
        _ => Some(Value::list(calls)),
    }
}

/// A key whose first letter may have either case.
fn key<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    let object = value.as_object()?;
    object.get(name).or_else(|| object.iter().find(|(own, _)| same_key(own, name)).map(|(_, value)| value))
}

fn same_key(own: &str, name: &str) -> bool {
    let split = |text: &str| {
        text.chars().next().map(|first| (first.to_ascii_lowercase(), text.get(first.len_utf8()..).unwrap_or_default().to_owned()))
    };
    split(own) == split(name)
}

/// Whether a prompt's script is the answer itself.
fn is_bare(script: &Value) -> bool {
    !script.as_object().is_some_and(|object| {
        object.keys().all(|name| ANSWERS.iter().chain(&BESIDE).any(|known| same_key(name, known)))
            && object.keys().any(|name| ANSWERS.iter().any(|known| same_key(name, known)))
    })
}

/// Reads one script.
pub fn read(script: &Value, callee: Callee) -> Script {
    if callee == Callee::Prompt && is_bare(script) {
        let answer = (!script.is_nullish()).then(|| script.clone());
        return Script { answer_key: "response", answer, ..Script::default() };
    }
    let text = |name: &str| key(script, name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let when = |name: &str| {
        let when = key(script, name)?;
        Some((key(when, "param").and_then(Value::as_str)?.to_owned(), key(when, "equals").cloned().unwrap_or_default()))
    };
    let thrown =
        |name: &str| key(script, name).is_some_and(|thrown| !matches!(thrown, Value::Bool(false) | Value::Null | Value::Undefined));
    let (ending, when, message) = if thrown("throw") {
        (Ending::Throws, None, first(text("throw"), text("throwMessage")))
    } else if thrown("error") && callee != Callee::Action {
        (Ending::Throws, None, text("error"))
    } else if let Some(when) = when("throwWhen") {
        (Ending::Throws, Some(when), text("throwMessage"))
    } else if key(script, "success").and_then(Value::as_bool) == Some(false) {
        (Ending::Fails, None, first(text("message"), text("errorMessage")))
    } else if let Some(when) = when("failWhen") {
        (Ending::Fails, Some(when), text("message"))
    } else {
        (Ending::Answers, None, String::new())
    };
    let latency = match key(script, "latencyMs") {
        Some(spread @ Value::Object(_)) => key(spread, "min").and_then(Value::as_number).zip(key(spread, "max").and_then(Value::as_number)),
        Some(fixed) => fixed.as_number().map(|fixed| (fixed, fixed)),
        None => None,
    };
    let answer_key = match callee {
        Callee::Action => "outputs",
        Callee::Agent => "payload",
        Callee::Prompt if key(script, "raw").is_some() => "raw",
        Callee::Prompt => "response",
    };
    Script { ending, when, message, latency, answer_key, answer: key(script, answer_key).cloned() }
}

fn first(a: String, b: String) -> String {
    if a.is_empty() { b } else { a }
}

/// A script with another answer.
pub fn with_answer(script: &Value, callee: Callee, answer: Option<Value>) -> Value {
    if callee == Callee::Prompt && is_bare(script) {
        return answer.unwrap_or_else(|| Value::object::<&str>([]));
    }
    let name = read(script, callee).answer_key;
    with(script, callee, |object| set(object, name, answer))
}

/// A script that takes another time.
pub fn with_latency(script: &Value, callee: Callee, latency: Option<(f64, f64)>) -> Value {
    let value = latency.map(|(min, max)| {
        if min == max { Value::Number(min) } else { Value::object([("min", Value::Number(min)), ("max", Value::Number(max))]) }
    });
    with(script, callee, |object| set(object, "latencyMs", value))
}

/// A script that ends another way.
pub fn with_ending(script: &Value, callee: Callee, ending: Ending, when: Option<(String, Value)>, message: &str) -> Value {
    with(script, callee, |object| {
        for name in ["throw", "throwWhen", "throwMessage", "failWhen", "success", "message", "errorMessage"] {
            set(object, name, None);
        }
        if callee != Callee::Action {
            set(object, "error", None);
        }
        let condition = when.map(|(param, equals)| Value::object([("param", Value::text(param)), ("equals", equals)]));
        let message = Some(Value::text(message));
        match (ending, condition) {
            (Ending::Answers, _) => {}
            (_, _) if callee == Callee::Prompt => set(object, "error", message),
            (Ending::Fails, None) => {
                set(object, "success", Some(Value::Bool(false)));
                set(object, "message", message);
            }
            (Ending::Fails, Some(when)) => {
                set(object, "failWhen", Some(when));
                set(object, "message", message);
            }
            (Ending::Throws, None) => set(object, "throw", message),
            (Ending::Throws, Some(when)) => {
                set(object, "throwWhen", Some(when));
                set(object, "throwMessage", message);
            }
        }
    })
}

/// Sets a key in whichever case it stands, or takes it away.
fn set(object: &mut Object, name: &str, value: Option<Value>) {
    let own = object.keys().find(|own| same_key(own, name)).map_or_else(|| name.to_owned(), |own| own.as_str().to_owned());
    match value {
        Some(value) => {
            object.insert(own, value);
        }
        None => {
            object.remove(&own);
        }
    }
}

fn with(script: &Value, callee: Callee, change: impl FnOnce(&mut Object)) -> Value {
    // A prompt's answer that stands alone gets its wrapping once there is more to say.
    let mut object = if callee == Callee::Prompt && is_bare(script) {
        Object::from_iter((!script.is_nullish()).then(|| ("response", script.clone())))
    } else {
        script.as_object().cloned().unwrap_or_default()
    };
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
        let script = value(r#"{"Outputs":{},"countAs":"n","Throw":"x"}"#);
        let mended = with_ending(&script, Callee::Action, Ending::Answers, None, "");
        assert_eq!(mended, value(r#"{"Outputs":{},"countAs":"n"}"#));
        let slow = with_answer(&with_latency(&mended, Callee::Action, Some((5.0, 9.0))), Callee::Action, Some(value("[1]")));
        assert_eq!(slow, value(r#"{"Outputs":[1],"countAs":"n","latencyMs":{"min":5,"max":9}}"#));
    }

    #[test]
    fn an_ending_that_is_written_is_read_again() {
        for (callee, ending) in [
            (Callee::Action, Ending::Answers),
            (Callee::Action, Ending::Fails),
            (Callee::Action, Ending::Throws),
            (Callee::Prompt, Ending::Answers),
            (Callee::Prompt, Ending::Throws),
            (Callee::Agent, Ending::Fails),
            (Callee::Agent, Ending::Throws),
        ] {
            let script = with_ending(&value(r#"{"response":1}"#), callee, ending, None, "why");
            assert_eq!(read(&script, callee).ending, ending, "{callee:?}");
        }
    }

    #[test]
    fn a_prompts_answer_stands_alone_until_there_is_more_to_say() {
        let bare = value(r#"{"summary":"x"}"#);
        assert_eq!(read(&bare, Callee::Prompt).answer, Some(bare.clone()));
        let slow = with_latency(&bare, Callee::Prompt, Some((5.0, 5.0)));
        assert_eq!(slow, value(r#"{"response":{"summary":"x"},"latencyMs":5}"#));
        assert_eq!(with_answer(&bare, Callee::Prompt, Some(value("{}"))), value("{}"));
    }

    #[test]
    fn one_script_is_kept_without_a_list_and_agents_keep_their_turns() {
        let list = value("[{}]");
        assert_eq!(kept(Some(&list), calls(Some(&list), Callee::Action), Callee::Action), Some(value("{}")));
        assert_eq!(kept(None, Vec::new(), Callee::Action), None);
        let agent = value(r#"{"turns":[1],"results":[{"payload":{}}]}"#);
        assert_eq!(calls(Some(&agent), Callee::Agent), vec![value(r#"{"payload":{}}"#)]);
        assert_eq!(kept(Some(&agent), Vec::new(), Callee::Agent), Some(value(r#"{"turns":[1]}"#)));
    }
}
