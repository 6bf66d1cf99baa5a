//! SELECT, INSERT, UPDATE, DELETE and COPY.

use super::{Expr, RangeVar, Statement, Window};
use crate::sql::error::Position;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// SELECT, VALUES, or several of them joined by UNION and its like.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Select {
    /// WITH
    pub with: Vec<CommonTable>,
    /// WITH RECURSIVE
    pub recursive: bool,
    /// two queries in place of the clauses down to HAVING
    pub set: Option<Box<SetOperation>>,
    /// rows of VALUES in their place
    pub values: Vec<Vec<Expr>>,
    /// DISTINCT; with expressions DISTINCT ON
    pub distinct: Option<Vec<Expr>>,
    /// what is selected
    pub targets: Vec<Target>,
    /// FROM
    pub from: Vec<FromItem>,
    /// WHERE
    pub filter: Option<Expr>,
    /// GROUP BY: all that is named there
    pub group_by: Vec<Expr>,
    /// GROUPING SETS, ROLLUP, CUBE: the places in `group_by` of each set; none: all of them make one
    pub grouping_sets: Vec<Vec<usize>>,
    /// what is written there, `?` in place of each expression
    pub group_form: String,
    /// HAVING
    pub having: Option<Expr>,
    /// WINDOW
    pub windows: Vec<(String, Window)>,
    /// ORDER BY
    pub order_by: Vec<SortBy>,
    /// LIMIT
    pub limit: Option<Expr>,
    /// OFFSET
    pub offset: Option<Expr>,
    /// FOR UPDATE and its like
    pub locking: Option<Locking>,
}

impl Select {
    /// Is there nothing but what it selects, FROM, WHERE and ORDER BY?
    #[must_use]
    pub const fn is_plain(&self) -> bool {
        self.with.is_empty()
            && self.set.is_none()
            && self.values.is_empty()
            && self.distinct.is_none()
            && self.group_by.is_empty()
            && self.grouping_sets.is_empty()
            && self.having.is_none()
            && self.limit.is_none()
            && self.offset.is_none()
            && self.locking.is_none()
    }
}

/// CREATE VIEW.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateView {
    /// its name
    pub name: RangeVar,
    /// OR REPLACE
    pub replace: bool,
    /// TEMPORARY
    pub temporary: bool,
    /// names of its first columns, where given
    pub columns: Vec<String>,
    /// its query
    pub query: Box<Select>,
    /// WITH CHECK OPTION; true: CASCADED
    pub check: Option<bool>,
}

/// DROP VIEW.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DropView {
    /// which
    pub names: Vec<RangeVar>,
    /// IF EXISTS
    pub if_exists: bool,
    /// CASCADE
    pub cascade: bool,
}

/// A query of WITH.
#[derive(Debug, Clone, PartialEq)]
pub struct CommonTable {
    /// its name
    pub name: String,
    /// names of its first columns, where given
    pub columns: Vec<String>,
    /// MATERIALIZED, NOT MATERIALIZED
    pub materialized: Option<bool>,
    /// the query, which may change rows
    pub statement: Box<Statement>,
    /// SEARCH and CYCLE
    pub marks: Option<Box<Marks>>,
}

/// What SEARCH and CYCLE add to the rows of a recursive query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Marks {
    /// SEARCH
    pub search: Option<SearchClause>,
    /// CYCLE
    pub cycle: Option<CycleClause>,
}

/// SEARCH: the order in which rows were found, as a column.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchClause {
    /// where it stands
    pub position: Position,
    /// BREADTH FIRST
    pub breadth: bool,
    /// BY
    pub columns: Vec<String>,
    /// SET
    pub name: String,
}

/// CYCLE: whether a row was met before, and by which way it was found, as columns.
#[derive(Debug, Clone, PartialEq)]
pub struct CycleClause {
    /// where it stands
    pub position: Position,
    /// which columns tell a row
    pub columns: Vec<String>,
    /// SET
    pub mark: String,
    /// TO and DEFAULT, as they are written
    pub values: [String; 2],
    /// USING
    pub path: String,
}

/// Is one of these queries meant by the name? They stand before tables.
#[must_use]
pub fn is_common(name: &RangeVar, with: &[CommonTable]) -> bool {
    name.schema.is_none() && with.iter().any(|common| common.name == name.name)
}

/// WITH before UPDATE, DELETE, MERGE, or an INSERT without a query.
#[derive(Debug, Clone, PartialEq)]
pub struct With {
    /// the queries that can be named
    pub with: Vec<CommonTable>,
    /// WITH RECURSIVE
    pub recursive: bool,
    /// what follows
    pub statement: Statement,
}

/// UNION, INTERSECT, EXCEPT.
#[derive(Debug, Clone, PartialEq)]
pub struct SetOperation {
    /// which
    pub kind: SetKind,
    /// ALL
    pub all: bool,
    /// left side
    pub left: Select,
    /// right side
    pub right: Select,
}

/// `SetOperation` of src/include/nodes/parsenodes.h.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetKind {
    /// UNION
    Union,
    /// INTERSECT
    Intersect,
    /// EXCEPT
    Except,
}

/// An item between SELECT and FROM.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// `*`, or `t.*`
    Star(Option<String>),
    /// an expression
    Expr {
        /// the expression
        expr: Expr,
        /// AS
        alias: Option<String>,
    },
}

/// TABLESAMPLE: numbers as they are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSample {
    /// the method
    pub method: String,
    /// its argument
    pub percent: String,
    /// REPEATABLE
    pub seed: Option<String>,
}

/// An item of FROM.
#[derive(Debug, Clone, PartialEq)]
pub enum FromItem {
    /// a table
    Table {
        /// its name
        name: RangeVar,
        /// AS
        alias: Option<String>,
        /// names of the first columns in parentheses after the alias
        columns: Vec<String>,
        /// TABLESAMPLE
        sample: Option<Box<TableSample>>,
    },
    /// a function
    Function {
        /// a call
        call: Expr,
        /// AS
        alias: Option<String>,
        /// names of the first columns in parentheses after the alias
        columns: Vec<String>,
        /// WITH ORDINALITY
        ordinality: bool,
    },
    /// a query in parentheses
    Query {
        /// the query
        query: Box<Select>,
        /// AS
        alias: Option<String>,
        /// names of the first columns in parentheses after the alias
        columns: Vec<String>,
        /// LATERAL
        lateral: bool,
    },
    /// JOIN
    Join(Box<Join>),
}

/// Two items of FROM, joined.
#[derive(Debug, Clone, PartialEq)]
pub struct Join {
    /// which rows without a partner there are
    pub kind: JoinKind,
    /// left side
    pub left: FromItem,
    /// right side
    pub right: FromItem,
    /// which rows are partners
    pub condition: JoinCondition,
}

/// `JoinType`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinKind {
    /// none
    Inner,
    /// those of the left side
    Left,
    /// those of the right side
    Right,
    /// both
    Full,
    /// none: rows of the left side that have a partner, once each (a query in WHERE that is joined)
    Semi,
    /// none: those that have none
    Anti,
}

/// Which rows of two items belong together.
#[derive(Debug, Clone, PartialEq)]
pub enum JoinCondition {
    /// all: CROSS JOIN
    All,
    /// columns of one name are equal: NATURAL
    Natural,
    /// these are: USING
    Using(Vec<String>),
    /// ON
    On(Expr),
}

/// An item of ORDER BY.
#[derive(Debug, Clone, PartialEq)]
pub struct SortBy {
    /// by what; a number is a target's place
    pub expr: Expr,
    /// DESC
    pub descending: bool,
    /// NULLS FIRST: as asked for, or as follows from DESC
    pub nulls_first: bool,
}

/// FOR …
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Locking {
    /// what the row lock forbids to others
    pub strength: LockStrength,
    /// what happens when another has it
    pub wait: LockWait,
}

/// `LockClauseStrength`, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LockStrength {
    /// FOR KEY SHARE
    KeyShare,
    /// FOR SHARE
    Share,
    /// FOR NO KEY UPDATE
    NoKeyUpdate,
    /// FOR UPDATE
    Update,
}

impl LockStrength {
    /// As it is written.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::KeyShare => "FOR KEY SHARE",
            Self::Share => "FOR SHARE",
            Self::NoKeyUpdate => "FOR NO KEY UPDATE",
            Self::Update => "FOR UPDATE",
        }
    }
}

/// `LockWaitPolicy`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockWait {
    /// wait
    Block,
    /// SKIP LOCKED
    Skip,
    /// NOWAIT
    Error,
}

/// INSERT.
#[derive(Debug, Clone, PartialEq)]
pub struct Insert {
    /// into
    pub table: RangeVar,
    /// AS
    pub alias: Option<String>,
    /// the columns named; none: all, from the left
    pub columns: Vec<String>,
    /// OVERRIDING
    pub overriding: Option<Overriding>,
    /// the rows
    pub source: InsertSource,
    /// ON CONFLICT
    pub on_conflict: Option<OnConflict>,
    /// RETURNING
    pub returning: Vec<Target>,
}

/// Which values of identity columns OVERRIDING sets aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overriding {
    /// SYSTEM VALUE: those of the sequence
    System,
    /// USER VALUE: those of the statement
    User,
}

/// Where the rows of an INSERT come from.
#[derive(Debug, Clone, PartialEq)]
pub enum InsertSource {
    /// DEFAULT VALUES
    Defaults,
    /// VALUES; `None` is DEFAULT
    Values(Vec<Vec<Option<Expr>>>),
    /// SELECT
    Select(Box<Select>),
}

/// ON CONFLICT.
#[derive(Debug, Clone, PartialEq)]
pub struct OnConflict {
    /// keys of the unique index; none: any
    pub columns: Vec<Expr>,
    /// WHERE behind the columns: what the index' own WHERE has to follow from
    pub filter: Option<Box<Expr>>,
    /// ON CONSTRAINT
    pub constraint: Option<String>,
    /// DO NOTHING, or DO UPDATE
    pub update: Option<ConflictUpdate>,
}

/// DO UPDATE; the row that was to be inserted is table `excluded`.
#[derive(Debug, Clone, PartialEq)]
pub struct ConflictUpdate {
    /// SET
    pub set: Vec<Assignment>,
    /// WHERE
    pub filter: Option<Expr>,
}

/// `column = value`
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// column
    pub column: String,
    /// value; `None` is DEFAULT
    pub value: Option<Expr>,
}

/// UPDATE.
#[derive(Debug, Clone, PartialEq)]
pub struct Update {
    /// table
    pub table: RangeVar,
    /// AS
    pub alias: Option<String>,
    /// SET
    pub set: Vec<Assignment>,
    /// FROM
    pub from: Vec<FromItem>,
    /// WHERE
    pub filter: Option<Expr>,
    /// WHERE CURRENT OF: a cursor
    pub current_of: Option<String>,
    /// RETURNING
    pub returning: Vec<Target>,
}

/// DELETE.
#[derive(Debug, Clone, PartialEq)]
pub struct Delete {
    /// table
    pub table: RangeVar,
    /// AS
    pub alias: Option<String>,
    /// USING
    pub using: Vec<FromItem>,
    /// WHERE
    pub filter: Option<Expr>,
    /// WHERE CURRENT OF: a cursor
    pub current_of: Option<String>,
    /// RETURNING
    pub returning: Vec<Target>,
}

/// COPY … FROM STDIN.
#[derive(Debug, Clone, PartialEq)]
pub struct Copy {
    /// into
    pub table: RangeVar,
    /// the columns named; none: all
    pub columns: Vec<String>,
    /// FREEZE
    pub freeze: bool,
    /// what the lines are like
    pub format: CopyFormat,
    /// ON_ERROR ignore: lines with values that no type can read are left out
    pub ignores_errors: bool,
    /// REJECT_LIMIT: so many of them, and no more
    pub reject_limit: Option<u64>,
    /// HEADER match: the first line has the names of the columns
    pub matches_header: bool,
    /// DEFAULT: a field of that text stands for the column's default
    pub default: Option<String>,
    /// WHERE
    pub filter: Option<Box<Expr>>,
    /// options that not all versions have, and the first that has them
    pub newer: Vec<(String, u32)>,
}

/// COPY … TO STDOUT.
#[derive(Debug, Clone, PartialEq)]
pub struct CopyTo {
    /// the table, where it is no query that is written
    pub relation: Option<RangeVar>,
    /// its rows
    pub query: Box<Select>,
}

/// How COPY writes rows as lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CopyFormat {
    /// FORMAT text
    Text {
        /// HEADER: does the first line have the columns' names?
        header: bool,
        /// DELIMITER
        delimiter: char,
        /// NULL
        null: String,
    },
    /// FORMAT csv
    Csv {
        /// HEADER: does the first line have the columns' names?
        header: bool,
        /// DELIMITER
        delimiter: char,
        /// NULL
        null: String,
        /// QUOTE, with which a quote within quotes is escaped
        quote: char,
    },
}
