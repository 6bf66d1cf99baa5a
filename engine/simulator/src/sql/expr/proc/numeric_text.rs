//! `to_char` of numbers (`NUM_processor`, src/backend/utils/adt/formatting.c): digits, groups, a point, zeros and FM.

use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::pg_catalog::NUMERIC;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::{Value, ops};

/// A number as the pattern says.
pub(super) fn to_char(value: &Value, pattern: &str) -> Result<Value> {
    let (fills, places) = match pattern.to_ascii_uppercase() {
        upper if upper.starts_with("FM") => (false, upper[2..].to_string()),
        upper => (true, upper),
    };
    let refuse = || {
        let message =
            format!("to_char of a number as '{pattern}' is not supported; the simulator knows 9 0 , . and FM");
        SqlError::new(NOT_SIMULATED, message)
    };
    let (whole, fraction) = places.split_once('.').unwrap_or((&places, ""));
    let is_known =
        whole.chars().all(|c| matches!(c, '9' | '0' | ',')) && fraction.chars().all(|c| matches!(c, '9' | '0'));
    let is_known = is_known && !places.ends_with('.');
    if !is_known || whole.is_empty() || !whole.starts_with(['9', '0']) {
        return Err(refuse());
    }
    let digits = number(value, fraction.len())?;
    let (is_negative, digits) = digits.strip_prefix('-').map_or((false, &digits[..]), |digits| (true, digits));
    let (before, behind) = digits.split_once('.').unwrap_or((digits, ""));
    let is_zero = digits.chars().all(|c| matches!(c, '0' | '.'));
    let is_negative = is_negative && !is_zero;
    let has_point = places.contains('.');
    let slots = whole.chars().filter(|c| *c != ',').count();
    // a zero before the point is left out where digits follow it
    let leads = before != "0" || !has_point || fraction.is_empty() || is_zero && !fills;
    let shown = if leads { before } else { "" };
    let sign = match (is_negative, fills) {
        (true, _) => "-",
        (false, true) => " ",
        (false, false) => "",
    };
    if before.len() > slots {
        let hashes = |part: &str| part.chars().map(|c| if c == ',' { ',' } else { '#' }).collect::<String>();
        let point = if has_point { "." } else { "" };
        return Ok(Value::text(&format!("{sign}{}{point}{}", hashes(whole), hashes(fraction))));
    }
    let mut text = grouped(whole, shown, sign, fills);
    if has_point {
        let kept = if fills {
            fraction.len()
        } else {
            let last_zero = fraction.rfind('0').map_or(0, |at| at + 1);
            behind.trim_end_matches('0').len().max(last_zero)
        };
        text.push('.');
        text.push_str(&behind[..kept.min(behind.len())]);
    }
    Ok(Value::text(&text))
}

/// The digits before the point in the places of the pattern, with the sign before the first of them.
fn grouped(whole: &str, shown: &str, sign: &str, fills: bool) -> String {
    let mut text = String::new();
    let slots = whole.chars().filter(|c| *c != ',').count();
    let first_zero = whole.chars().filter(|c| *c != ',').position(|c| c == '0');
    let from = slots - shown.len();
    let first = first_zero.map_or(from, |zero| zero.min(from));
    let padded: Vec<char> = core::iter::repeat_n('0', from).chain(shown.chars()).collect();
    let (mut slot, mut is_signed) = (0, false);
    for c in whole.chars() {
        match c {
            ',' if slot > first => text.push(','),
            ',' if fills => text.push(' '),
            ',' => {}
            _ => {
                if slot >= first {
                    if !core::mem::replace(&mut is_signed, true) {
                        text.push_str(sign);
                    }
                    text.push(padded[slot]);
                } else if fills {
                    text.push(' ');
                }
                slot += 1;
            }
        }
    }
    if !is_signed {
        text.push_str(sign);
    }
    text
}

/// The number with so many digits behind its point.
fn number(value: &Value, digits: usize) -> Result<String> {
    let rounded;
    let (value, ty) = match value {
        Value::Numeric(_) => {
            rounded = ops::round(value, digits as i32, false)?;
            (&rounded, NUMERIC)
        }
        Value::Int4(_) => (value, 23),
        other => (other, 20),
    };
    let text = value.output(ty).unwrap_or_default();
    if text.starts_with(|c: char| c.is_ascii_alphabetic()) || text.starts_with("-I") {
        return Err(SqlError::new(NOT_SIMULATED, "to_char of NaN and Infinity is not supported"));
    }
    let has_point = text.contains('.');
    Ok(match (digits, has_point) {
        (0, _) | (_, true) => text,
        _ => format!("{text}.{}", "0".repeat(digits)),
    })
}
