//! Laws of the language over arbitrary texts and values: nothing panics, what is printed reads the same, the simple forms and the
//! read-once forms agree.
#![allow(clippy::unwrap_used)]

use loopwright_lang::mapping::{self, CompiledInput, OutputMapping, OutputPlace};
use loopwright_lang::{LoopFrame, Profile, Scope, Semantics, Text, Value, expr, path};
use proptest::prelude::*;

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        Just(Value::Undefined),
        any::<bool>().prop_map(Value::Bool),
        any::<f64>().prop_map(Value::Number),
        prop_oneof![Just(0.0), Just(1.0), Just(-1.0), Just(3.0)].prop_map(Value::Number),
        "[a-z0-9 é😀]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::list),
            prop::collection::vec(
                (prop_oneof![Just("a"), Just("b"), Just("items"), Just("odd key"), Just("length"), Just("1")], inner),
                0..4
            )
            .prop_map(Value::object),
        ]
    })
}

fn scope() -> impl Strategy<Value = Scope> {
    (value(), value(), value(), value(), 0u64..5).prop_map(|(payload, data, item, results, index)| Scope {
        payload: Some(payload),
        data: Some(data),
        results: Some(results),
        loops: vec![LoopFrame { item_variable: Text::from("item"), item, index_variable: Some(Text::from("i")), index }],
        ..Scope::default()
    })
}

/// Text made of pieces of the language, so that much of it nearly reads.
fn half_typed() -> impl Strategy<Value = String> {
    const WORDS: &[&str] = &[
        "payload",
        "data",
        "item",
        "index",
        "i",
        "results",
        ".",
        "?.",
        "a",
        "items",
        "length",
        "filter",
        "map",
        "reduce",
        "includes",
        "slice",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "{{",
        "}}",
        ",",
        "x",
        "=>",
        "x => x.a",
        "=",
        "==",
        "===",
        "!",
        "&&",
        "||",
        "??",
        "?",
        ":",
        "+",
        "-",
        "*",
        "/",
        "%",
        "<",
        ">=",
        "1",
        "0",
        "1.5",
        "1e9",
        "'t'",
        "\"t\"",
        "'",
        "`",
        "typeof ",
        " ",
        " in ",
        "new ",
        "this",
        "/x/",
        "Math.max",
        "JSON.stringify",
        "Object.keys",
        "null",
        "undefined",
        "true",
        "static:",
        "conversation",
        "é",
        "😀",
        "\\",
        "...",
        ";",
        "//",
        "/*",
        "await ",
        "10n",
        "repeat",
        "padEnd",
        "99999999",
        "replaceAll",
        "split",
        "flat",
        "toString",
        "toFixed",
        "JSON.parse",
        "NaN",
        "Infinity",
        "-0",
    ];
    prop::collection::vec(prop::sample::select(WORDS), 0..14).prop_map(|words| words.concat())
}

/// An expression that reads.
fn well_formed() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("payload.a".to_owned()),
        Just("payload.items".to_owned()),
        Just("item".to_owned()),
        Just("i".to_owned()),
        Just("data[\"odd key\"]".to_owned()),
        Just("payload?.a?.[0]".to_owned()),
        Just("'it\\'s'".to_owned()),
        Just("1.50".to_owned()),
        Just("[1, 'x']".to_owned()),
        Just("{ a: 1, 'b c': i }".to_owned()),
        Just("undefined".to_owned()),
        Just("0x1f".to_owned()),
        Just("Math.PI".to_owned()),
    ];
    leaf.prop_recursive(4, 32, 3, |inner| {
        let two = (inner.clone(), inner.clone());
        prop_oneof![
            (two.clone(), prop::sample::select(&["+", "-", "*", "/", "%", "<", ">=", "==", "!==", "&&"][..]))
                .prop_map(|((a, b), op)| format!("({a}) {op} ({b})")),
            two.clone().prop_map(|(a, b)| format!("({a}) || ({b})")),
            two.prop_map(|(a, b)| format!("({a}) ?? ({b})")),
            inner.clone().prop_map(|a| format!("!({a})")),
            inner.clone().prop_map(|a| format!("- -({a})")),
            inner.clone().prop_map(|a| format!("typeof ({a})")),
            inner.clone().prop_map(|a| format!("({a}).includes({a})")),
            inner.clone().prop_map(|a| format!("[{a}].filter((x, i) => x == i || ({a}))")),
            inner.clone().prop_map(|a| format!("({a}) ? {a} : ({a})")),
            inner.clone().prop_map(|a| format!("String({a}).length")),
            inner.prop_map(|a| format!("[{a}].reduce((t, x) => t + x, '')[{a}]")),
        ]
    })
}

fn profiles() -> [Semantics; 2] {
    [Semantics::of(Profile::Documented), Semantics::of(Profile::Mj5513)]
}

/// Everything that is done with a text, in every way.
fn everything(text: &str, scope: &Scope) {
    let parsed = expr::parse(text);
    for problem in &parsed.problems {
        assert!(text.get(problem.span.range()).is_some(), "the span {:?} of {problem:?} is no part of {text:?}", problem.span);
        assert!(!problem.message.is_empty());
    }
    for semantics in profiles() {
        let _ = parsed.evaluate(scope, &semantics);
        let _ = expr::condition(text, scope, &semantics);
        let resolution = mapping::resolve_text(text, scope, &semantics);
        for problem in &resolution.problems {
            assert!(text.get(problem.span.range()).is_some(), "the span {:?} of {problem:?} is no part of {text:?}", problem.span);
        }
        let _ = mapping::message(text, scope, &semantics);
        let written = Value::object([("a", Value::text(text)), (text, Value::text("b[*].c"))]);
        if let Ok(outputs) = OutputMapping::parse(&written, Some("i")) {
            let payload = scope.payload.clone().unwrap_or_default();
            let place = OutputPlace { iteration: Some((1, Some(Text::from("i")))), collected: 0 };
            let _ = outputs.start_loop(&payload);
            let _ = outputs.apply(&payload, &payload, &place, &semantics);
        }
    }
    if let Some(root) = &parsed.root {
        let _ = expr::explain(root, scope, &Semantics::of(Profile::Documented));
        let _ = expr::check(root, scope);
        let _ = expr::references(root);
        let _ = expr::print(root);
    }
    for offset in 0..=text.len() + 1 {
        for completion in expr::complete(text, offset, scope).into_iter().chain(mapping::complete_text(text, offset, scope)) {
            assert!(text.get(completion.replace.range()).is_some(), "{completion:?} replaces no part of {text:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_anything_panic(text in any::<String>(), scope in scope()) {
        everything(&text, &scope);
    }

    #[test]
    fn no_half_typed_text_makes_anything_panic(text in half_typed(), scope in scope()) {
        everything(&text, &scope);
    }

    #[test]
    fn what_is_printed_reads_the_same_and_prints_the_same(text in well_formed(), scope in scope()) {
        let semantics = Semantics::of(Profile::Documented);
        let first = expr::parse(&text);
        prop_assert!(first.error().is_none(), "{}: {:?}", text, first.problems);
        let printed = expr::print(first.root.as_ref().unwrap());
        let second = expr::parse(&printed);
        prop_assert!(second.error().is_none(), "{}: {:?}", printed, second.problems);
        prop_assert_eq!(expr::print(second.root.as_ref().unwrap()), printed);
        let value = |parsed: &expr::Parsed| parsed.evaluate(&scope, &semantics).map_err(|error| (error.code, error.message));
        prop_assert_eq!(value(&first), value(&second));
    }

    #[test]
    fn explaining_gives_the_value_that_evaluating_gives(text in well_formed(), scope in scope()) {
        let semantics = Semantics::of(Profile::Documented);
        let parsed = expr::parse(&text);
        let explained = expr::explain(parsed.root.as_ref().unwrap(), &scope, &semantics);
        prop_assert_eq!(explained.value, Some(parsed.evaluate(&scope, &semantics)));
    }

    #[test]
    fn a_mapping_read_once_gives_what_reading_it_each_time_gives(texts in prop::collection::vec(half_typed(), 1..4), first in scope(), second in scope()) {
        let written = Value::object(texts.iter().enumerate().map(|(index, text)| (format!("p{index}"), Value::text(text.as_str()))));
        for semantics in profiles() {
            let compiled = CompiledInput::compile(&written, &semantics).unwrap();
            for scope in [&first, &second, &Scope::default()] {
                let expected = mapping::resolve(&written, scope, &semantics).unwrap().params;
                prop_assert_eq!(&compiled.params(scope, &mut Vec::new()), &expected);
                prop_assert_eq!(&compiled.resolve(scope).params, &expected);
            }
        }
    }

    #[test]
    fn a_path_and_an_expression_read_the_same_thing(value in value(), first in prop::sample::select(&["a", "b", "items"][..]), place in 0usize..3) {
        let scope = Scope { payload: Some(value.clone()), ..Scope::default() };
        let optional = format!("payload?.{first}?.[{place}]");
        let path = path::parse(&format!("payload.{first}[{place}]")).unwrap();
        let walked = path::walk(&value, path.rest());
        let evaluated = expr::parse(&optional).evaluate(&scope, &Semantics::of(Profile::Documented)).unwrap();
        prop_assert_eq!(walked, evaluated);
    }
}
