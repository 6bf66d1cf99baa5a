//! What can be said on the command line of `ffviz sim`.

use crate::on::OnArgs;
use clap::{Args, ValueEnum};
use ffviz_format::page::{Lsn, PgVersion};
use ffviz_simulator::sql::run::{DEFAULT, RunOptions, engine, is_storage_parameter, simulated_version, size_in_blocks};
use ffviz_simulator::storage::TableAm;
use std::path::PathBuf;
use std::str::FromStr;

/// Examples, and what is simulated.
pub const HELP: &str = "Examples:
  ffviz sim -c 'create table t (a int, b int); insert into t values (1, 1); update t set b = 2'
  ffviz sim course.sql --step 12
  ffviz sim course.sql --pg 13 --set full_page_writes=off
  ffviz sim course.sql --versus fillfactor=80           two runs side by side, in lockstep
  ffviz sim course.sql --versus pg=13 --versus wal_compression=pglz
  ffviz sim course.sql --versus fillfactor=80 --format stats      what each of both cost, one below the other
  ffviz sim course.sql --versus engine=undo             beside an engine that updates in place
  ffviz sim course.sql --format text | less     every step as text
  ffviz sim course.sql --statement 4 --format text      the fourth statement alone; 4-6: three of them
  ffviz sim course.sql --format jsonl | jq -r '.status // .error // empty'
  ffviz sim course.sql --format stats           what each statement cost, without steps: for long runs
  ffviz sim course.sql -o course.ffrec          a recording, for ffviz replay
  ffviz sim course.sql --on postgresql://postgres@localhost      on a server: any SQL that it takes

On screen, e edits the script and runs it anew, at the same page and statement; B branches off: other
SQL runs from this statement on, in place of what followed. < and > go through the branches, u goes
back. With --versus both is done in both runs; the totals are those to the end of the statement. The
rows that a statement gives stand with its last step, where } leads: the first 20 of them.

A statement that is wrong stands with its line of the script, and a sign below the place. Of a script
with several sessions each step names the one that does it.

With --statement all of the script runs, and what these statements did is shown: on screen as the place
to begin, as text, jsonl and stats nothing else.

With --versus, --format stats has the totals of one run below those of the other; in jsonl the lines of
the second follow those of the first, and each begins with the name of its run: a field \"run\".

The script is SQL as psql would run it; psql's own commands, such as \\timing or \\d, are skipped, and
each is a step that says so. Lines that begin with --@ are directives: session NAME, crash, crash torn
RELATION BLOCK BYTES, crash before TYPE (of WAL record), set NAME VALUE, lsn X/X, xid N, oid N,
multixact N, redo SESSION.

Unless --set says otherwise, the server has data checksums off, full_page_writes on, wal_level
replica, autovacuum off, shared_buffers 256MB, and was just started. An error that PostgreSQL raises
is part of the play; a statement that is no SQL, or that the simulator does not know, gives exit status 1
after the rest has run. Lines of jsonl all have the same keys, null or false where there is nothing to say.

With --on the script runs on a server of 13 to 18, in a database of its own that is dropped afterwards,
as a role that reaches nothing beyond it. A server to throw away is one line:
docker run --rm -e POSTGRES_PASSWORD=x -p 5432:5432 postgres:18

--engine undo is a model of an engine that updates in place, after what is published of Redrock Postgres:
pages have a header of 40 bytes and 24 a transaction, old values go to pages of pg_undo, one WAL record
has row and undo. No server is compared with it. Its totals are within 5 % of those published; assumed
are the WAL of an update of one int4, 143 bytes (138 to 152 would do as well), of two, 157 (148 to 163),
and of a new undo page, 64 (0 to 770). It has CREATE TABLE and INDEX, DROP, INSERT, UPDATE, DELETE, SELECT,
transactions and CHECKPOINT; VACUUM has nothing to do; all else is refused.

Long runs: --steps and --disk bound the memory that a run takes.";

/// Statements of a script, by their numbers from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statements {
    /// the first
    pub first: u32,
    /// the last
    pub last: u32,
}

impl FromStr for Statements {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let number = |text: &str| text.trim().parse().ok().filter(|number| *number > 0);
        match (number(first), number(last)) {
            (Some(first), Some(last)) if first <= last => Ok(Self { first, last }),
            _ => Err(String::from("name a statement by its number, such as 4, or some from one to another: 4-6")),
        }
    }
}

impl Statements {
    /// Is the statement of that number one of them?
    #[must_use]
    pub const fn has(self, n: u32) -> bool {
        self.first <= n && n <= self.last
    }

    /// What is said where the script has fewer.
    ///
    /// # Errors
    /// A sentence.
    pub fn check(self, count: usize) -> Result<(), String> {
        let there = match count {
            0 => String::from("there are no statements"),
            1 => String::from("there is one statement"),
            n => format!("there are statements 1 to {n}"),
        };
        if self.last as usize <= count { Ok(()) } else { Err(format!("--statement {}: {there}", self.last)) }
    }
}

/// `ffviz sim [FILE] [-c SQL]`
#[derive(Debug, Clone, Args)]
pub struct SimCommand {
    /// The script; - is standard input
    #[arg(value_name = "FILE", required_unless_present = "command", conflicts_with = "command")]
    pub file: Option<String>,
    /// The script itself
    #[arg(short, long = "command", value_name = "SQL", allow_hyphen_values = true)]
    pub command: Option<String>,
    /// the simulated server
    #[command(flatten)]
    pub server: ServerArgs,
    /// a second run
    #[command(flatten)]
    pub versus: VersusArgs,
    /// a server in place of the simulator
    #[command(flatten)]
    pub on: OnArgs,
    /// Write the steps to this file, a recording; a name that ends in .gz is compressed
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["format", "versus"])]
    pub output: Option<PathBuf>,
    /// Show what this statement did, or those from one to another (4-6), by their numbers from 1
    #[arg(long, value_name = "N[-M]", conflicts_with_all = ["step", "output"])]
    pub statement: Option<Statements>,
    /// How to write it [default: the screen; text where there is no terminal]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
}

/// A second run of the script, in another way.
#[derive(Debug, Clone, Default, Args)]
pub struct VersusArgs {
    /// Run the script a second time, with this instead, and show both, side by side or one below the other: pg=13,
    /// engine=undo, a storage parameter of tables that have none of their own (fillfactor=80), or a setting of the
    /// server; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting, conflicts_with = "on")]
    pub versus: Vec<(String, String)>,
}

impl VersusArgs {
    /// How the second run is called, and what it begins with; none, where there is none.
    ///
    /// # Errors
    /// A version that is not simulated.
    pub fn options(&self, first: &RunOptions) -> Result<Option<(String, RunOptions)>, String> {
        if self.versus.is_empty() {
            return Ok(None);
        }
        let mut options = first.clone();
        for (name, value) in &self.versus {
            match name.as_str() {
                "pg" => options.version = simulated_version(value)?,
                "engine" => options.engine = engine(value)?,
                _ if is_storage_parameter(name) => options.storage.push((name.clone(), value.clone())),
                _ => options.settings.push((name.clone(), value.clone())),
            }
        }
        let name = self.versus.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ");
        Ok(Some((name, options)))
    }
}

/// The simulated server.
#[derive(Debug, Clone, Args)]
pub struct ServerArgs {
    /// Version of the server: a major version, or a minor one such as 18.6
    #[arg(long = "pg", value_name = "VERSION", default_value_t = DEFAULT, value_parser = simulated_version, conflicts_with = "on")]
    pub version: PgVersion,
    /// How rows are kept: heap, as PostgreSQL does, or undo, a model of an engine that updates in place and keeps old
    /// values in undo pages
    #[arg(long, value_name = "ENGINE", default_value = "heap", value_parser = engine, conflicts_with = "on")]
    pub engine: TableAm,
    /// Setting of the server, such as data_checksums=on; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting, conflicts_with = "on")]
    pub settings: Vec<(String, String)>,
    /// Next transaction id
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(3..), conflicts_with = "on")]
    pub start_xid: Option<u32>,
    /// OID of the first relation
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(16384..), conflicts_with = "on")]
    pub start_oid: Option<u32>,
    /// Where the first record of the WAL goes
    #[arg(long, value_name = "X/X", value_parser = lsn, conflicts_with = "on")]
    pub start_lsn: Option<Lsn>,
    /// How many steps are kept one by one, some 4 kB of memory each; what happens later is one step a statement
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub steps: u32,
    /// Room on the simulated disk; a statement that needs more fails, as it does where a disk is full. With --on the
    /// room that the script's database may take: one that takes more ends the run
    #[arg(long, value_name = "SIZE", default_value = "2GB", value_parser = size_in_blocks)]
    pub disk: u64,
}

/// How to write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// every step as text
    Text,
    /// a JSON object a statement; with --versus the field "run" says of which run
    Jsonl,
    /// a line of totals a statement: WAL, pages, HOT updates
    Stats,
}

impl ServerArgs {
    /// What a run begins with.
    #[must_use]
    pub fn options(&self) -> RunOptions {
        RunOptions {
            settings: self.settings.clone(),
            engine: self.engine,
            xid: self.start_xid,
            oid: self.start_oid,
            lsn: self.start_lsn,
            steps: self.steps as usize,
            disk_blocks: self.disk,
            ..RunOptions::new(self.version)
        }
    }
}

/// `NAME=VALUE`
///
/// # Errors
/// A sentence.
pub(crate) fn setting(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("a setting is NAME=VALUE, such as full_page_writes=off")?;
    Ok((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
}

fn lsn(text: &str) -> Result<Lsn, String> {
    text.parse()
}
