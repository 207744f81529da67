//! One text of an input mapping, read once: which of the nine rules fits is known but for what its first name means in a scope.

use super::reference::{Reference, begins_expression};
use super::template::{self, Piece};
use super::{Resolution, Rule, hints};
use crate::expr::{self, Parsed};
use crate::{KeyOrder, Problem, Scope, Semantics, Span, Text, Value};

/// A text, ready to be resolved often.
#[derive(Clone, Debug)]
pub struct CompiledText {
    source: Text,
    shape: Shape,
    /// Whether it holds `{{`, and its parts.
    template: Option<Template>,
}

#[derive(Clone, Debug)]
enum Shape {
    /// Rule 1.
    Static(Value),
    /// All of it is a path (rules 2 to 6), which begins at this byte.
    Path(Reference, usize),
    /// It begins with a name that goes on, and is more than a path: the name, the expression, and where it begins.
    Longer(Text, Box<Parsed>, usize),
    /// Nothing of that.
    Other,
}

#[derive(Clone, Debug)]
struct Template {
    pieces: Vec<Part>,
    /// The one part that is all of the text, white space around it aside.
    single: Option<usize>,
    unclosed: Option<Span>,
}

#[derive(Clone, Debug)]
enum Part {
    Text(Span),
    Computed(Box<Computed>),
}

#[derive(Clone, Debug)]
struct Computed {
    /// Without `{{`, `}}` and white space.
    span: Span,
    reference: Option<Reference>,
    parsed: Parsed,
}

impl CompiledText {
    /// Reads a text.
    pub fn new(source: Text) -> Self {
        let text: &str = &source;
        let trimmed = expr::js_trim(text);
        let at = text.len() - text.trim_start_matches(expr::is_js_space).len();
        let shape = match trimmed.get(..7) {
            Some(prefix) if prefix.eq_ignore_ascii_case("static:") => Shape::Static(Value::text(text.get(at + 7..).unwrap_or(""))),
            _ => match Reference::parse(trimmed) {
                Some(reference) => Shape::Path(reference, at),
                None => longer(trimmed, at),
            },
        };
        let template = if matches!(shape, Shape::Static(_) | Shape::Path(..)) { None } else { Template::new(text) };
        Self { source, shape, template }
    }

    /// The text as it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether it gives the same in every scope.
    pub(crate) fn is_constant(&self) -> Option<Value> {
        match &self.shape {
            Shape::Static(value) => Some(value.clone()),
            Shape::Other if self.template.is_none() => Some(Value::Text(self.source.clone())),
            _ => None,
        }
    }

    /// What it gives. Warnings about values that are missing and errors of expressions go to `problems`.
    pub fn value(&self, scope: &Scope, semantics: &Semantics, problems: &mut Vec<Problem>) -> (Value, Rule) {
        match &self.shape {
            Shape::Static(value) => return (value.clone(), Rule::Static),
            Shape::Path(reference, at) => {
                if let Some((rule, value)) = reference.resolve(scope) {
                    if value.is_undefined() {
                        problems.push(shifted(reference.missing(scope), *at));
                    }
                    return (value, rule);
                }
            }
            Shape::Longer(name, parsed, at) if parsed.grammatical && begins_expression(name, scope) => {
                let value = evaluate(parsed, *at, scope, semantics, problems);
                return (value, Rule::Expression);
            }
            _ => {}
        }
        match &self.template {
            Some(template) if template.computes() => (template.value(&self.source, scope, semantics, problems), Rule::Template),
            _ => (Value::Text(self.source.clone()), Rule::PlainText),
        }
    }

    /// What it gives as text, whatever it is (messages): its `{{ }}` parts computed, all else as it stands.
    pub(crate) fn message(&self, scope: &Scope, semantics: &Semantics, problems: &mut Vec<Problem>) -> String {
        match Template::new(&self.source) {
            Some(template) => template.joined(&self.source, scope, semantics, problems),
            None => self.source.to_string(),
        }
    }

    /// What it gives, with everything there is to say about it while it is edited.
    pub fn resolve(&self, scope: &Scope, semantics: &Semantics) -> Resolution {
        let mut problems = Vec::new();
        let (value, rule) = self.value(scope, semantics, &mut problems);
        match (rule, &self.shape) {
            (Rule::RootPath | Rule::LoopPath, Shape::Path(reference, at)) => {
                problems.extend(hints::file_name(reference, &self.source, *at));
            }
            (Rule::PlainText | Rule::Template, shape) => {
                let (reference, parsed) = match shape {
                    Shape::Path(reference, at) => (Some((reference, *at)), None),
                    Shape::Longer(name, parsed, at) => (None, Some((name.as_str(), &**parsed, *at))),
                    _ => (None, None),
                };
                if let Some(span) = self.template.as_ref().and_then(|template| template.unclosed) {
                    let message = "`{{` without `}}` is text; to have a value here, close it.";
                    let end = Span::new(self.source.len(), self.source.len());
                    problems.push(Problem::warning("mapping_template_unclosed", span, message).with_fix("Add }}", end, "}}"));
                } else if rule == Rule::PlainText {
                    problems.extend(hints::plain_text(&self.source, reference, parsed, scope));
                }
            }
            _ => {}
        }
        Resolution { value, rule, problems }
    }
}

/// A text that begins with a name and then `.`, `[` or `?.`.
fn longer(trimmed: &str, at: usize) -> Shape {
    let length = trimmed.find(|c: char| !expr::continues_name(c)).unwrap_or(trimmed.len());
    let (name, rest) = trimmed.split_at(length);
    if name.starts_with(expr::starts_name) && (rest.starts_with(['.', '[']) || rest.starts_with("?.")) {
        return Shape::Longer(Text::from(name), Box::new(expr::parse(trimmed)), at);
    }
    Shape::Other
}

fn shifted(mut problem: Problem, by: usize) -> Problem {
    problem.span = problem.span.shifted(by);
    if let Some(fix) = &mut problem.fix {
        fix.span = fix.span.shifted(by);
    }
    problem
}

fn evaluate(parsed: &Parsed, at: usize, scope: &Scope, semantics: &Semantics, problems: &mut Vec<Problem>) -> Value {
    match parsed.evaluate(scope, semantics) {
        Ok(value) => value,
        Err(error) => {
            problems.push(shifted(error.into_problem(), at));
            Value::Undefined
        }
    }
}

impl Template {
    /// The parts of a text; `None` when it has no `{{`.
    fn new(text: &str) -> Option<Self> {
        if !text.contains("{{") {
            return None;
        }
        let mut unclosed = None;
        let mut pieces = Vec::new();
        for piece in template::split(text) {
            pieces.push(match piece {
                Piece::Text(span) => Part::Text(span),
                Piece::Unclosed(span) => {
                    unclosed = Some(span);
                    Part::Text(span)
                }
                Piece::Part(span) => {
                    let span = template::trimmed(text, span);
                    let inside = text.get(span.range()).unwrap_or("");
                    let parsed = if inside.is_empty() { empty_part(span) } else { expr::parse(inside) };
                    Part::Computed(Box::new(Computed { span, reference: Reference::parse(inside), parsed }))
                }
            });
        }
        if !pieces.iter().any(|piece| matches!(piece, Part::Computed(_))) {
            // Nothing is computed: plain text, with its warning.
            return unclosed.map(|span| Self { pieces: vec![Part::Text(Span::new(0, text.len()))], single: None, unclosed: Some(span) });
        }
        let blank = |piece: &Part| matches!(piece, Part::Text(span) if expr::js_trim(text.get(span.range()).unwrap_or("")).is_empty());
        let mut full = pieces.iter().enumerate().filter(|(_, piece)| !blank(piece));
        let single = match (full.next(), full.next()) {
            (Some((at, Part::Computed(_))), None) => Some(at),
            _ => None,
        };
        Some(Self { pieces, single, unclosed })
    }

    /// Whether it has a part at all.
    fn computes(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Part::Computed(_)))
    }

    fn value(&self, text: &str, scope: &Scope, semantics: &Semantics, problems: &mut Vec<Problem>) -> Value {
        match self.single.and_then(|at| self.pieces.get(at)) {
            Some(Part::Computed(part)) => part.value(scope, semantics, problems),
            _ => Value::text(self.joined(text, scope, semantics, problems)),
        }
    }

    fn joined(&self, text: &str, scope: &Scope, semantics: &Semantics, problems: &mut Vec<Problem>) -> String {
        let mut out = String::new();
        for piece in &self.pieces {
            match piece {
                Part::Text(span) => out.push_str(text.get(span.range()).unwrap_or("")),
                Part::Computed(part) => push_joined(&part.value(scope, semantics, problems), semantics.key_order, &mut out),
            }
        }
        out
    }
}

fn empty_part(span: Span) -> Parsed {
    let problem =
        Problem::error("mapping_template_empty", Span::new(0, span.range().len()), "Between `{{` and `}}` an expression is expected.");
    Parsed { root: None, problems: vec![problem], grammatical: false }
}

/// A value as part of a text: nothing for null and undefined, JSON for objects and lists, otherwise as JavaScript prints it.
fn push_joined(value: &Value, order: KeyOrder, out: &mut String) {
    match value {
        Value::Undefined | Value::Null => {}
        Value::List(_) | Value::Object(_) => out.push_str(&expr::json_text(value, order).unwrap_or_default()),
        other => out.push_str(&expr::to_text(other)),
    }
}

impl Computed {
    /// By rules 2 to 6 if it is a reference, otherwise as an expression (ruling 9).
    fn value(&self, scope: &Scope, semantics: &Semantics, problems: &mut Vec<Problem>) -> Value {
        let at = self.span.start as usize;
        if let Some((reference, (_, value))) = self.reference.as_ref().and_then(|reference| Some((reference, reference.resolve(scope)?))) {
            if value.is_undefined() {
                problems.push(shifted(reference.missing(scope), at));
            }
            return value;
        }
        evaluate(&self.parsed, at, scope, semantics, problems)
    }
}
