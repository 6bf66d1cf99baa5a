//! `MultiXacts`: one number in `t_xmax` for several transactions that lock a row, one of which may update it
//! (src/backend/access/transam/multixact.c).
//!
//! ```text
//!  t_xmax = 7 ──▶ offsets[7] = 12 ──▶ members[12..15] = (xid, what it does) …
//! ```

use super::Instance;
use super::transam::XidStatus;
use crate::version::Behaviour;
use alloc::vec::Vec;
use ffviz_format::page::TransactionId;
use ffviz_format::wal::Rmgr;
use ffviz_format::wal::rec::other::{MultiXactMember as WalMember, XlMultixactCreate};
use ffviz_format::wal::record_type::MultiXactType;

/// `MULTIXACT_OFFSETS_PER_PAGE`
const OFFSETS_PER_PAGE: u32 = 2048;
/// `MULTIXACT_MEMBERS_PER_PAGE`: groups of four xids with a byte of flags each
const MEMBERS_PER_PAGE: u32 = 1636;

/// Number of a `MultiXact` (`MultiXactId`).
pub type MultiXactId = u32;

/// `FirstMultiXactId`
pub const FIRST_MULTIXACT_ID: MultiXactId = 1;

/// `MultiXactStatus`: what a member does to the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MultiXactStatus {
    /// locks it FOR KEY SHARE
    ForKeyShare = 0,
    /// locks it FOR SHARE
    ForShare = 1,
    /// locks it FOR NO KEY UPDATE
    ForNoKeyUpdate = 2,
    /// locks it FOR UPDATE
    ForUpdate = 3,
    /// updated it without changing its key
    NoKeyUpdate = 4,
    /// deleted it, or changed its key
    Update = 5,
}

impl MultiXactStatus {
    /// `ISUPDATE_from_mxstatus`
    #[must_use]
    pub const fn is_update(self) -> bool {
        matches!(self, Self::NoKeyUpdate | Self::Update)
    }
}

/// `MultiXactMember`
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MultiXactMember {
    /// a transaction
    pub xid: TransactionId,
    /// what it does
    pub status: MultiXactStatus,
}

/// The `MultiXacts` of a server.
#[derive(Debug, Clone)]
pub struct MultiXacts {
    /// `nextMXact`
    pub next: MultiXactId,
    /// `nextOffset`
    pub next_offset: u32,
    /// the first that `members` is about
    first: MultiXactId,
    members: Vec<Vec<MultiXactMember>>,
}

impl MultiXacts {
    /// Those of a server whose next `MultiXact` and member have these numbers; earlier ones have no members.
    #[must_use]
    pub const fn new(next: MultiXactId, next_offset: u32) -> Self {
        Self { next, next_offset, first: next, members: Vec::new() }
    }

    /// Those of a server that has made these, from number `first` on.
    #[must_use]
    pub fn restored(first: MultiXactId, members: Vec<Vec<MultiXactMember>>) -> Self {
        let offset = members.iter().map(|members| members.len() as u32).sum();
        Self { next: first + members.len() as MultiXactId, next_offset: offset, first, members }
    }

    /// The next `MultiXact` has this number, unless that was used up: others have made those before, and what they hold
    /// is not known.
    pub fn advance_to(&mut self, next: MultiXactId) {
        if self.members.is_empty() && next > self.next {
            (self.first, self.next) = (next, next);
            // how many members they have is not known; the first page of members is there
            self.next_offset = self.next_offset.max(1);
        }
        while self.next < next {
            self.members.push(Vec::new());
            self.next += 1;
        }
    }

    /// `GetMultiXactIdMembers`, by xid; none of a `MultiXact` from before.
    #[must_use]
    pub fn members(&self, multi: MultiXactId) -> &[MultiXactMember] {
        let place = multi.checked_sub(self.first).and_then(|ix| self.members.get(ix as usize));
        place.map_or(&[], Vec::as_slice)
    }

    /// `MultiXactIdGetUpdateXid`: the member that updated or deleted the row, unless all only lock it.
    #[must_use]
    pub fn update_xid(&self, multi: MultiXactId) -> Option<TransactionId> {
        let updater = self.members(multi).iter().find(|member| member.status.is_update());
        updater.map(|member| member.xid)
    }
}

impl Default for MultiXacts {
    fn default() -> Self {
        Self::new(FIRST_MULTIXACT_ID, 0)
    }
}

impl Instance {
    /// `MultiXactIdIsRunning`: does any member still run?
    #[must_use]
    pub fn multixact_id_is_running(&self, multi: MultiXactId) -> bool {
        let runs = |member: &MultiXactMember| self.transam.is_in_progress(member.xid);
        self.multixacts.members(multi).iter().any(runs)
    }

    /// `MultiXactIdSetOldestMember`: the transaction is about to lock or change a row, which may make it a member of a
    /// `MultiXact`.
    pub fn multixact_set_oldest_member(&mut self) {
        let next = self.multixacts.next;
        if let Some(xact) = &mut self.backend_mut().xact {
            xact.oldest_member.get_or_insert(next);
        }
    }

    /// `GetOldestMultiXactId`: no transaction that runs is a member of one before it.
    #[must_use]
    pub fn oldest_multixact(&self) -> MultiXactId {
        let xacts = self.backends.iter().filter_map(|backend| backend.xact.as_ref());
        xacts.filter_map(|xact| xact.oldest_member).fold(self.multixacts.next, MultiXactId::min)
    }

    /// `MultiXactIdExpand`: the members that still matter with one more; the same `MultiXact` where it is one already.
    pub fn multixact_expand(&mut self, multi: MultiXactId, new: MultiXactMember) -> MultiXactId {
        let old = self.multixacts.members(multi);
        if old.contains(&new) {
            self.remember_multixact(multi);
            return multi;
        }
        let matters = |member: &&MultiXactMember| match self.transam.status(member.xid) {
            XidStatus::InProgress => true,
            XidStatus::Committed => member.status.is_update(),
            XidStatus::Aborted => false,
        };
        let members = old.iter().filter(matters).copied().chain([new]).collect();
        self.remember_multixact(multi);
        self.multixact_create(members)
    }

    /// `MultiXactIdCreateFromMembers`: the number of this set of members, a new one unless the transaction knows one
    /// already.
    pub fn multixact_create(&mut self, mut members: Vec<MultiXactMember>) -> MultiXactId {
        members.sort_unstable();
        let known = self.backend().xact.as_ref().and_then(|xact| {
            let mut known = xact.multixacts.iter().rev();
            known.find(|multi| self.multixacts.members(**multi) == members).copied()
        });
        if let Some(known) = known {
            return known;
        }
        let (multi, offset) = self.new_multixact(members.len() as u32);
        let head = XlMultixactCreate::make(multi, offset, members.len() as i32);
        let listed = members.iter().flat_map(|member| WalMember::make(member.xid, member.status as i32));
        let listed: Vec<u8> = listed.collect();
        self.xlog_insert(Rmgr::MULTIXACT, MultiXactType::CreateId.info(), &[&head, &listed], &[]);
        self.multixacts.members.push(members);
        self.remember_multixact(multi);
        multi
    }

    /// `mXactCachePut`: the transaction has met it, and uses it again for the same members.
    fn remember_multixact(&mut self, multi: MultiXactId) {
        if let Some(xact) = &mut self.backend_mut().xact
            && !xact.multixacts.contains(&multi)
        {
            xact.multixacts.push(multi);
        }
    }

    /// `GetNewMultiXactId`: the next number and the place of its members; pages that begin there are made.
    fn new_multixact(&mut self, members: u32) -> (MultiXactId, u32) {
        let (multi, offset) = (self.multixacts.next, self.multixacts.next_offset);
        // member 0 is never used: 0 in the table of offsets means that there is none yet
        let from = offset.max(1);
        let end = from + members;
        let entry = if self.version.writes_next_multixact_offset() { multi + 1 } else { multi };
        if entry.is_multiple_of(OFFSETS_PER_PAGE) || entry == FIRST_MULTIXACT_ID {
            self.log_multixact_page(MultiXactType::ZeroOffPage, entry / OFFSETS_PER_PAGE);
        }
        for page in offset.div_ceil(MEMBERS_PER_PAGE)..end.div_ceil(MEMBERS_PER_PAGE) {
            self.log_multixact_page(MultiXactType::ZeroMemPage, page);
        }
        (self.multixacts.next, self.multixacts.next_offset) = (multi + 1, end);
        (multi, from)
    }

    /// `ZERO_OFF_PAGE` or `ZERO_MEM_PAGE`; the page's number has 64 bits from 17 on.
    fn log_multixact_page(&mut self, of: MultiXactType, page: u32) {
        let number = u64::from(page).to_le_bytes();
        let len = if self.version.has_long_slru_pages() { 8 } else { 4 };
        self.xlog_insert(Rmgr::MULTIXACT, of.info(), &[&number[..len]], &[]);
    }
}
