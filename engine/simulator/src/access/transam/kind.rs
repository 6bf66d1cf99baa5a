//! How much WAL there is of each kind of record, as `pg_waldump --stats=record` counts it
//! (src/bin/pg_waldump/pg_waldump.c).

use alloc::vec;
use alloc::vec::Vec;
use ffviz_format::wal::Rmgr;
use ffviz_story::timeline::WalUsage;

/// What a record is of: its resource manager, and `xl_info`, of which the upper half says which operation it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordKind(pub Rmgr, pub u8);

/// Resource managers that the server itself has.
const RMGRS: usize = 22;
/// Operations that a resource manager can have.
const OPERATIONS: usize = 16;

impl RecordKind {
    const fn index(self) -> usize {
        let Self(Rmgr(rmgr), info) = self;
        rmgr as usize * OPERATIONS + (info >> 4) as usize
    }
}

/// A counter for each kind.
#[derive(Debug, Clone)]
pub(super) struct UsageByKind(Vec<WalUsage>);

impl Default for UsageByKind {
    fn default() -> Self {
        Self(vec![WalUsage::default(); RMGRS * OPERATIONS])
    }
}

impl UsageByKind {
    /// One record more.
    #[inline]
    pub fn count(&mut self, kind: RecordKind, tot_len: u32, images: u32) {
        if let Some(usage) = self.0.get_mut(kind.index()) {
            usage.count(tot_len, images);
        }
    }

    /// The kinds that there was a record of.
    pub fn all(&self) -> impl Iterator<Item = (RecordKind, WalUsage)> {
        let kind = |n: usize| RecordKind(Rmgr((n / OPERATIONS) as u8), ((n % OPERATIONS) << 4) as u8);
        self.0.iter().enumerate().filter(|(_, usage)| usage.records > 0).map(move |(n, usage)| (kind(n), *usage))
    }
}
