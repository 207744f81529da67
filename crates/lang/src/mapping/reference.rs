//! References: the paths of rules 2 to 6, read once and looked up in a scope.

use super::{Rule, conversation};
use crate::expr::{Root, Val};
use crate::path::{self, Segment};
use crate::{Problem, Roots, Scope, Span, Text, Value, expr};

/// A path and what its first name may mean.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    /// The first name, as written.
    name: Text,
    /// The slot it has, for `payload`, `data` and `context` in any case.
    root: Root,
    /// Whether it is written exactly so.
    exact: bool,
    /// Where the first name stands.
    span: Span,
    /// What follows it.
    segments: Vec<Segment>,
}

/// Which roots ignore case, and only with a path behind them.
const ANY_CASE: [(&str, Root); 3] = [("payload", Root::Payload), ("data", Root::Data), ("context", Root::Context)];

impl Reference {
    /// Reads a path; `None` when the text is none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let path = path::parse(text).ok()?;
        let mut segments = path.segments.into_iter();
        let first = segments.next()?;
        let name = first.key.text();
        let exact = Root::of(&name);
        let loose = ANY_CASE.iter().find(|(known, _)| known.eq_ignore_ascii_case(&name)).map_or(Root::Other, |(_, root)| *root);
        let root = if exact == Root::Other { loose } else { exact };
        Some(Self { exact: exact != Root::Other, name, root, span: first.span, segments: segments.collect() })
    }

    /// The first name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// What follows the first name.
    pub(crate) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The rule that fits in this scope and the value it gives; `None` when the first name is no root here.
    pub(crate) fn resolve(&self, scope: &Scope) -> Option<(Rule, Value)> {
        if let Some(value) = scope.loop_variable(&self.name) {
            let rule = match (&value, self.segments.is_empty()) {
                (_, false) => Rule::LoopPath,
                (Val::Own(_), true) => Rule::LoopIndex,
                (Val::Ref(_), true) => Rule::LoopVariable,
            };
            return Some((rule, path::walk(&value, &self.segments)));
        }
        if let Some(value) = scope.named(&self.name) {
            return Some((Rule::RootPath, path::walk(value, &self.segments)));
        }
        let known = match self.root {
            Root::Payload | Root::Data | Root::Context => self.exact || !self.segments.is_empty(),
            root => root != Root::Other,
        };
        if !known || !is_root(self.root, scope) {
            return None;
        }
        if self.root == Root::Conversation {
            return Some((Rule::Conversation, conversation::resolve(scope.conversation.as_ref(), &self.segments)));
        }
        let value = scope.root(self.root).map_or(Value::Undefined, |root| path::walk(root, &self.segments));
        Some((Rule::RootPath, value))
    }

    /// That this gives nothing, and what was likely meant. Spans are those of the text that was read.
    pub(crate) fn missing(&self, scope: &Scope) -> Problem {
        let whole = self.segments.last().map_or(self.span, |last| self.span.to(last.span));
        let mut at = match scope.loop_variable(&self.name).or_else(|| scope.named(&self.name).map(Val::Ref)) {
            Some(value) => value.into_value(),
            None => scope.root(self.root).cloned().unwrap_or_default(),
        };
        let mut before = self.name.to_string();
        if at.is_undefined() {
            return Problem::warning("mapping_missing", whole, format!("There is no `{before}` here, so this has no value."));
        }
        if self.root == Root::Conversation {
            return Problem::warning("mapping_missing", whole, "There is no such message, so this has no value.");
        }
        let closed = scope.closed.as_ref().is_some_and(|closed| closed == &self.name);
        if let (true, Some(first)) = (closed, self.segments.first())
            && at.get(&first.key.text()).is_none()
        {
            return Problem::error(crate::scope::UNDECLARED, first.span, crate::scope::undeclared(&first.key.text()));
        }
        for segment in &self.segments {
            let next = path::step(&at, &segment.key);
            let key = segment.key.text();
            let here = match &segment.key {
                path::Key::Name(name) => expr::member_text(&before, name),
                path::Key::Place(place) => format!("{before}[{place}]"),
            };
            if !next.is_undefined() {
                (at, before) = (next, here);
                continue;
            }
            let keys = at.as_object().map(|object| object.keys().map(Text::as_str).collect::<Vec<_>>()).unwrap_or_default();
            if let Some(near) = expr::nearest(&key, keys) {
                let meant = expr::member_text(&before, near);
                let place = self.span.to(segment.span);
                let message = format!("{before} has no `{key}`; did you mean `{meant}`?");
                return Problem::warning("mapping_missing", whole, message).with_fix(format!("Use {meant}"), place, meant);
            }
            let message = match &at {
                Value::Object(_) => format!("{before} has no `{key}`, so this has no value."),
                Value::List(list) => format!("{before} is a list of {}, and there is no {here}.", list.len()),
                other => format!("{before} is {}, and has no `{key}`.", other.what()),
            };
            return Problem::warning("mapping_missing", whole, message);
        }
        Problem::warning("mapping_missing", whole, format!("{before} has no value here."))
    }
}

/// Whether a name with a slot is a root in this place, whether it has a value or not.
pub(crate) fn is_root(root: Root, scope: &Scope) -> bool {
    match root {
        Root::Other | Root::FlowContext => false,
        _ if scope.roots == Roots::Given => scope.root(root).is_some(),
        // These two are roots inside a loop body only.
        Root::Results | Root::Errors => scope.root(root).is_some() || !scope.loops.is_empty(),
        _ => true,
    }
}

/// Whether an expression may begin with this name (rule 7): a root or a loop variable, written exactly so.
pub(crate) fn begins_expression(name: &str, scope: &Scope) -> bool {
    scope.loop_variable(name).is_some() || scope.named(name).is_some() || is_root(Root::of(name), scope)
}
