//! Paths: `a.b[0].c`, `a.0.c`, `a["odd key"]` (language.md, "Paths", rulings 1 and 2).

use crate::{Problem, Span, Text, Value};

/// One segment of a path with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// Where it stands, its dot or brackets included.
    pub span: Span,
    /// What it names.
    pub key: Key,
}

/// What a segment names.
#[derive(Clone, Debug, PartialEq)]
pub enum Key {
    /// `.name` or `["any text"]`; also digits that are no place, such as `007`.
    Name(Text),
    /// `.digits` or `[digits]`.
    Place(u64),
}

impl Key {
    /// The key it is in an object.
    pub fn text(&self) -> Text {
        match self {
            Self::Name(name) => name.clone(),
            Self::Place(place) => Text::from(place.to_string()),
        }
    }
}

/// A parsed path. The first segment is the root name.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Its segments; never empty.
    pub segments: Vec<Segment>,
}

impl Path {
    /// The root name.
    pub fn root(&self) -> &str {
        match self.segments.first() {
            Some(Segment { key: Key::Name(name), .. }) => name,
            _ => "",
        }
    }

    /// The segments after the root.
    pub fn rest(&self) -> &[Segment] {
        self.segments.get(1..).unwrap_or_default()
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, segment) in self.segments.iter().enumerate() {
            match &segment.key {
                Key::Place(place) => write!(f, "[{place}]")?,
                Key::Name(name) if index == 0 => f.write_str(name)?,
                Key::Name(name) if is_identifier(name) => write!(f, ".{name}")?,
                Key::Name(name) => write!(f, "[{}]", crate::json::quote(name))?,
            }
        }
        Ok(())
    }
}

/// Whether a character can begin a JavaScript identifier.
pub fn is_identifier_start(char: char) -> bool {
    char.is_alphabetic() || char == '_' || char == '$'
}

/// Whether a character can go on in a JavaScript identifier.
pub fn is_identifier_part(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '$' | '\u{200c}' | '\u{200d}')
}

/// Whether all of `text` is a JavaScript identifier (reserved words too: they may be property names).
pub fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(is_identifier_start) && chars.all(is_identifier_part)
}

/// The place that digits name: `0`, `17`, but not `007` or more than a list can hold.
pub fn place(digits: &str) -> Option<u64> {
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits.len() == 1 || !digits.starts_with('0'));
    digits.parse().ok().filter(|place| plain && *place < 1 << 53)
}

/// Reads a path that is all of `text`. `Err` says why it is none.
pub fn parse(text: &str) -> Result<Path, Problem> {
    let mut at = run(text, 0, is_identifier_part);
    if !text.starts_with(is_identifier_start) {
        let span = Span::new(0, at.max(text.chars().next().map_or(0, char::len_utf8)));
        return Err(if text.is_empty() {
            Problem::error("path_empty", span, "There is nothing here; expected a path such as `payload.customer`.")
        } else {
            Problem::error("path_root", span, format!("A path begins with a name; found {}.", found(text, 0)))
        });
    }
    let mut segments = vec![Segment { span: Span::new(0, at), key: Key::Name(text.get(..at).unwrap_or_default().into()) }];
    while at < text.len() {
        let (key, end) = match text.as_bytes().get(at) {
            Some(b'.') => dotted(text, at)?,
            Some(b'[') => bracketed(text, at)?,
            _ => {
                let from = segments.last().map_or(0, |last| last.span.start as usize);
                return Err(odd_name(text, from, at));
            }
        };
        segments.push(Segment { span: Span::new(at, end), key });
        at = end;
    }
    Ok(Path { segments })
}

/// Where the characters that `belongs` to end.
fn run(text: &str, from: usize, belongs: impl Fn(char) -> bool) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    from + rest.find(|char| !belongs(char)).unwrap_or(rest.len())
}

fn found(text: &str, at: usize) -> String {
    text.get(at..).and_then(|rest| rest.chars().next()).map_or("the end of the text".to_owned(), |char| format!("`{char}`"))
}

fn key_of(text: &str) -> Key {
    place(text).map_or_else(|| Key::Name(text.into()), Key::Place)
}

fn dotted(text: &str, at: usize) -> Result<(Key, usize), Problem> {
    let start = at + 1;
    let end = run(text, start, is_identifier_part);
    let name = text.get(start..end).unwrap_or_default();
    if is_identifier(name) || (!name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())) {
        return Ok((key_of(name), end));
    }
    if name.is_empty() && !text.get(start..).is_some_and(|rest| rest.starts_with(|char| !matches!(char, '.' | '['))) {
        let message = format!("A name is missing after this dot; found {}.", found(text, start));
        return Err(Problem::error("path_name_missing", Span::new(at, start), message));
    }
    Err(odd_name(text, at, end))
}

/// A name that cannot stand behind a dot, with the quoted form as its fix.
fn odd_name(text: &str, from: usize, at: usize) -> Problem {
    let end = run(text, at, |char| !matches!(char, '.' | '[' | ']' | '"' | '\'' | '(' | ')' | '{' | '}')).max(at);
    let span = Span::new(from, end);
    let message =
        format!("Found {}, which cannot stand in a path without quotes; names are letters, digits, `_` and `$`.", found(text, at));
    let problem = Problem::error("path_name", span, message);
    match text.get(from..end).and_then(|name| name.strip_prefix('.')) {
        Some(name)
            if (end > at || text.get(at..).is_none_or(|rest| rest.is_empty() || rest.starts_with(['.', '['])))
                && !name.contains(['+', '*', '/', '=', '<', '>', '!', '&', '|', '?', ',']) =>
        {
            let quoted = format!("[{}]", crate::json::quote(name));
            problem.with_fix(format!("Write {quoted}"), span, quoted)
        }
        _ => problem,
    }
}

fn bracketed(text: &str, at: usize) -> Result<(Key, usize), Problem> {
    let start = at + 1;
    let rest = text.get(start..).unwrap_or_default();
    if rest.starts_with('"') {
        let mut escaped = false;
        let closing = rest.char_indices().skip(1).find(|(_, char)| {
            let closes = *char == '"' && !escaped;
            escaped = *char == '\\' && !escaped;
            closes
        });
        let Some((closing, _)) = closing else {
            return Err(Problem::error("path_bracket", Span::new(at, text.len()), "This text is not closed; expected `\"]`."));
        };
        let end = start + closing + 1;
        let parsed = crate::json::parse(text.get(start..end).unwrap_or_default());
        let Some(Value::Text(name)) = parsed.value() else {
            let message = parsed.error().map_or_else(String::new, |problem| problem.message.clone());
            return Err(Problem::error("path_bracket", Span::new(start, end), message));
        };
        if text.as_bytes().get(end) != Some(&b']') {
            let message = format!("Found {} after the text, expected `]`.", found(text, end));
            return Err(Problem::error("path_bracket", Span::new(at, end), message));
        }
        return Ok((Key::Name(name), end + 1));
    }
    let end = run(text, start, |char| char.is_ascii_digit());
    if end > start && text.as_bytes().get(end) == Some(&b']') {
        return Ok((key_of(text.get(start..end).unwrap_or_default()), end + 1));
    }
    let close = run(text, start, |char| char != ']');
    let span = Span::new(at, (close + 1).min(text.len()));
    let message = format!("Between brackets stands a place such as `[0]` or a text such as `[\"odd key\"]`; found {}.", found(text, end));
    let problem = Problem::error("path_bracket", span, message);
    let inner = text.get(start..close).unwrap_or_default().trim_matches('\'');
    Err(if close < text.len() && is_identifier(inner) {
        let quoted = format!("[{}]", crate::json::quote(inner));
        problem.with_fix(format!("Write {quoted}"), span, quoted)
    } else {
        problem
    })
}

/// Follows `segments` from `value`; missing is `Undefined`. Lists and texts also have `length`; digits index either.
pub fn walk(value: &Value, segments: &[Segment]) -> Value {
    let mut segments = segments.iter();
    let mut at = value;
    while let Some(segment) = segments.next() {
        match child(at, &segment.key) {
            Some(Found::Inside(next)) => at = next,
            // Only a scalar is made on the way: what follows goes into it, and it has no more than that.
            Some(Found::Made(made)) => return segments.as_slice().first().map_or(made.clone(), |_| walk(&made, segments.as_slice())),
            None => return Value::Undefined,
        }
    }
    at.clone()
}

/// What one segment finds in `value`; `Undefined` when it is missing.
pub fn step(value: &Value, key: &Key) -> Value {
    match child(value, key) {
        Some(Found::Inside(value)) => value.clone(),
        Some(Found::Made(value)) => value,
        None => Value::Undefined,
    }
}

enum Found<'v> {
    Inside(&'v Value),
    Made(Value),
}

fn child<'v>(value: &'v Value, key: &Key) -> Option<Found<'v>> {
    let index = || match key {
        Key::Place(place) => usize::try_from(*place).ok(),
        Key::Name(name) => place(name).and_then(|place| usize::try_from(place).ok()),
    };
    let is_length = || matches!(key, Key::Name(name) if name.as_str() == "length");
    match value {
        Value::Object(object) => match key {
            Key::Name(name) => object.get(name),
            Key::Place(place) => object.get(&place.to_string()),
        }
        .map(Found::Inside),
        Value::List(list) if is_length() => Some(Found::Made(Value::Number(list.len() as f64))),
        Value::List(list) => list.get(index()?).map(Found::Inside),
        Value::Text(text) if is_length() => Some(Found::Made(Value::Number(text.utf16_len() as f64))),
        Value::Text(text) => text.unit_at(index()?).map(|unit| Found::Made(Value::Text(unit))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn value(json: &str) -> Value {
        crate::json::parse(json).value().unwrap()
    }

    /// The text of a path again, or the code of its problem and the fix.
    fn check(text: &str, expected: &str) {
        let got = match parse(text) {
            Ok(path) => {
                let whole: String = path.segments.iter().map(|segment| &text[segment.span.range()]).collect();
                assert_eq!(whole, text, "the segments cover the text");
                path.to_string()
            }
            Err(problem) => {
                assert!(text.get(problem.span.range()).is_some(), "{text:?}: {problem:?} stands in the text");
                format!("{} {}", problem.code, problem.fix.map(|fix| fix.text).unwrap_or_default()).trim_end().to_owned()
            }
        };
        assert_eq!(got, expected, "{text:?}");
    }

    #[test]
    fn only_the_four_kinds_of_segment_make_a_path() {
        check("payload", "payload");
        check("a.b[0].c", "a.b[0].c");
        check("a.0.c", "a[0].c");
        check("a[\"odd key\"].b", "a[\"odd key\"].b");
        check("a[\"say \\\"hi\\\"\"]", "a[\"say \\\"hi\\\"\"]");
        check("a[\"]\"]", "a[\"]\"]");
        check("a[\"b\"]", "a.b");
        check("größe.$x._y", "größe.$x._y");
        check("a.007", "a[\"007\"]");
        check("a[99999999999999999999]", "a[\"99999999999999999999\"]");
        check("__proto__.constructor", "__proto__.constructor");
    }

    #[test]
    fn anything_else_is_no_path_and_says_what_was_meant() {
        check("", "path_empty");
        check("1a", "path_root");
        check(".a", "path_root");
        check("payload.first-name", "path_name [\"first-name\"]");
        check("payload.first name.x", "path_name [\"first name\"]");
        check("payload.2nd", "path_name [\"2nd\"]");
        check("first-name", "path_name");
        check("payload.", "path_name_missing");
        check("payload..x", "path_name_missing");
        check("payload.[0]", "path_name_missing");
        check("payload?.x", "path_name");
        check("a[]", "path_bracket");
        check("a[-1]", "path_bracket");
        check("a[x]", "path_bracket [\"x\"]");
        check("a['x']", "path_bracket [\"x\"]");
        check("a[0", "path_bracket");
        check("a[\"x", "path_bracket");
        check("a[\"x\"", "path_bracket");
        check("a[\"x\\q\"]", "path_bracket");
        check("a + 1", "path_name");
        check("a.b()", "path_name");
    }

    #[test]
    fn a_path_reads_what_is_there_and_undefined_otherwise() {
        let scope = value(
            r#"{"list":[10,1.0,{"x":null}],"text":"a😀b","length":7,"0":"zero","01":"odd","__proto__":1,"rows":{"length":"own"},"n":5,"odd key":2}"#,
        );
        let read = |path: &str| crate::json::print_log(&walk(&scope, parse(path).unwrap().rest()));
        for (path, expected) in [
            ("s", crate::json::print_log(&scope).as_str()),
            ("s.list[0]", "10"),
            ("s.list.1", "1.0"),
            ("s.list[\"1\"]", "1.0"),
            ("s.list.01", "{\"$undefined\":true}"),
            ("s.list[2].x", "null"),
            ("s.list[2].x.y", "{\"$undefined\":true}"),
            ("s.list[3]", "{\"$undefined\":true}"),
            ("s.list.length", "3"),
            ("s.list.length.length", "{\"$undefined\":true}"),
            ("s.text.length", "4"),
            ("s.text[0]", "\"a\""),
            ("s.text[3]", "\"b\""),
            ("s.text[1]", "\"\u{fffd}\""),
            ("s.text[4]", "{\"$undefined\":true}"),
            ("s.text[0].length", "1"),
            ("s.text[0][0][0].length", "1"),
            ("s.length", "7"),
            ("s.rows.length", "\"own\""),
            ("s.n.length", "{\"$undefined\":true}"),
            ("s.0", "\"zero\""),
            ("s.01", "\"odd\""),
            ("s.__proto__", "1"),
            ("s.constructor", "{\"$undefined\":true}"),
            ("s[\"odd key\"]", "2"),
            ("s.List", "{\"$undefined\":true}"),
        ] {
            assert_eq!(read(path), expected, "{path}");
        }
    }
}
