//! What can be said on the command line of `ffviz advise`.

use clap::{Args, ValueEnum};
use ffviz_format::page::PgVersion;
use ffviz_simulator::advice::{Origin, Updates};
use ffviz_simulator::sql::run::{DEFAULT, simulated_version};

/// Examples, and what is read and simulated.
pub const HELP: &str = "Examples:
  ffviz advise shop -t orders                           by the table's statistics
  ffviz advise shop -t orders --updates status,changed  each UPDATE changes these columns
  ffviz advise shop -t orders --updates indexed=20      20 % of them change a column of an index
  ffviz advise --row-width 120 --indexes 3              without a server
  ffviz advise shop -t orders --format svg > orders.svg

Reads statistics, no rows, in one short read-only transaction; nothing is written. A smaller table of the
same shape is then simulated with each fillfactor, freshly written, and its rows are updated as often as
the counters tell, or --rounds. Each sentence says whether it was measured, given or assumed.

--format json gives {\"advice\":{\"table\":…,\"server\":…,\"obstacles\":[…],\"facts\":[{\"origin\":…,\"text\":…}],
\"scale\":{\"rows\":N,\"updates\":N},\"cases\":[{\"fillfactor\":N,\"hot\":SHARE,\"wal\":BYTES,\"touched\":PAGES,
\"heap_mb\":N,\"index_mb\":N}],\"recommendation\":{\"fillfactor\":N,\"change\":BOOL,\"because\":…,
\"statement\":…}},\"plots\":[…]}; csv has a line a number of the plots.";

/// `ffviz advise [CONNINFO] -t TABLE`
#[derive(Debug, Clone, Args)]
pub struct AdviseCommand {
    /// As psql takes it: a database name, postgresql://…, or "host=… dbname=…". PG* variables, service and password
    /// files count too
    #[arg(value_name = "CONNINFO", conflicts_with = "row_width")]
    pub conninfo: Option<String>,
    /// The table, named as in psql
    #[arg(short, long, value_name = "TABLE", required_unless_present = "row_width")]
    pub table: Option<String>,
    /// Without a server: bytes of a row's columns, as pg_stats.avg_width has them, all columns together
    #[arg(long, value_name = "BYTES", conflicts_with = "table", value_parser = clap::value_parser!(u16).range(16..=1900))]
    pub row_width: Option<u16>,
    /// Without a server: how many indexes there are, the primary key among them
    #[arg(long, value_name = "N", default_value_t = 1, requires = "row_width", value_parser = clap::value_parser!(u32).range(1..=20))]
    pub indexes: u32,
    /// What updates change: plain, no column of an index; indexed, one; indexed=20, 20 % of them one; or names of
    /// columns
    /// [default: what the statistics tell, else plain]
    #[arg(long, value_name = "plain|indexed[=PERCENT]|COLUMN,…", value_parser = updates)]
    pub updates: Option<Updates>,
    /// Per cent of the updates that go to the busiest hundredth of the rows [default: all rows alike]
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(2..=99))]
    pub busiest: Option<u8>,
    /// Without a server: today's fillfactor
    #[arg(long, value_name = "N", default_value_t = 100, requires = "row_width", value_parser = clap::value_parser!(u32).range(10..=100))]
    pub fillfactor: u32,
    /// The fillfactors to be compared; today's is always among them
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "100,95,90,85,80,70,60,50", value_parser = clap::value_parser!(u32).range(10..=100))]
    pub fillfactors: Vec<u32>,
    /// Rows of the simulated table [default: 300 pages of them, 20,000 at most]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(500..=200_000))]
    pub rows: Option<u64>,
    /// Updates of a row, on average, after it was written [default: what the counters tell, 20 at most, else 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rounds: Option<u32>,
    /// Without a server: its version
    #[arg(long = "pg", value_name = "VERSION", default_value_t = DEFAULT, requires = "row_width", value_parser = simulated_version)]
    pub version: PgVersion,
    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(..u64::MAX))]
    pub random_seed: u64,
    /// How to write it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// How advice is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// sentences, a table, and charts of characters
    Text,
    /// all of it, for programs
    Json,
    /// the plots' numbers, for spreadsheets
    Csv,
    /// the plots as a picture
    Svg,
}

/// `plain`, `indexed`, `indexed=20`, or names of columns.
fn updates(text: &str) -> Result<Updates, String> {
    let share = |share: f64| Updates::Indexed(share, Origin::Given);
    match text.split_once('=') {
        None if text == "plain" => Ok(share(0.0)),
        None if text == "indexed" => Ok(share(1.0)),
        None => {
            let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
            if names.iter().any(String::is_empty) {
                return Err("a name of a column is missing".to_owned());
            }
            Ok(Updates::Columns(names))
        }
        Some(("indexed", percent)) => {
            let percent: Option<u8> = percent.parse().ok().filter(|percent| *percent <= 100);
            percent
                .map(|percent| share(f64::from(percent) / 100.0))
                .ok_or_else(|| "indexed=PERCENT is from 0 to 100".to_owned())
        }
        Some(_) => Err("it is plain, indexed, indexed=PERCENT, or names of columns".to_owned()),
    }
}
