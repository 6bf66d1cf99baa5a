//! A first column of numbers: it stands at one place in each index tuple, so that a search of a page reads little more
//! than that. Of a uuid the number is its first half (`uuid_abbrev_convert`, src/backend/utils/adt/uuid.c): a lesser
//! one is of a lesser uuid, and equal ones tell nothing.
//!
//! ```text
//!  10 ───────── 27? ────────────────────────────── 90     the first guess: where 27 would be if numbers grew evenly
//!  10 ───────── 22 ─ 27? ───────────────────────── 90     the next one, between what is known then
//! ```
//!
//! Of an item and those beside it 16 bytes each are read, which memory gives together, and no more unless the number is
//! equal. Six are read around a guess: with two, searches were 8 to 13 % slower.

use crate::access::nbtree::tuple::{Items, SHORT};
use crate::plain::PLAIN;
use crate::storage::RelationData;
use core::cmp::Ordering;
use ffviz_format::datum::Value;
use ffviz_format::datum::compare::{NumberBits, number};
use ffviz_format::nbtree::flags::INDEX_NULL_MASK;
use ffviz_format::page::ItemIdData;
use ffviz_format::page::layout::Wire;
use ffviz_format::page::nbtree::IndexTupleData;

/// So many items are looked at together.
const TOGETHER: u16 = 6;

/// The first value of a key, where it is a number: that of an item stands at one place then, and mostly decides which
/// of them is greater.
#[derive(Debug, Clone, Copy)]
pub(in crate::access::nbtree) struct Leading {
    number: u64,
    column: NumberColumn,
}

impl Leading {
    #[inline]
    pub fn of(column: NumberColumn, value: &Value) -> Option<Self> {
        Some(Self { number: column.of_bits(number(value)?), column })
    }

    /// The number itself.
    #[inline]
    pub const fn number(self) -> u64 {
        self.number
    }

    /// Is the value equal to that of an item with the same number?
    #[inline]
    pub const fn is_whole(self) -> bool {
        !self.column.bits.is_prefix
    }

    /// Is the whole key equal then?
    #[inline]
    pub const fn is_key(self) -> bool {
        self.column.is_key
    }

    /// The key against an item, as far as this column tells; an item that has it not, or NULLs, tells nothing.
    #[inline]
    pub fn order(self, item: &[u8]) -> Option<Ordering> {
        Some(self.number.cmp(&self.column.of(item)?))
    }

    /// The place between the first item and `end`, as if numbers grew evenly: a few guesses, each between the items
    /// that the ones before have found.
    #[inline(never)]
    pub fn interpolate(self, items: Items<'_>, low: u16, mut high: u16, end: u16) -> (u16, u16) {
        const GUESSES: u32 = 5;
        let Some(last) = last_start(low, high) else { return self.halve(items, low, high) };
        let Some((mut least, mut most)) = self.ends(items, low, end) else { return (low, high) };
        match self.number.cmp(&least) {
            Ordering::Less => return (low, low),
            Ordering::Equal => return self.run_around(items, low, high, low),
            Ordering::Greater if self.number > most => return (high, high),
            Ordering::Greater => {}
        }
        // the item that `least` is of
        let mut first = low;
        for _ in 0..GUESSES {
            let start = self.guess(least, most, first, high).min(last);
            let Some(less) = self.count_less(items, start) else { break };
            let at = start + less;
            if less == TOGETHER {
                first = at - 1;
                least = self.column.of_item(items, first).unwrap_or(least);
            } else {
                let Some(number) = self.column.of_item(items, at) else { break };
                if number == self.number {
                    return self.run_around(items, first + 1, high, at);
                } else if less > 0 {
                    return (at, at);
                } else {
                    (high, most) = (at, number)
                }
            }
            if first + 1 >= high {
                return (high, high);
            }
        }
        self.halve(items, first + 1, high)
    }

    /// The numbers of the first item and of `end`.
    #[inline]
    fn ends(self, items: Items<'_>, first: u16, end: u16) -> Option<(u64, u64)> {
        self.column.of_item(items, first).zip(self.column.of_item(items, end))
    }

    /// Where the items begin that are looked at together: around the place, as if numbers grew evenly from `least`, of
    /// item `first`, to `most`, of item `high`.
    #[inline]
    fn guess(self, least: u64, most: u64, first: u16, high: u16) -> u16 {
        const BEFORE: u16 = (TOGETHER - 1) / 2;
        let guess = share(self.number.wrapping_sub(least), most.wrapping_sub(least), high - first);
        first.saturating_add(guess.saturating_sub(BEFORE))
    }

    /// How many of the items from that one on have a lesser number; `None` where some item does not tell its own. All
    /// are read, whatever the first ones say: the processor fetches them from memory together then, and one after the
    /// other if each decided about the next.
    #[inline(never)]
    fn count_less(self, items: Items<'_>, start: u16) -> Option<u16> {
        let (mut less, mut flags, mut shortest) = (0, 0, u32::MAX);
        for (ItemIdData(lp), tuple) in items.first_bytes_of::<_, { TOGETHER as usize }>(start)? {
            // the length is in the highest bits
            shortest = shortest.min(lp);
            flags |= IndexTupleData::new(tuple).t_info();
            less += u16::from(self.column.without_null(tuple) < self.number);
        }
        let tell_all = flags & INDEX_NULL_MASK == 0 && usize::from(ItemIdData(shortest).lp_len()) >= SHORT;
        tell_all.then_some(less)
    }

    /// The place, which may be near item `probe`: in steps that grow until they have passed it.
    #[inline(never)]
    pub fn seek(self, items: Items<'_>, mut low: u16, mut high: u16, mut probe: u16) -> (u16, u16) {
        let mut step = 1;
        while (low..high).contains(&probe) {
            let Some(number) = self.column.of_item(items, probe) else { return (low, high) };
            match self.number.cmp(&number) {
                Ordering::Greater => (low, probe) = (probe + 1, probe + step),
                Ordering::Less => (high, probe) = (probe, probe.saturating_sub(step)),
                Ordering::Equal => return self.run_around(items, low, high, probe),
            }
            step *= 2;
        }
        self.halve(items, low, high)
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
    #[inline(never)]
    fn halve(self, items: Items<'_>, mut low: u16, mut high: u16) -> (u16, u16) {
        while high > low {
            let mid = low + (high - low) / 2;
            let Some(number) = self.column.of_item(items, mid) else { break };
            match self.number.cmp(&number) {
                Ordering::Greater => low = mid + 1,
                Ordering::Less => high = mid,
                Ordering::Equal => return self.run_around(items, low, high, mid),
            }
        }
        (low, high)
    }

    /// The items with the key's number around one of them; few as a rule, so that the steps begin small.
    #[inline(never)]
    fn run_around(self, items: Items<'_>, mut low: u16, mut high: u16, n: u16) -> (u16, u16) {
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

/// A search item by item, so that what is read next can be asked for before. Each item is where the number would be if
/// numbers grew evenly from the one before, and further than that by more and more; never beyond the middle of what is
/// left.
///
/// ```text
///  10 ───────── 22? ────── 24? ── 26? ──── 31? ─────── 90     27: read are 22, 24, 31, 26
/// ```
#[derive(Debug, Clone, Copy)]
pub(super) struct Search {
    pub number: Leading,
    /// the place is behind this item
    first: u16,
    /// and not behind this one
    high: u16,
    /// the item that is read next
    probe: u16,
    /// how much further than it seems the one after that is
    step: u16,
    /// so far as `count` items the numbers grow by `whole`, on the page as a whole
    whole: u64,
    count: u16,
}

impl Search {
    /// On no page yet.
    pub const fn new(number: Leading) -> Self {
        Self { number, first: 0, high: 0, probe: 0, step: 1, whole: 0, count: 0 }
    }

    /// Begins on a page, among the items from `first` on; `end` is the one that is behind all of them. Gives whether
    /// the number is between them.
    pub fn begin(&mut self, items: Items<'_>, first: u16, end: u16) -> bool {
        let (number, high) = (self.number.number, items.count() + 1);
        let ends = self.number.ends(items, first, end);
        (self.first, self.high, self.probe) = match ends {
            Some((least, most)) if least < number && number <= most && first + 1 < high => {
                (self.whole, self.count) = (most - least, high - first);
                (first, high, (first + self.share(number - least)).clamp(first + 1, high - 1))
            }
            Some((least, _)) if number <= least => (first - 1, first, first - 1),
            _ => (high - 1, high, high - 1),
        };
        ends.is_some_and(|(least, most)| least < number && number <= most)
    }

    pub const fn is_done(&self) -> bool {
        self.first + 1 >= self.high
    }

    /// The item that it is behind, as far as is known.
    pub const fn before(&self) -> u16 {
        self.first
    }

    /// The item that is read next.
    pub const fn probe(&self) -> u16 {
        self.probe
    }

    /// How many items it takes for numbers to grow so much, if they grow evenly.
    #[inline]
    fn share(&self, part: u64) -> u16 {
        share(part, self.whole, self.count)
    }

    /// Reads it; an item that does not tell its number, or is not there any more, ends the search. Which way to go is
    /// decided by no jump, which the processor would guess wrongly every other time.
    pub fn look(&mut self, items: Items<'_>) {
        let Some(found) = self.number.column.of_item(items, self.probe) else {
            self.high = self.first + 1;
            return;
        };
        let is_behind = found < self.number.number;
        self.first = if is_behind { self.probe } else { self.first };
        self.high = if is_behind { self.high } else { self.probe };
        let half = self.first + (self.high - self.first) / 2;
        let far = self.share(found.abs_diff(self.number.number)).saturating_add(self.step);
        let up = half.min(self.first.saturating_add(far));
        let down = half.max(self.high.saturating_sub(far));
        self.probe = if is_behind { up } else { down };
        self.step = self.step.saturating_mul(2);
    }
}

/// Where the last items of these begin that can be looked at together; `None` where there are fewer.
#[inline]
fn last_start(first: u16, end: u16) -> Option<u16> {
    end.checked_sub(TOGETHER).filter(|last| *last >= first)
}

/// The share of `count` that a part has of the whole, which is not less; of numbers of very many digits the last ones
/// do not matter.
#[inline]
fn share(part: u64, whole: u64, count: u16) -> u16 {
    let share = match part.checked_mul(count.into()) {
        Some(product) => product.checked_div(whole),
        None => ((part >> u16::BITS) * u64::from(count)).checked_div(whole >> u16::BITS),
    };
    share.map_or(0, |share| share as u16)
}

/// A first column of numbers, as it lies in index tuples: in the lowest of the 8 bytes behind the header. What is told
/// of it is the abbreviated key: of two tuples with different numbers the one that the index has first has the lesser
/// one.
#[derive(Debug, Clone, Copy)]
pub(in crate::access::nbtree) struct NumberColumn {
    /// how they are read; all are turned over where the order is descending
    bits: NumberBits,
    /// is the number all there is to a key?
    pub is_key: bool,
}

impl NumberColumn {
    #[inline]
    pub fn first_of(rel: &RelationData) -> Option<Self> {
        if PLAIN {
            return None;
        }
        let index = rel.index.as_ref()?;
        let (desc, bits) = (index.columns.first()?.desc, NumberBits::of(rel.desc.kind(0))?);
        let is_key = index.n_keys == 1 && !bits.is_prefix;
        Some(Self { bits: NumberBits { turned: if desc { !bits.turned } else { bits.turned }, ..bits }, is_key })
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
        self.bits.abbreviated(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use ffviz_format::datum::sql_type::Kind;
    use ffviz_format::page::Page;
    use ffviz_format::page::nbtree::BTPageOpaqueData;

    const UNSIGNED: NumberColumn =
        NumberColumn { bits: NumberBits { mask: u64::MAX, turned: 0, is_prefix: false }, is_key: true };

    /// A rightmost leaf with these numbers.
    fn leaf(numbers: &[u64]) -> Page {
        leaf_of(numbers.iter().map(|number| number.to_le_bytes()))
    }

    /// The same of values of any fixed length.
    fn leaf_of<const N: usize>(values: impl Iterator<Item = [u8; N]>) -> Page {
        let mut page = Page::init(8192, BTPageOpaqueData::SIZE as u16);
        for (n, value) in (1..).zip(values) {
            let mut item = [0; IndexTupleData::SIZE].to_vec();
            item[6] = (IndexTupleData::SIZE + N) as u8;
            item.extend_from_slice(&value);
            page.add_item(&item, crate::access::nbtree::offset(n), false).expect("room");
        }
        page
    }

    /// The place of each number and of its neighbours is behind all lesser ones: where a search ends, and within what
    /// is interpolated.
    fn check(mut numbers: Vec<u64>) {
        numbers.sort_unstable();
        let page = leaf(&numbers);
        let (items, count) = (Items::of(&page), numbers.len() as u16);
        for number in numbers.iter().flat_map(|n| [n.saturating_sub(1), *n, n.saturating_add(1)]) {
            let expect = numbers.partition_point(|n| *n < number) as u16;
            let leading = Leading { number, column: UNSIGNED };
            let (low, high) = leading.interpolate(items, 1, count + 1, count);
            assert!((low..=high).contains(&(expect + 1)), "{number} in {numbers:?}");
            let mut search = Search::new(leading);
            search.begin(items, 1, count);
            while !search.is_done() {
                search.look(items);
            }
            assert_eq!(search.before(), expect, "{number} in {numbers:?}");
        }
    }

    #[test]
    fn a_number_goes_behind_all_lesser_ones() {
        let random = |n: u64| n.wrapping_mul(6_364_136_223_846_793_005) >> 20;
        for count in [0, 1, 2, 5, 6, 7, 300, 400] {
            check((0..count).map(|n| n * 10).collect());
            check((0..count).map(random).collect());
            check((0..count).map(|n| n / 40 * 7_919 + n % 40 * 5).collect());
            check((0..count).map(|n| n / 9).collect());
            check((0..count).map(|n| if n < 300 { n } else { u64::MAX - n }).collect());
        }
    }

    /// Of uuids the place is in the range that their first halves give, which is none where these tell all.
    fn check_uuids(mut uuids: Vec<u128>, desc: bool) {
        uuids.sort_unstable_by(|a, b| if desc { b.cmp(a) } else { a.cmp(b) });
        let page = leaf_of(uuids.iter().map(|uuid| uuid.to_be_bytes()));
        let (items, count) = (Items::of(&page), uuids.len() as u16);
        let bits = NumberBits::of(Kind::Uuid).expect("bits");
        let bits = NumberBits { turned: if desc { u64::MAX } else { 0 }, ..bits };
        let column = NumberColumn { bits, is_key: false };
        for uuid in uuids.iter().flat_map(|uuid| [uuid.saturating_sub(1), *uuid, uuid.saturating_add(1)]) {
            let expect = uuids.partition_point(|n| if desc { *n > uuid } else { *n < uuid }) as u16 + 1;
            let is_alone = uuids.iter().all(|n| *n >> 64 != uuid >> 64);
            let is_right = |(low, high)| (low..=high).contains(&expect) && (low == high || !is_alone);
            let leading = Leading { number: column.of_bits(u64::get(&uuid.to_be_bytes())), column };
            let end = count + 1;
            let found = [leading.interpolate(items, 1, end, count), leading.seek(items, 1, end, expect / 2 + 1)];
            let next = leading.follow(items, expect - 1);
            assert!(found.into_iter().chain(next).all(is_right), "{uuid:x} in {uuids:x?}");
        }
    }

    #[test]
    fn uuids_with_the_same_first_half_are_told_apart_by_no_number() {
        let random = |n: u128| n.wrapping_mul(0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645);
        for (count, desc) in [1, 2, 7, 200].into_iter().flat_map(|count| [(count, false), (count, true)]) {
            check_uuids((1..=count).map(random).collect(), desc);
            check_uuids((0..count).collect(), desc);
            check_uuids((0..count).map(|n| ((n / 9) << 120) | (random(n) >> 64)).collect(), desc);
        }
    }
}
