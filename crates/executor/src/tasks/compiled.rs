//! A graph whose expressions and mappings were read once.

use loopwright_lang::{
    Problem, Profile, Roots, Scope, Semantics, Severity, Text, UNDECLARED, Value,
    expr::Condition,
    mapping::{self, CompiledInput},
};
use loopwright_model::tasks::{Body, Callee, Check, Task, TaskGraph, TaskKind};

use super::Failure;

/// A graph, ready to run.
#[derive(Clone, Debug)]
pub struct CompiledTasks {
    /// The graph.
    pub graph: TaskGraph,
    pub(crate) parts: Vec<Parts>,
    /// For each task those that are after it.
    pub(crate) semantics: Semantics,
}

/// The expressions of a task.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    pub(crate) condition: Option<Condition>,
    pub(crate) cache_key: Option<CompiledInput>,
    /// `perform` or `attempt`.
    pub(crate) first: Option<CompiledBody>,
    pub(crate) check: Option<CompiledCheck>,
}

#[derive(Clone, Debug)]
pub(crate) enum CompiledCheck {
    Body(CompiledBody),
    Expression { done: Condition, feedback: Option<Text> },
}

/// A body, ready to be called.
#[derive(Clone, Debug)]
pub struct CompiledBody {
    /// What is called.
    pub callee: Callee,
    /// Its name.
    pub name: Text,
    params: Option<CompiledInput>,
}

/// The parameters, where a body has any, and what could not be evaluated in which.
type Params = (Option<Value>, Vec<(Text, Problem)>);

/// A mapping whose one member is the key of the cache.
const KEY: &str = "key";

impl CompiledTasks {
    /// Reads the expressions of a graph that can be started.
    pub fn new(graph: TaskGraph) -> Self {
        let semantics = Semantics::of(Profile::Documented);
        let parts = graph.tasks.iter().map(|task| Parts::new(task, &semantics)).collect();
        Self { graph, parts, semantics }
    }

    pub(crate) fn task(&self, place: usize) -> Option<&Task> {
        self.graph.tasks.get(place)
    }

    /// Whether a condition holds.
    pub(crate) fn holds(&self, condition: &Condition, scope: &Scope) -> Result<bool, Failure> {
        condition.holds(scope, &self.semantics).map_err(|error| failure(&error.code, &error.message))
    }

    /// What an expression check decides; `None` where it is no verdict, with what it gave.
    pub(crate) fn judge(&self, done: &Condition, feedback: Option<&Text>, scope: &Scope) -> Result<super::Verdict, Failure> {
        let given = match (done.error(), done.expression()) {
            (Some(error), _) => Err(error),
            (None, Some(root)) => loopwright_lang::expr::evaluate(root, scope, &self.semantics),
            (None, None) => Ok(Value::Undefined),
        };
        match given.map_err(|error| failure(&error.code, &error.message))? {
            Value::Bool(true) => Ok(super::Verdict::Done),
            Value::Bool(false) => {
                let Some(feedback) = feedback else {
                    return Err(Failure::Verdict("a rejection without feedback".into()));
                };
                let (text, problems) = mapping::message(feedback, scope, &self.semantics);
                match undeclared(problems.iter()) {
                    Some(failure) => Err(failure),
                    None => Ok(super::Verdict::Rejected(text.into())),
                }
            }
            other => Err(Failure::Verdict(shown(&other))),
        }
    }
}

impl Parts {
    fn new(task: &Task, semantics: &Semantics) -> Self {
        let condition = |text: &Text| Condition::new(text, semantics);
        let body = |body: &Body| CompiledBody {
            callee: body.callee,
            name: body.name.clone(),
            params: body.params.as_ref().and_then(|params| CompiledInput::compile(params, semantics).ok()),
        };
        let (first, check) = match &task.kind {
            TaskKind::Plain { perform } => (Some(body(perform)), None),
            TaskKind::Approval { .. } => (None, None),
            TaskKind::Loop { attempt, check, .. } => {
                let check = match check {
                    Check::Body(check) => CompiledCheck::Body(body(check)),
                    Check::Expression { done, feedback } => CompiledCheck::Expression { done: condition(done), feedback: feedback.clone() },
                };
                (Some(body(attempt)), Some(check))
            }
        };
        let cache_key = task.cache.as_ref().and_then(|cache| {
            let mapping = Value::object([(KEY, cache.key.clone())]);
            CompiledInput::compile(&mapping, semantics).ok()
        });
        Self { condition: task.condition.as_ref().map(condition), cache_key, first, check }
    }
}

impl CompiledBody {
    /// The parameters of a call, and what could not be evaluated in them. A value that was not declared is a failure.
    pub(crate) fn params(&self, scope: &Scope) -> Result<Params, Failure> {
        let Some(input) = &self.params else { return Ok((None, Vec::new())) };
        let mut problems = Vec::new();
        let params = input.params(scope, &mut problems);
        match undeclared(problems.iter().map(|(_, problem)| problem)) {
            Some(failure) => Err(failure),
            None => Ok((Some(params), problems)),
        }
    }
}

/// The key of a cache.
pub(crate) fn cache_key(input: &CompiledInput, scope: &Scope) -> Result<Value, Failure> {
    let mut problems = Vec::new();
    let key = input.params(scope, &mut problems).get(KEY).cloned().unwrap_or_default();
    if let Some(failure) = undeclared(problems.iter().map(|(_, problem)| problem)) {
        return Err(failure);
    }
    if key.is_undefined() {
        return Err(Failure::CacheKey("has no value".into()));
    }
    if !super::record::is_plain(&key) {
        return Err(Failure::CacheKey("is not plain JSON".into()));
    }
    Ok(key)
}

/// The roots of a place in a run.
pub(crate) fn scope(value: Value, more: impl IntoIterator<Item = (&'static str, Value)>) -> Scope {
    let mut names: Vec<(Text, Value)> = vec![("value".into(), value)];
    names.extend(more.into_iter().map(|(name, value)| (name.into(), value)));
    Scope { names, roots: Roots::Given, closed: Some("value".into()), ..Scope::default() }
}

fn undeclared<'p>(mut problems: impl Iterator<Item = &'p Problem>) -> Option<Failure> {
    let found = problems.find(|problem| problem.severity == Severity::Error && problem.code == UNDECLARED)?;
    Some(Failure::Undeclared(found.message.as_str().into()))
}

fn failure(code: &str, message: &str) -> Failure {
    if code == UNDECLARED { Failure::Undeclared(message.into()) } else { Failure::Expression(message.into()) }
}

/// A value as a message shows it.
pub(crate) fn shown(value: &Value) -> Text {
    let text = loopwright_lang::json::print_log(value);
    if text.chars().count() <= 80 { text.into() } else { value.what().into() }
}
