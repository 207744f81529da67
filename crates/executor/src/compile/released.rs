//! Steps as the released runtime reads them (runtime sections 2 and 5): other messages, other defaults, coerced numbers.

use std::sync::Arc;

use loopwright_lang::{Text, Value, differences::Rule, mapping::OutputMapping};
use loopwright_model::{StepKind, StepRef, catalogue::Referent};

use super::{Body, Bound, CalleeKind, Collection, Compiled, LoopConfig, LoopKind, LoopSpec, Refusal, SpecOrigin, Task, Work, text_field};
use crate::texts::{Condition, Input};

/// Where a step fails, and why.
pub(super) type Cannot = (Refusal, String);

fn at_creation<T>(message: impl Into<String>) -> Result<T, Cannot> {
    Err((Refusal::AtCreation, message.into()))
}

impl Compiled {
    /// What a step of an agent does.
    pub(super) fn released_work(
        &mut self,
        agent: usize,
        step: StepRef<'_>,
        number: u32,
        scripted: &dyn Fn(CalleeKind, &str) -> bool,
    ) -> Result<Work, Cannot> {
        let name = step.name();
        let kind = step.kind();
        match kind {
            StepKind::Action | StepKind::Prompt | StepKind::SubAgent => {
                let body = match (self.body(step.referent(), kind, scripted), kind, step.referent()) {
                    (Ok(body), ..) => body,
                    (Err(_), StepKind::Action, Referent::None) => return at_creation(format!("Action step '{name}' has no ActionID")),
                    (Err(_), StepKind::Action, _) => return at_creation(format!("Action not found for step '{name}'")),
                    (Err(_), StepKind::Prompt, Referent::None) => return at_creation(format!("Prompt step '{name}' has no PromptID")),
                    // The agent's own prompt is asked in the place of one that is not there.
                    (Err(_), StepKind::Prompt, _) => Body::Own,
                    (Err(_), _, Referent::None) => return at_creation(format!("Sub-Agent step '{name}' has no SubAgentID")),
                    (Err(_), ..) => return at_creation(format!("Sub-Agent not found for step '{name}'")),
                };
                let is_action = kind == StepKind::Action;
                let input = step.field("ActionInputMapping").filter(|_| is_action).and_then(Input::released);
                let output = step.field("ActionOutputMapping").filter(|column| is_action && loopwright_lang::expr::truthy(column));
                let output = output.map(OutputMapping::released);
                let message = text_field(step.entity, &["Description"]).unwrap_or_else(|| "".into());
                let bound = self.bound(agent, &body);
                Ok(Work::Plain(Arc::new(Task { input, output, message: Some(message), bound, ..Task::of(body, is_action) })))
            }
            StepKind::ForEach | StepKind::While => self.released_loop(agent, step, number, scripted).map(|spec| Work::Loop(Arc::new(spec))),
            StepKind::Refine | StepKind::Unknown => at_creation(format!("Unknown step type: {}", step.step_type())),
        }
    }

    fn released_loop(
        &mut self,
        agent: usize,
        step: StepRef<'_>,
        number: u32,
        scripted: &dyn Fn(CalleeKind, &str) -> bool,
    ) -> Result<LoopSpec, Cannot> {
        let kind = if step.kind() == StepKind::While { LoopKind::While } else { LoopKind::ForEach };
        let label = kind.name();
        let none = || at_creation(format!("{label} step '{}' has no Configuration", step.name()));
        let written = match step.field("Configuration") {
            None | Some(Value::Null | Value::Undefined) => return none(),
            Some(Value::Text(text)) if text.is_empty() => return none(),
            Some(Value::Text(text)) => match loopwright_lang::json::parse(text).value() {
                Some(Value::Null) => return Err((Refusal::BreaksOff, "Configuration is null".to_owned())),
                Some(value) => value,
                None => return Err((Refusal::BreaksOff, "Configuration is not JSON".to_owned())),
            },
            Some(value) => value.clone(),
        };
        let body_kind = step.body_kind();
        let body = match body_kind {
            Some(StepKind::Prompt) => return at_creation("Prompt loop bodies not yet fully supported"),
            Some(kind @ (StepKind::Action | StepKind::SubAgent)) => match self.body(step.referent(), kind, scripted) {
                Ok(body) => body,
                Err(_) => {
                    let what = if kind == StepKind::Action { "Action" } else { "Sub-Agent" };
                    let said = match step.referent() {
                        Referent::Unknown(name) => name.to_owned(),
                        _ => "null".to_owned(),
                    };
                    return at_creation(format!("{what} not found for loop body: {said}"));
                }
            },
            _ => Body::Missing,
        };
        let is_action = body_kind == Some(StepKind::Action);
        let input = match step.field("ActionInputMapping").filter(|_| is_action) {
            Some(Value::Text(text)) if !text.is_empty() => match loopwright_lang::json::parse(text).value() {
                Some(value) => Input::released(&value),
                None => return Err((Refusal::BreaksOff, "ActionInputMapping is not JSON".to_owned())),
            },
            Some(value) => Input::released(value),
            None => None,
        };
        let invalid = |problem: String| (Refusal::InStep, format!("{label} configuration invalid: {problem}"));
        let config = released_config(&written, kind).map_err(|problem| match problem {
            Problem::Invalid(problem) => invalid(problem),
            Problem::BreaksOff(problem) => (Refusal::BreaksOff, problem),
        })?;
        let bound = self.bound(agent, &body);
        let mut task = Task { input, bound, ..Task::of(body, is_action) };
        match (&task.body, body_kind) {
            (Body::Call(place), Some(StepKind::Action)) => {
                let name = self.callees.get(*place).map_or("", |callee| callee.name.as_str()).to_owned();
                let found = self.action_of_loop(agent, &name).map_err(invalid)?;
                task.body = Body::Call(found);
            }
            (body @ (Body::Call(_) | Body::Agent(_)), _) => {
                let name = self.callee_records(body).map(|(_, name, _)| name.clone()).unwrap_or_else(|| "".into());
                if bound == Bound::Unlinked {
                    return Err(invalid(format!("No child agent '{name}' found")));
                }
                task.message =
                    Some(text_field(step.entity, &["Description"]).unwrap_or_else(|| format!("Execute sub-agent: {name}").into()));
                task.verbatim = Some(Value::object::<&str>([]));
            }
            _ => {}
        }
        let inputs = step.field("ActionInputMapping").filter(|_| body_kind == Some(StepKind::SubAgent));
        let differs = loop_differs(&written, kind, step.field("ActionOutputMapping"), inputs);
        Ok(LoopSpec { config, task, origin: SpecOrigin::Step(number), differs, refine: None })
    }

    /// Finds the action of a loop's body, or says why it cannot be.
    pub(super) fn action_of_loop(&self, agent: usize, wanted: &str) -> Result<usize, String> {
        self.action_named(agent, wanted).map_err(|fits| {
            if fits.is_empty() {
                format!("No action '{wanted}' found. Available: {}", self.action_names(agent))
            } else {
                let fits: Vec<&str> = fits.iter().map(Text::as_str).collect();
                format!("Ambiguous action '{wanted}' specified. Matches: {}", fits.join(", "))
            }
        })
    }
}

/// Whether a mapping column has anything in it.
fn has_members(column: Option<&Value>) -> bool {
    match column {
        Some(Value::Object(object)) => !object.is_empty(),
        Some(Value::Text(text)) => !matches!(text.as_str().trim(), "" | "{}" | "null"),
        _ => false,
    }
}

/// The rules by which a plain step differs from what the guide makes of it.
pub(super) fn differs(step: StepRef<'_>) -> Vec<Rule> {
    let mapped = has_members(step.field("ActionInputMapping")) || has_members(step.field("ActionOutputMapping"));
    if mapped && matches!(step.kind(), StepKind::SubAgent | StepKind::Prompt) { vec![Rule::OwnMappings] } else { Vec::new() }
}

/// The same of a loop; `inputs` are those of a sub-agent's body.
pub(super) fn loop_differs(written: &Value, kind: LoopKind, outputs: Option<&Value>, inputs: Option<&Value>) -> Vec<Rule> {
    let mut rules = Vec::new();
    if has_members(outputs) {
        rules.push(if kind == LoopKind::While { Rule::WhileOutputs } else { Rule::LoopOutputs });
    }
    if has_members(inputs) {
        rules.push(Rule::AgentTexts);
    }
    match written.get("maxIterations") {
        None | Some(Value::Null | Value::Undefined) => {}
        Some(most) => match most.as_number() {
            Some(0.0) => rules.push(Rule::ZeroIterations),
            Some(number) if number > 0.0 && number.fract() == 0.0 => {}
            _ => rules.push(Rule::NegativeIterations),
        },
    }
    rules
}

/// What is wrong with a Configuration.
pub(super) enum Problem {
    /// The loop fails with it.
    Invalid(String),
    /// The run breaks off.
    BreaksOff(String),
}

impl Problem {
    /// What it says.
    pub(super) fn message(self) -> String {
        match self {
            Self::Invalid(message) | Self::BreaksOff(message) => message,
        }
    }
}

/// Reads a Configuration: required names, numbers coerced.
pub(super) fn released_config(written: &Value, kind: LoopKind) -> Result<LoopConfig, Problem> {
    let text = |name: &str, missing: &str| match written.get(name) {
        Some(Value::Text(text)) if !text.trim().is_empty() => Ok(text.as_str().to_owned()),
        Some(value) if value.as_str().is_none() && loopwright_lang::expr::truthy(value) => {
            Err(Problem::BreaksOff(format!("{name} is {}, and the runtime takes only text", value.what())))
        }
        _ => Err(Problem::Invalid(missing.to_owned())),
    };
    let item = || text("itemVariable", "Item variable is required");
    let (item_variable, collection, condition) = match kind {
        LoopKind::ForEach => {
            let item = item()?;
            (item, Some(Collection::released(text("collectionPath", "Collection path is required")?)), None)
        }
        LoopKind::While | LoopKind::Refine => {
            let condition = text("condition", "Condition is required")?;
            (item()?, None, Some(Condition::new(&condition)))
        }
    };
    let default = if kind == LoopKind::ForEach { 1_000.0 } else { 100.0 };
    let number = |name: &str| written.get(name).filter(|value| !value.is_nullish()).map(coerced);
    let most = number("maxIterations").unwrap_or(default);
    let parallel = kind == LoopKind::ForEach && written.get("executionMode").and_then(Value::as_str) == Some("parallel");
    // The count is compared with the limit as it is, so that a half is one more and what is no number is none; a parallel loop
    // cuts its list instead, where a half counts for nothing.
    let limit = match (most > 0.0, parallel) {
        (true, false) => most.ceil().min(1e15) as u64,
        (true, true) => most.floor().min(1e15) as u64,
        (false, _) => 0,
    };
    let delay = number("delayBetweenIterationsMs").filter(|delay| *delay > 0.0).map_or(0, |delay| super::micros(delay * 1_000.0));
    let at_once = number("maxConcurrency").unwrap_or(10.0);
    if parallel && (at_once.is_nan() || at_once < 1.0) {
        return Err(Problem::BreaksOff(format!("maxConcurrency is {at_once}: the runtime would make batches for ever")));
    }
    Ok(LoopConfig {
        kind,
        collection,
        condition,
        item_variable,
        index_variable: None,
        limit: Some(limit),
        continue_on_error: written.get("continueOnError").is_some_and(loopwright_lang::expr::truthy),
        delay,
        batch: parallel.then_some(at_once as usize),
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
