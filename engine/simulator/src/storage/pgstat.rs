//! The cumulative statistics of tables and indexes (src/backend/utils/activity/pgstat_relation.c).
//!
//! ```text
//!  INSERT, UPDATE, DELETE ──▶ pending, of a (sub)transaction ─┬─ COMMIT ────▶ n_live_tup, n_dead_tup, n_mod_since_analyze
//!                                                             └─ ROLLBACK ──▶ what it inserted is dead
//!  scans, HOT updates, pruning ──▶ counted at once
//! ```
//!
//! They are told as soon as a transaction ends. A server's backend reports once a second, and once it is idle.

use super::Instance;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use ffviz_format::page::Oid;

/// What has happened to a table or an index (`PgStat_StatTabEntry`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RelationStats {
    /// `seq_scan` of a table, `idx_scan` of an index
    pub scans: u64,
    /// `seq_tup_read`, `idx_tup_read`
    pub read: u64,
    /// `idx_tup_fetch`
    pub fetched: u64,
    /// `n_tup_ins`
    pub inserted: u64,
    /// `n_tup_upd`
    pub updated: u64,
    /// `n_tup_del`
    pub deleted: u64,
    /// `n_tup_hot_upd`
    pub hot_updated: u64,
    /// `n_tup_newpage_upd`
    pub newpage_updated: u64,
    /// `n_live_tup`
    pub live: i64,
    /// `n_dead_tup`
    pub dead: i64,
    /// `n_ins_since_vacuum`
    pub inserted_since_vacuum: i64,
    /// `n_mod_since_analyze`
    pub modified: i64,
    /// when the transaction of the last scan, VACUUM and ANALYZE ended; microseconds since 2000
    pub last: LastTimes,
    /// `vacuum_count`
    pub vacuums: u64,
    /// `analyze_count`
    pub analyzes: u64,
}

/// Microseconds since 2000; `None`: never.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LastTimes {
    /// `last_seq_scan`, `last_idx_scan`
    pub scan: Option<i64>,
    /// `last_vacuum`
    pub vacuum: Option<i64>,
    /// `last_analyze`
    pub analyze: Option<i64>,
}

/// What a transaction or a savepoint has done to a table (`PgStat_TableXactStatus`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pending {
    session: usize,
    /// how many savepoints it is within
    depth: usize,
    table: Oid,
    /// did TRUNCATE empty the table before?
    truncated: bool,
    inserted: u64,
    updated: u64,
    deleted: u64,
}

/// All of them.
#[derive(Debug, Clone, Default)]
pub struct Statistics {
    relations: BTreeMap<Oid, RelationStats>,
    /// of transactions under way, in the order in which they came
    pending: Vec<Pending>,
    /// scanned since a transaction ended last
    scanned: Vec<Oid>,
}

impl Statistics {
    /// Of a relation: nothing, until something happens to it.
    #[must_use]
    pub fn of(&self, relation: Oid) -> RelationStats {
        self.relations.get(&relation).copied().unwrap_or_default()
    }

    /// Of all relations that something has happened to.
    pub fn all(&self) -> impl Iterator<Item = (Oid, &RelationStats)> {
        self.relations.iter().map(|(oid, stats)| (*oid, stats))
    }

    /// To change what is counted at once.
    pub fn of_mut(&mut self, relation: Oid) -> &mut RelationStats {
        self.relations.entry(relation).or_default()
    }

    /// `pg_stat_reset_single_table_counters`; of all relations: `pg_stat_reset`
    pub fn reset(&mut self, relation: Option<Oid>) {
        match relation {
            Some(relation) => drop(self.relations.remove(&relation)),
            None => self.relations.clear(),
        }
    }

    /// A savepoint was released: what it did is its parent's.
    pub fn join(&mut self, session: usize, depth: usize) {
        self.of_session(session).for_each(|pending| pending.depth = pending.depth.min(depth));
    }

    fn of_session(&mut self, session: usize) -> impl Iterator<Item = &mut Pending> {
        self.pending.iter_mut().filter(move |pending| pending.session == session)
    }

    /// `AtEOXact_PgStat`, `AtEOSubXact_PgStat`: a session's levels from that depth on end.
    pub fn end(&mut self, session: usize, depth: usize, commits: bool, now: i64) {
        for relation in core::mem::take(&mut self.scanned) {
            self.of_mut(relation).last.scan = Some(now);
        }
        let is_ended = |pending: &Pending| pending.session == session && pending.depth >= depth;
        if !self.pending.iter().any(is_ended) {
            return;
        }
        let (ended, kept): (Vec<_>, _) = self.pending.drain(..).partition(is_ended);
        self.pending = kept;
        for done in ended {
            let stats = self.relations.entry(done.table).or_default();
            if done.truncated && commits {
                (stats.live, stats.dead, stats.inserted_since_vacuum) = (0, 0, 0);
            }
            stats.inserted += done.inserted;
            stats.updated += done.updated;
            stats.deleted += done.deleted;
            let [inserted, updated, deleted] =
                [done.inserted, done.updated, done.deleted].map(|rows| i64::try_from(rows).unwrap_or(i64::MAX));
            stats.inserted_since_vacuum += inserted;
            if commits {
                stats.live += inserted - deleted;
                stats.dead += updated + deleted;
                stats.modified += inserted + updated + deleted;
            } else {
                stats.dead += inserted + updated;
            }
            (stats.live, stats.dead) = (stats.live.max(0), stats.dead.max(0));
        }
    }

    /// How much is pending, for [`Self::forget_since`].
    #[must_use]
    pub fn mark(&self) -> usize {
        self.pending.len()
    }

    /// A table was written anew: its rows are no new ones.
    pub fn forget_since(&mut self, mark: usize) {
        self.pending.truncate(mark);
    }
}

impl Instance {
    /// What the innermost level of the running session has done to a table.
    #[inline]
    fn pending(&mut self, table: Oid) -> &mut Pending {
        let (session, depth) = (self.me, self.backend().xact.as_ref().map_or(0, |xact| xact.levels.len() - 1));
        let all = &mut self.stats.pending;
        let is_it = |pending: &Pending| pending.table == table && pending.session == session && pending.depth == depth;
        let at = all.iter().rposition(is_it).unwrap_or_else(|| {
            all.push(Pending { session, depth, table, truncated: false, inserted: 0, updated: 0, deleted: 0 });
            all.len() - 1
        });
        &mut all[at]
    }

    /// `pgstat_count_heap_insert`
    #[inline]
    pub fn count_inserted(&mut self, table: Oid, rows: usize) {
        self.pending(table).inserted += rows as u64;
    }

    /// `pgstat_count_heap_update`
    #[inline]
    pub fn count_updated(&mut self, table: Oid, hot: bool, newpage: bool) {
        self.pending(table).updated += 1;
        if hot || newpage {
            let stats = self.stats.of_mut(table);
            stats.hot_updated += u64::from(hot);
            stats.newpage_updated += u64::from(newpage);
        }
    }

    /// `pgstat_count_heap_delete`
    #[inline]
    pub fn count_deleted(&mut self, table: Oid) {
        self.pending(table).deleted += 1;
    }

    /// `pgstat_count_heap_scan`, `pgstat_count_index_scan`
    #[inline]
    pub fn count_scans(&mut self, relation: Oid, scans: u64) {
        if scans == 0 {
            return;
        }
        self.stats.of_mut(relation).scans += scans;
        if self.stats.scanned.last() != Some(&relation) {
            self.stats.scanned.push(relation);
        }
    }

    /// `pgstat_count_truncate`
    pub fn count_truncate(&mut self, table: Oid) {
        let depth = self.backend().xact.as_ref().map_or(0, |xact| xact.levels.len() - 1);
        let new = Pending { session: self.me, depth, table, truncated: true, inserted: 0, updated: 0, deleted: 0 };
        self.stats.pending.push(new);
    }

    /// `pgstat_report_vacuum`
    pub fn report_vacuum(&mut self, table: Oid, (live, dead): (i64, i64), now: i64) {
        let stats = self.stats.of_mut(table);
        (stats.live, stats.dead, stats.inserted_since_vacuum) = (live, dead, 0);
        stats.last.vacuum = Some(now);
        stats.vacuums += 1;
    }

    /// `pgstat_report_analyze`. What the transaction itself has done is added when it ends. `is_whole`: of all columns
    pub fn report_analyze(&mut self, table: Oid, (live, dead): (i64, i64), is_whole: bool, now: i64) {
        let me = self.me;
        let (mut live, mut dead) = (live, dead);
        for pending in self.stats.of_session(me).filter(|pending| pending.table == table) {
            live -= pending.inserted as i64 - pending.deleted as i64;
            dead -= pending.updated as i64 + pending.deleted as i64;
        }
        let stats = self.stats.of_mut(table);
        (stats.live, stats.dead) = (live.max(0), dead.max(0));
        if is_whole {
            stats.modified = 0;
        }
        stats.last.analyze = Some(now);
        stats.analyzes += 1;
    }
}
