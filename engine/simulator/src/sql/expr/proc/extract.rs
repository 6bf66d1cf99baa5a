//! EXTRACT, `date_part` and `date_trunc` (`timestamp_part_common`, `interval_part_common`, `timestamp_trunc`,
//! `interval_trunc`, src/backend/utils/adt/timestamp.c; `extract_date`, `time_part_common`, date.c). The time zone is
//! UTC.

use super::time::{DAY, EPOCH_JULIAN, SECOND, micros, zone_of};
use super::units::{Of, Unit, unit};
use crate::sql::ast::BinaryOp;
use crate::sql::expr::call::{Call, text};
use crate::sql::expr::operate;
use crate::sql::expr::pg_catalog::{DATE, FLOAT8, INTERVAL, NUMERIC, TEXT, TIMESTAMP, TIMESTAMPTZ};
use crate::sql::expr::pg_proc::{Proc, f};
use crate::version::SqlBehaviour;
use alloc::format;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::input::Context as Input;
use ffviz_format::datum::value::Interval;
use ffviz_format::datum::zone::Zone;
use ffviz_format::datum::{EPOCH_SHIFT, SqlType, Value, civil, days_of};
use ffviz_format::page::Oid;

const TIME: Oid = 1083;

pub(super) const PROCS: &[Proc] = &[
    f("date_part", &[TEXT, DATE], FLOAT8, date_part),
    f("date_part", &[TEXT, TIME], FLOAT8, date_part),
    f("date_part", &[TEXT, TIMESTAMP], FLOAT8, date_part),
    f("date_part", &[TEXT, TIMESTAMPTZ], FLOAT8, date_part).stable(),
    f("date_part", &[TEXT, INTERVAL], FLOAT8, date_part),
    f("date_trunc", &[TEXT, TIMESTAMP], TIMESTAMP, truncated),
    f("date_trunc", &[TEXT, TIMESTAMPTZ], TIMESTAMPTZ, truncated).stable(),
    f("date_trunc", &[TEXT, TIMESTAMPTZ, TEXT], TIMESTAMPTZ, |call| {
        let zone = zone_of(call.text(2)?, true)?;
        truncated_in(call, zone)
    })
    .stable(),
    f("date_trunc", &[TEXT, INTERVAL], INTERVAL, truncated),
    f("extract", &[TEXT, DATE], NUMERIC, extract),
    f("extract", &[TEXT, TIME], NUMERIC, extract),
    f("extract", &[TEXT, TIMESTAMP], NUMERIC, extract),
    f("extract", &[TEXT, TIMESTAMPTZ], NUMERIC, extract).stable(),
    f("extract", &[TEXT, INTERVAL], NUMERIC, extract),
];

/// What a field of a time is.
enum Field {
    /// a number with so many digits behind its point
    Number(i64, u32),
    /// a day, and the share of it in microseconds
    Julian(i64, i64),
    Infinite(bool),
    /// of what is infinite it comes again and again
    Nothing,
}

fn date_part(call: &mut Call<'_, '_>) -> Result<Value> {
    Ok(as_float(&part(call, false)?))
}

fn as_float(field: &Field) -> Value {
    match *field {
        Field::Number(number, scale) => Value::Float8(number as f64 / 10_i64.pow(scale) as f64),
        Field::Julian(day, micros) => Value::Float8(day as f64 + micros as f64 / 1e6 / 86_400.0),
        Field::Infinite(is_above) => Value::Float8(if is_above { f64::INFINITY } else { f64::NEG_INFINITY }),
        Field::Nothing => Value::Null,
    }
}

/// EXTRACT, before 14 `date_part` by that name.
fn extract(call: &mut Call<'_, '_>) -> Result<Value> {
    let input = call.input();
    let field = part(call, input.version().extracts_from_dates())?;
    if !input.version().has_extract() {
        return Ok(as_float(&field));
    }
    let numeric = |text: &str| ffviz_format::datum::input::input(text, SqlType::NUMERIC, &input);
    match field {
        Field::Number(number, 0) => operate::numeric(number.into(), &input),
        Field::Number(number, scale) => {
            let (sign, digits, unit) = (if number < 0 { "-" } else { "" }, number.unsigned_abs(), 10_u64.pow(scale));
            numeric(&format!("{sign}{}.{:0width$}", digits / unit, digits % unit, width = scale as usize))
        }
        Field::Julian(day, micros) => {
            let [day, micros, whole] = [day, micros, DAY].map(|number| operate::numeric(number.into(), &input));
            let share = operate::binary(BinaryOp::Div, &micros?, &whole?, [NUMERIC; 2], &input)?;
            operate::binary(BinaryOp::Add, &day?, &share, [NUMERIC; 2], &input)
        }
        Field::Infinite(is_above) => numeric(if is_above { "Infinity" } else { "-Infinity" }),
        Field::Nothing => Ok(Value::Null),
    }
}

/// What the value is, a date as such or as the timestamp that it begins.
const fn kind(value: &Value, knows_dates: bool) -> Of {
    match value {
        Value::Date(_) if knows_dates => Of::Date,
        Value::TimestampTz(_) => Of::TimestampTz,
        Value::Time(_) => Of::Time,
        Value::Interval(_) => Of::Interval,
        _ => Of::Timestamp,
    }
}

fn part(call: &mut Call<'_, '_>, knows_dates: bool) -> Result<Field> {
    let (name, value, input) = (call.text(0)?.to_ascii_lowercase(), &call.args[1], call.input());
    let of = kind(value, knows_dates);
    let Some(unit) = unit(&name) else { return Err(of.not_recognized(&name, input.version())) };
    let found = match value {
        Value::Interval(span) => interval_part(unit, *span, &input),
        Value::Time(at) => clock_part(unit, *at).or_else(|| (unit == Unit::Epoch).then_some(Field::Number(*at, 6))),
        Value::TimestampTz(at) if endless(value).is_none() => {
            time_part(unit, value, of, input.style.zone.at(*at)?.east)
        }
        _ => time_part(unit, value, of, 0),
    };
    found.ok_or_else(|| of.not_supported(&name, input.version()))
}

/// Parts of a time of the day.
const fn clock_part(unit: Unit, at: i64) -> Option<Field> {
    Some(match unit {
        Unit::Microsecond => Field::Number(at % (60 * SECOND), 0),
        Unit::Millisecond => Field::Number(at % (60 * SECOND), 3),
        Unit::Second => Field::Number(at % (60 * SECOND), 6),
        Unit::Minute => Field::Number(at / (60 * SECOND) % 60, 0),
        Unit::Hour => Field::Number(at / (3600 * SECOND), 0),
        _ => return None,
    })
}

/// Parts of a date or a timestamp, by clocks so many seconds east of it.
fn time_part(unit: Unit, value: &Value, of: Of, east: i32) -> Option<Field> {
    if let Some(is_above) = endless(value) {
        return endless_part(unit, is_above, of);
    }
    let east = i64::from(east);
    let at = micros(value) + east * SECOND;
    let days = at.div_euclid(DAY);
    let (year, month, day) = civil(days);
    let clock = at.rem_euclid(DAY);
    let number = |number| Some(Field::Number(number, 0));
    match unit {
        _ if unit < Unit::Day && of == Of::Date => None,
        _ if unit < Unit::Day => clock_part(unit, clock),
        Unit::Day => number(day),
        Unit::Month => number(month),
        Unit::Quarter => number((month - 1) / 3 + 1),
        Unit::Week => number(week(days).1),
        Unit::Year => number(shown(year)),
        Unit::IsoYear => number(shown(week(days).0)),
        Unit::Decade => number(if year >= 0 { year / 10 } else { -((9 - year) / 10) }),
        Unit::Century => number(period(year, 100)),
        Unit::Millennium => number(period(year, 1000)),
        Unit::Epoch if matches!(value, Value::Date(_)) => number(at / SECOND + EPOCH_SHIFT),
        Unit::Epoch => Some(Field::Number(micros(value) + EPOCH_SHIFT * SECOND, 6)),
        Unit::Julian if of == Of::Date => number(days + EPOCH_JULIAN),
        Unit::Julian => Some(Field::Julian(days + EPOCH_JULIAN, clock)),
        Unit::DayOfWeek => number((days + 6).rem_euclid(7)),
        Unit::IsoDayOfWeek => number((days + 5).rem_euclid(7) + 1),
        Unit::DayOfYear => number(days - days_of(year, 1, 1) + 1),
        Unit::Zone if of == Of::TimestampTz => number(east),
        Unit::ZoneHour if of == Of::TimestampTz => number(east / 3600),
        Unit::ZoneMinute if of == Of::TimestampTz => number(east / 60 % 60),
        _ => None,
    }
}

/// Is it infinite, and above all others?
const fn endless(value: &Value) -> Option<bool> {
    match value {
        Value::Date(i32::MAX) | Value::Timestamp(i64::MAX) | Value::TimestampTz(i64::MAX) => Some(true),
        Value::Date(i32::MIN) | Value::Timestamp(i64::MIN) | Value::TimestampTz(i64::MIN) => Some(false),
        _ => None,
    }
}

/// `NonFiniteTimestampTzPart`
fn endless_part(unit: Unit, is_above: bool, of: Of) -> Option<Field> {
    match unit {
        Unit::Year | Unit::Decade | Unit::Century | Unit::Millennium | Unit::Julian | Unit::IsoYear | Unit::Epoch => {
            Some(Field::Infinite(is_above))
        }
        Unit::Other => None,
        _ if of == Of::Date && unit < Unit::Day => None,
        Unit::Zone | Unit::ZoneHour | Unit::ZoneMinute if of == Of::Date => None,
        _ => Some(Field::Nothing),
    }
}

/// There is no year 0.
const fn shown(year: i64) -> i64 {
    if year > 0 { year } else { year - 1 }
}

/// Which century or millennium a year is of.
const fn period(year: i64, length: i64) -> i64 {
    if year > 0 { (year + length - 1) / length } else { -((length - year) / length) }
}

fn interval_part(unit: Unit, span: Interval, input: &Input) -> Option<Field> {
    const DAYS_PER_YEAR: i64 = 36_525;
    let (years, months) = (i64::from(span.month / 12), i64::from(span.month % 12));
    let has_weeks = input.version().has_weeks_of_intervals();
    if input.version().has_infinite_interval()
        && let Some(is_above) = super::time::endless_span(span)
    {
        let is_told = matches!(
            unit,
            Unit::Hour | Unit::Day | Unit::Year | Unit::Decade | Unit::Century | Unit::Millennium | Unit::Epoch
        );
        let is_known = is_told || unit < Unit::Day || matches!(unit, Unit::Month | Unit::Quarter);
        let is_known = is_known || unit == Unit::Week && has_weeks;
        return is_known.then_some(if is_told { Field::Infinite(is_above) } else { Field::Nothing });
    }
    let number = |number| Some(Field::Number(number, 0));
    match unit {
        _ if unit < Unit::Day => clock_part(unit, span.time),
        Unit::Day => number(span.day.into()),
        Unit::Week if has_weeks => number(i64::from(span.day) / 7),
        Unit::Month => number(months),
        Unit::Quarter if months < 0 && has_weeks => number(-(-months / 3 + 1)),
        Unit::Quarter => number(months / 3 + 1),
        Unit::Year => number(years),
        Unit::Decade => number(years / 10),
        Unit::Century => number(years / 100),
        Unit::Millennium => number(years / 1000),
        Unit::Epoch => {
            let days = years * DAYS_PER_YEAR * DAY / 100 + (months * 30 + i64::from(span.day)) * DAY;
            Some(Field::Number(days + span.time, 6))
        }
        _ => None,
    }
}

/// ISO year and week.
fn week(days: i64) -> (i64, i64) {
    // the Thursday of a week decides about its year
    let thursday = days - (days + 5).rem_euclid(7) + 3;
    let (year, ..) = civil(thursday);
    (year, (thursday - days_of(year, 1, 1)) / 7 + 1)
}

/// `date_trunc`
fn truncated(call: &mut Call<'_, '_>) -> Result<Value> {
    let zone = call.input().style.zone;
    truncated_in(call, zone)
}

/// The same by the clocks of a zone.
fn truncated_in(call: &mut Call<'_, '_>, zone: Zone) -> Result<Value> {
    let (name, value, version) = (text(&call.args[0])?.to_ascii_lowercase(), &call.args[1], call.input().version());
    let of = kind(value, false);
    let Some(unit) = unit(&name).filter(|unit| *unit < Unit::Epoch) else {
        return Err(of.not_recognized(&name, version));
    };
    if let Value::Interval(span) = value {
        if unit == Unit::Week {
            let message = of.not_supported(&name, version);
            let why = "Months usually have fractional weeks.";
            let before = || format!("{} because months usually have fractional weeks", message.message);
            let has_detail = version.names_types_of_units();
            return Err(if has_detail { message.with_detail(why) } else { SqlError::new("0A000", before()) });
        }
        if super::time::endless_span(*span).is_some() && version.has_infinite_interval() {
            return Ok(value.clone());
        }
        return span_truncated(unit, *span).map(Value::Interval).ok_or_else(|| of.not_supported(&name, version));
    }
    if endless(value).is_some() {
        return Ok(value.clone());
    }
    let cut = |at| time_truncated(unit, at).ok_or_else(|| of.not_supported(&name, version));
    let Value::TimestampTz(at) = *value else { return cut(micros(value)).map(Value::Timestamp) };
    let east = i64::from(zone.at(at)?.east) * SECOND;
    let cut = cut(at + east)?;
    // what is cut within a day keeps its distance from UTC
    Ok(Value::TimestampTz(if unit < Unit::Day { cut - east } else { zone.utc_of(cut)? }))
}

fn time_truncated(unit: Unit, at: i64) -> Option<i64> {
    let days = at.div_euclid(DAY);
    let (year, month, _) = civil(days);
    let to = |length: i64| at - at.rem_euclid(length);
    let first_of = |year: i64| days_of(year, 1, 1) * DAY;
    let of_period = |length: i64| {
        let at = period(year, length);
        if year > 0 { at * length - length + 1 } else { at * length + 1 }
    };
    Some(match unit {
        Unit::Microsecond => at,
        Unit::Millisecond => to(1000),
        Unit::Second => to(SECOND),
        Unit::Minute => to(60 * SECOND),
        Unit::Hour => to(3600 * SECOND),
        Unit::Day => to(DAY),
        Unit::Week => (days - (days + 5).rem_euclid(7)) * DAY,
        Unit::Month => days_of(year, month, 1) * DAY,
        Unit::Quarter => days_of(year, (month - 1) / 3 * 3 + 1, 1) * DAY,
        Unit::Year => first_of(year),
        Unit::Decade => first_of(if year > 0 { year / 10 * 10 } else { -((9 - year) / 10) * 10 }),
        Unit::Century => first_of(of_period(100)),
        Unit::Millennium => first_of(of_period(1000)),
        _ => return None,
    })
}

fn span_truncated(unit: Unit, span: Interval) -> Option<Interval> {
    let to = |length: i64| Interval { time: span.time / length * length, ..span };
    let of_months = |length: i32| Interval { time: 0, day: 0, month: span.month / length * length };
    Some(match unit {
        Unit::Microsecond => span,
        Unit::Millisecond => to(1000),
        Unit::Second => to(SECOND),
        Unit::Minute => to(60 * SECOND),
        Unit::Hour => to(3600 * SECOND),
        Unit::Day => Interval { time: 0, ..span },
        Unit::Month => of_months(1),
        Unit::Quarter => of_months(3),
        Unit::Year => of_months(12),
        Unit::Decade => of_months(120),
        Unit::Century => of_months(1200),
        Unit::Millennium => of_months(12_000),
        _ => return None,
    })
}
