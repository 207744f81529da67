//! Where an operand begins: literals, names, brackets, and what is refused there.

use super::Parser;
use crate::expr::ast::{Expr, Kind, Root};
use crate::expr::coerce::number_text;
use crate::expr::eval::REFUSED_PROPERTIES;
use crate::expr::token::{TokenKind, tokenize};
use crate::expr::unicode::is_reserved;
use crate::{Problem, Span, Text, Value};

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Expr {
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

    pub(super) fn word(&mut self, word: String, span: Span) -> Expr {
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

    pub(super) fn group(&mut self, start: Span) -> Expr {
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

    pub(super) fn list(&mut self, start: Span) -> Expr {
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

    pub(super) fn object(&mut self, start: Span) -> Expr {
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

    pub(super) fn object_member(&mut self, members: &mut Vec<(Text, Expr)>) {
        let span = self.span();
        let key = match self.kind().clone() {
            TokenKind::Word(word) => Text::from(word),
            TokenKind::Text(text) => Text::from(text),
            TokenKind::Number(number) => Text::from(number_text(number)),
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
    pub(super) fn regular_expression(&mut self, start: Span) -> Expr {
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
