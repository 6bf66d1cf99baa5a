//! A page of a bitmap heap scan (`heapam_scan_bitmap_next_block`, 18: `BitmapHeapScanNextBlock`,
//! src/backend/access/heap/heapam_handler.c).

use super::index::heap_hot_search_buffer;
use super::seq::visible_tuples;
use crate::access::heap::prune::heap_page_prune_opt;
use crate::access::heap::visibility::Snapshot;
use crate::storage::{Buffer, Instance, MvccSnapshot, Outcome, RelationData, TableAm};
use crate::undo::undo_visible_rows;
use alloc::vec::Vec;
use ffviz_format::page::{ForkNumber, OffsetNumber};

/// Prunes the page, then follows the chain of every TID before the first row is returned. `offsets`: the line pointers
/// that the bitmap has, in order; `None` where it knows only the page. The caller has the page pinned.
///
/// # Errors
/// Where a SERIALIZABLE transaction has to fail for what it reads.
pub fn heap_bitmap_page(
    pg: &mut Instance,
    rel: &RelationData,
    buf: Buffer,
    offsets: Option<&[OffsetNumber]>,
    snapshot: &MvccSnapshot,
) -> Outcome<Vec<OffsetNumber>> {
    // entries may lead behind an end that was cut off since
    if buf.block >= pg.buffers.nblocks(rel.file, ForkNumber::Main) {
        return Ok(Vec::new());
    }
    pg.read_buffer(buf);
    if rel.am == TableAm::Undo {
        let visible = undo_visible_rows(pg, rel, buf.block, snapshot);
        return Ok(visible.into_iter().filter(|n| offsets.is_none_or(|wanted| wanted.contains(n))).collect());
    }
    heap_page_prune_opt(pg, rel, buf);
    let Some(offsets) = offsets else { return visible_tuples(pg, buf, snapshot) };
    let mut find = |n: &OffsetNumber| heap_hot_search_buffer(pg, rel, buf, *n, Snapshot::Mvcc(snapshot), false);
    let found = offsets.iter().map(|n| Ok(find(n)?.found.map(|tid| tid.offset)));
    found.filter_map(Outcome::transpose).collect()
}
