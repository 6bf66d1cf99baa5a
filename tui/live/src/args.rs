//! What can be said on the command line of `ffviz attach` and `ffviz record`.

use super::wal::WalOptions;
use crate::segments::folder::Folder;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Examples, and what is safe about it.
pub const ATTACH_HELP: &str = "Examples:
  ffviz attach shop                                 choose a table of database shop
  ffviz attach postgresql://me@db1/shop?sslmode=verify-full -t orders
  ffviz attach 'service=shop' -t 'sales.*' --redact
  ffviz attach --print-wrapper --grant-to app | psql -d shop

Reading pages needs the extension pageinspect and a superuser, or the wrapper. Reads only: short read-only
transactions with timeouts, at most --pages-per-second. Without a host: the Unix socket in /var/run/postgresql,
then /tmp, then localhost. connect_timeout is 10 s unless you say otherwise.

Between two captures the WAL is read, and each record is a step, where the role may EXECUTE
pg_read_binary_file(text, bigint, bigint, boolean). That function reads any file of the server, and
WAL holds the rows of all tables.";

/// Examples.
pub const RECORD_HELP: &str = "Examples:
  ffviz record shop -t orders -o orders.ffrec                      one capture; run again to append another
  ffviz record shop -t orders -o orders.ffrec.gz --every 2s --count 30
  ffviz record shop -t orders -o before.ffrec --label 'before VACUUM' --redact
  ffviz record shop -t orders -o orders.ffrec --wal --every 5s     each WAL record is a step
  ffviz replay orders.ffrec";

/// `ffviz attach [CONNINFO] [-t TABLE]…`
#[derive(Debug, Clone, Args)]
pub struct AttachArgs {
    /// where and how to read
    #[command(flatten)]
    pub read: ReadArgs,
    /// Time between two captures while watching: 2s, 500ms, 1m
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = duration)]
    pub interval: Duration,
    /// Do not read WAL: steps are the differences of captures
    #[arg(long, conflicts_with_all = ["wal", "wal_limit"])]
    pub no_wal: bool,
    /// what WAL to read
    #[command(flatten)]
    pub wal: WalArgs,
    /// Print SQL that a superuser can install so that other roles may read pages, and exit
    #[arg(long)]
    pub print_wrapper: bool,
    /// With --print-wrapper: the role that may use it
    #[arg(long, value_name = "ROLE", requires = "print_wrapper")]
    pub grant_to: Option<String>,
}

/// `ffviz record [CONNINFO] -t TABLE… -o FILE`
#[derive(Debug, Clone, Args)]
pub struct RecordArgs {
    /// where and how to read
    #[command(flatten)]
    pub read: ReadArgs,
    /// File to write; a name that ends in .gz is compressed. An existing recording is continued
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Take a capture again and again, at this interval
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub every: Option<Duration>,
    /// How many captures to take; with --every and without --count until Ctrl-C
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
    /// What happened before this capture, in your words: usually the SQL
    #[arg(long, value_name = "TEXT")]
    pub label: Option<String>,
    /// One line about the whole recording; the first one in a file counts
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Record the WAL between captures too, so that each record is a step; a recording that is continued goes on from
    /// its last capture. --wal=DIR takes what the server does not give from a folder
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true)]
    pub wal: Option<Option<PathBuf>>,
    /// WAL that is read between two captures at most; what is more is told and left out
    #[arg(long, value_name = "SIZE", default_value = "64MB", value_parser = size, requires = "wal")]
    pub wal_limit: u64,
}

impl RecordArgs {
    /// What they say of WAL.
    ///
    /// # Errors
    /// A sentence, where there is no such folder.
    pub fn wal_options(&self) -> Result<WalOptions, String> {
        let args = WalArgs { wal: self.wal.clone().flatten(), wal_limit: self.wal_limit };
        args.options(self.wal.is_some())
    }
}

/// What both have in common.
#[derive(Debug, Clone, Args)]
pub struct ReadArgs {
    /// As psql takes it: a database name, postgresql://…, or "host=… dbname=…". PG* variables, service and password
    /// files count too
    #[arg(value_name = "CONNINFO")]
    pub conninfo: Option<String>,
    /// Table to look at, named as in psql: t, public.t, "Quoted", sales_*
    #[arg(short, long = "table", value_name = "TABLE")]
    pub tables: Vec<String>,
    /// Hide row data: filler of the same length instead of values
    #[arg(long)]
    pub redact: bool,
    /// Pages that one capture reads of a table at most, and a quarter as many of each index
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub pages: u32,
    /// Pages a second that are read at most; 0 for no limit
    #[arg(long, value_name = "N", default_value_t = 4000)]
    pub pages_per_second: u32,
    /// List and accept tables of the system catalogs too
    #[arg(long)]
    pub system: bool,
}

/// Which WAL is read.
#[derive(Debug, Clone, Default, Args)]
pub struct WalArgs {
    /// Folder of WAL segments (an archive; .gz and .partial too), for what the server itself does not give
    #[arg(long, value_name = "DIR")]
    pub wal: Option<PathBuf>,
    /// WAL that is read between two captures at most; what is more is told and left out
    #[arg(long, value_name = "SIZE", default_value = "64MB", value_parser = size)]
    pub wal_limit: u64,
}

impl WalArgs {
    /// What they mean.
    ///
    /// # Errors
    /// A sentence, where there is no such folder.
    pub fn options(&self, on: bool) -> Result<WalOptions, String> {
        let folder = self.wal.as_deref().map(Folder::open).transpose()?;
        Ok(WalOptions { off: !on, limit: self.wal_limit, folder })
    }
}

/// `64MB`, `512kB`, `1GB`, or a bare number of bytes.
pub fn size(text: &str) -> Result<u64, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let shift = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => Some(0),
        "k" | "kb" | "kib" => Some(10),
        "m" | "mb" | "mib" => Some(20),
        "g" | "gb" | "gib" => Some(30),
        _ => None,
    };
    let bytes =
        number.parse().ok().zip(shift).and_then(|(number, shift)| 1_u64.checked_shl(shift)?.checked_mul(number));
    bytes.ok_or_else(|| format!("{text:?} is not a size such as 64MB, 512kB or 1GB"))
}

/// `2s`, `500ms`, `1m`, or a bare number of seconds.
fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let wrong = || format!("{text:?} is not a time such as 2s, 500ms or 1m");
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let seconds = match unit {
        "s" | "" => number,
        "ms" => number / 1000.0,
        "m" | "min" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(wrong()),
    };
    let time = Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?;
    if time < Duration::from_millis(100) { Err(format!("{text:?} is too short: 100ms at least")) } else { Ok(time) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(size("64MB"), Ok(64 << 20));
        assert_eq!(size("512kB"), Ok(512 << 10));
        assert_eq!(size("1g"), Ok(1 << 30));
        assert_eq!(size("8192"), Ok(8192));
        for wrong in ["", "MB", "-1MB", "1TB", "1.5GB", "99999999999GB"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times() {
        assert_eq!(duration("2s"), Ok(Duration::from_secs(2)));
        assert_eq!(duration("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1500ms"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("1m"), Ok(Duration::from_secs(60)));
        for wrong in ["", "s", "2 s", "-1s", "1ms", "2w", "1e400h"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}
