//! `loopwright simulate`.

use loopwright_executor::{
    Simulation,
    protocol::{Go, RunState, Stop, Summary},
};
use loopwright_lang::{Value, json};
use loopwright_model::{Change, Document, Edit, Entity, EntityId, EntityKind, GraphRef, History, document::ROOT, validate};
use serde_json::json;

use crate::{
    Code, Trouble,
    args::{Simulate, Which},
    files, output,
    progress::Meter,
};

/// Runs a flow to its end and says what happened.
pub fn run(args: &Simulate) -> Result<Code, Trouble> {
    let (_, document) = files::open(&args.file)?;
    let (document, graph, scenario) = choose(&args.which, document)?;
    let mut simulation =
        Simulation::new(&document, graph, scenario, args.profile.into()).map_err(|trouble| Trouble::problems(trouble.message))?;
    let until = args.until.as_deref().map(|until| stop(&document, until)).transpose()?;
    if let Some(stop) = until {
        simulation.go(Go::To(stop));
    }
    Meter::new(&output::name_of(&args.file)).run(&mut simulation);
    if let Some(path) = &args.log {
        std::fs::write(path, simulation.log().to_bytes())
            .map_err(|error| Trouble::files(format!("{} cannot be written: {error}.", output::name_of(path))))?;
    }
    let summary = simulation.summary();
    if args.events {
        print_events(&simulation)?;
    } else if args.json {
        files::print(&format!("{}\n", as_json(&document, graph, scenario, &summary, &simulation)))?;
    } else {
        files::print(&in_words(&document, graph, scenario, &summary, &simulation))?;
    }
    let fine = matches!(summary.state, RunState::Completed | RunState::Message) || summary.paused.is_some();
    Ok(if fine { Code::Fine } else { Code::Problems })
}

/// What `--until` means: a time, a step, or an iteration of one.
fn stop(document: &Document, until: &str) -> Result<Stop, Trouble> {
    let time = |text: &str, us: f64| text.trim().parse::<f64>().ok().filter(|number| *number >= 0.0).map(|number| (number * us) as u64);
    let at = until.strip_suffix("ms").and_then(|text| time(text, 1_000.0));
    if let Some(at_us) = at.or_else(|| until.strip_suffix('s').and_then(|text| time(text, 1_000_000.0))).or_else(|| time(until, 1_000.0)) {
        return Ok(Stop::Time { at_us });
    }
    let steps: Vec<_> = document.graphs().flat_map(|graph| graph.steps()).collect();
    let named = |name: &str| steps.iter().find(|step| step.name() == name).map(|step| step.id());
    if let Some(step) = named(until) {
        return Ok(Stop::Step { step });
    }
    if let Some((name, index)) = until.rsplit_once('#')
        && let (Some(step), Ok(index)) = (named(name.trim()), index.trim().parse())
    {
        return Ok(Stop::Iteration { step, index });
    }
    let name = until.rsplit_once('#').map_or(until, |(name, _)| name).trim();
    let near = validate::nearest(name, steps.iter().map(|step| step.name())).map_or(String::new(), |near| format!(" Did you mean {near}?"));
    Err(Trouble::usage(format!("--until is neither a time such as 250ms or 5s nor a step: {until}.{near}")))
}

/// The run log, one JSON object an event, a window of it at a time.
fn print_events(simulation: &Simulation) -> Result<(), Trouble> {
    const WINDOW: u32 = 1_000;
    let mut from = 0;
    loop {
        let window = simulation.events(from, WINDOW).rows;
        if window.is_empty() {
            return Ok(());
        }
        from += window.len() as u64;
        let lines: Vec<String> = window.iter().filter_map(|event| serde_json::to_string(event).ok()).collect();
        files::print(&(lines.join("\n") + "\n"))?;
    }
}

/// Finds the agent and the scenario that were asked for. A scenario from a file, or another seed, goes into the
/// document by an edit.
pub(super) fn choose(args: &Which, document: Document) -> Result<(Document, EntityId, Option<EntityId>), Trouble> {
    let mut history = History::new(document);
    if let Some(path) = &args.scenario_file {
        let text = files::read(path)?;
        let value = json::parse(&text).value();
        let Some(fields) = value.as_ref().and_then(Value::as_object) else {
            return Err(Trouble::usage(format!("{} is not a scenario: a JSON object is expected.", output::name_of(path))));
        };
        let document = history.document();
        let entity =
            Entity { id: document.next_id(), kind: EntityKind::Scenario, parent: ROOT, fields: fields.clone(), ends: None, origin: None };
        let change = Change::Insert { entity, index: usize::MAX };
        history.apply(Edit::new("Add scenario", vec![change])).map_err(|refused| Trouble::problems(refused.0))?;
    }
    let document = history.document();
    let named = |name: &str| document.graphs().find(|graph| graph.name() == name);
    let scenarios: Vec<&Entity> = document.scenarios().collect();
    let mut chosen = match (&args.scenario, &args.scenario_file) {
        (_, Some(_)) => scenarios.last().copied(),
        (Some(name), _) => Some(scenarios.iter().copied().find(|entity| text(entity, "name") == *name).ok_or_else(|| {
            let known: Vec<&str> = scenarios.iter().map(|entity| text(entity, "name")).collect();
            Trouble::usage(format!("There is no scenario {name}. There is: {}.", list(&known)))
        })?),
        (None, None) => None,
    };
    let graph = match &args.agent {
        Some(name) => named(name).ok_or_else(|| {
            let known: Vec<&str> = document.graphs().map(GraphRef::name).collect();
            Trouble::usage(format!("There is no agent {name}. There is: {}.", list(&known)))
        })?,
        None => {
            let by_scenario = chosen.and_then(|entity| graph_of(document, entity));
            by_scenario.or_else(|| document.graphs().next()).ok_or_else(|| Trouble::problems("The file holds no agent to run."))?
        }
    };
    if chosen.is_none() {
        chosen = scenarios.iter().copied().find(|entity| graph_of(document, entity).is_some_and(|found| found.id() == graph.id()));
    }
    let (graph, scenario) = (graph.id(), chosen.map(|entity| entity.id));
    if let (Some(seed), Some(scenario)) = (&args.seed, scenario) {
        let change = Change::set(scenario, "seed", seed.as_str());
        history.apply(Edit::new("Set seed", vec![change])).map_err(|refused| Trouble::problems(refused.0))?;
    }
    Ok((history.document().clone(), graph, scenario))
}

pub(super) fn text<'a>(entity: &'a Entity, field: &str) -> &'a str {
    entity.fields.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The graph a scenario starts.
fn graph_of<'a>(document: &'a Document, scenario: &Entity) -> Option<GraphRef<'a>> {
    document.scenario(scenario.id)?.graph()
}

fn list(names: &[&str]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

pub(super) fn state_word(state: RunState) -> &'static str {
    match state {
        RunState::Running => "still running",
        RunState::Completed => "completed",
        RunState::Message => "ended with a message",
        RunState::Failed => "failed",
        RunState::Limit => "stopped at a limit",
        RunState::Cancelled => "cancelled",
    }
}

fn in_words(document: &Document, graph: EntityId, scenario: Option<EntityId>, summary: &Summary, simulation: &Simulation) -> String {
    let name = document.graph(graph).map_or("", GraphRef::name);
    let under = scenario.and_then(|id| document.get(id)).map_or("no scenario", |entity| text(entity, "name"));
    let mut said =
        format!("{name} · {under}: {} after {}\n", state_word(summary.state), output::time(summary.end_us.unwrap_or(summary.now_us)));
    said.push_str(&format!(
        "  {} calls (at most {} at once), {} iterations, {} failures, {} events\n",
        summary.calls, summary.max_concurrent_calls, summary.iterations, summary.failures, summary.events
    ));
    said.push_str(&waves(simulation));
    for count in &summary.loops {
        let step = document.step(count.step).map_or("a loop", |step| step.name());
        let of = count.of.map_or(String::new(), |of| format!(" of {of}"));
        said.push_str(&format!("  {step}: {}{of} iterations, {} failed\n", count.started, count.failed));
    }
    if let Some(message) = &summary.final_message {
        said.push_str(&format!("  message: {message}\n"));
    }
    if let Some(error) = &summary.error {
        let at = summary.error_step.and_then(|id| document.step(id)).map_or(String::new(), |step| format!(" at {}", step.name()));
        said.push_str(&format!("  error{at}: {error}\n"));
    }
    for notice in &summary.notices {
        let at = notice.step.and_then(|id| document.step(id)).map_or(String::new(), |step| format!(" {}:", step.name()));
        let often = if notice.count > 1 { format!(" ({} times)", notice.count) } else { String::new() };
        said.push_str(&format!("  {}[{}]:{at} {}{often}\n", output::severity(notice.severity), notice.code, notice.message));
    }
    if let Some(paused) = &summary.paused {
        let row = simulation.log().row(paused.frame.0);
        let step = row.and_then(|row| simulation.execution().compiled().step_numbered(row.step)).map_or("the agent", |step| &step.name);
        let path: Vec<String> = simulation.log().iteration_path(paused.frame.0).iter().map(u64::to_string).collect();
        let path = if path.is_empty() { String::new() } else { format!(", iteration {}", path.join(" › ")) };
        said.push_str(&format!("  held at {step}{path}\n"));
        for call in simulation.held().calls {
            said.push_str(&format!("  waits for {} {}\n", call.name, call.params));
        }
        said.push_str(&format!("  payload: {}\n", json::print_compact(&simulation.replay().payload_at(0, Some(u32::MAX - 1)))));
        return said;
    }
    said.push_str(&format!("  payload: {}\n", json::print_compact(&simulation.log().final_payload)));
    said
}

/// The waves of a plan, and what held each.
fn waves(simulation: &Simulation) -> String {
    let Some(plan) = simulation.plan() else { return String::new() };
    let Some(run) = plan.run() else { return String::new() };
    let mut said = String::new();
    for (number, wave) in plan.waves().iter().enumerate() {
        let members: Vec<String> = wave.members.iter().map(|whose| run.name(*whose)).collect();
        let held = wave.held_by.map_or(String::new(), |(last, alone)| format!(" · held {} by {}", output::time(alone), run.name(last)));
        said.push_str(&format!(
            "  wave {} · {} to {}: {}{held}\n",
            number + 1,
            output::time(wave.start),
            output::time(wave.end),
            members.join(", ")
        ));
    }
    said
}

/// The result as JSON. The payload is written by the language's own printer: no number changes its spelling.
fn as_json(document: &Document, graph: EntityId, scenario: Option<EntityId>, summary: &Summary, simulation: &Simulation) -> String {
    let notices: Vec<_> = summary
        .notices
        .iter()
        .map(|notice| {
            let step = notice.step.and_then(|id| document.step(id)).map(|step| step.name());
            json!({ "code": notice.code, "severity": notice.severity, "message": notice.message, "step": step,
                "atMs": notice.at_us as f64 / 1_000.0, "count": notice.count })
        })
        .collect();
    let head = json!({
        "agent": document.graph(graph).map(GraphRef::name),
        "scenario": scenario.and_then(|id| document.get(id)).map(|entity| text(entity, "name")),
        "state": summary.state,
        "endMs": summary.end_us.map(|us| us as f64 / 1_000.0),
        "calls": summary.calls,
        "maxConcurrentCalls": summary.max_concurrent_calls,
        "iterations": summary.iterations,
        "failures": summary.failures,
        "events": summary.events,
        "error": summary.error,
        "errorStep": summary.error_step.and_then(|id| document.step(id)).map(|step| step.name()),
        "message": summary.final_message,
        "heldAtMs": summary.paused.as_ref().map(|paused| paused.at_us as f64 / 1_000.0),
        "notices": notices,
    });
    let text = head.to_string();
    let body = text.strip_suffix('}').unwrap_or(&text);
    let payload = match summary.paused {
        Some(_) => simulation.replay().payload_at(0, Some(u32::MAX - 1)),
        None => simulation.log().final_payload.clone(),
    };
    format!("{body},\"payload\":{}}}", json::print_compact(&payload))
}
