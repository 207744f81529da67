//! Waves: what is dispatched together, its attempts and pauses, and how it ends.

use loopwright_lang::{Text, Value};
use loopwright_model::plan::{Execution, MAX_PARALLEL, MAX_WAIT, Wait, Work, delay_after, format_moment};

use super::{
    events::{What, Whose},
    failure::{Failure, Kind},
    run::{Call, Command, End, InstanceState, NodeState, Outcome, PlanRun},
};
use crate::engine::Ticket;

/// A wave that was dispatched.
#[derive(Clone, Debug)]
pub(super) struct Wave {
    entries: Vec<Entry>,
    /// Whether a task of it goes on after failures: then each end is handled when it comes.
    continues: bool,
    /// The entry that ended last.
    last: Option<usize>,
}

/// An instance in a wave.
#[derive(Clone, Debug)]
struct Entry {
    whose: Whose,
    attempt: u32,
    /// Its result, or the failure that is looked at when the wave is over.
    done: Option<Result<Value, Failure>>,
    /// The tickets of the attempt under way.
    call: Option<Ticket>,
    deadline: Option<Ticket>,
}

/// What a ticket is for.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    /// The place in the wave.
    pub(super) entry: usize,
    what: For,
}

#[derive(Clone, Debug)]
enum For {
    Call,
    Deadline,
    Pause,
    Wait(i64),
}

impl Waiting {
    pub(super) fn is_deadline(&self) -> bool {
        matches!(self.what, For::Deadline)
    }
}

impl Wave {
    pub(super) fn is_over(&self) -> bool {
        self.entries.iter().all(|entry| entry.done.is_some())
    }
}

impl PlanRun {
    /// Dispatches the first ten.
    pub(super) fn dispatch(&mut self, ready: Vec<Whose>) {
        let plan = self.plan.clone();
        let members: Vec<Whose> = ready.into_iter().take(MAX_PARALLEL).collect();
        let entry = |whose: &Whose| Entry { whose: *whose, attempt: 1, done: None, call: None, deadline: None };
        let continues = members.iter().filter_map(|whose| plan.tasks.get(whose.task)?.execution).any(|execution| execution.continues);
        self.wave = Some(Wave { entries: members.iter().map(entry).collect(), continues, last: None });
        self.waves += 1;
        self.note(What::WaveStart(members.clone()));
        for whose in &members {
            if let Some(instance) = self.instance_mut(*whose) {
                instance.state = InstanceState::Running;
            }
            if let Some(node) = self.nodes.get_mut(whose.task) {
                node.state = NodeState::Running;
            }
        }
        let dynamic = plan.is_dynamic();
        for (place, whose) in members.iter().enumerate() {
            if !dynamic && !self.resolve_static(*whose) {
                return;
            }
            let Some(task) = plan.tasks.get(whose.task) else { continue };
            let given = self.instance_mut(*whose).map(|instance| instance.given.clone()).unwrap_or_default();
            self.note(What::Started(*whose, given));
            if let Work::Wait(wait) = &task.work {
                let now = self.started.saturating_add(i64::try_from(self.now).unwrap_or(i64::MAX));
                let (after, moment) = match wait {
                    Wait::For(micros) => (*micros, now.saturating_add(i64::try_from(*micros).unwrap_or(i64::MAX))),
                    Wait::Until(moment) => (u64::try_from(moment.saturating_sub(now)).unwrap_or(0), *moment),
                };
                if after > MAX_WAIT {
                    self.raise(*whose, None, format!("The wait {} is more than 24 hours ahead now that it starts.", task.id));
                    return;
                }
                let ticket = self.ticket(Waiting { entry: place, what: For::Wait(moment) });
                self.commands.push(Command::StartTimer { ticket, after });
            } else {
                self.activity.push(*whose);
                self.attempt(place);
            }
        }
    }

    fn execution(&self, whose: Whose) -> Option<Execution> {
        self.plan.tasks.get(whose.task)?.execution
    }

    fn entry_mut(&mut self, place: usize) -> Option<&mut Entry> {
        self.wave.as_mut()?.entries.get_mut(place)
    }

    /// Begins an attempt.
    fn attempt(&mut self, place: usize) {
        let plan = self.plan.clone();
        let Some((whose, attempt)) = self.entry_mut(place).map(|entry| (entry.whose, entry.attempt)) else { return };
        let Some(task) = plan.tasks.get(whose.task) else { return };
        let (is_agent, name) = match &task.work {
            Work::Tool { name, .. } => (false, name.clone()),
            Work::Agent { name, .. } => (true, name.clone()),
            Work::Wait(_) => return,
        };
        self.note(What::AttemptStart(whose, attempt));
        let given = self.instance_mut(whose).map(|instance| instance.given.clone()).unwrap_or_default();
        let ticket = self.ticket(Waiting { entry: place, what: For::Call });
        let call = Call { whose, instance: self.name(whose), is_agent, name, given, attempt };
        self.commands.push(Command::StartCall { ticket, call });
        let deadline = task.execution.and_then(|execution| execution.timeout).map(|timeout| {
            let ticket = self.ticket(Waiting { entry: place, what: For::Deadline });
            self.commands.push(Command::StartTimer { ticket, after: timeout });
            ticket
        });
        if let Some(entry) = self.entry_mut(place) {
            entry.call = Some(ticket);
            entry.deadline = deadline;
        }
    }

    /// Something that was waited for came.
    pub(super) fn told(&mut self, waiting: Waiting, outcome: Outcome) {
        let place = waiting.entry;
        match waiting.what {
            For::Pause => self.attempt(place),
            For::Wait(moment) => {
                let result = Value::object([("waited_until", Value::text(format_moment(moment)))]);
                self.finish(place, Ok(result));
            }
            For::Call | For::Deadline => {
                let tickets = self.entry_mut(place).map(|entry| [entry.call.take(), entry.deadline.take()]);
                for ticket in tickets.into_iter().flatten().flatten() {
                    self.give_up(ticket);
                }
                self.attempted(place, outcome);
            }
        }
    }

    fn give_up(&mut self, ticket: Ticket) {
        if self.tickets.remove(&ticket).is_some() {
            self.commands.push(Command::Cancel { ticket });
        }
    }

    /// An attempt ended.
    fn attempted(&mut self, place: usize, outcome: Outcome) {
        let Some((whose, attempt)) = self.entry_mut(place).map(|entry| (entry.whose, entry.attempt)) else { return };
        let result = Failure::of(outcome);
        self.note(What::AttemptEnd(whose, attempt, result.clone()));
        let failure = match result {
            Ok(value) => return self.finish(place, Ok(value)),
            Err(failure) => failure,
        };
        let Some(execution) = self.execution(whose) else {
            // Without a policy the application's code is lost and nothing is tried again.
            return self.raise(whose, None, failure.message.as_str().to_owned());
        };
        if failure.kind == Kind::Transient
            && attempt < execution.attempts
            && let Some(backoff) = &execution.backoff
        {
            if let Some(entry) = self.entry_mut(place) {
                entry.attempt += 1;
            }
            let ticket = self.ticket(Waiting { entry: place, what: For::Pause });
            self.commands.push(Command::StartTimer { ticket, after: delay_after(backoff, attempt) });
            return;
        }
        let handled_now = self.wave.as_ref().is_some_and(|wave| wave.continues);
        if handled_now && execution.continues && failure.kind != Kind::Contract {
            self.finish(place, Ok(failure.result()));
        } else if handled_now || failure.kind == Kind::Transient {
            self.raise(whose, Some(failure.code), failure.message.as_str().to_owned());
        } else {
            self.finish(place, Err(failure));
        }
    }

    /// An instance is done.
    fn finish(&mut self, place: usize, done: Result<Value, Failure>) {
        let Some(wave) = &mut self.wave else { return };
        wave.last = Some(place);
        let Some(entry) = wave.entries.get_mut(place) else { return };
        let whose = entry.whose;
        entry.done = Some(done.clone());
        self.note(What::Ended(whose, done.map_err(|failure| failure.message)));
    }

    /// Takes over what a wave that is over gave. `false`: the run broke off.
    pub(super) fn commit_wave(&mut self) -> bool {
        let Some(wave) = self.wave.take() else { return true };
        let failed = wave.entries.iter().find_map(|entry| match &entry.done {
            Some(Err(failure)) => Some((entry.whose, failure.clone())),
            _ => None,
        });
        if let Some((whose, failure)) = failed {
            self.wave = Some(wave);
            self.raise(whose, Some(failure.code), failure.message.as_str().to_owned());
            return false;
        }
        self.note(What::WaveEnd(wave.last.and_then(|last| wave.entries.get(last)).map(|entry| entry.whose)));
        for entry in wave.entries {
            let Some(Ok(result)) = entry.done else { continue };
            if let Some(instance) = self.instance_mut(entry.whose) {
                instance.state = InstanceState::Completed;
                instance.result = result.clone();
            }
            if let (None, Some(node)) = (entry.whose.index, self.nodes.get_mut(entry.whose.task)) {
                node.state = NodeState::Completed;
                node.result = Some(result);
            }
        }
        true
    }

    /// Breaks the run off because of a task. The status stays as it was when the wave was dispatched.
    pub(super) fn raise(&mut self, whose: Whose, code: Option<Text>, message: String) {
        self.note(What::Failed(whose.task, whose.index, message.as_str().into()));
        self.note(What::WaveBroken);
        self.stop_all();
        self.end = Some(End::Raised { node: self.name(whose), code, message });
    }

    /// Forgets a wave that is under way, as a cancel does: its instances are pending again.
    pub(super) fn discard_wave(&mut self) {
        let Some(wave) = self.wave.take() else { return };
        self.note(What::WaveBroken);
        self.stop_all();
        for entry in wave.entries {
            if let Some(instance) = self.instance_mut(entry.whose) {
                instance.state = InstanceState::Pending;
            }
            if let Some(node) = self.nodes.get_mut(entry.whose.task) {
                node.state = if node.expanded.is_some() { NodeState::Expanded } else { NodeState::Pending };
            }
        }
    }

    fn stop_all(&mut self) {
        for ticket in std::mem::take(&mut self.tickets).into_keys() {
            self.commands.push(Command::Cancel { ticket });
        }
    }
}
