//! Debian's ways: packages by apt, and Debian's own Rust where rustup cannot download the WebAssembly target.
//!
//! Debian ships that compiler without a standard library for the browser, so the library is built once from its sources
//! and put where the compiler looks. It only fits the very compiler that made it, so `rustc -vV` is written beside it.

use crate::project;
use crate::setup::{self, Kit};
use crate::steps::{self, Outcome};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

/// The name rustup knows Debian's compiler by.
pub const TOOLCHAIN: &str = "loopwright-debian";

/// Debian's linker for WebAssembly.
pub const LINKER: &str = "wasm-ld-22";

const PACKAGES: [&str; 6] = ["rustc-web", "cargo-web", "rust-web-src", "rust-web-clippy", "rustfmt-web", "lld-22"];
const SYSROOT: &str = "/usr";
const LIBRARY: &str = "/usr/lib/rustlib/wasm32-unknown-unknown/lib";
const STAMP: &str = "/usr/lib/rustlib/wasm32-unknown-unknown/loopwright-rustc";

static LISTS_ARE_FRESH: AtomicBool = AtomicBool::new(false);

/// Whether this is a Debian with apt.
pub fn is_debian() -> bool {
    Path::new("/etc/debian_version").is_file() && Path::new("/usr/bin/apt-get").is_file()
}

/// Whether Debian's compiler is here with a standard library it made itself, and rustup knows it.
pub fn is_ready() -> bool {
    setup::has_wasm_std(Path::new(SYSROOT))
        && std::fs::read_to_string(STAMP).is_ok_and(|stamp| compiler().is_ok_and(|version| version == stamp))
        && steps::output(Command::new("rustc").arg("-vV").env("RUSTUP_TOOLCHAIN", TOOLCHAIN).env_remove("LD_LIBRARY_PATH")).is_ok()
}

fn compiler() -> Outcome<String> {
    steps::output(Command::new("/usr/bin/rustc").arg("-vV").env_remove("LD_LIBRARY_PATH"))
}

/// Installs packages by apt, with sudo where one is not root.
pub fn apt_install(packages: &[&str], log: &Path) -> Outcome<()> {
    if !is_debian() {
        return Err(format!("this machine has no apt to install {} with", packages.join(", ")));
    }
    if !LISTS_ARE_FRESH.swap(true, Ordering::Relaxed) {
        let mut update = as_root("apt-get")?;
        update.arg("update");
        steps::run_logged(&mut update, log, None)?;
    }
    let mut install = as_root("apt-get")?;
    install.args(["install", "-y", "--no-install-recommends"]).args(packages);
    steps::run_logged(&mut install, log, None)
}

/// A command with the rights to change the system.
fn as_root(program: &str) -> Outcome<Command> {
    let user = steps::output(Command::new("id").arg("-u"))?;
    if user.trim() == "0" {
        let mut command = Command::new(program);
        command.env("DEBIAN_FRONTEND", "noninteractive");
        return Ok(command);
    }
    if steps::output(Command::new("sudo").arg("--version")).is_err() {
        return Err(format!("`{program}` has to run as root, and there is no sudo here"));
    }
    let mut command = Command::new("sudo");
    command.args(["DEBIAN_FRONTEND=noninteractive", program]);
    Ok(command)
}

/// Installs Debian's compiler, makes the standard library for the browser, and tells rustup the compiler's name.
pub fn install(kit: &Kit, tools: &Path, logs: &Path) -> Outcome<()> {
    println!("  Debian packages: {}", PACKAGES.join(", "));
    apt_install(&PACKAGES, &logs.join("debian-rust.log"))?;
    if steps::output(kit.command("rustup").arg("--version")).is_ok() {
        steps::output(kit.command("rustup").args(["toolchain", "link", TOOLCHAIN, SYSROOT]))?;
    }
    println!("  The standard library for the browser, from source");
    let folder = tools.join("wasm-std");
    project::write(&folder.join("Cargo.toml"), "[package]\nname = \"empty\"\nedition = \"2021\"\n\n[workspace]\n")?;
    project::write(&folder.join("src/lib.rs"), "#![no_std]\n")?;
    let mut build = Command::new("/usr/bin/cargo");
    build
        .current_dir(&folder)
        .args(["build", "--release", "--target", "wasm32-unknown-unknown", "-Zbuild-std=std,panic_abort,test"])
        .env_remove("LD_LIBRARY_PATH")
        .env_remove("CARGO")
        .env_remove("RUSTUP_TOOLCHAIN")
        .env("RUSTC", "/usr/bin/rustc")
        .env("RUSTC_BOOTSTRAP", "1")
        // Without its bitcode, link-time optimisation of the app fails.
        .env("RUSTFLAGS", "-C embed-bitcode=yes")
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", LINKER)
        .env("CARGO_TARGET_DIR", folder.join("target"));
    steps::run_logged(&mut build, &logs.join("wasm-std.log"), None)?;

    let made = project::files_under(&folder.join("target/wasm32-unknown-unknown/release/deps"))?;
    let libraries = made.iter().filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".rlib") && !name.starts_with("libempty-")
    });
    // A library of an older compiler must not stay beside the new one.
    steps::output(as_root("rm")?.args(["-rf", LIBRARY]))?;
    steps::output(as_root("mkdir")?.args(["-p", LIBRARY]))?;
    steps::output(as_root("cp")?.args(libraries).arg(LIBRARY))?;
    let stamp = folder.join("rustc");
    project::write(&stamp, compiler()?)?;
    steps::output(as_root("cp")?.arg(&stamp).arg(STAMP))?;
    // The sources of this build are Debian's and stay; what was compiled is installed now.
    let _ = std::fs::remove_dir_all(folder.join("target"));
    Ok(())
}
