//! CREATE, ALTER and DROP STATISTICS.

use super::{Expr, RangeVar};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// What is done with statistics of several columns.
#[derive(Debug, Clone, PartialEq)]
pub enum StatisticsStatement {
    /// CREATE STATISTICS
    Create {
        /// its name; from 16 on it may be left to the server
        name: Option<RangeVar>,
        /// IF NOT EXISTS
        if_not_exists: bool,
        /// ndistinct, dependencies, mcv; none: all
        kinds: Vec<String>,
        /// ON
        columns: Vec<String>,
        /// or of an expression alone
        expr: Option<Box<Expr>>,
        /// FROM
        table: RangeVar,
    },
    /// ALTER STATISTICS … SET STATISTICS
    SetTarget {
        /// which
        name: RangeVar,
        /// IF EXISTS
        if_exists: bool,
        /// as many values are kept; -1 is the default
        target: i64,
    },
    /// ALTER STATISTICS … RENAME TO
    Rename {
        /// which
        name: RangeVar,
        /// the new name
        to: String,
    },
    /// DROP STATISTICS
    Drop {
        /// which
        names: Vec<RangeVar>,
        /// IF EXISTS
        if_exists: bool,
    },
}

impl StatisticsStatement {
    /// Its command tag.
    #[must_use]
    pub const fn tag(&self) -> &'static str {
        match self {
            Self::Create { .. } => "CREATE STATISTICS",
            Self::SetTarget { .. } | Self::Rename { .. } => "ALTER STATISTICS",
            Self::Drop { .. } => "DROP STATISTICS",
        }
    }
}
