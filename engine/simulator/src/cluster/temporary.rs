//! Temporary tables: the schema of a session's own, and what becomes of them when a transaction commits
//! (`InitTempTableNamespace`, `RangeVarGetCreationNamespace`, src/backend/catalog/namespace.c;
//! `PreCommit_on_commit_actions`, src/backend/commands/tablecmds.c).
//!
//! ```text
//!  pg_temp_3 ─ what session A sees before all other schemas      its pages are in local buffers, none of it is in the WAL
//!  pg_temp_4 ─ the same of session B
//! ```

use super::Cluster;
use super::namespace::PG_TOAST;
use super::pg_class::OnCommit;
use super::view::ViewName;
use crate::storage::{LockMode, RelationData, RelationLock};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::Oid;

/// What all schemas of temporary tables begin with.
pub const PG_TEMP: &str = "pg_temp";

impl Cluster {
    /// `ProcNumber` of the running session, which its schema and its files have in their names. A server's first
    /// session has whatever is free.
    #[must_use]
    pub const fn proc_number(&self) -> usize {
        const FIRST: usize = 3;
        self.pg.me + FIRST
    }

    /// Name of the schema that the running session's temporary tables are in, once it has made one.
    #[must_use]
    pub fn temp_schema(&self) -> String {
        format!("{PG_TEMP}_{}", self.proc_number())
    }

    /// Does that name, perhaps the alias `pg_temp`, mean the running session's own?
    #[must_use]
    pub fn is_temp_schema(&self, schema: &str) -> bool {
        schema == PG_TEMP || schema.starts_with(PG_TEMP) && schema == self.temp_schema()
    }

    /// Is the relation in local buffers?
    #[must_use]
    pub fn is_temporary(&self, relation: Oid) -> bool {
        self.pg.relations.get(&relation).is_some_and(|relation| self.pg.buffers.is_temporary(relation.file))
    }

    /// `isOtherTempNamespace`: is it a temporary table that another session has made?
    #[must_use]
    pub fn is_other_temporary(&self, relation: Oid) -> bool {
        self.is_temporary(relation) && self.schema_of(relation) != self.temp_schema()
    }

    /// `InitTempTableNamespace`: the session's schema, and that of its TOAST tables. Gives the first.
    pub fn init_temp_namespace(&mut self) -> String {
        let schema = self.temp_schema();
        self.use_temporary();
        if !self.catalog.schemas.contains_key(&schema) {
            self.pg.current_xid();
            self.keep_names();
            for name in [schema.clone(), self.temp_toast_schema()] {
                let oid = self.pg.new_object_id();
                self.catalog.schemas.insert(name, oid);
                self.use_commands(1);
            }
        }
        schema
    }

    /// `XACT_FLAGS_ACCESSEDTEMPNAMESPACE`: the transaction has to do with temporary tables.
    pub fn use_temporary(&mut self) {
        if let Some(xact) = &mut self.pg.backend_mut().xact {
            xact.used_temporary = true;
        }
    }

    fn temp_toast_schema(&self) -> String {
        format!("pg_toast_temp_{}", self.proc_number())
    }

    /// The schema that the TOAST table of a table is in.
    pub(super) fn toast_schema(&self, table: &RelationData) -> String {
        match self.pg.buffers.is_temporary(table.file) {
            true => self.temp_toast_schema(),
            false => PG_TOAST.0.to_string(),
        }
    }

    /// `register_on_commit_action`
    pub(super) fn note_on_commit(&mut self, on_commit: OnCommit) {
        self.session().on_commit |= on_commit != OnCommit::Preserve;
    }

    /// `PreCommit_on_commit_actions`: tables are emptied if the transaction had to do with any temporary one, and
    /// dropped; the newest first.
    pub(super) fn pre_commit_on_commit_actions(&mut self) {
        let Some(xact) = self.pg.backend().xact.as_ref().filter(|xact| !xact.failed) else { return };
        let used = xact.used_temporary;
        if !self.session().on_commit {
            return;
        }
        let schema = self.temp_schema();
        let of = |wanted| {
            let is_one = |class: &&alloc::sync::Arc<super::Class>| class.schema == schema && class.on_commit == wanted;
            let mut found: Vec<Oid> = self.catalog.classes().filter(is_one).map(|class| class.oid).collect();
            found.reverse();
            found
        };
        let (emptied, dropped) = (of(OnCommit::DeleteRows), of(OnCommit::Drop));
        for table in emptied.into_iter().filter(|_| used) {
            self.lock_relation(RelationLock { relation: table, mode: LockMode::AccessExclusive });
            if let Some(relation) = self.pg.relations.get(&table).cloned() {
                self.heap_truncate_one_rel(&relation);
            }
        }
        self.drop_all(&dropped);
    }

    /// `RemoveTempRelations`: DISCARD TEMP.
    pub fn drop_temporary(&mut self) {
        let schema = self.temp_schema();
        let tables = self.in_schema(&schema);
        self.drop_all(&tables);
        // those that read no table
        let left = self.catalog.views().filter(|((known, _), _)| *known == schema);
        let left: Vec<ViewName> = left.map(|(name, _)| name.clone()).collect();
        left.iter().for_each(|name| self.drop_view(name));
    }

    fn drop_all(&mut self, relations: &[Oid]) {
        for relation in relations {
            self.lock_relation(RelationLock { relation: *relation, mode: LockMode::AccessExclusive });
            let views = self.catalog.views_of(&[*relation]);
            views.iter().rev().for_each(|(name, _)| self.drop_view(name));
            self.drop_relation(*relation);
        }
    }

    /// After a crash nobody knows temporary tables any more, and their files are removed when the server starts
    /// (`RemovePgTempFiles`).
    pub(super) fn lose_temporary(&mut self) {
        let all: Vec<Oid> = self.pg.relations.keys().copied().filter(|oid| self.is_temporary(*oid)).collect();
        for oid in all {
            if let Some(relation) = self.pg.relations.get(&oid) {
                self.pg.buffers.unlink(relation.file);
            }
            self.put(oid, None, None);
        }
        self.catalog.views.retain(|(schema, _), _| !schema.starts_with(PG_TEMP));
    }
}
