//! One place for set-up, serve, build, test and bench: `cargo xtask help` lists the commands.

mod bench;
mod cargo_shim;
mod checks;
mod debian;
mod page_server;
mod project;
mod serve;
mod setup;
mod site;
mod size;
mod steps;

use project::Project;
use setup::Need;
use site::{Profile, Site};
use std::path::PathBuf;
use std::process::ExitCode;
use steps::{Outcome, Steps};

const HELP: &str = "\
Usage: cargo xtask COMMAND

  serve [--dev] [--port N]     build the app and serve it on this machine; --dev rebuilds and reloads when a file changes
  test [--native | --browser] [NAME…]
                               everything that must hold: format, lints, tests, and the browser tests (NAME picks among those)
  build [--profile web|web-test|web-dev] [--out DIR]
                               build the app's files
  dist                         build what ships into dist/ and report its size against the budgets
  conformance DIR… [--verbose] run golden cases
  bench [NAME…]                measure, and compare with the budgets
  shots [--out DIR] [NAME…]    write a picture of every screen
  setup                        install what is missing, and nothing else
";

fn main() -> ExitCode {
    if cargo_shim::is_called() {
        return cargo_shim::run();
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("\nxtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[String]) -> Outcome<()> {
    let Some((command, rest)) = arguments.split_first() else {
        print!("{HELP}");
        return Ok(());
    };
    let project = Project::find()?;
    let mut steps = Steps::new();
    match command.as_str() {
        "serve" => {
            let options = Options::read(rest, &["--dev"], &["--port"])?;
            options.no_names("serve")?;
            let port = match options.value("--port") {
                None => None,
                Some(text) => Some(
                    text.parse::<u16>()
                        .map_err(|_| format!("--port {text}: expected a number from 0 to 65535, for example --port 8080"))?,
                ),
            };
            serve::run(&project, &mut steps, options.flag("--dev"), port)
        }
        "test" => {
            let options = Options::read(rest, &["--native", "--browser"], &[])?;
            if options.flag("--native") && options.flag("--browser") {
                return Err("give --native or --browser, or neither to run both".to_owned());
            }
            checks::run(&project, &mut steps, !options.flag("--browser"), !options.flag("--native"), &options.names)
        }
        "build" => {
            let options = Options::read(rest, &[], &["--profile", "--out"])?;
            options.no_names("build")?;
            let profile = Profile::named(options.value("--profile").unwrap_or("web"))?;
            let kit = setup::prepare(&project, &mut steps, Need::Build)?;
            let site = match options.value("--out") {
                Some(out) => Site::at(profile, std::path::absolute(out).map_err(|error| format!("--out {out}: {error}"))?),
                None => Site::of(&project, profile),
            };
            site.build(&project, &kit, &mut steps)?;
            println!("The app is in {}", site.folder.display());
            Ok(())
        }
        "dist" => {
            Options::read(rest, &[], &[])?.no_names("dist")?;
            let kit = setup::prepare(&project, &mut steps, Need::Build)?;
            let site = Site::at(Profile::Web, project.root.join("dist"));
            site.build(&project, &kit, &mut steps)?;
            size::report(&site.folder)
        }
        "conformance" => {
            let kit = setup::prepare(&project, &mut steps, Need::Native)?;
            let mut cargo = kit.command("cargo");
            cargo.args(["run", "--quiet", "--package", "loopwright-tests", "--bin", "conformance", "--"]).args(rest);
            steps::run(&mut cargo)
        }
        "bench" => bench::run(&project, &mut steps, rest),
        "shots" => {
            let options = Options::read(rest, &[], &["--out"])?;
            let out = std::path::absolute(options.value("--out").unwrap_or("shots")).map_err(|error| error.to_string())?;
            checks::shots(&project, &mut steps, &out, &options.names)
        }
        "setup" => {
            Options::read(rest, &[], &[])?.no_names("setup")?;
            setup::prepare(&project, &mut steps, Need::Test).map(|_| println!("Everything is here."))
        }
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        other => Err(format!("there is no command `{other}`. The commands are:\n\n{HELP}")),
    }
}

/// The words after a command: flags, flags with a value, and names.
struct Options {
    flags: Vec<String>,
    values: Vec<(String, String)>,
    names: Vec<String>,
}

impl Options {
    fn read(words: &[String], flags: &[&str], with_value: &[&str]) -> Outcome<Self> {
        let mut options = Self { flags: Vec::new(), values: Vec::new(), names: Vec::new() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let (name, joined) = match word.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value)),
                _ => (word.as_str(), None),
            };
            if with_value.contains(&name) {
                let value = match joined {
                    Some(value) => value.to_owned(),
                    None => words.next().cloned().ok_or_else(|| format!("{name} wants a value after it"))?,
                };
                options.values.push((name.to_owned(), value));
            } else if joined.is_none() && flags.contains(&name) {
                options.flags.push(name.to_owned());
            } else if name.starts_with('-') {
                return Err(format!("there is no option `{name}` here.\n\n{HELP}"));
            } else {
                options.names.push(word.clone());
            }
        }
        Ok(options)
    }

    fn flag(&self, name: &str) -> bool {
        self.flags.iter().any(|flag| flag == name)
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.values.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    fn no_names(&self, command: &str) -> Outcome<()> {
        match self.names.first() {
            None => Ok(()),
            Some(name) => Err(format!("`cargo xtask {command}` takes no name, and got `{name}`.\n\n{HELP}")),
        }
    }
}

/// The folder in which a failed browser test leaves its pictures.
fn results_folder(project: &Project) -> PathBuf {
    project.root.join("tests/e2e/results")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(words: &str) -> Outcome<Options> {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        Options::read(&words, &["--dev"], &["--port"])
    }

    #[test]
    fn options_are_read_in_both_spellings_and_wrong_ones_are_named() {
        for words in ["--dev --port 9000 canvas", "canvas --port=9000 --dev"] {
            let options = read(words).unwrap();
            assert!(options.flag("--dev"), "{words}");
            assert_eq!(options.value("--port"), Some("9000"), "{words}");
            assert_eq!(options.names, ["canvas"], "{words}");
        }
        for (words, named) in [("--prot 9000", "--prot"), ("--port", "--port"), ("--dev=yes", "--dev")] {
            assert!(read(words).is_err_and(|message| message.contains(named)), "{words}");
        }
    }
}
