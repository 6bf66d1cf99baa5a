//! float4 and float8: the shortest digits that give the same number again (src/common/d2s.c, f2s.c; Ulf Adams' Ryu).
//!
//! ```text
//!   neighbour below ─────┼───── value ─────┼───── neighbour above
//!                        └ any decimal between the halves reads back as the value: the fewest digits, then the nearest ┘
//! ```
//!
//! As in PostgreSQL a decimal exactly halfway does not count, as 1e23 would be (it is 9.999999999999999e+22), and of
//! two that are equally near the even one is taken. The digits come from long division, one by one (Steele and White);
//! so there are no tables of powers, which Rust's own reading and writing of floats would bring along.

use super::types::exact;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Ordering;

/// `float4out` with `extra_float_digits` 1
pub fn float4_out(bytes: &[u8]) -> Option<String> {
    let value = f32::from_bits(exact(bytes)?);
    let binary = Binary::new(u64::from(value.to_bits() & 0x7FFF_FFFF), 23, 150);
    Some(special(value.into()).unwrap_or_else(|| layout(value.is_sign_negative(), &binary.shortest(), 6)))
}

/// `float8out` with `extra_float_digits` 1
pub fn float8_out(bytes: &[u8]) -> Option<String> {
    let value: f64 = exact(bytes)?;
    let binary = Binary::new(value.to_bits() & (u64::MAX >> 1), 52, 1075);
    Some(special(value).unwrap_or_else(|| layout(value.is_sign_negative(), &binary.shortest(), 15)))
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

/// `digits[0].digits[1]… * 10^exponent`
struct Decimal {
    digits: String,
    exponent: i32,
}

impl Binary {
    fn new(bits: u64, mantissa_bits: u32, bias: i32) -> Self {
        let hidden = 1 << mantissa_bits;
        let (stored, fraction) = ((bits >> mantissa_bits) as i32, bits & (hidden - 1));
        let mantissa = if stored == 0 { fraction } else { fraction | hidden };
        Self { mantissa, exponent: stored.max(1) - bias, is_power: fraction == 0 && stored > 1 }
    }

    /// Digits of `rest / whole` until what is left is less than half of the way to the neighbour below, or above.
    fn shortest(&self) -> Decimal {
        if self.mantissa == 0 {
            return Decimal { digits: "0".to_string(), exponent: 0 };
        }
        let Division { mut rest, mut above, mut below, whole, exponent } = self.division();
        let mut digits = String::new();
        loop {
            for number in [&mut rest, &mut above, &mut below] {
                number.multiply(10);
            }
            let mut digit = 0;
            while rest.compare(&whole) != Ordering::Less {
                rest.subtract(&whole);
                digit += 1;
            }
            let down = rest.compare(&below) == Ordering::Less;
            let up = rest.plus(&above).compare(&whole) == Ordering::Greater;
            let nearer_up = match rest.plus(&rest).compare(&whole) {
                Ordering::Equal => digit % 2 == 1,
                half => half == Ordering::Greater,
            };
            let more = u8::from(up && (!down || nearer_up));
            digits.push(char::from(b'0' + digit + more));
            if down || up {
                return Decimal { digits, exponent };
            }
        }
    }

    /// The value as `rest / whole * 10^(exponent + 1)`, with the halves of the ways to its neighbours in the same unit.
    fn division(&self) -> Division {
        let shift: u32 = if self.is_power { 2 } else { 1 };
        let (mut rest, mut whole) = (Long::from(self.mantissa << shift), Long::from(1 << shift));
        let (mut above, mut below) = (Long::from(u64::from(shift)), Long::from(1));
        if self.exponent < 0 {
            whole.double(self.exponent.unsigned_abs());
        }
        // the logarithm of the highest bit: too low by one at most, which the comparison below mends
        let bit = self.exponent + (u64::BITS - 1 - self.mantissa.leading_zeros()) as i32;
        let mut exponent = (bit * 1233) >> 12;
        for number in [&mut rest, &mut above, &mut below] {
            number.double(self.exponent.max(0).unsigned_abs());
            (exponent..0).for_each(|_| number.multiply(10));
        }
        (0..exponent).for_each(|_| whole.multiply(10));
        while rest.plus(&above).compare(&whole) == Ordering::Greater {
            whole.multiply(10);
            exponent += 1;
        }
        Division { rest, above, below, whole, exponent: exponent - 1 }
    }
}

struct Division {
    rest: Long,
    above: Long,
    below: Long,
    whole: Long,
    exponent: i32,
}

/// A natural number of any length: 32 bits a limb, the lowest first, none of the highest zero.
struct Long(Vec<u32>);

impl From<u64> for Long {
    fn from(number: u64) -> Self {
        let mut long = Self(Vec::from([number as u32, (number >> u32::BITS) as u32]));
        long.trim();
        long
    }
}

impl Long {
    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    fn multiply(&mut self, factor: u32) {
        let mut carry = 0;
        for limb in &mut self.0 {
            let product = u64::from(*limb) * u64::from(factor) + carry;
            *limb = product as u32;
            carry = product >> u32::BITS;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    /// Doubles it so often.
    fn double(&mut self, times: u32) {
        self.multiply(1 << (times % u32::BITS));
        self.0.splice(0..0, (0..times / u32::BITS).map(|_| 0));
    }

    fn plus(&self, other: &Self) -> Self {
        let mut carry = 0;
        let mut sum = Vec::new();
        for at in 0..self.0.len().max(other.0.len()) {
            let limb = |long: &Self| u64::from(long.0.get(at).copied().unwrap_or(0));
            let total = limb(self) + limb(other) + carry;
            sum.push(total as u32);
            carry = total >> u32::BITS;
        }
        sum.push(carry as u32);
        let mut sum = Self(sum);
        sum.trim();
        sum
    }

    /// Takes away what is not more than it.
    fn subtract(&mut self, other: &Self) {
        let mut borrow = false;
        for (at, limb) in self.0.iter_mut().enumerate() {
            let (less, first) = limb.overflowing_sub(other.0.get(at).copied().unwrap_or(0));
            let (less, second) = less.overflowing_sub(u32::from(borrow));
            *limb = less;
            borrow = first || second;
        }
        self.trim();
    }

    fn compare(&self, other: &Self) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

/// As PostgreSQL writes it: plain from 1e-4 up to, not including, 10 to the power `plain`.
fn layout(negative: bool, decimal: &Decimal, plain: i32) -> String {
    let Decimal { digits, exponent } = decimal;
    let sign = if negative { "-" } else { "" };
    if !(-4..plain).contains(exponent) {
        let (direction, exponent) = (if *exponent < 0 { '-' } else { '+' }, exponent.unsigned_abs());
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        return format!("{sign}{first}{point}{rest}e{direction}{exponent:02}");
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

#[cfg(test)]
mod tests {
    use super::*;

    /// `SELECT x::float8::text` and `x::float4::text` of PostgreSQL 13 and 18.
    #[test]
    fn floats_are_written_as_the_server_does() {
        let float8 = [
            ("1e+23", "9.999999999999999e+22"),
            ("844565371806868.25", "844565371806868.2"),
            ("9007199254740993", "9.007199254740992e+15"),
            ("2.2250738585072014e-308", "2.2250738585072014e-308"),
            ("1.7976931348623157e+308", "1.7976931348623157e+308"),
        ];
        let plain = [
            "0",
            "-0",
            "0.1",
            "-1.5",
            "123456",
            "5e-324",
            "100000000000000",
            "1e+15",
            "0.0001",
            "1e-05",
            "4.35",
            "1e+22",
        ];
        for (given, wanted) in float8.into_iter().chain(plain.map(|text| (text, text))) {
            let value: f64 = given.parse().expect("a float");
            assert_eq!(float8_out(&value.to_le_bytes()).as_deref(), Some(wanted));
        }
        for text in ["0.1", "1.1754944e-38", "3.4028235e+38", "1e-45", "1.6777216e+07", "100000", "1e+06", "3.1415927"]
        {
            let value: f32 = text.parse().expect("a float");
            assert_eq!(float4_out(&value.to_le_bytes()).as_deref(), Some(text));
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        let mut bits: u64 = 0x9E37_79B9_7F4A_7C15;
        for _ in 0..5_000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (double, single) = (f64::from_bits(bits), f32::from_bits((bits >> 32) as u32));
            let text = float8_out(&double.to_le_bytes()).expect("eight bytes");
            assert!(text.parse::<f64>().is_ok_and(|read| read.to_bits() == bits || double.is_nan()), "{bits:x} {text}");
            let text = float4_out(&single.to_le_bytes()).expect("four bytes");
            assert!(text.parse::<f32>().is_ok_and(|read| read == single || single.is_nan()), "{single:e} {text}");
        }
    }
}
