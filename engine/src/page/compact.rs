//! Closing the gaps between tuples (`compactify_tuples`, src/backend/storage/page/bufpage.c).
//!
//! ```text
//!  ├hdr┼1 2 3┼     hole     ┼ 3 ┼ gap ┼ 1 ┼ gap ┼ 2 ┤   ──▶   13:  ┼ 3 ┼ 1 ┼ 2 ┤     14 and later:  ┼ 3 ┼ 2 ┼ 1 ┤
//! ```
//!
//! 13 keeps the order of the tuples on the page; from 14 on they come to lie in the order of their line pointers.

use super::{ItemIdData, Page, PageHeaderData, maxalign};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::Range;

/// Since this version tuples are put in the order of their line pointers.
const ORDERED_SINCE: u32 = 14;

impl Page {
    /// Do `pd_lower`, `pd_upper` and `pd_special` make sense?
    ///
    /// # Errors
    /// A sentence, where they do not.
    pub(super) fn check_pointers(&self) -> Result<(), String> {
        let (lower, upper, special) = (self.header().pd_lower(), self.header().pd_upper(), self.header().pd_special());
        let is_right = lower >= PageHeaderData::SIZE as u16
            && lower <= upper
            && upper <= special
            && special <= self.size()
            && special.is_multiple_of(super::MAXALIGN);
        if is_right {
            Ok(())
        } else {
            Err(format!("corrupted page pointers: lower = {lower}, upper = {upper}, special = {special}"))
        }
    }

    /// Moves the tuples of these line pointers, which must lie among the tuples, to the page's end, and writes the line pointers and
    /// `pd_upper`. There may be fewer line pointers than the page had.
    ///
    /// # Errors
    /// A sentence, where they have no room; the page is as it was then.
    pub(super) fn compactify(&mut self, lps: &mut [ItemIdData], major: u32) -> Result<(), String> {
        let (lower, special) = (PageHeaderData::SIZE + size_of_val(lps), usize::from(self.special_start()));
        let (mut total, mut lowest, mut is_sorted) = (0, special, true);
        for lp in lps.iter().filter(|lp| lp.is_stored()) {
            let tuple = tuple_of(*lp);
            is_sorted &= tuple.end.min(special) <= lowest;
            lowest = lowest.min(tuple.start);
            total += tuple.len();
        }
        if total > special.saturating_sub(lower) {
            return Err(format!("tuples of {total} bytes have no room between {lower} and {special}"));
        }
        let bytes = self.bytes_mut();
        let stored = lps.iter_mut().filter(|lp| lp.is_stored());
        let upper = if is_sorted || major >= ORDERED_SINCE {
            pack(bytes, special, if is_sorted { special } else { lowest }, stored)
        } else {
            let mut by_place: Vec<&mut ItemIdData> = stored.collect();
            by_place.sort_by_key(|lp| Reverse(lp.lp_off()));
            pack(bytes, special, lowest, by_place.into_iter())
        };
        self.set_item_ids(lps);
        self.set_pd_upper(upper as u16);
        Ok(())
    }
}

/// Where the tuple of a line pointer lies, its length rounded up.
#[inline]
fn tuple_of(lp: ItemIdData) -> Range<usize> {
    let start = usize::from(lp.lp_off());
    start..start + usize::from(maxalign(lp.lp_len()))
}

/// Puts the tuples one below the other from `special` down, and leads their line pointers there: the new `pd_upper`. Tuples that lie one
/// below the other already are moved together, and those that are in their places at the beginning not at all. Where a tuple could be moved
/// onto one that is still to be moved, all from `copied` on are copied first.
fn pack<'a>(
    bytes: &mut [u8],
    special: usize,
    copied: usize,
    tuples: impl Iterator<Item = &'a mut ItemIdData>,
) -> usize {
    let (mut tuples, mut upper) = (tuples.peekable(), special);
    while let Some(lp) = tuples.next_if(|lp| tuple_of(**lp).end == upper) {
        upper = tuple_of(*lp).start;
    }
    let old = bytes.get(copied..upper).unwrap_or(&[]).to_vec();
    let mut copy =
        |run: Range<usize>, to: usize| match old.get(run.start.wrapping_sub(copied)..run.end.wrapping_sub(copied)) {
            Some(old) if !old.is_empty() => bytes[to..to + old.len()].copy_from_slice(old),
            _ => bytes.copy_within(run, to),
        };
    // the run of tuples that are moved together
    let mut run = upper..upper;
    for lp in tuples {
        let tuple = tuple_of(*lp);
        let end = tuple.end.min(special);
        if end != run.start {
            copy(run.clone(), upper);
            run.end = end;
        }
        run.start = tuple.start;
        upper -= tuple.len();
        *lp = lp.moved(upper as u16);
    }
    copy(run, upper);
    upper
}
