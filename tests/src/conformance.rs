//! Running golden cases of every kind, from files.

use std::path::{Path, PathBuf};

use loopwright_lang::Profile;

use crate::{
    case::{Case, Outcome},
    golden, language_cases, response_cases,
};

/// How many cases came out how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Cases that agree.
    pub passed: usize,
    /// Cases that differ, or whose kind is not implemented.
    pub failed: usize,
    /// Cases that may be refused, and were.
    pub refused: usize,
}

/// Runs one case.
pub fn run(case: &Case) -> Outcome {
    match case.kind.as_str() {
        "validation" => golden::plans::validation(&case.line, &case.value),
        "runs" => golden::plans::run(&case.line, &case.value),
        "expressions" => language_cases::expression(case),
        "input-mapping" => language_cases::input_mapping(case),
        "output-mapping" => language_cases::output_mapping(case),
        "payload-ops" => language_cases::payload_operation(case),
        "loop-responses" => response_cases::loop_response(case),
        kind @ ("flows" | "loops" | "loop-agents") => golden::run_case(kind, case.profile, &case.value),
        "loop-tasks" => golden::loop_tasks::run_case(&case.value),
        other => Outcome::Failed(format!("cases of the kind {other} are not implemented")),
    }
}

/// Every `*.jsonl` under a folder, or the file itself, in the order of their names.
pub fn files(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    let mut entries: Vec<PathBuf> = std::fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            found.extend(files(&entry)?);
        } else if entry.extension().is_some_and(|ending| ending == "jsonl") {
            found.push(entry);
        }
    }
    Ok(found)
}

/// Runs every case of a file. `tell` hears of each that did not pass.
pub fn run_file(path: &Path, tell: &mut dyn FnMut(&Case, &Outcome)) -> Result<Tally, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    let kind = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default();
    let profile = Profile::from_name(folder).unwrap_or_default();
    let mut tally = Tally::default();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let case = Case::read(line, kind, profile).map_err(|error| format!("{}:{}: {error}", path.display(), number + 1))?;
        let outcome = run(&case);
        match outcome {
            Outcome::Passed => tally.passed += 1,
            Outcome::Refused => tally.refused += 1,
            Outcome::Failed(_) => tally.failed += 1,
        }
        if outcome != Outcome::Passed {
            tell(&case, &outcome);
        }
    }
    Ok(tally)
}
