//! The state machine: which tasks start, and how the run ends. What a task does is in `plain` and `loops`.

use std::{collections::BTreeMap, sync::Arc};

use loopwright_lang::{Problem, Text, Value};
use loopwright_model::tasks::{Callee, StartOptions, TaskKind};

use super::{
    Cache, Candidate, CompiledTasks, Event, EventKind, Failure, Found, Lookup, Phase, Record, RunStatus, Saved, Status, StopAt, budget,
    cache::{self, Entry, Stored, hex},
    compiled,
};
use crate::engine::{Class, Ticket};

/// The run was interrupted: nothing more happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interrupted;

pub(super) type Go = Result<(), Interrupted>;

/// What the run asks its driver for.
#[derive(Clone, Debug)]
pub enum Command {
    /// Make a call; its end is told with [`TaskRun::complete`].
    StartCall(Box<TaskCall>),
    /// Wake me later, with [`TaskRun::fire`].
    StartTimer {
        /// What to answer with.
        ticket: Ticket,
        /// In so many microseconds.
        after: u64,
        /// The run's own deadline comes before everything else at its time.
        class: Class,
    },
    /// It is not wanted any more.
    Cancel(Ticket),
}

/// A call of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskCall {
    /// What to answer with.
    pub ticket: Ticket,
    /// The task's place.
    pub task: usize,
    /// What is called.
    pub callee: Callee,
    /// Its name.
    pub name: Text,
    /// The parameters, where the body has any; those without a value are there.
    pub params: Option<Value>,
    /// The number of the attempt.
    pub attempt: u64,
    /// In a loop, the round and the phase.
    pub round: Option<(u64, Phase)>,
    /// What the round's attempt is told of the one before; `Undefined` in the first.
    pub feedback: Value,
    /// The same whenever the same phase is called again.
    pub idempotency_key: String,
}

/// What a call came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// It gave a value.
    Returned(Candidate),
    /// It broke off.
    Threw(Failure),
}

/// What a call came to, and what it used.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// What it came to.
    pub answer: Answer,
    /// Tokens, where it told.
    pub usage: Option<Tokens>,
    /// What a check wrote into the candidate (only simulated).
    pub mutate: Option<Value>,
}

/// Tokens used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tokens {
    /// Input, cached, output.
    pub counts: [f64; 3],
    /// Whether some could not be counted.
    pub incomplete: bool,
}

/// What a person decided at a gate.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The gate.
    pub key: Text,
    /// `approve` or `reject`.
    pub action: Text,
    /// Who.
    pub actor: Text,
    /// Why.
    pub reason: Text,
}

/// Why a run is not started, or not continued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartRefused(pub String);

/// How a run is set up, apart from the graph and its options.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Whether it is saved: then values must be plain JSON.
    pub checkpoint: bool,
    /// Tells runs apart.
    pub execution_id: Text,
    /// Where chance starts.
    pub seed: String,
    /// The time of day at virtual time 0, in milliseconds.
    pub now_ms: f64,
    /// The virtual time of the start, in microseconds.
    pub starts_at: u64,
    /// Where to interrupt it.
    pub stop_at: Option<StopAt>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { checkpoint: true, execution_id: "run".into(), seed: String::new(), now_ms: 0.0, starts_at: 0, stop_at: None }
    }
}

/// Whether the run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stop {
    /// It does.
    No,
    /// Attempts are spent: nothing more is started, what runs may end.
    Closed,
    /// Everything that runs is asked to stop.
    Aborting,
}

/// What an active task is doing.
#[derive(Clone, Debug, Default)]
pub(super) struct Live {
    pub(super) call: Option<Ticket>,
    pub(super) timer: Option<Ticket>,
    pub(super) delay: Option<Ticket>,
    /// The call does not stop when it is asked to.
    pub(super) deaf: bool,
    /// The deadline passed while such a call went on.
    pub(super) timed_out: bool,
    /// A loop's candidate.
    pub(super) candidate: Candidate,
    /// Attempts of an ordinary task since the run was started or resumed.
    pub(super) attempts: u64,
}

/// What a ticket is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    Call(usize),
    Timer(usize),
    Delay(usize),
    Deadline,
}

/// A run of a task graph.
#[derive(Clone, Debug)]
pub struct TaskRun {
    pub(super) tasks: Arc<CompiledTasks>,
    pub(super) options: StartOptions,
    pub(super) settings: Settings,
    pub(super) records: Vec<Record>,
    pub(super) live: Vec<Live>,
    /// Values kept over runs.
    pub cache: Cache,
    now: u64,
    tickets: u64,
    waits: BTreeMap<Ticket, Wait>,
    commands: Vec<Command>,
    events: Vec<Event>,
    notes: Vec<(usize, Text, Problem)>,
    tokens: Tokens,
    told_usage: bool,
    saved_tokens: Tokens,
    stop: Stop,
    code: Option<Text>,
    budget_spent: bool,
    aborted: bool,
    deadline_passed: bool,
    deadline: Option<Ticket>,
    /// Tasks that are active.
    running: usize,
    /// Whether something changed that a walk would see.
    changed: bool,
    interrupted: bool,
    finished: Option<RunStatus>,
}

impl TaskRun {
    /// Starts a run from nothing.
    pub fn start(tasks: Arc<CompiledTasks>, options: StartOptions, settings: Settings, cache: Cache) -> Result<Self, StartRefused> {
        if !settings.checkpoint && tasks.graph.tasks.iter().any(loopwright_model::tasks::Task::is_gate) {
            return Err(StartRefused("gates require a checkpoint".to_owned()));
        }
        let records = tasks.graph.tasks.iter().map(|_| Record::default()).collect();
        let mut run = Self::new(tasks, options, settings, cache, records);
        let _ = run.begin(false, &[]);
        Ok(run)
    }

    /// Goes on from a saved state. `authorised` lets what was interrupted or failed run again; `version` takes the graph's place.
    pub fn resume(
        tasks: Arc<CompiledTasks>,
        options: StartOptions,
        settings: Settings,
        cache: Cache,
        saved: &Saved,
        version: Option<&str>,
        authorised: bool,
    ) -> Result<Self, StartRefused> {
        saved.check(&tasks.graph, version)?;
        if saved.needs_authority() && !authorised {
            let message = "the saved run is incomplete: some of it would run again; retry-incomplete is needed to authorise that";
            return Err(StartRefused(message.to_owned()));
        }
        let records = tasks.graph.tasks.iter().map(|task| saved.record(&task.key).cloned().unwrap_or_default()).collect();
        let settings = Settings { starts_at: saved.at.max(settings.starts_at), ..settings };
        let mut run = Self::new(tasks, options, settings, cache, records);
        run.tokens = saved.tokens;
        run.told_usage = saved.told_usage;
        let _ = run.begin(true, &[]);
        Ok(run)
    }

    fn new(tasks: Arc<CompiledTasks>, options: StartOptions, settings: Settings, cache: Cache, records: Vec<Record>) -> Self {
        let live = records.iter().map(|_| Live::default()).collect();
        Self {
            now: settings.starts_at,
            tasks,
            options,
            settings,
            records,
            live,
            cache,
            tickets: 0,
            waits: BTreeMap::new(),
            commands: Vec::new(),
            events: Vec::new(),
            notes: Vec::new(),
            tokens: Tokens::default(),
            told_usage: false,
            saved_tokens: Tokens::default(),
            stop: Stop::No,
            code: None,
            budget_spent: false,
            aborted: false,
            deadline_passed: false,
            deadline: None,
            running: 0,
            changed: true,
            interrupted: false,
            finished: None,
        }
    }

    /// Goes on from a gate with what people decided. `Err`: nothing happened.
    pub fn decide(&mut self, decisions: &[Decision], at: u64) -> Result<(), StartRefused> {
        for decision in decisions {
            let place = self.tasks.graph.find(&decision.key);
            let open = place.and_then(|place| self.records.get(place)).is_some_and(|record| record.status == Status::Paused);
            let Some(TaskKind::Approval { actors, .. }) = place.and_then(|place| self.tasks.task(place)).map(|task| &task.kind) else {
                return Err(StartRefused(format!("{} is no gate", decision.key)));
            };
            if !open {
                return Err(StartRefused(format!("the gate {} is not open", decision.key)));
            }
            if !actors.contains(&decision.actor) {
                return Err(StartRefused(format!("{} is not among the actors of {}", decision.actor, decision.key)));
            }
            if decision.reason.trim().is_empty() {
                return Err(StartRefused(format!("the decision at {} needs a reason", decision.key)));
            }
            if !matches!(decision.action.as_str(), "approve" | "reject") {
                return Err(StartRefused(format!("a decision is approve or reject; found {}", decision.action)));
            }
        }
        self.now = self.now.max(at);
        let _ = self.begin(true, decisions);
        Ok(())
    }

    /// A start, the first or a later one.
    fn begin(&mut self, resumed: bool, decisions: &[Decision]) -> Go {
        if resumed {
            self.restart();
        }
        (self.stop, self.budget_spent, self.aborted, self.deadline_passed, self.finished) = (Stop::No, false, false, false, None);
        self.code = self.records.iter().find_map(|record| record.error.as_ref().map(Failure::code));
        self.emit(EventKind::Start)?;
        if resumed {
            self.emit(EventKind::Resume)?;
        }
        if let Some(ms) = self.options.timeout_ms {
            self.deadline = Some(self.timer(ms * 1_000, Class::Abort, Wait::Deadline));
        }
        for decision in decisions {
            self.decided(decision)?;
        }
        self.changed = true;
        self.settle()
    }

    /// What a resumed start makes of the statuses.
    fn restart(&mut self) {
        let all = |fits: fn(Status) -> bool| self.records.iter().all(|record| fits(record.status));
        let ended = all(|status| matches!(status, Status::Done | Status::Skipped));
        let gate = self.records.iter().any(|record| record.status == Status::Paused);
        let resting = gate && all(|status| !matches!(status, Status::Active | Status::Failed | Status::Cancelled));
        if ended || resting {
            return;
        }
        for record in &mut self.records {
            if !matches!(record.status, Status::Done | Status::Paused | Status::Rejected) {
                (record.status, record.error, record.cache_hit) = (Status::Waiting, None, false);
            }
        }
    }

    fn decided(&mut self, decision: &Decision) -> Go {
        let Some(place) = self.tasks.graph.find(&decision.key) else { return Ok(()) };
        let approved = decision.action.as_str() == "approve";
        let status = if approved { Status::Done } else { Status::Rejected };
        if let Some(record) = self.records.get_mut(place) {
            record.status = status;
            if approved {
                let value = Value::object([
                    ("key", Value::Text(decision.key.clone())),
                    ("action", Value::Text(decision.action.clone())),
                    ("actor", Value::Text(decision.actor.clone())),
                    ("reason", Value::Text(decision.reason.clone())),
                ]);
                record.value = Some(value.into());
            } else {
                record.error = Some(Failure::Rejected(decision.actor.clone(), decision.reason.clone()));
            }
        }
        if !approved {
            self.code.get_or_insert_with(|| "rejected".into());
        }
        self.emit(EventKind::Decision(place, status))?;
        self.emit(EventKind::Task(place, status))
    }

    // What the driver says.

    /// Tells what a call came to. An answer that is not wanted any more is passed over.
    pub fn complete(&mut self, ticket: Ticket, at: u64, reply: Reply) {
        if let Some(Wait::Call(place)) = self.waits.remove(&ticket)
            && !self.interrupted
        {
            self.now = self.now.max(at);
            let _ = self.answered(place, reply).and_then(|()| self.settle());
        }
    }

    /// Tells that a timer is up.
    pub fn fire(&mut self, ticket: Ticket, at: u64) {
        let Some(wait) = self.waits.remove(&ticket) else { return };
        if self.interrupted {
            return;
        }
        self.now = self.now.max(at);
        let go = match wait {
            Wait::Timer(place) => self.timed_out(place),
            Wait::Delay(place) => self.delayed(place),
            Wait::Deadline => {
                self.deadline = None;
                self.deadline_passed = true;
                self.code.get_or_insert_with(|| "timeout".into());
                self.abort_all()
            }
            Wait::Call(_) => Ok(()),
        };
        let _ = go.and_then(|()| self.settle());
    }

    /// Stops the run from outside.
    pub fn abort(&mut self, at: u64) {
        if self.finished.is_some() || self.interrupted {
            return;
        }
        self.now = self.now.max(at);
        self.aborted = true;
        self.code.get_or_insert_with(|| "aborted".into());
        let _ = self.abort_all().and_then(|()| self.settle());
    }

    /// Says that a call will not stop when it is asked to: it is waited for, and its answer refused.
    pub fn does_not_stop(&mut self, ticket: Ticket) {
        if let Some(Wait::Call(place)) = self.waits.get(&ticket)
            && let Some(live) = self.live.get_mut(*place)
        {
            live.deaf = true;
        }
    }

    /// What is to be done now, in order.
    pub fn take_commands(&mut self) -> Vec<Command> {
        std::mem::take(&mut self.commands)
    }

    /// Whether a ticket is still waited for.
    pub fn wants(&self, ticket: Ticket) -> bool {
        self.waits.contains_key(&ticket)
    }

    // What can be asked.

    /// What happened so far.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// What could not be evaluated in mappings: the task, the parameter, why. Such a parameter has no value.
    pub fn notes(&self) -> &[(usize, Text, Problem)] {
        &self.notes
    }

    /// The records of the tasks, in list order.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The graph.
    pub fn tasks(&self) -> &Arc<CompiledTasks> {
        &self.tasks
    }

    /// Virtual time, in microseconds.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// How it ended, or that it rests at a gate. `None` while it goes on, and when it was interrupted.
    pub fn finished(&self) -> Option<RunStatus> {
        self.finished
    }

    /// The code of the end, where it did not go well.
    pub fn code(&self) -> Option<&Text> {
        self.code.as_ref()
    }

    /// Whether it was interrupted.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted
    }

    /// Tokens used, over all starts; `None` when no call told.
    pub fn tokens(&self) -> Option<Tokens> {
        self.told_usage.then_some(if self.interrupted { self.saved_tokens } else { self.tokens })
    }

    /// Attempts of all tasks, over all starts.
    pub fn attempts_used(&self) -> u64 {
        self.records.iter().map(|record| record.attempts).sum()
    }

    /// The state as it was last saved: what an interrupted run goes on from.
    pub fn save(&self) -> Saved {
        Saved::of(self, self.saved_tokens, self.told_usage)
    }

    // The scheduler.

    /// Walks the list until a walk changes nothing; ends the run when nothing is left to wait for.
    fn settle(&mut self) -> Go {
        while self.changed {
            self.changed = false;
            self.walk()?;
        }
        if self.running == 0 && self.finished.is_none() { self.finish() } else { Ok(()) }
    }

    fn walk(&mut self) -> Go {
        // A task that was started and ended in this walk keeps its slot to the end of it.
        let mut started = vec![false; self.records.len()];
        let mut kept = 0;
        let before = self.stop;
        for place in 0..self.records.len() {
            if self.records.get(place).is_none_or(|record| record.status != Status::Waiting) {
                continue;
            }
            if self.stop != Stop::No {
                self.end(place, Status::Cancelled)?;
                continue;
            }
            let tasks = self.tasks.clone();
            let after = tasks.task(place).map(|task| task.after.as_slice()).unwrap_or_default();
            let seen = |other: &usize| !started.get(*other).copied().unwrap_or(false);
            let status = |other: &usize| self.records.get(*other).map(|record| record.status).unwrap_or_default();
            if after.iter().any(|other| seen(other) && status(other).is_without_value()) {
                self.end(place, Status::Skipped)?;
            } else if after.iter().all(|other| seen(other) && status(other) == Status::Done)
                && ((self.running + kept) as u64) < self.options.concurrency
            {
                if let Some(mark) = started.get_mut(place) {
                    *mark = true;
                }
                self.start_task(place)?;
                self.changed = true;
                if self.records.get(place).is_some_and(|record| record.status != Status::Active) {
                    kept += 1;
                }
                if self.stop != before {
                    // Those that wait end in list order.
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Ends a task that has not started.
    fn end(&mut self, place: usize, status: Status) -> Go {
        if let Some(record) = self.records.get_mut(place) {
            record.status = status;
        }
        self.changed = true;
        self.emit(EventKind::Task(place, status))
    }

    fn start_task(&mut self, place: usize) -> Go {
        let tasks = self.tasks.clone();
        let (Some(task), Some(parts)) = (tasks.task(place), tasks.parts.get(place)) else { return Ok(()) };
        if task.is_gate() {
            if let Some(record) = self.records.get_mut(place) {
                record.status = Status::Paused;
                record.paused_at = Some(self.now);
            }
            self.emit(EventKind::Gate(place))?;
            return self.emit(EventKind::Task(place, Status::Paused));
        }
        if let Some(record) = self.records.get_mut(place) {
            record.status = Status::Active;
        }
        if let Some(live) = self.live.get_mut(place) {
            *live = Live::default();
        }
        self.running += 1;
        self.emit(EventKind::Task(place, Status::Active))?;
        if let Some(condition) = &parts.condition {
            match tasks.holds(condition, &compiled::scope(self.values(place), [])) {
                Ok(true) => {}
                Ok(false) => return self.leave(place, Status::Skipped),
                Err(failure) => return self.fail(place, failure),
            }
        }
        if let (Some(cache), Some(input)) = (&task.cache, &parts.cache_key) {
            let key = match compiled::cache_key(input, &compiled::scope(self.values(place), [])) {
                Ok(key) => key,
                Err(failure) => return self.fail(place, failure),
            };
            let found = if cache.refresh {
                Found::Nothing
            } else {
                let fingerprint = cache::fingerprint(&tasks.graph.name, &task.key, &cache.version, &key);
                self.cache.find(&fingerprint, self.time_of_day(), cache.max_age_ms)
            };
            match found {
                Found::Value(value) => {
                    self.emit(EventKind::Cache(place, Lookup::Hit))?;
                    if let Some(record) = self.records.get_mut(place) {
                        (record.cache_hit, record.value) = (true, Some(value.into()));
                        record.rounds.clear();
                    }
                    return self.leave(place, Status::Done);
                }
                Found::Nothing => self.emit(EventKind::Cache(place, Lookup::Miss))?,
                Found::Broken => self.emit(EventKind::Cache(place, Lookup::Failed))?,
            }
        }
        if task.is_loop() { self.open_round(place) } else { self.attempt(place) }
    }

    /// The values of what a task is after.
    pub(super) fn values(&self, place: usize) -> Value {
        let graph = &self.tasks.graph;
        let after = graph.tasks.get(place).map(|task| task.after.as_slice()).unwrap_or_default();
        Value::object(after.iter().filter_map(|other| {
            let value = self.records.get(*other)?.value.as_ref().map(|candidate| candidate.value.clone()).unwrap_or_default();
            Some((graph.tasks.get(*other)?.key.clone(), value))
        }))
    }

    /// The time of day, in milliseconds.
    fn time_of_day(&self) -> f64 {
        self.settings.now_ms + self.now as f64 / 1_000.0
    }

    fn finish(&mut self) -> Go {
        self.drop_ticket(|run| run.deadline.take());
        let any = |wanted: Status| self.records.iter().any(|record| record.status == wanted);
        let status = if self.deadline_passed {
            RunStatus::Failed
        } else if self.aborted {
            RunStatus::Cancelled
        } else if self.budget_spent || any(Status::Failed) {
            RunStatus::Failed
        } else if any(Status::Rejected) {
            RunStatus::Rejected
        } else if any(Status::Paused) {
            RunStatus::Paused
        } else {
            RunStatus::Done
        };
        self.code = match status {
            RunStatus::Done | RunStatus::Paused => None,
            RunStatus::Failed if self.deadline_passed => Some("timeout".into()),
            RunStatus::Cancelled => Some("aborted".into()),
            RunStatus::Failed => Some(self.code.take().unwrap_or_else(|| "failed".into())),
            RunStatus::Rejected => Some("rejected".into()),
        };
        self.finished = Some(status);
        self.emit(EventKind::Finish(status, self.code.clone()))
    }

    /// Asks everything that runs to stop; it ends in list order.
    fn abort_all(&mut self) -> Go {
        self.stop = Stop::Aborting;
        self.changed = true;
        for place in 0..self.records.len() {
            let active = self.records.get(place).is_some_and(|record| record.status == Status::Active);
            let deaf = self.live.get(place).is_some_and(|live| live.call.is_some() && live.deaf);
            if active && !deaf {
                self.leave(place, Status::Cancelled)?;
            }
        }
        Ok(())
    }

    // What tasks do to the run.

    /// Whether another attempt may count. Where it may not, the budget is spent and the task cancelled.
    pub(super) fn admit(&mut self, place: usize) -> Result<bool, Interrupted> {
        match budget::refuses(&self.options, self.attempts_used_live(), &self.tokens) {
            None => Ok(true),
            Some(code) => {
                self.spend(code, false)?;
                self.leave(place, Status::Cancelled)?;
                Ok(false)
            }
        }
    }

    fn attempts_used_live(&self) -> u64 {
        if self.options.attempts.is_some() { self.attempts_used() } else { 0 }
    }

    fn spend(&mut self, code: Text, abort: bool) -> Go {
        let first = !self.budget_spent;
        self.budget_spent = true;
        self.code.get_or_insert(code);
        if first {
            self.emit(EventKind::BudgetExceeded)?;
        }
        self.changed = true;
        self.stop = self.stop.max(Stop::Closed);
        if abort { self.abort_all() } else { Ok(()) }
    }

    /// A call told what it used.
    pub(super) fn used(&mut self, place: usize, usage: Tokens) -> Go {
        for (sum, more) in self.tokens.counts.iter_mut().zip(usage.counts) {
            *sum += more;
        }
        self.tokens.incomplete |= usage.incomplete;
        self.told_usage = true;
        let attempt = self.records.get(place).map_or(0, |record| record.attempts);
        self.emit(EventKind::Usage(place, attempt))?;
        match budget::spent(&self.options, &self.tokens) {
            Some(code) if self.stop != Stop::Aborting => self.spend(code, true),
            _ => Ok(()),
        }
    }

    /// Whether everything that runs is asked to stop.
    pub(super) fn is_aborting(&self) -> bool {
        self.stop == Stop::Aborting
    }

    /// Ends an active task.
    pub(super) fn leave(&mut self, place: usize, status: Status) -> Go {
        if self.interrupted {
            return Err(Interrupted);
        }
        self.forget(place);
        if let Some(record) = self.records.get_mut(place) {
            record.status = status;
        }
        self.running = self.running.saturating_sub(1);
        self.changed = true;
        self.emit(EventKind::Task(place, status))
    }

    /// Takes back what an active task waits for.
    fn forget(&mut self, place: usize) {
        self.drop_ticket(|run| run.live.get_mut(place)?.call.take());
        self.drop_ticket(|run| run.live.get_mut(place)?.timer.take());
        self.drop_ticket(|run| run.live.get_mut(place)?.delay.take());
    }

    pub(super) fn drop_ticket(&mut self, take: impl FnOnce(&mut Self) -> Option<Ticket>) {
        if let Some(ticket) = take(self)
            && self.waits.remove(&ticket).is_some()
        {
            self.commands.push(Command::Cancel(ticket));
        }
    }

    /// Fails an active task; the run stops where it stops on errors.
    pub(super) fn fail(&mut self, place: usize, failure: Failure) -> Go {
        if self.interrupted {
            return Err(Interrupted);
        }
        if self.is_aborting() {
            return self.leave(place, Status::Cancelled);
        }
        self.code.get_or_insert_with(|| failure.code());
        if let Some(record) = self.records.get_mut(place) {
            record.error = Some(failure);
        }
        self.leave(place, Status::Failed)?;
        if self.options.stop_on_error { self.abort_all() } else { Ok(()) }
    }

    /// Ends an active task with its value, which the cache keeps where it is asked to.
    pub(super) fn succeed(&mut self, place: usize, value: Candidate) -> Go {
        if self.interrupted {
            return Err(Interrupted);
        }
        let tasks = self.tasks.clone();
        if let (Some(task), Some(parts)) = (tasks.task(place), tasks.parts.get(place))
            && let (Some(cache), Some(input)) = (&task.cache, &parts.cache_key)
        {
            if !value.can_be_saved() {
                let found = value.special.clone().unwrap_or_else(|| compiled::shown(&value.value));
                return self.fail(place, Failure::NotJson(found));
            }
            let lookup = match compiled::cache_key(input, &compiled::scope(self.values(place), [])) {
                Ok(key) if !self.cache.write_fails => {
                    let entry = Entry { value: Some(value.value.clone()), created_at: self.time_of_day() };
                    self.cache.put(cache::fingerprint(&tasks.graph.name, &task.key, &cache.version, &key), entry.clone());
                    self.cache.stored.push(Stored { task: task.key.clone(), version: cache.version.clone(), entry });
                    Lookup::Stored
                }
                _ => Lookup::Failed,
            };
            self.emit(EventKind::Cache(place, lookup))?;
        }
        if let Some(record) = self.records.get_mut(place) {
            record.value = Some(value);
        }
        self.leave(place, Status::Done)
    }

    /// Asks for a call. What could not be evaluated is noted.
    pub(super) fn call(
        &mut self,
        place: usize,
        body: &compiled::CompiledBody,
        scope: &loopwright_lang::Scope,
        round: Option<(u64, Phase)>,
        feedback: Value,
    ) -> Result<(), Failure> {
        let (params, problems) = body.params(scope)?;
        self.notes.extend(problems.into_iter().map(|(name, problem)| (place, name, problem)));
        let attempt = self.records.get(place).map_or(0, |record| record.attempts);
        let key = self.tasks.task(place).map(|task| task.key.clone()).unwrap_or_default();
        let ticket = self.ticket(Wait::Call(place));
        if let Some(live) = self.live.get_mut(place) {
            (live.call, live.deaf) = (Some(ticket), false);
        }
        let call = TaskCall {
            ticket,
            task: place,
            callee: body.callee,
            name: body.name.clone(),
            params,
            attempt,
            round,
            feedback,
            idempotency_key: idempotency_key(&self.settings.execution_id, &key, round),
        };
        self.commands.push(Command::StartCall(Box::new(call)));
        Ok(())
    }

    /// Starts the timer of a round or an attempt.
    pub(super) fn start_timer(&mut self, place: usize) {
        self.drop_ticket(|run| run.live.get_mut(place)?.timer.take());
        let Some(ms) = self.tasks.task(place).and_then(|task| task.timeout_ms) else { return };
        let ticket = self.timer(ms * 1_000, Class::Answer, Wait::Timer(place));
        if let Some(live) = self.live.get_mut(place) {
            live.timer = Some(ticket);
        }
    }

    /// Waits before another attempt.
    pub(super) fn delay(&mut self, place: usize, ms: u64) {
        let ticket = self.timer(ms.saturating_mul(1_000), Class::Answer, Wait::Delay(place));
        if let Some(live) = self.live.get_mut(place) {
            live.delay = Some(ticket);
        }
    }

    fn timer(&mut self, after: u64, class: Class, wait: Wait) -> Ticket {
        let ticket = self.ticket(wait);
        self.commands.push(Command::StartTimer { ticket, after, class });
        ticket
    }

    fn ticket(&mut self, wait: Wait) -> Ticket {
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        self.waits.insert(ticket, wait);
        ticket
    }

    fn answered(&mut self, place: usize, reply: Reply) -> Go {
        let Some(live) = self.live.get_mut(place) else { return Ok(()) };
        live.call = None;
        let timed_out = live.timed_out;
        if let Some(usage) = reply.usage {
            self.used(place, usage)?;
        }
        if self.records.get(place).is_none_or(|record| record.status != Status::Active) {
            return Ok(());
        }
        if self.is_aborting() {
            return self.leave(place, Status::Cancelled);
        }
        let is_loop = self.tasks.task(place).is_some_and(loopwright_model::tasks::Task::is_loop);
        if timed_out {
            return self.late(place, is_loop);
        }
        if is_loop { self.phase_ended(place, reply) } else { self.attempt_ended(place, reply.answer) }
    }

    fn timed_out(&mut self, place: usize) -> Go {
        let Some(live) = self.live.get_mut(place) else { return Ok(()) };
        live.timer = None;
        if live.deaf && live.call.is_some() {
            live.timed_out = true;
            return Ok(());
        }
        let is_loop = self.tasks.task(place).is_some_and(loopwright_model::tasks::Task::is_loop);
        self.late(place, is_loop)
    }

    fn late(&mut self, place: usize, is_loop: bool) -> Go {
        self.drop_ticket(|run| run.live.get_mut(place)?.call.take());
        if let Some(live) = self.live.get_mut(place) {
            live.timed_out = false;
        }
        let failure = Failure::Timeout(self.tasks.task(place).and_then(|task| task.timeout_ms).unwrap_or(0));
        if is_loop { self.fail(place, failure) } else { self.attempt_failed(place, failure) }
    }

    pub(super) fn emit(&mut self, kind: EventKind) -> Go {
        if self.interrupted {
            return Err(Interrupted);
        }
        let tasks = &self.tasks;
        if kind.saves(|place| tasks.task(place).is_some_and(loopwright_model::tasks::Task::is_loop)) {
            self.saved_tokens = self.tokens;
        }
        let stops = self.settings.stop_at.as_ref().is_some_and(|stop| stop.is(self.events.len(), &kind));
        self.events.push(Event { at: self.now, kind });
        if stops {
            self.interrupted = true;
            return Err(Interrupted);
        }
        Ok(())
    }
}

/// `hex(SHA-256(JSON.stringify([executionId, key])))`, and in a loop the round and the phase.
pub fn idempotency_key(execution_id: &str, key: &str, round: Option<(u64, Phase)>) -> String {
    let text = loopwright_lang::json::print_compact(&Value::list([Value::text(execution_id), Value::text(key)]));
    let hash = hex(text.as_bytes());
    match round {
        Some((round, phase)) => format!("{hash}:round:{round}:{}", phase.name()),
        None => hash,
    }
}
