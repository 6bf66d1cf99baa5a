//! ALTER TABLE as far as it changes no file: storage parameters, columns that come and go (src/backend/commands/tablecmds.c).

use super::table::ColumnSpec;
use crate::cluster::Cluster;
use crate::cluster::catalog::{ColumnDefault, Constraint};
use crate::datum::{Attribute, TupleDesc, Value};
use crate::page::Oid;
use crate::storage::RelationData;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

impl Cluster {
    /// SET (…), RESET (…): changes what the relation cache has of them.
    pub fn alter_options(&mut self, relation: Oid, change: impl FnOnce(&mut RelationData)) {
        self.pg.current_xid();
        self.edit_relation(relation, change);
        self.use_commands(1);
    }

    /// ADD COLUMN: rows that are older have the value `missing`. The table may need a TOAST table now.
    pub fn add_column(&mut self, table: Oid, column: &ColumnSpec, missing: Value) {
        self.pg.current_xid();
        let has_default = column.default == super::DefaultSpec::Expr;
        self.use_oids(usize::from(has_default));
        if self.version().catalogs_not_null() {
            self.use_oids(usize::from(column.not_null));
        }
        self.edit_relation(table, |relation| {
            let mut columns = relation.desc.attributes().to_vec();
            let mut attribute = column.ty.attribute(columns.len() as u16 + 1, &column.name);
            attribute.not_null = column.not_null;
            attribute.missing = missing.output(column.ty.oid);
            columns.push(attribute);
            relation.desc = Arc::new(with_columns(relation, columns, Some(missing)));
        });
        let default = if has_default { ColumnDefault::Expr } else { ColumnDefault::Null };
        self.edit_class(table, |class| class.defaults.push(default));
        // the column; its default, and what older rows have; from 18 on NOT NULL
        self.use_commands(if has_default { 3 } else { 1 });
        self.use_commands(u32::from(self.version().catalogs_not_null() && column.not_null));
        self.create_toast_table(table);
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
            Constraint::Foreign { columns, .. } => columns.contains(&attnum),
        });
        for index in gone {
            self.drop_relation(index);
        }
        let default = self.catalog.class(table).map(|class| class.defaults[column]).unwrap_or_default();
        if let ColumnDefault::Sequence(sequence) | ColumnDefault::Identity { sequence, .. } = default {
            self.drop_relation(sequence);
        }
        self.use_commands(u32::from(matches!(default, ColumnDefault::Expr | ColumnDefault::Sequence(_))));
        let not_null = self.pg.relations.get(&table).is_some_and(|table| table.desc.attributes()[column].not_null);
        self.use_commands(u32::from(not_null && self.version().catalogs_not_null()));
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
        });
        self.use_commands(1);
    }

    /// DROP CONSTRAINT of those that are asked for. A foreign key has four triggers.
    pub fn drop_constraints(&mut self, table: Oid, goes: impl Fn(&Constraint) -> bool) {
        let Some(class) = self.catalog.class(table) else { return };
        let commands: u32 = class.constraints.iter().filter(|constraint| goes(constraint)).map(commands_to_drop).sum();
        if commands > 0 {
            self.use_commands(commands);
            self.edit_class(table, |class| class.constraints.retain(|constraint| !goes(constraint)));
        }
    }

    /// ALTER COLUMN … SET STORAGE, from 0: of values that come.
    pub fn set_storage(&mut self, table: Oid, column: usize, storage: char) {
        self.pg.current_xid();
        self.edit_relation(table, |relation| {
            let mut columns = relation.desc.attributes().to_vec();
            columns[column].storage = storage;
            relation.desc = Arc::new(with_columns(relation, columns, None));
        });
        self.use_commands(1);
        self.create_toast_table(table);
    }
}

/// Commands that dropping a constraint uses up: each object that goes is one.
pub(super) const fn commands_to_drop(constraint: &Constraint) -> u32 {
    match constraint {
        Constraint::Index(_) => 1,
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
