//! Any bytes as an expression, a mapping, a path and JSON.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    loopwright_tests::robust::language(bytes);
});
