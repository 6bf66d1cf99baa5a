//! What a row of INSERT and UPDATE leaves for the next one: memory that is allocated once a statement, and how values
//! are calculated. PostgreSQL forms each tuple in the memory of its query.

use super::ahead::Ahead;
use crate::sql::expr::Calculation;
use alloc::vec::Vec;
use ffviz_format::datum::{FormedTuple, Value};

/// Of a statement that changes rows.
#[derive(Debug, Default)]
pub(in crate::sql::executor) struct Reused {
    /// how UPDATE calculates the values of the columns that it sets
    pub calculations: Vec<Option<Calculation>>,
    /// memory of the values of the row before
    pub values: Vec<Value>,
    /// the tuple that was formed last
    pub tuple: FormedTuple,
    /// is that the row at work already, copied from another table?
    pub is_formed: bool,
    /// may it be: has the table no dropped column?
    pub is_whole: bool,
    /// the rows of the query behind the one at work
    pub ahead: Ahead,
}
