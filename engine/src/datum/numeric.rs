//! numeric: a sign, a scale and digits of base 10000 (src/backend/utils/adt/numeric.c).
//!
//! ```text
//! short:  1 0 sign scale:6 weight:7        ┤ digits …
//! long:   0 sign 0 scale:14 ┤ weight:16    ┤ digits …
//! special: 1 1 …                             NaN, Infinity, -Infinity
//! ```

use crate::page::layout::Wire;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

const NBASE: u16 = 10_000;
const DEC_DIGITS: usize = 4;

const NUMERIC_NEG: u16 = 0x4000;
const NUMERIC_SHORT: u16 = 0x8000;
const NUMERIC_SPECIAL: u16 = 0xC000;
const NUMERIC_PINF: u16 = 0xD000;
const NUMERIC_NINF: u16 = 0xF000;
const NUMERIC_DSCALE_MASK: u16 = 0x3FFF;
const NUMERIC_SHORT_SIGN_MASK: u16 = 0x2000;
const NUMERIC_SHORT_DSCALE_MASK: u16 = 0x1F80;
const NUMERIC_SHORT_WEIGHT_MASK: u16 = 0x003F;
const NUMERIC_SHORT_WEIGHT_SIGN_MASK: u16 = 0x0040;

/// A number taken apart.
struct Numeric {
    negative: bool,
    /// power of 10000 of the first digit
    weight: i16,
    /// decimal digits after the point
    dscale: u16,
    digits: Vec<u16>,
}

/// `numeric_out`
pub fn numeric_out(bytes: &[u8]) -> Option<String> {
    let header = u16::get(bytes.get(..2)?);
    let number = match header & NUMERIC_SPECIAL {
        NUMERIC_SPECIAL => return special(header),
        NUMERIC_SHORT => short(header, bytes)?,
        sign => Numeric {
            negative: sign == NUMERIC_NEG,
            weight: i16::get(bytes.get(2..4)?),
            dscale: header & NUMERIC_DSCALE_MASK,
            digits: digits(bytes.get(4..)?)?,
        },
    };
    Some(number.text())
}

fn special(header: u16) -> Option<String> {
    let text = match header & 0xF000 {
        NUMERIC_SPECIAL => "NaN",
        NUMERIC_PINF => "Infinity",
        NUMERIC_NINF => "-Infinity",
        _ => return None,
    };
    Some(text.to_string())
}

fn short(header: u16, bytes: &[u8]) -> Option<Numeric> {
    let low = (header & NUMERIC_SHORT_WEIGHT_MASK) as i16;
    let is_negative_weight = header & NUMERIC_SHORT_WEIGHT_SIGN_MASK != 0;
    Some(Numeric {
        negative: header & NUMERIC_SHORT_SIGN_MASK != 0,
        weight: if is_negative_weight { low | !(NUMERIC_SHORT_WEIGHT_MASK as i16) } else { low },
        dscale: (header & NUMERIC_SHORT_DSCALE_MASK) >> 7,
        digits: digits(bytes.get(2..)?)?,
    })
}

fn digits(bytes: &[u8]) -> Option<Vec<u16>> {
    let digits: Vec<u16> = bytes.chunks_exact(2).map(u16::get).collect();
    (bytes.len().is_multiple_of(2) && digits.iter().all(|digit| *digit < NBASE)).then_some(digits)
}

impl Numeric {
    /// The digit that stands at that power of 10000; 0 where none is stored.
    fn digit(&self, power: i32) -> u16 {
        let place = usize::try_from(i32::from(self.weight) - power).ok();
        place.and_then(|place| self.digits.get(place)).copied().unwrap_or(0)
    }

    /// `get_str_from_var`
    fn text(&self) -> String {
        let whole: String =
            (0..=i32::from(self.weight)).rev().map(|power| format!("{:04}", self.digit(power))).collect();
        let whole = whole.trim_start_matches('0');
        let sign = if self.negative { "-" } else { "" };
        let mut text = format!("{sign}{}", if whole.is_empty() { "0" } else { whole });
        let scale = usize::from(self.dscale);
        if scale > 0 {
            let after = (1..=scale.div_ceil(DEC_DIGITS) as i32).map(|n| format!("{:04}", self.digit(-n)));
            text.push('.');
            text.push_str(&after.collect::<String>()[..scale]);
        }
        text
    }
}
