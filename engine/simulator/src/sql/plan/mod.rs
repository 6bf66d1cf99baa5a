//! Plans: what a statement is going to do, as PostgreSQL's planner would choose it, ready to be executed and to be
//! shown.
//!
//! ```text
//! UPDATE t SET b = b + 1 WHERE a = 7 ──statement──▶ Update { scan: Index Scan using t_pkey, set: [b := Slot 1 + 1] }
//!          path: every way to scan, at its cost ─────────────────┘   size, selectivity, clause, cost: what decides
//! ```
//!
//! [`Plan::explain`] gives the lines of EXPLAIN (COSTS OFF) that name the nodes.

mod aggregate_cost;
mod any_value;
mod brin;
mod canonical;
mod catalog_rows;
mod catalogs;
mod clause;
mod conflict;
mod cost;
mod distribute;
mod ends;
mod equivalence;
mod expected_rows;
mod explain;
mod extended;
mod filter;
mod fold;
mod from;
mod gist;
mod given;
mod grouped_rows;
mod grouping;
mod hash_buckets;
mod inline_cte;
mod joined;
mod joinrel;
mod lookup;
mod math;
mod merge;
mod num_groups;
mod operators;
mod partition;
mod path;
mod pattern;
mod pull_up;
mod pulled;
mod push_down;
mod query;
mod range_selectivity;
mod recursive;
mod refute;
mod renamed;
mod returning;
mod row_map;
mod sample;
mod scalar;
mod select;
mod selectivity;
mod semi_join;
mod set_operation;
mod sets;
mod size;
mod sort_target;
mod source;
mod sql_function;
mod statement;
mod sub_query;
mod targets;
mod tid;
mod total;
mod tree;
mod updatable;
mod upper;
mod upper_keys;
mod windows;

pub use any_value::AnyValue;
pub(in crate::sql) use clause::implies;
pub use cost::{Cost, IndexCost};
pub(in crate::sql) use fold::{fold, parts};
pub use hash_buckets::buckets as hash_buckets;
pub use joined::JoinedPlan;
pub use joinrel::{Between, JoinDistinct, JoinInput, JoinNode, JoinPlan, JoinSide, JoinSource, JoinTable};
pub use math::sqrt;
pub use merge::{MergePlan, PlannedAction, PlannedWhen};
pub use partition::live_leaves;
pub use returning::{NEW, OLD, reads_renamed};
pub use row_map::RowMap;
pub use sample::Sample;
pub use sets::is_called_row;
pub(in crate::sql) use size::{of_table, rint};
pub(in crate::sql) use sort_target::SortTarget;
pub use source::{CommonPlan, CommonRows, Finding, Semi, SetOrder, SetPlan, Source, SourceRows};
pub use statement::{Given, plan, plan_body, plan_cursor, plan_query};
pub(in crate::sql) use targets::{name_of, star};
pub use tree::{Explained, FunctionItem, Plans, Ran, Tree};
pub(in crate::sql) use updatable::not_updatable;
pub use upper::{Step, StepNode, Upper};
pub(in crate::sql) use windows::ActiveWindow;

use super::ast::{BinaryOp, Expr, ExprNode, Locking, Target};
use super::catalog::TableInfo;
use super::error::Position;
use super::expr::{Aggregate, SeriesCall, SortKey, Typed, WindowCall};
use crate::access::gist::GistOp;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;
use ffviz_format::page::Oid;

/// What a statement is going to do. What is long is shared: a statement that is prepared runs often.
#[derive(Debug, Clone, PartialEq)]
pub enum Plan {
    /// INSERT
    Insert(InsertPlan),
    /// UPDATE
    Update(UpdatePlan),
    /// DELETE
    Delete(DeletePlan),
    /// MERGE
    Merge(Arc<MergePlan>),
    /// a statement whose WITH changes rows
    With(Arc<WithPlan>),
    /// SELECT
    Select(Arc<SelectPlan>),
}

/// A statement, and those of its WITH that change rows, whether they are read or not.
#[derive(Debug, Clone, PartialEq)]
pub struct WithPlan {
    /// the statement
    pub plan: Plan,
    /// in their order
    pub changes: Vec<Arc<CommonPlan>>,
}

impl Plan {
    /// Names and types of the columns that come out.
    pub(in crate::sql) fn columns(&self) -> Vec<(String, SqlType)> {
        match self {
            Self::Select(select) => {
                select.targets.iter().map(|target| (target.name.clone(), target.value.ty())).collect()
            }
            plan => plan.returning().map_or_else(Vec::new, |returning| {
                returning.names.iter().cloned().zip(returning.targets.iter().map(|target| target.ty)).collect()
            }),
        }
    }

    /// RETURNING.
    pub(in crate::sql) fn returning(&self) -> Option<&Arc<Returning>> {
        match self {
            Self::Insert(plan) => plan.returning.as_ref(),
            Self::Update(plan) => plan.returning.as_ref(),
            Self::Delete(plan) => plan.returning.as_ref(),
            Self::Merge(plan) => plan.returning.as_ref(),
            Self::With(with) => with.plan.returning(),
            Self::Select(_) => None,
        }
    }
}

/// How the rows of a table are found.
#[derive(Debug, Clone, PartialEq)]
pub struct Scan {
    /// the table
    pub table: Oid,
    /// its name
    pub name: String,
    /// the way
    pub method: Method,
    /// what must hold of a row besides; all parts
    pub filter: Vec<Typed>,
    /// their places, in the order in which they are asked of a row
    pub asked: Vec<usize>,
    /// the planner's estimate
    pub cost: Cost,
    /// estimate of rows
    pub rows: f64,
    /// does a row have its system columns behind the table's? Where something reads them, or stands behind them
    pub system: bool,
}

/// A way to scan a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Method {
    /// no row can satisfy the condition: nothing is read (a Result node with a one-time filter)
    Nothing,
    /// all blocks
    Seq,
    /// some blocks, or some rows of each
    Sample(Sample),
    /// row by row in the order of an index
    Index(IndexScan),
    /// first the line pointers of all rows, then the blocks in their order
    Bitmap(Bitmap),
    /// the rows at these places
    Tid(TidScan),
    /// the row that a cursor stands on
    CurrentOf(String),
    /// the blocks between two places
    TidRange(TidRange),
    /// the partitions of a table
    Append(Append),
}

/// The scans of partitions, one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Append {
    /// in the order of the partitions
    pub scans: Vec<Arc<Scan>>,
    /// which order the rows of all together have
    pub order: AppendOrder,
    /// of tables whose columns are not where those of the table are that is named
    pub maps: BTreeMap<Oid, Arc<RowMap>>,
    /// are they of a table and those that inherit from it, rather than of partitions?
    pub is_inherited: bool,
    /// are the rows to be as their tables have them, since they are changed?
    pub keeps_rows: bool,
    /// do conditions leave fewer of them, once it is known what they compare with?
    pub prunes_later: bool,
}

/// The order of the rows of several scans.
#[derive(Debug, Clone, PartialEq)]
pub enum AppendOrder {
    /// none
    None,
    /// that of their partitions, each of which has it too
    OfPartitions {
        /// of the last partition first?
        backward: bool,
    },
    /// one that each of them has, so that they are merged (`MergeAppend`)
    Merged(Vec<SortKey>),
}

impl Append {
    /// What the scans are merged by.
    #[must_use]
    pub const fn merged(&self) -> Option<&Vec<SortKey>> {
        if let AppendOrder::Merged(keys) = &self.order { Some(keys) } else { None }
    }
}

/// A scan of rows at places that conditions name.
#[derive(Debug, Clone, PartialEq)]
pub struct TidScan {
    /// `ctid = value` and `ctid = ANY (values)`, any of which may hold
    pub quals: Vec<Typed>,
    /// place of the condition among those of the scan
    pub taken: usize,
}

/// A scan of rows between places.
#[derive(Debug, Clone, PartialEq)]
pub struct TidRange {
    /// all of which hold
    pub bounds: Vec<TidBound>,
}

/// A bound of places: `ctid op value`.
#[derive(Debug, Clone, PartialEq)]
pub struct TidBound {
    /// on which side, and whether with the place itself
    pub op: BinaryOp,
    /// the place
    pub value: Typed,
    /// place of the condition among those of the scan
    pub taken: usize,
}

/// A scan of an index.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexScan {
    /// the index
    pub index: Oid,
    /// its name
    pub name: String,
    /// what its keys must satisfy, by key
    pub keys: Vec<KeyQual>,
    /// places among the conditions of the scan of those that need not be asked again
    pub taken: Vec<usize>,
    /// what its keys must satisfy as conditions, one a key
    pub conditions: Vec<Typed>,
    /// from the right to the left
    pub backward: bool,
    /// without the heap where its block is all-visible (Index Only Scan)
    pub only: bool,
    /// what it costs without the heap, and its share of the rows
    pub alone: IndexCost,
}

/// What makes a bitmap.
#[derive(Debug, Clone, PartialEq)]
pub enum Bitmap {
    /// a scan of an index
    Index(IndexScan),
    /// what all have
    And(Vec<Bitmap>),
    /// what one has
    Or(Vec<Bitmap>),
}

/// A condition on a key of an index.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyQual {
    /// number of the key, from 0
    pub column: u16,
    /// how it is compared
    pub op: KeyOp,
    /// with what: one value, for [`KeyOp::Any`] several, for the tests for NULL none
    pub value: Vec<Typed>,
}

/// How a key is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyOp {
    /// key op value
    Compare(BinaryOp),
    /// the key and those behind it as a row op values
    Rows(BinaryOp),
    /// key = ANY (values)
    Any,
    /// IS NULL
    IsNull,
    /// IS NOT NULL
    IsNotNull,
    /// by an operator that a GiST index answers
    Gist(GistOp),
}

/// A query. A row is the table's columns (none without a table), then those of each other item of FROM.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SelectPlan {
    /// what the items of FROM are called, the table first
    pub shown: Vec<Shown>,
    /// how many relations it names, with queries that have become part of it
    pub entries: usize,
    /// the table
    pub scan: Option<Arc<Scan>>,
    /// what else is in FROM, each a loop within those before it
    pub sources: Vec<Source>,
    /// what rows must satisfy where there are functions in FROM; without them the scan checks
    pub filter: Vec<Typed>,
    /// aggregates: one row comes out
    pub aggregates: Vec<Aggregate>,
    /// GROUP BY: a row comes out for each set of values; none: for all rows, where there are aggregates
    pub group: Vec<Typed>,
    /// GROUPING SETS: the keys that each groups by; none: all of them
    pub grouping_sets: Vec<GroupingSet>,
    /// is there a row for each group, or one for all?
    pub grouped: bool,
    /// HAVING
    pub having: Vec<Typed>,
    /// DISTINCT; with expressions DISTINCT ON
    pub distinct: Option<Vec<Typed>>,
    /// window functions, whose results stand behind the aggregates and the groups' keys
    pub windows: Vec<WindowCall>,
    /// min and max read from an index, in place of the scan: a value an aggregate
    pub extremes: Vec<Extreme>,
    /// the columns that come out
    pub targets: Vec<Output>,
    /// in which order the aggregates get the rows, beside orders of their own; empty: as the scan gives them
    pub aggregate_order: Vec<SortKey>,
    /// what rows are sorted by; empty where the scan has that order
    pub sort: Vec<SortKey>,
    /// what ORDER BY names that does not come out
    pub junk: Vec<Typed>,
    /// how many of the first keys the scan's order has: rows are sorted within groups (Incremental Sort)
    pub presorted: usize,
    /// LIMIT
    pub limit: Option<Typed>,
    /// OFFSET
    pub offset: Option<Typed>,
    /// FOR UPDATE and its like: each row that comes out is locked
    pub locking: Option<Locking>,
    /// of a table alone: its scan, the rows sorted, locked and limited
    pub cost: Option<Cost>,
    /// of a table alone whose rows are grouped: what stands above its scan
    pub upper: Option<Arc<Upper>>,
    /// of two tables, where EXPLAIN asks: how PostgreSQL joins them
    pub join: Option<Arc<JoinPlan>>,
}

/// Some of the keys of GROUP BY, which make groups of their own.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupingSet {
    /// their places among the keys
    pub keys: Vec<usize>,
    /// how many groups are expected; `None`: that is not known
    pub expected: Option<f64>,
}

/// What an item of FROM is called, and its columns where it is no table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// its name
    pub name: String,
    /// those of its columns
    pub columns: Vec<String>,
}

/// The first value of an index scan is a min or a max.
#[derive(Debug, Clone, PartialEq)]
pub struct Extreme {
    /// which gives rows in the order of the value, without NULL
    pub scan: Arc<Scan>,
    /// the value
    pub value: Typed,
}

/// A column that comes out of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// its name
    pub name: String,
    /// its value
    pub value: OutputValue,
}

/// Where the value of a column comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum OutputValue {
    /// an expression over the row, and the aggregates' results
    Expr(Typed),
    /// a set-returning function: a row for each of its values
    Series(SeriesCall),
}

/// INSERT.
#[derive(Debug, Clone, PartialEq)]
pub struct InsertPlan {
    /// the table
    pub table: Oid,
    /// its name
    pub name: String,
    /// the rows
    pub source: InsertRows,
    /// ON CONFLICT
    pub on_conflict: Option<Arc<ConflictPlan>>,
    /// RETURNING
    pub returning: Option<Arc<Returning>>,
    /// what views ask of a row
    pub checks: ViewChecks,
}

/// WITH CHECK OPTION: names of views, and the conditions that a row has to satisfy (`WithCheckOption`).
pub type ViewChecks = Arc<[(String, Vec<Typed>)]>;

/// The table that a view stands for where it is written to.
pub(super) struct Updatable {
    /// the table, with its columns called as the view calls them
    pub table: TableInfo,
    /// what the view is called in the statement
    pub shown: String,
    /// the view's columns
    pub columns: Vec<String>,
    /// WHERE
    pub filter: Vec<Typed>,
    /// what is asked of new rows
    pub checks: Vec<(String, Vec<Typed>)>,
}

impl Updatable {
    /// A table itself.
    const fn of(table: TableInfo) -> Self {
        Self { table, shown: String::new(), columns: Vec::new(), filter: Vec::new(), checks: Vec::new() }
    }

    /// `*` in RETURNING, as the view's columns.
    fn targets(&self, targets: &[Target]) -> Vec<Target> {
        let position = Position { line: 1, column: 1 };
        let column = |name: &String| {
            let node = ExprNode::Column { table: Some(self.shown.clone()), name: name.clone() };
            Target::Expr { expr: Expr { node, position }, alias: None }
        };
        let each = |target: &Target| match target {
            Target::Star(of) if of.as_ref().is_none_or(|of| *of == self.shown) => {
                self.columns.iter().map(column).collect()
            }
            other => Vec::from([other.clone()]),
        };
        targets.iter().flat_map(each).collect()
    }
}

/// Where the rows of an INSERT come from. Each has a value for every column of the table, dropped ones (NULL) too.
#[derive(Debug, Clone, PartialEq)]
pub enum InsertRows {
    /// one or several rows of expressions
    Values(Arc<[Vec<Typed>]>),
    /// a query, and the table's columns over its outputs as slots, unless these are the columns
    Select(Arc<SelectPlan>, Option<Arc<[Typed]>>),
}

/// ON CONFLICT.
#[derive(Debug, Clone, PartialEq)]
pub struct ConflictPlan {
    /// the unique indexes that decide
    pub indexes: Vec<Oid>,
    /// DO UPDATE over the row there is, followed by the row that was to be inserted; DO NOTHING
    pub update: Option<(Vec<SetColumn>, Vec<Typed>)>,
}

/// A column and its new value.
#[derive(Debug, Clone, PartialEq)]
pub struct SetColumn {
    /// from 0
    pub column: u16,
    /// over the row as it was
    pub value: Typed,
}

/// UPDATE.
#[derive(Debug, Clone, PartialEq)]
pub struct UpdatePlan {
    /// which rows
    pub scan: Arc<Scan>,
    /// what changes
    pub set: Arc<[SetColumn]>,
    /// FROM: the rows and what changes, in place of both
    pub joined: Option<Arc<JoinedPlan>>,
    /// RETURNING
    pub returning: Option<Arc<Returning>>,
    /// what views ask of a row
    pub checks: ViewChecks,
}

/// DELETE.
#[derive(Debug, Clone, PartialEq)]
pub struct DeletePlan {
    /// which rows
    pub scan: Arc<Scan>,
    /// USING: the rows in its place
    pub joined: Option<Arc<JoinedPlan>>,
    /// RETURNING
    pub returning: Option<Arc<Returning>>,
}

/// What INSERT, UPDATE or DELETE give of each row.
#[derive(Debug, Clone, PartialEq)]
pub struct Returning {
    /// over the row as it is then; of DELETE as it was
    pub targets: Vec<Typed>,
    /// what each is called
    pub names: Vec<String>,
    /// with its system columns?
    pub system: bool,
    /// with the row before and after behind all else?
    pub images: Option<u16>,
}
