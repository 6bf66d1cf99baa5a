//! The name of a type, as the grammar and `typenameType` (src/backend/parser/parse_type.c) take it.

use super::cursor::Parser;
use super::lex::Token;
use crate::sql::StatementError;
use crate::sql::ast::RangeVar;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;
use ffviz_format::datum::bits::{BIT, VARBIT};
use ffviz_format::datum::input::interval_fields;
use ffviz_format::datum::sql_type::Kind;
use ffviz_format::page::Oid;

/// Types that scripts make by their names, with their schemas and, those that are found so, without.
pub type TypeNames = Arc<[(RangeVar, TypeName)]>;

/// What the name of a type that a script makes stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeName {
    /// the type, of a domain that which it is over
    pub ty: SqlType,
    /// the domain
    pub domain: Option<Oid>,
}

/// Names in SQL, and `pg_type.oid`, of the types without parameters.
const PLAIN: &[(&str, Oid)] = &[
    ("boolean", 16),
    ("bool", 16),
    ("bytea", 17),
    ("bigint", 20),
    ("int8", 20),
    ("smallint", 21),
    ("int2", 21),
    ("integer", 23),
    ("int", 23),
    ("int4", 23),
    ("text", 25),
    ("oid", 26),
    ("tid", 27),
    ("xid", 28),
    ("cid", 29),
    ("json", 114),
    ("real", 700),
    ("float4", 700),
    ("double precision", 701),
    ("float8", 701),
    ("money", 790),
    ("inet", 869),
    ("date", 1082),
    ("timestamptz", 1184),
    ("timestamp with time zone", 1184),
    ("timestamp without time zone", 1114),
    ("timestamp", 1114),
    ("time without time zone", 1083),
    ("time", 1083),
    ("interval", 1186),
    ("uuid", 2950),
    ("jsonb", 3802),
    ("int4range", 3904),
    ("numrange", 3906),
    ("tsrange", 3908),
    ("tstzrange", 3910),
    ("daterange", 3912),
    ("int8range", 3926),
    ("regclass", 2205),
    ("regtype", 2206),
    ("regnamespace", 4089),
    ("regproc", 24),
    ("regprocedure", 2202),
    ("pg_lsn", 3220),
    ("xid8", 5069),
    ("name", 25),
];

const KNOWN: &str = "the simulator knows boolean, smallint, int, bigint, serial, real, double precision, numeric, text, \
     varchar, char, \"char\", bytea, uuid, bit, varbit, date, time, interval, timestamp, timestamptz, json, jsonb, inet, money, ranges, int[] and text[]";

/// Of a second.
const MOST_DIGITS: i32 = 6;

/// Why a column cannot have that type.
pub fn not_stored(ty: SqlType) -> String {
    format!("a column of type {} is not supported; store it as text", ty.name())
}

/// `typarray` of a type without a length.
fn array_of(element: SqlType) -> Option<SqlType> {
    let array = SqlType::plain(ffviz_format::datum::array_of(element.oid)?);
    (element.typmod == -1 && array.kind() == Kind::Array).then_some(array)
}

impl Parser {
    /// The name of a type.
    pub fn type_name(&mut self) -> Result<SqlType, StatementError> {
        let at = self.position();
        match self.maybe_type_name()? {
            Some(type_name) => Ok(type_name),
            None => {
                let found = match self.peek() {
                    Token::Word(name) | Token::Quoted(name) => name.clone(),
                    _ => return Err(self.refuse()),
                };
                Err(StatementError::unsupported(format!("type {found} is not supported; {KNOWN}"), Some(at)))
            }
        }
    }

    /// The type of a column.
    pub fn column_type(&mut self) -> Result<SqlType, StatementError> {
        let at = self.position();
        // elsewhere a value of name is a text
        if self.is_word("name") {
            return Err(StatementError::unsupported(
                "a column of type name is not supported; store it as text",
                Some(at),
            ));
        }
        let ty = self.type_name()?;
        if ty.is_stored() { Ok(ty) } else { Err(StatementError::unsupported(not_stored(ty), Some(at))) }
    }

    /// The name of a type, or nothing when something else comes next.
    pub fn maybe_type_name(&mut self) -> Result<Option<SqlType>, StatementError> {
        let mark = self.mark();
        let Some(element) = self.element_type()? else { return Ok(None) };
        if !self.eat_op("[") {
            return Ok(Some(element));
        }
        // neither how many dimensions there are nor their lengths is kept (`opt_array_bounds` of gram.y)
        loop {
            if let Token::Number(_) = self.peek() {
                self.step();
            }
            self.expect_op("]")?;
            if !self.eat_op("[") {
                break;
            }
        }
        match array_of(element) {
            Some(array) => Ok(Some(array)),
            None => {
                self.back_to(mark);
                let message = format!("an array of this type is not supported; {KNOWN}");
                Err(StatementError::unsupported(message, Some(self.position())))
            }
        }
    }

    /// The name of a type that is no array.
    pub(super) fn element_type(&mut self) -> Result<Option<SqlType>, StatementError> {
        if *self.peek() == Token::Quoted("char".to_string()) {
            self.step();
            return Ok(Some(SqlType { oid: 18, typmod: -1 }));
        }
        if let Some(bits) = self.bits()? {
            return Ok(Some(bits));
        }
        for (words, oid) in PLAIN {
            if self.eat(words) {
                let ty = SqlType { oid: *oid, typmod: -1 };
                let takes = matches!(ty.kind(), Kind::Time | Kind::Timestamp | Kind::TimestampTz | Kind::Interval);
                if ty.kind() == Kind::Interval && !self.is_op("(") {
                    return Ok(Some(SqlType { typmod: self.interval_fields()?, ..ty }));
                }
                return if takes && self.is_op("(") { self.with_precision(ty).map(Some) } else { Ok(Some(ty)) };
            }
        }
        if self.eat("float") {
            return self.float().map(Some);
        }
        if self.eat("numeric") || self.eat("decimal") || self.eat("dec") {
            return self.numeric().map(Some);
        }
        if self.eat("varchar") || self.eat("character varying") || self.eat("char varying") {
            return Ok(Some(SqlType { oid: 1043, typmod: self.length()?.map_or(-1, |length| length + 4) }));
        }
        if self.eat("bpchar") {
            return Ok(Some(SqlType { oid: 1042, typmod: self.length()?.map_or(-1, |length| length + 4) }));
        }
        if self.eat("character") || self.eat("char") {
            return Ok(Some(SqlType { oid: 1042, typmod: self.length()?.unwrap_or(1) + 4 }));
        }
        let mark = self.mark();
        match self.named_type() {
            Some(TypeName { domain: Some(_), .. }) => {
                self.back_to(mark);
                Err(self.unsupported("a domain other than as the type of a column or of a cast"))
            }
            named => Ok(named.map(|named| named.ty)),
        }
    }

    /// `opt_interval`: which fields an interval has, as its modifier; -1 where nothing is said.
    pub(super) fn interval_fields(&mut self) -> Result<i32, StatementError> {
        const TO: &[(&str, &[&str])] = &[
            ("year", &["month"]),
            ("month", &[]),
            ("day", &["hour", "minute", "second"]),
            ("hour", &["minute", "second"]),
            ("minute", &["second"]),
            ("second", &[]),
        ];
        let Some((first, to)) = TO.iter().find(|(word, _)| self.is_word(word)) else { return Ok(-1) };
        self.step();
        let mut last = *first;
        if !to.is_empty() && self.eat("to") {
            last = to.iter().find(|word| self.is_word(word)).ok_or_else(|| self.refuse())?;
            self.step();
        }
        let at = self.position();
        let mut precision = None;
        if last == "second" && self.eat_op("(") {
            let digits = self.integer()?;
            self.expect_op(")")?;
            precision = i32::try_from(digits).ok().filter(|digits| *digits <= MOST_DIGITS);
            if precision.is_none() {
                let message = format!("more than {MOST_DIGITS} digits of a second are not supported");
                return Err(StatementError::unsupported(message, Some(at)));
            }
        }
        Ok(interval_fields(first, last, precision))
    }

    /// `bit(n)`, `bit varying(n)`, `varbit(n)` (`anybit_typmodin`); bit alone is bit(1).
    fn bits(&mut self) -> Result<Option<SqlType>, StatementError> {
        let at = self.position();
        let ty = match self.eat("bit varying") || self.eat("varbit") {
            true => SqlType::plain(VARBIT),
            false if self.eat("bit") => SqlType { oid: BIT, typmod: 1 },
            false => return Ok(None),
        };
        let modifiers = self.maybe_in_parens(Self::integer)?;
        let modifiers: Vec<i32> = modifiers.into_iter().map(|n| i32::try_from(n).unwrap_or(i32::MAX)).collect();
        ty.with_modifiers(&modifiers).map(Some).map_err(|error| StatementError::from(error).at(at))
    }

    /// `timestamp(p) with time zone` and its like, behind the first word.
    fn with_precision(&mut self, ty: SqlType) -> Result<SqlType, StatementError> {
        let at = self.position();
        self.expect_op("(")?;
        let digits = i32::try_from(self.integer()?).unwrap_or(i32::MAX);
        self.expect_op(")")?;
        if digits > MOST_DIGITS {
            let message = format!("more than {MOST_DIGITS} digits of a second are not supported");
            return Err(StatementError::unsupported(message, Some(at)));
        }
        let is_short = matches!(ty.kind(), Kind::Interval | Kind::TimestampTz);
        let ty = match ty.kind() {
            _ if is_short || self.eat("without time zone") => ty,
            Kind::Timestamp if self.eat("with time zone") => SqlType { oid: 1184, ..ty },
            Kind::Time if self.is_word("with") => return Err(self.unsupported("time with time zone")),
            _ => ty,
        };
        ty.with_modifiers(&[digits]).map_err(|error| StatementError::from(error).at(at))
    }

    /// The name of a domain, where that comes next: the type that it is over, and its OID.
    pub fn domain(&mut self) -> Result<Option<(SqlType, Oid)>, StatementError> {
        let mark = self.mark();
        let found = self.named_type();
        let Some((ty, domain)) = found.and_then(|named| Some((named.ty, named.domain?))) else {
            self.back_to(mark);
            return Ok(None);
        };
        if self.is_op("[") {
            return Err(self.unsupported("an array of a domain"));
        }
        Ok(Some((ty, domain)))
    }

    /// The name of a type that a script has made, where that comes next.
    fn named_type(&mut self) -> Option<TypeName> {
        if self.types.is_empty() {
            return None;
        }
        let mark = self.mark();
        let found = self.range_var().ok().and_then(|name| self.types.iter().find(|(known, _)| *known == name));
        let named = found.map(|(_, named)| *named);
        if named.is_none() {
            self.back_to(mark);
        }
        named
    }

    /// `(n)` of varchar and char.
    fn length(&mut self) -> Result<Option<i32>, StatementError> {
        if !self.eat_op("(") {
            return Ok(None);
        }
        let length = self.integer()?;
        self.expect_op(")")?;
        match i32::try_from(length) {
            Ok(length @ 1..=10_485_760) => Ok(Some(length)),
            Ok(..=0) => Err(StatementError::server("22023", "length for type varchar must be at least 1")),
            _ => Err(StatementError::server("22023", "length for type varchar cannot exceed 10485760")),
        }
    }

    /// `float(n)`: n bits decide between float4 and float8.
    fn float(&mut self) -> Result<SqlType, StatementError> {
        let bits = if self.eat_op("(") {
            let bits = self.integer()?;
            self.expect_op(")")?;
            bits
        } else {
            53
        };
        match bits {
            1..=24 => Ok(SqlType { oid: 700, typmod: -1 }),
            25..=53 => Ok(SqlType { oid: 701, typmod: -1 }),
            ..=0 => Err(StatementError::server("22023", "precision for type float must be at least 1 bit")),
            _ => Err(StatementError::server("22023", "precision for type float must be less than 54 bits")),
        }
    }

    /// `numeric(precision, scale)`: `make_numeric_typmod`.
    fn numeric(&mut self) -> Result<SqlType, StatementError> {
        let parameters = self.maybe_in_parens(Self::integer)?;
        let (precision, scale) = match parameters[..] {
            [] => return Ok(SqlType { oid: 1700, typmod: -1 }),
            [precision] => (precision, 0),
            [precision, scale] => (precision, scale),
            _ => return Err(StatementError::server("22023", "invalid NUMERIC type modifier")),
        };
        if !(1..=1000).contains(&precision) {
            return Err(StatementError::server(
                "22023",
                format!("NUMERIC precision {precision} must be between 1 and 1000"),
            ));
        }
        if !(-1000..=1000).contains(&scale) {
            return Err(StatementError::server(
                "22023",
                format!("NUMERIC scale {scale} must be between -1000 and 1000"),
            ));
        }
        Ok(SqlType { oid: 1700, typmod: ((precision as i32) << 16 | (scale as i32 & 0x7ff)) + 4 })
    }
}
