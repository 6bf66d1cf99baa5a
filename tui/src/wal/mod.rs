//! WAL from servers and files: where the segments are, and the records in them.
//!
//! ```text
//!  server  pg_wal ──┐
//!  folder  *.gz … ──┴ files ──pieces──▶ reading ──Record──▶ attach::wal (between two captures)
//! ```

pub mod files;
pub mod folder;
pub mod history;
pub mod reading;
