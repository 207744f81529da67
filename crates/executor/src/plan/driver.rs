//! A virtual clock over a run: answers come when they are due, ties in dispatch order, a cancel before everything else.

use std::{cmp::Reverse, collections::BinaryHeap};

use loopwright_lang::Value;

use super::run::{Call, Command, Outcome, PlanRun};
use crate::engine::{Progress, Ticket};

/// When something comes, and what it is: time, place in the wave, whether it is a deadline, order of asking.
type Due = (u64, usize, bool, u64);

/// A run with a virtual clock.
#[derive(Clone, Debug)]
pub struct Driver {
    /// The run.
    pub run: PlanRun,
    coming: BinaryHeap<Reverse<Due>>,
    /// What was answered, by order of asking.
    answers: std::collections::BTreeMap<u64, (Ticket, Outcome)>,
    asked: u64,
    cancel: Option<(u64, Value)>,
}

impl Driver {
    /// Drives a run from its beginning; `cancel` comes at that time with that reason.
    pub fn new(run: PlanRun, cancel: Option<(u64, Value)>) -> Self {
        Self { run, coming: BinaryHeap::new(), answers: std::collections::BTreeMap::new(), asked: 0, cancel }
    }

    /// Lets one thing happen. `answer` says what a call gives, and after how many microseconds.
    pub fn step(&mut self, answer: &mut dyn FnMut(&Call) -> (u64, Outcome)) -> Progress {
        if self.run.advance() == Progress::Finished {
            return Progress::Finished;
        }
        for command in self.run.take_commands() {
            let (ticket, after, outcome) = match command {
                Command::StartCall { ticket, call } => {
                    let (after, outcome) = answer(&call);
                    (ticket, after, outcome)
                }
                Command::StartTimer { ticket, after } => (ticket, after, Outcome::Fired),
                Command::Cancel { .. } => continue,
            };
            let (entry, deadline) = self.run.rank(ticket);
            self.coming.push(Reverse((self.run.now().saturating_add(after), entry, deadline, self.asked)));
            self.answers.insert(self.asked, (ticket, outcome));
            self.asked += 1;
        }
        while let Some(Reverse((at, _, _, asked))) = self.coming.peek().copied() {
            let wanted = self.answers.get(&asked).is_some_and(|(ticket, _)| self.run.wants(*ticket));
            if let Some((cancelled, reason)) = self.cancel.take_if(|(cancelled, _)| wanted && *cancelled <= at) {
                self.run.cancel(cancelled, reason);
                return self.run.advance();
            }
            self.coming.pop();
            let Some((ticket, outcome)) = self.answers.remove(&asked) else { continue };
            if self.run.complete(ticket, at, outcome).is_ok() {
                break;
            }
        }
        self.run.advance()
    }

    /// Lets everything happen.
    pub fn run_to_end(&mut self, answer: &mut dyn FnMut(&Call) -> (u64, Outcome)) {
        while self.step(answer) != Progress::Finished {}
    }
}
