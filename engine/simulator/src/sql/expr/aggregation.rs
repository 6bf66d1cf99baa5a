//! How the result of an aggregate comes about row by row: transition and final functions
//! (src/backend/utils/adt/numeric.c, float.c, timestamp.c, bool.c, array_userfuncs.c).

use super::aggregate::{Aggregate, AggregateKind, Bits};
use super::operate;
use super::pg_catalog::{FLOAT4, FLOAT8, INT2, INT4, INT8, INTERVAL, NUMERIC, TEXT};
use super::proc;
use super::regression::Pairs;
use crate::sql::ast::BinaryOp;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::bits::{Bits as BitString, Together};
use ffviz_format::datum::error::Result;
use ffviz_format::datum::input::Context as Input;
use ffviz_format::datum::money::MONEY;
use ffviz_format::datum::range::Range;
use ffviz_format::datum::{SqlError, SqlType, Value, array_elements, element_of, make_array, nested_array};
use ffviz_format::page::Oid;

/// The state of an aggregate (`transvalue`).
#[derive(Debug, Clone)]
pub struct Aggregation {
    kind: AggregateKind,
    args: Vec<Oid>,
    ty: SqlType,
    rows: i64,
    /// of integers
    total: i128,
    /// of all else; NULL until the first value
    value: Value,
    /// avg of floats: the sum of squares of differences, which may overflow where the sum does not
    squares: f64,
    /// variances of all else: the sum of squares
    square_sum: Value,
    joined: Vec<u8>,
    elements: Vec<Value>,
    pairs: Pairs,
    distinct: bool,
    /// the arguments of the row before, where equal ones count once
    last: Option<Vec<Value>>,
}

impl Aggregation {
    /// Before the first row.
    #[must_use]
    pub fn new(aggregate: &Aggregate) -> Self {
        let args = aggregate.args.iter().map(|arg| arg.ty.oid).collect();
        let Aggregate { kind, ty, distinct, .. } = *aggregate;
        Self {
            kind,
            args,
            ty,
            rows: 0,
            total: 0,
            value: Value::Null,
            squares: 0.0,
            square_sum: Value::Null,
            joined: Vec::new(),
            elements: Vec::new(),
            pairs: Pairs::default(),
            distinct,
            last: None,
        }
    }

    /// Takes a row's arguments; NULL does not count, except in an array.
    ///
    /// # Errors
    /// A sum that its type does not hold.
    pub fn add(&mut self, args: &[Value], input: &Input) -> Result<()> {
        let Some(value) = args.first() else {
            self.rows += 1;
            return Ok(());
        };
        if self.distinct && self.is_again(args, input)? || value.is_null() && !self.takes_null() {
            return Ok(());
        }
        self.rows += 1;
        match self.kind {
            AggregateKind::Count => {}
            AggregateKind::Avg | AggregateKind::Spread(..) if matches!(self.args[0], FLOAT4 | FLOAT8) => {
                self.accumulate(value)?;
            }
            AggregateKind::Spread(..) => self.add_square(value, input)?,
            AggregateKind::Sum | AggregateKind::Avg => self.sum(value, input)?,
            AggregateKind::Min => self.keep(value, Ordering::Less, input)?,
            AggregateKind::Max => self.keep(value, Ordering::Greater, input)?,
            AggregateKind::BoolAnd => self.decide(value, false),
            AggregateKind::BoolOr => self.decide(value, true),
            AggregateKind::StringAgg => {
                if self.rows > 1 {
                    self.joined.extend_from_slice(args[1].plain_bytes().unwrap_or(&[]));
                }
                self.joined.extend_from_slice(value.plain_bytes().unwrap_or(&[]));
            }
            AggregateKind::Bits(how) => self.put_together(value, how)?,
            AggregateKind::AnyValue if self.rows > 1 => {}
            AggregateKind::RangeIntersect if self.rows > 1 => {
                if let (Some(known), Some(range)) = (Range::of(&self.value), Range::of(value)) {
                    self.value = known.intersect(&range)?;
                }
            }
            AggregateKind::AnyValue | AggregateKind::RangeIntersect => self.value = value.clone(),
            AggregateKind::Regression(_) if args[1].is_null() => {}
            AggregateKind::Regression(_) => self.pairs.add(value, &args[1])?,
            AggregateKind::ArrayAgg | AggregateKind::OrderedSet(_) => self.elements.push(value.clone()),
            AggregateKind::JsonAgg(..) => {
                let separator: &[u8] = if self.rows > 1 { b", " } else { b"" };
                self.joined.extend_from_slice(separator);
                let part = proc::json_part(self.kind, args, &self.args, &input.style)?;
                self.joined.extend_from_slice(part.as_bytes());
            }
        }
        Ok(())
    }

    const fn takes_null(&self) -> bool {
        matches!(self.kind, AggregateKind::ArrayAgg | AggregateKind::JsonAgg(..))
    }

    /// Are they equal to those of the row before, which stand beside them since rows are sorted?
    fn is_again(&mut self, args: &[Value], input: &Input) -> Result<bool> {
        let mut is_equal = self.last.is_some();
        for (n, (before, arg)) in self.last.iter().flatten().zip(args).enumerate() {
            is_equal &= match (before.is_null(), arg.is_null()) {
                (false, false) => operate::compare(before, arg, [self.args[n]; 2], input)? == Ordering::Equal,
                (before, arg) => before && arg,
            };
        }
        if !is_equal {
            self.last = Some(args.to_vec());
        }
        Ok(is_equal)
    }

    fn sum(&mut self, value: &Value, input: &Input) -> Result<()> {
        match value {
            Value::Int2(number) => self.total += i128::from(*number),
            Value::Int4(number) => self.total += i128::from(*number),
            Value::Int8(number) => self.total += i128::from(*number),
            _ if self.value.is_null() => self.value = value.clone(),
            _ => self.value = operate::binary(BinaryOp::Add, &self.value, value, [self.args[0]; 2], input)?,
        }
        Ok(())
    }

    /// `float8_accum`: the squares are of variances only, but stop the average too where they overflow.
    fn accumulate(&mut self, value: &Value) -> Result<()> {
        let number = match value {
            Value::Float4(number) => f64::from(*number),
            Value::Float8(number) => *number,
            _ => 0.0,
        };
        let before = if let Value::Float8(sum) = self.value { sum } else { 0.0 };
        let (rows, sum) = (self.rows as f64, before + number);
        if self.rows > 1 {
            let difference = number * rows - sum;
            self.squares += difference * difference / (rows * (rows - 1.0));
            if sum.is_infinite() || self.squares.is_infinite() {
                if !before.is_infinite() && !number.is_infinite() {
                    return Err(SqlError::new("22003", "value out of range: overflow"));
                }
                self.squares = f64::NAN;
            }
        } else if !number.is_finite() {
            self.squares = f64::NAN;
        }
        self.value = Value::Float8(sum);
        Ok(())
    }

    /// `do_numeric_accum`: the sum, and the sum of squares, as numeric.
    fn add_square(&mut self, value: &Value, input: &Input) -> Result<()> {
        let number = match value.integer() {
            Some(whole) => operate::numeric(whole.into(), input)?,
            None => value.clone(),
        };
        let square = operate::binary(BinaryOp::Mul, &number, &number, [NUMERIC; 2], input)?;
        for (sum, more) in [(&mut self.value, number), (&mut self.square_sum, square)] {
            *sum = if sum.is_null() { more } else { operate::binary(BinaryOp::Add, sum, &more, [NUMERIC; 2], input)? };
        }
        Ok(())
    }

    /// `numeric_stddev_internal`, `float8_stddev_samp`: of no sample of one value.
    fn spread(&self, is_root: bool, of_sample: bool, input: &Input) -> Result<Value> {
        let by = self.rows - i64::from(of_sample);
        if by == 0 {
            return Ok(Value::Null);
        }
        if self.ty.oid == FLOAT8 {
            let variance = self.squares / by as f64;
            return Ok(Value::Float8(if is_root { libm::sqrt(variance) } else { variance }));
        }
        let of = |op, left: &Value, right: &Value| operate::binary(op, left, right, [NUMERIC; 2], input);
        let rows = operate::numeric(self.rows.into(), input)?;
        let above = of(BinaryOp::Mul, &rows, &self.square_sum)?;
        let above = of(BinaryOp::Sub, &above, &of(BinaryOp::Mul, &self.value, &self.value)?)?;
        let zero = operate::numeric(0, input)?;
        if operate::compare(&above, &zero, [NUMERIC; 2], input)? != Ordering::Greater {
            return Ok(zero);
        }
        let below = operate::numeric(i128::from(self.rows) * i128::from(by), input)?;
        let variance = of(BinaryOp::Div, &above, &below)?;
        if is_root { super::root::of_numeric(&variance, input) } else { Ok(variance) }
    }

    fn keep(&mut self, value: &Value, wanted: Ordering, input: &Input) -> Result<()> {
        if self.value.is_null() || operate::compare(value, &self.value, [self.args[0]; 2], input)? == wanted {
            self.value = value.clone();
        }
        Ok(())
    }

    /// `int4and`, `bitand` and their like, of two values of one width.
    fn put_together(&mut self, value: &Value, how: Bits) -> Result<()> {
        if let (Some(a), Some(b)) = (BitString::of(&self.value), BitString::of(value)) {
            let how = match how {
                Bits::And => Together::And,
                Bits::Or => Together::Or,
                Bits::Xor => Together::Xor,
            };
            self.value = a.with(&b, how)?.value();
            return Ok(());
        }
        let both = |a: i64, b: i64| match how {
            Bits::And => a & b,
            Bits::Or => a | b,
            Bits::Xor => a ^ b,
        };
        self.value = match (&self.value, value) {
            (Value::Int2(a), Value::Int2(b)) => Value::Int2(both((*a).into(), (*b).into()) as i16),
            (Value::Int4(a), Value::Int4(b)) => Value::Int4(both((*a).into(), (*b).into()) as i32),
            (Value::Int8(a), Value::Int8(b)) => Value::Int8(both(*a, *b)),
            _ => value.clone(),
        };
        Ok(())
    }

    /// One such value decides.
    fn decide(&mut self, value: &Value, decides: bool) {
        if self.value.is_null() || *value == Value::Bool(decides) {
            self.value = value.clone();
        }
    }

    /// After the last row.
    ///
    /// # Errors
    /// A sum that bigint does not hold.
    pub fn result(self, input: &Input) -> Result<Value> {
        match self.kind {
            AggregateKind::Count => Ok(Value::Int8(self.rows)),
            AggregateKind::Regression(of) => Ok(self.pairs.result(of)),
            _ if self.rows == 0 => Ok(Value::Null),
            AggregateKind::StringAgg if self.ty.oid == TEXT => Ok(Value::Text(self.joined.into())),
            AggregateKind::StringAgg => Ok(Value::Bytea(self.joined.into())),
            AggregateKind::OrderedSet(of) => super::ordered_set::picked(of, self.elements, self.args[0], input),
            AggregateKind::ArrayAgg => match element_of(self.args[0]) {
                Some(element) => accumulated(element, &self.elements),
                None => Ok(make_array(self.args[0], &self.elements)),
            },
            AggregateKind::JsonAgg(..) => proc::json_whole(self.kind, self.joined),
            AggregateKind::Sum => match self.args[0] {
                INT2 | INT4 => i64::try_from(self.total)
                    .map(Value::Int8)
                    .map_err(|_| SqlError::new("22003", "bigint out of range")),
                MONEY => {
                    i64::try_from(self.total).map(Value::Int8).map_err(|_| SqlError::new("22003", "money out of range"))
                }
                INT8 => operate::numeric(self.total, input),
                _ => Ok(self.value),
            },
            AggregateKind::Avg => self.average(input),
            AggregateKind::Spread(is_root, of_sample) => self.spread(is_root, of_sample, input),
            _ => Ok(self.value),
        }
    }

    /// The sum by the number of rows, both as the type divides them.
    fn average(self, input: &Input) -> Result<Value> {
        let rows = self.rows as f64;
        match (&self.value, self.args[0]) {
            (Value::Float8(sum), _) => Ok(Value::Float8(sum / rows)),
            (span, INTERVAL) => operate::binary(BinaryOp::Div, span, &Value::Float8(rows), [INTERVAL, FLOAT8], input),
            (sum, of) => {
                let is_whole = matches!(of, INT2 | INT4 | INT8);
                let sum = if is_whole { operate::numeric(self.total, input)? } else { sum.clone() };
                let rows = operate::numeric(self.rows.into(), input)?;
                operate::binary(BinaryOp::Div, &sum, &rows, [self.ty.oid; 2], input)
            }
        }
    }
}

/// `array_agg_array_finalfn`, and what `accumArrayResultArr` refuses: arrays as the rows of one.
fn accumulated(element: Oid, arrays: &[Value]) -> Result<Value> {
    if arrays.iter().any(Value::is_null) {
        return Err(SqlError::new("22004", "cannot accumulate null arrays"));
    }
    if arrays.iter().any(|array| array_elements(array).is_some_and(|elements| elements.is_empty())) {
        return Err(SqlError::new("2202E", "cannot accumulate empty arrays"));
    }
    let differing = || SqlError::new("2202E", "cannot accumulate arrays of different dimensionality");
    nested_array(element, arrays).ok_or_else(differing)
}
