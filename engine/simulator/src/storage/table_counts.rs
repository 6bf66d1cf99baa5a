//! What has happened to tables since VACUUM and ANALYZE, by which autovacuum decides
//! (src/backend/utils/activity/pgstat_relation.c).
//!
//! Nobody counts where nobody asks. Transactions are taken to commit: what one that is rolled back has deleted counts
//! as dead.

use super::Instance;
use ffviz_format::page::Oid;

/// The counters of a table (`PgStat_StatTabEntry`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TableCounts {
    /// `n_dead_tup`
    pub dead: i64,
    /// `n_ins_since_vacuum`
    pub inserted: i64,
    /// `n_mod_since_analyze`
    pub modified: i64,
}

impl Instance {
    /// Changes a table's counters, where somebody wants them.
    #[inline]
    pub fn count_table(&mut self, table: Oid, change: impl FnOnce(&mut TableCounts)) {
        if let Some(all) = &mut self.table_counts {
            change(all.entry(table).or_default());
        }
    }

    /// So many rows came.
    #[inline]
    pub fn count_inserted(&mut self, table: Oid, rows: usize) {
        self.count_table(table, |counts| {
            counts.inserted += rows as i64;
            counts.modified += rows as i64;
        });
    }

    /// An old version of a row stays, by an UPDATE or a DELETE.
    #[inline]
    pub fn count_replaced(&mut self, table: Oid) {
        self.count_table(table, |counts| {
            counts.dead += 1;
            counts.modified += 1;
        });
    }

    /// `pgstat_report_vacuum`
    pub fn report_vacuum(&mut self, table: Oid) {
        self.count_table(table, |counts| (counts.dead, counts.inserted) = (0, 0));
    }

    /// `pgstat_report_analyze`
    pub fn report_analyze(&mut self, table: Oid) {
        self.count_table(table, |counts| counts.modified = 0);
    }
}
