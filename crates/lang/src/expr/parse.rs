//! Reads an expression: operators by precedence, recovery after each slip so that one does not hide the next, and a name of its own
//! for every construct of JavaScript that the language leaves out.

use super::ast::{BinaryOp, Expr, Kind, Link, LinkKind, LogicOp, Root, UnaryOp};
use super::coerce::list_index;
use super::eval::REFUSED_PROPERTIES;
use super::methods::{self, Function, Method};
use super::token::{Token, TokenKind, tokenize};
use super::unicode::is_reserved;
use super::{Parsed, suggest};
use crate::{Problem, Span, Text, Value, limits};

/// Reads an expression. Never fails, never panics.
pub fn parse(text: &str) -> Parsed {
    if text.len() > limits::EXPRESSION_BYTES {
        let message = format!("This expression has {} bytes; an expression may have {} at most.", text.len(), limits::EXPRESSION_BYTES);
        return Parsed {
            root: None,
            problems: vec![Problem::error("expr_too_long", Span::new(0, text.len()), message)],
            grammatical: false,
        };
    }
    let mut problems = Vec::new();
    let tokens = tokenize(text, 0, &mut problems);
    let grammatical = problems.is_empty();
    let mut parser = Parser { text, tokens, at: 0, depth: 0, stopped: false, grammatical, problems, locals: Vec::new() };
    let root = parser.whole();
    let Parser { mut problems, grammatical, .. } = parser;
    problems.sort_by_key(|problem| problem.span.start);
    Parsed { root, problems, grammatical }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    /// Nesting of brackets, calls, `?:` and unary signs.
    depth: usize,
    /// Too deep: nothing more is read.
    stopped: bool,
    /// Whether the text fits the grammar, unknown names and methods aside.
    grammatical: bool,
    problems: Vec<Problem>,
    /// Parameters of the enclosing arrow functions.
    locals: Vec<Text>,
}

const END: TokenKind = TokenKind::End;

impl Parser<'_> {
    fn kind(&self) -> &TokenKind {
        self.kind_at(0)
    }

    fn kind_at(&self, ahead: usize) -> &TokenKind {
        self.tokens.get(self.at + ahead).map_or(&END, |token| &token.kind)
    }

    fn span(&self) -> Span {
        self.tokens.get(self.at).map_or(Span::new(self.text.len(), self.text.len()), |token| token.span)
    }

    /// The end of the token before.
    fn end(&self) -> u32 {
        self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or(0, |token| token.span.end)
    }

    fn is(&self, mark: &str) -> bool {
        matches!(self.kind(), TokenKind::Mark(found) if *found == mark)
    }

    fn at_end(&self) -> bool {
        *self.kind() == TokenKind::End
    }

    fn bump(&mut self) -> Span {
        let span = self.span();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        span
    }

    fn eat(&mut self, mark: &str) -> bool {
        let found = self.is(mark);
        if found {
            self.bump();
        }
        found
    }

    fn source(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// A slip of grammar.
    fn slip(&mut self, problem: Problem) {
        self.grammatical = false;
        self.complain(problem);
    }

    /// Something that reads well but cannot be meant.
    fn complain(&mut self, problem: Problem) {
        if !self.stopped {
            self.problems.push(problem);
        }
    }

    fn unsupported(&mut self, code: &'static str, span: Span, what: &str) {
        self.slip(Problem::error(code, span, format!("{what} cannot be used in an expression.")));
    }

    /// What the token here looks like, for a message.
    fn found(&self) -> String {
        match self.kind() {
            TokenKind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.source(self.span())),
        }
    }

    /// Goes one level deeper, or stops reading.
    fn deeper(&mut self) -> bool {
        self.depth += 1;
        if self.depth > limits::EXPRESSION_DEPTH && !self.stopped {
            let span = self.span();
            let message = format!("This is nested more than {} levels deep.", limits::EXPRESSION_DEPTH);
            self.complain(Problem::error("expr_too_deep", span, message));
            self.stopped = true;
            self.at = self.tokens.len().saturating_sub(1);
        }
        !self.stopped
    }

    fn shallower(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn missing(&self) -> Expr {
        let at = self.span().start as usize;
        Expr { span: Span::new(at, at), kind: Kind::Missing }
    }

    fn whole(&mut self) -> Option<Expr> {
        if self.at_end() {
            return None;
        }
        let root = self.expression();
        while !self.at_end() {
            self.left_over();
        }
        Some(root)
    }

    /// Something follows a complete expression: says what was likely meant, and reads on behind it.
    fn left_over(&mut self) {
        let span = self.span();
        let before = self.at;
        match self.kind().clone() {
            TokenKind::Mark(",") => {
                self.bump();
                self.unsupported("expr_unsupported_comma", span, "The comma operator");
            }
            TokenKind::Mark(";") => {
                self.bump();
                self.unsupported("expr_unsupported_statement", span, "More than one statement");
            }
            TokenKind::Mark(closer @ (")" | "]" | "}")) => {
                self.bump();
                let problem = Problem::error("expr_unexpected_token", span, format!("This `{closer}` closes nothing."));
                self.slip(problem.with_fix(format!("Remove {closer}"), span, ""));
                return;
            }
            TokenKind::Word(word) => {
                self.bump();
                let lower = word.to_ascii_lowercase();
                let meant = match lower.as_str() {
                    "and" => "&&",
                    "or" => "||",
                    "eq" | "is" | "equals" => "===",
                    "ne" | "neq" => "!==",
                    "gt" => ">",
                    "gte" | "ge" => ">=",
                    "lt" => "<",
                    "lte" | "le" => "<=",
                    "mod" => "%",
                    _ => "",
                };
                let message = format!("Between two values an operator is expected, and `{word}` is none.");
                let problem = Problem::error("expr_unexpected_token", span, message);
                if meant.is_empty() {
                    // The word is most likely the next operand (`payload.a payload.b`).
                    self.slip(problem);
                    self.at = before;
                    self.expression();
                    return;
                }
                let problem = Problem { message: format!("{} Did you mean `{meant}`?", problem.message), ..problem };
                self.slip(problem.with_fix(format!("Use {meant}"), span, meant));
            }
            TokenKind::Stray => {
                self.bump();
                let found = self.source(span).to_owned();
                self.slip(Problem::error("expr_unexpected_character", span, format!("`{found}` means nothing here.")));
            }
            _ => {
                let found = self.found();
                self.slip(Problem::error(
                    "expr_unexpected_token",
                    span,
                    format!("Between two values an operator is expected, but {found} was found."),
                ));
            }
        }
        if !self.at_end() {
            let start = self.at;
            self.expression();
            if self.at == start {
                self.bump();
            }
        }
    }

    /// A whole expression, `?:` and refused assignments included.
    fn expression(&mut self) -> Expr {
        if self.arrow_ahead() {
            let start = self.span();
            let arrow = self.arrow();
            let span = start.to(arrow.span);
            self.slip(Problem::error(
                "expr_unsupported_arrow",
                span,
                "An arrow function can only be an argument of a method such as `filter` or `map`.",
            ));
            return arrow;
        }
        let test = self.binary(0);
        if self.is("?") {
            return self.conditional(test);
        }
        self.assignment(test)
    }

    fn conditional(&mut self, test: Expr) -> Expr {
        self.bump();
        if !self.deeper() {
            return test;
        }
        let then = self.expression();
        let otherwise = if self.eat(":") {
            self.expression()
        } else {
            let (span, found) = (self.span(), self.found());
            self.slip(Problem::error(
                "expr_expected_colon",
                span,
                format!("After `? …` a `:` and the other value are expected, but {found} was found."),
            ));
            self.missing()
        };
        self.shallower();
        let span = test.span.to(otherwise.span);
        Expr { span, kind: Kind::Conditional(Box::new((test, then, otherwise))) }
    }

    fn assignment(&mut self, target: Expr) -> Expr {
        let TokenKind::Mark(mark) = *self.kind() else { return target };
        let span = self.span();
        match mark {
            "=" | "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=" | "<<=" | ">>=" | ">>>=" | "**=" | "&&=" | "||=" | "??=" => {
                self.bump();
                if mark == "=" && (self.is("<") || self.is(">")) && self.span().start == span.end {
                    let wide = span.to(self.bump());
                    let meant = if self.source(wide) == "=<" { "<=" } else { ">=" };
                    let message = format!("`{}` is no operator. Did you mean `{meant}`?", self.source(wide));
                    self.slip(Problem::error("expr_unexpected_token", wide, message).with_fix(format!("Use {meant}"), wide, meant));
                } else if mark == "=" {
                    let message = "`=` would assign, and an expression cannot change anything. Did you mean `===`?";
                    self.slip(Problem::error("expr_unsupported_assignment", span, message).with_fix("Use ===", span, "==="));
                } else {
                    self.unsupported("expr_unsupported_assignment", span, "An assignment");
                }
                let value = self.expression();
                Expr { span: target.span.to(value.span), kind: Kind::Missing }
            }
            _ => target,
        }
    }

    /// Operators from `lowest` precedence on.
    fn binary(&mut self, lowest: u8) -> Expr {
        let mut left = self.unary();
        while let Some((level, _)) = self.operator().filter(|(level, _)| *level >= lowest) {
            left = self.level(level, left);
        }
        left
    }

    /// A chain of operators of one level, from left to right.
    fn level(&mut self, level: u8, first: Expr) -> Expr {
        let mut rest: Vec<(Operator, Span, Expr)> = Vec::new();
        while let Some((_, operator)) = self.operator().filter(|(found, _)| *found == level) {
            let span = self.bump();
            self.judge(operator, span);
            let operand = self.binary(level + 1);
            rest.push((operator, span, operand));
        }
        let span = rest.last().map_or(first.span, |(_, _, last)| first.span.to(last.span));
        let refused = rest.iter().any(|(operator, ..)| matches!(operator, Operator::Refused(..)));
        if refused {
            return Expr { span, kind: Kind::Missing };
        }
        match rest.first().map(|(operator, ..)| *operator) {
            Some(Operator::Logic(op)) => self.logic(op, span, first, rest),
            _ => {
                let rest = rest.into_iter().filter_map(|(operator, _, operand)| match operator {
                    Operator::Binary(op) => Some((op, operand)),
                    _ => None,
                });
                Expr { span, kind: Kind::Binary(Box::new(first), rest.collect()) }
            }
        }
    }

    /// `||` and `??` share a level here; together they are a slip, as in JavaScript.
    fn logic(&mut self, op: LogicOp, span: Span, first: Expr, rest: Vec<(Operator, Span, Expr)>) -> Expr {
        let coalesces = rest.iter().any(|(operator, ..)| *operator == Operator::Logic(LogicOp::Coalesce));
        let other = rest.iter().find(|(operator, ..)| *operator != Operator::Logic(LogicOp::Coalesce)).map(|(_, span, _)| *span);
        let is_and = |expr: &Expr| matches!(expr.kind, Kind::Logic(LogicOp::And, _)).then_some(expr.span);
        let ands = is_and(&first).or_else(|| rest.iter().find_map(|(_, _, operand)| is_and(operand)));
        if let (true, Some(place)) = (coalesces, other.or(ands)) {
            let message = "`??` and `||` or `&&` need round brackets to show which comes first.";
            self.slip(Problem::error("expr_mixed_coalesce", place, message));
            return Expr { span, kind: Kind::Missing };
        }
        let operands = std::iter::once(first).chain(rest.into_iter().map(|(_, _, operand)| operand)).collect();
        Expr { span, kind: Kind::Logic(op, operands) }
    }

    /// The operator here and its level.
    fn operator(&self) -> Option<(u8, Operator)> {
        use BinaryOp::*;
        let binary = |level, op| Some((level, Operator::Binary(op)));
        let refused = |level, code, what| Some((level, Operator::Refused(code, what)));
        match self.kind() {
            TokenKind::Mark(mark) => match *mark {
                "??" => Some((0, Operator::Logic(LogicOp::Coalesce))),
                "||" => Some((0, Operator::Logic(LogicOp::Or))),
                "&&" => Some((1, Operator::Logic(LogicOp::And))),
                "|" => refused(2, "expr_unsupported_bitwise", "The bitwise operator `|`"),
                "^" => refused(3, "expr_unsupported_bitwise", "The bitwise operator `^`"),
                "&" => refused(4, "expr_unsupported_bitwise", "The bitwise operator `&`"),
                "==" => binary(5, Equal),
                "!=" => binary(5, NotEqual),
                "===" => binary(5, Same),
                "!==" => binary(5, NotSame),
                "<" => binary(6, Less),
                "<=" => binary(6, LessOrEqual),
                ">" => binary(6, Greater),
                ">=" => binary(6, GreaterOrEqual),
                "<<" | ">>" | ">>>" => refused(7, "expr_unsupported_bitwise", "A shift"),
                "+" => binary(8, Add),
                "-" => binary(8, Subtract),
                "*" => binary(9, Multiply),
                "/" => binary(9, Divide),
                "%" => binary(9, Remainder),
                "**" => refused(10, "expr_unsupported_power", "The power operator `**` (there is `Math.pow`)"),
                _ => None,
            },
            TokenKind::Word(word) if word == "in" => refused(6, "expr_unsupported_in", "`in`"),
            TokenKind::Word(word) if word == "instanceof" => refused(6, "expr_unsupported_instanceof", "`instanceof`"),
            _ => None,
        }
    }

    fn judge(&mut self, operator: Operator, span: Span) {
        match operator {
            Operator::Refused(code, what) => self.unsupported(code, span, what),
            Operator::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual)) => {
                let exact = if op == BinaryOp::Equal { "===" } else { "!==" };
                let message =
                    format!("`{}` converts before it compares (`\"5\" == 5`, `null == undefined`); `{exact}` does not.", op.text());
                self.complain(Problem::hint("expr_loose_equality", span, message).with_fix(format!("Use {exact}"), span, exact));
            }
            _ => {}
        }
    }

    fn unary(&mut self) -> Expr {
        let start = self.span();
        let op = match self.kind() {
            TokenKind::Mark("!") => Some(UnaryOp::Not),
            TokenKind::Mark("-") => Some(UnaryOp::Minus),
            TokenKind::Mark("+") => Some(UnaryOp::Plus),
            TokenKind::Word(word) if word == "typeof" => Some(UnaryOp::TypeOf),
            _ => None,
        };
        if let Some(op) = op {
            self.bump();
            let operand = self.nested_unary();
            return Expr { span: start.to(operand.span), kind: Kind::Unary(op, Box::new(operand)) };
        }
        let refused = match self.kind() {
            TokenKind::Mark("~") => Some(("expr_unsupported_bitwise", "The bitwise operator `~`".to_owned())),
            TokenKind::Mark(mark @ ("++" | "--")) => Some(("expr_unsupported_update", format!("`{mark}`"))),
            TokenKind::Mark("...") => Some(("expr_unsupported_spread", "Spread (`...`)".to_owned())),
            TokenKind::Word(word) => match word.as_str() {
                "void" => Some(("expr_unsupported_void", "`void`".to_owned())),
                "delete" => Some(("expr_unsupported_delete", "`delete`".to_owned())),
                "await" => Some(("expr_unsupported_await", "`await`".to_owned())),
                "new" => Some(("expr_unsupported_new", "`new`".to_owned())),
                "yield" => Some(("expr_unsupported_await", "`yield`".to_owned())),
                _ => None,
            },
            _ => None,
        };
        if let Some((code, what)) = refused {
            self.bump();
            self.unsupported(code, start, &what);
            let operand = self.nested_unary();
            return Expr { span: start.to(operand.span), kind: Kind::Missing };
        }
        self.postfix()
    }

    fn nested_unary(&mut self) -> Expr {
        let operand = if self.deeper() { self.unary() } else { self.missing() };
        self.shallower();
        operand
    }

    /// A value and what follows it: members, places, calls.
    fn postfix(&mut self) -> Expr {
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
                        broken |= !self.bracket(start, true, &mut links);
                    } else if optional && self.is("(") {
                        self.unsupported("expr_unsupported_optional_call", start, "An optional call (`?.(`)");
                        self.bump();
                        self.arguments(None);
                        broken = true;
                    } else {
                        broken |= !self.dotted(&mut base, start, optional, &mut links);
                    }
                }
                TokenKind::Mark("[") => broken |= !self.bracket(start, false, &mut links),
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
    fn finish(&mut self, base: Expr, links: Vec<Link>, span: Span) -> Expr {
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
    fn dotted(&mut self, base: &mut Expr, start: Span, optional: bool, links: &mut Vec<Link>) -> bool {
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
    fn namespace(&mut self, base: &mut Expr, object: Text, name: String, span: Span) -> bool {
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
    fn method(&mut self, name: &str, name_span: Span, start: Span, optional: bool, links: &mut Vec<Link>) -> bool {
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
    fn call(&mut self, base: &mut Expr, links: &mut [Link], start: Span) -> bool {
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
    fn bracket(&mut self, start: Span, optional: bool, links: &mut Vec<Link>) -> bool {
        self.bump();
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
    fn close(&mut self, mark: &'static str, opened: Span) {
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
    fn left_over_inside(&mut self) {
        if matches!(self.kind(), TokenKind::Mark("," | ";" | ":")) || self.operator().is_some() {
            self.bump();
        }
        if !matches!(self.kind(), TokenKind::Mark(")" | "]" | "}") | TokenKind::End) {
            self.expression();
        }
    }

    /// Arguments up to `)`. `method`: `Some(None)` for an unknown method, whose arrows are not worth a second complaint.
    fn arguments(&mut self, method: Option<Option<Method>>) -> Vec<Expr> {
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

    /// Whether an arrow function begins here: `x =>`, `(…) =>`, `async x =>`.
    fn arrow_ahead(&self) -> bool {
        match self.kind() {
            TokenKind::Word(_) => matches!(self.kind_at(1), TokenKind::Mark("=>")),
            TokenKind::Mark("(") => {
                let mut open = 0usize;
                for ahead in 0.. {
                    match self.kind_at(ahead) {
                        TokenKind::Mark("(" | "[" | "{") => open += 1,
                        TokenKind::Mark(")" | "]" | "}") => {
                            open -= 1;
                            if open == 0 {
                                return matches!(self.kind_at(ahead + 1), TokenKind::Mark("=>"));
                            }
                        }
                        TokenKind::End => return false,
                        _ => {}
                    }
                }
                false
            }
            _ => false,
        }
    }

    /// An arrow function with an expression as its body.
    fn arrow(&mut self) -> Expr {
        let start = self.span();
        let mut params: Vec<Text> = Vec::new();
        if self.eat("(") {
            while !self.is(")") && !self.at_end() {
                self.parameter(&mut params);
                if !self.eat(",") {
                    break;
                }
            }
            self.close(")", start);
        } else {
            self.parameter(&mut params);
        }
        self.eat("=>");
        let outer = self.locals.len();
        self.locals.extend(params.iter().cloned());
        let body = if !self.deeper() {
            self.missing()
        } else if self.is("{") {
            let span = self.span();
            self.unsupported("expr_unsupported_block", span, "An arrow function with statements in `{ }`");
            self.skip_block();
            self.missing()
        } else if matches!(self.kind(), TokenKind::Mark(")" | ",") | TokenKind::End) {
            let (span, found) = (self.span(), self.found());
            self.slip(Problem::error("expr_expected_operand", span, format!("After `=>` a value is expected, but {found} was found.")));
            self.missing()
        } else {
            self.expression()
        };
        self.shallower();
        self.locals.truncate(outer);
        let span = Span { start: start.start, end: self.end().max(body.span.end) };
        Expr { span, kind: Kind::Arrow(params, Box::new(body)) }
    }

    fn parameter(&mut self, params: &mut Vec<Text>) {
        let span = self.span();
        match self.kind().clone() {
            TokenKind::Word(name) if !is_reserved(&name) && name != "undefined" => {
                self.bump();
                if params.iter().any(|known| known.as_str() == name) {
                    self.slip(Problem::error("expr_doubled_parameter", span, format!("Two parameters are called `{name}`.")));
                }
                params.push(Text::from(name));
                if self.is("=") {
                    let span = self.bump();
                    self.unsupported("expr_unsupported_pattern", span, "A default for a parameter");
                    self.expression();
                }
            }
            TokenKind::Mark("..." | "{" | "[") => {
                self.unsupported("expr_unsupported_pattern", span, "A pattern as a parameter");
                self.skip_to_arrow();
            }
            _ => {
                let found = self.found();
                self.slip(Problem::error(
                    "expr_expected_name",
                    span,
                    format!("A parameter of an arrow function is a name, but {found} was found."),
                ));
                self.skip_to_arrow();
            }
        }
    }

    /// Skips what stands between here and the `)` before `=>`.
    fn skip_to_arrow(&mut self) {
        let mut open = 0usize;
        while !self.at_end() && !self.is("=>") {
            match self.kind() {
                TokenKind::Mark("(" | "[" | "{") => open += 1,
                TokenKind::Mark(")") if open == 0 => return,
                TokenKind::Mark(")" | "]" | "}") => open = open.saturating_sub(1),
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips a block in curly brackets.
    fn skip_block(&mut self) {
        let mut open = 0usize;
        while !self.at_end() {
            if self.is("{") {
                open += 1;
            } else if self.is("}") {
                open = open.saturating_sub(1);
                if open == 0 {
                    self.bump();
                    return;
                }
            }
            self.bump();
        }
    }

    fn primary(&mut self) -> Expr {
        let span = self.span();
        let literal = |value| Expr { span, kind: Kind::Literal(value) };
        match self.kind().clone() {
            TokenKind::Number(number) => {
                self.bump();
                literal(Value::Number(number))
            }
            TokenKind::Text(text) => {
                self.bump();
                literal(Value::text(text))
            }
            TokenKind::Word(word) => self.word(word, span),
            TokenKind::Mark("(") => self.group(span),
            TokenKind::Mark("[") => self.list(span),
            TokenKind::Mark("{") => self.object(span),
            TokenKind::Mark("/" | "/=") => self.regular_expression(span),
            TokenKind::Template => {
                self.bump();
                self.unsupported("expr_unsupported_template", span, "A template literal");
                Expr { span, kind: Kind::Missing }
            }
            TokenKind::Stray => {
                self.bump();
                let found = self.source(span).to_owned();
                let meant = match found.as_str() {
                    "\u{201c}" | "\u{201d}" | "\u{201e}" => Some("\""),
                    "\u{2018}" | "\u{2019}" => Some("'"),
                    _ => None,
                };
                let problem = Problem::error("expr_unexpected_character", span, format!("`{found}` means nothing here."));
                self.slip(match meant {
                    Some(quote) => Problem { message: format!("Texts are written in straight quotes, not in {found}."), ..problem }
                        .with_fix(format!("Use {quote}"), span, quote),
                    None => problem,
                });
                if self.at_end() || matches!(self.kind(), TokenKind::Mark(")" | "]" | "}")) { self.missing() } else { self.unary() }
            }
            TokenKind::Mark(_) | TokenKind::End => {
                let found = self.found();
                if !self.stopped {
                    self.slip(Problem::error("expr_expected_operand", span, format!("A value is expected here, but {found} was found.")));
                }
                // An operator is passed over, so that what follows it is read as well; a closing bracket belongs to someone.
                if self.operator().is_some() || matches!(self.kind(), TokenKind::Mark("." | "?." | "=>" | "=" | "?")) {
                    self.bump();
                    if !matches!(self.kind(), TokenKind::Mark(_) | TokenKind::End) {
                        self.postfix();
                    }
                }
                Expr { span, kind: Kind::Missing }
            }
        }
    }

    fn word(&mut self, word: String, span: Span) -> Expr {
        self.bump();
        let literal = |value| Expr { span, kind: Kind::Literal(value) };
        let constant = |value| Expr { span, kind: Kind::Constant(Text::from(word.as_str()), value) };
        match word.as_str() {
            "true" => return literal(Value::Bool(true)),
            "false" => return literal(Value::Bool(false)),
            "null" => return literal(Value::Null),
            "undefined" => return constant(Value::Undefined),
            "NaN" => return constant(Value::Number(f64::NAN)),
            "Infinity" => return constant(Value::Number(f64::INFINITY)),
            _ => {}
        }
        if let Some(slot) = self.locals.iter().rposition(|local| local.as_str() == word) {
            return Expr { span, kind: Kind::Local(slot, Text::from(word)) };
        }
        let refused = match word.as_str() {
            "this" | "super" => Some(("expr_unsupported_this", format!("`{word}`"))),
            "import" => Some(("expr_unsupported_import", "`import`".to_owned())),
            "function" | "class" => Some(("expr_unsupported_function_definition", format!("`{word}`"))),
            "async" if matches!(self.kind(), TokenKind::Word(_)) => Some(("expr_unsupported_await", "`async`".to_owned())),
            _ if is_reserved(&word) && !matches!(word.as_str(), "eval" | "arguments" | "in" | "instanceof") => {
                Some(("expr_unsupported_statement", format!("The statement `{word}`")))
            }
            "in" | "instanceof" => {
                self.slip(Problem::error("expr_expected_operand", span, format!("A value is expected here, but `{word}` was found.")));
                return Expr { span, kind: Kind::Missing };
            }
            "eval" | "arguments" => Some(("expr_unsupported_global", format!("`{word}`"))),
            _ => None,
        };
        if let Some((code, what)) = refused {
            self.unsupported(code, span, &what);
            // What follows is read for slips of its own, where it can be the word's operand.
            if matches!(self.kind(), TokenKind::Word(_) | TokenKind::Number(_) | TokenKind::Text(_)) {
                self.unary();
            }
            return Expr { span, kind: Kind::Missing };
        }
        if word.eq_ignore_ascii_case("not") && matches!(self.kind(), TokenKind::Word(_)) {
            let message = "`not` is no operator. Did you mean `!`?";
            self.slip(Problem::error("expr_unexpected_token", span, message).with_fix("Use !", span, "!"));
            return self.unary();
        }
        Expr { span, kind: Kind::Name(Root::of(&word), Text::from(word)) }
    }

    fn group(&mut self, start: Span) -> Expr {
        self.bump();
        if !self.deeper() {
            return self.missing();
        }
        let inner = self.expression();
        while self.is(",") {
            let span = self.bump();
            self.unsupported("expr_unsupported_comma", span, "The comma operator");
            if !self.is(")") && !self.at_end() {
                self.expression();
            }
        }
        self.close(")", start);
        self.shallower();
        Expr { span: Span { start: start.start, end: self.end() }, kind: Kind::Group(Box::new(inner)) }
    }

    fn list(&mut self, start: Span) -> Expr {
        self.bump();
        let mut items = Vec::new();
        if !self.deeper() {
            return self.missing();
        }
        while !self.is("]") && !self.at_end() {
            if self.is(",") {
                let span = self.bump();
                self.unsupported("expr_unsupported_hole", span, "A list with a hole (two commas in a row)");
                continue;
            }
            if self.is("...") {
                let span = self.bump();
                self.unsupported("expr_unsupported_spread", span, "Spread (`...`)");
            }
            items.push(self.expression());
            if !self.eat(",") {
                break;
            }
        }
        self.close("]", start);
        self.shallower();
        Expr { span: Span { start: start.start, end: self.end() }, kind: Kind::List(items) }
    }

    fn object(&mut self, start: Span) -> Expr {
        self.bump();
        let mut members = Vec::new();
        if !self.deeper() {
            return self.missing();
        }
        while !self.is("}") && !self.at_end() {
            let before = self.at;
            self.object_member(&mut members);
            if !self.eat(",") {
                break;
            }
            if self.at == before {
                self.bump();
            }
        }
        self.close("}", start);
        self.shallower();
        Expr { span: Span { start: start.start, end: self.end() }, kind: Kind::Object(members) }
    }

    fn object_member(&mut self, members: &mut Vec<(Text, Expr)>) {
        let span = self.span();
        let key = match self.kind().clone() {
            TokenKind::Word(word) => Text::from(word),
            TokenKind::Text(text) => Text::from(text),
            TokenKind::Number(number) => Text::from(super::coerce::number_text(number)),
            TokenKind::Mark("...") => {
                self.bump();
                self.unsupported("expr_unsupported_spread", span, "Spread (`...`)");
                self.expression();
                return;
            }
            TokenKind::Mark("[") => {
                self.bump();
                self.unsupported("expr_unsupported_computed_key", span, "A computed key (`[ ]:`)");
                self.expression();
                self.close("]", span);
                if self.eat(":") {
                    self.expression();
                }
                return;
            }
            _ => {
                let found = self.found();
                self.slip(Problem::error("expr_expected_name", span, format!("A key is expected here, but {found} was found.")));
                return;
            }
        };
        let is_word = matches!(self.kind(), TokenKind::Word(_));
        self.bump();
        if REFUSED_PROPERTIES.contains(&key.as_str()) {
            self.complain(Problem::error(
                "expr_unsupported_property",
                span,
                format!("`{key}` cannot be written; it is not part of the data."),
            ));
        }
        if self.eat(":") {
            let value = self.expression();
            members.push((key, value));
        } else if self.is("(") {
            self.unsupported("expr_unsupported_function_definition", span, "A method in an object");
            self.bump();
            self.arguments(None);
            self.skip_block();
        } else if is_word {
            self.unsupported("expr_unsupported_shorthand", span, "A key without a value (`{ a }` for `{ a: a }`)");
        } else {
            let found = self.found();
            self.slip(Problem::error(
                "expr_expected_colon",
                self.span(),
                format!("After a key `:` and its value are expected, but {found} was found."),
            ));
        }
    }

    /// A regular expression is refused as a whole; what follows it is split anew, since quotes may stand in it.
    fn regular_expression(&mut self, start: Span) -> Expr {
        let (mut in_class, mut escaped, mut end) = (false, false, None);
        for (at, c) in self.text.get(start.start as usize + 1..).unwrap_or("").char_indices() {
            match c {
                '\n' | '\r' => break,
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '[' => in_class = true,
                ']' => in_class = false,
                '/' if !in_class => {
                    end = Some(start.start as usize + 1 + at + 1);
                    break;
                }
                _ => {}
            }
        }
        let Some(end) = end else {
            self.bump();
            self.slip(Problem::error("expr_expected_operand", start, "A value is expected here, but `/` was found."));
            return Expr { span: start, kind: Kind::Missing };
        };
        let flags = self.text.get(end..).unwrap_or("").chars().take_while(char::is_ascii_alphabetic).count();
        let end = end + flags;
        let span = Span::new(start.start as usize, end);
        self.tokens.truncate(self.at);
        // Slips that the first reading found inside the regular expression or behind it are found anew, or are none.
        self.problems.retain(|problem| problem.span.start < span.start);
        let mut fresh = Vec::new();
        let more = tokenize(self.text, end, &mut fresh);
        self.tokens.extend(more);
        self.problems.extend(fresh);
        self.unsupported("expr_unsupported_regex", span, "A regular expression");
        Expr { span, kind: Kind::Missing }
    }
}

/// Whether a name is that of a known function or of an object of such.
fn is_global(name: &str) -> bool {
    Function::of(name).is_some() || methods::NAMESPACES.contains(&name)
}

/// An operator as the parser sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Operator {
    Binary(BinaryOp),
    Logic(LogicOp),
    /// Its code and what to call it.
    Refused(&'static str, &'static str),
}
