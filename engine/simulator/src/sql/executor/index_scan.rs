//! Scans of an index: from its entries to rows (src/backend/executor/nodeIndexscan.c, nodeBitmapIndexscan.c).

use super::running::CountedBitmap;
use super::scan_keys::{Bounds, tests};
use super::slot::Slot;
use crate::access::heap::scan::{IndexFetch, heap_hot_search_buffer, heap_index_fetch};
use crate::access::heap::visibility::Snapshot;
use crate::access::nbtree::IndexScan;
use crate::sql::plan::{self, Bitmap};
use crate::sql::tcop::Database;
use crate::storage::{Buffer, Instance, MvccSnapshot, Outcome, RelationData};
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem;
use ffviz_format::page::{BlockNumber, ItemPointer, OffsetNumber};

/// An index scan that runs.
#[derive(Debug, Clone)]
pub(super) struct IndexRows {
    index: Arc<RelationData>,
    bounds: Bounds,
    scan: IndexScan,
    /// is the heap left alone where its block is all-visible?
    only: bool,
    /// `ioss_VMBuffer`: the page of the visibility map that it has
    map: Option<Buffer>,
    fetch: IndexFetch,
    /// `ss_ScanTupleSlot`: the version that was found last, whatever the filter says of it
    found: Slot,
    /// entries that it gave, and rows that they led to, since this was counted last
    read: u64,
    fetched: u64,
}

impl IndexRows {
    pub fn start(db: &mut Database, plan: &plan::IndexScan) -> Outcome<Self> {
        let index = db.cluster.pg.relation(plan.index)?;
        let (fetch, found) = (IndexFetch::default(), Slot::default());
        let (bounds, scan) = (Bounds::default(), IndexScan::of_query(plan.only));
        let mut rows = Self { index, bounds, scan, only: plan.only, map: None, fetch, found, read: 0, fetched: 0 };
        rows.find_bounds(db, plan)?;
        Ok(rows)
    }

    /// `ExecReScanIndexScan`: before the first entry once more.
    pub fn rescan(&mut self, db: &mut Database, plan: &plan::IndexScan) -> Outcome<()> {
        db.cluster.pg.reopen(&mut self.index)?;
        self.find_bounds(db, plan)
    }

    fn find_bounds(&mut self, db: &mut Database, plan: &plan::IndexScan) -> Outcome<()> {
        self.bounds.find(db, &self.index, &plan.keys)?;
        let bounds = &mut self.bounds.all;
        if plan.backward {
            bounds.reverse();
        }
        let tests = tests(db, &self.index, &plan.keys)?;
        self.scan.rescan(bounds, mem::take(&mut self.bounds.arrays), tests, plan.backward);
        Ok(())
    }

    /// Do the entries satisfy all that the index was asked for, so that this need not be asked of their rows?
    pub const fn is_exact(&self) -> bool {
        self.bounds.is_exact
    }

    /// All entries, in the order of the index.
    fn all(&mut self, db: &mut Database) -> Outcome<Vec<ItemPointer>> {
        let mut found = Vec::new();
        while let Some(tid) = self.scan.next(&mut db.cluster.pg, &self.index)? {
            found.push(tid);
        }
        Ok(found)
    }

    /// The next row version that the snapshot sees.
    pub fn next(
        &mut self,
        db: &mut Database,
        table: &RelationData,
        snapshot: &MvccSnapshot,
    ) -> Outcome<Option<ItemPointer>> {
        loop {
            let pg = &mut db.cluster.pg;
            let Some(tid) = self.scan.next(pg, &self.index)? else { return Ok(None) };
            self.read += 1;
            let map = Some(Instance::vm_buffer(table.file, tid.block)).filter(|_| self.only);
            if map.is_some() && mem::replace(&mut self.map, map) != map {
                pg.read_visibilitymap(Buffer::main(table.file, tid.block));
            }
            if self.only && pg.visibilitymap_status(table.file, tid.block) & 1 != 0 {
                pg.predicate_lock_page(table, tid.block);
                let buf = Buffer::main(table.file, tid.block);
                return Ok(heap_hot_search_buffer(pg, table, buf, tid.offset, Snapshot::Any, false)?.found);
            }
            db.running.counted.fetched += 1;
            let (found, all_dead) = heap_index_fetch(pg, table, &mut self.fetch, tid, Snapshot::Mvcc(snapshot))?;
            if all_dead {
                self.scan.kill_prior();
            }
            if let Some(tid) = found {
                self.fetched += 1;
                // an index-only scan empties its slot at once
                if !self.only {
                    self.found.store(&mut db.cluster.pg, Buffer::main(table.file, tid.block));
                }
                return Ok(found);
            }
        }
    }

    pub fn end(&mut self, db: &mut Database) {
        self.fetch.end(&mut db.cluster.pg);
        self.found.clear(&mut db.cluster.pg);
        self.scan.end(&mut db.cluster.pg, &self.index);
        let searches = self.scan.take_searches();
        db.running.counted.searches += searches;
        let counted = (mem::take(&mut self.read), mem::take(&mut self.fetched));
        count_index(&mut db.cluster.pg, &self.index, searches, counted);
    }
}

/// `pgstat_count_index_scan`, `pgstat_count_index_tuples`, `pgstat_count_heap_fetch`
fn count_index(pg: &mut Instance, index: &RelationData, searches: u64, (read, fetched): (u64, u64)) {
    pg.count_scans(index.oid, searches);
    let stats = pg.stats.of_mut(index.oid);
    stats.read += read;
    stats.fetched += fetched;
}

/// The line pointers of a bitmap, by block.
pub(super) fn bitmap(db: &mut Database, plan: &Bitmap) -> Outcome<VecDeque<(BlockNumber, Vec<OffsetNumber>)>> {
    let mut blocks: BTreeMap<BlockNumber, Vec<OffsetNumber>> = BTreeMap::new();
    for tid in tids(db, plan)? {
        blocks.entry(tid.block).or_default().push(tid.offset);
    }
    Ok(blocks.into_iter().collect())
}

fn tids(db: &mut Database, plan: &Bitmap) -> Outcome<BTreeSet<ItemPointer>> {
    match plan {
        Bitmap::Index(scan) => {
            let mut rows = IndexRows::start(db, &plan::IndexScan { backward: false, ..scan.clone() })?;
            let before = db.cluster.pg.buffer_usage();
            let found = rows.all(db)?;
            let (entries, searches) = (found.len() as u64, rows.scan.take_searches());
            let blocks = db.cluster.pg.buffer_usage() - before;
            count_index(&mut db.cluster.pg, &rows.index, searches, (entries, 0));
            db.running.counted.bitmaps.push(CountedBitmap { entries, searches, blocks });
            Ok(found.into_iter().collect())
        }
        Bitmap::And(parts) => {
            let mut found: Option<BTreeSet<ItemPointer>> = None;
            for part in parts {
                let next = tids(db, part)?;
                found = Some(found.map_or(next.clone(), |found| found.intersection(&next).copied().collect()));
            }
            Ok(found.unwrap_or_default())
        }
        Bitmap::Or(parts) => {
            let mut found = BTreeSet::new();
            for part in parts {
                found.extend(tids(db, part)?);
            }
            Ok(found)
        }
    }
}
