//! Compacting a heap page and shortening its line pointers (`PageRepairFragmentation`, `PageTruncateLinePointerArray`,
//! src/backend/storage/page/bufpage.c).
//!
//! ```text
//!  ├hdr┼1 2 - 4 -┼     hole     ┼ 4 ┼ gap ┼ 2 ┼ gap ┼ 1 ┤   ──▶   ├hdr┼1 2 - 4┼            hole            ┼ 4 ┼ 2 ┼ 1 ┤
//! ```

use super::header::PD_HAS_FREE_LINES;
use super::{Compaction, ItemIdData, LpFlags, Page, PageHeaderData, PgVersion, first_where};
use alloc::string::String;

impl Page {
    /// `PageRepairFragmentation`, as a server of that major version does it.
    ///
    /// # Errors
    /// A sentence, where a line pointer leads out of the tuple space or the tuples have no room; the page is as it was
    /// then.
    pub fn repair_fragmentation(&mut self, major: u32) -> Result<(), String> {
        self.repair_with(&mut Compaction::of(self.item_ids()), major)
    }

    /// The same after the page's line pointers became those of `with`, of which there are as many.
    ///
    /// # Errors
    /// As those of [`Self::repair_fragmentation`].
    pub fn repair_with(&mut self, with: &mut Compaction, major: u32) -> Result<(), String> {
        self.check_pointers()?;
        self.compactify(with, major)?;
        self.drop_unused(if PgVersion::of_major(major).prunes_line_pointer_array() { 0 } else { usize::MAX }, &[]);
        Ok(())
    }

    /// The same of a page that is in order but for the line pointers that `with` says have changed, by a server that
    /// orders tuples. The line pointers are what they are to be already.
    pub fn repair_changed(&mut self, with: &mut Compaction, major: u32) {
        self.compactify_changed(with);
        self.drop_unused(
            if PgVersion::of_major(major).prunes_line_pointer_array() { 0 } else { usize::MAX },
            &with.changed,
        );
    }

    /// `PageTruncateLinePointerArray`: unused line pointers at the end go, but never the first.
    pub fn truncate_line_pointer_array(&mut self) {
        self.drop_unused(1, &[]);
    }

    /// Cuts off unused line pointers at the end, down to `least`, and notes whether there are others, of which `likely`
    /// are asked first.
    fn drop_unused(&mut self, least: usize, likely: &[usize]) {
        let is_unused = |word| ItemIdData::from(word).lp_flags() == LpFlags::Unused;
        let words = self.line_pointer_words();
        let used = words.iter().rposition(|word| !is_unused(*word)).map_or(0, |last| last + 1);
        let kept = &words[..used.max(least.min(words.len()))];
        let flags = self.header().pd_flags() & !PD_HAS_FREE_LINES;
        let is_likely = likely.iter().any(|at| kept.get(*at).is_some_and(|word| is_unused(*word)));
        let has_unused = is_likely || first_where(kept, is_unused).is_some();
        let free_lines = if has_unused { PD_HAS_FREE_LINES } else { 0 };
        let lower = (PageHeaderData::SIZE + kept.len() * ItemIdData::SIZE) as u16;
        PageHeaderData::edit(self.bytes_mut()).pd_flags(flags | free_lines).pd_lower(lower);
    }
}
