//! How far a run is, and how long the rest will take.

use crate::progress::ProgressLine;
use ffviz_format::page::thousands;
use std::time::{Duration, Instant};

/// How often the line is written anew.
const OFTEN: Duration = Duration::from_millis(200);

/// The line.
pub(crate) struct Progress {
    line: ProgressLine,
    began: Instant,
    said: Instant,
}

impl Progress {
    pub fn new() -> Self {
        let now = Instant::now();
        Self { line: ProgressLine::new(), began: now, said: now }
    }

    /// What is done first.
    pub fn say(&mut self, what: &str) {
        self.line.say(what);
    }

    /// So many transactions of so many are done.
    pub fn note(&mut self, done: u64, of: u64) {
        if !self.line.is_shown() || self.said.elapsed() < OFTEN {
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
        self.line.clear();
    }
}
