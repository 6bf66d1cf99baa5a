//! Records of a checkpoint (`CreateCheckPoint`, src/backend/access/transam/xlog.c).
//!
//! ```text
//!  online    13–16  redo = where the next record will start │ …buffers are written… │ RUNNING_XACTS │ CHECKPOINT_ONLINE
//!            17+    CHECKPOINT_REDO, redo = its start       │ …buffers are written… │ RUNNING_XACTS │ CHECKPOINT_ONLINE
//!  shutdown         redo = where CHECKPOINT_SHUTDOWN starts
//! ```

use super::{Assembly, BackendWal, Inserted, WalWriter};
use crate::version::Behaviour;
use ffviz_format::page::{Lsn, Oid, TransactionId};
use ffviz_format::wal::Rmgr;
use ffviz_format::wal::rec::xlog::{CheckPoint, XlCheckpointRedo};
use ffviz_format::wal::rec::{FullTransactionId, XLogRecPtr};
use ffviz_format::wal::record_type::XlogType;

/// Why a checkpoint is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckpointKind {
    /// by command, time or amount of WAL
    Online,
    /// the server stops, or recovery has ended
    Shutdown,
}

/// What a checkpoint says of the cluster: the fields of `CheckPoint` that WAL does not know itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CheckpointState {
    /// timeline
    pub this_timeline: u32,
    /// timeline before, if the record begins one; else the same
    pub prev_timeline: u32,
    /// next transaction id, with its epoch
    pub next_xid: u64,
    /// next OID
    pub next_oid: Oid,
    /// next multixact
    pub next_multi: u32,
    /// where its members come
    pub next_multi_offset: u32,
    /// oldest `datfrozenxid`
    pub oldest_xid: TransactionId,
    /// database that has it
    pub oldest_xid_db: Oid,
    /// oldest `datminmxid`
    pub oldest_multi: u32,
    /// database that has it
    pub oldest_multi_db: Oid,
    /// when the checkpoint began, in seconds since 1970
    pub time: i64,
    /// oldest transaction with a commit timestamp
    pub oldest_commit_ts_xid: TransactionId,
    /// newest transaction with a commit timestamp
    pub newest_commit_ts_xid: TransactionId,
    /// oldest transaction that is running; 0 at shutdown
    pub oldest_active_xid: TransactionId,
}

/// A checkpoint begins: its redo pointer, from which on changes of pages take images. From 17 on a record marks it.
pub fn begin_checkpoint(wal: &mut WalWriter, checkpointer: &mut BackendWal, kind: CheckpointKind) -> Lsn {
    let mut redo = wal.position().next_start();
    if kind == CheckpointKind::Online && wal.settings.version.logs_checkpoint_redo() {
        let main: &[u8] = &XlCheckpointRedo::make(wal.settings.level as i32);
        let mark = Assembly { main: &[main], ..Assembly::new(Rmgr::XLOG, XlogType::CheckpointRedo.info()) };
        redo = wal.insert(checkpointer, &mark).start;
    }
    wal.set_redo_rec_ptr(redo);
    checkpointer.redo_rec_ptr = redo;
    redo
}

/// CHECKPOINT_ONLINE or CHECKPOINT_SHUTDOWN, after everything is written that was dirty when the checkpoint began.
pub fn log_checkpoint(
    wal: &mut WalWriter,
    checkpointer: &mut BackendWal,
    kind: CheckpointKind,
    redo: Lsn,
    state: &CheckpointState,
) -> Inserted {
    // before 17 these bytes are alignment
    let wal_level = if wal.settings.version.tells_wal_level() { wal.settings.level as i32 } else { 0 };
    let main: &[u8] = &CheckPoint::make(
        XLogRecPtr(redo),
        state.this_timeline,
        state.prev_timeline,
        wal.full_page_writes(),
        wal_level,
        FullTransactionId(state.next_xid),
        state.next_oid,
        state.next_multi,
        state.next_multi_offset,
        state.oldest_xid,
        state.oldest_xid_db,
        state.oldest_multi,
        state.oldest_multi_db,
        state.time,
        state.oldest_commit_ts_xid,
        state.newest_commit_ts_xid,
        state.oldest_active_xid,
    );
    let info = match kind {
        CheckpointKind::Online => XlogType::CheckpointOnline.info(),
        CheckpointKind::Shutdown => XlogType::CheckpointShutdown.info(),
    };
    wal.insert(checkpointer, &Assembly { main: &[main], ..Assembly::new(Rmgr::XLOG, info) })
}
