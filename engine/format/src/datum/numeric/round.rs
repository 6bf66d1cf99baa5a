//! Rounding, and the precision and scale of a column (`round_var`, `trunc_var`, `apply_typmod`).

use super::{DEC_DIGITS, NBASE, Number, Var};
use crate::datum::error::{Result, SqlError};
use crate::datum::sql_type::VARHDRSZ;
use alloc::format;
use alloc::string::String;

impl Var {
    /// `round_var`: half away from zero; `scale` may be negative.
    pub(super) fn round(&mut self, scale: i32) {
        let dropped = self.cut(scale);
        // the first digit that is cut off decides
        if dropped >= 5 {
            self.increment(scale);
        }
        self.strip();
    }

    /// `trunc_var`
    pub(super) fn truncate(&mut self, scale: i32) {
        self.cut(scale);
        self.strip();
    }

    /// Keeps so many decimal digits after the point, and returns the decimal digit that followed them.
    fn cut(&mut self, scale: i32) -> u16 {
        self.dscale = scale;
        let kept = (self.weight + 1) * DEC_DIGITS as i32 + scale;
        let Ok(kept) = usize::try_from(kept) else {
            self.digits.clear();
            return 0;
        };
        let (whole, part) = (kept / DEC_DIGITS, kept % DEC_DIGITS);
        let Some(digit) = self.digits.get_mut(whole) else { return 0 };
        let unit = 10_u16.pow((DEC_DIGITS - part) as u32);
        let dropped = *digit % unit / (unit / 10);
        *digit -= *digit % unit;
        self.digits.truncate(whole + usize::from(part > 0));
        dropped
    }

    /// Adds one unit of the last decimal digit kept.
    fn increment(&mut self, scale: i32) {
        let power = -(scale + DEC_DIGITS as i32 - 1).div_euclid(DEC_DIGITS as i32);
        let unit = 10_u16.pow((-scale).rem_euclid(DEC_DIGITS as i32) as u32);
        let one = Self { weight: power, digits: alloc::vec![unit], ..Self::default() };
        let sum = Self { negative: false, ..self.clone() }.plus(&one);
        (self.weight, self.digits) = (sum.weight, sum.digits);
    }
}

/// Precision and scale of a column's modifier; `None` of a column without.
#[must_use]
pub fn precision_and_scale(typmod: i32) -> Option<(i32, i32)> {
    // eleven bits, of which the first is the sign (since 15)
    let scale = |bits: i32| ((bits & 0x7FF) ^ 1024) - 1024;
    (typmod >= VARHDRSZ).then(|| ((typmod - VARHDRSZ) >> 16 & 0xFFFF, scale(typmod - VARHDRSZ)))
}

/// `apply_typmod`: rounds to the column's scale.
///
/// # Errors
/// Where more digits stand before the point than the column can have.
pub fn apply_typmod(number: Number, typmod: i32) -> Result<Number> {
    let Some((precision, scale)) = precision_and_scale(typmod) else { return Ok(number) };
    let overflow = |detail: String| SqlError::out_of_range("numeric field overflow").with_detail(detail);
    match number {
        Number::NaN => Ok(number),
        Number::Infinity { .. } => {
            Err(overflow(format!("A field with precision {precision}, scale {scale} cannot hold an infinite value.")))
        }
        Number::Finite(mut var) => {
            var.round(scale);
            var.dscale = scale.max(0);
            let first = var.digits.first().copied().unwrap_or(0);
            let zeros = (0..4).take_while(|n| first < NBASE / 10_u16.pow(n + 1)).count() as i32;
            let before = (var.weight + 1) * DEC_DIGITS as i32 - zeros;
            if first == 0 || before <= precision - scale {
                return Ok(Number::Finite(var));
            }
            let limit = match precision - scale {
                0 => String::from("1"),
                digits => format!("10^{digits}"),
            };
            Err(overflow(format!(
                "A field with precision {precision}, scale {scale} must round to an absolute value less than {limit}."
            )))
        }
    }
}
