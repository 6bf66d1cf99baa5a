//! What PostgreSQL does: SQL in, pages and WAL out, byte for byte those of a server.
//!
//! ```text
//! SQL ──sql──▶ statements ──cluster──▶ transactions, catalog, DDL ──access──▶ rows, index entries, WAL ──storage──▶ pages
//! ```
//!
//! No I/O, no clock, no threads, no randomness: the crate is `no_std`, so it has none of them to use.
//! A module may use only what stands to its left in `plain <- version <- qsort <- storage <- access <- cluster <- sql
//! <- pgbench <- experiment <- advice`; storage and the WAL of `access::transam` work on each other, as in PostgreSQL,
//! and so does `undo`, a table access method beside `access::heap`.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod access;
pub mod advice;
pub mod cluster;
pub mod experiment;
pub mod pgbench;
mod plain;
pub mod qsort;
pub mod sql;
pub mod storage;
pub mod undo;
pub mod version;
