//! `ffviz sim`: a script on the simulated server, played like a recording or printed as a trace.
//!
//! ```text
//!  FILE.sql, -c SQL ──▶ Script ──Simulator──┬─▶ Timeline ──▶ the screen, or plain text
//!                                           └─▶ a line of JSON a statement
//! ```

pub mod args;
pub mod command;
pub mod file;
pub mod runner;
