//! Simulates a run: a virtual clock, scripted calls, and people's answers at gates.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
    sync::Arc,
};

use loopwright_lang::{Text, Value};
use loopwright_model::tasks::{StartOptions, TaskKind};

use super::{
    Cache, Command, CompiledTasks, Decision, Event, Phase, Reply, RunStatus, Saved, Scripts, Settings, StartRefused, Status, TaskCall,
    TaskRun, script::Scripted,
};
use crate::engine::{Class, Ticket};

/// One start of a run: the first, or one that goes on from what the one before left.
#[derive(Clone, Debug, Default)]
pub struct Leg {
    /// The start's options.
    pub options: StartOptions,
    /// How the run is set up; the time of the start is the one the leg before left.
    pub settings: Settings,
    /// Aborted so many microseconds after its start.
    pub abort_after: Option<u64>,
    /// What people decide: gate → `{ action, actor, reason, afterMs }`.
    pub answers: Value,
    /// The graph's version, where it is not the one it says.
    pub version: Option<Text>,
    /// Whether what was interrupted or failed may run again.
    pub authorised: bool,
}

/// A call, as it was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Traced {
    /// When, in microseconds.
    pub at: u64,
    /// The call.
    pub call: TaskCall,
}

/// What answers the calls that `calls` does not script: the scripts of actions, prompts and agents of a document's scenario.
pub type Fallback = Box<dyn FnMut(&TaskCall, u64) -> Option<Scripted>>;

#[derive(Debug)]
enum Happening {
    Abort,
    Timer(Ticket),
    Answer(Ticket, Box<Reply>),
}

struct Coming {
    at: u64,
    class: Class,
    sequence: u64,
    what: Happening,
}

impl PartialEq for Coming {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Coming {}
impl PartialOrd for Coming {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Coming {
    /// Abort and the run's deadline first, then whatever was set or asked for earlier.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.class, self.sequence).cmp(&(other.at, other.class, other.sequence))
    }
}

/// A simulated run.
pub struct TaskSimulation {
    run: TaskRun,
    scripts: Scripts,
    fallback: Option<Fallback>,
    answers: Value,
    coming: BinaryHeap<Reverse<Coming>>,
    sequence: u64,
    trace: Vec<Traced>,
    ended: Vec<(Ticket, Reply)>,
}

impl TaskSimulation {
    /// Starts a run, or goes on from a saved one.
    pub fn start(tasks: Arc<CompiledTasks>, leg: Leg, scripts: Scripts, cache: Cache, saved: Option<&Saved>) -> Result<Self, StartRefused> {
        let run = match saved {
            None => TaskRun::start(tasks, leg.options, leg.settings, cache)?,
            Some(saved) => TaskRun::resume(tasks, leg.options, leg.settings, cache, saved, leg.version.as_deref(), leg.authorised)?,
        };
        let starts_at = run.events().first().map_or(run.now(), |event| event.at);
        let mut simulation = Self {
            run,
            scripts,
            fallback: None,
            answers: leg.answers,
            coming: BinaryHeap::new(),
            sequence: 0,
            trace: Vec::new(),
            ended: Vec::new(),
        };
        if let Some(after) = leg.abort_after {
            simulation.come(starts_at.saturating_add(after), Class::Abort, Happening::Abort);
        }
        Ok(simulation)
    }

    /// Answers what `calls` does not script.
    pub fn with_fallback(mut self, fallback: Fallback) -> Self {
        self.fallback = Some(fallback);
        self
    }

    /// Runs until it ends, is interrupted, or rests at a gate nobody answers. `Err`: a decision was refused.
    pub fn run(&mut self) -> Result<(), StartRefused> {
        while self.step()? {}
        Ok(())
    }

    /// Lets the next thing happen; whether there was one.
    pub fn step(&mut self) -> Result<bool, StartRefused> {
        if self.obey() {
            // What the start asked for is told before anything of it ends.
            return Ok(true);
        }
        if self.run.is_interrupted() {
            return Ok(false);
        }
        match self.run.finished() {
            Some(RunStatus::Paused) => return self.decide(),
            Some(_) => return Ok(false),
            None => {}
        }
        while let Some(Reverse(coming)) = self.coming.pop() {
            match coming.what {
                Happening::Abort => self.run.abort(coming.at),
                Happening::Timer(ticket) if self.run.wants(ticket) => self.run.fire(ticket, coming.at),
                Happening::Answer(ticket, reply) if self.run.wants(ticket) => {
                    self.ended.push((ticket, (*reply).clone()));
                    self.run.complete(ticket, coming.at, *reply);
                }
                _ => continue,
            }
            self.obey();
            return Ok(true);
        }
        Ok(false)
    }

    /// The run rests: people decide, those first who are first.
    fn decide(&mut self) -> Result<bool, StartRefused> {
        let tasks = self.run.tasks().clone();
        let now = self.run.now();
        let mut due: Vec<(u64, Decision)> = Vec::new();
        for (task, record) in tasks.graph.tasks.iter().zip(self.run.records()) {
            let TaskKind::Approval { actors, .. } = &task.kind else { continue };
            let Some(answer) = self.answers.get(&task.key).filter(|_| record.status == Status::Paused) else { continue };
            let text = |name: &str| answer.get(name).and_then(Value::as_str).map(Text::from);
            let after = crate::compile::micros(answer.get("afterMs").and_then(Value::as_number).unwrap_or(0.0) * 1_000.0);
            let decision = Decision {
                key: task.key.clone(),
                action: text("action").unwrap_or_default(),
                actor: text("actor").or_else(|| actors.first().cloned()).unwrap_or_default(),
                reason: text("reason").unwrap_or_else(|| "ok".into()),
            };
            due.push((record.paused_at.unwrap_or(now).saturating_add(after).max(now), decision));
        }
        let Some(first) = due.iter().map(|(at, _)| *at).min() else { return Ok(false) };
        let decisions: Vec<Decision> = due.into_iter().filter(|(at, _)| *at == first).map(|(_, decision)| decision).collect();
        self.run.decide(&decisions, first)?;
        self.obey();
        Ok(true)
    }

    /// Does what the run asks for; whether there was something.
    fn obey(&mut self) -> bool {
        let commands = self.run.take_commands();
        let any = !commands.is_empty();
        for command in commands {
            match command {
                Command::Cancel(_) => {}
                Command::StartTimer { ticket, after, class } => {
                    self.come(self.run.now().saturating_add(after), class, Happening::Timer(ticket));
                }
                Command::StartCall(call) => {
                    let number = self.scripts.number(&call.name);
                    let scripted = self.scripts.answer(&call, number);
                    let scripted = scripted.or_else(|| self.fallback.as_mut().and_then(|fallback| fallback(&call, number)));
                    let scripted = scripted.unwrap_or_else(nothing);
                    if scripted.ignores_abort {
                        self.run.does_not_stop(call.ticket);
                    }
                    let at = self.run.now();
                    self.come(at.saturating_add(scripted.after), Class::Answer, Happening::Answer(call.ticket, Box::new(scripted.reply)));
                    self.trace.push(Traced { at, call: *call });
                }
            }
        }
        any
    }

    fn come(&mut self, at: u64, class: Class, what: Happening) {
        self.coming.push(Reverse(Coming { at, class, sequence: self.sequence, what }));
        self.sequence += 1;
    }

    /// What calls came to since this was last asked.
    pub fn take_ended(&mut self) -> Vec<(Ticket, Reply)> {
        std::mem::take(&mut self.ended)
    }

    /// Stops the run where it is.
    pub fn abort(&mut self) {
        self.run.abort(self.run.now());
        self.obey();
    }

    /// The run.
    pub fn task_run(&self) -> &TaskRun {
        &self.run
    }

    /// What happened.
    pub fn events(&self) -> &[Event] {
        self.run.events()
    }

    /// The calls that were made.
    pub fn trace(&self) -> &[Traced] {
        &self.trace
    }

    /// What every attempt of a loop was told, by the loop's place.
    pub fn feedback_seen(&self) -> BTreeMap<usize, Vec<Value>> {
        let mut seen: BTreeMap<usize, Vec<Value>> = BTreeMap::new();
        for Traced { call, .. } in &self.trace {
            if let Some((_, Phase::Attempt)) = call.round {
                seen.entry(call.task).or_default().push(call.feedback.clone());
            }
        }
        seen
    }

    /// The state to go on from, with how many calls there were.
    pub fn save(&self) -> Saved {
        self.run.save().with_calls(self.scripts.counters().clone())
    }

    /// What is kept over runs: scripts with their counters, and the cache.
    pub fn into_parts(self) -> (Scripts, Cache) {
        (self.scripts, self.run.cache)
    }
}

/// A call without a script gives nothing, at once.
fn nothing() -> Scripted {
    let reply = Reply { answer: super::Answer::Returned(Value::Undefined.into()), usage: None, mutate: None };
    Scripted { after: 0, reply, ignores_abort: false }
}
