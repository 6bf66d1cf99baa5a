//! Keeping the relation cache in step with the catalog (src/backend/utils/cache/relcache.c), and taking changes back
//! when they abort.

use super::catalog_rows::CatalogRow;
use super::pg_class::{ClassStats, ColumnStats};
use super::{Class, Cluster, Lookup};
use crate::access::heap::has_replica_identity;
use crate::storage::{IndexedColumn, LockMode, RelationData, RelationLock};
use crate::version::Behaviour;
use alloc::collections::BTreeMap;
use alloc::collections::btree_map::Entry;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// `NamespaceRelationId`, the OID of pg_namespace
const NAMESPACE_RELATION: Oid = 2615;

/// What a session knows of a relation that it has opened (`RelationData`).
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    /// `rd_rel`
    stats: ClassStats,
}

impl Cluster {
    /// A relation is there from now on; it is locked until its transaction ends.
    pub(super) fn add(&mut self, class: Class, relation: RelationData) {
        self.pg.tell_of_lock();
        self.lock_new(&class);
        self.create_stats(class.oid);
        if class.kind != RelKind::Index && class.kind != RelKind::Toast {
            self.own(class.oid);
        }
        self.remember(class.oid, true);
        self.write_row(CatalogRow::Class(class.oid));
        self.pg.relations.insert(class.oid, Arc::new(relation));
        self.catalog.put(class.oid, Some(Arc::new(class)));
    }

    /// What locks a relation that is made: itself, the table of an index, and the schema of any other.
    fn lock_new(&mut self, class: &Class) {
        let (me, depth) = (self.pg.me, self.depth());
        self.pg.locks.acquire(me, depth, RelationLock { relation: class.oid, mode: LockMode::AccessExclusive });
        match (class.kind, class.table) {
            // `index_create`
            (RelKind::Index, Some(relation)) => {
                self.pg.locks.acquire(me, depth, RelationLock { relation, mode: LockMode::Share });
            }
            (RelKind::Toast | RelKind::Index | RelKind::PartitionedIndex, _) => {}
            _ => self.lock_schema(&class.schema),
        }
    }

    /// `RangeVarGetAndCheckCreationNamespace`: a schema in which something is made.
    pub(super) fn lock_schema(&mut self, schema: &str) {
        let (me, depth) = (self.pg.me, self.depth());
        let oid = self.catalog.schemas().find(|(name, _)| schema == *name).map(|(_, oid)| oid);
        oid.into_iter().for_each(|oid| self.pg.locks.acquire_object(me, depth, (NAMESPACE_RELATION, oid)));
    }

    /// A relation is gone.
    pub(super) fn remove(&mut self, oid: Oid) {
        self.remember(oid, true);
        self.drop_stats(oid);
        self.pg.relations.remove(&oid);
        self.catalog.put(oid, None);
    }

    /// What is known of a relation from now on; `None`: it is not there.
    pub(super) fn put(&mut self, oid: Oid, class: Option<Arc<Class>>, relation: Option<Arc<RelationData>>) {
        self.catalog.put(oid, class);
        match relation {
            Some(relation) => self.pg.relations.insert(oid, relation),
            None => self.pg.relations.remove(&oid),
        };
    }

    /// Changes what the catalog says of a relation.
    pub fn edit_class(&mut self, oid: Oid, change: impl FnOnce(&mut Class)) {
        self.change_class(oid, true, change);
    }

    fn change_class(&mut self, oid: Oid, invalidates: bool, change: impl FnOnce(&mut Class)) {
        let Some(class) = self.catalog.class(oid).cloned() else { return };
        self.remember(oid, invalidates);
        let mut class = Arc::unwrap_or_clone(class);
        change(&mut class);
        self.catalog.put(oid, Some(Arc::new(class)));
    }

    /// Changes a relation in the cache.
    pub fn edit_relation(&mut self, oid: Oid, change: impl FnOnce(&mut RelationData)) {
        let Some(relation) = self.pg.relations.get(&oid).cloned() else { return };
        self.remember(oid, true);
        let mut relation = Arc::unwrap_or_clone(relation);
        change(&mut relation);
        self.pg.relations.insert(oid, Arc::new(relation));
    }

    /// The session opens a relation ([`Instance::open_relation`](crate::storage::Instance::open_relation)), and knows
    /// of it what is so now.
    pub(super) fn know(&mut self, oid: Oid) {
        let Some(stats) = self.catalog.class(oid).map(|class| class.stats) else { return };
        if let Entry::Vacant(unknown) = self.session().known.entry(oid) {
            unknown.insert(Known { stats });
            if self.pg.backend_mut().opened.insert(oid) {
                self.pg.read_catalog();
            }
        }
    }

    /// A session forgets what it knows of a relation.
    pub(super) fn forget(&mut self, session: usize, oid: Oid) {
        if let Some(backend) = self.pg.backends.get_mut(session) {
            backend.opened.remove(&oid);
            backend.roots.remove(&oid);
        }
        if let Some(session) = self.sessions.get_mut(session) {
            session.known.remove(&oid);
            session.looked_up.retain(|lookup| lookup.of_relation() != Some(oid));
        }
    }

    /// `CheckCmdReplicaIdentity`: the first UPDATE or DELETE of a table since it was opened reads which publications
    /// the table belongs to.
    pub fn check_replica_identity(&mut self, table: &RelationData) {
        let is_asked = self.version().looks_up_all_publications() || !has_replica_identity(&self.pg, table);
        if !is_asked || !self.pg.buffers.is_permanent(table.file) {
            return;
        }
        self.look_up([Lookup::Publications(table.oid)]);
    }

    /// `rd_rel`: what `pg_class` says of a relation, as far as the running session has heard.
    #[must_use]
    pub fn known_stats(&self, oid: Oid) -> ClassStats {
        let known = self.sessions.get(self.pg.me).and_then(|session| session.known.get(&oid));
        let current = || self.catalog.class(oid).map(|class| class.stats).unwrap_or_default();
        known.map_or_else(current, |known| known.stats)
    }

    /// Statistics are changed in place, so that no abort takes them back (`heap_inplace_update`), but one that takes
    /// the row itself back. Sessions hear of it as of any other change, from 14 on at once too.
    pub fn set_stats(&mut self, oid: Oid, stats: ClassStats) {
        let Some(class) = self.catalog.class(oid).cloned() else { return };
        if class.stats == stats {
            return;
        }
        self.remember(oid, true);
        if self.version().tells_changes_in_place() {
            self.tell_of_change(oid);
        }
        let row_version = class.row_version;
        self.catalog.put(oid, Some(Arc::new(Class { stats, ..Arc::unwrap_or_clone(class) })));
        let is_same_row = |class: &&mut Arc<Class>| class.oid == oid && class.row_version == row_version;
        for class in self.session().undo.iter_mut().filter_map(|undo| undo.class.as_mut()).filter(is_same_row) {
            Arc::make_mut(class).stats = stats;
        }
    }

    /// All sessions hear that a relation has changed: they forget what they know of it, and its target block.
    pub(super) fn tell_of_change(&mut self, oid: Oid) {
        for session in 0..self.pg.backends.len() {
            self.forget(session, oid);
            self.pg.backends[session].catalog_snapshot = false;
        }
        if let Some(file) = self.pg.relations.get(&oid).map(|relation| relation.file) {
            self.pg.forget_target_block(file);
        }
    }

    /// `update_attstats`: what ANALYZE found out of columns, beside what is known of others. An abort takes it back.
    pub fn set_column_stats(&mut self, oid: Oid, found: BTreeMap<u16, Arc<ColumnStats>>) {
        if found.is_empty() {
            return;
        }
        self.pg.current_xid();
        self.change_class(oid, false, |class| class.column_stats.extend(found));
        self.forget_statistics(oid);
        self.write_row(CatalogRow::Statistics(oid));
        if let Some(xact) = &mut self.pg.backend_mut().xact {
            xact.command_id_used = true;
        }
    }

    /// The table's indexes are others now.
    pub(super) fn set_index_columns(&mut self, table: Oid) {
        let columns = self.columns_of_indexes(table);
        self.edit_relation(table, |relation| columns.set(relation));
    }

    /// `RelationGetIndexAttrBitmap`: which columns decide about HOT and about the strength of row locks, by the table's
    /// indexes.
    pub(super) fn columns_of_indexes(&self, table: Oid) -> IndexColumns {
        let mut columns = IndexColumns::default();
        let tells_apart = self.version().hot_ignores_summarizing();
        for class in self.catalog.indexes(table) {
            columns.indexes.push(class.oid);
            let Some(form) = self.pg.relations.get(&class.oid).and_then(|relation| relation.index.as_ref()) else {
                continue;
            };
            let is_apart = form.summarizing && tells_apart;
            for attnum in &class.depends {
                let column = columns.column(*attnum);
                (column.summarized, column.hot_blocking) =
                    (column.summarized | is_apart, column.hot_blocking | !is_apart);
            }
            if form.unique && !form.partial && !class.has_expressions {
                form.columns.iter().take(form.n_keys.into()).for_each(|key| columns.column(key.attnum).key = true);
            }
        }
        columns
    }
}

/// What a table's indexes say of its columns.
#[derive(Debug, Default)]
pub(super) struct IndexColumns {
    indexes: Vec<Oid>,
    /// by `attnum`
    indexed: BTreeMap<u16, IndexedColumn>,
}

impl IndexColumns {
    fn column(&mut self, attnum: u16) -> &mut IndexedColumn {
        self.indexed.entry(attnum).or_insert(IndexedColumn { attnum, ..IndexedColumn::default() })
    }

    /// They are the table's.
    pub fn set(self, relation: &mut RelationData) {
        relation.indexes = self.indexes;
        relation.indexed = self.indexed.into_values().collect();
    }
}
