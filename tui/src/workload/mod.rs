//! `ffviz run`: pgbench's scripts in the simulator, and what they did to pages and WAL over their transactions.
//!
//! ```text
//!  args ──▶ script (files, builtins) ──▶ command ─┬─▶ report   text, charts, SVG, CSV, JSON
//!                                                 ├─▶ --print  the statements alone
//!                                                 └─▶ --look   one transaction as a timeline
//! ```

pub mod args;
mod beside;
pub mod command;
pub(crate) mod progress;
mod report;
mod scripts;
