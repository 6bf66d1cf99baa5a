//! float4 and float8: the shortest digits that give the same number again (src/common/d2s.c, f2s.c).
//!
//! Rust prints the shortest digits too, with two differences. A decimal halfway between two floats counts for it as the even one,
//! while PostgreSQL wants a decimal that no way of rounding takes for the neighbour: 1e23 is 9.999999999999999e+22. And of two
//! decimals that are equally near Rust takes the upper, PostgreSQL the even one: 844565371806868.25 ends in .2.

use super::types::exact;
use alloc::format;
use alloc::string::{String, ToString};

/// `float4out` with `extra_float_digits` 1
pub fn float4_out(bytes: &[u8]) -> Option<String> {
    const MANTISSA_BITS: u32 = 23;
    const BIAS: i32 = 150;
    let value = f32::from_bits(exact(bytes)?);
    let binary = Binary::new(u64::from(value.to_bits() & 0x7FFF_FFFF), MANTISSA_BITS, BIAS);
    let is_same = |text: &str| text.parse() == Ok(value);
    let shortest = || binary.shortest(|digits| format!("{value:.digits$e}"), is_same, format!("{value:e}"));
    Some(special(value.into()).unwrap_or_else(|| layout(&shortest(), 6)))
}

/// `float8out` with `extra_float_digits` 1
pub fn float8_out(bytes: &[u8]) -> Option<String> {
    const MANTISSA_BITS: u32 = 52;
    const BIAS: i32 = 1075;
    let value: f64 = exact(bytes)?;
    let binary = Binary::new(value.to_bits() & (u64::MAX >> 1), MANTISSA_BITS, BIAS);
    let is_same = |text: &str| text.parse() == Ok(value);
    let shortest = || binary.shortest(|digits| format!("{value:.digits$e}"), is_same, format!("{value:e}"));
    Some(special(value).unwrap_or_else(|| layout(&shortest(), 15)))
}

fn special(value: f64) -> Option<String> {
    let text = match value {
        _ if value.is_nan() => "NaN",
        f64::INFINITY => "Infinity",
        f64::NEG_INFINITY => "-Infinity",
        _ => return None,
    };
    Some(text.to_string())
}

/// The float as `mantissa * 2^exponent`, without its sign.
struct Binary {
    mantissa: u64,
    exponent: i32,
    /// is it a power of two, so that the float below is only half as far as the one above?
    is_power: bool,
}

impl Binary {
    fn new(bits: u64, mantissa_bits: u32, bias: i32) -> Self {
        let hidden = 1 << mantissa_bits;
        let (stored, fraction) = ((bits >> mantissa_bits) as i32, bits & (hidden - 1));
        let mantissa = if stored == 0 { fraction } else { fraction | hidden };
        Self { mantissa, exponent: stored.max(1) - bias, is_power: fraction == 0 && stored > 1 }
    }

    /// Rust's shortest digits, unless they are halfway to a neighbour: then the fewest that are not.
    fn shortest(&self, rounded: impl Fn(usize) -> String, is_same: impl Fn(&str) -> bool, rust: String) -> String {
        const MAX_DIGITS: usize = 17;
        if !self.is_halfway(&rust) {
            let even = rounded(digits_after_point(&rust));
            return if is_same(&even) { even } else { rust };
        }
        let mut longer = (0..MAX_DIGITS).map(rounded);
        longer.find(|text| is_same(text) && !self.is_halfway(text)).unwrap_or(rust)
    }

    /// Is the decimal exactly halfway between this float and a neighbour? Then it is `odd * 2^n` with the odd number a bit longer
    /// than the mantissa, which needs a positive power of ten.
    fn is_halfway(&self, scientific: &str) -> bool {
        const MAX_POWER_OF_5: u32 = 23;
        let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
        let after_point = digits_after_point(scientific) as i32;
        let digits = mantissa.bytes().filter(u8::is_ascii_digit).fold(0, |n, c| n * 10 + u128::from(c - b'0'));
        let power = exponent.parse::<i32>().unwrap_or(0) - after_point;
        let Some(power) = u32::try_from(power).ok().filter(|power| *power <= MAX_POWER_OF_5) else { return false };
        let product = digits * 5_u128.pow(power);
        let twos = product.trailing_zeros().min(u128::BITS - 1);
        let decimal = (product >> twos, (twos + power) as i32);
        let m = u128::from(self.mantissa);
        let (above, below) = ((2 * m + 1, self.exponent - 1), (2 * m).wrapping_sub(1));
        let below = if self.is_power { (4 * m - 1, self.exponent - 2) } else { (below, self.exponent - 1) };
        decimal == above || decimal == below
    }
}

/// Digits after the point of a number in scientific notation.
fn digits_after_point(scientific: &str) -> usize {
    let (mantissa, _) = scientific.split_once('e').unwrap_or((scientific, ""));
    mantissa.split_once('.').map_or(0, |(_, after)| after.len())
}

/// From Rust's shortest scientific notation to PostgreSQL's: plain from 1e-4 up to, not including, 10 to the power `plain`.
fn layout(scientific: &str, plain: i32) -> String {
    let (sign, unsigned) = scientific.strip_prefix('-').map_or(("", scientific), |rest| ("-", rest));
    let (mantissa, exponent) = unsigned.split_once('e').unwrap_or((unsigned, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    if !(-4..plain).contains(&exponent) {
        let direction = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{mantissa}e{direction}{:02}", exponent.abs());
    }
    // the point stands after that many digits
    let point = exponent + 1;
    let before = usize::try_from(point).unwrap_or(0);
    if point <= 0 {
        format!("{sign}0.{:0>width$}", digits, width = digits.len() + point.unsigned_abs() as usize)
    } else if before >= digits.len() {
        format!("{sign}{digits:0<before$}")
    } else {
        format!("{sign}{}.{}", &digits[..before], &digits[before..])
    }
}
