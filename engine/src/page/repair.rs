//! Compacting a heap page and shortening its line pointers (`PageRepairFragmentation`, `PageTruncateLinePointerArray`,
//! src/backend/storage/page/bufpage.c).
//!
//! ```text
//!  ├hdr┼1 2 - 4 -┼     hole     ┼ 4 ┼ gap ┼ 2 ┼ gap ┼ 1 ┤   ──▶   ├hdr┼1 2 - 4┼            hole            ┼ 4 ┼ 2 ┼ 1 ┤
//! ```

use super::header::PD_HAS_FREE_LINES;
use super::{ItemIdData, LpFlags, OffsetNumber, Page, PageHeaderData};
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
        let tuples = self.stored()?;
        self.compactify(tuples, major)?;
        self.drop_unused(if major < TRUNCATES_SINCE { self.item_count() } else { 0 });
        Ok(())
    }

    /// `PageTruncateLinePointerArray`: unused line pointers at the end go, but never the first.
    pub fn truncate_line_pointer_array(&mut self) {
        self.drop_unused(1);
    }

    /// The line pointers that have a tuple, which must lie among the tuples.
    fn stored(&self) -> Result<Vec<(OffsetNumber, ItemIdData)>, String> {
        self.check_pointers()?;
        let (upper, special) = (self.header().pd_upper(), self.special_start());
        let is_stored = |lp: &ItemIdData| lp.lp_len() > 0 && lp.lp_flags() != LpFlags::Unused;
        let mut tuples = Vec::with_capacity(self.item_count().into());
        tuples.extend(self.line_pointers().filter(|(_, lp)| is_stored(lp)));
        let inside = |lp: &ItemIdData| (upper..special).contains(&lp.lp_off()) && lp.lp_len() <= special - lp.lp_off();
        match tuples.iter().find(|(_, lp)| !inside(lp)) {
            Some((n, lp)) => Err(format!("line pointer {n} leads to {}, out of the tuples", lp.lp_off())),
            None => Ok(tuples),
        }
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
