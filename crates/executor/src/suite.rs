//! A document's scenarios as a suite: whether a run went as its scenario expects, and what the runs came to.
//!
//! A scenario's `expect` is an object; every key in it must be met. Without it a run is expected to succeed.
//! - `success`: true or false · `state`: `completed`, `message`, `failed`, `limit`, `cancelled`
//! - `error`, `message`: a text that must occur in it, or null for none
//! - `payload`: what must be in the final payload; objects may hold more, everything else is compared whole
//! - `holds`: an expression over the final `payload`, or a list of them
//! - `calls`, `iterations`: a number for all, or an object with one for each action, prompt or agent (`calls`) or step (`iterations`)
//! - `visits`: an object from steps to numbers · `failures`: a number · `withinMs`: the most virtual time
//! - `exits`: an object from loop steps to the reason why their last loop ended · `notices`: codes that must come up
//!
//! A number may also be `{ "min": n, "max": n }`.

use std::collections::{BTreeMap, BTreeSet};

use loopwright_lang::{Profile, Scope, Semantics, Value, expr, json::print_compact};
use loopwright_model::EntityId;

use crate::{
    log::RunLog,
    protocol::{FrameKind, RunState, State},
    simulation::Simulation,
};

/// An expectation that was not met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Miss {
    /// Which one, e.g. `payload.sent`.
    pub what: String,
    /// What was expected.
    pub expected: String,
    /// What there was.
    pub found: String,
}

/// What runs came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Steps that were visited, and how often.
    pub steps: BTreeMap<EntityId, u64>,
    /// Steps that failed.
    pub failed: BTreeSet<EntityId>,
    /// Paths that were followed, and how often.
    pub paths: BTreeMap<EntityId, u64>,
    /// Why loops ended, by step.
    pub exits: BTreeMap<EntityId, BTreeSet<&'static str>>,
}

impl Coverage {
    /// Adds what a run came to.
    pub fn add(&mut self, simulation: &Simulation) {
        let log = simulation.log();
        let compiled = simulation.execution().compiled();
        for (number, visits) in &log.visits {
            let Some(step) = compiled.step_numbered(*number) else { continue };
            *self.steps.entry(step.id).or_insert(0) += visits.len() as u64;
            if visits.iter().any(|visit| log.row(*visit).is_some_and(|row| row.state == State::Failed)) {
                self.failed.insert(step.id);
            }
        }
        for ((number, place), events) in &log.taken {
            let path = compiled.step_numbered(*number).and_then(|step| step.paths.get(*place as usize));
            if let Some(path) = path {
                *self.paths.entry(path.id).or_insert(0) += events.len() as u64;
            }
        }
        for (step, exit) in exits(log) {
            if let Some(step) = compiled.step_numbered(step) {
                self.exits.entry(step.id).or_default().insert(exit);
            }
        }
    }
}

/// The loops that ended, with the numbers of their steps.
fn exits(log: &RunLog) -> impl Iterator<Item = (u32, &'static str)> {
    log.rows.iter().filter(|row| row.kind == FrameKind::Loop).filter_map(|row| Some((row.step, log.loops.get(row.detail as usize)?.exit?)))
}

/// What a run's scenario expects and did not come; empty is well.
pub fn judge(simulation: &Simulation) -> Vec<Miss> {
    let log = simulation.log();
    let mut misses = Misses(Vec::new());
    let success = matches!(log.state, RunState::Completed | RunState::Message);
    let expect = match &simulation.scenario.expect {
        Value::Object(expect) => expect,
        Value::Undefined | Value::Null => {
            if !success {
                misses.add("success", "true", &in_short(log));
            }
            return misses.0;
        }
        other => {
            misses.add("expect", "an object", other.what());
            return misses.0;
        }
    };
    for (name, wanted) in expect.iter() {
        match name.as_str() {
            "success" => {
                if wanted.as_bool() != Some(success) {
                    misses.add(name, &print_compact(wanted), &in_short(log));
                }
            }
            "state" => {
                let found = state_name(log.state);
                if !wanted.as_str().is_some_and(|wanted| wanted.eq_ignore_ascii_case(found)) {
                    misses.add(name, &print_compact(wanted), &in_short(log));
                }
            }
            "error" => misses.text(name, wanted, log.error.as_deref()),
            "message" => misses.text(name, wanted, log.final_message.as_deref()),
            "payload" => misses.part("payload", wanted, &log.final_payload),
            "holds" => match wanted {
                Value::List(list) => list.iter().for_each(|text| misses.holds(text, &log.final_payload)),
                one => misses.holds(one, &log.final_payload),
            },
            "calls" => misses.counts(name, wanted, log.calls, &|called| simulation.calls_of(called)),
            "iterations" => misses.counts(name, wanted, log.iterations, &|step| simulation.count(step, false)),
            "visits" => misses
                .counts(name, wanted, log.visits.values().map(|visits| visits.len() as u64).sum(), &|step| simulation.count(step, true)),
            "failures" => misses.number(name, wanted, log.failures as f64),
            "withinMs" => {
                let found = simulation.execution().now() as f64 / 1_000.0;
                if wanted.as_number().is_none_or(|most| found > most) {
                    misses.add(name, &print_compact(wanted), &print_compact(&Value::Number(found)));
                }
            }
            "exits" => {
                for (step, wanted) in wanted.as_object().map(|exits| exits.iter()).into_iter().flatten() {
                    let found = simulation.exit_of(step);
                    if wanted.as_str() != found {
                        misses.add(&format!("exits.{step}"), &print_compact(wanted), found.unwrap_or("no loop that ended"));
                    }
                }
            }
            "notices" => {
                for code in wanted.as_list().map(|codes| codes.iter()).into_iter().flatten() {
                    if !log.notices.iter().any(|notice| Some(notice.code.as_str()) == code.as_str()) {
                        misses.add(name, &print_compact(code), "it did not come up");
                    }
                }
            }
            unknown => misses.add(unknown, &print_compact(wanted), "nothing is known to expect by this name"),
        }
    }
    misses.0
}

struct Misses(Vec<Miss>);

impl Misses {
    fn add(&mut self, what: &str, expected: &str, found: &str) {
        self.0.push(Miss { what: what.to_owned(), expected: expected.to_owned(), found: found.to_owned() });
    }

    /// A text that must occur, or null.
    fn text(&mut self, what: &str, wanted: &Value, found: Option<&str>) {
        let met = match wanted {
            Value::Text(text) => found.is_some_and(|found| found.contains(text.as_str())),
            Value::Null => found.is_none(),
            _ => false,
        };
        if !met {
            self.add(what, &print_compact(wanted), &found.map_or_else(|| "none".to_owned(), |found| print_compact(&Value::text(found))));
        }
    }

    /// What must be in a value.
    fn part(&mut self, what: &str, wanted: &Value, found: &Value) {
        match (wanted, found) {
            (Value::Object(wanted), Value::Object(found)) => {
                for (key, wanted) in wanted.iter() {
                    self.part(&format!("{what}.{key}"), wanted, found.get(key).unwrap_or(&Value::Undefined));
                }
            }
            _ if wanted == found => {}
            _ => self.add(what, &print_compact(wanted), &crate::queries::cut(found, 400)),
        }
    }

    fn holds(&mut self, text: &Value, payload: &Value) {
        let Some(written) = text.as_str() else { return self.add("holds", "an expression", text.what()) };
        let scope = Scope { payload: Some(payload.clone()), ..Scope::default() };
        match expr::parse(written).evaluate(&scope, &Semantics::of(Profile::Documented)) {
            Ok(value) if expr::truthy(&value) => {}
            Ok(value) => self.add("holds", written, &crate::queries::cut(&value, 400)),
            Err(error) => self.add("holds", written, &error.message),
        }
    }

    fn number(&mut self, what: &str, wanted: &Value, found: f64) {
        let met = match wanted {
            Value::Object(bounds) => {
                let bound = |name: &str| bounds.get(name).map(Value::as_number);
                let least = bound("min").is_none_or(|least| least.is_some_and(|least| found >= least));
                least && bound("max").is_none_or(|most| most.is_some_and(|most| found <= most))
            }
            other => other.as_number() == Some(found),
        };
        if !met {
            self.add(what, &print_compact(wanted), &print_compact(&Value::Number(found)));
        }
    }

    /// A number for all, or one for each name.
    fn counts(&mut self, what: &str, wanted: &Value, all: u64, of: &dyn Fn(&str) -> u64) {
        match wanted.as_object().filter(|object| !object.keys().all(|key| matches!(key.as_str(), "min" | "max"))) {
            Some(by_name) => {
                for (name, wanted) in by_name.iter() {
                    self.number(&format!("{what}.{name}"), wanted, of(name) as f64);
                }
            }
            None => self.number(what, wanted, all as f64),
        }
    }
}

/// `completed`, `message`, …
pub fn state_name(state: RunState) -> &'static str {
    match state {
        RunState::Running => "running",
        RunState::Completed => "completed",
        RunState::Message => "message",
        RunState::Failed => "failed",
        RunState::Limit => "limit",
        RunState::Cancelled => "cancelled",
    }
}

fn in_short(log: &RunLog) -> String {
    log.error.as_deref().map_or_else(|| state_name(log.state).to_owned(), |error| format!("{}: {error}", state_name(log.state)))
}

impl Simulation {
    /// How often an action, a prompt or a scripted agent was called.
    pub fn calls_of(&self, name: &str) -> u64 {
        let callees = &self.execution.compiled.callees;
        self.counters
            .iter()
            .filter(|(place, _)| callees.get(**place).is_some_and(|callee| callee.name.as_str() == name))
            .map(|(_, n)| n)
            .sum()
    }

    /// Visits, or iterations, of the steps of a name.
    fn count(&self, step: &str, visits: bool) -> u64 {
        let log = self.log();
        let named = |number: u32| self.execution.compiled.step_numbered(number).is_some_and(|found| found.name.as_str() == step);
        if visits {
            return log.visits.iter().filter(|(number, _)| named(**number)).map(|(_, visits)| visits.len() as u64).sum();
        }
        let loops = log.rows.iter().filter(|row| row.kind == FrameKind::Loop && named(row.step));
        loops.filter_map(|row| log.loops.get(row.detail as usize)).map(|detail| detail.started).sum()
    }

    /// Why the last loop of a step ended.
    fn exit_of(&self, step: &str) -> Option<&'static str> {
        let named = |number: u32| self.execution.compiled.step_numbered(number).is_some_and(|found| found.name.as_str() == step);
        exits(self.log()).filter(|(number, _)| named(*number)).last().map(|(_, exit)| exit)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use loopwright_model::format;

    use super::*;

    fn run(expect: &str) -> Simulation {
        let text = format!(
            r#"{{ "loopwright": 1, "graphs": [ {{ "ID": "g", "Name": "Flow", "steps": [
                {{ "ID": "1", "Name": "Each", "StepType": "ForEach", "StartingStep": true, "LoopBodyType": "Action", "Action": "Do",
                   "Configuration": {{ "type": "ForEach", "collectionPath": "payload.items", "continueOnError": true }},
                   "ActionInputMapping": {{ "n": "item" }}, "ActionOutputMapping": {{ "n": "sent[]" }} }},
                {{ "ID": "2", "Name": "Never", "StepType": "Action", "Action": "Do" }} ],
                "paths": [ {{ "ID": "p", "OriginStepID": "1", "DestinationStepID": "2", "Condition": "payload.never" }} ] }} ],
              "catalogue": {{ "actions": [ {{ "id": "a", "name": "Do" }} ] }},
              "scenarios": [ {{ "name": "s", "payload": {{ "items": [1, 2, 3], "never": false }},
                "actions": {{ "Do": {{ "expressions": {{ "n": "params.n * 2" }}, "failIterations": [1], "latencyMs": 10 }} }}, "expect": {expect} }} ] }}"#
        );
        let document = format::import("t.loopwright.json", &text).document.unwrap();
        let (graph, scenario) = (document.graphs().next().unwrap().id(), document.scenarios().next().unwrap().id);
        let mut simulation = Simulation::new(&document, graph, Some(scenario), Profile::Documented).unwrap();
        simulation.run_to_end();
        simulation
    }

    fn check(expect: &str, expected: &[&str]) {
        let misses = judge(&run(expect));
        let found: Vec<&str> = misses.iter().map(|miss| miss.what.as_str()).collect();
        assert_eq!(found, expected, "{expect}: {misses:?}");
    }

    #[test]
    fn every_expectation_can_be_met_and_missed() {
        check("null", &[]);
        check(r#"{"success":true,"state":"completed","error":null,"message":null}"#, &[]);
        check(r#"{"success":false,"state":"failed","error":"x","message":"y"}"#, &["success", "state", "error", "message"]);
        check(r#"{"payload":{"sent":[2,6]}}"#, &[]);
        check(r#"{"payload":{"sent":[2],"never":false,"x":{"y":1}}}"#, &["payload.sent", "payload.x"]);
        check(r#"{"holds":["payload.sent.length === 2","payload.nothing.x"]}"#, &["holds"]);
        check(r#"{"calls":3,"iterations":{"Each":3},"visits":{"Each":1,"Never":0},"failures":1}"#, &[]);
        check(
            r#"{"calls":{"Do":2},"iterations":{"max":2},"visits":{"Never":1},"failures":{"min":2}}"#,
            &["calls.Do", "iterations", "visits.Never", "failures"],
        );
        check(r#"{"withinMs":30,"exits":{"Each":"completed"},"notices":[]}"#, &[]);
        check(r#"{"withinMs":29,"exits":{"Each":"limit"},"notices":["N99"]}"#, &["withinMs", "exits.Each", "notices"]);
        check(r#"{"colour":1}"#, &["colour"]);
    }

    #[test]
    fn coverage_says_which_steps_paths_and_exits_there_were() {
        let mut coverage = Coverage::default();
        coverage.add(&run("null"));
        assert_eq!((coverage.steps.len(), coverage.paths.len(), coverage.failed.len()), (1, 0, 0));
        assert!(coverage.exits.values().all(|exits| exits.iter().eq(&["completed"])) && coverage.exits.len() == 1);
    }
}
