//! The app's files: built by Trunk, then finished here (the worker's folder gets its hash, the big files are compressed).

use crate::cargo_shim;
use crate::project::{self, Fingerprint, Project};
use crate::setup::Kit;
use crate::steps::{self, Outcome, Steps};
use std::path::{Path, PathBuf};

/// How the app is compiled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// What ships: small, optimised by wasm-opt, compressed well.
    Web,
    /// For the browser tests: near enough to what ships, and much quicker to make.
    WebTest,
    /// For working on the app: quickest to rebuild.
    WebDev,
}

impl Profile {
    /// The Cargo profile's name.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Web => "web",
            Profile::WebTest => "web-test",
            Profile::WebDev => "web-dev",
        }
    }

    /// The profile of that name.
    pub fn named(name: &str) -> Outcome<Self> {
        [Profile::Web, Profile::WebTest, Profile::WebDev]
            .into_iter()
            .find(|profile| profile.name() == name)
            .ok_or_else(|| format!("--profile {name}: expected web, web-test or web-dev"))
    }

    /// How hard the files are compressed (0 to 11); a development build is not.
    fn compression(self) -> Option<&'static str> {
        match self {
            Profile::Web => Some("11"),
            Profile::WebTest => Some("4"),
            Profile::WebDev => None,
        }
    }
}

/// A folder with the app built into it.
pub struct Site {
    profile: Profile,
    /// Where the files are.
    pub folder: PathBuf,
}

impl Site {
    /// The clone's own copy of that profile.
    pub fn of(project: &Project, profile: Profile) -> Self {
        Self { profile, folder: project.scratch().join("site").join(profile.name()) }
    }

    /// A build in a folder of the caller's choice.
    pub fn at(profile: Profile, folder: PathBuf) -> Self {
        Self { profile, folder }
    }

    /// Builds, unless the folder already holds what these sources and these tools give.
    pub fn build(&self, project: &Project, kit: &Kit, steps: &mut Steps) -> Outcome<()> {
        let wanted = self.state_of_sources(project, kit)?;
        let stamp = self.stamp();
        if self.folder.join("index.html").is_file() && std::fs::read_to_string(&stamp).is_ok_and(|made| made == wanted) {
            return Ok(());
        }
        steps.step(&format!("Build the app (profile {})", self.profile.name()), || {
            // A build that fails half-way must not pass for one that is done.
            let _ = std::fs::remove_file(&stamp);
            self.trunk(project, kit)?;
            self.name_worker_by_content()?;
            if let Some(quality) = self.profile.compression() {
                steps::run(kit.command("node").arg(project.root.join("xtask/compress.mjs")).arg(quality).arg(&self.folder))?;
            }
            project::write(&stamp, wanted)
        })
    }

    /// A file beside the folder: Trunk empties the folder itself.
    fn stamp(&self) -> PathBuf {
        self.folder.with_file_name(format!(".{}.stamp", self.folder.file_name().unwrap_or_default().to_string_lossy()))
    }

    fn trunk(&self, project: &Project, kit: &Kit) -> Outcome<()> {
        // Trunk keeps intermediate files in Cargo's target folder: under the same names for every clone that shares it, apart only by
        // release or not.
        project::make_folder(&project.target)?;
        let lock_path = project.target.join(if self.profile == Profile::Web { ".trunk-release.lock" } else { ".trunk-debug.lock" });
        let lock = std::fs::File::create(&lock_path).map_err(|error| format!("{} cannot be made: {error}", lock_path.display()))?;
        lock.lock().map_err(|error| format!("{} cannot be locked: {error}", lock_path.display()))?;

        project::make_folder(&self.folder)?;
        let mut trunk = kit.command("trunk");
        trunk
            .current_dir(&project.root)
            .args(["build", "--log", "warn", "--cargo-profile", self.profile.name(), "--dist"])
            .arg(&self.folder);
        if self.profile == Profile::Web {
            // In Trunk's words: run wasm-opt.
            trunk.arg("--release");
        }
        // Views of one type instead of a type each: a third less to load, and quicker to compile.
        trunk.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", "--cfg erase_components");
        let mut folders = vec![cargo_shim::make(project)?];
        folders.extend(std::env::split_paths(kit.path()));
        trunk.env("PATH", std::env::join_paths(folders).map_err(|error| format!("PATH cannot be extended: {error}"))?);
        // A failed build is told by the compiler; where in Trunk it came to light is of no interest.
        trunk.env("RUST_BACKTRACE", "0");
        // Trunk takes a value other than true or false for a mistake, and the convention allows any.
        trunk.env_remove("NO_COLOR");
        steps::run(&mut trunk)
    }

    /// Moves `worker/` to `worker-HASH/` and tells the page: a worker of another build can never answer this page, and the files may be cached for ever.
    fn name_worker_by_content(&self) -> Outcome<()> {
        let plain = self.folder.join("worker");
        let mut content = Fingerprint::new();
        for file in project::files_under(&plain)? {
            content.add(&std::fs::read(&file).map_err(|error| format!("{} cannot be read: {error}", file.display()))?);
        }
        let named = format!("worker-{}", content.hex());
        std::fs::rename(&plain, self.folder.join(&named)).map_err(|error| format!("{} cannot be renamed: {error}", plain.display()))?;
        let page = self.folder.join("index.html");
        let text = project::read(&page)?;
        if !text.contains("\"worker/start.js\"") {
            return Err("index.html names no worker: it lost its <meta name=\"loopwright-worker\">".to_owned());
        }
        project::write(&page, text.replace("\"worker/start.js\"", &format!("\"{named}/start.js\"")))
    }

    /// Everything the result depends on, by path, size and time of change.
    fn state_of_sources(&self, project: &Project, kit: &Kit) -> Outcome<String> {
        let mut state = source_state(project)?;
        state.add(self.profile.name().as_bytes());
        state.add(kit.rustc.as_bytes());
        for name in ["RUSTFLAGS", "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS"] {
            state.add(std::env::var_os(name).unwrap_or_default().as_encoded_bytes());
        }
        Ok(state.hex())
    }
}

/// The state of the files the app is made of. The native parts of the workspace are not among them.
pub fn source_state(project: &Project) -> Outcome<Fingerprint> {
    let mut state = Fingerprint::new();
    let folders = ["src", "crates", "style", "assets", ".cargo"];
    let files = ["Cargo.toml", "Cargo.lock", "Trunk.toml", "index.html", "package-lock.json", "xtask/compress.mjs", "xtask/src/site.rs"];
    let native_only = [project.root.join("crates/cli")];
    let mut paths: Vec<PathBuf> = files.iter().map(|file| project.root.join(file)).collect();
    for folder in folders {
        let found = project::files_under(&project.root.join(folder))?;
        paths.extend(found.into_iter().filter(|path| !native_only.iter().any(|folder| path.starts_with(folder))));
    }
    for path in paths {
        state.add(path.strip_prefix(&project.root).unwrap_or(&path).as_os_str().as_encoded_bytes());
        // A file that went away in between has a state as well.
        if let Ok(data) = std::fs::metadata(&path) {
            state.add(&data.len().to_le_bytes());
            let changed = data.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
            state.add(&changed.map_or(0, |time| time.as_nanos()).to_le_bytes());
        }
    }
    Ok(state)
}

/// Whether a file's name changes with its content, so that a browser may keep it for ever.
pub fn is_named_by_content(path: &Path) -> bool {
    path.iter().any(|part| {
        let part = part.to_string_lossy();
        part.split(['-', '_', '.']).any(|word| (14..=16).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_hexdigit()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_name_with_a_hash_may_be_kept_for_ever() {
        let cases = [
            ("index.html", false),
            ("start.js", false),
            ("assets/icons.svg", false),
            ("loopwright-9f8e7d6c5b4a3210.js", true),
            ("loopwright-9f8e7d6c5b4a3210_bg.wasm", true),
            ("tokens-9f8e7d6c5b4a321.css", true),
            ("worker-0123456789abcdef/start.js", true),
            ("assets/examples/welcome-messages-and.json", false),
        ];
        for (name, expected) in cases {
            assert_eq!(is_named_by_content(Path::new(name)), expected, "{name}");
        }
    }
}
