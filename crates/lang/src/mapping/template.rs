//! Splits a text at `{{ … }}` (rule 8).

use crate::{Span, expr};

/// A piece of a template.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    /// Text between the parts.
    Text(Span),
    /// A part; the span is that of what stands between `{{` and `}}`.
    Part(Span),
    /// `{{` without its `}}`: text up to the end.
    Unclosed(Span),
}

/// The pieces of a text in order. A text without `{{` is one piece.
pub(crate) fn split(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut done = 0;
    while let Some(open) = text.get(done..).and_then(|rest| rest.find("{{")).map(|at| at + done) {
        if open > done {
            pieces.push(Piece::Text(Span::new(done, open)));
        }
        let Some(close) = closing(text, open + 2) else {
            pieces.push(Piece::Unclosed(Span::new(open, text.len())));
            return pieces;
        };
        pieces.push(Piece::Part(Span::new(open + 2, close)));
        done = close + 2;
    }
    if done < text.len() {
        pieces.push(Piece::Text(Span::new(done, text.len())));
    }
    pieces
}

/// Where the `}}` of a part stands that begins at `from`: the first outside of texts and of curly brackets opened inside;
/// the first at all, when an odd quote hides it.
fn closing(text: &str, from: usize) -> Option<usize> {
    let first = text.get(from..)?.find("}}")? + from;
    let (mut quote, mut escaped, mut open) = (None, false, 0usize);
    for (at, c) in text.get(from..)?.char_indices() {
        match (quote, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(mark), c) if c == mark => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '{') => open += 1,
            (None, '}') if open > 0 => open -= 1,
            (None, '}') if text.get(from + at..).is_some_and(|rest| rest.starts_with("}}")) => return Some(from + at),
            _ => {}
        }
    }
    Some(first)
}

/// A span without the white space at its ends.
pub(crate) fn trimmed(text: &str, span: Span) -> Span {
    let inside = text.get(span.range()).unwrap_or("");
    let start = span.start as usize + (inside.len() - inside.trim_start_matches(expr::is_js_space).len());
    Span::new(start, start + expr::js_trim(inside).len())
}
