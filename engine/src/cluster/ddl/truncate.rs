//! TRUNCATE: a new file for the table, its TOAST table and all indexes (`ExecuteTruncateGuts`, `RelationSetNewRelfilenumber`).

use crate::cluster::Cluster;
use crate::page::Oid;
use crate::storage::FileId;
use alloc::vec::Vec;

impl Cluster {
    /// TRUNCATE of a table.
    pub fn truncate(&mut self, table: Oid) {
        self.pg.current_xid();
        let Some(relation) = self.pg.relations.get(&table).cloned() else { return };
        self.set_new_file(table);
        let (own, mut toast) = (relation.indexes.clone(), Vec::new());
        if let Some(oid) = relation.toast {
            self.set_new_file(oid);
            toast = self.pg.relations.get(&oid).map_or_else(Vec::new, |toast| toast.indexes.clone());
        }
        // from 17 on the TOAST table's index is made first
        let indexes = match self.version().reindexes_toast_first() {
            true => [toast, own].concat(),
            false => [own, toast].concat(),
        };
        for index in &indexes {
            self.set_new_file(*index);
            self.build_empty(*index);
        }
    }

    /// `RelationSetNewRelfilenumber`
    pub fn set_new_file(&mut self, oid: Oid) -> FileId {
        let filenode = self.pg.new_object_id();
        let Some(relation) = self.pg.relations.get(&oid).cloned() else { return FileId(0) };
        let file = self.create_file(oid, filenode, relation.permanent);
        if !relation.permanent && relation.index.is_none() {
            self.create_init_fork(file);
        }
        self.drop_file(relation.file);
        let xid = self.pg.current_xid();
        self.edit_relation(oid, |relation| (relation.file, relation.created_by) = (file, Some(xid)));
        self.edit_class(oid, |class| class.filenode = filenode);
        self.use_commands(if relation.index.is_some() { 2 } else { 1 });
        file
    }
}
