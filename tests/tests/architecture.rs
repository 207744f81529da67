#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "tests may stop at the first surprise")]
//! The rules of ARCHITECTURE.md that can be read off the sources.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn sources(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
}

/// Code without comments, up to the tests at its end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    // What is built in from our own files is no user's text.
    let counts = |line: &&str| !line.trim_start().starts_with("//") && !line.contains("include_str!(");
    text.lines().filter(counts).collect::<Vec<_>>().join("\n")
}

fn check_absent(folders: &[&str], except: &[&str], words: &[&str], why: &str) {
    for folder in folders {
        let mut found = Vec::new();
        sources(&root().join(folder), &mut found);
        assert!(!found.is_empty(), "{folder} has no sources");
        for (path, text) in found {
            let name = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
            if except.iter().any(|except| name.starts_with(except)) || name.ends_with("tests.rs") {
                continue;
            }
            let code = code(&text);
            for word in words {
                assert!(!code.contains(word), "{name} uses {word}: {why}");
            }
        }
    }
}

#[test]
fn the_pure_crates_read_no_clock_and_do_no_io() {
    let words = [
        "std::time",
        "std::thread",
        "std::fs",
        "std::net",
        "std::env",
        "std::io",
        "HashMap",
        "HashSet",
        "web_sys",
        "js_sys",
        "wasm_bindgen",
        "rand::",
        "SystemTime",
        "Instant::",
    ];
    check_absent(
        &["crates/lang/src", "crates/model/src", "crates/executor/src"],
        // Maps with a fixed hash, which are only looked up.
        &["crates/lang/src/hash.rs"],
        &words,
        "a run must be a pure function of its input",
    );
}

#[test]
fn the_pure_crates_use_no_platform_float_functions() {
    let words =
        [".sin()", ".cos()", ".tan()", ".exp()", ".ln()", ".log10()", ".log2()", ".powf(", ".powi(", ".cbrt()", ".atan2(", ".hypot("];
    check_absent(&["crates/lang/src", "crates/model/src", "crates/executor/src"], &[], &words, "their results differ between hosts");
}

#[test]
fn only_the_platform_folder_touches_the_browser() {
    check_absent(
        &["src"],
        &["src/platform"],
        &["js_sys::", "web_sys::window", "window().unwrap", "wasm_bindgen::closure"],
        "it belongs in src/platform",
    );
}

#[test]
fn no_user_text_reaches_markup_or_code() {
    let words = ["inner_html", "set_inner_html", "outer_html", "js_sys::eval", "js_sys::Function::new", "insert_adjacent_html"];
    check_absent(&["src", "crates/worker/src"], &[], &words, "a user's text is never markup or code");
}

#[test]
fn the_layers_depend_only_downwards() {
    let allowed: [(&str, &[&str]); 4] =
        [("lang", &[]), ("model", &["loopwright-lang"]), ("executor", &["loopwright-lang", "loopwright-model"]), ("stage", &[])];
    for (name, may) in allowed {
        let manifest = std::fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or_default().split("\n[").next().unwrap_or_default();
        for line in dependencies.lines().filter(|line| line.starts_with("loopwright-")) {
            let on = line.split(['.', ' ', '=']).next().unwrap_or_default();
            assert!(may.contains(&on), "{name} must not depend on {on}");
        }
    }
}

#[test]
fn nothing_is_left_to_do() {
    let words = ["todo!(", "unimplemented!(", "TODO", "FIXME"];
    check_absent(&["src", "crates", "xtask/src"], &[], &words, "finish it or leave it out");
}

/// The order of layers inside the app: markup may use the session, never the other way round.
#[test]
fn the_session_knows_no_markup() {
    check_absent(
        &["src/session"],
        &[],
        &["view!", "crate::canvas", "crate::inspector", "crate::run::", "crate::palette", "crate::dialogs"],
        "state has no markup",
    );
}
