//! Arithmetic of intervals (src/backend/utils/adt/timestamp.c): months, days and time each by itself; a product's
//! fraction of a month goes on to days, of a day to time. Infinite intervals are of 17 and later.

use super::Arithmetic;
use crate::datum::datetime::{USECS_PER_DAY, USECS_PER_SEC};
use crate::datum::error::{Result, SqlError};
use crate::datum::input::{Context, rint};
use crate::datum::value::Interval;

const INFINITY: Interval = Interval { time: i64::MAX, day: i32::MAX, month: i32::MAX };
const MINUS_INFINITY: Interval = Interval { time: i64::MIN, day: i32::MIN, month: i32::MIN };

pub fn out_of_range() -> SqlError {
    SqlError::datetime_range("interval out of range")
}

/// Is it infinite (1), minus infinite (-1) or finite (0)?
pub fn infinity(span: Interval, context: &Context) -> i32 {
    match span {
        _ if !context.version().has_infinite_interval() => 0,
        INFINITY => 1,
        MINUS_INFINITY => -1,
        _ => 0,
    }
}

/// The interval of that sign that is infinite.
pub const fn infinite(sign: i32) -> Interval {
    if sign < 0 { MINUS_INFINITY } else { INFINITY }
}

/// `interval_um`
pub fn negate(span: Interval, context: &Context) -> Result<Interval> {
    let sign = infinity(span, context);
    if sign != 0 {
        return Ok(infinite(-sign));
    }
    let opposite = || {
        Some(Interval {
            time: span.time.checked_neg()?,
            day: span.day.checked_neg()?,
            month: span.month.checked_neg()?,
        })
    };
    finite(opposite(), context)
}

/// A result must be finite.
fn finite(span: Option<Interval>, context: &Context) -> Result<Interval> {
    span.filter(|span| infinity(*span, context) == 0).ok_or_else(out_of_range)
}

/// `interval_pl`, `interval_mi`
pub fn sum(op: Arithmetic, a: Interval, b: Interval, context: &Context) -> Result<Interval> {
    let minus = op == Arithmetic::Sub;
    let (left, right) = (infinity(a, context), infinity(b, context) * if minus { -1 } else { 1 });
    if left != 0 || right != 0 {
        return if left * right < 0 { Err(out_of_range()) } else { Ok(infinite(left + right)) };
    }
    let result = || {
        Some(if minus {
            Interval {
                time: a.time.checked_sub(b.time)?,
                day: a.day.checked_sub(b.day)?,
                month: a.month.checked_sub(b.month)?,
            }
        } else {
            Interval {
                time: a.time.checked_add(b.time)?,
                day: a.day.checked_add(b.day)?,
                month: a.month.checked_add(b.month)?,
            }
        })
    };
    finite(result(), context)
}

/// `interval_mul`, `interval_div`
pub fn scaled(op: Arithmetic, span: Interval, factor: f64, context: &Context) -> Result<Interval> {
    const DAYS_PER_MONTH: f64 = 30.0;
    const SECS_PER_DAY: f64 = 86_400.0;
    let divides = op == Arithmetic::Div;
    if divides && factor == 0.0 {
        return Err(SqlError::division_by_zero());
    }
    if factor.is_nan() {
        return Err(out_of_range());
    }
    let sign = infinity(span, context);
    if sign != 0 || (factor.is_infinite() && context.version().has_infinite_interval()) {
        return scaled_infinite(divides, span, sign, factor);
    }
    let by = |number: f64| if divides { number / factor } else { number * factor };
    let (months, days) = (by(span.month.into()), by(span.day.into()));
    let (month, day) = (whole(months)?, whole(days)?);
    let month_rest = round_micros((months - f64::from(month)) * DAYS_PER_MONTH);
    let mut seconds = round_micros((days - f64::from(day) + month_rest - f64::from(month_rest as i32)) * SECS_PER_DAY);
    let carried = (seconds / SECS_PER_DAY) as i32;
    seconds -= f64::from(carried) * SECS_PER_DAY;
    let day = day.checked_add(carried).and_then(|day| day.checked_add(month_rest as i32)).ok_or_else(out_of_range)?;
    let time = rint(by(span.time as f64) + seconds * USECS_PER_SEC as f64);
    let time = i64::try_from(time).map_err(|_| out_of_range())?;
    finite(Some(Interval { time, day, month }), context)
}

/// Infinity times or divided by a number, or a number times infinity.
fn scaled_infinite(divides: bool, span: Interval, sign: i32, factor: f64) -> Result<Interval> {
    let by = if factor < 0.0 { -1 } else { i32::from(factor > 0.0) };
    let result = match (sign, divides) {
        (0, true) => return Ok(Interval::default()),
        (0, false) => zero_sign(span) * by,
        (_, true) if factor.is_infinite() => 0,
        _ => sign * by,
    };
    if result == 0 { Err(out_of_range()) } else { Ok(infinite(result)) }
}

fn zero_sign(span: Interval) -> i32 {
    let days = i128::from(span.month) * 30 + i128::from(span.day);
    (days * i128::from(USECS_PER_DAY) + i128::from(span.time)).signum() as i32
}

fn whole(number: f64) -> Result<i32> {
    let fits = (f64::from(i32::MIN)..2_147_483_648.0).contains(&number);
    if fits { Ok(number as i32) } else { Err(out_of_range()) }
}

/// `TSROUND`
fn round_micros(number: f64) -> f64 {
    rint(number * 1e6) as f64 / 1e6
}
