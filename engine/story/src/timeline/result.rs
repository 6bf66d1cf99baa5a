//! The rows that a statement gives its client, as text: those of SELECT and of RETURNING.

use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::Oid;
use serde::{Deserialize, Serialize};

/// Rows with the names of their columns.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ResultSet {
    /// of a statement that had waited, and went on when another one let it: which
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub of: String,
    /// names of the columns
    pub columns: Vec<String>,
    /// their types; empty where they are not known
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<Oid>,
    /// the first rows, a text or NULL a column
    pub rows: Vec<Vec<Option<String>>>,
    /// how many there are in all
    pub count: u64,
}

impl ResultSet {
    /// Are the values of that column numbers, which stand flush right (`column_type_alignment`, src/fe_utils/print.c)?
    #[must_use]
    pub fn is_number(&self, column: usize) -> bool {
        // int8, int2, int4, oid, xid, cid, float4, float8, money, numeric, xid8
        const NUMBERS: [Oid; 11] = [20, 21, 23, 26, 28, 29, 700, 701, 790, 1700, 5069];
        self.types.get(column).is_some_and(|ty| NUMBERS.contains(ty))
    }
}
