//! PostgreSQL's formats: what each byte of a page, a value, a WAL record is.
//!
//! ```text
//! page bytes ──page, datum──▶ structs ──heap, nbtree, undo──▶ items, chains, trees
//! WAL bytes  ──wal──▶ records, images                    state: which pages of which relations are known
//! ```
//!
//! Nothing here happens: what a record does to a page is in `ffviz_story`, what PostgreSQL does in `ffviz_simulator`.
//! No I/O, no clock, no threads, no randomness: the crate is `no_std`, so it has none of them to use.
//! A module may use only what stands to its left in `page <- datum <- wal <- state <- heap <- nbtree <- undo`.
//!
//! The feature `native` is what the browser does without. lz4 and zstd: a recording carries such images unpacked, so
//! the browser need not load two decompressors. And what takes an instruction of the processor: CRC-32C, by a crate
//! that needs std where the tables here do the same anywhere, and asking memory for what is read soon (`page::memory`),
//! by a crate that holds the `unsafe` that the engine has none of; without it the time is another, and nothing else.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod datum;
pub mod heap;
pub mod nbtree;
pub mod page;
pub mod state;
pub mod undo;
pub mod wal;
