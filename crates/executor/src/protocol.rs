//! What crosses the worker's boundary, as bytes that are handed over, not copied (postcard: a third of the code of JSON in wasm, and
//! no text to build and read again). Values of a user's flow cross as JSON text inside them (`"undefined"` where there is none). All times are virtual microseconds since the run began.

use loopwright_lang::{Profile, Severity, Span, mapping::Rule};
use loopwright_model::EntityId;
use serde::{Deserialize, Serialize};

/// The version both sides must agree on.
pub const VERSION: u32 = 3;

/// A run, numbered by the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(pub u32);

/// A part of a run: an agent's run, a visit of a step, an iteration, a call. Numbered in the order they began, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FrameId(pub u32);

/// From the page to the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Comes back with the answer.
    pub id: u32,
    /// What is asked.
    pub ask: Ask,
}

/// What the page may ask.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// Starts a run; progress comes by itself. Answered by [`Reply::Summary`] as soon as it has begun.
    Run {
        /// The new run's number.
        run: RunId,
        /// The document as our own file's text.
        document: String,
        /// Which graph to run.
        graph: EntityId,
        /// Which scenario; `None` runs with an empty payload and sample answers.
        scenario: Option<EntityId>,
        /// Whose rules.
        profile: Profile,
    },
    /// Ends a run where it is; it stays open to questions. Answered by [`Reply::Summary`].
    Cancel {
        /// Which.
        run: RunId,
    },
    /// Forgets a run. Answered by [`Reply::Done`].
    Drop {
        /// Which.
        run: RunId,
    },
    /// Answered by [`Reply::Summary`].
    Summary {
        /// Which.
        run: RunId,
    },
    /// What each step looks like at a time. Answered by [`Reply::Steps`].
    Steps {
        /// Which run.
        run: RunId,
        /// When; events of that very instant have happened.
        at_us: u64,
    },
    /// Rows and bars of the timeline. Answered by [`Reply::Timeline`].
    Timeline {
        /// Which run.
        run: RunId,
        /// First instant shown.
        from_us: u64,
        /// Last instant shown.
        to_us: u64,
        /// How many pixels they share: bars under two pixels are counted together.
        width_px: u32,
        /// Loops and sub-agent runs that are unfolded.
        unfolded: Vec<FrameId>,
    },
    /// A window of a loop's iterations. Answered by [`Reply::Iterations`].
    Iterations {
        /// Which run.
        run: RunId,
        /// The loop.
        frame: FrameId,
        /// First row, counted among those that fit.
        from: u64,
        /// How many rows at most.
        count: u32,
        /// Only those that failed.
        only_failed: bool,
    },
    /// Everything about one iteration, step visit, attempt or call. Answered by [`Reply::Frame`].
    Frame {
        /// Which run.
        run: RunId,
        /// Which part of it.
        frame: FrameId,
    },
    /// The part of a run at a place, e.g. after the flow was edited and run again. Answered by [`Reply::Found`].
    Find {
        /// Which run.
        run: RunId,
        /// Where.
        place: Vec<PlacePart>,
    },
    /// The next failed iteration or step. Answered by [`Reply::Found`].
    Failure {
        /// Which run.
        run: RunId,
        /// From here on; `None` from the start (or the end).
        after: Option<FrameId>,
        /// Backwards.
        back: bool,
    },
    /// The payload of the outermost run. Answered by [`Reply::Payload`].
    Payload {
        /// Which run.
        run: RunId,
        /// When.
        at_us: u64,
        /// Also what changed since then.
        since_us: Option<u64>,
    },
    /// A window of the events. Answered by [`Reply::Events`].
    Events {
        /// Which run.
        run: RunId,
        /// First event.
        from: u64,
        /// How many at most.
        count: u32,
    },
    /// The condition that was evaluated at an event, with the value of every operand. Answered by [`Reply::Condition`].
    Condition {
        /// Which run.
        run: RunId,
        /// The number of the event.
        event: u32,
    },
    /// The whole log, packed: the same bytes as `loopwright simulate --log` writes. Answered by [`Reply::Log`].
    Log {
        /// Which run.
        run: RunId,
    },
    /// What the texts of a step may refer to. Answered by [`Reply::Scope`].
    Scope {
        /// Which run.
        run: RunId,
        /// The step whose texts they are.
        step: EntityId,
        /// In which iteration (of the step's own loop or of one around it); `None` is the step's last visit.
        iteration: Option<FrameId>,
    },
    /// Iterations that fit some words, in an order, also those of nested loops together. Answered by [`Reply::Matrix`]; asked again
    /// until nothing is left to look at.
    Matrix {
        /// Which run.
        run: RunId,
        /// Whose iterations.
        of: Rows,
        /// Words such as `status:failed item.id=42 duration>1s`; all when it is empty.
        filter: String,
        /// In which order; as they began otherwise.
        order: Option<Order>,
        /// First row, counted among those that fit.
        from: u64,
        /// How many rows at most.
        count: u32,
    },
    /// All iterations that fit some words, in an order, as comma-separated values. Answered by [`Reply::Text`].
    Csv {
        /// Which run.
        run: RunId,
        /// Whose iterations.
        of: Rows,
        /// The words.
        filter: String,
        /// In which order; as they began otherwise.
        order: Option<Order>,
    },
    /// A payload at a moment, and what differs from another moment. Answered by [`Reply::Payload`].
    Moments {
        /// Which run.
        run: RunId,
        /// Whose payload: the agent's run that this part belongs to; the outermost otherwise.
        agent: Option<FrameId>,
        /// The moment to compare with.
        before: Moment,
        /// The moment whose payload is shown.
        after: Moment,
    },
    /// Who wrote a place of the payload, the last first. Answered by [`Reply::Writers`].
    Writers {
        /// Which run.
        run: RunId,
        /// Whose payload: the agent's run that this part belongs to; the outermost otherwise.
        agent: Option<FrameId>,
        /// The place, e.g. `results[13].ok`.
        path: String,
        /// Only what was written by then.
        until: Moment,
    },
    /// Why a loop ended. Answered by [`Reply::Exit`].
    Exit {
        /// Which run.
        run: RunId,
        /// The loop, or the visit that holds it.
        frame: FrameId,
    },
    /// Sets where a run is held; also before it is begun. Answered by [`Reply::Done`].
    Stops {
        /// Which.
        run: RunId,
        /// Where; none any more when it is empty.
        stops: Vec<Stop>,
    },
    /// A new run that goes as another one did up to an event, and from there under another scenario; calls that are under way by then
    /// keep the answers they had. Answered by [`Reply::Summary`].
    Again {
        /// The run that is gone by.
        run: RunId,
        /// Up to this event (or the first wait after it).
        event: u64,
        /// The new run's number.
        new: RunId,
        /// The document as our own file's text; its flows must be those of the other run.
        document: String,
        /// Which graph.
        graph: EntityId,
        /// The scenario from then on.
        scenario: Option<EntityId>,
        /// Whose rules; those of the other run.
        profile: Profile,
    },
    /// Holds a run where it is. Answered by [`Reply::Held`].
    Pause {
        /// Which.
        run: RunId,
    },
    /// Sends a run on. Answered by [`Reply::Summary`]; where it is held next is in the progress that comes by itself.
    Go {
        /// Which.
        run: RunId,
        /// How far.
        how: Go,
    },
    /// Where a run is held, and the calls that wait. Answered by [`Reply::Held`].
    Held {
        /// Which.
        run: RunId,
    },
    /// Another answer for a call that waits. Answered by [`Reply::Held`].
    Answer {
        /// Which run.
        run: RunId,
        /// Which call ([`HeldCall::call`]).
        call: u64,
        /// Whether it succeeds.
        ok: bool,
        /// What it returns, as JSON text; or the message of its failure.
        answer: String,
    },
}

/// Whose iterations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Rows {
    /// Those of one loop.
    Loop {
        /// The loop, or the visit that holds it.
        frame: FrameId,
    },
    /// Those of all loops of a step.
    Step {
        /// The step.
        step: EntityId,
    },
}

/// An order of iterations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// What is compared: `duration`, `start`, `status`, `label`, `error`, `index`, `item.…`, `params.…`, `result.…`.
    pub by: String,
    /// The largest first.
    pub down: bool,
}

/// A moment of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Moment {
    /// Before anything happened.
    Start,
    /// After everything that happened.
    End,
    /// After everything of an instant.
    Time(u64),
    /// After an event.
    Event(u64),
    /// Before a part of the run began.
    Before(FrameId),
    /// After a part of the run had ended, and its result was written.
    After(FrameId),
}

/// A window of the iterations that fit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Matrix {
    /// How many fit so far.
    pub total: u64,
    /// How many iterations were looked at.
    pub looked: u64,
    /// What is left to look at; 0 when this is all.
    pub left: u64,
    /// First row.
    pub from: u64,
    /// The rows.
    pub rows: Vec<IterationRow>,
}

/// A write to a place of a payload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Writer {
    /// The part of the run that wrote.
    pub frame: FrameId,
    /// Its step.
    pub step: Option<EntityId>,
    /// The numbers of the loops around it and its own (0-based).
    pub path: Vec<u64>,
    /// When.
    pub at_us: u64,
    /// The event.
    pub event: u64,
    /// What was there, as JSON text; `None`: nothing.
    pub before: Option<String>,
    /// What is there then; `None`: nothing.
    pub after: Option<String>,
}

/// Why a loop ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Exit {
    /// The loop.
    pub frame: FrameId,
    /// `completed`, `limit`, `failed`, `cancelled`, `condition false`; `None`: it has not ended.
    pub reason: Option<String>,
    /// The same in a sentence.
    pub cause: Option<String>,
    /// Iterations begun.
    pub iterations: u64,
    /// How many it may begin.
    pub limit: Option<u64>,
    /// How many items there were of a ForEach.
    pub items: Option<u64>,
    /// Its error.
    pub error: Option<String>,
    /// The iteration whose failure ended it.
    pub failed: Option<FrameId>,
    /// The last evaluation of its condition.
    pub condition: Option<Condition>,
    /// What that condition read of the payload, and who wrote it last.
    pub reads: Vec<Read>,
}

/// A place that a condition read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Read {
    /// The place, e.g. `payload.apiSuccess`.
    pub path: String,
    /// What was there, as JSON text, cut.
    pub value: String,
    /// Who wrote it last; `None`: nobody, it is as the run began.
    pub by: Option<Writer>,
}

/// Where a run is to be held.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Stop {
    /// Whenever it comes to a step.
    Step {
        /// Which.
        step: EntityId,
    },
    /// At an iteration of a loop step.
    Iteration {
        /// The loop's step.
        step: EntityId,
        /// Which iteration (0-based).
        index: u64,
    },
    /// At a step or an iteration where an expression holds (its roots are those of the step's mappings).
    Condition {
        /// Only at this step.
        step: Option<EntityId>,
        /// The expression.
        text: String,
    },
    /// When something fails.
    Failure,
    /// After an event.
    Event {
        /// Which.
        event: u64,
    },
    /// Before anything that comes after a time.
    Time {
        /// When.
        at_us: u64,
    },
}

/// How a run that is held goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Go {
    /// To the next stop or the end.
    On,
    /// To the next step or iteration, also inside this one.
    Into,
    /// To the next one that is not inside this one.
    Over,
    /// To the next one outside the loop or agent it is in.
    Out,
    /// To a place, once.
    To(Stop),
}

/// Where a run is held.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Paused {
    /// The part of the run.
    pub frame: FrameId,
    /// When.
    pub at_us: u64,
    /// Events so far.
    pub event: u64,
    /// The stop that held it; `None` when it was asked to go so far.
    pub stop: Option<Stop>,
}

/// Where a run is held, and the calls that wait for their answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Held {
    /// Where, if it is.
    pub paused: Option<Paused>,
    /// The calls, oldest first.
    pub calls: Vec<HeldCall>,
}

/// A call that waits for its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldCall {
    /// Its number, for [`Ask::Answer`].
    pub call: u64,
    /// The part of the run it belongs to.
    pub frame: FrameId,
    /// What is called.
    pub name: String,
    /// What it is given, as JSON text.
    pub params: String,
    /// When its answer comes.
    pub ends_us: u64,
    /// Whether it will succeed.
    pub ok: bool,
    /// What it will return, as JSON text; or the message of its failure.
    pub answer: String,
}

/// From the worker to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FromWorker {
    /// It can be asked.
    Ready {
        /// [`VERSION`] of the worker.
        version: u32,
    },
    /// How a run is getting on; sent by itself.
    Progress(Summary),
    /// An answer to a [`Request`].
    Answer {
        /// The request's.
        id: u32,
        /// What came of it.
        outcome: Outcome,
    },
}

/// What came of a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// The answer.
    Ok(Box<Reply>),
    /// There is none, and why.
    Trouble(Trouble),
    /// A later request of the same kind made it pointless.
    Superseded,
}

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trouble {
    /// A stable code, e.g. `run_unknown`.
    pub code: String,
    /// A sentence.
    pub message: String,
}

impl Trouble {
    /// A trouble.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into() }
    }
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// To `Drop`.
    Done,
    /// To `Run`, `Cancel`, `Summary`.
    Summary(Summary),
    /// To `Steps`.
    Steps(Steps),
    /// To `Timeline`.
    Timeline(Timeline),
    /// To `Iterations`.
    Iterations(Iterations),
    /// To `Frame`.
    Frame(Box<Frame>),
    /// To `Find` and `Failure`.
    Found {
        /// The part, if there is one.
        frame: Option<FrameId>,
        /// When it began.
        at_us: u64,
    },
    /// To `Payload`.
    Payload(PayloadView),
    /// To `Events`.
    Events(Events),
    /// To `Scope`.
    Scope(ScopeView),
    /// To `Condition`; `None` where the event is another one.
    Condition(Option<Box<Condition>>),
    /// To `Matrix`.
    Matrix(Matrix),
    /// To `Csv`.
    Text(String),
    /// To `Writers`, at most 100.
    Writers(Vec<Writer>),
    /// To `Exit`.
    Exit(Box<Exit>),
    /// To `Pause`, `Held`, `Answer`.
    Held(Held),
    /// To `Log`: `log::RunLog::to_bytes`.
    Log(Vec<u8>),
}

/// How a run stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RunState {
    /// Not ended yet.
    #[default]
    Running,
    /// Ended: no path was open.
    Completed,
    /// Ended with a message for the user.
    Message,
    /// Ended with an error.
    Failed,
    /// Stopped by a limit of the engine.
    Limit,
    /// Stopped from outside.
    Cancelled,
}

/// A run in short.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Which.
    pub run: RunId,
    /// How it stands.
    pub state: RunState,
    /// Events so far.
    pub events: u64,
    /// Iterations begun, in all loops.
    pub iterations: u64,
    /// Calls of actions, prompts and scripted sub-agents.
    pub calls: u64,
    /// Most calls at the same time.
    pub max_concurrent_calls: u32,
    /// Parts that failed (iterations and step visits).
    pub failures: u64,
    /// The virtual clock.
    pub now_us: u64,
    /// When it ended.
    pub end_us: Option<u64>,
    /// Why it failed.
    pub error: Option<String>,
    /// The step that made it fail.
    pub error_step: Option<EntityId>,
    /// Its message for the user.
    pub final_message: Option<String>,
    /// What should be known about the run, in the order it came up; at most 1,000.
    pub notices: Vec<Notice>,
    /// The loops of the outermost run in the order they began; at most 100.
    pub loops: Vec<LoopCount>,
    /// Whether the log's budget is used up, so that details of later iterations were not kept.
    pub summarised: bool,
    /// Where it is held, if it is.
    pub paused: Option<Paused>,
}

/// A warning or an error that came up in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Notice {
    /// A stable code.
    pub code: String,
    /// How bad it is.
    pub severity: Severity,
    /// A sentence.
    pub message: String,
    /// The step it is about.
    pub step: Option<EntityId>,
    /// The part of the run.
    pub frame: Option<FrameId>,
    /// When.
    pub at_us: u64,
    /// How often the same was said of the same step.
    pub count: u64,
}

/// How far a loop is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoopCount {
    /// The loop's frame.
    pub frame: FrameId,
    /// The loop's step.
    pub step: EntityId,
    /// How it stands.
    pub state: State,
    /// Iterations begun.
    pub started: u64,
    /// Iterations that failed.
    pub failed: u64,
    /// How many there will be, where that is known (ForEach).
    pub of: Option<u64>,
}

/// How a part of a run stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum State {
    /// Not begun.
    #[default]
    Pending,
    /// Begun, not ended.
    Running,
    /// Ended well.
    Succeeded,
    /// Ended with an error.
    Failed,
    /// Ended from outside.
    Cancelled,
    /// The run ended and never came here.
    Skipped,
}

/// What steps and paths look like at a time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Steps {
    /// When.
    pub at_us: u64,
    /// The last event that had happened.
    pub event: u64,
    /// Every step of every graph that took part.
    pub steps: Vec<StepStatus>,
    /// Every path that was followed.
    pub paths: Vec<PathStatus>,
}

/// What a step's card shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepStatus {
    /// The step.
    pub step: EntityId,
    /// How its last visit stands.
    pub state: State,
    /// How long its last visit has taken.
    pub duration_us: u64,
    /// How often it was visited.
    pub visits: u64,
    /// The frame of the last visit.
    pub frame: Option<FrameId>,
    /// What its last result says in a few characters.
    pub fact: Option<Fact>,
    /// Of a loop: iterations ended.
    pub done: u64,
    /// Of a loop: how many there will be, where that is known.
    pub of: Option<u64>,
    /// Of a loop: its strip, at most 40 cells.
    pub cells: Vec<Cell>,
    /// Of a loop: the iteration that runs now, or the last one (0-based).
    pub current: Option<u64>,
}

/// The fact that matters of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Fact {
    /// A list was written or read: how long it is.
    Count(u64),
    /// A short value, as JSON text cut to 40 characters.
    Value(String),
    /// Its error.
    Error(String),
}

/// One cell of a loop's strip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// The first iteration in it (0-based).
    pub index: u64,
    /// How many iterations it stands for.
    pub count: u64,
    /// The worst of their states.
    pub state: State,
}

/// How often a path was followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathStatus {
    /// The path.
    pub path: EntityId,
    /// How often.
    pub taken: u64,
    /// Whether the last time was after a failure.
    pub recovery: bool,
}

/// A window of the timeline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// First instant shown.
    pub from_us: u64,
    /// Last instant shown.
    pub to_us: u64,
    /// The end of the run so far.
    pub end_us: u64,
    /// The rows, from top to bottom.
    pub rows: Vec<Row>,
}

/// A row of the timeline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// How far it is indented.
    pub depth: u32,
    /// What it shows.
    pub kind: RowKind,
    /// The step it is about.
    pub step: Option<EntityId>,
    /// The graph of that step.
    pub graph: Option<EntityId>,
    /// The part of the run: the loop of `Iterations`, `Attempts` and `Lane` rows, the last visit of `Step` and `Loop` rows.
    pub frame: Option<FrameId>,
    /// What to call it where no step does (a turn of a loop agent, a scripted agent).
    pub title: Option<String>,
    /// What can be unfolded here (a frame for `unfolded`); `None` where there is nothing below.
    pub unfolds: Option<FrameId>,
    /// Whether it is unfolded.
    pub open: bool,
    /// How many ended well.
    pub succeeded: u64,
    /// How many failed.
    pub failed: u64,
    /// How many there will be, where that is known.
    pub of: Option<u64>,
    /// How it stands.
    pub state: State,
    /// Of loops: how they work.
    pub parallel: bool,
    /// Its bars from left to right, those that touch the window.
    pub bars: Vec<Bar>,
}

/// What a row shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RowKind {
    /// The visits of a step.
    #[default]
    Step,
    /// The visits of a loop step.
    Loop,
    /// A loop's iterations, one after the other.
    Iterations,
    /// The attempts of what was tried again.
    Attempts,
    /// Iterations of a parallel loop that share a lane (from 0).
    Lane(u32),
    /// A sub-agent's run.
    SubAgent,
    /// A turn of a loop agent.
    Turn,
    /// The waves of a plan.
    Waves,
}

/// A bar of the timeline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    /// Where it begins.
    pub start_us: u64,
    /// Where it ends; the clock, where it has not ended.
    pub end_us: u64,
    /// How it stands.
    pub state: State,
    /// What it shows.
    pub kind: BarKind,
    /// The part of the run.
    pub frame: Option<FrameId>,
    /// Of an iteration (0-based), an attempt (from 1) or a batch (from 0).
    pub index: Option<u64>,
}

/// What a bar shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum BarKind {
    /// A visit of a step.
    #[default]
    Step,
    /// An iteration.
    Iteration,
    /// An attempt.
    Attempt,
    /// A delay between iterations or batches.
    Delay,
    /// A batch of a parallel loop, a wave of a plan.
    Batch,
    /// Many bars that would each be under two pixels.
    Aggregate {
        /// How many.
        count: u64,
        /// How many of them failed.
        failed: u64,
    },
}

/// A window of a loop's iterations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Iterations {
    /// The loop.
    pub frame: FrameId,
    /// How many fit in all.
    pub total: u64,
    /// How many ended well.
    pub succeeded: u64,
    /// How many failed.
    pub failed: u64,
    /// How many are under way.
    pub running: u64,
    /// First row.
    pub from: u64,
    /// The rows.
    pub rows: Vec<IterationRow>,
    /// Why the loop ended: `completed`, `limit`, `failed`, `cancelled`, `condition false`.
    pub exit: Option<String>,
}

/// A row of the iterations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IterationRow {
    /// The iteration.
    pub frame: FrameId,
    /// Its number in its loop (0-based).
    pub index: u64,
    /// The numbers of all loops around it and its own (0-based), outermost first.
    pub path: Vec<u64>,
    /// How it stands.
    pub state: State,
    /// When it began.
    pub start_us: u64,
    /// When it ended.
    pub end_us: Option<u64>,
    /// A short name of its item.
    pub label: String,
    /// Its parameters as one compact JSON text, cut to 200 characters.
    pub params: String,
    /// Its result as compact JSON text, cut to 200 characters.
    pub result: String,
    /// Its error.
    pub error: Option<String>,
    /// How many attempts it took.
    pub attempts: u32,
}

/// One part of a place in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacePart {
    /// The step.
    pub step: EntityId,
    /// Which visit of it in its agent's run, from 0.
    pub visit: u32,
    /// Which iteration of it (0-based).
    pub index: Option<u64>,
}

/// What a frame is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum FrameKind {
    /// An agent's run.
    #[default]
    Agent,
    /// A visit of a step (all its attempts).
    Step,
    /// One attempt of a step.
    Attempt,
    /// A loop.
    Loop,
    /// An iteration.
    Iteration,
    /// A call of an action, a prompt or a scripted agent.
    Call,
    /// A turn of a loop agent.
    Turn,
}

/// Everything about one part of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Which.
    pub frame: FrameId,
    /// What it is.
    pub kind: FrameKind,
    /// The step it belongs to.
    pub step: Option<EntityId>,
    /// Where it is, so that it can be found in another run.
    pub place: Vec<PlacePart>,
    /// The numbers of all loops around it and its own (0-based), outermost first.
    pub path: Vec<u64>,
    /// Of an iteration: its loop.
    pub of_loop: Option<FrameId>,
    /// Of an iteration: the ones before and after it.
    pub neighbours: (Option<FrameId>, Option<FrameId>),
    /// Of an iteration: its number (0-based).
    pub index: Option<u64>,
    /// Of an iteration: how many there will be, where that is known.
    pub of: Option<u64>,
    /// How it stands.
    pub state: State,
    /// When it began.
    pub start_us: u64,
    /// When it ended.
    pub end_us: Option<u64>,
    /// The item's variable and value.
    pub item: Option<(String, String)>,
    /// What was called: action, agent or prompt.
    pub called: Option<String>,
    /// Parameters of the call.
    pub params: Vec<Param>,
    /// The result.
    pub result: Option<String>,
    /// The error.
    pub error: Option<String>,
    /// Its attempts, where it was tried again.
    pub attempts: Vec<AttemptRow>,
    /// What it changed in its agent's payload.
    pub changes: Vec<PayloadChange>,
    /// Why it ran.
    pub reason: Option<Reason>,
    /// The condition that let it run or ended it.
    pub condition: Option<Condition>,
    /// Of a loop: why it ended.
    pub exit: Option<String>,
    /// The same in a sentence, with the values that made it so.
    pub cause: Option<String>,
    /// What the condition of its loop reads, where it has one.
    pub asked_of: Vec<String>,
    /// The last evaluations of that condition.
    pub asked: Vec<Asked>,
    /// What came up in it.
    pub notices: Vec<Notice>,
}

/// One evaluation of a loop's condition.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// How often it had been asked before: the iteration (0-based) that followed if it held.
    pub index: u64,
    /// When.
    pub at_us: u64,
    /// What it said; `None`: it could not be evaluated.
    pub held: Option<bool>,
    /// The value of each of [`Frame::asked_of`] as JSON text; `None` where it was not needed.
    pub values: Vec<Option<String>>,
}

/// One parameter of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Param {
    /// Its name; for a text inside a list or object also where in it, e.g. `to[0]`.
    pub name: String,
    /// What the mapping says, as JSON text.
    pub written: String,
    /// What it resolved to, as JSON text; `undefined` where there is nothing.
    pub value: String,
    /// The rule that resolved it.
    pub rule: Option<Rule>,
    /// What came up.
    pub problems: Vec<loopwright_lang::Problem>,
}

/// One attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttemptRow {
    /// From 1.
    pub number: u32,
    /// The attempt.
    pub frame: FrameId,
    /// How it stands.
    pub state: State,
    /// When it began.
    pub start_us: u64,
    /// When it ended.
    pub end_us: Option<u64>,
    /// Its error.
    pub error: Option<String>,
}

/// One change of a payload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PayloadChange {
    /// Where, e.g. `results[13]`.
    pub path: String,
    /// What was there, as JSON text; `None`: nothing.
    pub before: Option<String>,
    /// What is there now, as JSON text; `None`: nothing.
    pub after: Option<String>,
    /// The step that wrote it last.
    pub by: Option<EntityId>,
}

/// Why a part of a run began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reason {
    /// It is where the agent starts.
    Start,
    /// A path led here.
    Path {
        /// The path.
        path: EntityId,
        /// Where it starts.
        from: EntityId,
        /// Whether it has a condition (see [`Frame::condition`]).
        conditional: bool,
        /// Whether the step before had failed.
        recovery: bool,
    },
    /// The first item.
    FirstItem,
    /// The item before is done.
    NextItem,
    /// `continueOnError` is true: that iteration failed and the loop went on.
    AfterFailure {
        /// Which (0-based).
        index: u64,
    },
    /// It runs with others.
    Batch {
        /// Which batch, from 0.
        number: u64,
        /// How many run with it.
        size: u64,
    },
    /// The While condition held.
    ConditionHeld,
    /// The attempt before failed.
    Retry {
        /// Which attempt this is, from 1.
        attempt: u32,
        /// How many there may be.
        of: u32,
        /// Why the one before failed.
        error: String,
    },
    /// A step or loop called this agent.
    Called,
    /// The model asked for it.
    Turn {
        /// Which turn, from 0.
        number: u64,
    },
}

/// A condition that was evaluated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// Its text.
    pub text: String,
    /// The path it belongs to; a loop's otherwise.
    pub path: Option<EntityId>,
    /// Whether it held; `None`: it could not be evaluated.
    pub held: Option<bool>,
    /// Its parts.
    pub tree: ConditionPart,
}

/// A part of a condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConditionPart {
    /// Where in the text.
    pub span: Span,
    /// Its value as JSON text (`undefined` where there is none), cut to 200 characters; `None` where it was not needed.
    pub value: Option<String>,
    /// Why it has no value.
    pub error: Option<String>,
    /// Its operands.
    pub children: Vec<ConditionPart>,
}

/// The payload at a time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PayloadView {
    /// When.
    pub at_us: u64,
    /// The last event that had happened.
    pub event: u64,
    /// The payload as JSON text.
    pub payload: String,
    /// What changed since the other moment asked for.
    pub changes: Vec<PayloadChange>,
    /// Which step wrote each top-level key last.
    pub writers: Vec<(String, EntityId)>,
}

/// A window of the events.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Events {
    /// How many there are.
    pub total: u64,
    /// The first one here.
    pub from: u64,
    /// The events.
    pub rows: Vec<EventRow>,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventRow {
    /// Its number.
    pub event: u64,
    /// When.
    pub at_us: u64,
    /// What happened, e.g. `call.start`.
    pub kind: String,
    /// The step.
    pub step: Option<EntityId>,
    /// The part of the run.
    pub frame: Option<FrameId>,
    /// The numbers of all loops around it (0-based), outermost first.
    pub path: Vec<u64>,
    /// A name or message that goes with it.
    pub text: String,
    /// Of a notice: how bad it is.
    pub severity: Option<Severity>,
}

/// What texts may refer to at one place; every value as JSON text. A root that the place does not have is `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScopeView {
    /// The payload as the step's mappings see it.
    pub payload: Option<String>,
    /// The run's data.
    pub data: Option<String>,
    /// The run's context.
    pub context: Option<String>,
    /// The run's messages.
    pub conversation: Option<String>,
    /// The result of the step before.
    pub step_result: Option<String>,
    /// For the conditions of the step's paths.
    pub flow_context: Option<String>,
    /// Results of the innermost loop.
    pub results: Option<String>,
    /// Errors of the innermost loop.
    pub errors: Option<String>,
    /// Enclosing loops, innermost first.
    pub loops: Vec<LoopView>,
    /// For the conditions of the step's paths: its own result.
    pub own_result: Option<String>,
    /// The payload after the step, for the conditions of its paths.
    pub payload_after: Option<String>,
}

/// One enclosing loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoopView {
    /// The item's variable.
    pub item_variable: String,
    /// The item as JSON text.
    pub item: String,
    /// The index variable.
    pub index_variable: Option<String>,
    /// The 0-based index.
    pub index: u64,
}

/// Writes a message.
pub fn encode<T: Serialize>(message: &T) -> Vec<u8> {
    postcard::to_allocvec(message).unwrap_or_default()
}

/// Reads a message. `None` where the bytes are none of ours.
pub fn decode<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}
