//! A document made ready to run: texts parsed, columns read, references followed. What is wrong with a step is kept as the
//! message it fails with when the run comes to it.

pub mod loops;
mod operation;
mod records;
pub mod refine;
mod released;

use std::sync::Arc;

use loopwright_lang::{Object, Profile, Semantics, Text, Value, differences::Rule, mapping::OutputMapping};
use loopwright_model::{Document, Entity, EntityId, EntityKind, GraphRef, StepKind, StepRef, catalogue::Referent};

pub use loops::{Collection, LoopConfig, LoopKind, LoopSpec, SpecOrigin};
pub(crate) use records::same_name;
pub use records::{Link, Records};

use crate::rules::{AfterFailure, Rules};
use crate::texts::{Condition, Input, column_object};

/// Default time limit of an attempt, in seconds (ruling 28).
const TIMEOUT_SECONDS: f64 = 600.0;

/// A document made ready to run one of its graphs.
#[derive(Debug)]
pub struct Compiled {
    /// The profile's choices.
    pub semantics: Semantics,
    /// The profile's choices about how a run goes.
    pub rules: Rules,
    /// The agents: every graph that can run, in document order.
    pub agents: Vec<Agent>,
    /// Everything that can be called: actions, prompts and scripted agents.
    pub callees: Vec<Callee>,
    /// All steps, with the agent and the place in it; a step's number in logs is its place here.
    pub steps: Vec<(usize, usize)>,
    /// Where the outermost agent of the released runtime is told to start, and what to skip: names or IDs.
    pub start_at: Option<Text>,
    /// Names or IDs of steps that it skips.
    pub skipped: Vec<Text>,
}

/// A graph made ready to run.
#[derive(Debug)]
pub struct Agent {
    /// The graph.
    pub graph: EntityId,
    /// Its ID, if it has one.
    pub id: Option<Text>,
    /// Its name.
    pub name: Text,
    /// Whether a model decides what comes next.
    pub is_loop: bool,
    /// Its steps in file order.
    pub steps: Vec<Step>,
    /// Where it starts: the first active starting step in name order.
    pub start: Option<usize>,
    /// Active starting steps besides that one.
    pub other_starts: Vec<usize>,
    /// What the backend's records say about it.
    pub records: Records,
}

/// Something that can be called.
#[derive(Clone, Debug, PartialEq)]
pub struct Callee {
    /// What it is.
    pub kind: CalleeKind,
    /// Its ID, if it has one.
    pub id: Option<Text>,
    /// Its name.
    pub name: Text,
    /// Its entity of the catalogue.
    pub entity: Option<EntityId>,
    /// Of an agent: what the backend's records say about it.
    pub records: Option<Box<Records>>,
}

/// The kinds of call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CalleeKind {
    /// An action.
    Action,
    /// A prompt.
    Prompt,
    /// An agent whose results are scripted.
    Agent,
}

/// What a step or a loop's body does.
#[derive(Clone, Debug)]
pub enum Body {
    /// Calls an action, a prompt, or an agent that is not a graph of the document.
    Call(usize),
    /// Runs a graph.
    Agent(usize),
    /// Asks the agent's own prompt.
    Own,
    /// There is none: every iteration of a loop breaks off.
    Missing,
}

/// How the released runtime finds an agent that is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// As a child of the agent that calls it.
    Child,
    /// By the link of this number.
    Related(usize),
    /// Not at all.
    Unlinked,
}

/// Where a step that cannot run fails, in the released runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// When it is run.
    InStep,
    /// Before it is run, when the way to it is taken.
    AtCreation,
    /// It breaks the whole run off.
    BreaksOff,
}

/// What happens after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnError {
    /// Only a recovery path may be followed.
    Fail,
    /// As after success.
    Continue,
    /// More attempts, then as `Fail`.
    Retry,
}

/// A step made ready to run.
#[derive(Debug)]
pub struct Step {
    /// The step.
    pub id: EntityId,
    /// Its number among all steps.
    pub number: u32,
    /// Its name.
    pub name: Text,
    /// Its `ID` or its name: what its draws of chance are keyed by, and `flowContext.currentStepId`.
    pub key: Text,
    /// Its kind.
    pub kind: StepKind,
    /// Whether it can be reached.
    pub active: bool,
    /// What happens after a failure.
    pub on_error: OnError,
    /// Further attempts.
    pub retries: u32,
    /// Time limit of an attempt in microseconds, or why there is none that makes sense.
    pub timeout: Result<Option<u64>, String>,
    /// What it does, or why it cannot.
    pub work: Result<Work, String>,
    /// Its `Status`.
    pub status: Text,
    /// Where it fails if it cannot run.
    pub refusal: Refusal,
    /// The paths from it, in the order they are tried.
    pub paths: Vec<Path>,
    /// The rules by which the profiles differ here, whatever happens.
    pub differs: Vec<Rule>,
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum Work {
    /// One thing.
    Plain(Arc<Task>),
    /// A loop.
    Loop(Arc<LoopSpec>),
}

/// One thing to do, with its mappings.
#[derive(Debug)]
pub struct Task {
    /// What to do.
    pub body: Body,
    /// Parameters.
    pub input: Option<Input>,
    /// Where results go.
    pub output: Option<OutputMapping>,
    /// The message to an agent, with its `{{ }}` parts.
    pub message: Option<Text>,
    /// A context of its own, passed on as it is.
    pub context: Option<Value>,
    /// Whether the body is an action, which sees its parameters only.
    pub is_action: bool,
    /// How an agent is found.
    pub bound: Bound,
    /// The name an agent was asked for by, where that is not its own.
    pub called: Option<Text>,
    /// Parameters for an agent that are passed on as they are.
    pub verbatim: Option<Value>,
}

impl Task {
    /// A task without texts.
    pub(crate) fn of(body: Body, is_action: bool) -> Self {
        Self { body, input: None, output: None, message: None, context: None, is_action, bound: Bound::Child, called: None, verbatim: None }
    }

    /// Whether what it does can see the payload.
    pub fn needs_payload(&self) -> bool {
        self.input.is_some() || self.message.is_some() || !matches!(self.body, Body::Call(_)) || !self.is_action
    }

    /// Whether it can come to see that a loop's variables are keys of the payload. An action whose parameters only name other keys
    /// cannot, and then the payload need not be copied for each iteration.
    pub fn sees_variables(&self, item: &str, index: &str) -> bool {
        let only_input = self.is_action && self.message.is_none() && matches!(self.body, Body::Call(_));
        !only_input || self.input.as_ref().is_some_and(|input| input.sees_in_payload([item, index]))
    }
}

/// A path made ready.
#[derive(Debug)]
pub struct Path {
    /// The path.
    pub id: EntityId,
    /// The step it leads to, by its place in the agent.
    pub to: Option<usize>,
    /// What it says where it leads, where there is no such step.
    pub missing: Option<Text>,
    /// When it is open.
    pub condition: Option<Condition>,
}

impl Compiled {
    /// Makes a document ready. `scripted` says whether there is a script for a callee that no catalogue has.
    pub fn new(document: &Document, profile: Profile, scripted: &dyn Fn(CalleeKind, &str) -> bool) -> Self {
        let mut this = Self {
            semantics: Semantics::of(profile),
            rules: Rules::of(profile),
            agents: Vec::new(),
            callees: Vec::new(),
            steps: Vec::new(),
            start_at: None,
            skipped: Vec::new(),
        };
        for (entity_kind, kind) in
            [(EntityKind::Action, CalleeKind::Action), (EntityKind::Prompt, CalleeKind::Prompt), (EntityKind::Agent, CalleeKind::Agent)]
        {
            for entity in document.children_of_kind(loopwright_model::document::ROOT, entity_kind) {
                this.callees.push(Callee {
                    kind,
                    id: text_field(entity, &["id", "ID"]),
                    name: text_field(entity, &["name", "Name"]).unwrap_or_else(|| "".into()),
                    entity: Some(entity.id),
                    records: (kind == CalleeKind::Agent).then(|| Box::new(Records::read(&entity.fields))),
                });
            }
        }
        let graphs: Vec<GraphRef<'_>> = document.graphs().collect();
        for graph in &graphs {
            let kind = graph.entity.fields.get("kind").and_then(Value::as_str).unwrap_or("flow");
            this.agents.push(Agent {
                graph: graph.id(),
                id: text_field(graph.entity, &["ID"]),
                name: graph.name().into(),
                is_loop: kind.eq_ignore_ascii_case("loop"),
                steps: Vec::new(),
                start: None,
                other_starts: Vec::new(),
                records: Records::read(&graph.entity.fields),
            });
        }
        for (at, graph) in graphs.iter().enumerate() {
            let mut steps = Vec::new();
            for step in graph.steps() {
                let number = u32::try_from(this.steps.len()).unwrap_or(u32::MAX);
                this.steps.push((at, steps.len()));
                steps.push(this.step(at, step, number, scripted));
            }
            connect(&mut steps, *graph, this.rules.after_failure == AfterFailure::Paths);
            let mut starts: Vec<usize> =
                graph.steps().enumerate().filter(|(_, step)| step.is_start() && step.is_active()).map(|(place, _)| place).collect();
            starts.sort_by(|a, b| {
                let name = |place: &usize| steps.get(*place).map_or("", |step: &Step| step.name.as_str());
                crate::names::compare(name(a), name(b))
            });
            if let Some(agent) = this.agents.get_mut(at) {
                agent.steps = steps;
                agent.start = starts.first().copied();
                agent.other_starts = starts.into_iter().skip(1).collect();
            }
        }
        this
    }

    /// The agent that a graph became.
    pub fn agent_of(&self, graph: EntityId) -> Option<usize> {
        self.agents.iter().position(|agent| agent.graph == graph)
    }

    /// Takes what a run is told about where to start and what to skip (`agentTypeParams`): steps by name, by ID, or as objects with
    /// either.
    pub fn told(mut self, params: Option<&Value>) -> Self {
        let name = |step: &Value| match step {
            Value::Text(name) => Some(name.clone()),
            other => text_field_of(other.as_object()?, &["ID", "Name"]),
        };
        self.start_at = params.and_then(|params| name(params.get("startAtStep")?));
        let skipped = params.and_then(|params| params.get("skipSteps")).and_then(Value::as_list);
        self.skipped = skipped.into_iter().flat_map(|list| list.iter()).filter_map(name).collect();
        self
    }

    /// Where an agent's run starts; `told`: it is the outermost one.
    pub fn start_of(&self, agent: usize, told: bool) -> Option<usize> {
        let made = self.agents.get(agent)?;
        match &self.start_at {
            Some(name) if told && self.rules.dead_end == crate::rules::DeadEnd::TenTries => {
                made.steps.iter().position(|step| same_name(&step.key, name) || step.name == *name)
            }
            _ => made.start,
        }
    }

    /// Whether the outermost run is told to skip a step.
    pub fn is_skipped(&self, step: &Step) -> bool {
        self.skipped.iter().any(|name| same_name(&step.key, name) || step.name == *name)
    }

    /// A step by its number.
    pub fn step_numbered(&self, number: u32) -> Option<&Step> {
        let (agent, place) = self.steps.get(number as usize)?;
        self.agents.get(*agent)?.steps.get(*place)
    }

    /// The number of a step of the document.
    pub fn number_of(&self, step: EntityId) -> Option<u32> {
        self.agents.iter().flat_map(|agent| &agent.steps).find(|compiled| compiled.id == step).map(|compiled| compiled.number)
    }

    fn step(&mut self, agent: usize, step: StepRef<'_>, number: u32, scripted: &dyn Fn(CalleeKind, &str) -> bool) -> Step {
        let name: Text = step.name().into();
        let key = text_field(step.entity, &["ID"]).unwrap_or_else(|| name.clone());
        let by_columns = self.rules.after_failure == AfterFailure::OnErrorBehavior;
        let on_error = match step.field("OnErrorBehavior").and_then(Value::as_str) {
            Some("continue") if by_columns => OnError::Continue,
            Some("retry") if by_columns => OnError::Retry,
            _ => OnError::Fail,
        };
        let (work, refusal) = if by_columns {
            (self.work(step, number, scripted), Refusal::InStep)
        } else {
            match self.released_work(agent, step, number, scripted) {
                Ok(work) => (Ok(work), Refusal::InStep),
                Err((refusal, message)) => (Err(message), refusal),
            }
        };
        Step {
            id: step.id(),
            number,
            name,
            key,
            kind: step.kind(),
            active: step.is_active(),
            on_error,
            retries: step.field("RetryCount").and_then(Value::as_number).map_or(0, |count| count.clamp(0.0, 1e6) as u32),
            timeout: if by_columns { timeout(step.field("TimeoutSeconds"), step.kind().is_loop()) } else { Ok(None) },
            work,
            status: released::status(step),
            refusal,
            paths: Vec::new(),
            differs: if by_columns { Vec::new() } else { released::differs(step) },
        }
    }

    fn work(&mut self, step: StepRef<'_>, number: u32, scripted: &dyn Fn(CalleeKind, &str) -> bool) -> Result<Work, String> {
        let kind = step.kind();
        match kind {
            StepKind::Action | StepKind::SubAgent | StepKind::Prompt => Ok(Work::Plain(Arc::new(self.task(step, kind, None, scripted)?))),
            StepKind::ForEach | StepKind::While => {
                let config = LoopConfig::read(
                    step.field("Configuration"),
                    if kind == StepKind::While { LoopKind::While } else { LoopKind::ForEach },
                )?;
                let body_kind = step.body_kind().filter(|kind| !kind.is_loop() && *kind != StepKind::Unknown);
                let body_kind = body_kind.ok_or_else(|| "The loop has no body".to_owned())?;
                let task = self.task(step, body_kind, config.index_variable.as_deref(), scripted)?;
                Ok(Work::Loop(Arc::new(LoopSpec { config, task, origin: SpecOrigin::Step(number), differs: Vec::new(), refine: None })))
            }
            StepKind::Refine => Ok(Work::Loop(Arc::new(self.refine(step, number, scripted)?))),
            StepKind::Unknown => Err(match step.field("StepType") {
                Some(kind) => format!("Step type cannot be run: {}", loopwright_lang::json::print_compact(kind)),
                None => "Step type cannot be run: there is none".to_owned(),
            }),
        }
    }

    fn task(
        &mut self,
        step: StepRef<'_>,
        kind: StepKind,
        index_variable: Option<&str>,
        scripted: &dyn Fn(CalleeKind, &str) -> bool,
    ) -> Result<Task, String> {
        let body = self.body(step.referent(), kind, scripted)?;
        let input = Input::new(step.field("ActionInputMapping"))?;
        let output = output_mapping(step.field("ActionOutputMapping"), index_variable)?;
        let message = text_field(step.entity, &["Description"]).filter(|text| !text.trim().is_empty());
        Ok(Task { input, output, message, ..Task::of(body, kind == StepKind::Action) })
    }

    fn body(&mut self, referent: Referent<'_>, kind: StepKind, scripted: &dyn Fn(CalleeKind, &str) -> bool) -> Result<Body, String> {
        let (callee_kind, what) = match kind {
            StepKind::Action => (CalleeKind::Action, "Action"),
            StepKind::Prompt => (CalleeKind::Prompt, "Prompt"),
            _ => (CalleeKind::Agent, "Sub-agent"),
        };
        match referent {
            Referent::None => Err(match callee_kind {
                CalleeKind::Action => "No action selected".to_owned(),
                CalleeKind::Prompt => "No prompt selected".to_owned(),
                CalleeKind::Agent => "No sub-agent selected".to_owned(),
            }),
            Referent::Found(entity) if entity.kind == EntityKind::Graph => {
                let name = text_field(entity, &["Name"]).unwrap_or_else(|| "".into());
                if scripted(CalleeKind::Agent, &name) {
                    return Ok(Body::Call(self.callee(CalleeKind::Agent, name, None)));
                }
                self.agent_of(entity.id).map(Body::Agent).ok_or_else(|| format!("Sub-agent not found: {name}"))
            }
            Referent::Found(entity) => {
                let place = self.callees.iter().position(|callee| callee.entity == Some(entity.id));
                place.map(Body::Call).ok_or_else(|| format!("{what} not found"))
            }
            Referent::Unknown(name) if scripted(callee_kind, name) => Ok(Body::Call(self.callee(callee_kind, name.into(), None))),
            Referent::Unknown(name) => Err(format!("{what} not found: {name}")),
        }
    }

    /// The same for something that is named in a Configuration.
    fn body_named(
        &mut self,
        step: StepRef<'_>,
        name: &str,
        kind: StepKind,
        scripted: &dyn Fn(CalleeKind, &str) -> bool,
    ) -> Result<Body, String> {
        let document = step.document;
        let entity_kind = match kind {
            StepKind::Action => EntityKind::Action,
            StepKind::Prompt => EntityKind::Prompt,
            _ => EntityKind::Agent,
        };
        let found = document.entry_by_id(entity_kind, name).or_else(|| document.entry_by_name(entity_kind, name));
        self.body(found.map_or(Referent::Unknown(name), Referent::Found), kind, scripted)
    }

    /// The place of a callee that no catalogue has; it is added when it is new.
    fn callee(&mut self, kind: CalleeKind, name: Text, id: Option<Text>) -> usize {
        let same = |callee: &Callee| callee.kind == kind && callee.name == name && callee.entity.is_none();
        if let Some(place) = self.callees.iter().position(same) {
            return place;
        }
        self.callees.push(Callee { kind, id, name, entity: None, records: None });
        self.callees.len() - 1
    }
}

/// Reads an output mapping; a malformed target fails the step before anything is called (ruling 11).
pub fn output_mapping(column: Option<&Value>, index_variable: Option<&str>) -> Result<Option<OutputMapping>, String> {
    let Some(written) = column_object(column, "ActionOutputMapping")? else { return Ok(None) };
    if written.as_object().is_some_and(Object::is_empty) {
        return Ok(None);
    }
    let mapping = OutputMapping::parse(&written, index_variable).map_err(|problem| problem.message)?;
    match mapping.problems.iter().find(|problem| problem.severity == loopwright_lang::Severity::Error) {
        Some(problem) => Err(problem.message.clone()),
        None => Ok(Some(mapping)),
    }
}

/// The first of these fields that is a text with something in it.
pub(crate) fn text_field(entity: &Entity, names: &[&str]) -> Option<Text> {
    text_field_of(&entity.fields, names)
}

fn text_field_of(fields: &Object, names: &[&str]) -> Option<Text> {
    names.iter().find_map(|name| match fields.get(name) {
        Some(Value::Text(text)) if !text.is_empty() => Some(text.clone()),
        _ => None,
    })
}

/// Gives each step its paths, in the order they are tried: by Priority, highest first, ties in file order.
fn connect(steps: &mut [Step], graph: GraphRef<'_>, released: bool) {
    let mut paths: Vec<_> = graph.paths().collect();
    paths.sort_by(|a, b| b.priority().total_cmp(&a.priority()));
    let places: std::collections::BTreeMap<EntityId, usize> = steps.iter().enumerate().map(|(place, step)| (step.id, place)).collect();
    for path in paths {
        let Some(from) = path.from().and_then(|id| places.get(&id).copied()) else { continue };
        let to = path.to().and_then(|id| places.get(&id).copied());
        if let Some(step) = steps.get_mut(from) {
            // There a condition of white space is one, and false.
            let written = path.field("Condition").and_then(Value::as_str).filter(|text| !text.is_empty());
            let condition = if released { written } else { path.condition() };
            let missing = path.entity.ends.as_ref().and_then(|(_, to)| released::missing(to));
            step.paths.push(Path { id: path.id(), to, missing, condition: condition.map(Condition::new) });
        }
    }
}

/// The time limit of one attempt in microseconds (ruling 28): the default only for plain steps, null is none.
fn timeout(column: Option<&Value>, is_loop: bool) -> Result<Option<u64>, String> {
    let seconds = match column {
        None | Some(Value::Undefined) if is_loop => return Ok(None),
        None | Some(Value::Undefined) => TIMEOUT_SECONDS,
        Some(Value::Null) => return Ok(None),
        Some(value) => match value.as_number() {
            Some(seconds) if seconds > 0.0 => seconds,
            _ => return Err(format!("TimeoutSeconds must be greater than 0: {}", loopwright_lang::json::print_compact(value))),
        },
    };
    Ok(Some(micros(seconds * 1_000_000.0)))
}

/// A number of microseconds, whole, at most 2^53.
pub(crate) fn micros(value: f64) -> u64 {
    // `as` saturates and takes NaN as 0.
    libm_round(value).clamp(0.0, 9_007_199_254_740_992.0) as u64
}

fn libm_round(value: f64) -> f64 {
    let whole = value.trunc();
    if (value - whole).abs() >= 0.5 { whole + value.signum() } else { whole }
}
