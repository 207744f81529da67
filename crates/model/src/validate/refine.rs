//! `C`: a Refine step's Configuration (flow-agents.md, "Refine: the file form").

use loopwright_lang::{Object, Value};

use super::{Place, Problem, columns::short, nearest};
use crate::{EntityKind, StepRef};

const KEYS: [&str; 7] = ["type", "maxRounds", "attempt", "check", "keepBest", "plateau", "delayBetweenIterationsMs"];
const BODY_KEYS: [&str; 5] = ["action", "subAgent", "prompt", "params", "message"];
const BODIES: [(&str, EntityKind, &str); 3] =
    [("action", EntityKind::Action, "action"), ("subAgent", EntityKind::Agent, "agent"), ("prompt", EntityKind::Prompt, "prompt")];

pub(super) fn step(step: StepRef<'_>, config: &Object, problems: &mut Vec<Problem>) {
    let at = |key: &str| Place::field(step.id(), "Configuration").at(key);
    let written = |key: &str| config.get(key).filter(|value| !value.is_nullish());
    for key in config.keys().filter(|key| !KEYS.contains(&key.as_str())) {
        let meant = nearest(key, KEYS.into_iter().filter(|known| !config.contains_key(known)));
        let meant = meant.map_or(String::new(), |meant| format!(" Did you mean {meant}?"));
        problems.push(Problem::warning("C03", at(key), format!("Refine does not know {key}; it is kept and has no effect.{meant}")));
    }
    if let Some(other) = written("type").filter(|kind| kind.as_str() != Some("Refine")) {
        problems.push(Problem::error("C05", at("type"), format!("type must be Refine; found {}.", short(other))));
    }
    match written("maxRounds") {
        None => problems.push(Problem::error("C06", at("maxRounds"), "maxRounds is required: after so many rounds it gives up, e.g. 3.")),
        Some(rounds) if rounds.as_number().is_none_or(|number| number < 1.0 || number.fract() != 0.0) => {
            let message = format!("maxRounds must be a whole number, 1 or more; found {}.", short(rounds));
            problems.push(Problem::error("C07", at("maxRounds"), message));
        }
        Some(_) => {}
    }
    if let Some(delay) = written("delayBetweenIterationsMs")
        && delay.as_number().is_none_or(|number| number < 0.0 || number.fract() != 0.0)
    {
        let message = format!("delayBetweenIterationsMs must be a whole number, 0 or more; found {}.", short(delay));
        problems.push(Problem::error("C09", at("delayBetweenIterationsMs"), message));
    }
    body(step, "attempt", written("attempt"), problems);
    let expression = written("check").and_then(|check| check.get("expression")).and_then(Value::as_str);
    if expression.is_none_or(|text| text.trim().is_empty()) {
        body(step, "check", written("check"), problems);
    } else if written("check").and_then(|check| check.get("feedback")).and_then(Value::as_str).is_none_or(|text| text.trim().is_empty()) {
        let message = "check has no feedback, so the next attempt is not told what to do better.";
        problems.push(Problem::warning("C06", at("check").at("feedback"), message));
    }
    let score = written("keepBest").map(|keep| keep.get("score").and_then(Value::as_str).is_some_and(|path| !path.trim().is_empty()));
    if score == Some(false) {
        problems.push(Problem::error("C06", at("keepBest").at("score"), "keepBest needs the path of a score, e.g. result.score."));
    }
    if let Some(plateau) = written("plateau") {
        let rounds = plateau.get("rounds").and_then(Value::as_number);
        if score != Some(true) {
            problems.push(Problem::error("C06", at("plateau"), "plateau needs keepBest.score, which it watches."));
        } else if rounds.is_none_or(|rounds| rounds < 1.0 || rounds.fract() != 0.0) {
            problems.push(Problem::error("C07", at("plateau").at("rounds"), "plateau.rounds must be a whole number, 1 or more."));
        }
    }
}

/// An attempt or a check: exactly one thing to call, and one that is there.
fn body(step: StepRef<'_>, what: &str, written: Option<&Value>, problems: &mut Vec<Problem>) {
    let at = || Place::field(step.id(), "Configuration").at(what);
    let Some(Value::Object(fields)) = written else {
        let example =
            if what == "check" { "{ \"expression\": \"result.score > 8\", \"feedback\": \"…\" }" } else { "{ \"action\": \"…\" }" };
        problems.push(Problem::error("C06", at(), format!("{what} is required, e.g. {example}.")));
        return;
    };
    for key in fields.keys().filter(|key| !BODY_KEYS.contains(&key.as_str()) && !matches!(key.as_str(), "expression" | "feedback")) {
        problems.push(Problem::warning("C03", at().at(key), format!("{what} does not know {key}; it is kept and has no effect.")));
    }
    let named: Vec<_> = BODIES
        .iter()
        .filter_map(|(key, kind, word)| {
            let name = fields.get(key).and_then(Value::as_str).filter(|name| !name.trim().is_empty())?;
            Some((*key, *kind, *word, name))
        })
        .collect();
    match named.as_slice() {
        [(key, kind, word, name)] => {
            let known = step.document.entry_by_id(*kind, name).or_else(|| step.document.entry_by_name(*kind, name));
            if known.is_none() {
                problems.push(Problem::warning("R02", at().at(key), format!("There is no {word} {name} in this document's catalogue.")));
            }
        }
        [] => problems.push(Problem::error("R01", at(), format!("{what} calls nothing: name an action, a subAgent or a prompt."))),
        _ => problems.push(Problem::error("R01", at(), format!("{what} needs exactly one of action, subAgent and prompt."))),
    }
}
