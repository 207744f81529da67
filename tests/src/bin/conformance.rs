//! `conformance DIR… [--verbose]`: runs golden cases and ends with one line: `N passed, N failed, N refused`.

use std::{path::PathBuf, process::ExitCode};

use loopwright_tests::{
    case::Outcome,
    conformance::{Tally, files, run_file},
};

fn main() -> ExitCode {
    let (flags, folders): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|argument| argument.starts_with('-'));
    let verbose = flags.iter().any(|flag| flag == "--verbose" || flag == "-v");
    if folders.is_empty() || flags.iter().any(|flag| flag != "--verbose" && flag != "-v") {
        eprintln!("Usage: cargo xtask conformance DIR… [--verbose]");
        return ExitCode::from(2);
    }
    let mut total = Tally::default();
    for folder in folders.iter().map(PathBuf::from) {
        let found = match files(&folder) {
            Ok(found) => found,
            Err(error) => {
                eprintln!("{} cannot be read: {error}", folder.display());
                return ExitCode::from(3);
            }
        };
        for file in found {
            let mut tell = |case: &loopwright_tests::case::Case, outcome: &Outcome| match outcome {
                Outcome::Failed(difference) if verbose => println!("{} failed: {difference}", case.id),
                Outcome::Failed(_) => println!("{} failed", case.id),
                Outcome::Refused if verbose => println!("{} refused", case.id),
                Outcome::Refused | Outcome::Passed => {}
            };
            match run_file(&file, &mut tell) {
                Ok(tally) => {
                    println!("{}: {} passed, {} failed, {} refused", file.display(), tally.passed, tally.failed, tally.refused);
                    total.passed += tally.passed;
                    total.failed += tally.failed;
                    total.refused += tally.refused;
                }
                Err(error) => {
                    eprintln!("{error}");
                    return ExitCode::from(3);
                }
            }
        }
    }
    println!("{} passed, {} failed, {} refused", total.passed, total.failed, total.refused);
    if total.failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) }
}
