//! The statements of these tests, as SQL; `simulated` does the same by calls of the access method.

use ffviz_simulator::access::heap::LockTupleMode;
use std::fmt::Write;
use std::ops::RangeInclusive;

/// A row of `t(a int, b int, c text)`.
pub type Row = (i32, i32, String);

/// What one statement does.
#[derive(Debug, Clone)]
pub enum Statement {
    Insert(Vec<Row>),
    Copy(Vec<Row>),
    /// `b = b + 1` of rows by `a`
    Count(RangeInclusive<i32>),
    /// `c = …`
    Fill(RangeInclusive<i32>, String),
    /// `a = a + …`
    Rekey(RangeInclusive<i32>, i32),
    Delete(RangeInclusive<i32>),
    Lock(RangeInclusive<i32>, LockTupleMode),
    Select,
    Begin,
    BeginRepeatableRead,
    Commit,
    Rollback,
    Savepoint,
    RollbackTo,
    Release,
    Checkpoint,
}

impl Statement {
    /// The statement for psql; the rows of COPY are apart.
    pub fn sql(&self) -> String {
        let by = |range: &RangeInclusive<i32>| format!("where a between {} and {}", range.start(), range.end());
        match self {
            Self::Insert(rows) => {
                let mut sql = String::from("insert into t values ");
                for (n, (a, b, c)) in rows.iter().enumerate() {
                    let comma = if n > 0 { "," } else { "" };
                    write!(sql, "{comma}({a},{b},'{c}')").expect("a string grows");
                }
                sql
            }
            Self::Copy(_) => "copy t from stdin".into(),
            Self::Count(range) => format!("update t set b = b + 1 {}", by(range)),
            Self::Fill(range, c) => format!("update t set c = '{c}' {}", by(range)),
            Self::Rekey(range, by_how_much) => format!("update t set a = a + {by_how_much} {}", by(range)),
            Self::Delete(range) => format!("delete from t {}", by(range)),
            Self::Lock(range, mode) => {
                let mode = match mode {
                    LockTupleMode::KeyShare => "key share",
                    LockTupleMode::Share => "share",
                    LockTupleMode::NoKeyExclusive => "no key update",
                    LockTupleMode::Exclusive => "update",
                };
                format!("select a from t {} for {mode}", by(range))
            }
            Self::Select => "select a from t".into(),
            Self::Begin => "begin".into(),
            Self::BeginRepeatableRead => "begin isolation level repeatable read".into(),
            Self::Commit => "commit".into(),
            Self::Rollback => "rollback".into(),
            Self::Savepoint => "savepoint s".into(),
            Self::RollbackTo => "rollback to s".into(),
            Self::Release => "release s".into(),
            Self::Checkpoint => "checkpoint".into(),
        }
    }
}

/// A row as a line of COPY.
pub fn copy_line((a, b, c): &Row) -> String {
    format!("{a}\t{b}\t{c}\n")
}
