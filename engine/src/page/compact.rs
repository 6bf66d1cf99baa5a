//! Closing the gaps between tuples (`compactify_tuples`, src/backend/storage/page/bufpage.c).
//!
//! ```text
//!  ├hdr┼1 2 3┼     hole     ┼ 3 ┼ gap ┼ 1 ┼ gap ┼ 2 ┤   ──▶   13:  ┼ 3 ┼ 1 ┼ 2 ┤     14 and later:  ┼ 3 ┼ 2 ┼ 1 ┤
//! ```
//!
//! 13 keeps the order of the tuples on the page; from 14 on they come to lie in the order of their line pointers.

use super::layout::Wire;
use super::{ItemIdData, Page, PageHeaderData, maxalign};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;

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
        let mut tuples = Vec::with_capacity(lps.len());
        let mut total = 0;
        for (n, lp) in lps.iter().enumerate().filter(|(_, lp)| lp.is_stored()) {
            let (from, length) = (usize::from(lp.lp_off()), usize::from(maxalign(lp.lp_len())));
            total += length;
            tuples.push(Tuple { n, from, length });
        }
        if total > special.saturating_sub(lower) {
            return Err(format!("tuples of {total} bytes have no room between {lower} and {special}"));
        }
        if major < ORDERED_SINCE {
            tuples.sort_by_key(|tuple| Reverse(tuple.from));
        }
        let bytes = self.bytes_mut();
        let upper = pack(bytes, special, &tuples, lps);
        bytes[PageHeaderData::SIZE..].chunks_exact_mut(ItemIdData::SIZE).zip(lps).for_each(|(word, lp)| lp.0.set(word));
        PageHeaderData::edit(bytes).pd_upper(upper as u16);
        Ok(())
    }
}

/// A tuple to be moved: its line pointer is the `n`th.
struct Tuple {
    n: usize,
    from: usize,
    /// rounded up
    length: usize,
}

/// Puts the tuples one below the other from `special` down, and leads their line pointers there: the new `pd_upper`. Tuples that lie one
/// below the other already are moved together.
fn pack(bytes: &mut [u8], special: usize, tuples: &[Tuple], lps: &mut [ItemIdData]) -> usize {
    let end_of = |tuple: &Tuple| (tuple.from + tuple.length).min(special);
    // then all move towards the page's end, and none onto one that is still to be moved
    let is_sorted = tuples.is_sorted_by(|above, below| end_of(below) <= above.from);
    let lowest = tuples.iter().map(|tuple| tuple.from).min().unwrap_or(special);
    let old = if is_sorted { Vec::new() } else { bytes[lowest..special].to_vec() };
    let mut copy = |from: usize, end: usize, to: usize| match old.get(from - lowest..end - lowest) {
        _ if from == to => {}
        Some(old) if !is_sorted => bytes[to..to + old.len()].copy_from_slice(old),
        _ => bytes.copy_within(from..end, to),
    };
    // the run of tuples that are moved together: from where to where, and whereto
    let (mut from, mut end, mut upper) = (special, special, special);
    for tuple in tuples {
        if end_of(tuple) != from {
            copy(from, end, upper);
            end = end_of(tuple);
        }
        from = tuple.from;
        upper -= tuple.length;
        if let Some(lp) = lps.get_mut(tuple.n) {
            *lp = lp.moved(upper as u16);
        }
    }
    copy(from, end, upper);
    upper
}
