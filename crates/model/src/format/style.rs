//! How a JSON text is laid out, so that what is added to it looks like its neighbours.

use loopwright_lang::json::{self, Node, NodeKind};

/// The habits of one text.
#[derive(Clone, Debug)]
pub(crate) struct Style {
    /// `\n` or `\r\n`.
    pub(crate) newline: &'static str,
    /// One level of indent.
    pub(crate) unit: String,
    /// What stands between a key and its value, colon included.
    pub(crate) colon: String,
    /// What stands between two items on one line, comma included.
    pub(crate) comma: String,
    /// What stands inside the brackets of an object on one line.
    pub(crate) pad: String,
    /// Whether the text has line breaks between items at all.
    pub(crate) multi: bool,
    /// Whether characters beyond ASCII are written as `\u….`
    ascii: bool,
}

impl Style {
    /// Reads the habits of a text off its first places.
    pub(crate) fn of(text: &str, root: &Node) -> Self {
        let mut seen = Seen::default();
        look(text, root, &mut seen);
        let newline =
            if text.find('\n').is_some_and(|at| text.get(..at).is_some_and(|before| before.ends_with('\r'))) { "\r\n" } else { "\n" };
        Self {
            newline,
            unit: seen.unit.unwrap_or_else(|| "  ".into()),
            colon: seen.colon.unwrap_or_else(|| if seen.comma.as_deref() == Some(",") { ":".into() } else { ": ".into() }),
            comma: seen.comma.unwrap_or_else(|| ", ".into()),
            pad: seen.pad.unwrap_or_default(),
            multi: seen.multi,
            ascii: text.is_ascii() && escapes_beyond_ascii(text),
        }
    }

    /// A JSON text (a string, quotes included) as this text would write it.
    pub(crate) fn string(&self, text: &str) -> String {
        let plain = json::print_compact(&loopwright_lang::Value::text(text));
        if !self.ascii || plain.is_ascii() {
            return plain;
        }
        let mut out = String::with_capacity(plain.len() + 8);
        for c in plain.chars() {
            if c.is_ascii() {
                out.push(c);
            } else {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
        out
    }
}

#[derive(Default)]
struct Seen {
    unit: Option<String>,
    colon: Option<String>,
    comma: Option<String>,
    pad: Option<String>,
    multi: bool,
}

impl Seen {
    fn complete(&self) -> bool {
        self.unit.is_some() && self.colon.is_some() && self.comma.is_some() && self.pad.is_some()
    }
}

fn look(text: &str, node: &Node, seen: &mut Seen) {
    if seen.complete() {
        return;
    }
    let spans = item_spans(node);
    let Some((first, _)) = spans.first().copied() else { return };
    let lead = text.get(node.span.start as usize + 1..first).unwrap_or_default();
    if lead.contains('\n') {
        seen.multi = true;
        if seen.unit.is_none() {
            let inner = lead.rsplit('\n').next().unwrap_or_default();
            let outer = line_indent(text, node.span.start as usize);
            seen.unit = inner.strip_prefix(outer).filter(|unit| !unit.is_empty()).map(str::to_owned);
        }
    } else if let NodeKind::Object(_) = node.kind {
        seen.pad.get_or_insert_with(|| lead.to_owned());
    }
    if let NodeKind::Object(members) = &node.kind
        && let Some(member) = members.first()
        && let Some(colon) = text.get(member.key_span.end as usize..member.value.span.start as usize)
    {
        seen.colon.get_or_insert_with(|| colon.to_owned());
    }
    if let (Some((_, end)), Some((start, _))) = (spans.first(), spans.get(1))
        && let Some(gap) = text.get(*end..*start)
        && !gap.contains('\n')
    {
        seen.comma.get_or_insert_with(|| gap.to_owned());
    }
    match &node.kind {
        NodeKind::Object(members) => members.iter().for_each(|member| look(text, &member.value, seen)),
        NodeKind::List(items) => items.iter().for_each(|item| look(text, item, seen)),
        NodeKind::Scalar(_) => {}
    }
}

/// Where the items of a list or the members of an object stand (start and end).
pub(crate) fn item_spans(node: &Node) -> Vec<(usize, usize)> {
    match &node.kind {
        NodeKind::Scalar(_) => Vec::new(),
        NodeKind::List(items) => items.iter().map(|item| (item.span.start as usize, item.span.end as usize)).collect(),
        NodeKind::Object(members) => {
            members.iter().map(|member| (member.key_span.start as usize, member.value.span.end as usize)).collect()
        }
    }
}

/// The white space at the beginning of the line that holds a place.
pub(crate) fn line_indent(text: &str, offset: usize) -> &str {
    let before = text.get(..offset).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.get(start..).unwrap_or_default();
    let end = line.find(|c| c != ' ' && c != '\t').unwrap_or(line.len());
    line.get(..end).unwrap_or_default()
}

/// Whether a text writes a character beyond ASCII as an escape.
fn escapes_beyond_ascii(text: &str) -> bool {
    text.match_indices("\\u").any(|(at, _)| {
        let backslashes = text.get(..at).unwrap_or_default().bytes().rev().take_while(|byte| *byte == b'\\').count();
        let code = text.get(at + 2..at + 6).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        backslashes % 2 == 0 && code.is_some_and(|code| code >= 0x80)
    })
}
