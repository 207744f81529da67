//! `cargo xtask bench`: figures beside their budgets. It tells; it never fails because something is slow.
//!
//! A bench is a program that prints lines of five columns parted by tabs: `bench`, a name, a value, a unit, and a budget in
//! the same unit or `-`. Every other line is shown as it is.

use crate::checks;
use crate::project::Project;
use crate::setup::{self, Need};
use crate::site::{Profile, Site};
use crate::size;
use crate::steps::{self, Outcome, Steps, paint};
use std::process::{Command, Stdio};

/// Where a bench's figures come from.
enum Source {
    /// A native program of the workspace, built for speed: package and binary.
    Native(&'static str, &'static str),
    /// A script of `tests/e2e` run on what ships.
    Browser(&'static str),
    /// The weight of what ships.
    Size,
}

/// All benches. A new one is a line here and the program it names.
const BENCHES: [(&str, Source); 3] =
    [("size", Source::Size), ("browser", Source::Browser("bench.mjs")), ("engine", Source::Native("loopwright-tests", "bench"))];

/// One figure.
struct Figure {
    name: String,
    value: f64,
    unit: String,
    budget: Option<f64>,
}

/// Runs the benches named, or all.
pub fn run(project: &Project, steps: &mut Steps, names: &[String]) -> Outcome<()> {
    if let Some(unknown) = names.iter().find(|name| BENCHES.iter().all(|(bench, _)| bench != name)) {
        let known: Vec<&str> = BENCHES.iter().map(|(name, _)| *name).collect();
        return Err(format!("there is no bench `{unknown}`; there are {}", known.join(", ")));
    }
    let wanted: Vec<_> = BENCHES.iter().filter(|(name, _)| names.is_empty() || names.iter().any(|given| given == name)).collect();
    let needs_site = wanted.iter().any(|(_, source)| !matches!(source, Source::Native(..)));
    let kit = setup::prepare(project, steps, if needs_site { Need::Browser } else { Need::Native })?;
    let site = Site::of(project, Profile::Web);
    if needs_site {
        site.build(project, &kit, steps)?;
    }
    let mut figures = Vec::new();
    for (name, source) in wanted {
        let found = steps.step(&format!("Bench {name}"), || match source {
            Source::Size => {
                let sizes = size::measure(&site.folder)?;
                let figure = |name: &str, value: u64, budget: u64| Figure {
                    name: name.to_owned(),
                    value: value as f64 / 1000.0,
                    unit: "kB gzip".to_owned(),
                    budget: Some(budget as f64 / 1000.0),
                };
                Ok(vec![figure("page", sizes.page, size::PAGE_BUDGET), figure("worker", sizes.worker, size::WORKER_BUDGET)])
            }
            Source::Browser(script) => read_figures(&mut checks::browser(project, &kit, &site.folder, script)?),
            Source::Native(package, binary) => {
                let mut cargo = kit.command("cargo");
                cargo.current_dir(&project.root).args(["run", "--release", "--quiet", "--package", package, "--bin", binary]);
                read_figures(&mut cargo)
            }
        })?;
        figures.extend(found);
    }
    print_table(&figures);
    Ok(())
}

fn read_figures(command: &mut Command) -> Outcome<Vec<Figure>> {
    command.stderr(Stdio::inherit());
    let mut figures = Vec::new();
    for line in steps::output(command)?.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        match columns.as_slice() {
            ["bench", name, value, unit, budget] => figures.push(Figure {
                name: (*name).to_owned(),
                value: value.parse().map_err(|_| format!("the bench {name} gave `{value}` where a number belongs"))?,
                unit: (*unit).to_owned(),
                budget: match *budget {
                    "-" => None,
                    text => Some(text.parse().map_err(|_| format!("the bench {name} gave `{text}` where its budget or - belongs"))?),
                },
            }),
            _ => println!("  {line}"),
        }
    }
    Ok(figures)
}

fn print_table(figures: &[Figure]) {
    let width = figures.iter().map(|figure| figure.name.chars().count()).max().unwrap_or(0);
    println!("\n  {:<width$}  {:>12}  {:<8}  {:>10}  of budget", "", "measured", "", "budget");
    for figure in figures {
        let (budget, ratio) = match figure.budget {
            None => ("-".to_owned(), String::new()),
            Some(budget) => {
                let ratio = figure.value / budget;
                let text = format!("{:.0} %", ratio * 100.0);
                (format!("{budget}"), if ratio <= 1.0 { paint("32", &text) } else { paint("31", &format!("{text}, over")) })
            }
        };
        println!("  {:<width$}  {:>12.1}  {:<8}  {budget:>10}  {ratio}", figure.name, figure.value, figure.unit);
    }
}
