//! What the values in a tuple's header mean, in words.

use super::infomask::{
    HEAP_COMBOCID, HEAP_HOT_UPDATED, HEAP_KEYS_UPDATED, HEAP_ONLY_TUPLE, HEAP_XMAX_EXCL_LOCK, HEAP_XMAX_IS_MULTI,
    HEAP_XMAX_KEYSHR_LOCK, HEAP_XMAX_SHR_LOCK,
};
use super::{HeapTuple, TupleState, XactStatus};
use alloc::format;
use alloc::string::{String, ToString};

impl HeapTuple {
    /// The lock that `t_xmax` holds, as SELECT names it; for tuples that are locked.
    #[must_use]
    pub const fn lock_name(&self) -> &'static str {
        match self.t_infomask & HEAP_XMAX_SHR_LOCK {
            _ if self.t_infomask & HEAP_XMAX_IS_MULTI != 0 => "several lockers",
            HEAP_XMAX_SHR_LOCK => "FOR SHARE",
            HEAP_XMAX_KEYSHR_LOCK => "FOR KEY SHARE",
            HEAP_XMAX_EXCL_LOCK if self.t_infomask2 & HEAP_KEYS_UPDATED != 0 => "FOR UPDATE",
            _ => "FOR NO KEY UPDATE",
        }
    }

    pub(super) fn xmin_meaning(&self) -> String {
        let status = match self.xmin_status() {
            XactStatus::Frozen => "frozen: visible to all",
            XactStatus::Committed => "committed",
            XactStatus::Aborted => "aborted: this version never was",
            XactStatus::None | XactStatus::Unknown => "no hint bit yet: running, committed or aborted",
        };
        format!("inserting transaction; {status}")
    }

    pub(super) fn xmax_meaning(&self) -> String {
        let who = if self.t_infomask & HEAP_XMAX_IS_MULTI != 0 { "multixact" } else { "transaction" };
        let what = match self.state() {
            TupleState::Locked => return self.lock_meaning(),
            TupleState::Deleted => "deleting",
            _ => "updating",
        };
        match self.xmax_status() {
            XactStatus::None => "none: neither deleted, updated nor locked".to_string(),
            XactStatus::Aborted => format!("{who} that aborted, or only held a lock"),
            XactStatus::Committed | XactStatus::Frozen => format!("{what} {who}; committed"),
            XactStatus::Unknown => format!("{what} {who}; no hint bit yet: running, committed or aborted"),
        }
    }

    pub(super) fn ctid_meaning(&self) -> String {
        if self.t_ctid == self.tid {
            return "itself: there is no later version".to_string();
        }
        match self.state() {
            TupleState::HotUpdated => {
                format!("the next version, in the same HOT chain: line pointer {}", self.t_ctid.offset)
            }
            TupleState::Updated => "the next version; index entries of its own lead there".to_string(),
            TupleState::MovedPartition => "the next version went to another partition".to_string(),
            _ => "a later version that never was, or is no longer known".to_string(),
        }
    }

    /// Of `t_cid`, which is `t_cmin` until a transaction deletes or updates the row and writes `t_cmax` there; locks do
    /// not.
    pub(super) const fn cid_meaning(&self) -> &'static str {
        if self.t_infomask & HEAP_COMBOCID != 0 {
            "combo command id: inserted and then deleted or updated by one transaction, which alone knows both"
        } else if self.t_xmax == 0 || self.is_locked_only() {
            "t_cmin: number of the inserting command within its transaction"
        } else {
            "t_cmax: number of the deleting or updating command within its transaction"
        }
    }

    pub(super) fn infomask2_meaning(&self) -> String {
        let plural = if self.natts() == 1 { "" } else { "s" };
        let heap_only = if self.t_infomask2 & HEAP_ONLY_TUPLE == 0 { "" } else { ", heap-only" };
        let updated = if self.t_infomask2 & HEAP_HOT_UPDATED == 0 { "" } else { ", HOT-updated" };
        format!("{} attribute{plural}{heap_only}{updated}", self.natts())
    }

    fn lock_meaning(&self) -> String {
        if self.t_infomask & HEAP_XMAX_IS_MULTI != 0 {
            return "multixact of the transactions that lock the row".to_string();
        }
        format!("transaction that locks the row {}; when it ends, so does the lock", self.lock_name())
    }
}
