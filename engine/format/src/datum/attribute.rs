//! A column as `pg_attribute` describes it: all that is needed to find its value in a tuple.

use super::SqlType;
use super::record::{RECORD, composite};
use crate::page::Oid;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// `typalign`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Align {
    /// 1 byte
    #[serde(rename = "c")]
    Char,
    /// 2 bytes
    #[serde(rename = "s")]
    Short,
    /// 4 bytes
    #[serde(rename = "i")]
    Int,
    /// 8 bytes
    #[serde(rename = "d")]
    Double,
}

impl Align {
    /// The multiple of bytes at which values begin.
    #[must_use]
    pub const fn bytes(self) -> u16 {
        match self {
            Self::Char => 1,
            Self::Short => 2,
            Self::Int => 4,
            Self::Double => 8,
        }
    }
}

/// A column of a table or of an index, in the order of `attnum`; dropped ones too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attribute {
    /// `attnum`, from 1
    pub num: u16,
    /// `attname`; `........pg.dropped.2........` for a dropped one
    pub name: String,
    /// `atttypid`, 0 when dropped
    pub typid: Oid,
    /// `format_type`, such as `character varying(20)`; empty when dropped
    #[serde(rename = "type")]
    pub type_name: String,
    /// `attlen`: bytes; -1 varlena, -2 cstring
    pub len: i16,
    /// `attalign`
    pub align: Align,
    /// of a domain: the type below it, through domains of domains
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Oid>,
    /// of an enum: its labels by `pg_enum.oid`, which is what is stored
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<Oid, String>,
    /// of a composite type: its columns, which is what is stored
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Attribute>,
    /// `attbyval`
    pub byval: bool,
    /// `attstorage`: p, e, m, x
    pub storage: char,
    /// `atttypmod`, -1 where the type has none
    #[serde(default = "no_typmod", skip_serializing_if = "is_no_typmod")]
    pub typmod: i32,
    /// `attnotnull`; recordings do not say it
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub not_null: bool,
    /// `attisdropped`
    #[serde(default)]
    pub dropped: bool,
    /// `attmissingval` of a column added later, as text: tuples that are older have this value
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

impl Attribute {
    /// Its type, as expressions know it: of a domain the one below it.
    #[must_use]
    pub const fn ty(&self) -> SqlType {
        let is_composite = !self.fields.is_empty() && self.typid != RECORD;
        let oid = match self.base {
            Some(base) if self.typid != UNKNOWN => base,
            _ if is_composite => composite(self.typid),
            _ => self.typid,
        };
        SqlType { oid, typmod: self.typmod }
    }

    /// Its domain, where its type is told as one.
    #[must_use]
    pub const fn domain(&self) -> Option<Oid> {
        if self.base.is_some() && self.typid != UNKNOWN { Some(self.typid) } else { None }
    }
}

/// `UNKNOWNOID`, of literals: read as text, though not of that type
const UNKNOWN: Oid = 705;

const fn no_typmod() -> i32 {
    -1
}

const fn is_no_typmod(typmod: &i32) -> bool {
    *typmod == -1
}
