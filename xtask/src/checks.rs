//! `cargo xtask test` and `cargo xtask shots`.

use crate::page_server::{self, Pages};
use crate::project::Project;
use crate::setup::{self, Kit, Need};
use crate::site::{Profile, Site};
use crate::steps::{self, Outcome, Steps};
use std::path::Path;
use std::process::Command;

/// Runs the checks; the table of times comes at the end, whether they hold or not.
pub fn run(project: &Project, steps: &mut Steps, native: bool, browser: bool, names: &[String]) -> Outcome<()> {
    let need = match (native, browser) {
        (true, _) => Need::Test,
        (false, _) => Need::Browser,
    };
    let result = setup::prepare(project, steps, need).and_then(|kit| {
        if native {
            native_checks(project, &kit, steps)?;
        }
        if browser {
            browser_checks(project, &kit, steps, names)?;
        }
        Ok(())
    });
    steps.table();
    result
}

fn cargo(project: &Project, kit: &Kit, arguments: &[&str]) -> Command {
    let mut command = kit.command("cargo");
    command.current_dir(&project.root).args(arguments);
    command
}

fn native_checks(project: &Project, kit: &Kit, steps: &mut Steps) -> Outcome<()> {
    steps.step("Format", || steps::run(&mut cargo(project, kit, &["fmt", "--all", "--check"])))?;
    steps.step("Lints, native", || {
        // The default members are the whole workspace without the app and the worker.
        steps::run(&mut cargo(project, kit, &["clippy", "--locked", "--all-targets", "--", "-D", "warnings"]))
    })?;
    steps.step("Lints, app and worker", || {
        let arguments = [
            "clippy",
            "--locked",
            "-p",
            "loopwright",
            "-p",
            "loopwright-worker",
            "--target",
            "wasm32-unknown-unknown",
            "--",
            "-D",
            "warnings",
        ];
        steps::run(&mut cargo(project, kit, &arguments))
    })?;
    steps.step("Tests (with conformance, corpus and architecture)", || {
        steps::run(&mut cargo(project, kit, &["test", "--locked", "--quiet"]))
    })
}

fn browser_checks(project: &Project, kit: &Kit, steps: &mut Steps, names: &[String]) -> Outcome<()> {
    let site = Site::of(project, Profile::WebTest);
    site.build(project, kit, steps)?;
    // What the app does is compared with what the command line does.
    steps.step("Build the command line", || {
        steps::run(&mut cargo(project, kit, &["build", "--locked", "--quiet", "-p", "loopwright-cli"]))
    })?;
    let command_line = project.target.join("debug").join(format!("loopwright{}", std::env::consts::EXE_SUFFIX));
    steps.step("Browser tests", || {
        let results = crate::results_folder(project);
        if results.exists() {
            std::fs::remove_dir_all(&results).map_err(|error| format!("{} cannot be emptied: {error}", results.display()))?;
        }
        steps::run(
            browser(project, kit, &site.folder, "run.mjs")?
                .env("LOOPWRIGHT_RESULTS", &results)
                .env("LOOPWRIGHT_CLI", &command_line)
                .args(names),
        )
    })
}

/// A script of `tests/e2e` that looks at the built app in Chromium.
pub fn browser(project: &Project, kit: &Kit, site: &Path, script: &str) -> Outcome<Command> {
    let address = page_server::serve_in_background(Pages::load(site, false)?)?;
    let mut node = kit.command("node");
    node.current_dir(&project.root).arg(Path::new("tests/e2e").join(script)).env("LOOPWRIGHT_URL", address);
    if let Some(chromium) = &kit.chromium {
        node.env("LOOPWRIGHT_CHROMIUM", chromium);
    }
    Ok(node)
}

/// Writes a picture of every screen.
pub fn shots(project: &Project, steps: &mut Steps, out: &Path, names: &[String]) -> Outcome<()> {
    let kit = setup::prepare(project, steps, Need::Browser)?;
    let site = Site::of(project, Profile::WebTest);
    site.build(project, &kit, steps)?;
    steps.step("Pictures", || steps::run(browser(project, &kit, &site.folder, "shots.mjs")?.env("LOOPWRIGHT_SHOTS", out).args(names)))?;
    println!("The pictures are in {}", out.display());
    Ok(())
}
