//! The range map: where the summary of each range of pages is (src/backend/access/brin/brin_revmap.c).

use super::{BrinIndex, META};
use crate::access::transam::{REGBUF_STANDARD, REGBUF_WILL_INIT};
use crate::storage::{BLCKSZ, Instance, Outcome, Registered};
use ffviz_format::page::brin::{
    BRIN_REVMAP, brin_meta, brin_page_init, revmap_entry, revmap_page_items, set_last_revmap_page, set_revmap_entry,
};
use ffviz_format::page::{BlockNumber, ForkNumber, ItemPointer, OffsetNumber};
use ffviz_format::wal::Rmgr;
use ffviz_format::wal::rec::brin::{
    XLOG_BRIN_DESUMMARIZE, XLOG_BRIN_REVMAP_EXTEND, XlBrinDesummarize, XlBrinRevmapExtend,
};

impl BrinIndex {
    /// `HEAPBLK_TO_REVMAP_BLK`, behind the metapage, and `HEAPBLK_TO_REVMAP_INDEX`.
    const fn entry_of(&self, block: BlockNumber) -> (BlockNumber, u32) {
        let (range, items) = (block / self.pages_per_range, revmap_page_items(BLCKSZ));
        (range / items + 1, range % items)
    }

    /// `revmap_get_buffer`: the page of the map is read, unless it is the one that is held.
    pub(super) fn read_revmap(&mut self, pg: &mut Instance, block: BlockNumber) -> BlockNumber {
        let (of_map, _) = self.entry_of(block);
        if self.revmap != Some(of_map) {
            pg.read_buffer(self.buffer(of_map));
            self.revmap = Some(of_map);
        }
        of_map
    }

    /// `brinSetHeapBlockItemptr`
    pub(super) fn set_entry(&self, pg: &mut Instance, block: BlockNumber, tid: Option<ItemPointer>) {
        let (of_map, index) = self.entry_of(block);
        let buf = self.buffer(of_map);
        set_revmap_entry(pg.buffers.page_mut(buf), index, tid);
        pg.mark_buffer_dirty(buf);
    }

    /// `brinGetTupleForHeapBlock`: where the summary of a page's range is.
    pub(super) fn find(&mut self, pg: &mut Instance, block: BlockNumber) -> Option<(BlockNumber, OffsetNumber)> {
        let (of_map, index) = self.entry_of(block);
        if of_map > self.last_revmap_page {
            return None;
        }
        self.read_revmap(pg, block);
        let ItemPointer { block, offset } = revmap_entry(self.page(pg, of_map), index)?;
        if self.held != Some(block) {
            pg.read_buffer(self.buffer(block));
            self.held = Some(block);
        }
        Some((block, offset))
    }

    /// `brinRevmapExtend`: the map has an entry for the page.
    pub(super) fn extend_revmap(&mut self, pg: &mut Instance, block: BlockNumber) -> Outcome<()> {
        while self.entry_of(block).0 > self.last_revmap_page {
            self.extend_by_a_page(pg)?;
        }
        Ok(())
    }

    /// `revmap_physical_extend`
    fn extend_by_a_page(&mut self, pg: &mut Instance) -> Outcome<()> {
        let known = brin_meta(self.page(pg, META)).lastRevmapPage();
        if known != self.last_revmap_page {
            self.last_revmap_page = known;
            return Ok(());
        }
        let (next, meta) = (known + 1, self.buffer(META));
        let buf = self.buffer(next);
        if next < pg.buffers.nblocks(buf.file, ForkNumber::Main) {
            pg.read_buffer(buf);
            if self.start_evacuating(pg, next) {
                return self.evacuate(pg, next);
            }
        } else {
            pg.extend(buf.file, ForkNumber::Main, 1);
        }
        *pg.buffers.page_mut(buf) = brin_page_init(BLCKSZ, BRIN_REVMAP);
        pg.mark_buffer_dirty(buf);
        set_last_revmap_page(pg.buffers.page_mut(meta), next);
        pg.mark_buffer_dirty(meta);
        if self.rel.permanent {
            let blocks = [
                Registered { id: 0, buf: meta, flags: REGBUF_STANDARD, data: &[], sets_lsn: true },
                Registered { id: 1, buf, flags: REGBUF_WILL_INIT, data: &[], sets_lsn: true },
            ];
            pg.xlog_insert(Rmgr::BRIN, XLOG_BRIN_REVMAP_EXTEND, &[&XlBrinRevmapExtend::make(next)], &blocks);
        }
        Ok(())
    }

    /// `brinRevmapDesummarizeRange`: the range of a page has no summary any more.
    pub fn desummarize(&mut self, pg: &mut Instance, block: BlockNumber) {
        self.open(pg);
        let Some((page, item)) = self.find(pg, block) else { return };
        let (of_map, buf) = (self.buffer(self.entry_of(block).0), self.buffer(page));
        self.set_entry(pg, block, None);
        let deleted = pg.buffers.page_mut(buf).index_tuple_delete_no_compact(item);
        debug_assert!(deleted.is_ok(), "{deleted:?}");
        pg.mark_buffer_dirty(buf);
        if self.rel.permanent {
            let blocks = [
                Registered { id: 0, buf: of_map, flags: 0, data: &[], sets_lsn: true },
                Registered { id: 1, buf, flags: REGBUF_STANDARD, data: &[], sets_lsn: true },
            ];
            let main = XlBrinDesummarize::make(self.pages_per_range, block, item.0);
            pg.xlog_insert(Rmgr::BRIN, XLOG_BRIN_DESUMMARIZE, &[&main], &blocks);
        }
    }
}
