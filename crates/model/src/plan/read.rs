//! Reading and checking a plan, in the order of the source system's validator.

use loopwright_lang::{
    Severity, Span, Text, Value,
    json::{Node, NodeKind},
    number::is_json_number,
};

use super::{
    ID_RESERVED, MAX_NODES, NODE_LIMIT, Plan, PlanProblem, RETRY_INVALID, SCHEDULE_EXCEEDED, Task, Wait, When, Work,
    duration::{EPOCH_2024, parse_duration, parse_until},
    rules,
    schedule::exceeds,
    shape::{self, Policy, Raw, what},
};

/// What a plan may use, and when it starts.
#[derive(Clone, Debug)]
pub struct Known {
    /// The names of the tools; `None` where no list is known: then any name will do.
    pub tools: Option<Vec<Text>>,
    /// The names of the sub-agents, likewise.
    pub agents: Option<Vec<Text>>,
    /// When the plan is submitted, in microseconds since 1970: an `until` may be at most 24 hours later.
    pub now: i64,
}

impl Default for Known {
    fn default() -> Self {
        Self { tools: None, agents: None, now: EPOCH_2024 }
    }
}

/// What checking a plan gave.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The plan, if it has no error.
    pub plan: Option<Plan>,
    /// Everything that is wrong; the source system would report the first.
    pub problems: Vec<PlanProblem>,
}

/// Reads a plan and applies every rule. Never fails, never panics.
pub fn check(root: &Node, known: &Known) -> Checked {
    let mut problems = Vec::new();
    let raw = shapes(root, &mut problems);
    if raw.len() > MAX_NODES {
        let span = root.member("tasks").map_or(root.span, |member| member.key_span);
        let message = format!("The plan has {} tasks; the limit is {MAX_NODES}. Break it into smaller plans.", raw.len());
        let path = Some("tasks".to_owned());
        problems.push(PlanProblem { code: NODE_LIMIT, path, task: None, ..shape::shape(0, span, message) });
    }
    let waits = fields(&raw, known, &mut problems);
    let edges = rules::dependencies(&raw, &mut problems);
    rules::cycle(&raw, &edges, &mut problems);
    rules::references(&raw, &edges, &mut problems);
    for task in raw.iter().filter(|task| task.sound) {
        if let Policy::Is(execution, span) = task.policy
            && exceeds(&execution)
        {
            let message = "All attempts with their timeouts, and the pauses between them, may take at most an hour (PT1H) together.";
            problems.push(of(task, SCHEDULE_EXCEEDED, Some("execution".into()), span, message));
        }
    }
    let plan = problems.is_empty().then(|| build(&raw, &edges, &waits)).flatten();
    Checked { plan, problems }
}

/// The tasks, and all errors of shape: those with a code lead.
fn shapes<'n>(root: &'n Node, problems: &mut Vec<PlanProblem>) -> Vec<Raw<'n>> {
    let (mut coded, mut plain) = (Vec::new(), Vec::new());
    let whole = |span: Span, message: String| PlanProblem { task: None, ..shape::shape(0, span, message) };
    let mut raw = Vec::new();
    if let NodeKind::Object(_) = root.kind {
        match root.member("tasks") {
            None => plain.push(whole(root.span, "The plan has no `tasks`.".into())),
            Some(member) => match &member.value.kind {
                NodeKind::List(tasks) if tasks.is_empty() => {
                    plain.push(whole(member.value.span, "`tasks` is empty; a plan has at least one task.".into()))
                }
                NodeKind::List(tasks) => {
                    raw = tasks.iter().enumerate().map(|(place, node)| shape::task(place, node, &mut coded, &mut plain)).collect();
                }
                _ => plain.push(whole(member.value.span, format!("`tasks` is {}; expected a list of tasks.", what(&member.value)))),
            },
        }
        if let Some(member) = root.member("version").filter(|member| !is_version(&member.value)) {
            plain.push(whole(member.value.span, format!("`version` is {}; expected a whole number.", what(&member.value))));
        }
    } else {
        plain.push(whole(root.span, format!("The plan is {}; expected an object with `tasks`.", what(root))));
    }
    problems.append(&mut coded);
    problems.append(&mut plain);
    raw
}

/// Whether the source system, which reads it laxly, takes this for an integer.
fn is_version(node: &Node) -> bool {
    let NodeKind::Scalar(value) = &node.kind else { return false };
    match value {
        Value::Bool(_) => true,
        Value::Text(text) => {
            let text = text.trim();
            let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
            let (whole, zeros) = digits.split_once('.').unwrap_or((digits, ""));
            let plain = whole.replace('_', "");
            zeros.bytes().all(|byte| byte == b'0')
                && !plain.is_empty()
                && plain.bytes().all(|byte| byte.is_ascii_digit())
                && !whole.starts_with('_')
                && !whole.ends_with('_')
                && !whole.contains("__")
        }
        Value::Number(_) | Value::Spelled(_) => {
            let spelled = loopwright_lang::json::print_compact(value);
            let whole = is_json_number(&spelled) && !spelled.contains(['.', 'e', 'E']);
            whole || value.as_number().is_some_and(|number| number.is_finite() && number == libm::trunc(number) && number.abs() < 9.2e18)
        }
        _ => false,
    }
}

/// A problem of a task.
pub(super) fn of(task: &Raw<'_>, code: &'static str, path: Option<String>, span: Span, message: impl Into<String>) -> PlanProblem {
    let node = task.id.map(|(id, _)| id.clone());
    PlanProblem { code, node, path, severity: Severity::Error, ..shape::shape(task.place, span, message) }
}

/// Reserved and doubled ids, types, and which fields a type has. Gives what each wait task waits for.
fn fields(raw: &[Raw<'_>], known: &Known, problems: &mut Vec<PlanProblem>) -> Vec<Option<Wait>> {
    let mut waits = vec![None; raw.len()];
    let mut seen: Vec<&str> = Vec::new();
    for (task, wait) in raw.iter().zip(&mut waits) {
        let Some((id, id_span)) = task.id else { continue };
        let doubled = seen.contains(&id.as_str());
        seen.push(id);
        if !task.sound {
            continue;
        }
        let mut say = |code: &'static str, path: Option<&str>, span: Span, message: String| {
            problems.push(of(task, code, path.map(str::to_owned), span, message));
        };
        if matches!(id.as_str(), "item" | "index") {
            say(ID_RESERVED, Some("id"), id_span, format!("The id {id} is kept for what for_each gives its tasks; choose another."));
        }
        if doubled {
            say("plan_duplicate_id", None, id_span, format!("Another task before this one has the id {id}; ids are unique."));
        }
        let (kind, kind_span) = task.kind;
        if !matches!(kind, "tool" | "sub_agent" | "wait") {
            let near = crate::validate::nearest(kind, ["tool", "sub_agent", "wait"]);
            let meant = near.map_or_else(String::new, |near| format!(" Did you mean {near}?"));
            say("plan_type", None, kind_span, format!("There is no task of type {kind}; expected sub_agent, tool or wait.{meant}"));
            continue;
        }
        if let (Policy::Null(span), true) = (task.policy, kind != "wait") {
            say(RETRY_INVALID, Some("execution"), span, "`execution` is null; leave it out, or give it a policy.".into());
        }
        match kind {
            "tool" => tool(task, known, &mut say),
            "sub_agent" => sub_agent(task, known, &mut say),
            _ => *wait = waiting(task, known, &mut say),
        }
    }
    waits
}

type Say<'s> = dyn FnMut(&'static str, Option<&str>, Span, String) + 's;

const FIELD: &str = "plan_field";

fn tool(task: &Raw<'_>, known: &Known, say: &mut Say<'_>) {
    match task.tool.text().filter(|name| !name.is_empty()) {
        None => say(FIELD, None, task.tool.span().unwrap_or(task.span), "This task calls no tool; name one in `tool`.".into()),
        Some(name) => target("tool", name, task.tool.span().unwrap_or(task.span), known.tools.as_deref(), say),
    }
    if task.duration.text().is_some() || task.until.text().is_some() {
        let span = task.duration.span().or(task.until.span()).unwrap_or(task.span);
        say(FIELD, None, span, "`duration` and `until` are for tasks of type wait.".into());
    }
    if task.agent.is_there() || task.task.is_there() {
        let span = task.agent.span().or(task.task.span()).unwrap_or(task.span);
        say(FIELD, None, span, "`agent` and `task` are for tasks of type sub_agent.".into());
    }
}

fn sub_agent(task: &Raw<'_>, known: &Known, say: &mut Say<'_>) {
    let agent = task.agent.text().filter(|name| !name.trim().is_empty());
    let span = task.agent.span().unwrap_or(task.span);
    match agent {
        None => say(FIELD, None, span, "This task asks no sub-agent; name one in `agent`.".into()),
        Some(name) if name.contains("${") => target("agent", name, span, None, say),
        Some(_) => {}
    }
    if task.task.text().is_none_or(|text| text.trim().is_empty()) {
        say(
            FIELD,
            None,
            task.task.span().unwrap_or(task.span),
            "This sub-agent is asked nothing; write what it shall do in `task`.".into(),
        );
    }
    let args = task.args.map(|node| node.span);
    for (key, span) in [("tool", task.tool.span()), ("args", args), ("duration", task.duration.span()), ("until", task.until.span())] {
        if let Some(span) = span {
            say(FIELD, None, span, format!("A task of type sub_agent has no `{key}`; what it shall do is told in `task`."));
        }
    }
    if let Some(name) = agent.filter(|name| !name.contains("${")) {
        target("agent", name, span, known.agents.as_deref(), say);
    }
}

/// A tool or agent is named, not computed, and on the list.
fn target(key: &'static str, name: &Text, span: Span, list: Option<&[Text]>, say: &mut Say<'_>) {
    if name.contains("${") {
        let message = format!("`{key}` holds a reference; which {key} is called cannot be computed. Name it.");
        say(super::REFERENCE_UNRESOLVED, Some(key), span, message);
    } else if let Some(list) = list.filter(|list| !list.contains(name)) {
        let near = crate::validate::nearest(name, list.iter().map(Text::as_str));
        let meant = near.map_or_else(String::new, |near| format!(" Did you mean {near}?"));
        let code = if key == "tool" { "plan_tool" } else { "plan_agent" };
        say(code, None, span, format!("There is no {key} {name} in the catalogue.{meant}"));
    }
}

fn waiting(task: &Raw<'_>, known: &Known, say: &mut Say<'_>) -> Option<Wait> {
    const WAIT: &str = "plan_wait";
    match task.policy {
        Policy::Absent => {}
        Policy::Null(span) | Policy::Is(_, span) => {
            say(FIELD, None, span, "A wait has no `execution`: there is nothing to attempt.".into())
        }
    }
    if let Some(span) = task.tool.text().and(task.tool.span()) {
        say(FIELD, None, span, "A wait calls no `tool`.".into());
    }
    if let Some(args) = task.args.filter(|args| !matches!(&args.kind, NodeKind::Object(members) if members.is_empty())) {
        say(FIELD, None, args.span, "A wait has no `args`.".into());
    }
    if let Some((_, span)) = task.for_each {
        let message = "A wait cannot have a `for_each`: it waits once.".to_owned();
        say(super::REFERENCE_UNRESOLVED, Some("for_each"), span, message);
    }
    if task.agent.is_there() || task.task.is_there() {
        let span = task.agent.span().or(task.task.span()).unwrap_or(task.span);
        say(FIELD, None, span, "`agent` and `task` are for tasks of type sub_agent.".into());
    }
    match (task.duration.text(), task.until.text()) {
        (Some(duration), None) => match parse_duration(duration) {
            Ok(micros) => return Some(Wait::For(micros)),
            Err(message) => say(WAIT, None, task.duration.span().unwrap_or(task.span), message),
        },
        (None, Some(until)) => {
            let span = task.until.span().unwrap_or(task.span);
            match parse_until(until) {
                Ok(moment) if moment.saturating_sub(known.now) > super::MAX_WAIT as i64 => {
                    let now = super::format_moment(known.now);
                    say(WAIT, None, span, format!("`until` is {until}, more than 24 hours after the plan starts ({now})."));
                }
                Ok(moment) => return Some(Wait::Until(moment)),
                Err(message) => say(WAIT, None, span, message),
            }
        }
        (Some(_), Some(_)) => {
            let span = task.until.span().unwrap_or(task.span);
            say(WAIT, None, span, "A wait has either a `duration` or an `until`, not both.".into());
        }
        (None, None) => {
            let message = "This wait does not say for how long; give it a `duration` like \"PT30S\" or an `until`.".to_owned();
            say(WAIT, None, task.span, message);
        }
    }
    None
}

/// The plan, of tasks that have no problem.
fn build(raw: &[Raw<'_>], edges: &[Vec<usize>], waits: &[Option<Wait>]) -> Option<Plan> {
    let mut tasks = Vec::with_capacity(raw.len());
    for ((task, depends_on), wait) in raw.iter().zip(edges).zip(waits) {
        let work = match task.kind.0 {
            "tool" => {
                let args = task.args.map_or_else(|| Value::object::<&str>([]), Node::to_value);
                Work::Tool { name: task.tool.text()?.clone(), args }
            }
            "sub_agent" => Work::Agent { name: task.agent.text()?.clone(), task: task.task.text()?.clone() },
            _ => Work::Wait((*wait)?),
        };
        let when = task.when.as_ref();
        tasks.push(Task {
            id: task.id?.0.clone(),
            work,
            depends_on: depends_on.clone(),
            when: when.map(|when| When { reference: when.reference.clone(), negated: when.negated, value: when.value.clone() }),
            for_each: task.for_each.map(|(text, _)| text.clone()),
            execution: if let Policy::Is(execution, _) = task.policy { Some(execution) } else { None },
        });
    }
    Some(Plan { tasks })
}
