//! The order of values: the comparison function of each type's default btree operator class, with C collation.
//!
//! A caller looks the function up once for a column, then calls it for each pair. Neither value may be NULL or
//! [`Value::Stored`].

use super::sql_type::Kind;
use super::value::{Interval, Value};
use super::{inet, jsonb, numeric};
use crate::page::Oid;
use crate::page::layout::Wire;
use core::cmp::Ordering;

/// Compares two values of one type.
pub type Comparator = fn(&Value, &Value) -> Ordering;

/// The comparison of values of that type; `None` for a type without an order, such as json.
#[must_use]
pub fn comparator(typid: Oid) -> Option<Comparator> {
    const JSON: Oid = 114;
    comparator_of(Kind::of(typid)).filter(|_| typid != JSON)
}

/// The comparison of values of a kind, where its types have an order.
#[must_use]
pub fn comparator_of(kind: Kind) -> Option<Comparator> {
    Some(match kind {
        Kind::Int2 => |a, b| int2(a).cmp(&int2(b)),
        Kind::Int4 | Kind::Date => |a, b| int4(a).cmp(&int4(b)),
        Kind::Int8 | Kind::Time | Kind::Timestamp | Kind::TimestampTz => |a, b| int8(a).cmp(&int8(b)),
        Kind::Text | Kind::Bytea => |a, b| bytes(a).cmp(bytes(b)),
        Kind::BpChar => |a, b| without_blanks(bytes(a)).cmp(without_blanks(bytes(b))),
        Kind::Numeric => |a, b| numeric::compare(bytes(a), bytes(b)),
        Kind::Float4 | Kind::Float8 => |a, b| float(float8(a), float8(b)),
        Kind::Inet => |a, b| inet::compare(bytes(a), bytes(b)),
        Kind::Jsonb => |a, b| jsonb::compare(bytes(a), bytes(b)),
        Kind::Array => super::array::compare,
        Kind::Range => super::range::compare,
        Kind::Bit => super::bits::compare,
        Kind::Record => super::record::compare,
        Kind::Bool | Kind::Char | Kind::Oid | Kind::Tid | Kind::Uuid | Kind::Interval => simple,
        Kind::Other => return None,
    })
}

/// A value against another of its kind that lies on a page: `stored` are its bytes, those of a varlena without its
/// header. So a search makes no values of what it passes.
#[must_use]
#[inline]
pub fn compare_stored(kind: Kind, value: &Value, stored: &[u8]) -> Ordering {
    match kind {
        Kind::Int2 => int2(value).cmp(&i16::get(stored)),
        Kind::Int4 | Kind::Date => int4(value).cmp(&i32::get(stored)),
        Kind::Int8 | Kind::Time | Kind::Timestamp | Kind::TimestampTz => int8(value).cmp(&i64::get(stored)),
        Kind::Text | Kind::Bytea => bytes(value).cmp(stored),
        Kind::BpChar => without_blanks(bytes(value)).cmp(without_blanks(stored)),
        Kind::Numeric => numeric::compare(bytes(value), stored),
        _ => comparator_of(kind).map_or(Ordering::Equal, |compare| compare(value, &Value::from_stored(kind, stored))),
    }
}

/// How a value's first 8 bytes on a page, or fewer where it has no more, are read as its abbreviated key.
///
/// ```text
///  int4   05 00 00 80 ?? ?? ?? ??                 a whole number: its bits, with the sign turned over
///  uuid   c4 ca 42 38 a0 b9 23 82 0d cc 50 9a …   the bytes of the first half, where the first one weighs most (`uuid_abbrev_convert`)
///         └───── abbreviated ───┘
/// ```
#[derive(Debug, Clone, Copy)]
pub struct NumberBits {
    /// those that are of the number
    pub mask: u64,
    /// those that are turned over
    pub turned: u64,
    /// is it but the beginning of the value? Then values with the same number may differ, and its bytes are in the
    /// order in which they are compared
    pub is_prefix: bool,
}

impl NumberBits {
    /// Of a kind whose order is that of whole numbers, or begins with that of such numbers.
    #[must_use]
    #[inline]
    pub const fn of(kind: Kind) -> Option<Self> {
        match kind {
            Kind::Int2 => Some(Self::whole(i16::BITS)),
            Kind::Int4 | Kind::Date => Some(Self::whole(i32::BITS)),
            Kind::Int8 | Kind::Time | Kind::Timestamp | Kind::TimestampTz => Some(Self::whole(i64::BITS)),
            Kind::Uuid => Some(Self { mask: u64::MAX, turned: 0, is_prefix: true }),
            _ => None,
        }
    }

    const fn whole(bits: u32) -> Self {
        // negative ones come first
        Self { mask: u64::MAX >> (u64::BITS - bits), turned: 1 << (bits - 1), is_prefix: false }
    }

    /// The abbreviated key, given by a page's bits; those above the value's own may be anything.
    #[must_use]
    #[inline]
    pub const fn abbreviated(self, bits: u64) -> u64 {
        let bits = if self.is_prefix { bits.swap_bytes() } else { bits };
        (bits & self.mask) ^ self.turned
    }
}

/// The bits that a page would have of a value, of a kind with [`NumberBits`].
#[must_use]
#[inline]
pub fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Int2(number) => Some(*number as u64),
        Value::Int4(number) | Value::Date(number) => Some(*number as u64),
        Value::Int8(_) | Value::Time(_) | Value::Timestamp(_) | Value::TimestampTz(_) => Some(int8(value) as u64),
        Value::Uuid(bytes) => Some(u64::get(bytes)),
        _ => None,
    }
}

/// An abbreviated key (`SortSupportData.abbrev_converter`): of two values that are not NULL, the one with the smaller
/// number is the lesser. Where the numbers are equal it takes the comparison itself.
#[must_use]
pub fn abbreviated(kind: Kind, value: &Value) -> u64 {
    let of_bytes = |bytes: &[u8]| {
        let mut first = [0; 8];
        first.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        u64::from_be_bytes(first)
    };
    match kind {
        Kind::Text | Kind::Bytea => of_bytes(bytes(value)),
        Kind::BpChar => of_bytes(without_blanks(bytes(value))),
        _ => match (number(value), NumberBits::of(kind)) {
            (Some(number), Some(bits)) => bits.abbreviated(number),
            _ => 0,
        },
    }
}

fn int2(value: &Value) -> i16 {
    if let Value::Int2(number) = value { *number } else { 0 }
}

fn int4(value: &Value) -> i32 {
    if let Value::Int4(number) | Value::Date(number) = value { *number } else { 0 }
}

fn int8(value: &Value) -> i64 {
    match value {
        Value::Int8(number) | Value::Time(number) | Value::Timestamp(number) | Value::TimestampTz(number) => *number,
        _ => 0,
    }
}

fn float8(value: &Value) -> f64 {
    match value {
        Value::Float4(number) => f64::from(*number),
        Value::Float8(number) => *number,
        _ => 0.0,
    }
}

fn bytes(value: &Value) -> &[u8] {
    value.bytes().map_or(&[], |bytes| &bytes[..])
}

/// `bcTruelen`: blanks at the end of char(n) do not count.
pub(super) fn without_blanks(bytes: &[u8]) -> &[u8] {
    let len = bytes.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
    &bytes[..len]
}

/// `float8_cmp_internal`: NaN equals itself and is above all else; -0 equals 0.
fn float(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

fn simple(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Char(a), Value::Char(b)) => a.cmp(b),
        (Value::Oid(a), Value::Oid(b)) => a.cmp(b),
        (Value::Tid(a), Value::Tid(b)) => a.cmp(b),
        (Value::Uuid(a), Value::Uuid(b)) => a.cmp(b),
        (Value::Interval(a), Value::Interval(b)) => span(a).cmp(&span(b)),
        _ => Ordering::Equal,
    }
}

/// `interval_cmp_value`: microseconds, with months of 30 days of 24 hours.
fn span(interval: &Interval) -> i128 {
    const USECS_PER_DAY: i128 = super::datetime::USECS_PER_DAY as i128;
    let days = i64::from(interval.month) * 30 + i64::from(interval.day);
    i128::from(days) * USECS_PER_DAY + i128::from(interval.time)
}
