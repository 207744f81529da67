//! The `loopwright` command: check, simulate, test and export agent flows, the same files and the same engine as the app.
//!
//! Exit codes: 0 fine, 1 problems or a failed run, 2 wrong usage, 3 cannot read or write.

mod args;
mod commands;
mod files;
mod output;
mod progress;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let args = args::Args::parse();
    let result = match args.command {
        args::Command::Check(args) => commands::check::run(&args),
        args::Command::Simulate(args) => commands::simulate::run(&args),
        args::Command::Test(args) => commands::test::run(&args),
        args::Command::Export(args) => commands::export::run(&args),
        args::Command::Fmt(args) => commands::fmt::run(&args),
        args::Command::Schema(args) => commands::schema::run(&args),
        args::Command::Eval(args) => commands::eval::run(&args),
        args::Command::Diff(args) => commands::diff::run(&args),
    };
    match result {
        Ok(code) => code.into(),
        Err(trouble) => {
            eprintln!("loopwright: {}", trouble.message);
            trouble.code.into()
        }
    }
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// All is well.
    Fine = 0,
    /// There are problems, or the run failed.
    Problems = 1,
    /// The command was not given what it needs.
    Usage = 2,
    /// A file could not be read or written.
    Files = 3,
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        Self::from(code as u8)
    }
}

/// Why a command could not do its work.
#[derive(Debug)]
pub struct Trouble {
    message: String,
    code: Code,
}

impl Trouble {
    fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: Code::Usage }
    }

    fn files(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: Code::Files }
    }

    fn problems(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: Code::Problems }
    }
}
