//! CREATE, DROP and ALTER of tables and indexes.

pub use crate::cluster::pg_class::Firing;
pub use crate::cluster::pg_class::{ForeignAction, ForeignActions, OnCommit};
pub use crate::storage::{Deferrable, Persistence};

use super::{DefElem, Expr, PartitionBy, PartitionOf, RangeVar, Select};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// CREATE TABLE.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateTable {
    /// its name
    pub name: RangeVar,
    /// UNLOGGED, TEMPORARY?
    pub persistence: Persistence,
    /// ON COMMIT
    pub on_commit: Option<OnCommit>,
    /// IF NOT EXISTS
    pub if_not_exists: bool,
    /// columns
    pub columns: Vec<ColumnDef>,
    /// LIKE
    pub likes: Vec<TableLike>,
    /// those of columns and table, but NOT NULL of columns, in the order written
    pub constraints: Vec<Constraint>,
    /// WITH
    pub options: Vec<DefElem>,
    /// INHERITS
    pub inherits: Vec<RangeVar>,
    /// PARTITION BY
    pub partition_by: Option<PartitionBy>,
    /// PARTITION OF: whose columns it has
    pub partition_of: Option<PartitionOf>,
}

/// LIKE of CREATE TABLE: columns as those of another table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableLike {
    /// how many columns are written before it
    pub after: usize,
    /// the other table
    pub name: RangeVar,
    /// INCLUDING: what comes with the columns
    pub including: Vec<LikeOption>,
}

/// What LIKE may take along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LikeOption {
    /// COMMENTS
    Comments,
    /// COMPRESSION
    Compression,
    /// CONSTRAINTS: those that are CHECKs
    Constraints,
    /// DEFAULTS
    Defaults,
    /// GENERATED
    Generated,
    /// IDENTITY
    Identity,
    /// INDEXES, with their constraints
    Indexes,
    /// STATISTICS: those of several columns
    Statistics,
    /// STORAGE
    Storage,
}

impl LikeOption {
    /// All, by their words.
    pub const ALL: [(&'static str, Self); 9] = [
        ("comments", Self::Comments),
        ("compression", Self::Compression),
        ("constraints", Self::Constraints),
        ("defaults", Self::Defaults),
        ("generated", Self::Generated),
        ("identity", Self::Identity),
        ("indexes", Self::Indexes),
        ("statistics", Self::Statistics),
        ("storage", Self::Storage),
    ];
}

/// A column of CREATE TABLE, or of ADD COLUMN.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnDef {
    /// name
    pub name: String,
    /// type
    pub type_name: SqlType,
    /// the domain over that type
    pub domain: Option<Oid>,
    /// STORAGE, from 16 on
    pub storage: Option<String>,
    /// COMPRESSION, from 14 on
    pub compression: Option<String>,
    /// NOT NULL, also of serial and identity; not of PRIMARY KEY
    pub not_null: bool,
    /// the names that CONSTRAINT gives NOT NULL
    pub not_null_names: Vec<String>,
    /// where its value comes from when INSERT gives none
    pub default: ColumnDefault,
}

/// Where the value of a column comes from when INSERT gives none.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnDefault {
    /// NULL
    Null,
    /// DEFAULT
    Expr(Expr),
    /// serial: nextval of a sequence that belongs to the column
    Serial,
    /// GENERATED … AS IDENTITY
    Identity {
        /// ALWAYS: INSERT may not give a value
        always: bool,
        /// in parentheses: of its sequence
        options: SequenceOptions,
    },
    /// GENERATED ALWAYS AS (…) STORED
    Generated(Expr),
    /// GENERATED ALWAYS AS (…) VIRTUAL, and what stands where a version stops that knows STORED alone
    Virtual(Expr, String),
}

/// A constraint of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Constraint {
    /// CONSTRAINT
    pub name: Option<String>,
    /// columns; of CHECK none
    pub columns: Vec<String>,
    /// what it asks for
    pub kind: ConstraintKind,
    /// NOT VALID
    pub not_valid: bool,
    /// ENFORCED, NOT ENFORCED, from 18 on, where it is said
    pub enforced: Option<bool>,
    /// DEFERRABLE
    pub deferrable: Deferrable,
    /// NO INHERIT
    pub no_inherit: bool,
}

impl Constraint {
    /// One without attributes.
    #[must_use]
    pub const fn of(name: Option<String>, columns: Vec<String>, kind: ConstraintKind) -> Self {
        Self { name, columns, kind, not_valid: false, enforced: None, deferrable: Deferrable::No, no_inherit: false }
    }

    /// Is it PRIMARY KEY?
    #[must_use]
    pub const fn is_primary(&self) -> bool {
        match &self.kind {
            ConstraintKind::Index(index) => index.primary,
            ConstraintKind::UsingIndex { primary, .. } => *primary,
            _ => false,
        }
    }
}

/// What a constraint asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum ConstraintKind {
    /// PRIMARY KEY, UNIQUE
    Index(IndexConstraint),
    /// PRIMARY KEY USING INDEX, UNIQUE USING INDEX
    UsingIndex {
        /// PRIMARY KEY?
        primary: bool,
        /// the index
        index: String,
    },
    /// REFERENCES
    Foreign {
        /// the table referred to
        table: RangeVar,
        /// its columns; none: its primary key
        columns: Vec<String>,
        /// ON UPDATE, ON DELETE
        actions: ForeignActions,
        /// the columns that ON DELETE sets; none: all
        deleted: Vec<String>,
    },
    /// CHECK
    Check(Expr),
    /// NOT NULL of a column, as a constraint of the table, from 18 on
    NotNull,
    /// EXCLUDE
    Exclude(Exclusion),
}

/// EXCLUDE: no two rows may be so to each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Exclusion {
    /// keys, each with the operator that may not hold
    pub elements: Vec<(IndexElem, String)>,
    /// INCLUDE
    pub include: Vec<String>,
    /// WITH: of the index
    pub options: Vec<DefElem>,
    /// WHERE
    pub predicate: Option<Expr>,
}

/// PRIMARY KEY or UNIQUE, and what is said of its index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexConstraint {
    /// PRIMARY KEY?
    pub primary: bool,
    /// NULLS NOT DISTINCT, from 15 on
    pub nulls_not_distinct: bool,
    /// WITHOUT OVERLAPS, of the last column, from 18 on
    pub without_overlaps: bool,
    /// INCLUDE
    pub include: Vec<String>,
    /// WITH: of the index
    pub options: Vec<DefElem>,
}

/// CREATE TABLE … AS.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateTableAs {
    /// its name
    pub name: RangeVar,
    /// UNLOGGED, TEMPORARY?
    pub persistence: Persistence,
    /// ON COMMIT
    pub on_commit: Option<OnCommit>,
    /// IF NOT EXISTS
    pub if_not_exists: bool,
    /// names of the first columns, where given
    pub columns: Vec<String>,
    /// WITH
    pub options: Vec<DefElem>,
    /// AS
    pub query: Box<Select>,
    /// not WITH NO DATA
    pub with_data: bool,
    /// MATERIALIZED VIEW? Else TABLE
    pub matview: bool,
    /// written as SELECT … INTO?
    pub is_select_into: bool,
}

/// REFRESH MATERIALIZED VIEW.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefreshMatView {
    /// which
    pub name: RangeVar,
    /// CONCURRENTLY
    pub concurrently: bool,
    /// not WITH NO DATA
    pub with_data: bool,
}

/// CREATE INDEX.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateIndex {
    /// its name; PostgreSQL makes one where there is none
    pub name: Option<String>,
    /// the table
    pub table: RangeVar,
    /// UNIQUE
    pub unique: bool,
    /// CONCURRENTLY
    pub concurrently: bool,
    /// IF NOT EXISTS
    pub if_not_exists: bool,
    /// USING
    pub method: IndexMethod,
    /// keys
    pub keys: Vec<IndexElem>,
    /// INCLUDE
    pub include: Vec<String>,
    /// NULLS NOT DISTINCT, from 15
    pub nulls_not_distinct: bool,
    /// WITH
    pub options: Vec<DefElem>,
    /// WHERE
    pub predicate: Option<Expr>,
}

/// `pg_am.amname` of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexMethod {
    /// btree
    Btree,
    /// brin, with the operator classes `*_minmax_ops`
    Brin,
    /// gist, as long as its root is a leaf
    Gist,
}

/// A key of an index.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexElem {
    /// its operator class, where one is named
    pub opclass: Option<String>,
    /// a column, or an expression
    pub expr: Expr,
    /// DESC
    pub descending: bool,
    /// NULLS FIRST: as asked for, or as follows from DESC
    pub nulls_first: bool,
}

/// What DROP drops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DropKind {
    /// TABLE
    Table,
    /// INDEX
    Index,
    /// SEQUENCE
    Sequence,
    /// MATERIALIZED VIEW
    MaterializedView,
}

impl DropKind {
    /// `relkind` of what it drops.
    #[must_use]
    pub const fn relkind(self) -> RelKind {
        match self {
            Self::Table => RelKind::Table,
            Self::Index => RelKind::Index,
            Self::Sequence => RelKind::Sequence,
            Self::MaterializedView => RelKind::MaterializedView,
        }
    }

    /// As messages call it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Index => "index",
            Self::Sequence => "sequence",
            Self::MaterializedView => "materialized view",
        }
    }
}

/// DROP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drop {
    /// of what
    pub kind: DropKind,
    /// CONCURRENTLY
    pub concurrently: bool,
    /// IF EXISTS
    pub if_exists: bool,
    /// which
    pub names: Vec<RangeVar>,
    /// CASCADE
    pub cascade: bool,
}

/// TRUNCATE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truncate {
    /// which
    pub tables: Vec<RangeVar>,
    /// RESTART IDENTITY
    pub restart: bool,
    /// CASCADE
    pub cascade: bool,
}

/// ALTER TABLE.
#[derive(Debug, Clone, PartialEq)]
pub struct AlterTable {
    /// INDEX? Else TABLE
    pub index: bool,
    /// IF EXISTS
    pub if_exists: bool,
    /// which
    pub name: RangeVar,
    /// what is to be done, from the left
    pub actions: Vec<AlterAction>,
}

/// What REPLICA IDENTITY is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplicaIdentity {
    /// DEFAULT
    Default,
    /// USING INDEX: its name
    Index(String),
    /// FULL
    Full,
    /// NOTHING
    Nothing,
}

/// What DETACH PARTITION says behind the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DetachHow {
    /// nothing: in one transaction
    Plainly,
    /// CONCURRENTLY: in two, between which others may end
    Concurrently,
    /// FINALIZE: the second of them
    Finalize,
}

/// What ALTER CONSTRAINT says that the constraint is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlteredConstraint {
    /// DEFERRABLE and INITIALLY
    pub deferrable: Option<Deferrable>,
    /// ENFORCED, NOT ENFORCED, from 18 on
    pub enforced: Option<bool>,
}

/// One action of ALTER TABLE.
#[derive(Debug, Clone, PartialEq)]
pub enum AlterAction {
    /// REPLICA IDENTITY
    ReplicaIdentity(ReplicaIdentity),
    /// ENABLE TRIGGER, DISABLE TRIGGER
    SetTrigger {
        /// which; none: all
        name: Option<String>,
        /// without those of keys?
        user: bool,
        /// ENABLE, DISABLE, and in which sessions
        firing: Firing,
    },
    /// SET (…)
    SetOptions(Vec<DefElem>),
    /// SET WITHOUT CLUSTER: no index is marked as the one that the table was clustered by
    SetWithoutCluster,
    /// CLUSTER ON: this index is marked as the one
    ClusterOn(String),
    /// RESET (…): the names
    ResetOptions(Vec<String>),
    /// ADD COLUMN
    AddColumn {
        /// the column
        column: ColumnDef,
        /// its constraints
        constraints: Vec<Constraint>,
        /// IF NOT EXISTS
        if_not_exists: bool,
    },
    /// ADD CONSTRAINT
    AddConstraint(Constraint),
    /// DROP CONSTRAINT
    DropConstraint {
        /// its name
        name: String,
        /// IF EXISTS
        if_exists: bool,
        /// CASCADE
        cascade: bool,
    },
    /// ALTER CONSTRAINT: its name, and when it is checked
    AlterConstraint(String, AlteredConstraint),
    /// VALIDATE CONSTRAINT
    ValidateConstraint(String),
    /// ALTER COLUMN … SET NOT NULL, DROP NOT NULL
    SetNotNull {
        /// the column
        column: String,
        /// SET?
        not_null: bool,
    },
    /// ALTER COLUMN … SET DEFAULT, DROP DEFAULT
    SetDefault {
        /// the column
        column: String,
        /// none: DROP
        default: Option<Expr>,
    },
    /// ALTER COLUMN … SET EXPRESSION
    SetExpression {
        /// the column
        column: String,
        /// what it is computed of
        expr: Expr,
    },
    /// ALTER COLUMN … DROP EXPRESSION
    DropExpression {
        /// the column
        column: String,
        /// IF EXISTS: is no error where it is computed of nothing
        if_exists: bool,
    },
    /// ALTER COLUMN … TYPE
    SetType {
        /// the column
        column: String,
        /// its new type
        type_name: SqlType,
        /// USING
        using: Option<Expr>,
    },
    /// ALTER COLUMN … SET STATISTICS; -1 is the default
    SetStatistics {
        /// the column
        column: String,
        /// as many values and bounds are kept
        target: i64,
    },
    /// ALTER COLUMN … SET (n_distinct = …), and RESET of it
    SetDistinct {
        /// the column
        column: String,
        /// as many different values ANALYZE takes it to have, below 0 that many a row
        distinct: Option<f64>,
    },
    /// SET LOGGED, SET UNLOGGED
    SetPersistence(Persistence),
    /// OWNER TO
    OwnerTo(String),
    /// ATTACH PARTITION: which table, with which bound
    AttachPartition(PartitionOf),
    /// INHERIT
    Inherit(RangeVar),
    /// NO INHERIT
    NoInherit(RangeVar),
    /// DETACH PARTITION
    DetachPartition(RangeVar, DetachHow),
    /// ALTER COLUMN … ADD GENERATED … AS IDENTITY
    AddIdentity {
        /// the column
        column: String,
        /// ALWAYS: INSERT may not give a value
        always: bool,
        /// of its sequence
        options: SequenceOptions,
    },
    /// ALTER COLUMN … SET GENERATED, RESTART, SET of an option of its sequence
    SetIdentity {
        /// the column
        column: String,
        /// ALWAYS, or BY DEFAULT, where it is said
        always: Option<bool>,
        /// of its sequence
        options: SequenceOptions,
    },
    /// ALTER COLUMN … DROP IDENTITY
    DropIdentity {
        /// the column
        column: String,
        /// IF EXISTS
        if_exists: bool,
    },
    /// DROP COLUMN
    DropColumn {
        /// the column
        name: String,
        /// IF EXISTS
        if_exists: bool,
        /// CASCADE
        cascade: bool,
    },
    /// ALTER COLUMN … SET STORAGE
    SetStorage {
        /// the column
        column: String,
        /// plain, external, main, extended, from 16 on default
        storage: String,
    },
    /// ALTER COLUMN … SET COMPRESSION, from 14
    SetCompression {
        /// the column
        column: String,
        /// pglz, lz4, default
        method: String,
    },
}

/// CREATE SEQUENCE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateSequence {
    /// its name
    pub name: RangeVar,
    /// IF NOT EXISTS
    pub if_not_exists: bool,
    /// what it is to be
    pub options: SequenceOptions,
}

/// ALTER SEQUENCE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlterSequence {
    /// its name
    pub name: RangeVar,
    /// IF EXISTS
    pub if_exists: bool,
    /// what is to be other
    pub options: SequenceOptions,
}

/// Options of a sequence, as far as they are given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SequenceOptions {
    /// AS
    pub type_name: Option<SqlType>,
    /// START
    pub start: Option<i64>,
    /// RESTART; within: WITH
    pub restart: Option<Option<i64>>,
    /// INCREMENT
    pub increment: Option<i64>,
    /// MINVALUE; within none: NO MINVALUE
    pub min: Option<Option<i64>>,
    /// MAXVALUE; within none: NO MAXVALUE
    pub max: Option<Option<i64>>,
    /// CACHE
    pub cache: Option<i64>,
    /// CYCLE, and NO CYCLE
    pub cycle: Option<bool>,
    /// OWNED BY
    pub owned_by: Option<OwnedBy>,
    /// SEQUENCE NAME, of an identity column's
    pub name: Option<RangeVar>,
    /// is an option there twice?
    pub redundant: bool,
}

impl SequenceOptions {
    /// SEQUENCE NAME: schema, where it is given, and name.
    #[must_use]
    pub fn sequence_name(&self) -> Option<(Option<String>, String)> {
        self.name.as_ref().map(|name| (name.schema.clone(), name.name.clone()))
    }
}

/// OWNED BY of a sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnedBy {
    /// NONE
    None,
    /// a column of a table
    Column(RangeVar, String),
}

/// CREATE SCHEMA.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateSchema {
    /// its name; without one that of its owner
    pub name: Option<String>,
    /// AUTHORIZATION
    pub owner: Option<String>,
    /// IF NOT EXISTS
    pub if_not_exists: bool,
}

/// DROP SCHEMA.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DropSchema {
    /// which
    pub names: Vec<String>,
    /// IF EXISTS
    pub if_exists: bool,
    /// CASCADE
    pub cascade: bool,
}
