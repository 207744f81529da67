//! Why a loop ended, in words, and a condition at an event with the value of every operand. Both are worked out when they are asked
//! for, by the code that ran.

use loopwright_lang::expr::Explained;

use super::frame::shown_part;
use crate::{
    log::EventKind,
    protocol::{Condition, FrameKind, State},
    simulation::Simulation,
};

impl Simulation {
    /// The condition that was evaluated at an event, with its parts; `None` where that event is another one.
    pub fn condition_at(&self, event: u32) -> Option<Condition> {
        let (condition, path, explained) = self.evaluated_at(event)?;
        Some(self.condition(&condition.text, path, &explained))
    }

    fn evaluated_at(&self, event: u32) -> Option<(&crate::texts::Condition, Option<loopwright_model::EntityId>, Explained)> {
        let log = self.log();
        let at = event as usize;
        if log.kinds.get(at) != Some(&EventKind::Condition) {
            return None;
        }
        let row = *log.event_rows.get(at)?;
        let compiled = self.execution().compiled();
        let (condition, path) = match log.row(row)?.kind {
            FrameKind::Loop => (log.loop_(row)?.spec.config.condition.as_ref()?, None),
            _ => {
                let step = compiled.step_numbered(log.row(row)?.step)?;
                let path = step.paths.get((*log.args.get(at)? / 4) as usize)?;
                (path.condition.as_ref()?, Some(path.id))
            }
        };
        let scope = self.replay().condition_scope(row, event);
        Some((condition, path, condition.explain(&scope, &compiled.semantics)))
    }

    /// Why a loop ended, in a sentence.
    pub fn exit_cause(&self, row: u32) -> Option<String> {
        let log = self.log();
        let detail = log.loop_(row)?;
        let found = log.row(row)?;
        let said = |code: &str| {
            let of_row = |notice: &&crate::log::NoticeRow| notice.row == row && notice.code.as_str() == code;
            log.notices.iter().find(of_row).map(|notice| notice.message.to_string())
        };
        Some(match detail.exit? {
            "completed" => format!("All {} items are done.", detail.started),
            "limit" => said("N08").unwrap_or_else(|| "The loop ended at its limit.".to_owned()),
            "condition false" => self.condition_cause(row),
            "cancelled" => {
                let step = log.row(log.visit_of(found.parent));
                match step.and_then(|step| step.error.as_ref()) {
                    Some(error) => format!("The step around it ended: {error}."),
                    None => "The run was ended from outside.".to_owned(),
                }
            }
            _ => {
                let failed = detail.iterations.iter().rev().filter_map(|part| log.row(*part)).find(|part| part.state == State::Failed);
                // A loop that its step's time cut has no error of its own.
                let above = [found.parent, log.visit_of(found.parent)].into_iter().find_map(|row| log.row(row)?.error.as_deref());
                let error = found.error.as_deref().or(above).unwrap_or("it broke off");
                match failed.filter(|part| part.error == found.error || (found.error.is_none() && above.is_none())) {
                    Some(part) => {
                        let why = part.error.as_deref().unwrap_or(error);
                        format!("Iteration {} failed, and continueOnError is not true: {why}", part.index)
                    }
                    None => error.to_owned(),
                }
            }
        })
    }

    fn condition_cause(&self, row: u32) -> String {
        let log = self.log();
        let last =
            (0..log.len()).rev().find(|at| log.kinds.get(*at) == Some(&EventKind::Condition) && log.event_rows.get(*at) == Some(&row));
        let found = last.and_then(|at| self.evaluated_at(u32::try_from(at).ok()?));
        let Some((condition, _, explained)) = found else { return "maxIterations is 0.".to_owned() };
        let text = condition.text.trim();
        match &explained.value {
            Some(Err(error)) => format!("{text} cannot be evaluated, which counts as false: {}", error.message),
            _ => {
                let because = because(&explained, &condition.text);
                if because.is_empty() { format!("{text} is false.") } else { format!("{text} is false: {because}.") }
            }
        }
    }
}

/// The operands that made a condition false, with their values.
fn because(explained: &Explained, text: &str) -> String {
    // Of several that must all hold, the first that does not is the cause.
    let culprit = explained.children.iter().find(|child| {
        let falsy = child.value.as_ref().and_then(|value| value.as_ref().ok()).is_some_and(|value| !loopwright_lang::expr::truthy(value));
        let joined = text
            .get(child.span.end as usize..)
            .is_some_and(|rest| rest.trim_start().trim_start_matches(')').trim_start().starts_with("&&"));
        falsy && joined && !child.children.is_empty()
    });
    let within = culprit.unwrap_or(explained);
    let mut said: Vec<String> = Vec::new();
    leaves(within, &mut |leaf| {
        let Some(name) = text.get(leaf.span.range()).map(str::trim) else { return };
        let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$');
        if let (true, Some(value)) = (is_name && !matches!(name, "true" | "false" | "null" | "undefined"), shown_part(leaf)) {
            let sentence = format!("{name} is {value}");
            if !said.contains(&sentence) && said.len() < 4 {
                said.push(sentence);
            }
        }
    });
    said.join(", ")
}

fn leaves(explained: &Explained, each: &mut dyn FnMut(&Explained)) {
    if explained.children.is_empty() {
        each(explained);
    }
    for child in &explained.children {
        leaves(child, each);
    }
}
