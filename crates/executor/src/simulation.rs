//! The simulated driver: a virtual clock, and scripts for every call.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, BinaryHeap},
    sync::Arc,
};

use loopwright_lang::{Profile, Severity, Text, Value};
use loopwright_model::{Document, Entity, EntityId, EntityKind};

use crate::{
    compile::{CalleeKind, Compiled},
    engine::{Call, Class, Command, Execution, Outcome, Progress, Ticket},
    log::RunLog,
    protocol::{RunId, RunState, Trouble},
    scenario::{Answer, Asked, Scenario},
};

/// Something that will happen. Ordered by time, class and the order in which it was asked for.
#[derive(Clone, Debug)]
pub(crate) struct Coming {
    pub(crate) at: u64,
    pub(crate) class: Class,
    pub(crate) sequence: u64,
    pub(crate) ticket: Ticket,
    pub(crate) outcome: Outcome,
}

impl Coming {
    fn key(&self) -> (u64, Class, u64) {
        (self.at, self.class, self.sequence)
    }
}

impl PartialEq for Coming {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}
impl Eq for Coming {}
impl PartialOrd for Coming {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Coming {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

/// A run with everything simulated.
#[derive(Debug)]
pub struct Simulation {
    pub(crate) execution: Execution,
    pub(crate) scenario: Arc<Scenario>,
    pub(crate) coming: BinaryHeap<Reverse<Coming>>,
    pub(crate) sequence: u64,
    /// Calls so far of each callee, by its place.
    pub(crate) counters: BTreeMap<usize, u64>,
    /// What each action of the catalogue answers without a script.
    samples: BTreeMap<usize, Value>,
    pub(crate) said: BTreeSet<Text>,
    stale: usize,
    commands: Vec<Command>,
    pub(crate) run: RunId,
    pub(crate) debug: Option<Box<crate::debug::Debugger>>,
    /// Of a plan: its own run, which keeps the log instead of the execution.
    pub(crate) plan: Option<Box<crate::plan::Rehearsal>>,
    /// Of a task graph: its own run, which keeps the log instead of the execution.
    pub(crate) tasks: Option<Box<crate::tasks::Rehearsal>>,
    /// Iterations that are being looked for.
    pub(crate) view: crate::queries::View,
}

impl Simulation {
    /// Makes a run ready. It may be of a document with problems: the step that cannot run fails with its problem.
    pub fn new(document: &Document, graph: EntityId, scenario: Option<EntityId>, profile: Profile) -> Result<Self, Trouble> {
        let entity = match scenario {
            None => None,
            Some(id) => match document.get(id).filter(|entity| entity.kind == EntityKind::Scenario) {
                Some(entity) => Some(entity),
                None => return Err(Trouble::new("scenario_unknown", "The scenario is not in the document any more.")),
            },
        };
        let scenario = Arc::new(Scenario::read(entity));
        let compiled = Compiled::new(document, profile, &|kind, name| scenario.has(kind, name));
        let compiled = Arc::new(compiled.told(scenario.told.as_ref()));
        let Some(agent) = compiled.agent_of(graph) else {
            return Err(Trouble::new("graph_unknown", "The graph to run is not in the document any more."));
        };
        let samples = compiled
            .callees
            .iter()
            .enumerate()
            .filter(|(_, callee)| callee.kind == CalleeKind::Action)
            .filter_map(|(place, callee)| Some((place, sample_outputs(document.get(callee.entity?)?))))
            .collect();
        let steps: Vec<u32> =
            compiled.agents.get(agent).map(|made| made.steps.iter().map(|step| step.number).collect()).unwrap_or_default();
        let plan = document.graph(graph).and_then(|graph| {
            let scenario = entity.map(|entity| entity.id);
            crate::plan::Rehearsal::new(document, graph, scenario, agent, steps.clone()).map(Box::new)
        });
        let tasks = document
            .graph(graph)
            .and_then(|graph| crate::tasks::Rehearsal::new(graph, entity, scenario.clone(), agent, steps))
            .map(Box::new);
        let execution = Execution::start(compiled, agent, scenario.input.clone());
        Ok(Self {
            plan,
            tasks,
            execution,
            scenario,
            coming: BinaryHeap::new(),
            sequence: 0,
            counters: BTreeMap::new(),
            samples,
            said: BTreeSet::new(),
            stale: 0,
            commands: Vec::new(),
            run: RunId(0),
            debug: None,
            view: crate::queries::View::default(),
        })
    }

    /// Gives the run its number for summaries.
    pub fn numbered(mut self, run: RunId) -> Self {
        self.run = run;
        self
    }

    /// Works on the run until it has done about `budget` things, is held, or has ended.
    pub fn run_slice(&mut self, budget: usize) -> Progress {
        if self.plan.is_some() {
            return self.run_plan(budget);
        }
        if self.tasks.is_some() {
            return self.run_tasks(budget);
        }
        let until = self.execution.steps.saturating_add(budget as u64);
        loop {
            if self.paused().is_some() && self.execution.log.state == RunState::Running {
                return Progress::Paused;
            }
            let left = until.saturating_sub(self.execution.steps);
            if left == 0 {
                let over = self.execution.log.state != RunState::Running;
                return if over { Progress::Finished } else { Progress::Working };
            }
            // Who may be held is looked at after everything it does.
            let at_once = if self.debug.is_some() { 1 } else { usize::try_from(left).unwrap_or(usize::MAX) };
            let progress = self.execution.advance(at_once);
            self.obey_all();
            if progress == Progress::Finished {
                return Progress::Finished;
            }
            if self.debug.is_some() && self.hold() {
                return Progress::Paused;
            }
            if progress != Progress::Waiting {
                continue;
            }
            if self.debug.is_some()
                && let Some(next) = self.next_time()
                && self.hold_before(next)
            {
                return Progress::Paused;
            }
            if !self.next_event() {
                // Nothing will ever come: that is a defect of ours, and must not hang whoever waits.
                self.execution.cancel();
                self.execution.log.error = Some("The run waits for something that will not come.".into());
                return Progress::Finished;
            }
        }
    }

    /// The same for a plan.
    fn run_plan(&mut self, budget: usize) -> Progress {
        let Some(mut plan) = self.plan.take() else { return Progress::Finished };
        let mut log = std::mem::take(&mut self.execution.log);
        let mut unscripted: Vec<(Text, bool)> = Vec::new();
        let mut progress = if log.state == RunState::Running { Progress::Working } else { Progress::Finished };
        for _ in 0..budget {
            if progress == Progress::Finished {
                break;
            }
            progress = plan.step(&mut log, &mut |call, number| self.answer_plan(call, number, &mut unscripted));
            self.execution.steps += 1;
            self.execution.now = plan.now();
            for (name, is_agent) in unscripted.drain(..) {
                let what = if is_agent { "its text is its task" } else { "it answers with sample values" };
                let message = format!("{name} has no script; {what}.");
                if self.said.insert(message.as_str().into()) {
                    log.notice(plan.now(), 0, "N01", Severity::Warning, &message);
                }
            }
        }
        self.execution.log = log;
        self.plan = Some(plan);
        if progress == Progress::Finished { progress } else { Progress::Working }
    }

    /// What a call of a plan answers.
    fn answer_plan(&self, call: &crate::plan::Call, number: u64, unscripted: &mut Vec<(Text, bool)>) -> (u64, crate::plan::Outcome) {
        use crate::plan::Outcome as Came;
        let kind = if call.is_agent { CalleeKind::Agent } else { CalleeKind::Action };
        let place = self.execution.compiled.callees.iter().position(|callee| callee.kind == kind && callee.name == call.name);
        let id = place.and_then(|place| self.execution.compiled.callees.get(place)).and_then(|callee| callee.id.as_deref());
        let path: Vec<u64> = call.whose.index.map(|index| index as u64).into_iter().collect();
        let asked = Asked { number, params: &call.given, payload: &call.given, step: &call.instance, path: &path, attempt: call.attempt };
        let said_by_agent = |text: Value| Value::object([("agent", Value::Text(call.name.clone())), ("text", text)]);
        let Some(answer) = self.scenario.answer(kind, id, &call.name, &asked) else {
            unscripted.push((call.name.clone(), call.is_agent));
            let sample = place.and_then(|place| self.samples.get(&place)).cloned().unwrap_or_else(|| Value::object::<&str>([]));
            return (0, Came::Returned(if call.is_agent { said_by_agent(call.given.clone()) } else { sample }));
        };
        let retryable = self.scenario.is_retryable(kind, id, &call.name, &asked);
        let failed = |code: Option<Text>, message: Text| match (call.is_agent, retryable) {
            (true, true) => Came::AgentTimedOut,
            _ => Came::Failed { code: code.unwrap_or_else(|| "failed".into()), message, retryable },
        };
        let came = match answer.outcome {
            Outcome::Returned(value) | Outcome::Reported { ok: true, outputs: value, .. } if call.is_agent => {
                let text = value.get("text").filter(|text| text.as_str().is_some()).cloned();
                let text = text.or_else(|| value.as_str().map(Value::text));
                Came::Returned(said_by_agent(text.unwrap_or_else(|| Value::text(loopwright_lang::json::print_compact(&value)))))
            }
            Outcome::Returned(value) | Outcome::Reported { ok: true, outputs: value, .. } => Came::Returned(value),
            Outcome::Failed { message, .. } => failed(None, message),
            Outcome::Reported { message, code, .. } => failed(code, message.unwrap_or_default()),
            Outcome::Ended { message, .. } => Came::Returned(said_by_agent(Value::Text(message))),
            Outcome::Threw(message) if retryable => failed(None, message),
            Outcome::Threw(_) => Came::Broke,
            Outcome::Answered(text) => Came::Returned(Value::Text(text)),
            Outcome::Fired => Came::NoResult,
        };
        (answer.after, came)
    }

    /// The same for a task graph.
    fn run_tasks(&mut self, budget: usize) -> Progress {
        let Some(tasks) = &mut self.tasks else { return Progress::Finished };
        for _ in 0..budget {
            if self.execution.log.state != RunState::Running {
                return Progress::Finished;
            }
            let progress = tasks.step(&mut self.execution.log);
            self.execution.steps += 1;
            self.execution.now = tasks.now();
            if progress == Progress::Finished {
                return Progress::Finished;
            }
        }
        Progress::Working
    }

    /// Of a task graph: its run.
    pub fn tasks(&self) -> Option<&crate::tasks::Rehearsal> {
        self.tasks.as_deref()
    }

    fn obey_all(&mut self) {
        let mut commands = std::mem::take(&mut self.commands);
        self.execution.swap_commands(&mut commands);
        for command in commands.drain(..) {
            self.obey(command);
        }
        self.commands = commands;
    }

    /// Does one more thing, if there is one to do without anything coming.
    pub(crate) fn wake_once(&mut self) {
        self.execution.advance(1);
        self.obey_all();
    }

    /// When the next thing comes.
    fn next_time(&mut self) -> Option<u64> {
        while let Some(Reverse(coming)) = self.coming.peek() {
            if self.execution.wants(coming.ticket) {
                return Some(coming.at);
            }
            self.coming.pop();
            self.stale = self.stale.saturating_sub(1);
        }
        None
    }

    /// Runs to the end, whatever would hold it.
    pub fn run_to_end(&mut self) {
        self.debug = None;
        while self.run_slice(1 << 20) != Progress::Finished {}
    }

    /// The same run, not begun.
    pub(crate) fn restarted(&self) -> Self {
        let agent = self.execution.log.agents.first().map_or(0, |agent| agent.agent as usize);
        Self {
            plan: self.plan.as_ref().map(|plan| Box::new(plan.restarted())),
            tasks: self.tasks.as_ref().map(|tasks| Box::new(tasks.restarted())),
            execution: Execution::start(self.execution.compiled.clone(), agent, self.scenario.input.clone()),
            scenario: self.scenario.clone(),
            coming: BinaryHeap::new(),
            sequence: 0,
            counters: BTreeMap::new(),
            samples: self.samples.clone(),
            said: BTreeSet::new(),
            stale: 0,
            commands: Vec::new(),
            run: self.run,
            debug: None,
            view: crate::queries::View::default(),
        }
    }

    /// Ends the run where it is.
    pub fn cancel(&mut self) {
        if let Some(plan) = &mut self.plan {
            plan.cancel(&mut self.execution.log);
        }
        if let Some(tasks) = &mut self.tasks {
            tasks.cancel(&mut self.execution.log);
        }
        self.execution.cancel();
        self.coming.clear();
    }

    /// Of a plan: its run and its waves.
    pub fn plan(&self) -> Option<&crate::plan::Rehearsal> {
        self.plan.as_deref()
    }

    /// What happened so far.
    pub fn log(&self) -> &RunLog {
        self.execution.log()
    }

    /// The execution, e.g. for its clock.
    pub fn execution(&self) -> &Execution {
        &self.execution
    }

    /// Limits the log to so many bytes; past them iterations are counted, not kept.
    pub fn limit_log(&mut self, bytes: usize) {
        self.execution.limit_log(bytes);
    }

    /// Notes every call with its parameters, from now on.
    pub fn trace(&mut self) {
        self.execution.trace.get_or_insert_default();
    }

    /// Notes, from now on, where the other profile would have acted differently.
    pub fn note_differences(&mut self) {
        self.execution.differences.get_or_insert_default();
    }

    /// What was noted of that.
    pub fn differences(&self) -> &[crate::engine::Noted] {
        self.execution.differences.as_deref().unwrap_or_default()
    }

    /// The calls that were noted, with their times in microseconds.
    pub fn traced(&self) -> &[(u64, Call)] {
        self.execution.trace.as_deref().unwrap_or_default()
    }

    /// Lets the next thing happen.
    fn next_event(&mut self) -> bool {
        while let Some(Reverse(coming)) = self.coming.pop() {
            if self.execution.wants(coming.ticket) {
                return self.execution.complete(coming.ticket, coming.at, coming.outcome).is_ok();
            }
            self.stale = self.stale.saturating_sub(1);
        }
        false
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::StartTimer { ticket, after, class } => self.come(ticket, after, class, Outcome::Fired),
            Command::StartCall { ticket, call } => {
                let answer = self.answer(&call);
                self.asked(ticket, &call);
                self.come(ticket, answer.after, Class::Answer, answer.outcome);
            }
            Command::Cancel { .. } => {
                self.stale += 1;
                if self.stale > 4_096 && self.stale * 2 > self.coming.len() {
                    let execution = &self.execution;
                    self.coming.retain(|Reverse(coming)| execution.wants(coming.ticket));
                    self.stale = 0;
                }
            }
        }
    }

    fn come(&mut self, ticket: Ticket, after: u64, class: Class, outcome: Outcome) {
        let at = self.execution.now().saturating_add(after);
        self.coming.push(Reverse(Coming { at, class, sequence: self.sequence, ticket, outcome }));
        self.sequence += 1;
    }

    /// What a call answers.
    fn answer(&mut self, call: &Call) -> Answer {
        let compiled = self.execution.compiled.clone();
        let mut asked =
            Asked { number: 0, params: &call.params, payload: &call.payload, step: &call.key, path: &call.path, attempt: call.attempt };
        if let Some((agent, turn)) = call.turn {
            asked.number = turn;
            let made = compiled.agents.get(agent);
            let (id, name) = made.map_or((None, ""), |made| (made.id.as_deref(), made.name.as_str()));
            return match self.scenario.turn(id, name, &asked) {
                Some((answer, repeated)) => {
                    if repeated {
                        self.say(call, "N03", &format!("{name} has no more scripted answers; the last one repeats."));
                    }
                    answer
                }
                None if made.is_some_and(|made| !made.is_loop) => {
                    let text = format!("There is no scripted prompt for {name} itself.");
                    Answer { after: 0, outcome: Outcome::Threw(text.into()) }
                }
                None => {
                    self.say(call, "N02", &format!("{name} has no scripted answers; it completes at once."));
                    let done = Value::object([("taskComplete", Value::Bool(true)), ("message", Value::text(""))]);
                    Answer { after: 0, outcome: Outcome::Returned(done) }
                }
            };
        }
        let Some((place, callee)) = call.callee.and_then(|place| Some((place, compiled.callees.get(place)?))) else {
            return Answer { after: 0, outcome: Outcome::Threw("There is nothing to call.".into()) };
        };
        let counter = self.counters.entry(place).or_insert(0);
        asked.number = *counter;
        *counter += 1;
        if let Some(answer) = self.scenario.answer(callee.kind, callee.id.as_deref(), &callee.name, &asked) {
            return answer;
        }
        let outcome = match callee.kind {
            CalleeKind::Action => {
                self.say(call, "N01", &format!("{} has no script; it answers with sample values.", callee.name));
                self.samples.get(&place).cloned().unwrap_or_else(|| Value::object::<&str>([]))
            }
            CalleeKind::Prompt | CalleeKind::Agent => {
                self.say(call, "N01", &format!("{} has no script; it answers {{}}.", callee.name));
                Value::object::<&str>([])
            }
        };
        Answer { after: 0, outcome: Outcome::Returned(outcome) }
    }

    /// Says something about a call once.
    fn say(&mut self, call: &Call, code: &str, message: &str) {
        if self.said.insert(message.into()) {
            let now = self.execution.now();
            self.execution.log.notice(now, call.row, code, Severity::Warning, message);
        }
    }
}

/// Sample values for the outputs of an action: its examples, or something of its types.
fn sample_outputs(action: &Entity) -> Value {
    let sample = |name: &str, spec: &Value| -> Value {
        for key in ["example", "sample", "default"] {
            if let Some(value) = spec.get(key).filter(|value| !value.is_nullish()) {
                return value.clone();
            }
        }
        let kind = spec.as_str().or_else(|| spec.get("type").and_then(Value::as_str)).unwrap_or("string").to_ascii_lowercase();
        match kind.as_str() {
            "number" | "integer" | "float" | "decimal" => Value::Number(1.0),
            "boolean" | "bool" => Value::Bool(true),
            "list" | "array" => Value::list([]),
            "object" => Value::object::<&str>([]),
            _ => Value::text(format!("sample {name}")),
        }
    };
    match action.fields.get("outputs").or_else(|| action.fields.get("Outputs")) {
        Some(Value::List(outputs)) => Value::object(outputs.iter().filter_map(|output| {
            let name = output
                .as_str()
                .or_else(|| output.get("name").and_then(Value::as_str))
                .or_else(|| output.get("Name").and_then(Value::as_str))?;
            let spec = if output.as_object().is_some() { output.clone() } else { Value::text("string") };
            Some((name.to_owned(), sample(name, &spec)))
        })),
        Some(Value::Object(outputs)) => Value::object(outputs.iter().map(|(name, spec)| (name.clone(), sample(name, spec)))),
        _ => Value::object::<&str>([]),
    }
}
