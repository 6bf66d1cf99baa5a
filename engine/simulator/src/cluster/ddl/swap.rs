//! VACUUM FULL: the table has a new file, its TOAST table too, which keeps its name and number (`rebuild_relation`,
//! `swap_relation_files`, src/backend/commands/cluster.c).
//!
//! ```text
//!  before           table 16384 ▶ file 16384      TOAST table 16387 ▶ file 16387
//!  while it runs    table 16384 ▶ file 16400      TOAST table 16403 ▶ file 16403, and 16387 ▶ file 16387, which is read
//!  then             table 16384 ▶ file 16400      TOAST table 16387 ▶ file 16403, and 16403 ▶ file 16387, which goes
//! ```

use crate::access::heap::freeze::VacuumCutoffs;
use crate::cluster::Cluster;
use crate::cluster::pg_class::ClassStats;
use crate::storage::RelationData;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::TupleDesc;
use ffviz_format::page::{ForkNumber, Oid};

impl Cluster {
    /// `finish_heap_swap` before indexes are built anew; `rows`: how many were copied. Gives the TOAST table that goes.
    pub fn swap_by_content(&mut self, old: &RelationData, rows: u64, cutoffs: VacuumCutoffs) -> Option<Oid> {
        let (relfrozenxid, relminmxid) = (cutoffs.freeze_limit, cutoffs.multi_cutoff);
        let table = old.oid;
        let relpages =
            self.pg.relations.get(&table).map_or(0, |new| self.pg.buffers.nblocks(new.file, ForkNumber::Main));
        self.update_class_row(table);
        self.edit_class(table, |class| {
            class.stats = ClassStats { relpages, reltuples: rows as f32, relfrozenxid, relminmxid, ..class.stats };
        });
        self.clear_missing(table);
        let new_toast = self.pg.relations.get(&table).and_then(|new| new.toast);
        if let (Some(toast), Some(new)) = (old.toast, new_toast) {
            self.swap_files(toast, new);
            self.edit_class(toast, |class| class.stats = ClassStats { relfrozenxid, relminmxid, ..class.stats });
            let indexes = |oid: Oid| self.pg.relations.get(&oid).map_or_else(Vec::new, |toast| toast.indexes.clone());
            let pairs: Vec<(Oid, Oid)> = indexes(toast).into_iter().zip(indexes(new)).collect();
            pairs.into_iter().for_each(|(index, new)| self.swap_files(index, new));
            self.edit_relation(table, |relation| relation.toast = Some(toast));
        }
        self.use_commands(3);
        new_toast
    }

    /// `RelationClearMissing`: values of columns that came later stand in the rows now.
    pub(super) fn clear_missing(&mut self, table: Oid) {
        self.edit_relation(table, |relation| {
            let mut columns = relation.desc.attributes().to_vec();
            columns.iter_mut().for_each(|column| column.missing = None);
            relation.desc = Arc::new(TupleDesc::new(columns));
        });
    }

    /// `swap_relation_files`: two relations exchange their files, and what is known of these.
    fn swap_files(&mut self, a: Oid, b: Oid) {
        let file = |oid: Oid| self.pg.relations.get(&oid).map(|relation| (relation.file, relation.created_by));
        let class = |oid: Oid| self.catalog.class(oid).map(|class| (class.filenode, class.stats));
        let (Some(files), Some(classes)) = (file(a).zip(file(b)), class(a).zip(class(b))) else { return };
        for (oid, (file, created_by), (filenode, stats)) in [(a, files.1, classes.1), (b, files.0, classes.0)] {
            self.update_class_row(oid);
            self.edit_relation(oid, |relation| (relation.file, relation.created_by) = (file, created_by));
            self.edit_class(oid, |class| {
                let ClassStats { has_index, has_triggers, .. } = class.stats;
                class.filenode = filenode;
                class.stats = ClassStats { has_index, has_triggers, ..stats };
            });
            self.owners.insert(file, oid);
        }
    }

    /// `finish_heap_swap` after it: the transient table goes, with the old file and the old one of the TOAST table. A
    /// TOAST table that is not needed any more goes too.
    pub fn end_swap(&mut self, old: &RelationData, transient_toast: Option<Oid>) {
        let Some(toast) = transient_toast else { return self.end_rewrite(old) };
        self.drop_relation(toast);
        self.end_rewrite(&RelationData { toast: None, ..old.clone() });
    }
}
