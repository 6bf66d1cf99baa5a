//! Statistics of relations and functions go with the transaction that drops them, or did not make it after all, and its
//! record says so from 15 on
//! (`pgstat_get_transactional_drops`, src/backend/utils/activity/pgstat_xact.c). The statistics themselves are not kept
//! here.

use super::Cluster;
use crate::access::transam::DroppedStats;
use alloc::vec::Vec;
use ffviz_format::page::Oid;

/// `PGSTAT_KIND_RELATION`
const KIND_RELATION: i32 = 2;
/// `PGSTAT_KIND_FUNCTION`
const KIND_FUNCTION: i32 = 3;

/// A relation or a function that came or went (`PgStat_PendingDroppedStatsItem`).
#[derive(Debug, Clone, Copy)]
pub(super) struct PendingStats {
    kind: i32,
    object: Oid,
    is_create: bool,
    /// depth of the (sub)transaction
    pub depth: usize,
}

impl Cluster {
    /// `pgstat_create_relation`: an abort drops them.
    pub(super) fn create_stats(&mut self, relation: Oid) {
        self.pend_stats(KIND_RELATION, relation, true);
    }

    /// `pgstat_drop_relation`: a commit drops them.
    pub(super) fn drop_stats(&mut self, relation: Oid) {
        self.pend_stats(KIND_RELATION, relation, false);
    }

    /// `pgstat_create_function`, `pgstat_drop_function`
    pub(super) fn function_stats(&mut self, function: Oid, is_create: bool) {
        self.pend_stats(KIND_FUNCTION, function, is_create);
    }

    fn pend_stats(&mut self, kind: i32, object: Oid, is_create: bool) {
        let depth = self.depth();
        self.session().stats.push(PendingStats { kind, object, is_create, depth });
    }

    /// What the end of the levels from `depth` on drops, in the order in which it came.
    pub(super) fn take_dropped_stats(&mut self, is_commit: bool, depth: usize) -> Vec<DroppedStats> {
        let session = self.session();
        if session.stats.is_empty() {
            return Vec::new();
        }
        let (ended, kept): (Vec<PendingStats>, _) =
            core::mem::take(&mut session.stats).into_iter().partition(|pending| pending.depth >= depth);
        session.stats = kept;
        if !self.version().drops_stats_by_transaction() {
            return Vec::new();
        }
        let db = self.database;
        let dropped = ended.into_iter().filter(|pending| pending.is_create != is_commit);
        dropped.map(|pending| DroppedStats { kind: pending.kind, db, object: pending.object.into() }).collect()
    }
}
