//! Where things are: the clone, Cargo's target folder, and the user's cache of tools.

use crate::steps::Outcome;
use std::path::{Path, PathBuf};

/// The clone xtask works on.
pub struct Project {
    /// The folder of the workspace's `Cargo.toml`.
    pub root: PathBuf,
    /// Cargo's target folder (`CARGO_TARGET_DIR` when it is set); several clones may share it.
    pub target: PathBuf,
    /// Tools, one folder a tool and version, shared by every clone of this user.
    pub tools: PathBuf,
}

impl Project {
    /// Finds the clone from Cargo's environment, else upwards from the current folder. (Not from a path compiled in:
    /// clones may share one target folder, and then one xtask.)
    pub fn find() -> Outcome<Self> {
        let current = std::env::current_dir().map_err(|error| format!("the current folder cannot be read: {error}"))?;
        let start = std::env::var_os("CARGO_MANIFEST_DIR").map_or(current, PathBuf::from);
        let root = start
            .ancestors()
            .find(|folder| folder.join("Trunk.toml").is_file() && folder.join("xtask").is_dir())
            .ok_or("this folder is not inside a clone of Loopwright")?
            .to_owned();
        let target = match std::env::var_os("CARGO_TARGET_DIR") {
            Some(folder) => root.join(folder),
            None => root.join("target"),
        };
        let tools = match std::env::var_os("LOOPWRIGHT_TOOLS") {
            Some(folder) => root.join(folder),
            None => cache_folder()?.join("loopwright/tools"),
        };
        Ok(Self { root, target, tools })
    }

    /// The clone's own scratch folder, even where clones share Cargo's.
    pub fn scratch(&self) -> PathBuf {
        self.root.join("target/xtask")
    }

    /// The version of a package in Cargo.lock.
    pub fn locked_version(&self, package: &str) -> Outcome<String> {
        let lock = read(&self.root.join("Cargo.lock"))?;
        let mut lines = lock.lines();
        let wanted = format!("name = \"{package}\"");
        while let Some(line) = lines.next() {
            if line == wanted
                && let Some(version) =
                    lines.next().and_then(|line| line.strip_prefix("version = \"")).and_then(|rest| rest.strip_suffix('"'))
            {
                return Ok(version.to_owned());
            }
        }
        Err(format!("Cargo.lock names no package {package}"))
    }
}

/// The user's cache folder by the platform's habit.
fn cache_folder() -> Outcome<PathBuf> {
    if let Some(folder) = std::env::var_os("XDG_CACHE_HOME").filter(|folder| !folder.is_empty()) {
        return Ok(PathBuf::from(folder));
    }
    if cfg!(windows)
        && let Some(folder) = std::env::var_os("LOCALAPPDATA")
    {
        return Ok(PathBuf::from(folder));
    }
    let home = std::env::home_dir().ok_or("there is no home folder to keep tools in; set LOOPWRIGHT_TOOLS to a folder")?;
    Ok(if cfg!(target_os = "macos") { home.join("Library/Caches") } else { home.join(".cache") })
}

/// Reads a text file; the error names it.
pub fn read(path: &Path) -> Outcome<String> {
    std::fs::read_to_string(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))
}

/// Writes a file and the folders above it; the error names it.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Outcome<()> {
    if let Some(folder) = path.parent() {
        make_folder(folder)?;
    }
    std::fs::write(path, content).map_err(|error| format!("{} cannot be written: {error}", path.display()))
}

/// Makes a folder and those above it; the error names it.
pub fn make_folder(path: &Path) -> Outcome<()> {
    std::fs::create_dir_all(path).map_err(|error| format!("the folder {} cannot be made: {error}", path.display()))
}

/// Every file under a folder, sorted by path, hidden ones left out. A folder that is not there holds none.
pub fn files_under(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(format!("{} cannot be read: {error}", folder.display())),
        };
        for entry in entries {
            let entry = entry.map_err(|error| format!("{} cannot be read: {error}", folder.display()))?;
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            let path = entry.path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// FNV-1a over 64 bits: names a build's files by their content. It guards against stale caches, not against people.
#[derive(Clone, Copy)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// The fingerprint of nothing.
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Takes in bytes and their end.
    pub fn add(&mut self, bytes: &[u8]) {
        for byte in bytes.iter().chain(&[0xff]) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// Sixteen hexadecimal digits.
    pub fn hex(self) -> String {
        format!("{:016x}", self.0)
    }
}
