//! Times of day and zones within text (`DecodeTime`, `DecodeTimezone`, src/backend/utils/adt/datetime.c).

use super::fields::Wrong;
use crate::datum::datetime::USECS_PER_SEC;

/// A time as written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Time {
    pub hour: i64,
    pub minute: i64,
    pub second: i64,
    pub micros: i64,
}

impl Time {
    /// Microseconds since midnight; wide, since the hours of an interval may be more than any of its types holds.
    pub fn usecs(self) -> i128 {
        let seconds = (i128::from(self.hour) * 60 + i128::from(self.minute)) * 60 + i128::from(self.second);
        seconds * i128::from(USECS_PER_SEC) + i128::from(self.micros)
    }
}

/// `12:34`, `12:34:56`, `12:34:56.789`, `34:56.789` (minutes and seconds), `123456`.
pub fn parse(text: &str) -> Result<Time, Wrong> {
    let (whole, micros) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, micros(fraction)?),
        None => (text, 0),
    };
    let number = |text: &str| match text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty() {
        true => text.parse::<i64>().map_err(|_| Wrong::Range),
        false => Err(Wrong::Format),
    };
    let mut parts = whole.split(':');
    let (first, second, third) = (parts.next().unwrap_or(""), parts.next(), parts.next());
    if parts.next().is_some() {
        return Err(Wrong::Format);
    }
    let time = match (second, third) {
        (None, _) if matches!(first.len(), 4 | 6) => {
            let seconds = first.get(4..).filter(|text| !text.is_empty()).map_or(Ok(0), number)?;
            Time { hour: number(&first[..2])?, minute: number(&first[2..4])?, second: seconds, micros }
        }
        (None, _) => return Err(Wrong::Format),
        (Some(second), None) if text.contains('.') => {
            Time { hour: 0, minute: number(first)?, second: number(second)?, micros }
        }
        (Some(minute), None) => Time { hour: number(first)?, minute: number(minute)?, second: 0, micros },
        (Some(minute), Some(second)) => {
            Time { hour: number(first)?, minute: number(minute)?, second: number(second)?, micros }
        }
    };
    if time.minute > 59 || time.second > 60 { Err(Wrong::Range) } else { Ok(time) }
}

/// Digits after a point as microseconds, rounded.
pub fn micros(digits: &str) -> Result<i64, Wrong> {
    if digits.bytes().any(|byte| !byte.is_ascii_digit()) {
        return Err(Wrong::Format);
    }
    let digit = |n: usize| i64::from(digits.as_bytes().get(n).map_or(0, |byte| byte - b'0'));
    let whole = (0..6).fold(0, |sum, n| sum * 10 + digit(n));
    // to the nearest, of two the even one (rint)
    let rest = digits.get(6..).unwrap_or("").trim_end_matches('0');
    let up = match rest {
        "5" => whole % 2 == 1,
        _ => rest.as_bytes().first().is_some_and(|first| *first >= b'5'),
    };
    Ok(whole + i64::from(up))
}

/// `+02`, `-0330`, `+02:00:30`: seconds east of UTC.
pub fn zone(text: &str) -> Result<i64, Wrong> {
    let (sign, digits) = match text.as_bytes() {
        [b'+', ..] => (1, &text[1..]),
        [b'-', ..] => (-1, &text[1..]),
        _ => return Err(Wrong::Format),
    };
    if !digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b':') {
        return Err(Wrong::Format);
    }
    let number = |text: &str| text.parse::<i64>().map_err(|_| Wrong::Format);
    let mut parts = digits.split(':');
    let first = parts.next().unwrap_or("");
    let (hours, minutes) = match (first.len(), parts.next()) {
        (3 | 4, None) => (number(&first[..first.len() - 2])?, number(&first[first.len() - 2..])?),
        (1 | 2, minutes) => (number(first)?, minutes.map_or(Ok(0), number)?),
        _ => return Err(Wrong::Format),
    };
    let seconds = parts.next().map_or(Ok(0), number)?;
    if hours > 15 || minutes > 59 || seconds > 59 {
        return Err(Wrong::Zone);
    }
    Ok(sign * ((hours * 60 + minutes) * 60 + seconds))
}
