//! What a visitor downloads, against the budgets.

use crate::project;
use crate::steps::{Outcome, paint};
use std::path::Path;

/// The most the page may weigh: HTML, CSS, JavaScript and WebAssembly, in bytes after gzip.
pub const PAGE_BUDGET: u64 = 500_000;

/// The most the worker may weigh, in bytes after gzip.
pub const WORKER_BUDGET: u64 = 220_000;

/// The bytes that cross the wire.
pub struct Sizes {
    /// Everything the first screen loads on the page.
    pub page: u64,
    /// The worker's script and WebAssembly.
    pub worker: u64,
}

/// Measures a built and compressed folder. Examples and lessons count only where they are part of another file: the rest is loaded when asked for.
pub fn measure(folder: &Path) -> Outcome<Sizes> {
    let mut sizes = Sizes { page: 0, worker: 0 };
    for (name, gzip, _) in weights(folder)? {
        if name.starts_with("worker-") {
            sizes.worker += gzip;
        } else if !name.starts_with("assets/examples") && !name.starts_with("assets/lessons") {
            sizes.page += gzip;
        }
    }
    Ok(sizes)
}

/// Prints every file and the two sums beside their budgets.
pub fn report(folder: &Path) -> Outcome<()> {
    println!("\n  {:>10}  {:>10}  file", "gzip", "plain");
    for (name, gzip, plain) in weights(folder)? {
        println!("  {:>10}  {:>10}  {name}", grouped(gzip), grouped(plain));
    }
    let sizes = measure(folder)?;
    println!();
    for (title, size, budget) in [("page", sizes.page, PAGE_BUDGET), ("worker", sizes.worker, WORKER_BUDGET)] {
        let line = format!("{title}: {} of {} bytes ({} %)", grouped(size), grouped(budget), size * 100 / budget);
        println!("  {}", if size <= budget { paint("32", &line) } else { paint("31", &line) });
    }
    Ok(())
}

/// Name, bytes after gzip and plain bytes of every file, the heaviest first.
fn weights(folder: &Path) -> Outcome<Vec<(String, u64, u64)>> {
    let length = |path: &Path| std::fs::metadata(path).map(|data| data.len()).ok();
    let mut rows = Vec::new();
    for path in project::files_under(folder)? {
        let text = path.to_string_lossy();
        if text.ends_with(".gz") || text.ends_with(".br") {
            continue;
        }
        let plain = length(&path).unwrap_or(0);
        let gzip = length(Path::new(&format!("{text}.gz"))).unwrap_or(plain);
        let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        rows.push((name, gzip, plain));
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.1));
    Ok(rows)
}

/// A number with its thousands apart.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
