//! A value and what follows it: members, places, calls of methods and known functions.

use super::Parser;
use crate::expr::ast::{Expr, Kind, Link, LinkKind};
use crate::expr::coerce::list_index;
use crate::expr::eval::REFUSED_PROPERTIES;
use crate::expr::methods::{self, Function, Method};
use crate::expr::suggest;
use crate::expr::token::TokenKind;
use crate::{Problem, Span, Text, Value};

impl Parser<'_> {
    /// A value and what follows it: members, places, calls.
    pub(super) fn postfix(&mut self) -> Expr {
        let mut base = self.primary();
        let mut links: Vec<Link> = Vec::new();
        let mut broken = false;
        loop {
            let start = self.span();
            match *self.kind() {
                TokenKind::Mark("." | "?.") => {
                    let optional = self.is("?.");
                    self.bump();
                    if optional && self.is("[") {
                        broken |= !self.bracket(&base, start, true, &mut links);
                    } else if optional && self.is("(") {
                        self.unsupported("expr_unsupported_optional_call", start, "An optional call (`?.(`)");
                        self.bump();
                        self.arguments(None);
                        broken = true;
                    } else {
                        broken |= !self.dotted(&mut base, start, optional, &mut links);
                    }
                }
                TokenKind::Mark("[") => broken |= !self.bracket(&base, start, false, &mut links),
                TokenKind::Mark("(") => {
                    self.bump();
                    if self.call(&mut base, &mut links, start) {
                        continue;
                    }
                    broken = true;
                }
                TokenKind::Template => {
                    self.bump();
                    self.unsupported("expr_unsupported_template", start, "A template literal");
                    broken = true;
                }
                TokenKind::Mark("++" | "--") => {
                    let what = format!("`{}`", self.source(start));
                    self.bump();
                    self.unsupported("expr_unsupported_update", start, &what);
                    broken = true;
                }
                _ => break,
            }
        }
        let span = Span { start: base.span.start, end: self.end().max(base.span.end) };
        if broken {
            return Expr { span, kind: Kind::Missing };
        }
        self.finish(base, links, span)
    }

    /// Puts a chain together; `Math.max(…)` and the like become calls of functions.
    pub(super) fn finish(&mut self, base: Expr, links: Vec<Link>, span: Span) -> Expr {
        if let (Kind::Name(_, name), true) = (&base.kind, links.is_empty())
            && is_global(name)
        {
            let message = format!("`{name}` can only be called here, not passed on.");
            self.complain(Problem::error("expr_unsupported_function_value", span, message));
            return Expr { span, kind: Kind::Missing };
        }
        if links.is_empty() { Expr { span: base.span, ..base } } else { Expr { span, kind: Kind::Chain(Box::new(base), links) } }
    }

    /// `.name` and, if brackets follow, the call. False when nothing usable came of it.
    pub(super) fn dotted(&mut self, base: &mut Expr, start: Span, optional: bool, links: &mut Vec<Link>) -> bool {
        let name_span = self.span();
        let TokenKind::Word(name) = self.kind().clone() else {
            // `a.0` is how a path says it; JavaScript reads `.0` as a number.
            let found = self.found();
            self.slip(Problem::error(
                "expr_expected_name",
                name_span,
                format!("After `{}` a name is expected, but {found} was found.", self.source(start)),
            ));
            if matches!(self.kind(), TokenKind::Stray | TokenKind::Number(_)) {
                self.bump();
            }
            return false;
        };
        self.bump();
        if let (Kind::Name(_, object), true) = (&base.kind, links.is_empty() && !optional)
            && is_global(object)
        {
            return self.namespace(base, object.clone(), name, base.span.to(name_span));
        }
        let span = start.to(name_span);
        if self.is("(") {
            return self.method(&name, name_span, start, optional, links);
        }
        if REFUSED_PROPERTIES.contains(&name.as_str()) {
            self.complain(Problem::error(
                "expr_unsupported_property",
                name_span,
                format!("`{name}` cannot be read; it is not part of the data."),
            ));
            return false;
        }
        let kind = if name == "length" { LinkKind::Length } else { LinkKind::Member(Text::from(name)) };
        links.push(Link { span, optional, kind });
        true
    }

    /// `Math.x` or `Math.x(…)`, which takes the place of `Math`, or is refused.
    pub(super) fn namespace(&mut self, base: &mut Expr, object: Text, name: String, span: Span) -> bool {
        let full = format!("{object}.{name}");
        if let (Some(value), false) = (methods::constant(&full), self.is("(")) {
            *base = Expr { span, kind: Kind::Constant(Text::from(full), Value::Number(value)) };
            return true;
        }
        let called = self.eat("(");
        let arguments = if called { self.arguments(None) } else { Vec::new() };
        match Function::of(&full) {
            Some(function) if called => {
                let span = Span { start: span.start, end: self.end() };
                *base = Expr { span, kind: Kind::Call(function, arguments) };
                return true;
            }
            Some(_) => {
                let message = format!("`{full}` can only be called here, not passed on.");
                self.complain(Problem::error("expr_unsupported_function_value", span, message));
            }
            None if full == "Math.random" => {
                let message = "`Math.random` is absent: a run must repeat.";
                self.complain(Problem::error("expr_unsupported_random", span, message));
            }
            None => {
                let known = Function::ALL.iter().map(|(_, name)| *name).filter(|known| known.split('.').next() == Some(object.as_str()));
                let near = suggest::nearest(&full, known);
                let mut problem = Problem::error("expr_unsupported_function", span, format!("`{full}` is not part of the language."));
                if let Some(near) = near {
                    problem.message = format!("`{full}` is not part of the language; did you mean `{near}`?");
                    problem = problem.with_fix(format!("Use {near}"), span, near);
                }
                self.complain(problem);
            }
        }
        false
    }

    /// `.method(…)`, behind the name.
    pub(super) fn method(&mut self, name: &str, name_span: Span, start: Span, optional: bool, links: &mut Vec<Link>) -> bool {
        self.bump();
        let method = Method::of(name);
        let arguments = self.arguments(Some(method));
        let span = Span { start: start.start, end: self.end() };
        let Some(method) = method else {
            let known = Method::ALL.iter().map(|(_, name)| *name);
            let message = match name {
                "sort" | "toSorted" | "reverse" | "toReversed" => format!("`{name}` is absent: expressions do not sort or reverse."),
                "push" | "pop" | "shift" | "unshift" | "splice" | "fill" => {
                    format!("`{name}` would change the list, and an expression changes nothing.")
                }
                "match" | "matchAll" | "search" | "test" | "exec" => {
                    format!("`{name}` needs regular expressions, which are absent; there are `includes`, `startsWith` and `indexOf`.")
                }
                _ => format!("There is no method `{name}`."),
            };
            let mut problem = Problem::error("expr_unsupported_method", name_span, message);
            if let Some(near) = suggest::nearest(name, known) {
                problem.message = format!("There is no method `{name}`; did you mean `{near}`?");
                problem = problem.with_fix(format!("Use {near}"), name_span, near);
            }
            self.complain(problem);
            return false;
        };
        let arrow_at = |index: usize| arguments.get(index).is_some_and(|arg| matches!(arg.kind, Kind::Arrow(..)));
        if let Some((index, true)) = method.callback() {
            let blank = arguments.get(index).is_some_and(|arg| matches!(arg.kind, Kind::Missing));
            if !arrow_at(index) && !blank {
                let place = arguments.get(index).map_or(name_span, |arg| arg.span);
                let message = format!("`{name}` needs an arrow function, such as `x => x.ok`.");
                self.complain(Problem::error("expr_expected_arrow", place, message));
                return false;
            }
        }
        links.push(Link { span, optional, kind: LinkKind::Call(method, arguments) });
        true
    }

    /// `(…)` behind something that is no method: a known function, or a refusal. True when it became a call.
    pub(super) fn call(&mut self, base: &mut Expr, links: &mut [Link], start: Span) -> bool {
        let arguments = self.arguments(None);
        let span = Span { start: base.span.start, end: self.end() };
        if let (Kind::Name(_, name), true) = (&base.kind, links.is_empty()) {
            if let Some(function) = Function::of(name) {
                *base = Expr { span, kind: Kind::Call(function, arguments) };
                return true;
            }
            let known = Function::ALL.iter().map(|(_, name)| *name).filter(|name| !name.contains('.'));
            let mut problem = Problem::error("expr_unsupported_function", base.span, format!("There is no function `{name}`."));
            if let Some(near) = suggest::nearest(name, known) {
                problem.message = format!("There is no function `{name}`; did you mean `{near}`?");
                problem = problem.with_fix(format!("Use {near}"), base.span, near);
            }
            self.complain(problem);
        } else if matches!(links.last().map(|link| &link.kind), Some(LinkKind::Index(_) | LinkKind::Member(_) | LinkKind::Place(_))) {
            self.complain(Problem::error("expr_unsupported_computed_call", start, "A method can only be called by its name after a dot."));
        } else {
            self.complain(Problem::error("expr_unsupported_call", start, "Only methods and known functions can be called."));
        }
        false
    }

    /// `[…]` as a step of a chain.
    pub(super) fn bracket(&mut self, base: &Expr, start: Span, optional: bool, links: &mut Vec<Link>) -> bool {
        self.bump();
        // What a closed root holds may have any name; the evaluation refuses it elsewhere.
        let any_name = links.is_empty() && matches!(&base.kind, Kind::Name(_, name) if name.as_str() == "value");
        if !self.deeper() {
            return false;
        }
        let empty = self.is("]");
        if empty {
            let span = self.span();
            self.slip(Problem::error("expr_expected_operand", span, "Between `[` and `]` a position or a name is expected."));
        }
        let index = if empty { self.missing() } else { self.expression() };
        self.close("]", start);
        self.shallower();
        let span = Span { start: start.start, end: self.end() };
        let kind = match &index.kind {
            Kind::Literal(Value::Text(key)) if any_name && REFUSED_PROPERTIES.contains(&key.as_str()) => LinkKind::Index(Box::new(index)),
            Kind::Literal(Value::Text(key)) => {
                if REFUSED_PROPERTIES.contains(&key.as_str()) {
                    self.complain(Problem::error(
                        "expr_unsupported_property",
                        index.span,
                        format!("`{key}` cannot be read; it is not part of the data."),
                    ));
                    return false;
                }
                match list_index(key) {
                    Some(at) => LinkKind::Place(at),
                    None if key.as_str() == "length" => LinkKind::Length,
                    None => LinkKind::Member(key.clone()),
                }
            }
            Kind::Literal(Value::Number(at)) if *at >= 0.0 && at.fract() == 0.0 && *at < 4_294_967_295.0 => LinkKind::Place(*at as usize),
            _ => LinkKind::Index(Box::new(index)),
        };
        if !empty {
            links.push(Link { span, optional, kind });
        }
        !empty
    }

    /// Takes the closing bracket, or says that it is missing and skips to where it may be.
    pub(super) fn close(&mut self, mark: &'static str, opened: Span) {
        if self.eat(mark) || self.stopped {
            return;
        }
        let found = self.found();
        let (at, open) = (self.span(), self.source(opened).trim_start_matches("?.").to_owned());
        let open = if open.is_empty() { "bracket".to_owned() } else { format!("`{open}`") };
        let place = Span::new(at.start as usize, at.start as usize);
        let problem =
            Problem::error("expr_expected_closing", at, format!("{open} is not closed: `{mark}` is expected, but {found} was found."));
        self.slip(problem.with_fix(format!("Add {mark}"), place, mark));
        // Read on inside, so that slips in there are found as well, up to this bracket or the end.
        while !self.at_end() && !self.is(mark) {
            if matches!(self.kind(), TokenKind::Mark(")" | "]" | "}")) {
                return;
            }
            let start = self.at;
            self.left_over_inside();
            if self.at == start {
                self.bump();
            }
        }
        self.eat(mark);
    }

    /// An operand that stands where a bracket should have closed: read for its own slips only.
    pub(super) fn left_over_inside(&mut self) {
        if matches!(self.kind(), TokenKind::Mark("," | ";" | ":")) || self.operator().is_some() {
            self.bump();
        }
        if !matches!(self.kind(), TokenKind::Mark(")" | "]" | "}") | TokenKind::End) {
            self.expression();
        }
    }

    /// Arguments up to `)`. `method`: `Some(None)` for an unknown method, whose arrows are not worth a second complaint.
    pub(super) fn arguments(&mut self, method: Option<Option<Method>>) -> Vec<Expr> {
        let opened = Span { start: self.end().saturating_sub(1), end: self.end() };
        let mut arguments = Vec::new();
        if !self.deeper() {
            return arguments;
        }
        while !self.is(")") && !self.at_end() {
            if self.arrow_ahead() {
                let arrow = self.arrow();
                let index = arguments.len();
                let welcome = match method {
                    None => false,
                    Some(None) => true,
                    Some(Some(method)) => method.callback().is_some_and(|(at, _)| at == index),
                };
                if !welcome {
                    let message = "An arrow function can only be an argument of a method such as `filter` or `map`.";
                    self.complain(Problem::error("expr_unsupported_arrow", arrow.span, message));
                }
                arguments.push(arrow);
            } else {
                arguments.push(self.expression());
            }
            if !self.eat(",") {
                break;
            }
        }
        self.close(")", opened);
        self.shallower();
        arguments
    }
}

/// Whether a name is that of a known function or of an object of such.
fn is_global(name: &str) -> bool {
    Function::of(name).is_some() || methods::NAMESPACES.contains(&name)
}
