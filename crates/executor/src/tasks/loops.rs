//! The rounds of a loop task (loop-tasks.md, "Round algorithm").

use loopwright_lang::Value;
use loopwright_model::tasks::{ROUNDS, TaskKind};

use super::{
    Answer, Candidate, EventKind, Failure, Phase, Reply, Round, TaskRun, Verdict,
    compiled::{self, CompiledCheck},
    run::Go,
};

impl TaskRun {
    /// Ends the loop, goes on with an unfinished round, or opens the next one.
    pub(super) fn open_round(&mut self, place: usize) -> Go {
        let tasks = self.tasks.clone();
        let Some(TaskKind::Loop { max_rounds, .. }) = tasks.task(place).map(|task| &task.kind) else { return Ok(()) };
        let rounds = self.records.get(place).map(|record| record.rounds.as_slice()).unwrap_or_default();
        let (number, phase) = match rounds.last() {
            None => (1, Phase::Attempt),
            Some(round) if round.phase != Phase::Complete => (round.number, round.phase),
            Some(round) => match &round.check {
                Some(Verdict::Rejected(feedback)) if round.number >= *max_rounds => {
                    let failure = Failure::Exhausted(*max_rounds, feedback.clone());
                    return self.fail(place, failure);
                }
                Some(Verdict::Rejected(_)) => (round.number + 1, Phase::Attempt),
                // Accepted, in this start or the one before.
                _ => {
                    let saved = round.output.clone().map(Candidate::from);
                    let candidate = saved.or_else(|| self.live.get(place).map(|live| live.candidate.clone())).unwrap_or_default();
                    return self.succeed(place, candidate);
                }
            },
        };
        if number > ROUNDS {
            return self.fail(place, Failure::TooManyRounds);
        }
        if !self.admit(place)? {
            return Ok(());
        }
        let attempt = self.records.get(place).map_or(0, |record| record.attempts) + 1;
        self.emit(EventKind::Attempt(place, attempt))?;
        if let Some(record) = self.records.get_mut(place) {
            record.attempts = attempt;
            match record.rounds.last() {
                Some(round) if round.number == number => {
                    let saved = round.output.clone();
                    if let (Some(live), Some(saved)) = (self.live.get_mut(place), saved) {
                        live.candidate = saved.into();
                    }
                }
                _ => record.rounds.push(Round { number, phase: Phase::Attempt, output: None, check: None }),
            }
        }
        if phase == Phase::Check {
            return self.check(place, number, true);
        }
        let go = self.emit(EventKind::Loop(place, number, Phase::Attempt));
        self.start_timer(place);
        let feedback = self.feedback(place, number);
        let called = match tasks.parts.get(place).and_then(|parts| parts.first.as_ref()) {
            Some(body) => {
                let scope = compiled::scope(self.values(place), roots(number, Phase::Attempt, &feedback));
                self.call(place, body, &scope, Some((number, Phase::Attempt)), feedback)
            }
            None => Ok(()),
        };
        go?;
        called.or_else(|failure| self.fail(place, failure))
    }

    /// What the attempt of a round is told.
    fn feedback(&self, place: usize, number: u64) -> Value {
        let rounds = self.records.get(place).map(|record| record.rounds.as_slice()).unwrap_or_default();
        let before = rounds.iter().rev().find(|round| round.number + 1 == number);
        match before.and_then(|round| round.check.as_ref()) {
            Some(Verdict::Rejected(feedback)) => Value::Text(feedback.clone()),
            _ => Value::Undefined,
        }
    }

    /// Judges the candidate, by a call or at once. A replayed check has a timer of its own.
    fn check(&mut self, place: usize, number: u64, replayed: bool) -> Go {
        let tasks = self.tasks.clone();
        let go = self.emit(EventKind::Loop(place, number, Phase::Check));
        if replayed {
            self.start_timer(place);
        }
        let candidate = self.live.get(place).map(|live| live.candidate.value.clone()).unwrap_or_default();
        let feedback = self.feedback(place, number);
        let more = roots(number, Phase::Check, &feedback).into_iter().chain([("result", candidate)]);
        let scope = compiled::scope(self.values(place), more);
        match tasks.parts.get(place).and_then(|parts| parts.check.as_ref()) {
            Some(CompiledCheck::Body(body)) => {
                let called = self.call(place, body, &scope, Some((number, Phase::Check)), feedback);
                go?;
                called.or_else(|failure| self.fail(place, failure))
            }
            Some(CompiledCheck::Expression { done, feedback }) => {
                go?;
                match tasks.judge(done, feedback.as_ref(), &scope) {
                    Ok(verdict) => self.judged(place, verdict),
                    Err(failure) => self.fail(place, failure),
                }
            }
            None => go,
        }
    }

    /// A call of a round ended.
    pub(super) fn phase_ended(&mut self, place: usize, reply: Reply) -> Go {
        let Some((number, phase)) =
            self.records.get(place).and_then(|record| record.rounds.last()).map(|round| (round.number, round.phase))
        else {
            return Ok(());
        };
        if let (Phase::Check, Some(Value::Object(written)), Some(live)) = (phase, &reply.mutate, self.live.get_mut(place))
            && let Value::Object(candidate) = &live.candidate.value
        {
            live.candidate.value = Value::Object(candidate.with(written.iter().map(|(key, value)| (key.clone(), value.clone()))));
        }
        let given = match reply.answer {
            Answer::Threw(failure) => return self.fail(place, failure),
            Answer::Returned(given) => given,
        };
        if phase == Phase::Check {
            let verdict = if given.special.is_none() { Verdict::read(&given.value) } else { None };
            return match verdict {
                Some(verdict) => self.judged(place, verdict),
                None => {
                    let found = given.special.unwrap_or_else(|| compiled::shown(&given.value));
                    self.fail(place, Failure::Verdict(found))
                }
            };
        }
        if self.settings.checkpoint && !given.can_be_saved() {
            let found = given.special.unwrap_or_else(|| compiled::shown(&given.value));
            return self.fail(place, Failure::NotJson(found));
        }
        if let Some(round) = self.records.get_mut(place).and_then(|record| record.rounds.last_mut()) {
            round.phase = Phase::Check;
            round.output = self.settings.checkpoint.then(|| given.value.clone());
        }
        if let Some(live) = self.live.get_mut(place) {
            live.candidate = given;
        }
        self.check(place, number, false)
    }

    /// The round has its verdict.
    fn judged(&mut self, place: usize, verdict: Verdict) -> Go {
        self.drop_ticket(|run| run.live.get_mut(place)?.timer.take());
        let candidate = self.live.get(place).map(|live| live.candidate.value.clone()).unwrap_or_default();
        let Some(round) = self.records.get_mut(place).and_then(|record| record.rounds.last_mut()) else { return Ok(()) };
        round.phase = Phase::Complete;
        round.check = Some(verdict);
        if self.settings.checkpoint {
            round.output = Some(candidate);
        }
        let number = round.number;
        self.emit(EventKind::Loop(place, number, Phase::Complete))?;
        self.open_round(place)
    }
}

fn roots(number: u64, phase: Phase, feedback: &Value) -> Vec<(&'static str, Value)> {
    vec![("feedback", feedback.clone()), ("round", Value::Number(number as f64)), ("phase", Value::text(phase.name()))]
}
