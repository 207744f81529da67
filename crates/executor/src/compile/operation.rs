//! What a loop agent's model asks for, made ready to run (loop-agents.md).

use std::sync::Arc;

use loopwright_lang::{Text, Value, expr::truthy, json::print_compact};

use super::{
    Body, Bound, CalleeKind, Compiled, LoopConfig, LoopKind, LoopSpec, SpecOrigin, Task, output_mapping, released::released_config,
};
use crate::{
    names::{self, Match},
    rules::LoopWrites,
    texts::Input,
};

impl Compiled {
    /// A ForEach or While operation.
    pub fn operation(&self, agent: usize, operation: &Value, is_while: bool) -> Result<(Arc<LoopSpec>, Text), String> {
        let kind = if is_while { LoopKind::While } else { LoopKind::ForEach };
        if self.rules.loop_writes != LoopWrites::ByMapping {
            return self
                .released_operation(agent, operation, kind)
                .map_err(|problem| format!("{} configuration invalid: {problem}", kind.name()));
        }
        let config = LoopConfig::from_operation(operation, kind)?;
        let present = |name: &str| operation.get(name).filter(|value| !value.is_nullish());
        let index = config.index_variable.as_deref();
        let (task, called) = match (present("action"), present("subAgent")) {
            (Some(action), None) => {
                let (callee, task) = self.action_task(action, index)?;
                (task, self.callees.get(callee).map_or_else(|| "".into(), |callee| callee.name.clone()))
            }
            (None, Some(agent)) => self.agent_task(agent, index)?,
            _ => return Err("Exactly one of action and subAgent is needed".to_owned()),
        };
        Ok((
            Arc::new(LoopSpec {
                config,
                task,
                origin: SpecOrigin::Operation(agent, is_while, operation.clone()),
                differs: Vec::new(),
                refine: None,
            }),
            called,
        ))
    }

    /// The same by the released runtime, which reads texts and finds names in its own way.
    fn released_operation(&self, agent: usize, operation: &Value, kind: LoopKind) -> Result<(Arc<LoopSpec>, Text), String> {
        let config = released_config(operation, kind).map_err(super::released::Problem::message)?;
        let present = |name: &str| operation.get(name).filter(|value| truthy(value));
        let (task, called) = match (present("action"), present("subAgent")) {
            (Some(action), _) => {
                let wanted = action.get("name").and_then(Value::as_str).unwrap_or_default();
                let callee = self.action_of_loop(agent, wanted)?;
                let input = action.get("params").filter(|params| truthy(params)).and_then(Input::released);
                let name = self.callees.get(callee).map_or_else(|| "".into(), |callee| callee.name.clone());
                (Task { input, ..Task::of(Body::Call(callee), true) }, name)
            }
            (None, Some(asked)) => {
                let wanted = asked.get("name").and_then(Value::as_str).unwrap_or_default();
                let known = self.sub_agents_of(agent);
                let part = wanted.trim().to_lowercase();
                let exact = known.iter().find(|(name, ..)| super::same_name(name, wanted));
                let fits: Vec<_> = known.iter().filter(|(name, ..)| name.trim().to_lowercase().contains(&part)).collect();
                let (body, bound) = match (exact, fits.as_slice()) {
                    (Some((_, body, bound)), _) => (body.clone(), *bound),
                    // A part of a name passes the check, and then no agent has that name.
                    (None, [(_, body, _)]) => (body.clone(), Bound::Unlinked),
                    (None, []) => return Err(format!("No child agent '{wanted}' found")),
                    (None, _) => return Err(format!("Ambiguous child agent '{wanted}' specified")),
                };
                (self.released_agent_task(asked, body, bound), wanted.into())
            }
            (None, None) => (Task::of(Body::Missing, false), "".into()),
        };
        let is_while = kind == LoopKind::While;
        let outputs = present("action").and_then(|action| action.get("outputMapping"));
        let differs = super::released::loop_differs(operation, kind, outputs, None);
        Ok((
            Arc::new(LoopSpec { config, task, origin: SpecOrigin::Operation(agent, is_while, operation.clone()), differs, refine: None }),
            called,
        ))
    }

    /// An agent that is asked for, with what goes along as it is.
    pub(crate) fn released_agent_task(&self, asked: &Value, body: Body, bound: Bound) -> Task {
        let text = |name: &str| asked.get(name).and_then(Value::as_str).map(Text::from);
        Task {
            message: text("message"),
            context: asked.get("context").filter(|context| !context.is_undefined()).cloned(),
            called: text("name"),
            verbatim: asked.get("templateParameters").cloned(),
            bound,
            ..Task::of(body, false)
        }
    }

    /// `{ name, params, outputMapping? }`.
    pub fn action_task(&self, action: &Value, index: Option<&str>) -> Result<(usize, Task), String> {
        let wanted = action.get("name").and_then(Value::as_str).unwrap_or_default();
        let places: Vec<usize> =
            self.callees.iter().enumerate().filter(|(_, callee)| callee.kind == CalleeKind::Action).map(|(place, _)| place).collect();
        let name_of = |place: &usize| self.callees.get(*place).map_or("", |callee| callee.name.as_str());
        let at = found("Action", wanted, &places.iter().map(name_of).collect::<Vec<_>>())?;
        let callee = places.get(at).copied().unwrap_or(0);
        let input = Input::new(action.get("params"))?;
        let output = output_mapping(action.get("outputMapping"), index)?;
        Ok((callee, Task { input, output, ..Task::of(Body::Call(callee), true) }))
    }

    /// `{ name, message, templateParameters?, context? }`.
    pub fn agent_task(&self, asked: &Value, index: Option<&str>) -> Result<(Task, Text), String> {
        let wanted = asked.get("name").and_then(Value::as_str).unwrap_or_default();
        let mut names: Vec<(&str, Body)> =
            self.agents.iter().enumerate().map(|(place, agent)| (agent.name.as_str(), Body::Agent(place))).collect();
        for (place, callee) in self.callees.iter().enumerate().filter(|(_, callee)| callee.kind == CalleeKind::Agent) {
            // A graph whose results are scripted is called, not run.
            names.retain(|(name, _)| *name != callee.name.as_str());
            names.push((callee.name.as_str(), Body::Call(place)));
        }
        let at = found("Sub-agent", wanted, &names.iter().map(|(name, _)| *name).collect::<Vec<_>>())?;
        let (name, body) = names.get(at).cloned().ok_or_else(|| format!("Sub-agent not found: {wanted}"))?;
        let input = Input::new(asked.get("templateParameters"))?;
        let output = output_mapping(asked.get("outputMapping"), index)?;
        let message = asked.get("message").and_then(Value::as_str).filter(|text| !text.trim().is_empty()).map(Text::from);
        let context = asked.get("context").filter(|context| !context.is_nullish()).cloned();
        Ok((Task { input, output, message, context, ..Task::of(body, false) }, name.into()))
    }
}

/// Finds a name, or says what is wrong with it.
fn found(what: &str, wanted: &str, names: &[&str]) -> Result<usize, String> {
    match names::find(wanted, names.iter().copied()) {
        Match::One(at) => Ok(at),
        Match::None => Err(format!("{what} not found: {}", print_compact(&Value::text(wanted)))),
        Match::Several(places) => {
            let fits: Vec<&str> = places.iter().filter_map(|place| names.get(*place).copied()).collect();
            Err(format!("{what} name is ambiguous: {} fits {}", print_compact(&Value::text(wanted)), fits.join(", ")))
        }
    }
}
