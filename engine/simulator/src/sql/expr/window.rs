//! Window functions: their arguments and types (`transformWindowFuncCall`, src/backend/parser/parse_agg.c).

use super::aggregate::{Aggregate, AggregateKind, SortKey};
use super::analyze::Analyzer;
use super::choose::{Choice, common_type};
use super::function::{has_order, no_function, type_name};
use super::pg_catalog::{
    Coercion, DATE, FLOAT4, FLOAT8, INT2, INT4, INT8, INTERVAL, NUMERIC, TIMESTAMP, TIMESTAMPTZ, UNKNOWN, can_coerce,
};
use super::{Node, Typed};
use crate::sql::StatementError;
use crate::sql::ast::{Expr, Frame, FrameUnit, Window};
use crate::sql::error::{NOT_SIMULATED, Position};
use crate::version::SqlBehaviour;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::compare::comparator;
use ffviz_format::datum::{SqlError, SqlType};
use ffviz_format::page::Oid;

/// A function over the rows around one.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowCall {
    /// the name of its window in WINDOW, and its place there
    pub called: Option<(usize, String)>,
    /// which
    pub function: WindowFunction,
    /// its arguments
    pub args: Vec<Typed>,
    /// the type of its result
    pub ty: SqlType,
    /// PARTITION BY
    pub partition: Vec<Typed>,
    /// ORDER BY
    pub order: Vec<SortKey>,
    /// FILTER: what must hold of a row that an aggregate takes
    pub filter: Option<Typed>,
    /// ROWS, RANGE or GROUPS BETWEEN
    pub frame: Option<Frame>,
    /// offsets of its bounds that are worked out when it runs
    pub offsets: [Option<Typed>; 2],
}

/// What is computed.
#[derive(Debug, Clone, PartialEq)]
pub enum WindowFunction {
    /// `row_number`
    RowNumber,
    /// `rank`
    Rank,
    /// `dense_rank`
    DenseRank,
    /// `lag`
    Lag,
    /// `lead`
    Lead,
    /// `first_value`
    FirstValue,
    /// `last_value`
    LastValue,
    /// `nth_value`
    NthValue,
    /// `ntile`
    Ntile,
    /// `percent_rank`
    PercentRank,
    /// `cume_dist`
    CumeDist,
    /// an aggregate, from the partition's beginning to the last row that is equal to the current one
    Aggregate(Aggregate),
}

const TIME: Oid = 1083;
impl WindowCall {
    /// What rows are sorted by for it: PARTITION BY, each key as ORDER BY says it where it stands there too, and
    /// ORDER BY.
    pub(in crate::sql) fn keys(&self) -> Vec<SortKey> {
        let key = |expr: &Typed| {
            let plain = SortKey { expr: expr.clone(), descending: false, nulls_first: false };
            self.order.iter().find(|key| key.expr.node == expr.node).cloned().unwrap_or(plain)
        };
        self.partition.iter().map(key).chain(self.order.iter().cloned()).collect()
    }
}

/// Until it is known how many aggregates there are, results of window functions are numbered from here.
const FIRST: u16 = 0x8000;

impl Analyzer<'_> {
    /// A call with OVER.
    pub(super) fn window(
        &mut self,
        name: &str,
        args: &[Expr],
        star: bool,
        filter: Option<&Expr>,
        window: &Window,
    ) -> Result<Typed, StatementError> {
        if self.windows.is_none() {
            let message = alloc::format!("window functions are not allowed in {}", self.clause);
            return Err(StatementError::server("42P20", message));
        }
        let before = self.window_count();
        let decides = !matches!(name, "lag" | "lead");
        let args =
            args.iter().enumerate().map(|(n, arg)| if decides || n == 0 { self.decided(arg) } else { self.expr(arg) });
        let args = args.collect::<Result<Vec<_>, _>>()?;
        self.check_windows(before, ("42P20", "window function calls cannot be nested"))?;
        let partition = window.partition.iter().map(|expr| self.decided(expr)).collect::<Result<Vec<_>, _>>()?;
        partition.iter().zip(&window.partition).try_for_each(|(key, at)| check_partition(key.ty.oid, at.position))?;
        let order = window.order_by.iter().map(|by| self.sort_key(by)).collect::<Result<Vec<_>, _>>()?;
        self.check_windows(before, ("42P20", "window functions are not allowed in window definitions"))?;
        if window.frame.is_some_and(|frame| frame.unit == FrameUnit::Groups) && order.is_empty() {
            return Err(StatementError::server("42P20", "GROUPS mode requires an ORDER BY clause"));
        }
        let filter = self.window_filter(name, filter)?;
        let first = args.first().map(|arg| arg.ty);
        let (function, args, ty) = match (name, args.len()) {
            ("row_number", 0) => (WindowFunction::RowNumber, args, SqlType::plain(INT8)),
            ("rank", 0) => (WindowFunction::Rank, args, SqlType::plain(INT8)),
            ("dense_rank", 0) => (WindowFunction::DenseRank, args, SqlType::plain(INT8)),
            ("lag" | "lead", 1..=3) => {
                let function = if name == "lag" { WindowFunction::Lag } else { WindowFunction::Lead };
                let mut cast = Vec::with_capacity(args.len());
                let given: Vec<Oid> = args.iter().map(|arg| arg.ty.oid).collect();
                let value = self.value_of_lag(&args);
                for (n, arg) in args.into_iter().enumerate() {
                    let to = match n {
                        1 => INT4,
                        _ => value.oid,
                    };
                    if !can_coerce(arg.ty.oid, to, Coercion::Implicit, self.major()) {
                        return Err(no_function(name, &given, Choice::None));
                    }
                    cast.push(self.implicit(arg, to)?);
                }
                (function, cast, value)
            }
            ("first_value", 1) => (WindowFunction::FirstValue, args, first.unwrap_or(SqlType::TEXT)),
            ("last_value", 1) => (WindowFunction::LastValue, args, first.unwrap_or(SqlType::TEXT)),
            ("nth_value", 2) => {
                let mut args = args;
                let n = args.pop().map(|n| self.implicit(n, INT4)).transpose()?;
                args.extend(n);
                (WindowFunction::NthValue, args, first.unwrap_or(SqlType::TEXT))
            }
            ("ntile", 1) => {
                let args = args.into_iter().map(|arg| self.implicit(arg, INT4)).collect::<Result<_, _>>()?;
                (WindowFunction::Ntile, args, SqlType::INT4)
            }
            ("percent_rank", 0) => (WindowFunction::PercentRank, args, SqlType::FLOAT8),
            ("cume_dist", 0) => (WindowFunction::CumeDist, args, SqlType::FLOAT8),
            _ => {
                let is_there = |_: &AggregateKind| AggregateKind::is_there(name, self.input.version());
                let Some(kind) = Self::aggregate_kind(name).filter(is_there) else {
                    return Err(self.no_window_function(name, args));
                };
                let aggregate = Aggregate::new(self, name, kind, args, star)?;
                let (args, ty) = (aggregate.args.clone(), aggregate.ty);
                (WindowFunction::Aggregate(aggregate), args, ty)
            }
        };
        let offsets = self.frame_offsets(window, &order)?;
        let calls = self.windows.get_or_insert_default();
        calls.push(window_call(window, (function, ty), args, (partition, order, offsets), filter));
        Ok(Typed { node: Node::Aggregate(FIRST + calls.len() as u16 - 1), ty })
    }

    /// The type of what `lag` and `lead` give: that of their value, or one that their default can have too.
    fn value_of_lag(&self, args: &[Typed]) -> SqlType {
        let value = args.first().map_or(SqlType::TEXT, |arg| arg.ty);
        let Some(default) = args.get(2).filter(|_| self.input.version().has_compatible_lag()) else { return value };
        match common_type(&[value.oid, default.ty.oid], self.major()) {
            Ok(common) if common != value.oid => SqlType::plain(common),
            _ => value,
        }
    }

    /// OVER behind a function that has none, or does not exist.
    fn no_window_function(&mut self, name: &str, args: Vec<Typed>) -> StatementError {
        let message = alloc::format!("OVER specified, but {name} is not a window function nor an aggregate function");
        self.builtin(name, args).err().unwrap_or_else(|| StatementError::server("42809", message))
    }

    /// What is only called with OVER, or in RETURNING of MERGE.
    pub(super) fn called_elsewhere(&self, name: &str, count: usize) -> Option<StatementError> {
        if is_window_function(name, count) {
            let message = alloc::format!("window function {name} requires an OVER clause");
            return Some(StatementError::server("42809", message));
        }
        let message = "MERGE_ACTION() can only be used in the RETURNING list of a MERGE command";
        let is_action = name == "merge_action" && count == 0 && self.input.version().has_merge_action();
        is_action.then(|| StatementError::server("42601", message))
    }

    fn window_filter(&mut self, name: &str, filter: Option<&Expr>) -> Result<Option<Typed>, StatementError> {
        let before = self.window_count();
        let filter = filter.map(|filter| self.boolean(filter, "FILTER")).transpose()?;
        self.check_windows(before, ("42P20", "window functions are not allowed in FILTER"))?;
        if filter.is_some() && Self::aggregate_kind(name).is_none() {
            let message = "FILTER is not implemented for non-aggregate window functions";
            return Err(StatementError::server("0A000", message));
        }
        Ok(filter)
    }

    pub(super) fn window_count(&self) -> usize {
        self.windows.as_ref().map_or(0, Vec::len)
    }

    /// Was no window function called since there were so many? Else it is that error.
    pub(super) fn check_windows(
        &self,
        before: usize,
        (state, message): (&'static str, &'static str),
    ) -> Result<(), StatementError> {
        if self.window_count() > before { Err(StatementError::server(state, message)) } else { Ok(()) }
    }

    fn frame_offsets(&mut self, window: &Window, order: &[SortKey]) -> Result<[Option<Typed>; 2], StatementError> {
        let mut offsets = [None, None];
        for (offset, written) in offsets.iter_mut().zip(&window.offsets) {
            if let (Some(written), Some(frame)) = (written, window.frame) {
                *offset = Some(self.frame_offset(written, frame.unit, order)?);
            }
        }
        Ok(offsets)
    }

    /// `transformFrameOffset`: of RANGE as the type of the column takes it (`in_range`).
    fn frame_offset(&mut self, written: &Expr, unit: FrameUnit, order: &[SortKey]) -> Result<Typed, StatementError> {
        let offset = self.expr(written)?;
        let word = match unit {
            FrameUnit::Rows => "ROWS",
            FrameUnit::Range => "RANGE",
            FrameUnit::Groups => "GROUPS",
        };
        let at = written.position;
        if offset.any(&|node| matches!(node, Node::Slot(_))) {
            let message = alloc::format!("argument of {word} must not contain variables");
            return Err(StatementError::server("42P10", message).at(at));
        }
        let given = offset.ty.oid;
        if unit != FrameUnit::Range {
            let cast = self.coerce(offset, SqlType::INT8, Coercion::Assignment)?;
            return cast.ok_or_else(|| {
                let message = alloc::format!("argument of {word} must be type bigint, not type {}", type_name(given));
                StatementError::server("42804", message).at(at)
            });
        }
        let [key] = order else {
            let message = "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column";
            return Err(StatementError::server("42P20", message));
        };
        let column = key.expr.ty.oid;
        let takes: &[Oid] = match column {
            INT8 | INT4 | INT2 => &[INT8, INT4, INT2],
            FLOAT4 | FLOAT8 => &[FLOAT8],
            NUMERIC => &[NUMERIC],
            DATE | TIMESTAMP | TIMESTAMPTZ | INTERVAL => &[INTERVAL],
            TIME => {
                return Err(StatementError::unsupported("RANGE with an offset of a time is not supported", Some(at)));
            }
            _ => &[],
        };
        let cannot =
            |of: &str| alloc::format!("RANGE with offset PRECEDING/FOLLOWING is not supported for column type {of}");
        if takes.is_empty() {
            return Err(StatementError::server("0A000", cannot(&type_name(column))).at(at));
        }
        let is_open = given == UNKNOWN;
        let major = self.major();
        let known = takes.iter().find(|to| **to == if is_open { column } else { given });
        let chosen = known.or_else(|| takes.iter().find(|to| can_coerce(given, **to, Coercion::Implicit, major)));
        let Some(to) = chosen else {
            let message = cannot(&alloc::format!("{} and offset type {}", type_name(column), type_name(given)));
            let error = SqlError::new("0A000", message).with_hint("Cast the offset value to an appropriate type.");
            return Err(StatementError::from(error).at(at));
        };
        self.implicit(offset, *to)
    }
}

fn window_call(
    window: &Window,
    (function, ty): (WindowFunction, SqlType),
    args: Vec<Typed>,
    (partition, order, offsets): (Vec<Typed>, Vec<SortKey>, [Option<Typed>; 2]),
    filter: Option<Typed>,
) -> WindowCall {
    let (called, frame) = (window.called.clone(), window.frame);
    WindowCall { called, function, args, ty, partition, order, filter, frame, offsets }
}

/// PARTITION BY sorts, so that values need an order (`addTargetToGroupList`, src/backend/parser/parse_clause.c;
/// `make_pathkeys_for_window`, src/backend/optimizer/plan/planner.c).
fn check_partition(oid: Oid, at: Position) -> Result<(), StatementError> {
    if comparator(oid).is_none() {
        let message = alloc::format!("could not identify an equality operator for type {}", type_name(oid));
        return Err(StatementError::server("42883", message).at(at));
    }
    match has_order(oid) {
        Err(refused) if refused.error.sqlstate == NOT_SIMULATED => Err(refused),
        Err(_) => {
            let error = SqlError::new("0A000", "could not implement window PARTITION BY");
            Err(error.with_detail("Window partitioning columns must be of sortable datatypes.").into())
        }
        Ok(()) => Ok(()),
    }
}

/// The expression with the results of window functions behind so many others.
pub fn behind(expr: Typed, others: u16) -> Typed {
    if let Node::Aggregate(number @ FIRST..) = expr.node {
        return Typed { node: Node::Aggregate(number - FIRST + others), ty: expr.ty };
    }
    let Ok(expr) = expr.map_children(&mut |child| Ok::<_, core::convert::Infallible>(behind(child, others)));
    expr
}

/// Is it a function that is only called with OVER, with so many arguments?
fn is_window_function(name: &str, count: usize) -> bool {
    match name {
        "row_number" | "rank" | "dense_rank" | "percent_rank" | "cume_dist" => count == 0,
        "ntile" | "first_value" | "last_value" => count == 1,
        "nth_value" => count == 2,
        "lag" | "lead" => (1..=3).contains(&count),
        _ => false,
    }
}
