//! One line on standard error that says how far something is, and is written anew. Nobody sees it where standard error
//! is no terminal, or one that cannot take a line back.

use crate::environment::{self, variable};
use std::io::{self, IsTerminal, Write};

/// The line.
pub struct ProgressLine {
    is_shown: bool,
    is_ascii: bool,
    has_text: bool,
}

impl ProgressLine {
    /// As the environment says.
    #[must_use]
    pub fn new() -> Self {
        let is_shown = io::stderr().is_terminal() && !environment::is_dumb(variable);
        Self { is_shown, is_ascii: environment::is_ascii(variable), has_text: false }
    }

    /// Is there somebody to show progress to?
    #[must_use]
    pub const fn is_shown(&self) -> bool {
        self.is_shown
    }

    /// What the line says from now on.
    pub fn say(&mut self, what: &str) {
        if self.is_shown {
            let what = if self.is_ascii { environment::plain(what) } else { what.to_owned() };
            // whoever closed standard error needs no progress
            let _ = write!(io::stderr(), "\r\x1b[K{what}");
            self.has_text = !what.is_empty();
        }
    }

    /// A sentence for people that stays, in place of the line.
    pub fn note(&mut self, sentence: &str) {
        self.clear();
        environment::note(sentence);
    }

    /// The line goes.
    pub fn clear(&mut self) {
        if self.has_text {
            self.say("");
        }
    }
}

impl Default for ProgressLine {
    fn default() -> Self {
        Self::new()
    }
}
