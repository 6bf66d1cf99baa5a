//! What can be said on the command line of `ffviz run`.

use crate::on::OnArgs;
use crate::sim::args::setting;
use clap::{Args, ValueEnum};
use ffviz_format::page::PgVersion;
use ffviz_simulator::pgbench::{Options, Protocol};
use ffviz_simulator::sql::run::{DEFAULT, RunOptions, simulated_version, size_in_blocks};
use std::path::PathBuf;

/// Examples, and how it differs from pgbench.
pub const HELP: &str = "Examples:
  ffviz run -t 10000                                    tpcb-like at scale 1
  ffviz run -b simple-update -F 90 -s 10 -t 100000 --autovacuum
  ffviz run -i mine.sql -c 8 -t 1000 --pg 14            a script of your own on pgbench's tables, eight clients
  ffviz run --before tables.sql mine.sql                the same on tables of your own
  ffviz run -b tpcb@9 -b select@1 -t 5000 --checkpoint-every 1000 --format svg > run.svg
  ffviz run -t 1000 --look 500                          transaction 500, step by step
  ffviz run -t 100 --random-seed 42 --print             the statements that pgbench would send
  ffviz run -t 1000 --on \"host=localhost\"              the same on a server, its numbers beside

Scripts are pgbench's: SQL with :variables, \\set with all functions of 18, \\if, \\gset, \\sleep (no
time passes). The same --random-seed gives the statements that pgbench of the version --pg sends; of
several clients a statement each in turns that the seed decides, and who waits for a lock waits.

--on sends each statement to a server too, as the simulator runs it: in a database of its own there, which
is dropped at the end; of the settings that count the simulator takes the server's. The server's numbers
are of its WAL: records that name pages of that database, and ends of their transactions. CHECKPOINT
(--checkpoint-every) needs --allow-server-wide. What autovacuum does there in between counts too.

Where nothing else makes tables, -i is understood. Without -t each client runs 1,000 transactions.
Numbers are of simulated pages and WAL: seconds are those that the simulator took.

Formats: text has totals and charts; svg the charts; csv a line a number; json has the totals, too:
{\"run\":{…},\"server\":{…},\"plots\":[{\"title\":…,\"x\":…,\"y\":…,\"series\":[{\"name\":…,\"points\":[[x,y]]}],\"notes\":[…]}]}.";

/// `ffviz run [SCRIPT…]`
#[derive(Debug, Clone, Args)]
pub struct RunCommand {
    /// Scripts, as with -f [default: the builtin tpcb-like]
    #[arg(value_name = "SCRIPT")]
    pub scripts: Vec<String>,
    /// Make pgbench's tables first, as pgbench -i of the version does
    #[arg(short, long)]
    pub initialize: bool,
    /// How many times 100,000 accounts
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=21_474))]
    pub scale: u64,
    /// Fillfactor of pgbench's tables
    #[arg(short = 'F', long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u8).range(10..=100))]
    pub fillfactor: u8,
    /// Run SQL before: tables of your own
    #[arg(long, value_name = "FILE")]
    pub before: Option<PathBuf>,
    /// A builtin script: tpcb-like, simple-update, select-only, or how the name begins; @N is its weight
    #[arg(short, long, value_name = "NAME[@WEIGHT]")]
    pub builtin: Vec<String>,
    /// A script; - is standard input, @N its weight
    #[arg(short, long, value_name = "FILE[@WEIGHT]")]
    pub file: Vec<String>,
    /// Clients
    #[arg(short, long = "client", value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub clients: u32,
    /// Transactions of each client
    #[arg(short, long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pub transactions: u64,
    /// A variable of the scripts
    #[arg(short = 'D', long, value_name = "NAME=VALUE", value_parser = define)]
    pub define: Vec<(String, String)>,
    /// How statements are sent
    #[arg(short = 'M', long, value_enum, default_value_t = ProtocolArg::Simple)]
    pub protocol: ProtocolArg,
    /// Do not run VACUUM before, as pgbench does where its tables are there
    #[arg(short, long)]
    pub no_vacuum: bool,
    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub random_seed: u64,
    /// Version of the server, and of pgbench [default: 18.4; with --on that server's]
    #[arg(long = "pg", value_name = "VERSION", value_parser = simulated_version, conflicts_with = "on")]
    pub pg: Option<PgVersion>,
    /// Setting of the server, such as wal_compression=lz4; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting)]
    pub settings: Vec<(String, String)>,
    /// VACUUM and ANALYZE by PostgreSQL's thresholds, after each transaction
    #[arg(long)]
    pub autovacuum: bool,
    /// CHECKPOINT after so many transactions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub checkpoint_every: Option<u64>,
    /// Room on the simulated disk, which is memory
    #[arg(long, value_name = "SIZE", default_value = "4GB", value_parser = size_in_blocks)]
    pub disk: u64,
    /// Write the statements, one a line, and run nothing
    #[arg(long, conflicts_with_all = ["look", "format", "on"])]
    pub print: bool,
    /// Step through the transaction that ends as the Nth
    #[arg(long, value_name = "N", conflicts_with_all = ["format", "on"], value_parser = clap::value_parser!(u64).range(1..))]
    pub look: Option<u64>,
    /// The server beside
    #[command(flatten)]
    pub on: OnArgs,
    /// How to write it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// pgbench's duration
    #[arg(short = 'T', long = "time", hide = true)]
    pub time: Option<String>,
    /// pgbench's rate
    #[arg(short = 'R', long = "rate", hide = true)]
    pub rate: Option<String>,
    /// pgbench's threads
    #[arg(short = 'j', long = "jobs", hide = true)]
    pub jobs: Option<String>,
}

/// How statements are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProtocolArg {
    /// as a text, each planned anew
    Simple,
    /// one client's are planned once, which is faster
    Prepared,
}

/// How the run is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// totals, and charts of characters
    Text,
    /// totals and plots, for programs
    Json,
    /// the plots' numbers, for spreadsheets
    Csv,
    /// the plots as a picture that follows the reader's light or dark theme
    Svg,
}

impl RunCommand {
    /// What pgbench has and a simulator has not: what there is instead.
    #[must_use]
    pub fn answer(&self) -> Option<&'static str> {
        let answers = [
            (&self.time, "-T: no time passes in the simulator; -t N says how many transactions each client runs"),
            (&self.rate, "-R: no time passes in the simulator, so there is no rate to keep; leave it out"),
            (&self.jobs, "-j: one thread runs all clients, whose turns the seed decides; -c N says how many there are"),
        ];
        answers.into_iter().find(|(given, _)| given.is_some()).map(|(_, answer)| answer)
    }

    /// The version of the simulated server, where no other one is named.
    #[must_use]
    pub fn version(&self) -> PgVersion {
        self.pg.unwrap_or(DEFAULT)
    }

    /// The simulated server; `more`: what it has like a server that runs beside.
    #[must_use]
    pub fn server(&self, version: PgVersion, more: Vec<(String, String)>) -> RunOptions {
        let settings = more.into_iter().chain(self.settings.clone()).collect();
        RunOptions { settings, crashes: false, disk_blocks: self.disk, ..RunOptions::new(version) }
    }

    /// The clients.
    #[must_use]
    pub fn options(&self) -> Options {
        Options {
            clients: self.clients,
            transactions: self.transactions,
            seed: self.random_seed,
            scale: i64::try_from(self.scale).unwrap_or(i64::MAX),
            defines: self.define.clone(),
            protocol: match self.protocol {
                ProtocolArg::Simple => Protocol::Simple,
                ProtocolArg::Prepared => Protocol::Prepared,
            },
            autovacuum: self.autovacuum,
            checkpoint_every: self.checkpoint_every,
        }
    }
}

fn define(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("a variable is NAME=VALUE")?;
    if !ffviz_simulator::pgbench::Variables::is_name(name) {
        return Err(format!("{name:?} is no name of a variable: letters, digits and _, no digit first"));
    }
    Ok((name.to_owned(), value.to_owned()))
}
