//! Every case whose outcome is known, of every kind and profile we have.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::path::Path;

use loopwright_tests::{
    case::Outcome,
    conformance::{files, run_file},
};

/// Runs of the released runtime that rest on records which a document does not hold: which actions and agents are assigned to
/// an agent, mappings between related agents, where a run starts or what it skips. They are failures all the same; here they
/// must stay the only ones.
const OTHER_RECORDS: [&str; 12] = ["F031", "F032", "F062", "F071", "F072", "F075", "F077", "F078", "L037", "L060", "L062", "L064"];

#[test]
fn every_known_case_comes_out_as_it_should() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let found = files(&folder).unwrap();
    assert!(found.len() >= 9, "the golden files are there");
    let mut failed = Vec::new();
    for file in found {
        let mut tell = |case: &loopwright_tests::case::Case, outcome: &Outcome| {
            if let Outcome::Failed(why) = outcome
                && !OTHER_RECORDS.contains(&case.id.as_str())
            {
                failed.push(format!("{} {}\n  {why}", case.kind, case.id));
            }
        };
        let tally = run_file(&file, &mut tell).unwrap();
        assert!(tally.passed > 0, "{} has cases that pass", file.display());
    }
    assert!(failed.is_empty(), "{} cases failed:\n{}", failed.len(), failed.join("\n"));
}
