//! count, sum, min, max and string_agg: their types, and how a result comes about row by row (`pg_aggregate`).

use super::analyze::Analyzer;
use super::choose::{Choice, choose};
use super::function::no_function;
use super::pg_catalog::{FLOAT4, FLOAT8, INT2, INT4, INT8, INTERVAL, NUMERIC, TEXT, UNKNOWN};
use super::{Node, Typed, operate};
use crate::datum::error::Result;
use crate::datum::input::Context as Input;
use crate::datum::{SqlError, SqlType, Value};
use crate::page::Oid;
use crate::sql::StatementError;
use crate::sql::ast::BinaryOp;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// Which aggregate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AggregateKind {
    /// count
    Count,
    /// sum
    Sum,
    /// min
    Min,
    /// max
    Max,
    /// string_agg
    StringAgg,
}

/// An aggregate of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Aggregate {
    /// which
    pub kind: AggregateKind,
    /// its arguments; none of `count(*)`
    pub args: Vec<Typed>,
    /// ORDER BY: in which order it takes the rows; empty: as they come
    pub order: Vec<SortKey>,
    /// type of the result
    pub ty: SqlType,
}

/// A key of a sort, of a query's rows or of an aggregate's.
#[derive(Debug, Clone, PartialEq)]
pub struct SortKey {
    /// over the row, as targets are
    pub expr: Typed,
    /// DESC
    pub descending: bool,
    /// NULLS FIRST
    pub nulls_first: bool,
}

/// Types that min and max take.
const ORDERED: &[Oid] = &[20, 23, 21, 26, 27, 700, 701, 1082, 1083, 1114, 1184, 1186, 25, 1700, 1042, 869, 1007, 1009];

impl AggregateKind {
    /// The aggregate of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "count" => Self::Count,
            "sum" => Self::Sum,
            "min" => Self::Min,
            "max" => Self::Max,
            "string_agg" => Self::StringAgg,
            _ => return None,
        })
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Sum => "sum",
            Self::Min => "min",
            Self::Max => "max",
            Self::StringAgg => "string_agg",
        }
    }
}

impl Aggregate {
    /// The column of `count(column)`, which is only asked whether it is NULL.
    #[must_use]
    pub fn counted(&self) -> Option<u16> {
        match self.args[..] {
            [Typed { node: Node::Slot(slot), .. }] if self.kind == AggregateKind::Count => Some(slot),
            _ => None,
        }
    }

    pub(super) fn new(
        analyzer: &mut Analyzer<'_>,
        kind: AggregateKind,
        args: Vec<Typed>,
        star: bool,
    ) -> core::result::Result<Self, StatementError> {
        let ty = SqlType::plain;
        if kind == AggregateKind::Count && (star || args.len() == 1) {
            return Ok(Self { kind, args, order: Vec::new(), ty: ty(INT8) });
        }
        let given: Vec<Oid> = args.iter().map(|arg| arg.ty.oid).collect();
        let candidates: Vec<&[Oid]> = match kind {
            AggregateKind::Count => Vec::new(),
            AggregateKind::Sum => [&[INT8], &[INT4], &[INT2], &[FLOAT4], &[FLOAT8], &[INTERVAL], &[NUMERIC]]
                .map(|args: &[Oid; 1]| &args[..])
                .to_vec(),
            AggregateKind::Min | AggregateKind::Max => ORDERED.iter().map(core::slice::from_ref).collect(),
            AggregateKind::StringAgg => alloc::vec![&[TEXT, TEXT], &[17, 17]],
        };
        // a literal alone could be of any type, and is text
        let choice = match given[..] {
            [UNKNOWN] if kind != AggregateKind::Sum => choose(&candidates, &[TEXT], analyzer.major()),
            _ => choose(&candidates, &given, analyzer.major()),
        };
        let Choice::One(found) = choice else { return Err(no_function(kind.name(), &given, choice)) };
        let mut cast = Vec::with_capacity(args.len());
        for (arg, to) in args.into_iter().zip(candidates[found]) {
            cast.push(analyzer.implicit(arg, *to)?);
        }
        let result = match (kind, candidates[found][0]) {
            (AggregateKind::Sum, INT2 | INT4) => INT8,
            (AggregateKind::Sum, INT8) => NUMERIC,
            (_, same) => same,
        };
        Ok(Self { kind, args: cast, order: Vec::new(), ty: ty(result) })
    }
}

/// The state of an aggregate (`transvalue`).
#[derive(Debug, Clone)]
pub struct Aggregation {
    kind: AggregateKind,
    arg: Oid,
    ty: SqlType,
    rows: i64,
    /// of integers
    total: i128,
    /// of all else; NULL until the first value
    value: Value,
    joined: Vec<u8>,
}

impl Aggregation {
    /// Before the first row.
    #[must_use]
    pub fn new(aggregate: &Aggregate) -> Self {
        let arg = aggregate.args.first().map_or(0, |arg| arg.ty.oid);
        let Aggregate { kind, ty, .. } = *aggregate;
        Self { kind, arg, ty, rows: 0, total: 0, value: Value::Null, joined: Vec::new() }
    }

    /// Takes a row's arguments; NULL does not count.
    ///
    /// # Errors
    /// A sum that its type does not hold.
    pub fn add(&mut self, args: &[Value], input: &Input) -> Result<()> {
        let Some(value) = args.first() else {
            self.rows += 1;
            return Ok(());
        };
        if value.is_null() {
            return Ok(());
        }
        self.rows += 1;
        match self.kind {
            AggregateKind::Count => {}
            AggregateKind::Sum => self.sum(value, input)?,
            AggregateKind::Min => self.keep(value, Ordering::Less, input)?,
            AggregateKind::Max => self.keep(value, Ordering::Greater, input)?,
            AggregateKind::StringAgg => {
                if self.rows > 1 {
                    self.joined.extend_from_slice(args[1].plain_bytes().unwrap_or(&[]));
                }
                self.joined.extend_from_slice(value.plain_bytes().unwrap_or(&[]));
            }
        }
        Ok(())
    }

    fn sum(&mut self, value: &Value, input: &Input) -> Result<()> {
        match value {
            Value::Int2(number) => self.total += i128::from(*number),
            Value::Int4(number) => self.total += i128::from(*number),
            Value::Int8(number) => self.total += i128::from(*number),
            _ if self.value.is_null() => self.value = value.clone(),
            _ => self.value = operate::binary(BinaryOp::Add, &self.value, value, [self.arg; 2], input)?,
        }
        Ok(())
    }

    fn keep(&mut self, value: &Value, wanted: Ordering, input: &Input) -> Result<()> {
        if self.value.is_null() || operate::compare(value, &self.value, [self.arg; 2], input)? == wanted {
            self.value = value.clone();
        }
        Ok(())
    }

    /// After the last row.
    ///
    /// # Errors
    /// A sum that bigint does not hold.
    pub fn result(self, input: &Input) -> Result<Value> {
        match self.kind {
            AggregateKind::Count => Ok(Value::Int8(self.rows)),
            _ if self.rows == 0 => Ok(Value::Null),
            AggregateKind::StringAgg if self.ty.oid == TEXT => Ok(Value::Text(self.joined.into())),
            AggregateKind::StringAgg => Ok(Value::Bytea(self.joined.into())),
            AggregateKind::Sum => match self.arg {
                INT2 | INT4 => i64::try_from(self.total)
                    .map(Value::Int8)
                    .map_err(|_| SqlError::new("22003", "bigint out of range")),
                INT8 => operate::numeric(self.total, input),
                _ => Ok(self.value),
            },
            AggregateKind::Min | AggregateKind::Max => Ok(self.value),
        }
    }
}
