//! UPDATE where WAL is only counted: the pages are written and the record's length is counted while the pages are at
//! hand, so that none is looked up again.

use crate::access::heap::hio::put_heap_tuple;
use crate::access::heap::record::{will_init, write_header};
use crate::access::heap::update::Update;
use crate::access::heap::update_record::Unchanged;
use crate::access::transam::{REGBUF_STANDARD, RecordKind};
use crate::storage::{Buffer, Instance};
use ffviz_format::page::ItemPointer;
use ffviz_format::page::header::{PD_ALL_VISIBLE, PD_PAGE_FULL};
use ffviz_format::wal::Rmgr;
use ffviz_format::wal::rec::heap::{XLOG_HEAP_INIT_PAGE, XlHeapUpdate};
use ffviz_format::wal::record_type::HeapType;

impl Update<'_> {
    /// Puts the new version on its page and the header of the old one on its own. A record that is only counted is
    /// counted at once, as long as the page is at hand. Gives the new version's place, and whether it was counted;
    /// nothing is done where records are wanted.
    #[inline]
    pub(in crate::access::heap) fn write_and_count(
        &mut self,
        pg: &mut Instance,
        target: Buffer,
        hot: bool,
        unchanged: Unchanged,
    ) -> Option<(ItemPointer, bool)> {
        if !self.rel.permanent || !pg.prepare_to_count() {
            return None;
        }
        let Instance { buffers, wal, backends, me, .. } = pg;
        let (tid, page) = put_heap_tuple(buffers, target, self.new, None);
        let mut is_all_visible = page.header().pd_flags() & PD_ALL_VISIBLE != 0;
        let of_new = (REGBUF_STANDARD | will_init(page.header(), tid.offset), page.header().pd_lsn());
        self.old.t_ctid = tid;
        let mut page = write_header(buffers, self.buf, &self.old);
        let flags = page.header().pd_flags();
        is_all_visible |= flags & PD_ALL_VISIBLE != 0;
        if !self.stays(target) {
            page.set_pd_flags(flags | PD_PAGE_FULL);
        }
        page.set_prunable(self.xid);
        if is_all_visible {
            return Some((tid, false));
        }
        let (backend, lengths) = (&mut backends[*me].wal, (XlHeapUpdate::SIZE, unchanged.data_len(self.new)));
        let operation = if hot { HeapType::HotUpdate.info() } else { HeapType::Update.info() };
        let init = if of_new.0 == REGBUF_STANDARD { 0 } else { XLOG_HEAP_INIT_PAGE };
        let kind = RecordKind(Rmgr::HEAP, operation | init);
        let end = if self.stays(target) {
            wal.count_about_pages(backend, kind, [of_new], lengths)
        } else {
            wal.count_about_pages(backend, kind, [of_new, (REGBUF_STANDARD, page.header().pd_lsn())], lengths)
        };
        let Some(end) = end else { return Some((tid, false)) };
        page.set_pd_lsn(end);
        if !self.stays(target) {
            buffers.header_mut(target).set_pd_lsn(end);
        }
        Some((tid, true))
    }
}
