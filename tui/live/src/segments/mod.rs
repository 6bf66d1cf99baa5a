//! WAL in files: where the segments are, and the records in them.
//!
//! ```text
//!  server  pg_wal ──┐
//!  folder  *.gz … ──┴ files ──pieces──▶ reading ──▶ Record
//! ```

pub mod archive;
pub mod files;
pub mod folder;
pub mod history;
pub mod names;
pub mod reading;
