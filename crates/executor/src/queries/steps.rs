//! What each step looked like at a time.

use loopwright_lang::Value;

use super::cut;
use crate::{
    compile::OnError,
    log::{Row, RunLog},
    protocol::{Cell, Fact, FrameId, PathStatus, RunState, State, StepStatus, Steps},
    simulation::Simulation,
};

/// Cells of a loop's strip.
const CELLS: u64 = 40;

impl Simulation {
    /// What each step and path looked like at a time.
    pub fn steps(&self, at_us: u64) -> Steps {
        let log = self.log();
        let compiled = self.execution().compiled();
        let over = log.state != RunState::Running && at_us >= self.execution().now();
        let event = log.event_at(at_us).unwrap_or(0);
        let root = log.agents.first().map(|agent| agent.agent);
        let mut steps = Vec::new();
        let mut paths = Vec::new();
        for (place, agent) in compiled.agents.iter().enumerate() {
            let took_part =
                root.is_some_and(|root| root as usize == place) || agent.steps.iter().any(|step| log.visits.contains_key(&step.number));
            if !took_part {
                continue;
            }
            for step in &agent.steps {
                let visits = log.visits.get(&step.number).map(Vec::as_slice).unwrap_or_default();
                let begun = visits.partition_point(|visit| log.row(*visit).is_some_and(|row| row.start <= at_us));
                let mut status = StepStatus { step: step.id, visits: begun as u64, ..StepStatus::default() };
                match begun.checked_sub(1).and_then(|last| visits.get(last)).and_then(|visit| Some((*visit, log.row(*visit)?))) {
                    Some((visit, row)) => self.visited(&mut status, visit, row, at_us),
                    None if over => status.state = State::Skipped,
                    None => {}
                }
                steps.push(status);
                for (number, path) in step.paths.iter().enumerate() {
                    let number = u32::try_from(number).unwrap_or(u32::MAX);
                    let Some(taken) = log.taken.get(&(step.number, number)) else { continue };
                    let count = taken.partition_point(|at| *at <= event);
                    let Some(last) = count.checked_sub(1).and_then(|last| taken.get(last)) else { continue };
                    let row = log.event_rows.get(*last as usize).and_then(|row| log.row(*row));
                    let recovery = row.is_some_and(|row| row.state == State::Failed) && step.on_error != OnError::Continue;
                    paths.push(PathStatus { path: path.id, taken: count as u64, recovery });
                }
            }
        }
        Steps { at_us, event: u64::from(event), steps, paths }
    }

    fn visited(&self, status: &mut StepStatus, visit: u32, row: &Row, at_us: u64) {
        let log = self.log();
        status.frame = Some(FrameId(visit));
        status.state = log.state_at(row, at_us);
        let end = if status.state == State::Running { at_us.min(self.execution().now()) } else { row.end };
        status.duration_us = end.saturating_sub(row.start);
        if status.state != State::Running {
            status.fact = fact(row);
        }
        if let Some(detail) = log.inner(visit).and_then(|round| log.loop_(round)) {
            let ended =
                if status.state == State::Running { ended_at(log, &detail.iterations, at_us) } else { detail.succeeded + detail.failed };
            let begun = detail.iterations.partition_point(|row| log.row(*row).is_some_and(|row| row.start <= at_us));
            status.done = ended;
            status.of = detail.of;
            status.current = (begun as u64).checked_sub(1);
            status.cells = cells(log, &detail.iterations, detail.of, at_us);
        }
    }
}

/// How many of a loop's iterations had ended.
fn ended_at(log: &RunLog, iterations: &[u32], at: u64) -> u64 {
    let begun = iterations.partition_point(|row| log.row(*row).is_some_and(|row| row.start <= at));
    // Only those that run together can have ended out of order; they are at the end.
    iterations.iter().take(begun).filter(|row| log.row(**row).is_some_and(|row| row.state != State::Running && row.end <= at)).count()
        as u64
}

/// The strip: each cell the worst state of its share of the iterations.
fn cells(log: &RunLog, iterations: &[u32], of: Option<u64>, at: u64) -> Vec<Cell> {
    let all = of.unwrap_or(0).max(iterations.len() as u64);
    let count = all.min(CELLS);
    (0..count)
        .map(|cell| {
            let (from, to) = (cell * all / count, (cell + 1) * all / count);
            let rows = (from..to).filter_map(|index| iterations.get(usize::try_from(index).ok()?)).filter_map(|row| log.row(*row));
            let mut state = State::Pending;
            for row in rows {
                let own = log.state_at(row, at);
                if weight(own) > weight(state) {
                    state = own;
                }
            }
            Cell { index: from, count: to - from, state }
        })
        .collect()
}

fn weight(state: State) -> u8 {
    match state {
        State::Pending => 0,
        State::Skipped => 1,
        State::Succeeded => 2,
        State::Cancelled => 3,
        State::Running => 4,
        State::Failed => 5,
    }
}

/// The fact that matters of a visit that has ended.
fn fact(row: &Row) -> Option<Fact> {
    if let Some(error) = &row.error {
        return Some(Fact::Error(error.as_str().to_owned()));
    }
    match row.result.get("result")? {
        Value::List(list) => Some(Fact::Count(list.len() as u64)),
        Value::Object(object) => {
            let list = object.iter().find_map(|(_, value)| value.as_list());
            if let Some(list) = list {
                return Some(Fact::Count(list.len() as u64));
            }
            object.iter().find(|(_, value)| !matches!(value, Value::Object(_))).map(|(_, value)| Fact::Value(cut(value, 40)))
        }
        value => Some(Fact::Value(cut(value, 40))),
    }
}
