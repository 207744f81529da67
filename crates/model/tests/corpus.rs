//! Awkward files come out byte for byte.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::path::{Path, PathBuf};

use loopwright_model::format::{Format, JsonForm, export, import};

fn files(folder: &Path) -> Vec<(PathBuf, String)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

fn corpus() -> Vec<(PathBuf, String)> {
    let files = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus"));
    assert!(files.len() >= 12, "the corpus has {} files", files.len());
    files
}

fn check_same_bytes(path: &Path, text: &str) {
    let imported = import(&path.file_name().unwrap().to_string_lossy(), text);
    let document = imported.document.unwrap_or_else(|| panic!("{}: {:?}", path.display(), imported.notices));
    document.validate_invariants().unwrap();
    let format = imported.format.unwrap();
    let out = export(&document, format, JsonForm::AsWritten).unwrap();
    assert_eq!(out, text, "{}", path.display());
    // The text goes along in our own file.
    let own = export(&document, Format::Document, JsonForm::AsWritten).unwrap();
    let again = import("own", &own);
    let again = again.document.unwrap();
    again.validate_invariants().unwrap();
    assert_eq!(export(&again, Format::Document, JsonForm::AsWritten).unwrap(), own, "{}", path.display());
    assert_eq!(export(&again, format, JsonForm::AsWritten).unwrap(), text, "{} through our own file", path.display());
}

#[test]
fn unedited_files_come_out_byte_for_byte() {
    for (path, text) in corpus() {
        check_same_bytes(&path, &text);
    }
}

/// Only where a folder with real files lies beside the project.
#[test]
fn real_files_come_out_byte_for_byte() {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("shared/flows")).find(|folder| folder.is_dir());
    for (path, text) in beside.iter().flat_map(|folder| files(folder)) {
        check_same_bytes(&path, &text);
    }
}
