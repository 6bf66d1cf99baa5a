//! The entries of an index that is built, to be sorted (`BTSpool`, src/backend/access/nbtree/nbtsort.c; `tuplesort_putindextuplevalues`,
//! `comparetup_index_btree`, src/backend/utils/sort/tuplesortvariants.c).
//!
//! ```text
//!  entries   ├ key, place, alive ┼ key, place, alive ┼ …     sorted by the abbreviated key, and where that is equal by the tuples
//!  bytes     ├ index tuple ┼ index tuple ┼ …                 as the rows came
//! ```

use super::number::NumberColumn;
use super::tuple::{self, set_size, set_tid};
use super::{Index, KeyColumn};
use crate::datum::compare::abbreviated_number;
use crate::datum::form::index_append_tuple;
use crate::datum::{SqlError, TupleDesc, Value};
use crate::page::ItemPointer;
use crate::page::nbtree::IndexTupleData;
use crate::storage::RelationData;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Range;

/// Index tuples begin at multiples of so many bytes.
const UNIT: usize = 8;

/// Entries, in any order until they are sorted.
#[derive(Debug, Default)]
pub struct Spool {
    entries: Vec<Entry>,
    bytes: Vec<[u8; UNIT]>,
    /// memory in which a tuple is put together
    tuple: Vec<u8>,
}

/// How entries are copied of the table's tuples, byte by byte: an index of columns that have their places in each tuple without NULLs.
#[derive(Debug)]
pub struct Copied {
    /// where a column stands in the table's tuple, and where in the entry
    columns: Vec<(Range<usize>, usize)>,
    /// how many columns the table's tuple must have
    natts: usize,
    /// length of an entry, in units
    units: usize,
    /// the first column, where that is a number
    first: Option<NumberColumn>,
    /// the abbreviated key of all entries, where it is none
    other: u64,
}

impl Copied {
    /// Of an index of these columns of a table, from 0; `None` where some column has no place of its own.
    #[must_use]
    pub fn new(table: &TupleDesc, index: &RelationData, slots: impl Iterator<Item = u16>) -> Option<Self> {
        let (first, other) = (NumberColumn::first_of(index), KeyColumn::all(index).next()?.without_number());
        let mut copied = Self { columns: Vec::new(), natts: 0, units: 0, first, other };
        let mut end = 0;
        for (n, slot) in slots.map(usize::from).enumerate() {
            let (from, to) = (table.fixed_place(slot)?, index.desc.fixed_place(n)?);
            if from.len() != to.len() {
                return None;
            }
            end = IndexTupleData::SIZE + to.end;
            copied.natts = copied.natts.max(slot + 1);
            copied.columns.push((from, IndexTupleData::SIZE + to.start));
        }
        copied.units = end.div_ceil(UNIT);
        Some(copied)
    }

    /// An entry's abbreviated key, and the entry, behind others.
    #[inline]
    fn copy(&self, values: &[u8], tid: ItemPointer, bytes: &mut Vec<[u8; UNIT]>) -> u64 {
        let start = bytes.len();
        bytes.reserve(self.units);
        for _ in 0..self.units {
            bytes.push([0; UNIT]);
        }
        let entry = bytes[start..].as_flattened_mut();
        set_tid(entry, tid);
        set_size(entry, self.units * UNIT);
        for (from, to) in &self.columns {
            if let (Some(from), Some(to)) = (values.get(from.clone()), entry.get_mut(*to..*to + from.len())) {
                copy_column(to, from);
            }
        }
        let number = self.first.and_then(|first| first.of(entry));
        number.map_or(self.other, abbreviated_number)
    }
}

/// Copies a column's bytes. Most are numbers, for which the processor has moves of its own.
#[inline]
fn copy_column(to: &mut [u8], from: &[u8]) {
    if let (Ok(to), Ok(from)) = (<&mut [u8; 4]>::try_from(&mut *to), <&[u8; 4]>::try_from(from)) {
        *to = *from;
    } else if let (Ok(to), Ok(from)) = (<&mut [u8; 8]>::try_from(&mut *to), <&[u8; 8]>::try_from(from)) {
        *to = *from;
    } else {
        to.copy_from_slice(from);
    }
}

/// An entry (`SortTuple`).
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// abbreviated value of the first column
    key: u64,
    /// where its tuple begins, in units
    place: u32,
    /// is the row alive? Only such rows have to be unique
    alive: bool,
}

impl Spool {
    /// An entry for a row: columns of the index, where the row is, and whether it is alive.
    ///
    /// # Errors
    /// A tuple that is too large.
    pub fn put(&mut self, rel: &RelationData, values: &[Value], tid: ItemPointer, alive: bool) -> Result<(), SqlError> {
        let place = self.bytes.len() as u32;
        let mut tuple = core::mem::take(&mut self.tuple);
        tuple.clear();
        index_append_tuple(&rel.desc, values, &mut tuple)?;
        set_tid(&mut tuple, tid);
        self.bytes.extend_from_slice(tuple.as_chunks().0);
        self.tuple = tuple;
        let first = KeyColumn::all(rel).next().zip(values.first());
        let key = first.map_or(0, |(column, value)| column.abbreviated(value));
        self.entries.push(Entry { key, place, alive });
        Ok(())
    }

    /// An entry that is copied of a row's tuple; `false`: the row has NULLs, or is older than some column.
    #[must_use]
    #[inline]
    pub fn copy(&mut self, copied: &Copied, row: &[u8], tid: ItemPointer, alive: bool) -> bool {
        let Some(values) = TupleDesc::values_without_null(row, copied.natts) else { return false };
        let place = self.bytes.len() as u32;
        let key = copied.copy(values, tid, &mut self.bytes);
        self.entries.push(Entry { key, place, alive });
        true
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Is there none?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Puts them into the order of the index.
    pub(super) fn sort(&mut self, index: &Index<'_>) {
        let bytes = self.bytes.as_flattened();
        self.entries.sort_unstable_by(|a, b| a.key.cmp(&b.key).then_with(|| a.compare(b, bytes, index)));
    }

    /// The tuples, each with whether its row is alive.
    pub(super) fn tuples(&self) -> impl Iterator<Item = (&[u8], bool)> {
        let bytes = self.bytes.as_flattened();
        self.entries.iter().map(move |entry| (entry.tuple(bytes), entry.alive))
    }
}

impl Entry {
    fn tuple(self, bytes: &[u8]) -> &[u8] {
        let rest = bytes.get(self.place as usize * UNIT..).unwrap_or(&[]);
        rest.get(..tuple::size(rest)).unwrap_or(rest)
    }

    fn compare(self, other: &Self, bytes: &[u8], index: &Index<'_>) -> Ordering {
        let (a, b) = (self.tuple(bytes), other.tuple(bytes));
        index.compare_keys(a, b).then_with(|| tuple::tid(a, 0).cmp(&tuple::tid(b, 0)))
    }
}
