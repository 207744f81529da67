//! Splits an expression's text into tokens. Never fails: what is no token is one of its own kind, with a problem.

use super::unicode::{continues_name, is_js_space, starts_name};
use crate::{Problem, Span};

/// One token and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub(crate) span: Span,
    pub(crate) kind: TokenKind,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenKind {
    /// A number.
    Number(f64),
    /// A text literal, escapes resolved.
    Text(String),
    /// A name or a word of the language.
    Word(String),
    /// Brackets, dots, operators.
    Mark(&'static str),
    /// A template literal, back ticks included.
    Template,
    /// A character that starts nothing.
    Stray,
    /// The end of the text.
    End,
}

/// Marks, longest first, so that the first that fits is the right one.
const MARKS: &[&str] = &[
    ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=", "<=", ">=", "&&", "||", "??", "?.",
    "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "**", "(", ")", "[", "]", "{", "}", ".", ",", ";", ":", "?",
    "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "!", "~", "=",
];

/// The tokens of `text` from byte `from` on, the end included, and what was wrong with them.
pub(crate) fn tokenize(text: &str, from: usize, problems: &mut Vec<Problem>) -> Vec<Token> {
    let mut lexer = Lexer { text, at: from, tokens: Vec::new(), problems };
    lexer.run();
    lexer.tokens
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
    problems: &'a mut Vec<Problem>,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn push(&mut self, start: usize, kind: TokenKind) {
        self.tokens.push(Token { span: Span::new(start, self.at), kind });
    }

    fn run(&mut self) {
        while let Some(c) = self.peek() {
            let start = self.at;
            if is_js_space(c) {
                self.at += c.len_utf8();
            } else if self.rest().starts_with("/*") {
                self.block_comment(start);
            } else if self.rest().starts_with("//") {
                let length = self.rest().find(['\n', '\r', '\u{2028}', '\u{2029}']).unwrap_or(self.rest().len());
                self.at += length;
                let span = Span::new(start, self.at);
                self.problems.push(Problem::error("expr_unsupported_comment", span, "A `//` comment cannot stand in an expression."));
            } else if c.is_ascii_digit() || (c == '.' && self.rest().chars().nth(1).is_some_and(|next| next.is_ascii_digit())) {
                self.number(start);
            } else if c == '"' || c == '\'' {
                self.text_literal(start, c);
            } else if c == '`' {
                self.template(start);
            } else if starts_name(c) {
                let length = self.rest().find(|c: char| !continues_name(c)).unwrap_or(self.rest().len());
                self.at += length;
                let word = self.text.get(start..self.at).unwrap_or("").to_owned();
                self.push(start, TokenKind::Word(word));
            } else if let Some(mark) = self.mark() {
                self.at += mark.len();
                self.push(start, TokenKind::Mark(mark));
            } else {
                self.at += c.len_utf8();
                self.push(start, TokenKind::Stray);
            }
        }
        self.push(self.text.len(), TokenKind::End);
    }

    fn mark(&self) -> Option<&'static str> {
        let rest = self.rest();
        // `a?.5:1` is a conditional with `.5` in it.
        let number_follows = rest.strip_prefix("?.").is_some_and(|after| after.starts_with(|c: char| c.is_ascii_digit()));
        MARKS.iter().find(|mark| rest.starts_with(**mark) && !(**mark == "?." && number_follows)).copied()
    }

    fn block_comment(&mut self, start: usize) {
        match self.rest().find("*/") {
            Some(length) => self.at += length + 2,
            None => {
                self.at = self.text.len();
                let span = Span::new(start, self.at);
                self.problems.push(Problem::error("expr_unterminated_comment", span, "This comment has no end; `*/` is missing."));
            }
        }
    }

    /// A template literal is refused as a whole; it is read so that what follows it still makes sense.
    fn template(&mut self, start: usize) {
        self.at += 1;
        while let Some(c) = self.peek() {
            self.at += c.len_utf8();
            match c {
                '`' => break,
                '\\' => self.at += self.peek().map_or(0, char::len_utf8),
                _ => {}
            }
        }
        self.push(start, TokenKind::Template);
    }

    fn text_literal(&mut self, start: usize, quote: char) {
        self.at += 1;
        let mut units: Vec<u16> = Vec::new();
        let mut text = String::new();
        let flush = |units: &mut Vec<u16>, text: &mut String| {
            text.push_str(&String::from_utf16_lossy(units));
            units.clear();
        };
        loop {
            let Some(c) = self.peek() else {
                self.unterminated(start, quote);
                break;
            };
            if c == '\n' || c == '\r' {
                self.unterminated(start, quote);
                break;
            }
            self.at += c.len_utf8();
            if c == quote {
                break;
            }
            if c != '\\' {
                flush(&mut units, &mut text);
                text.push(c);
                continue;
            }
            match self.escape() {
                Some(Escape::Unit(unit)) => units.push(unit),
                Some(Escape::Char(c)) => {
                    flush(&mut units, &mut text);
                    text.push(c);
                }
                None => {}
            }
        }
        flush(&mut units, &mut text);
        self.push(start, TokenKind::Text(text));
    }

    fn unterminated(&mut self, start: usize, quote: char) {
        let span = Span::new(start, self.at);
        let problem = Problem::error("expr_unterminated_text", span, format!("This text has no end; {quote} is missing.")).with_fix(
            format!("Add {quote}"),
            Span::new(self.at, self.at),
            quote.to_string(),
        );
        self.problems.push(problem);
    }

    /// After a backslash: what it stands for; `None` for nothing (a line continuation, or an escape that was wrong).
    fn escape(&mut self) -> Option<Escape> {
        let start = self.at - 1;
        let c = self.peek()?;
        self.at += c.len_utf8();
        let simple = |c| Some(Escape::Char(c));
        match c {
            'n' => simple('\n'),
            't' => simple('\t'),
            'r' => simple('\r'),
            'b' => simple('\u{8}'),
            'f' => simple('\u{c}'),
            'v' => simple('\u{b}'),
            '0' if !self.peek().is_some_and(|next| next.is_ascii_digit()) => simple('\0'),
            '0'..='9' => self.bad_escape(start, "Octal escapes are not allowed; write `\\x` and two hexadecimal digits."),
            '\r' => {
                if self.peek() == Some('\n') {
                    self.at += 1;
                }
                None
            }
            '\n' | '\u{2028}' | '\u{2029}' => None,
            'x' => match self.hex(2) {
                Some(unit) => Some(Escape::Unit(unit as u16)),
                None => self.bad_escape(start, "`\\x` needs two hexadecimal digits."),
            },
            'u' if self.peek() == Some('{') => {
                self.at += 1;
                let length = self.rest().find('}').unwrap_or(0);
                let code =
                    self.rest().get(..length).and_then(|digits| u32::from_str_radix(digits, 16).ok()).filter(|code| *code <= 0x10_FFFF);
                let Some(code) = code else { return self.bad_escape(start, "`\\u{` needs a code point and `}`.") };
                self.at += length + 1;
                Some(char::from_u32(code).map_or(Escape::Unit(code as u16), Escape::Char))
            }
            'u' => match self.hex(4) {
                Some(unit) => Some(Escape::Unit(unit as u16)),
                None => self.bad_escape(start, "`\\u` needs four hexadecimal digits."),
            },
            other => simple(other),
        }
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let text = self.rest().get(..digits).filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        let value = u32::from_str_radix(text, 16).ok()?;
        self.at += digits;
        Some(value)
    }

    fn bad_escape(&mut self, start: usize, message: &str) -> Option<Escape> {
        self.problems.push(Problem::error("expr_bad_escape", Span::new(start, self.at), message));
        None
    }

    fn number(&mut self, start: usize) {
        let bytes = self.text.as_bytes();
        let radix = match (bytes.get(start), bytes.get(start + 1)) {
            (Some(b'0'), Some(b'x' | b'X')) => 16,
            (Some(b'0'), Some(b'o' | b'O')) => 8,
            (Some(b'0'), Some(b'b' | b'B')) => 2,
            _ => 10,
        };
        let value = if radix == 10 { self.decimal(start) } else { self.prefixed(start, radix) };
        if self.rest().starts_with('n') && !self.rest().chars().nth(1).is_some_and(continues_name) {
            self.at += 1;
            let span = Span::new(start, self.at);
            let digits = self.text.get(start..self.at - 1).unwrap_or("").to_owned();
            self.problems.push(
                Problem::error("expr_unsupported_bigint", span, format!("`{digits}n` is a BigInt, which expressions do not have."))
                    .with_fix(format!("Use {digits}"), span, digits),
            );
        } else if self.peek().is_some_and(continues_name) {
            let tail = self.at;
            let length = self.rest().find(|c: char| !continues_name(c)).unwrap_or(self.rest().len());
            self.at += length;
            let word = self.text.get(tail..self.at).unwrap_or("").to_owned();
            self.problems.push(Problem::error(
                "expr_bad_number",
                Span::new(start, self.at),
                format!("`{word}` cannot follow a number directly."),
            ));
        }
        self.push(start, TokenKind::Number(value));
    }

    /// Digits with `_` between them; gives them without.
    fn digits(&mut self, radix: u32, into: &mut String) {
        let begin = self.at;
        while let Some(c) = self.peek() {
            if c.is_digit(radix) {
                into.push(c);
                self.at += 1;
            } else if c == '_' {
                let before = self.at > begin && self.text.as_bytes().get(self.at - 1) != Some(&b'_');
                let after = self.rest().chars().nth(1).is_some_and(|next| next.is_digit(radix));
                self.at += 1;
                if !(before && after) {
                    let span = Span::new(self.at - 1, self.at);
                    self.problems.push(Problem::error("expr_bad_number", span, "`_` may only stand between two digits."));
                }
            } else {
                break;
            }
        }
    }

    fn prefixed(&mut self, start: usize, radix: u32) -> f64 {
        self.at = start + 2;
        let mut digits = String::new();
        self.digits(radix, &mut digits);
        if digits.is_empty() {
            let span = Span::new(start, self.at);
            self.problems.push(Problem::error("expr_bad_number", span, "Digits are missing after the prefix."));
        }
        super::coerce::digits_to_number(&digits, radix)
    }

    fn decimal(&mut self, start: usize) -> f64 {
        let mut text = String::new();
        self.digits(10, &mut text);
        if text.len() > 1 && text.starts_with('0') {
            let span = Span::new(start, self.at);
            let shorter = text.trim_start_matches('0').to_owned();
            let shorter = if shorter.is_empty() { "0".to_owned() } else { shorter };
            self.problems.push(
                Problem::error("expr_bad_number", span, "A number may not start with 0; octal numbers are written `0o…`.").with_fix(
                    format!("Use {shorter}"),
                    span,
                    shorter,
                ),
            );
        }
        if self.peek() == Some('.') {
            self.at += 1;
            text.push('.');
            self.digits(10, &mut text);
        }
        if let Some('e' | 'E') = self.peek() {
            let rest = self.rest().as_bytes();
            let signed = matches!(rest.get(1), Some(b'+' | b'-'));
            let digit = rest.get(if signed { 2 } else { 1 });
            if digit.is_some_and(u8::is_ascii_digit) {
                text.push('e');
                if signed {
                    text.push(if rest.get(1) == Some(&b'-') { '-' } else { '+' });
                }
                self.at += if signed { 2 } else { 1 };
                self.digits(10, &mut text);
            }
        }
        text.trim_end_matches('.').parse().or_else(|_| text.replace(".e", ".0e").parse()).unwrap_or(f64::NAN)
    }
}

enum Escape {
    Char(char),
    Unit(u16),
}
