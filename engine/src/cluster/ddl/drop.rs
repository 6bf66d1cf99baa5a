//! DROP: the relation with all that hangs on it leaves the catalog at once, its files go at the commit (`heap_drop_with_catalog`).

use crate::cluster::Cluster;
use crate::page::Oid;
use crate::storage::RelKind;
use alloc::vec::Vec;

impl Cluster {
    /// DROP TABLE, with its indexes, TOAST table and the sequences of its columns; or DROP INDEX.
    pub fn drop_relation(&mut self, oid: Oid) {
        self.pg.current_xid();
        let Some(class) = self.catalog.class(oid).cloned() else { return };
        let hangs_on: Vec<Oid> =
            self.catalog.classes().filter(|other| other.table == Some(oid)).map(|other| other.oid).collect();
        for other in hangs_on {
            self.drop_relation(other);
        }
        if let Some(relation) = self.pg.relations.get(&oid).cloned() {
            self.drop_file(relation.file);
        }
        self.remove(oid);
        if class.kind == RelKind::Index
            && let Some(table) = class.table.filter(|table| self.catalog.class(*table).is_some())
        {
            self.set_index_columns(table);
        }
    }
}
