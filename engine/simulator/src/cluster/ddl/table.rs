//! CREATE TABLE: sequences of serial columns, the table, its TOAST table, then indexes of constraints (`DefineRelation`,
//! src/backend/commands/tablecmds.c; `transformCreateStmt`, src/backend/parser/parse_utilcmd.c).

use super::index::{IndexSpec, KeySpec, quote_identifier};
use crate::cluster::catalog::{ColumnDefault, Constraint, SequenceForm};
use crate::cluster::catalog_rows::CatalogRow;
use crate::cluster::sequence::{SequenceData, sequence_columns};
use crate::cluster::{Class, Cluster};
use crate::storage::TableAm;
use crate::version::Behaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::{Attribute, SqlError, SqlType};
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// OIDs that a foreign key uses up: the constraint, and two triggers on each table.
const OIDS_OF_FOREIGN_KEY: usize = 5;

/// A table to be made.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableSpec {
    /// its name
    pub name: String,
    /// UNLOGGED?
    pub unlogged: bool,
    /// columns
    pub columns: Vec<ColumnSpec>,
    /// in the order written
    pub constraints: Vec<ConstraintSpec>,
    /// reloption `fillfactor`
    pub fillfactor: Option<u8>,
    /// reloption `toast_tuple_target`
    pub toast_tuple_target: Option<u16>,
}

/// A column to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnSpec {
    /// name
    pub name: String,
    /// type
    pub ty: SqlType,
    /// NOT NULL
    pub not_null: bool,
    /// DEFAULT
    pub default: DefaultSpec,
}

/// Where the value of a column is to come from when INSERT gives none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefaultSpec {
    /// NULL
    Null,
    /// an expression
    Expr,
    /// serial
    Serial,
    /// GENERATED AS IDENTITY
    Identity {
        /// ALWAYS
        always: bool,
    },
}

/// A constraint to be made.
#[derive(Debug, Clone, PartialEq)]
pub enum ConstraintSpec {
    /// PRIMARY KEY, UNIQUE
    Index {
        /// CONSTRAINT
        name: Option<String>,
        /// key columns, from 0
        columns: Vec<usize>,
        /// columns of INCLUDE, from 0
        include: Vec<usize>,
        /// PRIMARY KEY?
        primary: bool,
        /// reloptions of the index
        fillfactor: Option<u8>,
        /// likewise
        deduplicate_items: bool,
    },
    /// REFERENCES
    Foreign {
        /// CONSTRAINT
        name: Option<String>,
        /// columns, from 0
        columns: Vec<usize>,
        /// the table referred to; its own name, where it is itself
        table: String,
        /// its columns; none: its primary key
        referenced: Vec<String>,
    },
}

impl Cluster {
    /// CREATE TABLE. Gives the table's oid and those of the indexes.
    ///
    /// # Errors
    /// PostgreSQL's.
    pub fn create_table(&mut self, spec: &TableSpec) -> Result<(Oid, Vec<Oid>), SqlError> {
        self.check_new_name(&spec.name)?;
        check_column_count(spec.columns.len())?;
        let sequences = self.create_sequences(spec)?;
        let oid = self.define_table(spec, &sequences);
        // rows of the undo engine's tables stay on their pages
        if self.pg.settings.default_table_am == TableAm::Heap {
            self.create_toast_table(oid);
        }
        let mut indexes = Vec::new();
        // the primary key is made first, wherever it was written
        let (primary, others): (Vec<_>, Vec<_>) =
            spec.constraints.iter().partition(|constraint| is_primary(constraint));
        for constraint in primary.into_iter().chain(others) {
            match constraint {
                ConstraintSpec::Index { .. } => indexes.push(self.create_constraint_index(oid, spec, constraint)?),
                ConstraintSpec::Foreign { .. } => self.create_foreign_key(oid, spec, constraint)?,
            }
        }
        Ok((oid, indexes))
    }

    /// A name that no relation has.
    ///
    /// # Errors
    /// PostgreSQL's, where one has.
    pub fn check_new_name(&self, name: &str) -> Result<(), SqlError> {
        match self.is_taken(name) {
            true => Err(SqlError::new("42P07", format!("relation \"{name}\" already exists"))),
            false => Ok(()),
        }
    }

    /// The sequences of serial and identity columns, by column.
    fn create_sequences(&mut self, spec: &TableSpec) -> Result<Vec<Option<Oid>>, SqlError> {
        let mut sequences = Vec::new();
        for column in &spec.columns {
            let is_sequence = matches!(column.default, DefaultSpec::Serial | DefaultSpec::Identity { .. });
            // sequences of UNLOGGED tables are logged before 15
            let permanent = !(spec.unlogged && self.version().has_unlogged_sequences());
            sequences.push(match is_sequence {
                true => Some(self.create_sequence(&spec.name, column, permanent)?),
                false => None,
            });
        }
        Ok(sequences)
    }

    pub(super) fn create_sequence(
        &mut self,
        table: &str,
        column: &ColumnSpec,
        permanent: bool,
    ) -> Result<Oid, SqlError> {
        let name = self.choose_name(table, &column.name, "seq");
        let max = match column.ty.typlen() {
            2 => i64::from(i16::MAX),
            4 => i64::from(i32::MAX),
            8 => i64::MAX,
            _ => return Err(SqlError::new("22023", "identity column type must be smallint, integer, or bigint")),
        };
        let typid = column.ty.oid;
        let form = SequenceForm { start: 1, increment: 1, max, min: 1, cache: 1, cycle: false, typid };
        Ok(self.define_sequence(&name, form, SequenceData::first(1), permanent))
    }

    /// `DefineSequence`
    pub fn define_sequence(&mut self, name: &str, form: SequenceForm, data: SequenceData, permanent: bool) -> Oid {
        self.pg.current_xid();
        let oid = self.pg.new_object_id();
        let file = self.create_file(oid, oid, permanent);
        self.use_oids(usize::from(self.version().has_toast_row_types()));
        let mut class = Class::new(oid, name.to_string(), RelKind::Sequence);
        class.sequence = Some(form);
        let relation = self.new_relation(&class, file, sequence_columns().attributes().to_vec());
        if !permanent {
            self.create_init_fork(file);
        }
        self.add(class, relation.clone());
        self.fill_sequence(&relation, data);
        self.write_row(CatalogRow::Sequence(oid));
        self.use_commands(2);
        oid
    }

    /// `heap_create_with_catalog` and what comes with the columns.
    fn define_table(&mut self, spec: &TableSpec, sequences: &[Option<Oid>]) -> Oid {
        self.pg.current_xid();
        let oid = self.pg.new_object_id();
        let file = self.create_file(oid, oid, !spec.unlogged);
        if spec.unlogged {
            self.create_init_fork(file);
        }
        // the array type, the row type
        self.use_oids(2);
        let keys = primary_columns(spec);
        let mut class = Class::new(oid, spec.name.clone(), RelKind::Table);
        class.stats = self.new_stats();
        let mut columns = Vec::new();
        for (n, column) in spec.columns.iter().enumerate() {
            let mut attribute: Attribute = column.ty.attribute(n as u16 + 1, &column.name);
            attribute.not_null = column.not_null || keys.contains(&n);
            columns.push(attribute);
            class.defaults.push(match (column.default, sequences[n]) {
                (DefaultSpec::Serial, Some(sequence)) => ColumnDefault::Sequence(sequence),
                (DefaultSpec::Identity { always }, Some(sequence)) => ColumnDefault::Identity { sequence, always },
                (DefaultSpec::Expr, _) => ColumnDefault::Expr,
                _ => ColumnDefault::Null,
            });
        }
        let has_row = |default: &&ColumnDefault| matches!(default, ColumnDefault::Expr | ColumnDefault::Sequence(_));
        let defaults = class.defaults.iter().filter(has_row).count();
        self.use_oids(defaults);
        self.use_commands(1);
        if defaults > 0 {
            self.write_row(CatalogRow::Defaults(oid));
            self.use_commands(1);
            self.write_row(CatalogRow::Defaults(oid));
        }
        if self.version().catalogs_not_null() {
            let not_null = columns.iter().filter(|column| column.not_null).count();
            self.use_oids(not_null);
            self.use_commands(u32::from(not_null > 0));
        }
        let mut relation = self.new_relation(&class, file, columns);
        relation.fillfactor = spec.fillfactor;
        relation.toast_tuple_target = spec.toast_tuple_target.unwrap_or(relation.toast_tuple_target);
        self.add(class, relation);
        for (sequence, attnum) in sequences.iter().zip(1..) {
            let Some(sequence) = sequence else { continue };
            self.write_row(CatalogRow::Sequence(*sequence));
            self.own_sequence(*sequence, Some((oid, attnum)));
            self.use_commands(1);
        }
        oid
    }

    /// `process_owned_by`: it goes with the table, and with the column.
    pub fn own_sequence(&mut self, sequence: Oid, owner: Option<(Oid, u16)>) {
        self.edit_class(sequence, |class| {
            class.table = owner.map(|(table, _)| table);
            class.depends = owner.iter().map(|(_, attnum)| *attnum).collect();
        });
    }

    fn create_constraint_index(
        &mut self,
        table: Oid,
        spec: &TableSpec,
        constraint: &ConstraintSpec,
    ) -> Result<Oid, SqlError> {
        let ConstraintSpec::Index { name, columns, include, primary, fillfactor, deduplicate_items } = constraint
        else {
            return Err(SqlError::new("XX000", "not a constraint with an index"));
        };
        let joined =
            columns.iter().chain(include).map(|n| spec.columns[*n].name.as_str()).collect::<Vec<_>>().join("_");
        let name = match name {
            Some(name) => name.clone(),
            None if *primary => self.choose_name(&spec.name, "", "pkey"),
            None => self.choose_name(&spec.name, &joined, "key"),
        };
        self.check_new_name(&name)?;
        let keys = columns.iter().chain(include).map(|n| key(&spec.columns[*n], *n)).collect();
        let index = self.define_index(&IndexSpec {
            unique: true,
            primary: *primary,
            n_keys: columns.len() as u16,
            fillfactor: *fillfactor,
            deduplicate_items: *deduplicate_items,
            ..IndexSpec::new(table, &name, keys)
        });
        // the row of pg_constraint
        self.use_oids(1);
        self.build_empty(index);
        self.edit_class(table, |class| class.constraints.push(Constraint::Index(index)));
        Ok(index)
    }

    fn create_foreign_key(&mut self, oid: Oid, spec: &TableSpec, constraint: &ConstraintSpec) -> Result<(), SqlError> {
        let ConstraintSpec::Foreign { name, columns, table, referenced } = constraint else { return Ok(()) };
        let target = self.open(table)?;
        let index = self.referenced_index(target.oid, table, referenced)?;
        self.use_oids(OIDS_OF_FOREIGN_KEY);
        let joined = columns.iter().map(|n| spec.columns[*n].name.as_str()).collect::<Vec<_>>().join("_");
        let name = name.clone().unwrap_or_else(|| format!("{}_{joined}_fkey", spec.name));
        let columns = columns.iter().map(|n| *n as u16 + 1).collect();
        let foreign = Constraint::Foreign { name, columns, table: target.oid, index };
        // the row of pg_constraint and those of the triggers
        self.use_commands(4);
        self.set_has_triggers(oid);
        self.set_has_triggers(target.oid);
        self.change_triggers(core::slice::from_ref(&foreign));
        self.edit_class(oid, |class| class.constraints.push(foreign));
        Ok(())
    }

    /// `relhastriggers`, which takes a command where it is new (`CreateTrigger`).
    fn set_has_triggers(&mut self, table: Oid) {
        if self.catalog.class(table).is_some_and(|class| !class.stats.has_triggers) {
            self.update_class_row(table);
            self.use_commands(1);
            self.edit_class(table, |class| class.stats.has_triggers = true);
        }
    }

    /// `transformFkeyCheckAttrs`: the unique index of the columns referred to.
    fn referenced_index(&self, table: Oid, name: &str, columns: &[String]) -> Result<Oid, SqlError> {
        let relation = self.pg.relation(table)?;
        let number = |column: &String| relation.desc.attributes().iter().position(|it| it.name == *column);
        let wanted: Vec<Option<u16>> = columns.iter().map(|column| number(column).map(|n| n as u16 + 1)).collect();
        let fits = |index: &Oid| {
            let form = self.pg.relations.get(index).and_then(|index| index.index.as_ref());
            form.is_some_and(|form| {
                let keys: Vec<Option<u16>> =
                    form.columns.iter().take(form.n_keys.into()).map(|k| Some(k.attnum)).collect();
                let is_it = if wanted.is_empty() { form.primary } else { wanted.iter().all(|w| keys.contains(w)) };
                form.unique && !form.partial && is_it && (wanted.is_empty() || keys.len() == wanted.len())
            })
        };
        relation.indexes.iter().copied().find(|index| fits(index)).ok_or_else(|| {
            let message = match wanted.is_empty() {
                true => format!("there is no primary key for referenced table \"{name}\""),
                false => format!("there is no unique constraint matching given keys for referenced table \"{name}\""),
            };
            SqlError::new("42830", message)
        })
    }

    /// `ChooseRelationName`: `table_column_label`, with a number where that is taken.
    #[must_use]
    pub fn choose_name(&self, table: &str, column: &str, label: &str) -> String {
        let joined = if column.is_empty() { table.to_string() } else { format!("{table}_{column}") };
        let numbered = (1..).map(|n| format!("{joined}_{label}{n}"));
        let mut names = core::iter::once(format!("{joined}_{label}")).chain(numbered);
        names.find(|name| !self.is_taken(name)).unwrap_or_default()
    }
}

/// `MaxHeapAttributeNumber`
///
/// # Errors
/// More than that.
pub(super) fn check_column_count(count: usize) -> Result<(), SqlError> {
    const MOST: usize = 1600;
    if count > MOST {
        return Err(SqlError::new("54011", format!("tables can have at most {MOST} columns")));
    }
    Ok(())
}

const fn is_primary(constraint: &ConstraintSpec) -> bool {
    matches!(constraint, ConstraintSpec::Index { primary: true, .. })
}

fn primary_columns(spec: &TableSpec) -> &[usize] {
    let primary = spec.constraints.iter().find_map(|constraint| match constraint {
        ConstraintSpec::Index { columns, primary: true, .. } => Some(&columns[..]),
        _ => None,
    });
    primary.unwrap_or(&[])
}

fn key(column: &ColumnSpec, n: usize) -> KeySpec {
    let text = Some(quote_identifier(&column.name));
    KeySpec { attnum: n as u16 + 1, name: column.name.clone(), text, ty: column.ty, desc: false, nulls_first: false }
}
