//! Windows of a loop's iterations.

use loopwright_lang::{Object, Value};

use super::cut;
use crate::{
    protocol::{FrameId, IterationRow, Iterations, State},
    simulation::Simulation,
};

/// Most rows in one answer.
const MOST: u32 = 2_000;
/// Characters of a value in a row.
const SHOWN: usize = 200;

impl Simulation {
    /// A window of a loop's iterations. `frame` may also be the visit that holds the loop.
    pub fn iterations(&self, frame: FrameId, from: u64, count: u32, only_failed: bool) -> Option<Iterations> {
        let log = self.log();
        let round = if log.loop_(frame.0).is_some() { frame.0 } else { log.inner(frame.0)? };
        let detail = log.loop_(round)?;
        let fits = |row: &u32| !only_failed || log.row(*row).is_some_and(|row| row.state == State::Failed);
        let total = if only_failed { detail.iterations.iter().filter(|row| fits(row)).count() } else { detail.iterations.len() };
        let skip = usize::try_from(from).unwrap_or(usize::MAX);
        let rows = detail.iterations.iter().filter(|row| fits(row)).skip(skip).take(count.min(MOST) as usize);
        Some(Iterations {
            frame: FrameId(round),
            total: total as u64,
            succeeded: detail.succeeded,
            failed: detail.failed,
            running: detail
                .iterations
                .iter()
                .rev()
                .take(1_000)
                .filter(|row| log.row(**row).is_some_and(|row| row.state == State::Running))
                .count() as u64,
            from,
            rows: rows.filter_map(|row| self.iteration_row(*row)).collect(),
            exit: detail.exit.map(str::to_owned),
        })
    }

    pub(super) fn iteration_row(&self, number: u32) -> Option<IterationRow> {
        let log = self.log();
        let row = log.row(number)?;
        let ended = row.state != State::Running;
        Some(IterationRow {
            frame: FrameId(number),
            index: u64::from(row.index),
            path: log.iteration_path(number),
            state: row.state,
            start_us: row.start,
            end_us: ended.then_some(row.end),
            label: label(&row.given),
            params: self.params_of(number).map_or_else(String::new, |params| cut(&params, SHOWN)),
            result: if row.result.is_undefined() { String::new() } else { cut(&row.result, SHOWN) },
            error: row.error.as_ref().map(|error| error.as_str().to_owned()),
            attempts: 1,
        })
    }

    /// The parameters of an iteration, a visit or an attempt, resolved again.
    pub(crate) fn params_of(&self, row: u32) -> Option<Value> {
        let replay = self.replay();
        let input = replay.task(row)?.task().input.as_ref()?;
        Some(input.resolve(&replay.mapping_scope(row), &self.execution().compiled().semantics).0)
    }
}

/// A short name of an item: itself, or what names it.
pub(crate) fn label(item: &Value) -> String {
    match item {
        Value::Text(text) => text.chars().take(40).collect(),
        Value::Object(object) => named(object),
        Value::Undefined => String::new(),
        other => cut(other, 40),
    }
}

fn named(object: &Object) -> String {
    const NAMES: [&str; 9] = ["name", "title", "label", "email", "id", "key", "path", "url", "attemptNumber"];
    let by_name = NAMES.iter().find_map(|name| object.iter().find(|(key, _)| key.eq_ignore_ascii_case(name))).map(|(_, value)| value);
    let chosen =
        by_name.or_else(|| object.iter().map(|(_, value)| value).find(|value| !matches!(value, Value::Object(_) | Value::List(_))));
    match chosen {
        Some(Value::Text(text)) => text.chars().take(40).collect(),
        Some(value) => cut(value, 40),
        None => cut(&Value::Object(object.clone()), 40),
    }
}
