//! Reads the file form. Everything that is wrong is told, not only the first.

use std::collections::{BTreeMap, BTreeSet};

use loopwright_lang::{Object, Problem, Severity, Span, Text, Value, json, limits};

use super::{Body, Cache, Callee, Check, ROUNDS, Retry, StartOptions, TIMER_MS, TOKENS, Task, TaskGraph, TaskKind, TaskProblem, cycle};

/// The largest whole number JavaScript keeps apart from its neighbours.
const SAFE: f64 = 9_007_199_254_740_991.0;

const NO_CALLBACKS: &str = "a loop task requires attempt and check callbacks";
const GATE_FIELD: &str = "a gate takes no condition, retry, timeout or cache";

/// Reads a text. A text that is no JSON gives an empty graph and the reader's own problems.
pub fn parse(text: &str) -> (TaskGraph, Vec<TaskProblem>) {
    let parsed = json::parse(text);
    let mut problems: Vec<TaskProblem> = parsed
        .problems
        .iter()
        .map(|problem| TaskProblem {
            task: None,
            key: Text::default(),
            field: String::new(),
            problem: problem.clone(),
            refuses: problem.severity == Severity::Error,
        })
        .collect();
    let Some(value) = parsed.value() else { return (TaskGraph::default(), problems) };
    let (graph, found) = read(&value);
    problems.extend(found);
    (graph, problems)
}

/// Reads a graph. Where a problem [refuses](TaskProblem::refuses), the graph is only what could be understood.
pub fn read(value: &Value) -> (TaskGraph, Vec<TaskProblem>) {
    let mut reader = Reader::default();
    let graph = reader.graph(value);
    (graph, reader.problems)
}

/// Reads the options of a start. Where one is wrong the start is refused.
pub fn read_options(value: Option<&Value>) -> (StartOptions, Vec<TaskProblem>) {
    let mut reader = Reader::default();
    let mut options = StartOptions::default();
    let object = match value {
        None | Some(Value::Null | Value::Undefined) => return (options, Vec::new()),
        Some(Value::Object(object)) => object,
        Some(other) => {
            reader.error("task_options", "options", format!("options must be an object; found {}", other.what()));
            return (options, reader.problems);
        }
    };
    if let Some(found) = reader.positive(object, "options", "concurrency", "task_options") {
        options.concurrency = found;
    }
    match given(object, "stopOnError") {
        None => {}
        Some(Value::Bool(stop)) => options.stop_on_error = *stop,
        Some(other) => {
            reader.error("task_options", "options.stopOnError", format!("stopOnError must be true or false; found {}", shown(other)))
        }
    }
    options.timeout_ms = reader.timer(object, "options", "task_options");
    match given(object, "budget") {
        None => {}
        Some(Value::Object(budget)) => {
            options.attempts = reader.count(budget, "options.budget", "attempts", "task_options");
            match given(budget, "usage") {
                None => {}
                Some(Value::Object(usage)) => {
                    for (place, name) in options.usage.iter_mut().zip(TOKENS) {
                        *place = reader.count(usage, "options.budget.usage", name, "task_options");
                    }
                }
                Some(other) => {
                    reader.error("task_options", "options.budget.usage", format!("budget.usage must be an object; found {}", other.what()))
                }
            }
        }
        Some(other) => reader.error("task_options", "options.budget", format!("budget must be an object; found {}", other.what())),
    }
    (options, reader.problems)
}

/// A field that is there: absent, null and undefined are one.
fn given<'a>(object: &'a Object, name: &str) -> Option<&'a Value> {
    object.get(name).filter(|value| !value.is_nullish())
}

/// A value as a message shows it.
fn shown(value: &Value) -> String {
    let text = json::print_compact(value);
    if text.chars().count() <= 40 { text } else { value.what().to_owned() }
}

fn whole(value: &Value) -> Option<f64> {
    value.as_number().filter(|number| number.fract() == 0.0 && number.abs() <= SAFE)
}

#[derive(Default)]
struct Reader {
    problems: Vec<TaskProblem>,
    task: Option<usize>,
    key: Text,
}

/// Which fields a type of task has, besides `key`, `type` and `after`.
const FIELDS: [(&str, &[&str]); 3] = [
    ("task", &["perform", "condition", "retry", "timeoutMs", "cache"]),
    ("loop", &["maxRounds", "attempt", "check", "condition", "timeoutMs", "cache"]),
    ("approval", &["prompt", "actors"]),
];

impl Reader {
    fn say(&mut self, code: &'static str, severity: Severity, field: &str, message: String) {
        let problem = Problem { code: code.into(), severity, message, span: Span::default(), fix: None };
        let refuses = severity == Severity::Error;
        self.problems.push(TaskProblem { task: self.task, key: self.key.clone(), field: field.to_owned(), problem, refuses });
    }

    fn error(&mut self, code: &'static str, field: &str, message: String) {
        self.say(code, Severity::Error, field, message);
    }

    /// An error whose message begins with the task's key.
    fn of_task(&mut self, code: &'static str, field: &str, message: &str) {
        let message = format!("{}: {message}", self.key);
        self.error(code, field, message);
    }

    /// A whole number from 1 up.
    fn positive(&mut self, object: &Object, inside: &str, name: &str, code: &'static str) -> Option<u64> {
        let value = given(object, name)?;
        match whole(value).filter(|number| *number >= 1.0) {
            Some(number) => Some(number as u64),
            None => {
                let label = if inside.is_empty() || inside == "options" { name.to_owned() } else { format!("{inside}.{name}") };
                let field = if inside.is_empty() { name.to_owned() } else { format!("{inside}.{name}") };
                self.error(code, &field, format!("{label} must be a positive integer; found {}", shown(value)));
                None
            }
        }
    }

    /// A whole number from 0 up.
    fn count(&mut self, object: &Object, inside: &str, name: &str, code: &'static str) -> Option<u64> {
        let value = given(object, name)?;
        match whole(value).filter(|number| *number >= 0.0) {
            Some(number) => Some(number as u64),
            None => {
                let field = format!("{inside}.{name}");
                let label = field.strip_prefix("options.").unwrap_or(&field).to_owned();
                self.error(code, &field, format!("{label} must be a non-negative safe integer; found {}", shown(value)));
                None
            }
        }
    }

    /// `timeoutMs`.
    fn timer(&mut self, object: &Object, inside: &str, code: &'static str) -> Option<u64> {
        let found = self.positive(object, inside, "timeoutMs", code)?;
        if found > TIMER_MS {
            let field = if inside.is_empty() { "timeoutMs".to_owned() } else { format!("{inside}.timeoutMs") };
            self.error(code, &field, format!("timeoutMs must fit the timer range, at most {TIMER_MS}; found {found}"));
            return None;
        }
        Some(found)
    }

    fn graph(&mut self, value: &Value) -> TaskGraph {
        let mut graph = TaskGraph { version: "1".into(), ..TaskGraph::default() };
        let Some(object) = value.as_object() else {
            self.error("task_graph", "", format!("A task graph is an object with a name and a list of tasks; found {}", value.what()));
            return graph;
        };
        match given(object, "name") {
            Some(Value::Text(name)) if !name.trim().is_empty() => graph.name = name.clone(),
            other => {
                let found = other.map_or_else(|| "nothing".to_owned(), shown);
                self.error("task_name", "name", format!("A task graph needs a name that is not blank; found {found}"));
            }
        }
        match given(object, "version") {
            None => {}
            Some(Value::Text(version)) => graph.version = version.clone(),
            Some(other) => self.error("task_version", "version", format!("version must be a text; found {}", shown(other))),
        }
        let empty = loopwright_lang::List::new();
        let list = match given(object, "tasks") {
            None => &empty,
            Some(Value::List(list)) => list,
            Some(other) => {
                self.error("task_graph", "tasks", format!("tasks must be a list; found {}", other.what()));
                return graph;
            }
        };
        if list.len() > limits::STEPS {
            self.error("too_many_steps", "tasks", format!("A graph has at most {} tasks; found {}", limits::STEPS, list.len()));
        }
        let mut after = Vec::new();
        for (place, value) in list.iter().enumerate() {
            self.task = Some(place);
            self.key = value.get("key").and_then(Value::as_str).unwrap_or_default().into();
            let (task, named) = self.one(value);
            graph.tasks.push(task);
            after.push(named);
        }
        self.edges(&mut graph, &after);
        (self.task, self.key) = (None, Text::default());
        graph
    }

    /// Doubled keys, dependencies, cycles.
    fn edges(&mut self, graph: &mut TaskGraph, after: &[Vec<Text>]) {
        let mut places: BTreeMap<Text, usize> = BTreeMap::new();
        for (place, task) in graph.tasks.iter().enumerate() {
            (self.task, self.key) = (Some(place), task.key.clone());
            if task.key.is_empty() {
                continue;
            }
            if places.contains_key(&task.key) {
                self.error("task_duplicate", "key", format!("duplicate key {}: each task needs a key of its own", task.key));
            } else {
                places.insert(task.key.clone(), place);
            }
        }
        for (place, names) in after.iter().enumerate() {
            let key = graph.tasks.get(place).map(|task| task.key.clone()).unwrap_or_default();
            (self.task, self.key) = (Some(place), key);
            let mut seen = BTreeSet::new();
            for name in names {
                if !seen.insert(name.clone()) {
                    self.say(
                        "task_after_repeated",
                        Severity::Warning,
                        "after",
                        format!("{name} stands more than once in after; it counts once"),
                    );
                    continue;
                }
                match places.get(name) {
                    Some(found) => {
                        if let Some(task) = graph.tasks.get_mut(place) {
                            task.after.push(*found);
                        }
                    }
                    None => self.of_task("task_dependency_missing", "after", &format!("missing dependency {name}")),
                }
            }
        }
        if let Some(met) = cycle::find(&graph.tasks) {
            let key = graph.tasks.get(met).map(|task| task.key.clone()).unwrap_or_default();
            (self.task, self.key) = (Some(met), key.clone());
            self.error("task_cycle", "after", format!("Dependency cycle at {key}"));
        }
    }

    fn one(&mut self, value: &Value) -> (Task, Vec<Text>) {
        let empty = Object::new();
        let object = match value {
            Value::Object(object) => object,
            other => {
                self.error("task_type", "", format!("A task is an object with a key and a type; found {}", other.what()));
                &empty
            }
        };
        self.check_key(object);
        let after = self.after(object);
        let kind = object.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        let fields = FIELDS.iter().find(|(name, _)| *name == kind).map(|(_, fields)| *fields);
        if fields.is_none() && value.as_object().is_some() {
            match given(object, "type") {
                None => self.of_task("task_type", "type", "the task has no type; expected task, loop or approval"),
                Some(Value::Text(found)) => {
                    let message = format!("unknown task type {found}; expected task, loop or approval");
                    self.of_task("task_type", "type", &message);
                }
                Some(other) => {
                    let message = format!("unknown task type {}; expected task, loop or approval", shown(other));
                    self.of_task("task_type", "type", &message);
                }
            }
        }
        self.foreign(object, &kind, fields);
        let kind = match kind.as_str() {
            "loop" => self.loop_kind(object),
            "approval" => self.approval(object),
            _ => self.plain(object, fields.is_some()),
        };
        let gate = matches!(kind, TaskKind::Approval { .. });
        let task = Task {
            key: self.key.clone(),
            after: Vec::new(),
            condition: if gate { None } else { self.condition(object) },
            timeout_ms: if gate { None } else { self.timer(object, "", "task_timeout") },
            retry: if matches!(kind, TaskKind::Plain { .. }) { self.retry(object) } else { Retry::default() },
            cache: if gate { None } else { self.cache(object) },
            kind,
        };
        (task, after)
    }

    fn check_key(&mut self, object: &Object) {
        let legal = |key: &str| {
            key.starts_with(|first: char| first.is_ascii_alphanumeric())
                && key.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '.' | '_' | '-'))
        };
        match object.get("key") {
            Some(Value::Text(key)) if legal(key) => {}
            Some(Value::Text(key)) => {
                let message = format!("Invalid task key: {key}");
                self.error("task_key", "key", message);
            }
            None | Some(Value::Null | Value::Undefined) => self.error("task_key", "key", "Invalid task key: the task has none".to_owned()),
            Some(other) => {
                let message = format!("Invalid task key: {}", shown(other));
                self.error("task_key", "key", message);
            }
        }
    }

    fn after(&mut self, object: &Object) -> Vec<Text> {
        let Some(value) = given(object, "after") else { return Vec::new() };
        let Value::List(list) = value else {
            self.of_task("task_after", "after", &format!("after must be a list of task keys; found {}", value.what()));
            return Vec::new();
        };
        let mut names = Vec::new();
        for item in list.iter() {
            match item {
                Value::Text(name) => names.push(name.clone()),
                other => self.of_task("task_after", "after", &format!("after must be a list of task keys; found {} in it", shown(other))),
            }
        }
        names
    }

    /// Fields that the type does not have.
    fn foreign(&mut self, object: &Object, kind: &str, fields: Option<&[&str]>) {
        let Some(fields) = fields else { return };
        let known = |name: &str| FIELDS.iter().any(|(_, fields)| fields.contains(&name));
        let mut gate = false;
        for (name, _) in object.iter().filter(|(_, value)| !value.is_nullish()) {
            let name = name.as_str();
            if matches!(name, "key" | "type" | "after") || fields.contains(&name) || !known(name) {
                continue;
            }
            match (kind, name) {
                ("approval", "condition" | "retry" | "timeoutMs" | "cache") => {
                    if !gate {
                        self.of_task("gate_field", name, GATE_FIELD);
                    }
                    gate = true;
                }
                ("loop", "retry") => self.of_task("retry_on_loop", name, "a loop task takes no retry; its rounds are its attempts"),
                _ => {
                    let message = format!("{}: a task of the type {kind} does not use {name}; it is kept as it is", self.key);
                    self.say("task_field", Severity::Warning, name, message);
                }
            }
        }
    }

    fn condition(&mut self, object: &Object) -> Option<Text> {
        match given(object, "condition")? {
            Value::Text(text) if text.trim().is_empty() => None,
            Value::Text(text) => Some(text.clone()),
            // What JSON can say of itself is an expression, too.
            Value::Bool(holds) => Some(if *holds { "true".into() } else { "false".into() }),
            other => {
                self.of_task("task_condition", "condition", &format!("condition must be an expression, a text; found {}", other.what()));
                None
            }
        }
    }

    /// A call; `None` when it is none.
    fn body(object: Option<&Value>) -> Result<Body, String> {
        let Some(body) = object.and_then(Value::as_object) else {
            return Err(match object {
                None | Some(Value::Null | Value::Undefined) => "found nothing".to_owned(),
                Some(other) => format!("found {}", other.what()),
            });
        };
        let named: Vec<(Callee, &Value)> =
            Callee::ALL.into_iter().filter_map(|callee| Some((callee, given(body, callee.key())?))).collect();
        match named.as_slice() {
            [(callee, Value::Text(name))] if !name.trim().is_empty() => {
                let params = given(body, "params").cloned();
                if params.as_ref().is_some_and(|params| params.as_object().is_none()) {
                    return Err("its params must be an object".to_owned());
                }
                Ok(Body { callee: *callee, name: name.clone(), params })
            }
            [(callee, _)] => Err(format!("its {} must be a name", callee.key())),
            [] => Err("it has no action, prompt or agent".to_owned()),
            _ => Err("it has more than one of action, prompt and agent".to_owned()),
        }
    }

    fn plain(&mut self, object: &Object, told: bool) -> TaskKind {
        let perform = Self::body(object.get("perform")).unwrap_or_else(|why| {
            if told {
                self.of_task("task_perform", "perform", &format!("a task requires perform, with one action, prompt or agent; {why}"));
            }
            nobody()
        });
        TaskKind::Plain { perform }
    }

    fn loop_kind(&mut self, object: &Object) -> TaskKind {
        let max_rounds = match object.get("maxRounds").and_then(whole).filter(|rounds| *rounds >= 1.0) {
            Some(rounds) => rounds as u64,
            None => {
                let found = given(object, "maxRounds").map_or_else(|| "nothing".to_owned(), shown);
                self.error("loop_max_rounds", "maxRounds", format!("maxRounds must be a positive safe integer; found {found}"));
                1
            }
        };
        if max_rounds > ROUNDS {
            let message = format!("{}: a run is simulated up to {ROUNDS} rounds of a loop; this one may have {max_rounds}", self.key);
            self.say("loop_many_rounds", Severity::Warning, "maxRounds", message);
        }
        let attempt = Self::body(object.get("attempt")).unwrap_or_else(|why| {
            self.of_task("loop_callbacks", "attempt", &format!("{NO_CALLBACKS}; attempt: {why}"));
            nobody()
        });
        let check = match object.get("check") {
            Some(Value::Object(check))
                if given(check, "done").is_some() && Callee::ALL.iter().all(|callee| given(check, callee.key()).is_none()) =>
            {
                self.expression_check(check)
            }
            other => Check::Body(Self::body(other).unwrap_or_else(|why| {
                self.of_task("loop_callbacks", "check", &format!("{NO_CALLBACKS}; check: {why}"));
                nobody()
            })),
        };
        TaskKind::Loop { max_rounds, attempt, check }
    }

    fn expression_check(&mut self, check: &Object) -> Check {
        let done = match check.get("done") {
            Some(Value::Text(done)) => done.clone(),
            Some(Value::Bool(true)) => "true".into(),
            Some(Value::Bool(false)) => "false".into(),
            _ => {
                self.of_task("loop_callbacks", "check.done", &format!("{NO_CALLBACKS}; check.done must be an expression"));
                Text::default()
            }
        };
        let feedback = match given(check, "feedback") {
            Some(Value::Text(feedback)) => Some(feedback.clone()),
            None => {
                let message = format!("{}: without a feedback a rejection is no verdict, and fails the task", self.key);
                self.say("loop_feedback_missing", Severity::Warning, "check.feedback", message);
                None
            }
            Some(_) => {
                self.of_task("loop_callbacks", "check.feedback", &format!("{NO_CALLBACKS}; check.feedback must be a text"));
                None
            }
        };
        Check::Expression { done, feedback }
    }

    fn approval(&mut self, object: &Object) -> TaskKind {
        let prompt = match given(object, "prompt") {
            Some(Value::Text(prompt)) if !prompt.trim().is_empty() => prompt.clone(),
            _ => {
                self.of_task("gate_prompt", "prompt", "an approval needs a prompt that is not blank");
                Text::default()
            }
        };
        let mut actors: Vec<Text> = Vec::new();
        let mut wrong = given(object, "actors").is_none();
        match given(object, "actors") {
            Some(Value::List(list)) => {
                wrong |= list.is_empty();
                for item in list.iter() {
                    match item {
                        Value::Text(name) if !name.trim().is_empty() && !actors.contains(name) => actors.push(name.clone()),
                        _ => wrong = true,
                    }
                }
            }
            _ => wrong = true,
        }
        if wrong {
            self.of_task("gate_actors", "actors", "an approval needs actors: a list of distinct names, none blank");
        }
        TaskKind::Approval { prompt, actors }
    }

    fn retry(&mut self, object: &Object) -> Retry {
        let mut retry = Retry::default();
        let fields = match given(object, "retry") {
            None => return retry,
            Some(Value::Object(fields)) => fields,
            Some(other) => {
                self.error("retry_attempts", "retry", format!("retry must be an object with attempts; found {}", other.what()));
                return retry;
            }
        };
        if given(fields, "attempts").is_none() {
            self.error("retry_attempts", "retry.attempts", "retry.attempts must be a positive integer; found nothing".to_owned());
        } else if let Some(attempts) = self.positive(fields, "retry", "attempts", "retry_attempts") {
            retry.attempts = attempts;
        }
        retry.delay_ms = self.count(fields, "retry", "delayMs", "retry_delay").unwrap_or(0);
        retry.max_delay_ms = self.count(fields, "retry", "maxDelayMs", "retry_delay");
        match given(fields, "backoff") {
            None => {}
            Some(value) if value.as_str() == Some("fixed") => {}
            Some(value) if value.as_str() == Some("exponential") => retry.exponential = true,
            Some(other) => {
                self.error("retry_backoff", "retry.backoff", format!("retry.backoff is fixed or exponential; found {}", shown(other)))
            }
        }
        match given(fields, "jitter") {
            None => {}
            Some(value) if value.as_str() == Some("none") => {}
            Some(value) if value.as_str() == Some("full") => retry.jitter = true,
            Some(other) => self.error("retry_jitter", "retry.jitter", format!("retry.jitter is none or full; found {}", shown(other))),
        }
        retry
    }

    fn cache(&mut self, object: &Object) -> Option<Cache> {
        let fields = match given(object, "cache")? {
            Value::Object(fields) => fields,
            other => {
                self.error("cache_key", "cache", format!("cache must be an object with a key and a version; found {}", other.what()));
                return None;
            }
        };
        let key = match fields.get("key") {
            Some(key) if !key.is_undefined() => key.clone(),
            _ => {
                self.error("cache_key", "cache.key", "cache needs a key".to_owned());
                Value::Null
            }
        };
        let version = match given(fields, "version") {
            Some(Value::Text(version)) if !version.trim().is_empty() => version.clone(),
            _ => {
                self.error("cache_version", "cache.version", "cache needs a version that is not blank".to_owned());
                Text::default()
            }
        };
        let max_age_ms = self.positive(fields, "cache", "maxAgeMs", "cache_max_age");
        let mut refresh = false;
        match given(fields, "mode") {
            None => {}
            Some(value) if value.as_str() == Some("reuse") => {}
            Some(value) if value.as_str() == Some("refresh") => refresh = true,
            Some(other) => self.error("cache_mode", "cache.mode", format!("cache.mode is reuse or refresh; found {}", shown(other))),
        }
        Some(Cache { key, version, max_age_ms, refresh })
    }
}

/// A body that could not be read; a graph that has one is not started.
fn nobody() -> Body {
    Body { callee: Callee::Action, name: Text::default(), params: None }
}
