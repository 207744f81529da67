//! Reads an expression: operators by precedence, recovery after each slip so that one does not hide the next, and a name of its own
//! for every construct of JavaScript that the language leaves out.

mod arrow;
mod chain;
mod primary;

use super::Parsed;
use super::ast::{BinaryOp, Expr, Kind, LogicOp, UnaryOp};
use super::token::{Token, TokenKind, tokenize};
use crate::{Problem, Span, Text, limits};

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
}

/// An operator as the parser sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Operator {
    Binary(BinaryOp),
    Logic(LogicOp),
    /// Its code and what to call it.
    Refused(&'static str, &'static str),
}
