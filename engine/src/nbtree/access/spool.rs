//! The entries of an index that is built, to be sorted (`BTSpool`, src/backend/access/nbtree/nbtsort.c; `tuplesort_putindextuplevalues`,
//! `comparetup_index_btree`, src/backend/utils/sort/tuplesortvariants.c).
//!
//! ```text
//!  entries   ├ key, place, alive ┼ key, place, alive ┼ …     sorted by the abbreviated key, and where that is equal by the tuples
//!  bytes     ├ index tuple ┼ index tuple ┼ …                 as the rows came
//! ```

use super::key::NumberColumn;
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
    bytes: Vec<u8>,
}

/// How entries are copied of the table's tuples, byte by byte: an index of columns that have their places in each tuple without NULLs.
#[derive(Debug)]
pub struct Copied {
    /// where a column stands in the table's tuple, and where in the entry
    columns: Vec<(Range<usize>, usize)>,
    /// how many columns the table's tuple must have
    natts: usize,
    /// bytes of an entry
    size: usize,
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
        let mut copied = Self { columns: Vec::new(), natts: 0, size: 0, first, other };
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
        copied.size = end.next_multiple_of(UNIT);
        Some(copied)
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
        let start = index_append_tuple(&rel.desc, values, &mut self.bytes)?;
        set_tid(&mut self.bytes[start..], tid);
        let first = KeyColumn::all(rel).next().zip(values.first());
        let key = first.map_or(0, |(column, value)| column.abbreviated(value));
        self.entries.push(Entry { key, place: (start / UNIT) as u32, alive });
        Ok(())
    }

    /// An entry that is copied of a row's tuple; `false`: the row has NULLs, or is older than some column.
    #[must_use]
    pub fn copy(&mut self, copied: &Copied, row: &[u8], tid: ItemPointer, alive: bool) -> bool {
        let Some(values) = TupleDesc::values_without_null(row, copied.natts) else { return false };
        let start = self.bytes.len();
        self.bytes.resize(start + copied.size, 0);
        let entry = &mut self.bytes[start..];
        for (from, to) in &copied.columns {
            let Some(value) = values.get(from.clone()) else { continue };
            entry[*to..*to + value.len()].copy_from_slice(value);
        }
        set_tid(entry, tid);
        set_size(entry, copied.size);
        let number = copied.first.and_then(|first| first.of(entry));
        let key = number.map_or(copied.other, abbreviated_number);
        self.entries.push(Entry { key, place: (start / UNIT) as u32, alive });
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
        let bytes = &self.bytes;
        self.entries.sort_unstable_by(|a, b| a.key.cmp(&b.key).then_with(|| a.compare(b, bytes, index)));
    }

    /// The tuples, each with whether its row is alive.
    pub(super) fn tuples(&self) -> impl Iterator<Item = (&[u8], bool)> {
        self.entries.iter().map(|entry| (entry.tuple(&self.bytes), entry.alive))
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
