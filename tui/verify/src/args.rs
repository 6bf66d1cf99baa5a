//! What can be said on the command line of `ffviz verify`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Examples, what is compared, and what happens on the server.
pub const HELP: &str = "Examples:
  ffviz verify hot.sql --server shop
  ffviz verify hot.sql --server postgresql://me@db1/shop --format json
  ffviz verify hot.sql --server shop --own-database
  ffviz verify hot.sql --server shop --keep found.sql    to reproduce a difference without the server

Compared after each statement: its outcome, the rows that it gave, as text, the transaction ids it used, the \
length of every fork, every byte of every page it changed (pd_checksum apart), and every WAL record. Exit status \
0 only when every statement was sent, all of it is equal, and something was compared.

On the server: the script runs in a schema of its own, ffviz_verify_PID, that is dropped afterwards, also after \
Ctrl-C. Names lead nowhere else: a script that names another schema, another role, the whole database or the \
whole server is refused before anything is sent; a statement that the simulator does not know is not sent \
either, and is named. With --own-database it runs in a database of its own, made from template0 with locale C: \
making and dropping one makes the server checkpoint. What a killed run has left is named by the next one, and \
never dropped. While the script runs, a temporary replication slot keeps its WAL.

The role has to be a superuser, whom alone the extension pageinspect serves. The extension has to be in the \
database (CREATE EXTENSION pageinspect); with --own-database it is enough that the server can install it. Nobody \
else should write to the server meanwhile.";

/// `ffviz verify FILE --server CONNINFO`
#[derive(Debug, Clone, Args)]
pub struct VerifyCommand {
    /// The script: SQL as psql runs it, and --@ directives; - is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// As psql takes it: a database name, postgresql://…, or "host=… dbname=…". PG* variables, service and password
    /// files count too
    #[arg(long, value_name = "CONNINFO")]
    pub server: String,
    /// Run the script in a database of its own, which is dropped afterwards, instead of a schema of its own
    #[arg(long)]
    pub own_database: bool,
    /// Let the script do what the whole server notices: ALTER SYSTEM, CHECKPOINT, pg_reload_conf(), --@ set. Settings
    /// are put back afterwards
    #[arg(long)]
    pub allow_server_wide: bool,
    /// Write what was sent, with the server's counters before each statement, to this file
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
