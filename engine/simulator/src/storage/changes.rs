//! Which items of a page changed since pruning left it in order, so that the next pruning need not look at the others.
//!
//! ```text
//!  pruned: in order ── UPDATE ──▶ items 3 and 61 ── anything else is done to the page ──▶ nobody knows
//! ```
//!
//! [`super::Buffers`] alone gives out pages to change, so what is known cannot be out of date: who gets the whole page
//! may change anything, who gets a part can change no more than that.
//!
//! There are three ways to change: the whole page, of which nothing is known then, its header, or one item, which is
//! noted. So nobody can forget to say what changed. What is known of a page takes 64 bytes beside it.

use core::iter;
use ffviz_format::page::{HeaderMut, OffsetNumber};

/// Of more items than these nobody wants to know: then the whole page is looked at.
const MOST: u32 = 15;
/// As many bits as a heap page may have line pointers, and one for number 0, which no item has.
const WORDS: usize = 5;
/// The bit of number 0: any item may have changed.
const ANY: u64 = 1;

/// The items of a page that changed.
#[derive(Debug, Clone, Copy)]
pub struct ChangedItems([u64; WORDS]);

impl ChangedItems {
    /// Any may have changed.
    pub(super) const UNKNOWN: Self = Self([ANY, 0, 0, 0, 0]);

    /// These, unless they are too many.
    #[must_use]
    pub fn of(items: impl IntoIterator<Item = OffsetNumber>) -> Self {
        let mut changed = Self([0; WORDS]);
        items.into_iter().for_each(|n| changed.add(n));
        changed
    }

    /// One more.
    #[inline]
    pub fn add(&mut self, n: OffsetNumber) {
        match self.0.get_mut(usize::from(n.0 / u64::BITS as u16)) {
            Some(word) => *word |= 1 << (u32::from(n.0) % u64::BITS),
            None => *self = Self::UNKNOWN,
        }
    }

    /// Are they known, and few?
    #[must_use]
    #[inline]
    pub fn is_known(&self) -> bool {
        self.0[0] & ANY == 0 && self.0.iter().map(|word| word.count_ones()).sum::<u32>() <= MOST
    }

    /// Each once, in order.
    pub fn iter(&self) -> impl Iterator<Item = OffsetNumber> {
        let (mut words, mut at) = (self.0, 0);
        iter::from_fn(move || {
            while words.get(at)? == &0 {
                at += 1;
            }
            let bit = words[at].trailing_zeros();
            words[at] &= words[at] - 1;
            Some(OffsetNumber((at as u32 * u64::BITS + bit) as u16))
        })
    }
}

/// An item of a page to change, and the page's header.
#[derive(Debug)]
pub struct ItemMut<'a> {
    /// the page's header
    pub header: HeaderMut<'a>,
    /// the item's bytes; none where the page has no such item
    pub bytes: &'a mut [u8],
}

/// An item that was put on a page, which is at hand as long as it is.
#[derive(Debug)]
pub struct AddedItem<'a> {
    /// its number
    pub number: OffsetNumber,
    /// the page's header
    pub header: HeaderMut<'a>,
    /// its bytes
    pub bytes: &'a mut [u8],
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(changed: &ChangedItems) -> Option<alloc::vec::Vec<u16>> {
        changed.is_known().then(|| changed.iter().map(|n| n.0).collect())
    }

    #[test]
    fn items_are_kept_once_until_they_are_too_many() {
        let mut changed = ChangedItems::of([291, 61, 291].map(OffsetNumber));
        assert_eq!(items(&changed), Some([61, 291].into()));
        (1..=5).for_each(|n| changed.add(OffsetNumber(n)));
        assert_eq!(items(&changed), Some([1, 2, 3, 4, 5, 61, 291].into()));
        (1..MOST as u16 - 1).for_each(|n| changed.add(OffsetNumber(n)));
        changed.add(OffsetNumber(61));
        assert_eq!(items(&changed).map(|items| items.len()), Some(MOST as usize));
        changed.add(OffsetNumber(64));
        assert_eq!(items(&changed), None);
    }

    #[test]
    fn any_may_have_changed_until_it_is_said_anew() {
        let mut changed = ChangedItems::UNKNOWN;
        changed.add(OffsetNumber(3));
        assert_eq!(items(&changed), None);
        changed = ChangedItems::of([OffsetNumber(3)]);
        assert_eq!(items(&changed), Some([3].into()));
        changed.add(OffsetNumber(u16::MAX));
        assert_eq!(items(&changed), None);
    }
}
