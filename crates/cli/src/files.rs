//! Reading and writing files; the only IO there is.

use std::{
    io::{Read, Write},
    path::Path,
};

use loopwright_lang::{Severity, json, limits};
use loopwright_model::{
    Document,
    format::{self, Imported},
};

use crate::{Trouble, output};

/// Reads a file, or standard input for `-`, whole.
pub fn read(path: &Path) -> Result<String, Trouble> {
    let name = output::name_of(path);
    let failed = |error: std::io::Error| Trouble::files(format!("{name} cannot be read: {error}."));
    if path.as_os_str() != "-" {
        let size = std::fs::metadata(path).map_err(failed)?.len();
        if size > limits::FILE_BYTES as u64 {
            return Err(Trouble::files(format!("{name} has {size} bytes; files of up to {} open.", limits::FILE_BYTES)));
        }
    }
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        std::io::stdin().lock().read_to_end(&mut bytes).map_err(failed)?;
    } else {
        bytes = std::fs::read(path).map_err(failed)?;
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Trouble::problems(format!("{name} is not UTF-8 text: the byte at {at} does not fit. Save it as UTF-8 and try again."))
    })
}

/// Writes a file, or standard output.
pub fn write(path: Option<&Path>, text: &str) -> Result<(), Trouble> {
    match path {
        Some(path) => {
            std::fs::write(path, text).map_err(|error| Trouble::files(format!("{} cannot be written: {error}.", output::name_of(path))))
        }
        None => print(text),
    }
}

/// Writes to standard output; a reader that has gone away is no trouble.
pub fn print(text: &str) -> Result<(), Trouble> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Trouble::files(format!("Standard output cannot be written: {error}.")))
        }
        _ => Ok(()),
    }
}

/// Opens a flow file, says what was not understood, and gives its text and document.
pub fn open(path: &Path) -> Result<(String, Document), Trouble> {
    let (text, imported) = import(path)?;
    for notice in imported.notices.iter().filter(|notice| notice.severity != Severity::Hint) {
        eprintln!("{}", output::notice(path, &text, notice));
    }
    match imported.document {
        Some(document) => Ok((text, document)),
        None => Err(Trouble::problems(format!("{} was not opened.", output::name_of(path)))),
    }
}

/// Reads a flow file without saying anything.
pub fn import(path: &Path) -> Result<(String, Imported), Trouble> {
    let text = read(path)?;
    let imported = format::import(&output::name_of(path), &text);
    Ok((text, imported))
}

/// A value given as JSON text or as `@FILE`.
pub fn value(what: &str, given: &str) -> Result<loopwright_lang::Value, Trouble> {
    let text = match given.strip_prefix('@') {
        Some(path) => read(Path::new(path))?,
        None => given.to_owned(),
    };
    let parsed = json::parse(&text);
    parsed.value().ok_or_else(|| {
        let reason = parsed.problems.first().map_or(String::new(), |problem| format!(" {}", problem.message));
        Trouble::usage(format!("{what} is not JSON.{reason}"))
    })
}
