//! The questions a run answers. Every answer is read off the log; nothing here changes a run.

mod asked;
mod causes;
mod csv;
mod diff;
mod events;
mod exits;
mod filter;
mod frame;
mod iterations;
mod matrix;
mod moments;
mod steps;
mod timeline;

#[cfg(test)]
mod tests;

use loopwright_lang::{Value, json::print_compact};

pub use diff::changes;
pub(crate) use matrix::View;

use crate::{
    log::{NONE, RunLog},
    protocol::{FrameId, LoopCount, Notice, Outcome, PlacePart, Reply, RunState, Summary, Trouble},
    replay::Replay,
    simulation::Simulation,
};

/// Most loops in a summary.
const LOOPS: usize = 100;

impl Simulation {
    /// The run's log with what it is a log of.
    pub fn replay(&self) -> Replay<'_> {
        Replay { log: self.log(), compiled: self.execution().compiled() }
    }

    /// How the run stands.
    pub fn summary(&self) -> Summary {
        let log = self.log();
        let compiled = self.execution().compiled();
        let root = log.agents.first().map(|agent| agent.parts.as_slice()).unwrap_or_default();
        let loops = root.iter().filter_map(|part| {
            let round = log.inner(*part)?;
            let detail = log.loop_(round)?;
            let step = compiled.step_numbered(log.row(round)?.step)?;
            Some(LoopCount {
                frame: FrameId(round),
                step: step.id,
                state: log.row(round)?.state,
                started: detail.started,
                failed: detail.failed,
                of: detail.of,
            })
        });
        Summary {
            run: self.run,
            state: log.state,
            events: log.len() as u64,
            iterations: log.iterations,
            calls: log.calls,
            max_concurrent_calls: log.most_calls,
            failures: log.failures,
            now_us: self.execution().now(),
            end_us: (log.state != RunState::Running).then(|| self.execution().now()),
            error: log.error.as_ref().map(|error| error.as_str().to_owned()),
            error_step: log.error_step.and_then(|step| compiled.step_numbered(step)).map(|step| step.id),
            final_message: log.final_message.as_ref().map(|text| text.as_str().to_owned()),
            notices: log.notices.iter().map(|notice| self.notice_of(notice)).collect(),
            loops: loops.take(LOOPS).collect(),
            summarised: log.summarised,
            paused: self.paused().cloned(),
        }
    }

    pub(crate) fn notice_of(&self, notice: &crate::log::NoticeRow) -> Notice {
        let row = self.log().row(notice.row);
        Notice {
            code: notice.code.as_str().to_owned(),
            severity: notice.severity,
            message: notice.message.as_str().to_owned(),
            step: row.and_then(|row| self.execution().compiled().step_numbered(row.step)).map(|step| step.id),
            frame: (notice.row != NONE).then_some(FrameId(notice.row)),
            at_us: notice.at,
            count: notice.count,
        }
    }

    /// Answers a question about this run. Questions that start, end or drop runs are the worker's.
    pub fn answer_to(&self, ask: &crate::protocol::Ask) -> Outcome {
        use crate::protocol::Ask;
        let found = |frame: Option<u32>| {
            let at_us = frame.and_then(|frame| self.log().row(frame)).map_or(0, |row| row.start);
            Reply::Found { frame: frame.map(FrameId), at_us }
        };
        let unknown = || Trouble::new("frame_unknown", "This part of the run is not in its log.");
        let reply = match ask {
            Ask::Summary { .. } | Ask::Run { .. } | Ask::Cancel { .. } => Ok(Reply::Summary(self.summary())),
            Ask::Matrix { .. } | Ask::Csv { .. } => Err(Trouble::new("ask_unknown", "This is asked of the host.")),
            Ask::Moments { agent, before, after, .. } => Ok(Reply::Payload(self.between(agent.map(|frame| frame.0), *before, *after))),
            Ask::Writers { agent, path, until, .. } => self.writers_of(agent.map(|frame| frame.0), path, *until).map(Reply::Writers),
            Ask::Exit { frame, .. } => self.exit(frame.0).map(|exit| Reply::Exit(Box::new(exit))).ok_or_else(unknown),
            Ask::Go { .. } | Ask::Again { .. } => Ok(Reply::Summary(self.summary())),
            Ask::Drop { .. } | Ask::Stops { .. } => Ok(Reply::Done),
            Ask::Pause { .. } | Ask::Held { .. } | Ask::Answer { .. } => Ok(Reply::Held(self.held())),
            Ask::Steps { at_us, .. } => Ok(Reply::Steps(self.steps(*at_us))),
            Ask::Timeline { from_us, to_us, width_px, unfolded, .. } => {
                Ok(Reply::Timeline(self.timeline(*from_us, *to_us, *width_px, unfolded)))
            }
            Ask::Iterations { frame, from, count, only_failed, .. } => {
                self.iterations(*frame, *from, *count, *only_failed).map(Reply::Iterations).ok_or_else(unknown)
            }
            Ask::Frame { frame, .. } => self.frame(*frame).map(|frame| Reply::Frame(Box::new(frame))).ok_or_else(unknown),
            Ask::Find { place, .. } => Ok(found(self.find(place))),
            Ask::Failure { after, back, .. } => Ok(found(self.failure(after.map(|frame| frame.0), *back))),
            Ask::Payload { at_us, since_us, .. } => Ok(Reply::Payload(self.payload(*at_us, *since_us))),
            Ask::Events { from, count, .. } => Ok(Reply::Events(self.events(*from, *count))),
            Ask::Condition { event, .. } => Ok(Reply::Condition(self.condition_at(*event).map(Box::new))),
            Ask::Log { .. } => Ok(Reply::Log(self.log().to_bytes())),
            Ask::Scope { step, iteration, .. } => self
                .scope_view(*step, *iteration)
                .map(Reply::Scope)
                .ok_or_else(|| Trouble::new("step_not_run", "The run has not come to this step.")),
        };
        reply.map_or_else(Outcome::Trouble, |reply| Outcome::Ok(Box::new(reply)))
    }

    /// The number of a row's visit, or its place as it can be found in another run.
    pub(crate) fn place_of(&self, row: u32) -> Vec<PlacePart> {
        let log = self.log();
        let mut place = Vec::new();
        let mut at = row;
        let mut index = None;
        while let Some(found) = log.row(at) {
            match found.kind {
                crate::protocol::FrameKind::Iteration => index = Some(u64::from(found.index)),
                crate::protocol::FrameKind::Step => {
                    if let Some(step) = self.execution().compiled().step_numbered(found.step) {
                        place.push(PlacePart { step: step.id, visit: found.index, index });
                    }
                    index = None;
                }
                // What a model asked for has no step of its own that another run could be searched for.
                crate::protocol::FrameKind::Turn => return Vec::new(),
                _ => {}
            }
            at = found.parent;
        }
        place.reverse();
        place
    }

    /// The row at a place.
    pub fn find(&self, place: &[PlacePart]) -> Option<u32> {
        let log = self.log();
        let mut agent = 0;
        let mut found = None;
        for part in place {
            let number = self.execution().compiled().number_of(part.step)?;
            let visits = log.visits.get(&number)?;
            let visit =
                visits.iter().copied().find(|visit| log.row(*visit).is_some_and(|row| row.parent == agent && row.index == part.visit))?;
            let mut at = visit;
            if let Some(index) = part.index {
                // The last attempt that came so far.
                let loops =
                    log.inner(visit).into_iter().chain(log.children(visit).into_iter().rev().filter_map(|attempt| log.inner(attempt)));
                let place = usize::try_from(index).ok()?;
                at = loops.filter_map(|round| log.loop_(round)).find_map(|detail| detail.iterations.get(place).copied())?;
            }
            found = Some(at);
            agent = log.inner(at).unwrap_or(NONE);
        }
        found
    }

    /// Whether a failed row is where the failure began.
    pub(crate) fn is_first_failure(&self, row: u32) -> bool {
        self.log().row(row).is_some_and(|row| innermost(self.log(), row))
    }

    /// The next failed iteration, visit or turn.
    pub fn failure(&self, after: Option<u32>, back: bool) -> Option<u32> {
        let rows = &self.log().rows;
        let fits = |row: &crate::log::Row| {
            use crate::protocol::{FrameKind, State};
            row.state == State::Failed
                && matches!(row.kind, FrameKind::Iteration | FrameKind::Step | FrameKind::Turn)
                && innermost(self.log(), row)
        };
        let number = |at: usize| u32::try_from(at).ok();
        if back {
            let end = after.map_or(rows.len(), |after| after as usize);
            rows.get(..end)?.iter().rposition(fits).and_then(number)
        } else {
            let start = after.map_or(0, |after| after as usize + 1);
            rows.get(start..)?.iter().position(fits).and_then(|at| number(at + start))
        }
    }
}

/// Whether a failure began here, and did not come up from something that failed under it.
fn innermost(log: &RunLog, row: &crate::log::Row) -> bool {
    let inner = log.row(row.last_child);
    let Some(inner) = inner else { return true };
    if inner.kind == crate::protocol::FrameKind::Loop {
        inner.error.is_none() || log.loop_(row.last_child).is_none_or(|detail| detail.failed == 0)
    } else {
        inner.state != crate::protocol::State::Failed
    }
}

/// JSON text, `undefined` where there is nothing.
pub(crate) fn shown(value: &Value) -> String {
    if value.is_undefined() { "undefined".to_owned() } else { print_compact(value) }
}

/// JSON text cut to so many characters; it is not printed further than that.
pub(crate) fn cut(value: &Value, most: usize) -> String {
    let mut out = String::new();
    write_cut(value, most, &mut out);
    if out.chars().count() > most {
        out = out.chars().take(most.saturating_sub(1)).collect();
        out.push('…');
    }
    out
}

fn write_cut(value: &Value, most: usize, out: &mut String) {
    // A character is at most four bytes, so this prints a little more than is shown.
    if out.len() > most * 4 {
        return;
    }
    match value {
        Value::List(list) => {
            out.push('[');
            for (at, item) in list.iter().enumerate() {
                if out.len() > most * 4 {
                    return;
                }
                if at > 0 {
                    out.push(',');
                }
                write_cut(item, most, out);
            }
            out.push(']');
        }
        Value::Object(object) => {
            out.push('{');
            for (at, (key, item)) in object.iter().enumerate() {
                if out.len() > most * 4 {
                    return;
                }
                if at > 0 {
                    out.push(',');
                }
                out.push_str(&print_compact(&Value::Text(key.clone())));
                out.push(':');
                write_cut(item, most, out);
            }
            out.push('}');
        }
        Value::Text(text) if text.len() > most * 4 => {
            let start: String = text.chars().take(most).collect();
            out.push_str(&print_compact(&Value::text(start)));
        }
        Value::Undefined => out.push_str("undefined"),
        scalar => out.push_str(&print_compact(scalar)),
    }
}
