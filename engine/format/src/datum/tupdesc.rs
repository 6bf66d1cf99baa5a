//! `TupleDesc`: the columns of a table or index, prepared for reading and making many tuples
//! (`heap_deform_tuple`, `nocachegetattr`, src/backend/access/common/heaptuple.c).

use super::compare::compare_stored;
use super::deform::varlena;
use super::sql_type::Kind;
use super::{Attribute, Storage, Value};
use crate::page::Oid;
use crate::page::infomask::{HEAP_HASNULL, HEAP_NATTS_MASK};
use crate::page::layout::Wire;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Range;

/// Columns, in the order of `attnum`, dropped ones too.
#[derive(Debug, Clone, PartialEq)]
pub struct TupleDesc {
    attributes: Vec<Attribute>,
    pub(super) columns: Vec<Column>,
    /// how many of the first columns have their places in each tuple without NULLs, and where the last of these ends
    pub(super) fixed: (usize, usize),
    /// has it a column of variable length whose storage is plain?
    pub(super) has_plain: bool,
    /// has a column been dropped?
    has_dropped: bool,
    /// columns, from 0, that are there and may not be NULL
    not_null: Vec<u16>,
}

/// What reading and making tuples needs of a column.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Column {
    pub kind: Kind,
    /// `attlen`
    pub len: i16,
    /// bytes of `attalign`
    pub align: usize,
    /// is `attstorage` plain, so that no header becomes short?
    pub is_plain: bool,
    /// `attcacheoff`: where its value lies in each tuple without NULLs, as long as all before it have a fixed length
    pub offset: Option<usize>,
    /// `attmissingval`: the value of tuples that are older than the column
    missing: Value,
    /// of a composite type: its columns
    row: Option<Arc<TupleDesc>>,
}

/// Where `t_infomask2`, `t_infomask`, `t_hoff` and `t_bits` lie in a heap tuple (src/include/access/htup_details.h).
const T_INFOMASK2: usize = 18;
pub(super) const T_INFOMASK: usize = 20;
const T_HOFF: usize = 22;
pub(super) const T_BITS: usize = 23;

impl TupleDesc {
    /// Prepares these columns.
    #[must_use]
    pub fn new(attributes: Vec<Attribute>) -> Self {
        let mut end = Some(0_usize);
        let columns = attributes.iter().map(|attribute| {
            let align = usize::from(attribute.align.bytes());
            let offset = end.map(|end| end.next_multiple_of(align)).filter(|_| attribute.len > 0);
            end = offset.map(|offset| offset + attribute.len.unsigned_abs() as usize);
            let row = (!attribute.fields.is_empty()).then(|| Arc::new(Self::new(attribute.fields.clone())));
            // a server has user-made types that are no enums
            let kind = Kind::of(attribute.base.unwrap_or(attribute.typid));
            let is_known = kind != Kind::Oid || attribute.len == 4;
            Column {
                kind: if row.is_some() {
                    Kind::Record
                } else if is_known {
                    kind
                } else {
                    Kind::Other
                },
                len: attribute.len,
                align,
                is_plain: attribute.storage == 'p',
                offset,
                missing: Value::Null,
                row,
            }
        });
        let columns: Vec<Column> = columns.collect();
        let n_fixed = columns.iter().take_while(|column| column.offset.is_some()).count();
        let last = columns[..n_fixed].last();
        let end = last.map_or(0, |last| last.offset.unwrap_or(0) + usize::from(last.len.unsigned_abs()));
        let has_plain = attributes.iter().any(|attribute| attribute.len < 0 && attribute.storage == 'p');
        let has_dropped = attributes.iter().any(|attribute| attribute.dropped);
        let is_not_null = |(_, attribute): &(u16, &Attribute)| attribute.not_null && !attribute.dropped;
        let not_null = (0..).zip(&attributes).filter(is_not_null).map(|(index, _)| index).collect();
        Self { columns, fixed: (n_fixed, end), has_plain, has_dropped, not_null, attributes }
    }

    /// Does a tuple of it keep the headers of some values ([`super::FormedTuple::keep_headers`])?
    #[must_use]
    pub const fn keeps_headers(&self) -> bool {
        self.has_plain
    }

    /// Has a column been dropped?
    #[must_use]
    pub const fn has_dropped(&self) -> bool {
        self.has_dropped
    }

    /// The first column, from 0, whose value is NULL and may not be.
    #[must_use]
    #[inline]
    pub fn null_violation(&self, values: &[Value]) -> Option<usize> {
        let columns = self.not_null.iter().map(|index| usize::from(*index));
        columns.into_iter().find(|index| values.get(*index).is_some_and(Value::is_null))
    }

    /// The columns as `pg_attribute` has them.
    #[must_use]
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// How values of column `index`, from 0, are read.
    #[must_use]
    #[inline]
    pub fn kind(&self, index: usize) -> Kind {
        self.columns[index].kind
    }

    /// How long values of column `index`, from 0, are, where they all have one length.
    #[must_use]
    #[inline]
    pub fn fixed_len(&self, index: usize) -> Option<usize> {
        self.columns.get(index).filter(|column| column.len > 0).map(|column| usize::from(column.len.unsigned_abs()))
    }

    /// Where column `index`, from 0, stands among the values of each tuple without NULLs, as long as it and all before
    /// it have fixed lengths.
    #[must_use]
    pub fn fixed_place(&self, index: usize) -> Option<Range<usize>> {
        let start = self.columns.get(index)?.offset?;
        Some(start..start + self.fixed_len(index)?)
    }

    /// The values of a heap tuple, where it has that many columns and no NULL.
    #[must_use]
    #[inline]
    pub fn values_without_null(tuple: &[u8], natts: usize) -> Option<&[u8]> {
        let (nulls, has, hoff) = header(tuple);
        tuple.get(hoff..).filter(|_| nulls.is_empty() && has >= natts)
    }

    /// Column `index`, from 0, is of an enum of that name with these labels.
    pub fn set_labels(&mut self, index: usize, type_name: &str, labels: BTreeMap<Oid, String>) {
        let attribute = &mut self.attributes[index];
        attribute.type_name = type_name.into();
        attribute.labels = labels;
    }

    /// Column `index`, from 0, is of a composite type of that name with these columns.
    pub fn set_fields(&mut self, index: usize, type_name: &str, fields: Vec<Attribute>) {
        let column = &mut self.columns[index];
        (column.kind, column.row) = (Kind::Record, Some(Arc::new(Self::new(fields.clone()))));
        let attribute = &mut self.attributes[index];
        attribute.type_name = type_name.into();
        attribute.fields = fields;
    }

    /// Sets what tuples have that are older than column `index`, from 0 (ADD COLUMN with DEFAULT).
    pub fn set_missing(&mut self, index: usize, value: Value) {
        self.columns[index].missing = value;
    }

    /// What tuples have that are older than column `index`, from 0.
    #[must_use]
    pub fn missing(&self, index: usize) -> Value {
        self.columns.get(index).map_or(Value::Null, |column| column.missing.clone())
    }

    /// Reads all columns of a heap tuple, header included, into `values`, which is emptied first. What lies beyond its
    /// end is NULL.
    pub fn deform(&self, tuple: &[u8], values: &mut Vec<Value>) {
        self.deform_some(tuple, self.columns.len(), values);
    }

    /// `slot_getsomeattrs`: the same of the first so many columns only.
    pub fn deform_some(&self, tuple: &[u8], wanted: usize, values: &mut Vec<Value>) {
        let (nulls, natts, hoff) = header(tuple);
        self.read_some(tuple.get(hoff..).unwrap_or(&[]), nulls, natts, wanted, values);
    }

    /// Reads one column of a heap tuple, from 0.
    #[must_use]
    pub fn column(&self, tuple: &[u8], index: usize) -> Value {
        let (nulls, natts, hoff) = header(tuple);
        if index >= natts {
            return self.columns.get(index).map_or(Value::Null, |column| column.missing.clone());
        }
        self.column_at(tuple.get(hoff..).unwrap_or(&[]), nulls, index)
    }

    /// Reads one column, from 0, from a tuple's data with its null bitmap (empty: no NULLs); the tuple must have it.
    #[must_use]
    #[inline]
    pub fn column_at(&self, data: &[u8], nulls: &[u8], index: usize) -> Value {
        let stored = self.stored_at(data, nulls, index).zip(self.columns.get(index));
        stored.map_or(Value::Null, |((bytes, storage), column)| column.value(bytes, storage))
    }

    /// The bytes of that column as they are stored, with the header of a varlena, and how they are; `None` for NULL.
    #[must_use]
    #[inline]
    pub fn stored_at<'a>(&self, data: &'a [u8], nulls: &[u8], index: usize) -> Option<(&'a [u8], Storage)> {
        let column = self.columns.get(index)?;
        if let (Some(offset), true) = (column.offset, nulls.is_empty()) {
            let bytes = data.get(offset..offset + usize::from(column.len.unsigned_abs()))?;
            return Some((bytes, Storage::Fixed));
        }
        self.stored_behind(data, nulls, index)
    }

    /// Where that column lies in the data; `None` for NULL, and where it does not end within the data.
    #[must_use]
    pub fn place_at(&self, data: &[u8], nulls: &[u8], index: usize) -> Option<Range<usize>> {
        self.place(data, nulls, index).map(|(start, end, _)| start..end)
    }

    /// A value against that column, without making a value of it; `None` where one of them is NULL, or is stored so
    /// that its bytes stand for others.
    #[must_use]
    #[inline]
    pub fn compare_at(&self, value: &Value, data: &[u8], nulls: &[u8], index: usize) -> Option<Ordering> {
        let column = self.columns.get(index).filter(|_| !matches!(value, Value::Null | Value::Stored(_)))?;
        if let (Some(offset), true) = (column.offset, nulls.is_empty()) {
            let bytes = data.get(offset..offset + usize::from(column.len.unsigned_abs()))?;
            return Some(compare_stored(column.kind, value, bytes));
        }
        let (bytes, storage) = self.stored_behind(data, nulls, index).filter(|(_, storage)| !storage.is_packed())?;
        Some(compare_stored(column.kind, value, bytes.get(usize::from(storage.header_len())..)?))
    }

    /// [`Self::stored_at`] where only those before it tell where it begins.
    fn stored_behind<'a>(&self, data: &'a [u8], nulls: &[u8], index: usize) -> Option<(&'a [u8], Storage)> {
        let (start, end, storage) = self.place(data, nulls, index)?;
        Some((data.get(start..end)?, storage))
    }

    /// Start and end of that column, and how it is stored.
    fn place(&self, data: &[u8], nulls: &[u8], index: usize) -> Option<(usize, usize, Storage)> {
        if is_null(nulls, index) {
            return None;
        }
        let mut at = 0;
        for (n, before) in self.columns.get(..index)?.iter().enumerate() {
            if !is_null(nulls, n) {
                at = before.locate(data, at)?.1;
            }
        }
        self.columns.get(index)?.locate(data, at)
    }

    /// `heap_attr_equals`: do two heap tuples have the same bytes in column `index`, from 0, or both NULL? A value that
    /// `old` lacks because it is older than the column counts as stored with a long header.
    #[must_use]
    pub fn attr_equals(&self, old: &[u8], new: &[u8], index: usize) -> bool {
        if let Some(place) = self.fixed_place(index)
            && let Some(old) = Self::values_without_null(old, index + 1)
            && let Some(new) = Self::values_without_null(new, index + 1)
        {
            return old.get(place.clone()) == new.get(place);
        }
        let column = &self.columns[index];
        if index < header(old).1 || column.missing.is_null() {
            return self.stored(old, index) == self.stored(new, index);
        }
        let mut missing = Vec::new();
        if column.len < 0 {
            let len = column.missing.bytes().map_or(0, |bytes| bytes.len());
            missing.extend_from_slice(&((len as u32 + 4) << 2).to_le_bytes());
        }
        column.missing.store(&mut missing);
        self.stored(new, index) == Some(&missing)
    }

    /// Is the value of column `index` a pointer into the TOAST table?
    #[must_use]
    pub fn is_external(&self, tuple: &[u8], index: usize) -> bool {
        self.columns[index].len < 0 && self.stored(tuple, index).is_some_and(|bytes| bytes.first() == Some(&0x01))
    }

    /// The bytes of column `index` of a heap tuple as they are stored, with the header of a varlena; `None` for NULL.
    fn stored<'a>(&self, tuple: &'a [u8], index: usize) -> Option<&'a [u8]> {
        let (nulls, natts, hoff) = header(tuple);
        if index >= natts || is_null(nulls, index) {
            return None;
        }
        Some(self.stored_at(tuple.get(hoff..)?, nulls, index)?.0)
    }

    /// Reads all columns from a tuple's data, with its null bitmap (empty: no NULLs) and number of attributes.
    pub fn read(&self, data: &[u8], nulls: &[u8], natts: usize, values: &mut Vec<Value>) {
        self.read_some(data, nulls, natts, self.columns.len(), values);
    }

    fn read_some(&self, data: &[u8], nulls: &[u8], natts: usize, wanted: usize, values: &mut Vec<Value>) {
        let (wanted, mut at) = (wanted.min(self.columns.len()), 0);
        if values.len() != wanted {
            values.resize(wanted, Value::Null);
        }
        let columns = self.columns.iter().zip(values);
        if nulls.is_empty() && wanted <= natts {
            return columns.for_each(|(column, value)| column.take(data, &mut at, value));
        }
        for (n, (column, value)) in columns.enumerate() {
            if n >= natts {
                *value = column.missing.clone();
            } else if is_null(nulls, n) {
                *value = Value::Null;
            } else {
                column.take(data, &mut at, value);
            }
        }
    }
}

/// Null bitmap, number of attributes and `t_hoff` of a heap tuple.
#[inline]
pub(super) fn header(tuple: &[u8]) -> (&[u8], usize, usize) {
    let Some(fixed) = tuple.first_chunk::<T_BITS>() else { return (&[], 0, 0) };
    let natts = usize::from(u16::get(&fixed[T_INFOMASK2..]) & HEAP_NATTS_MASK);
    let has_null = u16::get(&fixed[T_INFOMASK..]) & HEAP_HASNULL != 0;
    let nulls = if has_null { tuple.get(T_BITS..T_BITS + natts.div_ceil(8)).unwrap_or(&[]) } else { &[] };
    (nulls, natts, usize::from(fixed[T_HOFF]))
}

/// `att_isnull`
fn is_null(nulls: &[u8], n: usize) -> bool {
    nulls.get(n / 8).is_some_and(|byte| byte >> (n % 8) & 1 == 0)
}

/// `att_align_nominal`: `attalign` is a power of two, so that it takes no division.
#[inline]
const fn aligned(at: usize, align: usize) -> usize {
    (at + align - 1) & !(align - 1)
}

impl Column {
    /// Start and end of the value at `at`, after alignment, and how it is stored; `None` where it does not end within
    /// the data.
    fn locate(&self, data: &[u8], at: usize) -> Option<(usize, usize, Storage)> {
        if self.len > 0 {
            let start = aligned(at, self.align);
            let end = start + usize::from(self.len.unsigned_abs());
            return (end <= data.len()).then_some((start, end, Storage::Fixed));
        }
        // a short header is not aligned: its first byte, unlike alignment, is not zero
        let is_packed = *data.get(at)? != 0;
        let start = if is_packed { at } else { aligned(at, self.align) };
        let (len, storage) = varlena(data.get(start..)?)?;
        let end = start.checked_add(len)?;
        (end <= data.len()).then_some((start, end, storage))
    }

    /// Reads the value at `at`, which moves behind it, in place of another; NULL where it does not end within the data.
    #[inline]
    fn take(&self, data: &[u8], at: &mut usize, value: &mut Value) {
        if !self.take_number(data, at, value) {
            self.take_any(data, at, value);
        }
    }

    fn take_any(&self, data: &[u8], at: &mut usize, value: &mut Value) {
        let Some((start, end, storage)) = self.locate(data, *at) else {
            *at = data.len();
            *value = Value::Null;
            return;
        };
        *at = end;
        match self.plain(&data[start..end], storage) {
            Some(bytes) => {
                value.read_stored(self.kind, bytes);
                if self.row.is_some() {
                    *value = self.with_columns(core::mem::replace(value, Value::Null));
                }
            }
            None => *value = Value::Stored(data[start..end].into()),
        }
    }

    /// The same for the kinds that are read most, in place of another number of that kind.
    #[inline]
    fn take_number(&self, data: &[u8], at: &mut usize, value: &mut Value) -> bool {
        let start = aligned(*at, self.align);
        let rest = data.get(start..).unwrap_or(&[]);
        let len = match (self.kind, value) {
            (Kind::Int4, Value::Int4(number)) => rest.first_chunk().map(|bytes| *number = i32::from_le_bytes(*bytes)),
            (Kind::Int8, Value::Int8(number)) => rest.first_chunk().map(|bytes| *number = i64::from_le_bytes(*bytes)),
            _ => None,
        }
        .map(|()| usize::from(self.len.unsigned_abs()));
        *at = len.map_or(*at, |len| start + len);
        len.is_some()
    }

    /// The value that is stored so.
    #[inline]
    fn value(&self, bytes: &[u8], storage: Storage) -> Value {
        self.plain(bytes, storage).map_or_else(
            || Value::Stored(bytes.into()),
            |bytes| self.with_columns(Value::from_stored(self.kind, bytes)),
        )
    }

    /// A row gets to know its columns.
    #[inline]
    fn with_columns(&self, value: Value) -> Value {
        match (&self.row, value) {
            (Some(row), Value::Record(record)) => Value::Record(Arc::new(record.described(row))),
            (_, value) => value,
        }
    }

    /// The bytes of a value that is stored so, unless it keeps its header.
    #[inline]
    fn plain<'a>(&self, bytes: &'a [u8], storage: Storage) -> Option<&'a [u8]> {
        match storage {
            Storage::Compressed | Storage::External => None,
            // it would get a long header when it is written again
            Storage::Short if self.is_plain => None,
            _ => bytes.get(usize::from(storage.header_len())..),
        }
    }
}
