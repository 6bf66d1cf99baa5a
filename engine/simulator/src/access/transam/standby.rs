//! What a standby has to know of transactions and locks (src/backend/storage/ipc/standby.c).

use super::{Assembly, BackendWal, Inserted, WalWriter};
use alloc::vec::Vec;
use ffviz_format::page::{Oid, TransactionId};
use ffviz_format::wal::Rmgr;
use ffviz_format::wal::rec::standby::{MESSAGE_SIZE, XlInvalidations, XlRunningXacts, XlStandbyLock, XlStandbyLocks};
use ffviz_format::wal::record_type::StandbyType;

/// Which transactions are running: `RunningTransactionsData`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunningXacts<'a> {
    /// running transactions
    pub xids: &'a [TransactionId],
    /// their subtransactions
    pub subxids: &'a [TransactionId],
    /// are subtransactions missing?
    pub subxid_overflow: bool,
    /// next transaction id
    pub next_xid: TransactionId,
    /// oldest that is running
    pub oldest_running_xid: TransactionId,
    /// newest that has ended
    pub latest_completed_xid: TransactionId,
}

/// Numbers as they stand one behind the other.
pub(super) fn xid_bytes<'a>(xids: impl IntoIterator<Item = &'a TransactionId>) -> Vec<u8> {
    xids.into_iter().flat_map(|xid| xid.to_le_bytes()).collect()
}

/// `LogCurrentRunningXacts`: RUNNING_XACTS.
pub fn log_running_xacts(wal: &mut WalWriter, backend: &mut BackendWal, running: &RunningXacts<'_>) -> Inserted {
    let head: &[u8] = &XlRunningXacts::make(
        running.xids.len() as i32,
        running.subxids.len() as i32,
        running.subxid_overflow,
        running.next_xid,
        running.oldest_running_xid,
        running.latest_completed_xid,
    );
    let xids = xid_bytes(running.xids.iter().chain(running.subxids));
    let main = [head, &xids];
    wal.insert(backend, &Assembly { main: &main, ..Assembly::new(Rmgr::STANDBY, StandbyType::RunningXacts.info()) })
}

/// `LogAccessExclusiveLocks`: LOCK. Each lock is a transaction, the relation's database and the relation.
pub fn log_access_exclusive_locks(
    wal: &mut WalWriter,
    backend: &mut BackendWal,
    locks: &[(TransactionId, Oid, Oid)],
) -> Inserted {
    let head: &[u8] = &XlStandbyLocks::make(locks.len() as i32);
    let locks: Vec<u8> = locks.iter().flat_map(|(xid, db, rel)| XlStandbyLock::make(*xid, *db, *rel)).collect();
    let main = [head, &locks];
    wal.insert(backend, &Assembly { main: &main, ..Assembly::new(Rmgr::STANDBY, StandbyType::Lock.info()) })
}

/// `LogStandbyInvalidations`: INVALIDATIONS, at the end of a transaction without xid that changed a catalog in place.
/// `dbinfo`: database and its tablespace.
pub fn log_invalidations(
    wal: &mut WalWriter,
    backend: &mut BackendWal,
    dbinfo: (Oid, Oid),
    relcache_init_file_inval: bool,
    messages: &[[u8; MESSAGE_SIZE]],
) -> Inserted {
    let head: &[u8] = &XlInvalidations::make(dbinfo.0, dbinfo.1, relcache_init_file_inval, messages.len() as i32);
    let main = [head, messages.as_flattened()];
    wal.insert(backend, &Assembly { main: &main, ..Assembly::new(Rmgr::STANDBY, StandbyType::Invalidations.info()) })
}
