//! Operators and functions of numeric, with what they give for NaN and infinity (`numeric_add` and its like).

use super::{Number, Var};
use crate::datum::bytes::Bytes;
use crate::datum::error::{Result, SqlError};
use core::cmp::Ordering;

/// `cmp_numerics`: NaN equals itself and is above all else.
pub fn compare(a: &[u8], b: &[u8]) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    let (Some(a), Some(b)) = (Number::unpack(a), Number::unpack(b)) else { return Ordering::Equal };
    match (&a, &b) {
        (Number::Finite(a), Number::Finite(b)) => a.compare(b),
        _ => a.rank().cmp(&b.rank()),
    }
}

/// `+ - * / %` of two stored numbers.
///
/// # Errors
/// Division by zero; a result that is too long.
pub fn operate(op: char, a: &[u8], b: &[u8]) -> Result<Bytes> {
    let broken = || SqlError::new("XX000", "invalid numeric");
    let (a, b) = (Number::unpack(a).ok_or_else(broken)?, Number::unpack(b).ok_or_else(broken)?);
    let result = match (a, b) {
        (Number::NaN, _) | (_, Number::NaN) => Number::NaN,
        (Number::Finite(a), Number::Finite(b)) => Number::Finite(finite(op, &a, &b)?),
        (a, b) => infinite(op, &a, &b)?,
    };
    result.pack()
}

fn finite(op: char, a: &Var, b: &Var) -> Result<Var> {
    Ok(match op {
        '+' => a.plus(b),
        '-' => a.minus(b),
        '*' => a.times(b),
        _ if b.is_zero() => return Err(SqlError::division_by_zero()),
        '/' => a.divided(b, a.division_scale(b), true),
        _ => a.remainder(b),
    })
}

/// At least one of the two is infinite, none is NaN.
fn infinite(op: char, a: &Number, b: &Number) -> Result<Number> {
    let (left, right) = (a.sign(), b.sign());
    let infinity = |sign: i32| if sign == 0 { Number::NaN } else { Number::Infinity { negative: sign < 0 } };
    let signed = |a: &Number, b: &Number| match (a.is_infinite(), b.is_infinite()) {
        (true, true) => infinity((a.sign() + b.sign()).signum()),
        (true, false) => infinity(a.sign()),
        _ => infinity(b.sign()),
    };
    Ok(match op {
        '+' => signed(a, b),
        '-' => signed(a, &b.negated()),
        '*' => infinity(left * right),
        '/' | '%' if right == 0 => return Err(SqlError::division_by_zero()),
        '/' if !a.is_infinite() => Number::Finite(Var::default()),
        '/' if !b.is_infinite() => infinity(left * right),
        '%' if !a.is_infinite() => a.clone(),
        _ => Number::NaN,
    })
}

impl Number {
    /// `numeric_uminus`
    #[must_use]
    pub fn negated(&self) -> Self {
        match self {
            Self::NaN => Self::NaN,
            Self::Infinity { negative } => Self::Infinity { negative: !negative },
            Self::Finite(var) => Self::Finite(Var { negative: !var.negative && !var.is_zero(), ..var.clone() }),
        }
    }

    /// `numeric_abs`
    #[must_use]
    pub fn abs(&self) -> Self {
        if self.sign() < 0 { self.negated() } else { self.clone() }
    }

    const fn is_infinite(&self) -> bool {
        matches!(self, Self::Infinity { .. })
    }

    /// -1, 0 or 1
    fn sign(&self) -> i32 {
        match self {
            Self::NaN => 0,
            Self::Finite(var) if var.is_zero() => 0,
            Self::Infinity { negative } | Self::Finite(Var { negative, .. }) => {
                if *negative {
                    -1
                } else {
                    1
                }
            }
        }
    }

    /// Below all numbers, among them, above them, above all.
    const fn rank(&self) -> u8 {
        match self {
            Self::Infinity { negative: true } => 0,
            Self::Finite(_) => 1,
            Self::Infinity { negative: false } => 2,
            Self::NaN => 3,
        }
    }

    /// `round(numeric, digits)`, or `trunc`.
    #[must_use]
    pub fn rounded(self, digits: i32, truncates: bool) -> Self {
        /// `NUMERIC_MAX_RESULT_SCALE`
        const MAX_RESULT_SCALE: i32 = 2000;
        let Self::Finite(mut var) = self else { return self };
        let digits = digits.clamp(-MAX_RESULT_SCALE, MAX_RESULT_SCALE);
        if truncates {
            var.truncate(digits);
        } else {
            var.round(digits);
        }
        var.dscale = digits.max(0);
        Self::Finite(var)
    }
}

impl Var {
    fn compare(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.compare_abs(other),
            (true, true) => other.compare_abs(self),
        }
    }
}
