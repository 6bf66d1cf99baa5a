//! Rows as values: a heap tuple whose header says its type instead of who made it (`HeapTupleHeader`,
//! src/include/access/htup_details.h; `record_in`, `record_out`, `record_cmp`, src/backend/utils/adt/rowtypes.c).
//!
//! ```text
//!  length 4 | typmod 4 | type's oid 4 | t_ctid 6 | infomasks 4 | t_hoff 1 | null bitmap | to a multiple of 8 | values
//!  varlena  | what [`Record`] keeps
//! ```

use super::array;
use super::bytes::Bytes;
use super::compare::comparator;
use super::error::{Result, SqlError};
use super::varlena::VARHDRSZ;
use super::{Attribute, FormedTuple, TupleDesc, Value};
use crate::page::Oid;
use crate::page::infomask::{HEAP_HASNULL, HEAP_NATTS_MASK};
use crate::page::layout::Wire;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// `RECORDOID`
pub const RECORD: Oid = 2249;
/// `RECORDARRAYOID`: here a row whose columns are the elements, which are rows
pub const RECORD_ARRAY: Oid = 2287;
/// Set in the OID of a composite type where it stands for the type of an expression: the OID alone does not tell an
/// enum from a composite type, and no server has given out as many.
const COMPOSITE: Oid = 1 << 31;

/// Is it the type of rows of a table, or one of CREATE TYPE … AS?
#[must_use]
pub const fn is_composite(typid: Oid) -> bool {
    typid & COMPOSITE != 0
}

/// Is it a type whose values are rows?
#[must_use]
pub const fn is_row(typid: Oid) -> bool {
    is_composite(typid) || typid == RECORD
}

/// How expressions know the composite type of that OID.
#[must_use]
pub const fn composite(oid: Oid) -> Oid {
    oid | COMPOSITE
}

/// `pg_type.oid` of what expressions know as a type.
#[must_use]
pub const fn type_oid(typid: Oid) -> Oid {
    typid & !COMPOSITE
}

/// A type of rows: what it is called, and what its columns are.
#[derive(Debug, Clone, PartialEq)]
pub struct RowType {
    /// `pg_type.oid`; that of record where it has no name
    pub oid: Oid,
    /// its columns, dropped ones too
    pub desc: Arc<TupleDesc>,
}

impl RowType {
    /// As expressions know it.
    #[must_use]
    pub const fn typid(&self) -> Oid {
        if self.oid == RECORD { RECORD } else { composite(self.oid) }
    }

    /// The columns that are there, with their places.
    pub fn columns(&self) -> impl Iterator<Item = (usize, &Attribute)> {
        self.desc.attributes().iter().enumerate().filter(|(_, attribute)| !attribute.dropped)
    }

    /// The place of the column of that name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        self.columns().find(|(_, attribute)| attribute.name == name).map(|(n, _)| n)
    }

    /// `heap_form_tuple`, of a value a column.
    #[must_use]
    pub fn form(&self, values: &[Value]) -> Value {
        Value::Record(Arc::new(Record::form(self, values)))
    }
}

/// A row as a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    desc: Arc<TupleDesc>,
    bytes: Bytes,
}

/// Where `datum_typmod`, `datum_typeid`, `t_infomask2`, `t_infomask`, `t_hoff` and `t_bits` stand behind the length.
const TYPMOD: usize = 0;
const TYPEID: usize = 4;
const INFOMASK2: usize = 14;
const INFOMASK: usize = 16;
const HOFF: usize = 18;
const BITS: usize = 19;
/// Where `t_ctid` stands, which is invalid.
const CTID: usize = 8;

impl Record {
    fn form(ty: &RowType, values: &[Value]) -> Self {
        let tuple = FormedTuple::new(&ty.desc, values);
        let mut bytes: Vec<u8> = tuple.bytes.get(VARHDRSZ..).unwrap_or(&[]).to_vec();
        let mut put = |at: usize, field: &[u8]| {
            if let Some(place) = bytes.get_mut(at..at + field.len()) {
                place.copy_from_slice(field);
            }
        };
        put(TYPMOD, &(-1_i32).to_le_bytes());
        put(TYPEID, &ty.oid.to_le_bytes());
        put(CTID, &[0xFF, 0xFF, 0xFF, 0xFF, 0, 0]);
        put(INFOMASK2, &tuple.natts.to_le_bytes());
        put(INFOMASK, &tuple.infomask.to_le_bytes());
        put(HOFF, &[tuple.hoff]);
        Self { desc: ty.desc.clone(), bytes: bytes.into() }
    }

    /// What is stored, read as a row of these columns.
    #[must_use]
    pub fn stored(desc: Arc<TupleDesc>, bytes: &[u8]) -> Self {
        Self { desc, bytes: bytes.into() }
    }

    /// The same as a row of other columns.
    #[must_use]
    pub fn described(&self, desc: &Arc<TupleDesc>) -> Self {
        Self { desc: desc.clone(), bytes: self.bytes.clone() }
    }

    /// Is it known which columns it has?
    #[must_use]
    pub fn is_described(&self) -> bool {
        !self.desc.attributes().is_empty()
    }

    /// Its bytes, without the varlena header.
    #[must_use]
    pub const fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Its columns.
    #[must_use]
    pub const fn desc(&self) -> &Arc<TupleDesc> {
        &self.desc
    }

    /// `HeapTupleHeaderGetTypeId`
    #[must_use]
    pub fn typid(&self) -> Oid {
        self.bytes.get(TYPEID..TYPEID + 4).map_or(0, Oid::get)
    }

    /// A value a column; NULL of those that are newer than the row.
    #[must_use]
    pub fn values(&self) -> Vec<Value> {
        let mut values = Vec::new();
        let Some(head) = self.bytes.get(..BITS) else { return values };
        let natts = usize::from(u16::get(&head[INFOMASK2..]) & HEAP_NATTS_MASK);
        let has_null = u16::get(&head[INFOMASK..]) & HEAP_HASNULL != 0;
        let nulls = if has_null { self.bytes.get(BITS..BITS + natts.div_ceil(8)).unwrap_or(&[]) } else { &[] };
        let data = usize::from(head[HOFF]).checked_sub(VARHDRSZ).and_then(|hoff| self.bytes.get(hoff..));
        self.desc.read(data.unwrap_or(&[]), nulls, natts, &mut values);
        for (value, n) in values.iter_mut().zip(0..) {
            if matches!(value, Value::Stored(_)) {
                *value = value.detoasted(self.desc.kind(n)).unwrap_or(Value::Null);
            }
        }
        values
    }

    /// The columns that are there with their values.
    pub fn columns(&self) -> impl Iterator<Item = (&Attribute, Value)> {
        self.desc.attributes().iter().zip(self.values()).filter(|(attribute, _)| !attribute.dropped)
    }

    /// `record_out`
    #[must_use]
    pub fn output(&self) -> String {
        self.output_by(&|attribute, value| Ok(attribute.printed(value))).unwrap_or_default()
    }

    /// The same, with columns as `printed` prints them.
    ///
    /// # Errors
    /// Those of `printed`.
    pub fn output_by(&self, printed: &dyn Fn(&Attribute, &Value) -> Result<Option<String>>) -> Result<String> {
        let is_array = self.typid() == RECORD_ARRAY;
        let mut text = String::from(if is_array { '{' } else { '(' });
        for (n, (attribute, value)) in self.columns().enumerate() {
            text.extend((n > 0).then_some(','));
            match printed(attribute, &value)? {
                Some(value) if is_array => array::quote(&value, ',', &mut text),
                Some(value) => quote(&value, &mut text),
                None => {}
            }
        }
        text.push(if is_array { '}' } else { ')' });
        Ok(text)
    }
}

impl Attribute {
    /// The value of such a column as its type prints it; `None` of NULL.
    #[must_use]
    pub fn printed(&self, value: &Value) -> Option<String> {
        let label = match value {
            Value::Oid(label) => self.labels.get(label).cloned(),
            _ => None,
        };
        label.or_else(|| value.output(self.base.unwrap_or(self.typid)))
    }
}

/// Quotes what would else be read as something else.
fn quote(value: &str, text: &mut String) {
    let is_special = |c: char| matches!(c, '"' | '\\' | '(' | ')' | ',' | ' ' | '\t'..='\r');
    if !value.is_empty() && !value.contains(is_special) {
        text.push_str(value);
        return;
    }
    text.push('"');
    for c in value.chars() {
        text.extend(matches!(c, '"' | '\\').then_some(c));
        text.push(c);
    }
    text.push('"');
}

/// `record_in`: the columns' values, given how text becomes one of a column.
///
/// # Errors
/// Text that is no row, with other columns than these; those of the columns' types.
pub fn record_in(text: &str, ty: &RowType, mut input: impl FnMut(&str, &Attribute) -> Result<Value>) -> Result<Value> {
    let wrong = |detail: &'static str| {
        Err(SqlError::new("22P02", format!("malformed record literal: \"{text}\"")).with_detail(detail))
    };
    let is_space = |c: char| matches!(c, ' ' | '\t'..='\r');
    let Some(rest) = text.trim_start_matches(is_space).strip_prefix('(') else {
        return wrong("Missing left parenthesis.");
    };
    let mut rest = rest.chars().peekable();
    let (mut values, mut needs_comma) = (Vec::new(), false);
    for attribute in ty.desc.attributes() {
        if attribute.dropped {
            values.push(Value::Null);
            continue;
        }
        if needs_comma && rest.next_if_eq(&',').is_none() {
            return wrong("Too few columns.");
        }
        needs_comma = true;
        if matches!(rest.peek(), Some(',' | ')')) {
            values.push(Value::Null);
            continue;
        }
        let (mut field, mut is_quoted) = (String::new(), false);
        while is_quoted || !matches!(rest.peek(), Some(',' | ')')) {
            match rest.next() {
                None => return wrong("Unexpected end of input."),
                Some('\\') => match rest.next() {
                    None => return wrong("Unexpected end of input."),
                    Some(c) => field.push(c),
                },
                Some('"') if is_quoted && rest.next_if_eq(&'"').is_some() => field.push('"'),
                Some('"') => is_quoted = !is_quoted,
                Some(c) => field.push(c),
            }
        }
        values.push(input(&field, attribute)?);
    }
    if rest.next() != Some(')') {
        return wrong("Too many columns.");
    }
    if rest.any(|c| !is_space(c)) {
        return wrong("Junk after right parenthesis.");
    }
    Ok(ty.form(&values))
}

/// `record_cmp`, of rows whose columns have the same types: NULL is above all else.
pub fn compare(a: &Value, b: &Value) -> Ordering {
    let (Value::Record(a), Value::Record(b)) = (a, b) else { return Ordering::Equal };
    for ((left, a), (_, b)) in a.columns().zip(b.columns()) {
        let order = match (a.is_null(), b.is_null()) {
            (false, false) => compare_columns(left, &a, &b),
            (a, b) => a.cmp(&b),
        };
        if order.is_ne() {
            return order;
        }
    }
    let len = |record: &Record| if record.typid() == RECORD_ARRAY { record.desc.attributes().len() } else { 0 };
    len(a).cmp(&len(b))
}

/// Two values of a column that are there.
#[must_use]
pub fn compare_columns(attribute: &Attribute, a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Record(_), Value::Record(_)) => compare(a, b),
        _ => comparator(attribute.base.unwrap_or(attribute.typid)).map_or(Ordering::Equal, |order| order(a, b)),
    }
}
