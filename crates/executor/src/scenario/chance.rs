//! What a script leaves to the call: whether it fails, and how long it takes.

use loopwright_lang::{Scope, Semantics, Text, Value, expr};

use super::{Asked, script::key};
use crate::random::{Key, Purpose};

/// When something happens to a call.
#[derive(Clone, Debug)]
pub(super) enum Occasion {
    /// Always.
    Always,
    /// When a parameter equals a value.
    Param {
        /// Its name.
        param: Text,
        /// The value; `Undefined` where the parameter is to be absent.
        equals: Value,
    },
    /// When an expression holds.
    Expression(Box<expr::Parsed>),
    /// In these iterations of the innermost loop, from 0.
    Iterations(Vec<u64>),
    /// At every nth call.
    Every(u64),
    /// That often.
    Rate(f64),
}

impl Occasion {
    /// `{ param, equals }`, or an expression.
    pub(super) fn when(written: &Value) -> Option<Self> {
        match written {
            Value::Text(text) => Some(Self::Expression(Box::new(expr::parse(text)))),
            Value::Object(_) => match key(written, "expression") {
                Some(text) => Self::when(text),
                None => {
                    let param = key(written, "param").and_then(Value::as_str)?.into();
                    Some(Self::Param { param, equals: key(written, "equals").cloned().unwrap_or_default() })
                }
            },
            _ => None,
        }
    }

    /// The number, or the numbers, of iterations.
    pub(super) fn iterations(written: &Value) -> Option<Self> {
        let one = |value: &Value| value.as_number().filter(|number| *number >= 0.0).map(|number| number as u64);
        match written {
            Value::List(list) => Some(Self::Iterations(list.iter().filter_map(one).collect())),
            other => one(other).map(|number| Self::Iterations(vec![number])),
        }
    }

    pub(super) fn every(written: &Value) -> Option<Self> {
        written.as_number().filter(|number| *number >= 1.0).map(|number| Self::Every(number as u64))
    }

    pub(super) fn rate(written: &Value) -> Option<Self> {
        written.as_number().filter(|rate| *rate > 0.0).map(Self::Rate)
    }

    /// Whether it happens to this call; `Err` where that cannot be said.
    pub(super) fn comes(&self, asked: &Asked<'_>, seed: &str, purpose: Purpose) -> Result<bool, String> {
        Ok(match self {
            Self::Always => true,
            Self::Param { param, equals } => asked.params.get(param).unwrap_or(&Value::Undefined) == equals,
            Self::Expression(text) => expr::truthy(&evaluate(text, asked)?),
            Self::Iterations(numbers) => asked.path.last().is_some_and(|index| numbers.contains(index)),
            Self::Every(every) => (asked.number + 1).is_multiple_of(*every),
            Self::Rate(rate) => key_of(asked, seed, purpose).uniform() < *rate,
        })
    }
}

/// How long a call takes, in milliseconds as far as that is written in numbers.
#[derive(Clone, Debug)]
pub(super) enum Latency {
    /// Always the same, in microseconds.
    Fixed(u64),
    /// Anything between two bounds, each as likely.
    Uniform(f64, f64),
    /// Around a mean, within bounds.
    Normal { mean: f64, deviation: f64, min: f64, max: f64 },
    /// What an expression gives.
    Expression(Box<expr::Parsed>),
}

impl Latency {
    pub(super) fn read(written: Option<&Value>) -> Self {
        match written {
            Some(Value::Text(text)) => Self::Expression(Box::new(expr::parse(text))),
            Some(spread @ Value::Object(_)) => {
                let number = |name: &str| key(spread, name).and_then(Value::as_number);
                if let Some(Value::Text(text)) = key(spread, "expression") {
                    return Self::Expression(Box::new(expr::parse(text)));
                }
                let min = number("min");
                match number("mean") {
                    Some(mean) => Self::Normal {
                        mean,
                        deviation: number("sd").unwrap_or(0.0),
                        min: min.unwrap_or(0.0),
                        max: number("max").unwrap_or(f64::INFINITY),
                    },
                    None => Self::Uniform(min.unwrap_or(0.0), number("max").unwrap_or(0.0)),
                }
            }
            other => Self::Fixed(micros(other.and_then(Value::as_number).unwrap_or(0.0))),
        }
    }

    /// In microseconds.
    pub(super) fn draw(&self, asked: &Asked<'_>, seed: &str) -> Result<u64, String> {
        Ok(match self {
            Self::Fixed(us) => *us,
            Self::Uniform(min, max) => micros(min + (max - min).max(0.0) * key_of(asked, seed, Purpose::Latency).uniform()),
            Self::Normal { mean, deviation, min, max } => {
                let drawn = mean + deviation * key_of(asked, seed, Purpose::Latency).normal();
                micros(drawn.min(*max).max(*min))
            }
            Self::Expression(text) => match evaluate(text, asked)?.as_number() {
                Some(ms) => micros(ms),
                None => return Err("latencyMs is not a number of milliseconds".to_owned()),
            },
        })
    }
}

fn micros(ms: f64) -> u64 {
    crate::compile::micros(ms * 1_000.0)
}

fn key_of<'a>(asked: &Asked<'a>, seed: &'a str, purpose: Purpose) -> Key<'a> {
    Key { seed, step: asked.step, path: asked.path, attempt: asked.attempt, purpose }
}

/// What an expression of a script gives for a call.
pub(super) fn evaluate(text: &expr::Parsed, asked: &Asked<'_>) -> Result<Value, String> {
    let number = |number: u64| Value::Number(number as f64);
    let scope = Scope {
        payload: Some(asked.payload.clone()),
        names: vec![
            ("params".into(), asked.params.clone()),
            ("call".into(), number(asked.number + 1)),
            ("index".into(), asked.path.last().map_or(Value::Undefined, |index| number(*index))),
            ("attempt".into(), number(u64::from(asked.attempt))),
        ],
        ..Scope::default()
    };
    let semantics = Semantics::of(loopwright_lang::Profile::Documented);
    text.evaluate(&scope, &semantics).map_err(|error| format!("An expression of the scenario cannot be evaluated: {}", error.message))
}
