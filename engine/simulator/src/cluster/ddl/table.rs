//! CREATE TABLE: sequences of serial columns, then the table (`DefineRelation`, src/backend/commands/tablecmds.c;
//! `transformCreateStmt`, src/backend/parser/parse_utilcmd.c). Its constraints are added one by one, its TOAST table
//! behind those that are CHECKs.

use super::constraint::CheckConstraint;
use crate::cluster::catalog_rows::CatalogRow;
use crate::cluster::partition::PartitionKey;
use crate::cluster::pg_class::{ColumnDefault, ExprId, OnCommit, SequenceForm};
use crate::cluster::sequence::{SequenceData, sequence_columns};
use crate::cluster::{Class, Cluster};
use crate::storage::{Persistence, VacuumOptions};
use crate::version::Behaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::{Attribute, SqlError, SqlType};
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// A table to be made.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableSpec {
    /// its schema
    pub schema: String,
    /// its name
    pub name: String,
    /// UNLOGGED, TEMPORARY?
    pub persistence: Persistence,
    /// ON COMMIT
    pub on_commit: OnCommit,
    /// columns
    pub columns: Vec<ColumnSpec>,
    /// reloption `fillfactor`
    pub fillfactor: Option<u8>,
    /// reloption `toast_tuple_target`
    pub toast_tuple_target: Option<u16>,
    /// reloptions about VACUUM
    pub vacuum: VacuumOptions,
    /// PARTITION BY
    pub partition_key: Option<PartitionKey>,
}

/// A column to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnSpec {
    /// name
    pub name: String,
    /// type
    pub ty: SqlType,
    /// NOT NULL, also of a primary key
    pub not_null: bool,
    /// DEFAULT
    pub default: DefaultSpec,
    /// `attstorage`, where it is not the type's
    pub storage: Option<char>,
    /// is it COMPRESSION pglz?
    pub compressed: bool,
    /// the domain that its type is that of
    pub domain: Option<Oid>,
    /// SEQUENCE NAME of an identity: schema, where it is not the table's, and name
    pub sequence_name: Option<(Option<String>, String)>,
}

impl ColumnSpec {
    /// As `pg_attribute` has it, with that number.
    #[must_use]
    pub fn attribute(&self, attnum: u16) -> Attribute {
        let mut attribute = self.ty.attribute(attnum, &self.name);
        attribute.not_null = self.not_null;
        attribute.storage = self.storage.unwrap_or(attribute.storage);
        attribute
    }
}

/// Where the value of a column is to come from when INSERT gives none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefaultSpec {
    /// NULL
    Null,
    /// an expression
    Expr(ExprId),
    /// GENERATED ALWAYS AS (…) STORED
    Generated(ExprId),
    /// GENERATED ALWAYS AS (…) VIRTUAL
    Virtual(ExprId),
    /// serial
    Serial,
    /// GENERATED AS IDENTITY
    Identity {
        /// ALWAYS
        always: bool,
        /// its sequence, and the row that this begins with
        sequence: (SequenceForm, SequenceData),
    },
}

impl DefaultSpec {
    /// Has it a row in `pg_attrdef`?
    #[must_use]
    pub const fn has_row(self) -> bool {
        matches!(self, Self::Expr(_) | Self::Generated(_) | Self::Virtual(_) | Self::Serial)
    }

    /// What the catalog says of it; `sequence`: that of serial and identity.
    #[must_use]
    pub const fn entry(self, sequence: Option<Oid>) -> ColumnDefault {
        match (self, sequence) {
            (Self::Serial, Some(sequence)) => ColumnDefault::Sequence(sequence),
            (Self::Identity { always, .. }, Some(sequence)) => ColumnDefault::Identity { sequence, always },
            (Self::Expr(expr), _) => ColumnDefault::Expr(expr),
            (Self::Generated(expr), _) => ColumnDefault::Generated(expr),
            (Self::Virtual(expr), _) => ColumnDefault::Virtual(expr),
            _ => ColumnDefault::Null,
        }
    }
}

impl Cluster {
    /// CREATE TABLE, without its constraints and its TOAST table. Gives the table's oid.
    ///
    /// # Errors
    /// PostgreSQL's.
    pub fn create_table(&mut self, spec: &TableSpec) -> Result<Oid, SqlError> {
        self.check_new_name(&spec.schema, &spec.name)?;
        check_column_count(spec.columns.len())?;
        let sequences = self.create_sequences(spec)?;
        Ok(self.define_table(spec, &sequences))
    }

    /// `AddRelationNewConstraints`: CHECKs of a table that is new.
    ///
    /// # Errors
    /// As [`Self::add_check`].
    pub fn add_checks(&mut self, table: Oid, checks: &[CheckConstraint]) -> Result<(), SqlError> {
        for (n, check) in checks.iter().enumerate() {
            if let Some(name) = check.name.as_ref().filter(|_| checks[..n].iter().any(|other| other.name == check.name))
            {
                return Err(SqlError::new("42710", format!("check constraint \"{name}\" already exists")));
            }
            self.add_check(table, check)?;
        }
        if !checks.is_empty() {
            // `relchecks`
            self.update_class_row(table);
            self.use_commands(1);
        }
        Ok(())
    }

    /// A name that no relation of the schema has.
    ///
    /// # Errors
    /// PostgreSQL's, where one has.
    pub fn check_new_name(&self, schema: &str, name: &str) -> Result<(), SqlError> {
        match self.is_taken(schema, name) {
            true => Err(SqlError::new("42P07", format!("relation \"{name}\" already exists"))),
            false => Ok(()),
        }
    }

    /// The sequences of serial and identity columns, by column.
    fn create_sequences(&mut self, spec: &TableSpec) -> Result<Vec<Option<Oid>>, SqlError> {
        let mut sequences = Vec::new();
        for column in &spec.columns {
            let is_sequence = matches!(column.default, DefaultSpec::Serial | DefaultSpec::Identity { .. });
            let persistence = self.persistence_of_sequence(spec.persistence);
            sequences.push(match is_sequence {
                true => Some(self.create_sequence(&spec.schema, &spec.name, column, persistence)?),
                false => None,
            });
        }
        Ok(sequences)
    }

    /// That of a table's sequences: of UNLOGGED tables they are logged before 15.
    pub(super) fn persistence_of_sequence(&self, table: Persistence) -> Persistence {
        match table {
            Persistence::Unlogged if !self.version().has_unlogged_sequences() => Persistence::Permanent,
            other => other,
        }
    }

    pub(super) fn create_sequence(
        &mut self,
        schema: &str,
        table: &str,
        column: &ColumnSpec,
        persistence: Persistence,
    ) -> Result<Oid, SqlError> {
        let chosen = || (None, self.choose_name(schema, table, &column.name, "seq"));
        let (named_schema, name) = column.sequence_name.clone().unwrap_or_else(chosen);
        let schema = named_schema.as_deref().unwrap_or(schema);
        if let DefaultSpec::Identity { sequence: (form, row), .. } = column.default {
            return Ok(self.define_sequence(schema, &name, form, row, persistence));
        }
        let max = match column.ty.typlen() {
            2 => i64::from(i16::MAX),
            4 => i64::from(i32::MAX),
            _ => i64::MAX,
        };
        let typid = column.ty.oid;
        let form = SequenceForm { start: 1, increment: 1, max, min: 1, cache: 1, cycle: false, typid };
        Ok(self.define_sequence(schema, &name, form, SequenceData::first(1), persistence))
    }

    /// `DefineSequence`
    pub fn define_sequence(
        &mut self,
        schema: &str,
        name: &str,
        form: SequenceForm,
        data: SequenceData,
        persistence: Persistence,
    ) -> Oid {
        self.pg.current_xid();
        let oid = self.pg.new_object_id();
        let file = self.create_file(oid, oid, persistence);
        self.use_oids(usize::from(self.version().has_toast_row_types()));
        let mut class = Class::new(oid, name.to_string(), RelKind::Sequence);
        class.schema = schema.to_string();
        class.sequence = Some(form);
        let relation = self.new_relation(&class, file, sequence_columns().attributes().to_vec());
        self.create_init_fork(file);
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
        let is_partitioned = spec.partition_key.is_some();
        let file = match is_partitioned {
            true => self.no_file(spec.persistence),
            false => self.create_file(oid, oid, spec.persistence),
        };
        if !is_partitioned {
            self.create_init_fork(file);
        }
        self.note_on_commit(spec.on_commit);
        // the array type, the row type
        self.use_oids(1);
        let row_type = self.pg.new_object_id();
        let kind = if is_partitioned { RelKind::PartitionedTable } else { RelKind::Table };
        let mut class = Class::new(oid, spec.name.clone(), kind);
        class.partitioning.key.clone_from(&spec.partition_key);
        if is_partitioned {
            class.filenode = 0;
        }
        class.schema.clone_from(&spec.schema);
        class.row_type = Some(row_type);
        class.on_commit = spec.on_commit;
        class.stats = self.new_stats();
        let mut columns = Vec::new();
        for (n, column) in spec.columns.iter().enumerate() {
            let attnum = n as u16 + 1;
            let mut attribute = column.attribute(attnum);
            self.complete(&mut attribute);
            columns.push(attribute);
            class.compressed.extend(column.compressed.then_some(attnum));
            class.domains.extend(column.domain.map(|domain| (attnum, domain)));
            class.defaults.push(column.default.entry(sequences[n]));
        }
        let defaults = class.defaults.iter().filter(|default| default.has_row()).count();
        self.use_oids(defaults);
        self.use_commands(1);
        if defaults > 0 {
            self.write_row(CatalogRow::Defaults(oid));
            self.use_commands(1);
            self.write_row(CatalogRow::Defaults(oid));
        }
        let mut relation = self.new_relation(&class, file, columns);
        relation.fillfactor = spec.fillfactor;
        relation.toast_tuple_target = spec.toast_tuple_target.unwrap_or(relation.toast_tuple_target);
        relation.vacuum = spec.vacuum;
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
