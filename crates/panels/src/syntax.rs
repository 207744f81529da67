//! Colours of what is typed: a mapping text, an expression, or JSON, cut into spans that cover the text without gaps.

use loopwright_lang::{Severity, Span};

/// What a piece of text is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// White space and whatever has no colour of its own.
    Plain,
    /// A root: `payload`, a loop variable.
    Root,
    /// What stands after a dot.
    Path,
    /// A string, or text passed on as it is.
    Text,
    /// A number, `true`, `false`, `null`, `undefined`.
    Number,
    /// An operator, a bracket, `{{`.
    Operator,
    /// A key of an object, the prefix `static:`.
    Key,
}

/// How to read the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A mapping text: `static:`, a reference, a template, or plain text (language.md, "Input mapping").
    Mapping,
    /// An expression or a path.
    Expression,
    /// JSON.
    Json,
    /// Text without a meaning of its own.
    Text,
}

/// A piece of one colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Where it stands, in bytes.
    pub span: Span,
    /// Its colour.
    pub class: Class,
}

/// A piece of one colour and one underline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where it stands, in bytes.
    pub span: Span,
    /// Its colour.
    pub class: Class,
    /// The worst problem that lies under it.
    pub squiggle: Option<Severity>,
}

/// Roots every mapping knows; loop variables come on top.
pub const ROOTS: [&str; 9] = ["payload", "data", "context", "conversation", "stepResult", "flowContext", "results", "errors", "index"];

/// Cuts `text` into pieces that cover it. `variables` are the loop variables in sight.
pub fn tokens(text: &str, mode: Mode, variables: &[&str]) -> Vec<Token> {
    let mut out = Vec::new();
    match mode {
        Mode::Text => push(&mut out, 0, text.len(), Class::Text),
        Mode::Expression => expression(text, 0, variables, &mut out),
        Mode::Json => json(text, &mut out),
        Mode::Mapping => mapping(text, variables, &mut out),
    }
    out
}

/// Lays problems under tokens. The pieces cover the text; an empty span at the end of the text underlines its last character.
pub fn pieces(text: &str, tokens: &[Token], problems: &[(Span, Severity)]) -> Vec<Piece> {
    let marks: Vec<(usize, usize, Severity)> =
        problems.iter().filter_map(|(span, severity)| widen(text, *span).map(|(a, b)| (a, b, *severity))).collect();
    let mut cuts: Vec<usize> = marks.iter().flat_map(|(a, b, _)| [*a, *b]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut out = Vec::new();
    for token in tokens {
        let range = token.span.range();
        let mut from = range.start;
        for cut in cuts.iter().copied().filter(|cut| range.contains(cut)).chain([range.end]) {
            if cut > from {
                let squiggle = marks.iter().filter(|(a, b, _)| *a <= from && cut <= *b).map(|(.., severity)| *severity).min();
                out.push(Piece { span: Span::new(from, cut), class: token.class, squiggle });
                from = cut;
            }
        }
    }
    out
}

/// The words of `span` that a fix changes: `emial` of `customer.emial`, where the fix writes `customer.email`. All of `span`
/// where the fix changes nothing in it, or is about something else.
pub fn wrong_part(text: &str, span: Span, fix: Span, with: &str) -> Span {
    let (Some(old), true) = (text.get(fix.range()), fix == span) else { return span };
    // A fix that only puts something before or after it is about the whole.
    if with.ends_with(old) || with.starts_with(old) {
        return span;
    }
    let same =
        old.char_indices().zip(with.chars()).take_while(|((_, a), b)| a == b).map(|((at, a), _)| at + a.len_utf8()).last().unwrap_or(0);
    let rest = old.get(same..).unwrap_or_default();
    let new_rest = with.get(same..).unwrap_or_default();
    let tail: usize = rest.chars().rev().zip(new_rest.chars().rev()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    // What only gets something put before it is wrong as a whole.
    if tail == old.len() || old == with {
        return span;
    }
    let before = old.get(..same).unwrap_or_default();
    let inside_word = rest.starts_with(is_name);
    let start = before.char_indices().rev().take_while(|(_, c)| inside_word && is_name(*c)).last().map_or(same, |(at, _)| at);
    let end = old.len() - tail;
    let end = end + old.get(end..).unwrap_or_default().find(|c: char| !is_name(c)).unwrap_or(old.len() - end);
    if start < end { Span::new(fix.range().start + start, fix.range().start + end) } else { span }
}

/// A span that has something to underline, on character boundaries.
fn widen(text: &str, span: Span) -> Option<(usize, usize)> {
    let mut start = span.range().start.min(text.len());
    let mut end = span.range().end.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    if start >= end {
        match text.get(start..).and_then(|rest| rest.chars().next()) {
            Some(next) => end = start + next.len_utf8(),
            None => start -= text.get(..start).and_then(|before| before.chars().next_back()).map_or(0, char::len_utf8),
        }
    }
    (start < end).then_some((start, end))
}

/// Adds a piece; neighbours of one colour become one.
fn push(out: &mut Vec<Token>, start: usize, end: usize, class: Class) {
    if start >= end {
        return;
    }
    if let Some(last) = out.last_mut()
        && last.class == class
        && last.span.range().end == start
    {
        last.span = Span::new(last.span.range().start, end);
        return;
    }
    out.push(Token { span: Span::new(start, end), class });
}

fn mapping(text: &str, variables: &[&str], out: &mut Vec<Token>) {
    let lead = text.len() - text.trim_start().len();
    let body = text.get(lead..).unwrap_or_default();
    if body.get(..7).is_some_and(|prefix| prefix.eq_ignore_ascii_case("static:")) {
        push(out, 0, lead, Class::Plain);
        push(out, lead, lead + 7, Class::Key);
        push(out, lead + 7, text.len(), Class::Text);
    } else if text.contains("{{") {
        template(text, variables, out);
    } else if starts_with_root(body, variables) {
        expression(text, 0, variables, out);
    } else {
        push(out, 0, text.len(), Class::Text);
    }
}

/// Whether a text begins with a root as language.md's rules 2 to 7 want it: alone, or followed by `.`, `[` or `?.`.
pub fn starts_with_root(text: &str, variables: &[&str]) -> bool {
    let end = text.find(|c: char| !is_name(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let known = ROOTS.contains(&name)
        || variables.contains(&name)
        || ["payload", "data", "context"].iter().any(|root| name.eq_ignore_ascii_case(root) && rest.starts_with('.'));
    known && (rest.trim().is_empty() || rest.starts_with(['.', '[']) || rest.starts_with("?."))
}

fn template(text: &str, variables: &[&str], out: &mut Vec<Token>) {
    let mut at = 0;
    while let Some(open) = text.get(at..).and_then(|rest| rest.find("{{")).map(|found| at + found) {
        push(out, at, open, Class::Text);
        push(out, open, open + 2, Class::Operator);
        let inside = open + 2;
        let close = text.get(inside..).and_then(|rest| rest.find("}}")).map(|found| inside + found);
        let end = close.unwrap_or(text.len());
        expression(text.get(inside..end).unwrap_or_default(), inside, variables, out);
        at = end;
        if close.is_some() {
            push(out, end, end + 2, Class::Operator);
            at = end + 2;
        }
    }
    push(out, at, text.len(), Class::Text);
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Colours an expression that stands `base` bytes into the whole text.
fn expression(text: &str, base: usize, variables: &[&str], out: &mut Vec<Token>) {
    let mut at = 0;
    let mut after_dot = false;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or_default();
        let (len, class) = if c.is_whitespace() {
            (c.len_utf8(), Class::Plain)
        } else if c == '"' || c == '\'' || c == '`' {
            (quoted(rest, c), Class::Text)
        } else if c.is_ascii_digit() && !after_dot {
            (rest.find(|c: char| !(is_name(c) || c == '.')).unwrap_or(rest.len()), Class::Number)
        } else if is_name(c) {
            let len = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
            let name = rest.get(..len).unwrap_or_default();
            let class = if after_dot {
                Class::Path
            } else if matches!(name, "true" | "false" | "null" | "undefined") {
                Class::Number
            } else if name == "typeof" {
                Class::Operator
            } else if ROOTS.contains(&name) || variables.contains(&name) {
                Class::Root
            } else {
                Class::Path
            };
            (len, class)
        } else {
            (c.len_utf8(), Class::Operator)
        };
        push(out, base + at, base + at + len, class);
        if !c.is_whitespace() {
            after_dot = c == '.';
        }
        at += len;
    }
}

/// The length of a quoted text, its quotes included; to the end if it is not closed.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == quote {
            return at + c.len_utf8();
        }
    }
    text.len()
}

fn json(text: &str, out: &mut Vec<Token>) {
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or_default();
        let (len, class) = match c {
            '"' => {
                let len = quoted(rest, '"');
                let key = rest.get(len..).is_some_and(|after| after.trim_start().starts_with(':'));
                (len, if key { Class::Key } else { Class::Text })
            }
            _ if c.is_whitespace() => (c.len_utf8(), Class::Plain),
            _ if c.is_alphanumeric() || c == '-' || c == '+' => {
                (rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-' | '+'))).unwrap_or(rest.len()), Class::Number)
            }
            _ => (c.len_utf8(), Class::Operator),
        };
        push(out, at, at + len, class);
        at += len;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Each colour as one letter, one for every byte.
    fn letters(text: &str, mode: Mode) -> String {
        tokens(text, mode, &["customer", "i"])
            .iter()
            .flat_map(|token| {
                let letter = match token.class {
                    Class::Plain => ' ',
                    Class::Root => 'r',
                    Class::Path => 'p',
                    Class::Text => 't',
                    Class::Number => 'n',
                    Class::Operator => 'o',
                    Class::Key => 'k',
                };
                token.span.range().map(move |_| letter)
            })
            .collect()
    }

    #[test]
    fn a_text_has_the_colours_of_the_rule_that_reads_it() {
        for (mode, text, expected) in [
            (Mode::Mapping, "customer.email", "rrrrrrrroppppp"),
            (Mode::Mapping, "{{i + 1}}", "oor o noo"),
            (Mode::Mapping, "Hi {{i}}!", "tttooroot"),
            (Mode::Mapping, "static:a.b", "kkkkkkkttt"),
            (Mode::Mapping, "payloads are text", "ttttttttttttttttt"),
            (Mode::Mapping, "index + 1", "ttttttttt"),
            (Mode::Mapping, "payload.a[0]", "rrrrrrropono"),
            (Mode::Expression, "a.1 === 'x'", "pop ooo ttt"),
            (Mode::Expression, "i < 0.5", "r o nnn"),
            (Mode::Json, "{\"a\": [1, \"b\"]}", "okkko ono tttoo"),
        ] {
            assert_eq!(letters(text, mode), expected, "{text}");
        }
    }

    #[test]
    fn a_squiggle_lies_under_the_wrong_characters_only() {
        let text = "customer.emial";
        let pieces = pieces(text, &tokens(text, Mode::Mapping, &["customer"]), &[(Span::new(9, 14), Severity::Error)]);
        let wrong: Vec<_> = pieces.iter().filter(|piece| piece.squiggle.is_some()).map(|piece| &text[piece.span.range()]).collect();
        assert_eq!(wrong, ["emial"]);
    }

    #[test]
    fn only_the_words_a_fix_changes_are_wrong() {
        for (text, with, wrong) in [
            ("customer.emial", "customer.email", "emial"),
            ("custmer.email", "customer.email", "custmer"),
            ("payload.a.b", "static:payload.a.b", "payload.a.b"),
            ("a.b", "a.b", "a.b"),
            ("payload.first-name", "payload[\"first-name\"]", ".first-name"),
        ] {
            let whole = Span::new(0, text.len());
            let found = wrong_part(text, whole, whole, with);
            assert_eq!(&text[found.range()], wrong, "{text}");
        }
    }

    #[test]
    fn a_problem_at_the_end_is_seen_under_the_last_character() {
        let text = "payload.";
        let found = pieces(text, &tokens(text, Mode::Mapping, &[]), &[(Span::new(8, 8), Severity::Warning)]);
        assert_eq!(found.last().unwrap().squiggle, Some(Severity::Warning));
        assert_eq!(found.last().unwrap().span, Span::new(7, 8));
    }

    proptest::proptest! {
        #[test]
        fn pieces_cover_any_text_once_in_order(text in "\\PC{0,24}", start in 0usize..30, len in 0usize..6) {
            for mode in [Mode::Mapping, Mode::Expression, Mode::Json, Mode::Text] {
                let found = pieces(&text, &tokens(&text, mode, &["item"]), &[(Span::new(start, start + len), Severity::Error)]);
                let joined: String = found.iter().map(|piece| &text[piece.span.range()]).collect();
                proptest::prop_assert_eq!(&joined, &text);
            }
        }
    }
}
