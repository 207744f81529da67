#![allow(clippy::unwrap_used)]
use super::*;
use crate::limits;
use crate::value::tests::any_value;
use proptest::prelude::*;

/// The value printed again, then each problem as `code@start..end`.
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

/// What is left after the first fix was applied, again and again.
fn check_mended(text: &str, expected: &str) {
    let mut mended = text.to_owned();
    for _ in 0..10 {
        let Some(fix) = parse(&mended).problems.iter().find_map(|problem| problem.fix.clone()) else { break };
        mended.replace_range(fix.span.range(), &fix.text);
    }
    assert_eq!(mended, expected, "{text:?} mended");
}

/// What could be understood of a text with errors.
fn check_partial(text: &str, expected: &str) {
    let parsed = parse(text);
    assert!(parsed.root.is_none() && parsed.value().is_none(), "{text:?} is not JSON");
    let partial = parsed.partial.map(|node| print_compact(&node.to_value()));
    assert_eq!(partial.as_deref(), Some(expected), "{text:?}: {:?}", parsed.problems);
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
        "{\"__proto__\":1,\"\":2}",
        "\"\u{e9}\u{1F600}\u{2028}\u{7f}\"",
    ] {
        check(text, text);
    }
    check("\u{feff} [ 1 ,\r\n\t2 ] ", "[1,2]");
    check("\"\\u00e9\\ud83d\\ude00\\/\\b\\f\"", "\"é😀/\\b\\f\"");
}

#[test]
fn what_may_not_be_meant_is_a_warning_and_still_json() {
    check("{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":3,\"b\":2} json_doubled_key@13..16");
    check("[\"\\ud800\"]", "[\"\u{fffd}\"] json_lone_surrogate@2..8");
    check("\"\\ude00\\ud83d\"", "\"\u{fffd}\u{fffd}\" json_lone_surrogate@1..7 json_lone_surrogate@7..13");
    check("\"\\ud83d\\u0041\"", "\"\u{fffd}A\" json_lone_surrogate@1..7");
    let many: String = (0..9).map(|at| format!("\"k{}\":{at},", at % 8)).collect();
    check(
        &format!("{{{many}\"z\":0}}"),
        "{\"k0\":8,\"k1\":1,\"k2\":2,\"k3\":3,\"k4\":4,\"k5\":5,\"k6\":6,\"k7\":7,\"z\":0} json_doubled_key@57..61",
    );
}

#[test]
fn doubled_keys_stay_in_the_tree() {
    let parsed = parse("{\"a\":1,\"a\":2}");
    let root = parsed.root.unwrap();
    let NodeKind::Object(members) = &root.kind else { panic!("an object") };
    assert_eq!(members.len(), 2);
    assert_eq!(root.member("a").unwrap().value.span, Span::new(11, 12));
}

#[test]
fn every_node_knows_its_place() {
    let text = " {\"a\" : [1.50, \"x\\n\"]} ";
    let root = parse(text).root.unwrap();
    let member = root.member("a").unwrap();
    let NodeKind::List(items) = &member.value.kind else { panic!("a list") };
    let places: Vec<&str> =
        [root.span, member.key_span, member.value.span, items[0].span, items[1].span].into_iter().map(|span| &text[span.range()]).collect();
    assert_eq!(places, ["{\"a\" : [1.50, \"x\\n\"]}", "\"a\"", "[1.50, \"x\\n\"]", "1.50", "\"x\\n\""]);
}

#[test]
fn each_slip_has_its_code_and_place() {
    for (text, expected) in [
        ("", "json_empty@0..0"),
        (" \n", "json_empty@2..2"),
        ("{", "json_unexpected_end@1..1"),
        ("{\"a\":", "json_unexpected_end@5..5"),
        ("{\"a\"", "json_colon_expected@1..4 json_unexpected_end@4..4"),
        ("[1, ", "json_unexpected_end@3..3"),
        ("[1", "json_unexpected_end@2..2"),
        ("[1,]", "json_trailing_comma@2..3"),
        ("{\"a\":1,}", "json_trailing_comma@6..7"),
        ("[1 2]", "json_comma_expected@3..4"),
        ("{\"a\":1 \"b\":2}", "json_comma_expected@7..8"),
        ("[,1]", "json_value_expected@1..2"),
        ("{\"a\":}", "json_value_expected@5..6"),
        ("{\"a\":,\"b\":1}", "json_value_expected@5..6"),
        ("{a:1}", "json_unquoted_key@1..2"),
        ("{'a':'b'}", "json_single_quotes@1..4 json_single_quotes@5..8"),
        ("{\"a\"=1}", "json_colon_expected@4..5"),
        ("{\"a\" 1}", "json_colon_expected@1..4"),
        ("{1:2}", "json_key_expected@1..2 json_key_expected@2..3 json_key_expected@3..4"),
        ("[1}", "json_wrong_bracket@2..3"),
        ("{\"a\":[1}", "json_wrong_bracket@7..8"),
        ("[1] 2", "json_text_after_end@4..5"),
        ("]", "json_value_expected@0..1"),
        ("// note\n1", "json_comment@0..7"),
        ("[1 /* one */]", "json_comment@3..12"),
        ("tru", "json_unknown_word@0..3"),
        ("[True, None, NaN]", "json_unknown_word@1..5 json_unknown_word@7..11 json_unknown_word@13..16"),
        ("01", "json_number@0..2"),
        (
            "[+1, .5, 5., 0x1F, 1_000, -, 1e]",
            "json_number@1..3 json_number@5..7 json_number@9..11 json_number@13..17 json_number@19..24 json_number@26..27 json_number@29..31",
        ),
        ("\"abc", "json_string_not_closed@0..4"),
        ("[\"abc\n,1]", "json_string_not_closed@1..5"),
        ("\"a\tb\"", "json_control_character@2..3"),
        ("\"\\x41\"", "json_escape@1..3"),
        ("\"\\u12\"", "json_escape@1..3"),
        ("\"\\", "json_string_not_closed@0..2"),
        ("\u{201c}a\u{201d}", "json_value_expected@0..3 json_unknown_word@3..4 json_text_after_end@4..7"),
        ("[1;2]", "json_comma_expected@2..3 json_comma_expected@3..4"),
    ] {
        check(text, expected);
    }
}

#[test]
fn the_fixes_make_json_of_it() {
    for (text, expected) in [
        ("{a: 1, 'b': [True, None,], /* c */}", "{\"a\": 1, \"b\": [true, null] }"),
        ("{\"a\" 1 \"b\" => 2", "{\"a\": 1, \"b\" : 2}"),
        ("[+1, .5, 5., 0x1F, 1_000, 007, -00.5]", "[1, 0.5, 5.0, 31, 1000, 7, -0.5]"),
        ("[\"C:\\dir\", \"it\\'s\", \"a\tb\"]", "[\"C:\\\\dir\", \"it's\", \"a\\tb\"]"),
        ("{\"a\":[1,2}", "{\"a\":[1,2]}"),
        ("[\"abc", "[\"abc\"]"),
        ("[[1,{\"a\":2", "[[1,{\"a\":2}]]"),
        ("yes", "\"yes\""),
    ] {
        check_mended(text, expected);
    }
}

#[test]
fn half_typed_text_still_has_a_tree() {
    for (text, expected) in [
        ("{\"a\": \"payload.x\", \"b\":", "{\"a\":\"payload.x\",\"b\":null}"),
        ("{\"a\": [1, 2", "{\"a\":[1,2]}"),
        ("{\"a\": {\"b\": \"unfinished", "{\"a\":{\"b\":\"unfinished\"}}"),
        ("{\"a\":[1}", "{\"a\":[1]}"),
        ("{\"a\": 1 \"b\": 2, }", "{\"a\":1,\"b\":2}"),
        ("[1,,2]", "[1,2]"),
        ("[1]]", "[1]"),
    ] {
        check_partial(text, expected);
    }
    assert!(parse("").partial.is_none());
}

#[test]
fn messages_name_what_was_found_and_what_was_expected() {
    for (text, message) in [
        ("{\n\"a\": [1, 2\n", "The text ends here, but the list that begins in line 2 is not closed; expected a comma or `]`."),
        ("{\"a\" \"b\"}", "Found `\"` after the key, expected `:`."),
        ("{\"a\":1]", "Found `]`, but the object that begins in line 1 ends with `}`."),
        ("{\"a\":}", "The key \"a\" has no value; found `}`, expected a value."),
        ("[NaN]", "JSON has no `NaN`; the nearest it has is `null`."),
        ("[.5]", "`.5` is not a number as JSON writes it: a digit stands before the point."),
    ] {
        assert_eq!(parse(text).error().unwrap().message, message, "{text:?}");
    }
}

#[test]
fn nesting_is_read_to_the_limit_and_not_beyond() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(parse(&nested(limits::JSON_DEPTH)).value().unwrap().depth(), limits::JSON_DEPTH);
    let problems = parse(&nested(limits::JSON_DEPTH + 1)).problems;
    assert_eq!(problems.first().map(|problem| (&*problem.code, problem.span)), Some(("json_too_deep", Span::new(128, 129))));
    assert_eq!(parse(&"{\"a\":".repeat(1_000_000)).error().unwrap().code, "json_too_deep");
}

#[test]
fn problems_of_a_hopeless_text_are_few() {
    assert!(parse(&"; ".repeat(10_000)).problems.len() <= 25);
    assert!(parse(&format!("[{}]", vec!["\"\\ud800\""; 10_000].join(","))).problems.len() <= 100);
}

#[test]
fn a_file_has_a_size_and_an_encoding() {
    let code = |bytes: &[u8]| parse_bytes(bytes).problems.first().map(|problem| (problem.code.to_string(), problem.message.clone()));
    assert_eq!(code(b"{}"), None);
    assert_eq!(code("\u{feff}{}".as_bytes()), None);
    let (kind, message) = code(b"{\n \"a\": \"\xff\"}").unwrap();
    assert_eq!((kind.as_str(), message.contains("0xff at line 2, column 8")), ("json_not_utf8", true), "{message}");
    let (kind, message) = code(b"\xff\xfe{\0}\0").unwrap();
    assert_eq!((kind.as_str(), message.contains("UTF-16")), ("json_not_utf8", true), "{message}");
    assert!(check_size(limits::FILE_WARNING_BYTES).is_none());
    assert_eq!(check_size(limits::FILE_WARNING_BYTES + 1).unwrap().code, "json_large");
    assert_eq!(check_size(limits::FILE_BYTES).unwrap().code, "json_large");
    assert_eq!(check_size(limits::FILE_BYTES + 1).unwrap().code, "json_too_large");
    assert_eq!(code(&vec![b' '; limits::FILE_BYTES + 1]).unwrap().0, "json_too_large");
}

#[test]
fn lines_and_columns_count_from_one() {
    let text = "a\u{e9}b\nc\r\nd\re";
    for (offset, expected) in [
        (0, (1, 1)),
        (1, (1, 2)),
        (2, (1, 2)),
        (3, (1, 3)),
        (4, (1, 4)),
        (5, (2, 1)),
        (8, (3, 1)),
        (10, (4, 1)),
        (11, (4, 2)),
        (99, (4, 2)),
    ] {
        assert_eq!(line_column(text, offset), expected, "offset {offset}");
    }
    assert_eq!(line_column("\u{feff}{", 3), (1, 1));
    assert_eq!(line_column("", 0), (1, 1));
}

#[test]
fn printing_has_the_shapes_of_json_stringify() {
    let value = Value::object([
        ("a", Value::list([])),
        ("b", Value::object::<&str>([])),
        ("c", Value::Undefined),
        ("d", Value::list([Value::Undefined, Value::Number(f64::NAN), Value::Number(-0.0)])),
        ("e", Value::object([("x", Value::Undefined)])),
        ("f", Value::object([("deep", Value::list([Value::text("\u{1}\u{1f}\"")]))])),
    ]);
    assert_eq!(print_compact(&value), r#"{"a":[],"b":{},"d":[null,null,0],"e":{},"f":{"deep":["\u0001\u001f\""]}}"#);
    assert_eq!(
        print_log(&value),
        r#"{"a":[],"b":{},"c":{"$undefined":true},"d":[{"$undefined":true},null,0],"e":{"x":{"$undefined":true}},"f":{"deep":["\u0001\u001f\""]}}"#
    );
    let pretty = "{\n  \"a\": [],\n  \"b\": {},\n  \"d\": [\n    null,\n    null,\n    0\n  ],\n  \"e\": {},\n  \"f\": {\n    \"deep\": [\n      \"\\u0001\\u001f\\\"\"\n    ]\n  }\n}";
    assert_eq!(print_pretty(&value), pretty);
}

/// JSON with a few characters changed: closer to what people type than noise.
fn mutated() -> impl Strategy<Value = String> {
    let pieces = proptest::sample::select(vec![
        "{", "}", "[", "]", ",", ":", "\"", "'", "\\", "\\u", "\\ud83d", "1", "-", "e", ".", "true", "nul", "\n", " ", "/*", "//", "é",
        "😀", "\u{0}", "\u{feff}",
    ]);
    let changes = proptest::collection::vec((any::<proptest::sample::Index>(), any::<bool>(), pieces), 0..6);
    (any_value(), any::<bool>(), changes).prop_map(|(value, pretty, changes)| {
        let mut chars: Vec<String> = if pretty { print_pretty(&value) } else { print_compact(&value) }.chars().map(String::from).collect();
        for (at, replace, piece) in changes {
            let at = at.index(chars.len() + 1);
            if replace && at < chars.len() {
                chars[at] = piece.to_owned();
            } else {
                chars.insert(at, piece.to_owned());
            }
        }
        chars.concat()
    })
}

fn check_any(text: &str) -> Result<(), TestCaseError> {
    let parsed = parse(text);
    for problem in &parsed.problems {
        prop_assert!(text.get(problem.span.range()).is_some(), "{problem:?}");
        prop_assert!(problem.fix.as_ref().is_none_or(|fix| text.get(fix.span.range()).is_some()), "{problem:?}");
    }
    prop_assert_eq!(parsed.root.is_some(), parsed.error().is_none());
    if let Some(value) = parsed.value() {
        let printed = print_compact(&value);
        prop_assert_eq!(print_compact(&parse(&printed).value().unwrap()), printed);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printing_and_reading_is_stable(value in any_value()) {
        let printed = print_compact(&value);
        let read = parse(&printed);
        prop_assert!(read.error().is_none(), "{:?}", read.problems);
        prop_assert_eq!(print_compact(&read.value().unwrap()), printed.as_str());
        prop_assert_eq!(print_compact(&parse(&print_pretty(&value)).value().unwrap()), printed);
        prop_assert!(parse(&print_log(&value)).error().is_none());
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in any::<String>(), bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        check_any(&text)?;
        parse_bytes(&bytes);
    }

    #[test]
    fn no_slip_makes_the_reader_panic(text in mutated()) {
        check_any(&text)?;
        parse_bytes(text.as_bytes().get(..text.len() / 2).unwrap());
    }

    #[test]
    fn no_text_makes_the_path_reader_panic(text in "[a-c.\\[\\]\"0-9\\\\ é😀?-]{0,12}|\\PC*") {
        if let Ok(path) = crate::path::parse(&text) {
            prop_assert_eq!(&crate::path::parse(&path.to_string()).unwrap().to_string(), &path.to_string());
            crate::path::walk(&parse("{\"a\":[1,{\"b\":\"é😀\"}]}").value().unwrap(), &path.segments);
        }
    }
}
