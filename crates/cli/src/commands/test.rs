//! `loopwright test`.

use std::collections::BTreeSet;

use loopwright_executor::{
    Simulation,
    suite::{Coverage, Miss, judge},
};
use loopwright_lang::Value;
use loopwright_model::{Document, EntityId, GraphRef, PathRef, StepRef};
use serde_json::{Value as Json, json};

use crate::{Code, Trouble, args::Test, files, output, progress::Meter};

/// What came of one scenario.
struct Outcome {
    name: String,
    agent: String,
    misses: Vec<Miss>,
    summary: String,
    virtual_ms: f64,
}

/// Runs the scenarios of each file and says which went as they expect, and what they covered.
pub fn run(args: &Test) -> Result<Code, Trouble> {
    let (mut passed, mut failed) = (0, 0);
    for path in &args.files {
        let (_, document) = files::open(path)?;
        let (outcomes, coverage, graphs) = suite(args, &document)?;
        let bad = outcomes.iter().filter(|outcome| !outcome.misses.is_empty()).count();
        failed += bad;
        passed += outcomes.len() - bad;
        if args.json {
            files::print(&format!("{}\n", as_json(&output::name_of(path), &document, &outcomes, &coverage, &graphs)))?;
        } else {
            files::print(&in_words(&output::name_of(path), &document, &outcomes, &coverage, &graphs))?;
        }
    }
    if !args.json {
        let word = if passed + failed == 1 { "scenario" } else { "scenarios" };
        files::print(&format!("{} {word}: {passed} passed, {failed} failed\n", passed + failed))?;
    }
    Ok(if failed > 0 { Code::Problems } else { Code::Fine })
}

/// Runs a document's scenarios; gives what came of each, what they covered, and the graphs they could have come to.
fn suite(args: &Test, document: &Document) -> Result<(Vec<Outcome>, Coverage, BTreeSet<EntityId>), Trouble> {
    let (mut outcomes, mut coverage, mut graphs) = (Vec::new(), Coverage::default(), BTreeSet::new());
    let scenarios = document.scenarios().filter_map(|entity| document.scenario(entity.id));
    for scenario in scenarios.filter(|scenario| args.scenario.as_deref().is_none_or(|name| scenario.name() == name)) {
        let name = if scenario.name().is_empty() { "(no name)".to_owned() } else { scenario.name().to_owned() };
        let Some(graph) = scenario.graph() else {
            let expected = "an agent of this file".to_owned();
            let found = scenario.part("graph").and_then(Value::as_str).unwrap_or("none").to_owned();
            let misses = vec![Miss { what: "graph".to_owned(), expected, found }];
            outcomes.push(Outcome { name, agent: "?".to_owned(), misses, summary: "not run".to_owned(), virtual_ms: 0.0 });
            continue;
        };
        let mut simulation = Simulation::new(document, graph.id(), Some(scenario.id()), args.profile.into())
            .map_err(|trouble| Trouble::problems(trouble.message))?;
        let mut meter = Meter::new(&name);
        meter.run(&mut simulation);
        coverage.add(&simulation);
        graphs.extend(reachable(document, graph));
        let summary = simulation.summary();
        let ms = simulation.execution().now() as f64 / 1_000.0;
        outcomes.push(Outcome {
            name,
            agent: graph.name().to_owned(),
            misses: judge(&simulation),
            summary: format!("{} calls, {} iterations, {}", summary.calls, summary.iterations, output::time(simulation.execution().now())),
            virtual_ms: ms,
        });
    }
    if let (true, Some(name)) = (outcomes.is_empty(), &args.scenario) {
        return Err(Trouble::usage(format!("There is no scenario {name}.")));
    }
    Ok((outcomes, coverage, graphs))
}

/// A graph and those its steps call.
fn reachable(document: &Document, graph: GraphRef<'_>) -> BTreeSet<EntityId> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![graph.id()];
    while let Some(id) = waiting.pop() {
        let Some(graph) = document.graph(id).filter(|_| found.insert(id)) else { continue };
        for step in graph.steps() {
            if let loopwright_model::catalogue::Referent::Found(entity) = step.referent() {
                waiting.push(entity.id);
            }
        }
    }
    found
}

/// What there was to cover.
struct Whole<'a> {
    steps: Vec<StepRef<'a>>,
    paths: Vec<PathRef<'a>>,
}

fn whole<'a>(document: &'a Document, graphs: &BTreeSet<EntityId>) -> Whole<'a> {
    let graphs: Vec<GraphRef<'a>> = document.graphs().filter(|graph| graphs.contains(&graph.id())).collect();
    Whole {
        steps: graphs.iter().flat_map(|graph| graph.steps()).filter(|step| step.is_active()).collect(),
        paths: graphs.iter().flat_map(|graph| graph.paths()).collect(),
    }
}

fn path_name(document: &Document, path: PathRef<'_>) -> String {
    let end =
        |step: Option<EntityId>| step.and_then(|step| document.step(step)).map_or("(missing)".to_owned(), |step| step.name().to_owned());
    format!("{} → {}", end(path.from()), end(path.to()))
}

fn in_words(file: &str, document: &Document, outcomes: &[Outcome], coverage: &Coverage, graphs: &BTreeSet<EntityId>) -> String {
    let mut said = format!("{file}\n");
    if outcomes.is_empty() {
        said.push_str("  no scenarios\n");
        return said;
    }
    for outcome in outcomes {
        let mark = if outcome.misses.is_empty() { "ok  " } else { "FAIL" };
        said.push_str(&format!("  {mark}  {} · {} ({})\n", outcome.agent, outcome.name, outcome.summary));
        for miss in &outcome.misses {
            said.push_str(&format!("        {}: expected {}, found {}\n", miss.what, miss.expected, miss.found));
        }
    }
    let whole = whole(document, graphs);
    let steps = whole.steps.iter().filter(|step| coverage.steps.contains_key(&step.id())).count();
    let paths = whole.paths.iter().filter(|path| coverage.paths.contains_key(&path.id())).count();
    said.push_str(&format!("  covered: {steps} of {} steps, {paths} of {} paths\n", whole.steps.len(), whole.paths.len()));
    for step in &whole.steps {
        if let Some(exits) = coverage.exits.get(&step.id()) {
            let exits: Vec<&str> = exits.iter().copied().collect();
            said.push_str(&format!("    {} ended: {}\n", step.name(), exits.join(", ")));
        }
    }
    let missed: Vec<&str> = whole.steps.iter().filter(|step| !coverage.steps.contains_key(&step.id())).map(|step| step.name()).collect();
    if !missed.is_empty() {
        said.push_str(&format!("    never visited: {}\n", missed.join(", ")));
    }
    let missed: Vec<String> =
        whole.paths.iter().filter(|path| !coverage.paths.contains_key(&path.id())).map(|path| path_name(document, *path)).collect();
    if !missed.is_empty() {
        said.push_str(&format!("    never followed: {}\n", missed.join(", ")));
    }
    said
}

fn as_json(file: &str, document: &Document, outcomes: &[Outcome], coverage: &Coverage, graphs: &BTreeSet<EntityId>) -> Json {
    let whole = whole(document, graphs);
    let scenarios: Vec<Json> = outcomes
        .iter()
        .map(|outcome| {
            let misses: Vec<Json> = outcome
                .misses
                .iter()
                .map(|miss| json!({ "what": miss.what, "expected": miss.expected, "found": miss.found }))
                .collect();
            json!({ "name": outcome.name, "agent": outcome.agent, "passed": misses.is_empty(), "misses": misses, "endMs": outcome.virtual_ms })
        })
        .collect();
    let steps: Vec<Json> = whole
        .steps
        .iter()
        .map(|step| {
            let exits: Vec<&str> = coverage.exits.get(&step.id()).map(|exits| exits.iter().copied().collect()).unwrap_or_default();
            json!({ "name": step.name(), "visits": coverage.steps.get(&step.id()).unwrap_or(&0), "failed": coverage.failed.contains(&step.id()), "exits": exits })
        })
        .collect();
    let paths: Vec<Json> = whole
        .paths
        .iter()
        .map(|path| json!({ "name": path_name(document, *path), "followed": coverage.paths.get(&path.id()).unwrap_or(&0) }))
        .collect();
    let failed = outcomes.iter().filter(|outcome| !outcome.misses.is_empty()).count();
    json!({ "file": file, "passed": outcomes.len() - failed, "failed": failed, "scenarios": scenarios, "steps": steps, "paths": paths })
}
