//! WAL from servers and files: where the segments are, the records in them, and `ffviz wal`, which lists and counts them.
//!
//! ```text
//!  server  pg_wal ──┐
//!  folder  *.gz … ──┴ files ──pieces──▶ reading ──Record──┬─▶ attach::wal: what is between two captures
//!  pg_walinspect ───────────────────────────── Entry ─────┴─▶ command: list (text, json), stats
//! ```

pub mod archive;
pub mod args;
pub mod command;
pub mod entry;
pub mod files;
pub mod folder;
pub mod history;
pub mod json;
pub mod names;
pub mod output;
pub mod reading;
pub mod stats;
pub mod text;
