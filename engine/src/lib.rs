//! The truth of ffviz: bytes, steps and scenes.
//!
//! ```text
//! page bytes ──page, datum──▶ structs ──heap, nbtree──▶ items, chains, trees
//!            ──timeline──▶ steps and why ──scene──▶ what there is to see ──app──▶ Model, Msg, view
//! ```
//!
//! No I/O, no clock, no threads, no randomness: the crate is `no_std`, so it has none of them to use.
//! A module may use only what stands to its left in
//! `page <- datum <- wal <- storage <- heap <- nbtree <- wal::describe <- wal::rebuild <- wal::redo <- cluster <- timeline <- lesson <- scene <- recording <- app`, and nothing uses `sql`.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod app;
pub mod cluster;
pub mod datum;
pub mod heap;
pub mod lesson;
pub mod nbtree;
pub mod page;
pub mod recording;
pub mod scene;
#[cfg(feature = "sql")]
pub mod sql;
pub mod storage;
pub mod timeline;
pub mod wal;
