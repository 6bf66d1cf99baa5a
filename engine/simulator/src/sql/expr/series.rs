//! `generate_series`: of integers, numbers and times (src/backend/utils/adt/int.c, int8.c, numeric.c, timestamp.c);
//! `generate_subscripts`, `unnest`: of an array of one dimension (src/backend/utils/adt/arrayfuncs.c).

use super::analyze::Analyzer;
use super::call::text;
use super::choose::{Choice, choose};
use super::eval::{Context, Env};
use super::function::no_function;
use super::pg_catalog::{ANYARRAY, BOOL, INT4, INT8, INTERVAL, NUMERIC, TEXT, TIMESTAMPTZ};
use super::proc::zone_of;
use super::{Node, Typed, operate};
use crate::sql::StatementError;
use crate::sql::ast::{BinaryOp, Expr, ExprNode};
use crate::version::SqlBehaviour;
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::{IntoIter, Vec};
use core::cmp::Ordering;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::input::Context as Input;
use ffviz_format::datum::value::Interval;
use ffviz_format::datum::zone::Zone;
use ffviz_format::datum::{SqlType, Value, array_dimensions, array_elements, element_of};
use ffviz_format::page::Oid;

const CANDIDATES: &[&[Oid]] = &[
    &[INT4, INT4],
    &[INT4, INT4, INT4],
    &[INT8, INT8],
    &[INT8, INT8, INT8],
    &[NUMERIC, NUMERIC],
    &[NUMERIC, NUMERIC, NUMERIC],
    &[1114, 1114, INTERVAL],
    &[TIMESTAMPTZ, TIMESTAMPTZ, INTERVAL],
    // from 16 on: days are those of that time zone
    &[TIMESTAMPTZ, TIMESTAMPTZ, INTERVAL, TEXT],
];

/// Is it a function that is called among the targets, where others move to FROM?
#[must_use]
pub fn is_series(name: &str) -> bool {
    ["generate_series", "generate_subscripts"].contains(&name)
}

/// A call.
#[derive(Debug, Clone, PartialEq)]
pub struct SeriesCall {
    /// from, to, and perhaps step
    pub args: Vec<Typed>,
    /// type of its values
    pub ty: SqlType,
    /// how many rows are expected
    pub rows: f64,
    of: SetOf,
    /// what comes out of each value, where that is an expression over it: there it is an aggregate's result, the first
    pub over: Option<Box<Typed>>,
}

/// Which function it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SetOf {
    Series,
    /// `generate_subscripts`: of an array, a dimension, and perhaps from the end
    Subscripts,
    /// `unnest`
    Elements,
}

impl Analyzer<'_> {
    /// A set-returning function; `None` for an expression that is none.
    ///
    /// # Errors
    /// Arguments that it does not take; another function in FROM.
    pub fn series(&mut self, call: &Expr) -> core::result::Result<Option<SeriesCall>, StatementError> {
        let ExprNode::Function { name, args, star: false, distinct: false, order_by, .. } = &call.node else {
            return Ok(None);
        };
        let of = match name.as_str() {
            "generate_series" => SetOf::Series,
            "generate_subscripts" => SetOf::Subscripts,
            "unnest" => SetOf::Elements,
            _ => return Ok(None),
        };
        if !order_by.is_empty() {
            let message = format!("ORDER BY specified, but {name} is not an aggregate function");
            return Err(StatementError::server("42809", message));
        }
        let args = args.iter().map(|arg| self.expr(arg)).collect::<core::result::Result<Vec<_>, _>>()?;
        self.look_up_function(name, &args);
        let given: Vec<Oid> = args.iter().map(|arg| arg.ty.oid).collect();
        if of != SetOf::Series {
            return self.set_of_array(name, of, args).map(Some).map_err(|error| error.at(call.position));
        }
        let known = CANDIDATES.len() - usize::from(!self.input.version().has_series_of_zone());
        let choice = choose(&CANDIDATES[..known], &given, self.major());
        let Choice::One(found) = choice else { return Err(no_function(name, &given, choice).at(call.position)) };
        let mut cast = Vec::with_capacity(args.len());
        for (arg, to) in args.into_iter().zip(CANDIDATES[found]) {
            cast.push(self.implicit(arg, *to)?);
        }
        let ty = SqlType::plain(CANDIDATES[found][0]);
        Ok(Some(SeriesCall { args: cast, ty, rows: 1.0, of, over: None }))
    }

    fn set_of_array(
        &mut self,
        name: &str,
        of: SetOf,
        args: Vec<Typed>,
    ) -> core::result::Result<SeriesCall, StatementError> {
        if args.first().is_some_and(|array| array.ty.oid == ANYARRAY) {
            return Err(StatementError::unsupported(format!("{name} of an array of an enum is not supported"), None));
        }
        let candidates: &[&[Oid]] = match of {
            SetOf::Elements => &[&[ANYARRAY]],
            _ => &[&[ANYARRAY, INT4], &[ANYARRAY, INT4, BOOL]],
        };
        let (_, args) = self.chosen(name, candidates, args)?;
        let ty = match of {
            SetOf::Elements => args.first().and_then(|array| element_of(array.ty.oid)).unwrap_or(TEXT),
            _ => INT4,
        };
        Ok(SeriesCall { args, ty: SqlType::plain(ty), rows: 1.0, of, over: None })
    }

    pub(super) fn param(&mut self, number: u16) -> core::result::Result<Typed, StatementError> {
        if let Some(ty) = self.series_type.filter(|_| number == VALUE) {
            return Ok(Typed { node: Node::Aggregate(0), ty });
        }
        let index = number.checked_sub(1).filter(|index| usize::from(*index) < self.params.len());
        let Some(index) = index else {
            return Err(StatementError::server("42P02", format!("there is no parameter ${number}")));
        };
        self.uses_params = true;
        let node = self.values.get(usize::from(index)).map_or(Node::Param(index), |value| Node::Const(value.clone()));
        Ok(Typed { node, ty: SqlType::plain(self.params[usize::from(index)]) })
    }

    /// An expression over one set-returning function (`split_pathtarget_at_srfs`,
    /// src/backend/optimizer/util/tlist.c); `None` of any other.
    ///
    /// # Errors
    /// As of the function and the expression.
    pub fn over_series(&mut self, expr: &Expr) -> core::result::Result<Option<SeriesCall>, StatementError> {
        let mut calls = Vec::new();
        if !find_series(expr, &mut calls) {
            return Ok(None);
        }
        let [call] = calls[..] else { return Ok(None) };
        let Some(mut series) = self.series(call)? else { return Ok(None) };
        let mut over = expr.clone();
        put_in_place(&mut over, call);
        self.series_type = Some(series.ty);
        let over = self.decided(&over);
        self.series_type = None;
        series.over = Some(Box::new(over?));
        Ok(Some(series))
    }
}

/// What stands for a function's value in the expression over it.
pub(super) const VALUE: u16 = u16::MAX;

const SETS: [&str; 3] = ["generate_series", "generate_subscripts", "unnest"];

/// Set-returning functions of an expression; false: there is something around or beside them that they are not
/// allowed in, or that is worked out another way.
fn find_series<'a>(expr: &'a Expr, found: &mut Vec<&'a Expr>) -> bool {
    match &expr.node {
        ExprNode::Function { name, over: None, .. } if SETS.contains(&name.as_str()) => {
            found.push(expr);
            return true;
        }
        ExprNode::Function { name, over, .. }
            if over.is_some() || name == "coalesce" || Analyzer::is_aggregate(name) =>
        {
            return false;
        }
        ExprNode::Case { .. } | ExprNode::Query { .. } => return false,
        _ => {}
    }
    expr.children().into_iter().all(|child| find_series(child, found))
}

fn put_in_place(expr: &mut Expr, call: &Expr) {
    if expr == call {
        expr.node = ExprNode::Param(VALUE);
        return;
    }
    expr.children_mut().into_iter().for_each(|child| put_in_place(child, call));
}

/// A series that is being read.
#[derive(Debug, Clone)]
pub struct Series {
    next: Option<Value>,
    stop: Value,
    step: Value,
    ty: Oid,
    ascends: bool,
    /// whose days they are, where it is not the session's
    zone: Option<Zone>,
    /// elements of an array, in place of all that
    items: IntoIter<Value>,
}

impl SeriesCall {
    /// What the function is called.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self.of {
            SetOf::Series => "generate_series",
            SetOf::Subscripts => "generate_subscripts",
            SetOf::Elements => "unnest",
        }
    }

    /// Is it one of an array's elements or subscripts?
    #[must_use]
    pub fn is_of_array(&self) -> bool {
        self.of != SetOf::Series
    }

    /// Before the first value; NULL among the arguments gives none.
    ///
    /// # Errors
    /// A step of zero; errors of the arguments.
    pub fn start(&self, env: &mut Env<'_>) -> Result<Series> {
        let mut values = self.args.iter().map(|arg| arg.eval(env)).collect::<Result<Vec<_>>>()?;
        let ty = self.ty.oid;
        match self.of {
            SetOf::Series => {}
            SetOf::Subscripts => return Ok(subscripts_of(&values)),
            SetOf::Elements => {
                let items = array_elements(&values[0]).unwrap_or_default();
                return Ok(Series { items: items.into_iter(), ..Series::none(ty) });
            }
        }
        let zone = match values.get(3) {
            Some(Value::Null) => return Ok(Series::none(ty)),
            Some(name) => Some(zone_of(text(name)?, true)?),
            None => None,
        };
        values.truncate(3);
        if values.len() < 3 {
            values.push(one(ty, &env.input())?);
        }
        let has_null = values.iter().any(Value::is_null);
        let (step, stop, first) = (values.remove(2), values.remove(1), values.remove(0));
        if has_null {
            return Ok(Series::none(ty));
        }
        let (zero, step_type) = zero(ty, &env.input())?;
        let ascends = match operate::compare(&step, &zero, [step_type; 2], &env.input())? {
            Ordering::Equal => return Err(SqlError::new("22023", "step size cannot equal zero")),
            order => order.is_gt(),
        };
        Ok(Series { next: Some(first), stop, step, ascends, zone, ..Series::none(ty) })
    }
}

/// `generate_subscripts`: of a dimension that the array has.
fn subscripts_of(args: &[Value]) -> Series {
    let wanted = args[1].integer().and_then(|place| usize::try_from(place).ok()?.checked_sub(1));
    let dimensions = array_dimensions(&args[0]).unwrap_or_default();
    let dimension = wanted.and_then(|place| dimensions.get(place)).filter(|_| !args.iter().any(Value::is_null));
    let (lower, upper) = dimension.map_or((1, 0), |it| (it.lower, it.lower + it.len as i32 - 1));
    let ascends = args.get(2) != Some(&Value::Bool(true));
    let (first, stop, step) = if ascends { (lower, upper, 1) } else { (upper, lower, -1) };
    Series {
        next: dimension.map(|_| Value::Int4(first)),
        stop: Value::Int4(stop),
        step: Value::Int4(step),
        ascends,
        ..Series::none(INT4)
    }
}

impl Series {
    fn none(ty: Oid) -> Self {
        Self {
            next: None,
            stop: Value::Null,
            step: Value::Null,
            ty,
            ascends: true,
            zone: None,
            items: IntoIter::default(),
        }
    }

    /// The next value, in place of the one before. Is there one?
    ///
    /// # Errors
    /// A time beyond all times; numbers end with their type.
    pub fn advance(&mut self, context: &dyn Context, value: &mut Value) -> Result<bool> {
        let Some(next) = &mut self.next else {
            let item = self.items.next();
            let is_there = item.is_some();
            *value = item.unwrap_or(Value::Null);
            return Ok(is_there);
        };
        let order = match (&*next, &self.stop) {
            (Value::Int4(next), Value::Int4(stop)) => next.cmp(stop),
            (Value::Int8(next), Value::Int8(stop)) => next.cmp(stop),
            (next, stop) => operate::compare(next, stop, [self.ty; 2], &context.input())?,
        };
        if order == (if self.ascends { Ordering::Greater } else { Ordering::Less }) {
            self.next = None;
            return Ok(false);
        }
        value.copy(next);
        let is_next = match (&mut *next, &self.step) {
            (Value::Int4(number), Value::Int4(step)) => add(number, number.checked_add(*step)),
            (Value::Int8(number), Value::Int8(step)) => add(number, number.checked_add(*step)),
            (number, step) => {
                let step_type = if self.ty == NUMERIC { NUMERIC } else { INTERVAL };
                let mut input = context.input();
                input.style.zone = self.zone.unwrap_or(input.style.zone);
                *number = operate::binary(BinaryOp::Add, number, step, [self.ty, step_type], &input)?;
                true
            }
        };
        if !is_next {
            self.next = None;
        }
        Ok(true)
    }
}

/// Becomes the sum, unless that is beyond the type.
fn add<T>(number: &mut T, sum: Option<T>) -> bool {
    sum.map(|sum| *number = sum).is_some()
}

/// The step where none is given; of times it always is.
fn one(ty: Oid, input: &Input) -> Result<Value> {
    match ty {
        INT4 => Ok(Value::Int4(1)),
        INT8 => Ok(Value::Int8(1)),
        _ => operate::numeric(1, input),
    }
}

fn zero(ty: Oid, input: &Input) -> Result<(Value, Oid)> {
    Ok(match ty {
        INT4 => (Value::Int4(0), INT4),
        INT8 => (Value::Int8(0), INT8),
        NUMERIC => (operate::numeric(0, input)?, NUMERIC),
        _ => (Value::Interval(Interval::default()), INTERVAL),
    })
}
