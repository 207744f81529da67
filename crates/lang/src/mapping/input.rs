//! Input mappings: an object of parameters whose texts are resolved, read once and resolved for each iteration.

use super::released;
use super::text::CompiledText;
use super::{Resolution, Resolved, Rule};
use crate::semantics::{LoopInput, MessageText, PlainInput};
use crate::{Object, Problem, Scope, Semantics, Span, Text, Value, json};

/// Resolves one text (rules 1 to 9, or the profile's own).
pub fn resolve_text(text: &str, scope: &Scope, semantics: &Semantics) -> Resolution {
    if by_rules(scope, semantics) {
        return CompiledText::new(Text::from(text)).resolve(scope, semantics);
    }
    let value = released::resolve(&Value::text(text), scope, !scope.loops.is_empty());
    let rule = if value.as_str() == Some(text) { Rule::PlainText } else { Rule::RootPath };
    Resolution { value, rule, problems: Vec::new() }
}

/// Whether the nine rules count at this place.
fn by_rules(scope: &Scope, semantics: &Semantics) -> bool {
    if scope.loops.is_empty() { semantics.plain_input == PlainInput::Rules } else { semantics.loop_input == LoopInput::Rules }
}

/// Resolves a mapping (an object, or JSON text of one; blank, null and undefined are none), by the loop-body resolver where there are
/// loops around. `Err` when it is no object: `ActionInputMapping is not …`.
pub fn resolve(mapping: &Value, scope: &Scope, semantics: &Semantics) -> Result<Resolved, Problem> {
    Ok(CompiledInput::compile(mapping, semantics)?.resolve(scope))
}

/// Resolves a mapping as that of a loop body, whatever the scope. In `documented` that is [`resolve`].
pub fn resolve_body(mapping: &Value, scope: &Scope, semantics: &Semantics) -> Result<Resolved, Problem> {
    match semantics.loop_input {
        LoopInput::Rules => resolve(mapping, scope, semantics),
        LoopInput::Names => {
            let mapping = object_of(mapping, semantics)?;
            Ok(Resolved { params: released::resolve(&Value::Object(mapping), scope, true), notes: Vec::new() })
        }
    }
}

/// Resolves a message: its `{{ }}` parts; always text (ruling 26). In `mj-5.51.3` it is passed on as it is.
pub fn message(text: &str, scope: &Scope, semantics: &Semantics) -> (String, Vec<Problem>) {
    if semantics.message_text == MessageText::Verbatim {
        return (text.to_owned(), Vec::new());
    }
    let mut problems = Vec::new();
    let text = CompiledText::new(Text::from(text)).message(scope, semantics, &mut problems);
    (text, problems)
}

/// The object of a mapping column.
fn object_of(mapping: &Value, semantics: &Semantics) -> Result<Object, Problem> {
    let refuse = |what: &str| {
        let message = format!("ActionInputMapping is not {what}");
        Err(Problem::error("mapping_not_an_object", Span::default(), message))
    };
    match mapping {
        Value::Undefined | Value::Null => Ok(Object::new()),
        Value::Object(object) => Ok(object.clone()),
        Value::Text(text) if crate::expr::js_trim(text).is_empty() => Ok(Object::new()),
        Value::Text(text) => match (json::parse(text).value(), semantics.plain_input) {
            (Some(Value::Object(object)), _) => Ok(object),
            // There every JSON value but null is walked by its keys.
            (Some(value), PlainInput::Prefixes) => Ok(released::keys_of(&value)),
            (None, PlainInput::Prefixes) => Ok(Object::new()),
            (Some(_), PlainInput::Rules) => refuse("a JSON object"),
            (None, PlainInput::Rules) => refuse("JSON"),
        },
        _ => refuse("a JSON object"),
    }
}

/// A mapping that was read once.
#[derive(Clone, Debug)]
pub struct CompiledInput {
    members: Vec<(Text, Node)>,
    /// As it was written, for the profile that resolves otherwise.
    written: Object,
    semantics: Semantics,
}

#[derive(Clone, Debug)]
enum Node {
    /// The same in every scope.
    Constant(Value),
    Text(Box<CompiledText>),
    List(Vec<Node>),
    Object(Vec<(Text, Node)>),
}

impl CompiledInput {
    /// Reads a mapping (an object, or JSON text of one; blank, null and undefined are none).
    pub fn compile(mapping: &Value, semantics: &Semantics) -> Result<Self, Problem> {
        let written = object_of(mapping, semantics)?;
        let members = written.iter().map(|(key, value)| (key.clone(), Node::new(value))).collect();
        Ok(Self { members, written, semantics: semantics.clone() })
    }

    /// Whether there are no parameters.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The parameters. Missing values (warnings) and expressions that cannot be evaluated (errors) are added to `problems`, with the
    /// parameter they belong to.
    pub fn params(&self, scope: &Scope, problems: &mut Vec<(Text, Problem)>) -> Value {
        if !by_rules(scope, &self.semantics) {
            return released::resolve(&Value::Object(self.written.clone()), scope, !scope.loops.is_empty());
        }
        let mut found = Vec::new();
        let resolve = |(key, node): &(Text, Node)| {
            let value = node.value(scope, &self.semantics, &mut found);
            if !found.is_empty() {
                problems.extend(found.drain(..).map(|problem| (key.clone(), problem)));
            }
            value
        };
        Value::Object(self.written.like(self.members.iter().map(resolve).collect()))
    }

    /// The parameters, and for each text which rule fired, what it gave and what there is to say about it.
    pub fn resolve(&self, scope: &Scope) -> Resolved {
        if !by_rules(scope, &self.semantics) {
            return Resolved { params: self.params(scope, &mut Vec::new()), notes: Vec::new() };
        }
        let mut notes = Vec::new();
        let mut place = Vec::new();
        let mut member = |(key, node): &(Text, Node)| {
            place.push(key.to_string());
            let value = node.noted(scope, &self.semantics, &mut place, &mut notes);
            place.pop();
            (key.clone(), value)
        };
        let params = Value::object(self.members.iter().map(&mut member));
        Resolved { params, notes }
    }
}

impl Node {
    fn new(value: &Value) -> Self {
        match value {
            Value::Text(text) => Self::Text(Box::new(CompiledText::new(text.clone()))),
            Value::List(list) => Self::List(list.iter().map(Self::new).collect()),
            Value::Object(object) => Self::Object(object.iter().map(|(key, value)| (key.clone(), Self::new(value))).collect()),
            other => Self::Constant(other.clone()),
        }
    }

    fn value(&self, scope: &Scope, semantics: &Semantics, problems: &mut Vec<Problem>) -> Value {
        match self {
            Self::Constant(value) => value.clone(),
            Self::Text(text) => text.is_constant().unwrap_or_else(|| text.value(scope, semantics, problems).0),
            Self::List(items) => Value::list(items.iter().map(|item| item.value(scope, semantics, problems))),
            Self::Object(members) => Value::object(members.iter().map(|(key, node)| (key.clone(), node.value(scope, semantics, problems)))),
        }
    }

    fn noted(&self, scope: &Scope, semantics: &Semantics, place: &mut Vec<String>, notes: &mut Vec<(Vec<String>, Resolution)>) -> Value {
        let mut inside = |step: String, node: &Self, notes: &mut Vec<(Vec<String>, Resolution)>| {
            place.push(step);
            let value = node.noted(scope, semantics, place, notes);
            place.pop();
            value
        };
        match self {
            Self::Constant(value) => value.clone(),
            Self::Text(text) => {
                let resolution = text.resolve(scope, semantics);
                let value = resolution.value.clone();
                notes.push((place.clone(), resolution));
                value
            }
            Self::List(items) => {
                Value::list(items.iter().enumerate().map(|(index, node)| inside(index.to_string(), node, notes)).collect::<Vec<_>>())
            }
            Self::Object(members) => {
                Value::object(members.iter().map(|(key, node)| (key.clone(), inside(key.to_string(), node, notes))).collect::<Vec<_>>())
            }
        }
    }
}
