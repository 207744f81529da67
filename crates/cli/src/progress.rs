//! A line on the terminal that says how a long run is getting on; it goes again when the run has ended.

use std::{
    io::{IsTerminal, Write},
    time::{Duration, Instant},
};

use loopwright_executor::{Progress, Simulation};

use crate::output;

/// Things the engine does between two looks at the clock.
const SLICE: usize = 20_000;
/// A run shorter than this says nothing.
const PATIENCE: Duration = Duration::from_millis(400);
/// Time between two lines.
const EVERY: Duration = Duration::from_millis(100);

/// Says how a run is getting on, on standard error, if that is a terminal.
pub struct Meter {
    name: String,
    shown: bool,
    next: Instant,
    terminal: bool,
}

impl Meter {
    /// For a run of this name.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), shown: false, next: Instant::now() + PATIENCE, terminal: std::io::stderr().is_terminal() }
    }

    /// Runs to the end, or to where the run is held.
    pub fn run(&mut self, simulation: &mut Simulation) {
        while simulation.run_slice(SLICE) == Progress::Working {
            if self.terminal && Instant::now() >= self.next {
                let log = simulation.log();
                let (calls, iterations, now) = (log.calls, log.iterations, output::time(simulation.execution().now()));
                // Nothing depends on whether a terminal takes this.
                let _ = write!(std::io::stderr(), "\r\x1b[K{}: {iterations} iterations, {calls} calls, {now} of virtual time", self.name);
                self.shown = true;
                self.next = Instant::now() + EVERY;
            }
        }
        if self.shown {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
