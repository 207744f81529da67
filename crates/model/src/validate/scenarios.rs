//! `T`: what a scenario misspells, or says that cannot be (a scenario's keys are those of [`crate::scenario`]).

use std::collections::BTreeSet;

use loopwright_lang::{Object, Severity, Value, expr, json::print_compact, limits};

use super::{Place, Problem, nearest};
use crate::{
    Change, Document, Edit, EntityKind, ScenarioRef,
    catalogue::{self, Referent},
    scenario::{ACTION_KEYS, AGENT_KEYS, EXPECT_KEYS, KEYS, PROMPT_ANSWERS, PROMPT_KEYS, key, same_key},
};

/// Most entries of a script's list that are looked at: a generated one may have a million.
const LOOKED_AT: usize = 200;

pub(super) fn scenario(scenario: ScenarioRef<'_>, problems: &mut Vec<Problem>) {
    let fields = &scenario.entity.fields;
    graph(scenario, problems);
    for name in fields.keys().filter(|name| !KEYS.iter().any(|known| *known == name.as_str())) {
        // A key of somebody else's is kept in silence; one that is nearly ours is a slip.
        if let Some(meant) = nearest(name, KEYS.iter().copied().filter(|known| !fields.contains_key(known))) {
            let message = format!("A scenario does not know {name}. Did you mean {meant}?");
            problems.push(Problem::warning("T01", Place::field(scenario.id(), name), message));
        }
    }
    if let Some(payload) = fields.get("payload") {
        generators(payload, &Place::field(scenario.id(), "payload"), 0, problems);
    }
    for kind in [EntityKind::Action, EntityKind::Prompt, EntityKind::Agent] {
        scripts(scenario, kind, problems);
    }
    expectations(scenario, problems);
}

fn graph(scenario: ScenarioRef<'_>, problems: &mut Vec<Problem>) {
    if scenario.graph().is_some() || scenario.document.graphs().next().is_none() {
        return;
    }
    let wanted =
        scenario.part("graph").map_or_else(String::new, |graph| graph.as_str().map_or_else(|| print_compact(graph), str::to_owned));
    let meant = nearest(&wanted, scenario.document.graphs().map(crate::GraphRef::name)).map(str::to_owned);
    let mut message = format!("There is no agent {wanted} that this scenario could start.");
    if let Some(meant) = &meant {
        message.push_str(&format!(" Did you mean {meant}?"));
    }
    let fix = meant.map(|meant| Edit::new(format!("Start {meant}"), vec![Change::set(scenario.id(), "graph", meant.as_str())]));
    problems.push(Problem::error("T02", Place::field(scenario.id(), "graph"), message).with_fix(fix));
}

/// The tables of scripts: names that nothing calls, and each script.
fn scripts(scenario: ScenarioRef<'_>, kind: EntityKind, problems: &mut Vec<Problem>) {
    let Some((table, word)) = (match kind {
        EntityKind::Action => Some(("actions", "action")),
        EntityKind::Prompt => Some(("prompts", "prompt")),
        EntityKind::Agent => Some(("agents", "agent")),
        _ => None,
    }) else {
        return;
    };
    let place = Place::field(scenario.id(), table);
    let Some(written) = scenario.part(table).filter(|table| !table.is_nullish()) else { return };
    let Some(object) = written.as_object() else {
        let message = format!("{table} is {}; an object is expected, from names to scripts.", written.what());
        problems.push(Problem::error("T05", place, message));
        return;
    };
    let called = called(scenario.document, kind);
    for (name, script) in object.iter() {
        let place = place.clone().at(name);
        if !called.contains(name.as_str()) {
            let meant = nearest(name, called.iter().map(String::as_str).filter(|known| !object.contains_key(known)));
            let mut message = format!("No step calls the {word} {name}, and it is in no catalogue.");
            if let Some(meant) = meant {
                message.push_str(&format!(" Did you mean {meant}?"));
            }
            let renamed = meant.map(|meant| {
                let pairs = object.iter().map(|(own, script)| (if own == name { meant.into() } else { own.clone() }, script.clone()));
                let table_value = Value::Object(pairs.collect());
                Edit::new(format!("Rename to {meant}"), vec![Change::set(scenario.id(), table, table_value)])
            });
            problems.push(Problem::warning("T03", place.clone(), message).with_fix(renamed));
        }
        match kind {
            EntityKind::Agent => {
                if let Some(turns) = key(script, "turns") {
                    each(turns, &place.clone().at("turns"), EntityKind::Prompt, problems);
                }
                match key(script, "results") {
                    Some(results) => each(results, &place.clone().at("results"), kind, problems),
                    None if key(script, "turns").is_none() => each(script, &place, kind, problems),
                    None => {}
                }
            }
            _ => each(script, &place, kind, problems),
        }
    }
}

/// What can be called: names and IDs of the catalogue, of graphs, and what steps ask for all the same.
fn called(document: &Document, kind: EntityKind) -> BTreeSet<String> {
    let mut called = BTreeSet::new();
    let kinds: &[EntityKind] = if kind == EntityKind::Agent { &[EntityKind::Agent, EntityKind::Graph] } else { &[kind] };
    for entity in kinds.iter().flat_map(|kind| document.children_of_kind(crate::document::ROOT, *kind)) {
        let names = ["name", "Name", "id", "ID"].iter().filter_map(|name| entity.fields.get(name)?.as_str());
        called.extend(names.map(str::to_owned));
    }
    for step in document.graphs().flat_map(|graph| graph.steps()) {
        let names = step.reference_column().map(|column| step.referent_in(column));
        if let Some(Referent::Unknown(name)) = names {
            called.insert(name.to_owned());
        }
    }
    called.extend(catalogue::wanted(document).into_iter().filter(|wanted| wanted.kind == kind).map(|wanted| wanted.name.to_owned()));
    called
}

/// The entries of a script.
fn each(script: &Value, place: &Place, kind: EntityKind, problems: &mut Vec<Problem>) {
    match script {
        Value::List(entries) => {
            for (at, written) in entries.iter().take(LOOKED_AT).enumerate() {
                entry(written, &place.clone().at(&at.to_string()), kind, problems);
            }
        }
        one => entry(one, place, kind, problems),
    }
}

fn entry(written: &Value, place: &Place, kind: EntityKind, problems: &mut Vec<Problem>) {
    let Some(object) = written.as_object() else {
        if kind != EntityKind::Prompt && !written.is_nullish() {
            let message = format!("A script is {}; an object is expected, such as {{ \"outputs\": {{}} }}.", written.what());
            problems.push(Problem::warning("T05", place.clone(), message));
        }
        return;
    };
    let known: Vec<&str> = match kind {
        EntityKind::Action => ACTION_KEYS.to_vec(),
        EntityKind::Prompt => PROMPT_ANSWERS.iter().chain(&PROMPT_KEYS).copied().collect(),
        _ => AGENT_KEYS.to_vec(),
    };
    let knows = |name: &str| known.iter().any(|known| same_key(name, known));
    if kind == EntityKind::Prompt {
        // An object with a key of its own is the answer itself.
        let wrapped = object.keys().all(|name| knows(name)) && PROMPT_ANSWERS.iter().any(|name| key(written, name).is_some());
        if !wrapped {
            return;
        }
    }
    for name in object.keys().filter(|name| !knows(name)) {
        let meant = nearest(name, known.iter().copied().filter(|known| key(written, known).is_none()));
        let mut message = format!("A script does not know {name}; it has no effect.");
        if let Some(meant) = meant {
            message.push_str(&format!(" Did you mean {meant}?"));
        }
        problems.push(Problem::warning("T04", place.clone().at(name), message));
    }
    for name in ["expression", "failWhen", "throwWhen"] {
        if let Some(Value::Text(text)) = key(written, name) {
            expression(text, place.clone().at(name), problems);
        }
    }
    if let Some(Value::Object(expressions)) = key(written, "expressions") {
        for (output, text) in expressions.iter().filter_map(|(output, text)| Some((output, text.as_str()?))) {
            expression(text, place.clone().at("expressions").at(output), problems);
        }
    }
    latency(written, place, problems);
    let mut number = |name: &str, fits: fn(f64) -> bool, expected: &str| {
        if let Some(found) = key(written, name).filter(|found| !found.as_number().is_some_and(fits)) {
            let message = format!("{name} is {}; {expected} is expected.", print_compact(found));
            problems.push(Problem::error("T05", place.clone().at(name), message));
        }
    };
    number("failRate", |rate| (0.0..=1.0).contains(&rate), "a number from 0 to 1");
    number("failEvery", |every| every >= 1.0 && every.fract() == 0.0, "a whole number from 1");
    match key(written, "byIteration") {
        Some(Value::Object(by)) => {
            for (index, over) in by.iter() {
                let place = place.clone().at("byIteration").at(index);
                if index.parse::<u64>().is_err() {
                    let message = format!("{index} is not the number of an iteration; they count from 0.");
                    problems.push(Problem::error("T05", place.clone(), message));
                }
                entry(over, &place, kind, problems);
            }
        }
        Some(Value::List(list)) => {
            for (at, over) in list.iter().take(LOOKED_AT).enumerate() {
                entry(over, &place.clone().at("byIteration").at(&at.to_string()), kind, problems);
            }
        }
        Some(other) => {
            let message = format!("byIteration is {}; an object from numbers to scripts, or a list of them, is expected.", other.what());
            problems.push(Problem::error("T05", place.clone().at("byIteration"), message));
        }
        None => {}
    }
}

fn latency(written: &Value, place: &Place, problems: &mut Vec<Problem>) {
    let place = place.clone().at("latencyMs");
    let wrong = |found: &Value| {
        let message = format!(
            "latencyMs is {}; milliseconds are expected, or {{ \"min\", \"max\" }}, {{ \"mean\", \"sd\" }}, or an expression.",
            print_compact(found)
        );
        Problem::error("T05", place.clone(), message)
    };
    match key(written, "latencyMs") {
        None | Some(Value::Undefined | Value::Null) => {}
        Some(Value::Text(text)) => expression(text, place, problems),
        Some(spread @ Value::Object(object)) => {
            if let Some(Value::Text(text)) = key(spread, "expression") {
                expression(text, place.at("expression"), problems);
                return;
            }
            let number = |name: &str| key(spread, name).map(Value::as_number);
            let backwards = matches!((number("min"), number("max")), (Some(Some(min)), Some(Some(max))) if min > max);
            let known = |name: &str| ["min", "max", "mean", "sd"].iter().any(|known| same_key(name, known));
            if backwards
                || object.is_empty()
                || object.iter().any(|(name, value)| !known(name) || value.as_number().is_none_or(|n| n < 0.0))
            {
                problems.push(wrong(&Value::Object(object.clone())));
            }
        }
        Some(fixed) if fixed.as_number().is_some_and(|ms| ms >= 0.0) => {}
        Some(other) => problems.push(wrong(other)),
    }
}

fn expression(text: &str, place: Place, problems: &mut Vec<Problem>) {
    if let Some(error) = expr::parse(text).problems.iter().find(|problem| problem.severity == Severity::Error) {
        problems.push(Problem::error("T06", place.span(error.span), error.message.clone()));
    }
}

/// `{ "$repeat": n, "item": … }` in a payload.
fn generators(value: &Value, place: &Place, depth: usize, problems: &mut Vec<Problem>) {
    if depth > 16 {
        return;
    }
    let generator = |object: &Object| -> Option<String> {
        let count = object.get("$repeat")?;
        if !object.contains_key("item") {
            return Some("$repeat needs an item: { \"$repeat\": 3, \"item\": … }.".to_owned());
        }
        match count.as_number() {
            Some(count) if count >= 0.0 && count.fract() == 0.0 && count <= limits::ITERATIONS as f64 => None,
            _ => Some(format!("$repeat is {}; a whole number up to {} is expected.", print_compact(count), limits::ITERATIONS)),
        }
    };
    match value {
        Value::Object(object) => {
            if let Some(message) = generator(object) {
                problems.push(Problem::error("T05", place.clone(), message));
            }
            for (name, value) in object.iter().take(LOOKED_AT) {
                generators(value, &place.clone().at(name), depth + 1, problems);
            }
        }
        Value::List(list) => {
            for (at, value) in list.iter().take(LOOKED_AT).enumerate() {
                generators(value, &place.clone().at(&at.to_string()), depth + 1, problems);
            }
        }
        _ => {}
    }
}

fn expectations(scenario: ScenarioRef<'_>, problems: &mut Vec<Problem>) {
    let Some(expect) = scenario.part("expect").filter(|expect| !expect.is_nullish()) else { return };
    let place = Place::field(scenario.id(), "expect");
    let Some(object) = expect.as_object() else {
        let message = format!("expect is {}; an object is expected, such as {{ \"success\": true }}.", expect.what());
        problems.push(Problem::error("T05", place, message));
        return;
    };
    for name in object.keys().filter(|name| !EXPECT_KEYS.contains(&name.as_str())) {
        let mut message = format!("Nothing is known to expect by the name {name}, so it is never met.");
        if let Some(meant) = nearest(name, EXPECT_KEYS) {
            message.push_str(&format!(" Did you mean {meant}?"));
        }
        problems.push(Problem::error("T07", place.clone().at(name), message));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    fn check(scenario: &str, expected: &[&str]) {
        let text = format!(
            r#"{{ "loopwright": 1, "graphs": [ {{ "ID": "g", "Name": "Flow", "steps": [
                {{ "ID": "1", "Name": "Ping", "StepType": "Action", "StartingStep": true, "Action": "Ping" }}], "paths": [] }} ],
                "catalogue": {{ "actions": [ {{ "id": "a2", "name": "Ping" }} ], "prompts": [ {{ "id": "p", "name": "Ask" }} ] }},
                "scenarios": [ {scenario} ] }}"#
        );
        let document = crate::format::import("test.loopwright.json", &text).document.unwrap();
        let found: Vec<_> = crate::validate::validate(&document).iter().map(|problem| problem.code).collect();
        assert_eq!(found, expected, "{scenario}");
    }

    #[test]
    fn what_a_scenario_misspells_is_a_problem_of_its_own() {
        check(r#"{ "name": "a", "graph": "Flow", "payload": {}, "actions": { "Ping": { "outputs": {}, "latencyMs": 3 } } }"#, &[]);
        check(r#"{ "name": "a", "paylod": {}, "colour": "red" }"#, &["T01"]);
        check(r#"{ "name": "a", "graph": "Flwo" }"#, &["T02"]);
        check(r#"{ "actions": { "Pnig": {} } }"#, &["T03"]);
        check(r#"{ "actions": { "Ping": { "output": {} } }, "prompts": { "Ask": { "anything": 1 } } }"#, &["T04"]);
        check(r#"{ "actions": { "Ping": [ {}, { "failRate": 2 }, { "failEvery": 0 }, 3 ] } }"#, &["T05", "T05", "T05"]);
        check(r#"{ "actions": { "Ping": { "latencyMs": { "min": 3, "max": 1 } } } }"#, &["T05"]);
        check(r#"{ "actions": { "Ping": { "latencyMs": "params.", "failWhen": "(" } } }"#, &["T06", "T06"]);
        check(r#"{ "actions": { "Ping": { "byIteration": { "x": {}, "2": { "outptus": 1 } } } } }"#, &["T05", "T04"]);
        check(r#"{ "payload": { "a": { "$repeat": -1, "item": 1 }, "b": { "$repeat": 2 } } }"#, &["T05", "T05"]);
        check(r#"{ "expect": { "sucess": true } }"#, &["T07"]);
    }
}
