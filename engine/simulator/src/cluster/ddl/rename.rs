//! ALTER … RENAME: names of relations, columns and constraints (`RenameRelationInternal`, `renameatt`,
//! src/backend/commands/tablecmds.c; `RenameConstraintById`, src/backend/catalog/pg_constraint.c).

use crate::cluster::Cluster;
use crate::cluster::pg_class::Constraint;
use alloc::string::String;
use alloc::string::ToString;
use ffviz_format::page::Oid;

impl Cluster {
    /// A relation has this name from now on. An index shares its name with its constraint.
    pub fn rename_relation(&mut self, relation: Oid, to: &str) {
        self.update_class_row(relation);
        self.edit_class(relation, |class| class.name = to.to_string());
        self.edit_relation(relation, |relation| relation.name = to.to_string());
    }

    /// It is in that schema from now on.
    pub fn set_schema(&mut self, relation: Oid, to: &str) {
        self.update_class_row(relation);
        self.edit_class(relation, |class| class.schema = to.to_string());
        self.edit_relation(relation, |_| {});
    }

    /// So does a column, from 0.
    pub fn rename_column(&mut self, table: Oid, column: usize, to: &str) {
        self.pg.current_xid();
        self.edit_columns(table, |columns| {
            if let Some(column) = columns.get_mut(column) {
                column.name = to.to_string();
            }
        });
    }

    /// The rows that say so are written, which is the end of RENAME.
    pub fn finish_rename(&mut self) {
        self.use_commands(1);
    }

    /// What messages call the keys of an index.
    pub fn set_key_names(&mut self, index: Oid, names: Option<String>) {
        self.edit_relation(index, |relation| {
            if let Some(form) = &mut relation.index {
                form.key_names = names;
            }
        });
    }

    /// A CHECK, a foreign key or NOT NULL has this name from now on.
    pub fn rename_constraint(&mut self, table: Oid, from: &str, to: &str) {
        self.pg.current_xid();
        self.edit_class(table, |class| {
            if let Some(inherited) = class.inheritance.constraints.remove(from) {
                class.inheritance.constraints.insert(to.to_string(), inherited);
            }
            for constraint in &mut class.constraints {
                match constraint {
                    Constraint::Check { name, .. }
                    | Constraint::Foreign { name, .. }
                    | Constraint::NotNull { name, .. }
                        if name == from =>
                    {
                        *name = to.to_string();
                    }
                    _ => {}
                }
            }
        });
        self.edit_relation(table, |_| {});
    }
}
