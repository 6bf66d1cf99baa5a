//! Triggers (`CreateTrigStmt`).

use super::{Expr, RangeVar};
use alloc::string::String;
use alloc::vec::Vec;

/// CREATE TRIGGER.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateTrigger {
    /// its name
    pub name: String,
    /// of which table
    pub table: RangeVar,
    /// BEFORE? Else AFTER
    pub before: bool,
    /// FOR EACH ROW? Else STATEMENT
    pub row: bool,
    /// of which events
    pub events: TriggerEvents,
    /// UPDATE OF these columns
    pub update_of: Vec<String>,
    /// WHEN
    pub when: Option<Expr>,
    /// what it calls
    pub function: String,
    /// with these arguments
    pub arguments: Vec<String>,
    /// REFERENCING OLD TABLE AS
    pub old_table: Option<String>,
    /// REFERENCING NEW TABLE AS
    pub new_table: Option<String>,
}

/// What a trigger is called for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TriggerEvents {
    /// INSERT
    pub insert: bool,
    /// UPDATE
    pub update: bool,
    /// DELETE
    pub delete: bool,
    /// TRUNCATE
    pub truncate: bool,
}

/// DROP TRIGGER.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DropTrigger {
    /// which
    pub name: String,
    /// of which table
    pub table: RangeVar,
    /// IF EXISTS
    pub if_exists: bool,
}
