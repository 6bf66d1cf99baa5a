//! Writing to a page: header fields, line pointers, `PageInit` and `PageAddItemExtended`
//! (src/backend/storage/page/bufpage.c).
//!
//! What a record of a damaged WAL asks for may be impossible: then nothing is written, and a sentence says why.

use super::header::PD_HAS_FREE_LINES;
use super::layout::Wire;
use super::{ItemIdData, LpFlags, Lsn, MAXALIGN, OffsetNumber, Page, PageHeaderData, first_where};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// `MAXALIGN`: rounded up to the next multiple of 8.
#[must_use]
#[inline]
pub const fn maxalign(length: u16) -> u16 {
    length.saturating_add(MAXALIGN - 1) & !(MAXALIGN - 1)
}

/// Where `pd_lower` and `pd_upper` are.
const PD_LOWER: usize = PageHeaderData::FIELDS[3].offset as usize;
const PD_UPPER: usize = PageHeaderData::FIELDS[4].offset as usize;
/// `PG_PAGE_LAYOUT_VERSION`
const LAYOUT_VERSION: u16 = 4;

/// Sets `pd_lower` and `pd_upper`.
#[inline]
fn set_bounds(bytes: &mut [u8], lower: u16, upper: u16) {
    if let Some(header) = bytes.first_chunk_mut::<{ PageHeaderData::SIZE }>() {
        PageHeaderData::edit(header).pd_lower(lower).pd_upper(upper);
    }
}

/// Puts items on a page that is sound.
#[derive(Debug)]
pub struct Appender<'a> {
    bytes: &'a mut [u8],
    lower: u16,
    upper: u16,
}

impl Appender<'_> {
    /// `PageGetFreeSpace`: what an item may take besides its line pointer.
    #[inline]
    #[must_use]
    pub const fn free_space(&self) -> usize {
        self.upper.saturating_sub(self.lower).saturating_sub(ItemIdData::SIZE as u16) as usize
    }

    /// One more behind the others. Was there room?
    #[inline]
    pub fn put(&mut self, item: &[u8]) -> bool {
        self.put_at(item, self.lower)
    }

    /// The same for an item of so many bytes that `write` writes to its place.
    #[inline]
    pub fn put_with(&mut self, length: usize, write: impl FnOnce(&mut [u8])) -> bool {
        let Some((lower, upper)) = self.bounds_with(length) else { return false };
        ItemIdData::normal(upper, length as u16).0.set(&mut self.bytes[usize::from(self.lower)..]);
        write(&mut self.bytes[usize::from(upper)..][..length]);
        self.set_bounds(lower, upper);
        true
    }

    /// One more, whose line pointer lies there; the later ones have moved up.
    #[inline]
    fn put_at(&mut self, item: &[u8], line_pointer: u16) -> bool {
        let Some((lower, upper)) = self.bounds_with(item.len()) else { return false };
        let at = usize::from(line_pointer);
        if line_pointer < self.lower {
            self.bytes.copy_within(at..usize::from(self.lower), at + ItemIdData::SIZE);
        }
        ItemIdData::normal(upper, item.len() as u16).0.set(&mut self.bytes[at..]);
        copy_item(&mut self.bytes[usize::from(upper)..][..item.len()], item);
        self.set_bounds(lower, upper);
        true
    }

    /// `pd_lower` and `pd_upper` with one item more, if there is room for it.
    #[inline]
    fn bounds_with(&self, length: usize) -> Option<(u16, u16)> {
        let length = u16::try_from(length).unwrap_or(u16::MAX);
        let lower = self.lower + ItemIdData::SIZE as u16;
        self.upper.checked_sub(maxalign(length)).filter(|upper| *upper >= lower).map(|upper| (lower, upper))
    }

    #[inline]
    fn set_bounds(&mut self, lower: u16, upper: u16) {
        set_bounds(self.bytes, lower, upper);
        (self.lower, self.upper) = (lower, upper);
    }

    /// Items of one length, a multiple of 8, behind the others. Was there room for all? Else none came in.
    pub fn put_each<const N: usize>(&mut self, items: &[[u8; N]]) -> bool {
        let lower = usize::from(self.lower) + items.len() * ItemIdData::SIZE;
        let Some(upper) = usize::from(self.upper).checked_sub(items.len() * N) else { return false };
        let Some((head, tuples)) = self.bytes[..self.upper.into()].split_at_mut_checked(upper) else { return false };
        let Some(line_pointers) = head.get_mut(self.lower.into()..lower) else { return false };
        let (places, _) = tuples.as_chunks_mut::<N>();
        let (line_pointers, _) = line_pointers.as_chunks_mut::<{ ItemIdData::SIZE }>();
        let mut at = self.upper;
        for ((place, line_pointer), item) in places.iter_mut().rev().zip(line_pointers).zip(items) {
            at -= N as u16;
            *place = *item;
            *line_pointer = ItemIdData::normal(at, N as u16).0.to_le_bytes();
        }
        self.set_bounds(lower as u16, upper as u16);
        true
    }

    /// Those of another page with these numbers. Was there room for all? Else none came in. Items that lie there one
    /// below the other, as they do on a page that was filled in order, are copied together.
    pub fn put_items(&mut self, page: &Page, numbers: Range<u16>) -> bool {
        let words = usize::from(numbers.start).saturating_sub(1)..usize::from(numbers.end).saturating_sub(1);
        let words = page.line_pointer_words().get(words).unwrap_or(&[]);
        let lower = usize::from(self.lower) + size_of_val(words);
        let Some((head, tuples)) = self.bytes.split_at_mut_checked(lower) else { return false };
        let (line_pointers, _) = head[self.lower.into()..].as_chunks_mut::<{ ItemIdData::SIZE }>();
        let mut copy = |run: Range<usize>, to: usize| {
            let place = to.checked_sub(lower).and_then(|at| tuples.get_mut(at..at + run.len()));
            let both = place.zip(page.bytes().get(run));
            both.is_some_and(|(place, items)| {
                copy_item(place, items);
                true
            })
        };
        // the run of items that are copied together, and where the last of them comes to lie
        let (mut run, mut upper) = (0..0, usize::from(self.upper));
        for (to, word) in line_pointers.iter_mut().zip(words) {
            let lp = ItemIdData::from(*word);
            let (start, length) = (usize::from(lp.lp_off()), usize::from(lp.lp_len()));
            if start + length != run.start || !lp.lp_len().is_multiple_of(MAXALIGN) {
                if !copy(run.clone(), upper) {
                    return false;
                }
                run.end = start + length;
            }
            run.start = start;
            upper = upper.saturating_sub(length.next_multiple_of(MAXALIGN.into()));
            *to = ItemIdData::normal(upper as u16, lp.lp_len()).0.to_le_bytes();
        }
        let has_room = copy(run, upper);
        if has_room {
            self.set_bounds(lower as u16, upper as u16);
        }
        has_room
    }
}

/// Of as many bytes.
#[inline]
fn copy_item(place: &mut [u8], item: &[u8]) {
    // index tuples of a number, in two moves of the processor
    match (<&mut [u8; 16]>::try_from(&mut *place), <&[u8; 16]>::try_from(item)) {
        (Ok(place), Ok(item)) => *place = *item,
        _ => place.copy_from_slice(item),
    }
}

impl Page {
    /// `PageInit`: an empty page with so many bytes of special space (rounded up).
    #[must_use]
    pub fn init(size: u16, special: u16) -> Self {
        let mut page = Self::zero(size);
        let special = size.saturating_sub(maxalign(special));
        page.set_pd_lower(PageHeaderData::SIZE as u16);
        page.set_pd_upper(special);
        page.write(16, &special);
        page.write(18, &(size | LAYOUT_VERSION));
        page
    }

    /// Writes a value at a byte position; where it does not fit on the page, nothing.
    #[inline]
    pub fn write<T: Wire>(&mut self, at: u16, value: &T) {
        let at = usize::from(at);
        if let Some(bytes) = self.bytes_mut().get_mut(at..at + T::SIZE) {
            value.set(bytes);
        }
    }

    /// Writes bytes at a position; where they do not fit on the page, nothing.
    #[inline]
    pub fn write_bytes(&mut self, at: u16, bytes: &[u8]) {
        let at = usize::from(at);
        if let Some(place) = self.bytes_mut().get_mut(at..at + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    }

    /// Sets `pd_lsn`.
    pub fn set_pd_lsn(&mut self, lsn: Lsn) {
        self.write(0, &lsn);
    }

    /// Sets `pd_flags`.
    pub fn set_pd_flags(&mut self, flags: u16) {
        self.write(10, &flags);
    }

    /// Sets `pd_lower`.
    pub fn set_pd_lower(&mut self, lower: u16) {
        self.write(PD_LOWER as u16, &lower);
    }

    /// Sets `pd_upper`.
    pub fn set_pd_upper(&mut self, upper: u16) {
        self.write(PD_UPPER as u16, &upper);
    }

    /// Sets `pd_prune_xid`.
    pub fn set_pd_prune_xid(&mut self, xid: u32) {
        self.write(20, &xid);
    }

    /// The line pointer of a number, where the page has it.
    #[must_use]
    #[inline]
    pub fn item_id(&self, n: OffsetNumber) -> Option<ItemIdData> {
        let header = PageHeaderData::new(self.bytes().first_chunk::<{ PageHeaderData::SIZE }>()?);
        let (lower, special) = (header.pd_lower(), header.pd_special());
        // as it is where the header is in order
        let ends_with_lower = lower <= special && special <= self.size() && header.pd_upper() != 0;
        let end = if ends_with_lower { usize::from(lower) } else { self.end_of_items() };
        let end_of_item = PageHeaderData::SIZE + ItemIdData::SIZE * usize::from(n.0);
        let item = self.bytes().get(end_of_item - ItemIdData::SIZE..end_of_item)?;
        (n.0 > 0 && end_of_item <= end).then(|| ItemIdData(u32::get(item)))
    }

    /// Where the line pointers end, as far as they lie within a page whose header may say anything.
    #[cold]
    fn end_of_items(&self) -> usize {
        PageHeaderData::SIZE + ItemIdData::SIZE * usize::from(self.item_count())
    }

    /// All line pointers.
    #[must_use]
    pub fn item_ids(&self) -> Vec<ItemIdData> {
        let mut lps = Vec::new();
        self.read_item_ids(&mut lps);
        lps
    }

    /// The same into memory that is there.
    pub fn read_item_ids(&self, lps: &mut Vec<ItemIdData>) {
        lps.clear();
        lps.extend(self.line_pointer_words().iter().map(|word| ItemIdData::from(*word)));
    }

    /// Writes a line pointer; the array is as long as `pd_lower` says.
    pub fn set_item_id(&mut self, n: OffsetNumber, lp: ItemIdData) {
        self.write(item_id_at(n), &lp.0);
    }

    /// Writes the first line pointers; the array is as long as `pd_lower` says.
    pub fn set_item_ids(&mut self, lps: &[ItemIdData]) {
        let (words, _) = self.bytes_mut().get_mut(PageHeaderData::SIZE..).unwrap_or(&mut []).as_chunks_mut();
        words.iter_mut().zip(lps).for_each(|(word, lp)| *word = lp.0.to_le_bytes());
    }

    /// `PageAddItemExtended` with a number: puts the item's bytes below `pd_upper` and its line pointer at `n`. With
    /// `overwrite` that line pointer must be unused, or the next one; without, the later ones move up.
    ///
    /// # Errors
    /// A sentence, where the page has no room or no such place; it is as it was then.
    pub fn add_item(&mut self, item: &[u8], n: OffsetNumber, overwrite: bool) -> Result<(), String> {
        self.add_item_with(item.len(), n, overwrite, |bytes, to| bytes[to..to + item.len()].copy_from_slice(item))
    }

    /// The same for an item of so many bytes that `write` writes to its place, given the page's bytes and the place.
    ///
    /// # Errors
    /// As those of [`Self::add_item`].
    pub fn add_item_with(
        &mut self,
        length: usize,
        n: OffsetNumber,
        overwrite: bool,
        write: impl FnOnce(&mut [u8], usize),
    ) -> Result<(), String> {
        let (lower, upper, special) = (self.header().pd_lower(), self.header().pd_upper(), self.special_start());
        if lower < PageHeaderData::SIZE as u16 || lower > upper || upper > special {
            return Err(format!("corrupted page pointers: lower = {lower}, upper = {upper}, special = {special}"));
        }
        let next = self.item_count() + 1;
        let is_new = n.0 == next;
        if n.0 == 0 || n.0 > next {
            return Err(format!("line pointer {n} does not follow the {} that are there", next - 1));
        }
        if overwrite && !is_new && self.item_id(n).is_some_and(|lp| lp.0 != 0) {
            return Err(format!("line pointer {n} is in use"));
        }
        let length = u16::try_from(length).unwrap_or(u16::MAX);
        let grows = is_new || !overwrite;
        let new_lower = if grows { lower + ItemIdData::SIZE as u16 } else { lower };
        let new_upper = upper.checked_sub(maxalign(length)).filter(|new| *new >= new_lower);
        let new_upper =
            new_upper.ok_or_else(|| format!("an item of {length} bytes does not fit between {lower} and {upper}"))?;
        // asked for once: a page may share its memory with others, and to find out takes time
        let bytes = self.bytes_mut();
        let (at, to) = (usize::from(item_id_at(n)), usize::from(new_upper));
        if grows && !is_new {
            bytes.copy_within(at..usize::from(lower), at + ItemIdData::SIZE);
        }
        ItemIdData::normal(new_upper, length).0.set(&mut bytes[at..]);
        write(bytes, to);
        set_bounds(bytes, new_lower, new_upper);
        Ok(())
    }

    /// `PageAddItemExtended` behind the items that are there, of a page that is sound. Was there room?
    #[inline]
    pub fn append_item(&mut self, item: &[u8]) -> bool {
        self.appender().put(item)
    }

    /// `PageAddItemExtended` at a number that the page has, or the next one, of a page that is sound: the later line
    /// pointers move up. Was there room?
    #[inline]
    pub fn insert_item(&mut self, item: &[u8], n: OffsetNumber) -> bool {
        let at = item_id_at(n);
        let mut appender = self.appender();
        at <= appender.lower && appender.put_at(item, at)
    }

    /// Items of another page with these numbers, behind those that are there. Was there room for all? Else some came
    /// in.
    pub fn append_items(&mut self, page: &Self, numbers: Range<u16>) -> bool {
        self.appender().put_items(page, numbers)
    }

    /// What puts items on a page that is sound.
    #[inline]
    pub fn appender(&mut self) -> Appender<'_> {
        let (lower, upper) = (self.header().pd_lower(), self.header().pd_upper());
        // asked for once: a page may share its memory with others, and to find out takes time
        Appender { bytes: self.bytes_mut(), lower, upper }
    }

    /// `PageAddItemExtended` with `PAI_IS_HEAP`: puts a tuple below `pd_upper`, at the lowest unused line pointer where
    /// the page may have one, else at a new one, of at most `most`. Bytes between the tuple's end and the next multiple
    /// of 8 stay as they are. Gives its number, the bytes before it and its own; `None` where there is no room.
    #[inline]
    pub fn add_heap_item(&mut self, item: &[u8], most: u16) -> Option<(OffsetNumber, &mut [u8], &mut [u8])> {
        let (lower, upper, next) = (self.header().pd_lower(), self.header().pd_upper(), self.item_count() + 1);
        let n = self.unused_line_pointer().unwrap_or(OffsetNumber(next));
        let grows = n.0 == next;
        let new_lower = if grows { lower + ItemIdData::SIZE as u16 } else { lower };
        let length = u16::try_from(item.len()).ok()?;
        let new_upper = upper.checked_sub(maxalign(length)).filter(|new| *new >= new_lower && n.0 <= most)?;
        let (before, rest) = self.bytes_mut().split_at_mut_checked(new_upper.into())?;
        ItemIdData::normal(new_upper, length).0.set(&mut before[usize::from(item_id_at(n))..]);
        set_bounds(before, new_lower, new_upper);
        let place = &mut rest[..item.len()];
        place.copy_from_slice(item);
        Some((n, before, place))
    }

    /// The lowest unused line pointer, where `PD_HAS_FREE_LINES` says that there may be one; where there is none, the
    /// flag goes.
    #[inline]
    fn unused_line_pointer(&mut self) -> Option<OffsetNumber> {
        let flags = self.header().pd_flags();
        if flags & PD_HAS_FREE_LINES == 0 { None } else { self.find_unused(flags) }
    }

    #[inline(never)]
    fn find_unused(&mut self, flags: u16) -> Option<OffsetNumber> {
        let is_unused = |word| {
            let lp = ItemIdData::from(word);
            lp.lp_flags() == LpFlags::Unused && lp.lp_len() == 0
        };
        let unused = first_where(self.line_pointer_words(), is_unused);
        if unused.is_none() {
            self.set_pd_flags(flags & !PD_HAS_FREE_LINES);
        }
        unused.map(|at| OffsetNumber(at as u16 + 1))
    }
}

/// Where the line pointer of a number lies on the page.
#[inline]
const fn item_id_at(n: OffsetNumber) -> u16 {
    (PageHeaderData::SIZE as u16).saturating_add(n.0.saturating_sub(1).saturating_mul(ItemIdData::SIZE as u16))
}
