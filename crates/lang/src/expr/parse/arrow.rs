//! Arrow functions with an expression as their body.

use super::Parser;
use crate::expr::ast::{Expr, Kind};
use crate::expr::token::TokenKind;
use crate::expr::unicode::is_reserved;
use crate::{Problem, Span, Text};

impl Parser<'_> {
    /// Whether an arrow function begins here: `x =>`, `(…) =>`, `async x =>`.
    pub(super) fn arrow_ahead(&self) -> bool {
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
    pub(super) fn arrow(&mut self) -> Expr {
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

    pub(super) fn parameter(&mut self, params: &mut Vec<Text>) {
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
    pub(super) fn skip_to_arrow(&mut self) {
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
    pub(super) fn skip_block(&mut self) {
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
}
