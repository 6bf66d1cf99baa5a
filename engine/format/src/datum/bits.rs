//! bit and bit varying: text in and out, lengths, and what operators and functions do with them
//! (src/backend/utils/adt/varbit.c).
//!
//! ```text
//!  B'10110 011 01'    0a 00 00 00 │ 10110011 01000000      a count of bits, then the bits from the left, zeros behind
//! ```

use super::bytes::Bytes;
use super::error::{Result, SqlError};
use super::sql_type::{Kind, SqlType};
use super::value::Value;
use crate::page::Oid;
use crate::page::layout::Wire;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// `BITOID`
pub const BIT: Oid = 1560;
/// `VARBITOID`
pub const VARBIT: Oid = 1562;
/// `VARBITHDRSZ`
const HEADER: usize = 4;
/// `MaxAttrSize` in bits
pub const MOST: i32 = 10_485_760 * 8;

/// `bit_out`
pub fn bit_out(bytes: &[u8]) -> Option<String> {
    let (count, bits) = bytes.split_at_checked(HEADER)?;
    let count = usize::try_from(i32::get(count)).ok()?;
    let is_whole = count.div_ceil(8) == bits.len();
    is_whole.then(|| (0..count).map(|n| if digit(bits, n) { '1' } else { '0' }).collect())
}

/// `bit_in`, `varbit_in`: binary digits, behind `x` hexadecimal ones.
///
/// # Errors
/// Another character; more bits than the type holds.
pub fn bit_in(text: &str, ty: SqlType) -> Result<Value> {
    let (digits, width) = match text.chars().next() {
        Some('b' | 'B') => (&text[1..], 1),
        Some('x' | 'X') => (&text[1..], 4),
        _ => (text, 1),
    };
    let mut bits = Bits::default();
    for c in digits.chars() {
        let (kind, found) = if width == 1 { ("binary", c.to_digit(2)) } else { ("hexadecimal", c.to_digit(16)) };
        let invalid = || SqlError::new("22P02", format!("\"{c}\" is not a valid {kind} digit"));
        let found = found.ok_or_else(invalid)?;
        (0..width).rev().for_each(|n| bits.push(found >> n & 1 == 1));
    }
    fitted(bits.value(), ty, false)
}

/// `bit`, `varbit`: the bits as the type has them.
///
/// # Errors
/// Where the cast is not explicit: another length than that of bit, a longer one than that of bit varying.
pub fn fitted(value: Value, ty: SqlType, is_explicit: bool) -> Result<Value> {
    let (Some(bits), Ok(most)) = (Bits::of(&value), usize::try_from(ty.typmod)) else { return Ok(value) };
    let is_fixed = ty.oid == BIT;
    if bits.count == most || !is_fixed && bits.count < most {
        return Ok(value);
    }
    if is_explicit {
        return Ok(bits.part(0, most, is_fixed).value());
    }
    Err(match is_fixed {
        true => mismatch(format!("bit string length {} does not match type bit({most})", bits.count)),
        false => SqlError::new("22001", format!("bit string too long for type bit varying({most})")),
    })
}

fn mismatch(message: String) -> SqlError {
    SqlError::new("22026", message)
}

/// `bitfromint4`, `bitfromint8`: as many bits from the right, with the sign in front.
#[must_use]
pub fn of_integer(number: i64, typmod: i32) -> Value {
    let count = usize::try_from(typmod).unwrap_or(1);
    let mut bits = Bits::default();
    (0..count).rev().for_each(|n| bits.push(number >> n.min(63) & 1 == 1));
    bits.value()
}

/// `bittoint4`, `bittoint8`
///
/// # Errors
/// More bits than the number has.
pub fn to_integer(bytes: &[u8], to: Kind) -> Result<Value> {
    let bits = Bits::read(bytes);
    let number = (0..bits.count).fold(0_u64, |number, n| number << 1 | u64::from(digit(&bits.bytes, n)));
    match to {
        Kind::Int4 if bits.count <= 32 => Ok(Value::Int4((number as u32).cast_signed())),
        Kind::Int4 => Err(SqlError::out_of_range("integer out of range")),
        _ if bits.count <= 64 => Ok(Value::Int8(number.cast_signed())),
        _ => Err(SqlError::out_of_range("bigint out of range")),
    }
}

/// `bit_cmp`: the shorter of two that begin alike is the lesser.
#[must_use]
pub fn compare(a: &Value, b: &Value) -> Ordering {
    let parts = |value: &Value| value.bytes().map(|bytes| Bits::read(bytes)).unwrap_or_default();
    let (a, b) = (parts(a), parts(b));
    let shared = a.bytes.len().min(b.bytes.len());
    a.bytes[..shared].cmp(&b.bytes[..shared]).then(a.count.cmp(&b.count))
}

const fn digit(bytes: &[u8], n: usize) -> bool {
    bytes[n / 8] >> (7 - n % 8) & 1 == 1
}

/// What AND and its like are called, and do with bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Together {
    /// `bitand`
    And,
    /// `bitor`
    Or,
    /// `bitxor`
    Xor,
}

/// A bit string taken apart.
#[derive(Debug, Clone, Default)]
pub struct Bits {
    /// how many bits
    pub count: usize,
    bytes: Vec<u8>,
}

impl Bits {
    fn read(bytes: &[u8]) -> Self {
        let (count, bytes) = bytes.split_at_checked(HEADER).unwrap_or((&[0; HEADER], &[]));
        let count = usize::try_from(i32::get(count)).unwrap_or(0).min(bytes.len() * 8);
        Self { count, bytes: bytes.into() }
    }

    /// The bits of such a value.
    #[must_use]
    pub fn of(value: &Value) -> Option<Self> {
        if let Value::Bit(bytes) = value { Some(Self::read(bytes)) } else { None }
    }

    fn push(&mut self, bit: bool) {
        if self.count.is_multiple_of(8) {
            self.bytes.push(0);
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(bit) << (7 - self.count % 8);
        }
        self.count += 1;
    }

    /// Bits without those of the last byte that are none.
    fn new(count: usize, mut bytes: Vec<u8>) -> Self {
        if let Some(last) = bytes.last_mut().filter(|_| !count.is_multiple_of(8)) {
            *last &= !(0xFF >> (count % 8));
        }
        Self { count, bytes }
    }

    /// As a value.
    #[must_use]
    pub fn value(self) -> Value {
        let count = self.count as u32;
        Value::Bit(Bytes::from([&count.to_le_bytes()[..], &self.bytes].concat()))
    }

    /// `octet_length`
    #[must_use]
    pub const fn octets(&self) -> usize {
        self.bytes.len()
    }

    /// `bit_count`
    #[must_use]
    pub fn ones(&self) -> i64 {
        self.bytes.iter().map(|byte| i64::from(byte.count_ones())).sum()
    }

    /// The bits from a place, so many; filled with zeros where there are fewer.
    fn part(&self, from: usize, count: usize, fills: bool) -> Self {
        let mut part = Self::default();
        let count = if fills { count } else { count.min(self.count.saturating_sub(from)) };
        (from..from + count).for_each(|n| part.push(n < self.count && digit(&self.bytes, n)));
        part
    }

    /// `bitnot`
    #[must_use]
    pub fn not(&self) -> Self {
        Self::new(self.count, self.bytes.iter().map(|byte| !byte).collect())
    }

    /// `bitand`, `bitor`, `bitxor`
    ///
    /// # Errors
    /// The two differ in length.
    pub fn with(&self, other: &Self, how: Together) -> Result<Self> {
        let (name, both): (_, fn(u8, u8) -> u8) = match how {
            Together::And => ("AND", |a, b| a & b),
            Together::Or => ("OR", |a, b| a | b),
            Together::Xor => ("XOR", |a, b| a ^ b),
        };
        if self.count != other.count {
            return Err(mismatch(format!("cannot {name} bit strings of different sizes")));
        }
        let bytes = self.bytes.iter().zip(&other.bytes).map(|(a, b)| both(*a, *b)).collect();
        Ok(Self { count: self.count, bytes })
    }

    /// `bitshiftleft`; of a negative number of bits `bitshiftright`. The length stays.
    #[must_use]
    pub fn shifted_left(&self, by: i64) -> Self {
        let mut shifted = Self::default();
        for n in 0..self.count as i64 {
            let from = usize::try_from(n + by).ok().filter(|from| *from < self.count);
            shifted.push(from.is_some_and(|from| digit(&self.bytes, from)));
        }
        shifted
    }

    /// `bitcat`
    #[must_use]
    pub fn concat(mut self, other: &Self) -> Self {
        (0..other.count).for_each(|n| self.push(digit(&other.bytes, n)));
        self
    }

    /// `bitsubstr`: places before the first count, but give nothing.
    ///
    /// # Errors
    /// A negative length.
    pub fn substring(&self, from: i32, count: Option<i32>) -> Result<Self> {
        let end = match count {
            Some(..0) => return Err(negative()),
            Some(count) => (i64::from(from) + i64::from(count)).min(self.count as i64 + 1),
            None => self.count as i64 + 1,
        };
        let start = i64::from(from).max(1);
        Ok(self.part(start as usize - 1, (end - start).max(0) as usize, false))
    }

    /// `bit_overlay`
    ///
    /// # Errors
    /// A place before the first bit, or behind the last number.
    pub fn overlay(&self, part: &Self, from: i32, count: Option<i32>) -> Result<Self> {
        if from <= 0 {
            return Err(negative());
        }
        let count = count.unwrap_or(part.count as i32);
        let behind = from.checked_add(count).ok_or_else(|| SqlError::out_of_range("integer out of range"))?;
        let rest = self.substring(behind, None)?;
        Ok(self.substring(1, Some(from - 1))?.concat(part).concat(&rest))
    }

    /// `bitposition`: where the part begins first, from 1; 0 where it is nowhere.
    #[must_use]
    pub fn position(&self, part: &Self) -> i32 {
        if self.count == 0 || part.count > self.count {
            return 0;
        }
        let is_at = |at: &usize| (0..part.count).all(|n| digit(&part.bytes, n) == digit(&self.bytes, at + n));
        (0..=self.count - part.count).find(is_at).map_or(0, |at| at as i32 + 1)
    }

    fn place(&self, at: i32) -> Result<usize> {
        let count = self.count;
        usize::try_from(at).ok().filter(|at| *at < count).ok_or_else(|| {
            let last = count as i64 - 1;
            SqlError::new("2202E", format!("bit index {at} out of valid range (0..{last})"))
        })
    }

    /// `bitgetbit`
    ///
    /// # Errors
    /// There is no such bit.
    pub fn get(&self, at: i32) -> Result<i32> {
        self.place(at).map(|at| i32::from(digit(&self.bytes, at)))
    }

    /// `bitsetbit`
    ///
    /// # Errors
    /// There is no such bit, or what it is to be is none.
    pub fn set(mut self, at: i32, bit: i32) -> Result<Self> {
        let at = self.place(at)?;
        let mask = 0x80 >> (at % 8);
        match bit {
            0 => self.bytes[at / 8] &= !mask,
            1 => self.bytes[at / 8] |= mask,
            _ => return Err(SqlError::new("22023", "new bit must be 0 or 1")),
        }
        Ok(self)
    }
}

fn negative() -> SqlError {
    SqlError::new("22011", "negative substring length not allowed")
}

/// `anybit_typmodin`
///
/// # Errors
/// No length, or one that is not possible.
pub fn typmod(ty: Oid, modifiers: &[i32]) -> Result<i32> {
    let name = if ty == BIT { "bit" } else { "varbit" };
    let invalid = |message: String| Err(SqlError::new("22023", message));
    match modifiers {
        [..=0] => invalid(format!("length for type {name} must be at least 1")),
        [length @ ..=MOST] => Ok(*length),
        [_] => invalid(format!("length for type {name} cannot exceed {MOST}")),
        _ => invalid("invalid type modifier".into()),
    }
}
