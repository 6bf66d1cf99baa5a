//! Transactions of random scripts: their beginning, their savepoints, their end.

use super::{Generator, Level};

/// How a transaction begins; the more often it stands here, the more often it comes.
const BEGINNINGS: [&str; 10] = [
    "begin",
    "begin",
    "begin isolation level repeatable read",
    "begin isolation level read committed",
    SERIALIZABLE,
    SERIALIZABLE,
    SERIALIZABLE,
    SERIALIZABLE,
    SERIALIZABLE,
    "begin isolation level serializable read only",
];
/// Transactions of it conflict with one another only, so that there are many.
const SERIALIZABLE: &str = "begin isolation level serializable";

impl Generator {
    pub(super) fn begin(&mut self) {
        let how = if self.level >= Level::SESSIONS { *self.random.pick(&BEGINNINGS) } else { "begin" };
        self.push(how.to_owned());
        self.sessions[self.at].is_open = true;
        self.sessions[self.at].savepoints = 0;
    }

    pub(super) fn end(&mut self) {
        let how = if self.random.percent(65) { "commit" } else { "rollback" };
        self.push(how.to_owned());
        self.sessions[self.at].is_open = false;
    }

    /// A new savepoint, or back to one, or one is released.
    pub(super) fn savepoint(&mut self) {
        let known = self.sessions[self.at].savepoints;
        if known == 0 || self.random.percent(50) {
            self.push(format!("savepoint s{known}"));
            self.sessions[self.at].savepoints += 1;
            return;
        }
        let at = self.random.below(known);
        if self.random.percent(60) {
            self.push(format!("rollback to s{at}"));
            self.sessions[self.at].savepoints = at + 1;
        } else {
            self.push(format!("release s{at}"));
            self.sessions[self.at].savepoints = at;
        }
    }
}
