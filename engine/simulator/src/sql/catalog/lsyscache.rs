//! What analysis and planning ask of the catalog: columns, defaults, indexes and sizes of a table (`RelOptInfo`,
//! `IndexOptInfo`, src/include/nodes/pathnodes.h).

pub use crate::cluster::ExtendedStats;
pub use crate::cluster::pg_class::ColumnStats;

use crate::access::gist::GistClass;
use crate::cluster::{Domains, EnumType, Lookup, RowTypes};
use crate::sql::ast::{Expr, FunctionBody, FunctionSource, RangeVar, RoutineKind, Select, Set, Volatility};
use crate::sql::expr::{AssignedType, Node, Typed, type_name};
use crate::sql::partition::PartitionDesc;
use crate::sql::plan::Sample;
use crate::storage::ConstraintExclusion;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::input::Context as Input;
use ffviz_format::datum::{Attribute, SqlError, SqlType, Value};
use ffviz_format::page::{BlockNumber, Oid};
use ffviz_format::state::RelKind;

/// The tables and settings of a session.
pub trait Catalog {
    /// The server's version, and what `now` means in a literal.
    fn input(&self) -> Input;
    /// The table of that name.
    fn table(&self, name: &RangeVar) -> Option<TableInfo>;
    /// The table of that OID.
    fn table_of(&self, _oid: Oid) -> Option<TableInfo> {
        None
    }
    /// The partitions of a table; `None` where it is not partitioned.
    fn partition_desc(&self, _table: Oid) -> Option<PartitionDesc> {
        None
    }
    /// The table, those that inherit from it, and those that do from them.
    fn inheritors(&self, table: Oid) -> Vec<Oid> {
        Vec::from([table])
    }
    /// What CHECKs and NOT NULL say of all rows of a table.
    fn known_of_rows(&self, _table: Oid) -> Vec<Typed> {
        Vec::new()
    }
    /// What the relation of that name is, where there is one.
    fn kind(&self, name: &RangeVar) -> Option<RelKind>;
    /// The view of that name.
    fn view(&self, _name: &RangeVar) -> Option<Arc<View>> {
        None
    }
    /// The functions in SQL.
    fn sql_functions(&self) -> Vec<Arc<SqlFunction>> {
        Vec::new()
    }
    /// The enum types.
    fn enums(&self) -> Arc<Vec<EnumType>> {
        Arc::default()
    }
    /// The domains.
    fn domains(&self) -> Domains {
        Arc::default()
    }
    /// Types of rows that statements may name.
    fn row_types(&self) -> RowTypes {
        RowTypes::default()
    }
    /// The index of a table's constraint of that name, if it has one; `None` where there is no such constraint.
    fn constraint_index(&self, _table: Oid, _name: &str) -> Option<Option<Oid>> {
        None
    }
    /// enable_seqscan and its like.
    fn scans(&self) -> EnabledScans;
    /// The value at an end of an index' first key, NULL aside; `None` where there is none, or finding it would take
    /// long.
    ///
    /// # Errors
    /// What reading the index raises.
    fn index_end(&mut self, table: Oid, index: &IndexInfo, end: End) -> Result<Option<Value>, SqlError>;
    /// Extensions that are there.
    fn extensions(&self) -> Vec<&'static str> {
        Vec::new()
    }
    /// What an IMMUTABLE function of the script's gives for these values, where it can be called now.
    fn constant_of(&mut self, _function: &Arc<SqlFunction>, _values: Vec<Value>) -> Option<Value> {
        None
    }
    /// Is this the name of a relation, as a literal of regclass has it?
    ///
    /// # Errors
    /// There is none.
    fn names_relation(&self, _name: &str) -> Result<(), SqlError> {
        Ok(())
    }
    /// Reads what a statement needs of operators, functions, types and statistics.
    fn look_up(&mut self, wanted: Vec<Lookup>);
}

/// An end of an index, by the order of its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// where the least value is
    Least,
    /// where the greatest is
    Greatest,
}

/// What is known of the ends of an index.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ends {
    /// the least value
    pub least: Option<Value>,
    /// the greatest
    pub greatest: Option<Value>,
}

/// Settings that forbid a way to scan where there is another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnabledScans {
    /// enable_seqscan
    pub seqscan: bool,
    /// enable_indexscan
    pub indexscan: bool,
    /// enable_indexonlyscan
    pub indexonlyscan: bool,
    /// enable_bitmapscan
    pub bitmapscan: bool,
    /// enable_tidscan
    pub tidscan: bool,
    /// enable_sort
    pub sort: bool,
    /// enable_presorted_aggregate, from 16 on
    pub presorted_aggregate: bool,
    /// enable_hashagg
    pub hashagg: bool,
    /// enable_incremental_sort
    pub incremental_sort: bool,
    /// enable_nestloop
    pub nestloop: bool,
    /// enable_mergejoin
    pub mergejoin: bool,
    /// enable_hashjoin
    pub hashjoin: bool,
    /// enable_material
    pub material: bool,
    /// enable_memoize, from 14 on
    pub memoize: bool,
    /// enable_partition_pruning
    pub partition_pruning: bool,
    /// constraint_exclusion
    pub constraint_exclusion: ConstraintExclusion,
}

impl EnabledScans {
    /// Nothing is switched off.
    pub const ALL: Self = Self {
        seqscan: true,
        indexscan: true,
        indexonlyscan: true,
        bitmapscan: true,
        tidscan: true,
        sort: true,
        presorted_aggregate: true,
        hashagg: true,
        incremental_sort: true,
        nestloop: true,
        mergejoin: true,
        hashjoin: true,
        material: true,
        memoize: true,
        partition_pruning: true,
        constraint_exclusion: ConstraintExclusion::Partition,
    };
}

impl Default for EnabledScans {
    fn default() -> Self {
        Self::ALL
    }
}

/// What a block costs that is read from a tablespace (`get_tablespace_page_costs`), and how many are expected to stay
/// in memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageCosts {
    /// seq_page_cost
    pub seq: f64,
    /// random_page_cost
    pub random: f64,
    /// effective_cache_size, in blocks
    pub cache: f64,
}

impl Default for PageCosts {
    fn default() -> Self {
        Self { seq: 1.0, random: 4.0, cache: 524_288.0 }
    }
}

/// A view.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// names of its columns
    pub columns: Vec<String>,
    /// their types
    pub types: Vec<SqlType>,
    /// its query
    pub query: Select,
    /// of each table in its FROM: was its alias written?
    pub aliased: Vec<bool>,
    /// WITH CHECK OPTION; true: CASCADED
    pub check: Option<bool>,
}

/// A function in SQL or PL/pgSQL.
#[derive(Debug, Clone, PartialEq)]
pub struct SqlFunction {
    /// the number that it is kept by
    pub number: u32,
    /// its name
    pub name: String,
    /// its arguments, perhaps with names
    pub arguments: Vec<(Option<String>, SqlType)>,
    /// `proargdefaults`
    pub defaults: Vec<Expr>,
    /// the columns of what it gives
    pub columns: Vec<(String, SqlType)>,
    /// are they OUT arguments, or those of RETURNS TABLE?
    pub has_outs: bool,
    /// of each OUT argument the argument that it is too, from 0: INOUT
    pub inouts: Vec<Option<usize>>,
    /// the table of whose rows it gives one, or some; of a composite type its relation
    pub row_type: Option<Oid>,
    /// the tables and views that its body reads, which it depends on; none: the body is a string, read at each call
    pub reads: Option<Vec<Oid>>,
    /// the type of those rows
    pub row_oid: Option<Oid>,
    /// does it give rows?
    pub is_set: bool,
    /// `prorows`
    pub rows: f64,
    /// what it does
    pub body: FunctionBody,
    /// what calls it
    pub kind: RoutineKind,
    /// `proisstrict`
    pub is_strict: bool,
    /// `provolatile`
    pub volatility: Volatility,
    /// `proconfig`: settings that hold while it runs
    pub settings: Vec<Set>,
    /// `prosecdef`
    pub is_definer: bool,
    /// what else it says
    pub source: FunctionSource,
}

impl SqlFunction {
    /// `format_procedure`: its name with the types of its arguments.
    #[must_use]
    pub fn signature(&self) -> String {
        let types: Vec<String> = self.arguments.iter().map(|(_, ty)| type_name(ty.oid)).collect();
        alloc::format!("{}({})", self.name, types.join(", "))
    }
}

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableInfo {
    /// `pg_class.oid`
    pub oid: Oid,
    /// `relname`
    pub name: String,
    /// `reltype`
    pub row_type: Option<Oid>,
    /// columns, dropped ones too
    pub columns: Vec<ColumnInfo>,
    /// is it partitioned, so that its rows are those of its partitions?
    pub is_partitioned: bool,
    /// are the rows of those that inherit from it read with its own? Not with ONLY, nor where it is one of them
    pub is_parent: bool,
    /// `relhassubclass`: do, or did, tables inherit from it?
    pub has_subclass: bool,
    /// `relkind` is t: it is read only
    pub is_toast: bool,
    /// indexes in the order of their oids
    pub indexes: Vec<IndexInfo>,
    /// BRIN indexes, likewise: they give no rows, only blocks that may have them
    pub summaries: Vec<IndexInfo>,
    /// those that the running transaction's snapshots cannot use (`indcheckxmin`), for ON CONFLICT only
    pub unusable: Vec<IndexInfo>,
    /// length of the main fork in blocks now
    pub blocks: BlockNumber,
    /// `relpages`
    pub relpages: BlockNumber,
    /// `reltuples`; negative: nobody counted yet
    pub reltuples: f64,
    /// `relallvisible`
    pub relallvisible: BlockNumber,
    /// `relhastriggers`
    pub has_triggers: bool,
    /// foreign keys that are enforced, in the order of their names
    pub foreign_keys: Vec<ForeignKeyInfo>,
    /// `fillfactor`
    pub fillfactor: u8,
    /// what reading its blocks costs
    pub page_costs: PageCosts,
    /// TABLESAMPLE: the part of it that is read
    pub sample: Option<Sample>,
    /// what ANALYZE found out of columns, and of expressions that indexes have as keys
    pub stats: Vec<(Node, Arc<ColumnStats>)>,
    /// and of columns together, an object each
    pub extended: Vec<Arc<ExtendedStats>>,
}

/// A foreign key as the planner sees it (`ForeignKeyCacheInfo`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignKeyInfo {
    /// the table that it refers to
    pub table: Oid,
    /// its columns, and those that they refer to
    pub columns: Vec<(u16, u16)>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnInfo {
    /// `pg_attribute`
    pub attribute: Attribute,
    /// the domain over that type
    pub domain: Option<Oid>,
    /// DEFAULT, or nextval of its sequence; that of its domain where it has none
    pub default: Option<Expr>,
    /// who says what its value is
    pub source: ColumnSource,
    /// over the table's columns: of a column that is computed where it is read
    pub generation: Option<Arc<Typed>>,
}

/// Where the values of a column come from (`attidentity`, `attgenerated`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnSource {
    /// from the statement
    Given,
    /// from the statement, else from its sequence
    IdentityByDefault,
    /// from its sequence
    IdentityAlways,
    /// from the other columns
    Generated,
}

impl TableInfo {
    /// Are its rows those of other tables, too?
    #[must_use]
    pub const fn has_parts(&self) -> bool {
        self.is_partitioned || self.is_parent
    }
}

impl ColumnInfo {
    /// The column's type.
    #[must_use]
    pub const fn ty(&self) -> SqlType {
        self.attribute.ty()
    }

    /// What is written to it becomes that.
    #[must_use]
    pub const fn assigned(&self) -> AssignedType {
        AssignedType { ty: self.ty(), domain: self.domain }
    }
}

/// What planning asks of a BRIN index (`BrinStatsData`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BrinStats {
    /// `pagesPerRange`
    pub pages_per_range: u32,
    /// `revmapNumPages`, which is one less than there are
    pub revmap_pages: u32,
}

impl TableInfo {
    /// All its indexes that a plan may read, the newest first, as PostgreSQL looks at them.
    pub fn newest_first(&self) -> Vec<&IndexInfo> {
        let mut all: Vec<&IndexInfo> = self.indexes.iter().chain(&self.summaries).collect();
        if !self.summaries.is_empty() {
            all.sort_by_key(|index| index.oid);
        }
        all.reverse();
        all
    }

    /// The index that a scan reads.
    pub fn index(&self, oid: Oid) -> Option<&IndexInfo> {
        self.indexes.iter().chain(&self.summaries).find(|index| index.oid == oid)
    }
}

/// An index.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexInfo {
    /// `pg_class.oid`
    pub oid: Oid,
    /// `relname`
    pub name: String,
    /// `indisunique`
    pub unique: bool,
    /// is it that of the primary key?
    pub primary: bool,
    /// `indisexclusion`
    pub excludes: bool,
    /// `indimmediate`: no two rows have the same key within a statement either
    pub immediate: bool,
    /// keys, over the table's columns
    pub keys: Vec<IndexKey>,
    /// INCLUDE: columns of the table, from 0
    pub include: Vec<u16>,
    /// WHERE, its ANDs apart
    pub predicate: Vec<Typed>,
    /// length in blocks now
    pub blocks: BlockNumber,
    /// `relpages`
    pub relpages: BlockNumber,
    /// `reltuples`; negative: nobody counted yet
    pub reltuples: f64,
    /// level of the root (`_bt_getrootheight`)
    pub height: u32,
    /// of a GiST index the operator class of each key
    pub gist: Option<Vec<GistClass>>,
    /// of a BRIN index what its metapage says
    pub brin: Option<BrinStats>,
    /// the least and the greatest value of its first key now, once a plan has asked for them
    pub ends: Ends,
}

/// A key of an index.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexKey {
    /// a column, or an expression
    pub expr: Typed,
    /// DESC
    pub descending: bool,
    /// NULLS FIRST
    pub nulls_first: bool,
    /// is its order another one than that of `<`?
    pub pattern: bool,
}
