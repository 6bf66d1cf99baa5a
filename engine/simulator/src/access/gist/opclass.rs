//! Operator classes: what a key is on a page and which operators it answers (`range_ops`,
//! src/backend/utils/adt/rangetypes_gist.c; `gist_int4_ops` and its like, contrib/btree_gist).
//!
//! ```text
//!  range_ops       the range itself
//!  gist_int4_ops   05 00 00 00 05 00 00 00      lower and upper bound, on a leaf the same
//!  gist_text_ops   ├ header ┤ header of the text, 4 bytes ┤ the text ┤
//! ```

use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::compare::comparator_of;
use ffviz_format::datum::range::{Range, range_subtype};
use ffviz_format::datum::sql_type::{Kind, SqlType};
use ffviz_format::datum::varlena::VARHDRSZ;
use ffviz_format::datum::{Align, Attribute, Value};
use ffviz_format::page::Oid;
use ffviz_format::page::layout::Wire;

/// An operator class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GistClass {
    /// `range_ops`
    Range,
    /// of btree_gist, of a type of fixed length
    Fixed(Kind),
    /// of btree_gist, of text
    Varlena(Kind),
}

/// What is known of the default operator class of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefaultClass {
    /// it is this one
    Known(GistClass),
    /// the type has none
    None,
    /// it has one that is not simulated
    Unknown,
}

/// An operator that an index answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GistOp {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>=`
    GreaterEqual,
    /// `>`
    Greater,
    /// `&&`
    Overlaps,
    /// `@>` of a range
    Contains,
    /// `@>` of a value
    ContainsElement,
    /// `<@`
    ContainedBy,
    /// `<<`
    Before,
    /// `>>`
    After,
    /// `&<`
    Overleft,
    /// `&>`
    Overright,
    /// `-|-`
    Adjacent,
}

impl GistClass {
    /// The default operator class of a type; `has_btree_gist`: is that extension there?
    #[must_use]
    pub fn of(ty: Oid, has_btree_gist: bool) -> DefaultClass {
        /// point, box, polygon, circle, tsvector
        const OF_CORE: [Oid; 5] = [600, 603, 604, 718, 3614];
        if range_subtype(ty).is_some() {
            return DefaultClass::Known(Self::Range);
        }
        if OF_CORE.contains(&ty) {
            return DefaultClass::Unknown;
        }
        match (ty, Kind::of(ty)) {
            _ if !has_btree_gist => DefaultClass::None,
            (20 | 21 | 23 | 1082 | 1114 | 1184, kind) => DefaultClass::Known(Self::Fixed(kind)),
            (25 | 1043, kind) => DefaultClass::Known(Self::Varlena(kind)),
            (114 | 3802, _) | (_, Kind::Array) => DefaultClass::None,
            _ => DefaultClass::Unknown,
        }
    }

    /// The operator of that name, which takes such an operand beside the key.
    #[must_use]
    pub fn operator(self, name: &str, key: Oid, operand: Oid) -> Option<GistOp> {
        use GistOp::{
            Adjacent, After, Before, ContainedBy, Contains, ContainsElement, Equal, Greater, GreaterEqual, Less,
            LessEqual, NotEqual, Overlaps, Overleft, Overright,
        };
        if self == Self::Range {
            if name == "@>" && range_subtype(key) == Some(operand) {
                return Some(ContainsElement);
            }
            let known = [
                ("=", Equal),
                ("&&", Overlaps),
                ("@>", Contains),
                ("<@", ContainedBy),
                ("<<", Before),
                (">>", After),
                ("&<", Overleft),
                ("&>", Overright),
                ("-|-", Adjacent),
            ];
            return known.iter().find(|(known, _)| *known == name && key == operand).map(|(_, op)| *op);
        }
        let known =
            [("=", Equal), ("<>", NotEqual), ("<", Less), ("<=", LessEqual), (">=", GreaterEqual), (">", Greater)];
        // varchar is compared as text
        let is_text = |oid| matches!(oid, 25 | 1043);
        let fits = key == operand || is_text(key) && is_text(operand);
        known.iter().find(|(known, _)| *known == name && fits).map(|(_, op)| *op)
    }

    /// The column of the index, of a column of that type (`opckeytype`).
    #[must_use]
    pub fn attribute(self, mut attribute: Attribute, ty: SqlType) -> Attribute {
        let (name, len) = match self {
            Self::Range => return attribute,
            Self::Fixed(_) => match ty.typlen() {
                2 => ("gbtreekey4", 4),
                4 => ("gbtreekey8", 8),
                _ => ("gbtreekey16", 16),
            },
            Self::Varlena(_) => ("gbtreekey_var", -1),
        };
        attribute.type_name = name.into();
        (attribute.typid, attribute.typmod, attribute.len) = (0, -1, len);
        (attribute.align, attribute.byval) = (Align::Int, false);
        attribute.storage = if len < 0 { 'x' } else { 'p' };
        attribute
    }

    /// `gistcompress`: the value as a leaf has it.
    #[must_use]
    pub fn compress(self, value: &Value) -> Value {
        match self {
            _ if value.is_null() => Value::Null,
            Self::Range => value.clone(),
            Self::Fixed(_) => {
                let mut bytes = Vec::new();
                value.store(&mut bytes);
                Value::Bytea([&bytes[..], &bytes[..]].concat().into())
            }
            Self::Varlena(kind) => {
                let plain = value.detoasted(kind);
                let text = plain.as_ref().and_then(Value::plain_bytes).unwrap_or_default();
                let header = ((text.len() + VARHDRSZ) as u32) << 2;
                Value::Bytea([&header.to_le_bytes()[..], text].concat().into())
            }
        }
    }

    /// The value that a key on a leaf stands for.
    #[must_use]
    pub fn decompress(self, key: &Value) -> Value {
        let whole = key.detoasted(if self == Self::Range { Kind::Range } else { Kind::Other });
        let Some(bytes) = whole.as_ref().and_then(Value::bytes) else { return Value::Null };
        match self {
            Self::Range => Value::Range(bytes.clone()),
            Self::Fixed(kind) => kind
                .fixed_len()
                .and_then(|len| bytes.get(..len))
                .map_or(Value::Null, |lower| Value::from_stored(kind, lower)),
            Self::Varlena(kind) => {
                let text = bytes.get(VARHDRSZ..(u32::get(bytes) >> 2) as usize);
                text.map_or(Value::Null, |text| Value::from_stored(kind, text))
            }
        }
    }

    /// `consistent`, of a leaf: does the operator hold of the key and the operand? Neither is NULL.
    #[must_use]
    pub fn consistent(self, op: GistOp, key: &Value, operand: &Value) -> bool {
        if self != Self::Range {
            let order = self.compare(key, operand);
            return match op {
                GistOp::Equal => order.is_eq(),
                GistOp::NotEqual => order.is_ne(),
                GistOp::Less => order.is_lt(),
                GistOp::LessEqual => order.is_le(),
                GistOp::GreaterEqual => order.is_ge(),
                _ => order.is_gt(),
            };
        }
        let Some(key) = Range::of(key) else { return false };
        if op == GistOp::ContainsElement {
            return key.contains_element(operand);
        }
        let Some(other) = Range::of(operand) else { return false };
        match op {
            GistOp::Equal => key.compare(&other).is_eq(),
            GistOp::Overlaps => key.overlaps(&other),
            GistOp::Contains => key.contains(&other),
            GistOp::ContainedBy => other.contains(&key),
            GistOp::Before => key.is_before(&other),
            GistOp::After => other.is_before(&key),
            GistOp::Overleft => key.is_overleft(&other),
            GistOp::Overright => key.is_overright(&other),
            GistOp::Adjacent => key.is_adjacent(&other).unwrap_or(false),
            _ => false,
        }
    }

    /// The order of two values, by which a build of 18 sorts (`GIST_SORTSUPPORT_PROC`).
    #[must_use]
    pub fn compare(self, a: &Value, b: &Value) -> Ordering {
        let kind = match self {
            Self::Range => Kind::Range,
            Self::Fixed(kind) | Self::Varlena(kind) => kind,
        };
        comparator_of(kind).map_or(Ordering::Equal, |compare| compare(a, b))
    }
}

impl GistOp {
    /// As SQL writes it.
    #[must_use]
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "<>",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::GreaterEqual => ">=",
            Self::Greater => ">",
            Self::Overlaps => "&&",
            Self::Contains | Self::ContainsElement => "@>",
            Self::ContainedBy => "<@",
            Self::Before => "<<",
            Self::After => ">>",
            Self::Overleft => "&<",
            Self::Overright => "&>",
            Self::Adjacent => "-|-",
        }
    }
}
