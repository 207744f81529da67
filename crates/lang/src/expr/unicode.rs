//! What JavaScript takes for white space and for names.

/// Whether JavaScript counts `c` as white space or a line end (not what Rust does: U+FEFF is, U+0085 is not).
pub(crate) fn is_js_space(c: char) -> bool {
    matches!(c, '\t'..='\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}')
}

/// JavaScript's `trim`.
pub(crate) fn js_trim(text: &str) -> &str {
    text.trim_matches(is_js_space)
}

/// Whether a name may start with `c`.
pub(crate) fn starts_name(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '$' || c == '_' || (!c.is_ascii() && c.is_alphabetic())
}

/// Whether a name may go on with `c`.
pub(crate) fn continues_name(c: char) -> bool {
    starts_name(c) || c.is_ascii_digit() || (!c.is_ascii() && (c.is_alphanumeric() || is_mark(c)))
}

/// Combining marks and joiners that may stand inside a name.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{487}' | '\u{591}'..='\u{5bd}' | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}'
        | '\u{93a}'..='\u{94f}' | '\u{200c}' | '\u{200d}' | '\u{203f}' | '\u{2040}' | '\u{20d0}'..='\u{20dc}' | '\u{fe20}'..='\u{fe2f}')
}

/// Whether all of `text` is a name, words of the language included.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(starts_name) && text.chars().all(continues_name)
}

/// Words that JavaScript keeps for itself, so that no variable can be called so.
const RESERVED: &[&str] = &[
    "arguments", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else", "enum", "eval",
    "export", "extends", "false", "finally", "for", "function", "if", "implements", "import", "in", "instanceof", "interface", "let", "new",
    "null", "package", "private", "protected", "public", "return", "static", "super", "switch", "this", "throw", "true", "try", "typeof", "var",
    "void", "while", "with", "yield",
];

/// Whether JavaScript (strict) keeps `word` for itself.
pub(crate) fn is_reserved(word: &str) -> bool {
    RESERVED.binary_search(&word).is_ok()
}
