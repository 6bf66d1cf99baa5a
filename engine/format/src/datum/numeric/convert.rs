//! Numbers from and to integers and floats (`numeric_int8`, `numericvar_to_int64`, `int64_to_numericvar`,
//! `float8_numeric`, `numeric_float8`).

use super::{DEC_DIGITS, NBASE, Number, Var};
use alloc::format;
use alloc::vec::Vec;

impl From<i128> for Var {
    fn from(number: i128) -> Self {
        let mut rest = number.unsigned_abs();
        let mut digits = Vec::new();
        while rest > 0 {
            digits.push((rest % u128::from(NBASE)) as u16);
            rest /= u128::from(NBASE);
        }
        digits.reverse();
        Self { negative: number < 0, weight: digits.len() as i32 - 1, dscale: 0, digits }
    }
}

impl Number {
    /// The number as stored of a whole one.
    pub fn of_int(number: i64) -> Self {
        Self::Finite(Var::from(i128::from(number)))
    }

    /// A float's number by its first digits: 15 of a float8, 6 of a float4 (`%.15g`).
    pub fn of_float(number: f64, digits: usize) -> Option<Self> {
        if number.is_nan() {
            return Some(Self::NaN);
        }
        if number.is_infinite() {
            return Some(Self::Infinity { negative: number < 0.0 });
        }
        let text = format!("{number:.*e}", digits - 1);
        let (mantissa, exponent) = text.split_once('e')?;
        // %g writes no zeros at the end of a fraction
        let mantissa = if mantissa.contains('.') { mantissa.trim_end_matches('0') } else { mantissa };
        super::parse::plain(&format!("{}e{exponent}", mantissa.trim_end_matches('.')))
    }
}

impl Var {
    /// The nearest whole number, half away from zero; `None` beyond 64 bits.
    pub(in crate::datum) fn to_i64(&self) -> Option<i64> {
        let mut whole = self.clone();
        whole.round(0);
        if whole.weight * DEC_DIGITS as i32 > 20 {
            return None;
        }
        let number =
            (0..=whole.weight).rev().fold(0, |n, power| n * i128::from(NBASE) + i128::from(whole.digit(power)));
        i64::try_from(if whole.negative { -number } else { number }).ok()
    }
}
