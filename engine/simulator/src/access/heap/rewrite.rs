//! A table written anew with the visibility of its rows (`heapam_relation_copy_for_cluster`,
//! src/backend/access/heap/heapam_handler.c; src/backend/access/heap/rewriteheap.c).
//!
//! ```text
//!  old file ── versions that somebody may still see ──▶ frozen where they are old ──▶ new pages, each logged as an image when it is full
//!
//!  A ─t_ctid▶ B   A waits until B has its new place; where B came first, its new place is known
//! ```

use super::freeze::{HeapPageFreeze, VacuumCutoffs, heap_prepare_freeze_tuple};
use super::heap_tuple;
use super::hio::aligned_len;
use super::insert::InsertOptions;
use super::toast::{heap_toast_rewrite, needs_toast};
use super::visibility::{HtsvResult, heap_tuple_get_update_xid, heap_tuple_satisfies_vacuum};
use crate::storage::{BLCKSZ, Buffer, Instance, MAX_PENDING_WRITES, Outcome, RelationData};
use crate::version::Behaviour;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use ffviz_format::datum::{FormedTuple, SqlError, Value};
use ffviz_format::heap::infomask::{HEAP_UPDATED, HEAP_XACT_MASK};
use ffviz_format::heap::{HeapTuple, HeapTupleHeaderData, heap_free_space};
use ffviz_format::page::{
    BlockNumber, FROZEN_XID, ForkNumber, ItemPointer, OffsetNumber, Page, TransactionId, precedes,
};

/// `TidHashKey`: a version by its inserter and its place in the old file.
type TidKey = (TransactionId, ItemPointer);

/// `RewriteStateData`
struct Rewrite<'a> {
    old: &'a RelationData,
    new: &'a RelationData,
    cutoffs: VacuumCutoffs,
    /// the page that is being filled
    page: Option<Page>,
    /// where it goes
    block: BlockNumber,
    /// pages that are full, and not logged yet
    full: Vec<BlockNumber>,
    /// `rs_unresolved_tups`: versions that wait for the place of the next one, by that
    unresolved: BTreeMap<TidKey, Version>,
    /// `rs_old_new_tid_map`: places of versions that came before the one that leads to them
    places: BTreeMap<TidKey, ItemPointer>,
    rows: u64,
}

/// A version on its way to the new file.
struct Version {
    old_tid: ItemPointer,
    /// what its header is to say
    header: HeapTuple,
    tuple: FormedTuple,
    /// `t_ctid`, where that is another version
    next: Option<ItemPointer>,
}

/// Copies the rows of the table in the order of its old file, or in that of `order`, which has each of its places.
/// Gives how many there are.
///
/// # Errors
/// What storing long values meets; a damaged chain of versions.
pub fn heap_copy_for_cluster(
    pg: &mut Instance,
    old: &RelationData,
    new: &RelationData,
    cutoffs: VacuumCutoffs,
    order: Option<&[ItemPointer]>,
) -> Outcome<u64> {
    let mut rewrite = Rewrite {
        old,
        new,
        cutoffs,
        page: None,
        block: 0,
        full: Vec::new(),
        unresolved: BTreeMap::new(),
        places: BTreeMap::new(),
        rows: 0,
    };
    match order {
        Some(places) => places.iter().try_for_each(|tid| rewrite.place(pg, *tid))?,
        None => {
            for block in 0..pg.buffers.nblocks(old.file, ForkNumber::Main) {
                let buf = Buffer::main(old.file, block);
                pg.pin(buf);
                let places = (1..=pg.buffers.page(buf).item_count()).map(OffsetNumber);
                places.map(|offset| ItemPointer { block, offset }).try_for_each(|tid| rewrite.place(pg, tid))?;
                pg.unpin(buf);
            }
        }
    }
    rewrite.end(pg)?;
    Ok(rewrite.rows)
}

impl Rewrite<'_> {
    fn place(&mut self, pg: &mut Instance, tid: ItemPointer) -> Outcome<()> {
        pg.interrupt.check()?;
        let buf = Buffer::main(self.old.file, tid.block);
        heap_tuple(pg, buf, tid.offset).map_or(Ok(()), |tuple| self.version(pg, buf, tuple))
    }

    fn version(&mut self, pg: &mut Instance, buf: Buffer, mut tuple: HeapTuple) -> Outcome<()> {
        let horizon = self.cutoffs.oldest_xmin;
        if heap_tuple_satisfies_vacuum(pg, &mut tuple, buf, horizon) == HtsvResult::Dead {
            // `rewrite_heap_dead_tuple`: what leads to it is dead as well
            self.unresolved.remove(&(xmin_of(&tuple), tuple.tid));
            return Ok(());
        }
        self.rows += 1;
        let mut values: Vec<Value> = Vec::new();
        self.old.desc.deform(pg.buffers.page(buf).slice(tuple.bytes.clone()), &mut values);
        let columns = self.new.desc.attributes().iter().zip(&mut values);
        columns.filter(|(column, _)| column.dropped).for_each(|(_, value)| *value = Value::Null);
        let formed = FormedTuple::new(&self.new.desc, &values);
        self.rewrite_heap_tuple(pg, &tuple, formed)
    }

    fn rewrite_heap_tuple(&mut self, pg: &mut Instance, old: &HeapTuple, tuple: FormedTuple) -> Outcome<()> {
        let header = self.frozen(pg, old, &tuple);
        let mut version = Version { old_tid: old.tid, header, tuple, next: None };
        if !old.is_xmax_invalid() && !old.is_locked_only() && old.t_ctid != old.tid && !old.is_moved_to_partition() {
            let next = (heap_tuple_get_update_xid(pg, old), old.t_ctid);
            match self.places.remove(&next) {
                Some(place) => version.next = Some(place),
                None => {
                    self.unresolved.insert(next, version);
                    return Ok(());
                }
            }
        }
        loop {
            let key = (xmin_of(&version.header), version.old_tid);
            let is_update = version.header.t_infomask & HEAP_UPDATED != 0;
            let place = self.raw_heap_insert(pg, &mut version)?;
            // the version before it may still be seen, as this one is not older than the horizon
            if !is_update || precedes(key.0, self.cutoffs.oldest_xmin) {
                return Ok(());
            }
            match self.unresolved.remove(&key) {
                Some(before) => version = Version { next: Some(place), ..before },
                None => {
                    self.places.insert(key, place);
                    return Ok(());
                }
            }
        }
    }

    /// The header of a version with its transactions, of which old ones go; the HOT flags are not kept.
    fn frozen(&self, pg: &mut Instance, old: &HeapTuple, tuple: &FormedTuple) -> HeapTuple {
        let mut header = HeapTuple {
            t_infomask: tuple.infomask & !HEAP_XACT_MASK | old.t_infomask & HEAP_XACT_MASK,
            t_infomask2: tuple.natts,
            t_hoff: tuple.hoff,
            ..old.clone()
        };
        let nothing = HeapPageFreeze::new(self.cutoffs.oldest_xmin, self.cutoffs.oldest_mxact);
        let mut page = HeapPageFreeze { freeze_required: true, ..nothing };
        let cutoffs = VacuumCutoffs { oldest_xmin: self.cutoffs.freeze_limit, ..self.cutoffs };
        if let Some(plan) = heap_prepare_freeze_tuple(pg, &header, &cutoffs, &mut page).plan {
            (header.t_xmax, header.t_infomask, header.t_infomask2) = (plan.xmax, plan.t_infomask, plan.t_infomask2);
        }
        header
    }

    /// `raw_heap_insert`: gives the new place.
    fn raw_heap_insert(&mut self, pg: &mut Instance, version: &mut Version) -> Outcome<ItemPointer> {
        let tuple = &mut version.tuple;
        if needs_toast(tuple) {
            let options = InsertOptions { skip_fsm: true, no_logical: true, ..InsertOptions::NONE };
            heap_toast_rewrite(pg, self.new, tuple, self.old.toast, options)?;
        }
        let len = aligned_len(tuple.bytes.len())?;
        let saved = self.new.target_page_free_space();
        if self.page.as_ref().is_some_and(|page| len + saved > heap_free_space(page)) {
            self.write(pg);
        }
        let page = self.page.get_or_insert_with(|| Page::init(BLCKSZ, 0));
        let place = ItemPointer { block: self.block, offset: OffsetNumber(page.item_count() + 1) };
        let HeapTuple { t_xmin, t_xmax, t_field3, t_infomask, t_infomask2, .. } = version.header;
        if let Some(header) = tuple.bytes.first_chunk_mut::<{ HeapTupleHeaderData::SIZE }>() {
            HeapTupleHeaderData::edit(header)
                .t_xmin(t_xmin)
                .t_xmax(t_xmax)
                .t_field3(t_field3)
                .t_ctid(version.next.unwrap_or(place))
                .t_infomask2(t_infomask2)
                .t_infomask(tuple.infomask & !HEAP_XACT_MASK | t_infomask & HEAP_XACT_MASK)
                .t_hoff(tuple.hoff);
        }
        let added = page.add_item(&tuple.bytes, place.offset, false);
        added.map_err(|error| SqlError::new("XX000", error))?;
        Ok(place)
    }

    /// The page is complete: it is logged and written, from 17 on up to 32 at a time.
    fn write(&mut self, pg: &mut Instance) {
        let Some(page) = self.page.take() else { return };
        pg.extend(self.new.file, ForkNumber::Main, 1);
        *pg.buffers.page_mut(Buffer::main(self.new.file, self.block)) = page;
        self.full.push(self.block);
        self.block += 1;
        if !pg.version.logs_built_pages_in_batches() || self.full.len() == MAX_PENDING_WRITES {
            self.flush(pg);
        }
    }

    /// `smgr_bulk_flush`
    fn flush(&mut self, pg: &mut Instance) {
        pg.log_newpages(self.new, &self.full);
        self.full.drain(..).for_each(|block| pg.write_in_place(Buffer::main(self.new.file, block)));
    }

    /// `end_heap_rewrite`
    fn end(&mut self, pg: &mut Instance) -> Outcome<()> {
        // what leads to a version that is not there should be dead: at most one is left where the horizon was not exact
        let left = core::mem::take(&mut self.unresolved);
        for mut version in left.into_values() {
            self.raw_heap_insert(pg, &mut version)?;
        }
        self.write(pg);
        if !self.full.is_empty() {
            self.flush(pg);
        }
        Ok(())
    }
}

/// `HeapTupleHeaderGetXmin`
const fn xmin_of(tuple: &HeapTuple) -> TransactionId {
    if tuple.is_frozen() { FROZEN_XID } else { tuple.t_xmin }
}
