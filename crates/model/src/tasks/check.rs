//! What the expressions and mappings of a graph refer to: said while it is edited; a run meets it only where it gets there.

use loopwright_lang::{Problem, Profile, Roots, Scope, Semantics, Severity, Text, UNDECLARED, Value, expr, mapping};

use super::{Body, Check, Task, TaskGraph, TaskKind, TaskProblem};

/// Where in a task a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// `condition`, `cache.key` and `perform`.
    Task,
    /// A loop's `attempt`.
    Attempt,
    /// A loop's `check`.
    Check,
}

/// The roots of a place: `value` of the direct dependencies, in a loop also `feedback`, `round`, `phase`, in its check `result`.
/// Values that are not known yet stand in as undefined.
pub fn roots(graph: &TaskGraph, task: &Task, part: Part) -> Scope {
    let values = Value::object(graph.after(task).map(|key| (key.clone(), Value::Undefined)));
    let mut names: Vec<(Text, Value)> = vec![("value".into(), values)];
    if part != Part::Task {
        names.extend([("feedback".into(), Value::Undefined), ("round".into(), Value::Undefined), ("phase".into(), Value::Undefined)]);
    }
    if part == Part::Check {
        names.push(("result".into(), Value::Undefined));
    }
    Scope { names, roots: Roots::Given, closed: Some("value".into()), ..Scope::default() }
}

/// Checks every expression, mapping and template of a graph.
pub fn check(graph: &TaskGraph) -> Vec<TaskProblem> {
    let mut checker = Checker { problems: Vec::new(), semantics: Semantics::of(Profile::Documented) };
    for (place, task) in graph.tasks.iter().enumerate() {
        let own = roots(graph, task, Part::Task);
        let mut tell = |field: String, problem: Problem| {
            checker.problems.push(TaskProblem { task: Some(place), key: task.key.clone(), field, problem, refuses: false });
        };
        let semantics = &checker.semantics;
        if let Some(condition) = &task.condition {
            expression(condition, &own, &mut |problem| tell("condition".to_owned(), problem));
        }
        if let Some(cache) = &task.cache {
            texts("cache.key", &cache.key, &own, semantics, &mut tell);
        }
        let mut body = |field: &str, body: &Body, scope: &Scope| {
            if let Some(params) = &body.params {
                texts(&format!("{field}.params"), params, scope, semantics, &mut tell);
            }
        };
        match &task.kind {
            TaskKind::Plain { perform } => body("perform", perform, &own),
            TaskKind::Approval { .. } => {}
            TaskKind::Loop { attempt, check, .. } => {
                body("attempt", attempt, &roots(graph, task, Part::Attempt));
                let scope = roots(graph, task, Part::Check);
                match check {
                    Check::Body(check) => body("check", check, &scope),
                    Check::Expression { done, feedback } => {
                        expression(done, &scope, &mut |problem| tell("check.done".to_owned(), problem));
                        if let Some(feedback) = feedback {
                            texts("check.feedback", &Value::Text(feedback.clone()), &scope, semantics, &mut tell);
                        }
                    }
                }
            }
        }
    }
    checker.problems
}

struct Checker {
    problems: Vec<TaskProblem>,
    semantics: Semantics,
}

fn expression(text: &str, scope: &Scope, tell: &mut dyn FnMut(Problem)) {
    let parsed = expr::parse(text);
    parsed.problems.iter().cloned().for_each(&mut *tell);
    if parsed.error().is_none()
        && let Some(root) = &parsed.root
    {
        expr::check(root, scope).into_iter().for_each(&mut *tell);
        for path in expr::references(root) {
            if let [first, key, ..] = path.as_slice()
                && let Some(problem) = undeclared(text, first, key, scope)
            {
                tell(problem);
            }
        }
    }
}

/// A dependency that is read and not declared.
fn undeclared(text: &str, first: &str, key: &str, scope: &Scope) -> Option<Problem> {
    if scope.closed.as_ref().map(Text::as_str) != Some(first) {
        return None;
    }
    let (_, values) = scope.names.first()?;
    if values.get(key).is_some() {
        return None;
    }
    let at = text.find(key).unwrap_or(0);
    let span = loopwright_lang::Span::new(at, (at + key.len()).min(text.len()));
    Some(Problem::error(UNDECLARED, span, format!("undeclared dependency {key}: add it to `after`, or read a task that is listed there.")))
}

/// Every text of a mapping value. That a dependency has no value yet is no problem here.
fn texts(field: &str, value: &Value, scope: &Scope, semantics: &Semantics, tell: &mut dyn FnMut(String, Problem)) {
    match value {
        Value::Text(text) => {
            for problem in mapping::resolve_text(text, scope, semantics).problems {
                let unknown_yet = problem.code == "mapping_missing" || (problem.code.starts_with("expr_") && is_of_values(&problem));
                if !unknown_yet {
                    tell(field.to_owned(), problem);
                }
            }
        }
        Value::List(items) => {
            items.iter().enumerate().for_each(|(index, item)| texts(&format!("{field}.{index}"), item, scope, semantics, tell));
        }
        Value::Object(members) => {
            members.iter().for_each(|(key, item)| texts(&format!("{field}.{key}"), item, scope, semantics, tell));
        }
        _ => {}
    }
}

/// Whether an evaluation failed for want of a value, not for what is written.
fn is_of_values(problem: &Problem) -> bool {
    problem.severity == Severity::Error && matches!(&*problem.code, "expr_missing_value" | "expr_wrong_receiver" | "expr_throws")
}
