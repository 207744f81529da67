//! Strings of a JSON text: escapes, and what is wrong with them.

use super::read::Reader;
use crate::{Problem, Span, Text};

impl Reader<'_> {
    /// The string at the cursor, which stands on its opening `"`.
    pub(super) fn string(&mut self) -> Text {
        let start = self.at;
        self.at += 1;
        // The common case: nothing but characters up to the closing quote.
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let plain = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)).unwrap_or(rest.len());
        if rest.get(plain) == Some(&b'"') {
            let (from, to) = (self.at, self.at + plain);
            self.at = to + 1;
            return Text::from(self.slice(from, to));
        }
        Text::from(self.escaped(start, b'"'))
    }

    /// The string at the cursor, which stands on its opening `'`: an error, but it is clear what was meant.
    pub(super) fn single_quoted(&mut self) -> Text {
        let start = self.at;
        self.at += 1;
        let text = self.escaped(start, b'\'');
        let span = Span::new(start, self.at);
        let quoted = super::quote(&text);
        let problem = Problem::error("json_single_quotes", span, "Found single quotes; JSON strings stand in double quotes.");
        self.error(problem.with_fix("Use double quotes", span, quoted));
        Text::from(text)
    }

    fn escaped(&mut self, start: usize, quote: u8) -> String {
        let mut out = String::new();
        let mut from = self.at;
        loop {
            match self.byte() {
                Some(byte) if byte == quote => {
                    out.push_str(self.slice(from, self.at));
                    self.at += 1;
                    return out;
                }
                None | Some(b'\n' | b'\r') => {
                    out.push_str(self.slice(from, self.at));
                    let quote = char::from(quote);
                    let end = Span::new(self.at, self.at);
                    let message = format!(
                        "The string that begins here is not closed in its line; expected `{quote}`. A line break inside is written `\\n`."
                    );
                    let problem = Problem::error("json_string_not_closed", Span::new(start, self.at), message);
                    self.error(problem.with_fix("Close the string", end, quote));
                    return out;
                }
                Some(b'\\') => {
                    out.push_str(self.slice(from, self.at));
                    self.escape(&mut out);
                    from = self.at;
                }
                Some(byte @ 0..0x20) => {
                    let span = Span::new(self.at, self.at + 1);
                    let written = if byte == b'\t' { "\\t".to_owned() } else { format!("\\u{byte:04x}") };
                    let message = format!("Found the control character U+{byte:04X} in a string; it is written `{written}`.");
                    self.error(Problem::error("json_control_character", span, message).with_fix(format!("Write {written}"), span, written));
                    self.at += 1;
                }
                Some(_) => self.at += 1,
            }
        }
    }

    /// One escape; the cursor stands on its backslash.
    fn escape(&mut self, out: &mut String) {
        let start = self.at;
        self.at += 1;
        let Some(char) = self.slice(self.at, self.text.len()).chars().next() else { return };
        if matches!(char, '\n' | '\r') {
            return;
        }
        self.at += char.len_utf8();
        match char {
            '"' | '\\' | '/' => out.push(char),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'u' => match self.four_hex(self.at) {
                Some(unit) => {
                    self.at += 4;
                    self.unit(start, unit, out);
                }
                None => {
                    let span = Span::new(start, self.at);
                    let message = "`\\u` stands before exactly four hexadecimal digits, as in `\\u00e9`.";
                    self.error(Problem::error("json_escape", span, message));
                    out.push('u');
                }
            },
            other => {
                let span = Span::new(start, self.at);
                let message = format!("`\\{other}` is no escape of JSON; a backslash itself is written `\\\\`.");
                let problem = Problem::error("json_escape", span, message);
                self.error(match other {
                    '\'' => problem.with_fix("Remove the backslash", span, "'"),
                    _ => problem.with_fix("Double the backslash", span, format!("\\\\{other}")),
                });
                out.push(other);
            }
        }
    }

    /// One UTF-16 unit of `\uXXXX`; takes the second half of a pair along. A lone half becomes U+FFFD.
    fn unit(&mut self, start: usize, unit: u32, out: &mut String) {
        let paired = if (0xd800..0xdc00).contains(&unit) && self.slice(self.at, self.at + 2) == "\\u" {
            self.four_hex(self.at + 2).filter(|low| (0xdc00..0xe000).contains(low))
        } else {
            None
        };
        let code = match paired {
            Some(low) => {
                self.at += 6;
                0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)
            }
            None => unit,
        };
        out.push(char::from_u32(code).unwrap_or_else(|| {
            let span = Span::new(start, self.at);
            let message = format!("`\\u{unit:04x}` is half of a surrogate pair without the other half; it is read as U+FFFD.");
            self.warning(Problem::warning("json_lone_surrogate", span, message));
            char::REPLACEMENT_CHARACTER
        }));
    }

    fn four_hex(&self, at: usize) -> Option<u32> {
        let digits = self.text.get(at..at + 4)?;
        digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
    }
}
