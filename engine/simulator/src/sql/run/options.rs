//! What a run begins with: version, settings, counters, clock.

use super::parameters;
use crate::access::transam::{InsertPosition, Keep, WalLevel, WalSettings, WalWriter};
use crate::cluster::{Cluster, fresh_counters};
use crate::plain::PLAIN;
use crate::sql::commands::check_storage_parameters;
use crate::sql::guc;
use crate::sql::guc::{check_server_setting, server_setting};
use crate::sql::tcop::Database;
use crate::storage::{Instance, Settings, TableAm, Trace, Transam};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::{Lsn, Oid, PgVersion, TransactionId};
use ffviz_format::wal::DEFAULT_SEGMENT_SIZE;

/// 2025-01-01 00:00 UTC, in microseconds since 2000-01-01: when a run begins that is told nothing else.
const CLOCK: i64 = 9_132 * 86_400_000_000;

/// What a run begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOptions {
    /// the server's version
    pub version: PgVersion,
    /// OID of the database; `None`: that of postgres, as initdb makes it
    pub database: Option<Oid>,
    /// settings of the server, with their values
    pub settings: Vec<(String, String)>,
    /// storage parameters of tables and indexes that have none of their own, with their values
    pub storage: Vec<(String, String)>,
    /// how rows of tables are kept
    pub engine: TableAm,
    /// the next transaction id
    pub xid: Option<TransactionId>,
    /// OID of the first relation
    pub oid: Option<Oid>,
    /// where the first record goes
    pub lsn: Option<Lsn>,
    /// how many steps are kept one by one, where they are wanted at all, some 4 kB each; what comes after is a step a
    /// statement
    pub steps: usize,
    /// how many blocks the disk has room for
    pub disk_blocks: u64,
    /// may the server crash? Then what is on disk and the WAL that recovery reads are kept, which takes as much memory
    /// as the pages and more
    pub crashes: bool,
    /// the time at the beginning, in microseconds since 2000-01-01 UTC
    pub clock: i64,
}

/// The major versions that are simulated, oldest first.
pub use ffviz_format::page::MAJORS;

/// The version of a server where nobody says another.
pub const DEFAULT: PgVersion = newest(MAJORS[MAJORS.len() - 1]);

/// The version that a major one stands for: the newest that the simulator was compared with.
#[must_use]
pub const fn newest(major: u32) -> PgVersion {
    PgVersion(major * 10_000 + minor(major))
}

const fn minor(major: u32) -> u32 {
    match major {
        13 | 14 => 23,
        15 => 18,
        16 => 14,
        17 => 10,
        _ => 4,
    }
}

/// `18`, `18.4`
///
/// # Errors
/// A version that is not simulated: a sentence.
pub fn simulated_version(text: &str) -> Result<PgVersion, String> {
    let wrong =
        || format!("{text:?} is no version of PostgreSQL that is simulated: 13 to 18, or a minor one such as 18.4");
    let (major, given) = match text.split_once('.') {
        Some((major, given)) => (major, Some(given.parse::<u32>().map_err(|_| wrong())?)),
        None => (text, None),
    };
    let major = major.parse().ok().filter(|major| MAJORS.contains(major)).ok_or_else(wrong)?;
    Ok(PgVersion(major * 10_000 + given.filter(|minor| *minor < 100).unwrap_or_else(|| minor(major))))
}

/// `2GB`, `512MB`: so many blocks
///
/// # Errors
/// What is no size, a sentence.
pub fn size_in_blocks(text: &str) -> Result<u64, String> {
    guc::size_in_blocks(text).ok_or_else(|| format!("{text:?} is no size such as 2GB or 512MB"))
}

/// `heap`, `undo`
///
/// # Errors
/// What is none of them, a sentence.
pub fn engine(text: &str) -> Result<TableAm, String> {
    match text {
        "heap" => Ok(TableAm::Heap),
        "undo" => Ok(TableAm::Undo),
        _ => Err(format!("{text:?} is no engine: heap is PostgreSQL's, undo updates in place (a model)")),
    }
}

impl RunOptions {
    /// A fresh server of that version.
    #[must_use]
    pub const fn new(version: PgVersion) -> Self {
        Self {
            version,
            database: None,
            settings: Vec::new(),
            storage: Vec::new(),
            engine: TableAm::Heap,
            xid: None,
            oid: None,
            lsn: None,
            steps: 100_000,
            disk_blocks: u64::MAX,
            crashes: true,
            clock: CLOCK,
        }
    }

    /// The server. `traces`, `tells`: are its records wanted?
    pub(super) fn start(&self, traces: bool, tells: bool) -> Result<Database, String> {
        let (xid, oid, lsn) = fresh_counters(self.version);
        let (xid, oid, lsn) = (self.xid.unwrap_or(xid), self.oid.unwrap_or(oid), self.lsn.unwrap_or(lsn));
        let settings = WalSettings {
            version: self.version,
            level: WalLevel::Replica,
            compression: None,
            consistency_checking: Vec::new(),
        };
        let position = InsertPosition::new(lsn, Lsn(0), DEFAULT_SEGMENT_SIZE);
        let redo = position.insert_lsn();
        let keep = if PLAIN || self.crashes || traces || tells { Keep::Records } else { Keep::Counts };
        let wal = WalWriter::new(settings, position, redo, keep);
        let mut transam = Transam::new(xid, oid);
        // a server that runs has announced OIDs far ahead
        transam.oid_count = u32::MAX;
        let on_disk = Settings { keep_disk: self.crashes, disk_blocks: self.disk_blocks, ..Settings::default() };
        let mut pg = Instance::new(on_disk, wal, transam);
        for (name, value) in &self.settings {
            check_server_setting(name, value, self.version.major())
                .and_then(|()| server_setting(&mut pg, name, Some(value)))
                .map_err(|error| error.message.to_string())?;
        }
        check_storage_parameters(&parameters::as_options(&self.storage)).map_err(|error| error.message.to_string())?;
        pg.wal.take_records();
        pg.wal.set_position(position);
        pg.trace = Trace::of(if tells { self.steps } else { 0 });
        // else the first OID that initdb has left
        let first = if self.version.has_fixed_database_oids() { 5 } else { 13_000 };
        let mut cluster = Cluster::new(pg, self.database.unwrap_or(first), self.clock);
        if self.engine == TableAm::Undo {
            cluster.create_undo_segment();
        }
        Ok(Database::new(cluster))
    }
}
