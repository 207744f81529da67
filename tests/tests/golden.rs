//! Every case whose outcome is known, of every kind and profile we have.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::path::Path;

use loopwright_tests::{
    case::Outcome,
    conformance::{files, run_file},
};

#[test]
fn every_known_case_comes_out_as_it_should() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let found = files(&folder).unwrap();
    assert!(found.len() >= 12, "the golden files are there");
    let mut failed = Vec::new();
    for file in found {
        let mut tell = |case: &loopwright_tests::case::Case, outcome: &Outcome| {
            if let Outcome::Failed(why) = outcome {
                failed.push(format!("{} {}\n  {why}", case.kind, case.id));
            }
        };
        let tally = run_file(&file, &mut tell).unwrap();
        assert!(tally.passed > 0, "{} has cases that pass", file.display());
    }
    assert!(failed.is_empty(), "{} cases failed:\n{}", failed.len(), failed.join("\n"));
}
