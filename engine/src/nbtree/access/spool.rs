//! The entries of an index that is built, to be sorted (`BTSpool`, src/backend/access/nbtree/nbtsort.c; `tuplesort_putindextuplevalues`,
//! `comparetup_index_btree`, src/backend/utils/sort/tuplesortvariants.c).
//!
//! ```text
//!  entries   ├ key, place, alive ┼ key, place, alive ┼ …     sorted by the abbreviated key, and where that is equal by the tuples
//!  bytes     ├ index tuple ┼ index tuple ┼ …                 as the rows came
//! ```

use super::tuple::{self, set_tid};
use super::{Index, KeyColumn};
use crate::datum::form::index_append_tuple;
use crate::datum::{SqlError, Value};
use crate::page::ItemPointer;
use crate::storage::RelationData;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// Index tuples begin at multiples of so many bytes.
const UNIT: usize = 8;

/// Entries, in any order until they are sorted.
#[derive(Debug, Default)]
pub struct Spool {
    entries: Vec<Entry>,
    bytes: Vec<u8>,
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
