//! Quotients and remainders (`select_div_scale`, `div_var`, `mod_var`).

use super::{DEC_DIGITS, NBASE, Var};
use alloc::vec;
use alloc::vec::Vec;

/// `NUMERIC_MIN_SIG_DIGITS`: a quotient has at least so many digits.
const MIN_SIG_DIGITS: i32 = 16;
/// `NUMERIC_MAX_DISPLAY_SCALE`
const MAX_DISPLAY_SCALE: i32 = 1000;

impl Var {
    /// `select_div_scale`: digits after the point of a quotient.
    pub(super) fn division_scale(&self, divisor: &Self) -> i32 {
        let ((weight1, first1), (weight2, first2)) = (self.first(), divisor.first());
        let weight = weight1 - weight2 - i32::from(first1 <= first2);
        let scale = MIN_SIG_DIGITS - weight * DEC_DIGITS as i32;
        scale.max(self.dscale).max(divisor.dscale).clamp(0, MAX_DISPLAY_SCALE)
    }

    /// Power and value of the first digit that is not zero; of zero both 0.
    fn first(&self) -> (i32, u16) {
        let place = self.digits.iter().position(|digit| *digit != 0);
        place.map_or((0, 0), |place| (self.weight - place as i32, self.digits[place]))
    }

    /// `div_var` by a number that is not zero, rounded (half away from zero) or cut off after `scale` digits.
    pub(super) fn divided(&self, divisor: &Self, scale: i32, rounds: bool) -> Self {
        let (mut above, mut below) = (self.clone(), divisor.clone());
        above.strip();
        below.strip();
        // one digit more than wanted, by which it is rounded
        let low = -(scale + DEC_DIGITS as i32 - 1).div_euclid(DEC_DIGITS as i32) - 1;
        let wanted = above.lowest() - below.lowest() - low;
        let mut digits = above.digits;
        let kept = digits.len() as i32 + wanted;
        digits.resize(usize::try_from(kept).unwrap_or(0), 0);
        let digits = quotient(&digits, &below.digits);
        let weight = low + digits.len() as i32 - 1;
        let mut result = Self { negative: self.negative != divisor.negative, weight, dscale: scale, digits };
        if rounds {
            result.round(scale);
        } else {
            result.truncate(scale);
        }
        result.strip();
        result
    }

    /// `mod_var`: what is left, with the sign of the dividend.
    pub(super) fn remainder(&self, divisor: &Self) -> Self {
        self.minus(&self.divided(divisor, 0, false).times(divisor))
    }
}

/// The whole quotient of two natural numbers, digits of base 10000 from the highest (Knuth's algorithm D).
fn quotient(above: &[u16], below: &[u16]) -> Vec<u16> {
    const BASE: i64 = NBASE as i64;
    if above.len() < below.len() {
        return Vec::new();
    }
    // both are scaled, so that the divisor's first digit is at least half of the base
    let scale = BASE / (i64::from(below[0]) + 1);
    let (mut rest, divisor) = (scaled(above, scale), scaled(below, scale));
    let divisor = &divisor[1..];
    let second = divisor.get(1).copied().unwrap_or(0);
    let mut digits = vec![0; above.len() - below.len() + 1];
    for at in 0..digits.len() {
        let head = rest[at] * BASE + rest[at + 1];
        let (mut digit, mut left) = (head / divisor[0], head % divisor[0]);
        let third = rest.get(at + 2).copied().filter(|_| divisor.len() > 1).unwrap_or(0);
        while digit >= BASE || digit * second > left * BASE + third {
            digit -= 1;
            left += divisor[0];
            if left >= BASE {
                break;
            }
        }
        if subtract(&mut rest[at..=at + divisor.len()], divisor, digit) {
            digit -= 1;
            add_back(&mut rest[at..=at + divisor.len()], divisor);
        }
        digits[at] = digit as u16;
    }
    digits
}

/// The product with one digit, which has one digit more.
fn scaled(digits: &[u16], factor: i64) -> Vec<i64> {
    let mut carry = 0;
    let mut product: Vec<i64> = digits
        .iter()
        .rev()
        .map(|digit| {
            let sum = i64::from(*digit) * factor + carry;
            carry = sum / i64::from(NBASE);
            sum % i64::from(NBASE)
        })
        .collect();
    product.push(carry);
    product.reverse();
    product
}

/// Takes `divisor * digit` from `rest`, which has one digit more; was it less than that?
fn subtract(rest: &mut [i64], divisor: &[i64], digit: i64) -> bool {
    let mut borrow = 0;
    for (at, part) in rest[1..].iter_mut().zip(divisor).rev() {
        let difference = *at - part * digit - borrow;
        *at = difference.rem_euclid(i64::from(NBASE));
        borrow = -difference.div_euclid(i64::from(NBASE));
    }
    let difference = rest[0] - borrow;
    rest[0] = difference.rem_euclid(i64::from(NBASE));
    difference < 0
}

fn add_back(rest: &mut [i64], divisor: &[i64]) {
    let mut carry = 0;
    for (at, part) in rest[1..].iter_mut().zip(divisor).rev() {
        let sum = *at + part + carry;
        *at = sum % i64::from(NBASE);
        carry = sum / i64::from(NBASE);
    }
    rest[0] = (rest[0] + carry) % i64::from(NBASE);
}
