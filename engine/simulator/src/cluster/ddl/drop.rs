//! DROP: the relation with all that hangs on it leaves the catalog at once, its files go at the commit
//! (`heap_drop_with_catalog`).

use super::alter::commands_to_drop;
use crate::cluster::{Class, Cluster};
use crate::storage::Deferrable;
use crate::version::Behaviour;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

impl Cluster {
    /// What SERIALIZABLE transactions have read of a relation that is about to go: of an index it counts as read of the
    /// table, all of whose rows go with it (`index_drop`, `heap_drop_with_catalog`).
    ///
    /// # Errors
    /// Where such a transaction has to fail for it.
    pub fn check_serializable_drop(&mut self, oid: Oid) -> Result<(), SqlError> {
        self.pg.current_xid();
        let relation = self.pg.relation(oid)?;
        for index in &relation.indexes {
            let index = self.pg.relation(*index)?;
            self.pg.transfer_predicate_locks_to_heap_relation(&index);
        }
        if relation.index.is_none() {
            return self.pg.check_table_for_serializable_conflict_in(&relation);
        }
        self.pg.transfer_predicate_locks_to_heap_relation(&relation);
        Ok(())
    }

    /// DROP TABLE, with its indexes, TOAST table and the sequences of its columns; or DROP INDEX.
    pub fn drop_relation(&mut self, oid: Oid) {
        self.pg.current_xid();
        let Some(class) = self.catalog.class(oid).cloned() else { return };
        self.use_commands(self.commands_to_drop(&class));
        let is_part = |other: &&Arc<Class>| {
            other.table == Some(oid) || other.partitioning.parent == Some(oid) || other.inherits_from(oid)
        };
        let hangs_on: Vec<Oid> = self.catalog.classes().filter(is_part).map(|other| other.oid).collect();
        // the newest first (`object_address_comparator`)
        for other in hangs_on.into_iter().rev() {
            self.drop_relation(other);
        }
        let file = self.pg.relations.get(&oid).map(|relation| relation.file);
        if let Some(file) = file.filter(|file| self.pg.buffers.has_file(*file)) {
            self.drop_file(file);
        }
        self.remove(oid);
        self.change_triggers(&class.constraints);
        if let Some(parent) = class.partitioning.parent {
            // its relation cache entry has a list of partitions
            self.edit_relation(parent, |_| {});
        }
        if class.kind == RelKind::Index
            && let Some(table) = class.table.filter(|table| self.catalog.class(*table).is_some())
        {
            self.set_index_columns(table);
        }
    }

    /// Each object that goes is a command: the relation, its row type and array type, defaults, constraints.
    fn commands_to_drop(&self, class: &Class) -> u32 {
        let version = self.version();
        let without_array = 1 + u32::from(version.has_toast_row_types());
        match class.kind {
            RelKind::Index | RelKind::PartitionedIndex => {
                let form = self.pg.relations.get(&class.oid).and_then(|index| index.index.as_ref());
                // the trigger of a deferrable key
                1 + u32::from(form.is_some_and(|form| form.deferrable != Deferrable::No))
            }
            RelKind::Toast | RelKind::Sequence => without_array,
            _ => {
                let defaults = class.defaults.iter().filter(|default| default.has_row()).count();
                let constraints: u32 = class.constraints.iter().map(commands_to_drop).sum();
                3 + constraints + (defaults + class.statistics_objects.len()) as u32
            }
        }
    }
}
