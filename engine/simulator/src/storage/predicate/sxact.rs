//! What is known of a SERIALIZABLE transaction, and its conflicts (`SERIALIZABLEXACT`, `RWConflictData`,
//! src/include/storage/predicate_internals.h).

use super::PredicateLocks;
use super::target::Target;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use ffviz_format::page::TransactionId;

/// Which one, by the order in which they began.
pub(super) type SxactId = u32;
/// `SerCommitSeqNo`: what counts up at every COMMIT, and when one is prepared.
pub(super) type SerCommitSeqNo = u64;

/// `SXACT_FLAG_…`
const COMMITTED: u16 = 0x0001;
const PREPARED: u16 = 0x0002;
const DOOMED: u16 = 0x0008;
const CONFLICT_OUT: u16 = 0x0010;
const READ_ONLY: u16 = 0x0020;
const RO_SAFE: u16 = 0x0080;

/// `SERIALIZABLEXACT`
#[derive(Debug, Clone)]
pub(super) struct SerializableXact {
    /// its number
    pub id: SxactId,
    /// number of the session
    pub session: usize,
    flags: u16,
    /// `topXid`, once it has one
    pub top_xid: Option<TransactionId>,
    /// xmin of its snapshot
    pub xmin: TransactionId,
    /// `finishedBefore`: the next xid when it ended
    pub finished_before: TransactionId,
    /// `prepareSeqNo`: of the check at COMMIT
    pub prepare_seq_no: SerCommitSeqNo,
    /// `commitSeqNo`
    pub commit_seq_no: SerCommitSeqNo,
    /// `lastCommitBeforeSnapshot`
    pub last_commit_before_snapshot: SerCommitSeqNo,
    /// `earliestOutConflictCommit`, where it has committed with a conflict out to one that had
    pub earliest_out_conflict_commit: SerCommitSeqNo,
    /// `outConflicts`: who wrote what it read
    pub out_conflicts: Vec<SxactId>,
    /// `inConflicts`: who read what it wrote
    pub in_conflicts: Vec<SxactId>,
    /// `possibleUnsafeConflicts`: of one that only reads those that write and may make its snapshot unsafe; of one that
    /// writes the others
    pub possible_unsafe: Vec<SxactId>,
    /// its SIREAD locks
    pub locks: BTreeSet<Target>,
}

impl SerializableXact {
    pub const fn new(id: SxactId, session: usize, xmin: TransactionId, last_commit: SerCommitSeqNo) -> Self {
        Self {
            id,
            session,
            flags: 0,
            top_xid: None,
            xmin,
            finished_before: 0,
            prepare_seq_no: SerCommitSeqNo::MAX,
            commit_seq_no: SerCommitSeqNo::MAX,
            last_commit_before_snapshot: last_commit,
            earliest_out_conflict_commit: SerCommitSeqNo::MAX,
            out_conflicts: Vec::new(),
            in_conflicts: Vec::new(),
            possible_unsafe: Vec::new(),
            locks: BTreeSet::new(),
        }
    }

    pub const fn is_committed(&self) -> bool {
        self.flags & COMMITTED != 0
    }

    /// Has it passed the check at COMMIT? Then nobody can make it fail any more.
    pub const fn is_prepared(&self) -> bool {
        self.flags & PREPARED != 0
    }

    /// Is it to fail, or has it failed?
    pub const fn is_doomed(&self) -> bool {
        self.flags & DOOMED != 0
    }

    /// Did it commit with a conflict out to one that had committed before?
    pub const fn has_conflict_out(&self) -> bool {
        self.flags & CONFLICT_OUT != 0
    }

    pub const fn is_read_only(&self) -> bool {
        self.flags & READ_ONLY != 0
    }

    /// Can nothing happen any more that what it reads would not fit to?
    pub const fn is_ro_safe(&self) -> bool {
        self.flags & RO_SAFE != 0
    }

    /// Does it go on?
    pub const fn runs(&self) -> bool {
        !self.is_committed() && !self.is_doomed()
    }

    pub const fn prepare(&mut self, seq_no: SerCommitSeqNo) {
        self.prepare_seq_no = seq_no;
        self.flags |= PREPARED;
    }

    pub const fn commit(&mut self, seq_no: SerCommitSeqNo) {
        self.commit_seq_no = seq_no;
        self.flags |= COMMITTED;
    }

    pub const fn doom(&mut self) {
        self.flags |= DOOMED;
    }

    pub const fn set_read_only(&mut self) {
        self.flags |= READ_ONLY;
    }

    pub const fn set_ro_safe(&mut self) {
        self.flags |= RO_SAFE;
    }

    /// It commits after one that it has a conflict out to.
    pub fn note_conflict_out(&mut self, prepare_seq_no: SerCommitSeqNo) {
        if !self.has_conflict_out() || prepare_seq_no < self.earliest_out_conflict_commit {
            self.earliest_out_conflict_commit = prepare_seq_no;
        }
        self.flags |= CONFLICT_OUT;
    }
}

impl PredicateLocks {
    pub(super) fn xact(&self, id: SxactId) -> &SerializableXact {
        &self.xacts[self.place(id)]
    }

    pub(super) fn xact_mut(&mut self, id: SxactId) -> &mut SerializableXact {
        let place = self.place(id);
        &mut self.xacts[place]
    }

    /// Where it stands in the list, which is in the order of the numbers.
    pub(super) fn place(&self, id: SxactId) -> usize {
        self.xacts.partition_point(|xact| xact.id < id)
    }

    /// `RWConflictExists`
    pub(super) fn rw_conflict_exists(&self, reader: SxactId, writer: SxactId) -> bool {
        let [from, to] = [reader, writer].map(|id| self.xact(id));
        !from.is_doomed() && !to.is_doomed() && from.out_conflicts.contains(&writer)
    }

    /// `SetRWConflict`
    pub(super) fn set_rw_conflict(&mut self, reader: SxactId, writer: SxactId) {
        self.xact_mut(reader).out_conflicts.push(writer);
        self.xact_mut(writer).in_conflicts.push(reader);
    }

    /// `ReleaseRWConflict`
    pub(super) fn release_rw_conflict(&mut self, reader: SxactId, writer: SxactId) {
        self.xact_mut(reader).out_conflicts.retain(|id| *id != writer);
        self.xact_mut(writer).in_conflicts.retain(|id| *id != reader);
    }

    /// `SetPossibleUnsafeConflict`
    pub(super) fn set_possible_unsafe_conflict(&mut self, read_only: SxactId, active: SxactId) {
        self.xact_mut(read_only).possible_unsafe.push(active);
        self.xact_mut(active).possible_unsafe.push(read_only);
    }

    /// `ReleaseRWConflict` of such a one.
    pub(super) fn release_possible_unsafe_conflict(&mut self, one: SxactId, other: SxactId) {
        self.xact_mut(one).possible_unsafe.retain(|id| *id != other);
        self.xact_mut(other).possible_unsafe.retain(|id| *id != one);
    }
}
