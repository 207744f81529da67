//! Each time a loop's condition was asked, with the value of what it reads.

use crate::{
    log::EventKind,
    protocol::{Asked, ConditionPart, FrameKind},
    simulation::Simulation,
};

/// Most evaluations that are listed: the last ones.
const ASKED: usize = 20;

impl Simulation {
    /// What the condition of a part's loop reads, and its last evaluations. A part is a loop, a visit with a loop, or the iteration
    /// that ended one.
    pub(crate) fn evaluations(&self, row: u32) -> (Vec<String>, Vec<Asked>) {
        let log = self.log();
        let round = log.row(row).and_then(|found| match found.kind {
            FrameKind::Loop => Some(row),
            FrameKind::Step => log.inner(row),
            FrameKind::Iteration => {
                let detail = log.loop_(found.parent)?;
                (detail.exit.is_some() && detail.iterations.last() == Some(&row)).then_some(found.parent)
            }
            _ => None,
        });
        let (Some(round), Some(found)) = (round, round.and_then(|round| log.row(round))) else { return Default::default() };
        if log.loop_(round).is_none_or(|detail| detail.spec.config.condition.is_none()) {
            return Default::default();
        }
        let end = if found.state == crate::protocol::State::Running { log.len() } else { found.events.1 as usize + 1 };
        let events: Vec<usize> = (found.events.0 as usize..end.min(log.len()))
            .filter(|at| log.kinds.get(*at) == Some(&EventKind::Condition) && log.event_rows.get(*at) == Some(&round))
            .collect();
        let mut names: Vec<String> = Vec::new();
        let mut rows = Vec::new();
        for (at, event) in events.iter().enumerate().skip(events.len().saturating_sub(ASKED)) {
            let Some(condition) = u32::try_from(*event).ok().and_then(|event| self.condition_at(event)) else { continue };
            let mut found = Vec::new();
            operands(&condition.tree, &condition.text, &mut found);
            let mut values = vec![None; names.len()];
            for (name, value) in found {
                let column = names.iter().position(|known| *known == name).unwrap_or_else(|| {
                    names.push(name);
                    values.push(None);
                    names.len() - 1
                });
                if let Some(cell) = values.get_mut(column) {
                    *cell = value;
                }
            }
            rows.push(Asked { index: at as u64, at_us: log.times.get(*event).copied().unwrap_or(0), held: condition.held, values });
        }
        (names, rows)
    }
}

/// The parts that read something, with their values.
fn operands(part: &ConditionPart, text: &str, out: &mut Vec<(String, Option<String>)>) {
    let own = text.get(part.span.range()).unwrap_or_default();
    let reads = part.children.is_empty()
        && own.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$'))
        && !matches!(own, "true" | "false" | "null" | "undefined" | "NaN" | "Infinity");
    if reads {
        out.push((own.to_owned(), part.value.clone()));
    }
    part.children.iter().for_each(|child| operands(child, text, out));
}
