//! The first pass over the table: which pages are visited, and what happens to each (`lazy_scan_heap`,
//! src/backend/access/heap/vacuumlazy.c).
//!
//! ```text
//!  visibility map  1 1 1 … 1 1  0  1 1  0        32 pages or more that are all-visible are skipped;
//!                  └ skipped ┘  ▲  ▲ ▲  ▲        fewer are read, which costs less than a seek
//! ```

use super::LazyVacuum;
use super::maps::{ALL_FROZEN, ALL_VISIBLE};
use crate::storage::{BLCKSZ, Buffer, Instance};
use crate::version::Behaviour;
use alloc::format;
use ffviz_format::heap::heap_free_space;
use ffviz_format::page::{BlockNumber, PageHeaderData};

/// `SKIP_PAGES_THRESHOLD`
const SKIP_PAGES_THRESHOLD: BlockNumber = 32;

impl LazyVacuum<'_> {
    /// `lazy_scan_heap`
    pub(super) fn lazy_scan_heap(&mut self, pg: &mut Instance) {
        let mut next = 0;
        while next < self.rel_pages {
            let (stop, is_eager) = self.next_unskippable(pg, next);
            self.eager.count();
            if stop - next >= SKIP_PAGES_THRESHOLD {
                next = self.skip(pg, next, stop);
            }
            let behind = self.rel_pages.min(stop + 1);
            (next..behind).for_each(|block| self.scan_page(pg, block));
            if is_eager {
                self.eager.visited(self.vm_status(pg, stop) & ALL_FROZEN != 0);
            }
            next = behind;
        }
    }

    /// The next page from this one on that has to be visited, and whether only to freeze it eagerly; behind the last
    /// page where there is none.
    fn next_unskippable(&mut self, pg: &Instance, from: BlockNumber) -> (BlockNumber, bool) {
        let wanted = if self.aggressive { ALL_FROZEN } else { ALL_VISIBLE };
        let never_last = pg.version.vacuums_last_page();
        for block in from..self.rel_pages {
            let (is_last, status) = (never_last && block + 1 == self.rel_pages, self.vm_status(pg, block));
            self.eager.enter(block);
            if self.params.disable_page_skipping || is_last || status & wanted == 0 {
                return (block, false);
            }
            if status & ALL_FROZEN == 0 && self.eager.is_wanted() {
                return (block, true);
            }
        }
        (self.rel_pages, false)
    }

    /// Skips pages. Before 15 the last page is visited all the same, where the table looks as if its end could be cut
    /// off. Gives the next page to visit.
    fn skip(&mut self, pg: &mut Instance, from: BlockNumber, to: BlockNumber) -> BlockNumber {
        let check_last = to == self.rel_pages && self.should_attempt_truncation();
        let to = if check_last { to - 1 } else { to };
        let frozen = (from..to).filter(|block| self.vm_status(pg, *block) & ALL_FROZEN != 0).count() as BlockNumber;
        self.counts.skipped_frozen += frozen;
        self.counts.skipped_all_visible |= frozen < to - from;
        pg.trace.tell(None, || {
            format!("blocks {from} to {}: skipped, since the visibility map says that there is nothing to do", to - 1)
        });
        to
    }

    /// One page of the first pass.
    fn scan_page(&mut self, pg: &mut Instance, block: BlockNumber) {
        self.counts.scanned += 1;
        pg.visibilitymap_pin(self.rel.file, block);
        let buf = Buffer::main(self.rel.file, block);
        pg.read_buffer(buf);
        let page = pg.buffers.page(buf);
        if page.is_new() {
            if pg.recorded_free_space(self.rel.file, block) == 0 {
                let all = BLCKSZ - PageHeaderData::SIZE as u16;
                pg.record_page_with_free_space(self.rel.file, block, all);
            }
        } else if page.item_count() == 0 {
            self.empty_page(pg, buf);
        } else {
            self.used_page(pg, buf);
        }
    }

    /// `lazy_scan_new_or_empty`: a page with no line pointer is all-visible and all-frozen.
    fn empty_page(&mut self, pg: &mut Instance, buf: Buffer) {
        if !pg.is_all_visible(buf) {
            pg.mark_buffer_dirty(buf);
            if pg.buffers.is_permanent(buf.file) && pg.buffers.page(buf).header().pd_lsn().0 == 0 {
                pg.log_newpage_buffer(buf, true);
            }
            pg.set_all_visible(buf);
            pg.visibilitymap_set(buf, 0, ALL_VISIBLE | ALL_FROZEN);
        }
        self.record_free_space(pg, buf);
    }

    /// A page with line pointers.
    fn used_page(&mut self, pg: &mut Instance, buf: Buffer) {
        let status = self.vm_status(pg, buf.block);
        let page = self.lazy_scan_prune(pg, buf);
        if page.hastup {
            self.nonempty_pages = buf.block + 1;
        }
        if page.dead.is_empty() {
            self.mark_all_visible(pg, buf, status, &page);
            return self.record_free_space(pg, buf);
        }
        if !self.has_indexes {
            self.lazy_vacuum_heap_page(pg, buf, &page.dead);
            return self.record_free_space(pg, buf);
        }
        if self.do_index_vacuuming {
            self.dead.push((buf.block, page.dead));
        } else {
            self.record_free_space(pg, buf);
        }
    }

    /// Records the page's room in the free space map, as VACUUM's last act on it.
    pub(super) fn record_free_space(&self, pg: &mut Instance, buf: Buffer) {
        let free = heap_free_space(pg.buffers.page(buf));
        pg.record_page_with_free_space(buf.file, buf.block, free);
    }
}
