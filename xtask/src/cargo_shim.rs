//! xtask under the name of `cargo`, for Trunk alone.
//!
//! Trunk builds the package of a manifest with `cargo build --manifest-path Cargo.toml` and cannot name a package; for the manifest of
//! a workspace Cargo then builds the default members, and the app is not one of them (so that `cargo test` never compiles it).
//! A folder put first in Trunk's PATH therefore holds xtask as `cargo`: it adds the missing `--package` and hands on to the real one.

use crate::project::{self, Project};
use crate::steps::Outcome;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The package of the workspace's own manifest.
const APP: &str = "loopwright";

const NAME: &str = if cfg!(windows) { "cargo.exe" } else { "cargo" };

/// Makes the folder and returns it.
pub fn make(project: &Project) -> Outcome<PathBuf> {
    let folder = project.scratch().join("cargo-for-trunk");
    project::make_folder(&folder)?;
    let xtask = std::env::current_exe().map_err(|error| format!("xtask does not find itself: {error}"))?;
    // Beside its place first, so that another xtask that runs it right now keeps a whole file.
    let fresh = folder.join(format!("new-{}", std::process::id()));
    std::fs::copy(&xtask, &fresh)
        .and_then(|_| std::fs::rename(&fresh, folder.join(NAME)))
        .map_err(|error| format!("{} cannot be written: {error}", folder.display()))?;
    Ok(folder)
}

/// Whether this process was started as `cargo`.
pub fn is_called() -> bool {
    std::env::args_os().next().is_some_and(|name| Path::new(&name).file_stem().is_some_and(|stem| stem == "cargo"))
}

/// Hands on to the real cargo, with the package where one is missing.
pub fn run() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let own = std::env::current_exe().ok().and_then(|path| path.parent().map(Path::to_owned));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let others = std::env::split_paths(&path).filter(|folder| Some(folder) != own.as_ref());
    let mut cargo = Command::new("cargo");
    cargo.args(&arguments);
    if let Ok(others) = std::env::join_paths(others) {
        cargo.env("PATH", others);
    }
    if arguments.first().is_some_and(|command| command == "build") && builds_workspace_root(&arguments) {
        cargo.args(["--package", APP]);
    }
    match cargo.status() {
        Ok(status) => ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)),
        Err(error) => {
            eprintln!("cargo cannot be started: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether the manifest asked for is a workspace's.
fn builds_workspace_root(arguments: &[OsString]) -> bool {
    let manifest = arguments.iter().skip_while(|word| *word != "--manifest-path").nth(1);
    manifest.and_then(|path| std::fs::read_to_string(path).ok()).is_some_and(|text| text.lines().any(|line| line.trim() == "[workspace]"))
}
