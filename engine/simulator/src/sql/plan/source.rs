//! What rows of FROM are made of besides the table that is scanned first: functions, queries, further tables. Each is a
//! loop within those before it.

use super::expected_rows::elements;
use super::{Cost, Output, OutputValue, Plan, Scan, SelectPlan};
use crate::sql::catalog::{SqlFunction, looking};
use crate::sql::expr::{Node, SeriesCall, Typed};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;

/// An item of FROM.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// its rows
    pub rows: SourceRows,
    /// types of its columns
    pub types: Vec<SqlType>,
    /// is a number of the row behind them?
    pub ordinality: bool,
    /// is there a row of NULLs where none satisfies the condition (LEFT JOIN)?
    pub keeps_left: bool,
    /// FULL: its rows without a partner stay too, behind so many values that are NULL
    pub keeps_right: Option<usize>,
    /// of a query in WHERE that is joined: which rows before it stay; its own do not come out
    pub semi: Option<Semi>,
    /// ON of LEFT JOIN
    pub on: Vec<Typed>,
    /// what rows must satisfy as soon as this item's are there
    pub filter: Vec<Typed>,
    /// does it read what stands before it?
    pub lateral: bool,
}

/// Which rows stay of those that are looked for in another item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Semi {
    /// those with a partner (EXISTS, IN)
    Has,
    /// those without (NOT EXISTS)
    HasNot,
}

/// Where rows come from.
#[derive(Debug, Clone, PartialEq)]
pub enum SourceRows {
    /// generate_series
    Series(SeriesCall),
    /// a function or a catalog, by its name
    Function(&'static str, Vec<Typed>),
    /// a function with one value
    Value(Typed),
    /// a function of the script's that is run
    Routine(Arc<SqlFunction>, Vec<Typed>),
    /// rows that are written out
    Values(Vec<Vec<Typed>>),
    /// another table
    Table(Arc<Scan>),
    /// a query
    Query(Arc<SelectPlan>),
    /// a query of WITH
    Common(Arc<CommonPlan>),
    /// the rows of a recursive query's last round
    Work(String),
    /// a transition table
    Transition(String),
    /// two queries
    Set(Arc<SetPlan>),
}

/// A query of WITH.
#[derive(Debug, Clone, PartialEq)]
pub struct CommonPlan {
    /// its name
    pub name: String,
    /// how its rows are found
    pub rows: CommonRows,
    /// its place among those of WITH
    pub place: usize,
    /// is it one of a query within another?
    pub is_nested: bool,
    /// what the table is called that it changes
    pub target: Option<String>,
}

/// How the rows of a query of WITH are found.
#[derive(Debug, Clone, PartialEq)]
pub enum CommonRows {
    /// by a query
    Query(Arc<SelectPlan>),
    /// by a query, and one that is run again over what it gave last; true: UNION ALL
    Recursive(Arc<SelectPlan>, Arc<SelectPlan>, bool),
    /// by a statement that changes rows
    Change(Arc<Plan>),
}

impl CommonPlan {
    /// The query, where it locks rows.
    #[must_use]
    pub fn locking(&self) -> Option<&Arc<SelectPlan>> {
        if let CommonRows::Query(plan) = &self.rows { Some(plan).filter(|plan| plan.locking.is_some()) } else { None }
    }

    /// The statement, where it changes rows.
    #[must_use]
    pub fn plan(&self) -> Option<&Plan> {
        if let CommonRows::Change(plan) = &self.rows { Some(plan) } else { None }
    }
}

/// UNION and its like.
#[derive(Debug, Clone, PartialEq)]
pub struct SetPlan {
    /// which
    pub kind: crate::sql::ast::SetKind,
    /// ALL
    pub all: bool,
    /// left side
    pub left: Arc<SelectPlan>,
    /// right side
    pub right: Arc<SelectPlan>,
    /// what each column becomes, over the left side's row, and over the right side's
    pub casts: [Vec<Typed>; 2],
    /// how equal rows are found, which says in which order they come out, as far as that is known
    pub finding: Option<Finding>,
    /// does the right side come first?
    pub is_turned: bool,
}

/// A way to find equal rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Finding {
    /// which
    pub order: SetOrder,
    /// what it costs with all that is below
    pub cost: Cost,
    /// rows that come out
    pub rows: f64,
    /// does a setting forbid it?
    pub disabled: bool,
}

/// How equal rows are found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SetOrder {
    /// in a hash table, and how many rows it expects
    Hashed(f64),
    /// next to each other
    Sorted,
}

impl SelectPlan {
    /// The query that gives the rows of an item as they are.
    pub(super) fn over(source: Source) -> Self {
        let types = source.types.iter().copied().chain(source.ordinality.then_some(SqlType::INT8));
        let output = |(n, ty): (usize, SqlType)| {
            let value = OutputValue::Expr(Typed { node: Node::Slot(n as u16), ty });
            Output { name: String::new(), value }
        };
        let targets = types.enumerate().map(output).collect();
        Self { targets, sources: Vec::from([source]), entries: 1, ..Self::default() }
    }

    /// The only item of FROM, where the query gives its rows as they are.
    pub(super) fn passed(&self) -> Option<&Source> {
        let [source] = &self.sources[..] else { return None };
        let is_column =
            |(n, output): (u16, &Output)| output.value.expr().is_some_and(|expr| expr.node == Node::Slot(n));
        let is_plain = self.scan.is_none()
            && source.filter.is_empty()
            && self.filter.is_empty()
            && self.aggregates.is_empty()
            && self.sort.is_empty()
            && self.limit.is_none()
            && self.offset.is_none()
            && !self.is_general()
            && (0..).zip(&self.targets).all(is_column);
        is_plain.then_some(source)
    }
}

impl Source {
    /// Values in a row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.types.len() + usize::from(self.ordinality)
    }

    /// How many rows are expected.
    #[must_use]
    pub fn estimated_rows(&self) -> f64 {
        const UNKNOWN: f64 = 1000.0;
        match &self.rows {
            SourceRows::Series(series) => series.rows,
            SourceRows::Value(_) => 1.0,
            SourceRows::Routine(function, _) => function.rows,
            SourceRows::Values(rows) => rows.len() as f64,
            SourceRows::Table(scan) => scan.rows,
            SourceRows::Function("unnest", array) if array.len() == 1 => elements(array),
            SourceRows::Function(name, _) => looking::estimated_rows(name),
            _ => UNKNOWN,
        }
    }

    /// The arguments of its function.
    #[must_use]
    pub fn args(&self) -> &[Typed] {
        match &self.rows {
            SourceRows::Series(series) => &series.args,
            SourceRows::Function(_, args) | SourceRows::Routine(_, args) => args,
            SourceRows::Value(value) => core::slice::from_ref(value),
            _ => &[],
        }
    }
}
