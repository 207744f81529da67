//! A Refine step's Configuration: rounds of an attempt and a check (flow-agents.md, "Refine").

use loopwright_lang::{Object, Text, Value, json::print_compact, mapping::OutputMapping};
use loopwright_model::{StepKind, StepRef};

use super::{CalleeKind, Compiled, LoopConfig, LoopKind, LoopSpec, SpecOrigin, Task, output_mapping};
use crate::texts::{Condition, Input, column_object};

/// What a Refine step does in each round, and with what came out.
#[derive(Debug)]
pub struct Refine {
    /// Judges a round's candidate.
    pub check: Check,
    /// Where a candidate's score is; the best one is then the step's result.
    pub score: Option<Text>,
    /// So many rounds that gain less than this end it.
    pub plateau: Option<(usize, f64)>,
    /// Where the result goes.
    pub output: Option<OutputMapping>,
}

/// How a candidate is judged.
#[derive(Debug)]
pub enum Check {
    /// By a call that answers a verdict.
    Body(Box<Task>),
    /// By an expression; and what is said to the next round.
    Expression {
        /// It holds of a candidate that is accepted.
        holds: Condition,
        /// A text with `{{ }}` parts.
        feedback: Text,
    },
}

const BODIES: [(&str, StepKind); 3] = [("action", StepKind::Action), ("subAgent", StepKind::SubAgent), ("prompt", StepKind::Prompt)];

impl Compiled {
    /// Reads a Refine step.
    pub(super) fn refine(
        &mut self,
        step: StepRef<'_>,
        number: u32,
        scripted: &dyn Fn(CalleeKind, &str) -> bool,
    ) -> Result<LoopSpec, String> {
        let Some(written) = column_object(step.field("Configuration"), "Configuration")? else {
            return Err("The step has no Configuration".to_owned());
        };
        let present = |value: &Value, name: &str| value.get(name).filter(|value| !value.is_nullish()).cloned();
        if let Some(other) = present(&written, "type").filter(|found| found.as_str() != Some("Refine")) {
            return Err(format!("Configuration is of type {}", print_compact(&other)));
        }
        let rounds = match present(&written, "maxRounds").as_ref().map(|value| (value, value.as_number())) {
            Some((_, Some(rounds))) if rounds >= 1.0 && rounds.fract() == 0.0 && rounds <= loopwright_lang::limits::ITERATIONS as f64 => {
                rounds as u64
            }
            Some((other, _)) => return Err(format!("maxRounds must be a whole number, at least 1: {}", print_compact(other))),
            None => return Err("maxRounds is required".to_owned()),
        };
        let attempt = present(&written, "attempt").ok_or("attempt is required")?;
        let mut task = self.refine_body(step, &attempt, "attempt", scripted)?;
        let check = present(&written, "check").ok_or("check is required")?;
        let check = match check.get("expression").and_then(Value::as_str).filter(|text| !text.trim().is_empty()) {
            Some(expression) => {
                let feedback = check.get("feedback").and_then(Value::as_str).unwrap_or_default().into();
                Check::Expression { holds: Condition::new(expression), feedback }
            }
            None => Check::Body(Box::new(self.refine_body(step, &check, "check", scripted)?)),
        };
        let keep = present(&written, "keepBest");
        let score = match keep.as_ref().map(|keep| keep.get("score")) {
            None => None,
            Some(Some(Value::Text(path))) if !path.trim().is_empty() => Some(path.clone()),
            Some(_) => return Err("keepBest.score must be a path such as result.score".to_owned()),
        };
        let plateau = match present(&written, "plateau") {
            None => None,
            Some(plateau) => {
                let number = |name: &str| plateau.get(name).and_then(Value::as_number);
                match (number("rounds"), score.is_some()) {
                    (_, false) => return Err("plateau needs keepBest.score".to_owned()),
                    (Some(rounds), true) if rounds >= 1.0 && rounds.fract() == 0.0 => {
                        Some((rounds as usize, number("minGain").unwrap_or(0.0)))
                    }
                    _ => return Err("plateau.rounds must be a whole number, at least 1".to_owned()),
                }
            }
        };
        let delay = match present(&written, "delayBetweenIterationsMs").as_ref().map(|value| (value, value.as_number())) {
            None => 0,
            Some((_, Some(delay))) if delay >= 0.0 && delay.fract() == 0.0 => super::micros(delay * 1_000.0),
            Some((other, _)) => {
                return Err(format!("delayBetweenIterationsMs must be a whole number, at least 0: {}", print_compact(other)));
            }
        };
        task.output = None;
        let config = LoopConfig {
            kind: LoopKind::Refine,
            collection: None,
            condition: None,
            item_variable: "round".to_owned(),
            index_variable: None,
            limit: Some(rounds),
            continue_on_error: false,
            delay,
            batch: None,
            warnings: Vec::new(),
        };
        let output = output_mapping(step.field("ActionOutputMapping"), None)?;
        let refine = Some(Box::new(Refine { check, score, plateau, output }));
        Ok(LoopSpec { config, task, origin: SpecOrigin::Step(number), differs: Vec::new(), refine })
    }

    /// `{ "action" | "subAgent" | "prompt": NAME, "params": { … }, "message": "…" }`.
    fn refine_body(
        &mut self,
        step: StepRef<'_>,
        written: &Value,
        what: &str,
        scripted: &dyn Fn(CalleeKind, &str) -> bool,
    ) -> Result<Task, String> {
        let named: Vec<(&str, StepKind)> = BODIES
            .iter()
            .filter_map(|(key, kind)| Some((written.get(key)?.as_str().filter(|name| !name.trim().is_empty())?, *kind)))
            .collect();
        let [(name, kind)] = named.as_slice() else {
            return Err(format!("{what} needs exactly one of action, subAgent and prompt"));
        };
        let body = self.body_named(step, name, *kind, scripted)?;
        let input = Input::new(written.get("params"))?;
        let message = written.get("message").and_then(Value::as_str).filter(|text| !text.trim().is_empty()).map(Text::from);
        Ok(Task { input, message, ..Task::of(body, *kind == StepKind::Action) })
    }
}

/// Reads a verdict; `Err` is what a step fails with that got none.
pub fn verdict(answer: &Value) -> Result<Option<Text>, String> {
    match (answer.get("done"), answer.get("feedback")) {
        (Some(Value::Bool(true)), _) => Ok(None),
        (Some(Value::Bool(false)), Some(Value::Text(feedback))) => Ok(Some(feedback.clone())),
        _ => Err(format!(
            "The check must answer {{ \"done\": true }} or {{ \"done\": false, \"feedback\": \"…\" }}: {}",
            print_compact(answer)
        )),
    }
}

/// What a round leaves in the results.
pub fn round_record(candidate: &Value, feedback: Option<&Text>) -> Value {
    let mut fields: Object = [("output", candidate.clone()), ("done", Value::Bool(feedback.is_none()))].into_iter().collect();
    if let Some(feedback) = feedback {
        fields.insert("feedback", Value::Text(feedback.clone()));
    }
    Value::Object(fields)
}
