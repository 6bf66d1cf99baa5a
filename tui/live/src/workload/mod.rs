//! A workload on a server: many statements behind the fence, in a place of their own, and what they did by its WAL.
//!
//! ```text
//!  statements ──fence──▶ sessions of a database of their own ──▶ WAL ──count──▶ Samples
//! ```

mod count;
mod server;

pub use server::WorkloadServer;
