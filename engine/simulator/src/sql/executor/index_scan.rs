//! Scans of an index: from its entries to rows (src/backend/executor/nodeIndexscan.c, nodeBitmapIndexscan.c).

use super::brin_scan::blocks_of;
use super::row::eval;
use super::running::CountedBitmap;
use super::scan_keys::{Bounds, tests};
use super::slot::Slot;
use super::tid_bitmap::TidBitmap;
use crate::access::gist::{Gist, GistOp, GistTest};
use crate::access::heap::scan::{IndexFetch, heap_hot_search_buffer, heap_index_fetch};
use crate::access::heap::visibility::Snapshot;
use crate::access::nbtree::IndexScan;
use crate::sql::expr::{Node, Typed};
use crate::sql::plan::{self, Bitmap, KeyOp};
use crate::sql::tcop::Database;
use crate::storage::{Buffer, Instance, MvccSnapshot, Outcome, RelationData};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem;
use ffviz_format::datum::{SqlType, Value};
use ffviz_format::page::ItemPointer;

/// An index scan that runs.
#[derive(Debug, Clone)]
pub(super) struct IndexRows {
    index: Arc<RelationData>,
    bounds: Bounds,
    scan: IndexScan,
    /// of a GiST index
    gist: Option<Box<GistRows>>,
    /// is the heap left alone where its block is all-visible?
    only: bool,
    /// `ioss_VMBuffer`: the page of the visibility map that it has
    map: Option<Buffer>,
    fetch: IndexFetch,
    /// `ss_ScanTupleSlot`: the version that was found last, whatever the filter says of it
    found: Slot,
    /// entries that it gave, and rows that they led to, since this was counted last
    read: u32,
    fetched: u32,
}

/// What is left of a scan of a GiST index.
#[derive(Debug, Clone)]
struct GistRows {
    /// its entries
    left: VecDeque<ItemPointer>,
    /// how often the index was read, since this was counted last
    searches: u64,
}

impl IndexRows {
    pub fn start(db: &mut Database, plan: &plan::IndexScan) -> Outcome<Self> {
        let index = db.cluster.pg.relation(plan.index)?;
        let (fetch, found) = (IndexFetch::default(), Slot::default());
        let (bounds, scan) = (Bounds::default(), IndexScan::of_query(plan.only));
        let mut rows =
            Self { index, bounds, scan, gist: None, only: plan.only, map: None, fetch, found, read: 0, fetched: 0 };
        rows.find_bounds(db, plan)?;
        Ok(rows)
    }

    /// `ExecReScanIndexScan`: before the first entry once more.
    pub fn rescan(&mut self, db: &mut Database, plan: &plan::IndexScan) -> Outcome<()> {
        // `btrescan`: it may stand on a leaf still, where it has met dead rows
        self.scan.end(&mut db.cluster.pg, &self.index);
        // `table_index_fetch_reset`, `ExecScanReScan`: the page is gone to, and maybe pruned, anew
        self.fetch.end(&mut db.cluster.pg);
        self.found.clear(&mut db.cluster.pg);
        db.cluster.pg.reopen(&mut self.index)?;
        self.find_bounds(db, plan)
    }

    fn find_bounds(&mut self, db: &mut Database, plan: &plan::IndexScan) -> Outcome<()> {
        if self.index.index.as_ref().is_some_and(|form| form.gist.is_some()) {
            return self.find_in_gist(db, plan);
        }
        self.bounds.find(db, &self.index, &plan.keys)?;
        let bounds = &mut self.bounds.all;
        if plan.backward {
            bounds.reverse();
        }
        let tests = tests(db, &self.index, &plan.keys)?;
        self.scan.rescan(bounds, mem::take(&mut self.bounds.arrays), tests, plan.backward);
        Ok(())
    }

    /// The entries of a GiST index: its only page is read as a whole. Each value of = ANY is a scan of its own.
    fn find_in_gist(&mut self, db: &mut Database, plan: &plan::IndexScan) -> Outcome<()> {
        let mut scans: Vec<Vec<GistTest>> = Vec::from([Vec::new()]);
        for key in &plan.keys {
            let op = match key.op {
                KeyOp::Gist(op) => Ok(op),
                KeyOp::IsNull => Err(false),
                KeyOp::IsNotNull => Err(true),
                _ => Ok(GistOp::Equal),
            };
            let values = match key.value[..] {
                [] => Vec::from([Value::Null]),
                _ => key.value.iter().map(|value| eval(db, value, &[], &[])).collect::<Outcome<_>>()?,
            };
            let test = |value: &Value| GistTest { column: key.column, op, value: value.clone() };
            let with =
                |value: &Value| scans.iter().map(|scan| [&scan[..], &[test(value)]].concat()).collect::<Vec<_>>();
            scans = values.iter().flat_map(with).collect();
        }
        let mut found = VecDeque::new();
        for tests in &scans {
            found.extend(Gist::new(&mut db.cluster.pg, &self.index).search(tests));
        }
        let before = self.gist.as_ref().map_or(0, |rows| rows.searches);
        self.gist = Some(Box::new(GistRows { left: found, searches: before + scans.len() as u64 }));
        Ok(())
    }

    /// The next entry.
    fn next_entry(&mut self, pg: &mut Instance) -> Outcome<Option<ItemPointer>> {
        match &mut self.gist {
            Some(rows) => Ok(rows.left.pop_front()),
            None => self.scan.next(pg, &self.index),
        }
    }

    /// How often it went down the index, since this was asked last.
    fn take_searches(&mut self) -> u64 {
        let of_gist = self.gist.as_mut().map_or(0, |rows| mem::take(&mut rows.searches));
        of_gist + self.scan.take_searches()
    }

    /// Do the entries satisfy all that the index was asked for, so that this need not be asked of their rows?
    pub const fn is_exact(&self) -> bool {
        self.bounds.is_exact
    }

    /// All entries, in the order of the index.
    fn all(&mut self, db: &mut Database) -> Outcome<Vec<ItemPointer>> {
        let mut found = Vec::new();
        while let Some(tid) = self.next_entry(&mut db.cluster.pg)? {
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
            let Some(tid) = self.next_entry(pg)? else { return Ok(None) };
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
            if all_dead && self.gist.is_none() {
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
        if self.gist.is_none() {
            self.scan.end(&mut db.cluster.pg, &self.index);
        }
        let searches = self.take_searches();
        db.running.counted.searches += searches;
        let counted = (mem::take(&mut self.read).into(), mem::take(&mut self.fetched).into());
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

/// The bitmap that a plan makes.
pub(super) fn bitmap(db: &mut Database, plan: &Bitmap) -> Outcome<TidBitmap> {
    match plan {
        Bitmap::Index(scan) => {
            let index = db.cluster.pg.relation(scan.index)?;
            if index.index.as_ref().is_some_and(|form| form.summarizing) {
                let (blocks, counted) = blocks_of(db, index.clone(), scan)?;
                count_index(&mut db.cluster.pg, &index, counted.searches, (counted.entries, 0));
                db.running.counted.bitmaps.push(counted);
                return Ok(TidBitmap::of_blocks(blocks));
            }
            let mut rows = IndexRows::start(db, &plan::IndexScan { backward: false, ..scan.clone() })?;
            let before = db.cluster.pg.buffer_usage();
            let found = rows.all(db)?;
            let (entries, searches) = (found.len() as u64, rows.take_searches());
            let blocks = db.cluster.pg.buffer_usage() - before;
            count_index(&mut db.cluster.pg, &rows.index, searches, (entries, 0));
            db.running.counted.bitmaps.push(CountedBitmap { entries, searches, blocks });
            Ok(TidBitmap::of_tids(found))
        }
        Bitmap::And(parts) => {
            let mut found: Option<TidBitmap> = None;
            for part in parts {
                let next = bitmap(db, part)?;
                match &mut found {
                    Some(found) => found.intersect(&next),
                    None => found = Some(next),
                }
            }
            Ok(found.unwrap_or_default())
        }
        Bitmap::Or(parts) => {
            let mut found = TidBitmap::default();
            for part in parts {
                found.union(bitmap(db, part)?);
            }
            Ok(found)
        }
    }
}

/// What is asked again of rows that a bitmap does not have one by one (`bitmapqualorig`).
pub(super) fn recheck(db: &Database, table: &RelationData, plan: &Bitmap) -> Typed {
    let all = |parts: &[Bitmap]| parts.iter().map(|part| recheck(db, table, part)).collect();
    let node = match plan {
        Bitmap::Index(scan) => {
            let mut conditions = scan.conditions.clone();
            conditions.extend(db.predicate(table, scan.index));
            Node::And(conditions)
        }
        Bitmap::And(parts) => Node::And(all(parts)),
        Bitmap::Or(parts) => Node::Or(all(parts)),
    };
    Typed { node, ty: SqlType::BOOL }
}
