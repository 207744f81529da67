//! Everything about one part of a run, and what texts could refer to there.

use loopwright_lang::{Value, expr::Explained};
use loopwright_model::EntityId;

use super::{changes, cut, shown};
use crate::{
    compile::Body,
    log::{EventKind, NONE},
    protocol::{AttemptRow, Condition, ConditionPart, Frame, FrameId, FrameKind, LoopView, Param, PayloadChange, Reason, ScopeView, State},
    replay::Replay,
    simulation::Simulation,
};

/// Most events looked through for the last condition of a part.
const LOOK_BACK: usize = 64;

impl Simulation {
    /// Everything about one part of a run.
    pub fn frame(&self, frame: FrameId) -> Option<Frame> {
        let log = self.log();
        let replay = self.replay();
        let row = log.row(frame.0)?;
        let compiled = self.execution().compiled();
        let step = compiled.step_numbered(row.step);
        let is_iteration = row.kind == FrameKind::Iteration;
        let round = is_iteration.then(|| log.loop_(row.parent)).flatten();
        let neighbour = |by: i64| {
            let at = usize::try_from(i64::from(row.index) + by).ok()?;
            round?.iterations.get(at).copied().map(FrameId)
        };
        let task = replay.task(frame.0);
        let called = task.map(|task| match task.task().body {
            Body::Call(callee) => compiled.callees.get(callee).map_or("", |callee| callee.name.as_str()),
            Body::Agent(agent) => compiled.agents.get(agent).map_or("", |agent| agent.name.as_str()),
            Body::Own => "(agent prompt)",
            Body::Missing => "",
        });
        let (condition, reason) = self.why(frame.0);
        let (asked_of, asked) = self.evaluations(frame.0);
        let result = match row.kind {
            // A step's row holds its stepResult; what it gave is in there.
            FrameKind::Step | FrameKind::Turn => {
                row.result.get("result").or_else(|| row.result.get("results")).cloned().unwrap_or_default()
            }
            _ => row.result.clone(),
        };
        Some(Frame {
            frame,
            kind: row.kind,
            step: step.map(|step| step.id),
            place: self.place_of(frame.0),
            path: log.iteration_path(frame.0),
            of_loop: is_iteration.then_some(FrameId(row.parent)),
            neighbours: (neighbour(-1), neighbour(1)),
            index: is_iteration.then_some(u64::from(row.index)),
            of: round.and_then(|round| round.of),
            state: row.state,
            start_us: row.start,
            end_us: (row.state != State::Running).then_some(row.end),
            item: round.map(|round| (round.spec.config.item_variable.clone(), shown(&row.given))),
            called: called.map(str::to_owned),
            params: self.params_explained(frame.0),
            result: (!result.is_undefined()).then(|| shown(&result)),
            error: row.error.as_ref().map(|error| error.as_str().to_owned()),
            attempts: self.attempts(frame.0),
            changes: self.changes_of(frame.0),
            reason,
            condition,
            exit: log.loop_(frame.0).and_then(|detail| detail.exit).map(str::to_owned),
            cause: self.exit_cause(frame.0),
            asked_of,
            asked,
            notices: log.notices.iter().filter(|notice| notice.row == frame.0).map(|notice| self.notice_of(notice)).collect(),
        })
    }

    fn params_explained(&self, row: u32) -> Vec<Param> {
        let replay = self.replay();
        let Some(input) = replay.task(row).and_then(|task| task.task().input.as_ref()) else { return Vec::new() };
        let resolved = input.explain(&replay.scope(row), &self.execution().compiled().semantics);
        let written = input.written.as_object().cloned().unwrap_or_default();
        let mut params = Vec::new();
        for (name, text) in written.iter() {
            let value = resolved.params.get(name).cloned().unwrap_or_default();
            let notes: Vec<_> =
                resolved.notes.iter().filter(|(place, _)| place.first().is_some_and(|first| first == name.as_str())).collect();
            let own = notes.iter().find(|(place, _)| place.len() == 1).map(|(_, note)| note.rule);
            params.push(Param {
                name: name.as_str().to_owned(),
                written: shown(text),
                value: shown(&value),
                rule: own,
                problems: notes.iter().flat_map(|(_, note)| note.problems.iter().cloned()).collect(),
            });
        }
        params
    }

    fn attempts(&self, row: u32) -> Vec<AttemptRow> {
        let log = self.log();
        let Some(found) = log.row(row).filter(|row| row.kind == FrameKind::Step) else { return Vec::new() };
        let _ = found;
        log.children(row)
            .into_iter()
            .filter_map(|child| Some((child, log.row(child)?)))
            .filter(|(_, child)| child.kind == FrameKind::Attempt)
            .map(|(number, child)| AttemptRow {
                number: child.index + 1,
                frame: FrameId(number),
                state: child.state,
                start_us: child.start,
                end_us: (child.state != State::Running).then_some(child.end),
                error: child.error.as_ref().map(|error| error.as_str().to_owned()),
            })
            .collect()
    }

    /// What a part changed in its agent's payload.
    fn changes_of(&self, row: u32) -> Vec<PayloadChange> {
        let log = self.log();
        let replay = self.replay();
        let Some(found) = log.row(row) else { return Vec::new() };
        let agent = log.agent_of(row);
        let (before, after) = match found.kind {
            FrameKind::Iteration => {
                // In a parallel loop the result is written when the batch is done.
                let Some(detail) = log.agent(agent) else { return Vec::new() };
                let from = detail.writes.partition_point(|write| write.event < found.events.0);
                let write = detail.writes.get(from..).unwrap_or_default().iter().find(|write| write.by == row);
                let Some(write) = write else { return Vec::new() };
                (replay.payload_before(agent, write.event), replay.payload_at(agent, Some(write.event)))
            }
            FrameKind::Agent => (found.given.clone(), found.result.clone()),
            _ => (replay.payload_before(agent, found.events.0), replay.payload_at(agent, Some(self.last_event(row)))),
        };
        let mut listed = changes(&before, &after);
        let by = self.execution().compiled().step_numbered(found.step).map(|step| step.id);
        for change in &mut listed {
            change.by = by;
        }
        listed
    }

    fn last_event(&self, row: u32) -> u32 {
        let log = self.log();
        match log.row(row) {
            Some(found) if found.state != State::Running => found.events.1,
            _ => u32::try_from(log.len()).unwrap_or(u32::MAX).saturating_sub(1),
        }
    }

    /// Why a part began, and the condition behind that.
    fn why(&self, row: u32) -> (Option<Condition>, Option<Reason>) {
        let log = self.log();
        let replay = self.replay();
        let Some(found) = log.row(row) else { return (None, None) };
        match found.kind {
            FrameKind::Agent if found.parent == NONE => (None, Some(Reason::Start)),
            FrameKind::Agent => (None, Some(Reason::Called)),
            FrameKind::Turn => (None, Some(Reason::Turn { number: u64::from(found.index) })),
            FrameKind::Call => (None, None),
            FrameKind::Attempt => {
                let before = log.row(found.before);
                let of = self.execution().compiled().step_numbered(found.step).map_or(1, |step| step.retries + 1);
                let reason = before.map(|before| Reason::Retry {
                    attempt: found.index + 1,
                    of,
                    error: before.error.as_ref().map_or_else(String::new, |error| error.as_str().to_owned()),
                });
                (None, reason)
            }
            FrameKind::Step => self.why_visited(row, &replay),
            FrameKind::Loop => (self.loop_condition_before(row, self.last_event(row) as usize + 1), None),
            FrameKind::Iteration => {
                let Some(detail) = log.loop_(found.parent) else { return (None, None) };
                if detail.spec.config.condition.is_some() {
                    return (self.loop_condition_before(found.parent, found.events.0 as usize), Some(Reason::ConditionHeld));
                }
                if let Some(size) = detail.spec.config.batch {
                    let number = u64::from(found.index) / size.max(1) as u64;
                    let begun = detail.started.saturating_sub(number * size as u64).min(size as u64);
                    return (None, Some(Reason::Batch { number, size: begun }));
                }
                let before =
                    found.index.checked_sub(1).and_then(|at| detail.iterations.get(at as usize)).and_then(|before| log.row(*before));
                let reason = match before {
                    None => Reason::FirstItem,
                    Some(before) if before.state == State::Failed => Reason::AfterFailure { index: u64::from(before.index) },
                    Some(_) => Reason::NextItem,
                };
                (None, Some(reason))
            }
        }
    }

    fn why_visited(&self, row: u32, replay: &Replay<'_>) -> (Option<Condition>, Option<Reason>) {
        let log = self.log();
        let Some(found) = log.row(row) else { return (None, None) };
        let Some(detail) = log.agent(found.parent) else { return (None, None) };
        let place = detail.parts.iter().position(|part| *part == row);
        let Some(before) = place.and_then(|place| place.checked_sub(1)).and_then(|place| detail.parts.get(place).copied()) else {
            return (None, Some(Reason::Start));
        };
        let taken = log.args.get(found.events.0 as usize).copied().unwrap_or(0);
        let compiled = self.execution().compiled();
        let Some((came_from, step)) = log.row(before).and_then(|came| Some((came, compiled.step_numbered(came.step)?))) else {
            return (None, None);
        };
        let Some(path) = taken.checked_sub(1).and_then(|at| step.paths.get(at as usize)) else { return (None, None) };
        let reason = Reason::Path {
            path: path.id,
            from: step.id,
            conditional: path.condition.is_some(),
            recovery: came_from.state == State::Failed && step.on_error != crate::compile::OnError::Continue,
        };
        let condition = path.condition.as_ref().map(|condition| {
            let scope = replay.condition_scope(before, found.events.0);
            let explained = condition.explain(&scope, &compiled.semantics);
            self.condition(&condition.text, Some(path.id), &explained)
        });
        (condition, Some(reason))
    }

    /// The last evaluation of a loop's condition before an event.
    fn loop_condition_before(&self, round: u32, event: usize) -> Option<Condition> {
        let at = self.condition_event(round, event, LOOK_BACK)?;
        self.loop_condition(round, at)
    }

    /// The last evaluation of a loop's condition, and its event.
    pub(super) fn loop_condition_at(&self, round: u32) -> Option<(Condition, u32)> {
        let at = self.condition_event(round, self.last_event(round) as usize + 1, usize::MAX)?;
        Some((self.loop_condition(round, at)?, at))
    }

    /// The event of the last evaluation of a loop's condition before an event, looking through so many.
    fn condition_event(&self, round: u32, event: usize, most: usize) -> Option<u32> {
        let log = self.log();
        log.loop_(round)?.spec.config.condition.as_ref()?;
        let first = log.row(round)?.events.0 as usize;
        let at = (event.saturating_sub(most).max(first)..event.min(log.len()))
            .rev()
            .find(|at| log.kinds.get(*at) == Some(&EventKind::Condition) && log.event_rows.get(*at) == Some(&round))?;
        u32::try_from(at).ok()
    }

    fn loop_condition(&self, round: u32, at: u32) -> Option<Condition> {
        let condition = self.log().loop_(round)?.spec.config.condition.as_ref()?;
        let scope = self.replay().condition_scope(round, at);
        Some(self.condition(&condition.text, None, &condition.explain(&scope, &self.execution().compiled().semantics)))
    }

    pub(super) fn condition(&self, text: &str, path: Option<EntityId>, explained: &Explained) -> Condition {
        let held = explained.value.as_ref().and_then(|value| value.as_ref().ok()).map(loopwright_lang::expr::truthy);
        Condition { text: text.to_owned(), path, held, tree: part(explained) }
    }

    /// What the texts of a step could refer to.
    pub fn scope_view(&self, step: EntityId, iteration: Option<FrameId>) -> Option<ScopeView> {
        let log = self.log();
        let number = self.execution().compiled().number_of(step)?;
        let row = self.row_for(number, iteration.map(|frame| frame.0))?;
        let replay = self.replay();
        let scope = replay.scope(row);
        let text = |value: &Option<Value>| value.as_ref().map(shown);
        let visit = log.visit_of(if log.row(row)?.kind == FrameKind::Iteration { log.row(log.row(row)?.parent)?.parent } else { row });
        let ended = log.row(visit).filter(|row| row.kind == FrameKind::Step && row.state != State::Running);
        Some(ScopeView {
            payload: text(&scope.payload),
            data: text(&scope.data),
            context: text(&scope.context),
            conversation: text(&scope.conversation),
            step_result: text(&scope.step_result),
            flow_context: ended.map(|_| shown(&replay.flow_context(log.agent_of(visit), visit))),
            results: text(&scope.results),
            errors: text(&scope.errors),
            loops: scope
                .loops
                .iter()
                .map(|frame| LoopView {
                    item_variable: frame.item_variable.as_str().to_owned(),
                    item: shown(&frame.item),
                    index_variable: frame.index_variable.as_ref().map(|name| name.as_str().to_owned()),
                    index: frame.index,
                })
                .collect(),
            own_result: ended.map(|row| shown(&row.result)),
            payload_after: ended.map(|row| shown(&replay.payload_at(log.agent_of(visit), Some(row.events.1)))),
        })
    }

    /// The row whose scope is shown for a step: the iteration asked for if it is the step's own; the step's visit inside it; or
    /// its last visit, of a loop the last iteration of that.
    fn row_for(&self, number: u32, iteration: Option<u32>) -> Option<u32> {
        let log = self.log();
        let visits = log.visits.get(&number)?;
        if let Some(asked) = iteration {
            if log.row(asked).is_some_and(|row| row.step == number && row.kind == FrameKind::Iteration) {
                return Some(asked);
            }
            // Visits under the iteration began after it, and are its descendants.
            let from = visits.partition_point(|visit| *visit < asked);
            let under = |visit: u32| {
                let mut at = visit;
                while let Some(row) = log.row(at) {
                    if row.parent == asked {
                        return true;
                    }
                    if row.parent < asked || row.parent == NONE {
                        return false;
                    }
                    at = row.parent;
                }
                false
            };
            if let Some(visit) = visits.get(from..)?.iter().copied().find(|visit| under(*visit)) {
                return Some(self.body_row(visit));
            }
        }
        Some(self.body_row(*visits.last()?))
    }

    /// Of a loop's visit its last iteration, if there is one.
    fn body_row(&self, visit: u32) -> u32 {
        let log = self.log();
        log.inner(visit).and_then(|round| log.loop_(round)).and_then(|detail| detail.iterations.last().copied()).unwrap_or(visit)
    }
}

/// The value of a part as it is shown.
pub(super) fn shown_part(explained: &Explained) -> Option<String> {
    explained.value.as_ref()?.as_ref().ok().map(|value| cut(value, 200))
}

fn part(explained: &Explained) -> ConditionPart {
    let (value, error) = match &explained.value {
        None => (None, None),
        Some(Ok(value)) => (Some(cut(value, 200)), None),
        Some(Err(error)) => (None, Some(error.message.clone())),
    };
    ConditionPart { span: explained.span, value, error, children: explained.children.iter().map(part).collect() }
}
