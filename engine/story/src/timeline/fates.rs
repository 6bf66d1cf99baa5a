//! What became of transactions, as far as records tell (src/backend/access/transam/clog.c, xact.c; members of
//! multixacts: multixact.c). The pages say it only once somebody sets a hint bit.

use super::xact::{Ending, Outcome};
use super::{Cause, Timeline, Unlogged};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use ffviz_format::heap::HeapTuple;
use ffviz_format::heap::infomask::HEAP_XMAX_INVALID;
use ffviz_format::page::{PgVersion, TransactionId};
use ffviz_format::wal::rec::other::{MultiXactMember, XlMultixactCreate};
use ffviz_format::wal::record_type::MultiXactType;
use ffviz_format::wal::{Record, RecordType, Rmgr};

/// The ends of transactions, each with the state whose step is its record.
#[derive(Debug, Clone, Default)]
pub(super) struct Endings {
    ended: BTreeMap<TransactionId, End>,
    /// who locks, or updates, a row together
    members: BTreeMap<TransactionId, Box<[TransactionId]>>,
    /// crashes: at which states, and the highest transaction that was known until then
    crashes: Vec<(usize, TransactionId)>,
    highest: TransactionId,
}

#[derive(Debug, Clone, Copy)]
struct End {
    state: usize,
    committed: bool,
}

impl Endings {
    /// Learns from the step to a state.
    pub fn note(&mut self, state: usize, cause: &Cause, version: PgVersion) {
        match cause {
            Cause::Unlogged(Unlogged::Crash) => self.crashes.push((state, self.highest)),
            Cause::Record(record) => self.note_record(state, record, version),
            _ => {}
        }
    }

    fn note_record(&mut self, state: usize, record: &Record, version: PgVersion) {
        let header = record.header();
        self.highest = self.highest.max(header.xl_xid());
        let rmgr = Rmgr(header.xl_rmid());
        if rmgr != Rmgr::TRANSACTION && rmgr != Rmgr::MULTIXACT {
            return;
        }
        let Ok(decoded) = record.decode(version) else { return };
        if let Some(ending) = Ending::of(&decoded).filter(|ending| ending.how != Outcome::Prepared) {
            let end = End { state, committed: ending.how == Outcome::Committed };
            // recovery reads again what was read before
            for xid in ending.xids() {
                self.ended.entry(xid).or_insert(end);
            }
        }
        if decoded.record_type() == RecordType::MultiXact(MultiXactType::CreateId)
            && let Some(members) = decoded.main_data.get(XlMultixactCreate::SIZE..)
        {
            let members = members.chunks_exact(MultiXactMember::SIZE).map(|member| MultiXactMember::new(member).xid());
            self.members.insert(XlMultixactCreate::new(decoded.main_data).mid(), members.collect());
        }
    }
}

/// What is known of transactions at a state.
#[derive(Debug, Clone, Copy, Default)]
pub struct Fates<'a>(Option<(&'a Endings, usize)>);

impl Timeline {
    /// What is known of transactions at a state, and of none that ends later.
    #[must_use]
    pub const fn fates(&self, state: usize) -> Fates<'_> {
        Fates(Some((&self.endings, state)))
    }
}

impl Fates<'_> {
    /// Is it over, and if so, was it committed? `None`: it runs, or nothing is known of it.
    #[must_use]
    pub fn committed(self, xid: TransactionId) -> Option<bool> {
        let (endings, at) = self.0?;
        if let Some(end) = endings.ended.get(&xid).filter(|end| end.state <= at) {
            return Some(end.committed);
        }
        let ended = endings.crashes.iter().any(|(state, highest)| *state <= at && xid <= *highest);
        (ended && xid != 0 && !endings.ended.get(&xid).is_some_and(|end| end.committed)).then_some(false)
    }

    /// Was the tuple put there by a transaction that was rolled back?
    #[must_use]
    pub fn is_aborted(self, tuple: &HeapTuple) -> bool {
        tuple.is_xmin_invalid() || !tuple.is_frozen() && self.committed(tuple.t_xmin) == Some(false)
    }

    /// Is `t_xmax` a lock that is over, which no hint bit says yet?
    #[must_use]
    pub fn is_old_lock(self, tuple: &HeapTuple) -> bool {
        tuple.is_locked_only() && has_xmax(tuple) && self.is_over(tuple)
    }

    /// Does `t_xmax` count for nothing: a lock that is over, or of a transaction that was rolled back?
    #[must_use]
    pub fn is_xmax_void(self, tuple: &HeapTuple) -> bool {
        let aborted = || !tuple.is_xmax_multi() && self.committed(tuple.t_xmax) == Some(false);
        self.is_old_lock(tuple) || has_xmax(tuple) && aborted()
    }

    /// Is nobody but the transaction that put the tuple there known to lock it?
    #[must_use]
    pub fn is_own_lock(self, tuple: &HeapTuple) -> bool {
        let is_own = |xid: &TransactionId| *xid == tuple.t_xmin || self.committed(*xid).is_some();
        tuple.is_locked_only() && has_xmax(tuple) && self.all_of_xmax(tuple, is_own)
    }

    fn is_over(self, tuple: &HeapTuple) -> bool {
        self.all_of_xmax(tuple, |xid| self.committed(*xid).is_some())
    }

    /// Is it so of `t_xmax`, or of all members of the multixact there? Not of one whose members are not known.
    fn all_of_xmax(self, tuple: &HeapTuple, is_so: impl Fn(&TransactionId) -> bool) -> bool {
        if !tuple.is_xmax_multi() {
            return is_so(&tuple.t_xmax);
        }
        let members = self.members(tuple.t_xmax);
        !members.is_empty() && members.iter().all(is_so)
    }
}

impl<'a> Fates<'a> {
    /// The transactions of a multixact, as far as they are known.
    #[must_use]
    pub fn members(self, multi: TransactionId) -> &'a [TransactionId] {
        self.0.and_then(|(endings, _)| endings.members.get(&multi)).map_or(&[], AsRef::as_ref)
    }
}

/// Has it one that may count?
const fn has_xmax(tuple: &HeapTuple) -> bool {
    tuple.t_xmax != 0 && tuple.t_infomask & HEAP_XMAX_INVALID == 0
}
