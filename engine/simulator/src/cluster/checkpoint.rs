//! CHECKPOINT: all that is dirty goes to disk, and recovery may begin at the redo pointer (`CreateCheckPoint`,
//! src/backend/access/transam/xlog.c; `BufferSync`, src/backend/storage/buffer/bufmgr.c).
//!
//! ```text
//!  redo pointer ── pages are written, by tablespace, file, fork, block ── RUNNING_XACTS ── CHECKPOINT_ONLINE ── pg_control
//! ```
//!
//! A crash before the last step begins at the checkpoint before. The checkpointer is a process of its own: sessions
//! learn of the new redo pointer with their next record.

use super::Cluster;
use crate::access::transam::{
    CheckpointKind, CheckpointState, RunningXacts, WalLevel, begin_checkpoint, log_checkpoint, log_running_xacts,
};
use crate::storage::{Backend, Buffer, FIRST_MULTIXACT_ID, Instance};
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::page::{FIRST_NORMAL_XID, ForkNumber, Lsn, TransactionId, precedes, thousands};

/// Seconds from 1970 to 2000.
const EPOCH: i64 = 946_684_800;
/// The database with the oldest xid and `MultiXact` of a fresh cluster.
const TEMPLATE1: u32 = 1;

/// What recovery needs of `pg_control`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ControlFile {
    /// where recovery begins
    pub redo: Lsn,
    /// `checkPointCopy`: counters when the checkpoint began
    pub state: CheckpointState,
}

/// The fields of `CheckPoint` that are counters of the cluster. `clock`: microseconds since 2000.
pub(super) fn checkpoint_state(pg: &Instance, clock: i64, kind: CheckpointKind) -> CheckpointState {
    let online = kind == CheckpointKind::Online;
    CheckpointState {
        this_timeline: 1,
        prev_timeline: 1,
        next_xid: u64::from(pg.transam.next_xid),
        // OIDs that a record announced are not given out twice
        next_oid: if online { pg.transam.announced_oids() } else { pg.transam.next_oid },
        next_multi: pg.multixacts.next,
        next_multi_offset: pg.multixacts.next_offset,
        oldest_xid: FIRST_NORMAL_XID,
        oldest_xid_db: TEMPLATE1,
        oldest_multi: FIRST_MULTIXACT_ID,
        oldest_multi_db: TEMPLATE1,
        time: clock.div_euclid(1_000_000) + EPOCH,
        oldest_active_xid: if online { oldest_running_xid(pg) } else { 0 },
        ..CheckpointState::default()
    }
}

/// `GetOldestActiveTransactionId`
fn oldest_running_xid(pg: &Instance) -> TransactionId {
    let running = pg.backends.iter().filter_map(Backend::top_xid);
    running.fold(pg.transam.next_xid, |oldest, xid| if precedes(xid, oldest) { xid } else { oldest })
}

impl Cluster {
    /// CHECKPOINT. Files that are not logged stay as they are, but for the forks that they are made anew from.
    pub fn checkpoint(&mut self) {
        let redo = self.pg.by_checkpointer(|wal, process| begin_checkpoint(wal, process, CheckpointKind::Online));
        let state = checkpoint_state(&self.pg, self.clock, CheckpointKind::Online);
        self.write_dirty(CheckpointKind::Online, |cluster, buf| {
            cluster.pg.buffers.is_permanent(buf.file) || buf.fork == ForkNumber::Init
        });
        if self.pg.wal.settings.level >= WalLevel::Replica {
            self.log_running();
        }
        self.end_checkpoint(CheckpointKind::Online, redo, state);
    }

    /// The checkpoint that ends recovery: everything is written, and there is nothing to replay before it.
    pub(super) fn end_of_recovery_checkpoint(&mut self) {
        let redo = self.pg.by_checkpointer(|wal, process| begin_checkpoint(wal, process, CheckpointKind::Shutdown));
        let state = checkpoint_state(&self.pg, self.clock, CheckpointKind::Shutdown);
        self.write_dirty(CheckpointKind::Shutdown, |_, _| true);
        self.end_checkpoint(CheckpointKind::Shutdown, redo, state);
    }

    /// What recovery would begin with.
    #[must_use]
    pub const fn control(&self) -> ControlFile {
        self.control
    }

    /// `BufferSync`: the dirty pages that are to be written reach the disk.
    fn write_dirty(&mut self, kind: CheckpointKind, is_wanted: impl Fn(&Self, Buffer) -> bool) {
        let mut dirty: Vec<Buffer> = self.pg.buffers.dirty().filter(|buf| is_wanted(self, *buf)).collect();
        dirty.sort_unstable_by_key(|buf| {
            let locator = self.pg.buffers.locator(buf.file);
            (locator.spc, locator.rel, buf.fork as u8, buf.block)
        });
        for buf in &dirty {
            self.pg.buffers.written(*buf);
        }
        // recovery changes pages where they lie here: how many it has left to be written is not known
        if kind == CheckpointKind::Online {
            let written = dirty.len() as u64;
            self.pg.trace.tell(None, || format!("the checkpoint writes every dirty page: {}", thousands(written)));
        }
    }

    /// `LogStandbySnapshot`: which transactions run.
    fn log_running(&mut self) {
        let running: Vec<_> = self.pg.backends.iter().filter_map(|backend| backend.xact.as_ref()).collect();
        let xids: Vec<TransactionId> = running.iter().filter_map(|xact| xact.top_xid()).collect();
        let subxid_overflow = running.iter().any(|xact| xact.overflowed);
        let subxids = running.iter().filter(|_| !subxid_overflow).flat_map(|xact| &xact.subxids);
        let listed: Vec<TransactionId> = subxids.copied().collect();
        let snapshot = RunningXacts {
            xids: &xids,
            subxids: &listed,
            subxid_overflow,
            next_xid: self.pg.transam.next_xid,
            oldest_running_xid: oldest_running_xid(&self.pg),
            latest_completed_xid: self.pg.transam.latest_completed,
        };
        self.pg.by_checkpointer(|wal, process| log_running_xacts(wal, process, &snapshot));
    }

    /// The record that completes the checkpoint, and `pg_control`.
    fn end_checkpoint(&mut self, kind: CheckpointKind, redo: Lsn, state: CheckpointState) {
        let record = self.pg.by_checkpointer(|wal, process| log_checkpoint(wal, process, kind, redo, &state));
        self.pg.flushed = self.pg.flushed.max(record.end);
        self.control = ControlFile { redo, state };
        self.pg.wal.forget_before(redo);
    }
}
