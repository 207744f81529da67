//! Places in a text: bytes as we count, UTF-16 units as a browser's input does, lines and columns as people do.

/// The byte at a UTF-16 offset; past the end is the end.
pub fn byte_of_utf16(text: &str, units: usize) -> usize {
    let mut seen = 0;
    for (at, c) in text.char_indices() {
        if seen >= units {
            return at;
        }
        seen += c.len_utf16();
    }
    text.len()
}

/// The UTF-16 offset of a byte; past the end is the end.
pub fn utf16_of_byte(text: &str, byte: usize) -> usize {
    text.char_indices().take_while(|(at, _)| *at < byte).map(|(_, c)| c.len_utf16()).sum()
}

/// Line and column of a byte, both from 1; columns count characters.
pub fn line_column(text: &str, byte: usize) -> (usize, usize) {
    let mut line = 1;
    let mut column = 1;
    for (at, c) in text.char_indices() {
        if at >= byte {
            break;
        }
        if c == '\n' {
            line += 1;
            column = 1;
        } else {
            column += 1;
        }
    }
    (line, column)
}

/// A text with `range` replaced; `None` when the range does not lie on characters of it.
pub fn replaced(text: &str, range: std::ops::Range<usize>, with: &str) -> Option<String> {
    Some(format!("{}{with}{}", text.get(..range.start)?, text.get(range.end..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_count_in_utf16_and_we_in_bytes() {
        let text = "a😀é";
        for (units, byte) in [(0, 0), (1, 1), (3, 5), (4, 7), (9, 7)] {
            assert_eq!(byte_of_utf16(text, units), byte);
        }
        for (byte, units) in [(0, 0), (1, 1), (5, 3), (7, 4), (99, 4)] {
            assert_eq!(utf16_of_byte(text, byte), units);
        }
    }

    #[test]
    fn lines_and_columns_count_from_one() {
        assert_eq!(line_column("ab\ncd", 0), (1, 1));
        assert_eq!(line_column("ab\ncd", 4), (2, 2));
        assert_eq!(line_column("ab", 50), (1, 3));
    }
}
