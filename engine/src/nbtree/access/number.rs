//! A first column of numbers: it stands at one place in each index tuple, so that a search of a page reads little more than that.
//!
//! ```text
//!  10 ───────── 27? ────────────────────────────── 90     the first guess: where 27 would be if numbers grew evenly
//!  10 ───────── 22 ─ 27? ───────────────────────── 90     the next one, between what is known then
//! ```

use super::tuple::{Items, SHORT};
use crate::datum::Value;
use crate::datum::compare::{abbreviated_number, number, number_bits};
use crate::nbtree::flags::INDEX_NULL_MASK;
use crate::page::layout::Wire;
use crate::page::nbtree::IndexTupleData;
use crate::storage::RelationData;
use core::cmp::Ordering;
use core::ops::Range;

/// The first value of a key, where it is a number: that of an item stands at one place then, and mostly decides which of them is greater.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leading {
    number: u64,
    column: NumberColumn,
}

impl Leading {
    pub fn of(rel: &RelationData, value: &Value) -> Option<Self> {
        let column = NumberColumn::first_of(rel)?;
        Some(Self { number: column.of_bits(number(rel.desc.kind(0), value)? as u64), column })
    }

    /// The key against an item, as far as this column tells; an item that has it not, or NULLs, tells nothing.
    #[inline]
    pub fn order(self, item: &[u8]) -> Option<Ordering> {
        Some(self.number.cmp(&self.column.of(item)?))
    }

    /// The place between the first item and `end`, as if numbers grew evenly: a few guesses, each between the items that the ones before have found.
    pub fn interpolate(self, items: Items<'_>, (mut low, mut high): (u16, u16), end: u16) -> (u16, u16) {
        const GUESSES: u32 = 5;
        let Some((mut least, mut most)) = self.ends(items, (low, high), end) else { return (low, high) };
        if self.number < least {
            return (low, low);
        }
        if self.number > most {
            return (high, high);
        }
        // the item that `least` is of
        let mut first = low;
        low += u16::from(self.number > least);
        for _ in 0..GUESSES {
            if low >= high {
                break;
            }
            let around = self.around::<3>((least, most), first, (low, high));
            let Some(less) = self.count_less(items, around.clone()) else { return (low, high) };
            let at = around.start + less;
            if at < around.end {
                let Some(number) = self.column.of_item(items, at) else { return (low, high) };
                if number == self.number {
                    return self.run_around(items, (low, high), at);
                }
                (high, most) = (at, number);
            }
            if at > around.start {
                (low, first) = (at, at - 1);
                if low == high {
                    return (low, high);
                }
                least = self.column.of_item(items, first).unwrap_or(least);
            }
        }
        self.halve(items, (low, high))
    }

    /// The numbers of the first item and of `end`.
    #[inline]
    fn ends(self, items: Items<'_>, (low, high): (u16, u16), end: u16) -> Option<(u64, u64)> {
        if low < high { self.column.of_item(items, low).zip(self.column.of_item(items, end)) } else { None }
    }

    /// The items that are looked at first: around the place, as if numbers grew evenly from `least`, of item `first`, to `most`, of item `high`.
    #[inline]
    fn around<const AROUND: u16>(self, (least, most): (u64, u64), first: u16, (low, high): (u16, u16)) -> Range<u16> {
        let share = difference(self.number, least) / difference(most, least);
        // a cast ends at the type's bounds
        let guess = first.saturating_add((share * f64::from(high - first)) as u16);
        let guess = guess.clamp(low, high - 1);
        guess.saturating_sub(AROUND).max(low)..guess.saturating_add(AROUND).min(high)
    }

    /// How many of the items have a lesser number; `None` where some item does not tell its own. All are read, whatever the first ones say: the processor fetches
    /// them from memory together then, and one after the other if each decided about the next.
    #[inline]
    fn count_less(self, items: Items<'_>, range: Range<u16>) -> Option<u16> {
        let (mut less, mut flags) = (0, 0);
        for tuple in items.first_bytes_of(range) {
            let tuple = tuple?;
            flags |= IndexTupleData::new(tuple).t_info();
            less += u16::from(self.column.without_null(tuple) < self.number);
        }
        (flags & INDEX_NULL_MASK == 0).then_some(less)
    }

    /// The place, which may be near item `probe`: in steps that grow until they have passed it.
    pub fn seek(self, items: Items<'_>, (mut low, mut high): (u16, u16), mut probe: u16) -> (u16, u16) {
        let mut step = 1;
        while (low..high).contains(&probe) {
            let Some(number) = self.column.of_item(items, probe) else { return (low, high) };
            match self.number.cmp(&number) {
                Ordering::Greater => (low, probe) = (probe + 1, probe + step),
                Ordering::Less => (high, probe) = (probe, probe.saturating_sub(step)),
                Ordering::Equal => return self.run_around(items, (low, high), probe),
            }
            step *= 2;
        }
        self.halve(items, (low, high))
    }

    /// The place, where it is right behind item `n`, and an item behind it is greater.
    pub fn follow(self, items: Items<'_>, n: u16) -> Option<(u16, u16)> {
        // the next item may be equal or less, and then the one behind it has to be greater
        const FEW: u16 = 2;
        if self.column.of_item(items, n)? >= self.number {
            return None;
        }
        let mut low = n + 1;
        for high in n + 1..=n + FEW {
            match self.column.of_item(items, high)?.cmp(&self.number) {
                Ordering::Greater => return Some((low, high)),
                Ordering::Equal => {}
                Ordering::Less => low = high + 1,
            }
        }
        None
    }

    /// The place by halves.
    fn halve(self, items: Items<'_>, (mut low, mut high): (u16, u16)) -> (u16, u16) {
        while high > low {
            let mid = low + (high - low) / 2;
            let Some(number) = self.column.of_item(items, mid) else { break };
            match self.number.cmp(&number) {
                Ordering::Greater => low = mid + 1,
                Ordering::Less => high = mid,
                Ordering::Equal => return self.run_around(items, (low, high), mid),
            }
        }
        (low, high)
    }

    /// The items with the key's number around one of them; few as a rule, so that the steps begin small.
    fn run_around(self, items: Items<'_>, (mut low, mut high): (u16, u16), n: u16) -> (u16, u16) {
        // an item with a NULL in another column does not tell its number
        let is_other = |n| self.column.of_item(items, n).is_some_and(|number| number != self.number);
        let (mut first, mut end, mut step) = (n, n + 1, 1);
        while first > low {
            let probe = first.saturating_sub(step).max(low);
            if is_other(probe) {
                low = probe + 1;
                break;
            }
            (first, step) = (probe, step * 2);
        }
        step = 1;
        while end < high {
            let probe = end.saturating_add(step - 1).min(high - 1);
            if is_other(probe) {
                high = probe;
                break;
            }
            (end, step) = (probe + 1, step * 2);
        }
        (low, high)
    }
}

/// A search by guesses that other searches go on beside: before each guess is made, what it is going to read can be asked for.
#[derive(Debug, Clone, Default)]
pub(super) struct Guesses {
    number: Option<Leading>,
    /// the place is behind this item, which has the number `least`
    first: u16,
    least: u64,
    /// and not behind this one, which has the number `most`
    high: u16,
    most: u64,
    /// the items that are looked at next; none once the place is known
    around: Range<u16>,
}

impl Guesses {
    /// Before the first guess, among the items of a page from `first` on; `end` is the one that is behind all of them.
    pub fn start(number: Leading, items: Items<'_>, first: u16, end: u16) -> Self {
        let high = items.count() + 1;
        match number.ends(items, (first, high), end) {
            Some((least, most)) if least < number.number && number.number <= most => {
                Self { number: Some(number), first, least, high, most, around: 0..0 }
            }
            Some((least, _)) if number.number <= least => Self { first: first - 1, high: first, ..Self::default() },
            _ => Self { first: high - 1, high, ..Self::default() },
        }
    }

    /// The item that the place is before, as far as is known.
    pub const fn place(&self) -> u16 {
        self.high
    }

    pub const fn is_done(&self) -> bool {
        self.number.is_none()
    }

    /// The item that it is behind, as far as is known.
    pub const fn before(&self) -> u16 {
        self.first
    }

    /// Makes the next guess, and reads where its items are.
    pub fn aim(&mut self, items: Items<'_>) -> u32 {
        let Some(number) = self.number else { return 0 };
        self.around = number.around::<3>((self.least, self.most), self.first, (self.first + 1, self.high));
        items.item_id(self.around.start).0 ^ items.item_id(self.around.end - 1).0
    }

    /// Looks at them.
    pub fn look(&mut self, items: Items<'_>) {
        let Some(number) = self.number else { return };
        let around = self.around.clone();
        let Some(less) = number.count_less(items, around.clone()) else { return self.number = None };
        let at = around.start + less;
        if at < around.end {
            (self.high, self.most) = (at, number.column.of_item(items, at).unwrap_or(self.most));
        }
        if at > around.start {
            (self.first, self.least) = (at - 1, number.column.of_item(items, at - 1).unwrap_or(self.least));
        }
        if self.first + 1 >= self.high {
            self.number = None;
        }
    }
}

/// As far as it is said in so many digits; the greater number first.
const fn difference(greater: u64, less: u64) -> f64 {
    greater.saturating_sub(less) as f64
}

/// Where the search for a number begins on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// near this item
    Near(u16),
    /// between the first item and this one, the high key where there is one
    Between(u16),
}

impl Start {
    /// Of a page whose first item that is no high key has that number, where nothing is known.
    pub const fn on_page(items: Items<'_>, first: u16) -> Self {
        Self::Between(if first == 1 { items.count() } else { 1 })
    }
}

/// A first column of numbers, as it lies in index tuples: in the lowest of the 8 bytes behind the header. What is told of it is the abbreviated key: of two
/// tuples the one that the index has first has the lesser number.
#[derive(Debug, Clone, Copy)]
pub(super) struct NumberColumn {
    /// the bits that are of the number
    mask: u64,
    /// those that are turned over: the sign, and all the others where the order is descending
    turned: u64,
}

impl NumberColumn {
    #[inline]
    pub fn first_of(rel: &RelationData) -> Option<Self> {
        let desc = rel.index.as_ref()?.columns.first()?.desc;
        let bits = number_bits(rel.desc.kind(0))?;
        let sign = abbreviated_number(0, bits);
        Some(Self { mask: u64::MAX >> (u64::BITS - bits), turned: if desc { !sign } else { sign } })
    }

    /// That of a tuple; `None` where it has none, or NULLs.
    #[inline]
    pub fn of(self, tuple: &[u8]) -> Option<u64> {
        self.number(tuple.first_chunk()?)
    }

    /// That of item `n` of a page.
    #[inline]
    fn of_item(self, items: Items<'_>, n: u16) -> Option<u64> {
        self.number(items.first_bytes(n)?)
    }

    /// That of the first bytes of a tuple; `None` where it has NULLs.
    #[inline]
    pub fn number(self, tuple: &[u8; SHORT]) -> Option<u64> {
        let has_null = IndexTupleData::new(tuple).t_info() & INDEX_NULL_MASK != 0;
        (!has_null).then(|| self.without_null(tuple))
    }

    /// The same of a tuple without NULLs.
    #[inline]
    pub fn without_null(self, tuple: &[u8; SHORT]) -> u64 {
        let (_, value) = tuple.split_at(IndexTupleData::SIZE);
        self.of_bits(u64::get(value))
    }

    /// The same of a value's bits; those above it may be anything.
    #[inline]
    const fn of_bits(self, bits: u64) -> u64 {
        (bits & self.mask) ^ self.turned
    }
}
