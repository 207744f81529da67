//! The reader: a loop over the text with a stack of open lists and objects. It goes on after a slip, so that one mistake
//! does not hide the next and half-typed text still has a tree.

use super::{Member, Node, NodeKind, Parsed};
use crate::value::Shape;
use crate::{Problem, Severity, Span, Text, Value, limits, number};

/// After so many errors the rest would be noise.
const MOST_ERRORS: usize = 25;
/// Most warnings of one text.
const MOST_WARNINGS: usize = 100;

/// Reads one JSON text (strict; a byte-order mark is let through). Never fails, never panics.
pub fn parse(text: &str) -> Parsed {
    let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut reader = Reader { text, at, problems: Vec::new(), errors: 0, warnings: 0 };
    let node = reader.document();
    if reader.errors == 0 {
        Parsed { root: node, partial: None, problems: reader.problems }
    } else {
        Parsed { root: None, partial: node, problems: reader.problems }
    }
}

pub(super) struct Reader<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    problems: Vec<Problem>,
    errors: usize,
    warnings: usize,
}

/// A list or an object that is not closed yet.
enum Open {
    List { start: usize, items: Vec<Node> },
    Object { start: usize, members: Vec<Member>, key: Option<(Text, Span)> },
}

impl Open {
    fn closer(&self) -> char {
        if matches!(self, Self::List { .. }) { ']' } else { '}' }
    }
    fn start(&self) -> usize {
        match self {
            Self::List { start, .. } | Self::Object { start, .. } => *start,
        }
    }
}

#[derive(Clone, Copy)]
enum Expect {
    /// A value. In a list, `comma` is where the comma before it stands.
    Value { comma: Option<usize> },
    /// A key and its colon, or the object's end.
    Key { comma: Option<usize> },
    /// A comma or the end of what is open.
    CommaOrEnd,
}

impl Reader<'_> {
    pub(super) fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn slice(&self, from: usize, to: usize) -> &str {
        self.text.get(from..to).unwrap_or_default()
    }

    pub(super) fn error(&mut self, problem: Problem) {
        self.errors += 1;
        if self.errors <= MOST_ERRORS {
            self.problems.push(problem);
        }
    }

    pub(super) fn warning(&mut self, problem: Problem) {
        debug_assert_eq!(problem.severity, Severity::Warning);
        self.warnings += 1;
        if self.warnings <= MOST_WARNINGS {
            self.problems.push(problem);
        }
    }

    fn line(&self, offset: usize) -> usize {
        super::line_column(self.text, offset).0
    }

    /// The character at the cursor, as a message shows it.
    fn found(&self) -> String {
        match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            None => "the end of the text".to_owned(),
            Some(char) if char.is_control() || char.is_whitespace() => format!("the character U+{:04X}", u32::from(char)),
            Some(char) => format!("`{char}`"),
        }
    }

    fn char_span(&self) -> Span {
        let length = self.text.get(self.at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        Span::new(self.at, self.at + length)
    }

    fn skip_char(&mut self) {
        self.at = (self.char_span().end as usize).max(self.at + 1).min(self.text.len());
    }

    /// Skips white space, and comments with an error.
    fn white(&mut self) {
        loop {
            match self.byte() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(b'/') => {
                    let rest = self.slice(self.at, self.text.len());
                    let length = if rest.starts_with("//") {
                        rest.find(['\n', '\r']).unwrap_or(rest.len())
                    } else if rest.starts_with("/*") {
                        rest.find("*/").map_or(rest.len(), |end| end + 2)
                    } else {
                        return;
                    };
                    let span = Span::new(self.at, self.at + length);
                    self.error(Problem::error("json_comment", span, "JSON has no comments; found one here.").with_fix(
                        "Remove the comment",
                        span,
                        "",
                    ));
                    self.at += length;
                }
                _ => return,
            }
        }
    }

    fn document(&mut self) -> Option<Node> {
        self.white();
        if self.byte().is_none() {
            self.error(Problem::error("json_empty", Span::new(self.at, self.at), "There is nothing here; expected a JSON value."));
            return None;
        }
        let mut open: Vec<Open> = Vec::new();
        let mut expect = Expect::Value { comma: None };
        let mut root = None;
        while self.errors < MOST_ERRORS {
            self.white();
            if self.byte().is_none() {
                self.unexpected_end(&open, expect);
                break;
            }
            let next = match expect {
                Expect::Value { comma } => self.value(&mut open, comma, &mut root),
                Expect::Key { comma } => self.key(&mut open, comma, &mut root),
                Expect::CommaOrEnd => self.comma_or_end(&mut open, &mut root),
            };
            match next {
                Some(next) => expect = next,
                None => break,
            }
            if open.is_empty() && root.is_some() {
                self.white();
                if self.byte().is_some() {
                    let message = format!("The JSON value ends before this; found {}, expected nothing more.", self.found());
                    self.error(Problem::error("json_text_after_end", Span::new(self.at, self.text.len()), message));
                }
                return root;
            }
        }
        // What is open when the text ends (or was given up) is still worth a tree.
        while let Some(top) = open.pop() {
            let node = self.closed(top);
            attach(node, &mut open, &mut root);
        }
        root
    }

    fn unexpected_end(&mut self, open: &[Open], expect: Expect) {
        let end = self.text.trim_end().len();
        let expected = match expect {
            Expect::Value { .. } => "a value".to_owned(),
            Expect::Key { .. } => "a key in double quotes".to_owned(),
            Expect::CommaOrEnd => "a comma".to_owned(),
        };
        let problem = match open.last() {
            // Something was there, and has been reported.
            None if self.errors > 0 => return,
            None => Problem::error("json_unexpected_end", Span::new(end, end), format!("The text ends here; expected {expected}.")),
            Some(top) => {
                let line = self.line(top.start());
                let (what, closer) = (if top.closer() == ']' { "list" } else { "object" }, top.closer());
                let message = format!(
                    "The text ends here, but the {what} that begins in line {line} is not closed; expected {expected} or `{closer}`."
                );
                let problem = Problem::error("json_unexpected_end", Span::new(end, end), message);
                if matches!(expect, Expect::CommaOrEnd) {
                    let closers: String = open.iter().rev().map(Open::closer).collect();
                    let label = format!("Close it with {closers}");
                    problem.with_fix(label, Span::new(end, end), closers)
                } else {
                    problem
                }
            }
        };
        self.error(problem);
    }

    /// `None`: give up.
    fn value(&mut self, open: &mut Vec<Open>, comma: Option<usize>, root: &mut Option<Node>) -> Option<Expect> {
        let start = self.at;
        let scalar = match self.byte()? {
            byte @ (b'[' | b'{') => {
                if open.len() >= limits::JSON_DEPTH {
                    let message = format!("This is nested more than {} levels deep.", limits::JSON_DEPTH);
                    self.error(Problem::error("json_too_deep", self.char_span(), message));
                    return None;
                }
                self.at += 1;
                if byte == b'[' {
                    open.push(Open::List { start, items: Vec::new() });
                    return Some(Expect::Value { comma: None });
                }
                open.push(Open::Object { start, members: Vec::new(), key: None });
                return Some(Expect::Key { comma: None });
            }
            b'"' => Value::Text(self.string()),
            b'\'' => Value::Text(self.single_quoted()),
            b'-' | b'+' | b'.' | b'0'..=b'9' => self.number(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => self.word(),
            b']' | b'}' | b',' => return self.no_value(open, comma, root),
            _ => {
                let message = format!("Found {}, expected a value.", self.found());
                self.error(Problem::error("json_value_expected", self.char_span(), message));
                self.skip_char();
                return Some(Expect::Value { comma });
            }
        };
        attach(Node { span: Span::new(start, self.at), kind: NodeKind::Scalar(scalar) }, open, root);
        Some(Expect::CommaOrEnd)
    }

    /// At a comma or a closing bracket where a value should be: the end of an empty list, or a slip.
    fn no_value(&mut self, open: &mut Vec<Open>, comma: Option<usize>, root: &mut Option<Node>) -> Option<Expect> {
        let byte = self.byte()?;
        match (open.last_mut(), byte) {
            (Some(Open::List { items, .. }), b']') if comma.is_some() || items.is_empty() => {
                self.trailing_comma(comma, "]");
                return self.comma_or_end(open, root);
            }
            (Some(Open::List { .. }), b',') => {
                self.error(Problem::error("json_value_expected", self.char_span(), "A value is missing before this comma.").with_fix(
                    "Remove the comma",
                    self.char_span(),
                    "",
                ));
                let comma = Some(self.at);
                self.at += 1;
                return Some(Expect::Value { comma });
            }
            (Some(Open::Object { key: Some((key, _)), .. }), _) => {
                let message = format!("The key {} has no value; found {}, expected a value.", super::quote(key), self.found());
                self.error(Problem::error("json_value_expected", self.char_span(), message));
                attach(Node { span: Span::new(self.at, self.at), kind: NodeKind::Scalar(Value::Null) }, open, root);
            }
            _ => {
                let message = format!("Found {}, expected a value.", self.found());
                self.error(Problem::error("json_value_expected", self.char_span(), message));
                if open.is_empty() {
                    self.skip_char();
                    return Some(Expect::Value { comma });
                }
            }
        }
        Some(Expect::CommaOrEnd)
    }

    fn trailing_comma(&mut self, comma: Option<usize>, closer: &str) {
        if let Some(comma) = comma {
            let span = Span::new(comma, comma + 1);
            let message = format!("A comma before `{closer}`; JSON allows none after the last entry.");
            self.error(Problem::error("json_trailing_comma", span, message).with_fix("Remove the comma", span, ""));
        }
    }

    fn key(&mut self, open: &mut Vec<Open>, comma: Option<usize>, root: &mut Option<Node>) -> Option<Expect> {
        let start = self.at;
        let name = match self.byte()? {
            b'"' => self.string(),
            b'\'' => self.single_quoted(),
            b'}' => {
                self.trailing_comma(comma, "}");
                return self.comma_or_end(open, root);
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => {
                let end = self.word_end();
                let span = Span::new(start, end);
                let name = Text::from(self.slice(start, end));
                self.at = end;
                let quoted = super::quote(&name);
                let message = format!("Found the key `{name}` without quotes; expected {quoted}.");
                self.error(Problem::error("json_unquoted_key", span, message).with_fix("Put it in quotes", span, quoted));
                name
            }
            b']' => {
                let message = "Found `]`, expected a key in double quotes or `}`.";
                self.error(Problem::error("json_key_expected", self.char_span(), message));
                return self.comma_or_end(open, root);
            }
            _ => {
                let message = format!("Found {}, expected a key in double quotes.", self.found());
                self.error(Problem::error("json_key_expected", self.char_span(), message));
                let comma = if self.byte() == Some(b',') { Some(self.at) } else { comma };
                self.skip_char();
                return Some(Expect::Key { comma });
            }
        };
        let span = Span::new(start, self.at);
        if let Some(Open::Object { key, .. }) = open.last_mut() {
            *key = Some((name, span));
        }
        self.white();
        if self.byte() == Some(b':') {
            self.at += 1;
            return Some(Expect::Value { comma: None });
        }
        let end = span.end as usize;
        let message = format!("Found {} after the key, expected `:`.", self.found());
        let problem = Problem::error("json_colon_expected", Span::new(start, end), message);
        // `=` and `=>` are what other languages write.
        if self.byte() == Some(b'=') {
            let length = if self.slice(self.at, self.at + 2) == "=>" { 2 } else { 1 };
            let span = Span::new(self.at, self.at + length);
            self.error(Problem { span, ..problem }.with_fix("Use a colon", span, ":"));
            self.at += length;
        } else {
            self.error(problem.with_fix("Insert a colon", Span::new(end, end), ":"));
        }
        Some(Expect::Value { comma: None })
    }

    fn comma_or_end(&mut self, open: &mut Vec<Open>, root: &mut Option<Node>) -> Option<Expect> {
        let top = open.last()?;
        let closer = top.closer();
        let in_list = closer == ']';
        match self.byte()? {
            b',' => {
                let comma = Some(self.at);
                self.at += 1;
                Some(if in_list { Expect::Value { comma } } else { Expect::Key { comma } })
            }
            byte @ (b']' | b'}') => {
                if char::from(byte) != closer {
                    let line = self.line(top.start());
                    let what = if in_list { "list" } else { "object" };
                    let found = char::from(byte);
                    let message = format!("Found `{found}`, but the {what} that begins in line {line} ends with `{closer}`.");
                    let span = self.char_span();
                    self.error(Problem::error("json_wrong_bracket", span, message).with_fix(format!("Use `{closer}`"), span, closer));
                    // Whichever is open and ends like this is what was meant; if none is, the innermost was.
                    if open.iter().any(|open| open.closer() == found) {
                        while open.last().is_some_and(|top| top.closer() != found) {
                            if let Some(top) = open.pop() {
                                let node = self.closed(top);
                                attach(node, open, root);
                            }
                        }
                    }
                }
                self.at += 1;
                let top = open.pop()?;
                let node = self.closed(top);
                attach(node, open, root);
                Some(Expect::CommaOrEnd)
            }
            b'"' | b'\'' | b'-' | b'+' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'[' | b'{' => {
                let end = self.slice(0, self.at).trim_end().len();
                let message = format!("Found {}, expected a comma or `{closer}`.", self.found());
                let problem = Problem::error("json_comma_expected", self.char_span(), message);
                self.error(problem.with_fix("Insert a comma", Span::new(end, end), ","));
                Some(if in_list { Expect::Value { comma: None } } else { Expect::Key { comma: None } })
            }
            _ => {
                let message = format!("Found {}, expected a comma or `{closer}`.", self.found());
                self.error(Problem::error("json_comma_expected", self.char_span(), message));
                self.skip_char();
                Some(Expect::CommaOrEnd)
            }
        }
    }

    /// The node of a list or object that ends at the cursor.
    fn closed(&mut self, open: Open) -> Node {
        match open {
            Open::List { start, items } => Node { span: Span::new(start, self.at), kind: NodeKind::List(items) },
            Open::Object { start, members, key } => {
                let mut members = members;
                if let Some((key, key_span)) = key {
                    let value = Node { span: Span::new(self.at, self.at), kind: NodeKind::Scalar(Value::Null) };
                    members.push(Member { key, key_span, value });
                }
                self.doubled_keys(&members);
                Node { span: Span::new(start, self.at), kind: NodeKind::Object(members) }
            }
        }
    }

    fn doubled_keys(&mut self, members: &[Member]) {
        let doubled = |member: &Member| {
            let message = format!("The key {} is here more than once; the last one counts.", super::quote(&member.key));
            Problem::warning("json_doubled_key", member.key_span, message)
        };
        if members.len() <= 8 {
            for (index, member) in members.iter().enumerate() {
                if members.iter().take(index).any(|before| before.key == member.key) {
                    self.warning(doubled(member));
                }
            }
            return;
        }
        let mut seen = Shape::default();
        for member in members {
            if seen.find(&member.key).is_some() {
                self.warning(doubled(member));
            } else {
                seen.push(member.key.clone());
            }
        }
    }

    fn word_end(&self) -> usize {
        let rest = self.slice(self.at, self.text.len());
        self.at + rest.find(|char: char| !char.is_alphanumeric() && char != '_' && char != '$').unwrap_or(rest.len())
    }

    fn word(&mut self) -> Value {
        let end = self.word_end();
        let span = Span::new(self.at, end);
        let word = self.slice(self.at, end).to_owned();
        self.at = end;
        let known = |word: &str| match word {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            "null" => Some(Value::Null),
            _ => None,
        };
        if let Some(value) = known(&word) {
            return value;
        }
        let lower = word.to_ascii_lowercase();
        let meant = match lower.as_str() {
            "true" | "false" | "null" => lower.as_str(),
            "none" | "nil" | "undefined" | "nan" | "infinity" => "null",
            _ => "",
        };
        let problem = if meant.is_empty() {
            let quoted = super::quote(&word);
            let message = format!("Found the word `{word}`, expected a value; a text stands in double quotes: {quoted}.");
            Problem::error("json_unknown_word", span, message).with_fix("Put it in quotes", span, quoted)
        } else {
            let message = format!("JSON has no `{word}`; the nearest it has is `{meant}`.");
            Problem::error("json_unknown_word", span, message).with_fix(format!("Use {meant}"), span, meant)
        };
        self.error(problem);
        known(meant).unwrap_or(Value::Text(Text::from(word)))
    }

    fn number(&mut self) -> Value {
        let rest = self.slice(self.at, self.text.len());
        let length = rest.bytes().position(|byte| !byte.is_ascii_alphanumeric() && !b"+-._".contains(&byte)).unwrap_or(rest.len());
        let text = rest.get(..length).unwrap_or_default();
        if let Some(value) = number::parse_json(text) {
            self.at += length;
            return value;
        }
        let span = Span::new(self.at, self.at + length);
        let (reason, meant) = malformed(text);
        let problem = Problem::error("json_number", span, format!("`{text}` is not a number as JSON writes it: {reason}."));
        let value = meant.as_deref().and_then(number::parse_json).unwrap_or(Value::Null);
        self.error(match meant {
            Some(meant) => problem.with_fix(format!("Use {meant}"), span, meant),
            None => problem,
        });
        self.at += length;
        value
    }
}

/// Why that is no number, and which number was probably meant.
fn malformed(text: &str) -> (&'static str, Option<String>) {
    let sign = if text.starts_with('-') { "-" } else { "" };
    let digits = text.trim_start_matches(['-', '+']);
    let (reason, meant) = if text.starts_with('+') {
        ("it has no plus sign in front", digits.to_owned())
    } else if digits.starts_with("0x") || digits.starts_with("0X") {
        let hex = digits.get(2..).and_then(|hex| u64::from_str_radix(hex, 16).ok());
        ("hexadecimal is not allowed", hex.map(|value| format!("{sign}{value}")).unwrap_or_default())
    } else if digits.contains('_') {
        ("digits stand without `_` between them", format!("{sign}{}", digits.replace('_', "")))
    } else if digits.starts_with('.') {
        ("a digit stands before the point", format!("{sign}0{digits}"))
    } else if digits.ends_with('.') {
        ("a digit stands after the point", format!("{sign}{digits}0"))
    } else if digits.len() > 1 && digits.starts_with('0') {
        let trimmed = digits.trim_start_matches('0');
        let zero = if trimmed.starts_with(|char: char| char.is_ascii_digit()) { "" } else { "0" };
        ("it has no leading zeros", format!("{sign}{zero}{trimmed}"))
    } else if digits.is_empty() {
        ("digits are missing", String::new())
    } else {
        ("it is digits, then perhaps a fraction and an exponent", String::new())
    };
    (reason, number::is_json_number(&meant).then_some(meant))
}

/// Puts a finished node where it belongs.
fn attach(node: Node, open: &mut [Open], root: &mut Option<Node>) {
    match open.last_mut() {
        None => *root = Some(node),
        Some(Open::List { items, .. }) => items.push(node),
        Some(Open::Object { members, key, .. }) => {
            if let Some((key, key_span)) = key.take() {
                members.push(Member { key, key_span, value: node });
            }
        }
    }
}
