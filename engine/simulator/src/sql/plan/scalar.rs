//! Values as numbers, to see how far one lies between two others: `convert_to_scalar`
//! (src/backend/utils/adt/selfuncs.c).

use alloc::vec::Vec;
use ffviz_format::datum::enums::is_enum;
use ffviz_format::datum::input::Context as Input;
use ffviz_format::datum::ops::cast;
use ffviz_format::datum::sql_type::Kind;
use ffviz_format::datum::value::Interval;
use ffviz_format::datum::{SqlType, Value};

const FLOAT8: u32 = 701;
pub(super) const USECS_PER_DAY: f64 = 86_400_000_000.0;

/// Where `value` lies between `low` and `high`, from 0 to 1; in the middle where that cannot be told.
pub fn fraction(value: &Value, low: &Value, high: &Value, ty: SqlType, input: &Input) -> f64 {
    const UNKNOWN: f64 = 0.5;
    let numbers = match ty.kind() {
        Kind::Text | Kind::BpChar => strings(value, low, high),
        Kind::Char => None,
        _ if is_enum(ty.oid) => None,
        _ => number(value, ty, input)
            .zip(number(low, ty, input))
            .zip(number(high, ty, input))
            .map(|((value, low), high)| [value, low, high]),
    };
    let Some([value, low, high]) = numbers else { return UNKNOWN };
    if high <= low {
        return UNKNOWN;
    }
    let fraction = if value <= low {
        0.0
    } else if value >= high {
        1.0
    } else {
        (value - low) / (high - low)
    };
    if (0.0..=1.0).contains(&fraction) { fraction } else { UNKNOWN }
}

/// `convert_numeric_to_scalar`, `convert_timevalue_to_scalar`
pub(super) fn number(value: &Value, ty: SqlType, input: &Input) -> Option<f64> {
    Some(match value {
        Value::Bool(value) => f64::from(u8::from(*value)),
        Value::Int2(number) => f64::from(*number),
        Value::Int4(number) => f64::from(*number),
        Value::Int8(number) => *number as f64,
        Value::Oid(number) => f64::from(*number),
        Value::Float4(number) => f64::from(*number),
        Value::Float8(number) => *number,
        Value::Numeric(_) => match cast(value, ty, SqlType::plain(FLOAT8), false, input).ok()? {
            Value::Float8(number) => number,
            _ => return None,
        },
        Value::Date(day) => f64::from(*day) * USECS_PER_DAY,
        Value::Time(at) | Value::Timestamp(at) | Value::TimestampTz(at) => *at as f64,
        // months of the length that a year gives them
        Value::Interval(Interval { time, day, month }) => {
            *time as f64 + f64::from(*day) * USECS_PER_DAY + f64::from(*month) * (365.25 / 12.0 * USECS_PER_DAY)
        }
        _ => return None,
    })
}

/// `convert_string_to_scalar`: what follows the common beginning, as digits whose base is the range of the bytes in
/// use.
fn strings(value: &Value, low: &Value, high: &Value) -> Option<[f64; 3]> {
    let all = [value.plain_bytes()?, low.plain_bytes()?, high.plain_bytes()?];
    let bounds: Vec<u8> = all[1].iter().chain(all[2]).copied().collect();
    let (mut least, mut greatest) = (*bounds.iter().min()?, *bounds.iter().max()?);
    // a class of which some are in use is taken to be in use as a whole
    for (from, to) in [(b'A', b'Z'), (b'a', b'z'), (b'0', b'9')] {
        if least <= to && greatest >= from {
            (least, greatest) = (least.min(from), greatest.max(to));
        }
    }
    if greatest - least < 9 {
        (least, greatest) = (b' ', 127);
    }
    let common = (0..).take_while(|at| {
        let first = all[1].get(*at);
        first.is_some() && all.iter().all(|text| text.get(*at) == first)
    });
    let common = common.count();
    Some(all.map(|text| digits(&text[common..], f64::from(least), f64::from(greatest))))
}

/// `convert_one_string_to_scalar`
fn digits(text: &[u8], least: f64, greatest: f64) -> f64 {
    const ENOUGH: usize = 12;
    let base = greatest - least + 1.0;
    let mut unit = base;
    let mut sum = 0.0;
    for byte in text.iter().take(ENOUGH) {
        let digit = f64::from(*byte).clamp(least - 1.0, greatest + 1.0) - least;
        sum += digit / unit;
        unit *= base;
    }
    sum
}
