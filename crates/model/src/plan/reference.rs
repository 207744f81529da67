//! References: `${ID.result.SEG…}`, `${item.SEG…}`, `${index}`.

use std::ops::Range;

/// What a reference refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference<'t> {
    /// The result of a task, and the way into it.
    Upstream {
        /// The task's id.
        id: &'t str,
        /// Keys and places.
        path: Vec<&'t str>,
    },
    /// The element of the iteration, and the way into it.
    Item {
        /// Keys and places.
        path: Vec<&'t str>,
    },
    /// The place of the element.
    Index,
}

/// A `${…}` in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'t> {
    /// From `$` to `}`, in bytes.
    pub range: Range<usize>,
    /// What stands between the braces; up to the end of the text if the closing one is missing.
    pub inner: &'t str,
    /// Whether the closing brace is there.
    pub closed: bool,
}

/// Every `${…}` of a text from left to right. Each ends at the first `}`, whatever lies between.
pub fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let start = at + rest.find("${")?;
        let inner = text.get(start + 2..)?;
        let closed = inner.find('}');
        let inner = closed.map_or(inner, |end| inner.get(..end).unwrap_or_default());
        let end = start + 2 + inner.len() + usize::from(closed.is_some());
        at = end;
        Some(Token { range: start..end, inner, closed: closed.is_some() })
    })
}

/// What stands between the braces of a text that is nothing but one `${…}`.
pub fn full(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("${")?.strip_suffix('}')?;
    (!inner.contains('}')).then_some(inner)
}

/// Reads what stands between the braces. Where a task iterates, `item` and `index` mean the iteration first.
pub fn read_reference(inner: &str, iterating: bool) -> Option<Reference<'_>> {
    let local = if iterating { iteration(inner) } else { None };
    local.or_else(|| upstream(inner))
}

/// `ID.result.SEG…`
pub fn upstream(inner: &str) -> Option<Reference<'_>> {
    let mut parts = inner.split('.');
    let id = parts.next()?;
    let path: Vec<&str> = parts.collect();
    let (first, path) = path.split_first()?;
    (*first == "result" && is_name(id) && path.iter().all(|part| is_name(part))).then(|| Reference::Upstream { id, path: path.to_vec() })
}

/// `item.SEG…` or `index`.
pub(super) fn iteration(inner: &str) -> Option<Reference<'_>> {
    if inner == "index" {
        return Some(Reference::Index);
    }
    let mut parts = inner.split('.');
    if parts.next()? != "item" {
        return None;
    }
    let path: Vec<&str> = parts.collect();
    path.iter().all(|part| is_name(part)).then_some(Reference::Item { path })
}

/// `[A-Za-z0-9_-]+`
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}
