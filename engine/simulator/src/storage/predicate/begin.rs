//! A SERIALIZABLE transaction takes its snapshot (`GetSerializableTransactionSnapshotInt`), and gets its xid
//! (`RegisterPredicateLockingXid`).
//!
//! ```text
//!  READ ONLY, and nobody writes?  ─ yes ▶ safe: as good as REPEATABLE READ, nothing is kept of it
//!       │ no
//!  READ ONLY: whoever writes now may make the snapshot unsafe; once all have ended and none did, it is safe
//! ```

use super::local::MySerializableXact;
use super::sxact::{SerializableXact, SxactId};
use super::{Instance, PredicateLocks};
use crate::storage::MvccSnapshot;
use alloc::vec::Vec;
use ffviz_format::page::TransactionId;

impl Instance {
    /// `GetSerializableTransactionSnapshotInt`, of the snapshot that was just taken.
    pub fn begin_serializable(&mut self, snapshot: &MvccSnapshot) {
        let xact = self.backend().xact.as_ref();
        let (read_only, top_xid) = (xact.is_some_and(|xact| xact.read_only), xact.and_then(|xact| xact.top_xid()));
        match self.predicate.begin(self.me, snapshot.xmin, read_only) {
            Some(id) => {
                self.backend_mut().serializable = Some(MySerializableXact::new(id));
                top_xid.into_iter().for_each(|xid| self.register_predicate_locking_xid(xid));
            }
            None => self.tell_safe(),
        }
    }

    /// `RegisterPredicateLockingXid`
    pub(in crate::storage) fn register_predicate_locking_xid(&mut self, xid: TransactionId) {
        if let Some(own) = self.my_sxact() {
            self.predicate.xact_mut(own).top_xid = Some(xid);
            self.predicate.by_xid.insert(xid, own);
        }
    }
}

impl PredicateLocks {
    /// One more transaction; `None` where it reads only, and nobody could make that unsafe.
    fn begin(&mut self, session: usize, xmin: TransactionId, read_only: bool) -> Option<SxactId> {
        if read_only && self.writable == 0 {
            return None;
        }
        let mut begun = SerializableXact::new(self.next, session, xmin, self.last_commit);
        let mut unsafe_by = Vec::new();
        if read_only {
            let may_write = |xact: &&SerializableXact| xact.runs() && !xact.is_read_only();
            unsafe_by.extend(self.xacts.iter().filter(may_write).map(|xact| xact.id));
            if unsafe_by.is_empty() {
                return None;
            }
            begun.set_read_only();
        } else {
            self.writable += 1;
        }
        let id = begun.id;
        self.next += 1;
        self.xacts.push(begun);
        unsafe_by.into_iter().for_each(|active| self.set_possible_unsafe_conflict(id, active));
        if self.global_xmin.is_none() {
            (self.global_xmin, self.global_xmin_count) = (Some(xmin), 1);
        } else if self.global_xmin == Some(xmin) {
            self.global_xmin_count += 1;
        }
        Some(id)
    }
}
