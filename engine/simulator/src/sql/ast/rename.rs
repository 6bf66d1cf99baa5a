//! ALTER … RENAME of relations, and of their columns and constraints.

use super::{DropKind, RangeVar};
use alloc::string::String;

/// ALTER … RENAME (`RenameStmt`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rename {
    /// of what the statement says that it is
    pub kind: Renamed,
    /// IF EXISTS
    pub if_exists: bool,
    /// which
    pub name: RangeVar,
    /// what of it has another name
    pub part: RenamePart,
    /// the new name
    pub to: String,
}

/// Which kind of relation a statement says that it renames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renamed {
    /// one that is stored
    Stored(DropKind),
    /// VIEW
    View,
}

impl Renamed {
    /// As messages call it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Stored(kind) => kind.word(),
            Self::View => "view",
        }
    }
}

/// What is renamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RenamePart {
    /// the relation itself
    Relation,
    /// RENAME COLUMN
    Column(String),
    /// RENAME CONSTRAINT
    Constraint(String),
}
