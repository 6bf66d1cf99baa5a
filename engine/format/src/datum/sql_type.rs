//! The types of SQL that a table of the simulator can have: names, lengths and storage, as `pg_type` has them, and what
//! `format_type` (src/backend/utils/adt/format_type.c) prints for a type with its modifier.

use super::enums::{self, is_enum};
use super::error::{Result, SqlError};
use super::record::{is_composite, is_row, type_oid};
use super::{Align, Attribute, bits, numeric, types};
use crate::page::Oid;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A type with its modifier, as a column or an expression has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SqlType {
    /// `pg_type.oid`
    pub oid: Oid,
    /// `atttypmod`: -1 none; of varchar(n) and char(n) n + 4; of numeric(p, s) both; of time and timestamp the
    /// precision
    pub typmod: i32,
}

/// How the bytes of a type are read: one for all types that are read alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// boolean
    Bool,
    /// "char"
    Char,
    /// smallint
    Int2,
    /// integer
    Int4,
    /// bigint
    Int8,
    /// oid, xid, cid; of an enum the OID of a label
    Oid,
    /// tid
    Tid,
    /// real
    Float4,
    /// double precision
    Float8,
    /// numeric
    Numeric,
    /// text, varchar, json
    Text,
    /// char(n)
    BpChar,
    /// bytea
    Bytea,
    /// uuid
    Uuid,
    /// date
    Date,
    /// time
    Time,
    /// interval
    Interval,
    /// timestamp
    Timestamp,
    /// timestamptz
    TimestampTz,
    /// jsonb
    Jsonb,
    /// inet
    Inet,
    /// an array
    Array,
    /// a range
    Range,
    /// bit, bit varying
    Bit,
    /// a row
    Record,
    /// a type that only its bytes are known of
    Other,
}

impl Kind {
    /// How values of the type are read.
    #[must_use]
    pub fn of(oid: Oid) -> Self {
        if is_enum(oid) {
            return Self::Oid;
        }
        if is_row(oid) {
            return Self::Record;
        }
        let known = NAMES.iter().find(|row| row.oid == oid);
        known.map_or(Self::Other, |row| row.kind)
    }

    /// Bytes of a type of fixed length; `None` of a varlena, and of a type that nothing is known of.
    #[must_use]
    pub const fn fixed_len(self) -> Option<usize> {
        match self {
            Self::Bool | Self::Char => Some(1),
            Self::Int2 => Some(2),
            Self::Int4 | Self::Oid | Self::Float4 | Self::Date => Some(4),
            Self::Tid => Some(6),
            Self::Int8 | Self::Float8 | Self::Time | Self::Timestamp | Self::TimestampTz => Some(8),
            Self::Uuid | Self::Interval => Some(16),
            _ => None,
        }
    }
}

/// What is known of a type beside [`types::Type`].
struct Name {
    oid: Oid,
    kind: Kind,
    /// `typstorage`
    storage: char,
    /// as `format_type` prints it
    name: &'static str,
    /// further names in SQL
    aliases: &'static [&'static str],
}

const fn n(oid: Oid, kind: Kind, storage: char, name: &'static str, aliases: &'static [&'static str]) -> Name {
    Name { oid, kind, storage, name, aliases }
}

const NAMES: &[Name] = &[
    n(23, Kind::Int4, 'p', "integer", &["int", "int4"]),
    n(20, Kind::Int8, 'p', "bigint", &["int8"]),
    n(25, Kind::Text, 'x', "text", &[]),
    n(16, Kind::Bool, 'p', "boolean", &["bool"]),
    n(17, Kind::Bytea, 'x', "bytea", &[]),
    n(18, Kind::Char, 'p', "\"char\"", &[]),
    n(21, Kind::Int2, 'p', "smallint", &["int2"]),
    n(26, Kind::Oid, 'p', "oid", &[]),
    n(27, Kind::Tid, 'p', "tid", &[]),
    n(28, Kind::Oid, 'p', "xid", &[]),
    n(29, Kind::Oid, 'p', "cid", &[]),
    n(114, Kind::Text, 'x', "json", &[]),
    n(700, Kind::Float4, 'p', "real", &["float4"]),
    n(701, Kind::Float8, 'p', "double precision", &["float8", "float"]),
    n(790, Kind::Int8, 'p', "money", &[]),
    n(869, Kind::Inet, 'm', "inet", &[]),
    n(1042, Kind::BpChar, 'x', "character", &["char", "bpchar"]),
    n(1043, Kind::Text, 'x', "character varying", &["varchar"]),
    n(1082, Kind::Date, 'p', "date", &[]),
    n(1083, Kind::Time, 'p', "time without time zone", &["time"]),
    n(1114, Kind::Timestamp, 'p', "timestamp without time zone", &["timestamp"]),
    n(1184, Kind::TimestampTz, 'p', "timestamp with time zone", &["timestamptz"]),
    n(1186, Kind::Interval, 'p', "interval", &[]),
    n(1560, Kind::Bit, 'x', "bit", &[]),
    n(1562, Kind::Bit, 'x', "bit varying", &["varbit"]),
    n(1700, Kind::Numeric, 'm', "numeric", &["decimal"]),
    n(2950, Kind::Uuid, 'p', "uuid", &[]),
    n(3802, Kind::Jsonb, 'x', "jsonb", &[]),
    n(1007, Kind::Array, 'x', "integer[]", &["int[]", "int4[]"]),
    n(1009, Kind::Array, 'x', "text[]", &[]),
    n(1000, Kind::Array, 'x', "boolean[]", &["bool[]"]),
    n(1005, Kind::Array, 'x', "smallint[]", &["int2[]"]),
    n(1010, Kind::Array, 'x', "tid[]", &[]),
    n(1015, Kind::Array, 'x', "character varying[]", &["varchar[]"]),
    n(1016, Kind::Array, 'x', "bigint[]", &["int8[]"]),
    n(1021, Kind::Array, 'x', "real[]", &["float4[]"]),
    n(1022, Kind::Array, 'x', "double precision[]", &["float8[]"]),
    n(1028, Kind::Array, 'x', "oid[]", &[]),
    n(1182, Kind::Array, 'x', "date[]", &[]),
    n(1115, Kind::Array, 'x', "timestamp without time zone[]", &["timestamp[]"]),
    n(1185, Kind::Array, 'x', "timestamp with time zone[]", &["timestamptz[]"]),
    n(1187, Kind::Array, 'x', "interval[]", &[]),
    n(3807, Kind::Array, 'x', "jsonb[]", &[]),
    n(1231, Kind::Array, 'x', "numeric[]", &[]),
    n(1561, Kind::Array, 'x', "bit[]", &[]),
    n(1563, Kind::Array, 'x', "bit varying[]", &["varbit[]"]),
    n(2951, Kind::Array, 'x', "uuid[]", &[]),
    n(3904, Kind::Range, 'x', "int4range", &[]),
    n(3906, Kind::Range, 'x', "numrange", &[]),
    n(3908, Kind::Range, 'x', "tsrange", &[]),
    n(3910, Kind::Range, 'x', "tstzrange", &[]),
    n(3912, Kind::Range, 'x', "daterange", &[]),
    n(3926, Kind::Range, 'x', "int8range", &[]),
    n(2205, Kind::Oid, 'p', "regclass", &[]),
    n(2206, Kind::Oid, 'p', "regtype", &[]),
    n(24, Kind::Oid, 'p', "regproc", &[]),
    n(2202, Kind::Oid, 'p', "regprocedure", &[]),
    n(4089, Kind::Oid, 'p', "regnamespace", &[]),
    n(3220, Kind::Int8, 'p', "pg_lsn", &[]),
    n(5069, Kind::Int8, 'p', "xid8", &[]),
    n(2249, Kind::Record, 'x', "record", &[]),
    n(2287, Kind::Record, 'x', "record[]", &[]),
];

/// All fields of an interval, as its modifier says it in the high half.
const INTERVAL_FULL_RANGE: i32 = 0x7FFF;
/// `VARHDRSZ`, which the modifiers of varchar, char and numeric have added.
pub(super) const VARHDRSZ: i32 = super::varlena::VARHDRSZ as i32;

impl SqlType {
    /// integer
    pub const INT4: Self = Self::plain(23);
    /// bigint
    pub const INT8: Self = Self::plain(20);
    /// smallint
    pub const INT2: Self = Self::plain(21);
    /// boolean
    pub const BOOL: Self = Self::plain(16);
    /// text
    pub const TEXT: Self = Self::plain(25);
    /// numeric without precision
    pub const NUMERIC: Self = Self::plain(1700);
    /// tid
    pub const TID: Self = Self::plain(27);
    /// xid
    pub const XID: Self = Self::plain(28);
    /// cid
    pub const CID: Self = Self::plain(29);
    /// oid
    pub const OID: Self = Self::plain(26);
    /// double precision
    pub const FLOAT8: Self = Self::plain(701);

    /// The type without a modifier.
    #[must_use]
    pub const fn plain(oid: Oid) -> Self {
        Self { oid, typmod: -1 }
    }

    /// The type of that name in SQL, in small letters; `None` for a type that there is not.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let row = NAMES.iter().find(|row| row.name == name || row.aliases.contains(&name))?;
        // a bare char is char(1), a bare bit bit(1)
        let typmod = match name {
            "char" | "character" => 1 + VARHDRSZ,
            "bit" => 1,
            _ => -1,
        };
        Some(Self { oid: row.oid, typmod })
    }

    /// The type with what stands in parentheses after it: varchar(n), char(n), numeric(p, s), timestamp(p)
    /// (`varchartypmodin` and its like).
    ///
    /// # Errors
    /// Where the type has no such modifiers, or not these.
    pub fn with_modifiers(self, modifiers: &[i32]) -> Result<Self> {
        let invalid = |message: String| SqlError::new("22023", message);
        let typmod = match (self.kind(), modifiers) {
            (_, []) => self.typmod,
            (kind @ (Kind::Text | Kind::BpChar), [length]) if self.oid != 25 && self.oid != 114 => {
                const MAX: i32 = 10_485_760;
                let name = if kind == Kind::Text { "varchar" } else { "char" };
                match length {
                    ..1 => return Err(invalid(format!("length for type {name} must be at least 1"))),
                    1..=MAX => length + VARHDRSZ,
                    _ => return Err(invalid(format!("length for type {name} cannot exceed {MAX}"))),
                }
            }
            (Kind::Bit, modifiers) => bits::typmod(self.oid, modifiers)?,
            (Kind::Numeric, [precision @ 1..=1000]) => (precision << 16) + VARHDRSZ,
            (Kind::Numeric, [precision @ 1..=1000, scale @ -1000..=1000]) => {
                (precision << 16 | (scale & 0x7FF)) + VARHDRSZ
            }
            (Kind::Numeric, [1..=1000, scale]) => {
                return Err(invalid(format!("NUMERIC scale {scale} must be between -1000 and 1000")));
            }
            (Kind::Numeric, [precision] | [precision, _]) => {
                return Err(invalid(format!("NUMERIC precision {precision} must be between 1 and 1000")));
            }
            // more digits of a second than there are count as all
            (Kind::Time | Kind::Timestamp | Kind::TimestampTz, [precision @ 0..=i32::MAX]) => (*precision).min(6),
            (Kind::Interval, [precision @ 0..=i32::MAX]) => INTERVAL_FULL_RANGE << 16 | (*precision).min(6),
            (Kind::Numeric | Kind::Time | Kind::Timestamp | Kind::TimestampTz | Kind::Interval, _) => {
                return Err(invalid("invalid type modifier".to_string()));
            }
            _ => {
                let message = format!("type modifier is not allowed for type \"{}\"", self.name());
                return Err(SqlError::new("42601", message));
            }
        };
        Ok(Self { typmod, ..self })
    }

    /// How its values are read.
    #[must_use]
    pub fn kind(self) -> Kind {
        Kind::of(self.oid)
    }

    /// `typlen`: bytes, or -1 for a varlena.
    #[must_use]
    pub fn typlen(self) -> i16 {
        types::find(self.oid).map_or(-1, |ty| ty.len)
    }

    /// `typalign`
    #[must_use]
    pub fn align(self) -> Align {
        // an array has its elements', but no less than an integer's
        let of_elements = || types::element(self.oid).map(|element| Self::plain(element).align());
        let is_double = || is_row(self.oid) || of_elements() == Some(Align::Double);
        types::find(self.oid).map_or_else(|| if is_double() { Align::Double } else { Align::Int }, |ty| ty.align)
    }

    /// `typstorage`: p, e, m, x
    #[must_use]
    pub fn storage(self) -> char {
        let known = NAMES.iter().find(|row| row.oid == self.oid);
        known.map_or(if is_enum(self.oid) { 'p' } else { 'x' }, |row| row.storage)
    }

    /// `typbyval`: is it passed by value, as what fits into 8 bytes is?
    #[must_use]
    pub fn byval(self) -> bool {
        matches!(self.typlen(), 1 | 2 | 4 | 8)
    }

    /// Can a column have it? Types of system columns are of expressions only.
    #[must_use]
    pub const fn is_stored(self) -> bool {
        !matches!(self.oid, 24 | 28 | 29 | 2202 | 2206 | 2249 | 4089)
    }

    /// `format_type(oid, typmod)`; a mark of an enum or a composite type ([`enums::mark`]).
    #[must_use]
    pub fn name(self) -> String {
        if is_enum(self.oid) || is_composite(self.oid) {
            return enums::mark(self.oid);
        }
        let Some(row) = NAMES.iter().find(|row| row.oid == self.oid) else { return "???".to_string() };
        match row.kind {
            Kind::BpChar if self.typmod < 0 => "bpchar".to_string(),
            Kind::Bit if self.typmod < 0 && self.oid == bits::BIT => "\"bit\"".to_string(),
            _ if self.typmod < 0 => row.name.to_string(),
            Kind::Bit => format!("{}({})", row.name, self.typmod),
            Kind::Text | Kind::BpChar => format!("{}({})", row.name, self.typmod - VARHDRSZ),
            Kind::Time | Kind::Timestamp | Kind::TimestampTz => {
                let (word, rest) = row.name.split_once(' ').unwrap_or((row.name, ""));
                format!("{word}({}) {rest}", self.typmod)
            }
            Kind::Interval => format!("interval{}", super::input::interval_fields_out(self.typmod)),
            Kind::Numeric => {
                let (precision, scale) = numeric::precision_and_scale(self.typmod).unwrap_or_default();
                format!("numeric({precision},{scale})")
            }
            _ => row.name.to_string(),
        }
    }

    /// A column of the type, as CREATE TABLE makes it.
    #[must_use]
    pub fn attribute(self, num: u16, name: &str) -> Attribute {
        Attribute {
            num,
            name: name.to_string(),
            typid: type_oid(self.oid),
            type_name: self.name(),
            len: self.typlen(),
            align: self.align(),
            base: None,
            labels: BTreeMap::new(),
            fields: Vec::new(),
            byval: self.byval(),
            storage: self.storage(),
            typmod: self.typmod,
            not_null: false,
            dropped: false,
            missing: None,
        }
    }
}
