//! pgbench: scripts of transactions that clients run over and over (src/bin/pgbench/pgbench.c). Which pgbench is
//! imitated follows the server's version: the same seed gives the same statements in the same order.
//!
//! ```text
//!  text ──script──▶ commands ──client──▶ statements, one by one ──benchmark──▶ Simulator ──▶ Samples
//!                   \set x …    variables, random           schedule of the clients,
//!                               functions of one seed       autovacuum, checkpoints
//! ```

mod autovacuum;
mod benchmark;
mod builtin;
mod client;
pub mod expr;
mod init;
mod kept_plan;
mod measure;
mod prng;
mod random;
mod script;
mod statements;
#[cfg(test)]
mod tests;
mod variables;

pub use benchmark::{Benchmark, Options, Protocol, Sent, Stopped, Turn};
pub use builtin::{BUILTINS, Builtin, find_builtin};
pub use client::{Client, Next, Seeds};
pub use init::{init_statements, largest_scale, vacuum_statements};
pub use prng::Prng;
pub use script::{BenchScript, Branch, Command, CommandKind, Got, Piece, SqlCommand};
pub use statements::Statements;
pub use variables::Variables;
