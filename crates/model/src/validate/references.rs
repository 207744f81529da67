//! `R`: what steps call.

use super::{Place, Problem, nearest};
use crate::{Change, Edit, EntityKind, StepKind, StepRef, catalogue::Referent, document::ROOT};

pub(super) fn step(step: StepRef<'_>, problems: &mut Vec<Problem>) {
    let kind = step.kind();
    let called = if kind.is_loop() && kind != StepKind::Refine {
        match step.body_kind() {
            Some(kind @ (StepKind::Action | StepKind::SubAgent | StepKind::Prompt)) => kind,
            Some(_) => {
                let message = "A loop's body is an Action, a Sub-Agent or a Prompt.";
                problems.push(Problem::error("R04", Place::field(step.id(), "LoopBodyType"), message));
                return;
            }
            None => {
                let message = "The loop has no body: choose an Action, a Sub-Agent or a Prompt to do for each iteration.";
                problems.push(Problem::error("R03", Place::field(step.id(), "LoopBodyType"), message));
                return;
            }
        }
    } else {
        kind
    };
    let (column, what, kinds): (_, _, &[EntityKind]) = match called {
        StepKind::Action => ("Action", "action", &[EntityKind::Action]),
        StepKind::SubAgent => ("SubAgent", "sub-agent", &[EntityKind::Graph, EntityKind::Agent]),
        StepKind::Prompt => ("Prompt", "prompt", &[EntityKind::Prompt]),
        _ => return,
    };
    let place = Place::field(step.id(), column);
    match step.referent() {
        Referent::Found(_) => {}
        Referent::None => problems.push(Problem::error("R01", place, format!("No {what} is selected."))),
        Referent::Unknown(name) => {
            let names: Vec<(String, String)> = kinds
                .iter()
                .flat_map(|kind| step.document.children_of_kind(ROOT, *kind))
                .filter_map(|entity| {
                    let text = |upper, lower| {
                        let value = entity.fields.get(upper).or_else(|| entity.fields.get(lower));
                        value.and_then(loopwright_lang::Value::as_str).unwrap_or_default().to_owned()
                    };
                    let name = text("Name", "name");
                    (!name.is_empty()).then(|| (name, text("ID", "id")))
                })
                .collect();
            let meant = nearest(name, names.iter().map(|(name, _)| name.as_str()));
            let fix = meant.and_then(|meant| names.iter().find(|(name, _)| name == meant)).map(|(name, id)| {
                let id_change = if id.is_empty() {
                    Change::unset(step.id(), format!("{column}ID"))
                } else {
                    Change::set(step.id(), format!("{column}ID"), id.as_str())
                };
                Edit::new(format!("Use {name}"), vec![id_change, Change::set(step.id(), column, name.as_str())])
            });
            let fix = fix.or_else(|| crate::edits::adopt(step));
            let article = if what == "action" { "an" } else { "a" };
            let mut message = format!("There is no {what} {name} in the catalogue.");
            if let Some(meant) = meant {
                message.push_str(&format!(" Did you mean {meant}?"));
            } else {
                message.push_str(&format!(" Add it, or choose {article} {what} that is there."));
            }
            problems.push(Problem::warning("R02", place, message).with_fix(fix));
        }
    }
}
