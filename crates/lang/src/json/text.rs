//! A file's bytes as text: encoding, size, and where in it an offset lies.

use super::{Parsed, parse};
use crate::{Problem, Span, limits};

/// Line and column of a byte offset, both counted from 1; the column counts characters. `\n`, `\r\n` and `\r` end a line.
/// An offset past the end is the end, one inside a character its start.
pub fn line_column(text: &str, offset: usize) -> (usize, usize) {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = text.get(..at).unwrap_or_default();
    let bytes = text.as_bytes();
    let mut line = 1;
    let mut start = 0;
    for (index, byte) in before.bytes().enumerate() {
        if byte == b'\n' || (byte == b'\r' && bytes.get(index + 1) != Some(&b'\n')) {
            line += 1;
            start = index + 1;
        }
    }
    let column = before.get(start..).unwrap_or_default().trim_start_matches('\u{feff}').chars().count() + 1;
    (line, column)
}

/// What is wrong with a file of that many bytes, if anything: an error past [`limits::FILE_BYTES`], a warning past
/// [`limits::FILE_WARNING_BYTES`].
pub fn check_size(bytes: usize) -> Option<Problem> {
    let mib = |bytes: usize| bytes.div_ceil(1 << 20);
    if bytes > limits::FILE_BYTES {
        let message = format!("This file has {} MiB; files up to {} MiB can be opened.", mib(bytes), mib(limits::FILE_BYTES));
        Some(Problem::error("json_too_large", Span::default(), message))
    } else if bytes > limits::FILE_WARNING_BYTES {
        let message = format!("This file has {} MiB; opening and saving it may take a while.", mib(bytes));
        Some(Problem::warning("json_large", Span::default(), message))
    } else {
        None
    }
}

/// Reads a file's bytes: UTF-8, at most [`limits::FILE_BYTES`]. Never fails, never panics.
pub fn parse_bytes(bytes: &[u8]) -> Parsed {
    let size = check_size(bytes.len());
    if bytes.len() > limits::FILE_BYTES {
        return Parsed { root: None, partial: None, problems: size.into_iter().collect() };
    }
    let mut parsed = match std::str::from_utf8(bytes) {
        Ok(text) => parse(text),
        Err(error) => Parsed { root: None, partial: None, problems: vec![not_utf8(bytes, error.valid_up_to())] },
    };
    parsed.problems.splice(0..0, size);
    parsed
}

fn not_utf8(bytes: &[u8], at: usize) -> Problem {
    let utf16 =
        matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) || bytes.get(..8.min(bytes.len())).is_some_and(|start| start.contains(&0));
    let message = if utf16 {
        "This file is in UTF-16; JSON files are in UTF-8. Save it again as UTF-8.".to_owned()
    } else {
        let before = bytes.get(..at).and_then(|before| std::str::from_utf8(before).ok()).unwrap_or_default();
        let (line, column) = line_column(before, at);
        format!(
            "The byte 0x{:02x} at line {line}, column {column} is not UTF-8 text. Save the file as UTF-8.",
            bytes.get(at).copied().unwrap_or_default()
        )
    };
    Problem::error("json_not_utf8", Span::new(at, at + 1), message)
}
