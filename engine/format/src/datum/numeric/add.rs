//! Sums, differences and products of numbers: exact, with as many digits after the point as are needed (`add_var`,
//! `sub_var`, `mul_var`).

use super::{NBASE, Var};
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// `NUMERIC_DSCALE_MAX`
pub(super) const DSCALE_MAX: i32 = 0x3FFF;

impl Var {
    /// `add_var`
    pub(super) fn plus(&self, other: &Self) -> Self {
        let dscale = self.dscale.max(other.dscale);
        if self.negative == other.negative {
            return Self { negative: self.negative, dscale, ..self.add_abs(other) };
        }
        match self.compare_abs(other) {
            Ordering::Equal => Self { dscale, ..Self::default() },
            Ordering::Greater => Self { negative: self.negative, dscale, ..self.subtract_abs(other) },
            Ordering::Less => Self { negative: other.negative, dscale, ..other.subtract_abs(self) },
        }
    }

    /// `sub_var`
    pub(super) fn minus(&self, other: &Self) -> Self {
        self.plus(&Self { negative: !other.negative, ..other.clone() })
    }

    fn add_abs(&self, other: &Self) -> Self {
        let (low, weight) = (self.lowest().min(other.lowest()), self.weight.max(other.weight) + 1);
        let mut carry = 0;
        let sums = (low..=weight).map(|power| {
            let sum = self.digit(power) + other.digit(power) + carry;
            carry = u16::from(sum >= NBASE);
            sum - carry * NBASE
        });
        Self::from_low_to_high(sums.collect(), weight)
    }

    /// Takes away what is not greater.
    fn subtract_abs(&self, other: &Self) -> Self {
        let low = self.lowest().min(other.lowest());
        let mut borrow = 0;
        let differences = (low..=self.weight).map(|power| {
            let (from, less) = (self.digit(power), other.digit(power) + borrow);
            borrow = u16::from(from < less);
            from + borrow * NBASE - less
        });
        Self::from_low_to_high(differences.collect(), self.weight)
    }

    fn from_low_to_high(mut digits: Vec<u16>, weight: i32) -> Self {
        digits.reverse();
        let mut var = Self { negative: false, weight, dscale: 0, digits };
        var.strip();
        var
    }

    /// `mul_var`, exactly; rounded only where the scale would be too great to be stored.
    pub(super) fn times(&self, other: &Self) -> Self {
        let mut sums = vec![0_u64; self.digits.len() + other.digits.len()];
        for (i, a) in self.digits.iter().enumerate() {
            for (j, b) in other.digits.iter().enumerate() {
                sums[i + j + 1] += u64::from(*a) * u64::from(*b);
            }
        }
        let mut carry = 0;
        let mut digits: Vec<u16> = sums
            .iter()
            .rev()
            .map(|sum| {
                let sum = sum + carry;
                carry = sum / u64::from(NBASE);
                (sum % u64::from(NBASE)) as u16
            })
            .collect();
        digits.reverse();
        let negative = self.negative != other.negative;
        let dscale = self.dscale + other.dscale;
        let mut product = Self { negative, weight: self.weight + other.weight + 1, dscale, digits };
        if dscale > DSCALE_MAX {
            product.round(DSCALE_MAX);
        }
        product.strip();
        product
    }
}
