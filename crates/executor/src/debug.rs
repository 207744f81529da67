//! Holding a run: breakpoints, steps, and other answers for calls that are held.
//!
//! A run that is held has begun what it was held at — a step's visit, an iteration — with the call in it asked for and not
//! answered yet. So its answer can be looked at, changed, and the run sent on. A run that nobody holds pays nothing for this.

use std::collections::BTreeMap;

use loopwright_lang::{Semantics, Value, expr};
use loopwright_model::EntityId;

use crate::{
    engine::{Call, Outcome, Ticket},
    log::{EventKind, NONE},
    protocol::{FrameId, FrameKind, Go, Held, HeldCall, Paused, RunState, State, Stop, Trouble},
    queries::shown,
    simulation::Simulation,
};

/// What holds a run.
#[derive(Debug, Default)]
pub(crate) struct Debugger {
    stops: Vec<Watch>,
    /// Besides the stops.
    going: Going,
    /// Events that were looked at.
    seen: usize,
    paused: Option<Paused>,
    /// Calls without an answer yet.
    open: BTreeMap<Ticket, Box<Call>>,
}

/// A stop with its expression read.
#[derive(Debug)]
struct Watch {
    stop: Stop,
    condition: Option<expr::Parsed>,
}

impl Watch {
    fn new(stop: Stop) -> Self {
        let condition = match &stop {
            Stop::Condition { text, .. } => Some(expr::parse(text)),
            _ => None,
        };
        Self { stop, condition }
    }
}

/// How a run goes on until it is held again.
#[derive(Debug, Default)]
enum Going {
    /// To the next stop.
    #[default]
    On,
    /// To the next step or iteration, wherever it is.
    Into,
    /// To the next one that is not under this row.
    Past(u32),
    /// To this place, once.
    To(Watch),
}

impl Simulation {
    /// Sets where the run is held from now on.
    pub fn set_stops(&mut self, stops: Vec<Stop>) {
        if stops.is_empty() && self.debug.is_none() {
            return;
        }
        self.debugger().stops = stops.into_iter().map(Watch::new).collect();
    }

    fn debugger(&mut self) -> &mut Debugger {
        let seen = self.execution.log.len();
        self.debug.get_or_insert_with(|| Box::new(Debugger { seen, ..Debugger::default() }))
    }

    /// Where it is held, if it is.
    pub fn paused(&self) -> Option<&Paused> {
        self.debug.as_ref()?.paused.as_ref()
    }

    /// Holds the run where it is.
    pub fn pause(&mut self) {
        if self.execution.log.state == RunState::Running && self.paused().is_none() {
            let row = self.execution.log.event_rows.last().copied().unwrap_or(0);
            let paused = self.pause_at(row, None);
            self.debugger().paused = Some(paused);
        }
    }

    /// Sends a run on, held or not.
    pub fn go(&mut self, how: Go) {
        let at = self.paused().map_or(0, |paused| paused.frame.0);
        let log = &self.execution.log;
        let parent = |row: u32| log.row(row).map_or(NONE, |row| row.parent);
        let going = match how {
            Go::On => Going::On,
            Go::Into => Going::Into,
            Go::Over => Going::Past(at),
            // Out of an iteration is out of its loop's visit, out of a step is out of its agent's run.
            Go::Out => {
                let mut up = parent(at);
                while log.row(up).is_some_and(|row| matches!(row.kind, FrameKind::Loop | FrameKind::Attempt)) {
                    up = parent(up);
                }
                Going::Past(up)
            }
            Go::To(stop) => Going::To(Watch::new(stop)),
        };
        let debugger = self.debugger();
        debugger.going = going;
        debugger.paused = None;
    }

    /// A call was asked for.
    pub(crate) fn asked(&mut self, ticket: Ticket, call: &Call) {
        if let Some(debugger) = &mut self.debug {
            debugger.open.insert(ticket, Box::new(call.clone()));
        }
    }

    /// Looks at what has happened since the last time, and holds the run if it is to be held there.
    pub(crate) fn hold(&mut self) -> bool {
        let Some(mut debugger) = self.debug.take() else { return false };
        let mut held = None;
        let end = self.execution.log.len();
        while debugger.seen < end && held.is_none() {
            let event = debugger.seen;
            debugger.seen += 1;
            let (Some(kind), Some(row)) = (self.execution.log.kinds.get(event), self.execution.log.event_rows.get(event)) else { break };
            let (kind, row) = (*kind, *row);
            let starts = matches!(kind, EventKind::StepStart | EventKind::IterationStart | EventKind::TurnStart);
            let stop = debugger.stops.iter().find(|watch| self.meets(watch, event, kind, row)).map(|watch| watch.stop.clone());
            let goes = match &debugger.going {
                Going::On => false,
                Going::Into => starts,
                Going::Past(over) => starts && !self.is_under(row, *over),
                Going::To(watch) => self.meets(watch, event, kind, row),
            };
            if goes || stop.is_some() {
                held = Some((row, kind, stop));
            }
        }
        let is_held = held.is_some() && self.execution.log.state == RunState::Running;
        if let Some((row, kind, stop)) = held.filter(|_| is_held) {
            debugger.paused = Some(self.pause_at(row, stop));
            debugger.going = Going::On;
            self.debug = Some(debugger);
            if kind == EventKind::StepStart {
                // What the step calls is asked for, so that its answer can be held.
                self.wake_once();
            }
            if let Some(debugger) = &mut self.debug {
                debugger.seen = debugger.seen.max(end);
            }
            return true;
        }
        self.debug = Some(debugger);
        false
    }

    /// Holds the run before something that would come after a time to stop at.
    pub(crate) fn hold_before(&mut self, next: u64) -> bool {
        let Some(debugger) = &self.debug else { return false };
        let now = self.execution.now();
        let due = |stop: &Stop| matches!(stop, Stop::Time { at_us } if now <= *at_us && next > *at_us);
        let goes = matches!(&debugger.going, Going::To(watch) if due(&watch.stop));
        let stop = debugger.stops.iter().map(|watch| &watch.stop).find(|stop| due(stop)).cloned();
        if !goes && (stop.is_none() || debugger.paused.is_some()) {
            return false;
        }
        let row = self.execution.log.event_rows.last().copied().unwrap_or(0);
        let mut paused = self.pause_at(row, stop);
        if let Some(debugger) = &mut self.debug {
            // The same moment does not hold it twice.
            debugger.stops.retain(|watch| !due(&watch.stop));
            if let (Going::To(watch), true) = (&debugger.going, goes) {
                paused.stop = Some(watch.stop.clone());
            }
            debugger.going = Going::On;
            debugger.paused = Some(paused);
        }
        true
    }

    fn pause_at(&self, row: u32, stop: Option<Stop>) -> Paused {
        Paused { frame: FrameId(row), at_us: self.execution.now(), event: self.execution.log.len() as u64, stop }
    }

    fn is_under(&self, row: u32, above: u32) -> bool {
        let mut at = row;
        while let Some(found) = self.execution.log.row(at) {
            if found.parent == above {
                return true;
            }
            // What began before it cannot be under it.
            if found.parent == NONE || found.parent < above {
                return false;
            }
            at = found.parent;
        }
        false
    }

    fn meets(&self, watch: &Watch, event: usize, kind: EventKind, row: u32) -> bool {
        let log = &self.execution.log;
        let compiled = &self.execution.compiled;
        let of_step = |step: EntityId| log.row(row).and_then(|row| compiled.step_numbered(row.step)).is_some_and(|found| found.id == step);
        match &watch.stop {
            Stop::Step { step } => kind == EventKind::StepStart && of_step(*step),
            Stop::Iteration { step, index } => {
                kind == EventKind::IterationStart && log.row(row).is_some_and(|row| u64::from(row.index) == *index) && of_step(*step)
            }
            Stop::Failure => {
                matches!(kind, EventKind::StepEnd | EventKind::IterationEnd | EventKind::TurnEnd)
                    && log.row(row).is_some_and(|found| found.state == State::Failed)
                    && self.is_first_failure(row)
            }
            Stop::Condition { step, .. } => {
                let here = matches!(kind, EventKind::StepStart | EventKind::IterationStart) && step.is_none_or(of_step);
                let holds = |text: &expr::Parsed| {
                    let scope = self.replay().scope(row);
                    text.evaluate(&scope, &Semantics::of(compiled.semantics.profile)).is_ok_and(|value| expr::truthy(&value))
                };
                here && watch.condition.as_ref().is_some_and(holds)
            }
            Stop::Event { event: wanted } => event as u64 == *wanted,
            Stop::Time { .. } => false,
        }
    }

    /// The calls that wait for their answer, with what they will answer.
    pub fn held(&self) -> Held {
        let Some(debugger) = &self.debug else { return Held::default() };
        let calls = debugger.open.iter().filter(|(ticket, _)| self.execution.wants(**ticket)).filter_map(|(ticket, call)| {
            let coming = self.coming.iter().map(|std::cmp::Reverse(coming)| coming).find(|coming| coming.ticket == *ticket)?;
            let (ok, answer) = match &coming.outcome {
                Outcome::Returned(value) => (true, shown(value)),
                Outcome::Answered(text) => (true, shown(&Value::Text(text.clone()))),
                Outcome::Ended { payload, .. } => (true, shown(payload)),
                Outcome::Reported { ok: true, outputs, .. } => (true, shown(outputs)),
                Outcome::Reported { message, .. } => (false, message.as_deref().unwrap_or("failed").to_owned()),
                Outcome::Failed { message, .. } | Outcome::Threw(message) => (false, message.as_str().to_owned()),
                Outcome::Fired => (true, String::new()),
            };
            Some(HeldCall {
                call: ticket.0,
                frame: FrameId(call.row),
                name: call.name.as_str().to_owned(),
                params: shown(if call.params.is_undefined() { &call.payload } else { &call.params }),
                ends_us: coming.at,
                ok,
                answer,
            })
        });
        Held { paused: debugger.paused.clone(), calls: calls.collect() }
    }

    /// Gives a call that waits another answer: JSON text of what it returns, or the message of its failure. It comes when the
    /// old one would have come.
    pub fn answer_instead(&mut self, call: u64, ok: bool, answer: &str) -> Result<(), Trouble> {
        let outcome = if ok {
            let parsed = loopwright_lang::json::parse(answer);
            match parsed.value() {
                Some(value) => Outcome::Returned(value),
                None if answer.trim() == "undefined" => Outcome::Returned(Value::Undefined),
                None => {
                    let why = parsed.problems.first().map_or(String::new(), |problem| format!(" {}", problem.message));
                    return Err(Trouble::new("answer_not_json", format!("The answer is not JSON.{why}")));
                }
            }
        } else {
            Outcome::Failed { message: answer.into(), outputs: Value::object::<&str>([]) }
        };
        let mut coming = std::mem::take(&mut self.coming).into_vec();
        let found = coming.iter_mut().map(|std::cmp::Reverse(coming)| coming).find(|coming| coming.ticket == Ticket(call));
        let known = found.map(|found| found.outcome = outcome).is_some() && self.execution.wants(Ticket(call));
        self.coming = coming.into();
        if known { Ok(()) } else { Err(Trouble::new("call_unknown", "This call has its answer already.")) }
    }

    /// Begins the same run again and takes it to where its log had so many events (or to its next wait after that).
    pub fn again_to(&self, event: u64) -> Self {
        let mut again = self.restarted();
        while again.log().len() < usize::try_from(event).unwrap_or(usize::MAX) {
            if again.run_slice(1) != crate::Progress::Working {
                break;
            }
        }
        again
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use loopwright_lang::Profile;
    use loopwright_model::format;

    use super::*;
    use crate::Progress;

    /// `First`, then `Each` over four items (the second call of `Do` in it fails), then `Last`.
    fn simulation() -> (Simulation, Vec<EntityId>) {
        let text = r#"{ "loopwright": 1, "graphs": [ { "ID": "g", "Name": "Flow", "steps": [
                { "ID": "1", "Name": "First", "StepType": "Action", "StartingStep": true, "Action": "Do", "ActionOutputMapping": { "v": "payload.first" } },
                { "ID": "2", "Name": "Each", "StepType": "ForEach", "LoopBodyType": "Action", "Action": "Do",
                   "Configuration": { "type": "ForEach", "collectionPath": "payload.items", "continueOnError": true },
                   "ActionOutputMapping": { "v": "got[]" } },
                { "ID": "3", "Name": "Last", "StepType": "Action", "Action": "Do" } ],
                "paths": [ { "ID": "p", "OriginStepID": "1", "DestinationStepID": "2" }, { "ID": "q", "OriginStepID": "2", "DestinationStepID": "3" } ] } ],
              "catalogue": { "actions": [ { "id": "a", "name": "Do" } ] },
              "scenarios": [ { "name": "s", "payload": { "items": [5, 6, 7, 8] },
                "actions": { "Do": { "outputs": { "v": 1 }, "failIterations": [1], "latencyMs": 10 } } } ] }"#;
        let document = format::import("t.loopwright.json", text).document.unwrap();
        let graph = document.graphs().next().unwrap();
        let steps = graph.steps().map(|step| step.id()).collect();
        let scenario = document.scenarios().next().unwrap().id;
        (Simulation::new(&document, graph.id(), Some(scenario), Profile::Documented).unwrap(), steps)
    }

    fn at(simulation: &Simulation) -> (FrameKind, u32) {
        let row = simulation.log().row(simulation.paused().unwrap().frame.0).unwrap();
        (row.kind, row.index)
    }

    fn next(simulation: &mut Simulation, how: Go) -> Option<(FrameKind, u32)> {
        simulation.go(how);
        (simulation.run_slice(100_000) == Progress::Paused).then(|| at(simulation))
    }

    #[test]
    fn a_run_is_held_at_steps_iterations_conditions_and_failures() {
        let check = |stop: &dyn Fn(&[EntityId]) -> Stop, expected: &[(FrameKind, u32)]| {
            let (mut simulation, steps) = simulation();
            simulation.set_stops(vec![stop(&steps)]);
            let mut found = Vec::new();
            while simulation.run_slice(100_000) == Progress::Paused {
                found.push(at(&simulation));
                simulation.go(Go::On);
            }
            assert_eq!(found, expected);
        };
        check(&|steps| Stop::Step { step: steps[2] }, &[(FrameKind::Step, 0)]);
        check(&|steps| Stop::Iteration { step: steps[1], index: 2 }, &[(FrameKind::Iteration, 2)]);
        check(
            &|steps| Stop::Condition { step: Some(steps[1]), text: "item > 6".into() },
            &[(FrameKind::Iteration, 2), (FrameKind::Iteration, 3)],
        );
        check(&|_| Stop::Failure, &[(FrameKind::Iteration, 1)]);
        check(&|_| Stop::Time { at_us: 25_000 }, &[(FrameKind::Iteration, 1)]);
        check(&|_| Stop::Event { event: 0 }, &[(FrameKind::Agent, 0)]);
    }

    #[test]
    fn stepping_goes_into_over_and_out_of_loops() {
        let (mut simulation, _) = simulation();
        assert_eq!(next(&mut simulation, Go::Into), Some((FrameKind::Step, 0)), "First");
        assert_eq!(next(&mut simulation, Go::Over), Some((FrameKind::Step, 0)), "Each");
        assert_eq!(next(&mut simulation, Go::Into), Some((FrameKind::Iteration, 0)));
        assert_eq!(next(&mut simulation, Go::Over), Some((FrameKind::Iteration, 1)));
        let frame = simulation.paused().unwrap().frame;
        assert_eq!(next(&mut simulation, Go::Out), Some((FrameKind::Step, 0)), "Last");
        assert!(simulation.paused().unwrap().frame > frame);
        assert_eq!(next(&mut simulation, Go::Out), None);
        assert_eq!(simulation.log().state, RunState::Completed);
    }

    #[test]
    fn a_held_calls_answer_can_be_changed() {
        let (mut simulation, steps) = simulation();
        assert_eq!(next(&mut simulation, Go::To(Stop::Iteration { step: steps[1], index: 1 })), Some((FrameKind::Iteration, 1)));
        let held = simulation.held();
        assert_eq!(held.calls.len(), 1);
        assert_eq!((held.calls[0].ok, held.calls[0].answer.as_str()), (false, "failed"));
        simulation.answer_instead(held.calls[0].call, true, r#"{"v":"mine"}"#).unwrap();
        assert!(simulation.answer_instead(held.calls[0].call, true, "{").is_err());
        assert!(simulation.answer_instead(9_999, true, "1").is_err());
        assert_eq!(next(&mut simulation, Go::On), None);
        assert_eq!(shown(&simulation.log().final_payload), r#"{"items":[5,6,7,8],"first":1,"got":[1,"mine",1,1]}"#);
    }

    #[test]
    fn a_run_that_was_held_is_the_run_that_was_not() {
        let (mut whole, _) = simulation();
        whole.run_to_end();
        let (mut held, _) = simulation();
        while next(&mut held, Go::Into).is_some() {}
        assert!(whole.log().to_bytes() == held.log().to_bytes());
        let again = whole.again_to(12);
        assert!(again.log().len() >= 12 && again.log().len() < whole.log().len());
    }
}
