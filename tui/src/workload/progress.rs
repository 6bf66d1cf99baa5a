//! How far a run is, on standard error, where that is a terminal.

use ffviz_format::page::thousands;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// How often the line is written anew.
const OFTEN: Duration = Duration::from_millis(200);

/// The line.
pub(crate) struct Progress {
    is_shown: bool,
    began: Instant,
    said: Instant,
}

impl Progress {
    pub fn new() -> Self {
        let now = Instant::now();
        Self { is_shown: io::stderr().is_terminal(), began: now, said: now }
    }

    /// What is done first.
    pub fn say(&mut self, what: &str) {
        if self.is_shown {
            let _ = write!(io::stderr(), "\r\x1b[K{what}");
        }
    }

    /// So many transactions of so many are done.
    pub fn note(&mut self, (done, of): (u64, u64)) {
        if !self.is_shown || self.said.elapsed() < OFTEN {
            return;
        }
        self.said = Instant::now();
        let seconds = self.began.elapsed().as_secs_f64();
        let rate = done as f64 / seconds.max(0.001);
        let left = of.saturating_sub(done) as f64 / rate.max(0.001);
        let (done, of, percent) = (thousands(done), thousands(of), done * 100 / of.max(1));
        self.say(&format!(
            "{done} of {of} transactions, {percent}%, {} a second, {left:.0} s left",
            thousands(rate as u64)
        ));
    }

    /// Seconds since the beginning; the clock begins anew.
    pub fn restart(&mut self) -> f64 {
        std::mem::replace(&mut self.began, Instant::now()).elapsed().as_secs_f64()
    }

    /// The line goes.
    pub fn clear(&mut self) {
        self.say("");
    }
}
