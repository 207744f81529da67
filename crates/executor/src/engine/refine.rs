//! Refine steps: rounds of an attempt and a check, with the check's feedback to the next attempt (flow-agents.md, "Refine").
//! A step's rounds are iterations of a loop in the log; each attempt and each check is a call under its round.

use std::sync::Arc;

use loopwright_lang::{LoopFrame, Scope, Severity, Text, Value, mapping};

use super::{
    Class, Done, Execution, Frame, Running, SlotId, Waiter,
    loops::{Loop, Part},
    task::Place,
};
use crate::{
    compile::{
        Body, LoopSpec, Task,
        refine::{Check, Refine, round_record, verdict},
    },
    log::{EventKind, NONE},
    protocol::{FrameKind, State},
};

/// What a Refine step is at.
#[derive(Debug, Default)]
pub(crate) struct Rounds {
    /// The candidate is being judged.
    pub(crate) checking: bool,
    /// This round's candidate.
    pub(crate) candidate: Value,
    /// What the last check said.
    pub(crate) feedback: Value,
    /// The candidate with the best score so far.
    pub(crate) best: Option<(f64, Value)>,
    /// The best score after each round.
    pub(crate) scores: Vec<f64>,
    /// The row of the call under way.
    pub(crate) call: u32,
}

impl Execution {
    /// Begins the next round.
    pub(crate) fn refine_round(&mut self, slot: SlotId, round: &mut Loop) -> Option<Done> {
        let index = round.next;
        round.next += 1;
        let feedback = round.rounds.as_ref().map_or(Value::Undefined, |rounds| rounds.feedback.clone());
        let given = Value::object([("round", Value::Number(round.next as f64)), ("feedback", feedback.clone())]);
        let number = u32::try_from(index).unwrap_or(NONE);
        let row = self.begin(FrameKind::Iteration, EventKind::IterationStart, round.row, round.step, number, given.clone());
        if let Some(detail) = self.log.loop_mut(round.row) {
            detail.started += 1;
            if row != NONE {
                detail.iterations.push(row);
            }
        }
        round.parts.clear();
        round.parts.push(Part { index, row, item: given, running: Running::Nothing, done: None });
        let rounds = round.rounds.get_or_insert_default();
        rounds.checking = false;
        rounds.candidate = Value::Undefined;
        let spec = round.spec.clone();
        self.refine_call(slot, round, &spec.task);
        None
    }

    /// Starts this round's attempt or check.
    fn refine_call(&mut self, slot: SlotId, round: &mut Loop, task: &Task) {
        let Some((part_row, index)) = round.parts.first().map(|part| (part.row, part.index)) else { return };
        let Some(scope) = self.refine_scope(round) else { return };
        let checking = round.rounds.as_ref().is_some_and(|rounds| rounds.checking);
        let name: Text = match &task.body {
            Body::Call(callee) => self.compiled.callees.get(*callee).map_or_else(|| "".into(), |callee| callee.name.clone()),
            Body::Agent(agent) => self.compiled.agents.get(*agent).map_or_else(|| "".into(), |agent| agent.name.clone()),
            Body::Own | Body::Missing => "".into(),
        };
        let row = self.begin(FrameKind::Call, EventKind::CallStart, part_row, round.step, u32::from(checking), Value::Text(name));
        let mut path = round.path.clone();
        path.push(index);
        let place = Place { owner: (slot, 0), row, path, key: round.key.clone(), attempt: round.attempt, depth: round.depth };
        // A prompt or an agent reads in its payload what an action is given as parameters.
        let mut seen = scope.payload.clone().unwrap_or_default();
        if let Value::Object(fields) = &mut seen {
            for frame in scope.loops.iter().take(if checking { 3 } else { 2 }) {
                if !frame.item.is_undefined() {
                    fields.insert(frame.item_variable.clone(), frame.item.clone());
                }
            }
            if !task.is_action
                && let Some(input) = &task.input
            {
                let (params, _) = input.resolve(&scope, &self.compiled.semantics);
                for (name, value) in params.as_object().into_iter().flat_map(|params| params.iter()) {
                    fields.insert(name.clone(), value.clone());
                }
            }
        }
        let running = self.start_task(task, &scope, seen, place);
        if let Some(part) = round.parts.first_mut() {
            part.running = running;
        }
        if let Some(rounds) = &mut round.rounds {
            rounds.call = row;
        }
    }

    /// The roots in a round: those of mappings, `feedback` and `round`, and in a check `result`.
    fn refine_scope(&self, round: &Loop) -> Option<Scope> {
        let Some(Frame::Agent(agent)) = self.slots.get(round.agent).map(|place| &place.frame) else { return None };
        let rounds = round.rounds.as_ref()?;
        let index = round.next.saturating_sub(1);
        let frame = |name: &str, item: Value| LoopFrame { item_variable: name.into(), item, index_variable: None, index };
        let mut scope = agent.scope();
        scope.loops.insert(0, frame("round", Value::Number(round.next as f64)));
        scope.loops.insert(0, frame("feedback", rounds.feedback.clone()));
        if rounds.checking {
            scope.loops.insert(0, frame("result", rounds.candidate.clone()));
        }
        Some(scope)
    }

    /// An attempt or a check is done.
    pub(crate) fn refine_child(&mut self, slot: SlotId, round: &mut Loop, done: Done) -> Option<Done> {
        let spec = round.spec.clone();
        let refine = spec.refine.as_deref()?;
        let now = self.now;
        if let Some(rounds) = &round.rounds {
            self.log.end(now, rounds.call, EventKind::CallEnd, done.state(), done.result.clone(), done.error.clone());
        }
        if let Some(part) = round.parts.first_mut() {
            part.running = Running::Nothing;
        }
        if !done.ok {
            return Some(self.refine_failed(round, done.error.unwrap_or_else(|| "failed".into())));
        }
        let rounds = round.rounds.get_or_insert_default();
        if rounds.checking {
            return match verdict(&done.result) {
                Ok(feedback) => self.refine_judged(slot, round, &spec, feedback),
                Err(message) => Some(self.refine_failed(round, message.into())),
            };
        }
        rounds.candidate = done.result;
        rounds.checking = true;
        self.refine_score(round, refine);
        match &refine.check {
            Check::Body(task) => {
                self.refine_call(slot, round, task);
                None
            }
            Check::Expression { holds, feedback } => {
                let scope = self.refine_scope(round)?;
                match holds.holds(&scope, &self.compiled.semantics) {
                    Ok(true) => self.refine_judged(slot, round, &spec, None),
                    Ok(false) => {
                        let (said, problems) = mapping::message(feedback, &scope, &self.compiled.semantics);
                        let row = round.parts.first().map_or(round.row, |part| part.row);
                        self.problems(row, &problems);
                        self.refine_judged(slot, round, &spec, Some(said.into()))
                    }
                    Err(message) => Some(self.refine_failed(round, format!("Condition cannot be evaluated: {message}").into())),
                }
            }
        }
    }

    /// Reads the candidate's score and keeps the best.
    fn refine_score(&mut self, round: &mut Loop, refine: &Refine) {
        let Some(path) = &refine.score else { return };
        let Some(scope) = self.refine_scope(round) else { return };
        let score = mapping::resolve_text(path, &scope, &self.compiled.semantics).value.as_number().filter(|score| score.is_finite());
        let row = round.parts.first().map_or(round.row, |part| part.row);
        let Some(rounds) = &mut round.rounds else { return };
        match score {
            Some(score) if rounds.best.as_ref().is_none_or(|(best, _)| score > *best) => {
                rounds.best = Some((score, rounds.candidate.clone()));
            }
            Some(_) => {}
            None => {
                let text = format!("The candidate has no score: {path} is no number.");
                self.notice(row, "N15", Severity::Warning, &text);
            }
        }
        if let Some(rounds) = &mut round.rounds {
            let best = rounds.best.as_ref().map_or(f64::NEG_INFINITY, |(best, _)| *best);
            rounds.scores.push(best);
        }
    }

    /// A verdict is there: the round is over. `feedback`: it was rejected.
    fn refine_judged(&mut self, slot: SlotId, round: &mut Loop, spec: &Arc<LoopSpec>, feedback: Option<Text>) -> Option<Done> {
        let refine = spec.refine.as_deref()?;
        let candidate = round.rounds.as_ref().map_or(Value::Undefined, |rounds| rounds.candidate.clone());
        let record = round_record(&candidate, feedback.as_ref());
        let now = self.now;
        if let Some(part) = round.parts.pop() {
            self.log.end(now, part.row, EventKind::IterationEnd, State::Succeeded, record.clone(), None);
        }
        if let Some(detail) = self.log.loop_mut(round.row) {
            detail.succeeded += 1;
        }
        round.results.push(record);
        let Some(feedback) = feedback else { return Some(self.refine_done(round, refine, "completed")) };
        let has_plateau = refine.plateau.is_some_and(|(rounds, gain)| {
            let scores = round.rounds.as_ref().map_or(&[][..], |rounds| rounds.scores.as_slice());
            let before = scores.len().checked_sub(rounds + 1).and_then(|at| scores.get(at));
            before.zip(scores.last()).is_some_and(|(before, last)| last - before < gain)
        });
        let exhausted = round.next >= spec.config.limit.unwrap_or(u64::MAX);
        if exhausted || has_plateau {
            let text: Text = format!("Not accepted after {} rounds: {feedback}", round.next).into();
            if refine.score.is_some() {
                self.notice(round.row, "N08", Severity::Warning, &format!("{text}. The best candidate is kept."));
                return Some(self.refine_done(round, refine, "limit"));
            }
            return Some(self.loop_over(round, "limit", Some(text)));
        }
        if let Some(rounds) = &mut round.rounds {
            rounds.feedback = Value::Text(feedback);
        }
        if spec.config.delay > 0 {
            self.event(EventKind::DelayStart, round.row, 0);
            round.pause = Some(self.timer(Waiter::Pause(slot), spec.config.delay, Class::Answer));
            return None;
        }
        self.refine_round(slot, round)
    }

    /// A call failed, or gave no verdict: the round and the step fail.
    fn refine_failed(&mut self, round: &mut Loop, message: Text) -> Done {
        let now = self.now;
        if let Some(part) = round.parts.pop() {
            self.log.end(now, part.row, EventKind::IterationEnd, State::Failed, Value::Undefined, Some(message.clone()));
        }
        if let Some(detail) = self.log.loop_mut(round.row) {
            detail.failed += 1;
        }
        self.loop_over(round, "failed", Some(message))
    }

    /// The step's result is the accepted candidate, or the best one.
    fn refine_done(&mut self, round: &mut Loop, refine: &Refine, exit: &'static str) -> Done {
        let rounds = round.rounds.take().unwrap_or_default();
        let result = match rounds.best {
            Some((_, best)) if refine.score.is_some() => best,
            _ => rounds.candidate,
        };
        Done { result, ..self.loop_over(round, exit, None) }
    }
}
