//! The undo segment of a cluster whose tables are those of the undo engine: it is there before any transaction, as
//! system catalogs are.

use super::{Class, Cluster};
use crate::storage::{Buffer, RelationData, ReplicaIdentity, TableAm, VacuumOptions};
use crate::undo::UndoSegment;
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::TupleDesc;
use ffviz_format::page::{ForkNumber, Oid};
use ffviz_format::state::RelKind;
use ffviz_format::wal::RelFileLocator;

/// `pg_global`
const GLOBAL_TABLESPACE: Oid = 1664;
/// An OID that no catalog of PostgreSQL has.
const UNDO_SEGMENT: Oid = 9_990;

impl Cluster {
    /// Tables are those of the undo engine from now on, and the segment has its first page.
    pub fn create_undo_segment(&mut self) {
        let locator = RelFileLocator { spc: GLOBAL_TABLESPACE, db: 0, rel: UNDO_SEGMENT };
        let file = self.pg.buffers.create(locator, true);
        let block = self.pg.buffers.extend(file, ForkNumber::Main, 1);
        self.pg.buffers.replace(Buffer::main(file, block), UndoSegment::slots_page());
        let mut class = Class::new(UNDO_SEGMENT, "pg_undo".to_string(), RelKind::Undo);
        class.schema = "pg_catalog".to_string();
        let relation = RelationData {
            oid: UNDO_SEGMENT,
            name: class.name.clone(),
            kind: class.kind,
            file,
            am: TableAm::Undo,
            permanent: true,
            created_by: None,
            desc: Arc::new(TupleDesc::new(Vec::new())),
            fillfactor: None,
            toast_tuple_target: 0,
            vacuum: VacuumOptions::default(),
            replica_identity: ReplicaIdentity::Nothing,
            toast: None,
            indexes: Vec::new(),
            indexed: Vec::new(),
            index: None,
        };
        self.owners.insert(file, UNDO_SEGMENT);
        self.put(UNDO_SEGMENT, Some(Arc::new(class)), Some(Arc::new(relation)));
        self.pg.settings.default_table_am = TableAm::Undo;
        self.pg.undo.file = Some(file);
    }
}
