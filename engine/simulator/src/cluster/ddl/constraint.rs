//! Constraints of a table, as CREATE TABLE and ALTER TABLE make and drop them: `DefineIndex`
//! (src/backend/commands/indexcmds.c) of those with an index, `ATAddForeignKeyConstraint` and `ATExecDropConstraint`
//! (src/backend/commands/tablecmds.c), `StoreRelCheck` (src/backend/catalog/heap.c).

use super::index::{IndexSpec, KeySpec, quote_identifier};
use crate::cluster::Cluster;
use crate::cluster::catalog_rows::CatalogRow;
use crate::cluster::pg_class::{Constraint, ExprId, ForeignActions};
use crate::storage::{Deferrable, FileId, GistForm, RelationData};
use crate::version::Behaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{Attribute, SqlError, TupleDesc};
use ffviz_format::page::Oid;

/// OIDs that a foreign key uses up: the constraint, and two triggers on each table.
const OIDS_OF_FOREIGN_KEY: usize = 5;
/// `NAMEDATALEN` without the zero byte
const LONGEST_NAME: usize = 63;

/// PRIMARY KEY or UNIQUE to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexConstraint {
    /// CONSTRAINT
    pub name: Option<String>,
    /// key columns, by `attnum`
    pub columns: Vec<u16>,
    /// columns of INCLUDE
    pub include: Vec<u16>,
    /// PRIMARY KEY?
    pub primary: bool,
    /// DEFERRABLE
    pub deferrable: Deferrable,
    /// NULLS NOT DISTINCT?
    pub nulls_not_distinct: bool,
    /// of a key WITHOUT OVERLAPS, and EXCLUDE
    pub gist: Option<GistForm>,
    /// reloptions of the index
    pub fillfactor: Option<u8>,
    /// likewise
    pub deduplicate_items: bool,
    /// file and number of an index that goes, which it takes over
    pub reuses: Option<(FileId, Oid)>,
}

/// CHECK to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckConstraint {
    /// CONSTRAINT
    pub name: Option<String>,
    /// the columns that it names, by `attnum`
    pub columns: Vec<u16>,
    /// what it asks
    pub expr: ExprId,
    /// not NOT VALID
    pub validated: bool,
    /// ENFORCED: is it asked of rows?
    pub enforced: bool,
    /// NO INHERIT: have children no such one?
    pub no_inherit: bool,
}

/// REFERENCES to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct ForeignKey {
    /// CONSTRAINT
    pub name: Option<String>,
    /// columns, by `attnum`
    pub columns: Vec<u16>,
    /// the columns that they refer to
    pub columns_to: Vec<u16>,
    /// the table referred to
    pub referenced: Oid,
    /// the index of its key
    pub index: Oid,
    /// ON UPDATE, ON DELETE
    pub actions: ForeignActions,
    /// the columns that ON DELETE sets; none: all
    pub deleted: Vec<u16>,
    /// DEFERRABLE
    pub deferrable: Deferrable,
    /// not NOT VALID
    pub validated: bool,
    /// not NOT ENFORCED
    pub enforced: bool,
}

impl Cluster {
    /// PRIMARY KEY or UNIQUE of a table, with its index, which is empty. Gives the index.
    ///
    /// # Errors
    /// A name that is taken; a second primary key.
    pub fn add_index_constraint(&mut self, table: Oid, constraint: &IndexConstraint) -> Result<Oid, SqlError> {
        let IndexConstraint { name, columns, include, primary, nulls_not_distinct, fillfactor, .. } = constraint;
        self.check_primary(table, *primary)?;
        let (relation, schema) = (self.pg.relation(table)?, self.schema_of(table).to_string());
        let name = match name {
            Some(name) => name.clone(),
            None if *primary => self.choose_index_name(&schema, &relation.name, "", "pkey"),
            None => self.choose_index_name(&schema, &relation.name, &joined_names(&relation, columns, include), "key"),
        };
        self.check_new_name(&schema, &name)?;
        if self.has_constraint(table, &name) {
            return Err(self.duplicate_constraint(table, &name));
        }
        let keys = columns.iter().chain(include).filter_map(|attnum| key(&relation, *attnum)).collect();
        let index = self.define_index(&IndexSpec {
            unique: true,
            primary: *primary,
            nulls_not_distinct: *nulls_not_distinct,
            n_keys: columns.len() as u16,
            fillfactor: *fillfactor,
            deduplicate_items: constraint.deduplicate_items,
            deferrable: constraint.deferrable,
            gist: constraint.gist.clone(),
            reuses: constraint.reuses,
            ..IndexSpec::new(table, &name, keys)
        });
        // the row of pg_constraint
        self.use_oids(1);
        self.edit_class(table, |class| class.constraints.push(Constraint::Index(index)));
        self.add_recheck_trigger(table, constraint.deferrable);
        Ok(index)
    }

    /// EXCLUDE of a table, with its index, which is empty. Gives the index.
    ///
    /// # Errors
    /// A name that is taken.
    pub fn add_exclusion(&mut self, table: Oid, name: Option<&str>, spec: IndexSpec) -> Result<Oid, SqlError> {
        let (relation, schema) = (self.pg.relation(table)?, self.schema_of(table).to_string());
        let name = match name {
            Some(name) => name.to_string(),
            None => {
                let names: Vec<&str> = spec.columns.iter().map(|column| column.name.as_str()).collect();
                self.choose_index_name(&schema, &relation.name, &names.join("_"), "excl")
            }
        };
        self.check_new_name(&schema, &name)?;
        if self.has_constraint(table, &name) {
            return Err(self.duplicate_constraint(table, &name));
        }
        let index = self.define_index(&IndexSpec { name, ..spec });
        // the row of pg_constraint
        self.use_oids(1);
        self.edit_class(table, |class| class.constraints.push(Constraint::Index(index)));
        Ok(index)
    }

    /// `index_check_primary_key`
    ///
    /// # Errors
    /// PostgreSQL's, of a second one.
    pub fn check_primary(&self, table: Oid, primary: bool) -> Result<(), SqlError> {
        let relation = self.pg.relation(table)?;
        let is_primary = |index: &Oid| {
            let form = self.pg.relations.get(index).and_then(|index| index.index.as_ref());
            form.is_some_and(|form| form.primary)
        };
        if primary && relation.indexes.iter().any(is_primary) {
            let message = format!("multiple primary keys for table \"{}\" are not allowed", relation.name);
            return Err(SqlError::new("42P16", message));
        }
        Ok(())
    }

    /// `index_constraint_create`: a deferrable key has a trigger that looks for duplicates later.
    fn add_recheck_trigger(&mut self, table: Oid, deferrable: Deferrable) {
        if deferrable != Deferrable::No {
            self.use_oids(1);
            self.set_has_triggers(table);
        }
    }

    /// ALTER CONSTRAINT of a foreign key: when it is checked.
    pub fn set_deferrable(&mut self, table: Oid, name: &str, when: Deferrable) {
        self.pg.current_xid();
        self.edit_class(table, |class| {
            for constraint in &mut class.constraints {
                match constraint {
                    Constraint::Foreign { name: its, deferrable, .. } if its == name => *deferrable = when,
                    _ => {}
                }
            }
        });
        self.use_commands(1);
    }

    /// ALTER CONSTRAINT … ENFORCED of a foreign key, whose triggers come or go with it.
    pub fn set_enforced(&mut self, table: Oid, name: &str, to: bool) {
        self.pg.current_xid();
        let mut changed = None;
        self.edit_class(table, |class| {
            for constraint in &mut class.constraints {
                if let Constraint::Foreign { name: its, enforced, validated, .. } = constraint
                    && its == name
                {
                    (*enforced, *validated) = (to, to);
                    changed = Some(constraint.clone());
                }
            }
        });
        let Some(foreign) = changed else { return };
        if to {
            self.use_oids(OIDS_OF_FOREIGN_KEY - 1);
            if let Constraint::Foreign { table: referenced, .. } = foreign {
                self.set_has_triggers(table);
                self.set_has_triggers(referenced);
            }
        }
        self.change_triggers(core::slice::from_ref(&foreign));
        self.use_commands(if to { 4 } else { 5 });
    }

    /// ADD CONSTRAINT … USING INDEX: the index becomes that of the constraint, and has its name.
    pub fn adopt_index(&mut self, table: Oid, index: Oid, name: &str, primary: bool, deferrable: Deferrable) {
        self.pg.current_xid();
        self.rename_relation(index, name);
        self.edit_relation(index, |relation| {
            if let Some(form) = &mut relation.index {
                form.primary = primary;
                form.deferrable = deferrable;
            }
        });
        self.write_row(CatalogRow::Index(index));
        self.use_oids(1);
        self.set_index_columns(table);
        self.edit_class(table, |class| class.constraints.push(Constraint::Index(index)));
        self.add_recheck_trigger(table, deferrable);
        self.use_commands(1);
    }

    /// `index_concurrently_swap`: what the old index is to the table is the new one from now on.
    pub fn swap_constraints(&mut self, table: Oid, old: Oid, new: Oid) {
        let form = self.pg.relations.get(&old).and_then(|index| index.index.as_ref());
        let (primary, deferrable) = form.map_or((false, Deferrable::No), |form| (form.primary, form.deferrable));
        for (index, primary, deferrable) in [(old, false, Deferrable::No), (new, primary, deferrable)] {
            self.edit_relation(index, |relation| {
                if let Some(form) = &mut relation.index {
                    (form.primary, form.deferrable) = (primary, deferrable);
                }
            });
        }
        let is_of = |constraint: &Constraint| match constraint {
            Constraint::Index(index) | Constraint::Foreign { index, .. } => *index == old,
            Constraint::Check { .. } | Constraint::NotNull { .. } => false,
        };
        let classes = self.catalog.classes().filter(|class| class.constraints.iter().any(is_of));
        let changed: Vec<Oid> = classes.map(|class| class.oid).collect();
        for oid in changed {
            self.edit_class(oid, |class| {
                for constraint in &mut class.constraints {
                    match constraint {
                        Constraint::Index(index) | Constraint::Foreign { index, .. } if *index == old => *index = new,
                        _ => {}
                    }
                }
            });
        }
        if self.catalog.class(table).is_some_and(|class| class.clustered == Some(old)) {
            self.edit_class(table, |class| class.clustered = Some(new));
        }
    }

    /// CHECK of a table, with the name that it has or gets.
    ///
    /// # Errors
    /// A name that one of its constraints has.
    pub fn add_check(&mut self, table: Oid, check: &CheckConstraint) -> Result<(), SqlError> {
        self.pg.current_xid();
        let relation = self.pg.relation(table)?;
        let name = match &check.name {
            Some(name) if self.has_constraint(table, name) => {
                return Err(self.duplicate_constraint(table, name));
            }
            Some(name) => name.clone(),
            None => {
                let column =
                    if let [one] = check.columns[..] { joined_names(&relation, &[one], &[]) } else { String::new() };
                self.choose_constraint_name(self.schema_of(table), &relation.name, &column, "check")
            }
        };
        self.use_oids(1);
        let CheckConstraint { columns, expr, validated, enforced, no_inherit, .. } = check.clone();
        self.edit_class(table, |class| {
            class.constraints.push(Constraint::Check { name, columns, expr, validated, enforced, no_inherit });
        });
        Ok(())
    }

    /// REFERENCES of a table.
    ///
    /// # Errors
    /// A name that one of its constraints has.
    pub fn add_foreign_key(&mut self, table: Oid, key: &ForeignKey) -> Result<(), SqlError> {
        let relation = self.pg.relation(table)?;
        let name = match &key.name {
            Some(name) if self.has_constraint(table, name) => {
                return Err(self.duplicate_constraint(table, name));
            }
            _ => self.foreign_key_name(&relation, key),
        };
        self.pg.current_xid();
        let ForeignKey { columns, columns_to, referenced, index, actions, deleted, .. } = key.clone();
        let ForeignKey { deferrable, validated, enforced, .. } = *key;
        let foreign = Constraint::Foreign {
            name,
            columns,
            table: referenced,
            columns_to,
            index,
            actions,
            deleted,
            deferrable,
            validated,
            enforced,
        };
        // the row of pg_constraint and those of the triggers, of which one that is not enforced has none
        self.use_oids(if enforced { OIDS_OF_FOREIGN_KEY } else { 1 });
        self.use_commands(if enforced { 4 } else { 1 });
        if enforced {
            self.set_has_triggers(table);
            self.set_has_triggers(referenced);
        }
        self.change_triggers(core::slice::from_ref(&foreign));
        self.edit_class(table, |class| class.constraints.push(foreign));
        Ok(())
    }

    /// The name that a foreign key has or gets.
    #[must_use]
    pub fn foreign_key_name(&self, relation: &RelationData, key: &ForeignKey) -> String {
        let (columns, schema) = (joined_names(relation, &key.columns, &[]), self.schema_of(relation.oid));
        let chosen = || self.choose_constraint_name(schema, &relation.name, &columns, "fkey");
        key.name.clone().unwrap_or_else(chosen)
    }

    /// `relhastriggers`, which takes a command where it is new (`CreateTrigger`).
    pub(in crate::cluster) fn set_has_triggers(&mut self, table: Oid) {
        if self.catalog.class(table).is_some_and(|class| !class.stats.has_triggers) {
            self.update_class_row(table);
            self.use_commands(1);
            self.edit_class(table, |class| class.stats.has_triggers = true);
        }
    }

    /// `transformFkeyCheckAttrs`: the unique index of the columns referred to; without any, that of the primary key.
    ///
    /// # Errors
    /// PostgreSQL's, where there is none.
    pub fn referenced_index(&self, table: Oid, columns: &[u16]) -> Result<Oid, SqlError> {
        let relation = self.pg.relation(table)?;
        let fits = |index: &Oid| {
            let form = self.pg.relations.get(index).and_then(|index| index.index.as_ref());
            form.is_some_and(|form| {
                let keys: Vec<u16> = form.columns.iter().take(form.n_keys.into()).map(|key| key.attnum).collect();
                let is_it = match columns {
                    [] => form.primary,
                    _ => keys.len() == columns.len() && columns.iter().all(|wanted| keys.contains(wanted)),
                };
                form.unique && form.gist.is_none() && !form.partial && !form.invalid && is_it
            })
        };
        let is_deferrable = |index: &Oid| {
            let form = self.pg.relations.get(index).and_then(|index| index.index.as_ref());
            form.is_some_and(|form| form.deferrable != Deferrable::No)
        };
        let found = relation.indexes.iter().copied().find(|index| fits(index) && !is_deferrable(index));
        found.ok_or_else(|| {
            let name = &relation.name;
            if relation.indexes.iter().any(fits) {
                let what = if columns.is_empty() { "primary key" } else { "unique constraint" };
                let message = format!("cannot use a deferrable {what} for referenced table \"{name}\"");
                return SqlError::new("55000", message);
            }
            if columns.is_empty() {
                return SqlError::new("42704", format!("there is no primary key for referenced table \"{name}\""));
            }
            let what = "unique constraint matching given keys for referenced table";
            SqlError::new("42830", format!("there is no {what} \"{name}\""))
        })
    }

    /// A table's constraint, by its name.
    #[must_use]
    pub fn find_constraint(&self, table: Oid, name: &str) -> Option<Constraint> {
        let class = self.catalog.class(table)?;
        class.constraints.iter().find(|constraint| self.catalog.constraint_name(constraint) == name).cloned()
    }

    fn has_constraint(&self, table: Oid, name: &str) -> bool {
        self.find_constraint(table, name).is_some()
    }

    /// DROP CONSTRAINT; its index goes with it.
    pub fn drop_constraint(&mut self, table: Oid, gone: &Constraint) {
        self.pg.current_xid();
        self.drop_constraints(table, |constraint| constraint == gone);
        if let Constraint::Index(index) = gone {
            self.drop_relation(*index);
        }
    }

    /// VALIDATE CONSTRAINT: it holds for all rows.
    pub fn set_validated(&mut self, table: Oid, name: &str) {
        self.pg.current_xid();
        self.edit_class(table, |class| {
            for constraint in &mut class.constraints {
                match constraint {
                    Constraint::Check { name: its, validated, .. }
                    | Constraint::NotNull { name: its, validated, .. }
                    | Constraint::Foreign { name: its, validated, .. }
                        if its == name =>
                    {
                        *validated = true;
                    }
                    _ => {}
                }
            }
        });
        self.use_commands(1);
    }

    /// Commands that from 18 on it takes to find that a column is NOT NULL already, where an index becomes that of the
    /// primary key.
    #[must_use]
    pub fn commands_of_known_not_null(&self, table: Oid, attnum: u16) -> u32 {
        let column =
            |table: &Arc<RelationData>| table.desc.attributes().get(usize::from(attnum - 1)).map(|it| it.not_null);
        let is_known = self.pg.relations.get(&table).and_then(column) == Some(true);
        u32::from(is_known && self.version().catalogs_not_null())
    }

    /// The row of `pg_constraint` that NOT NULL has from 18 on.
    #[must_use]
    pub fn oids_of_not_null(&self) -> usize {
        usize::from(self.version().catalogs_not_null())
    }

    /// Changes what is known of a relation's columns.
    pub(super) fn edit_columns(&mut self, relation: Oid, change: impl FnOnce(&mut [Attribute])) {
        self.edit_relation(relation, |relation| {
            let mut columns = relation.desc.attributes().to_vec();
            change(&mut columns);
            let mut desc = TupleDesc::new(columns);
            for index in 0..relation.desc.attributes().len() {
                desc.set_missing(index, relation.desc.missing(index));
            }
            relation.desc = Arc::new(desc);
        });
    }

    /// `ChooseRelationName` of the index of a constraint.
    fn choose_index_name(&self, schema: &str, table: &str, column: &str, label: &str) -> String {
        let is_free = |name: &String| !self.is_taken(schema, name) && !self.is_constraint(schema, name);
        object_names(table, column, label).find(is_free).unwrap_or_default()
    }

    /// `ChooseConstraintName`
    pub(super) fn choose_constraint_name(&self, schema: &str, table: &str, column: &str, label: &str) -> String {
        object_names(table, column, label).find(|name| !self.is_constraint(schema, name)).unwrap_or_default()
    }

    /// Is there a constraint of that name in the schema?
    fn is_constraint(&self, schema: &str, name: &str) -> bool {
        let classes = self.catalog.classes().filter(|class| class.schema == schema);
        let mut constraints = classes.flat_map(|class| &class.constraints);
        constraints.any(|constraint| self.catalog.constraint_name(constraint) == name)
    }

    /// `ChooseRelationName`: `table_column_label`, with a number where that is taken in the schema.
    #[must_use]
    pub fn choose_name(&self, schema: &str, table: &str, column: &str, label: &str) -> String {
        object_names(table, column, label).find(|name| !self.is_taken(schema, name)).unwrap_or_default()
    }
}

/// `makeObjectName`: the first and then with numbers. Of names that are too long as much as there is room for, more of
/// the longer one.
pub fn object_names(table: &str, column: &str, label: &str) -> impl Iterator<Item = String> {
    let labels = core::iter::once(label.to_string()).chain((1..).map(move |n| format!("{label}{n}")));
    labels.map(move |label| {
        let overhead = 1 + label.len() + usize::from(!column.is_empty());
        let room = LONGEST_NAME.saturating_sub(overhead);
        let (mut first, mut second) = (table.len(), column.len());
        while first + second > room {
            if first > second {
                first -= 1;
            } else {
                second -= 1;
            }
        }
        let (first, second) = (clipped(table, first), clipped(column, second));
        if column.is_empty() { format!("{first}_{label}") } else { format!("{first}_{second}_{label}") }
    })
}

/// `pg_mbcliplen`
fn clipped(name: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(name.len())).rev().find(|end| name.is_char_boundary(*end)).unwrap_or(0);
    &name[..end]
}

/// Names of columns, as names of constraints have them.
fn joined_names(relation: &RelationData, columns: &[u16], more: &[u16]) -> String {
    let name =
        |attnum: &u16| relation.desc.attributes().get(usize::from(*attnum) - 1).map(|column| column.name.as_str());
    columns.iter().chain(more).filter_map(name).collect::<Vec<_>>().join("_")
}

fn key(relation: &RelationData, attnum: u16) -> Option<KeySpec> {
    let column = relation.desc.attributes().get(usize::from(attnum).checked_sub(1)?)?;
    let text = Some(quote_identifier(&column.name));
    let ty = column.ty();
    Some(KeySpec { attnum, name: column.name.clone(), text, ty, desc: false, nulls_first: false, pattern: false })
}
