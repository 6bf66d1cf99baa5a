//! `ffviz advise`: why a table's updates are not HOT, and which fillfactor would make more of them so.
//!
//! ```text
//!  -t TABLE ──ffviz_live::statistics──▶ shape, past ─┐
//!  --row-width, --indexes ──────────────▶ shape ─────┴─▶ simulated cases ──▶ text, plots, JSON
//! ```

pub mod args;
pub mod command;
mod plots;
mod report;
