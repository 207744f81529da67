//! Rules between tasks: dependencies, cycles, and what references may refer to.

use loopwright_lang::{
    Span, Text, Value,
    json::{Node, NodeKind},
};

use super::{
    CONDITION_INVALID, PlanFix, PlanProblem, REFERENCE_UNRESOLVED,
    read::of,
    reference::{Reference, Token, full, iteration, read_reference, tokens},
    shape::Raw,
};
use crate::validate::nearest;

/// The place of the first task of an id.
fn place_of(raw: &[Raw<'_>], id: &str) -> Option<usize> {
    raw.iter().position(|task| task.id.is_some_and(|(own, _)| own.as_str() == id))
}

/// Checks all `depends_on`; gives the places of the tasks each depends on.
pub(super) fn dependencies(raw: &[Raw<'_>], problems: &mut Vec<PlanProblem>) -> Vec<Vec<usize>> {
    let mut edges = Vec::with_capacity(raw.len());
    for task in raw {
        let mut own: Vec<usize> = Vec::new();
        let mut seen: Vec<&str> = Vec::new();
        for (id, span) in &task.depends_on {
            let target = place_of(raw, id);
            let message = if task.id.is_some_and(|(own, _)| own == *id) {
                "A task cannot depend on itself.".to_owned()
            } else if seen.contains(&id.as_str()) {
                format!("`depends_on` names {id} twice.")
            } else if let Some(target) = target {
                own.push(target);
                seen.push(id);
                continue;
            } else {
                let ids = raw.iter().filter_map(|task| task.id).map(|(id, _)| id.as_str());
                let meant = nearest(id, ids).map_or_else(String::new, |near| format!(" Did you mean {near}?"));
                format!("There is no task {id} to depend on.{meant}")
            };
            seen.push(id);
            if task.sound {
                problems.push(of(task, "plan_depends_on", None, *span, message));
            }
        }
        edges.push(own);
    }
    edges
}

/// Reports a cycle among the dependencies, if there is one.
pub(super) fn cycle(raw: &[Raw<'_>], edges: &[Vec<usize>], problems: &mut Vec<PlanProblem>) {
    // 0 not seen, 1 on the way, 2 done.
    let mut state = vec![0_u8; edges.len()];
    for start in 0..edges.len() {
        let mut way: Vec<(usize, usize)> = Vec::new();
        if state.get(start) == Some(&0) {
            way.push((start, 0));
        }
        while let Some((task, next)) = way.last_mut() {
            let here = *task;
            if let Some(mark) = state.get_mut(here) {
                *mark = 1;
            }
            let Some(target) = edges.get(here).and_then(|edges| edges.get(*next)).copied() else {
                if let Some(mark) = state.get_mut(here) {
                    *mark = 2;
                }
                way.pop();
                continue;
            };
            *next += 1;
            match state.get(target) {
                Some(0) => way.push((target, 0)),
                Some(1) => {
                    let from = way.iter().position(|(task, _)| *task == target).unwrap_or(0);
                    let name = |place: usize| raw.get(place).and_then(|task| task.id).map_or("?", |(id, _)| id.as_str());
                    let mut names: Vec<&str> = way.iter().skip(from).map(|(task, _)| name(*task)).collect();
                    names.push(name(target));
                    let Some(first) = raw.get(target) else { return };
                    let span = first.depends_on.first().map_or(first.span, |(_, span)| *span);
                    let message = format!("The dependencies go round in a circle: {}. Take one of them out.", names.join(" → "));
                    problems.push(PlanProblem { node: None, ..of(first, "plan_cycle", None, span, message) });
                    return;
                }
                _ => {}
            }
        }
    }
}

/// What lies before each task, over any number of dependencies.
pub(super) fn ancestors(edges: &[Vec<usize>], task: usize) -> Vec<bool> {
    let mut before = vec![false; edges.len()];
    let mut open: Vec<usize> = edges.get(task).cloned().unwrap_or_default();
    while let Some(place) = open.pop() {
        if let Some(mark) = before.get_mut(place).filter(|mark| !**mark) {
            *mark = true;
            open.extend(edges.get(place).into_iter().flatten());
        }
    }
    before
}

/// Checks every reference: of a task first its args or its text, then `for_each`, then `when`.
pub(super) fn references(raw: &[Raw<'_>], edges: &[Vec<usize>], problems: &mut Vec<PlanProblem>) {
    for task in raw.iter().filter(|task| task.sound) {
        let before = ancestors(edges, task.place);
        let mut checker = Checker { raw, task, before, problems };
        match task.kind.0 {
            "tool" => {
                if let Some(args) = task.args {
                    checker.walk(args, &mut "args".to_owned());
                }
            }
            "sub_agent" => {
                if let (Some(text), Some(span)) = (task.task.text(), task.task.span()) {
                    checker.template(text, span, "<root>");
                }
            }
            _ => {}
        }
        if let Some((text, span)) = task.for_each.filter(|_| task.kind.0 != "wait") {
            checker.for_each(text, span);
        }
        if let Some(when) = &task.when {
            checker.when(when.reference, when.span);
        }
    }
}

struct Checker<'r, 'n> {
    raw: &'r [Raw<'n>],
    task: &'r Raw<'n>,
    before: Vec<bool>,
    problems: &'r mut Vec<PlanProblem>,
}

impl Checker<'_, '_> {
    fn say(&mut self, code: &'static str, path: &str, span: Span, message: String) {
        self.problems.push(of(self.task, code, Some(path.to_owned()), span, message));
    }

    /// Every text of a value, in document order.
    fn walk(&mut self, node: &Node, path: &mut String) {
        let length = path.len();
        match &node.kind {
            NodeKind::Scalar(Value::Text(text)) => self.template(text, node.span, path),
            NodeKind::Scalar(_) => {}
            NodeKind::List(items) => {
                for (at, item) in items.iter().enumerate() {
                    path.push_str(&format!("[{at}]"));
                    self.walk(item, path);
                    path.truncate(length);
                }
            }
            NodeKind::Object(members) => {
                for (at, member) in members.iter().enumerate() {
                    // Of doubled keys the last counts.
                    if members.iter().skip(at + 1).any(|later| later.key == member.key) {
                        continue;
                    }
                    path.push('.');
                    path.push_str(&member.key);
                    self.walk(&member.value, path);
                    path.truncate(length);
                }
            }
        }
    }

    fn template(&mut self, text: &Text, span: Span, path: &str) {
        if let Some(token) = tokens(text).find(|token| !token.closed) {
            let message = "This `${` has no closing `}`. A text cannot hold a plain `${`.".to_owned();
            self.say(REFERENCE_UNRESOLVED, path, inside(span, text, &token), message);
        }
        for token in tokens(text).filter(|token| token.closed) {
            self.token(&token, inside(span, text, &token), path);
        }
    }

    fn token(&mut self, token: &Token<'_>, span: Span, path: &str) {
        let iterating = self.task.for_each.is_some();
        let inner = token.inner;
        match read_reference(inner, iterating) {
            Some(Reference::Upstream { id, .. }) => self.upstream(id, path, span),
            Some(_) => {}
            None if iteration(inner).is_some() => {
                let message = format!("`${{{inner}}}` is known only in a task with `for_each`.");
                self.say(REFERENCE_UNRESOLVED, path, span, message);
            }
            None => {
                let message = format!("`${{{inner}}}` is no reference. {}", self.likely(inner));
                self.say(REFERENCE_UNRESOLVED, path, span, message);
            }
        }
    }

    /// What a malformed reference was likely meant to be.
    fn likely(&self, inner: &str) -> String {
        let trimmed = inner.trim();
        let known = |id: &str| place_of(self.raw, id).is_some();
        let first = trimmed.split(['.', '[']).next().unwrap_or_default();
        if trimmed != inner && read_reference(trimmed, self.task.for_each.is_some()).is_some() {
            format!("Leave out the spaces: `${{{trimmed}}}`.")
        } else if known(first) && trimmed.contains('[') {
            let dotted = trimmed.replace('[', ".").replace(']', "");
            format!("A place in a list is written with a dot: `${{{dotted}}}`.")
        } else if known(first) && !trimmed.starts_with(&format!("{first}.result")) {
            let rest = trimmed.get(first.len()..).unwrap_or_default();
            format!("Did you mean `${{{first}.result{rest}}}`?")
        } else {
            "Expected `${ID.result}` or `${ID.result.PATH}`, where ID is a task before this one.".to_owned()
        }
    }

    /// A reference to a task: it must be there, and before this one.
    fn upstream(&mut self, id: &str, path: &str, span: Span) {
        let Some(place) = place_of(self.raw, id) else {
            let ids = self.raw.iter().filter_map(|task| task.id).map(|(id, _)| id.as_str());
            let meant = nearest(id, ids).map_or_else(String::new, |near| format!(" Did you mean {near}?"));
            self.say(REFERENCE_UNRESOLVED, path, span, format!("There is no task {id} to refer to.{meant}"));
            return;
        };
        if self.before.get(place) == Some(&true) {
            return;
        }
        let own = place == self.task.place;
        let message = if own {
            "A task cannot refer to its own result.".to_owned()
        } else {
            format!("The task {id} need not be done when this one starts: nothing this task depends on leads to it.")
        };
        let mut problem = of(self.task, REFERENCE_UNRESOLVED, Some(path.to_owned()), span, message);
        if !own {
            problem.fix = Some(PlanFix::DependOn(id.into()));
        }
        self.problems.push(problem);
    }

    fn for_each(&mut self, text: &Text, span: Span) {
        match full(text).and_then(super::reference::upstream) {
            Some(Reference::Upstream { id, .. }) => self.upstream(id, "for_each", span),
            _ => {
                let message = format!(
                    "`for_each` is \"{text}\"; expected nothing but one reference to a task's result, like \"${{fetch.result.items}}\"."
                );
                self.say(REFERENCE_UNRESOLVED, "for_each", span, message);
            }
        }
    }

    fn when(&mut self, text: &Text, span: Span) {
        const PATH: &str = "when.ref";
        let inner = full(text);
        match inner.and_then(|inner| read_reference(inner, self.task.for_each.is_some())) {
            Some(Reference::Upstream { id, .. }) => self.upstream(id, PATH, span),
            Some(_) => {}
            None if inner.is_some_and(|inner| iteration(inner).is_some()) => {
                let message = format!("`{text}` is known only in a task with `for_each`.");
                self.say(REFERENCE_UNRESOLVED, PATH, span, message);
            }
            None => {
                let message = format!("`ref` is \"{text}\"; expected nothing but one reference, like \"${{fetch.result.status}}\".");
                self.say(CONDITION_INVALID, PATH, span, message);
            }
        }
    }
}

/// The place of a token in the plan's text, where the text stands there without escapes; else that of the whole text.
fn inside(span: Span, text: &Text, token: &Token<'_>) -> Span {
    if span.range().len() == text.len() + 2 {
        let start = span.start as usize + 1;
        Span::new(start + token.range.start, start + token.range.end)
    } else {
        span
    }
}
