//! Making tuples: `heap_form_tuple`, `heap_fill_tuple` (src/backend/access/common/heaptuple.c) and `index_form_tuple`
//! (indextuple.c).
//!
//! ```text
//! heap:  ├ header, 23 bytes ┼ null bitmap, where there are NULLs ┼ to a multiple of 8 ┼ values, each aligned ┤
//! index: ├ header, 8 bytes  ┼ null bitmap of 4 bytes, likewise   ┼ to a multiple of 8 ┼ values ┼ to a multiple of 8 ┤
//! ```

use super::toast::compress_value;
use super::tupdesc::{Column, T_BITS, T_INFOMASK, header};
use super::varlena::VARHDRSZ;
use super::{Attribute, SqlError, TupleDesc, Value};
use crate::page::infomask::{HEAP_HASEXTERNAL, HEAP_HASNULL, HEAP_HASVARWIDTH};
use crate::page::layout::Wire;
use crate::page::nbtree::{INDEX_NULL_MASK, INDEX_SIZE_MASK, INDEX_VAR_MASK};
use alloc::format;
use alloc::vec::Vec;

const MAXALIGN: usize = crate::page::MAXALIGN as usize;
/// The longest value whose header may be short: with it 127 bytes.
pub const SHORT_MAX: usize = 126;

/// A heap tuple that has not been given to a transaction yet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FormedTuple {
    /// HEAP_HASNULL, HEAP_HASVARWIDTH, HEAP_HASEXTERNAL
    pub infomask: u16,
    /// number of attributes, for `t_infomask2`
    pub natts: u16,
    /// `t_hoff`: where the values begin
    pub hoff: u8,
    /// the whole tuple: 23 bytes of zeros for the header, null bitmap, padding, values
    pub bytes: Vec<u8>,
}

impl FormedTuple {
    /// `heap_form_tuple`: the tuple of a value a column. Values stand for their column's type; one too few or many is
    /// left out.
    #[must_use]
    pub fn new(desc: &TupleDesc, values: &[Value]) -> Self {
        let mut tuple = Self::default();
        tuple.form(desc, values);
        tuple
    }

    /// The tuple as INSERT forms it: by the columns of its plan, which have their types' own storage
    /// (`ExecTypeFromTL`). So a short value in a column SET STORAGE PLAIN gets a short header, which from COPY and,
    /// from 14 on, UPDATE it does not.
    #[must_use]
    pub fn inserted(desc: &TupleDesc, values: &[Value]) -> Self {
        let mut tuple = Self::default();
        tuple.form_inserted(desc, values);
        tuple
    }

    /// The tuple of [`Self::new`] into this one's memory.
    pub fn form(&mut self, desc: &TupleDesc, values: &[Value]) {
        self.form_with(desc, values, false);
    }

    /// The tuple of [`Self::inserted`] into this one's memory.
    pub fn form_inserted(&mut self, desc: &TupleDesc, values: &[Value]) {
        self.form_with(desc, values, true);
    }

    /// `heap_copytuple`: what a stored tuple says of its columns, and their values; fewer where it is older than some.
    pub fn copy(&mut self, stored: &[u8]) {
        let infomask = u16::get(stored.get(T_INFOMASK..).unwrap_or(&[]));
        self.infomask = infomask & (HEAP_HASNULL | HEAP_HASVARWIDTH | HEAP_HASEXTERNAL);
        let (_, natts, hoff) = header(stored);
        // both have fewer bits
        (self.natts, self.hoff) = (natts as u16, hoff as u8);
        self.bytes.clear();
        self.bytes.resize(T_BITS, 0);
        self.bytes.extend_from_slice(stored.get(T_BITS..).unwrap_or(&[]));
    }

    /// The values as a slot gives them that holds the tuple: those of columns whose storage is plain keep the headers
    /// that they have in it.
    #[inline]
    pub fn keep_headers(&self, desc: &TupleDesc, values: &mut [Value]) {
        if desc.has_plain {
            self.read_plain(desc, values);
        }
    }

    fn read_plain(&self, desc: &TupleDesc, values: &mut [Value]) {
        for (n, (column, value)) in desc.columns.iter().zip(values).enumerate().take(self.natts.into()) {
            if column.is_plain && column.len < 0 {
                *value = desc.column_at(self.data(), self.nulls(), n);
            }
        }
    }

    fn form_with(&mut self, desc: &TupleDesc, values: &[Value], packs_plain: bool) {
        let natts = desc.columns.len().min(values.len());
        let has_null = values[..natts].iter().any(Value::is_null);
        let hoff = data_offset(natts, has_null);
        self.bytes.clear();
        if self.bytes.capacity() == 0 {
            self.bytes.reserve(hoff + desc.data_size(&values[..natts]));
        }
        self.infomask = match has_null {
            false => fill_without_null(desc, values, packs_plain, &mut self.bytes),
            true => fill(desc, values, hoff, Some(T_BITS), packs_plain, &mut self.bytes),
        };
        // MaxHeapAttributeNumber columns give 232 at most
        (self.natts, self.hoff) = (natts as u16, hoff as u8);
    }

    /// The null bitmap, empty where no value is NULL.
    #[must_use]
    pub fn nulls(&self) -> &[u8] {
        let len = if self.infomask & HEAP_HASNULL != 0 { usize::from(self.natts).div_ceil(8) } else { 0 };
        &self.bytes[T_BITS..T_BITS + len]
    }

    /// The values' bytes.
    #[must_use]
    pub fn data(&self) -> &[u8] {
        &self.bytes[usize::from(self.hoff)..]
    }
}

/// `t_hoff` of a tuple of so many values.
#[must_use]
pub const fn data_offset(natts: usize, has_null: bool) -> usize {
    let bitmap_len = if has_null { natts.div_ceil(8) } else { 0 };
    (T_BITS + bitmap_len).next_multiple_of(MAXALIGN)
}

impl TupleDesc {
    /// `heap_compute_data_size`: bytes of the values with their headers and padding.
    #[must_use]
    pub fn data_size(&self, values: &[Value]) -> usize {
        let present = self.columns.iter().zip(values).filter(|(_, value)| !value.is_null());
        present.fold(0, |size, (column, value)| {
            let len = if column.len > 0 { usize::from(column.len.unsigned_abs()) } else { column.varlena_len(value) };
            let is_packed = column.len < 0 && column.is_packed(value);
            if is_packed { size + len } else { size.next_multiple_of(column.align) + len }
        })
    }
}

/// Size of `IndexTupleData`, and of the bitmap of `INDEX_MAX_KEYS` columns.
const INDEX_HEADER: usize = 8;
const INDEX_BITMAP: usize = 4;
/// Memory that is asked for at first: enough for a header and three numbers.
const INDEX_TUPLE_USUAL: usize = 32;

/// `index_form_tuple`: the tuple with `t_tid` zero. Long values are compressed where that helps; none may be in a TOAST
/// table.
///
/// # Errors
/// Where it would be longer than `t_info` can say.
pub fn index_form_tuple(desc: &TupleDesc, values: &[Value]) -> Result<Vec<u8>, SqlError> {
    let mut bytes = Vec::with_capacity(INDEX_TUPLE_USUAL);
    index_append_tuple(desc, values, &mut bytes)?;
    Ok(bytes)
}

/// The same behind others, each of which is a multiple of 8 bytes long. Gives where it begins.
///
/// # Errors
/// As those of [`index_form_tuple`].
#[inline]
pub fn index_append_tuple(desc: &TupleDesc, values: &[Value], bytes: &mut Vec<u8>) -> Result<usize, SqlError> {
    if desc.fixed.0 == desc.columns.len() && !values.iter().any(Value::is_null) {
        return Ok(index_append_fixed(desc, values, bytes));
    }
    index_append_varying(desc, values, bytes)
}

/// The same of values of any length.
#[inline(never)]
fn index_append_varying(desc: &TupleDesc, values: &[Value], bytes: &mut Vec<u8>) -> Result<usize, SqlError> {
    if desc.attributes().iter().zip(values).any(|(attribute, value)| is_long(attribute, value)) {
        let each = desc.attributes().iter().zip(values);
        let compressed: Vec<Value> =
            each.map(|(attribute, value)| compressed_where(is_long(attribute, value), value)).collect();
        return index_append_short(desc, &compressed, bytes);
    }
    index_append_short(desc, values, bytes)
}

/// The same of values that all have a fixed length, and with it the tuple.
fn index_append_fixed(desc: &TupleDesc, values: &[Value], bytes: &mut Vec<u8>) -> usize {
    let (start, size) = (bytes.len(), (INDEX_HEADER + desc.fixed.1).next_multiple_of(MAXALIGN));
    let [low, high] = (size as u16).to_le_bytes();
    bytes.extend_from_slice(&[0, 0, 0, 0, 0, 0, low, high]);
    for (column, value) in desc.columns.iter().zip(values) {
        column.put_fixed(value, start, bytes);
    }
    align(bytes, start, MAXALIGN);
    start
}

/// The same of values that are not to be compressed.
fn index_append_short(desc: &TupleDesc, values: &[Value], bytes: &mut Vec<u8>) -> Result<usize, SqlError> {
    let has_null = values.iter().take(desc.columns.len()).any(Value::is_null);
    let bitmap_len = if has_null { INDEX_BITMAP } else { 0 };
    let hoff = (INDEX_HEADER + bitmap_len).next_multiple_of(MAXALIGN);
    let start = bytes.len();
    let bitmap = has_null.then_some(start + INDEX_HEADER);
    let infomask = fill(desc, values, start + hoff, bitmap, false, bytes);
    let size = (bytes.len() - start).next_multiple_of(MAXALIGN);
    if size > usize::from(INDEX_SIZE_MASK) {
        let message = format!("index row requires {size} bytes, maximum size is {INDEX_SIZE_MASK}");
        return Err(SqlError::new("54000", message));
    }
    bytes.resize(start + size, 0);
    let var = if infomask & HEAP_HASVARWIDTH != 0 { INDEX_VAR_MASK } else { 0 };
    let null = if has_null { INDEX_NULL_MASK } else { 0 };
    bytes[start + 6..start + INDEX_HEADER].copy_from_slice(&(size as u16 | var | null).to_le_bytes());
    Ok(start)
}

/// Is it longer than `TOAST_INDEX_TARGET`, uncompressed, and of a storage that may be compressed?
fn is_long(attribute: &Attribute, value: &Value) -> bool {
    const TOAST_INDEX_TARGET: usize = 510;
    let Some(bytes) = value.bytes() else { return false };
    let is_plain = !matches!(value, Value::Stored(_));
    is_plain && bytes.len() + VARHDRSZ > TOAST_INDEX_TARGET && matches!(attribute.storage, 'x' | 'm')
}

fn compressed_where(is_long: bool, value: &Value) -> Value {
    let compressed = is_long.then(|| compress_value(value)).flatten();
    compressed.unwrap_or_else(|| value.clone())
}

/// `heap_fill_tuple`: appends zeros up to `hoff`, then the values, sets the bits of those that are not NULL in the
/// bitmap at `bitmap`, and returns the infomask.
fn fill(
    desc: &TupleDesc,
    values: &[Value],
    hoff: usize,
    bitmap: Option<usize>,
    packs_plain: bool,
    bytes: &mut Vec<u8>,
) -> u16 {
    bytes.resize(hoff, 0);
    let mut infomask = if bitmap.is_some() { HEAP_HASNULL } else { 0 };
    for (n, (column, value)) in desc.columns.iter().zip(values).enumerate().filter(|(_, (_, value))| !value.is_null()) {
        if let Some(bitmap) = bitmap {
            bytes[bitmap + n / 8] |= 1 << (n % 8);
        }
        infomask |= column.put(value, hoff, packs_plain, bytes);
    }
    infomask
}

/// The same of a heap tuple with values none of which is NULL.
#[inline]
fn fill_without_null(desc: &TupleDesc, values: &[Value], packs_plain: bool, bytes: &mut Vec<u8>) -> u16 {
    const HOFF: usize = data_offset(0, false);
    bytes.extend_from_slice(&[0; HOFF]);
    let each = desc.columns.iter().zip(values);
    each.fold(0, |infomask, (column, value)| infomask | column.put(value, HOFF, packs_plain, bytes))
}

impl Column {
    /// Has the varlena a header of one byte, or is it a pointer, so that it is not aligned?
    fn is_packed(&self, value: &Value) -> bool {
        match value {
            Value::Stored(stored) => stored.first().is_some_and(|first| first & 1 == 1),
            _ => !self.is_plain && value.bytes().is_none_or(|bytes| bytes.len() <= SHORT_MAX),
        }
    }

    /// `VARSIZE_ANY` of the value as it is written.
    pub(super) fn varlena_len(&self, value: &Value) -> usize {
        let len = value.bytes().map_or(0, |bytes| bytes.len());
        match value {
            Value::Stored(_) => len,
            _ => len + if self.is_packed(value) { 1 } else { 4 },
        }
    }

    /// `fill_val`: appends a value that is not NULL, and returns its bits of the infomask.
    #[inline]
    fn put(&self, value: &Value, hoff: usize, packs_plain: bool, bytes: &mut Vec<u8>) -> u16 {
        if self.len < 0 {
            return self.put_varying(value, hoff, packs_plain, bytes);
        }
        self.put_fixed(value, hoff, bytes);
        0
    }

    /// The same of a column of variable length.
    fn put_varying(&self, value: &Value, hoff: usize, packs_plain: bool, bytes: &mut Vec<u8>) -> u16 {
        match value {
            Value::Stored(stored) => return HEAP_HASVARWIDTH | self.put_stored(stored, hoff, bytes),
            _ => self.put_varlena(value.bytes().map_or(&[], |bytes| &bytes[..]), hoff, packs_plain, bytes),
        }
        HEAP_HASVARWIDTH
    }

    /// The same of a column of a fixed length.
    #[inline]
    fn put_fixed(&self, value: &Value, hoff: usize, bytes: &mut Vec<u8>) {
        align(bytes, hoff, self.align);
        match value {
            Value::Int4(number) => bytes.extend_from_slice(&number.to_le_bytes()),
            Value::Int8(number) => bytes.extend_from_slice(&number.to_le_bytes()),
            _ => value.store(bytes),
        }
    }

    /// A varlena that has its header already.
    fn put_stored(&self, stored: &[u8], hoff: usize, bytes: &mut Vec<u8>) -> u16 {
        const EXTERNAL: u8 = 0x01;
        let first = stored.first().copied().unwrap_or(0);
        if first & 1 == 0 {
            align(bytes, hoff, self.align);
        }
        bytes.extend_from_slice(stored);
        if first == EXTERNAL { HEAP_HASEXTERNAL } else { 0 }
    }

    fn put_varlena(&self, payload: &[u8], hoff: usize, packs_plain: bool, bytes: &mut Vec<u8>) {
        if (packs_plain || !self.is_plain) && payload.len() <= SHORT_MAX {
            bytes.push((payload.len() as u8 + 1) << 1 | 1);
        } else {
            align(bytes, hoff, self.align);
            bytes.extend_from_slice(&((payload.len() as u32 + 4) << 2).to_le_bytes());
        }
        bytes.extend_from_slice(payload);
    }
}

/// Fills with zeros up to a multiple of `align`, counted from the first value.
#[inline]
fn align(bytes: &mut Vec<u8>, hoff: usize, align: usize) {
    // `attalign` is a power of two; most values are aligned as they come
    let missing = (bytes.len() - hoff).wrapping_neg() & (align - 1);
    if missing > 0 {
        // as many as may be missing, since a number that is known takes one move
        let end = bytes.len() + missing;
        bytes.extend_from_slice(&[0; MAXALIGN]);
        bytes.truncate(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datum::SqlType;
    use alloc::string::String;

    fn desc(types: &[SqlType]) -> TupleDesc {
        TupleDesc::new((1..).zip(types).map(|(num, ty)| ty.attribute(num, "c")).collect())
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// `substr(t_data, …)` of heap_page_items of PostgreSQL 18 for `(1, 'abc', 5)` and `(null, repeat('x', 127),
    /// null)`.
    #[test]
    fn values_lie_as_the_server_puts_them() {
        let desc = desc(&[SqlType::INT4, SqlType::TEXT, SqlType::INT8]);
        let row = [Value::Int4(1), Value::text("abc"), Value::Int8(5)];
        let tuple = FormedTuple::new(&desc, &row);
        assert_eq!((tuple.infomask, tuple.natts, tuple.hoff), (0x0002, 3, 24));
        assert_eq!(hex(tuple.data()), "01000000096162630500000000000000");
        let nulls = FormedTuple::new(&desc, &[Value::Null, Value::text(&"x".repeat(127)), Value::Null]);
        assert_eq!((nulls.infomask, nulls.nulls(), nulls.bytes.len()), (0x0003, &[0b010][..], 24 + 4 + 127));
        assert_eq!(hex(&nulls.data()[..5]), "0c02000078");
    }

    #[test]
    fn what_is_formed_reads_back() {
        let desc = desc(&[SqlType::INT2, SqlType::INT8, SqlType::TEXT, SqlType::INT4, SqlType::TEXT]);
        let mut values = Vec::new();
        for nulls in 0_u8..32 {
            let row = [
                Value::Int2(-2),
                Value::Int8(i64::MIN),
                Value::text("short"),
                Value::Int4(7),
                Value::text(&"long".repeat(40)),
            ];
            let row: Vec<Value> =
                (0..5).map(|n| if nulls >> n & 1 == 1 { Value::Null } else { row[n].clone() }).collect();
            let tuple = FormedTuple::new(&desc, &row);
            let mut bytes = tuple.bytes.clone();
            bytes[18..20].copy_from_slice(&tuple.natts.to_le_bytes());
            bytes[20..22].copy_from_slice(&tuple.infomask.to_le_bytes());
            bytes[22] = tuple.hoff;
            desc.deform(&bytes, &mut values);
            assert_eq!(values, row);
            assert!((0..5).all(|n| desc.column(&bytes, n) == row[n]));
        }
    }

    #[test]
    fn index_tuples_have_a_bitmap_of_four_bytes() {
        let desc = desc(&[SqlType::INT4, SqlType::TEXT]);
        let plain = index_form_tuple(&desc, &[Value::Int4(9), Value::text("ab")]).expect("short");
        assert_eq!(hex(&plain), "00000000000010400900000007616200");
        let null = index_form_tuple(&desc, &[Value::Null, Value::text("ab")]).expect("short");
        assert_eq!(hex(&null), "00000000000018c002000000000000000761620000000000");
        // nothing that repeats, so that it cannot be compressed
        let mut seed = 1_u32;
        let mut letter = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(b'!' + (seed >> 24) as u8 % 90)
        };
        let text: String = (0..8200).map(|_| letter()).collect();
        let long = index_form_tuple(&desc, &[Value::Null, Value::text(&text)]);
        assert_eq!(long.expect_err("too long").message, "index row requires 8224 bytes, maximum size is 8191");
    }
}
