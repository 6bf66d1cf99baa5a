//! Redo against real servers, from 13 to 18.
//!
//! ```text
//!  consistency   wal_consistency_checking = all: after every record, each page it changed is compared with the server's own image of it
//!  replay        all pages of all tables before and after a workload: the WAL between, replayed over the first, gives the second
//!  recovery      a server crashes and recovers by its own redo: the same pages, byte for byte
//!  damaged       records with bytes changed, over real pages: no panic
//! ```
//!
//! `cargo test -p ffviz-tests --test redo`; the longer version: the same with `-- --ignored`.

mod capture;
mod consistency;
mod damaged;
mod difference;
mod recovery;
mod replay;
