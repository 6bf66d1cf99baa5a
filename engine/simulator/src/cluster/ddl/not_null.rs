//! NOT NULL as a constraint with a name, which it is from 18 on: `AddRelationNotNullConstraints`,
//! `AddRelationNewConstraints` (src/backend/catalog/heap.c), `AdjustNotNullInheritance`
//! (src/backend/catalog/pg_constraint.c). Before 18 a column has a flag alone.

use crate::cluster::Cluster;
use crate::cluster::pg_class::Constraint;
use crate::version::Behaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;

/// NOT NULL to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotNull {
    /// CONSTRAINT
    pub name: Option<String>,
    /// `attnum`
    pub column: u16,
    /// not NOT VALID
    pub validated: bool,
}

impl Cluster {
    /// Those of a table that is new, in the order in which they were written; its columns have their flags already.
    ///
    /// # Errors
    /// Names that do not fit.
    pub fn add_not_nulls(&mut self, table: Oid, wanted: &[NotNull]) -> Result<(), SqlError> {
        if !self.version().catalogs_not_null() {
            return Ok(());
        }
        let merged = merge(wanted)?;
        for (n, not_null) in merged.iter().enumerate() {
            self.use_oids(usize::from(n > 0));
            if let Some(name) = &not_null.name {
                if merged[..n].iter().any(|other| other.name == not_null.name) {
                    return Err(self.duplicate_constraint(table, name));
                }
                if self.find_constraint(table, name).is_some() {
                    return Err(duplicate_row(table, name));
                }
            }
            self.store_not_null(table, not_null);
        }
        self.use_oids(usize::from(!merged.is_empty()));
        self.use_commands(u32::from(!merged.is_empty()));
        Ok(())
    }

    /// `set_attnotnull`: the column may not be NULL, and has a constraint that says so. The OID of this is left to the
    /// caller.
    ///
    /// # Errors
    /// A name that one of the table's constraints has.
    pub fn add_not_null(&mut self, table: Oid, not_null: &NotNull) -> Result<(), SqlError> {
        self.pg.current_xid();
        self.catalog_not_null(table, not_null)?;
        self.set_null_flag(table, not_null.column, true);
        Ok(())
    }

    /// The constraint alone.
    ///
    /// # Errors
    /// As [`Self::add_not_null`].
    pub fn catalog_not_null(&mut self, table: Oid, not_null: &NotNull) -> Result<(), SqlError> {
        match not_null.name.as_ref().filter(|name| self.find_constraint(table, name).is_some()) {
            Some(name) => Err(self.duplicate_constraint(table, name)),
            None => {
                self.store_not_null(table, not_null);
                Ok(())
            }
        }
    }

    /// `dropconstraint_internal`, of NOT NULL: the column, by its `attnum`, may be NULL.
    pub fn drop_not_null(&mut self, table: Oid, column: u16) {
        self.pg.current_xid();
        self.edit_class(table, |class| {
            let is_it = |constraint: &Constraint| constraint.is_not_null_of(column);
            if let Some(Constraint::NotNull { name, .. }) = class.constraints.iter().find(|it| is_it(it)) {
                class.inheritance.constraints.remove(name);
            }
            class.constraints.retain(|constraint| !is_it(constraint));
        });
        self.set_null_flag(table, column, false);
    }

    /// The constraint of a column that may not be NULL, by its `attnum`.
    #[must_use]
    pub fn find_not_null(&self, table: Oid, column: u16) -> Option<&Constraint> {
        let class = self.catalog.class(table)?;
        class.constraints.iter().find(|constraint| constraint.is_not_null_of(column))
    }

    /// `StoreRelNotNull`, where a name is chosen if none is given; nothing before 18.
    fn store_not_null(&mut self, table: Oid, not_null: &NotNull) {
        if !self.version().catalogs_not_null() {
            return;
        }
        let NotNull { name, column, validated } = not_null.clone();
        let name = name.unwrap_or_else(|| self.not_null_name(table, column));
        self.edit_class(table, |class| class.constraints.push(Constraint::NotNull { name, column, validated }));
    }

    fn not_null_name(&self, table: Oid, column: u16) -> String {
        let Some(relation) = self.pg.relations.get(&table) else { return String::new() };
        let column = relation.desc.attributes().get(usize::from(column - 1)).map_or("", |it| &it.name);
        self.choose_constraint_name(self.schema_of(table), &relation.name, column, "not_null")
    }

    /// `attnotnull`
    fn set_null_flag(&mut self, table: Oid, column: u16, not_null: bool) {
        self.edit_columns(table, |columns| {
            if let Some(column) = columns.get_mut(usize::from(column - 1)) {
                column.not_null = not_null;
            }
        });
        self.use_commands(1);
    }

    pub(super) fn duplicate_constraint(&self, table: Oid, name: &str) -> SqlError {
        let relation = self.pg.relations.get(&table).map_or("", |relation| &relation.name);
        SqlError::new("42710", format!("constraint \"{name}\" for relation \"{relation}\" already exists"))
    }
}

/// A column has one, with the name that any of them gives.
fn merge(wanted: &[NotNull]) -> Result<Vec<NotNull>, SqlError> {
    let mut merged: Vec<NotNull> = Vec::new();
    for not_null in wanted {
        let Some(known) = merged.iter_mut().find(|known| known.column == not_null.column) else {
            merged.push(not_null.clone());
            continue;
        };
        match (&known.name, &not_null.name) {
            (Some(one), Some(other)) if one != other => return Err(conflicting_names("42601", one, other)),
            (None, Some(name)) => known.name = Some(name.to_string()),
            _ => {}
        }
    }
    Ok(merged)
}

/// Two names for NOT NULL of one column.
#[must_use]
pub fn conflicting_names(code: &'static str, one: &str, other: &str) -> SqlError {
    SqlError::new(code, format!("conflicting not-null constraint names \"{one}\" and \"{other}\""))
}

/// Nothing looks whether a CHECK has the name of NOT NULL of a new table, but the index of `pg_constraint`.
fn duplicate_row(table: Oid, name: &str) -> SqlError {
    let index = "pg_constraint_conrelid_contypid_conname_index";
    let error = SqlError::new("23505", format!("duplicate key value violates unique constraint \"{index}\""));
    error.with_detail(format!("Key (conrelid, contypid, conname)=({table}, 0, {name}) already exists."))
}
