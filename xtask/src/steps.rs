//! Steps with a line and a time each, and the commands they run.

use std::io::{IsTerminal, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A result whose error is a message for the person at the terminal.
pub type Outcome<T> = Result<T, String>;

/// How often a silent step says that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The steps done so far, with their times.
pub struct Steps {
    rows: Vec<(String, Duration, bool)>,
    began: Instant,
}

impl Steps {
    /// No step yet; the total counts from here.
    pub fn new() -> Self {
        Self { rows: Vec::new(), began: Instant::now() }
    }

    /// Announces a step, does it, and says how long it took.
    pub fn step<T>(&mut self, title: &str, body: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
        println!("{} {title}", paint("1;36", "▸"));
        flush();
        let began = Instant::now();
        let result = body();
        let took = began.elapsed();
        self.rows.push((title.to_owned(), took, result.is_ok()));
        match &result {
            Ok(_) => println!("{} {title} ({})", paint("1;32", "✓"), duration(took)),
            Err(_) => println!("{} {title} failed after {}", paint("1;31", "✗"), duration(took)),
        }
        flush();
        result
    }

    /// The table of all steps and their sum.
    pub fn table(&self) {
        let width = self.rows.iter().map(|(title, ..)| title.chars().count()).max().unwrap_or(0).max(8);
        println!();
        for (title, took, fine) in &self.rows {
            println!("  {title:<width$}  {:>9}{}", duration(*took), if *fine { "" } else { "  failed" });
        }
        println!("  {:<width$}  {:>9}", "in total", duration(self.began.elapsed()));
        flush();
    }
}

fn flush() {
    // Nobody can be told that telling failed.
    let _ = std::io::stdout().flush();
}

/// Colours a word on a terminal, and nowhere else.
pub fn paint(code: &str, text: &str) -> String {
    if std::io::stdout().is_terminal() { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
}

/// A time a person reads at a glance.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 10.0 {
        format!("{seconds:.1} s")
    } else if seconds < 60.0 {
        format!("{seconds:.0} s")
    } else {
        format!("{} min {:02} s", time.as_secs() / 60, time.as_secs() % 60)
    }
}

/// A command as one would type it.
fn shown(command: &Command) -> String {
    let mut text = Path::new(command.get_program()).file_name().unwrap_or(command.get_program()).to_string_lossy().into_owned();
    for argument in command.get_args() {
        text.push(' ');
        text.push_str(&argument.to_string_lossy());
    }
    text
}

fn start(command: &mut Command) -> Outcome<Child> {
    command.spawn().map_err(|error| format!("`{}` cannot be started: {error}", shown(command)))
}

fn judge(command: &Command, status: ExitStatus) -> Outcome<()> {
    if status.success() { Ok(()) } else { Err(format!("`{}` failed ({status})", shown(command))) }
}

/// Runs a command whose output the person sees as it comes.
pub fn run(command: &mut Command) -> Outcome<()> {
    let status = start(command)?.wait().map_err(|error| format!("`{}` was lost: {error}", shown(command)))?;
    judge(command, status)
}

/// Runs a command and returns what it printed; nothing is shown.
pub fn output(command: &mut Command) -> Outcome<String> {
    let result = command.stdin(Stdio::null()).output().map_err(|error| format!("`{}` cannot be started: {error}", shown(command)))?;
    if result.status.success() {
        Ok(String::from_utf8_lossy(&result.stdout).into_owned())
    } else {
        Err(format!("`{}` failed ({}): {}", shown(command), result.status, String::from_utf8_lossy(&result.stderr).trim()))
    }
}

/// Runs a long-winded command with its output in a log file: a line of progress now and then, and the end of the log when it fails.
/// Past `limit` it is ended, and that is a failure.
pub fn run_logged(command: &mut Command, log: &Path, limit: Option<Duration>) -> Outcome<()> {
    if let Some(folder) = log.parent() {
        crate::project::make_folder(folder)?;
    }
    let unwritable = |error: std::io::Error| format!("{} cannot be written: {error}", log.display());
    let file = std::fs::File::create(log).map_err(unwritable)?;
    command.stdin(Stdio::null()).stdout(file.try_clone().map_err(unwritable)?).stderr(file);
    let mut child = start(command)?;
    let began = Instant::now();
    let mut told = Instant::now();
    loop {
        let ended = child.try_wait().map_err(|error| format!("`{}` was lost: {error}", shown(command)))?;
        if let Some(status) = ended {
            return judge(command, status).map_err(|message| format!("{message}\n{}\nThe whole log: {}", tail(log, 30), log.display()));
        }
        if limit.is_some_and(|limit| began.elapsed() > limit) {
            // It may have ended in this very moment, which is as good.
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("`{}` had not succeeded after {}\n{}", shown(command), duration(began.elapsed()), tail(log, 5)));
        }
        if told.elapsed() > HEARTBEAT {
            told = Instant::now();
            println!("  … {}: {}", duration(began.elapsed()), tail(log, 1).trim());
            flush();
        }
        std::thread::sleep(Duration::from_millis(if began.elapsed().as_secs() < 2 { 20 } else { 200 }));
    }
}

/// The last lines of a log that may be long and may not be UTF-8.
fn tail(log: &Path, lines: usize) -> String {
    let Ok(mut file) = std::fs::File::open(log) else { return String::new() };
    let length = file.metadata().map_or(0, |data| data.len());
    let mut bytes = Vec::new();
    if file.seek(SeekFrom::Start(length.saturating_sub(16 * 1024))).is_err() || file.read_to_end(&mut bytes).is_err() {
        return String::new();
    }
    let text = String::from_utf8_lossy(&bytes);
    let all: Vec<&str> = text.split(['\n', '\r']).filter(|line| !line.trim().is_empty()).collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}
