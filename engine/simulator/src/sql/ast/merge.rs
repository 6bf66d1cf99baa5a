//! MERGE (`MergeStmt`, `MergeWhenClause` of src/include/nodes/parsenodes.h).

use super::{Assignment, Expr, FromItem, Overriding, RangeVar, Target};
use alloc::string::String;
use alloc::vec::Vec;

/// MERGE.
#[derive(Debug, Clone, PartialEq)]
pub struct Merge {
    /// INTO
    pub table: RangeVar,
    /// its alias
    pub alias: Option<String>,
    /// USING
    pub source: FromItem,
    /// ON
    pub on: Expr,
    /// WHEN, in their order
    pub whens: Vec<MergeWhen>,
    /// RETURNING
    pub returning: Vec<Target>,
}

/// `WHEN … THEN …`
#[derive(Debug, Clone, PartialEq)]
pub struct MergeWhen {
    /// of which rows
    pub kind: MergeMatch,
    /// AND
    pub filter: Option<Expr>,
    /// THEN
    pub action: MergeAction,
}

/// `MergeMatchKind`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeMatch {
    /// MATCHED
    Matched,
    /// NOT MATCHED, NOT MATCHED BY TARGET
    ByTarget,
    /// NOT MATCHED BY SOURCE
    BySource,
}

/// What is done with a row.
#[derive(Debug, Clone, PartialEq)]
pub enum MergeAction {
    /// DO NOTHING
    Nothing,
    /// DELETE
    Delete,
    /// UPDATE SET
    Update(Vec<Assignment>),
    /// INSERT
    Insert {
        /// the columns named; none: all, from the left
        columns: Vec<String>,
        /// OVERRIDING
        overriding: Option<Overriding>,
        /// VALUES, where `None` is DEFAULT; DEFAULT VALUES
        values: Option<Vec<Option<Expr>>>,
    },
}
