//! The types whose values can be read, with what `pg_type` says of them; of any other type the bytes are shown.

use super::Align::{self, Char, Double, Int, Short};
use super::enums::{is_enum, mark};
use super::{array, bits, datetime, float, geometry, jsonb, money, network, numeric, range, tsvector};
use crate::page::layout::Wire;
use crate::page::{ItemPointer, Lsn, Oid};
use alloc::format;
use alloc::string::{String, ToString};

/// A value's bytes, without the header of a varlena, as text; `None` for bytes that no such value has.
pub type Output = fn(&[u8]) -> Option<String>;

/// A row of `pg_type`.
pub struct Type {
    /// `pg_type.oid`
    pub oid: Oid,
    /// `typarray`: the type of arrays of it
    array: Oid,
    /// `typlen`
    pub len: i16,
    /// `typalign`
    pub align: Align,
    /// the type's output function
    pub output: Output,
}

const fn t(oid: Oid, array: Oid, len: i16, align: Align, output: Output) -> Type {
    Type { oid, array, len, align, output }
}

const TYPES: &[Type] = &[
    t(16, 1000, 1, Char, bool_out),
    t(17, 1001, -1, Int, |bytes| Some(hex(bytes))),
    t(18, 1002, 1, Char, char_out),
    t(19, 1003, 64, Char, name_out),
    t(20, 1016, 8, Double, number::<i64>),
    t(21, 1005, 2, Short, number::<i16>),
    t(22, 1006, -1, Int, array::vector_out),
    t(23, 1007, 4, Int, number::<i32>),
    t(25, 1009, -1, Int, text_out),
    t(26, 1028, 4, Int, number::<u32>),
    t(27, 1010, 6, Short, number::<ItemPointer>),
    t(28, 1011, 4, Int, number::<u32>),
    t(29, 1012, 4, Int, number::<u32>),
    t(30, 1013, -1, Int, array::vector_out),
    t(114, 199, -1, Int, text_out),
    t(142, 143, -1, Int, text_out),
    t(600, 1017, 16, Double, geometry::point_out),
    t(601, 1018, 32, Double, geometry::lseg_out),
    t(602, 1019, -1, Double, geometry::path_out),
    t(603, 1020, 32, Double, geometry::box_out),
    t(604, 1027, -1, Double, geometry::polygon_out),
    t(628, 629, 24, Double, geometry::line_out),
    t(650, 651, -1, Int, network::cidr_out),
    t(700, 1021, 4, Int, float::float4_out),
    t(701, 1022, 8, Double, float::float8_out),
    t(718, 719, 24, Double, geometry::circle_out),
    t(790, 791, 8, Double, money::cash_out),
    t(774, 775, 8, Int, |bytes| network::macaddr_out(bytes, 8)),
    t(829, 1040, 6, Int, |bytes| network::macaddr_out(bytes, 6)),
    t(869, 1041, -1, Int, network::inet_out),
    t(1042, 1014, -1, Int, text_out),
    t(1043, 1015, -1, Int, text_out),
    t(1082, 1182, 4, Int, datetime::date_out),
    t(1083, 1183, 8, Double, datetime::time_out),
    t(1114, 1115, 8, Double, datetime::timestamp_out),
    t(1184, 1185, 8, Double, datetime::timestamptz_out),
    t(1186, 1187, 16, Double, datetime::interval_out),
    t(1266, 1270, 12, Double, datetime::timetz_out),
    t(1560, 1561, -1, Int, bits::bit_out),
    t(1562, 1563, -1, Int, bits::bit_out),
    t(1700, 1231, -1, Int, numeric::numeric_out),
    // an index on a column of type name has this
    t(2275, 1263, -2, Char, name_out),
    t(2205, 2210, 4, Int, number::<u32>),
    t(2206, 2211, 4, Int, number::<u32>),
    t(24, 1008, 4, Int, number::<u32>),
    t(2202, 2207, 4, Int, number::<u32>),
    t(4089, 4090, 4, Int, number::<u32>),
    t(2950, 2951, 16, Char, uuid_out),
    t(3220, 3221, 8, Double, |bytes| Some(Lsn(exact(bytes)?).to_string())),
    t(3614, 3643, -1, Int, tsvector::tsvector_out),
    t(3802, 3807, -1, Int, jsonb::jsonb_out),
    t(3904, 3905, -1, Int, range::range_out),
    t(3906, 3907, -1, Int, range::range_out),
    t(3908, 3909, -1, Double, range::range_out),
    t(3910, 3911, -1, Double, range::range_out),
    t(3912, 3913, -1, Int, range::range_out),
    t(3926, 3927, -1, Double, range::range_out),
    t(5069, 271, 8, Double, number::<u64>),
];

/// What all enums have in common.
const ENUM: Type = t(0, 0, 4, Int, |bytes| exact(bytes).map(mark));

/// The type of that oid, where it is known.
pub fn find(oid: Oid) -> Option<&'static Type> {
    if is_enum(oid) {
        return Some(&ENUM);
    }
    TYPES.iter().find(|ty| ty.oid == oid)
}

/// `typelem`: the type of the elements of an array, or of `int2vector` and `oidvector`.
#[must_use]
pub fn element(array: Oid) -> Option<Oid> {
    match array {
        22 => return Some(21),
        30 => return Some(26),
        _ => {}
    }
    TYPES.iter().find(|ty| ty.array == array).map(|ty| ty.oid)
}

/// `typarray`: the type of arrays of that type, where it is known.
#[must_use]
pub fn array_of(element: Oid) -> Option<Oid> {
    find(element).map(|ty| ty.array).filter(|array| *array != 0)
}

/// All types, and those of arrays of them.
#[cfg(test)]
pub fn oids() -> impl Iterator<Item = Oid> {
    TYPES.iter().flat_map(|ty| [ty.oid, ty.array])
}

/// The value as PostgreSQL prints it; `None` for a type, or bytes, that are not known.
pub fn output(typid: Oid, bytes: &[u8]) -> Option<String> {
    const ANYARRAY: Oid = 2277;
    if typid == ANYARRAY {
        return array::array_out(bytes);
    }
    match TYPES.iter().find(|ty| ty.oid == typid || ty.array == typid)? {
        ty if ty.oid == typid => (ty.output)(bytes),
        _ => array::array_out(bytes),
    }
}

/// A value that has exactly the bytes it needs.
pub fn exact<T: Wire>(bytes: &[u8]) -> Option<T> {
    (bytes.len() == T::SIZE).then(|| T::get(bytes))
}

/// The bytes in hexadecimal (`byteaout`).
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 + 2 * bytes.len());
    text.push_str("\\x");
    for nibble in bytes.iter().flat_map(|byte| [byte >> 4, byte & 0xF]) {
        text.push(char::from_digit(nibble.into(), 16).unwrap_or('?'));
    }
    text
}

fn number<T: Wire>(bytes: &[u8]) -> Option<String> {
    Some(exact::<T>(bytes)?.show())
}

fn bool_out(bytes: &[u8]) -> Option<String> {
    Some(if exact::<u8>(bytes)? == 0 { "f" } else { "t" }.to_string())
}

/// `charout` of 16 and later; earlier versions print a byte above 127 as it is.
fn char_out(bytes: &[u8]) -> Option<String> {
    Some(match exact::<u8>(bytes)? {
        0 => String::new(),
        byte if byte.is_ascii() => char::from(byte).to_string(),
        byte => format!("\\{byte:03o}"),
    })
}

/// Up to the first zero byte.
fn name_out(bytes: &[u8]) -> Option<String> {
    text_out(bytes.split(|byte| *byte == 0).next()?)
}

/// Text of a database in UTF-8; in another encoding only where it is ASCII.
pub fn text_out(bytes: &[u8]) -> Option<String> {
    core::str::from_utf8(bytes).ok().map(ToString::to_string)
}

fn uuid_out(bytes: &[u8]) -> Option<String> {
    let digits = hex(bytes);
    let part = |at: core::ops::Range<usize>| digits.get(2 + at.start..2 + at.end);
    let parts = [part(0..8)?, part(8..12)?, part(12..16)?, part(16..20)?, part(20..32)?];
    (bytes.len() == 16).then(|| parts.join("-"))
}
