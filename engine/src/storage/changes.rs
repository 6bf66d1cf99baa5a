//! Which items of a page changed since pruning left it in order, so that the next pruning need not look at the others.
//!
//! ```text
//!  pruned: in order ── UPDATE ──▶ items 3 and 61 ── anything else is done to the page ──▶ nobody knows
//! ```
//!
//! [`super::Buffers`] alone gives out pages to change, so what is known cannot be out of date: who gets the whole page may change anything, who gets a
//! part can change no more than that.

use crate::page::{Lsn, OffsetNumber, Page, PageHeaderData, TransactionId};

/// So many items are kept apart.
const MOST: usize = 15;
/// Stands for the number of items where any may have changed.
const ANY: u8 = u8::MAX;

/// The items of a page that changed.
#[derive(Debug, Clone, Copy)]
pub struct ChangedItems {
    count: u8,
    items: [OffsetNumber; MOST],
}

impl ChangedItems {
    /// Any may have changed.
    pub(super) const UNKNOWN: Self = Self { count: ANY, items: [OffsetNumber(0); MOST] };

    /// These, unless they are too many.
    #[must_use]
    pub fn of(items: impl IntoIterator<Item = OffsetNumber>) -> Self {
        let mut changed = Self { count: 0, ..Self::UNKNOWN };
        items.into_iter().for_each(|n| changed.add(n));
        changed
    }

    /// One more.
    pub(super) fn add(&mut self, n: OffsetNumber) {
        if self.count == ANY || self.get().is_some_and(|items| items.contains(&n)) {
            return;
        }
        match self.items.get_mut(usize::from(self.count)) {
            Some(place) => {
                *place = n;
                self.count += 1;
            }
            None => *self = Self::UNKNOWN,
        }
    }

    /// Each once, in no order; `None`: any may have changed.
    pub(super) fn get(&self) -> Option<&[OffsetNumber]> {
        self.items.get(..self.count.into())
    }
}

/// The fields of a page's header that say nothing of where its items are, to change.
#[derive(Debug)]
pub struct HeaderMut<'a>(&'a mut [u8]);

impl<'a> HeaderMut<'a> {
    /// Those of a page.
    #[inline]
    pub fn of(page: &'a mut Page) -> Self {
        // asked for once: a page may share its memory with others, and to find out takes time
        Self(page.bytes_mut())
    }

    /// Those of the page that begins with these bytes.
    #[inline]
    pub(super) const fn at_start(bytes: &'a mut [u8]) -> Self {
        Self(bytes)
    }

    /// The header as it is.
    #[must_use]
    pub const fn header(&self) -> PageHeaderData<'_> {
        PageHeaderData::new(self.0)
    }

    /// Sets `pd_lsn`.
    pub fn set_pd_lsn(&mut self, lsn: Lsn) {
        PageHeaderData::edit(self.0).pd_lsn(lsn);
    }

    /// Sets `pd_flags`.
    pub fn set_pd_flags(&mut self, flags: u16) {
        PageHeaderData::edit(self.0).pd_flags(flags);
    }

    /// Sets `pd_prune_xid`.
    pub fn set_pd_prune_xid(&mut self, xid: TransactionId) {
        PageHeaderData::edit(self.0).pd_prune_xid(xid);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(changed: &ChangedItems) -> Option<alloc::vec::Vec<u16>> {
        changed.get().map(|items| items.iter().map(|n| n.0).collect())
    }

    #[test]
    fn items_are_kept_once_until_they_are_too_many() {
        let mut changed = ChangedItems::of([3, 61, 3].map(OffsetNumber));
        assert_eq!(items(&changed), Some([3, 61].into()));
        (1..=5).for_each(|n| changed.add(OffsetNumber(n)));
        assert_eq!(items(&changed), Some([3, 61, 1, 2, 4, 5].into()));
        (1..MOST as u16).for_each(|n| changed.add(OffsetNumber(n)));
        changed.add(OffsetNumber(61));
        assert_eq!(items(&changed).map(|items| items.len()), Some(MOST));
        changed.add(OffsetNumber(MOST as u16));
        assert_eq!(items(&changed), None);
        changed.add(OffsetNumber(3));
        assert_eq!(items(&changed), None);
    }
}
