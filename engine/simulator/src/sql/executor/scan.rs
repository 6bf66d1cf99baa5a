//! Scans of a table, row by row, each of which can be gone on with (src/backend/executor/nodeSeqscan.c,
//! nodeIndexscan.c, nodeBitmapHeapscan.c).

use super::index_scan::{IndexRows, bitmap, recheck};
use super::merge_append::MergeRows;
use super::row::{Row, eval, holds, push_system_values, read_row, read_seen_values, read_values};
use super::tid::{TidRows, tid_range};
use super::tid_bitmap::BitmapPage;
use crate::access::heap::scan::{HeapScan, SampleScan, heap_bitmap_page};
use crate::access::nbtree::Index;
use crate::sql::commands::portal::exec_current_of;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::{Typed, hash_bytes};
use crate::sql::plan::{Append, Method, Sample, Scan, live_leaves};
use crate::sql::tcop::Database;
use crate::storage::{Buffer, Instance, MvccSnapshot, Outcome, RelationData, TableAm};
use crate::undo::not_modelled;
use crate::version::Behaviour;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::RangeInclusive;
use core::{iter, mem};
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::{BlockNumber, ItemPointer, OffsetNumber, Oid};

/// A scan that runs.
#[derive(Debug, Clone)]
pub(super) struct RowScan {
    pub relation: Arc<RelationData>,
    pub plan: Arc<Scan>,
    snapshot: MvccSnapshot,
    source: Source,
    /// memory of the values of a row that came back
    values: Vec<Value>,
}

/// Where it stands.
#[derive(Debug, Clone)]
enum Source {
    /// no row satisfies the condition, or none is left
    Done,
    /// page by page
    Seq(HeapScan, Page),
    /// page by page, of a sample
    Sample(SampleScan, Page),
    /// entry by entry
    Index(IndexRows),
    /// blocks that an index found, and the condition of rows that it did not find one by one, if there are such blocks
    Bitmap(VecDeque<(BlockNumber, BitmapPage)>, Page, Option<Box<Typed>>),
    /// place by place
    Tid(TidRows),
    /// page by page, between places
    TidRange(HeapScan, Page, RangeInclusive<ItemPointer>),
    /// partition by partition: those to come, and the one at work
    Append(VecDeque<Arc<Scan>>, Option<Box<RowScan>>),
    /// of all partitions at the same time, in one order
    Merge(Box<MergeRows>),
}

/// Rows of a page that are still to be returned.
#[derive(Debug, Clone, Default)]
struct Page {
    block: u32,
    offsets: Vec<OffsetNumber>,
    next: usize,
    /// of a bitmap scan: pages that it holds pinned, this one and maybe the next
    pinned: Vec<Buffer>,
    /// likewise: is its condition to be asked of the rows?
    rechecks: bool,
}

impl Page {
    fn new(buf: Buffer, offsets: Vec<OffsetNumber>) -> Self {
        Self { block: buf.block, offsets, next: 0, pinned: Vec::new(), rechecks: false }
    }

    fn unpin(&mut self, pg: &mut Instance) {
        self.pinned.drain(..).for_each(|buf| pg.unpin(buf));
    }

    fn next(&mut self) -> Option<ItemPointer> {
        let offset = *self.offsets.get(self.next)?;
        self.next += 1;
        Some(ItemPointer { block: self.block, offset })
    }

    /// The next row of a scan that goes from page to page.
    fn next_of(
        &mut self,
        pg: &mut Instance,
        relation: &RelationData,
        mut next_page: impl FnMut(&mut Instance) -> Outcome<Option<(Buffer, Vec<OffsetNumber>)>>,
    ) -> Outcome<Option<ItemPointer>> {
        loop {
            if let Some(tid) = self.next() {
                return Ok(Some(tid));
            }
            pg.stats.of_mut(relation.oid).read += mem::take(&mut self.next) as u64;
            self.offsets.clear();
            match next_page(pg)? {
                Some((buf, offsets)) => *self = Self::new(buf, offsets),
                None => return Ok(None),
            }
        }
    }
}

impl Source {
    fn start(db: &mut Database, relation: &RelationData, plan: &Scan) -> Outcome<Self> {
        Ok(match &plan.method {
            Method::Nothing => Self::Done,
            Method::Seq => Self::Seq(HeapScan::new(&db.cluster.pg, relation), Page::default()),
            Method::Sample(sample) => {
                let scan = sample_scan(&mut db.cluster.pg, relation, sample)?;
                Self::Sample(scan, Page::default())
            }
            Method::Index(plan) => Self::Index(IndexRows::start(db, plan)?),
            Method::Bitmap(plan) => {
                let pages: VecDeque<_> = bitmap(db, plan)?.pages.into_iter().collect();
                let rechecks = pages.iter().any(|(_, page)| page.rechecks());
                let condition = rechecks.then(|| Box::new(recheck(db, relation, plan)));
                Self::Bitmap(pages, Page::default(), condition)
            }
            Method::Append(append) => Self::Append(live_scans(db, append, &plan.filter, plan.table)?, None),
            Method::CurrentOf(cursor) => Self::Tid(TidRows::current_of(exec_current_of(db, cursor, relation)?)),
            Method::Tid(plan) => Self::Tid(TidRows::start(db, relation, plan)?),
            Method::TidRange(plan) => match tid_range(db, plan)? {
                Some(range) => {
                    Self::TidRange(HeapScan::of_range(&db.cluster.pg, relation, &range), Page::default(), range)
                }
                None => Self::Done,
            },
        })
    }
}

impl RowScan {
    /// Before the first row.
    pub fn start(db: &mut Database, plan: &Arc<Scan>, snapshot: &MvccSnapshot) -> Outcome<Self> {
        let relation = db.cluster.pg.relation(plan.table)?;
        if relation.am == TableAm::Undo
            && matches!(plan.method, Method::Tid(_) | Method::CurrentOf(_) | Method::TidRange(_))
        {
            return Err(not_modelled("a scan by ctid").into());
        }
        if relation.am == TableAm::Undo && db.cluster.pg.backend().serializable.is_some() {
            return Err(not_modelled("SERIALIZABLE").into());
        }
        for index in &relation.indexes {
            let index = db.cluster.pg.relation(*index)?;
            if index.index.as_ref().is_some_and(|form| form.is_btree()) {
                Index::new(&mut db.cluster.pg, &index).note_root();
            }
        }
        let before = db.cluster.pg.buffer_usage() - db.running.counted.opened;
        let source = match &plan.method {
            Method::Append(append) if append.merged().is_some() => Self::merge(db, append, snapshot)?,
            _ => Source::start(db, &relation, plan)?,
        };
        let counted = &mut db.running.counted;
        counted.buffers = counted.buffers + (db.cluster.pg.buffer_usage() - counted.opened - before);
        Ok(Self { relation, plan: plan.clone(), snapshot: snapshot.clone(), source, values: Vec::new() })
    }

    fn merge(db: &mut Database, append: &Append, snapshot: &MvccSnapshot) -> Outcome<Source> {
        let scans = append.scans.iter().map(|scan| Self::start(db, scan, snapshot)).collect::<Outcome<_>>()?;
        Ok(Source::Merge(Box::new(MergeRows::new(scans, append.merged().cloned().unwrap_or_default()))))
    }

    /// Before the first row once more.
    pub fn rescan(&mut self, db: &mut Database, snapshot: MvccSnapshot) -> Outcome<()> {
        db.cluster.pg.reopen(&mut self.relation)?;
        self.snapshot = snapshot;
        self.count_read(&mut db.cluster.pg);
        if let (Source::Index(rows), Method::Index(plan)) = (&mut self.source, &self.plan.method) {
            return rows.rescan(db, plan);
        }
        self.source = match &self.plan.clone().method {
            Method::Append(append) if append.merged().is_some() => Self::merge(db, append, &self.snapshot)?,
            _ => Source::start(db, &self.relation, &self.plan.clone())?,
        };
        Ok(())
    }

    /// `pgstat_count_heap_getnext`, `pgstat_count_heap_fetch`: the rows of a page that were given.
    fn count_read(&self, pg: &mut Instance) {
        let (table, given) = (self.relation.oid, |page: &Page| page.next as u64);
        match &self.source {
            Source::Seq(_, page) | Source::Sample(_, page) | Source::TidRange(_, page, _) => {
                pg.stats.of_mut(table).read += given(page)
            }
            Source::Bitmap(_, page, _) => pg.stats.of_mut(table).fetched += given(page),
            Source::Index(_) | Source::Tid(_) | Source::Append(..) | Source::Merge(_) | Source::Done => {}
        }
    }

    /// The next row that the snapshot sees and that satisfies the condition.
    pub fn next(&mut self, db: &mut Database) -> Outcome<Option<Row>> {
        let before = (db.cluster.pg.backend().wal.usage, db.cluster.pg.buffer_usage());
        let next = self.next_wanted(db)?;
        let after = (db.cluster.pg.backend().wal.usage, db.cluster.pg.buffer_usage());
        let counted = &mut db.running.counted;
        counted.wal = counted.wal + (after.0 - before.0);
        counted.buffers = counted.buffers + (after.1 - before.1);
        counted.rows += u64::from(next.is_some());
        Ok(next)
    }

    /// The same, not counted as a row of the statement's scan.
    pub fn next_wanted(&mut self, db: &mut Database) -> Outcome<Option<Row>> {
        if matches!(self.source, Source::Append(..)) {
            return self.next_of_parts(db);
        }
        if let Source::Merge(rows) = &mut self.source {
            let Some((scan, row)) = rows.next(db)? else { return Ok(None) };
            self.relation = scan.relation.clone();
            return Ok(Some(row));
        }
        while let Some(tid) = self.next_tid(db)? {
            db.cluster.pg.interrupt.check()?;
            if !self.read(db, tid) {
                continue;
            }
            if let Source::Bitmap(_, Page { rechecks: true, .. }, Some(condition)) = &self.source
                && !holds(db, iter::once(&**condition), &self.values)?
            {
                db.running.counted.rechecked += 1;
                continue;
            }
            if self.plan.asks_nothing() || self.is_wanted(db)? {
                return Ok(Some(Row { tid, values: mem::take(&mut self.values) }));
            }
            db.running.counted.removed += 1;
        }
        Ok(None)
    }

    /// `ExecAppend`
    fn next_of_parts(&mut self, db: &mut Database) -> Outcome<Option<Row>> {
        while let Source::Append(left, part) = &mut self.source {
            if part.is_none() {
                let Some(next) = left.pop_front() else { break };
                let next = Self::start(db, &next, &self.snapshot)?;
                self.relation = next.relation.clone();
                *part = Some(Box::new(next));
            }
            if let Some(scan) = part {
                scan.take_back(mem::take(&mut self.values));
                if let Some(mut row) = scan.next_wanted(db)? {
                    if let Method::Append(append) = &self.plan.method
                        && let Some(map) = append.maps.get(&scan.relation.oid).filter(|_| !append.keeps_rows)
                    {
                        row.values = map.row(&row.values);
                    }
                    return Ok(Some(row));
                }
                scan.end(db);
                *part = None;
            }
        }
        Ok(None)
    }

    /// Is the row that it gave last put together of one of a child, whose columns are elsewhere?
    pub fn maps_row(&self) -> bool {
        let Method::Append(append) = &self.plan.method else { return false };
        !append.keeps_rows && append.maps.contains_key(&self.relation.oid)
    }

    /// Reads the version at a place. Is there one?
    fn read(&mut self, db: &Database, tid: ItemPointer) -> bool {
        if self.relation.am == TableAm::Undo {
            let place = (tid, &self.snapshot);
            return read_seen_values(db, &self.relation, place, self.plan.system, &mut self.values);
        }
        let is_there = read_values(db, &self.relation, tid, &mut self.values);
        if is_there && self.plan.system {
            push_system_values(db, &self.relation, tid, &mut self.values);
        }
        is_there
    }

    /// A newer version of a row, with what this scan gives of a row.
    pub fn newer(&self, db: &Database, tid: ItemPointer) -> Option<Row> {
        if let Source::Append(_, Some(part)) = &self.source {
            return part.newer(db, tid);
        }
        let mut row = read_row(db, &self.relation, tid)?;
        if self.plan.system {
            push_system_values(db, &self.relation, tid, &mut row.values);
        }
        Some(row)
    }

    /// Does the row satisfy the conditions that what found it has not asked already?
    fn is_wanted(&self, db: &mut Database) -> Outcome<bool> {
        let taken = match (&self.source, &self.plan.method) {
            (Source::Index(rows), Method::Index(plan)) if rows.is_exact() => &plan.taken[..],
            _ => &[],
        };
        holds(db, self.plan.left(taken), &self.values)
    }

    /// The values of a row that nobody needs any more: the next one takes their memory.
    pub fn take_back(&mut self, values: Vec<Value>) {
        self.values = values;
    }

    /// The snapshot that its rows are seen with.
    pub const fn snapshot(&self) -> &MvccSnapshot {
        &self.snapshot
    }

    /// Does a version satisfy the condition (`EvalPlanQual`)?
    pub fn rechecks(&self, db: &mut Database, row: &Row) -> Outcome<bool> {
        match &self.source {
            Source::Append(_, Some(part)) => part.rechecks(db, row),
            _ => holds(db, self.plan.left(&[]), &row.values),
        }
    }

    fn next_tid(&mut self, db: &mut Database) -> Outcome<Option<ItemPointer>> {
        match &mut self.source {
            Source::Done | Source::Append(..) | Source::Merge(_) => Ok(None),
            Source::Seq(scan, page) => {
                let (pg, relation) = (&mut db.cluster.pg, &*self.relation);
                page.next_of(pg, relation, |pg| scan.next_page(pg, relation, &self.snapshot))
            }
            Source::Sample(scan, page) => {
                let (pg, relation) = (&mut db.cluster.pg, &*self.relation);
                page.next_of(pg, relation, |pg| scan.next_page(pg, relation, &self.snapshot))
            }
            Source::Index(rows) => rows.next(db, &self.relation, &self.snapshot),
            Source::Tid(rows) => rows.next(db, &self.relation, &self.snapshot),
            Source::TidRange(scan, page, range) => loop {
                match page.next() {
                    Some(tid) if tid < *range.start() => {}
                    Some(tid) if tid > *range.end() => return Ok(None),
                    Some(tid) => return Ok(Some(tid)),
                    None => match scan.next_page(&mut db.cluster.pg, &self.relation, &self.snapshot)? {
                        Some((buf, offsets)) => *page = Page::new(buf, offsets),
                        None => return Ok(None),
                    },
                }
            },
            Source::Bitmap(blocks, page, _) => loop {
                if let Some(tid) = page.next() {
                    return Ok(Some(tid));
                }
                let pg = &mut db.cluster.pg;
                page.unpin(pg);
                pg.stats.of_mut(self.relation.oid).fetched += mem::take(&mut page.next) as u64;
                page.offsets.clear();
                let Some((block, found)) = blocks.pop_front() else { return Ok(None) };
                let buf = Buffer::main(self.relation.file, block);
                let ahead = blocks.front().filter(|_| pg.version.bitmap_scan_looks_ahead());
                let ahead = ahead.map(|(block, _)| Buffer::main(self.relation.file, *block));
                let pinned: Vec<Buffer> = iter::once(buf).chain(ahead).collect();
                pinned.iter().for_each(|buf| pg.pin(*buf));
                let visible = heap_bitmap_page(pg, &self.relation, buf, found.offsets(), &self.snapshot)?;
                let (exact, lossy) = &mut db.running.counted.blocks;
                *if found == BitmapPage::Lossy { lossy } else { exact } += 1;
                *page = Page { pinned, rechecks: found.rechecks(), ..Page::new(buf, visible) };
            },
        }
    }

    /// Lets go of the page that it is on. What there is of a scan of an index is kept for another one.
    pub fn end(&mut self, db: &mut Database) {
        self.count_read(&mut db.cluster.pg);
        match &mut self.source {
            Source::Done => {}
            Source::Sample(scan, _) => scan.end(&mut db.cluster.pg),
            Source::Seq(scan, _) | Source::TidRange(scan, ..) => scan.end(&mut db.cluster.pg),
            Source::Tid(rows) => rows.end(db),
            Source::Index(rows) => return rows.end(db),
            Source::Bitmap(_, page, _) => page.unpin(&mut db.cluster.pg),
            Source::Append(_, part) => part.iter_mut().for_each(|scan| scan.end(db)),
            Source::Merge(rows) => rows.end(db),
        }
        self.source = Source::Done;
    }
}

/// `tablesample_init`
fn sample_scan(pg: &mut Instance, relation: &RelationData, sample: &Sample) -> Outcome<SampleScan> {
    let percent = f64::from(sample.percent);
    if !(0.0..=100.0).contains(&percent) {
        return Err(SqlError::new("2202H", "sample percentage must be between 0 and 100").into());
    }
    if !sample.is_known() {
        let message = "TABLESAMPLE without REPEATABLE, which takes other rows each time, is not supported";
        return Err(SqlError::new(NOT_SIMULATED, message).into());
    }
    if relation.am == TableAm::Undo {
        return Err(not_modelled("TABLESAMPLE").into());
    }
    // `hashfloat8`
    let seed = sample.seed.filter(|seed| *seed != 0.0).map_or(0, |seed| hash_bytes(&seed.to_le_bytes()));
    Ok(SampleScan::new(pg, relation, (sample.method, percent, seed), hash_bytes))
}

/// `ExecInitPartitionPruning`: the scans of the partitions that conditions leave, now that it is known what they
/// compare with.
fn live_scans(db: &mut Database, append: &Append, clauses: &[Typed], table: Oid) -> Outcome<VecDeque<Arc<Scan>>> {
    if !append.prunes_later {
        return Ok(append.scans.iter().cloned().collect());
    }
    let mut values = Vec::new();
    let mut asked = Vec::new();
    live_leaves(db, table, clauses, &mut |expr| {
        asked.push(expr.clone());
        None
    });
    for expr in asked.into_iter().filter(Typed::is_pseudo_constant) {
        let value = eval(db, &expr, &[], &[])?;
        values.push((expr, value));
    }
    let known = |expr: &Typed| values.iter().find(|(known, _)| known == expr).map(|(_, value)| value.clone());
    let live = live_leaves(db, table, clauses, &mut |expr| known(expr));
    Ok(append.scans.iter().filter(|scan| live.contains(&scan.table)).cloned().collect())
}
