//! Closing the gaps between tuples (`compactify_tuples`, src/backend/storage/page/bufpage.c).
//!
//! ```text
//!  ├hdr┼1 2 3┼     hole     ┼ 3 ┼ gap ┼ 1 ┼ gap ┼ 2 ┤   ──▶   13:  ┼ 3 ┼ 1 ┼ 2 ┤     14 and later:  ┼ 3 ┼ 2 ┼ 1 ┤
//! ```
//!
//! 13 keeps the order of the tuples on the page; from 14 on they come to lie in the order of their line pointers.

use super::layout::Wire;
use super::{ItemIdData, OffsetNumber, Page, PageHeaderData, maxalign};
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

    /// Moves these tuples, which must lie among the tuples, to the page's end and sets `pd_upper`.
    ///
    /// # Errors
    /// A sentence, where they have no room; the page is as it was then.
    pub(super) fn compactify(&mut self, mut tuples: Vec<(OffsetNumber, ItemIdData)>, major: u32) -> Result<(), String> {
        let (lower, special) = (self.header().pd_lower(), self.special_start());
        let total: u32 = tuples.iter().map(|(_, lp)| u32::from(maxalign(lp.lp_len()))).sum();
        if total > u32::from(special.saturating_sub(lower)) {
            return Err(format!("tuples of {total} bytes have no room between {lower} and {special}"));
        }
        if major < ORDERED_SINCE {
            tuples.sort_by_key(|(_, lp)| Reverse(lp.lp_off()));
        }
        let old_upper = self.header().pd_upper();
        let old = self.slice(old_upper..special).to_vec();
        let bytes = self.bytes_mut();
        let mut upper = special;
        for (n, lp) in tuples {
            let aligned = maxalign(lp.lp_len());
            upper -= aligned;
            let from = usize::from(lp.lp_off().saturating_sub(old_upper));
            let tuple = old.get(from..).unwrap_or(&[]);
            let length = tuple.len().min(usize::from(aligned));
            bytes[usize::from(upper)..][..length].copy_from_slice(&tuple[..length]);
            lp.moved(upper).0.set(&mut bytes[usize::from(n.bytes().start)..]);
        }
        self.set_pd_upper(upper);
        Ok(())
    }
}
