//! What can be said on the command line of `ffviz verify`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Examples, and what is compared.
pub const HELP: &str = "Examples:
  ffviz verify hot.sql --server shop
  ffviz verify hot.sql --server postgresql://me@db1/shop --format json
  ffviz verify hot.sql --server shop --keep found.sql    to reproduce a difference without the server

Compared after each statement: its outcome, the rows that it gave, as text, the transaction ids it used, the length
of every fork, every byte of every page it changed (pd_checksum apart), and every WAL record. Exit status 0 only when
all of it is equal and something was compared.

The script runs in a schema of its own that is dropped afterwards. It takes a superuser, the extension pageinspect,
and a server to which nobody else writes meanwhile.";

/// `ffviz verify FILE --server CONNINFO`
#[derive(Debug, Clone, Args)]
pub struct VerifyCommand {
    /// The script: SQL as psql runs it, and --@ directives
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// As psql takes it: a database name, postgresql://…, or "host=… dbname=…". PG* variables, service and password files count too
    #[arg(long, value_name = "CONNINFO")]
    pub server: String,
    /// Let the script do what the whole server notices: ALTER SYSTEM, CHECKPOINT, pg_reload_conf(), --@ set
    #[arg(long)]
    pub allow_server_wide: bool,
    /// Write the script with the server's counters before each statement to this file
    #[arg(long, value_name = "FILE")]
    pub keep: Option<PathBuf>,
    /// How to write it: text for people, json: one object
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// How to write it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// differences, counts, and a verdict
    #[default]
    Text,
    /// one JSON object
    Json,
}
