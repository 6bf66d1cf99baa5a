//! Statements that change no page of a user's relation: privileges, comments, locks, and what only the session knows.

use super::RangeVar;
use crate::storage::LockMode;
use alloc::string::String;
use alloc::vec::Vec;

/// COMMENT ON a relation, or a column of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// the relation
    pub relation: RangeVar,
    /// what it is said to be
    pub kind: CommentKind,
    /// the column
    pub column: Option<String>,
    /// what is said; none: nothing any more
    pub text: Option<String>,
}

/// What a comment is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommentKind {
    /// TABLE, and COLUMN of one
    Table,
    /// INDEX
    Index,
    /// SEQUENCE
    Sequence,
    /// VIEW
    View,
    /// MATERIALIZED VIEW
    MatView,
}

/// LOCK TABLE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lock {
    /// in this order
    pub tables: Vec<RangeVar>,
    /// how
    pub mode: LockMode,
    /// not NOWAIT
    pub waits: bool,
}

/// DISCARD.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Discard {
    /// ALL
    All,
    /// PLANS
    Plans,
    /// SEQUENCES
    Sequences,
    /// TEMP
    Temp,
}

/// LISTEN and its like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notification {
    /// LISTEN
    Listen,
    /// UNLISTEN
    Unlisten,
    /// NOTIFY
    Notify,
}

/// SET CONSTRAINTS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetConstraints {
    /// which; none: ALL
    pub names: Vec<RangeVar>,
    /// DEFERRED? Else IMMEDIATE
    pub deferred: bool,
}
