//! What could stand at the cursor of a half-typed mapping text.

use super::conversation::is_role;
use super::template::{self, Piece};
use crate::expr::{self, Completion, is_name, roots};
use crate::path::{self, Key};
use crate::{Scope, Span, Value};

/// What could stand at byte `offset` of a mapping text: in `{{ }}` what an expression offers; otherwise roots and loop variables,
/// `static:`, and behind a root and a dot its members.
pub fn complete_text(text: &str, offset: usize, scope: &Scope) -> Vec<Completion> {
    let offset = (0..=offset.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    for piece in template::split(text) {
        let (Piece::Part(span) | Piece::Unclosed(span)) = piece else { continue };
        let start = span.start as usize + if matches!(piece, Piece::Unclosed(_)) { 2 } else { 0 };
        if (start..=span.end as usize).contains(&offset) {
            let inside = text.get(start..span.end as usize).unwrap_or("");
            return shifted(of_expression(inside, offset - start, scope), start);
        }
    }
    if text.contains("{{") {
        return Vec::new();
    }
    let start = text.len() - text.trim_start_matches(expr::is_js_space).len();
    let trimmed = expr::js_trim(text);
    if offset < start || trimmed.get(..7).is_some_and(|prefix| prefix.eq_ignore_ascii_case("static:")) {
        return Vec::new();
    }
    let mut found = shifted(of_expression(trimmed, (offset - start).min(trimmed.len()), scope), start);
    if is_name(trimmed) || trimmed.is_empty() {
        // At the very start only roots make sense, and keeping it as text.
        let replace = Span::new(start, start + trimmed.len());
        let typed = text.get(start..offset.max(start)).unwrap_or("");
        found = expr::rank(roots(scope, replace), typed);
        if "static:".starts_with(&typed.to_lowercase()) {
            found.push(Completion { text: "static:".into(), replace, detail: "text as it is".into(), sample: None });
        }
    }
    found
}

fn shifted(found: Vec<Completion>, by: usize) -> Vec<Completion> {
    found.into_iter().map(|completion| Completion { replace: completion.replace.shifted(by), ..completion }).collect()
}

/// As in an expression, but messages have words of their own.
fn of_expression(text: &str, offset: usize, scope: &Scope) -> Vec<Completion> {
    let before = text.get(..offset).unwrap_or("");
    let Some((receiver, typed)) = before.rsplit_once('.') else { return expr::complete(text, offset, scope) };
    let Some(path) = path::parse(receiver).ok().filter(|path| path.root() == "conversation") else {
        return expr::complete(text, offset, scope);
    };
    let replace = Span::new(receiver.len() + 1, offset);
    let words: &[&str] = match path.rest() {
        [] => &["all", "user", "assistant", "ai", "system"],
        [only] if matches!(&only.key, Key::Name(role) if is_role(role)) => &["first", "last", "length"],
        _ => &["content", "role"],
    };
    let value = |word: &str| {
        let mut segments = path.rest().to_vec();
        segments.push(path::Segment { span: replace, key: Key::Name(word.into()) });
        super::conversation::resolve(scope.conversation.as_ref(), &segments)
    };
    let entry = |word: &&str| {
        let value = value(word);
        let detail = if matches!(value, Value::List(_)) { "list" } else { "message" };
        Completion { text: (*word).to_owned(), replace, detail: detail.into(), sample: expr::sample(&value) }
    };
    expr::rank(words.iter().map(entry).collect(), typed)
}
