//! Attempts of ordinary tasks, with their delays.

use super::{Answer, EventKind, Failure, TaskRun, compiled, run::Go};
use crate::random::{Key, Purpose};

/// The longest delay of an exponential backoff that names none, in milliseconds.
const LONGEST_MS: u64 = 30_000;

impl TaskRun {
    /// Begins an attempt.
    pub(super) fn attempt(&mut self, place: usize) -> Go {
        if !self.admit(place)? {
            return Ok(());
        }
        let Some(record) = self.records.get_mut(place) else { return Ok(()) };
        record.attempts += 1;
        let number = record.attempts;
        if let Some(live) = self.live.get_mut(place) {
            live.attempts += 1;
        }
        let go = self.emit(EventKind::Attempt(place, number));
        self.start_timer(place);
        let tasks = self.tasks.clone();
        let called = match tasks.parts.get(place).and_then(|parts| parts.first.as_ref()) {
            Some(body) => {
                let scope = compiled::scope(self.values(place), []);
                self.call(place, body, &scope, None, loopwright_lang::Value::Undefined)
            }
            None => Ok(()),
        };
        go?;
        called.or_else(|failure| self.attempt_failed(place, failure))
    }

    /// Its call ended.
    pub(super) fn attempt_ended(&mut self, place: usize, answer: Answer) -> Go {
        match answer {
            Answer::Threw(failure) => self.attempt_failed(place, failure),
            Answer::Returned(value) if self.settings.checkpoint && !value.can_be_saved() => {
                let found = value.special.unwrap_or_else(|| compiled::shown(&value.value));
                self.attempt_failed(place, Failure::NotJson(found))
            }
            Answer::Returned(value) => self.succeed(place, value),
        }
    }

    /// It failed: again after a delay, while attempts remain.
    pub(super) fn attempt_failed(&mut self, place: usize, failure: Failure) -> Go {
        self.drop_ticket(|run| run.live.get_mut(place)?.timer.take());
        let Some(retry) = self.tasks.task(place).map(|task| task.retry.clone()) else { return Ok(()) };
        let (made, number) =
            (self.live.get(place).map_or(0, |live| live.attempts), self.records.get(place).map_or(0, |record| record.attempts));
        if made >= retry.attempts || self.is_aborting() {
            return self.fail(place, failure);
        }
        let doublings = u32::try_from(made.saturating_sub(1)).unwrap_or(u32::MAX);
        let doubled =
            |delay: u64| 2_u64.checked_pow(doublings).map_or(if delay == 0 { 0 } else { u64::MAX }, |by| delay.saturating_mul(by));
        let wanted = if retry.exponential { doubled(retry.delay_ms) } else { retry.delay_ms };
        let longest = retry.max_delay_ms.or(retry.exponential.then_some(LONGEST_MS)).unwrap_or(u64::MAX);
        let mut delay = wanted.min(longest) as f64;
        if retry.jitter {
            let key = self.tasks.task(place).map(|task| task.key.clone()).unwrap_or_default();
            let attempt = u32::try_from(number).unwrap_or(u32::MAX);
            delay *= Key { seed: &self.settings.seed, step: &key, path: &[], attempt, purpose: Purpose::Delay }.uniform();
        }
        if let Failure::Thrown { retry_after_ms: Some(floor), .. } = &failure {
            delay = delay.max(*floor);
        }
        let delay = delay.ceil() as u64;
        self.emit(EventKind::Retry(place, number, delay))?;
        self.delay(place, delay);
        Ok(())
    }

    /// The delay is over.
    pub(super) fn delayed(&mut self, place: usize) -> Go {
        if let Some(live) = self.live.get_mut(place) {
            live.delay = None;
        }
        self.attempt(place)
    }
}
