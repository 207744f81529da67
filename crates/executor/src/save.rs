//! Saving a run that is under way, and going on with it later: the same events follow, byte for byte.
//!
//! A save is a version, a pool of values (each written once, however often it is used) and the state in the order of its fields.
//! What was compiled from the document is not in it; who loads a save brings the same document.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque},
    sync::Arc,
};

use loopwright_lang::{
    List, LoopFrame, Severity, Text, Value,
    pool::{self, push_varint, take_varint},
};

use crate::{
    compile::{Compiled, LoopSpec, SpecOrigin, Work},
    engine::{
        ActionPart, AgentRun, Class, Done, Ended, Execution, Frame, Loop, LoopDone, Outcome, Part, Plan, Rounds, Running, Slot, Tally,
        Ticket, Turn, Visit, Waiter, Wake,
    },
    log::{AgentDetail, EventKind, LoopDetail, NoticeRow, Row, RunLog, Write, Written},
    protocol::{FrameKind, RunId, RunState, State, Trouble},
    simulation::{Coming, Simulation},
};

const HEADER: &[u8] = b"loopwright save 1\n";
const EXITS: [&str; 5] = ["completed", "limit", "failed", "cancelled", "condition false"];

/// Writes state; values go to the pool.
struct Out<'v> {
    bytes: Vec<u8>,
    values: pool::Writer<'v>,
}

/// Reads state back.
struct In<'b> {
    bytes: &'b [u8],
    values: pool::Reader,
    compiled: &'b Arc<Compiled>,
}

/// Something that is saved.
trait Saved: Sized {
    fn put<'v>(&'v self, out: &mut Out<'v>);
    /// `None`: the bytes are none of ours.
    fn take(from: &mut In<'_>) -> Option<Self>;
}

impl Saved for u64 {
    fn put<'v>(&'v self, out: &mut Out<'v>) {
        push_varint(*self, &mut out.bytes);
    }
    fn take(from: &mut In<'_>) -> Option<Self> {
        take_varint(&mut from.bytes)
    }
}

macro_rules! number {
    ($($type:ty),*) => {$(
        impl Saved for $type {
            fn put<'v>(&'v self, out: &mut Out<'v>) {
                push_varint(*self as u64, &mut out.bytes);
            }
            fn take(from: &mut In<'_>) -> Option<Self> {
                <$type>::try_from(take_varint(&mut from.bytes)?).ok()
            }
        }
    )*};
}
number!(u32, usize);

impl Saved for bool {
    fn put<'v>(&'v self, out: &mut Out<'v>) {
        out.bytes.push(u8::from(*self));
    }
    fn take(from: &mut In<'_>) -> Option<Self> {
        Some(u64::take(from)? != 0)
    }
}

impl Saved for f64 {
    fn put<'v>(&'v self, out: &mut Out<'v>) {
        push_varint(self.to_bits(), &mut out.bytes);
    }
    fn take(from: &mut In<'_>) -> Option<Self> {
        u64::take(from).map(f64::from_bits)
    }
}

impl Saved for Value {
    fn put<'v>(&'v self, out: &mut Out<'v>) {
        let number = out.values.add(self);
        push_varint(number, &mut out.bytes);
    }
    fn take(from: &mut In<'_>) -> Option<Self> {
        let number = u64::take(from)?;
        from.values.get(number).cloned()
    }
}

impl Saved for List {
    fn put<'v>(&'v self, out: &mut Out<'v>) {
        push_varint(self.len() as u64, &mut out.bytes);
        for value in self.iter() {
            value.put(out);
        }
    }
    fn take(from: &mut In<'_>) -> Option<Self> {
        let count = u64::take(from)?;
        let mut list = Self::new();
        for _ in 0..count {
            list.push(Value::take(from)?);
        }
        Some(list)
    }
}

fn put_bytes(text: &str, out: &mut Vec<u8>) {
    push_varint(text.len() as u64, out);
    out.extend_from_slice(text.as_bytes());
}

impl Saved for String {
    fn put<'v>(&'v self, out: &mut Out<'v>) {
        put_bytes(self, &mut out.bytes);
    }
    fn take(from: &mut In<'_>) -> Option<Self> {
        let length = usize::take(from)?;
        let (text, rest) = from.bytes.split_at_checked(length)?;
        from.bytes = rest;
        Some(std::str::from_utf8(text).ok()?.to_owned())
    }
}

impl Saved for Text {
    fn put<'v>(&'v self, out: &mut Out<'v>) {
        put_bytes(self, &mut out.bytes);
    }
    fn take(from: &mut In<'_>) -> Option<Self> {
        String::take(from).map(Into::into)
    }
}

impl<T: Saved> Saved for Option<T> {
    fn put<'v>(&'v self, out: &mut Out<'v>) {
        out.bytes.push(u8::from(self.is_some()));
        if let Some(value) = self {
            value.put(out);
        }
    }
    fn take(from: &mut In<'_>) -> Option<Self> {
        if bool::take(from)? { T::take(from).map(Some) } else { Some(None) }
    }
}

impl<T: Saved> Saved for Box<T> {
    fn put<'v>(&'v self, out: &mut Out<'v>) {
        (**self).put(out);
    }
    fn take(from: &mut In<'_>) -> Option<Self> {
        T::take(from).map(Box::new)
    }
}

fn put_all<'v, T: Saved + 'v>(count: usize, items: impl Iterator<Item = &'v T>, out: &mut Out<'v>) {
    push_varint(count as u64, &mut out.bytes);
    for item in items {
        item.put(out);
    }
}

fn take_all<T: Saved>(from: &mut In<'_>) -> Option<Vec<T>> {
    let count = u64::take(from)?;
    // Every item takes a byte at least, so a wrong count ends before it asks for much memory.
    (0..count).map(|_| T::take(from)).collect()
}

impl<T: Saved> Saved for Vec<T> {
    fn put<'v>(&'v self, out: &mut Out<'v>) {
        put_all(self.len(), self.iter(), out);
    }
    fn take(from: &mut In<'_>) -> Option<Self> {
        take_all(from)
    }
}

impl<T: Saved> Saved for VecDeque<T> {
    fn put<'v>(&'v self, out: &mut Out<'v>) {
        put_all(self.len(), self.iter(), out);
    }
    fn take(from: &mut In<'_>) -> Option<Self> {
        take_all(from).map(Into::into)
    }
}

impl<T: Saved + Ord> Saved for BTreeSet<T> {
    fn put<'v>(&'v self, out: &mut Out<'v>) {
        put_all(self.len(), self.iter(), out);
    }
    fn take(from: &mut In<'_>) -> Option<Self> {
        Some(take_all(from)?.into_iter().collect())
    }
}

impl<K: Saved + Ord, T: Saved> Saved for BTreeMap<K, T> {
    fn put<'v>(&'v self, out: &mut Out<'v>) {
        push_varint(self.len() as u64, &mut out.bytes);
        for (key, value) in self {
            key.put(out);
            value.put(out);
        }
    }
    fn take(from: &mut In<'_>) -> Option<Self> {
        let count = u64::take(from)?;
        (0..count).map(|_| Some((K::take(from)?, T::take(from)?))).collect()
    }
}

macro_rules! tuple {
    ($($name:ident $place:tt),*) => {
        impl<$($name: Saved),*> Saved for ($($name,)*) {
            fn put<'v>(&'v self, out: &mut Out<'v>) {
                $(self.$place.put(out);)*
            }
            fn take(from: &mut In<'_>) -> Option<Self> {
                Some(($($name::take(from)?,)*))
            }
        }
    };
}
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);

/// A struct, field by field.
macro_rules! record {
    ($type:ty { $($field:ident),* $(,)? } $(rest $($other:ident = $value:expr),*)?) => {
        impl Saved for $type {
            fn put<'v>(&'v self, out: &mut Out<'v>) {
                $(self.$field.put(out);)*
            }
            fn take(from: &mut In<'_>) -> Option<Self> {
                $(let $field = Saved::take(from)?;)*
                Some(Self { $($field,)* $($($other: $value),*)? })
            }
        }
    };
}

/// An enum, by the number of its variant.
macro_rules! choice {
    ($type:ty { $($number:literal = $variant:ident $(($($part:ident),*))? $({ $($field:ident),* })?),* $(,)? }) => {
        impl Saved for $type {
            fn put<'v>(&'v self, out: &mut Out<'v>) {
                match self {
                    $(Self::$variant $(($($part),*))? $({ $($field),* })? => {
                        out.bytes.push($number);
                        $($($part.put(out);)*)?
                        $($($field.put(out);)*)?
                    })*
                }
            }
            fn take(from: &mut In<'_>) -> Option<Self> {
                Some(match u64::take(from)? {
                    $($number => {
                        $($(let $part = Saved::take(from)?;)*)?
                        $($(let $field = Saved::take(from)?;)*)?
                        Self::$variant $(($($part),*))? $({ $($field),* })?
                    })*
                    _ => return None,
                })
            }
        }
    };
}

choice!(Severity { 0 = Error, 1 = Warning, 2 = Hint });
choice!(Class { 0 = Abort, 1 = TaskDeadline, 2 = Answer, 3 = Deadline });
choice!(State { 0 = Pending, 1 = Running, 2 = Succeeded, 3 = Failed, 4 = Cancelled, 5 = Skipped });
choice!(RunState { 0 = Running, 1 = Completed, 2 = Message, 3 = Failed, 4 = Limit, 5 = Cancelled });
choice!(FrameKind { 0 = Agent, 1 = Step, 2 = Attempt, 3 = Loop, 4 = Iteration, 5 = Call, 6 = Turn });
choice!(Outcome { 0 = Returned(value), 1 = Answered(text), 2 = Failed { message, outputs }, 3 = Threw(text), 4 = Fired, 5 = Ended { message, payload }, 6 = Reported { ok, message, code, outputs } });
choice!(Waiter { 0 = Child(slot, child), 1 = Deadline(slot), 2 = Pause(slot) });
choice!(Wake { 0 = Start(slot), 1 = Child(slot, child, done), 2 = Deadline(slot), 3 = Pause(slot), 4 = Iteration(slot, child) });
choice!(Running { 0 = Nothing, 1 = Ticket(ticket), 2 = Frame(slot) });
choice!(Frame { 0 = Agent(run), 1 = Visit(visit), 2 = Loop(round), 3 = Nothing });
choice!(Plan { 0 = Steps { current, under }, 1 = Turns });
choice!(Turn { 0 = None, 1 = Asking(running), 2 = Actions(parts), 3 = Agent(running), 4 = Round(running, spec, called), 5 = Agents(parts, parallel) });
choice!(Written { 0 = Root(value), 1 = Iteration { collected } });
choice!(SpecOrigin { 0 = Step(number), 1 = Operation(agent, is_while, operation) });

record!(LoopFrame { item_variable, item, index_variable, index });
record!(Slot { parent, frame });
record!(Done { ok, result, error, round, message, limit, acted, shape, threw, unread, note, code });
record!(Tally { initial, failed, retries, preemptions, prompts, ended, last });
choice!(Ended { 0 = Well, 1 = Badly(error) });
record!(Visit { agent, step, row, attempt_row, attempt, deadline, running, instead, refused });
record!(Part { index, row, item, running, done });
record!(ActionPart { name, row, running, done, asked });
record!(AgentRun {
    agent,
    row,
    parent_row,
    payload,
    loops,
    path,
    data,
    context,
    conversation,
    parameters,
    step_result,
    path_names,
    completed,
    visits,
    visit_counts,
    depth,
    message,
    special_message,
    special_reasoning,
    special_confidence,
    limit,
    plan,
    turns,
    failed_turns,
    turn_row,
    turn,
    expiring,
    tally,
});
record!(Loop {
    spec, agent, parent_row, row, step, key, attempt, items, available, count, next, results, errors, collected, unrooted, path, depth, parts,
    batch_payload, batch_number, pause, initial, stops, rounds,
} rest scope = loopwright_lang::Scope::default());
record!(Rounds { checking, candidate, feedback, best, scores, call });
record!(Row { kind, state, parent, step, index, detail, start, end, events, given, result, error, last_child, before });
record!(AgentDetail { agent, loops, data, context, conversation, writes, parts, messages });
record!(Write { event, by, what });
record!(NoticeRow { code, severity, message, row, at, count });
record!(RunLog {
    times,
    kinds,
    event_rows,
    args,
    rows,
    agents,
    loops,
    notices,
    visits,
    taken,
    iterations,
    calls,
    open_calls,
    most_calls,
    failures,
    summarised,
    state,
    error,
    error_step,
    final_message,
    final_reasoning,
    final_confidence,
    final_payload,
    bytes,
    budget,
});
record!(Coming { at, class, sequence, ticket, outcome });

impl Saved for Ticket {
    fn put<'v>(&'v self, out: &mut Out<'v>) {
        self.0.put(out);
    }
    fn take(from: &mut In<'_>) -> Option<Self> {
        u64::take(from).map(Self)
    }
}

impl Saved for EventKind {
    fn put<'v>(&'v self, out: &mut Out<'v>) {
        out.bytes.push(*self as u8);
    }
    fn take(from: &mut In<'_>) -> Option<Self> {
        Self::ALL.get(usize::take(from)?).copied()
    }
}

/// Why a loop ended.
#[derive(Clone, Copy)]
struct Exit(&'static str);

impl Exit {
    fn put(self, out: &mut Out<'_>) {
        let number = EXITS.iter().position(|known| *known == self.0).unwrap_or(EXITS.len());
        push_varint(number as u64, &mut out.bytes);
    }
    fn take(from: &mut In<'_>) -> Option<Self> {
        EXITS.get(usize::take(from)?).map(|exit| Self(exit))
    }
}

impl Saved for LoopDone {
    fn put<'v>(&'v self, out: &mut Out<'v>) {
        self.iterations.put(out);
        self.results.put(out);
        self.errors.put(out);
        Exit(self.exit).put(out);
        self.began.put(out);
    }
    fn take(from: &mut In<'_>) -> Option<Self> {
        Some(Self {
            iterations: Saved::take(from)?,
            results: Saved::take(from)?,
            errors: Saved::take(from)?,
            exit: Exit::take(from)?.0,
            began: Saved::take(from)?,
        })
    }
}

impl Saved for LoopDetail {
    fn put<'v>(&'v self, out: &mut Out<'v>) {
        self.spec.put(out);
        self.of.put(out);
        self.iterations.put(out);
        self.started.put(out);
        self.succeeded.put(out);
        self.failed.put(out);
        out.bytes.push(u8::from(self.exit.is_some()));
        if let Some(exit) = self.exit {
            Exit(exit).put(out);
        }
    }
    fn take(from: &mut In<'_>) -> Option<Self> {
        Some(Self {
            spec: Saved::take(from)?,
            of: Saved::take(from)?,
            iterations: Saved::take(from)?,
            started: Saved::take(from)?,
            succeeded: Saved::take(from)?,
            failed: Saved::take(from)?,
            exit: if bool::take(from)? { Some(Exit::take(from)?.0) } else { None },
        })
    }
}

/// A loop's spec is found again: in the step it was compiled from, or by reading the model's operation once more.
impl Saved for Arc<LoopSpec> {
    fn put<'v>(&'v self, out: &mut Out<'v>) {
        self.origin.put(out);
    }
    fn take(from: &mut In<'_>) -> Option<Self> {
        match SpecOrigin::take(from)? {
            SpecOrigin::Step(number) => match from.compiled.step_numbered(number)?.work.as_ref().ok()? {
                Work::Loop(spec) => Some(spec.clone()),
                Work::Plain(_) => None,
            },
            SpecOrigin::Operation(agent, is_while, operation) => {
                from.compiled.operation(agent, &operation, is_while).ok().map(|(spec, _)| spec)
            }
        }
    }
}

fn trouble() -> Trouble {
    Trouble::new("save_unreadable", "This saved run cannot be read. It is damaged, or it is of another document or version.")
}

fn pack(header: u64, out: Out<'_>) -> Vec<u8> {
    let values = out.values.finish();
    let mut bytes = HEADER.to_vec();
    push_varint(header, &mut bytes);
    push_varint(values.len() as u64, &mut bytes);
    bytes.extend_from_slice(&values);
    bytes.extend_from_slice(&out.bytes);
    bytes
}

fn unpack<'b>(bytes: &'b [u8], compiled: &'b Arc<Compiled>) -> Option<In<'b>> {
    let mut rest = bytes.strip_prefix(HEADER)?;
    // A save is of one document: as many steps are the least that must agree.
    if take_varint(&mut rest)? != fingerprint(compiled) {
        return None;
    }
    let length = usize::try_from(take_varint(&mut rest)?).ok()?;
    let (values, bytes) = rest.split_at_checked(length)?;
    Some(In { bytes, values: pool::Reader::read(values).ok()?, compiled })
}

/// A number that tells documents apart: over the steps' numbers, names and kinds and the profile.
fn fingerprint(compiled: &Compiled) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut add = |bytes: &[u8]| {
        for byte in bytes.iter().chain(&[0]) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    add(compiled.semantics.profile.name().as_bytes());
    for step in compiled.agents.iter().flat_map(|agent| &agent.steps) {
        add(&step.id.0.to_le_bytes());
        add(step.name.as_bytes());
        add(step.kind.name().as_bytes());
    }
    hash
}

impl Execution {
    fn write<'v>(&'v self, out: &mut Out<'v>) {
        self.slots.put(out);
        self.free.put(out);
        self.ready.put(out);
        self.arrived.put(out);
        self.tickets.put(out);
        self.next_ticket.put(out);
        self.now.put(out);
        self.log.put(out);
        self.root.put(out);
        self.steps.put(out);
    }

    fn read(from: &mut In<'_>) -> Option<Self> {
        let mut this = Self {
            compiled: from.compiled.clone(),
            slots: Saved::take(from)?,
            free: Saved::take(from)?,
            ready: Saved::take(from)?,
            arrived: Saved::take(from)?,
            tickets: Saved::take(from)?,
            next_ticket: Saved::take(from)?,
            now: Saved::take(from)?,
            log: Saved::take(from)?,
            root: Saved::take(from)?,
            steps: Saved::take(from)?,
            commands: Vec::new(),
            trace: None,
            differences: None,
        };
        this.restore_scopes();
        Some(this)
    }

    /// Saves the run. Between two calls of [`Self::advance`], and after the commands were taken: what was not taken is lost.
    pub fn save(&self) -> Vec<u8> {
        let mut out = Out { bytes: Vec::new(), values: pool::Writer::new() };
        self.write(&mut out);
        pack(fingerprint(&self.compiled), out)
    }

    /// Goes on with a run that was saved. `compiled` must be of the same document and profile.
    pub fn load(compiled: &Arc<Compiled>, bytes: &[u8]) -> Result<Self, Trouble> {
        let mut from = unpack(bytes, compiled).ok_or_else(trouble)?;
        Self::read(&mut from).filter(|_| from.bytes.is_empty()).ok_or_else(trouble)
    }
}

impl Simulation {
    /// Saves the run with what is to come, between two slices.
    pub fn save(&self) -> Vec<u8> {
        let mut coming: Vec<&Coming> =
            self.coming.iter().map(|Reverse(coming)| coming).filter(|coming| self.execution.wants(coming.ticket)).collect();
        coming.sort();
        let mut out = Out { bytes: Vec::new(), values: pool::Writer::new() };
        self.execution.write(&mut out);
        put_all(coming.len(), coming.into_iter(), &mut out);
        self.sequence.put(&mut out);
        self.counters.put(&mut out);
        self.said.put(&mut out);
        self.run.0.put(&mut out);
        pack(fingerprint(&self.execution.compiled), out)
    }

    /// Goes on with a run that was saved. `self` is a new run of the same graph, scenario and profile.
    pub fn load(mut self, bytes: &[u8]) -> Result<Self, Trouble> {
        let compiled = self.execution.compiled.clone();
        let mut from = unpack(bytes, &compiled).ok_or_else(trouble)?;
        let mut read = || -> Option<()> {
            self.execution = Execution::read(&mut from)?;
            self.coming = take_all(&mut from)?.into_iter().map(Reverse).collect::<BinaryHeap<_>>();
            self.sequence = Saved::take(&mut from)?;
            self.counters = Saved::take(&mut from)?;
            self.said = Saved::take(&mut from)?;
            self.run = RunId(Saved::take(&mut from)?);
            from.bytes.is_empty().then_some(())
        };
        read().ok_or_else(trouble)?;
        Ok(self)
    }
}
