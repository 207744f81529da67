//! Set-up: what a command needs, whether it is here, and how it gets here. Every check is cheap, so it is made on every run.

use crate::debian;
use crate::project::{self, Project};
use crate::steps::{self, Outcome, Steps, paint};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The version of Trunk the build is written for (0.22 wants a newer Rust).
const TRUNK: &str = "0.21.14";

/// The oldest major version of Node.js the browser tests and wasm-opt run on.
const NODE: u32 = 18;

/// How long rustup may take; where it cannot download it would try for ever.
const RUSTUP_LIMIT: Duration = Duration::from_secs(90);

/// What a command is going to do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Run native Rust code.
    Native,
    /// Build the app.
    Build,
    /// Build the app and look at it in Chromium.
    Browser,
    /// Check everything.
    Test,
}

impl Need {
    fn parts(self) -> &'static [Part] {
        use Part::{Bindgen, Chromium, Components, Crates, Node, Packages, Trunk, WasmTarget};
        match self {
            Need::Native => &[],
            Need::Build => &[WasmTarget, Node, Packages, Crates, Bindgen, Trunk],
            Need::Browser => &[WasmTarget, Node, Packages, Crates, Bindgen, Trunk, Chromium],
            Need::Test => &[WasmTarget, Components, Node, Packages, Crates, Bindgen, Trunk, Chromium],
        }
    }
}

/// The tools, ready for use: every command xtask starts gets its environment from here.
pub struct Kit {
    path: OsString,
    debian: bool,
    /// `rustc -vV` of the compiler in use.
    pub rustc: String,
    /// Chromium, where the command needs one.
    pub chromium: Option<PathBuf>,
}

impl Kit {
    fn new(project: &Project, bindgen: &str) -> Outcome<Self> {
        let mut folders = vec![
            project.root.join("node_modules/.bin"),
            tool_folder(project, "trunk", TRUNK).join("bin"),
            tool_folder(project, "wasm-bindgen-cli", bindgen).join("bin"),
        ];
        folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        let path = std::env::join_paths(folders).map_err(|error| format!("PATH cannot be extended: {error}"))?;
        let mut kit = Self { path, debian: false, rustc: String::new(), chromium: None };
        kit.rustc = steps::output(kit.command("rustc").arg("-vV"))?;
        Ok(kit)
    }

    /// A command in the tools' environment, without what Cargo set for xtask itself.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text == "CARGO" || text == "RUST_RECURSION_COUNT" || text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
                command.env_remove(&name);
            }
        }
        command.env("PATH", &self.path);
        if self.debian {
            // Cargo put the other compiler's libraries here.
            command.env_remove("LD_LIBRARY_PATH");
            command.env("RUSTUP_TOOLCHAIN", debian::TOOLCHAIN);
            command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", debian::LINKER);
        }
        command
    }

    /// The folders programs are looked for in, the tools' before the user's.
    pub fn path(&self) -> &OsStr {
        &self.path
    }

    fn use_debian(&mut self) -> Outcome<()> {
        self.debian = true;
        self.rustc = steps::output(self.command("rustc").arg("-vV"))?;
        Ok(())
    }

    fn find(&self, program: &str) -> Option<PathBuf> {
        std::env::split_paths(&self.path).map(|folder| folder.join(program)).find(|path| path.is_file())
    }

    fn prints(&self, program: &str, arguments: &[&str]) -> Option<String> {
        steps::output(self.command(program).args(arguments)).ok()
    }
}

/// One thing that may be missing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    WasmTarget,
    Components,
    Node,
    Packages,
    Crates,
    Bindgen,
    Trunk,
    Chromium,
}

/// Checks what the command needs; says what is missing and why it is wanted; installs it.
pub fn prepare(project: &Project, steps: &mut Steps, need: Need) -> Outcome<Kit> {
    let setup = Setup { project, bindgen: project.locked_version("wasm-bindgen")? };
    let mut kit = Kit::new(project, &setup.bindgen)?;
    let mut missing = Vec::new();
    for part in need.parts() {
        if !setup.is_here(*part, &mut kit)? {
            missing.push(*part);
        }
    }
    if !missing.is_empty() {
        println!("Some things this needs are not on this machine yet. They will be installed now:");
        for part in &missing {
            println!("  {} {}", paint("1", &setup.title(*part)), setup.reason(*part));
        }
        println!("Tools are kept in {} and shared by all clones; LOOPWRIGHT_TOOLS names another folder.", project.tools.display());
    }
    for part in missing {
        steps.step(&format!("Install {}", setup.title(part)), || setup.install(part, &mut kit))?;
    }
    if matches!(need, Need::Browser | Need::Test) {
        kit.chromium = chromium(&kit);
    }
    Ok(kit)
}

/// One tool's own folder: a version a folder, so that clones with different pins do not undo each other's.
fn tool_folder(project: &Project, crate_name: &str, version: &str) -> PathBuf {
    project.tools.join(format!("{crate_name}-{version}"))
}

struct Setup<'a> {
    project: &'a Project,
    bindgen: String,
}

impl Setup<'_> {
    fn title(&self, part: Part) -> String {
        match part {
            Part::WasmTarget => "the WebAssembly target of Rust".to_owned(),
            Part::Components => "rustfmt and clippy".to_owned(),
            Part::Node => format!("Node.js {NODE} or newer, with npm"),
            Part::Packages => "npm packages (wasm-opt, playwright-core, axe-core)".to_owned(),
            Part::Crates => "Rust crates".to_owned(),
            Part::Bindgen => format!("wasm-bindgen {}", self.bindgen),
            Part::Trunk => format!("Trunk {TRUNK}"),
            Part::Chromium => "Chromium".to_owned(),
        }
    }

    fn reason(&self, part: Part) -> &'static str {
        match part {
            Part::WasmTarget => "compiles the app for the browser (half a minute; about 4 minutes where rustup cannot download)",
            Part::Components => "check format and lints (half a minute)",
            Part::Node => "runs wasm-opt and the browser tests (1 minute)",
            Part::Packages => "shrink the app and drive the browser; they go into node_modules (10 s)",
            Part::Crates => "are the libraries in Cargo.lock, downloaded once (1 minute)",
            Part::Bindgen => "connects the app to JavaScript; compiled from source (2 to 3 minutes)",
            Part::Trunk => "bundles the app; compiled from source (4 to 8 minutes)",
            Part::Chromium => "is the browser of the browser tests, from apt (1 to 2 minutes)",
        }
    }

    fn is_here(&self, part: Part, kit: &mut Kit) -> Outcome<bool> {
        Ok(match part {
            Part::WasmTarget => {
                let sysroot = steps::output(kit.command("rustc").args(["--print", "sysroot"]))?;
                if has_wasm_std(Path::new(sysroot.trim())) {
                    true
                } else if debian::is_ready() {
                    kit.use_debian()?;
                    true
                } else {
                    false
                }
            }
            Part::Components => {
                kit.prints("cargo", &["fmt", "--version"]).is_some() && kit.prints("cargo", &["clippy", "--version"]).is_some()
            }
            Part::Node => {
                let major = kit
                    .prints("node", &["--version"])
                    .and_then(|text| text.trim().trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok()));
                major.is_some_and(|major| major >= NODE) && kit.find("npm").is_some()
            }
            Part::Packages => {
                let lock = project::read(&self.project.root.join("package-lock.json"))?;
                std::fs::read_to_string(self.packages_stamp()).is_ok_and(|stamp| stamp == lock)
            }
            Part::Crates => kit
                .command("cargo")
                .current_dir(&self.project.root)
                .args(["metadata", "--offline", "--format-version=1", "--filter-platform=wasm32-unknown-unknown"])
                .output()
                .is_ok_and(|result| result.status.success()),
            Part::Bindgen => {
                kit.prints("wasm-bindgen", &["--version"]).is_some_and(|text| text.trim() == format!("wasm-bindgen {}", self.bindgen))
            }
            Part::Trunk => kit.prints("trunk", &["--version"]).is_some_and(|text| text.trim() == format!("trunk {TRUNK}")),
            Part::Chromium => chromium(kit).is_some(),
        })
    }

    fn install(&self, part: Part, kit: &mut Kit) -> Outcome<()> {
        match part {
            Part::WasmTarget => self.install_target(kit),
            Part::Components => {
                let mut rustup = kit.command("rustup");
                rustup.args(["component", "add", "rustfmt", "clippy"]);
                steps::run_logged(&mut rustup, &self.log("components"), Some(RUSTUP_LIMIT)).map_err(|error| {
                    format!("{error}\nrustfmt and clippy are wanted for `cargo xtask test`; `cargo xtask serve` does without.")
                })
            }
            Part::Node => debian::apt_install(&["nodejs", "npm"], &self.log("node"))
                .map_err(|error| format!("{error}\nInstall Node.js {NODE} or newer with npm, then run this again.")),
            Part::Packages => {
                let mut npm = kit.command("npm");
                npm.current_dir(&self.project.root).args(["ci", "--no-audit", "--no-fund"]);
                steps::run_logged(&mut npm, &self.log("npm"), None)?;
                project::write(&self.packages_stamp(), project::read(&self.project.root.join("package-lock.json"))?)
            }
            Part::Crates => {
                let mut cargo = kit.command("cargo");
                cargo.current_dir(&self.project.root).args(["fetch"]);
                steps::run_logged(&mut cargo, &self.log("crates"), None)
            }
            Part::Bindgen => self.cargo_install(kit, "wasm-bindgen-cli", &self.bindgen),
            Part::Trunk => self.cargo_install(kit, "trunk", TRUNK),
            Part::Chromium => debian::apt_install(&["chromium"], &self.log("chromium")).map_err(|error| {
                format!("{error}\nInstall Chromium or Chrome yourself and name it in LOOPWRIGHT_CHROMIUM, then run this again.")
            }),
        }
    }

    fn install_target(&self, kit: &mut Kit) -> Outcome<()> {
        let refused = if kit.find("rustup").is_some() {
            let mut rustup = kit.command("rustup");
            rustup.args(["target", "add", "wasm32-unknown-unknown"]);
            match steps::run_logged(&mut rustup, &self.log("rustup"), Some(RUSTUP_LIMIT)) {
                Ok(()) => return Ok(()),
                Err(error) => error,
            }
        } else {
            "rustup is not installed".to_owned()
        };
        println!("  rustup did not bring the target:\n{}", indented(&refused));
        if !debian::is_debian() {
            return Err(
                "the WebAssembly target is missing; `rustup target add wasm32-unknown-unknown` has to work once on this machine".to_owned()
            );
        }
        println!("  Taking Debian's compiler instead, for this project only; your default toolchain stays as it is.");
        debian::install(kit, &self.project.tools, &self.project.scratch().join("logs"))?;
        kit.use_debian()
    }

    /// Installs a program from source (or from its makers' download where cargo-binstall is here) into its own folder.
    fn cargo_install(&self, kit: &Kit, name: &str, version: &str) -> Outcome<()> {
        let folder = tool_folder(self.project, name, version);
        let log = self.log(name);
        if kit.find("cargo-binstall").is_some() {
            let mut cargo = kit.command("cargo");
            cargo.args(["binstall", "--no-confirm", "--disable-telemetry", "--version", version, "--root"]).arg(&folder).arg(name);
            match steps::run_logged(&mut cargo, &log, Some(Duration::from_secs(180))) {
                Ok(()) => return Ok(()),
                Err(error) => println!("  cargo-binstall did not bring it, so it is compiled:\n{}", indented(&error)),
            }
        }
        let build = self.project.tools.join(format!("build-{name}"));
        let attempt = |locked: bool| {
            let mut cargo = kit.command("cargo");
            cargo.args(["install", name, "--version", version, "--root"]).arg(&folder);
            if locked {
                cargo.arg("--locked");
            }
            // The program runs for a moment in each build: it is cheaper to compile it quickly than well.
            cargo
                .current_dir(std::env::temp_dir())
                .env("CARGO_TARGET_DIR", &build)
                .env("CARGO_PROFILE_RELEASE_LTO", "off")
                .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
                .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
                .env("CARGO_PROFILE_RELEASE_DEBUG", "false");
            steps::run_logged(&mut cargo, &log, None)
        };
        // A registry mirror that lags behind may lack a version its lock file names.
        let result = attempt(true).or_else(|_| attempt(false));
        if result.is_ok() {
            // Half a gigabyte nobody needs again; if it stays, nothing breaks.
            let _ = std::fs::remove_dir_all(&build);
        }
        result
    }

    fn packages_stamp(&self) -> PathBuf {
        self.project.root.join("node_modules/.loopwright-lock.json")
    }

    fn log(&self, name: &str) -> PathBuf {
        self.project.scratch().join("logs").join(format!("{name}.log"))
    }
}

/// Whether a Rust installation can compile for the browser.
pub fn has_wasm_std(sysroot: &Path) -> bool {
    std::fs::read_dir(sysroot.join("lib/rustlib/wasm32-unknown-unknown/lib"))
        .is_ok_and(|entries| entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("libcore-")))
}

fn chromium(kit: &Kit) -> Option<PathBuf> {
    match std::env::var_os("LOOPWRIGHT_CHROMIUM") {
        Some(named) => Some(PathBuf::from(named)).filter(|path| path.is_file()),
        None => ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"].iter().find_map(|name| kit.find(name)),
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}
