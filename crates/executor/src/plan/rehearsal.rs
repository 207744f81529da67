//! A plan of a document, run with scripted calls.

use std::{collections::BTreeMap, sync::Arc};

use loopwright_lang::{Text, Value};
use loopwright_model::{
    Document, EntityId, GraphRef,
    plan::{check_graph, parse_duration, start_of},
};

use super::{
    driver::Driver,
    record::{Recorder, WaveSpan, refused},
    run::{Call, Outcome, PlanRun},
};
use crate::{engine::Progress, log::RunLog};

/// A run of a document's plan.
#[derive(Clone, Debug)]
pub struct Rehearsal {
    /// What it begins with again, when it is run again.
    first: Option<Driver>,
    driver: Option<Driver>,
    recorder: Option<Recorder>,
    agent: u32,
    steps: Vec<u32>,
    /// Why the plan is refused, and the step that is to blame.
    refusal: Option<(Option<u32>, String)>,
    /// Calls so far of each tool and each agent.
    counters: BTreeMap<(bool, Text), u64>,
}

impl Rehearsal {
    /// Makes a graph's plan ready. `None` where the graph is no plan. `steps` are the numbers of its tasks.
    pub(crate) fn new(document: &Document, graph: GraphRef<'_>, scenario: Option<EntityId>, agent: usize, steps: Vec<u32>) -> Option<Self> {
        let start = start_of(document, scenario);
        let (_, checked) = check_graph(graph, start)?;
        let refusal = checked.problems.first().map(|problem| {
            let step = problem.task.and_then(|place| steps.get(place).copied());
            let code = problem.source_code().map_or(String::new(), |code| format!(" ({code})"));
            (step, format!("The plan is refused: {}{code}", problem.message))
        });
        let cancel = scenario.and_then(|id| document.field(id, "cancel")).filter(|cancel| !cancel.is_nullish()).map(|cancel| {
            let after = cancel.get("after").and_then(Value::as_str).and_then(|after| parse_duration(after).ok());
            (after.unwrap_or(0), cancel.get("reason").cloned().unwrap_or(Value::Null))
        });
        let driver = checked.plan.map(|plan| Driver::new(PlanRun::start(Arc::new(plan), start), cancel));
        Some(Self {
            first: driver.clone(),
            driver,
            recorder: None,
            agent: u32::try_from(agent).unwrap_or(u32::MAX),
            steps,
            refusal,
            counters: BTreeMap::new(),
        })
    }

    /// The same, not begun.
    pub(crate) fn restarted(&self) -> Self {
        Self { driver: self.first.clone(), recorder: None, counters: BTreeMap::new(), ..self.clone() }
    }

    /// The run; `None` where the plan is refused.
    pub fn run(&self) -> Option<&PlanRun> {
        self.driver.as_ref().map(|driver| &driver.run)
    }

    /// The waves so far.
    pub fn waves(&self) -> &[WaveSpan] {
        self.recorder.as_ref().map_or(&[], |recorder| &recorder.waves)
    }

    /// Lets one thing happen and writes it down. `answer` is asked with the number of the call of that tool or agent.
    pub(crate) fn step(&mut self, log: &mut RunLog, answer: &mut dyn FnMut(&Call, u64) -> (u64, Outcome)) -> Progress {
        let Some(driver) = &mut self.driver else {
            let (step, message) = self.refusal.clone().unwrap_or((None, "This graph is no plan.".into()));
            refused(log, self.agent, step, &message);
            return Progress::Finished;
        };
        let plan = driver.run.plan().clone();
        let recorder = self.recorder.get_or_insert_with(|| Recorder::new(log, plan, self.agent, self.steps.clone()));
        let counters = &mut self.counters;
        let progress = driver.step(&mut |call| {
            let counter = counters.entry((call.is_agent, call.name.clone())).or_insert(0);
            *counter += 1;
            answer(call, *counter - 1)
        });
        for event in driver.run.take_events() {
            recorder.record(log, event, &driver.run);
        }
        if progress == Progress::Finished {
            recorder.finish(log, &driver.run);
        }
        progress
    }

    /// The virtual clock.
    pub(crate) fn now(&self) -> u64 {
        self.driver.as_ref().map_or(0, |driver| driver.run.now())
    }

    /// Ends the run where it is.
    pub(crate) fn cancel(&mut self, log: &mut RunLog) {
        if let (Some(driver), Some(recorder)) = (&mut self.driver, &mut self.recorder) {
            driver.run.cancel(driver.run.now(), Value::text("cancelled"));
            for event in driver.run.take_events() {
                recorder.record(log, event, &driver.run);
            }
            recorder.finish(log, &driver.run);
        }
    }
}
