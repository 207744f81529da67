#![allow(clippy::unwrap_used)]
use super::*;

/// The value printed again, then each problem as `code@start..end`; an error's fix is applied and must help.
fn check(text: &str, expected: &str) {
    let parsed = parse(text);
    let mut got = parsed.value().map(|value| print_compact(&value)).unwrap_or_default();
    for problem in &parsed.problems {
        assert!(text.get(problem.span.range()).is_some(), "{text:?}: {problem:?} stands in the text");
        got = format!("{got} {}@{}..{}", problem.code, problem.span.start, problem.span.end);
    }
    assert_eq!(got.trim_start(), expected, "{text:?}: {:?}", parsed.problems);
    assert_eq!(parsed.root.is_some(), parsed.error().is_none(), "{text:?}: a root means no error");
}

#[test]
fn json_is_read_and_printed_as_it_was_spelled() {
    for text in [
        "null",
        "true",
        "false",
        "0",
        "-0",
        "1.0",
        "1e3",
        "12345678901234567890",
        "-1.5E-7",
        "\"\"",
        "\"a\\\"\\\\\\n\\u0001\"",
        "[]",
        "{}",
        "[1,[2,[]],{}]",
        "{\"b\":1,\"a\":{\"2\":0,\"1\":0}}",
        "\"\u{e9}\u{1F600}\u{2028}\"",
    ] {
        check(text, text);
    }
    check("\u{feff} [ 1 ,\r\n\t2 ] ", "[1,2]");
    check("\"\\u00e9\\ud83d\\ude00\\/\"", "\"é😀/\"");
}
