//! Taking items off an index page and exchanging them (`PageIndexTupleDelete`, `PageIndexMultiDelete`,
//! `PageIndexTupleOverwrite`, `PageIndexTupleDeleteNoCompact`, src/backend/storage/page/bufpage.c). All items of an
//! index page have storage, those marked `LP_DEAD` too, but for the unused ones that the last of these leaves behind.
//!
//! ```text
//!  |hdr|1 2 3 4|     hole     | 4 | 2 | 3 | 1 |   delete 2   |hdr|1 2 3|         hole         | 3 | 2 | 1 |
//!
//!  later line pointers move up; what lay below item 2 slides to it
//! ```

use super::layout::Wire;
use super::{Compaction, ItemIdData, MAXALIGN, OffsetNumber, Page, PageHeaderData, first_where, maxalign};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// So many items are deleted one by one, which keeps the order of the others on the page.
const FEW: usize = 2;

impl Page {
    /// The bytes of an item of an index page.
    ///
    /// # Errors
    /// A sentence, where the page has no such item or it does not lie among the tuples.
    pub fn index_item(&self, n: OffsetNumber) -> Result<&[u8], String> {
        let lp = self.index_item_id(n)?;
        Ok(self.slice(lp.lp_off()..lp.lp_off() + lp.lp_len()))
    }

    /// `PageIndexTupleDelete`.
    ///
    /// # Errors
    /// A sentence, where the page has no such item or is damaged; it is as it was then.
    pub fn index_tuple_delete(&mut self, n: OffsetNumber) -> Result<(), String> {
        let lp = self.index_item_id(n)?;
        let lower = self.header().pd_lower();
        let next = OffsetNumber(n.0 + 1).bytes().start;
        self.bytes_mut().copy_within(usize::from(next)..usize::from(lower), usize::from(n.bytes().start));
        self.set_pd_lower(lower - ItemIdData::SIZE as u16);
        self.slide_tuples_below(lp.lp_off(), i32::from(maxalign(lp.lp_len())));
        Ok(())
    }

    /// `PageIndexMultiDelete`, as a server of that major version does it; the numbers must ascend.
    ///
    /// # Errors
    /// A sentence, where the page has no such items or is damaged; it is as it was then.
    pub fn index_multi_delete(&mut self, items: &[OffsetNumber], major: u32) -> Result<(), String> {
        if items.len() <= FEW {
            self.check_apart(items)?;
            return items.iter().rev().try_for_each(|n| self.index_tuple_delete(*n));
        }
        self.check_pointers()?;
        self.check_index_items()?;
        let (words, mut kept, mut next) = (self.line_pointer_words(), Vec::new(), 0);
        kept.reserve(words.len());
        for n in items {
            let at = usize::from(n.0).wrapping_sub(1);
            let between = words.get(next..at).filter(|_| at < words.len());
            let between = between.ok_or_else(|| format!("item {n} is not there, or out of order"))?;
            kept.extend(between.iter().map(|word| ItemIdData::from(*word)));
            next = at + 1;
        }
        kept.extend(words[next..].iter().map(|word| ItemIdData::from(*word)));
        let lower = OffsetNumber(kept.len() as u16 + 1).bytes().start;
        self.compactify(&mut Compaction::of(kept), major)?;
        self.set_pd_lower(lower);
        Ok(())
    }

    /// `PageIndexTupleDeleteNoCompact`: the other items keep their numbers.
    ///
    /// # Errors
    /// A sentence, where the page has no such item or is damaged; it is as it was then.
    pub fn index_tuple_delete_no_compact(&mut self, n: OffsetNumber) -> Result<(), String> {
        let lp = self.index_item_id(n)?;
        if n.0 < self.item_count() {
            self.set_item_id(n, ItemIdData(0));
        } else {
            self.set_pd_lower(self.header().pd_lower() - ItemIdData::SIZE as u16);
        }
        self.slide_tuples_below(lp.lp_off(), i32::from(maxalign(lp.lp_len())));
        Ok(())
    }

    /// `PageIndexTupleOverwrite`: another tuple in the place of an item, which keeps its number and flags.
    ///
    /// # Errors
    /// A sentence, where the page has no such item, no room, or is damaged; it is as it was then.
    pub fn index_tuple_overwrite(&mut self, n: OffsetNumber, tuple: &[u8]) -> Result<(), String> {
        let lp = self.index_item_id(n)?;
        let length = u16::try_from(tuple.len()).unwrap_or(u16::MAX);
        let smaller = i32::from(maxalign(lp.lp_len())) - i32::from(maxalign(length));
        let room = i32::from(self.header().pd_upper()) - i32::from(self.header().pd_lower());
        if -smaller > room {
            return Err(format!("a tuple of {length} bytes does not fit in the place of item {n}"));
        }
        self.slide_tuples_below(lp.lp_off(), smaller);
        let to = (i32::from(lp.lp_off()) + smaller) as u16;
        let flags = lp.0 & ItemIdData::new(0, 3, 0).0;
        self.set_item_id(n, ItemIdData(ItemIdData::new(to, 0, length).0 | flags));
        self.write_bytes(to, tuple);
        Ok(())
    }

    /// Moves the tuples that lie between `pd_upper` and `offset` towards the page's end, and the line pointers with
    /// them; that of the tuple at `offset` too.
    fn slide_tuples_below(&mut self, offset: u16, by: i32) {
        if by == 0 {
            return;
        }
        let (lower, upper) = (usize::from(self.header().pd_lower()), self.header().pd_upper());
        let moved = |at: u16| (i32::from(at) + by) as u16;
        let bytes = self.bytes_mut();
        bytes.copy_within(usize::from(upper)..usize::from(offset), usize::from(moved(upper)));
        for word in bytes[PageHeaderData::SIZE..lower].chunks_exact_mut(ItemIdData::SIZE) {
            let lp = ItemIdData(u32::get(word));
            if lp.lp_off() <= offset && lp.lp_len() > 0 {
                lp.moved(moved(lp.lp_off())).0.set(word);
            }
        }
        self.set_pd_upper(moved(upper));
    }

    /// Can these items be deleted one after the other? They must ascend, and share no bytes.
    fn check_apart(&self, items: &[OffsetNumber]) -> Result<(), String> {
        let mut before: Option<(OffsetNumber, ItemIdData)> = None;
        for n in items {
            let lp = self.index_item_id(*n)?;
            let is_below = |a: ItemIdData, b: ItemIdData| a.lp_off() + maxalign(a.lp_len()) <= b.lp_off();
            if before.is_some_and(|(m, other)| m >= *n || !(is_below(lp, other) || is_below(other, lp))) {
                return Err(format!("item {n} is out of order, or lies in another one"));
            }
            before = Some((*n, lp));
        }
        Ok(())
    }

    /// The line pointer of an item that lies where items may.
    fn index_item_id(&self, n: OffsetNumber) -> Result<ItemIdData, String> {
        self.check_pointers()?;
        let lp = self.item_id(n).ok_or_else(|| format!("the page has no item {n}"))?;
        self.check_index_item(n, lp)?;
        Ok(lp)
    }

    #[inline]
    fn check_index_item(&self, n: OffsetNumber, lp: ItemIdData) -> Result<(), String> {
        let is_sound = is_sound(self.header().pd_upper(), self.special_start(), lp);
        let corrupted = || format!("corrupted line pointer {n}: offset = {}, size = {}", lp.lp_off(), lp.lp_len());
        if is_sound { Ok(()) } else { Err(corrupted()) }
    }

    /// The same of all items.
    fn check_index_items(&self) -> Result<(), String> {
        let (upper, special) = (self.header().pd_upper(), self.special_start());
        let corrupted =
            first_where(self.line_pointer_words(), |word| !is_sound(upper, special, ItemIdData::from(word)));
        let corrupted = corrupted.and_then(|at| self.line_pointers().nth(at));
        corrupted.map_or(Ok(()), |(n, lp)| self.check_index_item(n, lp))
    }
}

/// Does an item lie where items may?
#[inline]
fn is_sound(upper: u16, special: u16, lp: ItemIdData) -> bool {
    let (off, end) = (lp.lp_off(), lp.lp_off() + maxalign(lp.lp_len()));
    (off >= upper) & (end <= special) & off.is_multiple_of(MAXALIGN)
}
