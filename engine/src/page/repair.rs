//! Compacting a heap page and shortening its line pointers (`PageRepairFragmentation`, `PageTruncateLinePointerArray`,
//! src/backend/storage/page/bufpage.c).
//!
//! ```text
//!  ├hdr┼1 2 - 4 -┼     hole     ┼ 4 ┼ gap ┼ 2 ┼ gap ┼ 1 ┤   ──▶   ├hdr┼1 2 - 4┼            hole            ┼ 4 ┼ 2 ┼ 1 ┤
//! ```

use super::header::PD_HAS_FREE_LINES;
use super::{ItemIdData, LpFlags, Page, PageHeaderData};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Since this version unused line pointers at the end of the array are cut off, and so may all of them.
const TRUNCATES_SINCE: u32 = 15;

impl Page {
    /// `PageRepairFragmentation`, as a server of that major version does it.
    ///
    /// # Errors
    /// A sentence, where a line pointer leads out of the tuple space or the tuples have no room; the page is as it was then.
    pub fn repair_fragmentation(&mut self, major: u32) -> Result<(), String> {
        self.repair_with(self.item_ids(), major)
    }

    /// The same after the page's line pointers became these, of which there are as many.
    ///
    /// # Errors
    /// As those of [`Self::repair_fragmentation`].
    pub fn repair_with(&mut self, mut lps: Vec<ItemIdData>, major: u32) -> Result<(), String> {
        self.check_pointers()?;
        let (upper, special) = (self.header().pd_upper(), self.special_start());
        let inside = |lp: &ItemIdData| lp.lp_off() >= upper && lp.lp_off().saturating_add(lp.lp_len()) <= special;
        if let Some(at) = lps.iter().position(|lp| lp.is_stored() && !inside(lp)) {
            return Err(format!("line pointer {} leads to {}, out of the tuples", at + 1, lps[at].lp_off()));
        }
        self.compactify(&mut lps, major)?;
        self.drop_unused(&lps, if major < TRUNCATES_SINCE { lps.len() } else { 0 });
        Ok(())
    }

    /// `PageTruncateLinePointerArray`: unused line pointers at the end go, but never the first.
    pub fn truncate_line_pointer_array(&mut self) {
        self.drop_unused(&self.item_ids(), 1);
    }

    /// Cuts off unused line pointers at the end of these, which are the page's, down to `least`, and notes whether there are others.
    fn drop_unused(&mut self, lps: &[ItemIdData], least: usize) {
        let is_used = |lp: &ItemIdData| lp.lp_flags() != LpFlags::Unused;
        let used = lps.iter().rposition(is_used).map_or(0, |last| last + 1);
        let kept = &lps[..used.max(least.min(lps.len()))];
        let flags = self.header().pd_flags() & !PD_HAS_FREE_LINES;
        let free_lines = if kept.iter().all(is_used) { 0 } else { PD_HAS_FREE_LINES };
        let lower = (PageHeaderData::SIZE + kept.len() * ItemIdData::SIZE) as u16;
        PageHeaderData::edit(self.bytes_mut()).pd_flags(flags | free_lines).pd_lower(lower);
    }
}
