//! A task graph as TypeScript source for its system: definitions, and one function a body, marked as the place to fill in.

use std::collections::BTreeSet;

use loopwright_lang::{Value, json};

use super::{Body, Callee, Check, Retry, StartOptions, TOKENS, Task, TaskGraph, TaskKind};

/// Writes a graph that has no problems which refuse it.
pub fn typescript(graph: &TaskGraph, options: &StartOptions) -> String {
    let mut writer = Writer { graph, names: names(graph), functions: String::new(), used: BTreeSet::new() };
    let definitions = writer.definitions();
    let mut used: Vec<&str> = writer.used.iter().copied().collect();
    used.extend(["defineWorkflow", "type StartOptions", "type Task"]);
    let mut out =
        String::from("// Written by Loopwright. Each function below that is marked FILL IN stands for one body of the task graph.\n");
    out.push_str(&format!("import {{ {} }} from \"outpost\";\n\n", used.join(", ")));
    out.push_str(&writer.functions);
    out.push_str(&definitions);
    let list: Vec<&str> = writer.names.iter().map(String::as_str).collect();
    out.push_str(&format!("export const workflow = defineWorkflow({}, [{}]);\n\n", json::quote(&graph.name), list.join(", ")));
    out.push_str(&start_options(options));
    out
}

/// A name of each task as a constant: its key in camel case, none twice, none a word of the language.
fn names(graph: &TaskGraph) -> Vec<String> {
    let mut taken = BTreeSet::new();
    graph
        .tasks
        .iter()
        .map(|task| {
            let base = format!("{}Task", camel(&task.key));
            let mut name = base.clone();
            let mut number = 2;
            while !taken.insert(name.clone()) {
                name = format!("{base}{number}");
                number += 1;
            }
            name
        })
        .collect()
}

fn camel(key: &str) -> String {
    let mut out = String::new();
    for (place, part) in key.split(|char: char| !char.is_ascii_alphanumeric()).filter(|part| !part.is_empty()).enumerate() {
        let mut chars = part.chars();
        match chars.next() {
            Some(first) if place > 0 => out.push(first.to_ascii_uppercase()),
            Some(first) => out.push(first.to_ascii_lowercase()),
            None => {}
        }
        out.push_str(chars.as_str());
    }
    if out.starts_with(|char: char| char.is_ascii_digit()) { format!("t{out}") } else { out }
}

struct Writer<'g> {
    graph: &'g TaskGraph,
    names: Vec<String>,
    functions: String,
    used: BTreeSet<&'static str>,
}

impl Writer<'_> {
    /// The definitions, each after those it is after.
    fn definitions(&mut self) -> String {
        let mut out = String::new();
        let mut written = vec![false; self.graph.tasks.len()];
        loop {
            let next = (0..written.len()).find(|place| {
                let open = written.get(*place) == Some(&false);
                let after = self.graph.tasks.get(*place).map(|task| task.after.as_slice()).unwrap_or_default();
                open && after.iter().all(|other| written.get(*other) == Some(&true))
            });
            let Some(place) = next else { return out };
            if let Some(mark) = written.get_mut(place) {
                *mark = true;
            }
            if let Some(task) = self.graph.tasks.get(place) {
                out.push_str(&self.definition(place, task));
            }
        }
    }

    fn definition(&mut self, place: usize, task: &Task) -> String {
        let name = self.names.get(place).cloned().unwrap_or_default();
        let stem = name.strip_suffix("Task").map_or_else(|| name.clone(), str::to_owned);
        let stem = format!("{}{}", stem.get(..1).unwrap_or_default().to_ascii_uppercase(), stem.get(1..).unwrap_or_default());
        let mut fields = vec![("key", json::quote(&task.key))];
        if !task.after.is_empty() {
            let after: Vec<&str> = task.after.iter().filter_map(|other| self.names.get(*other)).map(String::as_str).collect();
            fields.push(("after", format!("[{}]", after.join(", "))));
        }
        let define = match &task.kind {
            TaskKind::Plain { perform } => {
                let function = format!("perform{stem}");
                self.body(&function, task, perform, "context: TaskContext", "unknown");
                fields.push(("perform", function));
                "defineTask"
            }
            TaskKind::Loop { max_rounds, attempt, check } => {
                let (attempts, checks) = (format!("attempt{stem}"), format!("check{stem}"));
                self.used.insert("type LoopTaskContext");
                self.used.insert("type LoopCheckResult");
                self.body(&attempts, task, attempt, "context: LoopTaskContext, feedback: string | undefined", "unknown");
                match check {
                    Check::Body(body) => self.body(&checks, task, body, "context: LoopTaskContext, result: unknown", "LoopCheckResult"),
                    Check::Expression { done, feedback } => {
                        let mut told = vec![format!("done: {done}")];
                        told.extend(feedback.as_ref().map(|feedback| format!("feedback: {feedback}")));
                        let what = "the check by expression";
                        self.function(&checks, task, what, &told, "context: LoopTaskContext, result: unknown", "LoopCheckResult");
                    }
                }
                fields.extend([("maxRounds", max_rounds.to_string()), ("attempt", attempts), ("check", checks)]);
                "defineLoopTask"
            }
            TaskKind::Approval { prompt, actors } => {
                fields.push(("prompt", json::quote(prompt)));
                let actors: Vec<String> = actors.iter().map(|actor| json::quote(actor)).collect();
                fields.push(("actors", format!("[{}]", actors.join(", "))));
                "defineApprovalTask"
            }
        };
        self.used.insert(define);
        if let Some(condition) = &task.condition {
            let function = format!("condition{stem}");
            self.function(&function, task, "the condition", &[condition.to_string()], "context: TaskContext", "boolean");
            fields.push(("condition", function));
        }
        if task.retry != Retry::default() {
            fields.push(("retry", retry(&task.retry)));
        }
        if let Some(ms) = task.timeout_ms {
            fields.push(("timeoutMs", ms.to_string()));
        }
        if let Some(cache) = &task.cache {
            let function = format!("cacheKey{stem}");
            self.function(&function, task, "the key of the cache", &[json::print_compact(&cache.key)], "context: TaskContext", "JsonValue");
            self.used.insert("type JsonValue");
            if self.used.insert("type TaskCacheStore") {
                let store = "/** FILL IN: where cached values are kept. */\nconst cacheStore: TaskCacheStore = {\n  read: () => \
                    Promise.reject(new Error(\"Fill in: read from the cache\")),\n  write: () => Promise.reject(new Error(\"Fill in: write to \
                    the cache\")),\n};\n\n";
                self.functions.push_str(store);
            }
            let mut parts =
                vec!["store: cacheStore".to_owned(), format!("version: {}", json::quote(&cache.version)), format!("key: {function}")];
            parts.extend(cache.max_age_ms.map(|ms| format!("maxAgeMs: {ms}")));
            parts.push(format!("mode: \"{}\"", if cache.refresh { "refresh" } else { "reuse" }));
            fields.push(("cache", format!("{{ {} }}", parts.join(", "))));
        }
        let fields: String = fields.into_iter().map(|(name, value)| format!("  {name}: {value},\n")).collect();
        format!("export const {name}: Task<unknown> = {define}({{\n{fields}}});\n\n")
    }

    fn body(&mut self, function: &str, task: &Task, body: &Body, parameters: &str, gives: &str) {
        let kind = match body.callee {
            Callee::Action => "action",
            Callee::Prompt => "prompt",
            Callee::Agent => "sub-agent",
        };
        let params = body.params.as_ref().and_then(Value::as_object);
        let told: Vec<String> = params
            .into_iter()
            .flat_map(|params| params.iter())
            .map(|(name, value)| format!("{name}: {}", json::print_compact(value)))
            .collect();
        self.function(function, task, &format!("the {kind} {}", body.name), &told, parameters, gives);
    }

    /// One function to fill in.
    fn function(&mut self, function: &str, task: &Task, what: &str, told: &[String], parameters: &str, gives: &str) {
        if parameters.contains("context: TaskContext") {
            self.used.insert("type TaskContext");
        }
        let mut lines = format!("/**\n * FILL IN: {} of the task {}.\n", comment(what), comment(&task.key));
        for line in told {
            lines.push_str(&format!(" *   {}\n", comment(line)));
        }
        let values: Vec<String> = task
            .after
            .iter()
            .filter_map(|other| Some((self.graph.tasks.get(*other)?, self.names.get(*other)?)))
            .map(|(other, name)| format!("{}: context.value({name})", json::quote(&other.key)))
            .collect();
        let value = if values.is_empty() { String::new() } else { format!("  const value = {{ {} }};\n", values.join(", ")) };
        let unused: Vec<&str> = parameters.split(", ").filter_map(|parameter| parameter.split(':').next()).collect();
        let also = if values.is_empty() { "" } else { ", value" };
        self.functions.push_str(&format!(
            "{lines} */\nasync function {function}({parameters}): Promise<{gives}> {{\n{value}  void [{}{also}];\n  throw new \
             Error({});\n}}\n\n",
            unused.join(", "),
            json::quote(&format!("Fill in: {what}"))
        ));
    }
}

/// A text inside a comment, on one line.
fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace(['\n', '\r', '\u{2028}', '\u{2029}'], " ")
}

fn retry(retry: &Retry) -> String {
    let mut parts = vec![format!("attempts: {}", retry.attempts), format!("delayMs: {}", retry.delay_ms)];
    parts.push(format!("backoff: \"{}\"", if retry.exponential { "exponential" } else { "fixed" }));
    parts.extend(retry.max_delay_ms.map(|ms| format!("maxDelayMs: {ms}")));
    parts.push(format!("jitter: \"{}\"", if retry.jitter { "full" } else { "none" }));
    format!("{{ {} }}", parts.join(", "))
}

fn start_options(options: &StartOptions) -> String {
    let mut parts = vec![format!("  concurrency: {},\n", options.concurrency), format!("  stopOnError: {},\n", options.stop_on_error)];
    parts.extend(options.timeout_ms.map(|ms| format!("  timeoutMs: {ms},\n")));
    let usage: Vec<String> = TOKENS.iter().zip(options.usage).filter_map(|(name, most)| Some(format!("{name}: {}", most?))).collect();
    let mut budget: Vec<String> = options.attempts.map(|most| format!("attempts: {most}")).into_iter().collect();
    if !usage.is_empty() {
        budget.push(format!("usage: {{ {} }}", usage.join(", ")));
    }
    if !budget.is_empty() {
        parts.push(format!("  budget: {{ {} }},\n", budget.join(", ")));
    }
    format!(
        "/** How the graph is started. Approvals need a checkpoint as well. */\nexport const startOptions: StartOptions = {{\n{}}};\n",
        parts.concat()
    )
}
