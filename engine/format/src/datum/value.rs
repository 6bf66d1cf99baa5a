//! A typed SQL value in memory, PostgreSQL's `Datum` with its type.
//!
//! ```text
//! page bytes ──TupleDesc──▶ Value ──FormedTuple──▶ page bytes
//! text ──input──▶ Value ──output──▶ text
//! ```
//!
//! Values of variable length keep the bytes that the page has after the varlena header, few in place, many behind a
//! counted pointer.

use super::bytes::Bytes;
use super::record::Record;
use super::sql_type::Kind;
use super::varlena::{Compression, VARHDRSZ_COMPRESSED};
use super::{TupleDesc, enums, pglz, types};
use crate::page::layout::Wire;
use crate::page::{ItemPointer, Oid};
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// `Interval`: months and days are kept apart from the time, since their lengths differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Interval {
    /// microseconds
    pub time: i64,
    /// days
    pub day: i32,
    /// months
    pub month: i32,
}

/// An SQL value, or NULL.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// NULL
    Null,
    /// boolean
    Bool(bool),
    /// smallint
    Int2(i16),
    /// integer
    Int4(i32),
    /// bigint
    Int8(i64),
    /// real
    Float4(f32),
    /// double precision
    Float8(f64),
    /// numeric, as stored: header word, then digits of base 10000
    Numeric(Bytes),
    /// text, varchar, char(n) with its blanks, json
    Text(Bytes),
    /// "char"
    Char(u8),
    /// bytea, and bytes of a type that nothing is known of
    Bytea(Bytes),
    /// uuid
    Uuid([u8; 16]),
    /// days since 2000-01-01
    Date(i32),
    /// microseconds since midnight
    Time(i64),
    /// interval
    Interval(Interval),
    /// microseconds since 2000-01-01
    Timestamp(i64),
    /// microseconds since 2000-01-01 UTC
    TimestampTz(i64),
    /// jsonb, as stored
    Jsonb(Bytes),
    /// inet, as stored: family, netmask bits, address
    Inet(Bytes),
    /// oid, xid, cid
    Oid(Oid),
    /// tid
    Tid(ItemPointer),
    /// an array, as stored (`ArrayType`)
    Array(Bytes),
    /// a range, as stored (`RangeType`)
    Range(Bytes),
    /// bits, as stored (`VarBit`)
    Bit(Bytes),
    /// a row
    Record(Arc<Record>),
    /// a varlena with its header as it stands on a page: compressed, or a pointer to the TOAST table, or with a short
    /// header in a column of storage plain. It is written as it is.
    Stored(Bytes),
}

impl Value {
    /// Text of these characters.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::Text(text.as_bytes().into())
    }

    /// The number that a smallint, int or bigint is.
    #[must_use]
    pub fn integer(&self) -> Option<i64> {
        match self {
            Self::Int2(number) => Some(i64::from(*number)),
            Self::Int4(number) => Some(i64::from(*number)),
            Self::Int8(number) => Some(*number),
            _ => None,
        }
    }

    /// Becomes the other: in its place, where that is easy.
    #[inline]
    pub fn copy(&mut self, other: &Self) {
        match (self, other) {
            (Self::Int4(number), Self::Int4(other)) => *number = *other,
            (Self::Int8(number), Self::Int8(other)) => *number = *other,
            (value, other) => value.copy_any(other),
        }
    }

    fn copy_any(&mut self, other: &Self) {
        match (self, other) {
            (Self::Text(bytes), Self::Text(other)) | (Self::Numeric(bytes), Self::Numeric(other)) => bytes.copy(other),
            (value, other) => value.clone_from(other),
        }
    }

    /// Is it NULL?
    #[must_use]
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The value that has these bytes on a page, those of a varlena without its header; NULL for bytes that no such
    /// value has.
    #[must_use]
    #[inline]
    pub fn from_stored(kind: Kind, bytes: &[u8]) -> Self {
        if kind.fixed_len().is_some_and(|len| len != bytes.len()) {
            return Self::Null;
        }
        match kind {
            Kind::Bool => Self::Bool(bytes[0] != 0),
            Kind::Char => Self::Char(bytes[0]),
            Kind::Int2 => Self::Int2(i16::get(bytes)),
            Kind::Int4 => Self::Int4(i32::get(bytes)),
            Kind::Int8 => Self::Int8(i64::get(bytes)),
            Kind::Oid => Self::Oid(u32::get(bytes)),
            Kind::Tid => Self::Tid(ItemPointer::get(bytes)),
            Kind::Float4 => Self::Float4(f32::from_bits(u32::get(bytes))),
            Kind::Float8 => Self::Float8(f64::get(bytes)),
            Kind::Uuid => Self::Uuid(<[u8; 16]>::get(bytes)),
            Kind::Date => Self::Date(i32::get(bytes)),
            Kind::Time => Self::Time(i64::get(bytes)),
            Kind::Timestamp => Self::Timestamp(i64::get(bytes)),
            Kind::TimestampTz => Self::TimestampTz(i64::get(bytes)),
            Kind::Interval => Self::Interval(Interval {
                time: i64::get(bytes),
                day: i32::get(&bytes[8..]),
                month: i32::get(&bytes[12..]),
            }),
            Kind::Numeric => Self::Numeric(bytes.into()),
            Kind::Text | Kind::BpChar => Self::Text(bytes.into()),
            Kind::Bytea | Kind::Other => Self::Bytea(bytes.into()),
            Kind::Jsonb => Self::Jsonb(bytes.into()),
            Kind::Inet => Self::Inet(bytes.into()),
            Kind::Array => Self::Array(bytes.into()),
            Kind::Range => Self::Range(bytes.into()),
            Kind::Bit => Self::Bit(bytes.into()),
            Kind::Record => Self::Record(Arc::new(Record::stored(Arc::new(TupleDesc::new(Vec::new())), bytes))),
        }
    }

    /// Reads [`Self::from_stored`] in place of another value: what has as many bytes as a value of its kind may take
    /// its memory.
    #[inline]
    pub(super) fn read_stored(&mut self, kind: Kind, bytes: &[u8]) {
        match (kind, &mut *self) {
            (Kind::Text | Kind::BpChar, Self::Text(memory))
            | (Kind::Numeric, Self::Numeric(memory))
            | (Kind::Bytea | Kind::Other, Self::Bytea(memory))
            | (Kind::Jsonb, Self::Jsonb(memory))
            | (Kind::Inet, Self::Inet(memory))
            | (Kind::Array, Self::Array(memory))
            | (Kind::Range, Self::Range(memory))
            | (Kind::Bit, Self::Bit(memory)) => memory.replace(bytes),
            _ => *self = Self::from_stored(kind, bytes),
        }
    }

    /// Appends the bytes that a page has of it, those of a varlena without its header; of [`Value::Stored`] all, of
    /// NULL none.
    pub fn store(&self, out: &mut Vec<u8>) {
        self.put(|piece| out.extend_from_slice(piece));
    }

    /// Gives out the same bytes, piece by piece.
    #[inline]
    pub(super) fn put(&self, mut out: impl FnMut(&[u8])) {
        match self {
            Self::Null => {}
            Self::Bool(value) => out(&[u8::from(*value)]),
            Self::Char(value) => out(&[*value]),
            Self::Int2(value) => out(&value.to_le_bytes()),
            Self::Int4(value) | Self::Date(value) => out(&value.to_le_bytes()),
            Self::Oid(value) => out(&value.to_le_bytes()),
            Self::Tid(value) => {
                let mut bytes = [0; ItemPointer::SIZE];
                value.set(&mut bytes);
                out(&bytes);
            }
            Self::Int8(value) | Self::Time(value) | Self::Timestamp(value) | Self::TimestampTz(value) => {
                out(&value.to_le_bytes());
            }
            Self::Float4(value) => out(&value.to_le_bytes()),
            Self::Float8(value) => out(&value.to_le_bytes()),
            Self::Uuid(value) => out(value),
            Self::Interval(Interval { time, day, month }) => {
                out(&time.to_le_bytes());
                out(&day.to_le_bytes());
                out(&month.to_le_bytes());
            }
            Self::Numeric(bytes) | Self::Text(bytes) | Self::Bytea(bytes) => out(bytes),
            Self::Jsonb(bytes) | Self::Inet(bytes) | Self::Array(bytes) => out(bytes),
            Self::Range(bytes) | Self::Bit(bytes) | Self::Stored(bytes) => out(bytes),
            Self::Record(record) => out(record.bytes()),
        }
    }

    /// The bytes of a value of variable length, where it is one.
    #[must_use]
    pub fn bytes(&self) -> Option<&Bytes> {
        match self {
            Self::Numeric(bytes) | Self::Text(bytes) | Self::Bytea(bytes) => Some(bytes),
            Self::Jsonb(bytes) | Self::Inet(bytes) | Self::Array(bytes) => Some(bytes),
            Self::Range(bytes) | Self::Bit(bytes) | Self::Stored(bytes) => Some(bytes),
            Self::Record(record) => Some(record.bytes()),
            _ => None,
        }
    }

    /// The bytes of a varlena that is neither compressed nor out of line, without its header.
    #[must_use]
    pub fn plain_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Stored(bytes) => match bytes.first()? {
                0x01 => None,
                first if first & 1 == 1 => bytes.get(1..),
                first if first & 3 == 0 => bytes.get(4..),
                _ => None,
            },
            _ => self.bytes().map(|bytes| &bytes[..]),
        }
    }

    /// The value itself where it is stored otherwise: without its header, decompressed (`pg_detoast_datum`). `None`
    /// where it is in the TOAST table, or damaged.
    #[must_use]
    pub fn detoasted(&self, kind: Kind) -> Option<Self> {
        let Self::Stored(bytes) = self else { return Some(self.clone()) };
        if let Some(plain) = self.plain_bytes() {
            return Some(Self::from_stored(kind, plain));
        }
        let how = Compression(u32::get(bytes.get(4..VARHDRSZ_COMPRESSED)?));
        let is_ours = bytes.first()? & 3 == 2 && how.is_pglz();
        let raw = is_ours.then(|| pglz::decompress(&bytes[VARHDRSZ_COMPRESSED..], how.rawsize()))??;
        Some(Self::from_stored(kind, &raw))
    }

    /// As messages quote it: NULL as `null`.
    #[must_use]
    pub fn described(&self, typid: Oid) -> String {
        let plain = self.detoasted(Kind::of(typid));
        plain.and_then(|value| value.output(typid)).unwrap_or_else(|| String::from("null"))
    }

    /// `datumIsEqual`: the same bytes, stored alike; what decides whether an UPDATE changed a column. So a compressed
    /// value differs from the same one uncompressed, -0 from 0, and one NaN from another of other bits.
    #[must_use]
    pub fn is_identical(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Float4(a), Self::Float4(b)) => a.to_bits() == b.to_bits(),
            (Self::Float8(a), Self::Float8(b)) => a.to_bits() == b.to_bits(),
            _ => self == other,
        }
    }

    /// The value as the output function of the type prints it, of an enum as a mark ([`enums::mark`]); `None` for NULL,
    /// and for what is stored elsewhere.
    #[must_use]
    pub fn output(&self, typid: Oid) -> Option<String> {
        if let Self::Text(bytes) = self {
            return Some(String::from_utf8_lossy(bytes).to_string());
        }
        if self.is_null() || matches!(self, Self::Stored(_)) {
            return None;
        }
        if let Self::Record(record) = self {
            return Some(record.output());
        }
        if let Self::Oid(label) = self
            && enums::is_enum(typid)
        {
            return Some(enums::mark(*label));
        }
        let mut bytes = Vec::new();
        self.store(&mut bytes);
        types::output(typid, &bytes)
    }
}
