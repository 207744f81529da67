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
        | Ask::Matrix { run, .. }
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
