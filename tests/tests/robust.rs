//! No bytes panic the language, the importers or the executor. `LOOPWRIGHT_INPUTS` says how many inputs are made (10 million
//! take about a night; the default a second or two).
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::{panic::catch_unwind, path::Path};

use loopwright_tests::robust::{Dice, babble, exchanged, import, language, run, slips};

fn inputs(default: u64) -> u64 {
    std::env::var("LOOPWRIGHT_INPUTS").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Every file that the app ships, and those that the importers are tested with.
fn corpus() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    for folder in [root.join("corpus"), root.join("../assets/examples")] {
        let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        texts.extend(files.iter().filter_map(|file| std::fs::read_to_string(file).ok()));
    }
    texts
}

/// Runs `what` with input after input; a panic says which one.
fn check(default: u64, make: impl Fn(&mut Dice) -> Vec<u8>, what: fn(&[u8])) {
    for seed in 0..inputs(default) {
        let bytes = make(&mut Dice(seed));
        let given = bytes.clone();
        if catch_unwind(move || what(&given)).is_err() {
            panic!("seed {seed}: {}", String::from_utf8_lossy(&bytes));
        }
    }
}

#[test]
fn no_text_panics_the_language() {
    check(20_000, babble, language);
    let known = [
        "payload.items.filter(i => i.ok).length > 3",
        "Dear {{item.name}}, {{index + 1}}",
        "a.b[0]['c'] ?? (d ? e : -f)",
        r#"{"a":[1,{"b":"c"}]}"#,
    ];
    check(5_000, |dice| slips(known[dice.below(known.len())], dice), language);
}

#[test]
fn no_bytes_panic_the_importers() {
    let corpus = corpus();
    check(
        400,
        |dice| {
            let text = &corpus[dice.below(corpus.len())];
            slips(text, dice)
        },
        |bytes| drop(import(bytes)),
    );
}

#[test]
fn no_document_panics_the_executor() {
    let corpus = corpus();
    check(
        250,
        |dice| {
            let text = &corpus[dice.below(corpus.len())];
            exchanged(text, dice)
        },
        run,
    );
}
