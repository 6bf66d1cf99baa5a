//! The entries of an index that is built, to be sorted (`BTSpool`, src/backend/access/nbtree/nbtsort.c;
//! `tuplesort_putindextuplevalues`, `comparetup_index_btree`, src/backend/utils/sort/tuplesortvariants.c).
//!
//! ```text
//!  short     ├ index tuple ┼ index tuple ┼ …                 16 bytes each, the first column a number: sorted themselves
//!
//!  entries   ├ key, place, alive ┼ key, place, alive ┼ …     others: sorted by the abbreviated key, and where that is equal by the tuples
//!  bytes     ├ index tuple ┼ index tuple ┼ …                 as the rows came
//! ```
//!
//! Columns of fixed length are taken from the table's tuples as bytes. What comes in order is not sorted.

use crate::access::nbtree::fast::number::NumberColumn;
use crate::access::nbtree::fast::pieces::Pieces;
use crate::access::nbtree::tuple;
use crate::access::nbtree::tuple::{SHORT, Short, set_size, set_tid};
use crate::access::nbtree::{Index, KeyColumn};
use crate::plain::PLAIN;
use crate::storage::RelationData;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Range;
use ffviz_format::datum::form::index_append_tuple;
use ffviz_format::datum::{SqlError, TupleDesc, Value};
use ffviz_format::page::ItemPointer;
use ffviz_format::page::nbtree::IndexTupleData;

/// Index tuples begin at multiples of so many bytes.
const UNIT: usize = 8;

/// Entries, in any order until they are sorted.
#[derive(Debug, Default)]
pub struct Spool {
    /// the first column, where that has a number
    first: Option<NumberColumn>,
    /// all entries, as long as each is short and has a number
    short: Pieces,
    /// the number of the last of those, where each is greater than the one before: then they are in order, and no two
    /// are equal
    ascending: Option<u64>,
    /// which of them are of rows that are not alive
    dead: BTreeSet<ItemPointer>,
    /// all entries, where some is not short
    entries: Vec<Entry>,
    bytes: Vec<[u8; UNIT]>,
    /// memory in which a tuple is put together
    tuple: Vec<u8>,
}

/// How entries are copied of the table's tuples, byte by byte: an index of columns that have their places in each tuple
/// without NULLs.
#[derive(Debug)]
pub struct Copied {
    /// where a column stands in the table's tuple, and where in the entry
    columns: Vec<(Range<usize>, usize)>,
    /// how many columns the table's tuple must have
    natts: usize,
    /// length of an entry, in units
    units: usize,
    /// the abbreviated key of all entries, where the first column has no number
    other: u64,
}

impl Copied {
    /// Of an index of these columns of a table, from 0; `None` where some column has no place of its own.
    #[must_use]
    pub fn new(table: &TupleDesc, index: &RelationData, slots: impl Iterator<Item = u16>) -> Option<Self> {
        if PLAIN {
            return None;
        }
        let other = KeyColumn::all(index).next()?.without_number();
        let mut copied = Self { columns: Vec::new(), natts: 0, units: 0, other };
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

    /// The entry, in memory that is empty and long enough.
    #[inline]
    fn copy(&self, values: &[u8], tid: ItemPointer, entry: &mut [u8]) {
        set_tid(entry, tid);
        set_size(entry, self.units * UNIT);
        for (from, to) in &self.columns {
            if let (Some(from), Some(to)) = (values.get(from.clone()), entry.get_mut(*to..*to + from.len())) {
                copy_column(to, from);
            }
        }
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
    /// is the row alive?
    alive: bool,
}

impl Spool {
    /// Entries of this index, none yet.
    #[must_use]
    pub fn new(rel: &RelationData) -> Self {
        Self { first: NumberColumn::first_of(rel), ascending: Some(u64::MIN), ..Self::default() }
    }

    /// An entry for a row: columns of the index, where the row is, and whether it is alive.
    ///
    /// # Errors
    /// A tuple that is too large.
    pub fn put(&mut self, rel: &RelationData, values: &[Value], tid: ItemPointer, alive: bool) -> Result<(), SqlError> {
        let mut tuple = core::mem::take(&mut self.tuple);
        tuple.clear();
        index_append_tuple(&rel.desc, values, &mut tuple)?;
        set_tid(&mut tuple, tid);
        match Short::try_from(&tuple[..]) {
            Ok(short) if self.is_short(&short) => self.put_short(short, tid, alive),
            _ => {
                self.lengthen();
                let key = KeyColumn::all(rel).next().zip(values.first());
                let key = key.map_or(0, |(column, value)| column.abbreviated(value));
                self.entries.push(Entry { key, place: self.bytes.len() as u32, alive });
                self.bytes.extend_from_slice(tuple.as_chunks().0);
            }
        }
        self.tuple = tuple;
        Ok(())
    }

    /// An entry that is copied of a row's tuple; `false`: the row has NULLs, or is older than some column.
    #[must_use]
    #[inline]
    pub fn copy(&mut self, copied: &Copied, row: &[u8], tid: ItemPointer, alive: bool) -> bool {
        let Some(values) = TupleDesc::values_without_null(row, copied.natts) else { return false };
        if copied.units * UNIT == SHORT && self.takes_short() {
            let mut short = [0; SHORT];
            copied.copy(values, tid, &mut short);
            self.put_short(short, tid, alive);
            return true;
        }
        let start = self.bytes.len();
        self.bytes.resize(start + copied.units, [0; UNIT]);
        let entry = self.bytes[start..].as_flattened_mut();
        copied.copy(values, tid, entry);
        let number = self.first.and_then(|first| first.of(entry));
        let key = number.unwrap_or(copied.other);
        self.entries.push(Entry { key, place: start as u32, alive });
        true
    }

    /// Have all entries so far been short?
    fn takes_short(&self) -> bool {
        self.first.is_some() && self.entries.is_empty()
    }

    /// May the next entry be kept as a short one?
    fn is_short(&self, short: &Short) -> bool {
        self.takes_short() && self.number(short).is_some()
    }

    #[inline]
    fn put_short(&mut self, short: Short, tid: ItemPointer, alive: bool) {
        let number = self.first.map(|first| first.without_null(&short));
        self.ascending = number.filter(|number| self.ascending.is_some_and(|last| last < *number));
        self.short.push(short);
        if !alive {
            self.dead.insert(tid);
        }
    }

    fn number(&self, short: &Short) -> Option<u64> {
        self.first.and_then(|first| first.number(short))
    }

    /// An entry comes that is not short: all are to be as that one.
    fn lengthen(&mut self) {
        for short in self.short.take().flatten() {
            let key = self.number(&short).unwrap_or_default();
            let alive = !self.dead.contains(&tuple::tid(&short, 0));
            self.entries.push(Entry { key, place: self.bytes.len() as u32, alive });
            self.bytes.extend_from_slice(short.as_chunks().0);
        }
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.short.len() + self.entries.len()
    }

    /// Is there none?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Puts them into the order of the index.
    pub(super) fn sort(&mut self, index: &Index<'_>) {
        let bytes = self.bytes.as_flattened();
        self.entries.sort_unstable_by(|a, b| a.key.cmp(&b.key).then_with(|| a.compare(b, bytes, index)));
        if let Some(first) = self.first.filter(|_| !self.is_ascending()) {
            let number = |short: &Short| first.without_null(short);
            self.short.as_one().sort_unstable_by(|a, b| number(a).cmp(&number(b)).then_with(|| compare(a, b, index)));
        }
    }

    /// Did the entries come in the index' order, no two of them with the same key?
    pub(super) const fn is_ascending(&self) -> bool {
        self.entries.is_empty() && self.ascending.is_some()
    }

    /// The tuples that are short, once: either all are or none.
    pub(super) fn take_short(&mut self) -> impl Iterator<Item = Vec<Short>> + use<> {
        self.short.take()
    }

    /// The others.
    pub(super) fn long(&self) -> impl Iterator<Item = &[u8]> {
        let bytes = self.bytes.as_flattened();
        self.entries.iter().map(move |entry| entry.tuple(bytes))
    }

    /// Those of rows that are alive: only these have to be unique.
    pub(super) fn alive(&self) -> impl Iterator<Item = &[u8]> {
        let bytes = self.bytes.as_flattened();
        let long = self.entries.iter().filter(|entry| entry.alive).map(move |entry| entry.tuple(bytes));
        let is_alive = |short: &&Short| self.dead.is_empty() || !self.dead.contains(&tuple::tid(&short[..], 0));
        self.short.iter().filter(is_alive).map(<[u8; SHORT]>::as_slice).chain(long)
    }
}

impl Entry {
    fn tuple(self, bytes: &[u8]) -> &[u8] {
        let rest = bytes.get(self.place as usize * UNIT..).unwrap_or(&[]);
        rest.get(..tuple::size(rest)).unwrap_or(rest)
    }

    fn compare(self, other: &Self, bytes: &[u8], index: &Index<'_>) -> Ordering {
        compare(self.tuple(bytes), other.tuple(bytes), index)
    }
}

/// By all columns of the key, and where these are equal by the place of the row.
fn compare(a: &[u8], b: &[u8], index: &Index<'_>) -> Ordering {
    index.compare_keys(a, b).then_with(|| tuple::tid(a, 0).cmp(&tuple::tid(b, 0)))
}
