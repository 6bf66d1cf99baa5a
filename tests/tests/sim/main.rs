//! The simulator against real servers, statement by statement, and the servers' side against itself.
//!
//! ```text
//!  scripts/*.sql ─┬─▶ server of each version ──▶ trace ─┬─▶ compare
//!                 └─▶ simulator ───────────────▶ trace ─┘
//! ```

mod bloat;
mod browser;
mod chapters;
mod churn;
mod command;
mod determinism;
mod differential;
mod digests;
mod eager;
mod expected;
mod fence;
mod field;
mod keys;
mod known;
mod leaves;
mod looking;
mod oracle;
mod published;
mod random;
mod replayed;
mod scripts;
mod settings;
mod statistics;
mod suite;
mod torn;
