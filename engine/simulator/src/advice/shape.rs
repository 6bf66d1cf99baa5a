//! The shape of a table: as much of it as decides where a new version of a row goes and what it costs.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// How a column's values are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// 1 byte
    Bool,
    /// 2 bytes
    Int2,
    /// 4 bytes, whichever type
    Int4,
    /// 8 bytes, whichever type
    Int8,
    /// 16 bytes that are not aligned
    Uuid,
    /// of variable length: so many bytes on average, their own header included
    Text(u16),
}

/// Bytes of the longest value whose header is one byte (`VARATT_SHORT_MAX`).
const SHORT: u16 = 127;

impl Kind {
    /// The bytes of a value.
    #[must_use]
    pub const fn width(self) -> u16 {
        match self {
            Self::Bool => 1,
            Self::Int2 => 2,
            Self::Int4 => 4,
            Self::Int8 => 8,
            Self::Uuid => 16,
            Self::Text(width) => width,
        }
    }

    /// Characters of a text that takes so many bytes.
    #[must_use]
    pub(super) const fn characters(width: u16) -> u16 {
        width.saturating_sub(if width <= SHORT { 1 } else { 4 })
    }

    /// The kind of a type by its length, alignment and whether it is passed by value (`typlen`, `typalign`,
    /// `typbyval`), with the average width of its values.
    #[must_use]
    pub fn of_type(length: i16, align: char, by_value: bool, average: Option<i32>) -> Self {
        match (length, by_value) {
            (1, true) => Self::Bool,
            (2, true) => Self::Int2,
            (4, true) => Self::Int4,
            (8, true) => Self::Int8,
            (16, _) if align == 'c' => Self::Uuid,
            (fixed @ 1.., _) => Self::Text(fixed.unsigned_abs()),
            _ => Self::Text(u16::try_from(average.unwrap_or(Self::UNKNOWN)).unwrap_or(u16::MAX).max(1)),
        }
    }

    /// Bytes of a value of variable length of which nothing is known: what the planner takes (`get_typavgwidth`).
    pub const UNKNOWN: i32 = 32;
}

/// A column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// its name
    pub name: String,
    /// how its values are kept
    pub kind: Kind,
    /// the share of its values that is null
    pub nulls: f64,
    /// how many different values there are; `None`: each row has another one
    pub distinct: Option<f64>,
}

/// An index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    /// its name
    pub name: String,
    /// `btree`, `gin`, …
    pub method: String,
    /// the columns of its keys, by their place in [`Shape::columns`]
    pub keys: Vec<usize>,
    /// other columns that it depends on: of INCLUDE, of expressions, of its predicate
    pub others: Vec<usize>,
    /// may no two rows have the same key?
    pub is_unique: bool,
    /// does it summarise blocks only? From 16 on such an index does not keep an update from being HOT
    pub is_summarizing: bool,
    /// has it expressions or a predicate, which are not simulated?
    pub is_special: bool,
    /// `idx_scan`, where that is known
    pub scans: Option<u64>,
}

impl Index {
    /// Does an update that changes the column need an entry in it?
    #[must_use]
    pub fn depends_on(&self, column: usize) -> bool {
        !self.is_summarizing && (self.keys.contains(&column) || self.others.contains(&column))
    }
}

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// its name, as SQL takes it
    pub name: String,
    /// major version of the server
    pub major: u32,
    /// its fillfactor today
    pub fillfactor: u32,
    /// its rows
    pub rows: f64,
    /// its columns
    pub columns: Vec<Column>,
    /// its indexes
    pub indexes: Vec<Index>,
}

impl Shape {
    /// A table of which only the width of a row's columns and the number of indexes are known: a `bigint` key, a
    /// counter, an `int4` column for each other index, and text for what is left.
    ///
    /// # Errors
    /// A sentence, where the columns of so many indexes take more.
    pub fn of_width(width: u16, indexes: u32, major: u32, rows: f64) -> Result<Self, String> {
        let column = |name: &str, kind| Column { name: name.to_string(), kind, nulls: 0.0, distinct: None };
        let mut columns = Vec::from([column("id", Kind::Int8), column("counter", Kind::Int4)]);
        let mut all = Vec::from([Self::btree("t_pkey", 0, true)]);
        for n in 1..indexes {
            let name = format!("key{n}");
            all.push(Self::btree(&format!("t_{name}_idx"), columns.len(), false));
            columns.push(column(&name, Kind::Int4));
        }
        let least: u16 = columns.iter().map(|column| column.kind.width()).sum();
        match width.checked_sub(least) {
            Some(0) => {}
            Some(rest) => columns.push(column("filler", Kind::Text(rest))),
            None => {
                return Err(format!("a row with {indexes} indexed columns and a counter takes {least} bytes at least"));
            }
        }
        Ok(Self { name: "t".to_string(), major, fillfactor: 100, rows, columns, indexes: all })
    }

    fn btree(name: &str, key: usize, is_unique: bool) -> Index {
        Index {
            name: name.to_string(),
            method: "btree".to_string(),
            keys: Vec::from([key]),
            others: Vec::new(),
            is_unique,
            is_summarizing: false,
            is_special: false,
            scans: None,
        }
    }

    /// Bytes of a row's columns, without its header and padding.
    #[must_use]
    pub fn row_width(&self) -> f64 {
        self.columns.iter().map(|column| f64::from(column.kind.width()) * (1.0 - column.nulls)).sum()
    }

    /// The indexes that need an entry when the column changes.
    pub fn indexes_of(&self, column: usize) -> impl Iterator<Item = &Index> {
        self.indexes.iter().filter(move |index| index.depends_on(column))
    }

    /// May an update that changes the column be HOT?
    #[must_use]
    pub fn is_hot(&self, column: usize) -> bool {
        self.indexes_of(column).next().is_none()
    }
}
