//! `ffviz wal`, which lists the records of a server or of segment files, and counts them.
//!
//! ```text
//!  server, folder ──ffviz_live::segments──▶ Record ──┐
//!  pg_walinspect ──ffviz_live::wal────────▶ Entry ───┴─▶ command: list (text, json), stats
//! ```

pub mod args;
pub mod command;
pub mod entry;
pub mod json;
pub mod output;
pub mod stats;
pub mod text;
