//! From an index entry to the visible member of its HOT chain (`heap_hot_search_buffer`, heapam.c;
//! `heapam_index_fetch_tuple`, heapam_handler.c).
//!
//! ```text
//!  index entry ─▶ root ─▶ member ─▶ member        the first one that the snapshot sees; hint bits on those before it
//! ```

use crate::access::heap::prune::heap_page_prune_opt;
use crate::access::heap::tuple::heap_tuple_at;
use crate::access::heap::visibility::{
    DirtyXids, Snapshot, heap_check_for_serializable_conflict_out, heap_tuple_get_update_xid,
    heap_tuple_is_surely_dead, heap_tuple_satisfies_dirty, heap_tuple_satisfies_visibility,
};
use crate::storage::{Buffer, Instance, Outcome, RelationData, TableAm};
use crate::undo::{undo_fetch_check, undo_sees};
use ffviz_format::page::{ItemPointer, OffsetNumber};

/// What a chain had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainSearch {
    /// the member that is visible
    pub found: Option<ItemPointer>,
    /// nobody can see any member, so the index entry can be killed
    pub all_dead: bool,
    /// under `SNAPSHOT_DIRTY`: who is at work on the member that was found
    pub running: DirtyXids,
}

/// `heap_hot_search_buffer`. `ask_all_dead`: does the caller want to know whether all members are dead? Finding out may
/// move the session's horizon.
///
/// # Errors
/// Where a SERIALIZABLE transaction has to fail for what it reads.
pub fn heap_hot_search_buffer(
    pg: &mut Instance,
    rel: &RelationData,
    buf: Buffer,
    root: OffsetNumber,
    snapshot: Snapshot<'_>,
    ask_all_dead: bool,
) -> Outcome<ChainSearch> {
    let mut search = ChainSearch { found: None, all_dead: ask_all_dead, running: DirtyXids::default() };
    let (mut n, mut at_start, mut prior_xmax) = (root, true, None);
    loop {
        let page = pg.buffers.page(buf);
        let Some(lp) = page.item_id(n) else { break };
        if let Some(target) = lp.redirect().filter(|_| at_start) {
            (n, at_start) = (target, false);
            continue;
        }
        let Some(mut tuple) = heap_tuple_at(page, ItemPointer { block: buf.block, offset: n }, lp) else { break };
        if at_start && tuple.is_heap_only() || prior_xmax.is_some_and(|xmax| xmax != tuple.t_xmin) {
            break;
        }
        let visible = match snapshot {
            Snapshot::Dirty => {
                heap_tuple_satisfies_dirty(pg, &mut tuple, buf).map(|running| search.running = running).is_some()
            }
            _ => heap_tuple_satisfies_visibility(pg, &mut tuple, buf, snapshot),
        };
        let is_mvcc = matches!(snapshot, Snapshot::Mvcc(_));
        if is_mvcc {
            heap_check_for_serializable_conflict_out(pg, &mut tuple, buf, visible)?;
        }
        if visible {
            if is_mvcc {
                pg.predicate_lock_tid(rel, tuple.tid, tuple.t_xmin);
            }
            search.found = Some(tuple.tid);
            search.all_dead = false;
            break;
        }
        search.all_dead = search.all_dead && heap_tuple_is_surely_dead(pg, &tuple, buf);
        if !tuple.is_hot_updated() {
            break;
        }
        prior_xmax = Some(heap_tuple_get_update_xid(pg, &tuple));
        (n, at_start) = (tuple.t_ctid.offset, false);
    }
    Ok(search)
}

/// `IndexFetchHeapData`: the page that an index scan is on, pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexFetch {
    buf: Option<Buffer>,
}

impl IndexFetch {
    /// Goes to a page, and prunes it unless the fetch is there already.
    pub fn go_to(&mut self, pg: &mut Instance, rel: &RelationData, buf: Buffer) {
        if self.buf == Some(buf) {
            return;
        }
        self.end(pg);
        self.buf = Some(buf);
        pg.pin(buf);
        pg.read_buffer(buf);
        heap_page_prune_opt(pg, rel, buf);
    }

    /// `heapam_index_fetch_end`: lets go of the page.
    pub fn end(&mut self, pg: &mut Instance) {
        if let Some(buf) = self.buf.take() {
            pg.unpin(buf);
        }
    }
}

/// `heapam_index_fetch_tuple` for a query: the row version that an index entry leads to, and whether the entry is dead
/// to all.
///
/// # Errors
/// As those of [`heap_hot_search_buffer`].
pub fn heap_index_fetch(
    pg: &mut Instance,
    rel: &RelationData,
    fetch: &mut IndexFetch,
    tid: ItemPointer,
    snapshot: Snapshot<'_>,
) -> Outcome<(Option<ItemPointer>, bool)> {
    let buf = Buffer::main(rel.file, tid.block);
    fetch.go_to(pg, rel, buf);
    if rel.am == TableAm::Undo {
        return Ok((of_undo(pg, rel, tid, snapshot).found, false));
    }
    let search = heap_hot_search_buffer(pg, rel, buf, tid.offset, snapshot, true)?;
    Ok((search.found, search.all_dead))
}

/// `table_index_fetch_tuple_check`: is a row alive, or may it be, that an entry of a unique index leads to? Each check
/// is a fetch of its own.
///
/// # Errors
/// As those of [`heap_hot_search_buffer`].
pub fn heap_index_fetch_check(
    pg: &mut Instance,
    rel: &RelationData,
    tid: ItemPointer,
    snapshot: Snapshot<'_>,
) -> Outcome<ChainSearch> {
    let (buf, mut fetch) = (Buffer::main(rel.file, tid.block), IndexFetch::default());
    fetch.go_to(pg, rel, buf);
    if rel.am == TableAm::Undo {
        fetch.end(pg);
        return Ok(of_undo(pg, rel, tid, snapshot));
    }
    let search = heap_hot_search_buffer(pg, rel, buf, tid.offset, snapshot, true)?;
    fetch.end(pg);
    Ok(search)
}

/// The same of a table of the undo engine, where a row has one place, and its entries stay.
fn of_undo(pg: &Instance, rel: &RelationData, tid: ItemPointer, snapshot: Snapshot<'_>) -> ChainSearch {
    let (is_there, running) = match snapshot {
        Snapshot::Mvcc(snapshot) => (undo_sees(pg, rel, tid, snapshot), None),
        _ => undo_fetch_check(pg, rel, tid),
    };
    let running = DirtyXids { xmin: None, xmax: running };
    ChainSearch { found: is_there.then_some(tid), all_dead: false, running }
}

/// The same of a version to which an entry leads and that the command at work has replaced by one that is not
/// heap-only: it is alone in its chain, deleted for who asks and alive for others, and its hint bits are set. What
/// remains is that its page is looked at, and may be pruned.
pub fn heap_index_fetch_replaced(pg: &mut Instance, rel: &RelationData, tid: ItemPointer) {
    let mut fetch = IndexFetch::default();
    fetch.go_to(pg, rel, Buffer::main(rel.file, tid.block));
    fetch.end(pg);
}
