//! VACUUM (`gistbulkdelete`, `gistvacuumcleanup`, `gistvacuumpage`, src/backend/access/gist/gistvacuum.c).

use super::{Gist, tuple_at};
use crate::access::nbtree::BulkDeleteResult;
use alloc::vec::Vec;
use ffviz_format::page::gist::{F_TUPLES_DELETED, gist_mark};
use ffviz_format::page::layout::Wire;
use ffviz_format::page::{ItemPointer, OffsetNumber};

impl Gist<'_> {
    /// `gistbulkdelete`: takes off the items whose rows are dead.
    pub fn bulk_delete(&mut self, is_dead: &dyn Fn(ItemPointer) -> bool) -> BulkDeleteResult {
        let buf = self.root();
        self.pg.read_buffer(buf);
        let page = self.pg.buffers.page(buf);
        let count = page.item_count();
        let is_deleted = |n: &OffsetNumber| tuple_at(page, *n).is_some_and(|tuple| is_dead(ItemPointer::get(tuple)));
        let deleted: Vec<OffsetNumber> = (1..=count).map(OffsetNumber).filter(is_deleted).collect();
        if !deleted.is_empty() {
            let major = self.pg.version.major();
            let page = self.pg.buffers.page_mut(buf);
            let done = page.index_multi_delete(&deleted, major).and_then(|()| gist_mark(page, F_TUPLES_DELETED));
            debug_assert!(done.is_ok(), "{done:?}");
            self.log_update(&deleted, &[]);
        }
        let removed = deleted.len() as u64;
        BulkDeleteResult {
            num_pages: 1,
            tuples_removed: removed,
            num_index_tuples: u64::from(count) - removed,
            ..BulkDeleteResult::default()
        }
    }

    /// `gistvacuumcleanup`, with what `gistbulkdelete` gave where it ran; else the index is scanned all the same.
    pub fn vacuum_cleanup(&mut self, bulk: Option<BulkDeleteResult>) -> BulkDeleteResult {
        bulk.unwrap_or_else(|| self.bulk_delete(&|_| false))
    }
}
