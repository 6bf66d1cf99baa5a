//! Partitions, as CREATE TABLE and ALTER TABLE say them (`PartitionSpec`, `PartitionBoundSpec`).

pub use crate::cluster::partition::PartitionStrategy;

use super::{Expr, RangeVar};
use alloc::string::String;
use alloc::vec::Vec;

/// PARTITION BY.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionBy {
    /// RANGE, LIST or HASH
    pub strategy: PartitionStrategy,
    /// columns
    pub columns: Vec<String>,
}

/// PARTITION OF.
#[derive(Debug, Clone, PartialEq)]
pub struct PartitionOf {
    /// whose partition it is; of ATTACH PARTITION which table is to be one
    pub table: RangeVar,
    /// FOR VALUES, DEFAULT
    pub bound: BoundSpec,
}

/// FOR VALUES, DEFAULT.
#[derive(Debug, Clone, PartialEq)]
pub enum BoundSpec {
    /// DEFAULT
    Default,
    /// IN
    In(Vec<Expr>),
    /// FROM, TO
    FromTo(Vec<BoundDatum>, Vec<BoundDatum>),
    /// WITH (MODULUS, REMAINDER)
    With(i64, i64),
}

/// A value of FROM or TO.
#[derive(Debug, Clone, PartialEq)]
pub enum BoundDatum {
    /// MINVALUE
    MinValue,
    /// a value
    Value(Expr),
    /// MAXVALUE
    MaxValue,
}

impl BoundDatum {
    const fn value(&self) -> Option<&Expr> {
        if let Self::Value(expr) = self { Some(expr) } else { None }
    }
}

impl BoundSpec {
    /// The values that are written in it.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let (listed, from, to) = match self {
            Self::In(values) => (&values[..], &[][..], &[][..]),
            Self::FromTo(from, to) => (&[][..], &from[..], &to[..]),
            Self::Default | Self::With(..) => (&[][..], &[][..], &[][..]),
        };
        listed.iter().chain(from.iter().chain(to).filter_map(BoundDatum::value))
    }
}
