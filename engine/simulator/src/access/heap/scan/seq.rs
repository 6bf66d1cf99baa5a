//! The sequential scan, a page at a time (`heapgetpage` of 13 to 16, `heap_prepare_pagescan` from 17 on,
//! src/backend/access/heap/heapam.c).
//!
//! ```text
//!  pages as of the start:  0  1  2 … n−1        row versions that come behind them are not visited
//!                          ▲ pinned, pruned, then every tuple looked at
//!                             ▲ from 17 on pinned already: whoever else comes there does not prune it (src/backend/storage/aio/read_stream.c)
//! ```

use crate::access::heap::heap_tuple;
use crate::access::heap::prune::heap_page_prune_opt;
use crate::access::heap::visibility::{heap_check_for_serializable_conflict_out, heap_tuple_satisfies_mvcc};
use crate::storage::{BLCKSZ, Buffer, Instance, MvccSnapshot, Outcome, RelationData, TableAm};
use crate::undo::undo_visible_rows;
use crate::version::Behaviour;
use alloc::vec::Vec;
use core::ops::RangeInclusive;
use ffviz_format::page::header::PD_ALL_VISIBLE;
use ffviz_format::page::{BlockNumber, ForkNumber, ItemPointer, LpFlags, OffsetNumber};

/// `MaxOffsetNumber`: as many line pointers as fill a page
const MAX_OFFSET_NUMBER: OffsetNumber = OffsetNumber(BLCKSZ / 4);

/// `HeapScanDesc`: a scan that can be gone on with. It holds its page pinned: end it by [`HeapScan::end`], or read it
/// to its end.
#[derive(Debug, Clone)]
pub struct HeapScan {
    /// where it ends
    blocks: BlockNumber,
    next: BlockNumber,
    /// is it of the whole table?
    is_whole: bool,
    buf: Option<Buffer>,
    /// the page after it
    ahead: Option<Buffer>,
}

impl HeapScan {
    /// `heap_beginscan`: the number of pages is that of now.
    #[must_use]
    pub fn new(pg: &Instance, rel: &RelationData) -> Self {
        let blocks = pg.buffers.nblocks(rel.file, ForkNumber::Main);
        Self { blocks, next: 0, is_whole: true, buf: None, ahead: None }
    }

    /// `heap_set_tidrange`: of the blocks that have places of the range only.
    #[must_use]
    pub fn of_range(pg: &Instance, rel: &RelationData, range: &RangeInclusive<ItemPointer>) -> Self {
        let whole = Self::new(pg, rel);
        let last = whole.blocks.saturating_sub(1);
        let first = ItemPointer { block: 0, offset: OffsetNumber(1) }.max(*range.start());
        let end = ItemPointer { block: last, offset: MAX_OFFSET_NUMBER }.min(*range.end());
        let blocks = if end < first || whole.blocks == 0 { 0 } else { end.block + 1 };
        Self { blocks, next: first.block, is_whole: false, ..whole }
    }

    /// The next page with the row versions on it that the snapshot sees, maybe none of them; `None` behind the last
    /// page.
    ///
    /// # Errors
    /// Where a SERIALIZABLE transaction has to fail for what it reads.
    pub fn next_page(
        &mut self,
        pg: &mut Instance,
        rel: &RelationData,
        snapshot: &MvccSnapshot,
    ) -> Outcome<Option<(Buffer, Vec<OffsetNumber>)>> {
        self.end(pg);
        if self.next == 0 && self.is_whole {
            pg.predicate_lock_relation(rel);
            pg.count_scans(rel.oid, 1);
        }
        if self.next >= self.blocks {
            return Ok(None);
        }
        let buf = Buffer::main(rel.file, self.next);
        self.next += 1;
        let has_next = self.next < self.blocks && pg.version.seq_scan_looks_ahead();
        self.buf = Some(buf);
        self.ahead = has_next.then(|| Buffer::main(rel.file, self.next));
        self.pinned().for_each(|buf| pg.pin(buf));
        pg.read_buffer(buf);
        heap_page_prune_opt(pg, rel, buf);
        if rel.am == TableAm::Undo {
            return Ok(Some((buf, undo_visible_rows(pg, rel, buf.block, snapshot))));
        }
        Ok(Some((buf, visible_tuples(pg, buf, snapshot)?)))
    }

    /// The pages that it holds.
    fn pinned(&self) -> impl Iterator<Item = Buffer> {
        self.buf.into_iter().chain(self.ahead)
    }

    /// `heap_endscan`: lets go of them.
    pub fn end(&mut self, pg: &mut Instance) {
        self.pinned().for_each(|buf| pg.unpin(buf));
        (self.buf, self.ahead) = (None, None);
    }
}

/// All row versions of the page that the snapshot sees. On an all-visible page none is looked at, and none gets a hint
/// bit.
///
/// # Errors
/// Where a SERIALIZABLE transaction has to fail for what it reads: from 17 on also where there is nothing on the page.
pub(super) fn visible_tuples(pg: &mut Instance, buf: Buffer, snapshot: &MvccSnapshot) -> Outcome<Vec<OffsetNumber>> {
    let page = pg.buffers.page(buf);
    let normal = page.line_pointers().filter(|(_, lp)| lp.lp_flags() == LpFlags::Normal).map(|(n, _)| n);
    let mut visible: Vec<OffsetNumber> = normal.collect();
    let all_visible = page.header().pd_flags() & PD_ALL_VISIBLE != 0;
    let is_serializable = pg.backend().serializable.is_some();
    if is_serializable && pg.version.checks_page_for_conflicts() {
        pg.check_for_serializable_conflict_out_needed()?;
    }
    if all_visible && !is_serializable {
        return Ok(visible);
    }
    let mut is_right = Ok(());
    visible.retain(|n| {
        let Some(mut tuple) = heap_tuple(pg, buf, *n).filter(|_| is_right.is_ok()) else { return false };
        let is_visible = all_visible || heap_tuple_satisfies_mvcc(pg, &mut tuple, buf, snapshot);
        if is_serializable {
            is_right = heap_check_for_serializable_conflict_out(pg, &mut tuple, buf, is_visible);
        }
        is_visible
    });
    is_right.map(|()| visible)
}
