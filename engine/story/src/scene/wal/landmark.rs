//! Records that a reader of WAL wants to see wherever they are: ends of transactions, checkpoints and where they let
//! recovery start.

use ffviz_format::page::{Lsn, PgVersion};
use ffviz_format::wal::rec::xlog::CheckPoint;
use ffviz_format::wal::record_type::XlogType;
use ffviz_format::wal::{Record, RecordType};

/// Is it the commit or abort of a transaction?
#[must_use]
pub fn ends_transaction(record: &Record, version: PgVersion) -> bool {
    matches!(record.record_type(version), RecordType::Xact(of) if of.commits() || of.aborts())
}

/// The redo pointer that a checkpoint sets: `XLOG_CHECKPOINT_SHUTDOWN`, `XLOG_CHECKPOINT_ONLINE`.
#[must_use]
pub fn checkpoint_redo(record: &Record, version: PgVersion) -> Option<Lsn> {
    let RecordType::Xlog(XlogType::CheckpointShutdown | XlogType::CheckpointOnline) = record.record_type(version)
    else {
        return None;
    };
    let decoded = record.decode(version).ok()?;
    (decoded.main_data.len() >= 8).then(|| CheckPoint::new(decoded.main_data).redo().0)
}
