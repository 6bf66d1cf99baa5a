//! ALTER TABLE as far as it changes no file: storage parameters, columns that come and go
//! (src/backend/commands/tablecmds.c).

use super::DefaultSpec;
use super::table::{ColumnSpec, check_column_count};
use crate::cluster::catalog_rows::CatalogRow;
use crate::cluster::pg_class::{ColumnDefault, Constraint};
use crate::cluster::{Class, Cluster};
use crate::storage::{Persistence, RelationData, ReplicaIdentity};
use crate::version::Behaviour;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{Attribute, SqlError, SqlType, TupleDesc, Value};
use ffviz_format::page::{FIRST_NORMAL_OBJECT_ID, Oid};
use ffviz_format::state::RelKind;

impl Cluster {
    /// SET (…), RESET (…): changes what the relation cache has of them. A TOAST table has options of its own, and
    /// its row is written too.
    pub fn alter_options(&mut self, relation: Oid, change: impl FnOnce(&mut RelationData)) {
        self.update_class_row(relation);
        if let Some(toast) = self.pg.relations.get(&relation).and_then(|relation| relation.toast) {
            self.update_class_row(toast);
        }
        self.alter_columns(relation, change);
    }

    /// GRANT, REVOKE, OWNER TO: the row has another `relacl`, or `relowner`.
    pub fn update_owner_row(&mut self, relation: Oid) {
        self.update_class_row(relation);
    }

    /// The same of what stands with the columns.
    pub fn alter_columns(&mut self, relation: Oid, change: impl FnOnce(&mut RelationData)) {
        self.pg.current_xid();
        self.edit_relation(relation, change);
        self.use_commands(1);
    }

    /// `relation_mark_replica_identity`: changes the rows of `pg_class` and `pg_index` that say otherwise.
    pub fn set_replica_identity(&mut self, table: Oid, identity: ReplicaIdentity) {
        self.pg.current_xid();
        let Some(before) = self.pg.relations.get(&table).map(|relation| relation.replica_identity) else { return };
        if before == identity {
            return;
        }
        let index_of = |identity| if let ReplicaIdentity::Index(index) = identity { Some(index) } else { None };
        let (left, chosen) = (index_of(before), index_of(identity));
        if left.is_none() || chosen.is_none() {
            self.update_class_row(table);
        }
        left.into_iter().chain(chosen).for_each(|index| self.write_row(CatalogRow::Index(index)));
        self.edit_relation(table, |relation| relation.replica_identity = identity);
        self.use_commands(1);
    }

    /// ADD COLUMN: rows that are older have the value `missing`; without one they are to be written anew. The table may
    /// need a TOAST table now. Gives the sequence of serial and identity. The OIDs that come with the column
    /// ([`Self::oids_of_column`]) are left to the caller.
    ///
    /// # Errors
    /// A type that no sequence has; more columns than there may be.
    pub fn add_column(
        &mut self,
        table: Oid,
        column: &ColumnSpec,
        missing: Option<Value>,
    ) -> Result<Option<Oid>, SqlError> {
        self.pg.current_xid();
        let relation = self.pg.relation(table)?;
        check_column_count(relation.desc.attributes().len() + 1)?;
        let sequence = match column.default {
            DefaultSpec::Serial | DefaultSpec::Identity { .. } => {
                let persistence = self.persistence_of_sequence(self.pg.buffers.persistence(relation.file));
                let schema = String::from(self.schema_of(table));
                Some(self.create_sequence(&schema, &relation.name, column, persistence)?)
            }
            _ => None,
        };
        let has_default = column.default.has_row();
        let catalogs_not_null = column.not_null && self.version().catalogs_not_null();
        // the column; its default; what older rows have; from 18 on NOT NULL
        let of_default = if !has_default { 0 } else { 1 + u32::from(missing.is_some()) };
        // what a column hangs on, where types of the system are pinned
        let of_type = u32::from(column.domain.is_some() || column.ty.oid >= FIRST_NORMAL_OBJECT_ID);
        self.use_commands(1 + of_default + of_type + u32::from(catalogs_not_null));
        let missing = missing.unwrap_or(Value::Null);
        // `relnatts`
        self.update_class_row(table);
        let mut attribute = column.attribute(0);
        self.complete(&mut attribute);
        self.edit_relation(table, |relation| {
            let mut columns = relation.desc.attributes().to_vec();
            attribute.num = columns.len() as u16 + 1;
            attribute.missing = missing.output(column.ty.oid);
            columns.push(attribute);
            relation.desc = Arc::new(with_columns(relation, columns, Some(missing)));
        });
        let default = column.default.entry(sequence);
        self.edit_class(table, |class| {
            class.defaults.push(default);
            let attnum = class.defaults.len() as u16;
            class.compressed.extend(column.compressed.then_some(attnum));
            class.domains.extend(column.domain.map(|domain| (attnum, domain)));
        });
        self.create_toast_table(table);
        Ok(sequence)
    }

    /// Rows of `pg_attrdef` and, from 18 on, `pg_constraint` that a column has.
    #[must_use]
    pub fn oids_of_column(&self, column: &ColumnSpec) -> usize {
        let has_default = column.default.has_row();
        usize::from(has_default) + usize::from(column.not_null && self.version().catalogs_not_null())
    }

    /// `make_new_heap`: the table has a new file and a new TOAST table, both empty. Gives the table as it was, with its
    /// old TOAST table.
    ///
    /// # Errors
    /// Where there is no such table.
    pub fn begin_rewrite(&mut self, table: Oid) -> Result<Arc<RelationData>, SqlError> {
        let old = self.pg.relation(table)?;
        let persistence = self.pg.buffers.persistence(old.file);
        self.begin_rewrite_as(table, persistence)
    }

    /// The same, where the new table is LOGGED and the old one UNLOGGED, or the other way round.
    ///
    /// # Errors
    /// Where there is no such table.
    pub fn begin_rewrite_as(&mut self, table: Oid, persistence: Persistence) -> Result<Arc<RelationData>, SqlError> {
        let old = self.pg.relation(table)?;
        self.pg.transfer_predicate_locks_to_heap_relation(&old);
        // also the OID of the table that has the old file until it goes
        let transient = self.give_new_file_as(table, persistence);
        self.create_stats(transient);
        // the new table's row type and array type, which go again
        self.use_oids(2);
        if old.toast.is_some() {
            self.edit_relation(table, |relation| relation.toast = None);
            self.create_toast_table(table);
        }
        Ok(old)
    }

    /// `finish_heap_swap` before indexes are built anew.
    pub fn swap_rewritten(&mut self, old: &RelationData) {
        self.clear_missing(old.oid);
        self.use_commands(3);
    }

    /// New sequences become the table's, when all tables are written anew (`AlterSequence`, after the command);
    /// `has_toast`: has the one that was written last a TOAST table?
    pub fn own_sequences(&mut self, table: Oid, sequences: &[Oid], has_toast: bool) {
        for sequence in sequences {
            self.write_row(CatalogRow::Sequence(*sequence));
            let is_its = |default: &ColumnDefault| default.sequence() == Some(*sequence);
            let column = self.catalog.class(table).and_then(|class| class.defaults.iter().position(is_its));
            self.own_sequence(*sequence, column.map(|column| (table, column as u16 + 1)));
        }
        // to the new name of a TOAST table belongs a command that the first sequence shares
        self.use_commands(sequences.len().saturating_sub(usize::from(has_toast)) as u32);
    }

    /// `finish_heap_swap` after it: the old file goes, with its TOAST table.
    pub fn end_rewrite(&mut self, old: &RelationData) {
        if let Some(toast) = old.toast {
            self.drop_relation(toast);
            // the new one, if there has to be one, is renamed, and its index
            let is_renamed = self.pg.relations.get(&old.oid).is_some_and(|new| new.toast.is_some());
            self.use_commands(if is_renamed { 2 } else { 0 });
        }
        self.drop_file(old.file);
        if let Some(transient) = self.catalog.class(old.oid).map(|class| class.filenode) {
            self.drop_stats(transient);
        }
    }

    /// DROP COLUMN, from 0: the column stays in the rows; indexes that have it go.
    pub fn drop_column(&mut self, table: Oid, column: usize) {
        self.pg.current_xid();
        let attnum = column as u16 + 1;
        let gone: Vec<Oid> = self
            .catalog
            .indexes(table)
            .filter(|class| class.depends.contains(&attnum))
            .map(|class| class.oid)
            .collect();
        self.drop_constraints(table, |constraint| match constraint {
            Constraint::Index(index) => gone.contains(index),
            Constraint::Foreign { columns, .. } | Constraint::Check { columns, .. } => columns.contains(&attnum),
            Constraint::NotNull { column, .. } => *column == attnum,
        });
        for index in gone {
            self.drop_relation(index);
        }
        let default = self.catalog.class(table).map(|class| class.defaults[column]).unwrap_or_default();
        let is_owned = |class: &&Arc<Class>| {
            class.kind == RelKind::Sequence && class.table == Some(table) && class.depends == [attnum]
        };
        let sequences: Vec<Oid> = self.catalog.classes().filter(is_owned).map(|class| class.oid).collect();
        sequences.into_iter().rev().for_each(|sequence| self.drop_relation(sequence));
        let statistics = self.catalog.class(table).map_or(&[][..], |class| &class.statistics_objects);
        let statistics = statistics.iter().filter(|it| it.depends.contains(&attnum)).count();
        self.use_commands(u32::from(default.has_row()) + statistics as u32);
        self.edit_relation(table, |relation| {
            let mut columns = relation.desc.attributes().to_vec();
            let attribute = &mut columns[column];
            attribute.name = format!("........pg.dropped.{attnum}........");
            (attribute.typid, attribute.type_name, attribute.dropped) = (0, String::new(), true);
            attribute.not_null = false;
            relation.desc = Arc::new(with_columns(relation, columns, None));
        });
        self.edit_class(table, |class| {
            class.defaults[column] = ColumnDefault::Null;
            class.column_stats.remove(&attnum);
            class.inheritance.stats.remove(&attnum);
            class.compressed.remove(&attnum);
            class.inheritance.columns.remove(&attnum);
            class.statistics_objects.retain(|it| !it.depends.contains(&attnum));
        });
        self.use_commands(1);
    }

    /// DROP CONSTRAINT of those that are asked for. A foreign key has four triggers.
    pub fn drop_constraints(&mut self, table: Oid, goes: impl Fn(&Constraint) -> bool) {
        let Some(class) = self.catalog.class(table) else { return };
        let gone: Vec<Constraint> = class.constraints.iter().filter(|constraint| goes(constraint)).cloned().collect();
        let commands = gone.iter().map(commands_to_drop).sum();
        if commands > 0 {
            self.use_commands(commands);
            self.edit_class(table, |class| {
                class.constraints.retain(|constraint| !goes(constraint));
                for constraint in &gone {
                    if let Constraint::Check { name, .. } | Constraint::NotNull { name, .. } = constraint {
                        class.inheritance.constraints.remove(name);
                    }
                }
            });
            self.change_triggers(&gone);
        }
    }

    /// Foreign keys come or go: the triggers of the tables that they refer to have changed (`CacheInvalidateRelcache`).
    pub(super) fn change_triggers(&mut self, constraints: &[Constraint]) {
        for constraint in constraints {
            if let Constraint::Foreign { table, .. } = constraint {
                self.edit_relation(*table, |_| {});
            }
        }
    }

    /// `ATExecColumnDefault`, of a column from 0: the old one goes, and the new one comes.
    pub fn set_default(&mut self, table: Oid, column: usize, default: ColumnDefault) {
        self.replace_default(table, column, default);
        self.use_oids(usize::from(default.has_row()));
    }

    /// The same, without the OID of its row in `pg_attrdef`.
    pub fn replace_default(&mut self, table: Oid, column: usize, default: ColumnDefault) {
        self.pg.current_xid();
        let before =
            self.catalog.class(table).and_then(|class| class.defaults.get(column).copied()).unwrap_or_default();
        self.edit_class(table, |class| {
            if let Some(known) = class.defaults.get_mut(column) {
                *known = default;
            }
        });
        self.edit_relation(table, |_| {});
        self.use_commands(u32::from(before.has_row()) + u32::from(default.has_row()));
    }

    /// ALTER COLUMN … TYPE, of a column from 0: what is known of its values goes.
    pub fn change_type(&mut self, table: Oid, column: usize, ty: SqlType) {
        self.pg.current_xid();
        let mut changed = ty.attribute(0, "");
        self.complete(&mut changed);
        self.edit_columns(table, |columns| {
            if let Some(column) = columns.get_mut(column) {
                let (not_null, missing) = (column.not_null, column.missing.clone());
                let (num, name) = (column.num, column.name.clone());
                *column = Attribute { not_null, missing, num, name, ..changed.clone() };
            }
        });
        self.edit_class(table, |class| {
            let attnum = column as u16 + 1;
            class.column_stats.remove(&attnum);
            class.inheritance.stats.remove(&attnum);
            class.compressed.remove(&attnum);
        });
        self.use_commands(1);
        self.create_toast_table(table);
    }

    /// The sequence of ADD GENERATED AS IDENTITY, which is made before anything is asked of the column.
    ///
    /// # Errors
    /// Where there is no such table.
    pub fn make_identity(&mut self, table: Oid, spec: &ColumnSpec) -> Result<Oid, SqlError> {
        let relation = self.pg.relation(table)?;
        let persistence = self.persistence_of_sequence(self.pg.buffers.persistence(relation.file));
        let schema = String::from(self.schema_of(table));
        self.create_sequence(&schema, &relation.name, spec, persistence)
    }

    /// ADD GENERATED AS IDENTITY, of a column from 0.
    pub fn add_identity(&mut self, table: Oid, column: usize, spec: &ColumnSpec, sequence: Oid) {
        self.edit_class(table, |class| class.defaults[column] = spec.default.entry(Some(sequence)));
        self.edit_relation(table, |_| {});
        self.write_row(CatalogRow::Sequence(sequence));
        self.own_sequence(sequence, Some((table, column as u16 + 1)));
        self.use_commands(2);
    }

    /// SET GENERATED, of a column from 0: who may give its values.
    pub fn set_identity(&mut self, table: Oid, column: usize, identity: ColumnDefault) {
        self.pg.current_xid();
        self.edit_class(table, |class| class.defaults[column] = identity);
        self.edit_relation(table, |_| {});
        self.use_commands(1);
    }

    /// DROP IDENTITY, of a column from 0: its sequence goes.
    pub fn drop_identity(&mut self, table: Oid, column: usize) {
        self.pg.current_xid();
        let default = self.catalog.class(table).and_then(|class| class.defaults.get(column).copied());
        self.edit_class(table, |class| class.defaults[column] = ColumnDefault::Null);
        self.edit_relation(table, |_| {});
        self.use_commands(1);
        default.and_then(|default| default.sequence()).into_iter().for_each(|sequence| self.drop_relation(sequence));
    }

    /// ALTER COLUMN … SET STORAGE, from 0: of values that come.
    pub fn set_storage(&mut self, table: Oid, column: usize, storage: char) {
        self.pg.current_xid();
        let attnum = column as u16 + 1;
        let indexes = self.pg.relations.get(&table).map_or_else(Vec::new, |relation| relation.indexes.clone());
        for oid in [table].into_iter().chain(indexes) {
            self.edit_relation(oid, |relation| set_column_storage(relation, attnum, storage));
        }
        self.use_commands(1);
        self.create_toast_table(table);
    }
}

/// `ATExecSetStorage`, `SetIndexStorageProperties`: of a column of the table, in it or in an index.
fn set_column_storage(relation: &mut RelationData, attnum: u16, storage: char) {
    let mut columns = relation.desc.attributes().to_vec();
    for (column, number) in columns.iter_mut().zip(1..) {
        let key = relation.index.as_ref().map(|index| index.columns.get(usize::from(number) - 1));
        if key.map_or(number, |key| key.map_or(0, |key| key.attnum)) == attnum {
            column.storage = storage;
        }
    }
    relation.desc = Arc::new(with_columns(relation, columns, None));
}

/// Commands that dropping a constraint uses up: each object that goes is one.
pub(super) const fn commands_to_drop(constraint: &Constraint) -> u32 {
    match constraint {
        Constraint::Index(_) | Constraint::Check { .. } | Constraint::NotNull { .. } => 1,
        Constraint::Foreign { enforced: false, .. } => 1,
        Constraint::Foreign { .. } => 5,
    }
}

/// The columns anew, with what older rows have in those that came later.
fn with_columns(relation: &RelationData, columns: Vec<Attribute>, added: Option<Value>) -> TupleDesc {
    let count = relation.desc.attributes().len();
    let mut desc = TupleDesc::new(columns);
    for index in 0..count {
        desc.set_missing(index, relation.desc.missing(index));
    }
    if let Some(value) = added {
        desc.set_missing(count, value);
    }
    desc
}
