//! Payloads at any two moments, and who wrote a place of one.

use loopwright_lang::{Value, path};

use super::{changes, cut, shown};
use crate::{
    log::{NONE, Written},
    payload::same,
    protocol::{FrameId, FrameKind, Moment, PayloadView, State, Trouble, Writer},
    simulation::Simulation,
};

/// Most writers in one answer.
const WRITERS: usize = 100;
/// Most writes looked at for one answer.
const LOOKED_AT: usize = 200_000;
/// Characters of a value.
const SHOWN: usize = 200;

impl Simulation {
    /// The agent's run that a part belongs to; the outermost by default.
    fn agent_around(&self, part: Option<u32>) -> u32 {
        part.map(|part| self.log().agent_of(part)).filter(|agent| *agent != NONE).unwrap_or(0)
    }

    /// The last event of a moment; `None` before the first.
    fn event_of(&self, agent: u32, moment: Moment) -> Option<u32> {
        let log = self.log();
        let last = u32::try_from(log.len()).ok()?.checked_sub(1);
        match moment {
            Moment::Start => log.row(agent).map(|row| row.events.0),
            Moment::End => last,
            Moment::Time(at) => log.event_at(at),
            Moment::Event(event) => u32::try_from(event).ok().min(last),
            Moment::Before(frame) => log.row(frame.0)?.events.0.checked_sub(1),
            Moment::After(frame) => {
                let row = log.row(frame.0)?;
                if row.state == State::Running {
                    return last;
                }
                // The result of an iteration of a parallel loop is written when its batch is done.
                let writes = log.agent(agent).map(|detail| detail.writes.as_slice()).unwrap_or_default();
                let from = writes.partition_point(|write| write.event < row.events.0);
                let written = writes.get(from..).unwrap_or_default().iter().take(4_096).find(|write| write.by == frame.0);
                Some(written.filter(|_| row.kind == FrameKind::Iteration).map_or(row.events.1, |write| write.event.max(row.events.1)))
            }
        }
    }

    /// A payload at a moment, and what differs from another moment.
    pub fn between(&self, agent: Option<u32>, before: Moment, after: Moment) -> PayloadView {
        let agent = self.agent_around(agent);
        let (from, to) = (self.event_of(agent, before), self.event_of(agent, after));
        let replay = self.replay();
        let now = replay.payload_at(agent, to);
        let mut listed = changes(&replay.payload_at(agent, from), &now);
        let until = to.max(from);
        for change in listed.iter_mut().take(WRITERS) {
            change.by = self.last_writer(agent, &change.path, until).and_then(|writer| writer.step);
        }
        let at_us = to.and_then(|event| self.log().times.get(event as usize)).copied().unwrap_or(0);
        let writers = if agent == 0 { self.writers(to) } else { Vec::new() };
        PayloadView { at_us, event: u64::from(to.unwrap_or(0)), payload: shown(&now), changes: listed, writers }
    }

    /// Who wrote a place, the last first; at most 100.
    pub fn writers_of(&self, agent: Option<u32>, place: &str, until: Moment) -> Result<Vec<Writer>, Trouble> {
        let agent = self.agent_around(agent);
        let until = self.event_of(agent, until);
        self.search(agent, place, until, WRITERS)
            .ok_or_else(|| Trouble::new("path_unclear", format!("{place} is not a place in a payload.")))
    }

    /// Who wrote a place last, up to an event.
    pub(crate) fn last_writer(&self, agent: u32, place: &str, until: Option<u32>) -> Option<Writer> {
        self.search(agent, place, until, 1)?.into_iter().next()
    }

    /// Goes back from kept payload to kept payload. Between two of them iterations are applied again, one by one, but only where
    /// one of their outputs can reach the place.
    fn search(&self, agent: u32, place: &str, until: Option<u32>, most: usize) -> Option<Vec<Writer>> {
        let parsed = path::parse(place).ok()?;
        let segments = match parsed.segments.split_first() {
            Some((root, rest)) if root.key.text().as_str() == "payload" && !rest.is_empty() => rest,
            _ => parsed.segments.as_slice(),
        };
        let top = segments.first().map(|segment| segment.key.text())?;
        let log = self.log();
        let replay = self.replay();
        let writes = log.agent(agent).map(|detail| detail.writes.as_slice()).unwrap_or_default();
        let mut end = writes.partition_point(|write| until.is_some_and(|until| write.event <= until));
        let mut found = Vec::new();
        let mut looked = 0;
        while end > 0 && found.len() < most && looked < LOOKED_AT {
            // From the root before the last write, over the iterations after it.
            let start = writes.get(..end)?.iter().rposition(|write| matches!(write.what, Written::Root(_))).unwrap_or(0);
            let segment = writes.get(start..end)?;
            looked += segment.len();
            let reaches = segment.iter().skip(1).any(|write| self.reaches(write.by, &top));
            if !reaches && segment.first().is_some_and(|write| !self.reaches(write.by, &top)) {
                end = start;
                continue;
            }
            let mut payload = start.checked_sub(1).map_or(Value::Undefined, |before| {
                // Only the root itself is compared with what was before it.
                writes.get(before).map_or(Value::Undefined, |write| replay.payload_at(agent, Some(write.event)))
            });
            let mut here = Vec::new();
            for (at, write) in segment.iter().enumerate() {
                if at > 0 && !reaches {
                    break;
                }
                let before = path::walk(&payload, segments);
                payload = match &write.what {
                    Written::Root(value) => value.clone(),
                    Written::Iteration { collected } => replay.apply_iteration(write.by, *collected, payload),
                };
                let after = path::walk(&payload, segments);
                // What the run began with was written by nobody.
                let began = start == 0 && at == 0;
                if !began && !same(&before, &after) && before != after {
                    here.push(self.writer(write.by, write.event, &before, &after));
                }
            }
            found.extend(here.into_iter().rev());
            end = start;
        }
        found.truncate(most);
        Some(found)
    }

    /// Whether an output of an iteration can reach a key of the payload.
    fn reaches(&self, iteration: u32, top: &str) -> bool {
        let log = self.log();
        let Some(spec) = log.row(iteration).and_then(|row| log.loop_(row.parent)).map(|detail| &detail.spec) else { return true };
        let Some(output) = &spec.task.output else { return true };
        output.targets().any(|(_, key)| key.is_none_or(|key| key == top || key == "payload"))
    }

    fn writer(&self, by: u32, event: u32, before: &Value, after: &Value) -> Writer {
        let log = self.log();
        let text = |value: &Value| (!value.is_undefined()).then(|| cut(value, SHOWN));
        Writer {
            frame: FrameId(by),
            step: log.row(by).and_then(|row| self.execution().compiled().step_numbered(row.step)).map(|step| step.id),
            path: log.iteration_path(by),
            at_us: log.times.get(event as usize).copied().unwrap_or(0),
            event: u64::from(event),
            before: text(before),
            after: text(after),
        }
    }
}
