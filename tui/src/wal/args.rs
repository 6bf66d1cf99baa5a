//! What can be said on the command line of `ffviz wal`.

use clap::{Args, ValueEnum};
use ffviz_format::page::Lsn;
use std::path::{Path, PathBuf};

/// Examples, and what the columns mean.
pub const HELP: &str = "Examples:
  ffviz wal shop                                 what was written since the last checkpoint
  ffviz wal shop -t orders | less -S             of table orders, its indexes and its TOAST table
  ffviz wal shop --stats                         which records and relations, how much images
  ffviz wal shop --from 0/1A2B3C8 --format json | jq -r .description
  ffviz wal 000000010000000000000003             one segment, under any name: no server needed
  ffviz wal /archive --stats                     segments of a folder
  ffviz wal shop --dir /archive                  the same, with the names of shop's relations

Columns: where the record starts, its transaction, resource manager and type; its bytes, which are
header and block references + full-page images + data; the pages it is about (+FPI: with image), and
what it did. A page is written as --page takes it: t:7 is block 7 of t, t/vm:0 block 0 of its
visibility map; a file of another database is database/filenode. On a terminal narrower than 110
columns the parts of the bytes are left out, and lines are cut at its width.

Where WAL is damaged, what can be read before it is written, and the exit status is 1. WAL ends at zeros,
or at a page of another use of the file, where none that belongs there follows: that is no damage.

Reading needs EXECUTE on pg_read_binary_file(text, bigint, bigint, boolean), or on 15 and newer
pg_walinspect, from which records are rebuilt as far as it tells of them.";

/// `ffviz wal [CONNINFO] [--dir DIR]`
#[derive(Debug, Clone, Default, Args)]
pub struct WalCommand {
    /// A segment, or a folder of segments; where there is no such file, as psql takes it: a database name,
    /// postgresql://…, or "host=… dbname=…". PG* variables, service and password files count too
    #[arg(value_name = "CONNINFO|PATH")]
    pub conninfo: Option<String>,
    /// Read the segments of this folder (an archive, a copy; .gz and .partial too) instead of the server's
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Begin with the first record that starts here or later [default: redo pointer of the last checkpoint, at most 64
    /// MB back]
    #[arg(long, value_name = "LSN", value_parser = lsn)]
    pub from: Option<Lsn>,
    /// End with the last record that ends here or before [default: the end]
    #[arg(long, value_name = "LSN", value_parser = lsn)]
    pub to: Option<Lsn>,
    /// Only records about this table, its indexes and its TOAST table, named as in psql; or about a file:
    /// tablespace/database/filenode
    #[arg(short, long = "table", value_name = "TABLE")]
    pub tables: Vec<String>,
    /// How to write it: text for people, json: one object a line
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Totals by type of record and by relation instead of a list
    #[arg(long)]
    pub stats: bool,
    /// End after so many records
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,
    /// Pages of WAL (8 kB) a second that are read of a server at most; 0 for no limit
    #[arg(long, value_name = "N", default_value_t = 4000)]
    pub pages_per_second: u32,
}

impl WalCommand {
    /// What to connect to, and which file or folder to read.
    ///
    /// # Errors
    /// A sentence, where it can only be the name of a file, and there is none.
    pub fn places(&self) -> Result<(Option<&str>, Option<&Path>), String> {
        let named = self.conninfo.as_deref();
        let path = named.map(Path::new).filter(|_| self.dir.is_none());
        if path.is_some_and(Path::exists) {
            return Ok((None, path));
        }
        let is_segment = |name: &str| name.len() == 24 && name.bytes().all(|b| b.is_ascii_hexdigit());
        let is_path = |name: &str| is_segment(name) || (name.contains('/') && !name.contains(['=', ':']));
        match named.filter(|name| path.is_some() && is_path(name)) {
            Some(name) => Err(format!(
                "{name}: no such file or folder; name a segment of WAL, a folder of segments, or a database"
            )),
            None => Ok((named, self.dir.as_deref())),
        }
    }
}

/// How to write it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// aligned columns
    #[default]
    Text,
    /// JSON Lines
    Json,
}

/// A position in the WAL as PostgreSQL writes it.
fn lsn(text: &str) -> Result<Lsn, String> {
    text.parse()
        .map_err(|_| format!("{text:?} is not a position in the WAL; it is two hexadecimal numbers such as 0/1A2B3C8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions() {
        assert_eq!(lsn("0/1A2B3C8"), Ok(Lsn(0x1A2_B3C8)));
        assert_eq!(lsn("1A/0"), Ok(Lsn(0x1A_0000_0000)));
        for wrong in ["", "/", "0", "0/", "0/G", "123456789/0", "0/123456789", "0/-1", "0/1/2"] {
            assert!(lsn(wrong).is_err(), "{wrong}");
        }
    }
}
