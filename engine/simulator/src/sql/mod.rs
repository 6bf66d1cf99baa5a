//! SQL in, what it did to pages and WAL out.
//!
//! ```text
//!  text ─script─▶ statements and directives ─▶ run, here or on a server ─trace─▶ what each one changed
//!
//!  "UPDATE t SET b = b + 1" ─parse─▶ ast ─expr, plan─▶ plan ─tcop─▶ executor, commands
//!     sqlparser's tokens,         statement           types, slots,          ▼
//!     own grammar                                     scan            heap, nbtree, wal
//! ```
//!
//! The grammar accepts the supported statements and nothing else, so that nothing is read and then silently ignored.
//! What is outside gives one sentence that names it ([`StatementError`]) and changes nothing.

pub mod ast;
pub mod catalog;
pub mod commands;
mod elsewhere;
pub mod error;
pub mod executor;
pub mod expr;
pub mod guc;
pub mod parse;
pub mod partition;
mod permission;
pub mod plan;
pub mod player;
pub(in crate::sql) mod plpgsql;
pub(in crate::sql) mod ruleutils;
pub mod run;
pub mod script;
pub mod tcop;
pub mod trace;

pub use error::StatementError;
