//! MVCC snapshots and horizons (src/backend/storage/ipc/procarray.c, src/backend/utils/time/snapmgr.c).
//!
//! ```text
//!  xmin                    xmax = latestCompletedXid + 1
//! ──┼───────┼ xip ┼───────────┼──────▶ xid
//!  seen │ running: not seen   │ not seen
//! ```

use super::transam::{CommandId, Xact};
use super::{FileId, Instance};
use crate::version::Behaviour;
use alloc::vec::Vec;
use ffviz_format::page::{TransactionId, precedes, precedes_or_equals};

/// `SnapshotData` of type MVCC.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MvccSnapshot {
    /// all xids before it have ended
    pub xmin: TransactionId,
    /// all xids from it on count as running
    pub xmax: TransactionId,
    /// xids that ran when it was taken, those of subtransactions too (`xip`, `subxip`); one that aborted before is not
    /// among them
    pub xip: Vec<TransactionId>,
    /// does a transaction have more subtransactions than others can look up? Then only whole transactions are in `xip`
    pub suboverflowed: bool,
    /// the command of the own transaction from which on nothing is seen
    pub curcid: CommandId,
}

/// `GlobalVisState`, from 14 on: two bounds of the horizon; before, only `vistest` of the last snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GlobalVis {
    /// xids before it are removable
    pub maybe_needed: TransactionId,
    /// xids from it on are not
    pub definitely_needed: TransactionId,
    /// `RecentXmin` at the last accurate computation (`ComputeXidHorizonsResultLastXmin`)
    pub last_xmin: Option<TransactionId>,
    /// `RecentXmin`: xmin of the last snapshot
    pub recent_xmin: TransactionId,
    /// `GlobalVisTempRels`: of the session's own temporary tables, which no snapshot of others reads
    pub temp: TransactionId,
    /// 13: `RecentGlobalXmin`
    pub recent_global_xmin: TransactionId,
}

impl Instance {
    /// `GetSnapshotData` with the session's bookkeeping; the command is the session's current one.
    pub fn get_snapshot(&mut self) -> MvccSnapshot {
        let xmax = self.transam.latest_completed + 1;
        let me = self.me;
        let others = self.backends.iter().enumerate().filter(|(n, other)| *n != me && !other.in_vacuum);
        let running = others.filter(|(_, other)| other.top_xid().is_some_and(|xid| precedes(xid, xmax)));
        let xacts: Vec<&Xact> = running.filter_map(|(_, other)| other.xact.as_ref()).collect();
        let suboverflowed = xacts.iter().any(|xact| xact.overflowed);
        let mut xip: Vec<TransactionId> = xacts.iter().filter_map(|xact| xact.top_xid()).collect();
        if !suboverflowed {
            xip.extend(xacts.iter().flat_map(|xact| &xact.subxids));
        }
        xip.sort_unstable();
        let (xmin, temp) = (self.oldest_running(), self.temp_horizon());
        let all = self.backends.iter().filter(|backend| !backend.in_vacuum);
        let global = all.filter_map(|backend| backend.proc_xmin).fold(xmin, oldest);
        let backend = self.backend_mut();
        let vis = &mut backend.global_vis;
        (vis.recent_xmin, vis.temp) = (xmin, temp);
        vis.recent_global_xmin = global;
        vis.definitely_needed = newest(vis.definitely_needed, xmin);
        backend.proc_xmin.get_or_insert(xmin);
        let curcid = backend.xact.as_ref().map_or(0, |xact| xact.command_id);
        MvccSnapshot { xmin, xmax, xip, suboverflowed, curcid }
    }

    /// `GetCatalogSnapshot`: a catalog is read with a snapshot that stays until the session hears of a change of any
    /// catalog. It moves the horizon on, also in a transaction that keeps its own snapshot.
    pub fn read_catalog(&mut self) {
        let backend = self.backend_mut();
        let is_valid = core::mem::replace(&mut backend.catalog_snapshot, true);
        if !is_valid && backend.snapshot.is_some() {
            self.get_snapshot();
        }
    }

    /// The oldest xid that has not ended; where none runs, the next one.
    fn oldest_running(&self) -> TransactionId {
        let xmax = self.transam.latest_completed + 1;
        let others = self.backends.iter().enumerate().filter(|(n, other)| *n != self.me && !other.in_vacuum);
        let running = others.filter_map(|(_, other)| other.top_xid()).filter(|xid| precedes(*xid, xmax));
        running.chain(self.backend().top_xid()).fold(xmax, oldest)
    }

    /// `TransactionXmin`: all before it have ended for every snapshot of the session. Where it has none yet, for the
    /// one that is taken next.
    #[must_use]
    pub fn transaction_xmin(&self) -> TransactionId {
        self.backend().proc_xmin.unwrap_or_else(|| self.oldest_running())
    }

    /// `ComputeXidHorizons`: the oldest xid that a session of the database still needs. Raises the bounds of the
    /// running session.
    pub fn compute_horizon(&mut self) -> TransactionId {
        let mut horizon = self.transam.latest_completed + 1;
        for other in self.backends.iter().filter(|other| !other.in_vacuum) {
            horizon = other.top_xid().into_iter().chain(other.proc_xmin).fold(horizon, oldest);
        }
        let temp = self.temp_horizon();
        let vis = &mut self.backend_mut().global_vis;
        vis.temp = temp;
        vis.last_xmin = Some(vis.recent_xmin);
        vis.maybe_needed = newest(vis.maybe_needed, horizon);
        vis.definitely_needed = newest(vis.maybe_needed, vis.definitely_needed);
        horizon
    }

    /// `temp_oldest_nonremovable`
    fn temp_horizon(&self) -> TransactionId {
        self.backend().top_xid().unwrap_or(self.transam.latest_completed + 1)
    }

    /// `GetOldestNonRemovableTransactionId`, of the relation that has the file; 13 makes no difference.
    pub fn oldest_nonremovable(&mut self, file: FileId) -> TransactionId {
        let horizon = self.compute_horizon();
        let is_own = self.version.has_global_vis() && self.buffers.is_temporary(file);
        if is_own { self.backend().global_vis.temp } else { horizon }
    }

    /// `GlobalVisTestIsRemovableXid`, of the relation that has the file; in 13 the comparison with `RecentGlobalXmin`.
    pub fn is_removable(&mut self, file: FileId, xid: TransactionId) -> bool {
        let vis = self.backend().global_vis;
        if !self.version.has_global_vis() {
            return precedes(xid, vis.recent_global_xmin);
        }
        if self.buffers.is_temporary(file) {
            return precedes(xid, vis.temp);
        }
        if precedes(xid, vis.maybe_needed) {
            return true;
        }
        if precedes_or_equals(vis.definitely_needed, xid) {
            return false;
        }
        let is_worth_it = match vis.last_xmin {
            None => true,
            Some(last) => precedes(vis.maybe_needed, vis.definitely_needed) && vis.recent_xmin != last,
        };
        if !is_worth_it {
            return false;
        }
        self.compute_horizon();
        precedes(xid, self.backend().global_vis.maybe_needed)
    }

    /// `XidInMVCCSnapshot`: does the transaction count as running?
    #[must_use]
    pub fn in_snapshot(&self, xid: TransactionId, snapshot: &MvccSnapshot) -> bool {
        if precedes(xid, snapshot.xmin) {
            return false;
        }
        if precedes_or_equals(snapshot.xmax, xid) {
            return true;
        }
        let xid = if snapshot.suboverflowed { self.transam.topmost(xid) } else { xid };
        snapshot.xip.binary_search(&xid).is_ok()
    }
}

const fn oldest(a: TransactionId, b: TransactionId) -> TransactionId {
    if precedes(b, a) { b } else { a }
}

const fn newest(a: TransactionId, b: TransactionId) -> TransactionId {
    if precedes(a, b) { b } else { a }
}
