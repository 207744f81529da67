//! Any bytes as a file whose flows are run. Start from `assets/examples` and `tests/corpus`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    loopwright_tests::robust::run(bytes);
});
