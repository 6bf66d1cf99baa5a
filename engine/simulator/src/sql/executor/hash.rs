//! Hashes of values, as hash joins and hash tables of groups have them (src/backend/access/hash/hashfunc.c;
//! `hash_numeric`, src/backend/utils/adt/numeric.c).

use crate::sql::expr::{hash_bytes, hashed_integer};
use alloc::vec::Vec;
use ffviz_format::datum::Value;

/// The hash of several values (`ExecHashGetHashValue`, `TupleHashTableHash_internal`); `None`: of a type whose hash
/// function is not known here.
pub(in crate::sql) fn hash_of<'a>(keys: impl IntoIterator<Item = &'a Value>) -> Option<u32> {
    keys.into_iter().try_fold(0_u32, |hash, key| Some(hash.rotate_left(1) ^ hash_of_value(key)?))
}

fn hash_of_value(value: &Value) -> Option<u32> {
    let number = match value {
        Value::Null => return Some(0),
        Value::Bool(value) => u32::from(*value),
        Value::Char(byte) => i32::from(byte.cast_signed()).cast_unsigned(),
        Value::Date(days) => days.cast_unsigned(),
        Value::Oid(oid) => *oid,
        Value::Timestamp(time) | Value::TimestampTz(time) | Value::Time(time) => hashed_integer(&Value::Int8(*time))?,
        Value::Float4(number) => return Some(hash_of_float(f64::from(*number))),
        Value::Float8(number) => return Some(hash_of_float(*number)),
        Value::Numeric(bytes) => return hash_of_numeric(bytes),
        Value::Uuid(bytes) => return Some(hash_bytes(bytes)),
        Value::Text(_) | Value::Stored(_) => return Some(hash_bytes(value.plain_bytes()?)),
        // `hash_record`
        Value::Record(record) => {
            return record.columns().try_fold(0_u32, |hash, (_, value)| {
                Some((hash << 5).wrapping_sub(hash).wrapping_add(hash_of_value(&value)?))
            });
        }
        value => hashed_integer(value)?,
    };
    Some(hash_bytes(&number.to_le_bytes()))
}

/// `hashfloat8`: of both zeros the same.
fn hash_of_float(number: f64) -> u32 {
    if number == 0.0 { 0 } else { hash_bytes(&number.to_le_bytes()) }
}

/// Without zeros at both ends, which do not make another number.
fn hash_of_numeric(bytes: &[u8]) -> Option<u32> {
    const SPECIAL: u16 = 0xC000;
    const SHORT: u16 = 0x8000;
    let words: Vec<u16> = bytes.chunks_exact(2).map(|word| u16::from_le_bytes([word[0], word[1]])).collect();
    let (header, rest) = words.split_first()?;
    let (mut weight, digits) = match header & SPECIAL {
        SPECIAL => return Some(0),
        SHORT => {
            let weight = i32::from(header & 0x3F);
            (if header & 0x40 != 0 { weight - 0x40 } else { weight }, rest)
        }
        _ => {
            let (weight, digits) = rest.split_first()?;
            (i32::from(weight.cast_signed()), digits)
        }
    };
    let Some(first) = digits.iter().position(|digit| *digit != 0) else { return Some(u32::MAX) };
    let last = digits.iter().rposition(|digit| *digit != 0)?;
    weight -= first as i32;
    let digits: Vec<u8> = digits[first..=last].iter().flat_map(|digit| digit.to_le_bytes()).collect();
    Some(hash_bytes(&digits) ^ weight.cast_unsigned())
}
