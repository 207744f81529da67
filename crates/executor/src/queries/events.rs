//! Windows of the events, and payloads as of a time.

use super::{changes, shown};
use crate::{
    log::EventKind,
    protocol::{EventRow, Events, FrameId, PayloadView},
    simulation::Simulation,
};

/// Most events in one answer.
const MOST: u32 = 10_000;

impl Simulation {
    /// A window of the events.
    pub fn events(&self, from: u64, count: u32) -> Events {
        let log = self.log();
        let total = log.len() as u64;
        let to = from.saturating_add(u64::from(count.min(MOST))).min(total);
        Events { total, from, rows: (from..to).filter_map(|event| self.event_row(event)).collect() }
    }

    fn event_row(&self, event: u64) -> Option<EventRow> {
        let log = self.log();
        let at = usize::try_from(event).ok()?;
        let kind = *log.kinds.get(at)?;
        let row = *log.event_rows.get(at)?;
        let arg = *log.args.get(at)?;
        let found = log.row(row);
        let step = found.and_then(|row| self.execution().compiled().step_numbered(row.step));
        let mut severity = None;
        let text = match kind {
            EventKind::Notice => match log.notices.get(arg as usize) {
                Some(notice) => {
                    severity = Some(notice.severity);
                    notice.message.as_str().to_owned()
                }
                None => String::new(),
            },
            EventKind::Condition => {
                let condition = step.and_then(|step| step.paths.get((arg / 4) as usize)).and_then(|path| path.condition.as_ref());
                let text = match log.loop_(row) {
                    Some(detail) => detail.spec.config.condition.as_ref(),
                    None => condition,
                };
                let held = ["false", "true", "cannot be evaluated"].get((arg % 4) as usize).copied().unwrap_or_default();
                format!("{} → {held}", text.map_or("", |condition| condition.text.as_str()))
            }
            EventKind::PathTaken => {
                let to = step.and_then(|step| step.paths.get(arg as usize)).and_then(|path| path.to);
                let agent = step.and_then(|step| self.execution().compiled().steps.get(step.number as usize)).map(|(agent, _)| *agent);
                let target = to.zip(agent).and_then(|(to, agent)| self.execution().compiled().agents.get(agent)?.steps.get(to));
                target.map_or_else(String::new, |target| target.name.as_str().to_owned())
            }
            EventKind::IterationStart | EventKind::AttemptStart | EventKind::TurnStart | EventKind::BatchStart | EventKind::BatchEnd => {
                arg.to_string()
            }
            EventKind::IterationEnd
            | EventKind::StepEnd
            | EventKind::CallEnd
            | EventKind::AttemptEnd
            | EventKind::LoopEnd
            | EventKind::AgentEnd
            | EventKind::TurnEnd => found.and_then(|row| row.error.as_ref()).map_or_else(String::new, |error| error.as_str().to_owned()),
            EventKind::CallStart => found.map_or_else(String::new, |row| row.given.as_str().unwrap_or_default().to_owned()),
            _ => String::new(),
        };
        Some(EventRow {
            event,
            at_us: *log.times.get(at)?,
            kind: kind.name().to_owned(),
            step: step.map(|step| step.id),
            frame: Some(FrameId(row)),
            path: log.iteration_path(row),
            text,
            severity,
        })
    }

    /// The outermost payload at a time, and what changed since another.
    pub fn payload(&self, at_us: u64, since_us: Option<u64>) -> PayloadView {
        let log = self.log();
        let replay = self.replay();
        let event = log.event_at(at_us);
        let now = replay.payload_at(0, event);
        let since = since_us.map(|since| (since, log.event_at(since)));
        let mut listed = since.map(|(_, before)| changes(&replay.payload_at(0, before), &now)).unwrap_or_default();
        let writers = self.writers(event);
        for change in &mut listed {
            let end = change.path.find(['.', '[']).unwrap_or(change.path.len());
            let key = change.path.get(..end).unwrap_or_default();
            change.by = writers.iter().find(|(written, _)| written == key).map(|(_, step)| *step);
        }
        PayloadView { at_us, event: u64::from(event.unwrap_or(0)), payload: shown(&now), changes: listed, writers }
    }

    /// Which step wrote each top-level key last, up to an event.
    pub(super) fn writers(&self, event: Option<u32>) -> Vec<(String, loopwright_model::EntityId)> {
        let log = self.log();
        let Some(detail) = log.agents.first() else { return Vec::new() };
        let mut writers: Vec<(String, loopwright_model::EntityId)> = Vec::new();
        let mut before = loopwright_lang::Value::Undefined;
        let mut trailing = None;
        for write in detail.writes.iter().filter(|write| event.is_some_and(|event| write.event <= event)) {
            let step = log.row(write.by).and_then(|row| self.execution().compiled().step_numbered(row.step)).map(|step| step.id);
            match &write.what {
                crate::log::Written::Root(after) => {
                    if let (Some(step), Some(new)) = (step, after.as_object()) {
                        for (key, value) in new.iter() {
                            let old = before.get(key).cloned().unwrap_or_default();
                            if !crate::payload::same(&old, value) {
                                note(&mut writers, key, step);
                            }
                        }
                    }
                    before = after.clone();
                }
                crate::log::Written::Iteration { .. } => trailing = step,
            }
            if matches!(write.what, crate::log::Written::Root(_)) {
                trailing = None;
            }
        }
        // Iterations whose loop has not ended yet.
        if let Some(step) = trailing {
            let after = self.replay().payload_at(0, event);
            for (key, value) in after.as_object().map(|object| object.iter()).into_iter().flatten() {
                if !crate::payload::same(before.get(key).unwrap_or(&loopwright_lang::Value::Undefined), value) {
                    note(&mut writers, key, step);
                }
            }
        }
        writers
    }
}

fn note(writers: &mut Vec<(String, loopwright_model::EntityId)>, key: &str, step: loopwright_model::EntityId) {
    match writers.iter_mut().find(|(known, _)| known == key) {
        Some(known) => known.1 = step,
        None => writers.push((key.to_owned(), step)),
    }
}
