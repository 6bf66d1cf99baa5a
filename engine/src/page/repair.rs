//! Compacting a page (`PageRepairFragmentation`, `compactify_tuples`, `PageTruncateLinePointerArray`, src/backend/storage/page/bufpage.c).
//!
//! ```text
//!  ├hdr┼1 2 3 4┼     hole     ┼ 4 ┼ gap ┼ 2 ┼ gap ┼ 1 ┤   ──▶   ├hdr┼1 2 3 4┼            hole            ┼ 4 ┼ 2 ┼ 1 ┤
//! ```
//!
//! Tuples slide to the end. 13 keeps their order on the page; from 14 on they come to lie in the order of their line pointers.

use super::header::PD_HAS_FREE_LINES;
use super::{ItemIdData, LpFlags, OffsetNumber, Page, PageHeaderData, maxalign};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// Since this version tuples are put in the order of their line pointers.
const ORDERED_SINCE: u32 = 14;
/// Since this version unused line pointers at the end of the array are cut off, and so may all of them.
const TRUNCATES_SINCE: u32 = 15;

impl Page {
    /// `PageRepairFragmentation`, as a server of that major version does it.
    ///
    /// # Errors
    /// A sentence, where a line pointer leads out of the tuple space or the tuples have no room; the page is as it was then.
    pub fn repair_fragmentation(&mut self, major: u32) -> Result<(), String> {
        let mut tuples = self.stored()?;
        if major < ORDERED_SINCE {
            tuples.sort_by_key(|(_, lp)| Reverse(lp.lp_off()));
        }
        let old = self.clone();
        let mut upper = self.special_start();
        for (n, lp) in tuples {
            let aligned = maxalign(lp.lp_len());
            upper -= aligned;
            self.write_bytes(upper, old.slice(lp.lp_off()..lp.lp_off() + aligned));
            self.set_item_id(n, lp.moved(upper));
        }
        self.set_pd_upper(upper);
        self.drop_unused(if major < TRUNCATES_SINCE { self.item_count() } else { 0 });
        Ok(())
    }

    /// `PageTruncateLinePointerArray`: unused line pointers at the end go, but never the first.
    pub fn truncate_line_pointer_array(&mut self) {
        self.drop_unused(1);
    }

    /// The line pointers that have a tuple, which must all fit.
    fn stored(&self) -> Result<Vec<(OffsetNumber, ItemIdData)>, String> {
        let (lower, upper, special) = (self.header().pd_lower(), self.header().pd_upper(), self.special_start());
        if lower < PageHeaderData::SIZE as u16 || lower > upper || upper > special || !special.is_multiple_of(8) {
            return Err(format!("corrupted page pointers: lower = {lower}, upper = {upper}, special = {special}"));
        }
        let is_stored = |lp: &ItemIdData| lp.lp_len() > 0 && lp.lp_flags() != LpFlags::Unused;
        let tuples: Vec<_> = self.line_pointers().filter(|(_, lp)| is_stored(lp)).collect();
        let inside = |lp: &ItemIdData| (upper..special).contains(&lp.lp_off()) && lp.lp_len() <= special - lp.lp_off();
        if let Some((n, lp)) = tuples.iter().find(|(_, lp)| !inside(lp)) {
            return Err(format!("line pointer {n} leads to {}, out of the tuples", lp.lp_off()));
        }
        let total: u32 = tuples.iter().map(|(_, lp)| u32::from(maxalign(lp.lp_len()))).sum();
        if total > u32::from(special - lower) {
            return Err(format!("tuples of {total} bytes have no room between {lower} and {special}"));
        }
        Ok(tuples)
    }

    /// Cuts off unused line pointers at the end of the array, down to `least`, and notes whether there are others.
    fn drop_unused(&mut self, least: u16) {
        let is_used = |lp: ItemIdData| lp.lp_flags() != LpFlags::Unused;
        let last = self.line_pointers().filter(|(_, lp)| is_used(*lp)).last().map_or(0, |(n, _)| n.0);
        let keep = last.max(least.min(self.item_count()));
        self.set_pd_lower((PageHeaderData::SIZE + usize::from(keep) * ItemIdData::SIZE) as u16);
        let has_unused = self.line_pointers().any(|(_, lp)| !is_used(lp));
        let flags = self.header().pd_flags() & !PD_HAS_FREE_LINES;
        self.set_pd_flags(flags | if has_unused { PD_HAS_FREE_LINES } else { 0 });
    }
}
