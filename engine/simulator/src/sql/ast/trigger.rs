//! Triggers (`CreateTrigStmt`).

use super::{Deferrable, Expr, RangeVar};
use alloc::string::String;
use alloc::vec::Vec;

/// CREATE TRIGGER.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateTrigger {
    /// OR REPLACE
    pub replace: bool,
    /// CONSTRAINT, and when that is checked
    pub constraint: Option<Deferrable>,
    /// its name
    pub name: String,
    /// of which table
    pub table: RangeVar,
    /// BEFORE? Else AFTER, or INSTEAD OF
    pub before: bool,
    /// INSTEAD OF?
    pub instead: bool,
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

/// ALTER TRIGGER … RENAME.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenameTrigger {
    /// which
    pub name: String,
    /// of which table
    pub table: RangeVar,
    /// its new name
    pub to: String,
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
