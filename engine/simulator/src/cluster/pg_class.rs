//! What the catalogs say of relations and the access methods need not know: names, owners, defaults, constraints,
//! statistics (`pg_class`, `pg_attrdef`, `pg_constraint`, `pg_sequence`). Expressions are kept by whoever parsed them.

use super::inherit::Inheritance;
use super::namespace::PG_TOAST;
use super::namespace::PUBLIC;
use super::partition::Partitioning;
use super::roles::Roles;
use super::statistics::StatisticsObject;
use super::view::{ViewForm, ViewName};
use super::{CompositeType, Domains, EnumType};
use crate::storage::Deferrable;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::Value;
use ffviz_format::page::{BlockNumber, Oid};
use ffviz_format::state::RelKind;

/// All relations, by oid, and the schemas that they are in.
#[derive(Debug, Clone)]
pub struct Catalog {
    classes: BTreeMap<Oid, Arc<Class>>,
    /// `pg_namespace` without the system's own, by name
    pub(super) schemas: BTreeMap<String, Oid>,
    pub(super) views: BTreeMap<ViewName, ViewForm>,
    /// functions in SQL, by name: the number that each is kept by, and `pg_proc.oid`
    pub(super) functions: BTreeMap<String, (u32, Oid)>,
    /// comments on relations, and on their columns, from 1
    pub(super) comments: BTreeMap<(Oid, u16), String>,
    pub(super) enums: Arc<Vec<EnumType>>,
    pub(super) domains: Domains,
    pub(super) composites: Arc<Vec<CompositeType>>,
    pub(super) roles: Arc<Roles>,
}

impl Default for Catalog {
    fn default() -> Self {
        let schemas = BTreeMap::from([(String::from(PUBLIC), super::roles::PUBLIC_OID)]);
        Self {
            classes: BTreeMap::new(),
            schemas,
            views: BTreeMap::new(),
            functions: BTreeMap::new(),
            comments: BTreeMap::new(),
            enums: Arc::default(),
            domains: Arc::default(),
            composites: Arc::default(),
            roles: Arc::default(),
        }
    }
}

/// A row of `pg_class`, and what hangs on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    /// `oid`
    pub oid: Oid,
    /// `relname`
    pub name: String,
    /// `nspname` of `relnamespace`
    pub schema: String,
    /// `relkind`
    pub kind: RelKind,
    /// `reltype`: the type of its rows, of a table
    pub row_type: Option<Oid>,
    /// `relfilenode`
    pub filenode: Oid,
    /// the table of an index or a TOAST table; of a sequence the table whose column owns it
    pub table: Option<Oid>,
    /// `amname` of an index is brin
    pub is_brin: bool,
    /// `amname` of an index is gist
    pub is_gist: bool,
    /// of a table, a value a column
    pub defaults: Vec<ColumnDefault>,
    /// of a table: primary key, unique, CHECK, foreign keys, and from 18 on NOT NULL
    pub constraints: Vec<Constraint>,
    /// of an index: `attnum` of every column in keys, INCLUDE, expressions and predicate, ascending; of a sequence that
    /// of the column that owns it
    pub depends: Vec<u16>,
    /// of an index: has it expressions as keys?
    pub has_expressions: bool,
    /// of an index: `pg_get_indexdef`
    pub definition: String,
    /// of a sequence
    pub sequence: Option<SequenceForm>,
    /// `reloptions`, each with its value
    pub options: Vec<(String, String)>,
    /// how often its row of `pg_class` was replaced by another: what is changed in place is changed in the last one
    pub row_version: u32,
    /// of a temporary table: ON COMMIT
    pub on_commit: OnCommit,
    /// what VACUUM, ANALYZE and CREATE INDEX change in place
    pub stats: ClassStats,
    /// of a table: the index with `indisclustered`
    pub clustered: Option<Oid>,
    /// of a table: `attstattarget` of columns where it is set, by number
    pub statistics_targets: BTreeMap<u16, u16>,
    /// of a table: `n_distinct` of `attoptions`, of columns where it is set, by number
    pub distinct_options: BTreeMap<u16, f64>,
    /// of a table: columns, by number, with `attcompression` pglz
    pub compressed: BTreeSet<u16>,
    /// of a table: statistics of several columns
    pub statistics_objects: Vec<StatisticsObject>,
    /// what ANALYZE found out of columns, by number; of an index those that are expressions
    pub column_stats: BTreeMap<u16, Arc<ColumnStats>>,
    /// of what is partitioned, or a part of it
    pub partitioning: Partitioning,
    /// of a table that inherits from others, or from which others do
    pub inheritance: Inheritance,
    /// of a materialized view; the access methods take it for a table
    pub matview: Option<MatView>,
    /// of a table, in the order in which they are called
    pub triggers: Vec<Trigger>,
    /// of a table: when the triggers of its keys are called
    pub internal_triggers: Firing,
    /// of a table: columns, by number, of a domain, whose type is that which it is over
    pub domains: BTreeMap<u16, Oid>,
}

/// What a materialized view is filled with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatView {
    /// number of its query
    pub query: u32,
    /// what that reads
    pub depends: Vec<Oid>,
    /// does it say `*`, so that it would read new columns too?
    pub has_star: bool,
    /// `relispopulated`
    pub populated: bool,
}

/// A trigger (`pg_trigger`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger {
    /// `oid`
    pub oid: Oid,
    /// `tgname`
    pub name: String,
    /// BEFORE? Else AFTER
    pub before: bool,
    /// FOR EACH ROW?
    pub row: bool,
    /// is it called for INSERT?
    pub insert: bool,
    /// for UPDATE
    pub update: bool,
    /// for DELETE
    pub delete: bool,
    /// for TRUNCATE
    pub truncate: bool,
    /// `tgattr`: UPDATE of which columns; none: of any
    pub update_of: Vec<u16>,
    /// WHEN
    pub when: Option<ExprId>,
    /// the name of its function
    pub function: String,
    /// `tgargs`
    pub arguments: Vec<String>,
    /// `tgoldtable`
    pub old_table: Option<String>,
    /// `tgnewtable`
    pub new_table: Option<String>,
    /// of a constraint trigger: `tgdeferrable`, `tginitdeferred`
    pub constraint: Option<Deferrable>,
    /// `tgenabled`
    pub enabled: Firing,
    /// the place of its newest row in `pg_trigger`, among all
    pub place: u64,
}

/// In which sessions a trigger is called (`tgenabled`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Firing {
    /// ENABLE
    #[default]
    Origin,
    /// DISABLE
    Disabled,
    /// ENABLE REPLICA
    Replica,
    /// ENABLE ALWAYS
    Always,
}

impl Firing {
    /// `TriggerEnabled`: is it called in a session that is a replica, or none?
    #[must_use]
    pub const fn fires(self, replica: bool) -> bool {
        match self {
            Self::Origin => !replica,
            Self::Disabled => false,
            Self::Replica => replica,
            Self::Always => true,
        }
    }
}

/// What becomes of a temporary table when a transaction commits (`OnCommitAction`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnCommit {
    /// PRESERVE ROWS
    #[default]
    Preserve,
    /// DELETE ROWS
    DeleteRows,
    /// DROP
    Drop,
}

/// Where the value of a column comes from when INSERT gives none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColumnDefault {
    /// NULL
    #[default]
    Null,
    /// an expression, kept by whoever parsed it
    Expr(ExprId),
    /// GENERATED ALWAYS AS (…) STORED: an expression over the row
    Generated(ExprId),
    /// GENERATED ALWAYS AS (…) VIRTUAL: the same, worked out where the column is read
    Virtual(ExprId),
    /// `nextval` of this sequence
    Sequence(Oid),
    /// GENERATED … AS IDENTITY
    Identity {
        /// its sequence
        sequence: Oid,
        /// may INSERT give no value?
        always: bool,
    },
}

impl ColumnDefault {
    /// The sequence that gives the values.
    #[must_use]
    pub const fn sequence(&self) -> Option<Oid> {
        match self {
            Self::Sequence(sequence) | Self::Identity { sequence, .. } => Some(*sequence),
            Self::Null | Self::Expr(_) | Self::Generated(_) | Self::Virtual(_) => None,
        }
    }

    /// Has it a row in `pg_attrdef`?
    #[must_use]
    pub const fn has_row(&self) -> bool {
        matches!(self, Self::Expr(_) | Self::Generated(_) | Self::Virtual(_) | Self::Sequence(_))
    }

    /// Is the column computed of others (`attgenerated`)?
    #[must_use]
    pub const fn is_generated(&self) -> bool {
        matches!(self, Self::Generated(_) | Self::Virtual(_))
    }
}

/// Number of an expression that is kept by whoever parsed it (`pg_attrdef.adbin`, `pg_constraint.conbin`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExprId(pub u32);

/// `pg_constraint`
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Constraint {
    /// PRIMARY KEY or UNIQUE, with its index, whose name it has
    Index(Oid),
    /// CHECK
    Check {
        /// `conname`
        name: String,
        /// `conkey`
        columns: Vec<u16>,
        /// `conbin`
        expr: ExprId,
        /// `convalidated`: does it hold for all rows?
        validated: bool,
        /// `conenforced`: is it asked of rows?
        enforced: bool,
        /// `connoinherit`: have children no such one?
        no_inherit: bool,
    },
    /// NOT NULL, from 18 on
    NotNull {
        /// `conname`
        name: String,
        /// `conkey`
        column: u16,
        /// `convalidated`: does it hold for all rows?
        validated: bool,
    },
    /// REFERENCES
    Foreign {
        /// `conname`
        name: String,
        /// `conkey`
        columns: Vec<u16>,
        /// `confrelid`
        table: Oid,
        /// `confkey`: the columns of that table that they refer to, one each
        columns_to: Vec<u16>,
        /// `conindid`: the index of the referenced key
        index: Oid,
        /// what is done when that key goes, or becomes another
        actions: ForeignActions,
        /// `confdelsetcols`: the columns that ON DELETE sets; none: all
        deleted: Vec<u16>,
        /// DEFERRABLE
        deferrable: Deferrable,
        /// `convalidated`: does it hold for all rows?
        validated: bool,
        /// `conenforced`: does anybody look?
        enforced: bool,
    },
}

impl Constraint {
    /// Is it NOT NULL of that column?
    #[must_use]
    pub fn is_not_null_of(&self, attnum: u16) -> bool {
        matches!(self, Self::NotNull { column, .. } if *column == attnum)
    }
}

/// `confupdtype`, `confdeltype`, `confmatchtype`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ForeignActions {
    /// ON UPDATE
    pub update: ForeignAction,
    /// ON DELETE
    pub delete: ForeignAction,
    /// MATCH FULL: some columns may not be NULL alone
    pub full: bool,
}

/// What is done with rows that refer to a key that goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ForeignAction {
    /// NO ACTION: there may be none at the end of the statement
    #[default]
    NoAction,
    /// RESTRICT: there may be none
    Restrict,
    /// CASCADE: they go too, or have the new key
    Cascade,
    /// SET NULL
    SetNull,
    /// SET DEFAULT
    SetDefault,
}

/// `pg_sequence`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SequenceForm {
    /// `seqstart`
    pub start: i64,
    /// `seqincrement`
    pub increment: i64,
    /// `seqmax`
    pub max: i64,
    /// `seqmin`
    pub min: i64,
    /// `seqcache`
    pub cache: i64,
    /// `seqcycle`
    pub cycle: bool,
    /// `seqtypid`
    pub typid: Oid,
}

/// What `pg_class` says of a relation's size, and of what hangs on it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ClassStats {
    /// `relpages`
    pub relpages: BlockNumber,
    /// `reltuples`; -1: nobody counted yet (0 before 14)
    pub reltuples: f32,
    /// `relallvisible`
    pub relallvisible: BlockNumber,
    /// `relallfrozen`, from 18
    pub relallfrozen: BlockNumber,
    /// `relfrozenxid`
    pub relfrozenxid: u32,
    /// `relminmxid`
    pub relminmxid: u32,
    /// `relhasindex`: it had an index, and no VACUUM or ANALYZE has found it without since
    pub has_index: bool,
    /// `relhastriggers`: the same of triggers, also those of foreign keys, its own and others' that refer to it
    pub has_triggers: bool,
}

/// What ANALYZE knows of the values of a column (`pg_statistic`).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ColumnStats {
    /// share of the rows that are NULL
    pub null_frac: f64,
    /// `stadistinct`: how many values there are; below 0 that many a row; 0 not known
    pub distinct: f64,
    /// the most common values with their shares of all rows, the most common first
    pub most_common: Vec<(Value, f64)>,
    /// bounds of bins with equally many of the other values
    pub histogram: Vec<Value>,
    /// `stawidth`: bytes of a value on average
    pub width: u32,
    /// of the order of values and the order on disk, from -1 to 1
    pub correlation: f64,
}

impl ColumnStats {
    /// Share of the rows that have one of the most common values.
    #[must_use]
    pub fn common_share(&self) -> f64 {
        self.most_common.iter().map(|(_, share)| share).sum()
    }
}

impl Class {
    /// A relation with nothing that hangs on it.
    #[must_use]
    pub fn new(oid: Oid, name: String, kind: RelKind) -> Self {
        Self {
            oid,
            name,
            schema: String::from(PUBLIC),
            kind,
            row_type: None,
            filenode: oid,
            table: None,
            is_brin: false,
            is_gist: false,
            defaults: Vec::new(),
            constraints: Vec::new(),
            depends: Vec::new(),
            has_expressions: false,
            definition: String::new(),
            sequence: None,
            options: Vec::new(),
            row_version: 0,
            on_commit: OnCommit::default(),
            stats: ClassStats::default(),
            clustered: None,
            statistics_targets: BTreeMap::new(),
            distinct_options: BTreeMap::new(),
            compressed: BTreeSet::new(),
            statistics_objects: Vec::new(),
            column_stats: BTreeMap::new(),
            partitioning: Partitioning::default(),
            inheritance: Inheritance::default(),
            matview: None,
            triggers: Vec::new(),
            internal_triggers: Firing::Origin,
            domains: BTreeMap::new(),
        }
    }

    /// `relkind`
    #[must_use]
    pub const fn relkind(&self) -> RelKind {
        if self.matview.is_some() { RelKind::MaterializedView } else { self.kind }
    }
}

impl Catalog {
    /// A relation by its oid.
    #[must_use]
    pub fn class(&self, oid: Oid) -> Option<&Arc<Class>> {
        self.classes.get(&oid)
    }

    /// All relations, by oid.
    pub fn classes(&self) -> impl Iterator<Item = &Arc<Class>> {
        self.classes.values()
    }

    /// The relation of that name in that schema.
    #[must_use]
    pub fn find(&self, schema: &str, name: &str) -> Option<Oid> {
        let is_it = |class: &&Arc<Class>| class.name == name && class.schema == schema;
        self.classes().find(is_it).map(|class| class.oid)
    }

    /// `pg_namespace`: schemas by name, without the system's own.
    pub fn schemas(&self) -> impl Iterator<Item = (&str, Oid)> {
        self.schemas.iter().map(|(name, oid)| (name.as_str(), *oid))
    }

    /// `get_namespace_oid`; 0 where there is no such schema.
    #[must_use]
    pub fn namespace(&self, schema: &str) -> Oid {
        let toast = (schema == PG_TOAST.0).then_some(PG_TOAST.1);
        toast.or_else(|| self.schemas.get(schema).copied()).unwrap_or_default()
    }

    /// The indexes of a table, by oid.
    pub fn indexes(&self, table: Oid) -> impl Iterator<Item = &Arc<Class>> {
        self.classes().filter(move |class| class.kind == RelKind::Index && class.table == Some(table))
    }

    /// Has the table foreign keys, or do others refer to it?
    #[must_use]
    pub fn has_foreign_keys(&self, table: Oid) -> bool {
        let refers = |from: Oid, constraint: &Constraint| match constraint {
            Constraint::Foreign { table: to, .. } => from == table || *to == table,
            Constraint::Index(_) | Constraint::Check { .. } | Constraint::NotNull { .. } => false,
        };
        self.classes().any(|class| class.constraints.iter().any(|constraint| refers(class.oid, constraint)))
    }

    /// `conname` of a table's constraint.
    #[must_use]
    pub fn constraint_name<'a>(&'a self, constraint: &'a Constraint) -> &'a str {
        match constraint {
            Constraint::Index(index) => self.class(*index).map_or("", |class| &class.name),
            Constraint::Check { name, .. } | Constraint::Foreign { name, .. } | Constraint::NotNull { name, .. } => {
                name
            }
        }
    }

    /// Columns of a table whose NOT NULL is NOT VALID: rows that are older may have NULL there.
    #[must_use]
    pub fn not_null_in_part(&self, table: Oid) -> Vec<u16> {
        let constraints = self.class(table).map_or(&[][..], |class| &class.constraints);
        let column = |constraint: &Constraint| match constraint {
            Constraint::NotNull { column, validated: false, .. } => Some(*column),
            _ => None,
        };
        constraints.iter().filter_map(column).collect()
    }

    /// Do foreign keys refer to the table?
    #[must_use]
    pub fn is_referenced(&self, table: Oid) -> bool {
        let refers =
            |constraint: &Constraint| matches!(constraint, Constraint::Foreign { table: to, .. } if *to == table);
        self.classes().any(|class| class.constraints.iter().any(refers))
    }

    pub(super) fn put(&mut self, oid: Oid, class: Option<Arc<Class>>) {
        match class {
            Some(class) => self.classes.insert(oid, class),
            None => self.classes.remove(&oid),
        };
    }
}
