//! numeric: a sign, a scale and digits of base 10000 (src/backend/utils/adt/numeric.c).
//!
//! ```text
//! short:  1 0 sign scale:6 weight:7        ┤ digits …
//! long:   0 sign 0 scale:14 ┤ weight:16    ┤ digits …
//! special: 1 1 …                             NaN, Infinity, -Infinity
//! ```

mod add;
mod convert;
mod divide;
mod operators;
mod parse;
mod round;

use super::bytes::Bytes;
use super::error::{Result, SqlError};
use crate::page::layout::Wire;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Ordering;

pub(super) use operators::{compare, operate};
pub(super) use parse::numeric_in;
pub(super) use round::{apply_typmod, precision_and_scale};

const NBASE: u16 = 10_000;
const DEC_DIGITS: usize = 4;

const NUMERIC_NEG: u16 = 0x4000;
const NUMERIC_SHORT: u16 = 0x8000;
const NUMERIC_SPECIAL: u16 = 0xC000;
const NUMERIC_NAN: u16 = 0xC000;
const NUMERIC_PINF: u16 = 0xD000;
const NUMERIC_NINF: u16 = 0xF000;
const NUMERIC_DSCALE_MASK: u16 = 0x3FFF;
const NUMERIC_SHORT_SIGN_MASK: u16 = 0x2000;
const NUMERIC_SHORT_DSCALE_MASK: u16 = 0x1F80;
const NUMERIC_SHORT_WEIGHT_MASK: u16 = 0x003F;
const NUMERIC_SHORT_WEIGHT_SIGN_MASK: u16 = 0x0040;

/// A number taken apart: `NumericVar`. Digits at both ends may be zero until it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Var {
    negative: bool,
    /// power of 10000 of the first digit
    weight: i32,
    /// decimal digits after the point
    dscale: i32,
    digits: Vec<u16>,
}

/// A value of the type numeric.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Number {
    /// not a number
    NaN,
    /// since 14
    Infinity {
        /// -Infinity
        negative: bool,
    },
    /// all others
    Finite(Var),
}

/// `numeric_out`
pub fn numeric_out(bytes: &[u8]) -> Option<String> {
    Some(Number::unpack(bytes)?.text())
}

impl Number {
    /// Reads what is stored; `None` for bytes that no number has.
    pub fn unpack(bytes: &[u8]) -> Option<Self> {
        let header = u16::get(bytes.get(..2)?);
        Some(match header & NUMERIC_SPECIAL {
            NUMERIC_SPECIAL => special(header)?,
            NUMERIC_SHORT => Self::Finite(short(header, bytes)?),
            sign => Self::Finite(Var {
                negative: sign == NUMERIC_NEG,
                weight: i16::get(bytes.get(2..4)?).into(),
                dscale: (header & NUMERIC_DSCALE_MASK).into(),
                digits: digits(bytes.get(4..)?)?,
            }),
        })
    }

    /// `make_result`: the number as stored, without zeros at its ends.
    pub fn pack(self) -> Result<Bytes> {
        let header = match self {
            Self::NaN => NUMERIC_NAN,
            Self::Infinity { negative: false } => NUMERIC_PINF,
            Self::Infinity { negative: true } => NUMERIC_NINF,
            Self::Finite(var) => return var.pack(),
        };
        Ok(header.to_le_bytes()[..].into())
    }

    /// As PostgreSQL prints it.
    pub fn text(&self) -> String {
        match self {
            Self::NaN => "NaN".to_string(),
            Self::Infinity { negative } => if *negative { "-Infinity" } else { "Infinity" }.to_string(),
            Self::Finite(var) => var.text(),
        }
    }
}

fn special(header: u16) -> Option<Number> {
    Some(match header & 0xF000 {
        NUMERIC_NAN => Number::NaN,
        NUMERIC_PINF => Number::Infinity { negative: false },
        NUMERIC_NINF => Number::Infinity { negative: true },
        _ => return None,
    })
}

fn short(header: u16, bytes: &[u8]) -> Option<Var> {
    let low = (header & NUMERIC_SHORT_WEIGHT_MASK) as i16;
    let is_negative_weight = header & NUMERIC_SHORT_WEIGHT_SIGN_MASK != 0;
    let weight = if is_negative_weight { low | !(NUMERIC_SHORT_WEIGHT_MASK as i16) } else { low };
    Some(Var {
        negative: header & NUMERIC_SHORT_SIGN_MASK != 0,
        weight: weight.into(),
        dscale: ((header & NUMERIC_SHORT_DSCALE_MASK) >> 7).into(),
        digits: digits(bytes.get(2..)?)?,
    })
}

fn digits(bytes: &[u8]) -> Option<Vec<u16>> {
    let digits: Vec<u16> = bytes.chunks_exact(2).map(u16::get).collect();
    (bytes.len().is_multiple_of(2) && digits.iter().all(|digit| *digit < NBASE)).then_some(digits)
}

impl Var {
    /// The digit that stands at that power of 10000; 0 where none is stored.
    fn digit(&self, power: i32) -> u16 {
        let place = usize::try_from(self.weight - power).ok();
        place.and_then(|place| self.digits.get(place)).copied().unwrap_or(0)
    }

    /// The power of 10000 of the last digit.
    fn lowest(&self) -> i32 {
        self.weight - self.digits.len() as i32 + 1
    }

    /// Takes zeros at both ends away (`strip_var`).
    fn strip(&mut self) {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        let zeros = self.digits.iter().take_while(|digit| **digit == 0).count();
        self.digits.drain(..zeros);
        self.weight -= zeros as i32;
        if self.digits.is_empty() {
            (self.weight, self.negative) = (0, false);
        }
    }

    fn is_zero(&self) -> bool {
        self.digits.iter().all(|digit| *digit == 0)
    }

    /// `cmp_abs`
    fn compare_abs(&self, other: &Self) -> Ordering {
        let powers = self.lowest().min(other.lowest())..=self.weight.max(other.weight);
        let differs = powers.rev().map(|power| self.digit(power).cmp(&other.digit(power)));
        differs.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    fn pack(mut self) -> Result<Bytes> {
        const SHORT_DSCALE_MAX: i32 = 63;
        self.strip();
        let mut bytes = Vec::with_capacity(4 + 2 * self.digits.len());
        if self.dscale <= SHORT_DSCALE_MAX && (-64..=63).contains(&self.weight) {
            let sign = if self.negative { NUMERIC_SHORT_SIGN_MASK } else { 0 };
            // sign bit and value of the weight are the low seven bits of its two's complement
            let weight = self.weight as u16 & (NUMERIC_SHORT_WEIGHT_SIGN_MASK | NUMERIC_SHORT_WEIGHT_MASK);
            let header = NUMERIC_SHORT | sign | (self.dscale as u16) << 7 | weight;
            bytes.extend_from_slice(&header.to_le_bytes());
        } else {
            let weight = i16::try_from(self.weight).map_err(|_| Self::overflow())?;
            if self.dscale > i32::from(NUMERIC_DSCALE_MASK) {
                return Err(Self::overflow());
            }
            let header = self.dscale as u16 | if self.negative { NUMERIC_NEG } else { 0 };
            bytes.extend_from_slice(&header.to_le_bytes());
            bytes.extend_from_slice(&weight.to_le_bytes());
        }
        bytes.extend(self.digits.iter().flat_map(|digit| digit.to_le_bytes()));
        Ok(bytes.into())
    }

    fn overflow() -> SqlError {
        SqlError::out_of_range("value overflows numeric format")
    }

    /// `get_str_from_var`
    fn text(&self) -> String {
        let whole: String = (0..=self.weight).rev().map(|power| format!("{:04}", self.digit(power))).collect();
        let whole = whole.trim_start_matches('0');
        let sign = if self.negative { "-" } else { "" };
        let mut text = format!("{sign}{}", if whole.is_empty() { "0" } else { whole });
        let scale = usize::try_from(self.dscale).unwrap_or(0);
        if scale > 0 {
            let after = (1..=scale.div_ceil(DEC_DIGITS) as i32).map(|n| format!("{:04}", self.digit(-n)));
            text.push('.');
            text.push_str(&after.collect::<String>()[..scale]);
        }
        text
    }
}
