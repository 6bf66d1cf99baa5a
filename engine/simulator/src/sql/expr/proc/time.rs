//! Functions of dates and times (src/backend/utils/adt/date.c, timestamp.c). The time zone is UTC.

use crate::sql::expr::call::{Call, text};
use crate::sql::expr::pg_catalog::{DATE, FLOAT8, INTERVAL, TEXT, TIMESTAMP, TIMESTAMPTZ};
use crate::sql::expr::pg_proc::{Proc, f};
use alloc::format;
use alloc::string::{String, ToString};
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::value::Interval;
use ffviz_format::datum::zone::Zone;
use ffviz_format::datum::{END_OF_TIMESTAMPS, FIRST_TIMESTAMP, Value, civil};
use ffviz_format::page::Oid;

const TIME: Oid = 1083;
pub(super) const SECOND: i64 = 1_000_000;
pub(super) const DAY: i64 = 86_400 * SECOND;
/// `POSTGRES_EPOCH_JDATE`: the Julian day of 2000-01-01.
pub(super) const EPOCH_JULIAN: i64 = 2_451_545;
/// Seconds from 1970 to 2000.
const EPOCH_SHIFT: i64 = ffviz_format::datum::EPOCH_SHIFT;

pub(super) const PROCS: &[Proc] = &[
    f("age", &[TIMESTAMP, TIMESTAMP], INTERVAL, |call| age(call, &call.args[0], &call.args[1])),
    f("age", &[TIMESTAMPTZ, TIMESTAMPTZ], INTERVAL, |call| {
        let [later, earlier] = [local(call, 0)?, local(call, 1)?];
        age(call, &later, &earlier)
    }),
    f("age", &[TIMESTAMP], INTERVAL, age_today).stable(),
    f("age", &[TIMESTAMPTZ], INTERVAL, age_today).stable(),
    f("clock_timestamp", &[], TIMESTAMPTZ, |call| Ok(Value::TimestampTz(clock(call)))).volatile(),
    f("current_date", &[], DATE, |call| Ok(Value::Date(local_now(call)?.div_euclid(DAY) as i32))).stable(),
    f("localtime", &[], TIME, |call| Ok(Value::Time(local_now(call)?.rem_euclid(DAY)))).stable(),
    f("localtimestamp", &[], TIMESTAMP, |call| Ok(Value::Timestamp(local_now(call)?))).stable(),
    f("now", &[], TIMESTAMPTZ, |call| Ok(Value::TimestampTz(call.env.context.input().now))).stable().alone(),
    f("timeofday", &[], TEXT, |call| Ok(Value::text(&time_of_day(clock(call))))).volatile(),
    f("timezone", &[TEXT, TIMESTAMP], TIMESTAMPTZ, timezone),
    f("timezone", &[TEXT, TIMESTAMPTZ], TIMESTAMP, timezone),
    f("timezone", &[INTERVAL, TIMESTAMP], TIMESTAMPTZ, timezone),
    f("timezone", &[INTERVAL, TIMESTAMPTZ], TIMESTAMP, timezone),
    f("to_timestamp", &[FLOAT8], TIMESTAMPTZ, to_timestamp),
];

/// Microseconds since 2000 of the clock, which goes on within a statement.
fn clock(call: &mut Call<'_, '_>) -> i64 {
    (call.env.context.clock() / 1000) as i64 - EPOCH_SHIFT * SECOND
}

/// What the clocks of the session's zone showed when the transaction began.
fn local_now(call: &mut Call<'_, '_>) -> Result<i64> {
    let input = call.input();
    input.style.zone.local_of(input.now)
}

/// `float8_timestamptz`
fn to_timestamp(call: &mut Call<'_, '_>) -> Result<Value> {
    let seconds = call.float(0);
    if seconds.is_nan() {
        return Err(SqlError::new("22008", "timestamp cannot be NaN"));
    }
    if seconds.is_infinite() {
        return Ok(Value::TimestampTz(if seconds > 0.0 { i64::MAX } else { i64::MIN }));
    }
    let at = libm::rint((seconds - EPOCH_SHIFT as f64) * SECOND as f64);
    if !(FIRST_TIMESTAMP as f64..END_OF_TIMESTAMPS as f64).contains(&at) {
        return Err(SqlError::new("22008", format!("timestamp out of range: \"{}\"", six_digits(seconds))));
    }
    Ok(Value::TimestampTz(at as i64))
}

/// A number as `%g` prints it.
pub(super) fn six_digits(number: f64) -> String {
    let text = format!("{number:.5e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |digits: &str| match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => digits.to_string(),
    };
    if (-4..6).contains(&exponent) {
        return trimmed(&format!("{number:.*}", (5 - exponent) as usize));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(digits), exponent.abs())
}

/// `timeofday`
fn time_of_day(at: i64) -> String {
    const DAYS: [&str; 7] = ["Sat", "Sun", "Mon", "Tue", "Wed", "Thu", "Fri"];
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (days, clock) = (at.div_euclid(DAY), at.rem_euclid(DAY));
    let (year, month, day) = civil(days);
    let (weekday, month) = (DAYS[days.rem_euclid(7) as usize], MONTHS[(month - 1).rem_euclid(12) as usize]);
    let (seconds, micros) = (clock / SECOND, clock % SECOND);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{weekday} {month} {day:02} {hour:02}:{minute:02}:{second:02}.{micros:06} {year} UTC")
}

/// Microseconds since 2000 of whatever time it is.
pub(super) const fn micros(value: &Value) -> i64 {
    match value {
        Value::Date(days) => *days as i64 * DAY,
        Value::Timestamp(at) | Value::TimestampTz(at) | Value::Time(at) => *at,
        _ => 0,
    }
}

/// A zone by its name, an abbreviation, or its distance: `+02` is west of UTC, as POSIX has it, where it `is_posix`
/// (`parse_sane_timezone`, `DecodeTimezoneName`).
///
/// # Errors
/// There is no such zone, or it is not simulated.
pub(in crate::sql::expr) fn zone_of(name: &str, is_posix: bool) -> Result<Zone> {
    let digits = name.trim_start_matches(['+', '-']);
    let (hours, minutes) = digits.split_once(':').unwrap_or((digits, "0"));
    let is_distance = name.len() <= digits.len() + 1 && (1..=2).contains(&hours.len());
    if let (true, Ok(hours), Ok(minutes)) = (is_distance, hours.parse::<i32>(), minutes.parse::<i32>()) {
        let is_east = name.starts_with('-') == is_posix;
        return Ok(Zone::East((hours * 60 + minutes) * if is_east { 60 } else { -60 }));
    }
    if ["Z", "ZULU", "UT"].iter().any(|utc| utc.eq_ignore_ascii_case(name)) {
        return Ok(Zone::UTC);
    }
    let found = Zone::abbreviated(name).map(|offset| Zone::East(offset.east)).or_else(|| Zone::named(name));
    found.ok_or_else(|| Zone::missing(name, SqlError::new("22023", format!("time zone \"{name}\" not recognized"))))
}

/// `timestamp_zone`, `timestamptz_zone`
fn timezone(call: &mut Call<'_, '_>) -> Result<Value> {
    let zone = match &call.args[0] {
        Value::Interval(span) if span.month != 0 || span.day != 0 => {
            let text = call.args[0].output(INTERVAL).unwrap_or_default();
            let message = format!("interval time zone \"{text}\" must not include months or days");
            return Err(SqlError::new("22023", message));
        }
        Value::Interval(span) => Zone::East((span.time / SECOND) as i32),
        name => zone_of(text(name)?, true)?,
    };
    let valid = |at: i64| match (FIRST_TIMESTAMP..END_OF_TIMESTAMPS).contains(&at) {
        true => Ok(at),
        false => Err(SqlError::new("22008", "timestamp out of range")),
    };
    Ok(match call.args[1] {
        Value::Timestamp(at @ (i64::MAX | i64::MIN)) => Value::TimestampTz(at),
        Value::TimestampTz(at @ (i64::MAX | i64::MIN)) => Value::Timestamp(at),
        Value::Timestamp(at) => Value::TimestampTz(valid(zone.utc_of(at)?)?),
        ref other => Value::Timestamp(valid(zone.local_of(micros(other))?)?),
    })
}

/// Is it infinite, and above all others? Before 17 it is a number like others.
pub(super) const fn endless_span(span: Interval) -> Option<bool> {
    match span {
        Interval { time: i64::MAX, day: i32::MAX, month: i32::MAX } => Some(true),
        Interval { time: i64::MIN, day: i32::MIN, month: i32::MIN } => Some(false),
        _ => None,
    }
}

/// The interval that is infinite.
pub(super) const fn endless(is_above: bool) -> Interval {
    match is_above {
        true => Interval { time: i64::MAX, day: i32::MAX, month: i32::MAX },
        false => Interval { time: i64::MIN, day: i32::MIN, month: i32::MIN },
    }
}

/// `age` of one time: up to today.
fn age_today(call: &mut Call<'_, '_>) -> Result<Value> {
    let today = local_now(call)?.div_euclid(DAY) * DAY;
    let earlier = local(call, 0)?;
    age(call, &Value::Timestamp(today), &earlier)
}

/// An argument, of a moment what the clocks of the session's zone show then.
fn local(call: &mut Call<'_, '_>, n: usize) -> Result<Value> {
    match call.args[n] {
        Value::TimestampTz(at) if !matches!(at, i64::MAX | i64::MIN) => {
            call.input().style.zone.local_of(at).map(Value::Timestamp)
        }
        ref other => Ok(other.clone()),
    }
}

/// `timestamp_age`: years, months, days and time apart.
fn age(call: &mut Call<'_, '_>, later: &Value, earlier: &Value) -> Result<Value> {
    let (a, b) = (micros(later), micros(earlier));
    let is_endless = |at: i64| matches!(at, i64::MAX | i64::MIN);
    if call.input().version().has_infinite_interval() && (is_endless(a) || is_endless(b)) {
        if a == b {
            return Err(SqlError::new("22008", "interval out of range"));
        }
        return Ok(Value::Interval(endless(a == i64::MAX || b == i64::MIN)));
    }
    let is_negative = a < b;
    let (high, low) = if is_negative { (b, a) } else { (a, b) };
    let ((y1, m1, d1), (y0, m0, d0)) = (civil(high.div_euclid(DAY)), civil(low.div_euclid(DAY)));
    let mut time = high.rem_euclid(DAY) - low.rem_euclid(DAY);
    let (mut months, mut days) = ((y1 - y0) * 12 + m1 - m0, d1 - d0);
    if time < 0 {
        time += DAY;
        days -= 1;
    }
    if days < 0 {
        // the month that is borrowed from is the earlier time's
        days += ffviz_format::datum::days_in_month(y0, m0);
        months -= 1;
    }
    let sign = if is_negative { -1 } else { 1 };
    let (month, day) = (i32::try_from(sign * months), i32::try_from(sign * days));
    let out_of_range = |_| SqlError::new("22008", "timestamp out of range");
    Ok(Value::Interval(Interval {
        time: sign * time,
        day: day.map_err(out_of_range)?,
        month: month.map_err(out_of_range)?,
    }))
}
