//! TRUNCATE: a new file for the table, its TOAST table and all indexes (`ExecuteTruncateGuts`,
//! `RelationSetNewRelfilenumber`).

use crate::access::heap::vacuum::relation_truncate;
use crate::access::transam::{WalLevel, XLH_TRUNCATE_CASCADE, XLH_TRUNCATE_RESTART_SEQS, log_heap_truncate};
use crate::cluster::Cluster;
use crate::cluster::pg_class::ClassStats;
use crate::storage::{Persistence, RelationData};
use crate::version::Behaviour;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::{Oid, TransactionId};

impl Cluster {
    /// TRUNCATE of a table.
    ///
    /// # Errors
    /// Where a SERIALIZABLE transaction has to fail for it.
    pub fn truncate(&mut self, table: Oid) -> Result<(), SqlError> {
        self.pg.current_xid();
        let relation = self.pg.relation(table)?;
        self.pg.count_truncate(table);
        if self.is_made_here(&relation) {
            self.heap_truncate_one_rel(&relation);
            return Ok(());
        }
        self.pg.check_table_for_serializable_conflict_in(&relation)?;
        self.set_new_file(table);
        if let Some(toast) = relation.toast {
            self.set_new_file(toast);
        }
        for index in self.indexes_to_rebuild(table) {
            self.set_new_file(index);
            self.build_empty(index);
            // what is not checked to be unique is not known to be whole (`skipped_constraint`)
            let form = self.pg.relations.get(&index).and_then(|index| index.index.as_ref());
            if form.is_some_and(|form| !form.unique) {
                self.note_broken_chains(index, false, true);
            }
        }
        Ok(())
    }

    /// What logical decoding is told of a TRUNCATE: the tables whose changes are logged, and what was said with it.
    pub fn log_truncate(&mut self, tables: &[Oid], cascade: bool, restart: bool) {
        let is_logged = |oid: &Oid| self.pg.relations.get(oid).is_some_and(|relation| relation.permanent);
        let logged: Vec<Oid> = tables.iter().copied().filter(is_logged).collect();
        if self.pg.wal.settings.level >= WalLevel::Logical && !logged.is_empty() {
            let db = self.database;
            let flags =
                if cascade { XLH_TRUNCATE_CASCADE } else { 0 } | if restart { XLH_TRUNCATE_RESTART_SEQS } else { 0 };
            self.pg.log_about_no_page(|wal, backend| log_heap_truncate(wal, backend, db, &logged, flags));
        }
    }

    /// Did the innermost (sub)transaction make the file (`rd_createSubid`, `rd_newRelfilelocatorSubid`)? Then an abort
    /// takes it away, whatever is in it.
    #[must_use]
    pub fn is_made_here(&self, relation: &RelationData) -> bool {
        let level = self.pg.backend().xact.as_ref().and_then(|xact| xact.levels.last());
        let is_own =
            |xid: &TransactionId| level.is_some_and(|level| level.xid == Some(*xid) || level.children.contains(xid));
        relation.created_by.as_ref().is_some_and(is_own)
    }

    /// `heap_truncate_one_rel`: the files are emptied, and indexes built anew, of the table and then of its TOAST
    /// table.
    pub(in crate::cluster) fn heap_truncate_one_rel(&mut self, table: &RelationData) {
        let toast = table.toast.and_then(|toast| self.pg.relations.get(&toast).cloned());
        for rel in core::iter::once(table).chain(toast.as_deref()) {
            relation_truncate(&mut self.pg, rel, 0);
            for index in &rel.indexes {
                if let Some(data) = self.pg.relations.get(index).cloned() {
                    relation_truncate(&mut self.pg, &data, 0);
                    self.build_empty(*index);
                    self.use_commands(1);
                }
            }
        }
    }

    /// The indexes of a table and of its TOAST table, in the order of `reindex_relation`: from 17 on the TOAST table's
    /// comes first.
    #[must_use]
    pub fn indexes_to_rebuild(&self, table: Oid) -> Vec<Oid> {
        let of = |oid: Oid| self.pg.relations.get(&oid).map_or_else(Vec::new, |relation| relation.indexes.clone());
        let toast = self.pg.relations.get(&table).and_then(|relation| relation.toast);
        let (own, toast) = (of(table), toast.map_or_else(Vec::new, of));
        if self.version().reindexes_toast_first() { [toast, own].concat() } else { [own, toast].concat() }
    }

    /// `RelationSetNewRelfilenumber`, of an index with what `reindex_index` does before: the old file goes.
    pub fn set_new_file(&mut self, oid: Oid) {
        let Some(relation) = self.pg.relations.get(&oid).cloned() else { return };
        if relation.index.is_some() {
            self.pg.transfer_predicate_locks_to_heap_relation(&relation);
        }
        self.give_new_file(oid);
        self.drop_file(relation.file);
    }

    /// The relation has a new file. Gives its number.
    pub(super) fn give_new_file(&mut self, oid: Oid) -> Oid {
        // an index is what its table is by now
        let table = |relation: &RelationData| relation.index.as_ref().map_or(oid, |form| form.table);
        let table = self.pg.relations.get(&oid).map(|relation| table(relation));
        let file = table.and_then(|table| self.pg.relations.get(&table)).map(|relation| relation.file);
        let persistence = file.map_or_else(Persistence::default, |file| self.pg.buffers.persistence(file));
        self.give_new_file_as(oid, persistence)
    }

    /// The same of another persistence.
    pub(in crate::cluster) fn give_new_file_as(&mut self, oid: Oid, persistence: Persistence) -> Oid {
        let filenode = self.pg.new_object_id();
        let Some(relation) = self.pg.relations.get(&oid).cloned() else { return filenode };
        let file = self.create_file(oid, filenode, persistence);
        if relation.index.is_none() {
            self.create_init_fork(file);
        }
        let xid = self.pg.current_xid();
        let permanent = self.pg.buffers.is_permanent(file);
        self.edit_relation(oid, |relation| {
            (relation.file, relation.created_by, relation.permanent) = (file, Some(xid), permanent);
        });
        let stats = self.new_stats();
        self.update_class_row(oid);
        self.edit_class(oid, |class| {
            class.filenode = filenode;
            let ClassStats { has_index, has_triggers, .. } = class.stats;
            class.stats = ClassStats { has_index, has_triggers, ..stats };
        });
        self.use_commands(if relation.index.is_some() { 2 } else { 1 });
        filenode
    }

    /// What `pg_class` says of a file that is new (`heap_create_with_catalog`, `heapam_relation_set_new_filelocator`):
    /// nobody has counted its rows, and nothing in it is older than the oldest transaction of the last snapshot.
    pub(super) fn new_stats(&self) -> ClassStats {
        let reltuples = if self.version().counts_from_unknown() { -1.0 } else { 0.0 };
        let relfrozenxid = self.pg.backend().global_vis.recent_xmin;
        let relminmxid = self.pg.oldest_multixact();
        ClassStats { reltuples, relfrozenxid, relminmxid, ..ClassStats::default() }
    }
}
