//! Functions of dates and times (src/backend/utils/adt/date.c, timestamp.c, formatting.c). The time zone is UTC.

use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::call::{Call, text};
use crate::sql::expr::pg_catalog::{DATE, FLOAT8, INT4, INT8, INTERVAL, NUMERIC, TEXT, TIMESTAMP, TIMESTAMPTZ};
use crate::sql::expr::pg_proc::{Proc, f};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::value::Interval;
use ffviz_format::datum::{SqlType, Value, civil, days_of};
use ffviz_format::page::Oid;

const TIME: Oid = 1083;
const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;
/// Seconds from 1970 to 2000.
const EPOCH_SHIFT: i64 = ffviz_format::datum::EPOCH_SHIFT;

pub(super) const PROCS: &[Proc] = &[
    f("age", &[TIMESTAMP, TIMESTAMP], INTERVAL, |call| age(&call.args[0], &call.args[1])),
    f("age", &[TIMESTAMPTZ, TIMESTAMPTZ], INTERVAL, |call| age(&call.args[0], &call.args[1])),
    f("clock_timestamp", &[], TIMESTAMPTZ, |call| Ok(Value::TimestampTz(clock(call)))).volatile(),
    f("current_date", &[], DATE, |call| Ok(Value::Date(call.input().now.div_euclid(DAY) as i32))).stable(),
    f("date_part", &[TEXT, DATE], FLOAT8, date_part),
    f("date_part", &[TEXT, TIMESTAMP], FLOAT8, date_part),
    f("date_part", &[TEXT, TIMESTAMPTZ], FLOAT8, date_part).stable(),
    f("date_part", &[TEXT, INTERVAL], FLOAT8, date_part),
    f("date_trunc", &[TEXT, TIMESTAMP], TIMESTAMP, |call| truncated(call.args)),
    f("date_trunc", &[TEXT, TIMESTAMPTZ], TIMESTAMPTZ, |call| truncated(call.args)).stable(),
    f("extract", &[TEXT, DATE], NUMERIC, extract),
    f("extract", &[TEXT, TIMESTAMP], NUMERIC, extract),
    f("extract", &[TEXT, TIMESTAMPTZ], NUMERIC, extract).stable(),
    f("extract", &[TEXT, INTERVAL], NUMERIC, extract),
    f("localtime", &[], TIME, |call| Ok(Value::Time(call.input().now.rem_euclid(DAY)))).stable(),
    f("localtimestamp", &[], TIMESTAMP, |call| Ok(Value::Timestamp(call.input().now))).stable(),
    f("make_date", &[INT4, INT4, INT4], DATE, |call| make_date(call.int(0), call.int(1), call.int(2))),
    f("now", &[], TIMESTAMPTZ, |call| Ok(Value::TimestampTz(call.env.context.input().now))).stable().alone(),
    f("timeofday", &[], TEXT, |call| Ok(Value::text(&time_of_day(clock(call))))).volatile(),
    f("timezone", &[TEXT, TIMESTAMP], TIMESTAMPTZ, |call| timezone(call.args)),
    f("timezone", &[TEXT, TIMESTAMPTZ], TIMESTAMP, |call| timezone(call.args)),
    f("to_char", &[TIMESTAMP, TEXT], TEXT, |call| to_char(micros(&call.args[0]), call.text(1)?)).stable(),
    f("to_char", &[TIMESTAMPTZ, TEXT], TEXT, |call| to_char(micros(&call.args[0]), call.text(1)?)).stable(),
    f("to_char", &[INT4, TEXT], TEXT, number_to_char).stable(),
    f("to_char", &[INT8, TEXT], TEXT, number_to_char).stable(),
    f("to_char", &[FLOAT8, TEXT], TEXT, no_to_char).stable(),
    f("to_char", &[INTERVAL, TEXT], TEXT, no_to_char).stable(),
    f("to_char", &[NUMERIC, TEXT], TEXT, number_to_char).stable(),
    f("to_timestamp", &[FLOAT8], TIMESTAMPTZ, to_timestamp),
];

/// Microseconds since 2000 of the clock, which goes on within a statement.
fn clock(call: &mut Call<'_, '_>) -> i64 {
    (call.env.context.clock() / 1000) as i64 - EPOCH_SHIFT * SECOND
}

fn date_part(call: &mut Call<'_, '_>) -> Result<Value> {
    let (number, scale) = part(call.args)?;
    Ok(Value::Float8(number as f64 / unit(scale)))
}

fn number_to_char(call: &mut Call<'_, '_>) -> Result<Value> {
    super::numeric_text::to_char(&call.args[0], call.text(1)?)
}

fn no_to_char(_: &mut Call<'_, '_>) -> Result<Value> {
    let message = "to_char of an interval or a float is not supported; cast a float to numeric";
    Err(SqlError::new(NOT_SIMULATED, message))
}

fn to_timestamp(call: &mut Call<'_, '_>) -> Result<Value> {
    Ok(Value::TimestampTz(((call.float(0) - EPOCH_SHIFT as f64) * SECOND as f64) as i64))
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

fn unit(scale: u32) -> f64 {
    10_i64.pow(scale) as f64
}

/// Microseconds since 2000 of whatever time it is.
const fn micros(value: &Value) -> i64 {
    match value {
        Value::Date(days) => *days as i64 * DAY,
        Value::Timestamp(at) | Value::TimestampTz(at) | Value::Time(at) => *at,
        _ => 0,
    }
}

fn unknown_unit(unit: &str) -> SqlError {
    SqlError::new("22023", format!("unit \"{unit}\" not recognized for type timestamp"))
}

/// A field of a time, as a number with so many digits behind its point.
fn part(args: &[Value]) -> Result<(i64, u32)> {
    let unit = text(&args[0])?.to_ascii_lowercase();
    if let Value::Interval(span) = &args[1] {
        return interval_part(&unit, *span);
    }
    let at = micros(&args[1]);
    let days = at.div_euclid(DAY);
    let (year, month, day) = civil(days);
    let clock = at.rem_euclid(DAY);
    Ok(match unit.as_str() {
        "year" | "years" => (year, 0),
        "month" => (month, 0),
        "day" => (day, 0),
        "hour" => (clock / (3600 * SECOND), 0),
        "minute" => (clock / (60 * SECOND) % 60, 0),
        "second" => (clock % (60 * SECOND), 6),
        "milliseconds" | "millisecond" => (clock % (60 * SECOND), 3),
        "microseconds" | "microsecond" => (clock % (60 * SECOND), 0),
        "epoch" if matches!(args[1], Value::Date(_)) => (at / SECOND + EPOCH_SHIFT, 0),
        "epoch" => (at + EPOCH_SHIFT * SECOND, 6),
        "dow" => ((days + 6).rem_euclid(7), 0),
        "isodow" => ((days + 5).rem_euclid(7) + 1, 0),
        "doy" => (days - days_of(year, 1, 1) + 1, 0),
        "quarter" => ((month - 1) / 3 + 1, 0),
        "decade" => (year.div_euclid(10), 0),
        "century" => ((year + 99) / 100, 0),
        "week" => (week(days).1, 0),
        "isoyear" => (week(days).0, 0),
        _ => return Err(unknown_unit(&unit)),
    })
}

fn interval_part(unit: &str, span: Interval) -> Result<(i64, u32)> {
    const DAYS_PER_YEAR: i64 = 36_525;
    Ok(match unit {
        "year" => (i64::from(span.month / 12), 0),
        "month" => (i64::from(span.month % 12), 0),
        "day" => (i64::from(span.day), 0),
        "hour" => (span.time / (3600 * SECOND), 0),
        "minute" => (span.time / (60 * SECOND) % 60, 0),
        "second" => (span.time % (60 * SECOND), 6),
        "milliseconds" => (span.time % (60 * SECOND), 3),
        "microseconds" => (span.time % (60 * SECOND), 0),
        "epoch" => {
            let (years, months) = (i64::from(span.month / 12), i64::from(span.month % 12));
            let days = years * DAYS_PER_YEAR * DAY / 100 + (months * 30 + i64::from(span.day)) * DAY;
            (days + span.time, 6)
        }
        _ => return Err(unknown_unit(unit)),
    })
}

/// ISO year and week.
fn week(days: i64) -> (i64, i64) {
    // the Thursday of a week decides about its year
    let thursday = days - (days + 5).rem_euclid(7) + 3;
    let (year, ..) = civil(thursday);
    (year, (thursday - days_of(year, 1, 1)) / 7 + 1)
}

/// `extract`, or `date_part` by that name.
fn extract(call: &mut Call<'_, '_>) -> Result<Value> {
    let (number, scale) = part(call.args)?;
    let input = call.input();
    if !input.version().has_extract() {
        return Ok(Value::Float8(number as f64 / unit(scale)));
    }
    let (sign, digits) = (if number < 0 { "-" } else { "" }, number.unsigned_abs());
    let unit = 10_u64.pow(scale);
    let text = match scale {
        0 => format!("{sign}{digits}"),
        _ => format!("{sign}{}.{:0width$}", digits / unit, digits % unit, width = scale as usize),
    };
    ffviz_format::datum::input::input(&text, SqlType::NUMERIC, &input)
}

fn truncated(args: &[Value]) -> Result<Value> {
    let unit = text(&args[0])?.to_ascii_lowercase();
    let at = micros(&args[1]);
    let days = at.div_euclid(DAY);
    let (year, month, _) = civil(days);
    let to = |length: i64| at - at.rem_euclid(length);
    let cut = match unit.as_str() {
        "microseconds" => at,
        "milliseconds" => to(1000),
        "second" => to(SECOND),
        "minute" => to(60 * SECOND),
        "hour" => to(3600 * SECOND),
        "day" => to(DAY),
        "week" => (days - (days + 5).rem_euclid(7)) * DAY,
        "month" => days_of(year, month, 1) * DAY,
        "quarter" => days_of(year, (month - 1) / 3 * 3 + 1, 1) * DAY,
        "year" => days_of(year, 1, 1) * DAY,
        _ => return Err(unknown_unit(&unit)),
    };
    Ok(if matches!(args[1], Value::Timestamp(_)) { Value::Timestamp(cut) } else { Value::TimestampTz(cut) })
}

fn make_date(year: i32, month: i32, day: i32) -> Result<Value> {
    let is_date = (1..=12).contains(&month)
        && (1..=ffviz_format::datum::days_in_month(year.into(), month.into())).contains(&day.into());
    if !is_date {
        let message = format!("date field value out of range: {year}-{month:02}-{day:02}");
        return Err(SqlError::new("22008", message));
    }
    Ok(Value::Date(days_of(year.into(), month.into(), day.into()) as i32))
}

fn timezone(args: &[Value]) -> Result<Value> {
    let zone = text(&args[0])?;
    if !["UTC", "GMT", "Z", "ETC/UTC"].contains(&zone.to_ascii_uppercase().as_str()) {
        return Err(SqlError::new(
            NOT_SIMULATED,
            format!("time zone {zone} is not supported; the simulator knows UTC"),
        ));
    }
    Ok(match args[1] {
        Value::Timestamp(at) => Value::TimestampTz(at),
        ref other => Value::Timestamp(micros(other)),
    })
}

/// `timestamp_age`: years, months, days and time apart.
fn age(later: &Value, earlier: &Value) -> Result<Value> {
    let (a, b) = (micros(later), micros(earlier));
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
        // the month that is borrowed from is the earlier time's; of a negative age the later one's
        let (year, month) = if is_negative { (y1, m1) } else { (y0, m0) };
        days += ffviz_format::datum::days_in_month(year, month);
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

/// The patterns of `to_char`, longer ones before those that they begin with.
const PATTERNS: &[&str] = &[
    "YYYY", "MONTH", "Month", "month", "MON", "Mon", "mon", "MM", "MI", "MS", "DDD", "DD", "DAY", "Day", "day", "DY",
    "Dy", "dy", "HH24", "HH12", "HH", "SS", "US", "AM", "PM", "am", "pm", "YY", "Q", "D",
];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

fn to_char(at: i64, pattern: &str) -> Result<Value> {
    let (mut out, mut rest) = (String::new(), pattern);
    while let Some(first) = rest.chars().next() {
        if first == '"' {
            let end = rest[1..].find('"').map_or(rest.len(), |at| at + 1);
            out.push_str(&rest[1..end]);
            rest = rest.get(end + 1..).unwrap_or("");
        } else if let Some(known) = PATTERNS.iter().find(|known| rest.starts_with(**known)) {
            out.push_str(&field(at, known));
            rest = &rest[known.len()..];
        } else if first.is_ascii_alphabetic() && first != 'T' {
            let message =
                format!("the pattern {rest} of to_char is not supported; the simulator knows those of dates and times");
            return Err(SqlError::new(NOT_SIMULATED, message));
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    Ok(Value::text(&out))
}

fn field(at: i64, pattern: &str) -> String {
    let days = at.div_euclid(DAY);
    let (year, month, day) = civil(days);
    let clock = at.rem_euclid(DAY);
    let (hour, fraction) = (clock / (3600 * SECOND), clock % SECOND);
    let month_name = MONTHS[(month - 1).rem_euclid(12) as usize];
    let day_name = DAYS[(days + 6).rem_euclid(7) as usize];
    match pattern {
        "YYYY" => format!("{year:04}"),
        "YY" => format!("{:02}", year.rem_euclid(100)),
        "MONTH" => format!("{:9}", month_name.to_uppercase()),
        "Month" => format!("{month_name:9}"),
        "month" => format!("{:9}", month_name.to_lowercase()),
        "MON" => month_name[..3].to_uppercase(),
        "Mon" => month_name[..3].to_string(),
        "mon" => month_name[..3].to_lowercase(),
        "MM" => format!("{month:02}"),
        "DDD" => format!("{:03}", days - days_of(year, 1, 1) + 1),
        "DD" => format!("{day:02}"),
        "DAY" => format!("{:9}", day_name.to_uppercase()),
        "Day" => format!("{day_name:9}"),
        "day" => format!("{:9}", day_name.to_lowercase()),
        "DY" => day_name[..3].to_uppercase(),
        "Dy" => day_name[..3].to_string(),
        "dy" => day_name[..3].to_lowercase(),
        "HH24" => format!("{hour:02}"),
        "HH12" | "HH" => format!("{:02}", if hour % 12 == 0 { 12 } else { hour % 12 }),
        "MI" => format!("{:02}", clock / (60 * SECOND) % 60),
        "SS" => format!("{:02}", clock / SECOND % 60),
        "MS" => format!("{:03}", fraction / 1000),
        "US" => format!("{fraction:06}"),
        "AM" | "PM" => if hour < 12 { "AM" } else { "PM" }.to_string(),
        "am" | "pm" => if hour < 12 { "am" } else { "pm" }.to_string(),
        "Q" => ((month - 1) / 3 + 1).to_string(),
        _ => ((days + 6).rem_euclid(7) + 1).to_string(),
    }
}
