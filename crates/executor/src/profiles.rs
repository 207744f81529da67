//! One flow by the rules of both profiles: where the two runs part first, by which rule, and what the payloads end as.

use loopwright_lang::{Profile, Value, differences::Rule, json::print_compact};
use loopwright_model::{Document, EntityId};

use crate::{
    changes,
    compile::CalleeKind,
    engine::{Call, Noted},
    log::{EventKind, NONE},
    protocol::{FrameKind, PayloadChange, RunState, State, Trouble},
    simulation::Simulation,
};

/// Both runs of a flow, compared.
#[derive(Debug)]
pub struct Comparison {
    /// The run as the guide says.
    pub documented: Outcome,
    /// The run as the released runtime does it.
    pub released: Outcome,
    /// Where they part; `None` where they do the same.
    pub parting: Option<Parting>,
    /// From the final payload of `documented` to that of `mj-5.51.3`.
    pub payload: Vec<PayloadChange>,
    /// Every rule that either run passed a place of, in the order of the codes, with how often.
    pub rules: Vec<(Rule, u64)>,
}

/// How a run came out.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub state: RunState,
    /// Why it failed.
    pub error: Option<String>,
    /// The message it ended with.
    pub message: Option<String>,
    /// Its final payload.
    pub payload: Value,
    /// When it ended, in microseconds.
    pub end_us: u64,
    /// How many calls it made.
    pub calls: u64,
}

/// The first thing that the two runs do not both do.
#[derive(Debug)]
pub struct Parting {
    /// What `documented` did; `None`: nothing more.
    pub documented: Option<Doing>,
    /// What `mj-5.51.3` did.
    pub released: Option<Doing>,
    /// The step it is at.
    pub step: Option<EntityId>,
    /// The rule that was passed last before it.
    pub rule: Option<Rule>,
}

/// Something that a run did.
#[derive(Clone, Debug, PartialEq)]
pub struct Doing {
    /// The number of its event in that run's log.
    pub event: u32,
    /// When, in microseconds.
    pub at_us: u64,
    /// What, in words.
    pub what: String,
    /// The step it belongs to.
    pub step: Option<EntityId>,
}

/// Runs a graph under a scenario by both profiles and compares. `Err`: it cannot be run at all.
pub fn compare(document: &Document, graph: EntityId, scenario: Option<EntityId>) -> Result<Comparison, Trouble> {
    let run = |profile| -> Result<Simulation, Trouble> {
        let mut simulation = Simulation::new(document, graph, scenario, profile)?;
        simulation.trace();
        simulation.note_differences();
        simulation.run_to_end();
        Ok(simulation)
    };
    let (documented, released) = (run(Profile::Documented)?, run(Profile::Mj5513)?);
    let (ours, theirs) = (doings(&documented), doings(&released));
    let at = ours.iter().zip(&theirs).take_while(|(a, b)| a.at_us == b.at_us && a.what == b.what).count();
    let parts = at < ours.len() || at < theirs.len();
    let parting = parts.then(|| {
        let (left, right) = (ours.get(at).cloned(), theirs.get(at).cloned());
        Parting {
            rule: rule_before(&documented, left.as_ref(), &released, right.as_ref()),
            step: left.as_ref().and_then(|doing| doing.step).or(right.as_ref().and_then(|doing| doing.step)),
            documented: left,
            released: right,
        }
    });
    let mut rules = std::collections::BTreeMap::new();
    for note in documented.differences().iter().chain(released.differences()) {
        *rules.entry(note.rule).or_insert(0) += 1;
    }
    Ok(Comparison {
        payload: changes(&documented.log().final_payload, &released.log().final_payload),
        documented: outcome(&documented),
        released: outcome(&released),
        parting,
        rules: rules.into_iter().collect(),
    })
}

fn outcome(simulation: &Simulation) -> Outcome {
    let log = simulation.log();
    Outcome {
        state: log.state,
        error: log.error.as_ref().map(ToString::to_string),
        message: log.final_message.as_ref().map(ToString::to_string),
        payload: log.final_payload.clone(),
        end_us: log.rows.first().map_or(0, |row| row.end),
        calls: log.calls,
    }
}

/// The rule that was noted nearest before the runs part; at one distance that of the released runtime's run.
fn rule_before(documented: &Simulation, left: Option<&Doing>, released: &Simulation, right: Option<&Doing>) -> Option<Rule> {
    // A pause more or less is the cause only where nothing but time differs.
    let only_time =
        right.is_some_and(|right| right.what.contains(" pauses for ")) || left.zip(right).is_some_and(|(a, b)| a.what == b.what);
    let nearest = |simulation: &Simulation, doing: Option<&Doing>| -> Option<(u32, Rule)> {
        let until = doing.map_or(u32::MAX - 1, |doing| doing.event);
        let end = until.min(u32::try_from(simulation.log().len()).unwrap_or(u32::MAX));
        let of_step = |note: &&Noted| {
            let row = |row: u32| simulation.log().row(row).map_or(NONE, |row| row.step);
            let step = doing.and_then(|doing| simulation.execution().compiled().number_of(doing.step?));
            step.is_none_or(|step| row(note.row) == step)
        };
        let fits = |note: &&Noted| note.event <= until.saturating_add(1) && (only_time || note.rule != Rule::WhilePause);
        let before = simulation.differences().iter().rev().filter(fits);
        // A rule of the step itself comes before one of another step.
        let found = before.clone().find(of_step).map(|note| (0, note));
        let found = found.or_else(|| before.clone().next().map(|note| (1 << 24, note)));
        found.map(|(far, note)| (far + end.saturating_sub(note.event), note.rule))
    };
    match (nearest(documented, left), nearest(released, right)) {
        (Some((near, rule)), Some((far, _))) if near < far => Some(rule),
        (_, Some((_, rule))) | (Some((_, rule)), None) => Some(rule),
        (None, None) => None,
    }
}

/// What a run did, as far as it can be told apart from outside: steps, calls, pauses, paths, and the payload after each step.
fn doings(simulation: &Simulation) -> Vec<Doing> {
    let log = simulation.log();
    let compiled = simulation.execution().compiled();
    let replay = simulation.replay();
    let mut calls: std::collections::BTreeMap<u32, Vec<&Call>> = std::collections::BTreeMap::new();
    for (_, call) in simulation.traced() {
        calls.entry(call.row).or_default().push(call);
    }
    let mut found = Vec::new();
    for (number, kind) in log.kinds.iter().enumerate() {
        let event = u32::try_from(number).unwrap_or(u32::MAX);
        let row_number = log.event_rows.get(number).copied().unwrap_or(NONE);
        let Some(row) = log.row(row_number) else { continue };
        let at_us = log.times.get(number).copied().unwrap_or(0);
        let step = compiled.step_numbered(row.step);
        let name = step.map_or("", |step| step.name.as_str());
        let mut say = |event: u32, what: String| {
            found.push(Doing { event, at_us, what, step: step.map(|step| step.id) });
        };
        match kind {
            EventKind::StepStart => say(event, format!("{name} begins")),
            EventKind::StepEnd => {
                let word = match row.state {
                    State::Failed => "failed",
                    State::Skipped => "was skipped",
                    State::Cancelled => "was cancelled",
                    _ => "is done",
                };
                let payload = replay.payload_at(log.agent_of(row_number), Some(event));
                say(event, format!("{name} {word}; the payload is {}", print_compact(&payload)));
            }
            EventKind::LoopEnd => {
                let exit = log.loop_(row_number).and_then(|detail| Some((detail.exit?, detail.started)));
                if let Some((exit, started)) = exit {
                    say(event, format!("the loop of {name} ends after {started} iterations: {exit}"));
                }
            }
            EventKind::DelayStart => {
                let us = log.loop_(row_number).map_or(0, |detail| detail.spec.config.delay);
                say(event, format!("{name} pauses for {} ms", us / 1_000));
            }
            EventKind::PathTaken => {
                let place = log.args.get(number).copied().unwrap_or(0) as usize;
                let to = step.and_then(|step| step.paths.get(place)).and_then(|path| path.to);
                let agent = compiled.steps.get(row.step as usize).and_then(|(agent, _)| compiled.agents.get(*agent));
                let to = to.and_then(|to| agent?.steps.get(to)).map_or("", |step| step.name.as_str());
                say(event, format!("the path from {name} to {to} is taken"));
            }
            EventKind::Condition if row.kind == FrameKind::Step => {
                let arg = log.args.get(number).copied().unwrap_or(0);
                let place = (arg / 4) as usize;
                let path = step.and_then(|step| step.paths.get(place));
                let text = path.and_then(|path| path.condition.as_ref()).map_or("", |condition| condition.text.as_str());
                let word = ["false", "true"].get(arg as usize % 4).copied().unwrap_or("not evaluable");
                say(event, format!("the condition {text} is {word}"));
            }
            EventKind::TurnEnd => {
                let kind = row.result.get("name").and_then(Value::as_str).unwrap_or("the end");
                let payload = replay.payload_at(log.agent_of(row_number), Some(event));
                say(event, format!("turn {} was {kind}; the payload is {}", row.index + 1, print_compact(&payload)));
            }
            EventKind::AgentEnd => {
                let word = if row.state == State::Failed { "failed" } else { "ended" };
                let error = row.error.as_ref().map_or(String::new(), |error| format!(": {error}"));
                let message = if row.parent == NONE { log.final_message.as_ref() } else { None };
                let message = message.map_or(String::new(), |message| format!("; it says {message}"));
                say(event, format!("the agent {word}{error}{message}; the payload is {}", print_compact(&row.result)));
            }
            _ => {}
        }
        if row.events.0 == event {
            for call in calls.remove(&row_number).unwrap_or_default() {
                let doing = Doing { event: event + 1, at_us, what: called(call), step: step.map(|step| step.id) };
                found.push(doing);
            }
        }
    }
    found
}

fn called(call: &Call) -> String {
    let place = if call.path.is_empty() {
        String::new()
    } else {
        format!(" in iteration {}", call.path.iter().map(u64::to_string).collect::<Vec<_>>().join("."))
    };
    match call.kind {
        CalleeKind::Action => format!("{} is called{place} with {}", call.name, print_compact(&call.params)),
        CalleeKind::Prompt => format!("{} is asked{place} and sees {}", call.name, print_compact(&call.payload)),
        CalleeKind::Agent => {
            let message = call.message.as_deref().unwrap_or_default();
            format!("{} is called{place} with the message {message:?} and the payload {}", call.name, print_compact(&call.payload))
        }
    }
}
