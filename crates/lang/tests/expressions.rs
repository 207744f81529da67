//! Expressions and mappings as a person meets them: what is refused and how it is said, what is suggested, completed and limited.
#![allow(clippy::unwrap_used)]

use loopwright_lang::mapping::{self, Rule};
use loopwright_lang::{LoopFrame, Profile, Scope, Semantics, Severity, Text, Value, expr, json};

fn value(text: &str) -> Value {
    json::parse(text).value().unwrap()
}

fn scope() -> Scope {
    let payload = r#"{"retries":2,"job":{"state":"open"},"items":[{"ok":true,"id":1},{"ok":false,"id":2}],"first-name":"Ann","none":null}"#;
    let frame =
        LoopFrame { item_variable: Text::from("item"), item: value(r#"{"email":"a@x.com","tags":["x"]}"#), index_variable: None, index: 4 };
    Scope { payload: Some(value(payload)), data: Some(value(r#"{"region":"NA"}"#)), loops: vec![frame], ..Scope::default() }
}

fn documented() -> Semantics {
    Semantics::of(Profile::Documented)
}

/// The codes of a text's errors, in order.
fn errors(text: &str) -> Vec<String> {
    let problems = expr::parse(text).problems;
    problems.iter().filter(|problem| problem.severity == Severity::Error).map(|problem| problem.code.to_string()).collect()
}

#[test]
fn every_construct_that_is_left_out_is_refused_by_its_own_name() {
    for (text, code) in [
        ("/^a/.test(payload.a)", "expr_unsupported_regex"),
        ("`a`", "expr_unsupported_template"),
        ("'a' in payload", "expr_unsupported_in"),
        ("payload instanceof Object", "expr_unsupported_instanceof"),
        ("1 & 2", "expr_unsupported_bitwise"),
        ("~1", "expr_unsupported_bitwise"),
        ("1 << 2", "expr_unsupported_bitwise"),
        ("2 ** 3", "expr_unsupported_power"),
        ("1, 2", "expr_unsupported_comma"),
        ("payload.a = 1", "expr_unsupported_assignment"),
        ("payload.a += 1", "expr_unsupported_assignment"),
        ("payload.a++", "expr_unsupported_update"),
        ("new Date()", "expr_unsupported_new"),
        ("this.a", "expr_unsupported_this"),
        ("[...payload.items]", "expr_unsupported_spread"),
        ("import('x')", "expr_unsupported_import"),
        ("await payload", "expr_unsupported_await"),
        ("void 0", "expr_unsupported_void"),
        ("delete payload.a", "expr_unsupported_delete"),
        ("10n", "expr_unsupported_bigint"),
        ("x => x", "expr_unsupported_arrow"),
        ("payload.items.map(x => { return x })", "expr_unsupported_block"),
        ("payload.items.map(({ id }) => id)", "expr_unsupported_pattern"),
        ("payload.items.sort()", "expr_unsupported_method"),
        ("Math.random()", "expr_unsupported_random"),
        ("payload.items.filter(Boolean)", "expr_unsupported_function_value"),
        ("payload.a?.(1)", "expr_unsupported_optional_call"),
        ("payload['includes'](1)", "expr_unsupported_computed_call"),
        ("payload.constructor", "expr_unsupported_property"),
        ("payload['__proto__']", "expr_unsupported_property"),
        ("true // why", "expr_unsupported_comment"),
        ("let x = 1", "expr_unsupported_statement"),
    ] {
        assert_eq!(errors(text).first().map(String::as_str), Some(code), "{text}: {:?}", expr::parse(text).problems);
    }
}

#[test]
fn one_slip_does_not_hide_the_next() {
    for (text, count) in [
        ("payload.a = 1 && 2 ** 3", 2),
        ("payload..a && payload.items.sort() && `x`", 3),
        ("(1 & 2) + (3 | 4)", 2),
        ("payload.items[ + new X()", 3),
    ] {
        assert!(errors(text).len() >= count, "{text}: {:?}", errors(text));
    }
}

/// The message of the evaluation's error.
fn message(text: &str) -> String {
    expr::parse(text).evaluate(&scope(), &documented()).unwrap_err().message
}

#[test]
fn errors_say_what_was_missing_and_what_was_meant() {
    for (text, expected) in [
        ("payload.absent.state", "payload.absent is undefined, so `state` cannot be read."),
        ("payload.none.state", "payload.none is null, so `state` cannot be read."),
        ("payload.jbo.state", "payload.jbo is undefined, so `state` cannot be read; did you mean `payload.job`?"),
        ("payload.items[9].id", "payload.items[9] is undefined, so `id` cannot be read."),
        ("payload.absent.filter(x => x)", "payload.absent is undefined, so `filter` cannot be called."),
        ("retries > 1", "`retries` is not known here; did you mean `payload.retries`?"),
        ("paylod.retries", "`paylod` is not known here; did you mean `payload`?"),
        ("payload.retries.map(x => x)", "payload.retries is a number, and a number has no `map`."),
        ("payload.items.fliter(x => x)", "There is no method `fliter`; did you mean `filter`?"),
    ] {
        assert_eq!(message(text), expected, "{text}");
    }
}

#[test]
fn an_expression_that_uses_too_much_ends_with_an_error() {
    let deep = format!("{}1{}", "(".repeat(65), ")".repeat(65));
    let long = "1 + ".repeat(1100) + "1";
    let operations = format!("[{}].map(x => [{}].map(y => [{}].map(z => z)))", "1,".repeat(60), "1,".repeat(60), "1,".repeat(60));
    for (text, code) in [
        (deep.as_str(), "expr_too_deep"),
        (long.as_str(), "expr_too_long"),
        (operations.as_str(), "expr_too_many_operations"),
        ("'x'.repeat(2000000)", "expr_text_too_long"),
        ("'x'.padEnd(1e9)", "expr_text_too_long"),
        ("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18].map(x => 'x'.repeat(1000000))", "expr_too_many_bytes"),
    ] {
        let error = expr::parse(text).evaluate(&scope(), &documented()).unwrap_err();
        assert_eq!(error.code, code, "{}", text.get(..40).unwrap_or(text));
    }
    // A chain of one level is no nesting.
    assert!(expr::parse(&("1+".repeat(2000) + "1")).error().is_none());
}

#[test]
fn completion_knows_members_parameters_and_roots_in_half_typed_text() {
    for (text, wanted) in [
        ("pay", "payload"),
        ("payload.", "retries"),
        ("payload.re", "retries"),
        ("payload.items.fil", "filter"),
        ("payload.items.filter(i => i.", "ok"),
        ("payload.items.reduce((sum, row) => sum + row.", "id"),
        ("payload.items[0].", "id"),
        ("payload.job.state.", "toUpperCase"),
        ("1 + item.", "email"),
        ("payload[\"fir", "\"first-name\""),
        ("payload.", "[\"first-name\"]"),
        ("Math.", "max"),
    ] {
        let found = expr::complete(text, text.len(), &scope());
        assert!(
            found.iter().any(|completion| completion.text == wanted),
            "{text}: {:?}",
            found.iter().map(|c| &c.text).collect::<Vec<_>>()
        );
    }
    let found = expr::complete("payload.ret", 11, &scope());
    assert_eq!(
        found.first().map(|first| (first.text.as_str(), first.detail.as_str(), first.sample.as_deref())),
        Some(("retries", "number", Some("2")))
    );
}

#[test]
fn completion_in_mapping_fields_works_in_parts_and_behind_roots() {
    for (text, offset, wanted) in
        [("", 0, "payload"), ("st", 2, "static:"), ("item.", 5, "email"), ("Hi {{item.}}!", 10, "email"), ("Hi {{ite", 8, "item")]
    {
        let found = mapping::complete_text(text, offset, &scope());
        assert!(found.iter().any(|completion| completion.text == wanted), "{text}: {found:?}");
    }
}

#[test]
fn a_text_that_stays_text_says_what_was_perhaps_meant() {
    for (text, rule, code, fix) in [
        ("customer.email", Rule::PlainText, "mapping_looks_like_reference", Some("item")),
        ("Item.email", Rule::PlainText, "mapping_looks_like_reference", Some("item")),
        ("payload.", Rule::PlainText, "mapping_not_a_path", None),
        ("payload.retries = 5", Rule::PlainText, "mapping_not_a_path", Some("===")),
        ("index + 1", Rule::PlainText, "mapping_looks_like_expression", Some("{{ index + 1 }}")),
        ("Payload.retries + 1", Rule::PlainText, "mapping_looks_like_reference", Some("payload")),
        ("Hello {{item.email", Rule::PlainText, "mapping_template_unclosed", Some("}}")),
        ("payload.retrys", Rule::RootPath, "mapping_missing", Some("payload.retries")),
        ("data.csv", Rule::RootPath, "mapping_missing", None),
        ("payload.items.sort()", Rule::Expression, "expr_unsupported_method", None),
    ] {
        let resolution = mapping::resolve_text(text, &scope(), &documented());
        let problem = resolution.problems.iter().find(|problem| problem.code == code);
        let problem = problem.unwrap_or_else(|| panic!("{text}: {:?}", resolution.problems));
        assert_eq!((resolution.rule, problem.fix.as_ref().map(|fix| fix.text.as_str())), (rule, fix), "{text}: {problem:?}");
    }
    for text in ["Welcome!", "5", "https://x.y/z?q=payload.count", "EntityID, Sequence", "report.pdf", "example.com", "a - b", "items"] {
        let resolution = mapping::resolve_text(text, &scope(), &documented());
        assert!(resolution.problems.is_empty(), "{text}: {:?}", resolution.problems);
    }
}

#[test]
fn explaining_shows_what_was_needed_and_what_was_not() {
    let text = "payload.retries > 5 && payload.gone.state";
    let explained = expr::explain(expr::parse(text).root.as_ref().unwrap(), &scope(), &documented());
    let [left, right] = explained.children.as_slice() else { panic!("{explained:?}") };
    assert_eq!(left.value, Some(Ok(Value::Bool(false))));
    assert_eq!(left.children.first().and_then(|operand| operand.value.clone()), Some(Ok(Value::Number(2.0))));
    assert_eq!(right.value, None);
    let explained =
        expr::explain(expr::parse("payload.items.filter(i => i.ok).length > 3").root.as_ref().unwrap(), &scope(), &documented());
    let count = explained.children.first().unwrap();
    assert_eq!(count.value, Some(Ok(Value::Number(1.0))));
    assert_eq!(count.children.len(), 2, "the list and what filter made of it: {count:?}");
}

#[test]
fn references_name_what_an_expression_reads() {
    let parsed = expr::parse("payload.items[0].id > data.region.length && payload.items.filter(x => x.id == item.email)");
    let found: Vec<String> = expr::references(parsed.root.as_ref().unwrap()).iter().map(|names| names.join(".")).collect();
    assert_eq!(found, ["payload.items", "data.region", "payload.items", "item.email"]);
}
