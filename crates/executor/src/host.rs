//! What sits behind the worker's boundary, without the boundary: it holds runs, works on them in slices, and answers
//! questions. The worker adds messages and a clock; tests use it as it is.

use std::collections::BTreeMap;

use loopwright_model::snapshot;

use crate::{
    engine::Progress,
    protocol::{Ask, Outcome, Reply, Request, RunId, RunState, Stop, Summary, Trouble},
    simulation::Simulation,
};

/// Runs and their questions.
#[derive(Debug, Default)]
pub struct Host {
    runs: BTreeMap<RunId, Simulation>,
    working: Vec<RunId>,
    /// Where runs that have not begun are to be held.
    stops: BTreeMap<RunId, Vec<Stop>>,
}

impl Host {
    /// Answers a request. A run is only begun here; [`Host::work`] gets it on.
    pub fn answer(&mut self, ask: Ask) -> Outcome {
        self.reply(ask).unwrap_or_else(Outcome::Trouble)
    }

    fn reply(&mut self, ask: Ask) -> Result<Outcome, Trouble> {
        match ask {
            Ask::Run { run, document, graph, scenario, profile } => {
                let document = snapshot::read(&document).map_err(|message| Trouble::new("document_unreadable", message))?;
                let mut simulation = Simulation::new(&document, graph, scenario, profile)?.numbered(run);
                simulation.set_stops(self.stops.remove(&run).unwrap_or_default());
                let summary = simulation.summary();
                self.runs.insert(run, simulation);
                self.working.retain(|other| *other != run);
                self.working.push(run);
                Ok(ok(Reply::Summary(summary)))
            }
            Ask::Cancel { run } => {
                let simulation = self.simulation(run)?;
                simulation.cancel();
                let summary = simulation.summary();
                self.working.retain(|other| *other != run);
                Ok(ok(Reply::Summary(summary)))
            }
            Ask::Drop { run } => {
                self.runs.remove(&run);
                self.working.retain(|other| *other != run);
                Ok(ok(Reply::Done))
            }
            Ask::Stops { run, stops } => {
                match self.runs.get_mut(&run) {
                    Some(simulation) => simulation.set_stops(stops),
                    None => {
                        self.stops.insert(run, stops);
                    }
                }
                Ok(ok(Reply::Done))
            }
            Ask::Matrix { run, of, filter, order, from, count } => {
                let matrix = self.simulation(run)?.matrix(&of, &filter, order.as_ref(), from, count)?;
                Ok(ok(Reply::Matrix(matrix)))
            }
            Ask::Again { run, event, new, document, graph, scenario, profile } => {
                let saved = self.simulation(run)?.again_to(event).save();
                let document = snapshot::read(&document).map_err(|message| Trouble::new("document_unreadable", message))?;
                let simulation = Simulation::new(&document, graph, scenario, profile)?.load(&saved)?.numbered(new);
                let summary = simulation.summary();
                self.runs.insert(new, simulation);
                self.working.retain(|other| *other != new);
                self.working.push(new);
                Ok(ok(Reply::Summary(summary)))
            }
            Ask::Csv { run, of, filter, order } => Ok(ok(Reply::Text(self.simulation(run)?.csv(&of, &filter, order.as_ref())?))),
            Ask::Pause { run } => {
                let simulation = self.simulation(run)?;
                simulation.pause();
                let held = simulation.held();
                self.working.retain(|other| *other != run);
                Ok(ok(Reply::Held(held)))
            }
            Ask::Go { run, how } => {
                let simulation = self.simulation(run)?;
                simulation.go(how);
                let summary = simulation.summary();
                self.working.retain(|other| *other != run);
                if summary.state == RunState::Running {
                    self.working.push(run);
                }
                Ok(ok(Reply::Summary(summary)))
            }
            Ask::Answer { run, call, ok: succeeds, answer } => {
                let simulation = self.simulation(run)?;
                simulation.answer_instead(call, succeeds, &answer)?;
                Ok(ok(Reply::Held(simulation.held())))
            }
            other => {
                let run = run_of(&other);
                Ok(self.simulation(run)?.answer_to(&other))
            }
        }
    }

    fn simulation(&mut self, run: RunId) -> Result<&mut Simulation, Trouble> {
        self.runs.get_mut(&run).ok_or_else(|| Trouble::new("run_unknown", "This run is not in memory any more. Run the flow again."))
    }

    /// Whether there is work to do.
    pub fn is_working(&self) -> bool {
        !self.working.is_empty()
    }

    /// Works on the newest run for at most `budget` steps of the engine. Gives its summary when it has just ended or is held.
    pub fn work(&mut self, budget: usize) -> Option<Summary> {
        let run = *self.working.last()?;
        let simulation = self.runs.get_mut(&run)?;
        if simulation.run_slice(budget) == Progress::Working {
            return None;
        }
        self.working.retain(|other| *other != run);
        Some(simulation.summary())
    }

    /// How the run that is worked on stands.
    pub fn progress(&self) -> Option<Summary> {
        self.runs.get(self.working.last()?).map(Simulation::summary)
    }
}

fn ok(reply: Reply) -> Outcome {
    Outcome::Ok(Box::new(reply))
}

/// The run a question is about.
fn run_of(ask: &Ask) -> RunId {
    match ask {
        Ask::Run { run, .. }
        | Ask::Cancel { run }
        | Ask::Drop { run }
        | Ask::Summary { run }
        | Ask::Steps { run, .. }
        | Ask::Timeline { run, .. }
        | Ask::Iterations { run, .. }
        | Ask::Frame { run, .. }
        | Ask::Find { run, .. }
        | Ask::Failure { run, .. }
        | Ask::Payload { run, .. }
        | Ask::Events { run, .. }
        | Ask::Log { run }
        | Ask::Condition { run, .. }
        | Ask::Scope { run, .. }
        | Ask::Stops { run, .. }
        | Ask::Pause { run }
        | Ask::Go { run, .. }
        | Ask::Held { run }
        | Ask::Answer { run, .. }
        | Ask::Again { run, .. }
        | Ask::Matrix { run, .. }
        | Ask::Csv { run, .. }
        | Ask::Moments { run, .. }
        | Ask::Writers { run, .. }
        | Ask::Exit { run, .. } => *run,
    }
}

/// Whether a later request makes an earlier one of the same kind pointless: windows of what is on screen.
pub fn supersedes(later: &Request, earlier: &Request) -> bool {
    let window = |ask: &Ask| matches!(ask, Ask::Steps { .. } | Ask::Timeline { .. } | Ask::Payload { .. });
    window(&earlier.ask) && std::mem::discriminant(&later.ask) == std::mem::discriminant(&earlier.ask)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use loopwright_lang::Profile;
    use loopwright_model::{Document, format};

    use super::*;
    use crate::protocol::{Go, Rows};

    /// `Each` over four items; the first scenario's calls give 1, the second's 2.
    fn document() -> Document {
        let text = r#"{ "loopwright": 1, "graphs": [ { "ID": "g", "Name": "Flow", "steps": [
            { "ID": "2", "Name": "Each", "StepType": "ForEach", "StartingStep": true, "LoopBodyType": "Action", "Action": "Do",
              "Configuration": { "type": "ForEach", "collectionPath": "payload.items" }, "ActionOutputMapping": { "v": "got[]" } } ], "paths": [] } ],
          "catalogue": { "actions": [ { "id": "a", "name": "Do" } ] },
          "scenarios": [ { "name": "one", "payload": { "items": [5, 6, 7, 8] }, "actions": { "Do": { "outputs": { "v": 1 }, "latencyMs": 10 } } },
                         { "name": "two", "payload": { "items": [5, 6, 7, 8] }, "actions": { "Do": { "outputs": { "v": 2 }, "latencyMs": 10 } } } ] }"#;
        format::import("t.loopwright.json", text).document.unwrap()
    }

    fn reply(host: &mut Host, ask: Ask) -> Reply {
        match host.answer(ask) {
            Outcome::Ok(reply) => *reply,
            other => panic!("{other:?}"),
        }
    }

    fn work(host: &mut Host) -> Summary {
        loop {
            if let Some(summary) = host.work(50) {
                return summary;
            }
        }
    }

    fn payload(host: &mut Host, run: RunId) -> String {
        match reply(host, Ask::Payload { run, at_us: u64::MAX, since_us: None }) {
            Reply::Payload(view) => view.payload,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_run_is_held_changed_sent_on_and_gone_by_again() {
        let document = document();
        let (graph, scenarios) = (document.graphs().next().unwrap(), document.scenarios().map(|scenario| scenario.id).collect::<Vec<_>>());
        let step = graph.steps().next().unwrap().id();
        let text = loopwright_model::snapshot::write(&document);
        let (mut host, run, new) = (Host::default(), RunId(1), RunId(2));
        let start = |run, scenario| Ask::Run { run, document: text.clone(), graph: graph.id(), scenario, profile: Profile::Documented };

        assert_eq!(reply(&mut host, Ask::Stops { run, stops: vec![Stop::Iteration { step, index: 1 }] }), Reply::Done);
        reply(&mut host, start(run, scenarios.first().copied()));
        let paused = work(&mut host).paused.unwrap();
        assert!(!host.is_working() && paused.stop.is_some());
        let Reply::Held(held) = reply(&mut host, Ask::Held { run }) else { panic!("held") };
        let call = held.calls.first().unwrap().call;
        reply(&mut host, Ask::Answer { run, call, ok: true, answer: r#"{"v":"mine"}"#.into() });
        reply(&mut host, Ask::Go { run, how: Go::On });
        assert_eq!(work(&mut host).state, RunState::Completed);
        assert_eq!(payload(&mut host, run), r#"{"items":[5,6,7,8],"got":[1,"mine",1,1]}"#);

        let Reply::Matrix(matrix) =
            reply(&mut host, Ask::Matrix { run, of: Rows::Step { step }, filter: "index=2".into(), order: None, from: 0, count: 9 })
        else {
            panic!("matrix")
        };
        let row = matrix.rows.first().unwrap().frame;
        let Reply::Frame(_) = reply(&mut host, Ask::Frame { run, frame: row }) else { panic!("frame") };
        let event = u64::from(host.simulation(run).unwrap().log().row(row.0).unwrap().events.0);
        let scenario = scenarios.get(1).copied();
        let again = Ask::Again { run, event, new, document: text.clone(), graph: graph.id(), scenario, profile: Profile::Documented };
        reply(&mut host, again);
        assert_eq!(work(&mut host).state, RunState::Completed);
        // The call of the iteration that begins there is under way by then: it has its answer from the scenario it was made under.
        assert_eq!(payload(&mut host, new), r#"{"items":[5,6,7,8],"got":[1,1,1,2]}"#);
    }
}
