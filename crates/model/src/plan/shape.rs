//! The shape of a plan: types, keys, and the objects `when` and `execution`.

use loopwright_lang::{
    Severity, Span, Text, Value,
    json::{Member, Node, NodeKind},
};

use super::{
    Backoff, CONDITION_INVALID, EXECUTION_INVALID, Execution, PlanProblem, REFERENCE_UNRESOLVED, RETRY_INVALID,
    duration::{no_duration, parts},
    number::{Kind, kind},
    reference::is_name,
};
use crate::validate::nearest;

/// A text field: not there, null, or a text with its place.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Field<'n> {
    #[default]
    Absent,
    Null(Span),
    Text(&'n Text, Span),
}

impl<'n> Field<'n> {
    pub(super) fn text(self) -> Option<&'n Text> {
        if let Self::Text(text, _) = self { Some(text) } else { None }
    }
    pub(super) fn is_there(self) -> bool {
        !matches!(self, Self::Absent)
    }
    pub(super) fn span(self) -> Option<Span> {
        match self {
            Self::Absent => None,
            Self::Null(span) | Self::Text(_, span) => Some(span),
        }
    }
}

/// What a task says about its attempts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Policy {
    #[default]
    Absent,
    Null(Span),
    Is(Execution, Span),
}

/// A condition whose shape is right.
#[derive(Clone, Debug)]
pub(super) struct RawWhen<'n> {
    pub(super) reference: &'n Text,
    pub(super) span: Span,
    pub(super) negated: bool,
    pub(super) value: Value,
}

/// A task as far as it could be read.
#[derive(Clone, Debug)]
pub(super) struct Raw<'n> {
    /// Its place in the list.
    pub(super) place: usize,
    /// Whether it has no error of shape.
    pub(super) sound: bool,
    /// The whole task.
    pub(super) span: Span,
    /// Its id, if that is a text.
    pub(super) id: Option<(&'n Text, Span)>,
    pub(super) kind: (&'n str, Span),
    pub(super) tool: Field<'n>,
    pub(super) args: Option<&'n Node>,
    pub(super) agent: Field<'n>,
    pub(super) task: Field<'n>,
    pub(super) duration: Field<'n>,
    pub(super) until: Field<'n>,
    pub(super) depends_on: Vec<(&'n Text, Span)>,
    pub(super) when: Option<RawWhen<'n>>,
    pub(super) for_each: Option<(&'n Text, Span)>,
    pub(super) policy: Policy,
}

/// The keys of a task.
const TASK_KEYS: [&str; 12] =
    ["id", "type", "tool", "args", "agent", "task", "duration", "until", "depends_on", "when", "for_each", "execution"];

/// Reads one task; what is wrong with its shape goes to `coded` or `plain`.
pub(super) fn task<'n>(place: usize, node: &'n Node, coded: &mut Vec<PlanProblem>, plain: &mut Vec<PlanProblem>) -> Raw<'n> {
    let before = coded.len() + plain.len();
    let mut raw = Raw {
        place,
        sound: true,
        span: node.span,
        id: None,
        kind: ("tool", node.span),
        tool: Field::Absent,
        args: None,
        agent: Field::Absent,
        task: Field::Absent,
        duration: Field::Absent,
        until: Field::Absent,
        depends_on: Vec::new(),
        when: None,
        for_each: None,
        policy: Policy::Absent,
    };
    let NodeKind::Object(members) = &node.kind else {
        plain.push(shape(place, node.span, format!("Task {} is {}; expected an object with an `id`.", place + 1, what(node))));
        raw.sound = false;
        return raw;
    };
    let mut reader = Reader { place, node: None, coded, plain };
    match node.member("id") {
        None => reader.plain(node.span, "This task has no `id`; give it one of 1 to 64 letters, digits, `_` or `-`."),
        Some(member) => match text_of(&member.value) {
            None => reader.wrong_type("id", &member.value, "a text"),
            Some(id) => {
                raw.id = Some((id, member.value.span));
                reader.node = Some(id.clone());
                let length = id.chars().count();
                if length == 0 || length > 64 {
                    reader.plain(member.value.span, format!("An `id` has 1 to 64 characters; this one has {length}."));
                } else if !is_name(id) {
                    reader.plain(
                        member.value.span,
                        format!("The id {id} holds characters that an id may not have; it is made of letters A to Z, digits, `_` and `-`."),
                    );
                }
            }
        },
    }
    if let Some(member) = node.member("type") {
        match text_of(&member.value) {
            Some(kind) => raw.kind = (kind, member.value.span),
            None => reader.wrong_type("type", &member.value, "a text"),
        }
    }
    for (key, slot) in [
        ("tool", &mut raw.tool),
        ("agent", &mut raw.agent),
        ("task", &mut raw.task),
        ("duration", &mut raw.duration),
        ("until", &mut raw.until),
    ] {
        let Some(member) = node.member(key) else { continue };
        match &member.value.kind {
            NodeKind::Scalar(Value::Null) => *slot = Field::Null(member.value.span),
            NodeKind::Scalar(Value::Text(text)) => *slot = Field::Text(text, member.value.span),
            _ => reader.wrong_type(key, &member.value, "a text"),
        }
    }
    if let Some(member) = node.member("args") {
        match member.value.kind {
            NodeKind::Object(_) => raw.args = Some(&member.value),
            _ => reader.wrong_type("args", &member.value, "an object"),
        }
    }
    if let Some(member) = node.member("depends_on") {
        match &member.value.kind {
            NodeKind::List(items) => {
                for item in items {
                    match text_of(item) {
                        Some(id) => raw.depends_on.push((id, item.span)),
                        None => reader.wrong_type("depends_on", item, "a list of task ids; each"),
                    }
                }
            }
            _ => reader.wrong_type("depends_on", &member.value, "a list of task ids"),
        }
    }
    if let Some(member) = node.member("when").filter(|member| !is_null(&member.value)) {
        raw.when = reader.when(&member.value);
    }
    if let Some(member) = node.member("for_each").filter(|member| !is_null(&member.value)) {
        match text_of(&member.value) {
            Some(text) => raw.for_each = Some((text, member.value.span)),
            None => {
                let message =
                    format!("`for_each` is {}; expected a text with one reference like \"${{fetch.result.items}}\".", what(&member.value));
                reader.coded(REFERENCE_UNRESOLVED, "for_each", member.value.span, message);
            }
        }
    }
    if let Some(member) = node.member("execution") {
        raw.policy = if is_null(&member.value) {
            Policy::Null(member.value.span)
        } else {
            reader.execution(&member.value).map_or(Policy::Absent, |execution| Policy::Is(execution, member.value.span))
        };
    }
    for member in members.iter().filter(|member| !TASK_KEYS.contains(&member.key.as_str())) {
        let message = format!("A task has no key `{}`{}.", member.key, meant(&member.key, &TASK_KEYS));
        reader.plain(member.key_span, message);
    }
    raw.sound = coded.len() + plain.len() == before;
    raw
}

/// A problem of shape without a code of the source system.
pub(super) fn shape(place: usize, span: Span, message: impl Into<String>) -> PlanProblem {
    PlanProblem {
        code: "plan_shape",
        severity: Severity::Error,
        node: None,
        path: None,
        task: Some(place),
        span,
        message: message.into(),
        fix: None,
    }
}

struct Reader<'p> {
    place: usize,
    /// The task's id, valid or not.
    node: Option<Text>,
    coded: &'p mut Vec<PlanProblem>,
    plain: &'p mut Vec<PlanProblem>,
}

impl Reader<'_> {
    fn plain(&mut self, span: Span, message: impl Into<String>) {
        self.plain.push(shape(self.place, span, message));
    }

    fn wrong_type(&mut self, key: &str, value: &Node, expected: &str) {
        self.plain(value.span, format!("`{key}` is {}; expected {expected}.", what(value)));
    }

    fn coded(&mut self, code: &'static str, path: impl Into<String>, span: Span, message: impl Into<String>) {
        self.coded.push(PlanProblem { code, node: self.node.clone(), path: Some(path.into()), ..shape(self.place, span, message) });
    }

    /// Says of each key that is none of `known`, in the order in which they are written.
    fn unknown_keys(&mut self, code: &'static str, at: &str, members: &[Member], known: &[&str]) {
        let mut told: Vec<&str> = Vec::new();
        for member in members.iter().filter(|member| !known.contains(&member.key.as_str())) {
            if !told.contains(&member.key.as_str()) {
                told.push(&member.key);
                let message = format!("`{at}` has no key `{}`{}.", member.key, meant(&member.key, known));
                self.coded(code, format!("{at}.{}", member.key), member.key_span, message);
            }
        }
    }

    fn when<'n>(&mut self, node: &'n Node) -> Option<RawWhen<'n>> {
        const CODE: &str = CONDITION_INVALID;
        let NodeKind::Object(members) = &node.kind else {
            self.coded(
                CODE,
                "when",
                node.span,
                format!("`when` is {}; expected an object with `ref`, `operator` and `value`.", what(node)),
            );
            return None;
        };
        let before = self.coded.len();
        let reference = match node.member("ref") {
            None => {
                self.coded(CODE, "when.ref", node.span, "`when` has no `ref`; give it one reference like \"${fetch.result.status}\".");
                None
            }
            Some(member) => {
                let text = text_of(&member.value).map(|text| (text, member.value.span));
                if text.is_none() {
                    self.coded(CODE, "when.ref", member.value.span, format!("`ref` is {}; expected a text.", what(&member.value)));
                }
                text
            }
        };
        let operator = match node.member("operator") {
            None => {
                self.coded(CODE, "when.operator", node.span, "`when` has no `operator`; expected \"equals\" or \"not_equals\".");
                None
            }
            Some(member) => match text_of(&member.value).map(Text::as_str) {
                Some("equals") => Some(false),
                Some("not_equals") => Some(true),
                _ => {
                    let message = format!("`operator` is {}; expected \"equals\" or \"not_equals\".", shown(&member.value));
                    self.coded(CODE, "when.operator", member.value.span, message);
                    None
                }
            },
        };
        let value = match node.member("value") {
            None => {
                self.coded(CODE, "when.value", node.span, "`when` has no `value`; null is a value, but it must be written.");
                None
            }
            Some(member) => {
                let value = match &member.value.kind {
                    NodeKind::Scalar(value) => {
                        Some(value).filter(|value| !matches!(kind(value), Some(Kind::Float(float)) if !float.is_finite()))
                    }
                    _ => None,
                };
                if value.is_none() {
                    let message = format!("`value` is {}; expected null, a boolean, a finite number or a text.", shown(&member.value));
                    self.coded(CODE, "when.value", member.value.span, message);
                }
                value
            }
        };
        self.unknown_keys(CODE, "when", members, &["ref", "operator", "value"]);
        if self.coded.len() > before {
            return None;
        }
        let (reference, span) = reference?;
        Some(RawWhen { reference, span, negated: operator?, value: value?.clone() })
    }

    fn execution(&mut self, node: &Node) -> Option<Execution> {
        let NodeKind::Object(members) = &node.kind else {
            let message = format!("`execution` is {}; expected an object with `timeout`, `retry` or `continue_on_error`.", what(node));
            self.coded(EXECUTION_INVALID, "execution", node.span, message);
            return None;
        };
        let before = self.coded.len();
        let mut execution = Execution { timeout: None, attempts: 1, backoff: None, continues: false };
        let there = |key: &str| node.member(key).map(|member| &member.value).filter(|value| !is_null(value));
        let retry = there("retry");
        if let Some(retry) = retry {
            self.retry(retry, &mut execution);
        }
        let timeout = there("timeout");
        if let Some(timeout) = timeout {
            match policy_duration("timeout", timeout, 1_000, 600_000, "PT1S to PT10M") {
                Ok(millis) => execution.timeout = Some(millis * 1_000),
                Err(message) => self.coded(EXECUTION_INVALID, "execution.timeout", timeout.span, message),
            }
        }
        let continues = node.member("continue_on_error").map(|member| &member.value);
        if let Some(value) = continues {
            match value.kind {
                NodeKind::Scalar(Value::Bool(continues)) => execution.continues = continues,
                _ => {
                    let message = format!("`continue_on_error` is {}; expected true or false.", shown(value));
                    self.coded(EXECUTION_INVALID, "execution.continue_on_error", value.span, message);
                }
            }
        }
        self.unknown_keys(EXECUTION_INVALID, "execution", members, &["timeout", "retry", "continue_on_error"]);
        if self.coded.len() > before {
            return None;
        }
        if retry.is_none() && timeout.is_none() && continues.is_none() {
            let message = "`execution` says nothing; give it `timeout`, `retry` or `continue_on_error`, or leave it out.";
            self.coded(EXECUTION_INVALID, "execution", node.span, message);
            return None;
        }
        Some(execution)
    }

    fn retry(&mut self, node: &Node, execution: &mut Execution) {
        const CODE: &str = RETRY_INVALID;
        let NodeKind::Object(members) = &node.kind else {
            self.coded(CODE, "execution.retry", node.span, format!("`retry` is {}; expected an object.", what(node)));
            return;
        };
        let before = self.coded.len();
        if let Some(member) = node.member("max_attempts") {
            let attempts = match &member.value.kind {
                NodeKind::Scalar(value) => match kind(value) {
                    Some(Kind::Integer(digits)) => digits.parse::<u32>().ok().filter(|attempts| (1..=5).contains(attempts)),
                    _ => None,
                },
                _ => None,
            };
            match attempts {
                Some(attempts) => execution.attempts = attempts,
                None => {
                    let message = format!("`max_attempts` is {}; expected a whole number from 1 to 5.", shown(&member.value));
                    self.coded(CODE, "execution.retry.max_attempts", member.value.span, message);
                }
            }
        }
        let backoff = node.member("backoff").map(|member| &member.value).filter(|value| !is_null(value));
        if let Some(backoff) = backoff {
            execution.backoff = self.backoff(backoff);
        }
        self.unknown_keys(CODE, "execution.retry", members, &["max_attempts", "backoff"]);
        if self.coded.len() > before {
            return;
        }
        match (execution.attempts, backoff) {
            (1, Some(backoff)) => {
                let message = "There is one attempt, so there is no pause to set: raise `max_attempts` or take `backoff` out.";
                self.coded(CODE, "execution.retry", backoff.span, message);
            }
            (2.., None) => {
                let message = format!(
                    "{} attempts need a `backoff` with `initial`, `multiplier` and `max`, which says how long to pause between them.",
                    execution.attempts
                );
                self.coded(CODE, "execution.retry", node.span, message);
            }
            _ => {}
        }
    }

    fn backoff(&mut self, node: &Node) -> Option<Backoff> {
        const CODE: &str = RETRY_INVALID;
        const AT: &str = "execution.retry.backoff";
        let NodeKind::Object(members) = &node.kind else {
            self.coded(CODE, AT, node.span, format!("`backoff` is {}; expected an object.", what(node)));
            return None;
        };
        let before = self.coded.len();
        let mut multiplier = f64::NAN;
        for key in ["initial", "multiplier", "max"] {
            let Some(member) = node.member(key) else {
                self.coded(
                    CODE,
                    format!("{AT}.{key}"),
                    node.span,
                    format!("`backoff` has no `{key}`; it needs `initial`, `multiplier` and `max`."),
                );
                continue;
            };
            let fits = match (&member.value.kind, key) {
                (NodeKind::Scalar(value @ (Value::Number(_) | Value::Spelled(_))), "multiplier") => {
                    multiplier = value.as_number().unwrap_or(f64::NAN);
                    true
                }
                (NodeKind::Scalar(Value::Text(_)), "initial" | "max") => true,
                _ => false,
            };
            if !fits {
                let expected = if key == "multiplier" { "a number from 1 to 10" } else { "a duration like \"PT1S\"" };
                self.coded(
                    CODE,
                    format!("{AT}.{key}"),
                    member.value.span,
                    format!("`{key}` is {}; expected {expected}.", shown(&member.value)),
                );
            }
        }
        self.unknown_keys(CODE, AT, members, &["initial", "multiplier", "max"]);
        if self.coded.len() > before {
            return None;
        }
        let (initial, max) = (&node.member("initial")?.value, &node.member("max")?.value);
        let initial_ms = policy_duration("initial", initial, 1, 300_000, "PT0.001S to PT5M");
        let max_ms = policy_duration("max", max, 0, 900_000, "PT0S to PT15M");
        for (read, node) in [(&initial_ms, initial), (&max_ms, max)] {
            if let Err(message) = read {
                self.coded(CODE, AT, node.span, message.as_str());
            }
        }
        if !(1.0..=10.0).contains(&multiplier) {
            let span = node.member("multiplier").map_or(node.span, |member| member.value.span);
            self.coded(CODE, AT, span, "`multiplier` is out of range; expected a number from 1 to 10.");
        }
        if let (Ok(initial), Ok(longest)) = (&initial_ms, &max_ms)
            && longest < initial
        {
            self.coded(CODE, AT, max.span, "`max` is shorter than `initial`; the longest pause cannot be below the first.");
        }
        (self.coded.len() == before).then_some(Backoff { initial_ms: initial_ms.ok()?, multiplier, max_ms: max_ms.ok()? })
    }
}

/// A duration of `execution` in milliseconds.
fn policy_duration(field: &str, node: &Node, least: u64, most: u64, range: &str) -> Result<u64, String> {
    let Some(text) = text_of(node) else {
        return Err(format!("`{field}` is {}; expected a duration like \"PT30S\".", shown(node)));
    };
    if text.chars().count() > 64 {
        return Err(format!("`{field}` has more than 64 characters; expected a duration like \"PT30S\"."));
    }
    let parts = parts(text).map_err(|why| no_duration(field, text, why))?;
    let millis = parts.millis().ok_or_else(|| format!("`{field}` is {text}; expected whole milliseconds."))?;
    if !(least..=most).contains(&millis) {
        return Err(format!("`{field}` is {text}; expected {range}."));
    }
    Ok(millis)
}

fn text_of(node: &Node) -> Option<&Text> {
    if let NodeKind::Scalar(Value::Text(text)) = &node.kind { Some(text) } else { None }
}

fn is_null(node: &Node) -> bool {
    matches!(node.kind, NodeKind::Scalar(Value::Null))
}

/// `a list`, `null`, …
pub(super) fn what(node: &Node) -> &'static str {
    match &node.kind {
        NodeKind::Scalar(value) => value.what(),
        NodeKind::List(_) => "a list",
        NodeKind::Object(_) => "an object",
    }
}

/// A scalar as it is written, cut; of the others what they are.
fn shown(node: &Node) -> String {
    match &node.kind {
        NodeKind::Scalar(value) => {
            let text = loopwright_lang::json::print_compact(value);
            if text.chars().count() <= 40 { text } else { format!("{}…", text.chars().take(40).collect::<String>()) }
        }
        _ => what(node).to_owned(),
    }
}

/// ` (did you mean …?)`, or nothing.
fn meant(found: &str, known: &[&str]) -> String {
    nearest(found, known.iter().copied()).map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"))
}
