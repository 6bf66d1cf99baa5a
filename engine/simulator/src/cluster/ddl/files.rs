//! OIDs and files of new relations (`GetNewObjectId`, `GetNewRelFileNumber`, `RelationCreateStorage`).

use crate::access::transam::log_smgr_create;
use crate::cluster::{Class, Cluster};
use crate::storage::{FileId, Persistence, RelationData, ReplicaIdentity, TableAm, VacuumOptions};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::toast::TOAST_TUPLE_TARGET;
use ffviz_format::datum::{Attribute, TupleDesc};
use ffviz_format::page::{ForkNumber, Oid};
use ffviz_format::state::RelKind;

impl Cluster {
    /// Uses up OIDs that nothing here is named by: rows of pg_type, `pg_attrdef`, `pg_constraint`, `pg_trigger`.
    pub fn use_oids(&mut self, count: usize) {
        for _ in 0..count {
            self.pg.new_object_id();
        }
    }

    /// Rows of the catalogs are written by commands of their own (`CommandCounterIncrement`), so that what follows in
    /// the transaction has a later number.
    pub fn use_commands(&mut self, count: u32) {
        if let Some(xact) = &mut self.pg.backend_mut().xact {
            xact.command_id += count;
        }
    }

    /// What follows is written by the command that came last.
    pub fn share_command(&mut self) {
        if let Some(xact) = &mut self.pg.backend_mut().xact {
            xact.command_id -= 1;
        }
    }

    /// `RelationCreateStorage`: an empty file, which goes again if the transaction aborts.
    pub(super) fn create_file(&mut self, relation: Oid, filenode: Oid, persistence: Persistence) -> FileId {
        let locator = self.locator(filenode);
        let file = self.pg.buffers.create(locator, persistence == Persistence::Permanent);
        if persistence == Persistence::Temporary {
            self.pg.buffers.set_temporary(file);
        }
        self.owners.insert(file, relation);
        let depth = self.depth();
        self.session().created.push((file, depth));
        if persistence == Persistence::Permanent {
            self.log_create(file, ForkNumber::Main);
        }
        file
    }

    /// The fork that an UNLOGGED relation is made anew from after a crash; it is logged. Others have none.
    pub(super) fn create_init_fork(&mut self, file: FileId) {
        if self.pg.buffers.persistence(file) != Persistence::Unlogged {
            return;
        }
        self.pg.buffers.create_fork(file, ForkNumber::Init);
        self.log_create(file, ForkNumber::Init);
    }

    fn log_create(&mut self, file: FileId, fork: ForkNumber) {
        let locator = self.pg.buffers.locator(file);
        self.pg.log_about_no_page(|wal, backend| log_smgr_create(wal, backend, locator, fork));
    }

    /// The file goes when the transaction commits.
    pub(in crate::cluster) fn drop_file(&mut self, file: FileId) {
        let depth = self.depth();
        self.session().dropped.push((file, depth));
    }

    /// A relation as the access methods see it, with nothing set that CREATE does not set.
    pub(super) fn new_relation(&mut self, class: &Class, file: FileId, columns: Vec<Attribute>) -> RelationData {
        RelationData {
            oid: class.oid,
            name: class.name.clone(),
            kind: class.kind,
            file,
            am: if class.kind == RelKind::Table { self.pg.settings.default_table_am } else { TableAm::Heap },
            permanent: self.pg.buffers.is_permanent(file),
            created_by: Some(self.pg.current_xid()),
            desc: Arc::new(TupleDesc::new(columns)),
            fillfactor: None,
            toast_tuple_target: TOAST_TUPLE_TARGET as u16,
            vacuum: VacuumOptions::default(),
            replica_identity: ReplicaIdentity::Default,
            toast: None,
            indexes: Vec::new(),
            indexed: Vec::new(),
            index: None,
        }
    }
}
