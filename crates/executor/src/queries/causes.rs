//! What a loop's end came from: its condition with the values it read and who wrote them, its limit, or the iteration that failed.

use loopwright_lang::{expr, path};

use super::cut;
use crate::{
    protocol::{Exit, FrameId, Moment, Read, State},
    simulation::Simulation,
};

/// Characters of a value.
const SHOWN: usize = 200;

impl Simulation {
    /// Why a loop ended. `frame` may also be the visit that holds it.
    pub fn exit(&self, frame: u32) -> Option<Exit> {
        let log = self.log();
        let round = if log.loop_(frame).is_some() { frame } else { log.inner(frame)? };
        let (row, detail) = (log.row(round)?, log.loop_(round)?);
        let config = &detail.spec.config;
        let failed = (row.state == State::Failed)
            .then(|| detail.iterations.iter().rev().copied().find(|number| log.row(*number).is_some_and(|row| row.state == State::Failed)))
            .flatten();
        let (condition, at) = match self.loop_condition_at(round) {
            Some((condition, at)) => (Some(condition), Some(at)),
            None => (None, None),
        };
        let text = config.condition.as_ref().map(|condition| condition.text.as_str());
        let reads = match (text, at) {
            (Some(text), Some(at)) => self.reads(round, text, at),
            _ => Vec::new(),
        };
        Some(Exit {
            frame: FrameId(round),
            reason: detail.exit.map(str::to_owned),
            cause: self.exit_cause(round),
            iterations: detail.started,
            limit: config.limit,
            items: detail.of,
            error: row.error.as_ref().map(|error| error.as_str().to_owned()),
            failed: failed.map(FrameId),
            condition,
            reads,
        })
    }

    /// What a condition of a loop reads of the payload, at an event, with its last writers.
    fn reads(&self, round: u32, text: &str, event: u32) -> Vec<Read> {
        let agent = self.log().agent_of(round);
        let payload = self.replay().payload_at(agent, Some(event));
        let Some(root) = expr::parse(text).root else { return Vec::new() };
        let mut reads: Vec<Read> = Vec::new();
        for names in expr::references(&root) {
            let Some((first, rest)) = names.split_first() else { continue };
            // A bare name is a key of the payload as well.
            let place = if first == "payload" { rest } else { names.as_slice() };
            if place.is_empty() || (first != "payload" && payload.get(first).is_none()) {
                continue;
            }
            let place = place.join(".");
            let Ok(parsed) = path::parse(&place) else { continue };
            let shown = format!("payload.{place}");
            if reads.iter().any(|read| read.path == shown) {
                continue;
            }
            let value = cut(&path::walk(&payload, &parsed.segments), SHOWN);
            let by = self.writers_of(Some(agent), &place, Moment::Event(u64::from(event))).ok().and_then(|found| found.into_iter().next());
            reads.push(Read { path: shown, value, by });
        }
        reads
    }
}
