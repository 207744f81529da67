//! What can be typed.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

/// Design, check and rehearse agent flows.
#[derive(Debug, Parser)]
#[command(name = "loopwright", version, about)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List what is wrong with files, each problem with its place
    Check(Check),
    /// Run a flow under a scenario, with scripted calls and a virtual clock
    Simulate(Simulate),
    /// Run a document's scenarios and say which went as they expect
    Test(Test),
    /// Write a file in another format
    Export(Export),
    /// Print a document in the house style (two spaces, final newline)
    Fmt(Fmt),
    /// Print the JSON Schema of the document's own file
    Schema(Schema),
    /// Evaluate an expression or a mapping
    Eval(Eval),
    /// Run a flow by the rules of both profiles and say where the runs part
    Diff(Diff),
}

#[derive(Debug, ClapArgs)]
pub struct Check {
    /// Step JSON, mj-sync metadata, AgentSpec or a Loopwright document; - is standard input
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Print JSON, one object a file
    #[arg(long)]
    pub json: bool,
    /// Warnings count as problems, too
    #[arg(long)]
    pub strict: bool,
    /// The backend the flows are for; mj-5.51.3 adds what it does in another way than the guide
    #[arg(long, default_value = "documented")]
    pub profile: ProfileName,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum ProfileName {
    /// As the guide says
    #[default]
    #[value(name = "documented")]
    Documented,
    /// As MemberJunction 5.51.3 does it
    #[value(name = "mj-5.51.3")]
    Mj5513,
}

impl From<ProfileName> for loopwright_lang::Profile {
    fn from(name: ProfileName) -> Self {
        match name {
            ProfileName::Documented => Self::Documented,
            ProfileName::Mj5513 => Self::Mj5513,
        }
    }
}

/// Which flow of a file to run, and how its calls answer.
#[derive(Debug, ClapArgs)]
pub struct Which {
    /// Which agent to run, by name; the first (or the scenario's) otherwise
    #[arg(long)]
    pub agent: Option<String>,
    /// Which scenario, by name; the agent's first otherwise
    #[arg(long)]
    pub scenario: Option<String>,
    /// Take the scenario from this JSON file instead
    #[arg(long, conflicts_with = "scenario")]
    pub scenario_file: Option<PathBuf>,
    /// Another seed for everything left to chance
    #[arg(long)]
    pub seed: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub struct Diff {
    /// The file; - is standard input
    pub file: PathBuf,
    /// Compare the profiles documented and mj-5.51.3
    #[arg(long, required = true)]
    pub profiles: bool,
    #[command(flatten)]
    pub which: Which,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, ClapArgs)]
pub struct Simulate {
    /// The file; - is standard input
    pub file: PathBuf,
    #[command(flatten)]
    pub which: Which,
    /// Whose rules
    #[arg(long, default_value = "documented")]
    pub profile: ProfileName,
    /// Stop there: a time (`250ms`, `5s`), a step's name, or `STEP#N` for its iteration N (from 0)
    #[arg(long)]
    pub until: Option<String>,
    /// Print one JSON object with the result
    #[arg(long, conflicts_with = "events")]
    pub json: bool,
    /// Print the run log, one JSON object an event
    #[arg(long)]
    pub events: bool,
    /// Write the packed run log to this file
    #[arg(long)]
    pub log: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub struct Test {
    /// Loopwright documents with scenarios; - is standard input
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Only the scenario of this name
    #[arg(long)]
    pub scenario: Option<String>,
    /// Whose rules
    #[arg(long, default_value = "documented")]
    pub profile: ProfileName,
    /// Print JSON, one object a file
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Target {
    /// { "agents": [ … ] }
    Steps,
    /// MemberJunction metadata
    MjSync,
    /// Steps and Paths by name
    Agentspec,
    /// { "tasks": [ … ] }
    Plan,
    /// { "name", "tasks": [ { "key", … } ] }
    Tasks,
    /// A task graph as TypeScript source, a function to fill in for each body
    Typescript,
    /// Loopwright's own file
    Document,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum FormName {
    /// Configuration and mappings as JSON text, as the database holds them
    #[default]
    Text,
    /// The same as objects, for authoring
    Object,
}

#[derive(Debug, ClapArgs)]
pub struct Export {
    /// The file; - is standard input
    pub file: PathBuf,
    /// The format to write
    #[arg(long)]
    pub to: Target,
    /// How step JSON writes Configuration and mappings
    #[arg(long, default_value = "text")]
    pub form: FormName,
    /// Where to write; standard output otherwise
    #[arg(short, long)]
    pub output: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub struct Fmt {
    /// The files; - is standard input
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Only say which files are not in the house style (exit code 1)
    #[arg(long, conflicts_with = "write")]
    pub check: bool,
    /// Write the files in place
    #[arg(long)]
    pub write: bool,
}

#[derive(Debug, ClapArgs)]
pub struct Schema {}

#[derive(Debug, ClapArgs)]
pub struct Eval {
    /// An expression such as 'payload.items.length > 3'; with --mapping a mapping text or object
    pub text: String,
    /// Resolve the text as a mapping value (or a JSON object as a whole mapping)
    #[arg(long)]
    pub mapping: bool,
    /// The payload: JSON text, or @FILE
    #[arg(long, default_value = "{}")]
    pub payload: String,
    /// The run's data: JSON text, or @FILE
    #[arg(long)]
    pub data: Option<String>,
    /// The run's context: JSON text, or @FILE
    #[arg(long)]
    pub context: Option<String>,
    /// The current item of a loop: JSON text, or @FILE
    #[arg(long)]
    pub item: Option<String>,
    /// The name of that item
    #[arg(long, default_value = "item")]
    pub item_variable: String,
    /// The index of that item
    #[arg(long, default_value_t = 0)]
    pub index: u64,
    /// Whose rules
    #[arg(long, default_value = "documented")]
    pub profile: ProfileName,
    /// Print JSON with the rule that fired and all problems
    #[arg(long)]
    pub json: bool,
}
