//! Steps as the released runtime reads them (runtime sections 2 and 5): other messages, other defaults, coerced numbers.

use std::sync::Arc;

use loopwright_lang::{Text, Value, mapping::OutputMapping};
use loopwright_model::{StepKind, StepRef, catalogue::Referent};

use super::{Body, CalleeKind, Collection, Compiled, LoopConfig, LoopKind, LoopSpec, SpecOrigin, Task, Work, text_field};
use crate::texts::{Condition, Input};

/// Why a step cannot run: the step fails, or the whole run breaks off.
#[derive(Debug)]
pub(super) enum Cannot {
    Step(String),
    Run(String),
}

impl Compiled {
    /// What a step does.
    pub(super) fn released_work(
        &mut self,
        step: StepRef<'_>,
        number: u32,
        scripted: &dyn Fn(CalleeKind, &str) -> bool,
    ) -> Result<Work, Cannot> {
        let name = step.name();
        let kind = step.kind();
        match kind {
            StepKind::Action | StepKind::Prompt | StepKind::SubAgent => {
                let body = self.body(step.referent(), kind, scripted).map_err(|_| {
                    Cannot::Step(match (kind, step.referent()) {
                        (StepKind::Action, Referent::None) => format!("Action step '{name}' has no ActionID"),
                        (StepKind::Action, _) => format!("Action not found for step '{name}'"),
                        (StepKind::Prompt, Referent::None) => format!("Prompt step '{name}' has no PromptID"),
                        (StepKind::Prompt, _) => format!("Prompt not found for step '{name}'"),
                        _ => format!("Sub-Agent not found for step '{name}'"),
                    })
                })?;
                let is_action = kind == StepKind::Action;
                let input = step.field("ActionInputMapping").filter(|_| is_action).and_then(Input::released);
                let output =
                    step.field("ActionOutputMapping").filter(|_| is_action).and_then(|column| OutputMapping::parse(column, None).ok());
                let message = text_field(step.entity, &["Description"]).unwrap_or_else(|| "".into());
                Ok(Work::Plain(Arc::new(Task { body, input, output, message: Some(message), context: None, is_action })))
            }
            StepKind::ForEach | StepKind::While => self.released_loop(step, number, scripted).map(|spec| Work::Loop(Arc::new(spec))),
            StepKind::Refine | StepKind::Unknown => Err(Cannot::Step(format!("Unknown step type: {}", step.step_type()))),
        }
    }

    fn released_loop(&mut self, step: StepRef<'_>, number: u32, scripted: &dyn Fn(CalleeKind, &str) -> bool) -> Result<LoopSpec, Cannot> {
        let kind = if step.kind() == StepKind::While { LoopKind::While } else { LoopKind::ForEach };
        let label = kind.name();
        let written = match step.field("Configuration") {
            None | Some(Value::Null | Value::Undefined) => {
                return Err(Cannot::Step(format!("{label} step '{}' has no Configuration", step.name())));
            }
            Some(Value::Text(text)) if text.is_empty() => {
                return Err(Cannot::Step(format!("{label} step '{}' has no Configuration", step.name())));
            }
            Some(Value::Text(text)) => {
                loopwright_lang::json::parse(text).value().ok_or_else(|| Cannot::Run("Configuration is not JSON".to_owned()))?
            }
            Some(value) => value.clone(),
        };
        let body_kind = step.body_kind();
        let said = |referent: Referent<'_>| match referent {
            Referent::Unknown(name) => name.to_owned(),
            _ => String::new(),
        };
        let body = match body_kind {
            Some(StepKind::Prompt) => return Err(Cannot::Step("Prompt loop bodies not yet fully supported".to_owned())),
            Some(kind @ (StepKind::Action | StepKind::SubAgent)) => {
                let what = if kind == StepKind::Action { "Action" } else { "Sub-Agent" };
                let text = format!("{what} not found for loop body: {}", said(step.referent()));
                Some(self.body(step.referent(), kind, scripted).map_err(|_| Cannot::Step(text))?)
            }
            _ => None,
        };
        let is_action = body_kind == Some(StepKind::Action);
        let input = match step.field("ActionInputMapping").filter(|_| is_action) {
            Some(Value::Text(text)) if !text.is_empty() => match loopwright_lang::json::parse(text).value() {
                Some(value) => Input::released(&value),
                None => return Err(Cannot::Run("ActionInputMapping is not JSON".to_owned())),
            },
            Some(value) => Input::released(value),
            None => None,
        };
        let mut config =
            released_config(&written, kind).map_err(|problem| Cannot::Step(format!("{label} configuration invalid: {problem}")))?;
        if body.is_none() {
            // Every iteration would break off at once; nothing is called and the payload stays.
            config.limit = Some(0);
        }
        let body = body.unwrap_or(Body::Call(usize::MAX));
        let message = text_field(step.entity, &["Description"]);
        let task = Task { body, input, output: None, message, context: None, is_action };
        Ok(LoopSpec { config, task, origin: SpecOrigin::Step(number) })
    }
}

/// Reads a Configuration: required names, numbers coerced.
pub(super) fn released_config(written: &Value, kind: LoopKind) -> Result<LoopConfig, String> {
    let text = |name: &str| written.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty()).map(str::to_owned);
    let item = || text("itemVariable").ok_or_else(|| "Item variable is required".to_owned());
    let (item_variable, collection, condition) = match kind {
        LoopKind::ForEach => {
            let item = item()?;
            (item, Some(Collection::new(text("collectionPath").ok_or("Collection path is required")?)), None)
        }
        LoopKind::While => {
            let condition = text("condition").ok_or("Condition is required")?;
            (item()?, None, Some(Condition::new(&condition)))
        }
    };
    let default = if kind == LoopKind::ForEach { 1_000.0 } else { 100.0 };
    let number = |name: &str| written.get(name).filter(|value| !value.is_nullish()).map(coerced);
    let most = number("maxIterations").unwrap_or(default);
    // The count is compared with the limit as it is, so that a half is one more and what is no number is none.
    let limit = if most > 0.0 { most.ceil().min(1e15) as u64 } else { 0 };
    let delay = number("delayBetweenIterationsMs").filter(|delay| *delay > 0.0).map_or(0, |delay| super::micros(delay * 1_000.0));
    let parallel = kind == LoopKind::ForEach && written.get("executionMode").and_then(Value::as_str) == Some("parallel");
    let at_once = number("maxConcurrency").unwrap_or(10.0).max(1.0) as usize;
    Ok(LoopConfig {
        kind,
        collection,
        condition,
        item_variable,
        index_variable: None,
        limit: Some(limit),
        continue_on_error: true,
        delay,
        batch: parallel.then_some(at_once),
        warnings: Vec::new(),
    })
}

/// `Number(value)`.
fn coerced(value: &Value) -> f64 {
    match value {
        Value::Bool(flag) => f64::from(u8::from(*flag)),
        Value::Text(text) if text.trim().is_empty() => 0.0,
        Value::Text(text) => text.trim().parse().unwrap_or(f64::NAN),
        other => other.as_number().unwrap_or(f64::NAN),
    }
}

/// The status of a step, as the runtime names it in messages.
pub(super) fn status(step: StepRef<'_>) -> Text {
    step.field("Status").and_then(Value::as_str).unwrap_or("Active").into()
}

/// What a path's missing end said.
pub(super) fn missing(end: &loopwright_model::End) -> Option<Text> {
    match end {
        loopwright_model::End::Missing(said) => {
            Some(said.as_str().map_or_else(|| loopwright_lang::json::print_compact(said).into(), Text::from))
        }
        loopwright_model::End::Step(_) => None,
    }
}
