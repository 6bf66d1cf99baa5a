//! Arithmetic with dates, times and timestamps (src/backend/utils/adt/date.c, timestamp.c).

use super::interval::{self, infinity};
use super::{Arithmetic, undefined};
use crate::datum::datetime::{
    END_OF_DATES, END_OF_TIMESTAMPS, FIRST_DAY, FIRST_TIMESTAMP, USECS_PER_DAY, civil, days_in_month, days_of,
};
use crate::datum::error::{Result, SqlError};
use crate::datum::input::Context;
use crate::datum::value::{Interval, Value};

/// An operator with an operand that is a date, a time, a timestamp or an interval.
pub fn arithmetic(op: Arithmetic, a: &Value, b: &Value, context: &Context) -> Result<Value> {
    use Value::{Date, Float8, Int4, Interval as Span, Time, Timestamp, TimestampTz};
    let (adds, subtracts) = (op == Arithmetic::Add, op == Arithmetic::Sub);
    match (a, b) {
        (Date(day), Int4(days)) | (Int4(days), Date(day)) if adds => plus_days(*day, (*days).into()).map(Date),
        (Date(day), Int4(days)) if subtracts => plus_days(*day, -i64::from(*days)).map(Date),
        (Date(a), Date(b)) if subtracts => days_between(*a, *b).map(Int4),
        (Date(day), Time(time)) | (Time(time), Date(day)) if adds => at_time(*day, *time).map(Timestamp),
        (Date(day), Span(span)) if adds || subtracts => moved(op, date_timestamp(*day)?, *span, context).map(Timestamp),
        (Span(span), Date(day)) if adds => moved(op, date_timestamp(*day)?, *span, context).map(Timestamp),
        (Timestamp(at), Span(span)) if adds || subtracts => moved(op, *at, *span, context).map(Timestamp),
        (Span(span), Timestamp(at)) if adds => moved(op, *at, *span, context).map(Timestamp),
        (TimestampTz(at), Span(span)) if adds || subtracts => moved_in_zone(op, *at, *span, context).map(TimestampTz),
        (Span(span), TimestampTz(at)) if adds => moved_in_zone(op, *at, *span, context).map(TimestampTz),
        (Timestamp(a), Timestamp(b)) | (TimestampTz(a), TimestampTz(b)) if subtracts => {
            between(*a, *b, context).map(Span)
        }
        (Time(time), Span(span)) if adds || subtracts => time_moved(op, *time, *span, context).map(Time),
        (Span(span), Time(time)) if adds => time_moved(op, *time, *span, context).map(Time),
        (Time(a), Time(b)) if subtracts => Ok(Span(Interval { time: a - b, ..Interval::default() })),
        (Span(a), Span(b)) if adds || subtracts => interval::sum(op, *a, *b, context).map(Span),
        (Span(span), Float8(factor)) if matches!(op, Arithmetic::Mul | Arithmetic::Div) => {
            interval::scaled(op, *span, *factor, context).map(Span)
        }
        (Float8(factor), Span(span)) if op == Arithmetic::Mul => {
            interval::scaled(op, *span, *factor, context).map(Span)
        }
        _ => Err(undefined(op.symbol())),
    }
}

const fn is_infinite(day: i32) -> bool {
    matches!(day, i32::MAX | i32::MIN)
}

const fn is_endless(at: i64) -> bool {
    matches!(at, i64::MAX | i64::MIN)
}

fn plus_days(day: i32, days: i64) -> Result<i32> {
    let sum = i64::from(day) + days;
    if is_infinite(day) {
        Ok(day)
    } else if (FIRST_DAY..END_OF_DATES).contains(&sum) {
        Ok(sum as i32)
    } else {
        Err(SqlError::datetime_range("date out of range"))
    }
}

fn days_between(a: i32, b: i32) -> Result<i32> {
    if is_infinite(a) || is_infinite(b) {
        return Err(SqlError::datetime_range("cannot subtract infinite dates"));
    }
    Ok(a - b)
}

/// `date2timestamp`
pub fn date_timestamp(day: i32) -> Result<i64> {
    match day {
        i32::MAX => Ok(i64::MAX),
        i32::MIN => Ok(i64::MIN),
        _ => {
            let at = i64::from(day).checked_mul(USECS_PER_DAY).filter(|at| *at < END_OF_TIMESTAMPS);
            at.ok_or_else(|| SqlError::datetime_range("date out of range for timestamp"))
        }
    }
}

fn at_time(day: i32, time: i64) -> Result<i64> {
    let midnight = date_timestamp(day)?;
    if is_endless(midnight) { Ok(midnight) } else { valid(midnight.checked_add(time)) }
}

fn out_of_range() -> SqlError {
    SqlError::datetime_range("timestamp out of range")
}

fn valid(at: Option<i64>) -> Result<i64> {
    at.filter(|at| (FIRST_TIMESTAMP..END_OF_TIMESTAMPS).contains(at)).ok_or_else(out_of_range)
}

/// `timestamptz_pl_interval`: months and days by the clocks of the session's zone, hours by time that passes.
fn moved_in_zone(op: Arithmetic, at: i64, span: Interval, context: &Context) -> Result<i64> {
    let span = if op == Arithmetic::Sub { interval::negate(span, context)? } else { span };
    if is_endless(at) || infinity(span, context) != 0 {
        return moved(Arithmetic::Add, at, span, context);
    }
    let zone = context.style.zone;
    let by_clock = |at, part| zone.utc_of(moved(Arithmetic::Add, zone.local_of(at)?, part, context)?);
    let mut at = at;
    for part in
        [Interval { month: span.month, ..Interval::default() }, Interval { day: span.day, ..Interval::default() }]
    {
        if part != Interval::default() {
            at = by_clock(at, part)?;
        }
    }
    moved(Arithmetic::Add, at, Interval { time: span.time, ..Interval::default() }, context)
}

/// `timestamp_pl_interval`: months first (the day is at most the month's last), then days, then time.
fn moved(op: Arithmetic, at: i64, span: Interval, context: &Context) -> Result<i64> {
    let span = if op == Arithmetic::Sub { interval::negate(span, context)? } else { span };
    let sign = infinity(span, context);
    if sign != 0 {
        let opposite = if sign > 0 { i64::MIN } else { i64::MAX };
        return if at == opposite {
            Err(out_of_range())
        } else if sign > 0 {
            Ok(i64::MAX)
        } else {
            Ok(i64::MIN)
        };
    }
    if is_endless(at) {
        return Ok(at);
    }
    let (mut day, time) = (at.div_euclid(USECS_PER_DAY), at.rem_euclid(USECS_PER_DAY));
    if span.month != 0 {
        let (year, month, of_month) = civil(day);
        let months = year * 12 + month - 1 + i64::from(span.month);
        let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
        day = days_of(year, month, of_month.min(days_in_month(year, month)));
    }
    day += i64::from(span.day);
    let midnight = day.checked_mul(USECS_PER_DAY).and_then(|midnight| midnight.checked_add(time));
    valid(midnight.and_then(|at| at.checked_add(span.time)))
}

/// `timestamp_mi`: whole days and what is left (`interval_justify_hours`).
fn between(a: i64, b: i64, context: &Context) -> Result<Interval> {
    if is_endless(a) || is_endless(b) {
        if !context.version().has_infinite_interval() {
            return Err(SqlError::datetime_range("cannot subtract infinite timestamps"));
        }
        let sign = |at: i64| if is_endless(at) { at.signum() as i32 } else { 0 };
        let (left, right) = (sign(a), -sign(b));
        return if left * right < 0 { Err(interval::out_of_range()) } else { Ok(interval::infinite(left + right)) };
    }
    let micros = match a.checked_sub(b) {
        Some(micros) => micros,
        None if !context.version().checks_date_differences() => a.wrapping_sub(b),
        None => return Err(interval::out_of_range()),
    };
    Ok(Interval { time: micros % USECS_PER_DAY, day: (micros / USECS_PER_DAY) as i32, month: 0 })
}

/// `time_pl_interval`: around midnight; days and months do not count.
fn time_moved(op: Arithmetic, time: i64, span: Interval, context: &Context) -> Result<i64> {
    let (verb, preposition, sign) = if op == Arithmetic::Add { ("add", "to", 1) } else { ("subtract", "from", -1) };
    if infinity(span, context) != 0 {
        let message = alloc::format!("cannot {verb} infinite interval {preposition} time");
        return Err(SqlError::datetime_range(message));
    }
    Ok((i128::from(time) + sign * i128::from(span.time)).rem_euclid(i128::from(USECS_PER_DAY)) as i64)
}
