//! Dates, times and intervals of their parts, and parts that are carried over (`make_date`, `make_time`,
//! src/backend/utils/adt/date.c; `make_timestamp_internal`, `make_interval`, `interval_justify_interval`,
//! `timestamp_bin`, `overlaps_timestamp`, timestamp.c). The time zone is UTC.

use super::time::{DAY, SECOND, endless_span, micros, six_digits, zone_of};
use crate::sql::ast::BinaryOp;
use crate::sql::expr::call::Call;
use crate::sql::expr::operate;
use crate::sql::expr::pg_catalog::{BOOL, DATE, FLOAT8, INT4, INTERVAL, TEXT, TIMESTAMP, TIMESTAMPTZ};
use crate::sql::expr::pg_proc::{Proc, f};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::String;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::value::Interval;
use ffviz_format::datum::{END_OF_TIMESTAMPS, FIRST_TIMESTAMP, Value, days_in_month, days_of};
use ffviz_format::page::Oid;

const TIME: Oid = 1083;
const PARTS: &[Oid] = &[INT4, INT4, INT4, INT4, INT4, FLOAT8];
const PARTS_AND_ZONE: &[Oid] = &[INT4, INT4, INT4, INT4, INT4, FLOAT8, TEXT];
const OF_INTERVAL: &[Oid] = &[INT4, INT4, INT4, INT4, INT4, INT4, FLOAT8];

pub(super) const PROCS: &[Proc] = &[
    f("date_add", &[TIMESTAMPTZ, INTERVAL], TIMESTAMPTZ, |call| moved(call, BinaryOp::Add)).stable().since(16),
    f("date_add", &[TIMESTAMPTZ, INTERVAL, TEXT], TIMESTAMPTZ, |call| moved(call, BinaryOp::Add)).since(16),
    f("date_subtract", &[TIMESTAMPTZ, INTERVAL], TIMESTAMPTZ, |call| moved(call, BinaryOp::Sub)).stable().since(16),
    f("date_subtract", &[TIMESTAMPTZ, INTERVAL, TEXT], TIMESTAMPTZ, |call| moved(call, BinaryOp::Sub)).since(16),
    f("date_bin", &[INTERVAL, TIMESTAMP, TIMESTAMP], TIMESTAMP, date_bin).since(14),
    f("date_bin", &[INTERVAL, TIMESTAMPTZ, TIMESTAMPTZ], TIMESTAMPTZ, date_bin).since(14),
    f("isfinite", &[DATE], BOOL, isfinite),
    f("isfinite", &[TIMESTAMP], BOOL, isfinite),
    f("isfinite", &[TIMESTAMPTZ], BOOL, isfinite),
    f("isfinite", &[INTERVAL], BOOL, isfinite),
    f("justify_days", &[INTERVAL], INTERVAL, |call| justified(call, justify_days)),
    f("justify_hours", &[INTERVAL], INTERVAL, |call| justified(call, justify_hours)),
    f("justify_interval", &[INTERVAL], INTERVAL, |call| justified(call, justify_interval)),
    f("make_date", &[INT4, INT4, INT4], DATE, make_date),
    f("make_interval", OF_INTERVAL, INTERVAL, make_interval),
    f("make_time", &[INT4, INT4, FLOAT8], TIME, |call| clock(call, 0).map(Value::Time)),
    f("make_timestamp", PARTS, TIMESTAMP, |call| Ok(Value::Timestamp(make_timestamp(call)?))),
    f("make_timestamptz", PARTS, TIMESTAMPTZ, |call| {
        let (at, zone) = (make_timestamp(call)?, call.input().style.zone);
        zone.utc_of(at).map(Value::TimestampTz)
    })
    .stable(),
    f("make_timestamptz", PARTS_AND_ZONE, TIMESTAMPTZ, make_timestamptz).stable(),
    f("overlaps", &[TIMESTAMPTZ, TIMESTAMPTZ, TIMESTAMPTZ, TIMESTAMPTZ], BOOL, overlaps).of_null(),
    f("overlaps", &[TIMESTAMPTZ, INTERVAL, TIMESTAMPTZ, INTERVAL], BOOL, overlaps).of_null().stable(),
    f("overlaps", &[TIMESTAMPTZ, TIMESTAMPTZ, TIMESTAMPTZ, INTERVAL], BOOL, overlaps).of_null().stable(),
    f("overlaps", &[TIMESTAMPTZ, INTERVAL, TIMESTAMPTZ, TIMESTAMPTZ], BOOL, overlaps).of_null().stable(),
    f("overlaps", &[TIMESTAMP, TIMESTAMP, TIMESTAMP, TIMESTAMP], BOOL, overlaps).of_null(),
    f("overlaps", &[TIMESTAMP, INTERVAL, TIMESTAMP, INTERVAL], BOOL, overlaps).of_null(),
    f("overlaps", &[TIMESTAMP, TIMESTAMP, TIMESTAMP, INTERVAL], BOOL, overlaps).of_null(),
    f("overlaps", &[TIMESTAMP, INTERVAL, TIMESTAMP, TIMESTAMP], BOOL, overlaps).of_null(),
    f("overlaps", &[TIME, TIME, TIME, TIME], BOOL, overlaps).of_null(),
    f("overlaps", &[TIME, INTERVAL, TIME, INTERVAL], BOOL, overlaps).of_null(),
    f("overlaps", &[TIME, TIME, TIME, INTERVAL], BOOL, overlaps).of_null(),
    f("overlaps", &[TIME, INTERVAL, TIME, TIME], BOOL, overlaps).of_null(),
];

fn out_of_range(message: impl Into<String>) -> SqlError {
    SqlError::new("22008", message.into())
}

/// The day of a year, which is negative before Christ, a month and a day.
fn day(year: i32, month: i32, day: i32, takes_bc: bool) -> Result<i64> {
    let astronomical = if year < 0 { i64::from(year) + 1 } else { year.into() };
    let is_day = (1..=12).contains(&month)
        && year != 0
        && (takes_bc || year > 0)
        && (1..=days_in_month(astronomical, month.into())).contains(&day.into());
    if !is_day {
        return Err(out_of_range(format!("date field value out of range: {year}-{month:02}-{day:02}")));
    }
    Ok(days_of(astronomical, month.into(), day.into()))
}

fn make_date(call: &mut Call<'_, '_>) -> Result<Value> {
    let (year, month, of_month) = (call.int(0), call.int(1), call.int(2));
    let day = day(year, month, of_month, true)?;
    if !(ffviz_format::datum::FIRST_DAY..ffviz_format::datum::END_OF_DATES).contains(&day) {
        return Err(out_of_range(format!("date out of range: {year}-{month:02}-{of_month:02}")));
    }
    Ok(Value::Date(day as i32))
}

/// Microseconds since midnight of three arguments (`float_time_overflows`).
fn clock(call: &Call<'_, '_>, first: usize) -> Result<i64> {
    let (hour, minute, second) = (i64::from(call.int(first)), i64::from(call.int(first + 1)), call.float(first + 2));
    let micros = libm::rint(second * SECOND as f64);
    let is_time = (0..=24).contains(&hour) && (0..60).contains(&minute) && (0.0..=6e7).contains(&micros);
    let at = (hour * 60 + minute) * 60 * SECOND + if is_time { micros as i64 } else { 0 };
    if !is_time || at > DAY {
        return Err(out_of_range(format!("time field value out of range: {}", shown_time(hour, minute, second))));
    }
    Ok(at)
}

/// `%d:%02d:%02g`
fn shown_time(hour: i64, minute: i64, second: f64) -> String {
    format!("{hour}:{minute:02}:{:0>2}", six_digits(second))
}

/// `make_timestamp_internal`
fn make_timestamp(call: &mut Call<'_, '_>) -> Result<i64> {
    let takes_bc = call.input().version().makes_timestamps_bc();
    let day = day(call.int(0), call.int(1), call.int(2), takes_bc)?;
    let time = clock(call, 3)?;
    let at = day.checked_mul(DAY).and_then(|midnight| midnight.checked_add(time));
    at.filter(|at| (FIRST_TIMESTAMP..END_OF_TIMESTAMPS).contains(at)).ok_or_else(|| {
        let time = shown_time(call.int(3).into(), call.int(4).into(), call.float(5));
        let (year, month, day) = (call.int(0), call.int(1), call.int(2));
        out_of_range(format!("timestamp out of range: {year}-{month:02}-{day:02} {time}"))
    })
}

fn make_timestamptz(call: &mut Call<'_, '_>) -> Result<Value> {
    let at = make_timestamp(call)?;
    zone_of(call.text(6)?, false)?.utc_of(at).map(Value::TimestampTz)
}

fn make_interval(call: &mut Call<'_, '_>) -> Result<Value> {
    let is_checked = call.input().version().has_infinite_interval();
    let seconds = libm::rint(call.float(6) * SECOND as f64);
    let too_far = || out_of_range("interval out of range");
    let of = |whole: i32, by: i32, part: i32| match whole.checked_mul(by).and_then(|all| all.checked_add(part)) {
        Some(all) => Ok(all),
        None if is_checked => Err(too_far()),
        None => Ok(whole.wrapping_mul(by).wrapping_add(part)),
    };
    let (month, day) = (of(call.int(0), 12, call.int(1))?, of(call.int(2), 7, call.int(3))?);
    let minutes = i64::from(call.int(4)) * 60 + i64::from(call.int(5));
    if seconds.is_nan() || seconds.abs() >= i64::MAX as f64 {
        return Err(too_far());
    }
    let time = (minutes * 60 * SECOND).checked_add(seconds as i64).ok_or_else(too_far)?;
    Ok(Value::Interval(Interval { time, day, month }))
}

fn isfinite(call: &mut Call<'_, '_>) -> Result<Value> {
    Ok(Value::Bool(match &call.args[0] {
        Value::Date(day) => !matches!(*day, i32::MAX | i32::MIN),
        Value::Interval(span) => !call.input().version().has_infinite_interval() || endless_span(*span).is_none(),
        other => !matches!(micros(other), i64::MAX | i64::MIN),
    }))
}

fn justified(call: &mut Call<'_, '_>, how: fn(&mut Interval) -> Option<()>) -> Result<Value> {
    let Value::Interval(mut span) = call.args[0] else { return Ok(Value::Null) };
    let is_endless = call.input().version().has_infinite_interval() && endless_span(span).is_some();
    if !is_endless {
        how(&mut span).ok_or_else(|| out_of_range("interval out of range"))?;
    }
    Ok(Value::Interval(span))
}

/// Days of 24 hours; both of one sign.
fn justify_hours(span: &mut Interval) -> Option<()> {
    carry_time(span)?;
    settle_time(span);
    Some(())
}

fn carry_time(span: &mut Interval) -> Option<()> {
    span.day = span.day.checked_add(i32::try_from(span.time / DAY).ok()?)?;
    span.time %= DAY;
    Some(())
}

const fn settle_time(span: &mut Interval) {
    if span.day > 0 && span.time < 0 {
        span.time += DAY;
        span.day -= 1;
    } else if span.day < 0 && span.time > 0 {
        span.time -= DAY;
        span.day += 1;
    }
}

/// Months of 30 days.
fn carry_days(span: &mut Interval) -> Option<()> {
    span.month = span.month.checked_add(span.day / 30)?;
    span.day %= 30;
    Some(())
}

fn justify_days(span: &mut Interval) -> Option<()> {
    carry_days(span)?;
    if span.month > 0 && span.day < 0 {
        span.day += 30;
        span.month -= 1;
    } else if span.month < 0 && span.day > 0 {
        span.day -= 30;
        span.month += 1;
    }
    Some(())
}

fn justify_interval(span: &mut Interval) -> Option<()> {
    // days first, where more of them could be too many
    if span.day > 0 && span.time > 0 || span.day < 0 && span.time < 0 {
        carry_days(span)?;
    }
    carry_time(span)?;
    carry_days(span)?;
    if span.month > 0 && (span.day < 0 || span.day == 0 && span.time < 0) {
        span.day += 30;
        span.month -= 1;
    } else if span.month < 0 && (span.day > 0 || span.day == 0 && span.time > 0) {
        span.day -= 30;
        span.month += 1;
    }
    settle_time(span);
    Some(())
}

/// `timestamp_bin`
fn date_bin(call: &mut Call<'_, '_>) -> Result<Value> {
    let Value::Interval(stride) = call.args[0] else { return Ok(Value::Null) };
    let (at, origin) = (micros(&call.args[1]), micros(&call.args[2]));
    let is_endless = |at: i64| matches!(at, i64::MAX | i64::MIN);
    if is_endless(at) {
        return Ok(call.args[1].clone());
    }
    if is_endless(origin) {
        return Err(out_of_range("origin out of range"));
    }
    if stride.month != 0 {
        let message = "timestamps cannot be binned into intervals containing months or years";
        return Err(SqlError::new("0A000", message));
    }
    let length = i64::from(stride.day).checked_mul(DAY).and_then(|days| days.checked_add(stride.time));
    let length = length.ok_or_else(|| out_of_range("interval out of range"))?;
    if length <= 0 {
        return Err(out_of_range("stride must be greater than zero"));
    }
    let since = at.checked_sub(origin).ok_or_else(|| out_of_range("interval out of range"))?;
    let begin = origin + since - since.rem_euclid(length);
    if begin < FIRST_TIMESTAMP {
        return Err(out_of_range("timestamp out of range"));
    }
    let is_plain = matches!(call.args[1], Value::Timestamp(_));
    Ok(if is_plain { Value::Timestamp(begin) } else { Value::TimestampTz(begin) })
}

/// `timestamptz_pl_interval_at_zone`
fn moved(call: &mut Call<'_, '_>, op: BinaryOp) -> Result<Value> {
    let mut input = call.input();
    if let Some(Value::Text(_)) = call.get(2) {
        input.style.zone = zone_of(call.text(2)?, true)?;
    }
    operate::binary(op, &call.args[0], &call.args[1], [TIMESTAMPTZ, INTERVAL], &input)
}

/// `overlaps_timestamp`, `overlaps_time`: of two spans, whose ends may be unknown.
fn overlaps(call: &mut Call<'_, '_>) -> Result<Value> {
    let mut spans = [(None, None); 2];
    for (n, span) in spans.iter_mut().enumerate() {
        let (from, to) = (&call.args[2 * n], &call.args[2 * n + 1]);
        let end;
        let to = match to {
            Value::Interval(_) if from.is_null() => &Value::Null,
            Value::Interval(_) => {
                let types = [call.type_of(2 * n), INTERVAL];
                end = operate::binary(BinaryOp::Add, from, to, types, &call.input())?;
                &end
            }
            other => other,
        };
        let at = |value: &Value| (!value.is_null()).then(|| micros(value));
        *span = match (at(from), at(to)) {
            (None, None) => return Ok(Value::Null),
            (Some(from), Some(to)) => (Some(from.min(to)), Some(from.max(to))),
            (from, to) => (from.or(to), None),
        };
    }
    let [(first, first_end), (second, second_end)] = spans;
    // the later one begins before the other one's end
    let within = |begin: Option<i64>, end: Option<i64>, own_end: Option<i64>| match (end, own_end) {
        (None, _) => Value::Null,
        (Some(_), _) if begin < end => Value::Bool(true),
        (_, None) => Value::Null,
        _ => Value::Bool(false),
    };
    Ok(match first.cmp(&second) {
        core::cmp::Ordering::Greater => within(first, second_end, first_end),
        core::cmp::Ordering::Less => within(second, first_end, second_end),
        core::cmp::Ordering::Equal if first_end.is_none() || second_end.is_none() => Value::Null,
        core::cmp::Ordering::Equal => Value::Bool(true),
    })
}
