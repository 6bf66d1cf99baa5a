//! Aggregates: their arguments and types (`pg_aggregate`, `transformAggregateCall`, src/backend/parser/parse_agg.c).

use super::analyze::Analyzer;
use super::choose::{Choice, choose};
use super::function::{no_function, type_name};
use super::pg_catalog::{
    ANY, BIT, BOOL, FLOAT4, FLOAT8, INT2, INT4, INT4_ARRAY, INT8, INTERVAL, JSONB, NUMERIC, TEXT, TEXT_ARRAY, UNKNOWN,
    is_range,
};
use super::regression::Regression;
use super::{Node, Typed};
use crate::sql::StatementError;
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::datum::compare::comparator;
use ffviz_format::datum::enums::is_enum;
use ffviz_format::datum::money::MONEY;
use ffviz_format::datum::{SqlType, array_of, element_of};
use ffviz_format::page::{Oid, PgVersion};

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
    /// avg
    Avg,
    /// `bool_and`, `every`
    BoolAnd,
    /// `bool_or`
    BoolOr,
    /// string_agg
    StringAgg,
    /// `array_agg`
    ArrayAgg,
    /// `json_agg`, `jsonb_agg`; of objects `json_object_agg`, `jsonb_object_agg`: is it of jsonb, and of objects?
    JsonAgg(bool, bool),
    /// `bit_and`, `bit_or`, `bit_xor`
    Bits(Bits),
    /// `any_value`
    AnyValue,
    /// `range_intersect_agg`
    RangeIntersect,
    /// `corr` and its like
    Regression(Regression),
    /// `percentile_cont` and its like
    OrderedSet(OrderedSet),
    /// variance, stddev and their like: the root, and is it that of a sample?
    Spread(bool, bool),
}

/// How bits are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bits {
    /// `bit_and`
    And,
    /// `bit_or`
    Or,
    /// `bit_xor`
    Xor,
}

/// What an aggregate with WITHIN GROUP picks of the values in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderedSet {
    /// which
    pub pick: Pick,
    /// DESC
    pub descending: bool,
}

/// A value of those in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pick {
    /// `percentile_cont`: at this share of the way, between two of them; the bits of a float8
    Between(u64),
    /// `percentile_disc`: the first one that this share of all is not behind
    At(u64),
    /// `mode`: the first of those that come most often
    Mode,
    /// the share is NULL
    Nothing,
}

/// An aggregate of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Aggregate {
    /// which
    pub kind: AggregateKind,
    /// its arguments; none of `count(*)`
    pub args: Vec<Typed>,
    /// in which order it takes the rows; empty: as they come
    pub order: Vec<SortKey>,
    /// is that an ORDER BY, not only what DISTINCT needs?
    pub asks_order: bool,
    /// DISTINCT: rows whose arguments are equal count once
    pub distinct: bool,
    /// FILTER: what must hold of a row
    pub filter: Option<Typed>,
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

const JSON: Oid = 114;

/// Types that min and max take.
const ORDERED: &[Oid] =
    &[20, 23, 21, 26, 27, 700, 701, MONEY, 1082, 1083, 1114, 1184, 1186, 25, 1700, 1042, 869, 1007, 1009];

impl AggregateKind {
    /// The aggregate of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "count" => Self::Count,
            "sum" => Self::Sum,
            "min" => Self::Min,
            "max" => Self::Max,
            "avg" => Self::Avg,
            "bool_and" | "every" => Self::BoolAnd,
            "bool_or" => Self::BoolOr,
            "string_agg" => Self::StringAgg,
            "array_agg" => Self::ArrayAgg,
            "json_agg" => Self::JsonAgg(false, false),
            "jsonb_agg" => Self::JsonAgg(true, false),
            "json_object_agg" => Self::JsonAgg(false, true),
            "jsonb_object_agg" => Self::JsonAgg(true, true),
            "variance" | "var_samp" => Self::Spread(false, true),
            "var_pop" => Self::Spread(false, false),
            "stddev" | "stddev_samp" => Self::Spread(true, true),
            "stddev_pop" => Self::Spread(true, false),
            "bit_and" => Self::Bits(Bits::And),
            "bit_or" => Self::Bits(Bits::Or),
            "bit_xor" => Self::Bits(Bits::Xor),
            "any_value" => Self::AnyValue,
            "range_intersect_agg" => Self::RangeIntersect,
            _ => return Regression::named(name).map(Self::Regression),
        })
    }

    /// Has that version the aggregate?
    pub(super) fn is_there(name: &str, version: PgVersion) -> bool {
        match name {
            "any_value" => version.has_any_value(),
            "bit_xor" => version.has_bit_xor(),
            "range_intersect_agg" => version.has_multiranges(),
            _ => true,
        }
    }

    /// The arguments that it takes.
    fn candidates(self) -> Vec<&'static [Oid]> {
        match self {
            Self::Count => Vec::new(),
            Self::Sum => [&[INT8], &[INT4], &[INT2], &[FLOAT4], &[FLOAT8], &[INTERVAL], &[NUMERIC], &[MONEY]]
                .map(|args: &[Oid; 1]| &args[..])
                .to_vec(),
            Self::Avg => [&[INT8], &[INT4], &[INT2], &[FLOAT4], &[FLOAT8], &[INTERVAL], &[NUMERIC]]
                .map(|args: &[Oid; 1]| &args[..])
                .to_vec(),
            Self::Spread(..) => {
                [&[INT8], &[INT4], &[INT2], &[FLOAT4], &[FLOAT8], &[NUMERIC]].map(|args: &[Oid; 1]| &args[..]).to_vec()
            }
            Self::Min | Self::Max => ORDERED.iter().map(core::slice::from_ref).collect(),
            Self::BoolAnd | Self::BoolOr => alloc::vec![&[BOOL]],
            Self::StringAgg => alloc::vec![&[TEXT, TEXT], &[17, 17]],
            Self::ArrayAgg => alloc::vec![&[INT4], &[TEXT]],
            Self::JsonAgg(_, false) => alloc::vec![&[ANY]],
            Self::JsonAgg(_, true) => alloc::vec![&[ANY, ANY]],
            Self::Bits(_) => alloc::vec![&[INT8], &[INT4], &[INT2], &[BIT]],
            Self::Regression(_) => alloc::vec![&[FLOAT8, FLOAT8]],
            Self::OrderedSet(_) | Self::AnyValue | Self::RangeIntersect => Vec::new(),
        }
    }

    /// The type of its result, where the first argument is of this one.
    const fn result(self, of: Oid) -> Oid {
        match (self, of) {
            (Self::Sum, INT2 | INT4) => INT8,
            (Self::Sum, INT8) | (Self::Avg | Self::Spread(..), INT2 | INT4 | INT8) => NUMERIC,
            (Self::Avg | Self::Spread(..), FLOAT4) => FLOAT8,
            (Self::ArrayAgg, INT4) => INT4_ARRAY,
            (Self::ArrayAgg, _) => TEXT_ARRAY,
            (Self::JsonAgg(true, _), _) => JSONB,
            (Self::JsonAgg(false, _), _) => JSON,
            (Self::Regression(Regression::Count), _) => INT8,
            (_, same) => same,
        }
    }
}

impl Aggregate {
    /// The column of `count(column)`, which is only asked whether it is NULL.
    #[must_use]
    pub fn counted(&self) -> Option<u16> {
        match self.args[..] {
            [Typed { node: Node::Slot(slot), .. }] if self.kind == AggregateKind::Count && !self.distinct => Some(slot),
            _ => None,
        }
    }

    pub(super) fn new(
        analyzer: &mut Analyzer<'_>,
        name: &str,
        kind: AggregateKind,
        args: Vec<Typed>,
        star: bool,
    ) -> Result<Self, StatementError> {
        let new = |args, ty| Self {
            kind,
            args,
            order: Vec::new(),
            asks_order: false,
            distinct: false,
            filter: None,
            ty: SqlType::plain(ty),
        };
        if kind == AggregateKind::Count && (star || args.len() == 1) {
            return Ok(new(args, INT8));
        }
        let given: Vec<Oid> = args.iter().map(|arg| arg.ty.oid).collect();
        let candidates = kind.candidates();
        let choice = match given[..] {
            // a literal alone could be of any type, and is text
            [UNKNOWN] if matches!(kind, AggregateKind::Min | AggregateKind::Max) => {
                choose(&candidates, &[TEXT], analyzer.major())
            }
            // there is one of multiranges, too
            [UNKNOWN] if matches!(kind, AggregateKind::ArrayAgg | AggregateKind::RangeIntersect) => Choice::Ambiguous,
            [one] if kind == AggregateKind::RangeIntersect && is_range(one) => return Ok(new(args, one)),
            [UNKNOWN] if matches!(kind, AggregateKind::JsonAgg(_, false) | AggregateKind::AnyValue) => {
                let message = "could not determine polymorphic type because input has type unknown";
                return Err(StatementError::server("42804", message));
            }
            [one] if is_enum(one) && matches!(kind, AggregateKind::Min | AggregateKind::Max) => {
                analyzer.needs_order(one)?;
                return Ok(new(args, one));
            }
            [one] if kind == AggregateKind::AnyValue => return Ok(new(args, one)),
            // arrays become one of a dimension more
            [one] if kind == AggregateKind::ArrayAgg && element_of(one).is_some() => return Ok(new(args, one)),
            [one] if kind == AggregateKind::ArrayAgg && ![INT4, TEXT].contains(&one) => {
                let message = "array_agg of this type is not supported; cast it to text";
                let array = array_of(one).ok_or_else(|| StatementError::unsupported(message, None))?;
                return Ok(new(args, array));
            }
            _ => choose(&candidates, &given, analyzer.major()),
        };
        let Choice::One(found) = choice else { return Err(no_function(name, &given, choice)) };
        let mut cast = Vec::with_capacity(args.len());
        for (arg, to) in args.into_iter().zip(candidates[found]) {
            cast.push(match *to {
                ANY if arg.ty.oid == UNKNOWN => analyzer.implicit(arg, TEXT)?,
                ANY => analyzer.printed(arg)?,
                to => analyzer.implicit(arg, to)?,
            });
        }
        Ok(new(cast, kind.result(candidates[found][0])))
    }

    /// ORDER BY, and DISTINCT, which sorts by what is not sorted by yet (`transformDistinctClause`).
    pub(super) fn sorted(
        self,
        analyzer: &mut Analyzer<'_>,
        order: Vec<SortKey>,
        distinct: bool,
    ) -> Result<Self, StatementError> {
        let asks_order = !order.is_empty();
        let mut aggregate = Self { order, asks_order, distinct, ..self };
        if !distinct {
            return Ok(aggregate);
        }
        if aggregate.order.iter().any(|key| aggregate.args.iter().all(|arg| arg.node != key.expr.node)) {
            let message = "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list";
            return Err(StatementError::server("42P10", message));
        }
        for arg in &aggregate.args {
            if aggregate.order.iter().any(|key| key.expr.node == arg.node) {
                continue;
            }
            if comparator(arg.ty.oid).is_none() {
                let message = format!("could not identify an equality operator for type {}", type_name(arg.ty.oid));
                return Err(StatementError::server("42883", message));
            }
            analyzer.needs_order(arg.ty.oid)?;
            analyzer.look_up_order(arg.ty.oid, false);
            aggregate.order.push(SortKey { expr: arg.clone(), descending: false, nulls_first: false });
        }
        Ok(aggregate)
    }
}
