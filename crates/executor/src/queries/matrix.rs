//! Iterations looked for and sorted, a slice at a time.
//!
//! A view is built while it is asked for: every question looks at so many more iterations and answers with what there is by
//! then. Whoever asks goes on asking until all were looked at, or asks for something else, which drops the view.

use std::cmp::Ordering;

use loopwright_lang::Value;

use super::filter::{Filter, Key};
use crate::{
    log::RunLog,
    protocol::{FrameKind, Matrix, Order, Rows, Trouble},
    simulation::Simulation,
};

/// Most rows in one answer.
const MOST: u32 = 2_000;
/// Iterations looked at for one question.
const SLICE: usize = 40_000;

/// What was asked for, as far as it is built.
#[derive(Debug, Default)]
pub(crate) struct View {
    of: Option<Rows>,
    filter: (String, Filter),
    order: Option<(Order, Key)>,
    /// Where to go on: the place among the loop's iterations, or the row.
    next: usize,
    /// What fits, with what it is sorted by, in order.
    found: Vec<(Value, u32)>,
    looked: u64,
}

impl View {
    fn is_of(&self, of: &Rows, filter: &str, order: Option<&Order>) -> bool {
        self.of.as_ref() == Some(of) && self.filter.0 == filter && self.order.as_ref().map(|(order, _)| order) == order
    }

    /// Looks at more iterations; gives how many are left.
    fn go_on(&mut self, simulation: &Simulation) -> u64 {
        let log = simulation.log();
        let from = self.found.len();
        let look = |view: &mut Self, number: u32| {
            view.looked += 1;
            if !view.filter.1.is_empty() && !view.filter.1.fits(simulation, number) {
                return;
            }
            let key = match (&view.order, log.row(number)) {
                (Some((_, key)), Some(row)) => key.of(simulation, number, row),
                _ => Value::Undefined,
            };
            view.found.push((key, number));
        };
        let left = match self.of.clone() {
            Some(Rows::Loop { frame }) => {
                let iterations = rows_of_loop(log, frame.0);
                for number in iterations.iter().skip(self.next).take(SLICE) {
                    look(self, *number);
                }
                self.next = (self.next + SLICE).min(iterations.len());
                iterations.len() - self.next
            }
            Some(Rows::Step { step }) => {
                let wanted = simulation.execution().compiled().number_of(step);
                let end = log.rows.len().min(self.next + SLICE);
                for at in self.next..end {
                    let fits = log.rows.get(at).is_some_and(|row| row.kind == FrameKind::Iteration && Some(row.step) == wanted);
                    if let (true, Ok(number)) = (fits, u32::try_from(at)) {
                        look(self, number);
                    }
                }
                self.next = end;
                log.rows.len() - end
            }
            None => 0,
        };
        if let Some((order, _)) = &self.order {
            // What is new is sorted and merged with what was sorted before; the sort finds the two runs by itself.
            let down = order.down;
            let compare = |a: &(Value, u32), b: &(Value, u32)| {
                let found = compare(&a.0, &b.0);
                (if down { found.reverse() } else { found }).then(a.1.cmp(&b.1))
            };
            if let Some(new) = self.found.get_mut(from..) {
                new.sort_by(compare);
            }
            self.found.sort_by(compare);
        }
        left as u64
    }
}

fn rows_of_loop(log: &RunLog, frame: u32) -> &[u32] {
    let round = if log.loop_(frame).is_some() { Some(frame) } else { log.inner(frame) };
    round.and_then(|round| log.loop_(round)).map(|detail| detail.iterations.as_slice()).unwrap_or_default()
}

/// Numbers before texts before everything else; what is not there comes last.
fn compare(a: &Value, b: &Value) -> Ordering {
    let class = |value: &Value| match value {
        value if value.as_number().is_some() => 0,
        Value::Bool(_) => 1,
        Value::Text(_) => 2,
        Value::Null | Value::Undefined => 4,
        _ => 3,
    };
    class(a).cmp(&class(b)).then_with(|| match (a.as_number(), b.as_number(), a, b) {
        (Some(a), Some(b), ..) => a.total_cmp(&b),
        (_, _, Value::Text(a), Value::Text(b)) => a.as_str().cmp(b.as_str()),
        (_, _, Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        _ => Ordering::Equal,
    })
}

impl Simulation {
    /// A window of the iterations that fit, in an order. Every call looks at some more of them; see [`Matrix::looked`].
    pub fn matrix(&mut self, of: &Rows, filter: &str, order: Option<&Order>, from: u64, count: u32) -> Result<Matrix, Trouble> {
        let mut view = std::mem::take(&mut self.view);
        if !view.is_of(of, filter, order) {
            let words = Filter::read(filter).map_err(|message| Trouble::new("filter_unclear", message))?;
            let key = order.map(|order| Key::read(&order.by)).transpose().map_err(|message| Trouble::new("filter_unclear", message))?;
            let order = order.cloned().zip(key);
            view = View { of: Some(of.clone()), filter: (filter.to_owned(), words), order, ..View::default() };
        }
        let left = view.go_on(self);
        let skip = usize::try_from(from).unwrap_or(usize::MAX);
        let window = view.found.iter().skip(skip).take(count.min(MOST) as usize);
        let matrix = Matrix {
            total: view.found.len() as u64,
            looked: view.looked,
            left,
            from,
            rows: window.filter_map(|(_, row)| self.iteration_row(*row)).collect(),
        };
        self.view = view;
        Ok(matrix)
    }
}
