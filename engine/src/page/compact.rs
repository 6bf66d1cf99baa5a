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

    /// Moves the tuples of these line pointers to the page's end, and writes the line pointers and `pd_upper`. There may be fewer line pointers
    /// than the page had.
    ///
    /// # Errors
    /// A sentence, where one does not lie among the tuples, or they have no room; the page is as it was then.
    pub(super) fn compactify(&mut self, with: &mut Compaction, major: u32) -> Result<(), String> {
        let Compaction { lps, copied } = with;
        let special = usize::from(self.special_start());
        let Tuples { in_place, upper, lowest, is_sorted } = self.survey(lps)?;
        let bytes = self.bytes_mut();
        copied.clear();
        if !is_sorted {
            copied.extend_from_slice(bytes.get(lowest..upper).unwrap_or(&[]));
        }
        let old = Old { bytes: copied, from: lowest };
        let moved = lps[in_place..].iter_mut().filter(|lp| lp.is_stored());
        let upper = if is_sorted || major >= ORDERED_SINCE {
            pack(bytes, (upper, special), &old, moved)
        } else {
            let mut by_place: Vec<&mut ItemIdData> = moved.collect();
            by_place.sort_by_key(|lp| Reverse(lp.lp_off()));
            pack(bytes, (upper, special), &old, by_place.into_iter())
        };
        self.set_item_ids(lps);
        self.set_pd_upper(upper as u16);
        Ok(())
    }

    /// Checks the tuples of these line pointers, and looks how they lie.
    fn survey(&self, lps: &[ItemIdData]) -> Result<Tuples, String> {
        let (lower, special) = (PageHeaderData::SIZE + size_of_val(lps), usize::from(self.special_start()));
        let pd_upper = usize::from(self.header().pd_upper());
        let outside = |at: usize, lp: ItemIdData| {
            Err(format!("line pointer {} leads to {}, out of the tuples", at + 1, lp.lp_off()))
        };
        let (mut in_place, mut upper) = (0, special);
        for (at, lp) in lps.iter().enumerate().filter(|(_, lp)| lp.is_stored()) {
            let tuple = tuple_of(*lp);
            if tuple.end != upper {
                break;
            }
            if tuple.start < pd_upper {
                return outside(at, *lp);
            }
            (in_place, upper) = (at + 1, tuple.start);
        }
        let (mut total, mut lowest, mut is_sorted) = (special - upper, upper, true);
        for (at, lp) in lps.iter().enumerate().skip(in_place).filter(|(_, lp)| lp.is_stored()) {
            let tuple = tuple_of(*lp);
            if tuple.start < pd_upper || tuple.start + usize::from(lp.lp_len()) > special {
                return outside(at, *lp);
            }
            is_sorted &= tuple.end.min(special) <= lowest;
            lowest = lowest.min(tuple.start);
            total += tuple.len();
        }
        if total > special.saturating_sub(lower) {
            return Err(format!("tuples of {total} bytes have no room between {lower} and {special}"));
        }
        Ok(Tuples { in_place, upper, lowest, is_sorted })
    }
}

/// Line pointers as they are to be, and memory to move their tuples with: one for many pages.
#[derive(Debug, Clone, Default)]
pub struct Compaction {
    /// as many as the page has, or fewer
    pub lps: Vec<ItemIdData>,
    /// tuples as they lay
    copied: Vec<u8>,
}

impl Compaction {
    /// These line pointers, for one page.
    #[must_use]
    pub const fn of(lps: Vec<ItemIdData>) -> Self {
        Self { lps, copied: Vec::new() }
    }
}

/// How the tuples of a page lie.
struct Tuples {
    /// so many line pointers at the beginning have their tuples in their places
    in_place: usize,
    /// where the last of these tuples begins
    upper: usize,
    /// where the lowest tuple begins
    lowest: usize,
    /// does each lie below the one before it?
    is_sorted: bool,
}

/// A copy of the tuples as they lay, where one could be moved onto another that is still to be moved.
struct Old<'a> {
    bytes: &'a [u8],
    /// where the first of the bytes lay
    from: usize,
}

/// Where the tuple of a line pointer lies, its length rounded up.
#[inline]
fn tuple_of(lp: ItemIdData) -> Range<usize> {
    let start = usize::from(lp.lp_off());
    start..start + usize::from(maxalign(lp.lp_len()))
}

/// Puts the tuples one below the other from `upper` down, and leads their line pointers there: the new `pd_upper`. Tuples that lie one below the
/// other already are moved together.
fn pack<'a>(
    bytes: &mut [u8],
    (mut upper, special): (usize, usize),
    old: &Old<'_>,
    tuples: impl Iterator<Item = &'a mut ItemIdData>,
) -> usize {
    let mut copy = |run: Range<usize>, to: usize| match old
        .bytes
        .get(run.start.wrapping_sub(old.from)..run.end.wrapping_sub(old.from))
    {
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
