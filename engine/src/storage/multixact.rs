//! Multixacts: several transactions in one `t_xmax` (src/backend/access/transam/multixact.c).
//!
//! ```text
//!  t_xmax = 7 ─▶ members of 7: 812 for key share, 815 no key update      at most one of them changed the row
//! ```

use super::Instance;
use crate::page::TransactionId;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// `MultiXactStatus`: what a member does to the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MultiXactStatus {
    /// locks it FOR KEY SHARE
    ForKeyShare,
    /// locks it FOR SHARE
    ForShare,
    /// locks it FOR NO KEY UPDATE
    ForNoKeyUpdate,
    /// locks it FOR UPDATE
    ForUpdate,
    /// updates it, but no key column
    NoKeyUpdate,
    /// deletes it, or updates a key column
    Update,
}

impl MultiXactStatus {
    /// `ISUPDATE_from_mxstatus`: does it change the row?
    #[must_use]
    pub const fn is_update(self) -> bool {
        matches!(self, Self::NoKeyUpdate | Self::Update)
    }
}

/// A member of a multixact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MultiXactMember {
    /// who
    pub xid: TransactionId,
    /// what it does
    pub status: MultiXactStatus,
}

/// The multixacts of a server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MultiXacts {
    members: BTreeMap<TransactionId, Vec<MultiXactMember>>,
}

impl MultiXacts {
    /// `GetMultiXactIdMembers`
    #[must_use]
    pub fn members(&self, multi: TransactionId) -> &[MultiXactMember] {
        self.members.get(&multi).map_or(&[], Vec::as_slice)
    }

    /// The member that updated or deleted the row (`MultiXactIdGetUpdateXid`, heapam.c).
    #[must_use]
    pub fn update_xid(&self, multi: TransactionId) -> Option<TransactionId> {
        self.members(multi).iter().find(|member| member.status.is_update()).map(|member| member.xid)
    }

    /// A multixact of that number has these members.
    pub fn record(&mut self, multi: TransactionId, members: Vec<MultiXactMember>) {
        self.members.insert(multi, members);
    }
}

impl Instance {
    /// `MultiXactIdIsRunning`: does a member still run?
    #[must_use]
    pub fn multixact_id_is_running(&self, multi: TransactionId) -> bool {
        self.multixacts.members(multi).iter().any(|member| self.transam.is_in_progress(member.xid))
    }
}
