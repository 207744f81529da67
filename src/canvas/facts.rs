//! What a card says: its title, the one fact that matters, a loop's exit rule. Read off the document.

use loopwright_executor::protocol::{Fact, StepStatus};
use loopwright_lang::{Value, json};
use loopwright_model::{
    GraphKind, Referent, StepKind, StepRef,
    config::{JsonColumn, json_column},
};

use crate::text;

/// The texts of a step's card.
#[derive(Clone, Debug, PartialEq)]
pub struct CardText {
    /// The step's name.
    pub title: String,
    /// What kind of step it is.
    pub kind: StepKind,
    /// The type as the file writes it, where we have no kind for it.
    pub type_name: String,
    /// The fact without a run.
    pub fact: String,
    /// What a run's count or value belongs to: the last key of the first output target.
    pub subject: String,
    /// Whether it can run.
    pub active: bool,
    /// Whether the flow starts here.
    pub start: bool,
    /// A loop's body.
    pub body: Option<BodyText>,
    /// A loop's exit rule.
    pub exit: String,
    /// The graph a sub-agent (or a loop's body) leads into, if it is in this document.
    pub leads_into: Option<loopwright_model::EntityId>,
}

/// The texts of the card in a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyText {
    /// What it calls.
    pub title: String,
    /// Action, sub-agent or prompt.
    pub kind: StepKind,
    /// Its fact.
    pub fact: String,
}

/// Reads a step.
pub fn read(step: StepRef<'_>) -> CardText {
    let kind = step.kind();
    let referent = step.referent();
    let called = referent.name().unwrap_or_default();
    let inputs = pairs(step.field("ActionInputMapping"));
    let outputs = pairs(step.field("ActionOutputMapping"));
    let configuration = json_column(step.field("Configuration"));
    let leads_into = match referent {
        Referent::Found(entity) if entity.kind == loopwright_model::EntityKind::Graph => Some(entity.id),
        _ => None,
    };
    let title = if step.name().trim().is_empty() { text::kind_name(kind) } else { step.name() };
    let body = kind.is_loop().then(|| body(step, called, &inputs));
    CardText {
        title: title.to_owned(),
        kind,
        type_name: step.step_type().to_owned(),
        fact: fact(kind, step, called, &inputs, &outputs, &configuration),
        subject: outputs.first().map(|(_, target)| last_key(target)).unwrap_or_default(),
        active: step.is_active(),
        start: step.is_start(),
        body,
        exit: exit_rule(kind, &configuration),
        leads_into,
    }
}

fn body(step: StepRef<'_>, called: &str, inputs: &[(String, String)]) -> BodyText {
    let kind = step.reference_column().map(|column| column.kind).or(step.body_kind()).unwrap_or(StepKind::Action);
    let title = match step.graph_kind() {
        _ if !called.is_empty() => called.to_owned(),
        // A loop task has two bodies; the card shows the first.
        GraphKind::Tasks => attempt_name(step).unwrap_or(text::NO_BODY).to_owned(),
        _ => text::NO_BODY.to_owned(),
    };
    let fact = inputs.first().map_or_else(|| text::body_of(kind).to_owned(), |(name, value)| format!("{name} {value}"));
    BodyText { title, kind, fact }
}

/// What a loop task's attempt calls.
fn attempt_name<'a>(step: StepRef<'a>) -> Option<&'a str> {
    let attempt = step.field("attempt")?;
    ["action", "prompt", "agent"].into_iter().find_map(|key| attempt.get(key).and_then(Value::as_str))
}

fn fact(
    kind: StepKind,
    step: StepRef<'_>,
    called: &str,
    inputs: &[(String, String)],
    outputs: &[(String, String)],
    configuration: &JsonColumn,
) -> String {
    let setting = |name: &str| {
        if let JsonColumn::Value(value) = configuration {
            value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        } else {
            String::new()
        }
    };
    if let Some(fact) = task_fact(step) {
        return fact;
    }
    match kind {
        StepKind::ForEach => {
            let item = some_or(setting("itemVariable"), "item");
            let list = setting("collectionPath");
            if list.is_empty() { text::NO_COLLECTION.to_owned() } else { format!("{item} in {list}") }
        }
        StepKind::While | StepKind::Refine => {
            let condition = setting("condition");
            if condition.is_empty() { text::NO_CONDITION.to_owned() } else { format!("while {condition}") }
        }
        StepKind::SubAgent if !called.is_empty() => format!("{} {called}", text::AGENT),
        StepKind::Prompt if inputs.is_empty() && !called.is_empty() => format!("{} {called}", text::PROMPT),
        StepKind::Unknown => {
            if step.step_type().is_empty() {
                text::NO_TYPE.to_owned()
            } else {
                text::kept_type(step.step_type())
            }
        }
        _ => match (inputs, outputs.first()) {
            ([], Some((_, target))) => format!("→ {target}"),
            ([], None) if called.is_empty() => text::nothing_called(kind).to_owned(),
            ([], None) => called.to_owned(),
            ([(name, value)], _) => format!("{name} {value}"),
            ([(name, value), ..], _) if value.chars().count() <= 20 && !value.contains(' ') => format!("{name} {value}"),
            (many, _) => many.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", "),
        },
    }
}

/// The fact of a task of a plan or of a task graph: what it goes over, how often it may try, how long it waits, who decides.
/// `None` leaves it to what the task calls.
fn task_fact(step: StepRef<'_>) -> Option<String> {
    let field = |name: &str| step.field(name).and_then(Value::as_str).filter(|value| !value.is_empty());
    match step.graph_kind() {
        GraphKind::Plan if step.step_type() == "wait" => field("duration").or(field("until")).map(text::waits),
        GraphKind::Plan => field("for_each").map(text::for_each),
        GraphKind::Tasks => match step.step_type() {
            "loop" => step.field("maxRounds").and_then(Value::as_number).map(text::rounds_at_most),
            "approval" => {
                let actors = step.field("actors").and_then(Value::as_list);
                let names: Vec<&str> = actors.into_iter().flat_map(|list| list.iter()).filter_map(Value::as_str).collect();
                Some(text::decided_by(&names.join(", ")))
            }
            _ => None,
        },
        GraphKind::Flow | GraphKind::Loop | GraphKind::Unknown => None,
    }
}

fn exit_rule(kind: StepKind, configuration: &JsonColumn) -> String {
    let JsonColumn::Value(value) = configuration else { return String::new() };
    let most = value.get("maxIterations").and_then(Value::as_number).filter(|most| *most > 0.0);
    let item = value.get("itemVariable").and_then(Value::as_str).filter(|name| !name.is_empty());
    let parallel = value.get("executionMode").and_then(Value::as_str) == Some("parallel");
    let together = parallel.then(|| value.get("maxConcurrency").and_then(Value::as_number).unwrap_or(10.0));
    match kind {
        StepKind::ForEach => text::exit_for_each(item.unwrap_or("item"), most, together),
        StepKind::While => text::exit_while(most),
        _ => String::new(),
    }
}

/// What the fact line says with a run: the run's fact where it has one, else the text's.
pub fn with_run(card: &CardText, status: Option<&StepStatus>) -> String {
    let subject = if card.subject.is_empty() { text::RESULT } else { &card.subject };
    match status.and_then(|status| status.fact.as_ref()) {
        Some(Fact::Error(message)) => message.clone(),
        Some(_) if card.kind.is_loop() => card.fact.clone(),
        Some(Fact::Count(count)) => format!("{subject} → {count}"),
        Some(Fact::Value(value)) if !card.subject.is_empty() => format!("{subject} → {value}"),
        _ => card.fact.clone(),
    }
}

/// The rows of a mapping as texts, in order; none where it is no object.
fn pairs(column: Option<&Value>) -> Vec<(String, String)> {
    let JsonColumn::Value(Value::Object(object)) = json_column(column) else { return Vec::new() };
    object
        .iter()
        .take(6)
        .map(|(name, value)| (name.to_string(), value.as_str().map_or_else(|| json::print_compact(value), str::to_owned)))
        .collect()
}

fn last_key(target: &str) -> String {
    let plain = target.split('[').next().unwrap_or(target);
    plain.rsplit('.').next().unwrap_or(plain).to_owned()
}

fn some_or(text: String, other: &str) -> String {
    if text.is_empty() { other.to_owned() } else { text }
}
