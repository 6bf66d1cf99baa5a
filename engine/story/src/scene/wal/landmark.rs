//! Records that a reader of WAL wants to see wherever they are: ends of transactions, checkpoints and where they let recovery start.

use ffviz_format::page::{Lsn, PgVersion};
use ffviz_format::wal::rec::xlog::CheckPoint;
use ffviz_format::wal::{Record, Rmgr};

/// Is it the commit or abort of a transaction?
#[must_use]
pub fn ends_transaction(record: &Record) -> bool {
    let header = record.header();
    Rmgr(header.xl_rmid()) == Rmgr::TRANSACTION && matches!(header.xl_info() & 0x70, 0x00 | 0x20 | 0x30 | 0x40)
}

/// The redo pointer that a checkpoint sets: `XLOG_CHECKPOINT_SHUTDOWN`, `XLOG_CHECKPOINT_ONLINE`.
#[must_use]
pub fn checkpoint_redo(record: &Record, version: PgVersion) -> Option<Lsn> {
    let header = record.header();
    let is_checkpoint = Rmgr(header.xl_rmid()) == Rmgr::XLOG && matches!(header.xl_info() & 0xF0, 0x00 | 0x10);
    if !is_checkpoint {
        return None;
    }
    let decoded = record.decode(version).ok()?;
    (decoded.main_data.len() >= 8).then(|| CheckPoint::new(decoded.main_data).redo().0)
}
