//! Where each column of a tuple lies: `heap_deform_tuple` (src/backend/access/common/heaptuple.c). Heap and index
//! tuples alike.

use super::varlena::VarattExternal;
use super::{Align, Attribute};
use crate::page::{Oid, Page};
use alloc::vec::Vec;
use core::ops::Range;

/// One column of a tuple.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Datum {
    /// `attnum`
    pub attnum: u16,
    /// all its bytes on the page, the header of a varlena included, alignment before it not; empty where nothing is
    /// stored
    pub bytes: Range<u16>,
    /// how it is stored
    pub storage: Storage,
}

/// How a column is stored in a tuple.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Storage {
    /// not at all: its bit in the null bitmap is 0
    Null,
    /// not at all: the tuple is older than the column, which then has its `attmissingval`
    Missing,
    /// `attlen` bytes
    Fixed,
    /// bytes up to a zero
    Cstring,
    /// varlena with a header of one byte: up to 126 bytes
    Short,
    /// varlena with a header of four bytes
    Plain,
    /// varlena with a header of four bytes, compressed
    Compressed,
    /// a pointer into the TOAST table
    External,
    /// its bytes lead beyond the tuple's end: corrupt, or described wrongly; no later column can be found
    Broken,
}

impl Storage {
    /// Do the bytes stand for others: compressed, or in the TOAST table?
    #[must_use]
    #[inline]
    pub const fn is_packed(self) -> bool {
        matches!(self, Self::Compressed | Self::External)
    }

    /// Bytes of the header before the value's own.
    #[must_use]
    pub const fn header_len(self) -> u16 {
        match self {
            Self::Short => 1,
            Self::Plain => 4,
            Self::Compressed => 8,
            Self::External => 2,
            _ => 0,
        }
    }
}

impl Datum {
    /// The value's own bytes, after the header of a varlena.
    #[must_use]
    pub fn payload(&self) -> Range<u16> {
        let header = self.storage.header_len().min(self.bytes.len() as u16);
        self.bytes.start + header..self.bytes.end
    }

    /// Of a pointer into the TOAST table: `chunk_id` of the value there.
    #[must_use]
    pub fn toast_value(&self, page: &Page) -> Option<Oid> {
        let pointer = page.slice(self.payload());
        let is_pointer = self.storage == Storage::External && pointer.len() >= VarattExternal::SIZE;
        is_pointer.then(|| VarattExternal::new(pointer).va_valueid())
    }
}

/// Finds the columns of a tuple whose columns lie at `data`, with its null bitmap (empty: no NULLs) and the number of
/// attributes it was made with. The result has one `Datum` an attribute, in order.
#[must_use]
pub fn deform(page: &Page, data: Range<u16>, nulls: &[u8], natts: u16, attributes: &[Attribute]) -> Vec<Datum> {
    let mut at = Some(data.start);
    let columns = attributes.iter().enumerate().map(|(i, attribute)| {
        let nothing = |storage| {
            let here = at.unwrap_or(data.end).min(data.end);
            Datum { attnum: attribute.num, bytes: here..here, storage }
        };
        if i >= usize::from(natts) {
            return nothing(Storage::Missing);
        }
        if nulls.get(i / 8).is_some_and(|byte| byte >> (i % 8) & 1 == 0) {
            return nothing(Storage::Null);
        }
        let Some((bytes, storage)) = at.and_then(|at| locate(page, at..data.end, data.start, attribute)) else {
            let broken = nothing(Storage::Broken);
            at = None;
            return broken;
        };
        at = Some(bytes.end);
        Datum { attnum: attribute.num, bytes, storage }
    });
    columns.collect()
}

/// The column that begins at the start of `rest`, after alignment; `None` where it would not end within it.
fn locate(page: &Page, rest: Range<u16>, origin: u16, attribute: &Attribute) -> Option<(Range<u16>, Storage)> {
    let unaligned = page.slice(rest.clone());
    // a varlena with a one-byte header is not aligned: its first byte, unlike alignment, is not zero
    // (att_align_pointer)
    let is_packed = attribute.len == -1 && *unaligned.first()? != 0;
    let start = if is_packed { rest.start } else { align(rest.start, origin, attribute.align)? };
    let bytes = page.slice(start..rest.end);
    let (len, storage) = match attribute.len {
        -1 => varlena(bytes)?,
        -2 => (bytes.iter().position(|byte| *byte == 0)? + 1, Storage::Cstring),
        fixed => (usize::try_from(fixed).ok()?, Storage::Fixed),
    };
    (len <= bytes.len() && start <= rest.end).then(|| (start..start + len as u16, storage))
}

/// Rounds a position up, counted from the tuple's first column.
fn align(at: u16, origin: u16, align: Align) -> Option<u16> {
    (at - origin).checked_next_multiple_of(align.bytes())?.checked_add(origin)
}

/// Length and kind of the varlena at the start of `bytes` (`VARSIZE_ANY`, src/include/varatt.h).
pub(super) fn varlena(bytes: &[u8]) -> Option<(usize, Storage)> {
    let first = *bytes.first()?;
    if first == 0x01 {
        return Some((2 + external_len(*bytes.get(1)?)?, Storage::External));
    }
    if first & 1 == 1 {
        return Some((usize::from(first >> 1), Storage::Short));
    }
    let header = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?);
    let (len, storage) = ((header >> 2) as usize, if first & 2 == 0 { Storage::Plain } else { Storage::Compressed });
    (len >= usize::from(storage.header_len())).then_some((len, storage))
}

/// Length of what follows the tag of an external varlena; only `VARTAG_ONDISK` is found on a page.
const fn external_len(tag: u8) -> Option<usize> {
    const VARTAG_ONDISK: u8 = 18;
    if tag == VARTAG_ONDISK { Some(16) } else { None }
}
